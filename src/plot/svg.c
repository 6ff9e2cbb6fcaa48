#include "plot/svg.h"

#include "base/error.h"
#include "plot/palette.h"

#include <errno.h>
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
    *svg = (rni_svg){NULL, strdup(path), malloc(beside_bytes)};
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

rn_result rni_svg_end(rni_svg *svg)
{
    rn_result result = RN_OK;
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
    fprintf(svg->file, "<text x=\"%.1f\" y=\"%.1f\"", x, y);
    write_text(svg, font, text);
}

void rni_svg_text_up(rni_svg *svg, double x, double y, rni_svg_font font, const char *text)
{
    fprintf(svg->file, "<text transform=\"translate(%.1f %.1f) rotate(-90)\"", x, y);
    write_text(svg, font, text);
}

void rni_svg_line(rni_svg *svg, double x0, double y0, double x1, double y1, const char *color,
                  double width)
{
    fprintf(
        svg->file,
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%g\"/>\n",
        x0, y0, x1, y1, color, width);
}

void rni_svg_rect(rni_svg *svg, double x, double y, double width, double height, const char *color)
{
    fprintf(svg->file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
            x, y, width, height, color);
}
