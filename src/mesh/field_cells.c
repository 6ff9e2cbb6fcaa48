/* What the cells of a block of the boundary field are, once its nodes are known: their side, whether the faces near
 * them look one way, whether the solid is convex there. */
#include "mesh/field_builder.h"

enum { STEP_X = 1, STEP_Y = RNI_FIELD_SIDE, STEP_Z = RNI_FIELD_SIDE * RNI_FIELD_SIDE };

/* From a node to the next one along an axis. */
static const uint32_t STEP[3] = {STEP_X, STEP_Y, STEP_Z};

/* Nodes whose flux is 0 lie beyond the reach, on the side of their neighbours. */
static void spread_sides(const rni_field *field, rni_field_block *block)
{
    bool has_changed = true;
    while (has_changed) {
        has_changed = false;
        for (uint32_t n = 0; n < RNI_FIELD_NODES; n++) {
            rni_field_node *node = &block->node[n];
            if (node->side != RNI_FIELD_UNKNOWN) continue;
            for (uint32_t a = 0; a < 3 && node->side == RNI_FIELD_UNKNOWN; a++) {
                const uint32_t at = n / STEP[a] % RNI_FIELD_SIDE;
                if (at > 0) node->side = block->node[n - STEP[a]].side;
                if (at + 1 < RNI_FIELD_SIDE && node->side == RNI_FIELD_UNKNOWN)
                    node->side = block->node[n + STEP[a]].side;
                if (node->side == RNI_FIELD_UNKNOWN) continue;
                has_changed = true;
                if (node->side == RNI_FIELD_FLUID || field->is_two_sided) continue;
                node->distance = -node->distance; /* deep in the solid */
                for (int c = 0; c < 3; c++) node->gradient[c] = -node->gradient[c];
            }
        }
    }
}

/* Whether the faces near a node look the same way: the tensor is n n nearly. */
static bool is_flat_node(const rni_field_node *node)
{
    const int8_t *d = node->spread;
    const int32_t sq =
        d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 2 * (d[3] * d[3] + d[4] * d[4] + d[5] * d[5]);
    return sq > (int32_t)(0.98 * 127 * 127);
}

/* The corners of a cell from its first node. */
static const uint32_t CORNER[8] = {
    0,      STEP_X,          STEP_Y,          STEP_Y + STEP_X,
    STEP_Z, STEP_Z + STEP_X, STEP_Z + STEP_Y, STEP_Z + STEP_Y + STEP_X};

/* Whether the gradients at the corners of a cell are one direction. */
static bool is_one_direction(const rni_field_node *first)
{
    float mean[3] = {0, 0, 0};
    for (uint32_t k = 0; k < 8; k++)
        for (int a = 0; a < 3; a++) mean[a] += 0.125f * first[CORNER[k]].gradient[a];
    return mean[0] * mean[0] + mean[1] * mean[1] + mean[2] * mean[2] > 0.96f;
}

/* Cells all of whose corners are flat, and of one direction; and cells with convex corners. */
static void mark_flat(rni_field_block *block)
{
    enum { NOT_FLAT = 1, CONVEX = 2 };
    uint8_t is[RNI_FIELD_NODES];
    for (uint32_t n = 0; n < RNI_FIELD_NODES; n++)
        is[n] = (uint8_t)((is_flat_node(&block->node[n]) ? 0 : NOT_FLAT) |
                          (block->part[n].part < 1 ? CONVEX : 0));
    for (uint32_t c = 0; c < RNI_FIELD_CELLS * RNI_FIELD_CELLS * RNI_FIELD_CELLS; c++) {
        const uint32_t first = rni_field_first_node(c);
        uint32_t any = 0;
        for (uint32_t k = 0; k < 8; k++) any |= is[first + CORNER[k]];
        rni_field_node *node = &block->node[first];
        if (!(any & NOT_FLAT) && is_one_direction(node)) node->side |= RNI_FIELD_FLAT;
        if (any & CONVEX) node->side |= RNI_FIELD_PARTS;
    }
}

/* Of a two-sided sheet: a cell that the sheet passes through is interpolated with signs. Where nodes of
 * different sides are too far from the sheet for it to be between them, it has an end, and signs mean nothing. */
static void mark_signed(const rni_field *field, rni_field_block *block)
{
    const float most = 1.01f * field->cell + 2 * field->clear_step;
    for (uint32_t c = 0; c < RNI_FIELD_CELLS * RNI_FIELD_CELLS * RNI_FIELD_CELLS; c++) {
        const uint32_t first = rni_field_first_node(c);
        bool is_signed = true;
        for (uint32_t k = 0; k < 8; k++)
            for (uint32_t a = 0; a < 3; a++) {
                if (k >> a & 1) continue;
                const uint32_t n =
                    first + (k & 1) * STEP[0] + (k >> 1 & 1) * STEP[1] + (k >> 2) * STEP[2];
                const rni_field_node *p = &block->node[n], *q = &block->node[n + STEP[a]];
                const bool is_other = (p->side & 3) != (q->side & 3);
                if (is_other && (float)(p->clear + q->clear) * field->clear_step > most)
                    is_signed = false;
            }
        if (is_signed) block->node[first].side |= RNI_FIELD_SIGNED;
    }
}

/* Whether the interpolation (field_lookup.c) is nowhere in a cell below `least`: none of the numbers is of which it is a
 * mean, as a Bezier polynomial. */
static bool is_beyond(const rni_field *field, const rni_field_node *first, float least)
{
    const float third = field->cell / 3;
    for (uint32_t k = 0; k < 8; k++) {
        const rni_field_node *node = first + CORNER[k];
        if (field->is_two_sided && (node->side & 3) == RNI_FIELD_SOLID) return false;
        float sum = node->distance;
        for (uint32_t a = 0; a < 3; a++) {
            const float step = (k >> a & 1 ? -third : third) * node->gradient[a];
            sum += step < 0 ? step : 0.0f;
        }
        if (!(sum >= least)) return false;
    }
    return true;
}

static void mark_beyond(const rni_field *field, rni_field_block *block)
{
    const float least = 1.00001f * (float)field->law.reach; /* rounding */
    for (uint32_t c = 0; c < RNI_FIELD_CELLS * RNI_FIELD_CELLS * RNI_FIELD_CELLS; c++) {
        rni_field_node *first = &block->node[rni_field_first_node(c)];
        if (first->distance >= least && is_beyond(field, first, least))
            first->side |= RNI_FIELD_BEYOND;
    }
}

void rni_field_mark_cells(const rni_field *field, rni_field_block *block)
{
    spread_sides(field, block);
    if (field->is_two_sided) mark_signed(field, block);
    mark_flat(block);
    mark_beyond(field, block);
}

void rni_field_note_cells(const rni_field_block *block, rni_field_entry *entry)
{
    entry->beyond = entry->parts = 0;
    for (uint32_t c = 0; c < RNI_FIELD_CELLS * RNI_FIELD_CELLS * RNI_FIELD_CELLS; c++) {
        const uint8_t side = block->node[rni_field_first_node(c)].side;
        if (side & RNI_FIELD_BEYOND) entry->beyond |= (uint64_t)1 << c;
        if (side & RNI_FIELD_PARTS) entry->parts |= (uint64_t)1 << c;
    }
}

bool rni_field_is_deep(const rni_field *field, const rni_field_block *block)
{
    for (uint32_t n = 0; n < RNI_FIELD_NODES; n++)
        if ((block->node[n].side & 3) != RNI_FIELD_SOLID ||
            block->node[n].distance > -1.5f * field->cell)
            return false;
    return !field->is_two_sided;
}
