/* runnel/broadphase.h - which boxes touch: broad-phase collision detection in 2D and 3D.
 *
 * Does:     takes the caller's own arrays of boxes (any stride, static or moving) and returns every
 *           overlapping pair once; the boxes that a box, point, segment or sphere hits; and the
 *           pairs between two sets. Results are exact, and equal for any number of threads and any
 *           instruction set.
 * Does not: keep the caller's arrays (they are read only during a call), look inside
 *           boxes (the narrow phase is up to the caller), or need any other part of Runnel.
 * Smallest use:
 *     rn_broadphase_def def = rn_broadphase_def_default();
 *     rn_broadphase *phase = NULL;
 *     if (rn_broadphase_create(&def, &phase) != RN_OK) return fail(rn_last_error());
 *     rn_boxes boxes = {.low = low, .high = high, .count = count};     // packed float[3] each
 *     if (rn_broadphase_update(phase, &boxes) != RN_OK) return fail(rn_last_error());
 *     rn_pairs pairs;
 *     if (rn_broadphase_find_pairs(phase, &pairs) != RN_OK) return fail(rn_last_error());
 *     for (uint64_t k = 0; k < pairs.count; k++) collide(pairs.pair[k].a, pairs.pair[k].b);
 *     rn_broadphase_destroy(phase);
 *
 * Boxes are closed: touching counts, and a box of size 0 is a point. Calls on one rn_broadphase
 * must not overlap in time.
 */
#ifndef RUNNEL_BROADPHASE_H
#define RUNNEL_BROADPHASE_H

#include <runnel/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rn_broadphase rn_broadphase;

/* Search methods. The numbers never change; rn_broadphase_get_method_info() lists names and
 * summaries. */
typedef enum rn_broadphase_method {
    RN_BROADPHASE_DEFAULT = 0, /* the production method, the first in the table */
    RN_BROADPHASE_BRUTE = 1,
    RN_BROADPHASE_SWEEP_AND_PRUNE = 2,
    RN_BROADPHASE_LAYERED_COLUMNS = 3,
    RN_BROADPHASE_AUTO = 4,
    RN_BROADPHASE_MULTILEVEL_HASH = 5,
    RN_BROADPHASE_HIERARCHICAL_HASH = 6,
    RN_BROADPHASE_LINEAR_KDTREE = 7
} rn_broadphase_method;

/* The order of pairs, and of the boxes in a list of hits. The order depends on the boxes and the
 * method only (for a method that keeps state from step to step: on the earlier steps too), never on
 * threads. */
typedef enum rn_pair_order {
    RN_PAIRS_METHOD = 0, /* as the method finds them: the fastest */
    RN_PAIRS_SORTED = 1  /* by a, then by b; hits ascending: all methods return the same bytes */
} rn_pair_order;

/* What to find and how. Start from rn_broadphase_def_default() and change what you need. */
typedef struct rn_broadphase_def {
    uint32_t struct_bytes; /* set by rn_broadphase_def_default(); any other value is refused */
    uint32_t dim;          /* 2 or 3; default 3 */
    rn_broadphase_method method;
    rn_pair_order order; /* default RN_PAIRS_METHOD */

    uint32_t threads;            /* 0: one per processor. With tasks.run: tasks per job */
    rn_cpu_level cpu;            /* default RN_CPU_AUTO; a level this machine lacks is refused */
    uint64_t memory_limit_bytes; /* larger results are refused; 0: the machine's memory */
    rn_allocator allocator;      /* zero: the C library's */
    rn_tasks tasks;              /* zero: an internal thread pool */

    /* Methods multilevel-hash and hierarchical-hash: number of buckets; 0 (default): automatic. */
    uint32_t hash_table_length;
    /* The same methods: a map that grows, instead of a table of hash_table_length. Default
     * false. */
    bool unbounded_table;
    /* Published methods: the paper's own variant where Runnel has a faster one. Default false. */
    bool as_published;

    /* Method linear-kdtree. */
    bool kd_split;  /* boxes may be cut at cell faces, once per axis; default true */
    bool kd_once;   /* default true: kd-2, each pair met once; false: kd-1, repeats removed later */
    bool kd_octree; /* code lengths rounded down to whole cubes (squares in 2D); default false */
    uint32_t kd_bits[3];   /* levels per axis; 0 (default): even share of the bits left of 58 */
    float kd_root_low[3];  /* the root cell; low == high (default): automatic. Boxes outside */
    float kd_root_high[3]; /* the root cell are found too */
} rn_broadphase_def;

RN_API rn_broadphase_def rn_broadphase_def_default(void);

/* On failure *phase is NULL and nothing leaks. */
RN_API rn_result rn_broadphase_create(const rn_broadphase_def *def, rn_broadphase **phase);
RN_API void rn_broadphase_destroy(rn_broadphase *phase); /* NULL is fine */

/* Borrowed arrays of boxes: record i of each array is stride bytes after record i - 1; stride 0
 * means packed (dim floats, one uint32_t). Arrays may interleave: low = &box[0].low, high =
 * &box[0].high, both strides sizeof box[0]. */
typedef struct rn_boxes {
    const float *low, *high; /* low <= high on every axis, all finite */
    size_t low_stride_bytes, high_stride_bytes;
    uint32_t count;

    /* Moving boxes: with velocity (the caller's length unit per time unit), the swept box from now
     * to time_step later counts. The swept box spans both ends, with end = start + velocity *
     * time_step in float. NULL: static boxes. */
    const float *velocity;
    size_t velocity_stride_bytes;
    float time_step; /* finite, at least 0 */

    /* Filter: a pair counts when category[a] & mask[b] and category[b] & mask[a] are both not 0.
     * NULL: category 1, mask all bits. */
    const uint32_t *category, *mask;
    size_t category_stride_bytes, mask_stride_bytes;
} rn_boxes;

/* Replaces the set of boxes; the number of boxes may change. Non-finite or inverted boxes are
 * refused with index and value, and the previous set is kept. After an out-of-memory failure the
 * set may be empty; the object stays usable and can be updated again. */
RN_API rn_result rn_broadphase_update(rn_broadphase *phase, const rn_boxes *boxes);

typedef struct rn_pair {
    uint32_t a, b; /* within one set: a < b */
} rn_pair;

/* Pairs; the array belongs to the rn_broadphase. */
typedef struct rn_pairs {
    const rn_pair *pair; /* NULL when there are none */
    uint64_t count;
} rn_pairs;

/* Every overlapping pair of the set, once. Valid until the next call that finds, counts or visits
 * pairs (also between two sets), or until the next update. */
RN_API rn_result rn_broadphase_find_pairs(rn_broadphase *phase, rn_pairs *pairs);

/* The number of pairs, without storing them. */
RN_API rn_result rn_broadphase_count_pairs(rn_broadphase *phase, uint64_t *count);

/* The same pairs as rn_broadphase_find_pairs, in batches, without storing all of them. visit is
 * called from several threads at once; concurrent calls have different worker numbers, and worker
 * numbers are below the number of threads. The order of the batches is unspecified. */
typedef void (*rn_pair_visit_fn)(void *user, const rn_pair *pair, uint32_t count, uint32_t worker);
RN_API rn_result rn_broadphase_visit_pairs(rn_broadphase *phase, rn_pair_visit_fn visit, void *user);

/* Pairs between the set (a) and other boxes (b), without pairs inside either of the two. Ordered by
 * b, then as the method finds them or, with RN_PAIRS_SORTED, by a. Fastest when the larger set is
 * passed as others: particles against objects. */
RN_API rn_result rn_broadphase_find_pairs_between(rn_broadphase *phase, const rn_boxes *others,
                                                  rn_pairs *pairs);

typedef enum rn_query_kind {
    RN_QUERY_BOX = 0,     /* a: low, b: high */
    RN_QUERY_POINT = 1,   /* a */
    RN_QUERY_SEGMENT = 2, /* a: from, b: to; a moving point */
    RN_QUERY_SPHERE = 3   /* a: centre, radius; in 2D a disc */
} rn_query_kind;

/* A batch of queries of one kind, borrowed and strided like boxes; stride 0 means packed. Spheres
 * are decided by the distance in double. Segments are decided by the signs of their cross products
 * with the corners of the box in double, which is exact unless sizes differ by more than 2^29. */
typedef struct rn_queries {
    rn_query_kind kind;
    uint32_t count;
    const float *a, *b; /* b: NULL for kinds without b */
    size_t a_stride_bytes, b_stride_bytes;
    const float *radius; /* spheres: one per query, finite, at least 0 */
    size_t radius_stride_bytes;
    uint32_t mask; /* finds boxes with at least one of these category bits; 0: any box */
} rn_queries;

/* Lists of boxes: the list of query k is index[start[k]] .. index[start[k + 1] - 1]. The arrays
 * belong to the rn_broadphase and are valid until the next query or update. */
typedef struct rn_hits {
    uint32_t count;        /* lists: one per query */
    uint64_t entry_count;  /* in all lists */
    const uint64_t *start; /* count + 1 entries */
    const uint32_t *index; /* NULL when there are none */
} rn_hits;

/* All boxes that each query touches. A single query is a batch of one. */
RN_API rn_result rn_broadphase_query(rn_broadphase *phase, const rn_queries *queries, rn_hits *hits);

/* The number of boxes that each query touches, written to the caller's counts[queries->count].
 * counts NULL: only the sum. total may be NULL. */
RN_API rn_result rn_broadphase_count_hits(rn_broadphase *phase, const rn_queries *queries,
                                          uint32_t *counts, uint64_t *total);

/* Calls visit once for each query, including queries without hits, from several threads at once;
 * see rn_broadphase_visit_pairs. index is valid during the call. */
typedef void (*rn_hit_visit_fn)(void *user, uint32_t query, const uint32_t *index, uint32_t count,
                                uint32_t worker);
RN_API rn_result rn_broadphase_visit_hits(rn_broadphase *phase, const rn_queries *queries,
                                          rn_hit_visit_fn visit, void *user);

/* Statistics of the last calls. Start from rn_broadphase_stats_default(). */
typedef struct rn_broadphase_stats {
    uint32_t struct_bytes; /* set by rn_broadphase_stats_default() */
    rn_broadphase_method method;
    rn_cpu_level cpu;
    uint32_t threads;
    uint64_t box_count;

    double check_ms; /* update: reading and checking the boxes */
    double build_ms; /* update: building the structure */
    double pairs_ms; /* the last find, count or visit of pairs, also between sets */
    double query_ms; /* the last batch of queries */

    uint64_t pair_count;      /* of the last find, count or visit of pairs */
    uint64_t candidate_count; /* box tests made to find these pairs */
    uint64_t visited_count;   /* cells, columns or nodes visited; 0 if not counted */
    uint64_t collision_count; /* candidates of other cells in a hash bucket; 0 if not counted */
    uint64_t early_end_count; /* descents that ended because a cell had no children */
    uint64_t query_count;     /* of the last batch of queries; also the next three: */
    uint64_t hit_count;
    uint64_t query_candidate_count;
    uint64_t query_visited_count;

    uint64_t element_count; /* records in the structure; exceeds the box count if boxes are split */
    double volume_ratio;    /* volume of the elements' cells / volume of the boxes; 0 if unknown */
    uint64_t cell_count;    /* cells, columns or nodes of the structure */
    uint32_t level_count;   /* size classes in use; 0 for methods without classes */
    uint64_t swap_count;    /* sweep-and-prune: exchanges of the last insertion sort */
    bool order_reused;      /* started from the order of the previous step */

    uint64_t held_bytes;   /* all memory held, results included */
    uint64_t result_bytes; /* of these: pairs and hits */
    char choice[160];      /* method auto: the method chosen and the reason; otherwise empty */
} rn_broadphase_stats;

RN_API rn_broadphase_stats rn_broadphase_stats_default(void);

/* Writes at most stats->struct_bytes bytes, so that later versions may append fields. Returns
 * RN_ERROR_ARGUMENT and leaves stats unchanged if stats does not come from
 * rn_broadphase_stats_default(). */
RN_API rn_result rn_broadphase_get_stats(const rn_broadphase *phase, rn_broadphase_stats *stats);

/* The table of methods, the default first. NULL past the end. */
typedef struct rn_broadphase_method_info {
    rn_broadphase_method method;
    const char *name;    /* "sweep-and-prune" */
    const char *summary; /* one line */
    const char *source;  /* publication, or "Runnel" */
    bool is_quadratic;   /* far too slow for many boxes, whatever their distribution */
} rn_broadphase_method_info;

RN_API const rn_broadphase_method_info *rn_broadphase_get_method_info(uint32_t place);

/* Finds a method by name, also "default". The message of RN_ERROR_ARGUMENT lists the valid
 * names. */
RN_API rn_result rn_broadphase_method_from_name(const char *name, rn_broadphase_method *method);

#ifdef __cplusplus
}
#endif
#endif
