/* JSON output for other programs: one object, written incrementally. */
#ifndef RNI_FILES_JSON_H
#define RNI_FILES_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct rni_json {
    FILE *file;
    bool is_empty;
} rni_json;

rni_json rni_json_begin(FILE *file); /* writes { */
void rni_json_end(rni_json *json);   /* writes }, without a newline */

/* Members. Numbers that JSON cannot represent (NaN, infinity) become null. */
void rni_json_text(rni_json *json, const char *key, const char *value);
/* The fewest digits that restore the same double. */
void rni_json_number(rni_json *json, const char *key, double value);
/* Six decimals, for times: further digits are noise. */
void rni_json_rounded(rni_json *json, const char *key, double value);
void rni_json_whole(rni_json *json, const char *key, uint64_t value);
void rni_json_bool(rni_json *json, const char *key, bool value);
void rni_json_null(rni_json *json, const char *key);
void rni_json_numbers(rni_json *json, const char *key, const double *values, uint32_t count);
/* Values that were floats: the fewest digits that restore the same float. */
void rni_json_floats(rni_json *json, const char *key, const double *values, uint32_t count);
/* Writes only the key; the caller writes the value. */
void rni_json_key(rni_json *json, const char *key);

/* Bytes that are not UTF-8 (file names may hold any) are written as U+FFFD, so that the output is
 * always valid. */
void rni_json_write_text(FILE *file, const char *text);

#endif
