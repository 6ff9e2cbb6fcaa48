/* In the shared library librunnel-scene only: the module's sentences go to rn_last_error(), which
 * librunnel has. The static library uses rni_fail() of librunnel.a. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

rn_result(rni_fail)(rn_result result, const char *format, ...)
{
    char sentence[512];
    va_list values;
    va_start(values, format);
    vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    return rn_fail(result, sentence);
}
