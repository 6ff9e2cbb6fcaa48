/* The mesh that owns its arrays, and the check of a caller's mesh. */
#include "../fact.h"

#include "../allocators.h"

#include <runnel/mesh.h>

#include <math.h>
#include <string.h>

static const float SQUARE[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
static const uint32_t HALVES[6] = {0, 1, 2, 0, 2, 3};

static void data_grows_and_is_seen_as_a_mesh(void **state)
{
    (void)state;
    rn_mesh_data *data;
    assert_int_equal(rn_mesh_data_create(NULL, &data), RN_OK);
    assert_int_equal(rn_mesh_data_add_vertices(data, SQUARE, 4), RN_OK);
    assert_int_equal(rn_mesh_data_add_triangles(data, HALVES, NULL, 1), RN_OK);
    const float uv[6] = {0, 0, 1, 0, 1, 1};
    assert_int_equal(rn_mesh_data_add_triangles(data, HALVES + 3, uv, 1), RN_OK);
    rn_mesh mesh = rn_mesh_data_get_mesh(data);
    assert_int_equal(rn_mesh_check(&mesh), RN_OK);
    assert_int_equal(mesh.vertex_count, 4);
    assert_int_equal(mesh.triangle_count, 2);
    assert_true(mesh.texture[0] == 0.0f && mesh.texture[5] == 0.0f); /* the first had none */
    assert_memory_equal(mesh.texture + 6, uv, sizeof uv);
    rn_mesh_data *twice;
    assert_int_equal(rn_mesh_data_create(NULL, &twice), RN_OK);
    for (int k = 0; k < 2; k++) assert_int_equal(rn_mesh_data_add_mesh(twice, &mesh), RN_OK);
    assert_int_equal(rn_mesh_data_get_mesh(twice).triangle[11], 4 + 3);
    rn_mesh_data_clear(twice);
    assert_null(rn_mesh_data_get_mesh(twice).texture);
    rn_mesh_data_destroy(twice);
    rn_mesh_data_destroy(data);
    rn_mesh_data_destroy(NULL);
}

static void wrong_numbers_are_refused_with_their_place(void **state)
{
    (void)state;
    rn_mesh_data *data;
    assert_int_equal(rn_mesh_data_create(NULL, &data), RN_OK);
    float bad[12];
    memcpy(bad, SQUARE, sizeof bad);
    bad[7] = NAN;
    assert_int_equal(rn_mesh_data_add_vertices(data, bad, 4), RN_ERROR_ARGUMENT);
    assert_string_equal(rn_last_error(), "mesh: y of vertex 2 is nan; it must be finite");
    assert_int_equal(rn_mesh_data_get_mesh(data).vertex_count, 0);
    assert_int_equal(rn_mesh_data_add_vertices(data, SQUARE, 3), RN_OK);
    assert_int_equal(rn_mesh_data_add_triangles(data, HALVES, NULL, 2), RN_ERROR_ARGUMENT);
    assert_string_equal(rn_last_error(),
                        "mesh: corner 2 of triangle 1 is vertex 3; there are 3, from 0");
    assert_int_equal(rn_mesh_data_get_mesh(data).triangle_count, 0);
    rn_mesh mesh = rn_mesh_default();
    mesh.vertex_count = 3;
    assert_int_equal(rn_mesh_check(&mesh), RN_ERROR_ARGUMENT);
    mesh.vertex = bad;
    mesh.triangle_count = 1;
    mesh.triangle = HALVES;
    assert_int_equal(rn_mesh_check(&mesh), RN_ERROR_ARGUMENT);
    mesh.struct_bytes = 0;
    assert_int_equal(rn_mesh_check(&mesh), RN_ERROR_ARGUMENT);
    rn_mesh_data_destroy(data);
}

static void any_failed_allocation_leaves_the_data_as_it_was(void **state)
{
    (void)state;
    const float uv[12] = {0};
    rn_result result = RN_ERROR_MEMORY;
    for (int64_t n = 0; result != RN_OK; n++) {
        budget b = {.is_inside = ATOMIC_FLAG_INIT, .left = n};
        const rn_allocator allocator = budget_allocator(&b);
        rn_mesh_data *data;
        result = rn_mesh_data_create(&allocator, &data);
        if (result == RN_OK) result = rn_mesh_data_add_vertices(data, SQUARE, 4);
        if (result == RN_OK) result = rn_mesh_data_add_triangles(data, HALVES, NULL, 1);
        if (result == RN_OK) result = rn_mesh_data_add_triangles(data, HALVES, uv, 2);
        if (data) {
            const rn_mesh mesh = rn_mesh_data_get_mesh(data);
            assert_int_equal(mesh.vertex_count && mesh.triangle_count ? rn_mesh_check(&mesh) : RN_OK,
                             RN_OK);
            assert_int_equal(mesh.triangle_count == 3, result == RN_OK);
        }
        rn_mesh_data_destroy(data);
        assert_int_equal(b.live, 0);
        assert_true(n < 50);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_grows_and_is_seen_as_a_mesh),
        cmocka_unit_test(wrong_numbers_are_refused_with_their_place),
        cmocka_unit_test(any_failed_allocation_leaves_the_data_as_it_was),
    };
    return cmocka_run_group_tests_name("mesh.data", tests, NULL, NULL);
}
