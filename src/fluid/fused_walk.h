/* The fused traversal, second half: the stages that walk the lists of the quads: normals, smoothing, forces.
 * Included by fused_kernel.h only. */

/* Adds what the images of four entries add to x, y and z, which lie `apart` numbers from each other. */
INLINE void shift_places(const fused_state *s, const uint32_t *entries, float *to, uint32_t apart)
{
    for (uint32_t k = 0; k < 4; k++) {
        const float *shift = s->image[entries[k] >> FUSED_IMAGE_SHIFT];
        for (uint32_t a = 0; a < 3; a++) to[apart * a + k] += shift[a];
    }
}

/* The neighbours of a quad are staged first: four at a time, transposed, in the cache. Of bodies either
 * the place (x, y, z, 1 / rho, four numbers each) or all (x, vx, y, vy, z, vz, 1 / rho,
 * pressure). `stride`: numbers for each four neighbours. */
INLINE void stage_places(const fused_state *s, const quad *q, const bool is_periodic,
                         const uint32_t stride, float *to)
{
    const float *b = s->bodies.data;
    for (const uint32_t *e = q->entries; e < q->entries + q->entry_count; e += 4, to += stride) {
        size_t at[4];
        records_of(e, is_periodic, at);
        rni_v_transpose(b + 2 * at[0], b + 2 * at[1], b + 2 * at[2], b + 2 * at[3], to);
        if (is_periodic) shift_places(s, e, to, 4);
    }
}

INLINE void stage_normals(const fused_state *s, const quad *q, const bool is_periodic,
                          const uint32_t stride, float *to)
{
    const float *n = s->fluid->normal[0];
    for (const uint32_t *e = q->entries; e < q->entries + q->entry_count; e += 4, to += stride) {
        size_t at[4];
        records_of(e, is_periodic, at);
        rni_v_transpose(n + at[0], n + at[1], n + at[2], n + at[3], to);
    }
}

INLINE void stage_bodies(const fused_state *s, const quad *q, const bool is_periodic,
                         const bool has_surface, float *to)
{
    const float *b = s->bodies.data, *r = s->surface.data;
    const uint32_t stride = has_surface ? 48 : 32;
    for (const uint32_t *e = q->entries; e < q->entries + q->entry_count; e += 4, to += stride) {
        size_t at[4];
        records_of(e, is_periodic, at);
        rni_v_transpose8(b + 2 * at[0], b + 2 * at[1], b + 2 * at[2], b + 2 * at[3], to);
        if (has_surface) rni_v_transpose(r + at[0], r + at[1], r + at[2], r + at[3], to + 32);
        if (is_periodic) shift_places(s, e, to, 8);
    }
}

/* Writes the records of the particles that a turn has, of those that the quad has. */
INLINE void store_records(rni_record *to, const quad *q, uint32_t turn, rni_v v)
{
    const uint32_t first = turn * ABREAST;
    if (first + ABREAST <= q->count) {
        rni_v_store(to[q->begin + first], v);
        return;
    }
    if (first < q->count) rni_v_store_some(to[q->begin + first], v, 4 * (q->count - first));
}

typedef void (*quad_fn)(fused_state *s, const quad *q, float *stage, const rn_fluid_kernels kernels,
                        const bool is_periodic);

INLINE void walk_piece(fused_state *s, uint32_t piece, uint32_t worker,
                       const rn_fluid_kernels kernels, quad_fn work)
{
    const uint32_t *list = (const uint32_t *)s->lists.numbers.data + s->lists.begin[piece];
    const uint32_t *end = list + s->lists.length[piece];
    float *stage = s->rooms[worker].stage.data;
    const bool is_periodic = is_folded(s);
    while (list < end) {
        const quad q = quad_at(list);
        if (is_periodic) work(s, &q, stage, kernels, true);
        else work(s, &q, stage, kernels, false);
        list += FUSED_HEAD + q.entry_count;
    }
}

INLINE void normals_akinci(fused_state *s, const quad *q, float *stage,
                           const rn_fluid_kernels kernels, const bool is_periodic)
{
    (void)kernels;
    const rni_coefficients *c = &s->fluid->laws;
    fused_body *bodies = s->bodies.data;
    stage_places(s, q, is_periodic, 16, stage);
    for (uint32_t t = 0; t * ABREAST < q->count; t++) {
        const float *i = bodies[q->begin + t * ABREAST];
        const rni_v x = rni_v_spread8(i, 0), y = rni_v_spread8(i, 1), z = rni_v_spread8(i, 2);
        const rni_v zero = rni_v_set(0.0f);
        rni_v nx = zero, ny = zero, nz = zero;
        const turn_span span = span_of(q, t, stage, 16);
        for (const float *j = span.begin; j < span.end; j += 16) {
            rni_v dx = x - rni_v_load_quad(j);
            rni_v dy = y - rni_v_load_quad(j + 4);
            rni_v dz = z - rni_v_load_quad(j + 8);
            rni_v rest = rni_law_rest(c, dx, dy, dz);
            rni_v weight = rni_law_normal(rest, rni_v_load_quad(j + 12));
            nx = nx + weight * dx;
            ny = ny + weight * dy;
            nz = nz + weight * dz;
        }
        rni_v sum = rni_v_sum_quads(nx, ny, nz, zero);
        store_records(s->fluid->normal, q, t, -c->normal * sum);
    }
}

INLINE void normals_color(fused_state *s, const quad *q, float *stage,
                          const rn_fluid_kernels kernels, const bool is_periodic)
{
    (void)kernels;
    const rni_coefficients *c = &s->fluid->laws;
    fused_body *bodies = s->bodies.data;
    const float a = s->fluid->def.dim == 3 ? 3.0f : 2.0f, b = s->fluid->def.dim == 3 ? 7.0f : 6.0f;
    stage_places(s, q, is_periodic, 16, stage);
    for (uint32_t t = 0; t * ABREAST < q->count; t++) {
        const float *i = bodies[q->begin + t * ABREAST];
        const rni_v x = rni_v_spread8(i, 0), y = rni_v_spread8(i, 1), z = rni_v_spread8(i, 2);
        const rni_v zero = rni_v_set(0.0f);
        rni_v nx = zero, ny = zero, nz = zero, bend = zero;
        const turn_span span = span_of(q, t, stage, 16);
        for (const float *j = span.begin; j < span.end; j += 16) {
            rni_v dx = x - rni_v_load_quad(j);
            rni_v dy = y - rni_v_load_quad(j + 4);
            rni_v dz = z - rni_v_load_quad(j + 8);
            rni_v r_sq = dx * dx + dy * dy + dz * dz;
            rni_v inverse_density = rni_v_load_quad(j + 12);
            rni_v weight = rni_law_normal(c->h_sq - r_sq, inverse_density);
            nx = nx + weight * dx;
            ny = ny + weight * dy;
            nz = nz + weight * dz;
            bend = bend + rni_law_color_laplacian(c, r_sq, inverse_density, a, b);
        }
        float factors[RNI_LANES];
        for (uint32_t l = 0; l < RNI_LANES; l++) factors[l] = l % 4 < 3 ? -c->normal : -c->color;
        rni_v sum = rni_v_sum_quads(nx, ny, nz, bend);
        store_records(s->fluid->normal, q, t, rni_v_load(factors) * sum);
    }
}

INLINE void smooth_quad(fused_state *s, const quad *q, float *stage, const rn_fluid_kernels kernels,
                        const bool is_periodic)
{
    const rni_coefficients *c = &s->fluid->laws;
    fused_body *bodies = s->bodies.data;
    stage_places(s, q, is_periodic, 32, stage);
    stage_normals(s, q, is_periodic, 32, stage + 16);
    for (uint32_t t = 0; t * ABREAST < q->count; t++) {
        const float *i = bodies[q->begin + t * ABREAST];
        const rni_v x = rni_v_spread8(i, 0), y = rni_v_spread8(i, 1), z = rni_v_spread8(i, 2);
        const rni_v zero = rni_v_set(0.0f);
        rni_v nx = zero, ny = zero, nz = zero;
        const turn_span span = span_of(q, t, stage, 32);
        for (const float *j = span.begin; j < span.end; j += 32) {
            rni_v dx = x - rni_v_load_quad(j);
            rni_v dy = y - rni_v_load_quad(j + 4);
            rni_v dz = z - rni_v_load_quad(j + 8);
            rni_v r_sq = dx * dx + dy * dy + dz * dz;
            rni_v weight = rni_law_density(c, kernels, r_sq) * rni_v_load_quad(j + 12);
            nx = nx + weight * rni_v_load_quad(j + 16);
            ny = ny + weight * rni_v_load_quad(j + 20);
            nz = nz + weight * rni_v_load_quad(j + 24);
        }
        store_records(s->fluid->normal_room, q, t, c->density * rni_v_sum_quads(nx, ny, nz, zero));
    }
}

INLINE void forces_turn(fused_state *s, const quad *q, const float *stage, uint32_t t,
                        const rn_fluid_kernels kernels, const bool has_akinci)
{
    const rni_coefficients *c = &s->fluid->laws;
    const uint32_t first = q->begin + t * ABREAST;
    const float *i = ((fused_body *)s->bodies.data)[first];
    const rni_v zero = rni_v_set(0.0f);
    const rni_v surface = has_akinci ? rni_v_load(((rni_record *)s->surface.data)[first]) : zero;
    const rni_v x = rni_v_spread8(i, 0), y = rni_v_spread8(i, 1), z = rni_v_spread8(i, 2);
    const rni_v pressure = rni_v_spread8(i, 7), density = rni_v_spread(surface, 3);
    rni_v ax = zero, ay = zero, az = zero, bend = zero;
    rni_v vx = zero, vy = zero, vz = zero, drag = zero;
    const uint32_t stride = has_akinci ? 48 : 32;
    const turn_span span = span_of(q, t, stage, stride);
    for (const float *j = span.begin; j < span.end; j += stride) {
        rni_v dx = x - rni_v_load_quad(j);
        rni_v dy = y - rni_v_load_quad(j + 8);
        rni_v dz = z - rni_v_load_quad(j + 16);
        rni_v r_sq = dx * dx + c->tiny + dy * dy + dz * dz;
        rni_v densities = density;
        if (has_akinci) densities = densities + rni_v_load_quad(j + 44);
        rni_law_pull pull = rni_law_pair(c, r_sq, pressure + rni_v_load_quad(j + 28), densities,
                                         kernels, has_akinci);
        /* the sums of drag (v_j - v_i) and bend (n_j - n_i); what is i's is taken off at the end */
        if (has_akinci) {
            bend = bend + pull.bend;
            ax = ax + pull.bend * rni_v_load_quad(j + 32);
            ay = ay + pull.bend * rni_v_load_quad(j + 36);
            az = az + pull.bend * rni_v_load_quad(j + 40);
        }
        drag = drag + pull.drag * rni_v_load_quad(j + 24);
        vx = vx + pull.drag * rni_v_load_quad(j + 4);
        vy = vy + pull.drag * rni_v_load_quad(j + 12);
        vz = vz + pull.drag * rni_v_load_quad(j + 20);
        ax = ax + pull.along * dx;
        ay = ay + pull.along * dy;
        az = az + pull.along * dz;
    }
    rni_v sum = rni_v_sum_quads(ax, ay, az, bend), viscous = rni_v_sum_quads(vx, vy, vz, drag);
    rni_v bends = rni_v_spread(sum, 3);
    viscous = rni_v_spread8(i, 3) * viscous - rni_v_spread(viscous, 3) * rni_v_halves8(i);
    sum = sum + c->viscosity * viscous;
    if (has_akinci) sum = sum - bends * surface;
    static const float is_axis[16] = {1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0};
    store_records(s->fluid->now.acceleration, q, t, rni_v_load(is_axis) * sum);
}

INLINE void forces_akinci(fused_state *s, const quad *q, float *stage,
                          const rn_fluid_kernels kernels, const bool is_periodic)
{
    stage_bodies(s, q, is_periodic, true, stage);
    for (uint32_t t = 0; t * ABREAST < q->count; t++) forces_turn(s, q, stage, t, kernels, true);
}

INLINE void forces_without(fused_state *s, const quad *q, float *stage,
                           const rn_fluid_kernels kernels, const bool is_periodic)
{
    stage_bodies(s, q, is_periodic, false, stage);
    for (uint32_t t = 0; t * ABREAST < q->count; t++) forces_turn(s, q, stage, t, kernels, false);
}

static void normals(fused_state *s, uint32_t piece, uint32_t worker)
{
    const rn_fluid_kernels any = RN_KERNELS_PAPERS; /* normals have kernels of their own */
    if (s->fluid->def.params.tension == RN_TENSION_AKINCI)
        walk_piece(s, piece, worker, any, normals_akinci);
    else walk_piece(s, piece, worker, any, normals_color);
}

static void smooth(fused_state *s, uint32_t piece, uint32_t worker)
{
    BY_KERNELS(walk_piece, smooth_quad)
}

static void forces(fused_state *s, uint32_t piece, uint32_t worker)
{
    if (s->fluid->def.params.tension == RN_TENSION_AKINCI) BY_KERNELS(walk_piece, forces_akinci)
    else BY_KERNELS(walk_piece, forces_without)
}
