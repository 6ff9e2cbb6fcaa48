#include "cli/command.h"
#include "cli/method_options.h"
#include "cli/neighbors_report.h"
#include "cli/outputs.h"

#include "base/clock.h"
#include "base/parallel.h"
#include "files/out_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>

static const rni_option options[] = {
    {"radius", RNI_OPTION_NUMBER, "R", "search radius, in the unit of the file", NULL,
     "a positive length, e.g. --radius 0.1", 1e-18, 1e18, NULL},
    {"method", RNI_OPTION_CHOICE, "NAME", "search method", "default",
     "a method, e.g. --method grid", 0, 0, rni_choice_method},
    {"threads", RNI_OPTION_COUNT, "N", "number of threads; 0: one per processor", "0",
     "a whole number, e.g. --threads 2", 0, RNI_MAX_WORKERS, NULL},
    {"cpu", RNI_OPTION_CHOICE, "LEVEL", "instruction set", "auto", "a level, e.g. --cpu avx2", 0, 0,
     rni_choice_cpu},
    {"dim", RNI_OPTION_CHOICE, "D", "number of dimensions (default: that of the file); 2 ignores z",
     NULL, "2 or 3", 0, 0, rni_choice_dim},
    {"half", RNI_OPTION_FLAG, NULL, "half lists: each pair once, in the list of the smaller index",
     NULL, NULL, 0, 0, NULL},
    {"order", RNI_OPTION_CHOICE, "HOW",
     "order within a list (default: index order in written "
     "files)",
     NULL, "an order, e.g. --order index", 0, 0, rni_choice_order},
    {"periodic", RNI_OPTION_TEXT, "AXES", "periodic axes: x=LOW:HIGH,y=LOW:HIGH,..", NULL,
     "axes with their ends, e.g. --periodic x=0:1,y=0:1", 0, 0, NULL},
    {"nearest", RNI_OPTION_COUNT, "K",
     "also find the K nearest neighbours within the radius; --lists then writes these, in CSV "
     "with distances",
     NULL, "a whole number, e.g. --nearest 8", 1, 1e6, NULL},
    {"pairs", RNI_OPTION_FILE, "FILE",
     "write every pair once (.csv or .npy; - is CSV on standard output)", NULL,
     "a file, e.g. --pairs pairs.csv", 0, 0, NULL},
    {"lists", RNI_OPTION_FILE, "FILE",
     "write the neighbour list of every point (.csv or .npy; - is CSV on standard output)", NULL,
     "a file, e.g. --lists lists.csv", 0, 0, NULL},
    {"json", RNI_OPTION_FLAG, NULL, "print one JSON object instead of the summary", NULL, NULL, 0,
     0, NULL},
    {"memory-limit", RNI_OPTION_NUMBER, "GB",
     "refuse to build larger lists; 0: the memory of the machine", "0",
     "gigabytes, e.g. --memory-limit 4", 0, 1e9, NULL},
    RNI_METHOD_OPTIONS,
    {0}};

/* One run of the command. */
typedef struct job {
    const rni_arguments *arguments;
    const char *name; /* of the input, as it is shown */
    rni_point_file cloud;
    rn_search_def def;
    rn_points points;
    rn_search *search;
    rni_neighbors_report report;
    bool has_warned; /* of rounding */
} job;

static double milliseconds_since(double begin)
{
    return (rni_seconds() - begin) * 1e3;
}

/* x=LOW:HIGH,y=LOW:HIGH */
static int read_periodic(job *j, const char *text)
{
    const rni_command *command = j->arguments->command;
    const char *hint = "give axes with their ends, e.g. --periodic x=0:1,y=0:1";
    while (*text) {
        uint32_t axis = (uint32_t)(text[0] - 'x');
        if (axis > 2 || text[1] != '=')
            return rni_misuse(command, "--periodic: '%s' is not an axis; %s", text, hint);
        if (axis >= j->def.dim)
            return rni_misuse(command, "--periodic: there is no axis %c in 2D", text[0]);
        if (j->def.periodic[axis])
            return rni_misuse(command, "--periodic: axis %c is given twice", text[0]);
        const char *low = text + 2;
        size_t low_length = strcspn(low, ":,");
        const char *high = low + low_length + 1;
        if (low_length == 0 || low[low_length] != ':' || strcspn(high, ",") == 0)
            return rni_misuse(command, "--periodic: '%s': LOW:HIGH is missing; %s", text, hint);
        size_t high_length = strcspn(high, ",");
        const char *end = high + high_length;
        j->def.periodic[axis] = true;
        if (!rni_number_read(low, low_length, &j->def.period_low[axis]))
            return rni_misuse(command, "--periodic: '%.*s' is not a number; %s", (int)low_length,
                              low, hint);
        if (!rni_number_read(high, high_length, &j->def.period_high[axis]))
            return rni_misuse(command, "--periodic: '%.*s' is not a number; %s", (int)high_length,
                              high, hint);
        double length = j->def.period_high[axis] - j->def.period_low[axis];
        if (!isfinite(length) || length <= 0)
            return rni_misuse(command, "--periodic: axis %c: HIGH must be above LOW; %s", text[0],
                              hint);
        text = *end ? end + 1 : end;
    }
    return RNI_EXIT_DONE;
}

static int check_output(const job *j, const char *option)
{
    const char *path = rni_arguments_text(j->arguments, option);
    if (!path || rni_out_kind_of(path) == RNI_OUT_CSV || rni_out_kind_of(path) == RNI_OUT_NPY)
        return RNI_EXIT_DONE;
    return rni_misuse(
        j->arguments->command,
        "--%s: '%s' is neither .csv nor .npy; e.g. --%s %s.csv, or - for CSV on standard output",
        option, path, option, option);
}

/* No output may be the input, nor two of them the same file. */
static int check_collisions(const job *j)
{
    const rni_arguments *a = j->arguments;
    const char *pairs = rni_arguments_text(a, "pairs");
    const char *lists = rni_arguments_text(a, "lists");
    char *start = NULL;
    rni_output outputs[3];
    uint32_t count = 0;
    if (pairs) outputs[count++] = (rni_output){"--pairs", pairs};
    if (lists) outputs[count++] = (rni_output){"--lists", lists};
    if (lists && rni_out_kind_of(lists) == RNI_OUT_NPY) {
        start = rni_lists_start_path(lists);
        if (!start) return rni_give_up(a->command, "%s: no memory for the name", lists);
        outputs[count++] = (rni_output){"--lists", start};
    }
    int code = rni_outputs_check(a->command, a->operand[0], outputs, count);
    free(start);
    return code;
}

/* Everything that can be refused before the file is read. */
static int check_options(job *j)
{
    const rni_arguments *a = j->arguments;
    int code = check_output(j, "pairs");
    if (code == RNI_EXIT_DONE) code = check_output(j, "lists");
    if (code != RNI_EXIT_DONE) return code;
    if (rni_arguments_has(a, "nearest") && rni_arguments_has(a, "pairs"))
        return rni_misuse(
            a->command,
            "--pairs cannot be combined with --nearest: being among the nearest is not mutual; "
            "use --lists");
    if (rni_arguments_has(a, "nearest") && rni_arguments_has(a, "half"))
        return rni_misuse(
            a->command,
            "--half cannot be combined with --nearest: being among the nearest is not mutual");
    if (rni_arguments_has(a, "nearest") && rni_arguments_has(a, "order"))
        return rni_misuse(
            a->command,
            "--order cannot be combined with --nearest: the nearest are ordered by distance");
    return check_collisions(j);
}

static double coordinate(const job *j, uint32_t i, uint32_t axis)
{
    size_t at = (size_t)i * j->cloud.dim + axis;
    if (j->cloud.scalar == RN_SCALAR_FLOAT) return (double)((const float *)j->cloud.position)[at];
    return ((const double *)j->cloud.position)[at];
}

/* Names the point as the file does; the search knows only sets and indices. */
static int refuse_point(const job *j, uint32_t i, uint32_t axis)
{
    double x = coordinate(j, i, axis);
    return rni_give_up(j->arguments->command,
                       "%s: point %u (the first is 0) has %c = %s; positions must be "
                       "finite numbers",
                       j->name, i, "xyz"[axis],
                       isnan(x) ? "nan"
                       : x > 0  ? "inf"
                                : "-inf");
}

/* The bounding box; refuses the first point that is not finite. */
static int measure_box(job *j)
{
    uint32_t bad = UINT32_MAX;
    uint32_t bad_axis = 0;
    for (uint32_t axis = 0; axis < j->def.dim; axis++) {
        double low = HUGE_VAL;
        double high = -HUGE_VAL;
        for (uint32_t i = 0; i < j->cloud.count; i++) {
            double x = coordinate(j, i, axis);
            if (!isfinite(x) && i < bad) {
                bad = i;
                bad_axis = axis;
            }
            if (x < low) low = x;
            if (x > high) high = x;
        }
        j->report.low[axis] = low;
        j->report.high[axis] = high;
    }
    return bad == UINT32_MAX ? RNI_EXIT_DONE : refuse_point(j, bad, bad_axis);
}

/* A PLY file may be either. */
static bool is_mesh_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcasecmp(dot, ".obj") == 0 || strcasecmp(dot, ".stl") == 0);
}

static int read_cloud(job *j)
{
    const rni_arguments *a = j->arguments;
    double begin = rni_seconds();
    if (is_mesh_name(a->operand[0]))
        return rni_give_up(a->command,
                           "%s: is a mesh; this command reads point clouds (PLY, XYZ, CSV, NPY). "
                           "`runnel pairs %s` finds the triangles whose boxes overlap",
                           j->name, a->operand[0]);
    if (rni_point_file_read(a->operand[0], &j->cloud) != RN_OK)
        return rni_give_up(a->command, "%s", rn_last_error());
    j->report.read_ms = milliseconds_since(begin);

    size_t scalar_bytes = j->cloud.scalar == RN_SCALAR_FLOAT ? sizeof(float) : sizeof(double);
    j->def.dim = rni_arguments_has(a, "dim") ? rni_arguments_choice(a, "dim") + 2 : j->cloud.dim;
    if (j->def.dim > j->cloud.dim)
        return rni_misuse(a->command, "--dim 3: %s holds points in 2D", j->name);
    j->points =
        (rn_points){j->cloud.position, j->cloud.dim * scalar_bytes, j->cloud.count, j->cloud.scalar};
    j->report.path = j->name;
    j->report.format = j->cloud.format;
    j->report.dim = j->def.dim;
    j->report.points = j->cloud.count;
    j->report.scalar = j->cloud.scalar;
    j->report.cloud_bytes = (double)j->cloud.count * (double)(j->cloud.dim * scalar_bytes);
    return measure_box(j);
}

/* Without a radius: suggests twice the mean spacing of the points in their bounding box. */
static int suggest_radius(const job *j)
{
    const rni_command *command = j->arguments->command;
    double volume = 1;
    uint32_t extended = 0;
    for (uint32_t axis = 0; axis < j->def.dim; axis++) {
        double extent = j->report.high[axis] - j->report.low[axis];
        if (!(extent > 0) || !isfinite(extent)) continue;
        volume *= extent;
        extended++;
    }
    if (extended == 0 || j->cloud.count < 2)
        return rni_misuse(command, "--radius is missing; give a positive length, e.g. --radius "
                                   "0.1");
    double spacing = pow(volume / j->cloud.count, 1.0 / extended);
    return rni_misuse(command,
                      "--radius is missing; the mean spacing of the %u points of %s is about "
                      "%.2g if they "
                      "fill their bounding box; try --radius %.2g",
                      j->cloud.count, j->name, spacing, 2 * spacing);
}

static int read_def(job *j)
{
    const rni_arguments *a = j->arguments;
    bool is_written = rni_arguments_has(a, "pairs") || rni_arguments_has(a, "lists");
    if (!rni_arguments_has(a, "radius")) return suggest_radius(j);
    j->report.radius = rni_arguments_number(a, "radius");
    j->def.radius = (float)j->report.radius;
    rn_search_method_from_name(rni_arguments_text(a, "method"), &j->def.method);
    j->def.threads = rni_arguments_count(a, "threads");
    j->def.cpu = (rn_cpu_level)rni_arguments_choice(a, "cpu");
    double limit_bytes = rni_arguments_number(a, "memory-limit") * 1e9;
    j->def.memory_limit_bytes = limit_bytes > 0 ? (uint64_t)ceil(limit_bytes) : 0;
    rni_method_options_read(a, &j->def);
    j->def.order = is_written ? RN_ORDER_INDEX : RN_ORDER_METHOD;
    if (rni_arguments_has(a, "order"))
        j->def.order = (rn_list_order)rni_arguments_choice(a, "order");
    j->def.lists = rni_arguments_has(a, "half") ? RN_LISTS_HALF : RN_LISTS_FULL;
    if (rni_arguments_has(a, "nearest")) j->def.lists = RN_LISTS_COUNTS;
    const char *periodic = rni_arguments_text(a, "periodic");
    return periodic ? read_periodic(j, periodic) : RNI_EXIT_DONE;
}

/* There is only one set, the file: its number is of no use to the user. */
static const char *sentence_of_set(const char *sentence)
{
    return strncmp(sentence, "set 0: ", 7) == 0 ? sentence + 7 : sentence;
}

/* The command-line option for what a sentence suggests. */
static const char *option_of(const char *sentence)
{
    return strstr(sentence, "memory_limit_bytes") ? " (--memory-limit)" : "";
}

/* A new search over the points; the time goes into *build_ms and *query_ms. */
/* Neighbours that rounding decides, once for each file. */
static void warn_of_rounding(job *j)
{
    const double resolution = j->report.stats.resolution;
    if (!(resolution > 0.1 * (double)j->def.radius) || j->has_warned) return;
    j->has_warned = true;
    fprintf(
        stderr,
        "%s: %s: warning: the coordinates are stored in steps of up to %.3g, the radius is %.3g: rounding "
        "decides which points are neighbours; store them in double precision, or subtract an offset "
        "before they are stored as floats\n",
        j->arguments->command->path, j->name, resolution, (double)j->def.radius);
}

static int search_once(job *j, double *build_ms, double *query_ms)
{
    const rni_command *command = j->arguments->command;
    rn_search_destroy(j->search);
    if (rn_search_create(&j->def, &j->search) != RN_OK)
        return rni_misuse(command, "%s", rn_last_error());
    double begin = rni_seconds();
    rn_result result = rn_search_update(j->search, j->points);
    bool is_too_large = result == RN_ERROR_LIMIT || result == RN_ERROR_MEMORY;
    if (is_too_large && j->def.lists != RN_LISTS_COUNTS &&
        !rni_arguments_has(j->arguments, "pairs") && !rni_arguments_has(j->arguments, "lists")) {
        /* The lists are not written, so counts are sufficient. */
        fprintf(stderr, "%s: %s%s; counting only\n", command->path, rn_last_error(),
                option_of(rn_last_error()));
        j->def.lists = RN_LISTS_COUNTS;
        return search_once(j, build_ms, query_ms);
    }
    if (result != RN_OK)
        return rni_give_up(command, "%s: %s%s", j->name, sentence_of_set(rn_last_error()),
                           option_of(rn_last_error()));
    double wall = milliseconds_since(begin);
    j->report.stats = rn_search_stats_default();
    rn_search_get_stats(j->search, &j->report.stats);
    warn_of_rounding(j);
    *query_ms = j->report.stats.query_ms < wall ? j->report.stats.query_ms : wall;
    *build_ms = wall - *query_ms;
    return RNI_EXIT_DONE;
}

static const char *method_name(rn_search_method method)
{
    const rn_search_method_info *info;
    for (uint32_t place = 0; (info = rn_search_get_method_info(place)) != NULL; place++)
        if (info->method == method) return info->name;
    return "default";
}

static void count_neighbors(job *j)
{
    static const char *const names[] = {"full", "half", "counts", "none"};
    rn_neighbors n = rn_search_get_neighbors(j->search);
    uint64_t entries = j->report.stats.entry_count;
    j->report.method = method_name(j->report.stats.method);
    j->report.lists = names[j->def.lists];
    j->report.pairs = j->def.lists == RN_LISTS_HALF ? entries : entries / 2;
    rni_neighbors_report_count(&j->report, &n);
}

static int find_nearest(job *j, rn_nearest *nearest)
{
    rni_neighbors_report *r = &j->report;
    r->nearest = rni_arguments_count(j->arguments, "nearest");
    double begin = rni_seconds();
    uint32_t others = j->cloud.count > 1 ? j->cloud.count - 1 : 1;
    uint32_t k = r->nearest < others ? r->nearest : others;
    if (rn_search_find_nearest(j->search, 0, 0, k, nearest) != RN_OK)
        return rni_give_up(j->arguments->command, "%s", rn_last_error());
    r->nearest_ms = milliseconds_since(begin);
    r->nearest_k = nearest->k;
    uint32_t found = 0;
    for (uint32_t i = 0; i < nearest->count; i++) {
        const float *distance_sq = nearest->distance_sq + (size_t)i * nearest->k;
        uint32_t count = nearest->counts[i];
        if (count == 0) continue;
        found++;
        r->nearest_full += count == nearest->k;
        r->nearest_first += sqrt((double)distance_sq[0]);
        r->nearest_last += sqrt((double)distance_sq[count - 1]);
    }
    r->nearest_first /= found ? found : 1;
    r->nearest_last /= found ? found : 1;
    return RNI_EXIT_DONE;
}

static int write_files(job *j, const rn_nearest *nearest)
{
    const rni_command *command = j->arguments->command;
    const char *lists = rni_arguments_text(j->arguments, "lists");
    const char *pairs = rni_arguments_text(j->arguments, "pairs");
    double begin = rni_seconds();
    if (lists) {
        rn_neighbors n = rn_search_get_neighbors(j->search);
        rn_result result =
            j->report.nearest ? rni_nearest_write(lists, nearest) : rni_lists_write(lists, &n);
        if (result != RN_OK) return rni_give_up(command, "%s", rn_last_error());
    }
    if (pairs) {
        if (j->def.lists !=
            RN_LISTS_HALF) { /* the summary uses full lists, the file has each pair once */
            rn_search_stats stats = j->report.stats;
            double build_ms;
            double query_ms;
            j->def.lists = RN_LISTS_HALF;
            int code = search_once(j, &build_ms, &query_ms);
            if (code != RNI_EXIT_DONE) return code;
            j->report.stats = stats;
        }
        rn_neighbors n = rn_search_get_neighbors(j->search);
        if (rni_pairs_write(pairs, &n) != RN_OK) return rni_give_up(command, "%s", rn_last_error());
    }
    if (lists || pairs) j->report.write_ms = milliseconds_since(begin);
    j->report.lists_path = lists;
    j->report.pairs_path = pairs;
    return RNI_EXIT_DONE;
}

static int work(job *j)
{
    rn_nearest nearest = {0};
    int code = check_options(j);
    if (code == RNI_EXIT_DONE) code = read_cloud(j);
    if (code == RNI_EXIT_DONE) code = read_def(j);
    if (code == RNI_EXIT_DONE) code = search_once(j, &j->report.build_ms, &j->report.query_ms);
    if (code != RNI_EXIT_DONE) return code;
    count_neighbors(j);
    if (rni_arguments_has(j->arguments, "nearest")) code = find_nearest(j, &nearest);
    if (code == RNI_EXIT_DONE) code = write_files(j, &nearest);
    if (code != RNI_EXIT_DONE) return code;

    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) j->report.peak_bytes = (double)usage.ru_maxrss * 1024;
    /* Lists or pairs on stdout are the only output there. */
    const char *lists = rni_arguments_text(j->arguments, "lists");
    const char *pairs = rni_arguments_text(j->arguments, "pairs");
    bool is_taken = (lists && strcmp(lists, "-") == 0) || (pairs && strcmp(pairs, "-") == 0);
    FILE *file = is_taken ? stderr : stdout;
    if (rni_arguments_has(j->arguments, "json")) rni_neighbors_report_print_json(file, &j->report);
    else rni_neighbors_report_print(file, &j->report);
    return RNI_EXIT_DONE;
}

static int run(const rni_arguments *arguments)
{
    job j = {.arguments = arguments, .name = arguments->operand[0], .def = rn_search_def_default()};
    if (strcmp(j.name, "-") == 0) j.name = "standard input";
    int code = work(&j);
    rn_search_destroy(j.search);
    rni_point_file_release(&j.cloud);
    return code;
}

const rni_command rni_command_neighbors = {
    .name = "neighbors",
    .path = "runnel neighbors",
    .summary = "finds all neighbours within a radius in a point cloud",
    .usage = "FILE --radius R [options]",
    .about =
        "FILE is PLY (ASCII or binary), XYZ, CSV or NPY; - reads standard input. Two points are\n"
        "neighbours if their distance is at most R. Prints a summary; --lists and --pairs write "
        "the\n"
        "results to files.",
    .examples =
        "runnel neighbors cloud.ply --radius 0.1\n"
        "runnel neighbors cloud.xyz --radius 0.1 --json\n"
        "runnel neighbors cloud.csv --radius 0.1 --pairs pairs.csv --lists lists.npy\n"
        "runnel neighbors box.npy --radius 0.05 --periodic x=0:1,y=0:1,z=0:1\n"
        "runnel neighbors cloud.ply --radius 0.1 --nearest 8 --lists nearest.csv\n"
        "runnel neighbors cloud.ply --radius 0.1 --method cell-sort --h-mask 2 --as-published",
    .operand_min = 1,
    .operand_max = 1,
    .operand_name = "FILE",
    .options = options,
    .run = run,
};
