/* SVG pictures, written to a temporary file and renamed when complete.
 *
 * Job:    shapes and text in, a well-formed file out; text is escaped, numbers are kept short.
 * Input:  coordinates in pixels, y down; colours as "#rrggbb".
 * Output: one file, either complete or absent. rni_svg_end() reports the first error, so that
 *         drawing code is a plain list of shapes.
 * Next:   chart.h. */
#ifndef RNI_PLOT_SVG_H
#define RNI_PLOT_SVG_H

#include <runnel/base.h>

#include <stdio.h>

struct rni_painter;

typedef struct rni_svg {
    FILE *file;
    char *path;
    char *beside; /* the temporary file in the same folder */
    /* Instead of a file: what draws the shapes (painter.h). */
    const struct rni_painter *painter;
    struct {
        const char *color;
        double width;
        double at[2];
        double dash[4]; /* lengths of lines and gaps by turns */
        uint32_t dash_count, dash_place;
        double dash_left; /* of the dash or gap at dash_place */
    } curve;
} rni_svg;

typedef enum rni_svg_anchor {
    RNI_SVG_START = 0,
    RNI_SVG_MIDDLE = 1,
    RNI_SVG_END = 2
} rni_svg_anchor;

/* Text style. */
typedef struct rni_svg_font {
    double size; /* pixels */
    const char *color;
    rni_svg_anchor anchor;
    bool is_bold;
    bool has_halo; /* an outline in the background colour, for text over lines */
} rni_svg_font;

/* Opens the picture and paints the background, so that it looks the same on a light and on a dark
 * page. title is read by screen readers. On failure nothing needs a release. */
rn_result rni_svg_begin(rni_svg *svg, const char *path, double width, double height,
                        const char *background, const char *title);
/* The same with a painter, which must stay. Markup of rni_svg_raw() is left out. */
rn_result rni_svg_begin_painted(rni_svg *svg, const struct rni_painter *painter, double width,
                                double height, const char *background);
/* Closes and renames the file; after a failure no file is left. Always releases memory. */
rn_result rni_svg_end(rni_svg *svg);

/* Raw markup in printf format: for groups, clips and styles. */
__attribute__((format(printf, 2, 3))) void rni_svg_raw(rni_svg *svg, const char *format, ...);
void rni_svg_text(rni_svg *svg, double x, double y, rni_svg_font font, const char *text);
/* Rotated by 90 degrees, reading upwards. */
void rni_svg_text_up(rni_svg *svg, double x, double y, rni_svg_font font, const char *text);
void rni_svg_line(rni_svg *svg, double x0, double y0, double x1, double y1, const char *color,
                  double width);
/* border: colour of its outline; NULL: none. */
void rni_svg_circle(rni_svg *svg, double x, double y, double radius, const char *color,
                    const char *border);
/* A curve, point by point; dash: as in SVG, or "none". A point without the pen begins a new part. */
void rni_svg_curve_begin(rni_svg *svg, const char *color, double width, const char *dash);
void rni_svg_curve_to(rni_svg *svg, double x, double y, bool is_pen_down);
void rni_svg_curve_end(rni_svg *svg);
void rni_svg_rect(rni_svg *svg, double x, double y, double width, double height, const char *color);

#endif
