/* The table of looks. */
#include "render/looks.h"
#include "render/canvas.h"
#include "render/stage.h"

#include "base/error.h"

#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

static const rni_look looks[] = {
    {"water", "path traced: reflection, refraction, absorption, soft shadows", 12, true,
     rni_look_water, NULL},
    {"clay", "the surface of the water in matt clay with a soft highlight", 8, true, rni_look_clay,
     NULL},
    {"particles", "a sphere for each particle, coloured by an attribute, with a bar", 0, false,
     rni_look_particles, NULL},
    {"surfels", "splats of points on the surface, with deferred shading", 0, true, rni_look_surfels,
     NULL},
    {"trails", "the film that the fluid has left on walls, by its thickness", 8, true,
     rni_look_trails, NULL},
    {"xray", "a radiograph: a tube, what its rays pass through, and a detector", 0, true,
     rni_look_xray, rni_look_xray_write},
};

const rni_look *rni_look_at(uint32_t place)
{
    return place < COUNT_OF(looks) ? &looks[place] : NULL;
}

const char *rni_look_name(uint32_t place)
{
    return place < COUNT_OF(looks) ? looks[place].name : NULL;
}

const char rni_cloudy_name[] = "cloudy fluid";

rni_shot rni_shot_default(void)
{
    return (rni_shot){.picture = rni_picture_default(), .water = rni_water_at(0), .foam = 1};
}

rn_result rni_look_draw(const rni_look *look, rni_studio *studio, const rni_shot *shot, uint8_t *rgba)
{
    rni_shot full = *shot;
    if (look->is_3d && shot->picture.frame.dim != 3)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "the look %s is for 3D; of 2D fluids there is --look particles", look->name);
    if (full.samples == 0) full.samples = look->samples;
    if (full.samples > RNI_SAMPLES_MAX)
        return rni_fail(RN_ERROR_ARGUMENT, "%u samples are too many; %u are the most", full.samples,
                        RNI_SAMPLES_MAX);
    if (!(full.picture.radius > 0))
        full.picture.radius = RNI_PICTURE_RADIUS * full.picture.frame.spacing;
    return look->draw(studio, &full, rgba);
}

/* --- looks of few lines ---------------------------------------------------------------------------------- */

static rni_finish finish_of(const rni_water *water)
{
    if (water->is_cloudy)
        return (rni_finish){.name = rni_cloudy_name,
                            .about = water->about,
                            .kind = RNI_FINISH_PLASTIC,
                            .color = water->color,
                            .index = RNI_WATER_INDEX};
    return (rni_finish){.name = "water",
                        .about = water->about,
                        .kind = RNI_FINISH_WATER,
                        .color = {1, 1, 1},
                        .index = RNI_WATER_INDEX};
}

rn_result rni_look_water(rni_studio *studio, const rni_shot *shot, uint8_t *rgba)
{
    const rni_finish water = finish_of(shot->water);
    rni_stage stage;
    rn_result result = rni_stage_begin(&stage, studio, shot);
    if (result == RN_OK && rni_plate_is_due(&stage)) {
        result = rni_stage_commit(&stage);
        if (result == RN_OK) result = rni_plate_make(&stage, rni_path_sample);
        if (result == RN_OK) result = rni_stage_begin(&stage, studio, shot);
    }
    if (result == RN_OK) result = rni_stage_add_fluids(&stage);
    if (result == RN_OK) result = rni_stage_add_water(&stage, &water);
    if (result == RN_OK && !shot->water->is_cloudy) result = rni_stage_add_foam(&stage);
    if (result == RN_OK) result = rni_stage_commit(&stage);
    if (result == RN_OK) result = rni_caustics_prepare(&stage);
    return result == RN_OK ? rni_pixels_draw(&stage, rni_path_sample, rgba) : result;
}

rn_result rni_look_particles(rni_studio *studio, const rni_shot *shot, uint8_t *rgba)
{
    (void)studio;
    return rni_picture_render(&shot->picture, rgba);
}
