/* From floats to the bytes of a frame. What is not finite becomes the low end.
 *
 * Two rounds over pieces of the particles, each piece by whichever worker takes it: the first packs
 * what needs no range (positions, ids) and finds the ranges, the second packs what does. Every array is read once
 * a round, in order. */
#include "view/shots.h"

#include <math.h>
#include <string.h>
#ifdef RNI_X86
#include <emmintrin.h>
#endif

/* Particles of a piece: a few hundred KB, small beside the frame, large beside handing it out. */
#define PIECE 16384u
/* Derived values (speed, age) are made so many at a time, on the stack. */
#define BLOCK 512u
/* Below this waking others takes longer than the work. */
#define ALONE (4 * PIECE)

static const rni_view_part ATTRIBUTES[] = {RNI_PART_DENSITY, RNI_PART_SPEED, RNI_PART_PRESSURE,
                                           RNI_PART_AGE};
static const rni_view_part VECTORS[] = {RNI_PART_VELOCITY, RNI_PART_ACCELERATION};

size_t rni_part_bytes(rni_view_part part)
{
    switch (part) {
    case RNI_PART_POSITION: return 3 * sizeof(uint16_t);
    case RNI_PART_VELOCITY:
    case RNI_PART_ACCELERATION: return 3;
    case RNI_PART_ID: return sizeof(uint32_t);
    default: return 1;
    }
}

uint32_t rni_pack_pieces(uint32_t count)
{
    return rni_piece_count(count, PIECE);
}

/* One frame on its way into one shot. */
typedef struct packing {
    rni_shot *shot;
    const rni_view_frame *frame;
    rni_pack_range (*range)[RNI_PART_COUNT]; /* by piece */
} packing;

static bool has(const packing *p, rni_view_part part)
{
    return p->shot->parts >> part & 1;
}

static const float *row(const float *first, size_t stride, uint32_t i)
{
    return (const float *)(const void *)((const char *)(const void *)first + i * stride);
}

/* --- positions: 16 bits of the box ------------------------------------------------------------------- */

static void pack_positions(const packing *p, uint32_t begin, uint32_t end)
{
    const rni_view_frame *f = p->frame;
    uint16_t *to = p->shot->part[RNI_PART_POSITION];
    float scale[4] = {0}, low[4] = {f->low[0], f->low[1], f->low[2], 0};
    for (uint32_t a = 0; a < 3; a++)
        if (f->high[a] > f->low[a]) scale[a] = 65535.0f / (f->high[a] - f->low[a]);
    uint32_t i = begin;
#ifdef RNI_X86
    /* Eight bytes are stored a particle, of which two belong to the next: not for the last, whose
     * next may be another worker's. */
    const __m128 lows = _mm_loadu_ps(low), scales = _mm_loadu_ps(scale);
    const __m128 none = _mm_setzero_ps(), most = _mm_set1_ps(65535.0f);
    const size_t stride = f->stride;
    const float *from = row(f->position, stride, begin);
    for (; stride >= sizeof lows && i + 1 < end; i++, from = row(from, stride, 1)) {
        __m128 v = _mm_mul_ps(_mm_sub_ps(_mm_loadu_ps(from), lows), scales);
        v = _mm_min_ps(_mm_max_ps(v, none), most); /* NaN: none */
        __m128i n = _mm_sub_epi32(_mm_cvtps_epi32(v), _mm_set1_epi32(32768));
        n = _mm_xor_si128(_mm_packs_epi32(n, n), _mm_set1_epi16((short)-32768));
        _mm_storel_epi64((__m128i *)(void *)(to + (size_t)3 * i), n);
    }
#endif
    for (; i < end; i++)
        for (uint32_t a = 0; a < 3; a++) {
            float v = (row(f->position, f->stride, i)[a] - low[a]) * scale[a];
            v = v > 0 ? v : 0;
            to[(size_t)3 * i + a] = (uint16_t)rintf(v < 65535.0f ? v : 65535.0f);
        }
}

/* --- vectors: 8 bits of the longest ------------------------------------------------------------------- */

static const float *vectors_of(const rni_view_frame *f, rni_view_part part)
{
    return part == RNI_PART_VELOCITY ? f->velocity : f->acceleration;
}

static float longest(const float *first, size_t stride, uint32_t begin, uint32_t end)
{
    float most[3] = {0};
    for (uint32_t i = begin; i < end; i++)
        for (uint32_t a = 0; a < 3; a++) {
            float v = fabsf(row(first, stride, i)[a]);
            most[a] = v > most[a] && v < HUGE_VALF ? v : most[a];
        }
    return fmaxf(most[0], fmaxf(most[1], most[2]));
}

static void pack_vectors(const packing *p, rni_view_part part, uint32_t begin, uint32_t end)
{
    const float *first = vectors_of(p->frame, part);
    int8_t *to = p->shot->part[part];
    float most = p->shot->range[part][1], scale = most > 0 ? 127.0f / most : 0;
    uint32_t i = begin;
    if (!isfinite(scale)) scale = 0;
#ifdef RNI_X86
    const __m128 scales = _mm_set1_ps(scale), bound = _mm_set1_ps(127.0f);
    const __m128 below = _mm_set1_ps(-127.0f);
    const size_t stride = p->frame->stride;
    const float *from = row(first, stride, begin);
    for (; stride >= sizeof scales && i + 1 < end; i++, from = row(from, stride, 1)) {
        __m128 v = _mm_mul_ps(_mm_loadu_ps(from), scales);
        __m128i n = _mm_cvtps_epi32(_mm_min_ps(_mm_max_ps(v, below), bound)); /* NaN: below */
        n = _mm_packs_epi32(n, n);
        int four = _mm_cvtsi128_si32(_mm_packs_epi16(n, n));
        memcpy(to + (size_t)3 * i, &four, sizeof four);
    }
#endif
    for (; i < end; i++)
        for (uint32_t a = 0; a < 3; a++) {
            float v = row(first, p->frame->stride, i)[a] * scale;
            v = v > -127.0f ? v : -127.0f;
            v = v < 127.0f ? v : 127.0f;
            to[(size_t)3 * i + a] = (int8_t)rintf(v);
        }
}

/* --- attributes: 8 bits from the least to the most ------------------------------------------------------ */

static bool is_derived(rni_view_part part)
{
    return part == RNI_PART_SPEED || part == RNI_PART_AGE;
}

/* How many values are looked at together. */
static uint32_t block_of(rni_view_part part, uint32_t rest)
{
    return is_derived(part) && rest > BLOCK ? BLOCK : rest;
}

/* Values of particles begin .. begin + count - 1; room, for those that are made here, has space for BLOCK. */
static const float *values_of(const rni_view_frame *f, rni_view_part part, uint32_t begin,
                              uint32_t count, float *room)
{
    if (part == RNI_PART_DENSITY) return f->density + begin;
    if (part == RNI_PART_PRESSURE) return f->pressure + begin;
    for (uint32_t k = 0; k < count; k++) {
        if (part == RNI_PART_AGE) {
            room[k] = (float)f->time - f->birth[begin + k];
        } else {
            const float *v = row(f->velocity, f->stride, begin + k);
            room[k] = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        }
    }
    return room;
}

static void widen_slowly(rni_pack_range *range, const float *value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (isfinite(value[i])) {
            range->low = fminf(range->low, value[i]);
            range->high = fmaxf(range->high, value[i]);
        }
}

/* Infinity is rare: when it got in, the values are looked at once more, one by one. */
static void widen(rni_pack_range *range, const float *value, uint32_t count)
{
    uint32_t i = 0;
#ifdef RNI_X86
    /* minps and maxps give the second when one is NaN. Two chains: each waits for itself only. */
    __m128 low[2], high[2];
    low[0] = low[1] = _mm_set1_ps(HUGE_VALF);
    high[0] = high[1] = _mm_set1_ps(-HUGE_VALF);
    for (; i + 8 <= count; i += 8)
        for (uint32_t k = 0; k < 2; k++) {
            __m128 v = _mm_loadu_ps(value + i + (size_t)4 * k);
            low[k] = _mm_min_ps(v, low[k]);
            high[k] = _mm_max_ps(v, high[k]);
        }
    float lane[2][4];
    _mm_storeu_ps(lane[0], _mm_min_ps(low[0], low[1]));
    _mm_storeu_ps(lane[1], _mm_max_ps(high[0], high[1]));
    rni_pack_range all = {HUGE_VALF, -HUGE_VALF};
    for (uint32_t k = 0; k < 4; k++) {
        all.low = fminf(all.low, lane[0][k]);
        all.high = fmaxf(all.high, lane[1][k]);
    }
    bool is_empty = all.low == HUGE_VALF && all.high == -HUGE_VALF;
    if (!is_empty && (isinf(all.low) || isinf(all.high))) {
        i = 0;
    } else {
        range->low = fminf(range->low, all.low);
        range->high = fmaxf(range->high, all.high);
    }
#endif
    widen_slowly(range, value + i, count - i);
}

/* 0 to 255, rounded; scale is finite. */
static void scale_bytes(const float *value, uint32_t count, float low, float scale, uint8_t *to)
{
    uint32_t i = 0;
#ifdef RNI_X86
    const __m128 lows = _mm_set1_ps(low), scales = _mm_set1_ps(scale), none = _mm_setzero_ps();
    const __m128 most = _mm_set1_ps(255.0f);
    for (; i + 16 <= count; i += 16) {
        __m128i n[4];
        for (uint32_t k = 0; k < 4; k++) {
            __m128 v = _mm_mul_ps(_mm_sub_ps(_mm_loadu_ps(value + i + (size_t)4 * k), lows), scales);
            n[k] = _mm_cvtps_epi32(_mm_min_ps(_mm_max_ps(v, none), most)); /* NaN: none */
        }
        __m128i all = _mm_packus_epi16(_mm_packs_epi32(n[0], n[1]), _mm_packs_epi32(n[2], n[3]));
        _mm_storeu_si128((__m128i *)(void *)(to + i), all);
    }
#endif
    for (; i < count; i++) {
        float v = (value[i] - low) * scale;
        v = v > 0 ? v : 0;
        to[i] = (uint8_t)rintf(v < 255.0f ? v : 255.0f);
    }
}

static void pack_attribute(const packing *p, rni_view_part part, uint32_t begin, uint32_t end)
{
    const float *range = p->shot->range[part];
    uint8_t *to = p->shot->part[part];
    float room[BLOCK];
    float scale = range[1] > range[0] ? 255.0f / (range[1] - range[0]) : 0;
    if (!isfinite(scale)) scale = 0;
    for (uint32_t i = begin, count; i < end; i += count) {
        count = block_of(part, end - i);
        scale_bytes(values_of(p->frame, part, i, count, room), count, range[0], scale, to + i);
    }
}

/* --- the two rounds -------------------------------------------------------------------------------------- */

static void bounds_of(const packing *p, uint32_t piece, uint32_t *begin, uint32_t *end)
{
    *begin = piece * PIECE;
    *end = p->shot->count - *begin < PIECE ? p->shot->count : *begin + PIECE;
}

static void first_round(void *data, uint32_t piece, uint32_t worker)
{
    const packing *p = data;
    uint32_t begin, end;
    float room[BLOCK];
    (void)worker;
    bounds_of(p, piece, &begin, &end);
    pack_positions(p, begin, end);
    if (has(p, RNI_PART_ID))
        memcpy((uint32_t *)p->shot->part[RNI_PART_ID] + begin, p->frame->id + begin,
               (end - begin) * sizeof(uint32_t));
    for (uint32_t k = 0; k < 4; k++) {
        if (!has(p, ATTRIBUTES[k])) continue;
        rni_pack_range range = {HUGE_VALF, -HUGE_VALF};
        for (uint32_t i = begin, count; i < end; i += count) {
            count = block_of(ATTRIBUTES[k], end - i);
            widen(&range, values_of(p->frame, ATTRIBUTES[k], i, count, room), count);
        }
        p->range[piece][ATTRIBUTES[k]] = range;
    }
    for (uint32_t k = 0; k < 2; k++)
        if (has(p, VECTORS[k]))
            p->range[piece][VECTORS[k]].high =
                longest(vectors_of(p->frame, VECTORS[k]), p->frame->stride, begin, end);
}

static void second_round(void *data, uint32_t piece, uint32_t worker)
{
    const packing *p = data;
    uint32_t begin, end;
    (void)worker;
    bounds_of(p, piece, &begin, &end);
    for (uint32_t k = 0; k < 4; k++)
        if (has(p, ATTRIBUTES[k])) pack_attribute(p, ATTRIBUTES[k], begin, end);
    for (uint32_t k = 0; k < 2; k++)
        if (has(p, VECTORS[k])) pack_vectors(p, VECTORS[k], begin, end);
}

static void join_ranges(const packing *p, uint32_t piece_count)
{
    for (uint32_t k = 0; k < 4; k++) {
        rni_view_part part = ATTRIBUTES[k];
        rni_pack_range all = {HUGE_VALF, -HUGE_VALF};
        for (uint32_t c = 0; has(p, part) && c < piece_count; c++) {
            all.low = fminf(all.low, p->range[c][part].low);
            all.high = fmaxf(all.high, p->range[c][part].high);
        }
        bool is_any = all.low <= all.high;
        p->shot->range[part][0] = is_any && !is_derived(part) ? all.low : 0; /* those are from 0 on */
        p->shot->range[part][1] = is_any ? all.high : 0;
    }
    for (uint32_t k = 0; k < 2; k++) {
        float most = 0;
        for (uint32_t c = 0; has(p, VECTORS[k]) && c < piece_count; c++)
            most = fmaxf(most, p->range[c][VECTORS[k]].high);
        p->shot->range[VECTORS[k]][0] = 0;
        p->shot->range[VECTORS[k]][1] = most;
    }
}

static void run(rni_crew *crew, const packing *p, uint32_t piece_count, rni_piece_fn round)
{
    packing copy = *p;
    if (crew && p->shot->count >= ALONE) rni_crew_pieces(crew, piece_count, round, &copy);
    else
        for (uint32_t piece = 0; piece < piece_count; piece++) round(&copy, piece, 0);
}

/* A frame's parts begin at multiples of four; what lies between is zero. */
static void clear_gaps(const rni_shot *shot)
{
    for (uint32_t part = 0; part < RNI_PART_COUNT; part++) {
        size_t bytes = (size_t)shot->count * rni_part_bytes(part);
        if (shot->parts >> part & 1) memset((char *)shot->part[part] + bytes, 0, -bytes & 3);
    }
}

void rni_shot_pack(rni_shot *shot, const rni_view_frame *frame, rni_crew *crew,
                   rni_pack_range (*range)[RNI_PART_COUNT])
{
    packing p = {shot, frame, range};
    uint32_t piece_count = rni_pack_pieces(shot->count);
    run(crew, &p, piece_count, first_round);
    join_ranges(&p, piece_count);
    if (shot->parts & ~(1u << RNI_PART_POSITION | 1u << RNI_PART_ID))
        run(crew, &p, piece_count, second_round);
    clear_gaps(shot);
}
