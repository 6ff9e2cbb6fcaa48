/* librunnel-scene: scenes for C programs. */
#include "fact.h"

#include <runnel/scene.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char DROP[] =
    "{\"title\": \"a drop\", \"description\": \"falls later\", \"run\": {\"time\": 0.5, \"every\": 0.1}, "
    "\"fluid\": {\"spacing\": 0.1}, \"domain\": {\"high\": [1, 1, 1]}, \"gravity\": [0, 0, 0], "
    "\"blocks\": [{\"low\": [0.3, 0.5, 0.3], \"high\": [0.6, 0.8, 0.6]}], "
    "\"events\": [{\"time\": 0.05, \"set\": {\"gravity\": [0, -9.81, 0]}}]}";

static rn_scene *open_drop(void)
{
    rn_scene_def def = rn_scene_def_default();
    rn_scene *scene = NULL;
    def.text = DROP;
    def.threads = 1;
    if (rn_scene_create(&def, &scene) != RN_OK) fail_msg("%s", rn_last_error());
    return scene;
}

static float lowest(rn_scene *scene)
{
    rn_fluid_particles p = rn_fluid_get_particles(rn_scene_get_fluid(scene));
    float y = INFINITY;
    for (uint32_t i = 0; i < p.count; i++) y = fminf(y, p.position[i][1]);
    return y;
}

static void events_are_applied_in_time(void **state)
{
    (void)state;
    rn_scene *scene = open_drop();
    rn_fluid_report report = rn_fluid_report_default();
    const float start = lowest(scene);
    assert_int_equal(rn_scene_advance(scene, 0.05, &report), RN_OK);
    assert_true(report.time >= 0.05 && report.particles == 27);
    const float before = lowest(scene);
    assert_true(fabsf(before - start) < 0.02f);
    assert_int_equal(rn_scene_advance(scene, 0.25, NULL), RN_OK);
    const double fallen = (double)(before - lowest(scene));
    if (fabs(fallen - 0.5 * 9.81 * 0.2 * 0.2) > 0.03) fail_msg("fallen by %g m", fallen);
    assert_int_equal(rn_scene_advance(scene, (double)NAN, NULL), RN_ERROR_ARGUMENT);
    rn_scene_destroy(scene);
}

static void gauges_are_found_by_name(void **state)
{
    (void)state;
    static const char *const SETTINGS[] = {
        "gauges=[{\"name\": \"all\", \"kind\": \"volume\", \"low\": [-9, -9, -9], "
        "\"high\": [9, 9, 9]}, {\"kind\": \"energy\"}]"};
    rn_scene_def def = rn_scene_def_default();
    rn_scene *scene = NULL;
    def.text = DROP, def.threads = 1;
    def.settings = SETTINGS, def.setting_count = 1;
    if (rn_scene_create(&def, &scene) != RN_OK) fail_msg("%s", rn_last_error());
    rn_fluid_id all, energy;
    assert_int_equal(rn_scene_get_gauge(scene, "all", &all), RN_OK);
    assert_int_equal(rn_scene_get_gauge(scene, "energy_1", &energy), RN_OK);
    assert_int_equal(rn_scene_get_gauge(scene, "energy", &energy), RN_ERROR_ARGUMENT);
    assert_int_equal(rn_scene_step(scene, NULL), RN_OK);
    rn_gauge_reading reading = rn_gauge_reading_default();
    assert_int_equal(rn_fluid_get_gauge(rn_scene_get_fluid(scene), all, &reading), RN_OK);
    assert_true(reading.sample_count == 1 && reading.value[0] > 0);
    rn_scene_destroy(scene);
}

/* Back to before an event: what it set is taken back, and it comes again. */
static void restored_states_run_the_same(void **state)
{
    (void)state;
    rn_scene *scene = open_drop();
    rn_fluid *fluid = rn_scene_get_fluid(scene);
    const uint64_t bytes = rn_fluid_get_state_bytes(fluid);
    void *start = malloc(bytes);
    assert_non_null(start);
    rn_fluid_write_state(fluid, start);
    assert_int_equal(rn_scene_advance(scene, 0.1, NULL), RN_OK);
    const uint64_t hash = rn_fluid_get_state_hash(fluid);
    assert_int_equal(rn_fluid_read_state(fluid, start, bytes), RN_OK);
    assert_int_equal(rn_scene_advance(scene, 0.1, NULL), RN_OK);
    assert_true(rn_fluid_get_state_hash(fluid) == hash);
    free(start);
    rn_scene_destroy(scene);
}

static void info_tells_what_the_scene_says(void **state)
{
    (void)state;
    rn_scene *scene = open_drop();
    rn_scene_info info = rn_scene_info_default();
    assert_int_equal(rn_scene_get_info(scene, &info), RN_OK);
    assert_string_equal(info.title, "a drop");
    assert_string_equal(info.description, "falls later");
    assert_true(info.run_time == 0.5 && info.run_every == 0.1 && info.run_steps == 0);
    assert_int_equal(info.water.added, 27);
    info.struct_bytes = 0;
    assert_int_equal(rn_scene_get_info(scene, &info), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "rn_scene_info_default()"));
    rn_scene_destroy(scene);
    assert_string_equal(rn_scene_get_builtin(0), "water-channel");
    uint32_t count = 0;
    while (rn_scene_get_builtin(count)) count++;
    assert_int_equal(count, 18);
}

typedef struct notes {
    uint32_t count;
    char path[10][64], text[10][200];
} notes;

static void note(void *user, const rn_scene_problem *problem)
{
    notes *n = user;
    snprintf(n->path[n->count], sizeof n->path[0], "%s", problem->path);
    snprintf(n->text[n->count], sizeof n->text[0], "%s", problem->text);
    n->count++;
}

static void every_problem_is_told_with_its_place(void **state)
{
    (void)state;
    const char *settings[] = {"fluid.seed=-1"};
    notes n = {0};
    rn_scene_def def = rn_scene_def_default();
    def.source = "mine.json";
    def.text =
        "{\n  \"fluid\": {\"spacing\": 0.1, \"viscosty\": 1},\n  \"domain\": {\"high\": [1, 1, 0]}\n}";
    def.on_problem = note;
    def.user = &n;
    def.settings = settings;
    def.setting_count = 1;
    rn_scene *scene = NULL;
    assert_int_equal(rn_scene_create(&def, &scene), RN_ERROR_FILE);
    assert_null(scene);
    assert_int_equal(n.count, 3);
    assert_string_equal(n.text[0],
                        "mine.json:2:29: fluid.viscosty: unknown; did you mean viscosity?");
    assert_string_equal(n.path[1], "fluid.seed");
    assert_string_equal(n.path[2], "domain.high");
    assert_non_null(strstr(rn_last_error(), "mine.json:2:29: fluid.viscosty"));
    assert_non_null(strstr(rn_last_error(), "(and 2 more)"));
}

static void calls_that_cannot_work_are_refused(void **state)
{
    (void)state;
    rn_scene *scene = NULL;
    rn_scene_def def = {0};
    assert_int_equal(rn_scene_create(&def, &scene), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "rn_scene_def_default()"));
    def = rn_scene_def_default();
    assert_int_equal(rn_scene_create(&def, &scene), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "no source and no text"));
    def.source = "dam-brake";
    assert_int_equal(rn_scene_create(&def, &scene), RN_ERROR_FILE);
    assert_non_null(strstr(rn_last_error(), "did you mean dam-break?"));
    def.setting_count = 1;
    assert_int_equal(rn_scene_create(&def, &scene), RN_ERROR_ARGUMENT);
    /* What only the fluid finds is a problem as others are. */
    notes n = {0};
    def = rn_scene_def_default();
    def.text =
        "{\"fluid\": {\"spacing\": 0.1}, \"domain\": {\"high\": [1, 1, 1]}, \"blocks\": [{\"low\": [0, 0, 0], "
        "\"high\": [1, 1, 1]}], \"solids\": [{\"shape\": \"sphere\", \"center\": [0.5, 0.5, 0.5], \"radius\": 5}]}";
    def.on_problem = note;
    def.user = &n;
    assert_int_equal(rn_scene_create(&def, &scene), RN_ERROR_FILE);
    assert_int_equal(n.count, 1);
    assert_non_null(strstr(n.text[0], "blocks.0: the scene has no water"));
    rn_scene_destroy(NULL);
}

static void frames_are_written_whole(void **state)
{
    (void)state;
    char path[] = "/tmp/runnel_scene_library_XXXXXX", text[4096] = "";
    int handle = mkstemp(path);
    assert_true(handle >= 0);
    close(handle);
    rn_scene *scene = open_drop();
    assert_int_equal(rn_scene_write_vtp(scene, path), RN_OK);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 1000);
    fclose(file);
    assert_non_null(strstr(text, "NumberOfPoints=\"27\""));
    assert_non_null(strstr(text, "Name=\"velocity\""));
    remove(path);
    assert_int_equal(rn_scene_write_vtp(scene, "/nowhere/at/all.vtp"), RN_ERROR_FILE);
    assert_non_null(strstr(rn_last_error(), "/nowhere/at/all.vtp"));
    assert_int_equal(rn_scene_write_vtp(scene, NULL), RN_ERROR_ARGUMENT);
    rn_frame frame = rn_frame_default();
    frame.struct_bytes = 1;
    assert_int_equal(rn_frame_write_vtp(&frame, path), RN_ERROR_ARGUMENT);
    rn_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_applied_in_time),
        cmocka_unit_test(gauges_are_found_by_name),
        cmocka_unit_test(restored_states_run_the_same),
        cmocka_unit_test(info_tells_what_the_scene_says),
        cmocka_unit_test(every_problem_is_told_with_its_place),
        cmocka_unit_test(calls_that_cannot_work_are_refused),
        cmocka_unit_test(frames_are_written_whole),
    };
    return cmocka_run_group_tests_name("scene.library", tests, NULL, NULL);
}
