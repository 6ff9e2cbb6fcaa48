#include "lab/lab.h"

#include "base/error.h"
#include "files/out_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rn_result rni_lab_table_row(rni_lab_table *table)
{
    if (table->row_count == table->row_capacity) {
        uint32_t capacity = table->row_capacity ? table->row_capacity * 2 : 32;
        size_t bytes = (size_t)capacity * table->column_count * sizeof *table->values;
        rni_lab_value *values = realloc(table->values, bytes);
        if (!values) return rni_fail(RN_ERROR_MEMORY, "no memory for %u rows", capacity);
        table->values = values;
        table->row_capacity = capacity;
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

const rni_lab_value *rni_lab_table_value(const rni_lab_table *table, uint32_t row, uint32_t column)
{
    return table->values + (size_t)row * table->column_count + column;
}

double rni_lab_table_at(const rni_lab_table *table, uint32_t row, uint32_t column)
{
    return rni_lab_table_value(table, row, column)->number;
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
            write_csv_value(&out, &table->columns[c], rni_lab_table_value(table, r, c));
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
