/* Moves by free balls: no point passes a triangle, by tests of their own. */
#include "fact.h"

#include "base/random.h"
#include "bench/mesh_layouts.h"

#include <runnel/mesh_query.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static rn_mesh_query *open(const rn_mesh *mesh, uint32_t threads, rn_cpu_level cpu)
{
    rn_mesh_query_def def = rn_mesh_query_def_default();
    rn_mesh_query *query = NULL;
    def.threads = threads;
    def.cpu = cpu;
    if (rn_mesh_query_create(&def, mesh, &query) != RN_OK) fail_msg("%s", rn_last_error());
    return query;
}

static rn_mesh_move_def distances(float hard, float soft)
{
    rn_mesh_move_def def = rn_mesh_move_def_default();
    def.hard = hard;
    def.soft = soft;
    return def;
}

/* Parity of crossings along a tilted line, in long double; written apart from the library. */
static bool judged_inside(const rn_mesh *mesh, const float p[3])
{
    const long double d[3] = {0.5773502691L, 0.211324865L, 0.788675134L};
    bool is_inside = false;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        long double v[3][3], e1[3], e2[3], h[3], s[3], q[3];
        for (uint32_t k = 0; k < 3; k++)
            for (uint32_t a = 0; a < 3; a++)
                v[k][a] = (long double)mesh->vertex[3 * mesh->triangle[3 * t + k] + a];
        for (int a = 0; a < 3; a++)
            e1[a] = v[1][a] - v[0][a], e2[a] = v[2][a] - v[0][a], s[a] = (long double)p[a] - v[0][a];
        h[0] = d[1] * e2[2] - d[2] * e2[1], h[1] = d[2] * e2[0] - d[0] * e2[2],
        h[2] = d[0] * e2[1] - d[1] * e2[0];
        const long double det = e1[0] * h[0] + e1[1] * h[1] + e1[2] * h[2];
        if (det == 0) continue;
        const long double u = (s[0] * h[0] + s[1] * h[1] + s[2] * h[2]) / det;
        q[0] = s[1] * e1[2] - s[2] * e1[1], q[1] = s[2] * e1[0] - s[0] * e1[2],
        q[2] = s[0] * e1[1] - s[1] * e1[0];
        const long double w = (d[0] * q[0] + d[1] * q[1] + d[2] * q[2]) / det;
        const long double r = (e2[0] * q[0] + e2[1] * q[1] + e2[2] * q[2]) / det;
        if (u >= 0 && w >= 0 && u + w <= 1 && r > 0) is_inside = !is_inside;
    }
    return is_inside;
}

/* Particles jump at random inside a closed mesh, up to `speed` at a time. */
static void hop(const rni_mesh_layout *layout, float hard, uint32_t count, uint32_t rounds,
                float speed, const float start[3], const char *name)
{
    const rn_mesh *mesh = &layout->mesh;
    float *at = malloc(3 * count * sizeof *at), *to = malloc(3 * count * sizeof *to);
    rn_mesh_closest *closest = malloc(count * sizeof *closest);
    rni_random random = rni_random_make(11);
    rn_mesh_query *query = open(mesh, 2, RN_CPU_AUTO);
    const rn_mesh_move_def def = distances(hard, 2.0f * hard);
    for (uint32_t i = 0; i < 3 * count; i++) at[i] = start[i % 3];
    const rn_mesh_points from = {.position = at, .count = count},
                         ends = {.position = to, .count = count};
    double path = 0.0;
    for (uint32_t round = 0; round < rounds; round++) {
        /* Every second round a current in one direction, which presses into corners. */
        float wind[3];
        for (int a = 0; a < 3; a++)
            wind[a] = round / 16 % 2 ? rni_random_float(&random, -speed, speed) : 0.0f;
        for (uint32_t i = 0; i < 3 * count; i++)
            to[i] = at[i] + wind[i % 3] + rni_random_float(&random, -speed, speed);
        uint32_t touches;
        if (rn_mesh_query_move(query, &def, &from, &ends, to, NULL, &touches) != RN_OK)
            fail_msg("%s", rn_last_error());
        for (uint32_t i = 0; i < 3 * count; i++) path += fabs((double)to[i] - (double)at[i]);
        memcpy(at, to, 3 * count * sizeof *at);
        if (round % 16 != 15) continue;
        assert_int_equal(rn_mesh_query_closest(query, &from, INFINITY, closest), RN_OK);
        for (uint32_t i = 0; i < count; i++)
            if (closest[i].distance < 0.99f * hard)
                fail_msg("%s: point %u is %g from the mesh in round %u", name, i,
                         (double)closest[i].distance, round);
    }
    uint32_t escaped = 0;
    for (uint32_t i = 0; i < count; i++) escaped += !judged_inside(mesh, at + 3 * i);
    if (escaped > 0) fail_msg("%s: %u of %u points escaped", name, escaped, count);
    if (path < 0.05 * (double)speed * count * rounds)
        fail_msg("%s: the points hardly moved: %g", name, path);
    rn_mesh_query_destroy(query);
    free(at);
    free(to);
    free(closest);
}

static void a_million_hops_in_a_spiky_mesh_stay_inside(void **state)
{
    (void)state;
    rni_mesh_layout layout;
    static const float centre[3] = {0.0f, 0.0f, 0.0f};
    assert_int_equal(rni_mesh_layout_make(RNI_MESH_SPIKES, 1000, 6, &layout), RN_OK);
    const uint32_t rounds = FACT_SLOWNESS > 1 ? 32 : 512;
    hop(&layout, 0.002f, 2000, rounds, 0.3f, centre, "spikes");
    rni_mesh_layout_release(&layout);
}

static void hops_in_a_folded_ring_stay_inside(void **state)
{
    (void)state;
    rni_mesh_layout layout;
    static const float start[3] = {1.0f, 0.0f, 0.0f};
    assert_int_equal(rni_mesh_layout_make(RNI_MESH_TORUS, 8040, 6, &layout), RN_OK);
    hop(&layout, 0.003f, 500, FACT_SLOWNESS > 1 ? 32 : 256, 1.0f, start, "ring");
    for (uint32_t v = 0; v < layout.mesh.vertex_count; v++) layout.vertex[3 * v] += 1000.0f;
    static const float far_start[3] = {1001.0f, 0.0f, 0.0f};
    hop(&layout, 0.02f, 300, FACT_SLOWNESS > 1 ? 32 : 128, 1.0f, far_start,
        "ring far from the origin");
    rni_mesh_layout_release(&layout);
}

/* Boxes without floor: an open sheet has to hold water too. */
static void no_move_crosses_a_soup(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    rni_mesh_layout layout;
    assert_int_equal(rni_mesh_layout_make(RNI_MESH_SOUP, 300, 8, &layout), RN_OK);
    rn_mesh_query *query = open(&layout.mesh, 2, RN_CPU_AUTO);
    float *from = malloc(3 * COUNT * sizeof *from), *to = malloc(3 * COUNT * sizeof *to),
          *moved = malloc(3 * COUNT * sizeof *moved);
    rn_mesh_touch *touch = malloc(COUNT * sizeof *touch);
    rn_mesh_hit *hit = malloc(COUNT * sizeof *hit);
    rni_mesh_points_near(&layout, 0.3, 51, COUNT, from);
    rni_mesh_points_near(&layout, 0.3, 52, COUNT, to);
    const rn_mesh_points a = {.position = from, .count = COUNT}, b = {.position = to, .count = COUNT};
    const rn_mesh_points c = {.position = moved, .count = COUNT};
    rn_mesh_move_def def = distances(0.001f, 0.002f);
    uint32_t touches = 0, straight = 0;
    def.max_steps = 1; /* a single step is straight, so the segment test may judge it */
    assert_int_equal(rn_mesh_query_move(query, &def, &a, &b, moved, touch, &touches), RN_OK);
    assert_int_equal(rn_mesh_query_segment(query, &a, &c, hit), RN_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        if (hit[i].triangle != RN_MESH_NONE)
            fail_msg("move %u passes triangle %u", i, hit[i].triangle);
        straight += memcmp(moved + 3 * i, to + 3 * i, 3 * sizeof *to) == 0;
    }
    assert_true(touches > 0 && straight > 0);
    rn_mesh_query_destroy(query);
    free(from);
    free(to);
    free(moved);
    free(touch);
    free(hit);
    rni_mesh_layout_release(&layout);
}

static void points_slide_along_a_plate_at_the_soft_distance(void **state)
{
    (void)state;
    rni_mesh_layout layout;
    assert_int_equal(rni_mesh_layout_make(RNI_MESH_PLATE, 200, 8, &layout), RN_OK);
    rn_mesh_query *query = open(&layout.mesh, 1, RN_CPU_AUTO);
    rn_mesh_move_def def = distances(0.005f, 0.01f);
    def.max_steps = 200;
    const float from[3] = {0.1f, 0.1f, 0.05f}, to[3] = {0.4f, 0.3f, -0.2f};
    const rn_mesh_points a = {.position = from, .count = 1}, b = {.position = to, .count = 1};
    float moved[3];
    rn_mesh_touch touch;
    uint32_t touches;
    assert_int_equal(rn_mesh_query_move(query, &def, &a, &b, moved, &touch, &touches), RN_OK);
    assert_int_equal(touches, 1);
    assert_true(touch.triangle != RN_MESH_NONE && fabsf(touch.normal[2] - 1.0f) < 1e-5f &&
                touch.flags == 0);
    if (fabsf(moved[0] - 0.4f) > 1e-4f || fabsf(moved[1] - 0.3f) > 1e-4f ||
        fabsf(moved[2] - 0.01f) > 0.0025f)
        fail_msg("the point is at %g %g %g", (double)moved[0], (double)moved[1], (double)moved[2]);
    rn_mesh_query_destroy(query);
    rni_mesh_layout_release(&layout);
}

static void moves_are_the_same_for_all_threads_and_instruction_sets(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    rni_mesh_layout layout;
    static float from[3 * COUNT], to[3 * COUNT], first[3 * COUNT], moved[3 * COUNT];
    assert_int_equal(rni_mesh_layout_make(RNI_MESH_SPIKES, 2000, 6, &layout), RN_OK);
    rni_mesh_points_near(&layout, 0.2, 61, COUNT, from);
    rni_mesh_points_near(&layout, 0.2, 62, COUNT, to);
    const rn_mesh_points a = {.position = from, .count = COUNT}, b = {.position = to, .count = COUNT};
    const rn_mesh_move_def def = distances(0.002f, 0.004f);
    for (uint32_t run = 0; run < 4; run++) {
        rn_mesh_query *query =
            open(&layout.mesh, 1 + 2 * (run % 2), run < 2 ? RN_CPU_AUTO : RN_CPU_PLAIN);
        assert_int_equal(rn_mesh_query_move(query, &def, &a, &b, moved, NULL, NULL), RN_OK);
        if (run == 0) memcpy(first, moved, sizeof first);
        assert_memory_equal(first, moved, sizeof first);
        for (uint32_t i = 0; i < 40; i++) { /* one by one: the same */
            const rn_mesh_points one = {.position = from + 3 * i, .count = 1},
                                 end = {.position = to + 3 * i, .count = 1};
            float place[3];
            assert_int_equal(rn_mesh_query_move(query, &def, &one, &end, place, NULL, NULL), RN_OK);
            assert_memory_equal(place, moved + 3 * i, sizeof place);
        }
        rn_mesh_query_destroy(query);
    }
    rni_mesh_layout_release(&layout);
}

static void wrong_distances_are_refused(void **state)
{
    (void)state;
    rni_mesh_layout layout;
    assert_int_equal(rni_mesh_layout_make(RNI_MESH_SPHERE, 100, 6, &layout), RN_OK);
    rn_mesh_query *query = open(&layout.mesh, 1, RN_CPU_AUTO);
    const float from[3] = {0};
    const rn_mesh_points a = {.position = from, .count = 1};
    float moved[3];
    const rn_mesh_move_def wrong[] = {distances(0.0f, 0.1f), distances(0.1f, 0.1f),
                                      distances(1e-7f, 0.1f)};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(rn_mesh_query_move(query, &wrong[k], &a, &a, moved, NULL, NULL),
                         RN_ERROR_ARGUMENT);
        assert_non_null(strstr(rn_last_error(), "hard"));
    }
    rn_mesh_query_destroy(query);
    rni_mesh_layout_release(&layout);
}

int main(void)
{
    FACT_ONLY_THREADS();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_hops_in_a_spiky_mesh_stay_inside),
        cmocka_unit_test(hops_in_a_folded_ring_stay_inside),
        cmocka_unit_test(no_move_crosses_a_soup),
        cmocka_unit_test(points_slide_along_a_plate_at_the_soft_distance),
        cmocka_unit_test(moves_are_the_same_for_all_threads_and_instruction_sets),
        cmocka_unit_test(wrong_distances_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
