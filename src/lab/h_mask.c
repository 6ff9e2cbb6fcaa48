/* Onderik and Durikovic (2008), section 3.3 and figure 3: cells of radius / H, searched with
 * a mask of (2H + 1)^3 cells without those outside the sphere. The paper gives no numbers; what a mask
 * should save follows from the volume of its cells. */
#include "lab/lab.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BALL 4.18879020478639098 /* volume of the unit ball */
#define WIN  0.97                /* this share of the time or less counts as faster, not noise */

enum { NEIGHBORS, METHOD, MASK, EXPECTED, CANDIDATES, TESTS, NS, TIMES, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"neighbors", "neighbours", false, 3},
    {"method", "method", true, 0},
    {"h_mask", "H", false, 0},
    {"candidates_expected", "expected", false, 4},
    {"candidates", "candidates", false, 4},
    {"candidates_per_neighbor", "a neighbour", false, 3},
    {"ns_per_point", "ns/point", false, 4},
    {"time_of_h1", "of H = 1", false, 3},
};

static const char *const methods[] = {"cell-sort", "hash"};

/* Cells of a mask: those with a point nearer than the radius to some point of the middle cell. */
static uint32_t mask_cells(int mask)
{
    uint32_t cells = 0;
    for (int x = -mask; x <= mask; x++)
        for (int y = -mask; y <= mask; y++)
            for (int z = -mask; z <= mask; z++) {
                int gap[3] = {abs(x) - 1, abs(y) - 1, abs(z) - 1};
                int distance_sq = 0;
                for (int axis = 0; axis < 3; axis++)
                    if (gap[axis] > 0) distance_sq += gap[axis] * gap[axis];
                cells += distance_sq <= mask * mask;
            }
    return cells;
}

/* Candidates per point: the points in the volume of the mask, at the density that gives so many
 * neighbours. */
static double expected_candidates(double neighbors, uint32_t mask)
{
    double volume = (double)mask_cells((int)mask) / (double)(mask * mask * mask);
    return neighbors / BALL * volume;
}

static rn_result add_rows(rni_lab *lab, const rni_lab_field *field)
{
    double neighbors = rni_lab_neighbors(field);
    for (uint32_t k = 0; k < field->count; k++) {
        const rni_lab_contender *contender = &field->of[k];
        if (isnan(contender->ms)) continue;
        rn_result result = rni_lab_table_row(&lab->table);
        if (result != RN_OK) return result;
        uint32_t mask = contender->def.h_mask;
        double tests = (double)contender->stats.candidate_count;
        rni_lab_table_number(&lab->table, neighbors);
        rni_lab_table_text(&lab->table, contender->name);
        rni_lab_table_number(&lab->table, mask);
        rni_lab_table_number(&lab->table, expected_candidates(neighbors, mask));
        double candidates = tests > 0 ? tests / (double)contender->stats.point_count : (double)NAN;
        rni_lab_table_number(&lab->table, candidates);
        rni_lab_table_number(&lab->table, candidates / neighbors);
        double count = (double)contender->stats.point_count;
        rni_lab_table_number(&lab->table, contender->ms * 1e6 / count);
        rni_lab_table_number(&lab->table, contender->ms / field->of[k / 3 * 3].ms);
    }
    return RN_OK;
}

/* What the conclusion is made of, for one method. */
typedef struct gain {
    double tests;       /* the least candidates of H > 1 as a part of those of H = 1 */
    double least, most; /* time of the better of H = 2, 3 as a part of that of H = 1 */
    uint32_t wins, rows;
} gain;

static gain add_up(const gain *before, const rni_lab_field *field, uint32_t first)
{
    gain g = *before;
    const rni_lab_contender *of = &field->of[first];
    if (isnan(of[0].ms)) return g;
    double time = fmin(of[1].ms, of[2].ms) / of[0].ms;
    double base = (double)of[0].stats.candidate_count;
    for (uint32_t k = 1; k < 3; k++)
        if (!isnan(of[k].ms) && of[k].stats.candidate_count > 0)
            g.tests = fmin(g.tests, (double)of[k].stats.candidate_count / base);
    g.least = fmin(g.least, time);
    g.most = fmax(g.most, time);
    g.wins += time < WIN;
    g.rows++;
    return g;
}

static void describe(const gain *g, const char *method, char text[160])
{
    if (g->rows == 0) snprintf(text, 160, "%s was not measured", method);
    else
        snprintf(text, 160,
                 "with %s a larger mask tests as few as %.0f %% of the candidates and takes "
                 "%.2f to %.2f times the time, less in %u of %u cases",
                 method, g->tests * 100, g->least, g->most, g->wins, g->rows);
}

static void conclude(rni_lab *lab, const gain gains[2])
{
    char text[2][160];
    uint32_t wins = 0;
    uint32_t rows = 0;
    for (uint32_t m = 0; m < 2; m++) {
        describe(&gains[m], methods[m], text[m]);
        wins += gains[m].wins;
        rows += gains[m].rows;
    }
    const char *verdict = rows == 0      ? "cannot be judged"
                          : wins == rows ? "holds"
                          : wins > 0     ? "holds in part"
                                         : "does not hold";
    rni_lab_conclude(lab, verdict,
                     "The claim that masks of smaller cells make the search faster %s here: %s; "
                     "%s.",
                     verdict, text[0], text[1]);
}

static rn_result plot(const rni_lab *lab, uint32_t count)
{
    char subtitle[128];
    snprintf(subtitle, sizeof subtitle, "%u uniform points in a cube, cells of radius / H, %s",
             count, lab->is_threads_given ? "threads as asked for" : "as published, one thread");
    rni_chart chart = {.title = "H-mask: smaller cells, larger masks",
                       .subtitle = subtitle,
                       .x_label = "neighbours a point",
                       .y_label = "nanoseconds per point",
                       .x_log = true,
                       .y_log = true};
    rn_result result = rni_lab_plot_groups(lab, NULL, chart, METHOD, NEIGHBORS, NS);
    if (result != RN_OK) return result;
    chart.title = "H-mask: distance tests";
    chart.y_label = "candidates per neighbour";
    chart.y_log = false;
    chart.y_from_zero = true;
    return rni_lab_plot_groups(lab, "candidates", chart, METHOD, NEIGHBORS, TESTS);
}

static rn_result run(rni_lab *lab)
{
    static const double wanted[] = {2, 5, 10, 20, 40, 80, 160};
    uint32_t count = lab->is_quick ? 3000 : 100000;
    uint32_t step = lab->is_quick ? 3 : 1;
    const rni_lab_effort effort =
        lab->is_quick ? (rni_lab_effort){1, 0.01, 0.1, 0} : (rni_lab_effort){3, 0.6, 3, 0};
    rni_lab_field field = {.lab = lab};
    rn_search_def def = rni_lab_paper_def(lab);
    gain gains[2] = {{(double)NAN, (double)NAN, (double)NAN, 0, 0},
                     {(double)NAN, (double)NAN, (double)NAN, 0, 0}};
    float *position = malloc((size_t)count * 3 * sizeof *position);
    if (!position) return rni_fail(RN_ERROR_MEMORY, "no memory for %u points", count);
    def.radius = 1;
    for (uint32_t k = 0; k < 6; k++) {
        char title[40];
        snprintf(title, sizeof title, "%s, H = %u", methods[k / 3], k % 3 + 1);
        def.h_mask = k % 3 + 1;
        rni_lab_add(&field, &def, methods[k / 3], title);
    }
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, 6 / step + 1);
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < 7 && result == RN_OK; k += step) {
        rni_lab_begin_case(lab, "about %g neighbours per point", wanted[k]);
        rni_lab_fill_uniform(position, 3, count, cbrt(count * BALL / wanted[k]), 3 + k);
        result = rni_lab_measure(&field, &effort, position, count);
        if (result == RN_OK) result = add_rows(lab, &field);
        for (uint32_t m = 0; m < 2; m++) gains[m] = add_up(&gains[m], &field, m * 3);
    }
    if (result == RN_OK) result = plot(lab, count);
    if (result == RN_OK) conclude(lab, gains);
    free(position);
    return result;
}

const rni_lab_experiment rni_lab_h_mask = {
    .name = "h-mask",
    .summary = "H-masks 1, 2, 3 on cell sorting and on the hash: candidates and time",
    .source = "Onderik and Durikovic 2008, section 3.3 and figure 3",
    .claim = "masks of smaller cells find neighbours with sub-cell precision and skip corner cells",
    .run = run,
};
