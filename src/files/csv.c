#include "files/csv.h"

#include "base/error.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* One line that is neither empty nor a comment; false at the end. */
static bool next_line(rni_csv *csv)
{
    ssize_t got;
    while ((got = getline(&csv->line, &csv->line_capacity, csv->file)) > 0) {
        csv->line_number++;
        csv->is_cut = csv->line[got - 1] != '\n';
        csv->has_zero = strlen(csv->line) < (size_t)got;
        csv->end += (uint64_t)got;
        const char *c = csv->line;
        while (is_blank(*c)) c++;
        if (*c && *c != '#') return true;
    }
    return false;
}

/* Cuts a line into cells, in place; returns how many there are. */
static uint32_t split(char *line, char separator, char **cells, uint32_t capacity)
{
    uint32_t count = 0;
    char *at = line;
    for (;;) {
        while (*at && *at != separator && is_blank(*at)) at++;
        const bool is_quoted = *at == '"';
        char *begin = is_quoted ? ++at : at, *end;
        if (is_quoted) {
            end = strchr(at, '"');
            if (!end) end = at + strlen(at);
            at = end + strcspn(end, (char[2]){separator, 0});
        } else {
            at += strcspn(at, (char[2]){separator, 0});
            end = at;
            while (end > begin && is_blank(end[-1])) end--;
        }
        const bool is_last = !*at;
        *end = 0;
        if (count < capacity) cells[count] = begin;
        count++;
        if (is_last) return count;
        at++;
    }
}

static char separator_of(const char *line)
{
    if (strchr(line, ',')) return ',';
    if (strchr(line, ';')) return ';';
    return strchr(line, '\t') ? '\t' : ',';
}

static rn_result take_titles(rni_csv *csv)
{
    const bool has_line = next_line(csv);
    if (ferror(csv->file))
        return rni_fail(RN_ERROR_FILE, "%s: cannot be read: %s", csv->path, strerror(errno));
    if (!has_line)
        return rni_fail(RN_ERROR_FILE, "%s: is empty; it must begin with a line of titles",
                        csv->path);
    if (csv->has_zero) return rni_fail(RN_ERROR_FILE, "%s: is not text", csv->path);
    if (strncmp(csv->line, "\xef\xbb\xbf", 3) == 0)
        memmove(csv->line, csv->line + 3, strlen(csv->line + 3) + 1);
    csv->separator = separator_of(csv->line);
    csv->titles = strdup(csv->line);
    uint32_t count = 1;
    for (const char *c = csv->line; *c; c++) count += *c == csv->separator;
    if (count > RNI_CSV_MAX_COLUMNS)
        return rni_fail(RN_ERROR_FILE, "%s: has %u columns; at most %u are read", csv->path, count,
                        RNI_CSV_MAX_COLUMNS);
    csv->title = calloc(count, sizeof *csv->title);
    csv->cell = calloc(count, sizeof *csv->cell);
    if (!csv->titles || !csv->title || !csv->cell)
        return rni_fail(RN_ERROR_MEMORY, "%s: no memory for its titles", csv->path);
    csv->column_count = split(csv->titles, csv->separator, csv->title, count);
    return RN_OK;
}

rn_result rni_csv_begin(FILE *file, const char *name, rni_csv *csv)
{
    *csv = (rni_csv){.path = name, .file = file};
    rn_result result = take_titles(csv);
    if (result == RN_OK && csv->is_cut)
        result = rni_fail(RN_ERROR_FILE, "%s: has no rows below its titles", name);
    if (result != RN_OK) rni_csv_close(csv);
    return result;
}

rn_result rni_csv_open(const char *path, rni_csv *csv)
{
    *csv = (rni_csv){0};
    FILE *file = fopen(path, "re");
    if (!file) return rni_fail(RN_ERROR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
    return rni_csv_begin(file, path, csv);
}

bool rni_csv_next(rni_csv *csv, rn_result *result)
{
    static char NOTHING[1] = "";
    *result = RN_OK;
    if (!next_line(csv)) {
        if (ferror(csv->file))
            *result = rni_fail(RN_ERROR_FILE, "%s: cannot be read: %s", csv->path, strerror(errno));
        return false;
    }
    for (uint32_t k = 0; k < csv->column_count; k++) csv->cell[k] = NOTHING;
    const uint32_t count = split(csv->line, csv->separator, csv->cell, csv->column_count);
    if (count <= csv->column_count) return true;
    *result = rni_fail(RN_ERROR_FILE, "%s:%llu: has %u cells; there are %u titles", csv->path,
                       (unsigned long long)csv->line_number, count, csv->column_count);
    return false;
}

rn_result rni_csv_number(const rni_csv *csv, uint32_t column, double *value)
{
    const char *text = csv->cell[column];
    char *end = NULL;
    *value = (double)NAN;
    if (!*text) return RN_OK;
    const double number = strtod(text, &end);
    if (end != text && !*end) {
        *value = number;
        return RN_OK;
    }
    char shown[40];
    snprintf(shown, sizeof shown, "%s", text);
    for (char *c = shown; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?';
    return rni_fail(RN_ERROR_FILE, "%s:%llu: column %u (%s): '%s' is not a number", csv->path,
                    (unsigned long long)csv->line_number, column + 1, csv->title[column], shown);
}

void rni_csv_close(rni_csv *csv)
{
    if (csv->file) fclose(csv->file);
    free(csv->line);
    free(csv->titles);
    free(csv->title);
    free(csv->cell);
    *csv = (rni_csv){0};
}
