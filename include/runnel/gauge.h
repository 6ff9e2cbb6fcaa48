/* runnel/gauge.h - gauges in a fluid: what sensors and reports of an experiment would show.
 *
 * Does:     measures pressure, velocity, water level, discharge, forces, volume and energy at the
 *           end of each step, or at a rate, and keeps the last value, minimum, mean and maximum.
 *           The same bits for any number of threads. A fluid without gauges pays nothing.
 * Does not: change the flow, or write files.
 * Smallest use:
 *     rn_fluid_gauge level = rn_fluid_gauge_default();
 *     level.kind = RN_GAUGE_LEVEL;
 *     level.center[0] = 0.8f;                                   // m: foot of the column
 *     rn_fluid_id id;
 *     if (rn_fluid_add_gauge(fluid, &level, &id) != RN_OK) return fail(rn_last_error());
 *     ...                                                       // rn_fluid_step()
 *     rn_gauge_reading reading = rn_gauge_reading_default();
 *     if (rn_fluid_get_gauge(fluid, id, &reading) != RN_OK) return fail(rn_last_error());
 *     printf("%g m\n", reading.value[0]);
 *
 * Gauges are no part of the state (rn_fluid_write_state()): rn_fluid_read_state() clears their
 * readings. docs/gauges.md has the formulas and the measured errors.
 */
#ifndef RUNNEL_GAUGE_H
#define RUNNEL_GAUGE_H

#include <runnel/fluid.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers never change; the names are those of RN_CHOICE_GAUGE. */
typedef enum rn_gauge_kind {
    RN_GAUGE_PRESSURE = 0,  /* Pa at a point, or the mean over a disc as of a sensor */
    RN_GAUGE_VELOCITY = 1,  /* m / s at a point: x, y, z */
    RN_GAUGE_LEVEL = 2,     /* m: heights of the water surfaces in a column above its foot */
    RN_GAUGE_DISCHARGE = 3, /* m^3 / s (2D: m^2 / s) through a disc or a rectangle */
    RN_GAUGE_FORCE = 4,     /* N and N m of the water on a solid, or on the domain */
    RN_GAUGE_VOLUME = 5,    /* m^3 (2D: m^2) of water in a box */
    RN_GAUGE_ENERGY = 6,    /* J (2D: J / m) of all particles: kinetic, potential, elastic, sum */
    RN_GAUGE_FILM = 7       /* m^2 wetted and m^3 of the film on a mesh that has a trail */
} rn_gauge_kind;

#define RN_GAUGE_MAX_VALUES 8u
#define RN_GAUGE_MAX_SOLIDS 8u

/* The definition of a gauge. Each kind reads the fields that name it. */
typedef struct rn_fluid_gauge {
    uint32_t struct_bytes; /* set by rn_fluid_gauge_default() */
    rn_gauge_kind kind;    /* default RN_GAUGE_PRESSURE */
    /* Samples per second of simulated time; 0 (default): every step. A sample is taken at the end
     * of the first step that reaches n / rate, n = 1, 2, 3 ... */
    float rate;
    float center[3]; /* m; pressure, velocity: the point; level: foot of the column; discharge: the disc */
    /* Any length; 0, 0, 0 (default): none. pressure: normal of the sensor, from the wall into the
     * water: only water on this side counts; needed for a disc. level: from the foot up; none:
     * against gravity. discharge: positive direction; needed for a disc. */
    float direction[3];
    /* m; pressure: of the disc, 0 (default): a point. level: half width of the column, at least 2
     * spacings (default). discharge: of the disc, 0 (default): low and high are a rectangle. */
    float radius;
    float height; /* m; level: of the column; 0 (default): up to the side of the domain */
    /* level: how many surfaces are reported, 1 (default) to RN_GAUGE_MAX_VALUES: the top of the
     * water first, then the tops of water below air or below a solid. */
    uint32_t surface_count;
    /* m; volume: a box. discharge: a rectangle: low and high are equal along one axis, which is its
     * normal (in 2D: a line). */
    float low[3], high[3];
    /* film: the solids whose films are added up, at least one.
     * force: the solids whose loads are added up, each torque about the center of its own solid; no
     * solid (default): the sides of the domain. Needs measure_loads of the fluid. */
    uint32_t solid_count;
    rn_fluid_id solid[RN_GAUGE_MAX_SOLIDS];
    /* Of several fluids: 1 + the number of the only one that counts; 0 (default): all. Every kind but force;
     * energy: without the elastic part. */
    uint32_t phase;
} rn_fluid_gauge;
RN_API rn_fluid_gauge rn_fluid_gauge_default(void);

/* Refused with a sentence: a center outside the domain, an empty box, an unknown solid, ... */
RN_API rn_result rn_fluid_add_gauge(rn_fluid *fluid, const rn_fluid_gauge *gauge, rn_fluid_id *id);
RN_API rn_result rn_fluid_remove_gauge(rn_fluid *fluid, rn_fluid_id id);

/* One value of a gauge. */
typedef struct rn_gauge_column {
    const char *name; /* "level", "vx"; "" where a gauge has one value */
    const char *unit; /* SI: "Pa" */
} rn_gauge_column;
/* Value number index of such a gauge in a fluid of 2 or 3 dimensions; NULL past the last. */
RN_API const rn_gauge_column *rn_gauge_get_column(const rn_fluid_gauge *gauge, uint32_t dim,
                                                  uint32_t index);

/* What a gauge has measured: values in the order of their columns, each rounded to a float. */
typedef struct rn_gauge_reading {
    uint32_t struct_bytes; /* set by rn_gauge_reading_default() */
    uint32_t value_count;
    uint64_t sample_count; /* since it was added or reset; 0: all values are 0 */
    uint64_t step;         /* at whose end the last sample was taken */
    double time;           /* s: of the last sample */
    /* NaN: there is none (a second surface, a solid that was removed). */
    double value[RN_GAUGE_MAX_VALUES];
    /* Over all samples; the mean is the integral over time, by the trapezoidal rule. */
    double min[RN_GAUGE_MAX_VALUES], mean[RN_GAUGE_MAX_VALUES], max[RN_GAUGE_MAX_VALUES];
} rn_gauge_reading;
RN_API rn_gauge_reading rn_gauge_reading_default(void);
RN_API rn_result rn_fluid_get_gauge(const rn_fluid *fluid, rn_fluid_id id, rn_gauge_reading *reading);
/* Samples start anew, from the next one on. */
RN_API rn_result rn_fluid_reset_gauge(rn_fluid *fluid, rn_fluid_id id);

#ifdef __cplusplus
}
#endif
#endif
