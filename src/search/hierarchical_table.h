/* The table of method "hierarchical-hash": from the key of a cell to its slot, in a table of fixed
 * length with time stamps instead of clearing (paper 000, section 4.3), or in a map that grows (the
 * paper's n = infinity). Keys that meet in one slot of the fixed table share it. */
#ifndef RNI_SEARCH_HIERARCHICAL_TABLE_H
#define RNI_SEARCH_HIERARCHICAL_TABLE_H

#include "base/memory.h"

#include <stdbool.h>

#define HIER_NO_SLOT UINT32_MAX

typedef struct hier_slot {
    uint32_t stamp; /* in use when it is the table's */
    bool has_children;
    uint32_t first, count; /* points; while inserting, first is the last one inserted */
} hier_slot;

/* Where the map keeps a key. */
typedef struct hier_place {
    uint32_t stamp, slot;
} hier_place;

typedef struct hier_table {
    bool is_map;
    uint32_t stamp;
    uint32_t used_count; /* slots in use */
    uint32_t length;     /* fixed: slots */
    rni_buffer slots;    /* hier_slot; by key modulo length, or in the order they came into use */
    rni_buffer keys;     /* map: uint64_t a slot */
    rni_buffer places;   /* map: hier_place, a power of two, open addressing */
    uint32_t place_bits;
} hier_table;

/* Empties the table without touching it: the next stamp. length 0: a map. */
rn_result rni_hier_table_begin(rni_memory *memory, hier_table *table, uint32_t length);

/* The slot of a key, made where there is none. */
rn_result rni_hier_table_take(rni_memory *memory, hier_table *table, uint64_t key, uint32_t *slot);

/* NULL, or what is wrong (base/validate.h): as many slots in use as counted; in a map each key is found. */
const char *rni_validate_hier_table(const hier_table *table);

void rni_hier_table_free(rni_memory *memory, hier_table *table);

/* The place of a key in the map, or the free one where it belongs. */
static inline hier_place *rni_hier_map_place(const hier_table *table, uint64_t key)
{
    hier_place *places = table->places.data;
    const uint64_t *keys = table->keys.data;
    uint64_t mask = ((uint64_t)1 << table->place_bits) - 1;
    uint64_t at = key * 0xd1342543de82ef95u >> (64 - table->place_bits);
    while (places[at].stamp == table->stamp && keys[places[at].slot] != key) at = (at + 1) & mask;
    return &places[at];
}

static inline uint32_t rni_hier_fixed_place(const hier_table *table, uint64_t key)
{
    uint32_t length = table->length;
    return (uint32_t)((length & (length - 1)) == 0 ? key & (length - 1) : key % length);
}

/* The slot of a key, or HIER_NO_SLOT. */
static inline uint32_t rni_hier_table_find(const hier_table *table, uint64_t key)
{
    if (table->is_map) {
        const hier_place *place = rni_hier_map_place(table, key);
        return place->stamp == table->stamp ? place->slot : HIER_NO_SLOT;
    }
    uint32_t at = rni_hier_fixed_place(table, key);
    return ((const hier_slot *)table->slots.data)[at].stamp == table->stamp ? at : HIER_NO_SLOT;
}

#endif
