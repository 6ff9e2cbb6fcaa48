/* Triangle meshes that the tests, the benchmarks and the experiments share. Each closed one has its
 * outside where the corners run counter-clockwise. */
#ifndef RNI_BENCH_MESH_LAYOUTS_H
#define RNI_BENCH_MESH_LAYOUTS_H

#include <runnel/mesh.h>

/* Owns its arrays. */
typedef struct rni_mesh_layout {
    rn_mesh mesh;
    float *vertex;
    uint32_t *triangle;
} rni_mesh_layout;

typedef enum rni_mesh_kind {
    RNI_MESH_TORUS = 0,  /* closed, wrinkled: a ring of radius 1 m with folds, like a colon */
    RNI_MESH_SPHERE = 1, /* closed, radius 1 m */
    RNI_MESH_SPIKES = 2, /* closed: every vertex of the sphere at a random radius from 0.5 to 1.5 m */
    RNI_MESH_SOUP = 3,   /* random triangles of all sizes in a cube of side 2 m, some degenerate */
    RNI_MESH_PLATE = 4   /* open: a square of side 2 m in the plane z = 0, with slivers */
} rni_mesh_kind;

/* About as many triangles as asked for (at least 8); exactly as many for a torus whose number is even
 * and has suitable factors, as 8,040, 40,000 and 1,000,000 have. */
rn_result rni_mesh_layout_make(rni_mesh_kind kind, uint32_t triangles, uint64_t seed,
                               rni_mesh_layout *layout);
void rni_mesh_layout_release(rni_mesh_layout *layout);

/* Positions, x, y, z each: a random point of a random triangle, shifted by up to `distance` along each
 * axis. */
void rni_mesh_points_near(const rni_mesh_layout *layout, double distance, uint64_t seed,
                          uint32_t count, float *position);

#endif
