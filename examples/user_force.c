/* A force of your own: an operator adds an acceleration to every particle at each step. Here a vortex
 * turns the water in a tank about its axis.
 *
 *     cc user_force.c -o user_force $(pkg-config --cflags --libs runnel) -lm
 *     ./user_force
 */
#include <runnel/fluid.h>

#include <math.h>
#include <stdio.h>

typedef struct vortex {
    float x, z;      /* m: where its axis is */
    float turn_rate; /* 1/s: what the water is driven towards */
    float strength;  /* 1/s: how fast it gets there */
} vortex;

/* Called on the thread of rn_fluid_step(), after all other forces. Indices are those of this step. */
static rn_result drive(void *user, rn_fluid_stage stage, double time, float time_step,
                       const rn_fluid_particles *p)
{
    const vortex *v = user;
    (void)stage, (void)time, (void)time_step;
    for (uint32_t i = 0; i < p->count; i++) {
        float dx = p->position[i][0] - v->x, dz = p->position[i][2] - v->z;
        p->acceleration[i][0] += v->strength * (-v->turn_rate * dz - p->velocity[i][0]);
        p->acceleration[i][2] += v->strength * (v->turn_rate * dx - p->velocity[i][2]);
    }
    return RN_OK; /* anything else ends the step as a failure; see rn_fail() */
}

int main(void)
{
    vortex tank = {.x = 0.25f, .z = 0.25f, .turn_rate = 4, .strength = 5};
    rn_fluid_def def = rn_fluid_def_default();
    def.spacing = 0.04f;
    def.domain_high[0] = def.domain_high[1] = def.domain_high[2] = 0.5f;
    rn_fluid_block water = rn_fluid_block_default();
    water.high[0] = 0.5f, water.high[1] = 0.3f, water.high[2] = 0.5f;
    rn_fluid *fluid = NULL;
    rn_result result = rn_fluid_create(&def, &fluid);
    if (result == RN_OK) result = rn_fluid_add_block(fluid, &water, NULL);
    if (result == RN_OK) result = rn_fluid_add_operator(fluid, RN_STAGE_FORCES, drive, &tank, NULL);
    while (result == RN_OK && rn_fluid_get_time(fluid) < 0.5) result = rn_fluid_step(fluid, NULL);
    if (result != RN_OK) {
        fprintf(stderr, "%s\n", rn_last_error());
        rn_fluid_destroy(fluid);
        return 1;
    }
    rn_fluid_particles p = rn_fluid_get_particles(fluid);
    double turn = 0;
    for (uint32_t i = 0; i < p.count; i++) {
        float dx = p.position[i][0] - tank.x, dz = p.position[i][2] - tank.z;
        turn += (double)(dx * p.velocity[i][2] - dz * p.velocity[i][0]) / p.count;
    }
    printf("mean angular momentum %.4f m^2/s per kilogram\n", turn);
    rn_fluid_destroy(fluid);
    return turn > 0.01 ? 0 : 1;
}
