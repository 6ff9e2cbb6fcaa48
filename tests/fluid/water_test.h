/* What the tests of the fluid share: small fluids, and sums over them. */
#ifndef RNI_TESTS_FLUID_WATER_TEST_H
#define RNI_TESTS_FLUID_WATER_TEST_H

#include "fact.h"
#include "fluid/derived.h"

#include <runnel/fluid.h>

/* A definition with a domain from 0 to high. */
rn_fluid_def water_def(uint32_t dim, float spacing, float x, float y, float z);
rn_fluid_def water_def_of(rn_fluid_preset preset, uint32_t dim, float spacing, float x, float y,
                          float z);
rn_fluid *water_create(const rn_fluid_def *def);
rn_fluid_added water_block(rn_fluid *fluid, const float low[3], const float high[3], float jitter);
/* Steps until time; returns the last report. */
rn_fluid_report water_run(rn_fluid *fluid, double time);
rn_fluid_report water_steps(rn_fluid *fluid, uint32_t steps);
/* Adds the mean height, m, and the mean square of the speed, m^2 / s^2. */
void water_add_means(const rn_fluid_particles *p, double *height, double *speed_sq);
/* Writes the state of one fluid and reads it into another. */
void water_copy_state(const rn_fluid *from, rn_fluid *to);
#define assert_ok(call)                                                  \
    do {                                                                 \
        if ((call) != RN_OK) fail_msg("%s: %s", #call, rn_last_error()); \
    } while (0)

#define assert_below(value, limit)                                                        \
    do {                                                                                  \
        if (!((value) < (limit)))                                                         \
            fail_msg("%s is %g, not below %g", #value, (double)(value), (double)(limit)); \
    } while (0)

#endif
