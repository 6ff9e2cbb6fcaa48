/* Fills the blocks of a boundary field, group by group of 2 x 2 x 2: the triangles near a group are listed once.
 * Each group is filled by one worker, so the bits do not depend on threads. Blocks that are deep in the solid are
 * found first and get no memory. */
#include "mesh/field_builder.h"

#include <math.h>
#include <string.h>

/* Triangles that are made ready at once for the nodes of a block. */
#define CHUNK 64u
/* Groups of blocks between two calls of the progress function. */
#define SLICE      256u
#define ALL_HALVES ((1u << RNI_FIELD_OWN / RNI_FIELD_HALF) - 1)

/* --- the triangles of a group ---------------------------------------------------------------------- */

/* A triangle and the ball around it, m. */
typedef struct near_triangle {
    rni_field_triangle triangle;
    double middle[3], ball;
    bool is_thin; /* of a wall whose other side is not felt */
} near_triangle;

static bool add_near(void *data, const rni_near *found)
{
    rni_field_near *near = data;
    near->result = rni_buffer_grow(near->memory, &near->indices, near->count + 1u, sizeof(uint32_t));
    if (near->result != RN_OK) return false;
    ((uint32_t *)near->indices.data)[near->count++] = found->triangle;
    return true;
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

static double distance_of(const double a[3], const double b[3])
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(rni_dot3(d, d));
}

/* False: triangle t has no area. */
static bool make_triangle(const rni_field_builder *b, uint32_t t, near_triangle *n)
{
    const rn_mesh *mesh = b->def->mesh;
    const float *corner[3];
    for (size_t k = 0; k < 3; k++)
        corner[k] = mesh->vertex + 3 * (size_t)mesh->triangle[3 * (size_t)t + k];
    if (!rni_field_triangle_make(&n->triangle, corner[0], corner[1], corner[2], b->def->scale,
                                 b->def->is_flipped))
        return false;
    const double(*c)[3] = (const double(*)[3])n->triangle.corner;
    n->is_thin = b->def->is_thin && b->def->is_thin[t];
    for (int a = 0; a < 3; a++) n->middle[a] = (c[0][a] + c[1][a] + c[2][a]) / 3;
    n->ball = 0;
    for (int k = 0; k < 3; k++) n->ball = fmax(n->ball, distance_of(c[k], n->middle));
    return true;
}

/* The triangles that the nodes of the group around block `at` have to sum, in the order of the mesh. */
static void list_triangles(const rni_field_builder *b, const uint32_t at[3], rni_field_near *near)
{
    const uint32_t corner[3] = {at[0] & ~1u, at[1] & ~1u, at[2] & ~1u};
    double middle[3];
    float own[3];
    rni_field_middle(b->field, corner, 2, middle);
    const double off = rni_field_enter_mesh(b, middle, own);
    const double half = 0.5 * RNI_FIELD_CELLS * sqrt(3.0) * (double)b->field->cell;
    near->count = 0;
    near->result = RN_OK;
    rni_hierarchy_within(b->hierarchy, own, (b->listed + half + off) / (double)b->def->scale,
                         add_near, near);
    if (near->result == RN_OK)
        near->result =
            rni_buffer_need(near->memory, &near->triangles, near->count + 1u, sizeof(near_triangle));
    if (near->result != RN_OK) {
        near->count = 0;
        return;
    }
    uint32_t *index = near->indices.data, count = 0;
    near_triangle *list = near->triangles.data;
    if (near->count > 0) sort_list(index, near->count);
    for (uint32_t k = 0; k < near->count; k++) count += make_triangle(b, index[k], &list[count]);
    near->count = count;
}

/* --- the nodes of a block -------------------------------------------------------------------------- */

/* Whether the nodes of a block with this middle have to sum the triangle: it is nearer to the middle than `listed`. */
static bool is_listed(const near_triangle *n, const double middle[3], double listed)
{
    const double d[3] = {n->middle[0] - middle[0], n->middle[1] - middle[1],
                         n->middle[2] - middle[2]};
    const double sq = rni_dot3(d, d), most = listed + n->ball;
    if (sq > most * most) return false;
    if (sq <= listed * listed) return true;
    rni_near near;
    rni_triangle_nearest((const double(*)[3])n->triangle.corner, middle, &near);
    return near.distance_sq <= listed * listed;
}

/* The first node of a block. */
static void origin_of(const rni_field *field, const uint32_t at[3], double origin[3])
{
    for (int a = 0; a < 3; a++)
        origin[a] = (double)field->low[a] + (double)(at[a] * RNI_FIELD_CELLS) * (double)field->cell;
}

/* The sums of the half planes of nodes that `halves` has as bits; distances are known within `margin`, m, beyond the
 * reach. */
static void sum_triangles(const rni_field_builder *b, const uint32_t at[3], double margin,
                          const rni_field_near *near, uint32_t halves, rni_node_sums *sums)
{
    rni_ready_triangle ready[CHUNK];
    double origin[3], middle[3];
    const double cell = (double)b->field->cell;
    const near_triangle *list = near->triangles.data;
    rni_node_sums_clear(sums);
    rni_field_middle(b->field, at, 1, middle);
    origin_of(b->field, at, origin);
    for (uint32_t n = 0; n < near->count;) {
        uint32_t count = 0;
        for (; n < near->count && count < CHUNK; n++) {
            if (!is_listed(&list[n], middle, b->wanted + margin)) continue;
            rni_field_make_ready(&b->field->law, &list[n].triangle, origin, cell, margin,
                                 &ready[count]);
            ready[count].halves &= halves;
            count += ready[count].halves != 0;
        }
        b->add(&b->law, ready, count, sums);
    }
}

static void fill_node(const rni_field_builder *b, const rni_field_sums *sums, rni_field_node *node,
                      rni_field_part *part)
{
    const rni_field *field = b->field;
    rni_field_value value;
    node->side = (uint8_t)rni_field_value_of(&field->law, sums, 0, RNI_NODE_NOISE,
                                             field->is_two_sided, &value);
    node->distance = value.distance;
    memcpy(node->gradient, value.gradient, sizeof node->gradient);
    part->part = value.part;
    memcpy(part->gradient, value.part_gradient, sizeof part->gradient);
    for (int k = 0; k < 6; k++) node->spread[k] = (int8_t)lrintf(127 * value.spread[k]);
    node->clear = (uint8_t)fminf(value.clear / field->clear_step * 0.9999f, 255.0f);
}

/* --- passes over the groups ------------------------------------------------------------------------ */

/* The blocks of a group of the current slice. */
static uint32_t group_begin(const rni_field_builder *b, uint32_t piece)
{
    return b->group_start[b->first_group + piece];
}

static uint32_t group_end(const rni_field_builder *b, uint32_t piece)
{
    return b->group_start[b->first_group + piece + 1];
}

/* Whether a block is deep in the solid: no surface is in it or near it, and one of its nodes is on that side. */
static bool is_solid(const rni_field_builder *b, const rni_field_place *place,
                     const rni_field_near *near)
{
    const double noise = RNI_NODE_NOISE * b->field->law.at_wall;
    bool has_solid = false, has_fluid = false;
    rni_node_sums sums;
    for (uint32_t plane = 0; plane < RNI_FIELD_CELLS && !has_solid && !has_fluid;
         plane += RNI_FIELD_CELLS - 1) {
        sum_triangles(b, place->at, 0, near, 3u << 2 * plane, &sums); /* fluxes only */
        for (uint32_t n = 0; n < RNI_FIELD_OWN; n++) {
            has_solid = has_solid || sums.flux[n] < -noise;
            has_fluid = has_fluid || sums.flux[n] > noise;
        }
    }
    return has_solid && !has_fluid;
}

static void find_solid(void *data, uint32_t piece, uint32_t worker)
{
    rni_field_builder *b = data;
    rni_field_near *near = &b->near[worker];
    bool has_list = false;
    for (uint32_t k = group_begin(b, piece); k < group_end(b, piece); k++) {
        rni_field_place *place = &b->place[k];
        place->is_solid = false;
        if (!place->is_away || b->field->is_two_sided) continue;
        if (!has_list) list_triangles(b, place->at, near);
        has_list = true;
        place->is_solid = is_solid(b, place, near);
    }
    if (has_list) rni_failure_keep(&b->failure, near->result);
}

/* What the nodes of a block see of the backs of thin walls; false: nothing. */
static bool sum_backs(const rni_field_builder *b, const uint32_t at[3], const rni_field_near *near,
                      rni_field_sums *backs)
{
    const near_triangle *list = near->triangles.data;
    double origin[3], middle[3];
    bool has_any = false;
    if (!b->def->is_thin) return false;
    rni_field_backs_clear(backs);
    rni_field_middle(b->field, at, 1, middle);
    origin_of(b->field, at, origin);
    for (uint32_t n = 0; n < near->count; n++)
        if (list[n].is_thin && is_listed(&list[n], middle, b->listed))
            has_any |= rni_field_add_back(b->field, &list[n].triangle, origin, backs);
    return has_any;
}

/* First: the nodes that a block owns, all but those on its upper faces. */
static void fill_block(const rni_field_builder *b, const rni_field_place *place,
                       const rni_field_near *near)
{
    rni_node_sums sums;
    rni_field_sums one = {0};
    rni_field_block *block = &b->field->block[place->index];
    rni_field_sums backs[RNI_FIELD_OWN / RNI_FIELD_BATCH];
    sum_triangles(b, place->at, RNI_FIELD_MARGIN * (double)b->field->cell, near, ALL_HALVES, &sums);
    const bool has_backs = sum_backs(b, place->at, near, backs);
    for (uint32_t n = 0; n < RNI_FIELD_OWN; n++) {
        const uint32_t x = n % RNI_FIELD_CELLS, y = n / RNI_FIELD_CELLS % RNI_FIELD_CELLS,
                       z = n / RNI_FIELD_PLANE;
        rni_node_sums_get(&sums, b->field->law.reach, n, &one);
        if (has_backs) rni_field_leave_back(&backs[n / RNI_FIELD_BATCH], n % RNI_FIELD_BATCH, &one);
        const uint32_t at = (z * RNI_FIELD_SIDE + y) * RNI_FIELD_SIDE + x;
        fill_node(b, &one, &block->node[at], &block->part[at]);
    }
}

static void fill_group(void *data, uint32_t piece, uint32_t worker)
{
    rni_field_builder *b = data;
    rni_field_near *near = &b->near[worker];
    bool has_list = false;
    for (uint32_t k = group_begin(b, piece); k < group_end(b, piece); k++) {
        if (b->place[k].is_solid) continue;
        if (!has_list) list_triangles(b, b->place[k].at, near);
        has_list = true;
        fill_block(b, &b->place[k], near);
    }
    if (has_list) rni_failure_keep(&b->failure, near->result);
}

/* The neighbours of a block towards higher x (bit 0), y and z; NULL: none. */
static void find_neighbours(const rni_field_builder *b, const uint32_t at[3],
                            const rni_field_block *near[8])
{
    const rni_field *field = b->field;
    for (uint32_t k = 1; k < 8; k++) {
        const uint32_t next[3] = {at[0] + (k & 1), at[1] + (k >> 1 & 1), at[2] + (k >> 2)};
        near[k] = NULL;
        if (next[0] >= field->blocks[0] || next[1] >= field->blocks[1] || next[2] >= field->blocks[2])
            continue;
        const rni_field_entry *entry = rni_field_find(field, rni_field_key(field, next));
        if (entry->key != 0) near[k] = &field->block[b->place[entry->index].index];
    }
}

/* Then: those on its upper faces, which its neighbours own. Where there is no neighbour, no triangle is within
 * reach. */
static void copy_nodes(const rni_field_builder *b, const rni_field_place *place)
{
    const rni_field *field = b->field;
    rni_field_block *block = &field->block[place->index];
    const rni_field_block *near[8] = {block};
    find_neighbours(b, place->at, near);
    for (uint32_t row = 0; row < RNI_FIELD_SIDE * RNI_FIELD_SIDE; row++) {
        const bool is_high_y = row % RNI_FIELD_SIDE == RNI_FIELD_CELLS,
                   is_high_z = row / RNI_FIELD_SIDE == RNI_FIELD_CELLS;
        for (uint32_t x = is_high_y || is_high_z ? 0 : RNI_FIELD_CELLS; x < RNI_FIELD_SIDE; x++) {
            const bool is_high_x = x == RNI_FIELD_CELLS;
            const uint32_t n = row * RNI_FIELD_SIDE + x;
            const uint32_t step =
                is_high_x + RNI_FIELD_SIDE * (is_high_y + RNI_FIELD_SIDE * is_high_z);
            const rni_field_block *from = near[is_high_x + 2u * is_high_y + 4u * is_high_z];
            rni_field_node *node = &block->node[n];
            *node = from ? from->node[n - RNI_FIELD_CELLS * step] : block->node[n - step];
            block->part[n] = from ? from->part[n - RNI_FIELD_CELLS * step] : block->part[n - step];
            if (from) continue;
            node->distance = (float)field->law.reach;
            node->side = RNI_FIELD_UNKNOWN;
            node->clear = (uint8_t)(0.999f * (float)field->law.reach / field->clear_step);
        }
    }
}

static void copy_group(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const rni_field_builder *b = data;
    for (uint32_t k = group_begin(b, piece); k < group_end(b, piece); k++)
        if (!b->place[k].is_solid) copy_nodes(b, &b->place[k]);
}

/* At last: sides, and what cells are. */
static void mark_group(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const rni_field_builder *b = data;
    for (uint32_t k = group_begin(b, piece); k < group_end(b, piece); k++)
        if (!b->place[k].is_solid)
            rni_field_mark_cells(b->field, &b->field->block[b->place[k].index]);
}

/* Calls a pass for all groups, and the progress function, from `from` to `to`. */
static rn_result run_pass(rni_field_builder *b, rni_piece_fn pass, double from, double to)
{
    const rni_field_def *def = b->def;
    for (b->first_group = 0; b->first_group < b->group_count; b->first_group += SLICE) {
        const uint32_t rest = b->group_count - b->first_group;
        rni_crew_pieces(b->crew, rest < SLICE ? rest : SLICE, pass, b);
        const double part = (double)b->first_group / (double)b->group_count;
        if (def->progress && !def->progress(def->progress_data, from + part * (to - from)))
            return rni_fail(RN_ERROR_LIMIT, "mesh: its boundary field was stopped by the caller");
    }
    return rni_failure_raise(&b->failure);
}

/* --- all blocks ------------------------------------------------------------------------------------ */

/* Gives memory to the blocks that are not solid, and one block to those that are. */
static rn_result number_blocks(rni_field_builder *b)
{
    rni_field *field = b->field;
    uint32_t count = 0;
    for (uint32_t k = 0; k < b->block_count; k++)
        if (!b->place[k].is_solid) b->place[k].index = count++;
    rn_result result =
        rni_buffer_need(b->memory, &field->block_buffer, count + 1u, sizeof(rni_field_block));
    if (result != RN_OK) return result;
    field->block = field->block_buffer.data;
    for (uint32_t k = 0; k < b->block_count; k++)
        if (b->place[k].is_solid) b->place[k].index = count;
    rni_field_block *solid = &field->block[count];
    memset(solid, 0, sizeof *solid);
    for (uint32_t n = 0; n < RNI_FIELD_NODES; n++) {
        solid->node[n].distance = -(float)field->law.reach;
        solid->part[n].part = 1;
        solid->node[n].side = RNI_FIELD_SOLID;
    }
    return RN_OK;
}

/* Blocks whose nodes turned out to be deep in the solid or beyond the reach are left out: the others move up. */
static void drop_blocks(rni_field_builder *b)
{
    rni_field *field = b->field;
    for (uint32_t k = 0; k < b->block_count; k++) {
        rni_field_place *place = &b->place[k];
        const rni_field_block *block = &field->block[place->index];
        rni_field_entry *entry = rni_field_find(field, rni_field_key(field, place->at));
        rni_field_note_cells(block, entry);
        if (place->is_solid || rni_field_is_deep(field, block))
            entry->index = RNI_FIELD_SOLID_BLOCK;
        else if (entry->beyond == UINT64_MAX) entry->index = RNI_FIELD_NO_BLOCK;
        else {
            entry->index = field->block_count++;
            if (block != &field->block[entry->index])
                memcpy(&field->block[entry->index], block, sizeof *block);
        }
    }
}

static rn_result run_passes(rni_field_builder *b)
{
    rn_result result = run_pass(b, find_solid, 0, 0.1);
    if (result == RN_OK) result = number_blocks(b);
    if (result == RN_OK) result = run_pass(b, fill_group, 0.1, 0.9);
    if (result == RN_OK) result = run_pass(b, copy_group, 0.9, 0.95);
    if (result == RN_OK) result = run_pass(b, mark_group, 0.95, 1);
    if (result == RN_OK) drop_blocks(b);
    return result;
}

rn_result rni_field_fill_blocks(rni_field_builder *b)
{
    const uint32_t workers = rni_crew_size(b->crew);
    b->law = rni_node_law_of(&b->field->law);
    rn_result result = rni_buffer_need(b->memory, &b->near_buffer, workers, sizeof *b->near);
    if (result != RN_OK) return result;
    b->near = b->near_buffer.data;
    for (uint32_t w = 0; w < workers; w++) b->near[w] = (rni_field_near){.memory = b->memory};
    result = run_passes(b);
    for (uint32_t w = 0; w < workers; w++) {
        rni_buffer_free(b->memory, &b->near[w].indices);
        rni_buffer_free(b->memory, &b->near[w].triangles);
    }
    rni_buffer_free(b->memory, &b->near_buffer);
    return result;
}
