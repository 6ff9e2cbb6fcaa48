/* Normals of mesh walls for drawing. */
#include "fact.h"
#include "solid/wall_mesh.h"

#include <runnel/mesh.h>

#include <math.h>
#include <stdlib.h>

static rn_wall_mesh *make(const char *name, uint32_t triangles, bool is_soup)
{
    rn_mesh_make_def def = rn_mesh_make_def_default();
    rn_mesh_data *data = NULL;
    rn_wall_mesh *wall = NULL;
    def.name = name;
    def.triangles = triangles;
    assert_int_equal(rn_mesh_make(&def, &data), RN_OK);
    rn_mesh mesh = rn_mesh_data_get_mesh(data);
    float *own = malloc(9 * sizeof(float) * mesh.triangle_count);
    uint32_t *index = malloc(3 * sizeof(uint32_t) * mesh.triangle_count);
    assert_true(own && index);
    if (is_soup) { /* each triangle has vertices of its own */
        for (uint32_t c = 0; c < 3 * mesh.triangle_count; c++) {
            for (size_t a = 0; a < 3; a++)
                own[3 * (size_t)c + a] = mesh.vertex[3 * (size_t)mesh.triangle[c] + a];
            index[c] = c;
        }
        mesh.vertex = own, mesh.vertex_count = 3 * mesh.triangle_count;
        mesh.triangle = index;
        mesh.texture = NULL;
    }
    assert_int_equal(rn_wall_mesh_create(NULL, &mesh, &wall), RN_OK);
    free(own), free(index);
    rn_mesh_data_destroy(data);
    return wall;
}

static void a_round_mesh_is_smooth_also_as_soup(void **state)
{
    (void)state;
    for (int is_soup = 0; is_soup < 2; is_soup++) {
        rn_wall_mesh *wall = make("sphere", 2000, is_soup);
        const float *normal = wall->normals.data;
        for (uint32_t c = 0; c < 3 * wall->mesh.triangle_count; c++) {
            const float *x = wall->mesh.vertex + 3 * (size_t)wall->mesh.triangle[c],
                        *n = normal + 3 * (size_t)c;
            const float r = sqrtf(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
            const float cosine = (x[0] * n[0] + x[1] * n[1] + x[2] * n[2]) / r;
            if (!(cosine > 0.998f))
                fail_msg("a normal is %g degrees off", (double)acosf(cosine) * 57.3);
        }
        rn_wall_mesh_destroy(wall);
    }
}

static void edges_of_a_box_stay_sharp(void **state)
{
    (void)state;
    rn_wall_mesh *wall = make("box", 12, false);
    const float *normal = wall->normals.data;
    for (uint32_t c = 0; c < 3 * wall->mesh.triangle_count; c++) {
        const float *n = normal + 3 * (size_t)c;
        assert_true(fabsf(fabsf(n[0]) + fabsf(n[1]) + fabsf(n[2]) - 1) < 1e-5f);
    }
    rn_wall_mesh_destroy(wall);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_mesh_is_smooth_also_as_soup),
        cmocka_unit_test(edges_of_a_box_stay_sharp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
