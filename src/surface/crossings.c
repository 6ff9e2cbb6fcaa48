/* Which edges the surface crosses, block by block: then each block knows its share of the final arrays.
 *
 * Blocks whose points, and whose neighbours' points above, are all inside or all outside are left out early. */
#include "surface/extract.h"

#include <string.h>

#define MARKED \
    (RNI_NO_BLOCK - 1) /* as rni_block.border: deep inside, but next to a block that is not */

static const uint64_t OUTSIDE[RNI_BLOCK] = {0};
static const uint64_t INSIDE[RNI_BLOCK] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX,
                                           UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};

/* --- points ------------------------------------------------------------------------------------------ */

static void find_bits(void *data, uint32_t number, uint32_t worker)
{
    rn_surface *s = data;
    (void)worker;
    const rni_block *block =
        (const rni_block *)s->block.data + ((const uint32_t *)s->evaluated.data)[number];
    uint64_t *bits = (uint64_t *)s->inside.data + (size_t)number * RNI_BLOCK;
    s->kernel->compare((const float *)s->fields.data + (size_t)number * RNI_BLOCK_POINTS, s->level,
                       bits);
    if (block->wall == RNI_NO_BLOCK) return;
    uint64_t in_front[RNI_BLOCK];
    s->kernel->compare((const float *)s->walls.data + (size_t)block->wall * RNI_BLOCK_POINTS, 0,
                       in_front);
    for (uint32_t z = 0; z < RNI_BLOCK; z++) bits[z] &= in_front[z];
}

static const uint64_t *bits_of(const rn_surface *s, uint32_t b)
{
    if (b == RNI_NO_BLOCK) return OUTSIDE;
    const rni_block *block = (const rni_block *)s->block.data + b;
    if (block->field == RNI_NO_BLOCK) return INSIDE;
    return (const uint64_t *)s->inside.data + (size_t)block->field * RNI_BLOCK;
}

rni_near_bits rni_near_bits_of(const rn_surface *s, const uint32_t around[27])
{
    rni_near_bits near;
    for (uint32_t n = 0; n < 8; n++) near.of[n] = bits_of(s, around[rni_above(n)]);
    return near;
}

/* --- blocks ------------------------------------------------------------------------------------------ */

static bool is_uniform(const uint64_t *bits, uint64_t value)
{
    uint64_t differ = 0;
    for (uint32_t z = 0; z < RNI_BLOCK; z++) differ |= bits[z] ^ value;
    return differ == 0;
}

/* Whether a point differs from another among those of the block and of its neighbours above. */
static bool has_surface(const rn_surface *s, const uint32_t around[27])
{
    const rni_near_bits near = rni_near_bits_of(s, around);
    const uint64_t value = near.of[0][0];
    if (value != 0 && value != UINT64_MAX) return true;
    for (uint32_t n = 0; n < 8; n++)
        if (!is_uniform(near.of[n], value)) return true;
    return false;
}

/* Blocks deep inside own the edges to neighbours above that are not. */
static void mark_inside(rn_surface *s, uint32_t number)
{
    const uint32_t *around = (const uint32_t *)s->around.data + 27 * (size_t)number;
    rni_block *block = s->block.data;
    if (is_uniform((const uint64_t *)s->inside.data + (size_t)number * RNI_BLOCK, UINT64_MAX))
        return;
    for (uint32_t n = 1; n < 8; n++) {
        const uint32_t b = around[26 - rni_above(n)];
        if (b != RNI_NO_BLOCK && block[b].field == RNI_NO_BLOCK) block[b].border = MARKED;
    }
}

static rn_result list_borders(rn_surface *s)
{
    rni_block *block = s->block.data;
    s->border_count = 0;
    for (uint32_t n = 0; n < s->field_count; n++) mark_inside(s, n);
    for (uint32_t b = 0; b < s->block_count; b++) {
        const bool is_marked = block[b].border == MARKED;
        block[b].border = RNI_NO_BLOCK;
        const uint32_t *around = (const uint32_t *)s->around.data + 27 * (size_t)block[b].field;
        if (block[b].field == RNI_NO_BLOCK ? !is_marked : !has_surface(s, around)) continue;
        if (rni_buffer_grow(&s->memory, &s->borders, s->border_count + (uint64_t)1,
                            sizeof(rni_block_edges)))
            return RN_ERROR_MEMORY;
        rni_block_edges *edges = (rni_block_edges *)s->borders.data + s->border_count;
        edges->block = b;
        if (is_marked) rni_block_around(s, block[b].key, edges->around);
        else memcpy(edges->around, around, sizeof edges->around);
        block[b].border = s->border_count++;
    }
    return RN_OK;
}

/* --- edges and triangles ------------------------------------------------------------------------------ */

/* In each byte the number of its bits. */
static uint64_t count_rows(uint64_t bits)
{
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    return (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
}

/* The edges of layer z; sums fit into bytes: a layer has at most 192. */
static void find_edges(rni_block_edges *edges, uint32_t z, const rni_corner_bits *low,
                       const rni_corner_bits *high)
{
    const uint64_t point = low->corner[0];
    const uint64_t found[3] = {point ^ low->corner[1], point ^ low->corner[2],
                               point ^ high->corner[0]};
    uint64_t rows[3], all = 0;
    for (uint32_t a = 0; a < 3; a++) {
        edges->edge[a][z] = found[a];
        rows[a] = count_rows(found[a]);
        all += rows[a];
    }
    const uint64_t up_to = all * RNI_COLUMN; /* byte y: rows 0 to y */
    edges->before[0][z] = up_to << 8;
    edges->before[1][z] = edges->before[0][z] + rows[0];
    edges->before[2][z] = edges->before[1][z] + rows[1];
    edges->layer[z] = (uint16_t)edges->vertex_count;
    edges->vertex_count += (uint32_t)(up_to >> 56);
}

static void count_block(void *data, uint32_t number, uint32_t worker)
{
    rn_surface *s = data;
    (void)worker;
    rni_block_edges *edges = (rni_block_edges *)s->borders.data + number;
    const rni_cube_table *table = rni_cube_table_get();
    const rni_near_bits near = rni_near_bits_of(s, edges->around);
    rni_corner_bits low, high = rni_corner_bits_at(&near, 0);
    uint32_t triangles = 0;
    edges->vertex_count = 0;
    for (uint32_t z = 0; z < RNI_BLOCK; z++) {
        low = high;
        high = rni_corner_bits_at(&near, z + 1);
        find_edges(edges, z, &low, &high);
        for (uint64_t cubes = rni_crossed_cubes(&low, &high); cubes; cubes &= cubes - 1)
            triangles +=
                table->triangle_count[rni_cube_case(&low, &high, (uint32_t)__builtin_ctzll(cubes))];
    }
    edges->triangle_count = triangles;
}

rn_result rni_surface_find_crossings(rn_surface *s)
{
    if (rni_surface_need(&s->memory, &s->inside, s->field_count + (uint64_t)1,
                         RNI_BLOCK * sizeof(uint64_t)))
        return RN_ERROR_MEMORY;
    rni_crew_pieces(s->crew, s->field_count, find_bits, s);
    const rn_result result = list_borders(s);
    if (result != RN_OK) return result;
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
