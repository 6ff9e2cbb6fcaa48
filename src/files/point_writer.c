#include "base/error.h"
#include "files/npy_write.h"
#include "files/out_file.h"
#include "files/point_file.h"
#include "files/stored.h"

#include <locale.h>

static size_t scalar_bytes(const rni_point_file *cloud)
{
    return cloud->scalar == RN_SCALAR_FLOAT ? sizeof(float) : sizeof(double);
}

/* Raw memory, in the byte order that both binary formats state in their headers. */
static void write_raw(rni_out_file *out, const rni_point_file *cloud)
{
    rni_out_file_put(out, cloud->position, (size_t)cloud->count * cloud->dim * scalar_bytes(cloud));
}

static void write_ply(rni_out_file *out, const rni_point_file *cloud)
{
    const char *type = cloud->scalar == RN_SCALAR_FLOAT ? "float" : "double";
    rni_out_file_print(out, "ply\nformat binary_%s_endian 1.0\nelement vertex %u\n",
                       RNI_NATIVE_IS_BIG_ENDIAN ? "big" : "little", cloud->count);
    for (uint32_t k = 0; k < cloud->dim; k++)
        rni_out_file_print(out, "property %s %c\n", type, "xyz"[k]);
    rni_out_file_text(out, "end_header\n");
    write_raw(out, cloud);
}

static void write_text(rni_out_file *out, const rni_point_file *cloud, const char *separator)
{
    const float *as_float = cloud->position;
    const double *as_double = cloud->position;
    for (uint32_t i = 0; i < cloud->count && !out->error; i++) {
        for (uint32_t k = 0; k < cloud->dim; k++) {
            size_t at = (size_t)i * cloud->dim + k;
            if (k) rni_out_file_text(out, separator);
            if (cloud->scalar == RN_SCALAR_FLOAT) {
                rni_out_file_print(out, "%.9g", (double)as_float[at]);
            } else {
                rni_out_file_print(out, "%.17g", as_double[at]);
            }
        }
        rni_out_file_text(out, "\n");
    }
}

rn_result rni_points_write(const char *path, const rni_point_file *cloud)
{
    rni_out_kind kind = rni_out_kind_of(path);
    if (kind == RNI_OUT_UNKNOWN) {
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "%s: the extension names no known format; points are written as .ply, .xyz, .csv or .npy",
            path);
    }
    /* The C locale gives numbers a decimal point in any user locale. */
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return rni_fail(RN_ERROR_MEMORY, "%s: no memory for a locale", path);
    rni_out_file out;
    rn_result result = rni_out_file_open(path, &out);
    if (result == RN_OK) {
        locale_t users = uselocale(c_locale);
        switch (kind) {
        case RNI_OUT_PLY: write_ply(&out, cloud); break;
        case RNI_OUT_XYZ: write_text(&out, cloud, " "); break;
        case RNI_OUT_NPY:
            rni_npy_header_write(&out, scalar_bytes(cloud) == 4 ? "f4" : "f8", cloud->count,
                                 cloud->dim);
            write_raw(&out, cloud);
            break;
        case RNI_OUT_CSV:
        case RNI_OUT_UNKNOWN:
            rni_out_file_text(&out, cloud->dim == 2 ? "x,y\n" : "x,y,z\n");
            write_text(&out, cloud, ",");
            break;
        }
        uselocale(users);
        result = rni_out_file_close(&out);
    }
    freelocale(c_locale);
    return result;
}
