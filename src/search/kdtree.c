/* Method "kdtree": the balanced kd-tree that Pouchol et al. 2009 (hierarchical hashing) compare
 * with; Bentley 1975, with the leaf buckets and tight boxes of Friedman, Bentley and Finkel
 * 1977.
 *
 * A node is split at the median of the longest axis of its box, equal coordinates by index, so
 * the tree depends only on the points. All leaves are on one level and hold the same number of
 * points (within one), so node ranges need not be stored: node j of 2^level holds points count *
 * j >> level up to count * (j + 1) >> level. The tree stores one box per node, numbered as in a
 * heap (the children of k are 2 k and 2 k + 1), and the points in leaf order.
 *
 * Departures: the leaves of the searching points are the queries. The tree is traversed once for
 * the box of a few leaves, their candidates are gathered, and each point is tested against the
 * candidates of its leaf (clusters.h); with def.as_published each point traverses the tree
 * alone. The traversal goes from left to right without a stack: the next node after k's subtree
 * is k + 1 with its trailing zeros removed.
 *
 * Correctness: a box is skipped when the gap between two boxes, by the float operations of the
 * exact test, is longer than the radius. Rounding is monotonic, so no pair inside is shorter. On
 * a periodic axis the gap is the shortest over the images, so that each node is visited once and
 * no pair is found twice. */
#include "search/trees.h"

#include "base/sort.h"
#include "base/validate.h"

#include <assert.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

#define LEAF_POINTS 16u /* at most; more than half of it where there are that many points */

/* The tree is traversed for 2^levels leaves at once. */
#define GROUP_LEVELS 2u

/* Levels that are split one after the other, all nodes of a level in parallel; below, whole
 * subtrees are distributed to the workers. */
#define SHARED_LEVELS 6u
#define SERIAL_POINTS 8192u

#define SORTED_RECORDS 20u /* this few are sorted instead of split again */
#define MAX_SAMPLE     255u

typedef struct kd_record {
    float at[3];
    uint32_t id;
} kd_record;

typedef struct kd_box {
    float low[3], high[3];
} kd_box;

typedef struct kd_set {
    rni_ordered ordered;
    rni_buffer boxes; /* kd_box; number 0 is unused */
    uint32_t depth;   /* the level of the leaves */
} kd_set;

/* A record as four floats; the last lane, the index, has no meaning as a float. */
typedef float kd_lanes __attribute__((vector_size(16)));
typedef int32_t kd_mask __attribute__((vector_size(16)));

INLINE kd_lanes lanes_where(kd_mask mask, kd_lanes yes, kd_lanes no)
{
    return (kd_lanes)((mask & (kd_mask)yes) | (~mask & (kd_mask)no));
}

/* --- the median ------------------------------------------------------------------------ */

/* Orders records along an axis, equal coordinates (and both zeros) by index. */
INLINE uint64_t key_of(const kd_record *record, uint32_t axis)
{
    float value = record->at[axis] + 0.0f;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits ^= bits >> 31 ? UINT32_MAX : 0x80000000u;
    return (uint64_t)bits << 32 | record->id;
}

/* Picks a key between begin and end, slightly past the wanted rank as seen from the nearer end,
 * so that the next partition leaves few records. Never the smallest of the sample: neither side
 * is empty. */
static uint64_t choose_pivot(const kd_record *records, uint32_t count, uint32_t wanted, uint32_t axis)
{
    uint64_t sample[MAX_SAMPLE], scratch[MAX_SAMPLE];
    uint32_t size = count < 256 ? 7 : count < 4096 ? 15 : count < 65536 ? 63 : MAX_SAMPLE;
    uint32_t margin = size < 63 ? 1 : size / 21;
    for (uint32_t k = 0; k < size; k++) {
        uint64_t begin, end;
        rni_share(count, k, size, &begin, &end);
        uint64_t within = (uint64_t)(k * 0x9e3779b9u) * (end - begin) >> 32;
        sample[k] = key_of(&records[begin + within], axis);
    }
    rni_sort_pairs(sample, size, scratch);
    uint32_t rank = (uint32_t)((uint64_t)wanted * size / count);
    rank = wanted < count / 2 ? rank + margin : rank > margin ? rank - margin : 1;
    return sample[rank < 1 ? 1 : rank >= size ? size - 1 : rank];
}

/* Moves records below the pivot to the front; returns their number. Writes to both ends and
 * advances one of them: no branch to mispredict. */
INLINE uint32_t partition_by(kd_record *records, kd_record *scratch, uint32_t count, uint64_t pivot,
                             const uint32_t axis)
{
    memcpy(scratch, records, count * sizeof *scratch);
    uint32_t low = 0, high = count - 1;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t is_below = key_of(&scratch[k], axis) < pivot;
        kd_lanes record;
        memcpy(&record, &scratch[k], sizeof record);
        memcpy(&records[low], &record, sizeof record);
        memcpy(&records[high], &record, sizeof record);
        low += is_below;
        high -= 1 - is_below;
    }
    return low;
}

static void sort_records(kd_record *records, uint32_t count, uint32_t axis)
{
    for (uint32_t k = 1; k < count; k++) {
        kd_record record = records[k];
        uint64_t key = key_of(&record, axis);
        uint32_t at = k;
        for (; at > 0 && key_of(&records[at - 1], axis) > key; at--) records[at] = records[at - 1];
        records[at] = record;
    }
}

/* Moves the `wanted` smallest records to the front. */
INLINE void select_along(kd_record *records, kd_record *scratch, uint32_t count, uint32_t wanted,
                         const uint32_t axis)
{
    while (count > SORTED_RECORDS) {
        uint64_t pivot = choose_pivot(records, count, wanted, axis);
        uint32_t below = partition_by(records, scratch, count, pivot, axis);
        if (below == wanted) return;
        if (below > wanted) {
            count = below;
        } else {
            records += below;
            count -= below;
            wanted -= below;
        }
    }
    sort_records(records, count, axis);
}

/* --- the tree -------------------------------------------------------------------------- */

typedef struct build_job {
    const rni_cloud *cloud;
    kd_record *records, *scratch;
    kd_set *set;
    uint32_t dim, count, level, parts;
} build_job;

static inline uint32_t node_begin(uint32_t count, uint32_t level, uint64_t place)
{
    return (uint32_t)((uint64_t)count * place >> level);
}

static void take_part(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    build_job *job = data;
    uint64_t begin, end;
    rni_share(job->count, part, job->parts, &begin, &end);
    for (uint64_t i = begin; i < end; i++) {
        rni_cloud_at(job->cloud, job->dim, (uint32_t)i, job->records[i].at);
        job->records[i].id = (uint32_t)i;
    }
}

static kd_box box_of(const kd_record *records, uint32_t count)
{
    kd_lanes low, high;
    memcpy(&low, &records[0], sizeof low);
    high = low;
    for (uint32_t k = 1; k < count; k++) {
        kd_lanes at;
        memcpy(&at, &records[k], sizeof at);
        low = lanes_where(at < low, at, low);
        high = lanes_where(at > high, at, high);
    }
    return (kd_box){{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
}

/* Finds the box of a node and splits it. Points far apart have an infinite extent, which is as
 * good as any other. */
static void cut_node(build_job *job, uint32_t level, uint32_t place)
{
    uint32_t begin = node_begin(job->count, level, place);
    uint32_t end = node_begin(job->count, level, (uint64_t)place + 1);
    uint32_t middle = node_begin(job->count, level + 1, 2 * (uint64_t)place + 1);
    kd_record *records = job->records + begin, *scratch = job->scratch + begin;
    kd_box box = box_of(records, end - begin);
    ((kd_box *)job->set->boxes.data)[((size_t)1 << level) + place] = box;
    if (level == job->set->depth) return;
    float x = box.high[0] - box.low[0], y = box.high[1] - box.low[1], z = box.high[2] - box.low[2];
    if (x >= y && x >= z) select_along(records, scratch, end - begin, middle - begin, 0);
    else if (y >= z) select_along(records, scratch, end - begin, middle - begin, 1);
    else select_along(records, scratch, end - begin, middle - begin, 2);
}

static void cut_shared(void *data, uint32_t place, uint32_t worker)
{
    (void)worker;
    build_job *job = data;
    cut_node(job, job->level, place);
}

static void keep_points(build_job *job, uint32_t begin, uint32_t end)
{
    rni_ordered *to = &job->set->ordered;
    for (uint32_t k = begin; k < end; k++) {
        const kd_record *record = &job->records[k];
        to->x[k] = record->at[0];
        to->y[k] = record->at[1];
        to->z[k] = record->at[2];
        to->id[k] = record->id;
    }
}

/* Builds a subtree node by node in depth-first order: records that were just moved are still in
 * the cache. */
static void cut_subtree(void *data, uint32_t place, uint32_t worker)
{
    (void)worker;
    build_job *job = data;
    uint32_t level = job->level;
    uint64_t node = place;
    do {
        cut_node(job, level, (uint32_t)node);
        if (level < job->set->depth) {
            node *= 2;
            level++;
            continue;
        }
        for (node++; level > job->level && node % 2 == 0; level--) node /= 2;
    } while (level > job->level);
    keep_points(job, node_begin(job->count, job->level, place),
                node_begin(job->count, job->level, (uint64_t)place + 1));
}

/* Whether the given box is that of points begin .. end - 1. */
static bool is_box_of(const rni_ordered *points, uint32_t begin, uint32_t end, const kd_box *box)
{
    const float *axes[3] = {points->x, points->y, points->z};
    for (int a = 0; a < 3; a++) {
        float low = axes[a][begin], high = low;
        for (uint32_t k = begin + 1; k < end; k++) {
            low = axes[a][k] < low ? axes[a][k] : low;
            high = axes[a][k] > high ? axes[a][k] : high;
        }
        if (low != box->low[a] || high != box->high[a]) return false;
    }
    return true;
}

/* NULL, or a description of the error (base/validate.h). Checks that the boxes of leaves match
 * their points, and that the boxes of other nodes contain both children, which do not overlap
 * along the split axis. */
static __attribute__((unused)) const char *validate_set(const kd_set *set)
{
    const kd_box *boxes = set->boxes.data;
    const uint32_t count = set->ordered.count;
    for (uint64_t j = 0; j < (uint64_t)1 << set->depth; j++) {
        const uint32_t begin = node_begin(count, set->depth, j);
        if (!is_box_of(&set->ordered, begin, node_begin(count, set->depth, j + 1),
                       &boxes[((uint64_t)1 << set->depth) + j]))
            return "the box of a leaf does not match its points";
    }
    for (uint64_t k = 1; k < (uint64_t)1 << set->depth; k++) {
        const kd_box *own = &boxes[k], *left = &boxes[2 * k], *right = left + 1;
        bool is_cut = false;
        for (int a = 0; a < 3; a++) {
            const float low = left->low[a] < right->low[a] ? left->low[a] : right->low[a];
            const float high = left->high[a] > right->high[a] ? left->high[a] : right->high[a];
            if (low != own->low[a] || high != own->high[a])
                return "the box of a node does not match its children";
            is_cut |= left->high[a] <= right->low[a];
        }
        if (!is_cut) return "the children of a node overlap along every axis";
    }
    return rni_validate_permutation(set->ordered.id, count);
}

static rn_result take_set(rni_search_env *env, void *place, const rni_cloud *cloud)
{
    kd_set *set = place;
    build_job job = {.cloud = cloud, .set = set, .dim = env->space.dim, .count = cloud->count};
    rn_result result = rni_ordered_need(env->memory, &set->ordered, cloud->count);
    if (result != RN_OK || cloud->count == 0) return result;
    set->ordered.count = 0; /* until the build has succeeded */
    for (set->depth = 0; (cloud->count - 1) >> set->depth >= LEAF_POINTS;) set->depth++;
    result = rni_buffer_need(env->memory, &set->boxes, (uint64_t)2 << set->depth, sizeof(kd_box));
    if (result != RN_OK) return result;
    job.records = rni_arena_take(env->arena, (size_t)job.count * sizeof *job.records);
    job.scratch = rni_arena_take(env->arena, (size_t)job.count * sizeof *job.scratch);
    if (!job.records || !job.scratch) return RN_ERROR_MEMORY;
    job.parts = job.count < SERIAL_POINTS ? 1 : rni_crew_size(env->crew);
    rni_crew_pieces(env->crew, job.parts, take_part, &job);
    uint32_t shared = job.parts == 1 ? 0 : SHARED_LEVELS;
    if (shared > set->depth) shared = set->depth;
    for (; job.level < shared; job.level++)
        rni_crew_pieces(env->crew, 1u << job.level, cut_shared, &job);
    rni_crew_pieces(env->crew, 1u << shared, cut_subtree, &job);
    set->ordered.count = cloud->count;
    assert(!validate_set(set));
    env->stats->cell_count += ((uint64_t)2 << set->depth) - 1;
    return RN_OK;
}

/* --- traversal -------------------------------------------------------------------------------- */

/* Groups are subtrees. */
static uint32_t end_of(const void *from_tree, uint32_t at, bool is_group)
{
    const kd_set *set = from_tree;
    uint32_t level = set->depth;
    if (is_group) level -= level < GROUP_LEVELS ? level : GROUP_LEVELS;
    uint64_t place = ((((uint64_t)at + 1) << level) - 1) / set->ordered.count;
    return node_begin(set->ordered.count, level, place + 1);
}

/* The smallest difference along one axis, by the operations of the exact test. Infinite
 * differences are harmless: where one is subtracted from another, the axis is not periodic, and
 * the comparison is false. */
INLINE float axis_gap(const kd_box *box, const rni_cluster *c, const rni_space *space, const int a,
                      const bool is_periodic)
{
    float above = box->low[a] - c->high[a], below = c->low[a] - box->high[a];
    float gap = above > below ? above : below;
    gap = gap > 0.0f ? gap : 0.0f;
    if (is_periodic) {
        float up = space->period[a] - (c->high[a] - box->low[a]);
        float down = space->period[a] - (box->high[a] - c->low[a]);
        if (up < gap) gap = up > 0.0f ? up : 0.0f;
        if (down < gap) gap = down > 0.0f ? down : 0.0f;
    }
    return gap;
}

INLINE bool is_near(const kd_box *box, const rni_cluster *c, const rni_space *space,
                    const bool is_periodic)
{
    float x = axis_gap(box, c, space, 0, is_periodic), y = axis_gap(box, c, space, 1, is_periodic),
          z = axis_gap(box, c, space, 2, is_periodic);
    return (x * x + y * y) + z * z <= space->radius_sq;
}

/* True when some difference is so long that the exact test folds it. */
static bool may_fold(const kd_box *box, const rni_cluster *c, const rni_space *space)
{
    for (int a = 0; a < 3; a++) {
        if (c->high[a] - box->low[a] > space->half_period[a]) return true;
        if (box->high[a] - c->low[a] > space->half_period[a]) return true;
    }
    return false;
}

INLINE rn_result walk(const kd_set *set, const rni_space *space, rni_cluster *c,
                      rni_cluster_buffers *buffers, uint64_t *visited, const bool is_periodic)
{
    const kd_box *boxes = set->boxes.data;
    const uint32_t count = set->ordered.count, depth = set->depth;
    const uint32_t first_leaf = 1u << depth;
    uint32_t node = 1, seen = 0;
    do {
        seen++;
        if (is_near(&boxes[node], c, space, is_periodic)) {
            if (node < first_leaf) {
                node *= 2;
                continue;
            }
            uint64_t leaf = node - first_leaf;
            rn_result result = rni_cluster_take(buffers, node_begin(count, depth, leaf),
                                                node_begin(count, depth, leaf + 1));
            if (result != RN_OK) return result;
            if (is_periodic && may_fold(&boxes[node], c, space)) c->is_wrapped = true;
        }
        node++;
        node >>= __builtin_ctz(node);
    } while (node != 1);
    *visited += seen;
    return RN_OK;
}

static rn_result collect(const void *to_tree, const rni_space *space, rni_cluster *cluster,
                         rni_cluster_buffers *buffers, uint64_t *visited)
{
    const kd_set *set = to_tree;
    if (set->ordered.count == 0) return RN_OK;
    if (space->is_periodic) return walk(set, space, cluster, buffers, visited, true);
    return walk(set, space, cluster, buffers, visited, false);
}

static void free_set(rni_memory *memory, void *place)
{
    kd_set *set = place;
    rni_buffer_free(memory, &set->boxes);
}

static const rni_tree_kind kind = {sizeof(kd_set), take_set, free_set, end_of, collect};

static rn_result create(rni_search_env *env, void **state)
{
    return rni_trees_create(env, &kind, state);
}

const rni_method rni_method_kdtree = {
    .info = {RN_SEARCH_KDTREE, "kdtree",
             "balanced kd-tree traversed leaf by leaf: for points of any density, no cell size",
             "Bentley 1975, Friedman et al. 1977", true},
    .has_published_form = true,
    .create = create,
    .destroy = rni_trees_destroy,
    .build = rni_trees_build,
    .place = rni_trees_place,
    .order = rni_trees_order,
    .find = rni_trees_find,
};
