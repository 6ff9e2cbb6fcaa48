/* Pressure from density: the equation of state. Iterating solvers will stand here beside it. */
#include "fluid/stages.h"

#include <math.h>

/* rho / rho_0 to the exponent; seven, the usual one, without pow. */
static float power(float ratio, float exponent)
{
    if (exponent != 7.0f) return powf(ratio, exponent);
    float square = ratio * ratio;
    return square * square * square * ratio;
}

static void state_equation(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const rn_fluid_params *p = &f->def.params;
    float stiffness = f->derived.stiffness, rest = f->def.rest_density, inverse_rest = 1 / rest;
    for (uint32_t i = begin; i < end; i++) {
        float pressure = p->pressure == RN_PRESSURE_TAIT
                             ? stiffness * (power(f->density[i] * inverse_rest, p->exponent) - 1)
                             : stiffness * (f->density[i] - rest);
        f->pressure[i] = pressure < 0 && !p->negative_pressure ? 0.0f : pressure;
    }
}

void rni_stage_pressure(rn_fluid *f)
{
    rni_fluid_for_each(f, state_equation);
}
