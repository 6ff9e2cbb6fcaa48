#include "mesh/record_table.h"

#include "base/error.h"

#include <string.h>

#define FIRST_SLOTS 1024u
#define MOST_SLOTS  (1u << 31)

void rni_record_table_init(rni_record_table *table, rni_memory *memory, uint32_t width)
{
    *table = (rni_record_table){.memory = memory, .width = width};
}

void rni_record_table_free(rni_record_table *table)
{
    if (!table->memory) return;
    rni_buffer_free(table->memory, &table->record);
    rni_buffer_free(table->memory, &table->slot);
    *table = (rni_record_table){0};
}

void rni_record_table_clear(rni_record_table *table)
{
    table->count = 0;
    if (table->slot_count)
        memset(table->slot.data, 0, (size_t)table->slot_count * sizeof(uint32_t));
}

static uint32_t hash(const float *record, uint32_t width)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (uint32_t k = 0; k < width; k++) {
        uint32_t bits;
        memcpy(&bits, &record[k], sizeof bits);
        h = (h ^ bits) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return (uint32_t)(h ^ h >> 17);
}

/* The slot of a record, or the free one where it belongs. */
static uint32_t *find(const rni_record_table *table, const float *record)
{
    uint32_t *slot = table->slot.data, mask = table->slot_count - 1;
    const float *known = table->record.data;
    size_t bytes = table->width * sizeof(float);
    uint32_t at = hash(record, table->width) & mask;
    while (slot[at] && memcmp(known + (size_t)(slot[at] - 1) * table->width, record, bytes) != 0)
        at = (at + 1) & mask;
    return &slot[at];
}

static rn_result grow(rni_record_table *table)
{
    if (table->slot_count == MOST_SLOTS)
        return rni_fail(RN_ERROR_LIMIT, "mesh: more than 2^30 different vertices are too many");
    uint32_t slots = table->slot_count ? 2 * table->slot_count : FIRST_SLOTS;
    rni_buffer larger = {0};
    rn_result result = rni_buffer_need(table->memory, &larger, slots, sizeof(uint32_t));
    if (result != RN_OK) return result;
    memset(larger.data, 0, (size_t)slots * sizeof(uint32_t));
    rni_buffer_free(table->memory, &table->slot);
    table->slot = larger;
    table->slot_count = slots;
    const float *known = table->record.data;
    for (uint32_t n = 0; n < table->count; n++)
        *find(table, known + (size_t)n * table->width) = n + 1;
    return RN_OK;
}

rn_result rni_record_table_add(rni_record_table *table, const float *record, uint32_t *number,
                               bool *is_new)
{
    float own[RNI_RECORD_FLOATS];
    for (uint32_t k = 0; k < table->width; k++) own[k] = record[k] + 0.0f; /* -0 becomes 0 */
    rn_result result = RN_OK;
    if (table->count >= table->slot_count / 2) result = grow(table);
    if (result != RN_OK) return result;
    uint32_t *slot = find(table, own);
    *is_new = *slot == 0;
    if (*is_new) {
        result = rni_buffer_grow(table->memory, &table->record, (uint64_t)table->count + 1,
                                 table->width * sizeof(float));
        if (result != RN_OK) return result;
        memcpy((float *)table->record.data + (size_t)table->count * table->width, own,
               table->width * sizeof(float));
        *slot = ++table->count;
    }
    *number = *slot - 1;
    return RN_OK;
}
