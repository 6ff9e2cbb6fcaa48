/* Closed meshes that are hard to stay inside of, each with the clean surfaces that it is made of. */
#ifndef RNI_TESTS_FLUID_NASTY_MESHES_H
#define RNI_TESTS_FLUID_NASTY_MESHES_H

#include <runnel/mesh.h>

#define NASTY_SURFACES 3u

typedef struct nasty_mesh {
    char name[80];
    rn_mesh_data *mesh; /* as walls get it */
    /* What it is made of: closed, oriented outwards, about the origin; the rest is NULL. */
    rn_mesh_data *surface[NASTY_SURFACES];
    bool is_hollow; /* the water is inside */
} nasty_mesh;

/* Mesh `number` with random numbers of `seed`; sizes are about 0.2 m for a spacing, m. The shape is number % nasty_shapes(); from
 * nasty_shapes() on the mesh is soup: triangles shuffled, with vertices of their own, some there twice, some turned. */
uint32_t nasty_shapes(void);
nasty_mesh make_nasty(uint32_t number, uint64_t seed, double spacing);
/* A box of a million triangles. */
nasty_mesh make_fine(uint64_t seed);
void free_nasty(nasty_mesh *nasty);

/* A bit for each surface that x is inside of, by the solid angles of all its triangles. */
uint32_t nasty_region(const nasty_mesh *nasty, const double x[3]);

#endif
