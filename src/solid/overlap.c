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
