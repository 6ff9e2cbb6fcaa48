#include "search/nearest.h"

#include "base/error.h"

#include <string.h>

typedef struct nearest_job {
    uint32_t k;
    uint32_t *counts, *index;
    float *distance_sq;
    uint64_t *heaps;
} nearest_job;

/* Distance and index as one number: distances are not negative, so the order of their bits is
 * the order of their values; equal distances are ordered by index. */
static uint64_t key_of(float distance_sq, uint32_t index)
{
    uint32_t bits;
    memcpy(&bits, &distance_sq, sizeof bits);
    return (uint64_t)bits << 32 | index;
}

/* Sifts key down from the root of a heap with the largest key on top. */
static void sift_down(uint64_t *heap, uint32_t count, uint32_t at, uint64_t key)
{
    for (;;) {
        uint64_t child = 2 * (uint64_t)at + 1;
        if (child >= count) break;
        if (child + 1 < count && heap[child + 1] > heap[child]) child++;
        if (heap[child] <= key) break;
        heap[at] = heap[child];
        at = (uint32_t)child;
    }
    heap[at] = key;
}

static uint32_t keep_nearest(uint64_t *heap, uint32_t k, const uint32_t *index,
                             const float *distance_sq, uint32_t count)
{
    uint32_t kept = count < k ? count : k;
    for (uint32_t n = 0; n < kept; n++) heap[n] = key_of(distance_sq[n], index[n]);
    for (uint32_t at = kept / 2; at-- > 0;) sift_down(heap, kept, at, heap[at]);
    for (uint32_t n = kept; n < count; n++) {
        uint64_t key = key_of(distance_sq[n], index[n]);
        if (key < heap[0]) sift_down(heap, kept, 0, key);
    }
    for (uint32_t left = kept; left > 1; left--) { /* ascending, as in heap sort */
        uint64_t largest = heap[0];
        sift_down(heap, left - 1, 0, heap[left - 1]);
        heap[left - 1] = largest;
    }
    return kept;
}

static rn_result keep_block(void *data, const uint32_t *order, uint32_t row_count, uint32_t worker,
                            rni_rows *rows)
{
    nearest_job *job = data;
    const uint32_t *index = rows->index.data;
    const float *distance_sq = rows->distance_sq.data;
    uint64_t *heap = job->heaps + (size_t)worker * job->k;
    for (uint32_t row = 0; row < row_count; row++) {
        uint32_t kept = keep_nearest(heap, job->k, index, distance_sq, rows->counts[row]);
        size_t to = (size_t)order[row] * job->k;
        job->counts[order[row]] = kept;
        for (uint32_t n = 0; n < job->k; n++) {
            uint32_t bits = n < kept ? (uint32_t)(heap[n] >> 32) : 0;
            job->index[to + n] = n < kept ? (uint32_t)heap[n] : UINT32_MAX;
            memcpy(&job->distance_sq[to + n], &bits, sizeof bits);
        }
        index += rows->counts[row];
        distance_sq += rows->counts[row];
    }
    return RN_OK;
}

rn_result rni_nearest_make(rni_finder *finder, const rni_find *find, uint32_t count, uint32_t k,
                           bool is_empty, rni_nearest_store *store, rn_nearest *result)
{
    rni_memory *memory = finder->env->memory;
    uint64_t entries = (uint64_t)count * k;
    if (entries > rni_memory_limit(finder->env->def) / (sizeof(uint32_t) + sizeof(float))) {
        return rni_fail(RN_ERROR_LIMIT,
                        "%u nearest of %u points exceed memory_limit_bytes; use a smaller k", k,
                        count);
    }
    rn_result made = rni_buffer_need(memory, &store->counts, count, sizeof(uint32_t));
    if (made == RN_OK) made = rni_buffer_need(memory, &store->index, entries, sizeof(uint32_t));
    if (made == RN_OK) made = rni_buffer_need(memory, &store->distance_sq, entries, sizeof(float));
    if (made == RN_OK) {
        made = rni_buffer_need(memory, &store->heaps,
                               (uint64_t)rni_crew_size(finder->env->crew) * k, sizeof(uint64_t));
    }
    if (made != RN_OK) return made;
    nearest_job job = {k, store->counts.data, store->index.data, store->distance_sq.data,
                       store->heaps.data};
    if (is_empty) memset(job.counts, 0, (size_t)count * sizeof *job.counts);
    else made = rni_for_blocks(finder, find, count, keep_block, &job);
    if (made == RN_OK) *result = (rn_nearest){count, k, job.counts, job.index, job.distance_sq};
    return made;
}

void rni_nearest_free(rni_memory *memory, rni_nearest_store *store)
{
    rni_buffer_free(memory, &store->counts);
    rni_buffer_free(memory, &store->index);
    rni_buffer_free(memory, &store->distance_sq);
    rni_buffer_free(memory, &store->heaps);
}
