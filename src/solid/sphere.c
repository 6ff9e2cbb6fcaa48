/* A sphere; in 2D a disc. The smallest row: docs/adding-a-solid.md goes through it. */
#include "solid/convex.h"
#include "solid/kinds.h"
#include "solid/mesh.h"
#include "solid/span.h"

static float sphere_distance(const rni_solid *s, const float x[3], float normal[3])
{
    float d[3] = {x[0] - s->center[0], x[1] - s->center[1], x[2] - s->center[2]};
    float length = sqrtf(rni_solid_dot(d, d));
    float inverse = length > 0 ? 1 / length : 0;
    for (int a = 0; a < 3; a++) normal[a] = d[a] * inverse;
    if (!(length > 0)) normal[1] = 1;
    if (!s->is_hollow) return length - s->radius;
    for (int a = 0; a < 3; a++) normal[a] = -normal[a];
    return -(length - s->radius);
}

static double exact_distance(const rn_solid *def, uint32_t dim, const double d[3])
{
    (void)dim;
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - (double)def->radius;
}

static uint32_t meet(const rni_wall_tables *tables, const rni_solid *s, const float x[3],
                     const rni_wall_query *query, rni_face *faces, float *clear)
{
    faces->distance = sphere_distance(s, x, faces->normal);
    if (s->is_hollow) return rni_face_meet_tangent(tables, s, x, query, faces, clear);
    rni_convex c = rni_convex_of(faces);
    rni_convex_curve(tables, query->h,
                     (float)(s->dim - 1) / rni_higher(s->radius + faces->distance, 0.1f * s->radius),
                     &c);
    return rni_convex_meet(tables, s, x, query, &c, faces, clear);
}

static float thickness(const rni_solid *s, const char **what)
{
    *what = "the sphere's diameter";
    return 2 * s->radius;
}

static void bounds(const rni_solid *s, float low[3], float high[3])
{
    for (int a = 0; a < 3; a++)
        low[a] = s->center[a] - s->radius, high[a] = s->center[a] + s->radius;
}

static float reach(const rni_solid *s)
{
    return s->radius;
}

static double volume(const rni_solid *s)
{
    const double r = (double)s->radius;
    return s->dim == 2 ? RNI_PI * r * r : 4.0 / 3.0 * RNI_PI * r * r * r;
}

static bool span(const rni_solid *s, const float origin[3], const float direction[3], rni_span *span)
{
    float q[3];
    rni_span_from(s, origin, q);
    return rni_span_cut_round(span, q, direction, s->radius);
}

#define MAX_RINGS 64u

static void draw(const rni_solid *s, rni_solid_mesh *mesh)
{
    const float up[3] = {0, 1, 0}, front[3] = {0, 0, 1};
    if (s->dim == 2) {
        rni_mesh_disc(mesh, s->center, s->radius);
        return;
    }
    rni_mesh_ring rings[MAX_RINGS + 1];
    const uint32_t half = mesh->segments / 2, bands = half < MAX_RINGS ? half : MAX_RINGS;
    for (uint32_t k = 0; k <= bands; k++) {
        const double angle = RNI_PI * k / bands;
        const float r = k % bands ? (float)sin(angle) : 0.0f, z = -(float)cos(angle);
        rings[k] = (rni_mesh_ring){s->radius * r, s->radius * z, r, z};
    }
    rni_mesh_revolve(mesh, s->center, up, rings, bands + 1);
    rni_mesh_circle(mesh, s->center, front, 0, s->radius);
}

static const rni_solid_parameter parameters[] = {
    RNI_SOLID_RADIUS,
};

const rni_solid_kind rni_solid_sphere = {
    .name = "sphere",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .has_2d = true,
    .can_be_hollow = true,
    .distance = sphere_distance,
    .exact_distance = exact_distance,
    .meet = meet,
    .thickness = thickness,
    .bounds = bounds,
    .reach = reach,
    .volume = volume,
    .span = span,
    .draw = draw,
};
