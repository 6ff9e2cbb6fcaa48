/* The fused traversal, first half: candidates of a group, density, and the lists of its quads. Included by
 * fused_kernel.h only. */

/* --- candidates ----------------------------------------------------------------------------------- */

/* A row of cells next to a row (or itself), and the image that its particles are of, without x. */
typedef struct near_row {
    uint32_t first_cell, image;
} near_row;

/* Walks the rows of cells that a piece's particles lie in. */
typedef struct row_walk {
    uint32_t row, end; /* end: of the row's particles */
    uint32_t near_count;
    near_row near[9];
} row_walk;

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

static void find_near_rows(const fused_state *s, row_walk *walk)
{
    const rni_cells *cells = &s->fluid->cells;
    const int rows_y = (int)cells->cells[1];
    const int cy = (int)walk->row % rows_y, cz = (int)walk->row / rows_y;
    walk->near_count = 0;
    for (int z = cz - 1; z <= cz + 1; z++)
        for (int y = cy - 1; y <= cy + 1; y++) {
            int at_y = y, at_z = z;
            uint32_t image_y, image_z;
            if (!wrap_layer(s, 2, &at_z, &image_z) || !wrap_layer(s, 1, &at_y, &image_y)) continue;
            const uint32_t row = (uint32_t)(at_z * rows_y + at_y);
            walk->near[walk->near_count++] =
                (near_row){row * cells->cells[0], 3 * image_y + 9 * image_z};
        }
}

static void walk_to(const fused_state *s, uint32_t row, row_walk *walk)
{
    const rni_cells *cells = &s->fluid->cells;
    walk->row = row;
    walk->end = cells->start[(row + 1) * (size_t)cells->cells[0]];
    find_near_rows(s, walk);
}

/* To the row of particle i. */
static void begin_walk(const fused_state *s, uint32_t i, row_walk *walk)
{
    const rni_cells *cells = &s->fluid->cells;
    uint32_t low = 0, high = cells->cell_count / cells->cells[0] - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (cells->start[(middle + 1) * (size_t)cells->cells[0]] > i) high = middle;
        else low = middle + 1;
    }
    walk_to(s, low, walk);
}

static void go_on_walk(const fused_state *s, uint32_t i, row_walk *walk)
{
    const rni_cells *cells = &s->fluid->cells;
    if (walk->end > i) return;
    uint32_t row = walk->row + 1;
    while (cells->start[(row + 1) * (size_t)cells->cells[0]] <= i) row++;
    walk_to(s, row, walk);
}

/* The end of the group that begins at i: 8 particles, the row's end, or two radii further along x. */
static uint32_t group_end(const fused_state *s, uint32_t i, uint32_t row_end, uint32_t piece_end)
{
    uint32_t end = i + FUSED_GROUP;
    if (end > row_end) end = row_end;
    if (end > piece_end) end = piece_end;
    const float furthest = s->x[i] + 2.0f * s->fluid->laws.h;
    /* along x the order is right but for the quarter of a radius that a cell is long */
    if (s->x[end - 1] <= furthest) return end;
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

static int cell_along_x(const rni_cells *cells, float x)
{
    float c = floorf((x - cells->low[0]) * cells->inverse_side[0]);
    float most = (float)cells->cells[0] * 2.0f; /* a period away, or outside: no need to know where */
    return (int)(c < -most ? -most : c > most ? most : c);
}

RNI_INLINE void take_run(const uint32_t *start, int first, int last, uint32_t image, cell_runs *list)
{
    const uint32_t begin = start[first], end = start[last + 1];
    list->runs[list->count] = (cell_run){begin, end, image};
    list->count += begin < end;
    list->particle_count += end - begin;
}

/* The particles that may be within the radius of the box, from the rows around. A shorter reach into
 * the rows beside, by how far the box is from them, costs more than it saves. */
RNI_INLINE void find_runs(const fused_state *s, const row_walk *walk, const box *b,
                          const bool is_periodic, cell_runs *list)
{
    const rni_cells *cells = &s->fluid->cells;
    const float reach = s->reach * 1.00001f + s->reach_slack;
    const int count = (int)cells->cells[0];
    const bool is_round = is_periodic && s->fluid->laws.period[0] > 0;
    const int first = cell_along_x(cells, b->low[0] - reach);
    const int last = cell_along_x(cells, b->high[0] + reach);
    const int from = first > 0 ? first : 0, to = last < count ? last : count - 1;
    list->count = 0;
    list->particle_count = 0;
    for (uint32_t r = 0; r < walk->near_count; r++) {
        const uint32_t *start = cells->start + walk->near[r].first_cell;
        const uint32_t image = walk->near[r].image;
        if (is_round && first < 0)
            take_run(start, first + count > 0 ? first + count : 0, count - 1, image, list);
        take_run(start, from, to, image + 1, list);
        if (is_round && last >= count)
            take_run(start, 0, last - count < count ? last - count : count - 1, image + 2, list);
    }
}

/* A box, and how far from it candidates are taken, in all lanes. */
typedef struct vector_box {
    rni_v low_x, high_x, low_y, high_y, low_z, high_z, reach_sq;
} vector_box;

/* Takes those of RNI_LANES particles, `here` of which count, that may be near; returns the new count. */
RNI_INLINE uint32_t take_near(const fused_state *s, const vector_box *b, uint32_t k,
                              const rni_vb here, uint32_t image, const bool is_periodic,
                              const candidates *to, uint32_t count)
{
    rni_v x = rni_v_load(s->x + k), y = rni_v_load(s->y + k), z = rni_v_load(s->z + k);
    /* nearly every such load touches two cache lines, and compilers would load again */
    rni_v_hold(x);
    rni_v_hold(y);
    rni_v_hold(z);
    if (is_periodic) {
        x = x + s->image[image][0];
        y = y + s->image[image][1];
        z = z + s->image[image][2];
    }
    const rni_v dx = x - rni_v_min(rni_v_max(x, b->low_x), b->high_x);
    const rni_v dy = y - rni_v_min(rni_v_max(y, b->low_y), b->high_y);
    const rni_v dz = z - rni_v_min(rni_v_max(z, b->low_z), b->high_z);
    const rni_vb near = rni_vb_within(here, dx * dx + dy * dy + dz * dz, b->reach_sq);
    if (RNI_LANES == 4 && near == 0) return count; /* four lanes are stored one by one */
    const rni_vo order = rni_vo_of(near);
    rni_v_put(to->x + count, order, x);
    rni_v_put(to->y + count, order, y);
    rni_v_put(to->z + count, order, z);
    rni_vu_put_lanes(to->entry + count, order, entry_of(k, image, is_periodic), is_periodic ? 0 : 2);
    return count + rni_vb_count(near);
}

/* Takes those particles of the runs that may be near a box, as candidates; returns their count, and may
 * write RNI_LANES further. */
RNI_INLINE uint32_t near_box(const fused_state *s, const cell_runs *list, const box *b,
                             const bool is_periodic, const candidates *to)
{
    const vector_box v = {rni_v_set(b->low[0]),
                          rni_v_set(b->high[0]),
                          rni_v_set(b->low[1]),
                          rni_v_set(b->high[1]),
                          rni_v_set(b->low[2]),
                          rni_v_set(b->high[2]),
                          rni_v_set(s->reach * s->reach * 1.000001f)};
    const candidates out = *to;
    uint32_t count = 0;
    for (uint32_t r = 0; r < list->count; r++) {
        const cell_run *at = &list->runs[r];
        uint32_t k = at->begin;
        for (; at->end - k > RNI_LANES; k += RNI_LANES)
            count = take_near(s, &v, k, rni_vb_all, at->image, is_periodic, &out, count);
        count = take_near(s, &v, k, rni_vb_first(at->end - k), at->image, is_periodic, &out, count);
    }
    return count;
}

/* Appends those of 16 entries whose bit is set; returns the new count, and may write 16 further. */
RNI_INLINE uint32_t keep_entries(const uint32_t *entries, uint32_t bits, uint32_t *to, uint32_t count)
{
    for (uint32_t k = 0; k < 16; k += RNI_LANES, bits >>= RNI_LANES % 16) {
        const rni_vb kept = rni_vb_of_bits(bits);
        rni_vu_pack(to + count, kept, rni_vu_load(entries + k));
        count += rni_vb_count(kept);
    }
    return count;
}

/* --- density -------------------------------------------------------------------------------------- */

/* Particles that are tested together: a group with 16 lanes, half a quad with four. */
#define TOGETHER (2u * RNI_BATCH)

/* One turn's particles of a quad or group; lanes without a particle are far away. */
typedef struct batch_place {
    rni_v x, y, z;
} batch_place;

RNI_INLINE batch_place place_of(const fused_state *s, uint32_t first, uint32_t end)
{
    static const float of_lane[16] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
    const float there = end > first ? (float)(end - first) : 0.0f;
    const rni_vm is_there = rni_v_less(rni_v_load(of_lane), rni_v_set(there));
    const rni_v i = rni_v_load(s->fluid->now.position[first]), away = rni_v_set(FUSED_FAR_BEHIND);
    return (batch_place){rni_v_select(is_there, rni_v_spread(i, 0), away),
                         rni_v_select(is_there, rni_v_spread(i, 1), away),
                         rni_v_select(is_there, rni_v_spread(i, 2), away)};
}

/* What a loop is compiled for. */
typedef struct find_how {
    rn_fluid_kernels kernels;
    bool is_periodic;
    bool is_wide; /* lists reach as far as candidates do */
} find_how;

/* Adds what a tile gives; returns a bit for each pair that belongs into a list. */
RNI_INLINE uint32_t density_tile(const fused_state *s, const find_how how, const batch_place *i,
                                 const rni_v3 x, density_sums *sums)
{
    const rni_v3 d = {i->x - x.x, i->y - x.y, i->z - x.z};
    const density_near near = density_add(&s->fluid->laws, how.kernels, d, sums);
    return rni_v_bits(how.is_wide ? rni_v_within(rni_v_set(s->rest_least), near.support_sq_minus_r_sq)
                                  : near.is_near);
}

/* TOGETHER particles from `first` on against all candidates: density and count of each to out, and
 * for each four candidates a bit for each pair of a list: those of the first turn to near_a, those
 * of the second to near_b. */
RNI_INLINE void density_batches(const fused_state *s, const find_how how, uint32_t first,
                                uint32_t end, const candidates *from, const uint32_t apart,
                                uint32_t count, uint16_t *near_a, uint16_t *near_b, float (*out)[4])
{
    const batch_place a = place_of(s, first, end), b = place_of(s, first + RNI_BATCH, end);
    const rni_v zero = rni_v_set(0.0f);
    density_sums sums_a = {zero, zero}, sums_b = {zero, zero};
    for (uint32_t four = 0; four < count / 4; four++) {
        const size_t at = (size_t)four * apart;
        const rni_v3 x = {rni_v_load_quad(from->x + at), rni_v_load_quad(from->y + at),
                          rni_v_load_quad(from->z + at)};
        near_a[four] = (uint16_t)density_tile(s, how, &a, x, &sums_a);
        near_b[four] = (uint16_t)density_tile(s, how, &b, x, &sums_b);
    }
    rni_v_store(out[0], rni_v_sum_quads(sums_a.density, sums_a.neighbors, zero, zero));
    rni_v_store(out[RNI_BATCH], rni_v_sum_quads(sums_b.density, sums_b.neighbors, zero, zero));
}

/* For 16 candidates: bit k when one of the particles of turns first .. end - 1 is near candidate k.
 * near has a row for each turn of the quad, `stride` apart. */
RNI_INLINE uint32_t any_near(const uint16_t *near, uint32_t stride, const uint32_t first,
                             const uint32_t end)
{
    uint64_t bits = 0;
    for (uint32_t t = first; t < end; t++) {
        uint64_t of_turn;
        memcpy(&of_turn, near + (size_t)t * stride, sizeof of_turn);
        bits |= of_turn;
    }
    if (RNI_BATCH > 2) bits |= (bits >> 8) & 0x00ff00ff00ff00ffu;
    if (RNI_BATCH > 1) bits |= (bits >> 4) & 0x0f0f0f0f0f0f0f0fu;
#ifdef RNI_V_PICK_BITS
    return (uint32_t)RNI_V_PICK_BITS(bits, 0x000f000f000f000fu);
#else
    bits &= 0x000f000f000f000fu;
    bits |= bits >> 12;
    return (uint32_t)((bits | bits >> 24) & 0xffffu);
#endif
}

/* Where a quad takes several turns, each of its halves walks only what is near that half. That saves a
 * quarter of a walk, which pays where lists are walked in both evaluations. */
#define HAS_HALVES(how) (FUSED_BATCHES > 1 && (how).is_wide)

/* `count` entries to a lower place; may write 16 further. */
RNI_INLINE void move_down(uint32_t *to, const uint32_t *from, uint32_t count)
{
    for (uint32_t k = 0; k < count; k += 16) {
        uint32_t some[16];
        memcpy(some, from + k, sizeof some);
        memcpy(to + k, some, sizeof some);
    }
}

/* Numbers that the list of a quad may take while it is made. */
RNI_INLINE uint64_t list_room(uint32_t candidate_count)
{
    return FUSED_HEAD + (FUSED_BATCHES > 1 ? 3 : 1) * ((uint64_t)candidate_count + 16) + FUSED_SPILL;
}

/* The list of one quad, to `list`; returns its length. */
RNI_INLINE uint32_t list_quad(const fused_state *s, uint32_t begin, uint32_t count,
                              const candidates *from, uint32_t candidate_count, const uint16_t *near,
                              uint32_t stride, const bool has_halves, uint32_t *list)
{
    uint32_t *entries = list + FUSED_HEAD, kept = 0, second_begin = 0, first_end = 0;
    if (has_halves) {
        uint32_t *both = entries + candidate_count + 16, *second = both + candidate_count + 16;
        uint32_t of_both = 0, of_second = 0;
        for (uint32_t k = 0; k < candidate_count; k += 16) {
            const uint32_t a = any_near(near + k / 4, stride, 0, FUSED_BATCHES / 2);
            const uint32_t b = any_near(near + k / 4, stride, FUSED_BATCHES / 2, FUSED_BATCHES);
            kept = keep_entries(from->entry + k, a & ~b, entries, kept);
            of_both = keep_entries(from->entry + k, a & b, both, of_both);
            of_second = keep_entries(from->entry + k, b & ~a, second, of_second);
        }
        second_begin = kept & ~3u;
        first_end = (kept + of_both + 3) & ~3u;
        move_down(entries + kept, both, of_both);
        move_down(entries + kept + of_both, second, of_second);
        kept += of_both + of_second;
    } else {
        for (uint32_t k = 0; k < candidate_count; k += 16)
            kept = keep_entries(from->entry + k, any_near(near + k / 4, stride, 0, FUSED_BATCHES),
                                entries, kept);
    }
    for (uint32_t k = 0; k < 4; k++) entries[kept + k] = s->filling;
    kept = (kept + 3) & ~3u;
    list[0] = begin;
    list[1] = second_begin | (count - 1);
    list[2] = kept;
    list[3] = has_halves ? first_end : kept;
    return FUSED_HEAD + kept;
}

/* Density and counts of a group. */
RNI_INLINE void density_group(fused_state *s, const find_how how, uint32_t begin, uint32_t end,
                              const candidates *from, const uint32_t apart,
                              uint32_t candidate_count, uint16_t *near, uint32_t stride)
{
    rn_fluid *fluid = s->fluid;
    float out[FUSED_GROUP][4];
    const uint32_t quads = (candidate_count + 3) & ~3u;
    /* To the end of the last quad: its lists read a row for every turn. */
    const uint32_t turned = (end - begin + FUSED_QUAD - 1) / FUSED_QUAD * FUSED_QUAD;
    for (uint32_t p = 0; p < turned; p += TOGETHER) {
        uint16_t *row = near + (size_t)(p / RNI_BATCH) * stride;
        density_batches(s, how, begin + p, end, from, apart, quads, row, row + stride, out + p);
        memset(row + quads / 4, 0, 4 * sizeof *row);
        memset(row + stride + quads / 4, 0, 4 * sizeof *row);
    }
    density_write(fluid, begin, end - begin, out);
}

static void raise_most(_Atomic uint32_t *most, uint64_t value)
{
    uint32_t wanted = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
    uint32_t seen = atomic_load_explicit(most, memory_order_relaxed);
    while (seen < wanted && !atomic_compare_exchange_weak(most, &seen, wanted)) {
    }
}

/* Numbers of one piece as they are written: where they begin, how many, and for how many there is room. What
 * there is no room for is only measured. */
typedef struct pen {
    uint32_t *begin;
    uint64_t length, room;
    bool is_lost;
} pen;

RNI_INLINE pen pen_in(const fused_slab *slab)
{
    return (pen){slab->begin, 0, slab->room, false};
}

/* Takes more room and brings along what is written of the piece; says whether there was some. */
static bool take_slab(fused_pieces *pieces, pen *p, uint64_t need)
{
    const uint64_t size = p->length + need + FUSED_SLAB;
    const uint64_t at = atomic_fetch_add(&pieces->total, size);
    if (at + size > pieces->capacity) {
        atomic_fetch_sub(&pieces->total, size);
        p->is_lost = true;
        return false;
    }
    uint32_t *begin = (uint32_t *)pieces->numbers.data + at;
    if (p->length > 0) memcpy(begin, p->begin, p->length * sizeof *begin);
    p->begin = begin;
    p->room = size;
    return true;
}

/* Where the next `need` numbers of the piece go, or `spare` when there is no room. */
RNI_INLINE uint32_t *write_at(fused_pieces *pieces, pen *p, uint64_t need, uint32_t *spare)
{
    if (p->is_lost) return spare;
    if (p->length + need > p->room && !take_slab(pieces, p, need)) return spare;
    return p->begin + p->length;
}

/* The piece is written: the worker keeps what is left of its room. */
static void lay_piece(fused_pieces *pieces, uint32_t piece, const pen *p, fused_slab *slab)
{
    pieces->length[piece] = (uint32_t)p->length;
    if (p->is_lost) {
        atomic_fetch_add(&pieces->total, p->length);
        pieces->is_short = true;
        *slab = (fused_slab){NULL, 0};
        return;
    }
    pieces->begin[piece] = (uint64_t)(p->begin - (uint32_t *)pieces->numbers.data);
    *slab = (fused_slab){p->begin + p->length, p->room - p->length};
}

/* What a worker does of one piece. */
typedef struct piece_work {
    fused_scratch *room;
    float *places; /* of candidates */
    uint16_t *near;
    uint32_t stride, near_stride; /* of places, of near */
    pen groups, lists;
    uint64_t candidate_most;
    uint32_t entry_most;
} piece_work;

RNI_INLINE piece_work begin_work(const fused_state *s, uint32_t worker)
{
    fused_scratch *room = &s->scratch[worker];
    const uint32_t stride = s->candidate_capacity + FUSED_SPILL;
    float *places = room->candidates.data;
    return (piece_work){.room = room,
                        .places = places,
                        .near = (uint16_t *)(void *)(places + 4 * (size_t)stride),
                        .stride = stride,
                        .near_stride = stride / 4,
                        .groups = pen_in(&room->groups),
                        .lists = pen_in(&room->lists)};
}

RNI_INLINE void end_work(fused_state *s, uint32_t piece, const piece_work *work)
{
    raise_most(&s->candidate_most, work->candidate_most);
    raise_most(&s->piece_most, work->lists.length);
    raise_most(&s->piece_most, work->groups.length);
    raise_most(&s->entry_most, work->entry_most);
    if (s->keeps == FUSED_KEEPS_GROUPS && !s->is_again)
        lay_piece(&s->groups, piece, &work->groups, &work->room->groups);
    lay_piece(&s->lists, piece, &work->lists, &work->room->lists);
}

/* Density of a group and the lists of its quads. */
RNI_INLINE void work_group(fused_state *s, const find_how how, uint32_t begin, uint32_t end,
                           const candidates *from, const uint32_t apart, uint32_t found,
                           piece_work *work)
{
    density_group(s, how, begin, end, from, apart, found, work->near, work->near_stride);
    for (uint32_t i = begin; i < end; i += FUSED_QUAD) {
        const uint32_t count = end - i < FUSED_QUAD ? end - i : FUSED_QUAD;
        const uint16_t *row = work->near + (size_t)((i - begin) / RNI_BATCH) * work->near_stride;
        uint32_t *list = write_at(&s->lists, &work->lists, list_room(found), work->room->list.data);
        const uint32_t used =
            list_quad(s, i, count, from, found, row, work->near_stride, HAS_HALVES(how), list);
        work->lists.length += used;
        if (used > work->entry_most) work->entry_most = used;
    }
}

/* Sixteen that are far away behind the candidates: more than their count lacks to a multiple of 16, but how
 * many that is nobody can guess. */
RNI_INLINE void fill_candidates(const fused_state *s, const candidates *to, uint32_t count)
{
    float *const axes[3] = {to->x + count, to->y + count, to->z + count};
    for (int a = 0; a < 3; a++)
        for (uint32_t k = 0; k < 16; k += RNI_LANES)
            rni_v_store(axes[a] + k, rni_v_set(RNI_FAR_AWAY));
    uint32_t entries[16];
    for (uint32_t k = 0; k < 16; k++) entries[k] = s->filling;
    memcpy(to->entry + count, entries, sizeof entries);
}

/* Room for a group of at most `most` candidates; returns where its head is. */
RNI_INLINE uint32_t *open_group(fused_state *s, uint64_t most, piece_work *work)
{
    uint32_t *spare = work->room->group.data;
    if (s->keeps != FUSED_KEEPS_GROUPS || most > s->candidate_capacity) return spare;
    return write_at(&s->groups, &work->groups, FUSED_HEAD + most + FUSED_SPILL, spare);
}

RNI_INLINE void close_group(uint32_t *head, uint32_t begin, uint32_t end, uint32_t found,
                            piece_work *work)
{
    head[0] = begin;
    head[1] = end - begin;
    head[2] = found;
    head[3] = 0;
    work->groups.length += FUSED_HEAD + ((found + 15) & ~15u);
}

/* Candidates from the rows around. */
RNI_INLINE void density_of_rows(fused_state *s, uint32_t piece, uint32_t worker, const find_how how)
{
    const uint32_t count = s->fluid->now.count, begin = piece * FUSED_PIECE;
    const uint32_t end = count - begin < FUSED_PIECE ? count : begin + FUSED_PIECE;
    piece_work work = begin_work(s, worker);
    cell_runs runs;
    row_walk walk;
    begin_walk(s, begin, &walk);
    for (uint32_t i = begin, stop; i < end; i = stop) {
        go_on_walk(s, i, &walk);
        stop = group_end(s, i, walk.end, end);
        const box b = box_of(s, i, stop);
        find_runs(s, &walk, &b, how.is_periodic, &runs);
        if (runs.particle_count > work.candidate_most) work.candidate_most = runs.particle_count;
        uint32_t *head = open_group(s, runs.particle_count, &work);
        if (runs.particle_count > s->candidate_capacity)
            continue; /* there will be room next time */
        const candidates from = {work.places, work.places + work.stride,
                                 work.places + 2 * (size_t)work.stride, head + FUSED_HEAD};
        const uint32_t found = near_box(s, &runs, &b, how.is_periodic, &from);
        fill_candidates(s, &from, found);
        work_group(s, how, i, stop, &from, FUSED_IN_ARRAYS, found, &work);
        close_group(head, i, stop, found, &work);
    }
    end_work(s, piece, &work);
}

/* Where the candidates of a group are now. */
RNI_INLINE void fetch_places(const fused_state *s, const uint32_t *entries, uint32_t found, float *to)
{
    const float *x = s->fluid->now.position[0];
    for (const uint32_t *e = entries; e < entries + found; e += 4, to += FUSED_IN_BLOCKS) {
        size_t at[4];
        records_at(e, false, at);
        rni_v_transpose(x + at[0], x + at[1], x + at[2], x + at[3], to);
    }
}

/* Candidates as the evaluation before has found them. */
RNI_INLINE void density_of_groups(fused_state *s, uint32_t piece, uint32_t worker,
                                  const rn_fluid_kernels kernels)
{
    const find_how how = {kernels, false, false};
    uint32_t *group = (uint32_t *)s->groups.numbers.data + s->groups.begin[piece];
    const uint32_t *end = group + s->groups.length[piece];
    piece_work work = begin_work(s, worker);
    while (group < end) {
        const uint32_t begin = group[0], count = group[1], found = group[2];
        const candidates from = {work.places, work.places + 4, work.places + 8, group + FUSED_HEAD};
        fetch_places(s, from.entry, found, work.places);
        work_group(s, how, begin, begin + count, &from, FUSED_IN_BLOCKS, found, &work);
        group += FUSED_HEAD + ((found + 15) & ~15u);
    }
    end_work(s, piece, &work);
}

/* Where an evaluation finds its neighbours. */
typedef enum find_from { FROM_ROWS, FROM_ROWS_PERIODIC, FROM_ROWS_WIDELY, FROM_GROUPS } find_from;

RNI_INLINE void find_with(fused_state *s, uint32_t piece, uint32_t worker,
                          const rn_fluid_kernels kernels, const find_from from)
{
    if (from == FROM_GROUPS) density_of_groups(s, piece, worker, kernels);
    else
        density_of_rows(s, piece, worker,
                        (find_how){kernels, from == FROM_ROWS_PERIODIC, from == FROM_ROWS_WIDELY});
}

RNI_INLINE void find_from_with(fused_state *s, uint32_t piece, uint32_t worker, const find_from from)
{
    switch (s->fluid->def.kernels) {
    case RN_KERNELS_WENDLAND: find_with(s, piece, worker, RN_KERNELS_WENDLAND, from); break;
    case RN_KERNELS_SPIKY: find_with(s, piece, worker, RN_KERNELS_SPIKY, from); break;
    case RN_KERNELS_PAPERS: find_with(s, piece, worker, RN_KERNELS_PAPERS, from); break;
    }
}

void RNI_FUSED_NAME(rni_fused_find)(fused_state *s, uint32_t piece, uint32_t worker)
{
    if (s->is_again) find_from_with(s, piece, worker, FROM_GROUPS);
    else if (rni_is_periodic(s->fluid)) find_from_with(s, piece, worker, FROM_ROWS_PERIODIC);
    else if (s->keeps == FUSED_KEEPS_LISTS) find_from_with(s, piece, worker, FROM_ROWS_WIDELY);
    else find_from_with(s, piece, worker, FROM_ROWS);
}
