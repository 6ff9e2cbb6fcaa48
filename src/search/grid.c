/* Method "grid": the default method, developed for Runnel.
 *
 * Points are sorted by cell (grid_sort.c, grid_sparse.c). Neighbours are found cluster by
 * cluster: a cluster is a cell, or a few adjacent cells of a row when they hold few points. Its
 * candidates, 9 ranges of memory, are gathered once for all of its points, without those too far
 * from the cluster's box. Then each point is tested against the remaining candidates
 * (grid_kernel.h). */
#include "search/gathered.h"
#include "search/grid_cells.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

/* A cluster grows by further cells of its row while it has no more points and spans no more
 * cells than this. */
#define CLUSTER_POINTS 16u
#define CLUSTER_CELLS  6u

static rn_result create(rni_search_env *env, void **state)
{
    grid *g = rni_memory_take(env->memory, sizeof *g);
    if (!g) return RN_ERROR_MEMORY;
    memset(g, 0, sizeof *g);
    g->env = env;
    g->kernel = rni_grid_kernel_for(env->cpu);
    *state = g;
    return RN_OK;
}

static void destroy(void *state)
{
    grid *g = state;
    if (!g) return;
    rni_memory *memory = g->env->memory;
    for (uint32_t s = 0; s <= RN_SEARCH_MAX_SETS; s++) {
        grid_set *set = &g->sets[s];
        rni_buffer *buffers[] = {&set->soa, &set->start, &set->column, &set->rows, &set->row_of};
        for (size_t b = 0; b < sizeof buffers / sizeof *buffers; b++)
            rni_buffer_free(memory, buffers[b]);
    }
    for (int axis = 0; axis < 3; axis++) {
        rni_buffer_free(memory, &g->axes[axis].cells);
        rni_buffer_free(memory, &g->axes[axis].columns);
    }
    for (uint32_t w = 0; w < RNI_MAX_WORKERS; w++) {
        rni_buffer_free(memory, &g->workers[w].buffer[0]);
        rni_buffer_free(memory, &g->workers[w].buffer[1]);
    }
    rni_buffer_free(memory, &g->records);
    rni_buffer_free(memory, &g->keys);
    rni_memory_give(memory, g, sizeof *g);
}

/* Layers of cells are often a whole number of pages apart, so that the rows of all layers map to
 * few sets of the L1 cache. The four arrays are therefore staggered by a quarter of a page plus
 * a cache line: a gain of 1 % at 32,768 points, 5 % of the gather. */
#define PAGE_FLOATS  1024u
#define STAGGER      (PAGE_FLOATS / 4 + 16)
#define STAGGER_FROM 4096u

rn_result rni_grid_set_need(grid *g, grid_set *set, uint32_t count)
{
    uint64_t length = ((uint64_t)count + RNI_ROWS_SPILL + 15u) & ~(uint64_t)15u;
    if (count >= STAGGER_FROM) length += (STAGGER - length) % PAGE_FLOATS;
    set->count = 0;
    rn_result result = rni_buffer_need(g->env->memory, &set->soa, 4 * length, sizeof(float));
    if (result != RN_OK) return result;
    set->x = set->soa.data;
    set->y = set->x + length;
    set->z = set->y + length;
    set->id = (uint32_t *)(void *)(set->z + length);
    for (uint64_t k = count; k < length; k++) {
        set->x[k] = set->y[k] = set->z[k] = INFINITY;
        set->id[k] = UINT32_MAX;
    }
    set->points = (grid_points){set->x, set->y, set->z, set->id, NULL};
    set->count = count;
    return RN_OK;
}

static rn_result build(void *state, const rni_cloud *sets, uint32_t set_count)
{
    grid *g = state;
    rn_result result = rni_grid_choose_shape(g, sets, set_count);
    if (result != RN_OK) return result;
    g->env->stats->is_sparse = g->shape.is_sparse;
    g->env->stats->cell_count = 0;
    if (g->shape.is_sparse) result = rni_grid_sparse_sort(g, sets, set_count);
    for (uint32_t s = 0; s < set_count && !g->shape.is_sparse && result == RN_OK; s++)
        result = rni_grid_sort(g, &g->sets[s], &sets[s]);
    g->sets[0].points.radii_sq = g->env->radii_sq;
    return result;
}

static rn_result place(void *state, const rni_cloud *queries)
{
    grid *g = state;
    return rni_grid_place(g, queries);
}

static const uint32_t *order_of(const void *state, uint32_t set)
{
    const grid *g = state;
    return g->sets[set].count > 0 ? g->sets[set].id : NULL;
}

/* Points begin .. end - 1 of a set, in cells x_begin .. x_end of row (y, z); coordinates exclude
 * the pad. */
typedef struct cluster {
    uint32_t begin, end;
    int64_t x_begin, x_end, y, z;
    const grid_row *row; /* where rows are traversed */
} cluster;

/* The cells of one axis around first .. last, as up to two runs; clipped, or wrapped on a
 * periodic axis. */
static uint32_t axis_runs(const grid_shape *shape, int axis, int64_t first, int64_t last,
                          int64_t runs[2][2], bool *is_wrapped)
{
    int64_t n = shape->n[axis], a = first - 1, b = last + 1;
    if (!shape->periodic[axis]) {
        runs[0][0] = a < 0 ? 0 : a;
        runs[0][1] = b >= n ? n - 1 : b;
        return runs[0][0] <= runs[0][1] ? 1 : 0;
    }
    if (n < 8)
        *is_wrapped = true; /* so few cells that a point may be near both sides of a candidate */
    if (b - a + 1 >= n) {
        runs[0][0] = 0;
        runs[0][1] = n - 1;
        *is_wrapped = true;
        return 1;
    }
    if (a >= 0 && b < n) {
        runs[0][0] = a;
        runs[0][1] = b;
        return 1;
    }
    *is_wrapped = true;
    runs[0][0] = a < 0 ? a + n : a;
    runs[0][1] = n - 1;
    runs[1][0] = 0;
    runs[1][1] = b >= n ? b - n : b;
    return 2;
}

/* The first point of a row whose cell along x is at or past x (sparse). */
static uint32_t row_lower_bound(const uint32_t *column, grid_row row, uint32_t x)
{
    uint32_t low = row.begin, high = row.end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (column[middle] < x) low = middle + 1;
        else high = middle;
    }
    return low;
}

static uint64_t row_place(uint64_t y, uint64_t z)
{
    return z << 32 | y;
}

/* The first row, starting from `from`, that is not before (y, z). Steps double, followed by a
 * bisection, so that an adjacent row is found immediately and a distant row quickly. */
static uint32_t row_from(const grid_set *set, uint32_t from, uint32_t y, uint32_t z)
{
    const grid_row *rows = set->rows.data;
    const uint64_t wanted = row_place(y, z), count = set->row_count;
    uint64_t low = from, stride = 1;
    while (low + stride <= count &&
           row_place(rows[low + stride - 1].y, rows[low + stride - 1].z) < wanted) {
        low += stride;
        stride *= 2;
    }
    uint64_t high = low + stride - 1 < count ? low + stride - 1 : count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (row_place(rows[middle].y, rows[middle].z) < wanted) low = middle + 1;
        else high = middle;
    }
    return (uint32_t)low;
}

static const grid_row *find_row(const grid_set *set, uint32_t y, uint32_t z)
{
    const uint32_t at = row_from(set, 0, y, z);
    const grid_row *row = (const grid_row *)set->rows.data + at;
    return at < set->row_count && row->y == y && row->z == z ? row : NULL;
}

/* The range of points in cells x_first .. x_last of row (y, z). */
static grid_range row_range(const grid *g, const grid_set *set, int64_t x_first, int64_t x_last,
                            int64_t y, int64_t z)
{
    if (!g->shape.is_sparse) {
        const uint32_t *start = set->start.data;
        int64_t row = (z * g->shape.n[1] + y) * g->shape.n[0];
        return (grid_range){start[row + x_first], start[row + x_last + 1]};
    }
    const grid_row *row = find_row(set, (uint32_t)y, (uint32_t)z);
    if (!row) return (grid_range){0, 0};
    const uint32_t *column = set->column.data;
    return (grid_range){row_lower_bound(column, *row, (uint32_t)x_first),
                        row_lower_bound(column, *row, (uint32_t)x_last + 1)};
}

/* The ranges around a cluster in a full table without periodic axes: the common case. */
static uint32_t collect_in_table(const grid *g, const grid_set *searched, const cluster *c,
                                 grid_range *ranges, uint64_t *point_count)
{
    const uint32_t *start = searched->start.data;
    const int64_t nx = g->shape.n[0], ny = g->shape.n[1], nz = g->shape.n[2];
    int64_t x_first = c->x_begin > 0 ? c->x_begin - 1 : 0,
            x_past = c->x_end + 2 < nx ? c->x_end + 2 : nx;
    int64_t y_first = c->y > 0 ? c->y - 1 : 0, y_past = c->y + 2 < ny ? c->y + 2 : ny;
    int64_t z_first = c->z > 0 ? c->z - 1 : 0, z_past = c->z + 2 < nz ? c->z + 2 : nz;
    uint32_t count = 0;
    uint64_t points = 0;
    if (x_first >= x_past) y_past = y_first; /* a query outside the table */
    for (int64_t z = z_first; z < z_past; z++) {
        for (int64_t y = y_first; y < y_past; y++) {
            const uint32_t *row = start + (z * ny + y) * nx;
            uint32_t begin = row[x_first], end = row[x_past];
            ranges[count] = (grid_range){begin, end};
            count += begin < end;
            points += end - begin;
        }
    }
    *point_count = points;
    return count;
}

/* The general form, for any structure and periodic axes. Returns the number of ranges, and the
 * number of points in them. */
static uint32_t collect_ranges(const grid *g, const grid_set *searched, const cluster *c,
                               grid_range *ranges, uint64_t *point_count, bool *is_wrapped)
{
    int64_t xs[2][2], ys[2][2], zs[2][2];
    uint32_t count = 0;
    *point_count = 0;
    *is_wrapped = false;
    uint32_t x_runs = axis_runs(&g->shape, 0, c->x_begin, c->x_end, xs, is_wrapped);
    uint32_t y_runs = axis_runs(&g->shape, 1, c->y, c->y, ys, is_wrapped);
    uint32_t z_runs = axis_runs(&g->shape, 2, c->z, c->z, zs, is_wrapped);
    for (uint32_t zr = 0; zr < z_runs; zr++) {
        for (int64_t z = zs[zr][0]; z <= zs[zr][1]; z++) {
            for (uint32_t yr = 0; yr < y_runs; yr++) {
                for (int64_t y = ys[yr][0]; y <= ys[yr][1]; y++) {
                    for (uint32_t xr = 0; xr < x_runs; xr++) {
                        grid_range range = row_range(g, searched, xs[xr][0], xs[xr][1], y, z);
                        if (range.begin >= range.end) continue;
                        *point_count += range.end - range.begin;
                        ranges[count++] = range;
                    }
                }
            }
        }
    }
    return count;
}

/* Starts a traversal along a row at a cluster. Rows are traversed in ascending order. */
static void begin_walk(grid_walk *walk, const grid_set *searched, const cluster *c)
{
    const uint32_t *column = searched->column.data;
    const grid_row *rows = searched->rows.data;
    const uint32_t x_first = c->x_begin > 0 ? (uint32_t)c->x_begin - 1 : 0;
    const uint32_t y_first = c->y > 0 ? (uint32_t)c->y - 1 : 0;
    if (!walk->row) memset(walk->reached, 0, sizeof walk->reached);
    walk->row = c->row;
    walk->count = 0;
    for (int layer = 0; layer < 3; layer++) {
        const int64_t z = c->z + layer - 1;
        if (z < 0) continue;
        uint32_t r = row_from(searched, walk->reached[layer], y_first, (uint32_t)z);
        walk->reached[layer] = r;
        for (; r < searched->row_count && rows[r].z == z && rows[r].y <= c->y + 1; r++) {
            const uint32_t at = row_lower_bound(column, rows[r], x_first);
            walk->around[walk->count].begin = walk->around[walk->count].end = at;
            walk->around[walk->count++].row_end = rows[r].end;
        }
    }
}

/* The ranges around the next cluster of the row. Clusters come in order, so no point is skipped
 * twice. */
static uint32_t collect_on_walk(const grid_kernel *kernel, grid_walk *walk, const grid_set *searched,
                                const cluster *c, grid_range *ranges, uint64_t *point_count)
{
    const int64_t first = c->x_begin > 0 ? c->x_begin - 1 : 0;
    uint32_t count = 0;
    uint64_t points = 0;
    kernel->walk(walk, searched->column.data, (uint32_t)first, (uint32_t)(c->x_end + 2));
    for (uint32_t r = 0; r < walk->count; r++) {
        const uint32_t begin = walk->around[r].begin, end = walk->around[r].end;
        ranges[count] = (grid_range){begin, end};
        count += begin < end;
        points += end - begin;
    }
    *point_count = points;
    return count;
}

/* Moves the points of the cluster to the front of the ranges, so that the candidate index of
 * each point is known. False when they are not one contiguous part of a range. */
static bool put_own_first(grid_range *ranges, uint32_t *count, uint32_t begin, uint32_t end)
{
    uint32_t own = 0;
    while (own < *count && (ranges[own].begin > begin || ranges[own].end < end)) own++;
    if (own == *count) return false;
    const grid_range left = {ranges[own].begin, begin}, right = {end, ranges[own].end};
    ranges[own] = ranges[0];
    ranges[0] = (grid_range){begin, end};
    ranges[*count] = left;
    *count += left.begin < left.end;
    ranges[*count] = right;
    *count += right.begin < right.end;
    return true;
}

/* The candidates of the next cluster of the row begin where the ranges of this cluster end. The
 * first cache line of these is already cached. The next lines, prefetched now, arrive by the
 * time this cluster is tested. */
static void fetch_next(const grid_points *points, const grid_range *ranges, uint32_t count)
{
    for (uint32_t r = 0; r < count; r++) {
        const uint32_t at = ranges[r].end + 16;
        __builtin_prefetch(points->x + at);
        __builtin_prefetch(points->y + at);
        __builtin_prefetch(points->z + at);
        __builtin_prefetch(points->id + at);
    }
}

static rn_result gather_cluster(grid *g, const rni_find *find, const cluster *c, grid_worker *worker,
                                uint32_t side, rni_rows *rows, rni_gathered *out)
{
    const grid_set *set = &g->sets[find->set], *searched = &g->sets[find->searched];
    const rni_space *space = &g->env->space;
    grid_range ranges[GRID_MAX_RANGES];
    uint64_t nearby = 0;
    bool is_wrapped = false;
    uint32_t range_count = 0;
    if (space->is_periodic) {
        range_count = collect_ranges(g, searched, c, ranges, &nearby, &is_wrapped);
    } else if (g->shape.is_sparse) {
        if (worker->walk.row != c->row) begin_walk(&worker->walk, searched, c);
        range_count = collect_on_walk(g->kernel, &worker->walk, searched, c, ranges, &nearby);
    } else {
        range_count = collect_in_table(g, searched, c, ranges, &nearby);
    }
    rni_rows_fetch_spans(rows);
    bool is_own_first =
        find->set == find->searched && put_own_first(ranges, &range_count, c->begin, c->end);
    grid_scratch *scratch = &worker->scratch[side];
    rn_result result = rni_scratch_need(g->env->memory, &worker->buffer[side], scratch, nearby);
    if (result != RN_OK) return result;
    uint32_t candidates = 0;
    grid_middle middle = {.margin = 0.0f};
    if (is_wrapped) {
        candidates = g->kernel->gather_all(&searched->points, ranges, range_count, scratch);
    } else {
        candidates =
            g->kernel->gather_cluster(&set->points, c->begin, c->end, &searched->points, ranges,
                                      range_count, space->radius_sq, scratch, &middle);
    }
    fetch_next(&searched->points, ranges, range_count);
    rni_rows_fetch_spans(rows);
    rows->test_count += nearby + (uint64_t)candidates * (c->end - c->begin);
    *out = (rni_gathered){c->begin, c->end, candidates, is_wrapped, is_own_first, middle};
    return RN_OK;
}

/* Pipeline of clusters: each cluster is gathered before the previous one is tested, so that a
 * test does not read data that has only just been written (the processor would stall: a fifth of
 * the total time). */
typedef struct pipeline {
    grid *g;
    const rni_find *find;
    uint32_t first; /* row */
    grid_worker *worker;
    rni_rows *rows;
    rni_gathered waiting;
    uint32_t side;
    bool is_waiting;
} pipeline;

static rn_result pipeline_end(pipeline *p)
{
    if (!p->is_waiting) return RN_OK;
    p->is_waiting = false;
    return rni_gathered_emit(p->g->kernel, p->g->env, p->find, &p->g->sets[p->find->set].points,
                             &p->waiting, &p->worker->scratch[p->side ^ 1],
                             &p->worker->exact_clusters,
                             p->rows->counts + (p->waiting.begin - p->first), p->rows);
}

static rn_result pipeline_add(pipeline *p, const cluster *c)
{
    rni_gathered next;
    rn_result result = gather_cluster(p->g, p->find, c, p->worker, p->side, p->rows, &next);
    if (result == RN_OK) result = pipeline_end(p);
    p->waiting = next;
    p->is_waiting = true;
    p->side ^= 1;
    return result;
}

/* Processes the clusters of a full table cell by cell. */
static rn_result find_in_table(pipeline *p, uint32_t first, uint32_t end)
{
    const grid_set *set = &p->g->sets[p->find->set];
    const uint32_t *start = set->start.data;
    const grid_shape *shape = &p->g->shape;
    const uint32_t nx = shape->n[0], ny = shape->n[1];
    const uint32_t cell_count = (uint32_t)shape_cell_count(shape);
    uint32_t cell = cell_of_point(start, cell_count, first);
    uint32_t row = cell / nx, row_end = (row + 1) * nx, y = row % ny, z = row / ny;
    for (uint32_t at = first; at < end;) {
        if (start[cell + 1] <= at) cell++; /* usually the next cell */
        if (start[cell + 1] <= at)
            cell = p->g->kernel->pass(start + 1, cell + 1, cell_count, at + 1);
        if (cell >= row_end) {
            row = cell / nx;
            row_end = (row + 1) * nx;
            y = row % ny;
            z = row / ny;
        }
        uint32_t last = cell, limit = row_end - cell < CLUSTER_CELLS ? row_end : cell + CLUSTER_CELLS;
        while (last + 1 < limit && start[last + 2] - at <= CLUSTER_POINTS) last++;
        cluster c = {.begin = at, .end = start[last + 1] < end ? start[last + 1] : end};
        c.x_end = last - row * nx;
        c.x_begin = c.x_end - (int64_t)(last - cell);
        c.y = y;
        c.z = z;
        rn_result result = pipeline_add(p, &c);
        if (result != RN_OK) return result;
        at = c.end;
        cell = last;
    }
    return RN_OK;
}

/* Processes the clusters along the rows that hold points. */
static rn_result find_in_rows(pipeline *p, uint32_t first, uint32_t end)
{
    const grid_set *set = &p->g->sets[p->find->set];
    const uint32_t *column = set->column.data, *row_of = set->row_of.data;
    const grid_row *all_rows = set->rows.data;
    for (uint32_t at = first; at < end;) {
        const grid_row *row = &all_rows[row_of[at]];
        uint32_t row_end = row->end < end ? row->end : end, last = at + 1;
        while (last < row_end &&
               (column[last] == column[at] ||
                (last - at < CLUSTER_POINTS && column[last] - column[at] < CLUSTER_CELLS))) {
            last++;
        }
        const int64_t pad = set->pad;
        cluster c = {.begin = at, .end = last, .row = row};
        c.x_begin = column[at] - pad;
        c.x_end = column[last - 1] - pad;
        c.y = row->y - pad;
        c.z = row->z - pad;
        rn_result result = pipeline_add(p, &c);
        if (result != RN_OK) return result;
        at = last;
    }
    return RN_OK;
}

static rn_result find(void *state, const rni_find *find, uint32_t first, uint32_t count,
                      uint32_t worker, rni_rows *rows)
{
    grid *g = state;
    pipeline p = {.g = g, .find = find, .first = first, .worker = &g->workers[worker], .rows = rows};
    p.worker->walk.row = NULL;
    rn_result result = g->sets[find->set].is_in_rows ? find_in_rows(&p, first, first + count)
                                                     : find_in_table(&p, first, first + count);
    return result == RN_OK ? pipeline_end(&p) : result;
}

const rni_method rni_method_grid = {
    .info = {RN_SEARCH_GRID, "grid",
             "sorted cells searched in clusters: the fastest for any distribution of points",
             "Runnel", true},
    .create = create,
    .destroy = destroy,
    .build = build,
    .place = place,
    .order = order_of,
    .find = find,
};
