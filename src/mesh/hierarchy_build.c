/* Top-down splitting of the triangles: into two by a rule, repeated until no part exceeds the
 * capacity of a child, which is a power of eight. All subtrees but the last of a node are full, and no
 * input makes the tree deeper than 11 nodes. */
#include "mesh/hierarchy.h"

#include <string.h>

#define BIN_COUNT 16u

typedef struct entry {
    float low[3], high[3]; /* the box of a triangle */
    uint32_t triangle;
} entry;

typedef struct part {
    uint32_t begin, end;
    float low[3], high[3];
} part;

typedef struct builder {
    rni_hierarchy *h;
    entry *entries;
    rn_mesh_split split;
    uint32_t capacity; /* of each child of the node that is being split: 8, 64, 512, ... */
} builder;

/* Twice the centre. */
static inline float middle(const entry *e, int axis)
{
    return e->low[axis] + e->high[axis];
}

static inline void box_clear(float low[3], float high[3])
{
    for (int axis = 0; axis < 3; axis++) low[axis] = INFINITY, high[axis] = -INFINITY;
}

static inline void box_add(float low[3], float high[3], const float other_low[3],
                           const float other_high[3])
{
    for (int axis = 0; axis < 3; axis++) {
        if (other_low[axis] < low[axis]) low[axis] = other_low[axis];
        if (other_high[axis] > high[axis]) high[axis] = other_high[axis];
    }
}

static double half_area(const float low[3], const float high[3])
{
    const double x = (double)high[0] - (double)low[0], y = (double)high[1] - (double)low[1],
                 z = (double)high[2] - (double)low[2];
    return x < 0.0 ? 0.0 : x * y + y * z + z * x;
}

static double volume(const part *p)
{
    double v = 1.0;
    for (int axis = 0; axis < 3; axis++) v *= (double)p->high[axis] - (double)p->low[axis];
    return v;
}

static void part_bounds(const builder *b, part *p)
{
    box_clear(p->low, p->high);
    for (uint32_t k = p->begin; k < p->end; k++)
        box_add(p->low, p->high, b->entries[k].low, b->entries[k].high);
}

/* --- split at the median ------------------------------------------------------------------------ */

static inline bool comes_before(const entry *a, const entry *b, int axis)
{
    const float x = middle(a, axis), y = middle(b, axis);
    return x < y || (x == y && a->triangle < b->triangle);
}

/* Hoare's selection: afterwards entries[begin .. nth - 1] come before those from nth on. */
static void select_nth(entry *entries, uint32_t begin, uint32_t end, uint32_t nth, int axis)
{
    int64_t low = begin, high = (int64_t)end - 1;
    while (low < high) {
        const entry pivot = entries[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (comes_before(&entries[i], &pivot, axis)) i++;
            while (comes_before(&pivot, &entries[j], axis)) j--;
            if (i > j) break;
            const entry swap = entries[i];
            entries[i++] = entries[j];
            entries[j--] = swap;
        }
        if (nth <= j) high = j;
        else if (nth >= i) low = i;
        else return;
    }
}

/* Cuts where about left_count triangles are on the left: at a multiple of the capacity of a child, so
 * that subtrees and leaves are full. This saves a fifth of the nodes that a query visits. */
static void split_at(builder *b, const part *p, int axis, uint32_t left_count, part *left, part *right)
{
    const uint32_t blocks = (p->end - p->begin - 1) / b->capacity;
    uint32_t block = (left_count + b->capacity / 2) / b->capacity;
    block = block < 1 ? 1 : (block > blocks ? blocks : block);
    const uint32_t cut = p->begin + block * b->capacity;
    select_nth(b->entries, p->begin, p->end, cut, axis);
    *left = (part){.begin = p->begin, .end = cut};
    *right = (part){.begin = cut, .end = p->end};
    part_bounds(b, left);
    part_bounds(b, right);
}

static void split_median(builder *b, const part *p, int axis, part *left, part *right)
{
    split_at(b, p, axis, (p->end - p->begin) / 2, left, right);
}

static int longest_axis(const part *p)
{
    int best = 0;
    for (int axis = 1; axis < 3; axis++)
        if (p->high[axis] - p->low[axis] > p->high[best] - p->low[best]) best = axis;
    return best;
}

/* Grahn 2008, section 4.2.1: the axis by the volumes of the two boxes. */
static int axis_by_volume(builder *b, const part *p)
{
    int best = longest_axis(p);
    double lowest = (double)INFINITY;
    for (int k = 0; k < 3; k++) {
        const int axis = (longest_axis(p) + k) % 3;
        part left, right;
        split_median(b, p, axis, &left, &right);
        const double u = volume(&left), v = volume(&right);
        const double cost = b->split == RN_SPLIT_MIN_SUM ? u + v : fmax(u, v);
        if (cost < lowest) lowest = cost, best = axis;
    }
    return best;
}

/* --- split by surface area ---------------------------------------------------------------------- */

typedef struct bin {
    float low[3], high[3];
    uint32_t count;
} bin;

typedef struct binning {
    float origin[3], scale[3]; /* scale 0: all middles are equal */
} binning;

static inline uint32_t bin_of(const binning *bins, const entry *e, int axis)
{
    const float x = (middle(e, axis) - bins->origin[axis]) * bins->scale[axis];
    return x < (float)BIN_COUNT ? (uint32_t)x : BIN_COUNT - 1;
}

static binning bin_places(const builder *b, const part *p)
{
    float low[3], high[3];
    binning bins;
    box_clear(low, high);
    for (uint32_t k = p->begin; k < p->end; k++)
        for (int axis = 0; axis < 3; axis++) {
            const float x = middle(&b->entries[k], axis);
            if (x < low[axis]) low[axis] = x;
            if (x > high[axis]) high[axis] = x;
        }
    for (int axis = 0; axis < 3; axis++) {
        const float width = high[axis] - low[axis];
        bins.origin[axis] = low[axis];
        bins.scale[axis] = width > 1e-30f ? (float)BIN_COUNT / width : 0.0f;
    }
    return bins;
}

/* What a set of triangles costs: tests of whole leaves. */
static double cost_of(const float low[3], const float high[3], uint32_t count)
{
    const uint32_t leaves = (count + RNI_WIDTH - 1) / RNI_WIDTH;
    return half_area(low, high) * (double)leaves;
}

/* The cheapest cut along one axis: entries of bins below *cut are on the left. */
static double best_cut(const bin bins[BIN_COUNT], uint32_t *cut)
{
    double right_cost[BIN_COUNT], lowest = (double)INFINITY;
    bin sum = {.count = 0};
    box_clear(sum.low, sum.high);
    for (uint32_t k = BIN_COUNT - 1; k > 0; k--) {
        box_add(sum.low, sum.high, bins[k].low, bins[k].high);
        sum.count += bins[k].count;
        right_cost[k] = sum.count > 0 ? cost_of(sum.low, sum.high, sum.count) : (double)INFINITY;
    }
    box_clear(sum.low, sum.high);
    sum.count = 0;
    for (uint32_t k = 1; k < BIN_COUNT; k++) {
        box_add(sum.low, sum.high, bins[k - 1].low, bins[k - 1].high);
        sum.count += bins[k - 1].count;
        if (sum.count == 0) continue;
        const double cost = cost_of(sum.low, sum.high, sum.count) + right_cost[k];
        if (cost < lowest) lowest = cost, *cut = k;
    }
    return lowest;
}

/* False: all middles are in one place. */
static bool split_surface(builder *b, const part *p, part *left, part *right)
{
    bin bins[3][BIN_COUNT];
    const binning places = bin_places(b, p);
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t k = 0; k < BIN_COUNT; k++) {
            box_clear(bins[axis][k].low, bins[axis][k].high);
            bins[axis][k].count = 0;
        }
    for (uint32_t k = p->begin; k < p->end; k++)
        for (int axis = 0; axis < 3; axis++) {
            const entry *e = &b->entries[k];
            bin *to = &bins[axis][bin_of(&places, e, axis)];
            box_add(to->low, to->high, e->low, e->high);
            to->count++;
        }
    double lowest = (double)INFINITY;
    uint32_t cut = 0;
    int best = -1;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t here = 0;
        const double cost =
            places.scale[axis] > 0.0f ? best_cut(bins[axis], &here) : (double)INFINITY;
        if (cost < lowest) lowest = cost, cut = here, best = axis;
    }
    if (best < 0) return false;
    uint32_t left_count = 0;
    for (uint32_t k = 0; k < cut; k++) left_count += bins[best][k].count;
    split_at(b, p, best, left_count, left, right);
    return true;
}

/* --- the tree ----------------------------------------------------------------------------------- */

static void split_part(builder *b, const part *p, part *left, part *right)
{
    if (b->split == RN_SPLIT_SURFACE_AREA && split_surface(b, p, left, right)) return;
    const bool by_volume = b->split == RN_SPLIT_MIN_SUM || b->split == RN_SPLIT_MIN_MAX;
    split_median(b, p, by_volume ? axis_by_volume(b, p) : longest_axis(p), left, right);
}

/* The part to split next: the largest surface; -1: none exceeds the capacity. */
static int largest_part(const part *parts, uint32_t count, uint32_t capacity)
{
    int best = -1;
    double most = -1.0;
    for (uint32_t k = 0; k < count; k++) {
        const double area = half_area(parts[k].low, parts[k].high);
        if (parts[k].end - parts[k].begin > capacity && area > most) most = area, best = (int)k;
    }
    return best;
}

static rn_result add_leaf(builder *b, const part *p, uint32_t *child)
{
    rni_hierarchy *h = b->h;
    if (rni_buffer_grow(h->memory, &h->leaves, (uint64_t)h->leaf_count + 1, sizeof(part)))
        return RN_ERROR_MEMORY;
    ((part *)h->leaves.data)[h->leaf_count] = *p;
    *child = h->leaf_count++ | RNI_CHILD_IS_LEAF;
    return RN_OK;
}

static rn_result add_node(builder *b, const part *whole, uint32_t depth, uint32_t *child)
{
    rni_hierarchy *h = b->h;
    part parts[RNI_WIDTH] = {*whole};
    uint32_t count = whole->end > whole->begin;
    const uint64_t size = whole->end - whole->begin;
    uint64_t capacity = RNI_WIDTH;
    while (capacity * RNI_WIDTH < size) capacity *= RNI_WIDTH;
    b->capacity = (uint32_t)capacity;
    /* All cuts are at multiples of the capacity, so there are never more than eight parts. */
    for (int k; (k = largest_part(parts, count, b->capacity)) >= 0;) {
        const part p = parts[k];
        split_part(b, &p, &parts[k], &parts[count++]);
    }
    if (rni_buffer_grow(h->memory, &h->nodes, (uint64_t)h->node_count + 1, sizeof(rni_wide_node)))
        return RN_ERROR_MEMORY;
    const uint32_t at = h->node_count++;
    rni_wide_node node = {.count = count};
    *child = at;
    if (depth + 1 > h->depth) h->depth = depth + 1;
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < count && result == RN_OK; k++)
        result = parts[k].end - parts[k].begin <= RNI_WIDTH
                     ? add_leaf(b, &parts[k], &node.child[k])
                     : add_node(b, &parts[k], depth + 1, &node.child[k]);
    ((rni_wide_node *)h->nodes.data)[at] = node;
    return result;
}

/* From ranges of entries to leaves. */
static rn_result make_leaves(builder *b)
{
    rni_hierarchy *h = b->h;
    rni_buffer parts = h->leaves;
    h->leaves = (rni_buffer){0};
    rn_result result = rni_buffer_need(h->memory, &h->leaves, h->leaf_count, sizeof(rni_leaf));
    rni_leaf *leaf = h->leaves.data;
    for (uint32_t k = 0; k < h->leaf_count && result == RN_OK; k++) {
        const part *p = &((const part *)parts.data)[k];
        leaf[k].count = p->end - p->begin;
        for (uint32_t lane = 0; lane < RNI_WIDTH; lane++)
            leaf[k].triangle[lane] =
                b->entries[p->begin + (lane < leaf[k].count ? lane : 0)].triangle;
    }
    rni_buffer_free(h->memory, &parts);
    h->node = h->nodes.data;
    h->leaf = leaf;
    return result;
}

rn_result rni_hierarchy_split(rni_hierarchy *h, const rn_mesh *mesh, rn_mesh_split split)
{
    rni_buffer entries = {0};
    rn_result result =
        rni_buffer_need(h->memory, &entries, (uint64_t)mesh->triangle_count + 1, sizeof(entry));
    if (result != RN_OK) return result;
    builder b = {.h = h, .entries = entries.data, .split = split};
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        entry *e = &b.entries[t];
        box_clear(e->low, e->high);
        e->triangle = t;
        for (int k = 0; k < 3; k++) {
            const float *v = mesh->vertex + (size_t)3 * mesh->triangle[(size_t)3 * t + (size_t)k];
            box_add(e->low, e->high, v, v);
        }
    }
    part all = {.begin = 0, .end = mesh->triangle_count};
    part_bounds(&b, &all);
    memcpy(h->low, all.low, sizeof h->low);
    memcpy(h->high, all.high, sizeof h->high);
    uint32_t root;
    result = add_node(&b, &all, 0, &root);
    if (result == RN_OK) result = make_leaves(&b);
    rni_buffer_free(h->memory, &entries);
    return result;
}
