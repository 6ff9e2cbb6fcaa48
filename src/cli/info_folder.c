/* The folder of a run: its scene, progress, frames and checkpoints. */
#include "cli/info.h"

#include "base/error.h"
#include "output/checkpoint.h"
#include "output/vtp_read.h"
#include "scene/scene.h"

#include <jansson.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CHECKPOINTS_SHOWN 4u

static bool path_in(const rni_info *info, const char *name, char path[RNI_PATH_BYTES])
{
    int length = snprintf(path, RNI_PATH_BYTES, "%s/%s", info->path, name);
    return length < (int)RNI_PATH_BYTES && access(path, F_OK) == 0;
}

static void show_scene(rni_info *info)
{
    char path[RNI_PATH_BYTES];
    rni_scene *scene = NULL;
    if (!path_in(info, "scene.json", path)) return;
    if (rni_scene_load(path, NULL, 0, &scene, NULL) == RN_OK) {
        rni_info_text(info, "title", scene->title);
        if (scene->run_time > 0) rni_info_number(info, "run.time", scene->run_time, "s");
        if (scene->run_steps) rni_info_whole(info, "run.steps", scene->run_steps);
    } else {
        rni_info_text(info, "scene", "scene.json cannot be read");
    }
    rni_scene_free(scene);
}

static bool show_report(rni_info *info)
{
    static const char *const NUMBERS[] = {"steps", "particles", "escaped"};
    char path[RNI_PATH_BYTES];
    if (!path_in(info, "report.json", path)) return false;
    json_t *report = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
    const char *by = json_string_value(json_object_get(report, "ended_by"));
    const char *hash = json_string_value(json_object_get(report, "state_hash"));
    bool is_finished = json_is_true(json_object_get(report, "finished"));
    rni_info_text(info, "report", report ? "report.json" : "report.json cannot be read");
    rni_info_text(info, "finished", is_finished ? "yes" : "no");
    if (by) rni_info_text(info, "ended_by", by);
    rni_info_number(info, "simulated_s", json_number_value(json_object_get(report, "simulated_s")),
                    "s");
    for (unsigned k = 0; k < 3; k++) {
        json_int_t value = json_integer_value(json_object_get(report, NUMBERS[k]));
        if (value >= 0) rni_info_whole(info, NUMBERS[k], (uint64_t)value);
    }
    if (hash) rni_info_text(info, "state_hash", hash);
    json_decref(report);
    return true;
}

static void show_frames(rni_info *info)
{
    char path[RNI_PATH_BYTES];
    rni_pvd_info pvd;
    if (path_in(info, "gauges.csv", path)) rni_info_text(info, "gauges", "gauges.csv");
    if (path_in(info, "particles.h5", path)) rni_info_text(info, "frames_h5", "particles.h5");
    if (!path_in(info, "particles.pvd", path)) return;
    if (rni_pvd_read(path, &pvd) != RN_OK) {
        rni_info_text(info, "frames", "particles.pvd cannot be read");
        return;
    }
    rni_info_whole(info, "frames", pvd.frames);
    if (pvd.frames) rni_info_number(info, "last_frame", pvd.last, "s");
    if (pvd.missing) rni_info_whole(info, "missing_files", pvd.missing);
}

static void show_checkpoints(rni_info *info)
{
    static char paths[CHECKPOINTS_SHOWN][RNI_PATH_BYTES];
    uint32_t count = rni_checkpoint_list(info->path, paths, CHECKPOINTS_SHOWN);
    rni_info_whole(info, "checkpoints", count);
    if (count == 0) return;
    rni_checkpoint newest;
    if (rni_checkpoint_read(paths[0], &newest) == RN_OK) {
        rni_info_whole(info, "checkpoint_step", newest.run.step);
        rni_info_number(info, "checkpoint_time", newest.run.time, "s");
    } else {
        rni_info_text(info, "checkpoint", "the newest one cannot be read");
    }
    rni_checkpoint_release(&newest);
}

rn_result rni_info_folder(rni_info *info)
{
    char path[RNI_PATH_BYTES];
    bool is_run = path_in(info, "scene.json", path) || path_in(info, "report.json", path) ||
                  path_in(info, "particles.pvd", path) || path_in(info, "particles.h5", path) ||
                  rni_checkpoint_list(info->path, &path, 1) > 0;
    if (!is_run)
        return rni_fail(RN_ERROR_FILE, "%s: is a folder without a run; name a file in it",
                        info->path);
    rni_info_text(info, "kind", "folder of a run");
    show_scene(info);
    if (!show_report(info)) rni_info_text(info, "finished", "no");
    show_frames(info);
    show_checkpoints(info);
    if (path_in(info, "picture.png", path)) rni_info_text(info, "picture", "picture.png");
    return RN_OK;
}
