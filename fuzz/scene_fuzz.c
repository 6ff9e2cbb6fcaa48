/* Arbitrary bytes as a scene file, and as a setting. A scene that was read can be written and read
 * again. */
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A small scene becomes a fluid, or is refused with a sentence. */
static void build(const rni_scene *scene)
{
    if (rni_scene_derive(scene).particles > 2000 || scene->def.max_particles > 100000) return;
    for (uint32_t k = 0; k < scene->pipe_count; k++)
        if ((double)scene->pipes[k].radius > 20 * rni_scene_derive(scene).spacing) return;
    rn_fluid *fluid = NULL;
    rni_scene_how how = {.threads = 1};
    uint32_t event_next = 0;
    rn_result result = rni_scene_build(scene, &how, &fluid, NULL);
    for (int k = 0; k < 2 && result == RN_OK; k++) {
        result = rni_scene_advance(scene, fluid, &event_next);
        if (result == RN_OK) result = rn_fluid_step(fluid, NULL);
    }
    if (result != RN_OK && !rn_last_error()[0]) abort();
    if (fluid && rn_fluid_get_escaped_count(fluid) > rn_fluid_get_particles(fluid).count) abort();
    rn_fluid_destroy(fluid);
}

static void read_as_file(const uint8_t *data, size_t size)
{
    rni_scene *scene = NULL;
    rni_problems problems;
    rn_result result = rni_scene_read((const char *)data, size, "fuzz.json", &scene, &problems);
    if ((result == RN_OK) != (scene != NULL) || (result != RN_OK) != (problems.count > 0)) abort();
    if (!scene) return;
    if (rni_scene_check(scene, "fuzz.json", &problems) == RN_OK) build(scene);
    char *text = rni_scene_write(scene);
    rni_scene *back = NULL;
    if (!text || rni_scene_read(text, strlen(text), "back.json", &back, NULL) != RN_OK) abort();
    char *again = rni_scene_write(back);
    if (!again || strcmp(text, again) != 0) abort();
    free(again);
    free(text);
    rni_scene_free(back);
    rni_scene_free(scene);
}

static void read_as_setting(const uint8_t *data, size_t size)
{
    static const char *const FIRST =
        "{\"pipes\": [{\"center\": [0,0,0], \"direction\": [1,0,0], \"radius\": 1}],"
        "\"solids\": [{\"shape\": \"box\", \"center\": [0,0,0]}]}";
    rni_scene *scene = NULL;
    char *setting = malloc(size + 1);
    if (!setting || rni_scene_read(FIRST, strlen(FIRST), "first", &scene, NULL) != RN_OK) abort();
    memcpy(setting, data, size);
    setting[size] = 0;
    rni_problems problems = {0};
    rn_result result = rni_scene_set(scene, setting, &problems);
    if ((result != RN_OK) != (problems.count > 0)) abort();
    free(setting);
    rni_scene_free(scene);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_as_file(data, size);
    if (size < 4096) read_as_setting(data, size);
    return 0;
}
