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

static void state_equation(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const rn_fluid_params *p = &f->def.params;
    float stiffness = f->derived.stiffness, rest = f->def.rest_density, inverse_rest = 1 / rest;
    float least = p->negative_pressure ? -INFINITY : 0.0f;
    if (p->pressure == RN_PRESSURE_TAIT && p->exponent == 7.0f) {
        tait_seven(f->pressure + begin, f->density + begin, end - begin, stiffness, inverse_rest,
                   least);
        return;
    }
    for (uint32_t i = begin; i < end; i++) {
        float pressure = p->pressure == RN_PRESSURE_TAIT
                             ? stiffness * (powf(f->density[i] * inverse_rest, p->exponent) - 1)
                             : stiffness * (f->density[i] - rest);
        f->pressure[i] = pressure < least ? least : pressure;
    }
}

void rni_stage_pressure(rn_fluid *f)
{
    rni_fluid_for_each(f, state_equation);
}
