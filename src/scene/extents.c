/* Where blocks, balls, pipes and outlets are: given by numbers, or by the name of a solid. */
#include "base/pi.h"
#include "scene/regions.h"
#include "solid/solid.h"

#include <math.h>
#include <string.h>

static bool is_empty_box(const rni_scene *scene, const float low[3], const float high[3])
{
    for (uint32_t a = 0; a < scene->def.dim; a++)
        if (low[a] != 0 || high[a] != 0) return false;
    return true;
}

/* The box around the region of a solid; nothing where there is none. */
static void region_bounds(const rni_scene *scene, const char *solid, float level, float low[3],
                          float high[3])
{
    rni_region *region = NULL;
    memset(low, 0, sizeof(float[3]));
    memset(high, 0, sizeof(float[3]));
    if (rni_region_get(scene, solid, &region) != RN_OK) return;
    rni_region_bounds(region, level, low, high);
    rni_region_give(region);
}

void rni_scene_block_bounds(const rni_scene *scene, const rni_scene_block *b, float low[3],
                            float high[3])
{
    memcpy(low, b->low, sizeof b->low);
    memcpy(high, b->high, sizeof b->high);
    if (!*b->solid) return;
    region_bounds(scene, b->solid, b->level, low, high);
    if (is_empty_box(scene, b->low, b->high)) return;
    for (uint32_t a = 0; a < 3; a++) {
        low[a] = rni_higher(low[a], b->low[a]);
        high[a] = rni_lower(high[a], b->high[a]);
    }
}

void rni_scene_ball_bounds(const rni_scene *scene, const rni_scene_ball *b, float low[3],
                           float high[3])
{
    if (*b->solid) {
        region_bounds(scene, b->solid, RNI_NO_LEVEL, low, high);
        return;
    }
    for (uint32_t a = 0; a < 3; a++) {
        low[a] = b->center[a] - b->radius;
        high[a] = b->center[a] + b->radius;
    }
}

void rni_scene_outlet_bounds(const rni_scene *scene, const rni_scene_outlet *o, float low[3],
                             float high[3])
{
    memcpy(low, o->low, sizeof o->low);
    memcpy(high, o->high, sizeof o->high);
    if (*o->solid) region_bounds(scene, o->solid, RNI_NO_LEVEL, low, high);
}

double rni_scene_block_volume(const rni_scene *scene, const rni_scene_block *block)
{
    float low[3], high[3];
    double product = 1;
    rni_region *region = NULL;
    rni_scene_block_bounds(scene, block, low, high);
    for (uint32_t a = 0; a < scene->def.dim; a++)
        product *= fmax(0, (double)high[a] - (double)low[a]);
    if (!*block->solid || rni_region_get(scene, block->solid, &region) != RN_OK) return product;
    product = rni_region_volume(region, block->level, low, high);
    rni_region_give(region);
    return product;
}

double rni_scene_ball_volume(const rni_scene *scene, const rni_scene_ball *ball)
{
    const double r = (double)ball->radius;
    float low[3], high[3];
    rni_region *region = NULL;
    if (!*ball->solid) return scene->def.dim == 2 ? RNI_PI * r * r : 4.0 / 3.0 * RNI_PI * r * r * r;
    if (rni_region_get(scene, ball->solid, &region) != RN_OK) return 0;
    rni_scene_ball_bounds(scene, ball, low, high);
    const double volume = rni_region_volume(region, RNI_NO_LEVEL, low, high);
    rni_region_give(region);
    return volume;
}

void rni_scene_pipe_mouth(const rni_scene *scene, const rni_scene_pipe *pipe, float center[3],
                          float *radius)
{
    rni_region *region = NULL;
    memcpy(center, pipe->center, sizeof pipe->center);
    *radius = pipe->radius;
    if (!*pipe->solid || rni_region_get(scene, pipe->solid, &region) != RN_OK) return;
    if (!rni_region_mouth(region, pipe->direction, center, radius)) *radius = 0;
    rni_region_give(region);
}
