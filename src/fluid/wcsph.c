/* Weakly compressible SPH: pressure follows from density by an equation of state (Monaghan 1994).
 * Sound is slow enough for useful time steps and fast enough that the density varies by about one
 * per cent. */
#define RNI_LANES 4
#include "base/lanes.h"

#include "fluid/scheme.h"
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

static void apply_state_equation(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const rn_fluid *f = data;
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

/* Fluid that hits something is compressed within a few steps, layer by layer, by the share speed /
 * sound. Only the numerical viscosity damps the oscillation of the layers about that share; it
 * reaches twice as far, and the outermost layers fly off. So fluid that is compressed faster than
 * any flow does resists, and the resistance does not push it apart again (von Neumann and Richtmyer
 * 1950, their linear form). The rate of compression is that of the density since the last
 * evaluation. */
#define SHOCK_RATE 0.02f /* of sound over radius: where it begins */
#define SHOCK_CHANGE \
    1e-4f /* of rest density in a step: less may be rounding, where steps are tiny */
#define SHOCK_SIZE \
    10.0f /* times numerical_viscosity, but 1 at most: of rest_density sound radius */

typedef struct resistance {
    rn_fluid *fluid;
    float since; /* s from the evaluation before */
} resistance;

static void resist(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const resistance *r = data;
    const rn_fluid *f = r->fluid;
    const float rest = f->def.rest_density, sound = f->derived.sound_speed;
    const float share = fminf(1.0f, SHOCK_SIZE * f->def.params.numerical_viscosity);
    const float size = share * rest * sound * sound;
    const float unit = f->derived.radius / (sound * rest * r->since);
    const float least = fmaxf(SHOCK_RATE / unit, SHOCK_CHANGE * rest);
    for (uint32_t i = begin; i < end; i++) {
        /* In light fluids sound is faster, by the root of the ratio. */
        const float slow = f->ratio ? sqrtf(f->ratio[i]) : 1.0f;
        const float change = slow * (f->density[i] - f->previous_density[i]);
        if (!(change > least)) continue;
        const float pressure = state_of(f, f->density[i]) + size * (unit * change - SHOCK_RATE);
        f->pressure[i] = fmaxf(f->pressure[i], pressure);
    }
}

/* Not in the papers' forms: without numerical viscosity, or with their two kernels, which heat as
 * published. */
static bool has_resistance(const rn_fluid *f)
{
    const rn_fluid_params *p = &f->def.params;
    return p->viscosity_model != RN_VISCOSITY_NONE && p->numerical_viscosity > 0 &&
           f->def.kernels != RN_KERNELS_PAPERS;
}

static void wcsph_pressure(rn_fluid *f, const rni_evaluation *evaluation)
{
    rni_for_particles(f, apply_state_equation, f);
    resistance r = {f, evaluation->since};
    if (r.since > 0 && f->has_previous_density && has_resistance(f))
        rni_for_particles(f, resist, &r);
}

/* The pressure of the flow, without the resistance. */
static void wcsph_publish(rn_fluid *f)
{
    if (has_resistance(f)) rni_for_particles(f, apply_state_equation, f);
}

/* --- report
 * --------------------------------------------------------------------------------------- */

/* Whether a density below that at rest stores energy. In the corrected scheme tension fades where it could do
 * work (corrected.c). */
static bool has_tension(const rn_fluid *f)
{
    return f->def.params.negative_pressure && !f->scheme->keeps_density;
}

/* J / kg: the work of compression, the integral of p / rho^2 from rest. */
static double elastic_energy(const rn_fluid *f, double density)
{
    double rest = (double)f->def.rest_density, stiffness = (double)f->derived.stiffness;
    double s = density / rest, e = (double)f->def.params.exponent;
    if (s < 1 && !has_tension(f)) return 0;
    if (f->def.params.pressure == RN_PRESSURE_GAS) return stiffness * (log(s) + 1 / s - 1);
    if (e == 1) return stiffness / rest * (log(s) + 1 / s - 1);
    return stiffness / rest * ((pow(s, e - 1) - 1) / (e - 1) + 1 / s - 1);
}

/* The same for Tait with the usual exponent, seven, over stiffness / rest: with s = 1 + d, d^2 (6 + 5 s + 4 s^2 + 3 s^3 +
 * 2 s^4 + s^5) / (6 s), in which no small difference of large numbers is left. */
static inline rni_v work_of_seven(rni_v density, float rest, float inverse_rest, float least)
{
    const rni_v d = rni_v_max((density - rest) * inverse_rest, rni_v_set(least)), s = 1.0f + d;
    const rni_v sum = 6.0f + s * (5.0f + s * (4.0f + s * (3.0f + s * (2.0f + s))));
    return d * d * sum / (6.0f * s);
}

static double elastic_seven(const rn_fluid *f, const float *density, uint32_t count)
{
    const float rest = f->def.rest_density, inverse_rest = 1 / rest;
    const float least = has_tension(f) ? -INFINITY : 0.0f;
    rni_sums sums = {{0}, {0}};
    uint32_t i = 0;
    for (; count - i >= 4; i += 4)
        rni_sums_add(&sums, work_of_seven(rni_v_load(density + i), rest, inverse_rest, least));
    for (; i < count; i++)
        sums.low[0] += (double)work_of_seven(rni_v_set(density[i]), rest, inverse_rest, least)[0];
    return (double)f->derived.stiffness / (double)rest * rni_sums_total(&sums);
}

double rni_wcsph_elastic_energy(const rn_fluid *f, uint32_t begin, uint32_t end)
{
    const rn_fluid_params *p = &f->def.params;
    if (p->pressure == RN_PRESSURE_TAIT && p->exponent == 7.0f)
        return elastic_seven(f, f->density + begin, end - begin);
    double sum = 0;
    for (uint32_t i = begin; i < end; i++) sum += elastic_energy(f, (double)f->density[i]);
    return sum;
}

const rni_scheme rni_scheme_wcsph = {
    .name = "wcsph",
    .rows = RNI_ROW_BIT(RNI_ROW_PREVIOUS_DENSITY),
    .density = rni_stage_density,
    .pressure = wcsph_pressure,
    .forces = rni_stage_forces,
    .publish = wcsph_publish,
    .safe_step = rni_fluid_safe_step,
    .elastic_energy = rni_wcsph_elastic_energy,
};
