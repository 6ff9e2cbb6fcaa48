/* Viscosity laws: how the viscosity of a fluid follows from the rate of shear. */
#ifndef RNI_FLUID_RHEOLOGY_H
#define RNI_FLUID_RHEOLOGY_H

#include "fluid/water.h"

/* Pa s at a rate of shear (1 / s, 0 or more), between viscosity_min and viscosity_max. */
float rni_rheology_at(const rn_fluid_params *params, float rate);
/* Pa s: the largest at any rate. */
float rni_rheology_most(const rn_fluid_params *params);
/* Values that do not go together, as a sentence. */
rn_result rni_rheology_check(const rn_fluid_params *params);

/* Fills fluid->shear_walls: once, for the spacing and radius of the fluid. */
void rni_rheology_prepare(rn_fluid *fluid);
/* Writes fluid->particle_viscosity from position and velocity; `work` are four planes of records. Only for fluids
 * whose law is not newtonian, and for several fluids. */
void rni_stage_rheology(rn_fluid *fluid, float *const work[4]);

#endif
