/* Inside the room: the check of a whole scene, at the places of its file. */
#ifndef RNI_SCENE_CHECK_H
#define RNI_SCENE_CHECK_H

#include "scene/reading.h"

void rni_scene_check_at(rni_reading *reading, const rni_scene *scene);
/* trial.c: what only the fluid can tell, of the solids and pipes that have no problem so far. */
void rni_scene_try_at(rni_reading *reading, const rni_scene *scene);

#endif
