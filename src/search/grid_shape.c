/* Method "grid": chooses the cell width, and whether to keep a full table of cells.
 *
 * A cell is at least as wide as the radius. Where the points are so spread out that few would
 * share a cell, most of the time would go into empty cells. Cells are then widened until several
 * points share one, provided that a sample shows the points to be spread evenly enough.
 *
 * Where a few outliers are so far from the other points that a table for all points would be too
 * large, the table covers the other points only. Outliers go into its boundary cells: clamping
 * two points to a box never increases their distance, so neighbours are still at most one cell
 * apart. */
#include "search/core.h"
#include "search/grid_cells.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

/* A full table may hold this many cells per point, plus a constant number. */
#define TABLE_CELLS_PER_POINT 16u
#define TABLE_CELLS_FREE      4096u
#define TABLE_AXIS_CELLS      32768u

/* Average number of points per cell, where the distribution allows it. */
#define WIDE_CELL_POINTS 4.0

/* Chooses the cells of an axis from low to high. Cells are wider than the reach by a fraction
 * that grows with their number: the rounding of (position - low) * scale is at most 2^-23 of it,
 * twice for a pair. The first cell begins at a multiple of an eighth of a cell, so that small
 * movements of the points seldom move the cells, and the layers of a lattice are not on cell
 * faces. */
static void choose_axis(grid_shape *shape, int axis, double low, double high, double reach)
{
    double n = 8.0 * floor((high - low) / reach / 8.0) + 8.0;
    double cell = reach * (1.0 + 1e-5 + (n + 16.0) * 0x1p-20);
    if (shape->periodic[axis]) {
        n = floor((high - low) / cell);
        if (n < 1.0) n = 1.0;
        shape->low[axis] = (float)low;
        shape->scale[axis] = (float)(n / (high - low));
        shape->n[axis] = (uint32_t)n;
        return;
    }
    float begin = (float)(floor(low / (0.125 * cell)) * (0.125 * cell));
    if (!((double)begin <= low && low - (double)begin < cell)) begin = (float)low;
    shape->low[axis] = begin;
    shape->scale[axis] = (float)(1.0 / cell);
    shape->n[axis] = (uint32_t)(int32_t)(((float)high - begin) * shape->scale[axis]) + 1;
}

/* The box of all sets, or the period; unused axes have zero extent. */
typedef struct extent {
    double low[3], high[3];
    uint64_t points;
} extent;

static extent extent_of(const rni_space *space, const rni_cloud *sets, uint32_t set_count)
{
    extent all = {.points = 0};
    for (uint32_t s = 0; s < set_count; s++) all.points += sets[s].count;
    for (int axis = 0; axis < 3; axis++) {
        float low = INFINITY, high = -INFINITY;
        for (uint32_t s = 0; s < set_count; s++) {
            if (sets[s].low[axis] < low) low = sets[s].low[axis];
            if (sets[s].high[axis] > high) high = sets[s].high[axis];
        }
        if (low > high || axis >= (int)space->dim) low = high = 0.0f;
        all.low[axis] = (double)low;
        all.high[axis] = (double)high;
        if (space->periodic[axis]) {
            all.low[axis] = (double)space->low[axis];
            all.high[axis] = all.low[axis] + (double)space->period[axis];
        }
    }
    return all;
}

/* The shape with cells `stretch` times as wide as the reach. */
static grid_shape shape_for(const rni_space *space, const extent *all, double stretch)
{
    grid_shape shape = {.is_sparse = false};
    double cells = 1.0;
    for (int axis = 0; axis < 3; axis++) {
        double length = all->high[axis] - all->low[axis], reach = stretch * rni_reach(space, axis);
        shape.periodic[axis] = space->periodic[axis];
        if (length / reach > TABLE_AXIS_CELLS || length > 1e38) {
            shape.is_sparse = true;
            return shape;
        }
        choose_axis(&shape, axis, all->low[axis], all->high[axis], reach);
        cells *= (double)shape.n[axis];
    }
    double limit = (double)TABLE_CELLS_PER_POINT * (double)all->points + (double)TABLE_CELLS_FREE;
    shape.is_sparse = cells > limit || cells > (double)(UINT32_MAX / 2);
    return shape;
}

/* Steps per doubling, so that small movements of the points seldom change the cells. */
#define STRETCH_STEPS 4.0

/* The ratio of cell width to reach that gives WIDE_CELL_POINTS for evenly spread points. Axes
 * shorter than a cell keep one cell. 1 where cells need no widening. */
static double stretch_for(const rni_space *space, const extent *all)
{
    double stretch = 1.0, wanted = fmax((double)all->points / WIDE_CELL_POINTS, 1.0);
    for (int round = 0; round < 3; round++) {
        double cells = 1.0;
        int axes = 0;
        for (int axis = 0; axis < 3; axis++) {
            double n = (all->high[axis] - all->low[axis]) / (stretch * (double)space->radius);
            if (n <= 1.0) continue;
            cells *= n;
            axes++;
        }
        if (axes == 0 || cells <= wanted) break;
        stretch *= pow(cells / wanted, 1.0 / axes);
    }
    return exp2(ceil(log2(stretch) * STRETCH_STEPS) / STRETCH_STEPS);
}

#define SAMPLES     4096u
#define SAMPLE_BITS 13u /* of a table for twice as many samples */

typedef struct sampled_cell {
    uint32_t cell, count; /* 0: a free entry */
} sampled_cell;

/* The number of pairs of samples that share a cell. (Sorting the samples took half of a build of
 * 1,000 points.) */
static uint64_t pairs_in_cells(const uint32_t *cell, uint32_t count, sampled_cell *table)
{
    uint32_t bits = 1;
    while ((1u << bits) < 2 * count) bits++;
    const uint32_t mask = (1u << bits) - 1;
    memset(table, 0, sizeof *table << bits);
    uint64_t pairs = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t at = (cell[k] * 0x9e3779b1u) >> (32 - bits);
        while (table[at].count > 0 && table[at].cell != cell[k]) at = (at + 1) & mask;
        table[at].cell = cell[k];
        pairs += table[at].count++;
    }
    return pairs;
}

/* Samples points of all sets, at most `most`. */
static uint32_t take_samples(const rni_cloud *sets, uint32_t set_count, uint64_t points,
                             uint32_t dim, uint32_t most, float (*sample)[3])
{
    const uint64_t step = points / most + 1;
    uint32_t count = 0;
    for (uint32_t s = 0; s < set_count; s++) {
        for (uint64_t at = 0; at < sets[s].count && count < most; at += step) {
            const uint64_t i = rni_sample_at(at, step, count, sets[s].count);
            rni_cloud_at(&sets[s], dim, (uint32_t)i, sample[count++]);
        }
    }
    return count;
}

/* Estimates whether a point shares its cell with few others, from the fraction of sample pairs
 * that share a cell. */
static rn_result is_even(grid *g, const grid_shape *shape, const rni_cloud *sets,
                         uint32_t set_count, uint64_t points, bool *is_even)
{
    float(*sample)[3] = rni_arena_take(g->env->arena, SAMPLES * sizeof *sample);
    uint32_t *cell = rni_arena_take(g->env->arena, SAMPLES * sizeof *cell);
    sampled_cell *table = rni_arena_take(g->env->arena, sizeof *table << SAMPLE_BITS);
    if (!sample || !cell || !table) return RN_ERROR_MEMORY;
    const cell_map map = cell_map_of(shape, 0);
    const uint32_t count = take_samples(sets, set_count, points, g->env->space.dim, SAMPLES, sample);
    for (uint32_t k = 0; k < count; k++) cell[k] = cell_of(&map, sample[k], true);
    const double pairs = (double)pairs_in_cells(cell, count, table);
    double others = count > 1 ? 2.0 * pairs / count * (double)(points - 1) / (count - 1) : 0.0;
    *is_even = others <= 4.0 * WIDE_CELL_POINTS;
    return RN_OK;
}

/* Chooses cells for a box that holds all points, or nearly all. */
static rn_result choose_for(grid *g, const extent *box, const rni_cloud *sets, uint32_t set_count)
{
    const rni_space *space = &g->env->space;
    double stretch = space->is_periodic ? 1.0 : stretch_for(space, box);
    if (stretch > 1.0 && isfinite(stretch)) {
        const grid_shape wide = shape_for(space, box, stretch);
        bool is_taken = !wide.is_sparse;
        if (is_taken) {
            rn_result result = is_even(g, &wide, sets, set_count, box->points, &is_taken);
            if (result != RN_OK) return result;
        }
        if (is_taken) {
            g->shape = wide;
            return RN_OK;
        }
    }
    g->shape = shape_for(space, box, 1.0);
    return RN_OK;
}

/* --- outliers --------------------------------------------------------------------------------- */

#define CORE_SHARE 16384u /* points per piece */

/* Few enough that each point needs only a few more tests even if all outliers are in one cell. */
static bool are_few(uint64_t outliers, uint64_t points)
{
    return outliers <= points && (double)outliers * (double)outliers <= 16.0 * (double)points;
}

/* The points of one worker that are inside the box: their number and bounds. */
typedef struct core_part {
    _Alignas(RNI_ALIGNMENT) uint64_t count;
    float low[3], high[3];
} core_part;

typedef struct core_job {
    const rni_cloud *cloud;
    uint32_t dim;
    float low[3], high[3];
    core_part *parts; /* one per worker */
} core_job;

static void find_core(void *data, uint32_t piece, uint32_t worker)
{
    const core_job *job = data;
    const uint32_t begin = piece * CORE_SHARE, count = job->cloud->count;
    const uint32_t end = count - begin < CORE_SHARE ? count : begin + CORE_SHARE;
    core_part part = job->parts[worker];
    for (uint32_t i = begin; i < end; i++) {
        float p[3];
        bool is_inside = true;
        rni_cloud_at(job->cloud, job->dim, i, p);
        for (int axis = 0; axis < 3; axis++)
            is_inside = is_inside && p[axis] >= job->low[axis] && p[axis] <= job->high[axis];
        if (!is_inside) continue;
        part.count++;
        for (int axis = 0; axis < 3; axis++) {
            part.low[axis] = p[axis] < part.low[axis] ? p[axis] : part.low[axis];
            part.high[axis] = p[axis] > part.high[axis] ? p[axis] : part.high[axis];
        }
    }
    job->parts[worker] = part;
}

/* Narrows the box of all points to the box without outliers. The outliers are counted, not
 * estimated. */
static rn_result core_extent(grid *g, const rni_cloud *sets, uint32_t set_count, extent *box,
                             uint64_t *outliers)
{
    rni_search_env *env = g->env;
    const uint32_t workers = rni_crew_size(env->crew);
    core_job job = {.dim = env->space.dim};
    job.parts = rni_arena_take(env->arena, workers * sizeof *job.parts);
    if (!job.parts) return RN_ERROR_MEMORY;
    float sample[RNI_CORE_SAMPLES][3];
    const uint32_t count =
        take_samples(sets, set_count, box->points, job.dim, RNI_CORE_SAMPLES, sample);
    for (int axis = 0; axis < 3; axis++) {
        double along[RNI_CORE_SAMPLES];
        for (uint32_t k = 0; k < count; k++) along[k] = (double)sample[k][axis];
        if (count > 0 && !env->space.periodic[axis])
            rni_core_of_axis(along, count, &box->low[axis], &box->high[axis]);
        job.low[axis] = env->space.periodic[axis] ? -INFINITY : (float)box->low[axis];
        job.high[axis] = env->space.periodic[axis] ? INFINITY : (float)box->high[axis];
    }
    for (uint32_t w = 0; w < workers; w++)
        job.parts[w] = (core_part){.low = {INFINITY, INFINITY, INFINITY},
                                   .high = {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t s = 0; s < set_count; s++) {
        job.cloud = &sets[s];
        rni_crew_pieces(env->crew, rni_piece_count(sets[s].count, CORE_SHARE), find_core, &job);
    }
    core_part all = job.parts[0];
    for (uint32_t w = 1; w < workers; w++) {
        all.count += job.parts[w].count;
        for (int axis = 0; axis < 3; axis++) {
            all.low[axis] = fminf(all.low[axis], job.parts[w].low[axis]);
            all.high[axis] = fmaxf(all.high[axis], job.parts[w].high[axis]);
        }
    }
    *outliers = box->points - all.count;
    for (int axis = 0; axis < 3; axis++) {
        if (env->space.periodic[axis] || all.count == 0) continue;
        box->low[axis] = (double)all.low[axis];
        box->high[axis] = (double)all.high[axis];
    }
    return RN_OK;
}

rn_result rni_grid_choose_shape(grid *g, const rni_cloud *sets, uint32_t set_count)
{
    extent box = extent_of(&g->env->space, sets, set_count);
    rn_result result = choose_for(g, &box, sets, set_count);
    if (result != RN_OK || !g->shape.is_sparse) return result;
    uint64_t outliers = 0;
    result = core_extent(g, sets, set_count, &box, &outliers);
    if (result != RN_OK || outliers == 0 || !are_few(outliers, box.points)) return result;
    result = choose_for(g, &box, sets, set_count);
    g->shape.is_clipped = true;
    for (int axis = 0; axis < 3; axis++) {
        g->shape.core_low[axis] = (float)box.low[axis];
        g->shape.core_high[axis] = (float)box.high[axis];
    }
    return result;
}
