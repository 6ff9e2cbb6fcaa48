/* Bucket sort: records into ascending order of a small key, in two steps that stay in the cache.
 *
 * Job:    keys are numbers below key_count, cells for example. First each part of the records goes into some
 *         hundred buckets of neighbouring keys (as many open write streams as the cache holds), then each
 *         bucket into its keys. Both steps are stable, so equal keys keep the order of memory, for any number
 *         of threads. A counting sort over all keys takes twice as long at 1,000,000 points.
 * Use:    choose; for each part count; place; for each part fill; for each bucket sort. Counting, filling and
 *         sorting are pieces of a parallel-for. What moves, and when, is up to the caller: fluid/sort.c sends
 *         entries through the buckets and then permutes its arrays; search/grid_sort.c sends points, their
 *         numbers, or runs of points, with loops of its own between the steps here.
 * Output: where each key begins: start[key], and start[key_count] the count of records.
 */
#ifndef RNI_BASE_BUCKET_SORT_H
#define RNI_BASE_BUCKET_SORT_H

#include <stdint.h>

#define RNI_MAX_BUCKETS 512u

/* A number for each bucket: how many records of a part belong there, then where the next of them goes. */
typedef uint32_t rni_bucket_tally[RNI_MAX_BUCKETS];

typedef struct rni_buckets {
    uint32_t count;
    uint32_t shift;                      /* a bucket has the keys of one value of key >> shift */
    uint32_t key_count;                  /* at least 1 */
    uint32_t parts;                      /* set by the caller */
    rni_bucket_tally *tally;             /* one a part; memory of the caller */
    uint32_t start[RNI_MAX_BUCKETS + 1]; /* first record of each bucket, in the order of the output */
} rni_buckets;

typedef struct rni_bucket_entry {
    uint32_t key, index;
} rni_bucket_entry;

/* count and shift for buckets of about records_per_bucket. */
void rni_buckets_choose(rni_buckets *buckets, uint32_t record_count, uint32_t records_per_bucket,
                        uint32_t key_count);

/* Counts keys begin .. end - 1 of a part for the buckets. For records nearly in order. */
void rni_buckets_count(const rni_buckets *buckets, uint32_t part, const uint32_t *key,
                       uint64_t begin, uint64_t end);

/* What the parts have counted becomes the places where their records go, and start[] of each bucket. tally and
 * start are those of the buckets, or others of the same shape. On the way `gap` places are left out between
 * buckets; start does not count them. */
void rni_buckets_place(const rni_buckets *buckets, rni_bucket_tally *tally, uint32_t *start,
                       uint32_t gap);

/* Entries of records begin .. end - 1 of a part into their buckets. */
void rni_buckets_fill(const rni_buckets *buckets, uint32_t part, const uint32_t *key,
                      uint64_t begin, uint64_t end, rni_bucket_entry *entries);

/* Sorts the entries of one bucket by key: key of each becomes its place in the output. key_start has
 * key_count + 1 numbers; key_start[key + 1] is set for the keys of the bucket, and key_start[0] must be 0. */
void rni_bucket_sort(const rni_buckets *buckets, uint32_t bucket, rni_bucket_entry *entries,
                     uint32_t *key_start);

/* How many keys a bucket has. */
static inline uint32_t rni_bucket_key_count(const rni_buckets *buckets, uint32_t bucket)
{
    const uint32_t left = buckets->key_count - (bucket << buckets->shift);
    return 1u << buckets->shift < left ? 1u << buckets->shift : left;
}

/* The counts of some keys become the places where they begin, from `place` on. A key counts, and then moves on
 * record by record, in start[key + 1]: in the end that is where the key ends and the next one begins. */
static inline void rni_bucket_begin_keys(uint32_t *ends, uint32_t key_count, uint32_t place)
{
    for (uint32_t key = 0; key < key_count; key++) {
        const uint32_t count = ends[key];
        ends[key] = place;
        place += count;
    }
}

#endif
