/* The solids of a scene as triangles and lines, for a page that draws them. */
#ifndef RNI_SESSION_SCENE_MESH_H
#define RNI_SESSION_SCENE_MESH_H

#include "scene/scene.h"

#include <stdio.h>

/* A JSON object {"vertices", "triangles", "lines"} of base64 texts (little endian): six float32 a vertex (position,
 * normal), three uint32 a triangle, six float32 a line (from, to). All drawn solids together. */
void rni_scene_mesh_write(FILE *file, const rni_scene *scene);

#endif
