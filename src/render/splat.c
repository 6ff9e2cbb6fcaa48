/* Spheres into a depth buffer: each is put on the list of every tile it may touch, then the tiles
 * are filled, each by one worker, in the order of the particles. */
#include "render/canvas.h"

#include "base/error.h"

#include <string.h>

/* The particles are counted in this many parts, independent of threads, so that the lists do not depend on
 * them. */
#define PART_COUNT 64u
/* More than a picture of large spheres needs; bounds time and memory. */
#define ENTRIES_MAX (UINT64_C(1) << 29)

typedef struct splat {
    rni_canvas *canvas;
    const rni_view *view;
    float *depth;
    uint32_t *surface;
    uint32_t tiles_x, tiles_y;
    uint64_t *start; /* [part][tile]: counts, then where the part's entries begin */
    uint32_t *list;
    uint64_t *tile_end;
} splat;

/* One axis of the outline of a sphere: the tangents from the eye to a circle at (c, z). */
static void outline(const rni_view *view, float c, float z, float r, float *low, float *high)
{
    if (view->is_flat) {
        *low = c - r;
        *high = c + r;
        return;
    }
    float root = r * sqrtf(fmaxf(c * c + z * z - r * r, 0));
    float below = z * z - r * r;
    *low = (c * z - root) / below;
    *high = (c * z + root) / below;
}

/* Samples low .. high of one axis that the outline may touch; false: none of the view's. */
static bool cut_samples(float low, float high, uint32_t count, uint32_t *begin, uint32_t *end)
{
    if (!(high >= 0.5f) || !(low <= (float)count - 0.5f)) return false;
    *begin = low <= 0.5f ? 0 : (uint32_t)(low - 0.5f);
    *end = high >= (float)count - 0.5f ? count : (uint32_t)(high + 0.5f) + 1;
    if (*end > count) *end = count;
    return *begin < *end;
}

static bool rect_of(const splat *s, rni_vec c, rni_rect *rect)
{
    const rni_view *view = s->view;
    float r = s->canvas->picture->radius;
    if (!view->is_flat && c.z - r < view->near_depth) return false;
    float low;
    float high;
    outline(view, c.x, c.z, r, &low, &high);
    if (!cut_samples(view->middle_x + low * view->scale, view->middle_x + high * view->scale,
                     view->width, &rect->x0, &rect->x1))
        return false;
    outline(view, c.y, c.z, r, &low, &high);
    return cut_samples(view->middle_y - high * view->scale, view->middle_y - low * view->scale,
                       view->height, &rect->y0, &rect->y1);
}

/* Calls for each tile of the particle: counts it, or writes it to the list. */
static void visit_part(splat *s, uint32_t part, bool is_writing)
{
    uint64_t begin;
    uint64_t end;
    uint64_t *slot = s->start + (size_t)part * s->tiles_x * s->tiles_y;
    rni_share(s->canvas->picture->frame.count, part, PART_COUNT, &begin, &end);
    for (uint64_t i = begin; i < end; i++) {
        rni_rect rect;
        rni_vec c = rni_view_place(s->view, rni_canvas_position(s->canvas, (uint32_t)i));
        if (!rect_of(s, c, &rect)) continue;
        for (uint32_t ty = rect.y0 / RNI_TILE_SIDE; ty <= (rect.y1 - 1) / RNI_TILE_SIDE; ty++) {
            for (uint32_t tx = rect.x0 / RNI_TILE_SIDE; tx <= (rect.x1 - 1) / RNI_TILE_SIDE; tx++) {
                uint64_t *at = &slot[ty * s->tiles_x + tx];
                if (is_writing) s->list[*at] = (uint32_t)i;
                ++*at;
            }
        }
    }
}

static void count_part(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    visit_part(data, part, false);
}

static void write_part(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    visit_part(data, part, true);
}

/* Counts to offsets, tile by tile and in each part by part. Returns the number of entries. */
static uint64_t sum_starts(splat *s)
{
    uint32_t tile_count = s->tiles_x * s->tiles_y;
    uint64_t sum = 0;
    for (uint32_t t = 0; t < tile_count; t++) {
        for (uint32_t part = 0; part < PART_COUNT; part++) {
            uint64_t *at = &s->start[(size_t)part * tile_count + t];
            uint64_t count = *at;
            *at = sum;
            sum += count;
        }
        s->tile_end[t] = sum;
    }
    return sum;
}

/* The samples of one sphere within a tile. With p the vector from the point of the ray nearest to the
 * center: inside where |p| < r, and the surface lies sqrt((r^2 - p^2) / d^2) before it. This form
 * avoids cancellation. */
static void draw_sphere(const splat *s, uint32_t i, rni_vec c, rni_rect rect)
{
    const rni_view *view = s->view;
    float r = s->canvas->picture->radius;
    float r_sq = r * r;
    float step = view->step;
    for (uint32_t y = rect.y0; y < rect.y1; y++) {
        float v = (view->middle_y - ((float)y + 0.5f)) * step;
        size_t row = (size_t)y * view->width;
        for (uint32_t x = rect.x0; x < rect.x1; x++) {
            float u = ((float)x + 0.5f - view->middle_x) * step;
            float depth;
            if (view->is_flat) {
                float left = r_sq - (c.x - u) * (c.x - u) - (c.y - v) * (c.y - v);
                if (!(left > 0)) continue;
                depth = c.z - sqrtf(left);
            } else {
                float d_sq = u * u + v * v + 1;
                float nearest = (c.x * u + c.y * v + c.z) / d_sq;
                float px = c.x - u * nearest;
                float py = c.y - v * nearest;
                float pz = c.z - nearest;
                float left = r_sq - px * px - py * py - pz * pz;
                if (!(left > 0)) continue;
                depth = nearest - sqrtf(left / d_sq);
            }
            if (depth >= s->depth[row + x]) continue;
            s->depth[row + x] = depth;
            if (s->surface) s->surface[row + x] = RNI_SURFACE_PARTICLE | i;
        }
    }
}

static float deepest_in(const splat *s, rni_rect tile)
{
    float deepest = -RNI_DEPTH_FAR;
    for (uint32_t y = tile.y0; y < tile.y1; y++)
        for (uint32_t x = tile.x0; x < tile.x1; x++)
            deepest = fmaxf(deepest, s->depth[(size_t)y * s->view->width + x]);
    return deepest;
}

static void draw_tile(void *data, uint32_t t, uint32_t worker)
{
    (void)worker;
    splat *s = data;
    const rni_view *view = s->view;
    rni_rect tile = {.x0 = t % s->tiles_x * RNI_TILE_SIDE, .y0 = t / s->tiles_x * RNI_TILE_SIDE};
    tile.x1 = tile.x0 + RNI_TILE_SIDE < view->width ? tile.x0 + RNI_TILE_SIDE : view->width;
    tile.y1 = tile.y0 + RNI_TILE_SIDE < view->height ? tile.y0 + RNI_TILE_SIDE : view->height;
    for (uint32_t y = tile.y0; y < tile.y1; y++) {
        size_t row = (size_t)y * view->width;
        for (uint32_t x = tile.x0; x < tile.x1; x++) s->depth[row + x] = RNI_DEPTH_FAR;
        if (s->surface)
            memset(s->surface + row + tile.x0, 0, (tile.x1 - tile.x0) * sizeof *s->surface);
    }
    float deepest = RNI_DEPTH_FAR;
    uint64_t end = s->tile_end[t];
    for (uint64_t k = t ? s->tile_end[t - 1] : 0, drawn = 1; k < end; k++, drawn++) {
        /* Hidden by everything that is in the tile already: most particles of a deep pool. */
        if (drawn % 1024 == 0) deepest = deepest_in(s, tile);
        uint32_t i = s->list[k];
        rni_rect rect;
        rni_vec c = rni_view_place(view, rni_canvas_position(s->canvas, i));
        if (c.z - s->canvas->picture->radius >= deepest || !rect_of(s, c, &rect)) continue;
        if (rect.x0 < tile.x0) rect.x0 = tile.x0;
        if (rect.y0 < tile.y0) rect.y0 = tile.y0;
        if (rect.x1 > tile.x1) rect.x1 = tile.x1;
        if (rect.y1 > tile.y1) rect.y1 = tile.y1;
        draw_sphere(s, i, c, rect);
    }
}

rn_result rni_splat(rni_canvas *canvas, const rni_view *view, float *depth, uint32_t *surface)
{
    splat s = {.canvas = canvas, .view = view, .depth = depth, .surface = surface};
    s.tiles_x = rni_piece_count(view->width, RNI_TILE_SIDE);
    s.tiles_y = rni_piece_count(view->height, RNI_TILE_SIDE);
    uint32_t tile_count = s.tiles_x * s.tiles_y;
    size_t start_bytes = (size_t)tile_count * PART_COUNT * sizeof *s.start;
    size_t end_bytes = tile_count * sizeof *s.tile_end;
    size_t list_bytes = 0;
    rn_result result = RN_ERROR_MEMORY;
    s.start = rni_memory_take(&canvas->memory, start_bytes);
    s.tile_end = rni_memory_take(&canvas->memory, end_bytes);
    if (!s.start || !s.tile_end) goto done;
    memset(s.start, 0, start_bytes);
    rni_crew_pieces(canvas->crew, PART_COUNT, count_part, &s);
    uint64_t entry_count = sum_starts(&s);
    if (entry_count > ENTRIES_MAX) {
        result =
            rni_fail(RN_ERROR_LIMIT,
                     "particles of radius %g m are too large on this picture for so many; draw them "
                     "smaller or from farther away",
                     (double)canvas->picture->radius);
        goto done;
    }
    list_bytes = (entry_count + 1) * sizeof *s.list;
    s.list = rni_memory_take(&canvas->memory, list_bytes);
    if (!s.list) goto done;
    rni_crew_pieces(canvas->crew, PART_COUNT, write_part, &s);
    rni_crew_pieces(canvas->crew, tile_count, draw_tile, &s);
    result = RN_OK;
done:
    rni_memory_give(&canvas->memory, s.list, list_bytes);
    rni_memory_give(&canvas->memory, s.tile_end, end_bytes);
    rni_memory_give(&canvas->memory, s.start, start_bytes);
    return result;
}
