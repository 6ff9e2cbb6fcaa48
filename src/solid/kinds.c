/* The table of shapes, and from a definition to a solid placed in the world. */
#include "solid/kinds.h"
#include "base/error.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const rni_solid_kind *const kinds[] = {
    [RN_SOLID_PLANE] = &rni_solid_plane,     [RN_SOLID_BOX] = &rni_solid_box,
    [RN_SOLID_SPHERE] = &rni_solid_sphere,   [RN_SOLID_CYLINDER] = &rni_solid_cylinder,
    [RN_SOLID_CAPSULE] = &rni_solid_capsule, [RN_SOLID_MESH] = &rni_solid_triangles,
};

const rni_solid_kind *rni_solid_kind_at(uint32_t shape)
{
    return shape < sizeof kinds / sizeof *kinds ? kinds[shape] : NULL;
}

bool rni_solid_shape_has_mesh(uint32_t shape)
{
    const rni_solid_kind *kind = rni_solid_kind_at(shape);
    return kind && kind->has_mesh;
}

bool rni_solid_may_hold_water(const rn_solid *def)
{
    return def->is_hollow || rni_solid_shape_has_mesh(def->shape);
}

const char *rni_solid_shape_name(uint32_t shape)
{
    const rni_solid_kind *kind = rni_solid_kind_at(shape);
    return kind ? kind->name : NULL;
}

const rni_solid_parameter *rni_solid_parameter_find(const rni_solid_kind *kind, const char *name)
{
    for (uint32_t k = 0; k < kind->parameter_count; k++)
        if (strcmp(kind->parameters[k].name, name) == 0) return &kind->parameters[k];
    return NULL;
}

rn_solid rn_solid_default(void)
{
    return (rn_solid){.struct_bytes = sizeof(rn_solid),
                      .axis = {0, 1, 0},
                      .rotation = {0, 0, 0, 1},
                      .scale = 1,
                      .bounce = -1};
}

/* --- checks ---------------------------------------------------------------------------------------- */

static rn_result check_numbers(const rn_solid *s)
{
    const struct {
        const char *name;
        const float *value;
        uint32_t count;
    } fields[] = {{"center", s->center, 3},
                  {"axis", s->axis, 3},
                  {"half", s->half, 3},
                  {"radius", &s->radius, 1},
                  {"turn", s->turn, 3},
                  {"scale", &s->scale, 1},
                  {"velocity", s->velocity, 3},
                  {"rotation", s->rotation, 4},
                  {"motion.linear", s->motion.linear, 3},
                  {"motion.angular", s->motion.angular, 3}};
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
        for (uint32_t k = 0; k < fields[f].count; k++)
            if (!(fabsf(fields[f].value[k]) <= 1e12f))
                return rni_fail(RN_ERROR_ARGUMENT, "solid: %s[%u] is %g; it must be finite",
                                fields[f].name, k, (double)fields[f].value[k]);
    return RN_OK;
}

/* The rotation as a unit quaternion in double; false: there is none. */
static rn_result unit_rotation(const rn_solid *s, uint32_t dim, double q[4], bool *is_rotated)
{
    double length = 0;
    for (int k = 0; k < 4; k++) length += (double)s->rotation[k] * (double)s->rotation[k];
    length = sqrt(length);
    *is_rotated = false;
    if (!(length > 0)) return RN_OK;
    if (fabs(length - 1) > 1e-3)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "solid: rotation has the length %g; it must be a unit quaternion x, y, z, w",
                        length);
    if (dim == 2 && (s->rotation[0] != 0 || s->rotation[1] != 0))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "solid: in 2D a solid rotates about z only; x and y of its rotation are "
                        "%g and %g",
                        (double)s->rotation[0], (double)s->rotation[1]);
    for (int k = 0; k < 4; k++) q[k] = (double)s->rotation[k] / length;
    *is_rotated = q[0] != 0 || q[1] != 0 || q[2] != 0;
    return RN_OK;
}

rn_result rni_solid_check_thickness(const rni_solid *solid, float least)
{
    const char *what = "";
    const float thickness = solid->kind->thickness(solid, &what);
    if (thickness >= least) return RN_OK;
    return rni_fail(RN_ERROR_ARGUMENT,
                    "solid: %s is %g m; it must be at least half a spacing (%g m), or water would go "
                    "through",
                    what, (double)thickness, (double)least);
}

/* --- placing --------------------------------------------------------------------------------------- */

/* By a unit quaternion. */
static void rotate(const double q[4], const float v[3], double out[3])
{
    const double t[3] = {2 * (q[1] * (double)v[2] - q[2] * (double)v[1]),
                         2 * (q[2] * (double)v[0] - q[0] * (double)v[2]),
                         2 * (q[0] * (double)v[1] - q[1] * (double)v[0])};
    out[0] = (double)v[0] + q[3] * t[0] + q[1] * t[2] - q[2] * t[1];
    out[1] = (double)v[1] + q[3] * t[1] + q[2] * t[0] - q[0] * t[2];
    out[2] = (double)v[2] + q[3] * t[2] + q[0] * t[1] - q[1] * t[0];
}

/* Turns about x, then y, then z; rows of frame are the solid's own axes in the world. */
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

static rn_result place_axis(const rn_solid *def, float axis[3])
{
    double length = sqrt((double)def->axis[0] * (double)def->axis[0] +
                         (double)def->axis[1] * (double)def->axis[1] +
                         (double)def->axis[2] * (double)def->axis[2]);
    if (!(length > 0))
        return rni_fail(RN_ERROR_ARGUMENT, "solid: axis is 0, 0, 0; give a direction");
    for (int a = 0; a < 3; a++) axis[a] = (float)((double)def->axis[a] / length);
    return RN_OK;
}

/* Without what 2D has not. */
static void flatten(rn_solid *def)
{
    def->center[2] = def->axis[2] = def->velocity[2] = def->motion.linear[2] = 0;
    def->half[2] = INFINITY;
    def->turn[0] = def->turn[1] = def->motion.angular[0] = def->motion.angular[1] = 0;
}

static void copy_definition(const rn_solid *def, uint32_t dim, rni_solid *solid)
{
    memset(solid, 0, sizeof *solid);
    solid->dim = dim;
    solid->def = *def;
    for (uint32_t a = 0; a < 3; a++) solid->side[a][0] = solid->side[a][1] = a < dim;
    if (dim == 2) flatten(&solid->def);
    memcpy(solid->center, solid->def.center, sizeof solid->center);
    memcpy(solid->half, solid->def.half, sizeof solid->half);
    memcpy(solid->velocity, solid->def.velocity, sizeof solid->velocity);
    solid->radius = def->radius;
    solid->is_hollow = def->is_hollow;
    solid->slip = def->slip;
    for (int a = 0; a < 3; a++)
        solid->is_moving |= solid->def.motion.linear[a] != 0 || solid->def.motion.angular[a] != 0;
}

/* What the surface does to the fluid. */
static rn_result check_surface(const rn_solid *s)
{
    if (!(s->friction >= 0 && s->friction <= 100))
        return rni_fail(RN_ERROR_ARGUMENT, "solid: friction is %g; it must be from 0 to 100",
                        (double)s->friction);
    if (!(s->adhesion >= 0 && s->adhesion <= 1e6f))
        return rni_fail(RN_ERROR_ARGUMENT, "solid: adhesion is %g m/s^2; it must be from 0 to 1e6",
                        (double)s->adhesion);
    if (!(s->trail >= 0 && s->trail <= 1))
        return rni_fail(RN_ERROR_ARGUMENT, "solid: trail is %g m; it must be from 0 to 1",
                        (double)s->trail);
    if (!(s->trail_dry >= 0 && s->trail_dry <= 1e9f) ||
        !(s->trail_drain >= 0 && s->trail_drain <= 1e9f))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "solid: trail_dry is %g s, trail_drain %g s; both must be from 0 to 1e9",
                        (double)s->trail_dry, (double)s->trail_drain);
    if (!(s->bounce <= 1 && (s->bounce >= 0 || s->bounce == -1)))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "solid: bounce is %g; it must be from 0 to 1, or -1: that of the fluid",
                        (double)s->bounce);
    if (!(s->contact_angle >= 0 && s->contact_angle <= 180))
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "solid: contact_angle is %g degrees; it must be from 0 (that of the walls) to 180",
            (double)s->contact_angle);
    return RN_OK;
}

rn_result rni_solid_place(const rn_solid *def, uint32_t dim, rni_solid *solid)
{
    const rni_solid_kind *kind = rni_solid_kind_at(def->shape);
    double q[4] = {0, 0, 0, 1}, out[3];
    bool is_rotated = false;
    rn_result result = check_numbers(def);
    if (result == RN_OK && (uint32_t)def->slip > RN_SLIP_NONE)
        result = rni_fail(RN_ERROR_ARGUMENT, "solid: slip is %u; there is no such choice", def->slip);
    if (result == RN_OK) result = check_surface(def);
    if (result == RN_OK && !kind)
        result =
            rni_fail(RN_ERROR_ARGUMENT, "solid: shape is %u; there is no such choice", def->shape);
    if (result == RN_OK && dim == 2 && !kind->has_2d)
        result = rni_fail(RN_ERROR_ARGUMENT,
                          "solid: there is no %s in 2D; take a sphere (a disc) or a box", kind->name);
    if (result == RN_OK) result = unit_rotation(def, dim, q, &is_rotated);
    if (result != RN_OK) return result;
    copy_definition(def, dim, solid);
    solid->kind = kind;
    turn_frame(solid->def.turn, solid->frame);
    const bool has_axis = rni_solid_parameter_find(kind, "axis") != NULL;
    if (has_axis) result = place_axis(&solid->def, solid->axis);
    for (int b = 0; is_rotated && b < 3; b++) {
        rotate(q, solid->frame[b], out);
        for (int a = 0; a < 3; a++) solid->frame[b][a] = (float)out[a];
    }
    if (is_rotated && has_axis) {
        rotate(q, solid->axis, out);
        for (int a = 0; a < 3; a++) solid->axis[a] = (float)out[a];
    }
    if (result == RN_OK && kind->check) result = kind->check(solid);
    assert(result != RN_OK || rni_solid_is_valid(solid));
    return result;
}

rni_solid rni_solid_domain(const float low[3], const float high[3], uint32_t dim,
                           bool has_side[3][2], rn_slip slip)
{
    rni_solid solid = {.kind = &rni_solid_box, .dim = dim, .is_hollow = true, .slip = slip};
    solid.def = rn_solid_default();
    solid.def.shape = RN_SOLID_BOX;
    solid.def.is_hollow = true;
    solid.def.slip = slip;
    for (uint32_t a = 0; a < 3; a++) {
        solid.frame[a][a] = 1;
        solid.half[a] = INFINITY;
        if (a >= dim) continue;
        solid.center[a] = 0.5f * (low[a] + high[a]);
        solid.half[a] = 0.5f * (high[a] - low[a]);
        memcpy(solid.side[a], has_side[a], sizeof solid.side[a]);
    }
    memcpy(solid.def.center, solid.center, sizeof solid.center);
    memcpy(solid.def.half, solid.half, sizeof solid.half);
    return solid;
}

static bool has_unit_frame(const rni_solid *solid)
{
    for (int a = 0; a < 3; a++)
        for (int b = 0; b <= a; b++)
            if (!(fabsf(rni_solid_dot(solid->frame[a], solid->frame[b]) - (a == b)) < 1e-4f))
                return false;
    return true;
}

bool rni_solid_is_valid(const rni_solid *solid)
{
    const rni_solid_kind *kind = solid->kind;
    if (!kind || !kind->name || !kind->distance || !kind->exact_distance || !kind->meet ||
        !kind->thickness || !kind->span || !kind->draw || !kind->bounds != !kind->reach)
        return false;
    if (solid->dim < 2 || solid->dim > 3 || !has_unit_frame(solid)) return false;
    for (int a = 0; a < 3; a++)
        if (!isfinite(solid->center[a]) || !isfinite(solid->velocity[a])) return false;
    return !rni_solid_parameter_find(kind, "axis") ||
           fabsf(rni_solid_dot(solid->axis, solid->axis) - 1) < 1e-4f;
}

/* --- what all shapes share ------------------------------------------------------------------------- */

bool rni_solid_bounds(const rni_solid *solid, float low[3], float high[3])
{
    if (solid->is_hollow || !solid->kind->bounds) return false;
    solid->kind->bounds(solid, low, high);
    return true;
}

float rni_solid_reach(const rni_solid *solid)
{
    return solid->is_hollow || !solid->kind->reach ? INFINITY : solid->kind->reach(solid);
}

void rni_solid_velocity_at(const rni_solid *solid, const float x[3], float velocity[3])
{
    const float *w = solid->def.motion.angular, *v = solid->def.motion.linear;
    const float r[3] = {x[0] - solid->center[0], x[1] - solid->center[1], x[2] - solid->center[2]};
    velocity[0] = solid->velocity[0] + v[0] + (w[1] * r[2] - w[2] * r[1]);
    velocity[1] = solid->velocity[1] + v[1] + (w[2] * r[0] - w[0] * r[2]);
    velocity[2] = solid->velocity[2] + v[2] + (w[0] * r[1] - w[1] * r[0]);
}

/* --- the independent distance ---------------------------------------------------------------------- */

/* d as the solid's own frame has it: by the inverse of the rotation, as a matrix. */
static void undo_rotation(const float rotation[4], double d[3])
{
    const double x = (double)rotation[0], y = (double)rotation[1], z = (double)rotation[2],
                 w = (double)rotation[3];
    const double norm = x * x + y * y + z * z + w * w, from[3] = {d[0], d[1], d[2]};
    if (!(norm > 0)) return;
    const double m[3][3] = {
        {w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y)},
        {2 * (x * y - w * z), w * w - x * x + y * y - z * z, 2 * (y * z + w * x)},
        {2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z}};
    for (int a = 0; a < 3; a++)
        d[a] = (m[a][0] * from[0] + m[a][1] * from[1] + m[a][2] * from[2]) / norm;
}

/* One by one, the last first. */
void rni_solid_undo_turn(const float turn[3], const double d[3], double out[3])
{
    memcpy(out, d, 3 * sizeof *out);
    for (int axis = 2; axis >= 0; axis--) {
        const double angle = -(double)turn[axis] * (RNI_PI / 180);
        const int p = (axis + 1) % 3, q = (axis + 2) % 3;
        const double u = out[p], v = out[q];
        out[p] = cos(angle) * u - sin(angle) * v;
        out[q] = sin(angle) * u + cos(angle) * v;
    }
}

double rni_solid_exact_along(const rn_solid *def, const double d[3])
{
    double length = 0, along = 0;
    for (int a = 0; a < 3; a++) {
        length += (double)def->axis[a] * (double)def->axis[a];
        along += (double)def->axis[a] * d[a];
    }
    return along / sqrt(length);
}

double rni_solid_exact_distance(const rn_solid *def, uint32_t dim, const float x[3])
{
    const rni_solid_kind *kind = rni_solid_kind_at(def->shape);
    double d[3];
    for (int a = 0; a < 3; a++) d[a] = (double)x[a] - (double)def->center[a];
    if (dim == 2) d[2] = 0;
    undo_rotation(def->rotation, d);
    const double distance = kind->exact_distance(def, dim, d);
    return def->is_hollow && kind->can_be_hollow ? -distance : distance;
}
