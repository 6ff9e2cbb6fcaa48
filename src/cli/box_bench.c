#include "cli/box_bench.h"

#include "cli/outputs.h"
#include "files/json.h"

#include <stdlib.h>

const char *rni_choice_bench_box_method(uint32_t place)
{
    static const char *const groups[] = {"all", "default"};
    if (place < 2) return groups[place];
    const rn_broadphase_method_info *info = rn_broadphase_get_method_info(place - 2);
    return info ? info->name : NULL;
}

static void add_place(uint32_t *list, uint32_t *count, uint32_t place)
{
    for (uint32_t k = 0; k < *count; k++)
        if (list[k] == place) return;
    if (*count < RNI_MAX_LIST) list[(*count)++] = place;
}

int rni_box_bench_begin(const rni_arguments *arguments, rni_box_bench *bench)
{
    *bench = (rni_box_bench){.arguments = arguments, .plan.def = rn_broadphase_def_default()};
    rni_box_plan *plan = &bench->plan;
    plan->def.cpu = (rn_cpu_level)rni_arguments_choice(arguments, "cpu");
    plan->def.dim = rni_arguments_choice(arguments, "dim") + 2;
    plan->reps = rni_arguments_count(arguments, "reps");
    plan->seconds = rni_arguments_number(arguments, "seconds");
    plan->limit_seconds = plan->seconds > 0.5 ? plan->seconds * 6 : 3;
    bench->is_json = rni_arguments_has(arguments, "json");
    plan->has_peers = rni_arguments_has(arguments, "peers");
    uint32_t chosen[RNI_MAX_LIST];
    uint32_t chosen_count = rni_arguments_choices(arguments, "method", chosen);
    for (uint32_t k = 0; k < chosen_count; k++) {
        if (chosen[k] == 0)
            for (uint32_t place = 0; rn_broadphase_get_method_info(place); place++)
                add_place(plan->methods, &plan->method_count, place);
        else add_place(plan->methods, &plan->method_count, chosen[k] == 1 ? 0 : chosen[k] - 2);
    }
    return rni_outputs_check_plot(arguments);
}

/* --- rows -------------------------------------------------------------------------------------- */

static void print_json(const rni_box_row *row)
{
    rni_json json = rni_json_begin(stdout);
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
    fputc('\n', stdout);
}

static void print_head(bool is_queries)
{
    printf("%-20s%8s%10s  %-9s%13s%12s%12s%12s%12s %7s%6s\n", "method", "threads", "boxes",
           "layout", is_queries ? "hits" : "pairs", "ms", is_queries ? "ns/query" : "ns/box",
           "candidates", "B/box", "cpu", "reps");
}

static void print_line(const rni_box_row *row)
{
    printf("%-20s%8u%10u  %-9s", row->method, row->threads, row->boxes, row->layout);
    if (row->skipped) {
        printf("  %s\n", row->skipped);
        return;
    }
    uint32_t each = row->queries ? row->queries : row->boxes ? row->boxes : 1;
    printf("%13llu%12.3f%12.1f", (unsigned long long)row->found, row->ms, row->ms * 1e6 / each);
    if (row->is_peer) printf("%12s", "-");
    else printf("%12llu", (unsigned long long)row->candidates);
    printf("%12.1f %7s%6u", (double)row->bytes / (row->boxes ? row->boxes : 1),
           row->is_peer ? "native" : row->cpu, row->reps);
    if (row->is_peer && !row->is_exact) printf("  misses %llu", (unsigned long long)row->missed);
    fputc('\n', stdout);
}

/* Without memory the chart lacks the row. */
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
    if (bench->is_json) print_json(row);
    else print_line(row);
    if (row->skipped && bench->is_json)
        fprintf(stderr, "%s, %u boxes: %s\n", row->method, row->boxes, row->skipped);
    fflush(stdout);
}

/* How many times as fast as the peer the default method is. */
static void print_ratio(const rni_box_row *ours, const rni_box_row *peer)
{
    if (!peer->is_peer || !ours->is_default || ours->skipped || !(ours->ms > 0)) return;
    fprintf(stderr, "%u boxes, %s: %s with %u thread%s %.3f ms, %s %.3f ms: %.1f times as fast\n",
            ours->boxes, ours->layout, ours->method, ours->threads, ours->threads == 1 ? "" : "s",
            ours->ms, peer->method, peer->ms, peer->ms / ours->ms);
}

int rni_box_bench_show(rni_box_bench *bench, rn_result code)
{
    const rni_box_result *result = &bench->result;
    const rni_command *command = bench->arguments->command;
    if (code != RN_OK) return rni_give_up(command, "%s", rn_last_error());
    const rni_box_row *first = NULL;
    for (uint32_t r = 0; r < result->row_count; r++) {
        const rni_box_row *row = &result->row[r];
        if (!first && !row->skipped) first = row;
        if (!bench->is_json && !bench->has_head) print_head(row->queries > 0);
        bench->has_head = true;
        print_row(bench, row);
        print_ratio(&result->row[0], row);
        if (!row->disagrees || !first) continue;
        bench->disagrees = true;
        rni_give_up(command, "%u boxes, %s: %s finds %llu but %s %llu", row->boxes, row->layout,
                    first->method, (unsigned long long)first->found, row->method,
                    (unsigned long long)row->found);
    }
    for (uint32_t k = 0; k < result->missing_count; k++)
        fprintf(stderr, "%s\n", result->missing[k]);
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
