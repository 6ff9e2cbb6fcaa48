/* The walls of a scene, for surfaces of its water. */
#ifndef RNI_SESSION_SCENE_WALLS_H
#define RNI_SESSION_SCENE_WALLS_H

#include "scene/scene.h"

#include <runnel/surface.h>

struct rni_solid;

/* Zero is empty. */
typedef struct rni_scene_walls {
    struct rni_solid *solids; /* from malloc */
    uint32_t solid_count;
    float low[3], high[3]; /* of the domain */
    bool is_wall[6];
    bool is_periodic[3];
} rni_scene_walls;

/* Solids and the sides of the domain that are neither open nor periodic. */
rn_result rni_scene_walls_make(const rni_scene *scene, rni_scene_walls *walls);
void rni_scene_walls_release(rni_scene_walls *walls);
/* Domain, and the callback with these walls, which must stay as long as the points. */
void rni_scene_walls_give(rni_scene_walls *walls, rn_surface_points *points);

#endif
