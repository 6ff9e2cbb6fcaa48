/* Shared by the readers of all formats: lines, words, numbers, and storage for the points.
 *
 * Input is never zero-terminated: every text is a begin and an end pointer. Nothing here allocates,
 * except rni_points_reserve. */
#ifndef RNI_FILES_READER_H
#define RNI_FILES_READER_H

#include "files/point_file.h"

#include <locale.h>

/* One input while it is read. */
typedef struct rni_reader {
    const char *name; /* for messages */
    const unsigned char *bytes;
    size_t size;
    locale_t c_locale; /* a locale with a decimal point, whatever the user's locale */
} rni_reader;

/* A piece of the input. */
typedef struct rni_text {
    const char *begin, *end;
} rni_text;

/* The lines from at to end. Lines end with LF, CR LF or CR. */
typedef struct rni_lines {
    const char *at, *end;
    uint64_t number;   /* of the line last returned, from 1 */
    bool ends_with_cr; /* an LF after a CR is not part of the line end */
} rni_lines;

/* From the start of the input, past a UTF-8 byte order mark. */
rni_lines rni_lines_begin(const rni_reader *reader);
bool rni_lines_next(rni_lines *lines, rni_text *line);

/* The next non-empty line, without leading and trailing blanks; # opens a comment line if
 * skips_comments. */
bool rni_lines_next_filled(rni_lines *lines, bool skips_comments, rni_text *line);

/* Takes the next blank-separated word off the front of rest. */
bool rni_word_next(rni_text *rest, rni_text *word);

rni_text rni_text_trim(rni_text text);
bool rni_text_is_empty(rni_text text);
bool rni_text_is(rni_text text, const char *word);
bool rni_text_is_any_case(rni_text text, const char *word);
bool rni_text_has(rni_text text, char letter);

/* Whether the whole text is a number as strtod reads it in the C locale; nan, inf and hexadecimal
 * included. */
bool rni_text_number(const rni_reader *reader, rni_text text, double *value);

/* Whether the whole text is decimal digits; past 64 bits *value is UINT64_MAX. On false *value is
 * unchanged. */
bool rni_text_integer(rni_text text, uint64_t *value);

/* text prepared for a message: short, and printable on any terminal. */
typedef struct rni_shown {
    char text[32];
} rni_shown;
rni_shown rni_show(rni_text text);

/* The word of a NULL-terminated table that text most likely means, or NULL. */
const char *rni_nearest_word(rni_text text, const char *const *words);

/* Reserves capacity for points of the given kind in *out; count stays 0. Callers limit capacity to
 * what the input can hold. */
rn_result rni_points_reserve(const rni_reader *reader, uint32_t dim, rn_scalar scalar,
                             uint64_t capacity, rni_point_file *out);

/* Fails when count is past RNI_POINT_COUNT_MAX. */
rn_result rni_points_check_count(const rni_reader *reader, uint64_t count);

/* Appends one point; the capacity must suffice. */
void rni_points_append(rni_point_file *out, const double position[3]);

/* One function per format. The caller passes a zeroed *out and releases it on failure. */
rn_result rni_ply_parse(const rni_reader *reader, rni_point_file *out);
rn_result rni_npy_parse(const rni_reader *reader, rni_point_file *out);
rn_result rni_xyz_parse(const rni_reader *reader, rni_point_file *out);
rn_result rni_csv_parse(const rni_reader *reader, rni_point_file *out);

#endif
