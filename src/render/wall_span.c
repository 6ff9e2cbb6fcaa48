/* Where a ray is inside a solid, and the nearest surface that it meets. */
#include "render/canvas.h"

/* The ray between two parallel faces at -half and +half along axis, o and d being the ray along it. */
static bool cut_slab(rni_span *span, rni_vec axis, float o, float d, float half, bool is_cut)
{
    if (fabsf(d) < 1e-12f) return fabsf(o) <= half;
    float sign = d > 0 ? 1.0f : -1.0f;
    float enter = (-sign * half - o) / d;
    float leave = (sign * half - o) / d;
    if (enter > span->near) {
        span->near = enter;
        span->near_normal = rni_scale(axis, -sign);
        span->near_is_cut = is_cut;
    }
    if (leave < span->far) {
        span->far = leave;
        span->far_normal = rni_scale(axis, sign);
        span->far_is_cut = is_cut;
    }
    return span->near < span->far;
}

/* A round thing: places where |q + t d| < radius, q and d being without the part along an axis or
 * whole. normal_at gives places back as normals. */
static bool cut_round(rni_span *span, rni_vec q, rni_vec d, float radius)
{
    float d_sq = rni_dot(d, d);
    if (d_sq < 1e-20f) return rni_dot(q, q) < radius * radius;
    float nearest = -rni_dot(q, d) / d_sq;
    rni_vec p = rni_along(q, d, nearest);
    float left = radius * radius - rni_dot(p, p);
    if (!(left > 0)) return false;
    float reach = sqrtf(left / d_sq);
    if (nearest - reach > span->near) {
        span->near = nearest - reach;
        span->near_normal = rni_scale(rni_along(q, d, span->near), 1 / radius);
        span->near_is_cut = false;
    }
    if (nearest + reach < span->far) {
        span->far = nearest + reach;
        span->far_normal = rni_scale(rni_along(q, d, span->far), 1 / radius);
        span->far_is_cut = false;
    }
    return span->near < span->far;
}

static bool cut_domain(const rni_canvas *canvas, rni_ray ray, rni_span *span)
{
    rni_vec half = rni_scale(rni_sub(canvas->domain.high, canvas->domain.low), 0.5f);
    rni_vec o = rni_sub(ray.origin, rni_add(canvas->domain.low, half));
    float more = 1e-4f * canvas->size;
    return cut_slab(span, (rni_vec){1, 0, 0}, o.x, ray.direction.x, half.x + more, true) &&
           cut_slab(span, (rni_vec){0, 1, 0}, o.y, ray.direction.y, half.y + more, true) &&
           cut_slab(span, (rni_vec){0, 0, 1}, o.z, ray.direction.z, half.z + more, true);
}

/* Behind a plane: half of everything. */
static bool cut_plane(rni_span *span, rni_vec normal, rni_vec q, rni_vec d)
{
    float height = rni_dot(q, normal);
    float climb = rni_dot(d, normal);
    if (fabsf(climb) < 1e-12f) return height <= 0;
    float t = -height / climb;
    if (climb < 0 && t > span->near) {
        span->near = t;
        span->near_normal = normal;
        span->near_is_cut = false;
    }
    if (climb > 0 && t < span->far) {
        span->far = t;
        span->far_normal = normal;
        span->far_is_cut = false;
    }
    return span->near < span->far;
}

bool rni_wall_span(const rni_canvas *canvas, const rni_wall *wall, rni_ray ray, rni_span *span)
{
    *span = (rni_span){.near = -RNI_DEPTH_FAR, .far = RNI_DEPTH_FAR};
    if (!cut_domain(canvas, ray, span)) return false;
    rni_vec q = rni_sub(ray.origin, wall->center);
    rni_vec d = ray.direction;
    const rni_vec *axis = wall->axis;
    switch (wall->shape) {
    case RN_SOLID_PLANE: return cut_plane(span, axis[0], q, d);
    case RN_SOLID_SPHERE: return cut_round(span, q, d, wall->radius);
    case RN_SOLID_BOX:
        return cut_slab(span, axis[0], rni_dot(q, axis[0]), rni_dot(d, axis[0]), wall->half.x, false) &&
               cut_slab(span, axis[1], rni_dot(q, axis[1]), rni_dot(d, axis[1]), wall->half.y, false) &&
               cut_slab(span, axis[2], rni_dot(q, axis[2]), rni_dot(d, axis[2]), wall->half.z, false);
    case RN_SOLID_CYLINDER: {
        float along_q = rni_dot(q, axis[0]);
        float along_d = rni_dot(d, axis[0]);
        return cut_slab(span, axis[0], along_q, along_d, wall->half.x, false) &&
               cut_round(span, rni_along(q, axis[0], -along_q), rni_along(d, axis[0], -along_d),
                         wall->radius);
    }
    }
    return false;
}

bool rni_side_hit(const rni_canvas *canvas, rni_ray ray, float *depth, rni_vec *normal, uint32_t *side)
{
    rni_span span = {.near = -RNI_DEPTH_FAR, .far = RNI_DEPTH_FAR};
    if (!cut_domain(canvas, ray, &span)) return false;
    rni_vec n = span.far_normal;
    uint32_t axis = n.x != 0 ? 0 : n.y != 0 ? 1 : 2;
    *side = 2 * axis + (n.x + n.y + n.z > 0);
    *depth = span.far;
    *normal = rni_scale(n, -1);
    return true;
}

bool rni_wall_hit(const rni_canvas *canvas, const rni_wall *wall, rni_ray ray, float *depth,
                  rni_vec *normal, bool *is_cut)
{
    rni_span span;
    if (!rni_wall_span(canvas, wall, ray, &span)) return false;
    /* The water is inside a hollow one: its near side is cut away, the far one is seen. */
    *depth = wall->is_hollow ? span.far : span.near;
    *normal = wall->is_hollow ? rni_scale(span.far_normal, -1) : span.near_normal;
    *is_cut = wall->is_hollow ? span.far_is_cut : span.near_is_cut;
    return !(wall->is_hollow && *is_cut);
}

/* From a box of half sides hx, hy about the origin. */
static float box_distance_flat(float x, float y, float hx, float hy)
{
    float dx = fabsf(x) - hx;
    float dy = fabsf(y) - hy;
    float outside = hypotf(fmaxf(dx, 0), fmaxf(dy, 0));
    return outside + fminf(fmaxf(dx, dy), 0);
}

float rni_wall_distance_flat(const rni_wall *wall, float x, float y)
{
    float qx = x - wall->center.x;
    float qy = y - wall->center.y;
    float distance = INFINITY;
    if (wall->shape == RN_SOLID_PLANE) {
        distance = qx * wall->axis[0].x + qy * wall->axis[0].y;
    } else if (wall->shape == RN_SOLID_BOX) {
        distance = box_distance_flat(qx * wall->axis[0].x + qy * wall->axis[0].y,
                                     qx * wall->axis[1].x + qy * wall->axis[1].y, wall->half.x,
                                     wall->half.y);
    } else {
        distance = hypotf(qx, qy) - wall->radius;
    }
    return wall->is_hollow ? -distance : distance;
}
