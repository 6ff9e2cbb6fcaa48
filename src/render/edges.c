/* Thin lines over the lit picture: edges of the domain, squares on its floor, edges of glass. */
#include "render/canvas.h"
#include "render/label.h"
#include "solid/mesh.h"

#define MAX_LINES 64u /* of the outline of one solid */

typedef struct pen {
    rni_vec color;
    float strength; /* 0 to 1 */
    float width;    /* pixels */
} pen;

/* A place of the picture in pixels, and its depth. */
typedef struct spot {
    float x, y, depth;
} spot;

static spot spot_of(const rni_view *view, rni_vec p)
{
    float scale = view->is_flat ? view->scale : view->scale / p.z;
    return (spot){(view->middle_x + p.x * scale) / (float)RNI_SAMPLES_PER_SIDE,
                  (view->middle_y - p.y * scale) / (float)RNI_SAMPLES_PER_SIDE, p.z};
}

/* The share of a pixel's samples that do not hide a line at this depth. */
static float seen(const rni_canvas *canvas, uint32_t x, uint32_t y, float depth)
{
    uint32_t count = 0;
    float limit = depth - 2e-3f * canvas->size;
    for (uint32_t k = 0; k < 4; k++) {
        size_t at = (size_t)(2 * y + k / 2) * canvas->camera.width + 2 * x + k % 2;
        count += canvas->surface[at] == RNI_SURFACE_FLAT || canvas->depth[at] >= limit;
    }
    return 0.25f * (float)count;
}

/* The pixels about the place part (0 to 1) of a line, across its steeper axis. */
static void dab(rni_canvas *canvas, const pen *p, spot a, spot b, float part)
{
    float dx = b.x - a.x;
    float dy = b.y - a.y;
    float length = hypotf(dx, dy);
    bool is_steep = fabsf(dy) > fabsf(dx);
    float x = rni_mix(a.x, b.x, part);
    float y = rni_mix(a.y, b.y, part);
    /* 1 / depth runs evenly over the picture. */
    float depth = canvas->camera.is_flat ? a.depth : 1 / rni_mix(1 / a.depth, 1 / b.depth, part);
    for (int k = -3; k <= 3; k++) {
        float px = floorf(x) + (is_steep ? (float)k : 0);
        float py = floorf(y) + (is_steep ? 0 : (float)k);
        if (!(px >= 0 && py >= 0 && px < (float)canvas->picture->width &&
              py < (float)canvas->picture->height))
            continue;
        float off = fabsf((px + 0.5f - a.x) * dy - (py + 0.5f - a.y) * dx) / length;
        float cover = rni_clamp(0.5f * p->width - off + 0.5f, 0, 1);
        if (!(cover > 0)) continue;
        uint32_t ix = (uint32_t)px;
        uint32_t iy = (uint32_t)py;
        rni_vec *at = &canvas->image[(size_t)iy * canvas->picture->width + ix];
        *at = rni_vec_mix(*at, p->color, p->strength * cover * seen(canvas, ix, iy, depth));
    }
}

static void draw_line(rni_canvas *canvas, const pen *p, rni_vec from, rni_vec to)
{
    const rni_view *view = &canvas->camera;
    rni_vec a = rni_view_place(view, from);
    rni_vec b = rni_view_place(view, to);
    if (!view->is_flat) {
        float edge = view->near_depth;
        if (a.z < edge && b.z < edge) return;
        if (a.z < edge) a = rni_vec_mix(a, b, (edge - a.z) / (b.z - a.z));
        if (b.z < edge) b = rni_vec_mix(b, a, (edge - b.z) / (a.z - b.z));
    }
    spot sa = spot_of(view, a);
    spot sb = spot_of(view, b);
    bool is_steep = fabsf(sb.y - sa.y) > fabsf(sb.x - sa.x);
    float begin = is_steep ? sa.y : sa.x;
    float end = is_steep ? sb.y : sb.x;
    float side = (float)(is_steep ? canvas->picture->height : canvas->picture->width);
    float first = rni_clamp(floorf(fminf(begin, end)), 0, side);
    float last = rni_clamp(ceilf(fmaxf(begin, end)), 0, side);
    if (!(fabsf(end - begin) > 1e-3f)) return;
    for (int at = (int)first; at < (int)last; at++) {
        float part = ((float)at + 0.5f - begin) / (end - begin);
        if (part >= 0 && part <= 1) dab(canvas, p, sa, sb, part);
    }
}

static rni_vec corner_of(rni_box box, uint32_t k)
{
    return (rni_vec){k & 1 ? box.high.x : box.low.x, k & 2 ? box.high.y : box.low.y,
                     k & 4 ? box.high.z : box.low.z};
}

static void draw_domain(rni_canvas *canvas, const pen *p)
{
    uint32_t corners = canvas->picture->frame.dim == 3 ? 8 : 4;
    for (uint32_t k = 0; k < corners; k++)
        for (uint32_t axis = 1; axis < corners; axis *= 2)
            if (!(k & axis))
                draw_line(canvas, p, corner_of(canvas->domain, k),
                          corner_of(canvas->domain, k | axis));
}

static void draw_squares(rni_canvas *canvas, const pen *p)
{
    rni_box d = canvas->domain;
    float step = rni_square_side(canvas);
    float x = (floorf(d.low.x / step) + 1) * step, y = canvas->floor;
    float z = (floorf(d.low.z / step) + 1) * step;
    while (x < d.high.x - 0.01f * step) {
        draw_line(canvas, p, (rni_vec){x, y, d.low.z}, (rni_vec){x, y, d.high.z});
        x += step;
    }
    while (z < d.high.z - 0.01f * step) {
        draw_line(canvas, p, (rni_vec){d.low.x, y, z}, (rni_vec){d.high.x, y, z});
        z += step;
    }
}

/* The part of a line inside the domain; false: none. */
static bool cut_line(const rni_canvas *canvas, rni_vec *a, rni_vec *b)
{
    float begin = 0;
    float end = 1;
    float from[3] = {a->x, a->y, a->z};
    float along[3] = {b->x - a->x, b->y - a->y, b->z - a->z};
    float low[3] = {canvas->domain.low.x, canvas->domain.low.y, canvas->domain.low.z};
    float high[3] = {canvas->domain.high.x, canvas->domain.high.y, canvas->domain.high.z};
    float more = 1e-4f * canvas->size;
    for (uint32_t k = 0; k < 3; k++) {
        float below = low[k] - more - from[k];
        float above = high[k] + more - from[k];
        if (along[k] == 0) {
            if (below > 0 || above < 0) return false;
            continue;
        }
        begin = fmaxf(begin, (along[k] > 0 ? below : above) / along[k]);
        end = fminf(end, (along[k] > 0 ? above : below) / along[k]);
    }
    rni_vec start = *a;
    rni_vec whole = rni_sub(*b, *a);
    *a = rni_along(start, whole, begin);
    *b = rni_along(start, whole, end);
    return begin < end;
}

/* The outline of a wall, where its row says so. */
static void draw_wall_edges(rni_canvas *canvas, const rni_wall *wall, const pen *p)
{
    float lines[MAX_LINES][6];
    rni_solid_mesh mesh = {.segments = 8};
    rni_solid_draw(&wall->solid, &mesh);
    if (mesh.line_count > MAX_LINES) return;
    mesh.lines = lines;
    rni_solid_draw(&wall->solid, &mesh);
    for (uint32_t k = 0; k < mesh.line_count; k++) {
        rni_vec a = rni_vec_of(lines[k]);
        rni_vec b = rni_vec_of(lines[k] + 3);
        if (cut_line(canvas, &a, &b)) draw_line(canvas, p, a, b);
    }
}

void rni_edges_draw(rni_canvas *canvas)
{
    const rni_picture *picture = canvas->picture;
    rni_tones tones = rni_tones_of(picture->background);
    float width = fmaxf((float)picture->height / 720, 0.8f);
    if (picture->walls == RNI_WALLS_NONE || !canvas->has_domain) return;
    pen faint = {tones.edge, 0.13f, width};
    pen plain = {tones.edge, picture->frame.dim == 2 ? 0.8f : 0.42f, 1.2f * width};
    pen glass = {tones.edge, 0.5f, width};
    if (picture->frame.dim == 3 && picture->sides[2]) draw_squares(canvas, &faint);
    draw_domain(canvas, &plain);
    for (uint32_t w = 0; picture->frame.dim == 3 && w < canvas->wall_count; w++) {
        const rni_wall *wall = &canvas->walls[w];
        if (wall->solid.kind->has_edges && (wall->is_glass || wall->solid.is_hollow))
            draw_wall_edges(canvas, wall, &glass);
    }
}
