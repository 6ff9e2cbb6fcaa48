/* What the methods "multilevel-hash" and "hierarchical-hash" share: classes of size, and a hash
 * table of their cells. (Eitz and Lixu 2007; Pouchol, Ahmad, Crespin and Terraz 2009, called 000
 * here.)
 *
 * Classes: cells of edge 2^e, one e for each size of box in use, the largest first: level 0. A box
 *          lies in the cells of its class that it covers, 8 at most in 3D. Cells are whole
 *          numbers, floor(p / 2^e), so cells of all classes nest; exponents differ by less than
 *          60. Classes are kept from step to step; a box of a class that is not there goes to the
 *          next larger one, and one larger than the largest is cut into more cells. When that
 *          happens too often the classes are chosen anew.
 * Table:   slots found by key; in a slot, a chain of entries (box, and which of its cells). A slot
 *          whose time stamp is not that of this step counts as empty, so nothing is ever cleared.
 *          A table of fixed length mixes cells in a slot: entries carry enough to tell.
 * Once:    a box that shares several cells with the one who asks is taken in the cell that holds
 *          the low corner of their intersection, and in no other. */
#ifndef RNI_BROADPHASE_CELL_HASH_H
#define RNI_BROADPHASE_CELL_HASH_H

#include "broadphase/query.h"

#define RNI_HASH_LEVELS 24u
/* Cells a box may lie in before classes are chosen anew. */
#define RNI_HASH_PARTS 64u
/* Exponents of edges: 2^-150 (and less) to 2^130; one more for edges of 0. */
#define RNI_HASH_EXPONENTS 282u
#define RNI_HAS_CHILDREN   0x80000000u

typedef struct hash_cell {
    int64_t at[3];
} hash_cell;

/* The largest whole number that is not above; x within 2^62. */
static inline int64_t rni_whole_below(double x)
{
    int64_t whole = (int64_t)x;
    return whole - (x < (double)whole);
}

/* Cells from low to high, both included. */
typedef struct hash_range {
    hash_cell low, high;
} hash_range;

typedef struct hash_level {
    int exponent;                  /* cells have an edge of 2^exponent */
    double per_edge;               /* 2^-exponent */
    uint64_t salt;                 /* keeps keys of levels apart; 0 as published */
    uint32_t first_box, box_count; /* in order */
    hash_range bounds;             /* cells of all boxes, also those of other levels */
} hash_level;

typedef struct hash_box {
    float low[3], high[3];
} hash_box;

typedef struct hash_entry {
    uint32_t box;
    uint32_t next; /* entry + 1; 0: the last one */
    uint32_t tag;  /* 24 bits of the key, and which cell of the box */
} hash_entry;

typedef struct hash_slot {
    uint32_t stamp;
    uint32_t first; /* entry + 1, and RNI_HAS_CHILDREN */
} hash_slot;

typedef struct cell_hash {
    rni_box_env *env;
    bool is_additive; /* keys are sums from level 0 down, and slots know of children */
    bool is_unbounded;
    uint32_t dim, count;
    uint32_t level_count;
    hash_level levels[RNI_HASH_LEVELS];
    uint8_t level_for[RNI_HASH_EXPONENTS];
    uint32_t exponent_count[RNI_HASH_EXPONENTS];
    uint32_t stamp;
    uint32_t slot_count; /* any number */
    bool is_remainder; /* the place of a key is its remainder (000), else a product spreads keys */
    uint32_t used_slots;
    uint32_t entry_count;
    rni_buffer boxes;    /* hash_box */
    rni_buffer level_of; /* uint8_t a box */
    rni_buffer order;    /* uint32_t: boxes by level */
    rni_buffer entries;  /* hash_entry */
    rni_buffer slots;    /* hash_slot */
    rni_buffer keys;     /* unbounded: uint64_t a slot */
} cell_hash;

/* Who asks: a box of the set (pairs) or a query. */
typedef struct hash_probe {
    float low[3], high[3];
    const rni_queries *queries; /* NULL: pairs */
    const rni_query *query;
    rni_pair_sink *pairs;
    rni_hit_sink *hits;
    uint32_t self;  /* pairs */
    uint32_t limit; /* only boxes below this one */
    uint32_t found;
    uint64_t candidates, visited, collisions, early_ends;
    uint32_t range_count; /* levels whose range is known */
    hash_range ranges[RNI_HASH_LEVELS];
} hash_probe;

rn_result rni_hash_create(rni_box_env *env, bool is_additive, void **state);
void rni_hash_destroy(void *state);
rn_result rni_hash_build(void *state, const rni_boxes *boxes);

/* Everything of a slot that touches the probe and belongs to this cell. */
rn_result rni_hash_look(const cell_hash *hash, hash_probe *probe, uint32_t level, uint64_t key,
                        const hash_cell *cell, const hash_slot *slot);
/* The same for all boxes of a level, without cells: for probes that cover more cells than there are
 * boxes. */
rn_result rni_hash_scan(const cell_hash *hash, hash_probe *probe, uint32_t level);

/* All a method adds: what it looks into for one who asks. For pairs it sets the limit. */
typedef rn_result (*hash_ask)(const cell_hash *hash, hash_probe *probe);

uint32_t rni_hash_pair_pieces(const void *state);
rn_result rni_hash_pairs(const cell_hash *hash, uint32_t piece, rni_pair_sink *sink, hash_ask ask);
rn_result rni_hash_query(const cell_hash *hash, const rni_queries *queries, uint32_t first,
                         uint32_t count, rni_hit_sink *sink, hash_ask ask);

/* Cells of a level that the probe covers. */
const hash_range *rni_hash_probe_range(const cell_hash *hash, hash_probe *probe, uint32_t level);
/* More cells than boxes? */
bool rni_hash_is_wide(const cell_hash *hash, hash_probe *probe, uint32_t level);

/* 000 eq. 1 and 3 without the remainder: the customary factors. (19349663 is no prime, 41 *
 * 471943; being odd is all it needs.) Products wrap around, cells below 0 included. As published,
 * cells of different classes with the same numbers have one key, and eq. 4 does not always part
 * them; we do. */
static inline uint64_t rni_cell_key(const cell_hash *hash, uint32_t level, const hash_cell *cell)
{
    uint64_t key = (uint64_t)cell->at[0] * 73856093u ^ (uint64_t)cell->at[1] * 19349663u ^
                   (uint64_t)cell->at[2] * 83492791u;
    return key + hash->levels[level].salt;
}

/* The cell of a larger class around a cell. */
static inline hash_cell rni_cell_around(const cell_hash *hash, uint32_t level,
                                        const hash_cell *cell, uint32_t larger)
{
    int up = hash->levels[larger].exponent - hash->levels[level].exponent;
    return (hash_cell){{cell->at[0] >> up, cell->at[1] >> up, cell->at[2] >> up}};
}

/* The key of a cell: eq. 3, or eq. 4: all cells around it, from level 0 down, added up. */
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

/* Where to look for a key first. */
static inline uint32_t rni_hash_place(const cell_hash *hash, uint64_t key)
{
    if (hash->is_remainder) return (uint32_t)(key % hash->slot_count);
    return (uint32_t)((rni_hash_mix(key) >> 32) * hash->slot_count >> 32);
}

/* The slot of a key in this step, or NULL: nobody came here. */
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
