/* The hot loops of the method "grid", written once. A file that includes this has defined, for its
 * instruction set,
 *     KERNEL_NAME, WIDTH          the name of the grid_kernel, the lanes of a vector
 *     vf, vu, vm                  vectors of float and uint32_t, a mask
 *     vf_set, vf_load, vf_store, vu_set, vu_load, vu_store, vf_sub, vf_add, vf_mul, vf_min, vf_max, vf_fold
 *     vf_le(a, b)                 mask of a <= b
 *     vm_all, vm_first(n)         mask of all lanes, of the first n (0 < n <= WIDTH)
 *     vm_and, vm_count
 *     vm_and_differs(m, a, b)     m where a != b;   vm_and_above(m, a, b): m where a > b
 *     vf_pack(to, m, v), vu_pack  stores the lanes of m one behind the other; may write WIDTH lanes
 *     vp, vm_lanes(m)             the lanes of m as a permutation; vf_take(p, v), vu_take: v by it
 *     vf_length_sq(x, y, z)       rounded in any way
 *     vf_load_first(p, n, v)      lanes below n from p, those of v in the others
 *     vf_lowest(v), vf_highest(v) over all lanes
 * Loads may run past the end of the points by less than RNI_ROWS_SPILL. */

#define INLINE static inline __attribute__((always_inline))

/* No difference to it is near anything. */
#define FAR_AWAY INFINITY

INLINE void pad_candidates(grid_scratch *scratch, uint32_t count)
{
    vf_store(scratch->x + count, vf_set(FAR_AWAY));
    vf_store(scratch->y + count, vf_set(FAR_AWAY));
    vf_store(scratch->z + count, vf_set(FAR_AWAY));
    vu_store(scratch->id + count, vu_set(UINT32_MAX));
}

/* The box of a cluster, spread over vectors. */
typedef struct vector_box {
    vf low_x, low_y, low_z, high_x, high_y, high_z, reach_sq;
} vector_box;

/* Takes one vector of points, of which `lanes` belong to the range; returns how many are near. */
INLINE uint32_t gather_vector(const grid_points *points, uint32_t begin, const vm lanes,
                              const vector_box *box, const grid_scratch *scratch, uint32_t count)
{
    vf x = vf_load(points->x + begin), y = vf_load(points->y + begin), z = vf_load(points->z + begin);
    vf dx = vf_sub(x, vf_min(vf_max(x, box->low_x), box->high_x));
    vf dy = vf_sub(y, vf_min(vf_max(y, box->low_y), box->high_y));
    vf dz = vf_sub(z, vf_min(vf_max(z, box->low_z), box->high_z));
    vm near = vm_and(vf_le(vf_length_sq(dx, dy, dz), box->reach_sq), lanes);
    vp order = vm_lanes(near);
    (void)order; /* one lane needs none */
    vf_store(scratch->x + count, vf_take(order, x));
    vf_store(scratch->y + count, vf_take(order, y));
    vf_store(scratch->z + count, vf_take(order, z));
    vu_store(scratch->id + count, vu_take(order, vu_load(points->id + begin)));
    return vm_count(near);
}

static uint32_t gather(const grid_points *points, const grid_range *ranges, uint32_t range_count,
                       const float low[3], const float high[3], float radius_sq, grid_scratch *out)
{
    /* The distance to the box may be rounded in any way, so the reach is a little longer. */
    const vector_box box = {vf_set(low[0]),
                            vf_set(low[1]),
                            vf_set(low[2]),
                            vf_set(high[0]),
                            vf_set(high[1]),
                            vf_set(high[2]),
                            vf_set(radius_sq * 1.000001f)};
    const grid_points from = *points;
    const grid_scratch scratch = *out;
    uint32_t count = 0;
    for (uint32_t r = 0; r < range_count; r++) {
        uint32_t k = ranges[r].begin;
        const uint32_t end = ranges[r].end;
        for (; end - k >= WIDTH; k += WIDTH) {
            count += gather_vector(&from, k, vm_all, &box, &scratch, count);
        }
        if (k < end) count += gather_vector(&from, k, vm_first(end - k), &box, &scratch, count);
    }
    pad_candidates(out, count);
    return count;
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

/* One point against the candidates; vector_count is a constant wherever it matters. */
INLINE uint32_t emit_point(const grid_points *points, uint32_t p, const grid_scratch *scratch,
                           const uint32_t vector_count, const rni_space *space,
                           const bool is_folded, const rni_want want, const rni_leave_out leave_out,
                           uint32_t *index, float *distance_sq)
{
    const vf x = vf_set(points->x[p]), y = vf_set(points->y[p]), z = vf_set(points->z[p]);
    const vf radius_sq =
        vf_set(points->radii_sq ? points->radii_sq[points->id[p]] : space->radius_sq);
    const vu self = vu_set(points->id[p]);
    uint32_t found = 0;
    for (uint32_t v = 0; v < vector_count; v++) {
        const uint32_t c = v * WIDTH;
        vf dx = vf_sub(x, vf_load(scratch->x + c));
        vf dy = vf_sub(y, vf_load(scratch->y + c));
        vf dz = vf_sub(z, vf_load(scratch->z + c));
        if (is_folded) {
            dx = vf_fold(dx, vf_set(space->half_period[0]), vf_set(space->period[0]));
            dy = vf_fold(dy, vf_set(space->half_period[1]), vf_set(space->period[1]));
            dz = vf_fold(dz, vf_set(space->half_period[2]), vf_set(space->period[2]));
        }
        vf d = vf_add(vf_add(vf_mul(dx, dx), vf_mul(dy, dy)), vf_mul(dz, dz));
        vm near = vf_le(d, radius_sq);
        vu id = vu_load(scratch->id + c);
        if (leave_out == RNI_LEAVE_SELF) near = vm_and_differs(near, id, self);
        if (leave_out == RNI_LEAVE_SMALLER) near = vm_and_above(near, id, self);
        if (want != RNI_WANT_COUNTS) vu_pack(index + found, near, id);
        if (want == RNI_WANT_DISTANCE) vf_pack(distance_sq + found, near, d);
        found += vm_count(near);
    }
    return found;
}

INLINE uint64_t emit_as(const grid_points *points, uint32_t begin, uint32_t end,
                        const grid_scratch *scratch, const uint32_t vector_count,
                        const rni_space *space, const bool is_folded, const rni_want want,
                        const rni_leave_out leave_out, uint32_t *counts, uint32_t *index,
                        float *distance_sq)
{
    const grid_points from = *points;
    const grid_scratch candidates = *scratch;
    uint64_t total = 0;
    for (uint32_t p = begin; p < end; p++) {
        uint32_t found = emit_point(&from, p, &candidates, vector_count, space, is_folded, want,
                                    leave_out, index, distance_sq);
        counts[p - begin] = found;
        if (want != RNI_WANT_COUNTS) index += found;
        if (want == RNI_WANT_DISTANCE) distance_sq += found;
        total += found;
    }
    return total;
}

#define EMIT(vectors, folded, want_, leave)                                                   \
    emit_as(points, begin, end, scratch, vectors, space, folded, want_, leave, counts, index, \
            distance_sq)
#define EMIT_LEAVE(folded, want_)                                                      \
    (leave_out == RNI_LEAVE_SELF   ? EMIT(vector_count, folded, want_, RNI_LEAVE_SELF) \
     : leave_out == RNI_LEAVE_NONE ? EMIT(vector_count, folded, want_, RNI_LEAVE_NONE) \
                                   : EMIT(vector_count, folded, want_, RNI_LEAVE_SMALLER))

static uint64_t emit(const grid_points *points, uint32_t begin, uint32_t end,
                     const grid_scratch *scratch, uint32_t candidate_count, const rni_space *space,
                     bool is_folded, rni_want want, rni_leave_out leave_out, uint32_t *counts,
                     uint32_t *index, float *distance_sq)
{
    const uint32_t vector_count = (candidate_count + WIDTH - 1) / WIDTH;
    if (is_folded) {
        if (want == RNI_WANT_INDEX) return EMIT_LEAVE(true, RNI_WANT_INDEX);
        if (want == RNI_WANT_COUNTS) return EMIT_LEAVE(true, RNI_WANT_COUNTS);
        return EMIT_LEAVE(true, RNI_WANT_DISTANCE);
    }
    if (want == RNI_WANT_INDEX && leave_out == RNI_LEAVE_SELF) {
        /* The common case: loops of fixed length, which end without a wrong guess. */
        switch (vector_count) {
        case 1: return EMIT(1, false, RNI_WANT_INDEX, RNI_LEAVE_SELF);
        case 2: return EMIT(2, false, RNI_WANT_INDEX, RNI_LEAVE_SELF);
        case 3: return EMIT(3, false, RNI_WANT_INDEX, RNI_LEAVE_SELF);
        case 4: return EMIT(4, false, RNI_WANT_INDEX, RNI_LEAVE_SELF);
        case 5: return EMIT(5, false, RNI_WANT_INDEX, RNI_LEAVE_SELF);
        case 6: return EMIT(6, false, RNI_WANT_INDEX, RNI_LEAVE_SELF);
        case 7: return EMIT(7, false, RNI_WANT_INDEX, RNI_LEAVE_SELF);
        case 8: return EMIT(8, false, RNI_WANT_INDEX, RNI_LEAVE_SELF);
        case 9: return EMIT(9, false, RNI_WANT_INDEX, RNI_LEAVE_SELF);
        default: break;
        }
    }
    if (want == RNI_WANT_INDEX) return EMIT_LEAVE(false, RNI_WANT_INDEX);
    if (want == RNI_WANT_COUNTS) return EMIT_LEAVE(false, RNI_WANT_COUNTS);
    return EMIT_LEAVE(false, RNI_WANT_DISTANCE);
}

static void bounds(const grid_points *points, uint32_t begin, uint32_t end, float low[3],
                   float high[3])
{
    const float *axes[3] = {points->x, points->y, points->z};
    for (int a = 0; a < 3; a++) {
        vf lowest = vf_set(axes[a][begin]), highest = lowest;
        for (uint32_t k = begin; k < end; k += WIDTH) {
            vf v = vf_load_first(axes[a] + k, end - k, lowest);
            lowest = vf_min(lowest, v);
            highest = vf_max(highest, vf_load_first(axes[a] + k, end - k, highest));
        }
        low[a] = vf_lowest(lowest);
        high[a] = vf_highest(highest);
    }
}

const grid_kernel KERNEL_NAME = {gather, gather_all, emit, bounds};
