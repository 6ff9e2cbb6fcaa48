/* What follows from a definition and its parameters (001: parameters from particle count and
 * size). */
#ifndef RNI_FLUID_DERIVE_H
#define RNI_FLUID_DERIVE_H

#include "fluid/kernels.h"
#include "fluid/laws.h"

#include <runnel/fluid.h>

#include <float.h>
#include <math.h>

/* How much of a length between two floats may be lost to their rounding, m: what is just long
 * enough as it was written is taken. */
static inline double rni_rounding_of(double low, double high)
{
    return 4 * (double)FLT_EPSILON * fmax(fabs(low), fabs(high));
}

/* Refuses what cannot be, with the value and the remedy. */
rn_result rni_fluid_check_def(const rn_fluid_def *def);
rn_result rni_fluid_check_params(const rn_fluid_params *params);
/* Of values that are possible: those that do not go together. */
rn_result rni_fluid_check_scheme(const rn_fluid_def *def);
/* m / s: the pressure that surface forces cause, as a speed. */
double rni_fluid_tension_speed(const rn_fluid_def *def);
/* m: the kernel support radius. */
float rni_fluid_radius(const rn_fluid_def *def);
rn_fluid_derived rni_fluid_derive(const rn_fluid_def *def);
rn_result rni_fluid_check_step(const rn_fluid_def *def, const rn_fluid_derived *derived);
rni_coefficients rni_fluid_fold(const rn_fluid_def *def, const rn_fluid_derived *derived);

/* Which kernels a choice means. */
rni_kernel rni_density_kernel(rn_fluid_kernels kernels);
rni_kernel rni_pressure_kernel(rn_fluid_kernels kernels);

/* A safe time step (s) at these speeds and accelerations, and which condition bounds it. */
/* Of the radius: no particle may cross more at once. */
#define RNI_MOST_CROSSED 0.5f

typedef struct rni_safe_step {
    float seconds;
    rn_fluid_bound bound;
} rni_safe_step;
rni_safe_step rni_fluid_safe_step(const rn_fluid_def *def, const rn_fluid_derived *derived,
                                  float speed_max, float acceleration_max);

#endif
