/* Method "linear-kdtree": each box is stored in the smallest cell of an implicit kd-tree that holds
 * the box; the tree is a sorted array of cell codes. (Poirrier 2009.)
 *
 * Build: boxes are quantised in the root cell (kd_codes.c) and split at most once along each axis;
 *        each part gets the code of its cell. After sorting, a cell directly precedes everything
 *        inside it. Each record is then linked to the last earlier record whose cell contains it.
 *        The links give the stack of the sweep (section 5.5, a preorder traversal) at any array
 *        position, so parallel sweeps can begin anywhere.
 * kd-1:  a pair is met in every two cells its parts share; a set of pairs removes the repeats.
 * kd-2:  no set: the low corner of the intersection of two boxes is in one cell of each box, and
 *        one of these two cells contains the other. The pair is reported there and nowhere else.
 * A code has 58 bits, 64 with its length. Integer comparisons are only a filter: the one exact
 * overlap test (method.h) decides every pair. */
#include "broadphase/linear_kdtree.h"

#include "base/error.h"
#include "base/sort.h"
#include "broadphase/pair_set.h"
#include "broadphase/query.h"

#include <assert.h>

#define SHARE_BOXES   4096u
#define SHARE_RECORDS 4096u
#define SHARE_PAIRS   65536u
#define SAMPLES       256u
#define NONE          UINT32_MAX

typedef struct box {
    float low[3], high[3];
} box;

typedef struct waiting { /* on the stack of a sweep */
    box at;
    uint32_t element, record;
} waiting;

typedef struct piece_sums {
    uint64_t records, first;
    double cells, boxes; /* volumes in units of the smallest cell, and in the caller's unit */
} piece_sums;

typedef struct kdtree {
    rni_box_env *env;
    kd_frame frame;
    uint32_t count, record_count;
    rni_buffer boxes;                /* box */
    rni_buffer keys, elements;       /* uint64_t, uint32_t per record */
    rni_buffer key_scratch, parents; /* the same; parents doubles as scratch for elements */
    rni_buffer sums;                 /* piece_sums */
    rni_buffer *stacks;              /* pending records, one buffer per worker */
    uint32_t worker_count;
    rni_pair_set pairs; /* kd-1 */
    rni_pair_sink sink;
} kdtree;

static rn_result check_def(const rn_broadphase_def *def)
{
    for (uint32_t axis = 1; axis < def->dim && def->kd_octree; axis++)
        if (def->kd_bits[axis] != def->kd_bits[0])
            return rni_fail(RN_ERROR_ARGUMENT,
                            "kd_bits are %u and %u; an octree (kd_octree) needs equal ones",
                            def->kd_bits[0], def->kd_bits[axis]);
    return RN_OK;
}

/* Axes without a given count share the remaining bits evenly. */
static void set_bits(kdtree *tree, const rn_broadphase_def *def)
{
    uint32_t bits[3] = {0}, left = RNI_KD_BITS, open = 0;
    for (uint32_t axis = 0; axis < def->dim; axis++) {
        left -= def->kd_bits[axis];
        open += def->kd_bits[axis] == 0;
    }
    uint32_t share = open > 0 ? left / open : 0;
    for (uint32_t axis = 0; axis < def->dim; axis++)
        bits[axis] = def->kd_bits[axis] > 0 ? def->kd_bits[axis] : share < 31 ? share : 31;
    rni_kd_frame_bits(&tree->frame, def->dim, bits);
    tree->frame.is_octree = def->kd_octree;
    tree->frame.is_split = def->kd_split;
}

static void destroy(void *state)
{
    kdtree *tree = state;
    if (!tree) return;
    rni_memory *memory = tree->env->memory;
    rni_buffer *const buffers[] = {&tree->boxes,       &tree->keys,    &tree->elements,
                                   &tree->key_scratch, &tree->parents, &tree->sums,
                                   &tree->sink.buffer};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        rni_buffer_free(memory, buffers[k]);
    for (uint32_t w = 0; w < tree->worker_count; w++) rni_buffer_free(memory, &tree->stacks[w]);
    rni_memory_give(memory, tree->stacks, tree->worker_count * sizeof *tree->stacks);
    rni_pair_set_free(&tree->pairs);
    rni_memory_give(memory, tree, sizeof *tree);
}

static rn_result create(rni_box_env *env, void **state)
{
    rn_result result = check_def(env->def);
    if (result != RN_OK) return result;
    kdtree *tree = rni_memory_take(env->memory, sizeof *tree);
    if (!tree) return RN_ERROR_MEMORY;
    memset(tree, 0, sizeof *tree);
    tree->env = env;
    uint32_t workers = rni_crew_size(env->crew);
    tree->stacks = rni_memory_take(env->memory, workers * sizeof *tree->stacks);
    if (!tree->stacks) {
        destroy(tree);
        return RN_ERROR_MEMORY;
    }
    memset(tree->stacks, 0, workers * sizeof *tree->stacks);
    tree->worker_count = workers;
    uint64_t limit = env->def->memory_limit_bytes;
    tree->pairs.memory = env->memory;
    tree->pairs.limit_bytes = limit ? limit : rni_machine_bytes();
    tree->sink.memory = env->memory;
    set_bits(tree, env->def);
    *state = tree;
    return RN_OK;
}

/* --- the root cell ------------------------------------------------------------------------------ */

/* Encloses nearly all boxes: a few outliers far away would use up most of the code bits. Twice the
 * width that 97 of 100 samples span, but never more than the bounds of all boxes. */
static void span_axis(const rni_boxes *boxes, uint32_t axis, double *low, double *high)
{
    *low = (double)boxes->bound_low[axis];
    *high = (double)boxes->bound_high[axis];
    if (boxes->count < SAMPLES) return;
    double sample[SAMPLES];
    for (uint32_t k = 0; k < SAMPLES; k++) {
        uint64_t i = (uint64_t)boxes->count * k / SAMPLES;
        float a[3], b[3];
        rni_boxes_at(boxes, (uint32_t)i, a, b);
        double middle = 0.5 * ((double)a[axis] + (double)b[axis]);
        uint32_t to = k;
        for (; to > 0 && sample[to - 1] > middle; to--) sample[to] = sample[to - 1];
        sample[to] = middle;
    }
    double width = sample[SAMPLES - 5] - sample[4] + (double)boxes->extent[axis];
    if (!isfinite(width)) return;
    *low = fmax(*low, sample[4] - 0.5 * width);
    *high = fmin(*high, sample[SAMPLES - 5] + 0.5 * width);
}

static void set_root(kdtree *tree, const rni_boxes *boxes)
{
    kd_frame *frame = &tree->frame;
    const rn_broadphase_def *def = tree->env->def;
    for (uint32_t axis = 0; axis < boxes->dim; axis++) {
        double low = (double)def->kd_root_low[axis], high = (double)def->kd_root_high[axis];
        if (!(low < high)) span_axis(boxes, axis, &low, &high);
        frame->low[axis] = low;
        frame->scale[axis] = high > low ? ldexp(1.0, (int)frame->bits[axis]) / (high - low) : 0.0;
    }
}

static kd_box whole(const kd_frame *frame, const float low[3], const float high[3])
{
    kd_box result = {{0}, {0}};
    for (uint32_t axis = 0; axis < frame->dim; axis++) {
        result.low[axis] = rni_kd_place(frame, axis, low[axis]);
        result.high[axis] = rni_kd_place(frame, axis, high[axis]);
    }
    return result;
}

/* --- records ------------------------------------------------------------------------------------ */

static void count_piece(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    kdtree *tree = data;
    const box *b = tree->boxes.data;
    uint32_t begin = piece * SHARE_BOXES;
    uint32_t end = tree->count - begin < SHARE_BOXES ? tree->count : begin + SHARE_BOXES;
    piece_sums sums = {0};
    for (uint32_t i = begin; i < end; i++) {
        kd_cell cells[RNI_KD_PARTS];
        kd_box quantised = whole(&tree->frame, b[i].low, b[i].high);
        uint32_t parts = rni_kd_split(&tree->frame, &quantised, cells, NULL);
        double volume = 1.0;
        for (uint32_t axis = 0; axis < tree->frame.dim; axis++)
            volume *= (double)b[i].high[axis] - (double)b[i].low[axis];
        sums.records += parts;
        sums.boxes += volume;
        for (uint32_t p = 0; p < parts; p++)
            sums.cells += (double)(rni_kd_rest(&tree->frame, cells[p].length) + 1);
    }
    ((piece_sums *)tree->sums.data)[piece] = sums;
}

static void write_piece(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    kdtree *tree = data;
    const box *b = tree->boxes.data;
    uint64_t at = ((const piece_sums *)tree->sums.data)[piece].first;
    uint32_t begin = piece * SHARE_BOXES;
    uint32_t end = tree->count - begin < SHARE_BOXES ? tree->count : begin + SHARE_BOXES;
    for (uint32_t i = begin; i < end; i++) {
        kd_cell cells[RNI_KD_PARTS];
        kd_box quantised = whole(&tree->frame, b[i].low, b[i].high);
        uint32_t parts = rni_kd_split(&tree->frame, &quantised, cells, NULL);
        for (uint32_t p = 0; p < parts; p++, at++) {
            ((uint64_t *)tree->keys.data)[at] = rni_kd_key(cells[p]);
            ((uint32_t *)tree->elements.data)[at] = i;
        }
    }
}

static void note_volumes(kdtree *tree, double cells, double boxes)
{
    for (uint32_t axis = 0; axis < tree->frame.dim; axis++)
        cells = tree->frame.scale[axis] > 0.0 ? cells / tree->frame.scale[axis] : 0.0;
    double ratio = boxes > 0.0 ? cells / boxes : 0.0;
    tree->env->stats->volume_ratio = isfinite(ratio) ? ratio : 0.0;
}

static rn_result make_records(kdtree *tree)
{
    rni_memory *memory = tree->env->memory;
    uint32_t pieces = rni_piece_count(tree->count, SHARE_BOXES);
    rn_result result = rni_buffer_need(memory, &tree->sums, pieces, sizeof(piece_sums));
    if (result != RN_OK) return result;
    rni_crew_pieces(tree->env->crew, pieces, count_piece, tree);
    piece_sums *sums = tree->sums.data, all = {0};
    for (uint32_t p = 0; p < pieces; p++) {
        sums[p].first = all.records;
        all.records += sums[p].records;
        all.cells += sums[p].cells;
        all.boxes += sums[p].boxes;
    }
    if (all.records >= NONE)
        return rni_fail(RN_ERROR_LIMIT,
                        "linear-kdtree splits %u boxes into %llu parts; at most %u (kd_split false "
                        "makes fewer)",
                        tree->count, (unsigned long long)all.records, NONE - 1);
    if (rni_buffer_need(memory, &tree->keys, all.records, sizeof(uint64_t)) ||
        rni_buffer_need(memory, &tree->key_scratch, all.records, sizeof(uint64_t)) ||
        rni_buffer_need(memory, &tree->elements, all.records, sizeof(uint32_t)) ||
        rni_buffer_need(memory, &tree->parents, all.records, sizeof(uint32_t)))
        return RN_ERROR_MEMORY;
    rni_crew_pieces(tree->env->crew, pieces, write_piece, tree);
    tree->record_count = (uint32_t)all.records;
    note_volumes(tree, all.cells, all.boxes);
    return rni_sort_u64(tree->env->crew, tree->env->arena, tree->record_count, tree->keys.data,
                        tree->elements.data, tree->key_scratch.data, tree->parents.data);
}

/* The sweep without its tests: computes the top of the stack at each record. */
static void link_records(kdtree *tree)
{
    const uint64_t *key = tree->keys.data;
    uint32_t *parent = tree->parents.data;
    uint64_t cells = 0;
    for (uint32_t k = 0; k < tree->record_count; k++) {
        uint32_t top = k > 0 ? k - 1 : NONE;
        while (top != NONE && !rni_kd_holds(&tree->frame, key[top], key[k] >> 6)) top = parent[top];
        parent[k] = top;
        cells += k == 0 || key[k - 1] != key[k];
    }
    tree->env->stats->element_count = tree->record_count;
    tree->env->stats->cell_count = cells;
}

/* One number for a cell of a box, to be summed. */
static uint64_t mixed(uint64_t key, uint32_t element)
{
    const uint64_t x = (key + element * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    return (x ^ x >> 30) * 0x94d049bb133111ebu;
}

/* NULL, or a description of the error (base/validate.h). Checks that the cells of every box are
 * there and no others, that keys ascend, and that each record is linked to the last earlier one
 * whose cell contains it. */
static __attribute__((unused)) const char *validate(const kdtree *tree)
{
    const uint64_t *key = tree->keys.data;
    const uint32_t *element = tree->elements.data, *parent = tree->parents.data;
    const box *b = tree->boxes.data;
    uint64_t wanted = 0, sum = 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        const kd_box quantised = whole(&tree->frame, b[i].low, b[i].high);
        kd_cell cells[RNI_KD_PARTS];
        uint32_t parts = rni_kd_split(&tree->frame, &quantised, cells, NULL);
        while (parts-- > 0) wanted += mixed(rni_kd_key(cells[parts]), i);
    }
    for (uint32_t k = 0; k < tree->record_count; k++) {
        if (element[k] >= tree->count) return "a record is of no box";
        if (k > 0 && key[k] < key[k - 1]) return "the keys do not ascend";
        sum += mixed(key[k], element[k]);
        if (parent[k] == NONE) continue;
        if (parent[k] >= k || !rni_kd_holds(&tree->frame, key[parent[k]], key[k] >> 6))
            return "a record is linked to a cell that does not contain it";
    }
    return sum == wanted ? NULL : "a part of a box is missing, or in the wrong cell";
}

/* --- the sweep ---------------------------------------------------------------------------------- */

static rn_result push(kdtree *tree, rni_buffer *stack, uint32_t *depth, uint32_t record)
{
    if (stack->bytes < (*depth + (size_t)1) * sizeof(waiting)) {
        rn_result result =
            rni_buffer_grow(tree->env->memory, stack, 2 * (uint64_t)*depth + 64, sizeof(waiting));
        if (result != RN_OK) return result;
    }
    uint32_t element = ((const uint32_t *)tree->elements.data)[record];
    ((waiting *)stack->data)[(*depth)++] =
        (waiting){((const box *)tree->boxes.data)[element], element, record};
    return RN_OK;
}

/* Rebuilds the stack at this record. */
static rn_result restore(kdtree *tree, rni_buffer *stack, uint32_t *depth, uint32_t record)
{
    const uint32_t *parent = tree->parents.data;
    *depth = 0;
    for (uint32_t r = parent[record]; r != NONE; r = parent[r]) {
        rn_result result = push(tree, stack, depth, r);
        if (result != RN_OK) return result;
    }
    waiting *on = stack->data;
    for (uint32_t k = 0; k < *depth / 2; k++) {
        waiting other = on[k];
        on[k] = on[*depth - 1 - k];
        on[*depth - 1 - k] = other;
    }
    return RN_OK;
}

/* Whether the low corner of the intersection of these boxes is in the cell of the key. */
static bool holds_corner(const kdtree *tree, uint64_t key, const float a[3], const float b[3])
{
    uint32_t at[3] = {0};
    for (uint32_t axis = 0; axis < tree->frame.dim; axis++)
        at[axis] = rni_kd_place(&tree->frame, axis, a[axis] > b[axis] ? a[axis] : b[axis]);
    return rni_kd_holds(&tree->frame, key, rni_kd_code(&tree->frame, at));
}

static rn_result sweep(kdtree *tree, uint32_t begin, uint32_t end, bool is_once, rni_buffer *stack,
                       rni_pair_sink *sink)
{
    const uint64_t *key = tree->keys.data;
    const uint32_t *element = tree->elements.data, *parent = tree->parents.data;
    uint32_t depth = 0;
    rn_result result = restore(tree, stack, &depth, begin);
    for (uint32_t k = begin; k < end && result == RN_OK; k++) {
        const waiting *on = stack->data;
        while (depth > 0 && on[depth - 1].record != parent[k]) depth--;
        const box mine = ((const box *)tree->boxes.data)[element[k]];
        for (uint32_t s = 0; s < depth; s++) {
            if (!rni_boxes_touch(mine.low, mine.high, on[s].at.low, on[s].at.high)) continue;
            if (is_once && !holds_corner(tree, key[k], mine.low, on[s].at.low)) continue;
            result = rni_pair_push(sink, element[k], on[s].element);
            if (result != RN_OK) return result;
        }
        sink->candidate_count += depth;
        result = push(tree, stack, &depth, k);
    }
    sink->visited_count += end - begin;
    return result;
}

/* kd-1: all pairs with their repeats, and a set that keeps each pair once. */
static rn_result collect_pairs(kdtree *tree)
{
    rni_pair_set_clear(&tree->pairs);
    tree->sink.pair = tree->sink.buffer.data;
    tree->sink.capacity = tree->sink.buffer.bytes / sizeof(rn_pair);
    tree->sink.candidate_count = 0;
    rn_result result = RN_OK;
    for (uint32_t begin = 0; begin < tree->record_count && result == RN_OK; begin += SHARE_RECORDS) {
        uint32_t left = tree->record_count - begin;
        tree->sink.used = 0;
        result = sweep(tree, begin, begin + (left < SHARE_RECORDS ? left : SHARE_RECORDS), false,
                       &tree->stacks[0], &tree->sink);
        for (uint64_t k = 0; k < tree->sink.used && result == RN_OK; k++)
            result = rni_pair_set_add(&tree->pairs, tree->sink.pair[k].a, tree->sink.pair[k].b);
    }
    return result;
}

static rn_result build(void *state, const rni_boxes *boxes)
{
    kdtree *tree = state;
    tree->count = 0;
    tree->record_count = 0;
    if (boxes->count == 0) {
        rni_pair_set_clear(&tree->pairs);
        return RN_OK;
    }
    rn_result result = rni_buffer_need(tree->env->memory, &tree->boxes, boxes->count, sizeof(box));
    if (result != RN_OK) return result;
    box *b = tree->boxes.data;
    for (uint32_t i = 0; i < boxes->count; i++) rni_boxes_at(boxes, i, b[i].low, b[i].high);
    tree->count = boxes->count;
    set_root(tree, boxes);
    result = make_records(tree);
    if (result != RN_OK) return result;
    link_records(tree);
    assert(!validate(tree));
    if (!tree->env->def->kd_once) result = collect_pairs(tree);
    assert(!rni_validate_pair_set(&tree->pairs));
    return result;
}

static uint32_t pair_pieces(const void *state)
{
    const kdtree *tree = state;
    if (tree->env->def->kd_once) return rni_piece_count(tree->record_count, SHARE_RECORDS);
    return rni_piece_count(tree->pairs.count, SHARE_PAIRS);
}

static rn_result stored_pairs(const kdtree *tree, uint32_t piece, rni_pair_sink *sink)
{
    uint32_t begin = piece * SHARE_PAIRS;
    uint32_t left = tree->pairs.count - begin;
    uint32_t count = left < SHARE_PAIRS ? left : SHARE_PAIRS;
    rn_result result = rni_pair_reserve(sink, count);
    if (result != RN_OK) return result;
    memcpy(sink->pair + sink->used, (const rn_pair *)tree->pairs.pairs.data + begin,
           count * sizeof *sink->pair);
    sink->used += count;
    if (piece > 0) return RN_OK;
    sink->candidate_count += tree->sink.candidate_count;
    sink->visited_count += tree->record_count;
    return RN_OK;
}

static rn_result pairs(void *state, uint32_t piece, uint32_t worker, rni_pair_sink *sink)
{
    kdtree *tree = state;
    if (!tree->env->def->kd_once) return stored_pairs(tree, piece, sink);
    uint32_t begin = piece * SHARE_RECORDS;
    uint32_t left = tree->record_count - begin;
    return sweep(tree, begin, begin + (left < SHARE_RECORDS ? left : SHARE_RECORDS), true,
                 &tree->stacks[worker], sink);
}

/* --- queries ------------------------------------------------------------------------------------ */

typedef struct asking {
    const kdtree *tree;
    const rni_queries *queries;
    const rni_query *q;
    rni_hit_sink *sink;
    uint32_t found;
} asking;

/* A record met in the inner one of two cells: its own and that of the query. */
static rn_result meet(asking *a, uint32_t record, uint64_t inner_key)
{
    uint32_t element = ((const uint32_t *)a->tree->elements.data)[record];
    const box *b = (const box *)a->tree->boxes.data + element;
    a->sink->candidate_count++;
    if (!rni_boxes_touch(a->q->low, a->q->high, b->low, b->high) ||
        !holds_corner(a->tree, inner_key, a->q->low, b->low) ||
        !rni_query_touches(a->queries, a->q, b->low, b->high))
        return RN_OK;
    a->found++;
    return a->sink->wants_index ? rni_hit_push(a->sink, element) : RN_OK;
}

static uint32_t first_not_below(const uint64_t *key, uint32_t count, uint64_t wanted)
{
    uint32_t low = 0;
    while (count > 0) {
        uint32_t half = count / 2;
        if (key[low + half] < wanted) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

/* Enclosing cells are on the stack that ends before this cell; cells inside it follow. */
static rn_result ask_cell(asking *a, kd_cell cell)
{
    const kdtree *tree = a->tree;
    const uint64_t *key = tree->keys.data;
    const uint32_t *parent = tree->parents.data;
    uint32_t first = first_not_below(key, tree->record_count, rni_kd_key(cell));
    uint32_t r = first > 0 ? first - 1 : NONE;
    a->sink->visited_count++;
    while (r != NONE && !rni_kd_holds(&tree->frame, key[r], cell.code)) r = parent[r];
    rn_result result = RN_OK;
    for (; r != NONE && result == RN_OK; r = parent[r]) result = meet(a, r, rni_kd_key(cell));
    for (r = first; r < tree->record_count && result == RN_OK; r++) {
        if (!rni_kd_holds(&tree->frame, rni_kd_key(cell), key[r] >> 6)) break;
        result = meet(a, r, key[r]);
    }
    return result;
}

static rn_result query(void *state, const rni_queries *queries, uint32_t first, uint32_t count,
                       uint32_t worker, rni_hit_sink *sink)
{
    (void)worker;
    const kdtree *tree = state;
    kd_frame frame = tree->frame;
    frame.is_split = true; /* queries are split even if boxes are not */
    for (uint32_t k = 0; k < count; k++) {
        rni_query q;
        rni_query_at(queries, first + k, &q);
        asking a = {tree, queries, &q, sink, 0};
        kd_cell cells[RNI_KD_PARTS];
        kd_box quantised = whole(&frame, q.low, q.high);
        uint32_t parts = rni_kd_split(&frame, &quantised, cells, NULL);
        for (uint32_t p = 0; p < parts; p++) {
            rn_result result = ask_cell(&a, cells[p]);
            if (result != RN_OK) return result;
        }
        sink->counts[k] = a.found;
    }
    return RN_OK;
}

const rni_box_method rni_box_method_linear_kdtree = {
    .info = {RN_BROADPHASE_LINEAR_KDTREE, "linear-kdtree",
             "boxes split at cell faces, as a sorted array of the codes of their cells",
             "Poirrier 2009", false},
    .create = create,
    .destroy = destroy,
    .build = build,
    .pair_pieces = pair_pieces,
    .pairs = pairs,
    .query = query,
};
