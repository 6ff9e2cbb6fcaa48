/* The loop of the fused traversal: RNI_PASS_EXPAND(NAME) makes rni_pass_NAME_plain, _avx2 or _avx512, by the lanes.
 *
 * Job:    for each quad of particles stage its neighbours (four at a time, transposed, in the cache), then
 *         sum batch by batch: 4 neighbours times 1, 2 or 4 particles of the quad.
 * Use:    a file that defines RNI_LANES as 4, 8 or 16 and is compiled for that instruction set includes this first.
 */
#ifndef RNI_FLUID_FUSED_PASS_H
#define RNI_FLUID_FUSED_PASS_H

#include "base/lanes.h"

#include "fluid/fused.h"
#include "fluid/pass_law.h"

#if RNI_LANES == 4
#define RNI_FUSED_NAME(name) name##_plain
#elif RNI_LANES == 8
#define RNI_FUSED_NAME(name) name##_avx2
#else
#define RNI_FUSED_NAME(name) name##_avx512
#endif

/* Batches of a quad. */
#define FUSED_BATCHES (FUSED_QUAD / RNI_BATCH)

/* One quad of a list. */
typedef struct quad {
    uint32_t begin, count, entry_count;
    const uint32_t *entries;
    uint32_t half_begin[2], half_end[2]; /* the entries of each half */
} quad;

RNI_INLINE quad quad_at(const uint32_t *list)
{
    return (quad){.begin = list[0],
                  .count = list[1] % FUSED_QUAD + 1,
                  .entry_count = list[2],
                  .entries = list + FUSED_HEAD,
                  .half_begin = {0, list[1] & ~3u},
                  .half_end = {list[3], list[2]}};
}

/* What a batch reads of a quad's neighbours, which are staged with `stride` numbers for each four. */
typedef struct batch_span {
    const float *begin, *end;
} batch_span;

RNI_INLINE batch_span span_of(const quad *q, uint32_t batch, const float *stage, const uint32_t stride)
{
    const uint32_t half = FUSED_BATCHES > 1 ? 2 * batch / FUSED_BATCHES : 0;
    return (batch_span){stage + (size_t)q->half_begin[half] / 4 * stride,
                        stage + (size_t)q->half_end[half] / 4 * stride};
}

/* Where the records of four entries begin in records of four numbers; in those of eight it is twice
 * that. */
RNI_INLINE void records_at(const uint32_t entries[4], const bool is_periodic, size_t at[4])
{
    for (uint32_t k = 0; k < 4; k++)
        at[k] = is_periodic ? (size_t)(entries[k] & FUSED_INDEX_MASK) * 4 : entries[k];
}

/* Adds what the images of four entries add to x, y and z, which lie `apart` numbers from each other. */
RNI_INLINE void shift_places(const fused_state *s, const uint32_t *entries, float *to, uint32_t apart)
{
    for (uint32_t k = 0; k < 4; k++) {
        const float *shift = s->image[entries[k] >> FUSED_IMAGE_SHIFT];
        for (uint32_t a = 0; a < 3; a++) to[apart * a + k] += shift[a];
    }
}

RNI_INLINE void stage_bodies(const float *b, const size_t at[4], const rni_gather_body body, float *to)
{
    switch (body) {
    case RNI_GATHER_POSITION:
        rni_v_transpose(b + at[0], b + at[1], b + at[2], b + at[3], to);
        break;
    case RNI_GATHER_PLACE:
        rni_v_transpose(b + 2 * at[0], b + 2 * at[1], b + 2 * at[2], b + 2 * at[3], to);
        break;
    case RNI_GATHER_MOTION:
        rni_v_transpose8(b + 2 * at[0], b + 2 * at[1], b + 2 * at[2], b + 2 * at[3], to);
        break;
    }
}

RNI_INLINE void stage_array(const float *r, const size_t at[4], const uint32_t width, float *to)
{
    if (width == 4) rni_v_transpose(r + at[0], r + at[1], r + at[2], r + at[3], to);
    if (width == 1)
        for (uint32_t k = 0; k < 4; k++) to[k] = r[at[k] / 4];
}

/* The neighbours of a quad, as rni_staged() finds their numbers. */
RNI_INLINE void stage_quad(const rni_pass_job *job, const quad *q, const rni_gathers g,
                           const bool is_periodic, float *to)
{
    const fused_state *s = job->fluid->traversal_state;
    const uint32_t stride = rni_staged_stride(g);
    /* In registers: a compiler has to assume that the stores of wide lanes change *job. */
    const float *body = job->body, *a = job->arrays.gather[0], *b = job->arrays.gather[1];
    const uint32_t *const end = q->entries + q->entry_count;
    for (const uint32_t *e = q->entries; e < end; e += 4, to += stride) {
        size_t at[4];
        records_at(e, is_periodic, at);
        stage_bodies(body, at, g.body, to);
        stage_array(a, at, g.width[0], to + rni_staged(g, 8));
        stage_array(b, at, g.width[1], to + rni_staged(g, 12));
        if (is_periodic) shift_places(s, e, to, g.body == RNI_GATHER_MOTION ? 8 : 4);
    }
}

/* The pairs with the four neighbours that are staged at j. */
RNI_INLINE void take_staged(rni_pair *p, const rni_v3 i, const float *j)
{
    p->of_j[0] = j;
    p->d.x = i.x - rni_of_j(p, 0);
    p->d.y = i.y - rni_of_j(p, 1);
    p->d.z = i.z - rni_of_j(p, 2);
}

/* The same with the kernel's slope. */
RNI_INLINE void take_with_slope(rni_pair *p, const rni_v3 i, const float *j,
                                const rn_fluid_kernels kernels)
{
    take_staged(p, i, j);
    p->near = rni_near_of(p, kernels);
}

#define RNI_PASS_EXPAND(name)                                                                      \
    RNI_INLINE void name##_batch(const rni_pass_job *job, const quad *q, uint32_t batch,           \
                                 const float *stage, const rni_variant v)                          \
    {                                                                                              \
        const rni_gathers g = name##_gathers(v);                                                   \
        const uint32_t first = batch * RNI_BATCH;                                                  \
        rni_pair p = rni_pairs_of(job, g, q->begin + first, q->count - first);                     \
        const rni_v3 i = {rni_of_i(&p, 0), rni_of_i(&p, 1), rni_of_i(&p, 2)};                      \
        const batch_span span = span_of(q, batch, stage, rni_staged_stride(g));                    \
        name##_sums sums = {0};                                                                    \
        rni_pair next = p;                                                                         \
        if (name##_has_slope) take_with_slope(&next, i, span.begin, v.kernels);                    \
        for (const float *j = span.begin; j < span.end; j += rni_staged_stride(g)) {               \
            if (name##_has_slope) {                                                                \
                p = next; /* the last next ones lie behind all neighbours, and are not used */     \
                take_with_slope(&next, i, j + rni_staged_stride(g), v.kernels);                    \
            } else take_staged(&p, i, j);                                                          \
            name##_law(&p, v, &sums);                                                              \
        }                                                                                          \
        name##_store(&p, v, &sums);                                                                \
    }                                                                                              \
    RNI_INLINE void name##_piece(const rni_pass_job *job, uint32_t piece, uint32_t worker,         \
                                 const rni_variant v)                                              \
    {                                                                                              \
        const fused_state *s = job->fluid->traversal_state;                                        \
        const uint32_t *list = (const uint32_t *)s->lists.numbers.data + s->lists.begin[piece];    \
        const uint32_t *end = list + s->lists.length[piece];                                       \
        float *stage = s->scratch[worker].stage.data;                                              \
        while (list < end) {                                                                       \
            const quad q = quad_at(list);                                                          \
            stage_quad(job, &q, name##_gathers(v), v.is_periodic, stage);                          \
            for (uint32_t batch = 0; batch * RNI_BATCH < q.count; batch++)                         \
                name##_batch(job, &q, batch, stage, v);                                            \
            list += FUSED_HEAD + q.entry_count;                                                    \
        }                                                                                          \
    }                                                                                              \
    void RNI_FUSED_NAME(rni_pass_##name)(const rni_pass_job *job, uint32_t piece, uint32_t worker) \
    {                                                                                              \
        RNI_PASS_OF_KERNELS(name)                                                                  \
    }

#endif
