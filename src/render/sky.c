/* The light of the sky, the ground, and the random numbers by which light is sampled. */
#include "render/stage.h"

#include "base/pi.h"

/* Distance in sizes of the scene at which the ground fades into the horizon. */
#define FADE 20.0f

const char rni_ground_name[] = "ground";

/* A value that looks random, from two whole numbers. */
static uint32_t mix(uint32_t a, uint32_t b)
{
    uint32_t h = a * 0x9e3779b1u ^ (b + 0x7f4a7c15u) * 0x85ebca6bu;
    h ^= h >> 16;
    h *= 0x7feb352du;
    h ^= h >> 15;
    h *= 0x846ca68bu;
    return h ^ h >> 16;
}

float rni_dice_roll(rni_dice *dice)
{
    /* A shift of the pixel's own, then the same step from sample to sample: by turns 1 / g and 1 / g^2 with
     * g^3 = g + 1, so that the pairs of a disc fill it evenly. */
    static const uint32_t step[2] = {0xc13fa9a9u, 0x91e10da5u};
    uint32_t start = mix(dice->pixel, dice->count);
    uint32_t value = start + dice->sample * step[dice->count++ % 2];
    return (float)(value >> 8) * (1.0f / 16777216.0f);
}

/* Two directions at right angles to n. */
static void axes_of(rni_vec n, rni_vec *u, rni_vec *v)
{
    *u = rni_unit(fabsf(n.x) > 0.7f ? (rni_vec){n.y, -n.x, 0} : (rni_vec){0, -n.z, n.y});
    *v = rni_cross(n, *u);
}

/* A place in the disc of radius 1. */
static void roll_disc(rni_dice *dice, float *x, float *y)
{
    float radius = sqrtf(rni_dice_roll(dice));
    float angle = 2 * (float)RNI_PI * rni_dice_roll(dice);
    *x = radius * cosf(angle);
    *y = radius * sinf(angle);
}

rni_vec rni_dice_around(rni_dice *dice, rni_vec axis, float radius)
{
    rni_vec u, v;
    float x, y;
    axes_of(axis, &u, &v);
    roll_disc(dice, &x, &y);
    return rni_unit(rni_along(rni_along(axis, u, radius * x), v, radius * y));
}

rni_vec rni_dice_cosine(rni_dice *dice, rni_vec n)
{
    rni_vec u, v;
    float x, y;
    axes_of(n, &u, &v);
    roll_disc(dice, &x, &y);
    float z = sqrtf(fmaxf(0, 1 - x * x - y * y));
    return rni_along(rni_along(rni_scale(n, z), u, x), v, y);
}

/* --- clouds ------------------------------------------------------------------------------------------- */

static float lattice(int32_t x, int32_t y)
{
    return (float)(mix((uint32_t)x, (uint32_t)y) >> 8) * (1.0f / 16777216.0f);
}

static float noise(float x, float y)
{
    float fx = floorf(x), fy = floorf(y);
    int32_t ix = (int32_t)fx, iy = (int32_t)fy;
    float u = x - fx, v = y - fy;
    u = u * u * (3 - 2 * u);
    v = v * v * (3 - 2 * v);
    return rni_mix(rni_mix(lattice(ix, iy), lattice(ix + 1, iy), u),
                   rni_mix(lattice(ix, iy + 1), lattice(ix + 1, iy + 1), u), v);
}

/* Thin clouds on a plane far above: they give reflections something to show. */
static float clouds(rni_vec direction)
{
    float up = fmaxf(direction.y, 0.06f);
    float x = 1.1f * direction.x / (up + 0.25f), y = 1.1f * direction.z / (up + 0.25f);
    float sum = 0, weight = 0.5f;
    for (uint32_t octave = 0; octave < 4; octave++) {
        sum += weight * noise(x + 13.7f, y + 5.1f);
        x = 2.03f * x + 7.3f, y = 2.11f * y - 3.9f;
        weight *= 0.5f;
    }
    return rni_smooth(0.47f, 0.80f, sum) * rni_smooth(0.02f, 0.30f, direction.y);
}

/* --- sky and ground ----------------------------------------------------------------------------------- */

static rni_vec horizon(void)
{
    return (rni_vec){0.74f, 0.83f, 0.95f};
}

/* Without clouds; their mean brightness is in it. */
static rni_vec gradient(const rni_stage *stage, rni_vec direction, float cloud)
{
    static const rni_vec below = {0.36f, 0.35f, 0.33f}, top = {0.12f, 0.24f, 0.50f};
    float up = direction.y;
    if (up < 0) return rni_vec_mix(horizon(), below, rni_smooth(0, 0.25f, -up));
    rni_vec color = rni_vec_mix(horizon(), top, rni_smooth(-0.1f, 1, powf(up, 0.42f)));
    color = rni_vec_mix(color, (rni_vec){1.35f, 1.33f, 1.30f}, 0.75f * cloud);
    float glow = fmaxf(rni_dot(direction, stage->sun), 0);
    glow *= glow;
    glow *= glow;
    return rni_along(color, (rni_vec){0.30f, 0.25f, 0.16f}, glow * glow);
}

rni_vec rni_sky_soft(const rni_stage *stage, rni_vec direction)
{
    return gradient(stage, direction, 0.12f);
}

rni_vec rni_sky(const rni_stage *stage, rni_vec direction, bool has_sun)
{
    rni_vec color = gradient(stage, direction, direction.y > 0.02f ? clouds(direction) : 0);
    if (!has_sun) return color;
    /* The disc with a soft edge; its brightness is limited, as a film limits it. */
    float disc = rni_smooth(cosf(2.2f * RNI_SUN_RADIUS), cosf(0.6f * RNI_SUN_RADIUS),
                            rni_dot(direction, stage->sun));
    return rni_along(color, (rni_vec){26, 25, 22}, disc);
}

/* 1 in the joint between two tiles, 0 on a tile. */
static float joint(float x, float width, float blur)
{
    float part = x - floorf(x);
    float from = fminf(part, 1 - part);
    return 1 - rni_smooth(width, width + blur, from);
}

rni_vec rni_ground_color(const rni_stage *stage, rni_vec place)
{
    float x = place.x / stage->tile, z = place.z / stage->tile;
    uint32_t seed = mix((uint32_t)(int32_t)floorf(x), (uint32_t)(int32_t)floorf(z));
    float tone = 0.93f + 0.14f * (float)(seed & 255) / 255;
    rni_vec color = rni_scale((rni_vec){0.235f, 0.226f, 0.212f}, tone);
    float line = fmaxf(joint(x, 0.004f, 0.006f), joint(z, 0.004f, 0.006f));
    return rni_vec_mix(color, (rni_vec){0.15f, 0.145f, 0.136f}, line);
}

rni_vec rni_stage_fade(const rni_stage *stage, rni_vec direction, const rni_surface_at *at,
                       rni_vec light)
{
    if (at->material->name != rni_ground_name) return light;
    float part = at->distance / (FADE * stage->size);
    rni_vec level = {direction.x, 0, direction.z};
    return rni_vec_mix(light, rni_sky(stage, rni_unit(level), false), 1 - expf(-part * part));
}
