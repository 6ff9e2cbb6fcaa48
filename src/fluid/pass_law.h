/* What a pass file is written in. A file that includes this has chosen its lanes (lanes.h).
 *
 *     rni_v            one number of a pair (one lane), or of 1, 2 or 4 particles i times 4 neighbours
 *     rni_q            four numbers of each of these particles i: what is stored
 *     rni_pair         a pair, or as many as there are lanes: p->c the coefficients, p->d = x_i - x_j
 *     rni_of_i(p, k)   number k of particle i (rni_gathers), rni_of_j(p, k) that of the neighbour
 *     rni_constants(p) those of the call
 *     p->near          of laws with NAME_has_slope: the kernel's slope, r and more
 * In NAME_store:
 *     rni_q_sums(a, b, c, d)     four sums over all pairs of i
 *     rni_q_spread(q, k)         number k of each in all four; rni_q_set(a, b, c, d)
 *     rni_record_of_i(p, k)      numbers k to k + 3 of i; k = 4, 8 or 12
 *     rni_kept_of_i(p, records)  the record of i in another array of records
 *     rni_put(p, n, q)           four numbers to the array n of the call, rni_put_one(p, n, q): the first alone
 *
 * A law is called for every neighbour j and for i itself, at d = 0, and for some pairs beyond the radius: there
 * it has to add 0. Only + - * and the names of lanes.h may touch rni_v.
 */
#ifndef RNI_FLUID_PASS_LAW_H
#define RNI_FLUID_PASS_LAW_H

#include "fluid/laws.h"
#include "fluid/pass.h"

#include <string.h>

#define RNI_INLINE static inline __attribute__((always_inline))

/* Particles i that are worked on at once. */
#if RNI_LANES == 1
#define RNI_BATCH 1u
#else
#define RNI_BATCH (RNI_LANES / 4u)
#endif

/* The kernel's slope for a pair, which laws with NAME_has_slope need: - W' / r without its constant, 0 outside the
 * radius, twice r and so on. The loops compute it for the next pairs before they call the law with
 * these: the law need not wait for it. */
typedef struct rni_near {
    rni_v slope, twice_r, twice_inverse_r;
    rni_v support;  /* twice h - r, or 0 */
    rni_vm is_near; /* within the radius */
} rni_near;

typedef struct rni_pair {
    const rni_pass_job *job;
    const rni_coefficients *c;
    rni_gathers gathers;
    const float *of_i[1 + RNI_PASS_ARRAYS]; /* records of the first i: body, arrays */
    const float *of_j[1 + RNI_PASS_ARRAYS]; /* of j; with more lanes [0] alone: staged numbers */
    uint32_t i, count; /* the first i, and how many there are; may be more than a batch */
    rni_v3 d;
    rni_near near; /* of laws with NAME_has_slope */
} rni_pair;

static inline bool rni_no_option(const rn_fluid *fluid)
{
    (void)fluid;
    return false;
}

/* Whether there are several fluids. */
static inline bool rni_of_phases(const rn_fluid *fluid)
{
    return fluid->ratio != NULL;
}

static inline bool rni_is_periodic(const rn_fluid *fluid)
{
    const float *period = fluid->laws.period;
    return period[0] > 0 || period[1] > 0 || period[2] > 0;
}

RNI_INLINE rni_near rni_near_of(const rni_pair *p, const rn_fluid_kernels kernels)
{
    rni_near near;
    const rni_v3 d = p->d;
    const rni_v r_sq = d.x * d.x + p->c->tiny + d.y * d.y + d.z * d.z;
    near.is_near = rni_v_within(r_sq, rni_v_set(p->c->h_sq));
    near.twice_r = rni_v_twice_root(r_sq, &near.twice_inverse_r);
    near.support = rni_v_where(near.is_near, 2.0f * p->c->h - near.twice_r);
    near.slope = rni_law_slope(kernels, near.support, near.twice_inverse_r);
    return near;
}

RNI_INLINE const void *rni_constants(const rni_pair *p)
{
    return p->job->arrays.constants;
}

/* Numbers from one body to the next. */
RNI_INLINE uint32_t rni_body_stride(const rni_gathers gathers)
{
    return gathers.body == RNI_GATHER_POSITION ? 4u : 8u;
}

/* The pairs of the particles from i on, before the first neighbour. */
RNI_INLINE rni_pair rni_pairs_of(const rni_pass_job *job, const rni_gathers gathers, uint32_t i,
                                 uint32_t count)
{
    rni_pair p = {.job = job, .c = &job->fluid->laws, .gathers = gathers, .i = i, .count = count};
    p.of_i[0] = job->body + rni_body_stride(gathers) * (size_t)i;
    for (uint32_t k = 0; k < RNI_PASS_ARRAYS; k++)
        if (gathers.width[k] > 0)
            p.of_i[1 + k] = job->arrays.gather[k] + gathers.width[k] * (size_t)i;
    return p;
}

#if RNI_LANES == 1
/* --- one lane ------------------------------------------------------------------------------------- */

typedef float rni_q __attribute__((vector_size(16)));

RNI_INLINE rni_v rni_of_i(const rni_pair *p, const uint32_t k)
{
    return k < 8 ? p->of_i[0][k] : p->of_i[k / 4 - 1][k % 4];
}

RNI_INLINE rni_v rni_of_j(const rni_pair *p, const uint32_t k)
{
    return k < 8 ? p->of_j[0][k] : p->of_j[k / 4 - 1][k % 4];
}

RNI_INLINE rni_q rni_q_set(float a, float b, float c, float d)
{
    return (rni_q){a, b, c, d};
}

RNI_INLINE rni_q rni_q_sums(rni_v a, rni_v b, rni_v c, rni_v d)
{
    return (rni_q){a, b, c, d};
}

#define rni_q_spread(q, k) rni_q_set((q)[k], (q)[k], (q)[k], (q)[k])

RNI_INLINE rni_q rni_record_of_i(const rni_pair *p, const uint32_t k)
{
    rni_q q;
    memcpy(&q, k < 8 ? p->of_i[0] + k : p->of_i[k / 4 - 1], sizeof q);
    return q;
}

RNI_INLINE rni_q rni_kept_of_i(const rni_pair *p, const float *records)
{
    rni_q q;
    memcpy(&q, records + 4 * (size_t)p->i, sizeof q);
    return q;
}

RNI_INLINE void rni_q_store(float *to, rni_q q)
{
    memcpy(to, &q, sizeof q);
}

RNI_INLINE void rni_put(const rni_pair *p, uint32_t n, rni_q q)
{
    rni_q_store(p->job->arrays.store[n] + 4 * (size_t)p->i, q);
}

#else
/* --- quads of lanes ------------------------------------------------------------------------------- */

typedef rni_v rni_q;

/* Where number k of four neighbours is among the numbers staged for them, four together. */
RNI_INLINE uint32_t rni_staged(const rni_gathers gathers, const uint32_t k)
{
    if (k < 8) return gathers.body == RNI_GATHER_MOTION ? k % 4 * 8 + k / 4 * 4 : 4 * k;
    const uint32_t body = gathers.body == RNI_GATHER_MOTION ? 32 : 16;
    return body + (k < 12 ? 4 * (k - 8) : 4 * gathers.width[0] + 4 * (k - 12));
}

/* All that is staged for four neighbours. */
RNI_INLINE uint32_t rni_staged_stride(const rni_gathers gathers)
{
    return rni_staged(gathers, 12) + 4 * gathers.width[1];
}

RNI_INLINE rni_v rni_of_j(const rni_pair *p, const uint32_t k)
{
    return rni_v_load_quad(p->of_j[0] + rni_staged(p->gathers, k));
}

/* Number k of each of the records of four numbers at p. */
RNI_INLINE rni_v rni_v_spread4(const float *p, const uint32_t k)
{
    const rni_v records = rni_v_load(p);
    switch (k) {
    case 0: return rni_v_spread(records, 0);
    case 1: return rni_v_spread(records, 1);
    case 2: return rni_v_spread(records, 2);
    default: return rni_v_spread(records, 3);
    }
}

/* Each of the numbers at p in all lanes of its quad. */
RNI_INLINE rni_v rni_v_spread1(const float *p)
{
    float lanes[RNI_LANES];
    for (uint32_t l = 0; l < RNI_LANES; l++) lanes[l] = p[l / 4];
    return rni_v_load(lanes);
}

RNI_INLINE rni_v rni_of_i(const rni_pair *p, const uint32_t k)
{
    if (k < 8)
        return p->gathers.body == RNI_GATHER_POSITION ? rni_v_spread4(p->of_i[0], k)
                                                      : rni_v_spread8(p->of_i[0], (int)k);
    const float *records = p->of_i[k / 4 - 1];
    return p->gathers.width[k / 4 - 2] == 1 ? rni_v_spread1(records) : rni_v_spread4(records, k % 4);
}

RNI_INLINE rni_q rni_q_set(float a, float b, float c, float d)
{
    float lanes[RNI_LANES];
    for (uint32_t l = 0; l < RNI_LANES; l += 4)
        lanes[l] = a, lanes[l + 1] = b, lanes[l + 2] = c, lanes[l + 3] = d;
    return rni_v_load(lanes);
}

#define rni_q_sums   rni_v_sum_quads
#define rni_q_spread rni_v_spread
#define rni_q_store  rni_v_store

RNI_INLINE rni_q rni_record_of_i(const rni_pair *p, const uint32_t k)
{
    return k < 8 ? rni_v_halves8(p->of_i[0]) : rni_v_load(p->of_i[k / 4 - 1]);
}

RNI_INLINE rni_q rni_kept_of_i(const rni_pair *p, const float *records)
{
    return rni_v_load(records + 4 * (size_t)p->i);
}

RNI_INLINE void rni_put(const rni_pair *p, uint32_t n, rni_q q)
{
    float *to = p->job->arrays.store[n] + 4 * (size_t)p->i;
    if (p->count >= RNI_BATCH) rni_v_store(to, q);
    else rni_v_store_some(to, q, 4 * p->count);
}

#endif

RNI_INLINE void rni_put_one(const rni_pair *p, uint32_t n, rni_q q)
{
    float *to = p->job->arrays.store[n] + p->i, records[RNI_BATCH][4];
    rni_q_store(records[0], q);
    for (uint32_t k = 0; k < RNI_BATCH && k < p->count; k++) to[k] = records[k][0];
}

/* Calls the loop NAME_piece with constants for what it is compiled for. */
#define RNI_PASS_OF_PERIODS(name, kernels_, option_)                                \
    if (rni_is_periodic(job->fluid))                                                \
        name##_piece(job, piece, worker, (rni_variant){kernels_, option_, true});   \
    else name##_piece(job, piece, worker, (rni_variant){kernels_, option_, false}); \
    break;

#define RNI_PASS_OF_OPTIONS(name, kernels_)        \
    if (name##_option(job->fluid)) {               \
        RNI_PASS_OF_PERIODS(name, kernels_, true)  \
    } else {                                       \
        RNI_PASS_OF_PERIODS(name, kernels_, false) \
    }

#define RNI_PASS_OF_KERNELS(name)                                                 \
    switch (name##_has_kernels ? job->fluid->def.kernels : RN_KERNELS_WENDLAND) { \
    case RN_KERNELS_WENDLAND: RNI_PASS_OF_OPTIONS(name, RN_KERNELS_WENDLAND)      \
    case RN_KERNELS_SPIKY: RNI_PASS_OF_OPTIONS(name, RN_KERNELS_SPIKY)            \
    case RN_KERNELS_PAPERS: RNI_PASS_OF_OPTIONS(name, RN_KERNELS_PAPERS)          \
    }

#endif
