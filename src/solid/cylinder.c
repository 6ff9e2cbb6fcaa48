/* A cylinder with flat ends. */
#include "solid/convex.h"
#include "solid/kinds.h"
#include "solid/mesh.h"
#include "solid/span.h"

static float cylinder_distance(const rni_solid *s, const float x[3], float normal[3])
{
    const float *axis = s->axis;
    float d[3] = {x[0] - s->center[0], x[1] - s->center[1], x[2] - s->center[2]};
    float along = rni_solid_dot(d, axis);
    float radial[3] = {d[0] - along * axis[0], d[1] - along * axis[1], d[2] - along * axis[2]};
    float length = sqrtf(rni_solid_dot(radial, radial));
    float over_r = length - s->radius, over_a = fabsf(along) - s->half[0];
    float sign = along < 0 ? -1.0f : 1.0f;
    float inverse = length > 0 ? 1 / length : 0;
    float wr = over_r > over_a ? 1.0f : 0.0f, wa = 1 - wr, distance = rni_higher(over_r, over_a);
    if (!s->is_hollow && over_r > 0 && over_a > 0) {
        distance = sqrtf(over_r * over_r + over_a * over_a);
        wr = over_r / distance, wa = over_a / distance;
    }
    for (int a = 0; a < 3; a++) normal[a] = wr * radial[a] * inverse + wa * sign * axis[a];
    if (!s->is_hollow) return distance;
    for (int a = 0; a < 3; a++) normal[a] = -normal[a];
    return -distance;
}

static double exact_distance(const rn_solid *def, uint32_t dim, const double d[3])
{
    (void)dim;
    double along = rni_solid_exact_along(def, d);
    double radial = sqrt(fmax(0, d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - along * along));
    double over_r = radial - (double)def->radius, over_a = fabs(along) - (double)def->half[0];
    if (over_r > 0 && over_a > 0) return sqrt(over_r * over_r + over_a * over_a);
    return fmax(over_r, over_a);
}

/* The round side and both ends: each is a face of its own, so that nothing jumps where they meet. */
static uint32_t hollow_faces(const rni_solid *s, const float x[3], const rni_wall_query *query,
                             rni_face *faces)
{
    const float *axis = s->axis;
    const float d[3] = {x[0] - s->center[0], x[1] - s->center[1], x[2] - s->center[2]};
    const float along = rni_solid_dot(d, axis);
    float radial[3] = {d[0] - along * axis[0], d[1] - along * axis[1], d[2] - along * axis[2]};
    const float length = sqrtf(rni_solid_dot(radial, radial));
    for (int a = 0; a < 3; a++) radial[a] = length > 0 ? radial[a] / length : 0.0f;
    uint32_t count = rni_face_add(query, radial, -1, s->radius - length, faces, 0);
    count = rni_face_add(query, axis, 1, s->half[0] + along, faces, count);
    return rni_face_add(query, axis, -1, s->half[0] - along, faces, count);
}

/* From outside: the round side, or an end, and which part of it the other one leaves. */
static uint32_t meet_full(const rni_wall_tables *tables, const rni_solid *s, const float x[3],
                          const rni_wall_query *query, rni_face *face, float *clear)
{
    const float d[3] = {x[0] - s->center[0], x[1] - s->center[1], x[2] - s->center[2]};
    const float along = rni_solid_dot(d, s->axis);
    rni_convex c = {.count = 2, .over = {0, fabsf(along) - s->half[0]}, .curved = 1};
    for (int a = 0; a < 3; a++) {
        c.axis[0][a] = d[a] - along * s->axis[a];
        c.axis[1][a] = along < 0 ? -s->axis[a] : s->axis[a];
    }
    const float length = sqrtf(rni_solid_dot(c.axis[0], c.axis[0]));
    for (int a = 0; a < 3; a++) c.axis[0][a] = length > 0 ? c.axis[0][a] / length : 0.0f;
    c.over[0] = length - s->radius;
    if (rni_higher(c.over[0], c.over[1]) >= query->h) return 0;
    c.front = c.over[1] > c.over[0];
    if (c.front == 0)
        rni_convex_curve(tables, query->h, 1 / rni_higher(length, 0.1f * s->radius), &c);
    rni_convex_cover(tables, query->h, 0, length + s->radius, &c);
    rni_convex_cover(tables, query->h, 1, fabsf(along) + s->half[0], &c);
    return rni_convex_meet(tables, s, x, query, &c, face, clear);
}

static uint32_t meet(const rni_wall_tables *tables, const rni_solid *s, const float x[3],
                     const rni_wall_query *query, rni_face *faces, float *clear)
{
    if (!s->is_hollow) return meet_full(tables, s, x, query, faces, clear);
    const uint32_t count = hollow_faces(s, x, query, faces);
    return rni_faces_meet_hollow(tables, s, x, query, faces, count, clear);
}

static float thickness(const rni_solid *s, const char **what)
{
    *what = s->radius <= s->half[0] ? "the cylinder's diameter" : "the cylinder's length";
    return 2 * rni_lower(s->radius, s->half[0]);
}

static void bounds(const rni_solid *s, float low[3], float high[3])
{
    for (int a = 0; a < 3; a++) {
        const float part = fabsf(s->axis[a]);
        const float size = part * s->half[0] + s->radius * sqrtf(rni_higher(1 - part * part, 0.0f));
        low[a] = s->center[a] - size, high[a] = s->center[a] + size;
    }
}

static float reach(const rni_solid *s)
{
    return hypotf(s->radius, s->half[0]);
}

static double volume(const rni_solid *s)
{
    return RNI_PI * (double)s->radius * (double)s->radius * 2 * (double)s->half[0];
}

static bool is_uniform_along(const rni_solid *s, uint32_t a)
{
    return fabsf(s->axis[a]) > 1 - 1e-6f;
}

static bool span(const rni_solid *s, const float origin[3], const float direction[3], rni_span *span)
{
    float q[3], d[3];
    rni_span_from(s, origin, q);
    const float along_q = rni_solid_dot(q, s->axis), along_d = rni_solid_dot(direction, s->axis);
    if (!rni_span_cut_slab(span, s->axis, along_q, along_d, s->half[0], false)) return false;
    for (int a = 0; a < 3; a++) {
        q[a] -= s->axis[a] * along_q;
        d[a] = direction[a] - s->axis[a] * along_d;
    }
    return rni_span_cut_round(span, q, d, s->radius);
}

static void draw(const rni_solid *s, rni_solid_mesh *mesh)
{
    rni_mesh_cylinder(mesh, s->center, s->axis, s->radius, s->half[0]);
}

static const rni_solid_parameter parameters[] = {
    RNI_SOLID_AXIS("the direction along it"),
    RNI_SOLID_RADIUS,
    RNI_SOLID_LENGTH("its full length"),
};

const rni_solid_kind rni_solid_cylinder = {
    .name = "cylinder",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .can_be_hollow = true,
    .distance = cylinder_distance,
    .exact_distance = exact_distance,
    .meet = meet,
    .thickness = thickness,
    .bounds = bounds,
    .reach = reach,
    .volume = volume,
    .is_uniform_along = is_uniform_along,
    .span = span,
    .draw = draw,
};
