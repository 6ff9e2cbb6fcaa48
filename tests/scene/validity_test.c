/* The validator of scenes sees each invariant that a mistake of ours could break. */
#include "fact.h"

#include "scene/parameters.h"

#include <math.h>
#include <string.h>

static rni_scene *open_scene(const char *name)
{
    rni_scene *scene = NULL;
    if (rni_scene_load(name, NULL, 0, &scene, NULL) != RN_OK) fail_msg("%s", rn_last_error());
    return scene;
}

static void built_in_scenes_are_valid(void **state)
{
    (void)state;
    const rni_scene_builtin *builtin;
    for (uint32_t k = 0; (builtin = rni_scene_builtin_at(k)) != NULL; k++) {
        rni_scene *scene = open_scene(builtin->name);
        const char *flaw = rni_scene_flaw(scene);
        if (flaw) fail_msg("%s: %s", builtin->name, flaw);
        rni_scene_free(scene);
    }
    const rni_scene standard = rni_scene_default();
    assert_null(rni_scene_flaw(&standard));
}

static void broken_invariants_are_seen(void **state)
{
    (void)state;
    rni_scene *s = open_scene("water-channel"), *drop = open_scene("drop");
#define SEES(lvalue, wrong, flaw)                                       \
    do {                                                                \
        __typeof__(lvalue) right = (lvalue);                            \
        (lvalue) = (wrong);                                             \
        const char *seen = rni_scene_flaw(s);                           \
        if (!seen || strcmp(seen, flaw) != 0)                           \
            fail_msg("%s: seen: %s", #lvalue, seen ? seen : "nothing"); \
        (lvalue) = right;                                               \
        assert_null(rni_scene_flaw(s));                                 \
    } while (0)
    SEES(s->def.params.viscosity, NAN, "a number is not finite");
    SEES(s->run_time, HUGE_VAL, "a number is not finite");
    SEES(s->def.domain_high[1], INFINITY, "a vector is not finite");
    SEES(s->solids[3].center[0], NAN, "a vector is not finite");
    SEES(s->def.params.tension, (rn_fluid_tension)77, "a choice has no name");
    SEES(s->pipes[0].time_count, 1000u, "a list of numbers is longer than its array");
    SEES(s->pipe_count, RNI_SCENE_MAX_PIPES + 1u, "a list has more items than allowed");
    SEES(s->ball_count, 1u, "a list has items and no array");
    SEES(s->event_count, 1u, "there are events and no array");
    char name[sizeof s->solids[0].name];
    memcpy(name, s->solids[0].name, sizeof name);
    memset(s->solids[0].name, 'x', sizeof name);
    assert_string_equal(rni_scene_flaw(s), "a text has no end");
    memcpy(s->solids[0].name, name, sizeof name);
    drop->events[0].change[0].parameter = 0; /* the title */
    assert_string_equal(rni_scene_flaw(drop), "an event changes a parameter that is not live");
#undef SEES
    rni_scene_free(s);
    rni_scene_free(drop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_scenes_are_valid),
        cmocka_unit_test(broken_invariants_are_seen),
    };
    return cmocka_run_group_tests_name("scene.validity", tests, NULL, NULL);
}
