/* Materials: what a name sets, and what stays. */
#include "fact.h"

#include "scene/materials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static rni_scene *load(const char *fluid, const char *const *settings, uint32_t count)
{
    char text[1024];
    rni_scene *scene = NULL;
    snprintf(text, sizeof text,
             "{\"fluid\": {\"dim\": 2, \"spacing\": 0.05%s%s}, \"domain\": {\"high\": [1, 1]}, \"blocks\": "
             "[{\"low\": [0, 0], \"high\": [0.5, 0.5]}]}",
             *fluid ? ", " : "", fluid);
    if (rni_scene_load_text(text, strlen(text), "mine.json", settings, count, &scene, NULL) != RN_OK)
        fail_msg("%s", rn_last_error());
    return scene;
}

static void refuse(const char *fluid, const char *words)
{
    char text[512];
    rni_scene *scene = NULL;
    snprintf(text, sizeof text,
             "{\"fluid\": {\"dim\": 2, \"spacing\": 0.05, %s}, \"domain\": {\"high\": [1, 1]}, \"blocks\": [{\"low\": "
             "[0, 0], \"high\": [0.5, 0.5]}]}",
             fluid);
    assert_int_equal(rni_scene_load_text(text, strlen(text), "mine.json", NULL, 0, &scene, NULL),
                     RN_ERROR_FILE);
    if (!strstr(rn_last_error(), words)) fail_msg("'%s' instead of '%s'", rn_last_error(), words);
}

static void a_material_sets_its_values(void **state)
{
    (void)state;
    rni_scene *s = load("\"material\": \"blood\"", NULL, 0);
    assert_float_equal(s->def.rest_density, 1051, 0);
    assert_int_equal(s->def.params.viscosity_law, RN_LAW_CARREAU);
    assert_float_equal(s->def.params.viscosity, 0.056f, 0);
    assert_float_equal(s->def.params.viscosity_infinite, 0.00345f, 0);
    assert_float_equal(s->def.params.shear_time, 3.313f, 0);
    assert_float_equal(s->def.params.flow_index, 0.3568f, 0);
    assert_int_equal(s->def.params.viscosity_solver, RN_SOLVER_IMPLICIT);
    rni_scene_free(s);
    s = load("", NULL, 0);
    assert_float_equal(s->def.rest_density, 1000, 0);
    assert_int_equal(s->material, 0);
    rni_scene_free(s);
}

static void values_of_the_scene_are_kept_wherever_they_stand(void **state)
{
    (void)state;
    const char *const orders[] = {"\"material\": \"honey\", \"viscosity\": 7",
                                  "\"viscosity\": 7, \"material\": \"honey\""};
    for (int k = 0; k < 2; k++) {
        rni_scene *s = load(orders[k], NULL, 0);
        assert_float_equal(s->def.params.viscosity, 7, 0);
        assert_float_equal(s->def.rest_density, 1420, 0);
        rni_scene_free(s);
    }
}

static void settings_change_the_material(void **state)
{
    (void)state;
    const char *const settings[] = {"fluid.rest_density=1300", "fluid.material=glycerine",
                                    "fluid.preset=accurate"};
    rni_scene *s = load("\"material\": \"ketchup\"", settings, 3);
    assert_float_equal(s->def.rest_density, 1300, 0);
    assert_float_equal(s->def.params.viscosity, 1.41f, 0);
    assert_int_equal(s->def.params.viscosity_law, RN_LAW_NEWTONIAN);
    assert_float_equal(s->def.params.yield_stress, 0, 0);
    assert_float_equal(s->def.params.sound_ratio, 7.5, 0);
    assert_int_equal(rni_scene_set(s, "fluid.material=none", NULL), RN_OK);
    assert_float_equal(s->def.params.viscosity, 0.001f, 0);
    assert_int_equal(s->def.params.viscosity_solver, RN_SOLVER_EXPLICIT);
    rni_scene_free(s);
}

/* Every material is a scene that can be built and stepped, and reads back as it was written. */
static void every_material_flows(void **state)
{
    (void)state;
    const rni_material *m;
    for (uint32_t k = 1; (m = rni_material_at(k)) != NULL; k++) {
        char setting[64];
        snprintf(setting, sizeof setting, "fluid.material=%s", m->name);
        const char *const settings[] = {setting};
        rni_scene *s = load("", settings, 1), *again = NULL;
        assert_int_equal(s->material, k);
        char *text = rni_scene_write(s);
        assert_non_null(text);
        assert_int_equal(rni_scene_read(text, strlen(text), "again.json", &again, NULL), RN_OK);
        assert_memory_equal(&again->def, &s->def, sizeof s->def);
        assert_int_equal(again->material, k);
        rn_fluid *fluid = NULL;
        assert_int_equal(rni_scene_build(s, NULL, &fluid, NULL), RN_OK);
        for (int step = 0; step < 3; step++) assert_int_equal(rn_fluid_step(fluid, NULL), RN_OK);
        rn_fluid_destroy(fluid);
        free(text);
        rni_scene_free(again);
        rni_scene_free(s);
        assert_true(*m->sources[0] && *m->sources[1] && (m->tension > 0) == (*m->sources[2] != 0));
    }
}

static void mistakes_are_told_with_their_place(void **state)
{
    (void)state;
    refuse("\"material\": \"hony\"", "fluid.material: \"hony\" is unknown; did you mean honey?");
    refuse("\"viscosity_law\": \"bingam\"", "did you mean bingham?");
    refuse("\"viscosity\": -1", "fluid.viscosity");
    refuse("\"viscosity_law\": \"bingham\", \"yield_stress\": 5, \"viscosity\": 0",
           "fluid.viscosity: is 0");
    refuse("\"flow_index\": 9", "fluid.flow_index");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_material_sets_its_values),
        cmocka_unit_test(values_of_the_scene_are_kept_wherever_they_stand),
        cmocka_unit_test(settings_change_the_material),
        cmocka_unit_test(every_material_flows),
        cmocka_unit_test(mistakes_are_told_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
