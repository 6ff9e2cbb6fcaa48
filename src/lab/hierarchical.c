/* Pouchol et al. (2009), figure 5: points in a square, a growing radius, all neighbours of all
 * points; time and memory against the largest neighbour count. The paper's hash is an unbounded map
 * (section 4.3); the form with a table of fixed length runs beside it. */
#include "lab/lab.h"

#include "base/error.h"
#include "base/pi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE   1048576.0 /* 2^20 */
#define BORDER 5.0       /* "below five neighbours" */

enum { MAP, TABLE, HASH, KDTREE, GRID, CONTENDER_COUNT };
enum { MOST, MEAN, RADIUS, FIRST_MS, FIRST_BYTES = FIRST_MS + CONTENDER_COUNT };
enum { OVERHEAD = FIRST_BYTES + CONTENDER_COUNT, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"neighbors_most", "most", false, 0},
    {"neighbors", "mean", false, 3},
    {"radius", "radius", false, 0},
    {"hierarchical_map_ms", "hier. map ms", false, 4},
    {"hierarchical_table_ms", "hier. table", false, 4},
    {"hash_ms", "hash", false, 4},
    {"kdtree_ms", "kdtree", false, 4},
    {"grid_ms", "grid", false, 4},
    {"hierarchical_map_bytes", "map B/point", false, 3},
    {"hierarchical_table_bytes", "table", false, 3},
    {"hash_bytes", "hash", false, 3},
    {"kdtree_bytes", "kdtree", false, 3},
    {"grid_bytes", "grid", false, 3},
    {"memory_of_hash", "hier./hash", false, 3},
};

static const char *const names[CONTENDER_COUNT] = {
    "hierarchical-hash, map", "hierarchical-hash, table", "hash", "kdtree", "grid"};

static void add_contenders(rni_lab *lab, rni_lab_field *field)
{
    rn_search_def def = rni_lab_paper_def(lab);
    def.dim = 2;
    def.unbounded_table = true;
    rni_lab_add(field, &def, "hierarchical-hash", names[MAP]);
    def.unbounded_table = false;
    rni_lab_add(field, &def, "hierarchical-hash", names[TABLE]);
    for (uint32_t k = HASH; k < CONTENDER_COUNT; k++) rni_lab_add(field, &def, names[k], NULL);
}

/* The largest number of neighbours of any point, by the default method. */
static rn_result most_neighbors(const float *position, uint32_t count, float radius, double *most)
{
    rn_search *search = NULL;
    rn_search_def def = rn_search_def_default();
    def.dim = 2;
    def.radius = radius;
    def.lists = RN_LISTS_COUNTS;
    rn_result result = rn_search_create(&def, &search);
    if (result == RN_OK)
        result = rn_search_update(search, (rn_points){position, 0, count, RN_SCALAR_FLOAT});
    if (result == RN_OK) {
        rn_neighbors n = rn_search_get_neighbors(search);
        *most = 0;
        for (uint32_t i = 0; i < n.count; i++) *most = fmax(*most, n.counts[i]);
    }
    rn_search_destroy(search);
    return result;
}

/* Memory but for the lists, which are the same for all. */
static double structure_bytes(const rni_lab_contender *contender)
{
    const rn_search_stats *stats = &contender->stats;
    if (isnan(contender->ms) || !stats->point_count) return (double)NAN;
    return (double)(stats->held_bytes - stats->list_bytes) / (double)stats->point_count;
}

static rn_result run_radius(rni_lab *lab, rni_lab_field *field, const float *position,
                            uint32_t count, double neighbors)
{
    const rni_lab_effort effort =
        lab->is_quick ? (rni_lab_effort){1, 0.01, 0.1, 0} : (rni_lab_effort){2, 0.8, 2, 0};
    float radius = (float)(SIDE * sqrt(neighbors / (RNI_PI * count)));
    double most = 0;
    rni_lab_begin_case(lab, "%u points, about %g neighbours", count, neighbors);
    for (uint32_t k = 0; k < field->count; k++) field->of[k].def.radius = radius;
    rn_result result = rni_lab_measure(field, &effort, position, count);
    if (result == RN_OK) result = most_neighbors(position, count, radius, &most);
    if (result == RN_OK) result = rni_lab_table_row(&lab->table);
    if (result != RN_OK) return result;
    rni_lab_table *table = &lab->table;
    rni_lab_table_number(table, most);
    rni_lab_table_number(table, rni_lab_neighbors(field));
    rni_lab_table_number(table, (double)radius);
    for (uint32_t k = 0; k < CONTENDER_COUNT; k++) rni_lab_table_number(table, field->of[k].ms);
    for (uint32_t k = 0; k < CONTENDER_COUNT; k++)
        rni_lab_table_number(table, structure_bytes(&field->of[k]));
    rni_lab_table_number(table,
                         structure_bytes(&field->of[TABLE]) / structure_bytes(&field->of[HASH]));
    return RN_OK;
}

static rn_result plot(const rni_lab *lab, uint32_t count)
{
    uint32_t times[CONTENDER_COUNT];
    uint32_t bytes[CONTENDER_COUNT];
    char subtitle[160];
    for (uint32_t k = 0; k < CONTENDER_COUNT; k++) {
        times[k] = FIRST_MS + k;
        bytes[k] = FIRST_BYTES + k;
    }
    snprintf(subtitle, sizeof subtitle, "%u points in a square of side 2^20, growing radius, %s",
             count, lab->is_threads_given ? "threads as asked for" : "as published, one thread");
    rni_chart chart = {.title = "Hierarchical hashing: all neighbours in 2D",
                       .subtitle = subtitle,
                       .x_label = "largest number of neighbours of a point",
                       .y_label = "milliseconds",
                       .x_log = true,
                       .y_log = true};
    rn_result result = rni_lab_plot_columns(lab, NULL, chart,
                                            &(rni_lab_curves){MOST, times, names, CONTENDER_COUNT});
    if (result != RN_OK) return result;
    chart.title = "Hierarchical hashing: memory";
    chart.y_label = "bytes per point, without the lists";
    chart.y_log = false;
    chart.y_from_zero = true;
    return rni_lab_plot_columns(lab, "memory", chart,
                                &(rni_lab_curves){MOST, bytes, names, CONTENDER_COUNT});
}

/* Rows on one side of the border: how often hashing is the faster, and by how much on average. */
typedef struct tally {
    uint32_t rows, hash_wins;
    double log_sum; /* of tree / hash */
} tally;

static void conclude(rni_lab *lab)
{
    tally below = {0, 0, 0};
    tally above = {0, 0, 0};
    double least = (double)NAN;
    double most = (double)NAN;
    for (uint32_t r = 0; r < lab->table.row_count; r++) {
        const rni_lab_value *row = lab->table.values + (size_t)r * COLUMN_COUNT;
        double hash = fmin(row[FIRST_MS + MAP].number, row[FIRST_MS + TABLE].number);
        hash = fmin(hash, row[FIRST_MS + HASH].number);
        double tree = row[FIRST_MS + KDTREE].number;
        least = fmin(least, row[OVERHEAD].number);
        most = fmax(most, row[OVERHEAD].number);
        if (isnan(hash) || isnan(tree)) continue;
        tally *side = row[MOST].number < BORDER ? &below : &above;
        side->rows++;
        side->hash_wins += hash < tree;
        side->log_sum += log(tree / hash);
    }
    if (below.rows == 0 || above.rows == 0) {
        rni_lab_conclude(lab, "cannot be judged", "The claim cannot be judged here: %s.",
                         below.rows + above.rows ? "all radii are on the same side of five "
                                                   "neighbours"
                                                 : "a hash or kdtree was not measured");
        return;
    }
    bool is_below = below.hash_wins == below.rows;
    bool is_above = above.hash_wins == 0;
    const char *verdict = rni_lab_verdict(is_below && is_above, is_below || is_above);
    char memory[96] = "";
    if (!isnan(most))
        snprintf(memory, sizeof memory,
                 "; the hierarchical hash uses %.2f to %.2f times the memory of hash", least, most);
    rni_lab_conclude(
        lab, verdict,
        "The claim that hashing is faster below five neighbours and the tree above %s here: "
        "below, hashing is faster in %u of %u cases and the tree takes %.2f times as long; "
        "above, the tree is faster in %u of %u cases and takes %.2f times as long%s.",
        verdict, below.hash_wins, below.rows, exp(below.log_sum / below.rows),
        above.rows - above.hash_wins, above.rows, exp(above.log_sum / above.rows), memory);
}

static rn_result run(rni_lab *lab)
{
    static const double wanted[] = {0.002, 0.02, 0.1, 0.3, 1, 2, 5, 10, 20, 40};
    uint32_t count = lab->is_quick ? 5000 : 1000000;
    uint32_t step = lab->is_quick ? 3 : 1;
    rni_lab_field field = {.lab = lab};
    float *position = malloc((size_t)count * 2 * sizeof *position);
    if (!position) return rni_fail(RN_ERROR_MEMORY, "no memory for %u points", count);
    rni_lab_fill_uniform(position, 2, count, SIDE, 20);
    add_contenders(lab, &field);
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, 9 / step + 1);
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < 10 && result == RN_OK; k += step)
        result = run_radius(lab, &field, position, count, wanted[k]);
    if (result == RN_OK) result = plot(lab, count);
    if (result == RN_OK) conclude(lab);
    free(position);
    return result;
}

const rni_lab_experiment rni_lab_hierarchical_neighbors = {
    .name = "hierarchical-neighbors",
    .summary =
        "time and memory against the neighbour count in 2D: hierarchical hash, hash, kd-tree, grid",
    .source = "Pouchol et al. 2009, figure 5",
    .claim = "hashing is faster below five neighbours, the kd-tree above; 10 to 25 % more memory "
             "than a hash",
    .run = run,
};
