/* Makers of procedural shapes: what a row of the table has, and what makers share.
 *
 * Job:    checked parameters -> a mesh with nearly the wanted number of triangles, never more.
 *         make.c then cuts the longest edges until the number is exact, and turns closed shapes
 *         outwards.
 * Next:   make.c (the table), net.h (surfaces made of rows and columns), refine.c, make_*.c (one
 *         file a family). */
#ifndef RNI_MESH_MAKER_H
#define RNI_MESH_MAKER_H

#include "mesh/data.h"

#define RNI_MAKER_PARAMETERS 10u

typedef struct rni_making {
    const struct rni_maker *maker;
    double value[RNI_MAKER_PARAMETERS]; /* in the order of the parameters */
    uint32_t triangles;                 /* wanted; at least the least of the maker */
    uint64_t seed;
    rn_mesh_data *mesh; /* empty */
} rni_making;

typedef struct rni_maker {
    rn_mesh_maker_info info;
    rn_result (*make)(rni_making *making);
    /* After the number of triangles is exact: moves the new vertices onto the shape. NULL: not
     * needed. */
    void (*finish)(rni_making *making);
    bool keeps_orientation; /* the maker has seen to it: a sheet has no outside */
} rni_maker;

extern const rni_maker rni_maker_colon, rni_maker_landscape, rni_maker_channel, rni_maker_pipe,
    rni_maker_venturi, rni_maker_bowl, rni_maker_jug, rni_maker_box, rni_maker_sphere,
    rni_maker_trough, rni_maker_torso, rni_maker_spine, rni_maker_pelvis;

/* Cuts the longest edges in their middle until the mesh has `wanted` triangles, or one less: an
 * inner edge adds two triangles, an edge of the border one. */
rn_result rni_mesh_refine(rn_mesh_data *data, uint32_t wanted);

/* Appends a quad a, b, c, d (counter-clockwise) as two triangles, with texture coordinates in the
 * given rectangle: u, v, width, height. */
rn_result rni_quad_add(rn_mesh_data *data, const uint32_t corner[4], const float rectangle[4]);

#endif
