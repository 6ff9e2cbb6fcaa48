/* Whether two solids overlap: by distances alone, so that every shape has it. */
#include "solid/solid.h"

#include <math.h>

/* Shapes without a hollow are convex, and so is the larger of their distances: stepping out of the
 * one that x is less deep in, by turns, finds a place in both if there is one. */
#define STEPS 400

/* Moves x towards where s is `depth` deep; returns how deep x was before. */
static float step_into(const rni_solid *s, float depth, float x[3])
{
    float n[3];
    const float d = rni_solid_distance(s, x, n);
    if (d > -depth)
        for (int a = 0; a < 3; a++) x[a] -= (d + depth) * n[a];
    return -d;
}

static bool do_bounds_meet(const rni_solid *a, const rni_solid *b, float tolerance, float middle[3])
{
    float low[2][3], high[2][3];
    if (!rni_solid_bounds(a, low[0], high[0]) || !rni_solid_bounds(b, low[1], high[1]))
        return false;
    for (uint32_t k = 0; k < a->dim; k++) {
        const float from = fmaxf(low[0][k], low[1][k]), to = fminf(high[0][k], high[1][k]);
        if (to - from <= tolerance) return false;
        middle[k] = 0.5f * (from + to);
    }
    return true;
}

float rni_solid_overlap(const rni_solid *a, const rni_solid *b, float tolerance)
{
    float x[3] = {0, 0, 0}, n[3];
    if (!do_bounds_meet(a, b, tolerance, x)) return 0;
    for (int k = 0; k < STEPS; k++) {
        step_into(a, tolerance, x);
        step_into(b, tolerance, x);
        const float depth = fminf(-rni_solid_distance(a, x, n), -rni_solid_distance(b, x, n));
        if (depth >= 0.99f * tolerance) return depth;
    }
    return 0;
}

#define SIDE 16u /* of the lattice of samples */

double rni_solid_share_inside(const rni_solid *a, const rni_solid *b)
{
    float low[3], high[3], x[3] = {0, 0, 0}, n[3];
    uint32_t inside = 0, both = 0;
    if (!rni_solid_bounds(a, low, high) || !isfinite(rni_solid_reach(b))) return 0;
    for (uint32_t k = 0; k < SIDE * SIDE * (a->dim == 3 ? SIDE : 1); k++) {
        const uint32_t at[3] = {k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE)};
        for (uint32_t c = 0; c < (a->dim == 3 ? 3u : 2u); c++)
            x[c] = low[c] + (high[c] - low[c]) * ((float)at[c] + 0.5f) / (float)SIDE;
        if (!(rni_solid_distance(a, x, n) < 0)) continue;
        inside++;
        both += rni_solid_distance(b, x, n) < 0;
    }
    return inside ? (double)both / inside : 0;
}
