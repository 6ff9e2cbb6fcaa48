/* Problems with their location: path, line and column. */
#include "base/error.h"
#include "scene/reading.h"

#include <stdarg.h>
#include <string.h>

void rni_reading_enter(rni_reading *reading, const char *key)
{
    if (reading->depth < RNI_PATH_STEPS) {
        reading->step[reading->depth].key = key;
        reading->step[reading->depth].index = 0;
    }
    reading->depth++;
}

void rni_reading_enter_item(rni_reading *reading, size_t index)
{
    rni_reading_enter(reading, NULL);
    if (reading->depth <= RNI_PATH_STEPS) reading->step[reading->depth - 1].index = index;
}

void rni_reading_leave(rni_reading *reading)
{
    reading->depth--;
}

rni_said rni_say_text(const char *text, size_t length)
{
    rni_said said;
    size_t used = 0;
    for (size_t k = 0; k < length; k++) {
        unsigned char letter = (unsigned char)text[k];
        if (used + 4 >= sizeof said.text) { /* the dots and the zero */
            while (used && ((unsigned char)said.text[used - 1] & 0xc0) == 0x80) used--;
            if (used && (unsigned char)said.text[used - 1] >= 0xc0) used--;
            memcpy(said.text + used, "...", 3);
            used += 3;
            break;
        }
        bool is_plain = letter >= 0x20 && letter != 0x7f;
        /* C1 controls are U+0080 .. U+009F: c2 80 .. c2 9f. */
        if (letter == 0xc2 && k + 1 < length && (unsigned char)text[k + 1] < 0xa0) {
            k++;
            is_plain = false;
        }
        said.text[used++] = is_plain ? (char)letter : '?';
    }
    said.text[used] = 0;
    return said;
}

__attribute__((format(printf, 2, 0))) static void add(rni_problems *problems, const char *format,
                                                      va_list values)
{
    if (problems->count < RNI_MAX_PROBLEMS) {
        vsnprintf(problems->text[problems->count], sizeof problems->text[0], format, values);
        problems->path[problems->count][0] = 0;
    }
    problems->count++;
}

void rni_problem_add(rni_problems *problems, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    add(problems, format, values);
    va_end(values);
}

static void path_text(const rni_reading *reading, char *text, size_t capacity)
{
    size_t used = 0;
    *text = 0;
    for (uint32_t k = 0; k < reading->depth && k < RNI_PATH_STEPS && used < capacity; k++) {
        const char *point = k ? "." : "";
        const char *key = reading->step[k].key;
        int more =
            key ? snprintf(text + used, capacity - used, "%s%s", point,
                           rni_say_text(key, strlen(key)).text)
                : snprintf(text + used, capacity - used, "%s%zu", point, reading->step[k].index);
        used += (size_t)more;
    }
}

void rni_problem(const rni_reading *reading, const char *format, ...)
{
    char sentence[320];
    char path[200];
    char place[48] = "";
    va_list values;
    va_start(values, format);
    vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    path_text(reading, path, sizeof path);
    if (reading->text && reading->problems->count < RNI_MAX_PROBLEMS) {
        uint32_t line;
        uint32_t column;
        rni_position_find(reading, &line, &column);
        snprintf(place, sizeof place, ":%u:%u", line, column);
    }
    uint32_t at = reading->problems->count;
    rni_problem_add(reading->problems, "%s%s: %s%s%s", reading->name, place, path,
                    *path ? ": " : "", sentence);
    if (at < RNI_MAX_PROBLEMS)
        snprintf(reading->problems->path[at], sizeof reading->problems->path[at], "%.127s", path);
}

void rni_problem_meant(const rni_reading *reading, const char *meant)
{
    uint32_t at = reading->problems->count;
    rni_problem(reading, "unknown; did you mean %s?", meant);
    if (at >= RNI_MAX_PROBLEMS) return;
    char *path = reading->problems->path[at];
    char *last = strchr(meant, '.') ? NULL : strrchr(path, '.');
    last = last ? last + 1 : path;
    snprintf(last, sizeof reading->problems->path[at] - (size_t)(last - path), "%s", meant);
}

/* Whether path equals whole or is below it: "a.b" is below "a", "ab" is not. */
static bool is_below(const char *path, const char *whole)
{
    size_t length = strlen(whole);
    return strncmp(path, whole, length) == 0 &&
           (length == 0 || path[length] == 0 || path[length] == '.');
}

/* The path of the value `name` at the present path; NULL: the present path itself. */
static void path_of(const rni_reading *reading, const char *name, char *text, size_t capacity)
{
    path_text(reading, text, capacity);
    size_t used = strlen(text);
    if (name) snprintf(text + used, capacity - used, "%s%s", used ? "." : "", name);
}

bool rni_reading_is_sound(const rni_reading *reading, const char *name)
{
    char path[200];
    path_of(reading, name, path, sizeof path);
    if (reading->told > RNI_MAX_PROBLEMS) return false; /* not all are kept */
    for (uint32_t k = 0; k < reading->told; k++) {
        const char *other = reading->problems->path[k];
        if (is_below(path, other) || is_below(other, path)) return false;
    }
    return true;
}

bool rni_reading_is_clean(const rni_reading *reading, const char *name)
{
    char path[200];
    path_of(reading, name, path, sizeof path);
    if (reading->problems->count > RNI_MAX_PROBLEMS) return false;
    for (uint32_t k = 0; k < reading->problems->count; k++)
        if (is_below(reading->problems->path[k], path)) return false;
    return true;
}

rn_result rni_problems_result(const rni_problems *problems, rn_result result)
{
    if (problems->count == 0) return RN_OK;
    if (problems->count == 1) return rni_fail(result, "%s", problems->text[0]);
    return rni_fail(result, "%s (and %u more)", problems->text[0], problems->count - 1);
}

/* --- line and column -------------------------------------------------------------------------- */
static const char *skip_blank(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) at++;
    return at;
}

/* The end of the text whose opening quote is at. */
static const char *skip_text(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\') at++;
    return at < end ? at + 1 : end;
}

/* The end of the value that begins at. */
static const char *skip_value(const char *at, const char *end)
{
    uint32_t depth = 0;
    while (at < end) {
        if (*at == '"') {
            at = skip_text(at, end);
        } else {
            if (*at == '{' || *at == '[') depth++;
            if (depth == 0 && (*at == ',' || *at == '}' || *at == ']')) return at;
            if (*at == '}' || *at == ']') depth--;
            at++;
        }
        if (depth == 0 && (at == end || *at == ',' || *at == '}' || *at == ']' || *at == ' ' ||
                           *at == '\n' || *at == '\r' || *at == '\t'))
            return at;
    }
    return end;
}

/* The member or item of the value at that a step of the path names; NULL: not there. *place is what a
 * message points to: the key of a member, or the item. */
static const char *descend(const char *at, const char *end, const char *key, size_t index,
                           const char **place)
{
    if (at == end || *at != (key ? '{' : '[')) return NULL;
    at = skip_blank(at + 1, end);
    for (size_t k = 0; at < end && *at != '}' && *at != ']'; k++) {
        *place = at;
        bool is_it = !key && k == index;
        if (key) {
            const char *begin = at + 1;
            at = skip_text(at, end);
            size_t length = strlen(key);
            is_it = (size_t)(at - begin) == length + 1 && memcmp(begin, key, length) == 0;
            at = skip_blank(at, end);
            if (at < end) at = skip_blank(at + 1, end); /* the colon */
        }
        if (is_it) return at;
        at = skip_blank(skip_value(at, end), end);
        if (at < end && *at == ',') at = skip_blank(at + 1, end);
    }
    return NULL;
}

void rni_position_find(const rni_reading *reading, uint32_t *line, uint32_t *column)
{
    const char *end = reading->text + reading->bytes;
    const char *at = skip_blank(reading->text, end);
    const char *found = at;
    for (uint32_t k = 0; k < reading->depth && k < RNI_PATH_STEPS; k++) {
        const char *place = NULL;
        at = descend(at, end, reading->step[k].key, reading->step[k].index, &place);
        if (!at) break;
        found = place;
    }
    *line = 1;
    *column = 1;
    for (const char *c = reading->text; c < found; c++) {
        if (*c == '\n') {
            ++*line;
            *column = 1;
        } else if (((unsigned char)*c & 0xc0) != 0x80) {
            ++*column;
        }
    }
}
