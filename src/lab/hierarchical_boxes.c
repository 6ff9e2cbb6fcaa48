/* Pouchol et al. (2009), figures 4 and 6: hierarchical hashing against multilevel hashing. 2D: a
 * million short segments against boxes of very different sizes, with an unbounded map as in the
 * paper. 3D: particles that fall over 2000 spheres, with a table of fixed length. */
#include "bench/box_layouts.h"
#include "lab/boxes.h"

#include "base/error.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HIERARCHICAL, MULTILEVEL, KDTREE, DEFAULT, CONTENDER_COUNT };

static const char *const names[CONTENDER_COUNT] = {"hierarchical-hash", "multilevel-hash",
                                                   "linear-kdtree", "layered-columns"};
static const rn_broadphase_method methods[CONTENDER_COUNT] = {
    RN_BROADPHASE_HIERARCHICAL_HASH, RN_BROADPHASE_MULTILEVEL_HASH, RN_BROADPHASE_LINEAR_KDTREE,
    RN_BROADPHASE_DEFAULT};

static double structure_bytes(const rni_lab_boxer *boxer)
{
    return (double)(boxer->stats.held_bytes - boxer->stats.result_bytes);
}

/* --- figure 4 ----------------------------------------------------------------------------------- */

enum { COUNT, HIT_RATIO, MS, BYTES = MS + CONTENDER_COUNT, VISITED = BYTES + CONTENDER_COUNT };
enum { VISITED_MULTI = VISITED + 1, GAIN, OVERHEAD, COLUMN_COUNT };

static const rni_lab_column flat_columns[COLUMN_COUNT] = {
    {"boxes", "boxes", false, 0},
    {"hit_ratio", "hit ratio", false, 3},
    {"hierarchical_ms", "hier. ms", false, 4},
    {"multilevel_ms", "multilevel", false, 4},
    {"kdtree_ms", "kd-tree", false, 4},
    {"default_ms", "default", false, 4},
    {"hierarchical_bytes", "hier. bytes", false, 0},
    {"multilevel_bytes", "multilevel", false, 0},
    {"kdtree_bytes", "kd-tree", false, 0},
    {"default_bytes", "default", false, 0},
    {"hierarchical_cells", "hier. cells", false, 3},
    {"multilevel_cells", "multilevel", false, 3},
    {"gain", "gain", false, 3},
    {"memory_ratio", "memory", false, 3},
};

typedef struct flat_scene {
    float *low, *high, *from, *to;
    uint32_t *counts;
    uint32_t box_count, query_count;
} flat_scene;

static rn_result run_flat(rni_lab *lab, flat_scene *scene)
{
    rni_lab_begin_case(lab, "%u boxes", scene->box_count);
    rni_box_scene_fill(2, scene->box_count, 11, scene->low, scene->high);
    rn_boxes boxes = {.low = scene->low, .high = scene->high, .count = scene->box_count};
    rn_queries queries = {.kind = RN_QUERY_BOX, .count = scene->query_count};
    queries.a = scene->from;
    queries.b = scene->to;
    rni_lab_boxer of[CONTENDER_COUNT];
    rn_result result = RN_OK;
    for (int k = 0; k < CONTENDER_COUNT; k++) {
        rn_broadphase_def def = rni_lab_box_def(lab, 2, methods[k]);
        def.unbounded_table = true;
        of[k] = (rni_lab_boxer){.name = names[k], .ms = (double)NAN};
        if (result == RN_OK) result = rni_lab_boxer_open(&of[k], names[k], &def);
    }
    for (int round = 0; round < (lab->is_quick ? 1 : 3) && result == RN_OK; round++)
        for (int k = 0; k < CONTENDER_COUNT && result == RN_OK; k++) {
            result = rni_lab_boxer_queries(&of[k], &boxes, &queries, scene->counts);
            if (result == RN_OK) result = rni_lab_boxers_agree(&of[0], &of[k]);
        }
    if (result == RN_OK) result = rni_lab_table_row(&lab->table);
    if (result == RN_OK) {
        rni_lab_table *table = &lab->table;
        uint32_t hit = 0;
        for (uint32_t k = 0; k < scene->query_count; k++) hit += scene->counts[k] > 0;
        rni_lab_table_number(table, scene->box_count);
        rni_lab_table_number(table, (double)hit / scene->query_count);
        for (int k = 0; k < CONTENDER_COUNT; k++) rni_lab_table_number(table, of[k].ms);
        for (int k = 0; k < CONTENDER_COUNT; k++)
            rni_lab_table_number(table, structure_bytes(&of[k]));
        for (int k = HIERARCHICAL; k <= MULTILEVEL; k++)
            rni_lab_table_number(table, (double)of[k].stats.query_visited_count / scene->query_count);
        rni_lab_table_number(table, of[MULTILEVEL].ms / of[HIERARCHICAL].ms);
        rni_lab_table_number(table,
                             structure_bytes(&of[HIERARCHICAL]) / structure_bytes(&of[MULTILEVEL]));
    }
    for (int k = 0; k < CONTENDER_COUNT; k++) rni_lab_boxer_close(&of[k]);
    return result;
}

static rn_result plot_flat(const rni_lab *lab)
{
    static const uint32_t times[] = {MS, MS + 1, MS + 2, MS + 3};
    static const uint32_t bytes[] = {BYTES, BYTES + 1, BYTES + 2, BYTES + 3};
    rni_chart chart = {.title = "Hierarchical hashing: segments against boxes in 2D",
                       .subtitle = "boxes of 2^3, 2^6 and 2^10 in a square of side 2^13, one "
                                   "thread",
                       .x_label = "share of segments whose box overlaps a box",
                       .y_label = "milliseconds for all segments",
                       .y_log = true};
    rn_result result = rni_lab_plot_columns(
        lab, NULL, chart, &(rni_lab_curves){HIT_RATIO, times, names, CONTENDER_COUNT});
    if (result != RN_OK) return result;
    chart.title = "Hierarchical hashing: memory";
    chart.y_label = "bytes of memory, without the results";
    return rni_lab_plot_columns(lab, "memory", chart,
                                &(rni_lab_curves){HIT_RATIO, bytes, names, CONTENDER_COUNT});
}

static void conclude_flat(rni_lab *lab)
{
    double least = (double)INFINITY, most = 0, memory = 0, fewest = (double)INFINITY, kept = 0,
           ahead = (double)INFINITY;
    for (uint32_t r = 0; r < lab->table.row_count; r++) {
        const rni_lab_table *t = &lab->table;
        least = fmin(least, rni_lab_table_at(t, r, GAIN));
        most = fmax(most, rni_lab_table_at(t, r, GAIN));
        memory = fmax(memory, rni_lab_table_at(t, r, OVERHEAD));
        double cells = rni_lab_table_at(t, r, VISITED_MULTI) / rni_lab_table_at(t, r, VISITED);
        fewest = fmin(fewest, cells);
        kept = fmax(kept, cells);
        ahead = fmin(ahead, rni_lab_table_at(t, r, MS) / rni_lab_table_at(t, r, MS + DEFAULT));
    }
    bool is_faster = least >= 2.0, is_lean = memory <= 1.1;
    const char *verdict = rni_lab_verdict(is_faster && is_lean, is_faster || is_lean || most >= 2.0);
    rni_lab_conclude(
        lab, verdict,
        "The claim that hierarchical hashing is at least twice as fast as multilevel hashing "
        "with at most 10 %% more memory %s here: %.2f to %.2f times as fast, up to %.2f times "
        "the memory; it visits %.1f to %.1f times fewer cells, but the boxes in the remaining "
        "cells cost both methods the same; the default method is at least %.1f times faster.",
        verdict, least, most, memory, fewest, kept, ahead);
}

static rn_result run_2d(rni_lab *lab)
{
    static const uint32_t counts[] = {10, 30, 100, 300, 1000, 3000};
    flat_scene scene = {.query_count = lab->is_quick ? 5000 : 1000000};
    size_t bytes = (size_t)scene.query_count * 2 * sizeof(float);
    scene.low = malloc(3000 * 2 * sizeof(float));
    scene.high = malloc(3000 * 2 * sizeof(float));
    scene.from = malloc(bytes);
    scene.to = malloc(bytes);
    scene.counts = malloc(scene.query_count * sizeof *scene.counts);
    rn_result result = RN_OK;
    if (!scene.low || !scene.high || !scene.from || !scene.to || !scene.counts)
        result = rni_fail(RN_ERROR_MEMORY, "no memory for %u segments", scene.query_count);
    else rni_segment_scene_fill(2, scene.query_count, 12, scene.from, scene.to);
    for (uint32_t k = 0; k < 2 * scene.query_count && result == RN_OK; k++) {
        float a = scene.from[k], b = scene.to[k];
        scene.from[k] = a < b ? a : b;
        scene.to[k] = a < b ? b : a;
    }
    uint32_t step = lab->is_quick ? 2 : 1;
    rni_lab_begin_table(lab, flat_columns, COLUMN_COUNT, 6 / step);
    for (uint32_t c = 0; c < 6 && result == RN_OK; c += step) {
        scene.box_count = counts[c];
        result = run_flat(lab, &scene);
    }
    if (result == RN_OK) result = plot_flat(lab);
    if (result == RN_OK) conclude_flat(lab);
    free(scene.low);
    free(scene.high);
    free(scene.from);
    free(scene.to);
    free(scene.counts);
    return result;
}

const rni_lab_experiment rni_lab_hierarchical_2d = {
    .name = "hierarchical-2d",
    .summary = "a million segments against boxes of very different sizes: two hashes, a kd-tree",
    .source = "Pouchol et al. 2009, figure 4",
    .claim = "hierarchical hashing is at least twice as fast as multilevel hashing, with at most "
             "10 % more memory",
    .run = run_2d,
};
