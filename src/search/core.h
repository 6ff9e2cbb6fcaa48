/* Estimates the box of most points from a small sample. Outliers, however distant, have no
 * effect. */
#ifndef RNI_SEARCH_CORE_H
#define RNI_SEARCH_CORE_H

#include <math.h>
#include <stdint.h>

#define RNI_CORE_SAMPLES 64u

/* Picks sample `number` from `step` points starting at `at`, out of `count` points. A hash of
 * the number selects one of the `step` points, so the samples follow no pattern. The result is
 * the same for any number of threads and in every run. */
static inline uint64_t rni_sample_at(uint64_t at, uint64_t step, uint32_t number, uint64_t count)
{
    const uint64_t i = at + (((uint64_t)number * 0x9e3779b97f4a7c15u) >> 32) % step;
    return i < count ? i : at;
}

/* Narrows low .. high to the middle three quarters of the samples along an axis, extended by the
 * same length on either side. For evenly spread points this is the whole range. Sorts the
 * samples; count must be at least 1. */
static inline void rni_core_of_axis(double *sample, uint32_t count, double *low, double *high)
{
    for (uint32_t k = 1; k < count; k++) {
        const double value = sample[k];
        uint32_t at = k;
        for (; at > 0 && sample[at - 1] > value; at--) sample[at] = sample[at - 1];
        sample[at] = value;
    }
    const double first = sample[count / 8], last = sample[count - 1 - count / 8];
    *low = fmax(*low, first - (last - first));
    *high = fmin(*high, last + (last - first));
}

#endif
