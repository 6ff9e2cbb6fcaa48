/* How long surfaces of a block of particles take: one case in, one row out. cli/bench_surface.c is the command. */
#ifndef RNI_BENCH_SURFACE_H
#define RNI_BENCH_SURFACE_H

#include "bench/peer.h"

#include <runnel/surface.h>

typedef enum rni_surface_method {
    RNI_SURFACE_MARCHING_CUBES = 0,
    RNI_SURFACE_ANISOTROPIC = 1, /* marching cubes with anisotropic kernels */
    RNI_SURFACE_SCREEN_MESH = 2, /* at 1280 x 720, the block fills the height */
    RNI_SURFACE_SURFELS = 3
} rni_surface_method;
/* By place in the enum; NULL past the end. */
const char *rni_surface_method_name(uint32_t place);

typedef struct rni_surface_case {
    rni_surface_method method;
    uint32_t particles; /* a cube on a lattice, each moved by up to a tenth of a spacing */
    uint32_t threads;   /* 0: one per processor */
    float voxel;        /* spacings; marching cubes */
    uint32_t cell;      /* pixels; screen mesh */
    uint32_t reps;      /* at least, after a warm-up */
    double seconds;     /* at least */
} rni_surface_case;

typedef struct rni_surface_row {
    double best_s, mean_s;
    double cpu_s; /* least CPU time of all threads: comparable on a busy machine */
    uint32_t reps;
    uint32_t vertices, triangles; /* surfels: their number; 0 */
    double volume;                /* over that of the particles; marching cubes only, otherwise 0 */
    uint64_t bytes;               /* that the object holds; marching cubes only */
    float stage_ms[4]; /* least of each: sort, field, extract, smooth; or project, depth, mesh */
} rni_surface_row;

rn_result rni_bench_surface(const rni_surface_case *c, rni_surface_row *row);

/* The same particles with another library: "openvdb" from particles to the mesh, "vtk" from our field on a dense grid
 * to the mesh. Only times, counts and, in stage_ms[1], the time of the field are filled in. False with a reason when the
 * peer does not exist or fails. */
bool rni_bench_surface_peer(const rni_surface_case *c, const char *name, rni_surface_row *row,
                            char reason[RNI_REASON_BYTES]);
/* Whether the peer begins with the field. */
bool rni_surface_peer_reads_field(const char *name);

#endif
