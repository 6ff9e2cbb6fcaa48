/* The loop of the list traversal: RNI_PASS_EXPAND(NAME) makes rni_pass_NAME_lists, and RNI_PASS_DEFINE(NAME) the
 * pass itself. One particle and one neighbour at a time: i itself first, then its list. */
#ifndef RNI_FLUID_PASS_LISTS_H
#define RNI_FLUID_PASS_LISTS_H

#ifndef RNI_LANES
#define RNI_LANES 1
#endif
#include "base/lanes.h"

#include "fluid/lists.h"
#include "fluid/pass_law.h"

#include <math.h>

RNI_INLINE float rni_shortest(float d, float period, float inverse_period)
{
    return d - period * rintf(d * inverse_period);
}

/* The pair of i and j. */
RNI_INLINE void rni_pair_set(rni_pair *p, uint32_t j, const bool is_periodic)
{
    const rni_coefficients *c = p->c;
    p->of_j[0] = p->job->body + rni_body_stride(p->gathers) * (size_t)j;
    for (uint32_t k = 0; k < RNI_PASS_ARRAYS; k++)
        if (p->gathers.width[k] > 0)
            p->of_j[1 + k] = p->job->arrays.gather[k] + p->gathers.width[k] * (size_t)j;
    for (uint32_t a = 0; a < 3; a++) {
        float d = p->of_i[0][a] - p->of_j[0][a];
        if (is_periodic) d = rni_shortest(d, c->period[a], c->inverse_period[a]);
        *(a == 0 ? &p->d.x : a == 1 ? &p->d.y : &p->d.z) = d;
    }
}

#define RNI_PASS_EXPAND(name)                                                                   \
    RNI_INLINE void name##_piece(const rni_pass_job *job, uint32_t piece, uint32_t worker,      \
                                 const rni_variant v)                                           \
    {                                                                                           \
        (void)worker;                                                                           \
        const uint32_t count = job->fluid->now.count, begin = piece * RNI_FLUID_PIECE;          \
        const uint32_t end = count - begin < RNI_FLUID_PIECE ? count : begin + RNI_FLUID_PIECE; \
        for (uint32_t i = begin; i < end; i++) {                                                \
            const rn_list list = rni_list_of(job->fluid, i);                                    \
            rni_pair p = rni_pairs_of(job, name##_gathers(v), i, 1);                            \
            name##_sums sums = {0};                                                             \
            rni_pair_set(&p, i, false);                                                         \
            if (name##_has_slope) p.near = rni_near_of(&p, v.kernels);                          \
            name##_law(&p, v, &sums);                                                           \
            for (uint32_t k = 0; k < list.count; k++) {                                         \
                rni_pair_set(&p, list.index[k], v.is_periodic);                                 \
                if (name##_has_slope) p.near = rni_near_of(&p, v.kernels);                      \
                name##_law(&p, v, &sums);                                                       \
            }                                                                                   \
            name##_store(&p, v, &sums);                                                         \
        }                                                                                       \
    }                                                                                           \
    void rni_pass_##name##_lists(const rni_pass_job *job, uint32_t piece, uint32_t worker)      \
    {                                                                                           \
        RNI_PASS_OF_KERNELS(name)                                                               \
    }

#define RNI_PASS_DEFINE(name)                                                                 \
    static rni_gathers name##_gathers_of(const rn_fluid *fluid)                               \
    {                                                                                         \
        return name##_gathers(                                                                \
            (rni_variant){fluid->def.kernels, name##_option(fluid), rni_is_periodic(fluid)}); \
    }                                                                                         \
    const rni_pass rni_pass_##name = {                                                        \
        #name,                                                                                \
        name##_gathers_of,                                                                    \
        name##_pack,                                                                          \
        {rni_pass_##name##_lists, rni_pass_##name##_plain, RNI_PASS_WIDE(name)}};

#endif
