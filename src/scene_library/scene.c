/* librunnel-scene: scene files for C programs, on top of src/scene and src/output. */
#include <runnel/scene.h>

#include "base/error.h"
#include "base/output.h"
#include "output/frame_files.h"
#include "scene/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rn_scene {
    rni_scene *scene;
    rn_fluid *fluid;
    rni_scene_built built;
    uint32_t event_next;
    double last_time; /* s: of the fluid when events were last applied */
};

/* --- create, destroy -------------------------------------------------------------------------- */
rn_scene_def rn_scene_def_default(void)
{
    return (rn_scene_def){.struct_bytes = sizeof(rn_scene_def)};
}

static rn_result check_def(const rn_scene_def *def)
{
    if (def->struct_bytes != sizeof *def)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "the rn_scene_def has struct_bytes %u instead of %zu; start from "
                        "rn_scene_def_default()",
                        def->struct_bytes, sizeof *def);
    if (!def->source && !def->text)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "the rn_scene_def has no source and no text; set source to a scene file or "
                        "to a built-in name, e.g. \"dam-break\"");
    if (def->setting_count > 0 && !def->settings)
        return rni_fail(RN_ERROR_ARGUMENT, "setting_count is %u, but settings is NULL",
                        def->setting_count);
    return RN_OK;
}

static rn_result load(const rn_scene_def *def, rni_scene **scene, rni_problems *problems)
{
    if (!def->text)
        return rni_scene_load(def->source, def->settings, def->setting_count, scene, problems);
    size_t bytes = def->text_bytes > 0 ? def->text_bytes : strlen(def->text);
    return rni_scene_load_text(def->text, bytes, def->source ? def->source : "scene", def->settings,
                               def->setting_count, scene, problems);
}

static void report_problems(const rn_scene_def *def, const rni_problems *problems)
{
    if (!def->on_problem) return;
    for (uint32_t k = 0; k < problems->count && k < RNI_MAX_PROBLEMS; k++)
        def->on_problem(def->user, &(rn_scene_problem){problems->path[k], problems->text[k]});
}

static rn_result build(const rn_scene_def *def, rn_scene *made)
{
    const rni_scene_how how = {.traversal = def->traversal,
                               .search = def->search,
                               .threads = def->threads,
                               .cpu = def->cpu,
                               .allocator = def->allocator,
                               .tasks = def->tasks};
    rni_problems *problems = calloc(1, sizeof *problems);
    if (!problems) return rni_fail(RN_ERROR_MEMORY, "no memory for the scene");
    rn_result result = load(def, &made->scene, problems);
    if (result == RN_OK) {
        result = rni_scene_build(made->scene, &how, &made->fluid, &made->built);
        if (result != RN_OK && result != RN_ERROR_MEMORY) {
            problems->count = 1;
            problems->path[0][0] = 0;
            snprintf(problems->text[0], sizeof problems->text[0], "%s", rn_last_error());
        }
    }
    if (result != RN_OK) report_problems(def, problems);
    free(problems);
    return result;
}

rn_result rn_scene_create(const rn_scene_def *def, rn_scene **scene)
{
    *scene = NULL;
    rn_result result = check_def(def);
    if (result != RN_OK) return result;
    rn_scene *made = calloc(1, sizeof *made);
    if (!made) return rni_fail(RN_ERROR_MEMORY, "no memory for the scene");
    made->last_time = -HUGE_VAL;
    result = build(def, made);
    if (result != RN_OK) {
        rn_scene_destroy(made);
        return result;
    }
    *scene = made;
    return RN_OK;
}

void rn_scene_destroy(rn_scene *scene)
{
    if (!scene) return;
    rn_fluid_destroy(scene->fluid);
    rni_scene_free(scene->scene);
    free(scene);
}

/* --- reading ---------------------------------------------------------------------------------- */
rn_scene_info rn_scene_info_default(void)
{
    return (rn_scene_info){.struct_bytes = sizeof(rn_scene_info),
                           .title = "",
                           .description = "",
                           .water = rn_fluid_added_default()};
}

rn_result rn_scene_get_info(const rn_scene *scene, rn_scene_info *info)
{
    const size_t first_bytes = RNI_OUTPUT_BYTES(rn_scene_info, water);
    rn_result result = rni_output_check(info, first_bytes, "rn_scene_info");
    if (result != RN_OK) return result;
    rn_scene_info full = rn_scene_info_default();
    full.run_steps = scene->scene->run_steps;
    full.run_time = scene->scene->run_time;
    full.run_every = scene->scene->run_every;
    full.title = scene->scene->title;
    full.description = scene->scene->description;
    full.water = scene->built.water;
    full.water.struct_bytes = sizeof full.water;
    rni_output_write(info, &full, sizeof full);
    return RN_OK;
}

rn_fluid *rn_scene_get_fluid(rn_scene *scene)
{
    return scene->fluid;
}

rn_result rn_scene_get_gauge(const rn_scene *scene, const char *name, rn_fluid_id *id)
{
    for (uint32_t k = 0; k < scene->scene->gauge_count; k++)
        if (strcmp(rni_scene_gauge_label(scene->scene, k).text, name) == 0) {
            *id = scene->built.gauge[k];
            return RN_OK;
        }
    return rni_fail(RN_ERROR_ARGUMENT, "the scene has no gauge named '%s'", name);
}

const char *rn_scene_get_builtin(uint32_t index)
{
    const rni_scene_builtin *builtin = rni_scene_builtin_at(index);
    return builtin ? builtin->name : NULL;
}

/* --- running ---------------------------------------------------------------------------------- */
/* A fluid whose state was restored from an earlier time begins with the parameters of the start. */
static rn_result apply_events(rn_scene *s)
{
    const double now = rn_fluid_get_time(s->fluid);
    rn_result result = RN_OK;
    if (now < s->last_time) {
        s->event_next = 0;
        result = rn_fluid_set_params(s->fluid, &s->scene->def.params);
    }
    if (result == RN_OK) result = rni_scene_advance(s->scene, s->fluid, &s->event_next);
    if (result == RN_OK) s->last_time = now;
    return result;
}

rn_result rn_scene_step(rn_scene *scene, rn_fluid_report *report)
{
    rn_result result = apply_events(scene);
    return result == RN_OK ? rn_fluid_step(scene->fluid, report) : result;
}

rn_result rn_scene_advance(rn_scene *scene, double time, rn_fluid_report *report)
{
    if (!isfinite(time))
        return rni_fail(RN_ERROR_ARGUMENT, "the time to advance to is %g; it must be finite", time);
    rn_result result = RN_OK;
    while (result == RN_OK && rn_fluid_get_time(scene->fluid) < time)
        result = rn_scene_step(scene, report);
    return result;
}

/* --- writing ---------------------------------------------------------------------------------- */
rn_result rn_frame_write_vtp(const rn_frame *frame, const char *path)
{
    if (frame->struct_bytes != sizeof *frame)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "the rn_frame has struct_bytes %u instead of %zu; start from "
                        "rn_frame_default()",
                        frame->struct_bytes, sizeof *frame);
    if (!path) return rni_fail(RN_ERROR_ARGUMENT, "the path of the file is NULL");
    return rni_vtp_write(path, frame);
}

rn_result rn_scene_write_vtp(const rn_scene *scene, const char *path)
{
    rn_frame frame = rn_frame_default();
    rn_result result = rn_fluid_get_frame(scene->fluid, &frame);
    return result == RN_OK ? rn_frame_write_vtp(&frame, path) : result;
}
