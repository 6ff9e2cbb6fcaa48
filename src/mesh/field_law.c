/* The law u(t) of a boundary field: fitted, evaluated, inverted. */
#include "mesh/field.h"

#include <math.h>
#include <string.h>

/* u'' has to vanish at the reach, or the gradient would have a kink there. */
#define LEAST_POWER 3u
/* Of u(0): the third power is there at least, so that the distance is well defined up to the reach. */
#define LEAST_PART 0.005
/* Of 2 u(0): above, distances continue linearly; a wall is opaque there, and the slope would vanish. */
#define DEEPEST_PART 0.95
#define ROUNDS       4000

/* Least squares with coefficients that are not negative, by turns over the coefficients: powers of
 * 1 - t / reach are decreasing and convex, and so is their sum. */
static void fit_powers(const double *target, const double *weight, uint32_t count, double *power)
{
    enum { TERMS = RNI_FIELD_DEGREE + 1 };
    double gram[TERMS][TERMS] = {{0}}, right[TERMS] = {0};
    for (uint32_t k = 0; k < count; k++) {
        const double rest = 1 - (double)k / (count - 1);
        double basis[TERMS];
        for (uint32_t a = 0; a < TERMS; a++) basis[a] = pow(rest, (double)a);
        for (uint32_t a = LEAST_POWER; a < TERMS; a++) {
            right[a] += weight[k] * basis[a] * target[k];
            for (uint32_t b = LEAST_POWER; b < TERMS; b++)
                gram[a][b] += weight[k] * basis[a] * basis[b];
        }
    }
    memset(power, 0, TERMS * sizeof *power);
    for (int round = 0; round < ROUNDS; round++)
        for (uint32_t a = LEAST_POWER; a < TERMS; a++) {
            double left = right[a];
            for (uint32_t b = LEAST_POWER; b < TERMS; b++) left -= gram[a][b] * power[b];
            const double least = a == LEAST_POWER ? LEAST_PART * target[0] : 0;
            power[a] = fmax(power[a] + left / gram[a][a], least);
        }
}

/* (1 - r)^k as powers of r. */
static void expand(rni_field_law *law)
{
    double row[RNI_FIELD_DEGREE + 1] = {1};
    memset(law->monomial, 0, sizeof law->monomial);
    for (uint32_t k = 0; k <= RNI_FIELD_DEGREE; k++) {
        for (uint32_t m = 0; m <= k; m++) law->monomial[m] += law->power[k] * row[m];
        for (uint32_t m = RNI_FIELD_DEGREE; m > 0; m--) row[m] -= row[m - 1];
    }
}

/* In front of the wall, as powers of 1 - t / reach: no digits are lost near the reach. */
static double value_before(const rni_field_law *law, double t, double *slope)
{
    const double rest = 1 - t / law->reach;
    double u = 0, du = 0;
    *slope = 0;
    if (!(rest > 0)) return 0;
    for (uint32_t k = RNI_FIELD_DEGREE + 1; k-- > 0;) {
        du = du * rest + u;
        u = u * rest + law->power[k];
    }
    *slope = -du / law->reach;
    return u;
}

void rni_field_law_fit(rni_field_law *law, double reach, const double *target, const double *weight,
                       uint32_t count)
{
    law->reach = reach;
    fit_powers(target, weight, count, law->power);
    expand(law);
    law->at_wall = value_before(law, 0, &law->slope_at_wall);
    law->deepest = -INFINITY;
    law->deepest = -rni_field_law_distance(law, 2 * (1 - DEEPEST_PART) * law->at_wall);
    value_before(law, -law->deepest, &law->slope_at_deepest);
}

double rni_field_law_value(const rni_field_law *law, double t, double *slope)
{
    if (t >= 0) return value_before(law, t, slope);
    if (t >= law->deepest) return 2 * law->at_wall - value_before(law, -t, slope);
    *slope = law->slope_at_deepest;
    return 2 * DEEPEST_PART * law->at_wall + (t - law->deepest) * *slope;
}

/* Newton's method from the left of a convex function never goes past the root. */
static double distance_before(const rni_field_law *law, double u)
{
    double t = 0, slope;
    for (int k = 0; k < 60; k++) {
        const double step = (u - value_before(law, t, &slope)) / slope;
        if (!(slope < 0)) return law->reach;
        t += step;
        if (step < 1e-13 * law->reach) break;
    }
    return fmin(fmax(t, 0), law->reach);
}

double rni_field_law_distance(const rni_field_law *law, double u)
{
    if (u <= law->at_wall) return distance_before(law, u);
    if (u <= 2 * DEEPEST_PART * law->at_wall)
        return -distance_before(law, 2 * law->at_wall - u);
    return law->deepest + (u - 2 * DEEPEST_PART * law->at_wall) / law->slope_at_deepest;
}
