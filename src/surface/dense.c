/* The field of the last surface on one dense grid, as other programs read it. */
#include "surface/surface.h"

/* First and last point of the grid, over all blocks, whose value is not 0. */
static void find_extent(const rn_surface *s, uint32_t first[3], uint32_t last[3])
{
    const rni_block *block = s->block.data;
    const uint32_t *evaluated = s->evaluated.data;
    for (uint32_t k = 0; k < 3; k++) first[k] = UINT32_MAX, last[k] = 0;
    for (uint32_t n = 0; n < s->field_count; n++) {
        const float *field = (const float *)s->fields.data + (size_t)n * RNI_BLOCK_POINTS;
        int32_t at[3];
        rni_block_at(block[evaluated[n]].key, at);
        for (uint32_t p = 0; p < RNI_BLOCK_POINTS; p++) {
            if (field[p] == 0) continue;
            for (uint32_t k = 0; k < 3; k++) {
                const uint32_t x = (uint32_t)at[k] * RNI_BLOCK + (p >> (3 * k) & 7u);
                if (x < first[k]) first[k] = x;
                if (x > last[k]) last[k] = x;
            }
        }
    }
}

rni_dense_field rni_surface_dense_size(const rn_surface *s)
{
    rni_dense_field dense = {.level = s->level};
    uint32_t last[3];
    if (s->field_count == 0) return dense;
    find_extent(s, dense.first, last);
    for (uint32_t k = 0; k < 3; k++) {
        dense.first[k]--; /* two points around, for gradients; no particle is in the first blocks */
        dense.first[k]--;
        dense.count[k] = last[k] - dense.first[k] + 3;
        dense.step[k] = s->grid.step[k];
        dense.low[k] = s->grid.low[k] + (float)dense.first[k] * s->grid.step[k];
    }
    return dense;
}

void rni_surface_dense_fill(const rn_surface *s, const rni_dense_field *dense, float *value)
{
    for (uint32_t z = 0; z < dense->count[2]; z++)
        for (uint32_t y = 0; y < dense->count[1]; y++)
            for (uint32_t x = 0; x < dense->count[0]; x++) {
                const uint32_t at[3] = {x + dense->first[0], y + dense->first[1],
                                        z + dense->first[2]};
                const int32_t block_at[3] = {(int32_t)(at[0] / RNI_BLOCK),
                                             (int32_t)(at[1] / RNI_BLOCK),
                                             (int32_t)(at[2] / RNI_BLOCK)};
                const uint32_t b = rni_block_find(s, rni_block_key(block_at));
                const uint32_t p =
                    ((at[2] & 7u) * RNI_BLOCK + (at[1] & 7u)) * RNI_BLOCK + (at[0] & 7u);
                const rni_block *block = (const rni_block *)s->block.data + b;
                if (b == RNI_NO_BLOCK) *value++ = 0;
                else if (block->field == RNI_NO_BLOCK) *value++ = 1;
                else
                    *value++ =
                        ((const float *)s->fields.data)[(size_t)block->field * RNI_BLOCK_POINTS + p];
            }
}
