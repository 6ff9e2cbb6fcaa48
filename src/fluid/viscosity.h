/* Viscosity of pastes: implicit, and with a viscosity of each particle's own.
 *
 * Job:    fluids with viscosity_solver implicit, or with a viscosity law, get the physical part of their viscous force
 *         here instead of in the pair forces of their scheme; the numerical part stays there.
 * How:    (1 + dt B) v_new = v + dt a with the symmetric pair form B of passes/viscous.h and the drag of no-slip walls,
 *         by conjugate gradients without a stored matrix, preconditioned by its diagonal. The acceleration of
 *         the step before makes the first guess, and is part of the state. With the explicit solver B v is added once.
 * Order:  after all forces, when the time step is known, before the integration (step.c).
 * Next:   rheology.h (the laws), viscosity_form.c (the constants of B), passes/viscous.h, passes/strain.h.
 */
#ifndef RNI_FLUID_VISCOSITY_H
#define RNI_FLUID_VISCOSITY_H

#include "fluid/phases.h"
#include "fluid/water.h"

/* Planes of records in fluid->viscous_work; the fourth number of a record is the one after the semicolon. The rates of shear
 * are found in all four before (rheology.h). */
enum {
    RNI_VISCOUS_CHANGE, /* m / s: by viscosity, so far; the diagonal of the matrix but for the pairs */
    RNI_VISCOUS_RESIDUAL,  /* m / s; what preconditions it */
    RNI_VISCOUS_DIRECTION, /* m / s; the root of the viscosity: what the pass gathers */
    RNI_VISCOUS_PRODUCT,   /* 1 / s times the direction */
    RNI_VISCOUS_PLANES
};

/* Whether viscosity is computed here. */
static inline bool rni_is_paste(const rn_fluid_def *def)
{
    const rn_fluid_params *p = &def->params;
    return p->viscosity_model != RN_VISCOSITY_NONE &&
           (p->viscosity_solver == RN_SOLVER_IMPLICIT || p->viscosity_law != RN_LAW_NEWTONIAN ||
            rni_has_phases(def));
}

static inline bool rni_is_implicit(const rn_fluid_params *p)
{
    return p->viscosity_model != RN_VISCOSITY_NONE && p->viscosity_solver == RN_SOLVER_IMPLICIT;
}

/* Pa s: what the pair forces of the scheme have to contain. */
static inline float rni_scheme_viscosity(const rn_fluid_def *def, const rn_fluid_derived *d)
{
    return rni_is_paste(def) ? d->numerical_viscosity : d->viscosity;
}

/* Pa s: what bounds the time step. */
static inline float rni_explicit_viscosity(const rn_fluid_def *def, const rn_fluid_derived *d)
{
    if (rni_has_phases(def)) return rni_phases_explicit(def, d->numerical_viscosity);
    return rni_is_implicit(&def->params) ? d->numerical_viscosity : d->viscosity;
}

/* viscosity_form.c: the constants of the pair form, and what the layers behind a no-slip wall add. */
typedef struct rni_viscous_form {
    double radius;  /* m: of the weight (passes/viscous.h) */
    double part[2]; /* of the weight */
    double scale; /* 1 / m^4: of the sum; shear is then right between a lattice and layers that slide */
} rni_viscous_form;
rni_viscous_form rni_viscous_form_of(uint32_t dim, double spacing, double h);
/* 1 / m: as RNI_WALL_DRAG (solid/boundary.h), for a particle at the distance t. */
double rni_viscous_wall_drag(const rni_viscous_form *form, uint32_t dim, double spacing, double t);

/* Reads velocity, acceleration, density and walls; adds the viscous part to the acceleration with which the velocity is
 * kicked for dt. Nothing for other fluids. */
rn_result rni_stage_viscosity(rn_fluid *fluid, float dt);
/* m / s and 1 / s: the velocity that the drag of no-slip walls acts on, and its rate for each 1 / m^2 of
 * rni_touch.drag. For loads.c, and after the stage. */
float rni_viscous_drag_of(const rn_fluid *fluid, uint32_t i, float velocity[3]);

#endif
