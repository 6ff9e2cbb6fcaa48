/* Solids that move through water, a little before each step: nothing passes them, and water is pushed. */
#include "fluid/water_test.h"

#include <math.h>
#include <string.h>

static void assert_none_escaped(const rn_fluid *fluid, const char *what)
{
    const uint32_t escaped = rn_fluid_get_escaped_count(fluid);
    if (escaped > 0)
        fail_msg("%s: %u particles behind walls at %g s", what, escaped, rn_fluid_get_time(fluid));
}

static double mean_x(const rn_fluid *fluid)
{
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    double sum = 0;
    for (uint32_t i = 0; i < p.count; i++) sum += (double)p.position[i][0];
    return sum / p.count;
}

/* A piston closes a tank from 1 m to 0.7 m: the water behind it is pushed together and rises. */
static void a_piston_pushes_water_and_loses_none(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++) {
        rn_fluid_def def = water_def(dim, dim == 2 ? 0.02f : 0.04f, 1, 0.6f, 0.24f);
        def.measure_loads = true;
        rn_fluid *fluid = water_create(&def);
        rn_solid piston = rn_solid_default();
        rn_fluid_id id;
        piston.shape = RN_SOLID_BOX;
        memcpy(piston.center, (float[3]){-0.1f, 0.3f, 0.12f}, sizeof piston.center);
        memcpy(piston.half, (float[3]){0.1f, 0.4f, 0.2f}, sizeof piston.half);
        assert_ok(rn_fluid_add_solid(fluid, &piston, &id));
        water_block(fluid, (float[3]){0, 0, 0}, (float[3]){1, 0.24f, 0.24f}, 0);
        const float speed = 0.4f;
        const uint32_t count = rn_fluid_get_arrays(fluid).count;
        double push = 0;
        uint32_t steps = 0;
        rn_solid_pose pose = {.position = {-0.1f, 0.3f, 0.12f}};
        const rn_solid_motion motion = {.linear = {speed, 0, 0}};
        while (rn_fluid_get_time(fluid) < 0.75) {
            const rn_fluid_report report = water_steps(fluid, 1);
            pose.position[0] += speed * report.time_step;
            assert_ok(rn_fluid_set_solid_pose(fluid, id, &pose, &motion));
            rn_solid_load load = rn_solid_load_default();
            assert_ok(rn_fluid_get_solid_load(fluid, id, &load));
            push += load.force[0], steps++;
            assert_none_escaped(fluid, "piston");
        }
        assert_int_equal(rn_fluid_get_arrays(fluid).count, count);
        if (!(push / steps < -50)) fail_msg("%uD: the water pushes by %g N", dim, push / steps);
        if (!(mean_x(fluid) > 0.62)) fail_msg("%uD: the water is at %g m", dim, mean_x(fluid));
        rn_fluid_destroy(fluid);
    }
}

/* A paddle turns in a tank: the water turns with it. */
static void a_paddle_stirs_and_nothing_passes_it(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.02f, 0.8f, 0.8f, 0);
    memset(def.params.gravity, 0, sizeof def.params.gravity);
    def.speed_expected = 4;
    rn_fluid *fluid = water_create(&def);
    rn_solid paddle = rn_solid_default();
    rn_fluid_id id;
    paddle.shape = RN_SOLID_BOX;
    memcpy(paddle.center, (float[3]){0.4f, 0.4f, 0}, sizeof paddle.center);
    memcpy(paddle.half, (float[3]){0.25f, 0.03f, 0}, sizeof paddle.half);
    assert_ok(rn_fluid_add_solid(fluid, &paddle, &id));
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.8f, 0.7f, 0}, 0);
    double angle = 0;
    const double rate = 3;
    while (rn_fluid_get_time(fluid) < 1.2) {
        const rn_fluid_report report = water_steps(fluid, 1);
        angle += rate * (double)report.time_step;
        const rn_solid_pose pose = {.position = {0.4f, 0.4f, 0},
                                    .rotation = {0, 0, (float)sin(angle / 2), (float)cos(angle / 2)}};
        const rn_solid_motion motion = {.angular = {0, 0, (float)rate}};
        assert_ok(rn_fluid_set_solid_pose(fluid, id, &pose, &motion));
        assert_none_escaped(fluid, "paddle");
    }
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    double spin = 0;
    for (uint32_t i = 0; i < p.count; i++)
        spin += ((double)p.position[i][0] - 0.4) * (double)p.velocity[i][1] -
                ((double)p.position[i][1] - 0.4) * (double)p.velocity[i][0];
    if (!(spin / p.count > 0.01)) fail_msg("the water turns by %g m^2/s", spin / p.count);
    rn_fluid_destroy(fluid);
}

/* A rough cylinder (in 2D a disc) that spins in place drags the water around. */
static void a_spinning_disc_drags_water_by_its_surface(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.02f, 0.6f, 0.6f, 0);
    memset(def.params.gravity, 0, sizeof def.params.gravity);
    def.speed_expected = 3;
    def.params.viscosity = 5;
    rn_fluid *fluid = water_create(&def);
    rn_solid disc = rn_solid_default();
    disc.shape = RN_SOLID_SPHERE;
    disc.center[0] = disc.center[1] = 0.3f;
    disc.radius = 0.1f;
    disc.slip = RN_SLIP_NONE;
    disc.motion.angular[2] = 5;
    assert_ok(rn_fluid_add_solid(fluid, &disc, NULL));
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.6f, 0.6f, 0}, 0);
    water_run(fluid, 0.5);
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p.count; i++) {
        const double x = (double)p.position[i][0] - 0.3, y = (double)p.position[i][1] - 0.3;
        const double r = hypot(x, y);
        if (r > 0.12) continue;
        sum += (x * (double)p.velocity[i][1] - y * (double)p.velocity[i][0]) / (r * r);
        count++;
    }
    if (count == 0 || !(sum / count > 2) || !(sum / count < 5))
        fail_msg("%u particles beside the disc turn at %g rad/s", count, sum / count);
    rn_fluid_destroy(fluid);
}

static void a_jump_into_the_water_and_a_closed_gap_are_refused(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.05f, 1, 1, 0);
    rn_fluid *fluid = water_create(&def);
    rn_solid plate = rn_solid_default();
    rn_fluid_id id;
    plate.shape = RN_SOLID_BOX;
    memcpy(plate.center, (float[3]){0.5f, 0.8f, 0}, sizeof plate.center);
    memcpy(plate.half, (float[3]){0.6f, 0.1f, 0}, sizeof plate.half);
    assert_ok(rn_fluid_add_solid(fluid, &plate, &id));
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){1, 0.3f, 0}, 0);
    const uint64_t before = rn_fluid_get_state_hash(fluid);
    rn_solid_pose pose = {.position = {0.5f, 0.2f, 0}};
    assert_int_equal(rn_fluid_set_solid_pose(fluid, id, &pose, NULL), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "half a radius"));
    pose.rotation[3] = 3;
    assert_int_equal(rn_fluid_set_solid_pose(fluid, id, &pose, NULL), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "unit quaternion"));
    assert_true(rn_fluid_get_state_hash(fluid) == before);
    /* pressed onto the floor, little by little, until the last layer has no place left */
    pose = (rn_solid_pose){.position = {0.5f, 0.8f, 0}};
    rn_result result = RN_OK;
    while (result == RN_OK && pose.position[1] > 0) {
        pose.position[1] -= 0.01f;
        result = rn_fluid_set_solid_pose(fluid, id, &pose, NULL);
        assert_none_escaped(fluid, "press");
    }
    assert_int_equal(result, RN_ERROR_LIMIT);
    assert_non_null(strstr(rn_last_error(), "no place"));
    assert_int_equal(rn_fluid_set_solid_pose(fluid, (rn_fluid_id){9, 9}, &pose, NULL),
                     RN_ERROR_ARGUMENT);
    rn_fluid_destroy(fluid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_piston_pushes_water_and_loses_none),
        cmocka_unit_test(a_paddle_stirs_and_nothing_passes_it),
        cmocka_unit_test(a_spinning_disc_drags_water_by_its_surface),
        cmocka_unit_test(a_jump_into_the_water_and_a_closed_gap_are_refused),
    };
    return cmocka_run_group_tests_name("fluid.moving", tests, NULL, NULL);
}
