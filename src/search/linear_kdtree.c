/* Method "linear-kdtree": the kd-tree without nodes of Poirrier 2009. Points become locational
 * codes (section 5.2: integers in a root cell, bits interleaved) and the codes are sorted. The
 * bits of the sorted codes define the tree: the points of a node share a prefix and are
 * consecutive. A split is found by searching for the first code with the next bit set.
 *
 * Departures:
 * - The paper stores boxes in nodes and finds overlaps in one sweep. Here points are searched
 *   with a radius: only points have codes, and the traversal enters from the root those nodes
 *   that the box around a few leaves of searching points touches (clusters.h; around a single
 *   point with def.as_published).
 * - The root cell is a cube and its smallest cells are half a radius wide, or as small as 63
 *   bits (2D: 62) allow: shorter codes sort faster, and smaller cells exclude no pair (section
 *   7.3 leaves root and length open). Axes that are shorter than the cube have zeros in their
 *   first bits.
 * - Where an axis is too long for its bits, empty gaps longer than the reach are shortened: one
 *   distant point does not put all others into one cell.
 * - The paper maps [a0, a1), so the upper face is outside. Here the last cell includes
 *   everything above.
 * - Splits are looked up in a table for the first bits of the code, and searched for below.
 *
 * Correctness: the map from position to cell is monotonic, and the ends of the searched interval
 * go through the same map, so the cell of a neighbour is never outside. The cell size only
 * affects the number of candidates. */
#include "search/trees.h"

#include "base/sort.h"
#include "base/validate.h"

#include <runnel/geometry.h>

#include <assert.h>
#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

#define LEAF_POINTS   16u
#define GROUP_POINTS  64u /* the tree is traversed for this many points at once */
#define SERIAL_POINTS 8192u

/* Points per entry of the table. */
#define TABLE_POINTS 4u

/* Smallest cells per radius. */
#define CELLS_PER_RADIUS 2.0

/* Empty gaps longer than this many radii are shortened to half of it. */
#define LONG_GAP 4.0

/* A segment of an axis that has points at least every LONG_GAP radii. */
typedef struct code_stretch {
    double begin, width; /* in space; width includes half of a gap */
    double base;         /* where it begins after the gaps before it are shortened */
} code_stretch;

typedef struct code_axis {
    double low, high;
    rni_buffer stretches;   /* code_stretch, ascending */
    uint32_t stretch_count; /* 0: no gap is shortened */
} code_axis;

typedef struct code_set {
    rni_ordered ordered;
    rni_buffer codes; /* uint64_t, ascending */
    rni_buffer start; /* uint32_t: first point of each prefix of table_bits, one more at the end */
    uint32_t dim, bits, table_bits; /* bits: of a code, a multiple of dim */
    uint32_t last_cell;             /* per axis */
    code_axis axes[3];
    double scale;
} code_set;

/* --- codes ----------------------------------------------------------------------------- */

/* All coordinates of an axis, ascending, in the arena; NULL when out of memory. */
static const float *sorted_axis(rni_search_env *env, const rni_cloud *cloud, uint32_t axis)
{
    const uint32_t count = cloud->count;
    uint32_t *keys = rni_arena_take(env->arena, 4 * (size_t)count * sizeof *keys);
    float *sorted = rni_arena_take(env->arena, (size_t)count * sizeof *sorted);
    if (!keys || !sorted) return NULL;
    uint32_t *values = keys + count;
    for (uint32_t i = 0; i < count; i++) {
        float p[3];
        rni_cloud_at(cloud, env->space.dim, i, p);
        memcpy(&values[i], &p[axis], sizeof *values);
        keys[i] = values[i] ^ (values[i] >> 31 ? UINT32_MAX : 0x80000000u);
    }
    rn_result result = rni_sort_u32(env->crew, env->arena, count, keys, values, values + count,
                                    values + 2 * (size_t)count);
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    return result == RN_OK ? sorted : NULL;
}

/* Finds the segments of an axis; *length becomes its length after shortening. */
static rn_result shorten_axis(rni_search_env *env, code_axis *axis, const float *sorted,
                              uint32_t count, double *length)
{
    const double gap = LONG_GAP * (double)env->space.radius;
    uint32_t stretch_count = 1;
    for (uint32_t k = 1; k < count; k++)
        stretch_count += (double)sorted[k] - (double)sorted[k - 1] > gap;
    rn_result result =
        rni_buffer_need(env->memory, &axis->stretches, stretch_count, sizeof(code_stretch));
    if (result != RN_OK) return result;
    code_stretch *at = axis->stretches.data;
    *at = (code_stretch){.begin = (double)sorted[0]};
    for (uint32_t k = 0; k < count; k++) {
        double here = (double)sorted[k];
        if (k > 0 && here - (double)sorted[k - 1] > gap) {
            at[1] = (code_stretch){.begin = here, .base = at->base + at->width};
            at++;
        }
        at->width = (here - at->begin) + 0.5 * gap;
    }
    axis->stretch_count = stretch_count;
    *length = at->base + at->width;
    return RN_OK;
}

/* Maps a position to the axis with its gaps shortened; monotonic. */
static double shortened(const code_axis *axis, double position)
{
    const code_stretch *stretches = axis->stretches.data;
    /* the last segment that begins at or before it */
    uint32_t low = 0, high = axis->stretch_count - 1;
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (stretches[middle].begin <= position) low = middle;
        else high = middle - 1;
    }
    double along = position - stretches[low].begin;
    return stretches[low].base + (along < stretches[low].width ? along : stretches[low].width);
}

static rn_result choose_root(rni_search_env *env, code_set *set, const rni_cloud *cloud)
{
    const rni_space *space = &env->space;
    const uint32_t most = space->dim == 3 ? 21 : 31;
    double cell = (double)space->radius / CELLS_PER_RADIUS, side = 0.0;
    for (uint32_t a = 0; a < 3; a++) {
        code_axis *axis = &set->axes[a];
        bool is_used = a < space->dim && cloud->count > 0;
        axis->low = is_used ? (double)cloud->low[a] : 0.0;
        axis->high = is_used ? (double)cloud->high[a] : 0.0;
        axis->stretch_count = 0;
        double length = axis->high - axis->low;
        if (length > ldexp(cell, (int)most)) {
            const float *sorted = sorted_axis(env, cloud, a);
            if (!sorted) return RN_ERROR_MEMORY;
            rn_result result = shorten_axis(env, axis, sorted, cloud->count, &length);
            if (result != RN_OK) return result;
        }
        side = fmax(side, length);
    }
    uint32_t bits = 0;
    while (bits < most && ldexp(cell, (int)bits) <= side) bits++;
    if (ldexp(cell, (int)bits) < side) cell = ldexp(side, -(int)bits);
    set->scale = 1.0 / cell;
    set->dim = space->dim;
    set->bits = bits * space->dim;
    set->last_cell = (uint32_t)(((uint64_t)1 << bits) - 1);
    return RN_OK;
}

/* Maps a position to a cell; monotonic. */
INLINE uint32_t cell_of(const code_set *set, double position, uint32_t a)
{
    const code_axis *axis = &set->axes[a];
    double along = axis->stretch_count ? shortened(axis, position) : position - axis->low;
    double at = along * set->scale;
    if (!(at > 0.0)) return 0;
    return at < (double)set->last_cell ? (uint32_t)at : set->last_cell;
}

typedef struct code_job {
    const rni_cloud *cloud;
    code_set *set;
    uint32_t count, parts;
} code_job;

static void code_part(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    code_job *job = data;
    const code_set set = *job->set;
    uint64_t begin, end, *codes = set.codes.data;
    rni_share(job->count, part, job->parts, &begin, &end);
    for (uint64_t i = begin; i < end; i++) {
        float p[3];
        rni_cloud_at(job->cloud, set.dim, (uint32_t)i, p);
        uint32_t x = cell_of(&set, (double)p[0], 0), y = cell_of(&set, (double)p[1], 1);
        codes[i] = set.dim == 3 ? rn_morton3_encode(x, y, cell_of(&set, (double)p[2], 2))
                                : rn_morton2_encode(x, y);
        set.ordered.id[i] = (uint32_t)i;
    }
}

static void order_part(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    code_job *job = data;
    const rni_ordered to = job->set->ordered;
    uint64_t begin, end;
    rni_share(job->count, part, job->parts, &begin, &end);
    for (uint64_t k = begin; k < end; k++) {
        float p[3];
        rni_cloud_at(job->cloud, job->set->dim, to.id[k], p);
        to.x[k] = p[0];
        to.y[k] = p[1];
        to.z[k] = p[2];
    }
}

/* Entries of the table for prefixes that begin in this part. */
static void table_part(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    code_job *job = data;
    const code_set *set = job->set;
    const uint64_t *codes = set->codes.data;
    uint32_t *start = set->start.data;
    const uint32_t shift = set->bits - set->table_bits;
    uint64_t begin, end;
    rni_share(job->count, part, job->parts, &begin, &end);
    uint64_t next = begin == 0 ? 0 : (codes[begin - 1] >> shift) + 1;
    for (uint64_t k = begin; k < end; k++) {
        for (uint64_t prefix = codes[k] >> shift; next <= prefix; next++) start[next] = (uint32_t)k;
    }
    if (part + 1 < job->parts) return;
    for (; next <= (uint64_t)1 << set->table_bits; next++) start[next] = job->count;
}

static rn_result reserve_set(rni_search_env *env, code_set *set, uint32_t count)
{
    set->table_bits = 0;
    while (set->table_bits < set->bits && (count / TABLE_POINTS) >> set->table_bits > 1)
        set->table_bits++;
    rn_result result = rni_ordered_need(env->memory, &set->ordered, count);
    if (result == RN_OK)
        result = rni_buffer_need(env->memory, &set->codes, count, sizeof(uint64_t));
    if (result == RN_OK) {
        result = rni_buffer_need(env->memory, &set->start, ((uint64_t)1 << set->table_bits) + 1,
                                 sizeof(uint32_t));
    }
    return result;
}

/* The code of the cell of a stored point. */
static uint64_t code_at(const code_set *set, uint32_t k)
{
    const uint32_t x = cell_of(set, (double)set->ordered.x[k], 0);
    const uint32_t y = cell_of(set, (double)set->ordered.y[k], 1);
    if (set->dim == 2) return rn_morton2_encode(x, y);
    return rn_morton3_encode(x, y, cell_of(set, (double)set->ordered.z[k], 2));
}

/* NULL, or a description of the error (base/validate.h). Checks that each point occurs once, that
 * codes ascend and are those of their points, and that the table begins where prefixes do. */
static __attribute__((unused)) const char *validate_set(const code_set *set)
{
    const uint64_t *codes = set->codes.data;
    const uint32_t *start = set->start.data, count = set->ordered.count;
    const uint32_t shift = set->bits - set->table_bits;
    for (uint32_t k = 0; k < count; k++) {
        if (k > 0 && codes[k] < codes[k - 1]) return "the codes do not ascend";
        if (k > 0 && codes[k] == codes[k - 1] && set->ordered.id[k] < set->ordered.id[k - 1])
            return "the points of a cell are not in ascending index order";
        if (codes[k] != code_at(set, k)) return "the code of a point is not that of its cell";
        const uint64_t prefix = codes[k] >> shift;
        if (k < start[prefix] || k >= start[prefix + 1]) return "a point is outside its prefix";
    }
    const char *flaw = rni_validate_starts(start, (uint64_t)1 << set->table_bits, count);
    return flaw ? flaw : rni_validate_permutation(set->ordered.id, count);
}

static rn_result take_set(rni_search_env *env, void *place, const rni_cloud *cloud)
{
    code_set *set = place;
    uint32_t count = cloud->count;
    set->ordered.count = 0;
    rn_result result = choose_root(env, set, cloud);
    if (result == RN_OK) result = reserve_set(env, set, count);
    if (result != RN_OK || count == 0) return result;
    set->ordered.count = 0; /* until the build has succeeded */
    uint64_t *code_scratch = rni_arena_take(env->arena, (size_t)count * sizeof *code_scratch);
    uint32_t *id_scratch = rni_arena_take(env->arena, (size_t)count * sizeof *id_scratch);
    if (!code_scratch || !id_scratch) return RN_ERROR_MEMORY;
    code_job job = {.cloud = cloud, .set = set, .count = count};
    job.parts = count < SERIAL_POINTS ? 1 : rni_crew_size(env->crew);
    rni_crew_pieces(env->crew, job.parts, code_part, &job);
    result = rni_sort_u64(env->crew, env->arena, count, set->codes.data, set->ordered.id,
                          code_scratch, id_scratch);
    if (result != RN_OK) return result;
    rni_crew_pieces(env->crew, job.parts, order_part, &job);
    rni_crew_pieces(env->crew, job.parts, table_part, &job);
    set->ordered.count = count;
    assert(!validate_set(set));
    return RN_OK;
}

/* --- traversal -------------------------------------------------------------------------------- */

/* A node: the points that share all bits of prefix from `bit` up. */
typedef struct code_node {
    uint64_t prefix; /* bits below `bit` are zero */
    uint32_t bit;
    uint32_t begin, end;
} code_node;

INLINE code_node root_of(const code_set *set)
{
    return (code_node){0, set->bits, 0, set->ordered.count};
}

INLINE bool is_leaf(const code_node *node, uint32_t most)
{
    return node->end - node->begin <= most || node->bit == 0;
}

/* The first point of the node whose next bit is set. */
INLINE uint32_t cut_of(const code_set *set, const code_node *node)
{
    const uint32_t shift = set->bits - set->table_bits, bit = node->bit - 1;
    const uint64_t first = node->prefix | (uint64_t)1 << bit;
    if (bit >= shift) return ((const uint32_t *)set->start.data)[first >> shift];
    const uint64_t *codes = set->codes.data;
    uint32_t low = node->begin, high = node->end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (codes[middle] < first) low = middle + 1;
        else high = middle;
    }
    return low;
}

INLINE code_node lower_child(const code_node *node, uint32_t cut)
{
    return (code_node){node->prefix, node->bit - 1, node->begin, cut};
}

INLINE code_node upper_child(const code_node *node, uint32_t cut)
{
    return (code_node){node->prefix | (uint64_t)1 << (node->bit - 1), node->bit - 1, cut, node->end};
}

/* Leaves of equal codes may hold any number of points: they are processed a few at a time. */
static uint32_t end_of(const void *from_tree, uint32_t at, bool is_group)
{
    const code_set *set = from_tree;
    const uint32_t most = is_group ? GROUP_POINTS : LEAF_POINTS;
    code_node node = root_of(set);
    while (!is_leaf(&node, most)) {
        uint32_t cut = cut_of(set, &node);
        node = at < cut ? lower_child(&node, cut) : upper_child(&node, cut);
    }
    uint64_t end = at + (uint64_t)most - (at - node.begin) % most;
    return end < node.end ? (uint32_t)end : node.end;
}

/* The cells of each axis that may hold neighbours: an interval and, on a periodic axis, its
 * images. */
typedef struct code_window {
    uint32_t count[3];
    uint32_t first[3][3], last[3][3];
} code_window;

/* Adds the interval from low to high in the set's own cells, if any of its points can be there. */
static bool add_interval(code_window *window, const code_set *set, uint32_t axis, double low,
                         double high)
{
    if (high < set->axes[axis].low || low > set->axes[axis].high) return false;
    uint32_t k = window->count[axis]++;
    window->first[axis][k] = cell_of(set, low, axis);
    window->last[axis][k] = cell_of(set, high, axis);
    return true;
}

/* The exact test is in float: the relative error of its differences is 2^-24, that of folded
 * differences is 2^-24 of the period, and the square adds as much again. Both margins are wider. */
static code_window window_of(const code_set *set, const rni_space *space, rni_cluster *c)
{
    code_window window = {{0, 0, 0}, {{0}}, {{0}}};
    for (uint32_t a = 0; a < set->dim; a++) {
        double reach = (double)space->radius * (1.0 + 1e-5);
        double low = (double)c->low[a], high = (double)c->high[a], period = (double)space->period[a];
        if (space->periodic[a]) reach += period * 0x1p-21;
        add_interval(&window, set, a, low - reach, high + reach);
        if (!space->periodic[a]) continue;
        for (int image = -1; image <= 1; image += 2) {
            double shift = image * period;
            if (add_interval(&window, set, a, low + shift - reach, high + shift + reach))
                c->is_wrapped = true;
        }
    }
    return window;
}

/* True when cells first .. first + width - 1 of an axis touch the window. */
INLINE bool touches(const code_window *window, uint32_t axis, uint64_t first, uint64_t width)
{
    for (uint32_t k = 0; k < window->count[axis]; k++) {
        if (first <= window->last[axis][k] && window->first[axis][k] < first + width) return true;
    }
    return false;
}

typedef struct walk_step {
    code_node node;
    uint32_t cell[3]; /* the first of each axis */
} walk_step;

/* A node is split along one axis, so only that axis is tested; the others were tested before. */
INLINE rn_result walk(const code_set *set, const code_window *window, rni_cluster_buffers *buffers,
                      uint64_t *visited, const uint32_t dim)
{
    walk_step stack[65];
    uint32_t depth = 0, seen = 0;
    walk_step here = {root_of(set), {0, 0, 0}};
    for (;;) {
        seen++;
        if (is_leaf(&here.node, LEAF_POINTS)) {
            rn_result result = rni_cluster_take(buffers, here.node.begin, here.node.end);
            if (result != RN_OK) return result;
            if (depth == 0) break;
            here = stack[--depth];
            continue;
        }
        const uint32_t bit = here.node.bit - 1, axis = bit % dim, width = 1u << bit / dim;
        const uint32_t cut = cut_of(set, &here.node);
        walk_step upper = {upper_child(&here.node, cut), {here.cell[0], here.cell[1], here.cell[2]}};
        upper.cell[axis] += width;
        const bool in_lower = cut > here.node.begin && touches(window, axis, here.cell[axis], width);
        const bool in_upper = cut < here.node.end && touches(window, axis, upper.cell[axis], width);
        if (in_upper) stack[depth++] = upper;
        if (in_lower) {
            here.node = lower_child(&here.node, cut);
            continue;
        }
        if (depth == 0) break;
        here = stack[--depth];
    }
    *visited += seen;
    return RN_OK;
}

static rn_result collect(const void *to_tree, const rni_space *space, rni_cluster *cluster,
                         rni_cluster_buffers *buffers, uint64_t *visited)
{
    const code_set *set = to_tree;
    if (set->ordered.count == 0) return RN_OK;
    const code_window window = window_of(set, space, cluster);
    for (uint32_t a = 0; a < set->dim; a++) {
        if (window.count[a] == 0) return RN_OK;
    }
    if (set->dim == 3) return walk(set, &window, buffers, visited, 3);
    return walk(set, &window, buffers, visited, 2);
}

static void free_set(rni_memory *memory, void *place)
{
    code_set *set = place;
    rni_buffer_free(memory, &set->codes);
    rni_buffer_free(memory, &set->start);
    for (int a = 0; a < 3; a++) rni_buffer_free(memory, &set->axes[a].stretches);
}

static const rni_tree_kind kind = {sizeof(code_set), take_set, free_set, end_of, collect};

static rn_result create(rni_search_env *env, void **state)
{
    return rni_trees_create(env, &kind, state);
}

const rni_method rni_method_linear_kdtree = {
    .info = {RN_SEARCH_LINEAR_KDTREE, "linear-kdtree",
             "sorted locational codes, a kd-tree without nodes: the build is a sort",
             "Poirrier 2009", true},
    .has_published_form = true,
    .create = create,
    .destroy = rni_trees_destroy,
    .build = rni_trees_build,
    .place = rni_trees_place,
    .order = rni_trees_order,
    .find = rni_trees_find,
};
