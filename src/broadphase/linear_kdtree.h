/* Codes of the method "linear-kdtree" (linear_kdtree.c), apart from it so that tests can look. */
#ifndef RNI_BROADPHASE_LINEAR_KDTREE_H
#define RNI_BROADPHASE_LINEAR_KDTREE_H

#include "broadphase/method.h"

/* Bits of a code; the remaining 6 of a key hold its length. */
#define RNI_KD_BITS  58u
#define RNI_KD_PARTS 8u

/* The root cell in whole numbers: 2^bits[axis] of them along an axis. */
typedef struct kd_frame {
    uint32_t dim;
    uint32_t bits[3], total;
    double low[3], scale[3];
    uint8_t axis_at[RNI_KD_BITS]; /* the cutting direction at each depth, the root's first */
    uint8_t bit_at[RNI_KD_BITS];  /* the bit of that coordinate which tells the halves apart */
    bool is_even;                 /* directions take turns, and all have equally many bits */
    bool is_octree;               /* lengths are whole multiples of dim */
    bool is_split;
} kd_frame;

/* A box of whole numbers, both ends included. */
typedef struct kd_box {
    uint32_t low[3], high[3];
} kd_box;

/* A cell: the first `length` bits of code count, the others are 0. */
typedef struct kd_cell {
    uint64_t code;
    uint32_t length;
} kd_cell;

/* Fills in bits and directions; low and scale are left alone. */
void rni_kd_frame_bits(kd_frame *frame, uint32_t dim, const uint32_t bits[3]);

uint64_t rni_kd_code(const kd_frame *frame, const uint32_t at[3]);
/* The smallest cell around a box. */
kd_cell rni_kd_cell(const kd_frame *frame, const kd_box *box);
/* Cells of a box: one, or up to 8 when it may be split once along each axis. A split that leaves as
 * much volume as before is not made. The cells never overlap. parts may be NULL. */
uint32_t rni_kd_split(const kd_frame *frame, const kd_box *box, kd_cell cells[RNI_KD_PARTS],
                      kd_box parts[RNI_KD_PARTS]);

/* Whole number of a coordinate: larger never gets less. Outside the root cell: its first or last. */
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

/* Bits of a code that are below a length. */
static inline uint64_t rni_kd_rest(const kd_frame *frame, uint32_t length)
{
    return ((uint64_t)1 << (frame->total - length)) - 1;
}

/* Is the cell of this key around (or the same as) the cell or point with that code? A cell's own
 * length must not be above that of the other, which is so when keys ascend. */
static inline bool rni_kd_holds(const kd_frame *frame, uint64_t key, uint64_t code)
{
    uint32_t length = (uint32_t)(key & 63u);
    return ((key >> 6) ^ code) <= rni_kd_rest(frame, length);
}

#endif
