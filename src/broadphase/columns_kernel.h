/* The hot loops of "layered-columns", written once. The including file chooses its lanes
 * (base/lanes.h) and defines KERNEL_NAME, the name of the column_kernel. Loads may read past the
 * end of a column by fewer than RNI_LANES floats. */

#define WIDTH ((uint32_t)RNI_LANES)

#define INLINE static inline __attribute__((always_inline))

/* A box, each bound broadcast to all lanes. */
typedef struct kernel_box {
    rni_v low[3], high[3];
} kernel_box;

INLINE kernel_box box_spread(const float low[3], const float high[3])
{
    kernel_box box;
    for (int axis = 0; axis < 3; axis++) {
        box.low[axis] = rni_v_set(low[axis]);
        box.high[axis] = rni_v_set(high[axis]);
    }
    return box;
}

INLINE rni_vb first_lanes(uint32_t left)
{
    return rni_vb_first(left < WIDTH ? left : WIDTH);
}

/* How many of the first `left` (at most WIDTH) ascending x are below `at`. */
INLINE uint32_t count_below(const float *x, uint32_t left, float at)
{
    return rni_vb_count(rni_vb_less(first_lanes(left), rni_v_load(x), rni_v_set(at)));
}

/* Bit mask of the boxes p, p + 1, ... of the block that touch. *inside: how many of the first
 * `left` (at most WIDTH) begin before box.high x. Two independent chains of masks, because each
 * comparison may wait for the previous one. */
INLINE uint32_t run_test(const float *block, uint32_t n, uint32_t p, uint32_t left,
                         const kernel_box *box, bool has_z, uint32_t *inside)
{
    const float *at = block + p;
    const rni_vb here = rni_vb_within(first_lanes(left), rni_v_load(at), box->high[0]);
    *inside = rni_vb_count(here);
    if (RNI_LANES == 1 && !here) return 0; /* the usual end of a run */
    rni_vm x = rni_v_within(box->low[0], rni_v_load(at + n));
    if (RNI_LANES == 1 && !rni_v_bits(x)) return 0;
    rni_vm y = rni_v_within(rni_v_load(at + 2 * (size_t)n), box->high[1]);
    x = rni_v_within_and(x, box->low[1], rni_v_load(at + 3 * (size_t)n));
    if (has_z) {
        y = rni_v_within_and(y, rni_v_load(at + 4 * (size_t)n), box->high[2]);
        x = rni_v_within_and(x, box->low[2], rni_v_load(at + 5 * (size_t)n));
    }
    return rni_vb_where(here, rni_vm_and(x, y));
}

/* Writes up to WIDTH pairs and returns their number. Eight lanes have few hits at once, so writing
 * them one by one is 5 % faster (`bench pairs`, 100,000 equal boxes) than packing. */
INLINE uint32_t put_pairs(rn_pair *to, uint32_t hits, const uint32_t *index, uint32_t i)
{
#if RNI_LANES == 8
    uint32_t count = 0;
    for (; hits; hits &= hits - 1) {
        const uint32_t j = index[__builtin_ctz(hits)];
        to[count].a = i < j ? i : j;
        to[count++].b = i < j ? j : i;
    }
    return count;
#else
    const rni_vb lanes = rni_vb_of_bits(hits);
    const uint32_t count = rni_vb_count(lanes);
    const rni_vu own = rni_vu_set(i), other = rni_vu_packed(lanes, rni_vu_load(index));
    rni_vu_store_interleaved(&to->a, rni_vu_min(own, other), rni_vu_max(own, other), count);
    return count;
#endif
}

/* The same for indices. */
INLINE uint32_t put_hits(uint32_t *to, uint32_t hits, const uint32_t *index)
{
    const rni_vb lanes = rni_vb_of_bits(hits);
    rni_vu_pack(to, lanes, rni_vu_load(index));
    return rni_vb_count(lanes);
}

/* Cache of the columns searched for the previous box, each with the position found there: the run
 * of the next box of the same source column begins no earlier. */
#define CURSOR_COUNT 64u

typedef struct cursor {
    uint64_t tag; /* serial number of the source column, then the target column */
    uint32_t place;
} cursor;

typedef struct walk {
    const columns *set;
    rni_pair_sink *sink;
    uint64_t serial, candidate_count, visited_count;
    cursor cursors[CURSOR_COUNT];
} walk;

INLINE uint32_t first_not_below(const float *x, uint32_t n, float at)
{
    uint32_t base = 0;
    while (n > 0) {
        uint32_t half = n / 2;
        bool is_below = x[base + half] < at;
        base = is_below ? base + half + 1 : base;
        n = is_below ? n - half - 1 : half;
    }
    return base;
}

/* The first box of the column that may reach `at`. */
INLINE uint32_t run_begin(walk *w, uint32_t column, const float *x, uint32_t n, float at)
{
    cursor *c = &w->cursors[column % CURSOR_COUNT];
    uint64_t tag = w->serial << 32 | column;
    uint32_t place;
    if (c->tag == tag) {
        place = c->place;
        while (place < n) {
            uint32_t below = count_below(x + place, n - place, at);
            place += below;
            if (below < WIDTH) break;
        }
    } else {
        place = first_not_below(x, n, at);
        c->tag = tag;
    }
    c->place = place;
    return place;
}

/* Tests the run that begins at p. */
INLINE rn_result meet_run(walk *w, const float *block, uint32_t n, uint32_t p,
                          const kernel_box *box, uint32_t i)
{
    rni_pair_sink *sink = w->sink;
    const uint32_t *index = (const uint32_t *)(const void *)(block + 6 * (size_t)n);
    while (p < n) {
        uint32_t inside, left = n - p < WIDTH ? n - p : WIDTH;
        uint32_t hits = run_test(block, n, p, left, box, true, &inside);
        w->candidate_count += inside;
        if (hits) {
            if (sink->capacity - sink->used < WIDTH) {
                rn_result result = rni_pair_reserve(sink, WIDTH);
                if (result != RN_OK) return result;
            }
            sink->used += put_pairs(sink->pair + sink->used, hits, index + p, i);
        }
        if (inside < WIDTH) break;
        p += WIDTH;
    }
    return RN_OK;
}

INLINE rn_result meet_column(walk *w, uint32_t column, float from, const kernel_box *box, uint32_t i)
{
    const uint32_t *start = w->set->start.data;
    uint32_t n = start[column + 1] - start[column];
    if (n == 0) return RN_OK;
    const float *block = (const float *)w->set->blocks.data + 7 * (size_t)start[column];
    uint32_t p = run_begin(w, column, block, n, from);
    w->visited_count++;
    return meet_run(w, block, n, p, box, i);
}

/* The column being traversed, and its end. */
typedef struct place {
    uint32_t row_y, row_z;
    float y_next, z_begin,
        z_next; /* smallest y of the next row; smallest z of this row and of the next */
} place;

/* Tests a box against the columns after its own. Most boxes end inside their own column: comparing
 * with the column bounds avoids the row lookup. */
INLINE rn_result meet_own(walk *w, const column_level *level, const place *at, const float low[3],
                          const float high[3], const kernel_box *box, uint32_t i)
{
    const columns *set = w->set;
    if (high[1] < at->y_next && high[2] < at->z_next) return RN_OK;
    uint32_t z_rows = level->z.row_count, y_last = at->row_y;
    uint32_t z_first = at->row_z, z_last = at->row_z;
    if (!(high[2] < at->z_next)) z_last = rni_row_of(set, &level->z, high[2]);
    if (!(high[1] < at->y_next)) {
        y_last = rni_row_of(set, &level->y, high[1]);
        float reach = rni_reach_below(low[2], level->extent[2]);
        if (!(reach >= at->z_begin)) z_first = rni_row_of(set, &level->z, reach);
    }
    float from = rni_reach_below(low[0], level->extent[0]);
    for (uint32_t y = at->row_y; y <= y_last; y++) {
        for (uint32_t z = y == at->row_y ? at->row_z + 1 : z_first; z <= z_last; z++) {
            rn_result result = meet_column(w, level->first_column + y * z_rows + z, from, box, i);
            if (result != RN_OK) return result;
        }
    }
    return RN_OK;
}

/* Tests a box against all columns of another level. */
INLINE rn_result meet_other(walk *w, const column_level *level, const float low[3],
                            const float high[3], const kernel_box *box, uint32_t i)
{
    const columns *set = w->set;
    uint32_t z_rows = level->z.row_count, y_first = 0, y_last = 0, z_first = 0, z_last = 0;
    if (level->y.row_count > 1) {
        y_first = rni_row_of(set, &level->y, rni_reach_below(low[1], level->extent[1]));
        y_last = rni_row_of(set, &level->y, high[1]);
    }
    if (z_rows > 1) {
        z_first = rni_row_of(set, &level->z, rni_reach_below(low[2], level->extent[2]));
        z_last = rni_row_of(set, &level->z, high[2]);
    }
    float from = rni_reach_below(low[0], level->extent[0]);
    for (uint32_t y = y_first; y <= y_last; y++) {
        for (uint32_t z = z_first; z <= z_last; z++) {
            rn_result result = meet_column(w, level->first_column + y * z_rows + z, from, box, i);
            if (result != RN_OK) return result;
        }
    }
    return RN_OK;
}

/* Boxes p .. last - 1 of one column. */
static rn_result walk_column(walk *w, const column_task *task, uint32_t column, uint32_t p,
                             uint32_t last)
{
    const columns *set = w->set;
    const uint32_t *start = set->start.data;
    const column_level *source = &set->levels[task->source], *target = &set->levels[task->target];
    uint32_t n = start[column + 1] - start[column];
    const float *block = (const float *)set->blocks.data + 7 * (size_t)start[column];
    const uint32_t *index = (const uint32_t *)(const void *)(block + 6 * (size_t)n);
    const float *bounds = set->bounds.data;
    place here = {.row_y = (column - source->first_column) / source->z.row_count,
                  .row_z = (column - source->first_column) % source->z.row_count};
    here.y_next = bounds[source->y.bound_at + here.row_y + 1];
    here.z_begin = bounds[source->z.bound_at + here.row_z];
    here.z_next = bounds[source->z.bound_at + here.row_z + 1];
    w->serial++;
    for (; p < last; p++) {
        const float *at = block + p;
        const float low[3] = {at[0], at[2 * (size_t)n], at[4 * (size_t)n]};
        const float high[3] = {at[n], at[3 * (size_t)n], at[5 * (size_t)n]};
        kernel_box box = box_spread(low, high);
        rn_result result;
        if (source == target) {
            result = meet_run(w, block, n, p + 1, &box, index[p]);
            if (result == RN_OK) result = meet_own(w, source, &here, low, high, &box, index[p]);
        } else {
            result = meet_other(w, target, low, high, &box, index[p]);
        }
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

static rn_result find_pairs(const columns *set, const column_task *task, uint32_t begin,
                            uint32_t end, rni_pair_sink *sink)
{
    const uint32_t *start = set->start.data;
    const column_level *source = &set->levels[task->source];
    walk w = {.set = set, .sink = sink};
    /* the column that holds box `begin`: the last one that starts at or before it */
    uint32_t low = source->first_column, high = low + source->column_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (start[middle] <= begin) low = middle;
        else high = middle;
    }
    rn_result result = RN_OK;
    for (uint32_t column = low; begin < end && result == RN_OK; column++) {
        uint32_t stop = start[column + 1] < end ? start[column + 1] : end;
        if (stop <= begin) continue;
        result = walk_column(&w, task, column, begin - start[column], stop - start[column]);
        begin = stop;
    }
    sink->candidate_count += w.candidate_count;
    sink->visited_count += w.visited_count;
    return result;
}

/* --- queries ----------------------------------------------------------------------------------- */

typedef struct asking {
    const columns *set;
    const rni_queries *queries;
    const rni_query *q;
    rni_hit_sink *sink;
    bool is_exact; /* boxes and points: touching the bounding box is touching the query */
    uint64_t found, candidate_count, visited_count;
} asking;

/* Keeps only the hits that touch the query itself. */
static uint32_t sift(const asking *ask, const float *block, uint32_t n, uint32_t p, uint32_t hits)
{
    uint32_t kept = 0;
    for (; hits; hits &= hits - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(hits);
        const float *at = block + p + lane;
        const float low[3] = {at[0], at[2 * (size_t)n], at[4 * (size_t)n]};
        const float high[3] = {at[n], at[3 * (size_t)n], at[5 * (size_t)n]};
        if (rni_query_touches(ask->queries, ask->q, low, high)) kept |= 1u << lane;
    }
    return kept;
}

/* Adds the hits of one vector. */
INLINE rn_result take_hits(asking *ask, const float *block, uint32_t n, uint32_t p, uint32_t hits)
{
    rni_hit_sink *sink = ask->sink;
    if (!ask->is_exact) hits = sift(ask, block, n, p, hits);
    if (!hits) return RN_OK;
    ask->found += (uint32_t)__builtin_popcount(hits);
    if (!sink->wants_index) return RN_OK;
    if (sink->capacity - sink->used < WIDTH) {
        rn_result result = rni_hit_reserve(sink, WIDTH);
        if (result != RN_OK) return result;
    }
    const uint32_t *index = (const uint32_t *)(const void *)(block + 6 * (size_t)n);
    sink->used += put_hits(sink->index + sink->used, hits, index + p);
    return RN_OK;
}

INLINE rn_result ask_column(asking *ask, uint32_t column, float from, const kernel_box *box,
                            bool has_z)
{
    const uint32_t *start = ask->set->start.data;
    uint32_t n = start[column + 1] - start[column];
    if (n == 0) return RN_OK;
    const float *block = (const float *)ask->set->blocks.data + 7 * (size_t)start[column];
    uint32_t p = n <= 2 * WIDTH ? 0 : first_not_below(block, n, from);
    ask->visited_count++;
    while (p < n) {
        uint32_t inside, left = n - p < WIDTH ? n - p : WIDTH;
        uint32_t hits = run_test(block, n, p, left, box, has_z, &inside);
        ask->candidate_count += inside;
        rn_result result = hits ? take_hits(ask, block, n, p, hits) : RN_OK;
        if (result != RN_OK) return result;
        if (inside < WIDTH) break;
        p += WIDTH;
    }
    return RN_OK;
}

INLINE rn_result ask_level(asking *ask, const column_level *level, const kernel_box *box, bool has_z)
{
    const columns *set = ask->set;
    const rni_query *q = ask->q;
    uint32_t z_rows = level->z.row_count, y_first = 0, y_last = 0, z_first = 0, z_last = 0;
    if (level->y.row_count > 1) {
        y_first = rni_row_of(set, &level->y, rni_reach_below(q->low[1], level->extent[1]));
        y_last = rni_row_of(set, &level->y, q->high[1]);
    }
    if (has_z && z_rows > 1) {
        z_first = rni_row_of(set, &level->z, rni_reach_below(q->low[2], level->extent[2]));
        z_last = rni_row_of(set, &level->z, q->high[2]);
    }
    float from = rni_reach_below(q->low[0], level->extent[0]);
    for (uint32_t y = y_first; y <= y_last; y++) {
        for (uint32_t z = z_first; z <= z_last; z++) {
            rn_result result =
                ask_column(ask, level->first_column + y * z_rows + z, from, box, has_z);
            if (result != RN_OK) return result;
        }
    }
    return RN_OK;
}

/* Few boxes in one column: tests all of them and ignores their order. A loop of constant length is
 * faster than skipping boxes. */
INLINE rn_result ask_few(asking *ask, const kernel_box *box, bool has_z)
{
    uint32_t n = ask->set->count;
    const float *block = ask->set->blocks.data;
    bool only_counts = ask->is_exact && !ask->sink->wants_index;
    for (uint32_t p = 0; p < n; p += WIDTH) {
        uint32_t inside, left = n - p < WIDTH ? n - p : WIDTH;
        uint32_t hits = run_test(block, n, p, left, box, has_z, &inside);
        if (only_counts) {
            ask->found += (uint32_t)__builtin_popcount(hits);
        } else if (hits) {
            rn_result result = take_hits(ask, block, n, p, hits);
            if (result != RN_OK) return result;
        }
    }
    ask->candidate_count += n;
    return RN_OK;
}

INLINE rn_result ask_block(const columns *set, const rni_queries *queries, uint32_t first,
                           uint32_t count, rni_hit_sink *sink, bool has_z)
{
    rni_query q = {.radius_sq = 0.0};
    asking ask = {.set = set, .queries = queries, .q = &q, .sink = sink};
    ask.is_exact = queries->kind == RN_QUERY_BOX || queries->kind == RN_QUERY_POINT;
    bool are_few = set->column_count == 1 && set->count <= RNI_COLUMNS_FEW;
    for (uint32_t k = 0; k < count; k++) {
        rni_query_at(queries, first + k, &q);
        kernel_box box = box_spread(q.low, q.high);
        ask.found = 0;
        rn_result result = are_few ? ask_few(&ask, &box, has_z) : RN_OK;
        for (uint32_t l = 0; !are_few && l < set->level_count && result == RN_OK; l++)
            result = ask_level(&ask, &set->levels[l], &box, has_z);
        if (result != RN_OK) return result;
        sink->counts[k] = (uint32_t)ask.found;
    }
    sink->candidate_count += ask.candidate_count;
    sink->visited_count += ask.visited_count;
    return RN_OK;
}

static rn_result ask_all(const columns *set, const rni_queries *queries, uint32_t first,
                         uint32_t count, rni_hit_sink *sink)
{
    return set->dim == 3 ? ask_block(set, queries, first, count, sink, true)
                         : ask_block(set, queries, first, count, sink, false);
}

const column_kernel KERNEL_NAME = {find_pairs, ask_all};
