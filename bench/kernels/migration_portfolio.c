/* The construction loop of Migration Portfolio, as in families/migration_portfolio/solve.py. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define INF ((int64_t)1 << 62)

int64_t construct(const int64_t *F, int64_t n1, const uint32_t *packages, int64_t b, const uint32_t *group, int64_t P,
                  const int64_t *c, int64_t P2, const int64_t *R, int64_t P3,
                  const uint32_t *terms, int64_t b2, const uint32_t *others, int64_t t1, const uint32_t *other, int64_t o1,
                  const uint32_t *cell, int64_t t2, const int64_t *gain, int64_t g1,
                  int64_t *f, int64_t rows, int64_t G, int64_t *counts)
{
    int64_t n = n1 - 1, V[64] = {0}, lacking[64];
    for (int64_t k = 0; k < 64; k++) lacking[k] = G;
    for (int64_t i = 0; i < G; i++) f[i] = INF;
    int64_t best = INF, feasible = 0, transitions = 0, updates = 0, k = n;
    for (int64_t S = (int64_t)1 << n; S < (int64_t)2 << n; S++) {
        int64_t j = 0;
        while (!(S >> j & 1)) j++;
        k += 1 - j;
        int64_t value = V[k - 1] + F[j], lack = lacking[k - 1];
        for (int64_t t = terms[j]; t < terms[j + 1]; t++) {
            int64_t x = 0;
            for (int64_t o = others[t]; o < others[t + 1]; o++) x = 2 * x + (S >> other[o] & 1);
            updates++;
            value += gain[cell[t] + x];
        }
        int64_t *row = f + k * G;
        for (int64_t i = 0; i < G; i++) row[i] = row[i - G];
        for (int64_t p = packages[j]; p < packages[j + 1]; p++) {
            transitions++;
            if ((R[p] & S) == R[p] && c[p] < row[group[p]]) {
                updates++;
                if (row[group[p]] < INF) value -= row[group[p]];
                else lack--;
                value += c[p];
                row[group[p]] = c[p];
            }
        }
        V[k] = value;
        lacking[k] = lack;
        if (lack == 0) {
            feasible = 1;
            if (value < best) {
                updates++;
                best = value;
            }
        }
    }
    int64_t found[5] = {(int64_t)1 << n, transitions, transitions, updates, feasible ? G + n : 0};
    memcpy(counts, found, sizeof found);
    return best;
}
