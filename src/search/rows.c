#include "search/rows.h"

#include <string.h>

#ifdef RNI_X86
#include <immintrin.h>
#endif

#define LINE (RNI_ALIGNMENT / sizeof(uint32_t)) /* entries per cache line */

static void take_own(rni_rows *rows)
{
    rows->is_in_window = false;
    rows->target = rows->index.data;
    rows->shift = 0;
}

void rni_rows_begin(rni_rows *rows)
{
    rows->used = 0;
    rows->fetched = rows->fetch_end = 0;
    take_own(rows);
}

void rni_rows_begin_window(rni_rows *rows)
{
    rni_rows_begin(rows);
    if (rows->window_at >= rows->window_end) return;
    if (!rows->is_streamed) {
        rows->is_in_window = true;
        rows->target = rows->lists;
        rows->shift = rows->window_at;
        return;
    }
    if (rows->index.bytes < RNI_ALIGNMENT) return;
    /* Only whole lines are written, so entries already in the first line are copied too. */
    rows->is_in_window = true;
    rows->shift = rows->window_at % LINE;
    rows->lines_at = rows->window_at - rows->shift;
    memcpy(rows->target, rows->lists + rows->lines_at, rows->shift * sizeof *rows->target);
}

#ifdef RNI_X86
static void stream_lines(uint32_t *to, const uint32_t *from, uint64_t count)
{
    __m128i *line = (__m128i *)(void *)to;
    const __m128i *source = (const __m128i *)(const void *)from;
    for (uint64_t k = 0; k < count / 4; k++) _mm_stream_si128(line + k, _mm_load_si128(source + k));
}

__attribute__((target("avx512f"))) static void stream_wide(uint32_t *to, const uint32_t *from,
                                                           uint64_t count)
{
    for (uint64_t k = 0; k < count; k += LINE)
        _mm512_stream_si512((__m512i *)(void *)(to + k), _mm512_load_si512(from + k));
}
#endif

/* Moves whole lines to the window with stores that bypass the caches, so that the lines need not
 * be read first. Called after every few lists: memory absorbs the stores while the next lists
 * are being found. */
static void write_lines(rni_rows *rows)
{
    if (!rows->is_streamed) return; /* all entries are in place already */
    const uint64_t waiting = rows->used + rows->shift, whole = waiting / LINE * LINE;
    uint32_t *to = rows->lists + rows->lines_at, *from = rows->target;
#ifdef RNI_X86
    if (rows->is_wide) stream_wide(to, from, whole);
    else stream_lines(to, from, whole);
#else
    memcpy(to, from, whole * sizeof *to);
#endif
    memmove(from, from + whole, (waiting - whole) * sizeof *from);
    rows->lines_at += whole;
    rows->shift -= whole; /* may wrap around zero: only the sum with `used` matters */
}

/* Writes all remaining entries. */
static void write_all(rni_rows *rows)
{
    if (!rows->is_streamed) return;
    write_lines(rows);
    memcpy(rows->lists + rows->lines_at, rows->target,
           (rows->used + rows->shift) * sizeof *rows->target);
#ifdef RNI_X86
    _mm_sfence();
#endif
}

bool rni_rows_end(rni_rows *rows)
{
    const bool is_there = rows->is_in_window;
    if (is_there) write_all(rows);
    take_own(rows);
    return is_there;
}

/* Moves the part of this block that is in the window to the worker's own buffer. */
static rn_result leave_window(rni_rows *rows, uint64_t needed)
{
    write_all(rows);
    rn_result result = rni_buffer_need(rows->memory, &rows->index, needed, sizeof(uint32_t));
    take_own(rows);
    if (result == RN_OK && rows->used > 0)
        memcpy(rows->target, rows->lists + rows->window_at, rows->used * sizeof *rows->target);
    return result;
}

rn_result rni_rows_reserve(rni_rows *rows, rni_want want, uint64_t more)
{
    const uint64_t needed = rows->used + more + RNI_ROWS_SPILL;
    rn_result result = RN_OK;
    if (rows->is_in_window) {
        if (needed > rows->window_end - rows->window_at) result = leave_window(rows, needed);
        else write_lines(rows);
    }
    rni_rows_fetch_spans(rows);
    const bool is_own = !rows->is_in_window || rows->is_streamed;
    if (result == RN_OK && is_own && (needed + rows->shift) * sizeof(uint32_t) > rows->index.bytes) {
        result = rni_buffer_grow(rows->memory, &rows->index, needed + rows->shift, sizeof(uint32_t));
        rows->target = rows->index.data;
    }
    if (result == RN_OK && want == RNI_WANT_DISTANCE &&
        needed * sizeof(float) > rows->distance_sq.bytes)
        result = rni_buffer_grow(rows->memory, &rows->distance_sq, needed, sizeof(float));
    return result;
}

void rni_rows_free(rni_rows *rows)
{
    rni_buffer_free(rows->memory, &rows->index);
    rni_buffer_free(rows->memory, &rows->distance_sq);
}
