/* A triangle mesh.
 *
 * What it gives to a particle comes from the boundary field (mesh/field.h), which the fluid builds for its
 * own tables. With U(t) = -ln(1 - share(t)) of a flat wall as the law, faces combine as those of the analytic
 * solids do: what they leave open is multiplied. The field says, at a place,
 *     t       the distance of the flat wall that has the same U, and its gradient: the share of the density is that
 *             of the table at t, the push that of the table times the gradient of t. Both come from one
 *             energy, whatever the triangles; near a flat wall, t is the distance and the gradient the normal.
 *     spread  the mean of n n over the faces. 1 / sum of its squares is the number N of faces: 1 at a flat
 *             wall, 2 in an edge, 3 in a corner at equal distances.
 * Second moments, weight and drag are those of N equal faces at the distance t1 with U(t1) = U(t) / N, each of
 * which leaves exp(-U(t1)) open for the others: at a flat wall, and in edges and corners of right angles, the
 * same as those of a box.
 *
 * Beyond that a mesh never relies on its field: the collide stage keeps particles out by distances to
 * its triangles (fluid/mesh_walls.c). */
#include "base/error.h"
#include "mesh/field.h"
#include "solid/convex.h"
#include "solid/kinds.h"
#include "solid/mesh.h"
#include "solid/span.h"
#include "solid/wall_mesh.h"

static rn_result check(const rni_solid *s)
{
    if (!s->def.mesh)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "solid: a mesh without triangles; set mesh, as made by rn_wall_mesh_create()");
    if (!(s->def.scale > 0))
        return rni_fail(RN_ERROR_ARGUMENT, "solid: scale is %g; it must be positive",
                        (double)s->def.scale);
    if (s->is_hollow && s->def.mesh->is_two_sided)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "solid: a mesh cannot be hollow and two-sided; water is on both sides of it");
    return RN_OK;
}

static float mesh_distance(const rni_solid *s, const float x[3], float normal[3])
{
    const double at[3] = {(double)x[0], (double)x[1], (double)x[2]};
    rni_wall_near near;
    if (!rni_wall_mesh_closest(s, at, (double)INFINITY, &near)) return INFINITY;
    const bool is_solid = rni_wall_mesh_is_solid(s, at);
    double length_sq = 0;
    for (int a = 0; a < 3; a++) {
        const double d = is_solid ? near.point[a] - at[a] : at[a] - near.point[a];
        normal[a] = (float)d;
        length_sq += d * d;
    }
    const float inverse = length_sq > 0 ? (float)(1 / sqrt(length_sq)) : 0.0f;
    for (int a = 0; a < 3; a++) normal[a] *= inverse;
    if (!(length_sq > 0)) normal[1] = 1;
    return is_solid ? -(float)near.distance : (float)near.distance;
}

static double exact_distance(const rn_solid *def, uint32_t dim, const double d[3])
{
    const rn_wall_mesh *wall = def->mesh;
    const double scale = (double)def->scale;
    double own[3], least = (double)INFINITY, angle = 0;
    (void)dim;
    rni_solid_undo_turn(def->turn, d, own);
    for (int a = 0; a < 3; a++) own[a] /= scale;
    /* All triangles, one by one: the nearest, and the solid angle of each as seen from here (Van Oosterom and
     * Strackee 1983). */
    for (size_t t = 0; t < wall->mesh.triangle_count; t++) {
        double corner[3][3], from[3][3], cross[3], length[3];
        for (size_t k = 0; k < 3; k++) {
            const float *v = wall->mesh.vertex + 3 * (size_t)wall->mesh.triangle[3 * t + k];
            for (int a = 0; a < 3; a++) {
                corner[k][a] = (double)v[a];
                from[k][a] = corner[k][a] - own[a];
            }
            length[k] = sqrt(rni_dot3(from[k], from[k]));
        }
        rni_near near;
        rni_triangle_nearest((const double(*)[3])corner, own, &near);
        least = fmin(least, near.distance_sq);
        rni_cross3(from[1], from[2], cross);
        const double under =
            length[0] * length[1] * length[2] + rni_dot3(from[0], from[1]) * length[2] +
            rni_dot3(from[1], from[2]) * length[0] + rni_dot3(from[2], from[0]) * length[1];
        angle += 2 * atan2(rni_dot3(from[0], cross), under);
    }
    const double winding = angle / (4 * RNI_PI);
    const bool is_inside = !wall->is_two_sided && (wall->is_sheet ? winding > 0 : winding > 0.5);
    return scale * (is_inside ? -sqrt(least) : sqrt(least));
}

/* --- what the fluid feels -------------------------------------------------------------------------- */

/* Equal faces that stand for the mesh at a place. */
typedef struct equal_faces {
    float count, distance; /* of each, m */
    float open;            /* of each, that the others leave */
    float spread[6];       /* mean of n n: xx, yy, zz, xy, xz, yz */
} equal_faces;

static equal_faces faces_of(const rni_field *field, const rni_field_value *value, const float n[3])
{
    equal_faces f = {1,
                     value->distance,
                     1,
                     {n[0] * n[0], n[1] * n[1], n[2] * n[2], n[0] * n[1], n[0] * n[2], n[1] * n[2]}};
    if (value->is_flat) return f;
    const float *d = value->spread;
    const float sq =
        d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 2 * (d[3] * d[3] + d[4] * d[4] + d[5] * d[5]);
    memcpy(f.spread, d, sizeof f.spread);
    const float part = rni_lower(rni_higher(sq, 1.0f / 3), 1.0f);
    f.count = 1 / part;
    if (f.count < 1.01f) {
        f.count = 1;
        return f;
    }
    float others;
    f.distance = rni_field_law_split(rni_field_law_of(field), value->distance, part, &others);
    f.open = expf(-others);
    return f;
}

/* The push of the table at t; behind the surface, which deep corners are by the sum of their walls, it fades with
 * what is still open. */
static float push_at(const rni_field *field, const float value[RNI_WALL_VALUES], float t)
{
    if (t >= 0) return value[RNI_WALL_PUSH];
    double slope;
    const rni_field_law *law = rni_field_law_of(field);
    const double u = rni_field_law_value(law, (double)t, &slope);
    return value[RNI_WALL_PUSH] * (float)(exp(law->at_wall - u) * slope / law->slope_at_wall);
}

/* Tensors of the faces: along their normals lift, along the faces tangent. */
static void add_tensors(const rni_solid *s, const rni_wall_query *query, const equal_faces *f,
                        const float value[RNI_WALL_VALUES], rni_face *face)
{
    const float part = f->count * f->open, lift = part * value[RNI_WALL_LIFT],
                tangent = part * value[RNI_WALL_TANGENT];
    float moment[6], along[6];
    for (int k = 0; k < 6; k++) {
        const float across = (k < 3 ? 1.0f : 0.0f) - f->spread[k];
        moment[k] = lift * f->spread[k] + tangent * across;
        along[k] = s->slip == RN_SLIP_NONE ? 0.0f : tangent * across;
    }
    const float *g = query->gravity;
    const bool is_normal_only = query->has_moments && s->slip != RN_SLIP_NONE;
    const float *weigh = moment;
    float normal_only[6];
    for (int k = 0; k < 6; k++) normal_only[k] = lift * f->spread[k];
    if (is_normal_only)
        weigh = normal_only; /* along the faces the fluid's own gradient is carried on */
    face->touch.lift[0] = -(weigh[0] * g[0] + weigh[3] * g[1] + weigh[4] * g[2]);
    face->touch.lift[1] = -(weigh[3] * g[0] + weigh[1] * g[1] + weigh[5] * g[2]);
    face->touch.lift[2] = -(weigh[4] * g[0] + weigh[5] * g[1] + weigh[2] * g[2]);
    if (!query->has_moments) return;
    memcpy(face->moments.moment, moment, sizeof moment);
    memcpy(face->moments.along, along, sizeof along);
    face->moments.padding = 0;
}

static void add_drag(const rni_solid *s, const float x[3], const rni_wall_query *query,
                     const equal_faces *f, const float value[RNI_WALL_VALUES], rni_touch *touch)
{
    touch->drag = 0;
    for (int a = 0; a < 3; a++) touch->drag_velocity[a] = 0;
    if (s->slip != RN_SLIP_NONE) return;
    touch->drag = f->count * f->open * value[RNI_WALL_DRAG] / rni_higher(f->distance, query->nearest);
    float velocity[3];
    rni_face_velocity(s, x, velocity);
    for (int a = 0; a < 3; a++) touch->drag_velocity[a] = touch->drag * velocity[a];
}

/* All that the mesh gives at x; gradient: of the distance, in the world. */
static void fill_face(const rni_wall_tables *tables, const rni_solid *s, const float x[3],
                      const rni_wall_query *query, const rni_field_value *value,
                      const float gradient[3], rni_face *face)
{
    const float size = sqrtf(rni_solid_dot(gradient, gradient)), inverse = size > 0 ? 1 / size : 0;
    float together[RNI_WALL_VALUES], each[RNI_WALL_VALUES], velocity[3];
    for (int a = 0; a < 3; a++) face->normal[a] = inverse * gradient[a];
    const equal_faces f = faces_of(s->field, value, face->normal);
    rni_wall_values_at(tables, value->distance, together);
    rni_wall_values_at(tables, f.distance, each);
    face->distance = f.distance;
    face->part = 1;
    face->faces = f.count;
    memcpy(face->spread, f.spread, sizeof face->spread);
    face->share = rni_lower(together[RNI_WALL_SHARE], 0.95f);
    const float push = push_at(s->field, together, value->distance) * size;
    /* Faces at right angles: their normals add up to the root of their count. Opposite ones cancel. */
    const float normals = sqrtf(f.count) * f.open * rni_lower(1.0f, size * sqrtf(f.count));
    rni_face_velocity(s, x, velocity);
    for (int a = 0; a < 3; a++) {
        const float n = face->normal[a];
        face->touch.push[a] = push * n;
        face->touch.normal[a] = normals * each[RNI_WALL_NORMAL] * n;
        face->touch.wetting[a] = rni_face_angle(s, query) * face->touch.normal[a];
        face->moments.closing[a] = push * n;
        face->moments.crowd[a] = normals * each[RNI_WALL_CROWD] * n;
    }
    face->moments.closing_velocity = push * rni_solid_dot(velocity, face->normal);
    add_tensors(s, query, &f, each, face);
    add_drag(s, x, query, &f, each, &face->touch);
}

/* Parts below this are those of a convex solid; above, of rounding. */
#define CONVEX_MOST 0.995f
/* Parts between these belong to an edge that x is in front of. */
#define IN_FRONT_LEAST 0.4f
#define IN_FRONT_MOST  0.75f

/* Where the solid is convex (field.h): its surface at the nearest place, and the part of it that there is. As far as
 * the part changes along the surface, it ends at an edge; else it is curved. */
static uint32_t meet_convex(const rni_wall_tables *tables, const rni_solid *s, const float x[3],
                            const rni_wall_query *query, const rni_field_value *value,
                            const float gradient[3], const float of_part[3], rni_face *face,
                            float *clear)
{
    const float part = value->part, size = sqrtf(rni_solid_dot(gradient, gradient));
    rni_convex c = {.count = 2, .over = {value->distance}, .slab = {1, 1, 1}, .curved = 1};
    float own_clear = *clear; /* the field knows better */
    for (int a = 0; a < 3; a++) c.axis[0][a] = size > 0 ? gradient[a] / size : 0.0f;
    const float out = rni_solid_dot(of_part, c.axis[0]);
    for (int a = 0; a < 3; a++) c.axis[1][a] = of_part[a] - out * c.axis[0][a];
    const float across = sqrtf(rni_solid_dot(c.axis[1], c.axis[1]));
    c.over[1] = rni_convex_over(tables, part);
    /* How much of it is an edge: then part is the cover of that. */
    const float place = rni_lower(fabsf(c.over[1]), 0.9f * query->h) * tables->inverse_step;
    const float edge =
        rni_lower(across / rni_higher(rni_table_at(tables->cover_slope, place), 1e-6f), 1.0f);
    c.slab[1] = powf(part, edge);
    c.curved = part / c.slab[1];
    c.curved_slope = out * c.curved / part;
    c.slope[1] = -across * c.slab[1] / part;
    for (int a = 0; a < 3; a++) c.axis[1][a] = across > 0 ? -c.axis[1][a] / across : 0.0f;
    if (!(across > 0)) c.count = 1;
    c.smooth =
        rni_lower(rni_higher((IN_FRONT_MOST - part) / (IN_FRONT_MOST - IN_FRONT_LEAST), 0.0f), 1.0f);
    return rni_convex_meet(tables, s, x, query, &c, face, &own_clear);
}

/* A vector from the solid's own frame into the world. */
static void turn_vector(const rni_solid *s, const float own[3], float v[3])
{
    for (int a = 0; a < 3; a++)
        v[a] = own[0] * s->frame[0][a] + own[1] * s->frame[1][a] + own[2] * s->frame[2][a];
}

/* A symmetric tensor from the solid's own frame into the world. */
static void turn_tensor(const rni_solid *s, float t[6])
{
    const float own[3][3] = {{t[0], t[3], t[4]}, {t[3], t[1], t[5]}, {t[4], t[5], t[2]}};
    static const int PLACE[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    float half[3][3]; /* own times the frame */
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++)
            half[a][c] =
                own[a][0] * s->frame[0][c] + own[a][1] * s->frame[1][c] + own[a][2] * s->frame[2][c];
    for (int k = 0; k < 6; k++) {
        const int r = PLACE[k][0], c = PLACE[k][1];
        t[k] =
            s->frame[0][r] * half[0][c] + s->frame[1][r] * half[1][c] + s->frame[2][r] * half[2][c];
    }
}

/* Whether the solid's own axes are those of the world, as they most often are. */
static bool is_turned(const rni_solid *s)
{
    static const float WORLD[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    return memcmp(s->frame, WORLD, sizeof WORLD) != 0;
}

/* From the world into the solid's own frame, without the scale. */
static void enter(const rni_solid *s, const float x[3], float own[3])
{
    const float d[3] = {x[0] - s->center[0], x[1] - s->center[1], x[2] - s->center[2]};
    for (int a = 0; a < 3; a++) own[a] = rni_solid_dot(s->frame[a], d);
}

void rni_wall_mesh_spot_begin(const rni_solid *s, const float x[3], rni_field_spot *spot)
{
    float own[3];
    enter(s, x, own);
    rni_field_spot_begin(s->field, own, spot);
}

static uint32_t meet(const rni_wall_tables *tables, const rni_solid *s, const float x[3],
                     const rni_wall_query *query, rni_face *faces, float *clear)
{
    rni_field_value value;
    float own[3], gradient[3];
    if (!s->field) {
        *clear = 0;
        return 0;
    }
    bool is_near;
    if (query->spot_solid == s) is_near = rni_field_at_spot(s->field, query->spot, &value);
    else {
        enter(s, x, own);
        is_near = rni_field_at(s->field, own, &value);
    }
    *clear = rni_lower(*clear, value.clear);
    if (!is_near) return 0;
    const bool has_turn = is_turned(s);
    memcpy(gradient, value.gradient, sizeof gradient);
    if (has_turn) turn_vector(s, value.gradient, gradient);
    if (value.part < CONVEX_MOST) {
        float of_part[3];
        memcpy(of_part, value.part_gradient, sizeof of_part);
        if (has_turn) turn_vector(s, value.part_gradient, of_part);
        return meet_convex(tables, s, x, query, &value, gradient, of_part, faces, clear);
    }
    if (has_turn && !value.is_flat) turn_tensor(s, value.spread);
    fill_face(tables, s, x, query, &value, gradient, faces);
    return 1;
}

/* --- size and drawing ------------------------------------------------------------------------------ */

/* No triangle lets a particle through, however thin the solid is. */
static float thickness(const rni_solid *s, const char **what)
{
    (void)s;
    *what = "the mesh";
    return INFINITY;
}

static bool is_thin(const rni_solid *s, float h)
{
    (void)h;
    return s->thin != NULL;
}

static float thin_distance(const rni_solid *s, const float x[3], float h)
{
    const double at[3] = {(double)x[0], (double)x[1], (double)x[2]};
    rni_wall_near near;
    const bool is_near =
        s->thin && rni_wall_mesh_closest_of(s, &s->thin->hierarchy, at, (double)h, &near);
    return is_near ? (float)(0.9999 * near.distance) : INFINITY;
}

/* Triangles within reach of a place, in the world. */
typedef struct thin_list {
    const rni_solid *solid;
    const float *x;
    float (*corner)[3][3];
    uint32_t count, most;
} thin_list;

static bool take_thin(void *user, const rni_near *near)
{
    thin_list *list = user;
    const rni_solid *s = list->solid;
    const rn_mesh *mesh = &s->def.mesh->mesh;
    const size_t t = s->thin->triangle[near->triangle];
    for (size_t k = 0; list->count < list->most && k < 3; k++) {
        const float *v = mesh->vertex + 3 * (size_t)mesh->triangle[3 * t + k];
        const double own[3] = {(double)v[0], (double)v[1], (double)v[2]};
        double at[3];
        rni_wall_mesh_leave(s, own, at);
        for (int a = 0; a < 3; a++)
            list->corner[list->count][k][a] = (float)(at[a] - (double)list->x[a]);
    }
    list->count++;
    return true;
}

static uint32_t thin_triangles(const rni_solid *s, const float x[3], float h, float (*corner)[3][3],
                               uint32_t most)
{
    thin_list list = {s, x, corner, 0, most};
    const double at[3] = {(double)x[0], (double)x[1], (double)x[2]};
    double own[3];
    if (!s->thin) return 0;
    rni_wall_mesh_enter(s, at, own);
    const float place[3] = {(float)own[0], (float)own[1], (float)own[2]};
    rni_hierarchy_within(&s->thin->hierarchy, place, 1.001 * (double)h / (double)s->def.scale,
                         take_thin, &list);
    return list.count;
}

static void bounds(const rni_solid *s, float low[3], float high[3])
{
    const rn_wall_mesh *wall = s->def.mesh;
    for (int a = 0; a < 3; a++) {
        float middle = s->center[a], half = 0;
        for (int b = 0; b < 3; b++) {
            middle += s->def.scale * s->frame[b][a] * 0.5f * (wall->low[b] + wall->high[b]);
            half += s->def.scale * fabsf(s->frame[b][a]) * 0.5f * (wall->high[b] - wall->low[b]);
        }
        low[a] = middle - half, high[a] = middle + half;
    }
}

static float reach(const rni_solid *s)
{
    return s->def.scale * s->def.mesh->reach;
}

static double volume(const rni_solid *s)
{
    const double scale = (double)s->def.scale;
    return s->def.mesh->is_sheet ? 0 : scale * scale * scale * s->def.mesh->volume;
}

/* The outward normal of a triangle, in the world. */
/* n, in the mesh's own axes, as a unit vector in the world; of no length: up. */
static void turn_normal(const rni_solid *s, const double n[3], float out[3])
{
    const double size = sqrt(rni_dot3(n, n));
    for (int a = 0; a < 3; a++) {
        double sum = 0;
        for (int b = 0; b < 3; b++) sum += (double)s->frame[b][a] * n[b];
        out[a] = size > 0 ? (float)(sum / size) : a == 1 ? 1.0f : 0.0f;
    }
}

static void normal_of(const rni_solid *s, uint32_t t, float out[3])
{
    const rn_mesh *mesh = &s->def.mesh->mesh;
    double corner[3][3], edge[2][3], n[3];
    for (size_t k = 0; k < 3; k++)
        for (size_t a = 0; a < 3; a++)
            corner[k][a] = (double)mesh->vertex[3 * (size_t)mesh->triangle[3 * (size_t)t + k] + a];
    rni_sub3(corner[1], corner[0], edge[0]);
    rni_sub3(corner[2], corner[0], edge[1]);
    rni_cross3(edge[0], edge[1], n);
    turn_normal(s, n, out);
}

/* The first triangle on the ray from t0 towards t1; false: none. */
static bool meet_ray(const rni_solid *s, const float origin[3], const float direction[3], float t0,
                     float t1, float *t, float normal[3])
{
    double x[2][3], own[2][3];
    float from[3], to[3];
    rni_crossing crossing;
    for (int a = 0; a < 3; a++) {
        x[0][a] = (double)origin[a] + (double)t0 * (double)direction[a];
        x[1][a] = (double)origin[a] + (double)t1 * (double)direction[a];
    }
    rni_wall_mesh_enter(s, x[0], own[0]);
    rni_wall_mesh_enter(s, x[1], own[1]);
    for (int a = 0; a < 3; a++) from[a] = (float)own[0][a], to[a] = (float)own[1][a];
    if (!rni_hierarchy_segment(&s->def.mesh->hierarchy, from, to, &crossing)) return false;
    *t = t0 + (t1 - t0) * (float)crossing.t;
    normal_of(s, crossing.triangle, normal);
    return true;
}

/* From the first triangle to the last: what is between may be outside, but it is behind the first. */
static bool span(const rni_solid *s, const float origin[3], const float direction[3], rni_span *span)
{
    float d_sq = rni_solid_dot(direction, direction), middle = 0, low[3], high[3], size = 0;
    if (d_sq < 1e-20f) return false;
    bounds(s, low, high);
    for (int a = 0; a < 3; a++) {
        middle += (0.5f * (low[a] + high[a]) - origin[a]) * direction[a] / d_sq;
        size += high[a] - low[a];
    }
    const float way = size / sqrtf(d_sq), t0 = rni_higher(span->near, middle - way),
                t1 = rni_lower(span->far, middle + way);
    float near, far, near_normal[3], far_normal[3];
    if (!(t0 < t1) || !meet_ray(s, origin, direction, t0, t1, &near, near_normal) ||
        !meet_ray(s, origin, direction, t1, t0, &far, far_normal))
        return false;
    if (rni_solid_dot(near_normal, direction) < 0) { /* else the ray begins inside */
        span->near = near;
        span->near_is_cut = false;
        memcpy(span->near_normal, near_normal, sizeof near_normal);
    }
    if (rni_solid_dot(far_normal, direction) > 0) {
        span->far = far;
        span->far_is_cut = false;
        memcpy(span->far_normal, far_normal, sizeof far_normal);
    }
    return span->near < span->far;
}

static void draw(const rni_solid *s, rni_solid_mesh *mesh)
{
    const rn_mesh *from = &s->def.mesh->mesh;
    const float *normals = s->def.mesh->normals.data;
    for (uint32_t t = 0; t < from->triangle_count; t++) {
        uint32_t index[3];
        for (size_t k = 0; k < 3; k++) {
            const float *v = from->vertex + 3 * (size_t)from->triangle[3 * (size_t)t + k];
            const double own[3] = {(double)v[0], (double)v[1], (double)v[2]};
            double x[3];
            rni_wall_mesh_leave(s, own, x);
            const float place[3] = {(float)x[0], (float)x[1], (float)x[2]};
            const float *n = normals + 3 * (3 * (size_t)t + k);
            float normal[3];
            turn_normal(s, (const double[3]){(double)n[0], (double)n[1], (double)n[2]}, normal);
            index[k] = rni_mesh_vertex(mesh, place, normal);
        }
        rni_mesh_triangle(mesh, index[0], index[1], index[2]);
    }
}

static const rni_solid_parameter parameters[] = {
    {"scale", "", RNI_RULE_POSITIVE, false, "the factor of its lengths", RNI_SOLID_FIELD(scale, 1, 1)},
    {"turn", "degrees", RNI_RULE_ANY, false, "its rotation about x, then y, then z",
     RNI_SOLID_FIELD(turn, 3, 1)},
};

const rni_solid_kind rni_solid_triangles = {
    .name = "mesh",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .can_be_hollow = true,
    .has_mesh = true,
    .check = check,
    .distance = mesh_distance,
    .exact_distance = exact_distance,
    .meet = meet,
    .thickness = thickness,
    .is_thin = is_thin,
    .thin_distance = thin_distance,
    .thin_triangles = thin_triangles,
    .bounds = bounds,
    .reach = reach,
    .volume = volume,
    .span = span,
    .draw = draw,
};
