/* Volumes: rays marched through voxels, values turned into materials by a ramp. */
#include "xray/xray.h"

#include <math.h>

typedef struct march {
    rn_xray *x;
    const rn_xray_volume *volume;
    double inverse[3][3];       /* from m to voxels: rows are gradients of the voxel coordinates */
    double source[3];           /* in voxels */
    float *image[RN_XRAY_RAMP]; /* path lengths of the ramp's materials; NULL: vacuum */
} march;

rn_xray_volume rn_xray_volume_default(void)
{
    return (rn_xray_volume){.struct_bytes = sizeof(rn_xray_volume)};
}

static rn_result check(const rn_xray_volume *v)
{
    if (v->struct_bytes != sizeof *v)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "volume.struct_bytes is %u instead of %zu; begin with "
                        "rn_xray_volume_default()",
                        v->struct_bytes, sizeof *v);
    if (!v->value || v->count[0] < 1 || v->count[1] < 1 || v->count[2] < 1 ||
        (uint64_t)v->count[0] * v->count[1] > UINT64_C(0xffffffffff) / v->count[2])
        return rni_fail(RN_ERROR_ARGUMENT,
                        "the volume has %u x %u x %u voxels%s; each side must be at least 1, and there "
                        "may be 2^40 voxels",
                        v->count[0], v->count[1], v->count[2], v->value ? "" : " and no values");
    if (v->ramp_count < 1 || v->ramp_count > RN_XRAY_RAMP)
        return rni_fail(RN_ERROR_ARGUMENT, "the ramp has %u corners; it needs 1 to %u",
                        v->ramp_count, RN_XRAY_RAMP);
    for (uint32_t k = 0; k < v->ramp_count; k++)
        if (!isfinite(v->ramp_value[k]) || !(v->ramp_density[k] >= 0) ||
            !isfinite(v->ramp_density[k]) || (k > 0 && !(v->ramp_value[k] > v->ramp_value[k - 1])))
            return rni_fail(RN_ERROR_ARGUMENT,
                            "ramp corner %u has value %g and density %g; values must ascend and "
                            "densities must not be negative",
                            k, (double)v->ramp_value[k], (double)v->ramp_density[k]);
    return RN_OK;
}

/* Inverts the matrix whose columns are the axes. */
static bool invert(const rn_xray_volume *v, double out[3][3])
{
    double size = 1, det = 0;
    for (uint32_t k = 0; k < 3; k++) {
        const float *a = v->axis[(k + 1) % 3], *b = v->axis[(k + 2) % 3];
        double length_sq = 0;
        for (uint32_t n = 0; n < 3; n++) {
            out[k][n] = (double)a[(n + 1) % 3] * (double)b[(n + 2) % 3] -
                        (double)a[(n + 2) % 3] * (double)b[(n + 1) % 3];
            length_sq += (double)v->axis[k][n] * (double)v->axis[k][n];
        }
        size *= sqrt(length_sq);
    }
    for (uint32_t n = 0; n < 3; n++) det += out[0][n] * (double)v->axis[0][n];
    if (!(fabs(det) > 1e-9 * size) || !isfinite(size)) return false;
    for (uint32_t k = 0; k < 9; k++) out[k / 3][k % 3] /= det;
    return true;
}

/* --- one ray ------------------------------------------------------------------------------------------ */

static float voxel(const rn_xray_volume *v, const int64_t at[3])
{
    const float value =
        v->value[((size_t)at[2] * v->count[1] + (size_t)at[1]) * v->count[0] + (size_t)at[0]];
    return isfinite(value) ? value : v->ramp_value[0];
}

/* Interpolated between the middles of voxels; the outer half of the outer voxels is theirs alone. */
static float value_at(const rn_xray_volume *v, const double place[3])
{
    int64_t low[3], high[3];
    float share[3];
    for (uint32_t k = 0; k < 3; k++) {
        const double last = v->count[k] - 1;
        const double at = place[k] < 0 ? 0 : place[k] > last ? last : place[k];
        low[k] = (int64_t)at;
        high[k] = low[k] + 1 < v->count[k] ? low[k] + 1 : low[k];
        share[k] = (float)(at - (double)low[k]);
    }
    float layer[2];
    for (uint32_t n = 0; n < 2; n++) {
        const int64_t z = n ? high[2] : low[2];
        const float a = voxel(v, (int64_t[3]){low[0], low[1], z});
        const float b = voxel(v, (int64_t[3]){high[0], low[1], z});
        const float c = voxel(v, (int64_t[3]){low[0], high[1], z});
        const float d = voxel(v, (int64_t[3]){high[0], high[1], z});
        const float near = a + (b - a) * share[0], far = c + (d - c) * share[0];
        layer[n] = near + (far - near) * share[1];
    }
    return layer[0] + (layer[1] - layer[0]) * share[2];
}

static void add_value(const rn_xray_volume *v, float value, double sum[RN_XRAY_RAMP])
{
    uint32_t k = 0;
    while (k + 1 < v->ramp_count && value >= v->ramp_value[k + 1]) k++;
    double share = 0;
    if (k + 1 < v->ramp_count && value > v->ramp_value[k])
        share = ((double)value - (double)v->ramp_value[k]) /
                ((double)v->ramp_value[k + 1] - (double)v->ramp_value[k]);
    sum[k] += (1 - share) * (double)v->ramp_density[k];
    if (share > 0) sum[k + 1] += share * (double)v->ramp_density[k + 1];
}

/* The part of the ray inside the volume, from *from to *to in units of w. */
static bool clip(const march *m, const double step[3], double *from, double *to)
{
    *from = 0;
    *to = m->x->reach;
    for (uint32_t k = 0; k < 3; k++) {
        const double low = -0.5 - m->source[k], high = m->volume->count[k] - 0.5 - m->source[k];
        if (fabs(step[k]) < 1e-12) {
            if (low > 0 || high < 0) return false;
            continue;
        }
        const double a = low / step[k], b = high / step[k];
        *from = fmax(*from, fmin(a, b));
        *to = fmin(*to, fmax(a, b));
    }
    return *from < *to;
}

static void march_ray(const march *m, size_t pixel, const double ray[2])
{
    const rn_xray *x = m->x;
    double step[3], from, to, fastest = 0;
    for (uint32_t k = 0; k < 3; k++) {
        step[k] = 0;
        for (uint32_t n = 0; n < 3; n++)
            step[k] += m->inverse[k][n] * (ray[0] * x->right[n] + ray[1] * x->up[n] + x->ahead[n]);
        fastest = fmax(fastest, fabs(step[k]));
    }
    if (!clip(m, step, &from, &to)) return;
    const uint32_t count = (uint32_t)fmin(1e6, ceil(2 * (to - from) * fastest)) + 1;
    const double dw = (to - from) / count;
    double sum[RN_XRAY_RAMP] = {0};
    for (uint32_t n = 0; n < count; n++) {
        const double w = from + (n + 0.5) * dw;
        const double place[3] = {m->source[0] + w * step[0], m->source[1] + w * step[1],
                                 m->source[2] + w * step[2]};
        add_value(m->volume, value_at(m->volume, place), sum);
    }
    const double slant = sqrt(1 + ray[0] * ray[0] + ray[1] * ray[1]);
    for (uint32_t k = 0; k < m->volume->ramp_count; k++)
        if (m->image[k]) m->image[k][pixel] += (float)(sum[k] * dw * slant);
}

static void march_row(void *data, uint32_t row, uint32_t worker)
{
    (void)worker;
    const march *m = data;
    const uint32_t width = m->x->view.width;
    for (uint32_t c = 0; c < width; c++) {
        double ray[2];
        rni_xray_ray(m->x, c + 0.5, row + 0.5, ray);
        march_ray(m, (size_t)row * width + c, ray);
    }
}

rn_result rn_xray_add_volume(rn_xray *x, const rn_xray_volume *volume)
{
    if (!x || !volume) return rni_fail(RN_ERROR_ARGUMENT, "xray and volume must not be NULL");
    rn_result result = check(volume);
    if (result != RN_OK) return result;
    march m = {.x = x, .volume = volume};
    if (!invert(volume, m.inverse))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "the axes of the volume lie in one plane, or are not finite");
    for (uint32_t k = 0; k < volume->ramp_count; k++) {
        if (volume->ramp_material[k] == RN_XRAY_NOTHING) continue;
        result = rni_xray_prepare(x, (rn_xray_part){volume->ramp_material[k], RN_XRAY_NOTHING});
        if (result != RN_OK) return result;
        m.image[k] = x->length[volume->ramp_material[k]].data;
    }
    if (!x->has_view)
        return rni_fail(RN_ERROR_ARGUMENT, "there is no view; call rn_xray_begin() first");
    for (uint32_t k = 0; k < 3; k++) {
        m.source[k] = 0;
        for (uint32_t n = 0; n < 3; n++)
            m.source[k] += m.inverse[k][n] * (x->source[n] - (double)volume->origin[n]);
        if (!isfinite(m.source[k]))
            return rni_fail(RN_ERROR_ARGUMENT, "origin of the volume is not finite");
    }
    rni_crew_pieces(x->crew, x->view.height, march_row, &m);
    return RN_OK;
}
