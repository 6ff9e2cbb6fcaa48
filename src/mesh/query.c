/* Life cycle of an rn_mesh_query, and the tables of structures and split rules. */
#include "mesh/query.h"

#include "base/clock.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/output.h"

#include <string.h>

/* --- the structure "hierarchy" ------------------------------------------------------------------ */

static bool tree_closest(const rn_mesh_query *query, const float point[3], double max_distance,
                         rni_near *near)
{
    return rni_hierarchy_closest(&query->hierarchy, point, max_distance, near);
}

static void tree_within(const rn_mesh_query *query, const float point[3], double radius,
                        rni_near_fn visit, void *user)
{
    rni_hierarchy_within(&query->hierarchy, point, radius, visit, user);
}

static bool tree_segment(const rn_mesh_query *query, const float from[3], const float to[3],
                         rni_crossing *crossing)
{
    return rni_hierarchy_segment(&query->hierarchy, from, to, crossing);
}

static double tree_winding(const rn_mesh_query *query, const float point[3])
{
    return rni_hierarchy_winding(&query->hierarchy, point);
}

const rni_mesh_structure rni_mesh_structure_hierarchy = {
    .info = {RN_MESH_HIERARCHY, "hierarchy",
             "a tree of boxes with eight children a node, eight triangles a leaf", "Runnel"},
    .closest = tree_closest,
    .within = tree_within,
    .segment = tree_segment,
    .winding = tree_winding,
};

/* --- tables ------------------------------------------------------------------------------------- */

/* A tree with a byte grid for moves was the fastest at every size from 12 triangles on
 * (`runnel lab bvh-or-grid`), so there is nothing to choose. */
static const rn_mesh_structure_info auto_info = {
    RN_MESH_AUTO, "auto", "the hierarchy, with a grid of distance bounds for moves; the default",
    "Runnel"};

static const rni_mesh_structure *const table[] = {
    &rni_mesh_structure_hierarchy, &rni_mesh_structure_hashed_grid,
    &rni_mesh_structure_distance_field, &rni_mesh_structure_brute};
#define STRUCTURE_COUNT (uint32_t)(sizeof table / sizeof *table)

const rn_mesh_structure_info *rn_mesh_structure_get_info(uint32_t place)
{
    if (place == 0) return &auto_info;
    return place <= STRUCTURE_COUNT ? &table[place - 1]->info : NULL;
}

/* In the order of rn_mesh_split. */
static const char *const split_names[] = {"surface-area", "min-sum", "min-max", "longest-side"};
#define SPLIT_COUNT (uint32_t)(sizeof split_names / sizeof *split_names)

const char *rn_mesh_split_name(rn_mesh_split split)
{
    return (uint32_t)split < SPLIT_COUNT ? split_names[split] : NULL;
}

rn_result rn_mesh_structure_from_name(const char *name, rn_mesh_structure *structure)
{
    if (!name || !structure)
        return rni_fail(RN_ERROR_ARGUMENT, "name and structure must not be NULL");
    const rn_mesh_structure_info *info;
    for (uint32_t place = 0; (info = rn_mesh_structure_get_info(place)); place++)
        if (strcmp(name, info->name) == 0) {
            *structure = info->structure;
            return RN_OK;
        }
    return rni_fail(RN_ERROR_ARGUMENT,
                    "'%s' is no structure for meshes; there are auto, hierarchy, hashed-grid, "
                    "distance-field, brute",
                    name);
}

rn_result rn_mesh_split_from_name(const char *name, rn_mesh_split *split)
{
    if (!name || !split) return rni_fail(RN_ERROR_ARGUMENT, "name and split must not be NULL");
    for (uint32_t place = 0; place < SPLIT_COUNT; place++)
        if (strcmp(name, split_names[place]) == 0) {
            *split = (rn_mesh_split)place;
            return RN_OK;
        }
    return rni_fail(RN_ERROR_ARGUMENT,
                    "'%s' is no split rule; there are surface-area, min-sum, min-max, longest-side",
                    name);
}

/* --- create ------------------------------------------------------------------------------------- */

rn_mesh_query_def rn_mesh_query_def_default(void)
{
    return (rn_mesh_query_def){.struct_bytes = sizeof(rn_mesh_query_def),
                               .prefilter_cells = 1u << 20};
}

static rn_result check_def(const rn_mesh_query_def *def)
{
    if (def->struct_bytes != sizeof *def)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "def.struct_bytes is %u instead of %zu; begin with rn_mesh_query_def_default(), "
                        "and with the header of the library that is loaded",
                        def->struct_bytes, sizeof *def);
    if ((uint32_t)def->structure > RN_MESH_BRUTE)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "structure %d is not in the table; see rn_mesh_structure_get_info()",
                        (int)def->structure);
    if ((uint32_t)def->split >= SPLIT_COUNT || (uint32_t)def->sign > RN_SIGN_WINDING)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "split is %d and sign is %d; they must be of rn_mesh_split and rn_mesh_sign",
                        (int)def->split, (int)def->sign);
    if (!(def->cell >= 0.0f && def->cell <= RNI_MESH_LARGEST) ||
        !(def->band >= 0.0f && def->band <= RNI_MESH_LARGEST))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "cell is %g and band is %g; they must be lengths in m, or 0 for automatic",
                        (double)def->cell, (double)def->band);
    if (def->prefilter_cells > 1u << 30)
        return rni_fail(RN_ERROR_ARGUMENT, "prefilter_cells is %u; at most %u",
                        def->prefilter_cells, 1u << 30);
    return RN_OK;
}

rn_result rni_mesh_fits(const rn_mesh_query *query, uint64_t more_bytes, const char *what)
{
    uint64_t limit = query->def.memory_limit_bytes;
    if (limit == 0) limit = rni_machine_bytes();
    if (more_bytes <= limit && query->memory.held_bytes <= limit - more_bytes) return RN_OK;
    return rni_fail(RN_ERROR_LIMIT,
                    "%s takes %llu MB, which exceeds the limit of %llu MB; choose a larger cell, or "
                    "raise memory_limit_bytes",
                    what, (unsigned long long)(more_bytes >> 20), (unsigned long long)(limit >> 20));
}

static rn_result copy_mesh(rn_mesh_query *query, const rn_mesh *mesh)
{
    const size_t vertex_bytes = (size_t)3 * mesh->vertex_count * sizeof(float);
    const size_t triangle_bytes = (size_t)3 * mesh->triangle_count * sizeof(uint32_t);
    if (rni_buffer_need(&query->memory, &query->vertices, vertex_bytes + 1, 1) ||
        rni_buffer_need(&query->memory, &query->triangles, triangle_bytes + 1, 1))
        return RN_ERROR_MEMORY;
    if (vertex_bytes > 0) memcpy(query->vertices.data, mesh->vertex, vertex_bytes);
    if (triangle_bytes > 0) memcpy(query->triangles.data, mesh->triangle, triangle_bytes);
    query->mesh = *mesh;
    query->mesh.vertex = query->vertices.data;
    query->mesh.triangle = query->triangles.data;
    query->mesh.texture = NULL;
    return RN_OK;
}

/* Everything that depends on the positions of the vertices. */
static rn_result build_on_tree(rn_mesh_query *query)
{
    query->prefilter.bound = NULL;
    rn_result result = rni_hierarchy_add_dipoles(&query->hierarchy);
    if (query->normals.vertex_of) rni_mesh_normals_sum(query);
    else if (result == RN_OK) result = rni_mesh_normals_build(query);
    if (result != RN_OK) return result;
    query->sign = query->def.sign;
    if (query->sign == RN_SIGN_AUTO)
        query->sign = query->normals.is_closed ? RN_SIGN_PSEUDO_NORMAL : RN_SIGN_WINDING;
    return query->structure->build ? query->structure->build(query) : RN_OK;
}

static rn_result open_query(rn_mesh_query *query, const rn_mesh *mesh)
{
    const rn_mesh_query_def *def = &query->def;
    query->structure = table[0];
    for (uint32_t place = 0; place < STRUCTURE_COUNT; place++)
        if (table[place]->info.structure == def->structure) query->structure = table[place];
    rn_result result = rni_cpu_choose(def->cpu, &query->cpu);
    if (result == RN_OK)
        result = rni_crew_create(&query->memory, def->threads, &def->tasks, &query->crew);
    if (result == RN_OK)
        result = rni_mesh_fits(query, (uint64_t)mesh->triangle_count * 200, "the mesh");
    if (result == RN_OK) result = copy_mesh(query, mesh);
    if (result == RN_OK)
        result = rni_hierarchy_build(&query->hierarchy, &query->memory, query->crew, query->cpu,
                                     &query->mesh, def->split);
    return result == RN_OK ? build_on_tree(query) : result;
}

_Static_assert(offsetof(struct rn_mesh_query, memory) == 0, "rni_memory_begin");

rn_result rn_mesh_query_create(const rn_mesh_query_def *def, const rn_mesh *mesh, rn_mesh_query **out)
{
    if (!out) return rni_fail(RN_ERROR_ARGUMENT, "query must not be NULL");
    *out = NULL;
    if (!def || !mesh) return rni_fail(RN_ERROR_ARGUMENT, "def and mesh must not be NULL");
    const double begin = rni_seconds();
    rn_result result = check_def(def);
    if (result == RN_OK) result = rni_mesh_check(mesh);
    if (result != RN_OK) return result;
    void *object;
    result = rni_memory_begin(&def->allocator, sizeof(rn_mesh_query), &object);
    if (result != RN_OK) return result;
    rn_mesh_query *query = object;
    query->def = *def;
    result = open_query(query, mesh);
    if (result != RN_OK) {
        rn_mesh_query_destroy(query);
        return result;
    }
    query->build_ms = 1e3 * (rni_seconds() - begin);
    *out = query;
    return RN_OK;
}

void rn_mesh_query_destroy(rn_mesh_query *query)
{
    if (!query) return;
    rni_memory *memory = &query->memory;
    rni_crew_destroy(query->crew);
    rni_hierarchy_free(&query->hierarchy);
    rni_mesh_normals_free(query);
    rni_buffer *const buffers[] = {
        &query->vertices,         &query->triangles,      &query->grid.starts,
        &query->grid.entries,     &query->field.table,    &query->field.blocks,
        &query->prefilter.bounds, &query->contact_starts, &query->contact_list};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        rni_buffer_free(memory, buffers[k]);
    rni_memory_end(memory, sizeof *query);
}

rn_result rn_mesh_query_refit(rn_mesh_query *query, const float *vertex)
{
    if (!query || (!vertex && query->mesh.vertex_count > 0))
        return rni_fail(RN_ERROR_ARGUMENT, "query and vertex must not be NULL");
    const double begin = rni_seconds();
    rn_result result = rni_vertices_check(vertex, query->mesh.vertex_count);
    if (result != RN_OK) return result;
    if (query->mesh.vertex_count > 0)
        memcpy(query->vertices.data, vertex, (size_t)3 * query->mesh.vertex_count * sizeof(float));
    rni_hierarchy_refit(&query->hierarchy, query->crew, &query->mesh);
    result = build_on_tree(query);
    query->build_ms = 1e3 * (rni_seconds() - begin);
    return result;
}

/* --- statistics --------------------------------------------------------------------------------- */

rn_mesh_query_stats rn_mesh_query_stats_default(void)
{
    return (rn_mesh_query_stats){.struct_bytes = sizeof(rn_mesh_query_stats)};
}

rn_result rn_mesh_query_get_stats(const rn_mesh_query *query, rn_mesh_query_stats *stats)
{
    if (!query || !stats) return rni_fail(RN_ERROR_ARGUMENT, "query and stats must not be NULL");
    rn_result result = rni_output_check(stats, RNI_OUTPUT_BYTES(rn_mesh_query_stats, held_bytes),
                                        "rn_mesh_query_stats");
    if (result != RN_OK) return result;
    rn_mesh_query_stats full = {.structure = query->structure->info.structure,
                                .sign = query->sign,
                                .cpu = query->cpu,
                                .threads = rni_crew_size(query->crew),
                                .triangle_count = query->mesh.triangle_count,
                                .node_count = query->hierarchy.node_count,
                                .leaf_count = query->hierarchy.leaf_count,
                                .depth = query->hierarchy.depth,
                                .is_closed = query->normals.is_closed,
                                .build_ms = query->build_ms,
                                .held_bytes = query->memory.held_bytes};
    if (full.structure == RN_MESH_HASHED_GRID) {
        full.cell_count = (uint64_t)query->grid.mask + 1;
        full.cell = query->grid.cell;
    }
    if (full.structure == RN_MESH_DISTANCE_FIELD) {
        full.cell_count = (uint64_t)query->field.block_count * 64;
        full.cell = (float)query->field.cell;
        full.band = query->def.band > 0.0f ? query->def.band : 4.0f * full.cell;
        full.distance_error = (float)query->field.error;
    }
    rni_output_write(stats, &full, sizeof full);
    return RN_OK;
}
