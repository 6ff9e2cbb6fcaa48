/* Sort: every particle into the order of its cell. The only stage in which an index changes. */
#include "base/sort.h"
#include "base/error.h"
#include "fluid/water.h"

#include <math.h>
#include <string.h>

static void find_bounds(const rn_fluid *f, float low[3], float high[3])
{
    for (int a = 0; a < 3; a++) low[a] = INFINITY, high[a] = -INFINITY;
    for (uint32_t i = 0; i < f->now.count; i++)
        for (int a = 0; a < 3; a++) {
            low[a] = fminf(low[a], f->now.position[i][a]);
            high[a] = fmaxf(high[a], f->now.position[i][a]);
        }
}

static void shape_cells(rn_fluid *f)
{
    rni_cells *cells = &f->cells;
    float low[3], high[3];
    find_bounds(f, low, high);
    double side = (double)f->derived.radius * 1.0001;
    double limit = 4.0 * f->now.count + 4096.0;
    for (;;) {
        double count = 1;
        for (uint32_t a = 0; a < 3; a++) {
            double from = (double)low[a], length = (double)high[a] - (double)low[a];
            if (a < f->def.dim && f->def.periodic[a]) {
                from = (double)f->def.domain_low[a];
                length = (double)f->def.domain_high[a] - from;
                double n = fmax(1, floor(length / side));
                cells->cells[a] = (uint32_t)n;
                cells->side[a] = (float)(length / n);
            } else {
                cells->cells[a] = a < f->def.dim ? (uint32_t)(length / side) + 1 : 1;
                cells->side[a] = (float)side;
            }
            cells->low[a] = (float)from;
            cells->inverse_side[a] = 1 / cells->side[a];
            count *= cells->cells[a];
        }
        cells->cell_count = (uint32_t)fmin(count, 4e9);
        if (count <= limit) return;
        side *= 1.3;
    }
}

static uint32_t cell_of(const rni_cells *cells, const float x[3])
{
    uint32_t c[3];
    for (int a = 0; a < 3; a++) {
        float place = (x[a] - cells->low[a]) * cells->inverse_side[a];
        c[a] = (uint32_t)fminf(fmaxf(place, 0.0f), (float)(cells->cells[a] - 1));
    }
    return (c[2] * cells->cells[1] + c[1]) * cells->cells[0] + c[0];
}

rn_result rni_fluid_sort(rn_fluid *f)
{
    uint32_t count = f->now.count;
    if (count == 0) return RN_OK;
    shape_cells(f);
    rni_cells *cells = &f->cells;
    rn_result result =
        rni_buffer_need(&f->memory, &cells->start_room,
                        (uint64_t)cells->cell_count + 1 + RNI_FLUID_PADDING, sizeof(uint32_t));
    if (result != RN_OK) return result;
    cells->start = cells->start_room.data;
    rni_arena_reset(&f->arena);
    uint32_t *key = rni_arena_take(&f->arena, (size_t)count * sizeof *key);
    uint32_t *order = rni_arena_take(&f->arena, (size_t)count * sizeof *order);
    if (!key || !order) return RN_ERROR_MEMORY;
    for (uint32_t i = 0; i < count; i++) key[i] = cell_of(cells, f->now.position[i]);
    result =
        rni_counting_sort(f->crew, &f->arena, count, key, cells->cell_count, order, cells->start);
    if (result != RN_OK) return result;
    rn_permute(order, count, f->now.position, f->other.position, sizeof(rni_record));
    rn_permute(order, count, f->now.velocity, f->other.velocity, sizeof(rni_record));
    rn_permute(order, count, f->now.acceleration, f->other.acceleration, sizeof(rni_record));
    rni_particles t = f->now;
    f->now = f->other;
    f->other = t;
    f->now.count = count;
    return RN_OK;
}
