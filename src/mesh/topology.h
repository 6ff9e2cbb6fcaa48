/* How the triangles of a mesh hang together: edges, duplicates, patches, components, orientation.
 *
 * Job:    a mesh -> for each triangle its component, its patch, and whether it has to be turned;
 *         for each edge its triangles.
 * Words:  a half-edge is an edge as seen by one triangle: half-edge 3 t + k runs from corner k to
 *         corner k + 1 of triangle t. A patch is connected by edges that have exactly two
 *         triangles, a component by any edges.
 * Order:  everything depends on the mesh only, never on threads.
 * Next:   topology.c, orient.c (what has to be turned), diagnose.c and repair.c, which use it. */
#ifndef RNI_MESH_TOPOLOGY_H
#define RNI_MESH_TOPOLOGY_H

#include <runnel/mesh.h>

#include "base/parallel.h"

#define RNI_NO_MATE UINT32_MAX
#define RNI_NO_PART UINT32_MAX

typedef struct rni_patch {
    uint32_t triangle_count, turned_count; /* turned: against the first triangle of the patch */
    uint32_t first;                        /* triangle */
    bool is_closed, is_orientable;
    double volume; /* m^3, with all triangles oriented like the first */
    double low[3], high[3];
} rni_patch;

typedef struct rni_topology {
    const rn_mesh *mesh;
    rni_memory *memory;
    rni_crew *crew;
    rni_arena arena;

    uint32_t folded_count; /* triangles with a vertex twice; they have no edges */
    uint32_t duplicate_count; /* later triangles with the same three vertices; they have no edges either */
    rni_buffer original; /* uint32_t per triangle: itself, or the first triangle that it repeats */

    uint32_t half_count, edge_count;
    rni_buffer half;       /* uint32_t: half-edges, sorted by edge */
    rni_buffer edge_start; /* uint32_t, edge_count + 1: where each edge begins in half */
    rni_buffer mate; /* uint32_t per half-edge: the other one of an edge with two triangles, or RNI_NO_MATE */

    uint32_t component_count, closed_component_count;
    rni_buffer component; /* uint32_t per triangle: a triangle that stands for its component; RNI_NO_PART: none */

    uint32_t patch_count;
    rni_buffer patch;     /* uint32_t per triangle; RNI_NO_PART: has no edges */
    rni_buffer patches;   /* rni_patch */
    rni_buffer is_turned; /* bool per triangle: against the first triangle of its patch */
    rni_buffer must_turn; /* bool per triangle; filled by rni_topology_orient */
    uint32_t must_turn_count, inside_out_count; /* triangles; closed patches */
} rni_topology;

/* The mesh must have passed rn_mesh_check and is borrowed. The caller frees *topology, also on
 * failure. */
rn_result rni_topology_build(rni_topology *topology, const rn_mesh *mesh, rni_memory *memory,
                             rni_crew *crew);
/* Decides which triangles have to be turned: the minority of each patch, or of the open patches whose borders meet
 * (seams.h), so that all agree, and closed patches that are inside out. A closed patch inside another one is a
 * cavity or a core: it keeps its orientation. */
rn_result rni_topology_orient(rni_topology *topology);
void rni_topology_free(rni_topology *topology);

static inline uint32_t rni_half_from(const rn_mesh *mesh, uint32_t half)
{
    return mesh->triangle[half];
}

static inline uint32_t rni_half_to(const rn_mesh *mesh, uint32_t half)
{
    return mesh->triangle[half % 3 == 2 ? half - 2 : half + 1];
}

static inline bool rni_is_folded(const rn_mesh *mesh, uint32_t t)
{
    const uint32_t *c = mesh->triangle + 3 * (size_t)t;
    return c[0] == c[1] || c[1] == c[2] || c[2] == c[0];
}

#endif
