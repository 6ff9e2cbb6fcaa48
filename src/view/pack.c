/* From floats to the bytes of the protocol. What is not finite becomes the low end.
 *
 * Two passes over pieces of the particles, each piece by whichever worker takes it: the first packs what needs
 * no range (positions, whole numbers) and finds the ranges, the second packs the rest. Each pass reads
 * every array once, in order. */
#include "view/packed_frames.h"

#include <math.h>
#include <string.h>
#ifdef RNI_X86
#include <emmintrin.h>
#endif

/* Particles of a piece: a few hundred KB, small beside the frame, large beside the cost of handing it out. */
#define PIECE 16384u
/* Values that are derived or strided are gathered so many at a time, on the stack. */
#define BLOCK 512u
/* Below this many particles waking other threads takes longer than the work. */
#define ALONE (4 * PIECE)

#define ALL RN_FRAME_MAX_ATTRIBUTES

rni_packed_format rni_packed_format_of(const rn_attribute *attribute, uint32_t bit)
{
    if (bit == 0) return RNI_PACKED_U16;
    if (attribute->type == RN_ATTRIBUTE_UINT32) return RNI_PACKED_U32;
    return attribute->components == 3 ? RNI_PACKED_I8 : RNI_PACKED_U8;
}

static size_t particle_bytes(const rn_attribute *attribute, uint32_t bit)
{
    static const size_t BYTES[] = {
        [RNI_PACKED_U8] = 1, [RNI_PACKED_I8] = 1, [RNI_PACKED_U32] = sizeof(uint32_t), [RNI_PACKED_U16] = sizeof(uint16_t)};
    return attribute->components * BYTES[rni_packed_format_of(attribute, bit)];
}

size_t rni_packed_size(const rn_attribute *attribute, uint32_t bit, uint32_t count)
{
    return ((size_t)count * particle_bytes(attribute, bit) + 3) & ~(size_t)3;
}

uint32_t rni_pack_pieces(uint32_t count)
{
    return rni_piece_count(count, PIECE);
}

static const float *row(const void *first, size_t stride, uint32_t i)
{
    return (const float *)(const void *)((const char *)first + i * stride);
}

static size_t stride_of(const rn_attribute *attribute)
{
    return attribute->stride ? attribute->stride : attribute->components * sizeof(float);
}

/* --- positions: 16 bits within the domain --------------------------------------------------------------- */

static void pack_positions(const rni_packing *p, uint32_t begin, uint32_t end)
{
    const rn_frame *f = p->frame;
    const void *first = p->attribute[0]->data;
    const size_t stride = stride_of(p->attribute[0]);
    uint16_t *to = p->packed->part[0];
    float scale[4] = {0}, low[4] = {f->domain_low[0], f->domain_low[1], f->domain_low[2], 0};
    for (uint32_t a = 0; a < 3; a++)
        if (f->domain_high[a] > f->domain_low[a])
            scale[a] = 65535.0f / (f->domain_high[a] - f->domain_low[a]);
    uint32_t i = begin;
#ifdef RNI_X86
    /* Eight bytes are stored a particle, of which two belong to the next: not for the last, whose
     * next may be another worker's. */
    const __m128 lows = _mm_loadu_ps(low), scales = _mm_loadu_ps(scale);
    const __m128 none = _mm_setzero_ps(), most = _mm_set1_ps(65535.0f);
    const float *from = row(first, stride, begin);
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
            float v = (row(first, stride, i)[a] - low[a]) * scale[a];
            v = v > 0 ? v : 0;
            to[(size_t)3 * i + a] = (uint16_t)rintf(v < 65535.0f ? v : 65535.0f);
        }
}

/* --- vectors: 8 bits of the largest component ------------------------------------------------------------ */

static float largest(const rn_attribute *attribute, uint32_t begin, uint32_t end)
{
    const size_t stride = stride_of(attribute);
    float most[3] = {0};
    for (uint32_t i = begin; i < end; i++)
        for (uint32_t a = 0; a < 3; a++) {
            float v = fabsf(row(attribute->data, stride, i)[a]);
            most[a] = v > most[a] && v < HUGE_VALF ? v : most[a];
        }
    return fmaxf(most[0], fmaxf(most[1], most[2]));
}

static void pack_vectors(const rni_packing *p, uint32_t k, uint32_t begin, uint32_t end)
{
    const void *first = p->attribute[k]->data;
    const size_t stride = stride_of(p->attribute[k]);
    int8_t *to = p->packed->part[k];
    float most = p->packed->range[k][1], scale = most > 0 ? 127.0f / most : 0;
    uint32_t i = begin;
    if (!isfinite(scale)) scale = 0;
#ifdef RNI_X86
    const __m128 scales = _mm_set1_ps(scale), bound = _mm_set1_ps(127.0f);
    const __m128 below = _mm_set1_ps(-127.0f);
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
            float v = row(first, stride, i)[a] * scale;
            v = v > -127.0f ? v : -127.0f;
            v = v < 127.0f ? v : 127.0f;
            to[(size_t)3 * i + a] = (int8_t)rintf(v);
        }
}

/* --- scalars: 8 bits from the lowest to the highest ------------------------------------------------------- */

static bool is_plain(const rn_attribute *attribute)
{
    return attribute->derivation == RN_DERIVATION_NONE && stride_of(attribute) == sizeof(float);
}

/* How many values are looked at together. */
static uint32_t block_of(const rn_attribute *attribute, uint32_t remainder)
{
    return !is_plain(attribute) && remainder > BLOCK ? BLOCK : remainder;
}

/* Values of particles begin .. begin + count - 1; those that do not lie side by side are gathered. */
static const float *values_of(const rni_packing *p, const rn_attribute *attribute, uint32_t begin,
                              uint32_t count, float gathered[BLOCK])
{
    if (is_plain(attribute)) return (const float *)attribute->data + begin;
    rn_frame_get_rows(p->frame, attribute, begin, count, gathered);
    return gathered;
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

static void pack_scalars(const rni_packing *p, uint32_t k, uint32_t begin, uint32_t end)
{
    const float *range = p->packed->range[k];
    uint8_t *to = p->packed->part[k];
    float gathered[BLOCK];
    float scale = range[1] > range[0] ? 255.0f / (range[1] - range[0]) : 0;
    if (!isfinite(scale)) scale = 0;
    for (uint32_t i = begin, count; i < end; i += count) {
        count = block_of(p->attribute[k], end - i);
        scale_bytes(values_of(p, p->attribute[k], i, count, gathered), count, range[0], scale,
                    to + i);
    }
}

static rni_pack_range range_of(const rni_packing *p, uint32_t k, uint32_t begin, uint32_t end)
{
    rni_pack_range range = {HUGE_VALF, -HUGE_VALF};
    float gathered[BLOCK];
    for (uint32_t i = begin, count; i < end; i += count) {
        count = block_of(p->attribute[k], end - i);
        widen(&range, values_of(p, p->attribute[k], i, count, gathered), count);
    }
    return range;
}

/* --- the two passes --------------------------------------------------------------------------------------- */

static void bounds_of(const rni_packing *p, uint32_t piece, uint32_t *begin, uint32_t *end)
{
    *begin = piece * PIECE;
    *end = p->packed->count - *begin < PIECE ? p->packed->count : *begin + PIECE;
}

static void pack_whole(const rni_packing *p, uint32_t k, uint32_t begin, uint32_t end)
{
    uint32_t *to = p->packed->part[k];
    rn_frame_get_rows(p->frame, p->attribute[k], begin, end - begin,
                      to + (size_t)begin * p->attribute[k]->components);
}

static void first_pass(void *data, uint32_t piece, uint32_t worker)
{
    const rni_packing *p = data;
    uint32_t begin, end;
    (void)worker;
    bounds_of(p, piece, &begin, &end);
    pack_positions(p, begin, end);
    for (uint32_t k = 1; k < ALL; k++) {
        if (!p->attribute[k]) continue;
        switch (rni_packed_format_of(p->attribute[k], k)) {
        case RNI_PACKED_U32: pack_whole(p, k, begin, end); break;
        case RNI_PACKED_I8:
            p->range[piece][k] = (rni_pack_range){0, largest(p->attribute[k], begin, end)};
            break;
        default: p->range[piece][k] = range_of(p, k, begin, end);
        }
    }
}

static void second_pass(void *data, uint32_t piece, uint32_t worker)
{
    const rni_packing *p = data;
    uint32_t begin, end;
    (void)worker;
    bounds_of(p, piece, &begin, &end);
    for (uint32_t k = 1; k < ALL; k++) {
        if (!p->attribute[k]) continue;
        rni_packed_format format = rni_packed_format_of(p->attribute[k], k);
        if (format == RNI_PACKED_U8) pack_scalars(p, k, begin, end);
        else if (format == RNI_PACKED_I8) pack_vectors(p, k, begin, end);
    }
}

/* Ranges of all particles; those of derived values begin at 0. Whether a second pass is needed. */
static bool join_ranges(const rni_packing *p, uint32_t piece_count)
{
    bool is_ranged = false;
    for (uint32_t k = 0; k < ALL; k++) {
        const rn_attribute *attribute = p->attribute[k];
        float *range = p->packed->range[k];
        range[0] = range[1] = 0;
        rni_packed_format format = attribute ? rni_packed_format_of(attribute, k) : RNI_PACKED_U16;
        if (format != RNI_PACKED_U8 && format != RNI_PACKED_I8) continue;
        is_ranged = true;
        rni_pack_range all = {HUGE_VALF, -HUGE_VALF};
        for (uint32_t c = 0; c < piece_count; c++) {
            all.low = fminf(all.low, p->range[c][k].low);
            all.high = fmaxf(all.high, p->range[c][k].high);
        }
        if (!(all.low <= all.high)) continue; /* no finite value */
        range[1] = all.high;
        if (format == RNI_PACKED_I8) range[0] = -all.high;
        else if (attribute->derivation == RN_DERIVATION_NONE) range[0] = all.low;
        if (range[0] > range[1]) range[0] = range[1];
    }
    return is_ranged;
}

static void run(rni_crew *crew, const rni_packing *p, uint32_t piece_count, rni_piece_fn pass)
{
    rni_packing copy = *p;
    if (crew && p->packed->count >= ALONE) rni_crew_pieces(crew, piece_count, pass, &copy);
    else
        for (uint32_t piece = 0; piece < piece_count; piece++) pass(&copy, piece, 0);
}

/* The padding of a part is zero. */
static void clear_padding(const rni_packing *p)
{
    for (uint32_t k = 0; k < ALL; k++) {
        if (!p->attribute[k]) continue;
        size_t bytes = (size_t)p->packed->count * particle_bytes(p->attribute[k], k);
        memset((char *)p->packed->part[k] + bytes, 0, -bytes & 3);
    }
}

void rni_frame_pack(const rni_packing *p, rni_crew *crew)
{
    uint32_t piece_count = rni_pack_pieces(p->packed->count);
    run(crew, p, piece_count, first_pass);
    if (join_ranges(p, piece_count)) run(crew, p, piece_count, second_pass);
    clear_padding(p);
}
