/* Which blocks particles reach, and which of them are deep inside the water.
 *
 * Blocks are numbered in the order in which they are met, first those with particles. A block is deep inside
 * when it and what surrounds it is full of particles and no wall is near: its field is not computed. */
#include "surface/surface.h"

#include <math.h>
#include <string.h>

#define BINS_OF_A_BLOCK (RNI_MAX_BINS * RNI_MAX_BINS * RNI_MAX_BINS)
#define CORNERS         ((RNI_MAX_BINS + 1) * (RNI_MAX_BINS + 1) * (RNI_MAX_BINS + 1))

/* --- the table --------------------------------------------------------------------------------------- */

static uint32_t slot_of(const rn_surface *s, uint64_t key)
{
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & s->table_mask;
}

uint32_t rni_block_find(const rn_surface *s, uint64_t key)
{
    const uint32_t *table = s->table.data;
    const rni_block *block = s->block.data;
    for (uint32_t slot = slot_of(s, key);; slot = (slot + 1) & s->table_mask) {
        uint32_t b = table[slot];
        if (b == RNI_NO_BLOCK || block[b].key == key) return b;
    }
}

void rni_block_around(const rn_surface *s, uint64_t key, uint32_t around[27])
{
    int32_t at[3];
    rni_block_at(key, at);
    for (int32_t n = 0; n < 27; n++) {
        int32_t to[3] = {at[0] + n % 3 - 1, at[1] + n / 3 % 3 - 1, at[2] + n / 9 - 1};
        around[n] = rni_block_find(s, rni_block_key(to));
    }
}

void rni_block_origin(const rn_surface *s, uint64_t key, float origin[3])
{
    int32_t at[3];
    rni_block_at(key, at);
    for (uint32_t k = 0; k < 3; k++) origin[k] = s->grid.low[k] + (float)at[k] * s->grid.edge[k];
}

float rni_box_gap_sq(const float low[3], const float high[3], const float other_low[3],
                     const float other_high[3])
{
    float sum = 0;
    for (uint32_t k = 0; k < 3; k++) {
        float gap = low[k] > other_high[k] ? low[k] - other_high[k] : other_low[k] - high[k];
        if (gap > 0) sum += gap * gap;
    }
    return sum;
}

static void put(rn_surface *s, uint32_t number)
{
    uint32_t *table = s->table.data;
    const rni_block *block = s->block.data;
    uint32_t slot = slot_of(s, block[number].key);
    while (table[slot] != RNI_NO_BLOCK) slot = (slot + 1) & s->table_mask;
    table[slot] = number;
}

/* A table at most half full. */
static rn_result grow_table(rn_surface *s, uint32_t count)
{
    uint64_t length = 1024;
    while (length < 2 * (uint64_t)count + 2) length *= 2;
    if (rni_surface_need(&s->memory, &s->table, length, sizeof(uint32_t))) return RN_ERROR_MEMORY;
    s->table_mask = (uint32_t)(length - 1);
    memset(s->table.data, 0xff, length * sizeof(uint32_t));
    for (uint32_t b = 0; b < s->block_count; b++) put(s, b);
    return RN_OK;
}

static rn_result add_block(rn_surface *s, uint64_t key)
{
    if (rni_buffer_grow(&s->memory, &s->block, s->block_count + (uint64_t)1, sizeof(rni_block)))
        return RN_ERROR_MEMORY;
    rni_block *block = (rni_block *)s->block.data + s->block_count++;
    *block =
        (rni_block){.key = key, .field = RNI_NO_BLOCK, .wall = RNI_NO_BLOCK, .border = RNI_NO_BLOCK};
    return RN_OK;
}

/* --- blocks with particles --------------------------------------------------------------------------- */

static void surround(rn_surface *s, rni_block *block)
{
    const float *position = s->position.data;
    for (uint32_t k = 0; k < 3; k++) block->low[k] = INFINITY, block->high[k] = -INFINITY;
    for (uint32_t i = block->begin; i < block->end; i++)
        for (uint32_t k = 0; k < 3; k++) {
            float x = position[3 * (size_t)i + k];
            if (x < block->low[k]) block->low[k] = x;
            if (x > block->high[k]) block->high[k] = x;
        }
}

static rn_result list_occupied(rn_surface *s)
{
    const uint64_t *key = s->key.data;
    for (uint32_t i = 0; i < s->points.count;) {
        if (add_block(s, key[i])) return RN_ERROR_MEMORY;
        rni_block *block = (rni_block *)s->block.data + (s->block_count - 1);
        block->begin = i;
        while (i < s->points.count && key[i] == block->key) i++;
        block->end = i;
        surround(s, block);
    }
    return RN_OK;
}

/* --- blocks that they reach -------------------------------------------------------------------------- */

static rn_result reach_block(rn_surface *s, const rni_block *from, const int32_t to[3])
{
    uint64_t key = rni_block_key(to);
    float low[3], high[3];
    float reach = s->grid.reach + fmaxf(s->grid.step[0], fmaxf(s->grid.step[1], s->grid.step[2]));
    rni_block_origin(s, key, low);
    for (uint32_t k = 0; k < 3; k++) high[k] = low[k] + (float)(RNI_BLOCK - 1) * s->grid.step[k];
    if (rni_box_gap_sq(from->low, from->high, low, high) >= reach * reach) return RN_OK;
    if (rni_block_find(s, key) != RNI_NO_BLOCK) return RN_OK;
    if (add_block(s, key)) return RN_ERROR_MEMORY;
    if (2 * (uint64_t)s->block_count > s->table_mask) return grow_table(s, 2 * s->block_count);
    put(s, s->block_count - 1);
    return RN_OK;
}

static rn_result list_reached(rn_surface *s)
{
    uint32_t occupied = s->block_count;
    rn_result result = grow_table(s, 2 * occupied);
    const int32_t *range = s->grid.range;
    for (uint32_t b = 0; b < occupied && result == RN_OK; b++) {
        rni_block from = ((const rni_block *)s->block.data)[b];
        int32_t at[3];
        rni_block_at(from.key, at);
        for (int32_t z = -range[2]; z <= range[2]; z++)
            for (int32_t y = -range[1]; y <= range[1]; y++)
                for (int32_t x = -range[0]; x <= range[0] && result == RN_OK; x++) {
                    int32_t to[3] = {at[0] + x, at[1] + y, at[2] + z};
                    result = reach_block(s, &from, to);
                }
    }
    return result;
}

/* --- deep inside -------------------------------------------------------------------------------------- */

/* How full the water is at the corners of bins: each particle counts for the eight corners of its bin, the more the
 * closer. A lattice counts the same wherever it is. */
typedef struct fullness {
    float part[CORNERS]; /* from the particles of the block; corners 0 to bins along each axis */
    float whole[BINS_OF_A_BLOCK]; /* with those of neighbours; corners 0 to bins - 1 */
} fullness;

static void fill_part(void *data, uint32_t b, uint32_t worker)
{
    rn_surface *s = data;
    (void)worker;
    const rni_block *block = (const rni_block *)s->block.data + b;
    float *part = ((fullness *)s->bin.data)[b].part;
    const float *position = s->position.data;
    int32_t bins = (int32_t)s->grid.bins;
    float origin[3];
    memset(part, 0, CORNERS * sizeof *part);
    rni_block_origin(s, block->key, origin);
    for (uint32_t i = block->begin; i < block->end; i++) {
        int32_t at[3];
        float share[3];
        for (uint32_t k = 0; k < 3; k++) {
            share[k] = (position[3 * (size_t)i + k] - origin[k]) / s->grid.edge[k] * (float)bins;
            at[k] = (int32_t)share[k];
            at[k] = at[k] < 0 ? 0 : at[k] < bins ? at[k] : bins - 1;
            share[k] -= (float)at[k];
        }
        for (int32_t n = 0; n < 8; n++) {
            const int32_t side[3] = {n & 1, n >> 1 & 1, n >> 2};
            float weight = 1;
            for (uint32_t k = 0; k < 3; k++) weight *= side[k] ? share[k] : 1 - share[k];
            part[((at[2] + side[2]) * (bins + 1) + at[1] + side[1]) * (bins + 1) + at[0] + side[0]] +=
                weight;
        }
    }
}

/* Adds what neighbours below give to the corners that they share. */
static void fill_whole(void *data, uint32_t b, uint32_t worker)
{
    rn_surface *s = data;
    (void)worker;
    const rni_block *block = (const rni_block *)s->block.data + b;
    fullness *all = s->bin.data;
    int32_t bins = (int32_t)s->grid.bins;
    uint32_t around[27];
    memset(all[b].whole, 0, sizeof all[b].whole);
    rni_block_around(s, block->key, around);
    for (int32_t n = 0; n < 8; n++) {
        const int32_t below[3] = {n & 1, n >> 1 & 1, n >> 2};
        uint32_t from = around[13 - below[0] - 3 * below[1] - 9 * below[2]];
        if (from == RNI_NO_BLOCK) continue;
        for (int32_t z = 0; z < (below[2] ? 1 : bins); z++)
            for (int32_t y = 0; y < (below[1] ? 1 : bins); y++)
                for (int32_t x = 0; x < (below[0] ? 1 : bins); x++) {
                    int32_t at =
                        ((z + below[2] * bins) * (bins + 1) + y + below[1] * bins) * (bins + 1) +
                        x + below[0] * bins;
                    all[b].whole[(z * bins + y) * bins + x] += all[from].part[at];
                }
    }
}

/* Whether the corners of a block within one bin of the block in the middle are full. side: -1, 0, 1 along each
 * axis. */
static bool is_full(const rn_surface *s, uint32_t b, const int32_t side[3])
{
    const float *whole = ((const fullness *)s->bin.data)[b].whole;
    int32_t bins = (int32_t)s->grid.bins;
    int32_t first[3], end[3];
    for (uint32_t k = 0; k < 3; k++) {
        first[k] = side[k] < 0 ? bins - 1 : 0;
        end[k] = side[k] > 0 && bins > 2 ? 2 : bins;
    }
    for (int32_t z = first[2]; z < end[2]; z++)
        for (int32_t y = first[1]; y < end[1]; y++)
            for (int32_t x = first[0]; x < end[0]; x++)
                if (whole[(z * bins + y) * bins + x] < s->grid.full_count) return false;
    return true;
}

static void look_inside(void *data, uint32_t b, uint32_t worker)
{
    rn_surface *s = data;
    (void)worker;
    rni_block *block = (rni_block *)s->block.data + b;
    uint32_t around[27];
    const int32_t middle[3] = {0, 0, 0};
    if (block->begin == block->end || !is_full(s, b, middle)) return;
    rni_block_around(s, block->key, around);
    for (int32_t n = 0; n < 27; n++) {
        const int32_t side[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        if (around[n] == RNI_NO_BLOCK || !is_full(s, around[n], side)) return;
    }
    block->is_inside = !rni_block_is_near_wall(s, block, 0);
}

static rn_result find_inside(rn_surface *s)
{
    if (s->grid.bins == 0) return RN_OK;
    if (rni_surface_need(&s->memory, &s->bin, s->block_count, sizeof(fullness)))
        return RN_ERROR_MEMORY;
    rni_crew_pieces(s->crew, s->block_count, fill_part, s);
    rni_crew_pieces(s->crew, s->block_count, fill_whole, s);
    rni_crew_pieces(s->crew, s->block_count, look_inside, s);
    return RN_OK;
}

rn_result rni_surface_find_blocks(rn_surface *s)
{
    s->block_count = 0;
    if (list_occupied(s) || list_reached(s) || find_inside(s)) return RN_ERROR_MEMORY;
    if (rni_surface_need(&s->memory, &s->evaluated, s->block_count, sizeof(uint32_t)))
        return RN_ERROR_MEMORY;
    rni_block *block = s->block.data;
    uint32_t *evaluated = s->evaluated.data;
    s->field_count = 0;
    for (uint32_t b = 0; b < s->block_count; b++) {
        if (block[b].is_inside) continue;
        block[b].field = s->field_count;
        evaluated[s->field_count++] = b;
    }
    return RN_OK;
}
