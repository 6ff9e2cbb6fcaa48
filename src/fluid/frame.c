/* A fluid as a frame: the rows of the attribute table that users see. */
#include "fluid/attributes.h"

#include "base/error.h"
#include "frame/frame.h"

#include <assert.h>
#include <string.h>

/* fluid may be NULL: the attributes without data. */
static rn_result add_attributes(rn_frame *frame, const rn_fluid *fluid)
{
    for (uint32_t k = 0; k < rni_row_count(fluid); k++) {
        const rni_attribute *row = rni_row(fluid, k);
        rn_fluid_span span = {0};
        if (!(row->flags & RNI_SHOWN)) continue;
        if (fluid ? !rni_has_row(fluid, k) : k > RNI_ROW_ALWAYS_LAST) continue;
        if (fluid) {
            rn_result result = rn_fluid_get_attribute(fluid, row->info.name, &span);
            if (result != RN_OK) return result;
        }
        rn_attribute attribute = {.name = row->info.name,
                                  .unit = row->info.unit[0] ? row->info.unit : "1",
                                  .components = row->info.components,
                                  .type = row->info.type,
                                  .flags = row->flags & RNI_IN_FILES ? RN_ATTRIBUTE_IN_FILES : 0,
                                  .stride = row->element_bytes,
                                  .data = span.data};
        rn_result result = rn_frame_add_attribute(frame, &attribute);
        if (result != RN_OK) return result;
    }
    return rn_frame_add_derived(frame);
}

rn_frame rn_fluid_frame_default(void)
{
    rn_frame frame = rn_frame_default();
    rn_result result = add_attributes(&frame, NULL);
    assert(result == RN_OK);
    (void)result;
    return frame;
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
    rn_result result = add_attributes(frame, fluid);
    assert(result != RN_OK || !rni_frame_flaw(frame));
    return result;
}
