#include "cli/block_bench.h"

rni_block_rows rni_block_rows_of(const rni_arguments *arguments, const char *kinds)
{
    rni_block_rows rows;
    rows.kind_count = rni_arguments_choices(arguments, kinds, rows.kind);
    rows.particle_count = rni_arguments_counts(arguments, "particles", rows.particles);
    rows.thread_count = rni_arguments_counts(arguments, "threads", rows.threads);
    rows.count = rows.kind_count * rows.particle_count * rows.thread_count;
    return rows;
}

rni_block_row rni_block_row_at(const rni_block_rows *rows, uint32_t place)
{
    const uint32_t threads = rows->threads[place % rows->thread_count];
    return (rni_block_row){.kind = rows->kind[place / rows->thread_count / rows->particle_count],
                           .particles =
                               rows->particles[place / rows->thread_count % rows->particle_count],
                           .threads = threads ? threads : rn_cpu_count()};
}

void rni_block_times(rni_json *json, double best_s, double mean_s, double cpu_s, uint32_t reps)
{
    rni_json_rounded(json, "ms", 1e3 * best_s);
    rni_json_rounded(json, "mean_ms", 1e3 * mean_s);
    rni_json_rounded(json, "cpu_ms", 1e3 * cpu_s);
    rni_json_rounded(json, "per_s", 1 / best_s);
    rni_json_whole(json, "reps", reps);
}

int rni_block_row_end(int code)
{
    fflush(stdout);
    return ferror(stdout) ? RNI_EXIT_FAILED : code;
}
