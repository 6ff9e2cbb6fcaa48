/* Sums over energies: AVX2. */
#define KERNEL_NAME rni_spectral_avx2
#include "xray/spectral_kernel.h"
