#include "cli/command.h"
#include "cli/outputs.h"
#include "files/json.h"

#include "base/clock.h"
#include "base/parallel.h"
#include "files/box_file.h"
#include "files/out_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const rni_option options[] = {
    {"method", RNI_OPTION_CHOICE, "NAME", "search method", "default",
     "a method, e.g. --method layered-columns", 0, 0, rni_choice_box_method},
    {"threads", RNI_OPTION_COUNT, "N", "number of threads; 0: one per processor", "0",
     "a whole number, e.g. --threads 2", 0, RNI_MAX_WORKERS, NULL},
    {"cpu", RNI_OPTION_CHOICE, "LEVEL", "instruction set", "auto", "a level, e.g. --cpu avx2", 0, 0,
     rni_choice_cpu},
    {"time-step", RNI_OPTION_NUMBER, "T",
     "also find boxes that meet within this time, by the bounding box of each one's path; the file "
     "needs the columns vx, vy and, in 3D, vz",
     NULL, "a time, e.g. --time-step 0.01", 0, 1e30, NULL},
    {"pairs", RNI_OPTION_FILE, "FILE",
     "write the pairs, sorted by the first, then by the second box (.csv or .npy; -: CSV on "
     "standard output)",
     NULL, "a file, e.g. --pairs pairs.csv", 0, 0, NULL},
    {"json", RNI_OPTION_FLAG, NULL, "print one JSON object instead of the summary", NULL, NULL, 0,
     0, NULL},
    {0}};

/* One run of the command. */
typedef struct job {
    const rni_arguments *arguments;
    const char *name; /* of the input, as it is shown */
    rni_box_file file;
    rn_broadphase *phase;
    rn_broadphase_stats stats;
    uint64_t pair_count;
    uint32_t busiest, busiest_count; /* the box in most pairs */
    uint32_t alone;                  /* boxes in no pair */
    bool has_counts;                 /* the three above */
    double read_ms, find_ms, write_ms;
    double low[3], high[3], least_edge, greatest_edge;
} job;

static double milliseconds_since(double begin)
{
    return (rni_seconds() - begin) * 1e3;
}

static int check_output(const job *j)
{
    const rni_arguments *a = j->arguments;
    const char *path = rni_arguments_text(a, "pairs");
    if (!path) return RNI_EXIT_DONE;
    if (rni_out_kind_of(path) != RNI_OUT_CSV && rni_out_kind_of(path) != RNI_OUT_NPY)
        return rni_misuse(
            a->command,
            "--pairs: '%s' is neither .csv nor .npy; e.g. --pairs pairs.csv, or - for CSV on "
            "standard output",
            path);
    rni_output output = {"--pairs", path};
    return rni_outputs_check(a->command, a->operand[0], &output, 1);
}

static int read_boxes(job *j)
{
    const rni_arguments *a = j->arguments;
    double begin = rni_seconds();
    if (rni_box_file_read(a->operand[0], &j->file) != RN_OK)
        return rni_give_up(a->command, "%s", rn_last_error());
    j->read_ms = milliseconds_since(begin);
    if (rni_arguments_has(a, "time-step") && !j->file.velocity)
        return rni_misuse(a->command,
                          "--time-step: %s has no velocities; name columns vx, vy%s in its "
                          "first row",
                          j->name, j->file.dim == 3 ? ", vz" : "");
    j->least_edge = HUGE_VAL;
    for (uint32_t axis = 0; axis < 3; axis++) {
        j->low[axis] = HUGE_VAL;
        j->high[axis] = -HUGE_VAL;
    }
    for (uint32_t i = 0; i < j->file.count; i++) {
        double longest = 0;
        for (uint32_t axis = 0; axis < j->file.dim; axis++) {
            double low = (double)j->file.low[(size_t)i * j->file.dim + axis];
            double high = (double)j->file.high[(size_t)i * j->file.dim + axis];
            j->low[axis] = fmin(j->low[axis], low);
            j->high[axis] = fmax(j->high[axis], high);
            longest = fmax(longest, high - low);
        }
        j->least_edge = fmin(j->least_edge, longest);
        j->greatest_edge = fmax(j->greatest_edge, longest);
    }
    return RNI_EXIT_DONE;
}

static rn_result open_phase(job *j)
{
    const rni_arguments *a = j->arguments;
    rn_broadphase_def def = rn_broadphase_def_default();
    def.dim = j->file.dim;
    def.threads = rni_arguments_count(a, "threads");
    def.cpu = (rn_cpu_level)rni_arguments_choice(a, "cpu");
    def.order = rni_arguments_has(a, "pairs") ? RN_PAIRS_SORTED : RN_PAIRS_METHOD;
    rn_result result = rn_broadphase_method_from_name(rni_arguments_text(a, "method"), &def.method);
    return result == RN_OK ? rn_broadphase_create(&def, &j->phase) : result;
}

/* The box in most pairs, and the number of boxes in none. */
static void count_partners(job *j, const rn_pairs *pairs)
{
    uint32_t *counts = calloc((size_t)j->file.count + 1, sizeof *counts);
    if (!counts) return; /* the summary leaves it out */
    for (uint64_t k = 0; k < pairs->count; k++) {
        counts[pairs->pair[k].a]++;
        counts[pairs->pair[k].b]++;
    }
    for (uint32_t i = 0; i < j->file.count; i++) {
        j->alone += counts[i] == 0;
        if (counts[i] <= j->busiest_count) continue;
        j->busiest = i;
        j->busiest_count = counts[i];
    }
    free(counts);
    j->has_counts = true;
}

static int find_pairs(job *j)
{
    const rni_command *command = j->arguments->command;
    if (open_phase(j) != RN_OK) return rni_misuse(command, "%s", rn_last_error());
    rn_boxes boxes = {.low = j->file.low, .high = j->file.high, .count = j->file.count};
    boxes.category = j->file.category;
    boxes.mask = j->file.mask;
    if (rni_arguments_has(j->arguments, "time-step")) {
        boxes.velocity = j->file.velocity;
        boxes.time_step = (float)rni_arguments_number(j->arguments, "time-step");
    }
    rn_pairs pairs = {0};
    const char *path = rni_arguments_text(j->arguments, "pairs");
    double begin = rni_seconds();
    rn_result result = rn_broadphase_update(j->phase, &boxes);
    if (result == RN_OK) result = rn_broadphase_find_pairs(j->phase, &pairs);
    j->pair_count = pairs.count;
    bool is_counted = (result == RN_ERROR_LIMIT || result == RN_ERROR_MEMORY) && !path;
    if (is_counted) { /* the pairs are not written, so counts are sufficient */
        fprintf(stderr, "%s: %s; counting only\n", command->path, rn_last_error());
        begin = rni_seconds();
        result = rn_broadphase_count_pairs(j->phase, &j->pair_count);
    }
    if (result != RN_OK) return rni_give_up(command, "%s: %s", j->name, rn_last_error());
    j->find_ms = milliseconds_since(begin);
    j->stats = rn_broadphase_stats_default();
    rn_broadphase_get_stats(j->phase, &j->stats);
    if (!is_counted) count_partners(j, &pairs);
    begin = rni_seconds();
    if (path && rni_box_pairs_write(path, pairs.pair, pairs.count) != RN_OK)
        return rni_give_up(command, "%s", rn_last_error());
    j->write_ms = milliseconds_since(begin);
    return RNI_EXIT_DONE;
}

static const char *method_name(rn_broadphase_method method)
{
    const rn_broadphase_method_info *info;
    for (uint32_t place = 0; (info = rn_broadphase_get_method_info(place)) != NULL; place++)
        if (info->method == method) return info->name;
    return "default";
}

static void print_json(FILE *file, const job *j)
{
    rni_json json = rni_json_begin(file);
    rni_json_text(&json, "file", j->name);
    rni_json_text(&json, "format", j->file.format);
    rni_json_text(&json, "what", j->file.what);
    rni_json_whole(&json, "dim", j->file.dim);
    rni_json_whole(&json, "boxes", j->file.count);
    rni_json_floats(&json, "low", j->low, j->file.count ? j->file.dim : 0);
    rni_json_floats(&json, "high", j->high, j->file.count ? j->file.dim : 0);
    rni_json_number(&json, "least_edge", j->file.count ? j->least_edge : 0);
    rni_json_number(&json, "greatest_edge", j->greatest_edge);
    rni_json_whole(&json, "pairs", j->pair_count);
    if (j->has_counts) {
        rni_json_whole(&json, "alone", j->alone);
        if (j->busiest_count) rni_json_whole(&json, "busiest", j->busiest);
        rni_json_whole(&json, "busiest_pairs", j->busiest_count);
    }
    rni_json_text(&json, "method", method_name(j->stats.method));
    rni_json_whole(&json, "threads", j->stats.threads);
    rni_json_text(&json, "cpu", rn_cpu_level_name(j->stats.cpu));
    rni_json_whole(&json, "candidates", j->stats.candidate_count);
    rni_json_whole(&json, "visited", j->stats.visited_count);
    rni_json_whole(&json, "levels", j->stats.level_count);
    rni_json_whole(&json, "bytes", j->stats.held_bytes);
    rni_json_whole(&json, "result_bytes", j->stats.result_bytes);
    rni_json_rounded(&json, "read_ms", j->read_ms);
    rni_json_rounded(&json, "check_ms", j->stats.check_ms);
    rni_json_rounded(&json, "build_ms", j->stats.build_ms);
    rni_json_rounded(&json, "pairs_ms", j->stats.pairs_ms);
    rni_json_rounded(&json, "ms", j->find_ms);
    if (rni_arguments_has(j->arguments, "pairs")) {
        rni_json_text(&json, "pairs_file", rni_arguments_text(j->arguments, "pairs"));
        rni_json_rounded(&json, "write_ms", j->write_ms);
    }
    rni_json_end(&json);
    fputc('\n', file);
}

static void print_summary(FILE *file, const job *j)
{
    uint32_t n = j->file.count;
    fprintf(file, "%s: %u %s in %uD (%s)\n", j->name, n, j->file.what, j->file.dim, j->file.format);
    if (n > 0) {
        fprintf(file, "  from     ");
        for (uint32_t axis = 0; axis < j->file.dim; axis++)
            fprintf(file, "%s%.9g", axis ? ", " : "(", j->low[axis]);
        fprintf(file, ") to ");
        for (uint32_t axis = 0; axis < j->file.dim; axis++)
            fprintf(file, "%s%.9g", axis ? ", " : "(", j->high[axis]);
        fprintf(file, ")\n  longest  edges from %.6g to %.6g\n", j->least_edge, j->greatest_edge);
    }
    fprintf(file, "  pairs    %llu overlap or touch, %.3g per box\n",
            (unsigned long long)j->pair_count, n ? (double)j->pair_count / n : 0.0);
    if (j->has_counts && n > 0) {
        fprintf(file, "  isolated %u of %u are in no pair", j->alone, n);
        if (j->busiest_count)
            fprintf(file, "; number %u is in most, %u", j->busiest, j->busiest_count);
        fputc('\n', file);
    }
    fprintf(file, "  method   %s, %u thread%s, %s; %llu candidates, %.1f MB\n",
            method_name(j->stats.method), j->stats.threads, j->stats.threads == 1 ? "" : "s",
            rn_cpu_level_name(j->stats.cpu), (unsigned long long)j->stats.candidate_count,
            (double)j->stats.held_bytes / 1048576.0);
    fprintf(file, "  time     read %.3f ms, pairs %.3f ms (check %.3f, build %.3f, find %.3f)\n",
            j->read_ms, j->find_ms, j->stats.check_ms, j->stats.build_ms, j->stats.pairs_ms);
    const char *path = rni_arguments_text(j->arguments, "pairs");
    if (path && strcmp(path, "-") != 0)
        fprintf(file, "  written  %s, %.3f ms\n", path, j->write_ms);
}

static int run(const rni_arguments *arguments)
{
    job j = {.arguments = arguments, .name = arguments->operand[0]};
    if (strcmp(j.name, "-") == 0) j.name = "standard input";
    int code = check_output(&j);
    if (code == RNI_EXIT_DONE) code = read_boxes(&j);
    if (code == RNI_EXIT_DONE) code = find_pairs(&j);
    if (code == RNI_EXIT_DONE) {
        /* Pairs on stdout are the only output there. */
        const char *path = rni_arguments_text(arguments, "pairs");
        FILE *file = path && strcmp(path, "-") == 0 ? stderr : stdout;
        if (rni_arguments_has(arguments, "json")) print_json(file, &j);
        else print_summary(file, &j);
    }
    rn_broadphase_destroy(j.phase);
    rni_box_file_release(&j.file);
    return code;
}

const rni_command rni_command_pairs = {
    .name = "pairs",
    .path = "runnel pairs",
    .summary = "finds all pairs of overlapping boxes in a file; the boxes may be those of triangles",
    .usage = "FILE [options]",
    .about =
        "FILE is a CSV file with one box per row, or a mesh (OBJ, STL, PLY), each triangle of which\n"
        "counts as its bounding box; - is standard input. Without a line of titles, the columns are\n"
        "min x, min y, min z, max x, max y, max z; in 2D without z. Titles give them any order:\n"
        "min_x, min_y, min_z, max_x, max_y, max_z, and optionally the velocity vx, vy, vz, and\n"
        "category and mask. Boxes are numbered from 0, and boxes that only touch overlap too.\n"
        "Prints a summary; --pairs writes the pairs to a file.",
    .examples = "runnel pairs boxes.csv\n"
                "runnel pairs boxes.csv --pairs pairs.csv\n"
                "runnel pairs mesh.stl --pairs pairs.npy --json\n"
                "runnel pairs moving.csv --time-step 0.01",
    .operand_min = 1,
    .operand_max = 1,
    .operand_name = "FILE",
    .options = options,
    .run = run,
};
