/* Inside the module: the check of a whole scene, at the places of its file. */
#ifndef RNI_SCENE_CHECK_H
#define RNI_SCENE_CHECK_H

#include "scene/reading.h"

void rni_scene_check_at(rni_reading *reading, const rni_scene *scene);
/* The value `name` at this path must not be 0, 0, 0. */
void rni_check_direction(rni_reading *reading, const rni_scene *scene, const char *name,
                         const float *direction);
/* solids.c: one solid by the row of its shape; the path is that of the solid. */
void rni_scene_check_solid(rni_reading *reading, const rni_scene *scene,
                           const rni_scene_solid *solid);
/* gauges.c: gauge k, whose path it is. */
void rni_scene_check_gauge(rni_reading *reading, const rni_scene *scene, uint32_t k);
/* trial.c: what only the fluid knows of the solids, pipes and gauges that have no problem so far. */
void rni_scene_try_at(rni_reading *reading, const rni_scene *scene);

#endif
