/* Screen-space meshes (Mueller, Schirm and Duthaler 2007; Grahn 2008, section 6.1.2).
 *
 * Job:    the visible surface of particles as a mesh, for one camera.
 * Order:  project (particles to pixels, sorted by bands of rows) -> depth map -> silhouettes (where edges of the
 *         map cross the border of a particle) -> smooth depth -> vertices, triangles -> smooth silhouettes
 *         -> back to the world, normals. screen.c calls them in this order.
 * Rules:  lengths on the screen in cells: node i, j is at x = i, y = j, from the bottom left. Everything is written
 *         by row or band, never by worker.
 * Next:   screen.c, screen_depth.c, screen_mesh.c.
 */
#ifndef RNI_SURFACE_SCREEN_H
#define RNI_SURFACE_SCREEN_H

#include "base/error.h"
#include "base/parallel.h"

#include <runnel/surface.h>

#define RNI_BAND 16u /* rows of nodes */
#define RNI_TILE 16u /* columns of nodes */
#define RNI_NONE UINT32_MAX

/* A particle as the camera sees it. Rays are u, v, 1 in the camera's axes: lengths per depth. */
typedef struct rni_disc {
    float u, v;  /* of the ray to its centre */
    float k;     /* (radius / depth)^2 */
    float reach; /* its outline is within this distance of u, v */
    float depth; /* m, of its centre; negative: not on the screen */
    float front; /* m: no part of it is closer */
} rni_disc;

/* Where the border of a particle crosses an edge of the depth map. */
typedef struct rni_cut {
    float share; /* of the way from the edge's nearer node; negative: no cut */
    float depth; /* m, of the particle's outline there */
} rni_cut;

struct rn_screen {
    rni_memory memory; /* first: rni_memory_begin() */
    rn_screen_def def;
    rni_crew *crew;

    rn_camera camera; /* of this call */
    rn_surface_points points;
    float right[3], up[3], ahead[3]; /* unit vectors of the camera */
    float scale;                     /* cells per unit of u and v */
    float middle[2];                 /* of the picture, in cells */
    float radius;                    /* m */
    float gap;                       /* m: depths that differ by more are different layers */
    uint32_t columns, rows;          /* nodes */
    uint32_t vertex_count, triangle_count;

    rni_buffer disc, band_start, band; /* discs; numbers of those that touch each band */
    rni_buffer order;                  /* of the discs on the screen, from near to far */
    rni_buffer far_depth;              /* greatest depth of a tile, by band and column of tiles */
    rni_buffer depth, smooth, smooth_scratch; /* of nodes */
    rni_buffer cut[2];                        /* of the edges along x and y that start at a node */
    rni_buffer apart[2];    /* such edges between layers that start before a node, in its row */
    rni_buffer node_vertex; /* of each node; RNI_NONE: none */
    rni_buffer cut_vertex[2][2];            /* front and back vertex of each edge along x and y */
    rni_buffer row_vertices, row_triangles; /* counts by row, then their sums */
    rni_buffer place, place_scratch;        /* of each vertex: x, y (cells), depth (m) */
    rni_buffer link;                        /* of each vertex: up to two along its silhouette */
    rni_buffer vertex, normal, triangle;
    rni_buffer failed; /* by piece: the first position that is not finite */
};

rn_result rni_screen_project(rn_screen *s);
rn_result rni_screen_find_depth(rn_screen *s);
rn_result rni_screen_make_mesh(rn_screen *s);

static inline rn_result rni_screen_need(rni_memory *memory, rni_buffer *buffer, uint64_t count,
                                        size_t element_bytes)
{
    if (buffer->data && count <= buffer->bytes / element_bytes) return RN_OK;
    return rni_buffer_need(memory, buffer, count + count / 4, element_bytes);
}

/* Whether an edge between nodes of these depths is cut by a silhouette. */
static inline bool rni_screen_is_apart(const rn_screen *s, float a, float b)
{
    /* Infinite depths: apart from finite ones, not from each other. */
    return a < b ? !(b - a <= s->gap) : a > b && !(a - b <= s->gap);
}

#endif
