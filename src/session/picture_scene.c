#include "session/picture_scene.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

rn_result rni_picture_take_scene(rni_picture *picture, const rni_scene *scene, rn_solid **solids)
{
    rn_solid *list = calloc(scene->solid_count + (size_t)1, sizeof *list);
    if (!list) return rni_fail(RN_ERROR_MEMORY, "no memory for %u solids", scene->solid_count);
    picture->frame.dim = scene->def.dim;
    picture->frame.spacing = (float)rni_scene_derive(scene).spacing;
    picture->title = scene->title;
    rni_scene_bounds(scene, picture->frame.domain_low, picture->frame.domain_high);
    memcpy(picture->sides, scene->view_walls, sizeof picture->sides);
    picture->solid_count = 0;
    for (uint32_t s = 0; s < scene->solid_count; s++)
        if (scene->solids[s].is_drawn && scene->solids[s].is_wall)
            list[picture->solid_count++] = rni_scene_solid_of(&scene->solids[s]);
    picture->solids = *solids = list;
    picture->fluid_count = scene->fluid_count > 1 ? scene->fluid_count : 0;
    for (uint32_t k = 0; k < picture->fluid_count; k++) {
        picture->fluid_name[k] = scene->fluids[k].phase.name;
        rni_scene_fluid_color(scene, k, picture->fluid_color[k]);
    }
    rni_picture_camera *camera = &picture->camera;
    *camera = (rni_picture_camera){.fov = 0};
    memcpy(camera->up, scene->view_up, sizeof camera->up);
    if (memcmp(scene->view_eye, scene->view_target, sizeof scene->view_eye) != 0) {
        camera->has_eye = camera->has_target = true;
        camera->fov = scene->view_fov;
        memcpy(camera->eye, scene->view_eye, sizeof camera->eye);
        memcpy(camera->target, scene->view_target, sizeof camera->target);
    }
    return RN_OK;
}
