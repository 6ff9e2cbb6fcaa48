/* Lists of many points are moved to their places piece by piece, bypassing the caches when they are
 * large: on every path they have the content of lists in the order of the points. */
#include "fact.h"

#include <runnel/search.h>

#include <stdlib.h>

/* A hash over the lists that does not depend on where they are in memory. */
static uint64_t hash_of(const rn_neighbors *n)
{
    uint64_t hash = n->entry_count;
    for (uint32_t i = 0; i < n->count; i++) {
        const rn_list list = rn_neighbors_get_list(n, i);
        for (uint32_t k = 0; k < list.count; k++)
            hash = (hash ^ (((uint64_t)i << 32) | list.index[k])) * 0x9e3779b97f4a7c15u;
    }
    return hash;
}

static uint64_t hash_with(rn_search_method method, rn_list_layout layout, uint32_t threads,
                          rn_points points, float radius)
{
    rn_search_def def = rn_search_def_default();
    def.method = method;
    def.layout = layout;
    def.threads = threads;
    def.radius = radius;
    rn_search *search = NULL;
    assert_int_equal(rn_search_create(&def, &search), RN_OK);
    uint64_t hash = 0;
    /* the second time the memory is there already */
    for (int update = 0; update < 2; update++) {
        assert_int_equal(rn_search_update(search, points), RN_OK);
        const rn_neighbors n = rn_search_get_neighbors(search);
        hash = hash_of(&n);
    }
    rn_search_destroy(search);
    return hash;
}

static void check(rn_search_method method, const float (*position)[3], uint32_t count, float radius)
{
    const rn_points points = {position, 0, count, RN_SCALAR_FLOAT};
    const uint64_t truth = hash_with(method, RN_LAYOUT_CSR, 1, points, radius);
    const uint32_t threads[] = {1, 2, 7};
    for (size_t t = FACT_FIRST_THREADS; t < sizeof threads / sizeof *threads; t++)
        assert_true(hash_with(method, RN_LAYOUT_SPAN, threads[t], points, radius) == truth);
}

static float share(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) * 0x1p-24f;
}

/* Evenly spread, and half of them so dense that some lists are longer than a whole piece should be.
 * */
static float (*scatter(uint32_t count, float side, bool is_crowded))[3]
{
    float(*position)[3] = malloc(count * sizeof *position);
    assert_non_null(position);
    uint32_t state = 7;
    for (uint32_t i = 0; i < count; i++) {
        const float s = is_crowded && i % 20 == 0 ? 0.02f * side : side;
        for (int axis = 0; axis < 3; axis++) position[i][axis] = s * share(&state);
    }
    return position;
}

static void pieces_hold_what_whole_lists_hold(void **state)
{
    (void)state;
    const rn_search_method methods[] = {RN_SEARCH_GRID, RN_SEARCH_HASH, RN_SEARCH_KDTREE};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        for (int is_crowded = 0; is_crowded < 2; is_crowded++) {
            const uint32_t count = 20000;
            float(*position)[3] = scatter(count, 28.0f, is_crowded);
            check(methods[m], (const float(*)[3])position, count, 1.0f);
            free(position);
        }
    }
}

/* More entries than fit into the caches: 16 MB and more. */
static void streamed_lists_hold_what_whole_lists_hold(void **state)
{
    (void)state;
    const uint32_t count = 70000;
    float(*position)[3] = scatter(count, 20.0f, false);
    check(RN_SEARCH_GRID, (const float(*)[3])position, count, 1.3f);
    free(position);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_hold_what_whole_lists_hold),
        cmocka_unit_test(streamed_lists_hold_what_whole_lists_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
