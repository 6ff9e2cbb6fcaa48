/* The hot loops of the field, compiled for each instruction set (field_plain.c, field_avx2.c, field_avx512.c).
 *
 * Plain C that compilers turn into vectors: a row of a block is eight points, and sums have 16 parts. No
 * operation is contracted or reordered, so all instruction sets give the same bits. */
#include "surface/surface.h"

/* First and last point whose coordinate is within extent of x. */
static inline void find_range(const float *at, float x, float extent, uint32_t *first, uint32_t *end)
{
    uint32_t i = 0;
    uint32_t j = RNI_BLOCK;
    while (i < RNI_BLOCK && at[i] <= x - extent) i++;
    while (j > i && at[j - 1] >= x + extent) j--;
    *first = i;
    *end = j;
}

static void add_spheres(const rni_splat *splats, uint32_t count, const float *at,
                        float *restrict field)
{
    for (uint32_t n = 0; n < count; n++) {
        const rni_splat *p = &splats[n];
        uint32_t y0, y1, z0, z1;
        float dx_sq[RNI_BLOCK];
        for (uint32_t k = 0; k < RNI_BLOCK; k++) dx_sq[k] = (at[k] - p->x[0]) * (at[k] - p->x[0]);
        find_range(at + RNI_BLOCK, p->x[1], 1, &y0, &y1);
        find_range(at + 2 * RNI_BLOCK, p->x[2], 1, &z0, &z1);
        for (uint32_t z = z0; z < z1; z++) {
            float dz = at[2 * RNI_BLOCK + z] - p->x[2];
            float rest_z = 1 - dz * dz;
            for (uint32_t y = y0; y < y1; y++) {
                float dy = at[RNI_BLOCK + y] - p->x[1];
                float rest = rest_z - dy * dy;
                if (!(rest > 0)) continue;
                float *restrict row = field + (z * RNI_BLOCK + y) * RNI_BLOCK;
                for (uint32_t k = 0; k < RNI_BLOCK; k++) {
                    float t = rest - dx_sq[k];
                    t = t > 0 ? t : 0;
                    row[k] += p->weight * (t * t * t);
                }
            }
        }
    }
}

static void add_ellipsoids(const rni_splat *splats, uint32_t count, const float *at,
                           float *restrict field)
{
    for (uint32_t n = 0; n < count; n++) {
        const rni_splat *p = &splats[n];
        uint32_t y0, y1, z0, z1;
        find_range(at + RNI_BLOCK, p->x[1], p->extent[1], &y0, &y1);
        find_range(at + 2 * RNI_BLOCK, p->x[2], p->extent[2], &z0, &z1);
        for (uint32_t z = z0; z < z1; z++) {
            float dz = at[2 * RNI_BLOCK + z] - p->x[2];
            for (uint32_t y = y0; y < y1; y++) {
                float dy = at[RNI_BLOCK + y] - p->x[1];
                float rest =
                    1 - (p->form[1] * dy * dy + p->form[2] * dz * dz) - 2 * p->form[5] * dy * dz;
                float slope = 2 * (p->form[3] * dy + p->form[4] * dz);
                float *restrict row = field + (z * RNI_BLOCK + y) * RNI_BLOCK;
                for (uint32_t k = 0; k < RNI_BLOCK; k++) {
                    float dx = at[k] - p->x[0];
                    float t = rest - dx * (slope + p->form[0] * dx);
                    t = t > 0 ? t : 0;
                    row[k] += p->weight * (t * t * t);
                }
            }
        }
    }
}

static float sum(const float x[3], const float *const candidate[3], uint32_t count)
{
    float part[16] = {0};
    const float *restrict cx = candidate[0];
    const float *restrict cy = candidate[1];
    const float *restrict cz = candidate[2];
    for (uint32_t j = 0; j < count; j += 16)
        for (uint32_t k = 0; k < 16; k++) {
            float dx = cx[j + k] - x[0];
            float dy = cy[j + k] - x[1];
            float dz = cz[j + k] - x[2];
            float t = 1 - (dx * dx + dy * dy + dz * dz);
            t = t > 0 ? t : 0;
            part[k] += t * t * t;
        }
    float total = 0;
    for (uint32_t k = 0; k < 16; k++) total += part[k];
    return total;
}

const rni_field_kernel KERNEL_NAME = {add_spheres, add_ellipsoids, sum};
