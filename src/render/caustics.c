/* Caustics: the light of the sun that water throws on walls and ground, by photons (Jensen 1996).
 *
 * Photons start on a grid across the rays of the sun, wherever these can meet water, are refracted at every surface
 * of water, lose what water and sheets of glass absorb and reflect, and stay on the first diffuse surface. Light at
 * a place is that of the photons within a radius, over the area of the disc. Photons that meet no water are left out:
 * rays to the sun find their light.
 *
 * The grid is that of the world, with a jitter that depends on the cell alone, so that caustics of a film
 * do not flicker; photons are sorted by cell and number, so that sums do not depend on threads. */
#include "render/stage.h"

#include "base/pi.h"

#include <string.h>

#define PHOTONS_MAX 600000u
#define PHOTONS_MIN 40000u
/* Pixels and samples to one photon. */
#define RAYS_PER_PHOTON 5u
#define RADIUS          2.4f /* of the disc, in sides of the grid */
#define WIDEST          4.0f /* the same where the disc is as wide as particles need */
/* In spacings: radius of the disc at least. Finer patterns are those of bumps of particles, not of waves. */
#define BUMPS 0.4f
#define SUN_BLUR \
    0.010f /* rad: nearer to the sun's own disc than that of the shadows, so that lines stay sharp */
#define SURFACES_MAX 14u
#define FLUX_LEAST   0.01f /* share of its light below which a photon ends */
#define FACING       0.6f  /* cosine between the surface of a photon and that of the place */
#define PIECE        2048u

struct rni_photon {
    rni_vec place, face,
        flux; /* flux: W for a relative sun; zero: the photon met no water or nothing at all */
};

typedef struct job {
    const rni_stage *stage;
    rni_photon *photon;
    rni_vec across, up; /* the grid's axes */
    int32_t first[2];   /* its lowest cell */
    uint32_t side[2], count;
    float step;         /* m: between rays */
    float plane, start; /* m: of the grid and of the origins along the direction to the sun */
} job;

bool rni_caustics_reach(const rni_surface_at *at)
{
    return at->material->name != rni_foam_name &&
           (at->material->kind == RNI_FINISH_DIFFUSE || at->material->kind == RNI_FINISH_PLASTIC);
}

/* --- photons -------------------------------------------------------------------------------------------- */

/* Through a surface of water, or back at it. */
static void cross_water(const rni_stage *stage, const rni_surface_at *at, rni_ray *ray,
                        rni_vec *flux, bool *is_inside)
{
    rni_vec onward;
    const float ratio = at->is_inside ? RNI_WATER_INDEX : 1 / RNI_WATER_INDEX;
    *is_inside = at->is_inside;
    if (!rni_refract(ray->direction, at->normal, ratio, &onward)) {
        *ray = rni_stage_leave(stage, at, rni_reflect(ray->direction, at->normal));
        return;
    }
    *flux = rni_scale(*flux, 1 - rni_water_share(stage, ray->direction, at));
    *ray = rni_stage_leave(stage, at, onward);
    *is_inside = !at->is_inside;
}

static rni_photon shoot(const rni_stage *stage, rni_ray ray, rni_vec flux)
{
    const float least = FLUX_LEAST * flux.y;
    bool has_met_water = false, is_inside = false;
    rni_surface_at at;
    for (uint32_t k = 0; k < SURFACES_MAX && flux.y > least; k++) {
        if (!rni_stage_meet(stage, ray, INFINITY, &at)) break;
        const rni_finish_kind kind = at.material->kind;
        if (kind == RNI_FINISH_WATER) is_inside = at.is_inside;
        if (is_inside) flux = rni_times(flux, rni_absorb(stage->absorption, at.distance));
        if (kind == RNI_FINISH_WATER) {
            has_met_water = true;
            cross_water(stage, &at, &ray, &flux, &is_inside);
        } else if (kind == RNI_FINISH_SHEET) {
            const float open = (1 - at.material->opacity) * (1 - rni_sheet_share(ray.direction, &at));
            flux = rni_times(flux, rni_scale(at.material->color, open));
            ray = rni_stage_leave(stage, &at, ray.direction);
        } else {
            if (!has_met_water || !rni_caustics_reach(&at)) break;
            return (rni_photon){at.place, at.face, flux};
        }
    }
    return (rni_photon){.flux = {0, 0, 0}};
}

static void shoot_piece(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const job *j = data;
    const rni_stage *stage = j->stage;
    const rni_vec flux = rni_scale(RNI_SUN_POWER, j->step * j->step);
    const uint32_t end = (piece + 1) * PIECE < j->count ? (piece + 1) * PIECE : j->count;
    for (uint32_t i = piece * PIECE; i < end; i++) {
        const int32_t x = j->first[0] + (int32_t)(i % j->side[0]);
        const int32_t y = j->first[1] + (int32_t)(i / j->side[0]);
        rni_dice dice = {.pixel = (uint32_t)x * 0x9e3779b1u ^ (uint32_t)y * 0x85ebca6bu};
        const float u = ((float)x + rni_dice_roll(&dice)) * j->step;
        const float v = ((float)y + rni_dice_roll(&dice)) * j->step;
        rni_vec from = rni_along(rni_scale(j->across, u), j->up, v);
        /* Blurred directions meet in the grid, which is near the water: photons there are as even as its cells. */
        from = rni_along(from, stage->sun, j->plane);
        const rni_vec sun = rni_dice_around(&dice, stage->sun, SUN_BLUR);
        from = rni_along(from, sun, j->start - j->plane);
        j->photon[i] = shoot(stage, (rni_ray){from, rni_scale(sun, -1)}, flux);
    }
}

/* --- the grid ------------------------------------------------------------------------------------------- */

/* Extent of a box along an axis. */
static void extent(rni_box box, rni_vec axis, float *low, float *high)
{
    *low = INFINITY, *high = -INFINITY;
    for (uint32_t k = 0; k < 8; k++) {
        const rni_vec corner = {k & 1 ? box.high.x : box.low.x, k & 2 ? box.high.y : box.low.y,
                                k & 4 ? box.high.z : box.low.z};
        const float at = rni_dot(corner, axis);
        *low = fminf(*low, at), *high = fmaxf(*high, at);
    }
}

/* The share of the picture that is water is not known; photons are as many as pixels need at most. */
static float photons_wanted(const rni_shot *shot)
{
    const double rays = (double)shot->picture.width * shot->picture.height * shot->samples;
    return (float)fmin(fmax(rays / RAYS_PER_PHOTON, PHOTONS_MIN), PHOTONS_MAX);
}

static bool lay_grid(job *j)
{
    const rni_stage *stage = j->stage;
    const rni_canvas *canvas = &stage->canvas;
    float low[2], high[2], scene_low, scene_high, area = 1, bottom;
    j->across = rni_unit(rni_cross((rni_vec){0, 1, 0}, stage->sun));
    j->up = rni_cross(stage->sun, j->across);
    const rni_vec axis[2] = {j->across, j->up};
    for (uint32_t k = 0; k < 2; k++) {
        extent(canvas->scene, axis[k], &scene_low, &scene_high);
        extent(canvas->water, axis[k], &low[k], &high[k]);
        area *= scene_high - scene_low;
    }
    extent(canvas->water, stage->sun, &bottom, &j->start);
    j->plane = 0.5f * (bottom + j->start);
    extent(canvas->scene, stage->sun, &scene_low, &scene_high);
    j->start = fmaxf(j->start, scene_high) + stage->size;
    const float wanted = photons_wanted(stage->shot);
    const float own = (high[0] - low[0]) * (high[1] - low[1]);
    j->step = sqrtf(fmaxf(area, 0.5f * own) / wanted);
    j->step = fmaxf(j->step, BUMPS * stage->shot->picture.frame.spacing / WIDEST);
    if (!(j->step > 0) || !isfinite(j->step)) return false;
    for (uint32_t k = 0; k < 2; k++) {
        const float first = floorf(low[k] / j->step) - 1, last = floorf(high[k] / j->step) + 1;
        if (!(fabsf(first) < 1e9f && last - first < 16384)) return false;
        j->first[k] = (int32_t)first;
        j->side[k] = (uint32_t)(last - first) + 1;
    }
    j->count = j->side[0] * j->side[1];
    return true;
}

/* --- photons by place ----------------------------------------------------------------------------------- */

static uint32_t bucket_of(const rni_caustics *c, const int32_t cell[3])
{
    uint32_t h = (uint32_t)cell[0] * 0x9e3779b1u ^ (uint32_t)cell[1] * 0x85ebca6bu ^
                 (uint32_t)cell[2] * 0xc2b2ae35u;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    return (h ^ h >> 13) & c->mask;
}

/* Cells are as wide as two radii, so that a disc lies in at most two along each axis. */
static void cell_of(const rni_caustics *c, rni_vec place, float shift, int32_t cell[3])
{
    const float each = 0.5f / c->radius;
    cell[0] = (int32_t)floorf((place.x + shift) * each);
    cell[1] = (int32_t)floorf((place.y + shift) * each);
    cell[2] = (int32_t)floorf((place.z + shift) * each);
}

static rn_result sort_photons(rni_studio *studio, rni_caustics *c, uint32_t all)
{
    const rni_photon *from = studio->photons.data;
    uint32_t kept = 0, buckets = 1024;
    for (uint32_t i = 0; i < all; i++) kept += from[i].flux.y > 0;
    while (buckets < kept / 4) buckets *= 2;
    rn_result result = rni_buffer_need(&studio->memory, &studio->photons_sorted, (uint64_t)kept + 1,
                                       sizeof(rni_photon));
    if (result == RN_OK)
        result = rni_buffer_need(&studio->memory, &studio->photon_starts, (uint64_t)buckets + 2,
                                 sizeof(uint32_t));
    if (result != RN_OK) return result;
    rni_photon *to = studio->photons_sorted.data;
    uint32_t *start = studio->photon_starts.data;
    int32_t cell[3];
    c->mask = buckets - 1;
    memset(start, 0, (buckets + (size_t)2) * sizeof *start);
    for (uint32_t i = 0; i < all; i++) {
        if (!(from[i].flux.y > 0)) continue;
        cell_of(c, from[i].place, 0, cell);
        start[bucket_of(c, cell) + 2]++;
    }
    for (uint32_t k = 2; k < buckets + 2; k++) start[k] += start[k - 1];
    for (uint32_t i = 0; i < all; i++) {
        if (!(from[i].flux.y > 0)) continue;
        cell_of(c, from[i].place, 0, cell);
        to[start[bucket_of(c, cell) + 1]++] = from[i];
    }
    c->photon = to;
    c->start = start;
    c->count = kept;
    return RN_OK;
}

rn_result rni_caustics_prepare(rni_stage *stage)
{
    rni_studio *studio = stage->studio;
    job j = {.stage = stage};
    stage->caustics = (rni_caustics){.is_on = false};
    if (stage->drawn_water == 0 || !lay_grid(&j)) return RN_OK;
    rn_result result =
        rni_buffer_need(&studio->memory, &studio->photons, j.count, sizeof(rni_photon));
    if (result != RN_OK) return result;
    j.photon = studio->photons.data;
    rni_crew_pieces(studio->crew, rni_piece_count(j.count, PIECE), shoot_piece, &j);
    stage->caustics.radius = fmaxf(RADIUS * j.step, BUMPS * stage->shot->picture.frame.spacing);
    result = sort_photons(studio, &stage->caustics, j.count);
    stage->caustics.is_on = result == RN_OK;
    return result;
}

/* --- light at a place ----------------------------------------------------------------------------------- */

static rni_vec sum_bucket(const rni_caustics *c, uint32_t bucket, const rni_surface_at *at)
{
    const float each = 1 / (c->radius * c->radius);
    rni_vec sum = {0, 0, 0};
    for (uint32_t i = c->start[bucket]; i < c->start[bucket + 1]; i++) {
        const rni_photon *p = &c->photon[i];
        const rni_vec to = rni_sub(p->place, at->place);
        const float weight = 1 - rni_dot(to, to) * each;
        if (weight > 0 && rni_dot(p->face, at->face) > FACING)
            sum = rni_along(sum, p->flux, weight);
    }
    return sum;
}

rni_vec rni_caustics_at(const rni_stage *stage, const rni_surface_at *at)
{
    const rni_caustics *c = &stage->caustics;
    uint32_t bucket[8], count = 0;
    int32_t low[3], high[3];
    rni_vec sum = {0, 0, 0};
    cell_of(c, at->place, -c->radius, low);
    cell_of(c, at->place, c->radius, high);
    for (uint32_t k = 0; k < 8; k++) {
        const int32_t cell[3] = {k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1],
                                 k & 4 ? high[2] : low[2]};
        const uint32_t own = bucket_of(c, cell);
        bool is_new = true;
        for (uint32_t m = 0; m < count; m++) is_new = is_new && bucket[m] != own;
        if (!is_new) continue;
        bucket[count++] = own;
        sum = rni_add(sum, sum_bucket(c, own, at));
    }
    /* The integral of the weight over the disc is half its area. */
    return rni_scale(sum, 2 / ((float)RNI_PI * c->radius * c->radius));
}
