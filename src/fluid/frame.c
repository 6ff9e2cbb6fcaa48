/* A fluid as a frame: what users see of the particles, one row an attribute. */
#include "fluid/water.h"

#include "base/error.h"
#include "frame/frame.h"

#include <assert.h>
#include <string.h>

typedef struct shown_row {
    rn_attribute like;
    size_t offset; /* bytes into a particle's record */
} shown_row;

#define RECORD   sizeof(rni_record)
#define LANE_3   (3 * sizeof(float))
#define IN_FILES RN_ATTRIBUTE_IN_FILES
#define FLOAT    RN_ATTRIBUTE_FLOAT
#define UINT32   RN_ATTRIBUTE_UINT32

/* Output files hold the arrays in this order. */
static const shown_row SHOWN[] = {
    {{"position", "m", 3, FLOAT, 0, IN_FILES, RECORD, NULL}, 0},
    {{"velocity", "m/s", 3, FLOAT, 0, IN_FILES, RECORD, NULL}, 0},
    {{"acceleration", "m/s^2", 3, FLOAT, 0, 0, RECORD, NULL}, 0},
    {{"density", "kg/m^3", 1, FLOAT, 0, IN_FILES, sizeof(float), NULL}, 0},
    {{"pressure", "Pa", 1, FLOAT, 0, IN_FILES, sizeof(float), NULL}, 0},
    {{"id", "1", 1, UINT32, 0, IN_FILES, RECORD, NULL}, LANE_3},
    {{"birth", "s", 1, FLOAT, 0, 0, RECORD, NULL}, LANE_3},
    {{"neighbor_count", "1", 1, UINT32, 0, 0, sizeof(uint32_t), NULL}, 0},
};
#define SHOWN_COUNT (sizeof SHOWN / sizeof *SHOWN)

const rn_attribute *rn_fluid_attribute_info(uint32_t k)
{
    return k < SHOWN_COUNT ? &SHOWN[k].like : rni_derived_info(k - (uint32_t)SHOWN_COUNT);
}

static rn_result add_attributes(const rn_fluid *fluid, rn_frame *frame)
{
    const void *const data[SHOWN_COUNT] = {
        fluid->now.position, fluid->now.velocity, fluid->now.acceleration, fluid->density,
        fluid->pressure,     fluid->now.velocity, fluid->now.position,     fluid->neighbor_count};
    for (uint32_t k = 0; k < SHOWN_COUNT; k++) {
        rn_attribute attribute = SHOWN[k].like;
        const char *first = data[k];
        if (first) attribute.data = first + SHOWN[k].offset;
        rn_result result = rn_frame_add_attribute(frame, &attribute);
        if (result != RN_OK) return result;
    }
    return rn_frame_add_derived(frame);
}

rn_result rn_fluid_get_frame(const rn_fluid *fluid, rn_frame *frame)
{
    if (frame->struct_bytes != sizeof *frame)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "frame.struct_bytes is %u, not %zu; take rn_frame_default()",
                        frame->struct_bytes, sizeof *frame);
    *frame = rn_frame_default();
    frame->dim = fluid->def.dim;
    frame->time = fluid->time;
    frame->step = fluid->step_count;
    frame->count = fluid->now.count;
    frame->spacing = fluid->def.spacing;
    memcpy(frame->domain_low, fluid->def.domain_low, fluid->def.dim * sizeof(float));
    memcpy(frame->domain_high, fluid->def.domain_high, fluid->def.dim * sizeof(float));
    rn_result result = add_attributes(fluid, frame);
    assert(result != RN_OK || !rni_frame_flaw(frame));
    return result;
}
