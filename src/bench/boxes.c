#include "bench/boxes.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- our own methods --------------------------------------------------------------------------- */

/* One method in a case. */
typedef struct runner {
    rn_broadphase *phase;
    double spent; /* seconds, all repetitions */
    bool is_done;
} runner;

static rn_boxes boxes_of(const rni_box_case *boxes)
{
    return (rn_boxes){.low = boxes->low, .high = boxes->high, .count = boxes->count};
}

static bool is_hopeless(const rn_broadphase_method_info *info, const rni_box_case *boxes)
{
    uint64_t times = boxes->queries.count / 65536u + 1;
    return info->is_quadratic && times * boxes->count > RNI_BOX_BRUTE_LIMIT;
}

/* One repetition: everything for pairs, the queries alone for queries. */
static rn_result repeat(rn_broadphase *phase, const rni_box_plan *plan, const rni_box_case *boxes,
                        uint64_t *found, double *seconds)
{
    rn_boxes ours = boxes_of(boxes);
    double begin = rni_seconds();
    rn_result result;
    if (boxes->queries.count == 0) {
        rn_pairs pairs = {0};
        result = rn_broadphase_update(phase, &ours);
        if (result == RN_OK) result = rn_broadphase_find_pairs(phase, &pairs);
        *found = pairs.count;
    } else if (plan->wants_lists) {
        rn_hits hits = {0};
        result = rn_broadphase_query(phase, &boxes->queries, &hits);
        *found = hits.entry_count;
    } else {
        result = rn_broadphase_count_hits(phase, &boxes->queries, NULL, found);
    }
    *seconds = rni_seconds() - begin;
    return result;
}

/* A method that reuses the last step forgets it. */
static rn_result start_anew(rn_broadphase *phase)
{
    rn_boxes nothing = {0};
    return rn_broadphase_update(phase, &nothing);
}

static rn_result warm_up(const rni_box_plan *plan, const rni_box_case *boxes, uint32_t method,
                         runner *run, rni_box_row *row)
{
    const rn_broadphase_method_info *info = rn_broadphase_get_method_info(method);
    rn_broadphase_def def = plan->def;
    def.method = info->method;
    def.threads = row->threads;
    snprintf(row->method, sizeof row->method, "%s", info->name);
    row->is_default = method == 0;
    row->is_exact = true;
    if (is_hopeless(info, boxes)) {
        row->skipped = "tests every pair: skipped for so many boxes";
        run->is_done = true;
        return RN_OK;
    }
    rn_boxes ours = boxes_of(boxes);
    double seconds;
    rn_result result = rn_broadphase_create(&def, &run->phase);
    if (result == RN_OK) result = rn_broadphase_update(run->phase, &ours);
    if (result == RN_OK) result = repeat(run->phase, plan, boxes, &row->found, &seconds);
    if (result != RN_OK) return result;
    rn_broadphase_stats stats = rn_broadphase_stats_default();
    rn_broadphase_get_stats(run->phase, &stats);
    row->cpu = rn_cpu_level_name(stats.cpu);
    row->threads = stats.threads;
    row->build_ms = stats.build_ms;
    row->check_ms = stats.check_ms;
    return RN_OK;
}

static rn_result measure_once(const rni_box_plan *plan, const rni_box_case *boxes, runner *run,
                              rni_box_row *row)
{
    uint64_t found;
    double seconds;
    rn_result result = RN_OK;
    rn_broadphase_stats before = rn_broadphase_stats_default();
    rn_broadphase_get_stats(run->phase, &before);
    if (plan->move == 0 && before.method == RN_BROADPHASE_SWEEP_AND_PRUNE && boxes->queries.count == 0)
        result = start_anew(run->phase);
    if (result == RN_OK) result = repeat(run->phase, plan, boxes, &found, &seconds);
    if (result != RN_OK) return result;
    run->spent += seconds;
    row->reps++;
    if (row->reps == 1 || seconds * 1e3 < row->ms) {
        rn_broadphase_stats stats = rn_broadphase_stats_default();
        rn_broadphase_get_stats(run->phase, &stats);
        bool is_queries = boxes->queries.count > 0;
        row->ms = seconds * 1e3;
        row->check_ms = stats.check_ms;
        row->build_ms = stats.build_ms;
        row->find_ms = is_queries ? stats.query_ms : stats.pairs_ms;
        row->bytes = stats.held_bytes;
        row->result_bytes = stats.result_bytes;
        row->candidates = is_queries ? stats.query_candidate_count : stats.candidate_count;
        row->visited = is_queries ? stats.query_visited_count : stats.visited_count;
        row->levels = stats.level_count;
        row->order_reused = stats.order_reused;
        memcpy(row->choice, stats.choice, sizeof row->choice);
    }
    run->is_done = (row->reps >= plan->reps && run->spent >= plan->seconds) ||
                   run->spent >= plan->limit_seconds;
    return RN_OK;
}

static void move_boxes(const rni_box_case *boxes, uint32_t dim, double amount, rni_random *random)
{
    for (size_t k = 0; k < (size_t)boxes->count * dim; k++) {
        float step = rni_random_float(random, (float)-amount, (float)amount);
        boxes->low[k] += step;
        boxes->high[k] += step;
    }
}

static rn_result measure(const rni_box_plan *plan, const rni_box_case *boxes, rni_box_row *rows)
{
    runner runners[RNI_BOX_MAX_METHODS] = {{0}};
    rni_random random = rni_random_make(7);
    rn_result result = RN_OK;
    for (uint32_t m = 0; m < plan->method_count && result == RN_OK; m++)
        result = warm_up(plan, boxes, plan->methods[m], &runners[m], &rows[m]);
    for (bool is_busy = true; is_busy && result == RN_OK;) {
        is_busy = false;
        if (plan->move > 0) move_boxes(boxes, plan->def.dim, plan->move, &random);
        for (uint32_t m = 0; m < plan->method_count && result == RN_OK; m++) {
            if (runners[m].is_done) continue;
            is_busy = true;
            result = measure_once(plan, boxes, &runners[m], &rows[m]);
        }
    }
    for (uint32_t m = 0; m < plan->method_count; m++) rn_broadphase_destroy(runners[m].phase);
    return result;
}

static void compare_found(rni_box_row *rows, uint32_t count)
{
    const rni_box_row *first = NULL;
    for (uint32_t r = 0; r < count; r++) {
        if (rows[r].skipped) continue;
        if (!first) first = &rows[r];
        rows[r].disagrees = rows[r].found != first->found;
    }
}

/* --- peers ------------------------------------------------------------------------------------- */

/* What a user would take instead; see bench/peers/. */
static const struct {
    const char *name;
    bool is_threaded, answers_queries;
} peers[] = {
    {"cgal-box", false, true},       {"bullet", false, true}, {"boost-rtree", false, true},
    {"cgal-delaunay", false, false}, {"embree", true, true},
};
#define PEER_COUNT (sizeof peers / sizeof *peers)

static bool ask_peer(const rni_box_plan *plan, const rni_box_case *boxes, uint32_t peer,
                     rni_box_row *row, char reason[RNI_REASON_BYTES])
{
    char answer[1024];
    snprintf(row->method, sizeof row->method, "peer:%s", peers[peer].name);
    row->is_peer = true;
    row->is_default = false;
    if (!peers[peer].is_threaded) row->threads = 1;
    const rn_queries *q = &boxes->queries;
    rni_box_peer_header header = {"runnelb",  plan->def.dim, boxes->count,  row->threads,
                                  plan->reps, q->count,      plan->seconds, plan->limit_seconds};
    size_t bytes = (size_t)boxes->count * plan->def.dim * sizeof(float);
    size_t query_bytes = (size_t)q->count * plan->def.dim * sizeof(float);
    const rni_peer_span spans[] = {{&header, sizeof header},
                                   {boxes->low, bytes},
                                   {boxes->high, bytes},
                                   {q->a, query_bytes},
                                   {q->b, query_bytes}};
    if (!rni_peer_ask(peers[peer].name, spans, q->count ? 5 : 3, answer, sizeof answer, reason))
        return false;
    row->found = (uint64_t)rni_peer_member(answer, q->count ? "hits" : "pairs");
    row->ms = rni_peer_member(answer, "ms");
    row->bytes = (uint64_t)rni_peer_member(answer, "bytes");
    row->reps = (uint32_t)rni_peer_member(answer, "reps");
    row->is_exact = !(rni_peer_member(answer, "exact") == 0.0);
    if (!isnan(row->ms)) return true;
    snprintf(reason, RNI_REASON_BYTES, "the peer %s reported no times", peers[peer].name);
    return false;
}

/* ours is the first row of our methods, which peers are compared with; NULL: it was not measured. */
static void run_peers(rni_box_plan *plan, const rni_box_case *boxes, const rni_box_row *model,
                      const rni_box_row *ours, rni_box_result *result)
{
    for (uint32_t p = 0; p < PEER_COUNT; p++) {
        rni_box_row *row = &result->row[result->row_count];
        *row = *model;
        row->is_exact = false;
        if (boxes->queries.count && !peers[p].answers_queries) continue;
        if (boxes->queries.count && plan->kind != RN_QUERY_BOX) continue;
        if (!peers[p].is_threaded && model->threads > 1) continue; /* once is enough */
        if (plan->missing_peers >> p & 1u) continue;
        if (!ask_peer(plan, boxes, p, row, result->missing[result->missing_count])) {
            plan->missing_peers |= 1u << p;
            result->missing_count++;
            continue;
        }
        if (ours && !row->is_exact)
            row->missed = ours->found > row->found ? ours->found - row->found : 0;
        row->disagrees = ours && row->is_exact && row->found != ours->found;
        result->row_count++;
    }
}

/* --- one case ---------------------------------------------------------------------------------- */

rn_result rni_bench_boxes(rni_box_plan *plan, const rni_box_case *boxes, uint32_t threads,
                          rni_box_result *result)
{
    const rni_box_row model = {.threads = threads ? threads : rn_cpu_count(),
                               .boxes = boxes->count,
                               .queries = boxes->queries.count,
                               .layout = boxes->layout,
                               .density = boxes->density};
    result->row_count = plan->method_count;
    result->missing_count = 0;
    for (uint32_t m = 0; m < plan->method_count; m++) result->row[m] = model;
    rn_result code = measure(plan, boxes, result->row);
    if (code != RN_OK) {
        char reason[512];
        snprintf(reason, sizeof reason, "%s", rn_last_error());
        return rni_fail(code, "%u boxes, %s: %s", boxes->count, boxes->layout, reason);
    }
    compare_found(result->row, plan->method_count);
    bool is_first_measured = plan->method_count > 0 && !result->row[0].skipped;
    if (plan->has_peers && plan->move == 0)
        run_peers(plan, boxes, &model, is_first_measured ? result->row : NULL, result);
    return RN_OK;
}

rn_result rni_bench_box_pairs(rni_box_plan *plan, const rni_box_set *set, uint32_t threads,
                              rni_box_result *result)
{
    uint32_t dim = plan->def.dim;
    size_t bytes = (size_t)set->count * dim * sizeof(float);
    rni_box_case boxes = {.low = malloc(bytes),
                          .high = malloc(bytes),
                          .count = set->count,
                          .layout = rni_box_layout_name(set->layout),
                          .density = set->density};
    rn_result code = RN_OK;
    if (!boxes.low || !boxes.high)
        code = rni_fail(RN_ERROR_MEMORY, "no memory for %u boxes", set->count);
    else rni_box_layout_fill(set->layout, dim, set->count, set->density, boxes.low, boxes.high);
    if (code == RN_OK) code = rni_bench_boxes(plan, &boxes, threads, result);
    free(boxes.low);
    free(boxes.high);
    return code;
}

/* --- queries ----------------------------------------------------------------------------------- */

void rni_box_queries_release(rni_box_queries *queries)
{
    free(queries->from);
    free(queries->to);
    free(queries->radius);
    *queries = (rni_box_queries){0};
}

rn_result rni_box_queries_make(rn_query_kind kind, uint32_t dim, uint32_t count,
                               rni_box_queries *queries)
{
    size_t bytes = (size_t)count * dim * sizeof(float);
    float *from = malloc(bytes), *to = malloc(bytes), *radius = malloc(count * sizeof(float));
    *queries = (rni_box_queries){
        from, to, radius, {.kind = kind, .count = count, .a = from, .b = to, .radius = radius}};
    if (!from || !to || !radius) {
        rni_box_queries_release(queries);
        return rni_fail(RN_ERROR_MEMORY, "no memory for %u queries", count);
    }
    rni_segment_scene_fill(dim, count, 12, from, to);
    for (uint32_t k = 0; k < count; k++) radius[k] = 8.0f;
    for (size_t k = 0; kind == RN_QUERY_BOX && k < (size_t)count * dim; k++) {
        float a = from[k], b = to[k];
        from[k] = a < b ? a : b;
        to[k] = a < b ? b : a;
    }
    return RN_OK;
}

rn_result rni_bench_box_queries(rni_box_plan *plan, uint32_t count, const rn_queries *queries,
                                uint32_t threads, rni_box_result *result)
{
    size_t bytes = (size_t)count * plan->def.dim * sizeof(float);
    rni_box_case boxes = {.low = malloc(bytes),
                          .high = malloc(bytes),
                          .count = count,
                          .layout = "figure-4",
                          .queries = *queries};
    rn_result code = RN_OK;
    if (!boxes.low || !boxes.high)
        code = rni_fail(RN_ERROR_MEMORY, "no memory for %u boxes", count);
    else rni_box_scene_fill(plan->def.dim, count, 11, boxes.low, boxes.high);
    if (code == RN_OK) code = rni_bench_boxes(plan, &boxes, threads, result);
    free(boxes.low);
    free(boxes.high);
    return code;
}
