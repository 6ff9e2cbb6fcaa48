#include "plot/axis.h"
#include "plot/chart.h"
#include "plot/painter.h"
#include "plot/palette.h"
#include "plot/svg.h"

#include <math.h>
#include <string.h>

#define WIDTH 880.0

/* Where one chart of a column of charts is. */
typedef struct panel {
    double left, right, top, bottom;
    double row; /* height of a bar with the space around it */
} panel;

static double widest_name(const rni_bar_chart *chart)
{
    double widest = 60;
    for (uint32_t b = 0; b < chart->bar_count; b++)
        widest = fmax(widest, 0.6 * 14 * (double)strlen(chart->bars[b].name));
    return fmin(widest, 280);
}

static rni_axis fit_axis(const rni_bar_chart *chart)
{
    double low = HUGE_VAL;
    double high = 0;
    for (uint32_t b = 0; b < chart->bar_count; b++) {
        double value = chart->bars[b].value;
        if (!isfinite(value) || value <= 0) continue;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    /* A log axis starts well below the smallest bar, so that the smallest bar stays visible. */
    if (chart->is_log) return rni_axis_fit(low / 3, high, true, 7);
    return rni_axis_fit(0, high, false, 7);
}

/* From y downwards. */
static panel make_panel(const rni_bar_chart *chart, double y, double row)
{
    const double top = y + (chart->subtitle ? 84 : 62);
    return (panel){.left = widest_name(chart) + 40,
                   .right = WIDTH - 190, /* space for value and note after the longest bar */
                   .top = top,
                   .bottom = top + row * chart->bar_count,
                   .row = row};
}

static double height_of(const rni_bar_chart *chart, double row)
{
    return make_panel(chart, 0, row).bottom + 66;
}

static void draw_axis(rni_svg *svg, const rni_bar_chart *chart, const panel *p, const rni_axis *axis)
{
    char label[24];
    const rni_svg_font quiet = {12.5, RNI_COLOR_QUIET, RNI_SVG_MIDDLE, false, false};
    for (uint32_t t = 0; t < axis->tick_count; t++) {
        const double x = p->left + rni_axis_place(axis, axis->tick[t]) * (p->right - p->left);
        rni_svg_line(svg, x, p->top, x, p->bottom, RNI_COLOR_GRID, 1);
        rni_axis_label(axis->tick[t], rni_axis_step(axis), label);
        rni_svg_text(svg, x, p->bottom + 19, quiet, label);
    }
    if (chart->value_label)
        rni_svg_text(svg, (p->left + p->right) / 2, p->bottom + 44,
                     (rni_svg_font){13.5, RNI_COLOR_INK, RNI_SVG_MIDDLE, false, false},
                     chart->value_label);
}

static void draw_bar(rni_svg *svg, const rni_bar *bar, const panel *p, const rni_axis *axis, double y)
{
    const double place = rni_axis_place(axis, bar->value);
    const double length = place > 0 ? place * (p->right - p->left) : 0;
    const char *color = bar->is_highlighted ? rni_palette_color(0) : "#9fb3c4";
    char label[24], text[160];
    rni_svg_text(svg, p->left - 12, y + p->row / 2 + 5,
                 (rni_svg_font){14, RNI_COLOR_INK, RNI_SVG_END, bar->is_highlighted, false},
                 bar->name);
    rni_svg_rect(svg, p->left, y + 0.18 * p->row, length, 0.64 * p->row, color);
    rni_axis_label(bar->value, 0, label);
    snprintf(text, sizeof text, "%s%s%s", isfinite(bar->value) ? label : "-", bar->note ? "  " : "",
             bar->note ? bar->note : "");
    rni_svg_text(svg, p->left + length + 8, y + p->row / 2 + 5,
                 (rni_svg_font){13, RNI_COLOR_INK, RNI_SVG_START, bar->is_highlighted, true}, text);
}

static void draw_panel(rni_svg *svg, const rni_bar_chart *chart, double y, double row)
{
    const panel p = make_panel(chart, y, row);
    const rni_axis axis = fit_axis(chart);
    rni_svg_text(svg, 28, y + 34, (rni_svg_font){19, RNI_COLOR_INK, RNI_SVG_START, true, false},
                 chart->title);
    if (chart->subtitle)
        rni_svg_text(svg, 28, y + 57,
                     (rni_svg_font){13.5, RNI_COLOR_QUIET, RNI_SVG_START, false, false},
                     chart->subtitle);
    draw_axis(svg, chart, &p, &axis);
    for (uint32_t b = 0; b < chart->bar_count; b++)
        draw_bar(svg, &chart->bars[b], &p, &axis, p.top + row * b);
    rni_svg_line(svg, p.left, p.top, p.left, p.bottom, RNI_COLOR_QUIET, 1.2);
}

rn_result rni_chart_draw_bars(const rni_bar_chart *charts, uint32_t count, const char *path,
                              const rni_painter *painter)
{
    const double row = count > 1 ? 30 : 44;
    double height = 0;
    for (uint32_t c = 0; c < count; c++) height += height_of(&charts[c], row);
    rni_svg svg;
    const rn_result result =
        painter ? rni_svg_begin_painted(&svg, painter, WIDTH, height, RNI_COLOR_PAPER)
                : rni_svg_begin(&svg, path, WIDTH, height, RNI_COLOR_PAPER, charts[0].title);
    if (result != RN_OK) return result;
    double y = 0;
    for (uint32_t c = 0; c < count; c++) {
        draw_panel(&svg, &charts[c], y, row);
        y += height_of(&charts[c], row);
    }
    return rni_svg_end(&svg);
}

rn_result rni_chart_write_bars(const rni_bar_chart *chart, const char *path)
{
    return rni_chart_draw_bars(chart, 1, path, NULL);
}
