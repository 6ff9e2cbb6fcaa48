/* CSV tables of experiments, whose rows belong to several cases: text in a column says to which, or the first number goes
 * back or stays. They are drawn as the rows of JSON are (plot_rows.c). */
#include "cli/plot_json.h"

#include "base/error.h"
#include "files/csv.h"

#include <math.h>
#include <stdlib.h>

/* Longer tables are logs of one case. */
#define MAX_ROWS 20000u

static bool is_number(const char *text, double *value)
{
    char *end = NULL;
    *value = strtod(text, &end);
    return end != text && !*end;
}

bool rni_plot_is_table(const char *path)
{
    rni_csv csv;
    rn_result result = rni_csv_open(path, &csv);
    double last = -(double)INFINITY, x;
    bool is_table = false, is_log = false;
    if (result != RN_OK) return false;
    is_log = csv.column_count < 2;
    for (uint32_t n = 0; !is_log && !is_table && rni_csv_next(&csv, &result); n++) {
        const bool has_x = is_number(csv.cell[0], &x);
        is_table = has_x ? x <= last : n == 0 && csv.cell[0][0];
        is_log = !has_x || n == MAX_ROWS;
        last = x;
    }
    rni_csv_close(&csv);
    return is_table;
}

static rn_result take_row(const rni_csv *csv, json_t *rows)
{
    json_t *row = json_object();
    if (!row || json_array_append_new(rows, row) != 0)
        return rni_fail(RN_ERROR_MEMORY, "%s: no memory", csv->path);
    for (uint32_t k = 0; k < csv->column_count; k++) {
        double value;
        if (!csv->cell[k][0]) continue;
        json_t *cell = !is_number(csv->cell[k], &value) ? json_string(csv->cell[k])
                       : isfinite(value)                ? json_real(value)
                                                        : NULL;
        if (cell && json_object_set_new(row, csv->title[k], cell) != 0)
            return rni_fail(RN_ERROR_MEMORY, "%s: no memory", csv->path);
    }
    return RN_OK;
}

rn_result rni_plot_table(const rni_plot_order *order)
{
    rni_csv csv;
    json_t *rows = json_array();
    if (!rows) return rni_fail(RN_ERROR_MEMORY, "%s: no memory", order->input);
    rn_result result = rni_csv_open(order->input, &csv);
    if (result == RN_OK) {
        while (rni_csv_next(&csv, &result) && result == RN_OK) {
            result = json_array_size(rows) < MAX_ROWS
                         ? take_row(&csv, rows)
                         : rni_fail(RN_ERROR_FILE, "%s: more than %u rows of several cases",
                                    order->input, MAX_ROWS);
            if (result != RN_OK) break;
        }
        rni_csv_close(&csv);
    }
    if (result == RN_OK) result = rni_plot_rows(order, rows);
    json_decref(rows);
    return result;
}
