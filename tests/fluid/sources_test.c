/* Water that comes and goes, the caller's operators, and what is refused. */
#include "fluid/water_test.h"

#include <math.h>
#include <string.h>

static rn_fluid_pipe make_pipe(float x, float y, float z)
{
    rn_fluid_pipe pipe = rn_fluid_pipe_default();
    pipe.center[0] = x, pipe.center[1] = y, pipe.center[2] = z;
    pipe.radius = 0.11f;
    return pipe;
}

static void a_pipe_pours_its_flow_rate(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++) {
        rn_fluid_def def = water_def(dim, 0.025f, 3, 1, 1);
        memset(def.params.gravity, 0, sizeof def.params.gravity);
        def.speed_expected = 2;
        def.open[0][1] = true;
        rn_fluid *fluid = water_create(&def);
        rn_fluid_pipe pipe = make_pipe(0.3f, 0.5f, 0.5f);
        pipe.flow_rate = dim == 3 ? 0.04f : 0.2f;
        pipe.stop_count = 2;
        pipe.stop_time[0] = 0, pipe.stop_time[1] = 1;
        pipe.stop_factor[0] = 1, pipe.stop_factor[1] = 0.5f;
        assert_ok(rn_fluid_add_pipe(fluid, &pipe, NULL));
        rn_fluid_report report = water_run(fluid, 1.0);
        double volume = (double)report.came_all * pow(0.025, dim);
        double wanted = 0.75 * (double)pipe.flow_rate;
        if (fabs(volume / wanted - 1) > 0.05)
            fail_msg("%uD: %g poured in a second, %g wanted", dim, volume, wanted);
        assert_true(report.density_max < 1.05f);
        rn_fluid_destroy(fluid);
    }
}

static void outlets_and_open_sides_count_who_leaves(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.025f, 1, 1, 0);
    def.open[1][0] = true;
    rn_fluid *fluid = water_create(&def);
    uint32_t all = water_block(fluid, (float[3]){0, 0.5f, 0}, (float[3]){1, 0.9f, 0}, 0).added;
    rn_fluid_outlet outlet = rn_fluid_outlet_default();
    outlet.low[0] = 0, outlet.low[1] = 0.1f, outlet.high[0] = 0.5f, outlet.high[1] = 0.2f;
    rn_fluid_id id;
    assert_ok(rn_fluid_add_outlet(fluid, &outlet, &id));
    rn_fluid_report report = water_run(fluid, 0.6);
    assert_int_equal(report.particles + report.left_all, all);
    assert_int_equal(report.particles, 0);
    uint64_t swallowed = rn_fluid_outlet_count(fluid, id);
    if (swallowed < all / 3 || swallowed > 2 * all / 3)
        fail_msg("the outlet under half of the water swallowed %llu of %u",
                 (unsigned long long)swallowed, all);
    water_steps(fluid, 3); /* an empty fluid steps */
    rn_fluid_destroy(fluid);
}

static void a_pipe_stops_at_the_maximum(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(3, 0.05f, 1, 1, 1);
    def.max_particles = 300;
    rn_fluid *fluid = water_create(&def);
    rn_fluid_pipe pipe = make_pipe(0.3f, 0.8f, 0.5f);
    pipe.speed = 3;
    assert_ok(rn_fluid_add_pipe(fluid, &pipe, NULL));
    rn_fluid_report report = water_run(fluid, 1.5);
    assert_int_equal(report.particles, 300);
    assert_true(report.flags & RN_FLAG_FULL);
    rn_fluid_destroy(fluid);
}

static void what_overlaps_or_lies_in_walls_is_left_out_and_counted(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(3, 0.1f, 1, 1, 1);
    rn_fluid *fluid = water_create(&def);
    rn_fluid_added first = water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.5f, 0.5f, 0.5f}, 0);
    assert_int_equal(first.added, 125);
    rn_fluid_added again = water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.5f, 0.5f, 1}, 0);
    assert_int_equal(again.overlapping, 125);
    assert_int_equal(again.added, 125);
    rn_fluid_added out = water_block(fluid, (float[3]){0.5f, 0, 0}, (float[3]){1.5f, 0.5f, 0.5f}, 0);
    assert_int_equal(out.added, 125);
    assert_int_equal(out.in_walls, 125);
    float twins[6] = {0.75f, 0.75f, 0.75f, 0.76f, 0.75f, 0.75f};
    rn_fluid_added pair;
    assert_ok(rn_fluid_add_particles(fluid, twins, NULL, 2, &pair));
    assert_int_equal(pair.added, 1);
    assert_int_equal(pair.overlapping, 1);
    float bad[3] = {0.5f, NAN, 0.5f};
    assert_int_equal(rn_fluid_add_particles(fluid, bad, NULL, 1, &pair), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "particle 0"));
    rn_fluid_destroy(fluid);
}

typedef struct wind {
    uint32_t calls[3];
} wind;

static rn_result blow(void *user, rn_fluid_stage stage, double time, float time_step,
                      const rn_fluid_particles *p)
{
    (void)time, (void)time_step;
    wind *w = user;
    w->calls[stage]++;
    if (stage == RN_STAGE_FORCES)
        for (uint32_t i = 0; i < p->count; i++) p->acceleration[i][0] += 5;
    return RN_OK;
}

static rn_result refuse(void *user, rn_fluid_stage stage, double time, float time_step,
                        const rn_fluid_particles *p)
{
    (void)user, (void)stage, (void)time, (void)time_step, (void)p;
    return RN_ERROR_LIMIT;
}

static void operators_add_forces_and_may_end_the_step(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.05f, 2, 2, 0);
    memset(def.params.gravity, 0, sizeof def.params.gravity);
    def.speed_expected = 1;
    rn_fluid *fluid = water_create(&def);
    water_block(fluid, (float[3]){0.5f, 0.5f, 0}, (float[3]){1, 1, 0}, 0);
    wind w = {{0, 0, 0}};
    rn_fluid_id id[4];
    for (int s = 0; s < 3; s++)
        assert_ok(rn_fluid_add_operator(fluid, (rn_fluid_stage)s, blow, &w, &id[s]));
    rn_fluid_report report = water_steps(fluid, 10);
    for (int s = 0; s < 3; s++) assert_int_equal(w.calls[s], 10);
    assert_true(fabs((double)report.speed_max / (5 * report.time) - 1) < 0.01);
    assert_ok(rn_fluid_add_operator(fluid, RN_STAGE_INTEGRATE, refuse, NULL, &id[3]));
    uint64_t before = rn_fluid_state_hash(fluid);
    assert_int_equal(rn_fluid_step(fluid, &report), RN_ERROR_LIMIT);
    assert_int_equal(rn_fluid_state_hash(fluid), before);
    assert_ok(rn_fluid_remove_operator(fluid, id[3]));
    assert_int_equal(rn_fluid_remove_operator(fluid, id[3]), RN_ERROR_ARGUMENT);
    water_steps(fluid, 1);
    rn_fluid_destroy(fluid);
}

static void assert_def_refused(const rn_fluid_def *def, const char *word)
{
    rn_fluid *fluid = NULL;
    assert_int_not_equal(rn_fluid_create(def, &fluid), RN_OK);
    assert_null(fluid);
    if (!strstr(rn_last_error(), word)) fail_msg("'%s' does not say '%s'", rn_last_error(), word);
}

static void absurd_definitions_are_refused_with_the_value(void **state)
{
    (void)state;
    const rn_fluid_def good = water_def(3, 0.05f, 1, 1, 1);
    rn_fluid_def def = good;
    def.struct_bytes = 0;
    assert_def_refused(&def, "rn_fluid_def_default");
    def = good, def.spacing = 0;
    assert_def_refused(&def, "spacing is 0");
    def = good, def.spacing = NAN;
    assert_def_refused(&def, "spacing");
    def = good, def.dim = 4;
    assert_def_refused(&def, "dim is 4");
    def = good, def.domain_high[1] = -1;
    assert_def_refused(&def, "along y");
    def = good, def.domain_high[0] = 1e7f;
    assert_def_refused(&def, "100,000 spacings");
    def = good, def.params.viscosity = -1;
    assert_def_refused(&def, "viscosity is -1");
    def = good, def.params.gravity[2] = INFINITY;
    assert_def_refused(&def, "gravity[2]");
    def = good, def.params.integrator = (rn_fluid_integrator)9;
    assert_def_refused(&def, "integrator is 9");
    def = good, def.radius = 1;
    assert_def_refused(&def, "radius is 1");
    def = good, def.periodic[0] = true, def.domain_high[0] = 0.2f;
    assert_def_refused(&def, "period");
    rn_fluid *fluid = water_create(&good);
    rn_fluid_params params = rn_fluid_params_of(fluid);
    params.time_step = NAN;
    assert_int_equal(rn_fluid_set_params(fluid, &params), RN_ERROR_ARGUMENT);
    rn_fluid_pipe pipe = make_pipe(2, 2, 2);
    assert_int_equal(rn_fluid_add_pipe(fluid, &pipe, NULL), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "outside the domain"));
    rn_fluid_destroy(fluid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipe_pours_its_flow_rate),
        cmocka_unit_test(outlets_and_open_sides_count_who_leaves),
        cmocka_unit_test(a_pipe_stops_at_the_maximum),
        cmocka_unit_test(what_overlaps_or_lies_in_walls_is_left_out_and_counted),
        cmocka_unit_test(operators_add_forces_and_may_end_the_step),
        cmocka_unit_test(absurd_definitions_are_refused_with_the_value),
    };
    return cmocka_run_group_tests_name("fluid.sources", tests, NULL, NULL);
}
