/* Broken and hostile mesh files: a sentence with file and place, nothing else. */
#include "../fact.h"

#include "mesh_samples.h"

#include "base/random.h"

#include <stdlib.h>
#include <string.h>

static void refuse_bytes(const void *bytes, size_t size, const char *name, const char *part)
{
    rn_mesh_data *data;
    assert_int_equal(rn_mesh_data_create(NULL, &data), RN_OK);
    rn_result result = rni_mesh_file_parse(bytes, size, name, data, NULL);
    if (result != RN_ERROR_FILE && result != RN_ERROR_LIMIT)
        fail_msg("%s: result %d", part, result);
    if (!strstr(rn_last_error(), part)) fail_msg("'%s' is not in '%s'", part, rn_last_error());
    if (strncmp(rn_last_error(), name, strlen(name)) != 0)
        fail_msg("no name: '%s'", rn_last_error());
    assert_int_equal(rn_mesh_data_get_mesh(data).triangle_count, 0);
    rn_mesh_data_destroy(data);
}

static void refuse(const char *text, const char *name, const char *part)
{
    refuse_bytes(text, strlen(text), name, part);
}

static void broken_obj_files_are_refused_with_their_line(void **state)
{
    (void)state;
    refuse("v 0 0 0\nv 1 0 0\nv 0 1 nan\nf 1 2 3\n", "x.obj", "x.obj:3: 'nan' is not finite");
    refuse("v 0 0 1e39\n", "x.obj", "x.obj:1: '1e39' is not finite");
    refuse("v 0 0 0\nf 1 1 2\n", "x.obj", "x.obj:2: the face names vertex 2, but only 1");
    refuse("v 0 0 0\nf 1/1 1/1 1/1\n", "x.obj", "texture coordinate 1/1, but only 0");
    refuse("v 0 0 0\nf 1 1 0\n", "x.obj", "is not a corner of a face");
    refuse("v 0 0 0\nf 99999999999999999999 1 1\n", "x.obj", "only 1 came before it");
    refuse("vt nan 0\n", "x.obj", "x.obj:1: 'nan' is not a finite number");
    refuse("", "x.obj", "empty");
    refuse("hello\n", "x", "none of the known meshes");
    refuse("\x1f\x8b", "x.obj", "gzip");
}

static void broken_ply_files_are_refused_with_their_place(void **state)
{
    (void)state;
#define HEAD(vertices, faces)                                                                  \
    "ply\nformat ascii 1.0\nelement vertex " vertices "\nproperty float x\nproperty float y\n" \
    "property float z\nelement face " faces "\nproperty list uchar int vertex_indices\nend_header\n"
    refuse(HEAD("100000000", "1") "0 0 0\n", "x.ply", "promises 100000000");
    refuse(HEAD("1", "100000000") "0 0 0\n3 0 0 0\n", "x.ply", "promises 100000000");
    refuse(HEAD("1", "1") "0 0 nan\n3 0 0 0\n", "x.ply", "vertex 0 (the first is 0) is not finite");
    refuse(HEAD("1", "1") "0 0 0\n3 0 -1 0\n", "x.ply",
           "x.ply:11: face 0 (the first is 0) names vertex -1");
    refuse(HEAD("1", "1") "0 0 0\n3 0 0.5 0\n", "x.ply", "names vertex 0.5");
    refuse(HEAD("1", "1") "0 0 0\n2 0 0\n", "x.ply", "face 0 has 2 corners");
    refuse(HEAD("1", "1") "0 0 0\n3 0 0\n", "x.ply", "fewer or other values");
    refuse(HEAD("1", "0") "0 0 0\n", "x.ply", "no faces");
#undef HEAD
    const mesh_sample *sample = mesh_sample_at(1);
    refuse_bytes(sample->bytes, sample->size - 1, "x.ply", "byte");
}

static void broken_stl_files_are_refused_with_their_place(void **state)
{
    (void)state;
    unsigned char bytes[84 + 50] = "head";
    memset(bytes + 80, 0xff, 4);
    refuse_bytes(bytes, sizeof bytes, "x.stl", "promises 4294967295 triangles, the file has 1");
    memset(bytes + 81, 0, 3);
    bytes[80] = 1;
    memset(bytes + 84 + 12, 0xff, 4); /* a NaN */
    refuse_bytes(bytes, sizeof bytes, "x.stl", "byte 84: triangle 0 has a corner that is not finite");
    bytes[80] = 0;
    refuse_bytes(bytes, 84, "x.stl", "no facets");
    refuse_bytes(bytes, 20, "x.stl", "ends in its head");
    refuse("solid\nfacet\nvertex 0 0 0\nvertex 0 0 0\nendfacet\n", "x.stl", "has 2 vertices");
}

#define SCENE   "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],"
#define MESH(p) "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}" p "}]}],"
#define BUFFER \
    "\"buffers\":[{\"byteLength\":36}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
#define ACCESSOR(count) \
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":" count ",\"type\":\"VEC3\"}]"

static void broken_gltf_files_are_refused_with_their_path(void **state)
{
    (void)state;
    static const struct {
        const char *json, *part;
    } CASES[] = {
        {"{", "the JSON chunk is invalid"},
        {"[]", "is not an object"},
        {"{" SCENE MESH("") BUFFER ACCESSOR("100000000") "}", "accessors[0]: count reaches past"},
        {"{" SCENE MESH(",\"mode\":5") BUFFER ACCESSOR("3") "}", "triangle strips is not read"},
        {"{" SCENE MESH(",\"indices\":7") BUFFER ACCESSOR("3") "}",
         "names an accessor that does not exist"},
        {"{" SCENE MESH(",\"indices\":0") BUFFER ACCESSOR("3") "}", "is not of type SCALAR"},
        {"{" SCENE MESH("") BUFFER ACCESSOR("2") "}", "no multiple of three"},
        {"{" SCENE "\"meshes\":[{}]}", "meshes[0]: primitives is missing"},
        {"{\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"children\":[0]}]}", "its own ancestor"},
        {"{\"scenes\":[{\"nodes\":[-1]}],\"nodes\":[{}]}", "is not a node number"},
        {"{\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"scale\":[1,2]}]}", "right number of numbers"},
        {"{\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{}]}", "has no triangles"},
        {"{\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]}", "KHR_draco_mesh_compressi"},
    };
    static const float corner[9] = {0};
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        size_t size;
        unsigned char *bytes = make_glb(CASES[k].json, corner, sizeof corner, &size);
        refuse_bytes(bytes, size, "x.glb", CASES[k].part);
        refuse_bytes(bytes, size - 1, "x.glb", "cut short");
        free(bytes);
    }
    refuse("glTF", "x.glb", "byte 0");
    refuse("{\"asset\":{}}", "x.glb", "save text glTF as .glb");
}

/* Bytes changed, dropped, repeated; the file cut anywhere. */
static void mutated_files_are_read_or_refused(void **state)
{
    (void)state;
    rni_random random = rni_random_make(7);
    unsigned read_count = 0;
    const unsigned trials = 30000;
    rn_mesh_data *data;
    assert_int_equal(rn_mesh_data_create(NULL, &data), RN_OK);
    for (unsigned m = 0; m < trials; m++) {
        const mesh_sample *from = mesh_sample_at(rni_random_below(&random, MESH_SAMPLE_COUNT));
        unsigned char *bytes = malloc(from->size); /* exact, for the address sanitizer */
        assert_non_null(bytes);
        memcpy(bytes, from->bytes, from->size);
        for (uint32_t k = 1 + rni_random_below(&random, 3); k > 0; k--) {
            unsigned char *at = bytes + rni_random_below(&random, (uint32_t)from->size);
            if (rni_random_below(&random, 2))
                *at ^= (unsigned char)(1u << rni_random_below(&random, 8));
            else *at = (unsigned char)rni_random_below(&random, 256);
        }
        size_t size = rni_random_below(&random, 4) ? from->size
                                                   : rni_random_below(&random, (uint32_t)from->size);
        rn_result result = rni_mesh_file_parse(bytes, size, from->name, data, NULL);
        const rn_mesh mesh = rn_mesh_data_get_mesh(data);
        if (result == RN_OK) {
            read_count++;
            assert_int_equal(rn_mesh_check(&mesh), RN_OK);
        } else {
            assert_true(result == RN_ERROR_FILE || result == RN_ERROR_LIMIT);
            assert_int_equal(mesh.triangle_count, 0);
        }
        free(bytes);
    }
    rn_mesh_data_destroy(data);
    print_message("%u of %u were still read\n", read_count, trials);
    assert_in_range(read_count, trials / 20, trials * 19 / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_obj_files_are_refused_with_their_line),
        cmocka_unit_test(broken_ply_files_are_refused_with_their_place),
        cmocka_unit_test(broken_stl_files_are_refused_with_their_place),
        cmocka_unit_test(broken_gltf_files_are_refused_with_their_path),
        cmocka_unit_test(mutated_files_are_read_or_refused),
    };
    return cmocka_run_group_tests_name("files.mesh_broken", tests, NULL, NULL);
}
