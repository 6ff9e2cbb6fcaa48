#include "cli/picture_options.h"
#include "cli/progress.h"
#include "cli/scene_open.h"
#include "cli/signals.h"
#include "cli/view_serve.h"

#include "base/clock.h"
#include "base/parallel.h"
#include "files/json.h"
#include "render/looks.h"
#include "session/run.h"

#include <math.h>
#include <stdlib.h>

static const char *choice_format(uint32_t place)
{
    if (place == RNI_FORMAT_COUNT) return "none";
    return rni_format_name(place);
}

static const char *choice_traversal(uint32_t place)
{
    return rn_fluid_choice_name(RN_CHOICE_TRAVERSAL, place);
}

static const rni_option options[] = {
    {"out", RNI_OPTION_FOLDER, "DIR", "output folder; created if it does not exist", "out",
     "a folder, e.g. --out out", 0, 0, NULL},
    {"time", RNI_OPTION_NUMBER, "S",
     "simulated time at which the run ends, in seconds (default: run.time of the scene)", NULL,
     "seconds, e.g. --time 2", 0, 1e6, NULL},
    {"steps", RNI_OPTION_COUNT, "N",
     "number of steps after which the run ends, unless it has reached --time before", NULL,
     "a whole number, e.g. --steps 1000", 1, 4e9, NULL},
    {"wall", RNI_OPTION_NUMBER, "S",
     "stop after this many seconds of wall-clock time; --resume continues the run", NULL,
     "seconds, e.g. --wall 60", 0, 1e8, NULL},
    RNI_OPTION_SET,
    RNI_OPTION_PRESET,
    {"format", RNI_OPTION_CHOICES, "LIST", "file formats of the particles, separated by commas",
     "vtp", "formats, e.g. --format vtp,h5", 0, 0, choice_format},
    {"every", RNI_OPTION_NUMBER, "S",
     "simulated seconds from one frame to the next, at least 1e-6 (default: run.every of the "
     "scene); 0: only the first and the last frame are written",
     NULL, "0, or at least 1e-6 seconds, e.g. --every 0.02", 0, 1e6, NULL},
    {"checkpoint-every", RNI_OPTION_NUMBER, "S",
     "simulated seconds between checkpoints, at least 1e-6 (default: a tenth of the run); there "
     "is one per minute of wall-clock time in any case",
     NULL, "0, or at least 1e-6 seconds, e.g. --checkpoint-every 0.5", 0, 1e6, NULL},
    {"resume", RNI_OPTION_FLAG, NULL,
     "continue from the newest checkpoint in --out; the result is bit-identical to that of an "
     "uninterrupted run",
     NULL, NULL, 0, 0, NULL},
    {"force", RNI_OPTION_FLAG, NULL, "start over and replace the run in --out", NULL, NULL, 0, 0,
     NULL},
    {"picture", RNI_OPTION_FLAG, NULL, "draw the final state, as picture.png in the output folder",
     NULL, NULL, 0, 0, NULL},
    {"render", RNI_OPTION_CHOICE, "LOOK",
     "make a video of the frames with this look, as SCENE.mp4 in the output folder, and a poster "
     "of the final state, as SCENE.png",
     NULL, "a look, e.g. --render water", 0, 0, rni_look_name},
    {"size", RNI_OPTION_TEXT, "WxH", "width and height of the video in pixels", "1280x720",
     "two numbers, e.g. --size 1920x1080", 0, 0, NULL},
    RNI_OPTION_SCALE,
    {"samples", RNI_OPTION_COUNT, "N",
     "rays through a pixel of the video (default: as the look has it)", NULL,
     "a whole number, e.g. --samples 2", 1, RNI_SAMPLES_MAX, NULL},
    {"watch", RNI_OPTION_FLAG, NULL, "serve the viewer's page, to watch the run in a browser", NULL,
     NULL, 0, 0, NULL},
    RNI_OPTIONS_OF_A_VIEW,
    {"threads", RNI_OPTION_COUNT, "N",
     "number of threads; 0: one per processor; does not change the result", "0",
     "a whole number, e.g. --threads 2", 0, RNI_MAX_WORKERS, NULL},
    {"traversal", RNI_OPTION_CHOICE, "NAME", "how a step visits the pairs of neighbours", "fused",
     "a traversal, e.g. --traversal lists", 0, 0, choice_traversal},
    {"search", RNI_OPTION_CHOICE, "METHOD",
     "neighbour search method; implies --traversal lists; all methods give bit-identical results",
     "default", "a method, e.g. --search grid", 0, 0, rni_choice_method},
    {"cpu", RNI_OPTION_CHOICE, "LEVEL", "instruction set", "auto", "a level, e.g. --cpu avx2", 0, 0,
     rni_choice_cpu},
    {"progress", RNI_OPTION_CHOICE, "HOW",
     "how progress is reported on stderr; auto: a bar on a terminal, otherwise lines", "auto",
     "a kind, e.g. --progress json", 0, 0, rni_choice_progress},
    {0}};

/* --- reading options ------------------------------------------------------------------------------ */

/* A notice on stderr; with --progress json as {"message": ...}, so that every line is an object. */
static void say(const void *user, const char *sentence)
{
    const rni_arguments *a = user;
    if (rni_arguments_choice(a, "progress") != RNI_METER_JSON) {
        fprintf(stderr, "%s: %s\n", a->command->path, sentence);
        return;
    }
    rni_json json = rni_json_begin(stderr);
    rni_json_text(&json, "message", sentence);
    rni_json_end(&json);
    fputc('\n', stderr);
}

/* 0, or not so short that a run would do nothing but save. */
static int read_interval(const rni_arguments *a, const char *name, bool *is_given, double *value)
{
    *is_given = rni_arguments_has(a, name);
    *value = rni_arguments_number(a, name);
    if (*is_given && *value != 0 && *value < RNI_EVERY_MIN)
        return rni_misuse(a->command, "--%s: %g is too short; give 0 or at least %g seconds", name,
                          *value, RNI_EVERY_MIN);
    return RNI_EXIT_DONE;
}

static int read_formats(const rni_arguments *a, rni_run_options *o)
{
    uint32_t list[RNI_MAX_LIST];
    uint32_t count = rni_arguments_choices(a, "format", list);
    o->has_format = rni_arguments_has(a, "format");
    for (uint32_t k = 0; k < count; k++) {
        if (list[k] < RNI_FORMAT_COUNT) o->formats |= 1ull << list[k];
        else if (count > 1)
            return rni_misuse(a->command, "--format: none cannot be combined with other formats");
    }
    return RNI_EXIT_DONE;
}

/* Traversal, search method, threads and instruction set; a search method implies the list traversal. */
static int read_how(const rni_arguments *a, rni_run_options *o)
{
    rn_search_method method = RN_SEARCH_DEFAULT;
    if (rn_search_method_from_name(rni_arguments_text(a, "search"), &method) != RN_OK)
        return rni_misuse(a->command, "--search: %s", rn_last_error());
    o->has_cpu = rni_arguments_has(a, "cpu");
    o->has_search = rni_arguments_has(a, "search");
    o->has_traversal = rni_arguments_has(a, "traversal");
    o->how.threads = rni_arguments_count(a, "threads");
    o->how.cpu = (rn_cpu_level)rni_arguments_choice(a, "cpu");
    o->how.search = method;
    o->how.traversal = (rn_fluid_traversal)rni_arguments_choice(a, "traversal");
    if (!o->has_search) return RNI_EXIT_DONE;
    if (o->has_traversal && o->how.traversal != RN_TRAVERSAL_LISTS)
        return rni_misuse(a->command, "--search is for --traversal lists: the fused traversal has "
                                      "its own neighbour search");
    o->how.traversal = RN_TRAVERSAL_LISTS;
    return RNI_EXIT_DONE;
}

static int read_film(const rni_arguments *a, rni_run_options *o)
{
    rni_picture picture = rni_picture_default();
    int code = rni_take_size(a, &picture);
    if (code != RNI_EXIT_DONE || !rni_arguments_has(a, "render")) return code;
    if (o->resumes)
        return rni_misuse(a->command,
                          "--render is for new runs; `runnel render %s --out film.mp4` makes a "
                          "video of the frames of this one",
                          o->folder);
    if (o->has_every && o->every == 0)
        return rni_misuse(a->command, "--render needs frames: --every 0 has none; e.g. --every 1/30");
    o->film.look = rni_look_at(rni_arguments_choice(a, "render"));
    o->film.width = picture.width;
    o->film.height = picture.height;
    o->film.scale = rni_arguments_number(a, "scale");
    o->film.samples = rni_arguments_count(a, "samples");
    return RNI_EXIT_DONE;
}

static int read_options(const rni_arguments *a, rni_run_options *o)
{
    *o = (rni_run_options){.scene = a->operand_count ? a->operand[0] : NULL,
                           .settings = a->setting,
                           .setting_count = a->setting_count,
                           .folder = rni_arguments_text(a, "out"),
                           .has_time = rni_arguments_has(a, "time"),
                           .time = rni_arguments_number(a, "time"),
                           .has_steps = rni_arguments_has(a, "steps"),
                           .steps = rni_arguments_count(a, "steps"),
                           .has_wall = rni_arguments_has(a, "wall"),
                           .wall = rni_arguments_number(a, "wall"),
                           .resumes = rni_arguments_has(a, "resume"),
                           .is_forced = rni_arguments_has(a, "force"),
                           .wants_picture = rni_arguments_has(a, "picture"),
                           .user = a,
                           .say = say};
    if (!rni_arguments_has(a, "watch") &&
        (rni_arguments_has(a, "port") || rni_arguments_has(a, "listen")))
        return rni_misuse(a->command, "--port and --listen are for --watch");
    int code = read_interval(a, "every", &o->has_every, &o->every);
    if (code == RNI_EXIT_DONE)
        code = read_interval(a, "checkpoint-every", &o->has_checkpoint_every, &o->checkpoint_every);
    if (code == RNI_EXIT_DONE) code = read_formats(a, o);
    if (code == RNI_EXIT_DONE) code = read_film(a, o);
    return code == RNI_EXIT_DONE ? read_how(a, o) : code;
}

/* --- the summary ------------------------------------------------------------------------------------ */

static void print_particles(const rni_run *run, const rni_run_summary *e)
{
    const rni_run_state *s = &run->state;
    if (e->particles == 0 && s->came == 0 && s->left == 0) {
        printf("particles   0: no block, ball or pipe of the scene has added water\n");
        return;
    }
    printf("particles   %s", rni_group(e->particles).text);
    if (s->came) printf(", %s added by pipes", rni_group(s->came).text);
    if (s->left) printf(", %s removed by outlets or open sides", rni_group(s->left).text);
    if (e->escaped) printf("; %s are outside the walls", rni_group(e->escaped).text);
    else printf("; all inside the walls");
    putchar('\n');
}

static void print_water(const rni_run *run)
{
    const rni_run_state *s = &run->state;
    printf("fluid       compressed by %.2f %% at most, %.3g m/s maximum speed\n",
           100 * fmax(0, s->density_max - 1), s->speed_max);
    if (run->viscosity_steps > 0)
        printf("viscosity   implicit, %.3g iterations a step, residual %.2g at most\n",
               (double)run->viscosity_iterations / (double)run->viscosity_steps,
               run->viscosity_residual);
    if (s->flags & RN_FLAG_UNSOLVED)
        printf("            some steps ended with forces that are not balanced; raise "
               "fluid.viscosity_iterations\n");
    if (s->retried_steps)
        printf("            %llu steps were split into smaller ones\n",
               (unsigned long long)s->retried_steps);
    if (s->flags & RN_FLAG_UNSAFE_STEP)
        printf("            time.step was longer than the safe step\n");
    if (s->flags & RN_FLAG_FULL)
        printf("            a pipe stopped: the scene has reached fluid.max_particles = %u; "
               "raise this limit to pour more\n",
               run->scene->def.max_particles);
    if (s->flags & RN_FLAG_BLOCKED)
        printf(
            "            a pipe paused for a time, because particles were in the way of its mouth\n");
    if (s->flags & RN_FLAG_COMPRESSED)
        printf("            the water was compressed by more than 10 %% somewhere; a larger "
               "fluid.speed_expected or fluid.stiffness reduces this\n");
}

static void print_files(const rni_run *run)
{
    const char *f = run->folder;
    uint64_t formats = run->state.formats;
    if (formats >> RNI_FORMAT_VTP & 1)
        printf("  %s/particles.pvd: %llu frames for ParaView\n", f,
               (unsigned long long)run->series.frame_count);
    if (formats >> RNI_FORMAT_PLY & 1)
        printf("  %s/particles_*.ply: %llu frames\n", f, (unsigned long long)run->series.frame_count);
    if (formats >> RNI_FORMAT_H5 & 1)
        printf("  %s/particles.h5: %llu frames\n", f, (unsigned long long)run->series.frame_count);
    if (!run->is_interrupted && run->options->wants_picture)
        printf("  %s/picture.png: the current state\n", f);
    printf("  %s/report.json: the full report\n", f);
}

static void print_summary(const rni_run *run)
{
    char wall[32];
    const rni_run_summary e = rni_run_summarize(run);
    const rni_run_state *s = &run->state;
    bool is_lists = run->how.traversal == RN_TRAVERSAL_LISTS;
    double steps = e.steps ? (double)e.steps : 1;
    printf("%s: %.6g s simulated in %llu steps and %s\n", run->scene_name, e.time,
           (unsigned long long)e.steps, rni_duration(e.wall_s, wall));
    print_particles(run, &e);
    print_water(run);
    printf("step        %.3g ms each; %.3g s simulated (%.3g to %.3g)\n", s->step_ms / steps,
           e.time / steps, s->step_min, s->step_max);
    printf("threads     %u thread%s, %s, %s traversal%s%s\n", e.threads, e.threads == 1 ? "" : "s",
           rn_cpu_level_name(run->how.cpu),
           rn_fluid_choice_name(RN_CHOICE_TRAVERSAL, run->how.traversal),
           is_lists ? ", search " : "", is_lists ? e.search : "");
    printf("state       %016llx\n", (unsigned long long)e.state_hash);
    print_files(run);
}

/* --- the command ---------------------------------------------------------------------------------- */

static rni_meter_place place_of(const rni_run *run)
{
    return (rni_meter_place){.share = rni_run_share(run),
                             .time = rn_fluid_get_time(run->fluid),
                             .step = rn_fluid_get_step_count(run->fluid),
                             .particles = rn_fluid_get_arrays(run->fluid).count,
                             .wall_s = rni_seconds() - run->wall_begin};
}

/* Steps until the end, a signal, or a failure. */
static void advance(const rni_arguments *a, rni_run *run)
{
    rni_meter_place place = place_of(run);
    rni_meter meter =
        rni_meter_begin((rni_meter_kind)rni_arguments_choice(a, "progress"), place.share);
    while (!rni_signals_caught() && rni_run_advance(run)) {
        place = place_of(run);
        rni_meter_move(&meter, &place);
    }
    rni_meter_end(&meter, &place);
}

/* --watch: the server starts before the folder is touched, so that a port that is taken costs nothing. */
static int open_watch(const rni_arguments *a, rni_run *run)
{
    if (!rni_arguments_has(a, "watch")) return RNI_EXIT_DONE;
    rni_session *s = calloc(1, sizeof *s);
    if (!s) return rni_give_up(a->command, "no memory");
    s->only_watch = true;
    s->how.threads = rni_arguments_count(a, "threads");
    int code = rni_view_open(a, s, false);
    if (code == RNI_EXIT_DONE) run->watch = s;
    else free(s);
    return code;
}

static int print_failure(const rni_arguments *a, const rni_run *run)
{
    if (run->problems.count) rni_problems_print(a->command, &run->problems);
    else if (run->is_misuse) rni_misuse(a->command, "%s", run->failure);
    else if (run->failure[0]) rni_give_up(a->command, "%s", run->failure);
    return run->is_misuse ? RNI_EXIT_MISUSE : RNI_EXIT_FAILED;
}

static int run_scene(const rni_arguments *arguments)
{
    rni_run_options wanted;
    int code = read_options(arguments, &wanted);
    if (code != RNI_EXIT_DONE) return code;
    rni_run *run = calloc(1, sizeof *run);
    if (!run) return rni_give_up(arguments->command, "no memory");
    rni_run_init(run, &wanted);
    code = open_watch(arguments, run);
    rn_result result = code == RNI_EXIT_DONE ? rni_run_read(run) : RN_OK;
    /* Not before: a scene that is read from a pipe may never arrive. */
    rni_signals_watch();
    rni_preparing preparing =
        rni_preparing_begin((rni_meter_kind)rni_arguments_choice(arguments, "progress"));
    run->how.progress = rni_preparing_move, run->how.progress_user = &preparing;
    if (code == RNI_EXIT_DONE && result == RN_OK) result = rni_run_start(run);
    rni_preparing_end(&preparing);
    if (code == RNI_EXIT_DONE && result == RN_OK) {
        rni_run_watch_begin(run);
        advance(arguments, run);
        int number = rni_signals_caught();
        result = rni_run_end(run, number ? rni_signals_name(number) : NULL);
        if (result == RN_OK) print_summary(run);
        if (result == RN_OK && run->is_interrupted) code = 128 + number;
    }
    if (result != RN_OK) code = print_failure(arguments, run);
    rni_run_close(run);
    free(run);
    return code;
}

const rni_command rni_command_run = {
    .name = "run",
    .path = "runnel run",
    .summary = "simulates a scene; writes particles, checkpoints and a report",
    .usage = "[SCENE] [options]",
    .about =
        "SCENE is a built-in scene (`runnel scenes` lists them; the first is the default) or a JSON\n"
        "file (docs/scenes.md). It may also be a checkpoint (.rnck), written by another run or by\n"
        "`runnel view`: then a new run begins with that state. The output folder (--out) receives\n"
        "scene.json, particles.*, the last two checkpoints and report.json; a scene with gauges\n"
        "also gets gauges.csv. Ctrl-C and SIGTERM save a checkpoint and end the run, and --resume\n"
        "continues it; a second signal ends it at once.",
    .examples = "runnel run\n"
                "runnel run dam-break --out dam --time 0.1 --picture\n"
                "runnel run dam-break --out dam --resume --time 0.2\n"
                "runnel run drop --set fluid.spacing=0.004 --format vtp,h5 --every 0.01 --force",
    .operand_min = 0,
    .operand_max = 1,
    .operand_name = "SCENE",
    .operand_at = rni_choice_scene,
    .options = options,
    .run = run_scene,
};
