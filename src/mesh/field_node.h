/* The parts of the cached boundary field (field.h), for the files that make and read it.
 *
 * Nodes lie on a lattice of the mesh's own frame. A block is 4 x 4 x 4 cells with its 5 x 5 x 5 nodes, those on
 * its faces also kept by its neighbours, so that a cell is read from one block. A hash table finds blocks. */
#ifndef RNI_MESH_FIELD_NODE_H
#define RNI_MESH_FIELD_NODE_H

#include "mesh/field.h"

typedef enum rni_field_side {
    RNI_FIELD_UNKNOWN = 0,
    RNI_FIELD_FLUID,
    RNI_FIELD_SOLID
} rni_field_side;

/* From sums to a value; UNKNOWN: the flux is below `noise` of u(0), which is so beyond the reach. Of a two-sided sheet, FLUID is the
 * side of its normals, SOLID the other one, and the value is that of the side on which the point is. */
rni_field_side rni_field_value_of(const rni_field_law *law, const rni_field_sums *sums, uint32_t lane,
                                  double noise, bool is_two_sided, rni_field_value *value);

typedef struct rni_field_node {
    float distance;    /* m */
    float gradient[3]; /* no unit */
    int8_t spread[6];  /* / 127 */
    uint8_t clear;     /* in steps of clear_step, rounded down; 255: that or more */
    uint8_t side;      /* rni_field_side, and the bits below, of the cell whose first node it is */
} rni_field_node;

/* Few cells need it. */
typedef struct rni_field_part {
    float part, gradient[3]; /* 1 / m; as rni_field_value has them */
} rni_field_part;

#define RNI_FIELD_SIGNED 4u  /* of two-sided sheets: the sheet passes through the cell */
#define RNI_FIELD_PARTS  16u /* the solid is convex near one of its corners */
#define RNI_FIELD_FLAT   8u  /* the faces near all its corners look the same way */
#define RNI_FIELD_BEYOND 32u /* all of it is beyond the reach */

#define RNI_FIELD_CELLS 4u
#define RNI_FIELD_SIDE  (RNI_FIELD_CELLS + 1)
#define RNI_FIELD_NODES (RNI_FIELD_SIDE * RNI_FIELD_SIDE * RNI_FIELD_SIDE)

typedef struct rni_field_block {
    rni_field_node node[RNI_FIELD_NODES]; /* x fastest */
    rni_field_part part[RNI_FIELD_NODES]; /* of these nodes */
} rni_field_block;

/* A place of the table of blocks: all that tells whether a cell has to be read. (Blocks are too many for the cache.) */
typedef struct rni_field_entry {
    uint64_t key;           /* the number of the block + 1; 0: none is here */
    uint64_t beyond, parts; /* of its cells, bit by bit: RNI_FIELD_BEYOND, RNI_FIELD_PARTS */
    uint32_t index;         /* of the block in memory, or one of the two below */
    uint32_t padding;
} rni_field_entry;

#define RNI_FIELD_NO_BLOCK    UINT32_MAX       /* all of it is beyond the reach */
#define RNI_FIELD_SOLID_BLOCK (UINT32_MAX - 1) /* all of it is deep in the solid */

/* The first node of a cell, in its block; cells are numbered x fastest. */
static inline uint32_t rni_field_first_node(uint32_t cell)
{
    return (cell / 16 * RNI_FIELD_SIDE + cell / 4 % 4) * RNI_FIELD_SIDE + cell % 4;
}

/* The value at s, 0 to 1 along each axis, in a cell of a block; the same bits for every instruction set. */
typedef void (*rni_field_cell_fn)(const rni_field *field, const rni_field_block *block,
                                  uint32_t cell, const float s[4], rni_field_value *value);
void rni_field_cell_plain(const rni_field *field, const rni_field_block *block, uint32_t cell,
                          const float s[4], rni_field_value *value);
void rni_field_cell_avx2(const rni_field *field, const rni_field_block *block, uint32_t cell,
                         const float s[4], rni_field_value *value);
/* The best one for this machine. */
rni_field_cell_fn rni_field_cell_choose(void);

struct rni_field {
    rni_field_law law;
    rni_field_cell_fn at_cell;
    float low[4]; /* m: corner of the first block; block coordinates are not negative */
    float end[4]; /* cells along each axis; the fourth number is 1, that of low 0 */
    float cell, inverse_cell, inverse_block, clear_step;
    uint32_t blocks[3]; /* coordinates are below these */
    uint32_t block_count;
    rni_field_block *block;
    rni_field_entry *entry; /* a table with open addressing */
    uint32_t table_bits;
    bool is_two_sided;
    rni_buffer block_buffer, entry_buffer;
};

static inline uint64_t rni_field_key(const rni_field *field, const uint32_t at[3])
{
    return ((uint64_t)at[2] * field->blocks[1] + at[1]) * field->blocks[0] + at[0] + 1;
}

/* Where a key is looked for first. */
static inline uint32_t rni_field_hash(const rni_field *field, uint64_t key)
{
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> (64 - field->table_bits));
}

/* The entry of a key, or that where it would be. */
static inline rni_field_entry *rni_field_find(const rni_field *field, uint64_t key)
{
    const uint32_t mask = (1u << field->table_bits) - 1;
    uint32_t slot = rni_field_hash(field, key);
    while (field->entry[slot].key != 0 && field->entry[slot].key != key) slot = (slot + 1) & mask;
    return &field->entry[slot];
}

#endif
