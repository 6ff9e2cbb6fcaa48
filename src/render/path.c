/* Light along rays: the path tracer of the look `water`.
 *
 * A ray of the camera that meets water is split once, into the refracted and the reflected ray. At later
 * surfaces, a ray from the air is refracted, and of the mirrored light only the sky is looked up; a ray
 * within the water is refracted or mirrored, by chance, as often as the light is. At diffuse
 * surfaces, one ray goes to the sun and one into a random direction, whose light is taken as that of
 * a single reflection. The rest, which is dark, is a constant share of the sky.
 *
 * The sun's light that comes through water is that of photons (caustics.c). Sheets, foam, and stages without
 * photons take it through the place of the surface where level water would refract it; it counts by how well the
 * water there refracts it towards that place.
 */
#include "render/stage.h"

#include "base/pi.h"

#define DEPTH_MAX 10u
/* Surfaces behind which the disc of the sun is not seen: few rays find it there, which would be specks. */
#define SUN_DEPTH 3u
/* Share of light that is reflected within the water, below which it is left out. */
#define MIRRORED_LEAST 0.12f
/* Share of light below which a path ends. */
#define SHARE_MIN 0.004f
/* Caustics: what comes through however the water is inclined, the rest, and how narrow that is. */
#define CAUSTIC_BASE  0.25f
#define CAUSTIC_REST  0.70f
#define CAUSTIC_SHARP 26.0f
/* Colour of a diffuse surface under water: less light leaves it, since the indices differ less. */
#define WET 0.82f
/* Share of the sky's light that reaches a place for which no ray is spent. */
#define DIM 0.45f

typedef struct branch {
    rni_ray ray;
    rni_vec share; /* of the pixel's light */
    bool is_inside;
    bool is_minor;  /* a weak reflection: fewer rays */
    bool is_chance; /* mirrored by chance: the sun, which few such rays meet, would be a speck */
    uint32_t depth;
} branch;

typedef struct path {
    const rni_stage *stage;
    rni_dice dice;
    rni_vec light;
    branch waiting;
    bool is_waiting;
    rni_vec albedo; /* of the first diffuse surface */
    rni_guide guide;
    bool has_albedo, has_guide, met_water;
} path;

static float greatest(rni_vec a)
{
    return fmaxf(a.x, fmaxf(a.y, a.z));
}

static void add_light(path *p, rni_vec share, rni_vec light)
{
    p->light = rni_add(p->light, rni_times(share, light));
}

static bool meet(path *p, rni_ray ray, rni_surface_at *at)
{
    bool is_hit = rni_stage_meet(p->stage, ray, INFINITY, at);
    if (!is_hit) return false;
    const rni_finish *material = at->material;
    if (material->kind == RNI_FINISH_WATER || material->name == rni_foam_name ||
        material->name == rni_cloudy_name)
        p->met_water = true;
    return true;
}

float rni_water_share(const rni_stage *stage, rni_vec direction, const rni_surface_at *at)
{
    float cosine = rni_clamp(-rni_dot(direction, at->normal), 0, 1);
    return rni_fresnel_share(stage->shot->fresnel, cosine,
                             at->is_inside ? RNI_WATER_INDEX : 1 / RNI_WATER_INDEX);
}

/* A thin sheet reflects at both of its faces. */
float rni_sheet_share(rni_vec direction, const rni_surface_at *at)
{
    float once = rni_fresnel_share(RNI_FRESNEL_EXACT, -rni_dot(direction, at->normal),
                                   1 / at->material->index);
    return 2 * once / (1 + once);
}

/* --- the sun ------------------------------------------------------------------------------------------- */

/* What is left of light from the sky in this direction; sheets are passed straight, water too unless it hides
 * the light: then photons bring it. */
static rni_vec pass(path *p, rni_ray ray, bool does_water_hide)
{
    const rni_stage *stage = p->stage;
    rni_vec left = {1, 1, 1};
    rni_surface_at at;
    for (uint32_t k = 0; k < 8; k++) {
        if (!meet(p, ray, &at)) return left;
        if (at.material->kind == RNI_FINISH_SHEET) {
            float open = (1 - at.material->opacity) * (1 - rni_sheet_share(ray.direction, &at));
            left = rni_times(left, rni_scale(at.material->color, open));
        } else if (at.material->kind == RNI_FINISH_WATER && !does_water_hide) {
            if (at.is_inside) left = rni_times(left, rni_absorb(stage->absorption, at.distance));
            left = rni_scale(left, 1 - rni_water_share(stage, ray.direction, &at));
        } else {
            break;
        }
        if (greatest(left) < SHARE_MIN) break;
        ray = rni_stage_leave(stage, &at, ray.direction);
    }
    return (rni_vec){0, 0, 0};
}

/* The sun through the surface of the water that a place lies in. */
static rni_vec pass_surface(path *p, rni_ray ray, rni_vec sun)
{
    const rni_stage *stage = p->stage;
    rni_surface_at at;
    rni_vec out;
    if (!meet(p, ray, &at)) return (rni_vec){1, 1, 1};
    if (at.material->kind != RNI_FINISH_WATER) return (rni_vec){0, 0, 0};
    rni_vec left = rni_absorb(stage->absorption, at.distance);
    float focus = 0;
    if (rni_refract(ray.direction, at.normal, RNI_WATER_INDEX, &out))
        focus = expf(-CAUSTIC_SHARP * fmaxf(0, 1 - rni_dot(out, sun)));
    left = rni_scale(left, CAUSTIC_BASE + CAUSTIC_REST * focus);
    return rni_times(left, pass(p, rni_stage_leave(stage, &at, sun), false));
}

/* Radiance of a white diffuse surface in the sun, where photons bring what comes through water. */
static rni_vec sun_and_photons(path *p, const rni_surface_at *at, rni_vec normal, bool is_inside)
{
    const rni_stage *stage = p->stage;
    rni_vec light = rni_scale(rni_caustics_at(stage, at), 1 / (float)RNI_PI);
    if (light.y > 0) p->met_water = true;
    if (is_inside) return light;
    rni_vec sun = rni_dice_around(&p->dice, stage->sun, RNI_SUN_RADIUS);
    float cosine = rni_dot(normal, sun);
    if (cosine <= 0 || rni_dot(at->face, sun) <= 0) return light;
    rni_vec left = pass(p, rni_stage_leave(stage, at, sun), true);
    return rni_add(light, rni_scale(rni_times(left, RNI_SUN_POWER), cosine / (float)RNI_PI));
}

/* The same for all surfaces. */
static rni_vec sun_on(path *p, const rni_surface_at *at, rni_vec normal, bool is_inside)
{
    const rni_stage *stage = p->stage;
    if (stage->caustics.is_on && rni_caustics_reach(at))
        return sun_and_photons(p, at, normal, is_inside);
    rni_vec sun = rni_dice_around(&p->dice, stage->sun, RNI_SUN_RADIUS);
    rni_vec toward = sun;
    if (is_inside) {
        rni_vec down;
        (void)rni_refract(rni_scale(sun, -1), (rni_vec){0, 1, 0}, 1 / RNI_WATER_INDEX, &down);
        toward = rni_scale(down, -1);
    }
    float cosine = rni_dot(normal, toward);
    if (cosine <= 0 || rni_dot(at->face, toward) <= 0) return (rni_vec){0, 0, 0};
    rni_ray ray = rni_stage_leave(stage, at, toward);
    rni_vec left = is_inside ? pass_surface(p, ray, sun) : pass(p, ray, false);
    return rni_scale(rni_times(left, RNI_SUN_POWER), cosine / (float)RNI_PI);
}

/* --- the surroundings ----------------------------------------------------------------------------------- */

/* Light that a ray within the water finds at the end of it, refracted into the air. */
static rni_vec through_surface(const rni_stage *stage, rni_vec direction, const rni_surface_at *at)
{
    rni_vec out;
    rni_vec left = rni_absorb(stage->absorption, at->distance);
    if (!rni_refract(direction, at->normal, RNI_WATER_INDEX, &out))
        return rni_times(left, rni_scale(RNI_SKY_MEAN, DIM));
    return rni_times(left, rni_sky_soft(stage, out));
}

/* Light from the surroundings on a white diffuse surface: one ray. *is_open: it ended in the sky. */
static rni_vec sky_on(path *p, const rni_surface_at *at, bool is_inside, bool *is_open)
{
    const rni_stage *stage = p->stage;
    rni_surface_at other;
    rni_vec direction = rni_dice_cosine(&p->dice, at->normal);
    *is_open = false;
    if (rni_dot(direction, at->face) <= 0) return rni_scale(RNI_SKY_MEAN, DIM);
    rni_ray ray = rni_stage_leave(stage, at, direction);
    if (!meet(p, ray, &other)) {
        *is_open = true;
        return rni_sky_soft(stage, direction);
    }
    if (other.material->kind == RNI_FINISH_WATER) {
        if (is_inside) return through_surface(stage, direction, &other);
        rni_vec deep = rni_absorb(stage->absorption, 0.15f * stage->size);
        return rni_scale(rni_times(RNI_SKY_MEAN, deep), 0.85f);
    }
    if (other.material->kind == RNI_FINISH_SHEET)
        return rni_times(other.material->color, rni_sky_soft(stage, direction));
    rni_vec light = rni_scale(RNI_SKY_MEAN, DIM);
    light = rni_add(light, sun_on(p, &other, other.normal, is_inside));
    light = rni_times(light, other.color);
    return is_inside ? rni_times(light, rni_absorb(stage->absorption, other.distance)) : light;
}

/* --- surfaces ------------------------------------------------------------------------------------------- */

/* Wet walls are darker, and shine. */
static float coat_index(const rni_surface_at *at)
{
    if (at->value > 0.02f) return rni_mix(1.1f, RNI_WATER_INDEX, rni_clamp(at->value, 0, 1));
    return at->material->kind == RNI_FINISH_PLASTIC ? at->material->index : 0;
}

static rni_vec shade(path *p, const branch *b, const rni_surface_at *at)
{
    rni_vec color = at->color;
    if (at->value > 0) color = rni_scale(color, 1 - 0.4f * rni_clamp(at->value, 0, 1));
    if (b->is_inside) color = rni_scale(color, WET);
    bool is_open = true;
    if (!p->has_albedo) p->albedo = color;
    p->has_albedo = true;
    /* The sun first: how often the dice are rolled for the sky depends on what its ray meets, and the samples of a
     * pixel are spread evenly over the sun only by the same rolls. */
    rni_vec light = sun_on(p, at, at->normal, b->is_inside);
    light = rni_add(light, b->is_minor ? rni_scale(RNI_SKY_MEAN, 0.7f)
                                       : sky_on(p, at, b->is_inside, &is_open));
    light = rni_times(light, color);
    float index = b->is_inside ? 0 : coat_index(at);
    if (index <= 1) return light;
    float cosine = rni_clamp(-rni_dot(b->ray.direction, at->normal), 0, 1);
    float coat = rni_fresnel_share(RNI_FRESNEL_SCHLICK, cosine, 1 / index);
    rni_vec mirrored = rni_reflect(b->ray.direction, at->normal);
    rni_vec above = is_open ? rni_sky(p->stage, mirrored, false) : rni_scale(RNI_SKY_MEAN, DIM);
    return rni_vec_mix(light, above, coat);
}

/* A ray within the water: whether it is mirrored. A single sample takes the stronger way: no noise in films. Where
 * few rays would be, none is: they would be specks. */
static bool is_mirrored(path *p, float share)
{
    if (share < MIRRORED_LEAST) return false;
    return share > (p->stage->shot->samples > 1 ? rni_dice_roll(&p->dice) : 0.5f);
}

/* Continues the branch; the first time, the mirrored one waits. */
static void meet_water(path *p, branch *b, const rni_surface_at *at)
{
    const rni_stage *stage = p->stage;
    rni_vec refracted;
    rni_vec mirrored = rni_reflect(b->ray.direction, at->normal);
    float share = rni_water_share(stage, b->ray.direction, at);
    bool goes_on = rni_refract(b->ray.direction, at->normal,
                               at->is_inside ? RNI_WATER_INDEX : 1 / RNI_WATER_INDEX, &refracted);
    if (!goes_on || (b->depth > 0 && at->is_inside && is_mirrored(p, share))) {
        b->is_chance = b->is_chance || goes_on;
        b->ray = rni_stage_leave(stage, at, mirrored);
        b->is_inside = at->is_inside;
        return;
    }
    if (b->depth == 0) {
        p->waiting = (branch){.ray = rni_stage_leave(stage, at, mirrored),
                              .share = rni_scale(b->share, share),
                              .is_inside = at->is_inside,
                              .is_minor = share < 0.3f,
                              .depth = 1};
        p->is_waiting = share > 2 * SHARE_MIN;
    } else if (!at->is_inside) {
        add_light(p, rni_scale(b->share, share), rni_sky(stage, mirrored, b->depth < SUN_DEPTH));
    }
    if (b->depth == 0 || !at->is_inside) b->share = rni_scale(b->share, 1 - share);
    b->ray = rni_stage_leave(stage, at, refracted);
    b->is_inside = !at->is_inside;
}

/* Part of the light is reflected, part taken, the rest goes straight on. */
static void meet_sheet(path *p, branch *b, const rni_surface_at *at)
{
    float share = rni_sheet_share(b->ray.direction, at);
    rni_vec mirrored = rni_reflect(b->ray.direction, at->normal);
    if (!b->is_inside)
        add_light(p, rni_scale(b->share, share), rni_sky(p->stage, mirrored, b->depth == 0));
    b->share = rni_scale(b->share, 1 - share);
    float taken = at->material->opacity;
    if (taken > 0) add_light(p, rni_scale(b->share, taken), shade(p, b, at));
    b->share = rni_scale(rni_times(b->share, at->material->color), 1 - taken);
    b->ray = rni_stage_leave(p->stage, at, b->ray.direction);
}

static void follow(path *p, branch b)
{
    const rni_stage *stage = p->stage;
    rni_surface_at at;
    for (; b.depth < DEPTH_MAX; b.depth++) {
        bool is_hit = meet(p, b.ray, &at);
        if (!is_hit) {
            add_light(p, b.share,
                      rni_sky(stage, b.ray.direction, b.depth < SUN_DEPTH && !b.is_chance));
            return;
        }
        if (at.material->kind == RNI_FINISH_WATER) b.is_inside = at.is_inside;
        if (b.is_inside) b.share = rni_times(b.share, rni_absorb(stage->absorption, at.distance));
        if (greatest(b.share) < SHARE_MIN) return;
        if (!p->has_guide && at.material->kind != RNI_FINISH_SHEET) {
            p->guide = (rni_guide){at.normal, at.distance};
            p->has_guide = true;
        }
        if (at.material->kind == RNI_FINISH_WATER) {
            meet_water(p, &b, &at);
        } else if (at.material->kind == RNI_FINISH_SHEET) {
            uint32_t depth = b.depth;
            meet_sheet(p, &b, &at);
            if (depth == 0) b.depth--; /* what is behind glass is split as if it were not */
        } else {
            add_light(p, b.share, rni_stage_fade(stage, b.ray.direction, &at, shade(p, &b, &at)));
            return;
        }
    }
    add_light(p, b.share, rni_scale(RNI_SKY_MEAN, DIM));
}

void rni_path_sample(const rni_stage *stage, rni_ray ray, rni_dice dice, rni_sample *sample)
{
    path p = {.stage = stage, .dice = dice};
    follow(&p, (branch){.ray = ray, .share = {1, 1, 1}});
    if (p.is_waiting) follow(&p, p.waiting);
    *sample = (rni_sample){.light = p.light,
                           .albedo = p.has_albedo ? p.albedo : (rni_vec){1, 1, 1},
                           .guide = p.guide,
                           .met_water = p.met_water};
}
