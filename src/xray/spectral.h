/* Sums over the energies of a beam, for a chunk of pixels. */
#ifndef RNI_XRAY_SPECTRAL_H
#define RNI_XRAY_SPECTRAL_H

#include <runnel/xray.h>

#define RNI_SPECTRAL_CHUNK 64u /* pixels */

/* Energy that passes; what the detector absorbs of it; the same times the energy of a photon, keV; kerma. */
enum {
    RNI_SPECTRAL_ENERGY,
    RNI_SPECTRAL_SIGNAL,
    RNI_SPECTRAL_MOMENT,
    RNI_SPECTRAL_KERMA,
    RNI_SPECTRAL_SUMS
};

typedef struct rni_spectral_table {
    uint32_t energies, materials;
    float weight[RN_XRAY_ENERGIES][RNI_SPECTRAL_SUMS];
    float attenuation[RN_XRAY_ENERGIES][RN_XRAY_MATERIALS]; /* 1/m */
} rni_spectral_table;

/* length: a chunk of path lengths (m) for each material. */
typedef void (*rni_spectral_fn)(const rni_spectral_table *table, const float *length,
                                float sum[RNI_SPECTRAL_SUMS][RNI_SPECTRAL_CHUNK]);

void rni_spectral_plain(const rni_spectral_table *table, const float *length,
                        float sum[RNI_SPECTRAL_SUMS][RNI_SPECTRAL_CHUNK]);
void rni_spectral_avx2(const rni_spectral_table *table, const float *length,
                       float sum[RNI_SPECTRAL_SUMS][RNI_SPECTRAL_CHUNK]);
void rni_spectral_avx512(const rni_spectral_table *table, const float *length,
                         float sum[RNI_SPECTRAL_SUMS][RNI_SPECTRAL_CHUNK]);

#endif
