/* From the blocks of a method to the hits a caller sees: as lists, counted, or visited. */
#include "broadphase/ingest.h"
#include "broadphase/phase.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/sort.h"

typedef struct rni_hit_job {
    rn_broadphase *phase;
    const rni_queries *queries;
    const rni_filter *filter; /* NULL: all boxes count */
    bool is_list;
    rn_hit_visit_fn visit; /* NULL: only counted, or lists */
    void *user;
    uint32_t *counts; /* owned by the caller; may be NULL */
    uint64_t *start;  /* lists: count of query k in start[k + 1] */
    rni_part *parts;  /* lists: one per block */
    rni_failure failure;
} rni_hit_job;

rn_result rni_hit_reserve(rni_hit_sink *sink, uint64_t more)
{
    if (sink->capacity - sink->used >= more) return RN_OK;
    rn_broadphase *phase = sink->job->phase;
    uint64_t capacity = sink->used + sink->used / 2 + more + 1024;
    if (!rni_results_fit(phase, (capacity - sink->capacity) * sizeof(uint32_t)))
        return rni_results_too_large(phase, "hits", sink->used);
    rn_result result = rni_buffer_grow(&phase->memory, &sink->buffer, capacity, sizeof(uint32_t));
    if (result != RN_OK) return result;
    sink->index = sink->buffer.data;
    sink->capacity = sink->buffer.bytes / sizeof(uint32_t);
    return RN_OK;
}

static uint32_t stamp(const unsigned char *array, size_t stride, uint32_t k, uint32_t otherwise)
{
    if (!array) return otherwise;
    uint32_t value;
    memcpy(&value, array + k * stride, sizeof value);
    return value;
}

/* Removes hits that the filter excludes. */
static void filter_block(const rni_hit_job *job, rni_hit_sink *sink, uint64_t begin, uint32_t first,
                         uint32_t count)
{
    const rn_broadphase *phase = job->phase;
    const rni_filter *filter = job->filter;
    const uint32_t *category = phase->has_filter ? phase->category.data : NULL;
    const uint32_t *mask = phase->has_filter ? phase->mask.data : NULL;
    uint64_t from = begin, to = begin;
    for (uint32_t k = 0; k < count; k++) {
        uint64_t end = from + sink->counts[k], row = to;
        bool has_mask = filter->query_mask != 0; /* a query has no category of its own */
        uint32_t theirs =
            has_mask ? UINT32_MAX : stamp(filter->category, filter->category_stride, first + k, 1);
        uint32_t wanted = has_mask ? filter->query_mask
                                   : stamp(filter->mask, filter->mask_stride, first + k, UINT32_MAX);
        for (; from < end; from++) {
            uint32_t j = sink->index[from];
            uint32_t ours = category ? category[j] : 1;
            uint32_t welcome = mask && !has_mask ? mask[j] : UINT32_MAX;
            sink->index[to] = j;
            to += (ours & wanted) != 0 && (theirs & welcome) != 0;
        }
        sink->counts[k] = (uint32_t)(to - row);
    }
    sink->used = to;
}

/* Sorts each list in ascending order. */
static rn_result sort_block(rni_hit_sink *sink, uint64_t begin, uint32_t count)
{
    uint32_t longest = 0;
    for (uint32_t k = 0; k < count; k++)
        longest = sink->counts[k] > longest ? sink->counts[k] : longest;
    rn_result result = rni_hit_reserve(sink, longest);
    if (result != RN_OK) return result;
    for (uint32_t k = 0; k < count; k++) {
        if (sink->counts[k] > 1)
            rni_sort_list(sink->index + begin, sink->counts[k], sink->index + sink->used);
        begin += sink->counts[k];
    }
    return RN_OK;
}

static rn_result ask_block(rni_hit_job *job, rni_hit_sink *sink, uint32_t first, uint32_t count)
{
    rn_broadphase *phase = job->phase;
    uint64_t begin = sink->used;
    if (phase->count == 0) { /* no boxes, possibly after a failed build */
        memset(sink->counts, 0, sizeof sink->counts);
        return RN_OK;
    }
    rn_result result =
        phase->method->query(phase->state, job->queries, first, count, sink->worker, sink);
    if (result != RN_OK) return result;
    if (job->filter) filter_block(job, sink, begin, first, count);
    if (sink->wants_index && phase->def.order == RN_PAIRS_SORTED && (job->is_list || job->visit))
        result = sort_block(sink, begin, count);
    return result;
}

static void ask_piece(void *data, uint32_t piece, uint32_t worker)
{
    rni_hit_job *job = data;
    if (job->failure.result) return;
    rni_hit_sink *sink = &job->phase->hit_sinks[worker];
    uint32_t first = piece * RNI_QUERY_BLOCK;
    uint32_t left = job->queries->count - first;
    uint32_t count = left < RNI_QUERY_BLOCK ? left : RNI_QUERY_BLOCK;
    uint64_t begin = sink->used;
    rn_result result = ask_block(job, sink, first, count);
    rni_failure_keep(&job->failure, result);
    if (result != RN_OK) return;
    uint64_t sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t here = sink->counts[k];
        if (job->counts) job->counts[first + k] = here;
        if (job->is_list) job->start[first + k + 1] = here;
        if (job->visit) job->visit(job->user, first + k, sink->index + begin + sum, here, worker);
        sum += here;
    }
    sink->total += sum;
    if (job->is_list) job->parts[piece] = (rni_part){worker, begin, sum, 0};
    else sink->used = 0;
}

static rn_result ask_all(rni_hit_job *job, uint64_t *total)
{
    rn_broadphase *phase = job->phase;
    uint32_t pieces = rni_piece_count(job->queries->count, RNI_QUERY_BLOCK);
    for (uint32_t w = 0; w < phase->worker_count; w++) {
        rni_hit_sink *sink = &phase->hit_sinks[w];
        sink->index = sink->buffer.data;
        sink->capacity = sink->buffer.bytes / sizeof(uint32_t);
        sink->used = 0;
        sink->total = 0;
        sink->candidate_count = 0;
        sink->visited_count = 0;
        sink->wants_index = job->is_list || job->visit || job->filter;
        sink->job = job;
        sink->worker = w;
    }
    rni_crew_pieces(phase->crew, pieces, ask_piece, job);
    rn_result result = rni_failure_raise(&job->failure);
    rn_broadphase_stats *stats = &phase->stats;
    stats->query_count = job->queries->count;
    stats->hit_count = 0;
    stats->query_candidate_count = 0;
    stats->query_visited_count = 0;
    for (uint32_t w = 0; w < phase->worker_count; w++) {
        stats->hit_count += phase->hit_sinks[w].total;
        stats->query_candidate_count += phase->hit_sinks[w].candidate_count;
        stats->query_visited_count += phase->hit_sinks[w].visited_count;
    }
    *total = result == RN_OK ? stats->hit_count : 0;
    return result;
}

/* --- lists ------------------------------------------------------------------------------------- */

typedef struct place_job {
    rn_broadphase *phase;
    uint32_t count;
    const rni_part *parts;
    uint64_t *start;
    uint32_t *to; /* NULL: the hits are already in place */
} place_job;

static void place_block(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const place_job *job = data;
    const rni_part *part = &job->parts[piece];
    uint32_t first = piece * RNI_QUERY_BLOCK;
    uint32_t last = job->count - first < RNI_QUERY_BLOCK ? job->count : first + RNI_QUERY_BLOCK;
    uint64_t place = part->place;
    for (uint32_t k = first; k < last; k++) {
        place += job->start[k + 1];
        job->start[k + 1] = place;
    }
    if (job->to && part->count > 0)
        memcpy(job->to + part->place, job->phase->hit_sinks[part->worker].index + part->begin,
               part->count * sizeof(uint32_t));
}

static rn_result place_lists(rn_broadphase *phase, uint32_t count, uint64_t total, rn_hits *out)
{
    const uint32_t *index = NULL;
    if (total > 0 && phase->hit_sinks[0].used == total)
        index = phase->hit_sinks[0].index; /* the first worker's hits are in block order */
    place_job job = {.phase = phase, .count = count, .start = phase->hit_start.data};
    if (total > 0 && !index) {
        if (phase->hit_index.bytes < total * sizeof(uint32_t) &&
            !rni_results_fit(phase, total * sizeof(uint32_t)))
            return rni_results_too_large(phase, "hits", total);
        rn_result result =
            rni_buffer_need(&phase->memory, &phase->hit_index, total, sizeof(uint32_t));
        if (result != RN_OK) return result;
        job.to = phase->hit_index.data;
        index = job.to;
    }
    rni_part *parts = phase->parts.data;
    uint32_t pieces = rni_piece_count(count, RNI_QUERY_BLOCK);
    uint64_t place = 0;
    for (uint32_t p = 0; p < pieces; p++) {
        parts[p].place = place;
        place += parts[p].count;
    }
    job.parts = parts;
    job.start[0] = 0;
    rni_crew_pieces(phase->crew, pieces, place_block, &job);
    *out = (rn_hits){count, total, job.start, index};
    return RN_OK;
}

rn_result rni_hits_list(rn_broadphase *phase, const rni_queries *queries, const rni_filter *filter,
                        rn_hits *out)
{
    *out = (rn_hits){0};
    uint32_t pieces = rni_piece_count(queries->count, RNI_QUERY_BLOCK);
    if (rni_buffer_need(&phase->memory, &phase->parts, (uint64_t)pieces + 1, sizeof(rni_part)) ||
        rni_buffer_need(&phase->memory, &phase->hit_start, (uint64_t)queries->count + 1,
                        sizeof(uint64_t)))
        return RN_ERROR_MEMORY;
    rni_hit_job job = {.phase = phase, .queries = queries, .filter = filter, .is_list = true};
    job.start = phase->hit_start.data;
    job.parts = phase->parts.data;
    uint64_t total = 0;
    rn_result result = ask_all(&job, &total);
    return result == RN_OK ? place_lists(phase, queries->count, total, out) : result;
}

/* --- public functions
 * -------------------------------------------------------------------------- */

/* Skips the filter for a mask that all boxes match: queries of boxes without categories. */
static rn_result begin_queries(rn_broadphase *phase, const rn_queries *queries, rni_queries *ours,
                               rni_filter *filter, bool *is_filtered)
{
    if (!phase || !queries)
        return rni_fail(RN_ERROR_ARGUMENT, "phase and queries must not be NULL");
    *filter = (rni_filter){.query_mask = queries->mask};
    *is_filtered = queries->mask != 0 && (phase->has_filter || !(queries->mask & 1u));
    return rni_ingest_box_queries(phase->crew, phase->def.dim, queries, ours);
}

rn_result rn_broadphase_query(rn_broadphase *phase, const rn_queries *queries, rn_hits *out)
{
    if (!out) return rni_fail(RN_ERROR_ARGUMENT, "hits must not be NULL");
    *out = (rn_hits){0};
    double begin = rni_seconds();
    rni_queries ours;
    rni_filter filter;
    bool is_filtered;
    rn_result result = begin_queries(phase, queries, &ours, &filter, &is_filtered);
    if (result != RN_OK) return result;
    result = rni_hits_list(phase, &ours, is_filtered ? &filter : NULL, out);
    phase->stats.query_ms = 1e3 * (rni_seconds() - begin);
    return result;
}

rn_result rn_broadphase_count_hits(rn_broadphase *phase, const rn_queries *queries,
                                   uint32_t *counts, uint64_t *total)
{
    double begin = rni_seconds();
    rni_queries ours;
    rni_filter filter;
    bool is_filtered;
    if (total) *total = 0;
    rn_result result = begin_queries(phase, queries, &ours, &filter, &is_filtered);
    if (result != RN_OK) return result;
    rni_hit_job job = {.phase = phase, .queries = &ours, .counts = counts};
    job.filter = is_filtered ? &filter : NULL;
    uint64_t sum = 0;
    result = ask_all(&job, &sum);
    if (total) *total = sum;
    phase->stats.query_ms = 1e3 * (rni_seconds() - begin);
    return result;
}

rn_result rn_broadphase_visit_hits(rn_broadphase *phase, const rn_queries *queries,
                                   rn_hit_visit_fn visit, void *user)
{
    if (!visit) return rni_fail(RN_ERROR_ARGUMENT, "visit must not be NULL");
    double begin = rni_seconds();
    rni_queries ours;
    rni_filter filter;
    bool is_filtered;
    rn_result result = begin_queries(phase, queries, &ours, &filter, &is_filtered);
    if (result != RN_OK) return result;
    rni_hit_job job = {.phase = phase, .queries = &ours, .visit = visit, .user = user};
    job.filter = is_filtered ? &filter : NULL;
    uint64_t sum = 0;
    result = ask_all(&job, &sum);
    phase->stats.query_ms = 1e3 * (rni_seconds() - begin);
    return result;
}
