/* An axis: from where to where, and where the ticks sit. */
#ifndef RNI_PLOT_AXIS_H
#define RNI_PLOT_AXIS_H

#include <stdbool.h>
#include <stdint.h>

#define RNI_AXIS_MAX_TICKS 24u

typedef struct rni_axis {
    double low, high; /* low < high; both positive when is_log */
    bool is_log;
    uint32_t tick_count;
    double tick[RNI_AXIS_MAX_TICKS];
} rni_axis;

/* Widened outwards from the data to round numbers (1, 2, 5 times a power of ten); wanted is the
 * number of ticks that looks right, kept within a factor of two. Any input gives an axis that can
 * be drawn. */
rni_axis rni_axis_fit(double low, double high, bool is_log, uint32_t wanted);

/* 0 at low, 1 at high; NaN for what the axis cannot hold (not finite, or not positive on a log
 * axis). */
double rni_axis_place(const rni_axis *axis, double value);

/* "0.05", "20", "1.5k", "2M", "3G". Three digits, and as many more as tell values that lie step
 * apart from each other; step 0: three. */
void rni_axis_label(double value, double step, char text[24]);

/* What the labels of an axis take as step. */
double rni_axis_step(const rni_axis *axis);

#endif
