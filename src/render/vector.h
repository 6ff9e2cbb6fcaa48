/* Vectors of three floats. Metres, unless stated otherwise. */
#ifndef RNI_RENDER_VECTOR_H
#define RNI_RENDER_VECTOR_H

#include <math.h>

typedef struct rni_vec {
    float x, y, z;
} rni_vec;

static inline rni_vec rni_vec_of(const float p[3])
{
    return (rni_vec){p[0], p[1], p[2]};
}

static inline rni_vec rni_add(rni_vec a, rni_vec b)
{
    return (rni_vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline rni_vec rni_sub(rni_vec a, rni_vec b)
{
    return (rni_vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline rni_vec rni_scale(rni_vec a, float s)
{
    return (rni_vec){a.x * s, a.y * s, a.z * s};
}

/* a + b s */
static inline rni_vec rni_along(rni_vec a, rni_vec b, float s)
{
    return (rni_vec){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

static inline float rni_dot(rni_vec a, rni_vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline rni_vec rni_cross(rni_vec a, rni_vec b)
{
    return (rni_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float rni_length(rni_vec a)
{
    return sqrtf(rni_dot(a, a));
}

static inline rni_vec rni_unit(rni_vec a)
{
    float length = rni_length(a);
    return length > 0 ? rni_scale(a, 1 / length) : a;
}

static inline float rni_clamp(float value, float low, float high)
{
    return value < low ? low : value > high ? high : value;
}

static inline float rni_mix(float a, float b, float part)
{
    return a + (b - a) * part;
}

static inline rni_vec rni_vec_mix(rni_vec a, rni_vec b, float part)
{
    return rni_along(a, rni_sub(b, a), part);
}

/* Of each coordinate the lower one, the higher one. */
static inline rni_vec rni_vec_low(rni_vec a, rni_vec b)
{
    return (rni_vec){fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z)};
}

static inline rni_vec rni_vec_high(rni_vec a, rni_vec b)
{
    return (rni_vec){fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z)};
}

/* 0 below low, 1 above high, smooth between. */
static inline float rni_smooth(float low, float high, float value)
{
    float part = rni_clamp((value - low) / (high - low), 0, 1);
    return part * part * (3 - 2 * part);
}

#endif
