#include "bench/layouts.h"
#include "bench/wave.h"

#include <runnel/search.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static float *make(rni_layout layout, uint32_t dim, uint32_t count, float radius)
{
    float *position = malloc((size_t)count * dim * sizeof *position + 1);
    assert_non_null(position);
    for (size_t k = 0; k < (size_t)count * dim; k++) position[k] = NAN;
    rni_layout_fill(layout, dim, count, radius, position);
    return position;
}

static double mean_neighbors(const float *position, uint32_t dim, uint32_t count, float radius)
{
    rn_search_def def = rn_search_def_default();
    rn_search *search = NULL;
    def.dim = dim;
    def.radius = radius;
    def.lists = RN_LISTS_COUNTS;
    assert_int_equal(rn_search_create(&def, &search), RN_OK);
    assert_int_equal(rn_search_update(search, (rn_points){position, 0, count, RN_SCALAR_FLOAT}),
                     RN_OK);
    rn_search_stats stats = rn_search_stats_default();
    assert_int_equal(rn_search_get_stats(search, &stats), RN_OK);
    double mean = (double)stats.entry_count / count;
    rn_search_destroy(search);
    return mean;
}

static void every_layout_fills_exactly_the_count_and_repeats(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 2, 7, 27, 100, 1000, 4097};
    for (uint32_t layout = 0; rni_layout_name(layout); layout++)
        for (uint32_t dim = 2; dim <= 3; dim++)
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
                uint32_t count = counts[c];
                float *first = make((rni_layout)layout, dim, count, 2);
                float *second = make((rni_layout)layout, dim, count, 2);
                for (size_t k = 0; k < (size_t)count * dim; k++)
                    if (!isfinite(first[k]))
                        fail_msg("%s: coordinate %zu is not set", rni_layout_name(layout), k);
                assert_memory_equal(first, second, (size_t)count * dim * sizeof *first);
                free(first);
                free(second);
            }
}

static void lattice_points_sit_within_a_tenth_of_their_own_site(void **state)
{
    (void)state;
    uint32_t count = 1000;
    float *position = make(RNI_LAYOUT_LATTICE, 3, count, 2);
    bool is_taken[1000] = {false};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t site = 0;
        for (uint32_t axis = 3; axis-- > 0;) {
            float x = position[3 * i + axis];
            float nearest = roundf(x);
            assert_true(fabsf(x - nearest) <= 0.1001f);
            assert_true(nearest >= 0 && nearest < 10);
            site = site * 10 + (uint32_t)nearest;
        }
        assert_false(is_taken[site]);
        is_taken[site] = true;
    }
    free(position);
}

static int compare_points(const void *a, const void *b)
{
    return memcmp(a, b, 3 * sizeof(float));
}

static void sorted_is_the_lattice_in_another_order(void **state)
{
    (void)state;
    uint32_t count = 900; /* no cube */
    float *lattice = make(RNI_LAYOUT_LATTICE, 3, count, 2);
    float *sorted = make(RNI_LAYOUT_SORTED, 3, count, 2);
    double lattice_step = 0;
    double sorted_step = 0;
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t axis = 0; axis < 3; axis++) {
            lattice_step += fabs((double)(lattice[3 * i + axis] - lattice[3 * i - 3 + axis]));
            sorted_step += fabs((double)(sorted[3 * i + axis] - sorted[3 * i - 3 + axis]));
        }
    assert_true(sorted_step * 3 < lattice_step);
    qsort(lattice, count, 3 * sizeof(float), compare_points);
    qsort(sorted, count, 3 * sizeof(float), compare_points);
    assert_memory_equal(lattice, sorted, count * 3 * sizeof(float));
    free(lattice);
    free(sorted);
}

static void random5_has_about_five_neighbors(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++) {
        float *position = make(RNI_LAYOUT_RANDOM5, dim, 30000, 0.5f);
        double mean = mean_neighbors(position, dim, 30000, 0.5f);
        /* Points at the faces have fewer. */
        if (mean < 4.4 || mean > 5.1) fail_msg("%uD: %g neighbours on average", dim, mean);
        free(position);
    }
}

static void clusters_have_twenty_to_forty_neighbors(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++) {
        float *position = make(RNI_LAYOUT_CLUSTERS, dim, 30000, 2);
        double mean = mean_neighbors(position, dim, 30000, 2);
        if (mean < 20 || mean > 40) fail_msg("%uD: %g neighbours on average", dim, mean);
        free(position);
    }
}

static void wave_has_about_the_wanted_points_inside_its_box(void **state)
{
    (void)state;
    static const uint32_t wanted[] = {500, 2000, 50000};
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
        rni_wave wave;
        assert_int_equal(rni_wave_make(wanted[w], &wave), RN_OK);
        if (wave.count < wanted[w] * 0.7 || wave.count > wanted[w] * 1.3)
            fail_msg("%u points instead of %u", wave.count, wanted[w]);
        for (uint32_t i = 0; i < wave.count; i++)
            for (uint32_t axis = 0; axis < 3; axis++)
                assert_true(wave.position[3 * i + axis] >= 0 &&
                            wave.position[3 * i + axis] <= wave.size[axis]);
        rni_wave_release(&wave);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_fills_exactly_the_count_and_repeats),
        cmocka_unit_test(lattice_points_sit_within_a_tenth_of_their_own_site),
        cmocka_unit_test(sorted_is_the_lattice_in_another_order),
        cmocka_unit_test(random5_has_about_five_neighbors),
        cmocka_unit_test(clusters_have_twenty_to_forty_neighbors),
        cmocka_unit_test(wave_has_about_the_wanted_points_inside_its_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
