/* From rows to what the caller sees: lists in memory, counts, visits. Written once for all
 * methods. */
#ifndef RNI_SEARCH_LISTS_H
#define RNI_SEARCH_LISTS_H

#include "search/method.h"

typedef struct rni_lists {
    uint32_t count;
    uint64_t entry_count;
    bool is_csr, has_index;
    rni_buffer index;  /* uint32_t */
    rni_buffer span;   /* rn_span, a point */
    rni_buffer start;  /* uint64_t, a point and one more */
    rni_buffer counts; /* uint32_t, a point */
} rni_lists;

typedef struct rni_list_plan {
    rn_lists lists; /* never RN_LISTS_NONE */
    rn_list_order order;
    rn_list_layout layout;
} rni_list_plan;

/* A method with its points, and the rows its workers write. */
typedef struct rni_finder {
    rni_search_env *env;
    const rni_method *method;
    void *state;
    rni_rows *rows; /* one a worker */
} rni_finder;

rn_result rni_lists_make(rni_finder *finder, uint32_t set, uint32_t searched, uint32_t count,
                         rni_list_plan plan, rni_lists *out);
/* So many lists with nobody in them. */
rn_result rni_lists_make_empty(rni_memory *memory, uint32_t count, rni_list_plan plan,
                               rni_lists *out);
void rni_lists_clear(rni_lists *lists);
void rni_lists_free(rni_memory *memory, rni_lists *lists);
/* Bytes that lists may take: def.memory_limit_bytes, or the machine's memory. */
uint64_t rni_lists_bytes(const rni_lists *lists);
rn_neighbors rni_lists_view(const rni_lists *lists);
/* NULL, or what is wrong (base/validate.h): entries below searched_count; of a set in itself (is_own) never the
 * point itself, and in half lists only larger indices; ascending where the plan says so; and, for some points of
 * symmetric lists, each in the list of its neighbours. */
const char *rni_validate_lists(const rni_lists *lists, rni_list_plan plan, uint32_t searched_count,
                               bool is_own, bool is_symmetric);

/* Calls work for each block of rows, rows->counts and what is wanted filled in; order[] is that
 * of the rows. */
typedef rn_result (*rni_block_fn)(void *data, const uint32_t *order, uint32_t row_count,
                                  uint32_t worker, rni_rows *rows);
rn_result rni_for_blocks(rni_finder *finder, const rni_find *find, uint32_t count,
                         rni_block_fn work, void *data);

/* What is left out when set searches searched. */
rni_leave_out rni_leaves_out(uint32_t set, uint32_t searched, rn_lists lists);

/* start[k] = sum of counts before k, start[count] = the sum of all. */
void rni_offsets(rni_crew *crew, uint32_t count, const uint32_t *counts, uint64_t *start);

#endif
