/* The construction loop of Authorization Planning, as in families/authorization_planning/solve.py. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define INF ((int64_t)1 << 62)
#define TIE (1 << 30)

int64_t construct(const int64_t *first, int64_t d1, const int64_t *opens, int64_t openings, const int64_t *price, int64_t V,
                  const int64_t *z, int64_t V2, const int64_t *out, int64_t V3, const int64_t *to, int64_t E,
                  const int64_t *h, int64_t E2, int64_t M, int64_t R, int32_t *pred, int64_t V4, int64_t M2, int64_t *counts)
{
    int64_t d = d1 - 1, width = 0;
    for (int64_t i = 0; i < d; i++)
        if (first[i + 1] - first[i] > width) width = first[i + 1] - first[i];
    int64_t *D = malloc(width * M * 8), *N = malloc(width * M * 8);
    int64_t states = 0, transitions = 0, checks = 0, updates = 0, best = INF, optima = 0, last = 0;
    for (int64_t s = 0; s < width * M; s++) D[s] = INF;
    for (int64_t o = 0; o < openings; o++) {
        transitions++;
        updates++;
        D[opens[o] * M + z[opens[o]]] = price[opens[o]];
    }
    for (int64_t i = 0; i < d - 1; i++) {
        for (int64_t s = 0; s < width * M; s++) N[s] = INF;
        for (int64_t u = first[i]; u < first[i + 1]; u++) {
            const int64_t *Du = D + (u - first[i]) * M;
            for (int64_t r = 0; r < M; r++) states += Du[r] < INF;
            for (int64_t e = out[u]; e < out[u + 1]; e++) {
                int64_t v = to[e], zv = z[v], step = price[v] + h[e];
                int64_t *Dv = N + (v - first[i + 1]) * M;
                int32_t *pv = pred + v * M;
                for (int64_t r = 0; r < M; r++) {
                    if (Du[r] == INF) continue;
                    transitions++;
                    checks++;
                    int64_t s = r + zv;
                    if (s >= M) s -= M;
                    int64_t value = Du[r] + step;
                    if (value < Dv[s]) {
                        updates++;
                        Dv[s] = value;
                        pv[s] = (int32_t)u;
                    } else if (value == Dv[s])
                        pv[s] |= TIE;
                }
            }
        }
        int64_t *swap = D; D = N; N = swap;
    }
    for (int64_t v = first[d - 1]; v < first[d]; v++) {
        const int64_t *Dv = D + (v - first[d - 1]) * M;
        for (int64_t r = 0; r < M; r++) states += Dv[r] < INF;
        checks++;
        if (Dv[R] < best) { best = Dv[R]; last = v; optima = 1; }
        else if (Dv[R] == best && best < INF) optima = 2;
    }
    int64_t v = last, r = R;
    for (int64_t i = d - 1; optima && i > 0; i--) {
        int32_t p = pred[v * M + r];
        if (p & TIE) optima = 2;
        r = (r - z[v] + M) % M;
        v = p & ~TIE;
    }
    int64_t work[5] = {states, transitions, checks, updates, optima ? d : 0};
    memcpy(counts, work, sizeof work);
    free(D);
    free(N);
    return best;
}
