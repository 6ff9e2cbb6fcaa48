/* A capsule: a cylinder with round ends; in 2D a stadium. Its length counts the ends. */
#include "base/error.h"
#include "solid/convex.h"
#include "solid/kinds.h"
#include "solid/mesh.h"
#include "solid/span.h"

/* m: from the center to the middle of a round end. */
static float straight_half(const rni_solid *s)
{
    return s->half[0] - s->radius;
}

static rn_result check(const rni_solid *s)
{
    if (s->half[0] >= s->radius) return RN_OK;
    return rni_fail(RN_ERROR_ARGUMENT,
                    "solid: the length of the capsule is %g m; it must be at least its diameter, %g m",
                    2 * (double)s->half[0], 2 * (double)s->radius);
}

/* As if it were not hollow. */
static float full_distance(const rni_solid *s, const float x[3], float normal[3])
{
    const float *axis = s->axis, half = straight_half(s);
    float d[3] = {x[0] - s->center[0], x[1] - s->center[1], x[2] - s->center[2]};
    float along = rni_solid_dot(d, axis);
    along = along < -half ? -half : along > half ? half : along;
    for (int a = 0; a < 3; a++) d[a] -= along * axis[a];
    const float length = sqrtf(rni_solid_dot(d, d)), inverse = length > 0 ? 1 / length : 0;
    for (int a = 0; a < 3; a++) normal[a] = d[a] * inverse;
    if (!(length > 0)) { /* on the axis: any direction across it */
        const float flat = hypotf(axis[0], axis[1]);
        normal[0] = flat > 0 ? -axis[1] / flat : 1.0f;
        normal[1] = flat > 0 ? axis[0] / flat : 0.0f;
    }
    return length - s->radius;
}

static float capsule_distance(const rni_solid *s, const float x[3], float normal[3])
{
    const float distance = full_distance(s, x, normal);
    if (!s->is_hollow) return distance;
    for (int a = 0; a < 3; a++) normal[a] = -normal[a];
    return -distance;
}

static double exact_distance(const rn_solid *def, uint32_t dim, const double d[3])
{
    (void)dim;
    const double along = rni_solid_exact_along(def, d), radius = (double)def->radius;
    const double radial_sq = fmax(0, d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - along * along);
    const double beyond = fmax(0, fabs(along) - ((double)def->half[0] - radius));
    return sqrt(radial_sq + beyond * beyond) - radius;
}

static uint32_t meet(const rni_wall_tables *tables, const rni_solid *s, const float x[3],
                     const rni_wall_query *query, rni_face *faces, float *clear)
{
    faces->distance = capsule_distance(s, x, faces->normal);
    if (s->is_hollow) return rni_face_meet_tangent(tables, s, x, query, faces, clear);
    const float d[3] = {x[0] - s->center[0], x[1] - s->center[1], x[2] - s->center[2]};
    const bool is_end = fabsf(rni_solid_dot(d, s->axis)) > straight_half(s);
    rni_convex c = rni_convex_of(faces);
    rni_convex_curve(
        tables, query->h,
        (float)(s->dim - 2 + is_end) / rni_higher(s->radius + faces->distance, 0.1f * s->radius), &c);
    return rni_convex_meet(tables, s, x, query, &c, faces, clear);
}

static float thickness(const rni_solid *s, const char **what)
{
    *what = "the capsule's diameter";
    return 2 * s->radius;
}

static void bounds(const rni_solid *s, float low[3], float high[3])
{
    for (int a = 0; a < 3; a++) {
        const float size = fabsf(s->axis[a]) * straight_half(s) + s->radius;
        low[a] = s->center[a] - size, high[a] = s->center[a] + size;
    }
}

static float reach(const rni_solid *s)
{
    return s->half[0];
}

static double volume(const rni_solid *s)
{
    const double r = (double)s->radius, length = 2 * ((double)s->half[0] - r);
    if (s->dim == 2) return 2 * r * length + RNI_PI * r * r;
    return RNI_PI * r * r * (length + 4.0 / 3.0 * r);
}

/* The part of the ray inside the straight middle. */
static bool middle_span(const rni_solid *s, const float q[3], const float d[3], rni_span *span)
{
    const float along_q = rni_solid_dot(q, s->axis), along_d = rni_solid_dot(d, s->axis);
    float across_q[3], across_d[3];
    for (int a = 0; a < 3; a++) {
        across_q[a] = q[a] - s->axis[a] * along_q;
        across_d[a] = d[a] - s->axis[a] * along_d;
    }
    return rni_span_cut_slab(span, s->axis, along_q, along_d, straight_half(s), false) &&
           rni_span_cut_round(span, across_q, across_d, s->radius);
}

/* Where the ray first enters and last leaves the two ends and the middle. */
static bool find_span(const rni_solid *s, const float q[3], const float d[3], float *near, float *far)
{
    *near = INFINITY, *far = -INFINITY;
    for (int side = -1; side <= 1; side += 2) {
        float end[3], enter, leave;
        for (int a = 0; a < 3; a++) end[a] = q[a] - (float)side * straight_half(s) * s->axis[a];
        if (!rni_span_round(end, d, s->radius, &enter, &leave)) continue;
        *near = rni_lower(*near, enter), *far = rni_higher(*far, leave);
    }
    rni_span middle = {.near = -INFINITY, .far = INFINITY};
    if (middle_span(s, q, d, &middle))
        *near = rni_lower(*near, middle.near), *far = rni_higher(*far, middle.far);
    return *near < *far;
}

static bool span(const rni_solid *s, const float origin[3], const float direction[3], rni_span *span)
{
    float q[3], x[3], near, far;
    rni_span_from(s, origin, q);
    if (!find_span(s, q, direction, &near, &far)) return false;
    if (near > span->near) {
        span->near = near;
        span->near_is_cut = false;
        for (int a = 0; a < 3; a++) x[a] = origin[a] + near * direction[a];
        full_distance(s, x, span->near_normal);
    }
    if (far < span->far) {
        span->far = far;
        span->far_is_cut = false;
        for (int a = 0; a < 3; a++) x[a] = origin[a] + far * direction[a];
        full_distance(s, x, span->far_normal);
    }
    return span->near < span->far;
}

#define MAX_BANDS 64u /* of a round end */

static void draw_round(const rni_solid *s, rni_solid_mesh *mesh)
{
    rni_mesh_ring rings[2 * MAX_BANDS + 2];
    const uint32_t quarter = mesh->segments / 4, bands = quarter < MAX_BANDS ? quarter : MAX_BANDS;
    const float half = straight_half(s);
    for (uint32_t k = 0; k <= bands; k++) {
        const double angle = 0.5 * RNI_PI * k / bands;
        const float r = k ? (float)sin(angle) : 0.0f, z = (float)cos(angle);
        rings[k] = (rni_mesh_ring){s->radius * r, -half - s->radius * z, r, -z};
        rings[2 * bands + 1 - k] = (rni_mesh_ring){s->radius * r, half + s->radius * z, r, z};
    }
    rni_mesh_revolve(mesh, s->center, s->axis, rings, 2 * bands + 2);
    rni_mesh_circle(mesh, s->center, s->axis, -half, s->radius);
    rni_mesh_circle(mesh, s->center, s->axis, half, s->radius);
}

/* Point k of the outline of a stadium and its normal; the first half of the points is around the high end. */
static void outline_at(const rni_solid *s, uint32_t k, uint32_t count, float z, float point[3],
                       float normal[3])
{
    const uint32_t half_count = count / 2, step = k % half_count;
    const float side = k < half_count ? 1.0f : -1.0f;
    const double angle = RNI_PI * (step / (half_count - 1.0) - 0.5);
    const float c = side * (float)cos(angle), d = side * (float)sin(angle);
    normal[0] = s->axis[0] * c - s->axis[1] * d;
    normal[1] = s->axis[1] * c + s->axis[0] * d;
    normal[2] = 0;
    for (int a = 0; a < 2; a++)
        point[a] = s->center[a] + side * straight_half(s) * s->axis[a] + s->radius * normal[a];
    point[2] = z;
}

/* The flat face at z of a stadium, and its outline. */
static void draw_cap(const rni_solid *s, rni_solid_mesh *mesh, float z, float up)
{
    const uint32_t count = mesh->segments / 2 * 2;
    const float middle[3] = {s->center[0], s->center[1], z}, out[3] = {0, 0, up};
    float point[3], next[3], normal[3];
    const uint32_t first = rni_mesh_vertex(mesh, middle, out) + 1;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t l = (k + 1) % count;
        outline_at(s, k, count, z, point, normal);
        outline_at(s, l, count, z, next, normal);
        rni_mesh_vertex(mesh, point, out);
        rni_mesh_line(mesh, point, next);
        rni_mesh_triangle(mesh, first - 1, first + (up > 0 ? k : l), first + (up > 0 ? l : k));
    }
}

static void draw_rim(const rni_solid *s, rni_solid_mesh *mesh)
{
    const uint32_t count = mesh->segments / 2 * 2, first = mesh->vertex_count;
    float point[3], normal[3];
    for (uint32_t k = 0; k < count; k++) {
        outline_at(s, k, count, mesh->high[2], point, normal);
        rni_mesh_vertex(mesh, point, normal);
        point[2] = mesh->low[2];
        rni_mesh_vertex(mesh, point, normal);
        const uint32_t a = first + 2 * k, b = first + 2 * ((k + 1) % count); /* high, then low */
        rni_mesh_triangle(mesh, a, a + 1, b + 1);
        rni_mesh_triangle(mesh, a, b + 1, b);
    }
}

static void draw(const rni_solid *s, rni_solid_mesh *mesh)
{
    if (s->dim == 3) {
        draw_round(s, mesh);
        return;
    }
    draw_cap(s, mesh, mesh->low[2], -1);
    draw_cap(s, mesh, mesh->high[2], 1);
    draw_rim(s, mesh);
}

static const rni_solid_parameter parameters[] = {
    RNI_SOLID_AXIS("the direction along it"),
    RNI_SOLID_RADIUS,
    RNI_SOLID_LENGTH("its full length, from end to end"),
};

const rni_solid_kind rni_solid_capsule = {
    .name = "capsule",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .has_2d = true,
    .can_be_hollow = true,
    .check = check,
    .distance = capsule_distance,
    .exact_distance = exact_distance,
    .meet = meet,
    .thickness = thickness,
    .bounds = bounds,
    .reach = reach,
    .volume = volume,
    .span = span,
    .draw = draw,
};
