#include "cli/command.h"
#include "cli/method_options.h"
#include "cli/outputs.h"

#include "base/clock.h"
#include "base/parallel.h"
#include "bench/neighbors.h"
#include "files/json.h"

#include <stdlib.h>
#include <string.h>

/* "all" and "default", then the names of the methods. */
static const char *choice_method(uint32_t place)
{
    static const char *const groups[] = {"all", "default"};
    if (place < 2) return groups[place];
    const rn_search_method_info *info = rn_search_get_method_info(place - 2);
    return info ? info->name : NULL;
}

static const char *choice_layout(uint32_t place)
{
    return place == 0 ? "all" : rni_layout_name(place - 1);
}

/* In the order of rn_lists. */
static const char *choice_lists(uint32_t place)
{
    static const char *const names[] = {"full", "half", "counts", "none"};
    return place < 4 ? names[place] : NULL;
}

static const rni_option options[] = {
    {"points", RNI_OPTION_COUNTS, "N,..", "number of points", "32768,262144,1000000",
     "whole numbers, e.g. --points 32768,1000000", 1, 2e9, NULL},
    {"layout", RNI_OPTION_CHOICES, "NAME,..", "layout of the points", "lattice",
     "a layout, e.g. --layout lattice", 0, 0, choice_layout},
    {"radius", RNI_OPTION_NUMBER, "R", "search radius; the lattices have spacing 1", "2",
     "a positive length, e.g. --radius 2", 1e-18, 1e18, NULL},
    {"method", RNI_OPTION_CHOICES, "NAME,..", "methods", "default", "a method, e.g. --method grid",
     0, 0, choice_method},
    {"threads", RNI_OPTION_COUNTS, "N,..", "number of threads; 0: one per processor", "0",
     "whole numbers, e.g. --threads 1,2", 0, RNI_MAX_WORKERS, NULL},
    {"cpu", RNI_OPTION_CHOICE, "LEVEL", "instruction set", "auto", "a level, e.g. --cpu avx2", 0, 0,
     rni_choice_cpu},
    {"dim", RNI_OPTION_CHOICE, "D", "number of dimensions", "3", "2 or 3", 0, 0, rni_choice_dim},
    {"reps", RNI_OPTION_COUNT, "N", "minimum number of repetitions", "5",
     "a whole number, e.g. --reps 5", 1, 1e6, NULL},
    {"seconds", RNI_OPTION_NUMBER, "S",
     "minimum time per row in seconds; a row never takes longer than 6 times this, or 3 s if that is "
     "longer",
     "0.5", "seconds, e.g. --seconds 0.5", 0, 3600, NULL},
    {"lists", RNI_OPTION_CHOICE, "KIND", "kind of neighbour lists", "full",
     "a kind, e.g. --lists half", 0, 0, choice_lists},
    {"csr", RNI_OPTION_FLAG, NULL,
     "lists in the order of the points (CSR) instead of the order of the method", NULL, NULL, 0, 0,
     NULL},
    {"order", RNI_OPTION_CHOICE, "HOW", "order within a list", "method",
     "an order, e.g. --order index", 0, 0, rni_choice_order},
    {"move", RNI_OPTION_NUMBER, "AMOUNT",
     "move every coordinate by up to this distance before each repetition", "0",
     "a length, e.g. --move 0.01", 0, 1e18, NULL},
    {"skin", RNI_OPTION_NUMBER, "S", "Verlet skin; 0: none", "0", "a length, e.g. --skin 0.1", 0,
     1e18, NULL},
    {"updates", RNI_OPTION_COUNT, "N",
     "measure complete runs of this many updates on a new search; the fastest of --reps runs", NULL,
     "a whole number, e.g. --updates 100", 1, 1e6, NULL},
    {"change", RNI_OPTION_CHOICE, "LAYOUT",
     "with --updates: change to this layout after half of the updates", NULL,
     "a layout, e.g. --change clusters", 0, 0, rni_layout_name},
    {"cpu-time", RNI_OPTION_FLAG, NULL,
     "with --updates: processor time of all threads instead of wall-clock time, for a busy machine",
     NULL, NULL, 0, 0, NULL},
    {"peers", RNI_OPTION_FLAG, NULL,
     "also run nanoflann on the same "
     "points",
     NULL, NULL, 0, 0, NULL},
    {"json", RNI_OPTION_FLAG, NULL, "print one JSON object per line", NULL, NULL, 0, 0, NULL},
    {"plot", RNI_OPTION_FILE, "FILE.svg", "write a chart of the rows", NULL,
     "a file, e.g. --plot bench.svg", 0, 0, NULL},
    RNI_METHOD_OPTIONS,
    {0}};

/* --- rows -------------------------------------------------------------------------------------- */

static void print_row_json(const rni_bench_row *row)
{
    rni_json json = rni_json_begin(stdout);
    rni_json_text(&json, "method", row->method);
    rni_json_bool(&json, "default", row->is_default);
    rni_json_whole(&json, "threads", row->threads);
    rni_json_whole(&json, "points", row->points);
    rni_json_text(&json, "layout", row->layout);
    rni_json_number(&json, "radius", row->radius);
    if (row->skipped) {
        rni_json_text(&json, "skipped", row->skipped);
    } else {
        if (row->has_pairs) rni_json_whole(&json, "pairs", row->pairs);
        else rni_json_null(&json, "pairs");
        rni_json_whole(&json, "entries", row->entries);
        rni_json_rounded(&json, "build_ms", row->build_ms);
        rni_json_rounded(&json, "query_ms", row->query_ms);
        rni_json_rounded(&json, "ns_per_point", row->ns_per_point);
        rni_json_rounded(&json, "bytes_per_point", row->bytes_per_point);
        rni_json_text(&json, "cpu", row->cpu);
        rni_json_whole(&json, "reps", row->reps);
        rni_json_bool(&json, "order_reused", row->order_reused);
    }
    rni_json_end(&json);
    fputc('\n', stdout);
}

static void print_row_head(void)
{
    printf("%-18s%8s%10s  %-9s%13s%12s%12s%11s%9s %7s%6s\n", "method", "threads", "points",
           "layout", "pairs", "build ms", "query ms", "ns/point", "B/point", "cpu", "reps");
}

static void print_row_line(const rni_bench_row *row)
{
    printf("%-18s%8u%10u  %-9s", row->method, row->threads, row->points, row->layout);
    if (row->skipped) {
        printf("  %s\n", row->skipped);
        return;
    }
    if (row->has_pairs) printf("%13llu", (unsigned long long)row->pairs);
    else printf("%13s", "-");
    printf("%12.3f%12.3f%11.1f%9.0f %7s%6u\n", row->build_ms, row->query_ms, row->ns_per_point,
           row->bytes_per_point, row->cpu, row->reps);
}

static bool is_same_case(const rni_bench_row *a, const rni_bench_row *b)
{
    return a->points == b->points && a->threads == b->threads && strcmp(a->layout, b->layout) == 0;
}

static void print_ratios(const rni_bench_row *rows, uint32_t row_count)
{
    for (uint32_t p = 0; p < row_count; p++) {
        if (!rows[p].is_peer || rows[p].skipped) continue;
        for (uint32_t r = 0; r < row_count; r++) {
            if (!rows[r].is_default || rows[r].skipped || !is_same_case(&rows[p], &rows[r]))
                continue;
            fprintf(stderr,
                    "%u points, %s, %u thread%s: %s %.1f ns per point, %s %.1f: %.1f times as "
                    "fast\n",
                    rows[r].points, rows[r].layout, rows[r].threads, rows[r].threads == 1 ? "" : "s",
                    rows[r].method, rows[r].ns_per_point, rows[p].method, rows[p].ns_per_point,
                    rows[p].ns_per_point / rows[r].ns_per_point);
        }
    }
}

static void print_run_head(void)
{
    printf("%-18s%8s%10s  %-19s%8s%12s%12s%11s%8s\n", "method", "threads", "points", "layout",
           "updates", "run ms", "first ms", "ns/point", "times");
}

static void layout_text(const rni_run_case *c, char text[40])
{
    snprintf(text, 40, "%s%s%s", rni_layout_name(c->layout), c->changes ? ">" : "",
             c->changes ? rni_layout_name(c->later) : "");
}

static double ns_per_point(const rni_run_case *c, const rni_run_row *row)
{
    return row->run_ms * 1e6 / ((double)c->count * c->updates);
}

static void print_run_line(const rni_run_case *c, const rni_run_row *row)
{
    char layout[40];
    layout_text(c, layout);
    printf("%-18s%8u%10u  %-19s%8u", rn_search_get_method_info(row->method)->name, row->threads,
           c->count, layout, c->updates);
    if (row->skipped) {
        printf("  %s\n", row->skipped);
        return;
    }
    printf("%12.3f%12.3f%11.1f%8.3f%s%s\n", row->run_ms, row->first_ms, ns_per_point(c, row),
           row->times, row->choice[0] ? "  " : "", row->choice);
}

static void print_run_json(const rni_run_case *c, const rni_run_row *row)
{
    char layout[40];
    layout_text(c, layout);
    rni_json json = rni_json_begin(stdout);
    rni_json_text(&json, "method", rn_search_get_method_info(row->method)->name);
    rni_json_whole(&json, "threads", row->threads);
    rni_json_whole(&json, "points", c->count);
    rni_json_text(&json, "layout", layout);
    rni_json_whole(&json, "updates", c->updates);
    if (row->skipped) {
        rni_json_text(&json, "skipped", row->skipped);
    } else {
        rni_json_whole(&json, "entries", row->entries);
        rni_json_rounded(&json, "run_ms", row->run_ms);
        rni_json_rounded(&json, "first_ms", row->first_ms);
        rni_json_rounded(&json, "ns_per_point", ns_per_point(c, row));
        rni_json_rounded(&json, "times", row->times);
        rni_json_whole(&json, "rounds", row->rounds);
        rni_json_text(&json, "choice", row->choice);
    }
    rni_json_end(&json);
    fputc('\n', stdout);
}

/* --- cases ------------------------------------------------------------------------------------- */

typedef struct bench {
    const rni_arguments *arguments;
    rni_bench_plan plan;
    uint32_t methods[RNI_MAX_LIST]; /* places in the library's table */
    uint32_t method_count;
    bool is_json;
    bool has_peers;
    bool peer_is_missing; /* reported once */
    bool disagrees;
    rni_bench_row *rows;
    uint32_t row_count;
} bench;

/* Adds a place unless the list has it. */
static void add_place(uint32_t *list, uint32_t *count, uint32_t place)
{
    for (uint32_t k = 0; k < *count; k++)
        if (list[k] == place) return;
    if (*count < RNI_MAX_LIST) list[(*count)++] = place;
}

static uint32_t read_methods(const rni_arguments *arguments, uint32_t methods[RNI_MAX_LIST])
{
    uint32_t chosen[RNI_MAX_LIST];
    uint32_t chosen_count = rni_arguments_choices(arguments, "method", chosen);
    uint32_t count = 0;
    for (uint32_t k = 0; k < chosen_count; k++) {
        if (chosen[k] == 0)
            for (uint32_t place = 0; rn_search_get_method_info(place); place++)
                add_place(methods, &count, place);
        else add_place(methods, &count, chosen[k] == 1 ? 0 : chosen[k] - 2);
    }
    return count;
}

static uint32_t read_layouts(const rni_arguments *arguments, uint32_t layouts[RNI_MAX_LIST])
{
    uint32_t chosen[RNI_MAX_LIST];
    uint32_t chosen_count = rni_arguments_choices(arguments, "layout", chosen);
    uint32_t count = 0;
    for (uint32_t k = 0; k < chosen_count; k++) {
        if (chosen[k] == 0)
            for (uint32_t place = 0; rni_layout_name(place); place++)
                add_place(layouts, &count, place);
        else add_place(layouts, &count, chosen[k] - 1);
    }
    return count;
}

static rni_bench_plan read_plan(const rni_arguments *arguments)
{
    rni_bench_plan plan = {.def = rn_search_def_default()};
    plan.radius = rni_arguments_number(arguments, "radius");
    plan.def.radius = (float)plan.radius;
    plan.def.dim = rni_arguments_choice(arguments, "dim") + 2;
    plan.def.cpu = (rn_cpu_level)rni_arguments_choice(arguments, "cpu");
    plan.def.lists = (rn_lists)rni_arguments_choice(arguments, "lists");
    plan.def.order = (rn_list_order)rni_arguments_choice(arguments, "order");
    plan.def.layout = rni_arguments_has(arguments, "csr") ? RN_LAYOUT_CSR : RN_LAYOUT_SPAN;
    plan.def.skin = (float)rni_arguments_number(arguments, "skin");
    rni_method_options_read(arguments, &plan.def);
    plan.reps = rni_arguments_count(arguments, "reps");
    plan.seconds = rni_arguments_number(arguments, "seconds");
    plan.limit_seconds = plan.seconds > 0.5 ? plan.seconds * 6 : 3;
    plan.move = rni_arguments_number(arguments, "move");
    return plan;
}

static void print_row(const bench *b, const rni_bench_row *row)
{
    if (b->is_json) print_row_json(row);
    else print_row_line(row);
    if (row->skipped && b->is_json)
        fprintf(stderr, "%s, %u points: %s\n", row->method, row->points, row->skipped);
    fflush(stdout);
}

static const rni_bench_row *first_counted(const rni_bench_result *result)
{
    for (uint32_t r = 0; r < result->row_count; r++)
        if (!result->row[r].skipped && result->row[r].has_pairs) return &result->row[r];
    return NULL;
}

static void take_result(bench *b, const rni_bench_result *result)
{
    const rni_bench_row *first = first_counted(result);
    for (uint32_t r = 0; r < result->row_count; r++) {
        const rni_bench_row *row = &result->row[r];
        b->rows[b->row_count++] = *row;
        print_row(b, row);
        if (!row->disagrees) continue;
        b->disagrees = true;
        rni_give_up(b->arguments->command, "%u points, %s: %s finds %llu pairs but %s %llu",
                    row->points, row->layout, first->method, (unsigned long long)first->pairs,
                    row->method, (unsigned long long)row->pairs);
    }
    if (!result->missing_peer[0]) return;
    b->peer_is_missing = true;
    fprintf(stderr, "%s\n", result->missing_peer);
}

/* One number of points on one layout, with one number of threads. */
static int run_case(bench *b, uint32_t layout, uint32_t points, uint32_t threads)
{
    static rni_bench_result result; /* large */
    const rni_bench_case c = {.layout = (rni_layout)layout,
                              .points = points,
                              .threads = threads,
                              .methods = b->methods,
                              .method_count = b->method_count,
                              .peer = b->has_peers && !b->peer_is_missing ? "nanoflann" : NULL};
    if (rni_bench_neighbors(&b->plan, &c, &result) != RN_OK)
        return rni_give_up(b->arguments->command, "%u points, %s: %s", points,
                           rni_layout_name(layout), rn_last_error());
    take_result(b, &result);
    return ferror(stdout) ? RNI_EXIT_FAILED : RNI_EXIT_DONE;
}

/* --updates: one number of points on one layout, with one number of threads. */
static int run_updates(bench *b, uint32_t layout, uint32_t points, uint32_t threads)
{
    const rni_arguments *a = b->arguments;
    rni_run_row rows[RNI_MAX_LIST] = {{0}};
    rni_run_case c = {.layout = (rni_layout)layout, .count = points};
    c.updates = rni_arguments_count(a, "updates");
    c.clock = rni_arguments_has(a, "cpu-time") ? rni_process_seconds : rni_seconds;
    c.changes = rni_arguments_has(a, "change");
    if (c.changes) c.later = (rni_layout)rni_arguments_choice(a, "change");
    for (uint32_t m = 0; m < b->method_count; m++) {
        rows[m].method = b->methods[m];
        rows[m].threads = threads ? threads : rn_cpu_count();
    }
    if (rni_bench_updates(&b->plan, &c, rows, b->method_count) != RN_OK)
        return rni_give_up(a->command, "%u points, %s: %s", points, rni_layout_name(layout),
                           rn_last_error());
    for (uint32_t m = 0; m < b->method_count; m++) {
        if (b->is_json) print_run_json(&c, &rows[m]);
        else print_run_line(&c, &rows[m]);
    }
    fflush(stdout);
    return ferror(stdout) ? RNI_EXIT_FAILED : RNI_EXIT_DONE;
}

static int check_updates(const rni_arguments *arguments)
{
    static const char *const with[] = {"change", "cpu-time"};
    static const char *const without[] = {"plot", "peers"};
    bool has_updates = rni_arguments_has(arguments, "updates");
    for (uint32_t k = 0; !has_updates && k < 2; k++) {
        if (rni_arguments_has(arguments, with[k]))
            return rni_misuse(arguments->command, "--%s needs --updates, e.g. --updates 100",
                              with[k]);
    }
    for (uint32_t k = 0; has_updates && k < 2; k++) {
        if (rni_arguments_has(arguments, without[k]))
            return rni_misuse(arguments->command, "--%s cannot be combined with --updates",
                              without[k]);
    }
    return RNI_EXIT_DONE;
}

static int run(const rni_arguments *arguments)
{
    int code = check_updates(arguments);
    if (code == RNI_EXIT_DONE) code = rni_outputs_check_plot(arguments);
    if (code != RNI_EXIT_DONE) return code;
    uint32_t points[RNI_MAX_LIST];
    uint32_t threads[RNI_MAX_LIST];
    uint32_t layouts[RNI_MAX_LIST];
    uint32_t point_count = rni_arguments_counts(arguments, "points", points);
    uint32_t thread_count = rni_arguments_counts(arguments, "threads", threads);
    uint32_t layout_count = read_layouts(arguments, layouts);
    bench b = {.arguments = arguments,
               .plan = read_plan(arguments),
               .is_json = rni_arguments_has(arguments, "json"),
               .has_peers = rni_arguments_has(arguments, "peers")};
    b.method_count = read_methods(arguments, b.methods);
    size_t row_limit = (size_t)point_count * thread_count * layout_count * (b.method_count + 1) + 1;
    b.rows = calloc(row_limit, sizeof *b.rows);
    if (!b.rows) return rni_give_up(arguments->command, "no memory for %zu rows", row_limit);

    bool has_updates = rni_arguments_has(arguments, "updates");
    if (!b.is_json) (has_updates ? print_run_head : print_row_head)();
    for (uint32_t l = 0; l < layout_count; l++)
        for (uint32_t p = 0; p < point_count; p++)
            for (uint32_t t = 0; t < thread_count && code == RNI_EXIT_DONE; t++)
                code = (has_updates ? run_updates : run_case)(&b, layouts[l], points[p], threads[t]);
    print_ratios(b.rows, b.row_count);
    const char *plot = rni_arguments_text(arguments, "plot");
    if (code == RNI_EXIT_DONE && plot) {
        if (rni_bench_plot(plot, b.rows, b.row_count) != RN_OK)
            code = rni_give_up(arguments->command, "%s", rn_last_error());
        else fprintf(stderr, "chart: %s\n", plot);
    }
    free(b.rows);
    return b.disagrees ? RNI_EXIT_FAILED : code;
}

const rni_command rni_command_bench_neighbors = {
    .name = "neighbors",
    .path = "runnel bench neighbors",
    .summary = "measures neighbour search on built-in point sets",
    .usage = "[options]",
    .about = "Every row is the fastest of several repetitions of one complete update (sort, build, "
             "lists)\n"
             "after a warm-up; several methods alternate. All methods must find the same number of "
             "pairs.",
    .examples = "runnel bench neighbors --points 32768 --method all --threads 1,2\n"
                "runnel bench neighbors --points 32768,262144 --layout all --peers --plot "
                "bench.svg\n"
                "runnel bench neighbors --points 100000 --lists half --cpu plain --json\n"
                "runnel bench neighbors --points 10000 --layout all --method all --updates 100",
    .options = options,
    .run = run,
};

static const rni_command *const children[] = {
    &rni_command_bench_neighbors, &rni_command_bench_pairs,
    &rni_command_bench_queries,   &rni_command_bench_fluid,
    &rni_command_bench_live,      &rni_command_bench_mesh,
    &rni_command_bench_surface,   &rni_command_bench_render,
    &rni_command_bench_view,      NULL};

const rni_command rni_command_bench = {
    .name = "bench",
    .path = "runnel bench",
    .summary = "measures the speed of Runnel on this machine",
    .usage = "WHAT [options]",
    .examples = "runnel bench neighbors --points 32768\n"
                "runnel bench fluid --particles 32768\n"
                "runnel bench pairs --boxes 50000\n"
                "runnel bench queries --boxes 1000 --queries 100000",
    .children = children,
};
