/* Lanes (lanes.h), sixteen lanes: AVX-512. Included by lanes.h only. */

typedef __m512 rni_v;
typedef __mmask16 rni_vm;

static inline rni_v rni_v_set(float s)
{
    return _mm512_set1_ps(s);
}

static inline rni_v rni_v_load(const float *p)
{
    return _mm512_loadu_ps(p);
}

static inline void rni_v_store(float *p, rni_v v)
{
    RNI_V_UNALIGNED(p);
    _mm512_storeu_ps(p, v);
}

/* The first count lanes; a multiple of 4 below RNI_LANES. */
static inline void rni_v_store_some(float *p, rni_v v, uint32_t count)
{
    _mm512_mask_storeu_ps(p, (__mmask16)((1u << count) - 1u), v);
}

static inline rni_v rni_v_load_quad(const float *p)
{
    return _mm512_broadcast_f32x4(_mm_loadu_ps(p));
}

static inline rni_v rni_v_max(rni_v a, rni_v b)
{
    return _mm512_max_ps(a, b);
}

static inline rni_vm rni_v_less(rni_v a, rni_v b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}

static inline rni_vm rni_v_within(rni_v a, rni_v b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
}

static inline rni_v rni_v_select(rni_vm m, rni_v a, rni_v b)
{
    return _mm512_mask_blend_ps(m, b, a);
}

static inline rni_v rni_v_where(rni_vm m, rni_v a)
{
    return _mm512_maskz_mov_ps(m, a);
}

static inline rni_v rni_v_add_where(rni_vm m, rni_v a, rni_v b)
{
    return _mm512_mask_add_ps(a, m, a, b);
}

static inline rni_v rni_v_add_product(rni_vm m, rni_v a, rni_v b, rni_v c)
{
    return _mm512_mask3_fmadd_ps(b, c, a, m);
}

static inline rni_v rni_v_add_cube(rni_vm m, rni_v a, rni_v t)
{
    return _mm512_mask3_fmadd_ps(t * t, t, a, m);
}

#define RNI_V_GUESS_RSQRT _mm512_rsqrt14_ps
#define RNI_V_PICK_BITS   _pext_u64 /* slow on some processors that have only eight lanes */

static inline rni_v rni_v_rsqrt(rni_v a)
{
    rni_v y = RNI_V_GUESS_RSQRT(a); /* 14 bits; one Newton step */
    return y + y * (0.5f - (0.5f * y) * (a * y));
}

static inline rni_v rni_v_rcp(rni_v a)
{
    rni_v y = _mm512_rcp14_ps(a);
    return y + y * (1.0f - a * y);
}

static inline uint32_t rni_v_bits(rni_vm m)
{
    return _cvtmask16_u32(m);
}

#define rni_v_spread(v, k) _mm512_permute_ps(v, (k)*0x55)
#define RNI_V_LOW(a, b)    _mm512_unpacklo_ps(a, b)
#define RNI_V_HIGH(a, b)   _mm512_unpackhi_ps(a, b)

static inline void rni_v_transpose(const float *a, const float *b, const float *c, const float *d,
                                   float *to)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 16, 1, 5, 9, 17, 2, 6, 10, 18, 3, 7, 11, 19);
    __m512 abc = _mm512_castps128_ps512(_mm_loadu_ps(a));
    abc = _mm512_insertf32x4(abc, _mm_loadu_ps(b), 1);
    abc = _mm512_insertf32x4(abc, _mm_loadu_ps(c), 2);
    _mm512_storeu_ps(to, _mm512_permutex2var_ps(abc, order, _mm512_castps128_ps512(_mm_loadu_ps(d))));
}

static inline void rni_v_transpose8(const float *a, const float *b, const float *c, const float *d,
                                    float *to)
{
    const __m512i first = _mm512_setr_epi32(0, 8, 16, 24, 4, 12, 20, 28, 1, 9, 17, 25, 5, 13, 21, 29);
    const __m512i second =
        _mm512_setr_epi32(2, 10, 18, 26, 6, 14, 22, 30, 3, 11, 19, 27, 7, 15, 23, 31);
    __m512 ab = _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(a)), _mm256_loadu_ps(b), 1);
    __m512 cd = _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(c)), _mm256_loadu_ps(d), 1);
    _mm512_storeu_ps(to, _mm512_permutex2var_ps(ab, first, cd));
    _mm512_storeu_ps(to + 16, _mm512_permutex2var_ps(ab, second, cd));
}

#define rni_v_spread8(p, k)                                                                    \
    _mm512_permutex2var_ps(_mm512_loadu_ps(p),                                                 \
                           _mm512_setr_epi32(k, k, k, k, 8 + (k), 8 + (k), 8 + (k), 8 + (k),   \
                                             16 + (k), 16 + (k), 16 + (k), 16 + (k), 24 + (k), \
                                             24 + (k), 24 + (k), 24 + (k)),                    \
                           _mm512_loadu_ps((p) + 16))

static inline rni_v rni_v_halves8(const float *p)
{
    return _mm512_shuffle_f32x4(_mm512_loadu_ps(p), _mm512_loadu_ps(p + 16), 0xdd);
}

/* --- unsigned integers, and sets of lanes */

typedef __m512i rni_vu;
typedef __mmask16 rni_vb;
typedef __m512i rni_vo;

#define rni_vb_all    ((rni_vb)0xffff)
#define rni_v_hold(v) __asm__("" : "+v"(v))

static inline rni_v rni_v_min(rni_v a, rni_v b)
{
    return _mm512_min_ps(a, b);
}

static inline rni_v rni_v_madd(rni_v a, rni_v b, rni_v c)
{
    return _mm512_fmadd_ps(b, c, a);
}

static inline rni_v rni_v_msub(rni_v a, rni_v b, rni_v c)
{
    return _mm512_fnmadd_ps(b, c, a);
}

static inline rni_vm rni_vm_and(rni_vm a, rni_vm b)
{
    return _kand_mask16(a, b);
}

static inline rni_vm rni_v_within_and(rni_vm m, rni_v a, rni_v b)
{
    return _mm512_mask_cmp_ps_mask(m, a, b, _CMP_LE_OQ);
}

#define rni_vu_lanes() _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)

static inline rni_vb rni_vb_first(uint32_t n)
{
    return (rni_vb)_bzhi_u32(0xffffu, n);
}

static inline rni_v rni_v_first_or(rni_v v, uint32_t n, rni_v others)
{
    return _mm512_mask_mov_ps(others, rni_vb_first(n), v);
}

static inline rni_v rni_v_load_first(const float *p, uint32_t n, rni_v others)
{
    return _mm512_mask_loadu_ps(others, n < 16 ? rni_vb_first(n) : rni_vb_all, p);
}

/* Combines v with itself, rotated by 8, 4, 2 and 1 lanes: all lanes hold the result. */
#define RNI_V_OVER_ALL(op, v)                    \
    v = op(v, _mm512_shuffle_f32x4(v, v, 0x4e)); \
    v = op(v, _mm512_shuffle_f32x4(v, v, 0xb1)); \
    v = op(v, _mm512_permute_ps(v, 0x4e));       \
    return op(v, _mm512_permute_ps(v, 0xb1))

static inline rni_v rni_v_lowest(rni_v v)
{
    RNI_V_OVER_ALL(_mm512_min_ps, v);
}

static inline rni_v rni_v_highest(rni_v v)
{
    RNI_V_OVER_ALL(_mm512_max_ps, v);
}

static inline float rni_v_first(rni_v v)
{
    return _mm512_cvtss_f32(v);
}

static inline rni_vu rni_vu_set(uint32_t s)
{
    return _mm512_set1_epi32((int)s);
}

static inline rni_vu rni_vu_load(const uint32_t *p)
{
    return _mm512_loadu_si512(p);
}

static inline void rni_vu_store(uint32_t *p, rni_vu v)
{
    RNI_V_UNALIGNED(p);
    _mm512_storeu_si512(p, v);
}

static inline void rni_vu_store_first(uint32_t *p, uint32_t n, rni_vu v)
{
    _mm512_mask_storeu_epi32(p, n < 16 ? rni_vb_first(n) : rni_vb_all, v);
}

static inline rni_vu rni_vu_add(rni_vu a, rni_vu b)
{
    return _mm512_add_epi32(a, b);
}

static inline rni_vu rni_vu_mul(rni_vu a, rni_vu b)
{
    return _mm512_mullo_epi32(a, b);
}

static inline rni_vu rni_vu_min(rni_vu a, rni_vu b)
{
    return _mm512_min_epu32(a, b);
}

static inline rni_vu rni_vu_max(rni_vu a, rni_vu b)
{
    return _mm512_max_epu32(a, b);
}

static inline rni_vu rni_vu_of_floats(rni_v v)
{
    return _mm512_cvttps_epi32(v);
}

static inline rni_vu rni_vu_bits_of(rni_v v)
{
    return _mm512_castps_si512(v);
}

static inline rni_vu rni_vu_min_signed(rni_vu a, rni_vu b)
{
    return _mm512_min_epi32(a, b);
}

static inline bool rni_vu_any_less_signed(rni_vu a, rni_vu b)
{
    return _mm512_cmplt_epi32_mask(a, b) != 0;
}

/* Gathers the signs of four vectors in one vector of bytes, four of one vector and then four of the
 * next. A mask from each vector would occupy the multiplication units. */
static inline void rni_v_store_signs(uint16_t *to, rni_v a, rni_v b, rni_v c, rni_v d)
{
    const rni_vu ab = _mm512_packs_epi32(rni_vu_bits_of(a), rni_vu_bits_of(b));
    const rni_vu cd = _mm512_packs_epi32(rni_vu_bits_of(c), rni_vu_bits_of(d));
    const uint64_t signs = _cvtmask64_u64(_mm512_movepi8_mask(_mm512_packs_epi16(ab, cd)));
    const uint64_t first = 0x000f000f000f000f;
    volatile uint16_t *each = to; /* compilers would merge the stores, which costs more */
    each[0] = (uint16_t)_pext_u64(signs, first);
    each[1] = (uint16_t)_pext_u64(signs, first << 4);
    each[2] = (uint16_t)_pext_u64(signs, first << 8);
    each[3] = (uint16_t)_pext_u64(signs, first << 12);
}

static inline rni_vb rni_vb_of_bits(uint32_t bits)
{
    return (rni_vb)bits;
}

static inline uint32_t rni_vb_count(rni_vb lanes)
{
    return (uint32_t)__builtin_popcountll((uint64_t)_cvtmask16_u32(lanes));
}

static inline rni_vb rni_vb_within(rni_vb among, rni_v a, rni_v b)
{
    return _mm512_mask_cmp_ps_mask(among, a, b, _CMP_LE_OQ);
}

static inline rni_vb rni_vb_less(rni_vb among, rni_v a, rni_v b)
{
    return _mm512_mask_cmp_ps_mask(among, a, b, _CMP_LT_OQ);
}

static inline rni_vb rni_vb_where(rni_vb among, rni_vm m)
{
    return _kand_mask16(among, m);
}

static inline rni_vb rni_vb_differ(rni_vb among, rni_vu a, rni_vu b)
{
    return _mm512_mask_cmpneq_epu32_mask(among, a, b);
}

static inline rni_vb rni_vb_above(rni_vb among, rni_vu a, rni_vu b)
{
    return _mm512_mask_cmpgt_epu32_mask(among, a, b);
}

/* Packs the lanes of the set, followed by zeros.
 *
 * With zeros in the remaining lanes, the processor's own instruction has a false dependency on some
 * processors (AMD's fourth generation, for one): it waits for the previous content of its output
 * register, five cycles instead of one and a half, wherever a compiler packs into the same register
 * repeatedly. Packing into a freshly zeroed register avoids the wait; the compiler must not know
 * that the register is zero. */
static inline rni_vu rni_vu_packed(rni_vb lanes, rni_vu v)
{
    __m512i zero = _mm512_setzero_si512();
    __asm__("" : "+v"(zero));
    return _mm512_mask_compress_epi32(zero, lanes, v);
}

/* One packing order serves several arrays: a permutation is half the work of packing. */
static inline rni_vo rni_vo_of(rni_vb lanes)
{
    return rni_vu_packed(lanes, rni_vu_lanes());
}

static inline void rni_v_put(float *to, rni_vo order, rni_v v)
{
    rni_v_store(to, _mm512_permutexvar_ps(order, v));
}

static inline void rni_vu_put(uint32_t *to, rni_vo order, rni_vu v)
{
    rni_vu_store(to, _mm512_permutexvar_epi32(order, v));
}

static inline void rni_vu_put_lanes(uint32_t *to, rni_vo order, uint32_t first, const uint32_t shift)
{
    const rni_vu lanes = shift ? _mm512_slli_epi32(order, shift) : order;
    rni_vu_store(to, _mm512_add_epi32(lanes, rni_vu_set(first)));
}

/* Packs in a register that is then stored whole: a packing store to memory is slow on some
 * processors. */
static inline void rni_v_pack(float *to, rni_vb lanes, rni_v v)
{
    rni_v_store(to, _mm512_castsi512_ps(rni_vu_packed(lanes, _mm512_castps_si512(v))));
}

static inline void rni_vu_pack(uint32_t *to, rni_vb lanes, rni_vu v)
{
    rni_vu_store(to, rni_vu_packed(lanes, v));
}

static inline void rni_vu_store_interleaved(uint32_t *to, rni_vu a, rni_vu b, uint32_t count)
{
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high =
        _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    _mm512_storeu_si512(to, _mm512_permutex2var_epi32(a, low, b));
    if (count > 8) _mm512_storeu_si512(to + 16, _mm512_permutex2var_epi32(a, high, b));
}

/* Four records of at most four numbers, of which `ours` are loaded. Memory after a record is not
 * touched. */
static inline __m512 rni_v_load_four(const unsigned char *const at[4], __mmask8 ours)
{
    __m512 four = _mm512_castps128_ps512(_mm_maskz_loadu_ps(ours, at[0]));
    four = _mm512_insertf32x4(four, _mm_maskz_loadu_ps(ours, at[1]), 1);
    four = _mm512_insertf32x4(four, _mm_maskz_loadu_ps(ours, at[2]), 2);
    return _mm512_insertf32x4(four, _mm_maskz_loadu_ps(ours, at[3]), 3);
}

/* From 48 numbers, those with a stride of 3, starting at number `first`. */
static inline rni_v rni_v_every_third(rni_v a, rni_v b, rni_v c, int first)
{
    const rni_vu three = _mm512_mullo_epi32(rni_vu_lanes(), _mm512_set1_epi32(3));
    const rni_vu third = _mm512_add_epi32(three, _mm512_set1_epi32(first));
    const rni_v in_two = _mm512_permutex2var_ps(a, third, b); /* the index counts modulo 32 */
    const __mmask16 is_in_c = _mm512_cmpgt_epi32_mask(third, _mm512_set1_epi32(31));
    return _mm512_mask_permutexvar_ps(in_two, is_in_c, third, c);
}

/* Loads record by record and transposes four records at once: half the time of a gather per lane.
 * Contiguous records of three numbers, the usual case, load as three whole vectors. */
#define RNI_V_LOADS_POINTS

static inline void rni_v_load_points(const unsigned char *position, size_t stride_bytes,
                                     const uint32_t *id, const uint32_t dim, rni_v out[3])
{
    if (!id && dim == 3 && stride_bytes == 3 * sizeof(float)) {
        const rni_v a = _mm512_loadu_ps(position), b = _mm512_loadu_ps(position + sizeof(rni_v));
        const rni_v c = _mm512_loadu_ps(position + 2 * sizeof(rni_v));
        for (int axis = 0; axis < 3; axis++) out[axis] = rni_v_every_third(a, b, c, axis);
        return;
    }
    const __mmask8 ours = dim == 3 ? 7 : 3;
    rni_v p[4]; /* p[k] has points k, k + 4, k + 8 and k + 12 */
    for (uint32_t k = 0; k < 4; k++) {
        const unsigned char *at[4];
        for (uint32_t j = 0; j < 4; j++)
            at[j] = position + (size_t)(id ? id[k + 4 * j] : k + 4 * j) * stride_bytes;
        p[k] = rni_v_load_four(at, ours);
    }
    const rni_v xy01 = _mm512_unpacklo_ps(p[0], p[1]), xy23 = _mm512_unpacklo_ps(p[2], p[3]);
    const rni_v z01 = _mm512_unpackhi_ps(p[0], p[1]), z23 = _mm512_unpackhi_ps(p[2], p[3]);
    out[0] = _mm512_shuffle_ps(xy01, xy23, 0x44);
    out[1] = _mm512_shuffle_ps(xy01, xy23, 0xee);
    out[2] = _mm512_shuffle_ps(z01, z23, 0x44);
}
