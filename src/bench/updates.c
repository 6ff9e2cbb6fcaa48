/* Complete runs: the sum of many updates of a new search, as in a simulation. Only this shows the cost of
 * a method that changes its choice during the run (auto). */
#include "bench/neighbors.h"

#include "base/error.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOPELESS       5.0 /* times the fastest ... */
#define HOPELESS_AFTER 10u /* ... after this many updates: the run is abandoned; never auto's */

/* One method in one round. */
typedef struct runner {
    rn_search *search;
    double spent, first, least; /* seconds: all updates, the first, the fastest */
    bool is_out;
} runner;

static rn_result open_runner(const rni_bench_plan *plan, const rni_run_row *row, runner *run)
{
    const rn_search_method_info *info = rn_search_get_method_info(row->method);
    rn_search_def def = plan->def;
    *run = (runner){.is_out = row->skipped != NULL};
    def.method = info->method;
    def.threads = row->threads;
    return run->is_out ? RN_OK : rn_search_create(&def, &run->search);
}

static void leave_out_hopeless(const runner *runs, rni_run_row *rows, uint32_t count, uint32_t r)
{
    double best = HUGE_VAL;
    for (uint32_t k = 0; k < count; k++)
        if (!runs[k].is_out) best = fmin(best, runs[k].least);
    bool is_auto = rn_search_get_method_info(rows[r].method)->method == RN_SEARCH_AUTO;
    if (runs[r].least > HOPELESS * best && !is_auto)
        rows[r].skipped = "more than 5 times slower than the fastest: not finished";
}

static rn_result update_all(const rni_run_case *c, runner *runs, rni_run_row *rows, uint32_t count,
                            rn_points points, uint32_t update)
{
    for (uint32_t k = 0; k < count; k++) {
        uint32_t turn = (k + update / 2) % count; /* no method always follows the same other one */
        uint32_t r = update % 2 ? count - 1 - turn : turn;
        if (runs[r].is_out) continue;
        double begin = c->clock();
        rn_result result = rn_search_update(runs[r].search, points);
        double taken = c->clock() - begin;
        if (result == RN_ERROR_LIMIT) {
            rows[r].skipped = "refuses these points";
            runs[r].is_out = true;
            continue;
        }
        if (result != RN_OK) return result;
        runs[r].spent += taken;
        if (update == 0) runs[r].first = runs[r].least = taken;
        runs[r].least = fmin(runs[r].least, taken);
    }
    for (uint32_t r = 0; r < count && update + 1 == HOPELESS_AFTER; r++) {
        leave_out_hopeless(runs, rows, count, r);
        runs[r].is_out = rows[r].skipped != NULL;
    }
    return RN_OK;
}

static void keep_best(const runner *runs, rni_run_row *rows, uint32_t count)
{
    for (uint32_t r = 0; r < count; r++) {
        if (runs[r].is_out || (rows[r].rounds++ > 0 && runs[r].spent * 1e3 >= rows[r].run_ms))
            continue;
        rn_search_stats stats = rn_search_stats_default();
        rn_search_get_stats(runs[r].search, &stats);
        rows[r].run_ms = runs[r].spent * 1e3;
        rows[r].first_ms = runs[r].first * 1e3;
        rows[r].entries = stats.entry_count;
        snprintf(rows[r].choice, sizeof rows[r].choice, "%s", stats.choice);
    }
}

static rn_result check_entries(const rni_run_row *rows, uint32_t count)
{
    const rni_run_row *first = NULL;
    for (uint32_t r = 0; r < count; r++) {
        if (rows[r].skipped) continue;
        if (!first) first = &rows[r];
        if (rows[r].entries != first->entries)
            return rni_fail(RN_ERROR_ARGUMENT, "%s finds %llu entries but %s %llu",
                            rn_search_get_method_info(first->method)->name,
                            (unsigned long long)first->entries,
                            rn_search_get_method_info(rows[r].method)->name,
                            (unsigned long long)rows[r].entries);
    }
    return RN_OK;
}

static void fill(const rni_run_case *c, const rni_bench_plan *plan, rni_layout layout, float *position)
{
    rni_layout_fill(layout, plan->def.dim, c->count, plan->def.radius, position);
}

/* One round: all methods from their first update to the last, alternating update by update. */
static rn_result run_round(const rni_bench_plan *plan, const rni_run_case *c, float *position,
                           runner *runs, rni_run_row *rows, uint32_t count)
{
    rn_points points = {position, 0, c->count, RN_SCALAR_FLOAT};
    rni_random random = rni_random_make(7);
    rn_result result = RN_OK;
    fill(c, plan, c->layout, position);
    for (uint32_t r = 0; r < count && result == RN_OK; r++)
        result = open_runner(plan, &rows[r], &runs[r]);
    for (uint32_t u = 0; u < c->updates && result == RN_OK; u++) {
        if (c->changes && u == c->updates / 2) fill(c, plan, c->later, position);
        if (plan->move > 0)
            rni_bench_move(position, (size_t)c->count * plan->def.dim, plan->move, &random);
        result = update_all(c, runs, rows, count, points, u);
    }
    if (result == RN_OK) keep_best(runs, rows, count);
    for (uint32_t r = 0; r < count; r++) rn_search_destroy(runs[r].search);
    return result;
}

rn_result rni_bench_updates(const rni_bench_plan *plan, const rni_run_case *c, rni_run_row *rows,
                            uint32_t count)
{
    float *position = malloc((size_t)c->count * plan->def.dim * sizeof *position);
    runner *runs = calloc(count + 1, sizeof *runs);
    rn_result result = RN_OK;
    if (!position || !runs) result = rni_fail(RN_ERROR_MEMORY, "no memory for %u points", c->count);
    for (uint32_t r = 0; r < count; r++) {
        bool is_brute = rn_search_get_method_info(rows[r].method)->method == RN_SEARCH_BRUTE;
        if (is_brute && c->count > RNI_BENCH_BRUTE_LIMIT)
            rows[r].skipped = "tests every pair: skipped above 65536 points";
    }
    for (uint32_t round = 0; round < plan->reps && result == RN_OK; round++) {
        memset(runs, 0, count * sizeof *runs);
        result = run_round(plan, c, position, runs, rows, count);
    }
    double best = HUGE_VAL;
    for (uint32_t r = 0; r < count; r++) {
        bool is_auto = rn_search_get_method_info(rows[r].method)->method == RN_SEARCH_AUTO;
        if (!rows[r].skipped && !is_auto) best = fmin(best, rows[r].run_ms);
    }
    for (uint32_t r = 0; r < count; r++) rows[r].times = rows[r].run_ms / best;
    if (result == RN_OK) result = check_entries(rows, count);
    free(position);
    free(runs);
    return result;
}
