#include "session/run.h"

#include "base/clock.h"
#include "base/error.h"
#include "session/picture_scene.h"
#include "session/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

rn_result rni_run_save_frame(rni_run *run)
{
    rn_frame frame = rn_frame_default();
    rn_result result = rn_fluid_get_frame(run->fluid, &frame);
    if (result == RN_OK) result = rni_run_save_films(run, run->series.frame_count);
    if (result == RN_OK) result = rni_series_add(&run->series, &frame);
    run->lacks_frame = result != RN_OK;
    if (result != RN_OK) return result;
    run->state.frame_count = run->series.frame_count;
    run->state.frame_step = frame.step;
    return rni_run_film_add(run, &frame);
}

rn_result rni_run_save_solids(rni_run *run)
{
    rni_session_meshes meshes;
    rn_frame frame = rn_frame_default();
    if (run->series.has_solids) return RN_OK;
    rn_result result = rni_session_meshes_make(run->scene, &meshes);
    if (result != RN_OK) return result;
    rni_session_meshes_lend(&meshes, &frame);
    result = rni_series_put_solids(&run->series, &frame);
    rni_session_meshes_free(&meshes);
    return result;
}

bool rni_run_has_densities(const rni_run *run)
{
    return !run->is_resumed || rn_fluid_get_step_count(run->fluid) > run->resumed_step;
}

rn_result rni_run_save_checkpoint(rni_run *run)
{
    rni_run_state *state = &run->state;
    state->step = rn_fluid_get_step_count(run->fluid);
    state->time = rn_fluid_get_time(run->fluid);
    state->wall_s = rni_seconds() - run->wall_begin;
    run->checkpoint_wall = rni_seconds();
    if (run->checkpoint_step == state->step) {
        rni_checkpoint_prune(run->folder, state->step); /* a kill may have come before that */
        return RN_OK;
    }
    /* The samples before the checkpoint are on disk when it is. */
    rn_result result = rni_run_gauges_sync(run);
    if (result != RN_OK) return result;
    state->state_hash = rn_fluid_get_state_hash(run->fluid);
    uint64_t bytes = rn_fluid_get_state_bytes(run->fluid);
    if (bytes > run->byte_capacity) {
        uint64_t capacity = bytes + bytes / 8;
        unsigned char *larger = capacity <= SIZE_MAX ? realloc(run->bytes, (size_t)capacity) : NULL;
        if (!larger)
            return rni_fail(RN_ERROR_MEMORY, "no memory for a checkpoint of %llu bytes",
                            (unsigned long long)bytes);
        run->bytes = larger;
        run->byte_capacity = capacity;
    }
    rn_fluid_write_state(run->fluid, run->bytes);
    result = rni_checkpoint_keep(run->folder, state, run->scene_text, run->bytes, bytes);
    if (result == RN_OK) run->checkpoint_step = state->step;
    return result;
}

void rni_run_count(rni_run *run, const rn_fluid_report *report)
{
    rni_run_state *s = &run->state;
    double step = (double)report->time_step;
    s->retried_steps += (report->flags & RN_FLAG_RETRIED) != 0;
    s->flags |= report->flags;
    run->viscosity_iterations += report->viscosity_iterations;
    run->viscosity_steps += report->viscosity_iterations > 0;
    run->viscosity_residual = fmax(run->viscosity_residual, (double)report->viscosity_residual);
    if ((uint32_t)report->bound < RNI_CHECKPOINT_BOUNDS) s->bound_steps[report->bound]++;
    if (s->step_min <= 0 || step < s->step_min) s->step_min = step;
    if (step > s->step_max) s->step_max = step;
    s->density_max = fmax(s->density_max, (double)report->density_max);
    s->speed_max = fmax(s->speed_max, (double)report->speed_max);
    for (uint32_t c = 0; c < RN_CLOCK_COUNT; c++) s->clock_ms[c] += (double)report->ms[c];
    s->step_ms += (double)report->ms_total;
    s->step_last = step;
    s->density_mean = (double)report->density_mean;
    s->kinetic = report->kinetic;
    s->potential = report->potential;
    s->elastic = report->elastic;
    s->neighbors_mean = report->neighbors_mean;
    s->came = report->came_all;
    s->left = report->left_all;
    s->bytes = report->bytes;
}

rn_result rni_run_save_picture(rni_run *run)
{
    char path[RNI_PATH_BYTES];
    rn_solid *solids = NULL;
    rni_picture picture = rni_picture_default();
    picture.threads = run->how.threads;
    rn_result result = rni_picture_take_scene(&picture, run->scene, &solids);
    if (result == RN_OK && !rni_run_has_densities(run))
        result = rn_fluid_update_density(run->fluid);
    if (result == RN_OK) {
        rni_run_path(run, "picture.png", path);
        result = rn_fluid_get_frame(run->fluid, &picture.frame);
    }
    if (result == RN_OK) {
        picture.color = picture.fluid_count > 0 ? "fluid" : "density";
        result = rni_picture_write(&picture, path);
    }
    free(solids);
    return result;
}
