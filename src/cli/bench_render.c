#include "cli/block_bench.h"
#include "cli/picture_options.h"

#include "bench/render.h"

static const rni_option options[] = {
    {"look", RNI_OPTION_CHOICES, "NAME,..", "looks that are measured",
     "water,clay,particles,surfels", "a look, e.g. --look water", 0, 0, rni_look_name},
    {"particles", RNI_OPTION_COUNTS, "N,..", "number of particles", "32768",
     "whole numbers, e.g. --particles 32768,262144", 1, 1 << 26, NULL},
    {"size", RNI_OPTION_TEXT, "WxH", "width and height of the pictures in pixels", "1280x720",
     "two numbers, e.g. --size 640x360", 0, 0, NULL},
    {"samples", RNI_OPTION_COUNT, "N", "rays through a pixel (default: as the look has it)", NULL,
     "a whole number, e.g. --samples 1", 1, RNI_SAMPLES_MAX, NULL},
    {"film", RNI_OPTION_FLAG, NULL, "as in a video, whose background is computed once", NULL, NULL,
     0, 0, NULL},
    {"reps", RNI_OPTION_COUNT, "N", "minimum number of pictures", "2",
     "a whole number, e.g. --reps 5", 1, 1e6, NULL},
    RNI_OPTIONS_OF_BLOCK_BENCH,
    {0}};

static void print_json(const rni_render_case *c, const rni_render_row *row)
{
    rni_json json = rni_json_begin(stdout);
    rni_json_text(&json, "look", c->look->name);
    rni_json_whole(&json, "particles", c->particles);
    rni_json_whole(&json, "width", c->width);
    rni_json_whole(&json, "height", c->height);
    rni_json_whole(&json, "samples", c->samples);
    rni_json_whole(&json, "threads", c->threads);
    rni_block_times(&json, row->best_s, row->mean_s, row->cpu_s, row->reps);
    rni_json_end(&json);
    putchar('\n');
}

static int run_case(const rni_arguments *arguments, const rni_render_case *c)
{
    rni_render_row row;
    if (rni_bench_render(c, &row) != RN_OK)
        return rni_give_up(arguments->command, "%s, %u particles: %s", c->look->name, c->particles,
                           rn_last_error());
    if (rni_arguments_has(arguments, "json")) print_json(c, &row);
    else
        printf("%-10s %10u %8u %8u %10.1f %10.1f %10.1f %10.2f\n", c->look->name, c->particles,
               c->samples, c->threads, 1e3 * row.best_s, 1e3 * row.mean_s, 1e3 * row.cpu_s,
               1 / row.best_s);
    return rni_block_row_end(RNI_EXIT_DONE);
}

static int run(const rni_arguments *arguments)
{
    const rni_block_rows rows = rni_block_rows_of(arguments, "look");
    rni_picture size = rni_picture_default();
    int code = rni_take_size(arguments, &size);
    if (code == RNI_EXIT_DONE && !rni_arguments_has(arguments, "json"))
        printf("%-10s %10s %8s %8s %10s %10s %10s %10s\n", "look", "particles", "samples",
               "threads", "best ms", "mean ms", "CPU ms", "per s");
    for (uint32_t k = 0; k < rows.count && code == RNI_EXIT_DONE; k++) {
        const rni_block_row at = rni_block_row_at(&rows, k);
        rni_render_case c = {.width = size.width,
                             .height = size.height,
                             .samples = rni_arguments_count(arguments, "samples"),
                             .is_film = rni_arguments_has(arguments, "film"),
                             .reps = rni_arguments_count(arguments, "reps"),
                             .seconds = rni_arguments_number(arguments, "seconds")};
        c.threads = at.threads;
        c.particles = at.particles;
        c.look = rni_look_at(at.kind);
        if (c.samples == 0) c.samples = c.look->samples;
        code = run_case(arguments, &c);
    }
    return code;
}

const rni_command rni_command_bench_render = {
    .name = "render",
    .path = "runnel bench render",
    .summary = "measures pictures of a block of particles in a tank, by look",
    .usage = "[options]",
    .about =
        "The particles are a cube on a lattice, each moved by up to a tenth of a spacing, in a glass\n"
        "tank. Every row is the fastest of several pictures after a warm-up; surface and hierarchy of\n"
        "the rays are made anew for each.",
    .examples = "runnel bench render --json --size 320x180 --particles 4096 --seconds 0\n"
                "runnel bench render --look water --samples 1 --film",
    .options = options,
    .run = run,
};
