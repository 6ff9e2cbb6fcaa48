/* Shared by the methods "multilevel-hash" and "hierarchical-hash": size classes, and a hash table
 * of their cells. (Eitz and Lixu 2007; Pouchol, Ahmad, Crespin and Terraz 2009, here "Pouchol".)
 *
 * Classes: cells of edge 2^e, with one exponent e per box size in use; the largest class is level
 *          0. A box is stored in all cells of its class that it covers, at most 8 in 3D. Cell
 *          coordinates are floor(p / 2^e), so the cells of all classes nest; exponents differ by
 *          less than 60. Classes are kept from step to step. A box without a class of its size goes
 *          to the next larger class; a box larger than the largest class covers more cells. When
 *          this happens too often, the classes are chosen again.
 * Table:   slots found by key; each slot holds a chain of entries (box, and which of its cells). A
 *          slot with an old time stamp counts as empty, so the table is never cleared. Slots of a
 *          fixed-length table mix several cells; each entry carries enough to identify its cell.
 * Once:    a box that shares several cells with the probe is reported only in the cell that holds
 *          the low corner of their intersection. */
#ifndef RNI_BROADPHASE_CELL_HASH_H
#define RNI_BROADPHASE_CELL_HASH_H

#include "broadphase/query.h"

#define RNI_HASH_LEVELS 24u
/* Cells that the largest box may cover before the classes are chosen again. */
#define RNI_HASH_PARTS 64u
/* Exponents of edges: 2^-150 (and less) to 2^130; one more for edges of 0. */
#define RNI_HASH_EXPONENTS 282u
#define RNI_HAS_CHILDREN   0x80000000u

typedef struct hash_cell {
    int64_t at[3];
} hash_cell;

/* Floor of x as an integer; |x| below 2^62. */
static inline int64_t rni_whole_below(double x)
{
    int64_t whole = (int64_t)x;
    return whole - (x < (double)whole);
}

/* Cells from low to high, both inclusive. */
typedef struct hash_range {
    hash_cell low, high;
} hash_range;

typedef struct hash_level {
    int exponent;                  /* cells have an edge of 2^exponent */
    double per_edge;               /* 2^-exponent */
    uint64_t salt;                 /* separates the keys of different levels; 0 as published */
    uint32_t first_box, box_count; /* in sorted order */
    hash_range bounds; /* bounding range of the cells of all boxes, other levels included */
} hash_level;

typedef struct hash_box {
    float low[3], high[3];
} hash_box;

typedef struct hash_entry {
    uint32_t box;
    uint32_t next; /* entry + 1; 0: end of the chain */
    uint32_t tag;  /* 24 bits of the key, and which cell of the box */
} hash_entry;

typedef struct hash_slot {
    uint32_t stamp;
    uint32_t first; /* entry + 1, and RNI_HAS_CHILDREN */
} hash_slot;

typedef struct cell_hash {
    rni_box_env *env;
    bool is_additive; /* keys are sums from level 0 down, and slots record children */
    bool is_unbounded;
    uint32_t dim, count;
    uint32_t level_count;
    hash_level levels[RNI_HASH_LEVELS];
    uint8_t level_for[RNI_HASH_EXPONENTS];
    uint32_t exponent_count[RNI_HASH_EXPONENTS];
    uint32_t stamp;
    uint32_t slot_count; /* any number */
    bool is_remainder;   /* slot: remainder of the key (Pouchol); else multiplicative hash */
    uint32_t used_slots;
    uint32_t entry_count;
    rni_buffer boxes;    /* hash_box */
    rni_buffer level_of; /* uint8_t per box */
    rni_buffer order;    /* uint32_t: boxes sorted by level */
    rni_buffer entries;  /* hash_entry */
    rni_buffer slots;    /* hash_slot */
    rni_buffer keys;     /* unbounded: uint64_t per slot */
} cell_hash;

/* A probe: a box of the set (pairs) or a query. */
typedef struct hash_probe {
    float low[3], high[3];
    const rni_queries *queries; /* NULL: pairs */
    const rni_query *query;
    rni_pair_sink *pairs;
    rni_hit_sink *hits;
    uint32_t self;  /* pairs */
    uint32_t limit; /* only boxes with a smaller index */
    uint32_t found;
    uint64_t candidates, visited, collisions, early_ends;
    uint32_t range_count; /* levels whose range has been computed */
    hash_range ranges[RNI_HASH_LEVELS];
} hash_probe;

rn_result rni_hash_create(rni_box_env *env, bool is_additive, void **state);
void rni_hash_destroy(void *state);
rn_result rni_hash_build(void *state, const rni_boxes *boxes);

/* NULL, or a description of the error (base/validate.h). Checks that each box is stored once in
 * every cell of its class that it covers, and that a descent by children reaches these cells. */
const char *rni_validate_cell_hash(const cell_hash *hash);

/* Reports all entries of a slot that touch the probe and belong to this cell. */
rn_result rni_hash_look(const cell_hash *hash, hash_probe *probe, uint32_t level, uint64_t key,
                        const hash_cell *cell, const hash_slot *slot);
/* The same for all boxes of a level, without cells: for probes that cover more cells than the level
 * has boxes. */
rn_result rni_hash_scan(const cell_hash *hash, hash_probe *probe, uint32_t level);

/* The only part a method adds: the cells visited for one probe. For pairs the method sets the
 * limit. */
typedef rn_result (*hash_ask)(const cell_hash *hash, hash_probe *probe);

uint32_t rni_hash_pair_pieces(const void *state);
rn_result rni_hash_pairs(const cell_hash *hash, uint32_t piece, rni_pair_sink *sink, hash_ask ask);
rn_result rni_hash_query(const cell_hash *hash, const rni_queries *queries, uint32_t first,
                         uint32_t count, rni_hit_sink *sink, hash_ask ask);

/* Cells of a level that the probe covers. */
const hash_range *rni_hash_probe_range(const cell_hash *hash, hash_probe *probe, uint32_t level);
/* Whether the range has more cells than the level has boxes. */
bool rni_hash_is_wide(const cell_hash *hash, hash_probe *probe, uint32_t level);

/* Pouchol eq. 1 and 3 without the remainder, with the customary factors. (19349663 is not prime, 41
 * * 471943; an odd factor suffices.) Products wrap around, also for negative cells. As published,
 * cells of different classes with the same coordinates share a key, and eq. 4 does not always
 * separate them; this version does. */
static inline uint64_t rni_cell_key(const cell_hash *hash, uint32_t level, const hash_cell *cell)
{
    uint64_t key = (uint64_t)cell->at[0] * 73856093u ^ (uint64_t)cell->at[1] * 19349663u ^
                   (uint64_t)cell->at[2] * 83492791u;
    return key + hash->levels[level].salt;
}

/* The cell of a larger class that contains a cell. */
static inline hash_cell rni_cell_around(const cell_hash *hash, uint32_t level,
                                        const hash_cell *cell, uint32_t larger)
{
    int up = hash->levels[larger].exponent - hash->levels[level].exponent;
    return (hash_cell){{cell->at[0] >> up, cell->at[1] >> up, cell->at[2] >> up}};
}

/* Key of a cell: eq. 3, or eq. 4, the sum over all enclosing cells from level 0 down. */
static inline uint64_t rni_hash_key(const cell_hash *hash, uint32_t level, const hash_cell *cell)
{
    if (!hash->is_additive) return rni_cell_key(hash, level, cell);
    uint64_t key = 0;
    for (uint32_t l = 0; l <= level; l++) {
        hash_cell around = rni_cell_around(hash, level, cell, l);
        key += rni_cell_key(hash, l, &around);
    }
    return key;
}

static inline uint64_t rni_hash_mix(uint64_t key)
{
    key *= 0x9e3779b97f4a7c15u;
    return (key ^ key >> 32) * 0xd6e8feb86659fd93u;
}

/* First slot to probe for a key. */
static inline uint32_t rni_hash_place(const cell_hash *hash, uint64_t key)
{
    if (hash->is_remainder) return (uint32_t)(key % hash->slot_count);
    return (uint32_t)((rni_hash_mix(key) >> 32) * hash->slot_count >> 32);
}

/* The slot of a key in this step, or NULL if no box is stored under the key. */
static inline const hash_slot *rni_hash_find(const cell_hash *hash, uint64_t key)
{
    const hash_slot *slots = hash->slots.data;
    uint32_t place = rni_hash_place(hash, key);
    if (!hash->is_unbounded) return slots[place].stamp == hash->stamp ? &slots[place] : NULL;
    const uint64_t *keys = hash->keys.data;
    while (slots[place].stamp == hash->stamp) {
        if (keys[place] == key) return &slots[place];
        if (++place == hash->slot_count) place = 0;
    }
    return NULL;
}

#endif
