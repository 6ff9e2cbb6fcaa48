#include "output/frame.h"

#include <string.h>

uint32_t rni_frame_arrays(const rni_frame *frame, rni_frame_array list[RNI_FRAME_MAX_ARRAYS])
{
    const rni_frame_array all[RNI_FRAME_MAX_ARRAYS] = {
        {"position", "m", 3, false, false, frame->time, frame->position, frame->stride},
        {"velocity", "m/s", 3, false, false, frame->time, frame->velocity, frame->stride},
        {"density", "kg/m^3", 1, false, false, frame->time, frame->density, sizeof(float)},
        {"pressure", "Pa", 1, false, false, frame->time, frame->pressure, sizeof(float)},
        {"id", "1", 1, true, false, frame->time, frame->id, sizeof(uint32_t)},
        {"age", "s", 1, false, true, frame->time, frame->birth, sizeof(float)}};
    uint32_t count = 0;
    for (uint32_t k = 0; k < RNI_FRAME_MAX_ARRAYS; k++)
        if (k == 0 || all[k].data) list[count++] = all[k];
    return count;
}

void rni_frame_rows(const rni_frame_array *array, uint32_t first, uint32_t count, void *packed)
{
    size_t row_bytes = array->components * sizeof(float);
    const unsigned char *from = array->data;
    unsigned char *to = packed;
    for (uint32_t k = 0; k < count; k++) {
        const unsigned char *row = from + (size_t)(first + k) * array->stride;
        if (array->is_age) {
            float birth;
            memcpy(&birth, row, sizeof birth);
            float age = (float)(array->time - (double)birth);
            memcpy(to, &age, sizeof age);
        } else {
            memcpy(to, row, row_bytes);
        }
        to += row_bytes;
    }
}
