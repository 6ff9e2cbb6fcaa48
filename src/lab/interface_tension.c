/* A drop of oil in water without gravity: the pressure in it and its period against the tension of the interface. */
#include "lab/drops.h"

#include <math.h>
#include <stdio.h>

/* Errors of the pressure and of the period at the finest resolution, and of coarser periods. */
#define ALLOWED_AT_REST 0.1
#define ALLOWED_SWING   0.05
#define ALLOWED_COARSE  0.1

enum { WHAT, RATIO, CASE, RESOLUTION, PARTICLES, FOUND, EXACT, ERROR, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"what", "what", true, 0},         {"density_ratio", "density ratio", false, 3},
    {"case", "case", true, 0},         {"radius_spacings", "radius / spacing", false, 0},
    {"particles", "of oil", false, 0}, {"found", "s or Pa", false, 4},
    {"exact", "exact", false, 4},      {"error_percent", "error %", false, 2},
};

/* Those that swing have periods. */
static bool is_swing(const rni_lab_drop_case *d)
{
    return d->periods > 0;
}

static rn_result run_case(const rni_lab *lab, void *drop, rni_lab_trace *trace)
{
    return is_swing(drop) ? rni_lab_drop_swing(lab, drop, trace)
                          : rni_lab_drop_rest(lab, drop, trace);
}

static void name(const void *drop, char text[64])
{
    const rni_lab_drop_case *d = drop;
    snprintf(text, 64, "%s, %uD, 1:%g, R = %u spacings", is_swing(d) ? "elongation" : "pressure",
             d->dim, d->ratio, d->resolution);
}

static void fill_row(const void *drop, rni_lab_table *table)
{
    rni_lab_table_text(table, is_swing(drop) ? "period" : "pressure");
    rni_lab_table_number(table, ((const rni_lab_drop_case *)drop)->ratio);
    rni_lab_drop_row(drop, table, ERROR - CASE);
}

/* Whether no finer case of the same kind follows. */
static bool is_finest(const rni_lab_drop_case *drops, uint32_t k, uint32_t count)
{
    return k + 1 == count || is_swing(&drops[k]) != is_swing(&drops[k + 1]) ||
           drops[k].dim != drops[k + 1].dim || drops[k].ratio != drops[k + 1].ratio;
}

/* Of the pressure the finest counts, as in the experiment laplace. */
static void conclude(rni_lab *lab, const void *cases, uint32_t count)
{
    const rni_lab_drop_case *drops = cases;
    rni_lab_words rest = {0}, swings = {0};
    bool is_right = true, is_any_right = false;
    for (uint32_t k = 0; k < count; k++) {
        const bool swing = is_swing(&drops[k]), is_last = is_finest(drops, k, count);
        const double most = !swing ? ALLOWED_AT_REST : is_last ? ALLOWED_SWING : ALLOWED_COARSE;
        const bool is_within = fabs(rni_lab_drop_error(&drops[k])) <= most;
        if (swing || is_last) is_right &= is_within;
        is_any_right |= is_within;
        rni_lab_words *words = swing ? &swings : &rest;
        rni_lab_words_add(words, "%+.1f %% (1:%g, %uD, R = %u s)",
                          100 * rni_lab_drop_error(&drops[k]), drops[k].ratio, drops[k].dim,
                          drops[k].resolution);
    }
    const char *verdict = rni_lab_verdict(is_right, is_any_right);
    rni_lab_conclude(
        lab, verdict,
        "The claim that an interface has its tension %s here: in a drop of oil the pressure differs from that of "
        "Young and Laplace by %s, with a bound of 10 %% at the finest; its period from that of Lamb by %s, with bounds of "
        "5 %% at the finest and 10 %% at coarser ones.",
        verdict, rest.text, swings.text);
}

static rn_result run(rni_lab *lab)
{
    rni_lab_drop_case full[] = {
        {.dim = 2, .resolution = 20, .ratio = 1},
        {.dim = 2, .resolution = 10, .ratio = 1.1},
        {.dim = 2, .resolution = 20, .ratio = 1.1},
        {.dim = 2, .resolution = 20, .ratio = 3},
        {.dim = 3, .resolution = 8, .ratio = 1.1},
        {.dim = 2, .resolution = 20, .ratio = 1, .periods = 1.5},
        {.dim = 2, .resolution = 10, .ratio = 1.1, .periods = 1.5},
        {.dim = 2, .resolution = 20, .ratio = 1.1, .periods = 1.5},
        {.dim = 2, .resolution = 20, .ratio = 3, .periods = 1.5},
        {.dim = 3, .resolution = 8, .ratio = 1.1, .periods = 1},
    };
    rni_lab_drop_case quick[] = {{.dim = 2, .resolution = 10, .ratio = 1.1},
                                 {.dim = 2, .resolution = 10, .ratio = 1.1, .periods = 1}};
    return rni_lab_study_run(
        lab,
        &(rni_lab_study){columns, COLUMN_COUNT, RNI_LAB_CASES(lab, full, quick), .name = name,
                         .run = run_case, .row = fill_row, .conclude = conclude,
                         .chart = {.title = "A drop of oil in water",
                                   .x_label = "time, s",
                                   .y_label = "elongation; pressure / that of Young and Laplace"}});
}

const rni_lab_experiment rni_lab_interface_tension = {
    .name = "interface-tension",
    .summary = "pressure in a drop of oil in water, and its period, against the interface tension",
    .source = "Lamb 1932, Young 1805, Laplace 1806",
    .claim = "the interface between two fluids has the tension that its coefficient says",
    .run = run,
};
