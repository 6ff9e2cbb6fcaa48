/* Method "cell-sort": cell sorting with keys (Onderik, Durikovic 2008). The three cell
 * coordinates of a point form one key, x in the lowest bits. A radix sort of the keys gives a
 * permutation of the points. Rows are processed in that order, so the first key of each of the
 * (2H+1)^d cells around a row is found by a pointer that only moves forward. There is no table
 * of cells and no hash. With an H-mask (section 3.3) cells are radius / H wide.
 *
 * Departures from the paper for correctness:
 * - Algorithm 1 stores its pointer past the scanned cell, so the second point of a cell would
 *   find nothing. Here the pointer stops at the first key that is not smaller than the wanted
 *   key, and the scan does not move it. Only equal keys are reported (the paper's <= reports a
 *   pair a dozen times).
 * - Cells are numbered from 2H + 1, so that neither a mask nor a query outside the points
 *   reaches below 0 or past the end of a row into the next row (eq. 3 needs I >= the cells of a
 *   row).
 * - Cells are slightly wider than radius / H, so that rounding cannot place neighbours H + 1
 *   cells apart.
 * - A sentinel key larger than all others ends every scan.
 * - Keys use 16 bits per axis as published; where these are too few, 21 (31 in 2D); beyond that
 *   the points are refused.
 *
 * Departures for speed, disabled by def.as_published: the pointers of a block of rows start with
 * a binary search, so that blocks are independent of each other; pointers move once per cell
 * instead of once per point; adjacent cells along x are scanned as one run; and a row skips the
 * cells that its own sphere does not reach, where the paper skips those that no sphere of the
 * cell reaches. The lists are the same, in the same order. In both forms positions are stored in
 * the order of the permutation. */
#include "search/scan.h"

#include "base/error.h"
#include "base/sort.h"
#include "base/validate.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define NARROW_BITS 16u /* per axis, as published: 48-bit keys */

typedef struct sort_set {
    uint32_t count;
    rni_buffer key;    /* uint64_t, ascending, followed by a sentinel larger than all keys */
    rni_buffer order;  /* uint32_t: the permutation */
    rni_buffer points; /* rni_point in that order */
} sort_set;

/* def.as_published: first-key pointers that persist between calls, on the single thread. */
typedef struct sweep {
    uint32_t set; /* UINT32_MAX: not started */
    uint32_t searched;
    uint32_t row; /* the pointers are valid for this row and later rows */
    uint32_t first[RNI_MAX_MASK];
} sweep;

typedef struct cell_sort {
    rni_search_env *env;
    int h;              /* cells on either side */
    uint32_t axis_bits; /* bits per axis in a key */
    double low[3], scale;
    double cell_count[3];
    uint32_t row_count; /* mask rows: runs of 2h + 1 cells along x */
    struct {
        int y, z;
        uint64_t step; /* from the key of a point to the key of the row's first cell */
    } rows[RNI_MAX_MASK_ROWS];
    uint32_t mask_count; /* cells that a sphere around some point of the centre cell reaches */
    uint64_t mask_step[RNI_MAX_MASK];
    sort_set sets[RN_SEARCH_MAX_SETS + 1];
    sweep sweep;
} cell_sort;

static void destroy(void *state)
{
    cell_sort *c = state;
    if (!c) return;
    rni_memory *memory = c->env->memory;
    for (uint32_t s = 0; s <= RN_SEARCH_MAX_SETS; s++) {
        rni_buffer_free(memory, &c->sets[s].key);
        rni_buffer_free(memory, &c->sets[s].order);
        rni_buffer_free(memory, &c->sets[s].points);
    }
    rni_memory_give(memory, c, sizeof *c);
}

static rn_result create(rni_search_env *env, void **state)
{
    cell_sort *c = rni_memory_take(env->memory, sizeof *c);
    if (!c) return RN_ERROR_MEMORY;
    memset(c, 0, sizeof *c);
    c->env = env;
    c->h = (int)env->def->h_mask;
    *state = c;
    return RN_OK;
}

/* --- cells and keys --------------------------------------------------------------------------- */

/* Cells that a key must represent beyond those of the points; see the comment at the top. */
static double spare_cells(const cell_sort *c)
{
    return 4.0 * c->h + 2.0;
}

static rn_result refuse_periods(const rni_space *space)
{
    for (int axis = 0; axis < 3; axis++) {
        if (!space->periodic[axis]) continue;
        return rni_fail(RN_ERROR_LIMIT,
                        "cell-sort: axis %c is periodic, and sorted keys do not wrap; "
                        "use method grid or hash",
                        "xyz"[axis]);
    }
    return RN_OK;
}

/* Computes the box of all sets, its cells, and the width of a key. */
static rn_result choose_cells(cell_sort *c, const rni_cloud *sets, uint32_t set_count)
{
    const rni_space *space = &c->env->space;
    uint32_t wide_bits = space->dim == 3 ? 21 : 31;
    c->scale = c->h / ((double)space->radius * (1.0 + 1e-5));
    c->axis_bits = NARROW_BITS;
    for (uint32_t axis = 0; axis < space->dim; axis++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (uint32_t s = 0; s < set_count; s++) {
            if (sets[s].count == 0) continue;
            low = fmin(low, (double)sets[s].low[axis]);
            high = fmax(high, (double)sets[s].high[axis]);
        }
        if (low > high) low = high = 0.0; /* no points at all */
        c->low[axis] = low;
        c->cell_count[axis] = floor((high - low) * c->scale) + 1.0;
        double cells = c->cell_count[axis] + spare_cells(c);
        if (cells > ldexp(1.0, NARROW_BITS)) c->axis_bits = wide_bits;
        if (cells > ldexp(1.0, (int)wide_bits)) {
            return rni_fail(RN_ERROR_LIMIT,
                            "cell-sort: %c runs from %g to %g, %.3g cells of %g; keys hold at most "
                            "%.0f; use a larger radius, or method grid, which has no such limit",
                            "xyz"[axis], low, high, c -> cell_count[axis], 1.0 / c -> scale,
                            ldexp(1.0, (int)wide_bits) - spare_cells(c));
        }
    }
    return RN_OK;
}

static uint64_t step_of(const cell_sort *c, int x, int y, int z)
{
    uint32_t bits = c->axis_bits;
    return (uint64_t)(int64_t)x + ((uint64_t)(int64_t)y << bits) +
           ((uint64_t)(int64_t)z << (2 * bits));
}

/* Squared distance, in cells, between the nearest points of two cells that are s apart along an
 * axis. */
static int least_gap_sq(int s)
{
    int gap = s < 0 ? -s - 1 : s > 0 ? s - 1 : 0;
    return gap * gap;
}

static void make_mask(cell_sort *c)
{
    int h = c->h, depth = c->env->space.dim == 3 ? h : 0;
    c->row_count = c->mask_count = 0;
    for (int z = -depth; z <= depth; z++) {
        for (int y = -h; y <= h; y++) {
            c->rows[c->row_count].y = y;
            c->rows[c->row_count].z = z;
            c->rows[c->row_count++].step = step_of(c, -h, y, z);
            for (int x = -h; x <= h; x++) {
                /* h cells is too far: cells are slightly wider than radius / h */
                int gap_sq = least_gap_sq(x) + least_gap_sq(y) + least_gap_sq(z);
                if (gap_sq < h * h) c->mask_step[c->mask_count++] = step_of(c, x, y, z);
            }
        }
    }
}

/* A query outside the box is moved so far outside that its mask holds no point. */
static uint64_t key_of(const cell_sort *c, const float position[3])
{
    uint64_t key = 0;
    for (int axis = (int)c->env->space.dim - 1; axis >= 0; axis--) {
        double cell = floor(((double)position[axis] - c->low[axis]) * c->scale);
        double least = -1.0 - c->h, most = c->cell_count[axis] + c->h;
        cell = cell < least ? least : cell > most ? most : cell;
        key = key << c->axis_bits | (uint64_t)(cell + 1.0 + 2.0 * c->h);
    }
    return key;
}

typedef struct take_job {
    const cell_sort *c;
    const rni_cloud *cloud;
    uint64_t *key;
    uint32_t *order;
    rni_point *points;
} take_job;

static void make_keys(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const take_job *job = data;
    uint32_t begin = piece * RNI_SCAN_SHARE, end = rni_scan_share_end(begin, job->cloud->count);
    for (uint32_t i = begin; i < end; i++) {
        float position[3];
        rni_cloud_at(job->cloud, job->c->env->space.dim, i, position);
        job->key[i] = key_of(job->c, position);
        job->order[i] = i;
    }
}

static void fill_points(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const take_job *job = data;
    uint32_t begin = piece * RNI_SCAN_SHARE, end = rni_scan_share_end(begin, job->cloud->count);
    rni_scan_fill(job->cloud, job->c->env->space.dim, job->order, begin, end, job->points);
}

/* NULL, or a description of the error (base/validate.h). Checks that each point occurs once, and
 * that keys ascend up to the sentinel and are those of their points. */
static __attribute__((unused)) const char *validate_set(const cell_sort *c, const sort_set *set)
{
    const uint64_t *key = set->key.data;
    const uint32_t *order = set->order.data;
    const rni_point *points = set->points.data;
    if (key[set->count] != UINT64_MAX) return "the sentinel behind the keys is missing";
    for (uint32_t k = 0; k < set->count; k++) {
        if (k > 0 && key[k] < key[k - 1]) return "the keys do not ascend";
        if (k > 0 && key[k] == key[k - 1] && order[k] < order[k - 1])
            return "the points of a cell are not in ascending index order";
        if (key[k] != key_of(c, points[k].position))
            return "the key of a point is not that of its cell";
    }
    return rni_validate_permutation(order, set->count);
}

static rn_result take_set(cell_sort *c, sort_set *set, const rni_cloud *cloud)
{
    rni_search_env *env = c->env;
    uint32_t count = cloud->count, pieces = count / RNI_SCAN_SHARE + 1;
    set->count = 0;
    if (rni_buffer_need(env->memory, &set->key, (uint64_t)count + 1, sizeof(uint64_t)) != RN_OK ||
        rni_buffer_need(env->memory, &set->order, count, sizeof(uint32_t)) != RN_OK ||
        rni_buffer_need(env->memory, &set->points, count, sizeof(rni_point)) != RN_OK) {
        return RN_ERROR_MEMORY;
    }
    uint64_t *key_scratch = rni_arena_take(env->arena, (size_t)count * sizeof *key_scratch);
    uint32_t *order_scratch = rni_arena_take(env->arena, (size_t)count * sizeof *order_scratch);
    if (!key_scratch || !order_scratch) return RN_ERROR_MEMORY;
    take_job job = {c, cloud, set->key.data, set->order.data, set->points.data};
    rni_crew_pieces(env->crew, pieces, make_keys, &job);
    rn_result result =
        rni_sort_u64(env->crew, env->arena, count, job.key, job.order, key_scratch, order_scratch);
    if (result != RN_OK) return result;
    rni_crew_pieces(env->crew, pieces, fill_points, &job);
    job.key[count] = UINT64_MAX;
    set->count = count;
    assert(!validate_set(c, set));
    return RN_OK;
}

static rn_result build(void *state, const rni_cloud *sets, uint32_t set_count)
{
    cell_sort *c = state;
    c->sweep.set = UINT32_MAX;
    for (uint32_t s = 0; s <= RN_SEARCH_MAX_SETS; s++) c->sets[s].count = 0;
    rn_result result = refuse_periods(&c->env->space);
    if (result == RN_OK) result = choose_cells(c, sets, set_count);
    if (result != RN_OK) return result;
    make_mask(c);
    for (uint32_t s = 0; s < set_count; s++) {
        result = take_set(c, &c->sets[s], &sets[s]);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

static rn_result place(void *state, const rni_cloud *queries)
{
    cell_sort *c = state;
    c->sweep.set = UINT32_MAX;
    return take_set(c, &c->sets[RNI_QUERIES], queries);
}

static const uint32_t *order_of(const void *state, uint32_t set)
{
    const cell_sort *c = state;
    return c->sets[set].order.data;
}

/* --- a block of rows with its own pointers ---------------------------------------------------- */

/* first[r][s]: the first key that is not below cell s of mask row r. Cell s extends from there
 * to first[r][s + 1]. */
typedef struct walk {
    uint32_t first[RNI_MAX_MASK_ROWS][RNI_MAX_SIDE + 1];
    uint64_t point_count; /* in all cells of the mask */
} walk;

/* The first of count ascending keys that is not below wanted. */
static uint32_t lower_bound(const uint64_t *key, uint32_t count, uint64_t wanted)
{
    uint32_t begin = 0, end = count;
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        if (key[middle] < wanted) begin = middle + 1;
        else end = middle;
    }
    return begin;
}

static void begin_walk(const cell_sort *c, const sort_set *searched, uint64_t key, walk *w)
{
    for (uint32_t r = 0; r < c->row_count; r++) {
        uint32_t first = lower_bound(searched->key.data, searched->count, key + c->rows[r].step);
        for (int s = 0; s <= 2 * c->h + 1; s++) w->first[r][s] = first;
    }
}

static void move_walk(const cell_sort *c, const uint64_t *searched_key, uint64_t key, walk *w)
{
    int side = 2 * c->h + 1;
    w->point_count = 0;
    for (uint32_t r = 0; r < c->row_count; r++) {
        uint64_t wanted = key + c->rows[r].step;
        uint32_t before = 0;
        for (int s = 0; s <= side; s++, wanted++) {
            uint32_t n = w->first[r][s] > before ? w->first[r][s] : before;
            while (searched_key[n] < wanted) n++;
            w->first[r][s] = before = n;
        }
        w->point_count += before - w->first[r][0];
    }
}

/* Tests one row against the cells around it, except those that its own sphere does not reach. */
static rn_result find_row(const cell_sort *c, const rni_find *find, const rni_point *here,
                          const walk *w, uint32_t *found, rni_rows *rows)
{
    const rni_point *points = c->sets[find->searched].points.data;
    const rni_scan scan = rni_scan_from(&c->env->space, find, here);
    double gap_sq[3][RNI_MAX_SIDE] = {{0}};
    int h = c->h;
    for (int axis = 0; axis < 3; axis++) {
        double at = ((double)here->position[axis] - c->low[axis]) * c->scale;
        rni_mask_gaps(at - floor(at), h, gap_sq[axis]);
    }
    *found = 0;
    rn_result result = rni_scan_reserve(&scan, rows, w->point_count);
    if (result != RN_OK) return result;
    for (uint32_t r = 0; r < c->row_count; r++) {
        const uint32_t *first = w->first[r];
        if (first[0] == first[2 * h + 1]) continue;
        double left_sq = h * h - gap_sq[1][h + c->rows[r].y] - gap_sq[2][h + c->rows[r].z];
        if (left_sq < 0.0) continue;
        int begin = 0, end = 2 * h + 1;
        for (int s = 1; s <= h; s++) {
            begin += gap_sq[0][h - s] > left_sq;
            end -= gap_sq[0][h + s] > left_sq;
        }
        uint32_t count = first[end] - first[begin];
        rows->visited_count += (uint32_t)(end - begin);
        *found += rni_scan_run(&scan, points + first[begin], count, rows);
    }
    return RN_OK;
}

static rn_result find_block(const cell_sort *c, const rni_find *find, uint32_t first,
                            uint32_t count, rni_rows *rows)
{
    const sort_set *set = &c->sets[find->set], *searched = &c->sets[find->searched];
    const rni_point *here = set->points.data;
    const uint64_t *key = set->key.data;
    walk w = {.point_count = 0};
    begin_walk(c, searched, key[first], &w);
    for (uint32_t k = first; k < first + count; k++) {
        if (k == first || key[k] != key[k - 1]) move_walk(c, searched->key.data, key[k], &w);
        rn_result result = find_row(c, find, &here[k], &w, &rows->counts[k - first], rows);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

/* --- as published: one sweep ------------------------------------------------------------------ */

/* Algorithm 1, with pointers left where the next point of the cell can use them too. */
static rn_result report_neighbors(const cell_sort *c, const rni_find *find, sweep *s,
                                  uint32_t *found, rni_rows *rows)
{
    uint32_t *first = s->first;
    const sort_set *set = &c->sets[find->set], *searched = &c->sets[find->searched];
    const uint64_t *key = searched->key.data, here = ((const uint64_t *)set->key.data)[s->row];
    const rni_point *points = searched->points.data;
    const rni_scan scan =
        rni_scan_from(&c->env->space, find, (const rni_point *)set->points.data + s->row);
    *found = 0;
    for (uint32_t m = 0; m < c->mask_count; m++) {
        uint64_t wanted = here + c->mask_step[m];
        while (key[first[m]] < wanted) first[m]++;
        uint32_t end = first[m];
        while (key[end] == wanted) end++;
        rn_result result = rni_scan_reserve(&scan, rows, end - first[m]);
        if (result != RN_OK) return result;
        *found += rni_scan_run(&scan, points + first[m], end - first[m], rows);
    }
    rows->visited_count += c->mask_count;
    return RN_OK;
}

/* Algorithm 2. Blocks arrive in ascending order, so this is one sweep over all rows. */
static rn_result sweep_block(cell_sort *c, const rni_find *find, uint32_t first, uint32_t count,
                             rni_rows *rows)
{
    sweep *s = &c->sweep;
    if (s->set != find->set || s->searched != find->searched || first < s->row) {
        memset(s->first, 0, sizeof s->first);
        s->set = find->set;
        s->searched = find->searched;
    }
    for (uint32_t row = 0; row < count; row++) {
        s->row = first + row;
        rn_result result = report_neighbors(c, find, s, &rows->counts[row], rows);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

static rn_result find(void *state, const rni_find *find, uint32_t first, uint32_t count,
                      uint32_t worker, rni_rows *rows)
{
    (void)worker;
    cell_sort *c = state;
    /* also before the first build and after a refused update */
    if (c->sets[find->searched].count == 0) {
        memset(rows->counts, 0, count * sizeof *rows->counts);
        return RN_OK;
    }
    return c->env->def->as_published ? sweep_block(c, find, first, count, rows)
                                     : find_block(c, find, first, count, rows);
}

const rni_method rni_method_cell_sort = {
    .info = {RN_SEARCH_CELL_SORT, "cell-sort",
             "points sorted by cell key, with pointers to the first keys that only move forward",
             "Onderik, Durikovic 2008", false},
    .has_published_form = true,
    .create = create,
    .destroy = destroy,
    .build = build,
    .place = place,
    .order = order_of,
    .find = find,
};
