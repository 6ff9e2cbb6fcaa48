/* Dirt goes in, a closed mesh comes out, and the report says why. */
#include "../allocators.h"
#include "shapes.h"

#include "../fact.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

static rn_mesh_repair_report repair(rn_mesh_data *data, double tolerance)
{
    rn_mesh_repair_def def = rn_mesh_repair_def_default();
    rn_mesh_repair_report report = rn_mesh_repair_report_default();
    def.weld_tolerance = tolerance;
    if (rn_mesh_repair(data, &def, &report) != RN_OK) fail_msg("%s", rn_last_error());
    return report;
}

/* Each triangle with vertices of its own, moved a little, some of them turned. */
static void make_soup(const rn_mesh *mesh, rn_mesh_data *soup, float noise, uint64_t seed)
{
    rni_random random = rni_random_make(seed);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        float corner[9];
        const bool is_turned = rni_random_below(&random, 3) == 0;
        for (size_t k = 0; k < 3; k++) {
            const size_t from = is_turned ? 2 - k : k;
            for (size_t axis = 0; axis < 3; axis++)
                corner[3 * k + axis] = mesh->vertex[3 * (size_t)mesh->triangle[3 * t + from] + axis] +
                                       rni_random_float(&random, -noise, noise);
        }
        add_loose(soup, corner);
    }
}

static void soup_becomes_a_closed_cube(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        rn_mesh_data *cube = new_mesh(), *soup = new_mesh();
        add_cube(cube, -0.5f, 0, 3, 1, seed % 2);
        const rn_mesh mesh = rn_mesh_data_get_mesh(cube);
        make_soup(&mesh, soup, 1e-7f, seed);
        const rn_mesh_repair_report report = repair(soup, -1);
        assert_int_equal(report.welded_vertex_count, 36 - 8);
        const rn_mesh_diagnosis d = diagnose(soup, 0);
        expect_faults(&d, -1);
        assert_true(d.is_closed && fabs(d.volume - 1) < 1e-5);
        assert_int_equal(d.vertex_count, 8);
        rn_mesh_data_destroy(cube);
        rn_mesh_data_destroy(soup);
    }
}

/* A face of the cube of side 1, of 2 x 3 rectangles: its borders share no edges with those of its neighbours. */
static void add_face(rn_mesh_data *data, uint32_t face, bool is_turned)
{
    const uint32_t axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (uint32_t k = 0; k < 12; k++) {
        const uint32_t column = k / 2 % 2, row = k / 4;
        const bool is_second = k % 2, is_flipped = (face % 2 == 0) != is_turned;
        const uint32_t at[3][2] = {{0, 0}, {1, is_second}, {is_second ? 0 : 1, 1}}; /* second: 00 11 01 */
        float corner[9];
        for (size_t c = 0; c < 3; c++) {
            const size_t from = is_flipped && c > 0 ? 3 - c : c;
            corner[3 * c + axis] = (float)(face % 2);
            corner[3 * c + u] = (float)(column + at[from][0]) / 2;
            corner[3 * c + v] = (float)(row + at[from][1]) / 3;
        }
        add_loose(data, corner);
    }
}

static void faces_agree_with_those_that_they_only_lie_beside(void **state)
{
    (void)state;
    for (uint32_t turned = 0; turned < 7; turned++) {
        rn_mesh_data *data = new_mesh();
        for (uint32_t face = 0; face < 6; face++) add_face(data, face, face == turned);
        const rn_mesh_repair_report report = repair(data, -1);
        assert_int_equal(report.turned_triangle_count, turned < 6 ? 12 : 0);
        const rn_mesh_diagnosis d = diagnose(data, 0);
        if (fabs(d.volume - 1) > 1e-5) fail_msg("face %u: volume %g", turned, d.volume);
        rn_mesh_data_destroy(data);
    }
}

static void useless_triangles_and_vertices_are_dropped(void **state)
{
    (void)state;
    rn_mesh_data *data = new_mesh();
    add_cube(data, 0, 0, 0, 1, true);
    const uint32_t more[9] = {1, 0, 2, 3, 3, 4, 0, 2, 1};
    assert_int_equal(rn_mesh_data_add_triangles(data, more, NULL, 3), RN_OK);
    const float alone[3] = {9, 9, 9};
    assert_int_equal(rn_mesh_data_add_vertices(data, alone, 1), RN_OK);
    const rn_mesh_repair_report report = repair(data, 0);
    assert_int_equal(report.duplicate_triangle_count, 2);
    assert_int_equal(report.degenerate_triangle_count, 1);
    assert_int_equal(report.unused_vertex_count, 1);
    assert_int_equal(report.turned_triangle_count, 12);
    assert_int_equal(report.turned_shell_count, 1);
    const rn_mesh_diagnosis d = diagnose(data, 0);
    expect_faults(&d, -1);
    assert_true(d.volume > 0 && d.is_closed);
    rn_mesh_data_destroy(data);
}

/* A corner in the middle of an edge: a flat triangle fills the crack in the net, and dropping it
 * must not open it. */
static void a_flat_triangle_is_dropped_without_a_hole(void **state)
{
    (void)state;
    rn_mesh_data *cube = new_mesh(), *data = new_mesh();
    add_cube(cube, 0, 0, 0, 1, false);
    const rn_mesh mesh = rn_mesh_data_get_mesh(cube);
    const float middle[3] = {0.5f, 0, 0};
    assert_int_equal(rn_mesh_data_add_vertices(data, mesh.vertex, 8), RN_OK);
    assert_int_equal(rn_mesh_data_add_vertices(data, middle, 1), RN_OK);
    for (uint32_t t = 0; t < 12; t++) {
        const float uv[6] = {0, 0, 1, 0, 0, 1};
        if (t == 0) { /* {0, 2, 1} is cut at the edge 1 - 0 */
            const uint32_t two[6] = {0, 2, 8, 8, 2, 1};
            assert_int_equal(rn_mesh_data_add_triangles(data, two, NULL, 2), RN_OK);
        } else {
            assert_int_equal(rn_mesh_data_add_triangles(data, mesh.triangle + 3 * t, uv, 1), RN_OK);
        }
    }
    const uint32_t flat[3] = {0, 8, 1};
    assert_int_equal(rn_mesh_data_add_triangles(data, flat, NULL, 1), RN_OK);
    rn_mesh_diagnosis d = diagnose(data, 0);
    /* The corner also touches the edge on which it lies. */
    expect_faults(&d, RN_MESH_DEGENERATE, 1, RN_MESH_SELF_INTERSECTION, 2, -1);
    const rn_mesh_repair_report report = repair(data, 0);
    assert_int_equal(report.degenerate_triangle_count, 1);
    assert_int_equal(report.split_triangle_count, 1);
    d = diagnose(data, 0);
    expect_faults(&d, -1);
    assert_int_equal(d.triangle_count, 14);
    assert_true(d.is_closed && fabs(d.volume - 1) < 1e-12);
    rn_mesh_data_destroy(cube);
    rn_mesh_data_destroy(data);
}

static void what_is_clean_stays_as_it_is(void **state)
{
    (void)state;
    rn_mesh_data *data = new_mesh();
    add_cube(data, 0, 0, 0, 3, false);
    add_cube(data, 1, 1, 1, 1, true); /* a cavity */
    rn_mesh before = rn_mesh_data_get_mesh(data);
    uint32_t kept[72];
    memcpy(kept, before.triangle, sizeof kept);
    const rn_mesh_repair_report report = repair(data, -1);
    assert_int_equal(report.turned_triangle_count + report.welded_vertex_count, 0);
    assert_memory_equal(rn_mesh_data_get_mesh(data).triangle, kept, sizeof kept);
    rn_mesh_data_clear(data);
    (void)repair(data, -1); /* nothing at all */
    rn_mesh_data_destroy(data);
}

static void any_failed_allocation_leaves_a_valid_mesh(void **state)
{
    (void)state;
    rn_result result = RN_ERROR_MEMORY;
    for (int64_t n = 0; result != RN_OK; n++) {
        budget b = {.is_inside = ATOMIC_FLAG_INIT, .left = n};
        rn_mesh_data *data = new_mesh();
        add_cube(data, 0, 0, 0, 1, true);
        add_cube(data, 0, 0, 0, 1, true);
        rn_mesh_repair_def def = rn_mesh_repair_def_default();
        def.allocator = budget_allocator(&b);
        result = rn_mesh_repair(data, &def, NULL);
        assert_true(result == RN_OK || result == RN_ERROR_MEMORY);
        const rn_mesh mesh = rn_mesh_data_get_mesh(data);
        assert_int_equal(rn_mesh_check(&mesh), RN_OK);
        assert_int_equal(b.live, 0);
        assert_true(n < 300);
        rn_mesh_data_destroy(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soup_becomes_a_closed_cube),
        cmocka_unit_test(faces_agree_with_those_that_they_only_lie_beside),
        cmocka_unit_test(useless_triangles_and_vertices_are_dropped),
        cmocka_unit_test(a_flat_triangle_is_dropped_without_a_hole),
        cmocka_unit_test(what_is_clean_stays_as_it_is),
        cmocka_unit_test(any_failed_allocation_leaves_a_valid_mesh),
    };
    return cmocka_run_group_tests_name("mesh.repair", tests, NULL, NULL);
}
