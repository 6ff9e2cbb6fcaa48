/* Moves that never pass a triangle: free balls.
 *
 * A distance query shows that a ball around the point holds no triangle; a step that stays in the ball
 * passes none. Steps keep `hard` away from the edge of the ball. Near the mesh, the part of the move
 * towards it is dropped and the point slides at the distance `soft`. Two rules keep corners safe: a step
 * that ends closer than half way between hard and soft counts only if the distance grew; and a point
 * closer than hard only takes steps away from the mesh, of half its distance, that gain distance. */
#include "mesh/query.h"

#include "base/error.h"

#include <stdatomic.h>
#include <string.h>

#define MAX_NORMALS 3u

typedef struct walk {
    const rn_mesh_query *query;
    double hard, soft, middle;
    float at[3];                   /* always legal */
    double target[3];              /* where the rest of the move leads */
    double normal[MAX_NORMALS][3]; /* of walls that were touched */
    uint32_t normal_count;
    rn_mesh_touch touch;
} walk;

static double length_of(const double v[3])
{
    return sqrt(rni_dot3(v, v));
}

/* Moves by step, which has to stay in the free ball; the float that results is tested, not the step. */
static bool step_by(walk *w, const double step[3], double distance)
{
    float to[3];
    double moved[3];
    for (int axis = 0; axis < 3; axis++) {
        to[axis] = (float)((double)w->at[axis] + step[axis]);
        moved[axis] = (double)to[axis] - (double)w->at[axis];
    }
    if (!(length_of(moved) < distance * (1.0 - 1e-9))) return false;
    memcpy(w->at, to, sizeof to);
    return true;
}

static void remember_touch(walk *w, const rni_near *near, const double normal[3])
{
    for (uint32_t k = 0; k < w->normal_count; k++)
        if (rni_dot3(w->normal[k], normal) > 0.999) return;
    if (w->touch.triangle == RN_MESH_NONE) {
        w->touch.triangle = near->triangle;
        for (int axis = 0; axis < 3; axis++) {
            w->touch.weight[axis] = (float)near->weight[axis];
            w->touch.normal[axis] = (float)normal[axis];
        }
    }
    /* The oldest gives way: the point has slid past it. */
    if (w->normal_count == MAX_NORMALS)
        memmove(w->normal[0], w->normal[1], sizeof w->normal[0] * --w->normal_count);
    memcpy(w->normal[w->normal_count++], normal, sizeof w->normal[0]);
}

static bool points_into(const walk *w, const double r[3], uint32_t skip)
{
    for (uint32_t k = 0; k < w->normal_count; k++)
        if (k != skip && rni_dot3(r, w->normal[k]) < -1e-12 * length_of(r)) return true;
    return false;
}

/* The part of r that leads into none of the touched walls: along the last one, else along the edge
 * between it and another one, else nothing. */
static void slide(const walk *w, double r[3])
{
    const uint32_t last = w->normal_count - 1;
    const double *n = w->normal[last];
    double along[3];
    const double into = rni_dot3(r, n);
    for (int axis = 0; axis < 3; axis++) along[axis] = r[axis] - fmin(into, 0.0) * n[axis];
    if (!points_into(w, along, last)) {
        memcpy(r, along, sizeof along);
        return;
    }
    for (uint32_t k = 0; k < last; k++) {
        double edge[3];
        rni_cross3(n, w->normal[k], edge);
        const double size_sq = rni_dot3(edge, edge);
        if (size_sq < 1e-6) continue;
        const double scale = rni_dot3(r, edge) / size_sq;
        for (int axis = 0; axis < 3; axis++) along[axis] = scale * edge[axis];
        if (points_into(w, along, last)) continue;
        memcpy(r, along, sizeof along);
        return;
    }
    memset(r, 0, sizeof along);
}

/* Away from the mesh, as far as half the free ball; only if that gains distance. */
static bool retreat(walk *w, double distance, const double normal[3])
{
    float before[3];
    double step[3];
    rni_near near;
    const double size = fmin(0.5 * distance, fmax(w->soft - distance, 0.0));
    memcpy(before, w->at, sizeof before);
    for (int axis = 0; axis < 3; axis++) step[axis] = size * normal[axis];
    if (!step_by(w, step, distance)) return false;
    if (!w->query->structure->closest(w->query, w->at, distance, &near)) return true;
    memcpy(w->at, before, sizeof before);
    return false;
}

/* What the mesh says at w->at. */
typedef struct view {
    rni_near near;
    double distance, room;  /* room: how far a step may go */
    double normal[3];       /* from the mesh to the point; 0 if the point is on the mesh */
    double rest[3], length; /* from the point to the target */
} view;

/* False: nothing is near, so the target can be reached. */
static bool look(const walk *w, view *v)
{
    for (int axis = 0; axis < 3; axis++) v->rest[axis] = w->target[axis] - (double)w->at[axis];
    v->length = length_of(v->rest);
    if (!w->query->structure->closest(w->query, w->at, v->length + w->soft, &v->near)) return false;
    v->distance = sqrt(v->near.distance_sq);
    v->room = v->distance - w->hard;
    for (int axis = 0; axis < 3; axis++)
        v->normal[axis] =
            v->distance > 0.0 ? ((double)w->at[axis] - v->near.point[axis]) / v->distance : 0.0;
    return true;
}

/* Along the rest, at most size. */
static bool advance(walk *w, const view *v, double size)
{
    double step[3];
    const double share = size < v->length ? size / v->length : 1.0;
    for (int axis = 0; axis < 3; axis++) step[axis] = share * v->rest[axis];
    return step_by(w, step, v->distance);
}

/* Slides along the wall at hand, and away from it up to the distance soft. */
static bool slide_along(walk *w, view *v)
{
    remember_touch(w, &v->near, v->normal);
    slide(w, v->rest);
    const double lift = fmax(w->soft - v->distance, 0.0);
    for (int axis = 0; axis < 3; axis++) {
        v->rest[axis] += lift * v->normal[axis];
        w->target[axis] = (double)w->at[axis] + v->rest[axis];
    }
    v->length = length_of(v->rest);
    return v->length > 1e-3 * (w->soft - w->hard) && advance(w, v, v->room);
}

typedef enum verdict { GO_ON, ARRIVED, STUCK } verdict;

/* One step after a look at the mesh. */
static verdict take_step(walk *w, view *v)
{
    const double towards = -rni_dot3(v->rest, v->normal); /* positive: the wall comes closer */
    if (v->length <= v->distance - w->soft || (towards <= 0.0 && v->length <= v->room))
        return advance(w, v, v->length) ? ARRIVED : STUCK;
    if (v->room <= 1e-3 * w->hard) return retreat(w, v->distance, v->normal) ? GO_ON : STUCK;
    /* From far away no step ends closer than soft to anything; near a wall that would be too short. */
    const double gap = v->distance - w->soft, band = w->soft - w->hard;
    const double limit = gap > 0.5 * band ? gap : v->room;
    if (towards <= 0.0) return advance(w, v, limit) ? GO_ON : STUCK;
    if (gap > 0.1 * band)
        return advance(w, v, fmin(gap * v->length / towards, limit)) ? GO_ON : STUCK;
    return slide_along(w, v) ? GO_ON : STUCK;
}

/* Follows the move to its end. */
static void follow(walk *w, uint32_t max_steps, const float end[3])
{
    float before[3];
    double distance_before = -1.0;
    uint32_t returns = 0;
    for (uint32_t k = 0; k < max_steps; k++) {
        view v;
        if (!look(w, &v)) {
            for (int axis = 0; axis < 3; axis++)
                w->at[axis] = w->normal_count > 0 ? (float)w->target[axis] : end[axis];
            return;
        }
        /* The last step brought the point into a corner: back, and not into this wall again. */
        if (distance_before >= 0.0 && v.distance < w->middle && v.distance < distance_before) {
            memcpy(w->at, before, sizeof before);
            distance_before = -1.0;
            remember_touch(w, &v.near, v.normal);
            for (int axis = 0; axis < 3; axis++)
                v.rest[axis] = w->target[axis] - (double)w->at[axis];
            slide(w, v.rest);
            for (int axis = 0; axis < 3; axis++)
                w->target[axis] = (double)w->at[axis] + v.rest[axis];
            if (++returns > MAX_NORMALS) break;
            continue;
        }
        memcpy(before, w->at, sizeof before);
        distance_before = v.distance;
        const verdict end_of = take_step(w, &v);
        if (end_of == ARRIVED) return;
        if (end_of == STUCK) break;
    }
    w->touch.flags |= RN_TOUCH_SHORT;
}

/* --- batches ------------------------------------------------------------------------------------ */

typedef struct move_job {
    const rn_mesh_query *query;
    const rn_mesh_move_def *def;
    const rn_mesh_points *from, *to;
    float *moved;
    rn_mesh_touch *touch;
    _Atomic uint32_t touch_count;
} move_job;

/* Whether the cell of the point proves that the move and soft stay clear of the mesh. */
static inline bool is_free(const rni_prefilter *grid, float soft, const float from[3],
                           const float to[3])
{
    const float x = (from[0] - grid->origin[0]) * grid->inverse_cell;
    const float y = (from[1] - grid->origin[1]) * grid->inverse_cell;
    const float z = (from[2] - grid->origin[2]) * grid->inverse_cell;
    if (!(x >= 0.0f && y >= 0.0f && z >= 0.0f && x < (float)grid->size[0] &&
          y < (float)grid->size[1] && z < (float)grid->size[2]))
        return false;
    const size_t at =
        ((size_t)(uint32_t)z * grid->size[1] + (uint32_t)y) * grid->size[0] + (uint32_t)x;
    const float room = (float)grid->bound[at] * grid->unit - soft;
    const float u = to[0] - from[0], v = to[1] - from[1], w = to[2] - from[2];
    return room > 0.0f && (u * u + v * v + w * w) * 1.00001f < room * room;
}

static void move_one(const move_job *job, const float from[3], const float to[3], float moved[3],
                     rn_mesh_touch *touch)
{
    walk w = {.query = job->query,
              .hard = (double)job->def->hard,
              .soft = (double)job->def->soft,
              .touch = {.triangle = RN_MESH_NONE}};
    w.middle = 0.5 * (w.hard + w.soft);
    for (int axis = 0; axis < 3; axis++) w.at[axis] = from[axis], w.target[axis] = (double)to[axis];
    follow(&w, job->def->max_steps, to);
    if (w.touch.flags & RN_TOUCH_SHORT) {
        rni_near near;
        if (job->query->structure->closest(job->query, w.at, w.hard, &near) &&
            sqrt(near.distance_sq) < w.hard * 0.999)
            w.touch.flags |= RN_TOUCH_CLOSE;
    }
    memcpy(moved, w.at, sizeof w.at);
    *touch = w.touch;
}

static void move_all(void *data, uint32_t begin, uint32_t end)
{
    move_job *job = data;
    const rni_prefilter *grid = job->query->prefilter.bound ? &job->query->prefilter : NULL;
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; i++) {
        float from[3], to[3];
        rn_mesh_touch touch = {.triangle = RN_MESH_NONE};
        rni_point_at(job->from, i, from);
        rni_point_at(job->to, i, to);
        if (grid && is_free(grid, job->def->soft, from, to))
            memcpy(job->moved + (size_t)3 * i, to, sizeof to);
        else move_one(job, from, to, job->moved + (size_t)3 * i, &touch);
        count += touch.triangle != RN_MESH_NONE || touch.flags != 0;
        if (job->touch) job->touch[i] = touch;
    }
    job->touch_count += count;
}

rn_mesh_move_def rn_mesh_move_def_default(void)
{
    return (rn_mesh_move_def){.struct_bytes = sizeof(rn_mesh_move_def), .max_steps = 32};
}

static rn_result check_move(const rn_mesh_query *query, const rn_mesh_move_def *def)
{
    if (!def) return rni_fail(RN_ERROR_ARGUMENT, "def must not be NULL");
    if (def->struct_bytes != sizeof *def)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "def.struct_bytes is %u instead of %zu; begin with rn_mesh_move_def_default()",
                        def->struct_bytes, sizeof *def);
    if (!(def->hard > 0.0f && def->soft > def->hard && def->soft <= RNI_MESH_LARGEST))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "hard is %g and soft is %g; hard must be positive, soft larger, both finite",
                        (double)def->hard, (double)def->soft);
    float largest = 0.0f;
    for (int axis = 0; axis < 3 && query->mesh.triangle_count > 0; axis++)
        largest = fmaxf(
            largest, fmaxf(fabsf(query->hierarchy.low[axis]), fabsf(query->hierarchy.high[axis])));
    /* Closer to the mesh than that, floats cannot tell the places of a slide apart. */
    if (def->hard < 100.0f * 6e-8f * largest)
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "hard is %g, but coordinates of %g are rounded by up to %g; make it at least %g, "
            "or shift mesh and points towards the origin",
            (double)def->hard, (double)largest, 6e-8 * (double)largest, 6e-6 * (double)largest);
    return RN_OK;
}

rn_result rn_mesh_query_move(rn_mesh_query *query, const rn_mesh_move_def *def,
                             const rn_mesh_points *from, const rn_mesh_points *to, float *moved,
                             rn_mesh_touch *touch, uint32_t *touch_count)
{
    rn_result result = rni_mesh_points_check(query, from, "from", moved);
    if (result == RN_OK) result = rni_mesh_points_check(query, to, "to", moved);
    if (result == RN_OK) result = check_move(query, def);
    if (result != RN_OK) return result;
    if (from->count != to->count)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "from has %u positions and to has %u; both must have as many", from->count,
                        to->count);
    if (!query->prefilter.bound && from->count > RNI_MESH_SMALL_BATCH)
        result = rni_prefilter_build(query);
    if (result != RN_OK) return result;
    move_job job = {query, def, from, to, moved, touch, 0};
    rni_batch_run(query, from->count, move_all, &job);
    if (touch_count) *touch_count = job.touch_count;
    return RN_OK;
}
