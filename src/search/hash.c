/* Method "hash": the uniform spatial hash of papers 001 (Wichert et al. 2021) and 004 (Grahn 2008),
 * after Teschner et al. 2003, as published: cells of one radius, hash = (x p1 xor y p2 xor z p3)
 * mod table length, points sorted by hash, a table of first points; a query looks into its 27 cells
 * (9 in 2D), or, walking pairs once, into 13 of them and its own.
 *
 * Departures, each needed to be right: floor also for negative coordinates; unsigned products;
 * cells a little wider than the radius, so that rounding cannot put neighbours two cells apart; the
 * cell coordinates of a candidate are compared, since two of the 27 cells can share a bucket and
 * would report their points twice. (The second customary prime is none: 19349663 = 41 * 471943. It
 * does no harm.) */
#include "search/method.h"

#include "base/error.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

#define PRIME_X 73856093u
#define PRIME_Y 19349663u
#define PRIME_Z 83492791u

#define MAX_CELL 0x3fffffff /* cells are 32-bit numbers with room for their neighbours */

typedef struct hash_point {
    float position[3];
    int32_t cell[3];
} hash_point;

typedef struct hash_set {
    uint32_t count;
    rni_buffer points; /* hash_point, sorted by bucket */
    rni_buffer order;  /* uint32_t: caller's index of each */
    rni_buffer start;  /* uint32_t: first point of each bucket */
    /* def.hash_cells 13: the lists of this set in itself, made pair by pair */
    rni_buffer list_start; /* uint64_t by sorted point */
    rni_buffer list;       /* uint32_t, sorted points */
    bool has_lists;
} hash_set;

typedef struct hash {
    rni_search_env *env;
    uint32_t table_length;
    double low[3], scale[3];
    int32_t wrap[3]; /* cells of a periodic axis, else 0 */
    hash_set sets[RN_SEARCH_MAX_SETS + 1];
} hash;

static rn_result create(rni_search_env *env, void **state)
{
    hash *h = rni_memory_take(env->memory, sizeof *h);
    if (!h) return RN_ERROR_MEMORY;
    memset(h, 0, sizeof *h);
    h->env = env;
    *state = h;
    return RN_OK;
}

static void destroy(void *state)
{
    hash *h = state;
    if (!h) return;
    for (uint32_t s = 0; s <= RN_SEARCH_MAX_SETS; s++) {
        hash_set *set = &h->sets[s];
        rni_buffer *buffers[] = {&set->points, &set->order, &set->start, &set->list_start,
                                 &set->list};
        for (size_t b = 0; b < sizeof buffers / sizeof *buffers; b++)
            rni_buffer_free(h->env->memory, buffers[b]);
    }
    rni_memory_give(h->env->memory, h, sizeof *h);
}

static uint32_t bucket_of(const hash *h, const int32_t cell[3])
{
    uint32_t mixed =
        (uint32_t)cell[0] * PRIME_X ^ (uint32_t)cell[1] * PRIME_Y ^ (uint32_t)cell[2] * PRIME_Z;
    return mixed % h->table_length;
}

static void choose_cells(hash *h)
{
    const rni_space *space = &h->env->space;
    for (int axis = 0; axis < 3; axis++) {
        double cell = rni_reach(space, axis) * (1.0 + 1e-5);
        h->low[axis] = 0.0;
        h->scale[axis] = 1.0 / cell;
        h->wrap[axis] = 0;
        if (!space->periodic[axis]) continue;
        double n = floor((double)space->period[axis] / cell);
        n = n < 1.0 ? 1.0 : n > MAX_CELL ? MAX_CELL : n;
        h->low[axis] = (double)space->low[axis];
        h->scale[axis] = n / (double)space->period[axis];
        h->wrap[axis] = (int32_t)n;
    }
}

/* Queries may lie anywhere: cells beyond reach are cut, there are no points of others near. */
static rn_result find_cell(const hash *h, const float position[3], uint32_t i, bool is_query,
                           int32_t cell[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double at = floor(((double)position[axis] - h->low[axis]) * h->scale[axis]);
        if (h->wrap[axis]) {
            at = at < 0.0 ? 0.0 : at >= h->wrap[axis] ? h->wrap[axis] - 1 : at;
        } else if (fabs(at) > MAX_CELL) {
            if (!is_query) {
                return rni_fail(
                    RN_ERROR_LIMIT,
                    "hash: point %u has %c = %g, %.3g cells from the origin; this method counts to %d, "
                    "method grid has no such limit",
                    i, "xyz"[axis], (double)position[axis], fabs(at), MAX_CELL);
            }
            at = at < 0.0 ? -MAX_CELL - 10 : MAX_CELL + 10;
        }
        cell[axis] = (int32_t)at;
    }
    return RN_OK;
}

static rn_result take_set(hash *h, hash_set *set, const rni_cloud *cloud, bool is_query)
{
    rni_search_env *env = h->env;
    uint32_t count = cloud->count;
    set->count = 0;
    set->has_lists = false;
    rn_result result = rni_buffer_need(env->memory, &set->points, count, sizeof(hash_point));
    if (result == RN_OK)
        result = rni_buffer_need(env->memory, &set->order, count, sizeof(uint32_t));
    if (result == RN_OK) {
        result = rni_buffer_need(env->memory, &set->start, (uint64_t)h->table_length + 1,
                                 sizeof(uint32_t));
    }
    if (result != RN_OK) return result;
    uint32_t *key = rni_arena_take(env->arena, (size_t)count * sizeof *key);
    if (!key) return RN_ERROR_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        float position[3];
        int32_t cell[3];
        rni_cloud_at(cloud, env->space.dim, i, position);
        result = find_cell(h, position, i, is_query, cell);
        if (result != RN_OK) return result;
        key[i] = bucket_of(h, cell);
    }
    uint32_t *order = set->order.data;
    result = rni_counting_sort(env->crew, env->arena, count, key, h->table_length, order,
                               set->start.data);
    if (result != RN_OK) return result;
    hash_point *points = set->points.data;
    for (uint32_t k = 0; k < count; k++) {
        rni_cloud_at(cloud, env->space.dim, order[k], points[k].position);
        (void)find_cell(h, points[k].position, order[k], true, points[k].cell);
    }
    set->count = count;
    return RN_OK;
}

/* The neighbouring cell in direction step[] (-1, 0, 1 an axis); false where it is one already
 * visited. */
static bool step_cell(const hash *h, const int32_t from[3], const int step[3], int32_t cell[3])
{
    for (int axis = 0; axis < 3; axis++) {
        int32_t n = h->wrap[axis];
        if (n == 1 && step[axis] != 0) return false;
        if (n == 2 && step[axis] == -1) return false;
        cell[axis] = from[axis] + step[axis];
        if (n && cell[axis] < 0) cell[axis] += n;
        if (n && cell[axis] >= n) cell[axis] -= n;
    }
    return true;
}

static bool same_cell(const int32_t a[3], const int32_t b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* All points of one row: the 27 (9) cells around it. */
static rn_result find_row(const hash *h, const rni_find *find, uint32_t row, uint32_t *found,
                          rni_rows *rows)
{
    const rni_space *space = &h->env->space;
    const hash_set *searched = &h->sets[find->searched];
    const hash_point *here = (const hash_point *)h->sets[find->set].points.data + row;
    const uint32_t self = ((const uint32_t *)h->sets[find->set].order.data)[row];
    const hash_point *points = searched->points.data;
    const uint32_t *order = searched->order.data, *start = searched->start.data;
    int depth = space->dim == 3 ? 1 : 0, step[3];
    *found = 0;
    for (step[2] = -depth; step[2] <= depth; step[2]++) {
        for (step[1] = -1; step[1] <= 1; step[1]++) {
            for (step[0] = -1; step[0] <= 1; step[0]++) {
                int32_t cell[3];
                if (!step_cell(h, here->cell, step, cell)) continue;
                uint32_t bucket = bucket_of(h, cell), begin = start[bucket], end = start[bucket + 1];
                if (begin == end) continue;
                if (find->want != RNI_WANT_COUNTS) {
                    rn_result result = rni_rows_reserve(rows, find->want, end - begin);
                    if (result != RN_OK) return result;
                }
                for (uint32_t k = begin; k < end; k++) {
                    if (!same_cell(points[k].cell, cell)) {
                        rows->collision_count++;
                        continue;
                    }
                    rows->test_count++;
                    float distance_sq = rni_distance_sq(space, here->position, points[k].position);
                    if (distance_sq > space->radius_sq) continue;
                    if (find->leave_out == RNI_LEAVE_SELF && order[k] == self) continue;
                    if (find->leave_out == RNI_LEAVE_SMALLER && order[k] <= self) continue;
                    ++*found;
                    if (find->want == RNI_WANT_COUNTS) continue;
                    if (find->want == RNI_WANT_DISTANCE)
                        ((float *)rows->distance_sq.data)[rows->used] = distance_sq;
                    ((uint32_t *)rows->index.data)[rows->used++] = order[k];
                }
            }
        }
    }
    return RN_OK;
}

/* --- 13 cells: each pair is met once and goes into both lists
 * --------------------------------------------------- */

static bool is_forward(const int step[3])
{
    if (step[2] != 0) return step[2] > 0;
    if (step[1] != 0) return step[1] > 0;
    return step[0] >= 0; /* the cell itself counts */
}

/* Walks all pairs of a set; with lists NULL it counts, else it writes. */
static void walk_pairs(const hash *h, const hash_set *set, uint64_t *place, uint32_t *lists)
{
    const rni_space *space = &h->env->space;
    const hash_point *points = set->points.data;
    const uint32_t *start = set->start.data;
    int depth = space->dim == 3 ? 1 : 0;
    for (uint32_t a = 0; a < set->count; a++) {
        int step[3];
        for (step[2] = 0; step[2] <= depth; step[2]++) {
            for (step[1] = -1; step[1] <= 1; step[1]++) {
                for (step[0] = -1; step[0] <= 1; step[0]++) {
                    int32_t cell[3];
                    if (!is_forward(step) || !step_cell(h, points[a].cell, step, cell)) continue;
                    bool is_own = step[0] == 0 && step[1] == 0 && step[2] == 0;
                    uint32_t bucket = bucket_of(h, cell);
                    for (uint32_t b = is_own ? a + 1 : start[bucket]; b < start[bucket + 1]; b++) {
                        if (!same_cell(points[b].cell, cell)) continue;
                        if (rni_distance_sq(space, points[a].position, points[b].position) >
                            space->radius_sq)
                            continue;
                        if (lists) {
                            lists[place[a]] = b;
                            lists[place[b]] = a;
                        }
                        place[a]++;
                        place[b]++;
                    }
                }
            }
        }
    }
}

static rn_result make_pair_lists(hash *h, hash_set *set)
{
    rni_memory *memory = h->env->memory;
    uint32_t count = set->count;
    rn_result result =
        rni_buffer_need(memory, &set->list_start, (uint64_t)count + 1, sizeof(uint64_t));
    if (result != RN_OK) return result;
    uint64_t *place = set->list_start.data, sum = 0;
    memset(place, 0, (size_t)count * sizeof *place);
    walk_pairs(h, set, place, NULL);
    for (uint32_t k = 0; k < count; k++) {
        uint64_t here = place[k];
        place[k] = sum;
        sum += here;
    }
    if (sum > rni_memory_limit(h->env->def) / sizeof(uint32_t)) {
        return rni_fail(RN_ERROR_LIMIT,
                        "hash: %llu entries take more than memory_limit_bytes; take a smaller radius",
                        (unsigned long long)sum);
    }
    result = rni_buffer_need(memory, &set->list, sum, sizeof(uint32_t));
    if (result != RN_OK) return result;
    walk_pairs(h, set, place, set->list.data);
    memmove(place + 1, place,
            (size_t)count * sizeof *place); /* each list's end is the next one's start */
    place[0] = 0;
    set->has_lists = true;
    return RN_OK;
}

static rn_result copy_row(const hash *h, const rni_find *find, uint32_t row, uint32_t *found,
                          rni_rows *rows)
{
    const hash_set *set = &h->sets[find->set];
    const uint64_t *start = set->list_start.data;
    const uint32_t *list = set->list.data, *order = set->order.data;
    const hash_point *points = set->points.data;
    *found = 0;
    if (find->want != RNI_WANT_COUNTS) {
        rn_result result = rni_rows_reserve(rows, find->want, start[row + 1] - start[row]);
        if (result != RN_OK) return result;
    }
    for (uint64_t k = start[row]; k < start[row + 1]; k++) {
        uint32_t j = order[list[k]];
        if (find->leave_out == RNI_LEAVE_SMALLER && j <= order[row]) continue;
        ++*found;
        if (find->want == RNI_WANT_COUNTS) continue;
        if (find->want == RNI_WANT_DISTANCE) {
            ((float *)rows->distance_sq.data)[rows->used] =
                rni_distance_sq(&h->env->space, points[row].position, points[list[k]].position);
        }
        ((uint32_t *)rows->index.data)[rows->used++] = j;
    }
    return RN_OK;
}

/* ----------------------------------------------------------------------------------------------
 * ------------------ */

static bool is_wide_enough_for_pairs(const hash *h)
{
    for (int axis = 0; axis < 3; axis++) {
        if (h->wrap[axis] && h->wrap[axis] < 3)
            return false; /* forward and backward would be the same cell */
    }
    return true;
}

static rn_result build(void *state, const rni_cloud *sets, uint32_t set_count)
{
    hash *h = state;
    const rn_search_def *def = h->env->def;
    uint64_t largest = 1;
    for (uint32_t s = 0; s < set_count; s++)
        largest = sets[s].count > largest ? sets[s].count : largest;
    h->table_length = def->hash_table_length;
    if (h->table_length == 0) {
        uint64_t length = 16;
        while (length < 2 * largest) length *= 2;
        h->table_length = length < 0x80000000u ? (uint32_t)length : 0x80000000u;
    }
    choose_cells(h);
    for (uint32_t s = 0; s < set_count; s++) {
        rn_result result = take_set(h, &h->sets[s], &sets[s], false);
        bool in_itself = def->searches[s] & 1u << s;
        if (result == RN_OK && def->hash_cells == 13 && in_itself && is_wide_enough_for_pairs(h)) {
            result = make_pair_lists(h, &h->sets[s]);
        }
        if (result != RN_OK) return result;
    }
    h->env->stats->cell_count = h->table_length;
    return RN_OK;
}

static rn_result place(void *state, const rni_cloud *queries)
{
    hash *h = state;
    return take_set(h, &h->sets[RNI_QUERIES], queries, true);
}

static const uint32_t *order_of(const void *state, uint32_t set)
{
    const hash *h = state;
    return h->sets[set].order.data;
}

static rn_result find(void *state, const rni_find *find, uint32_t first, uint32_t count,
                      uint32_t worker, rni_rows *rows)
{
    (void)worker;
    const hash *h = state;
    bool is_listed = find->set == find->searched && h->sets[find->set].has_lists;
    for (uint32_t row = 0; row < count; row++) {
        rn_result result = is_listed ? copy_row(h, find, first + row, &rows->counts[row], rows)
                                     : find_row(h, find, first + row, &rows->counts[row], rows);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

const rni_method rni_method_hash = {
    .info = {RN_SEARCH_HASH, "hash",
             "uniform spatial hash: cells of one radius, sorted by bucket, 27 cells a query",
             "Teschner et al. 2003; Wichert et al. 2021; Grahn 2008"},
    .create = create,
    .destroy = destroy,
    .build = build,
    .place = place,
    .order = order_of,
    .find = find,
};
