#include "plot/axis.h"
#include "plot/chart.h"
#include "plot/palette.h"
#include "plot/svg.h"

#include <math.h>
#include <string.h>

#define ROW   44.0
#define WIDTH 880.0

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

rn_result rni_chart_write_bars(const rni_bar_chart *chart, const char *path)
{
    double left = widest_name(chart) + 40;
    double right = WIDTH - 190; /* space for value and note after the longest bar */
    double top = chart->subtitle ? 84 : 62;
    double bottom = top + ROW * chart->bar_count;
    rni_axis axis = fit_axis(chart);
    rni_svg svg;
    rn_result result = rni_svg_begin(&svg, path, WIDTH, bottom + 66, RNI_COLOR_PAPER, chart->title);
    if (result != RN_OK) return result;

    rni_svg_text(&svg, 28, 34, (rni_svg_font){19, RNI_COLOR_INK, RNI_SVG_START, true, false},
                 chart->title);
    if (chart->subtitle)
        rni_svg_text(&svg, 28, 57, (rni_svg_font){13.5, RNI_COLOR_QUIET, RNI_SVG_START, false, false},
                     chart->subtitle);
    char label[24];
    rni_svg_font quiet = {12.5, RNI_COLOR_QUIET, RNI_SVG_MIDDLE, false, false};
    for (uint32_t t = 0; t < axis.tick_count; t++) {
        double x = left + rni_axis_place(&axis, axis.tick[t]) * (right - left);
        rni_svg_line(&svg, x, top, x, bottom, RNI_COLOR_GRID, 1);
        rni_axis_label(axis.tick[t], rni_axis_step(&axis), label);
        rni_svg_text(&svg, x, bottom + 19, quiet, label);
    }
    if (chart->value_label)
        rni_svg_text(&svg, (left + right) / 2, bottom + 44,
                     (rni_svg_font){13.5, RNI_COLOR_INK, RNI_SVG_MIDDLE, false, false},
                     chart->value_label);

    for (uint32_t b = 0; b < chart->bar_count; b++) {
        const rni_bar *bar = &chart->bars[b];
        double y = top + ROW * b;
        double place = rni_axis_place(&axis, bar->value);
        double length = place > 0 ? place * (right - left) : 0;
        const char *color = bar->is_highlighted ? rni_palette_color(0) : "#9fb3c4";
        rni_svg_text(&svg, left - 12, y + ROW / 2 + 5,
                     (rni_svg_font){14, RNI_COLOR_INK, RNI_SVG_END, bar->is_highlighted, false},
                     bar->name);
        rni_svg_rect(&svg, left, y + 8, length, ROW - 16, color);
        char text[160];
        rni_axis_label(bar->value, 0, label);
        snprintf(text, sizeof text, "%s%s%s", isfinite(bar->value) ? label : "-",
                 bar->note ? "  " : "", bar->note ? bar->note : "");
        rni_svg_text(&svg, left + length + 8, y + ROW / 2 + 5,
                     (rni_svg_font){13, RNI_COLOR_INK, RNI_SVG_START, bar->is_highlighted, true},
                     text);
    }
    rni_svg_line(&svg, left, top, left, bottom, RNI_COLOR_QUIET, 1.2);
    return rni_svg_end(&svg);
}
