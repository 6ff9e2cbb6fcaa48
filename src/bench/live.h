/* How much time a scene simulates per second of wall-clock time, for each preset: one case in, one
 * row out. cli/bench_live.c is the command. */
#ifndef RNI_BENCH_LIVE_H
#define RNI_BENCH_LIVE_H

#include <runnel/fluid.h>

typedef enum rni_live_scene {
    RNI_LIVE_WATER_CHANNEL = 0, /* the built-in scene, measured once nine tenths have been poured */
    RNI_LIVE_DAM_BREAK = 1      /* a cube of 1 m in a tank of 3 m, from the start */
} rni_live_scene;
/* By place in the enum; NULL past the end. */
const char *rni_live_scene_name(uint32_t place);

typedef struct rni_live_case {
    rni_live_scene scene;
    rn_fluid_preset preset;
    uint32_t particles; /* wanted; a dam break takes the nearest cube */
    uint32_t threads;   /* 0: one per processor */
    double seconds;     /* wall-clock time to measure, after a warm-up */
} rni_live_case;

typedef struct rni_live_row {
    uint32_t particles;                       /* at the end */
    double simulated_s, wall_s;               /* of the measured steps */
    double compression_mean, compression_max; /* density over rest density, minus 1: mean over the
                                                 particles, lighter ones as 0, and over time; the
                                                 largest of all */
    uint32_t escaped;
    uint64_t steps;
} rni_live_row;

rn_result rni_bench_live(const rni_live_case *c, rni_live_row *row);

#endif
