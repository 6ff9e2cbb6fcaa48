#include "files/reader.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Longer words are rejected; the exact decimal form of any double in scientific notation is
 * shorter. */
#define NUMBER_LETTERS_MAX 1023

rni_lines rni_lines_begin(const rni_reader *reader)
{
    const char *begin = (const char *)reader->bytes;
    rni_lines lines = {begin, begin + reader->size, 0, false};
    if (reader->size >= 3 && memcmp(begin, "\xef\xbb\xbf", 3) == 0) lines.at += 3;
    return lines;
}

bool rni_lines_next(rni_lines *lines, rni_text *line)
{
    if (lines->at == lines->end) return false;
    const char *at = lines->at;
    while (at < lines->end && *at != '\n' && *at != '\r') at++;
    *line = (rni_text){lines->at, at};
    if (at < lines->end) {
        bool is_cr = *at++ == '\r';
        if (is_cr && !lines->ends_with_cr && at < lines->end && *at == '\n') at++;
    }
    lines->at = at;
    lines->number++;
    return true;
}

bool rni_lines_next_filled(rni_lines *lines, bool skips_comments, rni_text *line)
{
    while (rni_lines_next(lines, line)) {
        *line = rni_text_trim(*line);
        if (rni_text_is_empty(*line)) continue;
        if (!skips_comments || *line->begin != '#') return true;
    }
    return false;
}

static bool is_blank(char letter)
{
    return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

bool rni_word_next(rni_text *rest, rni_text *word)
{
    while (rest->begin < rest->end && is_blank(*rest->begin)) rest->begin++;
    word->begin = rest->begin;
    while (rest->begin < rest->end && !is_blank(*rest->begin)) rest->begin++;
    word->end = rest->begin;
    return word->begin < word->end;
}

rni_text rni_text_trim(rni_text text)
{
    while (text.begin < text.end && is_blank(*text.begin)) text.begin++;
    while (text.begin < text.end && is_blank(text.end[-1])) text.end--;
    return text;
}

bool rni_text_is_empty(rni_text text)
{
    return text.begin == text.end;
}

bool rni_text_is(rni_text text, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(text.end - text.begin) == length && memcmp(text.begin, word, length) == 0;
}

/* ASCII only: the letters that matter are x, y, z and file extensions. */
static char lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

bool rni_text_is_any_case(rni_text text, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(text.end - text.begin) != length) return false;
    for (size_t k = 0; k < length; k++) {
        if (lower(text.begin[k]) != lower(word[k])) return false;
    }
    return true;
}

bool rni_text_has(rni_text text, char letter)
{
    return memchr(text.begin, letter, (size_t)(text.end - text.begin)) != NULL;
}

bool rni_text_number(const rni_reader *reader, rni_text text, double *value)
{
    char copy[NUMBER_LETTERS_MAX + 1];
    size_t length = (size_t)(text.end - text.begin);
    if (length == 0 || length > NUMBER_LETTERS_MAX || is_blank(*text.begin)) return false;
    memcpy(copy, text.begin, length);
    copy[length] = '\0';
    char *stop;
    *value = strtod_l(copy, &stop, reader->c_locale);
    return stop == copy + length;
}

bool rni_text_integer(rni_text text, uint64_t *value)
{
    uint64_t sum = 0;
    for (const char *at = text.begin; at < text.end; at++) {
        if (*at < '0' || *at > '9') return false;
        uint64_t digit = (uint64_t)(*at - '0');
        sum = sum > (UINT64_MAX - digit) / 10 ? UINT64_MAX : sum * 10 + digit;
    }
    if (rni_text_is_empty(text)) return false;
    *value = sum;
    return true;
}

rni_shown rni_show(rni_text text)
{
    rni_shown shown;
    size_t limit = sizeof shown.text - 1, length = (size_t)(text.end - text.begin);
    size_t kept = length <= limit ? length : limit - 3;
    for (size_t k = 0; k < kept; k++) {
        char letter = text.begin[k];
        shown.text[k] = letter >= ' ' && letter <= '~' ? letter : '?';
    }
    memcpy(shown.text + kept, "...", length <= limit ? 0 : 3);
    shown.text[length <= limit ? kept : limit] = '\0';
    return shown;
}

/* Edit distance: letters to insert, delete, change, or swap with their neighbour, to turn text into
 * word. */
static unsigned edit_distance(rni_text text, const char *word)
{
    enum { LETTERS_MAX = 24 };
    unsigned cost[LETTERS_MAX + 1][LETTERS_MAX + 1];
    size_t rows = (size_t)(text.end - text.begin), columns = strlen(word);
    if (rows > LETTERS_MAX || columns > LETTERS_MAX) return LETTERS_MAX;
    for (size_t r = 0; r <= rows; r++) {
        for (size_t c = 0; c <= columns; c++) {
            if (r == 0 || c == 0) {
                cost[r][c] = (unsigned)(r + c);
                continue;
            }
            const char *here = text.begin + r - 1;
            unsigned best = cost[r - 1][c - 1] + (*here != word[c - 1]);
            if (cost[r - 1][c] + 1 < best) best = cost[r - 1][c] + 1;
            if (cost[r][c - 1] + 1 < best) best = cost[r][c - 1] + 1;
            bool is_swap = r > 1 && c > 1 && here[-1] == word[c - 1] && *here == word[c - 2];
            if (is_swap && cost[r - 2][c - 2] + 1 < best) best = cost[r - 2][c - 2] + 1;
            cost[r][c] = best;
        }
    }
    return cost[rows][columns];
}

/* How many letters both begin with. The text may have zeros. */
static size_t common_start(rni_text text, const char *word)
{
    size_t k = 0;
    while (text.begin + k < text.end && word[k] && word[k] == text.begin[k]) k++;
    return k;
}

const char *rni_nearest_word(rni_text text, const char *const *words)
{
    const char *nearest = NULL;
    unsigned least = 3; /* with three typing mistakes it is a different word */
    for (; *words; words++) {
        unsigned distance = edit_distance(text, *words);
        if (distance >= strlen(*words) || distance > least || distance >= 3) continue;
        /* Of two that are equally near: mistakes at the start of a word are rare. */
        if (distance == least && common_start(text, *words) <= common_start(text, nearest))
            continue;
        least = distance;
        nearest = *words;
    }
    return nearest;
}

rn_result rni_points_reserve(const rni_reader *reader, uint32_t dim, rn_scalar scalar,
                             uint64_t capacity, rni_point_file *out)
{
    size_t point_bytes = dim * (scalar == RN_SCALAR_FLOAT ? sizeof(float) : sizeof(double));
    if (capacity == 0) capacity = 1;
    void *position =
        capacity <= SIZE_MAX / point_bytes ? realloc(out->position, capacity * point_bytes) : NULL;
    if (!position) {
        return rni_fail(RN_ERROR_MEMORY, "%s: no memory for %" PRIu64 " points", reader->name,
                        capacity);
    }
    out->position = position;
    out->dim = dim;
    out->scalar = scalar;
    return RN_OK;
}

rn_result rni_points_check_count(const rni_reader *reader, uint64_t count)
{
    if (count <= RNI_POINT_COUNT_MAX) return RN_OK;
    return rni_fail(RN_ERROR_LIMIT, "%s: %" PRIu64 " points are too many; at most %u are read",
                    reader->name, count, RNI_POINT_COUNT_MAX);
}

void rni_points_append(rni_point_file *out, const double position[3])
{
    size_t at = (size_t)out->count++ * out->dim;
    for (uint32_t k = 0; k < out->dim; k++) {
        if (out->scalar == RN_SCALAR_FLOAT) {
            ((float *)out->position)[at + k] = (float)position[k];
        } else {
            ((double *)out->position)[at + k] = position[k];
        }
    }
}
