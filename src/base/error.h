/* Failures: one sentence per thread, kept for rn_last_error(). */
#ifndef RNI_BASE_ERROR_H
#define RNI_BASE_ERROR_H

#include <runnel/base.h>

/* Stores the sentence (printf format) for rn_last_error() on this thread and returns result, so
 * that a failing function can write `return rni_fail(RN_ERROR_ARGUMENT, "radius is %g; it must be
 * positive", radius);`. */
__attribute__((format(printf, 2, 3))) rn_result rni_fail(rn_result result, const char *format, ...);
/* Shows static analysis that the function returns its argument. */
static inline rn_result rni_failed(rn_result said, rn_result result)
{
    (void)said;
    return result;
}
#define rni_fail(result, ...) rni_failed((rni_fail)(result, __VA_ARGS__), result)

/* The first failure among the workers of a job; zero means none. Its sentence is copied to the
 * calling thread. */
typedef struct rni_failure {
    _Atomic int result;
    char sentence[512];
} rni_failure;

void rni_failure_keep(rni_failure *failure,
                      rn_result result); /* called on the worker; RN_OK is allowed */
rn_result rni_failure_raise(
    const rni_failure *failure); /* called on the caller's thread when all workers are done */

#endif
