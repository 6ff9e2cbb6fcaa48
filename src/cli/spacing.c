/* The spacing of particles whose file does not say it.
 *
 * Among other particles all around, a particle's share of space is 1 over their density: that is what the surface of the
 * particles should enclose, however irregular they are. Where no particle is among others (sheets, threads,
 * spray), the distance to the nearest one has to do. On a lattice both agree. */
#include "cli/picture_source.h"

#include "base/pi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROBES 200u
#define LEAST  8u   /* probes among others that are believed */
#define RADIUS 3.0f /* of the kernel, in spacings */
#define ROUNDS 3u   /* each with the radius of the spacing found before */
#define OFF \
    0.15f /* of the radius: how far the middle of the others may be from a particle among them */
#define ROUND      0.94f /* how round the cloud of the others has to be; 1: as a ball; 0.9: two layers */
#define AS_LATTICE 0.02f

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a;
    float y = *(const float *)b;
    return (x > y) - (x < y);
}

static float nearest_sq(const float *position, uint32_t count, uint32_t i)
{
    const float *p = position + 3 * (size_t)i;
    float least = INFINITY;
    for (uint32_t j = 0; j < count; j++) {
        const float *q = position + 3 * (size_t)j;
        float x = q[0] - p[0];
        float y = q[1] - p[1];
        float z = q[2] - p[2];
        float distance_sq = x * x + y * y + z * z;
        if (j != i && distance_sq > 0 && distance_sq < least) least = distance_sq;
    }
    return least;
}

/* What is around a particle, lengths in radii: the sum of weights, and their first and second moments. */
typedef struct around {
    float sum, first[3], second[6];
} around;

static around look_around(const float *position, uint32_t count, uint32_t i, float radius)
{
    const float *p = position + 3 * (size_t)i;
    around a = {0};
    for (uint32_t j = 0; j < count; j++) {
        const float *q = position + 3 * (size_t)j;
        float x = (q[0] - p[0]) / radius, y = (q[1] - p[1]) / radius, z = (q[2] - p[2]) / radius;
        float rest = 1 - (x * x + y * y + z * z);
        if (!(rest > 0)) continue;
        float weight = rest * rest * rest;
        a.sum += weight;
        a.first[0] += weight * x, a.first[1] += weight * y, a.first[2] += weight * z;
        a.second[0] += weight * x * x, a.second[1] += weight * y * y, a.second[2] += weight * z * z;
        a.second[3] += weight * x * y, a.second[4] += weight * x * z, a.second[5] += weight * y * z;
    }
    return a;
}

static bool is_among(const around *a)
{
    const float *m = a->second;
    float off_sq = a->first[0] * a->first[0] + a->first[1] * a->first[1] + a->first[2] * a->first[2];
    if (off_sq > OFF * OFF * a->sum * a->sum) return false;
    float third = (m[0] + m[1] + m[2]) / 3;
    float volume = m[0] * (m[1] * m[2] - m[5] * m[5]) - m[3] * (m[3] * m[2] - m[5] * m[4]) +
                   m[4] * (m[3] * m[5] - m[1] * m[4]);
    return volume >= ROUND * third * third * third;
}

/* m: by the density around the probes that are among others; 0: too few are. */
static float by_density(const float *position, uint32_t count, float spacing)
{
    const float norm = 315 / (64 * (float)RNI_PI);
    float found[PROBES], radius = RADIUS * spacing;
    uint32_t probes = count < PROBES ? count : PROBES, among = 0;
    for (uint32_t k = 0; k < probes; k++) {
        around a = look_around(position, count, (uint32_t)((uint64_t)k * count / probes), radius);
        if (is_among(&a)) found[among++] = radius / cbrtf(norm * a.sum);
    }
    if (among < LEAST) return 0;
    qsort(found, among, sizeof *found, compare);
    return found[among / 2];
}

float rni_picture_find_spacing(const float *position, uint32_t count)
{
    float found[PROBES];
    uint32_t probes = count < PROBES ? count : PROBES;
    for (uint32_t k = 0; k < probes; k++)
        found[k] = nearest_sq(position, count, (uint32_t)((uint64_t)k * count / probes));
    qsort(found, probes, sizeof *found, compare);
    float near = probes > 0 ? sqrtf(found[probes / 2]) : 0;
    if (!isfinite(near) || !(near > 0)) return 1;
    /* The nearest of irregular particles is far closer than they are on average: at first, a wide kernel. */
    float spacing = 2 * near;
    for (uint32_t round = 0; round < ROUNDS && spacing > 0; round++)
        spacing = by_density(position, count, spacing);
    if (!(spacing > 0)) spacing = by_density(position, count, near);
    if (!(spacing > 0) || !isfinite(spacing)) return near;
    return fabsf(spacing / near - 1) < AS_LATTICE ? near : spacing;
}
