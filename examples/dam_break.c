/* The smallest fluid: a column of water collapses in a tank. Three numbers and two boxes are given; mass,
 * stiffness, viscosity and time step are derived.
 *
 *     cc dam_break.c -o dam_break $(pkg-config --cflags --libs runnel)
 *     ./dam_break
 */
#include <runnel/fluid.h>

#include <stdio.h>

static int fail(rn_fluid *fluid)
{
    fprintf(stderr, "%s\n", rn_last_error());
    rn_fluid_destroy(fluid);
    return 1;
}

int main(void)
{
    rn_fluid_def def = rn_fluid_def_default();
    def.spacing = 0.05f; /* m between particles */
    def.domain_high[0] = 2, def.domain_high[1] = 1, def.domain_high[2] = 0.5f;
    rn_fluid *fluid = NULL;
    if (rn_fluid_create(&def, &fluid) != RN_OK) return fail(fluid);

    rn_fluid_block column = rn_fluid_block_default();
    column.high[0] = 0.5f, column.high[1] = 0.8f, column.high[2] = 0.5f;
    if (rn_fluid_add_block(fluid, &column, NULL) != RN_OK) return fail(fluid);

    rn_fluid_report report = rn_fluid_report_default();
    float front = 0;
    for (double output = 0; output < 0.5; output += 0.1) {
        while (report.time < output + 0.1)
            if (rn_fluid_step(fluid, &report) != RN_OK) return fail(fluid);
        rn_fluid_particles p = rn_fluid_get_particles(fluid); /* valid until the next step */
        for (uint32_t i = 0; i < p.count; i++)
            if (p.position[i][0] > front) front = p.position[i][0];
        printf("%.1f s: front at %.2f m, fastest particle %.2f m/s, compressed by %.1f %%\n",
               report.time, (double)front, (double)report.speed_max,
               100 * ((double)report.density_max - 1));
    }
    rn_fluid_destroy(fluid);
    return front > 1 ? 0 : 1;
}
