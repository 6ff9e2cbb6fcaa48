/* Scene files that are wrong: the place, what is wrong, what was meant. */
#include "fact.h"

#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOOD  "\"domain\": {\"high\": [1, 1, 1]}, \"fluid\": {\"spacing\": 0.1}"
#define WATER "\"blocks\": [{\"low\": [0, 0, 0], \"high\": [0.5, 0.5, 0.5]}]"

/* Reads and checks text as the file s.json. */
static rn_result read_text(const char *text, rni_scene **scene, rni_problems *problems)
{
    rn_result result = rni_scene_read(text, strlen(text), "s.json", scene, problems);
    if (result != RN_OK) return result;
    result = rni_scene_check(*scene, "s.json", problems);
    if (result != RN_OK) {
        rni_scene_free(*scene);
        *scene = NULL;
    }
    return result;
}

/* The first problem of text holds sentence. */
static void refused(const char *text, const char *sentence)
{
    rni_scene *scene = NULL;
    rni_problems problems;
    rn_result result = read_text(text, &scene, &problems);
    if (result == RN_OK) fail_msg("%s was read", text);
    assert_null(scene);
    assert_int_equal(result, RN_ERROR_FILE);
    assert_true(problems.count > 0);
    if (!strstr(problems.text[0], sentence))
        fail_msg("%s\n  says:   %s\n  wanted: %s", text, problems.text[0], sentence);
    assert_true(strncmp(rn_last_error(), "s.json", 6) == 0);
}

static void accepted(const char *text)
{
    rni_scene *scene = NULL;
    rni_problems problems;
    if (read_text(text, &scene, &problems) != RN_OK)
        fail_msg("%s\n  says: %s", text, rn_last_error());
    rni_scene_free(scene);
}

static void smallest_scene_is_read(void **state)
{
    (void)state;
    rni_scene *scene = NULL;
    assert_int_equal(read_text("{" GOOD ", " WATER "}", &scene, NULL), RN_OK);
    assert_float_equal(scene->def.spacing, 0.1f, 0);
    assert_float_equal(scene->def.domain_high[2], 1, 0);
    assert_float_equal(scene->def.params.gravity[1], -9.81f, 0);
    assert_int_equal(scene->def.dim, 3);
    rni_scene_free(scene);
}

static void unknown_names_are_told_with_what_was_meant(void **state)
{
    (void)state;
    refused("{\"fluid\": {\n   \"viscosty\": 1}}",
            "s.json:2:4: fluid.viscosty: unknown; did you mean viscosity?");
    refused("{\"fliud\": {}}", "s.json:1:2: fliud: unknown; did you mean fluid?");
    refused("{\"viscosity\": 1}", "did you mean fluid.viscosity?");
    refused("{\"fluid\": {\"gravity\": [0,0,0]}}", "did you mean gravity?");
    refused("{\"block\": []}", "did you mean blocks?");
    refused("{\"xyzzy\": 1}", "xyzzy: unknown; `runnel params`");
    refused("{\"fluid\": {\"xyzzy\": 1}}", "unknown; `runnel params fluid`");
    refused("{\"solids\": [{\"shape\": \"box\", \"center\": [0,0,0], \"zise\": [1,1,1]}]}",
            "solids.0.zise: unknown; did you mean size?");
    refused("{\"fluid\": {\"pressure\": \"tate\"}}",
            "\"tate\" is unknown; did you mean tait? there are: tait, gas");
    refused("{\"domain\": {\"periodic\": [\"q\"]}}", "domain.periodic.0: \"q\" is unknown");
    refused("{\"fluid.spacing\": 1}", "unknown");
    refused("{\"\": 1}", "unknown");
    refused("{\"fluid\": {\"\\u001b[2J\": 1}}", "fluid.?[2J: unknown");
}

static void wrong_types_are_told(void **state)
{
    (void)state;
    refused("{\"fluid\": {\"viscosity\": \"thick\"}}",
            "fluid.viscosity: is the text \"thick\"; it must be a number from 0 to 1000000, in Pa s");
    refused("{\"fluid\": {\"viscosity\": null}}", "is null");
    refused("{\"fluid\": {\"viscosity\": [1]}}", "is a list of 1");
    refused("{\"fluid\": {\"dim\": 2.5}}", "is 2.5; it must be a whole number from 2 to 3");
    refused("{\"fluid\": {\"smooth_normals\": 1}}", "is 1; it must be true or false");
    refused("{\"fluid\": {\"tension\": 1}}", "it must be one of: none, akinci");
    refused("{\"fluid\": 3}", "fluid: it must be an object");
    refused("{\"gravity\": [0, -9.81]}", "is a list of 2; it must be three numbers");
    refused("{\"gravity\": 9.81}", "it must be three numbers");
    refused("{\"gravity\": [0, \"a\", 0]}", "gravity.1: is the text");
    refused("{\"solids\": {}}", "solids: it must be a list");
    refused("{\"solids\": [3]}", "solids.0: it must be an object");
    refused("{\"title\": 3}", "is 3; it must be text");
    refused("[]", "it must be an object");
    refused("{\"$schema\": 3}", "$schema");
}

static void absurd_values_are_told(void **state)
{
    (void)state;
    refused("{\"fluid\": {\"viscosity\": -1}}", "is -1; it must be a number from 0");
    refused("{\"fluid\": {\"rest_density\": 0}}", "is 0; it must be");
    refused("{\"time\": {\"courant\": 5}}", "is 5; it must be a number from 0.05 to 4");
    refused("{\"fluid\": {\"spacing\": 1e-40}}", "nearer to 0 than single precision");
    refused("{\"fluid\": {\"spacing\": 1e999}}", "s.json:1:");
    refused("{\"fluid\": {\"spacing\": NaN}}", "s.json:1:");
    refused("{\"fluid\": {\"spacing\": NaN}}", "numbers must be finite");
    refused("{\"fluid\": {\"spacing\": .5}}", "numbers are written 0.5");
    refused("{\"fluid\": {\"spacing\": 1,}}", "is the comma before it superfluous?");
    refused("{\"fluid\": {\"spacing\": 1} \"domain\": {}}", "is a comma or a colon missing");
    refused("{\"fluid\": {\"spacing\": 1}", "is a closing bracket or quote missing?");
    refused("{\"fluid\": {\"spacing\": 1}, // mine\n\"domain\": {}}", "JSON has no comments");
    refused("{\"fluid\": {\"spacing\": 1}, \"fluid\": {}}", "keep one of the two");
    refused("{\"fluid\": {\"seed\": -1}}", "is -1");
    refused("{\"title\": \"a\\u001b[0m\"}", "control characters");
    refused("{\"blocks\": [{\"low\": [0,0,0], \"high\": [1,1,1], \"jitter\": 0.5}]}",
            "blocks.0.jitter: is 0.5");
}

#define GAUGES(text) "{" GOOD ", " WATER ", \"gauges\": [" text "]}"

static void gauges_that_are_wrong_are_told(void **state)
{
    (void)state;
    accepted(GAUGES("{\"kind\": \"level\", \"center\": [0.2, 0, 0.2], \"surfaces\": 3}"));
    refused(GAUGES("{\"kind\": \"levle\"}"),
            "gauges.0.kind: \"levle\" is unknown; did you mean level?");
    refused(GAUGES("{\"center\": [0, 0, 0]}"), "gauges.0: kind is missing");
    refused(GAUGES("{\"kind\": \"level\"}"), "gauges.0: center is missing: three numbers");
    refused(GAUGES("{\"kind\": \"volume\", \"low\": [0, 0, 0]}"), "gauges.0: high is missing");
    refused(GAUGES("{\"kind\": \"energy\", \"radius\": 1}"),
            "gauges.0.radius: an energy gauge has none; leave it out");
    refused(GAUGES("{\"kind\": \"level\", \"center\": [0, 0, 0], \"surfaces\": 9}"),
            "gauges.0.surfaces: is 9; it must be a whole number from 1 to 8");
    refused(GAUGES("{\"kind\": \"energy\", \"rate\": -1}"), "gauges.0.rate: is -1");
    refused(GAUGES("{\"kind\": \"energy\", \"name\": \"a,b\"}"),
            "gauges.0.name: 'a,b' cannot be the title of a CSV column");
    refused(GAUGES("{\"kind\": \"energy\", \"name\": \"a\"}, {\"kind\": \"energy\", \"name\": \"a\"}"),
            "gauges.1.name: gauges.0 is also named 'a'");
    refused(GAUGES("{\"kind\": \"force\", \"solid\": \"post\"}"),
            "gauges.0.solid: there is no solid named 'post'; give the solid a name");
}

static void parts_that_do_not_fit_are_told(void **state)
{
    (void)state;
    refused("{\"domain\": {\"high\": [1,1,1]}}", "fluid: spacing is missing");
    refused("{\"domain\": {\"high\": [1,1,1]}, \"fluid\": {\"spacing\": 0.1, \"particles\": 10}}",
            "give only one");
    refused("{\"fluid\": {\"spacing\": 0.1}}",
            "domain: high is missing or 0: metres, the highest corner");
    refused("{\"fluid\": {\"spacing\": 0.1}, \"domain\": {\"high\": [1, 0, 0.4]}}",
            "domain.high: y is 0; it must be greater than in low, 0");
    refused("{" GOOD ", \"outlets\": [{\"low\": [0,0,0.6], \"high\": [1,1,0.4]}]}",
            "outlets.0.high: z is 0.4; it must be greater than in low, 0.6");
    refused("{" GOOD ", \"solids\": [{\"shape\": \"box\", \"center\": [0,0,0]}]}",
            "solids.0: size is missing or 0: metres");
    refused("{" GOOD ", \"solids\": [{\"shape\": \"mesh\", \"center\": [0,0,0]}]}",
            "solids.0.file: is missing; a mesh needs \"file\": \"bowl.stl\" or \"make\": \"box\"");
    refused("{" GOOD
            ", \"solids\": [{\"shape\": \"mesh\", \"center\": [0,0,0], \"file\": \"nowhere.stl\"}]}",
            "nowhere.stl: cannot be opened: No such file");
    refused("{" GOOD
            ", \"solids\": [{\"shape\": \"mesh\", \"center\": [0,0,0], \"make\": \"nothing\"}]}",
            "solids.0.make: ");
    refused(
        "{" GOOD
        ", \"solids\": [{\"shape\": \"mesh\", \"center\": [0,0,0], \"make\": \"box\", \"hash\": \"12\"}]}",
        "the mesh has changed since");
    refused("{" GOOD ", \"solids\": [{\"shape\": \"capsule\", \"center\": [0,0,0], \"radius\": 0.2, "
            "\"length\": 0.3}]}",
            "the length of the capsule is 0.3 m; it must be at least its diameter, 0.4 m");
    refused("{" GOOD ", \"blocks\": [{\"low\": [0,0,0], \"high\": [1,-1,1]}]}",
            "blocks.0.high: y is -1");
    refused("{" GOOD ", \"blocks\": [{\"low\": [0,0,0]}]}", "blocks.0: high is missing");
    refused("{" GOOD ", \"solids\": [{\"shape\": \"sphere\", \"center\": [0,0,0]}]}",
            "solids.0.radius: is 0");
    refused(
        "{" GOOD
        ", \"solids\": [{\"shape\": \"sphere\", \"center\": [0,0,0], \"radius\": 1, \"size\": [1,1,1]}]}",
        "solids.0.size: a sphere has none");
    refused("{" GOOD
            ", \"solids\": [{\"shape\": \"plane\", \"center\": [0,0,0], \"axis\": [0,0,0]}]}",
            "a direction must not be zero");
    refused("{" GOOD ", \"pipes\": [{\"center\": [0,0,0], \"direction\": [1,0,0], \"radius\": 0.1}]}",
            "speed is missing");
    refused(
        "{" GOOD
        ", \"pipes\": [{\"center\": [0,0,0], \"direction\": [1,0,0], \"radius\": 0.01, \"speed\": 1}]}",
        "at least half the spacing");
    refused(
        "{" GOOD
        ", \"pipes\": [{\"center\": [0,0,0], \"direction\": [1,0,0], \"radius\": 1, \"speed\": 1, \"times\": [1, 2], \"factors\": [1]}]}",
        "2 times and 1 factors");
    refused(
        "{" GOOD
        ", \"pipes\": [{\"center\": [0,0,0], \"direction\": [1,0,0], \"radius\": 1, \"speed\": 1, \"times\": [1, 1], \"factors\": [1, 1]}]}",
        "times must ascend");
    refused("{\"domain\": {\"high\": [1,1,1]}, \"fluid\": {\"particles\": 100}}",
            "there is no volume to divide");
    refused(
        "{\"domain\": {\"high\": [9,9,9]}, \"fluid\": {\"spacing\": 0.001}, \"blocks\": [{\"low\": [0,0,0], \"high\": [9,9,9]}]}",
        "fluid.max_particles: is 4000000, but blocks, balls and pipes hold");
    refused(
        "{\"fluid\": {\"spacing\": 0.1}, \"domain\": {\"high\": [1,1,1], \"periodic\": [\"x\"], \"open\": [\"x-low\"]}}",
        "both periodic and open");
    /* what is just long enough as it is written, though not as floats */
    accepted("{\"fluid\": {\"spacing\": 0.05, \"radius\": 0.06}, \"domain\": {\"high\": [1,1,1]}, " WATER
             "}");
    accepted("{\"fluid\": {\"spacing\": 0.05}, \"domain\": {\"low\": [0.05,0.15,0], "
             "\"high\": [0.35,0.25,1], \"periodic\": [\"x\"]}, " WATER "}");
    refused("{\"fluid\": {\"spacing\": 0.05}, \"domain\": {\"high\": [0.2999,1,1], "
            "\"periodic\": [\"x\"]}}",
            "it must be at least three radii");
    /* what is not repeated across a periodic side must not end there */
#define PERIODIC                                                                                      \
    "{\"fluid\": {\"spacing\": 0.05}, \"domain\": {\"high\": [1,1,1], \"periodic\": [\"x\"]}, " WATER \
    ", \"solids\": [{\"center\": [0.5,0.5,0.5], "
    refused(PERIODIC "\"shape\": \"plane\", \"axis\": [0.1, 1, 0]}]}", "the plane leans along x");
    refused(PERIODIC "\"shape\": \"sphere\", \"radius\": 0.6, \"hollow\": true}]}",
            "it is hollow and reaches over a side along x");
    refused(PERIODIC "\"shape\": \"box\", \"size\": [3, 0.5, 0.5], \"turn\": [0, 0, 10], "
                     "\"hollow\": true}]}",
            "it is hollow and reaches over a side along x");
    accepted(PERIODIC "\"shape\": \"plane\", \"axis\": [0, 1, 0.2]}]}");
    accepted(PERIODIC "\"shape\": \"sphere\", \"radius\": 0.5, \"hollow\": true}]}");
    accepted(PERIODIC "\"shape\": \"sphere\", \"radius\": 0.6}]}");
    accepted(PERIODIC "\"shape\": \"cylinder\", \"axis\": [2, 0, 0], \"radius\": 0.3, \"length\": 2, "
                      "\"hollow\": true}]}");
    accepted(PERIODIC "\"shape\": \"box\", \"size\": [3, 0.5, 0.5], \"turn\": [30, 0, 0], "
                      "\"hollow\": true}]}");
#undef PERIODIC
    refused("{\"fluid\": {\"dim\": 2, \"spacing\": 0.1}, \"domain\": {\"high\": [1,1]}, \"solids\": "
            "[{\"shape\": \"box\", \"center\": [0.5,0.5], \"size\": [0.3,0.3], \"turn\": [0,20]}]}",
            "in 2D a box turns about z only: [0, 0, 20]");
    refused(
        "{\"fluid\": {\"dim\": 2, \"spacing\": 0.1}, \"domain\": {\"high\": [1,1]}, \"solids\": [{\"shape\": \"cylinder\", \"center\": [0,0], \"axis\": [1,0], \"radius\": 1, \"length\": 1}]}",
        "no cylinder in 2D");
}

static void events_are_checked(void **state)
{
    (void)state;
    refused("{" GOOD ", \"events\": [{\"time\": 1, \"set\": {\"fluid.dim\": 2}}]}",
            "cannot change during a run");
    refused("{" GOOD ", \"events\": [{\"time\": 1, \"set\": {\"fluid.viscosty\": 2}}]}",
            "did you mean fluid.viscosity?");
    refused("{" GOOD ", \"events\": [{\"time\": 1, \"set\": {\"gravity\": 2}}]}",
            "events.0.set.gravity: is 2");
    refused("{" GOOD ", \"events\": [{\"time\": 1}]}", "set is missing");
    refused("{" GOOD ", \"events\": [{\"set\": {}}]}", "time is missing");
    refused("{" GOOD ", \"events\": [{\"time\": 2, \"set\": {}}, {\"time\": 1, \"set\": {}}]}",
            "sort the events by time");
    refused("{" GOOD ", \"events\": [{\"time\": 2, \"set\": {}, \"when\": 1}]}",
            "an event has time and set");
}

static void broken_files_are_told(void **state)
{
    (void)state;
    refused("", "is empty");
    refused(" \n\t", "is empty");
    refused("{\"a\": 1,\n \"a\": 2}", "s.json:2:");
    refused("{\"a\"", "s.json:1:");
    refused("{} x", "s.json:1:");
    refused("{\"title\": \"\xff\"}", "s.json:1:");
    refused("{\"title\": \"a\\u0000b\"}", "s.json:1:");
}

static void deep_and_large_files_are_refused(void **state)
{
    (void)state;
    size_t size = RNI_SCENE_MAX_BYTES + 10;
    char *text = malloc(size);
    rni_scene *scene = NULL;
    rni_problems problems;
    memset(text, '[', size);
    assert_int_equal(rni_scene_read(text, 100000, "s.json", &scene, &problems), RN_ERROR_FILE);
    assert_non_null(strstr(problems.text[0], "s.json:1:"));
    assert_int_equal(rni_scene_read(text, size, "s.json", &scene, &problems), RN_ERROR_FILE);
    assert_non_null(strstr(problems.text[0], "a scene has at most"));
    free(text);
}

static void several_problems_are_told_up_to_ten(void **state)
{
    (void)state;
    rni_scene *scene = NULL;
    rni_problems problems;
    read_text("{\"a\": 1, \"b\": 2, \"gravity\": 0}", &scene, &problems);
    assert_int_equal(problems.count, 3);
    assert_non_null(strstr(problems.text[2], "gravity"));
    assert_non_null(strstr(rn_last_error(), "(and 2 more)"));
    char text[600] = "{";
    for (int k = 0; k < 26; k++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s\"%c%c%c\": 1", k ? "," : "", 'a' + k, 'q', 'q');
    }
    strcat(text, "}");
    read_text(text, &scene, &problems);
    assert_int_equal(problems.count, 26);
}

static void places_are_found_behind_everything(void **state)
{
    (void)state;
    refused("{\n  \"title\": \"\\\"}],{ \xc3\xa4\", \"gravity\": [0, 0, 0],\n"
            "  \"blocks\": [{\"low\": [0, 0, 0], \"high\": [1, 1, 1]},\n"
            "             {\"low\": [0, 0, 0], \"hihg\": [1, 1, 1]}]}",
            "s.json:4:33: blocks.1.hihg");
    refused("{\"title\": \"\xc3\xa4\", \"gravity\": 0}", "s.json:1:16: gravity");
}

/* A run of it would move nothing, and say nothing. */
static void scenes_without_water_are_refused(void **state)
{
    (void)state;
    refused("{" GOOD "}", "s.json: the scene has no water: add a block, a ball or a pipe");
    refused("{" GOOD ", \"blocks\": [{\"low\": [2, 0, 0], \"high\": [3, 1, 1]}]}",
            "s.json: blocks.0: the block, from (2, 0, 0) to (3, 1, 1) m, lies outside the domain, from "
            "(0, 0, 0) to (1, 1, 1) m, so the scene has no water; move the block into the domain, or "
            "enlarge the domain");
    refused("{" GOOD ", \"balls\": [{\"center\": [0, 0, -2], \"radius\": 0.5}]}",
            "balls.0: the ball, from (-0.5, -0.5, -2.5) to (0.5, 0.5, -1.5) m, lies outside");
    accepted("{" GOOD ", " WATER ", \"balls\": [{\"center\": [0, 0, -2], \"radius\": 0.5}]}");
}

static void vectors_of_two_are_for_2d(void **state)
{
    (void)state;
    rni_scene *scene = NULL;
    assert_int_equal(
        read_text("{\"domain\": {\"high\": [1, 1]}, \"fluid\": {\"dim\": 2, \"spacing\": 0.1}, "
                  "\"blocks\": [{\"low\": [0, 0], \"high\": [0.5, 0.5]}]}",
                  &scene, NULL),
        RN_OK);
    rni_scene_free(scene);
    refused("{\"domain\": {\"high\": [1, 1]}, \"fluid\": {\"spacing\": 0.1}}", "domain.high");
}

static void built_in_scenes_are_right(void **state)
{
    (void)state;
    const rni_scene_builtin *builtin;
    uint32_t count = 0;
    for (; (builtin = rni_scene_builtin_at(count)) != NULL; count++) {
        rni_scene *scene = NULL;
        if (rni_scene_load(builtin->name, NULL, 0, &scene, NULL) != RN_OK)
            fail_msg("%s", rn_last_error());
        assert_true(strlen(scene->title) > 10);
        assert_true(strlen(scene->description) > 20);
        rni_scene_free(scene);
    }
    assert_int_equal(count, 18);
}

static void names_that_are_not_there_are_told(void **state)
{
    (void)state;
    rni_scene *scene = NULL;
    assert_int_equal(rni_scene_load("dam-braek", NULL, 0, &scene, NULL), RN_ERROR_FILE);
    assert_non_null(strstr(rn_last_error(), "did you mean dam-break?"));
    assert_int_equal(rni_scene_load("water-channel-2021", NULL, 0, &scene, NULL), RN_ERROR_FILE);
    assert_non_null(strstr(rn_last_error(), "did you mean papers/water-channel-2021?"));
    assert_int_equal(rni_scene_load("/", NULL, 0, &scene, NULL), RN_ERROR_FILE);
    assert_non_null(strstr(rn_last_error(), "is a folder"));
    assert_int_equal(rni_scene_load("xyzzy.json", NULL, 0, &scene, NULL), RN_ERROR_FILE);
    assert_non_null(strstr(rn_last_error(), "`runnel scenes`"));
    assert_null(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smallest_scene_is_read),
        cmocka_unit_test(unknown_names_are_told_with_what_was_meant),
        cmocka_unit_test(wrong_types_are_told),
        cmocka_unit_test(absurd_values_are_told),
        cmocka_unit_test(gauges_that_are_wrong_are_told),
        cmocka_unit_test(parts_that_do_not_fit_are_told),
        cmocka_unit_test(events_are_checked),
        cmocka_unit_test(broken_files_are_told),
        cmocka_unit_test(deep_and_large_files_are_refused),
        cmocka_unit_test(several_problems_are_told_up_to_ten),
        cmocka_unit_test(places_are_found_behind_everything),
        cmocka_unit_test(scenes_without_water_are_refused),
        cmocka_unit_test(vectors_of_two_are_for_2d),
        cmocka_unit_test(built_in_scenes_are_right),
        cmocka_unit_test(names_that_are_not_there_are_told),
    };
    return cmocka_run_group_tests_name("scene.read", tests, NULL, NULL);
}
