/* The module "broadphase": finds overlapping boxes.
 *
 * In:     the caller's boxes, checked (ingest.c): finite, low <= high, read through rni_boxes_at,
 *         which returns the swept box of a moving box.
 * Out:    pairs of indices, and for queries lists of indices, in the method's own order.
 * Order:  ingest -> method.build -> method.pairs, in pieces (pairs.c) -> the caller;
 *         queries (query.h) -> method.query, in blocks (hits.c) -> the caller.
 *
 * To add a method: write one file with one rni_box_method (brute.c is the smallest), declare it
 * below, add it to the table in methods.c and to CMakeLists.txt, and put its number and options
 * into runnel/broadphase.h. Tests, command and benchmarks find it through the table. A method does
 * not handle checking, categories and masks, threads, result buffers, result sorting, or timing.
 * Read next: broadphase.c (life cycle of an rn_broadphase), brute.c, columns.h (the default). */
#ifndef RNI_BROADPHASE_METHOD_H
#define RNI_BROADPHASE_METHOD_H

#include "base/memory.h"
#include "base/parallel.h"

#include <runnel/broadphase.h>

#include <math.h>
#include <string.h>

#define RNI_SIZE_CLASSES 256u

/* Boxes as every method sees them. Borrowed during build: a method copies what it needs later. */
typedef struct rni_boxes {
    const unsigned char *low, *high;
    const unsigned char *velocity; /* NULL: static boxes */
    size_t low_stride, high_stride, velocity_stride;
    float time_step;
    uint32_t count, dim;
    float bound_low[3], bound_high[3]; /* bounds of all boxes; low > high when there are none */
    float extent[3];                   /* the longest edges, rounded up */
    /* Number of boxes whose longest edge has this biased float exponent: class c holds edges from
     * 2^(c - 127) up to but not including twice that. Class 0 also holds edges of length 0, class
     * 255 edges that overflow float. */
    uint32_t class_count[RNI_SIZE_CLASSES];
    float class_extent[RNI_SIZE_CLASSES][3]; /* the longest edges of these boxes, rounded up */
} rni_boxes;

/* A corner of dim floats at any address; in 2D the third coordinate is 0. Copies of fixed length
 * compile to single instructions, copies of variable length to calls. */
static inline void rni_corner_load(const unsigned char *from, uint32_t dim, float to[3])
{
    memcpy(to, from, 2 * sizeof(float));
    to[2] = 0.0f;
    if (dim == 3) memcpy(to + 2, from + 2 * sizeof(float), sizeof(float));
}

/* Box i. */
static inline void rni_boxes_at(const rni_boxes *boxes, uint32_t i, float low[3], float high[3])
{
    rni_corner_load(boxes->low + i * boxes->low_stride, boxes->dim, low);
    rni_corner_load(boxes->high + i * boxes->high_stride, boxes->dim, high);
    if (!boxes->velocity) return;
    float velocity[3];
    rni_corner_load(boxes->velocity + i * boxes->velocity_stride, boxes->dim, velocity);
    for (int axis = 0; axis < 3; axis++) {
        float step = velocity[axis] * boxes->time_step;
        if (step < 0.0f) low[axis] += step;
        else high[axis] += step;
    }
}

/* The one overlap test that all methods share: closed boxes, exact float comparisons. */
static inline bool rni_boxes_touch(const float a_low[3], const float a_high[3],
                                   const float b_low[3], const float b_high[3])
{
    return a_low[0] <= b_high[0] && b_low[0] <= a_high[0] && a_low[1] <= b_high[1] &&
           b_low[1] <= a_high[1] && a_low[2] <= b_high[2] && b_low[2] <= a_high[2];
}

/* Length of an edge, rounded up. */
static inline float rni_edge_up(float low, float high)
{
    double edge = (double)high - (double)low;
    float rounded = (float)edge;
    return (double)rounded < edge ? nextafterf(rounded, INFINITY) : rounded;
}

/* Index of a longest edge in class_count. */
static inline uint32_t rni_size_class(float edge)
{
    uint32_t bits;
    memcpy(&bits, &edge, sizeof bits);
    return bits >> 23 & 255u;
}

/* --- pairs: what a method writes ---------------------------------------------------------------
 * One sink per worker; see pairs.c. */
typedef struct rni_pair_sink {
    _Alignas(RNI_ALIGNMENT) rn_pair *pair;
    uint64_t used, capacity; /* pair[used .. capacity - 1] may be written */
    /* Accumulated until the report is written; see rn_broadphase_stats. */
    uint64_t candidate_count, visited_count, collision_count, early_end_count;
    struct rni_pair_job *job; /* pairs.c; NULL: a method's own sink, which only grows */
    rni_memory *memory;
    rni_buffer buffer;
    uint64_t kept, total; /* pairs of finished pieces in the buffer; pairs counted or visited */
    uint32_t worker;
} rni_pair_sink;

/* Reserves capacity for `more` pairs after `used`. May move the buffer, so reload sink->pair. */
rn_result rni_pair_reserve(rni_pair_sink *sink, uint64_t more);

static inline rn_result rni_pair_push(rni_pair_sink *sink, uint32_t i, uint32_t j)
{
    if (sink->used == sink->capacity) {
        rn_result result = rni_pair_reserve(sink, 1);
        if (result != RN_OK) return result;
    }
    sink->pair[sink->used++] = i < j ? (rn_pair){i, j} : (rn_pair){j, i};
    return RN_OK;
}

/* --- queries: input and output of a method
 * ------------------------------------------------------ */

/* Maximum number of queries per call. */
#define RNI_QUERY_BLOCK 256u

typedef struct rni_hit_sink {
    _Alignas(RNI_ALIGNMENT) uint32_t counts[RNI_QUERY_BLOCK]; /* one per query of the block */
    uint32_t *index;         /* hits of the queries of the block, one list after the other */
    uint64_t used, capacity; /* index[used .. capacity - 1] may be written */
    bool wants_index;        /* false: counts suffice, and index stays unchanged */
    uint64_t candidate_count, visited_count;
    struct rni_hit_job *job; /* hits.c */
    rni_buffer buffer;
    uint64_t kept, total;
    uint32_t worker;
} rni_hit_sink;

rn_result rni_hit_reserve(rni_hit_sink *sink, uint64_t more);

static inline rn_result rni_hit_push(rni_hit_sink *sink, uint32_t j)
{
    if (sink->used == sink->capacity) {
        rn_result result = rni_hit_reserve(sink, 1);
        if (result != RN_OK) return result;
    }
    sink->index[sink->used++] = j;
    return RN_OK;
}

struct rni_queries; /* query.h */

/* The context of a method; lives as long as the method's state. */
typedef struct rni_box_env {
    rni_memory *memory;
    rni_crew *crew;
    rni_arena *arena; /* reset after each build */
    rn_cpu_level cpu;
    const rn_broadphase_def *def;
    rn_broadphase_stats *stats; /* build fills in element_count, cell_count, level_count, ... */
} rni_box_env;

typedef struct rni_box_method {
    rn_broadphase_method_info info;
    rn_result (*create)(rni_box_env *env, void **state);
    void (*destroy)(void *state); /* NULL is fine */
    /* Takes a new set of any number of boxes, including 0. After a failure the state must allow
     * another build; nothing else is called before that. */
    rn_result (*build)(void *state, const rni_boxes *boxes);
    /* Number of pieces of the pair search; pairs are ordered by piece. Must not depend on the
     * number of threads. */
    uint32_t (*pair_pieces)(const void *state);
    /* The pairs of one piece. Each pair belongs to exactly one piece and is reported once. Called
     * from several workers at once, for different pieces. */
    rn_result (*pairs)(void *state, uint32_t piece, uint32_t worker, rni_pair_sink *sink);
    /* Queries first .. first + count - 1 (count <= RNI_QUERY_BLOCK): appends hits after sink->used,
     * or only counts them (wants_index), and fills in sink->counts[0 .. count - 1]. A box is
     * reported once per query. Called from several workers at once. */
    rn_result (*query)(void *state, const struct rni_queries *queries, uint32_t first,
                       uint32_t count, uint32_t worker, rni_hit_sink *sink);
} rni_box_method;

/* The table of methods (methods.c). The default comes first. */
const rni_box_method *rni_box_method_at(uint32_t place);
/* By number; returns an error if the table has no such method. */
rn_result rni_box_method_find(rn_broadphase_method wanted, const rni_box_method **method);

extern const rni_box_method rni_box_method_auto;
extern const rni_box_method rni_box_method_brute;
extern const rni_box_method rni_box_method_hierarchical_hash;
extern const rni_box_method rni_box_method_layered_columns;
extern const rni_box_method rni_box_method_linear_kdtree;
extern const rni_box_method rni_box_method_multilevel_hash;
extern const rni_box_method rni_box_method_sweep_and_prune;

#endif
