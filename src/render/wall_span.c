/* Where a ray is inside a solid, and the nearest surface that it meets. */
#include "render/canvas.h"

/* Cuts to the part inside the domain. */
static bool cut_domain(const rni_canvas *canvas, rni_ray ray, rni_span *span)
{
    static const float AXES[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    rni_vec half = rni_scale(rni_sub(canvas->domain.high, canvas->domain.low), 0.5f);
    rni_vec o = rni_sub(ray.origin, rni_add(canvas->domain.low, half));
    float more = 1e-4f * canvas->size;
    return rni_span_cut_slab(span, AXES[0], o.x, ray.direction.x, half.x + more, true) &&
           rni_span_cut_slab(span, AXES[1], o.y, ray.direction.y, half.y + more, true) &&
           rni_span_cut_slab(span, AXES[2], o.z, ray.direction.z, half.z + more, true);
}

bool rni_wall_span(const rni_canvas *canvas, const rni_wall *wall, rni_ray ray, rni_span *span)
{
    *span = (rni_span){.near = -RNI_DEPTH_FAR, .far = RNI_DEPTH_FAR};
    if (!cut_domain(canvas, ray, span)) return false;
    const float origin[3] = {ray.origin.x, ray.origin.y, ray.origin.z};
    const float direction[3] = {ray.direction.x, ray.direction.y, ray.direction.z};
    return wall->solid.kind->span(&wall->solid, origin, direction, span);
}

bool rni_side_hit(const rni_canvas *canvas, rni_ray ray, float *depth, rni_vec *normal, uint32_t *side)
{
    rni_span span = {.near = -RNI_DEPTH_FAR, .far = RNI_DEPTH_FAR};
    if (!cut_domain(canvas, ray, &span)) return false;
    rni_vec n = rni_vec_of(span.far_normal);
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
    /* The fluid is inside a hollow solid: its near side is cut away, the far one is seen. */
    const bool is_hollow = wall->solid.is_hollow;
    *depth = is_hollow ? span.far : span.near;
    *normal = is_hollow ? rni_scale(rni_vec_of(span.far_normal), -1) : rni_vec_of(span.near_normal);
    *is_cut = is_hollow ? span.far_is_cut : span.near_is_cut;
    return !(is_hollow && *is_cut);
}

float rni_wall_distance_flat(const rni_wall *wall, float x, float y)
{
    const float place[3] = {x, y, 0};
    float normal[3];
    return rni_solid_distance(&wall->solid, place, normal);
}
