/* Apart from error.c, in whose place the shared library librunnel-scene has a file of its own. */
#include "base/error.h"

#include <stdatomic.h>
#include <stdio.h>

void rni_failure_keep(rni_failure *failure, rn_result result)
{
    int none = RN_OK;
    if (result == RN_OK) return;
    if (atomic_compare_exchange_strong(&failure->result, &none, (int)result)) {
        snprintf(failure->sentence, sizeof failure->sentence, "%s", rn_last_error());
    }
}

rn_result rni_failure_raise(const rni_failure *failure)
{
    rn_result result = (rn_result)atomic_load(&failure->result);
    return result == RN_OK ? RN_OK : rni_fail(result, "%s", failure->sentence);
}
