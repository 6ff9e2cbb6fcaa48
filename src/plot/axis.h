/* An axis: its range and its ticks. */
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

/* Extends the data range outwards to round numbers (1, 2, 5 times a power of ten). wanted is the
 * desired number of ticks, met within a factor of two. Any input gives an axis that can be
 * drawn. */
rni_axis rni_axis_fit(double low, double high, bool is_log, uint32_t wanted);

/* 0 at low, 1 at high; NaN for values the axis cannot show (not finite, or not positive on a log
 * axis). */
double rni_axis_place(const rni_axis *axis, double value);

/* "0.05", "20", "1.5k", "2M", "3G". Three digits, plus as many more as are needed to distinguish
 * values that differ by step; step 0: three. */
void rni_axis_label(double value, double step, char text[24]);

/* The step to pass for the labels of an axis. */
double rni_axis_step(const rni_axis *axis);

#endif
