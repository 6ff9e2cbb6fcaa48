/* Pressure from density: the equation of state. Iterating solvers will stand here beside it. */
#include "fluid/stages.h"

#include <math.h>

/* Tait with the usual exponent, seven: a loop without branches, which the compiler turns into
 * vectors. least: 0 or minus infinity. */
static void tait_seven(float *restrict pressure, const float *restrict density, uint32_t count,
                       float stiffness, float inverse_rest, float least)
{
    for (uint32_t i = 0; i < count; i++) {
        float s = density[i] * inverse_rest, s2 = s * s;
        float p = stiffness * (s2 * s2 * s2 * s - 1);
        pressure[i] = p < least ? least : p;
    }
}

/* Pa, as the equation of state has it: also below zero. */
static float state_of(const rn_fluid *f, float density)
{
    const rn_fluid_params *p = &f->def.params;
    const float stiffness = f->derived.stiffness, rest = f->def.rest_density, inverse_rest = 1 / rest;
    return p->pressure == RN_PRESSURE_TAIT
               ? stiffness * (powf(density * inverse_rest, p->exponent) - 1)
               : stiffness * (density - rest);
}

static void state_equation(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const rn_fluid_params *p = &f->def.params;
    float least = p->negative_pressure ? -INFINITY : 0.0f;
    if (p->pressure == RN_PRESSURE_TAIT && p->exponent == 7.0f) {
        tait_seven(f->pressure + begin, f->density + begin, end - begin, f->derived.stiffness,
                   1 / f->def.rest_density, least);
        return;
    }
    for (uint32_t i = begin; i < end; i++) {
        const float pressure = state_of(f, f->density[i]);
        f->pressure[i] = pressure < least ? least : pressure;
    }
}

/* Water that runs into something is pressed together in a few steps, layer by layer, by the share speed / sound.
 * Layers have nothing but the numerical viscosity against swinging about that, twice as far, and throw the last
 * of them off. So what is pressed together faster than any flow does resists, and is not pushed apart again for
 * it (von Neumann and Richtmyer 1950, their linear form). The rate is that of the density since the last
 * evaluation. */
#define SHOCK_RATE 0.02f /* of sound over radius: where it begins */
#define SHOCK_CHANGE \
    1e-4f /* of rest density in a step: less may be rounding, where steps are tiny */
#define SHOCK_SIZE \
    10.0f /* times numerical_viscosity, but 1 at most: of rest_density sound radius */

static void resist(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const float rest = f->def.rest_density, sound = f->derived.sound_speed;
    const float share = fminf(1.0f, SHOCK_SIZE * f->def.params.numerical_viscosity);
    const float size = share * rest * sound * sound;
    const float unit = f->derived.radius / (sound * rest * f->since);
    const float least = fmaxf(SHOCK_RATE / unit, SHOCK_CHANGE * rest);
    rni_record *before = f->now.acceleration;
    for (uint32_t i = begin; i < end; i++) {
        const float change = f->density[i] - before[i][3];
        if (!(change > least)) continue;
        const float pressure = state_of(f, f->density[i]) + size * (unit * change - SHOCK_RATE);
        f->pressure[i] = fmaxf(f->pressure[i], pressure);
    }
}

/* Not in the papers' forms: without numerical viscosity, or with their two kernels, which heat as published. */
static bool has_resistance(const rn_fluid *f)
{
    const rn_fluid_params *p = &f->def.params;
    return p->viscosity_model != RN_VISCOSITY_NONE && p->numerical_viscosity > 0 &&
           f->def.kernels != RN_KERNELS_PAPERS;
}

void rni_stage_pressure(rn_fluid *f, float since)
{
    rni_fluid_for_each(f, state_equation);
    f->since = since;
    if (since > 0 && f->has_before && has_resistance(f)) rni_fluid_for_each(f, resist);
}
