/* The weight of each particle in the field, from the density of particles around it.
 *
 * The colour field is the sum of V_j W(x - x_j). With the volume of the particle as V_j, spray and thin sheets do not
 * reach the level of the surface and vanish; with 1 / sum_k W(x_j - x_k), they are twice as large as their
 * particles. NORMALISED is between the two: a single particle becomes a small drop. The sum is corrected
 * for walls. Particles that no computed block needs keep the weight of a full neighbourhood. */
#include "surface/surface.h"

#include "base/pi.h"

#include <math.h>
#include <string.h>

#define NORMALISED 0.75f

typedef struct job {
    rn_surface *s;
    float full;  /* the weight in a full neighbourhood */
    float width; /* of the candidates, in kernel radii */
    rni_failure failure;
} job;

/* --- candidates -------------------------------------------------------------------------------------- */

static void take_candidates(const job *j, const rni_block *block, const rni_block *from,
                            float *x[3], uint32_t *count)
{
    const rn_surface *s = j->s;
    const float *position = s->position.data;
    float scale = 1 / s->grid.radius;
    float reach = j->width * s->grid.radius;
    float origin[3];
    rni_block_origin(s, block->key, origin);
    for (uint32_t i = from->begin; i < from->end; i++) {
        const float *p = position + 3 * (size_t)i;
        if (rni_box_gap_sq(p, p, block->low, block->high) >= reach * reach) continue;
        for (uint32_t k = 0; k < 3; k++) x[k][*count] = (p[k] - origin[k]) * scale;
        ++*count;
    }
}

/* The next block within range of a block that holds particles, in a fixed order; *place begins with 0. */
static uint32_t next_block(const rn_surface *s, const rni_block *block, const int32_t range[3],
                           uint32_t *place)
{
    const rni_block *blocks = s->block.data;
    int32_t at[3], side[3];
    rni_block_at(block->key, at);
    for (uint32_t k = 0; k < 3; k++) side[k] = 2 * range[k] + 1;
    for (int32_t n = (int32_t)*place; n < side[0] * side[1] * side[2]; n++) {
        int32_t to[3] = {at[0] + n % side[0] - range[0], at[1] + n / side[0] % side[1] - range[1],
                         at[2] + n / (side[0] * side[1]) - range[2]};
        if (to[0] < 0 || to[1] < 0 || to[2] < 0) continue;
        uint32_t b = rni_block_find(s, rni_block_key(to));
        *place = (uint32_t)n + 1;
        if (b != RNI_NO_BLOCK && blocks[b].begin < blocks[b].end) return b;
    }
    return RNI_NO_BLOCK;
}

/* All particles within width radii of those of the block. */
static rn_result find_candidates(const job *j, const rni_block *block, rni_buffer *scratch,
                                 rni_candidates *out)
{
    rn_surface *s = j->s;
    const rni_block *blocks = s->block.data;
    int32_t range[3];
    uint64_t most = 16;
    uint32_t b;
    for (uint32_t k = 0; k < 3; k++)
        range[k] = (int32_t)ceilf(j->width * s->grid.radius / s->grid.edge[k]);
    for (uint32_t place = 0; (b = next_block(s, block, range, &place)) != RNI_NO_BLOCK;)
        most += blocks[b].end - blocks[b].begin;
    most = (most + 15) / 16 * 16;
    if (rni_buffer_grow(&s->memory, scratch, most, 3 * sizeof(float))) return RN_ERROR_MEMORY;
    float *x[3] = {scratch->data, (float *)scratch->data + most, (float *)scratch->data + 2 * most};
    out->count = 0;
    for (uint32_t place = 0; (b = next_block(s, block, range, &place)) != RNI_NO_BLOCK;)
        take_candidates(j, block, &blocks[b], x, &out->count);
    for (; out->count % 16 != 0; out->count++)
        for (uint32_t k = 0; k < 3; k++) x[k][out->count] = 1e9f;
    for (uint32_t k = 0; k < 3; k++) out->x[k] = x[k];
    rni_block_origin(s, block->key, out->origin);
    return RN_OK;
}

/* --- weights ------------------------------------------------------------------------------------------ */

static void start_splat(const job *j, uint32_t i, rni_splat *splat)
{
    const rn_surface *s = j->s;
    *splat = (rni_splat){.weight = j->full, .form = {1, 1, 1, 0, 0, 0}};
    memcpy(splat->x, (const float *)s->position.data + 3 * (size_t)i, sizeof splat->x);
    for (uint32_t k = 0; k < 3; k++) splat->extent[k] = s->grid.radius;
}

/* Whether a block whose field is computed reads particles of this one. */
static bool is_read(const rn_surface *s, const rni_block *block)
{
    const rni_block *blocks = s->block.data;
    const int32_t *range = s->grid.range;
    int32_t at[3];
    if (!block->is_inside) return true;
    rni_block_at(block->key, at);
    for (int32_t z = -range[2]; z <= range[2]; z++)
        for (int32_t y = -range[1]; y <= range[1]; y++)
            for (int32_t x = -range[0]; x <= range[0]; x++) {
                int32_t to[3] = {at[0] + x, at[1] + y, at[2] + z};
                uint32_t b = rni_block_find(s, rni_block_key(to));
                if (b != RNI_NO_BLOCK && !blocks[b].is_inside) return true;
            }
    return false;
}

static void weigh_block(void *data, uint32_t b, uint32_t worker)
{
    job *j = data;
    rn_surface *s = j->s;
    const rni_block *block = (const rni_block *)s->block.data + b;
    rni_splat *splat = s->splat.data;
    for (uint32_t i = block->begin; i < block->end; i++) start_splat(j, i, &splat[i]);
    if (block->begin == block->end || !is_read(s, block)) return;
    rni_candidates candidates;
    rn_result result = find_candidates(j, block, &s->scratch[worker], &candidates);
    if (result != RN_OK) {
        rni_failure_keep(&j->failure, result);
        return;
    }
    bool is_near_wall = rni_block_is_near_wall(s, block, s->grid.radius);
    for (uint32_t i = block->begin; i < block->end; i++) {
        float x[3];
        for (uint32_t k = 0; k < 3; k++)
            x[k] = (splat[i].x[k] - candidates.origin[k]) * (1 / s->grid.radius);
        float around = s->kernel->sum(x, candidates.x, candidates.count);
        float least;
        float share = 1;
        if (is_near_wall)
            share = rni_surface_walls_share(&s->points, splat[i].x, s->grid.radius, &least);
        /* A particle is at its own centre, so the sum is at least 1. */
        float ratio = (share > 0.1f ? share : 0.1f) / (around * j->full);
        splat[i].weight = j->full * powf(ratio, NORMALISED);
        if (s->def.kernel == RN_SURFACE_ANISOTROPIC)
            rni_surface_stretch(s, &candidates, share, &splat[i]);
    }
}

rn_result rni_surface_weigh(rn_surface *s)
{
    float ratio = s->grid.spacing / s->grid.radius;
    job j = {.s = s, .full = 315 / (64 * (float)RNI_PI) * ratio * ratio * ratio};
    j.width = s->def.kernel == RN_SURFACE_ANISOTROPIC ? 2 : 1;
    if (rni_surface_need(&s->memory, &s->splat, s->points.count, sizeof(rni_splat)))
        return RN_ERROR_MEMORY;
    rni_crew_pieces(s->crew, s->block_count, weigh_block, &j);
    return rni_failure_raise(&j.failure);
}
