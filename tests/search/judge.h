/* The judge: brute force, independent of the library, and functions that compare with it. */
#ifndef RNI_TESTS_JUDGE_H
#define RNI_TESTS_JUDGE_H

#include <runnel/search.h>

typedef struct judge_space {
    uint32_t dim;
    float radius;
    float period[3]; /* 0: not periodic */
} judge_space;

/* True lists in ascending index. Freed by judge_free. */
typedef struct judge_lists {
    uint32_t count;
    uint64_t *start;
    uint32_t *index;
} judge_lists;

float judge_distance_sq(const judge_space *space, const float *a, const float *b);

/* to == from: a point is not its own neighbour. is_half: only larger indices. */
judge_lists judge_find(const judge_space *space, const float (*from)[3], uint32_t from_count,
                       const float (*to)[3], uint32_t to_count, bool is_half);
void judge_free(judge_lists *lists);

/* NULL when n holds the same sets (with is_exact: the same order) as the truth, else a sentence. */
const char *judge_compare(const judge_lists *truth, const rn_neighbors *n, bool is_exact);

/* Fails the test with file, line and this sentence unless the lists are correct. */
#define JUDGE(truth, n, is_exact, ...)                               \
    do {                                                             \
        const char *judge_said_ = judge_compare(truth, n, is_exact); \
        if (judge_said_) {                                           \
            print_error(__VA_ARGS__);                                \
            fail_msg("%s", judge_said_);                             \
        }                                                            \
    } while (0)

/* A hash over everything that a caller can see of the lists, in their own order. */
uint64_t judge_hash(const rn_neighbors *n);

/* All statistics of the last calls. */
rn_search_stats search_stats_of(const rn_search *search);

#endif
