/* SVG pictures, written beside their place and renamed when complete.
 *
 * Job:    shapes and text in, a well-formed file out; text is escaped, numbers are kept short.
 * Input:  coordinates in pixels, y down; colours as "#rrggbb".
 * Output: one file, either whole or not there. Errors are kept until rni_svg_end() reports them, so
 *         that a picture reads as a list of shapes.
 * Next:   chart.h.
 */
#ifndef RNI_PLOT_SVG_H
#define RNI_PLOT_SVG_H

#include <runnel/base.h>

#include <stdio.h>

typedef struct rni_svg {
    FILE *file;
    char *path;
    char *beside; /* what is written until the end, in the same folder */
} rni_svg;

typedef enum rni_svg_anchor {
    RNI_SVG_START = 0,
    RNI_SVG_MIDDLE = 1,
    RNI_SVG_END = 2
} rni_svg_anchor;

/* How text looks. */
typedef struct rni_svg_font {
    double size; /* pixels */
    const char *color;
    rni_svg_anchor anchor;
    bool is_bold;
    bool has_halo; /* a rim of background, for text over lines */
} rni_svg_font;

/* Opens the picture and paints the background, so that it reads the same on a light and on a dark
 * page. title is what a screen reader says. On failure nothing is left to release. */
rn_result rni_svg_begin(rni_svg *svg, const char *path, double width, double height,
                        const char *background, const char *title);
/* Closes and renames; after a failure no file is left. Always releases. */
rn_result rni_svg_end(rni_svg *svg);

/* Markup as it is, in printf form: for groups, clips and styles. */
__attribute__((format(printf, 2, 3))) void rni_svg_raw(rni_svg *svg, const char *format, ...);
void rni_svg_text(rni_svg *svg, double x, double y, rni_svg_font font, const char *text);
/* Turned by 90 degrees, reading upwards. */
void rni_svg_text_up(rni_svg *svg, double x, double y, rni_svg_font font, const char *text);
void rni_svg_line(rni_svg *svg, double x0, double y0, double x1, double y1, const char *color,
                  double width);
void rni_svg_rect(rni_svg *svg, double x, double y, double width, double height, const char *color);

#endif
