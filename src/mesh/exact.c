#include "mesh/exact.h"

#include <float.h>
#include <math.h>

#define HALF_EPSILON (DBL_EPSILON / 2)
/* Bounds of the relative rounding error, with respect to the sum of the absolute products (Shewchuk 1997). */
#define TURN_BOUND ((3 + 16 * HALF_EPSILON) * HALF_EPSILON)
#define SIDE_BOUND ((7 + 56 * HALF_EPSILON) * HALF_EPSILON)

static int sign_of(double value)
{
    return (value > 0) - (value < 0);
}

/* --- sums without rounding --------------------------------------------------------------------- */

#define TERMS_MAX 48

/* A sum as doubles of growing size whose bits do not overlap. */
typedef struct expansion {
    double part[TERMS_MAX + 1];
    int count;
} expansion;

static void add(expansion *e, double value)
{
    int kept = 0;
    for (int k = 0; k < e->count; k++) {
        const double sum = value + e->part[k];
        const double other = sum - value;
        const double error = (value - (sum - other)) + (e->part[k] - other);
        if (error != 0) e->part[kept++] = error;
        value = sum;
    }
    if (value != 0) e->part[kept++] = value;
    e->count = kept;
}

/* The product of two floats is a double; that of three is a double and its rounding error. */
static void add_product(expansion *e, double ab, double c)
{
    const double product = ab * c;
    add(e, fma(ab, c, -product));
    add(e, product);
}

static int sign_of_sum(const expansion *e)
{
    return e->count ? sign_of(e->part[e->count - 1]) : 0;
}

/* Adds factor * det(p, q, r), with rows p, q, r. */
static void add_determinant(expansion *e, const float p[3], const float q[3], const float r[3],
                            double factor)
{
    for (int k = 0; k < 3; k++) {
        const int s = (k + 1) % 3, t = (k + 2) % 3;
        const double first = factor * (double)p[k];
        add_product(e, first * (double)q[s], (double)r[t]);
        add_product(e, -first * (double)q[t], (double)r[s]);
    }
}

static int exact_side(const float a[3], const float b[3], const float c[3], const float d[3])
{
    expansion e = {.count = 0};
    add_determinant(&e, a, b, c, 1);
    add_determinant(&e, a, b, d, -1);
    add_determinant(&e, a, c, d, 1);
    add_determinant(&e, b, c, d, -1);
    return sign_of_sum(&e);
}

static int exact_turn(const float a[3], const float b[3], const float c[3], int u, int v)
{
    expansion e = {.count = 0};
    const float *p[3] = {a, b, c};
    for (int k = 0; k < 3; k++) {
        const float *q = p[k], *r = p[(k + 1) % 3];
        add(&e, (double)q[u] * (double)r[v]);
        add(&e, -(double)q[v] * (double)r[u]);
    }
    return sign_of_sum(&e);
}

/* --- with a bound ------------------------------------------------------------------------------ */

int rni_exact_side(const float a[3], const float b[3], const float c[3], const float d[3])
{
    double p[3], q[3], r[3];
    for (int axis = 0; axis < 3; axis++) {
        const double origin = (double)d[axis];
        p[axis] = (double)a[axis] - origin;
        q[axis] = (double)b[axis] - origin;
        r[axis] = (double)c[axis] - origin;
    }
    double sum = 0, size = 0;
    for (int k = 0; k < 3; k++) {
        const int s = (k + 1) % 3, t = (k + 2) % 3;
        const double qr = q[s] * r[t], rq = q[t] * r[s];
        sum += p[k] * (qr - rq);
        size += fabs(p[k]) * (fabs(qr) + fabs(rq));
    }
    return fabs(sum) > SIDE_BOUND * size ? sign_of(sum) : exact_side(a, b, c, d);
}

int rni_exact_turn(const float a[3], const float b[3], const float c[3], int u, int v)
{
    const double left = ((double)a[u] - (double)c[u]) * ((double)b[v] - (double)c[v]);
    const double right = ((double)a[v] - (double)c[v]) * ((double)b[u] - (double)c[u]);
    const double turn = left - right;
    if (fabs(turn) > TURN_BOUND * (fabs(left) + fabs(right))) return sign_of(turn);
    return exact_turn(a, b, c, u, v);
}

bool rni_exact_is_flat(const float a[3], const float b[3], const float c[3])
{
    return rni_exact_turn(a, b, c, 0, 1) == 0 && rni_exact_turn(a, b, c, 1, 2) == 0 &&
           rni_exact_turn(a, b, c, 2, 0) == 0;
}
