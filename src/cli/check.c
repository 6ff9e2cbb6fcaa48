/* runnel check: a scene explained before it runs. */
#include "cli/progress.h"
#include "cli/scene_open.h"

#include "files/json.h"
#include "session/explain.h"

#include <math.h>

typedef struct findings {
    const char *name;
    const rni_scene *scene;
    rni_explanation all;
} findings;

/* --- printing ------------------------------------------------------------------------------------- */

static const char *preset_of(const rni_scene *scene)
{
    return rn_fluid_choice_name(RN_CHOICE_PRESET, scene->preset);
}

static const char *scheme_of(const rni_scene *scene)
{
    return rn_fluid_choice_name(RN_CHOICE_SCHEME, scene->def.scheme);
}

static void print_water(const findings *f)
{
    const rni_explanation *e = &f->all;
    const rni_scene_built *b = &e->built;
    printf("  particles    %s at the start", rni_group(b->water.added).text);
    if (e->is_endless)
        printf(", about %s in total with pipes that pour without limit",
               rni_group(e->particles).text);
    else if (e->particles > b->water.added) printf(", %s in total", rni_group(e->particles).text);
    printf("; left out: %s in walls, %s overlapping", rni_group(b->water.in_walls).text,
           rni_group(b->water.overlapping).text);
    if (b->water.outside_domain)
        printf(", %s outside the domain", rni_group(b->water.outside_domain).text);
    printf("\n");
    printf("  spacing      %.4g m", b->derived.spacing);
    if (f->scene->particles)
        printf(", from at most %s particles and %.4g m^%u of fluid",
               rni_group(f->scene->particles).text, b->derived.volume, f->scene->def.dim);
    printf("; support radius %.4g m, %u neighbours inside the fluid\n", (double)e->derived.radius,
           e->derived.neighbor_count);
    printf("  mass         %.4g kg per particle\n", (double)e->derived.mass);
    printf("  stiffness    %.4g %s; speed of sound %.4g m/s, expected fluid speed up to %.4g m/s\n",
           (double)e->derived.stiffness,
           f->scene->def.params.pressure == RN_PRESSURE_TAIT ? "Pa" : "J/kg",
           (double)e->derived.sound_speed, (double)e->derived.speed_expected);
    const double numerical = (double)e->derived.numerical_viscosity;
    printf("  viscosity    %.4g Pa s of the fluid, and %.4g Pa s numerical\n",
           rni_scene_viscosity(f->scene), numerical);
}

static void print_cost(const findings *f)
{
    const rni_explanation *e = &f->all;
    bool is_fixed = f->scene->def.params.time_step > 0;
    printf("  time step    %.4g s", (double)e->derived.time_step);
    if (is_fixed) printf(", fixed");
    else if (e->cost.step_s > 0)
        printf(", safe; %.4g s while measuring, bound: %s", (double)e->cost.report.time_step,
               rn_fluid_choice_name(RN_CHOICE_BOUND, e->cost.report.bound));
    printf("\n");
    if (e->bytes > 0)
        printf("  memory       %s%.1f MB with all particles\n", e->cost.step_s > 0 ? "" : "about ",
               (double)e->bytes / 1e6);
    if (e->cost.step_s > 0) {
        char time[32];
        rni_duration(e->steps * e->cost.step_s, time);
        printf("  expected     %s steps for %g s; %.3g ms each on this machine with all "
               "particles: about %s\n",
               rni_group((uint64_t)e->steps).text, e->seconds, 1e3 * e->cost.step_s, time);
    } else {
        printf("  expected     %s steps for %g s\n", rni_group((uint64_t)e->steps).text, e->seconds);
    }
}

static void print_pipes(const findings *f)
{
    const rni_explanation *e = &f->all;
    const rni_scene *s = f->scene;
    for (uint32_t k = 0; k < s->pipe_count; k++) {
        printf("  pipe         pipes.%u", k);
        if (*s->pipes[k].name) printf(" (%s)", s->pipes[k].name);
        printf(": %.4g m^%u/s%s, %s of %s particles per layer\n", e->pipe[k].flow, s->def.dim,
               s->pipes[k].time_count ? " times its factors" : "", rni_group(e->pipe[k].open).text,
               rni_group(e->pipe[k].layer).text);
    }
}

static void print_contents(const rni_scene *s)
{
    const struct {
        uint32_t count;
        const char *noun;
    } parts[] = {{s->solid_count, "solid"}, {s->block_count, "block"},   {s->ball_count, "ball"},
                 {s->pipe_count, "pipe"},   {s->outlet_count, "outlet"}, {s->gauge_count, "gauge"},
                 {s->event_count, "event"}};
    printf("  contains     ");
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        printf("%s%u %s%s", k > 0 ? ", " : "", parts[k].count, parts[k].noun,
               parts[k].count == 1 ? "" : "s");
    putchar('\n');
}

static void print_text(const findings *f)
{
    const rni_explanation *e = &f->all;
    printf("%s: %s\n", f->name, *f->scene->title ? f->scene->title : "untitled scene");
    printf("  physics      preset %s, scheme %s\n", preset_of(f->scene), scheme_of(f->scene));
    print_water(f);
    print_cost(f);
    print_contents(f->scene);
    print_pipes(f);
    uint32_t kept = e->warnings.count < RNI_MAX_WARNINGS ? e->warnings.count : RNI_MAX_WARNINGS;
    for (uint32_t k = 0; k < kept; k++) printf("  warning      %s\n", e->warnings.text[k]);
    if (e->warnings.count > kept) printf("  warning      and %u more\n", e->warnings.count - kept);
    if (*e->warnings.note) printf("  note         %s\n", e->warnings.note);
    if (e->warnings.count == 0) printf("  no warnings\n");
}

static void print_json(const findings *f)
{
    const rni_explanation *e = &f->all;
    rni_json json = rni_json_begin(stdout);
    rni_json_text(&json, "scene", f->name);
    rni_json_text(&json, "title", f->scene->title);
    rni_json_text(&json, "preset", preset_of(f->scene));
    rni_json_text(&json, "scheme", scheme_of(f->scene));
    rni_json_whole(&json, "particles_start", e->built.water.added);
    rni_json_whole(&json, "particles", e->particles);
    rni_json_bool(&json, "endless", e->is_endless);
    rni_json_whole(&json, "left_out_outside_domain", e->built.water.outside_domain);
    rni_json_whole(&json, "left_out_in_walls", e->built.water.in_walls);
    rni_json_whole(&json, "left_out_overlapping", e->built.water.overlapping);
    rni_json_number(&json, "spacing", e->built.derived.spacing);
    rni_json_number(&json, "radius", (double)e->derived.radius);
    rni_json_number(&json, "mass", (double)e->derived.mass);
    rni_json_number(&json, "stiffness", (double)e->derived.stiffness);
    rni_json_number(&json, "sound_speed", (double)e->derived.sound_speed);
    rni_json_number(&json, "viscosity", (double)e->derived.viscosity);
    rni_json_number(&json, "numerical_viscosity", (double)e->derived.numerical_viscosity);
    rni_json_number(&json, "time_step", (double)e->derived.time_step);
    rni_json_text(&json, "time_step_bound",
                  e->cost.step_s > 0 ? rn_fluid_choice_name(RN_CHOICE_BOUND, e->cost.report.bound)
                                     : "");
    rni_json_number(&json, "steps", floor(e->steps));
    if (e->cost.step_s > 0) {
        rni_json_rounded(&json, "steps_per_s", 1 / e->cost.step_s);
        rni_json_rounded(&json, "wall_s", e->steps * e->cost.step_s);
    }
    if (e->bytes > 0) rni_json_whole(&json, "bytes", e->bytes);
    rni_json_key(&json, "pipes");
    fputs("[", stdout);
    for (uint32_t k = 0; k < f->scene->pipe_count; k++) {
        fputs(k ? ", " : "", stdout);
        rni_json pipe = rni_json_begin(stdout);
        rni_json_text(&pipe, "name", f->scene->pipes[k].name);
        rni_json_number(&pipe, "flow", e->pipe[k].flow);
        rni_json_whole(&pipe, "layer", e->pipe[k].layer);
        rni_json_whole(&pipe, "layer_open", e->pipe[k].open);
        rni_json_end(&pipe);
    }
    fputs("]", stdout);
    if (*e->warnings.note) rni_json_text(&json, "note", e->warnings.note);
    rni_json_key(&json, "warnings");
    fputs("[", stdout);
    for (uint32_t k = 0; k < e->warnings.count && k < RNI_MAX_WARNINGS; k++) {
        fputs(k ? ", " : "", stdout);
        rni_json_write_text(stdout, e->warnings.text[k]);
    }
    fputs("]", stdout);
    rni_json_end(&json);
    fputs("\n", stdout);
}

/* --- the command ---------------------------------------------------------------------------------- */

static int run(const rni_arguments *arguments)
{
    rni_scene *scene = NULL;
    const char *name = arguments->operand_count ? arguments->operand[0] : rni_choice_scene(0);
    int code = rni_scene_open(arguments, name, &scene);
    if (code != RNI_EXIT_DONE) return code;
    rni_scene_how how = {.threads = rni_arguments_count(arguments, "threads")};
    static findings f; /* too large for the stack */
    f = (findings){.name = name, .scene = scene};
    bool is_measured = !rni_arguments_has(arguments, "no-measure");
    if (rni_scene_explain(scene, &how, is_measured, &f.all) != RN_OK)
        code = rni_give_up(arguments->command, "%s: %s", name, rn_last_error());
    else if (rni_arguments_has(arguments, "json")) print_json(&f);
    else print_text(&f);
    rni_scene_free(scene);
    return code;
}

static const rni_option options[] = {
    RNI_OPTION_SET,
    RNI_OPTION_PRESET,
    {"threads", RNI_OPTION_COUNT, "N", "number of threads; 0: one per processor", "0",
     "a number, e.g. --threads 2", 0, 256, NULL},
    {"no-measure", RNI_OPTION_FLAG, NULL, "do not run steps to measure the speed", NULL, NULL, 0, 0,
     NULL},
    {"json", RNI_OPTION_FLAG, NULL, "print one JSON object", NULL, NULL, 0, 0, NULL},
    {0}};

const rni_command rni_command_check = {
    .name = "check",
    .path = "runnel check",
    .summary = "explains a scene: particles, memory, time step, expected run time, warnings",
    .usage = "[SCENE] [--set PATH=VALUE] [options]",
    .about =
        "SCENE is a built-in scene (`runnel scenes` lists them; the first is the default) or a JSON\n"
        "file. Reports the errors of a scene together, the first ten with their places, and warns\n"
        "about settings that are valid but probably a mistake.",
    .examples = "runnel check water-channel\n"
                "runnel check dam-break --set fluid.spacing=0.005\n"
                "runnel check mine.json --json",
    .operand_max = 1,
    .operand_name = "SCENE",
    .operand_at = rni_choice_scene,
    .options = options,
    .run = run,
};
