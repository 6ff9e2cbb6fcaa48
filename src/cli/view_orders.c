#include "cli/view.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* A refusal, with its places when there are some. */
static void refuse(const rni_world *w, uint64_t client, const rni_problems *problems)
{
    if (problems->count) rni_tell_problems(w, client, problems);
    else rni_tell_error(w, client, rn_last_error());
}

/* --- opening -------------------------------------------------------------------------------------------- */

static const char *text_of(const rni_world *w, const char *name, size_t *bytes)
{
    const rni_scene_builtin *builtin;
    for (uint32_t k = 0; (builtin = rni_scene_builtin_at(k)) != NULL; k++)
        if (strcmp(builtin->name, name) == 0) {
            *bytes = builtin->bytes;
            return builtin->text;
        }
    if (!w->own_text || strcmp(name, w->own_name) != 0) return NULL;
    *bytes = strlen(w->own_text);
    return w->own_text;
}

static rn_result open_scene(rni_world *w, const rni_view_order *o, rni_problems *problems)
{
    rni_scene *scene = NULL;
    size_t bytes = o->scene ? strlen(o->scene) : 0;
    const char *text = o->scene ? o->scene : text_of(w, o->name, &bytes);
    if (!text)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "there is no built-in scene '%s'; a file can be dropped in", o->name);
    rn_result result = rni_scene_read(text, bytes, "scene", &scene, problems);
    for (uint32_t k = 0; k < o->setting_count && result == RN_OK; k++)
        result = rni_scene_set(scene, o->settings[k], problems);
    if (result == RN_OK) result = rni_scene_check(scene, "scene", problems);
    if (result == RN_OK) result = rni_world_take(w, scene, o->name[0] ? o->name : "your scene");
    if (result != RN_OK) rni_scene_free(scene);
    return result;
}

static void tell_all(rni_world *w)
{
    rni_tell_scene(w);
    rni_tell_values(w);
    rni_tell_state(w, NULL);
    rni_tell_report(w);
}

/* --- one order --------------------------------------------------------------------------------------------- */

static rn_result tilt(rni_world *w, const rni_view_order *o, rni_problems *problems)
{
    char setting[128];
    snprintf(setting, sizeof setting, "gravity=%.9g,%.9g,%.9g", (double)o->direction[0],
             (double)o->direction[1], (double)o->direction[2]);
    return rni_world_set(w, "gravity", setting, problems);
}

static rn_result set_running(rni_world *w, bool is_running, uint32_t steps)
{
    if (w->is_failed)
        return rni_fail(RN_ERROR_ARGUMENT, "the simulation has failed; restart it, or open a scene");
    w->is_running = is_running;
    w->steps_due = steps;
    rni_world_anchor(w);
    rni_tell_state(w, NULL);
    return RN_OK;
}

static rn_result change(rni_world *w, const rni_view_order *o, rni_problems *problems)
{
    rn_result result = o->verb == RNI_VERB_SET ? rni_world_set(w, o->name, o->settings[0], problems)
                       : o->verb == RNI_VERB_TILT ? tilt(w, o, problems)
                                                  : rni_world_undo(w, o->verb == RNI_VERB_REDO);
    rni_tell_values(w); /* also when it was refused: the page shows what is */
    return result;
}

static rn_result replace(rni_world *w, const rni_view_order *o, rni_problems *problems)
{
    bool was_running = w->is_running;
    rn_result result = o->verb == RNI_VERB_OPEN   ? open_scene(w, o, problems)
                       : o->verb == RNI_VERB_LOAD ? rni_world_load(w, o->name, problems)
                                                  : rni_world_restart(w);
    if (result != RN_OK) return result;
    if (o->verb == RNI_VERB_RESTART) w->is_running = was_running;
    tell_all(w);
    return RN_OK;
}

static rn_result save(rni_world *w, const rni_view_order *o)
{
    rn_result result = rni_world_save(w, o);
    if (result == RN_OK) rni_tell_files(w, o->client);
    return result;
}

static rn_result carry_out(rni_world *w, const rni_view_order *o, rni_problems *problems)
{
    switch (o->verb) {
    case RNI_VERB_START: return set_running(w, true, 0);
    case RNI_VERB_PAUSE: return set_running(w, false, 0);
    case RNI_VERB_STEP: return set_running(w, false, w->steps_due + 1);
    case RNI_VERB_SPEED:
        w->pace = o->pace;
        rni_world_anchor(w);
        rni_tell_state(w, NULL);
        return RN_OK;
    case RNI_VERB_SET:
    case RNI_VERB_TILT:
    case RNI_VERB_UNDO:
    case RNI_VERB_REDO: return change(w, o, problems);
    case RNI_VERB_OPEN:
    case RNI_VERB_LOAD:
    case RNI_VERB_RESTART: return replace(w, o, problems);
    case RNI_VERB_FORCE: return rni_world_force(w, o);
    case RNI_VERB_POUR: return rni_world_pour(w, o);
    case RNI_VERB_PICK: {
        rn_result result = rni_world_pick(w, o);
        rni_tell_picked(w);
        return result;
    }
    case RNI_VERB_SAVE: return save(w, o);
    case RNI_VERB_LIST: rni_tell_files(w, o->client); return RN_OK;
    case RNI_VERB_STEER: /* it lets go */
    case RNI_VERB_LET_GO: rni_world_let_go(w); return RN_OK;
    case RNI_VERB_LEFT: rni_world_forget(w, o->client); return RN_OK;
    default: return RN_OK;
    }
}

void rni_world_obey(rni_world *w)
{
    rni_view_order order;
    while (rni_view_next(w->view, &order)) {
        rni_problems problems = {0};
        if (carry_out(w, &order, &problems) != RN_OK) refuse(w, order.client, &problems);
        rni_view_order_release(&order);
    }
}
