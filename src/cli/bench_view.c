#include "cli/command.h"

#include "base/parallel.h"
#include "bench/view.h"
#include "files/json.h"

static void print_row(const rni_view_row *r, bool is_json)
{
    if (!is_json) {
        printf("%10u %5u %9.1f %8.1f %11.3f %9.3f %9.2f %8.1f %8.1f %7.2f %% %6.2f %%\n",
               r->particles, r->rate, r->frames_per_s, r->mb_per_s, r->publish_ms, r->serve_ms,
               r->step_ms, r->steps_per_s, r->watched_per_s, 100 * r->cost, 100 * r->slower);
        fflush(stdout);
        return;
    }
    rni_json json = rni_json_begin(stdout);
    rni_json_whole(&json, "particles", r->particles);
    rni_json_whole(&json, "rate", r->rate);
    rni_json_rounded(&json, "frames_per_s", r->frames_per_s);
    rni_json_rounded(&json, "mb_per_s", r->mb_per_s);
    rni_json_rounded(&json, "publish_ms", r->publish_ms);
    rni_json_rounded(&json, "serve_ms", r->serve_ms);
    rni_json_rounded(&json, "step_ms", r->step_ms);
    rni_json_rounded(&json, "steps_per_s", r->steps_per_s);
    rni_json_rounded(&json, "watched_frames_per_s", r->watched_per_s);
    rni_json_rounded(&json, "cost", r->cost);
    rni_json_rounded(&json, "slower", r->slower);
    rni_json_end(&json);
    putchar('\n');
}

static int run(const rni_arguments *a)
{
    uint32_t particles[RNI_MAX_LIST], rates[RNI_MAX_LIST];
    uint32_t count = rni_arguments_counts(a, "particles", particles);
    uint32_t rate_count = rni_arguments_counts(a, "rate", rates);
    if (rate_count != 1 && rate_count != count)
        return rni_misuse(
            a->command,
            "--rate has %u values, --particles has %u; give one rate for all, or one for each",
            rate_count, count);
    bool is_json = rni_arguments_has(a, "json");
    if (!is_json)
        printf("%10s %5s %9s %8s %11s %9s %9s %8s %8s %9s %8s\n", "particles", "rate", "frames/s",
               "MB/s", "publish ms", "serve ms", "step ms", "steps/s", "watched", "cost", "slower");
    for (uint32_t k = 0; k < count; k++) {
        rni_view_row row = {.particles = particles[k], .rate = rates[rate_count == 1 ? 0 : k]};
        if (rni_bench_view(&row, rni_arguments_number(a, "seconds"),
                           rni_arguments_count(a, "threads")) != RN_OK)
            return rni_give_up(a->command, "%s", rn_last_error());
        print_row(&row, is_json);
    }
    return RNI_EXIT_DONE;
}

static const rni_option options[] = {
    {"particles", RNI_OPTION_COUNTS, "LIST", "numbers of particles, separated by commas",
     "32768,1000000", "whole numbers, e.g. --particles 32768", 8, 4e6, NULL},
    {"rate", RNI_OPTION_COUNTS, "LIST", "frames per second that the client requests, 1 to 60",
     "60,10", "whole numbers, e.g. --rate 60", 1, 60, NULL},
    {"seconds", RNI_OPTION_NUMBER, "S", "seconds per measurement", "3", "seconds, e.g. --seconds 2",
     0.01, 600, NULL},
    {"threads", RNI_OPTION_COUNT, "N", "threads of the simulation; 0: one per processor", "0",
     "a whole number, e.g. --threads 2", 0, RNI_MAX_WORKERS, NULL},
    {"json", RNI_OPTION_FLAG, NULL, "print one JSON object per line", NULL, NULL, 0, 0, NULL},
    {0}};

const rni_command rni_command_bench_view = {
    .name = "view",
    .path = "runnel bench view",
    .summary = "measures the viewer's server: frames delivered, and the cost for the simulation",
    .usage = "[options]",
    .about =
        "Columns: frames/s and MB/s are received by one client on this machine, without a "
        "simulation.\n"
        "publish and serve are processor times per frame, in the simulation's and in the server's\n"
        "thread. step is the processor time of a step without a client, steps/s the highest "
        "rate of\n"
        "such steps, and watched the frames/s published during the simulation (one per step at "
        "most).\n"
        "cost is the processor time of publish and serve relative to that of the steps. slower "
        "is the\n"
        "increase of the wall-clock time per step with a client, the median of 31 alternating\n"
        "measurements; the client uses the same processors.",
    .examples = "runnel bench view --particles 32768 --rate 60 --seconds 1\n"
                "runnel bench view --json",
    .options = options,
    .run = run,
};
