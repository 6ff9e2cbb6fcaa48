/* Codes of the method "linear-kdtree" (linear_kdtree.c), in a separate header for the tests. */
#ifndef RNI_BROADPHASE_LINEAR_KDTREE_H
#define RNI_BROADPHASE_LINEAR_KDTREE_H

#include "broadphase/method.h"

/* Bits of a code; the remaining 6 bits of a key hold its length. */
#define RNI_KD_BITS  58u
#define RNI_KD_PARTS 8u

/* The root cell as a grid of integers: 2^bits[axis] along each axis. */
typedef struct kd_frame {
    uint32_t dim;
    uint32_t bits[3], total;
    double low[3], scale[3];
    uint8_t axis_at[RNI_KD_BITS]; /* axis cut at each depth, the root first */
    uint8_t bit_at[RNI_KD_BITS];  /* the bit of that coordinate which separates the halves */
    bool is_even;                 /* axes alternate, and all have the same number of bits */
    bool is_octree;               /* lengths are multiples of dim */
    bool is_split;
} kd_frame;

/* An integer box, both ends inclusive. */
typedef struct kd_box {
    uint32_t low[3], high[3];
} kd_box;

/* A cell: the first `length` bits of code are significant, the others are 0. */
typedef struct kd_cell {
    uint64_t code;
    uint32_t length;
} kd_cell;

/* Fills in bits and axes; leaves low and scale unchanged. */
void rni_kd_frame_bits(kd_frame *frame, uint32_t dim, const uint32_t bits[3]);

uint64_t rni_kd_code(const kd_frame *frame, const uint32_t at[3]);
/* The smallest cell that contains a box. */
kd_cell rni_kd_cell(const kd_frame *frame, const kd_box *box);
/* Cells of a box: one, or up to 8 when it may be split once along each axis. A split that does not
 * reduce the volume is not made. The cells never overlap. parts may be NULL. */
uint32_t rni_kd_split(const kd_frame *frame, const kd_box *box, kd_cell cells[RNI_KD_PARTS],
                      kd_box parts[RNI_KD_PARTS]);

/* Quantised coordinate, monotonic. Coordinates outside the root cell map to its first or last
 * integer. */
static inline uint32_t rni_kd_place(const kd_frame *frame, uint32_t axis, float at)
{
    double t = ((double)at - frame->low[axis]) * frame->scale[axis];
    uint32_t last = (uint32_t)(((uint64_t)1 << frame->bits[axis]) - 1);
    if (!(t > 0.0)) return 0;
    return t < (double)last ? (uint32_t)t : last; /* the upper face belongs to the last cell */
}

static inline uint64_t rni_kd_key(kd_cell cell)
{
    return cell.code << 6 | cell.length;
}

/* Mask of the code bits below a length. */
static inline uint64_t rni_kd_rest(const kd_frame *frame, uint32_t length)
{
    return ((uint64_t)1 << (frame->total - length)) - 1;
}

/* Whether the cell of this key contains (or equals) the cell or point with that code. The length of
 * the containing cell must not exceed that of the other, which holds when keys ascend. */
static inline bool rni_kd_holds(const kd_frame *frame, uint64_t key, uint64_t code)
{
    uint32_t length = (uint32_t)(key & 63u);
    return ((key >> 6) ^ code) <= rni_kd_rest(frame, length);
}

#endif
