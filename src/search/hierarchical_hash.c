/* Method "hierarchical-hash": hierarchical hashing (Pouchol et al. 2009).
 *
 * Cells of several classes, each twice as wide as the next finer class, share one hash table.
 * The key of a cell is the sum of the hashes of all cells that contain it, from the coarsest
 * class down (eq. 4); a flag of the cell records whether it has children. Points are in the
 * finest class, whose cells are one radius wide. A query descends all classes at once and ends
 * early where a coarse cell has no children. The table has a fixed length and uses time stamps
 * instead of being cleared (section 4.3), or is a growing map (def.unbounded_table: the paper's
 * n = infinity).
 *
 * There are two forms. def.as_published is listing 3: points are inserted in the caller's order,
 * on one thread; each point finds its neighbours among the points before it, and each pair goes
 * into both lists. The normal form inserts along a Morton curve, so that neighbours in space are
 * neighbours in memory, and queries the finished table on all threads; points of one cell share
 * one descent.
 *
 * Departures from the paper for correctness:
 * - Classes are r * 2^k: powers of two mixed with an arbitrary r do not nest and lose pairs. A
 *   coarse cell is the finest cell's integer coordinates shifted right, which is floor() also
 *   below zero. The finest cells are slightly wider than r, so that rounding places no pair two
 *   cells apart.
 * - Neighbouring cells are computed in integers, not by hashing p +- r. A cell that is new at a
 *   finer class has its full key from the coarsest class down, and is not searched under a cell
 *   without children. Cells reached from several of the 27 are visited once.
 * - Listing 3 has misplaced braces: here a point is inserted once, after its neighbours are
 *   found.
 * - Each class adds its own constant to the key: as printed, the cells h2(4,0) and h1(2,0) of
 *   figure 2 have the same key (as do h2(4,4) and h1(2,2)), although the figure distinguishes
 *   them.
 * - Products and sums are unsigned. Equal keys do not imply equal cells: a slot is visited once
 *   per query and the cells of its points are compared. Flags of cells in one slot are combined,
 *   so a shared slot can cost a visit but never a pair.
 *
 * The number of classes grows until one coarsest cell is as wide as the set, up to
 * HIER_MAX_CLASSES; more classes would only add steps above cells that all have children. */
#include "search/hierarchical_classes.h"

#include "base/error.h"
#include "base/sort.h"

#include <assert.h>
#include <runnel/geometry.h>

#include <math.h>
#include <string.h>

typedef struct hier_point {
    float position[3];
    int32_t cell[3]; /* of the finest class */
    uint32_t index;  /* the caller's */
    uint32_t next;   /* during insertion: the previous point in its slot */
} hier_point;

typedef struct hier_set {
    uint32_t count;
    hier_classes classes;
    rni_buffer points; /* hier_point, slot by slot */
    rni_buffer order;  /* uint32_t: the caller's index of each */
    /* as_published: the lists of this set in itself */
    bool has_lists;
    rni_buffer pairs;      /* uint32_t[2], as found; the caller's indices */
    rni_buffer list_start; /* uint64_t per row */
    rni_buffer list;       /* uint32_t, rows */
    uint64_t pair_count;
    uint64_t test_count, collision_count, visited_count, early_end_count; /* of the insertion */
} hier_set;

/* The candidates of one cell, as consecutive arrays. One per worker. */
typedef struct hier_crowd {
    _Alignas(RNI_ALIGNMENT) rni_buffer store;
    float *x, *y, *z, *distance_sq;
    uint32_t *index;
    uint32_t count;
} hier_crowd;

typedef struct hier {
    rni_search_env *env;
    rni_hash_cells cells; /* of the finest class */
    hier_set sets[RN_SEARCH_MAX_SETS + 1];
    hier_crowd *crowds;
    uint32_t crowd_count;
} hier;

static void destroy(void *state)
{
    hier *h = state;
    if (!h) return;
    rni_memory *memory = h->env->memory;
    for (uint32_t s = 0; s <= RN_SEARCH_MAX_SETS; s++) {
        hier_set *set = &h->sets[s];
        rni_buffer *buffers[] = {&set->points, &set->order, &set->pairs, &set->list_start,
                                 &set->list};
        rni_hier_table_free(memory, &set->classes.table);
        for (size_t b = 0; b < sizeof buffers / sizeof *buffers; b++)
            rni_buffer_free(memory, buffers[b]);
    }
    for (uint32_t w = 0; h->crowds && w < h->crowd_count; w++)
        rni_buffer_free(memory, &h->crowds[w].store);
    rni_memory_give(memory, h->crowds, h->crowd_count * sizeof *h->crowds);
    rni_memory_give(memory, h, sizeof *h);
}

static rn_result create(rni_search_env *env, void **state)
{
    hier *h = rni_memory_take(env->memory, sizeof *h);
    if (!h) return RN_ERROR_MEMORY;
    memset(h, 0, sizeof *h);
    h->env = env;
    h->crowd_count = rni_crew_size(env->crew);
    h->crowds = rni_memory_take(env->memory, h->crowd_count * sizeof *h->crowds);
    if (!h->crowds) {
        destroy(h);
        return RN_ERROR_MEMORY;
    }
    memset(h->crowds, 0, h->crowd_count * sizeof *h->crowds);
    *state = h;
    return RN_OK;
}

/* --- insertion -------------------------------------------------------------------------------- */

typedef struct hier_bounds {
    int32_t low[3], high[3];
} hier_bounds;

static int bits_of(uint32_t number)
{
    return number ? 32 - __builtin_clz(number) : 0;
}

/* The number of bits of the longest side, in finest cells. */
static int side_bits(const hier_bounds *bounds)
{
    int bits = 0;
    for (int axis = 0; axis < 3; axis++) {
        int side = bits_of((uint32_t)bounds->high[axis] - (uint32_t)bounds->low[axis]);
        bits = side > bits ? side : bits;
    }
    return bits;
}

static void take_points(const hier *h, const rni_cloud *cloud, hier_point *points, hier_bounds *bounds)
{
    *bounds = (hier_bounds){{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}};
    for (uint32_t i = 0; i < cloud->count; i++) {
        hier_point *p = &points[i];
        rni_cloud_at(cloud, h->env->space.dim, i, p->position);
        rni_hash_cell_at(&h->cells, p->position, p->cell);
        p->index = i;
        p->next = HIER_NO_SLOT;
        for (int axis = 0; axis < 3; axis++) {
            if (p->cell[axis] < bounds->low[axis]) bounds->low[axis] = p->cell[axis];
            if (p->cell[axis] > bounds->high[axis]) bounds->high[axis] = p->cell[axis];
        }
    }
}

/* Sorts along a Morton curve of the cells; of coarser cells where its 21 bits per axis are too
 * few. */
static rn_result sort_points(const hier *h, const hier_bounds *bounds, uint32_t count,
                             const hier_point *from, hier_point *to)
{
    rni_arena *arena = h->env->arena;
    uint64_t *key = rni_arena_take(arena, 2 * (size_t)count * sizeof *key);
    uint32_t *order = rni_arena_take(arena, 2 * (size_t)count * sizeof *order);
    if (!key || !order) return RN_ERROR_MEMORY;
    int most = h->env->space.dim == 3 ? 21 : 32, bits = side_bits(bounds);
    int shift = bits > most ? bits - most : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at[3];
        for (int axis = 0; axis < 3; axis++)
            at[axis] = ((uint32_t)from[i].cell[axis] - (uint32_t)bounds->low[axis]) >> shift;
        key[i] = h->env->space.dim == 3 ? rn_morton3_encode(at[0], at[1], at[2])
                                        : rn_morton2_encode(at[0], at[1]);
        order[i] = i;
    }
    rn_result result =
        rni_sort_u64(h->env->crew, arena, count, key, order, key + count, order + count);
    for (uint32_t k = 0; k < count && result == RN_OK; k++) to[k] = from[order[k]];
    return result;
}

static rn_result keep_pair(const hier *h, hier_set *set, uint32_t i, uint32_t j)
{
    if ((set->pair_count + 1) * sizeof(uint32_t[2]) > set->pairs.bytes) {
        uint64_t limit = rni_memory_limit(h->env->def);
        if (set->pair_count * 4 * sizeof(uint32_t) > limit) {
            return rni_fail(RN_ERROR_LIMIT,
                            "hierarchical-hash: more than %llu pairs exceed %.6g MB; use a smaller "
                            "radius, turn as_published off, or raise memory_limit_bytes",
                            (unsigned long long)set->pair_count, (double)limit * 1e-6);
        }
        rn_result result =
            rni_buffer_grow(h->env->memory, &set->pairs, set->pair_count + 1, sizeof(uint32_t[2]));
        if (result != RN_OK) return result;
    }
    uint32_t *pair = (uint32_t *)set->pairs.data + 2 * set->pair_count++;
    pair[0] = i;
    pair[1] = j;
    return RN_OK;
}

/* Listing 3: the neighbours of a point among those already inserted. */
static rn_result find_before(const hier *h, hier_set *set, const hier_point *points, uint32_t i)
{
    const rni_space *space = &h->env->space;
    const hier_slot *slots = set->classes.table.slots.data;
    hier_descent d;
    rni_hier_descend(&h->cells, space->dim, &set->classes, points[i].cell, &d);
    set->visited_count += d.visited_count;
    set->early_end_count += d.early_end_count;
    for (uint32_t s = 0; s < d.count; s++) {
        for (uint32_t j = slots[d.slots[s]].first; j != HIER_NO_SLOT; j = points[j].next) {
            if (!rni_hier_near_cell(&h->cells, points[i].cell, points[j].cell)) {
                set->collision_count++;
                continue;
            }
            set->test_count++;
            if (rni_distance_sq(space, points[i].position, points[j].position) > space->radius_sq)
                continue;
            rn_result result = keep_pair(h, set, i, j);
            if (result != RN_OK) return result;
        }
    }
    return RN_OK;
}

/* Inserts points into the table in their order; filled[] becomes the slots that hold points, in
 * order of first use. */
static rn_result insert_points(const hier *h, hier_set *set, hier_point *points, uint32_t count,
                               uint32_t *filled, uint32_t *filled_count)
{
    hier_path path = rni_hier_path_begin(&set->classes);
    *filled_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        rn_result result = set->has_lists ? find_before(h, set, points, i) : RN_OK;
        if (result == RN_OK)
            result = rni_hier_open_path(h->env->memory, &set->classes, points[i].cell, 0, &path);
        if (result != RN_OK) return result;
        hier_slot *slot = (hier_slot *)set->classes.table.slots.data + path.slot[0];
        if (slot->count++ == 0) filled[(*filled_count)++] = path.slot[0];
        points[i].next = slot->first;
        slot->first = i;
    }
    return RN_OK;
}

/* Converts chains to ranges: the points of a slot become consecutive, in insertion order. */
static void settle_points(hier_set *set, const hier_point *from, const uint32_t *filled,
                          uint32_t filled_count)
{
    hier_slot *slots = set->classes.table.slots.data;
    hier_point *to = set->points.data;
    uint32_t begin = 0;
    for (uint32_t f = 0; f < filled_count; f++) {
        hier_slot *slot = &slots[filled[f]];
        uint32_t at = begin + slot->count;
        for (uint32_t i = slot->first; i != HIER_NO_SLOT; i = from[i].next) to[--at] = from[i];
        slot->first = begin;
        begin += slot->count;
    }
}

/* Adds each pair to both lists, in the order found; converts the caller's indices to rows. */
static rn_result settle_lists(hier *h, hier_set *set)
{
    rni_memory *memory = h->env->memory;
    uint32_t count = set->count;
    rn_result result =
        rni_buffer_need(memory, &set->list_start, (uint64_t)count + 2, sizeof(uint64_t));
    if (result == RN_OK)
        result = rni_buffer_need(memory, &set->list, 2 * set->pair_count, sizeof(uint32_t));
    if (result != RN_OK) return result;
    uint32_t *row = rni_arena_take(h->env->arena, (size_t)count * sizeof *row);
    if (!row) return RN_ERROR_MEMORY;
    const uint32_t *order = set->order.data, *pairs = set->pairs.data;
    for (uint32_t k = 0; k < count; k++) row[order[k]] = k;
    uint64_t *place = (uint64_t *)set->list_start.data + 1; /* becomes the next start */
    uint32_t *list = set->list.data;
    memset(set->list_start.data, 0, ((size_t)count + 2) * sizeof(uint64_t));
    for (uint64_t e = 0; e < 2 * set->pair_count; e++) place[row[pairs[e]] + 1]++;
    for (uint32_t k = 0; k < count; k++) place[k + 1] += place[k];
    for (uint64_t e = 0; e < 2 * set->pair_count; e++)
        list[place[row[pairs[e]]]++] = row[pairs[e ^ 1]];
    return RN_OK;
}

static void fill_order(hier_set *set, uint32_t count)
{
    const hier_point *points = set->points.data;
    uint32_t *order = set->order.data;
    for (uint32_t k = 0; k < count; k++) order[k] = points[k].index;
    set->count = count;
}

static rn_result need_points(hier *h, hier_set *set, uint32_t count)
{
    rn_result result = rni_buffer_need(h->env->memory, &set->points, count, sizeof(hier_point));
    if (result != RN_OK) return result;
    return rni_buffer_need(h->env->memory, &set->order, count, sizeof(uint32_t));
}

static void set_begin(hier_set *set)
{
    set->count = 0;
    set->has_lists = false;
    set->pair_count = 0;
    set->test_count = set->collision_count = set->visited_count = set->early_end_count = 0;
}

static rn_result take_set(hier *h, hier_set *set, const rni_cloud *cloud, bool wants_lists)
{
    const rn_search_def *def = h->env->def;
    uint32_t count = cloud->count, filled_count = 0;
    set_begin(set);
    rn_result result = rni_hash_cells_check(&h->cells, h->env->space.dim, cloud, "hierarchical-hash");
    if (result == RN_OK) result = need_points(h, set, count);
    uint32_t length = def->unbounded_table ? 0 : rni_hash_table_length(def, count);
    if (result == RN_OK) result = rni_hier_table_begin(h->env->memory, &set->classes.table, length);
    if (result != RN_OK) return result;
    hier_point *points = rni_arena_take(h->env->arena, (size_t)count * sizeof *points);
    uint32_t *filled = rni_arena_take(h->env->arena, (size_t)count * sizeof *filled);
    if (!points || !filled) return RN_ERROR_MEMORY;
    hier_bounds bounds;
    hier_point *as_given = def->as_published ? points : set->points.data;
    take_points(h, cloud, as_given, &bounds);
    if (!def->as_published) result = sort_points(h, &bounds, count, as_given, points);
    if (result != RN_OK) return result;
    int top = count ? side_bits(&bounds) : 0;
    set->classes.top = top < HIER_MAX_CLASSES ? top : HIER_MAX_CLASSES - 1;
    set->has_lists = def->as_published && wants_lists;
    result = insert_points(h, set, points, count, filled, &filled_count);
    if (result != RN_OK) return result;
    assert(!rni_validate_hier_table(&set->classes.table));
    settle_points(set, points, filled, filled_count);
    fill_order(set, count);
    return set->has_lists ? settle_lists(h, set) : RN_OK;
}

static rn_result build(void *state, const rni_cloud *sets, uint32_t set_count)
{
    hier *h = state;
    double width[3];
    for (int axis = 0; axis < 3; axis++)
        width[axis] = rni_reach(&h->env->space, axis) * (1.0 + 1e-5);
    h->cells = rni_hash_cells_choose(&h->env->space, width);
    h->env->stats->cell_count = 0;
    for (uint32_t s = 0; s < set_count; s++) {
        bool in_itself = h->env->def->searches[s] & 1u << s;
        rn_result result = take_set(h, &h->sets[s], &sets[s], in_itself);
        if (result != RN_OK) return result;
        h->env->stats->cell_count += h->sets[s].classes.table.used_count;
    }
    return RN_OK;
}

static rn_result place(void *state, const rni_cloud *queries)
{
    hier *h = state;
    hier_set *set = &h->sets[RNI_QUERIES];
    uint32_t count = queries->count;
    set_begin(set);
    rn_result result = need_points(h, set, count);
    if (result != RN_OK) return result;
    hier_point *points = rni_arena_take(h->env->arena, (size_t)count * sizeof *points);
    if (!points) return RN_ERROR_MEMORY;
    hier_bounds bounds;
    take_points(h, queries, points, &bounds);
    result = sort_points(h, &bounds, count, points, set->points.data);
    if (result == RN_OK) fill_order(set, count);
    return result;
}

static const uint32_t *order_of(const void *state, uint32_t set)
{
    const hier *h = state;
    return h->sets[set].order.data;
}

/* --- queries ---------------------------------------------------------------------------------- */

static rn_result need_crowd(rni_memory *memory, hier_crowd *crowd, uint64_t count)
{
    crowd->count = 0;
    count = (count + 16) & ~(uint64_t)15; /* and never zero */
    if (crowd->store.bytes / sizeof(float) < 5 * count) {
        rn_result result = rni_buffer_need(memory, &crowd->store, 5 * count, sizeof(float));
        if (result != RN_OK) return result;
    }
    crowd->x = crowd->store.data;
    crowd->y = crowd->x + count;
    crowd->z = crowd->y + count;
    crowd->distance_sq = crowd->z + count;
    crowd->index = (uint32_t *)(void *)(crowd->distance_sq + count);
    return RN_OK;
}

/* Gathers the points of a cell and of the cells around it. */
static rn_result gather(const hier *h, const hier_set *searched, const int32_t cell[3],
                        hier_crowd *crowd, rni_rows *rows)
{
    const hier_slot *slots = searched->classes.table.slots.data;
    const hier_point *points = searched->points.data;
    uint64_t most = 0;
    hier_descent d = {.count = 0};
    if (searched->count > 0)
        rni_hier_descend(&h->cells, h->env->space.dim, &searched->classes, cell, &d);
    rows->visited_count += d.visited_count;
    rows->early_end_count += d.early_end_count;
    for (uint32_t s = 0; s < d.count; s++) most += slots[d.slots[s]].count;
    rn_result result = need_crowd(h->env->memory, crowd, most);
    if (result != RN_OK) return result;
    uint32_t kept = 0;
    for (uint32_t s = 0; s < d.count; s++) {
        const hier_slot *slot = &slots[d.slots[s]];
        for (uint32_t k = slot->first; k < slot->first + slot->count; k++) {
            crowd->x[kept] = points[k].position[0];
            crowd->y[kept] = points[k].position[1];
            crowd->z[kept] = points[k].position[2];
            crowd->index[kept] = points[k].index;
            kept += rni_hier_near_cell(&h->cells, cell, points[k].cell);
        }
    }
    crowd->count = kept;
    rows->collision_count += most - kept;
    return RN_OK;
}

/* Indices that a row excludes: skip_count of them, starting at skip_first. */
typedef struct hier_skip {
    uint32_t first, count;
} hier_skip;

static hier_skip skip_of(rni_leave_out leave_out, uint32_t self)
{
    if (leave_out == RNI_LEAVE_SELF) return (hier_skip){self, 1};
    if (leave_out == RNI_LEAVE_SMALLER) return (hier_skip){0, self + 1};
    return (hier_skip){0, 0};
}

/* Separate from the selection, so that the compiler can vectorize it. */
static void measure_crowd(const rni_space *space, const float here[3], const hier_crowd *crowd)
{
    const float *x = crowd->x, *y = crowd->y, *z = crowd->z;
    float *restrict distance_sq = crowd->distance_sq;
    rni_space plain = *space;
    plain.is_periodic = false; /* a constant for the compiler */
    if (space->is_periodic) {
        for (uint32_t k = 0; k < crowd->count; k++)
            distance_sq[k] = rni_distance_sq(space, here, (float[3]){x[k], y[k], z[k]});
    } else {
        for (uint32_t k = 0; k < crowd->count; k++)
            distance_sq[k] = rni_distance_sq(&plain, here, (float[3]){x[k], y[k], z[k]});
    }
}

/* Tests one row against the gathered points, without a branch on the result, which is
 * unpredictable. */
static rn_result test_row(const hier *h, const rni_find *find, const hier_point *here,
                          const hier_crowd *crowd, uint32_t *found, rni_rows *rows)
{
    const float radius_sq = h->env->space.radius_sq;
    const float *distance_sq = crowd->distance_sq;
    const uint32_t *from = crowd->index, count = crowd->count;
    const hier_skip skip = skip_of(find->leave_out, here->index);
    uint32_t kept = 0;
    measure_crowd(&h->env->space, here->position, crowd);
    rows->test_count += count;
    if (find->want == RNI_WANT_COUNTS) {
        for (uint32_t k = 0; k < count; k++)
            kept += (distance_sq[k] <= radius_sq) & (from[k] - skip.first >= skip.count);
        *found = kept;
        return RN_OK;
    }
    rn_result result = rni_rows_reserve(rows, find->want, count);
    if (result != RN_OK) return result;
    uint32_t *index = rni_rows_next(rows);
    float *distances = NULL;
    if (find->want == RNI_WANT_DISTANCE) distances = (float *)rows->distance_sq.data + rows->used;
    for (uint32_t k = 0; k < count; k++) {
        index[kept] = from[k];
        if (distances) distances[kept] = distance_sq[k];
        kept += (distance_sq[k] <= radius_sq) & (from[k] - skip.first >= skip.count);
    }
    *found = kept;
    rows->used += kept;
    return RN_OK;
}

/* Returns the rows that were found during insertion. */
static rni_kept_lists kept_lists(const hier_set *set)
{
    return (rni_kept_lists){set->list_start.data, set->list.data, set->order.data, set->points.data,
                            sizeof(hier_point)};
}

/* The counters of the insertion are reported once, with the first row. */
static void tell_insertion(hier_set *set, rni_rows *rows)
{
    rows->test_count += set->test_count;
    rows->collision_count += set->collision_count;
    rows->visited_count += set->visited_count;
    rows->early_end_count += set->early_end_count;
    set->test_count = set->collision_count = set->visited_count = set->early_end_count = 0;
}

static rn_result find(void *state, const rni_find *find, uint32_t first, uint32_t count,
                      uint32_t worker, rni_rows *rows)
{
    hier *h = state;
    const hier_set *set = &h->sets[find->set], *searched = &h->sets[find->searched];
    const hier_point *points = set->points.data;
    hier_crowd *crowd = &h->crowds[worker];
    bool is_listed = set == searched && set->has_lists;
    const rni_kept_lists kept = kept_lists(set);
    if (is_listed && first == 0) tell_insertion(&h->sets[find->set], rows);
    for (uint32_t row = 0; row < count; row++) {
        const hier_point *here = &points[first + row];
        rn_result result = RN_OK;
        if (is_listed) {
            result = rni_kept_row(&kept, &h->env->space, find, first + row, &rows->counts[row], rows);
        } else {
            if (row == 0 || !rni_same_cell(here->cell, here[-1].cell))
                result = gather(h, searched, here->cell, crowd, rows);
            if (result == RN_OK) result = test_row(h, find, here, crowd, &rows->counts[row], rows);
        }
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

const rni_method rni_method_hierarchical_hash = {
    .info = {RN_SEARCH_HIERARCHICAL_HASH, "hierarchical-hash",
             "nested classes of cells in one hash table: empty areas end a query early",
             "Pouchol et al. 2009", false},
    .has_published_form = true,
    .create = create,
    .destroy = destroy,
    .build = build,
    .place = place,
    .order = order_of,
    .find = find,
};
