/* Builds the cached boundary field: which blocks there are (field_blocks.c), then their nodes (field_fill.c). */
#include "base/error.h"
#include "mesh/field_builder.h"

#include <math.h>
#include <string.h>

/* Longest coordinates of blocks: numbers of blocks fit into 63 bits. */
#define MOST_BLOCKS (1u << 20)

static rn_result shape_field(const rni_field_def *def, rni_field *field)
{
    const double side = RNI_FIELD_CELLS * (double)def->cell;
    double low[3] = {(double)INFINITY, (double)INFINITY, (double)INFINITY},
           high[3] = {-(double)INFINITY, -(double)INFINITY, -(double)INFINITY};
    for (uint32_t t = 0; t < 3 * def->mesh->triangle_count; t++)
        for (size_t a = 0; a < 3; a++) {
            const double x = (double)def->scale *
                             (double)def->mesh->vertex[3 * (size_t)def->mesh->triangle[t] + a];
            low[a] = fmin(low[a], x), high[a] = fmax(high[a], x);
        }
    field->cell = def->cell;
    field->inverse_cell = 1 / def->cell;
    field->is_two_sided = def->is_two_sided;
    field->clear_step = (float)(def->law.reach + RNI_FIELD_MARGIN * (double)def->cell) / 254;
    for (int a = 0; a < 3; a++) {
        if (!(low[a] <= high[a])) low[a] = high[a] = 0;
        /* Not at a whole number of cells from the mesh: nodes on the planes of its triangles are rarer. */
        field->low[a] = (float)(low[a] - def->law.reach - 1.37 * (double)def->cell);
        const double count = ceil((high[a] + def->law.reach - (double)field->low[a]) / side + 0.5);
        if (!(count < MOST_BLOCKS))
            return rni_fail(
                RN_ERROR_LIMIT,
                "mesh: it is %g m long along %c, too long for a boundary field with nodes %g m "
                "apart; check its unit, or take a larger spacing",
                high[a] - low[a], "xyz"[a], (double)def -> cell);
        field->blocks[a] = (uint32_t)count;
        field->end[a] = (float)(field->blocks[a] * RNI_FIELD_CELLS);
    }
    field->end[3] = 1;
    return RN_OK;
}

static rn_result build(rni_field_builder *b)
{
    rni_field *field = b->field;
    const double cell = (double)b->def->cell, half = 0.5 * RNI_FIELD_CELLS * sqrt(3.0) * cell;
    field->law = b->def->law;
    field->at_cell = rni_field_cell_choose();
    b->wanted = b->def->law.reach + half;
    b->listed = b->wanted + RNI_FIELD_MARGIN * cell;
    b->away = half + RNI_FIELD_MARGIN * cell;
    rn_result result = shape_field(b->def, field);
    if (result == RN_OK && !b->hierarchy) {
        result = rni_hierarchy_build(&b->own, b->memory, b->crew, RN_CPU_AUTO, b->def->mesh,
                                     RN_SPLIT_SURFACE_AREA);
        b->hierarchy = &b->own;
    }
    if (result == RN_OK) result = rni_field_find_blocks(b);
    if (result == RN_OK) result = rni_field_fill_blocks(b);
    return result;
}

rn_result rni_field_build(rni_memory *memory, rni_crew *crew, const rni_field_def *def,
                          rni_field **out)
{
    *out = NULL;
    rni_field *field = rni_memory_take(memory, sizeof *field);
    if (!field) return RN_ERROR_MEMORY;
    memset(field, 0, sizeof *field);
    rni_field_builder b = {.memory = memory,
                           .crew = crew,
                           .def = def,
                           .field = field,
                           .hierarchy = def->hierarchy,
                           .add = rni_field_nodes_choose()};
    const rn_result result = build(&b);
    if (b.hierarchy == &b.own) rni_hierarchy_free(&b.own);
    rni_buffer_free(memory, &b.region_buffer);
    rni_buffer_free(memory, &b.place_buffer);
    rni_buffer_free(memory, &b.group_buffer);
    if (result == RN_OK) *out = field;
    else rni_field_destroy(memory, field);
    return result;
}

void rni_field_destroy(rni_memory *memory, rni_field *field)
{
    if (!field) return;
    rni_buffer_free(memory, &field->block_buffer);
    rni_buffer_free(memory, &field->entry_buffer);
    rni_memory_give(memory, field, sizeof *field);
}

uint64_t rni_field_bytes(const rni_field *field)
{
    return sizeof *field + field->block_buffer.bytes + field->entry_buffer.bytes;
}

const rni_field_law *rni_field_law_of(const rni_field *field)
{
    return &field->law;
}
