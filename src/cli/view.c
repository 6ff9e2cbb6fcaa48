#include "cli/view_serve.h"

#include "cli/folder.h"
#include "cli/scene_open.h"

#include "base/clock.h"
#include "base/parallel.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define REPORT_S 0.1
/* How far the simulation may lag before it stops trying to catch up, s. */
#define LAG_S 0.1

/* --- signals ------------------------------------------------------------------------------------------ */

static volatile sig_atomic_t caught;

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
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
}

/* --- the loop ------------------------------------------------------------------------------------------ */

/* Seconds until the next step may be taken; 0: now. */
static double time_to_wait(rni_session *s)
{
    if (s->steps_due > 0) return 0;
    if (!s->is_running) return 0.05;
    if (s->pace <= 0) return 0;
    double now = rni_seconds();
    double due = s->anchor_wall + (rn_fluid_get_time(s->fluid) - s->anchor_time) / s->pace;
    if (now - due > LAG_S) rni_session_anchor(s);
    return due > now ? fmin(due - now, 0.05) : 0;
}

static void report(rni_session *s)
{
    if (rni_seconds() - s->told_wall < REPORT_S) return;
    bool is_still = !s->is_running && rn_fluid_get_step_count(s->fluid) == s->told_step;
    if (is_still) return;
    rni_tell_report(s);
    rni_tell_picked(s);
}

static void loop(rni_session *s, double until)
{
    while (!caught && rni_seconds() < until) {
        rni_session_obey(s);
        double wait = time_to_wait(s);
        if (wait > 0) {
            rni_session_publish(s);
            report(s);
            /* A frame that is asked for while nothing is new is not worth waking up for. */
            rni_view_wait(s->view, wait);
            continue;
        }
        bool was_single = s->steps_due > 0;
        bool is_good = rni_session_step(s);
        if (was_single) s->steps_due = is_good ? s->steps_due - 1 : 0;
        if (!is_good || (was_single && s->steps_due == 0)) rni_tell_state(s, NULL);
        rni_session_publish(s);
        report(s);
    }
}

/* --- the beginning --------------------------------------------------------------------------------------- */

static const char *file_name(const char *path)
{
    const char *last = strrchr(path, '/');
    return last ? last + 1 : path;
}

/* Where a checkpoint left it. */
static int start_from(const rni_arguments *a, rni_session *s, const char *path)
{
    rni_problems problems = {0};
    if (a->setting_count > 0)
        return rni_misuse(a->command, "--set: a checkpoint goes on with the scene that is in it; the "
                                      "page can change it");
    if (rni_session_revive(s, path, file_name(path), &problems) == RN_OK) return RNI_EXIT_DONE;
    const char *why = problems.count ? problems.text[0] : rn_last_error();
    bool is_named = strncmp(why, path, strlen(path)) == 0;
    return rni_give_up(a->command, "%s%s%s", is_named ? "" : path, is_named ? "" : ": ", why);
}

static int start_scene(const rni_arguments *a, rni_session *s, const char *name)
{
    rni_scene *scene = NULL;
    int code = rni_scene_open(a, name, &scene);
    if (code != RNI_EXIT_DONE) return code;
    /* A scene of one's own is in the list of scenes, too. */
    bool is_builtin = false;
    for (uint32_t k = 0; rni_choice_scene(k); k++)
        is_builtin |= strcmp(rni_choice_scene(k), name) == 0;
    if (!is_builtin) {
        s->own_name = strdup(file_name(name));
        s->own_text = rni_scene_write(scene);
    }
    if (!is_builtin && (!s->own_name || !s->own_text)) {
        rni_scene_free(scene);
        return rni_give_up(a->command, "no memory");
    }
    if (rni_session_take(s, scene, s->own_name ? s->own_name : name) != RN_OK) {
        rni_scene_free(scene);
        return rni_give_up(a->command, "%s: %s", name, rn_last_error());
    }
    return RNI_EXIT_DONE;
}

static int start(const rni_arguments *a, rni_session *s)
{
    const char *name = a->operand_count ? a->operand[0] : rni_choice_scene(0);
    s->how.threads = rni_arguments_count(a, "threads");
    s->how.cpu = (rn_cpu_level)rni_arguments_choice(a, "cpu");
    s->pace = rni_arguments_number(a, "speed");
    s->folder = rni_arguments_text(a, "out");
    s->undo = calloc(RNI_SESSION_MAX_UNDO, sizeof *s->undo);
    if (!s->undo) return rni_give_up(a->command, "no memory");
    int code = rni_checkpoint_is_named(name) ? start_from(a, s, name) : start_scene(a, s, name);
    if (code != RNI_EXIT_DONE) return code;
    return rni_arguments_has(a, "out") ? rni_folder_make(a->command, s->folder) : RNI_EXIT_DONE;
}

static int run(const rni_arguments *a)
{
    rni_session *s = calloc(1, sizeof *s);
    if (!s) return rni_give_up(a->command, "no memory");
    int code = start(a, s);
    if (code == RNI_EXIT_DONE) code = rni_view_open(a, s, rni_arguments_has(a, "all-control"));
    if (code == RNI_EXIT_DONE) {
        watch_signals();
        if (!rni_arguments_has(a, "no-open")) rni_view_open_browser(s);
        s->is_running = !rni_arguments_has(a, "paused");
        rni_tell_scene(s);
        rni_tell_values(s);
        rni_tell_state(s, NULL);
        rni_tell_report(s);
        rni_session_anchor(s);
        loop(s, rni_arguments_has(a, "wall") ? rni_seconds() + rni_arguments_number(a, "wall")
                                             : HUGE_VAL);
        rni_tell_state(s, "ended");
    }
    rni_view_destroy(s->view);
    rni_session_free(s);
    free(s);
    return code;
}

static const rni_option options[] = {
    RNI_OPTIONS_OF_A_VIEW,
    {"no-open", RNI_OPTION_FLAG, NULL, "print the address only, open no browser", NULL, NULL, 0, 0,
     NULL},
    {"paused", RNI_OPTION_FLAG, NULL, "do not start the water at once", NULL, NULL, 0, 0, NULL},
    {"speed", RNI_OPTION_NUMBER, "X", "simulated seconds a second at most; 0: as fast as it goes",
     "1", "a number, e.g. --speed 0.5", 0, 1e6, NULL},
    {"wall", RNI_OPTION_NUMBER, "S", "end after so many seconds", NULL, "seconds, e.g. --wall 60",
     0, 1e8, NULL},
    {"all-control", RNI_OPTION_FLAG, NULL, "every client has control, not only the first", NULL,
     NULL, 0, 0, NULL},
    {"out", RNI_OPTION_FOLDER, "DIR", "where the page saves and loads; made when it is not there",
     "out", "a folder, e.g. --out out", 0, 0, NULL},
    RNI_OPTION_SET,
    {"threads", RNI_OPTION_COUNT, "N", "0: one for each processor", "0",
     "a whole number, e.g. --threads 2", 0, RNI_MAX_WORKERS, NULL},
    {"cpu", RNI_OPTION_CHOICE, "LEVEL", "instruction set", "auto", "a level, e.g. --cpu avx2", 0, 0,
     rni_choice_cpu},
    {0}};

const rni_command rni_command_view = {
    .name = "view",
    .path = "runnel view",
    .summary = "shows the water in a browser while it flows, to play with",
    .usage = "[SCENE] [options]",
    .about =
        "SCENE is a built-in scene (`runnel scenes` lists them; the first is the default), a JSON file,\n"
        "or a checkpoint (.rnck), to go on from there. Serves a page on this machine only, prints its\n"
        "address and opens it; Ctrl-C ends it.\n"
        "From elsewhere: ssh -L 7878:localhost:7878 HOST, then open http://localhost:7878/.",
    .examples = "runnel view\n"
                "runnel view dam-break --port 8080 --no-open\n"
                "runnel view mine.json --paused --out mine",
    .operand_min = 0,
    .operand_max = 1,
    .operand_name = "SCENE",
    .operand_at = rni_choice_scene,
    .options = options,
    .run = run,
};
