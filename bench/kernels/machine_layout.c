/* The construction loop of Machine Layout, as in families/machine_layout/solve.py. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define INF ((int64_t)1 << 62)
#define TIE 64

int64_t construct(const int64_t *F, int64_t n, int64_t n2, const int64_t *A, int64_t n3, int64_t n4,
                  int8_t *pred, int64_t sets, int64_t *counts)
{
    int64_t *dp = malloc(sets * 8), *cut = malloc(sets * 8), whole[64] = {0};
    int8_t *size = malloc(sets);
    dp[0] = cut[0] = size[0] = 0;
    for (int64_t x = 0; x < n; x++)
        for (int64_t y = 0; y < n; y++) whole[x] += F[x * n + y];
    int64_t states = 1, transitions = 0, checks = 0, updates = 0, h = 0;
    for (int64_t S = 1; S < sets; S++) {
        if (S >> h > 1) h++;
        size[S] = size[S >> 1] + (S & 1);
        int64_t k = size[S] - 1;
        states++;
        checks += n;
        transitions += 2 * size[S];
        int64_t best = INF, last = 0, inside = 0;
        for (int64_t x = 0; x < n; x++)
            if (S >> x & 1) {
                inside += F[h * n + x];
                int64_t value = dp[S ^ ((int64_t)1 << x)] + A[k * n + x];
                if (value < best) {
                    updates++;
                    best = value;
                    last = x;
                } else if (value == best)
                    last |= TIE;
            }
        cut[S] = cut[S ^ ((int64_t)1 << h)] + whole[h] - 2 * inside;
        dp[S] = best + cut[S];
        pred[S] = (int8_t)last;
    }
    int64_t value = dp[sets - 1], S = sets - 1;
    for (int64_t k = n - 1; k >= 0; k--) S ^= (int64_t)1 << (pred[S] & ~TIE);
    int64_t work[5] = {states, transitions, checks, updates, n};
    memcpy(counts, work, sizeof work);
    free(dp);
    free(cut);
    free(size);
    return value;
}
