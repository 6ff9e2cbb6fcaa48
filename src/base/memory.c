#include "base/memory.h"

#include "base/error.h"

#include <assert.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#define HUGE_PAGE ((size_t)2 << 20)

/* Huge pages halve the cost of scattered writes over tens of megabytes (bench neighbors,
 * 1,000,000 points). */
static void *default_allocate(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    void *block = NULL;
    bool is_large = bytes >= 2 * HUGE_PAGE;
    if (posix_memalign(&block, is_large ? HUGE_PAGE : alignment, bytes) != 0) return NULL;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (is_large) (void)madvise(block, bytes & ~(HUGE_PAGE - 1), MADV_HUGEPAGE);
#endif
    return block;
}

static void default_release(void *user, void *block, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(block);
}

rn_result rni_memory_init(rni_memory *memory, const rn_allocator *allocator)
{
    if (!allocator->allocate != !allocator->release) {
        return rni_fail(RN_ERROR_ARGUMENT,
                        "allocator: allocate and release are given both or neither");
    }
    memory->allocator = *allocator;
    if (!allocator->allocate) {
        memory->allocator.allocate = default_allocate;
        memory->allocator.release = default_release;
    }
    atomic_flag_clear(&memory->is_busy);
    atomic_init(&memory->held_bytes, 0);
    return RN_OK;
}

static void lock(rni_memory *memory)
{
    while (atomic_flag_test_and_set_explicit(&memory->is_busy, memory_order_acquire)) sched_yield();
}

static void unlock(rni_memory *memory)
{
    atomic_flag_clear_explicit(&memory->is_busy, memory_order_release);
}

void *rni_memory_take(rni_memory *memory, size_t bytes)
{
    if (bytes == 0) bytes = 1;
    lock(memory);
    void *block = memory->allocator.allocate(memory->allocator.user, bytes, RNI_ALIGNMENT);
    unlock(memory);
    if (!block) {
        rni_fail(RN_ERROR_MEMORY, "no memory for %zu more bytes (%llu held)", bytes,
                 (unsigned long long)atomic_load(&memory->held_bytes));
        return NULL;
    }
    atomic_fetch_add(&memory->held_bytes, bytes);
    return block;
}

void rni_memory_give(rni_memory *memory, void *block, size_t bytes)
{
    if (!block) return;
    if (bytes == 0) bytes = 1;
    lock(memory);
    memory->allocator.release(memory->allocator.user, block, bytes);
    unlock(memory);
    atomic_fetch_sub(&memory->held_bytes, bytes);
}

rn_result rni_memory_begin(const rn_allocator *allocator, size_t bytes, void **object)
{
    *object = NULL;
    rni_memory memory;
    rn_result result = rni_memory_init(&memory, allocator);
    if (result != RN_OK) return result;
    rni_memory *own = rni_memory_take(&memory, bytes);
    if (!own) return RN_ERROR_MEMORY;
    memset(own, 0, bytes);
    own->allocator = memory.allocator;
    own->held_bytes = bytes;
    *object = own;
    return RN_OK;
}

void rni_memory_end(rni_memory *object, size_t bytes)
{
    assert(object->held_bytes == bytes); /* everything else has been released */
    rn_allocator allocator = object->allocator;
    allocator.release(allocator.user, object, bytes);
}

/* Bytes to allocate, or 0 on overflow. */
static size_t grown_bytes(const rni_buffer *buffer, uint64_t count, size_t element_bytes)
{
    uint64_t bytes = 0;
    if (__builtin_mul_overflow(count, (uint64_t)element_bytes, &bytes) || bytes > SIZE_MAX / 2)
        return 0;
    if (buffer->data && bytes > buffer->bytes) bytes += bytes / 8;
    return bytes ? (size_t)bytes : 1;
}

rn_result rni_buffer_need(rni_memory *memory, rni_buffer *buffer, uint64_t count, size_t element_bytes)
{
    size_t bytes = grown_bytes(buffer, count, element_bytes);
    if (bytes == 0)
        return rni_fail(RN_ERROR_MEMORY, "no memory for %llu elements", (unsigned long long)count);
    if (buffer->data && bytes <= buffer->bytes) return RN_OK;
    rni_buffer_free(memory, buffer);
    buffer->data = rni_memory_take(memory, bytes);
    if (!buffer->data) return RN_ERROR_MEMORY;
    buffer->bytes = bytes;
    return RN_OK;
}

rn_result rni_buffer_grow(rni_memory *memory, rni_buffer *buffer, uint64_t count, size_t element_bytes)
{
    size_t bytes = grown_bytes(buffer, count, element_bytes);
    if (bytes == 0)
        return rni_fail(RN_ERROR_MEMORY, "no memory for %llu elements", (unsigned long long)count);
    if (buffer->data && bytes <= buffer->bytes) return RN_OK;
    if (bytes < 2 * buffer->bytes) bytes = 2 * buffer->bytes;
    void *data = rni_memory_take(memory, bytes);
    if (!data) return RN_ERROR_MEMORY;
    if (buffer->data) memcpy(data, buffer->data, buffer->bytes);
    rni_buffer_free(memory, buffer);
    buffer->data = data;
    buffer->bytes = bytes;
    return RN_OK;
}

void rni_buffer_free(rni_memory *memory, rni_buffer *buffer)
{
    rni_memory_give(memory, buffer->data, buffer->bytes);
    buffer->data = NULL;
    buffer->bytes = 0;
}

uint64_t rni_machine_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
}

struct rni_arena_chunk {
    struct rni_arena_chunk *next;
    size_t bytes, used; /* both including this header */
};

void rni_arena_init(rni_arena *arena, rni_memory *memory)
{
    arena->memory = memory;
    arena->chunk = NULL;
}

static size_t round_up(size_t bytes)
{
    return (bytes + RNI_ALIGNMENT - 1) & ~(size_t)(RNI_ALIGNMENT - 1);
}

static bool add_chunk(rni_arena *arena, size_t bytes)
{
    struct rni_arena_chunk *chunk = rni_memory_take(arena->memory, bytes);
    if (!chunk) return false;
    *chunk = (struct rni_arena_chunk){arena->chunk, bytes, round_up(sizeof *chunk)};
    arena->chunk = chunk;
    return true;
}

const char *rni_validate_arena(const rni_arena *arena)
{
    for (const struct rni_arena_chunk *chunk = arena->chunk; chunk; chunk = chunk->next) {
        if (chunk->used < round_up(sizeof *chunk)) return "a chunk hands out its own head";
        if (chunk->used > chunk->bytes) return "a chunk hands out more than it has";
        if (chunk->used % RNI_ALIGNMENT != 0) return "a chunk hands out blocks without alignment";
    }
    return NULL;
}

void *rni_arena_take(rni_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 4) {
        rni_fail(RN_ERROR_MEMORY, "no memory for %zu bytes", bytes);
        return NULL;
    }
    bytes = round_up(bytes ? bytes : 1);
    if (!arena->chunk || arena->chunk->bytes - arena->chunk->used < bytes) {
        size_t least = round_up(sizeof *arena->chunk) + bytes;
        size_t doubled = arena->chunk ? 2 * arena->chunk->bytes : (size_t)64 << 10;
        if (!add_chunk(arena, least > doubled ? least : doubled)) return NULL;
    }
    void *block = (char *)arena->chunk + arena->chunk->used;
    arena->chunk->used += bytes;
    assert(!rni_validate_arena(arena));
    return block;
}

void rni_arena_reset(rni_arena *arena)
{
    if (!arena->chunk) return;
    if (!arena->chunk->next) {
        arena->chunk->used = round_up(sizeof *arena->chunk);
        return;
    }
    size_t total = 0;
    for (struct rni_arena_chunk *chunk = arena->chunk; chunk; chunk = chunk->next)
        total += chunk->bytes;
    rni_arena_free(arena);
    (void)add_chunk(arena, total); /* on failure the next take tries again and reports */
}

void rni_arena_free(rni_arena *arena)
{
    while (arena->chunk) {
        struct rni_arena_chunk *next = arena->chunk->next;
        rni_memory_give(arena->memory, arena->chunk, arena->chunk->bytes);
        arena->chunk = next;
    }
}
