/* A mesh from the program's own arrays: find its faults, repair them, and make a shape by name.
 *
 *     cc own_mesh.c -o own_mesh $(pkg-config --cflags --libs runnel) -lm
 *     ./own_mesh
 */
#include <runnel/mesh.h>

#include <math.h>
#include <stdio.h>

/* A tetrahedron with one face turned inwards. */
static const float vertex[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint32_t triangle[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 3, 0};

static int fail(void)
{
    fprintf(stderr, "%s\n", rn_last_error());
    return 1;
}

int main(void)
{
    rn_mesh mesh = rn_mesh_default();
    mesh.vertex_count = mesh.triangle_count = 4;
    mesh.vertex = vertex;
    mesh.triangle = triangle;
    rn_mesh_diagnosis before = rn_mesh_diagnosis_default(), after = rn_mesh_diagnosis_default();
    if (rn_mesh_diagnose(&mesh, NULL, &before) != RN_OK) return fail();
    for (int kind = 0; kind < RN_MESH_FAULT_KINDS; kind++)
        if (before.fault[kind].count > 0)
            printf("%s: triangle %u\n", rn_mesh_fault_name((rn_mesh_fault_kind)kind),
                   before.fault[kind].place[0].triangle);

    /* Repair works on a copy that belongs to the library. */
    rn_mesh_data *clean = NULL;
    if (rn_mesh_data_create(NULL, &clean) != RN_OK) return fail();
    if (rn_mesh_data_add_mesh(clean, &mesh) != RN_OK || rn_mesh_repair(clean, NULL, NULL) != RN_OK)
        return fail();
    mesh = rn_mesh_data_get_mesh(clean);
    if (rn_mesh_diagnose(&mesh, NULL, &after) != RN_OK) return fail();
    printf("closed: %s, volume %g m^3\n", after.is_closed ? "yes" : "no", after.volume);
    rn_mesh_data_destroy(clean);

    rn_mesh_make_def def = rn_mesh_make_def_default();
    const char *const settings[] = {"radius=0.2", "depth=0.1"};
    rn_mesh_data *bowl = NULL;
    def.name = "bowl";
    def.setting = settings;
    def.setting_count = 2;
    if (rn_mesh_make(&def, &bowl) != RN_OK) return fail();
    printf("bowl: %u triangles\n", rn_mesh_data_get_mesh(bowl).triangle_count);
    rn_mesh_data_destroy(bowl);
    return after.is_closed && fabs(after.volume - 1.0 / 6.0) < 1e-6 ? 0 : 1;
}
