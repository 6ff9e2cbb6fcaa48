/* Measuring neighbour search: one case in, one row per method out.
 *
 * Job:    the minimum over several repetitions after a warm-up. Several methods alternate, so that a
 *         busy moment of the machine affects all of them.
 * Rows:   ns_per_point is the wall time of the whole update; query_ms is what the search reports
 *         for the lists and build_ms is the remainder, so the two add up to the whole update.
 * Runs:   updates.c sums the updates of whole runs instead.
 * Next:   neighbors.c, neighbors_plot.c, updates.c, peer.c; cli/bench_neighbors.c is the command.
 */
#ifndef RNI_BENCH_NEIGHBORS_H
#define RNI_BENCH_NEIGHBORS_H

#include "base/random.h"
#include "bench/layouts.h"
#include "bench/peer.h"

#include <runnel/search.h>

/* Above this many points a method that tests every pair is skipped. */
#define RNI_BENCH_BRUTE_LIMIT 65536u
#define RNI_BENCH_MAX_METHODS 32u

/* What all cases share. */
typedef struct rni_bench_plan {
    rn_search_def def; /* method and threads are filled in for each row */
    double radius;     /* as it was given, for the rows; def.radius is the float */
    uint32_t reps;     /* minimum number of repetitions ... */
    double seconds;    /* ... and minimum time, but not much longer than limit_seconds */
    double limit_seconds;
    double move; /* every repetition moves every coordinate by up to this distance; 0: identical
                    points */
} rni_bench_plan;

typedef struct rni_bench_row {
    char method[40];
    bool is_default; /* the library's default method */
    bool is_peer;
    uint32_t threads;
    uint32_t points;
    const char *layout;
    double radius;
    bool has_pairs; /* false when nothing was counted */
    uint64_t pairs; /* each pair once, on the points before any move */
    uint64_t entries;
    double build_ms, query_ms;
    double ns_per_point;
    double bytes_per_point;
    const char *cpu;
    uint32_t reps;
    bool order_reused;
    bool disagrees;      /* its pairs are not those of the first row that counted some */
    const char *skipped; /* why there are no numbers; NULL: there are */
} rni_bench_row;

/* One case: every method on the same points. */
typedef struct rni_bench_case {
    rni_layout layout;
    uint32_t points, threads; /* threads 0: one for each processor */
    const uint32_t *methods;  /* places in the library's table, RNI_BENCH_MAX_METHODS at most */
    uint32_t method_count;
    const char *peer; /* program that also runs; NULL: none */
} rni_bench_case;

typedef struct rni_bench_result {
    rni_bench_row row[RNI_BENCH_MAX_METHODS + 1]; /* the methods in order, then the peer */
    uint32_t row_count;
    char missing_peer[RNI_REASON_BYTES]; /* why the peer has no row; empty: it has, or is not asked */
} rni_bench_result;

rn_result rni_bench_neighbors(const rni_bench_plan *plan, const rni_bench_case *c,
                              rni_bench_result *result);

/* Moves every number by up to amount in either direction. */
void rni_bench_move(float *position, size_t count, double amount, rni_random *random);

/* The peer program of that name, installed beside ours, on the same points; false with a reason when it
 * cannot run. */
bool rni_bench_peer(const rni_bench_plan *plan, const float *position, uint32_t count,
                    const char *name, rni_bench_row *row, char reason[RNI_REASON_BYTES]);

/* Lines over the number of points, or bars when there is only one. */
rn_result rni_bench_plot(const char *path, const rni_bench_row *rows, uint32_t row_count);

/* --- updates.c: whole runs --- */

typedef struct rni_run_case {
    rni_layout layout;
    bool changes;     /* at half of the updates the points become ... */
    rni_layout later; /* ... those of this layout */
    uint32_t count, updates;
    double (*clock)(void); /* seconds: wall clock, or processor time */
} rni_run_case;

typedef struct rni_run_row {
    uint32_t method; /* place in the library's table */
    uint32_t threads;
    uint32_t rounds;
    uint64_t entries; /* after the last update */
    double run_ms;    /* all updates of the fastest round */
    double first_ms;  /* of these: the first update, on fresh memory */
    double times;     /* run_ms / run_ms of the best method other than auto */
    char choice[sizeof((rn_search_stats *)0)->choice];
    const char *skipped;
} rni_run_row;

/* plan->reps rounds; in each, every method makes c->updates updates on a new search, alternating. Rows
 * come with method and threads. */
rn_result rni_bench_updates(const rni_bench_plan *plan, const rni_run_case *c, rni_run_row *rows,
                            uint32_t count);

#endif
