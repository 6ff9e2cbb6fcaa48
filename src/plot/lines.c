#include "plot/axis.h"
#include "plot/chart.h"
#include "plot/painter.h"
#include "plot/palette.h"
#include "plot/svg.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEGEND_ROW 20.0

/* Layout in pixels. */
typedef struct frame {
    double left, right, top, bottom;
    rni_axis x, y;
} frame;

typedef struct range {
    double low, high;
} range;

static void widen(range *r, double value, bool is_log)
{
    if (!isfinite(value) || (is_log && value <= 0)) return;
    if (value < r->low) r->low = value;
    if (value > r->high) r->high = value;
}

static double place_x(const frame *f, double value)
{
    return f->left + rni_axis_place(&f->x, value) * (f->right - f->left);
}

static double place_y(const frame *f, double value)
{
    return f->bottom - rni_axis_place(&f->y, value) * (f->bottom - f->top);
}

/* Letters of the interface font are about 0.58 of its size wide; this estimate suffices to reserve
 * space for the legend. */
static double text_width(const char *text, double size)
{
    return 0.58 * size * (double)strlen(text);
}

static frame make_frame(const rni_chart *chart, double width, double height)
{
    range x = {HUGE_VAL, -HUGE_VAL};
    range y = {HUGE_VAL, -HUGE_VAL};
    double legend = 0;
    for (uint32_t s = 0; s < chart->series_count; s++) {
        const rni_chart_series *series = &chart->series[s];
        legend = fmax(legend, text_width(series->name, 13));
        for (uint32_t k = 0; k < series->count; k++) {
            widen(&x, series->x[k], chart->x_log);
            widen(&y, series->y[k], chart->y_log);
        }
    }
    if (chart->y_from_zero && !chart->y_log) y.low = fmin(y.low, 0);
    bool has_legend = chart->series_count > 1;
    frame f = {.left = 78, .right = width - (has_legend ? 50 + fmin(legend, 260) : 28)};
    f.top = chart->title ? (chart->subtitle ? 74 : 54) : 24;
    f.bottom = height - (chart->x_label ? 58 : 36);
    f.x = rni_axis_fit(x.low, x.high, chart->x_log, 7);
    f.y = rni_axis_fit(y.low, y.high, chart->y_log, 7);
    return f;
}

static void draw_axes(rni_svg *svg, const frame *f, const rni_chart *chart)
{
    char label[24];
    rni_svg_font font = {12.5, RNI_COLOR_QUIET, RNI_SVG_END, false, false};
    for (uint32_t t = 0; t < f->y.tick_count; t++) {
        double y = place_y(f, f->y.tick[t]);
        rni_svg_line(svg, f->left, y, f->right, y, RNI_COLOR_GRID, 1);
        rni_axis_label(f->y.tick[t], rni_axis_step(&f->y), label);
        rni_svg_text(svg, f->left - 8, y + 4.5, font, label);
    }
    font.anchor = RNI_SVG_MIDDLE;
    for (uint32_t t = 0; t < f->x.tick_count; t++) {
        double x = place_x(f, f->x.tick[t]);
        rni_svg_line(svg, x, f->top, x, f->bottom, RNI_COLOR_GRID, 1);
        rni_axis_label(f->x.tick[t], rni_axis_step(&f->x), label);
        rni_svg_text(svg, x, f->bottom + 20, font, label);
    }
    rni_svg_line(svg, f->left, f->bottom, f->right, f->bottom, RNI_COLOR_QUIET, 1.2);
    font.color = RNI_COLOR_INK;
    font.size = 13.5;
    if (chart->x_label)
        rni_svg_text(svg, (f->left + f->right) / 2, f->bottom + 44, font, chart->x_label);
    if (chart->y_label) rni_svg_text_up(svg, 22, (f->top + f->bottom) / 2, font, chart->y_label);
}

static void draw_line(rni_svg *svg, const frame *f, const rni_chart_series *series, uint32_t s)
{
    rni_svg_curve_begin(svg, rni_palette_color(s), 2.2, rni_palette_dash(s));
    bool is_pen_down = false;
    for (uint32_t k = 0; k < series->count; k++) {
        double x = place_x(f, series->x[k]);
        double y = place_y(f, series->y[k]);
        if (isnan(x) || isnan(y)) {
            is_pen_down = false;
            continue;
        }
        rni_svg_curve_to(svg, x, y, is_pen_down);
        is_pen_down = true;
    }
    rni_svg_curve_end(svg);
}

static bool has_dots(const rni_chart *chart, uint32_t s)
{
    return chart->has_dots && chart->has_dots[s];
}

static void draw_series(rni_svg *svg, const frame *f, const rni_chart *chart, uint32_t s)
{
    const rni_chart_series *series = &chart->series[s];
    const char *color = rni_palette_color(s);
    if (!has_dots(chart, s)) draw_line(svg, f, series, s);
    if (chart->hide_marks && !has_dots(chart, s)) return;
    for (uint32_t k = 0; k < series->count; k++) {
        double x = place_x(f, series->x[k]);
        double y = place_y(f, series->y[k]);
        if (isnan(x) || isnan(y)) continue;
        rni_svg_circle(svg, x, y, 3.6, color, RNI_COLOR_PAPER);
    }
}

typedef struct legend_row {
    uint32_t series;
    double y; /* y of the rightmost point of the series, then of its legend row */
} legend_row;

static int compare_rows(const void *a, const void *b)
{
    const legend_row *first = a;
    const legend_row *second = b;
    if (first->y != second->y) return first->y < second->y ? -1 : 1;
    return first->series < second->series ? -1 : 1;
}

/* Places legend rows in the order of the right ends of the curves, each as near to its curve as the
 * rows above allow. */
static void draw_legend(rni_svg *svg, const frame *f, const rni_chart *chart, legend_row *rows)
{
    for (uint32_t s = 0; s < chart->series_count; s++) {
        const rni_chart_series *series = &chart->series[s];
        rows[s] = (legend_row){s, f->bottom};
        double rightmost = -HUGE_VAL;
        for (uint32_t k = 0; k < series->count; k++) {
            double x = place_x(f, series->x[k]);
            double y = place_y(f, series->y[k]);
            if (isnan(x) || isnan(y) || x < rightmost) continue;
            rightmost = x;
            rows[s].y = y;
        }
    }
    qsort(rows, chart->series_count, sizeof *rows, compare_rows);
    double height = (f->bottom - f->top) / chart->series_count;
    double pitch = height < LEGEND_ROW ? height : LEGEND_ROW;
    for (uint32_t r = 1; r < chart->series_count; r++)
        rows[r].y = fmax(rows[r].y, rows[r - 1].y + pitch);
    double highest = f->bottom;
    for (uint32_t r = chart->series_count; r-- > 0; highest -= pitch)
        rows[r].y = fmin(rows[r].y, highest);

    rni_svg_font font = {fmin(13, pitch * 0.9), RNI_COLOR_INK, RNI_SVG_START, false, false};
    for (uint32_t r = 0; r < chart->series_count; r++) {
        uint32_t s = rows[r].series;
        if (has_dots(chart, s)) {
            rni_svg_circle(svg, f->right + 19, rows[r].y, 3.6, rni_palette_color(s), NULL);
        } else {
            rni_svg_curve_begin(svg, rni_palette_color(s), 2.6, rni_palette_dash(s));
            rni_svg_curve_to(svg, f->right + 10, rows[r].y, false);
            rni_svg_curve_to(svg, f->right + 28, rows[r].y, true);
            rni_svg_curve_end(svg);
        }
        rni_svg_text(svg, f->right + 33, rows[r].y + font.size * 0.35, font, chart->series[s].name);
    }
}

rn_result rni_chart_write_lines(const rni_chart *chart, const char *path)
{
    return rni_chart_draw_lines(chart, path, NULL);
}

rn_result rni_chart_draw_lines(const rni_chart *chart, const char *path, const rni_painter *painter)
{
    double width = chart->width > 0 ? chart->width : 880;
    double height = chart->height > 0 ? chart->height : fmax(500, 132 + 17.0 * chart->series_count);
    legend_row *rows = malloc((chart->series_count + 1) * sizeof *rows);
    if (!rows)
        return rni_fail(RN_ERROR_MEMORY, "%s: no memory for %u series", path, chart->series_count);
    rni_svg svg;
    const char *title = chart->title ? chart->title : "chart";
    rn_result result = painter ? rni_svg_begin_painted(&svg, painter, width, height, RNI_COLOR_PAPER)
                               : rni_svg_begin(&svg, path, width, height, RNI_COLOR_PAPER, title);
    if (result != RN_OK) goto done;

    frame f = make_frame(chart, width, height);
    if (chart->title)
        rni_svg_text(&svg, f.left, 34,
                     (rni_svg_font){19, RNI_COLOR_INK, RNI_SVG_START, true, false}, chart->title);
    if (chart->subtitle)
        rni_svg_text(&svg, f.left, 56,
                     (rni_svg_font){13.5, RNI_COLOR_QUIET, RNI_SVG_START, false, false},
                     chart->subtitle);
    draw_axes(&svg, &f, chart);
    for (uint32_t s = 0; s < chart->series_count; s++) draw_series(&svg, &f, chart, s);
    if (chart->series_count > 1) draw_legend(&svg, &f, chart, rows);
    result = rni_svg_end(&svg);
done:
    free(rows);
    return result;
}
