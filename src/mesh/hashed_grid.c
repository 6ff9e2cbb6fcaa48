/* Structure "hashed-grid" (Grahn 2008, section 7.3): the box of each triangle, widened by one cell, is
 * entered into all cells that it touches, so a point finds everything within one cell in the bucket of
 * its own cell. Beyond one cell, and for segments, the hierarchy answers. */
#include "mesh/query.h"

#include "base/error.h"

#include <string.h>

static inline uint32_t bucket_of(const rni_hashed_grid *grid, int64_t x, int64_t y, int64_t z)
{
    const uint64_t key = (uint64_t)x * 73856093u ^ (uint64_t)y * 19349663u ^ (uint64_t)z * 83492791u;
    return (uint32_t)(key ^ key >> 32) & grid->mask;
}

/* Rounding is monotone, so that a point in a widened box is in one of its cells. */
static inline int64_t cell_at(const rni_hashed_grid *grid, double x)
{
    const double place = floor(x / (double)grid->cell);
    return (int64_t)(place > 4e15 ? 4e15 : (place < -4e15 ? -4e15 : place));
}

typedef struct cell_range {
    int64_t low[3], high[3];
} cell_range;

static cell_range cells_of(const rn_mesh_query *query, uint32_t t)
{
    cell_range range;
    for (int axis = 0; axis < 3; axis++) {
        double low = (double)INFINITY, high = -(double)INFINITY;
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t v = query->mesh.triangle[(size_t)3 * t + k];
            const double x = (double)query->mesh.vertex[(size_t)3 * v + (size_t)axis];
            low = fmin(low, x);
            high = fmax(high, x);
        }
        /* A little more than a cell: the exact test decides. */
        const double more = (double)query->grid.cell * 1.000001 + 1e-12 * fmax(fabs(low), fabs(high));
        range.low[axis] = cell_at(&query->grid, low - more);
        range.high[axis] = cell_at(&query->grid, high + more);
    }
    return range;
}

static double cell_count(const cell_range *r)
{
    double count = 1.0;
    for (int axis = 0; axis < 3; axis++) count *= (double)(r->high[axis] - r->low[axis] + 1);
    return count;
}

/* Adds triangle t to the buckets of its cells: once per bucket, although cells may share one. Without
 * entry, counts[] only. */
static void enter(rn_mesh_query *query, uint32_t t, uint64_t *next, uint32_t *last, uint32_t *entry)
{
    const cell_range r = cells_of(query, t);
    for (int64_t z = r.low[2]; z <= r.high[2]; z++)
        for (int64_t y = r.low[1]; y <= r.high[1]; y++)
            for (int64_t x = r.low[0]; x <= r.high[0]; x++) {
                const uint32_t bucket = bucket_of(&query->grid, x, y, z);
                if (last[bucket] == t) continue;
                last[bucket] = t;
                if (entry) entry[next[bucket]] = t;
                next[bucket]++;
            }
}

/* The default cell: the mean of the longest sides of the triangles' boxes, but at least 1/256 of the
 * mesh. */
static float default_cell(const rn_mesh_query *query)
{
    double sum = 0.0, longest = 0.0;
    const rn_mesh *mesh = &query->mesh;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        double side = 0.0;
        for (size_t axis = 0; axis < 3; axis++) {
            const uint32_t *c = mesh->triangle + (size_t)3 * t;
            const double a = (double)mesh->vertex[(size_t)3 * c[0] + axis];
            const double b = (double)mesh->vertex[(size_t)3 * c[1] + axis];
            const double d = (double)mesh->vertex[(size_t)3 * c[2] + axis];
            side = fmax(side, fmax(a, fmax(b, d)) - fmin(a, fmin(b, d)));
        }
        sum += side;
    }
    for (int axis = 0; axis < 3; axis++)
        longest =
            fmax(longest, (double)query->hierarchy.high[axis] - (double)query->hierarchy.low[axis]);
    const double mean = mesh->triangle_count > 0 ? sum / mesh->triangle_count : 1.0;
    const double cell = fmax(mean, longest / 256.0);
    return cell > 1e-30 ? (float)cell : 1.0f;
}

static rn_result make_starts(rn_mesh_query *query, uint32_t *last, uint64_t *total)
{
    rni_hashed_grid *grid = &query->grid;
    uint64_t *start = grid->starts.data;
    memset(start, 0, ((size_t)grid->mask + 2) * sizeof *start);
    memset(last, 0xff, ((size_t)grid->mask + 1) * sizeof *last);
    for (uint32_t t = 0; t < query->mesh.triangle_count; t++)
        enter(query, t, start + 1, last, NULL);
    for (uint64_t k = 0; k <= grid->mask; k++) start[k + 1] += start[k];
    *total = start[(size_t)grid->mask + 1];
    return rni_mesh_fits(query, *total * sizeof(uint32_t), "the hashed grid");
}

/* Fills the buckets; start[] moves up by one bucket meanwhile and back at the end. */
static rn_result make_entries(rn_mesh_query *query, uint32_t *last, uint64_t total)
{
    rni_hashed_grid *grid = &query->grid;
    uint64_t *start = grid->starts.data;
    rn_result result = rni_buffer_need(&query->memory, &grid->entries, total + 1, sizeof(uint32_t));
    if (result != RN_OK) return result;
    memset(last, 0xff, ((size_t)grid->mask + 1) * sizeof *last);
    for (uint32_t t = 0; t < query->mesh.triangle_count; t++)
        enter(query, t, start, last, grid->entries.data);
    memmove(start + 1, start, ((size_t)grid->mask + 1) * sizeof *start);
    start[0] = 0;
    grid->start = start;
    grid->entry = grid->entries.data;
    return RN_OK;
}

static rn_result build(rn_mesh_query *query)
{
    rni_hashed_grid *grid = &query->grid;
    grid->start = NULL;
    grid->cell = query->def.cell > 0.0f ? query->def.cell : default_cell(query);
    double cells = 0.0;
    for (uint32_t t = 0; t < query->mesh.triangle_count; t++) {
        const cell_range range = cells_of(query, t);
        cells += cell_count(&range);
    }
    if (!(cells < 4e9))
        return rni_fail(RN_ERROR_LIMIT,
                        "the triangles touch %g cells of width %g; choose a larger cell, or the "
                        "structure hierarchy",
                        cells, (double)grid->cell);
    uint64_t buckets = 1024;
    while ((double)buckets < cells / 4.0 && buckets < 1u << 22) buckets *= 2;
    grid->mask = (uint32_t)buckets - 1;
    rni_buffer lasts = {0};
    uint64_t total = 0;
    rn_result result = rni_buffer_need(&query->memory, &grid->starts, buckets + 1, sizeof(uint64_t));
    if (result == RN_OK)
        result = rni_buffer_need(&query->memory, &lasts, buckets, sizeof(uint32_t));
    if (result == RN_OK) result = make_starts(query, lasts.data, &total);
    if (result == RN_OK) result = make_entries(query, lasts.data, total);
    rni_buffer_free(&query->memory, &lasts);
    return result;
}

/* The bucket of the cell of the point. */
static uint32_t look_up(const rni_hashed_grid *grid, const float point[3])
{
    return bucket_of(grid, cell_at(grid, (double)point[0]), cell_at(grid, (double)point[1]),
                     cell_at(grid, (double)point[2]));
}

/* False: the box of the triangle is farther than the square of a distance. */
static bool nearest(const rn_mesh_query *query, uint32_t t, const double p[3], double limit_sq,
                    rni_near *near)
{
    double v[3][3], away_sq = 0.0;
    const uint32_t *corner = query->mesh.triangle + (size_t)3 * t;
    for (int k = 0; k < 3; k++)
        for (size_t axis = 0; axis < 3; axis++)
            v[k][axis] = (double)query->mesh.vertex[(size_t)3 * corner[k] + axis];
    for (int axis = 0; axis < 3; axis++) {
        double low = v[0][axis] < v[1][axis] ? v[0][axis] : v[1][axis];
        double high = v[0][axis] < v[1][axis] ? v[1][axis] : v[0][axis];
        low = v[2][axis] < low ? v[2][axis] : low;
        high = v[2][axis] > high ? v[2][axis] : high;
        const double away = p[axis] < low ? low - p[axis] : (p[axis] > high ? p[axis] - high : 0.0);
        away_sq += away * away;
    }
    if (away_sq > limit_sq * (1.0 + 1e-9)) return false;
    rni_triangle_nearest((const double(*)[3])v, p, near);
    near->triangle = t;
    return true;
}

static bool closest(const rn_mesh_query *query, const float point[3], double max_distance,
                    rni_near *near)
{
    const rni_hashed_grid *grid = &query->grid;
    const double cell = (double)grid->cell;
    const double p[3] = {(double)point[0], (double)point[1], (double)point[2]};
    const uint32_t bucket = look_up(grid, point);
    *near = (rni_near){.distance_sq = max_distance * max_distance, .triangle = RN_MESH_NONE};
    for (uint64_t k = grid->start[bucket]; k < grid->start[bucket + 1]; k++) {
        rni_near here;
        if (!nearest(query, grid->entry[k], p, near->distance_sq, &here)) continue;
        if (here.distance_sq < near->distance_sq ||
            (near->triangle == RN_MESH_NONE && here.distance_sq == near->distance_sq))
            *near = here;
    }
    if (near->distance_sq <= cell * cell) return near->triangle != RN_MESH_NONE;
    return rni_hierarchy_closest(&query->hierarchy, point, max_distance, near);
}

static void within(const rn_mesh_query *query, const float point[3], double radius,
                   rni_near_fn visit, void *user)
{
    const rni_hashed_grid *grid = &query->grid;
    if (radius > (double)grid->cell) {
        rni_hierarchy_within(&query->hierarchy, point, radius, visit, user);
        return;
    }
    const double p[3] = {(double)point[0], (double)point[1], (double)point[2]};
    const uint32_t bucket = look_up(grid, point);
    for (uint64_t k = grid->start[bucket]; k < grid->start[bucket + 1]; k++) {
        rni_near here;
        if (!nearest(query, grid->entry[k], p, radius * radius, &here)) continue;
        if (here.distance_sq <= radius * radius && !visit(user, &here)) return;
    }
}

static bool segment(const rn_mesh_query *query, const float from[3], const float to[3],
                    rni_crossing *crossing)
{
    return rni_hierarchy_segment(&query->hierarchy, from, to, crossing);
}

static double winding(const rn_mesh_query *query, const float point[3])
{
    return rni_hierarchy_winding(&query->hierarchy, point);
}

const rni_mesh_structure rni_mesh_structure_hashed_grid = {
    .info = {RN_MESH_HASHED_GRID, "hashed-grid",
             "a hash table of cells; each point looks up its own cell only", "Grahn 2008"},
    .build = build,
    .closest = closest,
    .within = within,
    .segment = segment,
    .winding = winding,
};
