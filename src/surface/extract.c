/* From the field to vertices and triangles, block by block.
 *
 * First each block finds which of its edges the surface crosses; then it knows its share of the final arrays,
 * and writes its vertices and triangles there. Vertices on faces between blocks belong to one block; the
 * others look up the number: first vertex of the block + crossed edges before this one. */
#include "surface/surface.h"

#include <math.h>
#include <string.h>

#define ROWS (RNI_BLOCK + 1)
/* Vertices keep this share of an edge away from its ends, so that no two coincide. */
#define EDGE_MARGIN 0.002f
/* Vertices within this share of a step belong to a wall. */
#define WALL_WIDTH 0.1f

/* Bit x of bits[8 z + y]: point x, y, z of the block is inside. */
static void find_bits(const rn_surface *s, const rni_block *block, uint8_t *bits)
{
    const float level = s->level;
    const float *f = (const float *)s->fields.data + (size_t)block->field * RNI_BLOCK_POINTS;
    for (uint32_t r = 0; r < RNI_BLOCK * RNI_BLOCK; r++, f += RNI_BLOCK) {
        uint32_t row = 0;
        for (uint32_t x = 0; x < RNI_BLOCK; x++) row |= (uint32_t)(f[x] > level) << x;
        bits[r] = (uint8_t)row;
    }
    if (block->wall == RNI_NO_BLOCK) return;
    const float *d = (const float *)s->walls.data + (size_t)block->wall * RNI_BLOCK_POINTS;
    for (uint32_t r = 0; r < RNI_BLOCK * RNI_BLOCK; r++, d += RNI_BLOCK)
        for (uint32_t x = 0; x < RNI_BLOCK; x++) bits[r] &= (uint8_t) ~((d[x] <= 0) << x);
}

static void find_bits_of(void *data, uint32_t number, uint32_t worker)
{
    rn_surface *s = data;
    (void)worker;
    const rni_block *block =
        (const rni_block *)s->block.data + ((const uint32_t *)s->evaluated.data)[number];
    find_bits(s, block, (uint8_t *)s->inside.data + (size_t)number * RNI_BLOCK * RNI_BLOCK);
}

/* Sets edges->inside from the bits of the block and of its neighbours above. */
static void find_inside(const rn_surface *s, rni_block_edges *edges)
{
    static const uint8_t none[RNI_BLOCK * RNI_BLOCK] = {0};
    const rni_block *blocks = s->block.data;
    uint8_t all[RNI_BLOCK * RNI_BLOCK];
    const uint8_t *near[8];
    memset(all, 0xff, sizeof all);
    for (uint32_t n = 0; n < 8; n++) {
        const uint32_t b = edges->around[13 + (n & 1u) + 3 * (n >> 1 & 1u) + 9 * (n >> 2)];
        near[n] = b == RNI_NO_BLOCK ? none : all;
        if (b != RNI_NO_BLOCK && blocks[b].field != RNI_NO_BLOCK)
            near[n] =
                (const uint8_t *)s->inside.data + (size_t)blocks[b].field * RNI_BLOCK * RNI_BLOCK;
    }
    for (uint32_t z = 0; z < ROWS; z++)
        for (uint32_t y = 0; y < ROWS; y++) {
            const uint32_t above = (y >> 3) << 1 | (z >> 3) << 2;
            const uint32_t r = (z & 7u) * RNI_BLOCK + (y & 7u);
            edges->inside[z][y] = (uint16_t)(near[above][r] | (near[above | 1][r] & 1u) << 8);
        }
}

/* The four rows of points around the cubes of row y, z. */
typedef struct cube_rows {
    uint32_t row[4];
} cube_rows;

static cube_rows rows_of(const rni_block_edges *e, uint32_t y, uint32_t z)
{
    return (cube_rows){
        {e->inside[z][y], e->inside[z][y + 1], e->inside[z + 1][y], e->inside[z + 1][y + 1]}};
}

/* Bit x: the surface passes through cube x. */
static uint32_t crossed_cubes(const cube_rows *r)
{
    const uint32_t all = r->row[0] & r->row[1] & r->row[2] & r->row[3];
    const uint32_t any = r->row[0] | r->row[1] | r->row[2] | r->row[3];
    return (any | any >> 1) & ~(all & all >> 1) & 0xffu;
}

static uint32_t case_of(const cube_rows *r, uint32_t x)
{
    return (r->row[0] >> x & 3u) | (r->row[1] >> x & 3u) << 2 | (r->row[2] >> x & 3u) << 4 |
           (r->row[3] >> x & 3u) << 6;
}

/* Of eight bits: sums of pairs, of fours, of all. */
static uint32_t count_bits(uint32_t bits)
{
    bits -= bits >> 1 & 0x55u;
    bits = (bits & 0x33u) + (bits >> 2 & 0x33u);
    return (bits + (bits >> 4)) & 0x0fu;
}

/* --- counting ---------------------------------------------------------------------------------------- */

static void find_edges(rni_block_edges *edges)
{
    uint32_t count = 0;
    for (uint32_t z = 0; z < RNI_BLOCK; z++)
        for (uint32_t y = 0; y < RNI_BLOCK; y++) {
            const uint32_t r = z * RNI_BLOCK + y, row = edges->inside[z][y];
            edges->edge[0][r] = (uint8_t)(row ^ row >> 1);
            edges->edge[1][r] = (uint8_t)(row ^ edges->inside[z][y + 1]);
            edges->edge[2][r] = (uint8_t)(row ^ edges->inside[z + 1][y]);
            for (uint32_t a = 0; a < 3; a++) {
                edges->start[a][r] = (uint16_t)count;
                count += count_bits(edges->edge[a][r]);
            }
        }
    edges->vertex_count = count;
}

static uint32_t count_triangles(const rni_block_edges *edges)
{
    const rni_cube_table *table = rni_cube_table_get();
    uint32_t count = 0;
    for (uint32_t z = 0; z < RNI_BLOCK; z++)
        for (uint32_t y = 0; y < RNI_BLOCK; y++) {
            const cube_rows rows = rows_of(edges, y, z);
            for (uint32_t bits = crossed_cubes(&rows); bits; bits &= bits - 1)
                count += table->triangle_count[case_of(&rows, (uint32_t)__builtin_ctz(bits))];
        }
    return count;
}

static void count_block(void *data, uint32_t number, uint32_t worker)
{
    rn_surface *s = data;
    (void)worker;
    rni_block_edges *edges = (rni_block_edges *)s->borders.data + number;
    const rni_block *block = (const rni_block *)s->block.data + edges->block;
    rni_block_around(s, block->key, edges->around);
    find_inside(s, edges);
    find_edges(edges);
    edges->triangle_count = count_triangles(edges);
}

/* Blocks that own edges at the border of the computed field, too: their neighbours above are computed. */
static bool has_border(const rn_surface *s, const rni_block *block)
{
    const rni_block *blocks = s->block.data;
    uint32_t around[27];
    if (block->field != RNI_NO_BLOCK) return true;
    rni_block_around(s, block->key, around);
    for (uint32_t n = 13; n < 27; n++) {
        bool is_above = n % 3 >= 1 && n / 3 % 3 >= 1;
        if (is_above && around[n] != RNI_NO_BLOCK && blocks[around[n]].field != RNI_NO_BLOCK)
            return true;
    }
    return false;
}

static rn_result list_borders(rn_surface *s)
{
    rni_block *block = s->block.data;
    s->border_count = 0;
    for (uint32_t b = 0; b < s->block_count; b++) {
        if (!has_border(s, &block[b])) continue;
        if (rni_buffer_grow(&s->memory, &s->borders, s->border_count + (uint64_t)1,
                            sizeof(rni_block_edges)))
            return RN_ERROR_MEMORY;
        ((rni_block_edges *)s->borders.data)[s->border_count].block = b;
        block[b].border = s->border_count++;
    }
    return RN_OK;
}

static rn_result count_all(rn_surface *s)
{
    rn_result result = list_borders(s);
    if (result == RN_OK)
        result = rni_surface_need(&s->memory, &s->inside, s->field_count + (uint64_t)1,
                                  RNI_BLOCK * RNI_BLOCK);
    if (result != RN_OK) return result;
    rni_crew_pieces(s->crew, s->field_count, find_bits_of, s);
    rni_crew_pieces(s->crew, s->border_count, count_block, s);
    rni_block_edges *edges = s->borders.data;
    uint64_t vertices = 0, triangles = 0;
    for (uint32_t n = 0; n < s->border_count; n++) {
        edges[n].vertex_begin = (uint32_t)vertices;
        edges[n].triangle_begin = (uint32_t)triangles;
        vertices += edges[n].vertex_count;
        triangles += edges[n].triangle_count;
        if (vertices >= UINT32_MAX / 3 || triangles >= UINT32_MAX / 3)
            return rni_fail(RN_ERROR_LIMIT,
                            "the surface has more than %u triangles; choose larger voxels",
                            UINT32_MAX / 3);
    }
    s->vertex_count = (uint32_t)vertices;
    s->triangle_count = (uint32_t)triangles;
    return RN_OK;
}

/* --- vertices ---------------------------------------------------------------------------------------- */

/* A block while its vertices are written. */
typedef struct padded {
    float field[RNI_PAD_POINTS], wall[RNI_PAD_POINTS];
    float origin[3], per_step[3]; /* m; 1 / m */
    bool has_wall;
} padded;

static void gradient_at(const padded *pad, const float *values, uint32_t p, float out[3])
{
    static const uint32_t stride[3] = {1, RNI_PAD, RNI_PAD * RNI_PAD};
    for (uint32_t k = 0; k < 3; k++)
        out[k] = (values[p + stride[k]] - values[p - stride[k]]) * pad->per_step[k];
}

/* Where the edge from p to q = p + stride leaves the water, as a share of the edge; *is_wall: at a wall. */
static float find_crossing(const rn_surface *s, const padded *pad, uint32_t p, uint32_t q,
                           bool *is_wall)
{
    bool is_inside = pad->field[p] > s->level && (!pad->has_wall || pad->wall[p] > 0);
    uint32_t in = is_inside ? p : q;
    uint32_t out = is_inside ? q : p;
    float t = 1;
    *is_wall = false;
    if (pad->field[out] <= s->level)
        t = (pad->field[in] - s->level) / (pad->field[in] - pad->field[out]);
    if (pad->has_wall && pad->wall[out] <= 0) {
        float u = pad->wall[in] / (pad->wall[in] - pad->wall[out]);
        *is_wall = u <= t;
        if (u < t) t = u;
    }
    t = t < EDGE_MARGIN ? EDGE_MARGIN : t > 1 - EDGE_MARGIN ? 1 - EDGE_MARGIN : t;
    return is_inside ? t : 1 - t;
}

static void write_vertex(const rn_surface *s, const padded *pad, const uint32_t at[3],
                         uint32_t axis, uint32_t v)
{
    static const uint32_t stride[3] = {1, RNI_PAD, RNI_PAD * RNI_PAD};
    uint32_t p = ((at[2] + 1) * RNI_PAD + at[1] + 1) * RNI_PAD + at[0] + 1;
    uint32_t q = p + stride[axis];
    bool is_wall;
    float t = find_crossing(s, pad, p, q, &is_wall);
    const float *values = is_wall ? pad->wall : pad->field;
    float first[3], last[3];
    gradient_at(pad, values, p, first);
    gradient_at(pad, values, q, last);
    float *vertex = (float *)s->vertex.data + 3 * (size_t)v;
    float *normal = (float *)s->normal.data + 3 * (size_t)v;
    float length_sq = 0;
    for (uint32_t k = 0; k < 3; k++) {
        float along = (float)at[k] + (k == axis ? t : 0);
        vertex[k] = pad->origin[k] + along * s->grid.step[k];
        normal[k] = -(first[k] + t * (last[k] - first[k]));
        length_sq += normal[k] * normal[k];
    }
    float scale = length_sq > 0 ? 1 / sqrtf(length_sq) : 0;
    for (uint32_t k = 0; k < 3; k++) normal[k] *= scale;
    if (!(length_sq > 0)) normal[axis] = 1;
    /* Where the water ends above the last point in front of a wall, it ends at the wall. */
    float distance = pad->has_wall ? pad->wall[p] + t * (pad->wall[q] - pad->wall[p]) : INFINITY;
    ((uint8_t *)s->on_wall.data)[v] = is_wall || distance < WALL_WIDTH * s->grid.step[axis];
}

static void write_vertices(const rn_surface *s, const padded *pad, const rni_block_edges *edges)
{
    uint32_t v = edges->vertex_begin;
    for (uint32_t r = 0; r < RNI_BLOCK * RNI_BLOCK; r++)
        for (uint32_t axis = 0; axis < 3; axis++)
            for (uint32_t bits = edges->edge[axis][r]; bits; bits &= bits - 1) {
                const uint32_t at[3] = {(uint32_t)__builtin_ctz(bits), r % RNI_BLOCK, r / RNI_BLOCK};
                write_vertex(s, pad, at, axis, v++);
            }
}

/* --- triangles --------------------------------------------------------------------------------------- */

/* Vertex of the edge that starts at point at (0 to 8 along each axis). near: the block and its seven neighbours
 * above, bit k: above along axis k. */
static uint32_t vertex_of(const rni_block_edges *const near[8], const uint32_t at[3], uint32_t axis)
{
    uint32_t n = at[0] >> 3 | (at[1] >> 3) << 1 | (at[2] >> 3) << 2;
    const rni_block_edges *e = near[n];
    uint32_t x = at[0] & 7u;
    uint32_t r = (at[2] & 7u) * RNI_BLOCK + (at[1] & 7u);
    return e->vertex_begin + e->start[axis][r] + count_bits(e->edge[axis][r] & ((1u << x) - 1));
}

static uint32_t vertex_of_edge(const rni_block_edges *const near[8], const uint32_t cube[3],
                               uint32_t edge)
{
    uint32_t axis = edge / 4;
    uint32_t at[3] = {cube[0], cube[1], cube[2]};
    at[axis == 0 ? 1 : 0] += edge & 1u;
    at[axis == 2 ? 1 : 2] += edge >> 1 & 1u;
    return vertex_of(near, at, axis);
}

static void write_triangles(const rn_surface *s, const rni_block_edges *const near[8])
{
    const rni_cube_table *table = rni_cube_table_get();
    uint32_t *to = (uint32_t *)s->triangle.data + 3 * (size_t)near[0]->triangle_begin;
    for (uint32_t z = 0; z < RNI_BLOCK; z++)
        for (uint32_t y = 0; y < RNI_BLOCK; y++) {
            const cube_rows rows = rows_of(near[0], y, z);
            for (uint32_t bits = crossed_cubes(&rows); bits; bits &= bits - 1) {
                const uint32_t cube[3] = {(uint32_t)__builtin_ctz(bits), y, z};
                const uint32_t c = case_of(&rows, cube[0]);
                for (uint32_t n = 0; n < 3u * table->triangle_count[c]; n++)
                    *to++ = vertex_of_edge(near, cube, table->edge[c][n]);
            }
        }
}

static void write_block(void *data, uint32_t number, uint32_t worker)
{
    rn_surface *s = data;
    (void)worker;
    const rni_block_edges *edges = (const rni_block_edges *)s->borders.data + number;
    if (edges->vertex_count == 0 && edges->triangle_count == 0) return;
    const rni_block *blocks = s->block.data;
    const rni_block *block = &blocks[edges->block];
    const uint32_t *around = edges->around;
    padded pad;
    rni_block_origin(s, block->key, pad.origin);
    for (uint32_t k = 0; k < 3; k++) pad.per_step[k] = 1 / s->grid.step[k];
    pad.has_wall = rni_block_pad(s, around, pad.field, pad.wall);
    write_vertices(s, &pad, edges);
    /* A neighbour without a record has no edge that a triangle could need. */
    const rni_block_edges *near[8];
    for (uint32_t n = 0; n < 8; n++) {
        uint32_t b = around[13 + (n & 1u) + 3 * (n >> 1 & 1u) + 9 * (n >> 2)];
        bool has = b != RNI_NO_BLOCK && blocks[b].border != RNI_NO_BLOCK;
        near[n] = has ? (const rni_block_edges *)s->borders.data + blocks[b].border : NULL;
    }
    write_triangles(s, near);
}

rn_result rni_surface_extract(rn_surface *s)
{
    rn_result result = count_all(s);
    if (result != RN_OK) return result;
    if (rni_surface_need(&s->memory, &s->vertex, s->vertex_count + (uint64_t)1, 3 * sizeof(float)) ||
        rni_surface_need(&s->memory, &s->normal, s->vertex_count + (uint64_t)1, 3 * sizeof(float)) ||
        rni_surface_need(&s->memory, &s->on_wall, s->vertex_count + (uint64_t)1, 1) ||
        rni_surface_need(&s->memory, &s->triangle, s->triangle_count + (uint64_t)1,
                         3 * sizeof(uint32_t)))
        return RN_ERROR_MEMORY;
    rni_crew_pieces(s->crew, s->border_count, write_block, s);
    return RN_OK;
}
