/* Several fluids in a scene: what names and materials set, what is written and read back, and mistakes with their place. */
#include "fact.h"

#include "scene/materials.h"
#include "scene/parameters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TWO                                                                                                 \
    "\"fluids\": [{\"name\": \"water\", \"material\": \"water\"}, {\"viscosity\": 0.5, \"name\": \"oil\", " \
    "\"material\": \"olive-oil\"}]"

static void write_scene(char text[2048], const char *fluids, const char *more)
{
    snprintf(
        text, 2048,
        "{\"fluid\": {\"dim\": 2, \"spacing\": 0.05}, %s, \"domain\": {\"high\": [1, 1]}, \"blocks\": [{\"low\": "
        "[0, 0], \"high\": [1, 0.4]}, {\"fluid\": \"oil\", \"low\": [0, 0.4], \"high\": [1, 0.6]}]%s%s}",
        fluids, *more ? ", " : "", more);
}

static rni_scene *load(const char *fluids, const char *more, const char *const *settings,
                       uint32_t count)
{
    char text[2048];
    rni_scene *scene = NULL;
    write_scene(text, fluids, more);
    if (rni_scene_load_text(text, strlen(text), "mine.json", settings, count, &scene, NULL) != RN_OK)
        fail_msg("%s", rn_last_error());
    return scene;
}

static void refuse_with(const char *fluids, const char *more, const char *setting, const char *words)
{
    char text[2048];
    rni_scene *scene = NULL;
    write_scene(text, fluids, more);
    if (rni_scene_load_text(text, strlen(text), "mine.json", &setting, *setting != 0, &scene,
                            NULL) == RN_OK)
        fail_msg("'%s' was not refused", words);
    if (!strstr(rn_last_error(), words)) fail_msg("'%s' instead of '%s'", rn_last_error(), words);
}

static void refuse(const char *fluids, const char *more, const char *words)
{
    refuse_with(fluids, more, "", words);
}

static void a_fluid_has_its_material_and_its_own_values(void **state)
{
    (void)state;
    rni_scene *s = load(TWO, "", NULL, 0);
    assert_int_equal(s->fluid_count, 2);
    assert_float_equal(s->fluids[0].phase.rest_density, 998.2f, 0);
    assert_float_equal(s->fluids[1].phase.rest_density, 914, 0);
    assert_float_equal(s->fluids[1].phase.viscosity, 0.5f, 0); /* given before the material */
    /* A paste is among them. */
    assert_int_equal(s->def.params.viscosity_solver, RN_SOLVER_IMPLICIT);
    assert_int_equal(rni_scene_set(s, "fluids.1.material=honey", NULL), RN_OK);
    assert_float_equal(s->fluids[1].phase.rest_density, 1420, 0);
    assert_float_equal(s->fluids[1].phase.viscosity, 0.5f, 0);
    rni_scene_free(s);
}

static void blocks_balls_and_pipes_are_of_their_fluid(void **state)
{
    (void)state;
    rni_scene *s = load(
        TWO,
        "\"balls\": [{\"fluid\": \"oil\", \"center\": [0.5, 0.2], \"radius\": 0.1}], \"pipes\": [{\"fluid\": "
        "\"oil\", \"center\": [0.5, 0.9], \"direction\": [0, -1], \"radius\": 0.05, \"speed\": 2}]",
        NULL, 0);
    rn_fluid *fluid = NULL;
    rni_scene_built built;
    assert_int_equal(rni_scene_build(s, NULL, &fluid, &built), RN_OK);
    rn_phase_report oil = rn_phase_report_default();
    assert_int_equal(rn_fluid_get_phase_report(fluid, 1, &oil), RN_OK);
    assert_true(built.water.replaced > 0); /* the ball is a bubble in the water */
    assert_int_equal(built.water.added, 20 * 12);
    assert_int_equal(oil.particles, 20 * 4 + built.water.replaced);
    for (int k = 0; k < 200; k++) assert_int_equal(rn_fluid_step(fluid, NULL), RN_OK);
    assert_int_equal(rn_fluid_get_phase_report(fluid, 1, &oil), RN_OK);
    assert_true(oil.came > 0);
    rn_fluid_destroy(fluid);
    rni_scene_free(s);
}

static void a_scene_with_fluids_reads_back_as_it_was_written(void **state)
{
    (void)state;
    const char *const settings[] = {"fluids.0.color=0.1,0.2,0.3", "fluids.1.viscosity_law=carreau",
                                    "fluids.1.shear_time=2", "fluids.1.flow_index=0.5"};
    rni_scene *s = load(TWO,
                        "\"outlets\": [{\"fluid\": \"oil\", \"low\": [0, 0.9], \"high\": [1, 1]}]",
                        settings, 4),
              *again = NULL;
    char *text = rni_scene_write(s);
    assert_non_null(text);
    assert_int_equal(rni_scene_read(text, strlen(text), "again.json", &again, NULL), RN_OK);
    assert_memory_equal(&again->def, &s->def, sizeof s->def);
    assert_memory_equal(again->fluids, s->fluids, 2 * sizeof *s->fluids);
    char *twice = rni_scene_write(again);
    assert_string_equal(twice, text);
    free(twice);
    free(text);
    rni_scene_free(again);
    rni_scene_free(s);
}

#define TENSION "\"interfaces\": [{\"fluid\": \"oil\", \"other\": \"water\", \"tension\": 0.025}]"

static void an_interface_has_its_tension_on_both_sides(void **state)
{
    (void)state;
    const char *const settings[] = {"fluid.tension=surface-energy"};
    rni_scene *s = load(TWO, TENSION, settings, 1), *again = NULL;
    const rn_fluid_def def = rni_scene_def(s);
    assert_float_equal(def.phases[0].interface_tension[1], 0.025f, 0);
    assert_float_equal(def.phases[1].interface_tension[0], 0.025f, 0);
    char *text = rni_scene_write(s);
    assert_non_null(text);
    assert_int_equal(rni_scene_read(text, strlen(text), "again.json", &again, NULL), RN_OK);
    assert_int_equal(again->interface_count, 1);
    assert_memory_equal(again->interfaces, s->interfaces, sizeof *s->interfaces);
    free(text);
    rni_scene_free(again);
    rni_scene_free(s);
}

static void mistakes_about_interfaces_are_told_with_their_place(void **state)
{
    (void)state;
    const struct {
        const char *interfaces, *words;
    } all[] = {
        {"{\"fluid\": \"oil\", \"other\": \"milk\", \"tension\": 0.02}",
         "interfaces.0.other: there is no fluid named 'milk'; the names are: water, oil"},
        {"{\"fluid\": \"oil\", \"other\": \"oil\", \"tension\": 0.02}",
         "interfaces.0.other: an interface is between two fluids; name another one than 'oil'"},
        {"{\"fluid\": \"oil\", \"other\": \"water\"}", "interfaces.0: tension is missing"},
        {"{\"fluid\": \"oil\", \"other\": \"water\", \"tension\": -1}", "interfaces.0.tension: is -1"},
        {"{\"fluid\": \"oil\", \"other\": \"water\", \"tension\": 0.02}, {\"fluid\": \"water\", "
         "\"other\": \"oil\", \"tension\": 0.03}",
         "interfaces.1: interfaces.0 is between the same fluids; leave one of them out"},
        {"{\"fluid\": \"oil\", \"other\": \"water\", \"tension\": 0.3}",
         "it must be at most the sum of their surface tensions"},
    };
    for (uint32_t k = 0; k < sizeof all / sizeof *all; k++) {
        char more[512];
        snprintf(more, sizeof more, "\"interfaces\": [%s]", all[k].interfaces);
        const char *fluids = "\"fluids\": [{\"name\": \"water\"}, {\"name\": \"oil\"}]";
        refuse_with(fluids, more, "fluid.tension=surface-energy", all[k].words);
    }
}

/* Mixture of 998.2 and 4490 kg/m^3; Krieger and Dougherty 1959 with 0.64 and 1.6. */
static void a_suspension_has_any_concentration(void **state)
{
    (void)state;
    const float shares[] = {1, 37.5f, 60, 200, 250};
    rni_scene *s = load(TWO, "", NULL, 0);
    for (int k = 0; k < 5; k++) {
        char setting[64];
        snprintf(setting, sizeof setting, "fluids.0.concentration=%g", (double)shares[k]);
        assert_int_equal(rni_scene_set(s, "fluids.0.material=barium-suspension", NULL), RN_OK);
        assert_int_equal(rni_scene_set(s, setting, NULL), RN_OK);
        const double phi = (double)shares[k] / 449;
        assert_float_equal(s->fluids[0].phase.rest_density, (float)(998.2 + phi * 3491.8), 0.01f);
        assert_float_equal(s->fluids[0].phase.viscosity,
                           (float)(1.002e-3 * pow(1 - phi / 0.64, -1.6)), 1e-7f);
        const rni_material single = rni_material_of(s->fluids[0].material, shares[k]);
        assert_float_equal(single.density, s->fluids[0].phase.rest_density, 0);
    }
    rni_scene_free(s);
    const char *const settings[] = {"fluid.concentration=60", "fluids=[]",
                                    "blocks.1.fluid=", "fluid.material=barium-suspension"};
    s = load(TWO, "", settings, 4);
    assert_float_equal(s->def.rest_density, 1464.8, 0.1);
    rni_scene_free(s);
}

static void mistakes_are_told_with_their_place(void **state)
{
    (void)state;
    refuse("\"title\": \"none\"", "",
           "blocks.1.fluid: there is no fluid named 'oil': the scene has no list of fluids");
    refuse("\"fluids\": [{\"name\": \"water\"}]", "",
           "blocks.1.fluid: there is no fluid named 'oil'; the names are: water");
    refuse("\"fluids\": [{\"name\": \"oil\"}, {\"name\": \"oil\"}]", "",
           "fluids.1.name: fluids.0 is also named 'oil'");
    refuse("\"fluids\": [{\"name\": \"oil\"}, {\"material\": \"water\"}]", "",
           "fluids.1: name is missing");
    refuse("\"fluids\": [{\"name\": \"oil\"}, {\"name\": \"air\", \"rest_density\": 1.2}]", "",
           "fluids: fluid oil has 833.333 times the density of fluid air");
    refuse("\"fluids\": [{\"name\": \"oil\", \"viscosity\": -1}]", "", "fluids.0.viscosity: is -1");
    refuse("\"fluids\": [{\"name\": \"oil\", \"material\": \"olive oil\"}]", "",
           "did you mean olive-oil?");
    refuse("\"fluids\": [{\"name\": \"oil\", \"viscosity_law\": \"bingham\"}]", "",
           "fluid oil: yield_stress is 0");
    refuse("\"fluids\": [{\"name\": \"oil\", \"material\": \"water\", \"concentration\": 20}]", "",
           "fluids.0.concentration: material water has none");
    refuse("\"fluids\": [{\"name\": \"oil\", \"material\": \"barium-suspension\", \"concentration\": 900}]",
           "", "fluids.0.concentration: is 900");
    refuse(TWO, "\"gauges\": [{\"kind\": \"energy\", \"fluid\": \"milk\"}]",
           "gauges.0.fluid: there is no fluid named 'milk'; the names are: water, oil");
    refuse(TWO, "\"time\": {\"integrator\": \"leapfrog\"}", "leapfrog does not go with");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fluid_has_its_material_and_its_own_values),
        cmocka_unit_test(blocks_balls_and_pipes_are_of_their_fluid),
        cmocka_unit_test(a_scene_with_fluids_reads_back_as_it_was_written),
        cmocka_unit_test(an_interface_has_its_tension_on_both_sides),
        cmocka_unit_test(mistakes_about_interfaces_are_told_with_their_place),
        cmocka_unit_test(a_suspension_has_any_concentration),
        cmocka_unit_test(mistakes_are_told_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
