#include "cli/plot_json.h"

#include "base/error.h"
#include "plot/chart.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_PANELS 16u
#define MAX_BARS   64u
#define NAME_BYTES 96u

bool rni_plot_is_json(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    int c;
    do c = fgetc(file);
    while (isspace(c));
    fclose(file);
    return c == '{' || c == '[';
}

bool rni_plot_is_wanted(const rni_plot_order *order, const char *name)
{
    const size_t length = strlen(name);
    const char *asked = order->columns;
    if (!asked) return true;
    while (true) {
        const size_t part = strcspn(asked, ",");
        if (part == length && strncmp(asked, name, length) == 0) return true;
        if (!asked[part]) return false;
        asked += part + 1;
    }
}

/* --- the report of a run ----------------------------------------------------------------------------- */

/* The groups of a report that are drawn, and what their numbers are. */
static const struct {
    const char *path[2];
    const char *title, *unit;
} GROUPS[] = {{{"stage_ms_per_step", NULL}, "Time of a step, by stage", "ms"},
              {{"time_step", NULL}, "Time step", "s"},
              {{"time_step", "steps_by_bound"}, "Steps, by what limits them", "steps"},
              {{"compression", NULL}, "Density over rest density", NULL},
              {{"energy_j", NULL}, "Energy at the end", "J"}};
#define GROUP_COUNT (sizeof GROUPS / sizeof *GROUPS)

typedef struct panels {
    rni_bar_chart chart[MAX_PANELS];
    rni_bar bar[MAX_BARS];
    char name[MAX_BARS][NAME_BYTES], note[MAX_BARS][NAME_BYTES];
    char title[200];
    uint32_t count, bar_count;
} panels;

static void add_bar(panels *p, const char *name, double value, const char *note)
{
    if (p->bar_count == MAX_BARS) return;
    const uint32_t k = p->bar_count++;
    snprintf(p->name[k], NAME_BYTES, "%s", name);
    snprintf(p->note[k], NAME_BYTES, "%s", note);
    p->bar[k] = (rni_bar){
        .name = p->name[k], .value = value, .note = *note ? p->note[k] : NULL, .is_highlighted = true};
}

/* What was added since first becomes a chart. */
static void end_panel(panels *p, uint32_t first, const char *title, const char *unit)
{
    if (p->bar_count == first || p->count == MAX_PANELS) return;
    p->chart[p->count++] = (rni_bar_chart){.title = title,
                                           .value_label = unit,
                                           .bars = p->bar + first,
                                           .bar_count = p->bar_count - first};
}

static void add_group(panels *p, const json_t *report, size_t g)
{
    const json_t *group = json_object_get(report, GROUPS[g].path[0]);
    if (GROUPS[g].path[1]) group = json_object_get(group, GROUPS[g].path[1]);
    const uint32_t first = p->bar_count;
    /* Members in the order of the file; whole numbers beside others count something else. */
    bool has_real = false;
    for (void *at = json_object_iter((json_t *)(uintptr_t)group); at;
         at = json_object_iter_next((json_t *)(uintptr_t)group, at))
        has_real |= json_is_real(json_object_iter_value(at));
    for (void *at = json_object_iter((json_t *)(uintptr_t)group); at;
         at = json_object_iter_next((json_t *)(uintptr_t)group, at)) {
        const json_t *value = json_object_iter_value(at);
        if (json_is_number(value) && json_is_real(value) == has_real)
            add_bar(p, json_object_iter_key(at), json_number_value(value), "");
    }
    end_panel(p, first, GROUPS[g].title, GROUPS[g].unit);
}

/* A chart for each unit: the means, with minimum and maximum behind them. */
static void add_gauges(panels *p, const json_t *gauges, const char *unit)
{
    const uint32_t first = p->bar_count;
    size_t g, v;
    json_t *gauge, *value;
    json_array_foreach(gauges, g, gauge)
    {
        json_array_foreach(json_object_get(gauge, "values"), v, value)
        {
            const char *own = json_string_value(json_object_get(value, "unit"));
            const char *name = json_string_value(json_object_get(gauge, "name"));
            const char *column = json_string_value(json_object_get(value, "name"));
            const json_t *mean = json_object_get(value, "mean");
            char title[NAME_BYTES], note[NAME_BYTES];
            if (!own || strcmp(own, unit) != 0 || !json_is_number(mean)) continue;
            snprintf(title, sizeof title, "%s%s%s", name ? name : "gauge", column ? "." : "",
                     column ? column : "");
            snprintf(note, sizeof note, "(%.3g to %.3g)",
                     json_number_value(json_object_get(value, "min")),
                     json_number_value(json_object_get(value, "max")));
            add_bar(p, title, json_number_value(mean), note);
        }
    }
    end_panel(p, first, "Gauges: mean (minimum to maximum)", unit);
}

static void add_all_gauges(panels *p, const json_t *gauges)
{
    const char *seen[MAX_PANELS];
    uint32_t seen_count = 0;
    size_t g, v;
    json_t *gauge, *value;
    json_array_foreach(gauges, g, gauge)
    {
        json_array_foreach(json_object_get(gauge, "values"), v, value)
        {
            const char *unit = json_string_value(json_object_get(value, "unit"));
            uint32_t k = 0;
            while (unit && k < seen_count && strcmp(seen[k], unit) != 0) k++;
            if (!unit || k < seen_count || seen_count == MAX_PANELS) continue;
            seen[seen_count++] = unit;
            add_gauges(p, gauges, unit);
        }
    }
}

static rn_result draw_report(const rni_plot_order *order, const json_t *report)
{
    static panels p;
    char subtitle[200];
    const char *scene = json_string_value(json_object_get(report, "scene"));
    p = (panels){0};
    for (size_t g = 0; g < GROUP_COUNT; g++) {
        const char *name = GROUPS[g].path[1] ? GROUPS[g].path[1] : GROUPS[g].path[0];
        if (rni_plot_is_wanted(order, name)) add_group(&p, report, g);
    }
    if (rni_plot_is_wanted(order, "gauges")) add_all_gauges(&p, json_object_get(report, "gauges"));
    if (p.count == 0)
        return rni_fail(RN_ERROR_FILE,
                        "%s: has none of the groups asked for; a report has stage_ms_per_step, "
                        "time_step, steps_by_bound, compression, energy_j and gauges",
                        order->input);
    snprintf(p.title, sizeof p.title, "%s: %s", order->title ? order->title : scene,
             p.chart[0].title);
    snprintf(subtitle, sizeof subtitle, "%.0f particles, %.0f steps, %.4g s of simulated time",
             json_number_value(json_object_get(report, "particles")),
             json_number_value(json_object_get(report, "steps")),
             json_number_value(json_object_get(report, "simulated_s")));
    p.chart[0].title = p.title;
    p.chart[0].subtitle = subtitle;
    return rni_chart_draw_bars(p.chart, p.count, order->path, order->painter);
}

/* --- files ------------------------------------------------------------------------------------------- */

/* One value after the other, as the commands print them; an array of rows as well. */
static rn_result read_rows(const char *path, json_t *rows)
{
    FILE *file = fopen(path, "rb");
    if (!file) return rni_fail(RN_ERROR_FILE, "%s: cannot be opened", path);
    rn_result result = RN_OK;
    int c = 0;
    while (result == RN_OK) {
        do c = fgetc(file);
        while (isspace(c));
        if (c == EOF) break;
        ungetc(c, file);
        json_error_t error;
        json_t *value = json_loadf(file, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
        if (!value)
            result = rni_fail(RN_ERROR_FILE, "%s: value %zu, line %d: %s", path,
                              json_array_size(rows) + 1, error.line, error.text);
        else if (json_is_array(value) ? json_array_extend(rows, value)
                                      : json_array_append(rows, value))
            result = rni_fail(RN_ERROR_MEMORY, "%s: no memory", path);
        json_decref(value);
    }
    fclose(file);
    return result;
}

rn_result rni_plot_json(const rni_plot_order *order)
{
    json_t *rows = json_array();
    if (!rows) return rni_fail(RN_ERROR_MEMORY, "%s: no memory", order->input);
    rn_result result = read_rows(order->input, rows);
    const json_t *first = json_array_get(rows, 0);
    const bool is_report = json_array_size(rows) == 1 &&
                           json_is_number(json_object_get(first, "simulated_s")) &&
                           json_is_string(json_object_get(first, "scene"));
    if (result == RN_OK)
        result = is_report ? draw_report(order, first) : rni_plot_rows(order, rows);
    json_decref(rows);
    return result;
}
