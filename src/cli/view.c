#include "cli/outputs.h"
#include "cli/scene_open.h"
#include "cli/signals.h"
#include "cli/view_serve.h"

#include "base/clock.h"
#include "base/parallel.h"

#include <math.h>
#include <stdlib.h>

static int open_session(const rni_arguments *a, rni_session *s)
{
    const rni_session_options o = {.scene = a->operand_count ? a->operand[0] : rni_choice_scene(0),
                                   .settings = a->setting,
                                   .setting_count = a->setting_count,
                                   .how = {.threads = rni_arguments_count(a, "threads"),
                                           .cpu = (rn_cpu_level)rni_arguments_choice(a, "cpu")},
                                   .pace = rni_arguments_number(a, "speed"),
                                   .folder = rni_arguments_text(a, "out")};
    rni_problems problems = {0};
    rn_result result = rni_session_open(s, &o, &problems);
    if (result == RN_OK)
        return rni_arguments_has(a, "out") ? rni_outputs_make_folder(a->command, o.folder)
                                           : RNI_EXIT_DONE;
    bool is_misuse = result == RN_ERROR_ARGUMENT;
    if (problems.count) rni_problems_print(a->command, &problems);
    else (is_misuse ? rni_misuse : rni_give_up)(a->command, "%s", rn_last_error());
    return is_misuse ? RNI_EXIT_MISUSE : RNI_EXIT_FAILED;
}

static int run(const rni_arguments *a)
{
    rni_session *s = calloc(1, sizeof *s);
    if (!s) return rni_give_up(a->command, "no memory");
    int code = open_session(a, s);
    if (code == RNI_EXIT_DONE) code = rni_view_open(a, s, rni_arguments_has(a, "all-control"));
    if (code == RNI_EXIT_DONE) {
        double until = rni_arguments_has(a, "wall") ? rni_seconds() + rni_arguments_number(a, "wall")
                                                    : HUGE_VAL;
        rni_signals_watch();
        if (!rni_arguments_has(a, "no-open")) rni_view_open_browser(s);
        rni_session_begin(s, !rni_arguments_has(a, "paused"));
        while (!rni_signals_caught() && rni_seconds() < until) rni_session_turn(s);
    }
    rni_session_close(s);
    free(s);
    return code;
}

static const rni_option options[] = {
    RNI_OPTIONS_OF_A_VIEW,
    {"no-open", RNI_OPTION_FLAG, NULL, "only print the address, do not open a browser", NULL, NULL,
     0, 0, NULL},
    {"paused", RNI_OPTION_FLAG, NULL, "start paused", NULL, NULL, 0, 0, NULL},
    {"speed", RNI_OPTION_NUMBER, "X",
     "simulated seconds per second of wall-clock time, at most; 1: real time, 0: as fast "
     "as possible",
     "1", "a number, e.g. --speed 0.5", 0, 1e6, NULL},
    {"wall", RNI_OPTION_NUMBER, "S", "end after this many seconds of wall-clock time", NULL,
     "seconds, e.g. --wall 60", 0, 1e8, NULL},
    {"all-control", RNI_OPTION_FLAG, NULL,
     "all clients can control the simulation, not only one at a time", NULL, NULL, 0, 0, NULL},
    {"out", RNI_OPTION_FOLDER, "DIR",
     "folder for files that the page saves and loads; created if it does not exist", "out",
     "a folder, e.g. --out out", 0, 0, NULL},
    RNI_OPTION_SET,
    RNI_OPTION_PRESET,
    {"threads", RNI_OPTION_COUNT, "N", "number of threads; 0: one per processor", "0",
     "a whole number, e.g. --threads 2", 0, RNI_MAX_WORKERS, NULL},
    {"cpu", RNI_OPTION_CHOICE, "LEVEL", "instruction set", "auto", "a level, e.g. --cpu avx2", 0, 0,
     rni_choice_cpu},
    {0}};

const rni_command rni_command_view = {
    .name = "view",
    .path = "runnel view",
    .summary = "runs a scene interactively and shows it in a browser",
    .usage = "[SCENE] [options]",
    .about =
        "SCENE is a built-in scene (`runnel scenes` lists them; the first is the default), a JSON\n"
        "file, or a checkpoint (.rnck), from which the simulation continues. Serves a page that "
        "only\n"
        "this machine can reach, prints its address and opens it in a browser; Ctrl-C ends the\n"
        "command.\n"
        "From another machine: ssh -L 7878:localhost:7878 HOST, then open http://localhost:7878/.",
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
