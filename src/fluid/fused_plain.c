/* The loops of the fused traversal for any machine: one particle times four neighbours. Root and quotient
 * are exact and nothing is contracted, so the bits are the same on all machines. */
#define RNI_LANES 4
#include "fluid/fused_pass.h"

#include "fluid/passes.h"

RNI_INLINE rni_v past_box(rni_v x, float low, float high)
{
    rni_v below = low - x, above = x - high;
    return rni_v_max(rni_v_max(below, above), rni_v_set(0.0f));
}

/* Takes those of 4 particles, `here` of which count, that may be near; returns the new count. */
RNI_INLINE uint32_t take_near(const fused_state *s, const box *b, uint32_t k, uint32_t here,
                              uint32_t image, const bool is_periodic, const candidates *to,
                              uint32_t count)
{
    rni_v x = rni_v_load(s->x + k), y = rni_v_load(s->y + k), z = rni_v_load(s->z + k);
    if (is_periodic) {
        x = x + s->image[image][0];
        y = y + s->image[image][1];
        z = z + s->image[image][2];
    }
    rni_v dx = past_box(x, b->low[0], b->high[0]);
    rni_v dy = past_box(y, b->low[1], b->high[1]);
    rni_v dz = past_box(z, b->low[2], b->high[2]);
    const rni_v reach_sq = rni_v_set(s->reach * s->reach * 1.000001f);
    const uint32_t near = here & rni_v_bits(rni_v_within(dx * dx + dy * dy + dz * dz, reach_sq));
    if (near == 0) return count;
    for (uint32_t lane = 0; lane < 4; lane++) {
        to->x[count] = x[lane];
        to->y[count] = y[lane];
        to->z[count] = z[lane];
        to->entry[count] = entry_of(k + lane, image, is_periodic);
        count += near >> lane & 1u;
    }
    return count;
}

RNI_INLINE uint32_t near_box(const fused_state *s, const cell_runs *list, const box *b,
                             const bool is_periodic, const candidates *to)
{
    const candidates out = *to;
    uint32_t count = 0;
    for (uint32_t r = 0; r < list->count; r++) {
        const cell_run *at = &list->runs[r];
        for (uint32_t k = at->begin; k < at->end; k += 4) {
            const uint32_t here = at->end - k < 4 ? (1u << (at->end - k)) - 1u : 0xfu;
            count = take_near(s, b, k, here, at->image, is_periodic, &out, count);
        }
    }
    return count;
}

RNI_INLINE uint32_t keep_entries(const uint32_t *entries, uint32_t bits, uint32_t *to, uint32_t count)
{
    for (uint32_t k = 0; k < 16; k++) {
        to[count] = entries[k];
        count += bits >> k & 1u;
    }
    return count;
}

#include "fluid/fused_find.h"
