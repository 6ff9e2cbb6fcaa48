/* The fastest method by number of points, neighbours per point and layout. The claim is our own. */
#include "bench/neighbors.h"
#include "lab/lab.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BRUTE_LIMIT   20000u
#define MAX_SIZES     4u
#define MAX_NEIGHBORS 3u
#define LAYOUT_COUNT  3u
#define PEER          "nanoflann"
#define SPARED_FROM   10000u
#define BEATEN        3.0 /* times the time of the second */
#define NEAR          1.2 /* so many times the fastest is as good */

enum { LAYOUT, POINTS, NEIGHBORS, FASTEST, NS, SECOND, LEAD, GRID_NS, PEER_NS, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"layout", "layout", true, 0},          {"points", "points", false, 0},
    {"neighbors", "neighbours", false, 3},  {"fastest", "fastest", true, 0},
    {"ns_per_point", "ns/point", false, 4}, {"second", "second", true, 0},
    {"second_times", "times", false, 3},    {"grid_ns", "grid", false, 4},
    {"nanoflann_ns", PEER, false, 4},
};

/* Layouts, and the number of neighbours at the radius that they are made for. */
typedef struct ground {
    const char *name;
    rni_layout layout;
    double neighbors;
} ground;

static const ground grounds[LAYOUT_COUNT] = {{"lattice", RNI_LAYOUT_LATTICE, 33},
                                             {"random", RNI_LAYOUT_RANDOM5, 5},
                                             {"clusters", RNI_LAYOUT_CLUSTERS, 30}};

typedef struct map {
    rni_lab *lab;
    rni_lab_field field;
    const uint32_t *sizes;
    const double *neighbors;
    uint32_t size_count, neighbor_count;
    bool is_peer_missing; /* reported once */
    /* By radius: so much slower at the last size of this layout that it is skipped at larger ones. */
    bool is_beaten[MAX_NEIGHBORS][RNI_LAB_MAX_CONTENDERS];
    rni_tile tiles[LAYOUT_COUNT * MAX_SIZES * MAX_NEIGHBORS];
    char names[LAYOUT_COUNT * MAX_SIZES * MAX_NEIGHBORS][40];
    char notes[LAYOUT_COUNT * MAX_SIZES * MAX_NEIGHBORS][40];
} map;

/* ns per point of the peer; NaN without it. */
static double measure_peer(map *m, const float *position, uint32_t count, float radius)
{
    char reason[RNI_REASON_BYTES];
    rni_bench_plan plan = {.def = rni_lab_own_def(m->lab), .reps = 2, .limit_seconds = 1.5};
    uint32_t threads = m->lab->threads ? m->lab->threads : rn_cpu_count();
    rni_bench_row row = {.threads = threads, .points = count};
    if (m->lab->is_quick) plan.reps = 1;
    plan.def.radius = radius;
    if (m->is_peer_missing) return (double)NAN;
    if (rni_bench_peer(&plan, position, count, PEER, &row, reason)) return row.ns_per_point;
    m->is_peer_missing = true;
    rni_lab_note(m->lab, "%s", reason);
    return (double)NAN;
}

/* The fastest two of the methods and the peer. */
typedef struct podium {
    const char *name[2];
    double ns[2];
    uint32_t color; /* of the first: its index in the field; the peer comes last */
} podium;

static void rank(podium *p, const char *name, double ns, uint32_t color)
{
    if (isnan(ns)) return;
    if (!(ns >= p->ns[0])) {
        p->name[1] = p->name[0];
        p->ns[1] = p->ns[0];
        p->name[0] = name;
        p->ns[0] = ns;
        p->color = color;
    } else if (!(ns >= p->ns[1])) {
        p->name[1] = name;
        p->ns[1] = ns;
    }
}

static rn_result add_row(map *m, const ground *g, uint32_t count, double peer_ns, rni_tile *tile)
{
    const rni_lab_field *field = &m->field;
    podium p = {{"", ""}, {(double)NAN, (double)NAN}, 0};
    for (uint32_t k = 0; k < field->count; k++)
        rank(&p, field->of[k].name, field->of[k].ms * 1e6 / count, k);
    rank(&p, PEER, peer_ns, field->count);
    rni_lab_table *table = &m->lab->table;
    rn_result result = rni_lab_table_row(table);
    if (result != RN_OK) return result;
    const rni_lab_contender *grid = rni_lab_find(field, "grid");
    rni_lab_table_text(table, g->name);
    rni_lab_table_number(table, count);
    rni_lab_table_number(table, rni_lab_neighbors(field));
    rni_lab_table_text(table, p.name[0]);
    rni_lab_table_number(table, p.ns[0]);
    rni_lab_table_text(table, p.name[1]);
    rni_lab_table_number(table, p.ns[1] / p.ns[0]);
    rni_lab_table_number(table, grid ? grid->ms * 1e6 / count : (double)NAN);
    rni_lab_table_number(table, peer_ns);
    if (isnan(p.ns[0])) return RN_OK;
    size_t place = (size_t)(tile - m->tiles);
    snprintf(m->names[place], sizeof m->names[place], "%s", p.name[0]);
    snprintf(m->notes[place], sizeof m->notes[place], "%.3g ns, %.3gx", p.ns[0], p.ns[1] / p.ns[0]);
    *tile = (rni_tile){m->names[place], isnan(p.ns[1]) ? NULL : m->notes[place], p.color};
    return RN_OK;
}

/* Sets radius and contenders for a case, by the results of the last size. */
static void prepare(map *m, uint32_t count, uint32_t n, float radius)
{
    for (uint32_t k = 0; k < m->field.count; k++) {
        rni_lab_contender *contender = &m->field.of[k];
        bool is_brute = contender->def.method == RN_SEARCH_BRUTE;
        contender->def.radius = radius;
        contender->is_out = (is_brute && count > BRUTE_LIMIT) || m->is_beaten[n][k];
    }
}

static void note_beaten(map *m, uint32_t n)
{
    double best = (double)NAN;
    double second = (double)NAN;
    for (uint32_t k = 0; k < m->field.count; k++) {
        double ms = m->field.of[k].ms;
        if (isnan(ms)) continue;
        if (!isnan(best)) second = fmin(second, fmax(best, ms));
        best = fmin(best, ms);
    }
    for (uint32_t k = 0; k < m->field.count; k++)
        if (m->field.of[k].ms > BEATEN * second) m->is_beaten[n][k] = true;
}

/* One layout and number of points with all radii. */
static rn_result run_ground(map *m, uint32_t ground_place, uint32_t size_place)
{
    const ground *g = &grounds[ground_place];
    const uint32_t count = m->sizes[size_place];
    const rni_lab_effort effort =
        m->lab->is_quick ? (rni_lab_effort){1, 0.002, 0.02, 0} : (rni_lab_effort){3, 0.2, 2, 3};
    const float radius = 2;
    float *position = malloc((size_t)count * 3 * sizeof *position);
    if (!position) return rni_fail(RN_ERROR_MEMORY, "no memory for %u points", count);
    rni_layout_fill(g->layout, 3, count, radius, position);
    if (size_place == 0) memset(m->is_beaten, 0, sizeof m->is_beaten);
    rn_result result = RN_OK;
    for (uint32_t n = 0; n < m->neighbor_count && result == RN_OK; n++) {
        char what[96];
        float reach = radius * (float)cbrt(m->neighbors[n] / g->neighbors);
        snprintf(what, sizeof what, "%s, %u points, about %g neighbours", g->name, count,
                 m->neighbors[n]);
        rni_lab_step(m->lab, what);
        prepare(m, count, n, reach);
        size_t row = (size_t)ground_place * m->size_count + (m->size_count - 1 - size_place);
        result = rni_lab_measure(&m->field, &effort, position, count);
        if (count >= SPARED_FROM) note_beaten(m, n);
        if (result == RN_OK)
            result = add_row(m, g, count, measure_peer(m, position, count, reach),
                             &m->tiles[row * m->neighbor_count + n]);
    }
    free(position);
    return result;
}

static rn_result plot(const map *m)
{
    char size_names[MAX_SIZES][24];
    char neighbor_names[MAX_NEIGHBORS][24];
    const char *rows[MAX_SIZES];
    const char *tile_columns[MAX_NEIGHBORS];
    const char *tables[LAYOUT_COUNT];
    char path[4096];
    char subtitle[160];
    uint32_t threads = m->lab->threads ? m->lab->threads : rn_cpu_count();
    for (uint32_t s = 0; s < m->size_count; s++) {
        snprintf(size_names[s], sizeof size_names[s], "%u", m->sizes[m->size_count - 1 - s]);
        rows[s] = size_names[s];
    }
    for (uint32_t n = 0; n < m->neighbor_count; n++) {
        snprintf(neighbor_names[n], sizeof neighbor_names[n], "%g", m->neighbors[n]);
        tile_columns[n] = neighbor_names[n];
    }
    for (uint32_t g = 0; g < LAYOUT_COUNT; g++) tables[g] = grounds[g].name;
    snprintf(subtitle, sizeof subtitle,
             "the fastest method, its time per point, and its speedup over the second%s; %u "
             "thread%s",
             m->is_peer_missing ? "" : "; " PEER " takes part", threads, threads == 1 ? "" : "s");
    rni_tile_chart chart = {.title = "Which method where",
                            .subtitle = subtitle,
                            .x_label = "approximate number of neighbours per point",
                            .y_label = "points",
                            .columns = tile_columns,
                            .column_count = m->neighbor_count,
                            .rows = rows,
                            .row_count = m->size_count,
                            .tables = tables,
                            .table_count = LAYOUT_COUNT,
                            .tiles = m->tiles};
    rni_lab_path(m->lab, NULL, "svg", path);
    return rni_chart_write_tiles(&chart, path);
}

static void conclude(rni_lab *lab)
{
    const rni_lab_value *worst = NULL;
    double worst_times = 1;
    uint32_t won = 0;
    uint32_t near = 0;
    uint32_t rows = lab->table.row_count;
    for (uint32_t r = 0; r < rows; r++) {
        const rni_lab_value *row = lab->table.values + (size_t)r * COLUMN_COUNT;
        double times = row[GRID_NS].number / row[NS].number;
        won += times <= 1;
        near += times <= NEAR;
        if (times <= worst_times) continue;
        worst_times = times;
        worst = row;
    }
    char most[400] = "";
    if (worst)
        snprintf(most, sizeof most,
                 ", and at worst %.2f times the time of the fastest (%s: %s, %.0f points, %.3g "
                 "neighbours)",
                 worst_times, worst[FASTEST].text, worst[LAYOUT].text, worst[POINTS].number,
                 worst[NEIGHBORS].number);
    const char *verdict = rni_lab_verdict(near == rows, won);
    rni_lab_conclude(lab, verdict,
                     "The claim that grid is the best default %s here: grid is the fastest in "
                     "%u of %u cases and within %.0f %% of the fastest in %u%s.",
                     verdict, won, rows, (NEAR - 1) * 100, near, most);
}

static rn_result run(rni_lab *lab)
{
    static const uint32_t full_sizes[] = {1000, 10000, 100000, 1000000};
    static const uint32_t quick_sizes[] = {500, 2000};
    static const double full_neighbors[] = {5, 30, 100};
    static const double quick_neighbors[] = {5, 30};
    map *m = calloc(1, sizeof *m);
    if (!m) return rni_fail(RN_ERROR_MEMORY, "no memory for the map");
    m->lab = lab;
    m->field.lab = lab;
    m->sizes = lab->is_quick ? quick_sizes : full_sizes;
    m->size_count = lab->is_quick ? 2 : 4;
    m->neighbors = lab->is_quick ? quick_neighbors : full_neighbors;
    m->neighbor_count = lab->is_quick ? 2 : 3;
    rn_search_def def = rni_lab_own_def(lab);
    rni_lab_add_all(&m->field, &def);
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, LAYOUT_COUNT * m->size_count * m->neighbor_count);
    rn_result result = RN_OK;
    for (uint32_t g = 0; g < LAYOUT_COUNT; g++)
        for (uint32_t s = 0; s < m->size_count && result == RN_OK; s++)
            result = run_ground(m, g, s);
    if (result == RN_OK) result = plot(m);
    if (result == RN_OK) conclude(lab);
    free(m);
    return result;
}

const rni_lab_experiment rni_lab_which_method = {
    .name = "which-method",
    .summary = "the fastest method by number of points, number of neighbours and clustering, "
               "with peers",
    .source = "Runnel, docs/search.md",
    .claim = "grid is the best default method",
    .run = run,
};
