/* A gauge that reads the water level in a tank, as a wave gauge does: a column of water collapses, and the
 * level at the far wall rises.
 *
 *     cc level_gauge.c -o level_gauge $(pkg-config --cflags --libs runnel)
 *     ./level_gauge
 */
#include <runnel/fluid.h>
#include <runnel/gauge.h>

#include <stdio.h>

static rn_result make_tank(rn_fluid **fluid, rn_fluid_id *gauge)
{
    rn_fluid_def def = rn_fluid_def_default();
    def.dim = 2;
    def.spacing = 0.02f;
    def.domain_high[0] = 1, def.domain_high[1] = 0.6f;
    rn_fluid_block column = rn_fluid_block_default();
    column.high[0] = 0.3f, column.high[1] = 0.4f;
    rn_fluid_gauge level = rn_fluid_gauge_default();
    level.kind = RN_GAUGE_LEVEL;
    level.center[0] =
        0.95f; /* m: foot of the column in which the level is measured; up is against gravity */
    level.rate = 100; /* samples per simulated second; 0 would be every step */
    rn_result result = rn_fluid_create(&def, fluid);
    if (result == RN_OK) result = rn_fluid_add_block(*fluid, &column, NULL);
    if (result == RN_OK) result = rn_fluid_add_gauge(*fluid, &level, gauge);
    return result;
}

int main(void)
{
    rn_fluid *fluid = NULL;
    rn_fluid_id gauge;
    rn_gauge_reading reading = rn_gauge_reading_default();
    rn_result result = make_tank(&fluid, &gauge);
    for (int tenth = 1; tenth <= 10 && result == RN_OK; tenth++) {
        while (result == RN_OK && rn_fluid_get_time(fluid) < 0.1 * tenth)
            result = rn_fluid_step(fluid, NULL);
        if (result == RN_OK) result = rn_fluid_get_gauge(fluid, gauge, &reading);
        if (result == RN_OK)
            printf("%.1f s: %.3f m (%.3f to %.3f m, mean %.3f m)\n", reading.time, reading.value[0],
                   reading.min[0], reading.max[0], reading.mean[0]);
    }
    if (result != RN_OK) fprintf(stderr, "%s\n", rn_last_error());
    rn_fluid_destroy(fluid);
    const int is_right = reading.min[0] == 0 && reading.max[0] > 0.1 && reading.max[0] <= 0.6;
    return result == RN_OK && is_right ? 0 : 1;
}
