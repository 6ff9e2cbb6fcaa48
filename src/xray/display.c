/* From what the detector absorbed to grey values: density, equalising, sharpening, window and level. */
#include "xray/xray.h"

#include <math.h>
#include <string.h>

#define BINS        4096u
#define DENSITY_MAX 24.0f /* of pixels that absorbed nothing */

typedef struct show {
    rn_xray *x;
    const rn_xray_display *display;
    float *density;      /* in x->quantum */
    const float *coarse; /* in x->blurred[0] */
    float middle;        /* mean of coarse */
    float low, high;     /* densities that become black and white */
    uint16_t *gray;
} show;

rn_xray_display rn_xray_display_default(void)
{
    return (rn_xray_display){.struct_bytes = sizeof(rn_xray_display)};
}

static rn_result check(const rn_xray *x, const rn_xray_display *d)
{
    if (d->struct_bytes != sizeof *d)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "display.struct_bytes is %u instead of %zu; begin with "
                        "rn_xray_display_default()",
                        d->struct_bytes, sizeof *d);
    if (!x->has_picture)
        return rni_fail(RN_ERROR_ARGUMENT, "there is no exposure; call rn_xray_expose() first");
    if (!(d->window >= 0 && d->window <= 1000) || !(fabsf(d->level) <= 1000))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "window is %g and level %g; they must be from 0 to 1000 and from -1000 to 1000",
                        (double)d->window, (double)d->level);
    if (!(d->shoulder >= 0 && d->shoulder <= 1) || !(d->field[0] >= 0 && d->field[0] <= 1) ||
        !(d->field[1] >= 0 && d->field[1] <= 1))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "shoulder is %g and field %g, %g; they must be from 0 to 1",
                        (double)d->shoulder, (double)d->field[0], (double)d->field[1]);
    if (!(d->equalize >= 0 && d->equalize <= 1) || !(d->sharpen >= 0 && d->sharpen <= 8))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "equalize is %g and sharpen %g; they must be from 0 to 1 and from 0 to 8",
                        (double)d->equalize, (double)d->sharpen);
    return RN_OK;
}

/* How much of a pixel is in the field of view: the blades of the collimator have soft edges. */
static float shown_share(const show *s, uint32_t column, uint32_t row)
{
    const float size[2] = {(float)s->x->view.width, (float)s->x->view.height};
    const float at[2] = {(float)column + 0.5f - 0.5f * size[0], (float)row + 0.5f - 0.5f * size[1]};
    const float soft = 0.004f * fmaxf(size[0], size[1]);
    float share = 1;
    for (int k = 0; k < 2; k++) {
        const float open = s->display->field[k];
        if (open > 0 && open < 1)
            share = fminf(share, (0.5f * open * size[k] - fabsf(at[k])) / soft);
    }
    if (s->display->is_round)
        share = fminf(
            share, (0.497f * fminf(size[0], size[1]) - sqrtf(at[0] * at[0] + at[1] * at[1])) / soft);
    return share > 0 ? share < 1 ? share : 1 : 0;
}

static void find_density(void *data, uint32_t row, uint32_t worker)
{
    (void)worker;
    const show *s = data;
    const uint32_t width = s->x->view.width;
    const float *signal = (const float *)s->x->signal.data + (size_t)row * width;
    float *density = s->density + (size_t)row * width;
    const float least = (float)(s->x->open_signal * exp(-(double)DENSITY_MAX));
    const float per_open = (float)(1 / s->x->open_signal);
    for (uint32_t c = 0; c < width; c++)
        density[c] = signal[c] > least ? -logf(signal[c] * per_open) : DENSITY_MAX;
}

static void equalize_row(void *data, uint32_t row, uint32_t worker)
{
    (void)worker;
    const show *s = data;
    const size_t at = (size_t)row * s->x->view.width;
    for (uint32_t c = 0; c < s->x->view.width; c++)
        s->density[at + c] -= s->display->equalize * (s->coarse[at + c] - s->middle);
}

static void sharpen_row(void *data, uint32_t row, uint32_t worker)
{
    (void)worker;
    const show *s = data;
    const size_t at = (size_t)row * s->x->view.width;
    for (uint32_t c = 0; c < s->x->view.width; c++)
        s->density[at + c] += s->display->sharpen * (s->density[at + c] - s->coarse[at + c]);
}

static rn_result equalize(show *s)
{
    rn_xray *x = s->x;
    const size_t pixels = rni_xray_pixels(x);
    float *coarse = x->blurred[0].data;
    const double size = 0.08 * fmax(x->view.width, x->view.height), sigma[2] = {size, size};
    rn_result result = RN_OK;
    if (s->display->equalize > 0) {
        result = rni_xray_blur_wide(x, s->density, coarse, sigma);
        if (result != RN_OK) return result;
        double sum = 0;
        for (size_t n = 0; n < pixels; n++) sum += (double)coarse[n];
        s->middle = (float)(sum / (double)pixels);
        rni_crew_pieces(x->crew, x->view.height, equalize_row, s);
    }
    if (s->display->sharpen > 0) {
        const double fine = 0.004 * fmax(x->view.width, x->view.height);
        memcpy(coarse, s->density, pixels * sizeof(float));
        result = rni_xray_blur_wide(x, s->density, coarse, (double[2]){fine, fine});
        if (result == RN_OK) rni_crew_pieces(x->crew, x->view.height, sharpen_row, s);
    }
    return result;
}

/* Whether a pixel counts when the window is chosen. */
static bool is_counted(const show *s, uint32_t column, uint32_t row, bool is_behind)
{
    if (shown_share(s, column, row) < 1) return false;
    const float signal = ((const float *)s->x->signal.data)[(size_t)row * s->x->view.width + column];
    return !is_behind || (double)signal < 0.5 * s->x->open_signal;
}

/* Number, least and greatest density of the pixels that count. */
static uint64_t find_range(const show *s, bool is_behind, float *low, float *high)
{
    const uint32_t width = s->x->view.width;
    uint64_t total = 0;
    *low = INFINITY, *high = -INFINITY;
    for (uint32_t row = 0; row < s->x->view.height; row++)
        for (uint32_t c = 0; c < width; c++) {
            if (!is_counted(s, c, row, is_behind)) continue;
            const float value = s->density[(size_t)row * width + c];
            *low = fminf(*low, value);
            *high = fmaxf(*high, value);
            total++;
        }
    return total;
}

/* Chooses the window by a histogram. */
static void choose_window(show *s)
{
    const uint32_t width = s->x->view.width, height = s->x->view.height;
    uint64_t bin[BINS] = {0}, below = 0;
    float low, high;
    bool is_behind = true;
    uint64_t total = find_range(s, true, &low, &high);
    if (total < 64 || 200 * total < rni_xray_pixels(s->x)) {
        is_behind = false;
        total = find_range(s, false, &low, &high);
    }
    const float step = fmaxf((high - low) / BINS, 1e-9f);
    for (uint32_t row = 0; row < height; row++)
        for (uint32_t c = 0; c < width; c++) {
            if (!is_counted(s, c, row, is_behind)) continue;
            const float place = (s->density[(size_t)row * width + c] - low) / step;
            bin[place < BINS - 1 ? (uint32_t)place : BINS - 1]++;
        }
    uint32_t first = 0, last = BINS - 1, middle = 0;
    while (middle < BINS - 1 && 2 * (below += bin[middle]) < total) middle++;
    below = 0;
    while (first < BINS - 1 && 100 * (below += bin[first]) < total) first++;
    below = 0;
    while (last > first && 200 * (below += bin[last]) < total) last--;
    /* The middle becomes light grey at most: what is thin is black rather than all else white. */
    const uint32_t reach = 3 * (last - middle) / 2;
    if (middle > first + reach) first = middle - reach;
    s->low = low + step * (float)first;
    s->high = low + step * (float)(last + 1);
    if (!(s->high - s->low > 0.02f)) { /* nothing but noise */
        s->low -= 0.5f;
        s->high += 0.5f;
    }
}

static void show_row(void *data, uint32_t row, uint32_t worker)
{
    (void)worker;
    const show *s = data;
    const uint32_t width = s->x->view.width;
    for (uint32_t c = 0; c < width; c++) {
        float v = (s->density[(size_t)row * width + c] - s->low) / (s->high - s->low);
        v = v > 0 ? v < 1 ? v : 1 : 0;
        /* Steeper in the middle than at the ends: dense parts keep their differences. */
        v += s->display->shoulder * (v * (2 - v) - v);
        if (s->display->is_dark_dense) v = 1 - v;
        s->gray[(size_t)row * width + c] = (uint16_t)(v * shown_share(s, c, row) * 65535 + 0.5f);
    }
}

rn_result rn_xray_show(rn_xray *x, const rn_xray_display *display, uint16_t *gray,
                       rn_xray_display *used)
{
    if (!x || !display || !gray)
        return rni_fail(RN_ERROR_ARGUMENT, "xray, display and gray must not be NULL");
    rn_result result = check(x, display);
    if (result != RN_OK) return result;
    show s = {.x = x,
              .display = display,
              .density = x->quantum.data,
              .coarse = x->blurred[0].data,
              .gray = gray};
    rni_crew_pieces(x->crew, x->view.height, find_density, &s);
    result = equalize(&s);
    if (result != RN_OK) return result;
    if (display->window > 0) {
        s.low = display->level - 0.5f * display->window;
        s.high = display->level + 0.5f * display->window;
    } else {
        choose_window(&s);
    }
    rni_crew_pieces(x->crew, x->view.height, show_row, &s);
    if (used) {
        *used = *display;
        used->window = s.high - s.low;
        used->level = 0.5f * (s.high + s.low);
    }
    return RN_OK;
}
