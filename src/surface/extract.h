/* What counting (crossings.c) and writing (extract.c) of vertices and triangles share.
 *
 * The points of a layer of a block are the 64 bits of a word, bit 8 y + x: one operation classifies 64 edges or
 * cubes. A layer of edges belongs to the block in which its edges begin. */
#ifndef RNI_SURFACE_EXTRACT_H
#define RNI_SURFACE_EXTRACT_H

#include "surface/surface.h"

/* The vertices that a block owns, in the order z, y, axis, x. */
typedef struct rni_block_edges {
    uint64_t edge[3][RNI_BLOCK]; /* [axis][z], bit 8 y + x: the surface crosses the edge from point x, y, z */
    uint64_t before[3][RNI_BLOCK]; /* byte y: vertices of this layer before those of this axis and row */
    uint16_t layer[RNI_BLOCK]; /* vertices before those of this layer */
    uint32_t block;
    uint32_t around[27]; /* as rni_block_around() */
    uint32_t vertex_begin, vertex_count;
    uint32_t triangle_begin, triangle_count;
} rni_block_edges;

/* The bits of a block and of its neighbours above; bit k of the place: above along axis k. */
typedef struct rni_near_bits {
    const uint64_t *of[8];
} rni_near_bits;

/* Four corners of each cube of a layer: x, y; x + 1, y; x, y + 1; x + 1, y + 1. */
typedef struct rni_corner_bits {
    uint64_t corner[4];
} rni_corner_bits;

#define RNI_COLUMN 0x0101010101010101u /* x = 0 in each row */

/* z: 0 to 8. */
static inline rni_corner_bits rni_corner_bits_at(const rni_near_bits *near, uint32_t z)
{
    const uint64_t *const *of = near->of + (z >> 3) * 4;
    const uint32_t k = z & 7u;
    const uint64_t p = of[0][k];
    const uint64_t next_x = (p >> 1 & ~(RNI_COLUMN << 7)) | (of[1][k] & RNI_COLUMN) << 7;
    const uint64_t row = of[2][k] & 0xffu; /* y = 8 */
    const uint64_t next_row = row >> 1 | (of[3][k] & 1u) << 7;
    return (rni_corner_bits){{p, next_x, p >> 8 | row << 56, next_x >> 8 | next_row << 56}};
}

/* Cubes of a layer through which the surface passes. */
static inline uint64_t rni_crossed_cubes(const rni_corner_bits *low, const rni_corner_bits *high)
{
    uint64_t all = ~(uint64_t)0, any = 0;
    for (uint32_t c = 0; c < 4; c++) {
        all &= low->corner[c] & high->corner[c];
        any |= low->corner[c] | high->corner[c];
    }
    return any & ~all;
}

static inline uint32_t rni_cube_case(const rni_corner_bits *low, const rni_corner_bits *high,
                                     uint32_t cube)
{
    uint32_t found = 0;
    for (uint32_t c = 0; c < 4; c++)
        found |= (uint32_t)(low->corner[c] >> cube & 1u) << c |
                 (uint32_t)(high->corner[c] >> cube & 1u) << (c + 4);
    return found;
}

/* The bits of the blocks of around (rni_block_around()) at the block and above it. */
rni_near_bits rni_near_bits_of(const rn_surface *s, const uint32_t around[27]);

/* Place in around of the block that is above along the axes of the bits of n. */
static inline uint32_t rni_above(uint32_t n)
{
    return 13 + (n & 1u) + 3 * (n >> 1 & 1u) + 9 * (n >> 2);
}

#endif
