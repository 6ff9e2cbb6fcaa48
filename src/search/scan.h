/* Tests one point against a run of consecutive points: the inner loop of the methods that sort
 * points by cell. Without branches, since near and far alternate too often to be predicted. */
#ifndef RNI_SEARCH_SCAN_H
#define RNI_SEARCH_SCAN_H

#include "search/method.h"

/* H-masks: cells of radius / H, so that a row reaches H cells on either side. */
#define RNI_MAX_H         3u
#define RNI_MAX_SIDE      (2u * RNI_MAX_H + 1u)
#define RNI_MAX_MASK_ROWS (RNI_MAX_SIDE * RNI_MAX_SIDE)
#define RNI_MAX_MASK      (RNI_MAX_MASK_ROWS * RNI_MAX_SIDE)

/* gap_sq[h + s]: the squared distance along one axis, in cells, from a point at `inside` (0 to 1)
 * of its own cell to the cell s further, s from -h to h. */
static inline void rni_mask_gaps(double inside, int h, double gap_sq[RNI_MAX_SIDE])
{
    gap_sq[h] = 0.0;
    for (int s = 1; s <= h; s++) {
        double up = (double)s - inside, down = inside + (double)(s - 1);
        gap_sq[h + s] = up * up;
        gap_sq[h - s] = down * down;
    }
}

/* A point in the method's order. */
typedef struct rni_point {
    float position[3];
    uint32_t index; /* the caller's */
} rni_point;

/* Points per piece of a parallel preparation. */
#define RNI_SCAN_SHARE 8192u

static inline uint32_t rni_scan_share_end(uint32_t begin, uint32_t count)
{
    return count - begin < RNI_SCAN_SHARE ? count : begin + RNI_SCAN_SHARE;
}

/* Points begin .. end - 1 of the order. */
static inline void rni_scan_fill(const rni_cloud *cloud, uint32_t dim, const uint32_t *order,
                                 uint32_t begin, uint32_t end, rni_point *points)
{
    for (uint32_t k = begin; k < end; k++) {
        rni_cloud_at(cloud, dim, order[k], points[k].position);
        points[k].index = order[k];
    }
}

/* A row: the position it searches from, and which indices it accepts. */
typedef struct rni_scan {
    const rni_space *space;
    const float *here;
    rni_want want;
    uint32_t least, except; /* indices below least, and except, are excluded */
} rni_scan;

static inline rni_scan rni_scan_from(const rni_space *space, const rni_find *find,
                                     const rni_point *here)
{
    /* no point has index UINT32_MAX */
    rni_scan scan = {space, here->position, find->want, 0, UINT32_MAX};
    if (find->leave_out == RNI_LEAVE_SELF) scan.except = here->index;
    if (find->leave_out == RNI_LEAVE_SMALLER) scan.least = here->index + 1;
    return scan;
}

/* Reserves entries for count candidates. */
static inline rn_result rni_scan_reserve(const rni_scan *scan, rni_rows *rows, uint64_t count)
{
    return scan->want == RNI_WANT_COUNTS ? RN_OK : rni_rows_reserve(rows, scan->want, count);
}

/* Each want has its own loop, and so does a space known not to be periodic: the space passed in
 * is then a constant. */
__attribute__((always_inline)) static inline uint32_t
rni_scan_in(const rni_space *space, const rni_scan *scan, const rni_point *run, uint32_t count,
            const rni_want want, uint32_t *index, float *distance_sq)
{
    const float here[3] = {scan->here[0], scan->here[1], scan->here[2]};
    const float radius_sq = scan->space->radius_sq;
    const uint32_t least = scan->least, except = scan->except;
    uint32_t found = 0;
    for (const rni_point *end = run + count; run < end; run++) {
        float distance = rni_distance_sq(space, here, run->position);
        uint32_t j = run->index;
        if (want != RNI_WANT_COUNTS) index[found] = j;
        if (want == RNI_WANT_DISTANCE) distance_sq[found] = distance;
        found += (uint32_t)((distance <= radius_sq) & (j >= least) & (j != except));
    }
    return found;
}

__attribute__((always_inline)) static inline uint32_t
rni_scan_any(const rni_scan *scan, const rni_point *run, uint32_t count, const rni_want want,
             uint32_t *index, float *distance_sq)
{
    const rni_space plain = {.is_periodic = false};
    return scan->space->is_periodic
               ? rni_scan_in(scan->space, scan, run, count, want, index, distance_sq)
               : rni_scan_in(&plain, scan, run, count, want, index, distance_sq);
}

/* Appends the neighbours among count points to rows and returns their number; the entries must
 * be reserved. */
static inline uint32_t rni_scan_run(const rni_scan *scan, const rni_point *run, uint32_t count,
                                    rni_rows *rows)
{
    uint32_t found = 0;
    rows->test_count += count;
    if (scan->want == RNI_WANT_COUNTS)
        return rni_scan_any(scan, run, count, RNI_WANT_COUNTS, NULL, NULL);
    uint32_t *index = rni_rows_next(rows);
    if (scan->want == RNI_WANT_INDEX) {
        found = rni_scan_any(scan, run, count, RNI_WANT_INDEX, index, NULL);
    } else {
        float *distance_sq = (float *)rows->distance_sq.data + rows->used;
        found = rni_scan_any(scan, run, count, RNI_WANT_DISTANCE, index, distance_sq);
    }
    rows->used += found;
    return found;
}

#endif
