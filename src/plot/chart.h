/* Charts: numbers in, one SVG file out.
 *
 * Job:    line charts with linear or logarithmic axes and a legend, bar charts, and tile maps;
 *         round ticks, units in the labels, colours that colour-blind readers can distinguish,
 *         readable on light and dark pages.
 * Input:  series of numbers; values an axis cannot show (NaN, infinity, not positive on a log axis)
 *         leave a gap.
 * Output: a complete file or none; RN_ERROR_FILE with a sentence on failure.
 * Next:   lines.c, bars.c, tiles.c, axis.h, svg.h. */
#ifndef RNI_PLOT_CHART_H
#define RNI_PLOT_CHART_H

#include <runnel/base.h>

struct rni_painter;

typedef struct rni_chart_series {
    const char *name;
    const double *x;
    const double *y;
    uint32_t count;
} rni_chart_series;

/* Zero or NULL for unused fields. */
typedef struct rni_chart {
    const char *title;
    const char *subtitle;
    const char *x_label; /* with its unit */
    const char *y_label;
    bool x_log, y_log;
    bool y_from_zero;     /* linear y: the axis starts at 0 */
    bool hide_marks;      /* no dots at the points: for curves of many points */
    double width, height; /* pixels; 0: 880 by 500, higher for many series */
    const rni_chart_series *series;
    uint32_t series_count;
    const bool *has_dots; /* per series: dots without a line, for data of others; NULL: none */
} rni_chart;

rn_result rni_chart_write_lines(const rni_chart *chart, const char *path);
/* The same by a painter (painter.h), which writes the file; NULL: as SVG. */
rn_result rni_chart_draw_lines(const rni_chart *chart, const char *path,
                               const struct rni_painter *painter);

typedef struct rni_bar {
    const char *name;
    double value;
    const char *note;    /* after the value; may be NULL */
    bool is_highlighted; /* the bar the chart is about */
} rni_bar;

/* Horizontal bars, one per row, names on the left. */
typedef struct rni_bar_chart {
    const char *title;
    const char *subtitle;
    const char *value_label; /* with its unit */
    bool is_log;
    const rni_bar *bars;
    uint32_t bar_count;
} rni_bar_chart;

rn_result rni_chart_write_bars(const rni_bar_chart *chart, const char *path);
/* At least one chart, one below the other, by a painter (painter.h), which writes the file; NULL: as SVG. */
rn_result rni_chart_draw_bars(const rni_bar_chart *charts, uint32_t count, const char *path,
                              const struct rni_painter *painter);

typedef struct rni_tile {
    const char *text; /* NULL: not measured */
    const char *note; /* below the first text; may be NULL */
    uint32_t color;   /* index in the palette */
} rni_tile;

/* Tables of coloured tiles side by side: a map of the best choice per case. */
typedef struct rni_tile_chart {
    const char *title;
    const char *subtitle;
    const char *x_label, *y_label;
    const char *const *columns; /* names, the same for all tables */
    uint32_t column_count;
    const char *const *rows; /* from the top */
    uint32_t row_count;
    const char *const *tables; /* their names */
    uint32_t table_count;
    const rni_tile *tiles; /* table by table, row by row */
} rni_tile_chart;

rn_result rni_chart_write_tiles(const rni_tile_chart *chart, const char *path);

#endif
