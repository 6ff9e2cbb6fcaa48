/* What tests of radiographs share: an object that must be created, meshes by name, attenuation by a formula. */
#ifndef RNI_TESTS_XRAY_EXPOSING_H
#define RNI_TESTS_XRAY_EXPOSING_H

#include <runnel/xray.h>

rn_xray *xray_create(uint32_t threads);
/* A mesh by rn_mesh_make(), moved so that its bounds are centred at the origin; release with rn_mesh_data_destroy(). */
rn_mesh_data *centred_mesh(const char *name, uint32_t triangles, const char *setting);
/* 1/m at each energy: falls with the third power, and towards a constant. */
void attenuation_like(double at_60_kev, float table[RN_XRAY_ENERGIES]);
void flat_table(float value, float table[RN_XRAY_ENERGIES]);
/* Photons of 80 kV behind 3 mm of something like aluminium. */
void photons_of_80_kv(float photons[RN_XRAY_ENERGIES]);
/* Share of the energy that passes these lengths (m) of two materials, summed in double. */
double passed_energy(const float *photons, const float *mu, double length);
/* Fails with the sentence of the last error unless the result is RN_OK. */
void expect_ok(rn_result result);
uint64_t hash_bytes(const void *bytes, size_t size);

#endif
