/* A hierarchy of boxes over the triangles of a mesh, eight children a node, eight triangles a leaf.
 *
 * In:     the triangles of a checked mesh (query.c): finite coordinates, valid indices.
 * Out:    the closest point, all triangles within a radius, the first triangle on a segment, and the
 *         generalised winding number. Answers do not depend on the instruction set: the loops over
 *         eight lanes (hierarchy_kernel.h) find candidates with a margin for rounding, and the tests
 *         in double (triangle.h) decide.
 * Order:  the hierarchy copies the coordinates; nothing of the mesh is borrowed afterwards. Queries
 *         do not change it and may run on any number of threads.
 * Next:   hierarchy_build.c (splitting, refit), hierarchy.c, hierarchy_kernel.h. */
#ifndef RNI_MESH_HIERARCHY_H
#define RNI_MESH_HIERARCHY_H

#include "base/memory.h"
#include "base/parallel.h"
#include "mesh/triangle.h"

#include <runnel/mesh.h>
#include <runnel/mesh_query.h>

#define RNI_WIDTH         8u
#define RNI_CHILD_IS_LEAF 0x80000000u

/* Larger coordinates are refused: products of three lengths would overflow. */
#define RNI_MESH_LARGEST 1e12f

/* A node: the boxes of its children. Children come after their parents in the array. */
typedef struct rni_wide_node {
    _Alignas(RNI_ALIGNMENT) float low[3][RNI_WIDTH]; /* 0 from count on */
    float high[3][RNI_WIDTH];
    uint32_t child[RNI_WIDTH]; /* a node, or a leaf | RNI_CHILD_IS_LEAF */
    uint32_t count;            /* of children */
} rni_wide_node;

/* Triangles; lanes from count on repeat the first one. */
typedef struct rni_leaf {
    _Alignas(RNI_ALIGNMENT) float corner[3][3][RNI_WIDTH]; /* [vertex][axis][lane] */
    float normal[3][RNI_WIDTH];                            /* unit length, or 0 for area 0 */
    uint32_t triangle[RNI_WIDTH];
    uint32_t count;
    float reach; /* the longest edge */
} rni_leaf;

/* What a child contributes to the winding number from far away: a dipole and its first derivatives
 * (Barill et al. 2018, equations 11 to 15), around the centre of its area. */
typedef struct rni_dipoles {
    _Alignas(RNI_ALIGNMENT) float centre[3][RNI_WIDTH];
    float reach_sq[RNI_WIDTH]; /* the sum is used beyond this distance squared */
    float area[3][RNI_WIDTH];  /* sum of area times normal */
    float slope[9][RNI_WIDTH]; /* sum of (centre of triangle - centre) x area vector: row axis of the centre */
} rni_dipoles;

typedef struct rni_hierarchy {
    rni_memory *memory;
    rni_wide_node *node; /* the root is the first; there is one even without triangles */
    rni_leaf *leaf;
    rni_dipoles *dipole; /* one per node; NULL before rni_hierarchy_add_dipoles */
    uint32_t node_count, leaf_count, triangle_count, depth;
    rni_buffer nodes, leaves, dipoles;
    float low[3], high[3]; /* of all triangles; low > high without triangles */
    const struct rni_hierarchy_kernel *kernel;
} rni_hierarchy;

/* Called for each triangle within the radius, in an order that depends on the hierarchy only.
 * Returns false to stop. */
typedef bool (*rni_near_fn)(void *user, const rni_near *near);

/* The loops for one instruction set. */
typedef struct rni_hierarchy_kernel {
    bool (*closest)(const rni_hierarchy *h, const float point[3], double max_distance,
                    rni_near *near);
    void (*within)(const rni_hierarchy *h, const float point[3], double radius, rni_near_fn visit,
                   void *user);
    bool (*segment)(const rni_hierarchy *h, const float from[3], const float to[3],
                    rni_crossing *crossing);
    double (*winding)(const rni_hierarchy *h, const float point[3]);
} rni_hierarchy_kernel;

extern const rni_hierarchy_kernel rni_hierarchy_kernel_plain;
#ifdef RNI_X86
extern const rni_hierarchy_kernel rni_hierarchy_kernel_avx2;
#endif

/* Refuses indices out of range and coordinates that are not finite or too large, with their place. */
rn_result rni_mesh_check(const rn_mesh *mesh);
rn_result rni_vertices_check(const float *vertex, uint32_t count);

/* Builds the hierarchy of a checked mesh. On failure it holds nothing. */
rn_result rni_hierarchy_build(rni_hierarchy *h, rni_memory *memory, rni_crew *crew,
                              rn_cpu_level cpu, const rn_mesh *mesh, rn_mesh_split split);
void rni_hierarchy_free(rni_hierarchy *h); /* zero is fine */

/* New positions of the vertices, same triangles: boxes and leaves are computed again, the shape of
 * the tree stays. */
void rni_hierarchy_refit(rni_hierarchy *h, rni_crew *crew, const rn_mesh *mesh);

/* Needed before the first winding number, and again after a refit. */
rn_result rni_hierarchy_add_dipoles(rni_hierarchy *h);

/* A tree without boxes: children and, in the leaves, the numbers of the triangles. Called by
 * rni_hierarchy_build; hierarchy_build.c. */
rn_result rni_hierarchy_split(rni_hierarchy *h, const rn_mesh *mesh, rn_mesh_split split);

/* NULL, or the violated rule. */
const char *rni_validate_hierarchy(const rni_hierarchy *h);

/* The closest point of the mesh at most max_distance away (INFINITY: anywhere); among equal
 * distances the lowest triangle. False: there is none. */
static inline bool rni_hierarchy_closest(const rni_hierarchy *h, const float point[3],
                                         double max_distance, rni_near *near)
{
    return h->kernel->closest(h, point, max_distance, near);
}

/* Visits every triangle at most radius away, with its closest point. */
static inline void rni_hierarchy_within(const rni_hierarchy *h, const float point[3], double radius,
                                        rni_near_fn visit, void *user)
{
    h->kernel->within(h, point, radius, visit, user);
}

/* The first triangle on the segment; among equal places the lowest triangle. */
static inline bool rni_hierarchy_segment(const rni_hierarchy *h, const float from[3],
                                         const float to[3], rni_crossing *crossing)
{
    return h->kernel->segment(h, from, to, crossing);
}

/* How often the mesh winds around the point: 1 inside, 0 outside of a closed mesh; in between near
 * holes. */
static inline double rni_hierarchy_winding(const rni_hierarchy *h, const float point[3])
{
    return h->kernel->winding(h, point);
}

/* The corners of the triangle in a slot. */
static inline void rni_leaf_corners(const rni_leaf *leaf, uint32_t lane, double triangle[3][3])
{
    for (int k = 0; k < 3; k++)
        for (int axis = 0; axis < 3; axis++)
            triangle[k][axis] = (double)leaf->corner[k][axis][lane];
}

#endif
