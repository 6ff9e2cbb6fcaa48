/* One solid: distance, normal, and what it gives to a particle near it. */
#include "base/error.h"
#include "base/pi.h"
#include "fluid/walls.h"

#include <math.h>
#include <string.h>

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* --- making one ready ----------------------------------------------------------------------------- */

static rn_result check_numbers(const rn_solid *s)
{
    const struct {
        const char *name;
        const float *value;
        uint32_t count;
    } fields[] = {{"center", s->center, 3},  {"axis", s->axis, 3}, {"half", s->half, 3},
                  {"radius", &s->radius, 1}, {"turn", s->turn, 3}, {"velocity", s->velocity, 3}};
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
        for (uint32_t k = 0; k < fields[f].count; k++)
            if (!(fabsf(fields[f].value[k]) <= 1e12f))
                return rni_fail(RN_ERROR_ARGUMENT, "solid: %s[%u] is %g; it must be finite",
                                fields[f].name, k, (double)fields[f].value[k]);
    return RN_OK;
}

static rn_result unit_axis(const rn_solid *s, float axis[3])
{
    double length =
        sqrt((double)s->axis[0] * (double)s->axis[0] + (double)s->axis[1] * (double)s->axis[1] +
             (double)s->axis[2] * (double)s->axis[2]);
    if (!(length > 0))
        return rni_fail(RN_ERROR_ARGUMENT, "solid: axis is 0, 0, 0; give a direction");
    for (int a = 0; a < 3; a++) axis[a] = (float)((double)s->axis[a] / length);
    return RN_OK;
}

/* Turns about x, then y, then z; rows of frame are the box's own axes in the world. */
static void turn_frame(const float degrees[3], float frame[3][3])
{
    double m[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}; /* columns: images of the axes */
    for (int axis = 0; axis < 3; axis++) {
        double angle = (double)degrees[axis] * (RNI_PI / 180);
        double c = cos(angle), s = sin(angle);
        int p = (axis + 1) % 3, q = (axis + 2) % 3;
        for (int column = 0; column < 3; column++) {
            double u = m[p][column], v = m[q][column];
            m[p][column] = c * u - s * v;
            m[q][column] = s * u + c * v;
        }
    }
    for (int column = 0; column < 3; column++)
        for (int row = 0; row < 3; row++) frame[column][row] = (float)m[row][column];
}

static rn_result require_thickness(const rn_fluid_def *def, const char *what, float thickness)
{
    if (thickness >= 0.5f * def->spacing) return RN_OK;
    return rni_fail(RN_ERROR_ARGUMENT,
                    "solid: %s is %g m; it must be at least half a spacing (%g m), or water would go "
                    "through",
                    what, (double)thickness, (double)(0.5f * def->spacing));
}

rn_result rni_solid_prepare(const rn_fluid_def *def, const rn_solid *solid, rni_solid_ready *ready)
{
    if (solid->struct_bytes != sizeof *solid)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "the solid has struct_bytes %u instead of %zu; start from "
                        "rn_solid_default()",
                        solid->struct_bytes, sizeof *solid);
    rn_result result = check_numbers(solid);
    if (result != RN_OK) return result;
    if (!rn_fluid_choice_name(RN_CHOICE_SLIP, solid->slip))
        return rni_fail(RN_ERROR_ARGUMENT, "solid: slip is %u; there is no such choice", solid->slip);
    memset(ready, 0, sizeof *ready);
    ready->def = *solid;
    for (int a = 0; a < 3; a++) ready->side[a][0] = ready->side[a][1] = true;
    if (def->dim == 2) {
        ready->side[2][0] = ready->side[2][1] = false;
        ready->def.center[2] = ready->def.axis[2] = ready->def.velocity[2] = 0;
        ready->def.half[2] = INFINITY;
        ready->def.turn[0] = ready->def.turn[1] = 0;
    }
    switch (solid->shape) {
    case RN_SOLID_PLANE: return unit_axis(&ready->def, ready->def.axis);
    case RN_SOLID_BOX:
        turn_frame(ready->def.turn, ready->frame);
        for (uint32_t a = 0; a < def->dim; a++) {
            result = require_thickness(def, "a side of the box", 2 * solid->half[a]);
            if (result != RN_OK) return result;
        }
        return RN_OK;
    case RN_SOLID_SPHERE: return require_thickness(def, "the sphere's diameter", 2 * solid->radius);
    case RN_SOLID_CYLINDER:
        if (def->dim == 2)
            return rni_fail(RN_ERROR_ARGUMENT, "solid: there are no cylinders in 2D; take a sphere "
                                               "(a disc)");
        result = unit_axis(&ready->def, ready->def.axis);
        if (result != RN_OK) return result;
        result = require_thickness(def, "the cylinder's diameter", 2 * solid->radius);
        return result == RN_OK ? require_thickness(def, "the cylinder's length", 2 * solid->half[0])
                               : result;
    }
    return rni_fail(RN_ERROR_ARGUMENT, "solid: shape is %u; there is no such choice", solid->shape);
}

/* --- distance ------------------------------------------------------------------------------------- */

/* Into the box's own axes, from its centre. */
static void to_box(const rni_solid_ready *s, const float x[3], float u[3])
{
    float d[3] = {x[0] - s->def.center[0], x[1] - s->def.center[1], x[2] - s->def.center[2]};
    for (int a = 0; a < 3; a++) u[a] = dot(s->frame[a], d);
}

static void from_box(const rni_solid_ready *s, const float u[3], float x[3])
{
    for (int a = 0; a < 3; a++)
        x[a] = u[0] * s->frame[0][a] + u[1] * s->frame[1][a] + u[2] * s->frame[2][a];
}

/* Distance outside a solid box; inside it the least way out. */
static float box_distance(const rni_solid_ready *s, const float x[3], float normal[3])
{
    float u[3], n[3] = {0, 0, 0};
    to_box(s, x, u);
    float outside_sq = 0, least = -INFINITY;
    int nearest = 0;
    for (int a = 0; a < 3; a++) {
        if (!s->side[a][0] && !s->side[a][1]) continue;
        float over = fabsf(u[a]) - s->def.half[a];
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
static float hollow_box_distance(const rni_solid_ready *s, const float x[3], float normal[3])
{
    float u[3], n[3] = {0, 0, 0};
    to_box(s, x, u);
    float least = INFINITY, sign = 1;
    int nearest = 0;
    for (int a = 0; a < 3; a++)
        for (int side = 0; side < 2; side++) {
            if (!s->side[a][side]) continue;
            float d = side ? s->def.half[a] - u[a] : s->def.half[a] + u[a];
            if (d < least) least = d, nearest = a, sign = side ? -1.0f : 1.0f;
        }
    n[nearest] = sign;
    from_box(s, n, normal);
    return least;
}

static float sphere_distance(const rni_solid_ready *s, const float x[3], float normal[3])
{
    float d[3] = {x[0] - s->def.center[0], x[1] - s->def.center[1], x[2] - s->def.center[2]};
    float length = sqrtf(dot(d, d));
    float inverse = length > 0 ? 1 / length : 0;
    for (int a = 0; a < 3; a++) normal[a] = d[a] * inverse;
    if (!(length > 0)) normal[1] = 1;
    return length - s->def.radius;
}

static float cylinder_distance(const rni_solid_ready *s, const float x[3], float normal[3])
{
    const float *axis = s->def.axis;
    float d[3] = {x[0] - s->def.center[0], x[1] - s->def.center[1], x[2] - s->def.center[2]};
    float along = dot(d, axis);
    float radial[3] = {d[0] - along * axis[0], d[1] - along * axis[1], d[2] - along * axis[2]};
    float length = sqrtf(dot(radial, radial));
    float over_r = length - s->def.radius, over_a = fabsf(along) - s->def.half[0];
    float sign = along < 0 ? -1.0f : 1.0f;
    float inverse = length > 0 ? 1 / length : 0;
    float wr = over_r > over_a ? 1.0f : 0.0f, wa = 1 - wr, distance = rni_higher(over_r, over_a);
    if (!s->def.is_hollow && over_r > 0 && over_a > 0) {
        distance = sqrtf(over_r * over_r + over_a * over_a);
        wr = over_r / distance, wa = over_a / distance;
    }
    for (int a = 0; a < 3; a++) normal[a] = wr * radial[a] * inverse + wa * sign * axis[a];
    return distance;
}

float rni_solid_distance(const rni_solid_ready *s, const float x[3], float normal[3])
{
    float d = 0;
    switch (s->def.shape) {
    case RN_SOLID_PLANE: {
        float from[3] = {x[0] - s->def.center[0], x[1] - s->def.center[1], x[2] - s->def.center[2]};
        memcpy(normal, s->def.axis, 3 * sizeof(float));
        return dot(from, s->def.axis);
    }
    case RN_SOLID_BOX:
        return s->def.is_hollow ? hollow_box_distance(s, x, normal) : box_distance(s, x, normal);
    case RN_SOLID_SPHERE: d = sphere_distance(s, x, normal); break;
    case RN_SOLID_CYLINDER: d = cylinder_distance(s, x, normal); break;
    }
    if (!s->def.is_hollow) return d;
    for (int a = 0; a < 3; a++) normal[a] = -normal[a];
    return -d;
}

/* --- what a particle feels ------------------------------------------------------------------------ */

static float look_up(const float *table, float place)
{
    uint32_t k = (uint32_t)place;
    float part = place - (float)k;
    return table[k] + part * (table[k + 1] - table[k]);
}

/* What is covered by the half space whose face is t away (negative: we are in it), and its slope. */
static float cover(const rni_wall_tables *tables, float t, float h, float *slope)
{
    float d = fabsf(t);
    *slope = 0;
    if (d >= h) return t > 0 ? 0.0f : 1.0f;
    float place = d * tables->inverse_step;
    *slope = -look_up(tables->cover_slope, place);
    float share = look_up(tables->cover, place);
    return t > 0 ? share : 1 - share;
}

/* What a face at distance t with normal n into the water gives, of which `part` is there and only
 * `open` of the rest is not behind other faces of the same solid. */
static void meet_face(const rni_wall_tables *tables, const rni_solid_ready *s, const rni_near *near,
                      float open, rni_meeting *m)
{
    float place = rni_higher(m->way, 0.0f) * tables->inverse_step, part = m->part * open;
    const float *n = m->normal;
    float push = part * look_up(tables->push, place);
    float lift = part * look_up(tables->lift, place),
          tangent = part * look_up(tables->tangent, place);
    float along = (lift - tangent) * dot(near->gravity, n);
    float normal = part * look_up(tables->normal, place);
    rni_touch *touch = &m->touch;
    memset(touch, 0, sizeof *touch);
    for (int a = 0; a < 3; a++) {
        touch->push[a] = push * n[a];
        touch->lift[a] = -(along * n[a] + tangent * near->gravity[a]);
        touch->normal[a] = normal * n[a];
    }
    m->share = part * look_up(tables->share, place);
    if (s->def.slip != RN_SLIP_NONE) return;
    touch->drag = part * look_up(tables->drag, place) / rni_higher(m->way, near->nearest);
    for (int a = 0; a < 3; a++) touch->drag_velocity[a] = touch->drag * s->def.velocity[a];
}

/* Outside a box: the face that looks at us most, times what the box covers along its other axes. */
static uint32_t meet_box(const rni_wall_tables *tables, const rni_solid_ready *s, const float x[3],
                         const rni_near *near, rni_meeting *m, float *clear)
{
    float u[3], over[3], slab[3] = {1, 1, 1}, slope[3] = {0, 0, 0};
    to_box(s, x, u);
    int front = 0;
    for (int a = 0; a < 3; a++) {
        over[a] = s->side[a][0] ? fabsf(u[a]) - s->def.half[a] : -INFINITY;
        if (over[a] >= near->h) return 0;
        if (over[a] > over[front]) front = a;
    }
    *clear = rni_lower(*clear, over[front]);
    for (int a = 0; a < 3; a++) {
        if (a == front || !s->side[a][0]) continue;
        float near_slope, far_slope;
        float near_side = cover(tables, over[a], near->h, &near_slope);
        float far_side = cover(tables, -fabsf(u[a]) - s->def.half[a], near->h, &far_slope);
        slab[a] = rni_higher(near_side + far_side - 1, 0.0f);
        slope[a] = slab[a] > 0 ? (near_slope - far_slope) * (u[a] < 0 ? -1.0f : 1.0f) : 0.0f;
    }
    int b = (front + 1) % 3, c = (front + 2) % 3;
    m->part = slab[b] * slab[c];
    if (!(m->part > 0)) return 0;
    float sign = u[front] < 0 ? -1.0f : 1.0f;
    for (int a = 0; a < 3; a++) m->normal[a] = sign * s->frame[front][a];
    m->way = over[front];
    meet_face(tables, s, near, 1, m);
    /* The slope along the face: towards where the box covers less. */
    for (int a = 0; a < 3; a++)
        m->touch.push[a] -=
            m->share * (slope[b] / slab[b] * s->frame[b][a] + slope[c] / slab[c] * s->frame[c][a]);
    return 1;
}

/* A face of a hollow solid, way t along the normal away; returns how many there are then. */
static uint32_t add_face(const rni_near *near, const float normal[3], float sign, float t,
                         rni_meeting *met, uint32_t count)
{
    if (t >= near->h) return count;
    rni_meeting *m = &met[count];
    for (int a = 0; a < 3; a++) m->normal[a] = sign * normal[a];
    m->way = t;
    m->part = 1;
    return count + 1;
}

static uint32_t faces_of_hollow_box(const rni_solid_ready *s, const float x[3],
                                    const rni_near *near, rni_meeting *met)
{
    float u[3];
    to_box(s, x, u);
    uint32_t count = 0;
    for (uint32_t a = 0; a < 3; a++) {
        if (s->side[a][0])
            count = add_face(near, s->frame[a], 1, s->def.half[a] + u[a], met, count);
        if (s->side[a][1])
            count = add_face(near, s->frame[a], -1, s->def.half[a] - u[a], met, count);
    }
    return count;
}

/* The round side and both ends: each by itself, so that nothing jumps where they meet. */
static uint32_t faces_of_hollow_cylinder(const rni_solid_ready *s, const float x[3],
                                         const rni_near *near, rni_meeting *met)
{
    const float *axis = s->def.axis;
    const float d[3] = {x[0] - s->def.center[0], x[1] - s->def.center[1], x[2] - s->def.center[2]};
    const float along = dot(d, axis);
    float radial[3] = {d[0] - along * axis[0], d[1] - along * axis[1], d[2] - along * axis[2]};
    const float length = sqrtf(dot(radial, radial));
    for (int a = 0; a < 3; a++) radial[a] = length > 0 ? radial[a] / length : 0.0f;
    uint32_t count = add_face(near, radial, -1, s->def.radius - length, met, 0);
    count = add_face(near, axis, 1, s->def.half[0] + along, met, count);
    return add_face(near, axis, -1, s->def.half[0] - along, met, count);
}

/* Inside a hollow box or cylinder: what is not water is 1 minus the product of what each face
 * leaves. */
static uint32_t meet_hollow(const rni_wall_tables *tables, const rni_solid_ready *s,
                            const float x[3], const rni_near *near, rni_meeting *met, float *clear)
{
    float own[RNI_FACES_OF_A_SOLID];
    uint32_t count = s->def.shape == RN_SOLID_BOX ? faces_of_hollow_box(s, x, near, met)
                                                  : faces_of_hollow_cylinder(s, x, near, met);
    float left = 1;
    for (uint32_t k = 0; k < count; k++) {
        float place = rni_higher(met[k].way, 0.0f) * tables->inverse_step;
        *clear = rni_lower(*clear, met[k].way);
        own[k] = rni_lower(look_up(tables->share, place), 0.95f);
        left *= 1 - own[k];
    }
    float before = 1;
    for (uint32_t k = 0; k < count; k++) {
        meet_face(tables, s, near, left / (1 - own[k]), &met[k]);
        met[k].share = own[k] * before; /* the sum is 1 - left */
        before *= 1 - own[k];
    }
    return count;
}

uint32_t rni_solid_meet(const rni_wall_tables *tables, const rni_solid_ready *s, const float x[3],
                        const rni_near *near, rni_meeting *met, float *clear)
{
    if (s->def.is_hollow && (s->def.shape == RN_SOLID_BOX || s->def.shape == RN_SOLID_CYLINDER))
        return meet_hollow(tables, s, x, near, met, clear);
    if (s->def.shape == RN_SOLID_BOX) return meet_box(tables, s, x, near, met, clear);
    met->way = rni_solid_distance(s, x, met->normal);
    met->part = 1;
    if (met->way >= near->h) return 0;
    *clear = rni_lower(*clear, met->way);
    meet_face(tables, s, near, 1, met);
    return 1;
}
