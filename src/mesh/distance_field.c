/* Structure "distance-field": signed distances at the nodes of a grid, kept in blocks near the mesh and
 * interpolated linearly between eight nodes. The field also bounds the search for closest points,
 * which stay exact; far away, and where the field jumps (overlapping parts), the hierarchy answers. */
#include "mesh/query.h"

#include "base/error.h"

#include <string.h>

#define SIDE      (RNI_FIELD_CELLS + 1u)
#define MAX_TABLE ((uint64_t)1 << 26)
#define NO_BLOCK  UINT32_MAX
#define HALF_CUBE 0.8660254037844387 /* half the diagonal of a unit cube */

/* Distances have a slope of at most 1, and a point of a cell is at most half a diagonal away, on
 * average over the weights, from the nodes of the cell. */
static double error_of(double cell, double largest)
{
    return HALF_CUBE * cell + 2.5e-7 * largest; /* and nodes are rounded to floats */
}

/* --- lookup ------------------------------------------------------------------------------------- */

/* Cell along one axis, and the place in it; false: outside the table. */
static inline bool place_of(const rni_distance_field *field, int axis, float x, uint32_t *cell,
                            double *part)
{
    const double at = ((double)x - field->origin[axis]) / field->cell;
    if (!(at >= 0.0 && at < (double)field->size[axis] * RNI_FIELD_CELLS)) return false;
    *cell = (uint32_t)at;
    *part = at - (double)*cell;
    return true;
}

static inline uint64_t table_place(const rni_distance_field *field, const uint32_t at[3])
{
    return ((uint64_t)at[2] * field->size[1] + at[1]) * field->size[0] + at[0];
}

bool rni_field_distance(const rni_distance_field *field, const float point[3], double *distance)
{
    uint32_t cell[3], block[3], in[3];
    double part[3];
    for (int axis = 0; axis < 3; axis++) {
        if (!place_of(field, axis, point[axis], &cell[axis], &part[axis])) return false;
        block[axis] = cell[axis] / RNI_FIELD_CELLS;
        in[axis] = cell[axis] % RNI_FIELD_CELLS;
    }
    const uint32_t at = field->block_of[table_place(field, block)];
    if (at == NO_BLOCK) return false;
    const float *node =
        field->value + (size_t)at * RNI_FIELD_NODES + ((size_t)in[2] * SIDE + in[1]) * SIDE + in[0];
    double sum = 0.0, low = (double)INFINITY, high = -(double)INFINITY;
    for (uint32_t k = 0; k < 8; k++) {
        const double value = (double)node[(k >> 2) * SIDE * SIDE + (k >> 1 & 1u) * SIDE + (k & 1u)];
        const double weight = (k & 1u ? part[0] : 1.0 - part[0]) *
                              (k & 2u ? part[1] : 1.0 - part[1]) * (k & 4u ? part[2] : 1.0 - part[2]);
        sum += weight * value;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    *distance = sum;
    /* Two nodes of a cell differ by at most its diagonal, unless the sign is wrong in one of them. */
    return high - low <= 2.0 * HALF_CUBE * field->cell * 1.00001;
}

/* --- build -------------------------------------------------------------------------------------- */

typedef struct field_job {
    rn_mesh_query *query;
    rni_distance_field *field;
    uint32_t *table;
    float *value;
    double band;
} field_job;

static void node_place(const rni_distance_field *field, const uint32_t block[3],
                       const uint32_t in[3], float p[3])
{
    for (int axis = 0; axis < 3; axis++)
        p[axis] = (float)(field->origin[axis] +
                          field->cell * ((double)block[axis] * RNI_FIELD_CELLS + in[axis]));
}

/* Marks the blocks of one layer of the table whose cells may be within the band. */
static void mark_layer(void *data, uint32_t layer, uint32_t worker)
{
    field_job *job = data;
    (void)worker;
    rni_distance_field *field = job->field;
    const double reach = job->band + HALF_CUBE * RNI_FIELD_CELLS * field->cell;
    for (uint32_t y = 0; y < field->size[1]; y++)
        for (uint32_t x = 0; x < field->size[0]; x++) {
            float p[3];
            rni_near near;
            const uint32_t block[3] = {x, y, layer}, middle[3] = {2, 2, 2};
            node_place(field, block, middle, p);
            job->table[table_place(field, block)] =
                rni_hierarchy_closest(&job->query->hierarchy, p, reach, &near) ? 0 : NO_BLOCK;
        }
}

static void fill_layer(void *data, uint32_t layer, uint32_t worker)
{
    field_job *job = data;
    (void)worker;
    rni_distance_field *field = job->field;
    for (uint32_t y = 0; y < field->size[1]; y++)
        for (uint32_t x = 0; x < field->size[0]; x++) {
            const uint32_t block[3] = {x, y, layer};
            const uint32_t at = job->table[table_place(field, block)];
            if (at == NO_BLOCK) continue;
            for (uint32_t k = 0; k < RNI_FIELD_NODES; k++) {
                float p[3];
                const uint32_t in[3] = {k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE)};
                node_place(field, block, in, p);
                const double distance = rni_mesh_signed_distance(job->query, p);
                /* Beside an open edge the sign jumps where the distance is not 0: the field has no
                 * signs then, and a lookup asks for the winding number. */
                const bool has_sign = job->query->sign == RN_SIGN_PSEUDO_NORMAL;
                job->value[(size_t)at * RNI_FIELD_NODES + k] =
                    (float)(has_sign ? distance : fabs(distance));
            }
        }
}

/* The table covers the mesh and its band. */
static rn_result choose_table(rn_mesh_query *query, double *band)
{
    rni_distance_field *field = &query->field;
    const rni_hierarchy *h = &query->hierarchy;
    double longest = 0.0, blocks = 1.0, largest = 0.0;
    for (int axis = 0; axis < 3; axis++)
        longest = fmax(longest, (double)h->high[axis] - (double)h->low[axis]);
    field->cell =
        query->def.cell > 0.0f ? (double)query->def.cell : (longest > 0.0 ? longest / 128.0 : 1.0);
    *band = query->def.band > 0.0f ? (double)query->def.band : 4.0 * field->cell;
    for (int axis = 0; axis < 3; axis++) {
        field->origin[axis] = (double)h->low[axis] - *band - field->cell;
        const double width = (double)h->high[axis] + *band + field->cell - field->origin[axis];
        const double size = ceil(width / (field->cell * RNI_FIELD_CELLS));
        blocks *= size;
        largest = fmax(largest, fmax(fabs(field->origin[axis]), fabs(field->origin[axis] + width)));
        field->size[axis] = size < 1e9 ? (uint32_t)size : 1000000000u;
    }
    field->error = error_of(field->cell, largest);
    if (blocks > (double)MAX_TABLE)
        return rni_fail(RN_ERROR_LIMIT,
                        "a distance field with cells of %g m needs %g blocks; choose a larger cell",
                        field->cell, blocks);
    return RN_OK;
}

static rn_result build(rn_mesh_query *query)
{
    rni_distance_field *field = &query->field;
    double band;
    field->block_of = NULL;
    field->block_count = 0;
    if (query->mesh.triangle_count == 0) return RN_OK;
    rn_result result = choose_table(query, &band);
    const uint64_t table_count = (uint64_t)field->size[0] * field->size[1] * field->size[2];
    if (result == RN_OK)
        result = rni_buffer_need(&query->memory, &field->table, table_count, sizeof(uint32_t));
    if (result != RN_OK) return result;
    field_job job = {query, field, field->table.data, NULL, band};
    rni_crew_pieces(query->crew, field->size[2], mark_layer, &job);
    for (uint64_t k = 0; k < table_count; k++)
        if (job.table[k] != NO_BLOCK) job.table[k] = field->block_count++;
    const uint64_t bytes = (uint64_t)field->block_count * RNI_FIELD_NODES * sizeof(float);
    result = rni_mesh_fits(query, bytes, "the distance field");
    if (result == RN_OK) result = rni_buffer_need(&query->memory, &field->blocks, bytes + 1, 1);
    if (result != RN_OK) return result;
    job.value = field->blocks.data;
    rni_crew_pieces(query->crew, field->size[2], fill_layer, &job);
    field->block_of = job.table;
    field->value = job.value;
    return RN_OK;
}

/* --- queries ------------------------------------------------------------------------------------ */

static bool closest(const rn_mesh_query *query, const float point[3], double max_distance,
                    rni_near *near)
{
    double distance;
    if (query->field.block_of && rni_field_distance(&query->field, point, &distance)) {
        /* The mesh is not farther than this; a little more for the rounding of the nodes. */
        const double bound = (fabs(distance) + query->field.error) * 1.00001;
        if (fabs(distance) * 0.99999 - query->field.error > max_distance) {
            near->triangle = RN_MESH_NONE;
            return false;
        }
        if (bound < max_distance && rni_hierarchy_closest(&query->hierarchy, point, bound, near))
            return true;
    }
    return rni_hierarchy_closest(&query->hierarchy, point, max_distance, near);
}

static void within(const rn_mesh_query *query, const float point[3], double radius,
                   rni_near_fn visit, void *user)
{
    double distance;
    if (query->field.block_of && rni_field_distance(&query->field, point, &distance) &&
        fabs(distance) * 0.99999 - query->field.error > radius)
        return;
    rni_hierarchy_within(&query->hierarchy, point, radius, visit, user);
}

static bool segment(const rn_mesh_query *query, const float from[3], const float to[3],
                    rni_crossing *crossing)
{
    return rni_hierarchy_segment(&query->hierarchy, from, to, crossing);
}

static double winding(const rn_mesh_query *query, const float point[3])
{
    return rni_hierarchy_winding(&query->hierarchy, point);
}

const rni_mesh_structure rni_mesh_structure_distance_field = {
    .info = {RN_MESH_DISTANCE_FIELD, "distance-field",
             "signed distances on a sparse grid, interpolated; closest points stay exact", "Runnel"},
    .build = build,
    .closest = closest,
    .within = within,
    .segment = segment,
    .winding = winding,
};
