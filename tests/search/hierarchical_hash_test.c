/* Method hierarchical-hash: figure 2 of the paper, the errors in its printed listings, and all
 * forms against brute force. */
#include "fact.h"

#include "base/random.h"
#include "search/hierarchical_classes.h"
#include "search/judge.h"
#include "search/worlds.h"

#include <stdlib.h>
#include <string.h>

/* --- the table ------------------------------------------------------------------------------- */

static uint64_t key_of(const hier_classes *set, int class, int32_t x, int32_t y)
{
    uint64_t key = 0;
    for (int level = set->top; level >= class; level--)
        key += rni_hier_hash(x >> level, y >> level, 0) + HIER_CLASS_STEP;
    return key;
}

/* What figure 2 shows of one cell, identified by its lower left corner as in the figure. */
typedef struct figure_cell {
    int class;
    int32_t x, y;
    const char *objects;
    bool has_children;
} figure_cell;

static const figure_cell figure_2[] = {
    {2, 0, 0, "A", true},  {1, 2, 0, "C", false}, {2, 4, 0, "A", true},  {2, 0, 4, "A", false},
    {1, 2, 2, "", true},   {2, 4, 4, "A", false}, {1, 4, 0, "C", true},  {1, 6, 0, "", true},
    {0, 3, 3, "B", false}, {0, 5, 0, "D", false}, {0, 6, 0, "D", false},
};

static void check_figure_2(rni_memory *memory, uint32_t length)
{
    hier_classes set = {.top = 2};
    assert_int_equal(rni_hier_table_begin(memory, &set.table, length), RN_OK);
    hier_path path = rni_hier_path_begin(&set);
    for (size_t k = 0; k < sizeof figure_2 / sizeof *figure_2; k++) {
        const figure_cell *c = &figure_2[k];
        if (!*c->objects) continue; /* created on the path to a smaller one */
        const int32_t cell[3] = {c->x, c->y, 0};
        assert_int_equal(rni_hier_open_path(memory, &set, cell, c->class, &path), RN_OK);
        ((hier_slot *)set.table.slots.data)[path.slot[c->class]].count++;
    }
    assert_int_equal(set.table.used_count, 11);
    for (size_t k = 0; k < sizeof figure_2 / sizeof *figure_2; k++) {
        const figure_cell *c = &figure_2[k];
        uint32_t slot = rni_hier_table_find(&set.table, key_of(&set, c->class, c->x, c->y));
        if (slot == HIER_NO_SLOT) fail_msg("no cell of class %d at %d, %d", c->class, c->x, c->y);
        const hier_slot *found = (const hier_slot *)set.table.slots.data + slot;
        assert_int_equal(found->has_children, c->has_children);
        assert_int_equal(found->count, *c->objects ? 1 : 0);
    }
    rni_hier_table_free(memory, &set.table);
}

/* Objects A (class 2), C (class 1), B and D (class 0) of the paper, with n = infinity as there, and
 * in a table long enough that no two of the cells share a slot. */
static void figure_2_has_its_eleven_cells_and_flags(void **state)
{
    (void)state;
    rni_memory memory;
    assert_int_equal(rni_memory_init(&memory, &(rn_allocator){0}), RN_OK);
    check_figure_2(&memory, 0);
    check_figure_2(&memory, 1u << 20);
    assert_int_equal(memory.held_bytes, 0);
}

static void cells_are_floors_also_below_zero(void **state)
{
    (void)state;
    const rni_hash_cells cells = {.scale = {1.0, 1.0, 1.0}};
    static const float at[][3] = {{-0.5f, 0.5f, -1.0f}, {-1e-30f, -0.0f, -7.25f}};
    static const int32_t expected[][3] = {{-1, 0, -1}, {-1, 0, -8}};
    for (int k = 0; k < 2; k++) {
        int32_t cell[3];
        rni_hash_cell_at(&cells, at[k], cell);
        for (int axis = 0; axis < 3; axis++) assert_int_equal(cell[axis], expected[k][axis]);
    }
    for (int32_t cell = -300; cell <= 300; cell++) {
        for (int class = 0; class < HIER_MAX_CLASSES; class ++)
            assert_int_equal(cell >> class, (int)floor((double)cell / (1 << class)));
    }
}

/* As signed integers these products would overflow, and the last bits of a negative cell would
 * differ. */
static void hashes_are_unsigned_products(void **state)
{
    (void)state;
    const uint64_t x = 0u - (uint64_t)RNI_MAX_CELL * RNI_PRIME_X, y = 0u - (uint64_t)RNI_PRIME_Y;
    assert_true(rni_hier_hash(-RNI_MAX_CELL, 0, 0) == x);
    assert_true(rni_hier_hash(-RNI_MAX_CELL, -1, 0) == (x ^ y));
    assert_true(rni_hier_hash(0, 0, RNI_MAX_CELL) == (uint64_t)RNI_MAX_CELL * RNI_PRIME_Z);
    static const rn_search_method hashes[] = {RN_SEARCH_HASH, RN_SEARCH_HIERARCHICAL_HASH};
    static const float far[2][3] = {{-1e9f, 1e9f, -1e9f}, {-1e9f, 1e9f, -1e9f}};
    for (int k = 0; k < 2; k++) {
        rn_search_def def = rn_search_def_default();
        def.method = hashes[k];
        def.radius = 1.0f;
        rn_search *search = NULL;
        assert_int_equal(rn_search_create(&def, &search), RN_OK);
        assert_int_equal(rn_search_update(search, (rn_points){far, 0, 2, RN_SCALAR_FLOAT}), RN_OK);
        assert_int_equal(rn_search_get_neighbors(search).entry_count, 2);
        rn_search_destroy(search);
    }
}

static void an_old_stamp_is_an_empty_slot_even_after_four_billion_updates(void **state)
{
    (void)state;
    rni_memory memory;
    assert_int_equal(rni_memory_init(&memory, &(rn_allocator){0}), RN_OK);
    for (uint32_t length = 0; length <= 7; length += 7) {
        hier_table table = {.stamp = UINT32_MAX - 3};
        for (int update = 0; update < 8; update++) {
            uint32_t slot;
            assert_int_equal(rni_hier_table_begin(&memory, &table, length), RN_OK);
            for (uint64_t key = 0; key < 7; key++) {
                assert_int_equal(rni_hier_table_find(&table, key), HIER_NO_SLOT);
                assert_int_equal(rni_hier_table_take(&memory, &table, key, &slot), RN_OK);
                assert_int_equal(rni_hier_table_find(&table, key), slot);
            }
            assert_int_equal(table.used_count, 7);
        }
        rni_hier_table_free(&memory, &table);
    }
    assert_int_equal(memory.held_bytes, 0);
}

/* --- against brute force --------------------------------------------------------------------- */

typedef struct form {
    uint32_t length;
    bool is_unbounded, is_published;
} form;

static const form forms[] = {{0, false, false},  {1, false, false},     {7, false, false},
                             {64, false, false}, {0, true, false},      {0, false, true},
                             {1, false, true},   {7, false, true},      {64, false, true},
                             {0, true, true},    {100003, false, false}};
#define FORM_COUNT (sizeof forms / sizeof *forms)

static rn_search *open_form(const form *f, float radius, uint32_t dim, uint32_t threads)
{
    rn_search_def def = rn_search_def_default();
    def.method = RN_SEARCH_HIERARCHICAL_HASH;
    def.radius = radius;
    def.dim = dim;
    def.threads = threads;
    def.hash_table_length = f->length;
    def.unbounded_table = f->is_unbounded;
    def.as_published = f->is_published;
    rn_search *search = NULL;
    if (rn_search_create(&def, &search) != RN_OK) fail_msg("%s", rn_last_error());
    return search;
}

static void check_form(const form *f, const world *w, uint32_t dim, const judge_lists *truth)
{
    uint64_t hash = 0;
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        rn_search *search = open_form(f, w->radius, dim, threads);
        rn_result result = rn_search_update(search, world_points(w));
        if (result == RN_OK) {
            rn_neighbors n = rn_search_get_neighbors(search), q;
            JUDGE(truth, &n, false, "%s, %uD, table %u, unbounded %d, published %d\n", w->name, dim,
                  f->length, f->is_unbounded, f->is_published);
            if (threads == 1) hash = judge_hash(&n);
            assert_true(hash == judge_hash(&n));
            uint64_t entry_count = n.entry_count;
            assert_int_equal(rn_search_query(search, 0, world_points(w), &q), RN_OK);
            assert_int_equal(q.entry_count, w->count ? entry_count + w->count : 0);
        } else {
            assert_int_equal(result, RN_ERROR_LIMIT);
            assert_non_null(strstr(rn_last_error(), "method grid"));
        }
        rn_search_destroy(search);
    }
}

static void every_form_and_table_length_finds_every_pair_once(void **state)
{
    (void)state;
    world w;
    for (uint32_t number = 0; world_make(number, 400, &w); number++) {
        for (uint32_t dim = 2; dim <= 3; dim++) {
            judge_space space = {.dim = dim, .radius = w.radius};
            const float(*position)[3] = (const float(*)[3])w.position;
            judge_lists truth = judge_find(&space, position, w.count, position, w.count, false);
            for (size_t k = 0; k < FORM_COUNT; k++) check_form(&forms[k], &w, dim, &truth);
            judge_free(&truth);
        }
        world_free(&w);
    }
}

static void every_form_is_periodic(void **state)
{
    (void)state;
    static const double sides[] = {2.0, 2.5, 3.2, 4.1, 9.5}; /* 1, 2, 3, 4, 9 cells */
    enum { COUNT = 300 };
    float position[COUNT][3];
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
        rni_random random = rni_random_make(s);
        judge_space space = {.dim = 3, .radius = 1.0f};
        rn_search_def def = rn_search_def_default();
        for (int a = 0; a < 3; a++) {
            space.period[a] = (float)sides[s];
            def.periodic[a] = true;
            def.period_low[a] = 0.0;
            def.period_high[a] = (double)(float)sides[s];
        }
        for (uint32_t i = 0; i < COUNT; i++) {
            for (int a = 0; a < 3; a++)
                position[i][a] = 0.999f * rni_random_float(&random, 0.0f, (float)sides[s]);
        }
        const float(*points)[3] = (const float(*)[3])position;
        judge_lists truth = judge_find(&space, points, COUNT, points, COUNT, false);
        for (size_t k = 0; k < FORM_COUNT; k++) {
            def.method = RN_SEARCH_HIERARCHICAL_HASH;
            def.radius = 1.0f;
            def.hash_table_length = forms[k].length;
            def.unbounded_table = forms[k].is_unbounded;
            def.as_published = forms[k].is_published;
            rn_search *search = NULL;
            assert_int_equal(rn_search_create(&def, &search), RN_OK);
            rn_points all = {position, 0, COUNT, RN_SCALAR_FLOAT};
            assert_int_equal(rn_search_update(search, all), RN_OK);
            rn_neighbors n = rn_search_get_neighbors(search);
            JUDGE(&truth, &n, false, "side %g, form %zu\n", sides[s], k);
            rn_search_destroy(search);
        }
        judge_free(&truth);
    }
}

static void published_lists_serve_sets_halves_and_distances(void **state)
{
    (void)state;
    world w[2];
    rn_points points[2];
    judge_space space = {.dim = 3, .radius = 0.9f};
    for (uint32_t s = 0; s < 2; s++) {
        assert_true(world_make(2 * s, 500, &w[s]));
        points[s] = world_points(&w[s]);
    }
    rn_search_def def = rn_search_def_default();
    def.method = RN_SEARCH_HIERARCHICAL_HASH;
    def.as_published = true;
    def.radius = space.radius;
    def.set_count = 2;
    def.searches[0] = 3;
    def.searches[1] = 1;
    def.lists = RN_LISTS_HALF;
    rn_search *search = NULL;
    assert_int_equal(rn_search_create(&def, &search), RN_OK);
    assert_int_equal(rn_search_update_sets(search, points, 2), RN_OK);
    for (uint32_t a = 0; a < 2; a++) {
        for (uint32_t b = 0; b < 2; b++) {
            if (a == 1 && b == 1) continue;
            judge_lists truth = judge_find(&space, (const float(*)[3])w[a].position, w[a].count,
                                           (const float(*)[3])w[b].position, w[b].count, a == b);
            rn_neighbors n = rn_search_get_neighbors_between(search, a, b);
            JUDGE(&truth, &n, false, "set %u in %u\n", a, b);
            judge_free(&truth);
        }
    }
    rn_nearest near;
    assert_int_equal(rn_search_find_nearest(search, 0, 0, 1, &near), RN_OK);
    for (uint32_t i = 0; i < near.count; i++) {
        if (near.counts[i] == 0) continue;
        float expected = judge_distance_sq(&space, w[0].position[i], w[0].position[near.index[i]]);
        assert_true(near.distance_sq[i] == expected);
    }
    rn_search_destroy(search);
    for (int s = 0; s < 2; s++) world_free(&w[s]);
}

/* --- the traps of the print ------------------------------------------------------------------ */

static const double printed_classes[] = {8.0, 2.0, 0.5, 0.3};

static bool is_same_way(const double a[2], const double b[2])
{
    for (int c = 0; c < 4; c++) {
        for (int axis = 0; axis < 2; axis++) {
            double size = printed_classes[c];
            if (floor(a[axis] / size) != floor(b[axis] / size)) return false;
        }
    }
    return true;
}

/* Whether the printed algorithm finds b from a: by one of the nine points a, a +- r on the same
 * path down. */
static bool does_print_find(const float a[3], const float b[3])
{
    const double r = 0.3, there[2] = {(double)b[0], (double)b[1]};
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
            const double probe[2] = {(double)a[0] + x * r, (double)a[1] + y * r};
            if (is_same_way(probe, there)) return true;
        }
    }
    return false;
}

/* Classes 8, 2, 0.5 and the radius 0.3: the last does not nest in the others. */
static void nested_classes_lose_no_pair_where_the_printed_ones_do(void **state)
{
    (void)state;
    enum { COUNT = 1500 };
    float position[COUNT][3];
    rni_random random = rni_random_make(3);
    for (uint32_t i = 0; i < COUNT; i++) {
        for (int a = 0; a < 3; a++)
            position[i][a] = a < 2 ? rni_random_float(&random, -8.0f, 8.0f) : 0.0f;
    }
    judge_space space = {.dim = 2, .radius = 0.3f};
    const float(*points)[3] = (const float(*)[3])position;
    judge_lists truth = judge_find(&space, points, COUNT, points, COUNT, false);
    uint64_t lost = 0, all = truth.start[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        for (uint64_t e = truth.start[i]; e < truth.start[i + 1]; e++)
            lost += !does_print_find(position[i], position[truth.index[e]]);
    }
    if (lost * 10 < all) fail_msg("the print loses %d of %d only", (int)lost, (int)all);
    for (size_t k = 0; k < FORM_COUNT; k++) {
        rn_search *search = open_form(&forms[k], 0.3f, 2, 1);
        rn_points given = {position, sizeof *position, COUNT, RN_SCALAR_FLOAT};
        assert_int_equal(rn_search_update(search, given), RN_OK);
        rn_neighbors n = rn_search_get_neighbors(search);
        JUDGE(&truth, &n, false, "form %zu\n", k);
        rn_search_destroy(search);
    }
    judge_free(&truth);
}

/* In a table of one slot all 27 cells share one bucket; it is searched once. */
static void a_bucket_met_by_several_cells_reports_once(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    float position[COUNT][3];
    rni_random random = rni_random_make(9);
    for (uint32_t i = 0; i < COUNT; i++) {
        for (int a = 0; a < 3; a++) position[i][a] = rni_random_float(&random, -0.5f, 0.5f);
    }
    for (int is_published = 0; is_published < 2; is_published++) {
        rn_search *search = open_form(&(form){1, false, is_published}, 2.0f, 3, 1);
        rn_points all = {position, 0, COUNT, RN_SCALAR_FLOAT};
        assert_int_equal(rn_search_update(search, all), RN_OK);
        assert_int_equal(rn_search_update(search, all),
                         RN_OK); /* the capacity is known: rows are asked for once */
        assert_int_equal(rn_search_get_neighbors(search).entry_count, COUNT * (COUNT - 1));
        uint64_t tests = is_published ? COUNT * (COUNT - 1) / 2 : COUNT * COUNT;
        assert_int_equal(search_stats_of(search).candidate_count, tests);
        rn_search_destroy(search);
    }
}

/* With the braces of listing 3 a point would be inserted once for every cell that it visits, and
 * later points would find it as often. */
static void a_point_is_inserted_once_after_its_neighbours_are_found(void **state)
{
    (void)state;
    enum { COUNT = 60 };
    float position[COUNT][3] = {{0}};
    for (uint32_t i = 0; i < COUNT; i++) position[i][0] = 0.01f * (float)i;
    for (size_t k = 0; k < FORM_COUNT; k++) {
        rn_search *search = open_form(&forms[k], 1.0f, 3, 1);
        rn_points all = {position, 0, COUNT, RN_SCALAR_FLOAT};
        for (int round = 0; round < 2; round++)
            assert_int_equal(rn_search_update(search, all), RN_OK);
        assert_int_equal(rn_search_get_neighbors(search).entry_count, COUNT * (COUNT - 1));
        const uint32_t *order = rn_search_get_order(search, 0);
        uint32_t seen[COUNT] = {0};
        for (uint32_t row = 0; row < COUNT; row++) seen[order[row]]++;
        for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(seen[i], 1);
        rn_search_destroy(search);
    }
}

/* In float, the cell of p + r is often not the next cell; pairs in adjacent cells must be found
 * wherever they are. */
static void neighbouring_cells_are_stepped_to_in_integers(void **state)
{
    (void)state;
    enum { COUNT = 600 };
    static float position[COUNT][3];
    const float radius = 0.3f;
    rni_random random = rni_random_make(31);
    uint32_t missed = 0;
    for (uint32_t i = 0; i < COUNT; i += 2) { /* in pairs, a radius apart, at the faces of cells */
        for (int a = 0; a < 3; a++)
            position[i][a] = (float)rni_random_below(&random, 4000) * radius;
        memcpy(position[i + 1], position[i], sizeof position[i]);
        position[i + 1][i / 2 % 3] += radius;
        float p = position[i][0];
        missed += floorf((p + radius) / radius) != floorf(p / radius) + 1.0f;
    }
    assert_true(missed > 10); /* in the published form */
    const float(*points)[3] = (const float(*)[3])position;
    judge_space space = {.dim = 3, .radius = radius};
    judge_lists truth = judge_find(&space, points, COUNT, points, COUNT, false);
    for (size_t k = 0; k < FORM_COUNT; k++) {
        rn_search *search = open_form(&forms[k], radius, 3, 1);
        assert_int_equal(rn_search_update(search, (rn_points){position, 0, COUNT, RN_SCALAR_FLOAT}),
                         RN_OK);
        rn_neighbors n = rn_search_get_neighbors(search);
        JUDGE(&truth, &n, false, "form %zu\n", k);
        rn_search_destroy(search);
    }
    judge_free(&truth);
}

/* --- what it counts -------------------------------------------------------------------------- */

static rn_search_stats stats_of(const form *f, const world *w)
{
    rn_search *search = open_form(f, w->radius, 3, 1);
    /* the second has the capacity, and asks for every row once */
    for (int k = 0; k < 2; k++) assert_int_equal(rn_search_update(search, world_points(w)), RN_OK);
    rn_search_stats stats = rn_search_stats_default();
    rn_search_get_stats(search, &stats);
    rn_search_destroy(search);
    return stats;
}

static void empty_areas_end_a_query_early(void **state)
{
    (void)state;
    world w;
    for (int is_published = 0; is_published < 2; is_published++) {
        form map = {0, true, is_published}, short_table = {7, false, is_published};
        assert_true(world_make(6, 1000, &w)); /* points far from each other, some with one neighbour */
        rn_search_stats far = stats_of(&map, &w);
        assert_true(far.early_end_count > 0);
        assert_true(far.visited_count < 27 * (uint64_t)w.count);
        assert_int_equal(far.collision_count, 0);
        world_free(&w);
        assert_true(world_make(1, 1000, &w));
        rn_search_stats crowded = stats_of(&short_table, &w);
        assert_true(crowded.collision_count > crowded.candidate_count);
        assert_true(crowded.cell_count <= 7);
        world_free(&w);
    }
}

/* --- many updates ---------------------------------------------------------------------------- */

static void a_table_that_is_never_cleared_stays_right(void **state)
{
    (void)state;
    for (size_t k = 0; k < FORM_COUNT; k++) {
        world w;
        assert_true(world_make(1, 250, &w));
        w.radius = 4.0f;
        uint32_t full_count = w.count;
        rni_random random = rni_random_make(k);
        judge_space space = {.dim = 3, .radius = w.radius};
        rn_search *search = open_form(&forms[k], w.radius, 3, 1);
        for (int step = 0; step < 120; step++) {
            w.count = step % 5 == 4 ? full_count / 3 : full_count;
            for (uint32_t i = 0; i < w.count; i++) {
                for (int a = 0; a < 3; a++)
                    w.position[i][a] += rni_random_float(&random, -2.0f, 2.0f);
            }
            assert_int_equal(rn_search_update(search, world_points(&w)), RN_OK);
            const float(*position)[3] = (const float(*)[3])w.position;
            judge_lists truth = judge_find(&space, position, w.count, position, w.count, false);
            rn_neighbors n = rn_search_get_neighbors(search);
            JUDGE(&truth, &n, false, "form %zu, step %d\n", k, step);
            judge_free(&truth);
        }
        rn_search_destroy(search);
        world_free(&w);
    }
}

static void published_lists_larger_than_the_limit_are_refused(void **state)
{
    (void)state;
    enum { COUNT = 6000 };
    float(*points)[3] = calloc(COUNT, sizeof *points);
    rn_search_def def = rn_search_def_default();
    def.method = RN_SEARCH_HIERARCHICAL_HASH;
    def.as_published = true;
    def.radius = 1.0f;
    def.memory_limit_bytes = 1u << 20;
    rn_search *search = NULL;
    assert_int_equal(rn_search_create(&def, &search), RN_OK);
    rn_points all = {points, 0, COUNT, RN_SCALAR_FLOAT}, few = {points, 0, 100, RN_SCALAR_FLOAT};
    assert_int_equal(rn_search_update(search, all), RN_ERROR_LIMIT);
    assert_non_null(strstr(rn_last_error(), "as_published"));
    assert_int_equal(rn_search_update(search, few), RN_OK);
    assert_int_equal(rn_search_get_neighbors(search).entry_count, 100 * 99);
    rn_search_destroy(search);
    free(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_2_has_its_eleven_cells_and_flags),
        cmocka_unit_test(cells_are_floors_also_below_zero),
        cmocka_unit_test(hashes_are_unsigned_products),
        cmocka_unit_test(a_point_is_inserted_once_after_its_neighbours_are_found),
        cmocka_unit_test(neighbouring_cells_are_stepped_to_in_integers),
        cmocka_unit_test(an_old_stamp_is_an_empty_slot_even_after_four_billion_updates),
        cmocka_unit_test(every_form_and_table_length_finds_every_pair_once),
        cmocka_unit_test(every_form_is_periodic),
        cmocka_unit_test(published_lists_serve_sets_halves_and_distances),
        cmocka_unit_test(nested_classes_lose_no_pair_where_the_printed_ones_do),
        cmocka_unit_test(a_bucket_met_by_several_cells_reports_once),
        cmocka_unit_test(empty_areas_end_a_query_early),
        cmocka_unit_test(a_table_that_is_never_cleared_stays_right),
        cmocka_unit_test(published_lists_larger_than_the_limit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
