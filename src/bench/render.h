/* How long a picture of a block of particles takes: one case in, one row out. cli/bench_render.c is the command. */
#ifndef RNI_BENCH_RENDER_H
#define RNI_BENCH_RENDER_H

#include "render/looks.h"

typedef struct rni_render_case {
    const rni_look *look;
    uint32_t particles; /* a cube on a lattice, each moved by up to a tenth of a spacing, in a tank */
    uint32_t width, height;
    uint32_t samples; /* 0: as the look has it */
    uint32_t threads; /* 0: one per processor */
    bool is_film;     /* as in a video: the background is computed once, before the first row */
    uint32_t reps;    /* at least, after a warm-up */
    double seconds;   /* at least */
} rni_render_case;

typedef struct rni_render_row {
    double best_s, mean_s;
    double cpu_s; /* least CPU time of all threads: comparable on a busy machine */
    uint32_t reps;
} rni_render_row;

rn_result rni_bench_render(const rni_render_case *c, rni_render_row *row);

#endif
