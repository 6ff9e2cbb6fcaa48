#include "cli/json.h"
#include "cli/lab.h"

#include "base/error.h"
#include "files/out_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

rn_result rni_lab_table_row(rni_lab_table *table)
{
    if (table->row_count == table->row_room) {
        uint32_t room = table->row_room ? table->row_room * 2 : 32;
        size_t bytes = (size_t)room * table->column_count * sizeof *table->values;
        rni_lab_value *values = realloc(table->values, bytes);
        if (!values) return rni_fail(RN_ERROR_MEMORY, "no memory for %u rows", room);
        table->values = values;
        table->row_room = room;
    }
    table->row_count++;
    table->filled = 0;
    rni_lab_value *row = table->values + (size_t)(table->row_count - 1) * table->column_count;
    for (uint32_t c = 0; c < table->column_count; c++) row[c] = (rni_lab_value){"", (double)NAN};
    return RN_OK;
}

static rni_lab_value *next_value(rni_lab_table *table)
{
    return table->values + (size_t)(table->row_count - 1) * table->column_count + table->filled++;
}

void rni_lab_table_text(rni_lab_table *table, const char *text)
{
    rni_lab_value *value = next_value(table);
    snprintf(value->text, sizeof value->text, "%s", text);
}

void rni_lab_table_number(rni_lab_table *table, double number)
{
    next_value(table)->number = number;
}

static const rni_lab_value *value_at(const rni_lab_table *table, uint32_t row, uint32_t column)
{
    return table->values + (size_t)row * table->column_count + column;
}

double rni_lab_table_at(const rni_lab_table *table, uint32_t row, uint32_t column)
{
    return value_at(table, row, column)->number;
}

/* As people read it: "12.3", "0.0069", "1234". */
static void format_value(const rni_lab_column *column, const rni_lab_value *value, char text[48])
{
    if (column->is_text) snprintf(text, 48, "%s", value->text);
    else if (isnan(value->number)) snprintf(text, 48, "-");
    else if (column->digits == 0 || fabs(value->number) >= pow(10, column->digits))
        snprintf(text, 48, "%.0f", value->number);
    else snprintf(text, 48, "%#.*g", column->digits, value->number);
    size_t length = strlen(text);
    if (!column->is_text && length && text[length - 1] == '.') text[length - 1] = 0;
}

static size_t column_width(const rni_lab_table *table, uint32_t column)
{
    char text[48];
    size_t width = strlen(table->columns[column].head);
    for (uint32_t r = 0; r < table->row_count; r++) {
        format_value(&table->columns[column], value_at(table, r, column), text);
        if (strlen(text) > width) width = strlen(text);
    }
    return width;
}

/* Text to the left, numbers to the right; no blanks at the end of a line. */
static void print_cell(FILE *file, const rni_lab_table *table, uint32_t column, size_t width,
                       const char *text)
{
    bool is_last = column + 1 == table->column_count;
    if (column) fputs("  ", file);
    if (!table->columns[column].is_text) fprintf(file, "%*s", (int)width, text);
    else fprintf(file, "%-*s", is_last ? 0 : (int)width, text);
    if (is_last) fputc('\n', file);
}

void rni_lab_table_print(const rni_lab_table *table, FILE *file)
{
    char text[48];
    size_t width[RNI_LAB_MAX_COLUMNS];
    for (uint32_t c = 0; c < table->column_count; c++) width[c] = column_width(table, c);
    for (uint32_t c = 0; c < table->column_count; c++)
        print_cell(file, table, c, width[c], table->columns[c].head);
    for (uint32_t r = 0; r < table->row_count; r++)
        for (uint32_t c = 0; c < table->column_count; c++) {
            format_value(&table->columns[c], value_at(table, r, c), text);
            print_cell(file, table, c, width[c], text);
        }
}

void rni_lab_table_print_json(const rni_lab_table *table, FILE *file, const char *experiment)
{
    for (uint32_t r = 0; r < table->row_count; r++) {
        rni_json json = rni_json_begin(file);
        rni_json_text(&json, "experiment", experiment);
        for (uint32_t c = 0; c < table->column_count; c++) {
            const rni_lab_value *value = value_at(table, r, c);
            if (table->columns[c].is_text) rni_json_text(&json, table->columns[c].key, value->text);
            else rni_json_number(&json, table->columns[c].key, value->number);
        }
        rni_json_end(&json);
        fputc('\n', file);
    }
}

static void write_csv_value(rni_out_file *out, const rni_lab_column *column,
                            const rni_lab_value *value)
{
    if (column->is_text)
        rni_out_file_print(out, strchr(value->text, ',') ? "\"%s\"" : "%s", value->text);
    else if (!isnan(value->number)) rni_out_file_print(out, "%.7g", value->number);
}

rn_result rni_lab_table_write_csv(const rni_lab_table *table, const char *path)
{
    rni_out_file out;
    rn_result result = rni_out_file_open(path, &out);
    if (result != RN_OK) return result;
    for (uint32_t c = 0; c < table->column_count; c++)
        rni_out_file_print(&out, "%s%s", c ? "," : "", table->columns[c].key);
    rni_out_file_text(&out, "\n");
    for (uint32_t r = 0; r < table->row_count; r++) {
        for (uint32_t c = 0; c < table->column_count; c++) {
            if (c) rni_out_file_text(&out, ",");
            write_csv_value(&out, &table->columns[c], value_at(table, r, c));
        }
        rni_out_file_text(&out, "\n");
    }
    return rni_out_file_close(&out);
}

void rni_lab_table_release(rni_lab_table *table)
{
    free(table->values);
    *table = (rni_lab_table){0};
}
