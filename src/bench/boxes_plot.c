/* A chart of the rows of `bench pairs` or `bench queries`. */
#include "base/error.h"
#include "bench/boxes.h"
#include "plot/chart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One curve: a method with a number of threads on a layout. */
typedef struct curve {
    char name[96];
    const rni_box_row *first;
    double *x, *y;
    uint32_t count;
} curve;

static bool is_same_curve(const rni_box_row *a, const rni_box_row *b)
{
    return a->threads == b->threads && strcmp(a->method, b->method) == 0 &&
           strcmp(a->layout, b->layout) == 0;
}

/* Names say only what differs between the curves. */
static void name_curves(curve *curves, uint32_t count)
{
    bool has_layouts = false, has_threads = false;
    for (uint32_t c = 1; c < count; c++) {
        has_layouts |= strcmp(curves[c].first->layout, curves[0].first->layout) != 0;
        has_threads |= curves[c].first->threads != curves[0].first->threads;
    }
    for (uint32_t c = 0; c < count; c++) {
        const rni_box_row *row = curves[c].first;
        char threads[24] = "";
        if (has_threads) snprintf(threads, sizeof threads, ", %u thr.", row->threads);
        snprintf(curves[c].name, sizeof curves[c].name, "%s%s%s%s", row->method,
                 has_layouts ? " " : "", has_layouts ? row->layout : "", threads);
    }
}

static uint32_t make_curves(const rni_box_row *rows, uint32_t row_count, curve *curves,
                            double *numbers, bool *has_sizes)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < row_count; r++) {
        if (rows[r].skipped) continue;
        uint32_t c = 0, each = rows[r].queries ? rows[r].queries : rows[r].boxes;
        while (c < count && !is_same_curve(curves[c].first, &rows[r])) c++;
        if (c == count) {
            double *room = numbers + (size_t)count++ * row_count * 2;
            curves[c] = (curve){.first = &rows[r], .x = room, .y = room + row_count};
        }
        curves[c].x[curves[c].count] = rows[r].boxes;
        curves[c].y[curves[c].count++] = rows[r].ms * 1e6 / (each ? each : 1);
        *has_sizes |= rows[r].boxes != curves[0].first->boxes;
    }
    name_curves(curves, count);
    return count;
}

static rn_result draw(const char *path, const curve *curves, uint32_t count, bool has_sizes,
                      rni_chart_series *series, rni_bar *bars)
{
    bool is_queries = count > 0 && curves[0].first->queries > 0;
    const char *title =
        is_queries ? "Queries against boxes: time per query" : "Overlapping boxes: time per box";
    const char *unit = is_queries ? "nanoseconds per query" : "nanoseconds per box";
    const char *subtitle = is_queries ? "all queries of a batch; lower is better"
                                      : "one complete step, all pairs in a list; lower is better";
    for (uint32_t c = 0; c < count; c++) {
        series[c] = (rni_chart_series){curves[c].name, curves[c].x, curves[c].y, curves[c].count};
        bars[c] = (rni_bar){curves[c].name, curves[c].y[0], NULL, curves[c].first->is_default};
    }
    rni_chart lines = {.title = title,
                       .subtitle = subtitle,
                       .x_label = "boxes",
                       .y_label = unit,
                       .x_log = true,
                       .y_log = true,
                       .series = series,
                       .series_count = count};
    rni_bar_chart chart = {.title = title,
                           .subtitle = subtitle,
                           .value_label = unit,
                           .is_log = true,
                           .bars = bars,
                           .bar_count = count};
    return has_sizes ? rni_chart_write_lines(&lines, path) : rni_chart_write_bars(&chart, path);
}

rn_result rni_box_plot(const char *path, const rni_box_row *rows, uint32_t row_count)
{
    curve *curves = calloc(row_count + 1, sizeof *curves);
    double *numbers = calloc((size_t)row_count * row_count * 2 + 1, sizeof *numbers);
    rni_chart_series *series = calloc(row_count + 1, sizeof *series);
    rni_bar *bars = calloc(row_count + 1, sizeof *bars);
    rn_result result;
    if (curves && numbers && series && bars) {
        bool has_sizes = false;
        uint32_t count = make_curves(rows, row_count, curves, numbers, &has_sizes);
        result = draw(path, curves, count, has_sizes, series, bars);
    } else {
        result = rni_fail(RN_ERROR_MEMORY, "%s: no memory for the plot", path);
    }
    free(bars);
    free(series);
    free(numbers);
    free(curves);
    return result;
}
