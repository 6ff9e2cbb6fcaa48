/* gauges.csv once more, as a table in the HDF5 file of a run that has ended. */
#include "session/run.h"

#include "base/error.h"
#include "files/csv.h"
#include "output/h5.h"

#include <stdlib.h>
#include <string.h>

/* The columns of a file in memory: one block each. */
typedef struct columns {
    uint32_t count;
    uint64_t rows, capacity;
    double **column;
    char **name, **unit; /* parts of the titles */
} columns;

static void release(columns *c)
{
    for (uint32_t k = 0; c->column && k < c->count; k++) free(c->column[k]);
    free(c->column);
    free(c->name);
    free(c->unit);
}

/* "level [m]" becomes name and unit, in place. */
static rn_result take_titles(columns *c, rni_csv *csv)
{
    static char NONE[1] = "";
    c->count = csv->column_count;
    c->column = calloc(c->count, sizeof *c->column);
    c->name = calloc(c->count, sizeof *c->name);
    c->unit = calloc(c->count, sizeof *c->unit);
    if (!c->column || !c->name || !c->unit)
        return rni_fail(RN_ERROR_MEMORY, "no memory for %u columns", c->count);
    for (uint32_t k = 0; k < c->count; k++) {
        char *unit = strstr(csv->title[k], " [");
        c->name[k] = csv->title[k];
        c->unit[k] = unit ? unit + 2 : NONE;
        if (unit) *unit = 0;
        c->unit[k][strcspn(c->unit[k], "]")] = 0;
    }
    return RN_OK;
}

static rn_result grow(columns *c)
{
    const uint64_t capacity = c->capacity ? 2 * c->capacity : 1024;
    for (uint32_t k = 0; k < c->count; k++) {
        double *larger = realloc(c->column[k], (size_t)capacity * sizeof *larger);
        if (!larger) return rni_fail(RN_ERROR_MEMORY, "no memory for the samples of gauges");
        c->column[k] = larger;
    }
    c->capacity = capacity;
    return RN_OK;
}

static rn_result take_rows(columns *c, rni_csv *csv)
{
    rn_result result = RN_OK;
    while (rni_csv_next(csv, &result)) {
        if (c->rows == c->capacity) result = grow(c);
        for (uint32_t k = 0; k < c->count && result == RN_OK; k++)
            result = rni_csv_number(csv, k, &c->column[k][c->rows]);
        if (result != RN_OK) return result;
        c->rows++;
    }
    return result;
}

rn_result rni_run_gauges_table(rni_run *run)
{
    char path[RNI_PATH_BYTES];
    columns c = {0};
    rni_csv csv;
    if (!run->gauge_file || !(run->state.formats >> RNI_FORMAT_H5 & 1)) return RN_OK;
    rni_run_path(run, RNI_GAUGE_FILE, path);
    rn_result result = rni_run_gauges_sync(run);
    if (result == RN_OK) result = rni_csv_open(path, &csv);
    if (result != RN_OK) return result;
    result = take_titles(&c, &csv);
    if (result == RN_OK) result = take_rows(&c, &csv);
    if (result == RN_OK) {
        const rni_h5_table table = {.group = "gauges",
                                    .column_count = c.count,
                                    .row_count = c.rows,
                                    .name = (const char *const *)c.name,
                                    .unit = (const char *const *)c.unit,
                                    .column = (const double *const *)c.column};
        result = rni_series_put_table(&run->series, &table);
    }
    release(&c);
    rni_csv_close(&csv);
    return result;
}
