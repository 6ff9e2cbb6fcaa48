/* The force of the fluid on solids: weight, buoyancy, Newton's third law, the same bits always. */
#include "fluid/derived.h"
#include "fluid/walls.h"
#include "fluid/water_test.h"
#include "slowness.h"

#include <math.h>
#include <string.h>

static rn_solid_load load_of(const rn_fluid *fluid, const rn_fluid_id *id)
{
    rn_solid_load load = rn_solid_load_default();
    assert_ok(id ? rn_fluid_get_solid_load(fluid, *id, &load)
                 : rn_fluid_get_domain_load(fluid, &load));
    return load;
}

static double weight_of(const rn_fluid *fluid)
{
    return (double)rni_fluid_derived_of(fluid).mass * rn_fluid_get_arrays(fluid).count * 9.81;
}

/* The mean load until `time`: water that has come to rest still swings a little. */
static rn_solid_load mean_load(rn_fluid *fluid, const rn_fluid_id *id, double time)
{
    rn_solid_load mean = rn_solid_load_default();
    double seconds = 0;
    while (rn_fluid_get_time(fluid) < time) {
        const double step = (double)water_steps(fluid, 1).time_step;
        const rn_solid_load now = load_of(fluid, id);
        seconds += step;
        for (int a = 0; a < 3; a++) {
            mean.force[a] += now.force[a] * step;
            mean.torque[a] += now.torque[a] * step;
        }
    }
    for (int a = 0; a < 3; a++) mean.force[a] /= seconds, mean.torque[a] /= seconds;
    return mean;
}

static rn_fluid_def calm_def(uint32_t dim, float spacing, float x, float y, float z)
{
    rn_fluid_def def = water_def(dim, spacing, x, y, z);
    def.measure_loads = true;
    def.speed_expected = 3;
    def.params.gravity_ramp = 0.2f;
    def.params.numerical_viscosity = 0.3f;
    return def;
}

/* Water that rests on the floor, or on a slab above it: the force is its weight, the torque about the
 * middle is none. */
static void resting_water_weighs_what_it_weighs(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        if (FACT_IS_LEFT_OUT(kind, 2)) continue;
        const uint32_t dim = kind < 2 ? 2 : 3;
        const bool has_slab = kind % 2 != 0;
        rn_fluid_def def = calm_def(dim, dim == 2 ? 0.02f : 0.04f, 0.6f, 0.6f, 0.4f);
        rn_fluid *fluid = water_create(&def);
        rn_fluid_id id = {0, 0};
        rn_solid slab = rn_solid_default();
        slab.shape = RN_SOLID_BOX;
        memcpy(slab.center, (float[3]){0.3f, 0.05f, 0.2f}, sizeof slab.center);
        memcpy(slab.half, (float[3]){0.4f, 0.05f, 0.3f}, sizeof slab.half);
        if (has_slab) assert_ok(rn_fluid_add_solid(fluid, &slab, &id));
        const float base = has_slab ? 0.1f : 0.0f;
        water_block(fluid, (float[3]){0, base, 0}, (float[3]){0.6f, base + 0.24f, 0.4f}, 0);
        water_run(fluid, 0.6);
        const rn_solid_load load = mean_load(fluid, has_slab ? &id : NULL, 1.4);
        const double weight = weight_of(fluid);
        /* the sides of the domain carry a little of what rests on the slab */
        if (fabs(load.force[1] + weight) > (has_slab ? 0.05 : 0.03) * weight ||
            fabs(load.force[0]) > 0.02 * weight || fabs(load.torque[2]) > 0.02 * weight * 0.3)
            fail_msg("%uD, slab %d: force %g %g, weight %g, torque %g", dim, has_slab,
                     load.force[0], load.force[1], weight, load.torque[2]);
        rn_fluid_destroy(fluid);
    }
}

/* A fixed body under water is lifted by the weight of the water that it displaces. */
static void buoyancy_is_the_weight_of_the_displaced_water(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        if (FACT_IS_LEFT_OUT(kind, 3)) continue;
        const float spacing = 0.025f;
        rn_fluid_def def = calm_def(3, spacing, 0.5f, 0.6f, 0.5f);
        rn_fluid *fluid = water_create(&def);
        rn_solid body = rn_solid_default();
        rn_fluid_id id;
        body.shape = kind == 0 ? RN_SOLID_BOX : kind == 1 ? RN_SOLID_SPHERE : RN_SOLID_CYLINDER;
        memcpy(body.center, (float[3]){0.25f, 0.2f, 0.25f}, sizeof body.center);
        memcpy(body.half, (float[3]){0.1f, 0.1f, 0.1f}, sizeof body.half);
        body.radius = 0.1f;
        const double volumes[3] = {0.008, 4.0 / 3 * 3.14159265 * 0.001, 3.14159265 * 0.01 * 0.2};
        assert_ok(rn_fluid_add_solid(fluid, &body, &id));
        water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.5f, 0.4f, 0.5f}, 0);
        water_run(fluid, 0.5);
        const rn_solid_load load = mean_load(fluid, &id, 1);
        const double displaced = 1000 * 9.81 * volumes[kind];
        if (fabs(load.force[1] - displaced) > 0.03 * displaced ||
            hypot(load.force[0], load.force[2]) > 0.05 * displaced)
            fail_msg("body %d: force %g %g %g, displaced weight %g", kind, load.force[0],
                     load.force[1], load.force[2], displaced);
        rn_fluid_destroy(fluid);
    }
}

/* What the walls give to the particles is what they take: pairs cancel, so the sum of all
 * accelerations without gravity is that of the walls. (In the corrected scheme pair forces along a wall
 * are carried on by the layers behind it, which is no load.) */
static void loads_are_the_forces_on_the_particles_with_the_sign_changed(void **state)
{
    (void)state;
    rn_fluid_def def = water_def_of(RN_PRESET_CLASSIC, 3, 0.04f, 1, 0.8f, 0.5f);
    def.measure_loads = true;
    def.domain_slip = RN_SLIP_NONE;
    rn_fluid *fluid = water_create(&def);
    rn_solid box = rn_solid_default();
    rn_fluid_id ids[2];
    box.shape = RN_SOLID_BOX;
    memcpy(box.center, (float[3]){0.6f, 0.1f, 0.25f}, sizeof box.center);
    memcpy(box.half, (float[3]){0.08f, 0.1f, 0.1f}, sizeof box.half);
    box.turn[1] = 30;
    box.slip = RN_SLIP_NONE;
    box.velocity[0] = 0.5f;
    assert_ok(rn_fluid_add_solid(fluid, &box, &ids[0]));
    rn_solid post = rn_solid_default();
    post.shape = RN_SOLID_CYLINDER;
    memcpy(post.center, (float[3]){0.62f, 0.3f, 0.25f}, sizeof post.center);
    post.half[0] = 0.2f, post.radius = 0.05f;
    assert_ok(rn_fluid_add_solid(fluid, &post, &ids[1]));
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.4f, 0.4f, 0.5f}, 0.05f);
    double most = 0;
    for (int k = 0; k < 150; k++) {
        water_steps(fluid, 1);
        const rni_loads *loads = &fluid->walls->loads;
        const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
        const double mass = (double)rni_fluid_derived_of(fluid).mass;
        double given[3] = {0, p.count * 9.81, 0}, size = 0, taken[3] = {0, 0, 0};
        for (uint32_t i = 0; i < p.count; i++)
            for (int a = 0; a < 3; a++) {
                given[a] += (double)p.acceleration[i][a];
                size += fabs((double)p.acceleration[i][a]);
            }
        for (uint32_t s = 0; s < loads->solid_count; s++)
            for (int a = 0; a < 3; a++) taken[a] += loads->force[s].force[a];
        for (int a = 0; a < 3; a++) {
            most = fmax(most, fabs(taken[a]));
            if (fabs(mass * given[a] + taken[a]) > 2e-6 * mass * size)
                fail_msg("step %d, axis %d: walls give %g N and take %g N", k, a, mass * given[a],
                         taken[a]);
        }
    }
    assert_true(most > 100);
    rn_fluid_destroy(fluid);
}

/* Drops stopped by a floor: their momentum arrives as impulses, with bounce once more of it. */
static void collisions_count_as_impulses(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        rn_fluid_def def = water_def_of(RN_PRESET_CLASSIC, 3, 0.02f, 1, 1, 1);
        def.measure_loads = true;
        def.bare_walls = true;
        def.params.bounce = (float)k;
        rn_fluid *fluid = water_create(&def);
        const float at[3] = {0.25f, 0.05f, 0.75f}, fall[3] = {0, -2, 0};
        assert_ok(rn_fluid_add_particles(fluid, at, fall, 1, NULL));
        double impulse = 0, torque = 0;
        const double mass = (double)rni_fluid_derived_of(fluid).mass;
        while (rn_fluid_get_time(fluid) < 0.03) {
            const rn_fluid_report report = water_steps(fluid, 1);
            const rn_solid_load load = load_of(fluid, NULL);
            impulse += load.force[1] * (double)report.time_step;
            torque += load.torque[2] * (double)report.time_step;
        }
        const double speed = sqrt(4 + 2 * 9.81 * 0.05), wanted = -mass * speed * (1 + k);
        if (fabs(impulse - wanted) > 0.03 * fabs(wanted) ||
            fabs(torque + 0.25 * impulse) > 1e-3 * fabs(wanted))
            fail_msg("bounce %d: impulse %g N s, wanted %g; angular %g", k, impulse, wanted, torque);
        rn_fluid_destroy(fluid);
    }
}

static rn_fluid *splash(uint32_t threads, bool is_measured, rn_fluid_id *id)
{
    rn_fluid_def def = water_def(3, 0.025f, 1, 0.8f, 0.5f);
    def.threads = threads;
    def.measure_loads = is_measured;
    rn_fluid *fluid = water_create(&def);
    rn_solid ball = rn_solid_default();
    ball.shape = RN_SOLID_SPHERE;
    memcpy(ball.center, (float[3]){0.52f, 0.15f, 0.25f}, sizeof ball.center);
    ball.radius = 0.1f;
    ball.slip = RN_SLIP_NONE;
    assert_ok(rn_fluid_add_solid(fluid, &ball, id));
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.4f, 0.5f, 0.5f}, 0);
    water_steps(fluid, 200 / FACT_SLOWNESS);
    return fluid;
}

static void loads_are_the_same_bits_for_any_thread_count_and_change_nothing(void **state)
{
    (void)state;
    rn_fluid_id id;
    rn_fluid *one = splash(1, true, &id);
    rn_fluid *three = splash(3, true, &id);
    rn_fluid *without = splash(1, false, &id);
    const rn_solid_load a = load_of(one, &id), b = load_of(three, &id);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(fabs(a.force[0]) + fabs(a.force[1]) > 0.1);
    assert_true(rn_fluid_get_state_hash(one) == rn_fluid_get_state_hash(without));
    rn_solid_load load = rn_solid_load_default();
    assert_int_equal(rn_fluid_get_solid_load(without, id, &load), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "measure_loads"));
    load.struct_bytes = 3;
    assert_int_equal(rn_fluid_get_solid_load(one, id, &load), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "struct_bytes"));
    load = rn_solid_load_default();
    assert_int_equal(rn_fluid_get_solid_load(one, (rn_fluid_id){7, 1}, &load), RN_ERROR_ARGUMENT);
    rn_fluid_destroy(one);
    rn_fluid_destroy(three);
    rn_fluid_destroy(without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resting_water_weighs_what_it_weighs),
        cmocka_unit_test(buoyancy_is_the_weight_of_the_displaced_water),
        cmocka_unit_test(loads_are_the_forces_on_the_particles_with_the_sign_changed),
        cmocka_unit_test(collisions_count_as_impulses),
        cmocka_unit_test(loads_are_the_same_bits_for_any_thread_count_and_change_nothing),
    };
    return cmocka_run_group_tests_name("fluid.loads", tests, NULL, NULL);
}
