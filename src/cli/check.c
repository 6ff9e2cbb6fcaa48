/* runnel check: a scene explained before it runs. */
#include "cli/progress.h"
#include "cli/scene_open.h"

#include "base/pi.h"
#include "files/json.h"
#include "fluid/derived.h"
#include "fluid/sources.h"
#include "scene/warnings.h"
#include "session/step_cost.h"

#include <math.h>
#include <stdarg.h>

/* Everything that is told, in one place for text and JSON. */
typedef struct findings {
    const char *name;
    const rni_scene *scene;
    rni_scene_built built;
    rn_fluid_derived derived;
    rni_scene_warnings warnings;
    uint64_t particles; /* at most, in all */
    bool is_endless;    /* a pipe without end: particles is an estimate */
    rni_step_cost measured;
    double steps, seconds; /* until the end */
    rni_pipe_places places[RNI_SCENE_MAX_PIPES];
} findings;

/* m^3/s (2D: m^2/s) of a pipe, where its factors do not say otherwise; walls may take a part. */
static double flow_of(const findings *f, uint32_t k)
{
    const rni_scene_pipe *pipe = &f->scene->pipes[k];
    double r = (double)pipe->radius, share = f->places[k].open / fmax(1, f->places[k].all);
    double mouth = f->scene->def.dim == 2 ? 2 * r : RNI_PI * r * r;
    return share * (pipe->flow_rate > 0 ? (double)pipe->flow_rate : (double)pipe->speed * mouth);
}

/* --- telling ---------------------------------------------------------------------------------- */
static void print_water(const findings *f)
{
    const rni_scene_built *b = &f->built;
    printf("  particles    %s at the start", rni_group(b->water.added).text);
    if (f->is_endless)
        printf(", about %s in all with what pipes without end pour", rni_group(f->particles).text);
    else if (f->particles > b->water.added) printf(", %s in all", rni_group(f->particles).text);
    printf("; left out: %s in walls, %s overlapping", rni_group(b->water.in_walls).text,
           rni_group(b->water.overlapping).text);
    if (b->water.outside_domain)
        printf(", %s outside the domain", rni_group(b->water.outside_domain).text);
    printf("\n");
    printf("  spacing      %.4g m", b->derived.spacing);
    if (f->scene->particles)
        printf(", from at most %s particles and %.4g m^%u of water",
               rni_group(f->scene->particles).text, b->derived.volume, f->scene->def.dim);
    printf("; radius %.4g m, %u neighbours inside the water\n", (double)f->derived.radius,
           f->derived.neighbor_count);
    printf("  mass         %.4g kg a particle\n", (double)f->derived.mass);
    printf("  stiffness    %.4g %s; sound at %.4g m/s, water expected at up to %.4g m/s\n",
           (double)f->derived.stiffness,
           f->scene->def.params.pressure == RN_PRESSURE_TAIT ? "Pa" : "J/kg",
           (double)f->derived.sound_speed, (double)f->derived.speed_expected);
    printf("  viscosity    %.4g Pa s, the numerical part included\n", (double)f->derived.viscosity);
}

static void print_cost(const findings *f)
{
    bool is_fixed = f->scene->def.params.time_step > 0;
    printf("  time step    %.4g s", (double)f->derived.time_step);
    if (is_fixed) printf(", fixed");
    else if (f->measured.step_s > 0)
        printf(", safe; %.4g s while measuring, bound: %s", (double)f->measured.report.time_step,
               rn_fluid_choice_name(RN_CHOICE_BOUND, f->measured.report.bound));
    printf("\n");
    if (f->measured.step_s > 0) {
        printf("  memory       %.1f MB with all particles\n", (double)f->measured.report.bytes / 1e6);
        char time[32];
        double whole = f->steps * f->measured.step_s;
        if (whole < 60) snprintf(time, sizeof time, "%.2g s", whole);
        else rni_duration(whole, time);
        printf("  expected     %s steps for %g s; %.3g ms each here with all particles: about %s\n",
               rni_group((uint64_t)f->steps).text, f->seconds, 1e3 * f->measured.step_s, time);
    } else {
        printf("  expected     %s steps for %g s\n", rni_group((uint64_t)f->steps).text, f->seconds);
    }
}

static void print_pipes(const findings *f)
{
    const rni_scene *s = f->scene;
    for (uint32_t k = 0; k < s->pipe_count; k++) {
        printf("  pipe         pipes.%u", k);
        if (*s->pipes[k].name) printf(" (%s)", s->pipes[k].name);
        printf(": %.4g m^%u/s%s, %s of %s particles a layer\n", flow_of(f, k), s->def.dim,
               s->pipes[k].time_count ? " times its factors" : "",
               rni_group(f->places[k].open).text, rni_group(f->places[k].all).text);
    }
}

static void print_text(const findings *f)
{
    printf("%s: %s\n", f->name, *f->scene->title ? f->scene->title : "a scene without a title");
    print_water(f);
    print_cost(f);
    const rni_scene *s = f->scene;
    printf("  made of      %u solids, %u blocks, %u balls, %u pipes, %u outlets, %u events\n",
           s->solid_count, s->block_count, s->ball_count, s->pipe_count, s->outlet_count,
           s->event_count);
    print_pipes(f);
    uint32_t kept = f->warnings.count < RNI_MAX_WARNINGS ? f->warnings.count : RNI_MAX_WARNINGS;
    for (uint32_t k = 0; k < kept; k++) printf("  warning      %s\n", f->warnings.text[k]);
    if (f->warnings.count > kept) printf("  warning      and %u more\n", f->warnings.count - kept);
    if (*f->warnings.note) printf("  note         %s\n", f->warnings.note);
    if (f->warnings.count == 0) printf("  no warnings\n");
}

static void print_json(const findings *f)
{
    rni_json json = rni_json_begin(stdout);
    rni_json_text(&json, "scene", f->name);
    rni_json_text(&json, "title", f->scene->title);
    rni_json_whole(&json, "particles_start", f->built.water.added);
    rni_json_whole(&json, "particles", f->particles);
    rni_json_bool(&json, "endless", f->is_endless);
    rni_json_whole(&json, "left_out_outside_domain", f->built.water.outside_domain);
    rni_json_whole(&json, "left_out_in_walls", f->built.water.in_walls);
    rni_json_whole(&json, "left_out_overlapping", f->built.water.overlapping);
    rni_json_number(&json, "spacing", f->built.derived.spacing);
    rni_json_number(&json, "radius", (double)f->derived.radius);
    rni_json_number(&json, "mass", (double)f->derived.mass);
    rni_json_number(&json, "stiffness", (double)f->derived.stiffness);
    rni_json_number(&json, "sound_speed", (double)f->derived.sound_speed);
    rni_json_number(&json, "viscosity", (double)f->derived.viscosity);
    rni_json_number(&json, "time_step", (double)f->derived.time_step);
    rni_json_text(&json, "time_step_bound",
                  f->measured.step_s > 0
                      ? rn_fluid_choice_name(RN_CHOICE_BOUND, f->measured.report.bound)
                      : "");
    rni_json_number(&json, "steps", floor(f->steps));
    if (f->measured.step_s > 0) {
        rni_json_rounded(&json, "steps_per_s", 1 / f->measured.step_s);
        rni_json_rounded(&json, "wall_s", f->steps * f->measured.step_s);
        rni_json_whole(&json, "bytes", f->measured.report.bytes);
    }
    rni_json_key(&json, "pipes");
    fputs("[", stdout);
    for (uint32_t k = 0; k < f->scene->pipe_count; k++) {
        fputs(k ? ", " : "", stdout);
        rni_json pipe = rni_json_begin(stdout);
        rni_json_text(&pipe, "name", f->scene->pipes[k].name);
        rni_json_number(&pipe, "flow", flow_of(f, k));
        rni_json_whole(&pipe, "layer", f->places[k].all);
        rni_json_whole(&pipe, "layer_open", f->places[k].open);
        rni_json_end(&pipe);
    }
    fputs("]", stdout);
    if (*f->warnings.note) rni_json_text(&json, "note", f->warnings.note);
    rni_json_key(&json, "warnings");
    fputs("[", stdout);
    for (uint32_t k = 0; k < f->warnings.count && k < RNI_MAX_WARNINGS; k++) {
        fputs(k ? ", " : "", stdout);
        rni_json_write_text(stdout, f->warnings.text[k]);
    }
    fputs("]", stdout);
    rni_json_end(&json);
    fputs("\n", stdout);
}

/* --- pipes ------------------------------------------------------------------------------------ */
/* What the stream runs at, as a share of its speed: linear between its times. */
static double factor_at(const rni_scene_pipe *pipe, double time)
{
    uint32_t n = pipe->time_count;
    if (n == 0) return 1;
    if (time <= (double)pipe->times[0]) return (double)pipe->factors[0];
    for (uint32_t k = 1; k < n; k++) {
        double from = (double)pipe->times[k - 1], to = (double)pipe->times[k];
        double part = (time - from) / (to - from);
        if (time <= to)
            return (1 - part) * (double)pipe->factors[k - 1] + part * (double)pipe->factors[k];
    }
    return (double)pipe->factors[n - 1];
}

/* Particles that a pipe without end pours until the end of the run. */
static double poured(const findings *f, uint32_t k)
{
    const rni_scene *scene = f->scene;
    const rni_scene_pipe *pipe = &scene->pipes[k];
    double end = f->seconds, seconds = 0, from = 0;
    for (uint32_t t = 0; t <= pipe->time_count; t++) { /* the factor is linear on each stretch */
        double to = t < pipe->time_count ? (double)pipe->times[t] : end;
        to = fmin(to, end);
        seconds += (to - from) * (factor_at(pipe, from) + factor_at(pipe, to)) / 2;
        from = to;
    }
    return flow_of(f, k) * seconds / pow(f->built.derived.spacing, scene->def.dim);
}

/* --- the command ------------------------------------------------------------------------------ */
__attribute__((format(printf, 2, 3))) static void warn(rni_scene_warnings *warnings,
                                                       const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (warnings->count < RNI_MAX_WARNINGS)
        vsnprintf(warnings->text[warnings->count], sizeof warnings->text[0], format, values);
    va_end(values);
    warnings->count++;
}

static rn_result find_out(const rni_scene *scene, const rni_scene_how *how, bool is_measured,
                          findings *f)
{
    rn_fluid *fluid = NULL;
    rn_result result = rni_scene_build(scene, how, &fluid, &f->built);
    if (result != RN_OK) return result;
    f->derived = rni_fluid_derived_of(fluid);
    f->particles = f->built.water.added;
    double step = (double)f->derived.time_step, by_time = ceil(scene->run_time / step);
    bool is_by_steps = scene->run_steps > 0 && (scene->run_time <= 0 || scene->run_steps < by_time);
    f->steps = is_by_steps ? scene->run_steps : by_time;
    f->seconds = is_by_steps ? scene->run_steps * step : scene->run_time;
    for (uint32_t k = 0; k < scene->pipe_count; k++) {
        f->places[k] = rni_pipe_places_of(fluid, f->built.pipe[k]);
        f->particles += f->built.derived.pipe_max[k];
        if (f->built.derived.pipe_max[k] > 0) continue;
        f->is_endless = true;
        f->particles += (uint64_t)fmin(ceil(poured(f, k)), 1e15);
    }
    uint64_t wanted = f->particles;
    if (wanted > scene->def.max_particles) f->particles = scene->def.max_particles;
    rni_scene_warn(scene, &f->built, fluid, &f->warnings);
    if (wanted > f->particles)
        warn(&f->warnings,
             "fluid.max_particles: is %u, but the scene would hold about %llu particles; pipes stop "
             "at the limit. Raise fluid.max_particles to pour more",
             scene->def.max_particles, (unsigned long long)wanted);
    if (is_measured && f->particles > 0) {
        bool is_all_there = f->built.water.added * 2ull >= f->particles;
        result = is_all_there
                     ? rni_step_cost_measure(fluid, 0.5, &f->measured)
                     : rni_step_cost_estimate(scene, how, fluid, f->particles, 200000, &f->measured);
        if (result == RN_ERROR_LIMIT) { /* that is what is to be known about the scene */
            warn(&f->warnings, "it cannot run: %s", rn_last_error());
            f->measured = (rni_step_cost){0};
            result = RN_OK;
        }
    }
    rn_fluid_destroy(fluid);
    return result;
}

static int run(const rni_arguments *arguments)
{
    rni_scene *scene = NULL;
    const char *name = arguments->operand_count ? arguments->operand[0] : rni_choice_scene(0);
    int code = rni_scene_open(arguments, name, &scene);
    if (code != RNI_EXIT_DONE) return code;
    rni_scene_how how = {.threads = rni_arguments_count(arguments, "threads")};
    static findings f; /* too large for a stack that others share */
    f = (findings){.name = name, .scene = scene};
    rn_result result = find_out(scene, &how, !rni_arguments_has(arguments, "no-measure"), &f);
    if (result != RN_OK) code = rni_give_up(arguments->command, "%s: %s", name, rn_last_error());
    else if (rni_arguments_has(arguments, "json")) print_json(&f);
    else print_text(&f);
    rni_scene_free(scene);
    return code;
}

static const rni_option options[] = {
    RNI_OPTION_SET,
    {"threads", RNI_OPTION_COUNT, "N", "threads; 0: one a processor", "0",
     "a number, e.g. --threads 2", 0, 256, NULL},
    {"no-measure", RNI_OPTION_FLAG, NULL, "leave out the steps that tell the speed", NULL, NULL, 0,
     0, NULL},
    {"json", RNI_OPTION_FLAG, NULL, "one object for programs", NULL, NULL, 0, 0, NULL},
    {0}};

const rni_command rni_command_check = {
    .name = "check",
    .path = "runnel check",
    .summary = "explains a scene: particles, memory, time step, expected speed, warnings",
    .usage = "[SCENE] [--set PATH=VALUE] [options]",
    .about = "SCENE is a built-in name (`runnel scenes`) or a file; without one it is water-channel.\n"
             "Everything that is wrong with it is told at once; what is only unlikely is a warning.",
    .examples = "runnel check water-channel\n"
                "runnel check dam-break --set fluid.spacing=0.005\n"
                "runnel check mine.json --json",
    .operand_max = 1,
    .operand_name = "SCENE",
    .operand_at = rni_choice_scene,
    .options = options,
    .run = run,
};
