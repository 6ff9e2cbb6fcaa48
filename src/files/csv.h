/* CSV tables with one line of titles, row by row: memory does not grow with the rows.
 *
 * Input:  cells separated by commas, semicolons or tabs, whichever the titles use; cells may be quoted;
 *         empty lines and lines that begin with # are skipped. Hostile files are fine.
 * Errors: `FILE:LINE: ` and a sentence.
 */
#ifndef RNI_FILES_CSV_H
#define RNI_FILES_CSV_H

#include <runnel/base.h>

#include <stdio.h>

#define RNI_CSV_MAX_COLUMNS 4096u

typedef struct rni_csv {
    const char *path; /* borrowed */
    FILE *file;
    char *line; /* split into cells */
    size_t line_capacity;
    uint64_t line_number; /* from 1 */
    uint64_t end;         /* bytes up to the end of the row, when it was complete */
    char separator;
    bool is_cut;   /* the last row has no line end: its writer was interrupted */
    bool has_zero; /* the line holds a zero byte: it is not text */
    uint32_t column_count;
    char **title;
    char **cell; /* of the present row, without blanks around; "" where the row is shorter */
    char *titles;
} rni_csv;

/* Reads the titles. On failure *csv needs no close. */
rn_result rni_csv_open(const char *path, rni_csv *csv);
/* The same for an open file, which is closed with the table, also on failure. */
rn_result rni_csv_begin(FILE *file, const char *name, rni_csv *csv);
/* The next row; false: the end, or a failure in *result. */
bool rni_csv_next(rni_csv *csv, rn_result *result);
/* The number in a cell; NaN for an empty one. */
rn_result rni_csv_number(const rni_csv *csv, uint32_t column, double *value);
void rni_csv_close(rni_csv *csv);

#endif
