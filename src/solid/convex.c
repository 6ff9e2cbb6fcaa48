#include "solid/convex.h"

/* The part of the half space whose face is t away (negative: x is in it), and its slope. */
static float cover(const rni_wall_tables *tables, float t, float h, float *slope)
{
    const float d = fabsf(t);
    *slope = 0;
    if (d >= h) return t > 0 ? 0.0f : 1.0f;
    const float place = d * tables->inverse_step;
    *slope = -rni_table_at(tables->cover_slope, place);
    const float part = rni_table_at(tables->cover, place);
    return t > 0 ? part : 1 - part;
}

void rni_convex_cover(const rni_wall_tables *tables, float h, int a, float far, rni_convex *c)
{
    float near_slope, far_slope;
    const float near_side = cover(tables, c->over[a], h, &near_slope);
    const float far_side = cover(tables, -far, h, &far_slope);
    c->slab[a] = rni_higher(near_side + far_side - 1, 0.0f);
    c->slope[a] = c->slab[a] > 0 ? near_slope - far_slope : 0.0f;
}

/* What the layers behind a face have of their second moment at the distance t: half of it at 0. */
static float moment_part(const rni_wall_tables *tables, float t, float h)
{
    float value[RNI_WALL_VALUES];
    if (fabsf(t) >= h) return t > 0 ? 0.0f : 1.0f;
    rni_wall_values_at(tables, fabsf(t), value);
    return t > 0 ? value[RNI_WALL_LIFT] : 1 - value[RNI_WALL_LIFT];
}

/* A push of `slope`, 1 / m, along n. At rest it is twice what the layers would give that stay where they
 * are, as at a flat face: they mirror the fluid. */
static void add_push(const rni_solid *s, const float x[3], const rni_wall_query *query, float slope,
                     const float n[3], rni_face *face)
{
    float velocity[3];
    for (int k = 0; k < 3; k++) face->touch.push[k] += 2 * slope * n[k];
    if (!query->has_moments) return;
    rni_face_velocity(s, x, velocity);
    for (int k = 0; k < 3; k++) {
        face->moments.closing[k] += 2 * slope * n[k];
        face->moments.crowd[k] += slope * n[k];
    }
    face->moments.closing_velocity += 2 * slope * rni_solid_dot(velocity, n);
}

/* Changes the second moments; of it `along` is along slip faces. */
static void change_moments(const rni_wall_query *query, float change[6], const float along[6],
                           rni_face *face)
{
    const float weight[3] = {-query->gravity[0], -query->gravity[1], -query->gravity[2]};
    for (int k = 0; query->has_moments && k < 6; k++) {
        face->moments.moment[k] += change[k];
        face->moments.along[k] += along[k];
        change[k] -= along[k];
    }
    rni_add_product(change, weight, face->touch.lift);
}

/* The layers behind the front face end at face a. */
static void add_across(const rni_wall_tables *tables, const rni_solid *s, const float x[3],
                       const rni_wall_query *query, const rni_convex *c, int a, rni_face *face)
{
    const float *n = c->axis[a], over = c->over[a], slab = c->slab[a];
    float value[RNI_WALL_VALUES], change[6] = {0}, along[6] = {0};
    add_push(s, x, query, -face->share * c->slope[a] / slab, n, face);
    rni_wall_values_at(tables, face->distance, value);
    const float tangent = value[RNI_WALL_TANGENT] * face->part / slab;
    const float here = tangent * moment_part(tables, over, query->h);
    const float mixed = tangent * moment_part(tables, fabsf(over), query->h);
    rni_tensor_add(change, here - tangent * slab, n, n);
    rni_tensor_add(change, 2 * mixed, n, c->axis[c->front]);
    /* From half a spacing in front of face a on, no layers are beside x. */
    const float beside = rni_lower(rni_higher(0.5f - over / (4 * query->nearest), 0.0f), 1.0f);
    if (query->has_moments && s->slip != RN_SLIP_NONE)
        rni_tensor_add(along, here * beside - tangent * slab, n, n);
    change_moments(query, change, along, face);
}

rni_convex rni_convex_of(const rni_face *face)
{
    rni_convex c = {.count = 1, .over = {face->distance}, .curved = 1};
    memcpy(c.axis[0], face->normal, sizeof c.axis[0]);
    return c;
}

/* Of the distribution of cover, to the first order of the curvature. */
void rni_convex_curve(const rni_wall_tables *tables, float h, float curvature, rni_convex *c)
{
    const float t = rni_lower(rni_higher(c->over[c->front], 0.0f), 0.8f * h);
    const float place = t * tables->inverse_step, width_sq = tables->width * tables->width;
    const float ratio = rni_table_at(tables->cover_slope, place) / rni_table_at(tables->cover, place);
    const float lost = 0.5f * curvature * width_sq * ratio;
    c->curved = 1 / (1 + lost);
    c->curved_slope = -lost * (ratio - t / width_sq) * c->curved * c->curved;
}

float rni_convex_over(const rni_wall_tables *tables, float part)
{
    const float less = rni_lower(part, 1 - part);
    uint32_t low = 0, high = RNI_WALL_TABLE + 1; /* cover falls */
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (tables->cover[middle] > less) low = middle;
        else high = middle;
    }
    const float step = tables->cover[low] - tables->cover[high];
    const float t =
        ((float)low + (step > 0 ? (tables->cover[low] - less) / step : 0)) / tables->inverse_step;
    return part < 0.5f ? t : -t;
}

/* In front of an edge the distribution itself counts instead of the layers. */
static void add_smooth(const rni_wall_tables *tables, const rni_solid *s, const float x[3],
                       const rni_wall_query *query, float smooth, rni_face *face)
{
    float value[RNI_WALL_VALUES];
    const float place = rni_table_place(tables, face->distance), part = smooth * face->part;
    rni_wall_values_at(tables, face->distance, value);
    const float slope = rni_table_at(tables->cover_slope, place) - 0.5f * value[RNI_WALL_PUSH];
    face->share += part * (rni_table_at(tables->cover, place) - value[RNI_WALL_SHARE]);
    add_push(s, x, query, part * slope, face->normal, face);
}

/* The face is curved: less is behind it, and less still along it. */
static void add_curvature(const rni_wall_tables *tables, const rni_solid *s, const float x[3],
                          const rni_wall_query *query, const rni_convex *c, rni_face *face)
{
    float value[RNI_WALL_VALUES], change[6], along[6] = {0};
    const float *n = face->normal;
    add_push(s, x, query, -face->share * c->curved_slope / c->curved, n, face);
    rni_wall_values_at(tables, face->distance, value);
    const float lost = -value[RNI_WALL_TANGENT] * face->part * (1 - c->curved);
    for (int k = 0; k < 6; k++) change[k] = k < 3 && (uint32_t)k < query->dim ? lost : 0.0f;
    rni_tensor_add(change, -lost, n, n);
    if (query->has_moments && s->slip != RN_SLIP_NONE) memcpy(along, change, sizeof along);
    change_moments(query, change, along, face);
}

/* There the layers are as far behind the surface as x is in front of it. */
static void add_smooth_moment(const rni_wall_tables *tables, const rni_wall_query *query,
                              const rni_convex *c, rni_face *face)
{
    float value[RNI_WALL_VALUES], change[6] = {0};
    const float along[6] = {0}, *n = face->normal;
    rni_wall_values_at(tables, face->distance, value);
    const float wanted = rni_higher(face->distance, 0.0f) * rni_solid_dot(face->touch.push, n);
    rni_tensor_add(change, c->smooth * (wanted - face->part * value[RNI_WALL_LIFT]), n, n);
    change_moments(query, change, along, face);
}

uint32_t rni_convex_meet(const rni_wall_tables *tables, const rni_solid *s, const float x[3],
                         const rni_wall_query *query, const rni_convex *c, rni_face *face,
                         float *clear)
{
    face->distance = c->over[c->front];
    if (face->distance >= query->h) return 0;
    *clear = rni_lower(*clear, face->distance);
    face->part = c->curved;
    for (int a = 0; a < c->count; a++)
        if (a != c->front) face->part *= c->slab[a];
    if (!(face->part > 0)) return 0;
    memcpy(face->normal, c->axis[c->front], sizeof face->normal);
    rni_face_meet(tables, s, x, query, 1, face);
    if (c->smooth > 0) add_smooth(tables, s, x, query, c->smooth, face);
    if (c->curved < 1) add_curvature(tables, s, x, query, c, face);
    if (c->smooth > 0) add_smooth_moment(tables, query, c, face);
    for (int a = 0; a < c->count; a++)
        if (a != c->front && c->over[a] > -query->h) add_across(tables, s, x, query, c, a, face);
    return 1;
}
