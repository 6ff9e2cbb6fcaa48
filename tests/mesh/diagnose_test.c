/* Each fault on a mesh that has it and nothing else. */
#include "../allocators.h"
#include "shapes.h"

#include "../fact.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

static void a_cube_has_no_fault(void **state)
{
    (void)state;
    rn_mesh_data *data = new_mesh();
    add_cube(data, 1, 2, 3, 0.5f, false);
    rn_mesh_diagnosis d = diagnose(data, 0);
    expect_faults(&d, -1);
    assert_true(d.is_closed && d.is_orientable);
    assert_int_equal(d.component_count, 1);
    assert_int_equal(d.closed_component_count, 1);
    assert_true(fabs(d.volume - 0.125) < 1e-12 && fabs(d.area - 1.5) < 1e-12);
    assert_true(d.low[0] == 1 && d.high[2] == 3.5);
    rn_mesh_data_destroy(data);
}

static void a_missing_triangle_leaves_three_open_edges(void **state)
{
    (void)state;
    rn_mesh_data *cube = new_mesh(), *data = new_mesh();
    add_cube(cube, 0, 0, 0, 1, false);
    rn_mesh mesh = rn_mesh_data_get_mesh(cube);
    mesh.triangle_count = 11;
    assert_int_equal(rn_mesh_data_add_mesh(data, &mesh), RN_OK);
    rn_mesh_diagnosis d = diagnose(data, 0);
    expect_faults(&d, RN_MESH_OPEN_EDGE, 3, -1);
    assert_false(d.is_closed);
    assert_int_equal(d.closed_component_count, 0);
    assert_int_equal(d.fault[RN_MESH_OPEN_EDGE].place_count, 3);
    assert_true(d.fault[RN_MESH_OPEN_EDGE].place[0].position[0] == 1.0f);
    rn_mesh_data_destroy(cube);
    rn_mesh_data_destroy(data);
}

static void single_bad_triangles_are_named(void **state)
{
    (void)state;
    rn_mesh_data *data = new_mesh();
    add_cube(data, 0, 0, 0, 1, false);
    const uint32_t again[3] = {1, 0, 2}, folded[3] = {3, 3, 4};
    assert_int_equal(rn_mesh_data_add_triangles(data, again, NULL, 1), RN_OK);
    assert_int_equal(rn_mesh_data_add_triangles(data, folded, NULL, 1), RN_OK);
    rn_mesh_diagnosis d = diagnose(data, 0);
    expect_faults(&d, RN_MESH_DUPLICATE, 1, RN_MESH_DEGENERATE, 1, -1);
    assert_int_equal(d.fault[RN_MESH_DUPLICATE].place[0].triangle, 12);
    assert_int_equal(d.fault[RN_MESH_DUPLICATE].place[0].other, 0);
    assert_int_equal(d.fault[RN_MESH_DEGENERATE].place[0].triangle, 13);
    rn_mesh_data_destroy(data);
}

static void flipped_triangles_and_shells_inside_out_are_inverted(void **state)
{
    (void)state;
    rn_mesh_data *data = new_mesh(), *flipped = new_mesh();
    add_cube(data, 0, 0, 0, 1, true);
    rn_mesh_diagnosis d = diagnose(data, 0);
    expect_faults(&d, RN_MESH_INVERTED, 12, -1);
    assert_true(d.volume < 0);
    rn_mesh_data_clear(data);
    add_cube(data, 0, 0, 0, 1, false);
    const rn_mesh mesh = rn_mesh_data_get_mesh(data);
    assert_int_equal(rn_mesh_data_add_vertices(flipped, mesh.vertex, 8), RN_OK);
    for (uint32_t t = 0; t < 12; t++) {
        uint32_t c[3];
        memcpy(c, mesh.triangle + 3 * t, sizeof c);
        if (t == 0 || t == 7) c[0] = mesh.triangle[3 * t + 1], c[1] = mesh.triangle[3 * t];
        assert_int_equal(rn_mesh_data_add_triangles(flipped, c, NULL, 1), RN_OK);
    }
    d = diagnose(flipped, 0);
    expect_faults(&d, RN_MESH_INVERTED, 2, -1);
    assert_int_equal(d.fault[RN_MESH_INVERTED].place[0].triangle, 0);
    assert_int_equal(d.fault[RN_MESH_INVERTED].place[1].triangle, 7);
    rn_mesh_data_destroy(data);
    rn_mesh_data_destroy(flipped);
}

static void a_cavity_is_no_fault(void **state)
{
    (void)state;
    rn_mesh_data *data = new_mesh();
    add_cube(data, 0, 0, 0, 3, false);
    add_cube(data, 1, 1, 1, 1, true);
    rn_mesh_diagnosis d = diagnose(data, 0);
    expect_faults(&d, -1);
    assert_int_equal(d.component_count, 2);
    assert_true(fabs(d.volume - 26) < 1e-9);
    add_cube(data, 5, 0, 0, 1, true); /* beside them: inside out */
    d = diagnose(data, 0);
    expect_faults(&d, RN_MESH_INVERTED, 12, -1);
    rn_mesh_data_destroy(data);
}

static void a_fin_makes_a_non_manifold_edge(void **state)
{
    (void)state;
    rn_mesh_data *data = new_mesh();
    add_cube(data, 0, 0, 0, 1, false);
    const float tip[3] = {-1, -1, 0.5f};
    assert_int_equal(rn_mesh_data_add_vertices(data, tip, 1), RN_OK);
    const uint32_t fin[3] = {0, 4, 8};
    assert_int_equal(rn_mesh_data_add_triangles(data, fin, NULL, 1), RN_OK);
    rn_mesh_diagnosis d = diagnose(data, 0);
    expect_faults(&d, RN_MESH_OPEN_EDGE, 2, RN_MESH_NON_MANIFOLD_EDGE, 1, -1);
    assert_int_equal(d.component_count, 1);
    rn_mesh_data_destroy(data);
}

static void crossing_and_overlapping_parts_intersect(void **state)
{
    (void)state;
    rn_mesh_data *data = new_mesh();
    add_cube(data, 0, 0, 0, 1, false);
    add_cube(data, 0.5f, 0.25f, 0.125f, 1, false);
    rn_mesh_diagnosis d = diagnose(data, 0);
    assert_true(d.fault[RN_MESH_SELF_INTERSECTION].count > 5);
    assert_int_equal(d.fault[RN_MESH_SELF_INTERSECTION].place_count, 8);
    assert_true(d.is_closed); /* each shell is */
    rn_mesh_data_clear(data);
    add_cube(data, 0, 0, 0, 1, false);
    add_cube(data, 1, 0.25f, 0.25f, 0.5f, false); /* touches the face from outside, in its plane */
    d = diagnose(data, 0);
    assert_true(d.fault[RN_MESH_SELF_INTERSECTION].count > 0);
    rn_mesh_data_clear(data);
    add_cube(data, 0, 0, 0, 1, false);
    add_cube(data, 1.0001f, 0.25f, 0.25f, 0.5f, false);
    d = diagnose(data, 0);
    expect_faults(&d, -1);
    rn_mesh_data_destroy(data);
}

static void thin_walls_and_gaps_are_measured(void **state)
{
    (void)state;
    rn_mesh_data *data = new_mesh();
    add_cube(data, 0, 0, 0, 1, false);
    add_cube(data, 1.0625f, 0, 0, 1, false);
    rn_mesh_diagnosis d = diagnose(data, 0.125);
    assert_true(d.fault[RN_MESH_NARROW_GAP].count > 0 && d.fault[RN_MESH_THIN_WALL].count == 0);
    assert_true(fabs(d.narrowest_gap - 0.0625) < 1e-6);
    assert_true(d.thinnest_wall <= 0);
    rn_mesh_data_clear(data);
    add_cube(data, 0, 0, 0, 1, false);
    add_cube(data, 0.1f, 0.1f, 0.1f, 0.8f, true); /* a hollow box with walls of 0.1 */
    d = diagnose(data, 0.06);
    assert_true(fabs(d.thinnest_wall - 0.1) < 1e-6 && d.fault[RN_MESH_THIN_WALL].count == 0);
    d = diagnose(data, 0.11);
    assert_true(d.fault[RN_MESH_THIN_WALL].count > 0);
    rn_mesh_data_destroy(data);
}

static void a_moebius_strip_is_not_orientable(void **state)
{
    (void)state;
    rn_mesh_data *data = new_mesh();
    enum { PARTS = 24 };
    for (int k = 0; k < PARTS; k++) {
        const double angle = 2 * 3.14159265358979 * k / PARTS, half = angle / 2;
        for (int side = -1; side <= 1; side += 2) {
            const double r = 1 + 0.2 * side * cos(half);
            const float at[3] = {(float)(r * cos(angle)), (float)(0.2 * side * sin(half)),
                                 (float)(r * sin(angle))};
            assert_int_equal(rn_mesh_data_add_vertices(data, at, 1), RN_OK);
        }
    }
    for (uint32_t k = 0; k < PARTS; k++) {
        const uint32_t a = 2 * k, b = 2 * k + 1;
        const uint32_t c = k + 1 < PARTS ? 2 * k + 2 : 1, e = k + 1 < PARTS ? 2 * k + 3 : 0;
        const uint32_t two[6] = {a, b, c, b, e, c};
        assert_int_equal(rn_mesh_data_add_triangles(data, two, NULL, 2), RN_OK);
    }
    const rn_mesh_diagnosis d = diagnose(data, 0);
    assert_false(d.is_orientable);
    assert_int_equal(d.fault[RN_MESH_OPEN_EDGE].count, 2 * PARTS);
    rn_mesh_data_destroy(data);
}

/* Triangle soup: the same bits for 1, 2 and 4 threads. */
static void threads_do_not_change_the_diagnosis(void **state)
{
    (void)state;
    rni_random random = rni_random_make(11);
    rn_mesh_data *data = new_mesh();
    for (int t = 0; t < 3000; t++) {
        float corner[9], center[3];
        for (int axis = 0; axis < 3; axis++) center[axis] = rni_random_float(&random, 0, 1);
        for (int k = 0; k < 9; k++) corner[k] = center[k % 3] + rni_random_float(&random, 0, 0.06f);
        add_loose(data, corner);
    }
    const rn_mesh mesh = rn_mesh_data_get_mesh(data);
    rn_mesh_diagnosis first;
    memset(&first, 0, sizeof first);
    for (uint32_t threads = 1; threads <= 4; threads *= 2) {
        rn_mesh_diagnose_def def = rn_mesh_diagnose_def_default();
        rn_mesh_diagnosis d;
        memset(&d, 0, sizeof d);
        d.struct_bytes = sizeof d;
        def.threads = threads;
        def.spacing = 0.01;
        assert_int_equal(rn_mesh_diagnose(&mesh, &def, &d), RN_OK);
        assert_true(d.fault[RN_MESH_SELF_INTERSECTION].count > 100);
        if (threads == 1) memcpy(&first, &d, sizeof d);
        else assert_memory_equal(&first.fault, &d.fault, sizeof d.fault);
        assert_true(first.thinnest_wall == d.thinnest_wall && first.narrowest_gap == d.narrowest_gap);
    }
    rn_mesh_data_destroy(data);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    rn_mesh mesh = rn_mesh_default();
    rn_mesh_diagnosis d = rn_mesh_diagnosis_default();
    assert_int_equal(rn_mesh_diagnose(&mesh, NULL, &d), RN_OK); /* nothing: no faults, not closed */
    assert_false(d.is_closed);
    rn_mesh_diagnose_def def = rn_mesh_diagnose_def_default();
    def.spacing = NAN;
    assert_int_equal(rn_mesh_diagnose(&mesh, &def, &d), RN_ERROR_ARGUMENT);
    d.struct_bytes = 0;
    assert_int_equal(rn_mesh_diagnose(&mesh, NULL, &d), RN_ERROR_ARGUMENT);
}

static void any_failed_allocation_is_reported(void **state)
{
    (void)state;
    rn_mesh_data *data = new_mesh();
    add_cube(data, 0, 0, 0, 1, false);
    const rn_mesh mesh = rn_mesh_data_get_mesh(data);
    rn_result result = RN_ERROR_MEMORY;
    for (int64_t n = 0; result != RN_OK; n++) {
        budget b = {.is_inside = ATOMIC_FLAG_INIT, .left = n};
        rn_mesh_diagnose_def def = rn_mesh_diagnose_def_default();
        rn_mesh_diagnosis d = rn_mesh_diagnosis_default();
        def.allocator = budget_allocator(&b);
        def.threads = 1;
        def.spacing = 0.1;
        result = rn_mesh_diagnose(&mesh, &def, &d);
        assert_true(result == RN_OK || result == RN_ERROR_MEMORY);
        assert_int_equal(b.live, 0);
        assert_true(n < 300);
    }
    rn_mesh_data_destroy(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_has_no_fault),
        cmocka_unit_test(a_missing_triangle_leaves_three_open_edges),
        cmocka_unit_test(single_bad_triangles_are_named),
        cmocka_unit_test(flipped_triangles_and_shells_inside_out_are_inverted),
        cmocka_unit_test(a_cavity_is_no_fault),
        cmocka_unit_test(a_fin_makes_a_non_manifold_edge),
        cmocka_unit_test(crossing_and_overlapping_parts_intersect),
        cmocka_unit_test(thin_walls_and_gaps_are_measured),
        cmocka_unit_test(a_moebius_strip_is_not_orientable),
        cmocka_unit_test(threads_do_not_change_the_diagnosis),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(any_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests_name("mesh.diagnose", tests, NULL, NULL);
}
