/* The range of values that the colour map covers. */
#include "render/canvas.h"

#include <string.h>

#define BIN_COUNT 4096u
#define OUTLIERS  0.02 /* share of the particles above the range */

typedef struct values {
    const rni_canvas *canvas;
    float low, high;
    uint32_t bins[BIN_COUNT];
} values;

static void count_bins(values *v)
{
    memset(v->bins, 0, sizeof v->bins);
    float scale = (float)BIN_COUNT / (v->high - v->low);
    for (uint32_t i = 0; i < v->canvas->picture->frame.count; i++) {
        float place = (v->canvas->value[i] - v->low) * scale;
        v->bins[(uint32_t)rni_clamp(place, 0, (float)(BIN_COUNT - 1))]++;
    }
}

/* The value that `share` of the particles lie below. */
static float quantile(const values *v, double share)
{
    double wanted = share * (double)v->canvas->picture->frame.count;
    double sum = 0;
    uint32_t bin = 0;
    while (bin + 1 < BIN_COUNT && sum + v->bins[bin] <= wanted) sum += v->bins[bin++];
    return v->low + (v->high - v->low) * ((float)bin + 0.5f) / (float)BIN_COUNT;
}

/* A range that is too narrow would show rounding as a pattern. */
static void widen(const rni_colors *colors, float range[2])
{
    float middle = 0.5f * (range[0] + range[1]);
    float least = colors->narrowest * fabsf(middle);
    if (range[1] - range[0] >= least && range[1] > range[0]) return;
    if (least == 0) least = 1;
    range[0] = !colors->may_begin_at_zero || range[0] != 0 ? middle - 0.5f * least : 0;
    range[1] = range[0] + least;
}

void rni_range_find(rni_canvas *canvas)
{
    const rni_picture *p = canvas->picture;
    const rni_colors *colors = canvas->colors;
    float *range = canvas->range;
    range[0] = 0;
    range[1] = 1;
    if (rni_canvas_has_fluids(canvas)) {
        range[0] = -0.5f, range[1] = (float)p->fluid_count - 0.5f;
        return;
    }
    if (p->has_range) memcpy(range, p->range, sizeof p->range);
    if (p->has_range || !canvas->value || p->frame.count == 0) return;
    values v = {.canvas = canvas, .low = INFINITY, .high = -INFINITY};
    for (uint32_t i = 0; i < p->frame.count; i++) {
        v.low = fminf(v.low, canvas->value[i]);
        v.high = fmaxf(v.high, canvas->value[i]);
    }
    range[0] = v.low;
    range[1] = v.high;
    if (v.high > v.low && isfinite((float)BIN_COUNT / (v.high - v.low)) && isfinite(v.high - v.low)) {
        count_bins(&v);
        range[0] = quantile(&v, colors->low_outliers);
        range[1] = quantile(&v, 1 - OUTLIERS);
    }
    if (colors->may_begin_at_zero && range[0] > 0 && range[0] < 0.5f * range[1]) range[0] = 0;
    if (colors->begins_at_zero) range[0] = 0;
    widen(colors, range);
}
