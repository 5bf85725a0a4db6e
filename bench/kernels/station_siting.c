/* The construction loop of Station Siting, as in families/station_siting/solve.py. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NONE (-((int64_t)1 << 62))
#define LEFT 2
#define STAYED 4
#define TIE 8

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t construct(const int64_t *kappa, int64_t n, int64_t two, const int64_t *first, int64_t n1,
                  const int64_t *back, int64_t m, const int64_t *alpha, int64_t m2, const int64_t *beta, int64_t m3,
                  const int64_t *r, int64_t m4, int64_t K, int64_t omega, int64_t saturated,
                  int8_t *pred, int64_t n2, int64_t rows, int64_t frontiers, int64_t *counts)
{
    int64_t P = rows * frontiers, *D = malloc(P * 8), *N = malloc(P * 8);
    D[0] = 0;
    int64_t states = 0, transitions = 0, checks = 0, updates = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t width = (int64_t)1 << least(i, omega), next = (int64_t)1 << least(i + 1, omega);
        int64_t closing = first[i + 1] - first[i];
        for (int64_t t = 0; t < (K + 1) * next; t++) N[t] = NONE;
        for (int64_t z = 0; z <= least(i, K); z++)
            for (int64_t F = 0; F < width; F++) {
                int64_t here = D[z * width + F];
                if (here == NONE) continue;
                states++;
                for (int64_t x = 0; x < 2; x++) {
                    checks++;
                    int64_t y = z + 1 - x;
                    if (y > K) {
                        if (saturated) continue;
                        y = K;
                    }
                    if (y + n - i - 1 < K) continue;
                    transitions++;
                    checks += 2 * closing;
                    int64_t value = here - kappa[i * 2 + x];
                    for (int64_t d = first[i]; d < first[i + 1]; d++)
                        value += r[d] & (((x ^ beta[d]) | ((F >> back[d] & 1) ^ alpha[d])) - 1);
                    int64_t longer = F << 1 | x, t = y * next + (longer & (next - 1));
                    if (value > N[t]) {
                        updates++;
                        N[t] = value;
                        pred[i * P + t] = (int8_t)(x + (longer >> omega) * LEFT + (x == 0 && y == z) * STAYED);
                    } else if (value == N[t])
                        pred[i * P + t] |= TIE;
                }
            }
        int64_t *swap = D; D = N; N = swap;
    }
    int64_t width = (int64_t)1 << least(n, omega), best = NONE;
    for (int64_t F = 0; F < width; F++)
        if (D[K * width + F] != NONE) {
            states++;
            if (D[K * width + F] > best) best = D[K * width + F];
        }
    int64_t work[5] = {states, transitions, checks, updates, n};
    memcpy(counts, work, sizeof work);
    free(D);
    free(N);
    return best;
}
