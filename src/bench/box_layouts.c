#include "bench/box_layouts.h"

#include "base/pi.h"
#include "base/random.h"

#include <math.h>

#define CLOUDS 64u

const char *rni_box_layout_name(uint32_t place)
{
    static const char *const names[] = {"equal", "mixed", "clusters", "sparse"};
    return place < 4 ? names[place] : NULL;
}

/* Volume of a sphere, or area of a disc, in a box of this edge. */
static double ball(uint32_t dim, double edge)
{
    return dim == 2 ? RNI_PI / 4 * edge * edge : RNI_PI / 6 * edge * edge * edge;
}

static double side_of(uint32_t dim, double volume)
{
    return dim == 2 ? sqrt(volume) : cbrt(volume);
}

static void put(float *low, float *high, uint32_t dim, uint32_t i, const double *centre, double edge)
{
    for (uint32_t axis = 0; axis < dim; axis++) {
        low[(size_t)i * dim + axis] = (float)(centre[axis] - 0.5 * edge);
        high[(size_t)i * dim + axis] = (float)(centre[axis] + 0.5 * edge);
    }
}

static void fill_even(uint32_t dim, uint32_t count, double density, bool is_mixed, float *low,
                      float *high)
{
    rni_random random = rni_random_make(1);
    double mean = 0.0; /* volume of a ball: exact for equal boxes, the integral over log sizes */
    if (!is_mixed) mean = ball(dim, 1.0);
    else mean = (ball(dim, 32.0) - ball(dim, 1.0 / 32.0)) / (dim * log(1024.0));
    double side = side_of(dim, count * mean / density);
    for (uint32_t i = 0; i < count; i++) {
        double centre[3];
        for (uint32_t axis = 0; axis < dim; axis++) centre[axis] = side * rni_random_unit(&random);
        double edge = is_mixed ? exp2(10.0 * rni_random_unit(&random) - 5.0) : 1.0;
        put(low, high, dim, i, centre, edge);
    }
}

typedef struct cloud {
    double centre[3], deviation;
} cloud;

static void fill_clusters(uint32_t dim, uint32_t count, double density, float *low, float *high)
{
    rni_random random = rni_random_make(2);
    cloud clouds[CLOUDS];
    double side = 20.0 * side_of(dim, count * ball(dim, 1.0) / density), shares[CLOUDS], sum = 0.0;
    for (uint32_t c = 0; c < CLOUDS; c++) sum += shares[c] = exp2(6.0 * rni_random_unit(&random));
    for (uint32_t c = 0; c < CLOUDS; c++) {
        double volume = count * shares[c] / sum * ball(dim, 1.0) / density;
        /* a ball of two deviations holds most of a cloud */
        clouds[c].deviation = 0.35 * side_of(dim, volume);
        for (uint32_t axis = 0; axis < dim; axis++)
            clouds[c].centre[axis] = side * rni_random_unit(&random);
    }
    for (uint32_t i = 0; i < count; i++) {
        double centre[3], choice = sum * rni_random_unit(&random);
        bool is_anywhere = rni_random_unit(&random) < 0.05;
        uint32_t c = 0;
        while (c + 1 < CLOUDS && choice >= shares[c]) choice -= shares[c++];
        for (uint32_t axis = 0; axis < dim; axis++) {
            double here = clouds[c].centre[axis] + clouds[c].deviation * rni_random_normal(&random);
            centre[axis] = is_anywhere ? side * rni_random_unit(&random) : here;
        }
        put(low, high, dim, i, centre, 1.0);
    }
}

void rni_box_layout_fill(rni_box_layout layout, uint32_t dim, uint32_t count, double density,
                         float *low, float *high)
{
    if (layout == RNI_BOXES_CLUSTERS) fill_clusters(dim, count, density, low, high);
    else if (layout == RNI_BOXES_SPARSE) fill_even(dim, count, 1e-3 * density, false, low, high);
    else fill_even(dim, count, density, layout == RNI_BOXES_MIXED, low, high);
}

void rni_box_scene_fill(uint32_t dim, uint32_t count, uint64_t seed, float *low, float *high)
{
    rni_random random = rni_random_make(seed);
    for (uint32_t i = 0; i < count; i++) {
        double part = (i + 0.5) / count;
        double average = part < 0.1 ? 1024.0 : part < 0.35 ? 64.0 : 8.0;
        for (uint32_t axis = 0; axis < dim; axis++) {
            double edge = average * (0.5 + rni_random_unit(&random));
            double at = 8192.0 * rni_random_unit(&random);
            low[(size_t)i * dim + axis] = (float)(at - 0.5 * edge);
            high[(size_t)i * dim + axis] = (float)(at + 0.5 * edge);
        }
    }
}

void rni_segment_scene_fill(uint32_t dim, uint32_t count, uint64_t seed, float *from, float *to)
{
    rni_random random = rni_random_make(seed);
    for (size_t k = 0; k < (size_t)count * dim; k++) {
        double at = 8192.0 * rni_random_unit(&random);
        from[k] = (float)at;
        to[k] = (float)(at + 16.0 * (2.0 * rni_random_unit(&random) - 1.0));
    }
}
