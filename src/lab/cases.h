/* Single cases of the experiments with water: numbers in, numbers out, without table or picture.
 * The experiments run them at several sizes; presets.c runs a reduced one of each with every
 * preset. Above the blank line of a struct is what the caller sets, below what the case fills in. */
#ifndef RNI_LAB_CASES_H
#define RNI_LAB_CASES_H

#include "lab/water.h"

/* What a case has cost: processor time of all threads, which a busy machine does not change. */
typedef struct rni_lab_cost {
    uint32_t particles;
    double simulated_s, processor_s;
} rni_lab_cost;

/* Milliseconds of processor time per simulated second. */
static inline double rni_lab_cost_ms(const rni_lab_cost *cost)
{
    return 1e3 * cost->processor_s / cost->simulated_s;
}

/* --- standing_wave.c: the first sloshing mode of a tank 1 m long --- */
typedef struct rni_lab_wave {
    uint32_t dim;
    double spacing, depth; /* m */
    double periods;        /* how many to watch, at least 2 */

    double period, exact_period;                  /* s; NaN: too few zero crossings */
    double amplitude_shift;                       /* of the exact period, by the finite amplitude */
    double damping, exact_damping, total_damping; /* shares of the amplitude lost in a period:
                                                     measured, by the viscosity that was asked
                                                     for, by it and the numerical one */
    rni_lab_cost cost;
} rni_lab_wave;
/* trace (may be NULL): amplitude over the first one, over time in exact periods. */
rn_result rni_lab_wave_run(const rni_lab *lab, rni_lab_wave *wave, rni_lab_trace *trace);

/* --- lean.c: still water after gravity has been turned --- */
typedef struct rni_lab_leaning {
    uint32_t dim;
    double spacing, depth; /* m */

    double level; /* tilt of the surface over that of a level one */
    double swing; /* largest minus smallest of it while it was averaged */
    rni_lab_cost cost;
} rni_lab_leaning;
/* trace (may be NULL): tilt over that of a level surface, over seconds. */
rn_result rni_lab_leaning_run(const rni_lab *lab, rni_lab_leaning *lean, rni_lab_trace *trace);

/* --- taylor_green.c: decaying vortices in a periodic square --- */
typedef struct rni_lab_vortices {
    uint32_t side;     /* particles a side */
    bool is_perturbed; /* else on the lattice */
    double seconds;

    double viscosity;           /* m^2 / s that fits the decay of the energy from 0.1 s on */
    double amplitude_viscosity; /* that of the amplitude of the vortices */
    double early_energy;        /* over the exact one at 0.1 s */
    /* The worst, looked at every 0.1 s: */
    double nearest;       /* first percentile of the distance to the nearest, over the spacing */
    double density_noise; /* deviation of the density over its mean */
    rni_lab_cost cost;
} rni_lab_vortices;
/* trace (may be NULL): energy over the first one, over seconds. */
rn_result rni_lab_vortices_run(const rni_lab *lab, rni_lab_vortices *v, rni_lab_trace *trace);

/* --- rest.c: still water that started disordered --- */
typedef struct rni_lab_still {
    uint32_t dim;
    double spacing, depth, width; /* m */
    double seconds;

    double speed, early_speed; /* rms over sqrt(g H), in the last and in the middle fifth */
    double noise;              /* rms of pressure minus its mean at that height, over rho g H */
    double depth_error;        /* of the mean height, against the compressed column */
    double energy_gain;        /* after the middle, over M g H */
    uint32_t escaped;
    rni_lab_cost cost;
} rni_lab_still;
/* trace (may be NULL): rms speed over sqrt(g H), over seconds. */
rn_result rni_lab_still_run(const rni_lab *lab, rni_lab_still *still, rni_lab_trace *trace);

/* --- couette.c: flow between two plates, one of which starts to move --- */
#define RNI_LAB_SHEAR_MOMENTS 5
typedef struct rni_lab_shear {
    uint32_t across; /* particles from plate to plate */

    double time[RNI_LAB_SHEAR_MOMENTS];                                /* s */
    double error[RNI_LAB_SHEAR_MOMENTS];                               /* L2, a share */
    double speed[RNI_LAB_SHEAR_MOMENTS], exact[RNI_LAB_SHEAR_MOMENTS]; /* m / s, of one row */
    rni_lab_cost cost;
} rni_lab_shear;
/* traces (may be NULL): profiles at every moment. */
rn_result rni_lab_shear_run(const rni_lab *lab, rni_lab_shear *shear, rni_lab_traces *traces);
/* The largest error of all moments. */
double rni_lab_shear_worst(const rni_lab_shear *shear);

/* --- jet.c: a plane jet on a plate --- */
typedef struct rni_lab_stream {
    uint32_t across; /* particles across the jet */

    double pressure, noise;    /* mean and deviation at the centre, over rho U^2 / 2 */
    double force, force_noise; /* the same of the force, over rho U^2 b */
    rni_lab_cost cost;
} rni_lab_stream;
/* trace (may be NULL): pressure over rho U^2 / 2, over time in b / U. */
rn_result rni_lab_stream_run(const rni_lab *lab, rni_lab_stream *stream, rni_lab_trace *trace);

/* --- impact.c: a dam break on a wall with pressure sensors --- */
#define RNI_LAB_IMPACT_SENSORS 4
typedef struct rni_lab_impact_case {
    double spacing; /* m */

    double arrival; /* s sqrt(g / H): the front reaches the wall */
    /* Over rho g H: the largest mean of 5 ms, the mean of the plateau behind it, the rms of what is
     * faster than 10 ms; and the integral of the first 0.1 s over rho g H sqrt(H / g). */
    double peak[RNI_LAB_IMPACT_SENSORS], plateau[RNI_LAB_IMPACT_SENSORS];
    double noise[RNI_LAB_IMPACT_SENSORS], impulse[RNI_LAB_IMPACT_SENSORS];
    rni_lab_cost cost;
} rni_lab_impact_case;
/* trace (may be NULL): the lowest sensor, means of 5 ms over rho g H, over time in sqrt(H / g). */
rn_result rni_lab_impact_run(const rni_lab *lab, rni_lab_impact_case *impact, rni_lab_trace *trace);

#endif
