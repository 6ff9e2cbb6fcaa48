/* The loops of the fused gait, written once. A file that includes this has chosen its lanes (lanes.h)
 * and defined
 *     KERNEL_NAME             the name of the fused_kernel
 *     near_box()              takes those of particles begin .. end - 1 (shifted) that may be near a box
 *     keep_entries()          appends those of 16 entries whose bit is set
 *                             both return the new count, and may write 16 further
 */

#define INLINE static inline __attribute__((always_inline))

/* Particles of a quad that are worked on at once, and how many times that makes. */
#define ABREAST (RNI_LANES / 4u)
#define TURNS   (FUSED_QUAD / ABREAST)

typedef struct candidates {
    float *x, *y, *z;
    uint32_t *entry;
} candidates;

typedef struct box {
    float low[3], high[3];
} box;

/* Walks the rows of cells that a piece's particles lie in. */
typedef struct row_walk {
    uint32_t row, end; /* end: of the row's particles */
} row_walk;

/* --- candidates ----------------------------------------------------------------------------------- */

static row_walk row_of(const rni_cells *cells, uint32_t i)
{
    uint32_t low = 0, high = cells->cell_count / cells->cells[0] - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (cells->start[(middle + 1) * (size_t)cells->cells[0]] > i) high = middle;
        else low = middle + 1;
    }
    return (row_walk){low, cells->start[(low + 1) * (size_t)cells->cells[0]]};
}

static void next_row(const rni_cells *cells, uint32_t i, row_walk *walk)
{
    while (walk->end <= i)
        walk->end = cells->start[(++walk->row + 1) * (size_t)cells->cells[0]];
}

/* The end of the group that begins at i: 8 particles, the row's end, or two radii further along x. */
static uint32_t group_end(const fused_state *s, uint32_t i, uint32_t row_end, uint32_t piece_end)
{
    uint32_t end = i + FUSED_GROUP;
    if (end > row_end) end = row_end;
    if (end > piece_end) end = piece_end;
    const float furthest = s->x[i] + 2.0f * s->fluid->laws.h;
    uint32_t k = i + 1;
    while (k < end && s->x[k] <= furthest) k++;
    return k;
}

static box box_of(const fused_state *s, uint32_t begin, uint32_t end)
{
    box b = {{s->x[begin], s->y[begin], s->z[begin]}, {s->x[begin], s->y[begin], s->z[begin]}};
    for (uint32_t i = begin + 1; i < end; i++) {
        const float at[3] = {s->x[i], s->y[i], s->z[i]};
        for (int a = 0; a < 3; a++) {
            b.low[a] = at[a] < b.low[a] ? at[a] : b.low[a];
            b.high[a] = at[a] > b.high[a] ? at[a] : b.high[a];
        }
    }
    return b;
}

/* Where the cells of one neighbouring row lie, and by how far its particles are shifted. */
typedef struct near_row {
    uint32_t row;
    float reach; /* along x */
    float shift_y, shift_z;
    uint32_t image; /* without x */
} near_row;

/* Distance from the box to layer `at` of cells along an axis; at may lie outside by one. */
static float layer_distance(const rni_cells *cells, int axis, int at, const box *b, float slack)
{
    float low = cells->low[axis] + (float)at * cells->side[axis] - slack;
    float high = cells->low[axis] + (float)(at + 1) * cells->side[axis] + slack;
    float below = low - b->high[axis], above = b->low[axis] - high;
    float d = below > above ? below : above;
    return d > 0 ? d : 0;
}

/* A layer outside of the cells: along a periodic axis the one it stands for, and the image. */
static bool wrap_layer(const fused_state *s, int axis, int *at, uint32_t *image)
{
    int count = (int)s->fluid->cells.cells[axis];
    *image = 1;
    if (*at >= 0 && *at < count) return true;
    if (s->fluid->laws.period[axis] == 0) return false;
    *image = *at < 0 ? 0 : 2;
    *at += *at < 0 ? count : -count;
    return true;
}

static uint32_t near_rows(const fused_state *s, uint32_t row, const box *b, near_row near[9])
{
    const rni_cells *cells = &s->fluid->cells;
    const int rows_y = (int)cells->cells[1];
    const int cy = (int)row % rows_y, cz = (int)row / rows_y;
    const float h_sq = s->fluid->laws.h_sq * 1.00001f;
    uint32_t count = 0;
    for (int z = cz - 1; z <= cz + 1; z++) {
        int at_z = z;
        uint32_t image_z;
        if (!wrap_layer(s, 2, &at_z, &image_z)) continue;
        float dz = layer_distance(cells, 2, z, b, s->reach_slack);
        for (int y = cy - 1; y <= cy + 1; y++) {
            int at_y = y;
            uint32_t image_y;
            if (!wrap_layer(s, 1, &at_y, &image_y)) continue;
            float dy = layer_distance(cells, 1, y, b, s->reach_slack);
            float left = h_sq - dy * dy - dz * dz;
            if (left < 0) continue;
            near[count].row = (uint32_t)(at_z * rows_y + at_y);
            near[count].reach = sqrtf(left) + s->reach_slack;
            near[count].image = 3 * image_y + 9 * image_z;
            near[count].shift_y = s->image[3 * image_y + 9 + 1][1];
            near[count].shift_z = s->image[9 * image_z + 3 + 1][2];
            count++;
        }
    }
    return count;
}

static int cell_along_x(const rni_cells *cells, float x)
{
    float c = floorf((x - cells->low[0]) * cells->inverse_side[0]);
    float most = (float)cells->cells[0] * 2.0f; /* a period away, or outside: no need to know where */
    return (int)(c < -most ? -most : c > most ? most : c);
}

typedef struct gatherer {
    candidates out;
    uint32_t count, capacity;
    uint64_t wanted; /* entries that there might be, to size the room by */
} gatherer;

/* One run of cells [first, last] of a row. */
INLINE void gather_run(const fused_state *s, const near_row *r, int first, int last,
                       uint32_t image_x, const box *b, const bool is_periodic, gatherer *g)
{
    const rni_cells *cells = &s->fluid->cells;
    const uint32_t *start = cells->start + (size_t)r->row * cells->cells[0];
    const uint32_t begin = start[first], end = start[last + 1];
    g->wanted += end - begin;
    if (begin == end || g->wanted > g->capacity) return;
    const float shift[3] = {s->image[image_x + 3 + 9][0], r->shift_y, r->shift_z};
    const uint32_t code = is_periodic ? (image_x + r->image) << FUSED_IMAGE_SHIFT : 0;
    float *const to[3] = {g->out.x, g->out.y, g->out.z};
    g->count = near_box(s, begin, end, b->low, b->high, shift, code, is_periodic, to, g->out.entry,
                        g->count);
}

INLINE void gather_row(const fused_state *s, const near_row *r, const box *b,
                       const bool is_periodic, gatherer *g)
{
    const rni_cells *cells = &s->fluid->cells;
    const int count = (int)cells->cells[0];
    int first = cell_along_x(cells, b->low[0] - r->reach);
    int last = cell_along_x(cells, b->high[0] + r->reach);
    if (is_periodic && s->fluid->laws.period[0] > 0) {
        if (first < 0) gather_run(s, r, first + count < 0 ? 0 : first + count, count - 1, 0, b, true, g);
        gather_run(s, r, first < 0 ? 0 : first, last >= count ? count - 1 : last, 1, b, true, g);
        if (last >= count)
            gather_run(s, r, 0, last - count >= count ? count - 1 : last - count, 2, b, true, g);
        return;
    }
    if (first < 0) first = 0;
    if (last >= count) last = count - 1;
    if (first <= last) gather_run(s, r, first, last, 1, b, is_periodic, g);
}

/* --- density -------------------------------------------------------------------------------------- */

/* The four particles of a quad, three numbers each; lanes without a particle are far away. */
typedef struct quad_place {
    float at[FUSED_QUAD][4];
} quad_place;

INLINE quad_place place_of(const fused_state *s, uint32_t begin, uint32_t count)
{
    quad_place q;
    for (uint32_t p = 0; p < FUSED_QUAD; p++) {
        const bool is_there = p < count;
        q.at[p][0] = is_there ? s->x[begin + p] : FUSED_FAR_BEHIND;
        q.at[p][1] = is_there ? s->y[begin + p] : FUSED_FAR_BEHIND;
        q.at[p][2] = is_there ? s->z[begin + p] : FUSED_FAR_BEHIND;
        q.at[p][3] = 0;
    }
    return q;
}

/* One turn of a quad over all candidates: density and count of each particle to out, and for each
 * four candidates a bit for each pair that is near. */
INLINE void density_turn(const rni_coefficients *c, const float *at, const candidates *from,
                         uint32_t count, const bool is_first, uint16_t *near, float *out)
{
    const rni_v i = rni_v_load(at);
    const rni_v x = rni_v_spread(i, 0), y = rni_v_spread(i, 1), z = rni_v_spread(i, 2);
    const rni_v h_sq = rni_v_set(c->h_sq), one = rni_v_set(1.0f), zero = rni_v_set(0.0f);
    rni_v density = zero, neighbors = zero;
    for (uint32_t k = 0; k < count; k += 4) {
        rni_v dx = x - rni_v_load_quad(from->x + k);
        rni_v dy = y - rni_v_load_quad(from->y + k);
        rni_v dz = z - rni_v_load_quad(from->z + k);
        rni_v r_sq = dx * dx + dy * dy + dz * dz;
        rni_vm is_near = rni_v_within(r_sq, h_sq);
        density = density + rni_law_density(c, r_sq);
        neighbors = rni_v_add_where(is_near, neighbors, one);
        uint16_t bits = (uint16_t)rni_v_bits(is_near);
        near[k / 4] = is_first ? bits : (uint16_t)(near[k / 4] | bits);
    }
    rni_v_store(out, rni_v_sum_quads(density, neighbors, zero, zero));
}

/* For 16 candidates: bit k when any of the quad's particles is near candidate k. */
INLINE uint32_t any_near(const uint16_t *near)
{
    uint64_t bits;
    memcpy(&bits, near, sizeof bits);
    if (ABREAST > 2) bits |= (bits >> 8) & 0x00ff00ff00ff00ffu;
    if (ABREAST > 1) bits |= (bits >> 4) & 0x0f0f0f0f0f0f0f0fu;
    bits &= 0x000f000f000f000fu;
    bits |= bits >> 12;
    return (uint32_t)((bits | bits >> 24) & 0xffffu);
}

/* Density of one quad, and its list behind `list`; returns the list's length. */
INLINE uint32_t density_quad(fused_state *s, uint32_t begin, uint32_t count, const candidates *from,
                             uint32_t candidate_count, uint16_t *near, uint32_t *list)
{
    rn_fluid *fluid = s->fluid;
    const quad_place q = place_of(s, begin, count);
    float out[FUSED_QUAD][4];
    const uint32_t quads = (candidate_count + 3) & ~3u;
    for (uint32_t t = 0; t < TURNS; t++)
        density_turn(&fluid->laws, q.at[t * ABREAST], from, quads, t == 0, near, out[t * ABREAST]);
    for (uint32_t p = 0; p < count; p++) {
        fluid->density[begin + p] = fluid->laws.density * out[p][0];
        fluid->neighbor_count[begin + p] = (uint32_t)out[p][1] - 1;
    }
    uint32_t *entries = list + FUSED_HEAD, kept = 0;
    memset(near + quads / 4, 0, 4 * sizeof *near);
    for (uint32_t k = 0; k < quads; k += 16)
        kept = keep_entries(from->entry + k, any_near(near + k / 4), entries, kept);
    while (kept % 4 != 0) entries[kept++] = s->filling;
    list[0] = begin;
    list[1] = count;
    list[2] = kept;
    list[3] = 0;
    return FUSED_HEAD + kept;
}

static void raise_most(_Atomic uint32_t *most, uint64_t value)
{
    uint32_t wanted = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
    uint32_t seen = atomic_load_explicit(most, memory_order_relaxed);
    while (seen < wanted && !atomic_compare_exchange_weak(most, &seen, wanted)) {}
}

/* Takes the particles far away until the count is a multiple of 16. */
INLINE void fill_candidates(const fused_state *s, gatherer *g)
{
    for (uint32_t k = g->count; k < ((g->count + 15) & ~15u); k++) {
        g->out.x[k] = g->out.y[k] = g->out.z[k] = FUSED_FAR_AWAY;
        g->out.entry[k] = s->filling;
    }
}

INLINE void density_piece(fused_state *s, uint32_t piece, uint32_t worker, const bool is_periodic)
{
    const rn_fluid *fluid = s->fluid;
    fused_room *room = &s->rooms[worker];
    const uint32_t stride = s->candidate_capacity + FUSED_SPILL;
    float *axes = room->candidates.data;
    gatherer g = {.out = {axes, axes + stride, axes + 2 * (size_t)stride,
                          (uint32_t *)(void *)(axes + 3 * (size_t)stride)},
                  .capacity = s->candidate_capacity};
    uint16_t *near = (uint16_t *)(void *)(axes + 4 * (size_t)stride);
    uint32_t *list = room->list.data;
    const uint32_t begin = piece * FUSED_PIECE;
    const uint32_t end = fluid->now.count - begin < FUSED_PIECE ? fluid->now.count : begin + FUSED_PIECE;
    uint64_t length = 0;
    uint32_t entry_most = 0;
    uint64_t candidate_most = 0, room_most = 0;
    bool is_lost = false;
    row_walk walk = row_of(&fluid->cells, begin);
    for (uint32_t i = begin; i < end;) {
        next_row(&fluid->cells, i, &walk);
        const uint32_t stop = group_end(s, i, walk.end, end);
        const box b = box_of(s, i, stop);
        near_row rows[9];
        const uint32_t row_count = near_rows(s, walk.row, &b, rows);
        g.count = 0;
        g.wanted = 0;
        for (uint32_t r = 0; r < row_count; r++) gather_row(s, &rows[r], &b, is_periodic, &g);
        if (g.wanted > candidate_most) candidate_most = g.wanted;
        if (g.wanted > g.capacity) {
            is_lost = true;
            i = stop;
            continue;
        }
        fill_candidates(s, &g);
        for (uint32_t quad = i; quad < stop; quad += FUSED_QUAD) {
            const uint32_t count = stop - quad < FUSED_QUAD ? stop - quad : FUSED_QUAD;
            /* when there is no room the list is written over the first and only measured */
            const bool fits = length + g.count + FUSED_HEAD <= s->room_capacity;
            is_lost = is_lost || !fits;
            uint32_t used = density_quad(s, quad, count, &g.out, g.count, near, list + (fits ? length : 0));
            length += used;
            if (used > entry_most) entry_most = used;
            if (length + g.count + FUSED_HEAD > room_most) room_most = length + g.count + FUSED_HEAD;
        }
        i = stop;
    }
    raise_most(&s->candidate_most, candidate_most);
    raise_most(&s->room_most, room_most);
    raise_most(&s->entry_most, entry_most);
    const uint64_t at = atomic_fetch_add(&s->list_total, length);
    s->piece_begin[piece] = at;
    s->piece_length[piece] = (uint32_t)length;
    if (!is_lost && at + length <= s->list_capacity)
        memcpy((uint32_t *)s->lists.data + at, list, length * sizeof *list);
}

static void density(fused_state *s, uint32_t piece, uint32_t worker)
{
    const float *period = s->fluid->laws.period;
    if (period[0] > 0 || period[1] > 0 || period[2] > 0) density_piece(s, piece, worker, true);
    else density_piece(s, piece, worker, false);
}

/* --- the stages that walk the lists --------------------------------------------------------------- */

/* One quad of a list. */
typedef struct quad {
    uint32_t begin, count, entry_count;
    const uint32_t *entries;
} quad;

INLINE quad quad_at(const uint32_t *list)
{
    return (quad){list[0], list[1], list[2], list + FUSED_HEAD};
}

/* The records of a quad's neighbours, four at a time, transposed: 16 numbers every `stride`. */
INLINE void stage_records(rni_record *records, const quad *q, const bool is_masked,
                          const uint32_t stride, float *to)
{
    const uint32_t mask = is_masked ? FUSED_INDEX_MASK : UINT32_MAX;
    for (uint32_t k = 0; k < q->entry_count; k += 4, to += stride) {
        const uint32_t *e = q->entries + k;
        rni_v_transpose(records[e[0] & mask], records[e[1] & mask], records[e[2] & mask],
                        records[e[3] & mask], to);
    }
}

/* The same for places, which images shift. */
INLINE void stage_places(const fused_state *s, const quad *q, const bool is_periodic,
                         const uint32_t stride, float *to)
{
    rni_record *places = s->place.data;
    stage_records(places, q, is_periodic, stride, to);
    if (!is_periodic) return;
    for (uint32_t k = 0; k < q->entry_count; k++) {
        const float *shift = s->image[q->entries[k] >> FUSED_IMAGE_SHIFT];
        float *at = to + k / 4 * stride + k % 4;
        for (uint32_t a = 0; a < 3; a++) at[4 * a] += shift[a];
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
    float out[RNI_LANES];
    rni_v_store(out, v);
    for (uint32_t p = first; p < q->count; p++)
        memcpy(to[q->begin + p], out + 4 * (p - first), sizeof(rni_record));
}

typedef void (*quad_fn)(fused_state *s, const quad *q, float *stage, const bool is_periodic);

INLINE void walk_piece(fused_state *s, uint32_t piece, uint32_t worker, quad_fn work)
{
    const float *period = s->fluid->laws.period;
    const bool is_periodic = period[0] > 0 || period[1] > 0 || period[2] > 0;
    const uint32_t *list = (const uint32_t *)s->lists.data + s->piece_begin[piece];
    const uint32_t *end = list + s->piece_length[piece];
    float *stage = s->rooms[worker].stage.data;
    while (list < end) {
        const quad q = quad_at(list);
        if (is_periodic) work(s, &q, stage, true);
        else work(s, &q, stage, false);
        list += FUSED_HEAD + q.entry_count;
    }
}

INLINE void normals_akinci(fused_state *s, const quad *q, float *stage, const bool is_periodic)
{
    const rni_coefficients *c = &s->fluid->laws;
    rni_record *places = s->place.data;
    stage_places(s, q, is_periodic, 16, stage);
    for (uint32_t t = 0; t < TURNS; t++) {
        const rni_v i = rni_v_load(places[q->begin + t * ABREAST]);
        const rni_v x = rni_v_spread(i, 0), y = rni_v_spread(i, 1), z = rni_v_spread(i, 2);
        const rni_v zero = rni_v_set(0.0f);
        rni_v nx = zero, ny = zero, nz = zero;
        for (uint32_t k = 0; k < q->entry_count; k += 4) {
            const float *j = stage + 4 * (size_t)k;
            rni_v dx = x - rni_v_load_quad(j);
            rni_v dy = y - rni_v_load_quad(j + 4);
            rni_v dz = z - rni_v_load_quad(j + 8);
            rni_v r_sq = dx * dx + dy * dy + dz * dz;
            rni_v weight = rni_law_normal(c, r_sq, rni_v_load_quad(j + 12));
            nx = nx + weight * dx;
            ny = ny + weight * dy;
            nz = nz + weight * dz;
        }
        rni_v sum = rni_v_sum_quads(nx, ny, nz, zero);
        store_records(s->fluid->normal, q, t, -c->normal * sum);
    }
}

INLINE void normals_color(fused_state *s, const quad *q, float *stage, const bool is_periodic)
{
    const rni_coefficients *c = &s->fluid->laws;
    rni_record *places = s->place.data;
    const float a = s->fluid->def.dim == 3 ? 3.0f : 2.0f, b = s->fluid->def.dim == 3 ? 7.0f : 6.0f;
    stage_places(s, q, is_periodic, 16, stage);
    for (uint32_t t = 0; t < TURNS; t++) {
        const rni_v i = rni_v_load(places[q->begin + t * ABREAST]);
        const rni_v x = rni_v_spread(i, 0), y = rni_v_spread(i, 1), z = rni_v_spread(i, 2);
        const rni_v zero = rni_v_set(0.0f);
        rni_v nx = zero, ny = zero, nz = zero, bend = zero;
        for (uint32_t k = 0; k < q->entry_count; k += 4) {
            const float *j = stage + 4 * (size_t)k;
            rni_v dx = x - rni_v_load_quad(j);
            rni_v dy = y - rni_v_load_quad(j + 4);
            rni_v dz = z - rni_v_load_quad(j + 8);
            rni_v r_sq = dx * dx + dy * dy + dz * dz;
            rni_v inverse_density = rni_v_load_quad(j + 12);
            rni_v weight = rni_law_normal(c, r_sq, inverse_density);
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

INLINE void smooth_quad(fused_state *s, const quad *q, float *stage, const bool is_periodic)
{
    const rni_coefficients *c = &s->fluid->laws;
    rni_record *places = s->place.data;
    stage_places(s, q, is_periodic, 32, stage);
    stage_records(s->fluid->normal, q, is_periodic, 32, stage + 16);
    for (uint32_t t = 0; t < TURNS; t++) {
        const rni_v i = rni_v_load(places[q->begin + t * ABREAST]);
        const rni_v x = rni_v_spread(i, 0), y = rni_v_spread(i, 1), z = rni_v_spread(i, 2);
        const rni_v zero = rni_v_set(0.0f);
        rni_v nx = zero, ny = zero, nz = zero;
        for (uint32_t k = 0; k < q->entry_count; k += 4) {
            const float *j = stage + 8 * (size_t)k;
            rni_v dx = x - rni_v_load_quad(j);
            rni_v dy = y - rni_v_load_quad(j + 4);
            rni_v dz = z - rni_v_load_quad(j + 8);
            rni_v r_sq = dx * dx + dy * dy + dz * dz;
            rni_v weight = rni_law_density(c, r_sq) * rni_v_load_quad(j + 12);
            nx = nx + weight * rni_v_load_quad(j + 16);
            ny = ny + weight * rni_v_load_quad(j + 20);
            nz = nz + weight * rni_v_load_quad(j + 24);
        }
        store_records(s->fluid->normal_room, q, t, c->density * rni_v_sum_quads(nx, ny, nz, zero));
    }
}

INLINE void forces_turn(fused_state *s, const quad *q, const float *stage, uint32_t t,
                        const bool has_akinci)
{
    const rni_coefficients *c = &s->fluid->laws;
    const uint32_t first = q->begin + t * ABREAST;
    const rni_v place = rni_v_load(((rni_record *)s->place.data)[first]);
    const rni_v motion = rni_v_load(((rni_record *)s->motion.data)[first]);
    const rni_v zero = rni_v_set(0.0f);
    const rni_v surface = has_akinci ? rni_v_load(((rni_record *)s->surface.data)[first]) : zero;
    const rni_v x = rni_v_spread(place, 0), y = rni_v_spread(place, 1), z = rni_v_spread(place, 2);
    const rni_v u = rni_v_spread(motion, 0), v = rni_v_spread(motion, 1), w = rni_v_spread(motion, 2);
    const rni_v pressure = rni_v_spread(motion, 3), density = rni_v_spread(surface, 3);
    rni_v ax = zero, ay = zero, az = zero, vx = zero, vy = zero, vz = zero, bend = zero;
    const uint32_t stride = has_akinci ? 48 : 32;
    const float *end = stage + (size_t)q->entry_count / 4 * stride;
    for (const float *j = stage; j < end; j += stride) {
        rni_v dx = x - rni_v_load_quad(j);
        rni_v dy = y - rni_v_load_quad(j + 4);
        rni_v dz = z - rni_v_load_quad(j + 8);
        rni_v r_sq = dx * dx + c->tiny + dy * dy + dz * dz;
        rni_v densities = density;
        if (has_akinci) densities = densities + rni_v_load_quad(j + 44);
        rni_law_pull pull =
            rni_law_pair(c, r_sq, pressure + rni_v_load_quad(j + 28), densities, has_akinci);
        ax = ax + pull.along * dx;
        ay = ay + pull.along * dy;
        az = az + pull.along * dz;
        rni_v drag = pull.drag * rni_v_load_quad(j + 12);
        vx = vx + drag * (rni_v_load_quad(j + 16) - u);
        vy = vy + drag * (rni_v_load_quad(j + 20) - v);
        vz = vz + drag * (rni_v_load_quad(j + 24) - w);
        if (has_akinci) {
            /* sum of bend (n_j - n_i): what belongs to i is taken off at the end */
            bend = bend + pull.bend;
            ax = ax + pull.bend * rni_v_load_quad(j + 32);
            ay = ay + pull.bend * rni_v_load_quad(j + 36);
            az = az + pull.bend * rni_v_load_quad(j + 40);
        }
    }
    rni_v sum = rni_v_sum_quads(ax, ay, az, bend);
    rni_v viscous = rni_v_sum_quads(vx, vy, vz, zero);
    sum = sum + (c->viscosity * rni_v_spread(place, 3)) * viscous;
    if (has_akinci) sum = sum - rni_v_spread(sum, 3) * surface;
    store_records(s->fluid->now.acceleration, q, t, sum);
}

INLINE void forces_akinci(fused_state *s, const quad *q, float *stage, const bool is_periodic)
{
    stage_places(s, q, is_periodic, 48, stage);
    stage_records((rni_record *)s->motion.data, q, is_periodic, 48, stage + 16);
    stage_records((rni_record *)s->surface.data, q, is_periodic, 48, stage + 32);
    for (uint32_t t = 0; t < TURNS; t++) forces_turn(s, q, stage, t, true);
}

INLINE void forces_without(fused_state *s, const quad *q, float *stage, const bool is_periodic)
{
    stage_places(s, q, is_periodic, 32, stage);
    stage_records((rni_record *)s->motion.data, q, is_periodic, 32, stage + 16);
    for (uint32_t t = 0; t < TURNS; t++) forces_turn(s, q, stage, t, false);
}

static void normals(fused_state *s, uint32_t piece, uint32_t worker)
{
    if (s->fluid->def.params.tension == RN_TENSION_AKINCI) walk_piece(s, piece, worker, normals_akinci);
    else walk_piece(s, piece, worker, normals_color);
}

static void smooth(fused_state *s, uint32_t piece, uint32_t worker)
{
    walk_piece(s, piece, worker, smooth_quad);
}

static void forces(fused_state *s, uint32_t piece, uint32_t worker)
{
    if (s->fluid->def.params.tension == RN_TENSION_AKINCI) walk_piece(s, piece, worker, forces_akinci);
    else walk_piece(s, piece, worker, forces_without);
}

const fused_kernel KERNEL_NAME = {density, normals, smooth, forces};
