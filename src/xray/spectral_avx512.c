/* Sums over energies: AVX-512. */
#define KERNEL_NAME rni_spectral_avx512
#include "xray/spectral_kernel.h"
