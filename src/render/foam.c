/* Foam of the look `water`: white specks where air is drawn into the water.
 *
 * The measures are those of Ihmsen et al. 2012: how fast neighbours close in on a particle or pass it (trapped
 * air), and how fast it moves. Both are mapped to 0 to 1 and multiplied, and only particles near air count; where
 * the product is 1, a particle has SPECKS specks around it. Water begins to draw in air at about 1 m/s, whatever
 * the size of the scene: a small one has little foam. Each picture is made of its own frame alone: foam does not
 * stay when the water has calmed down. */
#include "render/stage.h"

#include <runnel/search.h>

#include <string.h>

#define REACH        2.0f  /* in spacings */
#define TRAPPED_LOW  0.15f /* m/s: mean over the neighbours */
#define TRAPPED_HIGH 1.0f
#define SPEED_LOW    0.5f /* m/s */
#define SPEED_HIGH   2.0f
/* Neighbours of particles near air, and of those inside the water, where there are 32. */
#define NEAR_AIR 23.0f
#define INSIDE   29.0f
#define SPECKS   16u
#define SPREAD   0.75f /* in spacings: how far specks are from the particle */
#define LARGEST  0.15f /* in spacings */

const char rni_foam_name[] = "foam";

static const rni_finish foam = {.name = rni_foam_name,
                                .about = "white specks",
                                .kind = RNI_FINISH_DIFFUSE,
                                .color = {0.9f, 0.92f, 0.93f}};

static const float *row_of(const rn_attribute *a, uint32_t i)
{
    const size_t stride = a->stride ? a->stride : 3 * sizeof(float);
    return (const float *)(const void *)((const char *)a->data + i * stride);
}

/* Of one particle, 0 to 1. */
static float foam_at(const rn_attribute *x, const rn_attribute *v, uint32_t i, rn_list list,
                     float reach)
{
    const rni_vec place = rni_vec_of(row_of(x, i)), own = rni_vec_of(row_of(v, i));
    float sum = 0, weights = 0;
    for (uint32_t k = 0; k < list.count && list.index; k++) {
        const rni_vec d = rni_along(place, rni_vec_of(row_of(x, list.index[k])), -1);
        const rni_vec u = rni_along(own, rni_vec_of(row_of(v, list.index[k])), -1);
        const float r = rni_length(d), speed = rni_length(u);
        const float weight = fmaxf(1 - r / reach, 0);
        weights += weight;
        if (r > 0 && speed > 0) sum += weight * (speed - rni_dot(u, d) / r); /* 2 |u|: they meet */
    }
    if (!(weights > 0)) return 0;
    const float near_air = 1 - rni_smooth(NEAR_AIR, INSIDE, (float)list.count);
    return near_air * rni_smooth(TRAPPED_LOW, TRAPPED_HIGH, sum / weights) *
           rni_smooth(SPEED_LOW, SPEED_HIGH, rni_length(own));
}

/* A number from 0 to 1 that depends on the place alone: specks move with their particle. */
static float number_of(uint32_t particle, uint32_t speck, uint32_t which)
{
    uint32_t h = particle * 0x9e3779b9u ^ (speck * 4 + which) * 0x85ebca6bu;
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return (float)((h ^ h >> 16) >> 8) / 16777216.0f;
}

static void place_speck(rni_vec center, float spacing, uint32_t particle, uint32_t speck, float to[4])
{
    const float z = 2 * number_of(particle, speck, 0) - 1;
    const float turn = 6.2831853f * number_of(particle, speck, 1);
    const float flat = sqrtf(fmaxf(1 - z * z, 0));
    const float r = SPREAD * spacing * sqrtf(number_of(particle, speck, 2));
    const float size = LARGEST * (0.35f + 0.65f * number_of(particle, speck, 3));
    to[0] = center.x + r * flat * cosf(turn);
    to[1] = center.y + r * z;
    to[2] = center.z + r * flat * sinf(turn);
    to[3] = size * spacing;
}

static rn_result find_neighbors(rni_stage *stage, const rn_attribute *x, float reach,
                                rn_neighbors *neighbors)
{
    rni_studio *studio = stage->studio;
    rn_result result = RN_OK;
    if (!studio->foam_search) {
        rn_search_def def = rn_search_def_default();
        def.radius = reach;
        def.threads = studio->threads;
        result = rn_search_create(&def, &studio->foam_search);
    }
    if (result == RN_OK) result = rn_search_set_radius(studio->foam_search, reach);
    const rn_points points = {x->data, x->stride ? x->stride : 3 * sizeof(float),
                              stage->shot->picture.frame.count, RN_SCALAR_FLOAT};
    if (result == RN_OK) result = rn_search_update(studio->foam_search, points);
    if (result == RN_OK) *neighbors = rn_search_get_neighbors(studio->foam_search);
    return result;
}

rn_result rni_stage_add_foam(rni_stage *stage)
{
    const rn_frame *frame = &stage->shot->picture.frame;
    rni_studio *studio = stage->studio;
    const rn_attribute *x = &frame->attribute[0], *v = rn_frame_get_attribute(frame, "velocity");
    const rn_attribute *id = rn_frame_get_attribute(frame, "id");
    const float reach = REACH * frame->spacing, amount = stage->shot->foam;
    rn_neighbors neighbors;
    if (!v || v->type != x->type || v->components != 3 || frame->count == 0 || !(amount > 0))
        return RN_OK;
    rn_result result = find_neighbors(stage, x, reach, &neighbors);
    uint32_t count = 0;
    for (uint32_t i = 0; i < frame->count && result == RN_OK; i++) {
        const float part = foam_at(x, v, i, rn_neighbors_get_list(&neighbors, i), reach);
        uint32_t name = i;
        if (id)
            memcpy(&name, (const char *)id->data + i * (id->stride ? id->stride : sizeof name),
                   sizeof name);
        const uint32_t specks =
            (uint32_t)(amount * part * (float)SPECKS + number_of(name, 0xffff, 0));
        if (part <= 0 || specks == 0) continue;
        result = rni_buffer_grow(&studio->memory, &studio->specks, (uint64_t)count + specks,
                                 4 * sizeof(float));
        float(*sphere)[4] = studio->specks.data;
        for (uint32_t k = 0; k < specks && result == RN_OK; k++)
            place_speck(rni_canvas_position(&stage->canvas, i), frame->spacing, name, k,
                        sphere[count++]);
    }
    if (result != RN_OK || count == 0) return result;
    const rni_object object = {.material = foam};
    result = rni_stage_put(stage, &object);
    if (result != RN_OK) return result;
    return rni_tracer_add_spheres(studio->tracer, (const float(*)[4])studio->specks.data, count,
                                  stage->object_count - 1);
}
