#include "render/label.h"
#include "render/font.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX 256u
#define UNIT_MAX 24u

static float text_size(const rni_picture *picture)
{
    return fmaxf(0.0165f * (float)picture->height, 7);
}

float rni_label_height(const rni_picture *picture)
{
    return picture->is_bare ? 0 : 5.6f * text_size(picture);
}

float rni_title_height(const rni_picture *picture)
{
    bool has_title = !picture->is_bare && picture->title && *picture->title;
    return has_title ? 4.2f * text_size(picture) : 0;
}

double rni_nice_step(double about)
{
    double decade = pow(10, floor(log10(about)));
    double factor = about / decade;
    return decade * (factor < 1.5 ? 1 : factor < 3.5 ? 2 : factor < 7.5 ? 5 : 10);
}

float rni_square_side(const rni_canvas *canvas)
{
    rni_vec side = rni_sub(canvas->domain.high, canvas->domain.low);
    return (float)rni_nice_step((double)fmaxf(side.x, side.z) / 10);
}

/* 32768 -> 32,768 */
static void count_text(uint32_t count, char text[16])
{
    char digits[11];
    int length = snprintf(digits, sizeof digits, "%" PRIu32, count);
    uint32_t used = 0;
    for (int k = 0; k < length; k++) {
        if (k > 0 && (length - k) % 3 == 0) text[used++] = ',';
        text[used++] = digits[k];
    }
    text[used] = '\0';
}

/* Time, number of particles, size of the squares. */
static void caption_text(const rni_canvas *canvas, char text[TEXT_MAX])
{
    const rni_picture *p = canvas->picture;
    char count[16];
    char time[48] = "";
    char squares[64] = "";
    count_text(p->frame.count, count);
    if (isfinite(p->frame.time)) snprintf(time, sizeof time, "t = %.4g s   ", p->frame.time);
    if (p->frame.dim == 3 && canvas->has_domain && p->walls != RNI_WALLS_NONE)
        snprintf(squares, sizeof squares, "   squares of %g m", (double)rni_square_side(canvas));
    snprintf(text, TEXT_MAX, "%s%s particle%s%s", time, count, p->frame.count == 1 ? "" : "s",
             squares);
}

/* Title, shortened until it fits into width. */
static void title_text(const char *title, float size, float width, char text[TEXT_MAX])
{
    size_t length = strlen(title);
    if (length > TEXT_MAX - 8) length = TEXT_MAX - 8;
    snprintf(text, TEXT_MAX, "%.*s", (int)length, title);
    if (length == strlen(title) && rni_text_width(text, size) <= width) return;
    while (length > 0) {
        /* Back to the first byte of a character. */
        do length--;
        while (length > 0 && ((unsigned char)title[length] & 0xc0) == 0x80);
        snprintf(text, TEXT_MAX, "%.*s\xe2\x80\xa6", (int)length, title);
        if (rni_text_width(text, size) <= width) return;
    }
}

static void fill(rni_canvas *canvas, float x0, float y0, float x1, float y1, rni_vec color)
{
    const rni_picture *p = canvas->picture;
    uint32_t left = (uint32_t)rni_clamp(x0, 0, (float)p->width);
    uint32_t right = (uint32_t)rni_clamp(x1, 0, (float)p->width);
    for (uint32_t y = (uint32_t)rni_clamp(y0, 0, (float)p->height); (float)y < y1 && y < p->height;
         y++)
        for (uint32_t x = left; x < right; x++) canvas->image[(size_t)y * p->width + x] = color;
}

typedef struct bar {
    float left, top, width, height; /* pixels */
    float size;                     /* of the text */
    double low, high;               /* in the unit shown */
    const char *name;
    char unit[UNIT_MAX];
} bar;

/* "kg/m^3" -> "kg/m" and a superscript 3, in UTF-8; "1" of plain numbers -> nothing. */
static void unit_text(const char *unit, char text[UNIT_MAX])
{
    size_t used = 0;
    if (strcmp(unit, "1") == 0) unit = "";
    for (; *unit && used + 4 < UNIT_MAX; unit++) {
        bool is_raised = unit[0] == '^' && (unit[1] == '2' || unit[1] == '3');
        if (is_raised) text[used++] = '\xc2', text[used++] = *++unit == '2' ? '\xb2' : '\xb3';
        else text[used++] = *unit;
    }
    text[used] = 0;
}

static void draw_ticks(rni_canvas *canvas, const bar *b, const rni_tones *tones)
{
    double span = b->high - b->low;
    double step = rni_nice_step(span / 4);
    int decimals = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
    float y = b->top + b->height;
    bool is_huge = fmax(fabs(b->low), fabs(b->high)) >= 1e6 || decimals > 4;
    for (double k = ceil(b->low / step - 1e-6); k * step <= b->high + 1e-6 * step; k += 1) {
        char text[64];
        double value = k == 0 ? 0 : k * step;
        float x = roundf(b->left + b->width * (float)((value - b->low) / span));
        if (is_huge) snprintf(text, sizeof text, "%.3g", value);
        else snprintf(text, sizeof text, "%.*f", decimals, value);
        fill(canvas, x, y, x + fmaxf(roundf(b->size / 12), 1), y + roundf(0.4f * b->size),
             tones->quiet);
        rni_text_draw(canvas, text, x - 0.5f * rni_text_width(text, 0.9f * b->size),
                      y + 1.75f * b->size, 0.9f * b->size, tones->ink);
    }
}

static void draw_bar(rni_canvas *canvas, const bar *b, const rni_tones *tones)
{
    for (int column = 0; (float)column < b->width; column++) {
        float x = (float)column;
        rni_vec color = rni_color_map(canvas->colors, (x + 0.5f) / b->width);
        fill(canvas, b->left + x, b->top, b->left + x + 1, b->top + b->height, color);
    }
    draw_ticks(canvas, b, tones);
    char text[64];
    snprintf(text, sizeof text, "%s%s%s", b->name, b->unit[0] ? "  " : "", b->unit);
    float width = rni_text_width(text, b->size);
    rni_text_draw(canvas, text, b->left - width - 1.4f * b->size, b->top + b->height, b->size,
                  tones->ink);
}

/* A square and a name for each of several fluids, from the right. */
static void draw_fluids(rni_canvas *canvas, const bar *b, const rni_tones *tones)
{
    const rni_picture *p = canvas->picture;
    float right = b->left + b->width;
    for (uint32_t k = p->fluid_count; k-- > 0;) {
        const float width = rni_text_width(p->fluid_name[k], b->size);
        const float left = right - width - 1.6f * b->height;
        fill(canvas, left, b->top, left + b->height, b->top + b->height, rni_fluid_color(p, k));
        rni_text_draw(canvas, p->fluid_name[k], right - width, b->top + b->height, b->size,
                      tones->ink);
        right = left - 2 * b->size;
    }
}

static bar bar_of(const rni_canvas *canvas, float size)
{
    const rni_picture *p = canvas->picture;
    float margin = 3 * size; /* space for half a number */
    bar b = {.width = roundf(0.27f * (float)p->width),
             .height = roundf(fmaxf(0.95f * size, 4)),
             .size = size,
             .low = (double)canvas->range[0],
             .high = (double)canvas->range[1],
             .name = canvas->shown ? canvas->shown->name : ""};
    if (canvas->shown) unit_text(canvas->shown->unit, b.unit);
    b.left = roundf((float)p->width - margin - b.width);
    b.top = roundf((float)p->height - 3.9f * size);
    if (strcmp(b.unit, "Pa") == 0 && fmax(fabs(b.low), fabs(b.high)) >= 1e4) {
        b.low *= 1e-3;
        b.high *= 1e-3;
        snprintf(b.unit, sizeof b.unit, "kPa");
    }
    return b;
}

/* A veil of background colour over the bottom and, for a title, over the top, so that text stays readable:
 * its strength grows from the inner edge to the border. */
static void draw_veil(rni_canvas *canvas, const rni_tones *tones)
{
    const rni_picture *p = canvas->picture;
    float height = (float)p->height;
    for (uint32_t y = 0; y < p->height; y++) {
        float at = (float)y + 0.5f;
        float foot = rni_smooth(height - 1.15f * canvas->strip, height - 0.75f * canvas->strip, at);
        float head =
            canvas->head > 0 ? 1 - rni_smooth(0.65f * canvas->head, 1.1f * canvas->head, at) : 0;
        float part = 0.86f * fmaxf(canvas->strip > 0 ? foot : 0, head);
        if (part == 0) continue;
        rni_vec paper = rni_tones_paper(tones, at / height);
        rni_vec *row = canvas->image + (size_t)y * p->width;
        for (uint32_t x = 0; x < p->width; x++) row[x] = rni_vec_mix(row[x], paper, part);
    }
}

void rni_label_draw(rni_canvas *canvas)
{
    const rni_picture *p = canvas->picture;
    rni_tones tones = rni_tones_of(p->background);
    char caption[TEXT_MAX];
    char title[TEXT_MAX] = "";
    float size = text_size(p);
    if (p->is_bare) return;
    draw_veil(canvas, &tones);
    caption_text(canvas, caption);
    float width = (float)p->width;
    float taken = canvas->value ? 0.27f * width + 13 * size : 0;
    /* A narrow picture gets smaller text. */
    size = fminf(size, (width - taken) / (rni_text_width(caption, 1) + 5));
    bar b = bar_of(canvas, size);
    rni_text_draw(canvas, caption, 2 * size, b.top + b.height, size, tones.quiet);
    if (rni_canvas_has_fluids(canvas)) draw_fluids(canvas, &b, &tones);
    else if (canvas->value) draw_bar(canvas, &b, &tones);
    if (!p->title || !*p->title) return;
    title_text(p->title, 1.1f * size, width - 4 * size, title);
    rni_text_draw(canvas, title, 2 * size, 3.1f * size, 1.1f * size, tones.ink);
}
