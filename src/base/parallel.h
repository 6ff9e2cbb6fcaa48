/* Threads: one parallel-for over numbered pieces, on a small crew of threads or on the caller's
 * task system.
 *
 * Which worker runs which piece, and how many workers take part, is not deterministic. Results that
 * must be deterministic are written by piece, not by worker. A job never waits for a thread that
 * has
 * not begun: the calling thread then does all pieces. Threads that cost more time than they save
 * (few pieces, a busy machine) are left out for a while (parallel.c, "balance"). Idle threads sleep
 * after 50 microseconds. */
#ifndef RNI_BASE_PARALLEL_H
#define RNI_BASE_PARALLEL_H

#include "base/memory.h"

#define RNI_MAX_WORKERS 256u

typedef struct rni_crew rni_crew;

/* worker_count 0: one for each processor, at most RNI_MAX_WORKERS. The calling thread is one of
 * them. */
rn_result rni_crew_create(rni_memory *memory, uint32_t worker_count, const rn_tasks *tasks,
                          rni_crew **crew);
void rni_crew_destroy(rni_crew *crew);
uint32_t rni_crew_size(const rni_crew *crew);

/* Calls work(data, piece, worker) for every piece below piece_count and returns when all are done.
 * Concurrent calls have different worker numbers. Each worker takes its own share, in ascending
 * order and the same from job to job, and then helps the others with theirs; the pieces that worker
 * 0 takes ascend. No piece may wait for another. */
typedef void (*rni_piece_fn)(void *data, uint32_t piece, uint32_t worker);
void rni_crew_pieces(rni_crew *crew, uint32_t piece_count, rni_piece_fn work, void *data);

/* The range [*begin, *end) of share `part` out of `parts`, for count elements; shares are nearly
 * equal and in order. */
static inline void rni_share(uint64_t count, uint32_t part, uint32_t parts, uint64_t *begin,
                             uint64_t *end)
{
    *begin = count * part / parts;
    *end = count * (part + 1) / parts;
}

/* Number of pieces of `share` elements that cover count. */
static inline uint32_t rni_piece_count(uint32_t count, uint32_t share)
{
    return count > 0 ? (count - 1) / share + 1 : 0;
}

/* Hint to the processor that this thread is spinning. */
static inline void rni_pause(void)
{
#ifdef RNI_X86
    __builtin_ia32_pause();
#endif
}

#endif
