#include "session/scene_walls.h"

#include "base/error.h"
#include "solid/solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two faces with nearly this cosine between their normals, at nearly the same distance, are one wall that the scene
 * builds from two solids. */
#define SAME_DIRECTION 0.9f
/* A solid has at most three faces at a corner. */
#define FACES 3u

rn_result rni_scene_walls_make(const rni_scene *scene, rni_scene_walls *walls)
{
    *walls = (rni_scene_walls){.solids = calloc(scene->solid_count + (size_t)1, sizeof(rni_solid))};
    if (!walls->solids)
        return rni_fail(RN_ERROR_MEMORY, "no memory for %u solids", scene->solid_count);
    for (uint32_t k = 0; k < scene->solid_count; k++)
        if (rni_scene_solid_place(scene, k, &walls->solids[walls->solid_count]))
            walls->solid_count++;
    memcpy(walls->low, scene->def.domain_low, sizeof walls->low);
    memcpy(walls->high, scene->def.domain_high, sizeof walls->high);
    memcpy(walls->is_periodic, scene->def.periodic, sizeof walls->is_periodic);
    for (uint32_t k = 0; k < 6; k++)
        walls->is_wall[k] = !scene->def.periodic[k / 2] && !scene->def.open[k / 2][k % 2];
    return RN_OK;
}

void rni_scene_walls_release(rni_scene_walls *walls)
{
    free(walls->solids);
    *walls = (rni_scene_walls){0};
}

/* --- distances --------------------------------------------------------------------------------------- */

typedef struct found {
    float distance[RN_SURFACE_MAX_WALLS];
    float normal[RN_SURFACE_MAX_WALLS][3];
    uint32_t count;
} found;

/* Adds a face, unless it continues one that is there; a full list keeps the nearest. */
static void add_face(found *f, float distance, const float normal[3], float reach)
{
    uint32_t place = f->count;
    for (uint32_t k = 0; k < f->count; k++) {
        if (rni_solid_dot(f->normal[k], normal) < SAME_DIRECTION) continue;
        if (fabsf(f->distance[k] - distance) > 0.25f * reach) continue;
        if (distance >= f->distance[k]) return;
        place = k;
    }
    if (place == RN_SURFACE_MAX_WALLS)
        for (uint32_t k = place = 0; k < RN_SURFACE_MAX_WALLS; k++)
            if (f->distance[k] > f->distance[place]) place = k;
    if (place == f->count) f->count++;
    else if (f->count == RN_SURFACE_MAX_WALLS && distance >= f->distance[place]) return;
    f->distance[place] = distance;
    memcpy(f->normal[place], normal, sizeof f->normal[place]);
}

/* The faces of a solid near x. The distance function knows the nearest one; moved away from it, the next of an
 * inner corner (of a hollow box) becomes the nearest. */
static void meet_solid(const rni_solid *solid, const float x[3], float reach, found *f)
{
    float at[3] = {x[0], x[1], x[2]};
    for (uint32_t face = 0; face < (solid->is_hollow ? FACES : 1); face++) {
        float normal[3];
        float distance = rni_solid_distance(solid, at, normal);
        if (!(distance < reach)) return;
        add_face(f, distance, normal, reach);
        for (uint32_t k = 0; k < 3; k++) at[k] += (1.01f * reach - distance) * normal[k];
    }
}

static uint32_t find_walls(void *user, const float x[3], float reach,
                           float distance[RN_SURFACE_MAX_WALLS])
{
    const rni_scene_walls *walls = user;
    found f;
    f.count = 0;
    for (uint32_t k = 0; k < walls->solid_count; k++) {
        const rni_solid *solid = &walls->solids[k];
        const float d[3] = {x[0] - solid->center[0], x[1] - solid->center[1],
                            x[2] - solid->center[2]};
        float far = rni_solid_reach(solid) + reach;
        if (rni_solid_dot(d, d) < far * far) meet_solid(solid, x, reach, &f);
    }
    memcpy(distance, f.distance, f.count * sizeof *distance);
    return f.count;
}

void rni_scene_walls_give(rni_scene_walls *walls, rn_surface_points *points)
{
    memcpy(points->domain_low, walls->low, sizeof walls->low);
    memcpy(points->domain_high, walls->high, sizeof walls->high);
    memcpy(points->domain_wall, walls->is_wall, sizeof walls->is_wall);
    if (walls->solid_count == 0) return;
    points->walls = find_walls;
    points->walls_user = walls;
}
