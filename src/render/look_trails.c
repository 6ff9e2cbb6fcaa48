/* The look `trails`: walls in matt clay, coloured by the film that the fluid has left on them, and the fluid itself. */
#include "render/stage.h"

/* Walls keep what is inside from being seen; here they carry the picture, so that sheets are opaque, too. */
static void show_films(rni_stage *stage)
{
    const rni_finish *dry = rni_finish_find("dry");
    for (uint32_t k = 0; k < stage->object_count; k++)
        if (stage->object[k].value) stage->object[k].material = *dry;
}

rn_result rni_look_trails(rni_studio *studio, const rni_shot *shot, uint8_t *rgba)
{
    rni_stage stage;
    rn_result result = rni_stage_begin(&stage, studio, shot);
    if (result != RN_OK) return result;
    show_films(&stage);
    stage.shows_films = true;
    result = rni_stage_add_water(&stage, rni_finish_find("film"));
    if (result == RN_OK) result = rni_stage_commit(&stage);
    return result == RN_OK ? rni_pixels_draw(&stage, rni_clay_sample, rgba) : result;
}
