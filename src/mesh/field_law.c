/* The law u(t) of a boundary field: fitted, evaluated, inverted. */
#include "mesh/field.h"

#include <math.h>
#include <string.h>

/* u'' has to vanish at the reach, or the gradient would have a kink there. */
#define LEAST_POWER 3u
#define TERMS       (RNI_FIELD_DEGREE + 1 - LEAST_POWER)
/* Of u(0): the third power is there at least, so that the distance is well defined up to the reach. */
#define LEAST_PART 0.005
/* Of 2 u(0): above, distances continue linearly; a wall is opaque there, and the slope would vanish. */
#define DEEPEST_PART 0.95
/* Of the reach: how much a slope counts beside a value. */
#define SLOPE_PART 0.1
#define ROUNDS     400

/* Sums of a least-squares problem in the coefficients of (1 - r)^k, k = LEAST_POWER and up. */
typedef struct squares {
    double gram[TERMS][TERMS], right[TERMS];
} squares;

static void add_row(squares *s, const double row[TERMS], double target, double weight)
{
    for (uint32_t a = 0; a < TERMS; a++) {
        s->right[a] += weight * row[a] * target;
        for (uint32_t b = 0; b < TERMS; b++) s->gram[a][b] += weight * row[a] * row[b];
    }
}

/* (1 - r)^k, or its first or second derivative. */
static void row_of(double r, uint32_t derivative, double row[TERMS])
{
    for (uint32_t a = 0; a < TERMS; a++) {
        const double k = (double)(a + LEAST_POWER);
        row[a] = pow(1 - r, k - (double)derivative);
        if (derivative == 1) row[a] *= -k;
        if (derivative == 2) row[a] *= k * (k - 1);
    }
}

static double product(const double row[TERMS], const double power[TERMS])
{
    double sum = 0;
    for (uint32_t a = 0; a < TERMS; a++) sum += row[a] * power[a];
    return sum;
}

/* Coefficients that are not negative, by turns: powers of 1 - r are decreasing and convex, and so is their sum. */
static void solve_positive(const squares *s, double least, double power[TERMS])
{
    memset(power, 0, TERMS * sizeof *power);
    for (int round = 0; round < ROUNDS; round++)
        for (uint32_t a = 0; a < TERMS; a++) {
            const double left = s->right[a] - product(s->gram[a], power);
            power[a] = fmax(power[a] + left / s->gram[a][a], a == 0 ? least : 0);
        }
}

/* By elimination; the problem is small and definite. */
static void solve(squares s, double power[TERMS])
{
    for (uint32_t a = 0; a < TERMS; a++) s.gram[a][a] *= 1 + 1e-11;
    for (uint32_t a = 0; a < TERMS; a++)
        for (uint32_t b = a + 1; b < TERMS; b++) {
            const double part = s.gram[b][a] / s.gram[a][a];
            for (uint32_t c = a; c < TERMS; c++) s.gram[b][c] -= part * s.gram[a][c];
            s.right[b] -= part * s.right[a];
        }
    for (uint32_t a = TERMS; a-- > 0;) {
        double left = s.right[a];
        for (uint32_t b = a + 1; b < TERMS; b++) left -= s.gram[a][b] * power[b];
        power[a] = left / s.gram[a][a];
    }
}

#define CHECKS 200u

/* Least squares of any coefficients, with a penalty where the sum is not convex, or as flat as `least`. */
static void solve_convex(const squares *s, double least, double power[TERMS])
{
    double penalty[CHECKS] = {0}, row[TERMS], size = 0;
    for (uint32_t a = 0; a < TERMS; a++) size += s->gram[a][a];
    for (int round = 0; round < 60; round++) {
        squares with = *s;
        bool is_convex = true;
        for (uint32_t k = 0; k < CHECKS; k++) {
            row_of((double)k / CHECKS, 2, row);
            const double wanted = 6 * least * (1 - (double)k / CHECKS);
            add_row(&with, row, 1.5 * wanted, penalty[k]);
        }
        solve(with, power);
        for (uint32_t k = 0; k < CHECKS; k++) {
            row_of((double)k / CHECKS, 2, row);
            if (product(row, power) >= 6 * least * (1 - (double)k / CHECKS)) continue;
            penalty[k] = penalty[k] > 0 ? 4 * penalty[k] : 1e-6 * size;
            is_convex = false;
        }
        if (is_convex) return;
    }
}

/* As much of the convex fit as is convex for sure; the rest is of the positive one. */
static void mix(const double positive[TERMS], double power[TERMS])
{
    double part = 0, row[TERMS];
    for (uint32_t k = 0; k < 5 * CHECKS; k++) {
        row_of((double)k / (5 * CHECKS), 2, row);
        const double own = product(row, power), safe = product(row, positive);
        if (own < 0.1 * safe) part = fmax(part, (0.1 * safe - own) / (safe - own));
    }
    for (uint32_t a = 0; a < TERMS; a++) power[a] += part * (positive[a] - power[a]);
}

/* Values and slopes count. */
static void fit_powers(const double *target, const double *weight, uint32_t count, double *power)
{
    squares s = {{{0}}, {0}};
    double row[TERMS], positive[TERMS];
    const double step = 1.0 / (count - 1), least = LEAST_PART * target[0];
    for (uint32_t k = 0; k < count; k++) {
        row_of(k * step, 0, row);
        add_row(&s, row, target[k], weight[k]);
        if (k == 0 || k + 1 == count) continue;
        row_of(k * step, 1, row);
        add_row(&s, row, (target[k + 1] - target[k - 1]) / (2 * step),
                SLOPE_PART * SLOPE_PART * weight[k]);
    }
    memset(power, 0, LEAST_POWER * sizeof *power);
    solve_positive(&s, least, positive);
    solve_convex(&s, least, power + LEAST_POWER);
    mix(positive, power + LEAST_POWER);
}

/* (1 - r)^k as powers of r. */
static void expand(const double power[RNI_FIELD_DEGREE + 1], double monomial[RNI_FIELD_DEGREE + 1])
{
    double row[RNI_FIELD_DEGREE + 1] = {1};
    memset(monomial, 0, (RNI_FIELD_DEGREE + 1) * sizeof *monomial);
    for (uint32_t k = 0; k <= RNI_FIELD_DEGREE; k++) {
        for (uint32_t m = 0; m <= k; m++) monomial[m] += power[k] * row[m];
        for (uint32_t m = RNI_FIELD_DEGREE; m > 0; m--) row[m] -= row[m - 1];
    }
}

/* In front of the wall, as powers of 1 - t / reach: no digits are lost near the reach. */
static double power_sum(const double power[RNI_FIELD_DEGREE + 1], double reach, double t,
                        double *slope)
{
    const double rest = 1 - t / reach;
    double u = 0, du = 0;
    *slope = 0;
    if (!(rest > 0)) return 0;
    for (uint32_t k = RNI_FIELD_DEGREE + 1; k-- > 0;) {
        du = du * rest + u;
        u = u * rest + power[k];
    }
    *slope = -du / reach;
    return u;
}

static double value_before(const rni_field_law *law, double t, double *slope)
{
    return power_sum(law->power, law->reach, t, slope);
}

static void make_split(rni_field_law *law);

void rni_field_law_fit(rni_field_law *law, double reach, const double *target, const double *weight,
                       uint32_t count)
{
    law->reach = reach;
    fit_powers(target, weight, count, law->power);
    expand(law->power, law->monomial);
    memset(law->cover_power, 0, sizeof law->cover_power);
    memset(law->cover_monomial, 0, sizeof law->cover_monomial);
    law->at_wall = value_before(law, 0, &law->slope_at_wall);
    memset(law->guess, 0, sizeof law->guess);
    law->guess[0] = reach;
    for (uint32_t k = 1; k <= RNI_FIELD_GUESSES; k++) {
        const double part = (double)k / RNI_FIELD_GUESSES;
        law->guess[k] = rni_field_law_distance(law, law->at_wall * part * part * part);
    }
    law->deepest = -(double)INFINITY;
    law->deepest = -rni_field_law_distance(law, 2 * (1 - DEEPEST_PART) * law->at_wall);
    value_before(law, -law->deepest, &law->slope_at_deepest);
    make_split(law);
}

void rni_field_law_fit_cover(rni_field_law *law, double width)
{
    enum { COUNT = 129 };
    double target[COUNT], weight[COUNT];
    for (uint32_t k = 0; k < COUNT; k++) {
        target[k] = 0.5 * erfc(law->reach * k / (COUNT - 1) / width / sqrt(2.0));
        weight[k] = 1 / pow(target[k] + 0.02, 2);
    }
    fit_powers(target, weight, COUNT, law->cover_power);
    expand(law->cover_power, law->cover_monomial);
    const double half = 0.5 / law->cover_monomial[0];
    for (uint32_t k = 0; k <= RNI_FIELD_DEGREE; k++)
        law->cover_power[k] *= half, law->cover_monomial[k] *= half;
}

double rni_field_law_cover(const rni_field_law *law, double t, double *slope)
{
    const double before = power_sum(law->cover_power, law->reach, fabs(t), slope);
    return t >= 0 ? before : 2 * law->cover_monomial[0] - before;
}

double rni_field_law_value(const rni_field_law *law, double t, double *slope)
{
    if (t >= 0) return value_before(law, t, slope);
    if (t >= law->deepest) return 2 * law->at_wall - value_before(law, -t, slope);
    *slope = law->slope_at_deepest;
    return 2 * DEEPEST_PART * law->at_wall + (t - law->deepest) * *slope;
}

/* Between the guesses around u; the law is steep as a third power near the reach. */
static double guess_between(const rni_field_law *law, double root)
{
    const double place = root * RNI_FIELD_GUESSES;
    const uint32_t k = (uint32_t)fmin(fmax(place, 0), RNI_FIELD_GUESSES - 1);
    return law->guess[k] + (place - k) * (law->guess[k + 1] - law->guess[k]);
}

/* Newton's method from the left of a convex function never goes past the root; its first step leads there. */
static double distance_before(const rni_field_law *law, double u)
{
    double t = guess_between(law, cbrt(u / law->at_wall)), slope;
    for (int k = 0; k < 60; k++) {
        const double step = (u - value_before(law, t, &slope)) / slope;
        if (!(slope < 0)) return law->reach;
        t += step;
        if (fabs(step) < 1e-7 * law->reach) break; /* the next one is below 1e-12 */
    }
    return fmin(fmax(t, 0), law->reach);
}

double rni_field_law_distance(const rni_field_law *law, double u)
{
    if (u <= law->at_wall) return distance_before(law, u);
    if (u <= 2 * DEEPEST_PART * law->at_wall) return -distance_before(law, 2 * law->at_wall - u);
    return law->deepest + (u - 2 * DEEPEST_PART * law->at_wall) / law->slope_at_deepest;
}

/* --- equal walls ----------------------------------------------------------------------------------- */

static void make_split(rni_field_law *law)
{
    for (uint32_t k = 0; k < RNI_FIELD_SPLITS + 2; k++) {
        const double part = fmin((double)k / RNI_FIELD_SPLITS, 1);
        double slope;
        law->root[k] = (float)cbrt(value_before(law, part * law->reach, &slope) / law->at_wall);
        law->distance_at[k] =
            (float)(part > 0 ? distance_before(law, law->at_wall * part * part * part) : law->reach);
    }
}

/* table at place, 0 to RNI_FIELD_SPLITS */
static inline float table_at(const float table[RNI_FIELD_SPLITS + 2], float place)
{
    const uint32_t k = (uint32_t)place;
    return table[k] + (place - (float)k) * (table[k + 1] - table[k]);
}

/* Of x from 1/3 to 1: a parabola, and a step of Newton's method: wrong by 1.2e-5 at most. */
static inline float cube_root(float x)
{
    const float y = 0.46659f + x * (0.76743f - 0.23542f * x);
    return (2 * y + x / (y * y)) * (1.0f / 3);
}

float rni_field_law_split(const rni_field_law *law, float t, float part, float *others)
{
    if (!(t >= 0)) {
        double slope;
        const double u = rni_field_law_value(law, (double)t, &slope), u1 = u * (double)part;
        *others = (float)(u - u1);
        return (float)rni_field_law_distance(law, u1);
    }
    const float last = (float)RNI_FIELD_SPLITS, place = t * (last / (float)law->reach);
    const float root = table_at(law->root, place < last ? place : last);
    const float own = root * cube_root(part) * last;
    *others = (float)law->at_wall * root * root * root * (1 - part);
    return table_at(law->distance_at, own < last ? own : last);
}
