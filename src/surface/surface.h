/* Marching cubes: from particles to a closed mesh.
 *
 * Job:    the level set of a field that is a sum of kernels, only where there is a surface.
 * Input:  rn_surface_points. Output: arrays of vertices, normals, triangles.
 * Order:  ingest (grid, particles sorted by block) -> blocks (which are near particles, which deep inside)
 *         -> weights (of particles; ellipsoids) -> field (values, walls) -> level -> extract (refine: again) -> smooth
 *         -> decimate. surface.c calls them in this order.
 * Rules:  the grid consists of blocks of 8^3 points. A block owns its points and the edges that start at them along
 *         +x, +y and +z. Results are written by block, never by worker.
 * Next:   surface.c, then the stages.
 */
#ifndef RNI_SURFACE_SURFACE_H
#define RNI_SURFACE_SURFACE_H

#include "base/error.h"
#include "base/parallel.h"

#include <runnel/surface.h>

#define RNI_BLOCK        8u   /* points of a block along an axis */
#define RNI_BLOCK_POINTS 512u /* RNI_BLOCK^3 */
#define RNI_PAD          11u  /* a block with one point around it below, and two above */
#define RNI_PAD_POINTS   1331u
#define RNI_MAX_BINS     4u /* along an axis of a block: bins that tell whether it is full */
#define RNI_NO_BLOCK     UINT32_MAX
/* Largest stretch of an ellipsoid and largest shift of its centre (half the way to neighbours within one radius), in
 * radii: how far a particle reaches. */
#define RNI_MAX_STRETCH 1.75f
#define RNI_MAX_SHIFT   0.5f

/* Where the points of the grid are. */
typedef struct rni_surface_grid {
    float low[3];     /* m: of point 0, 0, 0 */
    float step[3];    /* m; nearly equal: a whole number of steps fits into the domain */
    float edge[3];    /* m: 8 steps */
    float spacing;    /* m, of the particles */
    float radius;     /* m: of the kernel */
    float reach;      /* m: of the widest kernel */
    int32_t range[3]; /* blocks that a particle reaches, to each side */
    uint32_t bins;    /* along an axis of a block; 0: not known whether blocks are full */
    float full_count; /* particles at a corner of bins that counts as full */
} rni_surface_grid;

/* A block that particles reach. */
typedef struct rni_block {
    uint64_t key;          /* block coordinates, 21 bits each, x lowest */
    uint32_t begin, end;   /* its particles, in sorted order */
    float low[3], high[3]; /* around these particles */
    uint32_t field;        /* number of its values; RNI_NO_BLOCK: deep inside, all 1 */
    uint32_t wall;         /* number of its wall distances; RNI_NO_BLOCK: no wall near */
    uint32_t border; /* number of its rni_block_edges (extract.h); RNI_NO_BLOCK: it has no surface */
    bool is_inside;
} rni_block;

/* One particle as the field reads it, around a point; lengths in kernel radii. */
typedef struct rni_splat {
    float x[3];
    float weight;
    float extent[3]; /* half the box around it */
    float form[6];   /* xx, yy, zz, xy, xz, yz of the quadratic form; isotropic: not used */
} rni_splat;

/* The field around a block, and the vertices of the block. */
typedef struct rni_crossings {
    const float *field; /* RNI_PAD_POINTS */
    float level;
    float origin[3], step[3], per_step[3]; /* m; 1 / m */
    uint32_t count;
    const uint16_t *point; /* of each vertex: where its edge begins, in the pad */
    const uint8_t *axis;   /* of its edge */
    float *vertex, *normal;
} rni_crossings;

/* Vertices keep this share of an edge away from its ends, so that no two coincide. */
#define RNI_EDGE_MARGIN 0.002f

/* The hot loops (field_kernel.h), for one instruction set. */
typedef struct rni_field_kernel {
    /* Adds weight (1 - |point - x|^2)^3 of each splat to the points of a block. at[8 axis + i]:
     * coordinate of point i along an axis. */
    void (*add_spheres)(const rni_splat *splats, uint32_t count, const float *at, float *field);
    void (*add_ellipsoids)(const rni_splat *splats, uint32_t count, const float *at, float *field);
    /* Sum of (1 - |x - candidate|^2)^3 over candidates; count is a multiple of 16. */
    float (*sum)(const float x[3], const float *const candidate[3], uint32_t count);
    /* Bit 8 y + x of bits[z]: the value of a point of a block is above the level. */
    void (*compare)(const float *field, float level, uint64_t bits[RNI_BLOCK]);
    /* Places and normals of vertices where the field crosses the level. */
    void (*cross)(const rni_crossings *crossings);
} rni_field_kernel;

extern const rni_field_kernel rni_field_kernel_plain;
#ifdef RNI_X86
extern const rni_field_kernel rni_field_kernel_avx2;
extern const rni_field_kernel rni_field_kernel_avx512;
#endif

struct rn_surface {
    rni_memory memory; /* first: rni_memory_begin() */
    rn_surface_def def;
    rni_crew *crew;
    rni_arena arena; /* of one call */
    const rni_field_kernel *kernel;

    rn_surface_points points; /* of this call */
    rni_surface_grid grid;
    uint32_t block_count, field_count, wall_count, border_count, adjacent_count;
    uint32_t table_mask; /* length of the table - 1 */
    uint32_t vertex_count, triangle_count;
    float level;
    double volume, area;

    rni_buffer key, key_scratch, order, order_scratch; /* of particles */
    rni_buffer position;                               /* sorted: x, y, z */
    rni_buffer splat;                                  /* sorted: rni_splat in m */
    rni_buffer block, table;                           /* rni_block; hash table of block numbers */
    rni_buffer bin;                                    /* blocks.c */
    rni_buffer fields, walls, evaluated; /* 512 floats a block; the block of each field */
    rni_buffer around;                   /* of each field: 27 numbers, as rni_block_around() */
    rni_buffer inside;  /* of each field: 8 layers of bits, as rni_field_kernel.compare */
    rni_buffer borders; /* rni_block_edges */
    rni_buffer vertex, normal, triangle; /* the mesh */
    rni_buffer on_wall, kind;            /* uint8_t of each vertex: it ends at a wall; smooth.c */
    rni_buffer ring_start, ring;         /* neighbours of each vertex */
    rni_buffer vertex_scratch;
    rni_buffer twin, out, touched, quadrics; /* decimate.c */
    rni_buffer partial;                      /* sums by piece */
    rni_buffer *scratch;                     /* of each worker */
    uint32_t worker_count;
};

/* --- the stages, each in a file of its name -------------------------------------------------------- */

rn_result rni_surface_check_points(const rn_surface_points *points);
rn_result rni_surface_ingest(rn_surface *s);
rn_result rni_surface_find_blocks(rn_surface *s);
rn_result rni_surface_weigh(rn_surface *s);
/* Gives all workers the same room: which of them meets the fullest block is chance. */
rn_result rni_surface_level_scratch(rn_surface *s);
/* The ellipsoid of particle i, whose candidates (in kernel radii around origin) are within two radii: moves splat->x
 * and sets form and extent. weights.c calls it. */
typedef struct rni_candidates {
    const float *x[3];
    uint32_t count; /* a multiple of 16; the last ones are far away */
    float origin[3];
} rni_candidates;
void rni_surface_stretch(const rn_surface *s, const rni_candidates *candidates, float wall_share,
                         rni_splat *splat);
rn_result rni_surface_fill_field(rn_surface *s);
rn_result rni_surface_choose_level(rn_surface *s);
/* Which edges the surface crosses: s->borders, and the number of vertices and triangles. */
rn_result rni_surface_find_crossings(rn_surface *s);
rn_result rni_surface_extract(rn_surface *s);
/* Another level, and the mesh again, while that encloses too much or too little. */
rn_result rni_surface_refine_level(rn_surface *s);
/* What a vertex may do. */
enum {
    RNI_FREE = 0,
    RNI_ON_WALL = 1, /* all its neighbours are on walls too */
    RNI_AT_WALL = 2, /* where the water meets a wall: moves along it */
    RNI_AT_EDGE = 3  /* where it meets two: moves along the line that they share */
};
/* Sets the kind of each vertex. The normal of RNI_AT_WALL becomes that of the wall, of RNI_AT_EDGE the direction of
 * the line. */
void rni_surface_find_contacts(rn_surface *s);
/* Also volume, area and, with smoothing, normals. */
rn_result rni_surface_smooth(rn_surface *s);
/* m^3 that the mesh encloses. */
rn_result rni_surface_measure(rn_surface *s, double *volume);
/* Part of smoothing: takes triangles away; the neighbours of vertices are then no longer known. */
rn_result rni_surface_decimate(rn_surface *s);

/* As rni_buffer_need(), with a quarter more when it grows: frames of a sequence differ little. */
static inline rn_result rni_surface_need(rni_memory *memory, rni_buffer *buffer, uint64_t count,
                                         size_t element_bytes)
{
    if (buffer->data && count <= buffer->bytes / element_bytes) return RN_OK;
    return rni_buffer_need(memory, buffer, count + count / 4, element_bytes);
}

/* --- what they share ----------------------------------------------------------------------------------- */

static inline uint64_t rni_block_key(const int32_t at[3])
{
    return (uint64_t)(uint32_t)at[0] | (uint64_t)(uint32_t)at[1] << 21 |
           (uint64_t)(uint32_t)at[2] << 42;
}

static inline void rni_block_at(uint64_t key, int32_t at[3])
{
    for (uint32_t k = 0; k < 3; k++) at[k] = (int32_t)(key >> (21 * k) & 0x1fffffu);
}

/* The number of a block; RNI_NO_BLOCK: no particle reaches it. */
uint32_t rni_block_find(const rn_surface *s, uint64_t key);
/* The 27 blocks around a block, x fastest; itself in the middle. */
void rni_block_around(const rn_surface *s, uint64_t key, uint32_t around[27]);
/* m: of point 0, 0, 0 of a block. */
void rni_block_origin(const rn_surface *s, uint64_t key, float origin[3]);
/* m^2 between a box and a box, squared; 0: they touch. */
float rni_box_gap_sq(const float low[3], const float high[3], const float other_low[3],
                     const float other_high[3]);

/* Values and wall distances (NULL: not wanted) of a block and of the points around it. Returns whether a wall is
 * near. */
bool rni_block_pad(const rn_surface *s, const uint32_t around[27], float *field, float *wall);

/* Walls within reach of x: their count and distances. */
uint32_t rni_surface_walls_near(const rn_surface_points *points, const float x[3], float reach,
                                float distance[RN_SURFACE_MAX_WALLS + 6]);
/* The share of a kernel that is on the fluid's side of a wall at distance u radii. */
float rni_surface_wall_share(float u);
/* The share for all walls near x, and the least distance (at most reach). */
float rni_surface_walls_share(const rn_surface_points *points, const float x[3], float radius,
                              float *least);

/* Whether a wall may be within reach of a block. */
bool rni_block_is_near_wall(const rn_surface *s, const rni_block *block, float reach);

/* The field at any place, with its walls, and its gradient, 1/m; after rni_surface_weigh(). Isotropic kernels. */
float rni_surface_field_at(const rn_surface *s, const float x[3], float gradient[3]);

/* The field of the last rn_surface_build() on one dense grid, for comparisons with other programs; x fastest. */
typedef struct rni_dense_field {
    uint32_t first[3], count[3]; /* points of the grid */
    float low[3], step[3];       /* m */
    float level;
} rni_dense_field;
/* Around all points that are not 0; count is 0 without particles. */
rni_dense_field rni_surface_dense_size(const rn_surface *s);
/* value: the product of the counts. */
void rni_surface_dense_fill(const rn_surface *s, const rni_dense_field *dense, float *value);

/* Numbers of the vertices of a block and of its faces above, by axis and by the point where the edge begins. */
#define RNI_EDGE_ROW    (RNI_BLOCK + 1)
#define RNI_EDGE_LAYER  (RNI_EDGE_ROW * RNI_EDGE_ROW)
#define RNI_EDGE_POINTS (RNI_EDGE_ROW * RNI_EDGE_LAYER)

/* Triangles of a cube: edges, three a triangle; bit c of the case: corner c is inside. Corner bits: x 1, y 2,
 * z 4. Edge 4 a + u + 2 v is along axis a, at u and v along the two other axes in ascending order. */
typedef struct rni_cube_table {
    uint8_t triangle_count[256];
    uint8_t edge[256][3 * 5];
    uint16_t place[256][3 * 5]; /* of each edge: a RNI_EDGE_POINTS + point, from the first point of the cube */
} rni_cube_table;
const rni_cube_table *rni_cube_table_get(void);

#endif
