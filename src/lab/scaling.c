/* All methods from small sets to large ones: time and memory per point. The published claim that size
 * decides is from the conclusion of Onderik and Durikovic (2008). */
#include "bench/layouts.h"
#include "lab/lab.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RADIUS      2.0f /* lattice of spacing 1: about 32 neighbours */
#define BRUTE_LIMIT 30000u
#define ROW_SECONDS 10.0 /* a method stops before a row that would take longer */

enum { POINTS, METHOD, NS, TIMES, BYTES, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"points", "points", false, 0},
    {"method", "method", true, 0},
    {"ns_per_point", "ns/point", false, 4},
    {"times_the_fastest", "times the fastest", false, 3},
    {"bytes_per_point", "bytes/point", false, 4},
};

/* Drops contenders whose next row would take too long, judged by the last one. */
static void drop_slow(rni_lab_field *field, uint32_t last_count, uint32_t count)
{
    for (uint32_t k = 0; k < field->count; k++) {
        rni_lab_contender *contender = &field->of[k];
        if (contender->is_out || contender->is_missing) continue;
        bool is_brute = contender->def.method == RN_SEARCH_BRUTE;
        double seconds = last_count ? contender->ms * 1e-3 * count / last_count : 0;
        if (is_brute ? count <= BRUTE_LIMIT : seconds <= ROW_SECONDS) continue;
        contender->is_out = true;
        rni_lab_note(field->lab, "%s: stops before %u points, which would take too long",
                     contender->name, count);
    }
}

static rn_result add_rows(rni_lab *lab, const rni_lab_field *field, uint32_t count)
{
    double best = (double)NAN;
    for (uint32_t k = 0; k < field->count; k++) best = fmin(best, field->of[k].ms);
    for (uint32_t k = 0; k < field->count; k++) {
        const rni_lab_contender *contender = &field->of[k];
        if (isnan(contender->ms)) continue;
        rn_result result = rni_lab_table_row(&lab->table);
        if (result != RN_OK) return result;
        rni_lab_table_number(&lab->table, count);
        rni_lab_table_text(&lab->table, contender->name);
        rni_lab_table_number(&lab->table, contender->ms * 1e6 / count);
        rni_lab_table_number(&lab->table, contender->ms / best);
        rni_lab_table_number(&lab->table, (double)contender->stats.held_bytes / count);
    }
    return RN_OK;
}

static rn_result run_size(rni_lab *lab, rni_lab_field *field, uint32_t count)
{
    const rni_lab_effort effort =
        lab->is_quick ? (rni_lab_effort){1, 0.01, 0.1, 0} : (rni_lab_effort){3, 0.5, 3, 0};
    rni_lab_begin_case(lab, "%u points", count);
    float *position = malloc((size_t)count * 3 * sizeof *position);
    if (!position) return rni_fail(RN_ERROR_MEMORY, "no memory for %u points", count);
    rni_layout_fill(RNI_LAYOUT_LATTICE, 3, count, RADIUS, position);
    rn_result result = rni_lab_measure(field, &effort, position, count);
    if (result == RN_OK) result = add_rows(lab, field, count);
    free(position);
    return result;
}

static rn_result plot(const rni_lab *lab)
{
    char subtitle[128];
    uint32_t threads = lab->threads ? lab->threads : rn_cpu_count();
    snprintf(subtitle, sizeof subtitle,
             "lattice of spacing 1, radius %g, one complete update, %u thread%s; lower is better",
             (double)RADIUS, threads, threads == 1 ? "" : "s");
    rni_chart chart = {.title = "Scaling: time a point",
                       .subtitle = subtitle,
                       .x_label = "points",
                       .y_label = "nanoseconds per point",
                       .x_log = true,
                       .y_log = true};
    rn_result result = rni_lab_plot_groups(lab, NULL, chart, METHOD, POINTS, NS);
    if (result != RN_OK) return result;
    chart.title = "Scaling: memory a point";
    chart.y_label = "bytes per point, including lists";
    return rni_lab_plot_groups(lab, "memory", chart, METHOD, POINTS, BYTES);
}

/* The row of a method at this number of points; NULL: none. */
static const rni_lab_value *find_row(const rni_lab_table *table, const char *method, double points)
{
    for (uint32_t r = 0; r < table->row_count; r++) {
        const rni_lab_value *row = table->values + (size_t)r * COLUMN_COUNT;
        if (row[POINTS].number == points && strcmp(row[METHOD].text, method) == 0) return row;
    }
    return NULL;
}

/* The fastest row at this number of points. */
static const rni_lab_value *best_row(const rni_lab_table *table, double points)
{
    const rni_lab_value *best = NULL;
    for (uint32_t r = 0; r < table->row_count; r++) {
        const rni_lab_value *row = table->values + (size_t)r * COLUMN_COUNT;
        if (row[POINTS].number == points && (!best || row[NS].number < best[NS].number)) best = row;
    }
    return best;
}

static void conclude(rni_lab *lab)
{
    static const char *const trees[] = {"kdtree", "linear-kdtree"};
    const rni_lab_table *table = &lab->table;
    double first = rni_lab_table_at(table, 0, POINTS);
    double last = rni_lab_table_at(table, table->row_count - 1, POINTS);
    const rni_lab_value *small = find_row(table, "cell-sort", first);
    const rni_lab_value *large = find_row(table, "cell-sort", last);
    const rni_lab_value *best = best_row(table, last);
    char against[160] = "";
    uint32_t tree_count = 0;
    uint32_t won = 0;
    for (uint32_t t = 0; large && t < 2; t++) {
        const rni_lab_value *tree = find_row(table, trees[t], last);
        if (!tree) continue;
        size_t used = strlen(against);
        snprintf(against + used, sizeof against - used, "%s%s takes %.2f times as long",
                 tree_count ? ", " : "", trees[t], tree[NS].number / large[NS].number);
        tree_count++;
        won += tree[NS].number > large[NS].number;
    }
    if (!small || tree_count == 0) {
        rni_lab_conclude(lab, "cannot be judged",
                         "The claim cannot be judged here: cell-sort or the trees were not "
                         "measured at %.0f points; the fastest there is %s with %.1f ns per point.",
                         last, best[METHOD].text, best[NS].number);
        return;
    }
    const char *verdict = rni_lab_verdict(won == tree_count, won);
    rni_lab_conclude(
        lab, verdict,
        "The claim that cell sorting, being linear, is faster than trees on large "
        "sets %s here: at %.0f points %s, and the time per point of cell sorting is %.2f times "
        "that at %.0f points; the fastest at %.0f points is %s with %.1f ns per point.",
        verdict, last, against, large[NS].number / small[NS].number, first, last, best[METHOD].text,
        best[NS].number);
}

static rn_result run(rni_lab *lab)
{
    static const uint32_t full[] = {1000,   3000,    10000,   30000,  100000,
                                    300000, 1000000, 2000000, 4000000};
    static const uint32_t quick[] = {500, 2000, 8000};
    const uint32_t *sizes = lab->is_quick ? quick : full;
    uint32_t size_count = lab->is_quick ? 3 : 9;
    rni_lab_field field = {.lab = lab};
    rn_search_def def = rni_lab_own_def(lab);
    def.radius = RADIUS;
    rni_lab_add_all(&field, &def);
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, size_count);
    rn_result result = RN_OK;
    for (uint32_t s = 0; s < size_count && result == RN_OK; s++) {
        drop_slow(&field, s ? sizes[s - 1] : 0, sizes[s]);
        result = run_size(lab, &field, sizes[s]);
    }
    if (result == RN_OK && lab->table.row_count == 0)
        result = rni_fail(RN_ERROR_ARGUMENT, "no method could be measured");
    if (result == RN_OK) result = plot(lab);
    if (result == RN_OK) conclude(lab);
    return result;
}

const rni_lab_experiment rni_lab_scaling = {
    .name = "scaling",
    .summary = "time and memory per point of all methods, from 1,000 to 4,000,000 points",
    .source = "Onderik and Durikovic 2008, section 5",
    .claim = "cell sorting is linear and therefore faster than hierarchical methods on larger "
             "data sets",
    .run = run,
};
