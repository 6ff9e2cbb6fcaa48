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
    uint64_t room = 1024, used = 0;
    lists.start = calloc((size_t)from_count + 1, sizeof *lists.start);
    lists.index = malloc(room * sizeof *lists.index);
    for (uint32_t i = 0; i < from_count; i++) {
        for (uint32_t j = is_half ? i + 1 : 0; j < to_count; j++) {
            if (from == to && i == j) continue;
            if (judge_distance_sq(space, from[i], to[j]) > space->radius * space->radius) continue;
            if (used == room) lists.index = realloc(lists.index, (room *= 2) * sizeof *lists.index);
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

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
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
    for (uint32_t i = 0; i < n->count; i++) {
        rn_list list = rn_neighbors_of(n, i);
        uint64_t expected = truth->start[i + 1] - truth->start[i];
        if (list.count != expected) {
            snprintf(sentence, sizeof sentence, "point %u has %u neighbours instead of %llu", i,
                     list.count, (unsigned long long)expected);
            return sentence;
        }
        if (!n->index || expected == 0) continue;
        uint32_t *sorted = malloc(list.count * sizeof *sorted);
        memcpy(sorted, list.index, list.count * sizeof *sorted);
        if (!is_exact) qsort(sorted, list.count, sizeof *sorted, compare_u32);
        int differs = memcmp(sorted, truth->index + truth->start[i], list.count * sizeof *sorted);
        free(sorted);
        if (differs) {
            snprintf(sentence, sizeof sentence, "point %u has other neighbours than it should", i);
            return sentence;
        }
    }
    return NULL;
}

uint64_t judge_hash(const rn_neighbors *n)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < n->count; i++) {
        rn_list list = rn_neighbors_of(n, i);
        hash = (hash ^ list.count) * 0x100000001b3u;
        for (uint32_t k = 0; n->index && k < list.count; k++) {
            hash = (hash ^ list.index[k]) * 0x100000001b3u;
        }
    }
    return hash;
}
