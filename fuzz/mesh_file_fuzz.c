/* Arbitrary bytes as a mesh file of one format; what is read is diagnosed and repaired when it is small. */
#include "files/mesh_file.h"

#include <stdlib.h>

#define SMALL 500u /* triangles */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(rn_mesh_data *mesh)
{
    rn_mesh arrays = rn_mesh_data_get_mesh(mesh);
    rn_mesh_diagnose_def def = rn_mesh_diagnose_def_default();
    rn_mesh_diagnosis diagnosis = rn_mesh_diagnosis_default();
    def.threads = 1;
    def.spacing = 0.1;
    if (rn_mesh_diagnose(&arrays, &def, &diagnosis) != RN_OK) abort();
    if (rn_mesh_repair(mesh, NULL, NULL) != RN_OK) abort();
    arrays = rn_mesh_data_get_mesh(mesh);
    if (arrays.triangle_count > 0 && rn_mesh_check(&arrays) != RN_OK) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rn_mesh_data *mesh;
    if (rn_mesh_data_create(NULL, &mesh) != RN_OK) abort();
    rn_result result = rni_mesh_file_parse(data, size, MESH_NAME, mesh, NULL);
    const rn_mesh arrays = rn_mesh_data_get_mesh(mesh);
    if (result == RN_OK ? rn_mesh_check(&arrays) != RN_OK : arrays.triangle_count != 0) abort();
    if (result == RN_OK && arrays.triangle_count < SMALL) use(mesh);
    rn_mesh_data_destroy(mesh);
    return 0;
}
