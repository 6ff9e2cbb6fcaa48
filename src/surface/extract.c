/* From the field to vertices and triangles, block by block.
 *
 * Each block writes its vertices and triangles to its share of the final arrays (crossings.c). Vertices on faces
 * between blocks belong to one block; the others look up their numbers, once for all triangles. */
#include "surface/extract.h"

#include <math.h>
#include <string.h>

/* Vertices within this share of a step belong to a wall. */
#define WALL_WIDTH   0.1f
#define MAX_VERTICES (3 * RNI_BLOCK_POINTS)

/* --- vertices ---------------------------------------------------------------------------------------- */

/* A block while its vertices and triangles are written. */
typedef struct padded {
    float field[RNI_PAD_POINTS], wall[RNI_PAD_POINTS];
    float origin[3], per_step[3]; /* m; 1 / m */
    bool has_wall;
    uint16_t point[MAX_VERTICES]; /* of each vertex: where its edge begins, in the pad */
    uint8_t axis[MAX_VERTICES];
    uint32_t number[3 * RNI_EDGE_POINTS]; /* of vertices, as rni_cube_table.place */
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
    bool is_inside = pad->field[p] > s->level && pad->wall[p] > 0;
    uint32_t in = is_inside ? p : q;
    uint32_t out = is_inside ? q : p;
    float t = 1;
    *is_wall = false;
    if (pad->field[out] <= s->level)
        t = (pad->field[in] - s->level) / (pad->field[in] - pad->field[out]);
    if (pad->wall[out] <= 0) {
        float u = pad->wall[in] / (pad->wall[in] - pad->wall[out]);
        *is_wall = u <= t;
        if (u < t) t = u;
    }
    t = t < RNI_EDGE_MARGIN ? RNI_EDGE_MARGIN : t > 1 - RNI_EDGE_MARGIN ? 1 - RNI_EDGE_MARGIN : t;
    return is_inside ? t : 1 - t;
}

/* In a block near a wall. */
static void write_vertex(const rn_surface *s, const padded *pad, uint32_t p, uint32_t axis, uint32_t v)
{
    static const uint32_t stride[3] = {1, RNI_PAD, RNI_PAD * RNI_PAD};
    const uint32_t at[3] = {p % RNI_PAD - 1, p / RNI_PAD % RNI_PAD - 1, p / (RNI_PAD * RNI_PAD) - 1};
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
    float distance = pad->wall[p] + t * (pad->wall[q] - pad->wall[p]);
    ((uint8_t *)s->on_wall.data)[v] = is_wall || distance < WALL_WIDTH * s->grid.step[axis];
}

/* Where the vertices of the block are; their numbers. */
static void list_vertices(padded *pad, const rni_block_edges *edges)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < RNI_BLOCK * RNI_BLOCK; r++) {
        const uint32_t y = r % RNI_BLOCK, z = r / RNI_BLOCK;
        for (uint32_t axis = 0; axis < 3; axis++)
            for (uint32_t bits = edges->edge[axis][z] >> 8 * y & 0xffu; bits; bits &= bits - 1) {
                const uint32_t x = (uint32_t)__builtin_ctz(bits);
                pad->point[n] = (uint16_t)(((z + 1) * RNI_PAD + y + 1) * RNI_PAD + x + 1);
                pad->axis[n] = (uint8_t)axis;
                pad->number[axis * RNI_EDGE_POINTS + z * RNI_EDGE_LAYER + y * RNI_EDGE_ROW + x] =
                    edges->vertex_begin + n++;
            }
    }
}

static void write_vertices(const rn_surface *s, const padded *pad, const rni_block_edges *edges)
{
    const uint32_t begin = edges->vertex_begin;
    if (pad->has_wall) {
        for (uint32_t n = 0; n < edges->vertex_count; n++)
            write_vertex(s, pad, pad->point[n], pad->axis[n], begin + n);
        return;
    }
    rni_crossings crossings = {.field = pad->field,
                               .level = s->level,
                               .count = edges->vertex_count,
                               .point = pad->point,
                               .axis = pad->axis,
                               .vertex = (float *)s->vertex.data + 3 * (size_t)begin,
                               .normal = (float *)s->normal.data + 3 * (size_t)begin};
    memcpy(crossings.origin, pad->origin, sizeof crossings.origin);
    memcpy(crossings.step, s->grid.step, sizeof crossings.step);
    memcpy(crossings.per_step, pad->per_step, sizeof crossings.per_step);
    s->kernel->cross(&crossings);
    memset((uint8_t *)s->on_wall.data + begin, 0, edges->vertex_count);
}

/* --- triangles --------------------------------------------------------------------------------------- */

/* Of eight bits: sums of pairs, of fours, of all. */
static uint32_t count_bits(uint32_t bits)
{
    bits -= bits >> 1 & 0x55u;
    bits = (bits & 0x33u) + (bits >> 2 & 0x33u);
    return (bits + (bits >> 4)) & 0x0fu;
}

/* The numbers of a neighbour's vertices on the face, line or point that it shares; side: bit k: it is above along axis
 * k. Edges along these axes belong to cubes of the neighbour. */
static void list_neighbour(padded *pad, const rni_block_edges *edges, uint32_t side)
{
    const uint64_t shared = (side & 1u ? RNI_COLUMN : UINT64_MAX) & (side & 2u ? 0xffu : UINT64_MAX);
    uint32_t *const first = pad->number + (side & 1u) * RNI_BLOCK +
                            (side >> 1 & 1u) * RNI_BLOCK * RNI_EDGE_ROW +
                            (side >> 2) * RNI_BLOCK * RNI_EDGE_LAYER;
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (side >> axis & 1u) continue;
        for (uint32_t z = 0; z < (side & 4u ? 1 : RNI_BLOCK); z++)
            for (uint64_t bits = edges->edge[axis][z] & shared; bits; bits &= bits - 1) {
                const uint32_t at = (uint32_t)__builtin_ctzll(bits), x = at % RNI_BLOCK;
                const uint32_t row = (uint32_t)(edges->edge[axis][z] >> (at - x)) & ((1u << x) - 1);
                first[axis * RNI_EDGE_POINTS + z * RNI_EDGE_LAYER + at / RNI_BLOCK * RNI_EDGE_ROW + x] =
                    edges->vertex_begin + edges->layer[z] +
                    (uint32_t)(edges->before[axis][z] >> (at - x) & 0xffu) + count_bits(row);
            }
    }
}

static void write_triangles(const rn_surface *s, const padded *pad, const rni_block_edges *edges)
{
    const rni_cube_table *table = rni_cube_table_get();
    const rni_near_bits near = rni_near_bits_of(s, edges->around);
    rni_corner_bits low, high = rni_corner_bits_at(&near, 0);
    uint32_t *to = (uint32_t *)s->triangle.data + 3 * (size_t)edges->triangle_begin;
    for (uint32_t z = 0; z < RNI_BLOCK; z++) {
        low = high;
        high = rni_corner_bits_at(&near, z + 1);
        for (uint64_t cubes = rni_crossed_cubes(&low, &high); cubes; cubes &= cubes - 1) {
            const uint32_t cube = (uint32_t)__builtin_ctzll(cubes);
            const uint32_t c = rni_cube_case(&low, &high, cube);
            const uint32_t *number = pad->number + z * RNI_EDGE_LAYER +
                                     cube / RNI_BLOCK * RNI_EDGE_ROW + cube % RNI_BLOCK;
            const uint32_t corners = 3u * table->triangle_count[c];
            for (uint32_t n = 0; n < corners; n++) to[n] = number[table->place[c][n]];
            to += corners;
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
    padded pad;
    rni_block_origin(s, blocks[edges->block].key, pad.origin);
    for (uint32_t k = 0; k < 3; k++) pad.per_step[k] = 1 / s->grid.step[k];
    pad.has_wall = rni_block_pad(s, edges->around, pad.field, pad.wall);
    list_vertices(&pad, edges);
    write_vertices(s, &pad, edges);
    for (uint32_t n = 1; n < 7; n++) {
        const uint32_t b = edges->around[rni_above(n)];
        if (b != RNI_NO_BLOCK && blocks[b].border != RNI_NO_BLOCK)
            list_neighbour(&pad, (const rni_block_edges *)s->borders.data + blocks[b].border, n);
    }
    write_triangles(s, &pad, edges);
}

rn_result rni_surface_extract(rn_surface *s)
{
    rn_result result = rni_surface_find_crossings(s);
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
