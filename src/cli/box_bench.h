/* What `bench pairs` and `bench queries` share: options, rows on stdout, the chart. */
#ifndef RNI_CLI_BOX_BENCH_H
#define RNI_CLI_BOX_BENCH_H

#include "bench/boxes.h"
#include "cli/command.h"

/* Rows of an option table. */
/* clang-format off */
#define RNI_BOX_BENCH_OPTIONS \
    {"method", RNI_OPTION_CHOICES, "NAME,..", "methods", "default", \
     "a method, e.g. --method layered-columns", 0, 0, rni_choice_bench_box_method}, \
    {"threads", RNI_OPTION_COUNTS, "N,..", "number of threads; 0: one per processor", "0", \
     "whole numbers, e.g. --threads 1,2", 0, 256, NULL}, \
    {"cpu", RNI_OPTION_CHOICE, "LEVEL", "instruction set", "auto", "a level, e.g. --cpu avx2", 0, 0, \
     rni_choice_cpu}, \
    {"reps", RNI_OPTION_COUNT, "N", "minimum number of repetitions", "5", \
     "a whole number, e.g. --reps 5", 1, 1e6, NULL}, \
    {"seconds", RNI_OPTION_NUMBER, "S", \
     "minimum time per row in seconds; a row never takes longer than 6 times this, or 3 s if that is " \
     "longer", "0.5", \
     "seconds, e.g. --seconds 0.5", 0, 3600, NULL}, \
    {"peers", RNI_OPTION_FLAG, NULL, "also run CGAL, Bullet, Boost and Embree on the same boxes", \
     NULL, NULL, 0, 0, NULL}, \
    {"plot", RNI_OPTION_FILE, "FILE.svg", "write a chart of the rows", NULL, \
     "a file, e.g. --plot bench.svg", 0, 0, NULL}, \
    {"json", RNI_OPTION_FLAG, NULL, "print one JSON object per line", NULL, NULL, 0, 0, NULL}
/* clang-format on */

/* "all" and "default", then the names of the methods. */
const char *rni_choice_bench_box_method(uint32_t place);

typedef struct rni_box_bench {
    const rni_arguments *arguments;
    rni_box_plan plan;
    bool is_json, has_head, disagrees;
    rni_box_result result; /* of the last case */
    rni_box_row *rows;     /* all that were printed; for the chart */
    uint32_t row_count, row_capacity;
} rni_box_bench;

/* Reads the options above and looks at the place of the chart before anything is measured. */
int rni_box_bench_begin(const rni_arguments *arguments, rni_box_bench *bench);
/* Prints bench->result, or why there is none. Returns an exit code. */
int rni_box_bench_show(rni_box_bench *bench, rn_result result);
/* Draws the chart, if one is wanted; returns the exit code of the command. */
int rni_box_bench_end(rni_box_bench *bench, int code);

#endif
