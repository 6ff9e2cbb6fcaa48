#include "shapes.h"

#include "../fact.h"

rn_mesh_data *new_mesh(void)
{
    rn_mesh_data *data;
    assert_int_equal(rn_mesh_data_create(NULL, &data), RN_OK);
    return data;
}

void add_cube(rn_mesh_data *data, float x, float y, float z, float size, bool is_inwards)
{
    static const uint32_t FACES[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                          {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                          {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    const uint32_t first = rn_mesh_data_get_mesh(data).vertex_count;
    for (uint32_t v = 0; v < 8; v++) {
        const float at[3] = {v & 1 ? x + size : x, v & 2 ? y + size : y, v & 4 ? z + size : z};
        assert_int_equal(rn_mesh_data_add_vertices(data, at, 1), RN_OK);
    }
    for (uint32_t t = 0; t < 12; t++) {
        uint32_t c[3] = {first + FACES[t][0], first + FACES[t][1], first + FACES[t][2]};
        if (is_inwards) {
            c[1] = first + FACES[t][2];
            c[2] = first + FACES[t][1];
        }
        assert_int_equal(rn_mesh_data_add_triangles(data, c, NULL, 1), RN_OK);
    }
}

void add_loose(rn_mesh_data *data, const float corner[9])
{
    const uint32_t first = rn_mesh_data_get_mesh(data).vertex_count;
    const uint32_t c[3] = {first, first + 1, first + 2};
    assert_int_equal(rn_mesh_data_add_vertices(data, corner, 3), RN_OK);
    assert_int_equal(rn_mesh_data_add_triangles(data, c, NULL, 1), RN_OK);
}

rn_mesh_diagnosis diagnose(const rn_mesh_data *data, double spacing)
{
    const rn_mesh mesh = rn_mesh_data_get_mesh(data);
    rn_mesh_diagnose_def def = rn_mesh_diagnose_def_default();
    rn_mesh_diagnosis d = rn_mesh_diagnosis_default();
    def.spacing = spacing;
    def.threads = 2;
    if (rn_mesh_diagnose(&mesh, &def, &d) != RN_OK) fail_msg("%s", rn_last_error());
    return d;
}

void expect_faults(const rn_mesh_diagnosis *d, ...)
{
    uint64_t wanted[RN_MESH_FAULT_KINDS] = {0};
    va_list list;
    va_start(list, d);
    for (int kind = va_arg(list, int); kind >= 0; kind = va_arg(list, int))
        wanted[kind] = (uint64_t)va_arg(list, int);
    va_end(list);
    for (int kind = 0; kind < RN_MESH_FAULT_KINDS; kind++) {
        if (d->fault[kind].count == wanted[kind]) continue;
        fail_msg("%s: %llu found, %llu expected", rn_mesh_fault_name((rn_mesh_fault_kind)kind),
                 (unsigned long long)d->fault[kind].count, (unsigned long long)wanted[kind]);
    }
}
