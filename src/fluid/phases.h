/* Several fluids in one simulation: oil on water, salt water below fresh.
 *
 * Idea:   all particles have the same volume at rest, and all fluids the same stiffness. What the schemes call density
 *         is that of the volume, rho_ref n V0 with the number density n and rho_ref the density of the densest fluid
 *         (Hu and Adams 2006, Solenthaler and Pajarola 2008): it is continuous across an interface, like the pressure, and
 *         volumes m / rho, gradients, divergence and the equation of state are those of a single fluid. A
 *         particle's own fluid has its say where mass matters: its acceleration is the force of the pairs over its own
 *         mass, rho_ref / rho times that of the densest; forces are symmetric, so momentum is conserved to rounding.
 *         In pairs of two fluids the pressure is that of their interface, weighted by the other's density, and
 *         numerical viscosity is that of the lighter one (passes/stress.h). Sound is faster in light fluids, by the
 *         root of the ratio, and time steps are those of the lightest.
 * Parts:  a row "fluid" of the attribute table; rn_fluid.phase, folded from the definition; passes with an option for
 *         several fluids (rates, stress, viscous), so that those of a single one stay as they are. Viscosity is always
 *         that of viscosity.h, with the law of each particle's fluid.
 * Users:  see the true density, density times ratio: rni_phases_publish().
 * Next:   surface_tension.h has the tension of their surfaces and interfaces.
 */
#ifndef RNI_FLUID_PHASES_H
#define RNI_FLUID_PHASES_H

#include "fluid/water.h"

static inline bool rni_has_phases(const rn_fluid_def *def)
{
    return def->phase_count > 1;
}

/* rho_ref over the density of the fluid of particle i; 1 where there is one fluid. */
static inline float rni_inverse_ratio(const rn_fluid *f, uint32_t i)
{
    return f->fluid_number ? f->phase[f->fluid_number[i]].inverse : 1.0f;
}

static inline float rni_ratio(const rn_fluid *f, uint32_t i)
{
    return f->fluid_number ? f->phase[f->fluid_number[i]].ratio : 1.0f;
}

/* Whether particle i is of the only phase that counts: 1 + its number, 0 for all. */
static inline bool rni_is_of_phase(const rn_fluid *f, uint32_t i, uint32_t only)
{
    return only == 0 || !f->fluid_number || f->fluid_number[i] + 1 == only;
}

/* The ratio of the particle whose entry of now.velocity v is. */
static inline double rni_mass_at(const rn_fluid *f, const float v[4])
{
    return f->fluid_number ? (double)rni_ratio(f, (uint32_t)((v - f->now.velocity[0]) / 4)) : 1;
}

rn_result rni_phases_check(const rn_fluid_def *def);
/* A phase, or with is_only 1 + a phase or 0, that `what` names. */
rn_result rni_phases_check_number(const rn_fluid *fluid, const char *what, uint32_t number,
                                  bool is_only);
/* params with viscosity, law and surface tension of a phase; and the phase, without a name, of a single fluid. */
rn_fluid_params rni_phase_params(const rn_fluid_phase *phase, const rn_fluid_params *params);
rn_fluid_phase rni_phase_of(const rn_fluid_def *def);
/* The definition with rest_density, viscosity and law as the phases say: of one, its own; of several, the largest
 * density. */
void rni_phases_apply(rn_fluid_def *def);
/* Fills rn_fluid.phase from the definition; counts stay. */
void rni_phases_fold(rn_fluid *fluid);

/* The smallest ratio: 1 of a single fluid. */
float rni_phases_lightest(const rn_fluid_def *def);
/* N / m: the largest tension of a surface or an interface. */
float rni_phases_tension(const rn_fluid_def *def);
/* Pa s: the largest viscosity at any rate of shear. */
float rni_phases_viscosity(const rn_fluid_def *def);
/* Pa s: what bounds an explicit step: the largest viscosity over ratio, with the numerical part. */
float rni_phases_explicit(const rn_fluid_def *def, float numerical);
/* Whether the viscosity of any fluid follows a law. */
bool rni_has_laws(const rn_fluid_def *def);

/* fluid.c: another density and other parameters of a single fluid, between two steps. */
rn_result rni_fluid_set_material(rn_fluid *fluid, float rest_density, const rn_fluid_params *params);

/* The rest do nothing for a single fluid. */
/* After a sort: ratio, from the numbers. */
void rni_phases_sorted(rn_fluid *fluid);
/* After the pair forces: accelerations become those of each fluid. */
void rni_phases_scale(rn_fluid *fluid);
/* Writes what users see. */
void rni_phases_publish(rn_fluid *fluid);
/* Counts at the start of a step, and again when it fails. */
void rni_phases_keep(rn_fluid *fluid);
void rni_phases_restore(rn_fluid *fluid);

#endif
