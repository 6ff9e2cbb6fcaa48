/* What every unit test opens with: cmocka, and the headers it wants before it. */
#ifndef RNI_TESTS_FACT_H
#define RNI_TESTS_FACT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "slowness.h"

#endif
