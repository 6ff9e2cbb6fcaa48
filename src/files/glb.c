#include "files/glb.h"

#include "files/mesh_file.h"

#include "base/error.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define CHUNK_JSON 0x4e4f534au
#define CHUNK_BIN  0x004e4942u

static uint32_t little_u32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

bool rni_glb_is(const unsigned char *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "glTF", 4) == 0;
}

rn_result rni_glb_fail(const rni_glb *glb, rni_glb_path path, const char *what, const char *wrong)
{
    if (path.sub)
        return rni_fail(RN_ERROR_FILE, "%s: %s[%zu].%s[%zu]: %s %s", glb->reader->name, path.list,
                        path.number, path.sub, path.sub_number, what, wrong);
    return rni_fail(RN_ERROR_FILE, "%s: %s[%zu]: %s %s", glb->reader->name, path.list, path.number,
                    what, wrong);
}

/* --- container --------------------------------------------------------------------------------- */

static rn_result read_json(rni_glb *glb, size_t offset, size_t bytes)
{
    json_error_t error;
    glb->root = json_loadb((const char *)glb->reader->bytes + offset, bytes, 0, &error);
    if (glb->root && json_is_object(glb->root)) return RN_OK;
    if (glb->root)
        return rni_fail(RN_ERROR_FILE, "%s: byte %zu: the JSON chunk is not an object",
                        glb->reader->name, offset);
    const rni_text text = {error.text, error.text + strlen(error.text)};
    return rni_fail(RN_ERROR_FILE,
                    "%s: byte %zu: the JSON chunk is invalid (%s); the file is damaged",
                    glb->reader->name, offset + (size_t)(error.position > 0 ? error.position : 0),
                    rni_show(text).text);
}

static rn_result read_chunks(rni_glb *glb)
{
    const rni_reader *reader = glb->reader;
    size_t offset = 12;
    for (unsigned k = 0; reader->size - offset >= 8 && k < 2; k++) {
        const uint32_t bytes = little_u32(reader->bytes + offset);
        const uint32_t kind = little_u32(reader->bytes + offset + 4);
        if (bytes > reader->size - offset - 8)
            return rni_fail(RN_ERROR_FILE,
                            "%s: byte %zu: a chunk of %u bytes begins here, %zu follow; the file is "
                            "cut short",
                            reader->name, offset, bytes, reader->size - offset - 8);
        if (k == 0 && kind != CHUNK_JSON)
            return rni_fail(RN_ERROR_FILE,
                            "%s: byte %zu: the first chunk is not JSON; the file is damaged",
                            reader->name, offset);
        if (k == 0) {
            rn_result result = read_json(glb, offset + 8, bytes);
            if (result != RN_OK) return result;
        } else if (kind == CHUNK_BIN) {
            glb->buffer = reader->bytes + offset + 8;
            glb->buffer_bytes = bytes;
        }
        offset += 8 + (size_t)bytes;
    }
    if (glb->root) return RN_OK;
    return rni_fail(RN_ERROR_FILE, "%s: byte %zu: the file ends before its JSON chunk",
                    reader->name, reader->size);
}

/* Extensions that leave the triangles as they are. */
static bool is_harmless(const char *name)
{
    static const char *const PREFIXES[] = {"KHR_materials_", "KHR_texture_", "KHR_lights_",
                                           "EXT_texture_", "MSFT_texture_"};
    for (size_t k = 0; k < sizeof PREFIXES / sizeof *PREFIXES; k++)
        if (strncmp(name, PREFIXES[k], strlen(PREFIXES[k])) == 0) return true;
    return false;
}

static rn_result check_extensions(const rni_glb *glb)
{
    const json_t *required = json_object_get(glb->root, "extensionsRequired");
    for (size_t k = 0; k < json_array_size(required); k++) {
        const char *name = json_string_value(json_array_get(required, k));
        if (!name || is_harmless(name)) continue;
        const rni_text text = {name, name + strlen(name)};
        return rni_fail(RN_ERROR_FILE,
                        "%s: extensionsRequired[%zu]: %s is not read; export the file without it "
                        "(for example without compression)",
                        glb->reader->name, k, rni_show(text).text);
    }
    return RN_OK;
}

rn_result rni_glb_open(const rni_reader *reader, rni_glb *glb)
{
    *glb = (rni_glb){.reader = reader};
    if (!rni_glb_is(reader->bytes, reader->size) || reader->size < 12)
        return rni_fail(RN_ERROR_FILE,
                        "%s: byte 0: a binary glTF file opens with 'glTF', version and length; "
                        "save text glTF as .glb",
                        reader->name);
    const uint32_t version = little_u32(reader->bytes + 4);
    const uint32_t length = little_u32(reader->bytes + 8);
    if (version != 2)
        return rni_fail(RN_ERROR_FILE, "%s: byte 4: glTF version %u is unknown; version 2 is read",
                        reader->name, version);
    if (length > reader->size)
        return rni_fail(RN_ERROR_FILE,
                        "%s: byte %zu: the head promises %u bytes; the file is cut short",
                        reader->name, reader->size, length);
    rn_result result = read_chunks(glb);
    return result == RN_OK ? check_extensions(glb) : result;
}

void rni_glb_close(rni_glb *glb)
{
    json_decref(glb->root);
    glb->root = NULL;
}

/* --- values ------------------------------------------------------------------------------------ */

const json_t *rni_glb_item(const rni_glb *glb, const char *list, uint64_t number)
{
    const json_t *items = json_object_get(glb->root, list);
    return number < json_array_size(items) ? json_array_get(items, (size_t)number) : NULL;
}

rn_result rni_glb_whole(const rni_glb *glb, rni_glb_path path, const json_t *object,
                        const char *key, uint64_t *value)
{
    const json_t *json = json_object_get(object, key);
    if (!json) return RN_OK;
    if (!json_is_integer(json) || json_integer_value(json) < 0)
        return rni_glb_fail(glb, path, key, "is not a whole number, 0 or more");
    *value = (uint64_t)json_integer_value(json);
    return RN_OK;
}

rn_result rni_glb_numbers(const rni_glb *glb, rni_glb_path path, const json_t *object,
                          const char *key, size_t count, double *value)
{
    const json_t *json = json_object_get(object, key);
    if (!json) return RN_OK;
    if (json_array_size(json) != count)
        return rni_glb_fail(glb, path, key, "does not have the right number of numbers");
    for (size_t k = 0; k < count; k++) {
        const json_t *number = json_array_get(json, k);
        value[k] = json_number_value(number);
        if (!json_is_number(number) || !isfinite(value[k]))
            return rni_glb_fail(glb, path, key, "holds something that is not a finite number");
    }
    return RN_OK;
}

/* --- accessors --------------------------------------------------------------------------------- */

static bool type_of(uint64_t component, rni_stored *type)
{
    static const rni_stored TYPES[] = {RNI_STORED_I8,  RNI_STORED_U8,  RNI_STORED_I16,
                                       RNI_STORED_U16, RNI_STORED_I32, RNI_STORED_U32,
                                       RNI_STORED_F32};
    if (component < 5120 || component > 5126 || component == 5124) return false;
    *type = TYPES[component - 5120];
    return true;
}

static uint32_t width_of(const char *type)
{
    static const char *const NAMES[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
    for (uint32_t k = 0; type && k < 4; k++)
        if (strcmp(type, NAMES[k]) == 0) return k + 1;
    return 0;
}

/* Finds the bytes of an accessor; its type, width and count are known. */
static rn_result open_view(const rni_glb *glb, const json_t *json, rni_glb_path own,
                           rni_glb_accessor *accessor)
{
    uint64_t number = 0, begin = 0, view_begin = 0, view_bytes = 0, buffer = 0, stride = 0;
    const size_t element = rni_stored_bytes(accessor->type) * accessor->width;
    rn_result result = rni_glb_whole(glb, own, json, "bufferView", &number);
    if (result == RN_OK) result = rni_glb_whole(glb, own, json, "byteOffset", &begin);
    const rni_glb_path path = {.list = "bufferViews", .number = (size_t)number};
    const json_t *view = rni_glb_item(glb, "bufferViews", number);
    if (result == RN_OK && !json_is_object(view))
        result = rni_glb_fail(glb, own, "bufferView", "does not exist");
    if (result == RN_OK) result = rni_glb_whole(glb, path, view, "byteOffset", &view_begin);
    if (result == RN_OK) result = rni_glb_whole(glb, path, view, "byteLength", &view_bytes);
    if (result == RN_OK) result = rni_glb_whole(glb, path, view, "byteStride", &stride);
    if (result == RN_OK) result = rni_glb_whole(glb, path, view, "buffer", &buffer);
    if (result != RN_OK) return result;
    const json_t *home = rni_glb_item(glb, "buffers", buffer);
    if (buffer != 0 || !glb->buffer || json_object_get(home, "uri"))
        return rni_glb_fail(glb, path, "buffer",
                            "is outside of the file; export it as one .glb with everything inside");
    if (view_begin > glb->buffer_bytes || view_bytes > glb->buffer_bytes - view_begin)
        return rni_glb_fail(glb, path, "byteLength",
                            "reaches past the end of the buffer; the file is cut short or damaged");
    if (stride == 0) stride = element;
    if (stride < element || stride == 0 || begin > view_bytes ||
        (accessor->count > 0 && (view_bytes - begin < element ||
                                 (view_bytes - begin - element) / stride < accessor->count - 1)))
        return rni_glb_fail(
            glb, own, "count",
            "reaches past the end of its bufferView; the file is cut short or damaged");
    accessor->bytes = glb->buffer + view_begin + begin;
    accessor->stride_bytes = (size_t)stride;
    return RN_OK;
}

rn_result rni_glb_accessor_open(const rni_glb *glb, rni_glb_path path, const json_t *object,
                                const char *key, rni_glb_accessor *accessor)
{
    uint64_t number = UINT64_MAX, component = 0;
    *accessor = (rni_glb_accessor){0};
    rn_result result = rni_glb_whole(glb, path, object, key, &number);
    if (result != RN_OK) return result;
    const json_t *json = rni_glb_item(glb, "accessors", number);
    if (!json_is_object(json))
        return rni_glb_fail(glb, path, key, "is missing, or names an accessor that does not exist");
    const rni_glb_path own = {.list = "accessors", .number = (size_t)number};
    result = rni_glb_whole(glb, own, json, "componentType", &component);
    if (result == RN_OK) result = rni_glb_whole(glb, own, json, "count", &accessor->count);
    if (result != RN_OK) return result;
    accessor->width = width_of(json_string_value(json_object_get(json, "type")));
    accessor->is_normalized = json_is_true(json_object_get(json, "normalized"));
    if (!type_of(component, &accessor->type) || accessor->width == 0)
        return rni_glb_fail(glb, own, "type or componentType", "is unknown");
    if (json_object_get(json, "sparse") || !json_object_get(json, "bufferView"))
        return rni_glb_fail(glb, own, "the accessor",
                            "is sparse or without a bufferView, which is not read; export it in full");
    return open_view(glb, json, own, accessor);
}

double rni_glb_value(const rni_glb_accessor *accessor, uint64_t element, uint32_t axis)
{
    const size_t bytes = rni_stored_bytes(accessor->type);
    const unsigned char *at =
        accessor->bytes + (size_t)element * accessor->stride_bytes + axis * bytes;
    const double value = rni_stored_load(at, accessor->type, false);
    if (!accessor->is_normalized) return value;
    switch (accessor->type) {
    case RNI_STORED_U8: return value / 255;
    case RNI_STORED_U16: return value / 65535;
    case RNI_STORED_I8: return fmax(value / 127, -1);
    case RNI_STORED_I16: return fmax(value / 32767, -1);
    default: return value;
    }
}
