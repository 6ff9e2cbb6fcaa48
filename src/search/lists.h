/* From rows to the caller's results: lists in memory, counts, visits. Shared by all methods. */
#ifndef RNI_SEARCH_LISTS_H
#define RNI_SEARCH_LISTS_H

#include "search/method.h"

typedef struct rni_lists {
    uint32_t count;
    uint64_t entry_count;
    bool is_csr, has_index;
    rni_buffer index;  /* uint32_t */
    rni_buffer span;   /* rn_span per point */
    rni_buffer start;  /* uint64_t per point, and one more */
    rni_buffer counts; /* uint32_t per point */
} rni_lists;

typedef struct rni_list_plan {
    rn_lists lists; /* never RN_LISTS_NONE */
    rn_list_order order;
    rn_list_layout layout;
} rni_list_plan;

/* A method with its points, and the rows of its workers. */
typedef struct rni_finder {
    rni_search_env *env;
    const rni_method *method;
    void *state;
    rni_rows *rows; /* one per worker */
} rni_finder;

rn_result rni_lists_make(rni_finder *finder, uint32_t set, uint32_t searched, uint32_t count,
                         rni_list_plan plan, rni_lists *out);
/* Makes empty lists, one per point. */
rn_result rni_lists_make_empty(rni_memory *memory, uint32_t count, rni_list_plan plan,
                               rni_lists *out);
void rni_lists_clear(rni_lists *lists);
void rni_lists_free(rni_memory *memory, rni_lists *lists);
/* Memory limit of lists in bytes: def.memory_limit_bytes, or the machine's memory. */
uint64_t rni_lists_bytes(const rni_lists *lists);
rn_neighbors rni_lists_view(const rni_lists *lists);
/* NULL, or a description of the error (base/validate.h). Checks that entries are below
 * searched_count; that a set in itself (is_own) never lists the point itself, and in half lists
 * only larger indices; that lists are ascending where the plan requires it; and, for a sample of
 * points of symmetric lists, that each point is in the list of its neighbours. */
const char *rni_validate_lists(const rni_lists *lists, rni_list_plan plan, uint32_t searched_count,
                               bool is_own, bool is_symmetric);

/* Calls work for each block of rows, with rows->counts and the wanted arrays filled in; order[]
 * is the order of the rows. */
typedef rn_result (*rni_block_fn)(void *data, const uint32_t *order, uint32_t row_count,
                                  uint32_t worker, rni_rows *rows);
rn_result rni_for_blocks(rni_finder *finder, const rni_find *find, uint32_t count,
                         rni_block_fn work, void *data);

/* Which points are excluded when set searches searched. */
rni_leave_out rni_leaves_out(uint32_t set, uint32_t searched, rn_lists lists);

/* start[k] = sum of counts before k, start[count] = the sum of all. */
void rni_offsets(rni_crew *crew, uint32_t count, const uint32_t *counts, uint64_t *start);

#endif
