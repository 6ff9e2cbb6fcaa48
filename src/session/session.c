#include "session/session.h"

#include "base/clock.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPORT_S 0.1
/* How far the simulation may lag before it stops trying to catch up, s. */
#define LAG_S 0.1

/* --- opening -------------------------------------------------------------------------------------- */

static const char *file_name(const char *path)
{
    const char *last = strrchr(path, '/');
    return last ? last + 1 : path;
}

/* Puts the path before the sentence of the last failure, unless it begins with it. */
static rn_result fail_at(const char *path, const char *sentence)
{
    char reason[512];
    bool is_named = strncmp(sentence, path, strlen(path)) == 0;
    snprintf(reason, sizeof reason, "%s", sentence);
    return rni_fail(RN_ERROR_FILE, "%s%s%s", is_named ? "" : path, is_named ? "" : ": ", reason);
}

static rn_result open_checkpoint(rni_session *s, const rni_session_options *o)
{
    rni_problems problems = {0};
    if (o->setting_count > 0)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "--set: a checkpoint continues with the scene that is in it; the page can "
                        "change it");
    if (rni_session_revive(s, o->scene, file_name(o->scene), &problems) == RN_OK) return RN_OK;
    return fail_at(o->scene, problems.count ? problems.text[0] : rn_last_error());
}

static bool is_builtin(const char *name)
{
    const rni_scene_builtin *builtin;
    for (uint32_t k = 0; (builtin = rni_scene_builtin_at(k)) != NULL; k++)
        if (strcmp(builtin->name, name) == 0) return true;
    return false;
}

/* A scene file joins the list of scenes that clients may open. */
static rn_result keep_own_scene(rni_session *s, const rni_scene *scene, const char *path)
{
    s->own_name = strdup(file_name(path));
    s->own_text = rni_scene_write(scene);
    return s->own_name && s->own_text ? RN_OK : rni_fail(RN_ERROR_MEMORY, "no memory");
}

static rn_result open_scene(rni_session *s, const rni_session_options *o, rni_problems *problems)
{
    rni_scene *scene = NULL;
    rn_result result = rni_scene_load_as(RNI_SESSION_PRESET, o->scene, o->settings,
                                         o->setting_count, &scene, problems);
    if (result != RN_OK) return result;
    if (!is_builtin(o->scene)) result = keep_own_scene(s, scene, o->scene);
    if (result == RN_OK && rni_session_take(s, scene, s->own_name ? s->own_name : o->scene) != RN_OK)
        result = fail_at(o->scene, rn_last_error());
    if (result != RN_OK) rni_scene_free(scene);
    return result;
}

rn_result rni_session_open(rni_session *s, const rni_session_options *o, rni_problems *problems)
{
    s->how = o->how;
    s->pace = o->pace;
    s->folder = o->folder;
    s->undo = calloc(RNI_SESSION_MAX_UNDO, sizeof *s->undo);
    if (!s->undo) return rni_fail(RN_ERROR_MEMORY, "no memory");
    return rni_checkpoint_is_named(o->scene) ? open_checkpoint(s, o) : open_scene(s, o, problems);
}

void rni_session_begin(rni_session *s, bool is_running)
{
    s->is_running = is_running;
    rni_tell_all(s);
    rni_session_anchor(s);
}

void rni_session_close(rni_session *s)
{
    if (s->view) rni_tell_state(s, "ended");
    rni_view_destroy(s->view);
    rni_session_free(s);
}

/* --- turns ---------------------------------------------------------------------------------------- */

/* Seconds until the next step may be taken; 0: now. */
static double time_to_wait(rni_session *s)
{
    if (s->steps_due > 0) return 0;
    if (!s->is_running) return 0.05;
    if (s->pace <= 0) return 0;
    double now = rni_seconds();
    double due = s->anchor_wall + (rn_fluid_get_time(s->fluid) - s->anchor_time) / s->pace;
    if (now - due > LAG_S) rni_session_anchor(s);
    return due > now ? fmin(due - now, 0.05) : 0;
}

static void report(rni_session *s)
{
    if (rni_seconds() - s->told_wall < REPORT_S) return;
    bool is_still = !s->is_running && rn_fluid_get_step_count(s->fluid) == s->told_step;
    if (is_still) return;
    rni_tell_report(s);
    rni_tell_picked(s);
}

void rni_session_turn(rni_session *s)
{
    rni_session_obey(s);
    double wait = time_to_wait(s);
    if (wait > 0) {
        rni_session_publish(s);
        report(s);
        /* A frame that is asked for while nothing is new is not worth waking up for. */
        rni_view_wait(s->view, wait);
        return;
    }
    bool was_single = s->steps_due > 0;
    bool is_good = rni_session_step(s);
    if (was_single) s->steps_due = is_good ? s->steps_due - 1 : 0;
    if (!is_good || (was_single && s->steps_due == 0)) rni_tell_state(s, NULL);
    rni_session_publish(s);
    report(s);
}
