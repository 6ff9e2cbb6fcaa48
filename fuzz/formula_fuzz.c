/* Arbitrary text as one and as three formulas, which then have values. */
#include "base/formula.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size > 0) memcpy(text, data, size);
    text[size] = 0;
    for (uint32_t count = 1; count <= 3; count += 2) {
        rni_formula formulas[3];
        rni_formula_error error = {.place = 0};
        if (rni_formulas_read(text, count, formulas, &error)) {
            for (uint32_t k = 0; k < count; k++) (void)rni_formula_at(&formulas[k], 0.5, -2, 1e30);
        } else if (error.place > size || !*error.text) {
            abort();
        }
    }
    free(text);
    return 0;
}
