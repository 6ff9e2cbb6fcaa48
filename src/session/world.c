#include "session/session.h"

#include "session/explain.h"
#include "session/step_cost.h"

#include "base/clock.h"
#include "base/error.h"
#include "fluid/phases.h"
#include "scene/materials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- cost
 * ------------------------------------------------------------------------------------------- */

uint64_t rni_session_begun(const rni_session *s)
{
    return s->loaded_count ? s->loaded_count : s->built.water.added;
}

uint64_t rni_session_all(const rni_session *s)
{
    uint64_t all = s->built.water.added; /* none when it was loaded: its state has them */
    for (uint32_t k = 0; k < s->scene->pipe_count; k++) {
        all += s->built.derived.pipe_max[k];
        if (s->built.derived.pipe_max[k] > 0) continue;
        bool has_end = s->scene->run_time > 0 || rni_scene_pipe_ends(&s->scene->pipes[k]);
        if (!has_end || !s->fluid) return s->scene->def.max_particles;
        double end = s->scene->run_time > 0 ? s->scene->run_time : (double)INFINITY;
        all += (uint64_t)fmin(rni_scene_pipe_poured(s->scene, s->fluid, &s->built, k, end), 1e12);
    }
    if (all < s->loaded_count) all = s->loaded_count;
    return all < s->scene->def.max_particles ? all : s->scene->def.max_particles;
}

/* What the page colours by before the first step. If there is no memory for it, that step will
 * report it. */
static void find_densities(rni_session *s)
{
    (void)rn_fluid_update_density(s->fluid);
}

void rni_session_measure(rni_session *s)
{
    rni_step_cost m = {0};
    uint64_t all = rni_session_all(s);
    s->step_s = 0, s->bytes = 0;
    s->measured = (rn_fluid_report){0};
    if (all == 0 || s->only_watch) return;
    if (rni_session_begun(s) * 2 < all) {
        if (rni_step_cost_estimate(s->scene, &s->how, s->fluid, all, 4000, &m) != RN_OK) return;
    } else {
        uint64_t bytes = rn_fluid_get_state_bytes(s->fluid);
        void *state = malloc(bytes);
        if (!state) return;
        rn_fluid_write_state(s->fluid, state);
        rn_result result = rni_step_cost_measure(s->fluid, 0.1, &m);
        if (rn_fluid_read_state(s->fluid, state, bytes) != RN_OK) result = RN_ERROR_FILE;
        free(state);
        find_densities(s);
        if (result != RN_OK) return;
        s->measured = m.report;
    }
    s->step_s = m.step_s;
    s->bytes = m.report.bytes;
}

/* --- the simulation
 * -------------------------------------------------------------------------------- */

void rni_session_anchor(rni_session *s)
{
    s->anchor_wall = rni_seconds();
    s->anchor_time = s->fluid ? rn_fluid_get_time(s->fluid) : 0;
}

void rni_session_put(rni_session *s, rni_scene *scene, rn_fluid *fluid,
                     const rni_scene_built *built, const char *name)
{
    rn_fluid_destroy(s->fluid);
    if (scene != s->scene) {
        rni_scene_free(s->scene);
        s->undo_count = s->redo_count = 0;
    }
    s->scene = scene;
    s->fluid = fluid;
    s->built = *built;
    s->now = *scene;
    if (name != s->name) snprintf(s->name, sizeof s->name, "%s", name);
    s->number++;
    s->event_next = 0;
    s->operator_id = s->stream_id = (rn_fluid_id){0};
    s->has_stream = false;
    s->force.is_on = false;
    s->is_running = s->is_failed = false;
    s->steps_due = 0;
    s->loaded_count = 0;
    s->sentence[0] = 0;
    find_densities(s);
    s->report = (rn_fluid_report){.particles = rn_fluid_get_arrays(fluid).count};
    s->is_new = true;
    memset(s->pick, 0, sizeof s->pick);
    rni_session_anchor(s);
}

rn_result rni_session_take(rni_session *s, rni_scene *scene, const char *name)
{
    rn_fluid *fluid = NULL;
    rni_scene_built built;
    rn_result result = rni_scene_build(scene, &s->how, &fluid, &built);
    if (result != RN_OK) return result;
    rni_session_put(s, scene, fluid, &built, name);
    rni_session_measure(s);
    return RN_OK;
}

rn_result rni_session_restart(rni_session *s)
{
    rn_fluid *fluid = NULL;
    rni_scene_built built;
    rn_result result = rni_scene_build(s->scene, &s->how, &fluid, &built);
    if (result == RN_OK) rni_session_put(s, s->scene, fluid, &built, s->name);
    return result;
}

void rni_session_free(rni_session *s)
{
    rn_fluid_destroy(s->fluid);
    rni_scene_free(s->scene);
    rni_session_meshes_free(&s->meshes);
    free(s->undo);
    free(s->own_name);
    free(s->own_text);
    s->fluid = NULL, s->scene = NULL, s->undo = NULL;
}

/* --- live parameters ------------------------------------------------------------------------------------- */

/* A continuous change (a slider, a tilt) is one step of undo. */
#define SAME_CHANGE_S 0.7

static rni_session_change *next_change(rni_session *s, const rni_parameter *parameter,
                                       uint32_t pipe, bool is_fluid)
{
    double now = rni_seconds();
    s->redo_count = 0;
    if (s->undo_count > 0) {
        rni_session_change *last = &s->undo[s->undo_count - 1];
        if (last->parameter == parameter && last->pipe == pipe && last->is_fluid == is_fluid &&
            now - last->wall < SAME_CHANGE_S) {
            last->wall = now;
            return last;
        }
    }
    if (s->undo_count == RNI_SESSION_MAX_UNDO) {
        memmove(s->undo, s->undo + 1, (RNI_SESSION_MAX_UNDO - 1) * sizeof *s->undo);
        s->undo_count--;
    }
    rni_session_change *change = &s->undo[s->undo_count++];
    *change =
        (rni_session_change){.parameter = parameter, .pipe = pipe, .is_fluid = is_fluid, .wall = now};
    return change;
}

static unsigned char *field_of(rni_scene *scene, const rni_parameter *p)
{
    return (unsigned char *)scene + p->offset;
}

/* Whether this is a new change and not a continuation. */
static bool is_begun(const rni_session *s, uint32_t count_before)
{
    return s->undo_count != count_before || count_before == RNI_SESSION_MAX_UNDO;
}

static rn_result set_live(rni_session *s, const rni_parameter *p, const char *setting,
                          rni_problems *problems)
{
    rni_scene wanted = s->now; /* lists are borrowed; a live parameter is not in them */
    rn_result result = rni_scene_set(&wanted, setting, problems);
    if (result == RN_OK) result = rn_fluid_set_params(s->fluid, &wanted.def.params);
    if (result != RN_OK) return result;
    uint32_t before = s->undo_count;
    rni_session_change *change = next_change(s, p, 0, false);
    if (is_begun(s, before)) {
        memcpy(change->was, field_of(&s->now, p), p->bytes);
        memcpy(change->was_base, field_of(s->scene, p), p->bytes);
    }
    memcpy(change->is, field_of(&wanted, p), p->bytes);
    memcpy(field_of(&s->now, p), change->is, p->bytes);
    memcpy(field_of(s->scene, p), change->is, p->bytes);
    return RN_OK;
}

/* --- materials and fluids --- */

/* Fluid k as the scene has it; the single one where there is no list. */
static rni_session_fluid fluid_at(const rni_session *s, uint32_t k)
{
    const rni_scene *scene = &s->now;
    const rn_fluid_params *p = &scene->def.params;
    rni_session_fluid f = {.solver = p->viscosity_solver};
    if (s->scene->fluid_count > 0) {
        f.fluid = s->scene->fluids[k];
        return f;
    }
    f.fluid = (rni_scene_fluid){.phase = rni_phase_of(&scene->def),
                                .material = scene->material,
                                .concentration = scene->concentration};
    return f;
}

static void take_single(rni_scene *scene, const rni_session_fluid *f)
{
    scene->def.rest_density = f->fluid.phase.rest_density;
    scene->def.params = rni_phase_params(&f->fluid.phase, &scene->def.params);
    scene->def.params.viscosity_solver = f->solver;
    scene->material = f->fluid.material;
    scene->concentration = f->fluid.concentration;
}

/* The fluid, then the scene, become what f says. */
static rn_result put_fluid(rni_session *s, uint32_t k, const rni_session_fluid *f)
{
    rni_scene wanted = s->now; /* lists are borrowed */
    rn_result result = RN_OK;
    wanted.def.params.viscosity_solver = f->solver;
    if (s->scene->fluid_count == 0) {
        take_single(&wanted, f);
        result = rni_fluid_set_material(s->fluid, wanted.def.rest_density, &wanted.def.params);
    } else {
        result = rn_fluid_set_params(s->fluid, &wanted.def.params);
        const rn_fluid_phase phase = rni_scene_phase(s->scene, k, &f->fluid);
        if (result == RN_OK) result = rn_fluid_set_phase(s->fluid, k, &phase);
    }
    if (result != RN_OK) return result;
    s->now.def = wanted.def, s->now.material = wanted.material;
    s->now.concentration = wanted.concentration;
    s->scene->def.params.viscosity_solver = f->solver;
    if (s->scene->fluid_count == 0) take_single(s->scene, f);
    else s->scene->fluids[k] = f->fluid;
    return RN_OK;
}

/* What goes with a material: only suspensions have a concentration, pastes have the implicit solver. */
static void complete(rni_session_fluid *f, const rni_material *m)
{
    if (!rni_material_is_suspension(m)) f->fluid.concentration = 0;
    if (rni_phase_is_paste(&f->fluid.phase)) f->solver = RN_SOLVER_IMPLICIT;
}

static rn_result set_fluid(rni_session *s, uint32_t k, const char *setting, rni_problems *problems)
{
    const rni_session_fluid was = fluid_at(s, k);
    rni_session_fluid is;
    rn_result result;
    if (s->scene->fluid_count > 0) {
        result = rni_scene_set(s->scene, setting, problems);
        is = fluid_at(s, k);
        s->scene->fluids[k] = was.fluid;
    } else {
        const rni_scene now = s->now;
        result = rni_scene_set(&s->now, setting, problems);
        is = fluid_at(s, k);
        s->now = now;
    }
    complete(&is, rni_material_at(is.fluid.material));
    if (result == RN_OK) result = put_fluid(s, k, &is);
    if (result != RN_OK) return result;
    uint32_t before = s->undo_count;
    rni_session_change *change = next_change(s, NULL, k, true);
    if (is_begun(s, before)) change->fluid_was = was;
    change->fluid_is = is;
    return RN_OK;
}

static rn_result put_pipe(rni_session *s, uint32_t k)
{
    rn_fluid_pipe pipe = rni_scene_pipe_of(s->scene, &s->scene->pipes[k]);
    pipe.max_particles = rni_scene_derive(s->scene).pipe_max[k];
    return rn_fluid_set_pipe(s->fluid, s->built.pipe[k], &pipe);
}

static rn_result set_pipe(rni_session *s, uint32_t k, const char *setting, rni_problems *problems)
{
    rni_scene_pipe was = s->scene->pipes[k];
    rn_result result = rni_scene_set(s->scene, setting, problems);
    if (result == RN_OK) result = put_pipe(s, k);
    if (result != RN_OK) {
        s->scene->pipes[k] = was;
        return result;
    }
    uint32_t before = s->undo_count;
    rni_session_change *change = next_change(s, NULL, k, false);
    if (is_begun(s, before)) change->pipe_was = was;
    change->pipe_is = s->scene->pipes[k];
    return RN_OK;
}

rn_result rni_session_set(rni_session *s, const char *path, const char *setting,
                          rni_problems *problems)
{
    const rni_parameter *p = rni_parameter_find(path, strlen(path));
    if (!s->undo) return rni_fail(RN_ERROR_ARGUMENT, "this run can be watched only");
    if (p && p->is_live) return set_live(s, p, setting, problems);
    if (strcmp(path, "fluid.material") == 0 && s->scene->fluid_count == 0)
        return set_fluid(s, 0, setting, problems);
    char *end = NULL;
    unsigned long k = strncmp(path, "fluids.", 7) == 0 ? strtoul(path + 7, &end, 10) : 0;
    if (end && end > path + 7 && *end == '.' && k < s->scene->fluid_count && strlen(end) > 1 &&
        strcmp(end, ".name") != 0)
        return set_fluid(s, (uint32_t)k, setting, problems);
    end = NULL;
    k = strncmp(path, "pipes.", 6) == 0 ? strtoul(path + 6, &end, 10) : 0;
    if (end && end > path + 6 && *end == '.' && k < s->scene->pipe_count && strlen(end) > 1)
        return set_pipe(s, (uint32_t)k, setting, problems);
    if (p)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "%s cannot change during the simulation; open the scene again with the new "
                        "value",
                        path);
    return rni_fail(RN_ERROR_ARGUMENT, "%s is not a live parameter", path);
}

rn_result rni_session_undo(rni_session *s, bool is_redo)
{
    if ((is_redo ? s->redo_count : s->undo_count) == 0)
        return rni_fail(RN_ERROR_ARGUMENT,
                        is_redo ? "there is nothing to redo" : "there is nothing to undo");
    const rni_session_change *c = &s->undo[is_redo ? s->undo_count : s->undo_count - 1];
    const rni_parameter *p = c->parameter;
    rn_result result = RN_OK;
    if (p) {
        memcpy(field_of(&s->now, p), is_redo ? c->is : c->was, p->bytes);
        memcpy(field_of(s->scene, p), is_redo ? c->is : c->was_base, p->bytes);
        result = rn_fluid_set_params(s->fluid, &s->now.def.params);
    } else if (c->is_fluid) {
        result = put_fluid(s, c->pipe, is_redo ? &c->fluid_is : &c->fluid_was);
    } else if (c->pipe < s->scene->pipe_count) {
        s->scene->pipes[c->pipe] = is_redo ? c->pipe_is : c->pipe_was;
        result = put_pipe(s, c->pipe);
    }
    s->undo_count = is_redo ? s->undo_count + 1 : s->undo_count - 1;
    s->redo_count = is_redo ? s->redo_count - 1 : s->redo_count + 1;
    return result;
}

/* --- steps ------------------------------------------------------------------------------------------------- */

/* Events change the present values, on top of what users have changed. */
static rn_result advance(rni_session *s)
{
    double time = rn_fluid_get_time(s->fluid);
    bool is_changed = false;
    for (; s->event_next < s->scene->event_count; s->event_next++) {
        const rni_scene_event *event = &s->scene->events[s->event_next];
        if (event->time > time) break;
        for (uint32_t c = 0; c < event->change_count; c++)
            rni_change_apply(&event->change[c], &s->now);
        is_changed = true;
    }
    if (!is_changed) return RN_OK;
    rni_tell_values(s);
    return rn_fluid_set_params(s->fluid, &s->now.def.params);
}

bool rni_session_step(rni_session *s)
{
    rn_fluid_report report = rn_fluid_report_default();
    rn_result result = advance(s);
    if (result == RN_OK) result = rn_fluid_step(s->fluid, &report);
    if (result == RN_OK) {
        s->report = report;
        s->is_new = true;
        return true;
    }
    snprintf(s->sentence, sizeof s->sentence, "step %llu at %.6g s: %s",
             (unsigned long long)rn_fluid_get_step_count(s->fluid) + 1, rn_fluid_get_time(s->fluid),
             rn_last_error());
    s->is_running = false;
    s->is_failed = true;
    return false;
}
