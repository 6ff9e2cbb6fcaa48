/* Where a ray is inside a shape: spans, and the two cuts that most shapes are made of. */
#ifndef RNI_SOLID_SPAN_H
#define RNI_SOLID_SPAN_H

#include "solid/solid.h"

#include <math.h>

/* From near to far along a ray, with outward normals. */
typedef struct rni_span {
    float near, far; /* multiples of the ray's direction */
    float near_normal[3], far_normal[3];
    bool near_is_cut, far_is_cut; /* by something else than the shape's own surface */
} rni_span;

static inline void rni_span_set(float to[3], const float from[3], float factor)
{
    for (int a = 0; a < 3; a++) to[a] = from[a] * factor;
}

/* Cuts to the part between two parallel faces at -half and +half along a unit axis; o and d: origin and
 * direction of the ray along it. */
static inline bool rni_span_cut_slab(rni_span *span, const float axis[3], float o, float d,
                                     float half, bool is_cut)
{
    if (fabsf(d) < 1e-12f) return fabsf(o) <= half;
    float sign = d > 0 ? 1.0f : -1.0f;
    float enter = (-sign * half - o) / d;
    float leave = (sign * half - o) / d;
    if (enter > span->near) {
        span->near = enter;
        rni_span_set(span->near_normal, axis, -sign);
        span->near_is_cut = is_cut;
    }
    if (leave < span->far) {
        span->far = leave;
        rni_span_set(span->far_normal, axis, sign);
        span->far_is_cut = is_cut;
    }
    return span->near < span->far;
}

/* The two crossings of a ray with |q + t d| = radius; false: none. Directions of length 0: none. */
static inline bool rni_span_round(const float q[3], const float d[3], float radius, float *enter,
                                  float *leave)
{
    float d_sq = rni_solid_dot(d, d);
    if (d_sq < 1e-20f) return false;
    float nearest = -rni_solid_dot(q, d) / d_sq;
    float p[3] = {q[0] + d[0] * nearest, q[1] + d[1] * nearest, q[2] + d[2] * nearest};
    float left = radius * radius - rni_solid_dot(p, p);
    if (!(left > 0)) return false;
    float half = sqrtf(left / d_sq);
    *enter = nearest - half;
    *leave = nearest + half;
    return true;
}

/* Cuts to the part where |q + t d| < radius: of a sphere, or, without the part of q and d along an axis,
 * of a cylinder. */
static inline bool rni_span_cut_round(rni_span *span, const float q[3], const float d[3], float radius)
{
    float enter, leave;
    if (rni_solid_dot(d, d) < 1e-20f) return rni_solid_dot(q, q) < radius * radius;
    if (!rni_span_round(q, d, radius, &enter, &leave)) return false;
    if (enter > span->near) {
        span->near = enter;
        for (int a = 0; a < 3; a++) span->near_normal[a] = (q[a] + d[a] * enter) * (1 / radius);
        span->near_is_cut = false;
    }
    if (leave < span->far) {
        span->far = leave;
        for (int a = 0; a < 3; a++) span->far_normal[a] = (q[a] + d[a] * leave) * (1 / radius);
        span->far_is_cut = false;
    }
    return span->near < span->far;
}

/* The ray's origin from the center of the solid. */
static inline void rni_span_from(const rni_solid *solid, const float origin[3], float q[3])
{
    for (int a = 0; a < 3; a++) q[a] = origin[a] - solid->center[a];
}

#endif
