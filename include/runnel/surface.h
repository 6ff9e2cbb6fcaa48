/* runnel/surface.h - the surface of a cloud of particles: a closed mesh, a mesh of what a camera sees,
 * or surfels.
 *
 * Does:     turns positions into triangles with smooth normals. The closed mesh encloses the volume of the
 *           particles and ends exactly at walls. Results are the same bits for any number of threads and
 *           any instruction set. After warm-up a call allocates nothing.
 * Does not: keep the caller's arrays, write files, or need any other part of Runnel.
 * Smallest use:
 *     rn_surface_def def = rn_surface_def_default();
 *     rn_surface *surface = NULL;
 *     if (rn_surface_create(&def, &surface) != RN_OK) return fail(rn_last_error());
 *     rn_surface_points points = rn_surface_points_default();
 *     points.position = xyz, points.count = count, points.spacing = 0.01f;
 *     rn_surface_mesh found = rn_surface_mesh_default();
 *     if (rn_surface_build(surface, &points, &found) != RN_OK) return fail(rn_last_error());
 *     draw(&found.mesh, found.normal);
 *     rn_surface_destroy(surface);
 *
 * All positions are three floats; there are no surfaces of 2D fluids. Calls on one object must not overlap in time.
 */
#ifndef RUNNEL_SURFACE_H
#define RUNNEL_SURFACE_H

#include <runnel/base.h>
#include <runnel/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- the particles and their walls, for all kinds of surfaces ------------------------------------------ */

/* Walls that a callback may report for one place. */
#define RN_SURFACE_MAX_WALLS 8u

/* Walls near x: writes the signed distances (m; positive on the fluid's side) of the walls closer than
 * reach, and returns how many there are. Distances below -reach may be left out only if another wall
 * is as deep. In a corner each face is a wall of its own. Called from several threads at the same time. */
typedef uint32_t (*rn_surface_walls_fn)(void *user, const float x[3], float reach,
                                        float distance[RN_SURFACE_MAX_WALLS]);

/* Borrowed for the call. Start from rn_surface_points_default(). */
typedef struct rn_surface_points {
    uint32_t struct_bytes;
    uint32_t count;
    const float *position; /* x, y, z; m; finite */
    size_t stride_bytes;   /* from one position to the next; 0: packed */
    float spacing;         /* m: a particle has the volume spacing^3; positive */

    /* A box with walls; low and high equal (default): none. The surface ends at the sides whose flag is
     * set (default: all): x-low, x-high, y-low, ... */
    float domain_low[3], domain_high[3];
    bool domain_wall[6];

    rn_surface_walls_fn walls; /* further walls; NULL: none */
    void *walls_user;
} rn_surface_points;

RN_API rn_surface_points rn_surface_points_default(void);

/* --- marching cubes ------------------------------------------------------------------------------------- */

typedef struct rn_surface rn_surface;

/* The kernel whose sum over all particles is the colour field. The numbers never change. */
typedef enum rn_surface_kernel {
    RN_SURFACE_ISOTROPIC = 0, /* spheres */
    RN_SURFACE_ANISOTROPIC =
        1 /* ellipsoids along the water (Yu and Turk 2013): flatter, sharper, slower */
} rn_surface_kernel;

/* "isotropic", "anisotropic"; NULL past the last. */
RN_API const char *rn_surface_kernel_name(uint32_t kernel);

typedef struct rn_surface_def {
    uint32_t struct_bytes; /* set by rn_surface_def_default(); any other value is refused */
    uint32_t threads;      /* 0: one per processor. With tasks.run: tasks per job */
    rn_cpu_level cpu;      /* default RN_CPU_AUTO; the bits are the same */
    rn_allocator allocator;
    rn_tasks tasks;

    rn_surface_kernel kernel; /* default RN_SURFACE_ISOTROPIC */
    /* In spacings, 0.1 to 1: the edge of a cube. Default 0.5. */
    float voxel;
    /* In spacings, 1.5 to 4: the radius of the kernel. Default 2. A larger one fills gaps and rounds edges. */
    float radius;
    /* True (default): the level is chosen so that the mesh encloses the volume of the particles, and the
     * mesh is moved along its normals by what is then missing. False: the level is `level`. */
    bool keep_volume;
    float level; /* 0.05 to 0.95 of the field inside the water; default 0.6 */
    /* Rounds of smoothing that take the bumps of single particles away, 0 to 1000; default 10. */
    uint32_t smoothing;
    /* Share of the triangles that decimation keeps, above 0, at most 1 (default): none is taken away. */
    float keep_triangles;
} rn_surface_def;

RN_API rn_surface_def rn_surface_def_default(void);

/* On failure *surface is NULL and nothing leaks. */
RN_API rn_result rn_surface_create(const rn_surface_def *def, rn_surface **surface);
RN_API void rn_surface_destroy(rn_surface *surface); /* NULL is fine */

/* What rn_surface_build() found. The arrays belong to the surface and are valid until its next call. */
typedef struct rn_surface_mesh {
    uint32_t struct_bytes;
    rn_mesh mesh;          /* closed and manifold; no triangles where there are no particles */
    const float *normal;   /* of each vertex: x, y, z, unit length, out of the water */
    double volume;         /* m^3 enclosed */
    double area;           /* m^2 */
    float level;           /* of the field, where the surface was taken */
    uint32_t block_count;  /* blocks of 8 x 8 x 8 cubes whose field was computed */
    uint64_t memory_bytes; /* that the surface holds */
    float sort_ms, field_ms, extract_ms, smooth_ms; /* times of the stages */
} rn_surface_mesh;

RN_API rn_surface_mesh rn_surface_mesh_default(void);

/* The surface of the particles. Positions that are not finite are refused with their index. On failure
 * *found is unchanged and the surface stays usable. */
RN_API rn_result rn_surface_build(rn_surface *surface, const rn_surface_points *points,
                                  rn_surface_mesh *found);

/* --- screen-space mesh ------------------------------------------------------------------------------ */

/* The part of the surface that a camera sees, as a mesh whose triangles have about the same size on the screen
 * (Mueller et al. 2007). Fast enough for every frame of a live view; not closed. */
typedef struct rn_screen rn_screen;

typedef struct rn_screen_def {
    uint32_t struct_bytes; /* set by rn_screen_def_default(); any other value is refused */
    uint32_t threads;      /* 0: one per processor. With tasks.run: tasks per job */
    rn_allocator allocator;
    rn_tasks tasks;

    uint32_t cell; /* pixels between nodes of the depth map, 1 to 64; default 4 */
    float radius;  /* in spacings, 0.1 to 10: of a particle; default 1 */
    /* In particle radii, at least 2: neighbouring nodes whose depths differ by more belong to different layers.
     * Default 4. */
    float depth_gap;
    /* Nodes on each side that the depth filter reads, 0 to 32; default 3. 0: single particles are visible. */
    uint32_t depth_smoothing;
    uint32_t silhouette_smoothing; /* rounds, 0 to 32; default 2 */
} rn_screen_def;

RN_API rn_screen_def rn_screen_def_default(void);

/* A perspective camera. Start from rn_camera_default(). */
typedef struct rn_camera {
    uint32_t struct_bytes;
    uint32_t width, height; /* pixels, 8 to 16384; default 1280 x 720 */
    float eye[3];           /* m */
    float target[3];        /* m: what is in the middle of the picture */
    float up[3];            /* any length; default y */
    float fov;              /* degrees, from bottom to top, 1 to 150; default 40 */
    float near_distance;    /* m: particles closer to the eye are left out; default 0.001 */
} rn_camera;

RN_API rn_camera rn_camera_default(void);

RN_API rn_result rn_screen_create(const rn_screen_def *def, rn_screen **screen);
RN_API void rn_screen_destroy(rn_screen *screen); /* NULL is fine */

/* What rn_screen_build() found. The arrays belong to the screen and are valid until its next call. */
typedef struct rn_screen_mesh {
    uint32_t struct_bytes;
    rn_mesh mesh;           /* in the world, m; counter-clockwise as seen by the camera */
    const float *normal;    /* of each vertex, towards the camera's side of the surface */
    uint32_t node_count[2]; /* of the depth map, along x and y */
    const float *depth;     /* of each node, rows from the bottom: m along the view direction before
                                smoothing; infinite: no particle */
    float project_ms, depth_ms, mesh_ms; /* times of the stages */
} rn_screen_mesh;

RN_API rn_screen_mesh rn_screen_mesh_default(void);

/* Walls of points are not used. On failure *found is unchanged and the screen stays usable. */
RN_API rn_result rn_screen_build(rn_screen *screen, const rn_camera *camera,
                                 const rn_surface_points *points, rn_screen_mesh *found);

/* --- surfels ------------------------------------------------------------------------------------------ */

/* Points on the surface with normals, close enough to each other that discs around them leave no hole, for
 * splatting (Grahn 2008, section 6.2.1). There are none where the water touches a wall. */
typedef struct rn_surfels rn_surfels;

typedef struct rn_surfels_def {
    uint32_t struct_bytes; /* set by rn_surfels_def_default(); any other value is refused */
    uint32_t threads;      /* 0: one per processor. With tasks.run: tasks per job */
    rn_allocator allocator;
    rn_tasks tasks;

    float radius;   /* in spacings, 1.5 to 4: of the kernel; default 2 */
    float level;    /* of the colour field at the surface, 0.05 to 0.95; default 0.6 */
    float distance; /* in spacings, 0.1 to 2: wanted between neighbouring surfels; default 0.5 */
    uint32_t rounds; /* of splitting, 0 to 16; default 6. 0: surface particles only, moved onto the surface */
} rn_surfels_def;

RN_API rn_surfels_def rn_surfels_def_default(void);
RN_API rn_result rn_surfels_create(const rn_surfels_def *def, rn_surfels **surfels);
RN_API void rn_surfels_destroy(rn_surfels *surfels); /* NULL is fine */

/* What rn_surfels_build() found. The arrays belong to the surfels and are valid until their next call. */
typedef struct rn_surfel_set {
    uint32_t struct_bytes;
    uint32_t count;
    const float *position;           /* x, y, z; m */
    const float *normal;             /* unit length, out of the water */
    float radius;                    /* m: of discs that cover the surface */
    uint32_t surface_particle_count; /* where the search began */
    float error;                     /* m: the largest last Newton step */
} rn_surfel_set;

RN_API rn_surfel_set rn_surfel_set_default(void);

/* On failure *found is unchanged and the surfels stay usable. */
RN_API rn_result rn_surfels_build(rn_surfels *surfels, const rn_surface_points *points,
                                  rn_surfel_set *found);

#ifdef __cplusplus
}
#endif
#endif
