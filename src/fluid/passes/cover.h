/* Cover of a particle (surface_tension.h): the sum of k(r) over the neighbours and i itself, times the constant
 * of the call: 1 inside, less at a free surface. Stores one number a particle. */
enum { cover_has_kernels = false };
#define cover_option rni_no_option
#define cover_pack   NULL

RNI_INLINE rni_gathers cover_gathers(const rni_variant v)
{
    (void)v;
    return (rni_gathers){.body = RNI_GATHER_POSITION};
}

typedef struct cover_sums {
    rni_v cover;
} cover_sums;

RNI_INLINE void cover_law(const rni_pair *p, const rni_variant v, cover_sums *sums)
{
    (void)v;
    const rni_tension_constants *k = rni_constants(p);
    const rni_v t = rni_v_max(rni_law_support(p->c, p->d), rni_v_set(0.0f));
    sums->cover = sums->cover + t * t * t * (k->wide + k->narrow * t);
}

RNI_INLINE void cover_store(const rni_pair *p, const rni_variant v, const cover_sums *sums)
{
    (void)v;
    const rni_tension_constants *k = rni_constants(p);
    const rni_v zero = rni_v_set(0.0f);
    rni_put_one(p, 0, k->cover * rni_q_sums(sums->cover, zero, zero, zero));
}
