/* The cached boundary field at a point: tricubic Hermite interpolation of distance and gradient, with
 * mixed derivatives 0. It is continuous with its gradient, and the gradient is that of the value, so what is
 * derived from it is conservative; linear functions come out exactly. (Linear interpolation of value and
 * gradient is not conservative: particles gained energy and went through walls.) */
#define RNI_LANES 4
#include "base/lanes.h"

#include "mesh/field_node.h"

#include <math.h>
#include <string.h>

/* Along one axis, at s from 0 to 1 of a cell: what value [0] and slope [1] of the lower and the upper node
 * contribute to value and slope; slopes times the cell. */
typedef struct hermite {
    float value[2][2], slope[2][2]; /* [node][of value, of slope] */
} hermite;

static hermite hermite_at(float s, float cell, float inverse)
{
    const float rest = 1 - s;
    return (hermite){
        .value = {{rest * rest * (1 + 2 * s), s * rest * rest * cell},
                  {s * s * (3 - 2 * s), -s * s * rest * cell}},
        .slope = {{-6 * s * rest * inverse, rest * (1 - 3 * s)},
                  {6 * s * rest * inverse, s * (3 * s - 2)}},
    };
}

/* Weights of value and gradient of a corner: x, y, z: of value and slope along the axes. */
static inline rni_v corner_weights(const float x[2], const float y[2], const float z[2])
{
    const float yz = y[0] * z[0], xz = x[0] * z[0], xy = x[0] * y[0];
    return (rni_v){x[0] * yz, x[1] * yz, y[1] * xz, z[1] * xy};
}

static inline float sum_of(rni_v v)
{
    return (v[0] + v[1]) + (v[2] + v[3]);
}

/* One of the functions of a node, as a vector: value and gradient. Distances are signed by the side where a
 * two-sided sheet passes through the cell. */
static inline rni_v node_at(const rni_field_node *node, bool is_part, bool is_signed)
{
    const rni_v v = rni_v_load(is_part ? &node->part : &node->distance);
    return is_signed && (node->side & 3) == RNI_FIELD_SOLID ? -v : v;
}

static inline __attribute__((always_inline)) float
interpolate(const rni_field_node *first, const hermite h[3], bool is_part, float gradient[3])
{
    const bool is_signed = !is_part && first->side & RNI_FIELD_SIGNED;
    rni_v sum = rni_v_set(0.0f), dx = sum, dy = sum, dz = sum;
    for (uint32_t k = 0; k < 8; k++) {
        const uint32_t x = k & 1, y = k >> 1 & 1, z = k >> 2;
        const rni_field_node *node = first + (z * RNI_FIELD_SIDE + y) * RNI_FIELD_SIDE + x;
        const rni_v of = node_at(node, is_part, is_signed);
        sum = sum + of * corner_weights(h[0].value[x], h[1].value[y], h[2].value[z]);
        dx = dx + of * corner_weights(h[0].slope[x], h[1].value[y], h[2].value[z]);
        dy = dy + of * corner_weights(h[0].value[x], h[1].slope[y], h[2].value[z]);
        dz = dz + of * corner_weights(h[0].value[x], h[1].value[y], h[2].slope[z]);
    }
    gradient[0] = sum_of(dx), gradient[1] = sum_of(dy), gradient[2] = sum_of(dz);
    return sum_of(sum);
}

/* The tensor, linear between the nodes. */
static void find_spread(const rni_field_node *first, const float s[3], float spread[6])
{
    for (int n = 0; n < 6; n++) spread[n] = 0;
    for (uint32_t k = 0; k < 8; k++) {
        const uint32_t x = k & 1, y = k >> 1 & 1, z = k >> 2;
        const rni_field_node *node = first + (z * RNI_FIELD_SIDE + y) * RNI_FIELD_SIDE + x;
        const float weight = (x ? s[0] : 1 - s[0]) * (y ? s[1] : 1 - s[1]) * (z ? s[2] : 1 - s[2]);
        for (int n = 0; n < 6; n++) spread[n] += weight * (1.0f / 127) * (float)node->spread[n];
    }
}

/* m: how far the triangles are at least: those of the corner that is farthest from the wall are no nearer to x
 * than its distance less the way from it. */
static float clear_at(const rni_field *field, const rni_field_node *first, const float s[3],
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
static void leave_sheet(rni_field_value *value)
{
    if (value->distance >= 0) return;
    value->distance = -value->distance;
    for (int a = 0; a < 3; a++) value->gradient[a] = -value->gradient[a];
}

/* Block and cell of x, and its place in the cell; false: it is outside. */
static inline bool find_cell(const rni_field *field, const float x[3], uint32_t block[3],
                             uint32_t cell[3], float s[3])
{
    for (int a = 0; a < 3; a++) {
        const float place = (x[a] - field->low[a]) * field->inverse_cell;
        if (!(place >= 0 && place < (float)(field->blocks[a] * RNI_FIELD_CELLS))) return false;
        const uint32_t c = (uint32_t)place;
        block[a] = c / RNI_FIELD_CELLS, cell[a] = c % RNI_FIELD_CELLS;
        s[a] = place - (float)c;
    }
    return true;
}

static inline uint32_t node_of(const uint32_t cell[3])
{
    return (cell[2] * RNI_FIELD_SIDE + cell[1]) * RNI_FIELD_SIDE + cell[0];
}

void rni_field_prefetch(const rni_field *field, const float x[3], bool is_block)
{
    uint32_t block[3], cell[3];
    float s[3];
    if (!find_cell(field, x, block, cell, s)) return;
    const uint64_t key = rni_field_key(field, block);
    if (!is_block) {
        const uint32_t first = rni_field_hash(field, key);
        __builtin_prefetch(&field->key[first]);
        __builtin_prefetch(&field->index[first]);
        return;
    }
    const uint32_t slot = rni_field_slot(field, key);
    if (field->key[slot] == 0 || field->index[slot] >= field->block_count) return;
    const rni_field_node *first = field->block[field->index[slot]].node + node_of(cell);
    for (uint32_t k = 0; k < 4; k++) {
        const rni_field_node *row = first + ((k >> 1) * RNI_FIELD_SIDE + (k & 1)) * RNI_FIELD_SIDE;
        __builtin_prefetch(row);
        __builtin_prefetch((const char *)(row + 2) - 1);
    }
}

bool rni_field_at(const rni_field *field, const float x[3], rni_field_value *value)
{
    uint32_t block[3], cell[3];
    float s[3];
    value->clear = (float)field->law.reach;
    if (!find_cell(field, x, block, cell, s)) return false;
    const uint32_t slot = rni_field_slot(field, rni_field_key(field, block));
    if (field->key[slot] == 0) return false;
    const uint32_t index = field->index[slot];
    if (index == RNI_FIELD_SOLID_BLOCK) {
        value->clear = 0;
        return false;
    }
    const rni_field_node *first = field->block[index].node + node_of(cell);
    const hermite h[3] = {hermite_at(s[0], field->cell, field->inverse_cell),
                          hermite_at(s[1], field->cell, field->inverse_cell),
                          hermite_at(s[2], field->cell, field->inverse_cell)};
    value->distance = interpolate(first, h, false, value->gradient);
    if (field->is_two_sided) leave_sheet(value);
    value->clear = clear_at(field, first, s, value->gradient);
    value->is_flat = first->side & RNI_FIELD_FLAT;
    value->part = 1;
    memset(value->part_gradient, 0, sizeof value->part_gradient);
    if (!value->is_flat) {
        find_spread(first, s, value->spread);
    }
    if (first->side & RNI_FIELD_PARTS) {
        value->part = interpolate(first, h, true, value->part_gradient);
        value->part = value->part < 0.02f ? 0.02f : value->part > 1 ? 1.0f : value->part;
    }
    return value->distance < (float)field->law.reach;
}
