#include "fluid/near_mouth.h"

typedef struct visit {
    const rn_fluid *fluid;
    const float *center;
    float reach_sq;
    rni_near_fn function;
    void *data;
} visit;

static void visit_range(const visit *v, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++) {
        float d[3];
        rni_offset_from(v->fluid, v->center, v->fluid->now.position[i], d);
        if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= v->reach_sq) v->function(v->data, i, d);
    }
}

/* The cells along one axis that meet low .. high: `count` from `first`, modulo the number of cells. */
typedef struct axis_range {
    uint32_t first, count;
} axis_range;

static axis_range cells_along(const rn_fluid *f, int a, float low, float high)
{
    const rni_cells *cells = &f->cells;
    const double all = (double)cells->cells[a], inverse = (double)cells->inverse_side[a];
    double first = floor(((double)low - (double)cells->low[a]) * inverse);
    double last = floor(((double)high - (double)cells->low[a]) * inverse);
    if ((uint32_t)a < f->def.dim && f->def.periodic[a]) {
        if (last - first + 1 >= all) return (axis_range){0, cells->cells[a]};
        const double wrapped = first - all * floor(first / all);
        return (axis_range){(uint32_t)fmin(wrapped, all - 1), (uint32_t)(last - first + 1)};
    }
    /* Outer cells take what has moved out of the bounds since the sort. */
    first = fmin(fmax(first, 0), all - 1), last = fmin(fmax(last, 0), all - 1);
    return (axis_range){(uint32_t)first, (uint32_t)(last - first + 1)};
}

void rni_visit_near(const rn_fluid *f, const float c[3], float reach, float moved,
                    rni_near_fn function, void *data)
{
    const visit v = {f, c, reach * reach, function, data};
    const rni_cells *cells = &f->cells;
    if (!cells->start || cells->cell_count == 0 || f->now.count == 0) {
        visit_range(&v, 0, f->now.count);
        return;
    }
    axis_range range[3];
    const float wide = reach + moved;
    for (int a = 0; a < 3; a++) range[a] = cells_along(f, a, c[a] - wide, c[a] + wide);
    for (uint32_t z = 0; z < range[2].count; z++)
        for (uint32_t y = 0; y < range[1].count; y++) {
            const uint32_t cz = (range[2].first + z) % cells->cells[2];
            const uint32_t cy = (range[1].first + y) % cells->cells[1];
            const uint32_t row = (cz * cells->cells[1] + cy) * cells->cells[0];
            const uint32_t begin = range[0].first, end = begin + range[0].count;
            const uint32_t over = end > cells->cells[0] ? end - cells->cells[0] : 0;
            visit_range(&v, cells->start[row + begin], cells->start[row + end - over]);
            visit_range(&v, cells->start[row], cells->start[row + over]);
        }
    visit_range(&v, cells->start[cells->cell_count], f->now.count);
}
