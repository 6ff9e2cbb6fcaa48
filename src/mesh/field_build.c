/* Builds the cached boundary field: which blocks there are, which triangles each has to sum, then the nodes of
 * all blocks in parallel. Blocks are numbered in the order of the triangles that need them, and a block is computed
 * by one worker, so the bits do not depend on threads. */
#include "base/error.h"
#include "mesh/field_builder.h"

#include <math.h>
#include <string.h>

/* Triangles that are made ready at once for the nodes of a block. */
#define CHUNK 64u
/* Blocks between two calls of the progress function. */
#define SLICE 2048u
/* Cells beyond the reach, within which distances of nodes are known: a cell has nodes so far from a place in it. */
#define MARGIN 1.75
/* Longest coordinates of blocks: numbers of blocks fit into 63 bits. */
#define MOST_BLOCKS (1u << 20)

/* --- the nodes of a block -------------------------------------------------------------------------- */

static void origin_of(const rni_field *field, const uint32_t at[3], double origin[3])
{
    for (int a = 0; a < 3; a++)
        origin[a] = (double)field->low[a] + (double)(at[a] * RNI_FIELD_CELLS) * (double)field->cell;
}

/* In place; lists are short. */
static void sort_list(uint32_t *list, uint32_t count)
{
    static const uint32_t GAPS[] = {301, 132, 57, 23, 10, 4, 1}; /* Ciura 2001 */
    for (size_t g = 0; g < sizeof GAPS / sizeof *GAPS; g++)
        for (uint32_t i = GAPS[g]; i < count; i++) {
            const uint32_t t = list[i];
            uint32_t k = i;
            for (; k >= GAPS[g] && list[k - GAPS[g]] > t; k -= GAPS[g]) list[k] = list[k - GAPS[g]];
            list[k] = t;
        }
}

/* The sums of the planes of nodes that `planes` has as bits. */
static void sum_triangles(const rni_field_builder *b, uint32_t k, const uint32_t at[3],
                          uint32_t planes, rni_node_sums *sums)
{
    rni_ready_triangle ready[CHUNK];
    double origin[3];
    const double cell = (double)b->field->cell;
    rni_node_sums_clear(sums);
    origin_of(b->field, at, origin);
    for (uint32_t from = b->start[k]; from < b->start[k + 1];) {
        uint32_t count = 0;
        for (; from < b->start[k + 1] && count < CHUNK; from++) {
            const float *corner[3];
            rni_field_triangle triangle;
            rni_field_corners(b, b->list[from], corner);
            if (!rni_field_triangle_make(&triangle, corner[0], corner[1], corner[2], b->def->scale,
                                         b->def->is_flipped))
                continue;
            rni_field_make_ready(&b->field->law, &triangle, origin, cell, MARGIN * cell,
                                 &ready[count]);
            ready[count].planes &= planes;
            count += ready[count].planes != 0;
        }
        b->add(&b->law, ready, count, sums);
    }
}

static void fill_node(const rni_field_builder *b, const rni_field_sums *sums, rni_field_node *node)
{
    const rni_field *field = b->field;
    rni_field_value value;
    node->side = (uint8_t)rni_field_value_of(&field->law, sums, 0, RNI_NODE_NOISE,
                                             field->is_two_sided, &value);
    node->distance = value.distance;
    memcpy(node->gradient, value.gradient, sizeof node->gradient);
    node->part = value.part;
    memcpy(node->part_gradient, value.part_gradient, sizeof node->part_gradient);
    for (int k = 0; k < 6; k++) node->spread[k] = (int8_t)lrintf(127 * value.spread[k]);
    node->clear = (uint8_t)fminf(value.clear / field->clear_step * 0.9999f, 255.0f);
}

/* Nodes whose flux is 0 lie beyond the reach, on the side of their neighbours. */
static void spread_sides(const rni_field *field, rni_field_block *block)
{
    static const uint32_t STEP[3] = {1, RNI_FIELD_SIDE, RNI_FIELD_SIDE * RNI_FIELD_SIDE};
    bool has_changed = true;
    while (has_changed) {
        has_changed = false;
        for (uint32_t n = 0; n < RNI_FIELD_NODES; n++) {
            rni_field_node *node = &block->node[n];
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

/* Cells all of whose corners are flat, and of one direction; and cells with convex corners. */
static void mark_flat(rni_field_block *block)
{
    for (uint32_t c = 0; c < RNI_FIELD_CELLS * RNI_FIELD_CELLS * RNI_FIELD_CELLS; c++) {
        const uint32_t first = (c / 16 * RNI_FIELD_SIDE + c / 4 % 4) * RNI_FIELD_SIDE + c % 4;
        bool is_flat = true, has_parts = false;
        float mean[3] = {0, 0, 0};
        for (uint32_t k = 0; k < 8; k++) {
            const rni_field_node *node =
                &block->node[first + (k & 1) + (k >> 1 & 1) * RNI_FIELD_SIDE +
                             (k >> 2) * RNI_FIELD_SIDE * RNI_FIELD_SIDE];
            is_flat = is_flat && is_flat_node(node);
            has_parts = has_parts || node->part < 1;
            for (int a = 0; a < 3; a++) mean[a] += 0.125f * node->gradient[a];
        }
        const float size_sq = mean[0] * mean[0] + mean[1] * mean[1] + mean[2] * mean[2];
        if (is_flat && size_sq > 0.96f) block->node[first].side |= RNI_FIELD_FLAT;
        if (has_parts) block->node[first].side |= RNI_FIELD_PARTS;
    }
}

/* Of a two-sided sheet: a cell that the sheet passes through is interpolated with signs. Where nodes of
 * different sides are too far from the sheet for it to be between them, it has an end, and signs mean nothing. */
static void mark_cells(const rni_field *field, rni_field_block *block)
{
    static const uint32_t STEP[3] = {1, RNI_FIELD_SIDE, RNI_FIELD_SIDE * RNI_FIELD_SIDE};
    const float most = 1.01f * field->cell + 2 * field->clear_step;
    for (uint32_t c = 0; c < RNI_FIELD_CELLS * RNI_FIELD_CELLS * RNI_FIELD_CELLS; c++) {
        const uint32_t first = c % 4 + c / 4 % 4 * STEP[1] + c / 16 * STEP[2];
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

/* Whether no fluid can be in the block. */
static bool is_deep(const rni_field *field, const rni_field_block *block)
{
    for (uint32_t n = 0; n < RNI_FIELD_NODES; n++)
        if ((block->node[n].side & 3) != RNI_FIELD_SOLID ||
            block->node[n].distance > -1.5f * field->cell)
            return false;
    return !field->is_two_sided;
}

/* The place of a block, by its slot in the table; false: the slot is empty. */
static bool find_block(const rni_field *field, uint32_t slot, uint32_t at[3])
{
    if (field->key[slot] == 0) return false;
    const uint64_t number = field->key[slot] - 1;
    at[0] = (uint32_t)(number % field->blocks[0]);
    at[1] = (uint32_t)(number / field->blocks[0] % field->blocks[1]);
    at[2] = (uint32_t)(number / field->blocks[0] / field->blocks[1]);
    return true;
}

/* Whether a block is deep in the solid: no surface passes through it or near it, and one of its nodes is on
 * that side. */
static bool is_away_in_solid(const rni_field_builder *b, uint32_t k, const uint32_t at[3],
                             rni_node_sums *sums)
{
    const double cell = (double)b->field->cell, most = (2 * sqrt(3.0) + MARGIN) * cell;
    double middle[3];
    if (b->field->is_two_sided) return false;
    origin_of(b->field, at, middle);
    for (int a = 0; a < 3; a++) middle[a] += 0.5 * RNI_FIELD_CELLS * cell;
    for (uint32_t n = b->start[k]; n < b->start[k + 1]; n++) {
        const float *corner[3];
        rni_field_triangle t;
        rni_field_corners(b, b->list[n], corner);
        if (rni_field_triangle_make(&t, corner[0], corner[1], corner[2], b->def->scale, false) &&
            rni_field_distance_sq(&t, middle) <= most * most)
            return false;
    }
    bool is_solid = false, is_fluid = false;
    for (uint32_t plane = 0; plane < RNI_FIELD_CELLS && !is_solid && !is_fluid;
         plane += RNI_FIELD_CELLS - 1) {
        sum_triangles(b, k, at, 1u << plane, sums);
        for (uint32_t n = 0; n < RNI_FIELD_OWN; n++) {
            is_solid = is_solid || sums->flux[n] < -RNI_NODE_NOISE * b->field->law.at_wall;
            is_fluid = is_fluid || sums->flux[n] > RNI_NODE_NOISE * b->field->law.at_wall;
        }
    }
    return is_solid && !is_fluid;
}

/* Deep in the solid, where no particle is. */
static void fill_solid(const rni_field *field, rni_field_block *block)
{
    memset(block, 0, sizeof *block);
    for (uint32_t n = 0; n < RNI_FIELD_NODES; n++) {
        block->node[n].distance = -(float)field->law.reach;
        block->node[n].part = 1;
        block->node[n].side = RNI_FIELD_SOLID;
    }
}

/* First: the nodes that a block owns, all but those on its upper faces. */
static void fill_block(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    rni_field_builder *b = data;
    const rni_field *field = b->field;
    const uint32_t slot = b->first + piece;
    uint32_t at[3];
    if (!find_block(field, slot, at)) return;
    rni_field_block *block = &field->block[field->index[slot]];
    rni_node_sums sums;
    rni_field_sums one = {0};
    double origin[3];
    const uint32_t k = field->index[slot];
    sort_list(b->list + b->start[k], b->start[k + 1] - b->start[k]);
    if (is_away_in_solid(b, k, at, &sums)) {
        fill_solid(field, block);
        return;
    }
    sum_triangles(b, k, at, (1u << RNI_FIELD_CELLS) - 1, &sums);
    rni_field_sums backs[RNI_FIELD_OWN / RNI_FIELD_BATCH];
    origin_of(field, at, origin);
    const bool has_backs = b->def->is_thin && rni_field_sum_backs(b, k, origin, backs);
    for (uint32_t n = 0; n < RNI_FIELD_OWN; n++) {
        const uint32_t x = n % RNI_FIELD_CELLS, y = n / RNI_FIELD_CELLS % RNI_FIELD_CELLS,
                       z = n / RNI_FIELD_PLANE;
        rni_node_sums_get(&sums, field->law.reach, n, &one);
        if (has_backs) rni_field_leave_back(&backs[n / RNI_FIELD_BATCH], n % RNI_FIELD_BATCH, &one);
        fill_node(b, &one, &block->node[(z * RNI_FIELD_SIDE + y) * RNI_FIELD_SIDE + x]);
    }
}

/* Then: those on its upper faces, which its neighbours own. Where there is no neighbour, no triangle is within
 * reach. */
static void copy_nodes(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const rni_field_builder *b = data;
    const rni_field *field = b->field;
    const uint32_t slot = b->first + piece;
    uint32_t at[3];
    if (!find_block(field, slot, at)) return;
    rni_field_block *block = &field->block[field->index[slot]];
    const rni_field_block *near[8] = {block};
    for (uint32_t k = 1; k < 8; k++) {
        const uint32_t next[3] = {at[0] + (k & 1), at[1] + (k >> 1 & 1), at[2] + (k >> 2)};
        if (next[0] >= field->blocks[0] || next[1] >= field->blocks[1] || next[2] >= field->blocks[2])
            continue;
        const uint32_t found = rni_field_slot(field, rni_field_key(field, next));
        if (field->key[found] != 0) near[k] = &field->block[field->index[found]];
    }
    for (uint32_t n = 0; n < RNI_FIELD_NODES; n++) {
        const uint32_t place[3] = {n % RNI_FIELD_SIDE, n / RNI_FIELD_SIDE % RNI_FIELD_SIDE,
                                   n / (RNI_FIELD_SIDE * RNI_FIELD_SIDE)};
        uint32_t which = 0, own = 0, last = 0;
        for (uint32_t a = 3; a-- > 0;) {
            const bool is_upper = place[a] == RNI_FIELD_CELLS;
            if (is_upper) which |= 1u << a;
            own = own * RNI_FIELD_SIDE + (is_upper ? 0 : place[a]);
            last = last * RNI_FIELD_SIDE + (is_upper ? RNI_FIELD_CELLS - 1 : place[a]);
        }
        if (which == 0) continue;
        rni_field_node *node = &block->node[n];
        *node = near[which] ? near[which]->node[own] : block->node[last];
        if (near[which]) continue;
        node->distance = (float)field->law.reach;
        node->side = RNI_FIELD_UNKNOWN;
        node->clear = (uint8_t)(0.999f * (float)field->law.reach / field->clear_step);
    }
}

/* At last: sides, and what cells are. */
static void mark_block(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const rni_field_builder *b = data;
    const rni_field *field = b->field;
    const uint32_t slot = b->first + piece;
    if (field->key[slot] == 0) return;
    rni_field_block *block = &field->block[field->index[slot]];
    spread_sides(field, block);
    if (field->is_two_sided) mark_cells(field, block);
    mark_flat(block);
}

static void run_pass(rni_field_builder *b, rni_piece_fn pass)
{
    const uint32_t size = 1u << b->field->table_bits;
    for (b->first = 0; b->first < size; b->first += SLICE)
        rni_crew_pieces(b->crew, size - b->first < SLICE ? size - b->first : SLICE, pass, b);
}

static rn_result fill_blocks(rni_field_builder *b)
{
    rni_field *field = b->field;
    rn_result result =
        rni_buffer_need(b->memory, &field->block_buffer, b->key_count + 1u, sizeof(rni_field_block));
    if (result != RN_OK) return result;
    field->block = field->block_buffer.data;
    b->law = rni_node_law_of(&field->law);
    const uint32_t size = 1u << field->table_bits;
    for (b->first = 0; b->first < size; b->first += SLICE) {
        rni_crew_pieces(b->crew, size - b->first < SLICE ? size - b->first : SLICE, fill_block, b);
        if (b->def->progress &&
            !b->def->progress(b->def->progress_data, (double)b->first / (double)size))
            return rni_fail(RN_ERROR_LIMIT, "mesh: its boundary field was stopped by the caller");
    }
    run_pass(b, copy_nodes);
    run_pass(b, mark_block);
    return RN_OK;
}

/* Blocks that are deep in the solid are left out: the others move up. */
static rn_result drop_deep(rni_field_builder *b)
{
    rni_field *field = b->field;
    rni_buffer buffer = {0};
    rn_result result = rni_buffer_need(b->memory, &buffer, b->key_count + 1u, sizeof(uint32_t));
    if (result != RN_OK) return result;
    uint32_t *to = buffer.data;
    for (uint32_t k = 0; k < b->key_count; k++) {
        to[k] = RNI_FIELD_SOLID_BLOCK;
        if (is_deep(field, &field->block[k])) continue;
        to[k] = field->block_count++;
        if (to[k] != k) memcpy(&field->block[to[k]], &field->block[k], sizeof *field->block);
    }
    for (uint32_t slot = 0; slot < 1u << field->table_bits; slot++)
        if (field->key[slot] != 0) field->index[slot] = to[field->index[slot]];
    rni_buffer_free(b->memory, &buffer);
    rni_buffer less = {0};
    if (field->block_count > b->key_count - b->key_count / 4) return RN_OK; /* not worth a copy */
    if (rni_buffer_need(b->memory, &less, field->block_count + 1u, sizeof *field->block) == RN_OK) {
        memcpy(less.data, field->block, field->block_count * sizeof *field->block);
        rni_buffer_free(b->memory, &field->block_buffer);
        field->block_buffer = less;
        field->block = less.data;
    }
    return RN_OK;
}

/* --- the field ------------------------------------------------------------------------------------- */

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
    field->clear_step = (float)(def->law.reach + MARGIN * (double)def->cell) / 254;
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
    }
    return RN_OK;
}

static rn_result build(rni_field_builder *b)
{
    rni_field *field = b->field;
    const double half = 0.5 * RNI_FIELD_CELLS * sqrt(3.0) * (double)b->def->cell;
    field->law = b->def->law;
    rn_result result = shape_field(b->def, field);
    b->wanted = b->def->law.reach + half;
    b->listed = b->wanted + MARGIN * (double)b->def->cell;
    if (result == RN_OK) result = rni_field_find_blocks(b);
    if (result == RN_OK) result = rni_field_make_lists(b);
    if (result == RN_OK) result = fill_blocks(b);
    if (result == RN_OK) result = drop_deep(b);
    return result;
}

rn_result rni_field_build(rni_memory *memory, rni_crew *crew, const rni_field_def *def,
                          rni_field **out)
{
    *out = NULL;
    rni_field *field = rni_memory_take(memory, sizeof *field);
    if (!field) return RN_ERROR_MEMORY;
    memset(field, 0, sizeof *field);
    rni_field_builder b = {
        .memory = memory, .crew = crew, .def = def, .field = field, .add = rni_field_nodes_choose()};
    const rn_result result = build(&b);
    rni_buffer_free(memory, &b.start_buffer);
    rni_buffer_free(memory, &b.list_buffer);
    if (result == RN_OK) *out = field;
    else rni_field_destroy(memory, field);
    return result;
}

void rni_field_destroy(rni_memory *memory, rni_field *field)
{
    if (!field) return;
    rni_buffer_free(memory, &field->block_buffer);
    rni_buffer_free(memory, &field->key_buffer);
    rni_buffer_free(memory, &field->index_buffer);
    rni_memory_give(memory, field, sizeof *field);
}

uint64_t rni_field_bytes(const rni_field *field)
{
    return sizeof *field + field->block_buffer.bytes + field->key_buffer.bytes +
           field->index_buffer.bytes;
}

const rni_field_law *rni_field_law_of(const rni_field *field)
{
    return &field->law;
}
