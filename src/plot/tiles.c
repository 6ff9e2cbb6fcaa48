#include "plot/chart.h"
#include "plot/palette.h"
#include "plot/svg.h"

#include <math.h>
#include <string.h>

#define TILE_HEIGHT 46.0
#define TABLE_GAP   26.0
#define LEFT        104.0
#define GAP         2.0 /* between tiles */

/* Wide enough for every text; bold letters are about 0.64 of their size wide. */
static double tile_width(const rni_tile_chart *chart)
{
    double width = 96;
    size_t count = (size_t)chart->table_count * chart->row_count * chart->column_count;
    for (size_t k = 0; k < count; k++) {
        const rni_tile *tile = &chart->tiles[k];
        if (tile->text) width = fmax(width, 0.64 * 12.5 * (double)strlen(tile->text) + 12);
        if (tile->note) width = fmax(width, 0.58 * 11.5 * (double)strlen(tile->note) + 12);
    }
    return width;
}

static void draw_tile(rni_svg *svg, double x, double y, double width, const rni_tile *tile)
{
    const double middle = x + (width - GAP) / 2;
    rni_svg_font font = {12.5, RNI_COLOR_INK, RNI_SVG_MIDDLE, true, false};
    if (!tile->text) {
        rni_svg_rect(svg, x, y, width - GAP, TILE_HEIGHT - GAP, RNI_COLOR_GRID);
        return;
    }
    /* A light tint, so that dark text is readable on every colour. */
    rni_svg_raw(svg,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"3\" fill=\"%s\" "
                "fill-opacity=\"0.3\"/>\n",
                x, y, width - GAP, TILE_HEIGHT - GAP, rni_palette_color(tile->color));
    rni_svg_text(svg, middle, y + (tile->note ? 20 : 27), font, tile->text);
    if (!tile->note) return;
    font = (rni_svg_font){11.5, RNI_COLOR_INK, RNI_SVG_MIDDLE, false, false};
    rni_svg_text(svg, middle, y + 36, font, tile->note);
}

static void draw_table(rni_svg *svg, const rni_tile_chart *chart, uint32_t table, double width,
                       double left, double top)
{
    rni_svg_font bold = {14, RNI_COLOR_INK, RNI_SVG_START, true, false};
    rni_svg_font quiet = {12.5, RNI_COLOR_QUIET, RNI_SVG_MIDDLE, false, false};
    const rni_tile *tile = chart->tiles + (size_t)table * chart->row_count * chart->column_count;
    rni_svg_text(svg, left, top - 10, bold, chart->tables[table]);
    for (uint32_t r = 0; r < chart->row_count; r++)
        for (uint32_t c = 0; c < chart->column_count; c++)
            draw_tile(svg, left + c * width, top + r * TILE_HEIGHT, width, tile++);
    for (uint32_t c = 0; c < chart->column_count; c++)
        rni_svg_text(svg, left + (c + 0.5) * width, top + chart->row_count * TILE_HEIGHT + 18,
                     quiet, chart->columns[c]);
}

rn_result rni_chart_write_tiles(const rni_tile_chart *chart, const char *path)
{
    double width = tile_width(chart);
    double table_width = chart->column_count * width;
    double top = chart->subtitle ? 106 : 84;
    double bottom = top + chart->row_count * TILE_HEIGHT;
    double right = LEFT + chart->table_count * (table_width + TABLE_GAP) - TABLE_GAP;
    rni_svg svg;
    double picture_width = fmax(right + 28, 560);
    rn_result result =
        rni_svg_begin(&svg, path, picture_width, bottom + 64, RNI_COLOR_PAPER, chart->title);
    if (result != RN_OK) return result;

    rni_svg_text(&svg, 28, 34, (rni_svg_font){19, RNI_COLOR_INK, RNI_SVG_START, true, false},
                 chart->title);
    if (chart->subtitle)
        rni_svg_text(&svg, 28, 57, (rni_svg_font){13.5, RNI_COLOR_QUIET, RNI_SVG_START, false, false},
                     chart->subtitle);
    rni_svg_font quiet = {12.5, RNI_COLOR_QUIET, RNI_SVG_END, false, false};
    for (uint32_t r = 0; r < chart->row_count; r++)
        rni_svg_text(&svg, LEFT - 10, top + (r + 0.5) * TILE_HEIGHT + 4, quiet, chart->rows[r]);
    for (uint32_t t = 0; t < chart->table_count; t++)
        draw_table(&svg, chart, t, width, LEFT + t * (table_width + TABLE_GAP), top);
    rni_svg_font label = {13.5, RNI_COLOR_INK, RNI_SVG_MIDDLE, false, false};
    if (chart->x_label) rni_svg_text(&svg, (LEFT + right) / 2, bottom + 44, label, chart->x_label);
    if (chart->y_label) rni_svg_text_up(&svg, 26, (top + bottom) / 2, label, chart->y_label);
    return rni_svg_end(&svg);
}
