#include "cli/box_bench.h"

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
    {"boxes", RNI_OPTION_COUNTS, "N,..", "number of boxes", "30,300,3000,30000",
     "whole numbers, e.g. --boxes 1000", 1, 1e9, NULL},
    {"queries", RNI_OPTION_COUNT, "N", "number of queries", "1000000",
     "a whole number, e.g. --queries 1000000", 1, 1e9, NULL},
    {"dim", RNI_OPTION_CHOICE, "D", "number of dimensions", "2", "2 or 3", 0, 0, rni_choice_dim},
    {"kind", RNI_OPTION_CHOICE, "KIND",
     "kind of query: the box around the path of a moving point, the point itself, the path as a "
     "segment, or a sphere of radius 8",
     "box", "a kind, e.g. --kind segment", 0, 0, choice_kind},
    {"results", RNI_OPTION_CHOICE, "HOW", "count the boxes that each query hits, or list them",
     "counts", "counts or lists", 0, 0, choice_results},
    RNI_BOX_BENCH_OPTIONS,
    {0}};

static int run(const rni_arguments *arguments)
{
    static rni_box_bench bench; /* large */
    int code = rni_box_bench_begin(arguments, &bench);
    rni_box_plan *plan = &bench.plan;
    uint32_t counts[RNI_MAX_LIST], threads[RNI_MAX_LIST];
    uint32_t count_count = rni_arguments_counts(arguments, "boxes", counts);
    uint32_t thread_count = rni_arguments_counts(arguments, "threads", threads);
    plan->kind = (rn_query_kind)rni_arguments_choice(arguments, "kind");
    plan->wants_lists = rni_arguments_choice(arguments, "results") == 1;
    rni_box_queries queries = {0};
    if (code == RNI_EXIT_DONE &&
        rni_box_queries_make(plan->kind, plan->def.dim, rni_arguments_count(arguments, "queries"),
                             &queries) != RN_OK)
        code = rni_give_up(arguments->command, "%s", rn_last_error());
    for (uint32_t c = 0; c < count_count; c++)
        for (uint32_t t = 0; t < thread_count && code == RNI_EXIT_DONE; t++)
            code = rni_box_bench_show(&bench, rni_bench_box_queries(plan, counts[c], &queries.all,
                                                                    threads[t], &bench.result));
    rni_box_queries_release(&queries);
    return rni_box_bench_end(&bench, code);
}

const rni_command rni_command_bench_queries = {
    .name = "queries",
    .path = "runnel bench queries",
    .summary = "measures queries against boxes of very different sizes",
    .usage = "[options]",
    .about =
        "The scene of figure 4 in Pouchol et al. 2009: boxes with average edges 2^10 (10 %), "
        "2^6 (25\n"
        "%) and 2^3 in a square of side 2^13, and points that move by up to 2^4. Every row is the\n"
        "fastest of several repetitions of all queries; building the data structure is not "
        "included.",
    .examples = "runnel bench queries --boxes 1000 --queries 100000\n"
                "runnel bench queries --boxes 30,300 --queries 100000 --method all --json\n"
                "runnel bench queries --boxes 3000 --queries 100000 --dim 3 --kind segment",
    .options = options,
    .run = run,
};
