#include "output/frame_files.h"

#include "frame/frame.h"

#include <assert.h>

static const rn_attribute NO_POSITION = {
    .name = "position", .unit = "m", .components = 3, .flags = RN_ATTRIBUTE_IN_FILES};

uint32_t rni_file_attributes(const rn_frame *frame, const rn_attribute *list[RN_FRAME_MAX_ATTRIBUTES])
{
    uint32_t count = 0;
    assert(!rni_frame_flaw(frame));
    if (frame->attribute_count == 0) list[count++] = &NO_POSITION;
    for (uint32_t k = 0; k < frame->attribute_count; k++)
        if (k == 0 || (frame->attribute[k].flags & RN_ATTRIBUTE_IN_FILES))
            list[count++] = &frame->attribute[k];
    return count;
}
