#include "cli/run.h"

#include "cli/progress.h"
#include "cli/scene_open.h"
#include "cli/view_serve.h"

#include "base/clock.h"
#include "base/parallel.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* A checkpoint at least so often, whatever --checkpoint-every says: nobody likes to lose more. */
#define CHECKPOINT_WALL_S 60.0

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
    {"out", RNI_OPTION_FOLDER, "DIR", "where everything goes; made when it is not there", "out",
     "a folder, e.g. --out out", 0, 0, NULL},
    {"time", RNI_OPTION_NUMBER, "S", "simulated seconds in all, instead of the scene's", NULL,
     "seconds, e.g. --time 2", 0, 1e6, NULL},
    {"steps", RNI_OPTION_COUNT, "N",
     "end after so many steps in all, whenever that is; with --time at what comes first", NULL,
     "a whole number, e.g. --steps 1000", 1, 4e9, NULL},
    {"wall", RNI_OPTION_NUMBER, "S",
     "end after so many seconds of work, wherever that is; --resume goes on", NULL,
     "seconds, e.g. --wall 60", 0, 1e8, NULL},
    RNI_OPTION_SET,
    {"format", RNI_OPTION_CHOICES, "LIST", "how particles are written, with commas between", "vtp",
     "formats, e.g. --format vtp,h5", 0, 0, choice_format},
    {"every", RNI_OPTION_NUMBER, "S",
     "simulated seconds between frames, instead of the scene's, at least 1e-6; 0: only the first "
     "and the last",
     NULL, "0, or at least 1e-6 seconds, e.g. --every 0.02", 0, 1e6, NULL},
    {"checkpoint-every", RNI_OPTION_NUMBER, "S",
     "simulated seconds between checkpoints, at least 1e-6; a tenth of the run without it, and once "
     "a minute of work at least",
     NULL, "0, or at least 1e-6 seconds, e.g. --checkpoint-every 0.5", 0, 1e6, NULL},
    {"resume", RNI_OPTION_FLAG, NULL,
     "go on from the newest checkpoint in --out, to the same bits as a run that never stopped",
     NULL, NULL, 0, 0, NULL},
    {"force", RNI_OPTION_FLAG, NULL, "start over, whatever run is in --out", NULL, NULL, 0, 0, NULL},
    {"picture", RNI_OPTION_FLAG, NULL, "draw the end as picture.png", NULL, NULL, 0, 0, NULL},
    {"watch", RNI_OPTION_FLAG, NULL, "serve the viewer's page, to look at the run while it goes",
     NULL, NULL, 0, 0, NULL},
    RNI_OPTIONS_OF_A_VIEW,
    {"threads", RNI_OPTION_COUNT, "N", "0: one for each processor; the bits are the same", "0",
     "a whole number, e.g. --threads 2", 0, RNI_MAX_WORKERS, NULL},
    {"traversal", RNI_OPTION_CHOICE, "NAME", "how a step goes through the pairs", "fused",
     "a traversal, e.g. --traversal lists", 0, 0, choice_traversal},
    {"search", RNI_OPTION_CHOICE, "METHOD",
     "neighbour search of the list traversal, which it asks for; all give the same bits", "default",
     "a method, e.g. --search grid", 0, 0, rni_choice_method},
    {"cpu", RNI_OPTION_CHOICE, "LEVEL", "instruction set", "auto", "a level, e.g. --cpu avx2", 0, 0,
     rni_choice_cpu},
    {"progress", RNI_OPTION_CHOICE, "HOW", "on stderr", "auto", "a way, e.g. --progress json", 0, 0,
     rni_choice_progress},
    {0}};

/* --- signals ----------------------------------------------------------------------------------------- */

static volatile sig_atomic_t caught;

/* The first asks, the second does not. */
static void catch_signal(int number)
{
    caught = number;
    signal(number, SIG_DFL);
}

static void watch_signals(void)
{
    struct sigaction action = {0};
    action.sa_handler = catch_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART; /* files are written to their end */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error like a full disk */
}

static const char *signal_name(int number)
{
    return number == SIGINT ? "SIGINT" : number == SIGTERM ? "SIGTERM" : "SIGHUP";
}

/* --- the loop ------------------------------------------------------------------------------------------ */

bool rni_run_is_at_end(const rni_run *run)
{
    bool by_step = run->end_step > 0 && rn_fluid_get_step_count(run->fluid) >= run->end_step;
    return by_step || rni_is_due(rn_fluid_get_time(run->fluid), run->end_time);
}

/* --wall, of this part of the run. */
static bool is_out_of_time(const rni_run *run)
{
    return run->wall_limit > 0 && rni_seconds() > run->wall_limit;
}

static rni_meter_place place_of(const rni_run *run)
{
    double time = rn_fluid_get_time(run->fluid);
    uint64_t step = rn_fluid_get_step_count(run->fluid);
    double by_time = isfinite(run->end_time) && run->end_time > 0 ? time / run->end_time : 0;
    double by_step = run->end_step > 0 ? (double)step / (double)run->end_step : 0;
    return (rni_meter_place){.share = rni_run_is_at_end(run) ? 1 : fmin(1, fmax(by_time, by_step)),
                             .time = time,
                             .step = step,
                             .particles = rn_fluid_get_arrays(run->fluid).count,
                             .wall_s = rni_seconds() - run->wall_begin};
}

/* Keeps the sentence of a failure for the report. */
static void keep_error(rni_run *run, const char *what)
{
    snprintf(run->error, sizeof run->error, "%s%s", what, rn_last_error());
}

/* Frames and checkpoints whose time has come. */
static rn_result save_due(rni_run *run)
{
    rni_run_state *s = &run->state;
    double time = rn_fluid_get_time(run->fluid);
    if (s->output_every > 0 && rni_is_due(time, (double)s->output_next * s->output_every)) {
        rn_result result = rni_run_save_frame(run);
        if (result != RN_OK) return result;
        s->output_next = rni_next_due(time, s->output_every);
    }
    bool is_due = s->checkpoint_every > 0 &&
                  rni_is_due(time, (double)s->checkpoint_next * s->checkpoint_every);
    if (is_due) s->checkpoint_next = rni_next_due(time, s->checkpoint_every);
    if (rni_seconds() - run->checkpoint_wall > CHECKPOINT_WALL_S) is_due = true;
    /* That of the end comes after the frame of the end. */
    if (rni_run_is_at_end(run)) is_due = false;
    return is_due ? rni_run_save_checkpoint(run) : RN_OK;
}

/* Steps until the end, a signal, or a failure, which is kept in run->error. */
static void flow(rni_run *run)
{
    rni_meter_kind kind = (rni_meter_kind)rni_arguments_choice(run->arguments, "progress");
    if (rni_arguments_has(run->arguments, "wall"))
        run->wall_limit = rni_seconds() + rni_arguments_number(run->arguments, "wall");
    rni_meter_place place = place_of(run);
    rni_meter meter = rni_meter_begin(kind, place.share);
    if (run->is_resumed && rni_run_is_at_end(run))
        rni_run_say(run, "the run is at its end already; --time or --steps go on beyond it");
    while (!rni_run_is_at_end(run) && !is_out_of_time(run) && !caught && !run->error[0]) {
        rn_fluid_report report = rn_fluid_report_default();
        rn_result result = rni_scene_advance(run->scene, run->fluid, &run->event_next);
        if (result == RN_OK) result = rn_fluid_step(run->fluid, &report);
        if (result != RN_OK) {
            char what[96];
            snprintf(what, sizeof what, "step %llu at %.6g s: ",
                     (unsigned long long)rn_fluid_get_step_count(run->fluid) + 1,
                     rn_fluid_get_time(run->fluid));
            keep_error(run, what);
            break;
        }
        rni_run_count(run, &report);
        rni_run_watch_step(run, &report);
        if (save_due(run) != RN_OK) keep_error(run, "");
        place = place_of(run);
        rni_meter_move(&meter, &place);
    }
    rni_meter_end(&meter, &place);
    if (caught && !rni_run_is_at_end(run)) run->ended_by = signal_name(caught);
    if (is_out_of_time(run) && !caught && !rni_run_is_at_end(run)) run->ended_by = "--wall";
}

/* --- the end --------------------------------------------------------------------------------------------- */

/* From where --resume goes on after a failure. */
static const char *say_where(const rni_run *run, bool is_saved, char text[96])
{
    text[0] = 0;
    if (is_saved)
        snprintf(text, 96,
                 "; the last good state is in the newest checkpoint, --resume goes on from it");
    else if (run->checkpoint_step != UINT64_MAX)
        snprintf(text, 96, "; --resume goes on from the checkpoint of step %llu",
                 (unsigned long long)run->checkpoint_step);
    return text;
}

/* A checkpoint of where it stands, however it ended; a full disk keeps the older ones. Not where a
 * frame is lacking: it could not be made from there. */
static int save_last(rni_run *run)
{
    char where[96];
    if (run->lacks_frame) return RNI_EXIT_FAILED;
    if (rni_run_save_checkpoint(run) == RN_OK) return RNI_EXIT_DONE;
    rni_run_say(run, "the state cannot be saved: %s%s", rn_last_error(),
                say_where(run, false, where));
    return RNI_EXIT_FAILED;
}

static int end_broken(rni_run *run)
{
    char where[96];
    bool is_saved = save_last(run) == RNI_EXIT_DONE;
    if (rni_run_report_write(run, false) != RN_OK) rni_run_say(run, "%s", rn_last_error());
    if (run->error[0])
        return rni_give_up(run->command, "%s%s", run->error, say_where(run, is_saved, where));
    rni_run_say(run, "ended by %s at step %llu, %.6g s; --resume goes on from here", run->ended_by,
                (unsigned long long)run->state.step, run->state.time);
    if (!is_saved) return RNI_EXIT_FAILED;
    if (!caught && rni_arguments_has(run->arguments, "picture") && rni_run_save_picture(run) != RN_OK)
        return rni_give_up(run->command, "%s", rn_last_error());
    rni_run_report_print(run, false);
    return caught ? 128 + caught : RNI_EXIT_DONE;
}

/* The frame of the end, unless one of the rhythm is it. */
static rn_result save_last_frame(rni_run *run)
{
    if (run->state.frame_step == rn_fluid_get_step_count(run->fluid)) return RN_OK;
    if (rni_run_has_densities(run)) return rni_run_save_frame(run);
    rni_run_say(run, "there is no frame of the end: a checkpoint has no densities to make it of");
    return RN_OK;
}

/* The checkpoint does not count the frame of the end, which is not one of the rhythm: a run that goes on
 * beyond has the frames of one that did not stop here. It comes after it, since a frame can only be made
 * right after a step (a checkpoint has no densities): where the one is, the other is. */
static int end_finished(rni_run *run)
{
    char where[96];
    const uint64_t frames = run->state.frame_count, frame_step = run->state.frame_step;
    if (save_last_frame(run) != RN_OK)
        return rni_give_up(run->command, "%s%s", rn_last_error(), say_where(run, false, where));
    run->state.frame_count = frames, run->state.frame_step = frame_step;
    int code = save_last(run);
    run->state.frame_count = run->series.frame_count;
    if (code != RNI_EXIT_DONE) return code;
    rn_result result = rni_run_report_write(run, true);
    if (result == RN_OK && rni_arguments_has(run->arguments, "picture"))
        result = rni_run_save_picture(run);
    if (result != RN_OK) return rni_give_up(run->command, "%s", rn_last_error());
    rni_run_report_print(run, true);
    return RNI_EXIT_DONE;
}

static int run_scene(const rni_arguments *arguments)
{
    rni_run *run = calloc(1, sizeof *run);
    if (!run) return rni_give_up(arguments->command, "no memory");
    run->arguments = arguments;
    run->command = arguments->command;
    run->lock = -1;
    int code = rni_run_watch_check(run);
    if (code == RNI_EXIT_DONE) code = rni_run_watch_open(run);
    if (code == RNI_EXIT_DONE) code = rni_run_read(run);
    /* Not before: a scene that comes through a pipe may never come. */
    watch_signals();
    if (code == RNI_EXIT_DONE) code = rni_run_start(run);
    bool is_started = code == RNI_EXIT_DONE;
    if (is_started) rni_run_watch_begin(run);
    if (is_started) flow(run);
    rni_run_watch_end(run);
    if (is_started) code = run->error[0] || run->ended_by ? end_broken(run) : end_finished(run);
    rn_fluid_destroy(run->fluid);
    rni_scene_free(run->scene);
    rni_run_folder_close(run);
    rni_checkpoint_release(&run->start);
    free(run->scene_text);
    free(run->bytes);
    free(run);
    return code;
}

const rni_command rni_command_run = {
    .name = "run",
    .path = "runnel run",
    .summary = "simulates a scene and leaves particles, checkpoints and a report",
    .usage = "[SCENE] [options]",
    .about =
        "SCENE is a built-in scene (`runnel scenes` lists them; the first is the default), a JSON file\n"
        "(docs/scenes.md), or a checkpoint (.rnck) of another run or of `runnel view`, to go on from\n"
        "there in DIR. Ctrl-C and SIGTERM end the run with a checkpoint; a second one ends it at once.\n"
        "DIR gets scene.json, particles.*, the last two checkpoints, report.json.",
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
