/* The construction loop of Migration Portfolio, as in families/migration_portfolio/solve.py. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define INF ((int64_t)1 << 62)

typedef struct { int64_t lacking, sum_f, lowered; } Admitted;

static inline Admitted admit(const uint32_t *packages, const uint32_t *group, const int64_t *c, const int64_t *R,
                             int64_t S, int64_t j, int64_t *f, int64_t lacking, int64_t sum_f)
{
    int64_t lowered = 0;
    for (int64_t p = packages[j]; p < packages[j + 1]; p++) {
        int64_t i = group[p];
        if ((R[p] & S) == R[p] && c[p] < f[i]) {
            lowered++;
            if (f[i] == INF) {
                lacking--;
                f[i] = 0;
            }
            sum_f += c[p] - f[i];
            f[i] = c[p];
        }
    }
    return (Admitted){lacking, sum_f, lowered};
}

int64_t construct(const int64_t *a_F, int64_t n, const uint32_t *packages, int64_t b, const uint32_t *group, int64_t P,
                  const int64_t *c, int64_t P2, const int64_t *R, int64_t P3, const int64_t *phi, int64_t factors,
                  const uint32_t *terms, int64_t b2, const uint32_t *others, int64_t t1, const uint32_t *other, int64_t o1,
                  const uint32_t *cell, int64_t t2, const int64_t *gain, int64_t g1,
                  int64_t *f, int64_t rows, int64_t G, int64_t *counts)
{
    int64_t F[64] = {0}, Phi[64] = {0}, sum_f[64], lacking[64];
    for (int64_t h = 0; h < factors; h++) Phi[0] += phi[h];
    for (int64_t i = 0; i < G; i++) f[i] = INF;
    Admitted to = admit(packages, group, c, R, 0, n, f, G, 0);
    lacking[0] = to.lacking;
    sum_f[0] = to.sum_f;
    int64_t best = INF, transitions = packages[n + 1] - packages[n], updates = factors + to.lowered, k = 0;
    for (int64_t S = 0; S < (int64_t)1 << n; S++) {
        if (S > 0) {
            int64_t j = 0, more = 0;
            while (!(S >> j & 1)) j++;
            k += 1 - j;
            F[k] = F[k - 1] + a_F[j];
            for (int64_t t = terms[j]; t < terms[j + 1]; t++) {
                int64_t x = 0;
                for (int64_t o = others[t]; o < others[t + 1]; o++) x = 2 * x + (S >> other[o] & 1);
                more += gain[cell[t] + x];
            }
            Phi[k] = Phi[k - 1] + more;
            int64_t *row = f + k * G;
            memcpy(row, row - G, G * sizeof *row);
            to = admit(packages, group, c, R, S, j, row, lacking[k - 1], sum_f[k - 1]);
            lacking[k] = to.lacking;
            sum_f[k] = to.sum_f;
            transitions += packages[j + 1] - packages[j];
            updates += terms[j + 1] - terms[j] + to.lowered;
        }
        if (lacking[k] == 0 && F[k] + sum_f[k] + Phi[k] < best) {
            updates++;
            best = F[k] + sum_f[k] + Phi[k];
        }
    }
    int64_t work[5] = {(int64_t)1 << n, transitions, transitions, updates, best < INF ? G + n : 0};
    memcpy(counts, work, sizeof work);
    return best;
}
