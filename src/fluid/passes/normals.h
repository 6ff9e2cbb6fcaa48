/* Normals of the free surface. Akinci et al. 2013 (Wichert et al. 2021, eq. 15): h grad c. Colour field: grad c,
 * and its Laplacian in the fourth number. Both point out of the fluid. Stores records. */
enum { normals_has_kernels = false, normals_has_slope = false }; /* always poly6 */
#define normals_pack NULL

/* Whether the tension is that of the colour field. */
static inline bool normals_option(const rn_fluid *fluid)
{
    return fluid->def.params.tension == RN_TENSION_COLOR_FIELD;
}

RNI_INLINE rni_gathers normals_gathers(const rni_variant v)
{
    (void)v;
    return (rni_gathers){.body = RNI_GATHER_PLACE};
}

typedef struct normals_sums {
    rni_v x, y, z, laplacian;
} normals_sums;

/* The gradient of poly6 over d, without its constant -c->normal. */
RNI_INLINE rni_v normals_weight(rni_v support_sq_minus_r_sq, rni_v inverse_density_j)
{
    rni_v t = rni_v_max(support_sq_minus_r_sq, rni_v_set(0.0f));
    return t * t * inverse_density_j;
}

/* The Laplacian of poly6 without its constant -c->color. (Müller et al. 2003 leave it open.) */
RNI_INLINE rni_v normals_laplacian(const rni_pair *p, rni_v r_sq, rni_v inverse_density_j)
{
    const rni_coefficients *c = p->c;
    rni_v t = rni_v_where(rni_v_within(r_sq, rni_v_set(c->h_sq)), c->h_sq - r_sq);
    return t * (c->color_h_sq - c->color_r_sq * r_sq) * inverse_density_j;
}

RNI_INLINE void normals_law(const rni_pair *p, const rni_variant v, normals_sums *sums)
{
    const rni_v3 d = p->d;
    const rni_v inverse_density = rni_of_j(p, 3);
    rni_v weight;
    if (v.option) {
        const rni_v r_sq = d.x * d.x + d.y * d.y + d.z * d.z;
        weight = normals_weight(p->c->h_sq - r_sq, inverse_density);
        sums->laplacian = sums->laplacian + normals_laplacian(p, r_sq, inverse_density);
    } else weight = normals_weight(rni_law_support(p->c, d), inverse_density);
    sums->x = sums->x + weight * d.x;
    sums->y = sums->y + weight * d.y;
    sums->z = sums->z + weight * d.z;
}

RNI_INLINE void normals_store(const rni_pair *p, const rni_variant v, const normals_sums *sums)
{
    const rni_coefficients *c = p->c;
    const rni_q sum = rni_q_sums(sums->x, sums->y, sums->z, sums->laplacian);
    if (v.option) rni_put(p, 0, rni_q_set(-c->normal, -c->normal, -c->normal, -c->color) * sum);
    else rni_put(p, 0, -c->normal * sum);
}
