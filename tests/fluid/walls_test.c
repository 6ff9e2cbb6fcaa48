/* Walls hold: every shape, inside and outside, whatever the time step. */
#include "fluid/stages.h"
#include "fluid/walls.h"
#include "fluid/water_test.h"
#include "slowness.h"

#include <math.h>
#include <string.h>

static rn_solid shape(rn_solid_shape kind, float x, float y, float z, float radius)
{
    rn_solid s = rn_solid_default();
    s.shape = kind;
    s.center[0] = x, s.center[1] = y, s.center[2] = z;
    s.radius = radius;
    for (int a = 0; a < 3; a++) s.half[a] = radius;
    return s;
}

static void assert_all_inside(const rn_fluid *fluid, const char *what)
{
    rn_fluid_particles p = rn_fluid_get_particles(fluid);
    uint32_t escaped = rn_fluid_get_escaped_count(fluid);
    if (escaped == 0) return;
    for (uint32_t i = 0; i < p.count; i++) {
        double d = rn_fluid_get_wall_distance(fluid, p.position[i]);
        if (d < 0)
            fail_msg("%s: %u escaped; one at %g %g %g, %g m deep", what, escaped,
                     (double)p.position[i][0], (double)p.position[i][1], (double)p.position[i][2],
                     -d);
    }
}

/* The clearance that the boundary stage stores is never larger than the independent distance, and particles far
 * from walls have the full one (off the corner of a box it is the distance along one axis). */
static void assert_clear_is_clear(rn_fluid *fluid)
{
    const float h = rni_fluid_derived_of(fluid).radius;
    assert_ok(rni_walls_ready(fluid));
    rni_stage_boundaries(fluid);
    rn_fluid_particles p = rn_fluid_get_particles(fluid);
    for (uint32_t i = 0; i < p.count; i++) {
        const double d = rn_fluid_get_wall_distance(fluid, p.position[i]);
        const float clear = fluid->walls->clear[i];
        if ((double)clear > d + 1e-5 || (d > 1.75 * (double)h && clear < h))
            fail_msg("particle %u is %g m from the walls, but its clearance is %g m", i, d,
                     (double)clear);
    }
}

static void no_particle_passes_solids_of_any_shape(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(3, 0.04f, 1, 1, 1);
    rn_fluid *fluid = water_create(&def);
    rn_solid solids[6] = {shape(RN_SOLID_BOX, 0.3f, 0.2f, 0.3f, 0.1f),
                          shape(RN_SOLID_SPHERE, 0.7f, 0.25f, 0.3f, 0.15f),
                          shape(RN_SOLID_CYLINDER, 0.5f, 0.2f, 0.7f, 0.1f),
                          shape(RN_SOLID_PLANE, 0, 0.05f, 0, 0),
                          shape(RN_SOLID_BOX, 0.5f, 0.5f, 0.5f, 0.5f),
                          shape(RN_SOLID_SPHERE, 0.5f, 0.5f, 0.5f, 0.6f)};
    solids[0].turn[0] = 20, solids[0].turn[1] = 40, solids[0].turn[2] = -30;
    solids[0].half[0] = 0.02f;
    solids[2].axis[0] = 1, solids[2].axis[1] = 0.3f;
    solids[3].axis[0] = 0.2f;
    solids[4].is_hollow = solids[5].is_hollow = true;
    solids[4].turn[1] = 10;
    solids[4].half[1] = 0.6f;
    for (int k = 0; k < 6; k++) assert_ok(rn_fluid_add_solid(fluid, &solids[k], NULL));
    rn_fluid_added added =
        water_block(fluid, (float[3]){0.1f, 0.45f, 0.1f}, (float[3]){0.9f, 0.85f, 0.9f}, 0.1f);
    if (added.added < 500 || added.in_walls == 0)
        fail_msg("%u added, %u in walls", added.added, added.in_walls);
    for (uint32_t k = 0; k < 10 / FACT_SLOWNESS; k++) {
        water_steps(fluid, 40);
        assert_all_inside(fluid, "solids");
        assert_clear_is_clear(fluid);
    }
    rn_fluid_destroy(fluid);
}

/* Time steps far too long, fast water, thin plates: taken in parts or refused, never leaked, never hot. */
static void a_time_step_too_long_neither_leaks_nor_explodes(void **state)
{
    (void)state;
    /* from 3 times the safe one to 60 times */
    const float steps[4] = {0.01f, 0.003f, 0.0025f, 0.05f};
    for (int k = 0; k < 6; k++) { /* four integrators, and two of the corrected scheme */
        const int integrator = k < 4 ? k : 2 * k - 7;
        rn_fluid_def def =
            water_def_of(k < 4 ? RN_PRESET_CLASSIC : RN_PRESET_BALANCED, 3, 0.05f, 1, 1, 0.5f);
        def.params.integrator = (rn_fluid_integrator)integrator;
        def.params.time_step = steps[integrator];
        rn_fluid *fluid = water_create(&def);
        rn_solid plate = shape(RN_SOLID_BOX, 0.6f, 0.5f, 0.25f, 0.5f);
        plate.half[0] = 0.0125f;
        assert_ok(rn_fluid_add_solid(fluid, &plate, NULL));
        water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.5f, 0.6f, 0.5f}, 0);
        while (rn_fluid_get_time(fluid) < 0.5 / FACT_SLOWNESS) {
            rn_fluid_report report = rn_fluid_report_default();
            const double before = rn_fluid_get_time(fluid);
            assert_ok(rn_fluid_step(fluid, &report));
            assert_true(report.flags & RN_FLAG_UNSAFE_STEP && report.flags & RN_FLAG_RETRIED);
            assert_int_equal(report.bound, RN_BOUND_RETRY);
            assert_true(fabs(rn_fluid_get_time(fluid) - before - (double)steps[integrator]) < 1e-6);
            if (report.density_max > 1.1f || report.speed_max > 8)
                fail_msg("case %d: hot at %g s: density to %.3f, speed to %.2f m/s", k, report.time,
                         (double)report.density_max, (double)report.speed_max);
        }
        assert_all_inside(fluid, "long step");
        rn_fluid_particles p = rn_fluid_get_particles(fluid);
        for (uint32_t i = 0; i < p.count; i++) assert_true(p.position[i][0] < 0.6f);
        rn_fluid_params params = rn_fluid_get_params(fluid);
        params.time_step = 3;
        assert_int_equal(rn_fluid_set_params(fluid, &params), RN_ERROR_ARGUMENT);
        assert_non_null(strstr(rn_last_error(), "times the safe"));
        assert_true(rn_fluid_get_params(fluid).time_step == steps[integrator]);
        rn_fluid_destroy(fluid);
    }
}

static void a_solid_on_top_of_water_is_refused(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.05f, 1, 1, 0);
    rn_fluid *fluid = water_create(&def);
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){1, 0.5f, 0}, 0);
    rn_solid ball = shape(RN_SOLID_SPHERE, 0.5f, 0.25f, 0, 0.1f);
    rn_fluid_id id = {0, 0};
    assert_int_equal(rn_fluid_add_solid(fluid, &ball, &id), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "particles"));
    ball.center[1] = 0.8f;
    assert_ok(rn_fluid_add_solid(fluid, &ball, &id));
    ball.center[1] = 0.1f;
    assert_int_equal(rn_fluid_set_solid(fluid, id, &ball), RN_ERROR_ARGUMENT);
    assert_ok(rn_fluid_remove_solid(fluid, id));
    assert_int_equal(rn_fluid_remove_solid(fluid, id), RN_ERROR_ARGUMENT);
    water_steps(fluid, 5);
    rn_fluid_destroy(fluid);
}

/* A floor laid in pieces, which overlap or just meet, carries like one. */
static void a_floor_in_pieces_is_a_floor(void **state)
{
    (void)state;
    double level[3], worst[3];
    for (int kind = 0; kind < 3; kind++) {
        rn_fluid_def def = water_def(2, 0.025f, 1, 1, 0);
        def.speed_expected = 3;
        def.params.gravity_ramp = 0.3f;
        def.params.numerical_viscosity = 0.3f;
        def.open[1][0] = true;
        rn_fluid *fluid = water_create(&def);
        for (int k = 0; k < (kind ? 4 : 1); k++) {
            rn_solid floor =
                shape(RN_SOLID_BOX, kind ? 0.125f + 0.25f * (float)k : 0.5f, 0.1f, 0, 0.1f);
            floor.half[0] = kind == 0 ? 0.6f : kind == 1 ? 0.125f : 0.16f;
            assert_ok(rn_fluid_add_solid(fluid, &floor, NULL));
        }
        water_block(fluid, (float[3]){0, 0.2f, 0}, (float[3]){1, 0.5f, 0}, 0);
        rn_fluid_report report = water_run(fluid, 0.8);
        rn_fluid_particles p = rn_fluid_get_particles(fluid);
        level[kind] = 0;
        for (uint32_t i = 0; i < p.count; i++) level[kind] += (double)p.position[i][1] / p.count;
        worst[kind] = (double)report.density_max;
        assert_all_inside(fluid, "floor");
        assert_int_equal(report.left_all, 0);
        rn_fluid_destroy(fluid);
    }
    for (int kind = 1; kind < 3; kind++)
        if (fabs(level[kind] - level[0]) > 0.003 || worst[kind] > worst[0] + 0.02)
            fail_msg("floor %d: mean level %.4f m (one piece %.4f), density %.4f (%.4f)", kind,
                     level[kind], level[0], worst[kind], worst[0]);
}

/* A slope that meets the floor, a plane on the floor, a ball in the pool: water that stands over them
 * is not thrown out. */
static void standing_water_stays_calm_over_slopes_and_balls(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        rn_fluid_def def = water_def(3, 0.04f, 1, 1, 0.4f);
        rn_fluid *fluid = water_create(&def);
        rn_solid solid = shape(kind == 2 ? RN_SOLID_SPHERE : RN_SOLID_PLANE, 0.5f, 0, 0, 0);
        if (kind == 0) solid.axis[0] = -0.5f;
        if (kind == 2) solid.radius = 0.15f, solid.center[1] = 0.15f, solid.center[2] = 0.2f;
        assert_ok(rn_fluid_add_solid(fluid, &solid, NULL));
        water_block(fluid, (float[3]){0, 0, 0}, (float[3]){1, 0.32f, 0.4f}, 0);
        rn_fluid_report report = rn_fluid_report_default();
        while (rn_fluid_get_time(fluid) < 0.15) {
            assert_ok(rn_fluid_step(fluid, &report));
            if (report.speed_max > 2.5f)
                fail_msg("kind %d: %g m/s at %g s", kind, (double)report.speed_max, report.time);
        }
        assert_all_inside(fluid, "calm");
        rn_fluid_destroy(fluid);
    }
}

/* A tank that stands on the floor, one that lies, one that leans: where side and end meet, both are
 * felt, and nothing jumps. */
static void water_in_round_tanks_settles(void **state)
{
    (void)state;
    const struct {
        const char *name;
        float axis[3], radius, half, y, fill;
    } tanks[3] = {{"on the floor", {0, 1, 0}, 0.29f, 0.5f, 0.5f, 0.3f},
                  {"lying", {1, 0, 0}, 0.29f, 0.45f, 0.3f, 0.3f},
                  {"leaning", {1, 1, 0}, 0.25f, 0.45f, 0.5f, 0.5f}};
    for (int k = 0; k < 3; k++) {
        if (FACT_IS_LEFT_OUT(k + 2, 3)) continue;
        rn_fluid_def def = water_def(3, 0.05f, 1, 1, 0.6f);
        def.params.sound_ratio = 10; /* water that is pressed by half a per cent at the floor */
        rn_fluid *fluid = water_create(&def);
        rn_solid tank = shape(RN_SOLID_CYLINDER, 0.5f, tanks[k].y, 0.3f, tanks[k].radius);
        memcpy(tank.axis, tanks[k].axis, sizeof tank.axis);
        tank.half[0] = tanks[k].half;
        tank.is_hollow = true;
        assert_ok(rn_fluid_add_solid(fluid, &tank, NULL));
        water_block(fluid, (float[3]){0, 0, 0}, (float[3]){1, tanks[k].fill, 0.6f}, 0);
        rn_fluid_report r = water_run(fluid, 2);
        double mass = (double)rni_fluid_derived_of(fluid).mass * r.particles;
        double speed = sqrt(2 * r.kinetic / mass);
        if (!(speed < 0.05) || !(r.density_max < 1.01f))
            fail_msg("%s: %g m/s after 2 s, density to %g", tanks[k].name, speed,
                     (double)r.density_max);
        assert_all_inside(fluid, tanks[k].name);
        rn_fluid_destroy(fluid);
    }
}

/* What is left of a cube of `side` particles a side that fell from half a metre: J / kg after 2 s; and how high
 * it came again. */
static double energy_after_fall(uint32_t dim, int side, float start, float *highest)
{
    rn_fluid_def def = water_def(dim, 0.02f, 1, 1.5f, 1);
    rn_fluid *fluid = water_create(&def);
    const float length = 0.02f * (float)side + 0.001f;
    water_block(fluid, (float[3]){start, 0.5f, start},
                (float[3]){start + length, 0.5f + length, start + length}, 0.1f);
    water_run(fluid, 0.35);
    rn_fluid_report r = rn_fluid_report_default();
    do {
        r = water_steps(fluid, 1);
        rn_fluid_particles p = rn_fluid_get_arrays(fluid);
        for (uint32_t i = 0; i < r.particles; i++) *highest = fmaxf(*highest, p.position[i][1]);
    } while (rn_fluid_get_time(fluid) < 2);
    const double mass = (double)rni_fluid_derived_of(fluid).mass * r.particles;
    rn_fluid_destroy(fluid);
    return (r.kinetic + r.potential) / mass;
}

/* Without bounce, what falls onto a floor is not thrown up again: one particle stays where it lands, a few
 * splash, and then lie or glide there. How a few fall apart is chance, so several starts are looked at. */
static void walls_do_not_eject_drops(void **state)
{
    (void)state;
    const int starts = FACT_SLOWNESS > 1 ? 1 : 4;
    for (uint32_t dim = 2; dim <= 3; dim++)
        for (int side = 1; side <= 3; side++) {
            float highest = 0;
            double mean = 0, most = 0;
            for (int k = 0; k < starts; k++) {
                double energy = energy_after_fall(dim, side, 0.5f + 0.0013f * (float)k, &highest);
                mean += energy / starts;
                most = fmax(most, energy);
            }
            if (!(highest < (side == 1 ? 0.02f : 1.0f)) || !(mean < 0.2 * 9.81 * 0.5) ||
                !(most < 0.3 * 9.81 * 0.5))
                fail_msg("%uD, %d a side: up to %g m again, %g J/kg after 2 s, at most %g", dim,
                         side, (double)highest, mean, most);
        }
}

/* With bounce one particle comes back as high as that says, and never higher. */
static void a_drop_bounces_by_the_given_fraction(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++)
        for (int k = 1; k <= 2; k++) {
            rn_fluid_def def = water_def(dim, 0.02f, 1, 1, 1);
            def.params.bounce = 0.5f * (float)k;
            rn_fluid *fluid = water_create(&def);
            const float at[3] = {0.5f, 0.5f, 0.5f}, still[3] = {0, 0, 0};
            assert_ok(rn_fluid_add_particles(fluid, at, still, 1, NULL));
            water_run(fluid, 0.35);
            float highest = 0;
            while (rn_fluid_get_time(fluid) < 1.2) {
                water_steps(fluid, 1);
                highest = fmaxf(highest, rn_fluid_get_arrays(fluid).position[0][1]);
            }
            float wanted = 0.5f * def.params.bounce * def.params.bounce;
            if (!(fabsf(highest - wanted) < 0.04f * wanted + 0.01f))
                fail_msg("%uD, bounce %g: up to %g m again, wanted %g", dim,
                         (double)def.params.bounce, (double)highest, (double)wanted);
            rn_fluid_destroy(fluid);
        }
}

/* Bounce is for drops: water that has fallen comes to rest as without, and nobody sticks in an edge. */
static void bounce_leaves_no_particle_in_the_edges(void **state)
{
    (void)state;
    for (int k = 1; k <= 2; k++) {
        if (FACT_IS_LEFT_OUT(k, 2)) continue;
        rn_fluid_def def = water_def(3, 0.05f, 0.8f, 0.6f, 0.3f);
        def.params.bounce = 0.5f * (float)k;
        rn_fluid *fluid = water_create(&def);
        water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.4f, 0.4f, 0.3f}, 0);
        rn_fluid_report r = water_run(fluid, 4);
        double mass = (double)rni_fluid_derived_of(fluid).mass * r.particles;
        double speed = sqrt(2 * r.kinetic / mass);
        if (!(speed < 0.1) || !(r.density_max < 1.02f))
            fail_msg("bounce %g: %g m/s after 4 s, density to %g", (double)def.params.bounce, speed,
                     (double)r.density_max);
        rn_fluid_destroy(fluid);
    }
}

/* Water that stands around a ball, a disc or a rod of one or two spacings: the nearest layer is half a
 * spacing off, at its density, and calm; nobody sticks in it. */
static void water_lies_evenly_around_small_round_solids(void **state)
{
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        if (FACT_IS_LEFT_OUT(kind, 3)) continue;
        uint32_t dim = kind < 2 ? 2 : 3;
        const float spacing = 0.025f, size = kind % 2 ? 2 * spacing : spacing;
        rn_fluid_def def = water_def(dim, spacing, 0.4f, 0.5f, 0.3f);
        def.speed_expected = 3;
        def.params.gravity_ramp = 0.15f;
        rn_fluid *fluid = water_create(&def);
        rn_solid solid =
            shape(kind < 4 ? RN_SOLID_SPHERE : RN_SOLID_CYLINDER, 0.2f, 0.15f, 0.15f, size);
        memcpy(solid.axis, (float[3]){0, 0, 1}, sizeof solid.axis);
        solid.half[0] = 0.3f;
        assert_ok(rn_fluid_add_solid(fluid, &solid, NULL));
        water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.4f, 0.35f, 0.3f}, 0);
        rn_fluid_report report = water_run(fluid, 0.2);
        while (rn_fluid_get_time(fluid) < 0.35) {
            assert_ok(rn_fluid_step(fluid, &report));
            if (report.speed_max > 0.5f || report.density_max > 1.03f)
                fail_msg("kind %d, %g s: %g m/s, density %g", kind, report.time,
                         (double)report.speed_max, (double)report.density_max);
        }
        assert_all_inside(fluid, "small");
        rn_fluid_particles p = rn_fluid_get_particles(fluid);
        double nearest = HUGE_VAL;
        for (uint32_t i = 0; i < p.count; i++) {
            double x = (double)p.position[i][0] - 0.2, y = (double)p.position[i][1] - 0.15;
            double z = kind == 2 || kind == 3 ? (double)p.position[i][2] - 0.15 : 0;
            double way = (sqrt(x * x + y * y + z * z) - (double)size) / (double)spacing;
            nearest = fmin(nearest, way);
            if (way < 1 && fabs((double)p.density[i] / 1000 - 1) > 0.02)
                fail_msg("kind %d: density %g at %g spacings", kind, (double)p.density[i], way);
        }
        if (nearest < 0.35 || nearest > 0.75)
            fail_msg("kind %d: the nearest is %g spacings off", kind, nearest);
        rn_fluid_destroy(fluid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_particle_passes_solids_of_any_shape),
        cmocka_unit_test(a_time_step_too_long_neither_leaks_nor_explodes),
        cmocka_unit_test(a_solid_on_top_of_water_is_refused),
        cmocka_unit_test(a_floor_in_pieces_is_a_floor),
        cmocka_unit_test(standing_water_stays_calm_over_slopes_and_balls),
        cmocka_unit_test(water_in_round_tanks_settles),
        cmocka_unit_test(walls_do_not_eject_drops),
        cmocka_unit_test(a_drop_bounces_by_the_given_fraction),
        cmocka_unit_test(bounce_leaves_no_particle_in_the_edges),
        cmocka_unit_test(water_lies_evenly_around_small_round_solids),
    };
    return cmocka_run_group_tests_name("fluid.walls", tests, NULL, NULL);
}
