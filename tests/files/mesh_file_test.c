/* Meshes from files and back: what each format keeps. */
#include "../fact.h"

#include "allocators.h"
#include "mesh_samples.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static rn_mesh_data *read_bytes(const void *bytes, size_t size, const char *name)
{
    rn_mesh_data *data;
    assert_int_equal(rn_mesh_data_create(NULL, &data), RN_OK);
    if (rni_mesh_file_parse(bytes, size, name, data, NULL) != RN_OK)
        fail_msg("%s: %s", name, rn_last_error());
    return data;
}

static rn_mesh_data *read_text(const char *text, const char *name)
{
    return read_bytes(text, strlen(text), name);
}

/* Vertices may be numbered otherwise: corners are compared by their coordinates. */
static void expect_tetrahedron(const rn_mesh_data *data, const mesh_sample *sample)
{
    const rn_mesh mesh = rn_mesh_data_get_mesh(data), wanted = tetrahedron();
    if (mesh.vertex_count != 4 || mesh.triangle_count != 4)
        fail_msg("%s: %u vertices, %u triangles", sample->name, mesh.vertex_count,
                 mesh.triangle_count);
    for (size_t k = 0; k < 12; k++)
        assert_memory_equal(mesh.vertex + 3 * (size_t)mesh.triangle[k],
                            wanted.vertex + 3 * (size_t)wanted.triangle[k], 3 * sizeof(float));
    assert_int_equal(mesh.texture != NULL, sample->has_texture);
    if (mesh.texture) assert_memory_equal(mesh.texture, wanted.texture, 24 * sizeof(float));
}

static void every_format_restores_what_was_written(void **state)
{
    (void)state;
    for (unsigned k = 0; k < MESH_SAMPLE_COUNT; k++) {
        const mesh_sample *sample = mesh_sample_at(k);
        rn_mesh_data *data = read_bytes(sample->bytes, sample->size, sample->name);
        expect_tetrahedron(data, sample);
        rn_mesh_data_destroy(data);
        /* Formats that open with a signature need no name. */
        if (strstr(sample->name, "text.stl") || strstr(sample->name, "glb") ||
            strstr(sample->name, "ply") || strstr(sample->name, "a.stl")) {
            data = read_bytes(sample->bytes, sample->size, "anything");
            expect_tetrahedron(data, sample);
            rn_mesh_data_destroy(data);
        }
    }
}

static void polygons_are_cut_into_triangles_also_concave_ones(void **state)
{
    (void)state;
    /* An L of six corners, then the same as PLY. Its area is 3; a fan from corner 3 would make it larger. */
    static const char obj[] = "v 1 1 0\nv 2 1 0\nv 2 2 0\nv 0 2 0\nv 0 0 0\nv 1 0 0\nf 4 5 6 1 2 3\n";
    static const char ply[] =
        "ply\nformat ascii 1.0\nelement vertex 6\nproperty double x\nproperty double y\nproperty double z\n"
        "element face 1\nproperty list uchar int vertex_index\nend_header\n1 1 0\n2 1 0\n2 2 0\n0 2 0\n"
        "0 0 0\n1 0 0\n6 3 4 5 0 1 2\n";
    for (int k = 0; k < 2; k++) {
        rn_mesh_data *data = k ? read_text(ply, "l.ply") : read_text(obj, "l.obj");
        const rn_mesh mesh = rn_mesh_data_get_mesh(data);
        assert_int_equal(mesh.triangle_count, 4);
        double area = 0;
        for (size_t t = 0; t < 4; t++) {
            const float *a = mesh.vertex + 3 * mesh.triangle[3 * t];
            const float *b = mesh.vertex + 3 * mesh.triangle[3 * t + 1];
            const float *c = mesh.vertex + 3 * mesh.triangle[3 * t + 2];
            const double twice =
                (double)((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
            assert_true(twice > 0);
            area += twice / 2;
        }
        assert_true(area == 3.0);
        rn_mesh_data_destroy(data);
    }
}

static void obj_corners_count_backwards_and_share_texture(void **state)
{
    (void)state;
    rn_mesh_data *data =
        read_text("o x\nv 0 0 0\nv 1 0 0\nv 0 1 0 0.5 0.5 0.5\nvt 0.25 0.5\nvt 1\nvn 0 0 1\n"
                  "usemtl m\nf -3/1/1 -2/-1/1 -1//1\n",
                  "x.obj");
    const rn_mesh mesh = rn_mesh_data_get_mesh(data);
    assert_int_equal(mesh.triangle[0], 0);
    assert_int_equal(mesh.triangle[2], 2);
    static const float uv[] = {0.25f, 0.5f, 1, 0, 0, 0};
    assert_memory_equal(mesh.texture, uv, sizeof uv);
    rn_mesh_data_destroy(data);
}

static void ply_seams_do_not_cut_the_mesh(void **state)
{
    (void)state;
    /* Two triangles with a common edge, whose vertices are repeated for the sake of their texture. */
    rn_mesh_data *data = read_text(
        "ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\n"
        "property float s\nproperty float t\nelement face 2\nproperty list uchar int vertex_indices\n"
        "end_header\n0 0 0 0 0\n1 0 0 1 0\n0 1 0 0 1\n0 1 0 0.5 0.5\n1 0 0 0.25 0.75\n-0 -0 1 1 1\n"
        "3 0 1 2\n3 3 4 5\n",
        "seam.ply");
    const rn_mesh mesh = rn_mesh_data_get_mesh(data);
    assert_int_equal(mesh.vertex_count, 4);
    assert_int_equal(mesh.triangle[2], mesh.triangle[3]);
    assert_true(mesh.texture[6] == 0.5f && mesh.texture[9] == 0.75f && mesh.texture[11] == 1.0f);
    rn_mesh_data_destroy(data);
}

static void stl_vertices_with_equal_coordinates_are_one(void **state)
{
    (void)state;
    rn_mesh_data *data =
        read_text("solid\nfacet\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendfacet\n"
                  "facet\nvertex -0 0 -0\nvertex 0 1 0\nvertex 0 0 1.0000001\nendfacet\n",
                  "x.stl");
    assert_int_equal(rn_mesh_data_get_mesh(data).vertex_count, 4);
    rn_mesh_data_destroy(data);
}

/* Two instances of a triangle: one moved and turned by 90 degrees about z, one mirrored by a matrix. */
static void gltf_nodes_place_and_mirror_their_meshes(void **state)
{
    (void)state;
    static const char json[] =
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
        "\"nodes\":[{\"translation\":[10,0,0],\"children\":[1,2]},"
        "{\"mesh\":0,\"rotation\":[0,0,0.7071067811865476,0.7071067811865476],\"scale\":[2,2,2]},"
        "{\"mesh\":0,\"matrix\":[-1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,5,1]}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
        "\"buffers\":[{\"byteLength\":36}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}]}";
    static const float corner[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    size_t size;
    unsigned char *bytes = make_glb(json, corner, sizeof corner, &size);
    rn_mesh_data *data = read_bytes(bytes, size, "two.glb");
    const rn_mesh mesh = rn_mesh_data_get_mesh(data);
    assert_int_equal(mesh.triangle_count, 2);
    const float *second = mesh.vertex + 3 * (size_t)mesh.triangle[1];
    assert_true(second[0] > 9.999f && second[0] < 10.001f && second[1] > 1.999f && second[1] < 2.001f);
    const float *mirrored =
        mesh.vertex + 3 * (size_t)mesh.triangle[4]; /* the corner order is reversed */
    assert_true(mirrored[0] == 10.0f && mirrored[1] == 1.0f && mirrored[2] == 5.0f);
    rn_mesh_data_destroy(data);
    free(bytes);
}

static void reading_survives_any_failed_allocation(void **state)
{
    (void)state;
    for (unsigned k = 0; k < MESH_SAMPLE_COUNT; k++) {
        const mesh_sample *sample = mesh_sample_at(k);
        rn_result result = RN_ERROR_MEMORY;
        for (int64_t n = 0; result != RN_OK; n++) {
            budget b = {.is_inside = ATOMIC_FLAG_INIT, .left = n};
            rn_allocator allocator = budget_allocator(&b);
            rn_mesh_data *data;
            result = rn_mesh_data_create(&allocator, &data);
            if (result == RN_OK)
                result = rni_mesh_file_parse(sample->bytes, sample->size, sample->name, data, NULL);
            assert_true(result == RN_OK || result == RN_ERROR_MEMORY);
            if (result == RN_OK) expect_tetrahedron(data, sample);
            else if (data) assert_int_equal(rn_mesh_data_get_mesh(data).vertex_count, 0);
            rn_mesh_data_destroy(data);
            assert_int_equal(b.live, 0);
            assert_true(n < 200);
        }
    }
}

static void writers_refuse_what_they_cannot_write(void **state)
{
    (void)state;
    rn_mesh mesh = tetrahedron();
    assert_int_equal(rni_mesh_file_write("x.step", &mesh), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), ".glb"));
    assert_int_equal(rni_mesh_file_write("no/such/folder/x.stl", &mesh), RN_ERROR_FILE);
    mesh.triangle_count = 0;
    assert_int_equal(rni_mesh_file_write("x.stl", &mesh), RN_ERROR_ARGUMENT);
    assert_true(access("x.stl", F_OK) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_restores_what_was_written),
        cmocka_unit_test(polygons_are_cut_into_triangles_also_concave_ones),
        cmocka_unit_test(obj_corners_count_backwards_and_share_texture),
        cmocka_unit_test(ply_seams_do_not_cut_the_mesh),
        cmocka_unit_test(stl_vertices_with_equal_coordinates_are_one),
        cmocka_unit_test(gltf_nodes_place_and_mirror_their_meshes),
        cmocka_unit_test(reading_survives_any_failed_allocation),
        cmocka_unit_test(writers_refuse_what_they_cannot_write),
    };
    return cmocka_run_group_tests_name("files.mesh_file", tests, NULL, NULL);
}
