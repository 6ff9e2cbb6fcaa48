/* The cached boundary field at a point: finds block and cell; field_lookup.h interpolates there. */
#define RNI_LANES 4
#include "base/lanes.h"

#include "base/cpu.h"
#include "mesh/field_node.h"

rni_field_cell_fn rni_field_cell_choose(void)
{
#ifdef RNI_X86
    if (rni_cpu_is_wide()) return rni_field_cell_avx2;
#endif
    return rni_field_cell_plain;
}

/* Block and cell of x, and its place in the cell; key 0: it is outside. */
static inline void find_cell(const rni_field *field, const float x[3], rni_field_spot *spot)
{
    const rni_v at = {x[0], x[1], x[2], 0}, none = rni_v_set(0.0f);
    const rni_v place = (at - rni_v_load(field->low)) * field->inverse_cell;
    const rni_vm is_inside = (place >= none) & (place < rni_v_load(field->end));
    spot->key = 0;
    if (rni_v_bits(is_inside) != 15u) return;
    const rni_vm number = __builtin_convertvector(place, rni_vm);
    rni_v_store(spot->s, place - __builtin_convertvector(number, rni_v));
    const rni_vm block = number >> 2, cell = number & 3;
    spot->key = rni_field_key(
        field, (const uint32_t[3]){(uint32_t)block[0], (uint32_t)block[1], (uint32_t)block[2]});
    spot->cell = (uint32_t)(cell[0] + 4 * cell[1] + 16 * cell[2]);
}

_Static_assert(RNI_FIELD_CELLS == 4, "shifts of find_cell");

void rni_field_spot_begin(const rni_field *field, const float x[3], rni_field_spot *spot)
{
    spot->block = NULL;
    spot->clear = (float)field->law.reach;
    find_cell(field, x, spot);
    if (spot->key == 0) return;
    __builtin_prefetch(&field->entry[rni_field_hash(field, spot->key)]);
}

/* The four pairs of nodes of a cell, or of parts; stride: bytes from one to the next. */
static inline void fetch_rows(const void *first, size_t stride)
{
    for (uint32_t k = 0; k < 4; k++) {
        const char *row =
            (const char *)first + ((k >> 1) * RNI_FIELD_SIDE + (k & 1)) * RNI_FIELD_SIDE * stride;
        __builtin_prefetch(row);
        __builtin_prefetch(row + 2 * stride - 1);
    }
}

void rni_field_spot_find(const rni_field *field, rni_field_spot *spot)
{
    if (spot->key == 0) return;
    const rni_field_entry *entry = rni_field_find(field, spot->key);
    if (entry->key == 0) return;
    if (entry->index == RNI_FIELD_SOLID_BLOCK) {
        spot->clear = 0;
        return;
    }
    /* All corners of a cell beyond the reach are, and one is within a cell. */
    if (entry->index == RNI_FIELD_NO_BLOCK || entry->beyond >> spot->cell & 1) {
        spot->clear = (float)field->law.reach - field->cell;
        return;
    }
    spot->block = &field->block[entry->index];
    const uint32_t first = rni_field_first_node(spot->cell);
    fetch_rows(&spot->block->node[first], sizeof(rni_field_node));
    if (entry->parts >> spot->cell & 1)
        fetch_rows(&spot->block->part[first], sizeof(rni_field_part));
}

bool rni_field_at_spot(const rni_field *field, const rni_field_spot *spot, rni_field_value *value)
{
    value->clear = spot->clear;
    if (!spot->block) return false;
    field->at_cell(field, spot->block, spot->cell, spot->s, value);
    return value->distance < (float)field->law.reach;
}

bool rni_field_at(const rni_field *field, const float x[3], rni_field_value *value)
{
    rni_field_spot spot;
    rni_field_spot_begin(field, x, &spot);
    rni_field_spot_find(field, &spot);
    return rni_field_at_spot(field, &spot, value);
}
