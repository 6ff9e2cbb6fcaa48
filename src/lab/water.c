#include "lab/water.h"

#include "fluid/derived.h"

#include <math.h>

rn_fluid_def rni_lab_water_def(const rni_lab *lab, uint32_t dim, double spacing, const double size[3])
{
    rn_fluid_def def = rn_fluid_def_default();
    def.dim = dim;
    def.spacing = (float)spacing;
    def.threads = lab->threads;
    for (uint32_t a = 0; a < dim; a++) def.domain_high[a] = (float)size[a];
    return def;
}

rn_result rni_lab_water_make(const rn_fluid_def *def, const double low[3], const double high[3],
                             double jitter, rn_fluid **fluid)
{
    rn_fluid_block block = rn_fluid_block_default();
    block.jitter = (float)jitter;
    for (int a = 0; a < 3; a++) {
        block.low[a] = (float)low[a];
        block.high[a] = (float)high[a];
    }
    *fluid = NULL;
    rn_result result = rn_fluid_create(def, fluid);
    if (result == RN_OK) result = rn_fluid_add_block(*fluid, &block, NULL);
    if (result == RN_OK) return RN_OK;
    rn_fluid_destroy(*fluid);
    *fluid = NULL;
    return result;
}

double rni_lab_water_rms(const rn_fluid *fluid, const rn_fluid_report *report)
{
    double mass = report->particles * (double)rni_fluid_derived_of(fluid).mass;
    return mass > 0 ? sqrt(2 * report->kinetic / mass) : 0;
}
