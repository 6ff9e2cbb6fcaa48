/* runnel/mesh_query.h - where a triangle mesh is: closest points, inside and outside, segments,
 * spheres, and moves that never pass through it.
 *
 * Does:     takes any triangle mesh (open, dirty, a soup) and answers batches of queries: the closest
 *           point, the signed distance, the winding number, the first triangle on a segment, all
 *           triangles within a radius; and moves points along the mesh so that none passes a
 *           triangle. Answers are equal for any number of threads, any instruction set and, where not
 *           said otherwise, any structure.
 * Does not: keep the caller's arrays (the coordinates are copied), repair meshes (runnel/mesh.h
 *           diagnoses them), or know fluids.
 * Smallest use:
 *     rn_mesh_query_def def = rn_mesh_query_def_default();
 *     rn_mesh_query *query = NULL;
 *     if (rn_mesh_query_create(&def, &mesh, &query) != RN_OK) return fail(rn_last_error());
 *     rn_mesh_points points = {.position = xyz, .count = count};       // packed float[3] each
 *     if (rn_mesh_query_closest(query, &points, INFINITY, closest) != RN_OK)
 *         return fail(rn_last_error());
 *     rn_mesh_query_destroy(query);
 *
 * A single query is a batch of one. Calls on one rn_mesh_query must not overlap in time, except for
 * batches of at most 64 points (not rn_mesh_query_contacts): these run on the calling thread and may
 * run on many threads at once. All positions must be finite and at most 1e12 in size; others are
 * refused with index and value.
 */
#ifndef RUNNEL_MESH_QUERY_H
#define RUNNEL_MESH_QUERY_H

#include <runnel/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rn_mesh_query rn_mesh_query;

/* Data structures. The numbers never change; rn_mesh_structure_get_info() lists names and
 * summaries. */
typedef enum rn_mesh_structure {
    RN_MESH_AUTO = 0,           /* picks by the number of triangles; the default */
    RN_MESH_HIERARCHY = 1,      /* a tree of boxes, eight children a node */
    RN_MESH_HASHED_GRID = 2,    /* Grahn 2008, section 7.3 */
    RN_MESH_DISTANCE_FIELD = 3, /* signed distances in a narrow band, interpolated */
    RN_MESH_BRUTE = 4
} rn_mesh_structure;

/* How the hierarchy splits a set of triangles in two. The first three choose an axis as in Grahn
 * 2008, section 4.2.1, and split at the median. */
typedef enum rn_mesh_split {
    RN_SPLIT_SURFACE_AREA = 0, /* the place with the smallest expected cost; the default */
    RN_SPLIT_MIN_SUM = 1,      /* the smallest sum of the volumes of the two boxes */
    RN_SPLIT_MIN_MAX = 2,      /* the smallest larger volume */
    RN_SPLIT_LONGEST_SIDE = 3  /* the longest side of the box */
} rn_mesh_split;

/* How the sign of a distance is found. */
typedef enum rn_mesh_sign {
    RN_SIGN_AUTO = 0,          /* pseudo-normals if the mesh is closed and oriented, else winding */
    RN_SIGN_PSEUDO_NORMAL = 1, /* angle-weighted pseudo-normals (Baerentzen and Aanaes 2005) */
    RN_SIGN_WINDING = 2        /* inside where the winding number exceeds 1/2 */
} rn_mesh_sign;

/* Start from rn_mesh_query_def_default() and change what you need. */
typedef struct rn_mesh_query_def {
    uint32_t struct_bytes; /* set by rn_mesh_query_def_default(); any other value is refused */
    rn_mesh_structure structure;
    rn_mesh_split split;
    rn_mesh_sign sign;

    /* Width of the cells of hashed-grid and distance-field, in m; 0 (default): automatic. The hashed
     * grid looks up the cell of a point only, which holds all triangles within one cell; beyond that
     * it asks a hierarchy. */
    float cell;
    /* Distance field: the half width of the band in m; 0 (default): four cells. */
    float band;
    /* Cells of the grid of distance bounds, by which most moves are decided; 0: no such grid.
     * Default 2^20. Made by the first rn_mesh_query_move of more than 64 points. */
    uint32_t prefilter_cells;

    uint32_t threads;            /* 0: one per processor. With tasks.run: tasks per job */
    rn_cpu_level cpu;            /* default RN_CPU_AUTO; a level this machine lacks is refused */
    uint64_t memory_limit_bytes; /* larger structures are refused; 0: the machine's memory */
    rn_allocator allocator;      /* zero: the C library's */
    rn_tasks tasks;              /* zero: an internal thread pool */
} rn_mesh_query_def;

RN_API rn_mesh_query_def rn_mesh_query_def_default(void);

/* Builds the structure. Indices out of range and coordinates that are not finite are refused with
 * their place. On failure *query is NULL and nothing leaks. A mesh without triangles is allowed:
 * nothing is closest, everything is outside. */
RN_API rn_result rn_mesh_query_create(const rn_mesh_query_def *def, const rn_mesh *mesh,
                                      rn_mesh_query **query);
RN_API void rn_mesh_query_destroy(rn_mesh_query *query); /* NULL is fine */

/* The same triangles with moved vertices (packed x, y, z; as many as the mesh had). The tree keeps
 * its shape: much faster than creating a new object, as long as triangles stay near their
 * neighbours. Grid and field are made again. Refused vertices leave the object unchanged. */
RN_API rn_result rn_mesh_query_refit(rn_mesh_query *query, const float *vertex);

/* Borrowed positions; record i is stride_bytes after record i - 1, 0 means packed. */
typedef struct rn_mesh_points {
    const float *position; /* x, y, z */
    size_t stride_bytes;
    uint32_t count;
} rn_mesh_points;

/* Instead of a triangle: there is none. */
#define RN_MESH_NONE 0xffffffffu

typedef struct rn_mesh_closest {
    float point[3];    /* on the mesh */
    float weight[3];   /* its barycentric coordinates: point = sum of weight[k] * corner k */
    uint32_t triangle; /* the lowest one among equally close ones; RN_MESH_NONE: none in reach, */
    float distance;    /* and then the distance is infinite and the rest 0 */
} rn_mesh_closest;

/* The closest point of the mesh for each position, written to closest[points->count]. Only triangles
 * at most max_distance away count; INFINITY: all. A small max_distance is faster. */
RN_API rn_result rn_mesh_query_closest(rn_mesh_query *query, const rn_mesh_points *points,
                                       float max_distance, rn_mesh_closest *closest);

/* The distance to the mesh, negative inside, written to distance[points->count]; infinite without
 * triangles. Structure distance-field: interpolated within its band, with the error that
 * rn_mesh_query_stats states; exact beyond. */
RN_API rn_result rn_mesh_query_distance(rn_mesh_query *query, const rn_mesh_points *points,
                                        float *distance);

/* The generalised winding number (Jacobson et al. 2013) by a hierarchy of dipoles (Barill et al.
 * 2018), written to winding[points->count]: 1 inside and 0 outside of a closed mesh, other whole
 * numbers where parts overlap or are flipped, fractions near holes. Error below 0.01. */
RN_API rn_result rn_mesh_query_winding(rn_mesh_query *query, const rn_mesh_points *points,
                                       float *winding);

/* Whether each position is inside: the winding number exceeds 1/2. Also for open and dirty meshes. */
RN_API rn_result rn_mesh_query_inside(rn_mesh_query *query, const rn_mesh_points *points,
                                      bool *is_inside);

typedef struct rn_mesh_hit {
    float point[3];
    float weight[3];
    uint32_t triangle; /* RN_MESH_NONE: the segment meets no triangle */
    float t;           /* 0 at from, 1 at to; 1 without a hit */
} rn_mesh_hit;

/* The first triangle on each segment from -> to (as many of both), written to hit[from->count].
 * Watertight: no segment passes between two triangles that share an edge. Touching counts; a segment
 * in the plane of a triangle meets it where it enters; triangles of area 0 are not met. */
RN_API rn_result rn_mesh_query_segment(rn_mesh_query *query, const rn_mesh_points *from,
                                       const rn_mesh_points *to, rn_mesh_hit *hit);

/* Lists of triangles: the list of sphere k is contact[start[k]] .. contact[start[k + 1] - 1], by
 * ascending triangle. The arrays belong to the rn_mesh_query and are valid until the next call of
 * rn_mesh_query_contacts. */
typedef struct rn_mesh_contacts {
    uint32_t count; /* lists: one per sphere */
    const uint64_t *start;
    const rn_mesh_closest *contact;
} rn_mesh_contacts;

/* All triangles at most radius away from each centre, with the closest point of each triangle. */
RN_API rn_result rn_mesh_query_contacts(rn_mesh_query *query, const rn_mesh_points *centres,
                                        float radius, rn_mesh_contacts *contacts);

/* Moves. A move goes through balls that hold no triangle: a distance query shows how far the point
 * may go, the point goes there, and so on; near the mesh it slides along. This needs neither a closed
 * nor an oriented mesh, and no point ever passes a triangle, whatever the mesh and the speed. */
typedef struct rn_mesh_move_def {
    uint32_t struct_bytes; /* set by rn_mesh_move_def_default() */
    float hard;         /* a point that was farther away stays at least this far from the mesh; m */
    float soft;         /* points slide at this distance; larger than hard. Advice: twice hard */
    uint32_t max_steps; /* distance queries per move; a move that needs more ends early. Default 32 */
} rn_mesh_move_def;

/* hard and soft are 0 and must be set: with particles of spacing s, 0.05 s and 0.1 s are good. */
RN_API rn_mesh_move_def rn_mesh_move_def_default(void);

typedef struct rn_mesh_touch {
    uint32_t triangle; /* the first one that the move slid along; RN_MESH_NONE: none */
    float weight[3];   /* barycentric coordinates of the closest point on it */
    float normal[3];   /* from that point to the moving point; unit length */
    uint32_t flags;    /* RN_TOUCH_... */
} rn_mesh_touch;

#define RN_TOUCH_SHORT 1u /* the move ended early: in a corner, or after max_steps */
#define RN_TOUCH_CLOSE 2u /* the point started closer than hard and is still closer than hard */

/* Moves each position (from) towards its target (to), and writes where it arrives to moved (packed x,
 * y, z; may be the array of the targets if that is packed). touch may be NULL. *touch_count: moves
 * that touched the mesh or ended early; may be NULL. */
RN_API rn_result rn_mesh_query_move(rn_mesh_query *query, const rn_mesh_move_def *def,
                                    const rn_mesh_points *from, const rn_mesh_points *to,
                                    float *moved, rn_mesh_touch *touch, uint32_t *touch_count);

/* What was built. Start from rn_mesh_query_stats_default(). */
typedef struct rn_mesh_query_stats {
    uint32_t struct_bytes;       /* set by rn_mesh_query_stats_default() */
    rn_mesh_structure structure; /* the one in use; never RN_MESH_AUTO */
    rn_mesh_sign sign;           /* the one in use; never RN_SIGN_AUTO */
    rn_cpu_level cpu;
    uint32_t threads;
    uint32_t triangle_count;
    uint32_t node_count, leaf_count, depth; /* of the hierarchy */
    uint64_t cell_count;                    /* of grid or field: those that hold something */
    float cell;                             /* their width, m */
    float band;                             /* distance field: half width, m */
    float distance_error; /* distance field: bound of the error in the band, m; otherwise 0 */
    bool is_closed; /* each edge (of welded vertices) has two triangles that agree in orientation */
    double build_ms;
    uint64_t held_bytes;
} rn_mesh_query_stats;

RN_API rn_mesh_query_stats rn_mesh_query_stats_default(void);
RN_API rn_result rn_mesh_query_get_stats(const rn_mesh_query *query, rn_mesh_query_stats *stats);

/* The tables of structures and split rules, the default first. NULL past the end. */
typedef struct rn_mesh_structure_info {
    rn_mesh_structure structure;
    const char *name;    /* "hashed-grid" */
    const char *summary; /* one line */
    const char *source;  /* publication, or "Runnel" */
} rn_mesh_structure_info;

RN_API const rn_mesh_structure_info *rn_mesh_structure_get_info(uint32_t place);
RN_API const char *rn_mesh_split_name(rn_mesh_split split); /* "surface-area"; NULL: no such rule */

/* By name. The message of RN_ERROR_ARGUMENT lists the valid names. */
RN_API rn_result rn_mesh_structure_from_name(const char *name, rn_mesh_structure *structure);
RN_API rn_result rn_mesh_split_from_name(const char *name, rn_mesh_split *split);

#ifdef __cplusplus
}
#endif
#endif
