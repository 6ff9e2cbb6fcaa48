/* Lanes (lanes.h), four lanes: the vector extension of gcc and clang, bit-identical on every
 * machine. Included by lanes.h only. */

typedef float rni_v __attribute__((vector_size(16)));
typedef int32_t rni_vm __attribute__((vector_size(16)));

static inline rni_v rni_v_set(float s)
{
    return (rni_v){s, s, s, s};
}

static inline rni_v rni_v_load(const float *p)
{
    rni_v v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void rni_v_store(float *p, rni_v v)
{
    memcpy(p, &v, sizeof v);
}

static inline void rni_v_store_some(float *p, rni_v v, uint32_t count)
{
    if (count >= 4) rni_v_store(p, v);
}

static inline rni_v rni_v_load_quad(const float *p)
{
    return rni_v_load(p);
}

static inline rni_vm rni_v_less(rni_v a, rni_v b)
{
    return a < b;
}

static inline rni_vm rni_v_within(rni_v a, rni_v b)
{
    return a <= b;
}

static inline rni_v rni_v_where(rni_vm m, rni_v a)
{
    return (rni_v)(m & (rni_vm)a);
}

static inline rni_v rni_v_select(rni_vm m, rni_v a, rni_v b)
{
    return (rni_v)((m & (rni_vm)a) | (~m & (rni_vm)b));
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

#define rni_v_spread(v, k) rni_v_set((v)[k])

#ifdef __SSE2__
#define rni_v_hold(v) __asm__("" : "+x"(v))

static inline rni_v rni_v_max(rni_v a, rni_v b)
{
    return _mm_max_ps(a, b);
}

static inline rni_v rni_v_rsqrt(rni_v a)
{
    return 1.0f / _mm_sqrt_ps(a);
}

static inline uint32_t rni_v_bits(rni_vm m)
{
    return (uint32_t)_mm_movemask_ps((__m128)m);
}

#define RNI_V_LOW(a, b)  _mm_unpacklo_ps(a, b)
#define RNI_V_HIGH(a, b) _mm_unpackhi_ps(a, b)
#else
#define rni_v_hold(v) ((void)(v))

static inline rni_v rni_v_max(rni_v a, rni_v b)
{
    return rni_v_select(a > b, a, b);
}

static inline rni_v rni_v_rsqrt(rni_v a)
{
    return 1.0f / (rni_v){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])};
}

static inline uint32_t rni_v_bits(rni_vm m)
{
    return (uint32_t)((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
}

#define RNI_V_LOW(a, b)  ((rni_v){(a)[0], (b)[0], (a)[1], (b)[1]})
#define RNI_V_HIGH(a, b) ((rni_v){(a)[2], (b)[2], (a)[3], (b)[3]})
#endif

static inline rni_v rni_v_rcp(rni_v a)
{
    return 1.0f / a;
}

static inline void rni_v_transpose(const float *a, const float *b, const float *c, const float *d,
                                   float *to)
{
    rni_v va = rni_v_load(a), vb = rni_v_load(b), vc = rni_v_load(c), vd = rni_v_load(d);
    rni_v ac_low = RNI_V_LOW(va, vc), ac_high = RNI_V_HIGH(va, vc);
    rni_v bd_low = RNI_V_LOW(vb, vd), bd_high = RNI_V_HIGH(vb, vd);
    rni_v_store(to, RNI_V_LOW(ac_low, bd_low));
    rni_v_store(to + 4, RNI_V_HIGH(ac_low, bd_low));
    rni_v_store(to + 8, RNI_V_LOW(ac_high, bd_high));
    rni_v_store(to + 12, RNI_V_HIGH(ac_high, bd_high));
}

static inline void rni_v_transpose8(const float *a, const float *b, const float *c, const float *d,
                                    float *to)
{
    for (int half = 0; half < 2; half++) {
        float out[16];
        rni_v_transpose(a + 4 * half, b + 4 * half, c + 4 * half, d + 4 * half, out);
        for (int k = 0; k < 4; k++) rni_v_store(to + 8 * k + 4 * half, rni_v_load(out + 4 * k));
    }
}

#define rni_v_spread8(p, k) rni_v_set((p)[k])

static inline rni_v rni_v_halves8(const float *p)
{
    return rni_v_load(p + 4);
}

/* --- unsigned integers, and sets of lanes */

typedef uint32_t rni_vu __attribute__((vector_size(16)));
typedef uint32_t rni_vb;
typedef uint32_t rni_vo; /* the set itself: there is no permute, lanes are stored one by one */

#define rni_vb_all ((rni_vb)0xf)

static inline rni_v rni_v_min(rni_v a, rni_v b)
{
#ifdef __SSE2__
    return _mm_min_ps(a, b);
#else
    return rni_v_select(a < b, a, b);
#endif
}

static inline rni_vu rni_vu_load(const uint32_t *p)
{
    rni_vu v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline rni_vb rni_vb_first(uint32_t n)
{
    return (1u << n) - 1u;
}

static inline rni_vb rni_vb_of_bits(uint32_t bits)
{
    return bits & 0xfu;
}

static inline uint32_t rni_vb_count(rni_vb lanes)
{
    return (lanes & 1u) + (lanes >> 1 & 1u) + (lanes >> 2 & 1u) + (lanes >> 3);
}

static inline rni_vb rni_vb_within(rni_vb among, rni_v a, rni_v b)
{
    return among & rni_v_bits(a <= b);
}

static inline rni_vo rni_vo_of(rni_vb lanes)
{
    return lanes;
}

/* Each lane is written after the earlier lanes of the set; lanes outside the set are
 * overwritten. */
static inline void rni_v_put(float *to, rni_vo order, rni_v v)
{
    for (uint32_t lane = 0, at = 0; lane < 4; lane++) {
        to[at] = v[lane];
        at += order >> lane & 1u;
    }
}

static inline void rni_vu_put(uint32_t *to, rni_vo order, rni_vu v)
{
    for (uint32_t lane = 0, at = 0; lane < 4; lane++) {
        to[at] = v[lane];
        at += order >> lane & 1u;
    }
}

static inline void rni_vu_put_lanes(uint32_t *to, rni_vo order, uint32_t first, uint32_t shift)
{
    for (uint32_t lane = 0, at = 0; lane < 4; lane++) {
        to[at] = first + (lane << shift);
        at += order >> lane & 1u;
    }
}

static inline void rni_vu_pack(uint32_t *to, rni_vb lanes, rni_vu v)
{
    rni_vu_put(to, lanes, v);
}

/* Four sums in double precision: two pairs, which stay in registers without AVX, too. */
typedef double rni_pair_of_sums __attribute__((vector_size(16)));

typedef struct rni_sums {
    rni_pair_of_sums low, high;
} rni_sums;

static inline void rni_sums_add(rni_sums *sums, rni_v v)
{
    sums->low += (rni_pair_of_sums){(double)v[0], (double)v[1]};
    sums->high += (rni_pair_of_sums){(double)v[2], (double)v[3]};
}

static inline double rni_sums_total(const rni_sums *sums)
{
    const rni_pair_of_sums both = sums->low + sums->high;
    return both[0] + both[1];
}
