#include "bench/neighbors.h"

#include "base/clock.h"
#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One method in a case. */
typedef struct runner {
    rn_search *search;
    double spent; /* seconds, all repetitions */
    bool is_done;
} runner;

static uint64_t pairs_of(const rn_search_def *def, uint64_t entries)
{
    return def->lists == RN_LISTS_HALF ? entries : entries / 2;
}

static rn_result warm_up(runner *run, const rni_bench_plan *plan, rn_points points, uint32_t method,
                         rni_bench_row *row)
{
    const rn_search_method_info *info = rn_search_get_method_info(method);
    rn_search_def def = plan->def;
    def.method = info->method;
    def.threads = row->threads;
    snprintf(row->method, sizeof row->method, "%s", info->name);
    row->is_default = method == 0;
    row->ns_per_point = 0;
    if (info->method == RN_SEARCH_BRUTE && points.count > RNI_BENCH_BRUTE_LIMIT) {
        row->skipped = "tests every pair: skipped above 65536 points";
        row->cpu = rn_cpu_level_name(def.cpu);
        run->is_done = true;
        return RN_OK;
    }
    rn_result result = rn_search_create(&def, &run->search);
    if (result == RN_OK) result = rn_search_update(run->search, points);
    if (result != RN_OK) return result;
    rn_search_stats stats = rn_search_stats_default();
    rn_search_get_stats(run->search, &stats);
    row->cpu = rn_cpu_level_name(stats.cpu);
    row->threads = stats.threads ? stats.threads : row->threads;
    row->has_pairs = def.lists != RN_LISTS_NONE;
    row->entries = stats.entry_count;
    row->pairs = pairs_of(&def, stats.entry_count);
    return RN_OK;
}

static rn_result repeat_once(runner *run, const rni_bench_plan *plan, rn_points points,
                             rni_bench_row *row)
{
    double begin = rni_seconds();
    rn_result result = rn_search_update(run->search, points);
    double wall = rni_seconds() - begin;
    if (result != RN_OK) return result;
    run->spent += wall;
    row->reps++;
    double ns = points.count ? wall * 1e9 / points.count : 0;
    if (row->reps == 1 || ns < row->ns_per_point) {
        rn_search_stats stats = rn_search_stats_default();
        rn_search_get_stats(run->search, &stats);
        row->ns_per_point = ns;
        row->query_ms = stats.query_ms < wall * 1e3 ? stats.query_ms : wall * 1e3;
        row->build_ms = wall * 1e3 - row->query_ms;
        row->bytes_per_point = points.count ? (double)stats.held_bytes / points.count : 0;
        row->order_reused = stats.order_reused;
    }
    run->is_done = (row->reps >= plan->reps && run->spent >= plan->seconds) ||
                   run->spent >= plan->limit_seconds;
    return RN_OK;
}

void rni_bench_move(float *position, size_t count, double amount, rni_random *random)
{
    for (size_t k = 0; k < count; k++)
        position[k] += rni_random_float(random, (float)-amount, (float)amount);
}

/* rows[k] belongs to methods[k]; position is moved when the plan says so. */
static rn_result measure(const rni_bench_plan *plan, float *position, uint32_t count,
                         const uint32_t *methods, uint32_t method_count, rni_bench_row *rows)
{
    rn_result result = RN_OK;
    rn_points points = {position, 0, count, RN_SCALAR_FLOAT};
    rni_random random = rni_random_make(7);
    runner *runners = calloc(method_count + 1, sizeof *runners);
    if (!runners) return rni_fail(RN_ERROR_MEMORY, "no memory for %u methods", method_count);

    for (uint32_t m = 0; m < method_count && result == RN_OK; m++)
        result = warm_up(&runners[m], plan, points, methods[m], &rows[m]);
    for (bool is_busy = true; is_busy && result == RN_OK;) {
        is_busy = false;
        if (plan->move > 0)
            rni_bench_move(position, (size_t)count * plan->def.dim, plan->move, &random);
        for (uint32_t m = 0; m < method_count && result == RN_OK; m++) {
            if (runners[m].is_done) continue;
            is_busy = true;
            result = repeat_once(&runners[m], plan, points, &rows[m]);
        }
    }
    for (uint32_t m = 0; m < method_count; m++) rn_search_destroy(runners[m].search);
    free(runners);
    return result;
}

static void compare_pairs(rni_bench_row *rows, uint32_t count)
{
    const rni_bench_row *first = NULL;
    for (uint32_t r = 0; r < count; r++) {
        if (rows[r].skipped || !rows[r].has_pairs) continue;
        if (!first) first = &rows[r];
        rows[r].disagrees = rows[r].pairs != first->pairs;
    }
}

rn_result rni_bench_neighbors(const rni_bench_plan *plan, const rni_bench_case *c,
                              rni_bench_result *result)
{
    const uint32_t dim = plan->def.dim, count = c->points;
    const rni_bench_row model = {.threads = c->threads ? c->threads : rn_cpu_count(),
                                 .points = count,
                                 .layout = rni_layout_name(c->layout),
                                 .radius = plan->radius};
    result->missing_peer[0] = 0;
    result->row_count = c->method_count;
    for (uint32_t k = 0; k <= c->method_count; k++) result->row[k] = model;
    float *position = malloc((size_t)count * dim * sizeof *position);
    if (!position) return rni_fail(RN_ERROR_MEMORY, "no memory for %u points", count);
    rni_layout_fill(c->layout, dim, count, plan->def.radius, position);
    rn_result code = measure(plan, position, count, c->methods, c->method_count, result->row);
    compare_pairs(result->row, c->method_count);
    if (code == RN_OK && c->peer) {
        if (plan->move > 0) rni_layout_fill(c->layout, dim, count, plan->def.radius, position);
        result->row_count += rni_bench_peer(plan, position, count, c->peer,
                                            &result->row[c->method_count], result->missing_peer);
    }
    free(position);
    return code;
}
