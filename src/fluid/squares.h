/* Squares of the lengths of vectors, scaled up by a power of two. Without the factor squares of very small numbers
 * would be subnormal, which processors compute a hundred times slower. The length has the same bits as without it.
 *
 * Include base/lanes.h with four lanes before this. */
#ifndef RNI_FLUID_SQUARES_H
#define RNI_FLUID_SQUARES_H

#include "fluid/water.h"

#define RNI_SQUARE_ROOT_FACTOR 1048576.0f
#define RNI_SQUARE_FACTOR      (RNI_SQUARE_ROOT_FACTOR * RNI_SQUARE_ROOT_FACTOR)

/* In the order of rni_squares(). */
static inline float rni_square(const float v[3])
{
    const float x = RNI_SQUARE_ROOT_FACTOR * v[0], y = RNI_SQUARE_ROOT_FACTOR * v[1];
    const float z = RNI_SQUARE_ROOT_FACTOR * v[2];
    return x * x + z * z + y * y;
}

/* Of four vectors. */
static inline rni_v rni_squares(rni_record *v)
{
    const rni_vm is_axis = {-1, -1, -1, 0};
    rni_v s[4];
    for (uint32_t k = 0; k < 4; k++) {
        const rni_v axes = RNI_SQUARE_ROOT_FACTOR * rni_v_where(is_axis, rni_v_load(v[k]));
        s[k] = axes * axes;
    }
    return rni_v_sum_quads(s[0], s[1], s[2], s[3]);
}

/* The length whose scaled square this is. */
static inline float rni_length(float square)
{
    return sqrtf(square) * (1 / RNI_SQUARE_ROOT_FACTOR);
}

#endif
