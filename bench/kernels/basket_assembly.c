/* The construction loop of Basket Assembly, as in families/basket_assembly/solve.py. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define INF ((int64_t)1 << 62)
#define TIE (1 << 14)

int64_t construct(int64_t n, const int64_t *first, int64_t items1, const int64_t *e, int64_t entries,
                  const int64_t *mask, int64_t entries2, const int64_t *p, int64_t entries3,
                  int16_t *choice, int64_t rows, int64_t cells, int64_t *counts)
{
    int64_t A = ((int64_t)1 << n) - 1, states = 0, transitions = 0, checks = 0, updates = 0;
    memset(choice, -1, rows * cells * sizeof *choice);
    choice[0] = 0;
    for (int64_t k = 0; k <= n; k++) {
        int16_t *here = choice + k * cells, *next = choice + (k < n ? k + 1 : n) * cells;
        int64_t stop = k < n ? cells : cells - 1;
        for (int64_t s = 0; s < stop; s++) {
            if (here[s] < 0) continue;
            int64_t S = (A >> (n - k)) | (s << n), u = k;
            if (k == n)
                while (S >> u & 1) u++;
            states++;
            for (int64_t at = first[u]; at < first[u + 1]; at++) {
                transitions++;
                if ((mask[at] & S) == 0) {
                    checks++;
                    next[(S | mask[at]) >> n] = 0;
                }
            }
        }
    }
    states += choice[n * cells + cells - 1] == 0;
    int64_t *F = malloc(cells * 8), *F_after = malloc(cells * 8);
    F[cells - 1] = 0;
    for (int64_t k = n; k >= 0; k--) {
        int16_t *here = choice + k * cells;
        int64_t *beyond = k == n ? F : F_after;
        for (int64_t s = k < n ? cells - 1 : cells - 2; s >= 0; s--) {
            if (here[s] < 0) continue;
            int64_t S = (A >> (n - k)) | (s << n), u = k;
            if (k == n)
                while (S >> u & 1) u++;
            int64_t best = INF, pick = 0, tie = 0;
            for (int64_t at = first[u]; at < first[u + 1]; at++)
                if ((mask[at] & S) == 0) {
                    int64_t rest = beyond[(S | mask[at]) >> n];
                    if (rest < INF) {
                        int64_t value = p[at] + rest;
                        if (value < best) {
                            updates++;
                            best = value; pick = at - first[u]; tie = 0;
                        } else if (value == best)
                            tie = TIE;
                    }
                }
            F[s] = best;
            here[s] = (int16_t)(pick | tie);
        }
        int64_t *swap = F; F = F_after; F_after = swap;
    }
    int64_t best = F_after[0], taken = 0;
    if (best < INF) {
        int64_t S = 0;
        for (int64_t u = 0; u < 3 * n; u++)
            if ((S >> u & 1) == 0) {
                S |= mask[first[u] + (choice[(u < n ? u : n) * cells + (S >> n)] & ~TIE)];
                taken++;
            }
    }
    int64_t work[5] = {states, transitions, transitions + checks, updates, taken};
    memcpy(counts, work, sizeof work);
    free(F);
    free(F_after);
    return best;
}
