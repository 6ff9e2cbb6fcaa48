#include "cli/demo.h"

#include "base/error.h"
#include "plot/chart.h"
#include "plot/palette.h"
#include "plot/svg.h"

#include <math.h>
#include <stdlib.h>

#define WIDTH       1280.0
#define MARGIN      24.0
#define HEAD        78.0
#define FOOT        46.0
#define DOT_LIMIT   14000u
#define SHADES      16u
#define LENS_RADIUS 122.0
#define MARKED      "#d55e00"

/* The picture of one slice. */
typedef struct slice {
    rni_svg svg;
    const rni_wave *wave;
    const rn_neighbors *n;
    float radius;
    double scale; /* pixels per unit */
    double height;
    float half_thickness;
    uint32_t fewest, most; /* neighbours that get the palest and the strongest colour */
    uint32_t center;       /* the point under the lens */
} slice;

static const float *point(const slice *s, uint32_t i)
{
    return s->wave->position + (size_t)i * 3;
}

static bool is_in_slice(const slice *s, uint32_t i)
{
    return fabsf(point(s, i)[2] - s->wave->lens[2]) <= s->half_thickness;
}

static double picture_x(const slice *s, float x)
{
    return MARGIN + (double)x * s->scale;
}

static double picture_y(const slice *s, float y)
{
    return s->height - FOOT - (double)y * s->scale;
}

static uint32_t shade_of(const slice *s, uint32_t count)
{
    if (count <= s->fewest) return 0;
    uint32_t shade = (uint32_t)((double)(count - s->fewest) / (s->most - s->fewest) * SHADES);
    return shade < SHADES ? shade : SHADES - 1;
}

static rni_rgb shade_color(uint32_t shade)
{
    return rni_palette_blue((double)shade / (SHADES - 1));
}

/* The strongest colour goes to what 95 % of the points do not exceed, the palest to a quarter of
 * it; the slice becomes so thin that it has at most DOT_LIMIT dots. */
static void fit_slice(slice *s)
{
    uint32_t histogram[256] = {0};
    uint32_t sum = 0;
    for (uint32_t i = 0; i < s->n->count; i++) {
        uint32_t count = rn_neighbors_get_list(s->n, i).count;
        histogram[count < 255 ? count : 255]++;
    }
    for (s->most = 0; s->most < 255 && sum < s->n->count * 0.95; s->most++)
        sum += histogram[s->most];
    if (s->most == 0) s->most = 1;
    s->fewest = s->most / 4;

    for (s->half_thickness = 0.75f;; s->half_thickness *= 0.8f) {
        uint32_t dots = 0;
        for (uint32_t i = 0; i < s->wave->count; i++) dots += is_in_slice(s, i);
        if (dots <= DOT_LIMIT) break;
    }
    float best = INFINITY;
    for (uint32_t i = 0; i < s->wave->count; i++) {
        float d = 0;
        for (int axis = 0; axis < 3; axis++) {
            float along = point(s, i)[axis] - s->wave->lens[axis];
            d += along * along;
        }
        if (d >= best) continue;
        best = d;
        s->center = i;
    }
}

/* Dots as zero-length strokes with round ends, one path per shade: a tenth of the bytes of circles.
 */
static void draw_dots(slice *s)
{
    for (uint32_t shade = 0; shade < SHADES; shade++) {
        rni_rgb color = shade_color(shade);
        rni_svg_raw(&s->svg,
                    "<path fill=\"none\" stroke=\"#%02x%02x%02x\" stroke-width=\"%.2f\" "
                    "stroke-linecap=\"round\" d=\"",
                    color.r, color.g, color.b, fmax(1.2, s->scale * 0.92));
        for (uint32_t i = 0; i < s->wave->count; i++)
            if (is_in_slice(s, i) && shade_of(s, rn_neighbors_get_list(s->n, i).count) == shade)
                rni_svg_raw(&s->svg, "M%.1f %.1fh0", picture_x(s, point(s, i)[0]),
                            picture_y(s, point(s, i)[1]));
        rni_svg_raw(&s->svg, "\"/>\n");
    }
}

/* A round window in the sky: the search circle of one point, its neighbours marked, the other points of
 * the slice behind. */
static void draw_lens(slice *s)
{
    const float *c = point(s, s->center);
    rn_list list = rn_neighbors_get_list(s->n, s->center);
    double zoom = LENS_RADIUS * 0.66 / (double)s->radius;
    double x = WIDTH - MARGIN - LENS_RADIUS - 24;
    double y = HEAD + LENS_RADIUS - 22;
    double from_x = picture_x(s, c[0]);
    double from_y = picture_y(s, c[1]);
    double ring = fmax(6, (double)s->radius * s->scale);
    double length = hypot(x - from_x, y - from_y);

    rni_svg_raw(&s->svg,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"none\" stroke=\"" MARKED
                "\" stroke-width=\"2.4\"/>\n",
                from_x, from_y, ring);
    if (length > LENS_RADIUS + ring)
        rni_svg_line(&s->svg, from_x + (x - from_x) * ring / length,
                     from_y + (y - from_y) * ring / length, x - (x - from_x) * LENS_RADIUS / length,
                     y - (y - from_y) * LENS_RADIUS / length, MARKED, 1.6);
    rni_svg_raw(&s->svg,
                "<clipPath id=\"lens\"><circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/></clipPath>\n",
                x, y, LENS_RADIUS);
    rni_svg_raw(&s->svg,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"#ffffff\"/>\n<g "
                "clip-path=\"url(#lens)\">\n",
                x, y, LENS_RADIUS);
    double reach = LENS_RADIUS / zoom + 1;
    for (uint32_t i = 0; i < s->wave->count; i++) {
        double dx = (double)(point(s, i)[0] - c[0]);
        double dy = (double)(point(s, i)[1] - c[1]);
        if (fabs(dx) > reach || fabs(dy) > reach || fabsf(point(s, i)[2] - c[2]) > 0.75f) continue;
        rni_rgb color = shade_color(shade_of(s, rn_neighbors_get_list(s->n, i).count));
        rni_svg_raw(&s->svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"7\" fill=\"#%02x%02x%02x\"/>\n",
                    x + dx * zoom, y - dy * zoom, color.r, color.g, color.b);
    }
    rni_svg_raw(&s->svg,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"" MARKED
                "\" fill-opacity=\"0.08\" stroke=\"" MARKED
                "\" stroke-width=\"2\" stroke-dasharray=\"6 4\"/>\n",
                x, y, (double)s->radius * zoom);
    for (uint32_t k = 0; list.index && k < list.count; k++) {
        const float *p = point(s, list.index[k]);
        rni_svg_line(&s->svg, x, y, x + (double)(p[0] - c[0]) * zoom,
                     y - (double)(p[1] - c[1]) * zoom, MARKED, 1);
    }
    for (uint32_t k = 0; list.index && k < list.count; k++) {
        const float *p = point(s, list.index[k]);
        rni_svg_raw(&s->svg,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"" MARKED
                    "\" stroke=\"#ffffff\" stroke-width=\"1.2\"/>\n",
                    x + (double)(p[0] - c[0]) * zoom, y - (double)(p[1] - c[1]) * zoom);
    }
    rni_svg_raw(
        &s->svg,
        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"7\" fill=\"" RNI_COLOR_INK "\" stroke=\"#ffffff\" "
        "stroke-width=\"1.5\"/>\n</g>\n<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"none\" "
        "stroke=\"" RNI_COLOR_INK "\" stroke-width=\"2\"/>\n",
        x, y, x, y, LENS_RADIUS);
    char text[96];
    snprintf(text, sizeof text, "%u neighbours within the radius, in 3D", list.count);
    rni_svg_text(&s->svg, x, y + LENS_RADIUS + 22,
                 (rni_svg_font){14, RNI_COLOR_INK, RNI_SVG_MIDDLE, false, false}, text);
}

static void draw_key(slice *s)
{
    double x = MARGIN;
    double y = s->height - 26;
    char text[24];
    rni_svg_font font = {13.5, RNI_COLOR_QUIET, RNI_SVG_START, false, false};
    snprintf(text, sizeof text, "%u or fewer", s->fewest);
    rni_svg_text(&s->svg, x, y + 10, font, "neighbours:");
    rni_svg_text(&s->svg, x + 84, y + 10, font, text);
    x += 172;
    for (uint32_t shade = 0; shade < SHADES; shade++, x += 14) {
        rni_rgb color = shade_color(shade);
        rni_svg_raw(
            &s->svg,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"14.5\" height=\"12\" fill=\"#%02x%02x%02x\"/>\n",
            x, y, color.r, color.g, color.b);
    }
    snprintf(text, sizeof text, "%u or more", s->most);
    rni_svg_text(&s->svg, x + 8, y + 10, font, text);
}

rn_result rni_demo_draw_points(const char *path, const rni_wave *wave, float radius,
                               const rn_neighbors *n)
{
    slice s = {.wave = wave, .n = n, .radius = radius};
    s.scale = (WIDTH - 2 * MARGIN) / (double)wave->size[0];
    s.height = HEAD + (double)wave->size[1] * s.scale * 0.86 + FOOT;
    rn_result result =
        rni_svg_begin(&s.svg, path, WIDTH, s.height, RNI_COLOR_PAPER,
                      "A breaking wave of points, coloured by their number of neighbours");
    if (result != RN_OK) return result;
    char text[160];
    snprintf(text, sizeof text,
             "a slice through %u points in 3D; every dot is a point, pale at the surface where "
             "neighbours are missing",
             wave->count);
    rni_svg_text(&s.svg, MARGIN, 38, (rni_svg_font){22, RNI_COLOR_INK, RNI_SVG_START, true, false},
                 "Who is near whom?");
    rni_svg_text(&s.svg, MARGIN, 62,
                 (rni_svg_font){14.5, RNI_COLOR_QUIET, RNI_SVG_START, false, false}, text);
    if (wave->count > 0) {
        fit_slice(&s);
        draw_dots(&s);
        draw_lens(&s);
    }
    draw_key(&s);
    return rni_svg_end(&s.svg);
}

rn_result rni_demo_draw_methods(const char *path, const rni_demo_row *rows, uint32_t row_count,
                                const char *subtitle)
{
    rn_result result;
    rni_bar *bars = calloc(row_count + 1, sizeof *bars);
    char(*text)[2][64] = calloc(row_count + 1, sizeof *text);
    if (!bars || !text) {
        result = rni_fail(RN_ERROR_MEMORY, "%s: no memory for the chart", path);
        goto done;
    }
    double slowest = 0;
    for (uint32_t r = 0; r < row_count; r++) slowest = fmax(slowest, rows[r].ns_per_point);
    for (uint32_t r = 0; r < row_count; r++) {
        snprintf(text[r][0], sizeof text[r][0], "%s", rows[r].method);
        if (rows[r].points != rows[0].points)
            snprintf(text[r][0], sizeof text[r][0], "%s (%u points)", rows[r].method, rows[r].points);
        snprintf(text[r][1], sizeof text[r][1], "ns, %.3g times faster",
                 slowest / rows[r].ns_per_point);
        bool is_slowest = rows[r].ns_per_point >= slowest;
        bars[r] = (rni_bar){text[r][0], rows[r].ns_per_point, is_slowest ? "ns" : text[r][1],
                            rows[r].is_default};
    }
    rni_bar_chart chart = {.title = "All neighbours of all points: time per point",
                           .subtitle = subtitle,
                           .value_label = "nanoseconds per point (log scale), lower is better",
                           .is_log = true,
                           .bars = bars,
                           .bar_count = row_count};
    result = rni_chart_write_bars(&chart, path);
done:
    free(text);
    free(bars);
    return result;
}
