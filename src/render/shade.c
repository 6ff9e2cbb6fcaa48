/* From buffers to light: every sample's surface is lit, glass laid over it, and the samples of a
 * pixel averaged. */
#include "render/canvas.h"

typedef struct shade {
    rni_canvas *canvas;
    rni_tones tones;
} shade;

static rni_vec times(rni_vec a, rni_vec b)
{
    return (rni_vec){a.x * b.x, a.y * b.y, a.z * b.z};
}

static rni_vec albedo_of(const shade *s, uint32_t i)
{
    const rni_canvas *canvas = s->canvas;
    if (!canvas->value) return s->tones.water;
    float span = canvas->range[1] - canvas->range[0];
    float part = (canvas->value[i] - canvas->range[0]) / span;
    return canvas->color_table[(uint32_t)(rni_clamp(part, 0, 1) * 255 + 0.5f)];
}

/* Matte under a sky and a lamp. */
static rni_vec matte(const shade *s, rni_vec albedo, rni_vec normal, rni_vec light)
{
    float facing = fmaxf(rni_dot(normal, s->canvas->to_light), 0);
    float sky = (0.43f + 0.13f * normal.y) * light.x;
    float lamp = 0.66f * facing * light.y * (0.55f + 0.45f * light.x);
    rni_vec cool = {0.96f * sky, 1.0f * sky, 1.06f * sky};
    rni_vec warm = {1.03f * lamp, 1.0f * lamp, 0.96f * lamp};
    return times(albedo, rni_add(cool, warm));
}

static rni_vec shade_particle(const shade *s, uint32_t i, rni_ray ray, uint32_t x, uint32_t y)
{
    const rni_canvas *canvas = s->canvas;
    float depth = canvas->depth[(size_t)y * canvas->camera.width + x];
    rni_vec place = rni_along(ray.origin, ray.direction, depth);
    rni_vec normal = rni_unit(rni_sub(place, rni_canvas_position(canvas, i)));
    rni_vec light = rni_light_at(canvas, x, y, place, normal);
    rni_vec color = matte(s, albedo_of(s, i), normal, light);
    rni_vec half = rni_unit(rni_sub(canvas->to_light, rni_unit(ray.direction)));
    float gleam = fmaxf(rni_dot(normal, half), 0);
    gleam *= gleam;
    gleam *= gleam;
    gleam *= gleam;
    gleam *= gleam * gleam; /* to the 24th */
    gleam *= 0.22f * light.y;
    return rni_add(color, (rni_vec){gleam, gleam, gleam});
}

static rni_vec shade_wall(const shade *s, const rni_wall *wall, rni_ray ray, uint32_t x, uint32_t y,
                          rni_vec paper)
{
    float depth = 0;
    rni_vec normal = {0, 1, 0};
    bool is_cut = false;
    rni_wall_hit(s->canvas, wall, ray, &depth, &normal, &is_cut);
    rni_vec place = rni_along(ray.origin, ray.direction, depth);
    rni_vec light = rni_light_at(s->canvas, x, y, place, normal);
    rni_vec color = matte(s, is_cut ? s->tones.cut : s->tones.wall, normal, light);
    /* The inside of a tank is brightened, or the water would have a dark background. */
    return wall->solid.is_hollow ? rni_vec_mix(color, paper, 0.4f) : color;
}

/* The floor is the background itself, darker where shadows fall; inside the domain a shade lighter. */
static rni_vec shade_floor(const shade *s, rni_ray ray, uint32_t x, uint32_t y, rni_vec paper)
{
    const rni_canvas *canvas = s->canvas;
    float depth = canvas->depth[(size_t)y * canvas->camera.width + x];
    rni_vec place = rni_along(ray.origin, ray.direction, depth);
    rni_vec light = rni_light_at(canvas, x, y, place, (rni_vec){0, 1, 0});
    rni_vec middle = rni_scale(rni_add(canvas->scene.low, canvas->scene.high), 0.5f);
    float away = hypotf(place.x - middle.x, place.z - middle.z) / canvas->size;
    float fade = 1 - rni_smooth(0.6f, 2.2f, away);
    float dark = fade * (1 - (0.42f * light.x + 0.58f * light.y));
    const rni_box *d = &canvas->domain;
    bool is_inside = canvas->has_domain && canvas->picture->walls != RNI_WALLS_NONE &&
                     canvas->picture->sides[2] && place.x >= d->low.x && place.x <= d->high.x &&
                     place.z >= d->low.z && place.z <= d->high.z;
    if (is_inside) paper = rni_scale(paper, s->tones.floor_tint);
    return times(paper, rni_vec_mix((rni_vec){1, 1, 1}, s->tones.floor_shadow, dark));
}

/* A side of the domain: a sheet a little darker than the background, which takes shadows. */
static rni_vec shade_side(const shade *s, rni_ray ray, uint32_t x, uint32_t y, rni_vec paper)
{
    float depth = 0;
    rni_vec normal = {0, 1, 0};
    uint32_t side = 0;
    rni_side_hit(s->canvas, ray, &depth, &normal, &side);
    rni_vec place = rni_along(ray.origin, ray.direction, depth);
    rni_vec light = rni_light_at(s->canvas, x, y, place, normal);
    float facing = rni_clamp(3 * rni_dot(normal, s->canvas->to_light), 0, 1);
    float dark = 1 - (0.45f * light.x + 0.4f + 0.15f * light.y * facing);
    return times(paper, rni_vec_mix((rni_vec){1, 1, 1}, s->tones.floor_shadow, dark));
}

/* 2D: the domain as a bright sheet, solids on it with a darker edge. */
static rni_vec shade_flat(const shade *s, rni_ray ray, uint32_t x, uint32_t y, rni_vec paper)
{
    const rni_canvas *canvas = s->canvas;
    const rni_box *d = &canvas->domain;
    float px = ray.origin.x;
    float py = ray.origin.y;
    bool is_inside = px >= d->low.x && px <= d->high.x && py >= d->low.y && py <= d->high.y;
    if (!canvas->has_domain || !is_inside) return paper;
    float distance = INFINITY;
    for (uint32_t w = 0; w < canvas->wall_count; w++)
        distance = fminf(distance, rni_wall_distance_flat(&canvas->walls[w], px, py));
    rni_vec place = {px, py, -canvas->picture->radius};
    rni_vec light = rni_light_at(canvas, x, y, place, (rni_vec){0, 0, 1});
    float shade_part = 0.75f + 0.25f * light.x;
    if (distance >= 0) return rni_scale(paper, s->tones.floor_tint * shade_part);
    float rim = 3 / canvas->camera.scale;
    bool is_glass = canvas->picture->walls == RNI_WALLS_GLASS;
    rni_vec body = is_glass ? rni_vec_mix(paper, s->tones.glass, 0.35f) : s->tones.wall;
    return rni_scale(-distance < rim ? s->tones.cut : body, shade_part);
}

/* Opacity of a glass surface: low when seen face on, high along its edges. */
static float skin(rni_vec normal, rni_vec direction, bool is_hollow)
{
    float slant = 1 - fabsf(rni_dot(normal, rni_unit(direction)));
    slant *= slant;
    return (is_hollow ? 0.03f : 0.10f) + 0.45f * slant * slant;
}

static rni_vec lay_glass(const shade *s, rni_ray ray, uint32_t x, uint32_t y, rni_vec color)
{
    const rni_canvas *canvas = s->canvas;
    float depth = canvas->depth[(size_t)y * canvas->camera.width + x];
    float near_depth = canvas->camera.near_depth;
    float clear = 1;
    for (uint32_t w = 0; w < canvas->wall_count; w++) {
        const rni_wall *wall = &canvas->walls[w];
        rni_rect rect = canvas->wall_seen[2 * (size_t)w];
        rni_span span;
        if (!wall->is_glass && !wall->solid.is_hollow) continue;
        if (x < rect.x0 || x >= rect.x1 || y < rect.y0 || y >= rect.y1) continue;
        if (!rni_wall_span(canvas, wall, ray, &span)) continue;
        bool has_near = !(wall->solid.is_hollow && span.near_is_cut);
        bool has_far = wall->is_glass && !span.far_is_cut;
        if (has_near && span.near > near_depth && span.near < depth)
            clear *= 1 - skin(rni_vec_of(span.near_normal), ray.direction, wall->solid.is_hollow);
        if (has_far && span.far > near_depth && span.far < depth)
            clear *=
                1 - 0.5f * skin(rni_vec_of(span.far_normal), ray.direction, wall->solid.is_hollow);
    }
    return rni_vec_mix(s->tones.glass, color, clear);
}

static rni_vec shade_sample(const shade *s, uint32_t x, uint32_t y)
{
    const rni_canvas *canvas = s->canvas;
    const rni_view *view = &canvas->camera;
    uint32_t surface = canvas->surface[(size_t)y * view->width + x];
    rni_vec color = rni_tones_paper(&s->tones, ((float)y + 0.5f) / (float)view->height);
    rni_ray ray = rni_view_ray(view, (float)x + 0.5f, (float)y + 0.5f);
    if (surface & RNI_SURFACE_PARTICLE)
        color = shade_particle(s, surface & ~RNI_SURFACE_PARTICLE, ray, x, y);
    else if (surface >= RNI_SURFACE_WALL)
        color = shade_wall(s, &canvas->walls[surface - RNI_SURFACE_WALL], ray, x, y, color);
    else if (surface >= RNI_SURFACE_SIDE) color = shade_side(s, ray, x, y, color);
    else if (surface == RNI_SURFACE_FLOOR) color = shade_floor(s, ray, x, y, color);
    else if (surface == RNI_SURFACE_FLAT) color = shade_flat(s, ray, x, y, color);
    return canvas->picture->frame.dim == 3 ? lay_glass(s, ray, x, y, color) : color;
}

static void shade_row(void *data, uint32_t row, uint32_t worker)
{
    (void)worker;
    const shade *s = data;
    const rni_picture *p = s->canvas->picture;
    for (uint32_t column = 0; column < p->width; column++) {
        rni_vec sum = {0, 0, 0};
        for (uint32_t k = 0; k < RNI_SAMPLES_PER_SIDE * RNI_SAMPLES_PER_SIDE; k++) {
            rni_vec c = shade_sample(s, column * 2 + k % 2, row * 2 + k / 2);
            /* Clamped before averaging: a highlight brighter than white must not wash out its neighbours. */
            c = (rni_vec){fminf(c.x, 1), fminf(c.y, 1), fminf(c.z, 1)};
            sum = rni_add(sum, c);
        }
        s->canvas->image[(size_t)row * p->width + column] = rni_scale(sum, 0.25f);
    }
}

void rni_shade(rni_canvas *canvas)
{
    shade s = {.canvas = canvas, .tones = rni_tones_of(canvas->picture->background)};
    rni_crew_pieces(canvas->crew, canvas->picture->height, shade_row, &s);
}
