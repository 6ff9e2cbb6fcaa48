/* A solid that moves: a paddle swings in a tank and makes waves. Before every step it gets the pose at the
 * end of that step, and the motion that leads there, which the water feels.
 *
 *     cc moving_solid.c -o moving_solid $(pkg-config --cflags --libs runnel) -lm
 *     ./moving_solid
 */
#include <runnel/fluid.h>

#include <math.h>
#include <stdio.h>

int main(void)
{
    rn_fluid_def def = rn_fluid_def_default();
    def.spacing = 0.04f;
    def.threads = 1; /* enough for a few thousand particles */
    def.domain_high[0] = 2, def.domain_high[1] = 0.8f, def.domain_high[2] = 0.4f;
    rn_solid paddle = rn_solid_default();
    paddle.shape = RN_SOLID_BOX;
    paddle.center[0] = 0.2f, paddle.center[1] = 0.4f, paddle.center[2] = 0.2f;
    paddle.half[0] = 0.05f, paddle.half[1] = 0.6f, paddle.half[2] = 0.4f; /* wider than the tank */
    rn_fluid_block water = rn_fluid_block_default();
    water.low[0] = 0.32f; /* behind the paddle the tank is dry */
    water.high[0] = 2, water.high[1] = 0.32f, water.high[2] = 0.4f;

    rn_fluid *fluid = NULL;
    rn_fluid_id id = {0};
    rn_result result = rn_fluid_create(&def, &fluid);
    if (result == RN_OK) result = rn_fluid_add_solid(fluid, &paddle, &id);
    if (result == RN_OK) result = rn_fluid_add_block(fluid, &water, NULL);
    rn_fluid_report report = rn_fluid_report_default();
    float highest = 0;
    while (result == RN_OK && report.time < 1.2) {
        const float rate = 4; /* 1/s */
        float phase = rate * (float)(report.time + (double)report.time_step);
        rn_solid_pose pose = {{0.2f + 0.08f * (1 - cosf(phase)), 0.4f, 0.2f}, {0, 0, 0, 1}};
        rn_solid_motion motion = {.linear = {0.08f * rate * sinf(phase), 0, 0}};
        result = rn_fluid_set_solid_pose(fluid, id, &pose, &motion);
        if (result == RN_OK) result = rn_fluid_step(fluid, &report);
        rn_fluid_particles p = rn_fluid_get_particles(fluid);
        for (uint32_t i = 0; i < p.count; i++)
            if (p.position[i][1] > highest) highest = p.position[i][1];
    }
    if (result != RN_OK) fprintf(stderr, "%s\n", rn_last_error());
    printf("water 0.32 m deep; the highest wave reaches %.2f m after %.1f s\n", (double)highest,
           report.time);
    rn_fluid_destroy(fluid);
    return result == RN_OK && highest > 0.36f ? 0 : 1;
}
