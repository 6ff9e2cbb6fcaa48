/* What the experiments with fluids share: building a fluid in one call, and curves that are recorded
 * during the simulation. */
#ifndef RNI_LAB_WATER_H
#define RNI_LAB_WATER_H

#include "lab/lab.h"

/* --- water.c --- */

#define RNI_LAB_GRAVITY 9.81 /* m / s^2 */

/* A domain from the origin with the lab's preset, on the lab's threads. In 2D z is not read. */
rn_fluid_def rni_lab_water_def(const rni_lab *lab, uint32_t dim, double spacing,
                               const double size[3]);
/* Two fluids of 0.001 Pa s, 0: water, 1: oil, so many times lighter. */
void rni_lab_two_fluids(rn_fluid_def *def, double ratio);
/* A definition as above in 2D, with these. */
rn_fluid_def rni_lab_two_def(const rni_lab *lab, double spacing, const double size[3], double ratio);
/* A fluid with one block. On failure *fluid is NULL. */
rn_result rni_lab_water_make(const rn_fluid_def *def, const double low[3], const double high[3],
                             double jitter, rn_fluid **fluid);
/* A shape of `runnel mesh make` as a wall; triangles 0: as many as it has by itself. */
rn_result rni_lab_wall_mesh(const char *name, uint32_t triangles, const char *const *settings,
                            uint32_t setting_count, rn_wall_mesh **mesh);
/* Moves a particle of the lattice to where it starts, and sets its velocity, which is 0. */
typedef void (*rni_lab_place)(void *user, double position[3], double velocity[3]);
/* Fills the box from the origin to size, whose sides are whole spacings, with a lattice that
 * `place` deforms. */
rn_result rni_lab_water_place(rn_fluid *fluid, uint32_t dim, double spacing, const double size[3],
                              rni_lab_place place, void *user);
/* Where the layer at height y of still water of that depth comes to lie when its own weight has
 * compressed it: dp = -rho(p) g dy with Tait's rho(p). */
double rni_lab_water_pressed(const rn_fluid *fluid, double depth, double y);
/* Mean position of the particles along an axis, m. */
double rni_lab_water_center(const rn_fluid *fluid, int axis);
/* Root mean square of the speed, m / s. */
double rni_lab_water_rms(const rn_fluid *fluid, const rn_fluid_report *report);

/* A pressure sensor: a disc on a wall, as a ball of its radius around its centre. */
typedef struct rni_lab_sensor {
    double at[3], radius; /* m */
    double full;          /* particles in it when it is wet */
} rni_lab_sensor;
/* radius: at least two spacings are taken, or the sensor would hold too few particles. */
rni_lab_sensor rni_lab_sensor_make(const rn_fluid *fluid, uint32_t dim, double spacing,
                                   const double at[3], double radius);
/* Mean pressure of the particles in it, Pa. Where it is mostly dry the dry part counts as 0, as the
 * force on a real sensor does. */
double rni_lab_sensor_read(const rni_lab_sensor *sensor, const rn_fluid *fluid);

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
/* rni_lab_begin_case() with a trace of the same name. */
__attribute__((format(printf, 3, 4))) rni_lab_trace *
rni_lab_begin_traced_case(const rni_lab *lab, rni_lab_traces *traces, const char *format, ...);
rn_result rni_lab_trace_add(rni_lab_trace *trace, double x, double y);
/* Linear between the points (x ascends), the end's value outside them. */
double rni_lab_trace_at(const rni_lab_trace *trace, double x);
/* Dots from a table of x, y. */
rn_result rni_lab_trace_table(rni_lab_traces *traces, const char *name, const double (*table)[2],
                              uint32_t count);
rn_result rni_lab_traces_plot(const rni_lab *lab, const char *part, rni_chart chart,
                              const rni_lab_traces *traces);
void rni_lab_traces_release(rni_lab_traces *traces);
/* The end of an experiment: draws the traces unless it failed before, and releases them. */
rn_result rni_lab_traces_end(const rni_lab *lab, rn_result result, rni_chart chart,
                             rni_lab_traces *traces);

#endif
