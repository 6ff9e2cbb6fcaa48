/* Method "hash": the uniform spatial hash of Wichert et al. 2021 and Grahn 2008, after Teschner
 * et al. 2003: cells of one radius, hash = (x p1 xor y p2 xor z p3) mod table length, points
 * sorted by hash, and a table of first points. A query visits its 27 cells (9 in 2D) or, to
 * visit each pair once, 13 of them and its own. With the H-mask of Onderik, Durikovic 2008 cells
 * are radius / H wide, and a query visits (2H+1)^d of them.
 *
 * Departures for correctness: floor also for negative coordinates; unsigned products; cells
 * slightly wider than the radius, so that rounding cannot place neighbours two cells apart; the
 * cell coordinates of a candidate are compared, since two of the 27 cells can share a bucket and
 * would report their points twice.
 *
 * Departures for speed, disabled by def.as_published: the cells around a row are looked up once
 * for all consecutive rows of one cell; a row skips the cells that its own sphere does not
 * reach. In both forms consecutive points of one cell in a bucket form a run, and cells are
 * compared once per run. */
#include "search/hash_cells.h"
#include "search/scan.h"

#include "base/error.h"
#include "base/sort.h"
#include "base/validate.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct hash_cell {
    int32_t at[3];
    uint32_t end; /* points from this one to end - 1 are in the same cell */
} hash_cell;

typedef struct hash_set {
    uint32_t count;
    rni_buffer points; /* rni_point, sorted by bucket */
    rni_buffer cells;  /* hash_cell of each */
    rni_buffer order;  /* uint32_t: caller's index of each */
    rni_buffer start;  /* uint32_t: first point of each bucket */
    /* def.hash_cells 13: the lists of this set in itself, built pair by pair */
    rni_buffer list_start; /* uint64_t by sorted point */
    rni_buffer list;       /* uint32_t, sorted points */
    bool has_lists;
} hash_set;

/* Points of one cell of the mask. */
typedef struct hash_run {
    uint32_t begin, end;
    uint8_t place[4]; /* position of the cell along each axis of the mask: 0 to 2h */
} hash_run;

/* The points in the cells around one cell; one per worker. */
typedef struct hash_near {
    _Alignas(RNI_ALIGNMENT) rni_buffer runs; /* hash_run */
    uint32_t run_count;
    uint64_t point_count, collision_count;
} hash_near;

typedef struct hash {
    rni_search_env *env;
    uint32_t table_length;
    bool is_power_of_two; /* of the table length */
    int h;                /* cells on either side */
    double reach_sq;      /* no neighbour is farther */
    rni_hash_cells cells;
    /* periodic with fewer cells than the mask is wide: all cells are visited */
    bool is_narrow[3];
    uint32_t mask_count; /* cells that a sphere around some point of the centre cell reaches */
    int8_t mask[RNI_MAX_MASK][3];
    hash_near *near;
    hash_set sets[RN_SEARCH_MAX_SETS + 1];
} hash;

static void destroy(void *state)
{
    hash *h = state;
    if (!h) return;
    rni_memory *memory = h->env->memory;
    for (uint32_t s = 0; s <= RN_SEARCH_MAX_SETS; s++) {
        hash_set *set = &h->sets[s];
        rni_buffer *buffers[] = {&set->points, &set->cells,      &set->order,
                                 &set->start,  &set->list_start, &set->list};
        for (size_t b = 0; b < sizeof buffers / sizeof *buffers; b++)
            rni_buffer_free(memory, buffers[b]);
    }
    uint32_t workers = rni_crew_size(h->env->crew);
    for (uint32_t w = 0; h->near && w < workers; w++) rni_buffer_free(memory, &h->near[w].runs);
    rni_memory_give(memory, h->near, workers * sizeof *h->near);
    rni_memory_give(memory, h, sizeof *h);
}

static rn_result create(rni_search_env *env, void **state)
{
    hash *h = rni_memory_take(env->memory, sizeof *h);
    if (!h) return RN_ERROR_MEMORY;
    memset(h, 0, sizeof *h);
    h->env = env;
    h->h = (int)env->def->h_mask;
    h->table_length = 1;
    uint32_t workers = rni_crew_size(env->crew);
    h->near = rni_memory_take(env->memory, workers * sizeof *h->near);
    if (!h->near) {
        destroy(h);
        return RN_ERROR_MEMORY;
    }
    memset(h->near, 0, workers * sizeof *h->near);
    *state = h;
    return RN_OK;
}

static uint32_t bucket_of(const hash *h, const int32_t cell[3])
{
    uint32_t mixed = (uint32_t)cell[0] * RNI_PRIME_X ^ (uint32_t)cell[1] * RNI_PRIME_Y ^
                     (uint32_t)cell[2] * RNI_PRIME_Z;
    return h->is_power_of_two ? mixed & (h->table_length - 1) : mixed % h->table_length;
}

/* Rounding changes a distance by a few parts in 1e7 of itself and, across a periodic face, of
 * the period. Cells are wider than the result by more than the rounding of a point's position in
 * its cell. */
static void choose_cells(hash *h)
{
    const rni_space *space = &h->env->space;
    double reach = (double)space->radius * (1.0 + 5e-6);
    for (int axis = 0; axis < 3; axis++) {
        if (space->periodic[axis]) reach += 3e-7 * (double)space->period[axis];
    }
    double cell = reach * (1.0 + 5e-6) / h->h;
    h->reach_sq = reach * reach;
    h->cells = rni_hash_cells_choose(space, (const double[3]){cell, cell, cell});
    for (int axis = 0; axis < 3; axis++)
        h->is_narrow[axis] = space->periodic[axis] && h->cells.wrap[axis] < 2 * h->h + 1;
}

/* The range of mask steps along an axis; where a periodic axis is narrow, each of its cells
 * once. */
static void mask_steps(const hash *h, int axis, int *low, int *high)
{
    bool is_flat = axis >= (int)h->env->space.dim;
    *low = is_flat ? 0 : h->is_narrow[axis] ? -((h->cells.wrap[axis] - 1) / 2) : -h->h;
    *high = is_flat ? 0 : h->is_narrow[axis] ? h->cells.wrap[axis] / 2 : h->h;
}

/* The square of the smallest distance between two cells that are step apart along an axis. */
static double least_gap_sq(const hash *h, int axis, int step)
{
    int cells = step < 0 ? -step - 1 : step - 1;
    double gap = cells > 0 && !h->is_narrow[axis] ? cells / h->cells.scale[axis] : 0.0;
    return gap * gap;
}

static void make_mask(hash *h)
{
    int low[3], high[3], step[3];
    for (int axis = 0; axis < 3; axis++) mask_steps(h, axis, &low[axis], &high[axis]);
    h->mask_count = 0;
    for (step[2] = low[2]; step[2] <= high[2]; step[2]++) {
        for (step[1] = low[1]; step[1] <= high[1]; step[1]++) {
            for (step[0] = low[0]; step[0] <= high[0]; step[0]++) {
                double gap_sq = 0.0;
                for (int axis = 0; axis < 3; axis++) gap_sq += least_gap_sq(h, axis, step[axis]);
                if (gap_sq > h->reach_sq) continue;
                for (int axis = 0; axis < 3; axis++)
                    h->mask[h->mask_count][axis] = (int8_t)step[axis];
                h->mask_count++;
            }
        }
    }
}

typedef struct take_job {
    const hash *h;
    const rni_cloud *cloud;
    uint32_t *key;
    const uint32_t *order;
    rni_point *points;
    hash_cell *cells;
} take_job;

static void make_keys(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const take_job *job = data;
    uint32_t begin = piece * RNI_SCAN_SHARE, end = rni_scan_share_end(begin, job->cloud->count);
    for (uint32_t i = begin; i < end; i++) {
        float position[3];
        int32_t cell[3];
        rni_cloud_at(job->cloud, job->h->env->space.dim, i, position);
        rni_hash_cell_at(&job->h->cells, position, cell);
        job->key[i] = bucket_of(job->h, cell);
    }
}

/* Writes points in sorted order, and the runs of equal cells, which end with the piece at the
 * latest. */
static void fill_points(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const take_job *job = data;
    uint32_t begin = piece * RNI_SCAN_SHARE, end = rni_scan_share_end(begin, job->cloud->count);
    hash_cell *cells = job->cells;
    rni_scan_fill(job->cloud, job->h->env->space.dim, job->order, begin, end, job->points);
    for (uint32_t k = begin; k < end; k++)
        rni_hash_cell_at(&job->h->cells, job->points[k].position, cells[k].at);
    for (uint32_t k = end; k-- > begin;) {
        bool goes_on = k + 1 < end && rni_same_cell(cells[k].at, cells[k + 1].at);
        cells[k].end = goes_on ? cells[k + 1].end : k + 1;
    }
}

/* NULL, or a description of the error (base/validate.h). Checks that each point occurs once, in
 * the bucket of its cell, and that runs hold one cell. */
static __attribute__((unused)) const char *validate_set(const hash *h, const hash_set *set)
{
    const uint32_t *start = set->start.data;
    const hash_cell *cells = set->cells.data;
    const char *flaw = rni_validate_starts(start, h->table_length, set->count);
    if (!flaw) flaw = rni_validate_permutation(set->order.data, set->count);
    for (uint32_t bucket = 0; bucket < h->table_length && !flaw; bucket++) {
        for (uint32_t k = start[bucket]; k < start[bucket + 1]; k++) {
            if (bucket_of(h, cells[k].at) != bucket) return "a point is in the wrong bucket";
            if (cells[k].end <= k || cells[k].end > start[bucket + 1] ||
                !rni_same_cell(cells[k].at, cells[cells[k].end - 1].at))
                return "a run extends past its cell";
        }
    }
    return flaw;
}

static rn_result take_set(hash *h, hash_set *set, const rni_cloud *cloud)
{
    rni_search_env *env = h->env;
    rni_memory *memory = env->memory;
    uint32_t count = cloud->count, pieces = count / RNI_SCAN_SHARE + 1;
    uint64_t starts = (uint64_t)h->table_length + 1;
    set->count = 0;
    if (rni_buffer_need(memory, &set->points, count, sizeof(rni_point)) != RN_OK ||
        rni_buffer_need(memory, &set->cells, count, sizeof(hash_cell)) != RN_OK ||
        rni_buffer_need(memory, &set->order, count, sizeof(uint32_t)) != RN_OK ||
        rni_buffer_need(memory, &set->start, starts, sizeof(uint32_t)) != RN_OK) {
        return RN_ERROR_MEMORY;
    }
    uint32_t *key = rni_arena_take(env->arena, (size_t)count * sizeof *key);
    if (!key) return RN_ERROR_MEMORY;
    take_job job = {h, cloud, key, set->order.data, set->points.data, set->cells.data};
    rni_crew_pieces(env->crew, pieces, make_keys, &job);
    rn_result result = rni_counting_sort(env->crew, env->arena, count, key, h->table_length,
                                         set->order.data, set->start.data);
    if (result != RN_OK) return result;
    rni_crew_pieces(env->crew, pieces, fill_points, &job);
    set->count = count;
    assert(!validate_set(h, set));
    return RN_OK;
}

/* The cell in direction step[], wrapped where an axis is periodic. */
static void step_cell(const hash *h, const int32_t from[3], const int8_t step[3], int32_t cell[3])
{
    for (int axis = 0; axis < 3; axis++) {
        int32_t n = h->cells.wrap[axis];
        cell[axis] = from[axis] + step[axis];
        if (n && cell[axis] < 0) cell[axis] += n;
        if (n && cell[axis] >= n) cell[axis] -= n;
    }
}

/* --- the cells around a row ------------------------------------------------------------------- */

static rn_result add_run(const hash *h, hash_near *near, uint32_t begin, uint32_t end,
                         const int8_t step[3])
{
    uint64_t capacity = near->runs.bytes / sizeof(hash_run);
    if (near->run_count == capacity) {
        rni_memory *memory = h->env->memory;
        rn_result result =
            rni_buffer_grow(memory, &near->runs, capacity + RNI_MAX_MASK, sizeof(hash_run));
        if (result != RN_OK) return result;
    }
    hash_run *run = (hash_run *)near->runs.data + near->run_count++;
    *run = (hash_run){.begin = begin, .end = end};
    for (int axis = 0; axis < 3; axis++) run->place[axis] = (uint8_t)(step[axis] + h->h);
    near->point_count += end - begin;
    return RN_OK;
}

static rn_result look_around(const hash *h, const hash_set *searched, const int32_t here[3],
                             hash_near *near)
{
    const hash_cell *cells = searched->cells.data;
    const uint32_t *start = searched->start.data;
    near->run_count = 0;
    near->point_count = near->collision_count = 0;
    for (uint32_t m = 0; m < h->mask_count; m++) {
        int32_t cell[3];
        step_cell(h, here, h->mask[m], cell);
        uint32_t bucket = bucket_of(h, cell), end = start[bucket + 1];
        for (uint32_t k = start[bucket]; k < end; k = cells[k].end) {
            if (!rni_same_cell(cells[k].at, cell)) {
                near->collision_count += cells[k].end - k;
                continue;
            }
            rn_result result = add_run(h, near, k, cells[k].end, h->mask[m]);
            if (result != RN_OK) return result;
        }
    }
    return RN_OK;
}

/* gap_sq[axis][h + s]: squared distance from a point to the cells of the mask along each axis. */
static void find_gaps(const hash *h, const float position[3], const int32_t cell[3],
                      double gap_sq[3][RNI_MAX_SIDE])
{
    for (int axis = 0; axis < 3; axis++) {
        double at = ((double)position[axis] - h->cells.low[axis]) * h->cells.scale[axis];
        double unit = h->is_narrow[axis] ? 0.0 : 1.0 / (h->cells.scale[axis] * h->cells.scale[axis]);
        rni_mask_gaps(at - (double)cell[axis], h->h, gap_sq[axis]);
        for (int s = 0; s <= 2 * h->h; s++) gap_sq[axis][s] *= unit;
    }
}

/* Tests one row against the runs near its cell, except in cells that its own sphere does not
 * reach. */
static rn_result find_row(const hash *h, const rni_find *find, uint32_t row, const hash_near *near,
                          uint32_t *found, rni_rows *rows)
{
    const hash_set *set = &h->sets[find->set];
    const rni_point *here = (const rni_point *)set->points.data + row;
    const rni_point *points = h->sets[find->searched].points.data;
    const rni_scan scan = rni_scan_from(&h->env->space, find, here);
    const hash_run *runs = near->runs.data;
    double gap_sq[3][RNI_MAX_SIDE] = {{0}};
    if (!h->env->def->as_published)
        find_gaps(h, here->position, ((const hash_cell *)set->cells.data)[row].at, gap_sq);
    rn_result result = rni_scan_reserve(&scan, rows, near->point_count);
    if (result != RN_OK) return result;
    *found = 0;
    for (uint32_t r = 0; r < near->run_count; r++) {
        const uint8_t *place = runs[r].place;
        double gap = gap_sq[0][place[0]] + gap_sq[1][place[1]] + gap_sq[2][place[2]];
        if (gap > h->reach_sq) continue;
        *found += rni_scan_run(&scan, points + runs[r].begin, runs[r].end - runs[r].begin, rows);
    }
    rows->collision_count += near->collision_count;
    rows->visited_count += h->mask_count;
    return RN_OK;
}

static rn_result find_rows(const hash *h, const rni_find *find, uint32_t first, uint32_t count,
                           hash_near *near, rni_rows *rows)
{
    const hash_cell *cells = h->sets[find->set].cells.data;
    bool is_published = h->env->def->as_published;
    for (uint32_t k = first; k < first + count; k++) {
        rn_result result = RN_OK;
        if (k == first || is_published || !rni_same_cell(cells[k].at, cells[k - 1].at))
            result = look_around(h, &h->sets[find->searched], cells[k].at, near);
        if (result == RN_OK) result = find_row(h, find, k, near, &rows->counts[k - first], rows);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

/* --- 13 cells: each pair is visited once and added to both lists ------------------------------ */

static bool is_forward(const int8_t step[3])
{
    if (step[2] != 0) return step[2] > 0;
    if (step[1] != 0) return step[1] > 0;
    return step[0] >= 0; /* the cell itself counts */
}

/* Pairs of point a with the points of one cell: counted where lists is NULL, otherwise written. */
static void walk_cell(const hash *h, const hash_set *set, uint32_t a, const int8_t step[3],
                      uint64_t *place, uint32_t *lists)
{
    const rni_space *space = &h->env->space;
    const rni_point *points = set->points.data;
    const hash_cell *cells = set->cells.data;
    const uint32_t *start = set->start.data;
    int32_t cell[3];
    step_cell(h, cells[a].at, step, cell);
    bool is_own = step[0] == 0 && step[1] == 0 && step[2] == 0;
    uint32_t bucket = bucket_of(h, cell), end = start[bucket + 1];
    for (uint32_t k = is_own ? a + 1 : start[bucket]; k < end; k = cells[k].end) {
        if (!rni_same_cell(cells[k].at, cell)) continue;
        for (uint32_t b = k; b < cells[k].end; b++) {
            if (rni_distance_sq(space, points[a].position, points[b].position) > space->radius_sq)
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

static void walk_pairs(const hash *h, const hash_set *set, uint64_t *place, uint32_t *lists)
{
    for (uint32_t a = 0; a < set->count; a++) {
        for (uint32_t m = 0; m < h->mask_count; m++) {
            if (is_forward(h->mask[m])) walk_cell(h, set, a, h->mask[m], place, lists);
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
                        "hash: %llu entries exceed memory_limit_bytes; use a smaller radius",
                        (unsigned long long)sum);
    }
    result = rni_buffer_need(memory, &set->list, sum, sizeof(uint32_t));
    if (result != RN_OK) return result;
    walk_pairs(h, set, place, set->list.data);
    memmove(place + 1, place,
            (size_t)count * sizeof *place); /* the end of each list is the start of the next */
    place[0] = 0;
    set->has_lists = true;
    return RN_OK;
}

/* ---------------------------------------------------------------------------------------------- */

static bool is_wide_enough_for_pairs(const hash *h)
{
    for (int axis = 0; axis < 3; axis++) {
        if (h->cells.wrap[axis] && h->cells.wrap[axis] < 3)
            return false; /* the forward and the backward cell would be the same */
    }
    return true;
}

static rn_result build(void *state, const rni_cloud *sets, uint32_t set_count)
{
    hash *h = state;
    const rn_search_def *def = h->env->def;
    uint64_t largest = 1;
    for (uint32_t s = 0; s <= RN_SEARCH_MAX_SETS; s++) {
        h->sets[s].count = 0;
        h->sets[s].has_lists = false;
    }
    for (uint32_t s = 0; s < set_count; s++)
        largest = sets[s].count > largest ? sets[s].count : largest;
    h->table_length = rni_hash_table_length(def, largest);
    h->is_power_of_two = (h->table_length & (h->table_length - 1)) == 0;
    choose_cells(h);
    make_mask(h);
    for (uint32_t s = 0; s < set_count; s++) {
        rn_result result = rni_hash_cells_check(&h->cells, h->env->space.dim, &sets[s], "hash");
        if (result == RN_OK) result = take_set(h, &h->sets[s], &sets[s]);
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
    return take_set(h, &h->sets[RNI_QUERIES], queries);
}

static const uint32_t *order_of(const void *state, uint32_t set)
{
    const hash *h = state;
    return h->sets[set].order.data;
}

static rn_result find(void *state, const rni_find *find, uint32_t first, uint32_t count,
                      uint32_t worker, rni_rows *rows)
{
    const hash *h = state;
    /* also before the first build and after a refused update */
    if (h->sets[find->searched].count == 0) {
        memset(rows->counts, 0, count * sizeof *rows->counts);
        return RN_OK;
    }
    if (find->set != find->searched || !h->sets[find->set].has_lists)
        return find_rows(h, find, first, count, &h->near[worker], rows);
    const hash_set *set = &h->sets[find->set];
    const rni_kept_lists kept = {set->list_start.data, set->list.data, set->order.data,
                                 set->points.data, sizeof(rni_point)};
    for (uint32_t row = 0; row < count; row++) {
        rn_result result =
            rni_kept_row(&kept, &h->env->space, find, first + row, &rows->counts[row], rows);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

const rni_method rni_method_hash = {
    .info = {RN_SEARCH_HASH, "hash",
             "uniform spatial hash: cells of one radius, sorted by bucket, 27 cells per query",
             "Teschner et al. 2003; Wichert et al. 2021; Grahn 2008", false},
    .has_published_form = true,
    .create = create,
    .destroy = destroy,
    .build = build,
    .place = place,
    .order = order_of,
    .find = find,
};
