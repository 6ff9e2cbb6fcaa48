/* The hot loops of the field, compiled for each instruction set (field_plain.c, field_avx2.c, field_avx512.c).
 *
 * A row of a block is eight points, and sums have 16 parts. No operation is contracted or reordered, so all
 * instruction sets give the same bits. */
#include "surface/surface.h"

#include "base/lanes.h"

/* A row of points is one vector or several; with 16 lanes, a vector is two rows. */
#define ROW_VECTORS (RNI_LANES < 8 ? RNI_BLOCK / RNI_LANES : 1u)
#define VECTOR_ROWS (RNI_LANES > 8 ? RNI_LANES / RNI_BLOCK : 1u)
#define SUM_PARTS   16u

/* The points of a block: x of the lanes of a row, y of the lanes of each row. */
typedef struct lattice {
    float x[RNI_BLOCK * VECTOR_ROWS];
    float y[RNI_BLOCK * RNI_BLOCK];
    const float *z;
    float per_step[2]; /* rows, layers a kernel radius */
} lattice;

static inline lattice lattice_of(const float *at)
{
    lattice l = {.z = at + 2 * RNI_BLOCK,
                 .per_step = {1 / at[RNI_BLOCK + 1], 1 / at[2 * RNI_BLOCK + 1]}};
    for (uint32_t k = 0; k < RNI_BLOCK * VECTOR_ROWS; k++) l.x[k] = at[k % RNI_BLOCK];
    for (uint32_t k = 0; k < RNI_BLOCK * RNI_BLOCK; k++) l.y[k] = at[RNI_BLOCK + k / RNI_BLOCK];
    return l;
}

/* At least the points within extent of x; those beyond add nothing. */
static inline void find_range(float per_step, float x, float extent, uint32_t *first, uint32_t *end)
{
    const float low = (x - extent) * per_step - 0.01f;
    const float high = (x + extent) * per_step + 1.01f;
    *first = low > 0 ? (uint32_t)(low < (float)RNI_BLOCK ? low : (float)RNI_BLOCK) : 0;
    *end = high > 0 ? (uint32_t)(high < (float)RNI_BLOCK ? high : (float)RNI_BLOCK) : 0;
}

/* row += weight max(t, 0)^3 */
static inline void add_cube(float *row, float weight, rni_v t)
{
    t = rni_v_max(t, rni_v_set(0));
    rni_v_store(row, rni_v_load(row) + weight * (t * t * t));
}

static void add_spheres(const rni_splat *splats, uint32_t count, const float *at, float *field)
{
    const lattice l = lattice_of(at);
    for (uint32_t n = 0; n < count; n++) {
        const rni_splat *p = &splats[n];
        uint32_t y0, y1, z0, z1;
        rni_v dx_sq[ROW_VECTORS];
        for (uint32_t k = 0; k < ROW_VECTORS; k++) {
            const rni_v dx = rni_v_load(l.x + k * RNI_LANES) - p->x[0];
            dx_sq[k] = dx * dx;
        }
        find_range(l.per_step[0], p->x[1], 1, &y0, &y1);
        find_range(l.per_step[1], p->x[2], 1, &z0, &z1);
        for (uint32_t z = z0; z < z1; z++) {
            const float dz = l.z[z] - p->x[2];
            const rni_v rest_z = rni_v_set(1 - dz * dz);
            for (uint32_t y = y0 / VECTOR_ROWS * VECTOR_ROWS; y < y1; y += VECTOR_ROWS) {
                float *row = field + (size_t)(z * RNI_BLOCK + y) * RNI_BLOCK;
                const rni_v dy = rni_v_load(l.y + (size_t)y * RNI_BLOCK) - p->x[1];
                const rni_v rest = rest_z - dy * dy;
                for (uint32_t k = 0; k < ROW_VECTORS; k++)
                    add_cube(row + k * RNI_LANES, p->weight, rest - dx_sq[k]);
            }
        }
    }
}

static void add_ellipsoids(const rni_splat *splats, uint32_t count, const float *at, float *field)
{
    const lattice l = lattice_of(at);
    for (uint32_t n = 0; n < count; n++) {
        const rni_splat *p = &splats[n];
        uint32_t y0, y1, z0, z1;
        find_range(l.per_step[0], p->x[1], p->extent[1], &y0, &y1);
        find_range(l.per_step[1], p->x[2], p->extent[2], &z0, &z1);
        for (uint32_t z = z0; z < z1; z++) {
            const float dz = l.z[z] - p->x[2];
            for (uint32_t y = y0 / VECTOR_ROWS * VECTOR_ROWS; y < y1; y += VECTOR_ROWS) {
                float *row = field + (size_t)(z * RNI_BLOCK + y) * RNI_BLOCK;
                const rni_v dy = rni_v_load(l.y + (size_t)y * RNI_BLOCK) - p->x[1];
                const rni_v rest =
                    1.0f - (p->form[1] * dy * dy + p->form[2] * dz * dz) - 2 * p->form[5] * dy * dz;
                const rni_v slope = 2.0f * (p->form[3] * dy + p->form[4] * dz);
                for (uint32_t k = 0; k < ROW_VECTORS; k++) {
                    const rni_v dx = rni_v_load(l.x + k * RNI_LANES) - p->x[0];
                    add_cube(row + k * RNI_LANES, p->weight, rest - dx * (slope + p->form[0] * dx));
                }
            }
        }
    }
}

static float sum(const float x[3], const float *const candidate[3], uint32_t count)
{
    rni_v vectors[SUM_PARTS / RNI_LANES];
    for (uint32_t k = 0; k < SUM_PARTS / RNI_LANES; k++) vectors[k] = rni_v_set(0);
    for (size_t j = 0; j < count; j += SUM_PARTS)
        for (uint32_t k = 0; k < SUM_PARTS / RNI_LANES; k++) {
            const size_t c = j + (size_t)k * RNI_LANES;
            const rni_v dx = rni_v_load(candidate[0] + c) - x[0];
            const rni_v dy = rni_v_load(candidate[1] + c) - x[1];
            const rni_v dz = rni_v_load(candidate[2] + c) - x[2];
            rni_v t = rni_v_max(1.0f - (dx * dx + dy * dy + dz * dz), rni_v_set(0));
            vectors[k] = vectors[k] + t * t * t;
        }
    float part[SUM_PARTS], total = 0;
    for (uint32_t k = 0; k < SUM_PARTS / RNI_LANES; k++)
        rni_v_store(part + k * RNI_LANES, vectors[k]);
    for (uint32_t k = 0; k < SUM_PARTS; k++) total += part[k];
    return total;
}

/* --- the surface -------------------------------------------------------------------------------------- */

static void compare(const float *field, float level, uint64_t bits[RNI_BLOCK])
{
    for (uint32_t z = 0; z < RNI_BLOCK; z++, field += RNI_BLOCK * RNI_BLOCK) {
        uint64_t layer = 0;
#if RNI_LANES >= 8
        for (uint32_t k = 0; k < RNI_BLOCK * RNI_BLOCK; k += RNI_LANES)
            layer |= (uint64_t)rni_v_bits(rni_v_less(rni_v_set(level), rni_v_load(field + k))) << k;
#else
        for (uint32_t k = 0; k < RNI_BLOCK * RNI_BLOCK; k++)
            layer |= (uint64_t)(field[k] > level) << k;
#endif
        bits[z] = layer;
    }
}

#define BATCH 16u /* vertices */

/* The field near the edges of a batch. */
typedef struct edges {
    float at[2][BATCH];       /* at both ends */
    float slope[2][3][BATCH]; /* along each axis */
    float place[3][BATCH];    /* of the first end, in steps */
    float along[3][BATCH];    /* 1: the direction of the edge */
    float vertex[3][BATCH], normal[3][BATCH];
} edges;

static inline void read_edges(const rni_crossings *c, uint32_t first, uint32_t count, edges *e)
{
    static const uint32_t stride[3] = {1, RNI_PAD, RNI_PAD * RNI_PAD};
    for (uint32_t n = 0; n < BATCH; n++) {
        /* A batch that is not full repeats its first vertex. */
        const uint32_t v = first + (n < count ? n : 0), axis = c->axis[v], point = c->point[v];
        const float *p = c->field + point, *q = p + stride[axis];
        e->at[0][n] = *p;
        e->at[1][n] = *q;
        for (uint32_t k = 0; k < 3; k++) {
            e->slope[0][k][n] = p[stride[k]] - *(p - stride[k]);
            e->slope[1][k][n] = q[stride[k]] - *(q - stride[k]);
            e->along[k][n] = axis == k;
        }
        e->place[0][n] = (float)(point % RNI_PAD - 1);
        e->place[1][n] = (float)(point / RNI_PAD % RNI_PAD - 1);
        e->place[2][n] = (float)(point / (RNI_PAD * RNI_PAD) - 1);
    }
}

/* As write_vertex() in extract.c, without walls. */
static inline void cross_edges(const rni_crossings *c, edges *e)
{
    const float level = c->level;
    for (uint32_t n = 0; n < BATCH; n++) {
        const float p = e->at[0][n], q = e->at[1][n];
        const bool is_inside = p > level;
        const float in = is_inside ? p : q, out = is_inside ? q : p;
        float t = (in - level) / (in - out);
        t = t < RNI_EDGE_MARGIN ? RNI_EDGE_MARGIN : t;
        t = t > 1 - RNI_EDGE_MARGIN ? 1 - RNI_EDGE_MARGIN : t;
        t = is_inside ? t : 1 - t;
        float normal[3], length_sq = 0;
        for (uint32_t k = 0; k < 3; k++) {
            const float low = e->slope[0][k][n] * c->per_step[k];
            const float high = e->slope[1][k][n] * c->per_step[k];
            e->vertex[k][n] = c->origin[k] + (e->place[k][n] + e->along[k][n] * t) * c->step[k];
            normal[k] = -(low + t * (high - low));
            length_sq += normal[k] * normal[k];
        }
        const float scale = length_sq > 0 ? 1 / sqrtf(length_sq) : 0;
        for (uint32_t k = 0; k < 3; k++)
            e->normal[k][n] = length_sq > 0 ? normal[k] * scale : e->along[k][n];
    }
}

static void cross(const rni_crossings *c)
{
    edges e;
    for (uint32_t first = 0; first < c->count; first += BATCH) {
        const uint32_t count = c->count - first < BATCH ? c->count - first : BATCH;
        read_edges(c, first, count, &e);
        cross_edges(c, &e);
        for (uint32_t n = 0; n < count; n++)
            for (uint32_t k = 0; k < 3; k++) {
                c->vertex[3 * (size_t)(first + n) + k] = e.vertex[k][n];
                c->normal[3 * (size_t)(first + n) + k] = e.normal[k][n];
            }
    }
}

const rni_field_kernel KERNEL_NAME = {add_spheres, add_ellipsoids, sum, compare, cross};
