/* runnel plot: columns of a CSV file as a line chart; plot_json.c: JSON. */
#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/plot_json.h"

#include "base/error.h"
#include "files/csv.h"
#include "plot/chart.h"
#include "render/chart_png.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_CURVES 64u
/* Longer curves are drawn by the least and the greatest value of each of so many parts. */
#define MAX_PARTS 2000u

static const rni_option options[] = {
    {"out", RNI_OPTION_FILE, "FILE", "output file, .svg or .png; -o is short for --out", NULL,
     "a file, e.g. -o level.svg", 0, 0, NULL},
    {"columns", RNI_OPTION_TEXT, "A,B",
     "titles of the columns to draw, with or without the unit in brackets (default: all "
     "columns of numbers); of JSON: names of members or groups",
     NULL, "titles, e.g. --columns level,floor", 0, 0, NULL},
    {"title", RNI_OPTION_TEXT, "TEXT", "title of the chart (default: the name of the file)", NULL,
     "a text, e.g. --title 'Level in the tank'", 0, 0, NULL},
    {0}};

typedef struct curve {
    uint32_t column;
    double *x, *y;
    uint32_t count, capacity;
} curve;

typedef struct plot {
    rni_csv csv;
    curve curves[MAX_CURVES];
    uint32_t count;
    bool is_chosen;  /* by --columns */
    bool is_checked; /* the first row has decided which columns are numbers */
} plot;

/* --- which columns --- */

/* "level [m]" is asked for by its whole title, or by "level". */
static bool is_title(const char *title, const char *asked, size_t length)
{
    const size_t whole = strlen(title);
    const char *unit = strstr(title, " [");
    const size_t name = unit ? (size_t)(unit - title) : whole;
    return (length == whole || length == name) && strncmp(title, asked, length) == 0;
}

static rn_result refuse_column(const rni_csv *csv, const char *asked, size_t length)
{
    char names[600] = "";
    for (uint32_t k = 1; k < csv->column_count; k++) {
        const size_t used = strlen(names);
        if (used + 80 > sizeof names) {
            snprintf(names + used, sizeof names - used, ", ...");
            break;
        }
        snprintf(names + used, sizeof names - used, "%s%.70s", used ? ", " : "", csv->title[k]);
    }
    return rni_fail(RN_ERROR_FILE, "%s: there is no column '%.*s'; the columns are: %s", csv->path,
                    (int)length, asked, names);
}

static rn_result add_curve(plot *p, uint32_t column)
{
    if (p->count == MAX_CURVES)
        return rni_fail(RN_ERROR_FILE, "%s: more than %u columns; choose some with --columns",
                        p->csv.path, MAX_CURVES);
    p->curves[p->count++] = (curve){.column = column};
    return RN_OK;
}

static rn_result choose_columns(plot *p, const char *asked)
{
    rn_result result = RN_OK;
    p->is_chosen = asked != NULL;
    if (p->csv.column_count < 2)
        return rni_fail(RN_ERROR_FILE,
                        "%s: has only one column; the first is x, the others are drawn over it",
                        p->csv.path);
    for (uint32_t k = 1; !asked && k < p->csv.column_count && result == RN_OK; k++)
        result = add_curve(p, k);
    while (asked && result == RN_OK) {
        const size_t length = strcspn(asked, ",");
        uint32_t k = 1;
        while (k < p->csv.column_count && !is_title(p->csv.title[k], asked, length)) k++;
        result = k < p->csv.column_count ? add_curve(p, k) : refuse_column(&p->csv, asked, length);
        asked = asked[length] ? asked + length + 1 : NULL;
    }
    return result;
}

/* --- rows --- */

/* Columns of texts are left out, unless they were asked for or nothing else is there. */
static void drop_texts(plot *p)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        char *end = NULL;
        const char *text = p->csv.cell[p->curves[k].column];
        (void)strtod(text, &end);
        if (!*text || (end != text && !*end)) p->curves[kept++] = p->curves[k];
    }
    if (kept > 0) p->count = kept;
}

static rn_result add_point(curve *c, double x, double y)
{
    if (c->count == c->capacity) {
        const uint32_t capacity = c->capacity ? 2 * c->capacity : 256;
        double *larger_x = realloc(c->x, capacity * sizeof *c->x);
        if (larger_x) c->x = larger_x;
        double *larger_y = realloc(c->y, capacity * sizeof *c->y);
        if (larger_y) c->y = larger_y;
        if (!larger_x || !larger_y || capacity < c->capacity)
            return rni_fail(RN_ERROR_MEMORY, "no memory for %u points", capacity);
        c->capacity = capacity;
    }
    c->x[c->count] = x, c->y[c->count++] = y;
    return RN_OK;
}

static rn_result take_row(plot *p)
{
    double x;
    rn_result result = rni_csv_number(&p->csv, 0, &x);
    if (!p->is_checked && !p->is_chosen) drop_texts(p);
    p->is_checked = true;
    for (uint32_t k = 0; k < p->count && result == RN_OK; k++) {
        double y;
        result = rni_csv_number(&p->csv, p->curves[k].column, &y);
        if (result == RN_OK && isfinite(x) && isfinite(y)) result = add_point(&p->curves[k], x, y);
    }
    return result;
}

static rn_result take_rows(plot *p)
{
    rn_result result = RN_OK;
    uint32_t points = 0;
    while (rni_csv_next(&p->csv, &result) && result == RN_OK) {
        result = take_row(p);
        if (result != RN_OK) break;
    }
    for (uint32_t k = 0; k < p->count; k++) points += p->curves[k].count > 0;
    if (result == RN_OK && !p->is_checked)
        result = rni_fail(RN_ERROR_FILE, "%s: has no rows below its titles", p->csv.path);
    if (result == RN_OK && points == 0)
        result = rni_fail(RN_ERROR_FILE, "%s: the columns have no numbers", p->csv.path);
    return result;
}

/* --- the chart --- */

/* The least and the greatest of each part of a long curve, in their order. */
static void shorten(curve *c)
{
    if (c->count <= 2 * MAX_PARTS) return;
    uint32_t kept = 0;
    for (uint32_t part = 0; part < MAX_PARTS; part++) {
        const uint32_t begin = (uint32_t)((uint64_t)c->count * part / MAX_PARTS);
        const uint32_t end = (uint32_t)((uint64_t)c->count * (part + 1) / MAX_PARTS);
        uint32_t least = begin, most = begin;
        for (uint32_t k = begin; k < end; k++) {
            if (c->y[k] < c->y[least]) least = k;
            if (c->y[k] > c->y[most]) most = k;
        }
        const uint32_t first = least < most ? least : most, second = least < most ? most : least;
        c->x[kept] = c->x[first], c->y[kept++] = c->y[first];
        c->x[kept] = c->x[second], c->y[kept++] = c->y[second];
    }
    c->count = kept;
}

/* The unit that all curves share, or the only title; NULL: they differ. */
static const char *label_of(const plot *p)
{
    const char *first = strstr(p->csv.title[p->curves[0].column], " [");
    if (p->count == 1) return p->csv.title[p->curves[0].column];
    for (uint32_t k = 1; k < p->count && first; k++) {
        const char *unit = strstr(p->csv.title[p->curves[k].column], " [");
        if (!unit || strcmp(unit, first) != 0) first = NULL;
    }
    return first ? first + 1 : NULL;
}

/* Whether the name ends so; names of folders do not count. */
static bool has_ending(const char *path, const char *ending)
{
    const char *point = strrchr(path, '.');
    return point && !strchr(point, '/') && strcasecmp(point, ending) == 0;
}

static bool is_png(const char *path)
{
    return has_ending(path, ".png");
}

static rn_result draw(plot *p, const rni_plot_order *order)
{
    const char *slash = strrchr(order->input, '/');
    rni_chart_series series[MAX_CURVES] = {{0}};
    for (uint32_t k = 0; k < p->count; k++) {
        shorten(&p->curves[k]);
        series[k] = (rni_chart_series){p->csv.title[p->curves[k].column], p->curves[k].x,
                                       p->curves[k].y, p->curves[k].count};
    }
    const rni_chart chart = {.title = order->title ? order->title
                                      : slash      ? slash + 1
                                                   : order->input,
                             .x_label = p->csv.title[0],
                             .y_label = label_of(p),
                             .hide_marks = series[0].count > 60,
                             .series = series,
                             .series_count = p->count};
    return rni_chart_draw_lines(&chart, order->path, order->painter);
}

static rn_result plot_csv(const rni_plot_order *order)
{
    plot *p = calloc(1, sizeof *p);
    if (!p) return rni_fail(RN_ERROR_MEMORY, "no memory");
    rn_result result = rni_csv_open(order->input, &p->csv);
    if (result == RN_OK) {
        result = choose_columns(p, order->columns);
        if (result == RN_OK) result = take_rows(p);
        if (result == RN_OK) result = draw(p, order);
        rni_csv_close(&p->csv);
    }
    for (uint32_t k = 0; k < MAX_CURVES; k++) free(p->curves[k].x), free(p->curves[k].y);
    free(p);
    return result;
}

static int check_out(const rni_arguments *arguments, const char *input, const char *path)
{
    if (!path)
        return rni_misuse(arguments->command, "-o is missing: the chart to write, e.g. -o level.svg");
    if (!is_png(path) && !has_ending(path, ".svg")) {
        const char *point = strrchr(path, '.');
        const int stem = point && !strchr(point, '/') ? (int)(point - path) : (int)strlen(path);
        return rni_misuse(arguments->command,
                          "-o %s: charts are SVG or PNG files; name it %.*s.svg or %.*s.png", path,
                          stem, path, stem, path);
    }
    const rni_output output = {"-o", path};
    return rni_outputs_check(arguments->command, input, &output, 1);
}

static int run(const rni_arguments *arguments)
{
    rni_plot_order order = {.input = arguments->operand[0],
                            .path = rni_arguments_text(arguments, "out"),
                            .columns = rni_arguments_text(arguments, "columns"),
                            .title = rni_arguments_text(arguments, "title")};
    int code = check_out(arguments, order.input, order.path);
    if (code != RNI_EXIT_DONE) return code;
    rni_chart_png png = {.path = order.path};
    const rni_painter painter = rni_chart_png_painter(&png);
    if (is_png(order.path)) order.painter = &painter;
    const rn_result result = rni_plot_is_json(order.input)    ? rni_plot_json(&order)
                             : rni_plot_is_table(order.input) ? rni_plot_table(&order)
                                                              : plot_csv(&order);
    rni_chart_png_release(&png);
    if (result != RN_OK) return rni_give_up(arguments->command, "%s", rn_last_error());
    return RNI_EXIT_DONE;
}

const rni_command rni_command_plot = {
    .name = "plot",
    .path = "runnel plot",
    .summary = "draws gauges.csv, reports and rows of bench and lab as a chart: SVG or PNG",
    .usage = "FILE -o CHART.svg|CHART.png [options]",
    .about =
        "CSV: the first line contains the titles of the columns. The first column is the horizontal\n"
        "axis, and each other column becomes a curve; columns of text are left out. An empty cell is\n"
        "no error: the curve continues at the next value, as gauges with different rates need it.\n"
        "Rows of several cases, as `runnel lab` writes them: a curve for each, by the columns of text\n"
        "and by those before the first that grows within each case.\n"
        "\n"
        "JSON: the report.json of a run becomes bars of its groups (stages of a step, time step,\n"
        "density, energy, gauges). What `bench --json` and `lab --json` print becomes curves over the\n"
        "size of the case, one for each method, or bars when there is only one size.",
    .examples = "runnel plot out/gauges.csv -o gauges.svg\n"
                "runnel plot out/gauges.csv -o level.png --columns level --title 'Level in the tank'\n"
                "runnel plot out/report.json -o report.png",
    .operand_min = 1,
    .operand_max = 1,
    .operand_name = "FILE",
    .options = options,
    .run = run,
};
