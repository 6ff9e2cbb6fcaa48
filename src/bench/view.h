/* Measuring the viewer's server: what it delivers on this machine, and what that costs the simulation.
 * Costs are processor time, so that other programs do not count and the client's own time is
 * subtracted, and wall-clock time. cli/bench_view.c is the command. */
#ifndef RNI_BENCH_VIEW_H
#define RNI_BENCH_VIEW_H

#include <runnel/base.h>

typedef struct rni_view_row {
    uint32_t particles, rate;
    double frames_per_s, mb_per_s; /* received by the client */
    double publish_ms,
        serve_ms; /* processor time per frame: simulation with its worker threads, server */
    double step_ms, steps_per_s; /* without a client: processor time per step, and the highest rate */
    double watched_per_s;        /* frames per second received during the simulation */
    double cost;                 /* processor time of publishing and serving / that of the steps */
    double slower; /* wall-clock time of steps with a client / without, minus 1: the median */
} rni_view_row;

/* row comes with the wanted number of particles and rate. seconds: of each measurement. */
rn_result rni_bench_view(rni_view_row *row, double seconds, uint32_t threads);

#endif
