#include "cli/view.h"

#include "cli/check.h"

#include "base/clock.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what it costs ---------------------------------------------------------------------------------- */

uint64_t rni_world_begun(const rni_world *w)
{
    return w->loaded_count ? w->loaded_count : w->built.water.added;
}

uint64_t rni_world_all(const rni_world *w)
{
    uint64_t all = w->built.water.added; /* none when it was loaded: its state has them */
    for (uint32_t k = 0; k < w->scene->pipe_count; k++) {
        if (w->built.derived.pipe_max[k] == 0) return w->scene->def.max_particles;
        all += w->built.derived.pipe_max[k];
    }
    if (all < w->loaded_count) all = w->loaded_count;
    return all < w->scene->def.max_particles ? all : w->scene->def.max_particles;
}

/* What the page colours by before the first step. Without the memory for it that step will tell. */
static void find_densities(rni_world *w)
{
    (void)rn_fluid_update_density(w->fluid);
}

void rni_world_measure(rni_world *w)
{
    rni_measured m = {0};
    uint64_t all = rni_world_all(w);
    w->step_s = 0, w->bytes = 0;
    if (all == 0 || w->only_watch) return;
    if (rni_world_begun(w) * 2 < all) {
        if (rni_measure_stand_in(w->scene, &w->how, w->fluid, all, 4000, &m) != RN_OK) return;
    } else {
        uint64_t bytes = rn_fluid_get_state_bytes(w->fluid);
        void *state = malloc(bytes);
        if (!state) return;
        rn_fluid_write_state(w->fluid, state);
        rn_result result = rni_measure_steps(w->fluid, 0.1, &m);
        if (rn_fluid_read_state(w->fluid, state, bytes) != RN_OK) result = RN_ERROR_FILE;
        free(state);
        find_densities(w);
        if (result != RN_OK) return;
    }
    w->step_s = m.step_s;
    w->bytes = m.report.bytes;
}

/* --- the world ----------------------------------------------------------------------------------------- */

void rni_world_anchor(rni_world *w)
{
    w->anchor_wall = rni_seconds();
    w->anchor_time = w->fluid ? rn_fluid_get_time(w->fluid) : 0;
}

void rni_world_put(rni_world *w, rni_scene *scene, rn_fluid *fluid, const rni_scene_built *built,
                   const char *name)
{
    rn_fluid_destroy(w->fluid);
    if (scene != w->scene) {
        rni_scene_free(w->scene);
        w->undo_count = w->redo_count = 0;
    }
    w->scene = scene;
    w->fluid = fluid;
    w->built = *built;
    w->now = *scene;
    if (name != w->name) snprintf(w->name, sizeof w->name, "%s", name);
    w->number++;
    w->event_next = 0;
    w->operator_id = w->stream_id = (rn_fluid_id){0};
    w->has_stream = false;
    w->force.is_on = false;
    w->is_running = w->is_failed = false;
    w->steps_due = 0;
    w->loaded_count = 0;
    w->sentence[0] = 0;
    find_densities(w);
    w->report = (rn_fluid_report){.particles = rn_fluid_get_arrays(fluid).count};
    w->is_new = true;
    memset(w->pick, 0, sizeof w->pick);
    rni_world_anchor(w);
}

rn_result rni_world_take(rni_world *w, rni_scene *scene, const char *name)
{
    rn_fluid *fluid = NULL;
    rni_scene_built built;
    rn_result result = rni_scene_build(scene, &w->how, &fluid, &built);
    if (result != RN_OK) return result;
    rni_world_put(w, scene, fluid, &built, name);
    rni_world_measure(w);
    return RN_OK;
}

rn_result rni_world_restart(rni_world *w)
{
    rn_fluid *fluid = NULL;
    rni_scene_built built;
    rn_result result = rni_scene_build(w->scene, &w->how, &fluid, &built);
    if (result == RN_OK) rni_world_put(w, w->scene, fluid, &built, w->name);
    return result;
}

void rni_world_free(rni_world *w)
{
    rn_fluid_destroy(w->fluid);
    rni_scene_free(w->scene);
    free(w->undo);
    free(w->own_name);
    free(w->own_text);
    w->fluid = NULL, w->scene = NULL, w->undo = NULL;
}

/* --- live parameters ------------------------------------------------------------------------------------- */

/* A change that goes on (a slider, a tilt) is one step back. */
#define SAME_CHANGE_S 0.7

static rni_view_change *next_change(rni_world *w, const rni_parameter *parameter, uint32_t pipe)
{
    rni_view_change *last = w->undo_count ? &w->undo[w->undo_count - 1] : NULL;
    double now = rni_seconds();
    w->redo_count = 0;
    if (last && last->parameter == parameter && last->pipe == pipe &&
        now - last->wall < SAME_CHANGE_S) {
        last->wall = now;
        return last;
    }
    if (w->undo_count == RNI_VIEW_MAX_UNDO) {
        memmove(w->undo, w->undo + 1, (RNI_VIEW_MAX_UNDO - 1) * sizeof *w->undo);
        w->undo_count--;
    }
    rni_view_change *change = &w->undo[w->undo_count++];
    *change = (rni_view_change){.parameter = parameter, .pipe = pipe, .wall = now};
    return change;
}

static unsigned char *field_of(rni_scene *scene, const rni_parameter *p)
{
    return (unsigned char *)scene + p->offset;
}

/* Whether a change was begun just now, and not only goes on. */
static bool is_begun(const rni_world *w, uint32_t count_before)
{
    return w->undo_count != count_before || count_before == RNI_VIEW_MAX_UNDO;
}

static rn_result set_live(rni_world *w, const rni_parameter *p, const char *setting,
                          rni_problems *problems)
{
    rni_scene wanted = w->now; /* lists are borrowed; a live parameter is not in them */
    rn_result result = rni_scene_set(&wanted, setting, problems);
    if (result == RN_OK) result = rn_fluid_set_params(w->fluid, &wanted.def.params);
    if (result != RN_OK) return result;
    uint32_t before = w->undo_count;
    rni_view_change *change = next_change(w, p, 0);
    if (is_begun(w, before)) {
        memcpy(change->was, field_of(&w->now, p), p->bytes);
        memcpy(change->was_base, field_of(w->scene, p), p->bytes);
    }
    memcpy(change->is, field_of(&wanted, p), p->bytes);
    memcpy(field_of(&w->now, p), change->is, p->bytes);
    memcpy(field_of(w->scene, p), change->is, p->bytes);
    return RN_OK;
}

static rn_result put_pipe(rni_world *w, uint32_t k)
{
    rn_fluid_pipe pipe = rni_scene_pipe_of(&w->scene->pipes[k]);
    pipe.max_particles = rni_scene_derive(w->scene).pipe_max[k];
    return rn_fluid_set_pipe(w->fluid, w->built.pipe[k], &pipe);
}

static rn_result set_pipe(rni_world *w, uint32_t k, const char *setting, rni_problems *problems)
{
    rni_scene_pipe was = w->scene->pipes[k];
    rn_result result = rni_scene_set(w->scene, setting, problems);
    if (result == RN_OK) result = put_pipe(w, k);
    if (result != RN_OK) {
        w->scene->pipes[k] = was;
        return result;
    }
    uint32_t before = w->undo_count;
    rni_view_change *change = next_change(w, NULL, k);
    if (is_begun(w, before)) change->pipe_was = was;
    change->pipe_is = w->scene->pipes[k];
    return RN_OK;
}

rn_result rni_world_set(rni_world *w, const char *path, const char *setting, rni_problems *problems)
{
    const rni_parameter *p = rni_parameter_find(path, strlen(path));
    if (!w->undo) return rni_fail(RN_ERROR_ARGUMENT, "this run can be watched only");
    if (p && p->is_live) return set_live(w, p, setting, problems);
    char *end = NULL;
    unsigned long k = strncmp(path, "pipes.", 6) == 0 ? strtoul(path + 6, &end, 10) : 0;
    if (end && end > path + 6 && *end == '.' && k < w->scene->pipe_count && strlen(end) > 1)
        return set_pipe(w, (uint32_t)k, setting, problems);
    if (p)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "%s cannot change while the water flows; open the scene anew with it", path);
    return rni_fail(RN_ERROR_ARGUMENT, "%s: there is no such live parameter", path);
}

rn_result rni_world_undo(rni_world *w, bool is_redo)
{
    if ((is_redo ? w->redo_count : w->undo_count) == 0)
        return rni_fail(RN_ERROR_ARGUMENT,
                        is_redo ? "there is nothing to do again" : "there is nothing to take back");
    const rni_view_change *c = &w->undo[is_redo ? w->undo_count : w->undo_count - 1];
    const rni_parameter *p = c->parameter;
    rn_result result = RN_OK;
    if (p) {
        memcpy(field_of(&w->now, p), is_redo ? c->is : c->was, p->bytes);
        memcpy(field_of(w->scene, p), is_redo ? c->is : c->was_base, p->bytes);
        result = rn_fluid_set_params(w->fluid, &w->now.def.params);
    } else if (c->pipe < w->scene->pipe_count) {
        w->scene->pipes[c->pipe] = is_redo ? c->pipe_is : c->pipe_was;
        result = put_pipe(w, c->pipe);
    }
    w->undo_count = is_redo ? w->undo_count + 1 : w->undo_count - 1;
    w->redo_count = is_redo ? w->redo_count - 1 : w->redo_count + 1;
    return result;
}

/* --- steps ------------------------------------------------------------------------------------------------- */

/* Events change what is now, on top of what people have changed. */
static rn_result advance(rni_world *w)
{
    double time = rn_fluid_get_time(w->fluid);
    bool is_changed = false;
    for (; w->event_next < w->scene->event_count; w->event_next++) {
        const rni_scene_event *event = &w->scene->events[w->event_next];
        if (event->time > time) break;
        for (uint32_t c = 0; c < event->change_count; c++)
            rni_change_apply(&event->change[c], &w->now);
        is_changed = true;
    }
    if (!is_changed) return RN_OK;
    rni_tell_values(w);
    return rn_fluid_set_params(w->fluid, &w->now.def.params);
}

bool rni_world_step(rni_world *w)
{
    rn_fluid_report report = rn_fluid_report_default();
    rn_result result = advance(w);
    if (result == RN_OK) result = rn_fluid_step(w->fluid, &report);
    if (result == RN_OK) {
        w->report = report;
        w->is_new = true;
        return true;
    }
    snprintf(w->sentence, sizeof w->sentence, "step %llu at %.6g s: %s",
             (unsigned long long)rn_fluid_get_step_count(w->fluid) + 1, rn_fluid_get_time(w->fluid),
             rn_last_error());
    w->is_running = false;
    w->is_failed = true;
    return false;
}
