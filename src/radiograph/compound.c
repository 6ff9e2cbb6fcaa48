#include "radiograph/compound.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <xraylib/xraylib.h>

#define DEEPEST 8 /* brackets within brackets */

/* Adds atoms, as a mass; elements that are there already get more. */
static bool add_element(rni_compound *c, int element, double atoms)
{
    xrl_error *error = NULL;
    const double weight = AtomicWeight(element, &error);
    if (error) {
        xrl_error_free(error);
        return false;
    }
    uint32_t k = 0;
    while (k < c->count && c->element[k] != element) k++;
    if (k == RNI_ELEMENTS_MAX) return false;
    if (k == c->count) {
        c->element[c->count++] = element;
        c->share[k] = 0;
    }
    c->share[k] += atoms * weight;
    return true;
}

/* A number that follows an element or a bracket; 1 if there is none. */
static bool read_number(const char **at, double *number)
{
    *number = 1;
    if (!isdigit((unsigned char)**at)) return true;
    char digits[16];
    const size_t length = strspn(*at, "0123456789.");
    if (length >= sizeof digits) return false;
    memcpy(digits, *at, length);
    digits[length] = 0;
    char *end;
    *number = strtod(digits, &end);
    *at += length;
    return *end == 0 && *number > 0;
}

static bool read_element(const char **at, int *element)
{
    char symbol[3] = {**at, 0, 0};
    if (!isupper((unsigned char)**at)) return false;
    (*at)++;
    if (islower((unsigned char)**at)) symbol[1] = *(*at)++;
    xrl_error *error = NULL;
    *element = SymbolToAtomicNumber(symbol, &error);
    const bool is_known = !error && *element > 0;
    if (error) xrl_error_free(error);
    return is_known;
}

/* What stands in a bracket is read when it is closed: each level has its own compound, in atoms. */
typedef struct level {
    int element[RNI_ELEMENTS_MAX];
    double atoms[RNI_ELEMENTS_MAX];
    uint32_t count;
} level;

static bool put(level *l, int element, double atoms)
{
    if (l->count == RNI_ELEMENTS_MAX) return false;
    l->element[l->count] = element;
    l->atoms[l->count++] = atoms;
    return true;
}

static bool read_formula(const char *at, rni_compound *c)
{
    level stack[DEEPEST];
    uint32_t depth = 0;
    double number;
    stack[0].count = 0;
    while (*at) {
        if (*at == '(') {
            if (++depth == DEEPEST) return false;
            stack[depth].count = 0;
            at++;
        } else if (*at == ')') {
            at++;
            if (depth == 0 || stack[depth].count == 0 || !read_number(&at, &number)) return false;
            for (uint32_t k = 0; k < stack[depth].count; k++)
                if (!put(&stack[depth - 1], stack[depth].element[k], number * stack[depth].atoms[k]))
                    return false;
            depth--;
        } else {
            int element;
            if (!read_element(&at, &element) || !read_number(&at, &number) ||
                !put(&stack[depth], element, number))
                return false;
        }
    }
    for (uint32_t k = 0; k < stack[0].count; k++)
        if (!add_element(c, stack[0].element[k], stack[0].atoms[k])) return false;
    return depth == 0 && c->count > 0;
}

static bool find_mixture(const char *name, rni_compound *c)
{
    xrl_error *error = NULL;
    struct compoundDataNIST *data = GetCompoundDataNISTByName(name, &error);
    if (error) xrl_error_free(error);
    if (!data) return false;
    for (int k = 0; k < data->nElements && c->count < RNI_ELEMENTS_MAX; k++) {
        c->element[c->count] = data->Elements[k];
        c->share[c->count++] = data->massFractions[k];
    }
    FreeCompoundDataNIST(data);
    return c->count > 0;
}

bool rni_compound_find(const char *text, rni_compound *c)
{
    *c = (rni_compound){.count = 0};
    if (!read_formula(text, c)) {
        *c = (rni_compound){.count = 0};
        if (!find_mixture(text, c)) return false;
    }
    double sum = 0;
    for (uint32_t k = 0; k < c->count; k++) sum += c->share[k];
    for (uint32_t k = 0; k < c->count; k++) c->share[k] /= sum;
    return sum > 0;
}

typedef double (*table_fn)(int element, double kev, xrl_error **error);

static double sum_of(const rni_compound *c, double kev, table_fn table)
{
    double sum = 0;
    for (uint32_t k = 0; k < c->count; k++) {
        xrl_error *error = NULL;
        sum += 0.1 * c->share[k] * table(c->element[k], kev, &error); /* from cm^2/g */
        if (error) {
            xrl_error_free(error);
            return -1;
        }
    }
    return sum;
}

double rni_compound_attenuation(const rni_compound *c, double kev)
{
    return sum_of(c, kev, CS_Total);
}

double rni_compound_absorption(const rni_compound *c, double kev)
{
    return sum_of(c, kev, CS_Energy);
}
