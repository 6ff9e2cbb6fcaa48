/* The set of walls: their memory, and which of them are near a place. */
#define RNI_LANES 4
#include "base/lanes.h"

#include "base/error.h"
#include "fluid/film.h"
#include "fluid/mesh_walls.h"
#include "fluid/near_cells.h"
#include "fluid/virtual_walls.h"
#include "fluid/walls.h"
#include "solid/wall_mesh.h"

#include <math.h>
#include <string.h>

rni_solid rni_walls_domain(const rn_fluid_def *def)
{
    bool has_side[3][2];
    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t side = 0; side < 2; side++)
            has_side[a][side] = !def->periodic[a] && !def->open[a][side];
    return rni_solid_domain(def->domain_low, def->domain_high, def->dim, has_side, def->domain_slip);
}

rn_result rni_walls_create(rn_fluid *fluid)
{
    rni_walls *walls = rni_memory_take(&fluid->memory, sizeof *walls);
    if (!walls) return RN_ERROR_MEMORY;
    memset(walls, 0, sizeof *walls);
    fluid->walls = walls;
    rni_wall_tables_make(&fluid->def, &fluid->derived, &walls->tables);
    rn_result result = rni_buffer_need(&fluid->memory, &walls->solid_buffer, 8, sizeof(rni_solid));
    if (result == RN_OK)
        result = rni_buffer_need(&fluid->memory, &walls->slot_buffer, 8, sizeof(rni_solid_slot));
    if (result != RN_OK) return result;
    walls->solids = walls->solid_buffer.data;
    walls->slots = walls->slot_buffer.data;
    walls->solids[0] = rni_walls_domain(&fluid->def);
    walls->slots[0] = (rni_solid_slot){0};
    walls->solid_count = 1;
    walls->contact = fluid->def.bare_walls ? 0.0f : 0.1f * fluid->def.spacing;
    const char *what;
    walls->thinnest = walls->solids[0].kind->thickness(&walls->solids[0], &what);
    walls->is_stale = true;
    return rni_walls_ready(fluid);
}

void rni_walls_destroy(rn_fluid *fluid)
{
    rni_walls *walls = fluid->walls;
    if (!walls) return;
    rni_loads_free(fluid);
    rni_films_destroy(fluid);
    rni_mesh_walls_free(fluid);
    rni_virtual_walls_free(fluid);
    rni_buffer_free(&fluid->memory, &walls->thin_buffer);
    rni_buffer_free(&fluid->memory, &walls->contact_first);
    rni_buffer_free(&fluid->memory, &walls->contact_buffer);
    rni_buffer_free(&fluid->memory, &walls->solid_buffer);
    rni_buffer_free(&fluid->memory, &walls->slot_buffer);
    rni_buffer_free(&fluid->memory, &walls->start_buffer);
    rni_buffer_free(&fluid->memory, &walls->list_buffer);
    rni_buffer_free(&fluid->memory, &walls->kind_buffer);
    rni_buffer_free(&fluid->memory, &walls->buried_buffer);
    rni_buffer_free(&fluid->memory, &walls->thin_cell_buffer);
    rni_buffer_free(&fluid->memory, &walls->pair_buffer);
    rni_memory_give(&fluid->memory, walls, sizeof *walls);
    fluid->walls = NULL;
}

/* --- which solids are near a place ---------------------------------------------------------------- */

/* Cells of at least the radius over the domain, at most this many. */
#define LIST_CELLS 131072.0

static void shape_list_cells(rn_fluid *fluid)
{
    rni_walls *walls = fluid->walls;
    const rn_fluid_def *def = &fluid->def;
    double side = (double)fluid->derived.radius, volume = 1;
    for (uint32_t a = 0; a < def->dim; a++)
        volume *= ((double)def->domain_high[a] - (double)def->domain_low[a]) / side + 1;
    if (volume > LIST_CELLS) side *= pow(volume / LIST_CELLS, 1.0 / def->dim);
    walls->cell_count = 1;
    const rni_record none = {0, 0, 0, 0};
    memcpy(walls->cell_low, none, sizeof none);
    memcpy(walls->cell_inverse, none, sizeof none);
    memcpy(walls->cell_last, none, sizeof none);
    for (uint32_t a = 0; a < 3; a++) {
        walls->cells[a] = 1;
        if (a >= def->dim) continue;
        double length = (double)def->domain_high[a] - (double)def->domain_low[a];
        walls->cells[a] = (uint32_t)(length / side) + 1;
        walls->cell_low[a] = def->domain_low[a];
        walls->cell_inverse[a] = (float)(1 / side);
        walls->cell_last[a] = (float)(walls->cells[a] - 1);
        walls->cell_count *= walls->cells[a];
    }
    walls->cell_reach = fluid->derived.radius + (float)(0.87 * side) + 0.01f * def->spacing;
}

const uint32_t *rni_walls_near(const rni_walls *walls, const float x[3], uint32_t *count)
{
    return rni_near_list(walls, rni_near_cell(walls, (rni_v){x[0], x[1], x[2], 0}), count);
}

bool rni_walls_is_buried(const rni_walls *walls, const float x[3])
{
    return walls->is_buried[rni_near_cell(walls, (rni_v){x[0], x[1], x[2], 0})] != 0;
}

/* Middle of a cell along an axis. */
static float cell_middle(const rni_walls *walls, int a, uint32_t c)
{
    return walls->cell_inverse[a] > 0
               ? walls->cell_low[a] + ((float)c + 0.5f) / walls->cell_inverse[a]
               : 0.0f;
}

/* Cells that a solid can be within reach of: those of the box around it. */
static void cells_around(const rni_walls *walls, const rni_solid *s, uint32_t first[3],
                         uint32_t last[3])
{
    float low[3], high[3];
    const bool has_end = rni_solid_bounds(s, low, high);
    for (int a = 0; a < 3; a++) {
        const float inverse = walls->cell_inverse[a], end = (float)(walls->cells[a] - 1);
        first[a] = 0, last[a] = walls->cells[a] - 1;
        if (!has_end || !(inverse > 0)) continue;
        const float from = (low[a] - walls->cell_reach - walls->cell_low[a]) * inverse - 1;
        const float to = (high[a] + walls->cell_reach - walls->cell_low[a]) * inverse + 1;
        first[a] = (uint32_t)fminf(fmaxf(from, 0.0f), end);
        last[a] = (uint32_t)fminf(fmaxf(to, 0.0f), end);
    }
}

/* Whether a side of the domain is within reach of the middle of a cell along an axis. */
static bool is_near_side(const rni_walls *walls, int a, uint32_t c)
{
    const rni_solid *s = &walls->solids[0];
    float u = cell_middle(walls, a, c) - s->center[a];
    return (s->side[a][0] && s->half[a] + u <= walls->cell_reach) ||
           (s->side[a][1] && s->half[a] - u <= walls->cell_reach);
}

/* Whether a solid is within reach of x, or x is in it. *free: m, of the way from x on which the answer is the same; no
 * surface is that near. Meshes are asked as seldom as can be. */
static bool is_near_solid(const rni_walls *walls, const rni_solid *s, const float x[3], float *free)
{
    float normal[3];
    *free = 0;
    if (!rni_is_mesh(s)) return rni_solid_distance(s, x, normal) <= walls->cell_reach;
    const double at[3] = {(double)x[0], (double)x[1], (double)x[2]};
    rni_wall_near near;
    if (!rni_wall_mesh_closest(s, at, (double)INFINITY, &near)) return false;
    *free = (float)near.distance - walls->cell_reach;
    return *free <= 0 || rni_wall_mesh_is_solid(s, at);
}

/* A cell and a solid near it. */
typedef struct near_pair {
    uint32_t cell, solid;
} near_pair;

static rn_result add_pair(rn_fluid *fluid, uint32_t cell, uint32_t solid, uint64_t *count)
{
    rni_walls *walls = fluid->walls;
    rn_result result =
        rni_buffer_grow(&fluid->memory, &walls->pair_buffer, *count + 1, sizeof(near_pair));
    if (result != RN_OK) return result;
    ((near_pair *)walls->pair_buffer.data)[(*count)++] = (near_pair){cell, solid};
    walls->list_start[cell + 1]++;
    return RN_OK;
}

/* Finds the cells that a solid is near. */
static rn_result enter_solid(rn_fluid *fluid, uint32_t k, uint64_t *count)
{
    const rni_walls *walls = fluid->walls;
    const rni_solid *s = &walls->solids[k];
    uint32_t first[3], last[3];
    float x[3];
    rn_result result = RN_OK;
    cells_around(walls, s, first, last);
    for (uint32_t cz = first[2]; cz <= last[2]; cz++)
        for (uint32_t cy = first[1]; cy <= last[1]; cy++) {
            uint32_t row = (cz * walls->cells[1] + cy) * walls->cells[0];
            bool is_row_near = k == 0 && (is_near_side(walls, 1, cy) || is_near_side(walls, 2, cz));
            x[1] = cell_middle(walls, 1, cy), x[2] = cell_middle(walls, 2, cz);
            float free_to = -INFINITY; /* up to there the last answer holds */
            bool is_near = false;
            for (uint32_t cx = first[0]; cx <= last[0] && result == RN_OK; cx++) {
                x[0] = cell_middle(walls, 0, cx);
                if (k == 0) is_near = is_row_near || is_near_side(walls, 0, cx);
                else if (!(x[0] < free_to)) {
                    float free;
                    is_near = is_near_solid(walls, s, x, &free);
                    free_to = x[0] + 0.99f * free;
                }
                if (!is_near) continue;
                if (x[0] < free_to) walls->is_buried[row + cx] = 1;
                result = add_pair(fluid, row + cx, k, count);
            }
        }
    return result;
}

/* Makes the list of every cell from the pairs, which are in the order of the solids. */
static rn_result make_lists(rn_fluid *fluid)
{
    rni_walls *walls = fluid->walls;
    uint32_t *start = walls->list_start, cells = walls->cell_count;
    uint64_t count = 0;
    memset(start, 0, (cells + 1u) * sizeof *start);
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < walls->solid_count && result == RN_OK; k++)
        if (!walls->slots[k].is_removed) result = enter_solid(fluid, k, &count);
    if (result == RN_OK)
        result = rni_buffer_need(&fluid->memory, &walls->list_buffer, count + 1, sizeof(uint32_t));
    walls->list = walls->list_buffer.data;
    if (result != RN_OK) {
        memset(start, 0, (cells + 1u) * sizeof *start);
        return result;
    }
    for (uint32_t c = 0; c < cells; c++) start[c + 1] += start[c];
    const near_pair *pair = walls->pair_buffer.data;
    for (uint64_t n = 0; n < count; n++) walls->list[start[pair[n].cell]++] = pair[n].solid;
    /* Each start has become the next one's. */
    memmove(start + 1, start, cells * sizeof *start);
    start[0] = 0;
    for (uint32_t c = 0; c < cells; c++) {
        const uint32_t listed = start[c + 1] - start[c], first = walls->list[start[c]];
        walls->list_kind[c] = (uint8_t)(listed == 0                            ? RNI_LIST_NONE
                                        : listed > 1 || first >= RNI_LIST_LONG ? RNI_LIST_LONG
                                                                               : first);
    }
    return RN_OK;
}

rn_result rni_walls_ready(rn_fluid *fluid)
{
    rni_walls *walls = fluid->walls;
    if (!walls->is_stale) return RN_OK;
    shape_list_cells(fluid);
    rn_result result = rni_loads_reserve_solids(fluid, walls->solid_count);
    if (result != RN_OK) return result;
    result = rni_buffer_need(&fluid->memory, &walls->start_buffer, walls->cell_count + 1u,
                             sizeof(uint32_t));
    walls->list_start = walls->start_buffer.data;
    if (result == RN_OK)
        result = rni_buffer_need(&fluid->memory, &walls->buried_buffer, walls->cell_count, 1);
    walls->is_buried = walls->buried_buffer.data;
    if (result == RN_OK)
        result = rni_buffer_need(&fluid->memory, &walls->kind_buffer, walls->cell_count, 1);
    walls->list_kind = walls->kind_buffer.data;
    if (result != RN_OK) return result;
    memset(walls->is_buried, 0, walls->cell_count);
    result = make_lists(fluid);
    if (result != RN_OK) return result;
    walls->is_stale = false;
    walls->version++;
    return RN_OK;
}

static float distance_of(const rn_fluid *fluid, const float x[3], bool has_meshes)
{
    const rni_walls *walls = fluid->walls;
    uint32_t count;
    const uint32_t *list = rni_walls_near(walls, x, &count);
    float least = INFINITY, n[3];
    for (uint32_t k = 0; k < count; k++)
        if (has_meshes || !rni_is_mesh(&walls->solids[list[k]]))
            least = rni_lower(least, rni_solid_distance(&walls->solids[list[k]], x, n));
    return least;
}

float rni_walls_distance(const rn_fluid *fluid, const float x[3])
{
    return distance_of(fluid, x, true);
}

float rni_walls_distance_plain(const rn_fluid *fluid, const float x[3])
{
    return distance_of(fluid, x, false);
}
