/* Locational codes of points and boxes, and splitting: sections 4 and 5 of Poirrier 2009. */
#include "broadphase/linear_kdtree.h"

/* Cuts the axis with the most bits left, so that axes with unequal counts end together; equal
 * counts alternate. */
void rni_kd_frame_bits(kd_frame *frame, uint32_t dim, const uint32_t bits[3])
{
    uint32_t left[3] = {0};
    frame->dim = dim;
    frame->total = 0;
    frame->is_even = true;
    for (uint32_t axis = 0; axis < 3; axis++) {
        left[axis] = frame->bits[axis] = axis < dim ? bits[axis] : 0;
        frame->total += left[axis];
        if (axis < dim && bits[axis] != bits[0]) frame->is_even = false;
    }
    for (uint32_t depth = 0; depth < frame->total; depth++) {
        uint32_t most = 0;
        for (uint32_t axis = 1; axis < dim; axis++)
            if (left[axis] > left[most]) most = axis;
        frame->axis_at[depth] = (uint8_t)most;
        frame->bit_at[depth] = (uint8_t)--left[most];
    }
}

static uint64_t spread_by_3(uint64_t x)
{
    x = (x | x << 32) & 0x001f00000000ffffu;
    x = (x | x << 16) & 0x001f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
}

static uint64_t spread_by_2(uint64_t x)
{
    x = (x | x << 16) & 0x0000ffff0000ffffu;
    x = (x | x << 8) & 0x00ff00ff00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
    x = (x | x << 2) & 0x3333333333333333u;
    return (x | x << 1) & 0x5555555555555555u;
}

uint64_t rni_kd_code(const kd_frame *frame, const uint32_t at[3])
{
    if (frame->is_even && frame->dim == 3)
        return spread_by_3(at[0]) << 2 | spread_by_3(at[1]) << 1 | spread_by_3(at[2]);
    if (frame->is_even) return spread_by_2(at[0]) << 1 | spread_by_2(at[1]);
    uint64_t code = 0;
    for (uint32_t depth = 0; depth < frame->total; depth++)
        code = code << 1 | (at[frame->axis_at[depth]] >> frame->bit_at[depth] & 1u);
    return code;
}

static uint32_t highest_bit(uint64_t x)
{
    return 63u - (uint32_t)__builtin_clzll(x);
}

/* The longest common prefix of the codes of both corners. *cut: the depth of the plane that the box
 * crosses; total if the box crosses none. */
static kd_cell enclose(const kd_frame *frame, uint64_t low, uint64_t high, uint32_t *cut)
{
    uint64_t differ = low ^ high;
    uint32_t length = differ == 0 ? frame->total : frame->total - 1 - highest_bit(differ);
    *cut = length;
    if (frame->is_octree) length -= length % frame->dim;
    return (kd_cell){low & ~rni_kd_rest(frame, length), length};
}

kd_cell rni_kd_cell(const kd_frame *frame, const kd_box *box)
{
    uint32_t cut;
    return enclose(frame, rni_kd_code(frame, box->low), rni_kd_code(frame, box->high), &cut);
}

typedef struct splitting {
    const kd_frame *frame;
    kd_cell *cells;
    kd_box *parts;
    uint32_t count;
} splitting;

/* Adds the cells of a box; returns their volume in units of the smallest cell. */
static uint64_t split(splitting *s, const kd_box *box, uint32_t used_axes)
{
    const kd_frame *frame = s->frame;
    uint32_t cut, first = s->count;
    kd_cell cell = enclose(frame, rni_kd_code(frame, box->low), rni_kd_code(frame, box->high), &cut);
    uint64_t volume = rni_kd_rest(frame, cell.length) + 1;
    if (cut < frame->total && !(used_axes >> frame->axis_at[cut] & 1u)) {
        uint32_t axis = frame->axis_at[cut], bit = frame->bit_at[cut];
        kd_box below = *box, above = *box;
        above.low[axis] = box->high[axis] >> bit << bit;
        below.high[axis] = above.low[axis] - 1;
        uint64_t both = split(s, &below, used_axes | 1u << axis);
        both += split(s, &above, used_axes | 1u << axis);
        if (both < volume) return both;
        s->count = first;
    }
    s->cells[s->count] = cell;
    if (s->parts) s->parts[s->count] = *box;
    s->count++;
    return volume;
}

uint32_t rni_kd_split(const kd_frame *frame, const kd_box *box, kd_cell cells[RNI_KD_PARTS],
                      kd_box parts[RNI_KD_PARTS])
{
    splitting s = {frame, cells, parts, 0};
    split(&s, box, frame->is_split ? 0 : 7u);
    return s.count;
}
