/* The hot loops of the method "grid", written once. A file that includes this has defined, for its
 * instruction set,
 *     KERNEL_NAME, WIDTH          the name of the grid_kernel, the lanes of a vector
 *     vf, vu, vm                  vectors of float and uint32_t, a mask
 *     vf_set, vf_load, vu_set, vu_load, vf_sub, vf_add, vf_mul, vf_min, vf_max, vf_fold
 *     vf_le(a, b)                 mask of a <= b
 *     vm_first(n)                 mask of the first n lanes, all when n >= WIDTH; n > 0
 *     vm_and, vm_count
 *     vm_and_differs(m, a, b)     m where a != b;   vm_and_above(m, a, b): m where a > b
 *     vf_pack(to, m, v), vu_pack  stores the lanes of m one behind the other; may write WIDTH lanes
 *     vf_load_first(p, n, v)      lanes below n from p, those of v in the others
 *     vf_lowest(v), vf_highest(v) over all lanes
 * Loads may run past the end of the points by less than RNI_ROWS_SPILL. */

#define INLINE static inline __attribute__((always_inline))

/* No difference to it is near anything. */
#define FAR_AWAY INFINITY

INLINE void pad_candidates(grid_scratch *scratch, uint32_t count)
{
    for (uint32_t k = 0; k < WIDTH; k++) {
        scratch->x[count + k] = scratch->y[count + k] = scratch->z[count + k] = FAR_AWAY;
        scratch->id[count + k] = UINT32_MAX;
    }
}

static uint32_t gather(const grid_points *points, const grid_range *ranges, uint32_t range_count,
                       const float low[3], const float high[3], float reach_sq, grid_scratch *scratch)
{
    const vf low_x = vf_set(low[0]), low_y = vf_set(low[1]), low_z = vf_set(low[2]);
    const vf high_x = vf_set(high[0]), high_y = vf_set(high[1]), high_z = vf_set(high[2]);
    const vf reach = vf_set(reach_sq);
    const float *px = points->x, *py = points->y, *pz = points->z;
    const uint32_t *pid = points->id;
    float *cx = scratch->x, *cy = scratch->y, *cz = scratch->z;
    uint32_t *cid = scratch->id;
    uint32_t count = 0;
    for (uint32_t r = 0; r < range_count; r++) {
        const uint32_t end = ranges[r].end;
        for (uint32_t k = ranges[r].begin; k < end; k += WIDTH) {
            vf x = vf_load(px + k), y = vf_load(py + k), z = vf_load(pz + k);
            vf dx = vf_sub(x, vf_min(vf_max(x, low_x), high_x));
            vf dy = vf_sub(y, vf_min(vf_max(y, low_y), high_y));
            vf dz = vf_sub(z, vf_min(vf_max(z, low_z), high_z));
            vf distance_sq = vf_add(vf_add(vf_mul(dx, dx), vf_mul(dy, dy)), vf_mul(dz, dz));
            vm near = vf_le(distance_sq, reach);
            near = vm_and(near, vm_first(end - k));
            vf_pack(cx + count, near, x);
            vf_pack(cy + count, near, y);
            vf_pack(cz + count, near, z);
            vu_pack(cid + count, near, vu_load(pid + k));
            count += vm_count(near);
        }
    }
    pad_candidates(scratch, count);
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

INLINE uint64_t emit_as(const grid_points *points, uint32_t begin, uint32_t end,
                        const grid_scratch *scratch, uint32_t candidate_count, const rni_space *space,
                        const bool is_folded, const rni_want want, const rni_leave_out leave_out,
                        uint32_t *counts, uint32_t *index, float *distance_sq)
{
    const vf radius_sq = vf_set(space->radius_sq);
    const vf period_x = vf_set(space->period[0]), half_x = vf_set(space->half_period[0]);
    const vf period_y = vf_set(space->period[1]), half_y = vf_set(space->half_period[1]);
    const vf period_z = vf_set(space->period[2]), half_z = vf_set(space->half_period[2]);
    const float *cx = scratch->x, *cy = scratch->y, *cz = scratch->z;
    const uint32_t *cid = scratch->id;
    uint64_t total = 0;
    for (uint32_t p = begin; p < end; p++) {
        const vf x = vf_set(points->x[p]), y = vf_set(points->y[p]), z = vf_set(points->z[p]);
        const vu self = vu_set(points->id[p]);
        uint32_t found = 0;
        for (uint32_t c = 0; c < candidate_count; c += WIDTH) {
            vf dx = vf_sub(x, vf_load(cx + c));
            vf dy = vf_sub(y, vf_load(cy + c));
            vf dz = vf_sub(z, vf_load(cz + c));
            if (is_folded) {
                dx = vf_fold(dx, half_x, period_x);
                dy = vf_fold(dy, half_y, period_y);
                dz = vf_fold(dz, half_z, period_z);
            }
            vf d = vf_add(vf_add(vf_mul(dx, dx), vf_mul(dy, dy)), vf_mul(dz, dz));
            vm near = vf_le(d, radius_sq);
            vu id = vu_load(cid + c);
            if (leave_out == RNI_LEAVE_SELF) near = vm_and_differs(near, id, self);
            if (leave_out == RNI_LEAVE_SMALLER) near = vm_and_above(near, id, self);
            if (want != RNI_WANT_COUNTS) vu_pack(index + found, near, id);
            if (want == RNI_WANT_DISTANCE) vf_pack(distance_sq + found, near, d);
            found += vm_count(near);
        }
        counts[p - begin] = found;
        if (want != RNI_WANT_COUNTS) index += found;
        if (want == RNI_WANT_DISTANCE) distance_sq += found;
        total += found;
    }
    return total;
}

#define EMIT(folded, want_, leave)                                                             \
    emit_as(points, begin, end, scratch, candidate_count, space, folded, want_, leave, counts, \
            index, distance_sq)
#define EMIT_LEAVE(folded, want_)                                        \
    (leave_out == RNI_LEAVE_SELF   ? EMIT(folded, want_, RNI_LEAVE_SELF) \
     : leave_out == RNI_LEAVE_NONE ? EMIT(folded, want_, RNI_LEAVE_NONE) \
                                   : EMIT(folded, want_, RNI_LEAVE_SMALLER))

static uint64_t emit(const grid_points *points, uint32_t begin, uint32_t end,
                     const grid_scratch *scratch, uint32_t candidate_count, const rni_space *space,
                     bool is_folded, rni_want want, rni_leave_out leave_out, uint32_t *counts,
                     uint32_t *index, float *distance_sq)
{
    if (is_folded) {
        if (want == RNI_WANT_INDEX) return EMIT_LEAVE(true, RNI_WANT_INDEX);
        if (want == RNI_WANT_COUNTS) return EMIT_LEAVE(true, RNI_WANT_COUNTS);
        return EMIT_LEAVE(true, RNI_WANT_DISTANCE);
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
