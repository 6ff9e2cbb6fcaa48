/* From scenes to fluids: what is built is what was asked for, and the built-in scenes run. */
#include "fact.h"

#include "fluid/derived.h"
#include "scene/scene.h"
#include "slowness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static rni_scene *load(const char *name, const char *const *settings, uint32_t count)
{
    rni_scene *scene = NULL;
    if (rni_scene_load(name, settings, count, &scene, NULL) != RN_OK)
        fail_msg("%s", rn_last_error());
    return scene;
}

static rn_fluid *build(const rni_scene *scene, rni_scene_built *built)
{
    rn_fluid *fluid = NULL;
    rni_scene_how how = {.threads = 1};
    if (rni_scene_build(scene, &how, &fluid, built) != RN_OK) fail_msg("%s", rn_last_error());
    return fluid;
}

/* Coarser versions of the built-in scenes. */
static const char *const COARSE[][2] = {
    {"water-channel", "fluid.particles=3000"},
    {"dam-break", "fluid.spacing=0.0057"},
    {"dam-break-obstacle", "fluid.particles=2000"},
    {"double-dam-break", "fluid.particles=2000"},
    {"drop", "fluid.spacing=0.004"},
    {"hydrostatic", "fluid.spacing=0.04"},
    {"poiseuille", "fluid.spacing=0.01"},
    {"bowl", "fluid.particles=1500"},
    {"jug", "fluid.spacing=0.009"},
    {"venturi", "fluid.spacing=0.011"},
    {"river", "fluid.spacing=0.04"},
    {"colon", "fluid.spacing=0.008"},
    {"papers/water-channel-2021", "blocks.0.high=[0.4, 0.4, 0.4]"}};

static void built_in_scenes_take_steps(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof COARSE / sizeof *COARSE; k++) {
        const bool is_large_mesh =
            k >= 8 && k <= 11; /* another one, the bowl, is seen by sanitizers */
        if (FACT_SLOWNESS > 1 && is_large_mesh) continue;
        rni_scene *scene = load(COARSE[k][0], &COARSE[k][1], 1);
        rni_scene_built built;
        rn_fluid *fluid = build(scene, &built);
        uint32_t event_next = 0;
        rn_fluid_report report = rn_fluid_report_default();
        for (uint32_t step = 0; step < 20; step++) {
            assert_int_equal(rni_scene_advance(scene, fluid, &event_next), RN_OK);
            if (rn_fluid_step(fluid, &report) != RN_OK)
                fail_msg("%s: %s", COARSE[k][0], rn_last_error());
        }
        assert_true(report.particles > 0);
        assert_int_equal(rn_fluid_get_escaped_count(fluid), 0);
        assert_int_equal(built.water.in_walls, 0);
        assert_int_equal(built.water.overlapping, 0);
        rn_fluid_destroy(fluid);
        rni_scene_free(scene);
    }
}

/* Of many spacings around, the most particles that are no more than asked for and the whole volume. */
static double most_of_whole_volume(const rni_scene *scene)
{
    rni_scene tried = *scene;
    const double volume = rni_scene_derive(scene).volume, asked = scene->particles;
    double most = 0;
    tried.particles = 0;
    for (int k = 0; k < 1000; k++) {
        tried.def.spacing = (float)(cbrt(volume / asked) * (0.95 + 0.2e-3 * k));
        const double count = (double)rni_scene_derive(&tried).particles;
        tried.def.spacing = (float)cbrt(volume / count);
        if (count <= asked && count > most && (double)rni_scene_derive(&tried).particles == count)
            most = count;
    }
    return most;
}

static void particles_asked_for_are_there(void **state)
{
    (void)state;
    static const char *const wanted[] = {"fluid.particles=1000", "fluid.particles=4096",
                                         "fluid.particles=20000"};
    for (size_t k = 0; k < 3; k++) {
        rni_scene *scene = load("hydrostatic", &wanted[k], 1);
        rni_scene_built built;
        rn_fluid *fluid = build(scene, &built);
        /* A block is whole layers: a layer less at most. */
        assert_true(built.water.added <= scene->particles);
        assert_true(built.water.added > scene->particles * 0.85);
        assert_int_equal(built.derived.particles, built.water.added);
        rn_fluid_destroy(fluid);
        rni_scene_free(scene);
    }
    /* Where the spacing follows, the particles of the blocks are their whole volume. */
    static const char *const dams[] = {"dam-break-obstacle", "double-dam-break"};
    for (size_t k = 0; k < 6; k++) {
        rni_scene *scene = load(dams[k % 2], &wanted[k / 2], 1);
        rni_scene_built built;
        rn_fluid *fluid = build(scene, &built);
        double cell = pow(built.derived.spacing, 3);
        double volume = built.water.added * cell / built.derived.volume;
        if (!(fabs(volume - 1) < 1e-3)) fail_msg("%s: %g of the volume", dams[k % 2], volume);
        assert_true(built.water.added <= scene->particles);
        assert_true(built.water.added > scene->particles * 0.85);
        assert_int_equal(built.derived.particles, built.water.added);
        rn_fluid_destroy(fluid);
        rni_scene_free(scene);
    }
    for (size_t k = 0; k < 6; k++) {
        rni_scene *scene = load(dams[k % 2], &wanted[k / 2], 1);
        const double asked = scene->particles, found = (double)rni_scene_derive(scene).particles;
        const double most = most_of_whole_volume(scene);
        if (found < most) fail_msg("%s: %g of %g, %g would be", dams[k % 2], found, asked, most);
        rni_scene_free(scene);
    }
    rni_scene *channel = load("water-channel", NULL, 0);
    rni_scene_derived derived = rni_scene_derive(channel);
    assert_int_equal(derived.particles, 32768);
    assert_int_equal(derived.pipe_max[0], 32768);
    rni_scene_free(channel);
}

static void events_change_live_parameters_at_their_time(void **state)
{
    (void)state;
    const char *sets[] = {
        "fluid.spacing=0.004",
        "events=[{\"time\": 0.001, \"set\": {\"gravity\": [0, -5, 0], \"fluid.viscosity\": 0.25}},"
        "{\"time\": 0.002, \"set\": {\"gravity\": [0, 0, 3], \"fluid.tension\": \"none\"}}]"};
    rni_scene *scene = load("drop", sets, 2);
    rn_fluid *fluid = build(scene, NULL);
    uint32_t next = 0;
    bool has_seen_first = false;
    while (rn_fluid_get_time(fluid) < 0.003) {
        assert_int_equal(rni_scene_advance(scene, fluid, &next), RN_OK);
        rn_fluid_params params = rn_fluid_get_params(fluid);
        double time = rn_fluid_get_time(fluid);
        assert_float_equal(params.gravity[1], (time >= 0.001 && time < 0.002 ? -5.0f : 0.0f), 0);
        assert_float_equal(params.gravity[2], (time >= 0.002 ? 3.0f : 0.0f), 0);
        has_seen_first |= params.gravity[1] < 0;
        if (time >= 0.001) assert_float_equal(params.viscosity, 0.25f, 0);
        assert_int_equal(rn_fluid_step(fluid, NULL), RN_OK);
    }
    assert_true(has_seen_first);
    assert_int_equal(next, 2);
    /* As after a resume: everything that is past at once gives the same. */
    rn_fluid_params before = rn_fluid_get_params(fluid);
    next = 0;
    assert_int_equal(rni_scene_advance(scene, fluid, &next), RN_OK);
    rn_fluid_params after = rn_fluid_get_params(fluid);
    assert_memory_equal(before.gravity, after.gravity, sizeof before.gravity);
    assert_int_equal(before.tension, after.tension);
    rn_fluid_destroy(fluid);
    rni_scene_free(scene);
}

/* The scene that a checkpoint carries builds the same fluid. */
static void written_scene_runs_to_the_same_bits(void **state)
{
    (void)state;
    const char *sets[] = {"fluid.particles=2000"};
    rni_scene *scene = load("water-channel", sets, 1);
    char *text = rni_scene_write(scene);
    rni_scene *back = NULL;
    assert_int_equal(rni_scene_read(text, strlen(text), "written", &back, NULL), RN_OK);
    rn_fluid *a = build(scene, NULL);
    rn_fluid *b = build(back, NULL);
    for (uint32_t step = 0; step < 50; step++) {
        assert_int_equal(rn_fluid_step(a, NULL), RN_OK);
        assert_int_equal(rn_fluid_step(b, NULL), RN_OK);
    }
    assert_true(rn_fluid_get_particles(a).count > 0);
    assert_true(rn_fluid_get_state_hash(a) == rn_fluid_get_state_hash(b));
    rn_fluid_destroy(a);
    rn_fluid_destroy(b);
    rni_scene_free(scene);
    rni_scene_free(back);
    free(text);
}

static void failures_name_the_part(void **state)
{
    (void)state;
    const char *text =
        "{\"fluid\": {\"spacing\": 0.1, \"max_particles\": 2000}, \"domain\": {\"high\": [1, 1, 1]},"
        "\"blocks\": [{\"low\": [0, 0, 0], \"high\": [1, 1, 1]}],"
        "\"balls\": [{\"name\": \"moon\", \"center\": [50, 0, 0], \"radius\": 0.2}]}";
    rni_scene *scene = NULL;
    rn_fluid *fluid = NULL;
    rni_scene_built built;
    assert_int_equal(rni_scene_read(text, strlen(text), "s.json", &scene, NULL), RN_OK);
    rn_result result = rni_scene_build(scene, NULL, &fluid, &built);
    assert_int_equal(result, RN_OK);
    assert_true(built.water.outside_domain > 0);
    assert_int_equal(built.water.in_walls, 0);
    assert_int_equal(built.dry_ball[0], RNI_DRY_OUTSIDE);
    assert_int_equal(built.dry_block[0], RNI_DRY_NOT);
    rn_fluid_destroy(fluid);
    /* The lattice of a block that fits no spacing is asked for before the radius is refused. */
    scene->blocks[0].high[0] = scene->blocks[0].high[2] = 0.77f;
    const float radii[] = {1e-5f, 1e6f};
    for (size_t k = 0; k < 2; k++) {
        scene->def.radius = radii[k];
        assert_true(rni_scene_build(scene, NULL, &fluid, NULL) != RN_OK);
        assert_null(fluid);
    }
    rni_scene_free(scene);
}

static rni_scene *read(const char *text)
{
    rni_scene *scene = NULL;
    if (rni_scene_read(text, strlen(text), "text", &scene, NULL) != RN_OK)
        fail_msg("%s", rn_last_error());
    return scene;
}

/* A block that hits a wall with its flat side is pressed by speed over sound, a seventh; the water is
 * as hard as that asks for, whoever is the fastest and however far it still falls. */
static void water_is_as_hard_as_the_scene_is_fast(void **state)
{
    (void)state;
#define SCENE(part)                                                                                  \
    "{\"fluid\": {\"spacing\": 0.025}, \"domain\": {\"high\": [1, 1, 0.2]}, \"blocks\": [{\"low\": " \
    "[0.4, 0.2, 0], \"high\": [0.8, 0.6, 0.2]" part "}"
    static const struct {
        const char *text;
        float speed;
    } scenes[] = {
        {SCENE(", \"velocity\": [20, 0, 0]}]"), 20.292f},
        {SCENE("}], \"balls\": [{\"center\": [0.2, 0.8, 0.1], \"radius\": 0.1, \"velocity\": [0, 0, -30]}]"),
         30.293f},
        {SCENE("}], \"pipes\": [{\"center\": [0.2, 0.8, 0.1], \"direction\": [1, 0, 0], \"radius\": 0.1, "
               "\"speed\": 10, \"times\": [0, 1], \"factors\": [0, 1.5]}]"),
         15.514f},
        {SCENE("}]"), 3.431f}};
#undef SCENE
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        rni_scene *scene = read(scenes[k].text);
        rni_scene_built built;
        rn_fluid *fluid = build(scene, &built);
        assert_float_equal(rni_fluid_derived_of(fluid).speed_expected, scenes[k].speed, 0.01f);
        rn_fluid_report report = rn_fluid_report_default();
        double energy = 0;
        while (k == 0 && rn_fluid_get_time(fluid) < 0.02) {
            assert_int_equal(rn_fluid_step(fluid, &report), RN_OK);
            double now = report.kinetic + report.potential + report.elastic;
            if (energy <= 0) energy = now;
            if (now > 1.05 * energy || report.retries)
                fail_msg("%g s: %g J of %g J, %u retries", report.time, now, energy, report.retries);
            if (report.time < 0.012 && report.density_max > 1.2f)
                fail_msg("%g s: density %g", report.time, (double)report.density_max);
        }
        rn_fluid_destroy(fluid);
        rni_scene_free(scene);
    }
}

/* A ball on a periodic edge is whole: a quarter of it in each corner. */
static void solids_go_on_across_periodic_sides(void **state)
{
    (void)state;
    rni_scene *scene = read(
        "{\"fluid\": {\"dim\": 2, \"spacing\": 0.025}, \"domain\": {\"high\": [1, 1], \"periodic\": "
        "[\"x\", \"y\"]}, \"gravity\": [1, 0], \"solids\": [{\"shape\": \"sphere\", \"center\": [0, 0], "
        "\"radius\": 0.2}], \"blocks\": [{\"low\": [0, 0], \"high\": [1, 1]}]}");
    rni_scene_built built;
    rn_fluid *fluid = build(scene, &built);
    for (int k = 0; k < 4; k++) {
        float x[3] = {k % 2 ? 0.95f : 0.05f, k / 2 ? 0.95f : 0.05f, 0};
        assert_true(fabs(rn_fluid_get_wall_distance(fluid, x) + 0.1293) < 0.001);
    }
    if (built.water.in_walls < 180 || built.water.in_walls > 230)
        fail_msg("%u particles of a disc of 201 left out", built.water.in_walls);
    for (int k = 0; k < 200; k++) assert_int_equal(rn_fluid_step(fluid, NULL), RN_OK);
    assert_int_equal(rn_fluid_get_escaped_count(fluid), 0);
    rn_fluid_destroy(fluid);
    rni_scene_free(scene);
}

static void dry_fluid_has_no_water(void **state)
{
    (void)state;
    rni_scene *scene = load("hydrostatic", NULL, 0);
    rni_scene_how how = {.is_dry = true, .threads = 1};
    rn_fluid *fluid = NULL;
    assert_int_equal(rni_scene_build(scene, &how, &fluid, NULL), RN_OK);
    assert_int_equal(rn_fluid_get_particles(fluid).count, 0);
    rn_fluid_destroy(fluid);
    rni_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_scenes_take_steps),
        cmocka_unit_test(particles_asked_for_are_there),
        cmocka_unit_test(events_change_live_parameters_at_their_time),
        cmocka_unit_test(written_scene_runs_to_the_same_bits),
        cmocka_unit_test(failures_name_the_part),
        cmocka_unit_test(dry_fluid_has_no_water),
        cmocka_unit_test(solids_go_on_across_periodic_sides),
        cmocka_unit_test(water_is_as_hard_as_the_scene_is_fast),
    };
    return cmocka_run_group_tests_name("scene.build", tests, NULL, NULL);
}
