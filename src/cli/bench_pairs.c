#include "cli/box_bench.h"

static const char *choice_layout(uint32_t place)
{
    return place == 0 ? "all" : rni_box_layout_name(place - 1);
}

static const rni_option options[] = {
    {"boxes", RNI_OPTION_COUNTS, "N,..", "number of boxes", "50000,1000000",
     "whole numbers, e.g. --boxes 50000,1000000", 1, 1e9, NULL},
    {"density", RNI_OPTION_NUMBER, "D",
     "volume of the spheres inside the boxes divided by the volume of the space", "0.1",
     "a positive number, e.g. --density 0.1", 1e-9, 1e3, NULL},
    {"layout", RNI_OPTION_CHOICES, "NAME,..", "layout of the boxes", "equal",
     "a layout, e.g. --layout mixed", 0, 0, choice_layout},
    {"dim", RNI_OPTION_CHOICE, "D", "number of dimensions", "3", "2 or 3", 0, 0, rni_choice_dim},
    {"move", RNI_OPTION_NUMBER, "AMOUNT",
     "move every box by up to this distance before each repetition; methods may reuse data of "
     "the last one",
     "0", "a length, e.g. --move 0.01", 0, 1e18, NULL},
    RNI_BOX_BENCH_OPTIONS,
    {0}};

static int run_layout(rni_box_bench *bench, uint32_t layout, uint32_t count)
{
    const rni_box_set set = {(rni_box_layout)layout, count,
                             rni_arguments_number(bench->arguments, "density")};
    uint32_t threads[RNI_MAX_LIST];
    uint32_t thread_count = rni_arguments_counts(bench->arguments, "threads", threads);
    int code = RNI_EXIT_DONE;
    for (uint32_t t = 0; t < thread_count && code == RNI_EXIT_DONE; t++)
        code = rni_box_bench_show(
            bench, rni_bench_box_pairs(&bench->plan, &set, threads[t], &bench->result));
    return code;
}

static int run(const rni_arguments *arguments)
{
    static rni_box_bench bench; /* large */
    int code = rni_box_bench_begin(arguments, &bench);
    bench.plan.move = rni_arguments_number(arguments, "move");
    uint32_t counts[RNI_MAX_LIST], layouts[RNI_MAX_LIST];
    uint32_t count_count = rni_arguments_counts(arguments, "boxes", counts);
    uint32_t layout_count = rni_arguments_choices(arguments, "layout", layouts);
    for (uint32_t l = 0; l < layout_count; l++) {
        uint32_t first = layouts[l] == 0 ? 0 : layouts[l] - 1;
        uint32_t last = layouts[l] == 0 ? RNI_BOXES_SPARSE : first;
        for (uint32_t layout = first; layout <= last; layout++)
            for (uint32_t c = 0; c < count_count && code == RNI_EXIT_DONE; c++)
                code = run_layout(&bench, layout, counts[c]);
    }
    return rni_box_bench_end(&bench, code);
}

const rni_command rni_command_bench_pairs = {
    .name = "pairs",
    .path = "runnel bench pairs",
    .summary = "measures the search for overlapping boxes on built-in sets",
    .usage = "[options]",
    .about =
        "Every row is the fastest of several repetitions of one complete step (check, build, "
        "list of\n"
        "all pairs) after a warm-up; several methods alternate, and all must find the same pairs.\n"
        "Without --move every repetition starts from scratch; with it, methods may reuse data "
        "of the\n"
        "last one.",
    .examples = "runnel bench pairs --boxes 50000 --method all --threads 1,2\n"
                "runnel bench pairs --boxes 20000 --layout all --json\n"
                "runnel bench pairs --boxes 5000 --method sweep-and-prune,default --move 0.001",
    .options = options,
    .run = run,
};
