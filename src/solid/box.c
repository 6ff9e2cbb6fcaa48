/* A box; hollow it is also the domain of a fluid, whose faces may be missing. */
#include "solid/convex.h"
#include "solid/kinds.h"
#include "solid/mesh.h"
#include "solid/span.h"

/* Into the box's own axes, from its center. */
static void to_box(const rni_solid *s, const float x[3], float u[3])
{
    float d[3] = {x[0] - s->center[0], x[1] - s->center[1], x[2] - s->center[2]};
    for (int a = 0; a < 3; a++) u[a] = rni_solid_dot(s->frame[a], d);
}

static void from_box(const rni_solid *s, const float u[3], float x[3])
{
    for (int a = 0; a < 3; a++)
        x[a] = u[0] * s->frame[0][a] + u[1] * s->frame[1][a] + u[2] * s->frame[2][a];
}

/* Outside: the distance; inside: minus the distance to the nearest face. */
static float full_distance(const rni_solid *s, const float x[3], float normal[3])
{
    float u[3], n[3] = {0, 0, 0};
    to_box(s, x, u);
    float outside_sq = 0, least = -INFINITY;
    int nearest = 0;
    for (int a = 0; a < 3; a++) {
        if (!s->side[a][0] && !s->side[a][1]) continue;
        float over = fabsf(u[a]) - s->half[a];
        float sign = u[a] < 0 ? -1.0f : 1.0f;
        if (over > least) least = over, nearest = a;
        if (over > 0) outside_sq += over * over, n[a] = sign * over;
    }
    float d = least;
    if (outside_sq > 0) {
        d = sqrtf(outside_sq);
        for (int a = 0; a < 3; a++) n[a] /= d;
    } else {
        n[nearest] = u[nearest] < 0 ? -1.0f : 1.0f;
    }
    from_box(s, n, normal);
    return d;
}

/* Inside a hollow box: distance to the nearest of its faces. */
static float hollow_distance(const rni_solid *s, const float x[3], float normal[3])
{
    float u[3], n[3] = {0, 0, 0};
    to_box(s, x, u);
    float least = INFINITY, sign = 1;
    int nearest = 0;
    for (int a = 0; a < 3; a++)
        for (int side = 0; side < 2; side++) {
            if (!s->side[a][side]) continue;
            float d = side ? s->half[a] - u[a] : s->half[a] + u[a];
            if (d < least) least = d, nearest = a, sign = side ? -1.0f : 1.0f;
        }
    n[nearest] = sign;
    from_box(s, n, normal);
    return least;
}

static float box_distance(const rni_solid *s, const float x[3], float normal[3])
{
    return s->is_hollow ? hollow_distance(s, x, normal) : full_distance(s, x, normal);
}

static double exact_distance(const rn_solid *def, uint32_t dim, const double from_center[3])
{
    double d[3];
    rni_solid_undo_turn(def->turn, from_center, d);
    double outside_sq = 0, least = -HUGE_VAL;
    for (uint32_t a = 0; a < (dim == 2 ? 2u : 3u); a++) {
        double over = fabs(d[a]) - (double)def->half[a];
        least = fmax(least, over);
        if (over > 0) outside_sq += over * over;
    }
    return outside_sq > 0 ? sqrt(outside_sq) : least;
}

/* Outside: the face that looks at x most, times what the box covers along its other axes. u: x from the center, along
 * the axes of the box; over: how far it is beyond each face. */
static __attribute__((noinline)) uint32_t meet_full(const rni_wall_tables *tables,
                                                    const rni_solid *s, const float x[3],
                                                    const rni_wall_query *query, const float u[3],
                                                    const float over[3], rni_face *face, float *clear)
{
    rni_convex c; /* number by number: compilers would set all of it to 0 first, slowly */
    c.count = 3, c.front = 0;
    c.curved = 1, c.curved_slope = 0, c.smooth = 0;
    for (int a = 0; a < 3; a++) {
        c.over[a] = over[a], c.slab[a] = 1, c.slope[a] = 0;
        if (over[a] > over[c.front]) c.front = a;
    }
    for (int a = 0; a < 3; a++) {
        for (int k = 0; k < 3; k++) c.axis[a][k] = u[a] < 0 ? -s->frame[a][k] : s->frame[a][k];
        if (a != c.front && s->side[a][0])
            rni_convex_cover(tables, query->h, a, fabsf(u[a]) + s->half[a], &c);
    }
    return rni_convex_meet(tables, s, x, query, &c, face, clear);
}

static uint32_t hollow_faces(const rni_solid *s, const float x[3], const rni_wall_query *query,
                             rni_face *faces)
{
    float u[3];
    to_box(s, x, u);
    uint32_t count = 0;
    for (uint32_t a = 0; a < 3; a++) {
        if (s->half[a] - fabsf(u[a]) >= query->h) continue;
        if (s->side[a][0])
            count = rni_face_add(query, s->frame[a], 1, s->half[a] + u[a], faces, count);
        if (s->side[a][1])
            count = rni_face_add(query, s->frame[a], -1, s->half[a] - u[a], faces, count);
    }
    return count;
}

static __attribute__((noinline)) uint32_t meet_hollow(const rni_wall_tables *tables,
                                                      const rni_solid *s, const float x[3],
                                                      const rni_wall_query *query, rni_face *faces,
                                                      float *clear)
{
    const uint32_t count = hollow_faces(s, x, query, faces);
    return rni_faces_meet_hollow(tables, s, x, query, faces, count, clear);
}

static uint32_t meet(const rni_wall_tables *tables, const rni_solid *s, const float x[3],
                     const rni_wall_query *query, rni_face *faces, float *clear)
{
    if (s->is_hollow) return meet_hollow(tables, s, x, query, faces, clear);
    const float d[3] = {x[0] - s->center[0], x[1] - s->center[1], x[2] - s->center[2]};
    float u[3], over[3];
    for (int a = 0; a < 3; a++) { /* most boxes are too far along one of their axes */
        u[a] = rni_solid_dot(s->frame[a], d);
        over[a] = s->side[a][0] ? fabsf(u[a]) - s->half[a] : -INFINITY;
        if (over[a] >= query->h) return 0;
    }
    return meet_full(tables, s, x, query, u, over, faces, clear);
}

static float thickness(const rni_solid *s, const char **what)
{
    *what = "a side of the box";
    float least = INFINITY;
    for (uint32_t a = 0; a < s->dim; a++) least = fminf(least, 2 * s->half[a]);
    return least;
}

static bool is_thin_along(const rni_solid *s, int a, float h)
{
    return s->side[a][0] && 2 * s->half[a] < h;
}

static bool is_thin(const rni_solid *s, float h)
{
    return !s->is_hollow &&
           (is_thin_along(s, 0, h) || is_thin_along(s, 1, h) || is_thin_along(s, 2, h));
}

static float thin_distance(const rni_solid *s, const float x[3], float h)
{
    float normal[3];
    return is_thin(s, h) ? full_distance(s, x, normal) : INFINITY;
}

/* Both faces along each axis along which it is thin, as two triangles each. */
static uint32_t thin_triangles(const rni_solid *s, const float x[3], float h, float (*corner)[3][3],
                               uint32_t most)
{
    static const float RING[2][3][2] = {{{-1, -1}, {1, -1}, {1, 1}}, {{-1, -1}, {1, 1}, {-1, 1}}};
    uint32_t count = 0;
    for (int a = 0; a < 3 && !s->is_hollow; a++) {
        if (!is_thin_along(s, a, h)) continue;
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        for (uint32_t k = 0; k < 4; k++, count++) {
            for (uint32_t n = 0; count < most && n < 3; n++) {
                float u[3], *to = corner[count][n];
                u[a] = k < 2 ? s->half[a] : -s->half[a];
                /* In 2D the third axis has no end: beyond what is near, none is needed. */
                u[b] = RING[k % 2][n][0] * (s->side[b][0] ? s->half[b] : 4 * h);
                u[c] = RING[k % 2][n][1] * (s->side[c][0] ? s->half[c] : 4 * h);
                from_box(s, u, to);
                for (int e = 0; e < 3; e++) to[e] += s->center[e] - x[e];
            }
        }
    }
    return count;
}

static void bounds(const rni_solid *s, float low[3], float high[3])
{
    for (int a = 0; a < 3; a++) {
        float size = 0;
        for (uint32_t b = 0; b < s->dim; b++) size += fabsf(s->frame[b][a]) * s->half[b];
        low[a] = s->center[a] - size, high[a] = s->center[a] + size;
    }
}

static float reach(const rni_solid *s)
{
    const float flat = hypotf(s->half[0], s->half[1]);
    return s->dim == 2 ? flat : hypotf(flat, s->half[2]);
}

static double volume(const rni_solid *s)
{
    double product = 1;
    for (uint32_t a = 0; a < s->dim; a++) product *= 2 * (double)s->half[a];
    return product;
}

static bool is_uniform_along(const rni_solid *s, uint32_t a)
{
    for (uint32_t b = 0; b < s->dim; b++)
        if (fabsf(s->frame[b][a]) > 1 - 1e-6f) return true;
    return false;
}

static bool is_plate(const rni_solid *s)
{
    const float *half = s->half;
    return fminf(half[0], fminf(half[1], half[2])) < 0.2f * fmaxf(half[0], fmaxf(half[1], half[2]));
}

static bool span(const rni_solid *s, const float origin[3], const float direction[3], rni_span *span)
{
    float q[3];
    rni_span_from(s, origin, q);
    for (uint32_t a = 0; a < s->dim; a++)
        if (!rni_span_cut_slab(span, s->frame[a], rni_solid_dot(q, s->frame[a]),
                               rni_solid_dot(direction, s->frame[a]), s->half[a], false))
            return false;
    return true;
}

/* Corner k of 8: bit a set is high along the own axis a. */
static void corner_of(const rni_solid *s, const float half[3], uint32_t k, float out[3])
{
    const float u[3] = {k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1],
                        k & 4 ? half[2] : -half[2]};
    from_box(s, u, out);
    for (int a = 0; a < 3; a++) out[a] += s->center[a];
}

static void draw_face(const rni_solid *s, const float half[3], uint32_t axis, bool is_high,
                      rni_solid_mesh *mesh)
{
    const uint32_t u = 1u << (axis + 1) % 3, v = 1u << (axis + 2) % 3,
                   base = is_high ? 1u << axis : 0;
    const uint32_t ring[4] = {base, base | u, base | u | v, base | v};
    uint32_t index[4];
    float corner[3], normal[3];
    for (int a = 0; a < 3; a++) normal[a] = is_high ? s->frame[axis][a] : -s->frame[axis][a];
    for (uint32_t k = 0; k < 4; k++) {
        corner_of(s, half, ring[is_high ? k : 3 - k], corner);
        index[k] = rni_mesh_vertex(mesh, corner, normal);
    }
    rni_mesh_triangle(mesh, index[0], index[1], index[2]);
    rni_mesh_triangle(mesh, index[0], index[2], index[3]);
}

static void draw(const rni_solid *s, rni_solid_mesh *mesh)
{
    const bool is_flat = s->dim == 2;
    const float half[3] = {s->half[0], s->half[1],
                           is_flat ? 0.5f * (mesh->high[2] - mesh->low[2]) : s->half[2]};
    float from[3], to[3];
    for (uint32_t axis = 0; axis < 3; axis++) {
        draw_face(s, half, axis, false, mesh);
        draw_face(s, half, axis, true, mesh);
        for (uint32_t k = 0; k < 8; k++) {
            if (k >> axis & 1) continue;
            corner_of(s, half, k, from);
            corner_of(s, half, k | 1u << axis, to);
            rni_mesh_line(mesh, from, to);
        }
    }
}

static const rni_solid_parameter parameters[] = {
    {"size", "m", RNI_RULE_POSITIVE, true, "metres, the full length of its sides",
     RNI_SOLID_FIELD(half, 3, 0.5f)},
    {"turn", "degrees", RNI_RULE_ANY, false, "its rotation about x, then y, then z",
     RNI_SOLID_FIELD(turn, 3, 1)},
};

const rni_solid_kind rni_solid_box = {
    .name = "box",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .has_2d = true,
    .can_be_hollow = true,
    .has_edges = true,
    .distance = box_distance,
    .exact_distance = exact_distance,
    .meet = meet,
    .thickness = thickness,
    .is_thin = is_thin,
    .thin_distance = thin_distance,
    .thin_triangles = thin_triangles,
    .bounds = bounds,
    .reach = reach,
    .volume = volume,
    .is_uniform_along = is_uniform_along,
    .is_plate = is_plate,
    .span = span,
    .draw = draw,
};
