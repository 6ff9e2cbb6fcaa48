/* Sorts boxes into columns by counting sort, then each column by low x. Every step is stable, so
 * the result does not depend on the number of threads. */
#include "broadphase/columns.h"

#include "base/error.h"
#include "base/validate.h"

#define PIECE_BOXES 4096u /* approximate number of boxes per piece of the column sort */
#define FEW         48u   /* sorted by insertion */
#define AHEAD       16u   /* prefetch distance of the scatter, in boxes */

typedef struct record {
    float low_x, high_x, low_y, high_y, low_z, high_z;
    uint32_t index;
} record;
_Static_assert(sizeof(record) == 28, "a record is seven words");

typedef struct scatter_job {
    columns *set;
    const rni_boxes *boxes;
    uint32_t parts;
    uint32_t *tally; /* parts * column_count */
    uint32_t *column_of;
} scatter_job;

static void count_part(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    const scatter_job *job = data;
    const columns *set = job->set;
    uint64_t begin, end;
    rni_share(job->boxes->count, part, job->parts, &begin, &end);
    uint32_t *tally = job->tally + (size_t)part * set->column_count;
    memset(tally, 0, set->column_count * sizeof *tally);
    for (uint32_t i = (uint32_t)begin; i < end; i++) {
        float low[3], high[3];
        rni_boxes_at(job->boxes, i, low, high);
        uint32_t l = 0;
        if (set->level_count > 1) {
            float x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
            float longest = x > y ? x : y;
            l = set->level_of_class[rni_size_class(longest > z ? longest : z)];
        }
        uint32_t column = rni_column_of(set, &set->levels[l], low);
        job->column_of[i] = column;
        tally[column]++;
    }
}

static void move_part(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    const scatter_job *job = data;
    const columns *set = job->set;
    uint64_t begin, end;
    rni_share(job->boxes->count, part, job->parts, &begin, &end);
    uint32_t *place = job->tally + (size_t)part * set->column_count;
    record *to = set->blocks.data;
    for (uint32_t i = (uint32_t)begin; i < end; i++) {
        float low[3], high[3];
        if (i + AHEAD < end) __builtin_prefetch(&to[place[job->column_of[i + AHEAD]]], 1);
        rni_boxes_at(job->boxes, i, low, high);
        to[place[job->column_of[i]]++] =
            (record){low[0], high[0], low[1], high[1], low[2], high[2], i};
    }
}

/* Computes where each part of each column begins. */
static void place_parts(const scatter_job *job)
{
    columns *set = job->set;
    uint32_t *start = set->start.data, place = 0;
    for (uint32_t column = 0; column < set->column_count; column++) {
        start[column] = place;
        for (uint32_t part = 0; part < job->parts; part++) {
            uint32_t *tally = &job->tally[(size_t)part * set->column_count + column];
            uint32_t here = *tally;
            *tally = place;
            place += here;
        }
    }
    start[set->column_count] = place;
}

/* --- order inside a column
 * --------------------------------------------------------------------- */

/* Maps a float to an integer with the same order; -0 and 0 stay distinct, which is harmless. */
static inline uint32_t ordered_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits ^ ((uint32_t)((int32_t)bits >> 31) | 0x80000000u);
}

/* Sorts in ascending order. Gives up after `patience` moves and leaves a permutation of the
 * input. */
static bool insert(uint64_t *key, uint32_t n, uint64_t patience)
{
    uint64_t moves = 0;
    for (uint32_t k = 1; k < n; k++) {
        uint64_t value = key[k];
        uint32_t at = k;
        for (; at > 0 && key[at - 1] > value; at--) key[at] = key[at - 1];
        key[at] = value;
        moves += k - at;
        if (moves > patience) return false;
    }
    return true;
}

/* One pass by the byte at `shift` of digit[k]. */
static void pass_by(const uint64_t *from, uint64_t *to, const uint32_t *digit, uint32_t *digit_to,
                    uint32_t n, uint32_t shift)
{
    uint32_t tally[256] = {0}, place = 0;
    for (uint32_t k = 0; k < n; k++) tally[digit[k] >> shift & 255u]++;
    for (uint32_t d = 0; d < 256; d++) {
        uint32_t here = tally[d];
        tally[d] = place;
        place += here;
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t at = tally[digit[k] >> shift & 255u]++;
        to[at] = from[k];
        digit_to[at] = digit[k];
    }
}

/* Keys hold the ordered bits of low x, then the position in the column. They are sorted roughly by
 * a linearly scaled x, then exactly by insertion. If x is too uneven for this to be fast, all bits
 * are sorted instead. spare has n keys, digit 2 n. */
static void sort_keys(uint64_t *key, uint64_t *spare, uint32_t *digit, const record *box, uint32_t n)
{
    float low = INFINITY, high = -INFINITY;
    for (uint32_t k = 0; k < n; k++) {
        low = box[k].low_x < low ? box[k].low_x : low;
        high = box[k].low_x > high ? box[k].low_x : high;
    }
    uint32_t bytes = n <= 16384 ? 2 : 3;
    float top = bytes == 2 ? 65535.0f : 16777215.0f;
    double range = (double)high - (double)low;
    float scale = range > 0.0 ? (float)((double)top / range) : 0.0f;
    for (uint32_t k = 0; k < n; k++) {
        float t = (box[k].low_x - low) * scale;
        digit[k] = t > 0.0f ? (t < top ? (uint32_t)t : (uint32_t)top) : 0;
    }
    uint64_t *from = key, *to = spare;
    uint32_t *digit_from = digit, *digit_to = digit + n;
    for (uint32_t b = 0; b < bytes; b++) {
        pass_by(from, to, digit_from, digit_to, n, 8 * b);
        uint64_t *swap = from;
        from = to;
        to = swap;
        uint32_t *digit_swap = digit_from;
        digit_from = digit_to;
        digit_to = digit_swap;
    }
    if (from != key) memcpy(key, from, n * sizeof *key);
    if (insert(key, n, 16 * (uint64_t)n)) return;
    for (uint32_t k = 0; k < n; k++) spare[k] = key[k];
    /* by position first, then by all bits of x: the same as by the whole key */
    for (uint32_t k = 0; k < n; k++) key[(uint32_t)spare[k]] = spare[k];
    for (uint32_t b = 0; b < 4; b++) {
        const uint64_t *source = b % 2 == 0 ? key : spare;
        for (uint32_t k = 0; k < n; k++) digit[k] = (uint32_t)(source[k] >> 32);
        pass_by(source, b % 2 == 0 ? spare : key, digit, digit + n, n, 8 * b);
    }
}

static rn_result order_column(columns *set, uint32_t first, uint32_t n, rni_buffer *scratch)
{
    record *box = (record *)set->blocks.data + first;
    if (n < 2) return RN_OK;
    size_t bytes_each = sizeof(record) + 2 * sizeof(uint64_t) + 2 * sizeof(uint32_t);
    rn_result result = rni_buffer_need(set->env->memory, scratch, n, bytes_each);
    if (result != RN_OK) return result;
    uint64_t *key = scratch->data, *spare = key + n;
    uint32_t *digit = (uint32_t *)(spare + n);
    record *copy = (record *)(void *)(digit + 2 * (size_t)n);
    memcpy(copy, box, n * sizeof *copy);
    for (uint32_t k = 0; k < n; k++) key[k] = (uint64_t)ordered_bits(copy[k].low_x) << 32 | k;
    if (n <= FEW) (void)insert(key, n, UINT64_MAX);
    else sort_keys(key, spare, digit, copy, n);
    float *to = (float *)set->blocks.data + 7 * (size_t)first;
    uint32_t *index = (uint32_t *)(void *)(to + 6 * (size_t)n);
    for (uint32_t k = 0; k < n; k++) {
        const record *from = &copy[(uint32_t)key[k]];
        to[k] = from->low_x;
        to[n + k] = from->high_x;
        to[2 * (size_t)n + k] = from->low_y;
        to[3 * (size_t)n + k] = from->high_y;
        to[4 * (size_t)n + k] = from->low_z;
        to[5 * (size_t)n + k] = from->high_z;
        index[k] = from->index;
    }
    return RN_OK;
}

typedef struct order_job {
    columns *set;
    rni_failure failure;
} order_job;

/* The columns that begin among boxes piece * PIECE_BOXES and the following ones. */
static void order_piece(void *data, uint32_t piece, uint32_t worker)
{
    order_job *job = data;
    columns *set = job->set;
    const uint32_t *start = set->start.data;
    uint64_t from = (uint64_t)piece * PIECE_BOXES, to = from + PIECE_BOXES;
    uint32_t low = 0, high = set->column_count;
    while (low < high) { /* the first column that begins at `from` or later */
        uint32_t middle = low + (high - low) / 2;
        if (start[middle] < from) low = middle + 1;
        else high = middle;
    }
    for (uint32_t c = low; c < set->column_count && start[c] < to; c++) {
        rn_result result =
            order_column(set, start[c], start[c + 1] - start[c], &set->scratch[worker]);
        rni_failure_keep(&job->failure, result);
        if (result != RN_OK) return;
    }
}

rn_result rni_columns_sort(columns *set, const rni_boxes *boxes)
{
    rni_box_env *env = set->env;
    scatter_job job = {.set = set, .boxes = boxes, .parts = rni_crew_size(env->crew)};
    while (job.parts > 1 && (uint64_t)job.parts * set->column_count > boxes->count) job.parts--;
    if (boxes->count < 4096) job.parts = 1;
    if (rni_buffer_need(env->memory, &set->start, (uint64_t)set->column_count + 1, sizeof(uint32_t)) ||
        rni_buffer_need(env->memory, &set->column_of, boxes->count, sizeof(uint32_t)) ||
        rni_buffer_need(env->memory, &set->blocks, 7 * (uint64_t)boxes->count + RNI_COLUMN_SPILL,
                        sizeof(float)))
        return RN_ERROR_MEMORY;
    job.tally = rni_arena_take(env->arena, (size_t)job.parts * set->column_count * sizeof *job.tally);
    if (!job.tally) return RN_ERROR_MEMORY;
    job.column_of = set->column_of.data;
    rni_crew_pieces(env->crew, job.parts, count_part, &job);
    place_parts(&job);
    rni_crew_pieces(env->crew, job.parts, move_part, &job);
    memset((float *)set->blocks.data + 7 * (size_t)boxes->count, 0, RNI_COLUMN_SPILL * sizeof(float));
    order_job order = {.set = set};
    rni_crew_pieces(env->crew, rni_piece_count(boxes->count, PIECE_BOXES), order_piece, &order);
    return rni_failure_raise(&order.failure);
}

static const char *validate_column(const columns *set, const column_level *level, uint32_t column,
                                   uint64_t *index_sum)
{
    const uint32_t *start = set->start.data, n = start[column + 1] - start[column];
    const float *block = (const float *)set->blocks.data + 7 * (size_t)start[column];
    for (uint32_t k = 0; k < n; k++) {
        const float *at = block + k;
        const float low[3] = {at[0], at[2 * (size_t)n], at[4 * (size_t)n]};
        if (k > 0 && at[-1] > at[0]) return "a column is not in ascending low x";
        if (rni_column_of(set, level, low) != column) return "a box is in the wrong column";
    }
    *index_sum += rni_index_sum((const uint32_t *)(const void *)(block + 6 * (size_t)n), n);
    return NULL;
}

const char *rni_validate_columns(const columns *set, uint32_t box_count)
{
    const char *flaw = rni_validate_starts(set->start.data, set->column_count, box_count);
    uint64_t index_sum = 0;
    for (uint32_t l = 0; l < set->level_count && !flaw; l++) {
        const column_level *level = &set->levels[l];
        for (uint32_t c = 0; c < level->column_count && !flaw; c++)
            flaw = validate_column(set, level, level->first_column + c, &index_sum);
    }
    if (flaw) return flaw;
    return index_sum == rni_index_sum_below(box_count) ? NULL : "a box is missing or occurs twice";
}
