/* runnel/mesh.h - triangle meshes on the caller's own arrays.
 *
 * Does:     describes a mesh: vertices, triangles, texture coordinates.
 * Does not: own or copy the arrays; know fluids.
 * Smallest use:
 *     rn_mesh mesh = rn_mesh_default();
 *     mesh.vertex_count = 3, mesh.vertex = xyz, mesh.triangle_count = 1, mesh.triangle = corners;
 */
#ifndef RUNNEL_MESH_H
#define RUNNEL_MESH_H

#include <runnel/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Everything pointed to is borrowed. */
typedef struct rn_mesh {
    uint32_t struct_bytes; /* set by rn_mesh_default() */
    uint32_t vertex_count;
    uint32_t triangle_count;
    const float *vertex;      /* x, y, z, packed; m */
    const uint32_t *triangle; /* three vertices each, counter-clockwise as seen from outside the solid */
    /* u, v of each corner of each triangle, packed (six floats a triangle); NULL: there are none. By corner, so
     * that a seam of the texture does not cut the mesh open. */
    const float *texture;
} rn_mesh;

/* No vertices, no triangles. */
RN_API rn_mesh rn_mesh_default(void);

#ifdef __cplusplus
}
#endif
#endif
