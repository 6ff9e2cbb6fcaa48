#include "session/run.h"

#include "base/clock.h"
#include "base/error.h"
#include "files/out_file.h"
#include "fluid/derived.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECKPOINTS_OF_A_RUN 10.0

/* --- options ------------------------------------------------------------------------------------- */

/* "vtp,h5"; "none". */
static const char *formats_text(uint64_t formats, char text[32])
{
    text[0] = 0;
    for (uint32_t k = 0; k < RNI_FORMAT_COUNT; k++)
        if (formats >> k & 1) {
            if (text[0]) strcat(text, ",");
            strcat(text, rni_format_name(k));
        }
    return text[0] ? text : "none";
}

static void take_end(rni_run *run)
{
    run->end_step = run->scene->run_steps;
    run->end_time = run->scene->run_time;
    if (run->end_step > 0 && !(run->end_time > 0)) run->end_time = HUGE_VAL;
}

/* Intervals of frames and checkpoints: as given, else those of the scene. */
static void set_intervals(rni_run *run)
{
    const rni_run_options *o = run->options;
    double length = run->end_time;
    if (!isfinite(length))
        length = (double)run->end_step * (double)rni_fluid_derived_of(run->fluid).time_step;
    run->state.output_every = o->has_every ? o->every : run->scene->run_every;
    run->state.checkpoint_every =
        o->has_checkpoint_every ? o->checkpoint_every : length / CHECKPOINTS_OF_A_RUN;
    if (run->state.checkpoint_every > 0)
        run->state.checkpoint_every = fmax(run->state.checkpoint_every, RNI_EVERY_MIN);
    run->state.output_next = 1;
    run->state.checkpoint_next = 1;
}

/* --- the scene ------------------------------------------------------------------------------------- */

/* --time, --steps and --every are part of the scene from here on, so that a resumed run knows its end.
 * They replace the former end: --time removes the number of steps, --steps the time. A scene cannot
 * express --every 0; one frame per run is the same. */
static void put_options(rni_run *run)
{
    const rni_run_options *o = run->options;
    rni_scene *scene = run->scene;
    if (!scene) return;
    bool has_time = o->has_time, has_steps = o->has_steps;
    if (has_time || has_steps) {
        scene->run_time = has_time ? o->time : 0;
        scene->run_steps = has_steps ? o->steps : 0;
    }
    if (!o->has_every) return;
    double every = o->every;
    scene->run_every = every > 0 ? every : fmax(scene->run_every, scene->run_time);
}

/* The text of the scene as it is now. */
static rn_result take_text(rni_run *run)
{
    free(run->scene_text);
    run->scene_text = rni_scene_write(run->scene);
    return run->scene_text ? RN_OK : rni_run_fail(run, "no memory for the text of the scene");
}

/* The scene of the checkpoint that was named as one. */
static rn_result load_start(rni_run *run)
{
    rni_problems problems = {0};
    if (run->options->setting_count > 0)
        return rni_run_misuse(
            run, "--set: a checkpoint continues with the scene that is in it; `runnel view` can "
                 "change it");
    if (rni_checkpoint_read(run->scene_name, &run->start) != RN_OK)
        return rni_run_fail(run, "%s", rn_last_error());
    rn_result result = rni_scene_read(run->start.scene, run->start.scene_bytes, run->scene_name,
                                      &run->scene, &problems);
    if (result == RN_OK) {
        put_options(run);
        result = rni_scene_check(run->scene, run->scene_name, &problems);
    }
    if (result != RN_OK)
        return rni_run_fail(run, "%s", problems.count ? problems.text[0] : rn_last_error());
    return take_text(run);
}

static rn_result load_scene(rni_run *run)
{
    rni_problems problems = {0};
    const rni_run_options *o = run->options;
    rn_result code =
        rni_scene_load(run->scene_name, o->settings, o->setting_count, &run->scene, &run->problems);
    if (code != RN_OK) {
        run->is_misuse = code == RN_ERROR_ARGUMENT;
        snprintf(run->failure, sizeof run->failure, "%s", rn_last_error());
        return code;
    }
    put_options(run);
    if (rni_scene_check(run->scene, run->scene_name, &problems) != RN_OK)
        return rni_run_misuse(run, "%s", rn_last_error());
    return take_text(run);
}

/* --- what both write -------------------------------------------------------------------------------------- */

static rn_result write_scene(const rni_run *run)
{
    char path[RNI_PATH_BYTES];
    rni_out_file out;
    rni_run_path(run, "scene.json", path);
    rn_result result = rni_out_file_open(path, &out);
    if (result != RN_OK) return result;
    rni_out_file_text(&out, run->scene_text);
    return rni_out_file_close(&out);
}

/* --- one that goes on -------------------------------------------------------------------------------- */

/* The first line in which two texts differ. */
static void show_difference(char text[400], const char *theirs, const char *ours)
{
    size_t line = 1;
    while (*theirs && *theirs == *ours) {
        line += *theirs == '\n';
        theirs++, ours++;
    }
    while (theirs[-1] != '\n' && line > 1) theirs--, ours--;
    int length[2] = {(int)strcspn(theirs, "\n"), (int)strcspn(ours, "\n")};
    snprintf(text, 400, "line %zu is '%.*s' there and '%.*s' here", line,
             length[0] < 100 ? length[0] : 100, theirs, length[1] < 100 ? length[1] : 100, ours);
}

static bool is_search_method(uint64_t method)
{
    const rn_search_method_info *info;
    for (uint32_t place = 0; (info = rn_search_get_method_info(place)) != NULL; place++)
        if ((uint64_t)info->method == method) return true;
    return method == RN_SEARCH_DEFAULT;
}

/* Whether the options agree with those that the run was started with. */
static rn_result check_options(rni_run *run, const rni_run_state *then)
{
    const rni_run_options *o = run->options;
    char formats[32];
    if (o->has_format && o->formats != then->formats)
        return rni_run_misuse(run, "--format: the run was started with %s and cannot change",
                              formats_text(then->formats, formats));
    if (!rn_fluid_choice_name(RN_CHOICE_TRAVERSAL, (uint32_t)then->traversal) ||
        then->traversal > UINT32_MAX || !is_search_method(then->search) || then->cpu > RN_CPU_AVX512)
        return rni_run_fail(run,
                            "%s: the checkpoint names a traversal, a search or an instruction "
                            "set that this version does not have",
                            run->folder);
    bool is_other = (o->has_cpu && run->how.cpu != then->cpu) ||
                    (o->has_traversal && run->how.traversal != then->traversal) ||
                    (o->has_search && run->how.search != then->search);
    if (is_other)
        rni_run_say(run,
                    "the run was started with --traversal %s --cpu %s; from here on the result "
                    "differs "
                    "from that of an uninterrupted run",
                    rn_fluid_choice_name(RN_CHOICE_TRAVERSAL, (uint32_t)then->traversal),
                    rn_cpu_level_name((rn_cpu_level)then->cpu));
    if (!o->has_traversal && !o->has_search)
        run->how.traversal = (rn_fluid_traversal)then->traversal,
        run->how.search = (rn_search_method)then->search;
    if (!o->has_cpu) run->how.cpu = (rn_cpu_level)then->cpu;
    return RN_OK;
}

/* Whether the scene that was named is that of the checkpoint. The end may differ; the interval of
 * frames stays as it was, unless --every is given. */
static rn_result compare_scenes(rni_run *run, const rni_checkpoint *checkpoint, rni_scene *theirs)
{
    char where[400];
    double every = run->scene->run_every;
    if (!run->options->has_every) run->scene->run_every = theirs->run_every;
    theirs->run_time = run->scene->run_time;
    theirs->run_steps = run->scene->run_steps;
    theirs->run_every = run->scene->run_every;
    rn_result code = take_text(run);
    char *text = rni_scene_write(theirs);
    if (code == RN_OK && !text) code = rni_run_fail(run, "no memory");
    if (code == RN_OK && text && strcmp(run->scene_text, text) != 0) {
        show_difference(where, text, run->scene_text);
        code = rni_run_fail(run,
                            "--resume: %s holds a run of another scene: %s; leave out SCENE and "
                            "--set to "
                            "continue it unchanged",
                            run->folder, where);
    } else if (code == RN_OK && every != run->scene->run_every) {
        char rhythm[48] = "only at the start and the end";
        if (checkpoint->run.output_every > 0)
            snprintf(rhythm, sizeof rhythm, "every %g s", checkpoint->run.output_every);
        rni_run_say(run, "frames are written %s as before; --every changes that", rhythm);
    }
    free(text);
    return code;
}

/* The scene of the checkpoint, which must be the one that was named, if one was. *is_good is false, with
 * the reason in rn_last_error(), when there is no scene in it. */
static rn_result take_scene(rni_run *run, const rni_checkpoint *checkpoint, const char *path,
                            bool *is_good)
{
    rni_scene *theirs = NULL;
    rni_problems problems = {0};
    rn_result result =
        rni_scene_read(checkpoint->scene, checkpoint->scene_bytes, "checkpoint", &theirs, &problems);
    if (result == RN_OK && run->scene) {
        rn_result code = compare_scenes(run, checkpoint, theirs);
        rni_scene_free(theirs);
        *is_good = code == RN_OK;
        return code;
    }
    run->scene = theirs;
    if (result == RN_OK) {
        put_options(run);
        result = rni_scene_check(run->scene, "checkpoint", &problems);
    }
    *is_good = result == RN_OK;
    if (*is_good) return take_text(run);
    char reason[600];
    snprintf(reason, sizeof reason, "%s", problems.count ? problems.text[0] : rn_last_error());
    rni_fail(result, "%s: %s", path, reason);
    return RN_OK;
}

/* Drops the scene of an unusable checkpoint, unless the user has named the scene. */
static void drop_scene(rni_run *run)
{
    if (run->options->scene) return;
    rni_scene_free(run->scene);
    run->scene = NULL;
}

/* Whether n * every is the next time after this one, or came within the last step and could not be
 * saved. */
static bool is_next(const rni_run_state *s, uint64_t n, double every)
{
    double slack = 1e-5 * (s->time + every), due = (double)n * every;
    if (every <= 0) return true;
    return n >= 1 && due - every <= s->time + slack && due >= s->time - s->step_max - slack;
}

/* Compares the run section with the state of the fluid. */
static rn_result check_state(const rni_run *run, const rni_run_state *s)
{
    unsigned long long step = (unsigned long long)rn_fluid_get_step_count(run->fluid);
    double time = rn_fluid_get_time(run->fluid);
    if (step != s->step || rn_fluid_get_state_hash(run->fluid) != s->state_hash)
        return rni_fail(RN_ERROR_FILE, "the state does not match its header: step %llu", step);
    if (time != s->time)
        return rni_fail(RN_ERROR_FILE, "the state is at %.9g s, the run at %.9g s", time, s->time);
    if (!is_next(s, s->output_next, s->output_every) ||
        !is_next(s, s->checkpoint_next, s->checkpoint_every))
        return rni_fail(RN_ERROR_FILE,
                        "the next frame is number %llu every %g s, the next checkpoint %llu "
                        "every %g s; "
                        "that does not match the time, %.9g s",
                        (unsigned long long)s->output_next, s->output_every,
                        (unsigned long long)s->checkpoint_next, s->checkpoint_every, s->time);
    return RN_OK;
}

/* Restores the fluid; false with the reason in rn_last_error(). */
static bool revive(rni_run *run, const rni_checkpoint *checkpoint, const char *path)
{
    run->how.is_dry = true;
    rn_result result = rni_scene_build(run->scene, &run->how, &run->fluid, &run->built);
    if (result == RN_OK)
        result = rn_fluid_read_state(run->fluid, checkpoint->fluid, checkpoint->fluid_bytes);
    if (result == RN_OK) result = check_state(run, &checkpoint->run);
    if (result == RN_OK) return true;
    char reason[600];
    snprintf(reason, sizeof reason, "%s", rn_last_error());
    rni_fail(result, "%s: %s", path, reason);
    rn_fluid_destroy(run->fluid);
    run->fluid = NULL;
    return false;
}

/* --- a new run -------------------------------------------------------------------------------------- */

/* Builds the fluid of a new run; the folder is not touched. */
static rn_result make_water(rni_run *run)
{
    if (rni_scene_build(run->scene, &run->how, &run->fluid, &run->built) != RN_OK)
        return rni_run_fail(run, "%s: %s", run->scene_name, rn_last_error());
    const rn_fluid_added *water = &run->built.water;
    if (water->in_walls || water->overlapping)
        rni_run_say(run,
                    "%s: %u particles were left out because they are inside walls, %u because they "
                    "overlap others",
                    run->scene_name, water->in_walls, water->overlapping);
    if (water->outside_domain)
        rni_run_say(run, "%s: %u particles were left out because they lie outside the domain",
                    run->scene_name, water->outside_domain);
    const rn_fluid_derived d = rni_fluid_derived_of(run->fluid);
    if (d.time_step > d.longest_step)
        rni_run_say(run,
                    "%s: time.step, %g s, is longer than any stable step; every step is split into "
                    "parts of the safe %.3g s",
                    run->scene_name, (double)d.time_step, (double)d.safe_step);
    set_intervals(run);
    return RN_OK;
}

/* The same from a checkpoint, whose sums continue; frames are counted from 0. */
static rn_result take_water(rni_run *run)
{
    rni_run_state then = run->start.run;
    then.formats = run->state.formats;
    rn_result code = check_options(run, &then);
    if (code != RN_OK) return code;
    then.output_every = then.checkpoint_every = 0;
    then.output_next = then.checkpoint_next = 1;
    then.frame_count = then.frame_step = 0;
    run->start.run = then;
    if (!revive(run, &run->start, run->scene_name)) return rni_run_fail(run, "%s", rn_last_error());
    run->state = then;
    set_intervals(run);
    rni_run_state *s = &run->state;
    if (s->output_every > 0) s->output_next = rni_next_due(s->time, s->output_every);
    if (s->checkpoint_every > 0) s->checkpoint_next = rni_next_due(s->time, s->checkpoint_every);
    run->is_resumed = true;
    run->resumed_step = then.step;
    rni_run_say(run, "continuing from step %llu, %.6g s of %s", (unsigned long long)then.step,
                then.time, run->scene_name);
    return RN_OK;
}

/* No step has computed the densities yet. */
static rn_result save_first_frame(rni_run *run)
{
    rn_result result = rn_fluid_update_density(run->fluid);
    return result == RN_OK ? rni_run_save_frame(run) : result;
}

static rn_result start_new(rni_run *run)
{
    rn_result code = rni_run_folder_check(run);
    if (code != RN_OK) return code;
    run->state.formats = run->options->formats;
    /* The fluid first: a scene that cannot be built must not clear the folder. */
    code = run->start.held ? take_water(run) : make_water(run);
    if (code != RN_OK) return code;
    run->state.traversal = run->how.traversal;
    run->state.search = run->how.search;
    run->state.cpu = run->how.cpu;
    run->checkpoint_wall = rni_seconds();
    run->wall_begin = run->checkpoint_wall - run->state.wall_s;
    rni_run_folder_clear(run);
    /* A checkpoint first: with it --resume knows how the run was started, whatever else is missing. */
    rn_result result = rni_run_save_checkpoint(run);
    if (result == RN_OK) result = write_scene(run);
    if (result == RN_OK) result = rni_series_begin(&run->series, run->folder, run->state.formats);
    if (result == RN_OK) result = rni_run_save_solids(run);
    if (result == RN_OK) result = rni_run_gauges_begin(run);
    if (result == RN_OK) result = rni_run_film_begin(run);
    if (result == RN_OK) result = save_first_frame(run);
    return result == RN_OK ? RN_OK : rni_run_fail(run, "%s", rn_last_error());
}

/* --- from a folder --------------------------------------------------------------------------------- */

static rn_result take_checkpoint(rni_run *run, rni_checkpoint *checkpoint, const char *path,
                                 bool *is_good)
{
    bool is_sound = false;
    *is_good = false;
    rn_result code = take_scene(run, checkpoint, path, &is_sound);
    if (code == RN_OK && is_sound) code = check_options(run, &checkpoint->run);
    if (code != RN_OK) return code;
    if (!is_sound || !revive(run, checkpoint, path)) {
        drop_scene(run);
        return RN_OK;
    }
    if (!run->options->scene) {
        rni_run_path(run, "scene.json", run->left_scene);
        run->scene_name = run->left_scene;
    }
    run->state = checkpoint->run;
    run->is_resumed = true;
    run->resumed_step = run->checkpoint_step = run->state.step;
    *is_good = true;
    return RN_OK;
}

/* New intervals of frames and checkpoints, if given. */
static void reset_intervals(rni_run *run)
{
    const rni_run_options *o = run->options;
    rni_run_state *s = &run->state;
    if (o->has_every) s->output_every = o->every;
    if (o->has_checkpoint_every) s->checkpoint_every = o->checkpoint_every;
    if (o->has_every && s->output_every > 0)
        s->output_next = rni_next_due(s->time, s->output_every);
    if (o->has_checkpoint_every && s->checkpoint_every > 0)
        s->checkpoint_next = rni_next_due(s->time, s->checkpoint_every);
}

/* The frames that count: the first, which the checkpoint of the start does not have yet; at the end of a
 * run also the one of the end, which its checkpoint does not count and which cannot be made again. */
static rn_result take_frames(rni_run *run)
{
    rni_run_state *s = &run->state;
    bool has_last =
        rni_run_is_at_end(run) && s->frame_step != s->step &&
        rni_series_has(run->folder, s->formats, s->frame_count, s->step) &&
        rni_series_resume(&run->series, run->folder, s->formats, s->frame_count + 1) == RN_OK;
    if (has_last) {
        s->frame_count++;
        s->frame_step = s->step;
        return RN_OK;
    }
    rn_result result = rni_series_resume(&run->series, run->folder, s->formats, s->frame_count);
    if (result == RN_OK) result = rni_run_save_solids(run);
    return result == RN_OK && s->frame_count == 0 ? save_first_frame(run) : result;
}

static rn_result go_on(rni_run *run)
{
    reset_intervals(run);
    take_end(run);
    run->checkpoint_wall = rni_seconds();
    run->wall_begin = run->checkpoint_wall - run->state.wall_s;
    if (take_frames(run) != RN_OK) return rni_run_fail(run, "--resume: %s", rn_last_error());
    if (run->series.missing_count)
        rni_run_say(run, "%llu frames are left out of the list: %s",
                    (unsigned long long)run->series.missing_count, rn_last_error());
    if (write_scene(run) != RN_OK || rni_run_gauges_resume(run) != RN_OK)
        return rni_run_fail(run, "--resume: %s", rn_last_error());
    rni_run_folder_unfinish(run);
    rni_run_say(run, "continuing from step %llu, %.6g s", (unsigned long long)run->state.step,
                run->state.time);
    return RN_OK;
}

/* Continues from the newest complete checkpoint. *has_any: whether there is any checkpoint. */
static rn_result resume(rni_run *run, bool *has_any)
{
    char paths[4][RNI_PATH_BYTES];
    uint32_t count = rni_checkpoint_list(run->folder, paths, 4);
    *has_any = count > 0;
    for (uint32_t k = 0; k < count; k++) {
        rni_checkpoint checkpoint;
        bool is_good = false;
        rn_result code = RN_OK;
        if (rni_checkpoint_read(paths[k], &checkpoint) == RN_OK)
            code = take_checkpoint(run, &checkpoint, paths[k], &is_good);
        if (!is_good && code == RN_OK)
            rni_run_say(run, "%s%s", rn_last_error(),
                        k + 1 < count ? "; trying the one before it" : "");
        rni_checkpoint_release(&checkpoint);
        if (code != RN_OK) return code;
        if (is_good) return go_on(run);
    }
    if (count == 0) return RN_OK;
    return rni_run_fail(run, "--resume: no checkpoint in %s can be used; --force starts over",
                        run->folder);
}

/* --resume without a scene and without a checkpoint: the scene is the scene.json of the run. */
static rn_result load_left_scene(rni_run *run)
{
    rni_run_path(run, "scene.json", run->left_scene);
    if (access(run->left_scene, F_OK) != 0)
        return rni_run_fail(run, "--resume: there is no run in %s; name a scene to start one",
                            run->folder);
    run->scene_name = run->left_scene;
    return load_scene(run);
}

rn_result rni_run_read(rni_run *run)
{
    const rni_run_options *o = run->options;
    bool is_named = o->scene != NULL, resumes = o->resumes;
    run->checkpoint_step = UINT64_MAX;
    run->scene_name = is_named ? o->scene : rni_scene_builtin_at(0)->name;
    run->how = o->how;
    if (run->how.cpu == RN_CPU_AUTO) run->how.cpu = rn_cpu_best();
    if (resumes && o->is_forced)
        return rni_run_misuse(run, "--resume continues and --force starts over; choose one");
    bool needs_scene = is_named || !resumes;
    if (!needs_scene && o->setting_count > 0)
        return rni_run_misuse(
            run, "--set with --resume: a run continues with the scene it was started with");
    bool is_checkpoint = is_named && rni_checkpoint_is_named(run->scene_name);
    if (!needs_scene) return RN_OK;
    return is_checkpoint ? load_start(run) : load_scene(run);
}

/* From a checkpoint in the folder, or from the beginning. */
static rn_result start(rni_run *run)
{
    bool resumes = run->options->resumes, has_any = false;
    rn_result code = rni_run_folder_open(run);
    if (code == RN_OK && resumes) code = resume(run, &has_any);
    if (code != RN_OK) return code;
    if (!run->scene) code = load_left_scene(run);
    if (code != RN_OK || !run->scene) return code;
    take_end(run);
    if (run->fluid) return RN_OK;
    if (resumes)
        rni_run_say(run, "there is no checkpoint in %s yet; starting from the beginning",
                    run->folder);
    return start_new(run);
}

rn_result rni_run_start(rni_run *run)
{
    rn_result code = start(run);
    if (code != RN_OK) return code;
    if (run->options->has_wall) run->wall_limit = rni_seconds() + run->options->wall;
    if (run->is_resumed && rni_run_is_at_end(run))
        rni_run_say(run, "the run is already complete; a larger --time or --steps continues it");
    return RN_OK;
}
