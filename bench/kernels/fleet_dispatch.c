/* The construction loop of Fleet Dispatch, as in families/fleet_dispatch/solve.py. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define INF ((int64_t)1 << 62)
#define TIE 64

int64_t construct(const int64_t *r, int64_t m, int64_t n, const int64_t *lam, int64_t n2, const uint8_t *E, int64_t m2,
                  int64_t n3, const int64_t *radix, int64_t m3, const int64_t *stride, int64_t m4, const int64_t *load,
                  int64_t m5, int64_t width, const int64_t *bit, int64_t m6, int64_t rest, int8_t *pred, int64_t n4,
                  int64_t P, uint8_t *digit, int64_t P2, int64_t m7, int64_t *counts)
{
    int64_t *D = malloc(P * 8), *N = malloc(P * 8), *carried = calloc(P, 8), placed = 0;
    int64_t *step = malloc(m * width * 8), able[64];
    for (int64_t v = 0; v < m; v++)
        for (int64_t s = 0; s < P;)
            for (int64_t k = 0; k < radix[v]; k++)
                for (int64_t end = s + stride[v]; s < end; s++) {
                    digit[s * m + v] = (uint8_t)k;
                    carried[s] += load[v * width + k];
                }
    for (int64_t s = 0; s < P; s++) D[s] = N[s] = INF;
    D[0] = 0;
    int64_t states = 0, transitions = 0, checks = 0, updates = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t others = 0, before = states;
        for (int64_t v = 0; v < m; v++) {
            if (!E[v * n + i] || v == rest) continue;
            able[others++] = v;
            for (int64_t k = 0, to = 0; k < radix[v]; k++) {
                while (to < radix[v] && load[v * width + to] < load[v * width + k] + lam[i]) to++;
                step[v * width + k] = to < radix[v] ? (to - k) * stride[v] : 0;
            }
        }
        int64_t fits_rest = E[rest * n + i] ? placed + lam[i] - load[rest * width + width - 1] : INF;
        for (int64_t s = 0; s < P; s++) {
            int64_t D_s = D[s];
            if (D_s == INF) continue;
            states++;
            D[s] = INF; /* so that the layer can be reused as N */
            for (int64_t at = 0; at <= others; at++) {
                int64_t v = at < others ? able[at] : rest;
                int64_t further = at < others ? step[v * width + digit[s * m + v]] : 0;
                if (at < others ? further == 0 : carried[s] < fits_rest) continue;
                int64_t t = s + further, value = D_s + r[v * n + i];
                if (value < N[t]) {
                    updates++;
                    N[t] = value;
                    pred[i * P + t] = (int8_t)v;
                } else if (value == N[t])
                    pred[i * P + t] |= TIE;
            }
        }
        int64_t eligible = others + E[rest * n + i];
        transitions += (states - before) * eligible;
        checks += (states - before) * (m + eligible);
        placed += lam[i];
        int64_t *swap = D; D = N; N = swap;
    }
    int64_t best = INF;
    for (int64_t s = 0; s < P; s++) {
        if (D[s] < INF) states++;
        if (D[s] < best) best = D[s];
    }
    int64_t work[5] = {states, transitions, checks, updates, n};
    memcpy(counts, work, sizeof work);
    free(D);
    free(N);
    free(carried);
    free(step);
    return best;
}
