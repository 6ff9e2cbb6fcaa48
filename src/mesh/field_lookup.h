/* The cached boundary field in a cell: tricubic Hermite interpolation of distance and gradient, with mixed derivatives
 * 0. It is continuous with its gradient, and the gradient is that of the value, so what is derived from it is
 * conservative; linear functions come out exactly. (Linear interpolation of value and gradient is not
 * conservative: particles gained energy and went through walls.)
 *
 * A node gives four numbers: the value and its gradient. Vectors of eight hold those of the two nodes at the lower and
 * at the upper y. The same bits for every instruction set: no contraction.
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

_Static_assert(offsetof(rni_field_node, gradient) == sizeof(float) &&
                   offsetof(rni_field_node, spread) == sizeof(rni_v) &&
                   sizeof(rni_field_node) == sizeof(rni_v) + sizeof(bytes) &&
                   sizeof(rni_field_part) == sizeof(rni_v),
               "a node is four floats and eight bytes, a part four floats");

/* Weights of the nodes along an axis, of the lower or of the upper one, for the value and for its slope. That of the
 * node's own slope along this axis differs from that of the other three numbers. */
typedef struct weights {
    floats value, slope;
} weights;

/* The weights at s along each axis: of what a node has, of its slope along the axis. */
typedef struct hermite {
    float value[2][4], value_own[2][4], slope[2][4], slope_own[2][4];
} hermite;

INLINE void make_hermite(const rni_field *field, const float s[4], hermite *h)
{
    const rni_v t = rni_v_load(s), rest = 1 - t, steep = 6 * t * rest * field->inverse_cell;
    rni_v_store(h->value[0], rest * rest * (1 + 2 * t));
    rni_v_store(h->value[1], t * t * (3 - 2 * t));
    rni_v_store(h->value_own[0], t * rest * rest * field->cell);
    rni_v_store(h->value_own[1], -t * t * rest * field->cell);
    rni_v_store(h->slope[0], -steep);
    rni_v_store(h->slope[1], steep);
    rni_v_store(h->slope_own[0], rest * (1 - 3 * t));
    rni_v_store(h->slope_own[1], t * (3 * t - 2));
}

/* low, then high. (Halves that go through memory wait for each other.) */
INLINE void join(rni_v low, rni_v high, floats *two)
{
#ifdef __AVX2__
    *two = _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
#else
    *two = (floats){low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]};
#endif
}

INLINE rni_v fold(const floats *two)
{
#ifdef __AVX2__
    return _mm256_castps256_ps128(*two) + _mm256_extractf128_ps(*two, 1);
#else
    const floats t = *two;
    return (rni_v){t[0], t[1], t[2], t[3]} + (rni_v){t[4], t[5], t[6], t[7]};
#endif
}

/* Of the lower four numbers, and of the upper four; `own` where they are slopes along the axis. */
INLINE void mix(const float all[2], const float own[2], uint32_t axis, floats *to)
{
    rni_v half[2];
    for (uint32_t k = 0; k < 2; k++) {
#ifdef __AVX2__
        if (axis == 0) half[k] = _mm_blend_ps(rni_v_set(all[k]), rni_v_set(own[k]), 2);
        if (axis == 1) half[k] = _mm_blend_ps(rni_v_set(all[k]), rni_v_set(own[k]), 4);
        if (axis == 2) half[k] = _mm_blend_ps(rni_v_set(all[k]), rni_v_set(own[k]), 8);
#else
        const rni_vm is_own = {0, -(axis == 0), -(axis == 1), -(axis == 2)};
        half[k] = rni_v_select(is_own, rni_v_set(own[k]), rni_v_set(all[k]));
#endif
    }
    join(half[0], half[1], to);
}

/* Of the nodes at `low` in the lower four, and of those at `high` in the upper four. */
INLINE void find_weights(const hermite *h, uint32_t axis, uint32_t low, uint32_t high, weights *w)
{
    const float value[2] = {h->value[low][axis], h->value[high][axis]},
                value_own[2] = {h->value_own[low][axis], h->value_own[high][axis]},
                slope[2] = {h->slope[low][axis], h->slope[high][axis]},
                slope_own[2] = {h->slope_own[low][axis], h->slope_own[high][axis]};
    mix(value, value_own, axis, &w->value);
    mix(slope, slope_own, axis, &w->slope);
}

/* stride: bytes from node to node, of rni_field_node or rni_field_part. */
INLINE void load_two(const char *node, size_t stride, floats *two)
{
    join(rni_v_load((const float *)(const void *)node),
         rni_v_load((const float *)(const void *)(node + RNI_FIELD_SIDE * stride)), two);
}

/* Negative where a node is on the other side of a sheet. */
INLINE void turn_two(const rni_field_node *node, floats *two)
{
    const float low = (node->side & 3) == RNI_FIELD_SOLID ? -1 : 1,
                high = (node[RNI_FIELD_SIDE].side & 3) == RNI_FIELD_SOLID ? -1 : 1;
    floats sign;
    join(rni_v_set(low), rni_v_set(high), &sign);
    *two = *two * sign;
}

/* Value and gradient; first: of the cell, sides: its nodes, NULL: signs do not matter. */
INLINE void interpolate(const void *first, size_t stride, const rni_field_node *sides,
                        const hermite *h, float found[4])
{
    weights x[2], y, z[2];
    find_weights(h, 1, 0, 1, &y);
    for (uint32_t k = 0; k < 2; k++) {
        find_weights(h, 0, k, k, &x[k]);
        find_weights(h, 2, k, k, &z[k]);
    }
    floats all[4] = {{0}}; /* value, slopes along x, y, z */
    for (uint32_t k = 0; k < 2; k++) {
        const size_t n = (size_t)k * RNI_FIELD_SIDE * RNI_FIELD_SIDE;
        const char *node = (const char *)first + n * stride;
        floats low, high;
        load_two(node, stride, &low);
        load_two(node + stride, stride, &high);
        if (sides) turn_two(sides + n, &low), turn_two(sides + n + 1, &high);
        const floats of_x = low * x[0].value + high * x[1].value;
        const floats dx = low * x[0].slope + high * x[1].slope;
        const floats of_y = of_x * y.value;
        all[0] = all[0] + of_y * z[k].value;
        all[1] = all[1] + dx * y.value * z[k].value;
        all[2] = all[2] + of_x * y.slope * z[k].value;
        all[3] = all[3] + of_y * z[k].slope;
    }
    rni_v_store(found, rni_v_sum_quads(fold(&all[0]), fold(&all[1]), fold(&all[2]), fold(&all[3])));
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
INLINE void find_spread(const rni_field_node *first, const float s[4], float spread[6])
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
INLINE float clear_at(const rni_field *field, const rni_field_node *first, const float s[4],
                      const float gradient[3])
{
    static const uint32_t STEP[3] = {1, RNI_FIELD_SIDE, RNI_FIELD_SIDE * RNI_FIELD_SIDE};
    uint32_t node = 0;
    float away_sq = 0;
    for (int a = 0; a < 3; a++) {
        const uint32_t is_upper = gradient[a] > 0;
        const float far = fabsf((float)is_upper - s[a]);
        away_sq += far * far;
        node += is_upper * STEP[a];
    }
    const float clear = (float)first[node].clear * field->clear_step - sqrtf(away_sq) * field->cell;
    return clear > 0 ? clear : 0;
}

/* On the other side of a sheet. */
INLINE void leave_sheet(rni_field_value *value)
{
    if (value->distance >= 0) return;
    value->distance = -value->distance;
    for (int a = 0; a < 3; a++) value->gradient[a] = -value->gradient[a];
}

void NAME(const rni_field *field, const rni_field_block *block, uint32_t cell, const float s[4],
          rni_field_value *value)
{
    const uint32_t at = rni_field_first_node(cell);
    const rni_field_node *first = &block->node[at];
    hermite h;
    float found[4];
    make_hermite(field, s, &h);
    if (first->side & RNI_FIELD_SIGNED) interpolate(first, sizeof *first, first, &h, found);
    else interpolate(first, sizeof *first, NULL, &h, found);
    value->distance = found[0];
    memcpy(value->gradient, found + 1, sizeof value->gradient);
    if (field->is_two_sided) leave_sheet(value);
    value->clear = clear_at(field, first, s, value->gradient);
    value->is_flat = first->side & RNI_FIELD_FLAT;
    value->part = 1;
    memset(value->part_gradient, 0, sizeof value->part_gradient);
    if (!value->is_flat) find_spread(first, s, value->spread);
    if (!(first->side & RNI_FIELD_PARTS)) return;
    interpolate(&block->part[at], sizeof *block->part, NULL, &h, found);
    value->part = found[0] < 0.02f ? 0.02f : found[0] > 1 ? 1.0f : found[0];
    memcpy(value->part_gradient, found + 1, sizeof value->part_gradient);
}
