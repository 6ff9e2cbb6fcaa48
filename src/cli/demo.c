#include "cli/demo.h"
#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/progress.h"

#include "base/clock.h"
#include "base/parallel.h"

#include <stdlib.h>

/* Methods that test every pair get this many points: the first ones, which are spread over the whole
 * wave. */
#define PAIRWISE_LIMIT 20000u
#define RADIUS         2.0f
#define MAX_METHODS    32u

static const rni_option options[] = {
    {"out", RNI_OPTION_FOLDER, "DIR", "folder for the pictures; created if it does not exist",
     "out", "a folder, e.g. --out out", 0, 0, NULL},
    {"points", RNI_OPTION_COUNT, "N", "approximate number of points", "200000",
     "a whole number, e.g. --points 200000", 500, 5e6, NULL},
    {"threads", RNI_OPTION_COUNT, "N", "number of threads; 0: one per processor", "0",
     "a whole number, e.g. --threads 2", 0, RNI_MAX_WORKERS, NULL},
    {0}};

typedef struct demo {
    const rni_command *command;
    rni_wave wave;
    uint32_t threads;
    rni_demo_row rows[MAX_METHODS];
    uint32_t row_count;
    rni_progress progress;
} demo;

/* The fastest of some updates, within about a second. *search is left holding the result. */
static rn_result time_method(const demo *d, rn_search_method method, uint32_t count,
                             rn_search **search, double *ms)
{
    rn_search_def def = rn_search_def_default();
    def.radius = RADIUS;
    def.method = method;
    def.threads = d->threads;
    rn_result result = rn_search_create(&def, search);
    double spent = 0;
    for (uint32_t rep = 0; result == RN_OK && rep < 40 && (rep == 0 || spent < 0.8); rep++) {
        double begin = rni_seconds();
        result = rn_search_update(*search, (rn_points){d->wave.position, 0, count, RN_SCALAR_FLOAT});
        double wall = rni_seconds() - begin;
        spent += wall;
        if (rep == 0 || wall * 1e3 < *ms) *ms = wall * 1e3;
    }
    return result;
}

/* Pairs by the default method among the first count points: what another method must find as well.
 */
static uint64_t pairs_of(const rn_search *search)
{
    rn_search_stats stats = rn_search_stats_default();
    rn_search_get_stats(search, &stats);
    return stats.entry_count / 2;
}

static rn_result count_pairs(const demo *d, uint32_t count, uint64_t *pairs)
{
    rn_search *search = NULL;
    rn_search_def def = rn_search_def_default();
    def.radius = RADIUS;
    def.lists = RN_LISTS_COUNTS;
    def.threads = d->threads;
    rn_result result = rn_search_create(&def, &search);
    if (result == RN_OK)
        result = rn_search_update(search, (rn_points){d->wave.position, 0, count, RN_SCALAR_FLOAT});
    if (result == RN_OK) *pairs = pairs_of(search);
    rn_search_destroy(search);
    return result;
}

static int run_method(demo *d, const rn_search_method_info *info)
{
    char what[96];
    uint32_t count = d->wave.count;
    uint64_t expected = 0;
    double ms = 0;
    rn_search *search = NULL;
    if (info->method == RN_SEARCH_BRUTE && count > PAIRWISE_LIMIT) count = PAIRWISE_LIMIT;
    snprintf(what, sizeof what, "%s: all neighbours of %u points%s", info->name, count,
             count < d->wave.count ? " (fewer points, because it tests every pair)" : "");
    rni_progress_step(&d->progress, what);

    rn_result result = time_method(d, info->method, count, &search, &ms);
    uint64_t pairs = search ? pairs_of(search) : 0;
    rn_search_destroy(search);
    if (result == RN_OK) result = count_pairs(d, count, &expected);
    if (result != RN_OK) return rni_give_up(d->command, "%s: %s", info->name, rn_last_error());
    if (pairs != expected)
        return rni_give_up(d->command, "%s finds %llu pairs, but the default finds %llu",
                           info->name, (unsigned long long)pairs, (unsigned long long)expected);
    d->rows[d->row_count++] = (rni_demo_row){.method = info->name,
                                             .is_default = info == rn_search_get_method_info(0),
                                             .points = count,
                                             .pairs = pairs,
                                             .ms = ms,
                                             .ns_per_point = ms * 1e6 / count};
    return RNI_EXIT_DONE;
}

static void print_table(const demo *d)
{
    double slowest = 0;
    for (uint32_t r = 0; r < d->row_count; r++)
        if (d->rows[r].ns_per_point > slowest) slowest = d->rows[r].ns_per_point;
    printf("%-18s%10s%14s%12s%12s%12s\n", "method", "points", "pairs", "ms", "ns/point", "speedup");
    for (uint32_t r = 0; r < d->row_count; r++) {
        const rni_demo_row *row = &d->rows[r];
        printf("%-18s%10u%14llu%12.2f%12.1f%11.1fx\n", row->method, row->points,
               (unsigned long long)row->pairs, row->ms, row->ns_per_point,
               slowest / row->ns_per_point);
    }
    printf("All methods find the same number of pairs. Speedup: time per point relative to the "
           "slowest.\n");
}

static rn_result draw_points(const demo *d, const char *path)
{
    rn_search *search = NULL;
    rn_search_def def = rn_search_def_default();
    def.radius = RADIUS;
    def.threads = d->threads;
    rn_result result = rn_search_create(&def, &search);
    if (result == RN_OK)
        result = rn_search_update(search,
                                  (rn_points){d->wave.position, 0, d->wave.count, RN_SCALAR_FLOAT});
    if (result == RN_OK) {
        rn_neighbors n = rn_search_get_neighbors(search);
        result = rni_demo_draw_points(path, &d->wave, RADIUS, &n);
    }
    rn_search_destroy(search);
    return result;
}

static int write_files(demo *d, const char *folder)
{
    char path[4096];
    char subtitle[128];
    uint32_t threads = d->threads ? d->threads : rn_cpu_count();
    snprintf(subtitle, sizeof subtitle,
             "a wave of %u points, random memory order, sort included, %u thread%s", d->wave.count,
             threads, threads == 1 ? "" : "s");
    rni_progress_step(&d->progress, "pictures");
    snprintf(path, sizeof path, "%s/points.svg", folder);
    rn_result result = draw_points(d, path);
    if (result == RN_OK) {
        snprintf(path, sizeof path, "%s/neighbors.svg", folder);
        result = rni_demo_draw_methods(path, d->rows, d->row_count, subtitle);
    }
    if (result == RN_OK) {
        snprintf(path, sizeof path, "%s/neighbors.csv", folder);
        result = rni_demo_write_csv(path, d->rows, d->row_count);
    }
    if (result == RN_OK) {
        snprintf(path, sizeof path, "%s/index.html", folder);
        result = rni_demo_write_page(path, &d->wave, d->rows, d->row_count);
    }
    return result == RN_OK ? RNI_EXIT_DONE : rni_give_up(d->command, "%s", rn_last_error());
}

static int run(const rni_arguments *arguments)
{
    demo d = {.command = arguments->command, .threads = rni_arguments_count(arguments, "threads")};
    const char *folder = rni_arguments_text(arguments, "out");
    uint32_t method_count = 0;
    while (method_count < MAX_METHODS && rn_search_get_method_info(method_count)) method_count++;
    d.progress = rni_progress_begin(method_count + 2);
    int code = rni_outputs_make_folder(d.command, folder);
    if (code != RNI_EXIT_DONE) return code;

    rni_progress_step(&d.progress, "a breaking wave of points");
    if (rni_wave_make(rni_arguments_count(arguments, "points"), &d.wave) != RN_OK)
        return rni_give_up(d.command, "%s", rn_last_error());
    for (uint32_t place = 0; place < method_count && code == RNI_EXIT_DONE; place++)
        code = run_method(&d, rn_search_get_method_info(place));
    if (code == RNI_EXIT_DONE) code = write_files(&d, folder);
    rni_progress_end(&d.progress);
    if (code == RNI_EXIT_DONE) {
        print_table(&d);
        printf("\nOpen %s/index.html in a browser, or see:\n  %s/points.svg\n  %s/neighbors.svg\n"
               "  %s/neighbors.csv\n",
               folder, folder, folder, folder);
    }
    rni_wave_release(&d.wave);
    return code;
}

const rni_command rni_command_demo = {
    .name = "demo",
    .path = "runnel demo",
    .summary = "demonstrates neighbour search on a breaking wave made of points",
    .usage = "[options]",
    .about =
        "Runs every method on the same points, checks that all find the same neighbours, prints a\n"
        "table and draws pictures.",
    .examples = "runnel demo\nrunnel demo --out /tmp/wave --points 50000 --threads 1",
    .options = options,
    .run = run,
};
