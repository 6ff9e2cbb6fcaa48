/* Triangles of a boundary field, and the field at single points. */
#include "base/cpu.h"
#include "mesh/field_node.h"

#include <math.h>
#include <string.h>

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* False: no length. */
static bool make_unit(double v[3])
{
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (!(length > 0)) return false;
    for (int a = 0; a < 3; a++) v[a] /= length;
    return true;
}

bool rni_field_triangle_make(rni_field_triangle *t, const float a[3], const float b[3],
                             const float c[3], float scale, bool is_flipped)
{
    const float *corner[3] = {a, is_flipped ? c : b, is_flipped ? b : c};
    double side[3][3];
    for (int k = 0; k < 3; k++)
        for (int n = 0; n < 3; n++) t->corner[k][n] = (double)scale * (double)corner[k][n];
    for (int k = 0; k < 3; k++)
        for (int n = 0; n < 3; n++) {
            side[k][n] = t->corner[(k + 1) % 3][n] - t->corner[k][n];
            t->edge[k][n] = side[k][n];
        }
    cross(side[0], side[1], t->normal);
    if (!make_unit(t->normal)) return false;
    for (int k = 0; k < 3; k++) {
        if (!make_unit(t->edge[k])) return false;
        cross(t->normal, t->edge[k], t->inward[k]);
    }
    return true;
}

rni_field_add_fn rni_field_add_choose(void)
{
#ifdef RNI_X86
    if (rni_cpu_is_wide()) return rni_field_add_avx2;
#endif
    return rni_field_add_plain;
}

void rni_field_sums_clear(rni_field_sums *sums)
{
    memset(sums, 0, sizeof *sums);
    for (uint32_t l = 0; l < RNI_FIELD_BATCH; l++) sums->distance_sq[l] = (double)INFINITY;
}

/* The flux is too small to tell its side below this part of u(0): rounding. */
#define LEAST_FLUX 1e-9
/* Of the reach: from there on the distance is that to the nearest triangle. u is too small there for a
 * distance, and so is all that walls give. */
#define FAR_PART   0.97
#define NOISE_PART 0.75

/* Below this part of a half space there is too little for a ratio. */
#define LEAST_COVER 2e-3
/* Above this part, a solid is not convex. */
#define MOST_PART 0.998

/* Where the solid is convex, the nearest place of its surface counts, and which part of the half space behind
 * that is solid: u knows too little of it, because the law is steep. */
static void find_part(const rni_field_law *law, const rni_field_sums *sums, uint32_t lane,
                      double sign, rni_field_value *value)
{
    const double distance = sqrt(sums->distance_sq[lane]);
    const double own = sign * sums->flux[lane] > 0 ? distance : -distance;
    double slope, flux = sign * sums->cover[lane];
    const double whole = rni_field_law_cover(law, own, &slope);
    if (!(whole > LEAST_COVER) || !(own < (double)value->distance)) return;
    if (own < 0) flux += 2 * law->cover_monomial[0];
    const double part = fmax(flux / whole, 0.02);
    if (part > MOST_PART) return; /* flat, or concave */
    value->distance = (float)own;
    value->part = (float)part;
    for (int a = 0; a < 3; a++) {
        const double n = distance > 0 ? sums->nearest[a][lane] / own : (double)value->gradient[a];
        value->gradient[a] = (float)n;
        if (part > 0.02)
            value->part_gradient[a] =
                (float)((sign * sums->cover_gradient[a][lane] - part * slope * n) / whole);
    }
}

rni_field_side rni_field_value_of(const rni_field_law *law, const rni_field_sums *sums, uint32_t lane,
                                  double noise, bool is_two_sided, rni_field_value *value)
{
    const double flux = sums->flux[lane], distance = sqrt(sums->distance_sq[lane]);
    const rni_field_side side = fabs(flux) < noise * law->at_wall ? RNI_FIELD_UNKNOWN
                                : flux > 0                        ? RNI_FIELD_FLUID
                                                                  : RNI_FIELD_SOLID;
    const double sign = is_two_sided && flux < 0 ? -1 : 1;
    const double u = is_two_sided ? fabs(flux) : flux > 0 ? flux : 2 * law->at_wall + flux;
    double t = side == RNI_FIELD_UNKNOWN ? law->reach : rni_field_law_distance(law, u), slope;
    value->clear = (float)distance;
    value->is_flat = false;
    if (t < FAR_PART * law->reach) {
        rni_field_law_value(law, t, &slope);
        for (int a = 0; a < 3; a++)
            value->gradient[a] = (float)(sign * sums->gradient[a][lane] / slope);
    } else {
        /* Where the flux is noise, yet a wall is near the end of the reach, its distance is known. */
        t = fmax(distance, (distance > NOISE_PART * law->reach ? NOISE_PART : FAR_PART) * law->reach);
        for (int a = 0; a < 3; a++)
            value->gradient[a] = (float)(sums->nearest[a][lane] / fmax(distance, 1e-30));
    }
    value->distance = (float)t;
    value->part = 1;
    memset(value->part_gradient, 0, sizeof value->part_gradient);
    if (side != RNI_FIELD_UNKNOWN) find_part(law, sums, lane, sign, value);
    double trace = 0;
    const float *n = value->gradient;
    const float alone[6] = {n[0] * n[0], n[1] * n[1], n[2] * n[2],
                            n[0] * n[1], n[0] * n[2], n[1] * n[2]};
    for (int k = 0; k < 3; k++) trace += sums->spread[k][lane];
    for (int k = 0; k < 6; k++)
        value->spread[k] =
            side == RNI_FIELD_UNKNOWN ? alone[k] : (float)(sums->spread[k][lane] / trace);
    return side;
}

bool rni_field_sum_at(const rni_field_law *law, const rni_field_triangle *triangles, uint32_t count,
                      const double x[3], bool is_two_sided, rni_field_value *value)
{
    rni_field_points points;
    rni_field_sums sums;
    rni_field_sums_clear(&sums);
    for (int a = 0; a < 3; a++)
        for (uint32_t l = 0; l < RNI_FIELD_BATCH; l++) points.x[a][l] = x[a];
    rni_field_add_choose()(law, triangles, count, &points, &sums);
    return rni_field_value_of(law, &sums, 0, LEAST_FLUX, is_two_sided, value) != RNI_FIELD_UNKNOWN;
}
