/* Queries of every structure, instruction set and thread count against brute force. */
#include "fact.h"

#include "allocators.h"
#include "base/random.h"
#include "bench/mesh_layouts.h"

#include <runnel/mesh_query.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS (3000u / FACT_SLOWNESS)

static const char *const kind_names[] = {"torus", "sphere", "spikes", "soup", "plate"};

static rn_mesh_query *open(const rn_mesh *mesh, rn_mesh_structure structure, rn_cpu_level cpu,
                           uint32_t threads)
{
    rn_mesh_query_def def = rn_mesh_query_def_default();
    rn_mesh_query *query = NULL;
    def.structure = structure;
    if (structure == RN_MESH_DISTANCE_FIELD) def.cell = 0.06f; /* coarse: made quickly */
    def.cpu = cpu;
    def.threads = threads;
    if (rn_mesh_query_create(&def, mesh, &query) != RN_OK) fail_msg("%s", rn_last_error());
    return query;
}

/* Everything that one object answers about the same points. */
typedef struct answers {
    rn_mesh_closest closest[POINTS], near[POINTS];
    float distance[POINTS], winding[POINTS];
    bool is_inside[POINTS];
    rn_mesh_hit hit[POINTS];
    uint64_t contact_start[POINTS + 1];
    uint64_t contact_hash;
} answers;

static uint64_t hash_of(const void *data, size_t bytes)
{
    uint64_t h = 14695981039346656037u;
    for (size_t k = 0; k < bytes; k++) h = (h ^ ((const unsigned char *)data)[k]) * 1099511628211u;
    return h;
}

static void ask(rn_mesh_query *query, const float *from, const float *to, answers *a)
{
    const rn_mesh_points points = {.position = from, .count = POINTS};
    const rn_mesh_points ends = {.position = to, .count = POINTS};
    rn_mesh_contacts contacts;
    memset(a, 0, sizeof *a);
    if (rn_mesh_query_closest(query, &points, INFINITY, a->closest) ||
        rn_mesh_query_closest(query, &points, 0.01f, a->near) ||
        rn_mesh_query_distance(query, &points, a->distance) ||
        rn_mesh_query_winding(query, &points, a->winding) ||
        rn_mesh_query_inside(query, &points, a->is_inside) ||
        rn_mesh_query_segment(query, &points, &ends, a->hit) ||
        rn_mesh_query_contacts(query, &points, 0.04f, &contacts))
        fail_msg("%s", rn_last_error());
    memcpy(a->contact_start, contacts.start, sizeof a->contact_start);
    a->contact_hash = hash_of(contacts.contact, contacts.start[POINTS] * sizeof *contacts.contact);
}

#define SAME(field)                                                                              \
    do {                                                                                         \
        if (memcmp(a->field, truth->field, sizeof a->field) != 0)                                \
            fail_msg("%s, structure %d, cpu %d, %u threads: " #field " differ from brute force", \
                     name, (int)structure, (int)cpu, threads);                                   \
    } while (0)

static void compare(const rni_mesh_layout *layout, const char *name, const answers *truth,
                    const float *from, const float *to, rn_mesh_structure structure,
                    rn_cpu_level cpu, uint32_t threads, answers *first)
{
    static answers all;
    answers *a = &all;
    rn_mesh_query *query = open(&layout->mesh, structure, cpu, threads);
    rn_mesh_query_stats stats = rn_mesh_query_stats_default();
    ask(query, from, to, a);
    assert_int_equal(rn_mesh_query_get_stats(query, &stats), RN_OK);
    SAME(closest);
    SAME(near);
    SAME(hit);
    SAME(contact_start);
    assert_true(a->contact_hash == truth->contact_hash);
    for (uint32_t i = 0; i < POINTS; i++) {
        /* On the mesh itself the winding number jumps. */
        if (truth->closest[i].distance > 1e-6f && fabsf(a->winding[i] - truth->winding[i]) > 0.01f)
            fail_msg("%s, point %u: winding number %g instead of %g", name, i,
                     (double)a->winding[i], (double)truth->winding[i]);
        const bool is_unsure =
            fabsf(truth->winding[i] - 0.5f) < 0.01f || truth->closest[i].distance < 1e-6f;
        if (!is_unsure && fabsf(a->distance[i] - truth->distance[i]) > stats.distance_error)
            fail_msg("%s, structure %d, point %u: distance %g instead of %g", name, (int)structure,
                     i, (double)a->distance[i], (double)truth->distance[i]);
    }
    if (first->contact_hash == 0) *first = *a;
    else if (structure == RN_MESH_HIERARCHY) {
        assert_memory_equal(a->winding, first->winding, sizeof a->winding);
        assert_memory_equal(a->distance, first->distance, sizeof a->distance);
    }
    rn_mesh_query_destroy(query);
}

static void make_points(const rni_mesh_layout *layout, float *from, float *to)
{
    rni_mesh_points_near(layout, 0.2, 21, POINTS, from);
    rni_mesh_points_near(layout, 0.01, 22, POINTS / 3, from);
    rni_mesh_points_near(layout, 0.5, 23, POINTS, to);
    for (uint32_t i = 0; i < 100; i++) { /* vertices; segments through vertices, along axes, points */
        const float *v = layout->vertex + 3 * (i % layout->mesh.vertex_count);
        memcpy(from + 3 * i, v, 3 * sizeof *from);
        memcpy(to + 3 * (i + 100), v, 3 * sizeof *from);
        memcpy(to + 3 * (i + 200), from + 3 * (i + 200), 3 * sizeof *from);
        to[3 * (i + 200) + i % 3] += 1.0f;
        memcpy(to + 3 * (i + 300), from + 3 * (i + 300), 3 * sizeof *from);
    }
}

static void all_structures_and_threads_agree_with_brute_force(void **state)
{
    (void)state;
    static answers truth, first;
    static float from[3 * POINTS], to[3 * POINTS];
    for (int kind = 0; kind < 5; kind++) {
        rni_mesh_layout layout;
        assert_int_equal(rni_mesh_layout_make((rni_mesh_kind)kind, 500, 3, &layout), RN_OK);
        make_points(&layout, from, to);
        rn_mesh_query *brute = open(&layout.mesh, RN_MESH_BRUTE, RN_CPU_AUTO, 2);
        ask(brute, from, to, &truth);
        rn_mesh_query_destroy(brute);
        memset(&first, 0, sizeof first);
        for (int level = RN_CPU_PLAIN; level <= (int)rn_cpu_best(); level++)
            for (uint32_t threads = 1; threads <= 3; threads += 2)
                compare(&layout, kind_names[kind], &truth, from, to, RN_MESH_HIERARCHY,
                        (rn_cpu_level)level, threads, &first);
        compare(&layout, kind_names[kind], &truth, from, to, RN_MESH_HASHED_GRID, RN_CPU_AUTO, 2,
                &first);
        compare(&layout, kind_names[kind], &truth, from, to, RN_MESH_DISTANCE_FIELD, RN_CPU_AUTO, 2,
                &first);
        compare(&layout, kind_names[kind], &truth, from, to, RN_MESH_AUTO, RN_CPU_AUTO, 0, &first);
        rni_mesh_layout_release(&layout);
    }
}

static void hundred_thousand_points_have_the_closest_point_of_brute_force(void **state)
{
    (void)state;
    enum { COUNT = 100000 / FACT_SLOWNESS };
    rni_mesh_layout layout;
    float *position = malloc(3 * COUNT * sizeof *position);
    rn_mesh_closest *a = malloc(COUNT * sizeof *a), *b = malloc(COUNT * sizeof *b);
    for (int kind = 0; kind < 5; kind++) {
        assert_int_equal(rni_mesh_layout_make((rni_mesh_kind)kind, 160, 5, &layout), RN_OK);
        rni_mesh_points_near(&layout, kind == 4 ? 1e-4 : 0.4, 31, COUNT, position);
        const rn_mesh_points points = {.position = position, .count = COUNT};
        rn_mesh_query *fast = open(&layout.mesh, RN_MESH_AUTO, RN_CPU_AUTO, 2);
        rn_mesh_query *brute = open(&layout.mesh, RN_MESH_BRUTE, RN_CPU_AUTO, 2);
        assert_int_equal(rn_mesh_query_closest(fast, &points, INFINITY, a), RN_OK);
        assert_int_equal(rn_mesh_query_closest(brute, &points, INFINITY, b), RN_OK);
        for (uint32_t i = 0; i < COUNT; i++)
            if (memcmp(&a[i], &b[i], sizeof a[i]) != 0)
                fail_msg("%s, point %u: triangle %u at %g instead of %u at %g", kind_names[kind], i,
                         a[i].triangle, (double)a[i].distance, b[i].triangle, (double)b[i].distance);
        rn_mesh_query_destroy(fast);
        rn_mesh_query_destroy(brute);
        rni_mesh_layout_release(&layout);
    }
    free(position);
    free(a);
    free(b);
}

static void sign_of_pseudo_normals_is_that_of_the_winding_number(void **state)
{
    (void)state;
    static float position[3 * 20000], winding[20000], distance[20000];
    for (int kind = 0; kind < 3; kind++) {
        rni_mesh_layout layout;
        assert_int_equal(rni_mesh_layout_make((rni_mesh_kind)kind, 800, 9, &layout), RN_OK);
        rni_mesh_points_near(&layout, 0.1, 41, 20000, position);
        rni_mesh_points_near(&layout, 1e-4, 42, 10000, position);
        const rn_mesh_points points = {.position = position, .count = 20000};
        rn_mesh_query *query = open(&layout.mesh, RN_MESH_AUTO, RN_CPU_AUTO, 2);
        rn_mesh_query_stats stats = rn_mesh_query_stats_default();
        assert_int_equal(rn_mesh_query_get_stats(query, &stats), RN_OK);
        assert_true(stats.is_closed);
        assert_int_equal(stats.sign, RN_SIGN_PSEUDO_NORMAL);
        assert_int_equal(rn_mesh_query_distance(query, &points, distance), RN_OK);
        assert_int_equal(rn_mesh_query_winding(query, &points, winding), RN_OK);
        for (uint32_t i = 0; i < 20000; i++) {
            const float whole = roundf(winding[i]);
            if (fabsf(winding[i] - whole) > 0.01f && fabsf(distance[i]) > 1e-6f)
                fail_msg("%s, point %u: the winding number is %g", kind_names[kind], i,
                         (double)winding[i]);
            if (fabsf(distance[i]) > 1e-6f && (distance[i] < 0.0f) != (whole == 1.0f))
                fail_msg("%s, point %u: distance %g, winding number %g", kind_names[kind], i,
                         (double)distance[i], (double)winding[i]);
        }
        rn_mesh_query_destroy(query);
        rni_mesh_layout_release(&layout);
    }
}

static void no_segment_out_of_a_closed_mesh_misses_it(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    rni_mesh_layout layout;
    rni_random random = rni_random_make(4);
    assert_int_equal(rni_mesh_layout_make(RNI_MESH_SPIKES, 600, 2, &layout), RN_OK);
    rn_mesh_query *query = open(&layout.mesh, RN_MESH_AUTO, RN_CPU_AUTO, 2);
    float *from = calloc(3 * COUNT, sizeof *from), *to = malloc(3 * COUNT * sizeof *to);
    rn_mesh_hit *hit = malloc(COUNT * sizeof *hit);
    for (uint32_t i = 0; i < COUNT; i++) /* through vertices, midpoints of edges, anywhere */
        for (uint32_t axis = 0; axis < 3; axis++) {
            const uint32_t *corner = layout.triangle + 3 * (i % layout.mesh.triangle_count);
            const float a = layout.vertex[3 * corner[0] + axis],
                        b = layout.vertex[3 * corner[1] + axis];
            const float through =
                i % 3 == 0 ? a
                           : (i % 3 == 1 ? 0.5f * (a + b) : rni_random_float(&random, -1.0f, 1.0f));
            to[3 * i + axis] = i % 3 == 2 ? 50.0f * through : 8.0f * through;
            from[3 * i + axis] = i % 3 == 2 ? 0.2f * through : 0.0f;
        }
    const rn_mesh_points a = {.position = from, .count = COUNT}, b = {.position = to, .count = COUNT};
    assert_int_equal(rn_mesh_query_segment(query, &a, &b, hit), RN_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        const float *p = to + 3 * i;
        if (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] < 3.0f) continue; /* maybe still inside */
        if (hit[i].triangle == RN_MESH_NONE) fail_msg("segment %u passes", i);
    }
    free(from);
    free(to);
    free(hit);
    rn_mesh_query_destroy(query);
    rni_mesh_layout_release(&layout);
}

static void refit_answers_like_a_new_object(void **state)
{
    (void)state;
    static answers moved, fresh;
    static float from[3 * POINTS], to[3 * POINTS];
    rni_mesh_layout layout;
    assert_int_equal(rni_mesh_layout_make(RNI_MESH_TORUS, 2000, 3, &layout), RN_OK);
    for (int structure = RN_MESH_HIERARCHY; structure <= RN_MESH_BRUTE; structure++) {
        rn_mesh_query *query = open(&layout.mesh, (rn_mesh_structure)structure, RN_CPU_AUTO, 2);
        for (uint32_t v = 0; v < layout.mesh.vertex_count; v++)
            layout.vertex[3 * v + 2] += 0.2f * sinf(3.0f * layout.vertex[3 * v]);
        assert_int_equal(rn_mesh_query_refit(query, layout.vertex), RN_OK);
        make_points(&layout, from, to);
        ask(query, from, to, &moved);
        rn_mesh_query_destroy(query);
        query = open(&layout.mesh, (rn_mesh_structure)structure, RN_CPU_AUTO, 2);
        ask(query, from, to, &fresh);
        assert_memory_equal(moved.closest, fresh.closest, sizeof moved.closest);
        assert_memory_equal(moved.hit, fresh.hit, sizeof moved.hit);
        assert_true(moved.contact_hash == fresh.contact_hash);
        rn_mesh_query_destroy(query);
    }
    rni_mesh_layout_release(&layout);
}

static void single_degenerate_triangles_are_points_and_lines(void **state)
{
    (void)state;
    static const float vertex[] = {0, 0, 0, 1, 0, 0, 0.5f, 0, 0};
    static const uint32_t line[] = {0, 1, 2}, place[] = {1, 1, 1};
    const float position[] = {0.25f, 2.0f, 0.0f, 3.0f, 0.0f, 0.0f};
    const rn_mesh_points points = {.position = position, .count = 2};
    rn_mesh mesh = rn_mesh_default();
    mesh.vertex = vertex, mesh.vertex_count = 3, mesh.triangle_count = 1;
    for (int structure = RN_MESH_AUTO; structure <= RN_MESH_BRUTE; structure++) {
        rn_mesh_closest closest[2];
        float distance[2];
        mesh.triangle = line;
        rn_mesh_query *query = open(&mesh, (rn_mesh_structure)structure, RN_CPU_AUTO, 1);
        assert_int_equal(rn_mesh_query_closest(query, &points, INFINITY, closest), RN_OK);
        assert_true(closest[0].distance == 2.0f && closest[1].distance == 2.0f);
        assert_true(closest[0].point[0] == 0.25f && closest[1].point[0] == 1.0f);
        assert_int_equal(rn_mesh_query_distance(query, &points, distance), RN_OK);
        assert_true(distance[0] > 0.0f && distance[1] > 0.0f);
        rn_mesh_query_destroy(query);
        mesh.triangle = place;
        query = open(&mesh, (rn_mesh_structure)structure, RN_CPU_AUTO, 1);
        assert_int_equal(rn_mesh_query_closest(query, &points, INFINITY, closest), RN_OK);
        assert_true(closest[1].distance == 2.0f && closest[1].point[0] == 1.0f);
        rn_mesh_query_destroy(query);
    }
}

static void empty_mesh_has_nothing_closest(void **state)
{
    (void)state;
    const rn_mesh mesh = rn_mesh_default();
    const float position[3] = {0};
    const rn_mesh_points points = {.position = position, .count = 1};
    for (int structure = RN_MESH_AUTO; structure <= RN_MESH_BRUTE; structure++) {
        rn_mesh_query *query = open(&mesh, (rn_mesh_structure)structure, RN_CPU_AUTO, 1);
        rn_mesh_closest closest;
        rn_mesh_hit hit;
        float distance, winding;
        assert_int_equal(rn_mesh_query_closest(query, &points, INFINITY, &closest), RN_OK);
        assert_true(closest.triangle == RN_MESH_NONE && isinf(closest.distance));
        assert_int_equal(rn_mesh_query_distance(query, &points, &distance), RN_OK);
        assert_int_equal(rn_mesh_query_winding(query, &points, &winding), RN_OK);
        assert_true(isinf(distance) && winding == 0.0f);
        assert_int_equal(rn_mesh_query_segment(query, &points, &points, &hit), RN_OK);
        assert_true(hit.triangle == RN_MESH_NONE);
        rn_mesh_query_destroy(query);
    }
}

static void refused(rn_result result, const char *word)
{
    assert_int_equal(result, RN_ERROR_ARGUMENT);
    if (!strstr(rn_last_error(), word)) fail_msg("'%s' lacks '%s'", rn_last_error(), word);
}

static void wrong_input_is_refused_with_its_place(void **state)
{
    (void)state;
    float vertex[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    uint32_t triangle[] = {0, 1, 2};
    rn_mesh mesh = rn_mesh_default();
    mesh.vertex = vertex, mesh.vertex_count = 3, mesh.triangle = triangle, mesh.triangle_count = 1;
    rn_mesh_query_def def = rn_mesh_query_def_default();
    rn_mesh_query *query = NULL;
    triangle[2] = 3;
    refused(rn_mesh_query_create(&def, &mesh, &query), "corner 2 of triangle 0 is vertex 3");
    triangle[2] = 2;
    vertex[4] = NAN;
    refused(rn_mesh_query_create(&def, &mesh, &query), "y of vertex 1");
    vertex[4] = 0.0f;
    def.cell = -1.0f;
    refused(rn_mesh_query_create(&def, &mesh, &query), "cell is -1");
    def = rn_mesh_query_def_default();
    def.struct_bytes = 7;
    refused(rn_mesh_query_create(&def, &mesh, &query), "rn_mesh_query_def_default");
    assert_null(query);
    query = open(&mesh, RN_MESH_AUTO, RN_CPU_AUTO, 1);
    const float bad[] = {0, 0, INFINITY};
    const rn_mesh_points points = {.position = bad, .count = 1};
    rn_mesh_closest closest;
    refused(rn_mesh_query_closest(query, &points, 1.0f, &closest), "z of position 0");
    refused(rn_mesh_query_refit(query, bad), "vertex 0");
    rn_mesh_structure structure;
    refused(rn_mesh_structure_from_name("tree", &structure), "hashed-grid");
    rn_mesh_query_destroy(query);
}

static void every_failed_allocation_leaks_nothing(void **state)
{
    (void)state;
    rni_mesh_layout layout;
    assert_int_equal(rni_mesh_layout_make(RNI_MESH_SPHERE, 300, 1, &layout), RN_OK);
    for (int structure = RN_MESH_HIERARCHY; structure <= RN_MESH_BRUTE; structure++)
        for (int64_t n = 0;; n++) {
            budget limited = {.left = n};
            atomic_flag_clear(&limited.is_inside);
            rn_mesh_query_def def = rn_mesh_query_def_default();
            rn_mesh_query *query = NULL;
            def.structure = (rn_mesh_structure)structure;
            def.threads = 1;
            def.cell = 0.2f;
            def.allocator = budget_allocator(&limited);
            const rn_result result = rn_mesh_query_create(&def, &layout.mesh, &query);
            rn_mesh_query_destroy(query);
            assert_int_equal(limited.live, 0);
            if (result == RN_OK) break;
            assert_int_equal(result, RN_ERROR_MEMORY);
            assert_true(n < 1000);
        }
    rni_mesh_layout_release(&layout);
}

int main(void)
{
    FACT_ONLY_THREADS();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_structures_and_threads_agree_with_brute_force),
        cmocka_unit_test(hundred_thousand_points_have_the_closest_point_of_brute_force),
        cmocka_unit_test(sign_of_pseudo_normals_is_that_of_the_winding_number),
        cmocka_unit_test(no_segment_out_of_a_closed_mesh_misses_it),
        cmocka_unit_test(refit_answers_like_a_new_object),
        cmocka_unit_test(single_degenerate_triangles_are_points_and_lines),
        cmocka_unit_test(empty_mesh_has_nothing_closest),
        cmocka_unit_test(wrong_input_is_refused_with_its_place),
        cmocka_unit_test(every_failed_allocation_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
