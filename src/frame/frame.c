#include "frame/frame.h"

#include "base/error.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

/* --- derived attributes: one row each ---------------------------------------------------------------- */

typedef struct derived_row {
    rn_attribute like;
    const char *source;
} derived_row;

static const derived_row DERIVED[] = {
    {{.name = "speed", .unit = "m/s", .components = 1, .derivation = RN_DERIVATION_LENGTH},
     "velocity"},
    {{.name = "age",
      .unit = "s",
      .components = 1,
      .derivation = RN_DERIVATION_AGE,
      .flags = RN_ATTRIBUTE_IN_FILES},
     "birth"},
};
#define DERIVED_COUNT (sizeof DERIVED / sizeof *DERIVED)

/* --- a frame ------------------------------------------------------------------------------------------- */

rn_frame rn_frame_default(void)
{
    return (rn_frame){.struct_bytes = sizeof(rn_frame), .dim = 3};
}

const rn_attribute *rn_frame_get_attribute(const rn_frame *frame, const char *name)
{
    for (uint32_t k = 0; k < frame->attribute_count; k++)
        if (strcmp(frame->attribute[k].name, name) == 0) return &frame->attribute[k];
    return NULL;
}

static uint32_t stored_components(const rn_attribute *a)
{
    return a->derivation == RN_DERIVATION_LENGTH ? 3 : a->components;
}

static size_t stride_of(const rn_attribute *a)
{
    return a->stride ? a->stride : stored_components(a) * sizeof(float);
}

static bool is_name(const char *name)
{
    size_t length = name ? strlen(name) : 0;
    if (length == 0 || length >= RN_ATTRIBUTE_NAME_BYTES) return false;
    for (const char *c = name; *c; c++)
        if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '_') return false;
    return true;
}

static const char *attribute_flaw(const rn_attribute *a)
{
    if (!is_name(a->name)) return "the name of an attribute is no name";
    if (!a->unit) return "an attribute has no unit";
    if (a->components != 1 && a->components != 3)
        return "an attribute has neither 1 nor 3 components";
    if ((unsigned)a->type > RN_ATTRIBUTE_UINT32) return "an attribute has an unknown type";
    if ((unsigned)a->derivation > RN_DERIVATION_AGE)
        return "an attribute has an unknown derivation";
    if (a->derivation != RN_DERIVATION_NONE && (a->components != 1 || a->type != RN_ATTRIBUTE_FLOAT))
        return "a derived attribute is not one float";
    if (a->stride && a->stride < stored_components(a) * sizeof(float))
        return "the stride of an attribute is shorter than its data";
    return NULL;
}

rn_result rn_frame_add_attribute(rn_frame *frame, const rn_attribute *attribute)
{
    const char *flaw = attribute_flaw(attribute);
    if (flaw) return rni_fail(RN_ERROR_ARGUMENT, "%s", flaw);
    if (rn_frame_get_attribute(frame, attribute->name))
        return rni_fail(RN_ERROR_ARGUMENT, "the frame has an attribute \"%s\" already",
                        attribute->name);
    if (frame->attribute_count == RN_FRAME_MAX_ATTRIBUTES)
        return rni_fail(RN_ERROR_LIMIT, "a frame has at most %u attributes", RN_FRAME_MAX_ATTRIBUTES);
    frame->attribute[frame->attribute_count++] = *attribute;
    return RN_OK;
}

rn_result rn_frame_add_derived(rn_frame *frame)
{
    for (size_t k = 0; k < DERIVED_COUNT; k++) {
        rn_attribute derived = DERIVED[k].like;
        const rn_attribute *source = rn_frame_get_attribute(frame, DERIVED[k].source);
        if (!source || rn_frame_get_attribute(frame, derived.name)) continue;
        derived.stride = stride_of(source);
        derived.data = source->data;
        rn_result result = rn_frame_add_attribute(frame, &derived);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

/* --- values -------------------------------------------------------------------------------------------- */

static const float *stored(const rn_attribute *a, uint32_t i)
{
    const char *first = a->data;
    return (const float *)(const void *)(first + i * stride_of(a));
}

static void get_lengths(const rn_attribute *a, uint32_t first, uint32_t count, float *values)
{
    size_t stride = stride_of(a);
    const char *at = (const char *)stored(a, first);
    for (uint32_t k = 0; k < count; k++, at += stride) {
        const float *v = (const float *)(const void *)at;
        values[k] = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
}

static void get_ages(const rn_attribute *a, double time, uint32_t first, uint32_t count, float *values)
{
    for (uint32_t k = 0; k < count; k++) values[k] = (float)(time - (double)*stored(a, first + k));
}

void rn_frame_get_rows(const rn_frame *frame, const rn_attribute *a, uint32_t first, uint32_t count,
                       void *packed)
{
    size_t row_bytes = a->components * sizeof(float), stride = stride_of(a);
    assert(first <= frame->count && count <= frame->count - first);
    if (count == 0) return;
    if (a->derivation == RN_DERIVATION_LENGTH) {
        get_lengths(a, first, count, packed);
    } else if (a->derivation == RN_DERIVATION_AGE) {
        get_ages(a, frame->time, first, count, packed);
    } else if (stride == row_bytes) {
        memcpy(packed, stored(a, first), count * row_bytes);
    } else {
        const char *at = (const char *)stored(a, first);
        char *to = packed;
        for (uint32_t k = 0; k < count; k++, at += stride, to += row_bytes)
            memcpy(to, at, row_bytes);
    }
}

void rn_frame_get_scalars(const rn_frame *frame, const rn_attribute *a, uint32_t first,
                          uint32_t count, float *values)
{
    if (a->type == RN_ATTRIBUTE_FLOAT && a->components == 1) {
        rn_frame_get_rows(frame, a, first, count, values);
    } else if (a->type == RN_ATTRIBUTE_FLOAT) {
        get_lengths(a, first, count, values);
    } else {
        for (uint32_t k = 0; k < count; k++) {
            uint32_t whole[3] = {0};
            double sum = 0;
            rn_frame_get_rows(frame, a, first + k, 1, whole);
            for (uint32_t c = 0; c < 3; c++) sum += (double)whole[c] * whole[c];
            values[k] = (float)sqrt(sum);
        }
    }
}

/* --- the validator ------------------------------------------------------------------------------------- */

static const char *attributes_flaw(const rn_frame *frame)
{
    if (frame->attribute_count > RN_FRAME_MAX_ATTRIBUTES) return "too many attributes";
    for (uint32_t k = 0; k < frame->attribute_count; k++) {
        const char *flaw = attribute_flaw(&frame->attribute[k]);
        if (flaw) return flaw;
        if (frame->count > 0 && !frame->attribute[k].data) return "an attribute has no data";
        if (rn_frame_get_attribute(frame, frame->attribute[k].name) != &frame->attribute[k])
            return "two attributes have the same name";
    }
    if (frame->count == 0 && frame->attribute_count == 0) return NULL;
    const rn_attribute *first = &frame->attribute[0];
    bool is_position = frame->attribute_count > 0 && strcmp(first->name, "position") == 0 &&
                       first->components == 3 && first->type == RN_ATTRIBUTE_FLOAT &&
                       first->derivation == RN_DERIVATION_NONE;
    return is_position ? NULL : "the first attribute is not the position";
}

static const char *meshes_flaw(const rn_frame *frame)
{
    for (uint32_t m = 0; m < frame->triangles_count; m++) {
        const rn_triangles *t = &frame->triangles[m];
        if (!t->name || t->index_count % 3 != 0) return "a mesh has no name, or no whole triangles";
        if (t->stride && t->stride < 3 * sizeof(float)) return "the vertices of a mesh overlap";
        for (uint32_t k = 0; k < t->index_count; k++)
            if (t->index[k] >= t->vertex_count) return "an index of a mesh has no vertex";
    }
    for (uint32_t k = 0; k < frame->pose_count; k++) {
        const float *q = frame->pose[k].rotation;
        float length_sq = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        if (frame->pose[k].triangles >= frame->triangles_count) return "a pose has no mesh";
        if (!(fabsf(length_sq - 1) < 1e-3f)) return "the rotation of a pose is no unit quaternion";
    }
    return NULL;
}

const char *rni_frame_flaw(const rn_frame *frame)
{
    if (frame->struct_bytes != sizeof *frame) return "rn_frame_default() was not called";
    if (frame->dim != 2 && frame->dim != 3) return "dim is neither 2 nor 3";
    for (uint32_t k = 0; k < 3; k++)
        if (!(frame->domain_low[k] <= frame->domain_high[k])) return "the domain is inside out";
    const char *flaw = attributes_flaw(frame);
    return flaw ? flaw : meshes_flaw(frame);
}
