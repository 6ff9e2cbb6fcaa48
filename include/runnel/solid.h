/* Solids: what a fluid flows around or inside.
 *
 * What it does:  names the shapes and describes one solid: shape, size, pose, motion, friction;
 *                makes a triangle mesh ready to be a wall.
 * What it does not: the step does not move solids by itself; meshes do not change their shape.
 * Smallest use:
 *     rn_solid post = rn_solid_default();
 *     post.shape = RN_SOLID_CYLINDER;
 *     post.center[1] = 0.5f, post.radius = 0.1f, post.half[0] = 0.5f;
 *     rn_fluid_add_solid(fluid, &post, &id);
 * Next: fluid.h (adding, moving and removing solids, and the force of the water on them). */
#ifndef RUNNEL_SOLID_H
#define RUNNEL_SOLID_H

#include <runnel/base.h>
#include <runnel/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rn_solid_shape {
    RN_SOLID_PLANE = 0, /* through center with normal axis: everything behind the normal is solid */
    RN_SOLID_BOX = 1,   /* center, half; turned by turn */
    RN_SOLID_SPHERE = 2,   /* center, radius; in 2D a disc */
    RN_SOLID_CYLINDER = 3, /* center, axis, radius, half[0] = half its length; not in 2D */
    RN_SOLID_CAPSULE = 4, /* a cylinder with round ends, which its length includes; in 2D a stadium */
    RN_SOLID_MESH = 5     /* triangles: mesh, scale, about center; turned by turn; not in 2D */
} rn_solid_shape;

/* A triangle mesh that is ready to be a wall: a copy of its triangles, and a hierarchy over them. Many
 * solids and fluids can share one. */
typedef struct rn_wall_mesh rn_wall_mesh;

typedef struct rn_wall_mesh_def {
    uint32_t struct_bytes; /* set by rn_wall_mesh_def_default() */
    /* An open surface, such as a landscape: the fluid is on the side from which its triangles are seen
     * counter-clockwise. It should reach a support radius beyond the fluid. */
    bool is_sheet;
    bool is_two_sided;      /* a sheet with fluid on both sides */
    uint32_t threads;       /* 0: one for each processor */
    rn_allocator allocator; /* zero: the C library's */
    rn_tasks tasks;         /* zero: threads of its own while it is made */
} rn_wall_mesh_def;

RN_API rn_wall_mesh_def rn_wall_mesh_def_default(void);

/* def NULL: the default. Holes, dirty and crossing triangles are fine: a point is inside where the
 * generalised winding number exceeds 1/2, and no particle passes any triangle. But for sheets, triangles that are turned
 * against their neighbours, or look inwards, are turned, and repeated ones do not count. On failure *wall is NULL. */
RN_API rn_result rn_wall_mesh_create(const rn_wall_mesh_def *def, const rn_mesh *mesh,
                                     rn_wall_mesh **wall);
/* Gives up the caller's hold; a fluid that has the mesh keeps it until it is destroyed. NULL is fine. */
RN_API void rn_wall_mesh_destroy(rn_wall_mesh *wall);

typedef struct rn_wall_mesh_info {
    uint32_t struct_bytes; /* set by rn_wall_mesh_info_default() */
    uint32_t vertex_count, triangle_count;
    float low[3], high[3]; /* m: around its triangles */
    double volume;         /* m^3; negative if its triangles look inwards */
    uint64_t hash;         /* of vertices and triangles */
} rn_wall_mesh_info;

RN_API rn_wall_mesh_info rn_wall_mesh_info_default(void);
RN_API rn_result rn_wall_mesh_get_info(const rn_wall_mesh *wall, rn_wall_mesh_info *info);

/* Friction of the fluid at a wall. */
typedef enum rn_slip {
    RN_SLIP_FREE = 0, /* the fluid glides along it */
    RN_SLIP_NONE = 1  /* the fluid sticks to it */
} rn_slip;

/* Where a solid is: its own frame in the world. */
typedef struct rn_solid_pose {
    float position[3]; /* m: the center of the solid */
    float rotation[4]; /* a unit quaternion x, y, z, w; 0, 0, 0, 0 is no rotation, as is 0, 0, 0, 1 */
} rn_solid_pose;

/* How a solid moves: a point of it at distance r from its center has the velocity
 * linear + angular x r. */
typedef struct rn_solid_motion {
    float linear[3];  /* m / s */
    float angular[3]; /* rad / s about the world's axes; in 2D only the third */
} rn_solid_motion;

typedef struct rn_solid {
    uint32_t struct_bytes; /* set by rn_solid_default(); a forgotten default is refused */
    rn_solid_shape shape;
    float center[3]; /* m: the position of its pose */
    float axis[3];   /* a plane's normal, or along the solid; any length but 0 */
    float half[3];   /* m: box: half its sides; with an axis: half the length in half[0] */
    float radius;    /* m: of a sphere, or around the axis */
    float turn[3];   /* box, mesh: degrees about x, then y, then z */
    bool is_hollow; /* the fluid is inside it (a tank, a tube) instead of outside; not for planes */
    rn_slip slip;
    /* Degrees, with RN_TENSION_SURFACE_ENERGY: up to 180; 0 (default): that of the fluid's parameters. */
    float contact_angle;
    float velocity[3]; /* m / s of its surface on top of its motion, as of a conveyor belt */
    /* The rotation of its pose, applied about center after axis and turn: a unit quaternion. */
    float rotation[4];
    /* What the fluid feels at its surface. The step does not move the solid: call
     * rn_fluid_set_solid_pose() before each step. */
    rn_solid_motion motion;
    const rn_wall_mesh *mesh; /* of a mesh; has to live until the solid is added */
    float scale;              /* mesh: factor of its lengths; default 1 */
    /* Coulomb's coefficient: the fluid is slowed along the surface by so much of what presses it against it, also by
     * collisions. 0 (default) to 100. Unlike RN_SLIP_NONE it does not depend on viscosity. */
    float friction;
    /* m / s^2: pull on the fluid near the surface, greatest at half a support radius; what exceeds gravity holds a
     * film under a ceiling. 0 (default) to 1e6. */
    float adhesion;
    /* m: thickness of the film that the fluid leaves on a mesh that it has touched (rn_fluid_get_film()). 0 (default): none is
     * kept; at most 1. */
    float trail;
    float trail_dry; /* s in which a film of this thickness dries; 0 (default): it does not */
    float trail_drain; /* s in which a film on a vertical wall loses 63 % by running off; 0 (default): it stays */
    float bounce; /* share of the normal speed kept in a collision, 0 to 1; -1 (default): that of the fluid */
} rn_solid;
/* A plane with the normal y and no motion. */
RN_API rn_solid rn_solid_default(void);

#ifdef __cplusplus
}
#endif
#endif
