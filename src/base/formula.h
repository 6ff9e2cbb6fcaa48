/* Formulas of x, y and z, as text: "0.5 + 0.02*cos(pi*x)".
 *
 * Numbers, + - * / ^, parentheses, pi, x, y, z, and the functions sin cos tan asin acos atan sinh
 * cosh tanh exp log sqrt abs floor (one argument), min max (two). ^ binds more tightly than a minus before it and
 * to the right: -x^2 is -(x^2), 2^3^2 is 2^9. Hostile text is fine: length and depth are bounded. */
#ifndef RNI_BASE_FORMULA_H
#define RNI_BASE_FORMULA_H

#include <runnel/base.h>

#include <stddef.h>

#define RNI_FORMULA_STEPS 96u /* operations, numbers and variables */
#define RNI_FORMULA_DEPTH 24u /* of parentheses, and of the stack */

/* A formula as steps of a stack machine; a plain value. */
typedef struct rni_formula {
    uint32_t count;
    uint8_t step[RNI_FORMULA_STEPS];
    double number[RNI_FORMULA_STEPS]; /* of steps that are numbers */
} rni_formula;

/* What is wrong with a text. */
typedef struct rni_formula_error {
    size_t place; /* byte, from 0 */
    char text[96];
} rni_formula_error;

/* Reads one formula up to the end of the text or, outside of parentheses, to a comma; *end is where it
 * stopped. False: *error says why. */
bool rni_formula_read(const char *text, size_t *end, rni_formula *formula, rni_formula_error *error);
/* Reads `count` formulas with commas between them, and nothing else. */
bool rni_formulas_read(const char *text, uint32_t count, rni_formula *formulas,
                       rni_formula_error *error);
/* Its value at a place; may be infinite or not a number. */
double rni_formula_at(const rni_formula *formula, double x, double y, double z);

#endif
