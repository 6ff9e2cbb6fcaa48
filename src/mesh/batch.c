/* Batches of queries: closest points, distances, winding numbers, segments. */
#include "mesh/query.h"

#include "base/error.h"

typedef struct batch_job {
    uint32_t count;
    rni_batch_fn work;
    void *data;
} batch_job;

static void run_piece(void *data, uint32_t piece, uint32_t worker)
{
    const batch_job *job = data;
    (void)worker;
    const uint32_t begin = piece * RNI_MESH_PIECE, left = job->count - begin;
    job->work(job->data, begin, begin + (left < RNI_MESH_PIECE ? left : RNI_MESH_PIECE));
}

void rni_batch_run(rn_mesh_query *query, uint32_t count, rni_batch_fn work, void *data)
{
    if (count <= RNI_MESH_SMALL_BATCH) {
        work(data, 0, count);
        return;
    }
    batch_job job = {count, work, data};
    rni_crew_pieces(query->crew, rni_piece_count(count, RNI_MESH_PIECE), run_piece, &job);
}

rn_result rni_mesh_points_check(const rn_mesh_query *query, const rn_mesh_points *points,
                                const char *name, const void *output)
{
    if (!query || !points)
        return rni_fail(RN_ERROR_ARGUMENT, "query and %s must not be NULL", name);
    if (points->count > 0 && (!points->position || !output))
        return rni_fail(RN_ERROR_ARGUMENT, "%s.position and the output must not be NULL", name);
    for (uint32_t i = 0; i < points->count; i++) {
        float p[3];
        rni_point_at(points, i, p);
        for (uint32_t axis = 0; axis < 3; axis++)
            if (!(fabsf(p[axis]) <= RNI_MESH_LARGEST))
                return rni_fail(
                    RN_ERROR_ARGUMENT,
                    "%c of position %u in %s is %g; it must be finite and at most %g in size",
                    "xyz"[axis], i, name, (double)p[axis], (double)RNI_MESH_LARGEST);
    }
    return RN_OK;
}

rn_mesh_closest rni_closest_of(const rni_near *near)
{
    rn_mesh_closest closest = {.triangle = near->triangle, .distance = INFINITY};
    if (near->triangle == RN_MESH_NONE) return closest;
    for (int axis = 0; axis < 3; axis++) {
        closest.point[axis] = (float)near->point[axis];
        closest.weight[axis] = (float)near->weight[axis];
    }
    closest.distance = (float)sqrt(near->distance_sq);
    return closest;
}

/* What the work of all batches below reads and writes. */
typedef struct query_job {
    const rn_mesh_query *query;
    const rn_mesh_points *points, *ends;
    double max_distance;
    rn_mesh_closest *closest;
    float *number;
    bool *is_inside;
    rn_mesh_hit *hit;
} query_job;

static void find_closest(void *data, uint32_t begin, uint32_t end)
{
    const query_job *job = data;
    for (uint32_t i = begin; i < end; i++) {
        float p[3];
        rni_near near;
        rni_point_at(job->points, i, p);
        if (!job->query->structure->closest(job->query, p, job->max_distance, &near))
            near.triangle = RN_MESH_NONE;
        job->closest[i] = rni_closest_of(&near);
    }
}

rn_result rn_mesh_query_closest(rn_mesh_query *query, const rn_mesh_points *points,
                                float max_distance, rn_mesh_closest *closest)
{
    rn_result result = rni_mesh_points_check(query, points, "points", closest);
    if (result != RN_OK) return result;
    if (!(max_distance >= 0.0f))
        return rni_fail(RN_ERROR_ARGUMENT, "max_distance is %g; it must be at least 0, or INFINITY",
                        (double)max_distance);
    query_job job = {
        .query = query, .points = points, .max_distance = (double)max_distance, .closest = closest};
    rni_batch_run(query, points->count, find_closest, &job);
    return RN_OK;
}

static void find_distances(void *data, uint32_t begin, uint32_t end)
{
    const query_job *job = data;
    const rn_mesh_query *query = job->query;
    for (uint32_t i = begin; i < end; i++) {
        float p[3];
        double distance;
        rni_point_at(job->points, i, p);
        if (!query->field.block_of || !rni_field_distance(&query->field, p, &distance))
            distance = rni_mesh_signed_distance(query, p);
        else if (query->sign == RN_SIGN_WINDING)
            distance *= query->structure->winding(query, p) > 0.5 ? -1.0 : 1.0;
        job->number[i] = (float)distance;
    }
}

/* A batch with one result a point. */
static rn_result run_points(rn_mesh_query *query, rni_batch_fn find, query_job *job,
                            const void *output)
{
    rn_result result = rni_mesh_points_check(job->query, job->points, "points", output);
    if (result == RN_OK) rni_batch_run(query, job->points->count, find, job);
    return result;
}

rn_result rn_mesh_query_distance(rn_mesh_query *query, const rn_mesh_points *points, float *distance)
{
    query_job job = {.query = query, .points = points, .number = distance};
    return run_points(query, find_distances, &job, distance);
}

static void find_windings(void *data, uint32_t begin, uint32_t end)
{
    const query_job *job = data;
    for (uint32_t i = begin; i < end; i++) {
        float p[3];
        rni_point_at(job->points, i, p);
        const double winding = job->query->structure->winding(job->query, p);
        if (job->number) job->number[i] = (float)winding;
        if (job->is_inside) job->is_inside[i] = winding > 0.5;
    }
}

rn_result rn_mesh_query_winding(rn_mesh_query *query, const rn_mesh_points *points, float *winding)
{
    query_job job = {.query = query, .points = points, .number = winding};
    return run_points(query, find_windings, &job, winding);
}

rn_result rn_mesh_query_inside(rn_mesh_query *query, const rn_mesh_points *points, bool *is_inside)
{
    query_job job = {.query = query, .points = points, .is_inside = is_inside};
    return run_points(query, find_windings, &job, is_inside);
}

static void find_hits(void *data, uint32_t begin, uint32_t end)
{
    const query_job *job = data;
    for (uint32_t i = begin; i < end; i++) {
        float from[3], to[3];
        rni_crossing crossing;
        rn_mesh_hit hit = {.triangle = RN_MESH_NONE, .t = 1.0f};
        rni_point_at(job->points, i, from);
        rni_point_at(job->ends, i, to);
        if (job->query->structure->segment(job->query, from, to, &crossing)) {
            hit.triangle = crossing.triangle;
            hit.t = (float)crossing.t;
            for (int axis = 0; axis < 3; axis++) {
                const double a = (double)from[axis], b = (double)to[axis];
                hit.point[axis] = (float)(a + crossing.t * (b - a));
                hit.weight[axis] = (float)crossing.weight[axis];
            }
        }
        job->hit[i] = hit;
    }
}

rn_result rn_mesh_query_segment(rn_mesh_query *query, const rn_mesh_points *from,
                                const rn_mesh_points *to, rn_mesh_hit *hit)
{
    rn_result result = rni_mesh_points_check(query, from, "from", hit);
    if (result == RN_OK) result = rni_mesh_points_check(query, to, "to", hit);
    if (result != RN_OK) return result;
    if (from->count != to->count)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "from has %u positions and to has %u; both must have as many", from->count,
                        to->count);
    query_job job = {.query = query, .points = from, .ends = to, .hit = hit};
    rni_batch_run(query, from->count, find_hits, &job);
    return RN_OK;
}
