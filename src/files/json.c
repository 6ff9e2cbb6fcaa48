#include "files/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Length of the UTF-8 sequence at text, or 0 if it is invalid (RFC 3629: no overlong forms, no
 * surrogates). */
static size_t utf8_length(const unsigned char *text)
{
    unsigned char lead = text[0];
    size_t length = lead < 0x80   ? 1
                    : lead < 0xc2 ? 0
                    : lead < 0xe0 ? 2
                    : lead < 0xf0 ? 3
                    : lead < 0xf5 ? 4
                                  : 0;
    for (size_t k = 1; k < length; k++)
        if ((text[k] & 0xc0) != 0x80) return 0;
    if (lead == 0xe0 && text[1] < 0xa0) return 0;
    if (lead == 0xed && text[1] > 0x9f) return 0;
    if (lead == 0xf0 && text[1] < 0x90) return 0;
    if (lead == 0xf4 && text[1] > 0x8f) return 0;
    return length;
}

void rni_json_write_text(FILE *file, const char *text)
{
    fputc('"', file);
    while (*text) {
        unsigned char c = (unsigned char)*text;
        size_t length = utf8_length((const unsigned char *)text);
        if (length == 0) {
            fputs("\\ufffd", file);
            length = 1;
        } else if (c == '"' || c == '\\') {
            fprintf(file, "\\%c", c);
        } else if (c < 0x20) {
            fprintf(file, "\\u%04x", (unsigned)c);
        } else {
            fwrite(text, 1, length, file);
        }
        text += length;
    }
    fputc('"', file);
}

rni_json rni_json_begin(FILE *file)
{
    fputc('{', file);
    return (rni_json){file, true};
}

void rni_json_end(rni_json *json)
{
    fputc('}', json->file);
}

void rni_json_key(rni_json *json, const char *key)
{
    if (!json->is_empty) fputs(", ", json->file);
    json->is_empty = false;
    rni_json_write_text(json->file, key);
    fputs(": ", json->file);
}

void rni_json_text(rni_json *json, const char *key, const char *value)
{
    rni_json_key(json, key);
    rni_json_write_text(json->file, value);
}

/* Tries 15 digits (6 for a float) up to 17 (9), which always suffice. Below 15 (6) digits the
 * shortest form is the same one with trailing zeros removed. */
static void write_number(FILE *file, double value, bool is_float)
{
    char text[40];
    if (!isfinite(value)) {
        fputs("null", file);
        return;
    }
    int last = is_float ? 9 : 17;
    for (int digits = is_float ? 6 : 15; digits <= last; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        double back = is_float ? (double)strtof(text, NULL) : strtod(text, NULL);
        /* Writes 1e+06 as 1000000, which people read more easily. */
        bool is_plain = !strchr(text, 'e') || fabs(value) >= 1e9 || fabs(value) < 1;
        if (is_plain && !(back < value) && !(back > value)) break;
    }
    fputs(text, file);
}

void rni_json_number(rni_json *json, const char *key, double value)
{
    rni_json_key(json, key);
    write_number(json->file, value, false);
}

void rni_json_rounded(rni_json *json, const char *key, double value)
{
    rni_json_number(json, key, round(value * 1e6) / 1e6);
}

void rni_json_whole(rni_json *json, const char *key, uint64_t value)
{
    rni_json_key(json, key);
    fprintf(json->file, "%llu", (unsigned long long)value);
}

void rni_json_bool(rni_json *json, const char *key, bool value)
{
    rni_json_key(json, key);
    fputs(value ? "true" : "false", json->file);
}

void rni_json_null(rni_json *json, const char *key)
{
    rni_json_key(json, key);
    fputs("null", json->file);
}

static void write_list(rni_json *json, const char *key, const double *values, uint32_t count,
                       bool are_floats)
{
    rni_json_key(json, key);
    for (uint32_t k = 0; k < count; k++) {
        fputs(k ? ", " : "[", json->file);
        write_number(json->file, values[k], are_floats);
    }
    fputs(count ? "]" : "[]", json->file);
}

void rni_json_numbers(rni_json *json, const char *key, const double *values, uint32_t count)
{
    write_list(json, key, values, count, false);
}

void rni_json_floats(rni_json *json, const char *key, const double *values, uint32_t count)
{
    write_list(json, key, values, count, true);
}
