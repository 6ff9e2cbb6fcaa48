/* Where most points lie, told from a few of them: strays, however far, do not count. */
#ifndef RNI_SEARCH_CORE_H
#define RNI_SEARCH_CORE_H

#include <math.h>
#include <stdint.h>

#define RNI_CORE_SAMPLES 64u

/* Of `step` points from `at` on, of `count` in all, the one to take as sample number `number`: the first or a later
 * one by turns without a pattern. The same for any number of threads, and for the same points the same at any time. */
static inline uint64_t rni_sample_at(uint64_t at, uint64_t step, uint32_t number, uint64_t count)
{
    const uint64_t i = at + (((uint64_t)number * 0x9e3779b97f4a7c15u) >> 32) % step;
    return i < count ? i : at;
}

/* Narrows low .. high to the middle three quarters of the samples along an axis, and as much again on either side:
 * for points spread evenly that is all of it. Sorts the samples, at least one. */
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
