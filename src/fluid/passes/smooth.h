/* Smoothed normals: the sum over j and i itself of m_j / rho_j W n_j. Gathers normals, stores records. */
enum { smooth_has_kernels = true, smooth_has_slope = false };
#define smooth_option rni_no_option
#define smooth_pack   NULL

RNI_INLINE rni_gathers smooth_gathers(const rni_variant v)
{
    (void)v;
    return (rni_gathers){.body = RNI_GATHER_PLACE, .width = {4}};
}

typedef struct smooth_sums {
    rni_v x, y, z;
} smooth_sums;

RNI_INLINE void smooth_law(const rni_pair *p, const rni_variant v, smooth_sums *sums)
{
    const rni_v3 d = p->d;
    const rni_v r_sq = d.x * d.x + d.y * d.y + d.z * d.z;
    const rni_v weight = rni_law_density(p->c, v.kernels, r_sq) * rni_of_j(p, 3);
    sums->x = sums->x + weight * rni_of_j(p, 8);
    sums->y = sums->y + weight * rni_of_j(p, 9);
    sums->z = sums->z + weight * rni_of_j(p, 10);
}

RNI_INLINE void smooth_store(const rni_pair *p, const rni_variant v, const smooth_sums *sums)
{
    (void)v;
    rni_put(p, 0, p->c->density * rni_q_sums(sums->x, sums->y, sums->z, rni_v_set(0.0f)));
}
