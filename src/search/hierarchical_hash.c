/* Method "hierarchical-hash": the hierarchical hashing of paper 000 (Pouchol et al. 2009).
 *
 * Cells of several classes, each twice as wide as the next finer one, share one hash table. The key
 * of a cell is the sum of the hashes of all cells around it, from the coarsest class down (eq. 4);
 * a cell says whether it has children. Points lie in the finest class, whose cells are one radius
 * wide. A query goes down all classes at once and ends early where a coarse cell has no children.
 * The table has a fixed length and time stamps instead of being cleared (section 4.3), or is a map
 * that grows (def.unbounded_table: the paper's n = infinity).
 *
 * Two forms. def.as_published is listing 3: points are inserted in the caller's order, on one
 * thread, each finds its neighbours among those before it, and each pair goes into both lists. The
 * normal form inserts along a Morton curve, so that neighbours in space are neighbours in memory,
 * and asks the finished table on all threads; points of one cell share one descent.
 *
 * Departures, each needed to be right:
 * - classes are r * 2^k: powers of two mixed with an arbitrary r do not nest and lose pairs. A
 *   coarse cell is the finest one's integer coordinates shifted right, which is floor() also below
 *   zero. The finest cells are a hair wider than r, so that rounding puts no pair two cells apart;
 * - neighbouring cells are stepped to in integers, not by hashing p +- r; a cell that is new at a
 *   finer class has its full key from the coarsest down, and is not looked for under a cell without
 *   children; cells met by several of the 27 are visited once;
 * - listing 3's misplaced braces: a point is inserted once, after its neighbours are found;
 * - each class adds a constant of its own to the key: as printed, the cells h2(4,0) and h1(2,0) of
 *   figure 2 have the same one (and h2(4,4) and h1(2,2)), although the figure tells them apart;
 * - products and sums are unsigned. Equal keys do not mean equal cells: a slot is visited once a
 *   query and the cells of its points are compared. Flags of cells in one slot are joined, so a
 *   shared slot can cost a visit and never a pair.
 *   (The second customary prime is none: 19349663 = 41 * 471943. It does no harm.)
 *
 * How many classes: as many as it takes until one coarsest cell is as wide as the set, at most
 * MAX_CLASSES; more of them only add steps above cells that all have children. */
#include "search/method.h"

#include "base/error.h"
#include "base/sort.h"
#include "search/lists.h"

#include <runnel/geometry.h>

#include <math.h>
#include <string.h>

#define PRIME_X    73856093u
#define PRIME_Y    19349663u
#define PRIME_Z    83492791u
#define CLASS_STEP 0x9e3779b97f4a7c15u /* what every class adds to a key */

#define MAX_CLASSES 8
#define MAX_CELL    0x3fffffff /* cells are 32-bit numbers with room for their neighbours */
#define NO_SLOT     UINT32_MAX

typedef struct hier_point {
    float position[3];
    int32_t cell[3]; /* of the finest class */
    uint32_t index;  /* the caller's */
    uint32_t next;   /* while inserting: the point before this one in its slot */
} hier_point;

typedef struct hier_slot {
    uint32_t stamp; /* in use when it is the table's */
    bool has_children;
    uint32_t first, count; /* points; while inserting, first is the last one inserted */
} hier_slot;

/* Where the map keeps a key. */
typedef struct hier_place {
    uint32_t stamp, slot;
} hier_place;

typedef struct hier_table {
    bool is_map;
    uint32_t stamp;
    uint32_t used_count; /* slots in use */
    uint32_t length;     /* fixed: slots */
    rni_buffer slots;    /* hier_slot; by key modulo length, or in the order they came into use */
    rni_buffer keys;     /* map: uint64_t a slot */
    rni_buffer places;   /* map: hier_place, a power of two, open addressing */
    uint32_t place_bits;
} hier_table;

typedef struct hier_set {
    uint32_t count;
    int top; /* the coarsest class */
    hier_table table;
    rni_buffer points; /* hier_point, slot by slot */
    rni_buffer order;  /* uint32_t: the caller's index of each */
    /* as_published: the lists of this set in itself */
    bool has_lists;
    rni_buffer pairs;      /* uint32_t[2], as found; the caller's indices */
    rni_buffer list_start; /* uint64_t a row */
    rni_buffer list;       /* uint32_t, rows */
    uint64_t pair_count;
    uint64_t test_count, collision_count, visited_count, early_end_count; /* of the insertion */
} hier_set;

/* The candidates of one cell, one array behind the other. One a worker. */
typedef struct hier_crowd {
    _Alignas(RNI_ALIGNMENT) rni_buffer store;
    float *x, *y, *z, *distance_sq;
    uint32_t *index;
    uint32_t count;
} hier_crowd;

typedef struct hier {
    rni_search_env *env;
    double low[3], scale[3];
    int32_t wrap[3]; /* cells of a periodic axis, else 0 */
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
        rni_buffer *buffers[] = {&set->table.slots, &set->table.keys, &set->table.places,
                                 &set->points,      &set->order,      &set->pairs,
                                 &set->list_start,  &set->list};
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

/* --- the table ------------------------------------------------------------------------------- */

/* Room with all stamps old; memory that is there already has old stamps by itself. */
static rn_result need_stamped(rni_memory *memory, rni_buffer *buffer, uint64_t count, size_t bytes)
{
    if (buffer->data && buffer->bytes / bytes >= count) return RN_OK;
    rn_result result = rni_buffer_need(memory, buffer, count, bytes);
    if (result == RN_OK) memset(buffer->data, 0, buffer->bytes);
    return result;
}

/* Empties the table without touching it: the next stamp. length 0: a map. */
static rn_result table_begin(rni_memory *memory, hier_table *table, uint32_t length)
{
    table->is_map = length == 0;
    table->length = length;
    table->used_count = 0;
    if (++table->stamp == 0) { /* after four billion updates */
        table->stamp = 1;
        if (table->places.data) memset(table->places.data, 0, table->places.bytes);
        if (table->slots.data) memset(table->slots.data, 0, table->slots.bytes);
    }
    if (!table->is_map) return need_stamped(memory, &table->slots, length, sizeof(hier_slot));
    if (table->place_bits == 0) table->place_bits = 6;
    return need_stamped(memory, &table->places, (uint64_t)1 << table->place_bits, sizeof(hier_place));
}

/* The place of a key in the map, or the free one where it belongs. */
static hier_place *map_place(const hier_table *table, uint64_t key)
{
    hier_place *places = table->places.data;
    const uint64_t *keys = table->keys.data;
    uint64_t mask = ((uint64_t)1 << table->place_bits) - 1;
    uint64_t at = key * 0xd1342543de82ef95u >> (64 - table->place_bits);
    while (places[at].stamp == table->stamp && keys[places[at].slot] != key) at = (at + 1) & mask;
    return &places[at];
}

static uint32_t fixed_place(const hier_table *table, uint64_t key)
{
    uint32_t length = table->length;
    return (uint32_t)((length & (length - 1)) == 0 ? key & (length - 1) : key % length);
}

/* The slot of a key, or NO_SLOT. */
static uint32_t table_find(const hier_table *table, uint64_t key)
{
    if (table->is_map) {
        const hier_place *place = map_place(table, key);
        return place->stamp == table->stamp ? place->slot : NO_SLOT;
    }
    uint32_t at = fixed_place(table, key);
    return ((const hier_slot *)table->slots.data)[at].stamp == table->stamp ? at : NO_SLOT;
}

/* Room for one more slot, at most half of the places taken. */
static rn_result map_grow(rni_memory *memory, hier_table *table)
{
    uint64_t needed = (uint64_t)table->used_count + 1;
    if (needed >= NO_SLOT)
        return rni_fail(RN_ERROR_LIMIT,
                        "hierarchical-hash: the map counts to %u cells; use a table "
                        "of fixed length",
                        NO_SLOT - 1);
    rn_result result = RN_OK;
    if (needed * sizeof(hier_slot) > table->slots.bytes)
        result = rni_buffer_grow(memory, &table->slots, needed, sizeof(hier_slot));
    if (result == RN_OK && needed * sizeof(uint64_t) > table->keys.bytes)
        result = rni_buffer_grow(memory, &table->keys, needed, sizeof(uint64_t));
    if (result != RN_OK || 2 * needed <= (uint64_t)1 << table->place_bits) return result;
    rni_buffer larger = {0};
    result = need_stamped(memory, &larger, (uint64_t)2 << table->place_bits, sizeof(hier_place));
    if (result != RN_OK) return result;
    rni_buffer_free(memory, &table->places);
    table->places = larger;
    table->place_bits++;
    const uint64_t *keys = table->keys.data;
    for (uint32_t slot = 0; slot < table->used_count; slot++)
        *map_place(table, keys[slot]) = (hier_place){table->stamp, slot};
    return RN_OK;
}

/* The slot of a key, made where there is none. */
static rn_result table_take(rni_memory *memory, hier_table *table, uint64_t key, uint32_t *slot)
{
    *slot = table_find(table, key);
    if (*slot != NO_SLOT) return RN_OK;
    if (table->is_map) {
        rn_result result = map_grow(memory, table);
        if (result != RN_OK) return result;
        *slot = table->used_count;
        ((uint64_t *)table->keys.data)[*slot] = key;
        *map_place(table, key) = (hier_place){table->stamp, *slot};
    } else {
        *slot = fixed_place(table, key);
    }
    ((hier_slot *)table->slots.data)[*slot] = (hier_slot){.stamp = table->stamp, .first = NO_SLOT};
    table->used_count++;
    return RN_OK;
}

/* --- cells ----------------------------------------------------------------------------------- */

static uint64_t times(int32_t cell, uint64_t prime)
{
    return (uint64_t)(int64_t)cell * prime;
}

/* Equation 3, without the modulo: the table takes it. */
static uint64_t hash_of(int32_t x, int32_t y, int32_t z)
{
    return times(x, PRIME_X) ^ times(y, PRIME_Y) ^ times(z, PRIME_Z);
}

static void choose_cells(hier *h)
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
static rn_result find_cell(const hier *h, const float position[3], uint32_t i, bool is_query,
                           int32_t cell[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double at = floor(((double)position[axis] - h->low[axis]) * h->scale[axis]);
        if (h->wrap[axis]) {
            at = at < 0.0 ? 0.0 : at >= h->wrap[axis] ? h->wrap[axis] - 1 : at;
        } else if (fabs(at) > MAX_CELL) {
            if (!is_query) {
                return rni_fail(RN_ERROR_LIMIT,
                                "hierarchical-hash: point %u has %c = %g, %.3g cells from the "
                                "origin; this method counts to %d, method grid has no such limit",
                                i, "xyz"[axis], (double)position[axis], fabs(at), MAX_CELL);
            }
            at = at < 0.0 ? -MAX_CELL - 10 : MAX_CELL + 10;
        }
        cell[axis] = (int32_t)at;
    }
    return RN_OK;
}

static bool same_cell(const int32_t a[3], const int32_t b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Whether b is a or one of the 26 cells around it. */
static bool near_cell(const hier *h, const int32_t a[3], const int32_t b[3])
{
    for (int axis = 0; axis < 3; axis++) {
        uint32_t d = (uint32_t)a[axis] - (uint32_t)b[axis], last = (uint32_t)h->wrap[axis] - 1;
        if (d + 1 <= 2) continue;
        if (h->wrap[axis] == 0 || (d != last && 0 - d != last)) return false;
    }
    return true;
}

/* --- down the classes ------------------------------------------------------------------------ */

/* The way of the last cell, so that the next one only does what is different. */
typedef struct hier_path {
    int bottom; /* classes top .. bottom are done; above top: none */
    int32_t cell[3];
    uint64_t key[MAX_CLASSES];
    uint32_t slot[MAX_CLASSES];
} hier_path;

static hier_path path_begin(const hier_set *set)
{
    return (hier_path){.bottom = set->top + 1};
}

/* The coarsest class in which the two cells differ, or -1. */
static int differ_from(const int32_t a[3], const int32_t b[3])
{
    uint32_t bits = (uint32_t)(a[0] ^ b[0]) | (uint32_t)(a[1] ^ b[1]) | (uint32_t)(a[2] ^ b[2]);
    return bits ? 31 - __builtin_clz(bits) : -1;
}

/* Listing 1: the slot of the cell of class `class` around a finest cell; those above it get their
 * flag. */
static rn_result open_path(rni_memory *memory, hier_set *set, const int32_t cell[3], int class,
                           hier_path *path)
{
    int level = differ_from(cell, path->cell);
    if (level < path->bottom - 1) level = path->bottom - 1;
    if (level > set->top) level = set->top;
    memcpy(path->cell, cell, sizeof path->cell);
    for (; level >= class; level--) {
        uint64_t key = hash_of(cell[0] >> level, cell[1] >> level, cell[2] >> level) + CLASS_STEP;
        path->bottom = level + 1; /* so much is true should the next line fail */
        if (level < set->top) {
            key += path->key[level + 1];
            ((hier_slot *)set->table.slots.data)[path->slot[level + 1]].has_children = true;
        }
        path->key[level] = key;
        rn_result result = table_take(memory, &set->table, key, &path->slot[level]);
        if (result != RN_OK) return result;
        path->bottom = level;
    }
    return RN_OK;
}

/* Along one axis, the cells of one class that hold any of the three finest ones, each once. */
typedef struct hier_axis {
    int count;
    int32_t at[3];
    int parent[3]; /* which one of the next coarser class each lies in */
} hier_axis;

static void step_axis(const hier *h, int axis, int32_t cell, int top, hier_axis (*classes)[3])
{
    hier_axis *finest = &classes[0][axis];
    int32_t n = h->wrap[axis];
    int reach = axis < (int)h->env->space.dim ? 1 : 0;
    finest->count = 0;
    for (int step = n == 1 ? 0 : n == 2 ? 0 : -reach; step <= (n == 1 ? 0 : reach); step++) {
        int32_t at = cell + step;
        if (n && at < 0) at += n;
        if (n && at >= n) at -= n;
        finest->at[finest->count++] = at;
    }
    for (int level = 0; level < top; level++) {
        hier_axis *fine = &classes[level][axis], *coarse = &classes[level + 1][axis];
        coarse->count = 0;
        for (int k = 0; k < fine->count; k++) {
            int32_t at = fine->at[k] >> 1;
            int place = 0;
            while (place < coarse->count && coarse->at[place] != at) place++;
            if (place == coarse->count) coarse->at[coarse->count++] = at;
            fine->parent[k] = place;
        }
    }
    for (int k = 0; k < 3; k++) classes[top][axis].parent[k] = 0;
}

typedef struct hier_descent {
    uint32_t slots[27];
    uint32_t count;
    uint64_t seen; /* a bit for each slot modulo 64 */
    uint64_t visited_count, early_end_count;
} hier_descent;

static void keep_slot(hier_descent *d, uint32_t slot)
{
    uint64_t bit = (uint64_t)1 << (slot & 63);
    if (d->seen & bit) {
        for (uint32_t k = 0; k < d->count; k++) {
            if (d->slots[k] == slot) return;
        }
    }
    d->seen |= bit;
    d->slots[d->count++] = slot;
}

/* One class of a descent: the cells that lie in living ones of the class above; returns which of
 * them live on, a bit each. */
static uint32_t descend_class(const hier_set *set, int level, const hier_axis axes[3],
                              const uint64_t above[27], uint32_t above_alive, uint64_t key[27],
                              hier_descent *d)
{
    const hier_slot *slots = set->table.slots.data;
    uint32_t alive = 0;
    for (int z = 0; z < axes[2].count; z++) {
        uint64_t hash_z = times(axes[2].at[z], PRIME_Z);
        for (int y = 0; y < axes[1].count; y++) {
            uint64_t hash_yz = times(axes[1].at[y], PRIME_Y) ^ hash_z;
            int parent_yz = (axes[2].parent[z] * 3 + axes[1].parent[y]) * 3;
            for (int x = 0; x < axes[0].count; x++) {
                int parent = parent_yz + axes[0].parent[x], here = (z * 3 + y) * 3 + x;
                if (!(above_alive >> parent & 1)) continue;
                key[here] = above[parent] + (times(axes[0].at[x], PRIME_X) ^ hash_yz) + CLASS_STEP;
                uint32_t slot = table_find(&set->table, key[here]);
                d->visited_count++;
                if (level == 0) {
                    if (slot != NO_SLOT && slots[slot].count > 0) keep_slot(d, slot);
                } else if (slot != NO_SLOT && slots[slot].has_children) {
                    alive |= 1u << here;
                } else {
                    d->early_end_count++;
                }
            }
        }
    }
    return alive;
}

/* The slots that hold the points of a cell and of those around it, each once. */
static void descend(const hier *h, const hier_set *set, const int32_t cell[3], hier_descent *d)
{
    hier_axis classes[MAX_CLASSES][3];
    uint64_t keys[2][27];
    uint32_t alive = 1;
    d->count = 0;
    d->seen = d->visited_count = d->early_end_count = 0;
    for (int axis = 0; axis < 3; axis++) step_axis(h, axis, cell[axis], set->top, classes);
    keys[(set->top + 1) & 1][0] = 0;
    for (int level = set->top; level >= 0 && alive; level--) {
        alive = descend_class(set, level, classes[level], keys[(level + 1) & 1], alive,
                              keys[level & 1], d);
    }
}

/* --- inserting ------------------------------------------------------------------------------- */

typedef struct hier_bounds {
    int32_t low[3], high[3];
} hier_bounds;

static int bits_of(uint32_t number)
{
    return number ? 32 - __builtin_clz(number) : 0;
}

/* Bits of the longest side, in finest cells. */
static int side_bits(const hier_bounds *bounds)
{
    int bits = 0;
    for (int axis = 0; axis < 3; axis++) {
        int side = bits_of((uint32_t)bounds->high[axis] - (uint32_t)bounds->low[axis]);
        bits = side > bits ? side : bits;
    }
    return bits;
}

static rn_result take_points(const hier *h, const rni_cloud *cloud, bool is_query,
                             hier_point *points, hier_bounds *bounds)
{
    *bounds = (hier_bounds){{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}};
    for (uint32_t i = 0; i < cloud->count; i++) {
        hier_point *p = &points[i];
        rni_cloud_at(cloud, h->env->space.dim, i, p->position);
        rn_result result = find_cell(h, p->position, i, is_query, p->cell);
        if (result != RN_OK) return result;
        p->index = i;
        p->next = NO_SLOT;
        for (int axis = 0; axis < 3; axis++) {
            if (p->cell[axis] < bounds->low[axis]) bounds->low[axis] = p->cell[axis];
            if (p->cell[axis] > bounds->high[axis]) bounds->high[axis] = p->cell[axis];
        }
    }
    return RN_OK;
}

/* Along a Morton curve of the cells; of coarser ones where its 21 bits an axis are too few. */
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
                            "hierarchical-hash: over %llu pairs, more than %llu MB; take a smaller "
                            "radius, leave as_published off, or raise memory_limit_bytes",
                            (unsigned long long)set->pair_count, (unsigned long long)(limit >> 20));
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
    const hier_slot *slots = set->table.slots.data;
    hier_descent d;
    descend(h, set, points[i].cell, &d);
    set->visited_count += d.visited_count;
    set->early_end_count += d.early_end_count;
    for (uint32_t s = 0; s < d.count; s++) {
        for (uint32_t j = slots[d.slots[s]].first; j != NO_SLOT; j = points[j].next) {
            if (!near_cell(h, points[i].cell, points[j].cell)) {
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

/* Puts points into the table in their order; filled[] becomes the slots that hold points, in the
 * order they came into use. */
static rn_result insert_points(const hier *h, hier_set *set, hier_point *points, uint32_t count,
                               uint32_t *filled, uint32_t *filled_count)
{
    hier_path path = path_begin(set);
    *filled_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        rn_result result = set->has_lists ? find_before(h, set, points, i) : RN_OK;
        if (result == RN_OK) result = open_path(h->env->memory, set, points[i].cell, 0, &path);
        if (result != RN_OK) return result;
        hier_slot *slot = (hier_slot *)set->table.slots.data + path.slot[0];
        if (slot->count++ == 0) filled[(*filled_count)++] = path.slot[0];
        points[i].next = slot->first;
        slot->first = i;
    }
    return RN_OK;
}

/* From chains to ranges: the points of a slot one behind the other, as they were inserted. */
static void settle_points(hier_set *set, const hier_point *from, const uint32_t *filled,
                          uint32_t filled_count)
{
    hier_slot *slots = set->table.slots.data;
    hier_point *to = set->points.data;
    uint32_t begin = 0;
    for (uint32_t f = 0; f < filled_count; f++) {
        hier_slot *slot = &slots[filled[f]];
        uint32_t at = begin + slot->count;
        for (uint32_t i = slot->first; i != NO_SLOT; i = from[i].next) to[--at] = from[i];
        slot->first = begin;
        begin += slot->count;
    }
}

/* Each pair into both lists, as found; rows instead of the caller's indices. */
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
    uint64_t *place = (uint64_t *)set->list_start.data + 1; /* ends up as the next start */
    uint32_t *list = set->list.data;
    memset(set->list_start.data, 0, ((size_t)count + 2) * sizeof(uint64_t));
    for (uint64_t e = 0; e < 2 * set->pair_count; e++) place[row[pairs[e]] + 1]++;
    for (uint32_t k = 0; k < count; k++) place[k + 1] += place[k];
    for (uint64_t e = 0; e < 2 * set->pair_count; e++)
        list[place[row[pairs[e]]]++] = row[pairs[e ^ 1]];
    return RN_OK;
}

static uint32_t table_length(const rn_search_def *def, uint32_t count)
{
    if (def->unbounded_table) return 0;
    if (def->hash_table_length) return def->hash_table_length;
    uint64_t length = 16;
    while (length < 2 * (uint64_t)count && length < 0x80000000u) length *= 2;
    return (uint32_t)length;
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
    rn_result result = need_points(h, set, count);
    if (result == RN_OK)
        result = table_begin(h->env->memory, &set->table, table_length(def, count));
    if (result != RN_OK) return result;
    hier_point *points = rni_arena_take(h->env->arena, (size_t)count * sizeof *points);
    uint32_t *filled = rni_arena_take(h->env->arena, (size_t)count * sizeof *filled);
    if (!points || !filled) return RN_ERROR_MEMORY;
    hier_bounds bounds;
    hier_point *as_given = def->as_published ? points : set->points.data;
    result = take_points(h, cloud, false, as_given, &bounds);
    if (result == RN_OK && !def->as_published)
        result = sort_points(h, &bounds, count, as_given, points);
    if (result != RN_OK) return result;
    int top = count ? side_bits(&bounds) : 0;
    set->top = top < MAX_CLASSES ? top : MAX_CLASSES - 1;
    set->has_lists = def->as_published && wants_lists;
    result = insert_points(h, set, points, count, filled, &filled_count);
    if (result != RN_OK) return result;
    settle_points(set, points, filled, filled_count);
    fill_order(set, count);
    return set->has_lists ? settle_lists(h, set) : RN_OK;
}

static rn_result build(void *state, const rni_cloud *sets, uint32_t set_count)
{
    hier *h = state;
    choose_cells(h);
    h->env->stats->cell_count = 0;
    for (uint32_t s = 0; s < set_count; s++) {
        bool in_itself = h->env->def->searches[s] & 1u << s;
        rn_result result = take_set(h, &h->sets[s], &sets[s], in_itself);
        if (result != RN_OK) return result;
        h->env->stats->cell_count += h->sets[s].table.used_count;
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
    result = take_points(h, queries, true, points, &bounds);
    if (result == RN_OK) result = sort_points(h, &bounds, count, points, set->points.data);
    if (result == RN_OK) fill_order(set, count);
    return result;
}

static const uint32_t *order_of(const void *state, uint32_t set)
{
    const hier *h = state;
    return h->sets[set].order.data;
}

/* --- asking ---------------------------------------------------------------------------------- */

static rn_result need_crowd(rni_memory *memory, hier_crowd *crowd, uint64_t count)
{
    crowd->count = 0;
    count = (count + 16) & ~(uint64_t)15; /* and never none */
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

/* The points of a cell and of those around it. */
static rn_result gather(const hier *h, const hier_set *searched, const int32_t cell[3],
                        hier_crowd *crowd, rni_rows *rows)
{
    const hier_slot *slots = searched->table.slots.data;
    const hier_point *points = searched->points.data;
    uint64_t most = 0;
    hier_descent d = {.count = 0};
    if (searched->count > 0) descend(h, searched, cell, &d);
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
            kept += near_cell(h, cell, points[k].cell);
        }
    }
    crowd->count = kept;
    rows->collision_count += most - kept;
    return RN_OK;
}

/* Indices that stay out of a row: skip_count of them from skip_first on. */
typedef struct hier_skip {
    uint32_t first, count;
} hier_skip;

static hier_skip skip_of(rni_leave_out leave_out, uint32_t self)
{
    if (leave_out == RNI_LEAVE_SELF) return (hier_skip){self, 1};
    if (leave_out == RNI_LEAVE_SMALLER) return (hier_skip){0, self + 1};
    return (hier_skip){0, 0};
}

/* Apart from the choosing, so that it can be done in vectors. */
static void measure_crowd(const rni_space *space, const float here[3], const hier_crowd *crowd)
{
    const float *x = crowd->x, *y = crowd->y, *z = crowd->z;
    float *restrict distance_sq = crowd->distance_sq;
    rni_space plain = *space;
    plain.is_periodic = false; /* known to the compiler */
    if (space->is_periodic) {
        for (uint32_t k = 0; k < crowd->count; k++)
            distance_sq[k] = rni_distance_sq(space, here, (float[3]){x[k], y[k], z[k]});
    } else {
        for (uint32_t k = 0; k < crowd->count; k++)
            distance_sq[k] = rni_distance_sq(&plain, here, (float[3]){x[k], y[k], z[k]});
    }
}

/* One row against the gathered points; no branch on what is near, it could not be foretold. */
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
    uint32_t *index = (uint32_t *)rows->index.data + rows->used;
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

/* A row that was found on insertion. */
static rn_result copy_row(const hier *h, const rni_find *find, uint32_t row, uint32_t *found,
                          rni_rows *rows)
{
    const hier_set *set = &h->sets[find->set];
    const uint64_t *start = set->list_start.data;
    const uint32_t *list = set->list.data;
    const hier_point *points = set->points.data;
    *found = 0;
    if (find->want != RNI_WANT_COUNTS) {
        rn_result result = rni_rows_reserve(rows, find->want, start[row + 1] - start[row]);
        if (result != RN_OK) return result;
    }
    for (uint64_t k = start[row]; k < start[row + 1]; k++) {
        const hier_point *there = &points[list[k]];
        if (find->leave_out == RNI_LEAVE_SMALLER && there->index <= points[row].index) continue;
        ++*found;
        if (find->want == RNI_WANT_COUNTS) continue;
        if (find->want == RNI_WANT_DISTANCE) {
            ((float *)rows->distance_sq.data)[rows->used] =
                rni_distance_sq(&h->env->space, points[row].position, there->position);
        }
        ((uint32_t *)rows->index.data)[rows->used++] = there->index;
    }
    return RN_OK;
}

/* What the insertion counted is told once, with the first row. */
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
    if (is_listed && first == 0) tell_insertion(&h->sets[find->set], rows);
    for (uint32_t row = 0; row < count; row++) {
        const hier_point *here = &points[first + row];
        rn_result result = RN_OK;
        if (is_listed) {
            result = copy_row(h, find, first + row, &rows->counts[row], rows);
        } else {
            if (row == 0 || !same_cell(here->cell, here[-1].cell))
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
