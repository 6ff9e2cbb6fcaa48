/* Grahn (2008), figure 8.1: collision queries of particles against 500 triangles, by hashed grid and by
 * bounding volume hierarchy, over the number of particles; and what the thesis could not reach: more
 * triangles, the other structures. A query is what a step asks: the closest point within the radius of
 * a particle. */
#include "lab/lab.h"

#include "base/clock.h"
#include "base/error.h"
#include "bench/mesh_layouts.h"

#include <runnel/mesh_query.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIANGLES, PARTICLES, STRUCTURE, BUILD_MS, STEP_MS, NS, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"triangles", "triangles", false, 0}, {"particles", "particles", false, 0},
    {"structure", "structure", true, 0},  {"build_ms", "build ms", false, 3},
    {"step_ms", "ms per step", false, 3}, {"ns_per_particle", "ns/particle", false, 3},
};

/* Particles of a radius of 2 cm around a ring of radius 1 m, most of them away from the walls. */
#define RADIUS 0.02f

typedef struct trial {
    uint32_t triangles, particles;
} trial;

/* The first rows are the figure. */
static const trial full[] = {{500, 512},   {500, 1024},   {500, 2048},    {500, 4096},
                             {8040, 4096}, {40000, 4096}, {200000, 4096}, {1000000, 4096}};
static const trial quick[] = {{500, 256}, {500, 512}, {4000, 512}};

static rn_result fastest_step(rni_lab *lab, rn_mesh_query *query, const rn_mesh_points *points,
                              rn_mesh_closest *closest, double *seconds)
{
    rn_result result = RN_OK;
    const double begin = rni_seconds();
    *seconds = (double)INFINITY;
    for (uint32_t r = 0;
         (r < 3 || rni_seconds() - begin < (lab->is_quick ? 0.005 : 0.2)) && result == RN_OK; r++) {
        const double start = rni_seconds();
        result = rn_mesh_query_closest(query, points, RADIUS, closest);
        *seconds = fmin(*seconds, rni_seconds() - start);
    }
    return result;
}

/* One row; contenders must find the same. */
static rn_result measure(rni_lab *lab, const rni_mesh_layout *layout, const rn_mesh_points *points,
                         rn_mesh_structure structure, rn_mesh_closest *closest, uint64_t *found)
{
    rn_mesh_query_def def = rn_mesh_query_def_default();
    rn_mesh_query *query = NULL;
    rn_mesh_query_stats stats = rn_mesh_query_stats_default();
    double seconds = (double)NAN;
    def.structure = structure;
    def.threads = lab->is_threads_given ? lab->threads : 1;
    if (structure == RN_MESH_HASHED_GRID) def.cell = RADIUS;
    rn_result result = rn_mesh_query_create(&def, &layout->mesh, &query);
    if (result == RN_ERROR_LIMIT) {
        rni_lab_note(lab, "hashed-grid is left out at %u triangles: %s",
                     layout->mesh.triangle_count, rn_last_error());
        return RN_OK;
    }
    if (result == RN_OK) result = fastest_step(lab, query, points, closest, &seconds);
    if (result == RN_OK) result = rn_mesh_query_get_stats(query, &stats);
    rn_mesh_query_destroy(query);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < points->count && result == RN_OK; i++)
        sum = sum * 31 + closest[i].triangle;
    if (result == RN_OK && *found != 0 && sum != *found)
        result = rni_fail(RN_ERROR_LIMIT, "the structures find different triangles");
    *found = sum;
    if (result == RN_OK) result = rni_lab_table_row(&lab->table);
    if (result != RN_OK) return result;
    rni_lab_table_number(&lab->table, layout->mesh.triangle_count);
    rni_lab_table_number(&lab->table, points->count);
    for (uint32_t k = 0; rn_mesh_structure_get_info(k); k++)
        if (rn_mesh_structure_get_info(k)->structure == structure)
            rni_lab_table_text(&lab->table, rn_mesh_structure_get_info(k)->name);
    rni_lab_table_number(&lab->table, stats.build_ms);
    rni_lab_table_number(&lab->table, 1e3 * seconds);
    rni_lab_table_number(&lab->table, 1e9 * seconds / points->count);
    return RN_OK;
}

static rn_result run_trial(rni_lab *lab, const trial *t)
{
    static const rn_mesh_structure structures[] = {RN_MESH_HASHED_GRID, RN_MESH_HIERARCHY,
                                                   RN_MESH_DISTANCE_FIELD, RN_MESH_BRUTE};
    char what[64];
    snprintf(what, sizeof what, "%u triangles, %u particles", t->triangles, t->particles);
    rni_lab_step(lab, what);
    rni_mesh_layout layout;
    rn_result result = rni_mesh_layout_make(RNI_MESH_TORUS, t->triangles, 1, &layout);
    if (result != RN_OK) return result;
    float *position = malloc((size_t)3 * t->particles * sizeof *position);
    rn_mesh_closest *closest = malloc(t->particles * sizeof *closest);
    if (!position || !closest)
        result = rni_fail(RN_ERROR_MEMORY, "there is no memory for the particles");
    uint64_t found = 0;
    for (size_t k = 0; k < 4 && result == RN_OK; k++) {
        if (k == 0) rni_mesh_points_near(&layout, 0.1, 5, t->particles, position);
        if (structures[k] == RN_MESH_BRUTE && t->triangles > 8040) continue; /* minutes */
        const rn_mesh_points points = {.position = position, .count = t->particles};
        result = measure(lab, &layout, &points, structures[k], closest, &found);
    }
    free(position);
    free(closest);
    rni_mesh_layout_release(&layout);
    return result;
}

/* Time of a structure in the rows of 500 triangles; the sum, or NaN. */
static double sum_of(const rni_lab *lab, const char *name, double triangles)
{
    double sum = 0.0;
    for (uint32_t r = 0; r < lab->table.row_count; r++) {
        const double here = rni_lab_table_at(&lab->table, r, TRIANGLES);
        const rni_lab_value *value = rni_lab_table_value(&lab->table, r, STRUCTURE);
        if (fabs(here - triangles) < 0.1 * triangles && strcmp(value->text, name) == 0)
            sum += rni_lab_table_at(&lab->table, r, NS);
    }
    return sum;
}

#define MAX_ROWS 32u

/* The rows of 500 triangles over particles, or those of the most particles over triangles. */
static rn_result plot(const rni_lab *lab, bool is_figure)
{
    static const char *const names[] = {"hashed-grid", "hierarchy", "distance-field", "brute"};
    double x[4][MAX_ROWS], y[4][MAX_ROWS], most = 0.0;
    rni_chart_series series[4];
    const rni_lab_table *t = &lab->table;
    for (uint32_t r = 0; r < t->row_count; r++)
        most = fmax(most, rni_lab_table_at(t, r, PARTICLES));
    for (uint32_t k = 0; k < 4; k++) {
        series[k] = (rni_chart_series){.name = names[k], .x = x[k], .y = y[k]};
        for (uint32_t r = 0; r < t->row_count && r < MAX_ROWS; r++) {
            if (strcmp(rni_lab_table_value(t, r, STRUCTURE)->text, names[k]) != 0) continue;
            if (is_figure ? rni_lab_table_at(t, r, TRIANGLES) > 600.0
                          : rni_lab_table_at(t, r, PARTICLES) < most)
                continue;
            x[k][series[k].count] = rni_lab_table_at(t, r, is_figure ? PARTICLES : TRIANGLES);
            y[k][series[k].count++] = rni_lab_table_at(t, r, is_figure ? STEP_MS : NS);
        }
    }
    const rni_chart chart = {.title = "Hashed grid or hierarchy: particles against a triangle mesh",
                             .subtitle =
                                 "closest point within the radius of each particle, one thread",
                             .x_label = is_figure ? "particles (500 triangles)" : "triangles",
                             .y_label = is_figure ? "ms per step" : "ns per particle",
                             .x_log = true,
                             .y_log = true,
                             .series = series,
                             .series_count = 4};
    return rni_lab_plot(lab, is_figure ? NULL : "triangles", &chart);
}

static void conclude(rni_lab *lab, double most)
{
    const double grid = sum_of(lab, "hashed-grid", 500.0), tree = sum_of(lab, "hierarchy", 500.0);
    const double first = tree / (lab->is_quick ? 2.0 : 4.0), last = sum_of(lab, "hierarchy", most);
    const char *verdict = grid < tree ? "holds" : "does not hold";
    rni_lab_conclude(
        lab, verdict,
        "The claim that the hashed grid is slightly faster than the hierarchy at 500 "
        "triangles %s here: the hierarchy takes %.2f times the time of the grid. From 500 "
        "to %.0f triangles the time of the hierarchy grows from %.0f to %.0f ns per particle.",
        verdict, tree / grid, most, first, last);
}

static rn_result run(rni_lab *lab)
{
    const trial *trials = lab->is_quick ? quick : full;
    const uint32_t count = lab->is_quick ? sizeof quick / sizeof *quick : sizeof full / sizeof *full;
    lab->table.columns = columns;
    lab->table.column_count = COLUMN_COUNT;
    rni_lab_begin(lab, count);
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < count && result == RN_OK; k++) result = run_trial(lab, &trials[k]);
    if (result == RN_OK) result = plot(lab, true);
    if (result == RN_OK) result = plot(lab, false);
    if (result == RN_OK) conclude(lab, trials[count - 1].triangles);
    return result;
}

const rni_lab_experiment rni_lab_bvh_or_grid = {
    .name = "bvh-or-grid",
    .summary = "particles against triangle meshes: hashed grid, hierarchy and others",
    .source = "Grahn 2008, figure 8.1",
    .claim = "at 500 triangles the hashed grid is slightly faster than the hierarchy",
    .run = run,
};
