#include "base/sort.h"

#include <string.h>

#define DIGIT_BITS  8u
#define DIGIT_COUNT (1u << DIGIT_BITS)

/* Below this count a second thread costs more than it gains. */
#define SERIAL_COUNT 8192u

/* One pass: every part counts its digits, the counts are summed digit by digit and part by part
 * (this order keeps the sort stable for any number of parts), and every part moves its keys. Both
 * key widths share this code by reading bytes. */
struct pass {
    uint32_t count, parts;
    uint32_t key_bytes, digit; /* width of a key; which byte, 0 the lowest */
    const unsigned char *key;
    const uint32_t *value;
    unsigned char *key_out;
    uint32_t *value_out;
    uint32_t (*tally)[DIGIT_COUNT]; /* one row per part */
    uint64_t *differs;              /* per part */
};

static uint32_t digit_of(const unsigned char *key, uint32_t digit)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#error "rni_sort reads digits as bytes of little-endian keys"
#endif
    return key[digit];
}

static void count_digits(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    struct pass *pass = data;
    uint64_t begin, end;
    rni_share(pass->count, part, pass->parts, &begin, &end);
    uint32_t *tally = pass->tally[part];
    memset(tally, 0, sizeof *pass->tally);
    const unsigned char *key = pass->key + begin * pass->key_bytes;
    for (uint64_t k = begin; k < end; k++, key += pass->key_bytes)
        tally[digit_of(key, pass->digit)]++;
}

static void move_keys(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    struct pass *pass = data;
    uint64_t begin, end;
    rni_share(pass->count, part, pass->parts, &begin, &end);
    uint32_t *place = pass->tally[part];
    if (pass->key_bytes == 4) {
        const uint32_t *key = (const void *)pass->key;
        uint32_t *key_out = (void *)pass->key_out;
        for (uint64_t k = begin; k < end; k++) {
            uint32_t to = place[(key[k] >> (8 * pass->digit)) & (DIGIT_COUNT - 1)]++;
            key_out[to] = key[k];
            pass->value_out[to] = pass->value[k];
        }
    } else {
        const uint64_t *key = (const void *)pass->key;
        uint64_t *key_out = (void *)pass->key_out;
        for (uint64_t k = begin; k < end; k++) {
            uint32_t to = place[(key[k] >> (8 * pass->digit)) & (DIGIT_COUNT - 1)]++;
            key_out[to] = key[k];
            pass->value_out[to] = pass->value[k];
        }
    }
}

static void place_digits(struct pass *pass)
{
    uint32_t place = 0;
    for (uint32_t d = 0; d < DIGIT_COUNT; d++) {
        for (uint32_t part = 0; part < pass->parts; part++) {
            uint32_t count = pass->tally[part][d];
            pass->tally[part][d] = place;
            place += count;
        }
    }
}

/* Bits in which the keys of a part differ from the first key of all. */
static void compare_keys(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    struct pass *pass = data;
    uint64_t begin, end, differs = 0;
    rni_share(pass->count, part, pass->parts, &begin, &end);
    if (pass->key_bytes == 4) {
        const uint32_t *key = (const void *)pass->key;
        for (uint64_t k = begin; k < end; k++) differs |= key[k] ^ key[0];
    } else {
        const uint64_t *key = (const void *)pass->key;
        for (uint64_t k = begin; k < end; k++) differs |= key[k] ^ key[0];
    }
    pass->differs[part] = differs;
}

static uint64_t differing_bits(rni_crew *crew, struct pass *pass)
{
    uint64_t differs = 0;
    rni_crew_pieces(crew, pass->parts, compare_keys, pass);
    for (uint32_t part = 0; part < pass->parts; part++) differs |= pass->differs[part];
    return differs;
}

static rn_result sort_keys(rni_crew *crew, rni_arena *arena, uint32_t count, uint32_t key_bytes,
                           void *key, uint32_t *value, void *key_scratch, uint32_t *value_scratch)
{
    if (count < 2) return RN_OK;
    struct pass pass = {.count = count, .key_bytes = key_bytes};
    pass.parts = count < SERIAL_COUNT ? 1 : rni_crew_size(crew);
    pass.tally = rni_arena_take(arena, pass.parts * sizeof *pass.tally);
    pass.differs = rni_arena_take(arena, pass.parts * sizeof *pass.differs);
    if (!pass.tally || !pass.differs) return RN_ERROR_MEMORY;
    pass.key = key;
    const uint64_t differs = differing_bits(crew, &pass);
    void *from = key, *to = key_scratch;
    uint32_t *value_from = value, *value_to = value_scratch;
    for (pass.digit = 0; pass.digit < key_bytes; pass.digit++) {
        if ((differs >> (DIGIT_BITS * pass.digit) & (DIGIT_COUNT - 1)) == 0) continue;
        pass.key = from;
        pass.value = value_from;
        pass.key_out = to;
        pass.value_out = value_to;
        rni_crew_pieces(crew, pass.parts, count_digits, &pass);
        place_digits(&pass);
        rni_crew_pieces(crew, pass.parts, move_keys, &pass);
        void *swap = from;
        from = to;
        to = swap;
        uint32_t *value_swap = value_from;
        value_from = value_to;
        value_to = value_swap;
    }
    if (from != key) {
        memcpy(key, from, (size_t)count * key_bytes);
        memcpy(value, value_from, (size_t)count * sizeof *value);
    }
    return RN_OK;
}

rn_result rni_sort_u32(rni_crew *crew, rni_arena *arena, uint32_t count, uint32_t *key,
                       uint32_t *value, uint32_t *key_scratch, uint32_t *value_scratch)
{
    return sort_keys(crew, arena, count, 4, key, value, key_scratch, value_scratch);
}

rn_result rni_sort_u64(rni_crew *crew, rni_arena *arena, uint32_t count, uint64_t *key,
                       uint32_t *value, uint64_t *key_scratch, uint32_t *value_scratch)
{
    return sort_keys(crew, arena, count, 8, key, value, key_scratch, value_scratch);
}

struct counting {
    uint32_t count, parts, key_count;
    const uint32_t *key;
    uint32_t *order, *tally; /* parts * key_count */
};

static void count_keys(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    struct counting *job = data;
    uint64_t begin, end;
    rni_share(job->count, part, job->parts, &begin, &end);
    uint32_t *tally = job->tally + (size_t)part * job->key_count;
    memset(tally, 0, (size_t)job->key_count * sizeof *tally);
    for (uint64_t k = begin; k < end; k++) tally[job->key[k]]++;
}

static void place_indices(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    struct counting *job = data;
    uint64_t begin, end;
    rni_share(job->count, part, job->parts, &begin, &end);
    uint32_t *place = job->tally + (size_t)part * job->key_count;
    for (uint64_t k = begin; k < end; k++) job->order[place[job->key[k]]++] = (uint32_t)k;
}

rn_result rni_counting_sort(rni_crew *crew, rni_arena *arena, uint32_t count, const uint32_t *key,
                            uint32_t key_count, uint32_t *order, uint32_t *start)
{
    struct counting job = {.count = count, .key_count = key_count, .key = key, .order = order};
    /* The tallies of all parts must not cost more than the keys themselves. */
    job.parts = rni_crew_size(crew);
    if (count < SERIAL_COUNT) job.parts = 1;
    while (job.parts > 1 && (uint64_t)job.parts * key_count > 4u * (uint64_t)count) job.parts--;
    job.tally = rni_arena_take(arena, (size_t)job.parts * key_count * sizeof *job.tally);
    if (!job.tally) return RN_ERROR_MEMORY;
    rni_crew_pieces(crew, job.parts, count_keys, &job);
    uint32_t place = 0;
    for (uint32_t k = 0; k < key_count; k++) {
        start[k] = place;
        for (uint32_t part = 0; part < job.parts; part++) {
            uint32_t *tally = &job.tally[(size_t)part * key_count + k];
            uint32_t here = *tally;
            *tally = place;
            place += here;
        }
    }
    start[key_count] = place;
    rni_crew_pieces(crew, job.parts, place_indices, &job);
    return RN_OK;
}

#define RUN 16u

/* Insertion sort of short runs, then merging: one body for both widths. */
#define DEFINE_LIST_SORT(name, type)                                                      \
    void name(type *list, uint32_t count, type *scratch)                                  \
    {                                                                                     \
        for (uint32_t begin = 0; begin < count; begin += RUN) {                           \
            uint32_t end = count - begin < RUN ? count : begin + RUN;                     \
            for (uint32_t k = begin + 1; k < end; k++) {                                  \
                type value = list[k];                                                     \
                uint32_t at = k;                                                          \
                for (; at > begin && list[at - 1] > value; at--) list[at] = list[at - 1]; \
                list[at] = value;                                                         \
            }                                                                             \
            if (count - begin < RUN) break;                                               \
        }                                                                                 \
        type *from = list, *to = scratch;                                                 \
        for (uint64_t width = RUN; width < count; width *= 2) {                           \
            for (uint64_t begin = 0; begin < count; begin += 2 * width) {                 \
                uint64_t middle = begin + width < count ? begin + width : count;          \
                uint64_t end = begin + 2 * width < count ? begin + 2 * width : count;     \
                uint64_t a = begin, b = middle;                                           \
                for (uint64_t k = begin; k < end; k++) {                                  \
                    bool take_a = b == end || (a < middle && from[a] <= from[b]);         \
                    to[k] = take_a ? from[a++] : from[b++];                               \
                }                                                                         \
            }                                                                             \
            type *swap = from;                                                            \
            from = to;                                                                    \
            to = swap;                                                                    \
        }                                                                                 \
        if (from != list) memcpy(list, from, (size_t)count * sizeof *list);               \
    }

DEFINE_LIST_SORT(rni_sort_list, uint32_t)
DEFINE_LIST_SORT(rni_sort_pairs, uint64_t)
