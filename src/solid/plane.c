/* A plane: everything behind its normal is solid. It has no end, and is never hollow. */
#include "solid/boundary.h"
#include "solid/kinds.h"
#include "solid/mesh.h"
#include "solid/span.h"

static float plane_distance(const rni_solid *s, const float x[3], float normal[3])
{
    float from[3] = {x[0] - s->center[0], x[1] - s->center[1], x[2] - s->center[2]};
    memcpy(normal, s->axis, 3 * sizeof(float));
    return rni_solid_dot(from, s->axis);
}

static double exact_distance(const rn_solid *def, uint32_t dim, const double d[3])
{
    (void)dim;
    return rni_solid_exact_along(def, d);
}

static uint32_t meet(const rni_wall_tables *tables, const rni_solid *s, const float x[3],
                     const rni_wall_query *query, rni_face *faces, float *clear)
{
    faces->distance = plane_distance(s, x, faces->normal);
    return rni_face_meet_tangent(tables, s, x, query, faces, clear);
}

static float thickness(const rni_solid *s, const char **what)
{
    (void)s;
    *what = "the plane";
    return INFINITY;
}

static bool is_uniform_along(const rni_solid *s, uint32_t a)
{
    return fabsf(s->axis[a]) <= 1e-4f;
}

static bool span(const rni_solid *s, const float origin[3], const float direction[3], rni_span *span)
{
    float q[3];
    rni_span_from(s, origin, q);
    float height = rni_solid_dot(q, s->axis);
    float climb = rni_solid_dot(direction, s->axis);
    if (fabsf(climb) < 1e-12f) return height <= 0;
    float t = -height / climb;
    if (climb < 0 && t > span->near) {
        span->near = t;
        rni_span_set(span->near_normal, s->axis, 1);
        span->near_is_cut = false;
    }
    if (climb > 0 && t < span->far) {
        span->far = t;
        rni_span_set(span->far_normal, s->axis, 1);
        span->far_is_cut = false;
    }
    return span->near < span->far;
}

/* Corner k of 8 of the box that is drawn. */
static void corner_of(const rni_solid_mesh *mesh, uint32_t k, float out[3])
{
    for (uint32_t a = 0; a < 3; a++) out[a] = k >> a & 1 ? mesh->high[a] : mesh->low[a];
}

#define MAX_CORNERS \
    12u /* a plane cuts at most six edges of a box; those through a corner count twice */

/* Where the plane cuts the edges of the box; returns how many points there are. */
static uint32_t cut_edges(const rni_solid *s, const rni_solid_mesh *mesh, float cut[][3])
{
    uint32_t count = 0;
    float a[3], b[3], normal[3];
    for (uint32_t c = 0; c < 8; c++)
        for (uint32_t axis = 0; axis < 3; axis++) {
            if (c >> axis & 1) continue;
            corner_of(mesh, c, a);
            corner_of(mesh, c | 1u << axis, b);
            const float da = plane_distance(s, a, normal), db = plane_distance(s, b, normal);
            if ((da < 0) == (db < 0)) continue;
            for (int k = 0; k < 3; k++) cut[count][k] = a[k] + (b[k] - a[k]) * (da / (da - db));
            count++;
        }
    return count;
}

/* Sorts points of the plane by their angle about middle, counter-clockwise seen from the fluid. */
static void sort_by_angle(const rni_solid *s, const float middle[3], float cut[][3], uint32_t count)
{
    float u[3], v[3], angle[MAX_CORNERS];
    rni_mesh_across(s->axis, u, v);
    for (uint32_t k = 0; k < count; k++) {
        const float d[3] = {cut[k][0] - middle[0], cut[k][1] - middle[1], cut[k][2] - middle[2]};
        angle[k] = atan2f(rni_solid_dot(d, v), rni_solid_dot(d, u));
    }
    for (uint32_t k = 1; k < count; k++)
        for (uint32_t l = k; l > 0 && angle[l] < angle[l - 1]; l--) {
            const float other = angle[l];
            float point[3];
            angle[l] = angle[l - 1], angle[l - 1] = other;
            memcpy(point, cut[l], sizeof point);
            memcpy(cut[l], cut[l - 1], sizeof point);
            memcpy(cut[l - 1], point, sizeof point);
        }
}

/* The part of the plane inside the box that is drawn. */
static void draw(const rni_solid *s, rni_solid_mesh *mesh)
{
    float cut[MAX_CORNERS][3], middle[3] = {0, 0, 0};
    const uint32_t count = cut_edges(s, mesh, cut);
    if (count < 3) return;
    for (uint32_t k = 0; k < count; k++)
        for (int a = 0; a < 3; a++) middle[a] += cut[k][a] / (float)count;
    sort_by_angle(s, middle, cut, count);
    const uint32_t first = rni_mesh_vertex(mesh, middle, s->axis) + 1;
    for (uint32_t k = 0; k < count; k++) rni_mesh_vertex(mesh, cut[k], s->axis);
    for (uint32_t k = 0; k < count; k++) {
        rni_mesh_triangle(mesh, first - 1, first + k, first + (k + 1) % count);
        rni_mesh_line(mesh, cut[k], cut[(k + 1) % count]);
    }
}

static const rni_solid_parameter parameters[] = {
    RNI_SOLID_AXIS("its normal, from the solid towards the water"),
};

const rni_solid_kind rni_solid_plane = {
    .name = "plane",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .has_2d = true,
    .distance = plane_distance,
    .exact_distance = exact_distance,
    .meet = meet,
    .thickness = thickness,
    .is_uniform_along = is_uniform_along,
    .span = span,
    .draw = draw,
};
