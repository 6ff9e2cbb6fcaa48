/* What a scene tells a picture. */
#ifndef RNI_SESSION_PICTURE_SCENE_H
#define RNI_SESSION_PICTURE_SCENE_H

#include "render/picture.h"
#include "scene/scene.h"

/* Fills in dimension, domain, its drawn sides, solids, camera, title and the radius of a particle;
 * the rest stays. The solids are from malloc, for the caller to free after the picture; the title is
 * the scene's own. Without memory nothing is filled in. */
rn_result rni_picture_take_scene(rni_picture *picture, const rni_scene *scene, rn_solid **solids);

/* Radius of a drawn sphere for a spacing: they touch, and a little more. */
float rni_picture_radius(double spacing);

#endif
