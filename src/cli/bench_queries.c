#include "cli/box_bench.h"
#include "cli/box_layouts.h"

#include <stdlib.h>

/* In the order of rn_query_kind. */
static const char *choice_kind(uint32_t place)
{
    static const char *const names[] = {"box", "point", "segment", "sphere"};
    return place < 4 ? names[place] : NULL;
}

static const char *choice_results(uint32_t place)
{
    static const char *const names[] = {"counts", "lists"};
    return place < 2 ? names[place] : NULL;
}

static const rni_option options[] = {
    {"boxes", RNI_OPTION_COUNTS, "N,..", "how many boxes", "30,300,3000,30000",
     "whole numbers, e.g. --boxes 1000", 1, 1e9, NULL},
    {"queries", RNI_OPTION_COUNT, "N", "how many queries", "1000000",
     "a whole number, e.g. --queries 1000000", 1, 1e9, NULL},
    {"dim", RNI_OPTION_CHOICE, "D", "dimensions", "2", "2 or 3", 0, 0, rni_choice_dim},
    {"kind", RNI_OPTION_CHOICE, "KIND",
     "what is asked: the box around the path of a moving point, the point, the path itself, or a "
     "sphere as wide",
     "box", "a kind, e.g. --kind segment", 0, 0, choice_kind},
    {"results", RNI_OPTION_CHOICE, "HOW", "how many boxes each query hits, or which", "counts",
     "counts or lists", 0, 0, choice_results},
    RNI_BOX_BENCH_OPTIONS,
    {0}};

/* The arrays of one run. */
typedef struct arrays {
    float *from, *to, *radius;
} arrays;

static bool make_queries(rn_query_kind kind, uint32_t dim, uint32_t count, arrays *out)
{
    size_t bytes = (size_t)count * dim * sizeof(float);
    *out = (arrays){malloc(bytes), malloc(bytes), malloc(count * sizeof(float))};
    if (!out->from || !out->to || !out->radius) return false;
    rni_segment_scene_fill(dim, count, 12, out->from, out->to);
    for (uint32_t k = 0; k < count; k++) out->radius[k] = 8.0f;
    for (size_t k = 0; kind == RN_QUERY_BOX && k < (size_t)count * dim; k++) {
        float a = out->from[k], b = out->to[k];
        out->from[k] = a < b ? a : b;
        out->to[k] = a < b ? b : a;
    }
    return true;
}

static int run_boxes(rni_box_bench *bench, uint32_t count, const rn_queries *queries,
                     const uint32_t *threads, uint32_t thread_count)
{
    uint32_t dim = bench->plan.def.dim;
    size_t bytes = (size_t)count * dim * sizeof(float);
    rni_box_case boxes = {.low = malloc(bytes), .high = malloc(bytes), .count = count};
    boxes.layout = "figure-4";
    boxes.queries = *queries;
    int code = RNI_EXIT_DONE;
    if (!boxes.low || !boxes.high)
        code = rni_give_up(bench->arguments->command, "no memory for %u boxes", count);
    else rni_box_scene_fill(dim, count, 11, boxes.low, boxes.high);
    for (uint32_t t = 0; t < thread_count && code == RNI_EXIT_DONE; t++)
        code = rni_box_bench_run(bench, &boxes, threads[t]);
    free(boxes.low);
    free(boxes.high);
    return code;
}

static int run(const rni_arguments *arguments)
{
    int code;
    rni_box_bench bench = rni_box_bench_begin(arguments, &code);
    uint32_t counts[RNI_MAX_LIST], threads[RNI_MAX_LIST];
    uint32_t count_count = rni_arguments_counts(arguments, "boxes", counts);
    uint32_t thread_count = rni_arguments_counts(arguments, "threads", threads);
    bench.plan.kind = (rn_query_kind)rni_arguments_choice(arguments, "kind");
    bench.plan.wants_lists = rni_arguments_choice(arguments, "results") == 1;
    rn_queries queries = {.kind = bench.plan.kind,
                          .count = rni_arguments_count(arguments, "queries")};
    arrays room;
    if (!make_queries(queries.kind, bench.plan.def.dim, queries.count, &room))
        code = rni_give_up(arguments->command, "no memory for %u queries", queries.count);
    queries.a = room.from;
    queries.b = room.to;
    queries.radius = room.radius;
    for (uint32_t c = 0; c < count_count && code == RNI_EXIT_DONE; c++)
        code = run_boxes(&bench, counts[c], &queries, threads, thread_count);
    free(room.from);
    free(room.to);
    free(room.radius);
    return rni_box_bench_end(&bench, code);
}

const rni_command rni_command_bench_queries = {
    .name = "queries",
    .path = "runnel bench queries",
    .summary = "times queries against boxes of very different sizes",
    .usage = "[options]",
    .about =
        "The scene of figure 4 in Pouchol, Ahmad, Crespin and Terraz 2009: boxes of average edges 2^10\n"
        "(10 %), 2^6 (25 %) and 2^3 in a square of side 2^13, and points that move by up to 2^4. Every\n"
        "row is the fastest of several repetitions of all queries; the structure is built before.",
    .examples = "runnel bench queries --boxes 1000 --queries 100000\n"
                "runnel bench queries --boxes 30,300 --queries 100000 --method all --json\n"
                "runnel bench queries --boxes 3000 --queries 100000 --dim 3 --kind segment",
    .options = options,
    .run = run,
};
