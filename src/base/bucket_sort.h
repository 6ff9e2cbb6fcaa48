/* Bucket sort: sorts records by a small integer key, in two cache-friendly steps.
 *
 * Job:    keys are integers below key_count, for example cells. The first step moves each part of
 *         the records into some hundred buckets of adjacent keys (as many open write streams as the
 *         cache holds); the second step sorts each bucket by key. Both steps are stable, so equal
 *         keys keep their input order for any number of threads. A counting sort over all keys
 *         takes twice as long at 1,000,000 points.
 * Use:    choose; for each part count; place; for each part fill; for each bucket sort. Counting,
 *         filling and sorting are pieces of a parallel-for. The caller decides which data moves:
 *         fluid/sort.c moves entries through the buckets and then permutes its arrays;
 *         search/grid_sort.c moves points, their indices, or runs of points, with its own loops
 *         between these steps.
 * Output: the beginning of each key: start[key]; start[key_count] is the number of records. */
#ifndef RNI_BASE_BUCKET_SORT_H
#define RNI_BASE_BUCKET_SORT_H

#include <stdint.h>

#define RNI_MAX_BUCKETS 512u

/* One number per bucket: first the number of records of a part, then the position of the next
 * one. */
typedef uint32_t rni_bucket_tally[RNI_MAX_BUCKETS];

typedef struct rni_buckets {
    uint32_t count;
    uint32_t shift;          /* a bucket holds the keys with one value of key >> shift */
    uint32_t key_count;      /* at least 1 */
    uint32_t parts;          /* set by the caller */
    rni_bucket_tally *tally; /* one per part; memory of the caller */
    uint32_t start[RNI_MAX_BUCKETS + 1]; /* first record of each bucket, in output order */
} rni_buckets;

typedef struct rni_bucket_entry {
    uint32_t key, index;
} rni_bucket_entry;

/* Chooses count and shift for buckets of about records_per_bucket. */
void rni_buckets_choose(rni_buckets *buckets, uint32_t record_count, uint32_t records_per_bucket,
                        uint32_t key_count);

/* Counts keys begin .. end - 1 of a part per bucket. Fastest for nearly sorted records. */
void rni_buckets_count(const rni_buckets *buckets, uint32_t part, const uint32_t *key,
                       uint64_t begin, uint64_t end);

/* Turns the counts of the parts into the output positions of their records, and fills start[] of
 * each bucket. tally and start belong to the buckets, or are others of the same shape. `gap`
 * positions are left free between buckets; start does not include the gaps. */
void rni_buckets_place(const rni_buckets *buckets, rni_bucket_tally *tally, uint32_t *start,
                       uint32_t gap);

/* Moves the entries of records begin .. end - 1 of a part into their buckets. */
void rni_buckets_fill(const rni_buckets *buckets, uint32_t part, const uint32_t *key,
                      uint64_t begin, uint64_t end, rni_bucket_entry *entries);

/* Sorts the entries of one bucket by key; the key of each entry is replaced by its output position.
 * key_start has key_count + 1 numbers; key_start[key + 1] is set for the keys of the bucket, and
 * key_start[0] must be 0. */
void rni_bucket_sort(const rni_buckets *buckets, uint32_t bucket, rni_bucket_entry *entries,
                     uint32_t *key_start);

/* Number of keys of a bucket. */
static inline uint32_t rni_bucket_key_count(const rni_buckets *buckets, uint32_t bucket)
{
    const uint32_t left = buckets->key_count - (bucket << buckets->shift);
    return 1u << buckets->shift < left ? 1u << buckets->shift : left;
}

/* Turns key counts into the positions where the keys begin, from `place` on. start[key + 1] first
 * counts a key and then advances record by record, so that it ends as the end of this key and the
 * beginning of the next. */
static inline void rni_bucket_begin_keys(uint32_t *ends, uint32_t key_count, uint32_t place)
{
    for (uint32_t key = 0; key < key_count; key++) {
        const uint32_t count = ends[key];
        ends[key] = place;
        place += count;
    }
}

#endif
