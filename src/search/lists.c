#include "search/lists.h"

#include "base/error.h"
#include "base/sort.h"

#include <stdatomic.h>
#include <string.h>

rni_leave_out rni_leaves_out(uint32_t set, uint32_t searched, rn_lists lists)
{
    if (set != searched) return RNI_LEAVE_NONE;
    return lists == RN_LISTS_HALF ? RNI_LEAVE_SMALLER : RNI_LEAVE_SELF;
}

typedef struct block_job {
    rni_finder *finder;
    const rni_find *find;
    uint32_t count;
    const uint32_t *order;
    rni_block_fn work;
    void *data;
    rni_failure failure;
} block_job;

static void do_block(void *data, uint32_t block, uint32_t worker)
{
    block_job *job = data;
    rni_rows *rows = &job->finder->rows[worker];
    uint32_t first = block * RNI_BLOCK_ROWS;
    uint32_t row_count = job->count - first < RNI_BLOCK_ROWS ? job->count - first : RNI_BLOCK_ROWS;
    if (atomic_load_explicit(&job->failure.result, memory_order_relaxed) != RN_OK) return;
    rni_rows_begin(rows);
    rn_result result =
        job->finder->method->find(job->finder->state, job->find, first, row_count, worker, rows);
    if (result == RN_OK) result = job->work(job->data, job->order + first, row_count, worker, rows);
    rni_failure_keep(&job->failure, result);
}

rn_result rni_for_blocks(rni_finder *finder, const rni_find *find, uint32_t count,
                         rni_block_fn work, void *data)
{
    if (count == 0) return RN_OK;
    block_job job = {.finder = finder, .find = find, .count = count, .work = work, .data = data};
    job.order = finder->method->order(finder->state, find->set);
    rni_crew_pieces(finder->env->crew, (count - 1) / RNI_BLOCK_ROWS + 1, do_block, &job);
    return rni_failure_raise(&job.failure);
}

uint64_t rni_memory_limit(const rn_search_def *def)
{
    return def->memory_limit_bytes ? def->memory_limit_bytes : rni_machine_bytes();
}

static rn_result refuse_size(uint64_t entries, uint64_t limit)
{
    return rni_fail(RN_ERROR_LIMIT,
                    "the lists have at least %llu entries and exceed %.6g MB; "
                    "use a smaller radius, counts or visits, or raise memory_limit_bytes",
                    (unsigned long long)entries, (double)limit * 1e-6);
}

/* --- spans ------------------------------------------------------------------------------------
 *
 * Each worker appends its lists to pieces of the list buffer. Workers claim pieces in the order
 * they need them, so the location of a list may change between runs; its contents do not.
 * Claiming pieces in a fixed order was tried: one thread preempted by the system then blocks all
 * others. */

typedef struct span_job {
    rni_finder *finder;
    const rni_find *find;
    uint32_t count;
    const uint32_t *order;
    rn_span *span;
    uint32_t *index;
    uint64_t capacity, limit_entries;
    uint64_t piece; /* entries claimed at once, to be written directly; 0: one claim per block */
    _Atomic uint64_t taken;   /* entries claimed from the buffer */
    _Atomic uint64_t entries; /* entries written in lists */
    rni_failure failure;
} span_job;

/* Lists too large for the caches are written with stores that bypass the caches. */
#define STREAM_BYTES ((uint64_t)16 << 20)

/* Lists are written directly into pieces of the buffer that hold several blocks each. The unused
 * end of a piece is shorter than the next list, except in the last piece of each worker. */
#define PIECE_BLOCKS 8u
#define LEAST_PIECES 8u
#define MOST_PIECES  128u

static uint64_t piece_for(uint32_t count, uint64_t capacity)
{
    uint64_t pieces = count / (PIECE_BLOCKS * RNI_BLOCK_ROWS);
    if (pieces < LEAST_PIECES) return 0;
    return capacity / (pieces < MOST_PIECES ? pieces : MOST_PIECES);
}

/* Sets the spans of rows, starting at entry `at`; returns the entry after the last one. */
static uint64_t set_spans(const span_job *job, uint32_t first, const uint32_t *counts,
                          uint32_t row_count, uint64_t at)
{
    for (uint32_t row = 0; row < row_count; row++) {
        job->span[job->order[first + row]] = (rn_span){at, at + counts[row]};
        at += counts[row];
    }
    return at;
}

/* Copies rows from the worker's own buffer: as many as fit go into the worker's piece, the
 * others into a new piece. When the buffer is full they are only counted. */
static void place_rows(span_job *job, uint32_t first, uint32_t row_count, rni_rows *rows)
{
    const uint32_t *from = rows->index.data;
    uint64_t here = 0, capacity = rows->window_end - rows->window_at;
    uint32_t split = 0;
    while (split < row_count && here + rows->counts[split] <= capacity)
        here += rows->counts[split++];
    if (here > 0) memcpy(job->index + rows->window_at, from, here * sizeof *from);
    rows->window_at = set_spans(job, first, rows->counts, split, rows->window_at);
    if (split == row_count) return;
    const uint64_t tail = rows->used - here;
    const uint64_t wanted = job->piece > 0 ? rni_rows_whole_lines(tail + job->piece) : tail;
    const uint64_t begin = atomic_fetch_add_explicit(&job->taken, wanted, memory_order_relaxed);
    rows->window_at = rows->window_end = 0;
    if (begin + wanted > job->capacity) return;
    memcpy(job->index + begin, from + here, tail * sizeof *from);
    const uint64_t end =
        set_spans(job, first + split, rows->counts + split, row_count - split, begin);
    if (job->piece == 0) return;
    rows->window_at = end;
    rows->window_end = begin + wanted;
}

static void span_block(void *data, uint32_t block, uint32_t worker)
{
    span_job *job = data;
    rni_rows *rows = &job->finder->rows[worker];
    uint32_t first = block * RNI_BLOCK_ROWS;
    uint32_t row_count = job->count - first < RNI_BLOCK_ROWS ? job->count - first : RNI_BLOCK_ROWS;
    if (atomic_load_explicit(&job->failure.result, memory_order_relaxed) != RN_OK) return;
    rni_rows_begin_window(rows);
    rows->spans = job->span;
    rows->order = job->order + first;
    rows->fetch_end = row_count;
    rn_result result =
        job->finder->method->find(job->finder->state, job->find, first, row_count, worker, rows);
    const bool is_there = rni_rows_end(rows);
    if (result != RN_OK) {
        rni_failure_keep(&job->failure, result);
        return;
    }
    const uint64_t entries =
        atomic_fetch_add_explicit(&job->entries, rows->used, memory_order_relaxed) + rows->used;
    if (entries > job->limit_entries) {
        rni_failure_keep(&job->failure, refuse_size(entries, job->limit_entries * sizeof(uint32_t)));
        return;
    }
    if (is_there) rows->window_at = set_spans(job, first, rows->counts, row_count, rows->window_at);
    else place_rows(job, first, row_count, rows);
}

/* Estimates the number of entries from a sample of blocks: all blocks of few, every sixteenth of
 * many. */
typedef struct guess_job {
    rni_finder *finder;
    const rni_find *find;
    uint32_t count, step;
    uint64_t hopeless; /* entries beyond which the limit is certainly exceeded */
    _Atomic uint64_t entries, rows;
    rni_failure failure;
} guess_job;

static void guess_block(void *data, uint32_t piece, uint32_t worker)
{
    guess_job *job = data;
    rni_rows *rows = &job->finder->rows[worker];
    uint32_t first = piece * job->step * RNI_BLOCK_ROWS;
    uint32_t row_count = job->count - first < RNI_BLOCK_ROWS ? job->count - first : RNI_BLOCK_ROWS;
    uint64_t entries = 0;
    if (atomic_load(&job->entries) > job->hopeless) return;
    rni_rows_begin(rows);
    rni_failure_keep(&job->failure, job->finder->method->find(job->finder->state, job->find, first,
                                                              row_count, worker, rows));
    for (uint32_t row = 0; row < row_count; row++) entries += rows->counts[row];
    atomic_fetch_add(&job->entries, entries);
    atomic_fetch_add(&job->rows, row_count);
}

/* *entries: an estimate of all entries, for the first allocation. Refuses when the counted
 * entries alone exceed the limit. */
static rn_result guess_entries(rni_finder *finder, const rni_find *find, uint32_t count,
                               uint64_t *entries)
{
    rni_find counting = *find;
    counting.want = RNI_WANT_COUNTS;
    uint32_t blocks = (count - 1) / RNI_BLOCK_ROWS + 1;
    guess_job job = {.finder = finder, .find = &counting, .count = count};
    job.step = blocks < 16 ? 1 : blocks < 256 ? blocks / 16 : 16;
    uint64_t limit = rni_memory_limit(finder->env->def);
    job.hopeless = limit / sizeof(uint32_t);
    rni_crew_pieces(finder->env->crew, (blocks - 1) / job.step + 1, guess_block, &job);
    rn_result result = rni_failure_raise(&job.failure);
    if (result != RN_OK) return result;
    if (job.entries > job.hopeless) return refuse_size(job.entries, limit);
    double mean = (double)job.entries / (double)job.rows;
    *entries = (uint64_t)((job.step > 1 ? 1.1 : 1.0) * mean * (double)count) + 1024;
    if (*entries > job.hopeless) *entries = job.hopeless;
    return RN_OK;
}

/* Reserves capacity for this many entries, plus the unused ends of pieces. */
static rn_result reserve_spans(rni_search_env *env, uint32_t count, uint64_t entries,
                               uint64_t limit, rni_lists *out)
{
    uint64_t capacity = entries;
    if (piece_for(count, capacity) > 0)
        capacity += capacity / 32 + rni_crew_size(env->crew) * piece_for(count, capacity);
    if (capacity > limit) capacity = limit;
    return rni_buffer_need(env->memory, &out->index, capacity, sizeof(uint32_t));
}

static rn_result make_spans(rni_finder *finder, const rni_find *find, uint32_t count, rni_lists *out)
{
    rni_search_env *env = finder->env;
    uint64_t limit = rni_memory_limit(env->def) / sizeof(uint32_t);
    rn_result result = rni_buffer_need(env->memory, &out->span, count, sizeof(rn_span));
    if (result != RN_OK) return result;
    if (!out->index.data) {
        uint64_t guess = 0;
        result = guess_entries(finder, find, count, &guess);
        if (result == RN_OK) result = reserve_spans(env, count, guess, limit, out);
        if (result != RN_OK) return result;
    }
    for (bool is_tight = false;; is_tight = true) {
        span_job job = {.finder = finder, .find = find, .count = count, .limit_entries = limit};
        job.order = finder->method->order(finder->state, find->set);
        job.span = out->span.data;
        job.index = out->index.data;
        job.capacity = out->index.bytes / sizeof(uint32_t);
        job.piece = is_tight ? 0 : piece_for(count, job.capacity);
        for (uint32_t w = 0; w < rni_crew_size(env->crew); w++) {
            finder->rows[w].lists = job.index;
            finder->rows[w].is_wide = env->cpu == RN_CPU_AVX512;
            finder->rows[w].is_streamed = job.capacity * sizeof(uint32_t) > STREAM_BYTES;
            finder->rows[w].window_at = finder->rows[w].window_end = 0;
        }
        rni_crew_pieces(env->crew, (count - 1) / RNI_BLOCK_ROWS + 1, span_block, &job);
        result = rni_failure_raise(&job.failure);
        if (result != RN_OK) return result;
        out->entry_count = job.entries;
        if (job.taken <= job.capacity) return RN_OK;
        result = reserve_spans(env, count, job.entries, limit, out);
        if (result != RN_OK) return result;
    }
}

/* --- counts, and lists in point order --------------------------------------------------------- */

typedef struct row_job {
    uint32_t *counts;
    const uint64_t *start;
    uint32_t *index;
    rni_list_plan plan;
    rni_rows *rows; /* of all workers: scratch for sorting */
} row_job;

static rn_result keep_counts(void *data, const uint32_t *order, uint32_t row_count, uint32_t worker,
                             rni_rows *rows)
{
    (void)worker;
    row_job *job = data;
    for (uint32_t row = 0; row < row_count; row++) job->counts[order[row]] = rows->counts[row];
    return RN_OK;
}

static rn_result keep_rows(void *data, const uint32_t *order, uint32_t row_count, uint32_t worker,
                           rni_rows *rows)
{
    (void)worker;
    row_job *job = data;
    if (job->plan.order == RN_ORDER_INDEX) {
        uint32_t longest = 0;
        for (uint32_t row = 0; row < row_count; row++) {
            if (rows->counts[row] > longest) longest = rows->counts[row];
        }
        rn_result result = rni_rows_reserve(rows, RNI_WANT_INDEX, longest);
        if (result != RN_OK) return result;
    }
    uint32_t *from = rows->index.data, *sort_scratch = from + rows->used;
    for (uint32_t row = 0; row < row_count; row++) {
        uint32_t length = rows->counts[row];
        if (job->plan.order == RN_ORDER_INDEX) rni_sort_list(from, length, sort_scratch);
        if (length > 0) memcpy(job->index + job->start[order[row]], from, length * sizeof *from);
        from += length;
    }
    return RN_OK;
}

typedef struct offset_job {
    uint32_t count, parts;
    const uint32_t *counts;
    uint64_t *start, *sums;
} offset_job;

static void sum_part(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    offset_job *job = data;
    uint64_t begin, end, sum = 0;
    rni_share(job->count, part, job->parts, &begin, &end);
    for (uint64_t k = begin; k < end; k++) sum += job->counts[k];
    job->sums[part] = sum;
}

static void offset_part(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    offset_job *job = data;
    uint64_t begin, end, sum = job->sums[part];
    rni_share(job->count, part, job->parts, &begin, &end);
    for (uint64_t k = begin; k < end; k++) {
        job->start[k] = sum;
        sum += job->counts[k];
    }
}

void rni_offsets(rni_crew *crew, uint32_t count, const uint32_t *counts, uint64_t *start)
{
    uint64_t sums[RNI_MAX_WORKERS], sum = 0;
    offset_job job = {count, count < 32768 ? 1 : rni_crew_size(crew), counts, start, sums};
    rni_crew_pieces(crew, job.parts, sum_part, &job);
    for (uint32_t part = 0; part < job.parts; part++) {
        uint64_t here = sums[part];
        sums[part] = sum;
        sum += here;
    }
    rni_crew_pieces(crew, job.parts, offset_part, &job);
    start[count] = sum;
}

static rn_result make_counts(rni_finder *finder, const rni_find *find, uint32_t count, rni_lists *out)
{
    rn_result result = rni_buffer_need(finder->env->memory, &out->counts, count, sizeof(uint32_t));
    if (result != RN_OK) return result;
    rni_find counting = *find;
    counting.want = RNI_WANT_COUNTS;
    row_job job = {.counts = out->counts.data};
    result = rni_for_blocks(finder, &counting, count, keep_counts, &job);
    if (result != RN_OK) return result;
    out->entry_count = 0;
    for (uint32_t i = 0; i < count; i++) out->entry_count += job.counts[i];
    return RN_OK;
}

static rn_result make_csr(rni_finder *finder, const rni_find *find, uint32_t count,
                          rni_list_plan plan, rni_lists *out)
{
    rni_search_env *env = finder->env;
    uint64_t limit = rni_memory_limit(env->def);
    rn_result result =
        rni_buffer_need(env->memory, &out->start, (uint64_t)count + 1, sizeof(uint64_t));
    uint64_t guess = 0;
    if (result == RN_OK) result = guess_entries(finder, find, count, &guess);
    if (result != RN_OK) return result;
    result = make_counts(finder, find, count, out);
    if (result != RN_OK) return result;
    if (out->entry_count > limit / sizeof(uint32_t)) return refuse_size(out->entry_count, limit);
    rni_offsets(env->crew, count, out->counts.data, out->start.data);
    result = rni_buffer_need(env->memory, &out->index, out->entry_count, sizeof(uint32_t));
    if (result != RN_OK) return result;
    row_job job = {.start = out->start.data, .index = out->index.data, .plan = plan};
    return rni_for_blocks(finder, find, count, keep_rows, &job);
}

rn_result rni_lists_make(rni_finder *finder, uint32_t set, uint32_t searched, uint32_t count,
                         rni_list_plan plan, rni_lists *out)
{
    rni_find find = {set, searched, RNI_WANT_INDEX, rni_leaves_out(set, searched, plan.lists)};
    rni_lists_clear(out);
    if (count == 0) return RN_OK;
    rn_result result = RN_OK;
    out->has_index = plan.lists != RN_LISTS_COUNTS;
    out->is_csr = plan.layout == RN_LAYOUT_CSR || plan.order == RN_ORDER_INDEX;
    if (!out->has_index) result = make_counts(finder, &find, count, out);
    else if (out->is_csr) result = make_csr(finder, &find, count, plan, out);
    else result = make_spans(finder, &find, count, out);
    if (result == RN_OK) out->count = count;
    else rni_lists_clear(out);
    return result;
}

rn_result rni_lists_make_empty(rni_memory *memory, uint32_t count, rni_list_plan plan, rni_lists *out)
{
    rni_lists_clear(out);
    out->has_index = plan.lists != RN_LISTS_COUNTS;
    out->is_csr = plan.layout == RN_LAYOUT_CSR || plan.order == RN_ORDER_INDEX;
    struct {
        rni_buffer *buffer;
        uint64_t count;
        size_t bytes;
    } needs[] = {{&out->counts, count, sizeof(uint32_t)},
                 {&out->span, count, sizeof(rn_span)},
                 {&out->start, (uint64_t)count + 1, sizeof(uint64_t)},
                 {&out->index, 1, sizeof(uint32_t)}};
    for (size_t n = 0; n < sizeof needs / sizeof *needs; n++) {
        rn_result result = rni_buffer_need(memory, needs[n].buffer, needs[n].count, needs[n].bytes);
        if (result != RN_OK) return result;
        memset(needs[n].buffer->data, 0, (size_t)(needs[n].count * needs[n].bytes));
    }
    out->count = count;
    return RN_OK;
}

void rni_lists_clear(rni_lists *lists)
{
    lists->count = 0;
    lists->entry_count = 0;
}

void rni_lists_free(rni_memory *memory, rni_lists *lists)
{
    rni_buffer_free(memory, &lists->index);
    rni_buffer_free(memory, &lists->span);
    rni_buffer_free(memory, &lists->start);
    rni_buffer_free(memory, &lists->counts);
    rni_lists_clear(lists);
}

uint64_t rni_lists_bytes(const rni_lists *lists)
{
    return lists->index.bytes + lists->span.bytes + lists->start.bytes + lists->counts.bytes;
}

rn_neighbors rni_lists_view(const rni_lists *lists)
{
    rn_neighbors view = {.count = lists->count, .entry_count = lists->entry_count};
    if (lists->count == 0) return view;
    if (!lists->has_index) {
        view.counts = lists->counts.data;
        return view;
    }
    view.index = lists->index.data;
    if (lists->is_csr) view.start = lists->start.data;
    else view.span = lists->span.data;
    return view;
}

static bool has_entry(rn_list list, uint32_t i)
{
    for (uint32_t k = 0; k < list.count; k++)
        if (list.index[k] == i) return true;
    return false;
}

static const char *validate_list(rn_list list, uint32_t i, rni_list_plan plan,
                                 uint32_t searched_count, bool is_own)
{
    for (uint32_t k = 0; k < list.count; k++) {
        const uint32_t j = list.index[k];
        if (j >= searched_count) return "an entry is not below the number of points";
        if (is_own && j == i) return "a point is its own neighbour";
        if (is_own && plan.lists == RN_LISTS_HALF && j < i)
            return "a half list contains a smaller index";
        if (plan.order == RN_ORDER_INDEX && k > 0 && list.index[k - 1] >= j)
            return "a list is not in ascending index order";
    }
    return NULL;
}

#define SYMMETRY_SAMPLES 64u

const char *rni_validate_lists(const rni_lists *lists, rni_list_plan plan, uint32_t searched_count,
                               bool is_own, bool is_symmetric)
{
    const rn_neighbors n = rni_lists_view(lists);
    uint64_t total = 0;
    for (uint32_t i = 0; i < n.count; i++) {
        const rn_list list = rn_neighbors_get_list(&n, i);
        total += list.count;
        const char *flaw = n.index ? validate_list(list, i, plan, searched_count, is_own) : NULL;
        if (flaw) return flaw;
    }
    if (total != n.entry_count) return "the list lengths do not add up to the entry count";
    if (!n.index || !is_own || !is_symmetric || plan.lists != RN_LISTS_FULL) return NULL;
    for (uint32_t i = 0; i < n.count; i += n.count / SYMMETRY_SAMPLES + 1) {
        const rn_list list = rn_neighbors_get_list(&n, i);
        for (uint32_t k = 0; k < list.count; k++)
            if (!has_entry(rn_neighbors_get_list(&n, list.index[k]), i))
                return "a point is not in the list of its neighbour";
    }
    return NULL;
}
