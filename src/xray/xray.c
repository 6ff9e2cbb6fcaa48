/* Life of an rn_xray, its view, and the path lengths of materials. */
#include "xray/xray.h"

#include <math.h>
#include <string.h>

rn_xray_def rn_xray_def_default(void)
{
    return (rn_xray_def){.struct_bytes = sizeof(rn_xray_def), .samples = 2};
}

rn_xray_view rn_xray_view_default(void)
{
    return (rn_xray_view){.struct_bytes = sizeof(rn_xray_view),
                          .width = 1024,
                          .height = 1024,
                          .detector_mm = {430, 430},
                          .source_image_mm = 1100,
                          .source_object_mm = 850,
                          .direction = {0, 0, -1},
                          .up = {0, 1, 0}};
}

_Static_assert(offsetof(rn_xray, memory) == 0, "rni_memory_begin");

rn_result rn_xray_create(const rn_xray_def *def, rn_xray **out)
{
    if (!out) return rni_fail(RN_ERROR_ARGUMENT, "xray must not be NULL");
    *out = NULL;
    if (!def || def->struct_bytes != sizeof *def)
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "def: struct_bytes is not that of this library; begin with rn_xray_def_default()");
    if (def->samples < 1 || def->samples > 4)
        return rni_fail(RN_ERROR_ARGUMENT, "samples is %u; it must be from 1 to 4", def->samples);
    void *object;
    rn_result result = rni_memory_begin(&def->allocator, sizeof(rn_xray), &object);
    if (result != RN_OK) return result;
    rn_xray *x = object;
    x->def = *def;
    result = rni_crew_create(&x->memory, def->threads, &def->tasks, &x->crew);
    if (result != RN_OK) {
        rn_xray_destroy(x);
        return result;
    }
    *out = x;
    return RN_OK;
}

void rn_xray_destroy(rn_xray *x)
{
    if (!x) return;
    rni_memory *memory = &x->memory;
    rni_crew_destroy(x->crew);
    for (uint32_t m = 0; m < RN_XRAY_MATERIALS; m++) rni_buffer_free(memory, &x->length[m]);
    rni_buffer *const buffers[] = {&x->place,      &x->rows,   &x->moved,     &x->welded,
                                   &x->band_start, &x->band,   &x->scratch,   &x->row_sum,
                                   &x->row_odd,    &x->energy, &x->signal,    &x->quantum,
                                   &x->blurred[0], &x->small,  &x->blurred[1]};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        rni_buffer_free(memory, buffers[k]);
    rni_record_table_free(&x->vertices);
    rni_memory_end(memory, sizeof *x);
}

/* --- view -------------------------------------------------------------------------------------------- */

static rn_result check_lengths(const rn_xray_view *view)
{
    if (view->width < 8 || view->height < 8 || view->width > 8192 || view->height > 8192)
        return rni_fail(RN_ERROR_ARGUMENT, "the picture has %u x %u pixels; each side from 8 to 8192",
                        view->width, view->height);
    for (uint32_t k = 0; k < 2; k++)
        if (!(view->detector_mm[k] >= 1e-3f && view->detector_mm[k] <= 1e6f))
            return rni_fail(RN_ERROR_ARGUMENT,
                            "the detector is %g x %g mm; each side must be from 0.001 to 1e6",
                            (double)view->detector_mm[0], (double)view->detector_mm[1]);
    if (!(view->source_image_mm >= 1e-2f && view->source_image_mm <= 1e7f))
        return rni_fail(RN_ERROR_ARGUMENT, "source_image_mm is %g mm; it must be from 0.01 to 1e7",
                        (double)view->source_image_mm);
    if (!(view->source_object_mm > 0 && view->source_object_mm < view->source_image_mm))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "source_object_mm is %g mm; the object must be between the source and the "
                        "detector at %g mm",
                        (double)view->source_object_mm, (double)view->source_image_mm);
    return RN_OK;
}

static bool normalise(double v[3])
{
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (!(length > 1e-12) || !isfinite(length)) return false;
    for (uint32_t k = 0; k < 3; k++) v[k] /= length;
    return true;
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (uint32_t k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static rn_result place_source(rn_xray *x, const rn_xray_view *view)
{
    double ahead[3], up[3], right[3];
    for (uint32_t k = 0; k < 3; k++) {
        ahead[k] = (double)view->direction[k];
        up[k] = (double)view->up[k];
        if (!isfinite(view->center[k]))
            return rni_fail(RN_ERROR_ARGUMENT, "center[%u] is not a finite number", k);
    }
    if (!normalise(ahead) || !normalise(up))
        return rni_fail(RN_ERROR_ARGUMENT, "direction and up must be finite vectors with a length");
    cross(ahead, up, right);
    if (!normalise(right))
        return rni_fail(RN_ERROR_ARGUMENT, "the rays run along the up vector; choose another");
    cross(right, ahead, up);
    for (uint32_t k = 0; k < 3; k++) {
        x->ahead[k] = ahead[k];
        x->right[k] = right[k];
        x->up[k] = up[k];
        x->source[k] = (double)view->center[k] - 1e-3 * (double)view->source_object_mm * ahead[k];
    }
    return RN_OK;
}

rn_result rn_xray_begin(rn_xray *x, const rn_xray_view *view)
{
    if (!x || !view) return rni_fail(RN_ERROR_ARGUMENT, "xray and view must not be NULL");
    if (view->struct_bytes != sizeof *view)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "view.struct_bytes is %u instead of %zu; begin with "
                        "rn_xray_view_default()",
                        view->struct_bytes, sizeof *view);
    rn_result result = check_lengths(view);
    if (result == RN_OK) result = place_source(x, view);
    if (result != RN_OK) return result;
    x->view = *view;
    x->reach = 1e-3 * (double)view->source_image_mm;
    x->pixel[0] = 1e-3 * (double)view->detector_mm[0] / view->width / x->reach;
    x->pixel[1] = 1e-3 * (double)view->detector_mm[1] / view->height / x->reach;
    x->band_count = rni_piece_count(view->height, RNI_XRAY_BAND);
    x->odd_rays = 0;
    memset(x->is_used, 0, sizeof x->is_used);
    x->has_view = true;
    x->has_picture = false;
    return RN_OK;
}

/* --- objects ----------------------------------------------------------------------------------------- */

static rn_result use_material(rn_xray *x, uint32_t material)
{
    if (x->is_used[material]) return RN_OK;
    rn_result result =
        rni_buffer_need(&x->memory, &x->length[material], rni_xray_pixels(x), sizeof(float));
    if (result != RN_OK) return result;
    memset(x->length[material].data, 0, rni_xray_pixels(x) * sizeof(float));
    x->is_used[material] = true;
    return RN_OK;
}

rn_result rni_xray_prepare(rn_xray *x, rn_xray_part part)
{
    if (!x->has_view)
        return rni_fail(RN_ERROR_ARGUMENT, "there is no view; call rn_xray_begin() first");
    if (part.material >= RN_XRAY_MATERIALS ||
        (part.replaces >= RN_XRAY_MATERIALS && part.replaces != RN_XRAY_NOTHING))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "material is %u and replaces %u; materials are below %u, and "
                        "RN_XRAY_NOTHING is allowed for replaces",
                        part.material, part.replaces, RN_XRAY_MATERIALS);
    rn_result result = use_material(x, part.material);
    if (result == RN_OK && part.replaces != RN_XRAY_NOTHING)
        result = use_material(x, part.replaces);
    return result;
}

rn_result rni_xray_check_place(const rn_xray *x, const rni_xray_place *p, const char *what,
                               uint32_t index)
{
    if (p->w >= 0.02 * x->reach && p->w <= 1.0001 * x->reach) return RN_OK;
    return rni_fail(RN_ERROR_ARGUMENT,
                    "%s %u is %.4g m in front of the source; the object must be between source and "
                    "detector, from %.4g to %.4g m: move the source or the detector away",
                    what, index, p->w, 0.02 * x->reach, x->reach);
}

const float *rn_xray_get_length(const rn_xray *x, uint32_t material)
{
    return x && material < RN_XRAY_MATERIALS && x->is_used[material] ? x->length[material].data
                                                                     : NULL;
}
