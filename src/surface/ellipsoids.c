/* Anisotropic kernels (Yu and Turk 2013): each particle becomes an ellipsoid along its neighbours.
 *
 * The centre moves towards the weighted mean of the neighbours (their equation 6), the weighted covariance
 * (9, 10) is the shape; its largest and smallest axes differ by a factor of 4 at most (15). Other than in the paper:
 * - the axes are scaled so that all ellipsoids have the volume of the sphere, instead of by a constant for a
 *   given particle spacing;
 * - the centre moves half the way to the mean within one kernel radius, instead of nine tenths of the way
 *   to the mean within two: that draws the surface in by most of a spacing;
 * - next to walls ellipsoids become spheres.
 * Particles with few neighbours stay spheres, half as wide. */
#include "surface/surface.h"

#include <math.h>
#include <string.h>

#define MAX_RATIO      4.0f
#define FEW_NEIGHBOURS 25u
#define FEW_WIDTH      0.5f
#define CENTER_SHARE   0.5f /* of the way to the mean */

typedef struct cloud {
    float mean[3];
    float covariance[6]; /* xx, yy, zz, xy, xz, yz */
    float near_mean[3];  /* the same, within one radius */
    uint32_t count;
} cloud;

/* Mean and covariance with the weights 1 - (r / 2 radii)^3. */
static void measure(const rni_candidates *candidates, const float x[3], cloud *out)
{
    double weight = 0, first[3] = {0}, second[6] = {0}, near_weight = 0, near_first[3] = {0};
    out->count = 0;
    for (uint32_t j = 0; j < candidates->count; j++) {
        float d[3];
        for (uint32_t k = 0; k < 3; k++) d[k] = candidates->x[k][j] - x[k];
        float r_sq = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (!(r_sq < 4)) continue;
        float r = 0.5f * sqrtf(r_sq);
        double w = (double)(1 - r * r * r);
        double n = r < 0.5f ? (double)(1 - 8 * r * r * r) : 0;
        weight += w;
        near_weight += n;
        for (uint32_t k = 0; k < 3; k++) {
            first[k] += w * (double)d[k];
            near_first[k] += n * (double)d[k];
            second[k] += w * (double)(d[k] * d[k]);
        }
        second[3] += w * (double)(d[0] * d[1]);
        second[4] += w * (double)(d[0] * d[2]);
        second[5] += w * (double)(d[1] * d[2]);
        out->count += r_sq > 0;
    }
    double m[3];
    for (uint32_t k = 0; k < 3; k++) out->near_mean[k] = (float)(near_first[k] / near_weight);
    for (uint32_t k = 0; k < 3; k++) out->mean[k] = (float)(m[k] = first[k] / weight);
    for (uint32_t k = 0; k < 3; k++) out->covariance[k] = (float)(second[k] / weight - m[k] * m[k]);
    out->covariance[3] = (float)(second[3] / weight - m[0] * m[1]);
    out->covariance[4] = (float)(second[4] / weight - m[0] * m[2]);
    out->covariance[5] = (float)(second[5] / weight - m[1] * m[2]);
}

/* Eigenvalues a[k][k] and eigenvectors (columns of q) of a symmetric matrix, by Jacobi rotations. */
static void find_axes(float a[3][3], float q[3][3])
{
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t j = 0; j < 3; j++) q[i][j] = i == j ? 1 : 0;
    for (uint32_t round = 0; round < 18; round++) {
        uint32_t i = round % 3 == 2 ? 1 : 0;
        uint32_t j = round % 3 == 0 ? 1 : 2;
        if (fabsf(a[i][j]) <= 1e-7f * (fabsf(a[i][i]) + fabsf(a[j][j]))) continue;
        float theta = (a[j][j] - a[i][i]) / (2 * a[i][j]);
        float t = (theta < 0 ? -1.0f : 1.0f) / (fabsf(theta) + sqrtf(theta * theta + 1));
        float c = 1 / sqrtf(t * t + 1);
        float n = t * c;
        for (uint32_t k = 0; k < 3; k++) {
            float p = a[k][i], r = a[k][j];
            a[k][i] = c * p - n * r;
            a[k][j] = n * p + c * r;
        }
        for (uint32_t k = 0; k < 3; k++) {
            float p = a[i][k], r = a[j][k];
            a[i][k] = c * p - n * r;
            a[j][k] = n * p + c * r;
            p = q[k][i], r = q[k][j];
            q[k][i] = c * p - n * r;
            q[k][j] = n * p + c * r;
        }
    }
}

/* Axes of the ellipsoid in kernel radii, from eigenvalues. */
static void limit_axes(const float a[3][3], float axis[3])
{
    float largest = fmaxf(a[0][0], fmaxf(a[1][1], a[2][2]));
    float product = 1;
    for (uint32_t k = 0; k < 3; k++) {
        axis[k] = fmaxf(a[k][k], largest / MAX_RATIO);
        product *= axis[k];
    }
    float mean = cbrtf(product);
    for (uint32_t k = 0; k < 3; k++) axis[k] = fminf(axis[k] / mean, RNI_MAX_STRETCH);
}

static void set_form(const rn_surface *s, float q[3][3], const float axis[3], rni_splat *splat)
{
    static const uint32_t row[6] = {0, 1, 2, 0, 0, 1};
    static const uint32_t column[6] = {0, 1, 2, 1, 2, 2};
    for (uint32_t n = 0; n < 6; n++) {
        splat->form[n] = 0;
        for (uint32_t k = 0; k < 3; k++)
            splat->form[n] += q[row[n]][k] * q[column[n]][k] / (axis[k] * axis[k]);
    }
    for (uint32_t n = 0; n < 3; n++) {
        float sum = 0;
        for (uint32_t k = 0; k < 3; k++) sum += q[n][k] * q[n][k] * axis[k] * axis[k];
        splat->extent[n] = sqrtf(sum) * s->grid.radius;
    }
}

void rni_surface_stretch(const rn_surface *s, const rni_candidates *candidates, float wall_share,
                         rni_splat *splat)
{
    float x[3], axis[3];
    cloud c;
    for (uint32_t k = 0; k < 3; k++)
        x[k] = (splat->x[k] - candidates->origin[k]) * (1 / s->grid.radius);
    measure(candidates, x, &c);
    if (c.count < FEW_NEIGHBOURS) {
        for (uint32_t k = 0; k < 3; k++) {
            splat->form[k] = 1 / (FEW_WIDTH * FEW_WIDTH);
            splat->extent[k] = FEW_WIDTH * s->grid.radius;
        }
        splat->weight = 1;
        return;
    }
    const float *v = c.covariance;
    float a[3][3] = {{v[0], v[3], v[4]}, {v[3], v[1], v[5]}, {v[4], v[5], v[2]}};
    float q[3][3];
    find_axes(a, q);
    limit_axes((const float(*)[3])a, axis);
    /* Next to a wall there are no neighbours behind it, which would flatten the ellipsoid and draw it away. */
    float freedom = fmaxf(0, 2 * wall_share - 1);
    for (uint32_t k = 0; k < 3; k++) axis[k] = 1 + freedom * (axis[k] - 1);
    set_form(s, q, axis, splat);
    float share = CENTER_SHARE * freedom;
    for (uint32_t k = 0; k < 3; k++) splat->x[k] += share * c.near_mean[k] * s->grid.radius;
}
