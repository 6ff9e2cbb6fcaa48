/* Cover of a particle (surface_tension.h): the sum of k(r) over the neighbours and i itself, times the constant
 * of the call: 1 inside, less at a free surface. Stores one number a particle.
 *
 * Of several fluids, number 8 is the number of a particle's fluid. Stores three records a particle: the covers by fluids
 * 0 to 3 and 4 to 7, each of its own sum, and the gradient of the other fluids, each times the tension of the interface
 * with it, N / m^2. */
enum { cover_has_kernels = false, cover_has_slope = false };
#define cover_option rni_of_phases
#define cover_pack   NULL

RNI_INLINE rni_gathers cover_gathers(const rni_variant v)
{
    return (rni_gathers){.body = RNI_GATHER_POSITION, .width = {v.option ? 1 : 0}};
}

typedef struct cover_sums {
    rni_v cover; /* of one fluid */
    rni_v of[RN_FLUID_MAX_PHASES];
    rni_v x, y, z;
} cover_sums;

/* 1 if one of the numbers of fluids is that of one of the two, and the other that of the other. */
RNI_INLINE rni_v cover_is_pair(const rni_tension_pair *pair, rni_v i, rni_v j)
{
    const rni_v a = rni_v_set(pair->a), b = rni_v_set(pair->b);
    return rni_law_is_same(i, a) * rni_law_is_same(j, b) +
           rni_law_is_same(i, b) * rni_law_is_same(j, a);
}

RNI_INLINE void cover_law(const rni_pair *p, const rni_variant v, cover_sums *sums)
{
    const rni_tension_constants *k = rni_constants(p);
    const rni_v t = rni_v_max(rni_law_support(p->c, p->d), rni_v_set(0.0f));
    const rni_v w = t * t * t * (k->wide + k->narrow * t);
    if (!v.option) {
        sums->cover = sums->cover + w;
        return;
    }
    const rni_v number = rni_of_j(p, 8);
    for (uint32_t b = 0; b < 4; b++)
        sums->of[b] = sums->of[b] + w * rni_law_is_same(number, rni_v_set((float)b));
    for (uint32_t b = 4; b < 8 && k->has_many; b++)
        sums->of[b] = sums->of[b] + w * rni_law_is_same(number, rni_v_set((float)b));
    rni_v tension = rni_v_set(0.0f);
    for (uint32_t n = 0; n < k->pair_count; n++)
        tension = tension + k->pair[n].tension * cover_is_pair(&k->pair[n], rni_of_i(p, 8), number);
    const rni_v slope = (t * t) * tension * (k->wide_slope + k->narrow_slope * t);
    sums->x = sums->x + slope * p->d.x;
    sums->y = sums->y + slope * p->d.y;
    sums->z = sums->z + slope * p->d.z;
}

RNI_INLINE void cover_store(const rni_pair *p, const rni_variant v, const cover_sums *s)
{
    const rni_tension_constants *k = rni_constants(p);
    const rni_v zero = rni_v_set(0.0f);
    if (!v.option) {
        rni_put_one(p, 0, k->cover * rni_q_sums(s->cover, zero, zero, zero));
        return;
    }
    rni_put(p, 0, k->cover * rni_q_sums(s->of[0], s->of[1], s->of[2], s->of[3]));
    if (k->has_many) rni_put(p, 1, k->cover * rni_q_sums(s->of[4], s->of[5], s->of[6], s->of[7]));
    rni_put(p, 2, k->gradient * rni_q_sums(s->x, s->y, s->z, zero));
}
