#include "xray/exposing.h"

#include "fact.h"

#include <math.h>
#include <stdlib.h>

void expect_ok(rn_result result)
{
    if (result != RN_OK) fail_msg("%s", rn_last_error());
}

rn_xray *xray_create(uint32_t threads)
{
    rn_xray_def def = rn_xray_def_default();
    rn_xray *x = NULL;
    def.threads = threads;
    expect_ok(rn_xray_create(&def, &x));
    return x;
}

rn_mesh_data *centred_mesh(const char *name, uint32_t triangles, const char *setting)
{
    rn_mesh_make_def def = rn_mesh_make_def_default();
    rn_mesh_data *made = NULL, *moved = NULL;
    def.name = name;
    def.triangles = triangles;
    def.setting = &setting;
    def.setting_count = setting ? 1 : 0;
    expect_ok(rn_mesh_make(&def, &made));
    rn_mesh mesh = rn_mesh_data_get_mesh(made);
    float low[3] = {1e9f, 1e9f, 1e9f}, high[3] = {-1e9f, -1e9f, -1e9f};
    float *vertex = malloc((size_t)mesh.vertex_count * 12);
    for (size_t k = 0; k < 3 * (size_t)mesh.vertex_count; k++) {
        low[k % 3] = fminf(low[k % 3], mesh.vertex[k]);
        high[k % 3] = fmaxf(high[k % 3], mesh.vertex[k]);
    }
    for (size_t k = 0; k < 3 * (size_t)mesh.vertex_count; k++)
        vertex[k] = mesh.vertex[k] - 0.5f * (low[k % 3] + high[k % 3]);
    mesh.vertex = vertex;
    mesh.texture = NULL;
    expect_ok(rn_mesh_data_create(NULL, &moved));
    expect_ok(rn_mesh_data_add_mesh(moved, &mesh));
    free(vertex);
    rn_mesh_data_destroy(made);
    return moved;
}

void attenuation_like(double at_60_kev, float table[RN_XRAY_ENERGIES])
{
    for (uint32_t e = 0; e < RN_XRAY_ENERGIES; e++) {
        const double share = 60.5 / (e + 0.5);
        table[e] = (float)(at_60_kev * (0.85 + 0.15 * fmin(2000, share * share * share)));
    }
}

void flat_table(float value, float table[RN_XRAY_ENERGIES])
{
    for (uint32_t e = 0; e < RN_XRAY_ENERGIES; e++) table[e] = value;
}

void photons_of_80_kv(float photons[RN_XRAY_ENERGIES])
{
    float filter[RN_XRAY_ENERGIES];
    rn_xray_tube tube = rn_xray_tube_default();
    attenuation_like(75, filter);
    tube.kvp = 80;
    tube.filter_count = 1;
    tube.filter[0] = (rn_xray_filter){filter, 0.003f};
    expect_ok(rn_xray_make_spectrum(&tube, photons));
}

double passed_energy(const float *photons, const float *mu, double length)
{
    double open = 0, sum = 0;
    for (uint32_t e = 0; e < RN_XRAY_ENERGIES; e++) {
        const double energy = (double)photons[e] * (e + 0.5);
        open += energy;
        sum += energy * exp(-(double)mu[e] * length);
    }
    return sum / open;
}

uint64_t hash_bytes(const void *bytes, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t n = 0; n < size; n++)
        hash = (hash ^ ((const unsigned char *)bytes)[n]) * UINT64_C(0x100000001b3);
    return hash;
}
