/* The published methods with all their options, and the pitfalls of their papers one by one. 000:
 * Pouchol et al. 2009; 002: Poirrier 2009. */
#include "fact.h"

#include "base/random.h"
#include "broadphase/cell_hash.h"
#include "broadphase/judge.h"
#include "broadphase/linear_kdtree.h"

#include <stdlib.h>
#include <string.h>

static rn_broadphase *open(const rn_broadphase_def *def)
{
    rn_broadphase *phase = NULL;
    if (rn_broadphase_create(def, &phase) != RN_OK) fail_msg("%s", rn_last_error());
    return phase;
}

/* Pairs and box queries of one variant in one scene. */
static void check_variant(const scene *s, const rn_broadphase_def *def, const char *what,
                          const judged *truth, const rn_queries *queries, const judged *hit)
{
    rn_broadphase *phase = open(def);
    rn_boxes boxes = scene_boxes(s);
    rn_pairs pairs;
    rn_hits hits;
    for (int round = 0; round < 2; round++) {
        if (rn_broadphase_update(phase, &boxes) != RN_OK ||
            rn_broadphase_find_pairs(phase, &pairs) != RN_OK)
            fail_msg("%s, %s: %s", what, s->name, rn_last_error());
        JUDGE(judge_compare(truth, pairs.pair, pairs.count, false), "%s, %s, %uD, round %d", what,
              s->name, def->dim, round);
        if (rn_broadphase_query(phase, queries, &hits) != RN_OK) fail_msg("%s", rn_last_error());
        JUDGE(judge_hits(hit, &hits, false), "%s, %s, %uD, queries", what, s->name, def->dim);
    }
    rn_broadphase_destroy(phase);
}

typedef struct variant {
    const char *name;
    void (*set)(rn_broadphase_def *def);
} variant;

#define VARIANT_BOXES (260 / FACT_SLOWNESS)

static void check_variants(rn_broadphase_method method, const variant *variants, size_t count)
{
    scene s;
    for (uint32_t number = 0; scene_make(number, VARIANT_BOXES, &s); number++) {
        for (uint32_t dim = 2; dim <= 3; dim++) {
            judged truth = judge_pairs(&s, dim);
            rn_queries queries = scene_queries(&s, RN_QUERY_BOX, 60, 5);
            judged hit = judge_queries(&s, &queries, dim);
            for (size_t v = 0; v < count; v++) {
                rn_broadphase_def def = rn_broadphase_def_default();
                def.method = method;
                def.dim = dim;
                def.threads = 2;
                variants[v].set(&def);
                check_variant(&s, &def, variants[v].name, &truth, &queries, &hit);
            }
            judge_free(&truth);
            judge_free(&hit);
            scene_queries_free(&queries);
        }
        scene_free(&s);
    }
}

/* --- hashing ------------------------------------------------------------------------------------ */

static void one_slot(rn_broadphase_def *def)
{
    def->hash_table_length = 1;
}
static void few_slots(rn_broadphase_def *def)
{
    def->hash_table_length = 37;
}
static void a_map(rn_broadphase_def *def)
{
    def->unbounded_table = true;
}
static void as_in_print(rn_broadphase_def *def)
{
    def->as_published = true;
}
static void as_in_print_few_slots(rn_broadphase_def *def)
{
    def->as_published = true;
    def->hash_table_length = 64;
}
static void as_in_print_map(rn_broadphase_def *def)
{
    def->as_published = true;
    def->unbounded_table = true;
}

static const variant hash_variants[] = {
    {"one slot", one_slot},
    {"37 slots", few_slots},
    {"map", a_map},
    {"as published", as_in_print},
    {"as published, 64 slots", as_in_print_few_slots},
    {"as published, map", as_in_print_map},
};

/* Cells that share a slot must not report a pair twice or hide one: in a table of one slot all
 * cells do. */
static void hashing_is_exact_with_any_table(void **state)
{
    (void)state;
    size_t count = sizeof hash_variants / sizeof *hash_variants;
    check_variants(RN_BROADPHASE_MULTILEVEL_HASH, hash_variants, count);
    check_variants(RN_BROADPHASE_HIERARCHICAL_HASH, hash_variants, count);
}

/* A, B, C and D of 000 figure 2. */
static const float figure_low[][2] = {{2.5f, 1.2f}, {3.1f, 3.1f}, {3.0f, 0.2f}, {5.5f, 0.1f}};
static const float figure_high[][2] = {{5.5f, 4.5f}, {3.9f, 3.9f}, {4.6f, 1.4f}, {6.3f, 0.8f}};

static uint64_t figure_cells(rn_broadphase_method method, bool as_published)
{
    rn_broadphase_def def = rn_broadphase_def_default();
    def.dim = 2;
    def.method = method;
    def.unbounded_table = true;
    def.as_published = as_published;
    rn_boxes boxes = {.low = figure_low[0], .high = figure_high[0], .count = 4};
    rn_broadphase *phase = open(&def);
    assert_int_equal(rn_broadphase_update(phase, &boxes), RN_OK);
    rn_broadphase_stats stats = rn_broadphase_stats_default();
    rn_broadphase_get_stats(phase, &stats);
    assert_int_equal(stats.element_count, 9);
    assert_int_equal(stats.level_count, 3);
    rn_broadphase_destroy(phase);
    return stats.cell_count;
}

static void figure_2_has_nine_cells_or_eleven(void **state)
{
    (void)state;
    assert_int_equal(figure_cells(RN_BROADPHASE_MULTILEVEL_HASH, false), 9);
    assert_int_equal(figure_cells(RN_BROADPHASE_HIERARCHICAL_HASH, false), 11);
}

/* As published, cells of different classes may share a key, with eq. 3 and with eq. 4, even in an
 * unbounded table. The pairs are correct nevertheless (hashing_is_exact_with_any_table). */
static void published_keys_of_two_classes_may_coincide(void **state)
{
    (void)state;
    assert_true(figure_cells(RN_BROADPHASE_MULTILEVEL_HASH, true) < 9);
    assert_true(figure_cells(RN_BROADPHASE_HIERARCHICAL_HASH, true) < 11);
}

/* The same structure from the inside: which cells of figure 2 have children. */
static void figure_2_knows_which_cells_have_children(void **state)
{
    (void)state;
    static const struct {
        uint32_t level;
        int64_t x, y;
        bool has_children, has_boxes;
    } cells[] = {{0, 0, 0, true, true},  {0, 1, 0, true, true},  {0, 0, 1, false, true},
                 {0, 1, 1, false, true}, {1, 1, 0, false, true}, {1, 1, 1, true, false},
                 {1, 2, 0, true, true},  {1, 3, 0, true, false}, {2, 3, 3, false, true},
                 {2, 5, 0, false, true}, {2, 6, 0, false, true}};
    rni_memory memory;
    assert_int_equal(rni_memory_init(&memory, &(rn_allocator){0}), RN_OK);
    rn_broadphase_def def = rn_broadphase_def_default();
    rn_broadphase_stats stats = {0};
    def.dim = 2;
    def.unbounded_table = true;
    rni_box_env env = {.memory = &memory, .def = &def, .stats = &stats};
    void *made = NULL;
    assert_int_equal(rni_hash_create(&env, true, &made), RN_OK);
    rni_boxes boxes = {.low = (const unsigned char *)figure_low,
                       .high = (const unsigned char *)figure_high,
                       .low_stride = 8,
                       .high_stride = 8,
                       .count = 4,
                       .dim = 2,
                       .bound_low = {2.5f, 0.1f, 0.0f},
                       .bound_high = {6.3f, 4.5f, 0.0f},
                       .extent = {3.0f, 3.4f, 0.0f}};
    assert_int_equal(rni_hash_build(made, &boxes), RN_OK);
    const cell_hash *hash = made;
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
        hash_cell cell = {{cells[k].x, cells[k].y, 0}};
        const hash_slot *slot = rni_hash_find(hash, rni_hash_key(hash, cells[k].level, &cell));
        assert_non_null(slot);
        assert_int_equal((slot->first & RNI_HAS_CHILDREN) != 0, cells[k].has_children);
        assert_int_equal((slot->first & ~RNI_HAS_CHILDREN) != 0, cells[k].has_boxes);
    }
    rni_hash_destroy(made);
}

/* floor, not the cast: boxes left and right of 0 share only the cells that both cover. */
static void cells_below_zero_are_floors(void **state)
{
    (void)state;
    rn_broadphase_def def = rn_broadphase_def_default();
    def.dim = 2;
    def.unbounded_table = true;
    def.method = RN_BROADPHASE_MULTILEVEL_HASH;
    const float low[][2] = {{-0.9f, -0.9f}, {0.1f, 0.1f}}, high[][2] = {{-0.1f, -0.1f}, {0.9f, 0.9f}};
    rn_broadphase *phase = open(&def);
    rn_boxes boxes = {.low = low[0], .high = high[0], .count = 2};
    uint64_t count;
    assert_int_equal(rn_broadphase_update(phase, &boxes), RN_OK);
    assert_int_equal(rn_broadphase_count_pairs(phase, &count), RN_OK);
    assert_int_equal(count, 0);
    assert_int_equal(broadphase_stats_of(phase).candidate_count, 0);
    assert_int_equal(broadphase_stats_of(phase).cell_count, 2);
    rn_broadphase_destroy(phase);
}

/* Classes are kept. A box without a class goes to the next larger one; a box larger than all
 * classes is split. */
static void deforming_boxes_keep_the_classes(void **state)
{
    (void)state;
    static const rn_broadphase_method methods[] = {RN_BROADPHASE_MULTILEVEL_HASH,
                                                   RN_BROADPHASE_HIERARCHICAL_HASH};
    for (int m = 0; m < 2; m++) {
        scene s;
        assert_true(scene_make(0, 400, &s)); /* all of edge 1 */
        s.high[7][1] = s.low[7][1] + 4.0f;   /* and one of 4 */
        rn_broadphase_def def = rn_broadphase_def_default();
        def.method = methods[m];
        rn_broadphase *phase = open(&def);
        uint32_t levels = 0;
        for (int step = 0; step < 4; step++) {
            if (step == 1) s.high[3][0] = s.low[3][0] + 1.7f;   /* no class of its own: uses 4 */
            if (step == 2) s.high[9][2] = s.low[9][2] + 11.0f;  /* larger than all classes: split */
            if (step == 3) s.high[9][2] = s.low[9][2] + 900.0f; /* far too large */
            judged truth = judge_pairs(&s, 3);
            rn_boxes boxes = scene_boxes(&s);
            rn_pairs pairs;
            assert_int_equal(rn_broadphase_update(phase, &boxes), RN_OK);
            assert_int_equal(rn_broadphase_find_pairs(phase, &pairs), RN_OK);
            JUDGE(judge_compare(&truth, pairs.pair, pairs.count, false), "step %d", step);
            rn_broadphase_stats stats = rn_broadphase_stats_default();
            rn_broadphase_get_stats(phase, &stats);
            assert_int_equal(stats.order_reused, step == 1 || step == 2);
            if (step == 0) levels = stats.level_count;
            assert_int_equal(stats.level_count, levels + (step == 3));
            judge_free(&truth);
        }
        rn_broadphase_destroy(phase);
        scene_free(&s);
    }
}

/* One time stamp per step, and no memory beyond that of the first step. */
static void time_stamps_stand_in_for_clearing(void **state)
{
    (void)state;
    scene s;
    assert_true(scene_make(0, 300, &s));
    rn_broadphase_def def = rn_broadphase_def_default();
    def.method = RN_BROADPHASE_HIERARCHICAL_HASH;
    def.hash_table_length = 5000;
    def.threads = 1;
    rn_broadphase *phase = open(&def);
    uint64_t held = 0;
    for (uint32_t step = 0; step < 30; step++) {
        judged truth = judge_pairs(&s, 3);
        rn_boxes boxes = scene_boxes(&s);
        uint64_t count;
        assert_int_equal(rn_broadphase_update(phase, &boxes), RN_OK);
        assert_int_equal(rn_broadphase_count_pairs(phase, &count), RN_OK);
        assert_int_equal(count, truth.count);
        judge_free(&truth);
        for (uint32_t i = 0; i < s.count; i++) { /* back and forth */
            float by = step % 2 ? 0.25f : -0.25f;
            s.low[i][i % 3] += by;
            s.high[i][i % 3] += by;
        }
        if (step == 3) held = broadphase_stats_of(phase).held_bytes;
        if (step > 3) assert_int_equal(broadphase_stats_of(phase).held_bytes, held);
    }
    rn_broadphase_destroy(phase);
    scene_free(&s);
}

/* The gain of Pouchol et al. 2009: if a large cell has no children, small classes are not
 * searched. */
static void cells_without_children_end_the_walk(void **state)
{
    (void)state;
    float low[64][3], high[64][3];
    for (int i = 0; i < 64; i++)
        for (int axis = 0; axis < 3; axis++) {
            bool is_large = i < 8;
            low[i][axis] = is_large ? (float)(i >> axis & 1) * 40.0f + 4.5f : 0.3f * (float)(i % 7);
            high[i][axis] = low[i][axis] + (is_large ? 7.0f : 0.1f * (float)(1 + i % 5));
        }
    rn_boxes boxes = {.low = low[0], .high = high[0], .count = 64};
    float from[200][3], to[200][3];
    rni_random r = rni_random_make(1);
    for (int k = 0; k < 200; k++)
        for (int axis = 0; axis < 3; axis++) {
            from[k][axis] = rni_random_float(&r, 0.0f, 55.0f);
            to[k][axis] = from[k][axis] + rni_random_float(&r, -0.2f, 0.2f);
        }
    rn_queries queries = {.kind = RN_QUERY_SEGMENT, .count = 200, .a = from[0], .b = to[0]};
    uint64_t visited[2], total[2];
    for (int m = 0; m < 2; m++) {
        rn_broadphase_def def = rn_broadphase_def_default();
        def.method = m ? RN_BROADPHASE_HIERARCHICAL_HASH : RN_BROADPHASE_MULTILEVEL_HASH;
        rn_broadphase *phase = open(&def);
        assert_int_equal(rn_broadphase_update(phase, &boxes), RN_OK);
        assert_int_equal(rn_broadphase_count_hits(phase, &queries, NULL, &total[m]), RN_OK);
        visited[m] = broadphase_stats_of(phase).query_visited_count;
        rn_broadphase_destroy(phase);
    }
    assert_true(total[0] == total[1]);
    assert_true(2 * visited[1] < visited[0]);
}

/* The published descent visits all classes and ends early; Runnel's descends only to the box's own
 * class. */
static void early_ends_are_counted(void **state)
{
    (void)state;
    scene s;
    assert_true(scene_make(1, 500, &s));
    uint64_t ends[2], candidates[2];
    for (int m = 0; m < 2; m++) {
        rn_broadphase_def def = rn_broadphase_def_default();
        def.method = RN_BROADPHASE_HIERARCHICAL_HASH;
        def.as_published = m;
        rn_broadphase *phase = open(&def);
        rn_boxes boxes = scene_boxes(&s);
        uint64_t count;
        assert_int_equal(rn_broadphase_update(phase, &boxes), RN_OK);
        assert_int_equal(rn_broadphase_count_pairs(phase, &count), RN_OK);
        ends[m] = broadphase_stats_of(phase).early_end_count;
        candidates[m] = broadphase_stats_of(phase).candidate_count;
        rn_broadphase_destroy(phase);
    }
    assert_int_equal(ends[0], 0);
    assert_true(ends[1] > 100);
    assert_true(candidates[0] < candidates[1]);
    scene_free(&s);
}

/* --- linear kd-tree ----------------------------------------------------------------------------- */

static void unsplit(rn_broadphase_def *def)
{
    def->kd_split = false;
}
static void repeating(rn_broadphase_def *def)
{
    def->kd_once = false;
}
static void octree(rn_broadphase_def *def)
{
    def->kd_octree = true;
}
static void octree_unsplit(rn_broadphase_def *def)
{
    def->kd_octree = true;
    def->kd_split = false;
    def->kd_once = false;
}
static void coarse(rn_broadphase_def *def)
{
    def->kd_bits[0] = def->kd_bits[1] = def->kd_bits[2] = 3;
}
static void uneven(rn_broadphase_def *def)
{
    def->kd_bits[0] = 4;
    def->kd_bits[1] = 31;
}
static void uneven_repeating(rn_broadphase_def *def)
{
    def->kd_bits[1] = 2;
    def->kd_once = false;
}
static void small_root(rn_broadphase_def *def)
{
    for (int axis = 0; axis < 3; axis++) {
        def->kd_root_low[axis] = 1.0f;
        def->kd_root_high[axis] = 5.0f + (float)axis;
    }
}
static void root_elsewhere(rn_broadphase_def *def)
{
    for (int axis = 0; axis < 3; axis++) {
        def->kd_root_low[axis] = -9e9f;
        def->kd_root_high[axis] = -8e9f;
    }
}

static void kdtree_is_exact_with_all_options(void **state)
{
    (void)state;
    static const variant variants[] = {
        {"unsplit", unsplit},
        {"kd-1", repeating},
        {"octree", octree},
        {"octree kd-1", octree_unsplit},
        {"3 bits", coarse},
        {"uneven bits", uneven},
        {"uneven kd-1", uneven_repeating},
        {"small root", small_root},
        {"root elsewhere", root_elsewhere},
    };
    check_variants(RN_BROADPHASE_LINEAR_KDTREE, variants, sizeof variants / sizeof *variants);
}

static uint32_t random_places(rni_random *r, uint32_t bits, uint32_t *high)
{
    uint32_t size = 1u << rni_random_below(r, bits), last = (1u << bits) - 1;
    uint32_t low = rni_random_below(r, last + 1);
    uint32_t edge = rni_random_below(r, size);
    *high = last - low < edge ? last : low + edge;
    return low;
}

static bool spans_more_than_half(const kd_frame *frame, kd_cell cell, const kd_box *part)
{
    uint32_t free_bits[3] = {0};
    for (uint32_t depth = cell.length; depth < frame->total; depth++)
        free_bits[frame->axis_at[depth]]++;
    for (uint32_t axis = 0; axis < frame->dim; axis++) {
        uint64_t width = (uint64_t)1 << free_bits[axis];
        if (2 * ((uint64_t)part->high[axis] - part->low[axis] + 1) > width) return true;
    }
    return false;
}

/* Poirrier 2009 section 4.1, property 1, for boxes of all sizes; the parts cover the box, each in a
 * cell of its own. */
static void property_1_holds(void **state)
{
    (void)state;
    static const uint32_t shapes[][4] = {
        {3, 19, 19, 19}, {2, 29, 29, 0}, {3, 6, 6, 6}, {3, 12, 5, 20}};
    rni_random r = rni_random_make(7);
    for (int shape = 0; shape < 4; shape++) {
        kd_frame frame = {.is_split = true};
        rni_kd_frame_bits(&frame, shapes[shape][0], shapes[shape] + 1);
        for (int n = 0; n < 20000; n++) {
            kd_box box = {{0}, {0}}, parts[RNI_KD_PARTS];
            kd_cell cells[RNI_KD_PARTS];
            for (uint32_t axis = 0; axis < frame.dim; axis++)
                box.low[axis] = random_places(&r, frame.bits[axis], &box.high[axis]);
            uint32_t count = rni_kd_split(&frame, &box, cells, parts);
            uint64_t volume = 0, whole = 1;
            for (int axis = 0; axis < 3; axis++)
                whole *= (uint64_t)(box.high[axis] - box.low[axis]) + 1;
            assert_true(count >= 1 && count <= 1u << frame.dim);
            for (uint32_t p = 0; p < count; p++) {
                assert_true(spans_more_than_half(&frame, cells[p], &parts[p]));
                assert_true(
                    rni_kd_holds(&frame, rni_kd_key(cells[p]), rni_kd_code(&frame, parts[p].low)));
                assert_true(
                    rni_kd_holds(&frame, rni_kd_key(cells[p]), rni_kd_code(&frame, parts[p].high)));
                uint64_t here = 1;
                for (int axis = 0; axis < 3; axis++)
                    here *= (uint64_t)(parts[p].high[axis] - parts[p].low[axis]) + 1;
                volume += here;
                for (uint32_t q = 0; q < count; q++) /* no cell contains the corner of another */
                    if (p != q)
                        assert_false(rni_kd_holds(&frame, rni_kd_key(cells[p]),
                                                  rni_kd_code(&frame, parts[q].low)));
            }
            assert_true(volume == whole);
        }
    }
}

/* Poirrier 2009 figure 7: two halves that fill their cells are no better than the whole. */
static void splits_that_gain_nothing_are_not_made(void **state)
{
    (void)state;
    kd_frame frame = {.is_split = true};
    rni_kd_frame_bits(&frame, 3, (const uint32_t[3]){4, 4, 4});
    kd_cell cells[RNI_KD_PARTS];
    kd_box all = {{0, 0, 0}, {15, 15, 15}};
    assert_int_equal(rni_kd_split(&frame, &all, cells, NULL), 1);
    assert_int_equal(cells[0].length, 0);
    kd_box middle = {{7, 7, 7}, {8, 8, 8}};
    assert_int_equal(rni_kd_split(&frame, &middle, cells, NULL), 8);
    for (int p = 0; p < 8; p++) assert_int_equal(cells[p].length, 12);
}

static void octree_codes_are_whole_cubes(void **state)
{
    (void)state;
    rni_random r = rni_random_make(3);
    for (uint32_t dim = 2; dim <= 3; dim++) {
        kd_frame frame = {.is_split = true, .is_octree = true};
        rni_kd_frame_bits(&frame, dim, (const uint32_t[3]){12, 12, 12});
        for (int n = 0; n < 5000; n++) {
            kd_box box = {{0}, {0}};
            kd_cell cells[RNI_KD_PARTS];
            for (uint32_t axis = 0; axis < dim; axis++)
                box.low[axis] = random_places(&r, 12, &box.high[axis]);
            uint32_t count = rni_kd_split(&frame, &box, cells, NULL);
            for (uint32_t p = 0; p < count; p++) assert_int_equal(cells[p].length % dim, 0);
        }
    }
}

/* Boxes on or beyond the upper face of the root cell belong to its last cells. */
static void the_upper_face_belongs_to_the_root_cell(void **state)
{
    (void)state;
    kd_frame frame = {.low = {-1.0, 0.0, 5.0}, .scale = {8.0 / 3.0, 8.0, 8.0 / 1e-3}};
    rni_kd_frame_bits(&frame, 3, (const uint32_t[3]){3, 3, 3});
    const float faces[3] = {2.0f, 1.0f, 5.001f};
    for (uint32_t axis = 0; axis < 3; axis++) {
        assert_int_equal(rni_kd_place(&frame, axis, faces[axis]), 7);
        assert_int_equal(rni_kd_place(&frame, axis, 3e38f), 7);
        assert_int_equal(rni_kd_place(&frame, axis, -3e38f), 0);
    }
}

/* kd-1 meets pairs repeatedly; kd-2 tests as often and reports each pair once. */
static void kd_1_and_kd_2_agree(void **state)
{
    (void)state;
    scene s;
    assert_true(scene_make(0, 3000, &s));
    uint64_t candidates[2], hash[2];
    for (int once = 0; once < 2; once++) {
        rn_broadphase_def def = rn_broadphase_def_default();
        def.method = RN_BROADPHASE_LINEAR_KDTREE;
        def.kd_once = once;
        def.order = RN_PAIRS_SORTED;
        rn_broadphase *phase = open(&def);
        rn_boxes boxes = scene_boxes(&s);
        rn_pairs pairs;
        assert_int_equal(rn_broadphase_update(phase, &boxes), RN_OK);
        assert_int_equal(rn_broadphase_find_pairs(phase, &pairs), RN_OK);
        rn_broadphase_stats stats = rn_broadphase_stats_default();
        rn_broadphase_get_stats(phase, &stats);
        hash[once] = judge_hash(pairs.pair, pairs.count);
        candidates[once] = stats.candidate_count;
        assert_true(stats.element_count > 2 * s.count && stats.element_count <= 8 * s.count);
        assert_true(stats.volume_ratio > 1.0 && stats.volume_ratio < 40.0);
        rn_broadphase_destroy(phase);
    }
    assert_true(hash[0] == hash[1]);
    assert_int_equal(candidates[0], candidates[1]);
    scene_free(&s);
}

static void an_octree_with_uneven_bits_is_refused(void **state)
{
    (void)state;
    rn_broadphase_def def = rn_broadphase_def_default();
    rn_broadphase *phase = NULL;
    def.method = RN_BROADPHASE_LINEAR_KDTREE;
    def.kd_octree = true;
    def.kd_bits[0] = 5;
    assert_int_equal(rn_broadphase_create(&def, &phase), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "kd_bits are 5 and 0"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashing_is_exact_with_any_table),
        cmocka_unit_test(figure_2_has_nine_cells_or_eleven),
        cmocka_unit_test(published_keys_of_two_classes_may_coincide),
        cmocka_unit_test(figure_2_knows_which_cells_have_children),
        cmocka_unit_test(cells_below_zero_are_floors),
        cmocka_unit_test(deforming_boxes_keep_the_classes),
        cmocka_unit_test(time_stamps_stand_in_for_clearing),
        cmocka_unit_test(cells_without_children_end_the_walk),
        cmocka_unit_test(early_ends_are_counted),
        cmocka_unit_test(kdtree_is_exact_with_all_options),
        cmocka_unit_test(property_1_holds),
        cmocka_unit_test(splits_that_gain_nothing_are_not_made),
        cmocka_unit_test(octree_codes_are_whole_cubes),
        cmocka_unit_test(the_upper_face_belongs_to_the_root_cell),
        cmocka_unit_test(kd_1_and_kd_2_agree),
        cmocka_unit_test(an_octree_with_uneven_bits_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
