/* A triangle mesh as a wall: its copy, the hierarchy over it, and what solids ask of it.
 *
 * Job:    nearest triangle, side, rays and moves of a mesh in its own frame, for mesh_solid.c (the row of
 *         the table) and for the collide stage of the fluid.
 * Order:  made once by rn_wall_mesh_create(); never changed afterwards, so any thread may ask. Counted:
 *         who keeps one calls rni_wall_mesh_keep(), and rn_wall_mesh_destroy() when done.
 */
#ifndef RNI_SOLID_WALL_MESH_H
#define RNI_SOLID_WALL_MESH_H

#include "mesh/field.h"
#include "mesh/hierarchy.h"
#include "solid/solid.h"

struct rn_wall_mesh {
    rni_memory memory;
    _Atomic uint32_t users;
    rn_mesh mesh; /* its own copy */
    rni_hierarchy hierarchy;
    rni_buffer vertices, triangles, texture;
    rni_buffer normals; /* for drawing: of each corner of each triangle */
    bool is_sheet, is_two_sided;
    bool is_closed; /* every edge has two triangles, which agree: sides have no holes */
    float low[3], high[3], reach; /* m: box around the triangles; sphere around the origin */
    double volume;
    uint64_t hash;
};

/* The triangles of a mesh at thin places. */
typedef struct rni_thin_mesh {
    rni_hierarchy hierarchy;
    uint32_t *triangle; /* of each triangle of the hierarchy: which one of the mesh it is */
    rni_buffer buffer;
} rni_thin_mesh;

/* Another user; returns the same mesh. */
const rn_wall_mesh *rni_wall_mesh_keep(const rn_wall_mesh *mesh);

/* wall_sides.c: turns the triangles of a closed mesh so that they agree and look outwards, and leaves a point of those
 * that are there twice. The count of triangles and their order stay. */
rn_result rni_wall_mesh_orient(rn_wall_mesh *wall, rni_crew *crew);

/* wall_normals.c: normals for drawing. */
rn_result rni_wall_mesh_find_normals(rn_wall_mesh *wall);

/* From the world into the solid's own frame, in lengths of the mesh, and back. */
void rni_wall_mesh_enter(const rni_solid *solid, const double x[3], double own[3]);
void rni_wall_mesh_leave(const rni_solid *solid, const double own[3], double x[3]);

/* The nearest point of a solid's mesh to x, within max_distance; world, m. False: there is none. */
typedef struct rni_wall_near {
    double distance, point[3];
    uint32_t triangle;
    double weight[3]; /* barycentric */
} rni_wall_near;
bool rni_wall_mesh_closest(const rni_solid *solid, const double x[3], double max_distance,
                           rni_wall_near *near);
/* The same of some of its triangles, in a hierarchy of their own: near->triangle counts these. */
bool rni_wall_mesh_closest_of(const rni_solid *solid, const rni_hierarchy *hierarchy,
                              const double x[3], double max_distance, rni_wall_near *near);
/* As rni_field_spot_begin(), before the solid is met at x. */
void rni_wall_mesh_spot_begin(const rni_solid *solid, const float x[3], rni_field_spot *spot);
/* Whether x is in the solid. */
bool rni_wall_mesh_is_solid(const rni_solid *solid, const double x[3]);
/* Whether the winding number leaves no doubt that x is not in the solid. */
bool rni_wall_mesh_is_fluid_for_sure(const rni_solid *solid, const double x[3]);

#endif
