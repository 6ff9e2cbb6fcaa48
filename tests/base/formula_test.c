/* Formulas of places: values, and texts that are none. */
#include "base/formula.h"
#include "fact.h"

#include <math.h>
#include <string.h>

static double value_of(const char *text, double x, double y, double z)
{
    rni_formula formula;
    rni_formula_error error;
    if (!rni_formulas_read(text, 1, &formula, &error))
        fail_msg("'%s' at %zu: %s", text, error.place, error.text);
    return rni_formula_at(&formula, x, y, z);
}

static void formulas_have_the_values_of_arithmetic(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double value;
    } cases[] = {{"1", 1},
                 {" 2 + 3*4 ", 14},
                 {"(2+3)*4", 20},
                 {"2^3^2", 512},
                 {"-2^2", -4},
                 {"2^-1", 0.5},
                 {"--3", 3},
                 {"8/4/2", 1},
                 {"5-3-1", 1},
                 {"x+10*y+100*z", 321},
                 {"0.5 + 0.02*cos(pi*x)", 0.48},
                 {"min(x, y) + max(2, z)*abs(-2)", 7},
                 {"1.5e2 + .5", 150.5},
                 {"2.e-1*10", 2},
                 {"tanh(0)+sinh(0)+cosh(0)+exp(0)+log(1)+sqrt(4)", 4},
                 {"floor(2.7) + atan(0) + tan(0) + asin(0) + acos(1)", 2},
                 {"sin(pi/2)", 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double value = value_of(cases[k].text, 1, 2, 3);
        if (!(fabs(value - cases[k].value) < 1e-12))
            fail_msg("%s is %.17g, not %.17g", cases[k].text, value, cases[k].value);
    }
    assert_true(isinf(value_of("1/x", 0, 0, 0)));
}

static void wrong_formulas_are_refused_with_their_place(void **state)
{
    (void)state;
    const struct {
        const char *text;
        size_t place;
        const char *word;
    } cases[] = {{"", 0, "too early"},     {"1 +", 3, "too early"}, {"1 2", 2, "operator"},
                 {"sin x", 4, "parenth"},  {"(1", 2, "')'"},        {"1)", 1, "operator"},
                 {"foo(1)", 0, "'foo'"},   {"max(1)", 5, "','"},    {"0x10", 1, "operator"},
                 {"1, 2", 1, "1 formula"}, {"$", 0, "must be"},     {"1e999", 0, "numbers"},
                 {".", 0, "numbers"},      {"inf", 0, "'inf'"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        rni_formula formula;
        rni_formula_error error = {.place = 999};
        if (rni_formulas_read(cases[k].text, 1, &formula, &error))
            fail_msg("'%s' was taken", cases[k].text);
        if (error.place != cases[k].place || !strstr(error.text, cases[k].word))
            fail_msg("'%s' at %zu: %s", cases[k].text, error.place, error.text);
    }
}

static void several_formulas_have_commas_between_them(void **state)
{
    (void)state;
    rni_formula f[3];
    rni_formula_error error;
    assert_true(rni_formulas_read("max(x,y), -y , 3", 3, f, &error));
    assert_true(rni_formula_at(&f[0], 1, 2, 0) == 2 && rni_formula_at(&f[1], 1, 2, 0) == -2 &&
                rni_formula_at(&f[2], 0, 0, 0) == 3);
    assert_false(rni_formulas_read("x, y", 3, f, &error));
    assert_non_null(strstr(error.text, "3 formulas"));
    assert_false(rni_formulas_read("x, q", 2, f, &error));
    assert_int_equal(error.place, 3);
}

/* Neither the length nor the depth of a text exceeds what the machine holds. */
static void endless_formulas_are_refused(void **state)
{
    (void)state;
    static const char *const PARTS[] = {"(", "-", "1+", "sin(", "2^", "1-(", "max(1,", "x*"};
    for (size_t k = 0; k < sizeof PARTS / sizeof *PARTS; k++) {
        static char text[8192];
        size_t length = 0;
        while (length + 8 < 4000) {
            memcpy(text + length, PARTS[k], strlen(PARTS[k]));
            length += strlen(PARTS[k]);
        }
        memcpy(text + length, "1", 2);
        rni_formula formula;
        rni_formula_error error;
        const bool is_good = rni_formulas_read(text, 1, &formula, &error);
        if (is_good != (k == 1))
            fail_msg("'%s...' was %s", PARTS[k], is_good ? "taken" : "refused");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_have_the_values_of_arithmetic),
        cmocka_unit_test(wrong_formulas_are_refused_with_their_place),
        cmocka_unit_test(several_formulas_have_commas_between_them),
        cmocka_unit_test(endless_formulas_are_refused),
    };
    return cmocka_run_group_tests_name("base.formula", tests, NULL, NULL);
}
