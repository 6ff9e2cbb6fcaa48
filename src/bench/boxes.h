/* Measuring the broad phase: one case in, one row per method out. Pairs and queries share the plan,
 * the rows and the peers. A row is the minimum over several repetitions after a warm-up; several
 * methods alternate. cli/box_bench.c prints the rows. */
#ifndef RNI_BENCH_BOXES_H
#define RNI_BENCH_BOXES_H

#include "bench/box_layouts.h"
#include "bench/peer.h"

#include <runnel/broadphase.h>

/* Above this many boxes (for queries: boxes times queries / 65536) a method that tests everything is
 * left out. */
#define RNI_BOX_BRUTE_LIMIT 65536u
#define RNI_BOX_MAX_METHODS 32u
#define RNI_BOX_MAX_PEERS   8u

typedef struct rni_box_plan {
    rn_broadphase_def def;                 /* method and threads are filled in for each row */
    uint32_t methods[RNI_BOX_MAX_METHODS]; /* places in the library's table */
    uint32_t method_count;
    bool has_peers;
    uint32_t missing_peers; /* bits: peers that are not asked again */
    uint32_t reps;
    double seconds, limit_seconds;
    double move;        /* pairs: how far boxes move before each repetition; 0: each starts anew */
    bool wants_lists;   /* queries: lists, not counts */
    rn_query_kind kind; /* queries */
} rni_box_plan;

typedef struct rni_box_case {
    float *low, *high;
    uint32_t count;
    const char *layout;
    double density;
    rn_queries queries; /* count 0: pairs */
} rni_box_case;

typedef struct rni_box_row {
    char method[40];
    bool is_default, is_peer, is_exact;
    uint32_t threads, boxes, queries;
    const char *layout;
    double density;
    uint64_t found;  /* pairs, or hits */
    uint64_t missed; /* by a peer that is not exact */
    double ms;       /* pairs: all of update and pairs; queries: the queries alone */
    double check_ms, build_ms, find_ms;
    uint64_t bytes, result_bytes, candidates, visited;
    uint32_t levels;
    const char *cpu;
    uint32_t reps;
    bool order_reused;
    char choice[160];
    bool disagrees;      /* found something else than the first row, although exact */
    const char *skipped; /* why there are no numbers; NULL: there are */
} rni_box_row;

typedef struct rni_box_result {
    rni_box_row row[RNI_BOX_MAX_METHODS + RNI_BOX_MAX_PEERS]; /* our methods, then the peers */
    uint32_t row_count;
    char missing[RNI_BOX_MAX_PEERS][RNI_REASON_BYTES]; /* why peers have no row */
    uint32_t missing_count;
} rni_box_result;

/* All methods, and the peers unless boxes move, on one set of boxes. */
rn_result rni_bench_boxes(rni_box_plan *plan, const rni_box_case *boxes, uint32_t threads,
                          rni_box_result *result);

/* Pairs on a built-in set of boxes. */
typedef struct rni_box_set {
    rni_box_layout layout;
    uint32_t count;
    double density;
} rni_box_set;
rn_result rni_bench_box_pairs(rni_box_plan *plan, const rni_box_set *set, uint32_t threads,
                              rni_box_result *result);

/* Queries against the boxes of figure 4 in Pouchol et al. 2009 (box_layouts.h). */
typedef struct rni_box_queries {
    float *from, *to, *radius;
    rn_queries all; /* borrows the arrays */
} rni_box_queries;
rn_result rni_box_queries_make(rn_query_kind kind, uint32_t dim, uint32_t count,
                               rni_box_queries *queries);
void rni_box_queries_release(rni_box_queries *queries);
rn_result rni_bench_box_queries(rni_box_plan *plan, uint32_t count, const rn_queries *queries,
                                uint32_t threads, rni_box_result *result);

/* A chart: lines over the number of boxes, or bars when there is only one. */
rn_result rni_box_plot(const char *path, const rni_box_row *rows, uint32_t row_count);

#endif
