/* The construction loop of Sequential Matching, as in families/sequential_matching/solve.py. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define INF ((int64_t)1 << 62)
#define TIE 64

int64_t construct(const uint8_t *E, int64_t n, int64_t n2, const int64_t *c, int64_t n3, int64_t n4, const int64_t *h,
                  int64_t n5, int64_t n6, int8_t *pred, int64_t P, int64_t n7, int64_t *counts)
{
    int64_t *D = malloc(P * n * 8), last[64], so_far[64], outsider[64];
    for (int64_t s = 0; s < P * n; s++) D[s] = INF;
    int64_t states = 0, transitions = 0, checks = n, updates = 0;
    for (int64_t j = 0; j < n; j++)
        if (E[j]) {
            D[((int64_t)1 << j) * n + j] = c[j];
            transitions++;
            updates++;
        }
    for (int64_t S = 1; S < P; S++) {
        int64_t reached = 0, outside = 0;
        for (int64_t j = 0; j < n; j++) {
            if ((S >> j & 1) == 0)
                outsider[outside++] = j;
            else if (D[S * n + j] < INF) {
                last[reached] = j;
                so_far[reached++] = D[S * n + j];
            }
        }
        if (reached == 0) continue;
        int64_t i = n - outside;
        states += reached;
        checks += reached * (n + outside);
        for (int64_t f = 0; f < outside; f++) {
            int64_t t = outsider[f];
            if (!E[i * n + t]) continue;
            transitions += reached;
            int64_t best = INF, via = 0;
            for (int64_t k = 0; k < reached; k++) {
                int64_t value = so_far[k] + h[last[k] * n + t];
                if (value < best) {
                    updates++;
                    best = value;
                    via = last[k];
                } else if (value == best)
                    via |= TIE;
            }
            int64_t target = (S | (int64_t)1 << t) * n + t;
            D[target] = best + c[i * n + t];
            pred[target] = (int8_t)via;
        }
    }
    int64_t best = INF;
    for (int64_t t = 0; t < n; t++)
        if (D[(P - 1) * n + t] < best) best = D[(P - 1) * n + t];
    int64_t work[5] = {states, transitions, checks, updates, best < INF ? n : 0};
    memcpy(counts, work, sizeof work);
    free(D);
    return best;
}
