/* The loops of the fused gait, written once. A file that includes this has chosen its lanes (lanes.h)
 * and defined
 *     KERNEL_NAME             the name of the fused_kernel
 *     near_box()              takes those particles of the runs that may be near a box, as candidates
 *     keep_entries()          appends those of 16 entries whose bit is set
 *                             both return the count, and may write 16 further
 */

/* Particles of a quad that are worked on at once, and how many times that makes. */
#define ABREAST (RNI_LANES / 4u)
#define TURNS   (FUSED_QUAD / ABREAST)

/* Calls of a loop with constants for what it is compiled for. */
#define BY_KERNELS(call, ...)                                                                  \
    switch (s->fluid->def.kernels) {                                                           \
    case RN_KERNELS_WENDLAND: call(s, piece, worker, RN_KERNELS_WENDLAND, __VA_ARGS__); break; \
    case RN_KERNELS_SPIKY: call(s, piece, worker, RN_KERNELS_SPIKY, __VA_ARGS__); break;       \
    case RN_KERNELS_PAPERS: call(s, piece, worker, RN_KERNELS_PAPERS, __VA_ARGS__); break;     \
    }

static bool is_folded(const fused_state *s)
{
    const float *period = s->fluid->laws.period;
    return period[0] > 0 || period[1] > 0 || period[2] > 0;
}

#include "fluid/fused_find.h"
#include "fluid/fused_walk.h"

const fused_kernel KERNEL_NAME = {density, normals, smooth, forces};
