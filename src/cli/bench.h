/* Measuring neighbour search: one case in, one row a method out.
 *
 * Job:    the minimum over several repetitions after a warm-up; with several methods the
 *         repetitions take turns, so that a busy moment of the machine hits all of them.
 * Rows:   ns_per_point is the wall time of the whole update; query_ms is what the search reports
 *         for the lists, build_ms is all the rest, so the two always add up to it.
 * Runs:   with --updates whole runs are summed instead (bench_updates.c).
 * Next:   bench_neighbors.c (the command), measure.c, bench_report.c, bench_updates.c, peer.c.
 */
#ifndef RNI_CLI_BENCH_H
#define RNI_CLI_BENCH_H

#include "cli/layouts.h"
#include "cli/peer.h"

#include "base/random.h"

#include <runnel/search.h>

#include <stdio.h>

/* Above this many points a method that tests every pair is left out. */
#define RNI_BENCH_BRUTE_LIMIT 65536u

/* What all cases share. */
typedef struct rni_bench_plan {
    rn_search_def def; /* method and threads are filled in for each row */
    uint32_t reps;     /* at least so many repetitions ... */
    double seconds;    /* ... and at least so long, but not much longer than limit_seconds */
    double limit_seconds;
    double move; /* every repetition moves every coordinate by up to this, either way; 0: identical
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
    const char *skipped; /* why there are no numbers; NULL: there are */
} rni_bench_row;

/* Rows for all methods (places in the library's table) on the same points. rows[k] belongs to
 * methods[k] and has points, layout, radius and threads already; position is moved when the plan
 * says so. */
rn_result rni_bench_measure(const rni_bench_plan *plan, float *position, uint32_t count,
                            const uint32_t *methods, uint32_t method_count, rni_bench_row *rows);

/* Moves every number by up to amount, either way. */
void rni_bench_move(float *position, size_t count, double amount, rni_random *random);

/* The peer program of that name beside our own, on the same points; false with a reason when it
 * cannot run. */
bool rni_bench_peer(const rni_bench_plan *plan, const float *position, uint32_t count,
                    const char *name, rni_bench_row *row, char reason[RNI_REASON_BYTES]);

void rni_bench_print_json(FILE *file, const rni_bench_row *row);
void rni_bench_print_head(FILE *file);
void rni_bench_print_line(FILE *file, const rni_bench_row *row);
/* For each case with both: how many times as fast as the peer the default is. */
void rni_bench_print_ratios(FILE *file, const rni_bench_row *rows, uint32_t row_count);
/* Lines over the number of points, or bars when there is only one. */
rn_result rni_bench_plot(const char *path, const rni_bench_row *rows, uint32_t row_count);

/* --- bench_updates.c: whole runs --- */

typedef struct rni_run_case {
    rni_layout layout;
    bool changes;     /* at half of the updates the points become ... */
    rni_layout later; /* ... those of this layout */
    uint32_t count, updates;
    double (*clock)(void); /* seconds: the wall's, or the processors' */
} rni_run_case;

typedef struct rni_run_row {
    uint32_t method; /* place in the library's table */
    uint32_t threads;
    uint32_t rounds;
    uint64_t entries; /* after the last update */
    double run_ms;    /* all updates of the fastest round */
    double first_ms;  /* of these: the first update, on fresh memory */
    double times;     /* run_ms over that of the best method that is not auto */
    char choice[sizeof((rn_search_stats *)0)->choice];
    const char *skipped;
} rni_run_row;

/* plan->reps rounds; in each, every method makes c->updates updates on a new search, in turns. Rows
 * come with method and threads. */
rn_result rni_bench_run(const rni_bench_plan *plan, const rni_run_case *c, rni_run_row *rows,
                        uint32_t count);
void rni_run_print_head(FILE *file);
void rni_run_print_line(FILE *file, const rni_run_case *c, const rni_run_row *row);
void rni_run_print_json(FILE *file, const rni_run_case *c, const rni_run_row *row);

#endif
