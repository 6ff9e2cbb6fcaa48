/* Density, Wichert et al. 2021, eq. 1 and 5: the sum over the neighbours and i itself, times laws.density,
 * without walls; and the count of neighbours. Stores to fluid->density and fluid->neighbor_count.
 *
 * The fused traversal runs this law while it finds neighbours (fused_find.h), and as a pass where lists are
 * used again. */
enum { density_has_kernels = true, density_has_slope = false };
#define density_option rni_no_option
#define density_pack   NULL

RNI_INLINE rni_gathers density_gathers(const rni_variant v)
{
    (void)v;
    return (rni_gathers){.body = RNI_GATHER_POSITION};
}

typedef struct density_sums {
    rni_v density, neighbors;
} density_sums;

/* What was found out about a pair on the way. */
typedef struct density_near {
    rni_vm is_near;              /* within the radius */
    rni_v support_sq_minus_r_sq; /* m^2 */
} density_near;

RNI_INLINE density_near density_add(const rni_coefficients *c, const rn_fluid_kernels kernels,
                                    const rni_v3 d, density_sums *sums)
{
    const rni_v r_sq = d.x * d.x + d.y * d.y + d.z * d.z;
    density_near near = {rni_v_within(r_sq, rni_v_set(c->h_sq)), c->h_sq - r_sq};
    if (kernels == RN_KERNELS_PAPERS) {
        near.support_sq_minus_r_sq = rni_law_support(c, d);
        near.is_near = rni_v_within(rni_v_set(0.0f), near.support_sq_minus_r_sq);
        sums->density = rni_v_add_cube(near.is_near, sums->density, near.support_sq_minus_r_sq);
    } else sums->density = sums->density + rni_law_density(c, kernels, r_sq);
    sums->neighbors = rni_v_add_where(near.is_near, sums->neighbors, rni_v_set(1.0f));
    return near;
}

RNI_INLINE void density_law(const rni_pair *p, const rni_variant v, density_sums *sums)
{
    (void)density_add(p->c, v.kernels, p->d, sums);
}

/* sums: density and neighbours, for each particle a record of four numbers. */
RNI_INLINE void density_write(rn_fluid *fluid, uint32_t begin, uint32_t count, float (*sums)[4])
{
    for (uint32_t k = 0; k < count; k++) {
        fluid->density[begin + k] = fluid->laws.density * sums[k][0];
        fluid->neighbor_count[begin + k] = (uint32_t)sums[k][1] - 1; /* i itself was counted */
    }
}

RNI_INLINE void density_store(const rni_pair *p, const rni_variant v, const density_sums *sums)
{
    (void)v;
    const rni_v zero = rni_v_set(0.0f);
    float out[RNI_BATCH][4];
    rni_q_store(out[0], rni_q_sums(sums->density, sums->neighbors, zero, zero));
    density_write(p->job->fluid, p->i, p->count < RNI_BATCH ? p->count : RNI_BATCH, out);
}
