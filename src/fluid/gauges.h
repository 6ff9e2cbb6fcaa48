/* Gauges: measurements in the water at the end of a step (runnel/gauge.h).
 *
 * Job:    samples the gauges that are due, and keeps their statistics.
 * How:    each kind is a row of functions (gauge_kinds.c, gauge_level.c). Pieces of particles whose
 *         bounds do not touch a gauge's box are skipped: sorted particles make that nearly all.
 * Order:  rni_stage_gauges() after rni_stage_report(). One thread sums a gauge, over the particles
 *         in their order: the same bits for any thread count.
 * Memory: taken when a gauge is added; a step allocates nothing.
 */
#ifndef RNI_FLUID_GAUGES_H
#define RNI_FLUID_GAUGES_H

#include "fluid/phases.h"
#include "fluid/water.h"

#include <runnel/gauge.h>

#include <math.h>

/* Statistics of one value. */
typedef struct rni_gauge_statistics {
    double last, last_time; /* of the last sample that was a number */
    double min, max;
    double integral, seconds; /* by the trapezoidal rule, over neighbouring samples */
    bool is_any, is_last;     /* any sample was a number; the last one was */
} rni_gauge_statistics;

struct rni_gauge_kind;

typedef struct rni_gauge {
    rn_fluid_gauge def;
    const struct rni_gauge_kind *kind;
    uint32_t generation;
    bool is_removed, is_due;
    double axis[3][3];              /* of length 1: the direction, and two across it */
    double period[3];               /* m; 0: not periodic */
    double box_low[3], box_high[3]; /* m: particles outside it do not count */
    uint32_t point_count;           /* of a profile, or of the places on a disc */
    double spacing;                 /* m between the points of a profile */
    rni_buffer sums;                /* of the kind */
    uint32_t wall_version;          /* level: the walls that the profile has met */
    uint32_t value_count;
    uint64_t sample_count, step;
    double time;
    double value[RN_GAUGE_MAX_VALUES];
    rni_gauge_statistics statistics[RN_GAUGE_MAX_VALUES];
} rni_gauge;

typedef struct rni_gauges {
    rni_gauge **gauges;
    uint32_t count, due_count; /* with the removed ones */
    rni_buffer buffer, due_buffer;
    const rn_fluid_report *report; /* of the step under way */
} rni_gauges;

/* A kind of gauge. */
typedef struct rni_gauge_kind {
    const char *name;
    /* The fields of rn_fluid_gauge that it reads, and those of them that have to be given, as words. */
    const char *parameters, *required;
    rn_gauge_column column[2][RN_GAUGE_MAX_VALUES]; /* in 2D and in 3D */
    /* Checks what is its own, and takes memory; box and axis are still to be set. */
    rn_result (*prepare)(rn_fluid *fluid, rni_gauge *gauge);
    void (*begin)(const rn_fluid *fluid, rni_gauge *gauge); /* NULL, like the next: sums nothing */
    void (*add)(const rn_fluid *fluid, rni_gauge *gauge, uint32_t begin, uint32_t end);
    void (*finish)(rn_fluid *fluid, rni_gauge *gauge, double *values);
} rni_gauge_kind;
const rni_gauge_kind *rni_gauge_kind_at(uint32_t kind); /* NULL past the last */
const char *rni_gauge_kind_name(uint32_t kind);
/* Whether word is one of the words. */
bool rni_gauge_has_word(const char *words, const char *word);

/* gauge_kinds.c: axis[0] along the direction, the others across; in 2D axis[1] lies in the plane.
 * False: the direction is 0. */
bool rni_gauge_set_axes(const rn_fluid *fluid, rni_gauge *gauge, const double direction[3]);

/* gauge_level.c */
rn_result rni_level_prepare(rn_fluid *fluid, rni_gauge *gauge);
void rni_level_begin(const rn_fluid *fluid, rni_gauge *gauge);
void rni_level_add(const rn_fluid *fluid, rni_gauge *gauge, uint32_t begin, uint32_t end);
void rni_level_finish(rn_fluid *fluid, rni_gauge *gauge, double *values);

void rni_gauges_destroy(rn_fluid *fluid);
/* Samples what is due after the step that began at `began` (s). */
void rni_stage_gauges(rn_fluid *fluid, double began, const rn_fluid_report *report);
/* No sample was taken so far. */
void rni_gauges_clear(rn_fluid *fluid);
/* A sample that an earlier part of the run has taken. */
rn_result rni_gauge_replay(rn_fluid *fluid, rn_fluid_id id, double time, const double *values);

/* The shortest way from a to b along each axis. */
static inline void rni_gauge_between(const rni_gauge *gauge, const double a[3], const float b[3],
                                     double way[3])
{
    for (int k = 0; k < 3; k++) {
        const double period = gauge->period[k];
        way[k] = (double)b[k] - a[k];
        if (period > 0) way[k] -= period * round(way[k] / period);
    }
}

static inline double rni_gauge_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Whether particle i may count; most may not. */
static inline bool rni_gauge_has(const rn_fluid *fluid, const rni_gauge *gauge, uint32_t i)
{
    const float *x = fluid->now.position[i];
    for (int a = 0; a < 3; a++) {
        const double at = (double)x[a], low = gauge->box_low[a], high = gauge->box_high[a];
        const double period = gauge->period[a];
        if (at >= low && at <= high) continue;
        if (!(period > 0)) return false;
        if (!(at + period >= low && at + period <= high) &&
            !(at - period >= low && at - period <= high))
            return false;
    }
    return rni_is_of_phase(fluid, i, gauge->def.phase);
}

/* A hat of area 1 over -width .. width. Layers of particles whose distance divides the width add up
 * to a constant, wherever they are. */
static inline double rni_gauge_hat(double distance, double width)
{
    const double part = 1 - fabs(distance) / width;
    return part > 0 ? part / width : 0;
}

/* m^3 (2D: m^2) of a particle at rest. */
static inline double rni_gauge_volume(const rn_fluid *fluid)
{
    return (double)fluid->derived.mass / (double)fluid->def.rest_density;
}

#endif
