/* Lanes (lanes.h), eight lanes: AVX2. Included by lanes.h only. */

typedef __m256 rni_v;
typedef __m256 rni_vm;

static inline rni_v rni_v_set(float s)
{
    return _mm256_set1_ps(s);
}

static inline rni_v rni_v_load(const float *p)
{
    return _mm256_loadu_ps(p);
}

static inline void rni_v_store(float *p, rni_v v)
{
    RNI_V_UNALIGNED(p);
    _mm256_storeu_ps(p, v);
}

static inline void rni_v_store_some(float *p, rni_v v, uint32_t count)
{
    if (count >= 4) _mm_storeu_ps(p, _mm256_castps256_ps128(v));
}

static inline rni_v rni_v_load_quad(const float *p)
{
    return _mm256_broadcast_ps((const __m128 *)(const void *)p);
}

static inline rni_v rni_v_max(rni_v a, rni_v b)
{
    return _mm256_max_ps(a, b);
}

static inline rni_vm rni_v_less(rni_v a, rni_v b)
{
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}

static inline rni_vm rni_v_within(rni_v a, rni_v b)
{
    return _mm256_cmp_ps(a, b, _CMP_LE_OQ);
}

static inline rni_v rni_v_select(rni_vm m, rni_v a, rni_v b)
{
    return _mm256_blendv_ps(b, a, m);
}

static inline rni_v rni_v_where(rni_vm m, rni_v a)
{
    return _mm256_and_ps(m, a);
}

static inline rni_v rni_v_add_where(rni_vm m, rni_v a, rni_v b)
{
    return a + rni_v_where(m, b);
}

static inline rni_v rni_v_add_product(rni_vm m, rni_v a, rni_v b, rni_v c)
{
    return a + rni_v_where(m, b) * c;
}

static inline rni_v rni_v_add_cube(rni_vm m, rni_v a, rni_v t)
{
    t = rni_v_where(m, t);
    return a + t * t * t;
}

#define RNI_V_GUESS_RSQRT _mm256_rsqrt_ps

static inline rni_v rni_v_rsqrt(rni_v a)
{
    rni_v y = RNI_V_GUESS_RSQRT(a); /* 12 bits; one Newton step */
    return y + y * (0.5f - (0.5f * y) * (a * y));
}

static inline rni_v rni_v_rcp(rni_v a)
{
    rni_v y = _mm256_rcp_ps(a);
    return y + y * (1.0f - a * y);
}

static inline uint32_t rni_v_bits(rni_vm m)
{
    return (uint32_t)_mm256_movemask_ps(m);
}

#define rni_v_spread(v, k) _mm256_permute_ps(v, (k)*0x55)
#define RNI_V_LOW(a, b)    _mm256_unpacklo_ps(a, b)
#define RNI_V_HIGH(a, b)   _mm256_unpackhi_ps(a, b)

static inline void rni_v_transpose(const float *a, const float *b, const float *c, const float *d,
                                   float *to)
{
    __m256 ac = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(a)), _mm_loadu_ps(c), 1);
    __m256 bd = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(b)), _mm_loadu_ps(d), 1);
    __m256d low = _mm256_castps_pd(_mm256_unpacklo_ps(ac, bd)); /* a0 b0 a1 b1, c0 d0 c1 d1 */
    __m256d high = _mm256_castps_pd(_mm256_unpackhi_ps(ac, bd));
    _mm256_storeu_ps(to, _mm256_castpd_ps(_mm256_permute4x64_pd(low, 0xd8)));
    _mm256_storeu_ps(to + 8, _mm256_castpd_ps(_mm256_permute4x64_pd(high, 0xd8)));
}

static inline void rni_v_transpose8(const float *a, const float *b, const float *c, const float *d,
                                    float *to)
{
    __m256 va = _mm256_loadu_ps(a), vb = _mm256_loadu_ps(b), vc = _mm256_loadu_ps(c);
    __m256 vd = _mm256_loadu_ps(d);
    __m256 ac_low = _mm256_unpacklo_ps(va, vc), ac_high = _mm256_unpackhi_ps(va, vc);
    __m256 bd_low = _mm256_unpacklo_ps(vb, vd), bd_high = _mm256_unpackhi_ps(vb, vd);
    _mm256_storeu_ps(to, _mm256_unpacklo_ps(ac_low, bd_low));
    _mm256_storeu_ps(to + 8, _mm256_unpackhi_ps(ac_low, bd_low));
    _mm256_storeu_ps(to + 16, _mm256_unpacklo_ps(ac_high, bd_high));
    _mm256_storeu_ps(to + 24, _mm256_unpackhi_ps(ac_high, bd_high));
}

#define rni_v_spread8(p, k) \
    _mm256_insertf128_ps(_mm256_set1_ps((p)[k]), _mm_set1_ps((p)[8 + (k)]), 1)

static inline rni_v rni_v_halves8(const float *p)
{
    return _mm256_permute2f128_ps(_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8), 0x31);
}

/* --- unsigned integers, and sets of lanes */

typedef __m256i rni_vu;
typedef uint32_t rni_vb;
typedef __m256i rni_vo;

#define rni_vb_all    ((rni_vb)0xff)
#define rni_v_hold(v) __asm__("" : "+x"(v))

static inline rni_v rni_v_min(rni_v a, rni_v b)
{
    return _mm256_min_ps(a, b);
}

static inline rni_v rni_v_madd(rni_v a, rni_v b, rni_v c)
{
    return _mm256_fmadd_ps(b, c, a);
}

static inline rni_v rni_v_msub(rni_v a, rni_v b, rni_v c)
{
    return _mm256_fnmadd_ps(b, c, a);
}

static inline rni_vm rni_vm_and(rni_vm a, rni_vm b)
{
    return _mm256_and_ps(a, b);
}

static inline rni_vm rni_v_within_and(rni_vm m, rni_v a, rni_v b)
{
    return rni_vm_and(m, rni_v_within(a, b));
}

#define rni_vu_lanes() _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)

/* All bits set in the lanes below n; n may exceed the number of lanes. */
static inline __m256i rni_vu_is_below(uint32_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n < 8 ? (int)n : 8), rni_vu_lanes());
}

static inline rni_v rni_v_first_or(rni_v v, uint32_t n, rni_v others)
{
    return _mm256_blendv_ps(others, v, _mm256_castsi256_ps(rni_vu_is_below(n)));
}

static inline rni_v rni_v_sqrt(rni_v a)
{
    return _mm256_sqrt_ps(a);
}

static inline rni_v rni_v_load_first(const float *p, uint32_t n, rni_v others)
{
    return rni_v_first_or(_mm256_loadu_ps(p), n, others);
}

/* Combines v with itself, rotated by 4, 2 and 1 lanes: all lanes hold the result. */
#define RNI_V_OVER_ALL(op, v)                   \
    v = op(v, _mm256_permute2f128_ps(v, v, 1)); \
    v = op(v, _mm256_permute_ps(v, 0x4e));      \
    return op(v, _mm256_permute_ps(v, 0xb1))

static inline rni_v rni_v_lowest(rni_v v)
{
    RNI_V_OVER_ALL(_mm256_min_ps, v);
}

static inline rni_v rni_v_highest(rni_v v)
{
    RNI_V_OVER_ALL(_mm256_max_ps, v);
}

static inline float rni_v_first(rni_v v)
{
    return _mm256_cvtss_f32(v);
}

static inline rni_v rni_v_gather(const void *p, rni_vu offsets)
{
    return _mm256_i32gather_ps(p, offsets, 1);
}

static inline void rni_v_store_signs(uint16_t *to, rni_v a, rni_v b, rni_v c, rni_v d)
{
    volatile uint16_t *each = to; /* compilers would merge the stores, which costs more */
    each[0] = (uint16_t)_mm256_movemask_ps(a);
    each[1] = (uint16_t)_mm256_movemask_ps(b);
    each[2] = (uint16_t)_mm256_movemask_ps(c);
    each[3] = (uint16_t)_mm256_movemask_ps(d);
}

static inline rni_vu rni_vu_set(uint32_t s)
{
    return _mm256_set1_epi32((int)s);
}

static inline rni_vu rni_vu_load(const uint32_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

static inline void rni_vu_store(uint32_t *p, rni_vu v)
{
    RNI_V_UNALIGNED(p);
    _mm256_storeu_si256((__m256i *)(void *)p, v);
}

static inline void rni_vu_store_first(uint32_t *p, uint32_t n, rni_vu v)
{
    _mm256_maskstore_epi32((int *)(void *)p, rni_vu_is_below(n), v);
}

static inline rni_vu rni_vu_add(rni_vu a, rni_vu b)
{
    return _mm256_add_epi32(a, b);
}

static inline rni_vu rni_vu_mul(rni_vu a, rni_vu b)
{
    return _mm256_mullo_epi32(a, b);
}

static inline rni_vu rni_vu_min(rni_vu a, rni_vu b)
{
    return _mm256_min_epu32(a, b);
}

static inline rni_vu rni_vu_max(rni_vu a, rni_vu b)
{
    return _mm256_max_epu32(a, b);
}

static inline rni_vu rni_vu_of_floats(rni_v v)
{
    return _mm256_cvttps_epi32(v);
}

static inline rni_vu rni_vu_bits_of(rni_v v)
{
    return _mm256_castps_si256(v);
}

static inline rni_vu rni_vu_min_signed(rni_vu a, rni_vu b)
{
    return _mm256_min_epi32(a, b);
}

static inline rni_vb rni_vb_of_signs(__m256i v)
{
    return (rni_vb)_mm256_movemask_ps(_mm256_castsi256_ps(v));
}

static inline bool rni_vu_any_less_signed(rni_vu a, rni_vu b)
{
    return rni_vb_of_signs(_mm256_cmpgt_epi32(b, a)) != 0;
}

static inline rni_vb rni_vb_first(uint32_t n)
{
    return _bzhi_u32(0xffu, n);
}

static inline rni_vb rni_vb_of_bits(uint32_t bits)
{
    return bits & 0xffu;
}

static inline uint32_t rni_vb_count(rni_vb lanes)
{
    return (uint32_t)__builtin_popcount(lanes);
}

static inline rni_vb rni_vb_within(rni_vb among, rni_v a, rni_v b)
{
    return among & rni_v_bits(rni_v_within(a, b));
}

static inline rni_vb rni_vb_less(rni_vb among, rni_v a, rni_v b)
{
    return among & rni_v_bits(rni_v_less(a, b));
}

static inline rni_vb rni_vb_where(rni_vb among, rni_vm m)
{
    return among & rni_v_bits(m);
}

static inline rni_vb rni_vb_differ(rni_vb among, rni_vu a, rni_vu b)
{
    return among & ~rni_vb_of_signs(_mm256_cmpeq_epi32(a, b));
}

static inline rni_vb rni_vb_above(rni_vb among, rni_vu a, rni_vu b)
{
    const rni_vu sign = _mm256_set1_epi32(INT32_MIN); /* AVX2 compares signed integers only */
    return among &
           rni_vb_of_signs(_mm256_cmpgt_epi32(_mm256_xor_si256(a, sign), _mm256_xor_si256(b, sign)));
}

/* For each set its lanes, one byte each: entry m lists the set bits of m in ascending order. */
#define RNI_V_LANE(m, k) \
    ((((m) >> (k)) & 1u) ? (uint64_t)(k) << (8 * __builtin_popcount((m) & ((1u << (k)) - 1u))) : 0u)
#define RNI_V_ROW(m)                                                             \
    (RNI_V_LANE(m, 0) | RNI_V_LANE(m, 1) | RNI_V_LANE(m, 2) | RNI_V_LANE(m, 3) | \
     RNI_V_LANE(m, 4) | RNI_V_LANE(m, 5) | RNI_V_LANE(m, 6) | RNI_V_LANE(m, 7))
#define RNI_V_ROW4(m) RNI_V_ROW(m), RNI_V_ROW((m) + 1u), RNI_V_ROW((m) + 2u), RNI_V_ROW((m) + 3u)
#define RNI_V_ROW16(m) \
    RNI_V_ROW4(m), RNI_V_ROW4((m) + 4u), RNI_V_ROW4((m) + 8u), RNI_V_ROW4((m) + 12u)
#define RNI_V_ROW64(m) \
    RNI_V_ROW16(m), RNI_V_ROW16((m) + 16u), RNI_V_ROW16((m) + 32u), RNI_V_ROW16((m) + 48u)
static const uint64_t rni_lanes_of_set[256] = {RNI_V_ROW64(0u), RNI_V_ROW64(64u), RNI_V_ROW64(128u),
                                               RNI_V_ROW64(192u)};

static inline rni_vo rni_vo_of(rni_vb lanes)
{
    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)rni_lanes_of_set[lanes]));
}

static inline void rni_v_put(float *to, rni_vo order, rni_v v)
{
    rni_v_store(to, _mm256_permutevar8x32_ps(v, order));
}

static inline void rni_vu_put(uint32_t *to, rni_vo order, rni_vu v)
{
    rni_vu_store(to, _mm256_permutevar8x32_epi32(v, order));
}

static inline void rni_vu_put_lanes(uint32_t *to, rni_vo order, uint32_t first, const uint32_t shift)
{
    const rni_vu lanes = shift ? _mm256_slli_epi32(order, (int)shift) : order;
    rni_vu_store(to, _mm256_add_epi32(lanes, rni_vu_set(first)));
}

static inline rni_vu rni_vu_packed(rni_vb lanes, rni_vu v)
{
    return _mm256_permutevar8x32_epi32(v, rni_vo_of(lanes));
}

static inline void rni_v_pack(float *to, rni_vb lanes, rni_v v)
{
    rni_v_put(to, rni_vo_of(lanes), v);
}

static inline void rni_vu_pack(uint32_t *to, rni_vb lanes, rni_vu v)
{
    rni_vu_put(to, rni_vo_of(lanes), v);
}

static inline void rni_vu_store_interleaved(uint32_t *to, rni_vu a, rni_vu b, uint32_t count)
{
    const __m256i low = _mm256_unpacklo_epi32(a, b), high = _mm256_unpackhi_epi32(a, b);
    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_permute2x128_si256(low, high, 0x20));
    if (count > 4)
        _mm256_storeu_si256((__m256i *)(void *)(to + 8), _mm256_permute2x128_si256(low, high, 0x31));
}
