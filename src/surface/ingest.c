/* From the caller's positions to particles sorted by block. */
#include "surface/surface.h"

#include "base/sort.h"

#include <math.h>
#include <string.h>

#define PIECE 16384u
/* Share of a step between a wall and the first point of the grid behind which it lies: corners of the domain
 * are cut off by no more than that. */
#define WALL_GAP 0.01f

rn_surface_points rn_surface_points_default(void)
{
    return (rn_surface_points){.struct_bytes = sizeof(rn_surface_points),
                               .domain_wall = {true, true, true, true, true, true}};
}

rn_result rni_surface_check_points(const rn_surface_points *points)
{
    if (points->struct_bytes != sizeof *points)
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "points.struct_bytes is %u instead of %zu; begin with rn_surface_points_default()",
            points->struct_bytes, sizeof *points);
    if (points->count > 0 && !points->position)
        return rni_fail(RN_ERROR_ARGUMENT, "points.position is NULL for %u particles", points->count);
    if (points->stride_bytes != 0 && points->stride_bytes < 3 * sizeof(float))
        return rni_fail(RN_ERROR_ARGUMENT, "points.stride_bytes is %zu; at least 12, or 0 for packed",
                        points->stride_bytes);
    if (!(points->spacing > 0) || !isfinite(points->spacing))
        return rni_fail(RN_ERROR_ARGUMENT, "points.spacing is %g; it must be positive",
                        (double)points->spacing);
    for (uint32_t k = 0; k < 3; k++)
        if (!isfinite(points->domain_low[k]) || !isfinite(points->domain_high[k]) ||
            points->domain_low[k] > points->domain_high[k])
            return rni_fail(RN_ERROR_ARGUMENT, "the domain from %g to %g along %c is no interval",
                            (double)points->domain_low[k], (double)points->domain_high[k], "xyz"[k]);
    return RN_OK;
}

/* --- the box around the particles ------------------------------------------------------------------ */

typedef struct bounds {
    float low[3], high[3];
    uint32_t not_finite; /* the first such particle; UINT32_MAX: none */
} bounds;

static const float *position_of(const rn_surface_points *points, uint32_t i)
{
    size_t stride = points->stride_bytes ? points->stride_bytes : 3 * sizeof(float);
    return (const float *)(const void *)((const char *)points->position + i * stride);
}

static void find_bounds(void *data, uint32_t piece, uint32_t worker)
{
    rn_surface *s = data;
    (void)worker;
    bounds b = {.not_finite = UINT32_MAX};
    uint32_t begin = piece * PIECE;
    uint32_t end = s->points.count - begin < PIECE ? s->points.count : begin + PIECE;
    for (uint32_t k = 0; k < 3; k++) b.low[k] = INFINITY, b.high[k] = -INFINITY;
    for (uint32_t i = begin; i < end; i++) {
        const float *x = position_of(&s->points, i);
        for (uint32_t k = 0; k < 3; k++) {
            if (!isfinite(x[k]) && b.not_finite == UINT32_MAX) b.not_finite = i;
            if (x[k] < b.low[k]) b.low[k] = x[k];
            if (x[k] > b.high[k]) b.high[k] = x[k];
        }
    }
    ((bounds *)s->partial.data)[piece] = b;
}

static rn_result find_all_bounds(rn_surface *s, bounds *all)
{
    uint32_t pieces = rni_piece_count(s->points.count, PIECE);
    if (rni_surface_need(&s->memory, &s->partial, pieces, sizeof(bounds))) return RN_ERROR_MEMORY;
    rni_crew_pieces(s->crew, pieces, find_bounds, s);
    const bounds *part = s->partial.data;
    *all = part[0];
    for (uint32_t p = 0; p < pieces; p++) {
        if (part[p].not_finite != UINT32_MAX) {
            const float *x = position_of(&s->points, part[p].not_finite);
            return rni_fail(RN_ERROR_ARGUMENT,
                            "particle %u is at %g, %g, %g; positions must be finite",
                            part[p].not_finite, (double)x[0], (double)x[1], (double)x[2]);
        }
        for (uint32_t k = 0; k < 3; k++) {
            all->low[k] = fminf(all->low[k], part[p].low[k]);
            all->high[k] = fmaxf(all->high[k], part[p].high[k]);
        }
    }
    return RN_OK;
}

/* --- the grid ---------------------------------------------------------------------------------------- */

/* Along one axis: a whole number of steps fits between the walls, so that a point is just in front of each. */
static void fit_axis(rni_surface_grid *grid, const rn_surface_points *points, uint32_t k, float step)
{
    float length = points->domain_high[k] - points->domain_low[k];
    float start = points->domain_low[k];
    grid->step[k] = step;
    if (length > 4 * step) {
        float steps = roundf(length / step);
        grid->step[k] = length / (steps + 2 * WALL_GAP);
        start += WALL_GAP * grid->step[k];
    }
    grid->edge[k] = (float)RNI_BLOCK * grid->step[k];
    grid->low[k] = start;
}

static rn_result place_grid(rn_surface *s, const bounds *all)
{
    rni_surface_grid *grid = &s->grid;
    const rn_surface_points *points = &s->points;
    grid->spacing = points->spacing;
    grid->radius = s->def.radius * points->spacing;
    grid->reach = grid->radius;
    if (s->def.kernel == RN_SURFACE_ANISOTROPIC) grid->reach *= RNI_MAX_STRETCH + RNI_MAX_SHIFT;
    for (uint32_t k = 0; k < 3; k++) {
        fit_axis(grid, points, k, s->def.voxel * points->spacing);
        /* Block 0 is far enough below the first particle that no neighbour has a negative number. */
        grid->range[k] = (int32_t)ceilf((grid->reach + grid->step[k]) / grid->edge[k]);
        float margin = (float)(grid->range[k] + 2) * grid->edge[k];
        float below = (all->low[k] - margin - grid->low[k]) / grid->edge[k];
        float blocks = (all->high[k] - all->low[k]) / grid->edge[k];
        if (!(blocks < 1e6f) || !(fabsf(below) < 1e6f))
            return rni_fail(
                RN_ERROR_LIMIT,
                "the particles from %g to %g along %c are more than %g blocks of %g m apart; leave "
                "out those that are far away, or check the spacing of %g m",
                (double)all->low[k], (double)all->high[k], "xyz"[k], 1e6, (double)grid -> edge[k],
                (double)points -> spacing);
        grid->low[k] += floorf(below) * grid->edge[k];
    }
    float bins = roundf(grid->edge[0] / (2 * points->spacing));
    grid->bins = (uint32_t)(bins > (float)RNI_MAX_BINS ? (float)RNI_MAX_BINS : bins);
    if (grid->bins > 0) {
        float side = grid->edge[0] / ((float)grid->bins * points->spacing);
        grid->full_count = 0.75f * side * side * side;
        if (side < 1.6f) grid->bins = 0; /* too few particles in a bin to tell */
    }
    return RN_OK;
}

/* --- sorting ----------------------------------------------------------------------------------------- */

static void find_keys(void *data, uint32_t piece, uint32_t worker)
{
    rn_surface *s = data;
    (void)worker;
    uint64_t *key = s->key.data;
    uint32_t *order = s->order.data;
    uint32_t begin = piece * PIECE;
    uint32_t end = s->points.count - begin < PIECE ? s->points.count : begin + PIECE;
    for (uint32_t i = begin; i < end; i++) {
        const float *x = position_of(&s->points, i);
        int32_t at[3];
        for (uint32_t k = 0; k < 3; k++)
            at[k] = (int32_t)((x[k] - s->grid.low[k]) / s->grid.edge[k]);
        key[i] = rni_block_key(at);
        order[i] = i;
    }
}

static void gather(void *data, uint32_t piece, uint32_t worker)
{
    rn_surface *s = data;
    (void)worker;
    const uint32_t *order = s->order.data;
    float *position = s->position.data;
    uint32_t begin = piece * PIECE;
    uint32_t end = s->points.count - begin < PIECE ? s->points.count : begin + PIECE;
    for (uint32_t i = begin; i < end; i++)
        memcpy(position + 3 * (size_t)i, position_of(&s->points, order[i]), 3 * sizeof(float));
}

rn_result rni_surface_ingest(rn_surface *s)
{
    uint32_t count = s->points.count;
    bounds all;
    rn_result result = find_all_bounds(s, &all);
    if (result == RN_OK) result = place_grid(s, &all);
    if (result != RN_OK) return result;
    if (rni_surface_need(&s->memory, &s->key, count, sizeof(uint64_t)) ||
        rni_surface_need(&s->memory, &s->key_scratch, count, sizeof(uint64_t)) ||
        rni_surface_need(&s->memory, &s->order, count, sizeof(uint32_t)) ||
        rni_surface_need(&s->memory, &s->order_scratch, count, sizeof(uint32_t)) ||
        rni_surface_need(&s->memory, &s->position, count, 3 * sizeof(float)))
        return RN_ERROR_MEMORY;
    uint32_t pieces = rni_piece_count(count, PIECE);
    rni_crew_pieces(s->crew, pieces, find_keys, s);
    result = rni_sort_u64(s->crew, &s->arena, count, s->key.data, s->order.data,
                          s->key_scratch.data, s->order_scratch.data);
    if (result != RN_OK) return result;
    rni_crew_pieces(s->crew, pieces, gather, s);
    return RN_OK;
}
