/* Method "grid": points into cell order where a full table of cells would be too large: clusters
 * far apart, one point a continent, coordinates of any size.
 *
 * Each axis turns positions into columns (grid_axis), three stable sorts bring the points into the
 * order z, y, x, and the rows of cells that hold points go into a hash table. Cost and memory
 * depend on the number of points only. */
#include "search/grid_cells.h"

#include "base/error.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

/* Cells this far from the origin are narrower than the steps of a float: only equal coordinates
 * can be near. */
#define EXACT_CELLS       0x1p36
#define MAX_COLUMNS       0x40000000 /* of an axis */
#define MAX_RANKED_POINTS 0x30000000u
#define MARGIN            2u /* empty columns before the first, so that queries outside find nothing */

#define SHARE 16384u /* points a piece */

/* A float as an integer that grows with it. */
static int64_t float_rank(float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >= 0 ? bits : (int64_t)INT32_MIN - bits;
}

static int64_t axis_cell_of(const grid_axis *axis, float position)
{
    double cell = floor(((double)position - axis->low) * axis->scale);
    if (axis->is_periodic) {
        if (cell < 0.0) return 0;
        return cell > (double)axis->last ? axis->last : (int64_t)cell;
    }
    if (cell >= EXACT_CELLS)
        return (int64_t)EXACT_CELLS + ((int64_t)1 << 33) + 2 * float_rank(position);
    if (cell <= -EXACT_CELLS)
        return -(int64_t)EXACT_CELLS - ((int64_t)1 << 33) + 2 * float_rank(position);
    return (int64_t)cell;
}

/* The column of a cell, also of one that holds no point: one column from those of adjacent
 * cells, more from others. */
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
    uint32_t low = 0, high = axis->cell_count; /* first of the cells past this one */
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
    uint32_t *column[3]; /* in the caller's order */
    const uint32_t *order;
    const uint32_t *key_of; /* columns to bring into order */
    uint32_t *key;
    int64_t *cells;      /* while an axis is ranked */
    const cell_map *map; /* queries in a full table; NULL: columns by g->axes */
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

static void find_columns(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    sparse_job *job = data;
    for (uint32_t i = piece * SHARE; i < piece_end(job, piece); i++) {
        float p[3];
        rni_cloud_at(job->cloud, job->dim, i, p);
        for (int axis = 0; axis < 3; axis++) {
            if (job->map) {
                job->column[axis][i] = axis_cell(job->map, p[axis], axis, true);
                continue;
            }
            const grid_axis *a = &job->g->axes[axis];
            job->column[axis][i] = column_of(a, axis_cell_of(a, p[axis]));
        }
    }
}

static void take_keys(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    sparse_job *job = data;
    for (uint32_t k = piece * SHARE; k < piece_end(job, piece); k++)
        job->key[k] = job->key_of[job->order[k]];
}

static void take_points(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    sparse_job *job = data;
    grid_set *set = job->set;
    uint32_t *column = set->column.data;
    for (uint32_t k = piece * SHARE; k < piece_end(job, piece); k++) {
        uint32_t i = job->order[k];
        float p[3];
        rni_cloud_at(job->cloud, job->dim, i, p);
        set->x[k] = p[0];
        set->y[k] = p[1];
        set->z[k] = p[2];
        set->id[k] = i;
        column[k] = job->column[0][i];
    }
}

static rn_result make_rows(sparse_job *job)
{
    grid_set *set = job->set;
    rni_memory *memory = job->g->env->memory;
    uint32_t count = job->cloud->count;
    uint32_t *row_of = set->row_of.data;
    set->row_count = 0;
    const uint32_t *y = job->column[1], *z = job->column[2], *order = job->order;
    for (uint32_t k = 0; k < count; k++) {
        bool is_new = k == 0 || y[order[k]] != y[order[k - 1]] || z[order[k]] != z[order[k - 1]];
        if (is_new) set->row_count++;
        row_of[k] = set->row_count - 1;
    }
    uint64_t slots = 4;
    while (slots < 2 * (uint64_t)set->row_count) slots *= 2;
    rn_result result = rni_buffer_need(memory, &set->rows, set->row_count, sizeof(grid_row));
    if (result == RN_OK) result = rni_buffer_need(memory, &set->directory, slots, sizeof(uint32_t));
    if (result != RN_OK) return result;
    grid_row *rows = set->rows.data;
    for (uint32_t k = 0; k < count; k++) {
        grid_row *row = &rows[row_of[k]];
        if (k == 0 || row_of[k] != row_of[k - 1]) *row = (grid_row){y[order[k]], z[order[k]], k, k};
        row->end = k + 1;
    }
    uint32_t *directory = set->directory.data;
    memset(directory, 0, slots * sizeof *directory);
    set->directory_mask = (uint32_t)(slots - 1);
    for (uint32_t r = 0; r < set->row_count; r++) {
        uint32_t slot = rni_grid_row_hash(rows[r].y, rows[r].z) & set->directory_mask;
        while (directory[slot]) slot = (slot + 1) & set->directory_mask;
        directory[slot] = r + 1;
    }
    job->g->env->stats->cell_count += set->row_count;
    return RN_OK;
}

static rn_result fill_set(grid *g, grid_set *set, const rni_cloud *cloud, const cell_map *map)
{
    rni_search_env *env = g->env;
    uint32_t count = cloud->count;
    sparse_job job = {.g = g, .set = set, .cloud = cloud, .dim = env->space.dim, .map = map};
    set->is_in_rows = true;
    set->pad = map ? MARGIN : 0;
    rn_result result = rni_grid_set_room(g, set, count);
    if (result == RN_OK)
        result = rni_buffer_need(env->memory, &set->column, count, sizeof(uint32_t));
    if (result == RN_OK)
        result = rni_buffer_need(env->memory, &set->row_of, count, sizeof(uint32_t));
    if (result != RN_OK) return result;
    uint32_t *room[7];
    for (int r = 0; r < 7; r++) {
        room[r] = rni_arena_take(env->arena, (size_t)count * sizeof(uint32_t));
        if (!room[r]) return RN_ERROR_MEMORY;
    }
    for (int axis = 0; axis < 3; axis++) job.column[axis] = room[axis];
    uint32_t *order = room[4];
    job.key = room[3];
    job.order = order;
    for_points(&job, find_columns);
    for (uint32_t k = 0; k < count; k++) order[k] = k;
    for (uint32_t axis = 0; axis < env->space.dim; axis++) {
        job.key_of = job.column[axis];
        for_points(&job, take_keys);
        result = rni_sort_u32(env->crew, env->arena, count, job.key, order, room[5], room[6]);
        if (result != RN_OK) return result;
    }
    for_points(&job, take_points);
    return make_rows(&job);
}

/* Keeps the cells of one axis that hold points, and gives them columns: gaps shrink to at most
 * four. */
static rn_result rank_axis(grid *g, int axis, const rni_cloud *clouds, uint32_t cloud_count)
{
    rni_search_env *env = g->env;
    grid_axis *a = &g->axes[axis];
    uint64_t total = 0;
    for (uint32_t s = 0; s < cloud_count; s++) total += clouds[s].count;
    if (total > MAX_RANKED_POINTS) {
        return rni_fail(RN_ERROR_LIMIT,
                        "%llu points spread over more cells than can be numbered; at most %u",
                        (unsigned long long)total, MAX_RANKED_POINTS);
    }
    uint32_t count = (uint32_t)total;
    rn_result result = rni_buffer_need(env->memory, &a->cells, count, sizeof(int64_t));
    if (result == RN_OK)
        result = rni_buffer_need(env->memory, &a->columns, count, sizeof(uint32_t));
    if (result != RN_OK) return result;
    int64_t *cells = a->cells.data;
    uint32_t *columns = a->columns.data;
    uint64_t *room = rni_arena_take(env->arena, (size_t)count * sizeof *room);
    uint32_t *value_room = rni_arena_take(env->arena, (size_t)count * sizeof *value_room);
    if (!room || !value_room) return RN_ERROR_MEMORY;
    for (uint64_t s = 0, at = 0; s < cloud_count; at += clouds[s].count, s++) {
        sparse_job job = {.g = g, .cloud = &clouds[s], .dim = env->space.dim, .axis = (uint32_t)axis};
        job.cells = cells + at;
        for_points(&job, find_cells);
    }
    uint64_t *keys = (uint64_t *)(void *)cells; /* signed order as unsigned order */
    const uint64_t flip = (uint64_t)1 << 63;
    for (uint32_t k = 0; k < count; k++) {
        keys[k] ^= flip;
        columns[k] = 0;
    }
    result = rni_sort_u64(env->crew, env->arena, count, keys, columns, room, value_room);
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
    a->is_ranked = false;
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
    a->first = axis_cell_of(a, low);
    a->last = axis_cell_of(a, high);
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
    cell_map map = cell_map_of(&g->shape, MARGIN);
    return fill_set(g, set, queries, &map);
}
