/* Where a worker writes the lists it finds. A worker may own a part of the final lists, its
 * window. It writes to the window directly or, where the lists are too large for the caches, one
 * cache line at a time through its own buffer. Without a window it writes to its own buffer.
 * Methods reserve capacity, write at rni_rows_next, and advance `used`. */
#ifndef RNI_SEARCH_ROWS_H
#define RNI_SEARCH_ROWS_H

#include "base/memory.h"

#include <runnel/search.h>

/* Rows per call of a method. Small enough for a core's private cache, large enough to
 * distribute. */
#define RNI_BLOCK_ROWS 256u

/* Entries past the end that a vector store may overwrite. */
#define RNI_ROWS_SPILL 16u

typedef enum rni_want { RNI_WANT_COUNTS, RNI_WANT_INDEX, RNI_WANT_DISTANCE } rni_want;

/* The output of a method: lists of up to RNI_BLOCK_ROWS consecutive rows. One per worker. */
typedef struct rni_rows {
    _Alignas(RNI_ALIGNMENT) rni_memory *memory; /* a separate cache line for each worker */
    uint32_t counts[RNI_BLOCK_ROWS];
    uint64_t used;          /* entries in the block */
    rni_buffer index;       /* uint32_t: the block, or entries not yet copied to the window */
    rni_buffer distance_sq; /* float; RNI_WANT_DISTANCE only, never with a window */

    /* entry k of the block goes to target[k + shift]: in the buffer, or in the lists */
    uint32_t *target;
    uint64_t shift;

    /* The window: the entries of the final lists that this worker fills. It is part of a piece
     * of whole cache lines that no other worker writes. */
    uint32_t *lists;
    uint64_t window_at, window_end;
    bool is_in_window;
    bool is_streamed;  /* bypasses the caches */
    bool is_wide;      /* writes a whole line at once: the processor has AVX-512 */
    uint64_t lines_at; /* position of the next whole line */

    /* The spans that the caller will write for the rows, at spans + order[k], are scattered over
     * memory. A few at a time are prefetched while the lists are being found. */
    const rn_span *spans;
    const uint32_t *order;
    uint32_t fetched, fetch_end;

    /* Accumulated until the report is written; see rn_search_stats. */
    uint64_t test_count, collision_count, visited_count, early_end_count;
} rni_rows;

/* Rounds up to whole cache lines. */
static inline uint64_t rni_rows_whole_lines(uint64_t entries)
{
    const uint64_t line = RNI_ALIGNMENT / sizeof(uint32_t);
    return (entries + line - 1) / line * line;
}

/* Begins a block of rows: in the worker's own buffer, or in the remainder of its window. */
void rni_rows_begin(rni_rows *rows);
void rni_rows_begin_window(rni_rows *rows);
/* Ends the block; true when it is in the window, at window_at. */
bool rni_rows_end(rni_rows *rows);

/* Reserves `more` entries after `used`. Contents are kept. When the window is too small, the
 * block moves to the worker's own buffer. */
rn_result rni_rows_reserve(rni_rows *rows, rni_want want, uint64_t more);

/* Where the next entry goes; valid until the next reserve. */
static inline uint32_t *rni_rows_next(const rni_rows *rows)
{
    return rows->target + (rows->used + rows->shift);
}

/* Prefetches the next few spans. Few at once: the processor stalls when more cache lines are in
 * flight than it can track. */
#define RNI_SPANS_AT_ONCE 8u

static inline void rni_rows_fetch_spans(rni_rows *rows)
{
    const uint32_t left = rows->fetch_end - rows->fetched;
    const uint32_t end = rows->fetched + (left < RNI_SPANS_AT_ONCE ? left : RNI_SPANS_AT_ONCE);
    for (; rows->fetched < end; rows->fetched++)
        __builtin_prefetch(rows->spans + rows->order[rows->fetched], 1);
}

void rni_rows_free(rni_rows *rows);

#endif
