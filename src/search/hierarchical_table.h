/* The table of method "hierarchical-hash": maps the key of a cell to its slot, in a table of
 * fixed length with time stamps instead of clearing (Pouchol et al. 2009, section 4.3), or in a
 * growing map (the paper's n = infinity). Keys that collide in the fixed table share a slot. */
#ifndef RNI_SEARCH_HIERARCHICAL_TABLE_H
#define RNI_SEARCH_HIERARCHICAL_TABLE_H

#include "base/memory.h"

#include <stdbool.h>

#define HIER_NO_SLOT UINT32_MAX

typedef struct hier_slot {
    uint32_t stamp; /* in use when it equals the table's stamp */
    bool has_children;
    uint32_t first, count; /* points; during insertion, first is the last point inserted */
} hier_slot;

/* Entry of the map: where it stores a key. */
typedef struct hier_place {
    uint32_t stamp, slot;
} hier_place;

typedef struct hier_table {
    bool is_map;
    uint32_t stamp;
    uint32_t used_count; /* slots in use */
    uint32_t length;     /* fixed table: number of slots */
    rni_buffer slots;    /* hier_slot; by key modulo length, or in order of first use */
    rni_buffer keys;     /* map: uint64_t per slot */
    rni_buffer places;   /* map: hier_place, a power of two, open addressing */
    uint32_t place_bits;
} hier_table;

/* Empties the table by advancing the stamp, without writing to it. length 0: a map. */
rn_result rni_hier_table_begin(rni_memory *memory, hier_table *table, uint32_t length);

/* The slot of a key, created if it does not exist. */
rn_result rni_hier_table_take(rni_memory *memory, hier_table *table, uint64_t key, uint32_t *slot);

/* NULL, or a description of the error (base/validate.h). Checks the count of used slots, and in
 * a map that each key is found. */
const char *rni_validate_hier_table(const hier_table *table);

void rni_hier_table_free(rni_memory *memory, hier_table *table);

/* The place of a key in the map, or the free place where it belongs. */
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
