/* Where a worker writes the lists it finds: the part of the final lists that is its to fill (its window), where
 * there is one; straight, or, where they are too large for the caches, line by line through a buffer of its own.
 * Methods ask for room, write at rni_rows_next, and add to `used`. */
#ifndef RNI_SEARCH_ROWS_H
#define RNI_SEARCH_ROWS_H

#include "base/memory.h"

#include <runnel/search.h>

/* Rows a method is asked for at once. Small enough for a core's own cache, large enough to share
 * out. */
#define RNI_BLOCK_ROWS 256u

/* Entries past the end that a vector store may overwrite. */
#define RNI_ROWS_SPILL 16u

typedef enum rni_want { RNI_WANT_COUNTS, RNI_WANT_INDEX, RNI_WANT_DISTANCE } rni_want;

/* What a method answers: lists of up to RNI_BLOCK_ROWS rows, one behind the other. One a worker. */
typedef struct rni_rows {
    _Alignas(RNI_ALIGNMENT) rni_memory *memory; /* a cache line of its own for each worker */
    uint32_t counts[RNI_BLOCK_ROWS];
    uint64_t used;          /* entries of the block */
    rni_buffer index;       /* uint32_t: the block, or what waits to go to the window */
    rni_buffer distance_sq; /* float; RNI_WANT_DISTANCE only, never with a window */

    uint32_t *room; /* entry k of the block goes to room[k + shift]: the buffer, or the lists */
    uint64_t shift;

    /* The window: entries of the final lists that are the worker's to fill. It is part of a piece of whole lines
     * that no other worker writes to. */
    uint32_t *lists;
    uint64_t window_at, window_end;
    bool is_in_window;
    bool is_streamed;  /* past the caches */
    bool is_wide;      /* a line at once: the processor has AVX-512 */
    uint64_t lines_at; /* where the next whole line goes */

    /* What the caller will write for each row lies all over memory: at spans + order[k]. A few at a time
     * are fetched while the lists are being found. */
    const rn_span *spans;
    const uint32_t *order;
    uint32_t fetched, fetch_end;

    /* Sums until the report is written; see rn_search_stats. */
    uint64_t test_count, collision_count, visited_count, early_end_count;
} rni_rows;

/* So many entries, and those that fill the last cache line. */
static inline uint64_t rni_rows_whole_lines(uint64_t entries)
{
    const uint64_t line = RNI_ALIGNMENT / sizeof(uint32_t);
    return (entries + line - 1) / line * line;
}

/* A block of rows begins: in the worker's own buffer, or in what is left of its window. */
void rni_rows_begin(rni_rows *rows);
void rni_rows_begin_window(rni_rows *rows);
/* It ends; true when it lies in the window, at window_at. */
bool rni_rows_end(rni_rows *rows);

/* Room for `more` entries behind `used`. Contents are kept. A window that is too small is left for the
 * worker's own buffer. */
rn_result rni_rows_reserve(rni_rows *rows, rni_want want, uint64_t more);

/* Where the next entry goes; good until the next reserve. */
static inline uint32_t *rni_rows_next(const rni_rows *rows)
{
    return rows->room + (rows->used + rows->shift);
}

/* Fetches the next few of the spans. Few at once: the processor waits where it has more lines on their way
 * than it can count. */
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
