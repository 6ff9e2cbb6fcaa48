/* Which values the ends of the colour map stand for. */
#include "render/canvas.h"

#include <string.h>

#define BIN_COUNT 4096u
#define OUTLIERS  0.02 /* share of the particles left out at each end */
#define SPRAY     0.08 /* the same at the low end of densities */

typedef struct values {
    const rni_canvas *canvas;
    float low, high;
    uint32_t bins[BIN_COUNT];
} values;

static void count_bins(values *v)
{
    memset(v->bins, 0, sizeof v->bins);
    float scale = (float)BIN_COUNT / (v->high - v->low);
    for (uint32_t i = 0; i < v->canvas->picture->count; i++) {
        float place = (rni_canvas_value(v->canvas, i) - v->low) * scale;
        v->bins[(uint32_t)rni_clamp(place, 0, (float)(BIN_COUNT - 1))]++;
    }
}

/* The value that `share` of the particles lie below. */
static float quantile(const values *v, double share)
{
    double wanted = share * (double)v->canvas->picture->count;
    double sum = 0;
    uint32_t bin = 0;
    while (bin + 1 < BIN_COUNT && sum + v->bins[bin] <= wanted) sum += v->bins[bin++];
    return v->low + (v->high - v->low) * ((float)bin + 0.5f) / (float)BIN_COUNT;
}

/* Apart from each other by at least a thousandth, so that rounding is not shown as a pattern. */
static void widen(rni_picture_color color, float range[2])
{
    float middle = 0.5f * (range[0] + range[1]);
    float least = color == RNI_COLOR_BY_DENSITY ? 0.02f * fabsf(middle) : 1e-3f * fabsf(middle);
    if (range[1] - range[0] >= least && range[1] > range[0]) return;
    if (least == 0) least = 1;
    range[0] = color == RNI_COLOR_BY_DENSITY || range[0] != 0 ? middle - 0.5f * least : 0;
    range[1] = range[0] + least;
}

void rni_range_find(rni_canvas *canvas)
{
    const rni_picture *p = canvas->picture;
    float *range = canvas->range;
    range[0] = 0;
    range[1] = 1;
    if (p->has_range) memcpy(range, p->range, sizeof p->range);
    if (p->has_range || !p->value || p->count == 0) return;
    values v = {.canvas = canvas, .low = INFINITY, .high = -INFINITY};
    for (uint32_t i = 0; i < p->count; i++) {
        v.low = fminf(v.low, rni_canvas_value(canvas, i));
        v.high = fmaxf(v.high, rni_canvas_value(canvas, i));
    }
    range[0] = v.low;
    range[1] = v.high;
    if (v.high > v.low && isfinite((float)BIN_COUNT / (v.high - v.low)) && isfinite(v.high - v.low)) {
        count_bins(&v);
        /* Spray has the density of a few: it would leave one colour for all of the water. */
        range[0] = quantile(&v, p->color == RNI_COLOR_BY_DENSITY ? SPRAY : OUTLIERS);
        range[1] = quantile(&v, 1 - OUTLIERS);
    }
    /* Nothing is a value too, for all but density. */
    if (p->color != RNI_COLOR_BY_DENSITY && range[0] > 0 && range[0] < 0.5f * range[1])
        range[0] = 0;
    if (p->color == RNI_COLOR_BY_SPEED) range[0] = 0;
    widen(p->color, range);
}
