/* Particles: the line integral of each kernel, splatted into the picture. */
#include "xray/xray.h"

#include "base/pi.h"

#include <math.h>

#define SHARE 4096u
#define LEAST_PIXELS \
    2.0 /* radius of a splat: below, its sum over pixels would depend on where it lies */

typedef struct splat {
    float column, row; /* pixels */
    float reach[2];    /* pixels */
    float ray[2], w;   /* of the centre; m */
    float radius_sq;   /* m^2 */
    float peak;        /* m: path length through its centre */
} splat;

typedef struct job {
    rn_xray *x;
    const rn_xray_particles *particles;
    rn_xray_part part;
    rni_failure failure;
} job;

rn_xray_particles rn_xray_particles_default(void)
{
    return (rn_xray_particles){.struct_bytes = sizeof(rn_xray_particles), .radius = 2};
}

static const float *position_of(const rn_xray_particles *p, uint32_t i)
{
    const size_t stride = p->stride_bytes ? p->stride_bytes : 3 * sizeof(float);
    return (const float *)(const void *)((const char *)p->position + i * stride);
}

/* --- projection -------------------------------------------------------------------------------------- */

static splat splat_of(const job *j, const rni_xray_place *at)
{
    const rn_xray *x = j->x;
    const double spacing = (double)j->particles->spacing;
    double radius = (double)j->particles->radius * spacing;
    const double least = LEAST_PIXELS * fmax(x->pixel[0], x->pixel[1]) * at->w;
    if (radius < least) radius = least;
    splat s;
    const double ray[2] = {at->x / at->w, at->y / at->w};
    s.ray[0] = (float)ray[0];
    s.ray[1] = (float)ray[1];
    s.w = (float)at->w;
    s.column = (float)rni_xray_column(x, ray[0]);
    s.row = (float)rni_xray_row(x, ray[1]);
    /* The outline of a ball seen from the side of the central ray is an ellipse: this box contains it. */
    const double slant = sqrt(1 + ray[0] * ray[0] + ray[1] * ray[1]);
    const double wide = radius / at->w * slant * slant / (1 - fmin(0.5, radius / at->w * slant));
    for (int k = 0; k < 2; k++) s.reach[k] = (float)(wide / x->pixel[k]);
    s.radius_sq = (float)(radius * radius);
    s.peak = (float)(4.5 / RNI_PI * spacing * spacing * spacing / (radius * radius));
    return s;
}

static void project(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    job *j = data;
    rn_xray *x = j->x;
    splat *list = x->place.data;
    rni_xray_rows *rows = x->rows.data;
    const uint32_t end =
        (piece + 1) * SHARE < j->particles->count ? (piece + 1) * SHARE : j->particles->count;
    for (uint32_t i = piece * SHARE; i < end; i++) {
        const float *p = position_of(j->particles, i);
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) {
            rni_failure_keep(&j->failure, rni_fail(RN_ERROR_ARGUMENT,
                                                   "position of particle %u is not finite", i));
            return;
        }
        const rni_xray_place at = rni_xray_see(x, p);
        const rn_result result = rni_xray_check_place(x, &at, "particle", i);
        if (result != RN_OK) {
            rni_failure_keep(&j->failure, result);
            return;
        }
        const splat s = list[i] = splat_of(j, &at);
        rows[i] = (rni_xray_rows){0, -1};
        if (s.column + s.reach[0] < 0 || s.column - s.reach[0] > (float)x->view.width ||
            s.row + s.reach[1] < 0 || s.row - s.reach[1] > (float)x->view.height)
            continue;
        rows[i] = (rni_xray_rows){(int32_t)fmaxf(0, s.row - s.reach[1]),
                                  (int32_t)fminf((float)x->view.height, s.row + s.reach[1])};
    }
}

/* --- splatting --------------------------------------------------------------------------------------- */

/* One row of one splat. The distance of the ray from the centre: d is from the centre to where the ray meets the
 * plane of the same w, and the part along the ray is taken away. */
static void splat_row(const splat *s, float row_ray, float first_ray, float step, uint32_t count,
                      float *length)
{
    const float dy = (row_ray - s->ray[1]) * s->w, row_sq = row_ray * row_ray + 1;
    const float per_sq = 1 / s->radius_sq, peak = s->peak;
    for (uint32_t n = 0; n < count; n++) {
        const float ray = first_ray + step * (float)n;
        const float dx = (ray - s->ray[0]) * s->w;
        const float along = dx * ray + dy * row_ray;
        const float distance_sq = dx * dx + dy * dy - along * along / (ray * ray + row_sq);
        float left = 1 - distance_sq * per_sq;
        left = left > 0 ? left : 0;
        length[n] += peak * left * left * left * sqrtf(left);
    }
}

static void splat_band(void *data, uint32_t band, uint32_t worker)
{
    job *j = data;
    rn_xray *x = j->x;
    const uint32_t width = x->view.width;
    const uint64_t *start = x->band_start.data;
    const uint32_t *list = x->band.data;
    const uint32_t first_row = band * RNI_XRAY_BAND;
    const uint32_t rows =
        x->view.height - first_row < RNI_XRAY_BAND ? x->view.height - first_row : RNI_XRAY_BAND;
    float *sum = (float *)x->scratch.data + (size_t)worker * width * RNI_XRAY_BAND;
    for (size_t n = 0; n < (size_t)width * rows; n++) sum[n] = 0;
    for (uint64_t n = start[band]; n < start[band + 1]; n++) {
        const splat *s = (const splat *)x->place.data + list[n];
        const float low = s->column - s->reach[0] - 0.5f, high = s->column + s->reach[0] - 0.5f;
        const uint32_t from = low <= 0 ? 0 : (uint32_t)ceilf(low);
        const uint32_t to = high >= (float)(width - 1) ? width : high < 0 ? 0 : (uint32_t)high + 1;
        if (from >= to) continue;
        for (uint32_t r = 0; r < rows; r++) {
            const float row = (float)(first_row + r) + 0.5f;
            if (fabsf(row - s->row) > s->reach[1]) continue;
            double ray[2];
            rni_xray_ray(x, (double)from + 0.5, (double)row, ray);
            splat_row(s, (float)ray[1], (float)ray[0], (float)x->pixel[0], to - from,
                      sum + (size_t)r * width + from);
        }
    }
    for (size_t n = 0; n < (size_t)width * rows; n++)
        if (sum[n] > 0) rni_xray_add(x, j->part, (size_t)first_row * width + n, sum[n]);
}

static rn_result check(const rn_xray_particles *p)
{
    if (p->struct_bytes != sizeof *p)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "particles.struct_bytes is %u instead of %zu; begin with "
                        "rn_xray_particles_default()",
                        p->struct_bytes, sizeof *p);
    if (p->count > 0 && !p->position)
        return rni_fail(RN_ERROR_ARGUMENT, "position is NULL for %u particles", p->count);
    if (p->stride_bytes % sizeof(float) || (p->stride_bytes && p->stride_bytes < 12))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "stride_bytes is %zu; it must be 0, or a multiple of 4 from 12 on",
                        p->stride_bytes);
    if (!(p->spacing > 0) || !isfinite(p->spacing))
        return rni_fail(RN_ERROR_ARGUMENT, "spacing is %g m; it must be positive",
                        (double)p->spacing);
    if (!(p->radius >= 0.5f && p->radius <= 8))
        return rni_fail(RN_ERROR_ARGUMENT, "radius is %g spacings; it must be from 0.5 to 8",
                        (double)p->radius);
    return RN_OK;
}

rn_result rn_xray_add_particles(rn_xray *x, rn_xray_part part, const rn_xray_particles *particles)
{
    if (!x || !particles) return rni_fail(RN_ERROR_ARGUMENT, "xray and particles must not be NULL");
    rn_result result = check(particles);
    if (result == RN_OK) result = rni_xray_prepare(x, part);
    if (result != RN_OK || particles->count == 0) return result;
    job j = {.x = x, .particles = particles, .part = part};
    result = rni_buffer_need(&x->memory, &x->place, particles->count, sizeof(splat));
    if (result == RN_OK)
        result = rni_buffer_need(&x->memory, &x->rows, particles->count, sizeof(rni_xray_rows));
    if (result == RN_OK)
        result = rni_buffer_need(&x->memory, &x->scratch,
                                 (uint64_t)rni_crew_size(x->crew) * x->view.width * RNI_XRAY_BAND,
                                 sizeof(float));
    if (result != RN_OK) return result;
    rni_crew_pieces(x->crew, rni_piece_count(particles->count, SHARE), project, &j);
    result = rni_failure_raise(&j.failure);
    if (result == RN_OK) result = rni_xray_fill_bands(x, x->rows.data, particles->count);
    if (result != RN_OK) return result;
    rni_crew_pieces(x->crew, x->band_count, splat_band, &j);
    return RN_OK;
}
