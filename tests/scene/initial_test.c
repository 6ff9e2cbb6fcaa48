/* The start by formulas, gravity over time and many events, from scene text to fluid. */
#include "fact.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD "{\"fluid\": {\"dim\": 2, \"spacing\": 0.02}, \"domain\": {\"high\": [1, 1]}, "

static rni_scene *load(const char *rest, rni_problems *problems)
{
    static char text[1 << 16];
    snprintf(text, sizeof text, HEAD "%s}", rest);
    rni_scene *scene = NULL;
    if (rni_scene_load_text(text, strlen(text), "test", NULL, 0, &scene, problems) == RN_OK)
        return scene;
    return NULL;
}

static rn_fluid *build(const char *rest)
{
    rni_scene *scene = load(rest, NULL);
    rn_fluid *fluid = NULL;
    if (!scene || rni_scene_build(scene, NULL, &fluid, NULL) != RN_OK)
        fail_msg("%s", rn_last_error());
    rni_scene_free(scene);
    return fluid;
}

static void a_block_starts_with_its_surface_and_its_velocities(void **state)
{
    (void)state;
    rn_fluid *fluid = build("\"blocks\": [{\"low\": [0, 0], \"high\": [1, 0.6], \"velocity\": [1, 0], "
                            "\"surface\": \"0.4 + 0.1*x\", \"velocity_field\": \"-y, x^2\"}]");
    rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    float highest[2] = {0, 0};
    for (uint32_t i = 0; i < p.count; i++) {
        const float *x = p.position[i], *v = p.velocity[i];
        assert_true(x[1] <= 0.4f + 0.1f * x[0] + 1e-5f);
        assert_true(fabsf(v[0] - (1 - x[1])) < 1e-5f && fabsf(v[1] - x[0] * x[0]) < 1e-5f);
        if (x[0] < 0.1f || x[0] > 0.9f) highest[x[0] > 0.5f] = fmaxf(highest[x[0] > 0.5f], x[1]);
    }
    assert_true(fabsf(highest[0] - 0.4f) < 0.02f && fabsf(highest[1] - 0.5f) < 0.02f);
    assert_true(fabs(p.count * 0.02 * 0.02 - 0.45) < 0.005);
    rn_fluid_destroy(fluid);
}

static void wrong_formulas_and_tables_are_problems(void **state)
{
    (void)state;
    const struct {
        const char *rest, *path, *word;
    } cases[] = {
        {"\"blocks\": [{\"low\": [0, 0], \"high\": [1, 0.6], \"surface\": \"0.4 + q\"}]",
         "blocks.0.surface", "character 7"},
        {"\"blocks\": [{\"low\": [0, 0], \"high\": [1, 0.6], \"velocity_field\": \"x\"}]",
         "blocks.0.velocity_field", "2 formulas"},
        {"\"blocks\": [{\"low\": [0, 0], \"high\": [1, 0.6]}], \"gravity_table\": [{\"time\": 1, "
         "\"gravity\": [0, 1]}, {\"time\": 1, \"gravity\": [0, 2]}]",
         "gravity_table.1", "ascend"},
        {"\"pipes\": [{\"center\": [0.5, 0.5], \"direction\": [1, 0], \"radius\": 0.1, \"speed\": 1, "
         "\"head\": 1}]",
         "pipes.0", "both head and speed"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        rni_problems problems;
        rni_scene *scene = load(cases[k].rest, &problems);
        if (scene || problems.count == 0) fail_msg("case %zu was taken", k);
        if (strcmp(problems.path[0], cases[k].path) != 0 || !strstr(problems.text[0], cases[k].word))
            fail_msg("case %zu: %s: %s", k, problems.path[0], problems.text[0]);
    }
}

static void gravity_comes_from_the_table_of_the_scene(void **state)
{
    (void)state;
    rn_fluid *fluid =
        build("\"blocks\": [{\"low\": [0, 0], \"high\": [1, 0.2]}], \"gravity\": [0, -10], "
              "\"gravity_table\": [{\"time\": 0, \"gravity\": [2, 0]}]");
    float g[3];
    rn_fluid_get_gravity(fluid, g);
    assert_true(g[0] == 2 && g[1] == -10 && g[2] == 0);
    rn_fluid_destroy(fluid);
}

/* A frame as runs write it, and files that are none. */
static void a_scene_starts_with_the_particles_of_a_file(void **state)
{
    (void)state;
    char folder[] = "/tmp/runnel_initial_XXXXXX", path[64], rest[200];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/start.ply", folder);
    snprintf(rest, sizeof rest, "\"particles\": {\"file\": \"%s\"}", path);
    rni_scene *scene = load(rest, NULL);
    assert_non_null(scene);
    rn_fluid *fluid = NULL;
    assert_int_not_equal(rni_scene_build(scene, NULL, &fluid, NULL), RN_OK);
    assert_non_null(strstr(rn_last_error(), "particles.file: "));
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
          "property float z\nproperty float vx\nproperty float vy\nproperty float vz\nend_header\n",
          file);
    const float rows[3][6] = {{0.5f, 0.5f, 0, 1, 2, 0}, {0.6f, 0.5f, 0, 3, 4, 0}, {5, 5, 0, 0, 0, 0}};
    fwrite(rows, sizeof rows, 1, file);
    fclose(file);
    rni_scene_built *built = malloc(sizeof *built);
    assert_non_null(built);
    if (rni_scene_build(scene, NULL, &fluid, built) != RN_OK) fail_msg("%s", rn_last_error());
    assert_int_equal(built->water.added, 2);
    assert_int_equal(built->water.outside_domain, 1);
    rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    assert_true(p.velocity[0][0] == 1 && p.velocity[0][1] == 2 && p.velocity[1][0] == 3);
    rn_fluid_destroy(fluid);
    assert_int_equal(truncate(path, 230), 0);
    assert_int_not_equal(rni_scene_build(scene, NULL, &fluid, built), RN_OK);
    free(built);
    rni_scene_free(scene);
    remove(path);
    remove(folder);
}

/* More than 64, each in its turn. */
static void a_scene_may_have_many_events(void **state)
{
    (void)state;
    static char rest[1 << 15];
    size_t length = (size_t)snprintf(
        rest, sizeof rest, "\"blocks\": [{\"low\": [0, 0], \"high\": [1, 0.1]}], \"events\": [");
    for (int k = 0; k < 300; k++)
        length += (size_t)snprintf(rest + length, sizeof rest - length,
                                   "%s{\"time\": %g, \"set\": {\"fluid.viscosity\": %d}}",
                                   k ? ", " : "", 1e-4 * k, k);
    snprintf(rest + length, sizeof rest - length, "]");
    rni_scene *scene = load(rest, NULL);
    rn_fluid *fluid = NULL;
    if (!scene || rni_scene_build(scene, NULL, &fluid, NULL) != RN_OK)
        fail_msg("%s", rn_last_error());
    uint32_t next = 0;
    while (rn_fluid_get_time(fluid) < 0.01) {
        assert_int_equal(rni_scene_advance(scene, fluid, &next), RN_OK);
        const float passed = (float)floor(rn_fluid_get_time(fluid) / 1e-4);
        assert_true(fabsf(rn_fluid_get_params(fluid).viscosity - passed) <= 1);
        assert_int_equal(rn_fluid_step(fluid, NULL), RN_OK);
    }
    assert_true(next > 64);
    rn_fluid_destroy(fluid);
    rni_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_starts_with_its_surface_and_its_velocities),
        cmocka_unit_test(wrong_formulas_and_tables_are_problems),
        cmocka_unit_test(gravity_comes_from_the_table_of_the_scene),
        cmocka_unit_test(a_scene_starts_with_the_particles_of_a_file),
        cmocka_unit_test(a_scene_may_have_many_events),
    };
    return cmocka_run_group_tests_name("scene.initial", tests, NULL, NULL);
}
