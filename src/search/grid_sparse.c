/* Method "grid": sorts points into cell order where a full table of cells would be too large:
 * distant clusters, isolated points, coordinates of any magnitude.
 *
 * Each axis maps positions to columns (grid_axis). A stable sort by all three columns brings the
 * points into the order z, y, x, and the rows of cells that hold points are listed in that
 * order. Cost and memory depend only on the number of points. */
#include "search/grid_cells.h"

#include "base/error.h"
#include "base/sort.h"
#include "base/validate.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Cells this far from the origin are narrower than the spacing of floats: only equal coordinates
 * can be near. */
#define EXACT_CELLS       0x1p36
#define MAX_COLUMNS       0x40000000 /* per axis */
#define MAX_RANKED_POINTS 0x30000000u
/* empty columns before the first, so that queries outside find nothing */
#define MARGIN 2u

#define SHARE 16384u /* points per piece */

/* Maps a float to an integer, preserving the order. */
static int64_t float_rank(float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >= 0 ? bits : (int64_t)INT32_MIN - bits;
}

static int64_t open_axis_cell_of(const grid_axis *axis, float position)
{
    const double at = ((double)position - axis->low) * axis->scale;
    if (axis->is_periodic) {
        if (at < 0.0) return 0;
        return at > (double)axis->last ? axis->last : (int64_t)at;
    }
    if (at >= EXACT_CELLS)
        return (int64_t)EXACT_CELLS + ((int64_t)1 << 33) + 2 * float_rank(position);
    if (at < 1.0 - EXACT_CELLS)
        return -(int64_t)EXACT_CELLS - ((int64_t)1 << 33) + 2 * float_rank(position);
    const int64_t cell = (int64_t)at;
    return cell - ((double)cell > at); /* rounds down; a call of floor() took twice as long */
}

static int64_t axis_cell_of(const grid_axis *axis, float position)
{
    const int64_t cell = open_axis_cell_of(axis, position);
    if (!axis->is_clipped) return cell;
    return cell < axis->first ? axis->first : cell > axis->last ? axis->last : cell;
}

/* The column of a cell, which may be empty: one column from those of adjacent cells, more from
 * others. */
static uint32_t column_of(const grid_axis *axis, int64_t cell)
{
    if (axis->is_periodic) return (uint32_t)cell;
    if (cell < axis->first - 1) return 0;
    if (!axis->is_ranked) {
        if (cell > axis->last + 1) cell = axis->last + 2;
        return (uint32_t)(cell - axis->first) + MARGIN;
    }
    const int64_t *cells = axis->cells.data;
    const uint32_t *columns = axis->columns.data;
    uint32_t low = 0, high = axis->cell_count; /* the first of the cells past this one */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (cells[middle] <= cell) low = middle + 1;
        else high = middle;
    }
    if (low == 0) return columns[0] - 1;
    int64_t past = cell - cells[low - 1];
    if (past < 2) return columns[low - 1] + (uint32_t)past;
    if (low < axis->cell_count && cells[low] - cell == 1) return columns[low] - 1;
    return columns[low - 1] + 2;
}

typedef struct sparse_job {
    grid *g;
    grid_set *set;
    const rni_cloud *cloud;
    uint32_t dim, axis;
    const cell_map *map; /* queries in a full table; NULL: columns by g->axes */
    uint64_t n[3];       /* columns per axis */
    uint64_t *key; /* per point: (row of cells) * n[0] + column along x; the row is z * n[1] + y */
    uint32_t *order, *row_rank;
    const uint64_t *row_list; /* rows by rank, where row numbers would be too large for a key */
    uint32_t *row_before;     /* number of rows that begin before a piece */
    int64_t *cells;           /* scratch for ranking an axis */
} sparse_job;

static void for_points(sparse_job *job, rni_piece_fn work)
{
    rni_crew_pieces(job->g->env->crew, rni_piece_count(job->cloud->count, SHARE), work, job);
}

static uint32_t piece_end(const sparse_job *job, uint32_t piece)
{
    uint32_t begin = piece * SHARE;
    return job->cloud->count - begin < SHARE ? job->cloud->count : begin + SHARE;
}

static void find_cells(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    sparse_job *job = data;
    for (uint32_t i = piece * SHARE; i < piece_end(job, piece); i++) {
        float p[3];
        rni_cloud_at(job->cloud, job->dim, i, p);
        job->cells[i] = axis_cell_of(&job->g->axes[job->axis], p[job->axis]);
    }
}

/* --- keys: one number per point, ascending along z, y, x -------------------------------------- */

static uint32_t column_at(const sparse_job *job, const float p[3], int axis)
{
    if (job->map) return axis_cell(job->map, p[axis], axis, true);
    const grid_axis *a = &job->g->axes[axis];
    return column_of(a, axis_cell_of(a, p[axis]));
}

static uint64_t row_at(const sparse_job *job, const float p[3])
{
    return column_at(job, p, 2) * job->n[1] + column_at(job, p, 1);
}

static void find_row_keys(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    sparse_job *job = data;
    for (uint32_t i = piece * SHARE; i < piece_end(job, piece); i++) {
        float p[3];
        rni_cloud_at(job->cloud, job->dim, i, p);
        job->key[i] = row_at(job, p);
        job->order[i] = i;
    }
}

static void find_keys(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    sparse_job *job = data;
    for (uint32_t i = piece * SHARE; i < piece_end(job, piece); i++) {
        float p[3];
        rni_cloud_at(job->cloud, job->dim, i, p);
        const uint64_t row = job->row_rank ? job->row_rank[i] : row_at(job, p);
        job->key[i] = row * job->n[0] + column_at(job, p, 0);
        job->order[i] = i;
    }
}

static rn_result sort_keys(sparse_job *job, uint64_t *key_scratch, uint32_t *order_scratch)
{
    rni_search_env *env = job->g->env;
    return rni_sort_u64(env->crew, env->arena, job->cloud->count, job->key, job->order, key_scratch,
                        order_scratch);
}

/* Numbers the rows that hold points, starting from 0. */
static rn_result rank_rows(sparse_job *job, uint64_t *key_scratch, uint32_t *order_scratch)
{
    const uint32_t count = job->cloud->count;
    rni_arena *arena = job->g->env->arena;
    uint64_t *row_list = rni_arena_take(arena, count * sizeof *row_list);
    uint32_t *row_rank = rni_arena_take(arena, count * sizeof *row_rank);
    if (!row_list || !row_rank) return RN_ERROR_MEMORY;
    for_points(job, find_row_keys);
    rn_result result = sort_keys(job, key_scratch, order_scratch);
    if (result != RN_OK) return result;
    uint32_t row_count = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (k == 0 || job->key[k] != job->key[k - 1]) row_list[row_count++] = job->key[k];
        row_rank[job->order[k]] = row_count - 1;
    }
    job->row_list = row_list;
    job->row_rank = row_rank;
    return RN_OK;
}

/* Whether the largest key fits into 64 bits. */
static bool is_in_range(const uint64_t n[3])
{
    uint64_t keys = 0;
    return !__builtin_mul_overflow(n[0], n[1] * n[2], &keys); /* columns are below 2^31 */
}

/* --- rows ------------------------------------------------------------------------------------- */

/* A row begins where the row of the key differs from that of the previous key. A first pass
 * counts the rows, a second one creates them. */
static void count_rows(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    sparse_job *job = data;
    const uint32_t begin = piece * SHARE, end = piece_end(job, piece);
    const uint64_t *key = job->key, nx = job->n[0];
    /* the first key past the row */
    uint64_t row_end = begin > 0 ? (key[begin - 1] / nx + 1) * nx : 0;
    uint32_t count = 0;
    for (uint32_t k = begin; k < end; k++) {
        if (key[k] < row_end) continue;
        row_end = (key[k] / nx + 1) * nx;
        count++;
    }
    job->row_before[piece + 1] = count;
}

static grid_row row_from(const sparse_job *job, uint64_t key, uint32_t begin)
{
    uint64_t row = key / job->n[0];
    if (job->row_list) row = job->row_list[row];
    return (grid_row){(uint32_t)(row % job->n[1]), (uint32_t)(row / job->n[1]), begin, 0};
}

#define FETCH_AHEAD 16u /* points: they may be anywhere in the caller's memory */

static void take_points(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    sparse_job *job = data;
    const grid_set set = *job->set;
    const rni_cloud cloud = *job->cloud;
    uint32_t *column = set.column.data, *row_of = set.row_of.data;
    const uint32_t begin = piece * SHARE, end = piece_end(job, piece), *order = job->order;
    const uint64_t *key = job->key, nx = job->n[0];
    uint64_t row_begin = begin > 0 ? key[begin - 1] / nx * nx : 0;
    uint32_t row = job->row_before[piece];
    for (uint32_t k = begin; k < end; k++) {
        if (k == 0 || key[k] - row_begin >= nx) {
            row_begin = key[k] / nx * nx;
            ((grid_row *)set.rows.data)[row++] = row_from(job, key[k], k);
        }
        if (end - k > FETCH_AHEAD)
            __builtin_prefetch(cloud.position + order[k + FETCH_AHEAD] * cloud.stride_bytes);
        float p[3];
        rni_cloud_at(&cloud, job->dim, order[k], p);
        set.x[k] = p[0];
        set.y[k] = p[1];
        set.z[k] = p[2];
        set.id[k] = order[k];
        column[k] = (uint32_t)(key[k] - row_begin);
        row_of[k] = row - 1;
    }
}

static rn_result make_rows(sparse_job *job)
{
    grid_set *set = job->set;
    rni_search_env *env = job->g->env;
    const uint32_t pieces = rni_piece_count(job->cloud->count, SHARE);
    job->row_before = rni_arena_take(env->arena, (pieces + 1) * sizeof *job->row_before);
    if (!job->row_before) return RN_ERROR_MEMORY;
    job->row_before[0] = 0;
    for_points(job, count_rows);
    for (uint32_t piece = 0; piece < pieces; piece++)
        job->row_before[piece + 1] += job->row_before[piece];
    set->row_count = job->row_before[pieces];
    rn_result result = rni_buffer_need(env->memory, &set->rows, set->row_count, sizeof(grid_row));
    if (result != RN_OK) return result;
    for_points(job, take_points);
    grid_row *rows = set->rows.data;
    for (uint32_t r = 0; r < set->row_count; r++)
        rows[r].end = r + 1 < set->row_count ? rows[r + 1].begin : job->cloud->count;
    env->stats->cell_count += set->row_count;
    return RN_OK;
}

const char *rni_validate_grid_rows(const grid_set *set)
{
    const grid_row *rows = set->rows.data;
    const uint32_t *column = set->column.data, *row_of = set->row_of.data;
    uint32_t next = 0;
    for (uint32_t r = 0; r < set->row_count; r++) {
        const grid_row *row = &rows[r];
        if (row->begin != next || row->end <= row->begin || row->end > set->count)
            return "a row does not begin where the one before ends";
        if (r > 0 && (row->z < row[-1].z || (row->z == row[-1].z && row->y <= row[-1].y)))
            return "the rows do not ascend";
        for (next = row->begin; next < row->end; next++) {
            if (row_of[next] != r) return "a point names the wrong row";
            if (next == row->begin) continue;
            if (column[next] < column[next - 1]) return "the columns of a row do not ascend";
            if (column[next] == column[next - 1] && set->id[next] < set->id[next - 1])
                return "the points of a cell are not in ascending index order";
        }
    }
    if (next != set->count) return "a point is in no row";
    return rni_validate_permutation(set->id, set->count);
}

/* Whether each point is in the row and column of its position. */
static __attribute__((unused)) bool are_in_place(const sparse_job *job)
{
    const grid_set *set = job->set;
    const grid_row *rows = set->rows.data;
    const uint32_t *column = set->column.data, *row_of = set->row_of.data;
    for (uint32_t k = 0; k < set->count; k++) {
        const float p[3] = {set->x[k], set->y[k], set->z[k]};
        const grid_row *row = &rows[row_of[k]];
        if (column[k] != column_at(job, p, 0) || row->z * job->n[1] + row->y != row_at(job, p))
            return false;
    }
    return true;
}

/* Where outliers are in the boundary cells of a full table, query points outside search for them
 * there. */
static uint32_t pad_of(const grid *g)
{
    return g->shape.is_clipped ? 0 : MARGIN;
}

static rn_result fill_set(grid *g, grid_set *set, const rni_cloud *cloud, const cell_map *map)
{
    rni_search_env *env = g->env;
    uint32_t count = cloud->count;
    sparse_job job = {.g = g, .set = set, .cloud = cloud, .dim = env->space.dim, .map = map};
    set->is_in_rows = true;
    set->pad = map ? pad_of(g) : 0;
    rn_result result = rni_grid_set_need(g, set, count);
    if (result == RN_OK)
        result = rni_buffer_need(env->memory, &set->column, (uint64_t)count + RNI_ROWS_SPILL,
                                 sizeof(uint32_t));
    if (result == RN_OK)
        result = rni_buffer_need(env->memory, &set->row_of, count, sizeof(uint32_t));
    if (result != RN_OK) return result;
    for (int axis = 0; axis < 3; axis++) job.n[axis] = g->shape.n[axis] + 2 * (uint64_t)set->pad;
    job.key = rni_arena_take(env->arena, count * sizeof *job.key);
    job.order = rni_arena_take(env->arena, count * sizeof *job.order);
    uint64_t *key_scratch = rni_arena_take(env->arena, count * sizeof *key_scratch);
    uint32_t *order_scratch = rni_arena_take(env->arena, count * sizeof *order_scratch);
    if (!job.key || !job.order || !key_scratch || !order_scratch) return RN_ERROR_MEMORY;
    if (!is_in_range(job.n)) result = rank_rows(&job, key_scratch, order_scratch);
    if (result != RN_OK) return result;
    for_points(&job, find_keys);
    result = sort_keys(&job, key_scratch, order_scratch);
    if (result == RN_OK) result = make_rows(&job);
    assert(result != RN_OK || (!rni_validate_grid_rows(set) && are_in_place(&job)));
    return result;
}

/* Keeps the cells of one axis that hold points, and assigns columns to them: gaps shrink to at
 * most four columns. */
static rn_result rank_axis(grid *g, int axis, const rni_cloud *clouds, uint32_t cloud_count)
{
    rni_search_env *env = g->env;
    grid_axis *a = &g->axes[axis];
    uint64_t total = 0;
    for (uint32_t s = 0; s < cloud_count; s++) total += clouds[s].count;
    if (total > MAX_RANKED_POINTS) {
        return rni_fail(RN_ERROR_LIMIT,
                        "%llu points occupy more cells than can be numbered; the limit is %u",
                        (unsigned long long)total, MAX_RANKED_POINTS);
    }
    uint32_t count = (uint32_t)total;
    rn_result result = rni_buffer_need(env->memory, &a->cells, count, sizeof(int64_t));
    if (result == RN_OK)
        result = rni_buffer_need(env->memory, &a->columns, count, sizeof(uint32_t));
    if (result != RN_OK) return result;
    int64_t *cells = a->cells.data;
    uint32_t *columns = a->columns.data;
    uint64_t *key_scratch = rni_arena_take(env->arena, (size_t)count * sizeof *key_scratch);
    uint32_t *value_scratch = rni_arena_take(env->arena, (size_t)count * sizeof *value_scratch);
    if (!key_scratch || !value_scratch) return RN_ERROR_MEMORY;
    for (uint64_t s = 0, at = 0; s < cloud_count; at += clouds[s].count, s++) {
        sparse_job job = {.g = g, .cloud = &clouds[s], .dim = env->space.dim, .axis = (uint32_t)axis};
        job.cells = cells + at;
        for_points(&job, find_cells);
    }
    uint64_t *keys = (uint64_t *)(void *)cells; /* maps the signed order to the unsigned order */
    const uint64_t flip = (uint64_t)1 << 63;
    for (uint32_t k = 0; k < count; k++) {
        keys[k] ^= flip;
        columns[k] = 0;
    }
    result = rni_sort_u64(env->crew, env->arena, count, keys, columns, key_scratch, value_scratch);
    if (result != RN_OK) return result;
    for (uint32_t k = 0; k < count; k++) keys[k] ^= flip;
    a->cell_count = 0;
    for (uint32_t k = 0; k < count; k++) {
        int64_t cell = cells[k];
        if (a->cell_count == 0) {
            columns[0] = MARGIN;
        } else {
            int64_t gap = cell - cells[a->cell_count - 1];
            if (gap == 0) continue;
            columns[a->cell_count] = columns[a->cell_count - 1] + (uint32_t)(gap < 4 ? gap : 4);
        }
        cells[a->cell_count++] = cell;
    }
    a->first = cells[0];
    a->last = cells[a->cell_count - 1];
    g->shape.n[axis] = columns[a->cell_count - 1] + 1 + MARGIN;
    return RN_OK;
}

static rn_result choose_axis(grid *g, int axis, const rni_cloud *clouds, uint32_t cloud_count)
{
    const rni_space *space = &g->env->space;
    grid_axis *a = &g->axes[axis];
    double cell =
        rni_reach(space, axis) * (1.0 + 1e-4); /* EXACT_CELLS keep rounding below 2^-16 of a cell */
    a->is_periodic = g->shape.periodic[axis] = space->periodic[axis];
    a->is_ranked = a->is_clipped = false;
    if (a->is_periodic) {
        double n = floor((double)space->period[axis] / cell);
        if (n < 1.0) n = 1.0;
        if (n > MAX_COLUMNS) n = MAX_COLUMNS;
        a->low = (double)space->low[axis];
        a->scale = n / (double)space->period[axis];
        a->first = 0;
        a->last = (int64_t)n - 1;
        g->shape.n[axis] = (uint32_t)n;
        return RN_OK;
    }
    float low = INFINITY, high = -INFINITY;
    for (uint32_t s = 0; s < cloud_count; s++) {
        if (clouds[s].low[axis] < low) low = clouds[s].low[axis];
        if (clouds[s].high[axis] > high) high = clouds[s].high[axis];
    }
    if (low > high || axis >= (int)space->dim) low = high = 0.0f;
    a->low = 0.0;
    a->scale = 1.0 / cell;
    if (g->shape.is_clipped) {
        low = g->shape.core_low[axis];
        high = g->shape.core_high[axis];
    }
    a->first = axis_cell_of(a, low);
    a->last = axis_cell_of(a, high);
    a->is_clipped = g->shape.is_clipped;
    if (a->last - a->first > MAX_COLUMNS) {
        a->is_ranked = true;
        return rank_axis(g, axis, clouds, cloud_count);
    }
    g->shape.n[axis] = (uint32_t)(a->last - a->first) + 1 + 2 * MARGIN;
    return RN_OK;
}

rn_result rni_grid_sparse_sort(grid *g, const rni_cloud *clouds, uint32_t cloud_count)
{
    for (int axis = 0; axis < 3; axis++) {
        rn_result result = choose_axis(g, axis, clouds, cloud_count);
        if (result != RN_OK) return result;
    }
    for (uint32_t s = 0; s < cloud_count; s++) {
        rn_result result = fill_set(g, &g->sets[s], &clouds[s], NULL);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

rn_result rni_grid_place(grid *g, const rni_cloud *queries)
{
    grid_set *set = &g->sets[RNI_QUERIES];
    if (g->shape.is_sparse) return fill_set(g, set, queries, NULL);
    cell_map map = cell_map_of(&g->shape, pad_of(g));
    return fill_set(g, set, queries, &map);
}
