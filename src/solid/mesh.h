/* Triangles and outlines of solids, for drawing.
 *
 * Job:    a placed solid -> vertices with normals, triangles, line segments.
 * Input:  the solid, the box that is drawn (solids without an end are cut to it), the fineness.
 * Output: counts, and the arrays that the caller provides: call once with arrays that are NULL to
 *         learn the counts, then again with arrays of that size.
 * Order:  triangles run counter-clockwise seen from the fluid; normals point into the fluid.
 */
#ifndef RNI_SOLID_MESH_H
#define RNI_SOLID_MESH_H

#include "solid/solid.h"

typedef struct rni_solid_mesh {
    float low[3],
        high[3]; /* m: the box that is drawn; in 2D low[2] < high[2] is the depth of a picture */
    uint32_t segments;    /* of a full circle, 8 at least */
    float (*vertices)[6]; /* position, normal; NULL: only counted */
    uint32_t (*triangles)[3];
    float (*lines)[6]; /* from, to */
    uint32_t vertex_count, triangle_count, line_count;
} rni_solid_mesh;

/* Clears the counts and fills in the mesh. */
void rni_solid_draw(const rni_solid *solid, rni_solid_mesh *mesh);

/* For rows: normals are those out of the shape; rni_solid_draw() turns those of hollow solids. */
uint32_t rni_mesh_vertex(rni_solid_mesh *mesh, const float position[3], const float normal[3]);
void rni_mesh_triangle(rni_solid_mesh *mesh, uint32_t a, uint32_t b, uint32_t c);
void rni_mesh_line(rni_solid_mesh *mesh, const float from[3], const float to[3]);
/* Two unit vectors at right angles to a unit axis and each other: axis = u x v. */
void rni_mesh_across(const float axis[3], float u[3], float v[3]);
/* A surface of revolution about axis through center: ring k of `count` has the radius r[k], lies at z[k] along the
 * axis, and its normals have the parts nr[k] outwards and nz[k] along the axis. Rings follow each other
 * along the axis. */
typedef struct rni_mesh_ring {
    float r, z, nr, nz;
} rni_mesh_ring;
void rni_mesh_revolve(rni_solid_mesh *mesh, const float center[3], const float axis[3],
                      const rni_mesh_ring *rings, uint32_t count);
/* A circle of lines about axis. */
void rni_mesh_circle(rni_solid_mesh *mesh, const float center[3], const float axis[3], float z,
                     float radius);
/* A cylinder with both ends closed, and a circle at each. */
void rni_mesh_cylinder(rni_solid_mesh *mesh, const float center[3], const float axis[3],
                       float radius, float half);
/* In 2D: a cylinder along z through the depth of the picture. */
void rni_mesh_disc(rni_solid_mesh *mesh, const float center[3], float radius);

#endif
