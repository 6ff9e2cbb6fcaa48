#include "plot/axis.h"

#include <math.h>
#include <stdio.h>

/* The round numbers r(k) = 1, 2, 5, 10, 20, ... for k = 0, 1, 2, ..., also for negative k. */
static double round_number(int k)
{
    static const double digit[] = {1, 2, 5};
    int decade = k >= 0 ? k / 3 : -((2 - k) / 3);
    unsigned place = (unsigned)(k - decade * 3) % 3; /* always below 3 */
    return digit[place] * pow(10, decade);
}

/* The largest k with r(k) <= value, with a small tolerance for rounding. */
static int round_below(double value)
{
    int k = (int)floor(log10(value)) * 3 - 1;
    while (round_number(k + 1) <= value * (1 + 1e-9)) k++;
    return k;
}

static rni_axis fit_log(double low, double high, uint32_t wanted)
{
    rni_axis axis = {.is_log = true};
    int first = round_below(low);
    int last = round_below(high);
    if (round_number(last) < high * (1 - 1e-9)) last++;
    if (last == first) last++;
    axis.low = round_number(first);
    axis.high = round_number(last);

    /* Every round number if there are few, otherwise every decade or every few decades. */
    int every = 1;
    while ((uint32_t)(last - first) / (uint32_t)every > wanted * 3 / 2)
        every = every < 3 ? 3 : every + 3;
    for (int k = first; k <= last && axis.tick_count < RNI_AXIS_MAX_TICKS; k++)
        if (k % every == 0) axis.tick[axis.tick_count++] = round_number(k);
    return axis;
}

static rni_axis fit_linear(double low, double high, uint32_t wanted)
{
    rni_axis axis = {.is_log = false};
    int k = round_below((high - low) / wanted);
    if ((high - low) / round_number(k) > wanted * 1.3) k++;
    double step = round_number(k);
    double first = floor(low / step + 1e-9);
    double last = ceil(high / step - 1e-9);
    axis.low = first * step;
    axis.high = last * step;
    for (double t = first; t <= last && axis.tick_count < RNI_AXIS_MAX_TICKS; t += 1)
        axis.tick[axis.tick_count++] = t * step;
    return axis;
}

rni_axis rni_axis_fit(double low, double high, bool is_log, uint32_t wanted)
{
    if (wanted < 2) wanted = 2;
    if (!isfinite(low) || !isfinite(high) || low > high || (is_log && low <= 0)) low = high = 1;
    if (is_log) return fit_log(fmax(low, 1e-300), fmin(high, 1e300), wanted);
    if (!(high - low > fabs(high) * 1e-12)) {
        double half = high != 0 ? fabs(high) * 0.5 : 0.5;
        low -= half;
        high += half;
    }
    return fit_linear(low, high, wanted);
}

double rni_axis_place(const rni_axis *axis, double value)
{
    if (!isfinite(value)) return (double)NAN;
    if (!axis->is_log) return (value - axis->low) / (axis->high - axis->low);
    if (value <= 0) return (double)NAN;
    return (log(value) - log(axis->low)) / (log(axis->high) - log(axis->low));
}

double rni_axis_step(const rni_axis *axis)
{
    return axis->is_log || axis->tick_count < 2 ? 0 : axis->tick[1] - axis->tick[0];
}

void rni_axis_label(double value, double step, char text[24])
{
    static const struct {
        double scale;
        const char *sign;
    } units[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    double size = fabs(value);
    /* Rounding can move a tick at zero slightly off zero. */
    if (size < step * 1e-6) value = size = 0;
    int digits = 3;
    if (step > 0 && size / step > 99) digits = 1 + (int)ceil(fmin(log10(size / step), 8));
    if (size < 1e12)
        for (uint32_t u = 0; u < sizeof units / sizeof *units; u++)
            if (size >= units[u].scale * 0.9999999) {
                snprintf(text, 24, "%.*g%s", digits, value / units[u].scale, units[u].sign);
                return;
            }
    snprintf(text, 24, "%.*g", digits, value);
}
