/* JSON for programs that read us: one object, written as it goes. */
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
void rni_json_end(rni_json *json);   /* writes }, no end of line */

/* Members. Numbers that JSON cannot hold (NaN, infinity) become null. */
void rni_json_text(rni_json *json, const char *key, const char *value);
/* As few digits as bring the same double back. */
void rni_json_number(rni_json *json, const char *key, double value);
/* Six decimals, for times: what is behind them is noise. */
void rni_json_rounded(rni_json *json, const char *key, double value);
void rni_json_whole(rni_json *json, const char *key, uint64_t value);
void rni_json_bool(rni_json *json, const char *key, bool value);
void rni_json_null(rni_json *json, const char *key);
void rni_json_numbers(rni_json *json, const char *key, const double *values, uint32_t count);
/* Values that were floats: as few digits as bring the same float back. */
void rni_json_floats(rni_json *json, const char *key, const double *values, uint32_t count);
/* The key alone: the caller writes the value. */
void rni_json_key(rni_json *json, const char *key);

/* Bytes that are not UTF-8 (file names may hold any) come out as U+FFFD, so that the line is always
 * valid. */
void rni_json_write_text(FILE *file, const char *text);

#endif
