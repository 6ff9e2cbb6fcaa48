#include "session/shot_scene.h"

#include "base/error.h"
#include "scene/materials.h"

#include <stdlib.h>
#include <string.h>

/* What procedural meshes are made of. Vessels are of glass, so that one can see the water in them. */
static const struct {
    const char *make, *finish;
} finishes[] = {{"colon", "tissue"}, {"jug", "glass"}, {"venturi", "glass"}, {"landscape", "earth"}};

const rni_finish *rni_shot_scene_finish(const rni_scene_solid *solid)
{
    for (uint32_t k = 0; k < sizeof finishes / sizeof *finishes; k++)
        if (strncmp(solid->make, finishes[k].make, strlen(finishes[k].make)) == 0)
            return rni_finish_find(finishes[k].finish);
    return solid->is_hollow ? rni_finish_find("glass") : NULL;
}

rn_result rni_shot_scene_make(rni_shot_scene *made, const rni_scene *scene)
{
    *made = (rni_shot_scene){.materials = NULL};
    if (scene->def.dim != 3) return RN_OK;
    made->scene = scene;
    made->materials = calloc(scene->solid_count + (size_t)1, sizeof(rni_finish *));
    if (!made->materials)
        return rni_fail(RN_ERROR_MEMORY, "no memory for %u solids", scene->solid_count);
    /* In the order of the meshes. */
    for (uint32_t k = 0, drawn = 0; k < scene->solid_count; k++)
        if (scene->solids[k].is_drawn && scene->solids[k].is_wall)
            made->materials[drawn++] = rni_shot_scene_finish(&scene->solids[k]);
    rn_result result = rni_session_meshes_make(scene, &made->meshes);
    return result == RN_OK ? rni_scene_walls_make(scene, &made->walls) : result;
}

/* Of a scene with one fluid, what its material looks like. */
static const rni_water *water_of(const rni_scene *scene)
{
    const rni_material *material = rni_material_at(scene->material);
    return material && scene->fluid_count < 2 ? rni_water_of_material(material->name) : NULL;
}

void rni_shot_scene_lend(rni_shot_scene *made, rni_shot *shot)
{
    if (!made->materials) return;
    const rni_water *water = shot->has_water ? NULL : water_of(made->scene);
    if (water) shot->water = water;
    rn_surface_points points = rn_surface_points_default();
    rni_session_meshes_lend(&made->meshes, &shot->picture.frame);
    rni_scene_walls_give(&made->walls, &points);
    shot->wall_material = made->materials;
    shot->wall_value = (const float *const *)made->films;
    shot->walls = points.walls;
    shot->walls_user = points.walls_user;
    memcpy(shot->domain_wall, points.domain_wall, sizeof shot->domain_wall);
    memcpy(shot->periodic, made->walls.is_periodic, sizeof shot->periodic);
}

void rni_shot_scene_release(rni_shot_scene *made)
{
    rni_session_meshes_free(&made->meshes);
    rni_scene_walls_release(&made->walls);
    free(made->materials);
    rni_shot_films_release(made);
    *made = (rni_shot_scene){.materials = NULL};
}
