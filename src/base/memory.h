/* Memory through the caller's allocator: single blocks, buffers that only grow, and a bump
 * arena. */
#ifndef RNI_BASE_MEMORY_H
#define RNI_BASE_MEMORY_H

#include <runnel/base.h>

#include <stdatomic.h>

/* The alignment of everything handed out here: a cache line, and the widest vector. */
#define RNI_ALIGNMENT 64u

/* An allocator that counts what it holds. Lives in the long-lived object; buffers point to it. */
typedef struct rni_memory {
    rn_allocator allocator;
    atomic_flag is_busy; /* a lock: the caller's allocator need not be safe for several threads */
    _Atomic uint64_t held_bytes;
} rni_memory;

/* A zero allocator means the C library's, with huge pages advised for large blocks. Half an
 * allocator is refused. */
rn_result rni_memory_init(rni_memory *memory, const rn_allocator *allocator);

/* NULL when there is no memory, with the sentence for rn_last_error(). */
void *rni_memory_take(rni_memory *memory, size_t bytes);
void rni_memory_give(rni_memory *memory, void *block, size_t bytes); /* block NULL is fine */

/* Creates a long-lived object whose first member is its rni_memory: `bytes` of zeros from the allocator, counted
 * as held; and destroys it, when everything it held has been given back. */
rn_result rni_memory_begin(const rn_allocator *allocator, size_t bytes, void **object);
void rni_memory_end(rni_memory *object, size_t bytes);

/* A block that grows and is reused; zero is a valid empty one. */
typedef struct rni_buffer {
    void *data;
    size_t bytes;
} rni_buffer;

/* At least count * element_bytes; contents are lost when it has to grow. The first time it takes exactly that,
 * later an eighth more, so that a slowly growing need does not allocate at every step. On failure the
 * buffer is empty. */
rn_result rni_buffer_need(rni_memory *memory, rni_buffer *buffer, uint64_t count,
                          size_t element_bytes);
/* The same, contents kept, and at least twice the size when it grows; on failure the buffer is unchanged. */
rn_result rni_buffer_grow(rni_memory *memory, rni_buffer *buffer, uint64_t count,
                          size_t element_bytes);
void rni_buffer_free(rni_memory *memory, rni_buffer *buffer);

/* Memory of the machine in bytes; UINT64_MAX where the system does not tell. */
uint64_t rni_machine_bytes(void);

/* Short-lived blocks that all end together. */
typedef struct rni_arena {
    rni_memory *memory;
    struct rni_arena_chunk *chunk;
} rni_arena;

void rni_arena_init(rni_arena *arena, rni_memory *memory);
void *rni_arena_take(rni_arena *arena, size_t bytes); /* NULL when there is no memory */
/* Forgets all blocks; after a round or two one chunk is large enough for all and nothing is
 * allocated any more. */
void rni_arena_reset(rni_arena *arena);
void rni_arena_free(rni_arena *arena);
/* NULL, or what is wrong (base/validate.h). */
const char *rni_validate_arena(const rni_arena *arena);

#endif
