/* Boxes of the triangles of a mesh file. */
#include "files/box_file.h"
#include "files/mesh_file.h"

static rn_result add_boxes(const rni_reader *reader, const rn_mesh *mesh, rni_box_file *out)
{
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        float *low, *high;
        rn_result result = rni_box_append(reader, out, &low, &high);
        if (result != RN_OK) return result;
        for (size_t k = 0; k < 9; k++) {
            const float at = mesh->vertex[3 * (size_t)mesh->triangle[3 * t + k / 3] + k % 3];
            if (k < 3 || at < low[k % 3]) low[k % 3] = at;
            if (k < 3 || at > high[k % 3]) high[k % 3] = at;
        }
    }
    return RN_OK;
}

rn_result rni_box_mesh_parse(const rni_reader *reader, rni_box_file *out)
{
    rn_mesh_data *mesh;
    rn_result result = rn_mesh_data_create(NULL, &mesh);
    if (result != RN_OK) return result;
    out->what = "triangles";
    out->dim = 3;
    result = rni_mesh_file_parse(reader->bytes, reader->size, reader->name, mesh, &out->format);
    if (result == RN_OK) {
        const rn_mesh arrays = rn_mesh_data_get_mesh(mesh);
        result = add_boxes(reader, &arrays, out);
    }
    rn_mesh_data_destroy(mesh);
    return result;
}
