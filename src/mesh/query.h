/* The object behind runnel/mesh_query.h.
 *
 * In:     a mesh, checked and copied (query.c); batches of positions.
 * Out:    answers by position, the same for any number of threads.
 * Order:  create -> structure.build -> batches (batch.c, contacts.c, move.c) -> structure.closest, ...
 *
 * A structure is a row of functions. To add one: write a file with one rni_mesh_structure
 * (brute.c is the smallest), declare it below, add it to the table in query.c and to CMakeLists.txt, and
 * put its number into runnel/mesh_query.h. */
#ifndef RNI_MESH_QUERY_H
#define RNI_MESH_QUERY_H

#include "mesh/hierarchy.h"

/* Batches of at most this many points run on the calling thread. */
#define RNI_MESH_SMALL_BATCH 64u
#define RNI_MESH_PIECE       128u

typedef struct rni_mesh_structure {
    rn_mesh_structure_info info;
    /* Builds from query->mesh; called again after a refit. After a failure, query holds nothing of
     * the structure. NULL: the hierarchy alone. */
    rn_result (*build)(rn_mesh_query *query);
    bool (*closest)(const rn_mesh_query *query, const float point[3], double max_distance,
                    rni_near *near);
    void (*within)(const rn_mesh_query *query, const float point[3], double radius,
                   rni_near_fn visit, void *user);
    bool (*segment)(const rn_mesh_query *query, const float from[3], const float to[3],
                    rni_crossing *crossing);
    double (*winding)(const rn_mesh_query *query, const float point[3]);
} rni_mesh_structure;

extern const rni_mesh_structure rni_mesh_structure_brute;
extern const rni_mesh_structure rni_mesh_structure_hashed_grid;
extern const rni_mesh_structure rni_mesh_structure_distance_field;
extern const rni_mesh_structure rni_mesh_structure_hierarchy;

/* hashed-grid: the triangles of bucket k are entry[start[k]] .. entry[start[k + 1] - 1], ascending. */
typedef struct rni_hashed_grid {
    rni_buffer starts, entries;
    const uint64_t *start;
    const uint32_t *entry;
    uint32_t mask; /* number of buckets - 1 */
    float cell;
} rni_hashed_grid;

/* distance-field: blocks of 4^3 cells near the mesh, each with the signed distances at its nodes. */
#define RNI_FIELD_CELLS 4u
#define RNI_FIELD_NODES 125u
typedef struct rni_distance_field {
    rni_buffer table, blocks;
    const uint32_t *block_of; /* by place in the table; UINT32_MAX: far from the mesh */
    const float *value;       /* RNI_FIELD_NODES per block */
    uint32_t size[3];         /* of the table, in blocks */
    uint32_t block_count;
    double origin[3];
    double cell;
    double error; /* of an interpolated value */
} rni_distance_field;

/* Lower bounds of the distance to the mesh, a byte per cell (prefilter.c). */
typedef struct rni_prefilter {
    rni_buffer bounds;
    const uint8_t *bound; /* in units; NULL: not made yet */
    uint32_t size[3];
    float origin[3], inverse_cell;
    float unit;
} rni_prefilter;

/* Normals for the sign of distances (sign.c). */
typedef struct rni_mesh_normals {
    rni_buffer corners, edges, vertex_sums, edge_sums;
    const uint32_t *vertex_of;                /* welded vertex of each corner */
    const uint32_t *edge_of;                  /* edge of each corner and the next */
    const float *vertex_normal, *edge_normal; /* x, y, z; any length */
    uint32_t edge_count;
    bool has_closed_edges;
    bool is_closed; /* and no triangle is without area */
} rni_mesh_normals;

struct rn_mesh_query {
    rni_memory memory; /* first: rni_memory_begin */
    rn_mesh_query_def def;
    rni_crew *crew;
    const rni_mesh_structure *structure;
    rn_cpu_level cpu;
    rn_mesh_sign sign;
    rn_mesh mesh; /* on the copies below */
    rni_buffer vertices, triangles;
    rni_hierarchy hierarchy;
    rni_hashed_grid grid;
    rni_distance_field field;
    rni_prefilter prefilter;
    rni_mesh_normals normals;
    rni_buffer contact_starts, contact_list;
    double build_ms;
};

/* Welds, finds edges, sums normals; also says whether the mesh is closed. sign.c. */
rn_result rni_mesh_normals_build(rn_mesh_query *query);
/* The normals again, after the vertices have moved; which vertices are one stays. */
void rni_mesh_normals_sum(rn_mesh_query *query);
void rni_mesh_normals_free(rn_mesh_query *query);
/* -1 inside, 1 outside or on the mesh; near belongs to point. */
double rni_mesh_sign_at(const rn_mesh_query *query, const float point[3], const rni_near *near);
/* The exact signed distance; infinite without triangles. */
double rni_mesh_signed_distance(const rn_mesh_query *query, const float point[3]);

/* The interpolated distance; false: outside the band, or the values jump. distance_field.c. */
bool rni_field_distance(const rni_distance_field *field, const float point[3], double *distance);

rn_result rni_prefilter_build(rn_mesh_query *query);

/* Work on the positions begin .. end - 1 of a batch. */
typedef void (*rni_batch_fn)(void *data, uint32_t begin, uint32_t end);
void rni_batch_run(rn_mesh_query *query, uint32_t count, rni_batch_fn work, void *data);

rn_result rni_mesh_points_check(const rn_mesh_query *query, const rn_mesh_points *points,
                                const char *name, const void *output);

static inline void rni_point_at(const rn_mesh_points *points, uint32_t i, float p[3])
{
    const size_t stride = points->stride_bytes ? points->stride_bytes : 3 * sizeof(float);
    const unsigned char *from = (const unsigned char *)points->position + i * stride;
    __builtin_memcpy(p, from, 3 * sizeof(float));
}

/* The public form of an exact closest point. */
rn_mesh_closest rni_closest_of(const rni_near *near);

/* Refuses a structure that would exceed the memory limit. */
rn_result rni_mesh_fits(const rn_mesh_query *query, uint64_t more_bytes, const char *what);

#endif
