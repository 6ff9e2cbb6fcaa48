/* Built-in scenes by name, others from files; then settings, then the check of the whole. */
#include "base/error.h"
#include "files/reader.h"
#include "scene/builtin.h"
#include "scene/check.h"
#include "scene/fluids.h"
#include "scene/meshes.h"
#include "scene/start_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const rni_scene_builtin *rni_scene_builtin_at(uint32_t place)
{
    return place < rni_scene_builtin_count ? &rni_scene_builtins[place] : NULL;
}

static const rni_scene_builtin *find_builtin(const char *name)
{
    for (uint32_t k = 0; k < rni_scene_builtin_count; k++)
        if (strcmp(rni_scene_builtins[k].name, name) == 0) return &rni_scene_builtins[k];
    return NULL;
}

static const char *near_builtin(const char *name)
{
    const char *words[64] = {NULL};
    uint32_t count = rni_scene_builtin_count < 63 ? rni_scene_builtin_count : 63;
    for (uint32_t k = 0; k < count; k++) words[k] = rni_scene_builtins[k].name;
    const char *near = rni_nearest_word((rni_text){name, name + strlen(name)}, words);
    for (uint32_t k = 0; !near && strlen(name) >= 3 && k < count; k++)
        if (strstr(words[k], name)) near = words[k];
    return near;
}

static rn_result refuse_open(const char *path, int error)
{
    const char *near = near_builtin(path);
    if (error != ENOENT)
        return rni_fail(RN_ERROR_FILE, "%s: cannot be read: %s", path, strerror(error));
    if (near)
        return rni_fail(
            RN_ERROR_FILE,
            "%s: there is no such file and no built-in scene of that name; did you mean %s?", path,
            near);
    return rni_fail(RN_ERROR_FILE,
                    "%s: there is no such file and no built-in scene of that name; `runnel scenes` "
                    "lists the built-in scenes",
                    path);
}

static rn_result refuse_folder(const char *path)
{
    char left[4096]; /* by a run */
    struct stat about;
    int length = snprintf(left, sizeof left, "%s/scene.json", path);
    bool is_run = length < (int)sizeof left && stat(left, &about) == 0;
    return rni_fail(RN_ERROR_FILE, "%s: is a folder; a scene is a JSON file%s%s", path,
                    is_run ? ". The run in this folder used " : "", is_run ? left : "");
}

/* The whole file, from malloc. */
static rn_result read_file(const char *path, char **text, size_t *bytes)
{
    struct stat about;
    *text = NULL;
    *bytes = 0;
    FILE *file = fopen(path, "rb");
    if (!file) return refuse_open(path, errno);
    rn_result result = RN_OK;
    if (fstat(fileno(file), &about) == 0 && S_ISDIR(about.st_mode)) {
        result = refuse_folder(path);
    } else if ((*text = malloc(RNI_SCENE_MAX_BYTES + 1)) == NULL) {
        result = rni_fail(RN_ERROR_MEMORY, "%s: no memory to read it", path);
    } else {
        *bytes = fread(*text, 1, RNI_SCENE_MAX_BYTES + 1, file);
        if (ferror(file))
            result = rni_fail(RN_ERROR_FILE, "%s: cannot be read: %s", path, strerror(errno));
    }
    fclose(file);
    return result;
}

/* Settings, then the checks of the whole scene, as far as it could be read: all problems at once. */
static rn_result finish(rni_reading *reading, const char *const *settings, uint32_t count,
                        rni_scene *scene)
{
    rni_problems *problems = reading->problems;
    rn_result result = problems->count ? RN_ERROR_FILE : RN_OK;
    if (rni_scene_set_all(scene, settings, count, problems) != RN_OK && result == RN_OK)
        result = RN_ERROR_ARGUMENT;
    rni_scene_fluids_ready(scene);
    if (rni_scene_meshes_resolve(scene, reading->name) != RN_OK)
        rni_problem_add(problems, "%s: %s", reading->name, rn_last_error());
    reading->told = problems->count;
    rni_scene_check_at(reading, scene);
    rni_scene_try_at(reading, scene);
    return rni_problems_result(problems, result == RN_OK ? RN_ERROR_FILE : result);
}

/* From the text of reading to a checked scene. On failure *scene is NULL. */
static rn_result take(rni_reading *reading, const char *const *settings, uint32_t count,
                      rni_scene **scene)
{
    rni_problems *problems = reading->problems;
    rni_scene *made = rni_scene_take(reading);
    *scene = NULL;
    if (!made)
        return problems->count ? rni_problems_result(problems, RN_ERROR_FILE) : RN_ERROR_MEMORY;
    rn_result result = finish(reading, settings, count, made);
    if (result == RN_OK) *scene = made;
    else rni_scene_free(made);
    return result;
}

static rn_result load_text(rn_fluid_preset preset, const char *text, size_t bytes, const char *name,
                           const char *const *settings, uint32_t count, rni_scene **scene,
                           rni_problems *problems)
{
    rni_problems own;
    if (!problems) problems = &own;
    problems->count = 0;
    rni_reading reading = {
        .name = name, .text = text, .bytes = bytes, .problems = problems, .preset = preset};
    return take(&reading, settings, count, scene);
}

rn_result rni_scene_load_text(const char *text, size_t bytes, const char *name,
                              const char *const *settings, uint32_t count, rni_scene **scene,
                              rni_problems *problems)
{
    return load_text(RN_PRESET_BALANCED, text, bytes, name, settings, count, scene, problems);
}

rn_result rni_scene_load(const char *name_or_path, const char *const *settings, uint32_t count,
                         rni_scene **scene, rni_problems *problems)
{
    return rni_scene_load_as(RN_PRESET_BALANCED, name_or_path, settings, count, scene, problems);
}

rn_result rni_scene_load_as(rn_fluid_preset preset, const char *name_or_path,
                            const char *const *settings, uint32_t count, rni_scene **scene,
                            rni_problems *problems)
{
    const rni_scene_builtin *builtin = find_builtin(name_or_path);
    if (builtin)
        return load_text(preset, builtin->text, builtin->bytes, name_or_path, settings, count,
                         scene, problems);
    char *text = NULL;
    size_t bytes = 0;
    *scene = NULL;
    rn_result result = read_file(name_or_path, &text, &bytes);
    if (result == RN_OK)
        result = load_text(preset, text, bytes, name_or_path, settings, count, scene, problems);
    else if (problems) {
        problems->count = 0;
        rni_problem_add(problems, "%s", rn_last_error());
    }
    free(text);
    if (result == RN_OK && (result = rni_start_file_resolve(*scene, name_or_path)) != RN_OK) {
        if (problems) rni_problem_add(problems, "%s: %s", name_or_path, rn_last_error());
        rni_scene_free(*scene);
        *scene = NULL;
    }
    return result;
}
