#include "fluid/water_test.h"

#include <stdlib.h>
#include <string.h>

rn_fluid_def water_def_of(rn_fluid_preset preset, uint32_t dim, float spacing, float x, float y,
                          float z)
{
    rn_fluid_def def = rn_fluid_def_of_preset(preset);
    def.dim = dim;
    def.spacing = spacing;
    def.domain_high[0] = x;
    def.domain_high[1] = y;
    def.domain_high[2] = z;
    def.threads = 2;
    return def;
}

rn_fluid_def water_def(uint32_t dim, float spacing, float x, float y, float z)
{
    return water_def_of(RN_PRESET_BALANCED, dim, spacing, x, y, z);
}

rn_fluid *water_create(const rn_fluid_def *def)
{
    rn_fluid *fluid = NULL;
    assert_ok(rn_fluid_create(def, &fluid));
    return fluid;
}

rn_fluid_added water_block(rn_fluid *fluid, const float low[3], const float high[3], float jitter)
{
    rn_fluid_block block = rn_fluid_block_default();
    memcpy(block.low, low, sizeof block.low);
    memcpy(block.high, high, sizeof block.high);
    block.jitter = jitter;
    rn_fluid_added added = rn_fluid_added_default();
    assert_ok(rn_fluid_add_block(fluid, &block, &added));
    return added;
}

rn_fluid_report water_run(rn_fluid *fluid, double time)
{
    rn_fluid_report report = rn_fluid_report_default();
    while (rn_fluid_get_time(fluid) < time) assert_ok(rn_fluid_step(fluid, &report));
    return report;
}

rn_fluid_report water_steps(rn_fluid *fluid, uint32_t steps)
{
    rn_fluid_report report = rn_fluid_report_default();
    for (uint32_t k = 0; k < steps; k++) assert_ok(rn_fluid_step(fluid, &report));
    return report;
}

void water_copy_state(const rn_fluid *from, rn_fluid *to)
{
    const uint64_t bytes = rn_fluid_get_state_bytes(from);
    void *saved = malloc((size_t)bytes);
    assert_non_null(saved);
    rn_fluid_write_state(from, saved);
    assert_ok(rn_fluid_read_state(to, saved, bytes));
    free(saved);
}

void water_add_means(const rn_fluid_particles *p, double *height, double *speed_sq)
{
    for (uint32_t i = 0; i < p->count; i++) {
        *height += (double)p->position[i][1] / p->count;
        for (int a = 0; a < 3; a++)
            *speed_sq += (double)p->velocity[i][a] * (double)p->velocity[i][a] / p->count;
    }
}
