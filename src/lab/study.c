#include "lab/study.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static rn_result run_case(rni_lab *lab, const rni_lab_study *s, void *one, rni_lab_traces *traces)
{
    char name[64] = "";
    s->name(one, name);
    rn_result result = s->run(lab, one, rni_lab_begin_traced_case(lab, traces, "%s", name));
    if (result == RN_OK) result = rni_lab_table_row(&lab->table);
    if (result == RN_OK) s->row(one, &lab->table);
    return result;
}

rn_result rni_lab_study_run(rni_lab *lab, const rni_lab_study *s)
{
    rni_lab_traces traces = {0};
    rni_lab_begin_table(lab, s->columns, s->column_count, s->case_count);
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < s->case_count && result == RN_OK; k++)
        result = run_case(lab, s, (char *)s->cases + k * s->case_bytes, &traces);
    if (result == RN_OK && s->compare) result = s->compare(&traces);
    if (result == RN_OK) s->conclude(lab, s->cases, s->case_count);
    return rni_lab_traces_end(lab, result, s->chart, &traces);
}

void rni_lab_table_numbers(rni_lab_table *table, const double *numbers, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) rni_lab_table_number(table, numbers[k]);
}

rn_result rni_lab_sample(rn_fluid *fluid, const rni_lab_sampling *s)
{
    rn_result result = RN_OK;
    double next = 0;
    while (result == RN_OK && rn_fluid_get_time(fluid) < s->end) {
        result = rn_fluid_step(fluid, NULL);
        const double time = rn_fluid_get_time(fluid);
        if (result != RN_OK || time < next) continue;
        result = s->sample(s->user, fluid, time);
        next += s->every;
    }
    return result;
}

double rni_lab_mean_of(const rni_lab_mean *mean)
{
    return mean->count > 0 ? mean->sum / mean->count : (double)NAN;
}

void rni_lab_words_add(rni_lab_words *words, const char *format, ...)
{
    const uint32_t room = sizeof words->text;
    if (words->used > 0 && words->used < room)
        words->used += (uint32_t)snprintf(words->text + words->used, room - words->used, ", ");
    if (words->used >= room) return;
    va_list values;
    va_start(values, format);
    const int more = vsnprintf(words->text + words->used, room - words->used, format, values);
    va_end(values);
    words->used += more > 0 ? (uint32_t)more : 0;
}
