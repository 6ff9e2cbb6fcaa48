#include "session/run.h"

#include "base/clock.h"
#include "base/error.h"
#include "files/json.h"
#include "files/out_file.h"
#include "fluid/derived.h"

#include <stdio.h>
#include <stdlib.h>

static const char *search_name(rn_search_method method)
{
    const rn_search_method_info *info;
    if (method == RN_SEARCH_DEFAULT) return rn_search_get_method_info(0)->name;
    for (uint32_t k = 0; (info = rn_search_get_method_info(k)) != NULL; k++)
        if (info->method == method) return info->name;
    return "unknown";
}

static const char *search_of(const rni_run *run)
{
    return run->how.traversal == RN_TRAVERSAL_LISTS ? search_name(run->how.search) : "fused";
}

rni_run_summary rni_run_summarize(const rni_run *run)
{
    return (rni_run_summary){.particles = rn_fluid_get_arrays(run->fluid).count,
                             .escaped = rn_fluid_get_escaped_count(run->fluid),
                             .steps = rn_fluid_get_step_count(run->fluid),
                             .state_hash = rn_fluid_get_state_hash(run->fluid),
                             .time = rn_fluid_get_time(run->fluid),
                             .wall_s = rni_seconds() - run->wall_begin,
                             .threads = run->how.threads ? run->how.threads : rn_cpu_count(),
                             .search = search_of(run)};
}

static const char *const FLAG_NAMES[] = {"retried", "compressed",  "full",
                                         "blocked", "unsafe-step", "unsolved"};
#define FLAG_COUNT (sizeof FLAG_NAMES / sizeof *FLAG_NAMES)

/* --- report.json ---------------------------------------------------------------------------------- */

/* A nested object. */
static rni_json open_object(rni_json *json, const char *key)
{
    rni_json_key(json, key);
    return rni_json_begin(json->file);
}

static void put_end(rni_json *json, const rni_run *run, const rni_run_summary *e, bool is_finished)
{
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)e->state_hash);
    rni_json_text(json, "program", "runnel");
    rni_json_text(json, "version", rn_version());
    rni_json_text(json, "scene", run->scene_name);
    rni_json_text(json, "title", run->scene->title);
    rni_json_bool(json, "finished", is_finished);
    if (run->ended_by) rni_json_text(json, "ended_by", run->ended_by);
    if (run->error[0]) rni_json_text(json, "error", run->error);
    rni_json_text(json, "state_hash", hash);
    rni_json_whole(json, "escaped", e->escaped);
    rni_json_whole(json, "particles", e->particles);
    rni_json_whole(json, "steps", e->steps);
    rni_json_number(json, "simulated_s", e->time);
    rni_json_rounded(json, "wall_s", e->wall_s);
    rni_json_whole(json, "came", run->state.came);
    rni_json_whole(json, "left", run->state.left);
    if (run->is_resumed) return; /* the initial fill is no longer known */
    rni_json_whole(json, "left_out_outside_domain", run->built.water.outside_domain);
    rni_json_whole(json, "left_out_in_walls", run->built.water.in_walls);
    rni_json_whole(json, "left_out_overlapping", run->built.water.overlapping);
}

static void put_pipes(rni_json *json, const rni_run *run)
{
    rni_json_key(json, "pipes");
    fputc('[', json->file);
    for (uint32_t k = 0; k < run->scene->pipe_count; k++) {
        if (k) fputs(", ", json->file);
        rni_json pipe = rni_json_begin(json->file);
        rni_json_text(&pipe, "name", run->scene->pipes[k].name);
        rni_json_whole(&pipe, "poured", rn_fluid_get_pipe_count(run->fluid, run->built.pipe[k]));
        rni_json_end(&pipe);
    }
    fputc(']', json->file);
}

static void put_outlets(rni_json *json, const rni_run *run)
{
    rni_json_key(json, "outlets");
    fputc('[', json->file);
    for (uint32_t k = 0; k < run->scene->outlet_count; k++) {
        if (k) fputs(", ", json->file);
        rni_json outlet = rni_json_begin(json->file);
        rni_json_text(&outlet, "name", run->scene->outlets[k].name);
        rni_json_whole(&outlet, "removed",
                       rn_fluid_get_outlet_count(run->fluid, run->built.outlet[k]));
        rni_json_end(&outlet);
    }
    fputc(']', json->file);
}

/* Of several fluids. */
static void put_fluids(rni_json *json, const rni_run *run)
{
    rni_json_key(json, "fluids");
    fputc('[', json->file);
    for (uint32_t k = 0; k < run->scene->fluid_count; k++) {
        rn_phase_report r = rn_phase_report_default();
        if (rn_fluid_get_phase_report(run->fluid, k, &r) != RN_OK) r.particles = 0;
        if (k) fputs(", ", json->file);
        rni_json fluid = rni_json_begin(json->file);
        rni_json_text(&fluid, "name", run->scene->fluids[k].phase.name);
        rni_json_whole(&fluid, "particles", r.particles);
        rni_json_number(&fluid, "volume", r.volume);
        rni_json_number(&fluid, "mass", r.mass);
        rni_json_number(&fluid, "kinetic", r.kinetic);
        rni_json_number(&fluid, "potential", r.potential);
        rni_json_floats(&fluid, "center", r.center, run->scene->def.dim);
        rni_json_number(&fluid, "speed_max", (double)r.speed_max);
        rni_json_whole(&fluid, "came", r.came);
        rni_json_whole(&fluid, "left", r.left);
        rni_json_end(&fluid);
    }
    fputc(']', json->file);
}

static void put_gauge(rni_json *json, const rni_run *run, uint32_t k)
{
    const rni_scene_gauge *g = &run->scene->gauges[k];
    const rn_fluid_gauge gauge = rni_scene_gauge_of(run->scene, g);
    const rn_gauge_column *column;
    rn_gauge_reading reading = rn_gauge_reading_default();
    (void)rn_fluid_get_gauge(run->fluid, run->built.gauge[k], &reading);
    rni_json_text(json, "name", rni_scene_gauge_label(run->scene, k).text);
    rni_json_text(json, "kind", rn_fluid_choice_name(RN_CHOICE_GAUGE, (uint32_t)g->kind));
    rni_json_whole(json, "samples", reading.sample_count);
    rni_json_key(json, "values");
    fputc('[', json->file);
    for (uint32_t c = 0; (column = rn_gauge_get_column(&gauge, run->scene->def.dim, c)); c++) {
        if (c) fputs(", ", json->file);
        rni_json value = rni_json_begin(json->file);
        if (*column->name) rni_json_text(&value, "name", column->name);
        rni_json_text(&value, "unit", column->unit);
        rni_json_number(&value, "min", reading.min[c]);
        rni_json_number(&value, "mean", reading.mean[c]);
        rni_json_number(&value, "max", reading.max[c]);
        rni_json_number(&value, "last", reading.value[c]);
        rni_json_end(&value);
    }
    fputc(']', json->file);
}

static void put_gauges(rni_json *json, const rni_run *run)
{
    rni_json_key(json, "gauges");
    fputc('[', json->file);
    for (uint32_t k = 0; k < run->scene->gauge_count; k++) {
        if (k) fputs(", ", json->file);
        rni_json gauge = rni_json_begin(json->file);
        put_gauge(&gauge, run, k);
        rni_json_end(&gauge);
    }
    fputc(']', json->file);
}

static void put_time_step(rni_json *json, const rni_run *run, const rni_run_summary *e)
{
    const rni_run_state *s = &run->state;
    const char *name;
    rni_json step = open_object(json, "time_step");
    rni_json_number(&step, "min_s", s->step_min);
    rni_json_number(&step, "mean_s", e->steps ? e->time / (double)e->steps : 0);
    rni_json_number(&step, "max_s", s->step_max);
    rni_json_number(&step, "last_s", s->step_last);
    rni_json_whole(&step, "retried_steps", s->retried_steps);
    rni_json bounds = open_object(&step, "steps_by_bound");
    for (uint32_t b = 0;
         b < RNI_CHECKPOINT_BOUNDS && (name = rn_fluid_choice_name(RN_CHOICE_BOUND, b)); b++)
        if (s->bound_steps[b]) rni_json_whole(&bounds, name, s->bound_steps[b]);
    rni_json_end(&bounds);
    rni_json_end(&step);
}

static void put_cost(rni_json *json, const rni_run *run, const rni_run_summary *e)
{
    const rni_run_state *s = &run->state;
    double steps = e->steps ? (double)e->steps : 1;
    rni_json_rounded(json, "ms_per_step", s->step_ms / steps);
    rni_json_rounded(json, "steps_per_s", e->wall_s > 0 ? (double)e->steps / e->wall_s : 0);
    rni_json stages = open_object(json, "stage_ms_per_step");
    for (uint32_t c = 0; c < RN_CLOCK_COUNT; c++)
        rni_json_rounded(&stages, rn_fluid_choice_name(RN_CHOICE_CLOCK, c), s->clock_ms[c] / steps);
    rni_json_end(&stages);
    rni_json_whole(json, "bytes", s->bytes);
    rni_json_number(json, "neighbors_mean", s->neighbors_mean);
}

static void put_viscosity(rni_json *json, const rni_run *run)
{
    const double steps = run->viscosity_steps > 0 ? (double)run->viscosity_steps : 1;
    rni_json solver = open_object(json, "viscosity_solver");
    rni_json_number(&solver, "iterations_per_step", (double)run->viscosity_iterations / steps);
    rni_json_number(&solver, "residual_max", run->viscosity_residual);
    rni_json_end(&solver);
}

static void put_physics(rni_json *json, const rni_run *run)
{
    const rni_run_state *s = &run->state;
    rn_fluid_derived derived = rni_fluid_derived_of(run->fluid);
    rni_json compression = open_object(json, "compression");
    rni_json_number(&compression, "density_mean", s->density_mean);
    rni_json_number(&compression, "density_max", s->density_max);
    rni_json_end(&compression);
    rni_json energy = open_object(json, "energy_j");
    rni_json_number(&energy, "kinetic", s->kinetic);
    rni_json_number(&energy, "potential", s->potential);
    rni_json_number(&energy, "elastic", s->elastic);
    rni_json_end(&energy);
    rni_json_number(json, "speed_max", s->speed_max);
    rni_json_key(json, "flags");
    fputc('[', json->file);
    const char *comma = "";
    for (uint32_t k = 0; k < FLAG_COUNT; k++)
        if (s->flags >> k & 1) {
            fprintf(json->file, "%s\"%s\"", comma, FLAG_NAMES[k]);
            comma = ", ";
        }
    fputc(']', json->file);
    rni_json d = open_object(json, "derived");
    rni_json_number(&d, "spacing", run->built.derived.spacing);
    rni_json_number(&d, "radius", (double)derived.radius);
    rni_json_number(&d, "mass", (double)derived.mass);
    rni_json_number(&d, "stiffness", (double)derived.stiffness);
    rni_json_number(&d, "sound_speed", (double)derived.sound_speed);
    rni_json_number(&d, "viscosity", (double)derived.viscosity);
    rni_json_number(&d, "numerical_viscosity", (double)derived.numerical_viscosity);
    rni_json_end(&d);
}

static void put_how(rni_json *json, const rni_run *run, const rni_run_summary *e)
{
    rni_json_whole(json, "threads", e->threads);
    rni_json_text(json, "cpu", rn_cpu_level_name(run->how.cpu));
    rni_json_text(json, "traversal", rn_fluid_choice_name(RN_CHOICE_TRAVERSAL, run->how.traversal));
    rni_json_text(json, "search", e->search);
    rni_json_bool(json, "resumed", run->is_resumed);
    if (run->is_resumed) rni_json_whole(json, "resumed_from_step", run->resumed_step);
    rni_json_whole(json, "frames", run->series.frame_count);
    rni_json_key(json, "formats");
    fputc('[', json->file);
    const char *comma = "";
    for (uint32_t k = 0; k < RNI_FORMAT_COUNT; k++)
        if (run->state.formats >> k & 1) {
            fprintf(json->file, "%s\"%s\"", comma, rni_format_name(k));
            comma = ", ";
        }
    fputc(']', json->file);
    rni_json_text(json, "out", run->folder);
}

rn_result rni_run_report_write(rni_run *run, bool is_finished)
{
    char path[RNI_PATH_BYTES];
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    if (!file) return rni_fail(RN_ERROR_MEMORY, "no memory for the report");
    rni_run_summary e = rni_run_summarize(run);
    rni_json json = rni_json_begin(file);
    put_end(&json, run, &e, is_finished);
    put_pipes(&json, run);
    put_outlets(&json, run);
    put_gauges(&json, run);
    if (run->scene->fluid_count > 0) put_fluids(&json, run);
    put_time_step(&json, run, &e);
    put_cost(&json, run, &e);
    put_physics(&json, run);
    if (run->viscosity_steps > 0) put_viscosity(&json, run);
    put_how(&json, run, &e);
    rni_json_end(&json);
    fputc('\n', file);
    bool is_good = !ferror(file);
    is_good = fclose(file) == 0 && is_good;
    rni_out_file out;
    rni_run_path(run, "report.json", path);
    rn_result result = is_good ? rni_out_file_open(path, &out)
                               : rni_fail(RN_ERROR_MEMORY, "no memory for the report");
    if (result == RN_OK) {
        rni_out_file_put(&out, text, bytes);
        result = rni_out_file_close(&out);
    }
    free(text);
    return result;
}
