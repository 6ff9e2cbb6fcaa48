#include "base/bucket_sort.h"

#include <string.h>

void rni_buckets_choose(rni_buckets *buckets, uint32_t record_count, uint32_t records_per_bucket,
                        uint32_t key_count)
{
    uint32_t wanted = record_count / records_per_bucket + 1;
    if (wanted > RNI_MAX_BUCKETS) wanted = RNI_MAX_BUCKETS;
    buckets->key_count = key_count;
    buckets->shift = 0;
    while ((key_count - 1) >> buckets->shift >= wanted) buckets->shift++;
    buckets->count = ((key_count - 1) >> buckets->shift) + 1;
}

/* Counts runs of one bucket in a register: nearly sorted records would otherwise wait for the same
 * counter again and again. */
void rni_buckets_count(const rni_buckets *buckets, uint32_t part, const uint32_t *key,
                       uint64_t begin, uint64_t end)
{
    const uint32_t shift = buckets->shift;
    rni_bucket_tally tally = {0};
    uint32_t bucket = 0, run = 0;
    for (uint64_t i = begin; i < end; i++) {
        const uint32_t next = key[i] >> shift;
        if (next != bucket) {
            tally[bucket] += run;
            bucket = next;
            run = 0;
        }
        run++;
    }
    tally[bucket] += run;
    memcpy(buckets->tally[part], tally, sizeof tally);
}

void rni_buckets_place(const rni_buckets *buckets, rni_bucket_tally *tally, uint32_t *start,
                       uint32_t gap)
{
    uint32_t place = 0;
    for (uint32_t bucket = 0; bucket < buckets->count; bucket++) {
        start[bucket] = place;
        for (uint32_t part = 0; part < buckets->parts; part++) {
            const uint32_t count = tally[part][bucket];
            tally[part][bucket] = place + bucket * gap;
            place += count;
        }
    }
    start[buckets->count] = place;
}

void rni_buckets_fill(const rni_buckets *buckets, uint32_t part, const uint32_t *key,
                      uint64_t begin, uint64_t end, rni_bucket_entry *entries)
{
    const uint32_t shift = buckets->shift;
    rni_bucket_tally place;
    memcpy(place, buckets->tally[part], sizeof place);
    uint32_t bucket = 0, at = place[0];
    for (uint64_t i = begin; i < end; i++) {
        const uint32_t next = key[i] >> shift;
        if (next != bucket) {
            place[bucket] = at;
            bucket = next;
            at = place[next];
        }
        entries[at++] = (rni_bucket_entry){key[i], (uint32_t)i};
    }
}

void rni_bucket_sort(const rni_buckets *buckets, uint32_t bucket, rni_bucket_entry *entries,
                     uint32_t *key_start)
{
    uint32_t *ends = key_start + 1;
    const uint32_t first = bucket << buckets->shift;
    const uint32_t key_count = rni_bucket_key_count(buckets, bucket);
    const uint32_t begin = buckets->start[bucket], end = buckets->start[bucket + 1];
    memset(ends + first, 0, key_count * sizeof *ends);
    for (uint32_t k = begin; k < end; k++) ends[entries[k].key]++;
    rni_bucket_begin_keys(ends + first, key_count, begin);
    for (uint32_t k = begin; k < end; k++) entries[k].key = ends[entries[k].key]++;
}
