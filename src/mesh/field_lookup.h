/* The cached boundary field in a cell: tricubic Hermite interpolation of distance and gradient, with mixed derivatives
 * 0. It is continuous with its gradient, and the gradient is that of the value, so what is derived from it is
 * conservative; linear functions come out exactly. (Linear interpolation of value and gradient is not
 * conservative: particles gained energy and went through walls.)
 *
 * Distance and part lie side by side in a node: both are interpolated at once, in vectors of eight. The same bits for
 * every instruction set: no contraction.
 *
 * Include with NAME defined. */
#define RNI_LANES 4
#include "base/lanes.h"

#include "mesh/field_node.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

typedef float floats __attribute__((vector_size(32)));
typedef int8_t bytes __attribute__((vector_size(8)));
#define INLINE static inline __attribute__((always_inline))

_Static_assert(offsetof(rni_field_node, part) == 4 * sizeof(float) &&
                   offsetof(rni_field_node, spread) == sizeof(floats) &&
                   sizeof(rni_field_node) == sizeof(floats) + sizeof(bytes),
               "a node is eight floats and eight bytes");

/* Along one axis, at s from 0 to 1 of a cell: the weights of the lower and of the upper node (value and gradient, twice)
 * in value and slope. The slope of the node along this axis has weights of its own. */
typedef struct hermite {
    floats value[2], slope[2];
} hermite;

/* The places of the slope along each axis. */
typedef int32_t masks __attribute__((vector_size(32)));
static const masks SLOPE[3] = {
    {0, -1, 0, 0, 0, -1, 0, 0}, {0, 0, -1, 0, 0, 0, -1, 0}, {0, 0, 0, -1, 0, 0, 0, -1}};

INLINE void set_weights(floats *w, float of_value, float of_slope, uint32_t axis)
{
    const floats none = {0}, value = of_value - none, slope = of_slope - none;
    *w = (floats)(((masks)value & ~SLOPE[axis]) | ((masks)slope & SLOPE[axis]));
}

INLINE void set_hermite(hermite *h, float s, float cell, float inverse, uint32_t axis)
{
    const float rest = 1 - s, steep = 6 * s * rest * inverse;
    set_weights(&h->value[0], rest * rest * (1 + 2 * s), s * rest * rest * cell, axis);
    set_weights(&h->value[1], s * s * (3 - 2 * s), -s * s * rest * cell, axis);
    set_weights(&h->slope[0], -steep, rest * (1 - 3 * s), axis);
    set_weights(&h->slope[1], steep, s * (3 * s - 2), axis);
}

/* Value and gradient of the distance, then of the part. Distances are signed by the side where a two-sided sheet passes
 * through the cell. */
INLINE void load_node(const rni_field_node *node, bool is_signed, floats *of)
{
    memcpy(of, node, sizeof *of);
    if (is_signed && (node->side & 3) == RNI_FIELD_SOLID)
        *of = *of * (floats){-1, -1, -1, -1, 1, 1, 1, 1};
}

/* Along x, then y, then z: value and slopes so far. found: of the distance, then of the part. */
INLINE void interpolate(const rni_field_node *first, const hermite h[3], float found[2][4])
{
    const bool is_signed = first->side & RNI_FIELD_SIGNED;
    floats all[4] = {{0}}; /* value, slopes along x, y, z */
    for (uint32_t z = 0; z < 2; z++) {
        floats of_z = {0}, dx_z = {0}, dy_z = {0};
        for (uint32_t y = 0; y < 2; y++) {
            const rni_field_node *node = first + (z * RNI_FIELD_SIDE + y) * RNI_FIELD_SIDE;
            floats low, high;
            load_node(node, is_signed, &low);
            load_node(node + 1, is_signed, &high);
            const floats of_y = low * h[0].value[0] + high * h[0].value[1];
            const floats dx_y = low * h[0].slope[0] + high * h[0].slope[1];
            of_z = of_z + of_y * h[1].value[y];
            dx_z = dx_z + dx_y * h[1].value[y];
            dy_z = dy_z + of_y * h[1].slope[y];
        }
        all[0] = all[0] + of_z * h[2].value[z];
        all[1] = all[1] + dx_z * h[2].value[z];
        all[2] = all[2] + dy_z * h[2].value[z];
        all[3] = all[3] + of_z * h[2].slope[z];
    }
    float part[4][8];
    memcpy(part, all, sizeof part);
    for (uint32_t k = 0; k < 2; k++) {
        const rni_v sum = rni_v_sum_quads(rni_v_load(part[0] + 4 * k), rni_v_load(part[1] + 4 * k),
                                          rni_v_load(part[2] + 4 * k), rni_v_load(part[3] + 4 * k));
        rni_v_store(found[k], sum);
    }
}

/* Whole numbers of eight bits. (Compilers convert these one by one.) */
INLINE void load_bytes(const int8_t *p, floats *to)
{
#ifdef __AVX2__
    const __m128i all = _mm_loadl_epi64((const __m128i *)(const void *)p);
    *to = (floats)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(all));
#else
    bytes of;
    memcpy(&of, p, sizeof of);
    *to = __builtin_convertvector(of, floats);
#endif
}

/* The tensor, linear between the nodes. */
INLINE void find_spread(const rni_field_node *first, const float s[3], float spread[6])
{
    floats sum = {0};
    for (uint32_t k = 0; k < 8; k++) {
        const uint32_t x = k & 1, y = k >> 1 & 1, z = k >> 2;
        const rni_field_node *node = first + (z * RNI_FIELD_SIDE + y) * RNI_FIELD_SIDE + x;
        const float weight = (x ? s[0] : 1 - s[0]) * (y ? s[1] : 1 - s[1]) * (z ? s[2] : 1 - s[2]);
        floats of;
        load_bytes(node->spread, &of);
        sum = sum + weight * (1.0f / 127) * of;
    }
    memcpy(spread, &sum, 6 * sizeof *spread);
}

/* m: how far the triangles are at least: those of the corner that is farthest from the wall are no nearer to x
 * than its distance less the way from it. */
INLINE float clear_at(const rni_field *field, const rni_field_node *first, const float s[3],
                      const float gradient[3])
{
    static const uint32_t STEP[3] = {1, RNI_FIELD_SIDE, RNI_FIELD_SIDE * RNI_FIELD_SIDE};
    const rni_field_node *node = first;
    float away_sq = 0;
    for (int a = 0; a < 3; a++) {
        const bool is_upper = gradient[a] > 0;
        const float far = is_upper ? 1 - s[a] : s[a];
        away_sq += far * far;
        if (is_upper) node += STEP[a];
    }
    const float clear = (float)node->clear * field->clear_step - sqrtf(away_sq) * field->cell;
    return clear > 0 ? clear : 0;
}

/* On the other side of a sheet. */
INLINE void leave_sheet(rni_field_value *value)
{
    if (value->distance >= 0) return;
    value->distance = -value->distance;
    for (int a = 0; a < 3; a++) value->gradient[a] = -value->gradient[a];
}

void NAME(const rni_field *field, const rni_field_node *first, const float s[3],
          rni_field_value *value)
{
    hermite h[3];
    float found[2][4];
    set_hermite(&h[0], s[0], field->cell, field->inverse_cell, 0);
    set_hermite(&h[1], s[1], field->cell, field->inverse_cell, 1);
    set_hermite(&h[2], s[2], field->cell, field->inverse_cell, 2);
    interpolate(first, h, found);
    value->distance = found[0][0];
    memcpy(value->gradient, found[0] + 1, sizeof value->gradient);
    if (field->is_two_sided) leave_sheet(value);
    value->clear = clear_at(field, first, s, value->gradient);
    value->is_flat = first->side & RNI_FIELD_FLAT;
    value->part = 1;
    memset(value->part_gradient, 0, sizeof value->part_gradient);
    if (!value->is_flat) find_spread(first, s, value->spread);
    if (first->side & RNI_FIELD_PARTS) {
        value->part = found[1][0] < 0.02f ? 0.02f : found[1][0] > 1 ? 1.0f : found[1][0];
        memcpy(value->part_gradient, found[1] + 1, sizeof value->part_gradient);
    }
}
