/* Queries as methods see them: a bounding box for each, and one exact test shared by all
 * methods. */
#ifndef RNI_BROADPHASE_QUERY_H
#define RNI_BROADPHASE_QUERY_H

#include "broadphase/method.h"

typedef struct rni_queries {
    rn_query_kind kind;
    uint32_t count, dim;
    const unsigned char *a, *b, *radius;
    size_t a_stride, b_stride, radius_stride;
    const rni_boxes *boxes; /* two sets: the other set replaces a and b; otherwise NULL */
} rni_queries;

typedef struct rni_query {
    float low[3], high[3]; /* nothing outside this box is hit */
    float a[3], b[3];      /* segment: from, to; sphere: a is the centre */
    double radius_sq;      /* sphere */
} rni_query;

static inline float rni_float_down(double value)
{
    float rounded = (float)value;
    return (double)rounded > value ? nextafterf(rounded, -INFINITY) : rounded;
}

static inline float rni_float_up(double value)
{
    float rounded = (float)value;
    return (double)rounded < value ? nextafterf(rounded, INFINITY) : rounded;
}

static inline void rni_query_at(const rni_queries *queries, uint32_t k, rni_query *q)
{
    if (queries->boxes) {
        rni_boxes_at(queries->boxes, k, q->low, q->high);
        return;
    }
    uint32_t dim = queries->dim;
    if (queries->kind == RN_QUERY_BOX) {
        rni_corner_load(queries->a + k * queries->a_stride, dim, q->low);
        rni_corner_load(queries->b + k * queries->b_stride, dim, q->high);
        return;
    }
    rni_corner_load(queries->a + k * queries->a_stride, dim, q->a);
    if (queries->kind == RN_QUERY_SEGMENT)
        rni_corner_load(queries->b + k * queries->b_stride, dim, q->b);
    else memcpy(q->b, q->a, sizeof q->b);
    if (queries->kind == RN_QUERY_SPHERE) {
        float radius;
        memcpy(&radius, queries->radius + k * queries->radius_stride, sizeof radius);
        q->radius_sq = (double)radius * (double)radius;
        double reach = (double)radius * (1.0 + 0x1p-48); /* the distance test rounds */
        for (int axis = 0; axis < 3; axis++) {
            q->low[axis] = rni_float_down((double)q->a[axis] - reach);
            q->high[axis] = rni_float_up((double)q->a[axis] + reach);
        }
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        bool is_back = queries->kind == RN_QUERY_SEGMENT && q->b[axis] < q->a[axis];
        q->low[axis] = is_back ? q->b[axis] : q->a[axis];
        q->high[axis] = is_back ? q->a[axis] : q->b[axis];
    }
}

/* On which side of the line a -> b, projected along the third axis, are the corners of the box?
 * True if corners are on both sides, or one is on the line. Differences and products of floats are
 * exact in double unless they differ in size by 2^29, and the comparison of two doubles is
 * exact. */
static inline bool rni_line_meets(const float a[3], const float b[3], const float low[3],
                                  const float high[3], int u, int v)
{
    double du = (double)b[u] - (double)a[u], dv = (double)b[v] - (double)a[v];
    double left_u = (dv >= 0.0 ? (double)low[u] : (double)high[u]) - (double)a[u];
    double left_v = (du >= 0.0 ? (double)high[v] : (double)low[v]) - (double)a[v];
    double right_u = (dv >= 0.0 ? (double)high[u] : (double)low[u]) - (double)a[u];
    double right_v = (du >= 0.0 ? (double)low[v] : (double)high[v]) - (double)a[v];
    return du * left_v >= dv * left_u && du * right_v <= dv * right_u;
}

static inline bool rni_segment_touches(const float a[3], const float b[3], const float low[3],
                                       const float high[3], uint32_t dim)
{
    if (!rni_line_meets(a, b, low, high, 0, 1)) return false;
    return dim == 2 ||
           (rni_line_meets(a, b, low, high, 1, 2) && rni_line_meets(a, b, low, high, 0, 2));
}

static inline bool rni_sphere_touches(const float centre[3], double radius_sq, const float low[3],
                                      const float high[3])
{
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double below = (double)low[axis] - (double)centre[axis];
        double above = (double)centre[axis] - (double)high[axis];
        double d = below > 0.0 ? below : above > 0.0 ? above : 0.0;
        sum += d * d;
    }
    return sum <= radius_sq;
}

/* Whether a box that touches the query's bounding box touches the query itself. Always true for
 * boxes and points. */
static inline bool rni_query_touches(const rni_queries *queries, const rni_query *q,
                                     const float low[3], const float high[3])
{
    if (queries->kind == RN_QUERY_SEGMENT)
        return rni_segment_touches(q->a, q->b, low, high, queries->dim);
    if (queries->kind == RN_QUERY_SPHERE) return rni_sphere_touches(q->a, q->radius_sq, low, high);
    return true;
}

#endif
