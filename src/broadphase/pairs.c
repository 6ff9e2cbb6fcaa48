/* From the pieces of a method to the pairs a caller sees: as a list, counted, or visited. */
#include "broadphase/ingest.h"
#include "broadphase/phase.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/sort.h"

/* Pairs a worker collects before they are visited or counted. */
#define BATCH 4096u

typedef struct rni_pair_job {
    rn_broadphase *phase;
    bool is_list;
    rn_pair_visit_fn visit; /* NULL: only counted, or a list */
    void *user;
    rni_part *parts; /* one per piece; lists only */
    rni_failure failure;
} rni_pair_job;

/* Removes new pairs that categories and masks exclude. */
static void filter_pairs(rni_pair_sink *sink)
{
    const rn_broadphase *phase = sink->job->phase;
    if (!phase->has_filter) {
        sink->kept = sink->used;
        return;
    }
    const uint32_t *category = phase->category.data, *mask = phase->mask.data;
    uint64_t to = sink->kept;
    for (uint64_t k = sink->kept; k < sink->used; k++) {
        rn_pair pair = sink->pair[k];
        sink->pair[to] = pair;
        to += (category[pair.a] & mask[pair.b]) != 0 && (category[pair.b] & mask[pair.a]) != 0;
    }
    sink->used = to;
    sink->kept = to;
}

/* Empties the buffer of counted or visited pairs. */
static void hand_over(rni_pair_sink *sink)
{
    rni_pair_job *job = sink->job;
    filter_pairs(sink);
    if (job->is_list) return;
    for (uint64_t k = 0; job->visit && k < sink->used; k += BATCH) {
        uint64_t count = sink->used - k < BATCH ? sink->used - k : BATCH;
        job->visit(job->user, sink->pair + k, (uint32_t)count, sink->worker);
    }
    sink->total += sink->used;
    sink->used = 0;
    sink->kept = 0;
}

rn_result rni_pair_reserve(rni_pair_sink *sink, uint64_t more)
{
    if (sink->capacity - sink->used >= more) return RN_OK;
    if (sink->used > 0 && sink->job) hand_over(sink);
    if (sink->capacity - sink->used >= more) return RN_OK;
    uint64_t capacity = sink->used + sink->used / 2;
    if (capacity < sink->used + more) capacity = sink->used + more;
    if (capacity < BATCH) capacity = BATCH;
    const rn_broadphase *phase = sink->job ? sink->job->phase : NULL;
    if (phase && sink->job->is_list &&
        !rni_results_fit(phase, (capacity - sink->capacity) * sizeof(rn_pair)))
        return rni_results_too_large(phase, "pairs", sink->used + sink->total);
    rn_result result = rni_buffer_grow(sink->memory, &sink->buffer, capacity, sizeof(rn_pair));
    if (result != RN_OK) return result;
    sink->pair = sink->buffer.data;
    sink->capacity = sink->buffer.bytes / sizeof(rn_pair);
    return RN_OK;
}

static void find_piece(void *data, uint32_t piece, uint32_t worker)
{
    rni_pair_job *job = data;
    if (job->failure.result) return;
    rn_broadphase *phase = job->phase;
    rni_pair_sink *sink = &phase->pair_sinks[worker];
    uint64_t begin = sink->used;
    rn_result result = phase->method->pairs(phase->state, piece, worker, sink);
    rni_failure_keep(&job->failure, result);
    if (result != RN_OK) return;
    if (job->is_list) {
        filter_pairs(sink);
        job->parts[piece] = (rni_part){worker, begin, sink->used - begin, 0};
    } else if (sink->used > BATCH / 2) {
        hand_over(sink);
    }
}

static void begin_sinks(rni_pair_job *job)
{
    rn_broadphase *phase = job->phase;
    for (uint32_t w = 0; w < phase->worker_count; w++) {
        rni_pair_sink *sink = &phase->pair_sinks[w];
        rni_buffer buffer = sink->buffer;
        *sink = (rni_pair_sink){.job = job, .worker = w, .memory = &phase->memory, .buffer = buffer};
        sink->pair = buffer.data;
        sink->capacity = buffer.bytes / sizeof(rn_pair);
    }
}

static uint64_t end_sinks(rni_pair_job *job)
{
    rn_broadphase_stats *stats = &job->phase->stats;
    stats->candidate_count = 0;
    stats->visited_count = 0;
    stats->collision_count = 0;
    stats->early_end_count = 0;
    uint64_t total = 0;
    for (uint32_t w = 0; w < job->phase->worker_count; w++) {
        rni_pair_sink *sink = &job->phase->pair_sinks[w];
        if (!job->is_list && !job->failure.result) hand_over(sink);
        total += sink->total + sink->used;
        stats->candidate_count += sink->candidate_count;
        stats->visited_count += sink->visited_count;
        stats->collision_count += sink->collision_count;
        stats->early_end_count += sink->early_end_count;
    }
    return total;
}

/* Runs all pieces. */
static rn_result find_all(rni_pair_job *job, uint64_t *total)
{
    rn_broadphase *phase = job->phase;
    double begin = rni_seconds();
    uint32_t pieces = phase->count > 1 ? phase->method->pair_pieces(phase->state) : 0;
    *total = 0;
    phase->stats.pair_count = 0;
    if (job->is_list) {
        rn_result result =
            rni_buffer_need(&phase->memory, &phase->parts, (uint64_t)pieces + 1, sizeof(rni_part));
        if (result != RN_OK) return result;
        job->parts = phase->parts.data;
    }
    begin_sinks(job);
    rni_crew_pieces(phase->crew, pieces, find_piece, job);
    uint64_t found = end_sinks(job);
    rn_result result = rni_failure_raise(&job->failure);
    phase->stats.pairs_ms = 1e3 * (rni_seconds() - begin);
    if (result != RN_OK) return result;
    *total = found;
    phase->stats.pair_count = found;
    return RN_OK;
}

/* --- lists ------------------------------------------------------------------------------------- */

typedef struct gather_job {
    const rn_broadphase *phase;
    const rni_part *parts;
    rn_pair *to;
} gather_job;

static void gather_piece(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const gather_job *job = data;
    const rni_part *part = &job->parts[piece];
    if (part->count == 0) return;
    memcpy(job->to + part->place, job->phase->pair_sinks[part->worker].pair + part->begin,
           part->count * sizeof(rn_pair));
}

/* Concatenates the pairs of all pieces in piece order. The first worker's pairs are already in that
 * order. */
static rn_result gather(rn_broadphase *phase, uint64_t total, const rn_pair **out)
{
    uint32_t pieces = phase->method->pair_pieces(phase->state);
    rni_part *parts = phase->parts.data;
    if (phase->pair_sinks[0].used == total) {
        *out = phase->pair_sinks[0].pair;
        return RN_OK;
    }
    if (!rni_results_fit(phase, total * sizeof(rn_pair)) &&
        phase->pairs.bytes / sizeof(rn_pair) < total)
        return rni_results_too_large(phase, "pairs", total);
    rn_result result = rni_buffer_need(&phase->memory, &phase->pairs, total, sizeof(rn_pair));
    if (result != RN_OK) return result;
    uint64_t place = 0;
    for (uint32_t p = 0; p < pieces; p++) {
        parts[p].place = place;
        place += parts[p].count;
    }
    gather_job job = {phase, parts, phase->pairs.data};
    rni_crew_pieces(phase->crew, pieces, gather_piece, &job);
    *out = phase->pairs.data;
    return RN_OK;
}

rn_result rn_broadphase_find_pairs(rn_broadphase *phase, rn_pairs *out)
{
    if (!phase || !out) return rni_fail(RN_ERROR_ARGUMENT, "phase and pairs must not be NULL");
    *out = (rn_pairs){0};
    double begin = rni_seconds();
    rni_pair_job job = {.phase = phase, .is_list = true};
    uint64_t total = 0;
    rn_result result = find_all(&job, &total);
    if (result != RN_OK || total == 0) return result;
    const rn_pair *pair = NULL;
    result = gather(phase, total, &pair);
    if (result == RN_OK && phase->def.order == RN_PAIRS_SORTED) {
        bool is_ours = pair == phase->pairs.data;
        if (!is_ours) result = rni_buffer_need(&phase->memory, &phase->pairs, total, sizeof *pair);
        if (result == RN_OK) result = rni_pairs_sort(phase, pair, total, phase->pairs.data);
        pair = phase->pairs.data;
    }
    if (result != RN_OK) return result;
    phase->stats.pairs_ms = 1e3 * (rni_seconds() - begin);
    *out = (rn_pairs){pair, total};
    return RN_OK;
}

rn_result rn_broadphase_count_pairs(rn_broadphase *phase, uint64_t *count)
{
    if (!phase || !count) return rni_fail(RN_ERROR_ARGUMENT, "phase and count must not be NULL");
    rni_pair_job job = {.phase = phase};
    return find_all(&job, count);
}

rn_result rn_broadphase_visit_pairs(rn_broadphase *phase, rn_pair_visit_fn visit, void *user)
{
    if (!phase || !visit) return rni_fail(RN_ERROR_ARGUMENT, "phase and visit must not be NULL");
    rni_pair_job job = {.phase = phase, .visit = visit, .user = user};
    uint64_t total;
    return find_all(&job, &total);
}

/* --- order ------------------------------------------------------------------------------------- */

#define SORT_SHARE 4096u /* boxes per piece */

typedef struct sort_job {
    uint32_t count;
    const uint64_t *start; /* end of the row of a, after the scatter */
    uint32_t *list, *scratch;
    rn_pair *to;
} sort_job;

static void sort_rows(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const sort_job *job = data;
    uint32_t first = piece * SORT_SHARE;
    uint32_t last = job->count - first < SORT_SHARE ? job->count : first + SORT_SHARE;
    for (uint32_t a = first; a < last; a++) {
        uint64_t begin = a > 0 ? job->start[a - 1] : 0, end = job->start[a];
        rni_sort_list(job->list + begin, (uint32_t)(end - begin), job->scratch + begin);
        for (uint64_t k = begin; k < end; k++) job->to[k] = (rn_pair){a, job->list[k]};
    }
}

rn_result rni_pairs_sort(rn_broadphase *phase, const rn_pair *from, uint64_t count, rn_pair *to)
{
    rni_memory *memory = &phase->memory;
    if (!from) count = 0; /* no pair was ever found, so there is no pair buffer */
    if (rni_buffer_need(memory, &phase->row_start, (uint64_t)phase->count + 1, sizeof(uint64_t)) ||
        rni_buffer_need(memory, &phase->row_list, count, sizeof(uint32_t)) ||
        rni_buffer_need(memory, &phase->row_scratch, count, sizeof(uint32_t)))
        return RN_ERROR_MEMORY;
    uint64_t *start = phase->row_start.data;
    uint32_t *list = phase->row_list.data;
    memset(start, 0, ((size_t)phase->count + 1) * sizeof *start);
    for (uint64_t k = 0; k < count; k++) start[from[k].a + 1]++;
    for (uint32_t a = 0; a < phase->count; a++) start[a + 1] += start[a];
    for (uint64_t k = 0; k < count; k++) list[start[from[k].a]++] = from[k].b;
    sort_job job = {phase->count, start, list, phase->row_scratch.data, to};
    rni_crew_pieces(phase->crew, rni_piece_count(phase->count, SORT_SHARE), sort_rows, &job);
    return RN_OK;
}

/* --- two sets ---------------------------------------------------------------------------------- */

#define EXPAND_SHARE 4096u

typedef struct expand_job {
    const rn_hits *hits;
    rn_pair *to;
} expand_job;

static void expand(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const expand_job *job = data;
    const rn_hits *hits = job->hits;
    uint32_t first = piece * EXPAND_SHARE;
    uint32_t last = hits->count - first < EXPAND_SHARE ? hits->count : first + EXPAND_SHARE;
    for (uint32_t b = first; b < last; b++)
        for (uint64_t k = hits->start[b]; k < hits->start[b + 1]; k++)
            job->to[k] = (rn_pair){hits->index[k], b};
}

static rn_result find_between(rn_broadphase *phase, const rn_boxes *others, rn_pairs *out)
{
    rni_boxes boxes;
    rni_arena_reset(&phase->arena);
    rn_result result =
        rni_ingest_boxes(phase->crew, &phase->arena, phase->def.dim, others, "others: box", &boxes);
    if (result != RN_OK) return result;
    rni_queries queries = {.kind = RN_QUERY_BOX, .count = others->count, .dim = phase->def.dim};
    queries.boxes = &boxes;
    rni_filter filter = {.category = (const unsigned char *)others->category,
                         .mask = (const unsigned char *)others->mask,
                         .category_stride = others->category_stride_bytes,
                         .mask_stride = others->mask_stride_bytes};
    if (filter.category_stride == 0) filter.category_stride = sizeof(uint32_t);
    if (filter.mask_stride == 0) filter.mask_stride = sizeof(uint32_t);
    bool is_filtered = phase->has_filter || others->category || others->mask;
    rn_hits hits;
    result = rni_hits_list(phase, &queries, is_filtered ? &filter : NULL, &hits);
    if (result != RN_OK || hits.entry_count == 0) return result;
    if (phase->pairs.bytes < hits.entry_count * sizeof(rn_pair) &&
        !rni_results_fit(phase, hits.entry_count * sizeof(rn_pair)))
        return rni_results_too_large(phase, "pairs", hits.entry_count);
    result = rni_buffer_need(&phase->memory, &phase->pairs, hits.entry_count, sizeof(rn_pair));
    if (result != RN_OK) return result;
    expand_job job = {&hits, phase->pairs.data};
    rni_crew_pieces(phase->crew, rni_piece_count(hits.count, EXPAND_SHARE), expand, &job);
    *out = (rn_pairs){phase->pairs.data, hits.entry_count};
    return RN_OK;
}

rn_result rn_broadphase_find_pairs_between(rn_broadphase *phase, const rn_boxes *others, rn_pairs *out)
{
    if (!phase || !others || !out)
        return rni_fail(RN_ERROR_ARGUMENT, "phase, others and pairs must not be NULL");
    *out = (rn_pairs){0};
    double begin = rni_seconds();
    rn_result result = find_between(phase, others, out);
    phase->stats.pairs_ms = 1e3 * (rni_seconds() - begin);
    return result;
}
