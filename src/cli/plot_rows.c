/* Rows of benchmarks and experiments as a chart: lines over the size of the case, or bars when there is only one size. */
#include "cli/plot_json.h"

#include "base/error.h"
#include "plot/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SERIES  48u
#define MAX_NAMES   64u
#define LABEL_BYTES 160u
#define TEXT_BYTES  64u

/* What a case is the size of, and what is measured, in order of preference. */
static const char *const SIZES[] = {"particles", "points",  "boxes",
                                    "triangles", "queries", "clients"};
static const char *const MEASURES[] = {
    "ms",       "ns_per_particle", "ns_per_point", "ns_per_box",   "ns_per_query",
    "build_ms", "query_ms",        "step_ms",      "frames_per_s", "per_s"};

typedef struct curve {
    char label[LABEL_BYTES];
    double *x, *y;
    uint32_t count;
} curve;

typedef struct table {
    const rni_plot_order *order;
    json_t *rows;
    size_t row_count;
    bool is_lab;
    const char *x;
    bool has_keys;      /* numbers before x tell cases apart, as texts do */
    bool is_row_a_case; /* there is no x: a bar for each number of each row */
    const char *y[MAX_NAMES];
    uint32_t y_count;
    curve curve[MAX_SERIES];
    uint32_t curve_count;
} table;

static void text_of(const char *key, const json_t *value, char text[TEXT_BYTES])
{
    if (json_is_string(value)) snprintf(text, TEXT_BYTES, "%s", json_string_value(value));
    else snprintf(text, TEXT_BYTES, "%s %g", key, json_number_value(value));
}

/* Whether a member has more than one value. */
static bool varies(const table *t, const char *key)
{
    const json_t *first = NULL;
    for (size_t r = 0; r < t->row_count; r++) {
        const json_t *value = json_object_get(json_array_get(t->rows, r), key);
        if (!value) continue;
        if (first && !json_equal(first, value)) return true;
        first = value;
    }
    return false;
}

static bool has_numbers(const table *t, const char *key)
{
    for (size_t r = 0; r < t->row_count; r++)
        if (json_is_number(json_object_get(json_array_get(t->rows, r), key))) return true;
    return false;
}

/* --- checks ------------------------------------------------------------------------------------------ */

/* Leaves out rows without a measurement: conclusions of experiments. */
static rn_result check_rows(table *t)
{
    for (size_t r = 0; r < json_array_size(t->rows);) {
        json_t *row = json_array_get(t->rows, r);
        const char *key;
        json_t *value;
        uint32_t numbers = 0;
        bool is_flat = json_is_object(row);
        json_object_foreach(row, key, value)
        {
            numbers += json_is_number(value);
            is_flat &= !json_is_object(value) && !json_is_array(value);
        }
        const bool is_conclusion = json_object_get(row, "verdict") != NULL;
        if (!is_flat || (numbers < 2 && !is_conclusion && rni_plot_is_json(t->order->input)))
            return rni_fail(RN_ERROR_FILE,
                            "%s: value %zu is neither the report.json of a run nor a row that `runnel "
                            "bench --json` or `runnel lab --json` prints",
                            t->order->input, r + 1);
        if (is_conclusion) json_array_remove(t->rows, r);
        else r++;
    }
    t->row_count = json_array_size(t->rows);
    if (t->row_count == 0)
        return rni_fail(RN_ERROR_FILE, "%s: has no rows of numbers", t->order->input);
    /* Rows of a CSV table, and of experiments. */
    t->is_lab = !rni_plot_is_json(t->order->input) ||
                json_object_get(json_array_get(t->rows, 0), "experiment") != NULL;
    return RN_OK;
}

static rn_result refuse_columns(const table *t)
{
    char names[600] = "";
    const char *key;
    json_t *value;
    json_object_foreach(json_array_get(t->rows, 0), key, value)
    {
        const size_t used = strlen(names);
        if (json_is_number(value) && used + 80 < sizeof names)
            snprintf(names + used, sizeof names - used, "%s%.70s", used ? ", " : "", key);
    }
    if (!t->order->columns)
        return rni_fail(RN_ERROR_FILE, "%s: no row has numbers to draw", t->order->input);
    return rni_fail(RN_ERROR_FILE, "%s: no row has numbers named '%s'; there are: %s",
                    t->order->input, t->order->columns, names);
}

/* --- cases ------------------------------------------------------------------------------------------- */

/* Whether a member says to which case a row belongs: text, threads, or a number that comes before x. */
static bool is_key(const table *t, const char *key, const json_t *value, bool is_before_x)
{
    if (json_is_string(value) || strcmp(key, "threads") == 0) return true;
    return t->has_keys && is_before_x && json_is_number(value);
}

static bool is_same_case(const table *t, json_t *a, json_t *b)
{
    const char *key;
    json_t *value;
    bool is_before_x = true;
    json_object_foreach(a, key, value)
    {
        const bool is_x = t->x && strcmp(key, t->x) == 0;
        is_before_x &= !is_x;
        if (is_x || !is_key(t, key, value, is_before_x)) continue;
        const json_t *other = json_object_get(b, key);
        if (!other || !json_equal(value, (json_t *)(uintptr_t)other)) return false;
    }
    return true;
}

/* How many rows have t->x, and how many cases they belong to. False: it does not grow within every case, or there are
 * too many cases for a chart. */
static bool count_cases(const table *t, size_t *rows, uint32_t *cases)
{
    json_t *last[MAX_SERIES];
    *rows = *cases = 0;
    for (size_t r = 0; r < t->row_count; r++) {
        json_t *row = json_array_get(t->rows, r);
        const json_t *x = json_object_get(row, t->x);
        uint32_t c = 0;
        if (!json_is_number(x)) continue;
        while (c < *cases && !is_same_case(t, last[c], row)) c++;
        if (c == MAX_SERIES) return false;
        if (c < *cases && json_number_value(x) <= json_number_value(json_object_get(last[c], t->x)))
            return false;
        last[c] = row;
        if (c == *cases) ++*cases;
        ++*rows;
    }
    return true;
}

/* Of an experiment: the first number, but for the last, that grows within each case. If each row is a case by its
 * texts, there is none. */
static bool choose_growing(table *t)
{
    const char *key, *first = NULL, *last = NULL;
    json_t *value;
    size_t rows;
    uint32_t cases;
    json_object_foreach(json_array_get(t->rows, 0), key, value) if (json_is_number(value))
    {
        if (!first) first = key;
        last = key;
    }
    t->x = first;
    t->is_row_a_case = first && count_cases(t, &rows, &cases) && rows == cases && rows > 1;
    t->has_keys = !t->is_row_a_case;
    json_object_foreach(json_array_get(t->rows, 0), key, value)
    {
        if (!json_is_number(value) || t->is_row_a_case || !last || strcmp(key, last) == 0) continue;
        t->x = key;
        if (count_cases(t, &rows, &cases) && rows > cases) return true;
    }
    t->x = NULL;
    t->has_keys = false;
    return t->is_row_a_case;
}

/* Logarithms of times hide what happens. */
static bool is_time(const char *key)
{
    return key && (strcmp(key, "t") == 0 || strncmp(key, "time", 4) == 0);
}

static void choose_x(table *t)
{
    const char *key;
    json_t *value;
    t->x = NULL;
    if (t->is_lab && choose_growing(t)) return;
    for (size_t k = 0; k < sizeof SIZES / sizeof *SIZES && !t->is_lab && !t->x; k++)
        if (has_numbers(t, SIZES[k])) t->x = SIZES[k];
    json_object_foreach(json_array_get(t->rows, 0), key,
                        value) if (!t->x && json_is_number(value) && varies(t, key)) t->x = key;
    json_object_foreach(json_array_get(t->rows, 0), key, value) if (!t->x && json_is_number(value))
        t->x = key;
}

static rn_result choose_y(table *t)
{
    const char *key;
    json_t *value;
    const char *best = NULL;
    for (size_t k = 0; k < sizeof MEASURES / sizeof *MEASURES && !best; k++)
        if (has_numbers(t, MEASURES[k])) best = MEASURES[k];
    if (!t->is_lab && !t->order->columns && best) {
        t->y[t->y_count++] = best;
        return RN_OK;
    }
    bool is_before_x = t->has_keys;
    json_object_foreach(json_array_get(t->rows, 0), key, value)
    {
        const bool is_x = t->x && strcmp(key, t->x) == 0;
        is_before_x &= !is_x;
        if (t->is_row_a_case && !t->order->columns && !varies(t, key)) continue;
        if (!is_x && !is_before_x && has_numbers(t, key) && t->y_count < MAX_NAMES &&
            rni_plot_is_wanted(t->order, key))
            t->y[t->y_count++] = key;
    }
    return t->y_count > 0 ? RN_OK : refuse_columns(t);
}

/* What distinguishes the case of this row from others. */
static void label_row(const table *t, const json_t *row, const char *column, char label[LABEL_BYTES])
{
    const char *key;
    json_t *value;
    size_t used = 0;
    label[0] = 0;
    bool is_before_x = true;
    json_object_foreach((json_t *)(uintptr_t)row, key, value)
    {
        is_before_x &= !t->x || strcmp(key, t->x) != 0;
        if (!is_key(t, key, value, is_before_x)) continue;
        if (!varies(t, key) || used + TEXT_BYTES + 2 >= LABEL_BYTES) continue;
        char text[TEXT_BYTES];
        text_of(key, value, text);
        snprintf(label + used, LABEL_BYTES - used, "%s%s", used ? ", " : "", text);
        used = strlen(label);
    }
    if (t->y_count > 1 || used == 0)
        snprintf(label + used, LABEL_BYTES - used, "%s%s", used ? ": " : "", column);
}

static curve *find_curve(table *t, const char *label)
{
    for (uint32_t c = 0; c < t->curve_count; c++)
        if (strcmp(t->curve[c].label, label) == 0) return &t->curve[c];
    if (t->curve_count == MAX_SERIES) return NULL;
    curve *c = &t->curve[t->curve_count++];
    snprintf(c->label, sizeof c->label, "%s", label);
    c->x = malloc(t->row_count * sizeof *c->x);
    c->y = malloc(t->row_count * sizeof *c->y);
    return c;
}

static rn_result fill_curves(table *t)
{
    for (size_t r = 0; r < t->row_count; r++)
        for (uint32_t k = 0; k < t->y_count; k++) {
            const json_t *row = json_array_get(t->rows, r);
            const json_t *x = t->x ? json_object_get(row, t->x) : NULL,
                         *y = json_object_get(row, t->y[k]);
            char label[LABEL_BYTES];
            if ((!json_is_number(x) && !t->is_row_a_case) || !json_is_number(y)) continue;
            label_row(t, row, t->y[k], label);
            curve *c = find_curve(t, label);
            if (!c)
                return rni_fail(RN_ERROR_FILE, "%s: more than %u curves; choose some with --columns",
                                t->order->input, MAX_SERIES);
            if (!c->x || !c->y) return rni_fail(RN_ERROR_MEMORY, "%s: no memory", t->order->input);
            c->x[c->count] = x ? json_number_value(x) : 0;
            c->y[c->count++] = json_number_value(y);
        }
    return t->curve_count > 0 ? RN_OK : refuse_columns(t);
}

/* --- charts ------------------------------------------------------------------------------------------- */

/* Whether positive values span more than a factor; *is_one: there is only one value. */
static bool is_wide(const table *t, bool of_x, double factor, bool *is_one)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (uint32_t c = 0; c < t->curve_count; c++)
        for (uint32_t k = 0; k < t->curve[c].count; k++) {
            const double value = of_x ? t->curve[c].x[k] : t->curve[c].y[k];
            low = fmin(low, value);
            high = fmax(high, value);
        }
    *is_one = low >= high;
    return low > 0 && high > factor * low;
}

static rn_result draw_lines(const table *t, const char *title, bool x_log, bool y_log)
{
    rni_chart_series series[MAX_SERIES];
    for (uint32_t c = 0; c < t->curve_count; c++)
        series[c] =
            (rni_chart_series){t->curve[c].label, t->curve[c].x, t->curve[c].y, t->curve[c].count};
    const rni_chart chart = {.title = title,
                             .x_label = t->x,
                             .y_label = t->y_count == 1 ? t->y[0] : NULL,
                             .x_log = x_log,
                             .y_log = y_log,
                             .series = series,
                             .series_count = t->curve_count};
    return rni_chart_draw_lines(&chart, t->order->path, t->order->painter);
}

static rn_result draw_bars(const table *t, const char *title, bool is_log)
{
    rni_bar bars[MAX_SERIES];
    char subtitle[LABEL_BYTES];
    for (uint32_t c = 0; c < t->curve_count; c++)
        bars[c] =
            (rni_bar){.name = t->curve[c].label, .value = t->curve[c].y[0], .is_highlighted = true};
    if (t->x) snprintf(subtitle, sizeof subtitle, "%s %.6g", t->x, t->curve[0].x[0]);
    const rni_bar_chart chart = {.title = title,
                                 .subtitle = t->x ? subtitle : NULL,
                                 .value_label = t->y_count == 1 ? t->y[0] : NULL,
                                 .is_log = is_log,
                                 .bars = bars,
                                 .bar_count = t->curve_count};
    return rni_chart_draw_bars(&chart, 1, t->order->path, t->order->painter);
}

static rn_result draw(const table *t)
{
    bool is_one_x, is_one_y;
    const char *slash = strrchr(t->order->input, '/');
    const char *own = slash ? slash + 1 : t->order->input;
    if (t->is_lab) {
        const char *experiment =
            json_string_value(json_object_get(json_array_get(t->rows, 0), "experiment"));
        if (experiment) own = experiment;
    }
    const char *title = t->order->title ? t->order->title : own;
    const bool x_log = is_wide(t, true, 8, &is_one_x) && !is_time(t->x),
               y_log = is_wide(t, false, 30, &is_one_y);
    return is_one_x ? draw_bars(t, title, y_log) : draw_lines(t, title, x_log, y_log);
}

rn_result rni_plot_rows(const rni_plot_order *order, json_t *rows)
{
    table *t = calloc(1, sizeof *t);
    if (!t) return rni_fail(RN_ERROR_MEMORY, "%s: no memory", order->input);
    t->order = order;
    t->rows = rows;
    rn_result result = check_rows(t);
    if (result == RN_OK) {
        choose_x(t);
        result = choose_y(t);
    }
    if (result == RN_OK) result = fill_curves(t);
    if (result == RN_OK) result = draw(t);
    for (uint32_t c = 0; c < t->curve_count; c++) free(t->curve[c].x), free(t->curve[c].y);
    free(t);
    return result;
}
