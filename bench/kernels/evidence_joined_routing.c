/* The construction loop of Evidence-Joined Routing, as in families/evidence_joined_routing/solve.py. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define INF ((int64_t)1 << 62)
#define TIE (1 << 30)

int64_t construct(const int64_t *out, int64_t n1, const int64_t *tail, int64_t n_E, const int64_t *head, int64_t e2,
                  const int64_t *kappa, int64_t e3, const int64_t *rho, int64_t e4, int64_t s, int64_t t, int64_t R,
                  int32_t *pred, int64_t n_V, int64_t M, int64_t *counts)
{
    int64_t *D = malloc(n_V * M * 8);
    for (int64_t i = 0; i < n_V * M; i++) D[i] = INF;
    D[s * M] = 0;
    pred[s * M] = -1;
    int64_t states = 0, transitions = 0, checks = 0, updates = 0;
    for (int64_t u = 0; u < n_V; u++) {
        const int64_t *D_u = D + u * M;
        for (int64_t r = 0; r < M; r++)
            if (D_u[r] < INF) states++;
        for (int64_t e = out[u]; e < out[u + 1]; e++) {
            int64_t *D_v = D + head[e] * M, k = kappa[e], q = rho[e] - 1;
            int32_t *pred_v = pred + head[e] * M;
            checks += M;
            for (int64_t r = 0; r < M; r++) {
                if (++q == M) q = 0;
                if (D_u[r] == INF) continue;
                transitions++;
                checks++;
                int64_t value = D_u[r] + k;
                if (value < D_v[q]) {
                    updates++;
                    D_v[q] = value;
                    pred_v[q] = (int32_t)e;
                } else if (value == D_v[q])
                    pred_v[q] |= TIE;
            }
        }
    }
    int64_t best = D[t * M + R], length = 0, v = t, r = R;
    if (best < INF)
        while (pred[v * M + r] >= 0) {
            int64_t e = pred[v * M + r] & ~TIE;
            length++;
            v = tail[e];
            r = ((r - rho[e]) % M + M) % M;
        }
    int64_t work[5] = {states, transitions, checks, updates, length};
    memcpy(counts, work, sizeof work);
    free(D);
    return best;
}
