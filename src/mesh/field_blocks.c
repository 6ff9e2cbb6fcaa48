/* The blocks of a boundary field: those that are within reach of a triangle, and the triangles of each. Blocks are
 * numbered in the order of the triangles that need them. */
#include "base/error.h"
#include "mesh/field_builder.h"

#include <math.h>
#include <string.h>

void rni_field_corners(const rni_field_builder *b, uint32_t t, const float *corner[3])
{
    const rn_mesh *mesh = b->def->mesh;
    for (size_t k = 0; k < 3; k++)
        corner[k] = mesh->vertex + 3 * (size_t)mesh->triangle[3 * (size_t)t + k];
}

static void bounds_of(const rni_field_builder *b, uint32_t t, double low[3], double high[3])
{
    const float *corner[3];
    rni_field_corners(b, t, corner);
    for (int a = 0; a < 3; a++) {
        const double x = (double)corner[0][a], y = (double)corner[1][a], z = (double)corner[2][a];
        low[a] = (double)b->def->scale * fmin(x, fmin(y, z));
        high[a] = (double)b->def->scale * fmax(x, fmax(y, z));
    }
}

static double closest_on_edge(const double a[3], const double b[3], const double x[3])
{
    double along = 0, length_sq = 0, sq = 0;
    for (int k = 0; k < 3; k++) {
        along += (x[k] - a[k]) * (b[k] - a[k]);
        length_sq += (b[k] - a[k]) * (b[k] - a[k]);
    }
    const double part = length_sq > 0 ? fmin(fmax(along / length_sq, 0), 1) : 0;
    for (int k = 0; k < 3; k++) {
        const double d = x[k] - a[k] - part * (b[k] - a[k]);
        sq += d * d;
    }
    return sq;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double rni_field_distance_sq(const rni_field_triangle *t, const double x[3])
{
    double least = (double)INFINITY;
    bool is_over = true;
    const double to[3] = {x[0] - t->corner[0][0], x[1] - t->corner[0][1], x[2] - t->corner[0][2]};
    for (int k = 0; k < 3; k++) {
        const double d[3] = {x[0] - t->corner[k][0], x[1] - t->corner[k][1], x[2] - t->corner[k][2]};
        is_over = is_over && dot(d, t->inward[k]) >= 0;
        least = fmin(least, closest_on_edge(t->corner[k], t->corner[(k + 1) % 3], x));
    }
    const double height = dot(to, t->normal);
    return is_over ? height * height : least;
}

/* m: a coordinate of the middle of a block. */
static double middle_of(const rni_field *field, int a, uint32_t at)
{
    return (double)field->low[a] + ((double)at + 0.5) * RNI_FIELD_CELLS * (double)field->cell;
}

typedef void (*visit_fn)(rni_field_builder *b, uint32_t t, const uint32_t at[3]);

/* Visits the blocks whose middle is within `radius` of triangle t. */
static void visit_blocks(rni_field_builder *b, uint32_t t, double radius, visit_fn visit)
{
    const rni_field *field = b->field;
    rni_field_triangle triangle;
    const float *corner[3];
    double low[3], high[3], x[3];
    uint32_t first[3], last[3], at[3];
    rni_field_corners(b, t, corner);
    if (!rni_field_triangle_make(&triangle, corner[0], corner[1], corner[2], b->def->scale, false))
        return;
    bounds_of(b, t, low, high);
    const double side = RNI_FIELD_CELLS * (double)field->cell;
    double extent = 0;
    for (int a = 0; a < 3; a++) {
        const double end = (double)(field->blocks[a] - 1);
        first[a] =
            (uint32_t)fmin(fmax(floor((low[a] - radius - (double)field->low[a]) / side), 0), end);
        last[a] =
            (uint32_t)fmin(fmax(floor((high[a] + radius - (double)field->low[a]) / side), 0), end);
        extent = fmax(extent, high[a] - low[a]);
    }
    const bool is_small = extent < 0.25 * side;
    for (at[2] = first[2]; at[2] <= last[2]; at[2]++)
        for (at[1] = first[1]; at[1] <= last[1]; at[1]++)
            for (at[0] = first[0]; at[0] <= last[0]; at[0]++) {
                double sq = 0;
                for (int a = 0; a < 3; a++) {
                    x[a] = middle_of(field, a, at[a]);
                    const double over = fmax(fmax(low[a] - x[a], x[a] - high[a]), 0);
                    sq += over * over;
                }
                if (sq > radius * radius) continue;
                if (!is_small && rni_field_distance_sq(&triangle, x) > radius * radius) continue;
                visit(b, t, at);
            }
}

static rn_result make_table(rni_field_builder *b, uint32_t bits)
{
    rni_field *field = b->field;
    const uint64_t size = (uint64_t)1 << bits;
    rni_buffer keys = {0}, indices = {0};
    rn_result result = rni_buffer_need(b->memory, &keys, size, sizeof(uint64_t));
    if (result == RN_OK) result = rni_buffer_need(b->memory, &indices, size, sizeof(uint32_t));
    if (result != RN_OK) {
        rni_buffer_free(b->memory, &keys);
        return result;
    }
    const uint64_t *old_key = field->key;
    const uint32_t *old_index = field->index;
    const uint64_t old_size = field->key ? (uint64_t)1 << field->table_bits : 0;
    memset(keys.data, 0, size * sizeof(uint64_t));
    field->key = keys.data, field->index = indices.data;
    field->table_bits = bits;
    for (uint64_t k = 0; k < old_size; k++) {
        if (old_key[k] == 0) continue;
        const uint32_t slot = rni_field_slot(field, old_key[k]);
        field->key[slot] = old_key[k];
        field->index[slot] = old_index[k];
    }
    rni_buffer_free(b->memory, &field->key_buffer);
    rni_buffer_free(b->memory, &field->index_buffer);
    field->key_buffer = keys, field->index_buffer = indices;
    return RN_OK;
}

static void need_block(rni_field_builder *b, uint32_t t, const uint32_t at[3])
{
    (void)t;
    rni_field *field = b->field;
    const uint64_t key = rni_field_key(field, at);
    const uint32_t slot = rni_field_slot(field, key);
    if (field->key[slot] != 0) return;
    field->key[slot] = key;
    field->index[slot] = b->key_count++;
}

/* Enters the blocks of all triangles. One triangle may need many: the table is grown before and after. */
rn_result rni_field_find_blocks(rni_field_builder *b)
{
    const uint32_t count = b->def->mesh->triangle_count;
    rn_result result = make_table(b, 12);
    for (uint32_t t = 0; t < count && result == RN_OK; t++) {
        double low[3], high[3], most = 1;
        bounds_of(b, t, low, high);
        for (int a = 0; a < 3; a++)
            most *=
                (high[a] - low[a] + 2 * b->wanted) / (RNI_FIELD_CELLS * (double)b->field->cell) + 2;
        if (most > 1e9)
            return rni_fail(RN_ERROR_LIMIT,
                            "mesh: triangle %u is too large for a boundary field with nodes %g m apart; "
                            "make the mesh smaller, or the spacing larger",
                            t, (double)b->field->cell);
        while (result == RN_OK &&
               2 * ((double)b->key_count + most) > (double)((uint64_t)1 << b->field->table_bits))
            result = make_table(b, b->field->table_bits + 1);
        if (result == RN_OK) visit_blocks(b, t, b->wanted, need_block);
    }
    return result;
}

/* Workers count, and then enter, in any order: the list of a block is sorted before it is used. */
static void count_triangle(rni_field_builder *b, uint32_t t, const uint32_t at[3])
{
    (void)t;
    const uint32_t slot = rni_field_slot(b->field, rni_field_key(b->field, at));
    if (b->field->key[slot] != 0)
        __atomic_fetch_add(&b->start[b->field->index[slot] + 1], 1, __ATOMIC_RELAXED);
}

static void enter_triangle(rni_field_builder *b, uint32_t t, const uint32_t at[3])
{
    const uint32_t slot = rni_field_slot(b->field, rni_field_key(b->field, at));
    if (b->field->key[slot] == 0) return;
    b->list[__atomic_fetch_add(&b->start[b->field->index[slot]], 1, __ATOMIC_RELAXED)] = t;
}

#define VISIT_PIECE 256u

static void visit_piece(rni_field_builder *b, uint32_t piece, visit_fn visit)
{
    const uint32_t count = b->def->mesh->triangle_count, from = piece * VISIT_PIECE;
    for (uint32_t t = from; t < count && t < from + VISIT_PIECE; t++)
        visit_blocks(b, t, b->listed, visit);
}

static void count_piece(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    visit_piece(data, piece, count_triangle);
}

static void enter_piece(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    visit_piece(data, piece, enter_triangle);
}

rn_result rni_field_make_lists(rni_field_builder *b)
{
    const uint32_t count = b->def->mesh->triangle_count;
    rn_result result =
        rni_buffer_need(b->memory, &b->start_buffer, b->key_count + 2u, sizeof(uint32_t));
    if (result != RN_OK) return result;
    b->start = b->start_buffer.data;
    memset(b->start, 0, (b->key_count + 2u) * sizeof(uint32_t));
    const uint32_t pieces = (uint32_t)(((uint64_t)count + VISIT_PIECE - 1) / VISIT_PIECE);
    rni_crew_pieces(b->crew, pieces, count_piece, b);
    uint64_t sum = 0;
    for (uint32_t k = 0; k < b->key_count; k++) {
        sum += b->start[k + 1];
        if (sum > UINT32_MAX)
            return rni_fail(RN_ERROR_LIMIT,
                            "mesh: its boundary field needs more than 4 billion entries; take a larger "
                            "spacing, or fewer triangles");
        b->start[k + 1] = (uint32_t)sum;
    }
    result = rni_buffer_need(b->memory, &b->list_buffer, sum + 1, sizeof(uint32_t));
    if (result != RN_OK) return result;
    b->list = b->list_buffer.data;
    rni_crew_pieces(b->crew, pieces, enter_piece, b);
    memmove(b->start + 1, b->start,
            b->key_count * sizeof(uint32_t)); /* each has become the next one's */
    b->start[0] = 0;
    return RN_OK;
}
