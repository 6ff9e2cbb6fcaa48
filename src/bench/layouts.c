#include "bench/layouts.h"

#include "base/pi.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

#define JITTER        0.1f
#define CLUSTER_COUNT 64u

const char *rni_layout_name(uint32_t place)
{
    static const char *const names[] = {"lattice", "sorted", "random5", "clusters"};
    return place < sizeof names / sizeof *names ? names[place] : NULL;
}

void rni_layout_shuffle(float *position, uint32_t dim, uint32_t count, uint64_t seed)
{
    rni_random random = rni_random_make(seed);
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = rni_random_below(&random, i);
        float kept[3];
        float *a = position + (size_t)(i - 1) * dim;
        float *b = position + (size_t)j * dim;
        memcpy(kept, a, dim * sizeof *a);
        memmove(a, b, dim * sizeof *a);
        memcpy(b, kept, dim * sizeof *a);
    }
}

/* The smallest side whose square or cube holds count points. */
static uint32_t lattice_side(uint32_t dim, uint32_t count)
{
    uint64_t side = 0;
    while ((dim == 2 ? side * side : side * side * side) < count) side++;
    return (uint32_t)side;
}

/* Point q of the lattice, x running fastest. The jitter depends on q alone, so that `lattice` and
 * `sorted` are the same set in different orders. */
static void lattice_point(uint32_t dim, uint32_t side, uint64_t q, float *position)
{
    rni_random random = rni_random_make(0x5eed0000u + q * 0xd1342543de82ef95u);
    uint64_t rest = q;
    for (uint32_t axis = 0; axis < dim; axis++) {
        position[axis] = (float)(rest % side) + rni_random_float(&random, -JITTER, JITTER);
        rest /= side;
    }
}

static void fill_lattice(uint32_t dim, uint32_t count, float *position)
{
    uint32_t side = lattice_side(dim, count);
    for (uint32_t q = 0; q < count; q++) lattice_point(dim, side, q, position + (size_t)q * dim);
    rni_layout_shuffle(position, dim, count, 1);
}

/* Visits all Z-curve codes of the power-of-two cube around the lattice and keeps those that are
 * points. */
static void fill_sorted(uint32_t dim, uint32_t count, float *position)
{
    uint32_t side = lattice_side(dim, count);
    uint32_t bits = 0;
    while ((1u << bits) < side) bits++;
    uint32_t filled = 0;
    for (uint64_t code = 0; filled < count; code++) {
        uint64_t cell[3] = {0};
        for (uint32_t bit = 0; bit < bits * dim; bit++)
            cell[bit % dim] |= (code >> bit & 1) << (bit / dim);
        if (cell[0] >= side || cell[1] >= side || cell[2] >= side) continue;
        uint64_t q = cell[0] + side * (cell[1] + side * cell[2]);
        if (q < count) lattice_point(dim, side, q, position + (size_t)filled++ * dim);
    }
}

/* Area of the disc or volume of the ball. */
static double ball(uint32_t dim, double radius)
{
    return dim == 2 ? RNI_PI * radius * radius : 4.0 / 3.0 * RNI_PI * radius * radius * radius;
}

static void fill_random5(uint32_t dim, uint32_t count, float radius, float *position)
{
    double side = pow(ball(dim, (double)radius) * (count > 1 ? count - 1 : 1) / 5.0, 1.0 / dim);
    rni_random random = rni_random_make(5);
    for (size_t k = 0; k < (size_t)count * dim; k++)
        position[k] = (float)(rni_random_unit(&random) * side);
}

typedef struct cluster {
    double center[3];
    double deviation;
    uint32_t count;
} cluster;

/* A Gaussian cloud of n points has n * ball / ((4 pi)^(d/2) s^d) neighbours on average within a
 * radius well below its deviation s; solved for s. Sizes spread over a factor of 20, densities over
 * a factor of 10. */
static double make_clusters(uint32_t dim, uint32_t count, float radius, rni_random *random,
                            cluster *clusters)
{
    double weight[CLUSTER_COUNT];
    double weight_sum = 0;
    double widest = 0;
    for (uint32_t c = 0; c < CLUSTER_COUNT; c++)
        weight_sum += weight[c] = exp(3.0 * rni_random_unit(random));
    for (uint32_t c = 0; c < CLUSTER_COUNT; c++) {
        double n = floor(0.95 * count * weight[c] / weight_sum);
        double neighbors = 8.0 * exp(2.3 * rni_random_unit(random));
        double scale = ball(dim, (double)radius) / (neighbors * pow(4.0 * RNI_PI, dim / 2.0));
        clusters[c].count = (uint32_t)n;
        clusters[c].deviation = pow(fmax(n, 1) * scale, 1.0 / dim);
        widest = fmax(widest, clusters[c].deviation);
    }
    double side = widest * (dim == 2 ? 60 : 30);
    for (uint32_t c = 0; c < CLUSTER_COUNT; c++)
        for (uint32_t axis = 0; axis < dim; axis++)
            clusters[c].center[axis] = rni_random_unit(random) * side;
    return side;
}

static void fill_clusters(uint32_t dim, uint32_t count, float radius, float *position)
{
    rni_random random = rni_random_make(64);
    cluster clusters[CLUSTER_COUNT] = {0};
    double side = make_clusters(dim, count, radius, &random, clusters);
    float *end = position + (size_t)count * dim;
    float *next = position;
    for (uint32_t c = 0; c < CLUSTER_COUNT; c++)
        for (uint32_t i = 0; i < clusters[c].count; i++)
            for (uint32_t axis = 0; axis < dim; axis++)
                *next++ = (float)(clusters[c].center[axis] +
                                  clusters[c].deviation * rni_random_normal(&random));
    while (next < end) *next++ = (float)(rni_random_unit(&random) * side);
    rni_layout_shuffle(position, dim, count, 2);
}

void rni_layout_fill(rni_layout layout, uint32_t dim, uint32_t count, float radius, float *position)
{
    switch (layout) {
    case RNI_LAYOUT_LATTICE: fill_lattice(dim, count, position); break;
    case RNI_LAYOUT_SORTED: fill_sorted(dim, count, position); break;
    case RNI_LAYOUT_RANDOM5: fill_random5(dim, count, radius, position); break;
    case RNI_LAYOUT_CLUSTERS: fill_clusters(dim, count, radius, position); break;
    }
}
