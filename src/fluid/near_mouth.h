/* Visits the particles near a place, by the cells of the last sort: during a step, from the sort to
 * the first particle that is removed. Particles that were added since are visited, too. */
#ifndef RNI_FLUID_NEAR_MOUTH_H
#define RNI_FLUID_NEAR_MOUTH_H

#include "fluid/water.h"

#include <math.h>

/* From c to x, on the shortest way across periodic sides. */
static inline void rni_offset_from(const rn_fluid *f, const float c[3], const float x[3], float d[3])
{
    for (uint32_t a = 0; a < 3; a++) {
        d[a] = x[a] - c[a];
        if (!f->def.periodic[a] || a >= f->def.dim) continue;
        const float period = f->def.domain_high[a] - f->def.domain_low[a];
        d[a] -= period * rintf(d[a] / period);
    }
}

typedef void (*rni_near_fn)(void *data, uint32_t i, const float offset[3]);

/* Calls visit for every particle within `reach` (m) of c, in a fixed order, with the offset from c. moved: how far
 * a particle may be from where it was sorted, m; a step moves none further than the radius. */
void rni_visit_near(const rn_fluid *fluid, const float c[3], float reach, float moved,
                    rni_near_fn visit, void *data);

#endif
