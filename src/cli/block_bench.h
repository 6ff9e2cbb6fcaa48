/* What the benchmarks of a block of particles share: a row for each kind, number of particles and of threads. */
#ifndef RNI_CLI_BLOCK_BENCH_H
#define RNI_CLI_BLOCK_BENCH_H

#include "cli/command.h"

#include "base/parallel.h"
#include "files/json.h"

/* Rows of an option table, besides the kinds, --particles and --reps. */
// clang-format off
#define RNI_OPTIONS_OF_BLOCK_BENCH \
    {"threads", RNI_OPTION_COUNTS, "N,..", "number of threads; 0: one per processor", "0", \
     "whole numbers, e.g. --threads 1,2", 0, RNI_MAX_WORKERS, NULL}, \
    {"seconds", RNI_OPTION_NUMBER, "S", "minimum time per row in seconds", "1", \
     "seconds, e.g. --seconds 1", 0, 3600, NULL}, \
    {"json", RNI_OPTION_FLAG, NULL, "print one JSON object per line", NULL, NULL, 0, 0, NULL}
// clang-format on

typedef struct rni_block_rows {
    uint32_t kind[RNI_MAX_LIST], particles[RNI_MAX_LIST], threads[RNI_MAX_LIST];
    uint32_t kind_count, particle_count, thread_count;
    uint32_t count; /* of all rows */
} rni_block_rows;

typedef struct rni_block_row {
    uint32_t kind, particles, threads;
} rni_block_row;

/* kinds: the option that lists them. */
rni_block_rows rni_block_rows_of(const rni_arguments *arguments, const char *kinds);
rni_block_row rni_block_row_at(const rni_block_rows *rows, uint32_t place);

/* The times of a row, in seconds, into its JSON. */
void rni_block_times(rni_json *json, double best_s, double mean_s, double cpu_s, uint32_t reps);

/* Ends a row on stdout: the code of the command, unless that cannot be written. */
int rni_block_row_end(int code);

#endif
