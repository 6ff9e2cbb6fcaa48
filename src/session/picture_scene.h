/* What a scene tells a picture. */
#ifndef RNI_SESSION_PICTURE_SCENE_H
#define RNI_SESSION_PICTURE_SCENE_H

#include "render/picture.h"
#include "scene/scene.h"

/* Fills in dimension, domain and spacing of the frame, drawn sides, solids, camera and title; the rest
 * stays. The solids are from malloc, for the caller to free after the picture; the title is
 * the scene's own. Without memory nothing is filled in. */
rn_result rni_picture_take_scene(rni_picture *picture, const rni_scene *scene, rn_solid **solids);

#endif
