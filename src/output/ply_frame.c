#include "output/frame.h"

#include "files/out_file.h"
#include "files/stored.h"

#include <string.h>

/* What a row is made of: x y z, vx vy vz, then the plain names. */
static void put_header(rni_out_file *out, const rni_frame *frame, const rni_frame_array *arrays,
                       uint32_t array_count)
{
    static const char *const AXES[] = {"x", "y", "z"};
    rni_out_file_print(out, "ply\nformat binary_%s_endian 1.0\n",
                       RNI_NATIVE_IS_BIG_ENDIAN ? "big" : "little");
    rni_out_file_print(out, "comment runnel %s, SI units\ncomment time %.17g\ncomment step %llu\n",
                       RN_VERSION_STRING, frame->time, (unsigned long long)frame->step);
    rni_out_file_print(out, "element vertex %u\n", frame->count);
    for (uint32_t k = 0; k < array_count; k++) {
        const char *type = arrays[k].is_integer ? "uint" : "float";
        if (arrays[k].components == 1)
            rni_out_file_print(out, "property %s %s\n", type, arrays[k].name);
        else
            for (uint32_t axis = 0; axis < 3; axis++)
                rni_out_file_print(out, "property %s %s%s\n", type, k == 0 ? "" : "v", AXES[axis]);
    }
    rni_out_file_text(out, "end_header\n");
}

rn_result rni_ply_frame_write(const char *path, const rni_frame *frame)
{
    rni_out_file out;
    rni_frame_array arrays[RNI_FRAME_MAX_ARRAYS];
    uint32_t array_count = rni_frame_arrays(frame, arrays);
    rn_result result = rni_out_file_open(path, &out);
    if (result != RN_OK) return result;
    put_header(&out, frame, arrays, array_count);
    for (uint32_t i = 0; i < frame->count; i++) {
        unsigned char row[RNI_FRAME_MAX_ARRAYS * 3 * sizeof(float)];
        size_t used = 0;
        for (uint32_t k = 0; k < array_count; k++) {
            rni_frame_rows(&arrays[k], i, 1, row + used);
            used += arrays[k].components * sizeof(float);
        }
        rni_out_file_put(&out, row, used);
    }
    return rni_out_file_close(&out);
}
