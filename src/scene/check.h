/* Inside the room: the check of a whole scene, at the places of its file. */
#ifndef RNI_SCENE_CHECK_H
#define RNI_SCENE_CHECK_H

#include "scene/reading.h"

void rni_scene_check_at(rni_reading *reading, const rni_scene *scene);

#endif
