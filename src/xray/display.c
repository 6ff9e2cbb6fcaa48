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
    if (!(d->equalize >= 0 && d->equalize <= 1) || !(d->sharpen >= 0 && d->sharpen <= 8))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "equalize is %g and sharpen %g; they must be from 0 to 1 and from 0 to 8",
                        (double)d->equalize, (double)d->sharpen);
    return RN_OK;
}

/* Whether a pixel is in the field of view. */
static bool is_shown(const show *s, uint32_t column, uint32_t row)
{
    if (!s->display->is_round) return true;
    const float width = (float)s->x->view.width, height = (float)s->x->view.height;
    const float dx = (float)column + 0.5f - 0.5f * width, dy = (float)row + 0.5f - 0.5f * height;
    const float radius = 0.495f * fminf(width, height);
    return dx * dx + dy * dy <= radius * radius;
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

/* Chooses the window by a histogram of the pixels in the field. */
static void choose_window(show *s)
{
    const uint32_t width = s->x->view.width, height = s->x->view.height;
    uint64_t bin[BINS] = {0}, total = 0;
    float low = INFINITY, high = -INFINITY;
    for (uint32_t row = 0; row < height; row++)
        for (uint32_t c = 0; c < width; c++)
            if (is_shown(s, c, row)) {
                const float value = s->density[(size_t)row * width + c];
                low = fminf(low, value);
                high = fmaxf(high, value);
                total++;
            }
    const float step = fmaxf((high - low) / BINS, 1e-9f);
    for (uint32_t row = 0; row < height; row++)
        for (uint32_t c = 0; c < width; c++)
            if (is_shown(s, c, row)) {
                const float place = (s->density[(size_t)row * width + c] - low) / step;
                bin[place < BINS - 1 ? (uint32_t)place : BINS - 1]++;
            }
    uint64_t below = 0;
    uint32_t first = 0, last = BINS - 1;
    while (first < BINS - 1 && 100 * (below += bin[first]) < total) first++;
    below = 0;
    while (last > first && 200 * (below += bin[last]) < total) last--;
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
        if (s->display->is_dark_dense) v = 1 - v;
        s->gray[(size_t)row * width + c] = is_shown(s, c, row) ? (uint16_t)(v * 65535 + 0.5f) : 0;
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
