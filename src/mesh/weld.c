#include "mesh/weld.h"

#include "mesh/record_table.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX

/* --- equal vertices ---------------------------------------------------------------------------- */

static rn_result weld_equal(const rn_mesh_data *data, rni_memory *memory, uint32_t *target)
{
    rni_record_table table;
    rni_buffer first = {0}; /* vertex of each record */
    rni_record_table_init(&table, memory, 3);
    rn_result result = rni_buffer_need(memory, &first, data->vertex_count, sizeof(uint32_t));
    for (uint32_t v = 0; v < data->vertex_count && result == RN_OK; v++) {
        uint32_t number = 0;
        bool is_new = false;
        result =
            rni_record_table_add(&table, rni_data_vertex(data) + 3 * (size_t)v, &number, &is_new);
        if (result != RN_OK) break;
        if (is_new) ((uint32_t *)first.data)[number] = v;
        target[v] = ((const uint32_t *)first.data)[number];
    }
    rni_record_table_free(&table);
    rni_buffer_free(memory, &first);
    return result;
}

/* --- close vertices ---------------------------------------------------------------------------- */

/* Kept vertices by cell: chains in a hash table. */
typedef struct weld_grid {
    const float *vertex;
    double tolerance, cell;
    uint32_t mask;
    uint32_t *head; /* per slot; NONE: empty */
    uint32_t *next; /* per vertex */
} weld_grid;

static uint32_t slot_of(const weld_grid *grid, const int64_t cell[3])
{
    uint64_t h = (uint64_t)cell[0] * 0x9e3779b97f4a7c15u ^ (uint64_t)cell[1] * 0xc2b2ae3d27d4eb4fu ^
                 (uint64_t)cell[2] * 0x165667b19e3779f9u;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    return (uint32_t)(h >> 32) & grid->mask;
}

static int64_t cell_of(const weld_grid *grid, double at)
{
    return (int64_t)floor(at / grid->cell);
}

static double distance_sq(const float *a, const float *b)
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double d = (double)a[axis] - (double)b[axis];
        sum += d * d;
    }
    return sum;
}

/* The earliest kept vertex within the tolerance, or NONE. */
static uint32_t find_near(const weld_grid *grid, uint32_t v)
{
    const float *at = grid->vertex + 3 * (size_t)v;
    int64_t low[3], high[3], c[3];
    uint32_t best = NONE;
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = cell_of(grid, (double)at[axis] - grid->tolerance);
        high[axis] = cell_of(grid, (double)at[axis] + grid->tolerance);
    }
    for (c[0] = low[0]; c[0] <= high[0]; c[0]++)
        for (c[1] = low[1]; c[1] <= high[1]; c[1]++)
            for (c[2] = low[2]; c[2] <= high[2]; c[2]++)
                for (uint32_t n = grid->head[slot_of(grid, c)]; n != NONE; n = grid->next[n])
                    if (n < best && distance_sq(at, grid->vertex + 3 * (size_t)n) <=
                                        grid->tolerance * grid->tolerance)
                        best = n;
    return best;
}

static rn_result weld_close(const rn_mesh_data *data, double tolerance, rni_memory *memory,
                            uint32_t *target)
{
    uint32_t slots = 1024;
    while (slots < data->vertex_count && slots < 1u << 30) slots *= 2;
    rni_buffer head = {0}, next = {0};
    rn_result result = rni_buffer_need(memory, &head, slots, sizeof(uint32_t));
    if (result == RN_OK)
        result = rni_buffer_need(memory, &next, data->vertex_count, sizeof(uint32_t));
    if (result == RN_OK) {
        weld_grid grid = {
            rni_data_vertex(data), tolerance, 2 * tolerance, slots - 1, head.data, next.data};
        memset(grid.head, 0xff, (size_t)slots * sizeof(uint32_t));
        for (uint32_t v = 0; v < data->vertex_count; v++) {
            target[v] = find_near(&grid, v);
            if (target[v] != NONE) continue;
            const float *at = grid.vertex + 3 * (size_t)v;
            const int64_t cell[3] = {cell_of(&grid, (double)at[0]), cell_of(&grid, (double)at[1]),
                                     cell_of(&grid, (double)at[2])};
            const uint32_t slot = slot_of(&grid, cell);
            target[v] = v;
            grid.next[v] = grid.head[slot];
            grid.head[slot] = v;
        }
    }
    rni_buffer_free(memory, &head);
    rni_buffer_free(memory, &next);
    return result;
}

/* Whether cells of twice the tolerance can be numbered by 64 bits. */
static bool has_cells(const rn_mesh_data *data, double tolerance)
{
    double most = 0;
    for (size_t k = 0; k < (size_t)data->vertex_count * 3; k++)
        most = fmax(most, fabs((double)rni_data_vertex(data)[k]));
    return tolerance > 0 && (most + tolerance) / tolerance < 1e18;
}

rn_result rni_mesh_weld(rn_mesh_data *data, double tolerance, rni_memory *memory,
                        uint32_t *welded_count)
{
    rni_buffer target = {0};
    *welded_count = 0;
    if (data->vertex_count == 0) return RN_OK;
    rn_result result = rni_buffer_need(memory, &target, data->vertex_count, sizeof(uint32_t));
    uint32_t *to = target.data;
    if (result == RN_OK)
        result = has_cells(data, tolerance) ? weld_close(data, tolerance, memory, to)
                                            : weld_equal(data, memory, to);
    if (result == RN_OK) {
        uint32_t *corner = rni_data_triangle(data);
        for (size_t k = 0; k < (size_t)data->triangle_count * 3; k++) corner[k] = to[corner[k]];
        for (uint32_t v = 0; v < data->vertex_count; v++) *welded_count += to[v] != v;
    }
    rni_buffer_free(memory, &target);
    return result;
}
