/* The look `clay`: diffuse and specular light (Grahn 2008, equations 7.12 to 7.14), with the shadow of the sun and
 * one ray for the light of the sky, or of another surface in the sun. It shows the shape of the surface, without
 * anything behind it; sheets are veils in front. */
#include "render/stage.h"

#include "base/pi.h"

#define SHINE_POWER 28.0f /* s of equation 7.14 */
#define SHINE       0.16f /* M_specular */

/* Whether light from this direction reaches the surface; sheets let it through. Else *other is what is in the way,
 * or has no material. */
static bool is_lit(const rni_stage *stage, const rni_surface_at *at, rni_vec direction,
                   rni_surface_at *other)
{
    other->material = NULL;
    if (rni_dot(at->face, direction) <= 0) return false;
    rni_ray ray = rni_stage_leave(stage, at, direction);
    for (uint32_t k = 0; k < 4; k++) {
        if (!rni_stage_meet(stage, ray, INFINITY, other)) return true;
        if (other->material->kind != RNI_FINISH_SHEET) return false;
        ray = rni_stage_leave(stage, other, direction);
    }
    return false;
}

/* Light from the surroundings: that of the sky, or of another surface in sun and sky. */
static rni_vec around(const rni_stage *stage, const rni_surface_at *at, rni_dice *dice)
{
    rni_surface_at other, between;
    rni_vec direction = rni_dice_cosine(dice, at->normal);
    if (is_lit(stage, at, direction, &other)) return rni_sky(stage, direction, false);
    rni_vec dim = rni_scale(RNI_SKY_MEAN, 0.25f);
    if (!other.material) return dim;
    float cosine = rni_dot(other.normal, stage->sun);
    if (cosine > 0 && is_lit(stage, &other, stage->sun, &between))
        dim = rni_along(dim, RNI_SUN_POWER, cosine / (float)RNI_PI);
    return rni_times(other.color, dim);
}

static rni_vec shade(const rni_stage *stage, rni_vec toward_eye, const rni_surface_at *at,
                     rni_dice *dice)
{
    rni_surface_at other;
    rni_vec light = around(stage, at, dice);
    rni_vec sun = rni_dice_around(dice, stage->sun, RNI_SUN_RADIUS);
    float cosine = rni_dot(at->normal, sun);
    rni_vec shine = {0, 0, 0};
    if (cosine > 0 && is_lit(stage, at, sun, &other)) {
        light = rni_along(light, RNI_SUN_POWER, cosine / (float)RNI_PI);
        rni_vec mirrored = rni_along(rni_scale(sun, -1), at->normal, 2 * cosine);
        float near = rni_dot(mirrored, toward_eye);
        bool is_ground = at->material->name == rni_ground_name;
        if (near > 0 && !is_ground)
            shine = rni_scale(RNI_SUN_POWER, SHINE * powf(near, SHINE_POWER));
    }
    return rni_add(rni_times(light, at->color), shine);
}

/* How much a sheet hides of what is behind it: little face on, much along its edges. */
static float veil(const rni_finish *sheet, float cosine)
{
    const float least = sheet->opacity > 0.06f ? sheet->opacity : 0.06f, grazing = 1 - fabsf(cosine);
    return least + (0.75f - 0.75f * least) * grazing * grazing * grazing;
}

void rni_clay_sample(const rni_stage *stage, rni_ray ray, rni_dice dice, rni_sample *sample)
{
    rni_surface_at at;
    rni_vec toward_eye = rni_scale(ray.direction, -1);
    *sample = (rni_sample){.albedo = {1, 1, 1}};
    float distance = 0, seen = 1;
    rni_vec before = {0, 0, 0}; /* light of the sheets in front */
    for (uint32_t k = 0; k < 8; k++) {
        if (!rni_stage_meet(stage, ray, INFINITY, &at)) break;
        distance += at.distance;
        if (at.material->kind == RNI_FINISH_SHEET) {
            const float hidden = veil(at.material, rni_dot(at.normal, ray.direction));
            before = rni_along(before, shade(stage, toward_eye, &at, &dice), seen * hidden);
            seen *= 1 - hidden;
            ray = rni_stage_leave(stage, &at, ray.direction);
            continue;
        }
        const rni_vec light =
            rni_stage_fade(stage, ray.direction, &at, shade(stage, toward_eye, &at, &dice));
        sample->light = rni_along(before, light, seen);
        sample->albedo = at.color;
        sample->guide = (rni_guide){at.normal, distance};
        return;
    }
    sample->light = rni_along(before, rni_sky(stage, ray.direction, true), seen);
}

rn_result rni_look_clay(rni_studio *studio, const rni_shot *shot, uint8_t *rgba)
{
    rni_stage stage;
    rn_result result = rni_stage_begin(&stage, studio, shot);
    if (result == RN_OK) result = rni_stage_add_water(&stage, rni_finish_find("clay"));
    if (result == RN_OK) result = rni_stage_commit(&stage);
    return result == RN_OK ? rni_pixels_draw(&stage, rni_clay_sample, rgba) : result;
}
