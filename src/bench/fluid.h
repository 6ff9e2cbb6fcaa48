/* Measuring the fluid: one case in, one row out. A frame is one step; a row is the fastest of several
 * frames after a warm-up. cli/bench_fluid.c is the command. */
#ifndef RNI_BENCH_FLUID_H
#define RNI_BENCH_FLUID_H

#include <runnel/fluid.h>

typedef enum rni_bench_model {
    RNI_MODEL_PAPER = 0,   /* the system of Wichert et al. 2021: two evaluations a frame */
    RNI_MODEL_WATER = 1,   /* the defaults of a new fluid */
    RNI_MODEL_CLASSIC = 2, /* the preset of that name */
    RNI_MODEL_PASTE = 3    /* the defaults with 100 Pa s and the implicit solver */
} rni_bench_model;
typedef enum rni_bench_state {
    RNI_STATE_LATTICE = 0,   /* at rest on the lattice */
    RNI_STATE_DISORDERED = 1 /* shaken and settled */
} rni_bench_state;

/* By place in the enum; NULL past the end. */
const char *rni_bench_model_name(uint32_t place);
const char *rni_bench_state_name(uint32_t place);

typedef struct rni_fluid_case {
    rni_bench_model model;
    rni_bench_state state;
    uint32_t particles, threads;
    rn_fluid_def def; /* traversal, search and instruction set; the bench fills in the remainder */
    uint32_t reps;    /* at least so many frames ... */
    double seconds;   /* ... and at least so long */
} rni_fluid_case;

typedef struct rni_fluid_row {
    uint32_t particles; /* that were left when the frame was measured */
    double best_s, mean_s;
    uint32_t frames;
    rn_fluid_report best; /* of the fastest frame */
} rni_fluid_row;

rn_result rni_bench_fluid(const rni_fluid_case *c, rni_fluid_row *row);

#endif
