/* Beer and Lambert over all energies, compiled for each instruction set (spectral_plain.c, spectral_avx2.c,
 * spectral_avx512.c): plain C that compilers turn into vectors. No operation is contracted or reordered, so all
 * instruction sets give the same bits. */
#include "xray/spectral.h"

#include <string.h>

/* exp(-a) for RNI_SPECTRAL_CHUNK values, within 3e-7: powers of two by the exponent, the rest by a polynomial. In plain C, so
 * that every compiler makes vectors of it and no library decides about bits. */
static void decay(const float *a, float *out)
{
    for (uint32_t n = 0; n < RNI_SPECTRAL_CHUNK; n++) {
        float t = a[n] * -1.44269504f;
        t = t < -120 ? -120 : t > 60 ? 60 : t;
        const float rounded = t + 12582912.0f; /* 1.5 * 2^23: the fraction is rounded away */
        const float f = t - (rounded - 12582912.0f);
        float p = 1.5403530e-4f;
        p = p * f + 1.3333558e-3f;
        p = p * f + 9.6181291e-3f;
        p = p * f + 5.5504109e-2f;
        p = p * f + 2.4022651e-1f;
        p = p * f + 6.9314718e-1f;
        p = p * f + 1.0f;
        int32_t bits, power;
        memcpy(&bits, &p, sizeof bits);
        memcpy(&power, &rounded, sizeof power);
        bits += (int32_t)((uint32_t)power << 23);
        memcpy(&out[n], &bits, sizeof bits);
    }
}

void KERNEL_NAME(const rni_spectral_table *s, const float *length,
                 float sum[RNI_SPECTRAL_SUMS][RNI_SPECTRAL_CHUNK])
{
    float a[RNI_SPECTRAL_CHUNK], passed[RNI_SPECTRAL_CHUNK];
    memset(sum, 0, RNI_SPECTRAL_SUMS * RNI_SPECTRAL_CHUNK * sizeof(float));
    for (uint32_t e = 0; e < s->energies; e++) {
        memset(a, 0, sizeof a);
        for (uint32_t m = 0; m < s->materials; m++) {
            const float mu = s->attenuation[e][m];
            for (uint32_t n = 0; n < RNI_SPECTRAL_CHUNK; n++)
                a[n] += mu * length[m * RNI_SPECTRAL_CHUNK + n];
        }
        decay(a, passed);
        for (uint32_t k = 0; k < RNI_SPECTRAL_SUMS; k++)
            for (uint32_t n = 0; n < RNI_SPECTRAL_CHUNK; n++)
                sum[k][n] += s->weight[e][k] * passed[n];
    }
}
