#include "lab/water.h"

#include "base/error.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

rni_lab_trace *rni_lab_trace_begin(rni_lab_traces *traces, const char *format, ...)
{
    assert(traces->count < RNI_LAB_MAX_TRACES);
    rni_lab_trace *trace = &traces->of[traces->count++];
    va_list values;
    va_start(values, format);
    vsnprintf(trace->name, sizeof trace->name, format, values);
    va_end(values);
    return trace;
}

rni_lab_trace *rni_lab_begin_traced_case(const rni_lab *lab, rni_lab_traces *traces,
                                         const char *format, ...)
{
    char what[sizeof traces->of[0].name];
    va_list values;
    va_start(values, format);
    vsnprintf(what, sizeof what, format, values);
    va_end(values);
    rni_lab_step(lab, what);
    return rni_lab_trace_begin(traces, "%s", what);
}

rn_result rni_lab_trace_add(rni_lab_trace *trace, double x, double y)
{
    if (trace->count == trace->capacity) {
        uint32_t capacity = trace->capacity ? 2 * trace->capacity : 64;
        double *xs = realloc(trace->x, capacity * sizeof *xs);
        if (xs) trace->x = xs;
        double *ys = realloc(trace->y, capacity * sizeof *ys);
        if (ys) trace->y = ys;
        if (!xs || !ys)
            return rni_fail(RN_ERROR_MEMORY, "no memory for a curve of %u points", capacity);
        trace->capacity = capacity;
    }
    trace->x[trace->count] = x;
    trace->y[trace->count++] = y;
    return RN_OK;
}

double rni_lab_trace_at(const rni_lab_trace *trace, double x)
{
    if (x <= trace->x[0]) return trace->y[0];
    for (uint32_t k = 1; k < trace->count; k++) {
        if (x > trace->x[k]) continue;
        double part = (x - trace->x[k - 1]) / (trace->x[k] - trace->x[k - 1]);
        return trace->y[k - 1] + part * (trace->y[k] - trace->y[k - 1]);
    }
    return trace->y[trace->count - 1];
}

rn_result rni_lab_trace_table(rni_lab_traces *traces, const char *name, const double (*table)[2],
                              uint32_t count)
{
    rni_lab_trace *trace = rni_lab_trace_begin(traces, "%s", name);
    trace->is_points = true;
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < count && result == RN_OK; k++)
        result = rni_lab_trace_add(trace, table[k][0], table[k][1]);
    return result;
}

rn_result rni_lab_traces_plot(const rni_lab *lab, const char *part, rni_chart chart,
                              const rni_lab_traces *traces)
{
    rni_chart_series series[RNI_LAB_MAX_TRACES];
    bool dots[RNI_LAB_MAX_TRACES];
    for (uint32_t k = 0; k < traces->count; k++) {
        const rni_lab_trace *trace = &traces->of[k];
        series[k] = (rni_chart_series){trace->name, trace->x, trace->y, trace->count};
        dots[k] = trace->is_points;
    }
    chart.series = series;
    chart.series_count = traces->count;
    chart.has_dots = dots;
    chart.hide_marks = true;
    return rni_lab_plot(lab, part, &chart);
}

void rni_lab_traces_release(rni_lab_traces *traces)
{
    for (uint32_t k = 0; k < traces->count; k++) {
        free(traces->of[k].x);
        free(traces->of[k].y);
    }
    *traces = (rni_lab_traces){0};
}

rn_result rni_lab_traces_end(const rni_lab *lab, rn_result result, rni_chart chart,
                             rni_lab_traces *traces)
{
    if (result == RN_OK) result = rni_lab_traces_plot(lab, NULL, chart, traces);
    rni_lab_traces_release(traces);
    return result;
}
