/* Bodies made of simple parts that blend into each other, and their surface as one closed mesh.
 *
 * Job:    parts (round cones, ellipsoids, plates, barrels) -> a field of distances on a grid -> marching tetrahedra.
 *         The surface is closed and free of itself by construction. Parts thinner than the grid can show are made
 *         thicker, so that what is connected stays connected. */
#ifndef RNI_MESH_IMPLICIT_H
#define RNI_MESH_IMPLICIT_H

#include "mesh/data.h"

typedef enum rni_implicit_kind {
    RNI_IMPLICIT_CONE,      /* from a to b, with the radii size[0] at a and size[1] at b */
    RNI_IMPLICIT_ELLIPSOID, /* around a, with the radii size */
    RNI_IMPLICIT_PLATE,     /* the triangle a, b, c, with the thickness 2 size[0] */
    RNI_IMPLICIT_BARREL /* a short elliptic column along y around a: radii size[0] along x and size[2] along z,
                             * half height size[1], with a waist */
} rni_implicit_kind;

typedef struct rni_implicit_part {
    rni_implicit_kind kind;
    bool is_cut; /* taken away from what was there before */
    double a[3], b[3], c[3], size[3];
} rni_implicit_part;

/* Appends the surface of the parts, blended over `blend` metres, with at most `triangles` triangles and nearly as many
 * as that: its largest piece, if the grid leaves several. */
rn_result rni_implicit_add(rn_mesh_data *data, const rni_implicit_part *part, uint32_t count,
                           double blend, uint32_t triangles);

#endif
