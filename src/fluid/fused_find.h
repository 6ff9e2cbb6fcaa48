/* The fused traversal, second part: density while neighbours are found, and the lists of the quads. Included by
 * the file of each instruction set, after passes.h. */
#include "fluid/fused_candidates.h"
#include "fluid/thin_walls.h"

/* --- density -------------------------------------------------------------------------------------- */

/* Particles that are tested together: two batches. */
#define FUSED_TESTED (2u * RNI_BATCH)

/* The particles of a batch; lanes without a particle are far away. */
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
    bool has_density;
} find_how;

/* Adds the pairs of a batch and four candidates; returns a bit for each pair that belongs into a list. */
RNI_INLINE uint32_t density_tile(const fused_state *s, const find_how how, const batch_place *i,
                                 const rni_v3 x, density_sums *sums)
{
    const rni_v3 d = {i->x - x.x, i->y - x.y, i->z - x.z};
    const density_near near = density_add(&s->fluid->laws, how.kernels, d, sums);
    return rni_v_bits(how.is_wide
                          ? rni_v_within(rni_v_set(s->support_least), near.support_sq_minus_r_sq)
                          : near.is_near);
}

/* FUSED_TESTED particles from `first` on against all candidates: density and count of each to out, and
 * for each four candidates a bit for each pair of a list: those of the first batch to near_a, those
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

/* --- neighbours without the density --------------------------------------------------------------- */

/* A pair is near where |x_j|^2 - h^2 - 2 x_i . x_j <= -|x_i|^2, with places from that of a particle of the group: less than
 * half of the operations of a distance. So much of the squares is added that no neighbour is missed by rounding; a
 * particle more in a list does nothing. */
#define FUSED_ROUNDING 2e-6f

/* The particles of a batch. */
typedef struct batch_test {
    rni_v x, y, z; /* -2 x_i */
    rni_v most;    /* -|x_i|^2 */
} batch_test;

RNI_INLINE batch_test test_of(const fused_state *s, const float from[3], uint32_t first, uint32_t end)
{
    const batch_place i = place_of(s, first, end);
    const rni_v x = i.x - from[0], y = i.y - from[1], z = i.z - from[2];
    const rni_v sq = x * x + y * y + z * z;
    const rni_v rounding = FUSED_ROUNDING * (sq + s->fluid->laws.h_sq);
    return (batch_test){-2.0f * x, -2.0f * y, -2.0f * z, rounding - sq};
}

/* Moves the origin of the candidates to `from`; |x_j|^2 - h^2 to square. */
RNI_INLINE void move_origin(const fused_state *s, const float from[3], const candidates *to,
                            uint32_t count, float *square)
{
    const float h_sq = s->fluid->laws.h_sq;
    for (uint32_t k = 0; k < count; k += RNI_LANES) {
        const rni_v x = rni_v_load(to->x + k) - from[0], y = rni_v_load(to->y + k) - from[1],
                    z = rni_v_load(to->z + k) - from[2];
        rni_v_store(to->x + k, x);
        rni_v_store(to->y + k, y);
        rni_v_store(to->z + k, z);
        rni_v_store(square + k, x * x + y * y + z * z - h_sq);
    }
}

RNI_INLINE uint32_t near_tile(const batch_test *i, const rni_v3 x, rni_v square)
{
    return rni_v_bits(rni_v_within(square + i->x * x.x + i->y * x.y + i->z * x.z, i->most));
}

/* As density_batches. */
RNI_INLINE void near_batches(const fused_state *s, const float from[3], uint32_t first,
                             uint32_t end, const candidates *c, const float *square, uint32_t count,
                             uint16_t *near_a, uint16_t *near_b)
{
    const batch_test a = test_of(s, from, first, end), b = test_of(s, from, first + RNI_BATCH, end);
    for (uint32_t four = 0; four < count / 4; four++) {
        const rni_v3 x = {rni_v_load_quad(c->x + 4 * four), rni_v_load_quad(c->y + 4 * four),
                          rni_v_load_quad(c->z + 4 * four)};
        const rni_v of_x = rni_v_load_quad(square + 4 * four);
        near_a[four] = (uint16_t)near_tile(&a, x, of_x);
        near_b[four] = (uint16_t)near_tile(&b, x, of_x);
    }
}

/* --- lists ---------------------------------------------------------------------------------------- */

/* For 16 candidates: bit k when one of the particles of batches first .. end - 1 is near candidate k.
 * near has a row for each batch of the quad, `stride` apart. */
RNI_INLINE uint32_t any_near(const uint16_t *near, uint32_t stride, const uint32_t first,
                             const uint32_t end)
{
    uint64_t bits = 0;
    for (uint32_t t = first; t < end; t++) {
        uint64_t of_batch;
        memcpy(&of_batch, near + (size_t)t * stride, sizeof of_batch);
        bits |= of_batch;
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

/* Where a quad has several batches, each of its halves reads only the entries near that half. That saves a
 * quarter of a pass, which pays where lists are used in both evaluations. */
#define HAS_HALVES(how) (FUSED_BATCHES > 1 && (how).is_wide)

/* Appends those of 16 entries whose bit is set; returns the new count, and may write 16 more. */
RNI_INLINE uint32_t keep_entries(const uint32_t *entries, uint32_t bits, uint32_t *to, uint32_t count)
{
    for (uint32_t k = 0; k < 16; k += RNI_LANES, bits >>= RNI_LANES % 16) {
        const rni_vb kept = rni_vb_of_bits(bits);
        rni_vu_pack(to + count, kept, rni_vu_load(entries + k));
        count += rni_vb_count(kept);
    }
    return count;
}

/* Moves `count` entries to a lower address; may write 16 more. */
RNI_INLINE void move_down(uint32_t *to, const uint32_t *from, uint32_t count)
{
    for (uint32_t k = 0; k < count; k += 16) {
        uint32_t some[16];
        memcpy(some, from + k, sizeof some);
        memcpy(to + k, some, sizeof some);
    }
}

/* Numbers that the list of a quad may need while it is made. */
RNI_INLINE uint64_t list_capacity(uint32_t candidate_count)
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
    for (uint32_t k = 0; k < 4; k++) entries[kept + k] = s->filler;
    kept = (kept + 3) & ~3u;
    list[0] = begin;
    list[1] = second_begin | (count - 1);
    list[2] = kept;
    list[3] = has_halves ? first_end : kept;
    return FUSED_HEAD + kept;
}

/* Who is near whom in a group, and density and counts. Without these, the candidates' places change. */
RNI_INLINE void density_group(fused_state *s, const find_how how, uint32_t begin, uint32_t end,
                              const candidates *from, const uint32_t apart, uint32_t candidate_count,
                              float *square, uint16_t *near, uint32_t stride)
{
    const float origin[3] = {s->x[begin], s->y[begin], s->z[begin]};
    if (!how.has_density) move_origin(s, origin, from, candidate_count, square);
    rn_fluid *fluid = s->fluid;
    float out[FUSED_GROUP][4];
    const uint32_t quads = (candidate_count + 3) & ~3u;
    /* To the end of the last quad: its list reads a row for every batch. */
    const uint32_t tested = (end - begin + FUSED_QUAD - 1) / FUSED_QUAD * FUSED_QUAD;
    for (uint32_t p = 0; p < tested; p += FUSED_TESTED) {
        uint16_t *row = near + (size_t)(p / RNI_BATCH) * stride;
        if (how.has_density)
            density_batches(s, how, begin + p, end, from, apart, quads, row, row + stride, out + p);
        else near_batches(s, origin, begin + p, end, from, square, quads, row, row + stride);
        memset(row + quads / 4, 0, 4 * sizeof *row);
        memset(row + stride + quads / 4, 0, 4 * sizeof *row);
    }
    if (how.has_density) density_write(fluid, begin, end - begin, out);
}

static void raise_most(_Atomic uint32_t *most, uint64_t value)
{
    uint32_t wanted = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
    uint32_t seen = atomic_load_explicit(most, memory_order_relaxed);
    while (seen < wanted && !atomic_compare_exchange_weak(most, &seen, wanted)) {
    }
}

/* Writes the numbers of one piece. What there is no memory for is only measured. */
typedef struct piece_writer {
    uint32_t *begin;
    uint64_t length, capacity;
    bool is_lost;
} piece_writer;

RNI_INLINE piece_writer writer_in(const fused_slab *slab)
{
    return (piece_writer){slab->begin, 0, slab->capacity, false};
}

/* Takes more memory and copies there what is written of the piece; false when there is none. */
static bool take_slab(fused_pieces *pieces, piece_writer *p, uint64_t need)
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
    p->capacity = size;
    return true;
}

/* Where the next `need` numbers of the piece go, or `spare` when there is no memory. */
RNI_INLINE uint32_t *write_at(fused_pieces *pieces, piece_writer *p, uint64_t need, uint32_t *spare)
{
    if (p->is_lost) return spare;
    if (p->length + need > p->capacity && !take_slab(pieces, p, need)) return spare;
    return p->begin + p->length;
}

/* The piece is written: the worker keeps what is left of its slab. */
static void end_piece(fused_pieces *pieces, uint32_t piece, const piece_writer *p, fused_slab *slab)
{
    pieces->length[piece] = (uint32_t)p->length;
    if (p->is_lost) {
        atomic_fetch_add(&pieces->total, p->length);
        pieces->is_short = true;
        *slab = (fused_slab){NULL, 0};
        return;
    }
    pieces->begin[piece] = (uint64_t)(p->begin - (uint32_t *)pieces->numbers.data);
    *slab = (fused_slab){p->begin + p->length, p->capacity - p->length};
}

/* The work of one worker on one piece. */
typedef struct piece_work {
    fused_scratch *scratch;
    float *places; /* of candidates */
    float *square; /* the same without their density: |x_j|^2 - h^2 */
    uint16_t *near;
    uint32_t stride, near_stride; /* of places, of near */
    piece_writer groups, lists;
    uint64_t candidate_most;
    uint32_t entry_most;
} piece_work;

RNI_INLINE piece_work begin_work(const fused_state *s, uint32_t worker)
{
    fused_scratch *scratch = &s->scratch[worker];
    const uint32_t stride = s->candidate_capacity + FUSED_SPILL;
    float *places = scratch->candidates.data;
    return (piece_work){.scratch = scratch,
                        .places = places,
                        .square = places + 3 * (size_t)stride,
                        .near = (uint16_t *)(void *)(places + 4 * (size_t)stride),
                        .stride = stride,
                        .near_stride = stride / 4,
                        .groups = writer_in(&scratch->groups),
                        .lists = writer_in(&scratch->lists)};
}

RNI_INLINE void end_work(fused_state *s, uint32_t piece, const piece_work *work)
{
    raise_most(&s->candidate_most, work->candidate_most);
    raise_most(&s->piece_most, work->lists.length);
    raise_most(&s->piece_most, work->groups.length);
    raise_most(&s->entry_most, work->entry_most);
    if (s->keeps == FUSED_KEEPS_GROUPS && !s->is_reused)
        end_piece(&s->groups, piece, &work->groups, &work->scratch->groups);
    end_piece(&s->lists, piece, &work->lists, &work->scratch->lists);
}

/* Sixteen far away behind the candidates: as many as may be missing to a multiple of 16. Always all of them, since
 * a branch on how many are missing would be mispredicted. */
RNI_INLINE void fill_candidates(const fused_state *s, const candidates *to, uint32_t count)
{
    float *const axes[3] = {to->x + count, to->y + count, to->z + count};
    for (int a = 0; a < 3; a++)
        for (uint32_t k = 0; k < 16; k += RNI_LANES)
            rni_v_store(axes[a] + k, rni_v_set(RNI_FAR_AWAY));
    uint32_t entries[16];
    for (uint32_t k = 0; k < 16; k++) entries[k] = s->filler;
    memcpy(to->entry + count, entries, sizeof entries);
}

/* The list of `count` particles from i on. */
RNI_INLINE void add_list(fused_state *s, uint32_t i, uint32_t count, const candidates *from,
                         uint32_t found, const uint16_t *near, const bool has_halves,
                         piece_work *work)
{
    uint32_t *list =
        write_at(&s->lists, &work->lists, list_capacity(found), work->scratch->list.data);
    const uint32_t used =
        list_quad(s, i, count, from, found, near, work->near_stride, has_halves, list);
    work->lists.length += used;
    if (used > work->entry_most) work->entry_most = used;
}

/* Whether a thin wall is within the radius of one of the particles. */
RNI_INLINE bool is_near_thin_wall(const fused_state *s, uint32_t begin, uint32_t end)
{
    const float *distance = s->fluid->walls->thin_distance;
    for (uint32_t i = begin; distance && i < end; i++)
        if (distance[i] < INFINITY) return true;
    return false;
}

/* Density of a group near a thin wall: every particle has a list of its own, without those that the wall hides. */
static void work_parted(fused_state *s, const find_how how, uint32_t begin, uint32_t end,
                        const candidates *from, const uint32_t apart, uint32_t found,
                        piece_work *work)
{
    rni_thin_near near_walls;
    float *places = work->scratch->seen.data;
    const candidates seen = {places, places + work->stride, places + 2 * (size_t)work->stride,
                             (uint32_t *)(void *)(places + 3 * (size_t)work->stride)};
    for (uint32_t i = begin; i < end; i++) {
        uint32_t count = 0;
        near_walls.count = 0;
        if (s->fluid->walls->thin_distance[i] < INFINITY)
            rni_thin_walls_near(s->fluid, s->fluid->now.position[i], &near_walls);
        for (uint32_t k = 0; k < found; k++) {
            const size_t at = (size_t)(k / 4) * apart + k % 4;
            const float y[3] = {from->x[at], from->y[at], from->z[at]};
            const uint32_t entry = from->entry[k];
            const uint32_t j = how.is_periodic ? entry & FUSED_INDEX_MASK : entry / 4;
            if (rni_are_parted(s->fluid, &near_walls, i, j, y)) continue;
            seen.x[count] = y[0], seen.y[count] = y[1], seen.z[count] = y[2];
            seen.entry[count++] = entry;
        }
        fill_candidates(s, &seen, count);
        density_group(s, how, i, i + 1, &seen, FUSED_IN_ARRAYS, count, work->square, work->near,
                      work->near_stride);
        add_list(s, i, 1, &seen, count, work->near, false, work);
    }
}

/* Density of a group and the lists of its quads. */
RNI_INLINE void work_group(fused_state *s, const find_how how, uint32_t begin, uint32_t end,
                           const candidates *from, const uint32_t apart, uint32_t found,
                           piece_work *work)
{
    if (is_near_thin_wall(s, begin, end)) {
        work_parted(s, how, begin, end, from, apart, found, work);
        return;
    }
    density_group(s, how, begin, end, from, apart, found, work->square, work->near,
                  work->near_stride);
    for (uint32_t i = begin; i < end; i += FUSED_QUAD) {
        const uint32_t count = end - i < FUSED_QUAD ? end - i : FUSED_QUAD;
        const uint16_t *row = work->near + (size_t)((i - begin) / RNI_BATCH) * work->near_stride;
        add_list(s, i, count, from, found, row, HAS_HALVES(how), work);
    }
}

/* Memory for a group of at most `most` candidates; returns where its head is. */
RNI_INLINE uint32_t *open_group(fused_state *s, uint64_t most, piece_work *work)
{
    uint32_t *spare = work->scratch->group.data;
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

/* Density and lists of a piece: candidates from the rows around. */
RNI_INLINE void density_of_rows(fused_state *s, uint32_t piece, uint32_t worker, const find_how how)
{
    const uint32_t count = s->fluid->now.count, begin = piece * FUSED_PIECE;
    const uint32_t end = count - begin < FUSED_PIECE ? count : begin + FUSED_PIECE;
    piece_work work = begin_work(s, worker);
    cell_runs runs;
    row_cursor rows;
    begin_rows(s, begin, &rows);
    for (uint32_t i = begin, stop; i < end; i = stop) {
        advance_rows(s, i, &rows);
        stop = group_end(s, i, rows.end, end);
        const box b = box_of(s, i, stop);
        find_runs(s, &rows, &b, how.is_periodic, &runs);
        if (runs.particle_count > work.candidate_most) work.candidate_most = runs.particle_count;
        uint32_t *head = open_group(s, runs.particle_count, &work);
        if (runs.particle_count > s->candidate_capacity)
            continue; /* measured; there will be memory next time */
        const candidates from = {work.places, work.places + work.stride,
                                 work.places + 2 * (size_t)work.stride, head + FUSED_HEAD};
        const uint32_t found = near_box(s, &runs, &b, how.is_periodic, &from);
        fill_candidates(s, &from, found);
        work_group(s, how, i, stop, &from, FUSED_IN_ARRAYS, found, &work);
        close_group(head, i, stop, found, &work);
    }
    end_work(s, piece, &work);
}

/* The present positions of the candidates of a group. */
RNI_INLINE void fetch_places(const fused_state *s, const uint32_t *entries, uint32_t found, float *to)
{
    const float *x = s->fluid->now.position[0];
    for (const uint32_t *e = entries; e < entries + found; e += 4, to += FUSED_IN_BLOCKS) {
        size_t at[4];
        records_at(e, false, at);
        rni_v_transpose(x + at[0], x + at[1], x + at[2], x + at[3], to);
    }
}

/* The same with the candidates that the last evaluation found. */
RNI_INLINE void density_of_groups(fused_state *s, uint32_t piece, uint32_t worker,
                                  const rn_fluid_kernels kernels)
{
    const find_how how = {kernels, false, false, true};
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

/* Where an evaluation takes its candidates from. */
typedef enum find_from { FROM_ROWS, FROM_ROWS_PERIODIC, FROM_ROWS_WIDELY, FROM_GROUPS } find_from;

RNI_INLINE void find_with(fused_state *s, uint32_t piece, uint32_t worker,
                          const rn_fluid_kernels kernels, const find_from from)
{
    if (from == FROM_GROUPS) density_of_groups(s, piece, worker, kernels);
    else
        density_of_rows(
            s, piece, worker,
            (find_how){kernels, from == FROM_ROWS_PERIODIC, from == FROM_ROWS_WIDELY, true});
}

/* Without the density the kernels do not matter. */
RNI_INLINE void find_only(fused_state *s, uint32_t piece, uint32_t worker)
{
    if (rni_is_periodic(s->fluid))
        density_of_rows(s, piece, worker, (find_how){RN_KERNELS_WENDLAND, true, false, false});
    else density_of_rows(s, piece, worker, (find_how){RN_KERNELS_WENDLAND, false, false, false});
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
    if (!s->has_density) find_only(s, piece, worker);
    else if (s->is_reused) find_from_with(s, piece, worker, FROM_GROUPS);
    else if (rni_is_periodic(s->fluid)) find_from_with(s, piece, worker, FROM_ROWS_PERIODIC);
    else if (s->keeps == FUSED_KEEPS_LISTS) find_from_with(s, piece, worker, FROM_ROWS_WIDELY);
    else find_from_with(s, piece, worker, FROM_ROWS);
}
