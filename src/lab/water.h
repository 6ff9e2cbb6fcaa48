/* What the experiments with fluids share: building a fluid in one call, and curves that are recorded
 * during the simulation. */
#ifndef RNI_LAB_WATER_H
#define RNI_LAB_WATER_H

#include "lab/lab.h"

#include <runnel/fluid.h>

/* --- water.c --- */

/* A domain from the origin, on the lab's threads. In 2D z is not read. */
rn_fluid_def rni_lab_water_def(const rni_lab *lab, uint32_t dim, double spacing,
                               const double size[3]);
/* A fluid with one block. On failure *fluid is NULL. */
rn_result rni_lab_water_make(const rn_fluid_def *def, const double low[3], const double high[3],
                             double jitter, rn_fluid **fluid);
/* Root mean square of the speed, m / s. */
double rni_lab_water_rms(const rn_fluid *fluid, const rn_fluid_report *report);

/* --- trace.c --- */

typedef struct rni_lab_trace {
    char name[64];
    bool is_points; /* drawn as dots: measurements of others */
    double *x, *y;
    uint32_t count, capacity;
} rni_lab_trace;

/* Curves of one picture. Zero it; rni_lab_traces_release frees. */
#define RNI_LAB_MAX_TRACES 20u
typedef struct rni_lab_traces {
    rni_lab_trace of[RNI_LAB_MAX_TRACES];
    uint32_t count;
} rni_lab_traces;

__attribute__((format(printf, 2, 3))) rni_lab_trace *rni_lab_trace_begin(rni_lab_traces *traces,
                                                                         const char *format, ...);
rn_result rni_lab_trace_add(rni_lab_trace *trace, double x, double y);
/* Linear between the points (x ascends), the end's value outside them. */
double rni_lab_trace_at(const rni_lab_trace *trace, double x);
/* Dots from a table of x, y. */
rn_result rni_lab_trace_table(rni_lab_traces *traces, const char *name, const double (*table)[2],
                              uint32_t count);
rn_result rni_lab_traces_plot(const rni_lab *lab, const char *part, rni_chart chart,
                              const rni_lab_traces *traces);
void rni_lab_traces_release(rni_lab_traces *traces);

#endif
