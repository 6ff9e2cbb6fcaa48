#include "base/formula.h"

#include "base/pi.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER, X, Y, Z, ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, NEGATE, FIRST_FUNCTION };

static const struct {
    const char *name;
    uint32_t arguments;
} FUNCTIONS[] = {{"sin", 1},  {"cos", 1},   {"tan", 1},  {"asin", 1}, {"acos", 1}, {"atan", 1},
                 {"sinh", 1}, {"cosh", 1},  {"tanh", 1}, {"exp", 1},  {"log", 1},  {"sqrt", 1},
                 {"abs", 1},  {"floor", 1}, {"min", 2},  {"max", 2}};
#define FUNCTION_COUNT (sizeof FUNCTIONS / sizeof *FUNCTIONS)

typedef struct parser {
    const char *text;
    size_t at;
    uint32_t depth, stack; /* of parentheses; of the values at this point */
    bool is_bad;
    rni_formula *formula;
    rni_formula_error *error;
} parser;

__attribute__((format(printf, 3, 4))) static void fail(parser *p, size_t place, const char *format,
                                                       ...)
{
    if (p->is_bad) return;
    p->is_bad = true;
    p->error->place = place;
    va_list list;
    va_start(list, format);
    vsnprintf(p->error->text, sizeof p->error->text, format, list);
    va_end(list);
}

static char next(parser *p)
{
    while (p->text[p->at] == ' ' || p->text[p->at] == '\t') p->at++;
    return p->text[p->at];
}

/* Adds a step that takes `takes` values and leaves one. */
static void add_step(parser *p, uint8_t step, uint32_t takes, double number)
{
    if (p->is_bad) return;
    rni_formula *f = p->formula;
    if (f->count == RNI_FORMULA_STEPS) {
        fail(p, p->at, "the formula is too long: at most %u numbers and operations",
             RNI_FORMULA_STEPS);
        return;
    }
    f->step[f->count] = step;
    f->number[f->count++] = number;
    p->stack = p->stack + 1 - takes;
    if (p->stack > RNI_FORMULA_DEPTH) fail(p, p->at, "the formula is nested too deeply");
}

static void read_sum(parser *p);

static void read_arguments(parser *p, uint32_t count)
{
    for (uint32_t k = 0; k < count && !p->is_bad; k++) {
        read_sum(p);
        const char wanted = k + 1 < count ? ',' : ')';
        if (next(p) != wanted) fail(p, p->at, "here must be '%c'", wanted);
        p->at += !p->is_bad;
    }
}

static void read_word(parser *p)
{
    const size_t begin = p->at;
    while (isalnum((unsigned char)p->text[p->at])) p->at++;
    const char *word = p->text + begin;
    const size_t length = p->at - begin;
    if (length == 1 && *word >= 'x' && *word <= 'z') {
        add_step(p, (uint8_t)(X + (*word - 'x')), 0, 0);
        return;
    }
    if (length == 2 && memcmp(word, "pi", 2) == 0) {
        add_step(p, NUMBER, 0, RNI_PI);
        return;
    }
    for (size_t k = 0; k < FUNCTION_COUNT; k++) {
        if (strlen(FUNCTIONS[k].name) != length || memcmp(FUNCTIONS[k].name, word, length) != 0)
            continue;
        if (next(p) != '(')
            fail(p, p->at, "%s needs its argument in parentheses", FUNCTIONS[k].name);
        p->at += !p->is_bad;
        read_arguments(p, FUNCTIONS[k].arguments);
        add_step(p, (uint8_t)(FIRST_FUNCTION + k), FUNCTIONS[k].arguments, 0);
        return;
    }
    fail(p, begin, "'%.*s' is unknown; there are x, y, z, pi and functions such as sin and sqrt",
         (int)(length < 16 ? length : 16), word);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Not by strtod(), whose decimal point depends on the program's locale. */
static void read_number(parser *p)
{
    const size_t begin = p->at;
    double value = 0;
    int digits = 0, exponent = 0, power = 0;
    for (; is_digit(p->text[p->at]); digits++) value = 10 * value + (p->text[p->at++] - '0');
    p->at += p->text[p->at] == '.';
    for (; is_digit(p->text[p->at]); digits++, exponent--)
        value = 10 * value + (p->text[p->at++] - '0');
    const char *rest = p->text + p->at;
    const bool is_signed = rest[0] && (rest[1] == '-' || rest[1] == '+');
    if ((rest[0] == 'e' || rest[0] == 'E') && is_digit(rest[is_signed ? 2 : 1])) {
        p->at += is_signed ? 2 : 1;
        for (; is_digit(p->text[p->at]) && power < 1000; p->at++)
            power = 10 * power + (p->text[p->at] - '0');
        if (is_signed && rest[1] == '-') power = -power;
    }
    exponent += power;
    value = exponent < 0 ? value / pow(10, -exponent) : value * pow(10, exponent);
    if (digits == 0 || !isfinite(value)) fail(p, begin, "numbers are written 0.5 or 1e-3");
    add_step(p, NUMBER, 0, value);
}

static void read_value(parser *p)
{
    const char c = next(p);
    if (p->depth++ >= RNI_FORMULA_DEPTH) fail(p, p->at, "the formula is nested too deeply");
    if (p->is_bad) return;
    if (c == '(') {
        p->at++;
        read_arguments(p, 1);
    } else if (is_digit(c) || c == '.') {
        read_number(p);
    } else if (isalpha((unsigned char)c)) {
        read_word(p);
    } else if (c == 0) {
        fail(p, p->at, "it ends too early: a number, x, y, z or ( is missing");
    } else {
        fail(p, p->at, "here must be a number, x, y, z, a function or (");
    }
    p->depth--;
}

/* -a^b is -(a^b), and a^-b is fine. */
static void read_power(parser *p)
{
    bool is_negative = false;
    while (next(p) == '-' || next(p) == '+') is_negative ^= p->text[p->at++] == '-';
    read_value(p);
    if (!p->is_bad && next(p) == '^') {
        p->at++;
        if (p->depth++ >= RNI_FORMULA_DEPTH) fail(p, p->at, "the formula is nested too deeply");
        if (!p->is_bad) read_power(p);
        p->depth--;
        add_step(p, POWER, 2, 0);
    }
    if (is_negative) add_step(p, NEGATE, 1, 0);
}

static void read_product(parser *p)
{
    read_power(p);
    while (!p->is_bad && (next(p) == '*' || next(p) == '/')) {
        const char c = p->text[p->at++];
        read_power(p);
        add_step(p, c == '*' ? MULTIPLY : DIVIDE, 2, 0);
    }
}

static void read_sum(parser *p)
{
    read_product(p);
    while (!p->is_bad && (next(p) == '+' || next(p) == '-')) {
        const char c = p->text[p->at++];
        read_product(p);
        add_step(p, c == '+' ? ADD : SUBTRACT, 2, 0);
    }
}

bool rni_formula_read(const char *text, size_t *end, rni_formula *formula, rni_formula_error *error)
{
    parser p = {.text = text, .formula = formula, .error = error};
    formula->count = 0;
    read_sum(&p);
    if (!p.is_bad && next(&p) != 0 && next(&p) != ',')
        fail(&p, p.at, "here must be an operator, as + or *, or the end");
    *end = p.at;
    return !p.is_bad;
}

bool rni_formulas_read(const char *text, uint32_t count, rni_formula *formulas,
                       rni_formula_error *error)
{
    size_t at = 0;
    for (uint32_t k = 0; k < count; k++) {
        size_t end;
        const bool is_good = rni_formula_read(text + at, &end, &formulas[k], error);
        if (!is_good) error->place += at;
        if (!is_good) return false;
        at += end;
        const bool is_last = k + 1 == count;
        if ((text[at] == 0) == is_last) {
            at += !is_last;
            continue;
        }
        error->place = at;
        snprintf(error->text, sizeof error->text, "there must be %u formula%s%s", count,
                 count == 1 ? "" : "s", count == 1 ? "" : ", with commas between them");
        return false;
    }
    return true;
}

static double call(uint32_t function, double a, double b)
{
    switch (function) {
    case 0: return sin(a);
    case 1: return cos(a);
    case 2: return tan(a);
    case 3: return asin(a);
    case 4: return acos(a);
    case 5: return atan(a);
    case 6: return sinh(a);
    case 7: return cosh(a);
    case 8: return tanh(a);
    case 9: return exp(a);
    case 10: return log(a);
    case 11: return sqrt(a);
    case 12: return fabs(a);
    case 13: return floor(a);
    case 14: return fmin(a, b);
    default: return fmax(a, b);
    }
}

double rni_formula_at(const rni_formula *f, double x, double y, double z)
{
    double stack[RNI_FORMULA_DEPTH + 2] = {0};
    uint32_t top = 0; /* values on the stack */
    for (uint32_t k = 0; k < f->count; k++) {
        const uint32_t step = f->step[k];
        if (step == NUMBER) stack[top++] = f->number[k];
        else if (step <= Z) stack[top++] = step == X ? x : step == Y ? y : z;
        else if (step == NEGATE) stack[top - 1] = -stack[top - 1];
        else if (step >= FIRST_FUNCTION && FUNCTIONS[step - FIRST_FUNCTION].arguments == 1)
            stack[top - 1] = call(step - FIRST_FUNCTION, stack[top - 1], 0);
        else {
            const double b = stack[--top], a = stack[top - 1];
            stack[top - 1] = step == ADD        ? a + b
                             : step == SUBTRACT ? a - b
                             : step == MULTIPLY ? a * b
                             : step == DIVIDE   ? a / b
                             : step == POWER    ? pow(a, b)
                                                : call(step - FIRST_FUNCTION, a, b);
        }
    }
    return stack[0];
}
