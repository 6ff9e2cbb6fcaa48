/* The cached boundary field at a point: finds block and cell; field_lookup.h interpolates there. */
#include "base/cpu.h"
#include "mesh/field_node.h"

rni_field_cell_fn rni_field_cell_choose(void)
{
#ifdef RNI_X86
    if (rni_cpu_is_wide()) return rni_field_cell_avx2;
#endif
    return rni_field_cell_plain;
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

void rni_field_spot_begin(const rni_field *field, const float x[3], rni_field_spot *spot)
{
    uint32_t cell[3];
    spot->key = 0;
    spot->first = NULL;
    spot->clear = (float)field->law.reach;
    if (!find_cell(field, x, cell, spot->s)) return;
    spot->key = key_of(field, cell);
    spot->node = node_of(cell);
    const uint32_t slot = rni_field_hash(field, spot->key);
    __builtin_prefetch(&field->key[slot]);
    __builtin_prefetch(&field->index[slot]);
}

void rni_field_spot_find(const rni_field *field, rni_field_spot *spot)
{
    if (spot->key == 0) return;
    const uint32_t slot = rni_field_slot(field, spot->key);
    if (field->key[slot] == 0) return;
    const uint32_t index = field->index[slot];
    if (index >= field->block_count) { /* all nodes of a block beyond the reach are */
        spot->clear = index == RNI_FIELD_SOLID_BLOCK ? 0.0f : (float)field->law.reach - field->cell;
        return;
    }
    spot->first = field->block[index].node + spot->node;
    for (uint32_t k = 0; k < 4; k++) {
        const rni_field_node *row =
            spot->first + ((k >> 1) * RNI_FIELD_SIDE + (k & 1)) * RNI_FIELD_SIDE;
        __builtin_prefetch(row);
        __builtin_prefetch((const char *)(row + 2) - 1);
    }
}

bool rni_field_at_spot(const rni_field *field, const rni_field_spot *spot, rni_field_value *value)
{
    value->clear = spot->clear;
    if (!spot->first) return false;
    if (spot->first->side & RNI_FIELD_BEYOND) { /* so are its corners, and one is within a cell */
        value->clear = (float)field->law.reach - field->cell;
        return false;
    }
    field->at_cell(field, spot->first, spot->s, value);
    return value->distance < (float)field->law.reach;
}

bool rni_field_at(const rni_field *field, const float x[3], rni_field_value *value)
{
    rni_field_spot spot;
    rni_field_spot_begin(field, x, &spot);
    rni_field_spot_find(field, &spot);
    return rni_field_at_spot(field, &spot, value);
}
