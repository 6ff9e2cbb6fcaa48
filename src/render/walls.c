/* Solids and floor into the buffers; which solids are drawn as glass. */
#include "render/canvas.h"

#include <stdatomic.h>
#include <string.h>

#define DEGREE        0.017453293f
#define FLOOR_REACH   2.4f /* so many sizes of the scene the floor goes on */
#define GLASS_STEP    8u   /* samples between the rays that ask what hides the water */
#define GLASS_HIT_MIN 12u  /* fewer of them are no reason */

/* The axes of a box turned about x, then y, then z. */
static void turn_axes(rni_vec axis[3], const float turn[3])
{
    for (uint32_t k = 0; k < 3; k++) {
        rni_vec a = {k == 0, k == 1, k == 2};
        float c = cosf(turn[0] * DEGREE);
        float s = sinf(turn[0] * DEGREE);
        a = (rni_vec){a.x, c * a.y - s * a.z, s * a.y + c * a.z};
        c = cosf(turn[1] * DEGREE);
        s = sinf(turn[1] * DEGREE);
        a = (rni_vec){c * a.x + s * a.z, a.y, c * a.z - s * a.x};
        c = cosf(turn[2] * DEGREE);
        s = sinf(turn[2] * DEGREE);
        axis[k] = (rni_vec){c * a.x - s * a.y, s * a.x + c * a.y, a.z};
    }
}

static rni_wall wall_of(const rn_solid *solid, const rni_picture *picture)
{
    rni_wall wall = {.shape = solid->shape,
                     .center = rni_vec_of(solid->center),
                     .half = rni_vec_of(solid->half),
                     .radius = solid->radius,
                     .is_hollow = solid->is_hollow,
                     .is_glass = picture->walls == RNI_WALLS_GLASS};
    rni_vec axis = rni_vec_of(solid->axis);
    if (picture->frame.dim == 2) {
        wall.center.z = 0;
        axis.z = 0;
    }
    if (wall.shape == RN_SOLID_BOX) turn_axes(wall.axis, solid->turn);
    else wall.axis[0] = rni_unit(axis);
    if (wall.shape == RN_SOLID_PLANE && wall.is_hollow) {
        wall.axis[0] = rni_scale(wall.axis[0], -1);
        wall.is_hollow = false;
    }
    return wall;
}

/* Half the sides of the upright box around a wall. */
static rni_vec reach_of(const rni_wall *wall, float size)
{
    float r = wall->radius;
    const rni_vec *a = wall->axis;
    rni_vec h = wall->half;
    switch (wall->shape) {
    case RN_SOLID_SPHERE: return (rni_vec){r, r, r};
    case RN_SOLID_BOX:
        return (rni_vec){fabsf(a[0].x) * h.x + fabsf(a[1].x) * h.y + fabsf(a[2].x) * h.z,
                         fabsf(a[0].y) * h.x + fabsf(a[1].y) * h.y + fabsf(a[2].y) * h.z,
                         fabsf(a[0].z) * h.x + fabsf(a[1].z) * h.y + fabsf(a[2].z) * h.z};
    case RN_SOLID_CYLINDER:
        return (rni_vec){fabsf(a[0].x) * h.x + r * sqrtf(fmaxf(1 - a[0].x * a[0].x, 0)),
                         fabsf(a[0].y) * h.x + r * sqrtf(fmaxf(1 - a[0].y * a[0].y, 0)),
                         fabsf(a[0].z) * h.x + r * sqrtf(fmaxf(1 - a[0].z * a[0].z, 0))};
    case RN_SOLID_PLANE: break;
    }
    return (rni_vec){1e6f * size, 1e6f * size, 1e6f * size};
}

/* The samples that can see a box; all of them when part of it is beside the eye. */
static rni_rect rect_of_box(const rni_view *view, rni_box box)
{
    rni_rect all = {0, 0, view->width, view->height};
    float x0 = INFINITY;
    float y0 = INFINITY;
    float x1 = -INFINITY;
    float y1 = -INFINITY;
    for (uint32_t k = 0; k < 8; k++) {
        rni_vec p = {k & 1 ? box.high.x : box.low.x, k & 2 ? box.high.y : box.low.y,
                     k & 4 ? box.high.z : box.low.z};
        p = rni_view_place(view, p);
        if (!view->is_flat && p.z < view->near_depth) return all;
        float scale = view->is_flat ? view->scale : view->scale / p.z;
        x0 = fminf(x0, view->middle_x + p.x * scale);
        x1 = fmaxf(x1, view->middle_x + p.x * scale);
        y0 = fminf(y0, view->middle_y - p.y * scale);
        y1 = fmaxf(y1, view->middle_y - p.y * scale);
    }
    float width = (float)view->width;
    float height = (float)view->height;
    return (rni_rect){(uint32_t)rni_clamp(x0 - 1, 0, width), (uint32_t)rni_clamp(y0 - 1, 0, height),
                      (uint32_t)rni_clamp(x1 + 2, 0, width), (uint32_t)rni_clamp(y1 + 2, 0, height)};
}

static rni_box box_of_wall(const rni_canvas *canvas, const rni_wall *wall)
{
    rni_vec reach = reach_of(wall, canvas->size);
    rni_vec low = rni_sub(wall->center, reach);
    rni_vec high = rni_add(wall->center, reach);
    float more = 1e-4f * canvas->size;
    rni_box d = canvas->domain;
    return (rni_box){
        {fmaxf(low.x, d.low.x - more), fmaxf(low.y, d.low.y - more), fmaxf(low.z, d.low.z - more)},
        {fminf(high.x, d.high.x + more), fminf(high.y, d.high.y + more),
         fminf(high.z, d.high.z + more)}};
}

void rni_walls_prepare(rni_canvas *canvas)
{
    for (uint32_t w = 0; w < canvas->wall_count; w++) {
        rni_wall *wall = &canvas->walls[w];
        *wall = wall_of(&canvas->picture->solids[w], canvas->picture);
        rni_box box = box_of_wall(canvas, wall);
        bool is_empty = box.low.x > box.high.x || box.low.y > box.high.y || box.low.z > box.high.z;
        rni_rect none = {0, 0, 0, 0};
        canvas->wall_seen[2 * w] = is_empty ? none : rect_of_box(&canvas->camera, box);
        canvas->wall_seen[2 * w + 1] = is_empty ? none : rect_of_box(&canvas->light, box);
    }
}

/* What rays tell of a wall: how many meet it, how many of them meet water behind it, and before. */
typedef struct glass_search {
    rni_canvas *canvas;
    uint32_t wall;
    _Atomic uint32_t seen, hiding, hidden;
} glass_search;

/* A thin wall is glass when water is behind a good part of it: the near side of a channel. A pillar
 * or a block has to hide much of all the water and stand before it; its place is better told by
 * seeing it. */
static bool is_better_glass(const rni_wall *wall, const glass_search *g, uint32_t water_count)
{
    uint32_t hiding = atomic_load(&g->hiding);
    float thin = fminf(wall->half.x, fminf(wall->half.y, wall->half.z));
    float thick = fmaxf(wall->half.x, fmaxf(wall->half.y, wall->half.z));
    bool is_plate = wall->shape == RN_SOLID_BOX && thin < 0.2f * thick;
    if (hiding < GLASS_HIT_MIN) return false;
    if (is_plate) return hiding * 8 > atomic_load(&g->seen);
    return hiding * 4 > water_count && hiding > 2 * atomic_load(&g->hidden);
}

static uint32_t count_water(const rni_canvas *canvas)
{
    uint32_t count = 0;
    for (uint32_t y = 0; y < canvas->camera.height; y += GLASS_STEP)
        for (uint32_t x = 0; x < canvas->camera.width; x += GLASS_STEP)
            count += canvas->depth[(size_t)y * canvas->camera.width + x] < RNI_DEPTH_FAR;
    return count;
}

static void ask_row(void *data, uint32_t row, uint32_t worker)
{
    (void)worker;
    glass_search *g = data;
    const rni_canvas *canvas = g->canvas;
    const rni_view *view = &canvas->camera;
    rni_rect rect = canvas->wall_seen[2 * (size_t)g->wall];
    uint32_t y = row * GLASS_STEP;
    if (y < rect.y0 || y >= rect.y1) return;
    for (uint32_t x = rect.x0; x < rect.x1; x += GLASS_STEP) {
        float depth;
        rni_vec normal;
        bool is_cut;
        rni_ray ray = rni_view_ray(view, (float)x + 0.5f, (float)y + 0.5f);
        if (!rni_wall_hit(canvas, &canvas->walls[g->wall], ray, &depth, &normal, &is_cut)) continue;
        float water = canvas->depth[(size_t)y * view->width + x];
        atomic_fetch_add_explicit(&g->seen, 1, memory_order_relaxed);
        if (water < depth) atomic_fetch_add_explicit(&g->hidden, 1, memory_order_relaxed);
        else if (water < RNI_DEPTH_FAR)
            atomic_fetch_add_explicit(&g->hiding, 1, memory_order_relaxed);
    }
}

void rni_walls_choose_glass(rni_canvas *canvas)
{
    if (canvas->picture->walls != RNI_WALLS_SOLID || canvas->picture->frame.dim == 2) return;
    uint32_t water_count = count_water(canvas);
    for (uint32_t w = 0; w < canvas->wall_count; w++) {
        if (canvas->walls[w].is_hollow) continue;
        glass_search g = {.canvas = canvas, .wall = w};
        rni_crew_pieces(canvas->crew, rni_piece_count(canvas->camera.height, GLASS_STEP), ask_row,
                        &g);
        canvas->walls[w].is_glass = is_better_glass(&canvas->walls[w], &g, water_count);
    }
}

static bool meets(rni_rect a, rni_rect b)
{
    return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
}

static rni_rect tile_rect(const rni_view *view, uint32_t t)
{
    uint32_t tiles_x = rni_piece_count(view->width, RNI_TILE_SIDE);
    if (tiles_x == 0) return (rni_rect){0};
    uint32_t x0 = t % tiles_x * RNI_TILE_SIDE;
    uint32_t y0 = t / tiles_x * RNI_TILE_SIDE;
    return (rni_rect){x0, y0, x0 + RNI_TILE_SIDE < view->width ? x0 + RNI_TILE_SIDE : view->width,
                      y0 + RNI_TILE_SIDE < view->height ? y0 + RNI_TILE_SIDE : view->height};
}

static uint32_t tile_count(const rni_view *view)
{
    return rni_piece_count(view->width, RNI_TILE_SIDE) * rni_piece_count(view->height, RNI_TILE_SIDE);
}

static void draw_wall(rni_canvas *canvas, uint32_t w, rni_rect rect)
{
    const rni_view *view = &canvas->camera;
    for (uint32_t y = rect.y0; y < rect.y1; y++) {
        for (uint32_t x = rect.x0; x < rect.x1; x++) {
            size_t at = (size_t)y * view->width + x;
            float depth;
            rni_vec normal;
            bool is_cut;
            rni_ray ray = rni_view_ray(view, (float)x + 0.5f, (float)y + 0.5f);
            if (!rni_wall_hit(canvas, &canvas->walls[w], ray, &depth, &normal, &is_cut)) continue;
            if (depth < view->near_depth || depth >= canvas->depth[at]) continue;
            canvas->depth[at] = depth;
            canvas->surface[at] = RNI_SURFACE_WALL + w;
        }
    }
}

static void draw_floor(rni_canvas *canvas, rni_rect rect)
{
    const rni_view *view = &canvas->camera;
    rni_vec middle = rni_scale(rni_add(canvas->scene.low, canvas->scene.high), 0.5f);
    float reach_sq = FLOOR_REACH * FLOOR_REACH * canvas->size * canvas->size;
    /* Just under the domain, so that nothing that lies on its bottom fights with it. */
    float height = canvas->floor - 5e-4f * canvas->size;
    for (uint32_t y = rect.y0; y < rect.y1; y++) {
        for (uint32_t x = rect.x0; x < rect.x1; x++) {
            size_t at = (size_t)y * view->width + x;
            rni_ray ray = rni_view_ray(view, (float)x + 0.5f, (float)y + 0.5f);
            float depth = (height - ray.origin.y) / ray.direction.y;
            if (!(ray.direction.y < 0 && depth > view->near_depth && depth < canvas->depth[at]))
                continue;
            rni_vec p = rni_along(ray.origin, ray.direction, depth);
            float dx = p.x - middle.x;
            float dz = p.z - middle.z;
            if (dx * dx + dz * dz > reach_sq) continue;
            canvas->depth[at] = depth;
            canvas->surface[at] = RNI_SURFACE_FLOOR;
        }
    }
}

/* Sides of the domain other than the floor. */
static void draw_sides(rni_canvas *canvas, rni_rect rect)
{
    const rni_view *view = &canvas->camera;
    const bool *sides = canvas->picture->sides;
    if (!(sides[0] || sides[1] || sides[3] || sides[4] || sides[5]) || !canvas->has_domain) return;
    for (uint32_t y = rect.y0; y < rect.y1; y++) {
        for (uint32_t x = rect.x0; x < rect.x1; x++) {
            size_t at = (size_t)y * view->width + x;
            float depth;
            rni_vec normal;
            uint32_t side;
            rni_ray ray = rni_view_ray(view, (float)x + 0.5f, (float)y + 0.5f);
            if (!rni_side_hit(canvas, ray, &depth, &normal, &side) || side == 2 || !sides[side])
                continue;
            if (depth < view->near_depth || depth >= canvas->depth[at]) continue;
            canvas->depth[at] = depth;
            canvas->surface[at] = RNI_SURFACE_SIDE + side;
        }
    }
}

static void draw_flat(rni_canvas *canvas, rni_rect rect)
{
    const rni_view *view = &canvas->camera;
    for (uint32_t y = rect.y0; y < rect.y1; y++) {
        for (uint32_t x = rect.x0; x < rect.x1; x++) {
            size_t at = (size_t)y * view->width + x;
            if (canvas->depth[at] < RNI_DEPTH_FAR) continue;
            canvas->depth[at] = view->origin.z + canvas->picture->radius;
            canvas->surface[at] = RNI_SURFACE_FLAT;
        }
    }
}

static void draw_tile(void *data, uint32_t t, uint32_t worker)
{
    (void)worker;
    rni_canvas *canvas = data;
    rni_rect tile = tile_rect(&canvas->camera, t);
    if (canvas->picture->frame.dim == 2) {
        draw_flat(canvas, tile);
        return;
    }
    for (uint32_t w = 0; w < canvas->wall_count; w++)
        if (!canvas->walls[w].is_glass && meets(canvas->wall_seen[2 * (size_t)w], tile))
            draw_wall(canvas, w, tile);
    if (canvas->picture->walls != RNI_WALLS_NONE) draw_sides(canvas, tile);
    draw_floor(canvas, tile);
}

void rni_walls_draw(rni_canvas *canvas)
{
    rni_crew_pieces(canvas->crew, tile_count(&canvas->camera), draw_tile, canvas);
}

static void shadow_wall(rni_canvas *canvas, const rni_wall *wall, rni_rect rect)
{
    const rni_view *view = &canvas->light;
    for (uint32_t y = rect.y0; y < rect.y1; y++) {
        for (uint32_t x = rect.x0; x < rect.x1; x++) {
            rni_span span;
            rni_ray ray = rni_view_ray(view, (float)x + 0.5f, (float)y + 0.5f);
            float *depth = &canvas->shadow[(size_t)y * view->width + x];
            if (rni_wall_span(canvas, wall, ray, &span)) *depth = fminf(*depth, span.near);
        }
    }
}

static void shadow_tile(void *data, uint32_t t, uint32_t worker)
{
    (void)worker;
    rni_canvas *canvas = data;
    rni_rect tile = tile_rect(&canvas->light, t);
    for (uint32_t w = 0; w < canvas->wall_count; w++) {
        const rni_wall *wall = &canvas->walls[w];
        if (wall->is_glass || wall->is_hollow || wall->shape == RN_SOLID_PLANE) continue;
        if (meets(canvas->wall_seen[2 * (size_t)w + 1], tile)) shadow_wall(canvas, wall, tile);
    }
}

void rni_walls_shadow(rni_canvas *canvas)
{
    rni_crew_pieces(canvas->crew, tile_count(&canvas->light), shadow_tile, canvas);
}
