#include "plot/svg.h"

#include "base/error.h"
#include "plot/painter.h"
#include "plot/palette.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_escaped(FILE *file, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&': fputs("&amp;", file); break;
        case '<': fputs("&lt;", file); break;
        case '>': fputs("&gt;", file); break;
        case '"': fputs("&quot;", file); break;
        default:
            /* XML does not allow control characters, not even escaped. */
            fputc((unsigned char)*text < 0x20 ? ' ' : *text, file);
        }
    }
}

static void release(rni_svg *svg)
{
    free(svg->path);
    free(svg->beside);
    *svg = (rni_svg){0};
}

rn_result rni_svg_begin(rni_svg *svg, const char *path, double width, double height,
                        const char *background, const char *title)
{
    size_t beside_bytes = strlen(path) + sizeof ".part";
    *svg = (rni_svg){.path = strdup(path), .beside = malloc(beside_bytes)};
    if (!svg->path || !svg->beside) {
        release(svg);
        return rni_fail(RN_ERROR_MEMORY, "%s: out of memory while writing", path);
    }
    snprintf(svg->beside, beside_bytes, "%s.part", path);
    svg->file = fopen(svg->beside, "wb");
    if (!svg->file) {
        rn_result result =
            rni_fail(RN_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
        release(svg);
        return result;
    }
    rni_svg_raw(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" "
        "role=\"img\" font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif\">\n<title>",
        width, height, width, height);
    write_escaped(svg->file, title);
    fputs("</title>\n", svg->file);
    rni_svg_rect(svg, 0, 0, width, height, background);
    return RN_OK;
}

rn_result rni_svg_begin_painted(rni_svg *svg, const rni_painter *painter, double width,
                                double height, const char *background)
{
    *svg = (rni_svg){.painter = painter};
    return painter->begin(painter->user, width, height, background);
}

rn_result rni_svg_end(rni_svg *svg)
{
    rn_result result = RN_OK;
    if (svg->painter) return svg->painter->end(svg->painter->user);
    fputs("</svg>\n", svg->file);
    bool is_bad = ferror(svg->file) != 0;
    if (fclose(svg->file) != 0 || is_bad)
        result = rni_fail(RN_ERROR_FILE, "%s: writing failed: %s", svg->path, strerror(errno));
    else if (rename(svg->beside, svg->path) != 0)
        result = rni_fail(RN_ERROR_FILE, "%s: cannot be written: %s", svg->path, strerror(errno));
    if (result != RN_OK) unlink(svg->beside);
    release(svg);
    return result;
}

void rni_svg_raw(rni_svg *svg, const char *format, ...)
{
    va_list values;
    if (svg->painter) return;
    va_start(values, format);
    vfprintf(svg->file, format, values);
    va_end(values);
}

static void write_text(rni_svg *svg, rni_svg_font font, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    fprintf(svg->file, " font-size=\"%g\" fill=\"%s\" text-anchor=\"%s\"%s%s>", font.size,
            font.color, anchors[font.anchor], font.is_bold ? " font-weight=\"600\"" : "",
            font.has_halo ? " stroke=\"" RNI_COLOR_PAPER "\" stroke-width=\"4\" paint-order=\"stroke\""
                          : "");
    write_escaped(svg->file, text);
    fputs("</text>\n", svg->file);
}

void rni_svg_text(rni_svg *svg, double x, double y, rni_svg_font font, const char *text)
{
    if (svg->painter) {
        svg->painter->text(svg->painter->user, x, y, &font, false, text);
        return;
    }
    fprintf(svg->file, "<text x=\"%.1f\" y=\"%.1f\"", x, y);
    write_text(svg, font, text);
}

void rni_svg_text_up(rni_svg *svg, double x, double y, rni_svg_font font, const char *text)
{
    if (svg->painter) {
        svg->painter->text(svg->painter->user, x, y, &font, true, text);
        return;
    }
    fprintf(svg->file, "<text transform=\"translate(%.1f %.1f) rotate(-90)\"", x, y);
    write_text(svg, font, text);
}

void rni_svg_line(rni_svg *svg, double x0, double y0, double x1, double y1, const char *color,
                  double width)
{
    if (svg->painter) {
        svg->painter->line(svg->painter->user, (double[2]){x0, y0}, (double[2]){x1, y1}, width,
                           color);
        return;
    }
    fprintf(
        svg->file,
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%g\"/>\n",
        x0, y0, x1, y1, color, width);
}

void rni_svg_rect(rni_svg *svg, double x, double y, double width, double height, const char *color)
{
    if (svg->painter) {
        svg->painter->rect(svg->painter->user, x, y, width, height, color);
        return;
    }
    fprintf(svg->file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
            x, y, width, height, color);
}

void rni_svg_circle(rni_svg *svg, double x, double y, double radius, const char *color,
                    const char *border)
{
    if (svg->painter) {
        if (border) svg->painter->disc(svg->painter->user, x, y, radius + 0.5, border);
        svg->painter->disc(svg->painter->user, x, y, radius - (border ? 0.5 : 0), color);
        return;
    }
    fprintf(svg->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%g\" fill=\"%s\"", x, y, radius, color);
    if (border) fprintf(svg->file, " stroke=\"%s\"", border);
    fputs("/>\n", svg->file);
}

/* --- curves --------------------------------------------------------------------------------------------- */

static void begin_dashes(rni_svg *svg, const char *dash)
{
    char *end = NULL;
    svg->curve.dash_count = 0;
    for (; svg->curve.dash_count < 4; dash = end + strspn(end, " ,")) {
        double length = strtod(dash, &end);
        if (end == dash || !(length > 0)) break;
        svg->curve.dash[svg->curve.dash_count++] = length;
    }
}

static void restart_dashes(rni_svg *svg)
{
    svg->curve.dash_place = 0;
    svg->curve.dash_left = svg->curve.dash_count ? svg->curve.dash[0] : HUGE_VAL;
}

/* The part of the curve up to a point, dash by dash, for a painter. */
static void paint_to(rni_svg *svg, double x, double y)
{
    double from[2] = {svg->curve.at[0], svg->curve.at[1]};
    double length = hypot(x - from[0], y - from[1]), done = 0;
    while (done < length) {
        double part = fmin(svg->curve.dash_left, length - done);
        double to[2] = {from[0] + (x - from[0]) * part / (length - done),
                        from[1] + (y - from[1]) * part / (length - done)};
        if (svg->curve.dash_place % 2 == 0)
            svg->painter->line(svg->painter->user, from, to, svg->curve.width, svg->curve.color);
        from[0] = to[0], from[1] = to[1];
        done += part;
        svg->curve.dash_left -= part;
        if (svg->curve.dash_left > 1e-9 || svg->curve.dash_count == 0) continue;
        svg->curve.dash_place = (svg->curve.dash_place + 1) % svg->curve.dash_count;
        svg->curve.dash_left = svg->curve.dash[svg->curve.dash_place];
    }
}

void rni_svg_curve_begin(rni_svg *svg, const char *color, double width, const char *dash)
{
    svg->curve.color = color;
    svg->curve.width = width;
    begin_dashes(svg, dash);
    rni_svg_raw(svg,
                "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%g\" stroke-linejoin=\"round\" "
                "stroke-linecap=\"round\" stroke-dasharray=\"%s\" d=\"",
                color, width, dash);
}

void rni_svg_curve_to(rni_svg *svg, double x, double y, bool is_pen_down)
{
    rni_svg_raw(svg, "%c%.1f %.1f", is_pen_down ? 'L' : 'M', x, y);
    if (svg->painter && is_pen_down) paint_to(svg, x, y);
    if (!is_pen_down) restart_dashes(svg);
    svg->curve.at[0] = x, svg->curve.at[1] = y;
}

void rni_svg_curve_end(rni_svg *svg)
{
    rni_svg_raw(svg, "\"/>\n");
}
