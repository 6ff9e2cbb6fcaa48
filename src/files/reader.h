/* What the readers of all formats share: lines, words, numbers, and room for the points.
 *
 * Input is never terminated by a zero byte: everything is a begin and an end. Nothing here
 * allocates, except rni_points_reserve.
 */
#ifndef RNI_FILES_READER_H
#define RNI_FILES_READER_H

#include "files/point_file.h"

#include <locale.h>

/* One input while it is read. */
typedef struct rni_reader {
    const char *name; /* for messages */
    const unsigned char *bytes;
    size_t size;
    locale_t c_locale; /* numbers have a point, whatever the user's language */
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

/* The next line with something on it, without blanks at its ends; # opens a comment line if
 * skips_comments. */
bool rni_lines_next_filled(rni_lines *lines, bool skips_comments, rni_text *line);

/* Takes the next word, as blanks separate them, off the front of rest. */
bool rni_word_next(rni_text *rest, rni_text *word);

rni_text rni_text_trim(rni_text text);
bool rni_text_is_empty(rni_text text);
bool rni_text_is(rni_text text, const char *word);
bool rni_text_is_any_case(rni_text text, const char *word);
bool rni_text_has(rni_text text, char letter);

/* The whole of text is a number as strtod reads it in the C locale; nan, inf and hexadecimal
 * included. */
bool rni_text_number(const rni_reader *reader, rni_text text, double *value);

/* The whole of text is decimal digits; past 64 bits *value is UINT64_MAX. On false
 * *value is as it was. */
bool rni_text_integer(rni_text text, uint64_t *value);

/* text for a message: short, and printable on any terminal. */
typedef struct rni_shown {
    char text[32];
} rni_shown;
rni_shown rni_show(rni_text text);

/* The word of a NULL-terminated table that text most likely was meant to be, or NULL. */
const char *rni_nearest_word(rni_text text, const char *const *words);

/* Gives *out room for capacity points of the given kind; count stays 0. Callers take care that
 * capacity is no more than the input can hold. */
rn_result rni_points_reserve(const rni_reader *reader, uint32_t dim, rn_scalar scalar,
                             uint64_t capacity, rni_point_file *out);

/* Fails when count is past RNI_POINT_COUNT_MAX. */
rn_result rni_points_check_count(const rni_reader *reader, uint64_t count);

/* Appends one point; there must be room. */
void rni_points_append(rni_point_file *out, const double position[3]);

/* One function a format. *out is zero before, and released by the caller on failure. */
rn_result rni_ply_parse(const rni_reader *reader, rni_point_file *out);
rn_result rni_npy_parse(const rni_reader *reader, rni_point_file *out);
rn_result rni_xyz_parse(const rni_reader *reader, rni_point_file *out);
rn_result rni_csv_parse(const rni_reader *reader, rni_point_file *out);

#endif
