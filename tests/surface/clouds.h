/* Clouds of particles for tests of surfaces, and the judge of a mesh. */
#ifndef RNI_TESTS_SURFACE_CLOUDS_H
#define RNI_TESTS_SURFACE_CLOUDS_H

#include <runnel/surface.h>

typedef struct cloud {
    float *position; /* from malloc */
    uint32_t count;
    float spacing;
} cloud;

/* A block of x * y * z particles with its low corner at the origin, on a lattice, each moved at random by up to
 * jitter spacings. */
cloud cloud_block(uint32_t x, uint32_t y, uint32_t z, float spacing, float jitter);
/* Of a block, the particles within diameter / 2 spacings of the middle. */
cloud cloud_ball(uint32_t diameter, float spacing, float jitter);
/* Random positions in a cube of side spacings. */
cloud cloud_gas(uint32_t count, float side, float spacing);
/* A collapsing column: a wedge with a rough top, a thin sheet and spray above it, in the box from 0 to 40 x 20 x 10 spacings. */
cloud cloud_splash(float spacing);
void cloud_free(cloud *c);

rn_surface_points cloud_points(const cloud *c);
double cloud_volume(const cloud *c);

/* NULL, or what is wrong: each edge has two triangles that agree on its direction, the triangles of each vertex
 * form one fan, indices are in range, numbers finite, normals of unit length. */
const char *mesh_fault(const rn_mesh *mesh, const float *normal);
double mesh_volume(const rn_mesh *mesh);
uint64_t mesh_hash(const rn_mesh *mesh, const float *normal);

#endif
