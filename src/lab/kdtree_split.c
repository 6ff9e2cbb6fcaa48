/* Poirrier (2009), table 1: the effect of splitting elements at cell faces on cells and candidates.
 * The root cell of the paper is not published; here it is the box around all elements. */
#include "lab/boxes.h"

#include "base/pi.h"

#include <math.h>
#include <stdio.h>

enum {
    DENSITY,
    SPLIT,
    PARTS,
    PAPER_PARTS,
    RATIO,
    PAPER_RATIO,
    CANDIDATES,
    PAPER_CANDIDATES,
    TRUE_PAIRS,
    PAPER_TRUE,
    COLUMN_COUNT
};

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"d", "d", false, 3},
    {"splitting", "splitting", true, 0},
    {"parts_per_element", "parts/N", false, 3},
    {"paper_parts_per_element", "(paper)", false, 3},
    {"volume_ratio", "Vn/Ve", false, 4},
    {"paper_volume_ratio", "(paper)", false, 4},
    {"candidates", "candidates", false, 0},
    {"paper_candidates", "(paper)", false, 0},
    {"true_pairs", "true pairs", false, 0},
    {"paper_true_pairs", "(paper)", false, 0},
};

/* Without splitting, with it; the paper counts repeats with it. */
static const struct {
    double d, parts[2], ratio[2], candidates[2], true_pairs[2];
} published[] = {
    {0.01, {1, 6.37}, {8.0275e6, 10.9362}, {1261197, 4928}, {389, 429}},
    {0.05, {1, 6.67}, {1.5836e6, 10.8227}, {1834155, 25643}, {1901, 2660}},
    {0.1, {1, 6.24}, {1.3439e6, 13.4065}, {2300212, 62148}, {3715, 6235}},
    {0.5, {1, 6.35}, {2.9324e6, 13.4745}, {4193598, 280736}, {16227, 63454}},
    {1.0, {1, 6.01}, {4.0032e6, 12.5170}, {5552230, 492790}, {28144, 72176}},
};
#define ROW_COUNT (sizeof published / sizeof *published)

static rn_result add_row(rni_lab *lab, const rni_settling *s, uint32_t p, int is_split,
                         uint64_t true_pairs)
{
    rn_broadphase_def def = rni_lab_box_def(lab, 3, RN_BROADPHASE_LINEAR_KDTREE);
    def.kd_split = is_split;
    rni_lab_boxer boxer;
    rn_boxes boxes = rni_settling_boxes(s);
    rn_result result = rni_lab_boxer_open(&boxer, "linear-kdtree", &def);
    if (result == RN_OK) result = rni_lab_boxer_pairs(&boxer, &boxes);
    if (result == RN_OK) result = rni_lab_table_row(&lab->table);
    if (result == RN_OK) {
        rni_lab_table *table = &lab->table;
        bool is_theirs = s->count == 10000;
        rni_lab_table_number(table, published[p].d);
        rni_lab_table_text(table, is_split ? "with" : "without");
        rni_lab_table_number(table, (double)boxer.stats.element_count / s->count);
        rni_lab_table_number(table, published[p].parts[is_split]);
        rni_lab_table_number(table, boxer.stats.volume_ratio * 6 / RNI_PI); /* of spheres, not boxes */
        rni_lab_table_number(table, is_theirs ? published[p].ratio[is_split] : (double)NAN);
        rni_lab_table_number(table, (double)boxer.stats.candidate_count);
        rni_lab_table_number(table, is_theirs ? published[p].candidates[is_split] : (double)NAN);
        rni_lab_table_number(table, (double)true_pairs);
        rni_lab_table_number(table, is_theirs ? published[p].true_pairs[is_split] : (double)NAN);
    }
    rni_lab_boxer_close(&boxer);
    return result;
}

static rn_result run_density(rni_lab *lab, uint32_t p, uint32_t count)
{
    rni_settling s;
    rni_lab_begin_case(lab, "%u spheres, d = %g", count, published[p].d);
    uint64_t true_pairs = 0;
    rn_result result = rni_settling_open(&s, count, published[p].d, 40 + p);
    if (result == RN_OK) result = rni_settling_touching(&s, &true_pairs);
    for (int is_split = 0; is_split < 2 && result == RN_OK; is_split++)
        result = add_row(lab, &s, p, is_split, true_pairs);
    rni_settling_close(&s);
    return result;
}

static rn_result plot(const rni_lab *lab)
{
    rni_chart chart = {.title = "Linear kd-tree: candidates with and without splitting",
                       .subtitle = "spheres uniform in a cube, root cell around all of them",
                       .x_label = "volume of the spheres / volume of the cube",
                       .y_label = "candidate pairs",
                       .x_log = true,
                       .y_log = true};
    return rni_lab_plot_groups(lab, NULL, chart, SPLIT, DENSITY, CANDIDATES);
}

static void conclude(rni_lab *lab)
{
    double least_parts = (double)INFINITY, most_parts = 0, least_gain = (double)INFINITY,
           most_gain = 0;
    double least_volume = (double)INFINITY, most_volume = 0;
    for (uint32_t r = 0; r + 1 < lab->table.row_count; r += 2) {
        const rni_lab_table *t = &lab->table;
        double parts = rni_lab_table_at(t, r + 1, PARTS);
        double gain = rni_lab_table_at(t, r, CANDIDATES) / rni_lab_table_at(t, r + 1, CANDIDATES);
        double volume = rni_lab_table_at(t, r, RATIO) / rni_lab_table_at(t, r + 1, RATIO);
        least_parts = fmin(least_parts, parts);
        most_parts = fmax(most_parts, parts);
        least_gain = fmin(least_gain, gain);
        most_gain = fmax(most_gain, gain);
        least_volume = fmin(least_volume, volume);
        most_volume = fmax(most_volume, volume);
    }
    bool is_fewer = least_gain >= 10.0, is_cheap = most_parts <= 6.7;
    const char *verdict = rni_lab_verdict(is_fewer && is_cheap, is_fewer || is_cheap);
    rni_lab_conclude(
        lab, verdict,
        "The claim that splitting gives 10 to 100 times fewer candidates for about 6.5 times "
        "the elements %s here: %.0f to %.0f times fewer candidates for %.1f to %.1f times the "
        "elements; cells shrink by a factor of %.3g to %.3g, which depends on the root cell "
        "(not published in the paper).",
        verdict, least_gain, most_gain, least_parts, most_parts, least_volume, most_volume);
}

static rn_result run(rni_lab *lab)
{
    uint32_t count = lab->is_quick ? 2000 : 10000;
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, ROW_COUNT);
    rn_result result = RN_OK;
    for (uint32_t p = 0; p < ROW_COUNT && result == RN_OK; p++) result = run_density(lab, p, count);
    if (result == RN_OK) result = plot(lab);
    if (result == RN_OK) conclude(lab);
    return result;
}

const rni_lab_experiment rni_lab_kdtree_table1 = {
    .name = "kdtree-table1",
    .summary = "the linear kd-tree with and without splitting: cells, candidates, true pairs",
    .source = "Poirrier 2009, table 1",
    .claim = "splitting gives 10 to 100 times fewer candidates, for about 6.5 times the elements",
    .run = run,
};
