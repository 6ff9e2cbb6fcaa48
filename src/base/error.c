#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last_error[512];

rn_result(rni_fail)(rn_result result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    return result;
}

rn_result rn_fail(rn_result result, const char *sentence)
{
    size_t length = strlen(sentence);
    if (length >= sizeof last_error) length = sizeof last_error - 1;
    memmove(last_error, sentence, length); /* sentence may be rn_last_error() itself */
    last_error[length] = 0;
    return result;
}

const char *rn_last_error(void)
{
    return last_error;
}

const char *rn_result_name(rn_result result)
{
    switch (result) {
    case RN_OK: return "ok";
    case RN_ERROR_ARGUMENT: return "argument";
    case RN_ERROR_MEMORY: return "memory";
    case RN_ERROR_LIMIT: return "limit";
    case RN_ERROR_FILE: return "file";
    }
    return "unknown";
}

const char *rn_version(void)
{
    return RN_VERSION_STRING;
}
