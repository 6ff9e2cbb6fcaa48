/* Measuring the viewer's server: what it delivers on this machine, and what that costs the simulation.
 * Costs are processor time, so that other programs do not count and the client's own time is
 * subtracted, and wall-clock time. cli/bench_view.c is the command. */
#ifndef RNI_BENCH_VIEW_H
#define RNI_BENCH_VIEW_H

#include <runnel/base.h>

typedef struct rni_view_row {
    uint32_t particles, rate;
    double frames_per_s, mb_per_s; /* that arrived, of frames published as asked */
    double publish_ms, serve_ms;   /* processor time a frame: simulation with its helpers, server */
    double step_ms, steps_per_s;   /* unwatched: processor time a step, and at its fastest pace */
    double watched_per_s;          /* frames a second that came while the steps went on */
    double cost;   /* processor time of publishing and serving by that of the steps they go with */
    double slower; /* wall clock of watched steps by that of unwatched ones, less 1: the median */
} rni_view_row;

/* row comes with the wanted number of particles and rate. seconds: of each measurement. */
rn_result rni_bench_view(rni_view_row *row, double seconds, uint32_t threads);

#endif
