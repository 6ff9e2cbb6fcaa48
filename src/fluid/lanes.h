/* Lanes: one name for one, four, eight or sixteen numbers that are worked on at once.
 *
 * A file defines RNI_LANES (1, 4, 8 or 16; 8 needs AVX2 and FMA, 16 needs AVX-512) before it includes
 * this, once. Arithmetic is written with + - *, also between a vector and a float; these have names:
 *     rni_v, rni_vm           numbers; a claim a lane
 *     rni_v_set(s)            s in all lanes
 *     rni_v_max(a, b)
 *     rni_v_less(a, b)        a < b;  rni_v_within(a, b): a <= b
 *     rni_v_select(m, a, b)   a where m, else b
 *     rni_v_where(m, a)       a where m, else 0
 *     rni_v_rsqrt(a)          1 / sqrt(a), rni_v_rcp(a): 1 / a; relative error below 3e-7 for normal
 *                             a > 0 (one lane: correctly rounded root and quotient)
 */
#ifndef RNI_FLUID_LANES_H
#define RNI_FLUID_LANES_H
#define RNI_V_READY

#if RNI_LANES == 1

#include <math.h>
#include <stdbool.h>

typedef float rni_v;
typedef bool rni_vm;

static inline rni_v rni_v_set(float s)
{
    return s;
}

static inline rni_v rni_v_max(rni_v a, rni_v b)
{
    return a > b ? a : b;
}

static inline rni_vm rni_v_less(rni_v a, rni_v b)
{
    return a < b;
}

static inline rni_vm rni_v_within(rni_v a, rni_v b)
{
    return a <= b;
}

static inline rni_v rni_v_select(rni_vm m, rni_v a, rni_v b)
{
    return m ? a : b;
}

static inline rni_v rni_v_where(rni_vm m, rni_v a)
{
    return m ? a : 0.0f;
}

static inline rni_v rni_v_rsqrt(rni_v a)
{
    return 1.0f / sqrtf(a);
}

static inline rni_v rni_v_rcp(rni_v a)
{
    return 1.0f / a;
}

#else
#error "lanes.h: define RNI_LANES as 1, 4, 8 or 16 first"
#endif

#endif
