/* Memory through the caller's allocator: single blocks, buffers that only grow, and a bump
 * arena. */
#ifndef RNI_BASE_MEMORY_H
#define RNI_BASE_MEMORY_H

#include <runnel/base.h>

#include <stdatomic.h>

/* Alignment of all blocks: a cache line, and the widest vector. */
#define RNI_ALIGNMENT 64u

/* An allocator that counts the bytes it holds. Part of the long-lived object; buffers point to
 * it. */
typedef struct rni_memory {
    rn_allocator allocator;
    atomic_flag is_busy; /* a lock: the caller's allocator need not be thread-safe */
    _Atomic uint64_t held_bytes;
} rni_memory;

/* A zero allocator selects the C library's, with huge pages advised for large blocks. An allocator
 * with only one function is refused. */
rn_result rni_memory_init(rni_memory *memory, const rn_allocator *allocator);

/* NULL if out of memory, with a message in rn_last_error(). */
void *rni_memory_take(rni_memory *memory, size_t bytes);
void rni_memory_give(rni_memory *memory, void *block, size_t bytes); /* block NULL is fine */

/* Creates a long-lived object whose first member is its rni_memory: `bytes` zeroed bytes from the
 * allocator, counted as held. The second function destroys the object after everything it held has
 * been released. */
rn_result rni_memory_begin(const rn_allocator *allocator, size_t bytes, void **object);
void rni_memory_end(rni_memory *object, size_t bytes);

/* A block that grows and is reused; a zero struct is a valid empty buffer. */
typedef struct rni_buffer {
    void *data;
    size_t bytes;
} rni_buffer;

/* Ensures at least count * element_bytes; growing loses the contents. The first allocation is
 * exact, later ones add an eighth, so that a slowly growing need does not allocate at every step.
 * On failure the buffer is empty. */
rn_result rni_buffer_need(rni_memory *memory, rni_buffer *buffer, uint64_t count,
                          size_t element_bytes);
/* The same, but growing keeps the contents and at least doubles the size; on failure the buffer is
 * unchanged. */
rn_result rni_buffer_grow(rni_memory *memory, rni_buffer *buffer, uint64_t count,
                          size_t element_bytes);
void rni_buffer_free(rni_memory *memory, rni_buffer *buffer);

/* Memory of the machine in bytes; UINT64_MAX if the system does not report it. */
uint64_t rni_machine_bytes(void);

/* Short-lived blocks that are all released together. */
typedef struct rni_arena {
    rni_memory *memory;
    struct rni_arena_chunk *chunk;
} rni_arena;

void rni_arena_init(rni_arena *arena, rni_memory *memory);
void *rni_arena_take(rni_arena *arena, size_t bytes); /* NULL if out of memory */
/* Releases all blocks. After a few rounds one chunk is large enough for all blocks, and no further
 * allocation happens. */
void rni_arena_reset(rni_arena *arena);
void rni_arena_free(rni_arena *arena);
/* NULL, or the violated rule (base/validate.h). */
const char *rni_validate_arena(const rni_arena *arena);

#endif
