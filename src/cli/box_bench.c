#include "cli/box_bench.h"

#include "base/clock.h"
#include "base/random.h"
#include "cli/json.h"
#include "cli/outputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *rni_choice_bench_box_method(uint32_t place)
{
    static const char *const groups[] = {"all", "default"};
    if (place < 2) return groups[place];
    const rn_broadphase_method_info *info = rn_broadphase_get_method_info(place - 2);
    return info ? info->name : NULL;
}

/* What a user would take instead; see bench/peers/. */
static const struct {
    const char *name;
    bool is_threaded, answers_queries;
} peers[] = {
    {"cgal-box", false, true},       {"bullet", false, true}, {"boost-rtree", false, true},
    {"cgal-delaunay", false, false}, {"embree", true, true},
};
#define PEER_COUNT (sizeof peers / sizeof *peers)

static void add_place(uint32_t *list, uint32_t *count, uint32_t place)
{
    for (uint32_t k = 0; k < *count; k++)
        if (list[k] == place) return;
    if (*count < RNI_MAX_LIST) list[(*count)++] = place;
}

rni_box_bench rni_box_bench_begin(const rni_arguments *arguments, int *code)
{
    *code = rni_outputs_check_plot(arguments);
    rni_box_bench bench = {.arguments = arguments, .plan.def = rn_broadphase_def_default()};
    rni_box_plan *plan = &bench.plan;
    plan->def.cpu = (rn_cpu_level)rni_arguments_choice(arguments, "cpu");
    plan->def.dim = rni_arguments_choice(arguments, "dim") + 2;
    plan->reps = rni_arguments_count(arguments, "reps");
    plan->seconds = rni_arguments_number(arguments, "seconds");
    plan->limit_seconds = plan->seconds > 0.5 ? plan->seconds * 6 : 3;
    bench.is_json = rni_arguments_has(arguments, "json");
    bench.has_peers = rni_arguments_has(arguments, "peers");
    uint32_t chosen[RNI_MAX_LIST];
    uint32_t chosen_count = rni_arguments_choices(arguments, "method", chosen);
    for (uint32_t k = 0; k < chosen_count; k++) {
        if (chosen[k] == 0)
            for (uint32_t place = 0; rn_broadphase_get_method_info(place); place++)
                add_place(bench.methods, &bench.method_count, place);
        else add_place(bench.methods, &bench.method_count, chosen[k] == 1 ? 0 : chosen[k] - 2);
    }
    return bench;
}

/* --- rows -------------------------------------------------------------------------------------- */

static void print_json(FILE *file, const rni_box_row *row)
{
    rni_json json = rni_json_begin(file);
    rni_json_text(&json, "method", row->method);
    rni_json_bool(&json, "default", row->is_default);
    rni_json_whole(&json, "threads", row->threads);
    rni_json_whole(&json, "boxes", row->boxes);
    if (row->queries) rni_json_whole(&json, "queries", row->queries);
    rni_json_text(&json, "layout", row->layout);
    if (!row->queries) rni_json_number(&json, "density", row->density);
    if (row->skipped) {
        rni_json_text(&json, "skipped", row->skipped);
    } else {
        rni_json_whole(&json, row->queries ? "hits" : "pairs", row->found);
        rni_json_rounded(&json, "ms", row->ms);
        rni_json_rounded(&json, row->queries ? "ns_per_query" : "ns_per_box",
                         row->ms * 1e6 /
                             (row->queries ? row->queries
                              : row->boxes ? row->boxes
                                           : 1));
        rni_json_whole(&json, "bytes", row->bytes);
        rni_json_rounded(&json, "bytes_per_box", (double)row->bytes / (row->boxes ? row->boxes : 1));
        if (row->is_peer) {
            rni_json_bool(&json, "exact", row->is_exact);
            if (!row->is_exact) rni_json_whole(&json, "missed", row->missed);
        } else {
            rni_json_whole(&json, "result_bytes", row->result_bytes);
            rni_json_rounded(&json, "check_ms", row->check_ms);
            rni_json_rounded(&json, "build_ms", row->build_ms);
            rni_json_rounded(&json, "find_ms", row->find_ms);
            rni_json_whole(&json, "candidates", row->candidates);
            rni_json_whole(&json, "visited", row->visited);
            rni_json_whole(&json, "levels", row->levels);
            rni_json_text(&json, "cpu", row->cpu);
            rni_json_bool(&json, "order_reused", row->order_reused);
            if (row->choice[0]) rni_json_text(&json, "choice", row->choice);
        }
        rni_json_whole(&json, "reps", row->reps);
    }
    rni_json_end(&json);
    fputc('\n', file);
}

static void print_head(FILE *file, bool is_queries)
{
    fprintf(file, "%-20s%8s%10s  %-9s%13s%12s%12s%12s%12s %7s%6s\n", "method", "threads", "boxes",
            "layout", is_queries ? "hits" : "pairs", "ms", is_queries ? "ns/query" : "ns/box",
            "candidates", "B/box", "cpu", "reps");
}

static void print_line(FILE *file, const rni_box_row *row)
{
    fprintf(file, "%-20s%8u%10u  %-9s", row->method, row->threads, row->boxes, row->layout);
    if (row->skipped) {
        fprintf(file, "  %s\n", row->skipped);
        return;
    }
    uint32_t each = row->queries ? row->queries : row->boxes ? row->boxes : 1;
    fprintf(file, "%13llu%12.3f%12.1f", (unsigned long long)row->found, row->ms,
            row->ms * 1e6 / each);
    if (row->is_peer) fprintf(file, "%12s", "-");
    else fprintf(file, "%12llu", (unsigned long long)row->candidates);
    fprintf(file, "%12.1f %7s%6u", (double)row->bytes / (row->boxes ? row->boxes : 1),
            row->is_peer ? "native" : row->cpu, row->reps);
    if (row->is_peer && !row->is_exact)
        fprintf(file, "  misses %llu", (unsigned long long)row->missed);
    fputc('\n', file);
}

/* Without memory the plot does without the row. */
static void keep_row(rni_box_bench *bench, const rni_box_row *row)
{
    if (bench->row_count == bench->row_capacity) {
        uint32_t capacity = 2 * bench->row_capacity + 32;
        rni_box_row *rows = realloc(bench->rows, capacity * sizeof *rows);
        if (!rows) return;
        bench->rows = rows;
        bench->row_capacity = capacity;
    }
    bench->rows[bench->row_count++] = *row;
}

static void print_row(rni_box_bench *bench, const rni_box_row *row)
{
    keep_row(bench, row);
    if (bench->is_json) print_json(stdout, row);
    else print_line(stdout, row);
    if (row->skipped && bench->is_json)
        fprintf(stderr, "%s, %u boxes: %s\n", row->method, row->boxes, row->skipped);
    fflush(stdout);
}

/* --- our own methods --------------------------------------------------------------------------- */

/* A method at work. */
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

/* A method that lives on the last step forgets it. */
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
        row->skipped = "tests everything against everything: left out for so many";
        run->is_done = true;
        return RN_OK;
    }
    rn_boxes ours = boxes_of(boxes);
    double seconds;
    rn_result result = rn_broadphase_create(&def, &run->phase);
    if (result == RN_OK) result = rn_broadphase_update(run->phase, &ours);
    if (result == RN_OK) result = repeat(run->phase, plan, boxes, &row->found, &seconds);
    if (result != RN_OK) return result;
    rn_broadphase_stats stats = rn_broadphase_get_stats(run->phase);
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
    if (plan->move == 0 &&
        rn_broadphase_get_stats(run->phase).method == RN_BROADPHASE_SWEEP_AND_PRUNE &&
        boxes->queries.count == 0)
        result = start_anew(run->phase);
    if (result == RN_OK) result = repeat(run->phase, plan, boxes, &found, &seconds);
    if (result != RN_OK) return result;
    run->spent += seconds;
    row->reps++;
    if (row->reps == 1 || seconds * 1e3 < row->ms) {
        rn_broadphase_stats stats = rn_broadphase_get_stats(run->phase);
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

static rn_result measure(const rni_box_bench *bench, const rni_box_case *boxes, rni_box_row *rows)
{
    runner runners[RNI_MAX_LIST] = {{0}};
    const rni_box_plan *plan = &bench->plan;
    rni_random random = rni_random_make(7);
    rn_result result = RN_OK;
    for (uint32_t m = 0; m < bench->method_count && result == RN_OK; m++)
        result = warm_up(plan, boxes, bench->methods[m], &runners[m], &rows[m]);
    for (bool is_busy = true; is_busy && result == RN_OK;) {
        is_busy = false;
        if (plan->move > 0) move_boxes(boxes, plan->def.dim, plan->move, &random);
        for (uint32_t m = 0; m < bench->method_count && result == RN_OK; m++) {
            if (runners[m].is_done) continue;
            is_busy = true;
            result = measure_once(plan, boxes, &runners[m], &rows[m]);
        }
    }
    for (uint32_t m = 0; m < bench->method_count; m++) rn_broadphase_destroy(runners[m].phase);
    return result;
}

/* --- peers ------------------------------------------------------------------------------------- */

static bool ask_peer(const rni_box_bench *bench, const rni_box_case *boxes, uint32_t peer,
                     rni_box_row *row, char reason[RNI_REASON_BYTES])
{
    const rni_box_plan *plan = &bench->plan;
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
    snprintf(reason, RNI_REASON_BYTES, "the peer %s gave no times", peers[peer].name);
    return false;
}

/* For the case with both: how many times as fast as the peer the default is. */
static void print_ratio(const rni_box_row *ours, const rni_box_row *peer)
{
    if (!ours || !ours->is_default || ours->skipped || !(ours->ms > 0)) return;
    fprintf(stderr, "%u boxes, %s: %s with %u thread%s %.3f ms, %s %.3f ms: %.1f times as fast\n",
            ours->boxes, ours->layout, ours->method, ours->threads, ours->threads == 1 ? "" : "s",
            ours->ms, peer->method, peer->ms, peer->ms / ours->ms);
}

static void run_peers(rni_box_bench *bench, const rni_box_case *boxes, const rni_box_row *model,
                      rni_box_row *ours)
{
    char reason[RNI_REASON_BYTES];
    for (uint32_t p = 0; p < PEER_COUNT; p++) {
        rni_box_row row = *model;
        row.is_exact = false;
        if (boxes->queries.count && !peers[p].answers_queries) continue;
        if (boxes->queries.count && bench->plan.kind != RN_QUERY_BOX) continue;
        if (!peers[p].is_threaded && model->threads > 1) continue; /* once is enough */
        if (bench->missing_peers >> p & 1u) continue;
        if (!ask_peer(bench, boxes, p, &row, reason)) {
            bench->missing_peers |= 1u << p;
            fprintf(stderr, "%s\n", reason);
            continue;
        }
        const rni_box_row *truth = ours && !ours->skipped ? ours : NULL;
        if (truth && !row.is_exact)
            row.missed = truth->found > row.found ? truth->found - row.found : 0;
        print_row(bench, &row);
        print_ratio(truth, &row);
        if (truth && row.is_exact && row.found != truth->found) {
            bench->disagrees = true;
            rni_give_up(bench->arguments->command, "%u boxes, %s: %s finds %llu but %s %llu",
                        row.boxes, row.layout, truth->method, (unsigned long long)truth->found,
                        row.method, (unsigned long long)row.found);
        }
    }
}

static void check_found(rni_box_bench *bench, const rni_box_row *rows)
{
    const rni_box_row *first = NULL;
    for (uint32_t r = 0; r < bench->method_count; r++) {
        if (rows[r].skipped) continue;
        if (!first) first = &rows[r];
        if (rows[r].found == first->found) continue;
        bench->disagrees = true;
        rni_give_up(bench->arguments->command, "%u boxes, %s: %s finds %llu but %s %llu",
                    rows[r].boxes, rows[r].layout, first->method, (unsigned long long)first->found,
                    rows[r].method, (unsigned long long)rows[r].found);
    }
}

int rni_box_bench_run(rni_box_bench *bench, const rni_box_case *boxes, uint32_t threads)
{
    static bool has_head = false;
    rni_box_row rows[RNI_MAX_LIST], model = {.threads = threads ? threads : rn_cpu_count(),
                                             .boxes = boxes->count,
                                             .queries = boxes->queries.count,
                                             .layout = boxes->layout,
                                             .density = boxes->density};
    if (!bench->is_json && !has_head) print_head(stdout, boxes->queries.count > 0);
    has_head = true;
    for (uint32_t m = 0; m < bench->method_count; m++) rows[m] = model;
    if (measure(bench, boxes, rows) != RN_OK)
        return rni_give_up(bench->arguments->command, "%u boxes, %s: %s", boxes->count,
                           boxes->layout, rn_last_error());
    for (uint32_t m = 0; m < bench->method_count; m++) print_row(bench, &rows[m]);
    check_found(bench, rows);
    if (bench->has_peers && bench->plan.move == 0)
        run_peers(bench, boxes, &model, bench->method_count ? rows : NULL);
    return ferror(stdout) ? RNI_EXIT_FAILED : RNI_EXIT_DONE;
}

int rni_box_bench_end(rni_box_bench *bench, int code)
{
    const char *path = rni_arguments_text(bench->arguments, "plot");
    if (code == RNI_EXIT_DONE && path) {
        if (rni_box_plot(path, bench->rows, bench->row_count) != RN_OK)
            code = rni_give_up(bench->arguments->command, "%s", rn_last_error());
        else fprintf(stderr, "chart: %s\n", path);
    }
    free(bench->rows);
    return bench->disagrees ? RNI_EXIT_FAILED : code;
}
