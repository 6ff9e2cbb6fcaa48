/* Where the shapes of a chart go if they do not become SVG: a row of functions, e.g. of a raster image.
 *
 * Coordinates are in pixels of the chart, y down; colours are "#rrggbb". */
#ifndef RNI_PLOT_PAINTER_H
#define RNI_PLOT_PAINTER_H

#include "plot/svg.h"

typedef struct rni_painter {
    void *user;
    rn_result (*begin)(void *user, double width, double height, const char *background);
    void (*rect)(void *user, double x, double y, double width, double height, const char *color);
    /* With round ends. */
    void (*line)(void *user, const double from[2], const double to[2], double width,
                 const char *color);
    void (*disc)(void *user, double x, double y, double radius, const char *color);
    /* is_up: rotated by 90 degrees, reading upwards. */
    void (*text)(void *user, double x, double y, const rni_svg_font *font, bool is_up,
                 const char *text);
    /* Writes what was drawn; releases nothing. */
    rn_result (*end)(void *user);
} rni_painter;

#endif
