/* Settings: path=value. */
#include "fact.h"

#include "scene/scene.h"

#include <string.h>

static rni_scene *channel(void)
{
    rni_scene *scene = NULL;
    assert_int_equal(rni_scene_load("water-channel", NULL, 0, &scene, NULL), RN_OK);
    return scene;
}

static void values_of_every_type_are_set(void **state)
{
    (void)state;
    rni_scene *s = channel();
    assert_int_equal(rni_scene_set(s, "fluid.viscosity=0.5", NULL), RN_OK);
    assert_float_equal(s->def.params.viscosity, 0.5f, 0);
    assert_int_equal(rni_scene_set(s, "gravity=0,-1,0.5", NULL), RN_OK);
    assert_float_equal(s->def.params.gravity[2], 0.5f, 0);
    assert_int_equal(rni_scene_set(s, "gravity=[1,2,3]", NULL), RN_OK);
    assert_float_equal(s->def.params.gravity[1], 2, 0);
    assert_int_equal(rni_scene_set(s, "fluid.tension=akinci", NULL), RN_OK);
    assert_int_equal(s->def.params.tension, RN_TENSION_AKINCI);
    assert_int_equal(rni_scene_set(s, "fluid.smooth_normals=true", NULL), RN_OK);
    assert_true(s->def.params.smooth_normals);
    assert_int_equal(rni_scene_set(s, "title=a = b", NULL), RN_OK);
    assert_string_equal(s->title, "a = b");
    assert_int_equal(rni_scene_set(s, "domain.open=x-low,y-high", NULL), RN_OK);
    assert_true(s->def.open[0][0] && s->def.open[1][1] && !s->def.open[0][1]);
    assert_int_equal(rni_scene_set(s, "domain.open=", NULL), RN_OK);
    assert_false(s->def.open[0][0]);
    assert_int_equal(rni_scene_set(s, "pipes.0.speed=2", NULL), RN_OK);
    assert_float_equal(s->pipes[0].speed, 2, 0);
    assert_int_equal(rni_scene_set(s, "pipes.0.times=0,1,2", NULL), RN_OK);
    assert_int_equal(s->pipes[0].time_count, 3);
    assert_int_equal(rni_scene_set(s, "solids=[]", NULL), RN_OK);
    assert_int_equal(s->solid_count, 0);
    assert_int_equal(
        rni_scene_set(s, "events=[{\"time\": 1, \"set\": {\"gravity\": [0,1,0]}}]", NULL), RN_OK);
    assert_int_equal(s->event_count, 1);
    rni_scene_free(s);
}

static void one_of_two_rivals_counts(void **state)
{
    (void)state;
    rni_scene *s = channel();
    assert_true(s->particles > 0);
    assert_int_equal(rni_scene_set(s, "fluid.spacing=0.02", NULL), RN_OK);
    assert_int_equal(s->particles, 0);
    assert_int_equal(rni_scene_set(s, "fluid.particles=1000", NULL), RN_OK);
    assert_float_equal(s->def.spacing, 0, 0);
    assert_int_equal(rni_scene_set(s, "pipes.0.flow_rate=0.01", NULL), RN_OK);
    assert_float_equal(s->pipes[0].speed, 0, 0);
    assert_int_equal(rni_scene_check(s, "s", NULL), RN_OK);
    rni_scene_free(s);
}

static void wrong(rni_scene *s, const char *setting, const char *sentence)
{
    if (rni_scene_set(s, setting, NULL) != RN_ERROR_ARGUMENT) fail_msg("%s was taken", setting);
    if (!strstr(rn_last_error(), sentence))
        fail_msg("%s\n  says:   %s\n  wanted: %s", setting, rn_last_error(), sentence);
}

static void wrong_settings_are_told(void **state)
{
    (void)state;
    rni_scene *s = channel();
    wrong(s, "fluid.viscosty=1", "--set: fluid.viscosty: unknown; did you mean viscosity?");
    wrong(s, "viscosity=1", "did you mean fluid.viscosity?");
    wrong(s, "fluid.viscosity", "is not of the form path=value");
    wrong(s, "=1", "is not of the form path=value");
    wrong(s, "fluid.viscosity=", "it must be a number");
    wrong(s, "fluid.viscosity=thick", "is the text \"thick\"");
    wrong(s, "fluid.viscosity=nan", "it must be a number");
    wrong(s, "fluid.viscosity=1e99", "it must be a number from 0");
    wrong(s, "gravity=1,2", "is a list of 2; it must be three numbers");
    wrong(s, "gravity=9.81", "gravity: is 9.81; it must be three numbers");
    wrong(s, "gravity=9.81", "Write it without quotes, as x,y,z: for example 0,-9.81,0");
    wrong(s, "gravity=\"0,0,0\"", "gravity: is the text \"0,0,0\"; it must be three numbers");
    wrong(s, "gravity=\"0,0,0\"", "Write it without quotes, as x,y,z: for example 0,-9.81,0");
    wrong(s, "gravity=", "is a list of 0; it must be three numbers");
    wrong(s, "pipes.1.speed=2", "there is 1 pipe; indices start at 0");
    wrong(s, "pipes.x.speed=2", "comes an index");
    wrong(s, "pipes.-1.speed=2", "comes an index");
    wrong(s, "pipes.99999999999999999999.speed=2", "there is 1 pipe");
    wrong(s, "pipes.0.sped=2", "did you mean speed?");
    wrong(s, "solids.0.radius=2", "a box has none");
    wrong(s, "fluid.tension=akinki", "did you mean akinci?");
    rni_scene_free(s);
}

static void settings_come_before_the_check_of_the_whole(void **state)
{
    (void)state;
    const char *sets[] = {"domain.high=0,0,0"};
    rni_scene *s = NULL;
    rni_problems problems;
    assert_int_equal(rni_scene_load("dam-break", sets, 1, &s, &problems), RN_ERROR_FILE);
    assert_int_equal(problems.count, 1);
    assert_non_null(strstr(problems.text[0], "domain: high is missing or 0"));
    assert_null(s);
    const char *below[] = {"domain.high=-1,-1,-1"};
    assert_int_equal(rni_scene_load("dam-break", below, 1, &s, &problems), RN_ERROR_FILE);
    assert_int_equal(problems.count, 1);
    assert_non_null(strstr(problems.text[0], "x is -1; it must be greater than in low, 0 (and y, z)"));
    const char *two[] = {"fluid.dimm=2", "gravty=0"};
    assert_int_equal(rni_scene_load("dam-break", two, 2, &s, &problems), RN_ERROR_ARGUMENT);
    assert_int_equal(problems.count, 2);
}

static void a_preset_comes_before_the_other_values(void **state)
{
    (void)state;
    const char *sets[] = {"fluid.radius_ratio=2.3", "time.courant=0.5", "fluid.preset=classic"};
    rni_scene *s = NULL;
    assert_int_equal(rni_scene_load("dam-break", sets, 3, &s, NULL), RN_OK);
    assert_int_equal(s->preset, RN_PRESET_CLASSIC);
    assert_int_equal(s->def.scheme, RN_SCHEME_WCSPH);
    assert_float_equal(s->def.radius_ratio, 2.3f, 0);
    assert_float_equal(s->def.params.courant, 0.5f, 0);
    /* What was set by hand stays, what came with the old preset is that of the new one. */
    assert_int_equal(rni_scene_set(s, "fluid.preset=accurate", NULL), RN_OK);
    assert_int_equal(s->def.scheme, RN_SCHEME_CORRECTED);
    assert_float_equal(s->def.radius_ratio, 2.3f, 0);
    rn_fluid_def accurate = rn_fluid_def_of_preset(RN_PRESET_ACCURATE);
    assert_float_equal(s->def.params.sound_ratio, accurate.params.sound_ratio, 0);
    rni_scene_free(s);
    static const char TEXT[] = "{\"time\": {\"courant\": 0.5}, \"fluid\": {\"spacing\": 0.1, "
                               "\"sound_ratio\": 7, \"preset\": \"live\"}}";
    assert_int_equal(rni_scene_read(TEXT, strlen(TEXT), "s.json", &s, NULL), RN_OK);
    assert_int_equal(s->preset, RN_PRESET_LIVE);
    assert_float_equal(s->def.params.sound_ratio, 7, 0);
    assert_float_equal(s->def.params.courant, 0.5f, 0);
    assert_int_equal(s->def.scheme, RN_SCHEME_WCSPH);
    rni_scene_free(s);
}

static void the_reader_chooses_the_preset_of_scenes_that_name_none(void **state)
{
    (void)state;
    rni_scene *s = NULL;
    const struct {
        const char *name;
        rn_fluid_preset preset;
    } scenes[] = {{"dam-break", RN_PRESET_LIVE}, {"papers/water-channel-2021", RN_PRESET_CLASSIC}};
    for (size_t k = 0; k < 2; k++) {
        assert_int_equal(rni_scene_load_as(RN_PRESET_LIVE, scenes[k].name, NULL, 0, &s, NULL), RN_OK);
        rn_fluid_def def = rn_fluid_def_of_preset(scenes[k].preset);
        assert_int_equal(s->preset, scenes[k].preset);
        assert_float_equal(s->def.params.sound_ratio, def.params.sound_ratio, 0);
        rni_scene_free(s);
    }
    assert_int_equal(rni_scene_load("dam-break", NULL, 0, &s, NULL), RN_OK);
    assert_int_equal(s->preset, RN_PRESET_BALANCED);
    rni_scene_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_type_are_set),
        cmocka_unit_test(one_of_two_rivals_counts),
        cmocka_unit_test(wrong_settings_are_told),
        cmocka_unit_test(settings_come_before_the_check_of_the_whole),
        cmocka_unit_test(a_preset_comes_before_the_other_values),
        cmocka_unit_test(the_reader_chooses_the_preset_of_scenes_that_name_none),
    };
    return cmocka_run_group_tests_name("scene.set", tests, NULL, NULL);
}
