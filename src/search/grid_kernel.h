/* The hot loops of the method "grid", written once. A file that includes this header has chosen
 * its lanes (base/lanes.h) and defined KERNEL_NAME, the name of the grid_kernel. Loads may read
 * past the end of the points by less than RNI_ROWS_SPILL. */

#define WIDTH ((uint32_t)RNI_LANES)

/* Vectors of indices that fit into the registers of the machine. */
#define HELD_VECTORS (RNI_LANES > 8 ? 20u : 8u)

/* A coordinate that is far from every point: no comparison with it holds. */
#define FAR_AWAY NAN

INLINE void pad_candidates(grid_scratch *scratch, uint32_t count)
{
    rni_v_store(scratch->x + count, rni_v_set(FAR_AWAY));
    rni_v_store(scratch->y + count, rni_v_set(FAR_AWAY));
    rni_v_store(scratch->z + count, rni_v_set(FAR_AWAY));
    rni_vu_store(scratch->id + count, rni_vu_set(UINT32_MAX));
}

/* The rounding is unspecified. */
INLINE rni_v length_sq(rni_v x, rni_v y, rni_v z)
{
    return rni_v_madd(rni_v_madd(x * x, y, y), z, z);
}

/* The box of a cluster, each bound in all lanes. */
typedef struct vector_box {
    rni_v low_x, low_y, low_z, high_x, high_y, high_z, reach_sq;
} vector_box;

INLINE void axis_bounds(const float *axis, uint32_t begin, uint32_t end, rni_v *low, rni_v *high)
{
    rni_v lowest = rni_v_set(axis[begin]), highest = lowest;
    for (uint32_t k = begin; k < end; k += WIDTH) {
        lowest = rni_v_min(lowest, rni_v_load_first(axis + k, end - k, lowest));
        highest = rni_v_max(highest, rni_v_load_first(axis + k, end - k, highest));
    }
    *low = rni_v_lowest(lowest);
    *high = rni_v_highest(highest);
}

INLINE vector_box box_of(const grid_points *points, uint32_t begin, uint32_t end)
{
    vector_box box = {.reach_sq = rni_v_set(0.0f)};
    axis_bounds(points->x, begin, end, &box.low_x, &box.high_x);
    axis_bounds(points->y, begin, end, &box.low_y, &box.high_y);
    axis_bounds(points->z, begin, end, &box.low_z, &box.high_z);
    return box;
}

INLINE grid_middle middle_of(const vector_box *box, float radius_sq)
{
    const float low[3] = {rni_v_first(box->low_x), rni_v_first(box->low_y), rni_v_first(box->low_z)};
    const float high[3] = {rni_v_first(box->high_x), rni_v_first(box->high_y),
                           rni_v_first(box->high_z)};
    return rni_grid_middle_of(low, high, radius_sq);
}

/* Copies the near points of one vector, of which `lanes` belong to the range; returns their
 * number. */
INLINE uint32_t gather_vector(const grid_points *points, uint32_t begin, const rni_vb lanes,
                              const vector_box *box, const grid_scratch *scratch, uint32_t count)
{
    rni_v x = rni_v_load(points->x + begin), y = rni_v_load(points->y + begin),
          z = rni_v_load(points->z + begin);
    /* Nearly every load here crosses a cache line. Loading twice, as compilers would, costs a
     * sixth of the gather. */
    rni_v_hold(x);
    rni_v_hold(y);
    rni_v_hold(z);
    rni_v dx = x - rni_v_min(rni_v_max(x, box->low_x), box->high_x);
    rni_v dy = y - rni_v_min(rni_v_max(y, box->low_y), box->high_y);
    rni_v dz = z - rni_v_min(rni_v_max(z, box->low_z), box->high_z);
    const rni_vb near = rni_vb_within(lanes, length_sq(dx, dy, dz), box->reach_sq);
    const rni_vo order = rni_vo_of(near);
    rni_v_put(scratch->x + count, order, x);
    rni_v_put(scratch->y + count, order, y);
    rni_v_put(scratch->z + count, order, z);
    rni_vu_put(scratch->id + count, order, rni_vu_load(points->id + begin));
    return rni_vb_count(near);
}

INLINE uint32_t gather_near(const grid_points *points, const grid_range *ranges,
                            uint32_t range_count, const vector_box *near, grid_scratch *out)
{
    const vector_box box = *near;
    const grid_points from = *points;
    const grid_scratch scratch = *out;
    uint32_t count = 0;
    for (uint32_t r = 0; r < range_count; r++) {
        uint32_t k = ranges[r].begin;
        const uint32_t end = ranges[r].end;
        for (; end - k >= WIDTH; k += WIDTH) {
            count += gather_vector(&from, k, rni_vb_all, &box, &scratch, count);
        }
        if (k < end) count += gather_vector(&from, k, rni_vb_first(end - k), &box, &scratch, count);
    }
    pad_candidates(out, count);
    return count;
}

/* The distance to the box may be rounded in any direction, so the reach is slightly longer. */
#define REACH_SQ(radius_sq) rni_v_set((radius_sq)*1.000001f)

static uint32_t gather(const grid_points *points, const grid_range *ranges, uint32_t range_count,
                       const float low[3], const float high[3], float radius_sq, grid_scratch *out)
{
    const vector_box box = {rni_v_set(low[0]),  rni_v_set(low[1]),  rni_v_set(low[2]),
                            rni_v_set(high[0]), rni_v_set(high[1]), rni_v_set(high[2]),
                            REACH_SQ(radius_sq)};
    return gather_near(points, ranges, range_count, &box, out);
}

static uint32_t gather_cluster(const grid_points *own, uint32_t begin, uint32_t end,
                               const grid_points *points, const grid_range *ranges,
                               uint32_t range_count, float radius_sq, grid_scratch *out,
                               grid_middle *middle)
{
    vector_box box = box_of(own, begin, end);
    box.reach_sq = REACH_SQ(radius_sq);
    *middle = middle_of(&box, radius_sq);
    return gather_near(points, ranges, range_count, &box, out);
}

static uint32_t gather_all(const grid_points *points, const grid_range *ranges,
                           uint32_t range_count, grid_scratch *scratch)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < range_count; r++) {
        uint32_t begin = ranges[r].begin, length = ranges[r].end - begin;
        memcpy(scratch->x + count, points->x + begin, length * sizeof(float));
        memcpy(scratch->y + count, points->y + begin, length * sizeof(float));
        memcpy(scratch->z + count, points->z + begin, length * sizeof(float));
        memcpy(scratch->id + count, points->id + begin, length * sizeof(uint32_t));
        count += length;
    }
    pad_candidates(scratch, count);
    return count;
}

/* The difference to the nearest image along a periodic axis, as rni_fold. */
INLINE rni_v fold(rni_v d, float half, float period)
{
    d = rni_v_add_where(rni_v_less(rni_v_set(half), d), d, rni_v_set(-period));
    return rni_v_add_where(rni_v_less(d, rni_v_set(-half)), d, rni_v_set(period));
}

/* The shared distance, rni_distance_sq, to a vector of candidates. */
INLINE rni_v shared_distance_sq(rni_v x, rni_v y, rni_v z, const grid_scratch *scratch, uint32_t c,
                                const rni_space *space, const bool is_folded)
{
    rni_v dx = x - rni_v_load(scratch->x + c);
    rni_v dy = y - rni_v_load(scratch->y + c);
    rni_v dz = z - rni_v_load(scratch->z + c);
    if (is_folded) {
        dx = fold(dx, space->half_period[0], space->period[0]);
        dy = fold(dy, space->half_period[1], space->period[1]);
        dz = fold(dz, space->half_period[2], space->period[2]);
    }
    return dx * dx + dy * dy + dz * dz;
}

INLINE float radius_sq_of(const grid_points *points, uint32_t p, const rni_space *space)
{
    return points->radii_sq ? points->radii_sq[points->id[p]] : space->radius_sq;
}

/* One point against the candidates, by the shared distance. */
INLINE uint32_t emit_point(const grid_points *points, uint32_t p, const grid_scratch *scratch,
                           const uint32_t vector_count, const rni_space *space,
                           const bool is_folded, const rni_want want, const rni_leave_out leave_out,
                           uint32_t *index, float *distance_sq)
{
    const rni_v x = rni_v_set(points->x[p]), y = rni_v_set(points->y[p]), z = rni_v_set(points->z[p]);
    const rni_v radius_sq = rni_v_set(radius_sq_of(points, p, space));
    const rni_vu self = rni_vu_set(points->id[p]);
    uint32_t found = 0;
    for (uint32_t c = 0; c < vector_count * WIDTH; c += WIDTH) {
        const rni_v d = shared_distance_sq(x, y, z, scratch, c, space, is_folded);
        rni_vb near = rni_vb_within(rni_vb_all, d, radius_sq);
        rni_vu id = rni_vu_load(scratch->id + c);
        if (leave_out == RNI_LEAVE_SELF) near = rni_vb_differ(near, id, self);
        if (leave_out == RNI_LEAVE_SMALLER) near = rni_vb_above(near, id, self);
        if (want != RNI_WANT_COUNTS) rni_vu_pack(index + found, near, id);
        if (want == RNI_WANT_DISTANCE) rni_v_pack(distance_sq + found, near, d);
        found += rni_vb_count(near);
    }
    return found;
}

INLINE uint64_t emit_as(const grid_question *q, const bool is_folded, const rni_want want,
                        const rni_leave_out leave_out, uint32_t *counts, uint32_t *index,
                        float *distance_sq)
{
    const grid_points from = *q->points;
    const grid_scratch candidates = *q->scratch;
    const uint32_t vector_count = (q->candidate_count + WIDTH - 1) / WIDTH;
    uint64_t total = 0;
    for (uint32_t p = q->begin; p < q->end; p++) {
        uint32_t found = emit_point(&from, p, &candidates, vector_count, q->space, is_folded, want,
                                    leave_out, index, distance_sq);
        counts[p - q->begin] = found;
        if (want != RNI_WANT_COUNTS) index += found;
        if (want == RNI_WANT_DISTANCE) distance_sq += found;
        total += found;
    }
    return total;
}

#define EMIT(folded, want_, leave) emit_as(q, folded, want_, leave, counts, index, distance_sq)
#define EMIT_LEAVE(folded, want_)                                           \
    (q->leave_out == RNI_LEAVE_SELF   ? EMIT(folded, want_, RNI_LEAVE_SELF) \
     : q->leave_out == RNI_LEAVE_NONE ? EMIT(folded, want_, RNI_LEAVE_NONE) \
                                      : EMIT(folded, want_, RNI_LEAVE_SMALLER))
#define EMIT_FOLDED(want_) (q->is_folded ? EMIT_LEAVE(true, want_) : EMIT_LEAVE(false, want_))

/* --- masks ------------------------------------------------------------------------------------
 *
 * Lists are made in two steps: masks mark the near candidates of each point, then the masks are
 * packed into lists. In a single loop the tests would wait for the list positions, which depend
 * on all previous tests: 50 % slower.
 *
 * The quick test: let u and v be the positions of a candidate and of a point relative to the
 * middle of the cluster. The pair is near when |u|^2 - 2 u.v <= r^2 - |v|^2: three multiply-adds
 * and a comparison, where the shared distance takes eight operations and a comparison. Its
 * rounding differs, so it only decides outside of a margin (see grid_middle). A point with a
 * candidate inside the margin is tested again, by the shared distance. */

#if RNI_LANES > 1
/* Fewer points are tested exactly: the quick test processes four at once. */
#define LEAST_QUICK 3u

/* Points of the cluster relative to its middle: 2 v, and the right-hand side with the margin. */
typedef struct seen_points {
    float x[WIDTH], y[WIDTH], z[WIDTH], limit[WIDTH];
} seen_points;

_Static_assert(sizeof(seen_points) <= GRID_SEEN_FLOATS * sizeof(float), "see grid.h");

INLINE void see_points(const grid_points *points, uint32_t begin, uint32_t count,
                       const grid_middle *middle, const rni_space *space, seen_points *out)
{
    const rni_v x = rni_v_load(points->x + begin) - middle->x;
    const rni_v y = rni_v_load(points->y + begin) - middle->y;
    const rni_v z = rni_v_load(points->z + begin) - middle->z;
    rni_v radius_sq = rni_v_set(space->radius_sq);
    if (points->radii_sq) {
        float own[WIDTH] = {0.0f};
        for (uint32_t k = 0; k < count; k++) own[k] = points->radii_sq[points->id[begin + k]];
        radius_sq = rni_v_load(own);
    }
    rni_v_store(out->x, x + x);
    rni_v_store(out->y, y + y);
    rni_v_store(out->z, z + z);
    rni_v_store(out->limit, radius_sq - length_sq(x, y, z) + middle->margin);
}

/* Forces memory to be read again. Otherwise compilers broadcast the values of a point into
 * vectors on the stack before the loop, although the processor can broadcast them while loading. */
#define READ_AGAIN() __asm__ volatile("" : : : "memory")

/* Tests points n .. n + 3 against a vector of candidates; see mark_points. */
#define TEST(t, n, least)                         \
    rni_v t = square - rni_v_set(seen->limit[n]); \
    t = rni_v_msub(t, rni_v_set(seen->x[n]), x);  \
    t = rni_v_msub(t, rni_v_set(seen->y[n]), y);  \
    t = rni_v_msub(t, rni_v_set(seen->z[n]), z);  \
    (least) = rni_vu_min_signed(least, rni_vu_bits_of(t))
#define MARK_FOUR(n)                                   \
    {                                                  \
        TEST(t0, (n), least_0);                        \
        TEST(t1, (n) + 1, least_1);                    \
        TEST(t2, (n) + 2, least_2);                    \
        TEST(t3, (n) + 3, least_3);                    \
        rni_v_store_signs(near + (n), t0, t1, t2, t3); \
    }

/* Tests the first 4 * fours points against all candidates: near[c * WIDTH + n] becomes the mask
 * of the candidates of vector c that are near point n. The inner loop is over points, so that
 * only the end of the outer loop can be mispredicted and each candidate is loaded once. The sign
 * of the difference to the limit marks near candidates. As a signed integer, the negative float
 * closest to zero is the smallest, so one comparison shows whether any candidate is in doubt.
 * Returns a bit for each point that may be in doubt. */
INLINE uint32_t mark_points(const seen_points *seen, const uint32_t fours,
                            const grid_scratch *scratch, uint32_t vector_count,
                            const grid_middle *middle, uint16_t *near)
{
    const rni_v middle_x = rni_v_set(middle->x), middle_y = rni_v_set(middle->y),
                middle_z = rni_v_set(middle->z);
    const rni_vu most = rni_vu_set(INT32_MAX),
                 doubt = rni_vu_bits_of(rni_v_set(-2.0f * middle->margin));
    const float *from_x = scratch->x, *from_y = scratch->y, *from_z = scratch->z;
    rni_vu least_0 = most, least_1 = most, least_2 = most, least_3 = most;
    for (uint32_t c = 0; c < vector_count * WIDTH; c += WIDTH, near += WIDTH) {
        const rni_v x = rni_v_load(from_x + c) - middle_x;
        const rni_v y = rni_v_load(from_y + c) - middle_y;
        const rni_v z = rni_v_load(from_z + c) - middle_z;
        const rni_v square = length_sq(x, y, z);
        READ_AGAIN();
        MARK_FOUR(0)
        if (fours > 1) MARK_FOUR(4)
#if RNI_LANES > 8
        if (fours > 2) MARK_FOUR(8)
        if (fours > 3) MARK_FOUR(12)
#endif
    }
    uint32_t in_doubt = 0;
    if (__builtin_expect(rni_vu_any_less_signed(rni_vu_min_signed(rni_vu_min_signed(least_0, least_1),
                                                                  rni_vu_min_signed(least_2, least_3)),
                                                doubt),
                         0)) {
        const rni_vu least[4] = {least_0, least_1, least_2, least_3};
        for (uint32_t n = 0; n < 4; n++)
            if (rni_vu_any_less_signed(least[n], doubt)) in_doubt |= 0x1111u << n;
    }
    return in_doubt;
}

static uint32_t mark(const seen_points *seen, uint32_t count, const grid_scratch *scratch,
                     uint32_t vector_count, const grid_middle *middle, uint16_t *near)
{
    uint32_t in_doubt = 0;
    if (count <= 4) in_doubt = mark_points(seen, 1, scratch, vector_count, middle, near);
#if RNI_LANES > 8
    else if (count > 12) in_doubt = mark_points(seen, 4, scratch, vector_count, middle, near);
    else if (count > 8) in_doubt = mark_points(seen, 3, scratch, vector_count, middle, near);
#endif
    else in_doubt = mark_points(seen, 2, scratch, vector_count, middle, near);
    return in_doubt & ((1u << count) - 1u);
}

/* Marks the near candidates of one point by the shared distance. */
INLINE void mark_exactly_as(const grid_question *q, uint32_t p, const bool is_folded, uint16_t *near)
{
    const grid_points *points = q->points;
    const rni_v x = rni_v_set(points->x[p]), y = rni_v_set(points->y[p]), z = rni_v_set(points->z[p]);
    const rni_v radius_sq = rni_v_set(radius_sq_of(points, p, q->space));
    for (uint32_t c = 0; c < q->candidate_count; c += WIDTH) {
        const rni_v d = shared_distance_sq(x, y, z, q->scratch, c, q->space, is_folded);
        near[c] = (uint16_t)rni_vb_within(rni_vb_all, d, radius_sq);
    }
}

static __attribute__((noinline)) void mark_exactly(const grid_question *q, uint32_t p, uint16_t *near)
{
    if (q->is_folded) mark_exactly_as(q, p, true, near);
    else mark_exactly_as(q, p, false, near);
}

/* Unmarks what is behind the last candidate: the sign of a coordinate that is no number is up to the compiler. */
INLINE void unmark_padding(uint32_t candidate_count, uint32_t vector_count, uint16_t *near)
{
    if (vector_count == 0) return;
    const uint32_t in_last = candidate_count - (vector_count - 1) * WIDTH;
    const uint16_t those = (uint16_t)((1u << in_last) - 1u);
    near += (size_t)(vector_count - 1) * WIDTH;
    for (uint32_t k = 0; k < WIDTH; k++) near[k] &= those;
}

/* Marks points first .. first + count - 1, at most WIDTH of them; returns how many the quick
 * test left in doubt. */
static uint32_t mark_all(const grid_question *q, uint32_t first, uint32_t count,
                         uint32_t vector_count, uint16_t *near)
{
    if (q->middle.margin <= 0.0f || count < LEAST_QUICK) {
        for (uint32_t k = 0; k < count; k++) mark_exactly(q, first + k, near + k);
        return 0;
    }
    seen_points *seen = q->scratch->seen;
    see_points(q->points, first, count, &q->middle, q->space, seen);
    uint32_t in_doubt = mark(seen, count, q->scratch, vector_count, &q->middle, near), doubtful = 0;
    unmark_padding(q->candidate_count, vector_count, near);
    for (; in_doubt; in_doubt &= in_doubt - 1, doubtful++) {
        const uint32_t k = (uint32_t)__builtin_ctz(in_doubt);
        mark_exactly(q, first + k, near + k);
    }
    return doubtful;
}

/* Clears unwanted candidates from the masks of a point whose own candidate index is not known. */
static void leave_marked(const uint32_t *id, uint32_t vector_count, uint32_t own_id,
                         rni_leave_out leave_out, uint16_t *near)
{
    const rni_vu self = rni_vu_set(own_id);
    for (uint32_t c = 0; c < vector_count * WIDTH; c += WIDTH) {
        const rni_vb marked = rni_vb_of_bits(near[c]);
        near[c] = (uint16_t)(leave_out == RNI_LEAVE_SELF
                                 ? rni_vb_differ(marked, rni_vu_load(id + c), self)
                                 : rni_vb_above(marked, rni_vu_load(id + c), self));
    }
}

/* The same where candidate `own` is the first point, the next candidate the second point, and so
 * on. */
static void leave_self(uint16_t *near, uint32_t own, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++, own++)
        near[own / WIDTH * WIDTH + k] &= (uint16_t) ~(1u << own % WIDTH);
}

/* Writes the candidates in the masks of `count` points as consecutive lists. Where the compiler
 * knows the number of vectors, the end of the loop needs no branch prediction and the indices
 * stay in registers. Where self is 1, candidate k is point k itself and is left out. */
INLINE uint32_t *pack_points(const uint16_t *near, const uint32_t *id, const uint32_t vector_count,
                             uint32_t self, uint32_t count, uint32_t *counts, uint32_t *index)
{
    rni_vu held[HELD_VECTORS];
    for (uint32_t c = 0; c < vector_count && c < HELD_VECTORS; c++)
        held[c] = rni_vu_load(id + c * WIDTH);
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t *const begin = index;
        for (uint32_t c = 0; c < vector_count; c++) {
            uint32_t m = near[c * WIDTH + k];
            if (c == 0) m &= ~(self << k);
            rni_vu_pack(index, rni_vb_of_bits(m),
                        c < HELD_VECTORS ? held[c] : rni_vu_load(id + c * WIDTH));
            index += __builtin_popcountll(m);
        }
        counts[k] = (uint32_t)(index - begin);
    }
    return index;
}

#define PACK_CASE(n) \
    case n: return pack_points(near, id, n, self, count, counts, index);

static uint32_t *pack(const uint16_t *near, const uint32_t *id, uint32_t vector_count,
                      uint32_t self, uint32_t count, uint32_t *counts, uint32_t *index)
{
    switch (vector_count) {
        PACK_CASE(1)
        PACK_CASE(2)
        PACK_CASE(3)
        PACK_CASE(4)
        PACK_CASE(5)
        PACK_CASE(6)
        PACK_CASE(7)
        PACK_CASE(8)
        PACK_CASE(9)
        PACK_CASE(10)
        PACK_CASE(11)
        PACK_CASE(12)
        PACK_CASE(13)
        PACK_CASE(14)
        PACK_CASE(15)
        PACK_CASE(16)
        PACK_CASE(17)
        PACK_CASE(18)
        PACK_CASE(19)
        PACK_CASE(20)
    default: return pack_points(near, id, vector_count, self, count, counts, index);
    }
}

/* Counts instead of lists. Bits are summed in pairs, fours and bytes, for all points at once. */
static void count_marked(const uint16_t *near, uint32_t vector_count, uint32_t count, uint32_t *counts)
{
    uint32_t found[WIDTH] = {0};
    for (uint32_t c = 0; c < vector_count; c++, near += WIDTH) {
        for (uint32_t k = 0; k < WIDTH; k++) {
            uint16_t m = near[k];
            m = (uint16_t)(m - (m >> 1 & 0x5555));
            m = (uint16_t)((m & 0x3333) + (m >> 2 & 0x3333));
            m = (uint16_t)((m + (m >> 4)) & 0x0f0f);
            found[k] += (uint8_t)(m + (m >> 8));
        }
    }
    memcpy(counts, found, count * sizeof *counts);
}

static uint64_t emit_marked(const grid_question *q, uint32_t *counts, uint32_t *index,
                            uint32_t *doubtful)
{
    const uint32_t vector_count = (q->candidate_count + WIDTH - 1) / WIDTH;
    const uint32_t *const index_begin = index, *const id = q->scratch->id;
    uint16_t *const near = q->scratch->near;
    for (uint32_t first = q->begin; first < q->end; first += WIDTH) {
        const uint32_t count = q->end - first < WIDTH ? q->end - first : WIDTH;
        *doubtful += mark_all(q, first, count, vector_count, near);
        uint32_t self = 0;
        if (q->leave_out == RNI_LEAVE_SELF && q->own_at != UINT32_MAX) {
            const uint32_t own = q->own_at + (first - q->begin);
            if (own == 0 && q->want == RNI_WANT_INDEX) self = 1;
            else leave_self(near, own, count);
        } else if (q->leave_out != RNI_LEAVE_NONE) {
            for (uint32_t k = 0; k < count; k++)
                leave_marked(id, vector_count, q->points->id[first + k], q->leave_out, near + k);
        }
        if (q->want == RNI_WANT_COUNTS) count_marked(near, vector_count, count, counts);
        else index = pack(near, id, vector_count, self, count, counts, index);
        counts += count;
    }
    return (uint64_t)(index - index_begin);
}

#endif

static uint64_t emit(const grid_question *q, uint32_t *counts, uint32_t *index, float *distance_sq,
                     uint32_t *doubtful)
{
#if RNI_LANES > 1
    if (q->want != RNI_WANT_DISTANCE) return emit_marked(q, counts, index, doubtful);
#else
    (void)doubtful; /* masks are no faster with one lane */
    if (q->want == RNI_WANT_INDEX) return EMIT_FOLDED(RNI_WANT_INDEX);
    if (q->want == RNI_WANT_COUNTS) return EMIT_FOLDED(RNI_WANT_COUNTS);
#endif
    return EMIT_FOLDED(RNI_WANT_DISTANCE);
}

/* --- cells of positions: the vector form of cell_of (grid_cells.h) ---------------------------- */

#define FETCH_AHEAD       2048u      /* bytes */
#define MAX_GATHER_STRIDE (1u << 26) /* offsets are signed 32-bit integers */

INLINE rni_vu axis_cells(const cell_map *map, rni_v p, int axis, const bool is_clipped)
{
    rni_v cell = (p - map->low[axis]) * map->scale[axis];
    if (is_clipped) {
        cell = cell + map->pad;
        cell = rni_v_min(rni_v_max(cell, rni_v_set(0.0f)), rni_v_set(map->top[axis]));
    }
    return rni_vu_of_floats(cell);
}

INLINE void cells_as(const cell_map *shared_map, const unsigned char *position, size_t stride_bytes,
                     uint32_t count, const uint32_t dim, const bool is_clipped, uint32_t *out)
{
    const cell_map map = *shared_map;
    const size_t fetch_step = stride_bytes < RNI_ALIGNMENT ? RNI_ALIGNMENT : stride_bytes;
    const uint32_t vector_end = stride_bytes <= MAX_GATHER_STRIDE ? count / WIDTH * WIDTH : 0;
    uint32_t k = 0;
    for (; k < vector_end; k += WIDTH) {
        const unsigned char *at = position + k * stride_bytes;
        /* gather loads do not trigger the hardware prefetcher */
        for (size_t b = 0; b < WIDTH * stride_bytes; b += fetch_step)
            __builtin_prefetch(at + FETCH_AHEAD + b);
        rni_v p[3];
        rni_v_load_points(at, stride_bytes, NULL, dim, p);
        rni_vu cell = axis_cells(&map, p[0], 0, is_clipped);
        rni_vu y = axis_cells(&map, p[1], 1, is_clipped);
        cell = rni_vu_add(cell, rni_vu_mul(y, rni_vu_set(map.stride_y)));
        if (dim == 3) {
            rni_vu z = axis_cells(&map, p[2], 2, is_clipped);
            cell = rni_vu_add(cell, rni_vu_mul(z, rni_vu_set(map.stride_z)));
        }
        rni_vu_store(out + k, cell);
    }
    for (; k < count; k++) {
        const float *at = (const float *)(const void *)(position + k * stride_bytes);
        const float p[3] = {at[0], at[1], dim == 3 ? at[2] : 0.0f};
        out[k] = cell_of(&map, p, is_clipped);
    }
}

static void cells(const cell_map *map, const unsigned char *position, size_t stride_bytes,
                  uint32_t count, uint32_t dim, bool is_clipped, uint32_t *out)
{
    if (dim == 3 && !is_clipped) cells_as(map, position, stride_bytes, count, 3, false, out);
    else if (dim == 3) cells_as(map, position, stride_bytes, count, 3, true, out);
    else cells_as(map, position, stride_bytes, count, 2, true, out);
}

INLINE void take_as(const unsigned char *position, size_t stride_bytes, uint32_t count,
                    const uint32_t dim, const uint32_t *id, uint32_t begin, uint32_t end, float *x,
                    float *y, float *z)
{
    uint32_t k = begin;
    if (stride_bytes <= INT32_MAX / (count | 1u)) { /* 32-bit offsets suffice */
        for (; end - k >= WIDTH; k += WIDTH) {
            rni_v p[3];
            rni_v_load_points(position, stride_bytes, id + k, dim, p);
            rni_v_store(x + k, p[0]);
            rni_v_store(y + k, p[1]);
            rni_v_store(z + k, p[2]);
        }
    }
    for (; k < end; k++) {
        const float *at = (const float *)(const void *)(position + id[k] * stride_bytes);
        x[k] = at[0];
        y[k] = at[1];
        z[k] = dim == 3 ? at[2] : 0.0f;
    }
}

static void take(const unsigned char *position, size_t stride_bytes, uint32_t count, uint32_t dim,
                 const uint32_t *id, uint32_t begin, uint32_t end, float *x, float *y, float *z)
{
    if (dim == 3) take_as(position, stride_bytes, count, 3, id, begin, end, x, y, z);
    else take_as(position, stride_bytes, count, 2, id, begin, end, x, y, z);
}

static uint32_t cut(const uint32_t *cell, uint32_t count, uint32_t first, uint32_t *run_cell,
                    uint32_t *run_begin)
{
    uint32_t found = 0;
    for (uint32_t k = 0; k < count; k += WIDTH) {
        const rni_vb lanes = count - k < WIDTH ? rni_vb_first(count - k) : rni_vb_all;
        const rni_vu here = rni_vu_load(cell + k);
        const rni_vb is_new = rni_vb_differ(lanes, here, rni_vu_load(cell + k - 1));
        rni_vu_pack(run_cell + found, is_new, here);
        rni_vu_pack(run_begin + found, is_new, rni_vu_add(rni_vu_set(first + k), rni_vu_lanes()));
        found += rni_vb_count(is_new);
    }
    return found;
}

static void number(const grid_run *runs, uint32_t run_count, uint32_t *place, uint32_t *id)
{
    for (const grid_run *run = runs; run < runs + run_count; run++) {
        uint32_t *to = id + place[run->cell];
        place[run->cell] += run->count;
        for (uint32_t k = 0; k < run->count; k += WIDTH)
            rni_vu_store_first(to + k, run->count - k,
                               rni_vu_add(rni_vu_set(run->begin + k), rni_vu_lanes()));
    }
}

/* Compares several at once, since the number of steps is unpredictable. */
INLINE uint32_t pass_some(const uint32_t *ascending, uint32_t at, uint32_t end, uint32_t limit)
{
    while (at < end) {
        const rni_vb lanes = end - at < WIDTH ? rni_vb_first(end - at) : rni_vb_all;
        const uint32_t below =
            rni_vb_count(rni_vb_above(lanes, rni_vu_set(limit), rni_vu_load(ascending + at)));
        at += below;
        if (below < WIDTH) break;
    }
    return at;
}

static uint32_t pass(const uint32_t *ascending, uint32_t at, uint32_t end, uint32_t limit)
{
    return pass_some(ascending, at, end, limit);
}

static void walk(grid_walk *walk, const uint32_t *column, uint32_t first, uint32_t past)
{
    for (uint32_t r = 0; r < walk->count; r++) {
        const uint32_t row_end = walk->around[r].row_end;
        const uint32_t begin = pass_some(column, walk->around[r].begin, row_end, first);
        const uint32_t from = walk->around[r].end < begin ? begin : walk->around[r].end;
        walk->around[r].begin = begin;
        walk->around[r].end = pass_some(column, from, row_end, past);
    }
}

static void bounds(const grid_points *points, uint32_t begin, uint32_t end, float low[3],
                   float high[3])
{
    const vector_box box = box_of(points, begin, end);
    low[0] = rni_v_first(box.low_x), high[0] = rni_v_first(box.high_x);
    low[1] = rni_v_first(box.low_y), high[1] = rni_v_first(box.high_y);
    low[2] = rni_v_first(box.low_z), high[2] = rni_v_first(box.high_z);
}

const grid_kernel KERNEL_NAME = {
    .gather = gather,
    .gather_cluster = gather_cluster,
    .gather_all = gather_all,
    .emit = emit,
    .bounds = bounds,
    .pass = pass,
    .walk = walk,
    .cells = cells,
    .take = take,
    .cut = cut,
    .number = number,
};
