#include "search/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

float judge_distance_sq(const judge_space *space, const float *a, const float *b)
{
    float sum = 0.0f;
    for (uint32_t axis = 0; axis < space->dim; axis++) {
        float d = a[axis] - b[axis], period = space->period[axis];
        if (period > 0.0f && d > 0.5f * period) d -= period;
        if (period > 0.0f && d < -0.5f * period) d += period;
        sum += d * d;
    }
    return sum;
}

judge_lists judge_find(const judge_space *space, const float (*from)[3], uint32_t from_count,
                       const float (*to)[3], uint32_t to_count, bool is_half)
{
    judge_lists lists = {.count = from_count};
    uint64_t capacity = 1024, used = 0;
    lists.start = calloc((size_t)from_count + 1, sizeof *lists.start);
    lists.index = malloc(capacity * sizeof *lists.index);
    for (uint32_t i = 0; i < from_count; i++) {
        for (uint32_t j = is_half ? i + 1 : 0; j < to_count; j++) {
            if (from == to && i == j) continue;
            if (judge_distance_sq(space, from[i], to[j]) > space->radius * space->radius) continue;
            if (used == capacity)
                lists.index = realloc(lists.index, (capacity *= 2) * sizeof *lists.index);
            lists.index[used++] = j;
        }
        lists.start[i + 1] = used;
    }
    return lists;
}

void judge_free(judge_lists *lists)
{
    free(lists->start);
    free(lists->index);
}

/* One more than the largest index: the number of marks that a comparison needs. */
static size_t mark_count(const judge_lists *lists)
{
    uint64_t count = 0;
    for (uint64_t k = 0; k < lists->start[lists->count]; k++)
        if (lists->index[k] >= count) count = (uint64_t)lists->index[k] + 1;
    return (size_t)count;
}

/* Whether `list` holds the `count` indices of `expected`, each once, in any order. All marks are 0
 * before and, when it does, after. */
static bool is_same_set(const uint32_t *list, const uint32_t *expected, uint32_t count,
                        uint8_t *mark, size_t marks)
{
    for (uint32_t k = 0; k < count; k++) mark[expected[k]] = 1;
    for (uint32_t k = 0; k < count; k++) {
        if (list[k] >= marks || !mark[list[k]]) return false;
        mark[list[k]] = 0;
    }
    return true;
}

const char *judge_compare(const judge_lists *truth, const rn_neighbors *n, bool is_exact)
{
    static char sentence[256];
    if (n->count != truth->count) {
        snprintf(sentence, sizeof sentence, "%u lists instead of %u", n->count, truth->count);
        return sentence;
    }
    if (n->entry_count != truth->start[truth->count]) {
        snprintf(sentence, sizeof sentence, "%llu entries instead of %llu",
                 (unsigned long long)n->entry_count, (unsigned long long)truth->start[truth->count]);
        return sentence;
    }
    size_t marks = mark_count(truth);
    uint8_t *mark = is_exact ? NULL : calloc(marks + 1, 1);
    const char *said = NULL;
    for (uint32_t i = 0; i < n->count && !said; i++) {
        rn_list list = rn_neighbors_get_list(n, i);
        const uint32_t *expected = truth->index + truth->start[i];
        uint64_t count = truth->start[i + 1] - truth->start[i];
        if (list.count != count) {
            snprintf(sentence, sizeof sentence, "point %u has %u neighbours instead of %llu", i,
                     list.count, (unsigned long long)count);
            said = sentence;
        } else if (n->index && count > 0 &&
                   !(is_exact ? memcmp(list.index, expected, list.count * sizeof *expected) == 0
                              : is_same_set(list.index, expected, list.count, mark, marks))) {
            snprintf(sentence, sizeof sentence, "point %u has other neighbours than it should", i);
            said = sentence;
        }
    }
    free(mark);
    return said;
}

uint64_t judge_hash(const rn_neighbors *n)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < n->count; i++) {
        rn_list list = rn_neighbors_get_list(n, i);
        hash = (hash ^ list.count) * 0x100000001b3u;
        for (uint32_t k = 0; n->index && k < list.count; k++) {
            hash = (hash ^ list.index[k]) * 0x100000001b3u;
        }
    }
    return hash;
}

rn_search_stats search_stats_of(const rn_search *search)
{
    rn_search_stats stats = rn_search_stats_default();
    if (rn_search_get_stats(search, &stats) != RN_OK) abort();
    return stats;
}
