#include "output/frame_files.h"

#include "files/out_file.h"
#include "files/stored.h"

#include <string.h>

/* Names of a vector's components: x y z of the position, vx vy vz of the velocity, NAME_x ... of others. */
static void put_vector(rni_out_file *out, const rn_attribute *array, const char *type)
{
    bool is_position = strcmp(array->name, "position") == 0;
    bool is_velocity = strcmp(array->name, "velocity") == 0;
    bool is_named = !is_position && !is_velocity;
    for (uint32_t axis = 0; axis < 3; axis++)
        rni_out_file_print(out, "property %s %s%s%c\n", type,
                           is_named      ? array->name
                           : is_velocity ? "v"
                                         : "",
                           is_named ? "_" : "", "xyz"[axis]);
}

static void put_header(rni_out_file *out, const rn_frame *frame, const rn_attribute *const *arrays,
                       uint32_t array_count)
{
    rni_out_file_print(out, "ply\nformat binary_%s_endian 1.0\n",
                       RNI_NATIVE_IS_BIG_ENDIAN ? "big" : "little");
    rni_out_file_print(out, "comment runnel %s, SI units\ncomment time %.17g\ncomment step %llu\n",
                       RN_VERSION_STRING, frame->time, (unsigned long long)frame->step);
    rni_out_file_print(out, "element vertex %u\n", frame->count);
    for (uint32_t k = 0; k < array_count; k++) {
        const char *type = arrays[k]->type == RN_ATTRIBUTE_UINT32 ? "uint" : "float";
        if (arrays[k]->components == 3) put_vector(out, arrays[k], type);
        else rni_out_file_print(out, "property %s %s\n", type, arrays[k]->name);
    }
    rni_out_file_text(out, "end_header\n");
}

rn_result rni_ply_frame_write(const char *path, const rn_frame *frame)
{
    rni_out_file out;
    const rn_attribute *arrays[RN_FRAME_MAX_ATTRIBUTES];
    uint32_t array_count = rni_file_attributes(frame, arrays);
    rn_result result = rni_out_file_open(path, &out);
    if (result != RN_OK) return result;
    put_header(&out, frame, arrays, array_count);
    for (uint32_t i = 0; i < frame->count; i++) {
        unsigned char row[RN_FRAME_MAX_ATTRIBUTES * 3 * sizeof(float)];
        size_t used = 0;
        for (uint32_t k = 0; k < array_count; k++) {
            rn_frame_get_rows(frame, arrays[k], i, 1, row + used);
            used += arrays[k]->components * sizeof(float);
        }
        rni_out_file_put(&out, row, used);
    }
    return rni_out_file_close(&out);
}
