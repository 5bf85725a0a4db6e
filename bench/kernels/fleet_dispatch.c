/* The construction loop of Fleet Dispatch, as in families/fleet_dispatch/solve.py. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define INF ((int64_t)1 << 62)
#define TIE 64

int64_t construct(const int64_t *lam, int64_t n, const int64_t *C, int64_t m, const int64_t *f, int64_t m2,
                  const uint8_t *E, int64_t m3, int64_t n2, const int64_t *r, int64_t m4, int64_t n3,
                  const int64_t *radix, int64_t m5, const int64_t *stride, int64_t m6, const int64_t *load, int64_t m7,
                  int64_t width, const int64_t *shift, int64_t m8, int64_t width2, int64_t n4, int64_t rest,
                  int8_t *pred, int64_t n5, int64_t P, int64_t *counts)
{
    int64_t digit[64] = {0}, ell[64] = {0}, placed = 0;
    int64_t *D = malloc(P * 8), *N = malloc(P * 8);
    for (int64_t s = 0; s < P; s++) D[s] = INF;
    D[0] = 0;
    int64_t states = 0, transitions = 0, checks = 0, updates = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t s = 0; s < P; s++) N[s] = INF;
        ell[rest] = placed;
        for (int64_t s = 0; s < P; s++) {
            if (D[s] < INF) {
                states++;
                checks += m;
                for (int64_t v = 0; v < m; v++) {
                    if (!E[v * n + i]) continue;
                    checks++;
                    transitions++;
                    if (ell[v] + lam[i] > C[v]) continue;
                    int64_t t = s + shift[(v * width + digit[v]) * n + i];
                    int64_t value = D[s] + r[v * n + i] + (ell[v] == 0 ? f[v] : 0);
                    if (value < N[t]) {
                        updates++;
                        N[t] = value;
                        pred[i * P + t] = (int8_t)v;
                    } else if (value == N[t])
                        pred[i * P + t] |= TIE;
                }
            }
            for (int64_t v = m - 1; v >= 0; v--) {
                int64_t k = digit[v] + 1 == radix[v] ? 0 : digit[v] + 1;
                int64_t more = load[v * width + k] - load[v * width + digit[v]];
                digit[v] = k;
                ell[v] += more;
                ell[rest] -= more;
                if (k > 0) break;
            }
        }
        placed += lam[i];
        int64_t *swap = D; D = N; N = swap;
    }
    int64_t best = INF;
    for (int64_t s = 0; s < P; s++) {
        if (D[s] < INF) states++;
        if (D[s] < best) best = D[s];
    }
    int64_t found[5] = {states, transitions, checks, updates, n};
    memcpy(counts, found, sizeof found);
    free(D);
    free(N);
    return best;
}
