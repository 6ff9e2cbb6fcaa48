#include "broadphase/ingest.h"

#include "base/error.h"

#include <float.h>

#define SHARE 16384u /* boxes per piece */

typedef struct piece_look {
    float low[3], high[3];
    float class_extent[RNI_SIZE_CLASSES][4];
    uint32_t class_count[RNI_SIZE_CLASSES];
    uint32_t bad; /* first refused box, or UINT32_MAX */
} piece_look;

typedef struct look_job {
    const rni_boxes *boxes;
    piece_look *looks; /* one per piece */
} look_job;

static bool is_good(const float low[3], const float high[3])
{
    /* Also false for NaN; infinities fail the last comparisons. Branchless: one test for all of
     * them. */
    return (low[0] <= high[0]) & (low[1] <= high[1]) & (low[2] <= high[2]) & (low[0] >= -FLT_MAX) &
           (low[1] >= -FLT_MAX) & (low[2] >= -FLT_MAX) & (high[0] <= FLT_MAX) &
           (high[1] <= FLT_MAX) & (high[2] <= FLT_MAX);
}

static void look_at_piece(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const look_job *job = data;
    const rni_boxes *boxes = job->boxes;
    piece_look *look = &job->looks[piece];
    *look = (piece_look){.low = {INFINITY, INFINITY, INFINITY},
                         .high = {-INFINITY, -INFINITY, -INFINITY},
                         .bad = UINT32_MAX};
    uint32_t begin = piece * SHARE;
    uint32_t end = boxes->count - begin < SHARE ? boxes->count : begin + SHARE;
    for (uint32_t i = begin; i < end; i++) {
        float low[3], high[3];
        rni_boxes_at(boxes, i, low, high);
        if (!is_good(low, high)) {
            look->bad = i;
            return;
        }
        float edge[3] = {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
        float longest = edge[0] > edge[1] ? edge[0] : edge[1];
        longest = longest > edge[2] ? longest : edge[2];
        uint32_t class = rni_size_class(longest);
        float *extent = look->class_extent[class];
        look->class_count[class]++;
        for (int axis = 0; axis < 3; axis++) {
            extent[axis] = edge[axis] > extent[axis] ? edge[axis] : extent[axis];
            look->low[axis] = low[axis] < look->low[axis] ? low[axis] : look->low[axis];
            look->high[axis] = high[axis] > look->high[axis] ? high[axis] : look->high[axis];
        }
    }
}

/* Float rounding changes an edge by at most half a step. */
static float rounded_up(float edge)
{
    return edge > 0.0f ? nextafterf(edge, INFINITY) : 0.0f;
}

static void join(rni_boxes *out, const piece_look *looks, uint32_t piece_count)
{
    for (int axis = 0; axis < 3; axis++) {
        out->bound_low[axis] = INFINITY;
        out->bound_high[axis] = -INFINITY;
        out->extent[axis] = 0.0f;
    }
    memset(out->class_count, 0, sizeof out->class_count);
    memset(out->class_extent, 0, sizeof out->class_extent);
    for (uint32_t p = 0; p < piece_count; p++) {
        for (int axis = 0; axis < 3; axis++) {
            out->bound_low[axis] = fminf(out->bound_low[axis], looks[p].low[axis]);
            out->bound_high[axis] = fmaxf(out->bound_high[axis], looks[p].high[axis]);
        }
        for (uint32_t c = 0; c < RNI_SIZE_CLASSES; c++) {
            if (looks[p].class_count[c] == 0) continue;
            out->class_count[c] += looks[p].class_count[c];
            for (int axis = 0; axis < 3; axis++) {
                float edge = rounded_up(looks[p].class_extent[c][axis]);
                out->class_extent[c][axis] = fmaxf(out->class_extent[c][axis], edge);
                out->extent[axis] = fmaxf(out->extent[axis], edge);
            }
        }
    }
}

/* The error message for a refused box. */
static rn_result refuse(const rni_boxes *boxes, uint32_t i, const char *name)
{
    rni_boxes resting = *boxes;
    resting.velocity = NULL;
    float low[3], high[3], path_low[3], path_high[3];
    rni_boxes_at(&resting, i, low, high);
    rni_boxes_at(boxes, i, path_low, path_high);
    for (int axis = 0; axis < 3; axis++) {
        char letter = "xyz"[axis];
        double at_low = (double)low[axis], at_high = (double)high[axis];
        if (!isfinite(low[axis]) || !isfinite(high[axis]))
            return rni_fail(RN_ERROR_ARGUMENT, "%s %u: %s.%c is %g; it must be finite", name, i,
                            isfinite(low[axis]) ? "high" : "low", letter,
                            isfinite(low[axis]) ? at_high : at_low);
        if (low[axis] > high[axis])
            return rni_fail(RN_ERROR_ARGUMENT,
                            "%s %u is inverted: low.%c is %.9g, above high.%c, which is %.9g", name,
                            i, letter, at_low, letter, at_high);
    }
    for (int axis = 0; axis < 3; axis++) {
        if (isfinite(path_low[axis]) && isfinite(path_high[axis])) continue;
        float velocity[3] = {0};
        memcpy(velocity, boxes->velocity + i * boxes->velocity_stride, boxes->dim * sizeof(float));
        return rni_fail(RN_ERROR_ARGUMENT,
                        "%s %u: velocity.%c is %g; with time_step %g its path leaves the finite floats",
                        name, i, "xyz"[axis], (double)velocity[axis], (double)boxes -> time_step);
    }
    return rni_fail(RN_ERROR_ARGUMENT, "%s %u is not a valid box", name, i);
}

static rn_result check_arrays(const rn_boxes *boxes, const char *name)
{
    if (!boxes->low || !boxes->high)
        return rni_fail(RN_ERROR_ARGUMENT, "%s: low and high must not be NULL for %u boxes", name,
                        boxes->count);
    if (boxes->count == UINT32_MAX)
        return rni_fail(RN_ERROR_ARGUMENT, "%s: count is %u; at most %u", name, boxes->count,
                        UINT32_MAX - 1);
    if (boxes->velocity && !(boxes->time_step >= 0.0f && boxes->time_step <= FLT_MAX))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "%s: time_step is %g; moving boxes need one that is finite and at least 0",
                        name, (double)boxes->time_step);
    return RN_OK;
}

rn_result rni_ingest_boxes(rni_crew *crew, rni_arena *arena, uint32_t dim, const rn_boxes *boxes,
                           const char *name, rni_boxes *out)
{
    size_t packed = dim * sizeof(float);
    *out = (rni_boxes){.low = (const unsigned char *)boxes->low,
                       .high = (const unsigned char *)boxes->high,
                       .velocity = (const unsigned char *)boxes->velocity,
                       .low_stride = boxes->low_stride_bytes ? boxes->low_stride_bytes : packed,
                       .high_stride = boxes->high_stride_bytes ? boxes->high_stride_bytes : packed,
                       .time_step = boxes->time_step,
                       .count = boxes->count,
                       .dim = dim};
    out->velocity_stride = boxes->velocity_stride_bytes ? boxes->velocity_stride_bytes : packed;
    rn_result result = boxes->count > 0 ? check_arrays(boxes, name) : RN_OK;
    if (result != RN_OK) return result;
    uint32_t piece_count = rni_piece_count(boxes->count, SHARE);
    look_job job = {.boxes = out};
    job.looks = rni_arena_take(arena, (piece_count + 1) * sizeof *job.looks);
    if (!job.looks) return RN_ERROR_MEMORY;
    rni_crew_pieces(crew, piece_count, look_at_piece, &job);
    for (uint32_t p = 0; p < piece_count; p++)
        if (job.looks[p].bad != UINT32_MAX) return refuse(out, job.looks[p].bad, name);
    join(out, job.looks, piece_count);
    return RN_OK;
}

/* --- queries ----------------------------------------------------------------------------------- */

typedef struct query_job {
    const rni_queries *queries;
    _Atomic uint32_t bad; /* the smallest index refused, or UINT32_MAX */
} query_job;

static bool query_is_good(const rni_queries *queries, uint32_t k)
{
    float a[3], b[3] = {0}, radius = 0.0f;
    rni_corner_load(queries->a + k * queries->a_stride, queries->dim, a);
    if (queries->b) rni_corner_load(queries->b + k * queries->b_stride, queries->dim, b);
    if (queries->radius)
        memcpy(&radius, queries->radius + k * queries->radius_stride, sizeof radius);
    bool is_fine = (radius >= 0.0f) & (radius <= FLT_MAX);
    bool is_box = queries->kind == RN_QUERY_BOX;
    for (int axis = 0; axis < 3; axis++) {
        is_fine &= (fabsf(a[axis]) <= FLT_MAX) & (fabsf(b[axis]) <= FLT_MAX);
        is_fine &= (a[axis] <= b[axis]) | !is_box;
    }
    return is_fine;
}

static void check_queries(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    query_job *job = data;
    const rni_queries *queries = job->queries;
    uint32_t begin = piece * SHARE;
    uint32_t end = queries->count - begin < SHARE ? queries->count : begin + SHARE;
    for (uint32_t k = begin; k < end; k++) {
        if (query_is_good(queries, k)) continue;
        uint32_t old = atomic_load(&job->bad);
        while (k < old && !atomic_compare_exchange_weak(&job->bad, &old, k)) continue;
        return;
    }
}

static rn_result refuse_query(const rni_queries *queries, uint32_t k)
{
    float a[3] = {0}, b[3] = {0}, radius = 0.0f;
    memcpy(a, queries->a + k * queries->a_stride, queries->dim * sizeof(float));
    if (queries->b) memcpy(b, queries->b + k * queries->b_stride, queries->dim * sizeof(float));
    if (queries->radius)
        memcpy(&radius, queries->radius + k * queries->radius_stride, sizeof radius);
    for (int axis = 0; axis < 3; axis++) {
        char letter = "xyz"[axis];
        if (!isfinite(a[axis]) || !isfinite(b[axis]))
            return rni_fail(RN_ERROR_ARGUMENT, "query %u: %c.%c is %g; it must be finite", k,
                            isfinite(a[axis]) ? 'b' : 'a', letter,
                            (double)(isfinite(a[axis]) ? b[axis] : a[axis]));
        if (queries->kind == RN_QUERY_BOX && a[axis] > b[axis])
            return rni_fail(
                RN_ERROR_ARGUMENT,
                "query %u is inverted: a.%c (low) is %.9g, above b.%c (high), which is %.9g", k,
                letter, (double)a[axis], letter, (double)b[axis]);
    }
    return rni_fail(RN_ERROR_ARGUMENT, "query %u: radius is %g; it must be finite and at least 0",
                    k, (double)radius);
}

rn_result rni_ingest_box_queries(rni_crew *crew, uint32_t dim, const rn_queries *queries,
                                 rni_queries *out)
{
    if ((int)queries->kind < 0 || (int)queries->kind > (int)RN_QUERY_SPHERE)
        return rni_fail(RN_ERROR_ARGUMENT, "queries.kind is %d; it must be one of rn_query_kind",
                        (int)queries->kind);
    bool needs_b = queries->kind == RN_QUERY_BOX || queries->kind == RN_QUERY_SEGMENT;
    bool needs_radius = queries->kind == RN_QUERY_SPHERE;
    if (queries->count > 0 &&
        (!queries->a || (needs_b && !queries->b) || (needs_radius && !queries->radius)))
        return rni_fail(RN_ERROR_ARGUMENT, "queries.%s must not be NULL for this kind",
                        !queries->a ? "a"
                        : needs_b   ? "b"
                                    : "radius");
    size_t packed = dim * sizeof(float);
    *out = (rni_queries){.kind = queries->kind, .count = queries->count, .dim = dim};
    out->a = (const unsigned char *)queries->a;
    out->b = needs_b ? (const unsigned char *)queries->b : NULL;
    out->radius = needs_radius ? (const unsigned char *)queries->radius : NULL;
    out->a_stride = queries->a_stride_bytes ? queries->a_stride_bytes : packed;
    out->b_stride = queries->b_stride_bytes ? queries->b_stride_bytes : packed;
    out->radius_stride = queries->radius_stride_bytes ? queries->radius_stride_bytes : sizeof(float);
    query_job job = {.queries = out, .bad = UINT32_MAX};
    rni_crew_pieces(crew, rni_piece_count(queries->count, SHARE), check_queries, &job);
    return job.bad == UINT32_MAX ? RN_OK : refuse_query(out, job.bad);
}
