#include "render/chart_png.h"
#include "render/canvas.h"
#include "render/font.h"

#include "base/error.h"
#include "plot/palette.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCALE   ((float)RNI_CHART_PNG_SCALE)
#define CAPITAL 0.70f /* height of capitals in sizes of a font */
#define HALO    3.0f  /* pixels of the picture around a text */
/* Pixels of a side; a chart has far fewer. */
#define SIDE_MAX 16384.0

static rni_vec color_of(const char *text)
{
    unsigned r = 0, g = 0, b = 0;
    if (sscanf(text, "#%2x%2x%2x", &r, &g, &b) != 3) return (rni_vec){0, 0, 0};
    return rni_color_from_srgb((float)r / 255, (float)g / 255, (float)b / 255);
}

static rni_vec *row_of(const rni_chart_png *png, uint32_t y)
{
    return png->image + (size_t)y * png->width;
}

static void cover(const rni_chart_png *png, uint32_t x, uint32_t y, rni_vec color, float part)
{
    if (part <= 0) return;
    rni_vec *at = row_of(png, y) + x;
    *at = rni_vec_mix(*at, color, fminf(part, 1));
}

/* Pixels from low to high, cut to the picture. */
static void span_of(float low, float high, uint32_t size, uint32_t *from, uint32_t *to)
{
    *from = (uint32_t)rni_clamp(floorf(low), 0, (float)size);
    *to = (uint32_t)rni_clamp(ceilf(high), 0, (float)size);
}

static rn_result begin(void *user, double width, double height, const char *background)
{
    rni_chart_png *png = user;
    double x = ceil(width * RNI_CHART_PNG_SCALE), y = ceil(height * RNI_CHART_PNG_SCALE);
    if (!(x >= 1 && y >= 1 && x <= SIDE_MAX && y <= SIDE_MAX))
        return rni_fail(RN_ERROR_ARGUMENT, "%s: a chart of %g x %g pixels cannot be drawn",
                        png->path, width, height);
    png->width = (uint32_t)x, png->height = (uint32_t)y;
    size_t pixels = (size_t)png->width * png->height;
    png->image = malloc(pixels * sizeof *png->image);
    if (!png->image)
        return rni_fail(RN_ERROR_MEMORY, "%s: no memory for a chart of %u x %u pixels", png->path,
                        png->width, png->height);
    rni_vec color = color_of(background);
    for (size_t k = 0; k < pixels; k++) png->image[k] = color;
    return RN_OK;
}

/* The share of pixel p that lies between low and high. */
static float overlap(uint32_t p, float low, float high)
{
    return rni_clamp(fminf((float)p + 1, high) - fmaxf((float)p, low), 0, 1);
}

static void rect(void *user, double x, double y, double width, double height, const char *color)
{
    const rni_chart_png *png = user;
    float left = SCALE * (float)x, right = SCALE * (float)(x + width);
    float top = SCALE * (float)y, bottom = SCALE * (float)(y + height);
    rni_vec fill = color_of(color);
    uint32_t x0, x1, y0, y1;
    span_of(left, right, png->width, &x0, &x1);
    span_of(top, bottom, png->height, &y0, &y1);
    for (uint32_t py = y0; py < y1; py++)
        for (uint32_t px = x0; px < x1; px++)
            cover(png, px, py, fill, overlap(px, left, right) * overlap(py, top, bottom));
}

static void line(void *user, const double from[2], const double to[2], double width, const char *color)
{
    const rni_chart_png *png = user;
    float ax = SCALE * (float)from[0], ay = SCALE * (float)from[1];
    float dx = SCALE * (float)to[0] - ax, dy = SCALE * (float)to[1] - ay;
    float half = 0.5f * SCALE * (float)width, length_sq = dx * dx + dy * dy;
    rni_vec ink = color_of(color);
    uint32_t x0, x1, y0, y1;
    span_of(fminf(ax, ax + dx) - half - 1, fmaxf(ax, ax + dx) + half + 1, png->width, &x0, &x1);
    span_of(fminf(ay, ay + dy) - half - 1, fmaxf(ay, ay + dy) + half + 1, png->height, &y0, &y1);
    for (uint32_t py = y0; py < y1; py++)
        for (uint32_t px = x0; px < x1; px++) {
            float x = (float)px + 0.5f - ax, y = (float)py + 0.5f - ay;
            float part = length_sq > 0 ? rni_clamp((x * dx + y * dy) / length_sq, 0, 1) : 0;
            cover(png, px, py, ink, half - hypotf(x - part * dx, y - part * dy) + 0.5f);
        }
}

static void disc(void *user, double x, double y, double radius, const char *color)
{
    const double at[2] = {x, y};
    line(user, at, at, 2 * radius, color);
}

/* --- text ------------------------------------------------------------------------------------------------ */

/* A mask of the text: how much of a pixel its strokes cover. From malloc; NULL: no memory. */
typedef struct mask {
    rni_vec *cover;
    uint32_t width, height;
    float base; /* row of the base line */
} mask;

static mask mask_of(const char *text, float size, bool is_bold)
{
    rni_picture picture = rni_picture_default();
    mask m = {.base = 1.6f * size};
    picture.width = m.width = (uint32_t)(rni_text_width(text, size) + 2 * size) + 4;
    picture.height = m.height = (uint32_t)(2.4f * size) + 4;
    m.cover = calloc((size_t)m.width * m.height, sizeof *m.cover);
    rni_canvas canvas = {.picture = &picture, .image = m.cover};
    if (!m.cover) return m;
    /* A bold text is drawn twice, a stroke beside itself. */
    for (uint32_t k = 0; k <= is_bold; k++)
        rni_text_draw(&canvas, text, size + (float)k * 0.07f * size, m.base, size,
                      (rni_vec){1, 1, 1});
    return m;
}

static void stamp(const rni_chart_png *png, const mask *m, const float left_base[2], bool is_up,
                  rni_vec color)
{
    for (uint32_t v = 0; v < m->height; v++)
        for (uint32_t u = 0; u < m->width; u++) {
            float part = m->cover[(size_t)v * m->width + u].x;
            if (part <= 0) continue;
            float along = (float)u, down = (float)v - m->base;
            float x = left_base[0] + (is_up ? down : along);
            float y = left_base[1] + (is_up ? -along : down);
            if (x >= 0 && y >= 0 && x < (float)png->width && y < (float)png->height)
                cover(png, (uint32_t)x, (uint32_t)y, color, part);
        }
}

static void text(void *user, double x, double y, const rni_svg_font *font, bool is_up,
                 const char *words)
{
    static const float shift[] = {0, 0.5f, 1};
    const rni_chart_png *png = user;
    float size = CAPITAL * SCALE * (float)font->size;
    mask m = mask_of(words, size, font->is_bold);
    if (!m.cover) return;
    float back = size + shift[font->anchor] * rni_text_width(words, size);
    float at[2] = {roundf(SCALE * (float)x - (is_up ? 0 : back)),
                   roundf(SCALE * (float)y + (is_up ? back : 0))};
    for (uint32_t k = 0; font->has_halo && k < 8; k++) {
        float turn = 0.7853982f * (float)k;
        float beside[2] = {at[0] + roundf(HALO * cosf(turn)), at[1] + roundf(HALO * sinf(turn))};
        stamp(png, &m, beside, is_up, color_of(RNI_COLOR_PAPER));
    }
    stamp(png, &m, at, is_up, color_of(font->color));
    free(m.cover);
}

/* --- the file -------------------------------------------------------------------------------------------- */

static rn_result end(void *user)
{
    const rni_chart_png *png = user;
    uint8_t table[4096];
    size_t pixels = (size_t)png->width * png->height;
    uint8_t *rgba = malloc(4 * pixels);
    if (!rgba) return rni_fail(RN_ERROR_MEMORY, "%s: no memory for the picture", png->path);
    rni_color_srgb_table(table);
    for (size_t k = 0; k < pixels; k++) {
        const float light[3] = {png->image[k].x, png->image[k].y, png->image[k].z};
        for (size_t c = 0; c < 3; c++)
            rgba[4 * k + c] = table[(uint32_t)(sqrtf(rni_clamp(light[c], 0, 1)) * 4095 + 0.5f)];
        rgba[4 * k + 3] = 255;
    }
    rn_result result = rni_png_write(png->path, rgba, png->width, png->height);
    free(rgba);
    return result;
}

rni_painter rni_chart_png_painter(rni_chart_png *png)
{
    return (rni_painter){
        .user = png, .begin = begin, .rect = rect, .line = line, .disc = disc, .text = text, .end = end};
}

void rni_chart_png_release(rni_chart_png *png)
{
    free(png->image);
    png->image = NULL;
}
