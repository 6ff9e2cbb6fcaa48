/* From floats to the bytes of a frame. What is not finite becomes the low end. */
#include "view/shots.h"

#include <math.h>
#include <string.h>
#ifdef RNI_X86
#include <emmintrin.h>
#endif

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

static const float *row(const float *first, size_t stride, uint32_t i)
{
    return (const float *)(const void *)((const char *)(const void *)first + i * stride);
}

/* --- positions: 16 bits of the box ------------------------------------------------------------------- */

static void pack_positions(rni_shot *shot, const rni_view_frame *f)
{
    uint16_t *to = shot->part[RNI_PART_POSITION];
    float scale[4] = {0}, low[4] = {f->low[0], f->low[1], f->low[2], 0};
    for (uint32_t a = 0; a < 3; a++)
        if (f->high[a] > f->low[a]) scale[a] = 65535.0f / (f->high[a] - f->low[a]);
    uint32_t i = 0;
#ifdef RNI_X86
    /* Eight bytes are stored a particle: the last two belong to the next, or to the slack. */
    const __m128 lows = _mm_loadu_ps(low), scales = _mm_loadu_ps(scale);
    const __m128 none = _mm_setzero_ps(), most = _mm_set1_ps(65535.0f);
    for (; f->stride >= sizeof lows && i < f->count; i++) {
        __m128 v = _mm_mul_ps(_mm_sub_ps(_mm_loadu_ps(row(f->position, f->stride, i)), lows), scales);
        v = _mm_min_ps(_mm_max_ps(v, none), most); /* NaN: none */
        __m128i n = _mm_sub_epi32(_mm_cvtps_epi32(v), _mm_set1_epi32(32768));
        n = _mm_xor_si128(_mm_packs_epi32(n, n), _mm_set1_epi16((short)-32768));
        _mm_storel_epi64((__m128i *)(void *)(to + (size_t)3 * i), n);
    }
#endif
    for (; i < f->count; i++)
        for (uint32_t a = 0; a < 3; a++) {
            float v = (row(f->position, f->stride, i)[a] - low[a]) * scale[a];
            v = v > 0 ? v : 0;
            to[(size_t)3 * i + a] = (uint16_t)rintf(v < 65535.0f ? v : 65535.0f);
        }
}

/* --- vectors: 8 bits of the longest ------------------------------------------------------------------- */

static float longest(const float *first, size_t stride, uint32_t count)
{
    float most[3] = {0};
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t a = 0; a < 3; a++) {
            float v = fabsf(row(first, stride, i)[a]);
            most[a] = v > most[a] && v < HUGE_VALF ? v : most[a];
        }
    return fmaxf(most[0], fmaxf(most[1], most[2]));
}

static void pack_vectors(rni_shot *shot, rni_view_part part, const float *first, size_t stride)
{
    int8_t *to = shot->part[part];
    float most = longest(first, stride, shot->count);
    float scale = most > 0 ? 127.0f / most : 0;
    shot->range[part][0] = 0;
    shot->range[part][1] = most;
    for (uint32_t i = 0; i < shot->count; i++)
        for (uint32_t a = 0; a < 3; a++) {
            float v = row(first, stride, i)[a] * scale;
            v = v > -127.0f ? v : -127.0f;
            v = v < 127.0f ? v : 127.0f;
            to[(size_t)3 * i + a] = (int8_t)rintf(v);
        }
}

/* --- attributes: 8 bits from the least to the most ------------------------------------------------------ */

static void find_range(const float *value, uint32_t count, float range[2])
{
    float low = HUGE_VALF, high = -HUGE_VALF;
    uint32_t i = 0;
#ifdef RNI_X86
    /* x - x is 0 for finite x only; the others leave the lanes as they are. */
    __m128 lows = _mm_set1_ps(HUGE_VALF), highs = _mm_set1_ps(-HUGE_VALF);
    for (; i + 4 <= count; i += 4) {
        __m128 v = _mm_loadu_ps(value + i);
        __m128 is_finite = _mm_cmpeq_ps(_mm_sub_ps(v, v), _mm_setzero_ps());
        __m128 kept = _mm_and_ps(is_finite, v);
        lows = _mm_min_ps(lows, _mm_or_ps(kept, _mm_andnot_ps(is_finite, lows)));
        highs = _mm_max_ps(highs, _mm_or_ps(kept, _mm_andnot_ps(is_finite, highs)));
    }
    float lane[2][4];
    _mm_storeu_ps(lane[0], lows);
    _mm_storeu_ps(lane[1], highs);
    for (uint32_t k = 0; k < 4; k++) {
        low = fminf(low, lane[0][k]);
        high = fmaxf(high, lane[1][k]);
    }
#endif
    for (; i < count; i++)
        if (isfinite(value[i])) {
            low = fminf(low, value[i]);
            high = fmaxf(high, value[i]);
        }
    range[0] = low <= high ? low : 0;
    range[1] = low <= high ? high : 0;
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

static void pack_attribute(rni_shot *shot, rni_view_part part, const float *value)
{
    float *range = shot->range[part];
    find_range(value, shot->count, range);
    if (part == RNI_PART_SPEED || part == RNI_PART_AGE) range[0] = 0;
    float scale = range[1] > range[0] ? 255.0f / (range[1] - range[0]) : 0;
    if (!isfinite(scale)) scale = 0;
    scale_bytes(value, shot->count, range[0], scale, shot->part[part]);
}

static void measure_speed(const rni_view_frame *f, float *speed)
{
    for (uint32_t i = 0; i < f->count; i++) {
        const float *v = row(f->velocity, f->stride, i);
        speed[i] = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
}

void rni_shot_pack(rni_shot *shot, const rni_view_frame *f, float *scratch)
{
    const uint32_t parts = shot->parts;
    pack_positions(shot, f);
    if (parts >> RNI_PART_DENSITY & 1) pack_attribute(shot, RNI_PART_DENSITY, f->density);
    if (parts >> RNI_PART_PRESSURE & 1) pack_attribute(shot, RNI_PART_PRESSURE, f->pressure);
    if (parts >> RNI_PART_SPEED & 1) {
        measure_speed(f, scratch);
        pack_attribute(shot, RNI_PART_SPEED, scratch);
    }
    if (parts >> RNI_PART_AGE & 1) {
        for (uint32_t i = 0; i < f->count; i++) scratch[i] = (float)f->time - f->birth[i];
        pack_attribute(shot, RNI_PART_AGE, scratch);
    }
    if (parts >> RNI_PART_VELOCITY & 1)
        pack_vectors(shot, RNI_PART_VELOCITY, f->velocity, f->stride);
    if (parts >> RNI_PART_ACCELERATION & 1)
        pack_vectors(shot, RNI_PART_ACCELERATION, f->acceleration, f->stride);
    if (parts >> RNI_PART_ID & 1) memcpy(shot->part[RNI_PART_ID], f->id, f->count * sizeof *f->id);
}
