/* Colour: sRGB and linear light, and maps whose lightness runs evenly (in OKLab, Ottosson 2020). */
#include "render/canvas.h"

#include <string.h>

static float to_linear(float value)
{
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

rni_vec rni_color_from_srgb(float r, float g, float b)
{
    return (rni_vec){to_linear(r), to_linear(g), to_linear(b)};
}

void rni_color_srgb_table(uint8_t table[4096])
{
    for (uint32_t k = 0; k < 4096; k++) {
        float linear = (float)k / 4095 * ((float)k / 4095);
        float value =
            linear <= 0.0031308f ? linear * 12.92f : 1.055f * powf(linear, 1 / 2.4f) - 0.055f;
        table[k] = (uint8_t)(value * 255 + 0.5f);
    }
}

typedef struct oklab {
    float l, a, b;
} oklab;

static oklab oklab_of(rni_tone t)
{
    float angle = t.hue * 0.017453293f;
    return (oklab){t.lightness, t.chroma * cosf(angle), t.chroma * sinf(angle)};
}

static rni_vec linear_of(oklab c)
{
    float l = c.l + 0.3963377774f * c.a + 0.2158037573f * c.b;
    float m = c.l - 0.1055613458f * c.a - 0.0638541728f * c.b;
    float s = c.l - 0.0894841775f * c.a - 1.2914855480f * c.b;
    l *= l * l;
    m *= m * m;
    s *= s * s;
    rni_vec rgb = {4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s,
                   -1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s,
                   -0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s};
    return (rni_vec){rni_clamp(rgb.x, 0, 1), rni_clamp(rgb.y, 0, 1), rni_clamp(rgb.z, 0, 1)};
}

/* Lightness is even from end to end in each, so that equal steps of the value look equal. The last row is
 * for every other attribute. */
static const rni_colors COLORS[] = {
    /* Spray has few neighbours and a low density; it would leave one colour for all of the water. */
    {.attribute = "density",
     .tone = {{0.930f, 0.042f, 222},
              {0.8075f, 0.090f, 232},
              {0.685f, 0.130f, 241},
              {0.5625f, 0.160f, 252},
              {0.440f, 0.165f, 261}},
     .low_outliers = 0.08,
     .narrowest = 0.02f},
    {.attribute = "speed",
     .tone = {{0.380f, 0.150f, 268},
              {0.525f, 0.130f, 245},
              {0.670f, 0.115f, 200},
              {0.815f, 0.140f, 150},
              {0.960f, 0.110f, 105}},
     .low_outliers = 0.02,
     .narrowest = 1e-3f,
     .may_begin_at_zero = true,
     .begins_at_zero = true},
    {.attribute = "pressure",
     .tone = {{0.940f, 0.045f, 95},
              {0.815f, 0.125f, 75},
              {0.690f, 0.175f, 48},
              {0.565f, 0.190f, 25},
              {0.440f, 0.150f, 350}},
     .low_outliers = 0.02,
     .narrowest = 1e-3f,
     .may_begin_at_zero = true},
    {.attribute = "age",
     .tone = {{0.940f, 0.060f, 165},
              {0.815f, 0.110f, 180},
              {0.690f, 0.105f, 215},
              {0.565f, 0.135f, 272},
              {0.440f, 0.150f, 305}},
     .low_outliers = 0.02,
     .narrowest = 1e-3f,
     .may_begin_at_zero = true},
    {.attribute = NULL,
     .tone = {{0.380f, 0.120f, 310},
              {0.525f, 0.130f, 345},
              {0.670f, 0.140f, 25},
              {0.815f, 0.130f, 65},
              {0.960f, 0.090f, 100}},
     .low_outliers = 0.02,
     .narrowest = 1e-3f,
     .may_begin_at_zero = true},
};

const rni_colors *rni_colors_of(const char *attribute)
{
    const rni_colors *row = COLORS;
    while (row->attribute && strcmp(row->attribute, attribute) != 0) row++;
    return row;
}

rni_vec rni_fluid_color(const rni_picture *picture, uint32_t number)
{
    const float *c = picture->fluid_color[number < RN_FLUID_MAX_PHASES ? number : 0];
    return rni_color_from_srgb(c[0], c[1], c[2]);
}

rni_vec rni_color_map(const rni_colors *colors, float part)
{
    float place = (part > 0 ? rni_clamp(part, 0, 1) : 0) * (RNI_TONE_COUNT - 1); /* a NaN becomes 0 */
    uint32_t low = (uint32_t)place < RNI_TONE_COUNT - 2 ? (uint32_t)place : RNI_TONE_COUNT - 2;
    float rest = place - (float)low;
    oklab a = oklab_of(colors->tone[low]);
    oklab b = oklab_of(colors->tone[low + 1]);
    return linear_of(
        (oklab){rni_mix(a.l, b.l, rest), rni_mix(a.a, b.a, rest), rni_mix(a.b, b.b, rest)});
}

rni_tones rni_tones_of(rni_picture_background background)
{
    if (background == RNI_BACK_DARK)
        return (rni_tones){.top = rni_color_from_srgb(0.165f, 0.185f, 0.215f),
                           .bottom = rni_color_from_srgb(0.095f, 0.105f, 0.125f),
                           .ink = rni_color_from_srgb(0.93f, 0.94f, 0.95f),
                           .quiet = rni_color_from_srgb(0.62f, 0.66f, 0.70f),
                           .wall = rni_color_from_srgb(0.60f, 0.61f, 0.63f),
                           .cut = rni_color_from_srgb(0.42f, 0.44f, 0.47f),
                           .glass = rni_color_from_srgb(0.72f, 0.80f, 0.88f),
                           .edge = rni_color_from_srgb(0.72f, 0.77f, 0.83f),
                           .water = rni_color_from_srgb(0.36f, 0.63f, 0.90f),
                           .floor_shadow = {0.16f, 0.16f, 0.20f},
                           .floor_tint = 1.45f};
    return (rni_tones){.top = rni_color_from_srgb(0.985f, 0.987f, 0.990f),
                       .bottom = rni_color_from_srgb(0.865f, 0.885f, 0.905f),
                       .ink = rni_color_from_srgb(0.12f, 0.16f, 0.20f),
                       .quiet = rni_color_from_srgb(0.37f, 0.42f, 0.46f),
                       .wall = rni_color_from_srgb(0.86f, 0.84f, 0.81f),
                       .cut = rni_color_from_srgb(0.70f, 0.69f, 0.67f),
                       .glass = rni_color_from_srgb(0.60f, 0.68f, 0.75f),
                       .edge = rni_color_from_srgb(0.30f, 0.36f, 0.42f),
                       .water = rni_color_from_srgb(0.20f, 0.50f, 0.85f),
                       .floor_shadow = {0.42f, 0.46f, 0.53f},
                       .floor_tint = 1.05f};
}

rni_vec rni_tones_paper(const rni_tones *tones, float part)
{
    return rni_vec_mix(tones->top, tones->bottom, rni_smooth(0, 1, part));
}
