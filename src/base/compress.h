/* Packing the chosen lanes of a vector, for the files that are built for AVX-512.
 *
 * The processor's own instruction, with zeroes for the lanes that are left over, waits on some processors (AMD's fourth
 * generation, for one) for whatever was last in the register that it writes to: five cycles, when one and a half
 * would do, wherever a compiler packs into the same register again and again. Here it packs into a register that has just been
 * made zero, which waits for nothing. */
#ifndef RNI_BASE_COMPRESS_H
#define RNI_BASE_COMPRESS_H

#include <immintrin.h>

/* A zero of which the compiler does not know that it is one. */
static inline __m512i rni_fresh_zero(void)
{
    __m512i zero = _mm512_setzero_si512();
    __asm__("" : "+v"(zero));
    return zero;
}

/* The lanes of the mask one behind the other, then zeroes. */
static inline __m512i rni_compress_u32(__mmask16 lanes, __m512i v)
{
    return _mm512_mask_compress_epi32(rni_fresh_zero(), lanes, v);
}

static inline __m512 rni_compress_f32(__mmask16 lanes, __m512 v)
{
    return _mm512_castsi512_ps(rni_compress_u32(lanes, _mm512_castps_si512(v)));
}

#endif
