/* Measuring mesh queries: one case in, one row per structure and peer out.
 *
 * Job:    nanoseconds per query on one thread, on a wrinkled ring (mesh_layouts.h). Queries are
 *         measured in chunks; each chunk counts with its fastest repetition, so that a busy machine
 *         disturbs little. Peers measure in the same way.
 * Next:   mesh.c; cli/bench_mesh.c is the command, lab/bvh_or_grid.c an experiment. */
#ifndef RNI_BENCH_MESH_H
#define RNI_BENCH_MESH_H

#include "bench/mesh_layouts.h"
#include "bench/peer.h"

#include <runnel/mesh_query.h>

/* Queries within this distance, in m: a support radius of water with a spacing of 1 cm. */
#define RNI_MESH_BENCH_NEAR 0.02

/* What all rows of a case share: the mesh, and points around and inside it. */
typedef struct rni_mesh_case {
    rni_mesh_layout layout;
    uint32_t count, reps;
    float *from, *to; /* up to 0.15 m from the mesh along each axis; segments */
    float *inside_from,
        *inside_to; /* moves inside: water of spacing 1 cm that moves by up to 0.4 of it */
} rni_mesh_case;

typedef struct rni_mesh_row {
    char structure[32];
    bool is_peer;
    double build_ms;
    double closest_ns, near_ns, distance_ns, inside_ns, segment_ns, move_ns; /* NaN: not measured */
    double distance;    /* mean distance of the closest points, m */
    double touch_share; /* moves that touched the mesh */
    double held_mb;
    bool disagrees; /* its mean distance is not that of the first row */
} rni_mesh_row;

rn_result rni_mesh_case_make(uint32_t triangles, uint32_t points, uint32_t reps, rni_mesh_case *c);
void rni_mesh_case_release(rni_mesh_case *c);

/* brute answers only as many points as take about 0.2 s. */
rn_result rni_bench_mesh(const rni_mesh_case *c, const rn_mesh_query_def *def, rni_mesh_row *row);
/* False with a reason when the peer cannot run. */
bool rni_bench_mesh_peer(const rni_mesh_case *c, const char *name, rni_mesh_row *row,
                         char reason[RNI_REASON_BYTES]);

#endif
