#include "allocators.h"

#include <stdlib.h>
#include <string.h>

static void *budget_allocate(void *user, size_t bytes, size_t alignment)
{
    budget *b = user;
    if (atomic_flag_test_and_set(&b->is_inside)) abort();
    atomic_flag_clear(&b->is_inside);
    if (atomic_load(&b->left) >= 0 && atomic_fetch_sub(&b->left, 1) <= 0) {
        atomic_store(&b->left, 0);
        return NULL;
    }
    void *block = NULL;
    if (posix_memalign(&block, alignment, bytes) != 0) return NULL;
    memset(block, 0xa5, bytes);
    atomic_fetch_add(&b->live, 1);
    return block;
}

static void budget_release(void *user, void *block, size_t bytes)
{
    budget *b = user;
    memset(block, 0x5a, bytes);
    atomic_fetch_sub(&b->live, 1);
    free(block);
}

rn_allocator budget_allocator(budget *b)
{
    return (rn_allocator){b, budget_allocate, budget_release};
}

static void *count_allocate(void *user, size_t bytes, size_t alignment)
{
    atomic_fetch_add(&((counting *)user)->calls, 1);
    void *block = NULL;
    return posix_memalign(&block, alignment, bytes) == 0 ? block : NULL;
}

static void count_release(void *user, void *block, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(block);
}

rn_allocator counting_allocator(counting *c)
{
    return (rn_allocator){c, count_allocate, count_release};
}
