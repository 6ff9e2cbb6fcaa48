/* A grid of bytes over the mesh: how far every point of a cell is from the mesh at least. Most moves are
 * shorter than that and need no query. */
#include "mesh/query.h"

#include <string.h>

#define BLOCK 4u /* cells of a block along an axis; far blocks take one query */
#define MAX_SIDE \
    4096u /* cells along an axis, so that rounding moves no point by a thousandth of a cell */
#define UNITS 4.0 /* bytes count quarters of a cell */
#define HALF_DIAGONAL \
    0.8663 /* of a cell, rounded up for points that rounding moves to a neighbour */

typedef struct prefilter_job {
    const rn_mesh_query *query;
    rni_prefilter *grid;
    uint8_t *bound;
    double cell;
} prefilter_job;

static uint8_t bound_of(double distance, double cell)
{
    const double units = floor(distance / cell * UNITS);
    return (uint8_t)(units < 0.0 ? 0.0 : (units > 255.0 ? 255.0 : units));
}

/* The distance of a place in the grid, in cells from its origin. */
static double distance_at(const prefilter_job *job, const double place[3])
{
    float p[3];
    rni_near near;
    for (int axis = 0; axis < 3; axis++)
        p[axis] = (float)((double)job->grid->origin[axis] + place[axis] * job->cell);
    const double reach = (256.0 / UNITS + BLOCK) * job->cell;
    return rni_hierarchy_closest(&job->query->hierarchy, p, reach, &near) ? sqrt(near.distance_sq)
                                                                          : reach;
}

static void fill_block(const prefilter_job *job, const uint32_t first[3])
{
    const rni_prefilter *grid = job->grid;
    const double centre[3] = {first[0] + 0.5 * BLOCK, first[1] + 0.5 * BLOCK, first[2] + 0.5 * BLOCK};
    const double whole = distance_at(job, centre), cell = job->cell;
    const bool is_far = whole > 2.0 * BLOCK * cell;
    for (uint32_t k = 0; k < BLOCK * BLOCK * BLOCK; k++) {
        const uint32_t at[3] = {first[0] + k % BLOCK, first[1] + k / BLOCK % BLOCK,
                                first[2] + k / (BLOCK * BLOCK)};
        if (at[0] >= grid->size[0] || at[1] >= grid->size[1] || at[2] >= grid->size[2]) continue;
        double place[3], away_sq = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            place[axis] = at[axis] + 0.5;
            away_sq += (place[axis] - centre[axis]) * (place[axis] - centre[axis]);
        }
        const double distance = is_far ? whole - sqrt(away_sq) * cell : distance_at(job, place);
        job->bound[((size_t)at[2] * grid->size[1] + at[1]) * grid->size[0] + at[0]] =
            bound_of(distance - HALF_DIAGONAL * cell, cell);
    }
}

static void fill_layer(void *data, uint32_t layer, uint32_t worker)
{
    const prefilter_job *job = data;
    (void)worker;
    for (uint32_t y = 0; y < job->grid->size[1]; y += BLOCK)
        for (uint32_t x = 0; x < job->grid->size[0]; x += BLOCK)
            fill_block(job, (const uint32_t[3]){x, y, layer * BLOCK});
}

/* Cubes of about prefilter_cells cells over the mesh. */
static double choose_grid(const rn_mesh_query *query, rni_prefilter *grid)
{
    double width[3], volume = 1.0, longest = 0.0;
    for (int axis = 0; axis < 3; axis++)
        longest =
            fmax(longest, (double)query->hierarchy.high[axis] - (double)query->hierarchy.low[axis]);
    if (!(longest > 0.0)) longest = 1.0;
    for (int axis = 0; axis < 3; axis++) {
        const double side = (double)query->hierarchy.high[axis] - (double)query->hierarchy.low[axis];
        width[axis] = side + 0.05 * longest; /* and a margin */
        volume *= width[axis];
    }
    double cell = fmax(cbrt(volume / query->def.prefilter_cells), longest * 1.05 / (MAX_SIDE - 2));
    for (int axis = 0; axis < 3; axis++) {
        grid->size[axis] = (uint32_t)(width[axis] / cell) + 1;
        grid->origin[axis] = (float)((double)query->hierarchy.low[axis] - 0.025 * longest);
    }
    grid->inverse_cell = (float)(1.0 / cell);
    grid->unit = (float)(cell / UNITS) * 0.99999f;
    return cell;
}

rn_result rni_prefilter_build(rn_mesh_query *query)
{
    rni_prefilter *grid = &query->prefilter;
    if (query->def.prefilter_cells == 0 || query->mesh.triangle_count == 0) return RN_OK;
    prefilter_job job = {query, grid, NULL, choose_grid(query, grid)};
    const uint64_t cells = (uint64_t)grid->size[0] * grid->size[1] * grid->size[2];
    rn_result result = rni_buffer_need(&query->memory, &grid->bounds, cells, 1);
    if (result != RN_OK) return result;
    job.bound = grid->bounds.data;
    rni_crew_pieces(query->crew, (grid->size[2] + BLOCK - 1) / BLOCK, fill_layer, &job);
    grid->bound = job.bound;
    return RN_OK;
}
