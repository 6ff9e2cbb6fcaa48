/* Measuring the broad phase: one case in, one row a method out. `bench pairs` and `bench queries`
 * share the plan, the rows and the peers; the minimum over several repetitions after a warm-up,
 * methods taking turns. */
#ifndef RNI_CLI_BOX_BENCH_H
#define RNI_CLI_BOX_BENCH_H

#include "cli/command.h"
#include "cli/peer.h"

#include <runnel/broadphase.h>

/* Above this many boxes (for queries: boxes times queries / 65536) a method that tests everything is
 * left out. */
#define RNI_BOX_BRUTE_LIMIT 65536u

typedef struct rni_box_plan {
    rn_broadphase_def def; /* method and threads are filled in for each row */
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
    const char *skipped; /* why there are no numbers; NULL: there are */
} rni_box_row;

/* Options that both commands have. */
/* clang-format off */
#define RNI_BOX_BENCH_OPTIONS \
    {"method", RNI_OPTION_CHOICES, "NAME,..", "methods", "default", \
     "a method, e.g. --method layered-columns", 0, 0, rni_choice_bench_box_method}, \
    {"threads", RNI_OPTION_COUNTS, "N,..", "numbers of threads; 0: one for each processor", "0", \
     "whole numbers, e.g. --threads 1,2", 0, 256, NULL}, \
    {"cpu", RNI_OPTION_CHOICE, "LEVEL", "instruction set", "auto", "a level, e.g. --cpu avx2", 0, 0, \
     rni_choice_cpu}, \
    {"reps", RNI_OPTION_COUNT, "N", "at least so many repetitions", "5", \
     "a whole number, e.g. --reps 5", 1, 1e6, NULL}, \
    {"seconds", RNI_OPTION_NUMBER, "S", \
     "at least so long a row, in seconds; 6 times that, and 3 s, is enough in any case", "0.5", \
     "seconds, e.g. --seconds 0.5", 0, 3600, NULL}, \
    {"peers", RNI_OPTION_FLAG, NULL, "run CGAL, Bullet, Boost and Embree on the same boxes", NULL, \
     NULL, 0, 0, NULL}, \
    {"plot", RNI_OPTION_FILE, "FILE.svg", "a chart of the rows", NULL, \
     "a file, e.g. --plot bench.svg", 0, 0, NULL}, \
    {"json", RNI_OPTION_FLAG, NULL, "one JSON object a line", NULL, NULL, 0, 0, NULL}
/* clang-format on */

/* "all" and "default" stand before the names of the table. */
const char *rni_choice_bench_box_method(uint32_t place);

/* A whole bench at work. */
typedef struct rni_box_bench {
    const rni_arguments *arguments;
    rni_box_plan plan;
    uint32_t methods[RNI_MAX_LIST]; /* places in the library's table */
    uint32_t method_count;
    bool is_json, has_peers, disagrees;
    uint32_t missing_peers; /* bits: said once each */
    rni_box_row *rows;      /* all that were printed; for the plot */
    uint32_t row_count, row_capacity;
} rni_box_bench;

/* *code is misuse when the plot cannot be written: minutes of rows that end in that are no fun. */
rni_box_bench rni_box_bench_begin(const rni_arguments *arguments, int *code);

/* Measures all methods (and peers) on one case with one number of threads, prints the rows, compares
 * what they found. Returns an exit code. */
int rni_box_bench_run(rni_box_bench *bench, const rni_box_case *boxes, uint32_t threads);

/* The plot, if one is wanted, and the exit code. */
int rni_box_bench_end(rni_box_bench *bench, int code);

/* Lines over the number of boxes, or bars when there is only one. */
rn_result rni_box_plot(const char *path, const rni_box_row *rows, uint32_t row_count);

#endif
