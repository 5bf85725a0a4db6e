/* The construction loop of Series Portfolio, as in families/series_portfolio/solve.py. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define INF ((int64_t)1 << 62)
#define TIE 2

int64_t construct(const int64_t *v, int64_t n, int64_t two, const int64_t *closing, int64_t n1,
                  const int64_t *arity, int64_t factors, const int64_t *age, int64_t factors2, int64_t widest,
                  const int64_t *start, int64_t factors3, const int64_t *A, int64_t cells,
                  int8_t *pred, int64_t n2, int64_t size, int64_t *counts)
{
    int64_t *B = calloc(size, 8), *N = calloc(size, 8);
    int64_t states = 0, transitions = 0, checks = 0, updates = 1, reached = 1;
    for (int64_t i = 0; i < n; i++) {
        int64_t wide = 2 * reached < size ? 2 * reached : size;
        for (int64_t t = 0; t < wide; t++) N[t] = -INF;
        for (int64_t sigma = 0; sigma < reached; sigma++) {
            states++;
            for (int64_t z = 0; z < 2; z++) {
                transitions++;
                int64_t word = 2 * sigma + z, value = B[sigma] + v[2 * i + z];
                for (int64_t s = closing[i]; s < closing[i + 1]; s++) {
                    checks += 3;
                    updates++;
                    int64_t cell = 0;
                    for (int64_t k = 0; k < arity[s]; k++) cell = 2 * cell + (word >> age[s * widest + k] & 1);
                    value += A[start[s] + cell];
                }
                int64_t kept = word & (size - 1);
                if (value > N[kept]) {
                    N[kept] = value;
                    pred[i * size + kept] = (int8_t)(word / size);
                } else if (value == N[kept])
                    pred[i * size + kept] |= TIE;
            }
        }
        reached = wide;
        int64_t *swap = B; B = N; N = swap;
    }
    int64_t best = B[0], last = 0;
    for (int64_t sigma = 1; sigma < reached; sigma++)
        if (B[sigma] > best) { best = B[sigma]; last = sigma; }
    updates++;
    int64_t rebuilt = 0;
    for (int64_t i = n - 1; i >= 0; i--) {
        last = (last + (pred[i * size + last] & 1) * size) >> 1;
        rebuilt++;
    }
    int64_t work[5] = {states, transitions, checks, updates, rebuilt};
    memcpy(counts, work, sizeof work);
    free(B);
    free(N);
    return best;
}
