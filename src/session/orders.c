#include "session/session.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* Tells the client why an order was refused. */
static void refuse(const rni_session *s, uint64_t client, const rni_problems *problems)
{
    if (problems->count) rni_tell_problems(s, client, problems);
    else rni_tell_error(s, client, rn_last_error());
}

/* --- opening -------------------------------------------------------------------------------------------- */

static const char *text_of(const rni_session *s, const char *name, size_t *bytes)
{
    const rni_scene_builtin *builtin;
    for (uint32_t k = 0; (builtin = rni_scene_builtin_at(k)) != NULL; k++)
        if (strcmp(builtin->name, name) == 0) {
            *bytes = builtin->bytes;
            return builtin->text;
        }
    if (!s->own_text || strcmp(name, s->own_name) != 0) return NULL;
    *bytes = strlen(s->own_text);
    return s->own_text;
}

static rn_result open_scene(rni_session *s, const rni_view_order *o, rni_problems *problems)
{
    rni_scene *scene = NULL;
    size_t bytes = o->scene ? strlen(o->scene) : 0;
    const char *text = o->scene ? o->scene : text_of(s, o->name, &bytes);
    if (!text)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "there is no built-in scene '%s'; drop a scene file onto the page to "
                        "open it",
                        o->name);
    rn_result result = rni_scene_read_as(RNI_SESSION_PRESET, text, bytes, "scene", &scene, problems);
    if (result == RN_OK)
        result =
            rni_scene_set_all(scene, (const char *const *)o->settings, o->setting_count, problems);
    if (result == RN_OK) result = rni_scene_check(scene, "scene", problems);
    if (result == RN_OK) result = rni_session_take(s, scene, o->name[0] ? o->name : "your scene");
    if (result != RN_OK) rni_scene_free(scene);
    return result;
}

/* --- one order --------------------------------------------------------------------------------------------- */

static rn_result tilt(rni_session *s, const rni_view_order *o, rni_problems *problems)
{
    char setting[128];
    snprintf(setting, sizeof setting, "gravity=%.9g,%.9g,%.9g", (double)o->direction[0],
             (double)o->direction[1], (double)o->direction[2]);
    return rni_session_set(s, "gravity", setting, problems);
}

static rn_result set_running(rni_session *s, bool is_running, uint32_t steps)
{
    if (s->is_failed)
        return rni_fail(RN_ERROR_ARGUMENT, "the simulation has failed; restart it, or open a "
                                           "scene");
    s->is_running = is_running;
    s->steps_due = steps;
    rni_session_anchor(s);
    rni_tell_state(s, NULL);
    return RN_OK;
}

static rn_result change(rni_session *s, const rni_view_order *o, rni_problems *problems)
{
    rn_result result = o->verb == RNI_VERB_SET
                           ? rni_session_set(s, o->name, o->settings[0], problems)
                       : o->verb == RNI_VERB_TILT ? tilt(s, o, problems)
                                                  : rni_session_undo(s, o->verb == RNI_VERB_REDO);
    rni_tell_values(s); /* also after a refusal: the page shows the actual values */
    return result;
}

static rn_result replace(rni_session *s, const rni_view_order *o, rni_problems *problems)
{
    bool was_running = s->is_running;
    rn_result result = o->verb == RNI_VERB_OPEN   ? open_scene(s, o, problems)
                       : o->verb == RNI_VERB_LOAD ? rni_session_load(s, o->name, problems)
                                                  : rni_session_restart(s);
    if (result != RN_OK) return result;
    if (o->verb == RNI_VERB_RESTART) s->is_running = was_running;
    rni_tell_all(s);
    return RN_OK;
}

static rn_result save(rni_session *s, const rni_view_order *o)
{
    rn_result result = rni_session_save(s, o);
    if (result == RN_OK) rni_tell_files(s, o->client);
    return result;
}

static rn_result carry_out(rni_session *s, const rni_view_order *o, rni_problems *problems)
{
    switch (o->verb) {
    case RNI_VERB_START: return set_running(s, true, 0);
    case RNI_VERB_PAUSE: return set_running(s, false, 0);
    case RNI_VERB_STEP: return set_running(s, false, s->steps_due + 1);
    case RNI_VERB_SPEED:
        s->pace = o->pace;
        rni_session_anchor(s);
        rni_tell_state(s, NULL);
        return RN_OK;
    case RNI_VERB_SET:
    case RNI_VERB_TILT:
    case RNI_VERB_UNDO:
    case RNI_VERB_REDO: return change(s, o, problems);
    case RNI_VERB_OPEN:
    case RNI_VERB_LOAD:
    case RNI_VERB_RESTART: return replace(s, o, problems);
    case RNI_VERB_FORCE: return rni_session_apply_force(s, o);
    case RNI_VERB_POUR: return rni_session_pour(s, o);
    case RNI_VERB_PICK: {
        rn_result result = rni_session_pick(s, o);
        rni_tell_picked(s);
        return result;
    }
    case RNI_VERB_SAVE: return save(s, o);
    case RNI_VERB_LIST: rni_tell_files(s, o->client); return RN_OK;
    case RNI_VERB_CONTROL: /* given up */
    case RNI_VERB_CONTROL_LOST: rni_session_release_tools(s); return RN_OK;
    case RNI_VERB_LEFT: rni_session_forget(s, o->client); return RN_OK;
    default: return RN_OK;
    }
}

void rni_session_obey(rni_session *s)
{
    rni_view_order order;
    while (rni_view_next(s->view, &order)) {
        rni_problems problems = {0};
        if (carry_out(s, &order, &problems) != RN_OK) refuse(s, order.client, &problems);
        rni_view_order_release(&order);
    }
}
