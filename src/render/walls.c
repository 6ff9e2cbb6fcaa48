/* Solids and floor into the buffers; which solids are drawn as glass. */
#include "render/canvas.h"

#include "base/error.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define FLOOR_REACH   2.4f /* so many sizes of the scene the floor goes on */
#define GLASS_STEP    8u   /* samples between the rays that ask what hides the water */
#define GLASS_HIT_MIN 12u  /* fewer of them are no reason */

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

/* The part of the domain that a wall may be seen in. */
static rni_box box_of_wall(const rni_canvas *canvas, const rni_wall *wall)
{
    float more = 1e-4f * canvas->size, low[3], high[3];
    rni_box d = canvas->domain;
    rni_box box = {{d.low.x - more, d.low.y - more, d.low.z - more},
                   {d.high.x + more, d.high.y + more, d.high.z + more}};
    if (!wall->solid.kind->bounds) return box;
    wall->solid.kind->bounds(&wall->solid, low, high);
    return (rni_box){
        {fmaxf(low[0], box.low.x), fmaxf(low[1], box.low.y), fmaxf(low[2], box.low.z)},
        {fminf(high[0], box.high.x), fminf(high[1], box.high.y), fminf(high[2], box.high.z)}};
}

rn_result rni_walls_check(const rni_picture *picture)
{
    rni_solid solid;
    char sentence[256];
    for (uint32_t w = 0; w < picture->solid_count; w++) {
        rn_result result = rni_solid_place(&picture->solids[w], picture->frame.dim, &solid);
        if (result == RN_OK) continue;
        snprintf(sentence, sizeof sentence, "%s", rn_last_error());
        return rni_fail(result, "solid %u of the picture: %s", w, sentence);
    }
    return RN_OK;
}

void rni_walls_prepare(rni_canvas *canvas)
{
    const rni_picture *picture = canvas->picture;
    for (uint32_t w = 0; w < canvas->wall_count; w++) {
        rni_wall *wall = &canvas->walls[w];
        wall->is_glass = picture->walls == RNI_WALLS_GLASS;
        rni_solid_place(&picture->solids[w], picture->frame.dim, &wall->solid); /* checked before */
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
 * or a block becomes glass only if it hides much of all the water and is in front of it; a visible
 * solid shows better where it is. */
static bool is_better_glass(const rni_wall *wall, const glass_search *g, uint32_t water_count)
{
    uint32_t hiding = atomic_load(&g->hiding);
    const rni_solid *solid = &wall->solid;
    bool is_plate = solid->kind->is_plate && solid->kind->is_plate(solid);
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
        if (canvas->walls[w].solid.is_hollow) continue;
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
        /* what has no end would shade everything */
        if (wall->is_glass || wall->solid.is_hollow || !wall->solid.kind->bounds) continue;
        if (meets(canvas->wall_seen[2 * (size_t)w + 1], tile)) shadow_wall(canvas, wall, tile);
    }
}

void rni_walls_shadow(rni_canvas *canvas)
{
    rni_crew_pieces(canvas->crew, tile_count(&canvas->light), shadow_tile, canvas);
}
