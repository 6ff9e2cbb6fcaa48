/* Mistakes of the caller: each gives an error with a sentence that names the value and the remedy.
 * */
#include "fact.h"

#include <runnel/search.h>

#include <math.h>
#include <string.h>

#define REFUSED(call, result, words)                                                \
    do {                                                                            \
        assert_int_equal(call, result);                                             \
        if (!strstr(rn_last_error(), words)) fail_msg("said: %s", rn_last_error()); \
    } while (0)

static rn_search_def good_def(void)
{
    rn_search_def def = rn_search_def_default();
    def.radius = 1.0f;
    return def;
}

static void statistics_are_written_as_far_as_the_caller_has_room(void **state)
{
    (void)state;
    rn_search_def def = good_def();
    rn_search *search = NULL;
    assert_int_equal(rn_search_create(&def, &search), RN_OK);
    const float points[2][3] = {{0, 0, 0}, {0.5f, 0, 0}};
    assert_int_equal(rn_search_update(search, (rn_points){points, 0, 2, RN_SCALAR_FLOAT}), RN_OK);
    rn_search_stats forgotten = {0};
    REFUSED(rn_search_get_stats(search, &forgotten), RN_ERROR_ARGUMENT, "rn_search_stats_default()");
    assert_int_equal(forgotten.point_count, 0);
    struct {
        rn_search_stats stats;
        unsigned char later[32];
    } longer = {.stats = rn_search_stats_default()}; /* as from a program built against a later version */
    memset(longer.later, 0x5a, sizeof longer.later);
    longer.stats.struct_bytes += sizeof longer.later;
    assert_int_equal(rn_search_get_stats(search, &longer.stats), RN_OK);
    assert_int_equal(longer.stats.struct_bytes, sizeof longer);
    assert_int_equal(longer.stats.entry_count, 2);
    for (size_t k = 0; k < sizeof longer.later; k++) assert_int_equal(longer.later[k], 0x5a);
    REFUSED(rn_search_get_stats(search, NULL), RN_ERROR_ARGUMENT, "NULL");
    REFUSED(rn_search_get_stats(NULL, &longer.stats), RN_ERROR_ARGUMENT, "NULL");
    rn_search_destroy(search);
}

static void the_resolution_is_that_of_the_farthest_point(void **state)
{
    (void)state;
    rn_search_def def = good_def();
    rn_search *search = NULL;
    rn_search_stats stats = rn_search_stats_default();
    assert_int_equal(rn_search_create(&def, &search), RN_OK);
    const float near[2][3] = {{0.75f, 0, 0}, {0.5f, -0.6f, 0}};
    assert_int_equal(rn_search_update(search, (rn_points){near, 0, 2, RN_SCALAR_FLOAT}), RN_OK);
    assert_int_equal(rn_search_get_stats(search, &stats), RN_OK);
    assert_true(stats.resolution == ldexp(1, -24));
    const float far[2][3] = {{0, -33554432.0f, 0}, {1, -33554436.0f, 0}};
    assert_int_equal(rn_search_update(search, (rn_points){far, 0, 2, RN_SCALAR_FLOAT}), RN_OK);
    assert_int_equal(rn_search_get_stats(search, &stats), RN_OK);
    assert_true(stats.resolution == 4.0);
    const double precise[2][3] = {{0, 33554432.0, 0}, {1, 33554433.0, 0}}; /* near each other */
    assert_int_equal(rn_search_update(search, (rn_points){precise, 0, 2, RN_SCALAR_DOUBLE}), RN_OK);
    assert_int_equal(rn_search_get_stats(search, &stats), RN_OK);
    assert_true(stats.resolution < 1e-6);
    rn_search_destroy(search);
}

static void a_forgotten_default_is_refused(void **state)
{
    (void)state;
    rn_search_def def = {.radius = 1.0f, .dim = 3};
    rn_search *search = (rn_search *)&def;
    REFUSED(rn_search_create(&def, &search), RN_ERROR_ARGUMENT, "rn_search_def_default()");
    assert_null(search);
    REFUSED(rn_search_create(NULL, &search), RN_ERROR_ARGUMENT, "NULL");
    REFUSED(rn_search_create(&def, NULL), RN_ERROR_ARGUMENT, "NULL");
}

#define REFUSED_DEF(change, result, words)                       \
    do {                                                         \
        rn_search_def def = good_def();                          \
        rn_search *search = NULL;                                \
        change;                                                  \
        REFUSED(rn_search_create(&def, &search), result, words); \
        assert_null(search);                                     \
    } while (0)

static void a_def_out_of_range_is_refused(void **state)
{
    (void)state;
    REFUSED_DEF(def.radius = 0.0f, RN_ERROR_ARGUMENT, "radius is 0");
    REFUSED_DEF(def.radius = -2.0f, RN_ERROR_ARGUMENT, "radius is -2");
    REFUSED_DEF(def.radius = NAN, RN_ERROR_ARGUMENT, "nan");
    REFUSED_DEF(def.radius = INFINITY, RN_ERROR_ARGUMENT, "inf");
    REFUSED_DEF(def.radius = 1e-30f, RN_ERROR_ARGUMENT, "another unit");
    REFUSED_DEF(def.dim = 4, RN_ERROR_ARGUMENT, "dim is 4");
    REFUSED_DEF(def.method = (rn_search_method)99, RN_ERROR_ARGUMENT, "99");
    REFUSED_DEF(def.lists = (rn_lists)7, RN_ERROR_ARGUMENT, "lists 7");
    REFUSED_DEF(def.order = (rn_list_order)-1, RN_ERROR_ARGUMENT, "order -1");
    REFUSED_DEF(def.set_count = 0, RN_ERROR_ARGUMENT, "set_count is 0");
    REFUSED_DEF(def.set_count = 9, RN_ERROR_ARGUMENT, "set_count is 9");
    REFUSED_DEF(def.searches[0] = 2, RN_ERROR_ARGUMENT, "searches[0] is 0x2");
    REFUSED_DEF(def.searches[3] = 1, RN_ERROR_ARGUMENT, "searches[3]");
    REFUSED_DEF(def.skin = -1.0f, RN_ERROR_ARGUMENT, "skin is -1");
    REFUSED_DEF(def.threads = 1000, RN_ERROR_ARGUMENT, "threads is 1000");
    REFUSED_DEF(def.cpu = (rn_cpu_level)9, RN_ERROR_ARGUMENT, "cpu is 9");
    REFUSED_DEF(def.hash_cells = 14, RN_ERROR_ARGUMENT, "hash_cells is 14");
    REFUSED_DEF(def.h_mask = 4, RN_ERROR_ARGUMENT, "h_mask is 4");
    REFUSED_DEF((def.method = RN_SEARCH_HASH, def.hash_cells = 13, def.h_mask = 2),
                RN_ERROR_ARGUMENT, "h_mask 1 only");
    REFUSED_DEF(def.periodic[0] = true, RN_ERROR_ARGUMENT, "not a valid interval");
    REFUSED_DEF((def.periodic[1] = true, def.period_high[1] = 1.5), RN_ERROR_ARGUMENT,
                "half of the period");
    REFUSED_DEF((def.dim = 2, def.periodic[2] = true, def.period_high[2] = 9), RN_ERROR_ARGUMENT,
                "2D");
    REFUSED_DEF(def.allocator.user = &def;
                def.allocator.release = (void (*)(void *, void *, size_t))1, RN_ERROR_ARGUMENT,
                "both or neither");
}

static void points_that_are_not_numbers_are_refused_by_name(void **state)
{
    (void)state;
    rn_search_def def = good_def();
    for (uint32_t place = 0; rn_search_get_method_info(place); place++) {
        def.method = rn_search_get_method_info(place)->method;
        rn_search *search = NULL;
        assert_int_equal(rn_search_create(&def, &search), RN_OK);
        float points[100][3] = {{0}};
        rn_points all = {points, 0, 100, RN_SCALAR_FLOAT};
        assert_int_equal(rn_search_update(search, all), RN_OK);
        for (uint32_t bad = 0; bad < 100; bad += 9) {
            for (uint32_t axis = 0; axis < 3; axis++) {
                points[bad][axis] = axis == 0 ? NAN : axis == 1 ? INFINITY : -INFINITY;
                char words[32] = "point ";
                words[6] = (char)(bad < 10 ? '0' + bad : '0' + bad / 10);
                words[7] = bad < 10 ? ' ' : (char)('0' + bad % 10);
                words[8] = 0;
                REFUSED(rn_search_update(search, all), RN_ERROR_ARGUMENT, words);
                assert_non_null(strstr(rn_last_error(), axis == 0 ? "nan" : "inf"));
                points[bad][axis] = 0.0f;
                /* the earlier result is still there */
                assert_int_equal(rn_search_get_neighbors(search).entry_count, 9900);
                rn_neighbors n;
                points[bad][axis] = NAN;
                REFUSED(rn_search_query(search, 0, all, &n), RN_ERROR_ARGUMENT, "queries");
                points[bad][axis] = 0.0f;
            }
        }
        double wide[2][3] = {{0, 0, 0}, {1e300, 0, 0}};
        rn_points far = {wide, 0, 2, RN_SCALAR_DOUBLE};
        REFUSED(rn_search_update(search, far), RN_ERROR_ARGUMENT, "farther from the other points");
        rn_search_destroy(search);
    }
}

static void doubles_beyond_float_are_refused_on_either_side(void **state)
{
    (void)state;
    rn_search_def def = good_def();
    for (uint32_t k = 0; k < 6; k++) {
        double points[100][3] = {{0}};
        rn_points all = {points, 0, 100, RN_SCALAR_DOUBLE};
        rn_search *search = NULL;
        rn_neighbors n;
        assert_int_equal(rn_search_create(&def, &search), RN_OK);
        assert_int_equal(rn_search_update(search, all), RN_OK);
        points[17][k / 2] = k % 2 ? -1e39 : 1e39;
        REFUSED(rn_search_update(search, all), RN_ERROR_ARGUMENT, "point 17 ");
        assert_int_equal(rn_search_get_neighbors(search).entry_count, 9900);
        REFUSED(rn_search_query(search, 0, all, &n), RN_ERROR_ARGUMENT, "queries: point 17 ");
        rn_search_destroy(search);
    }
}

static void calls_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    rn_search_def def = good_def();
    rn_search *search = NULL;
    assert_int_equal(rn_search_create(&def, &search), RN_OK);
    float points[4] = {0};
    rn_neighbors n;
    rn_nearest near;
    REFUSED(rn_search_update(search, (rn_points){NULL, 0, 3, RN_SCALAR_FLOAT}), RN_ERROR_ARGUMENT,
            "NULL");
    REFUSED(rn_search_update(search, (rn_points){points, 8, 1, RN_SCALAR_FLOAT}), RN_ERROR_ARGUMENT,
            "stride");
    REFUSED(rn_search_update(search, (rn_points){points, 0, 1, (rn_scalar)5}), RN_ERROR_ARGUMENT,
            "scalar");
    REFUSED(rn_search_update(NULL, (rn_points){points, 0, 1, RN_SCALAR_FLOAT}), RN_ERROR_ARGUMENT,
            "NULL");
    REFUSED(rn_search_update_sets(search, NULL, 1), RN_ERROR_ARGUMENT, "NULL");
    rn_points two[2] = {{points, 0, 1, RN_SCALAR_FLOAT}, {points, 0, 1, RN_SCALAR_FLOAT}};
    REFUSED(rn_search_update_sets(search, two, 2), RN_ERROR_ARGUMENT,
            "2 sets given, def.set_count is 1");
    REFUSED(rn_search_query(search, 1, two[0], &n), RN_ERROR_ARGUMENT, "searched is 1");
    REFUSED(rn_search_query(search, 0, two[0], NULL), RN_ERROR_ARGUMENT, "NULL");
    REFUSED(rn_search_find_nearest(search, 0, 0, 0, &near), RN_ERROR_ARGUMENT, "k is 0");
    REFUSED(rn_search_find_nearest(search, 3, 0, 1, &near), RN_ERROR_ARGUMENT, "set is 3");
    REFUSED(rn_search_visit(search, 0, 0, NULL, NULL), RN_ERROR_ARGUMENT, "NULL");
    REFUSED(rn_search_set_radius(search, NAN), RN_ERROR_ARGUMENT, "radius");
    assert_int_equal(rn_search_get_neighbors_between(search, 77, 0).count, 0);
    assert_null(rn_search_get_order(search, 0));
    /* before the first update all results are empty */
    assert_int_equal(rn_search_query(search, 0, two[0], &n), RN_OK);
    assert_int_equal(n.entry_count, 0);
    assert_int_equal(rn_search_find_nearest(search, 0, 0, 3, &near), RN_OK);
    assert_int_equal(near.count, 0);
    rn_search_destroy(search);
    rn_search_destroy(NULL);
}

static void methods_have_names(void **state)
{
    (void)state;
    rn_search_method method = RN_SEARCH_BRUTE;
    assert_int_equal(rn_search_method_from_name("default", &method), RN_OK);
    assert_int_equal(method, RN_SEARCH_GRID);
    char names[256] = "default";
    for (uint32_t place = 0; rn_search_get_method_info(place); place++) {
        const rn_search_method_info *info = rn_search_get_method_info(place);
        assert_int_equal(rn_search_method_from_name(info->name, &method), RN_OK);
        assert_int_equal(method, info->method);
        assert_true(strlen(info->summary) > 10 && strlen(info->source) > 2);
        assert_true(strlen(names) + strlen(info->name) + 3 < sizeof names);
        strcat(strcat(names, ", "), info->name);
    }
    REFUSED(rn_search_method_from_name("gird", &method), RN_ERROR_ARGUMENT, names);
    REFUSED(rn_search_method_from_name(NULL, &method), RN_ERROR_ARGUMENT, "NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_forgotten_default_is_refused),
        cmocka_unit_test(statistics_are_written_as_far_as_the_caller_has_room),
        cmocka_unit_test(the_resolution_is_that_of_the_farthest_point),
        cmocka_unit_test(a_def_out_of_range_is_refused),
        cmocka_unit_test(points_that_are_not_numbers_are_refused_by_name),
        cmocka_unit_test(doubles_beyond_float_are_refused_on_either_side),
        cmocka_unit_test(calls_that_make_no_sense_are_refused),
        cmocka_unit_test(methods_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
