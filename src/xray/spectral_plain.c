/* Sums over energies: plain C. */
#define KERNEL_NAME rni_spectral_plain
#include "xray/spectral_kernel.h"
