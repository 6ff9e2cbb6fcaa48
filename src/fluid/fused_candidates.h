/* The fused traversal, first part: the candidates of a group, from the rows of cells around it. Included by
 * fused_find.h only. */
#ifndef RNI_FLUID_FUSED_CANDIDATES_H
#define RNI_FLUID_FUSED_CANDIDATES_H

#include "fluid/fused_pass.h"

/* A row of cells next to a row (or the row itself), and the image of its particles along y and z. */
typedef struct near_row {
    uint32_t first_cell, image;
} near_row;

/* The row of cells that the particles of a piece have reached, and the rows around it. */
typedef struct row_cursor {
    uint32_t row, end; /* end: of the row's particles */
    uint32_t near_count;
    near_row near[9];
} row_cursor;

/* A layer of cells outside of the range: along a periodic axis replaced by the layer it is an image of. False: there
 * is none. */
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

static void find_near_rows(const fused_state *s, row_cursor *cursor)
{
    const rni_cells *cells = &s->fluid->cells;
    const int rows_y = (int)cells->cells[1];
    const int cy = (int)cursor->row % rows_y, cz = (int)cursor->row / rows_y;
    cursor->near_count = 0;
    for (int z = cz - 1; z <= cz + 1; z++)
        for (int y = cy - 1; y <= cy + 1; y++) {
            int at_y = y, at_z = z;
            uint32_t image_y, image_z;
            if (!wrap_layer(s, 2, &at_z, &image_z) || !wrap_layer(s, 1, &at_y, &image_y)) continue;
            const uint32_t row = (uint32_t)(at_z * rows_y + at_y);
            cursor->near[cursor->near_count++] =
                (near_row){row * cells->cells[0], 3 * image_y + 9 * image_z};
        }
}

static void move_to_row(const fused_state *s, uint32_t row, row_cursor *cursor)
{
    const rni_cells *cells = &s->fluid->cells;
    cursor->row = row;
    cursor->end = cells->start[(row + 1) * (size_t)cells->cells[0]];
    find_near_rows(s, cursor);
}

/* At the row of particle i. */
static void begin_rows(const fused_state *s, uint32_t i, row_cursor *cursor)
{
    const rni_cells *cells = &s->fluid->cells;
    uint32_t low = 0, high = cells->cell_count / cells->cells[0] - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (cells->start[(middle + 1) * (size_t)cells->cells[0]] > i) high = middle;
        else low = middle + 1;
    }
    move_to_row(s, low, cursor);
}

static void advance_rows(const fused_state *s, uint32_t i, row_cursor *cursor)
{
    const rni_cells *cells = &s->fluid->cells;
    if (cursor->end > i) return;
    uint32_t row = cursor->row + 1;
    while (cells->start[(row + 1) * (size_t)cells->cells[0]] <= i) row++;
    move_to_row(s, row, cursor);
}

/* The end of the group that begins at i: 8 particles, the row's end, or two radii further along x. */
static uint32_t group_end(const fused_state *s, uint32_t i, uint32_t row_end, uint32_t piece_end)
{
    uint32_t end = i + FUSED_GROUP;
    if (end > row_end) end = row_end;
    if (end > piece_end) end = piece_end;
    const float furthest = s->x[i] + 2.0f * s->fluid->laws.h;
    /* along x particles are in order, except inside a cell, which is a quarter of a radius long */
    if (s->x[end - 1] <= furthest) return end;
    uint32_t k = i + 1;
    while (k < end && s->x[k] <= furthest) k++;
    return k;
}

/* From records, whose four numbers are compared at once; the fourth is of no use. */
RNI_INLINE box box_of(const fused_state *s, uint32_t begin, uint32_t end)
{
    rni_record *at = s->fluid->now.position;
    rni_record low, high;
    memcpy(low, at[begin], sizeof low);
    memcpy(high, at[begin], sizeof high);
    for (uint32_t i = begin + 1; i < end; i++)
        for (int a = 0; a < 4; a++) {
            low[a] = at[i][a] < low[a] ? at[i][a] : low[a];
            high[a] = at[i][a] > high[a] ? at[i][a] : high[a];
        }
    return (box){{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
}

static int cell_along_x(const rni_cells *cells, float x)
{
    float c = floorf((x - cells->low[0]) * cells->inverse_side[0]);
    float most = (float)cells->cells[0] * 2.0f; /* clamped: a period away, or outside */
    return (int)(c < -most ? -most : c > most ? most : c);
}

RNI_INLINE void take_run(const uint32_t *start, int first, int last, uint32_t image, cell_runs *list)
{
    const uint32_t begin = start[first], end = start[last + 1];
    list->runs[list->count] = (cell_run){begin, end, image};
    list->count += begin < end;
    list->particle_count += end - begin;
}

/* The particles that may be within the radius of the box, from the rows around. To shorten the runs of the rows
 * beside by the distance of the box from them costs more than it saves. */
RNI_INLINE void find_runs(const fused_state *s, const row_cursor *cursor, const box *b,
                          const bool is_periodic, cell_runs *list)
{
    const rni_cells *cells = &s->fluid->cells;
    const float reach = s->reach * 1.00001f + s->reach_slack;
    const int count = (int)cells->cells[0];
    const bool wraps = is_periodic && s->fluid->laws.period[0] > 0;
    const int first = cell_along_x(cells, b->low[0] - reach);
    const int last = cell_along_x(cells, b->high[0] + reach);
    const int from = first > 0 ? first : 0, to = last < count ? last : count - 1;
    list->count = 0;
    list->particle_count = 0;
    for (uint32_t r = 0; r < cursor->near_count; r++) {
        const uint32_t *start = cells->start + cursor->near[r].first_cell;
        const uint32_t image = cursor->near[r].image;
        if (wraps && first < 0)
            take_run(start, first + count > 0 ? first + count : 0, count - 1, image, list);
        take_run(start, from, to, image + 1, list);
        if (wraps && last >= count)
            take_run(start, 0, last - count < count ? last - count : count - 1, image + 2, list);
    }
}

/* A box, and the reach of candidates around it, in all lanes. */
typedef struct vector_box {
    rni_v low_x, high_x, low_y, high_y, low_z, high_z, reach_sq;
} vector_box;

/* Appends those of RNI_LANES particles that may be near, if they are in the set `here`; returns the new count. */
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

/* The particles of the runs that may be near a box, as candidates; returns their count, and may write RNI_LANES
 * more. */
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

#endif
