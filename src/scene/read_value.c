/* One value of the table out of JSON, checked. */
#include "files/reader.h"
#include "scene/reading.h"

#include <math.h>
#include <string.h>

#define MAX_WORDS 64u

/* "true", "the text "abc"", "a list": what was there instead. */
static rni_said say_value(const json_t *json)
{
    rni_said said = {"null"};
    switch (json_typeof(json)) {
    case JSON_OBJECT: snprintf(said.text, sizeof said.text, "an object {...}"); break;
    case JSON_ARRAY:
        snprintf(said.text, sizeof said.text, "a list of %zu", json_array_size(json));
        break;
    case JSON_STRING:
        snprintf(said.text, sizeof said.text, "the text \"%.40s\"",
                 rni_say_text(json_string_value(json), json_string_length(json)).text);
        break;
    case JSON_INTEGER:
    case JSON_REAL: snprintf(said.text, sizeof said.text, "%.9g", json_number_value(json)); break;
    case JSON_TRUE: snprintf(said.text, sizeof said.text, "true"); break;
    case JSON_FALSE: snprintf(said.text, sizeof said.text, "false"); break;
    case JSON_NULL: break;
    }
    return said;
}

static bool refuse(rni_reading *reading, const rni_parameter *p, const json_t *json)
{
    rni_problem(reading, "is %s; it must be %s", say_value(json).text, rni_parameter_needs(p).text);
    return false;
}

static bool in_range(rni_reading *reading, const rni_parameter *p, double value)
{
    if (value >= p->low && value <= p->high) return true;
    rni_problem(reading, "is %.9g; it must be %s", value, rni_parameter_needs(p).text);
    return false;
}

static bool read_float(rni_reading *reading, const rni_parameter *p, const json_t *json, float *out)
{
    if (!json_is_number(json)) return refuse(reading, p, json);
    double value = json_number_value(json);
    if (!in_range(reading, p, value)) return false;
    if (value != 0 && fabs(value) < 1e-30) {
        rni_problem(reading, "is %.9g, nearer to 0 than single precision reaches; write 0", value);
        return false;
    }
    *out = (float)value;
    return true;
}

static bool read_number(rni_reading *reading, const rni_parameter *p, const json_t *json, void *field)
{
    float single = 0;
    if (!read_float(reading, p, json, &single)) return false;
    double number = json_number_value(json);
    if (p->bytes == sizeof number) memcpy(field, &number, sizeof number);
    else memcpy(field, &single, sizeof single);
    return true;
}

static bool read_integer(rni_reading *reading, const rni_parameter *p, const json_t *json, void *field)
{
    if (!json_is_number(json)) return refuse(reading, p, json);
    double value = json_number_value(json);
    if (value != floor(value)) return refuse(reading, p, json);
    if (!in_range(reading, p, value)) return false;
    uint64_t large = (uint64_t)value;
    uint32_t whole = (uint32_t)large;
    if (p->bytes == sizeof large) memcpy(field, &large, sizeof large);
    else memcpy(field, &whole, sizeof whole);
    return true;
}

/* Place of the choice that json names. */
static bool read_choice(rni_reading *reading, const rni_parameter *p, const json_t *json,
                        uint32_t *place)
{
    if (!json_is_string(json)) return refuse(reading, p, json);
    const char *words[MAX_WORDS] = {NULL};
    const char *word = json_string_value(json);
    const char *choice;
    for (*place = 0; (choice = p->choice_at(*place)) != NULL && *place + 1 < MAX_WORDS; ++*place) {
        if (strcmp(choice, word) == 0) return true;
        words[*place] = choice;
    }
    if (p->planned && strcmp(word, p->planned) == 0) {
        rni_problem(reading, "%s; there are: %s", p->planned + strlen(p->planned) + 1,
                    strchr(rni_parameter_needs(p).text, ':') + 2);
        return false;
    }
    const char *near = rni_nearest_word((rni_text){word, word + strlen(word)}, words);
    rni_problem(reading, "\"%s\" is unknown; %s%s%sthere are: %s",
                rni_say_text(word, strlen(word)).text, near ? "did you mean " : "",
                near ? near : "", near ? "? " : "", strchr(rni_parameter_needs(p).text, ':') + 2);
    return false;
}

static bool read_numbers(rni_reading *reading, const rni_parameter *p, const json_t *json,
                         float *values, uint32_t count)
{
    bool is_good = true;
    rni_parameter one = *p; /* what each of them must be */
    one.type = RNI_TYPE_NUMBER;
    for (uint32_t k = 0; k < count; k++) {
        rni_reading_enter_item(reading, k);
        is_good = read_float(reading, &one, json_array_get(json, k), &values[k]) && is_good;
        rni_reading_leave(reading);
    }
    return is_good;
}

static bool read_vector(rni_reading *reading, const rni_parameter *p, const json_t *json, void *field)
{
    float vector[3] = {0};
    size_t count = json_array_size(json); /* 0 when it is no array */
    if (count != 3 && !(count == 2 && reading->is_flat)) {
        if (reading->text) return refuse(reading, p, json);
        rni_problem(reading, "is %s; it must be %s. Write it without quotes, as %s",
                    say_value(json).text, rni_parameter_needs(p).text,
                    reading->is_flat ? "x,y: for example 0,-9.81" : "x,y,z: for example 0,-9.81,0");
        return false;
    }
    if (!read_numbers(reading, p, json, vector, (uint32_t)count)) return false;
    memcpy(field, vector, sizeof vector);
    return true;
}

static bool read_list(rni_reading *reading, const rni_parameter *p, const json_t *json, void *base)
{
    float values[RN_PIPE_MAX_STOPS];
    if (!json_is_array(json) || json_array_size(json) * sizeof *values > p->bytes)
        return refuse(reading, p, json);
    uint32_t count = (uint32_t)json_array_size(json);
    if (!read_numbers(reading, p, json, values, count)) return false;
    memset((char *)base + p->offset, 0, p->bytes);
    memcpy((char *)base + p->offset, values, count * sizeof *values);
    memcpy((char *)base + p->count_offset, &count, sizeof count);
    return true;
}

static bool read_flags(rni_reading *reading, const rni_parameter *p, const json_t *json, void *field)
{
    bool flags[8] = {false};
    bool is_good = true;
    if (!json_is_array(json)) return refuse(reading, p, json);
    for (size_t k = 0; k < json_array_size(json); k++) {
        uint32_t place = 0;
        rni_reading_enter_item(reading, k);
        if (!read_choice(reading, p, json_array_get(json, k), &place)) {
            is_good = false;
        } else if (flags[place]) {
            rni_problem(reading, "\"%s\" is there twice", p->choice_at(place));
            is_good = false;
        } else {
            flags[place] = true;
        }
        rni_reading_leave(reading);
    }
    if (is_good) memcpy(field, flags, p->bytes);
    return is_good;
}

/* Control characters could do things to a terminal. */
static bool has_controls(const char *text)
{
    for (; *text; text++) {
        unsigned char letter = (unsigned char)*text;
        if ((letter < 0x20 && letter != '\n') || letter == 0x7f) return true;
        if (letter == 0xc2 && (unsigned char)text[1] < 0xa0) return true;
    }
    return false;
}

static bool read_text(rni_reading *reading, const rni_parameter *p, const json_t *json, void *field)
{
    if (!json_is_string(json)) return refuse(reading, p, json);
    size_t length = json_string_length(json);
    if (length >= p->bytes) {
        rni_problem(reading, "is %zu bytes long; it must be %s", length, rni_parameter_needs(p).text);
        return false;
    }
    if (has_controls(json_string_value(json))) {
        rni_problem(reading, "holds control characters; only line ends are allowed");
        return false;
    }
    memset(field, 0, p->bytes);
    memcpy(field, json_string_value(json), length);
    return true;
}

bool rni_value_read(rni_reading *reading, const rni_parameter *p, const json_t *json, void *base)
{
    void *field = (char *)base + p->offset;
    uint32_t place = 0;
    switch (p->type) {
    case RNI_TYPE_NUMBER: return read_number(reading, p, json, field);
    case RNI_TYPE_INTEGER: return read_integer(reading, p, json, field);
    case RNI_TYPE_BOOL:
        if (!json_is_boolean(json)) return refuse(reading, p, json);
        *(bool *)field = json_is_true(json);
        return true;
    case RNI_TYPE_CHOICE:
        if (!read_choice(reading, p, json, &place)) return false;
        memcpy(field, &place, sizeof place);
        return true;
    case RNI_TYPE_VECTOR: return read_vector(reading, p, json, field);
    case RNI_TYPE_TEXT: return read_text(reading, p, json, field);
    case RNI_TYPE_FLAGS: return read_flags(reading, p, json, field);
    case RNI_TYPE_NUMBERS: return read_list(reading, p, json, base);
    }
    return false;
}
