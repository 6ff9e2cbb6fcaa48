/* The loops of the fused traversal, written once. A file that includes this has chosen its lanes
 * (base/lanes.h) and defined KERNEL_NAME, the name of the fused_kernel. */

/* Particles of a quad that are worked on at once, and how many times that makes. */
#define ABREAST (RNI_LANES / 4u)
#define TURNS   (FUSED_QUAD / ABREAST)

/* Calls of a loop with constants for what it is compiled for. */
#define BY_KERNELS(call, ...)                                                                  \
    switch (s->fluid->def.kernels) {                                                           \
    case RN_KERNELS_WENDLAND: call(s, piece, worker, RN_KERNELS_WENDLAND, __VA_ARGS__); break; \
    case RN_KERNELS_SPIKY: call(s, piece, worker, RN_KERNELS_SPIKY, __VA_ARGS__); break;       \
    case RN_KERNELS_PAPERS: call(s, piece, worker, RN_KERNELS_PAPERS, __VA_ARGS__); break;     \
    }

static bool is_folded(const fused_state *s)
{
    const float *period = s->fluid->laws.period;
    return period[0] > 0 || period[1] > 0 || period[2] > 0;
}

/* Where the records of four entries begin in records of four numbers; in those of eight it is twice
 * that. */
INLINE void records_of(const uint32_t entries[4], const bool is_periodic, size_t at[4])
{
    for (uint32_t k = 0; k < 4; k++)
        at[k] = is_periodic ? (size_t)(entries[k] & FUSED_INDEX_MASK) * 4 : entries[k];
}

/* One quad of a list. */
typedef struct quad {
    uint32_t begin, count, entry_count;
    const uint32_t *entries;
    uint32_t half_begin[2], half_end[2]; /* the entries of each half */
} quad;

INLINE quad quad_at(const uint32_t *list)
{
    return (quad){.begin = list[0],
                  .count = list[1] % FUSED_QUAD + 1,
                  .entry_count = list[2],
                  .entries = list + FUSED_HEAD,
                  .half_begin = {0, list[1] & ~3u},
                  .half_end = {list[3], list[2]}};
}

/* What a turn walks of a quad's neighbours, which are staged with `stride` numbers for each four. */
typedef struct turn_span {
    const float *begin, *end;
} turn_span;

INLINE turn_span span_of(const quad *q, uint32_t turn, const float *stage, const uint32_t stride)
{
    const uint32_t half = TURNS > 1 ? 2 * turn / TURNS : 0;
    return (turn_span){stage + (size_t)q->half_begin[half] / 4 * stride,
                       stage + (size_t)q->half_end[half] / 4 * stride};
}

#include "fluid/fused_find.h"
#include "fluid/fused_walk.h"

const fused_kernel KERNEL_NAME = {density, normals, smooth, forces};
