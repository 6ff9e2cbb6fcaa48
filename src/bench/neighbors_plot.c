#include "bench/neighbors.h"
#include "plot/chart.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One curve: a method with a number of threads on a layout. */
typedef struct curve {
    char name[96];
    const rni_bench_row *first;
    double *x, *y;
    uint32_t count;
} curve;

static bool is_same_curve(const rni_bench_row *a, const rni_bench_row *b)
{
    return a->threads == b->threads && strcmp(a->method, b->method) == 0 &&
           strcmp(a->layout, b->layout) == 0;
}

/* Names say only what differs between the curves. */
static void name_curves(curve *curves, uint32_t count)
{
    bool has_layouts = false;
    bool has_threads = false;
    for (uint32_t c = 1; c < count; c++) {
        has_layouts |= strcmp(curves[c].first->layout, curves[0].first->layout) != 0;
        has_threads |= curves[c].first->threads != curves[0].first->threads;
    }
    for (uint32_t c = 0; c < count; c++) {
        const rni_bench_row *row = curves[c].first;
        char threads[24] = "";
        if (has_threads) snprintf(threads, sizeof threads, ", %u thr.", row->threads);
        snprintf(curves[c].name, sizeof curves[c].name, "%s%s%s%s", row->method,
                 has_layouts ? " " : "", has_layouts ? row->layout : "", threads);
    }
}

static rn_result plot_lines(const char *path, const char *subtitle, const curve *curves,
                            uint32_t count, rni_chart_series *series)
{
    for (uint32_t c = 0; c < count; c++)
        series[c] = (rni_chart_series){curves[c].name, curves[c].x, curves[c].y, curves[c].count};
    rni_chart chart = {.title = "Neighbour search: time per point",
                       .subtitle = subtitle,
                       .x_label = "points",
                       .y_label = "nanoseconds per point",
                       .x_log = true,
                       .y_log = true,
                       .series = series,
                       .series_count = count};
    return rni_chart_write_lines(&chart, path);
}

static rn_result plot_bars(const char *path, const char *subtitle, const curve *curves,
                           uint32_t count, rni_bar *bars)
{
    for (uint32_t c = 0; c < count; c++)
        bars[c] = (rni_bar){curves[c].name, curves[c].y[0], NULL, curves[c].first->is_default};
    rni_bar_chart chart = {.title = "Neighbour search: time per point",
                           .subtitle = subtitle,
                           .value_label = "nanoseconds per point (log scale)",
                           .is_log = true,
                           .bars = bars,
                           .bar_count = count};
    return rni_chart_write_bars(&chart, path);
}

rn_result rni_bench_plot(const char *path, const rni_bench_row *rows, uint32_t row_count)
{
    curve *curves = calloc(row_count + 1, sizeof *curves);
    double *numbers = calloc((size_t)row_count * row_count * 2 + 1, sizeof *numbers);
    rni_chart_series *series = calloc(row_count + 1, sizeof *series);
    rni_bar *bars = calloc(row_count + 1, sizeof *bars);
    rn_result result = RN_OK;
    if (!curves || !numbers || !series || !bars) {
        result = rni_fail(RN_ERROR_MEMORY, "%s: no memory for the plot", path);
        goto done;
    }
    uint32_t curve_count = 0;
    bool has_sizes = false;
    bool has_layouts = false;
    char subtitle[160] = "no results";
    for (uint32_t r = 0; r < row_count; r++) {
        if (rows[r].skipped) continue;
        uint32_t c = 0;
        while (c < curve_count && !is_same_curve(curves[c].first, &rows[r])) c++;
        if (c == curve_count) {
            double *room = numbers + (size_t)curve_count++ * row_count * 2;
            curves[c] = (curve){.first = &rows[r], .x = room, .y = room + row_count};
        }
        curves[c].x[curves[c].count] = rows[r].points;
        curves[c].y[curves[c].count++] = rows[r].ns_per_point;
        has_sizes |= rows[r].points != curves[0].first->points;
        has_layouts |= strcmp(rows[r].layout, curves[0].first->layout) != 0;
    }
    name_curves(curves, curve_count);
    if (curve_count)
        snprintf(subtitle, sizeof subtitle, "one complete update, radius %g%s%s; lower is better",
                 curves[0].first->radius, has_layouts ? "" : ", layout ",
                 has_layouts ? "" : curves[0].first->layout);
    result = has_sizes ? plot_lines(path, subtitle, curves, curve_count, series)
                       : plot_bars(path, subtitle, curves, curve_count, bars);
done:
    free(bars);
    free(series);
    free(numbers);
    free(curves);
    return result;
}
