/* Values of the table as text, and what a value must be. */
#include "scene/parameters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *rni_parameter_type_name(rni_parameter_type type)
{
    static const char *const names[] = {"number", "integer", "bool",  "choice",
                                        "vector", "text",    "flags", "numbers"};
    return names[type];
}

static void add_choices(rni_needs *needs, const rni_parameter *parameter)
{
    const char *choice;
    for (uint32_t place = 0; (choice = parameter->choice_at(place)) != NULL; place++) {
        size_t used = strlen(needs->text);
        snprintf(needs->text + used, sizeof needs->text - used, "%s%s", place ? ", " : " ", choice);
    }
}

rni_needs rni_parameter_needs(const rni_parameter *p)
{
    rni_needs needs;
    const size_t bytes = sizeof needs.text;
    switch (p->type) {
    case RNI_TYPE_NUMBER:
        snprintf(needs.text, bytes, "a number from %.9g to %.9g", p->low, p->high);
        break;
    case RNI_TYPE_INTEGER:
        snprintf(needs.text, bytes, "a whole number from %.16g to %.16g", p->low, p->high);
        break;
    case RNI_TYPE_BOOL: snprintf(needs.text, bytes, "true or false"); break;
    case RNI_TYPE_CHOICE:
        snprintf(needs.text, bytes, "one of:");
        add_choices(&needs, p);
        break;
    case RNI_TYPE_VECTOR:
        snprintf(needs.text, bytes, "three numbers [x, y, z]%s from %.9g to %.9g",
                 p->has_z_in_2d ? "" : " (two in 2D)", p->low, p->high);
        break;
    case RNI_TYPE_TEXT:
        snprintf(needs.text, bytes, "text of at most %zu bytes", p->bytes - 1);
        break;
    case RNI_TYPE_FLAGS:
        snprintf(needs.text, bytes, "a list [...] of any of:");
        add_choices(&needs, p);
        break;
    case RNI_TYPE_NUMBERS:
        snprintf(needs.text, bytes, "a list of at most %zu numbers from %.9g to %.9g",
                 p->bytes / sizeof(float), p->low, p->high);
        break;
    }
    if (*p->unit) {
        size_t used = strlen(needs.text);
        snprintf(needs.text + used, bytes - used, ", in %s", p->unit);
    }
    return needs;
}

/* --- writing ---------------------------------------------------------------------------------- */
void rni_text_write(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        unsigned char letter = (unsigned char)*text;
        if (letter == '"' || letter == '\\') fprintf(file, "\\%c", letter);
        else if (letter == '\n') fputs("\\n", file);
        else if (letter < 0x20 || letter == 0x7f) fprintf(file, "\\u%04x", letter);
        else fputc(letter, file);
    }
    fputc('"', file);
}

void rni_number_write(FILE *file, double value, bool is_float)
{
    char text[40] = "0";
    if (value == 0) value = 0; /* no minus zero: it would only puzzle readers */
    /* 1000 rather than 1e+03. */
    int first = fabs(value) >= 1 && fabs(value) < 1e7 ? 1 + (int)log10(fabs(value)) : 1;
    for (int digits = first; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        double back = strtod(text, NULL);
        if (is_float ? (float)back == (float)value : back == value) break;
    }
    fputs(text, file);
}

static void write_numbers(FILE *file, const float *values, uint32_t count)
{
    fputc('[', file);
    for (uint32_t k = 0; k < count; k++) {
        if (k) fputs(", ", file);
        rni_number_write(file, (double)values[k], true);
    }
    fputc(']', file);
}

static void write_flags(FILE *file, const rni_parameter *p, const bool *flags)
{
    const char *choice;
    bool is_first = true;
    fputc('[', file);
    for (uint32_t place = 0; (choice = p->choice_at(place)) != NULL; place++) {
        if (!flags[place]) continue;
        fputs(is_first ? "" : ", ", file);
        rni_text_write(file, choice);
        is_first = false;
    }
    fputc(']', file);
}

void rni_parameter_write(FILE *file, const rni_parameter *p, const void *base)
{
    const char *field = (const char *)base + p->offset;
    float single;
    double number;
    uint32_t whole = 0;
    uint64_t large;
    switch (p->type) {
    case RNI_TYPE_NUMBER:
        if (p->bytes == sizeof number) {
            memcpy(&number, field, sizeof number);
        } else {
            memcpy(&single, field, sizeof single);
            number = (double)single;
        }
        rni_number_write(file, number, p->bytes == sizeof single);
        break;
    case RNI_TYPE_INTEGER:
        if (p->bytes == sizeof large) {
            memcpy(&large, field, sizeof large);
        } else {
            memcpy(&whole, field, sizeof whole);
            large = whole;
        }
        fprintf(file, "%llu", (unsigned long long)large);
        break;
    case RNI_TYPE_BOOL: fputs(*(const bool *)field ? "true" : "false", file); break;
    case RNI_TYPE_CHOICE: {
        memcpy(&whole, field, sizeof whole);
        const char *choice = p->choice_at(whole);
        rni_text_write(file, choice ? choice : "");
        break;
    }
    case RNI_TYPE_VECTOR: write_numbers(file, (const float *)(const void *)field, 3); break;
    case RNI_TYPE_TEXT: rni_text_write(file, field); break;
    case RNI_TYPE_FLAGS: write_flags(file, p, (const bool *)field); break;
    case RNI_TYPE_NUMBERS:
        memcpy(&whole, (const char *)base + p->count_offset, sizeof whole);
        write_numbers(file, (const float *)(const void *)field, whole);
        break;
    }
}

/* --- changes by events ------------------------------------------------------------------------ */
rni_parameter rni_parameter_of_change(const rni_parameter *parameter)
{
    rni_parameter p = *parameter;
    p.offset = 0;
    if (p.type == RNI_TYPE_NUMBER) p.bytes = sizeof(double);
    return p;
}

void rni_change_apply(const rni_scene_change *change, rni_scene *scene)
{
    const rni_parameter *p = &rni_parameters[change->parameter];
    char *field = (char *)scene + p->offset;
    float single = (float)change->value.number;
    if (p->type == RNI_TYPE_NUMBER && p->bytes == sizeof single)
        memcpy(field, &single, sizeof single);
    else memcpy(field, &change->value, p->bytes);
}
