/* Onderik and Durikovic (2008), figures 4 and 5: time to report all close pairs against the pair
 * ratio.
 *
 * The paper's pair ratio is 0.9999 at side 2 and 0.0069 at side 15. Points within h = 1 of each
 * other would be 0.3 and 0.001 of all pairs; what has the printed numbers are the pairs that share
 * a block of 27 cells, (N - 1) / N at side 2 and near (43 / 225)^3 at side 15. So that is the ratio
 * used here, with the true one beside it. */
#include "lab/lab.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED     15000u
#define MAX_SIDE 15u
#define LOW      0.1 /* pair ratios below are low */

enum { SIDE, RATIO, PRINTED, CLOSE, CELL_SORT, HASH, BRUTE, GRID, SPEEDUP, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"side", "side", false, 0},
    {"pair_ratio", "pair ratio", false, 4},
    {"pair_ratio_published", "published", false, 4},
    {"close_ratio", "within h", false, 4},
    {"cell_sort_ms", "cell-sort ms", false, 4},
    {"hash_ms", "hash ms", false, 4},
    {"brute_ms", "brute ms", false, 4},
    {"grid_ms", "grid ms", false, 4},
    {"speedup", "hash / cell-sort", false, 3},
};

static const char *const methods[] = {"cell-sort", "hash", "brute", "grid"};

/* Ordered pairs of different points whose cells touch, as a part of count^2. */
static double cell_pair_ratio(const float *position, uint32_t count, uint32_t side)
{
    static uint32_t filled[MAX_SIDE + 2][MAX_SIDE + 2][MAX_SIDE + 2]; /* a rim of empty cells */
    memset(filled, 0, sizeof filled);
    for (uint32_t i = 0; i < count; i++) {
        const float *p = position + (size_t)i * 3;
        filled[(uint32_t)p[0] + 1][(uint32_t)p[1] + 1][(uint32_t)p[2] + 1]++;
    }
    double pairs = -(double)count;
    for (uint32_t x = 1; x <= side; x++)
        for (uint32_t y = 1; y <= side; y++)
            for (uint32_t z = 1; z <= side; z++)
                for (uint32_t k = 0; k < 27; k++) {
                    uint32_t near = filled[x - 1 + k % 3][y - 1 + k / 3 % 3][z - 1 + k / 9];
                    pairs += (double)filled[x][y][z] * near;
                }
    return pairs / ((double)count * count);
}

static rn_result run_side(rni_lab *lab, rni_lab_field *field, float *position, uint32_t count,
                          uint32_t side)
{
    const rni_lab_effort effort =
        lab->is_quick ? (rni_lab_effort){1, 0.01, 0.1, 0} : (rni_lab_effort){3, 0.6, 2, 0};
    rni_lab_begin_case(lab, "%u points in a cube of side %u", count, side);
    rni_lab_fill_uniform(position, 3, count, side, SEED + side);
    /* Rounding to float may put a point on the far face, which is one cell further. */
    for (size_t k = 0; k < (size_t)count * 3; k++)
        position[k] = fminf(position[k], nextafterf((float)side, 0));
    rn_result result = rni_lab_measure(field, &effort, position, count);
    if (result == RN_OK) result = rni_lab_table_row(&lab->table);
    if (result != RN_OK) return result;
    rni_lab_table *table = &lab->table;
    rni_lab_table_number(table, side);
    rni_lab_table_number(table, cell_pair_ratio(position, count, side));
    rni_lab_table_number(table, side == 2 ? 0.9999 : side == 15 ? 0.0069 : (double)NAN);
    rni_lab_table_number(table, rni_lab_neighbors(field) / count);
    for (uint32_t k = 0; k < field->count; k++) rni_lab_table_number(table, field->of[k].ms);
    rni_lab_table_number(table, field->of[1].ms / field->of[0].ms);
    return RN_OK;
}

static rn_result plot(const rni_lab *lab, uint32_t count)
{
    char subtitle[160];
    snprintf(subtitle, sizeof subtitle, "%u uniform points, h = 1, cubes of side 2 to 15, %s",
             count, lab->is_threads_given ? "threads as asked for" : "as published, one thread");
    rni_chart chart = {.title = "Cell sorting: all close pairs",
                       .subtitle = subtitle,
                       .x_label = "pair ratio: pairs in adjacent cells / all pairs",
                       .y_label = "milliseconds",
                       .x_log = true,
                       .y_log = true};
    const uint32_t times[] = {CELL_SORT, HASH, BRUTE, GRID};
    rn_result result =
        rni_lab_plot_columns(lab, NULL, chart, &(rni_lab_curves){RATIO, times, methods, 4});
    if (result != RN_OK || isnan(rni_lab_table_at(&lab->table, 0, SPEEDUP))) return result;
    const uint32_t speedup[] = {SPEEDUP};
    const char *const names[] = {"hash / cell-sort"};
    chart.title = "Cell sorting against spatial hashing";
    chart.y_label = "times as fast";
    chart.y_log = false;
    chart.y_from_zero = true;
    return rni_lab_plot_columns(lab, "speedup", chart, &(rni_lab_curves){RATIO, speedup, names, 1});
}

static void conclude(rni_lab *lab)
{
    double least = (double)NAN;
    double most = (double)NAN;
    double dense = (double)NAN;
    double grid = (double)NAN;
    for (uint32_t r = 0; r < lab->table.row_count; r++) {
        double speedup = rni_lab_table_at(&lab->table, r, SPEEDUP);
        if (r == 0) dense = speedup;
        if (rni_lab_table_at(&lab->table, r, RATIO) >= LOW) continue;
        least = fmin(least, speedup);
        most = fmax(most, speedup);
        grid = fmax(grid, rni_lab_table_at(&lab->table, r, CELL_SORT) /
                              rni_lab_table_at(&lab->table, r, GRID));
    }
    if (isnan(most)) {
        rni_lab_conclude(lab, "cannot be judged",
                         "The claim cannot be judged here: cell-sort or hash was not measured.");
        return;
    }
    const char *verdict = rni_lab_verdict(most >= 1.8, most >= 1.1);
    rni_lab_conclude(
        lab, verdict,
        "The claim that cell sorting is up to twice as fast as spatial hashing at "
        "a low pair ratio %s here: below a ratio of %g cell sorting is %.2f to %.2f times as "
        "fast, and %.2f times at the highest ratio; grid is up to %.1f times as fast as cell "
        "sorting.",
        verdict, LOW, least, most, dense, grid);
}

static rn_result run(rni_lab *lab)
{
    uint32_t count = lab->is_quick ? 2000 : 15000;
    uint32_t step = lab->is_quick ? 4 : 1;
    rni_lab_field field = {.lab = lab};
    rn_search_def def = rni_lab_paper_def(lab);
    def.radius = 1;
    float *position = malloc((size_t)count * 3 * sizeof *position);
    if (!position) return rni_fail(RN_ERROR_MEMORY, "no memory for %u points", count);
    for (uint32_t m = 0; m < 4; m++) rni_lab_add(&field, &def, methods[m], NULL);
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, (MAX_SIDE - 3) / step + 2);
    rn_result result = RN_OK;
    for (uint32_t side = 2; result == RN_OK && side < MAX_SIDE; side += step)
        result = run_side(lab, &field, position, count, side);
    if (result == RN_OK) result = run_side(lab, &field, position, count, MAX_SIDE);
    if (result == RN_OK) result = plot(lab, count);
    if (result == RN_OK) conclude(lab);
    free(position);
    return result;
}

const rni_lab_experiment rni_lab_cell_sorting = {
    .name = "cell-sorting",
    .summary = "time against the pair ratio: cell sorting, spatial hash, all pairs, and grid",
    .source = "Onderik and Durikovic 2008, figures 4 and 5",
    .claim = "cell sorting is almost twice as fast as spatial hashing at a low pair ratio",
    .run = run,
};
