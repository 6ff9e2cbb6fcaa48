/* Lanes (lanes.h), one lane: plain C. Included by lanes.h only. */

typedef float rni_v;
typedef bool rni_vm;

static inline rni_v rni_v_set(float s)
{
    return s;
}

static inline rni_v rni_v_max(rni_v a, rni_v b)
{
    return a > b ? a : b;
}

static inline rni_vm rni_v_less(rni_v a, rni_v b)
{
    return a < b;
}

static inline rni_vm rni_v_within(rni_v a, rni_v b)
{
    return a <= b;
}

static inline rni_v rni_v_select(rni_vm m, rni_v a, rni_v b)
{
    return m ? a : b;
}

static inline rni_v rni_v_where(rni_vm m, rni_v a)
{
    return m ? a : 0.0f;
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

static inline rni_v rni_v_rsqrt(rni_v a)
{
    return 1.0f / sqrtf(a);
}

static inline rni_v rni_v_rcp(rni_v a)
{
    return 1.0f / a;
}

/* --- unsigned integers, and sets of lanes */

typedef uint32_t rni_vu;
typedef uint32_t rni_vb;
typedef uint32_t rni_vo;

#define rni_vb_all ((rni_vb)1)

static inline rni_v rni_v_load(const float *p)
{
    return *p;
}

static inline void rni_v_store(float *p, rni_v v)
{
    *p = v;
}

static inline rni_v rni_v_min(rni_v a, rni_v b)
{
    return a < b ? a : b;
}

static inline rni_v rni_v_madd(rni_v a, rni_v b, rni_v c)
{
    return a + b * c;
}

static inline rni_v rni_v_load_first(const float *p, uint32_t n, rni_v others)
{
    (void)n;
    (void)others;
    return *p;
}

static inline rni_v rni_v_first_or(rni_v v, uint32_t n, rni_v others)
{
    return n > 0 ? v : others;
}

static inline rni_v rni_v_sqrt(rni_v a)
{
    return sqrtf(a);
}

static inline rni_v rni_v_lowest(rni_v v)
{
    return v;
}

static inline rni_v rni_v_highest(rni_v v)
{
    return v;
}

static inline float rni_v_first(rni_v v)
{
    return v;
}

static inline rni_v rni_v_gather(const void *p, rni_vu offsets)
{
    return *(const float *)(const void *)((const unsigned char *)p + offsets);
}

#define rni_v_hold(v) ((void)(v))

static inline rni_vm rni_vm_and(rni_vm a, rni_vm b)
{
    return a && b;
}

static inline rni_vb rni_v_bits(rni_vm m)
{
    return m;
}

static inline rni_vu rni_vu_set(uint32_t s)
{
    return s;
}

static inline rni_vu rni_vu_load(const uint32_t *p)
{
    return *p;
}

static inline void rni_vu_store(uint32_t *p, rni_vu v)
{
    *p = v;
}

static inline void rni_vu_store_first(uint32_t *p, uint32_t n, rni_vu v)
{
    (void)n;
    *p = v;
}

static inline rni_vu rni_vu_add(rni_vu a, rni_vu b)
{
    return a + b;
}

static inline rni_vu rni_vu_mul(rni_vu a, rni_vu b)
{
    return a * b;
}

static inline rni_vu rni_vu_min(rni_vu a, rni_vu b)
{
    return a < b ? a : b;
}

static inline rni_vu rni_vu_max(rni_vu a, rni_vu b)
{
    return a > b ? a : b;
}

static inline rni_vu rni_vu_of_floats(rni_v v)
{
    return (rni_vu)(int32_t)v;
}

static inline rni_vu rni_vu_lanes(void)
{
    return 0;
}

static inline rni_vb rni_vb_first(uint32_t n)
{
    return n > 0;
}

static inline rni_vb rni_vb_of_bits(uint32_t bits)
{
    return bits & 1u;
}

static inline uint32_t rni_vb_count(rni_vb lanes)
{
    return lanes;
}

static inline rni_vb rni_vb_within(rni_vb among, rni_v a, rni_v b)
{
    return among & (rni_vb)(a <= b);
}

static inline rni_vb rni_vb_less(rni_vb among, rni_v a, rni_v b)
{
    return among & (rni_vb)(a < b);
}

static inline rni_vb rni_vb_differ(rni_vb among, rni_vu a, rni_vu b)
{
    return among & (rni_vb)(a != b);
}

static inline rni_vb rni_vb_above(rni_vb among, rni_vu a, rni_vu b)
{
    return among & (rni_vb)(a > b);
}

static inline rni_vo rni_vo_of(rni_vb lanes)
{
    return lanes;
}

static inline void rni_v_put(float *to, rni_vo order, rni_v v)
{
    (void)order;
    *to = v;
}

static inline void rni_vu_put(uint32_t *to, rni_vo order, rni_vu v)
{
    (void)order;
    *to = v;
}

static inline rni_vu rni_vu_packed(rni_vb lanes, rni_vu v)
{
    (void)lanes;
    return v;
}

static inline void rni_v_pack(float *to, rni_vb lanes, rni_v v)
{
    (void)lanes;
    *to = v;
}

static inline void rni_vu_pack(uint32_t *to, rni_vb lanes, rni_vu v)
{
    (void)lanes;
    *to = v;
}

static inline void rni_vu_store_interleaved(uint32_t *to, rni_vu a, rni_vu b, uint32_t count)
{
    (void)count;
    to[0] = a;
    to[1] = b;
}

static inline rni_vm rni_v_within_and(rni_vm m, rni_v a, rni_v b)
{
    return m && a <= b;
}

static inline rni_vb rni_vb_where(rni_vb among, rni_vm m)
{
    return among & (rni_vb)m;
}
