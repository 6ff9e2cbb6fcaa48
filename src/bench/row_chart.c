#include "bench/row_chart.h"

#include "base/error.h"
#include "plot/chart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct curve {
    char name[96];
    const rni_chart_row *first;
    double *x, *y;
    uint32_t count;
} curve;

static bool is_same_curve(const rni_chart_row *a, const rni_chart_row *b)
{
    return a->threads == b->threads && strcmp(a->method, b->method) == 0 &&
           strcmp(a->layout, b->layout) == 0;
}

static void name_curves(curve *curves, uint32_t count)
{
    bool has_layouts = false, has_threads = false;
    for (uint32_t c = 1; c < count; c++) {
        has_layouts |= strcmp(curves[c].first->layout, curves[0].first->layout) != 0;
        has_threads |= curves[c].first->threads != curves[0].first->threads;
    }
    for (uint32_t c = 0; c < count; c++) {
        const rni_chart_row *row = curves[c].first;
        char threads[24] = "";
        if (has_threads) snprintf(threads, sizeof threads, ", %u thr.", row->threads);
        snprintf(curves[c].name, sizeof curves[c].name, "%s%s%s%s", row->method,
                 has_layouts ? " " : "", has_layouts ? row->layout : "", threads);
    }
}

/* numbers has 2 * row_count^2 values. */
static uint32_t make_curves(const rni_row_chart *chart, curve *curves, double *numbers)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < chart->row_count; r++) {
        const rni_chart_row *row = &chart->rows[r];
        uint32_t c = 0;
        while (c < count && !is_same_curve(curves[c].first, row)) c++;
        if (c == count) {
            double *x = numbers + (size_t)count++ * chart->row_count * 2;
            curves[c] = (curve){.first = row, .x = x, .y = x + chart->row_count};
        }
        curves[c].x[curves[c].count] = row->size;
        curves[c].y[curves[c].count++] = row->ns;
    }
    name_curves(curves, count);
    return count;
}

static bool has_sizes(const rni_row_chart *chart)
{
    for (uint32_t r = 1; r < chart->row_count; r++)
        if (chart->rows[r].size != chart->rows[0].size) return true;
    return false;
}

static rn_result write_lines(const rni_row_chart *chart, const char *path, const curve *curves,
                             uint32_t count, rni_chart_series *series)
{
    for (uint32_t c = 0; c < count; c++)
        series[c] = (rni_chart_series){curves[c].name, curves[c].x, curves[c].y, curves[c].count};
    const rni_chart lines = {.title = chart->title,
                             .subtitle = chart->subtitle,
                             .x_label = chart->x_label,
                             .y_label = chart->unit,
                             .x_log = true,
                             .y_log = true,
                             .series = series,
                             .series_count = count};
    return rni_chart_write_lines(&lines, path);
}

static rn_result write_bars(const rni_row_chart *chart, const char *path, const curve *curves,
                            uint32_t count, rni_bar *bars)
{
    char label[96];
    snprintf(label, sizeof label, "%s (log scale)", chart->unit);
    for (uint32_t c = 0; c < count; c++)
        bars[c] = (rni_bar){curves[c].name, curves[c].y[0], NULL, curves[c].first->is_default};
    const rni_bar_chart all = {.title = chart->title,
                               .subtitle = chart->subtitle,
                               .value_label = label,
                               .is_log = true,
                               .bars = bars,
                               .bar_count = count};
    return rni_chart_write_bars(&all, path);
}

rn_result rni_row_chart_write(const rni_row_chart *chart, const char *path)
{
    const size_t rows = chart->row_count;
    curve *curves = calloc(rows + 1, sizeof *curves);
    double *numbers = calloc(rows * rows * 2 + 1, sizeof *numbers);
    rni_chart_series *series = calloc(rows + 1, sizeof *series);
    rni_bar *bars = calloc(rows + 1, sizeof *bars);
    rn_result result;
    if (curves && numbers && series && bars) {
        uint32_t count = make_curves(chart, curves, numbers);
        result = has_sizes(chart) ? write_lines(chart, path, curves, count, series)
                                  : write_bars(chart, path, curves, count, bars);
    } else {
        result = rni_fail(RN_ERROR_MEMORY, "%s: no memory for the chart", path);
    }
    free(bars);
    free(series);
    free(numbers);
    free(curves);
    return result;
}
