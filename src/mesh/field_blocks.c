/* The blocks of a boundary field: those that are within reach of a triangle, by cubes of cubes. A cube of blocks
 * that no triangle is near is left out as a whole; down to regions by one thread, within regions by all. Blocks
 * are numbered region by region, so those near each other are near in memory, too. */
#include "base/error.h"
#include "mesh/field_builder.h"

#include <math.h>
#include <string.h>

#define ROOT3 1.7320508075688772

/* Blocks along a side of a region. */
#define REGION      8u
#define REGION_SIZE (REGION * REGION * REGION)
/* Fields have fewer regions than this: more would take more than a terabyte. */
#define MOST_REGIONS (1u << 20)

/* The blocks of a region, bit by bit: x fastest, a word for each z. */
typedef struct region {
    uint32_t at[3];
    uint64_t has[REGION];     /* within reach of a triangle */
    uint64_t is_away[REGION]; /* no triangle is in it or near it */
} region;

/* A cube of blocks; lengths in m. */
typedef struct cube {
    uint32_t at[3], size;
    double least, most; /* bounds of the distance from its middle to the nearest triangle */
} cube;

static double block_side(const rni_field *field)
{
    return RNI_FIELD_CELLS * (double)field->cell;
}

void rni_field_middle(const rni_field *field, const uint32_t at[3], uint32_t size, double middle[3])
{
    for (int a = 0; a < 3; a++)
        middle[a] = (double)field->low[a] + ((double)at[a] + 0.5 * size) * block_side(field);
}

double rni_field_enter_mesh(const rni_field_builder *b, const double x[3], float own[3])
{
    const double scale = (double)b->def->scale;
    double off_sq = 0;
    for (int a = 0; a < 3; a++) {
        own[a] = (float)(x[a] / scale);
        off_sq += (scale * (double)own[a] - x[a]) * (scale * (double)own[a] - x[a]);
    }
    return sqrt(off_sq) + 1e-12 * scale;
}

/* Asks the triangles how near they are, if that is not known to be less than `enough` or more than `radius`. False: more
 * than `radius`. */
static bool is_within(const rni_field_builder *b, cube *c, double enough, double radius)
{
    if (c->most <= enough) return true;
    if (c->least > radius) return false;
    double middle[3];
    float own[3];
    rni_near near;
    rni_field_middle(b->field, c->at, c->size, middle);
    const double scale = (double)b->def->scale, off = rni_field_enter_mesh(b, middle, own);
    if (!rni_hierarchy_closest(b->hierarchy, own, (radius + off) / scale, &near)) return false;
    c->least = scale * sqrt(near.distance_sq) - off;
    c->most = c->least + 2 * off;
    return c->least <= radius;
}

typedef rn_result (*visit_fn)(void *data, const cube *c);

/* Divides a cube down to those of `least` blocks a side that hold a block within reach, in a fixed order. */
static rn_result divide(const rni_field_builder *b, cube root, uint32_t least, visit_fn visit,
                        void *data)
{
    cube stack[8 * 24];
    uint32_t top = 0;
    stack[top++] = root;
    const double reach = b->wanted - 0.5 * ROOT3 * block_side(b->field);
    while (top > 0) {
        cube c = stack[--top];
        const double half = 0.5 * ROOT3 * c.size * block_side(b->field);
        /* Of a block it matters whether the triangles are away from it. */
        const double enough = c.size == 1 ? b->away : reach + half;
        if (!is_within(b, &c, enough, reach + half)) continue;
        if (c.size == least) {
            rn_result result = visit(data, &c);
            if (result != RN_OK) return result;
            continue;
        }
        for (uint32_t k = 8; k-- > 0;) {
            cube child = {
                .size = c.size / 2, .least = c.least - 0.5 * half, .most = c.most + 0.5 * half};
            bool is_inside = true;
            for (uint32_t a = 0; a < 3; a++) {
                child.at[a] = c.at[a] + (k >> a & 1) * child.size;
                is_inside = is_inside && child.at[a] < b->field->blocks[a];
            }
            if (is_inside) stack[top++] = child;
        }
    }
    return RN_OK;
}

/* --- regions --------------------------------------------------------------------------------------- */

static rn_result add_region(void *data, const cube *c)
{
    rni_field_builder *b = data;
    if (b->region_count >= MOST_REGIONS)
        return rni_fail(RN_ERROR_LIMIT,
                        "mesh: it is too large for a boundary field with nodes %g m apart; make the mesh "
                        "smaller, or the spacing larger",
                        (double)b->field->cell);
    rn_result result =
        rni_buffer_grow(b->memory, &b->region_buffer, b->region_count + 1u, sizeof(region));
    if (result != RN_OK) return result;
    region *r = (region *)b->region_buffer.data + b->region_count++;
    memset(r, 0, sizeof *r);
    memcpy(r->at, c->at, sizeof r->at);
    return RN_OK;
}

typedef struct region_job {
    const rni_field_builder *b;
    region *r;
} region_job;

static rn_result add_block(void *data, const cube *c)
{
    const region_job *job = data;
    region *r = job->r;
    const uint32_t z = c->at[2] - r->at[2], y = c->at[1] - r->at[1], x = c->at[0] - r->at[0];
    const uint64_t bit = (uint64_t)1 << (y * REGION + x);
    r->has[z] |= bit;
    if (c->least > job->b->away) r->is_away[z] |= bit;
    return RN_OK;
}

static cube cube_at(const uint32_t at[3], uint32_t size)
{
    cube c = {.size = size, .least = 0, .most = (double)INFINITY};
    memcpy(c.at, at, sizeof c.at);
    return c;
}

static void search_region(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    rni_field_builder *b = data;
    region_job job = {b, (region *)b->region_buffer.data + piece};
    (void)divide(b, cube_at(job.r->at, REGION), 1, add_block, &job); /* add_block never fails */
}

/* --- the table ------------------------------------------------------------------------------------- */

static rn_result make_table(rni_field_builder *b)
{
    rni_field *field = b->field;
    field->table_bits = 4;
    while ((uint64_t)1 << field->table_bits < 2 * (uint64_t)b->block_count) field->table_bits++;
    const uint64_t size = (uint64_t)1 << field->table_bits;
    rn_result result = rni_buffer_need(b->memory, &field->entry_buffer, size, sizeof *field->entry);
    if (result == RN_OK)
        result = rni_buffer_need(b->memory, &b->place_buffer, b->block_count + 1u, sizeof *b->place);
    if (result == RN_OK) /* there are no more groups than blocks */
        result = rni_buffer_need(b->memory, &b->group_buffer, b->block_count + 2u,
                                 sizeof *b->group_start);
    if (result != RN_OK) return result;
    b->group_start = b->group_buffer.data;
    field->entry = field->entry_buffer.data;
    b->place = b->place_buffer.data;
    memset(field->entry, 0, size * sizeof *field->entry);
    return RN_OK;
}

/* Block n of a region, in the order of the field: the blocks of a group follow each other. */
static void enter_block(rni_field_builder *b, const region *r, uint32_t n, uint32_t *next)
{
    uint32_t in[3];
    for (uint32_t a = 0; a < 3; a++) in[a] = 2 * (n / 8 >> 2 * a & 3) + (n >> a & 1);
    const uint64_t bit = (uint64_t)1 << (in[1] * REGION + in[0]);
    if (n % 8 == 0) b->group_start[b->group_count] = *next;
    if (r->has[in[2]] & bit) {
        rni_field_place *place = &b->place[*next];
        for (int a = 0; a < 3; a++) place->at[a] = r->at[a] + in[a];
        place->is_away = (r->is_away[in[2]] & bit) != 0;
        const uint64_t key = rni_field_key(b->field, place->at);
        rni_field_entry *entry = rni_field_find(b->field, key);
        entry->key = key;
        entry->index = (*next)++;
    }
    if (n % 8 == 7 && *next > b->group_start[b->group_count]) b->group_count++;
}

rn_result rni_field_find_blocks(rni_field_builder *b)
{
    uint32_t size = REGION;
    const uint32_t *blocks = b->field->blocks, first[3] = {0, 0, 0};
    while (size < blocks[0] || size < blocks[1] || size < blocks[2]) size *= 2;
    rn_result result = divide(b, cube_at(first, size), REGION, add_region, b);
    if (result != RN_OK) return result;
    rni_crew_pieces(b->crew, b->region_count, search_region, b);
    const region *regions = b->region_buffer.data;
    uint64_t count = 0;
    for (uint32_t k = 0; k < b->region_count; k++)
        for (uint32_t z = 0; z < REGION; z++)
            count += (uint32_t)__builtin_popcountll(regions[k].has[z]);
    b->block_count = (uint32_t)count;
    result = make_table(b);
    if (result != RN_OK) return result;
    uint32_t next = 0;
    for (uint32_t k = 0; k < b->region_count; k++)
        for (uint32_t n = 0; n < REGION_SIZE; n++) enter_block(b, &regions[k], n, &next);
    b->group_start[b->group_count] = next;
    rni_buffer_free(b->memory, &b->region_buffer);
    return RN_OK;
}
