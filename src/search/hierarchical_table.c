#include "search/hierarchical_table.h"

#include "base/error.h"

#include <string.h>

void rni_hier_table_free(rni_memory *memory, hier_table *table)
{
    rni_buffer_free(memory, &table->slots);
    rni_buffer_free(memory, &table->keys);
    rni_buffer_free(memory, &table->places);
}

/* Sizes the slots with all stamps outdated; existing memory already has outdated stamps. */
static rn_result need_stamped(rni_memory *memory, rni_buffer *buffer, uint64_t count, size_t bytes)
{
    if (buffer->data && buffer->bytes / bytes >= count) return RN_OK;
    rn_result result = rni_buffer_need(memory, buffer, count, bytes);
    if (result == RN_OK) memset(buffer->data, 0, buffer->bytes);
    return result;
}

rn_result rni_hier_table_begin(rni_memory *memory, hier_table *table, uint32_t length)
{
    table->is_map = length == 0;
    table->length = length;
    table->used_count = 0;
    if (++table->stamp == 0) { /* after four billion updates */
        table->stamp = 1;
        if (table->places.data) memset(table->places.data, 0, table->places.bytes);
        if (table->slots.data) memset(table->slots.data, 0, table->slots.bytes);
    }
    if (!table->is_map) return need_stamped(memory, &table->slots, length, sizeof(hier_slot));
    if (table->place_bits == 0) table->place_bits = 6;
    return need_stamped(memory, &table->places, (uint64_t)1 << table->place_bits, sizeof(hier_place));
}

/* Makes space for one more slot; at most half of the places are occupied. */
static rn_result map_grow(rni_memory *memory, hier_table *table)
{
    uint64_t needed = (uint64_t)table->used_count + 1;
    if (needed >= HIER_NO_SLOT)
        return rni_fail(RN_ERROR_LIMIT,
                        "hierarchical-hash: the map holds at most %u cells; use a table "
                        "of fixed length",
                        HIER_NO_SLOT - 1);
    rn_result result = RN_OK;
    if (needed * sizeof(hier_slot) > table->slots.bytes)
        result = rni_buffer_grow(memory, &table->slots, needed, sizeof(hier_slot));
    if (result == RN_OK && needed * sizeof(uint64_t) > table->keys.bytes)
        result = rni_buffer_grow(memory, &table->keys, needed, sizeof(uint64_t));
    if (result != RN_OK || 2 * needed <= (uint64_t)1 << table->place_bits) return result;
    rni_buffer larger = {0};
    result = need_stamped(memory, &larger, (uint64_t)2 << table->place_bits, sizeof(hier_place));
    if (result != RN_OK) return result;
    rni_buffer_free(memory, &table->places);
    table->places = larger;
    table->place_bits++;
    const uint64_t *keys = table->keys.data;
    for (uint32_t slot = 0; slot < table->used_count; slot++)
        *rni_hier_map_place(table, keys[slot]) = (hier_place){table->stamp, slot};
    return RN_OK;
}

rn_result rni_hier_table_take(rni_memory *memory, hier_table *table, uint64_t key, uint32_t *slot)
{
    *slot = rni_hier_table_find(table, key);
    if (*slot != HIER_NO_SLOT) return RN_OK;
    if (table->is_map) {
        rn_result result = map_grow(memory, table);
        if (result != RN_OK) return result;
        *slot = table->used_count;
        ((uint64_t *)table->keys.data)[*slot] = key;
        *rni_hier_map_place(table, key) = (hier_place){table->stamp, *slot};
    } else {
        *slot = rni_hier_fixed_place(table, key);
    }
    ((hier_slot *)table->slots.data)[*slot] =
        (hier_slot){.stamp = table->stamp, .first = HIER_NO_SLOT};
    table->used_count++;
    return RN_OK;
}

const char *rni_validate_hier_table(const hier_table *table)
{
    const hier_slot *slots = table->slots.data;
    const uint64_t *keys = table->keys.data;
    uint32_t used = 0;
    for (uint32_t k = 0; !table->is_map && k < table->length; k++)
        used += slots[k].stamp == table->stamp;
    if (!table->is_map)
        return used == table->used_count ? NULL : "the count of used slots is wrong";
    for (uint32_t k = 0; k < table->used_count; k++)
        if (rni_hier_table_find(table, keys[k]) != k) return "a key is not found";
    return NULL;
}
