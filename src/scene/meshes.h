/* The triangle meshes of scenes: read from a file or made by name, once for all solids that have them.
 *
 * Meshes live until the program ends or meshes_clear: scenes are copied and read again often, by the
 * viewer at every change, and a mesh of a million triangles takes seconds. A file that has changed is read anew.
 */
#ifndef RNI_SCENE_MESHES_H
#define RNI_SCENE_MESHES_H

#include "scene/scene.h"

#include <runnel/solid.h>

/* The mesh of a solid; *mesh is NULL on failure. */
rn_result rni_scene_mesh_get(const rni_scene_solid *solid, const rn_wall_mesh **mesh);
/* Refuses a mesh that is not the one the solid's hash names. */
rn_result rni_scene_mesh_check_hash(const rni_scene_solid *solid, const rn_wall_mesh *mesh);
/* Relative paths start at the folder of the scene; meshes without a hash get theirs, so that a checkpoint notices
 * when a file has changed. Meshes that cannot be read are left to the check of the scene. */
rn_result rni_scene_meshes_resolve(rni_scene *scene, const char *scene_path);
/* Gives up all meshes; fluids keep theirs. */
void rni_scene_meshes_clear(void);

#endif
