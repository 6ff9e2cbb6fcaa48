#include "cli/command.h"

#include "base/parallel.h"
#include "bench/live.h"
#include "files/json.h"

static const rni_option options[] = {
    {"scene", RNI_OPTION_CHOICES, "NAME,..",
     "water-channel: the built-in scene, once nine tenths of its water have been poured; dam-break: "
     "a cube of 1 m in a tank of 3 m",
     "water-channel,dam-break", "a scene, e.g. --scene dam-break", 0, 0, rni_live_scene_name},
    {"preset", RNI_OPTION_CHOICES, "NAME,..", "preset of the fluid", "live,balanced,accurate",
     "a preset, e.g. --preset live", 0, 0, rni_choice_preset},
    {"seconds", RNI_OPTION_NUMBER, "WALL", "wall-clock time per row in seconds, after a warm-up",
     "10", "seconds, e.g. --seconds 10", 0.001, 3600, NULL},
    {"particles", RNI_OPTION_COUNT, "N", "number of particles", "32768",
     "a whole number, e.g. --particles 32768", 64, 4e6, NULL},
    {"threads", RNI_OPTION_COUNT, "N", "number of threads; 0: one per processor", "0",
     "a whole number, e.g. --threads 2", 0, RNI_MAX_WORKERS, NULL},
    {"json", RNI_OPTION_FLAG, NULL, "print one JSON object per line", NULL, NULL, 0, 0, NULL},
    {0}};

static void print_row(const rni_live_case *c, const rni_live_row *row, bool is_json)
{
    const double rate = row->simulated_s / row->wall_s;
    if (!is_json) {
        printf("%-9s %-14s %9u %12.3f %10.2f %% %10.1f %% %8u\n", rni_choice_preset(c->preset),
               rni_live_scene_name(c->scene), row->particles, rate, 100 * row->compression_mean,
               100 * row->compression_max, row->escaped);
        fflush(stdout);
        return;
    }
    rni_json json = rni_json_begin(stdout);
    rni_json_text(&json, "preset", rni_choice_preset(c->preset));
    rni_json_text(&json, "scene", rni_live_scene_name(c->scene));
    rni_json_whole(&json, "particles", row->particles);
    rni_json_rounded(&json, "simulated_s_per_wall_s", rate);
    rni_json_rounded(&json, "compression_mean", row->compression_mean);
    rni_json_rounded(&json, "compression_max", row->compression_max);
    rni_json_whole(&json, "escaped", row->escaped);
    rni_json_whole(&json, "threads", c->threads);
    rni_json_whole(&json, "steps", row->steps);
    rni_json_rounded(&json, "simulated_s", row->simulated_s);
    rni_json_rounded(&json, "wall_s", row->wall_s);
    rni_json_end(&json);
    putchar('\n');
    fflush(stdout);
}

static int run(const rni_arguments *a)
{
    uint32_t scenes[RNI_MAX_LIST], presets[RNI_MAX_LIST];
    const uint32_t scene_count = rni_arguments_choices(a, "scene", scenes);
    const uint32_t preset_count = rni_arguments_choices(a, "preset", presets);
    const bool is_json = rni_arguments_has(a, "json");
    if (!is_json)
        printf("%-9s %-14s %9s %12s %12s %12s %8s\n", "preset", "scene", "particles", "s / wall s",
               "compression", "largest", "escaped");
    for (uint32_t k = 0; k < scene_count * preset_count; k++) {
        rni_live_case c = {.scene = (rni_live_scene)scenes[k / preset_count],
                           .preset = (rn_fluid_preset)presets[k % preset_count],
                           .particles = rni_arguments_count(a, "particles"),
                           .threads = rni_arguments_count(a, "threads"),
                           .seconds = rni_arguments_number(a, "seconds")};
        if (c.threads == 0) c.threads = rn_cpu_count();
        rni_live_row row;
        if (rni_bench_live(&c, &row) != RN_OK)
            return rni_give_up(a->command, "%s, %s: %s", rni_live_scene_name(c.scene),
                               rni_choice_preset(c.preset), rn_last_error());
        print_row(&c, &row, is_json);
    }
    return ferror(stdout) ? RNI_EXIT_FAILED : RNI_EXIT_DONE;
}

const rni_command rni_command_bench_live = {
    .name = "live",
    .path = "runnel bench live",
    .summary = "measures simulated time per wall-clock time of a scene, for each preset",
    .usage = "[options]",
    .about = "Columns: s / wall s is the simulated time per wall-clock time of the steps; 1 is real "
             "time.\n"
             "compression is the mean of density / rest density - 1 over particles and time, with 0 "
             "for\n"
             "particles below rest density, and largest its largest value, warm-up included. escaped "
             "is the\n"
             "number of particles behind a wall at the end.",
    .examples = "runnel bench live --preset live --json\n"
                "runnel bench live --scene dam-break --particles 4096 --seconds 1",
    .options = options,
    .run = run,
};
