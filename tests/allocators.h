/* Allocators for tests: one whose n-th block is refused, and one that counts. */
#ifndef RNI_TESTS_ALLOCATORS_H
#define RNI_TESTS_ALLOCATORS_H

#include <runnel/base.h>

#include <stdatomic.h>

/* Blocks come filled with rubbish, and rubbish is left in them when they go: nothing may rely on either. */
typedef struct budget {
    atomic_flag is_inside; /* the header promises one call at a time */
    _Atomic int64_t left;  /* allocations that succeed; negative: all */
    _Atomic int64_t live;  /* blocks not given back */
} budget;

rn_allocator budget_allocator(budget *b);

typedef struct counting {
    _Atomic uint64_t calls;
} counting;

rn_allocator counting_allocator(counting *c);

#endif
