#include "lab/lab.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rn_search_def rni_lab_own_def(const rni_lab *lab)
{
    rn_search_def def = rn_search_def_default();
    def.threads = lab->threads;
    return def;
}

rn_search_def rni_lab_paper_def(const rni_lab *lab)
{
    rn_search_def def = rni_lab_own_def(lab);
    if (lab->is_threads_given) return def;
    def.threads = 1;
    def.as_published = true;
    return def;
}

rni_lab_contender *rni_lab_add(rni_lab_field *field, const rn_search_def *def, const char *method,
                               const char *title)
{
    assert(field->count < RNI_LAB_MAX_CONTENDERS);
    rni_lab_contender *contender = &field->of[field->count++];
    *contender = (rni_lab_contender){.def = *def, .ms = (double)NAN};
    snprintf(contender->name, sizeof contender->name, "%s", title ? title : method);
    contender->is_missing = rn_search_method_from_name(method, &contender->def.method) != RN_OK;
    if (contender->is_missing)
        rni_lab_note(field->lab, "%s: skipped, not in this build", contender->name);
    return contender;
}

void rni_lab_add_all(rni_lab_field *field, const rn_search_def *def)
{
    const rn_search_method_info *info;
    for (uint32_t place = 0; (info = rn_search_get_method_info(place)) != NULL; place++)
        if (strcmp(info->name, "auto") != 0) rni_lab_add(field, def, info->name, NULL);
}

const rni_lab_contender *rni_lab_find(const rni_lab_field *field, const char *name)
{
    for (uint32_t k = 0; k < field->count; k++)
        if (strcmp(field->of[k].name, name) == 0 && !isnan(field->of[k].ms)) return &field->of[k];
    return NULL;
}

double rni_lab_neighbors(const rni_lab_field *field)
{
    for (uint32_t k = 0; k < field->count; k++) {
        const rn_search_stats *stats = &field->of[k].stats;
        if (!isnan(field->of[k].ms) && stats->point_count)
            return (double)stats->entry_count / (double)stats->point_count;
    }
    return (double)NAN;
}

void rni_lab_fill_uniform(float *position, uint32_t dim, uint32_t count, double side, uint64_t seed)
{
    rni_random random = rni_random_make(seed);
    for (size_t k = 0; k < (size_t)count * dim; k++)
        position[k] = (float)(rni_random_unit(&random) * side);
}

/* One round: a new search, and updates until its share of the time is spent. The first update, on
 * fresh memory, counts too: for slow methods it is the only one. */
static rn_result run_round(rni_lab_contender *contender, const rni_lab_effort *effort,
                           rn_points points, double *spent)
{
    rn_search *search = NULL;
    double share = effort->seconds / effort->rounds;
    double begun = *spent;
    rn_result result = rn_search_create(&contender->def, &search);
    for (uint32_t rep = 0; result == RN_OK; rep++) {
        if (rep > 0 && *spent >= effort->seconds_most) break;
        if (rep > 1 && *spent - begun >= share) break;
        double begin = rni_seconds();
        result = rn_search_update(search, points);
        double wall = rni_seconds() - begin;
        if (result != RN_OK) break;
        *spent += wall;
        contender->ms = fmin(contender->ms, wall * 1e3);
        /* Not the first, where there is another: it tests twice when lists outgrow their buffer. */
        if (rep > 0 || contender->stats.point_count == 0)
            contender->stats = rn_search_stats_default();
        rn_search_get_stats(search, &contender->stats);
    }
    rn_search_destroy(search);
    return result;
}

static double fastest_ms(const rni_lab_field *field)
{
    double best = (double)NAN;
    for (uint32_t k = 0; k < field->count; k++) best = fmin(best, field->of[k].ms);
    return best;
}

static rn_result check_pairs(const rni_lab_field *field)
{
    const rni_lab_contender *first = NULL;
    for (uint32_t k = 0; k < field->count; k++) {
        const rni_lab_contender *contender = &field->of[k];
        if (isnan(contender->ms)) continue;
        if (!first) first = contender;
        if (contender->stats.entry_count != first->stats.entry_count)
            return rni_fail(RN_ERROR_ARGUMENT, "%s finds %llu pairs but %s %llu", first->name,
                            (unsigned long long)first->stats.entry_count / 2, contender->name,
                            (unsigned long long)contender->stats.entry_count / 2);
    }
    return RN_OK;
}

rn_result rni_lab_measure(rni_lab_field *field, const rni_lab_effort *effort, const float *position,
                          uint32_t count)
{
    rn_points points = {position, 0, count, RN_SCALAR_FLOAT};
    double spent[RNI_LAB_MAX_CONTENDERS] = {0};
    for (uint32_t k = 0; k < field->count; k++) {
        field->of[k].ms = (double)NAN;
        field->of[k].stats = (rn_search_stats){0};
    }
    for (uint32_t round = 0; round < effort->rounds; round++) {
        double best = fastest_ms(field);
        for (uint32_t k = 0; k < field->count; k++) {
            rni_lab_contender *contender = &field->of[k];
            if (contender->is_missing || contender->is_out) continue;
            if (round > 0 && spent[k] >= effort->seconds_most) continue;
            if (round > 0 && effort->hopeless > 0 && contender->ms > effort->hopeless * best)
                continue;
            if (run_round(contender, effort, points, &spent[k]) == RN_OK) continue;
            rni_lab_note(field->lab, "%s: skipped: %s", contender->name, rn_last_error());
            contender->is_out = true;
            contender->ms = (double)NAN;
        }
    }
    return check_pairs(field);
}
