/* Particles of another run as the start of this one. */
#ifndef RNI_SCENE_START_FILE_H
#define RNI_SCENE_START_FILE_H

#include "scene/scene.h"

/* Makes particles.file, which is relative to the folder of the scene file, a path from anywhere. */
rn_result rni_start_file_resolve(rni_scene *scene, const char *scene_path);
/* Adds its particles, with their velocities if the file has some. Hostile files are fine. */
rn_result rni_start_file_add(const rni_scene *scene, rn_fluid *fluid, rn_fluid_added *added);

#endif
