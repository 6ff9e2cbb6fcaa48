/* The look `surfels`: points on the surface as discs (Grahn 2008, section 6.2.1), shaded afterwards.
 *
 * Walls and ground are traced first. Then discs: a pass for the nearest depth of each pixel, and one that
 * adds the normals of all discs near that depth, weighted by the distance from their centres. Last, every
 * pixel with a normal is shaded once: the sky it mirrors, and the colour behind it, shifted as water would shift it. */
#include "render/stage.h"

#include <string.h>

#define BAND 16u /* rows that one piece draws */
/* Of the radius of the discs that just cover the surface: what wider discs add is in the mean anyway. */
#define WIDER 1.35f
/* Of the size of the scene: water that is not seen to be deep has at least this colour, so that its foot does not
 * fade where it stands on the ground. */
#define DEEP_LEAST 0.10f

/* A disc seen by the camera. */
typedef struct splat {
    rni_vec place, normal;
    int32_t x0, x1, y0, y1; /* pixels that it can cover, x1 and y1 excluded */
} splat;

/* What the discs leave in a pixel. */
typedef struct cover {
    float depth; /* along forward */
    rni_vec normal;
    float weight;
} cover;

typedef struct job {
    const rni_stage *stage;
    const rn_surfel_set *set;
    splat *splats;
    cover *covers;
    uint32_t width, height;
} job;

static void place_splat(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const job *j = data;
    const rni_view *view = &j->stage->canvas.camera;
    uint32_t end = (piece + 1) * 1024 < j->set->count ? (piece + 1) * 1024 : j->set->count;
    float per_pixel = 1 / (float)RNI_SAMPLES_PER_SIDE;
    for (uint32_t k = piece * 1024; k < end; k++) {
        splat *s = &j->splats[k];
        *s = (splat){rni_vec_of(j->set->position + 3 * (size_t)k),
                     rni_vec_of(j->set->normal + 3 * (size_t)k),
                     0,
                     0,
                     0,
                     0};
        rni_vec at = rni_view_place(view, s->place);
        if (at.z < view->near_depth || rni_dot(s->normal, rni_sub(view->origin, s->place)) <= 0)
            continue;
        float scale = view->scale / at.z;
        float x = (view->middle_x + at.x * scale) * per_pixel;
        float y = (view->middle_y - at.y * scale) * per_pixel;
        float reach = j->set->radius * scale * per_pixel * 1.1f + 1;
        s->x0 = (int32_t)rni_clamp(floorf(x - reach), 0, (float)j->width);
        s->x1 = (int32_t)rni_clamp(ceilf(x + reach), 0, (float)j->width);
        s->y0 = (int32_t)rni_clamp(floorf(y - reach), 0, (float)j->height);
        s->y1 = (int32_t)rni_clamp(ceilf(y + reach), 0, (float)j->height);
    }
}

/* Where the ray of a pixel meets the disc: its depth, and the square of the distance from the centre in radii. */
static bool meet(const job *j, const splat *s, int32_t x, int32_t y, float *depth, float *from_sq)
{
    const rni_view *view = &j->stage->canvas.camera;
    float side = (float)RNI_SAMPLES_PER_SIDE;
    rni_ray ray = rni_view_ray(view, ((float)x + 0.5f) * side, ((float)y + 0.5f) * side);
    float slope = rni_dot(ray.direction, s->normal);
    if (slope > -1e-4f) return false;
    *depth = rni_dot(rni_sub(s->place, ray.origin), s->normal) / slope;
    rni_vec from = rni_sub(rni_along(ray.origin, ray.direction, *depth), s->place);
    *from_sq = rni_dot(from, from) / (j->set->radius * j->set->radius);
    return *from_sq <= 1 && *depth > 0;
}

static void draw_splat(const job *j, const splat *s, int32_t low, int32_t high, bool is_first)
{
    float depth, from_sq;
    for (int32_t y = s->y0 > low ? s->y0 : low; y < s->y1 && y < high; y++)
        for (int32_t x = s->x0; x < s->x1; x++) {
            cover *c = &j->covers[(size_t)y * j->width + (size_t)x];
            if (!meet(j, s, x, y, &depth, &from_sq)) continue;
            if (is_first) {
                c->depth = fminf(c->depth, depth);
            } else if (depth < c->depth + 2 * j->set->radius) {
                float weight = (1 - from_sq) * (1 - from_sq) + 1e-4f;
                c->normal = rni_along(c->normal, s->normal, weight);
                c->weight += weight;
            }
        }
}

/* Discs in their order, so that sums do not depend on threads. */
static void draw_band(void *data, uint32_t band, uint32_t worker)
{
    (void)worker;
    const job *j = data;
    int32_t low = (int32_t)(band * BAND), high = low + (int32_t)BAND;
    if (high > (int32_t)j->height) high = (int32_t)j->height;
    for (size_t k = (size_t)low * j->width; k < (size_t)high * j->width; k++)
        j->covers[k] = (cover){.depth = RNI_DEPTH_FAR};
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t k = 0; k < j->set->count; k++) {
            const splat *s = &j->splats[k];
            if (s->y0 < high && s->y1 > low) draw_splat(j, s, low, high, pass == 0);
        }
}

/* --- deferred shading ----------------------------------------------------------------------------------- */

/* The light of walls and ground at another pixel, towards which the water bends the ray. */
static rni_vec behind(const job *j, uint32_t x, uint32_t y, rni_vec normal)
{
    const rni_view *view = &j->stage->canvas.camera;
    float shift = 0.06f * (float)j->height;
    float to_x = (float)x - shift * rni_dot(normal, view->right);
    float to_y = (float)y + shift * rni_dot(normal, view->up);
    uint32_t column = (uint32_t)rni_clamp(to_x, 0, (float)(j->width - 1));
    uint32_t row = (uint32_t)rni_clamp(to_y, 0, (float)(j->height - 1));
    return ((const rni_vec *)j->stage->studio->light_two.data)[(size_t)row * j->width + column];
}

static rni_vec shade(const job *j, uint32_t x, uint32_t y, const cover *c, float wall)
{
    const rni_stage *stage = j->stage;
    float side = (float)RNI_SAMPLES_PER_SIDE;
    rni_ray ray =
        rni_view_ray(&stage->canvas.camera, ((float)x + 0.5f) * side, ((float)y + 0.5f) * side);
    float stretch = rni_length(ray.direction);
    rni_vec toward = rni_scale(ray.direction, 1 / stretch);
    rni_vec normal = rni_unit(c->normal);
    float cosine = rni_clamp(-rni_dot(toward, normal), 0, 1);
    float share = rni_fresnel_share(stage->shot->fresnel, cosine, 1 / RNI_WATER_INDEX);
    float deep = rni_clamp(wall - c->depth * stretch, DEEP_LEAST * stage->size, 0.5f * stage->size);
    rni_vec color = rni_times(behind(j, x, y, normal), rni_absorb(stage->absorption, 1.3f * deep));
    rni_vec mirrored = rni_reflect(toward, normal);
    rni_vec light = rni_vec_mix(color, rni_sky(stage, mirrored, false), fminf(share, 0.7f));
    float shine = rni_dot(mirrored, stage->sun);
    if (shine > 0) light = rni_along(light, RNI_SUN_POWER, 0.35f * powf(shine, 160));
    return light;
}

static void shade_row(void *data, uint32_t y, uint32_t worker)
{
    (void)worker;
    const job *j = data;
    const rni_studio *studio = j->stage->studio;
    for (uint32_t x = 0; x < j->width; x++) {
        size_t pixel = (size_t)y * j->width + x;
        const cover *c = &j->covers[pixel];
        float wall = ((const rni_guide *)studio->guide.data)[pixel].distance;
        if (wall <= 0) wall = INFINITY;
        if (c->weight <= 0 || c->depth > wall) continue;
        ((rni_vec *)studio->light.data)[pixel] = shade(j, x, y, c, wall);
    }
}

static rn_result find_surfels(const rni_stage *stage, rn_surfel_set *set)
{
    rni_studio *studio = stage->studio;
    rn_surface_points points = rni_stage_points(stage);
    /* Walls have no surfels; periodic sides, which have none behind them, do. */
    memcpy(points.domain_wall, stage->shot->domain_wall, sizeof points.domain_wall);
    *set = rn_surfel_set_default();
    if (points.count == 0) return RN_OK;
    if (!studio->surfels) {
        rn_surfels_def def = rn_surfels_def_default();
        def.threads = studio->threads;
        rn_result result = rn_surfels_create(&def, &studio->surfels);
        if (result != RN_OK) return result;
    }
    return rn_surfels_build(studio->surfels, &points, set);
}

rn_result rni_look_surfels(rni_studio *studio, const rni_shot *shot, uint8_t *rgba)
{
    rni_stage stage;
    rn_surfel_set set;
    rni_shot walls = *shot;
    walls.samples = 4;
    rn_result result = rni_stage_begin(&stage, studio, &walls);
    if (result == RN_OK) result = rni_stage_commit(&stage);
    if (result == RN_OK) result = rni_pixels_sample(&stage, rni_path_sample);
    if (result == RN_OK) result = rni_denoise(&stage);
    if (result == RN_OK) result = find_surfels(&stage, &set);
    if (result != RN_OK) return result;
    uint64_t pixels = (uint64_t)shot->picture.width * shot->picture.height;
    memcpy(studio->light_two.data, studio->light.data, pixels * sizeof(rni_vec));
    set.radius *= WIDER;
    result = rni_buffer_need(&studio->memory, &studio->splats, 1,
                             pixels * sizeof(cover) + (set.count + (size_t)1) * sizeof(splat));
    if (result != RN_OK) return result;
    cover *covers = studio->splats.data;
    job j = {.stage = &stage,
             .set = &set,
             .covers = covers,
             .splats = (splat *)(void *)(covers + pixels),
             .width = shot->picture.width,
             .height = shot->picture.height};
    rni_crew_pieces(studio->crew, rni_piece_count(set.count, 1024), place_splat, &j);
    rni_crew_pieces(studio->crew, rni_piece_count(j.height, BAND), draw_band, &j);
    rni_crew_pieces(studio->crew, j.height, shade_row, &j);
    rni_tone_map(&stage, rgba);
    return RN_OK;
}
