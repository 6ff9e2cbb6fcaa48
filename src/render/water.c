/* Particles as things that rays can meet: the surface of the water with drops, or spheres. */
#include "render/stage.h"

#include <runnel/search.h>

#include <string.h>

/* Particles with at most so many others within so many spacings are drops, and no part of the surface. */
#define ALONE_MAX   2u
#define ALONE_REACH 2.0f
#define DROP_RADIUS 0.42f /* in spacings */
/* In spacings: a vertex so close to a wall touches it; its place is moved so far into an opaque wall, so that
 * rays within the water meet the wall first, not air. */
#define TOUCH 0.08f
#define SINK  0.25f
/* In spacings: from thin walls, which one sees through, water stays so far away that the two do not cross. */
#define GAP 0.25f
/* Water that faces such a wall (cosine) and is closer than this (in spacings) clings to it. */
#define CLING       0.9f
#define SIDE_COSINE 0.5f

/* Rounds in which normals become means of those around them: bumps of single particles are not lit. */
#define ROUNDS       8u
#define SHEET_ROUNDS 24u
/* Cosine between normals on the two sides of an edge of the surface, which stays sharp. */
#define CREASE 0.6f

#define PIECE 1024u

rn_surface_points rni_stage_points(const rni_stage *stage)
{
    const rni_shot *shot = stage->shot;
    const rn_frame *frame = &shot->picture.frame;
    rn_surface_points points = rn_surface_points_default();
    points.count = frame->count;
    points.position = frame->attribute[0].data;
    points.stride_bytes = frame->attribute[0].stride;
    points.spacing = frame->spacing;
    memcpy(points.domain_low, frame->domain_low, sizeof points.domain_low);
    memcpy(points.domain_high, frame->domain_high, sizeof points.domain_high);
    for (uint32_t k = 0; k < 6; k++)
        points.domain_wall[k] = shot->domain_wall[k] || shot->periodic[k / 2];
    points.walls = shot->walls;
    points.walls_user = shot->walls_user;
    return points;
}

static rn_result build(rni_stage *stage, const rn_surface_points *points, rn_surface_mesh *found)
{
    rni_studio *studio = stage->studio;
    *found = rn_surface_mesh_default();
    if (!studio->surface) {
        rn_surface_def def = rn_surface_def_default();
        def.threads = studio->threads;
        def.radius = 2.4f;
        def.smoothing = 24;
        rn_result result = rn_surface_create(&def, &studio->surface);
        if (result != RN_OK) return result;
    }
    return rn_surface_build(studio->surface, points, found);
}

/* --- normals -------------------------------------------------------------------------------------------- */

static void add_normal(rni_vec *sum, const rni_vec *normal, uint32_t a, uint32_t b)
{
    if (rni_dot(normal[a], normal[b]) < CREASE) return;
    sum[a] = rni_add(sum[a], normal[b]);
    sum[b] = rni_add(sum[b], normal[a]);
}

/* Rounds of evening: from the normals into themselves, by way of others. */
static void even_out(rni_vec *normal, rni_vec *other, const rn_mesh *mesh, uint32_t rounds)
{
    const uint32_t count = mesh->vertex_count, *corner = mesh->triangle;
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t i = 0; i < count; i++) other[i] = rni_scale(normal[i], 2);
        for (size_t t = 0; t < mesh->triangle_count; t++)
            for (uint32_t k = 0; k < 3; k++)
                add_normal(other, normal, corner[3 * t + k], corner[3 * t + (k + 1) % 3]);
        for (uint32_t i = 0; i < count; i++) normal[i] = rni_unit(other[i]);
    }
}

rn_result rni_stage_even_normals(rni_studio *studio, const rn_surface_mesh *found, rni_buffer *even)
{
    const uint32_t count = found->mesh.vertex_count;
    rn_result result = rni_buffer_need(&studio->memory, even, count, sizeof(rni_vec));
    if (result == RN_OK)
        result = rni_buffer_need(&studio->memory, &studio->normals, count, sizeof(rni_vec));
    if (result != RN_OK) return result;
    rni_vec *normal = even->data;
    for (uint32_t i = 0; i < count; i++) normal[i] = rni_vec_of(found->normal + 3 * (size_t)i);
    even_out(normal, studio->normals.data, &found->mesh, ROUNDS);
    return RN_OK;
}

/* --- where the water touches walls ---------------------------------------------------------------------- */

typedef struct touch {
    const rni_stage *stage;
    const rn_surface_points *points;
    const float *from, *normal;
    float *to, *to_normal;
    rni_marks *marks;
    uint32_t count;
    bool is_sheet; /* the walls are thin: the water stays on its side */
} touch;

/* Sides of the domain that the vertex lies on; the floor is opaque, so the water goes through it. */
static void touch_domain(const touch *t, const float *x, float *to, rni_marks *marks)
{
    const rn_surface_points *p = t->points;
    float reach = TOUCH * p->spacing;
    for (uint32_t k = 0; k < 6; k++) {
        float from = k % 2 ? p->domain_high[k / 2] - x[k / 2] : x[k / 2] - p->domain_low[k / 2];
        if (!p->domain_wall[k] || from > reach) continue;
        if (k == 2) to[1] -= SINK * p->spacing;
        else *marks = (rni_marks)(*marks | 1u << k);
    }
}

/* m: to the nearest of the walls that the callback knows; reach: none is closer. */
static float nearest_wall(const rn_surface_points *p, const float *x, float reach)
{
    float distance[RN_SURFACE_MAX_WALLS];
    uint32_t count = p->walls(p->walls_user, x, reach, distance);
    float least = reach;
    for (uint32_t k = 0; k < count; k++) least = fminf(least, distance[k]);
    return least;
}

/* Away from the nearest wall, of length 1; a wide step evens out the edges between triangles. */
static rni_vec away_from_wall(const rn_surface_points *p, const float *x, float reach, float step)
{
    float slope[3];
    for (uint32_t a = 0; a < 3; a++) {
        float above[3] = {x[0], x[1], x[2]}, below[3] = {x[0], x[1], x[2]};
        above[a] += step, below[a] -= step;
        slope[a] = nearest_wall(p, above, reach) - nearest_wall(p, below, reach);
    }
    return rni_unit(rni_vec_of(slope));
}

/* Water behind a sheet, which one sees through, ends at the sheet: as smooth as that is, and with its normals. */
static void touch_sheet(const rn_surface_points *p, const float *x, float here, float *to,
                        float *normal)
{
    rni_vec n = rni_vec_of(normal);
    rni_vec out = away_from_wall(p, x, 2 * CLING * p->spacing, 0.5f * p->spacing);
    float toward = -rni_dot(n, out), gap = GAP * p->spacing;
    bool is_side = toward > SIDE_COSINE;
    if (here > gap && !is_side) return;
    /* Wholly onto the sheet where the water is close to it, less so farther away. */
    float part = here > gap ? rni_smooth(CLING, GAP, here / p->spacing) : 1;
    float move = part * (gap - here);
    to[0] += move * out.x, to[1] += move * out.y, to[2] += move * out.z;
    if (!is_side) return;
    n = rni_unit(rni_vec_mix(n, rni_scale(out, -1), part));
    normal[0] = n.x, normal[1] = n.y, normal[2] = n.z;
}

/* A vertex at a wall sinks into it; its normal points along the wall, so that the water line is level. */
static void touch_solids(const touch *t, const float *x, float *to, float *normal)
{
    const rn_surface_points *p = t->points;
    float limit = (t->is_sheet ? CLING : TOUCH) * p->spacing;
    float here = nearest_wall(p, x, 4 * limit);
    if (here > limit) return;
    if (t->is_sheet) {
        touch_sheet(p, x, here, to, normal);
        return;
    }
    rni_vec out = away_from_wall(p, x, 4 * limit, 0.5f * limit), n = rni_vec_of(normal);
    float sink = -SINK * p->spacing;
    to[0] += sink * out.x, to[1] += sink * out.y, to[2] += sink * out.z;
    n = rni_along(n, out, -rni_dot(n, out));
    if (rni_length(n) <= 0.25f) return;
    n = rni_unit(n);
    normal[0] = n.x, normal[1] = n.y, normal[2] = n.z;
}

static void touch_piece(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const touch *t = data;
    uint32_t end = (piece + 1) * PIECE < t->count ? (piece + 1) * PIECE : t->count;
    for (uint32_t i = piece * PIECE; i < end; i++) {
        const float *x = t->from + 3 * (size_t)i;
        float *to = t->to + 3 * (size_t)i, *normal = t->to_normal + 3 * (size_t)i;
        memcpy(to, x, 3 * sizeof *to);
        memcpy(normal, t->normal + 3 * (size_t)i, 3 * sizeof *normal);
        t->marks[i] = 0;
        touch_domain(t, x, to, &t->marks[i]);
        if (t->points->walls) touch_solids(t, x, to, normal);
    }
}

static bool has_sheets(const rni_stage *stage)
{
    for (uint32_t k = 0; k < stage->shot->picture.frame.pose_count && k < stage->object_count; k++)
        if (stage->object[k].material.kind == RNI_FINISH_SHEET) return true;
    return false;
}

static rn_result add_surface(rni_stage *stage, const rn_surface_points *points,
                             const rni_finish *material)
{
    rni_studio *studio = stage->studio;
    rn_surface_mesh found;
    rn_result result = build(stage, points, &found);
    if (result == RN_OK && found.mesh.vertex_count > 0)
        result = rni_stage_even_normals(studio, &found, &studio->even);
    uint64_t count = result == RN_OK ? found.mesh.vertex_count : 0;
    if (result != RN_OK || count == 0) return result;
    result = rni_buffer_need(&studio->memory, &studio->vertices, count, 3 * sizeof(float));
    if (result == RN_OK)
        result = rni_buffer_need(&studio->memory, &studio->normals, count, 3 * sizeof(float));
    if (result == RN_OK)
        result = rni_buffer_need(&studio->memory, &studio->marks, count, sizeof(rni_marks));
    if (result != RN_OK) return result;
    touch t = {.stage = stage,
               .points = points,
               .from = found.mesh.vertex,
               .normal = studio->even.data,
               .to = studio->vertices.data,
               .to_normal = studio->normals.data,
               .marks = studio->marks.data,
               .count = found.mesh.vertex_count,
               .is_sheet = has_sheets(stage)};
    rni_crew_pieces(studio->crew, rni_piece_count(t.count, PIECE), touch_piece, &t);
    /* Water behind glass has the normals of its triangles by now, which are seen as bent lines behind it. */
    if (t.is_sheet) even_out(studio->normals.data, studio->even.data, &found.mesh, SHEET_ROUNDS);
    rni_object water = {.material = *material,
                        .mesh = {.name = "water",
                                 .vertex_count = t.count,
                                 .index_count = 3 * found.mesh.triangle_count,
                                 .vertex = t.to,
                                 .normal = t.to_normal,
                                 .index = found.mesh.triangle},
                        .marks = t.marks};
    stage->drawn_water += found.mesh.triangle_count;
    return rni_stage_put(stage, &water);
}

/* --- drops and spheres ---------------------------------------------------------------------------------- */

static rn_result count_neighbors(rni_stage *stage, const rn_surface_points *points,
                                 const uint32_t **counts)
{
    rni_studio *studio = stage->studio;
    if (!studio->search) {
        rn_search_def def = rn_search_def_default();
        def.radius = ALONE_REACH * points->spacing;
        def.lists = RN_LISTS_COUNTS;
        def.threads = studio->threads;
        rn_result result = rn_search_create(&def, &studio->search);
        if (result != RN_OK) return result;
    }
    rn_result result = rn_search_set_radius(studio->search, ALONE_REACH * points->spacing);
    size_t stride = points->stride_bytes ? points->stride_bytes : 3 * sizeof(float);
    rn_points list = {points->position, stride, points->count, RN_SCALAR_FLOAT};
    if (result == RN_OK) result = rn_search_update(studio->search, list);
    if (result == RN_OK) *counts = rn_search_get_neighbors(studio->search).counts;
    return result;
}

/* Spheres for the particles with at most `most` neighbours; counts NULL: for all. */
static rn_result add_spheres(rni_stage *stage, const uint32_t *counts, float radius,
                             const rni_finish *material)
{
    rni_studio *studio = stage->studio;
    uint32_t count = 0, all = stage->shot->picture.frame.count;
    rn_result result =
        rni_buffer_need(&studio->memory, &studio->spheres, (uint64_t)all + 1, 4 * sizeof(float));
    if (result != RN_OK) return result;
    float(*sphere)[4] = studio->spheres.data;
    for (uint32_t i = 0; i < all; i++) {
        if (counts && counts[i] > ALONE_MAX) continue;
        rni_vec p = rni_canvas_position(&stage->canvas, i);
        memcpy(sphere[count++], (float[4]){p.x, p.y, p.z, radius}, sizeof *sphere);
    }
    rni_object drops = {.material = *material};
    stage->drawn_water += count;
    result = rni_stage_put(stage, &drops);
    if (result != RN_OK) return result;
    return rni_tracer_add_spheres(studio->tracer, (const float(*)[4])sphere, count,
                                  stage->object_count - 1);
}

/* The particles that are no drops: those of the surface. */
static rn_result leave_drops_out(rni_stage *stage, const uint32_t *counts, rn_surface_points *points)
{
    rni_studio *studio = stage->studio;
    rn_result result =
        rni_buffer_need(&studio->memory, &studio->joined, points->count, sizeof(rni_vec));
    if (result != RN_OK) return result;
    rni_vec *to = studio->joined.data;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < points->count; i++)
        if (counts[i] > ALONE_MAX) to[kept++] = rni_canvas_position(&stage->canvas, i);
    points->position = (const float *)to;
    points->stride_bytes = sizeof *to;
    points->count = kept;
    return RN_OK;
}

rn_result rni_stage_add_water(rni_stage *stage, const rni_finish *material)
{
    rn_surface_points points = rni_stage_points(stage);
    const uint32_t *counts = NULL;
    if (points.count == 0) return RN_OK;
    rn_result result = count_neighbors(stage, &points, &counts);
    if (result == RN_OK && counts) result = leave_drops_out(stage, counts, &points);
    if (result == RN_OK) result = add_surface(stage, &points, material);
    if (result != RN_OK || !counts) return result;
    return add_spheres(stage, counts, DROP_RADIUS * points.spacing, material);
}

rn_result rni_stage_add_particles(rni_stage *stage, const rni_finish *material)
{
    return add_spheres(stage, NULL, stage->shot->picture.radius, material);
}
