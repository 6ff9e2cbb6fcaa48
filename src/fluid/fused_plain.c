/* The loops of the fused gait for any machine: one particle times four neighbours. Root and quotient
 * are exact and nothing is contracted, so the bits are the same on all machines. */
#include "fluid/fused.h"

#define RNI_LANES   4
#define KERNEL_NAME rni_fused_plain
#include "fluid/lanes.h"

#include "fluid/laws.h"

static inline rni_v past_box(rni_v x, float low, float high)
{
    rni_v below = low - x, above = x - high;
    return rni_v_max(rni_v_max(below, above), rni_v_set(0.0f));
}

static inline uint32_t near_box(const fused_state *s, uint32_t begin, uint32_t end, const float low[3],
                                const float high[3], const float shift[3], uint32_t code,
                                const bool is_periodic, float *const to[3], uint32_t *entry,
                                uint32_t count)
{
    const rni_v reach_sq = rni_v_set(s->fluid->laws.h_sq * 1.000001f);
    for (uint32_t k = begin; k < end; k += 4) {
        const uint32_t here = end - k < 4 ? (1u << (end - k)) - 1u : 0xfu;
        rni_v x = rni_v_load(s->x + k), y = rni_v_load(s->y + k), z = rni_v_load(s->z + k);
        if (is_periodic) {
            x = x + shift[0];
            y = y + shift[1];
            z = z + shift[2];
        }
        rni_v dx = past_box(x, low[0], high[0]);
        rni_v dy = past_box(y, low[1], high[1]);
        rni_v dz = past_box(z, low[2], high[2]);
        const uint32_t near =
            here & rni_v_bits(rni_v_within(dx * dx + dy * dy + dz * dz, reach_sq));
        if (near == 0) continue;
        for (uint32_t lane = 0; lane < 4; lane++) {
            to[0][count] = x[lane];
            to[1][count] = y[lane];
            to[2][count] = z[lane];
            entry[count] = (k + lane) + code;
            count += near >> lane & 1u;
        }
    }
    return count;
}

static inline uint32_t keep_entries(const uint32_t *entries, uint32_t bits, uint32_t *to, uint32_t count)
{
    for (uint32_t k = 0; k < 16; k++) {
        to[count] = entries[k];
        count += bits >> k & 1u;
    }
    return count;
}

#include "fluid/fused_kernel.h"
