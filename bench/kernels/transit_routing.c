/* The construction loop of Transit Routing, as in families/transit_routing/solve.py. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define INF ((int64_t)1 << 62)
#define TIE (1 << 30)

int64_t construct(const int64_t *tau, int64_t n, const int64_t *rho, int64_t n2, const int64_t *line, int64_t n3,
                  const int64_t *first, int64_t d1, const uint32_t *order, int64_t p2, int64_t p3,
                  const int64_t *C, int64_t p4, int64_t p5, int64_t M, int64_t target,
                  int32_t *pred, int64_t d, int64_t M2, int64_t p, int64_t *counts)
{
    int64_t *D = malloc(M * p * 8), *N = malloc(M * p * 8);
    int64_t states = 0, transitions = 0, checks = 0, updates = 0;
    for (int64_t s = 0; s < M * p; s++) D[s] = INF;
    for (int64_t e = first[0]; e < first[1]; e++) {
        int64_t s = rho[e] * p + line[e];
        transitions++;
        checks++;
        if (tau[e] < D[s]) {
            updates++;
            D[s] = tau[e];
            pred[s] = (int32_t)(e * p);
        } else if (tau[e] == D[s])
            pred[s] |= TIE;
    }
    for (int64_t i = 1; i < d; i++) {
        for (int64_t s = 0; s < M * p; s++) N[s] = INF;
        for (int64_t r = 0; r < M; r++) {
            const int64_t *row = D + r * p;
            int64_t least = INF;
            for (int64_t l = 0; l < p; l++)
                if (row[l] < INF) {
                    states++;
                    if (row[l] < least) least = row[l];
                }
            if (least == INF) continue;
            for (int64_t e = first[i]; e < first[i + 1]; e++) {
                int64_t s = r + rho[e];
                if (s >= M) s -= M;
                s = s * p + line[e];
                const uint32_t *from = order + line[e] * p;
                const int64_t *cost = C + line[e] * p;
                int64_t best = N[s];
                int32_t back = pred[i * M * p + s];
                for (int64_t at = 0; at < p; at++) {
                    checks++;
                    if (least + tau[e] + cost[at] > best) break;
                    checks++;
                    int64_t l = from[at];
                    if (row[l] == INF) continue;
                    transitions++;
                    checks++;
                    int64_t value = row[l] + tau[e] + cost[at];
                    if (value < best) {
                        updates++;
                        best = value;
                        back = (int32_t)(e * p + l);
                    } else if (value == best)
                        back |= TIE;
                }
                N[s] = best;
                pred[i * M * p + s] = back;
            }
        }
        int64_t *swap = D; D = N; N = swap;
    }
    int64_t best = INF;
    for (int64_t s = 0; s < M * p; s++)
        if (D[s] < INF) states++;
    for (int64_t l = 0; l < p; l++)
        if (D[target * p + l] < best) best = D[target * p + l];
    int64_t work[5] = {states, transitions, checks, updates, best < INF ? d : 0};
    memcpy(counts, work, sizeof work);
    free(D);
    free(N);
    return best;
}
