/* Periodic axes: every method against brute force with the nearest image. */
#include "fact.h"

#include "base/random.h"
#include "search/judge.h"
#include "search/worlds.h"

#include <stdlib.h>
#include <string.h>

typedef struct torus {
    const char *name;
    uint32_t dim;
    bool periodic[3];
    double low[3], high[3];
    float radius;
    uint32_t count;
} torus;

static const torus tori[] = {
    {"a box", 3, {true, true, true}, {0, 0, 0}, {10, 11, 12}, 1.0f, 1500},
    {"below zero", 3, {true, true, true}, {-5, -5, -5}, {5, 5, 5}, 0.9f, 1500},
    {"x only", 3, {true, false, false}, {0, 0, 0}, {20, 1, 1}, 1.0f, 1500},
    {"y and z", 3, {false, true, true}, {0, -3, -3}, {1, 3, 3}, 0.8f, 1500},
    {"radius half the period", 3, {true, true, true}, {0, 0, 0}, {2, 2, 2}, 1.0f, 300},
    {"two cells", 3, {true, true, true}, {0, 0, 0}, {2.5, 2.5, 2.5}, 1.0f, 300},
    {"three cells", 3, {true, true, true}, {0, 0, 0}, {3.2, 3.2, 3.2}, 1.0f, 300},
    {"seven cells", 3, {true, true, true}, {0, 0, 0}, {7.5, 7.5, 7.5}, 1.0f, 800},
    {"nine cells", 3, {true, false, true}, {0, 0, 0}, {9.5, 9.5, 9.5}, 1.0f, 800},
    {"flat", 2, {true, true, false}, {0, 0, 0}, {30, 20, 0}, 1.0f, 1200},
    {"a ring", 2, {true, false, false}, {-4, 0, 0}, {4, 0, 0}, 0.5f, 600},
    {"sparse", 3, {true, true, true}, {0, 0, 0}, {4000, 4000, 4000}, 30.0f, 1500},
    {"very sparse", 3, {true, false, true}, {0, 0, 0}, {1e9, 1e9, 1e9}, 1e6f, 1500},
};

/* Points in the domain, on its faces and some periods outside; wrapped[] has their positions in the
 * domain. */
static void fill(const torus *t, float (*raw)[3], float (*wrapped)[3], rni_random *random)
{
    for (uint32_t i = 0; i < t->count; i++) {
        for (uint32_t a = 0; a < 3; a++) {
            double low = t->low[a], extent = t->periodic[a] ? t->high[a] - low : 8.0;
            double at = low + extent * (double)rni_random_float(random, 0.0f, 1.0f);
            if (rni_random_below(random, 20) == 0) at = low;
            wrapped[i][a] = raw[i][a] = (float)at;
            if (!t->periodic[a]) continue;
            if ((double)wrapped[i][a] >= t->high[a]) wrapped[i][a] = raw[i][a] = (float)low;
            if (rni_random_below(random, 20) == 0 && at == low) raw[i][a] = (float)t->high[a];
        }
    }
}

/* Other methods may refuse periodic axes with a sentence. */
static bool must_wrap(rn_search_method method)
{
    return method == RN_SEARCH_GRID || method == RN_SEARCH_HASH || method == RN_SEARCH_BRUTE;
}

/* A periodic domain with its points and what brute force finds between them. */
typedef struct filled {
    const torus *t;
    float (*raw)[3], (*wrapped)[3];
    judge_lists truth;
} filled;

static void check_torus(const filled *f, rn_search_method method, rn_cpu_level cpu, uint32_t threads)
{
    const torus *t = f->t;
    rn_search_def def = rn_search_def_default();
    for (uint32_t a = 0; a < 3; a++) {
        def.periodic[a] = t->periodic[a];
        def.period_low[a] = t->low[a];
        def.period_high[a] = t->high[a];
    }
    def.dim = t->dim;
    def.radius = t->radius;
    def.method = method;
    def.cpu = cpu;
    def.threads = threads;
    rn_search *search = NULL;
    if (rn_search_create(&def, &search) != RN_OK) fail_msg("%s: %s", t->name, rn_last_error());
    rn_points points = {f->raw, sizeof *f->raw, t->count, RN_SCALAR_FLOAT};
    rn_result updated = rn_search_update(search, points);
    if (updated == RN_OK) {
        rn_neighbors n = rn_search_get_neighbors(search);
        JUDGE(&f->truth, &n, false, "%s, method %d, cpu %d, %u threads\n", t->name, (int)method,
              (int)cpu, threads);
        /* the same by query: every point also finds itself */
        rn_neighbors q;
        assert_int_equal(rn_search_query(search, 0, points, &q), RN_OK);
        assert_int_equal(q.entry_count, n.entry_count + t->count);
    } else if (updated != RN_ERROR_LIMIT || must_wrap(method)) {
        fail_msg("%s: %s", t->name, rn_last_error());
    }
    rn_search_destroy(search);
}

static filled fill_and_judge(const torus *t)
{
    rni_random random = rni_random_make(77);
    filled f = {.t = t,
                .raw = calloc(t->count, sizeof *f.raw),
                .wrapped = calloc(t->count, sizeof *f.wrapped)};
    fill(t, f.raw, f.wrapped, &random);
    judge_space space = {.dim = t->dim, .radius = t->radius};
    for (uint32_t a = 0; a < 3; a++)
        if (t->periodic[a]) space.period[a] = (float)(t->high[a] - t->low[a]);
    const float(*position)[3] = (const float(*)[3])f.wrapped;
    f.truth = judge_find(&space, position, t->count, position, t->count, false);
    return f;
}

static void neighbours_across_periodic_faces_are_found(void **state)
{
    (void)state;
    rn_cpu_level levels[3];
    uint32_t level_count = world_cpu_levels(levels);
    for (size_t k = 0; k < sizeof tori / sizeof *tori; k++) {
        torus t = tori[k];
        t.count /= FACT_SLOWNESS;
        filled f = fill_and_judge(&t);
        for (uint32_t place = 0; rn_search_get_method_info(place); place++) {
            rn_search_method method = rn_search_get_method_info(place)->method;
            for (uint32_t level = 0; level < level_count; level++) {
                if (level > 0 && !world_has_levels(method)) continue;
                check_torus(&f, method, levels[level], levels[level] == RN_CPU_PLAIN ? 1 : 4);
            }
        }
        judge_free(&f.truth);
        free(f.raw);
        free(f.wrapped);
    }
}

/* Whole periods change nothing, for doubles where they can be added exactly. */
static void shifting_by_whole_periods_changes_nothing(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    rni_random random = rni_random_make(5);
    double home[COUNT][3], away[COUNT][3];
    for (uint32_t i = 0; i < COUNT; i++) {
        for (int a = 0; a < 3; a++) {
            home[i][a] = (double)rni_random_float(&random, 0.0f, 8.0f);
            away[i][a] = home[i][a] + 8.0 * ((double)rni_random_below(&random, 9) - 4.0);
        }
    }
    uint64_t hashes[2];
    for (int k = 0; k < 2; k++) {
        rn_search_def def = rn_search_def_default();
        for (int a = 0; a < 3; a++) {
            def.periodic[a] = true;
            def.period_high[a] = 8.0;
        }
        def.radius = 1.0f;
        rn_search *search = NULL;
        assert_int_equal(rn_search_create(&def, &search), RN_OK);
        rn_points points = {k ? away : home, 0, COUNT, RN_SCALAR_DOUBLE};
        assert_int_equal(rn_search_update(search, points), RN_OK);
        rn_neighbors n = rn_search_get_neighbors(search);
        assert_true(n.entry_count > 0);
        hashes[k] = judge_hash(&n);
        rn_search_destroy(search);
    }
    assert_true(hashes[0] == hashes[1]);
}

/* Wrapping rounds to the spacing of floats near the period: pairs at a face of a long axis whose
 * float distance is within the radius although they are further apart. */
static void pairs_at_the_faces_of_long_axes_are_found(void **state)
{
    (void)state;
    enum { PAIRS = 1500 / FACT_SLOWNESS };
    static const double periods[] = {1024, 8192, 131072, 1e6, 3e7};
    float(*points)[3] = calloc(2 * PAIRS, sizeof *points);
    for (size_t k = 0; k < sizeof periods / sizeof *periods; k++) {
        rni_random random = rni_random_make(k);
        double half = 0.5 * periods[k];
        for (uint32_t i = 0; i < PAIRS; i++) { /* across the face, slightly nearer or further than 1 */
            float left = (float)(-half + 0.5 * rni_random_unit(&random));
            points[2 * i][0] = left;
            points[2 * i + 1][0] =
                (float)((double)left + periods[k] - 1.0 +
                        periods[k] * 0x1p-23 * (2.0 * rni_random_unit(&random) - 1.0));
            points[2 * i][1] = points[2 * i + 1][1] = (float)(3 * i); /* each pair alone */
        }
        uint64_t expected = 0;
        for (int brute_first = 1; brute_first >= 0; brute_first--) {
            for (uint32_t place = 0; rn_search_get_method_info(place); place++) {
                rn_search_method method = rn_search_get_method_info(place)->method;
                if ((method == RN_SEARCH_BRUTE) != (brute_first == 1)) continue;
                rn_search_def def = rn_search_def_default();
                def.method = method;
                def.radius = 1.0f;
                def.periodic[0] = true;
                def.period_low[0] = -half;
                def.period_high[0] = half;
                rn_search *search = NULL;
                assert_int_equal(rn_search_create(&def, &search), RN_OK);
                rn_points all = {points, 0, 2 * PAIRS, RN_SCALAR_FLOAT};
                rn_result result = rn_search_update(search, all);
                uint64_t found = rn_search_get_neighbors(search).entry_count;
                rn_search_destroy(search);
                if (result == RN_ERROR_LIMIT) continue;
                assert_int_equal(result, RN_OK);
                if (brute_first) expected = found;
                if (found != expected) fail_msg("period %g, method %d", periods[k], (int)method);
            }
        }
    }
    free(points);
}

/* A skin whose points cross the face by nearly as much as it allows. */
static void a_skin_holds_across_faces(void **state)
{
    (void)state;
    enum { PAIRS = 1500 / FACT_SLOWNESS };
    float(*points)[3] = calloc(2 * PAIRS, sizeof *points);
    rn_search_def def = rn_search_def_default();
    def.radius = 1.0f;
    def.periodic[0] = true;
    def.period_low[0] = -512.0;
    def.period_high[0] = 512.0;
    rni_random random = rni_random_make(3);
    for (uint32_t i = 0; i < PAIRS; i++) {
        float left = (float)(-512.0 + 0.6 * rni_random_unit(&random));
        points[2 * i][0] = left + 0.1499985f;
        points[2 * i + 1][0] = (float)((double)left + 1024.0 - 1.1499985);
        points[2 * i][1] = points[2 * i + 1][1] = (float)(3 * i);
    }
    rn_search *plain = NULL, *skinned = NULL;
    assert_int_equal(rn_search_create(&def, &plain), RN_OK);
    def.skin = 0.3f;
    assert_int_equal(rn_search_create(&def, &skinned), RN_OK);
    rn_points all = {points, 0, 2 * PAIRS, RN_SCALAR_FLOAT};
    for (int step = 0; step < 2; step++) {
        assert_int_equal(rn_search_update(plain, all), RN_OK);
        assert_int_equal(rn_search_update(skinned, all), RN_OK);
        assert_int_equal(rn_search_get_neighbors(plain).entry_count,
                         rn_search_get_neighbors(skinned).entry_count);
        for (uint32_t i = 0; i < PAIRS; i++) {
            points[2 * i][0] -= 0.1499985f;
            points[2 * i + 1][0] += 0.1499985f;
        }
    }
    rn_search_destroy(plain);
    rn_search_destroy(skinned);
    free(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_across_periodic_faces_are_found),
        cmocka_unit_test(shifting_by_whole_periods_changes_nothing),
        cmocka_unit_test(pairs_at_the_faces_of_long_axes_are_found),
        cmocka_unit_test(a_skin_holds_across_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
