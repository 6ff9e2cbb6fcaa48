/* runnel/base.h - shared by all modules: results, errors, memory, tasks, instruction sets.
 *
 * Does:     defines the results of all calls, explains the last failure in a sentence, and lets
 *           the caller supply its own allocator and its own threads.
 * Does not: print, exit, or touch files.
 * Smallest use:
 *     if (rn_search_create(&def, &search) != RN_OK) puts(rn_last_error());
 */
#ifndef RUNNEL_BASE_H
#define RUNNEL_BASE_H

#include <runnel/version.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) || !defined(__GNUC__)
#define RN_API
#else
#define RN_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The result of a call. The numbers never change. */
typedef enum rn_result {
    RN_OK = 0,
    RN_ERROR_ARGUMENT = 1, /* the caller's mistake: a NaN point, a def without its defaults */
    RN_ERROR_MEMORY = 2,   /* the allocator returned NULL */
    RN_ERROR_LIMIT = 3,    /* valid input that exceeds a limit of this method or machine */
    RN_ERROR_FILE = 4      /* a file could not be read or written, or its content is invalid */
} rn_result;

/* "ok", "argument", "memory", "limit", "file". Never NULL. */
RN_API const char *rn_result_name(rn_result result);

/* A sentence that explains the last failure on this thread: what is wrong, where, and what would be
 * right. Empty before the first failure. Valid until the next failing call on the same thread.
 * Never NULL. */
RN_API const char *rn_last_error(void);

/* Stores a copy of sentence (at most 511 bytes) for rn_last_error() on this thread and returns
 * result. For operators, and for libraries on top of this one. */
RN_API rn_result rn_fail(rn_result result, const char *sentence);

/* Version of the loaded library, as "major.minor.patch"; RN_VERSION_STRING is the version of the
 * header. */
RN_API const char *rn_version(void);

/* Memory functions: set both or neither. Called from any thread, but never concurrently for one
 * object. */
typedef struct rn_allocator {
    void *user;
    /* Returns bytes aligned to alignment (a power of two, at most 2 MiB), or NULL. */
    void *(*allocate)(void *user, size_t bytes, size_t alignment);
    /* bytes is the size that was requested. memory is never NULL. */
    void (*release)(void *user, void *memory, size_t bytes);
} rn_allocator;

/* One piece of a parallel job. */
typedef void (*rn_task_fn)(void *data, uint32_t task);

/* Task system: with run NULL, each object uses its own small thread pool. */
typedef struct rn_tasks {
    void *user;
    /* Calls task(data, t) once for every t below task_count, on any threads, and returns when all
     * calls are done. */
    void (*run)(void *user, rn_task_fn task, void *data, uint32_t task_count);
} rn_tasks;

/* Instruction sets that have their own version of the hot loops. Searches and the broad phase give
 * bit-identical results with all of them. The fluid (runnel/fluid.h) differs in rounding, because
 * its sums run over lanes; with the same instruction set its results are reproducible to the
 * bit. */
typedef enum rn_cpu_level {
    RN_CPU_AUTO = 0, /* the best level of this machine */
    RN_CPU_PLAIN = 1,
    RN_CPU_AVX2 = 2,
    RN_CPU_AVX512 = 3
} rn_cpu_level;

/* The best level that this machine and this build support; never RN_CPU_AUTO. */
RN_API rn_cpu_level rn_cpu_best(void);

/* "auto", "plain", "avx2", "avx512". Never NULL. */
RN_API const char *rn_cpu_level_name(rn_cpu_level level);

/* Processors this process may run on; at least 1. */
RN_API uint32_t rn_cpu_count(void);

/* destination[k] = source[order[k]] for count elements of element_bytes each. The two must not
 * overlap. */
RN_API void rn_permute(const uint32_t *order, uint32_t count, const void *source, void *destination,
                       size_t element_bytes);

#ifdef __cplusplus
}
#endif
#endif
