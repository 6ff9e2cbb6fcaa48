/* The judge: brute force, written independently of the library, and functions that compare with
 * it. */
#ifndef RNI_TESTS_BOX_JUDGE_H
#define RNI_TESTS_BOX_JUDGE_H

#include "broadphase/scenes.h"

/* True pairs, sorted by a, then by b; free with judge_free. */
typedef struct judged {
    rn_pair *pair;
    uint64_t count;
} judged;

judged judge_pairs(const scene *s, uint32_t dim);
/* Boxes of the scene (a) against its own boxes shifted (b). */
judged judge_between(const scene *s, const scene *others, uint32_t dim);
/* a: box, b: query; sorted by b, then by a. */
judged judge_queries(const scene *s, const rn_queries *queries, uint32_t dim);
void judge_free(judged *truth);

/* NULL if both hold the same pairs in any order (is_exact: in the same order), otherwise a
 * sentence. */
const char *judge_compare(const judged *truth, const rn_pair *pair, uint64_t count, bool is_exact);
/* The same for lists of hits. */
const char *judge_hits(const judged *truth, const rn_hits *hits, bool is_exact);

/* A hash of the pairs in their order; never 0. */
uint64_t judge_hash(const rn_pair *pair, uint64_t count);

/* Fails the test with file, line and the sentence, unless the sentence is NULL. */
#define JUDGE(said, ...)              \
    do {                              \
        const char *said_ = (said);   \
        if (said_) {                  \
            print_error(__VA_ARGS__); \
            fail_msg("\n%s", said_);  \
        }                             \
    } while (0)

/* All statistics of the last calls. */
rn_broadphase_stats broadphase_stats_of(const rn_broadphase *phase);

#endif
