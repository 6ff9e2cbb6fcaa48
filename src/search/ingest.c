#include "search/ingest.h"

#include "base/error.h"
#include "search/core.h"

#include <math.h>
#include <string.h>

#ifdef RNI_X86
#include <immintrin.h>
#endif

#define SHARE 8192u /* points per piece */

typedef struct piece_bounds {
    double low[3], high[3];
    uint32_t bad; /* first point that is not finite, or UINT32_MAX */
} piece_bounds;

typedef struct look_job {
    const rni_ingest *ingest;
    const unsigned char *position;
    size_t stride_bytes;
    uint32_t count, dim, piece_count;
    rn_scalar scalar;
    piece_bounds *pieces;
    float *copy; /* 3 floats per point */
} look_job;

static void position_of(const look_job *job, uint32_t i, double out[3])
{
    const unsigned char *at = job->position + i * job->stride_bytes;
    out[2] = 0.0;
    if (job->scalar == RN_SCALAR_DOUBLE) {
        memcpy(out, at, job->dim * sizeof(double));
        return;
    }
    float position[3];
    memcpy(position, at, job->dim * sizeof(float));
    for (uint32_t axis = 0; axis < job->dim; axis++) out[axis] = (double)position[axis];
}

/* A double that float cannot represent is refused as well, when it is far from its own set; see
 * copy_piece. */
static bool is_finite(const double position[3])
{
    return isfinite(position[0]) && isfinite(position[1]) && isfinite(position[2]);
}

static void look_at_any(const look_job *job, uint32_t begin, uint32_t end, piece_bounds *out)
{
    for (uint32_t i = begin; i < end; i++) {
        double p[3];
        position_of(job, i, p);
        if (!is_finite(p)) {
            out->bad = i;
            return;
        }
        for (int axis = 0; axis < 3; axis++) {
            if (p[axis] < out->low[axis]) out->low[axis] = p[axis];
            if (p[axis] > out->high[axis]) out->high[axis] = p[axis];
        }
    }
}

#ifdef RNI_X86
static __m128 point_lanes(const look_job *job, uint32_t i, __m128 is_ours)
{
    const void *at = job->position + i * job->stride_bytes;
    return _mm_and_ps(_mm_loadu_ps((const float *)at), is_ours);
}

/* Reads four lanes per point; the last lane is whatever follows in memory. The last point is
 * left to look_at_any. Returns false when a coordinate is not finite. */
static bool look_at_floats(const look_job *job, uint32_t begin, uint32_t end, piece_bounds *out)
{
    /* masks out whatever follows the coordinates in the caller's memory */
    const __m128 is_ours = _mm_castsi128_ps(_mm_setr_epi32(-1, -1, job->dim == 3 ? -1 : 0, 0));
    __m128 low = _mm_set1_ps(INFINITY), high = _mm_set1_ps(-INFINITY);
    __m128 not_finite = _mm_setzero_ps();
    __m128 low2 = low, high2 = high, not_finite2 = not_finite;
    uint32_t i = begin;
    for (; i + 2 <= end; i += 2) {
        __m128 a = point_lanes(job, i, is_ours);
        __m128 b = point_lanes(job, (i + 1), is_ours);
        low = _mm_min_ps(low, a);
        high = _mm_max_ps(high, a);
        not_finite = _mm_add_ps(not_finite, _mm_sub_ps(a, a)); /* 0, or NaN when a is not finite */
        low2 = _mm_min_ps(low2, b);
        high2 = _mm_max_ps(high2, b);
        not_finite2 = _mm_add_ps(not_finite2, _mm_sub_ps(b, b));
    }
    if (i < end) {
        __m128 a = point_lanes(job, i, is_ours);
        low = _mm_min_ps(low, a);
        high = _mm_max_ps(high, a);
        not_finite = _mm_add_ps(not_finite, _mm_sub_ps(a, a));
    }
    float lows[4], highs[4], not_finites[4];
    _mm_storeu_ps(lows, _mm_min_ps(low, low2));
    _mm_storeu_ps(highs, _mm_max_ps(high, high2));
    _mm_storeu_ps(not_finites, _mm_add_ps(not_finite, not_finite2));
    for (uint32_t axis = 0; axis < job->dim; axis++) {
        if (not_finites[axis] != 0.0f) return false;
        out->low[axis] = (double)lows[axis];
        out->high[axis] = (double)highs[axis];
    }
    if (job->dim == 2) out->low[2] = out->high[2] = 0.0;
    return true;
}
#endif

#ifdef RNI_X86
/* As look_at_floats for packed coordinates, three per point: four points are three whole
 * vectors. */
static bool look_at_packed(const look_job *job, uint32_t begin, uint32_t end, piece_bounds *out)
{
    __m128 low[3], high[3], not_finite = _mm_setzero_ps();
    for (int v = 0; v < 3; v++) low[v] = _mm_set1_ps(INFINITY), high[v] = _mm_set1_ps(-INFINITY);
    const float *at = (const float *)(const void *)job->position + 3 * (size_t)begin;
    for (uint32_t i = begin; i < end; i += 4, at += 12) {
        for (int v = 0; v < 3; v++) {
            const __m128 p = _mm_loadu_ps(at + 4 * v);
            low[v] = _mm_min_ps(low[v], p);
            high[v] = _mm_max_ps(high[v], p);
            /* 0, or NaN when p is not finite */
            not_finite = _mm_add_ps(not_finite, _mm_sub_ps(p, p));
        }
    }
    float lows[12], highs[12], not_finites[4];
    for (int v = 0; v < 3; v++) {
        _mm_storeu_ps(lows + 4 * v, low[v]);
        _mm_storeu_ps(highs + 4 * v, high[v]);
    }
    _mm_storeu_ps(not_finites, not_finite);
    for (int lane = 0; lane < 4; lane++) {
        if (not_finites[lane] != 0.0f) return false;
    }
    for (int k = 0; k < 12; k++) {
        out->low[k % 3] = fmin(out->low[k % 3], (double)lows[k]);
        out->high[k % 3] = fmax(out->high[k % 3], (double)highs[k]);
    }
    return true;
}

/* Processes all but the last few points; returns the first remaining point. */
static uint32_t look_at_most(const look_job *job, uint32_t begin, uint32_t end, piece_bounds *out)
{
    if (job->dim == 3 && job->stride_bytes == sizeof(float[3])) {
        const uint32_t whole = begin + (end - begin) / 4 * 4;
        return look_at_packed(job, begin, whole, out) ? whole : begin;
    }
    /* 16 bytes are read per point: stay within the caller's array */
    const uint32_t safe = end == job->count ? end - 2 : end;
    return look_at_floats(job, begin, safe, out) ? safe : begin;
}
#endif

static void look(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    look_job *job = data;
    uint32_t begin = piece * SHARE, end = job->count - begin < SHARE ? job->count : begin + SHARE;
    piece_bounds *out = &job->pieces[piece];
    *out =
        (piece_bounds){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, UINT32_MAX};
#ifdef RNI_X86
    if (job->scalar == RN_SCALAR_FLOAT && end - begin > 8) {
        piece_bounds most = *out;
        const uint32_t left = look_at_most(job, begin, end, &most);
        if (left > begin) *out = most;
        begin = left;
    }
#endif
    look_at_any(job, begin, end, out);
}

static double wrap(const rn_search_def *def, int axis, double position)
{
    double low = def->period_low[axis], period = def->period_high[axis] - low;
    if (position >= low && position < low + period) return position;
    double wrapped = position - period * floor((position - low) / period);
    return wrapped >= low && wrapped < low + period ? wrapped : low;
}

static void copy_piece(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    look_job *job = data;
    const rni_ingest *ingest = job->ingest;
    rni_space space = rni_ingest_space(ingest, 1.0f);
    uint32_t begin = piece * SHARE, end = job->count - begin < SHARE ? job->count : begin + SHARE;
    piece_bounds *out = &job->pieces[piece];
    *out =
        (piece_bounds){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, UINT32_MAX};
    for (uint32_t i = begin; i < end; i++) {
        double p[3];
        position_of(job, i, p);
        for (int axis = 0; axis < 3; axis++) {
            if (ingest->def->periodic[axis]) p[axis] = wrap(ingest->def, axis, p[axis]);
            float position = (float)(p[axis] - ingest->base[axis]);
            /* rounding may reach the upper face of a periodic axis, which is its lower face */
            if (space.periodic[axis] && position >= space.low[axis] + space.period[axis])
                position = space.low[axis];
            if (!isfinite(position)) {
                out->bad = i;
                return;
            }
            job->copy[3 * (size_t)i + (size_t)axis] = position;
            if ((double)position < out->low[axis]) out->low[axis] = (double)position;
            if ((double)position > out->high[axis]) out->high[axis] = (double)position;
        }
    }
}

/* Merges the bounds and the first invalid point of all pieces. */
static piece_bounds over_all(rni_crew *crew, look_job *job, rni_piece_fn work)
{
    rni_crew_pieces(crew, job->piece_count, work, job);
    piece_bounds all = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, UINT32_MAX};
    for (uint32_t piece = 0; piece < job->piece_count; piece++) {
        const piece_bounds *here = &job->pieces[piece];
        if (here->bad < all.bad) all.bad = here->bad;
        for (int axis = 0; axis < 3; axis++) {
            if (here->low[axis] < all.low[axis]) all.low[axis] = here->low[axis];
            if (here->high[axis] > all.high[axis]) all.high[axis] = here->high[axis];
        }
    }
    return all;
}

static rn_result refuse(const look_job *job, const char *whose, uint32_t bad)
{
    double p[3] = {0.0, 0.0, 0.0};
    position_of(job, bad, p);
    for (uint32_t axis = 0; axis < job->dim; axis++) {
        if (isfinite(p[axis])) continue;
        return rni_fail(RN_ERROR_ARGUMENT,
                        "%s: point %u has %c = %g; positions must be finite numbers", whose, bad,
                        "xyz"[axis], p[axis]);
    }
    return rni_fail(
        RN_ERROR_ARGUMENT,
        "%s: point %u at (%g, %g, %g) is farther from the other points than a float can represent",
        whose, bad, p[0], p[1], p[2]);
}

static rn_result open_job(const rni_ingest *ingest, const char *whose, rn_points points, look_job *job)
{
    uint32_t dim = ingest->def->dim;
    if (points.scalar != RN_SCALAR_FLOAT && points.scalar != RN_SCALAR_DOUBLE) {
        return rni_fail(RN_ERROR_ARGUMENT,
                        "%s: scalar is %d; it must be RN_SCALAR_FLOAT or RN_SCALAR_DOUBLE", whose,
                        (int)points.scalar);
    }
    size_t least = dim * (points.scalar == RN_SCALAR_DOUBLE ? sizeof(double) : sizeof(float));
    size_t stride = points.stride_bytes ? points.stride_bytes : least;
    if (points.count > 0 && !points.position) {
        return rni_fail(RN_ERROR_ARGUMENT, "%s: position is NULL for %u points", whose, points.count);
    }
    if (points.count == UINT32_MAX) {
        return rni_fail(RN_ERROR_LIMIT, "%s: %u points; the limit is one less", whose, points.count);
    }
    if (stride < least) {
        return rni_fail(RN_ERROR_ARGUMENT,
                        "%s: stride_bytes is %zu; %u coordinates take at least %zu", whose, stride,
                        dim, least);
    }
    *job = (look_job){
        .ingest = ingest, .position = points.position, .stride_bytes = stride, .count = points.count};
    job->dim = dim;
    job->scalar = points.scalar;
    job->piece_count = rni_piece_count(points.count, SHARE);
    job->pieces = rni_arena_take(ingest->arena, (job->piece_count + 1) * sizeof *job->pieces);
    return job->pieces ? RN_OK : RN_ERROR_MEMORY;
}

/* A centre that stays constant while the set moves slightly: a multiple of a power of two near a
 * quarter of the extent. */
static double snapped_centre(double low, double high)
{
    double centre = 0.5 * low + 0.5 * high, extent = high - low;
    if (!(extent > 0.0) || !isfinite(extent)) return isfinite(centre) ? centre : 0.0;
    int exponent;
    frexp(extent, &exponent);
    double step = ldexp(1.0, exponent - 2);
    double snapped = round(centre / step) * step;
    return isfinite(snapped) ? snapped : centre;
}

/* Narrows the box of all sets to the region of most points: a base halfway between these points
 * and an outlier would cost them all their precision. */
static void narrow_to_core(const look_job *jobs, uint32_t set_count, double low[3], double high[3])
{
    double sample[3][RNI_CORE_SAMPLES];
    uint64_t points = 0;
    for (uint32_t s = 0; s < set_count; s++) points += jobs[s].count;
    const uint64_t step = points / RNI_CORE_SAMPLES + 1;
    uint32_t count = 0;
    for (uint32_t s = 0; s < set_count; s++) {
        for (uint64_t at = 0; at < jobs[s].count && count < RNI_CORE_SAMPLES; at += step) {
            double p[3];
            position_of(&jobs[s], (uint32_t)rni_sample_at(at, step, count, jobs[s].count), p);
            for (int axis = 0; axis < 3; axis++) sample[axis][count] = p[axis];
            count++;
        }
    }
    for (int axis = 0; axis < 3 && count > 0; axis++)
        rni_core_of_axis(sample[axis], count, &low[axis], &high[axis]);
}

static void set_cloud(rni_cloud *cloud, const look_job *job, const piece_bounds *bounds,
                      const float *copy)
{
    *cloud = (rni_cloud){
        .position = job->position, .stride_bytes = job->stride_bytes, .count = job->count};
    if (copy) {
        cloud->position = (const unsigned char *)copy;
        cloud->stride_bytes = sizeof(float[3]);
    }
    for (int axis = 0; axis < 3; axis++) {
        cloud->low[axis] = (float)bounds->low[axis];
        cloud->high[axis] = (float)bounds->high[axis];
    }
}

static bool needs_copy(const rni_ingest *ingest, const look_job *job)
{
    const bool *periodic = ingest->def->periodic;
    return ingest->is_rebased || job->scalar == RN_SCALAR_DOUBLE || periodic[0] || periodic[1] ||
           periodic[2] || (uintptr_t)job->position % sizeof(float) != 0 ||
           job->stride_bytes % sizeof(float) != 0;
}

static rn_result make_cloud(rni_ingest *ingest, const char *whose, look_job *job,
                            const piece_bounds *looked, rni_buffer *copy, rni_cloud *cloud)
{
    if (!needs_copy(ingest, job)) {
        set_cloud(cloud, job, looked, NULL);
        return RN_OK;
    }
    rn_result result = rni_buffer_need(ingest->memory, copy, job->count, sizeof(float[3]));
    if (result != RN_OK) return result;
    job->copy = copy->data;
    piece_bounds bounds = over_all(ingest->crew, job, copy_piece);
    if (bounds.bad != UINT32_MAX) return refuse(job, whose, bounds.bad);
    set_cloud(cloud, job, &bounds, job->copy);
    return RN_OK;
}

/* The spacing of the caller's numbers, or of the floats they were converted to, whichever is
 * coarser, at the farthest point along one axis. */
static double resolution_of(const look_job *job, const piece_bounds *bounds, const rni_cloud *cloud,
                            int axis)
{
    if (!(bounds->low[axis] <= bounds->high[axis])) return 0.0; /* no points */
    const double far = fmax(fabs(bounds->low[axis]), fabs(bounds->high[axis]));
    const float kept = fmaxf(fabsf(cloud->low[axis]), fabsf(cloud->high[axis]));
    const double ours = (double)(nextafterf(kept, INFINITY) - kept);
    if (job->scalar == RN_SCALAR_DOUBLE) return fmax(ours, nextafter(far, HUGE_VAL) - far);
    return fmax(ours, (double)(nextafterf((float)far, INFINITY) - (float)far));
}

rn_result rni_ingest_sets(rni_ingest *ingest, const rn_points *sets, uint32_t set_count,
                          rni_cloud *clouds)
{
    look_job jobs[RN_SEARCH_MAX_SETS];
    piece_bounds bounds[RN_SEARCH_MAX_SETS];
    char whose[RN_SEARCH_MAX_SETS][32];
    bool is_rebased = false;
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (uint32_t s = 0; s < set_count; s++) {
        whose[s][0] = 's', whose[s][1] = 'e', whose[s][2] = 't', whose[s][3] = ' ';
        whose[s][4] = (char)('0' + s), whose[s][5] = 0;
        rn_result result = open_job(ingest, whose[s], sets[s], &jobs[s]);
        if (result != RN_OK) return result;
        bounds[s] = over_all(ingest->crew, &jobs[s], look);
        if (bounds[s].bad != UINT32_MAX) return refuse(&jobs[s], whose[s], bounds[s].bad);
        if (jobs[s].scalar == RN_SCALAR_DOUBLE) is_rebased = true;
        for (int axis = 0; axis < 3; axis++) {
            if (bounds[s].low[axis] < low[axis]) low[axis] = bounds[s].low[axis];
            if (bounds[s].high[axis] > high[axis]) high[axis] = bounds[s].high[axis];
        }
    }
    if (is_rebased) narrow_to_core(jobs, set_count, low, high);
    for (int axis = 0; axis < 3; axis++) {
        double base = 0.0;
        if (is_rebased && ingest->def->periodic[axis]) base = ingest->def->period_low[axis];
        else if (is_rebased && low[axis] <= high[axis])
            base = snapped_centre(low[axis], high[axis]);
        ingest->base[axis] = base;
    }
    ingest->is_rebased = is_rebased;
    for (uint32_t s = 0; s < set_count; s++) {
        rn_result result =
            make_cloud(ingest, whose[s], &jobs[s], &bounds[s], &ingest->copies[s], &clouds[s]);
        if (result != RN_OK) return result;
    }
    ingest->resolution = 0.0;
    for (uint32_t s = 0; s < set_count; s++)
        for (int axis = 0; axis < 3; axis++)
            ingest->resolution =
                fmax(ingest->resolution, resolution_of(&jobs[s], &bounds[s], &clouds[s], axis));
    return RN_OK;
}

rn_result rni_ingest_queries(rni_ingest *ingest, rn_points queries, rni_cloud *cloud)
{
    look_job job;
    rn_result result = open_job(ingest, "queries", queries, &job);
    if (result != RN_OK) return result;
    piece_bounds bounds = over_all(ingest->crew, &job, look);
    if (bounds.bad != UINT32_MAX) return refuse(&job, "queries", bounds.bad);
    return make_cloud(ingest, "queries", &job, &bounds, &ingest->copies[RNI_QUERIES], cloud);
}

rni_space rni_ingest_space(const rni_ingest *ingest, float radius)
{
    const rn_search_def *def = ingest->def;
    rni_space space = {.dim = def->dim, .radius = radius, .radius_sq = radius * radius};
    for (int axis = 0; axis < 3; axis++) {
        space.periodic[axis] = def->periodic[axis];
        space.period[axis] = space.half_period[axis] = INFINITY;
        if (!def->periodic[axis]) continue;
        space.is_periodic = true;
        space.low[axis] = (float)(def->period_low[axis] - ingest->base[axis]);
        space.period[axis] = (float)(def->period_high[axis] - def->period_low[axis]);
        space.half_period[axis] = 0.5f * space.period[axis];
    }
    return space;
}

void rni_ingest_free(rni_ingest *ingest)
{
    for (uint32_t s = 0; s <= RN_SEARCH_MAX_SETS; s++)
        rni_buffer_free(ingest->memory, &ingest->copies[s]);
}
