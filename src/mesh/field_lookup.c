/* The cached boundary field at a point: tricubic Hermite interpolation of distance and gradient, with
 * mixed derivatives 0. It is continuous with its gradient, and the gradient is that of the value, so what is
 * derived from it is conservative; linear functions come out exactly. (Linear interpolation of value and
 * gradient is not conservative: particles gained energy and went through walls.) */
#define RNI_LANES 4
#include "base/lanes.h"

#include "mesh/field_node.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Along one axis, at s from 0 to 1 of a cell: the weights of the vector of the lower and of the upper node (value, then
 * gradient) in value and slope. The slope of the node along this axis has weights of its own. */
typedef struct hermite {
    rni_v value[2], slope[2];
} hermite;

static inline __attribute__((always_inline)) rni_v weights_of(float of_value, float of_slope,
                                                              uint32_t axis)
{
    rni_v w = rni_v_set(of_value);
    w[axis + 1] = of_slope;
    return w;
}

static inline __attribute__((always_inline)) hermite hermite_at(float s, float cell, float inverse,
                                                                uint32_t axis)
{
    const float rest = 1 - s, steep = 6 * s * rest * inverse;
    return (hermite){
        .value = {weights_of(rest * rest * (1 + 2 * s), s * rest * rest * cell, axis),
                  weights_of(s * s * (3 - 2 * s), -s * s * rest * cell, axis)},
        .slope = {weights_of(-steep, rest * (1 - 3 * s), axis),
                  weights_of(steep, s * (3 * s - 2), axis)},
    };
}

/* One of the functions of a node, as a vector: value and gradient. Distances are signed by the side where a
 * two-sided sheet passes through the cell. */
static inline rni_v node_at(const rni_field_node *node, bool is_part, bool is_signed)
{
    const rni_v v = rni_v_load(is_part ? &node->part : &node->distance);
    return is_signed && (node->side & 3) == RNI_FIELD_SOLID ? -v : v;
}

/* Along x, then y, then z: value and slopes so far. */
static inline __attribute__((always_inline)) float
interpolate(const rni_field_node *first, const hermite h[3], bool is_part, float gradient[3])
{
    const bool is_signed = !is_part && first->side & RNI_FIELD_SIGNED;
    rni_v sum = rni_v_set(0.0f), dx = sum, dy = sum, dz = sum;
    for (uint32_t z = 0; z < 2; z++) {
        rni_v of_z = rni_v_set(0.0f), dx_z = of_z, dy_z = of_z;
        for (uint32_t y = 0; y < 2; y++) {
            const rni_field_node *node = first + (z * RNI_FIELD_SIDE + y) * RNI_FIELD_SIDE;
            const rni_v low = node_at(node, is_part, is_signed),
                        high = node_at(node + 1, is_part, is_signed);
            const rni_v of_y = low * h[0].value[0] + high * h[0].value[1];
            const rni_v dx_y = low * h[0].slope[0] + high * h[0].slope[1];
            of_z = of_z + of_y * h[1].value[y];
            dx_z = dx_z + dx_y * h[1].value[y];
            dy_z = dy_z + of_y * h[1].slope[y];
        }
        sum = sum + of_z * h[2].value[z];
        dx = dx + dx_z * h[2].value[z];
        dy = dy + dy_z * h[2].value[z];
        dz = dz + of_z * h[2].slope[z];
    }
    const rni_v all = rni_v_sum_quads(sum, dx, dy, dz);
    gradient[0] = all[1], gradient[1] = all[2], gradient[2] = all[3];
    return all[0];
}

typedef int8_t bytes __attribute__((vector_size(8)));
typedef float floats __attribute__((vector_size(32)));

/* The tensor, linear between the nodes. */
static void find_spread(const rni_field_node *first, const float s[3], float spread[6])
{
    floats sum = {0};
    for (uint32_t k = 0; k < 8; k++) {
        const uint32_t x = k & 1, y = k >> 1 & 1, z = k >> 2;
        const rni_field_node *node = first + (z * RNI_FIELD_SIDE + y) * RNI_FIELD_SIDE + x;
        const float weight = (x ? s[0] : 1 - s[0]) * (y ? s[1] : 1 - s[1]) * (z ? s[2] : 1 - s[2]);
        bytes of;
        _Static_assert(offsetof(rni_field_node, spread) + sizeof of <= sizeof *node,
                       "two bytes after the tensor are read");
        memcpy(&of, node->spread, sizeof of);
        sum = sum + weight * (1.0f / 127) * __builtin_convertvector(of, floats);
    }
    for (int n = 0; n < 6; n++) spread[n] = sum[n];
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

/* Cell of x, and its place in the cell; false: it is outside. */
static inline bool find_cell(const rni_field *field, const float x[3], uint32_t cell[3], float s[3])
{
    for (int a = 0; a < 3; a++) {
        const float place = (x[a] - field->low[a]) * field->inverse_cell;
        if (!(place >= 0 && place < (float)(field->blocks[a] * RNI_FIELD_CELLS))) return false;
        cell[a] = (uint32_t)place;
        s[a] = place - (float)cell[a];
    }
    return true;
}

static inline uint64_t key_of(const rni_field *field, const uint32_t cell[3])
{
    const uint32_t block[3] = {cell[0] / RNI_FIELD_CELLS, cell[1] / RNI_FIELD_CELLS,
                               cell[2] / RNI_FIELD_CELLS};
    return rni_field_key(field, block);
}

/* In its block. */
static inline uint32_t node_of(const uint32_t cell[3])
{
    const uint32_t x = cell[0] % RNI_FIELD_CELLS, y = cell[1] % RNI_FIELD_CELLS,
                   z = cell[2] % RNI_FIELD_CELLS;
    return (z * RNI_FIELD_SIDE + y) * RNI_FIELD_SIDE + x;
}

rni_field_spot rni_field_prefetch_slot(const rni_field *field, const float x[3])
{
    uint32_t cell[3];
    float s[3];
    if (!find_cell(field, x, cell, s)) return (rni_field_spot){0, 0};
    const rni_field_spot spot = {key_of(field, cell), node_of(cell)};
    const uint32_t slot = rni_field_hash(field, spot.key);
    __builtin_prefetch(&field->key[slot]);
    __builtin_prefetch(&field->index[slot]);
    return spot;
}

void rni_field_prefetch_block(const rni_field *field, rni_field_spot spot)
{
    if (spot.key == 0) return;
    const uint32_t slot = rni_field_slot(field, spot.key);
    if (field->key[slot] == 0 || field->index[slot] >= field->block_count) return;
    const rni_field_node *first = field->block[field->index[slot]].node + spot.node;
    for (uint32_t k = 0; k < 4; k++) {
        const rni_field_node *row = first + ((k >> 1) * RNI_FIELD_SIDE + (k & 1)) * RNI_FIELD_SIDE;
        __builtin_prefetch(row);
        __builtin_prefetch((const char *)(row + 2) - 1);
    }
}

bool rni_field_at(const rni_field *field, const float x[3], rni_field_value *value)
{
    uint32_t cell[3];
    float s[3];
    value->clear = (float)field->law.reach;
    if (!find_cell(field, x, cell, s)) return false;
    const uint32_t slot = rni_field_slot(field, key_of(field, cell));
    if (field->key[slot] == 0) return false;
    const uint32_t index = field->index[slot];
    if (index >= field->block_count) { /* all nodes of a block beyond the reach are */
        value->clear = index == RNI_FIELD_SOLID_BLOCK ? 0.0f : (float)field->law.reach - field->cell;
        return false;
    }
    const rni_field_node *first = field->block[index].node + node_of(cell);
    if (first->side & RNI_FIELD_BEYOND) { /* so are its corners, and one is within a cell */
        value->clear = (float)field->law.reach - field->cell;
        return false;
    }
    const hermite h[3] = {hermite_at(s[0], field->cell, field->inverse_cell, 0),
                          hermite_at(s[1], field->cell, field->inverse_cell, 1),
                          hermite_at(s[2], field->cell, field->inverse_cell, 2)};
    value->distance = interpolate(first, h, false, value->gradient);
    if (field->is_two_sided) leave_sheet(value);
    value->clear = clear_at(field, first, s, value->gradient);
    value->is_flat = first->side & RNI_FIELD_FLAT;
    value->part = 1;
    memset(value->part_gradient, 0, sizeof value->part_gradient);
    if (!value->is_flat) find_spread(first, s, value->spread);
    if (first->side & RNI_FIELD_PARTS) {
        value->part = interpolate(first, h, true, value->part_gradient);
        value->part = value->part < 0.02f ? 0.02f : value->part > 1 ? 1.0f : value->part;
    }
    return value->distance < (float)field->law.reach;
}
