#include "render/font.h"

#include <stdlib.h>

/* Letters on a grid where capitals are 60 high, small ones 42, and tails reach to -18.
 * M x y: begin there; L x y: line to; A cx cy rx ry from to: arc, degrees, joined to what is before;
 * Z: lift the pen. */
typedef struct glyph {
    uint32_t letter;
    int width;
    const char *strokes;
} glyph;

#define CAPITAL 60.0f
#define GAP     13 /* between letters */
#define PEN     7.6f
#define BOX     "M0 0L0 46L28 46L28 0L0 0" /* for what the font lacks */

static const glyph glyphs[] = {
    {' ', 13, ""},
    {'!', 6, "M3 60L3 19ZA3 3 2 2 0 360"},
    {'"', 16, "M2 62L2 46ZM14 62L14 46"},
    {'#', 40, "M12 0L18 60ZM26 0L32 60ZM2 40L40 40ZM0 20L38 20"},
    {'$', 36, "A18 44 16 14 40 270A18 15 18 15 90 -145ZM18 68L18 -8"},
    {'%', 50, "A9 47 9 13 0 360ZA41 13 9 13 0 360ZM40 60L11 0"},
    {'&', 46, "M44 0L11 38A19 48 11 12 215 -35L9 28A16 14 16 15 115 340L42 30"},
    {'\'', 4, "M2 62L2 46"},
    {'(', 13, "A24 27 22 42 125 235"},
    {')', 13, "A-11 27 22 42 55 -55"},
    {'*', 26, "M13 62L13 36ZM2 55L24 43ZM2 43L24 55"},
    {'+', 32, "M0 28L32 28ZM16 12L16 44"},
    {',', 8, "M6 4L1 -11"},
    {'-', 20, "M0 25L20 25"},
    {'.', 6, "A3 3 2 2 0 360"},
    {'/', 26, "M0 -8L26 66"},
    {'0', 36, "A18 19 18 19 180 360L36 41A18 41 18 19 0 180L0 19"},
    {'1', 36, "M9 49L22 60L22 0"},
    {'2', 36, "A18 43 17 17 170 -42L1 0L36 0"},
    {'3', 36, "A17 45 15 15 155 -90A17 15 18 15 90 -155"},
    {'4', 36, "M27 0L27 60L0 17L36 17"},
    {'5', 36, "M32 60L7 60L4 32A17 19 18 19 140 -150"},
    {'6', 36, "A18 18 18 18 0 360ZM28 60L3 28"},
    {'7', 36, "M1 60L36 60L13 0"},
    {'8', 36, "A18 46 15 14 0 360ZA18 16 18 16 0 360"},
    {'9', 36, "A18 42 18 18 0 360ZM8 0L33 32"},
    {':', 6, "A3 3 2 2 0 360ZA3 37 2 2 0 360"},
    {';', 8, "M6 4L1 -11ZA5 37 2 2 0 360"},
    {'<', 30, "M30 44L2 28L30 12"},
    {'=', 32, "M0 36L32 36ZM0 20L32 20"},
    {'>', 30, "M0 44L28 28L0 12"},
    {'?', 30, "A15 45 15 15 170 -50L15 28L15 19ZA15 3 2 2 0 360"},
    {'@', 58, "A29 24 11 12 0 360ZM40 36L40 18A48 18 8 8 180 330A29 26 29 32 -15 300"},
    {'A', 44, "M0 0L22 60L44 0ZM8 20L36 20"},
    {'B', 38, "M0 31L20 31A20 46 14 15 -90 90L0 60L0 0L21 0A21 15 17 16 -90 90"},
    {'C', 46, "A28 30 28 30 48 312"},
    {'D', 45, "M0 0L0 60L16 60A16 30 29 30 90 -90L0 0"},
    {'E', 34, "M34 60L0 60L0 0L34 0ZM0 31L29 31"},
    {'F', 33, "M33 60L0 60L0 0ZM0 30L28 30"},
    {'G', 52, "A26 30 26 30 48 360L30 30"},
    {'H', 43, "M0 0L0 60ZM43 0L43 60ZM0 31L43 31"},
    {'I', 4, "M2 0L2 60"},
    {'J', 27, "M27 60L27 15A13 15 14 15 0 -165"},
    {'K', 39, "M0 0L0 60ZM37 60L0 22ZM13 36L39 0"},
    {'L', 32, "M0 60L0 0L32 0"},
    {'M', 52, "M0 0L0 60L26 18L52 60L52 0"},
    {'N', 43, "M0 0L0 60L43 0L43 60"},
    {'O', 56, "A28 30 28 30 0 360"},
    {'P', 36, "M0 0L0 60L20 60A20 44 16 16 90 -90L0 28"},
    {'Q', 56, "A28 30 28 30 0 360ZM35 15L54 -5"},
    {'R', 38, "M0 0L0 60L20 60A20 44 16 16 90 -90L0 28ZM20 28L38 0"},
    {'S', 36, "A18 45 16 15 40 270A18 15 18 15 90 -145"},
    {'T', 42, "M0 60L42 60ZM21 60L21 0"},
    {'U', 43, "M0 60L0 21A21 21 21 21 180 360L43 60"},
    {'V', 42, "M0 60L21 0L42 60"},
    {'W', 64, "M0 60L16 0L32 54L48 0L64 60"},
    {'X', 40, "M0 0L40 60ZM0 60L40 0"},
    {'Y', 40, "M0 60L20 28L40 60ZM20 28L20 0"},
    {'Z', 38, "M1 60L38 60L0 0L38 0"},
    {'[', 12, "M12 68L2 68L2 -12L12 -12"},
    {'\\', 26, "M0 66L26 -8"},
    {']', 12, "M0 68L10 68L10 -12L0 -12"},
    {'^', 26, "M0 40L13 60L26 40"},
    {'_', 34, "M0 -9L34 -9"},
    {'`', 12, "M0 64L12 52"},
    {'a', 36, "A18 21 18 21 0 360ZM36 42L36 0"},
    {'b', 36, "M0 62L0 0ZA18 21 18 21 0 360"},
    {'c', 33, "A20 21 20 21 48 312"},
    {'d', 36, "M36 62L36 0ZA18 21 18 21 0 360"},
    {'e', 37, "M1 21L37 21A19 21 18 21 0 318"},
    {'f', 21, "M8 0L8 48A20 48 12 14 180 82ZM0 42L20 42"},
    {'g', 36, "M36 42L36 0A18 0 18 18 0 -150ZA18 21 18 21 0 360"},
    {'h', 34, "M0 62L0 0ZM0 24A17 24 17 18 180 0L34 0"},
    {'i', 4, "M2 42L2 0ZA2 57 2 2 0 360"},
    {'j', 8, "M6 42L6 -6A-4 -6 10 12 0 -80ZA6 57 2 2 0 360"},
    {'k', 32, "M0 62L0 0ZM30 42L0 15ZM11 25L32 0"},
    {'l', 4, "M2 62L2 0"},
    {'m', 56, "M0 42L0 0ZM0 27A14 27 14 15 180 0L28 0ZM28 27A42 27 14 15 180 0L56 0"},
    {'n', 34, "M0 42L0 0ZM0 24A17 24 17 18 180 0L34 0"},
    {'o', 38, "A19 21 19 21 0 360"},
    {'p', 36, "M0 42L0 -18ZA18 21 18 21 0 360"},
    {'q', 36, "M36 42L36 -18ZA18 21 18 21 0 360"},
    {'r', 19, "M0 42L0 0ZM0 22A17 22 17 20 180 80"},
    {'s', 28, "A14 31 12 11 40 270A14 10 14 10 90 -150"},
    {'t', 22, "M9 58L9 12A21 12 12 12 180 268ZM0 42L20 42"},
    {'u', 34, "M0 42L0 17A17 17 17 17 180 360L34 42ZM34 42L34 0"},
    {'v', 34, "M0 42L17 0L34 42"},
    {'w', 52, "M0 42L13 0L26 37L39 0L52 42"},
    {'x', 32, "M0 0L32 42ZM0 42L32 0"},
    {'y', 34, "M0 42L17 1ZM34 42L11 -18"},
    {'z', 30, "M1 42L30 42L0 0L30 0"},
    {'{', 18, "M18 68L12 68A12 60 6 8 90 180L6 36L0 28L6 20L6 -4A12 -4 6 8 180 270L18 -12"},
    {'|', 4, "M2 68L2 -12"},
    {'}', 18, "M0 68L6 68A6 60 6 8 90 0L12 36L18 28L12 20L12 -4A6 -4 6 8 0 -90L0 -12"},
    {'~', 34, "A9 24 8 9 180 0A26 28 9 9 180 360"},
    {0xb0, 16, "A8 52 8 8 0 360"},
    {0xb2, 18, "A9 58 8 8 170 -42L1 36L18 36"},
    {0xb3, 18, "A9 60 7 7 155 -90A9 44 9 9 90 -155"},
    {0xb5, 34, "M0 42L0 -18ZM0 17A17 17 17 17 180 360L34 42ZM34 42L34 0"},
    {0xb7, 6, "A3 26 2 2 0 360"},
    {0xd7, 28, "M0 12L28 40ZM0 40L28 12"},
    {0x2013, 34, "M0 25L34 25"},
    {0x2026, 46, "A3 3 2 2 0 360ZA23 3 2 2 0 360ZA43 3 2 2 0 360"},
    {0x2212, 32, "M0 28L32 28"},
};

static const glyph missing = {0, 28, BOX};

uint32_t rni_font_next(const char **text)
{
    const unsigned char *at = (const unsigned char *)*text;
    uint32_t letter = at[0];
    uint32_t more = letter < 0x80    ? 0
                    : letter >= 0xf0 ? 3
                    : letter >= 0xe0 ? 2
                    : letter >= 0xc2 ? 1
                                     : 4;
    if (letter == 0) return 0;
    ++*text;
    if (more == 0) return letter;
    if (more == 4 || letter > 0xf4) return 0xfffd;
    letter &= 0x3fu >> more;
    for (uint32_t k = 1; k <= more; k++) {
        if ((at[k] & 0xc0) != 0x80) return 0xfffd;
        letter = letter << 6 | (at[k] & 0x3f);
    }
    *text += more;
    return letter;
}

static const glyph *find(uint32_t letter)
{
    for (size_t k = 0; k < sizeof glyphs / sizeof *glyphs; k++)
        if (glyphs[k].letter == letter) return &glyphs[k];
    return &missing;
}

float rni_text_width(const char *text, float size)
{
    int width = 0;
    uint32_t letter;
    while ((letter = rni_font_next(&text)) != 0) width += find(letter)->width + GAP;
    return width > 0 ? (float)(width - GAP) * size / CAPITAL : 0;
}

#define LINES_MAX 256u

typedef struct lines {
    float x[LINES_MAX], y[LINES_MAX];
    bool is_start[LINES_MAX]; /* no line leads to it */
    uint32_t count;
} lines;

static void put(lines *l, float x, float y, bool is_start)
{
    if (l->count == LINES_MAX) return;
    l->x[l->count] = x;
    l->y[l->count] = y;
    l->is_start[l->count++] = is_start;
}

static void put_arc(lines *l, const float n[6], bool is_start)
{
    uint32_t steps = 3 + (uint32_t)(fabsf(n[5] - n[4]) / 12);
    for (uint32_t k = 0; k <= steps; k++) {
        float angle = 0.017453293f * rni_mix(n[4], n[5], (float)k / (float)steps);
        put(l, n[0] + n[2] * cosf(angle), n[1] + n[3] * sinf(angle), is_start && k == 0);
    }
}

static void flatten(const char *strokes, lines *l)
{
    bool is_up = true;
    l->count = 0;
    while (*strokes) {
        char verb = *strokes++;
        float n[6];
        uint32_t count = verb == 'Z' ? 0 : verb == 'A' ? 6 : 2;
        for (uint32_t k = 0; k < count; k++) {
            char *end;
            n[k] = (float)strtol(strokes, &end, 10);
            strokes = end;
        }
        if (verb == 'A') put_arc(l, n, is_up);
        else if (verb != 'Z') put(l, n[0], n[1], verb == 'M' || is_up);
        is_up = verb == 'Z';
    }
}

static float distance_sq(const lines *l, uint32_t k, float x, float y)
{
    float ax = l->x[k - 1];
    float ay = l->y[k - 1];
    float dx = l->x[k] - ax;
    float dy = l->y[k] - ay;
    float length_sq = dx * dx + dy * dy;
    float part = length_sq > 0 ? rni_clamp(((x - ax) * dx + (y - ay) * dy) / length_sq, 0, 1) : 0;
    float px = x - ax - part * dx;
    float py = y - ay - part * dy;
    return px * px + py * py;
}

/* How much of the pixel with its middle at (x, y) of the grid the pen covers. */
static float cover(const lines *l, float x, float y, float pixel)
{
    float nearest_sq = INFINITY;
    for (uint32_t k = 1; k < l->count; k++)
        if (!l->is_start[k]) nearest_sq = fminf(nearest_sq, distance_sq(l, k, x, y));
    float width = fmaxf(PEN, 1.15f * pixel); /* never thinner than a pixel or so */
    return rni_clamp((0.5f * width - sqrtf(nearest_sq)) / pixel + 0.5f, 0, 1);
}

static void draw_glyph(rni_canvas *canvas, const glyph *g, float x, float y, float size, rni_vec color)
{
    lines l;
    float pixel = CAPITAL / size; /* of the grid */
    flatten(g->strokes, &l);
    float width = (float)canvas->picture->width;
    float height = (float)canvas->picture->height;
    uint32_t x0 = (uint32_t)rni_clamp(x - 8 / pixel - 1, 0, width);
    uint32_t x1 = (uint32_t)rni_clamp(x + (float)(g->width + 8) / pixel + 2, 0, width);
    uint32_t y0 = (uint32_t)rni_clamp(y - 76 / pixel - 1, 0, height);
    uint32_t y1 = (uint32_t)rni_clamp(y + 26 / pixel + 2, 0, height);
    for (uint32_t py = y0; py < y1; py++) {
        for (uint32_t px = x0; px < x1; px++) {
            rni_vec *at = &canvas->image[(size_t)py * canvas->picture->width + px];
            float part =
                cover(&l, ((float)px + 0.5f - x) * pixel, (y - (float)py - 0.5f) * pixel, pixel);
            if (part > 0) *at = rni_vec_mix(*at, color, part);
        }
    }
}

void rni_text_draw(rni_canvas *canvas, const char *text, float x, float y, float size, rni_vec color)
{
    uint32_t letter;
    while ((letter = rni_font_next(&text)) != 0) {
        const glyph *g = find(letter);
        draw_glyph(canvas, g, x, y, size, color);
        x += (float)(g->width + GAP) * size / CAPITAL;
    }
}
