/* From a header to voxels: where the data is, unpacking, numbers, places. */
#include "files/volume_file.h"

#include "files/whole_file.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef RNI_HAS_ZLIB
#include <zlib.h>
#endif

#define PACKED_MOST 1040u /* bytes that a packed byte can become */

void rni_volume_file_release(rni_volume_file *volume)
{
    free(volume->value);
    *volume = (rni_volume_file){.value = NULL};
}

void rni_volume_file_corner(const rni_volume_file *v, uint32_t corner, float at[3])
{
    for (uint32_t k = 0; k < 3; k++) {
        at[k] = v->origin[k];
        for (uint32_t n = 0; n < 3; n++)
            at[k] += v->axis[n][k] * ((corner >> n & 1) ? (float)v->count[n] - 0.5f : -0.5f);
    }
}

void rni_volume_file_give(const rni_volume_file *v, rn_xray_volume *to)
{
    memcpy(to->count, v->count, sizeof to->count);
    memcpy(to->origin, v->origin, sizeof to->origin);
    memcpy(to->axis, v->axis, sizeof to->axis);
    to->value = v->value;
}

/* --- for the readers of headers -------------------------------------------------------------------------- */

rn_result rni_volume_fail(const rni_volume_header *header, uint64_t line, const char *wrong)
{
    return rni_fail(RN_ERROR_FILE, "%s:%llu: %s", header->input->name, (unsigned long long)line,
                    wrong);
}

bool rni_volume_numbers(const rni_volume_header *header, rni_text text, const char *apart,
                        double *to, uint32_t count)
{
    uint32_t found = 0;
    while (text.begin < text.end) {
        rni_text word = {text.begin, text.begin};
        while (word.end < text.end && *word.end != ' ' && *word.end != '\t' &&
               !strchr(apart, *word.end ? *word.end : '\1'))
            word.end++;
        text.begin = word.end < text.end ? word.end + 1 : word.end;
        if (word.begin == word.end) continue;
        if (found == count || !rni_text_number(header->input, word, &to[found]) ||
            !(fabs(to[found]) < 1e9))
            return false;
        found++;
    }
    return found == count;
}

bool rni_volume_counts(const rni_volume_header *header, rni_text text, uint32_t count[3])
{
    double side[3];
    if (!rni_volume_numbers(header, text, "", side, 3)) return false;
    for (int k = 0; k < 3; k++) {
        if (!(side[k] >= 1 && side[k] <= RNI_VOLUME_SIDE_MAX) || side[k] != floor(side[k]))
            return false;
        count[k] = (uint32_t)side[k];
    }
    return true;
}

/* --- data ------------------------------------------------------------------------------------------------- */

#ifdef RNI_HAS_ZLIB
/* Unpacks exactly `wanted` bytes. */
static rn_result unpack(const char *name, const unsigned char *bytes, size_t size, uint64_t wanted,
                        unsigned char *to)
{
    z_stream stream = {.next_in = (z_const Bytef *)(uintptr_t)bytes};
    uint64_t given = 0, made = 0;
    if (inflateInit2(&stream, 15 + 32) != Z_OK)
        return rni_fail(RN_ERROR_MEMORY, "%s: no memory for unpacking", name);
    int status = Z_OK;
    while (status == Z_OK && made < wanted) {
        const uint64_t left = size - given, space = wanted - made, most = 1u << 30;
        stream.next_in = (z_const Bytef *)(uintptr_t)(bytes + given);
        stream.avail_in = (uInt)(left < most ? left : most);
        stream.next_out = to + made;
        stream.avail_out = (uInt)(space < most ? space : most);
        const uInt in = stream.avail_in, out = stream.avail_out;
        status = inflate(&stream, Z_NO_FLUSH);
        given += in - stream.avail_in;
        made += out - stream.avail_out;
    }
    inflateEnd(&stream);
    if (made < wanted)
        return rni_fail(RN_ERROR_FILE,
                        "%s: the packed data breaks off or is damaged: %llu of %llu bytes", name,
                        (unsigned long long)made, (unsigned long long)wanted);
    return RN_OK;
}
#endif

static rn_result unpack_data(const char *name, const unsigned char *bytes, size_t size,
                             uint64_t wanted, unsigned char **to)
{
#ifdef RNI_HAS_ZLIB
    if (wanted > (uint64_t)size * PACKED_MOST + 64)
        return rni_fail(RN_ERROR_FILE, "%s: %zu packed bytes cannot hold %llu bytes of voxels",
                        name, size, (unsigned long long)wanted);
    *to = malloc((size_t)wanted);
    if (!*to)
        return rni_fail(RN_ERROR_MEMORY, "%s: no memory for %llu bytes", name,
                        (unsigned long long)wanted);
    return unpack(name, bytes, size, wanted, *to);
#else
    (void)bytes, (void)size, (void)wanted, (void)to;
    return rni_fail(RN_ERROR_FILE,
                    "%s: the data is packed, and Runnel was built without zlib; save it unpacked",
                    name);
#endif
}

/* Finds as many bytes as the voxels need. *unpacked is to be freed. */
static rn_result find_data(const rni_volume_header *h, const char *name, const unsigned char *bytes,
                           size_t size, const unsigned char **data, unsigned char **unpacked)
{
    const uint64_t wanted =
        (uint64_t)h->count[0] * h->count[1] * h->count[2] * rni_stored_bytes(h->type);
    if (h->is_packed) {
        rn_result result = unpack_data(name, bytes, size, wanted, unpacked);
        *data = *unpacked;
        return result;
    }
    if (wanted > size)
        return rni_fail(RN_ERROR_FILE,
                        "%s: %u x %u x %u voxels need %llu bytes, but there are %zu; the file breaks "
                        "off, or its header is wrong",
                        name, h->count[0], h->count[1], h->count[2], (unsigned long long)wanted,
                        size);
    *data = h->ends_at_end ? bytes + (size - (size_t)wanted) : bytes;
    return RN_OK;
}

/* From the file's axes to the world's, and from mm to m. */
static void turn(const rni_volume_header *h, const double from[3], float to[3])
{
    const double side = h->is_ras ? -1 : 1;
    to[0] = (float)(1e-3 * side * from[0]);
    to[1] = (float)(1e-3 * from[2]);
    to[2] = (float)(-1e-3 * side * from[1]);
}

static rn_result take_data(const rni_volume_header *h, const char *name, const unsigned char *bytes,
                           size_t size, rni_volume_file *volume)
{
    const unsigned char *data = NULL;
    unsigned char *unpacked = NULL;
    rn_result result = find_data(h, name, bytes, size, &data, &unpacked);
    const size_t voxels = (size_t)h->count[0] * h->count[1] * h->count[2];
    if (result == RN_OK) {
        volume->value = malloc(voxels * sizeof(float));
        if (!volume->value)
            result = rni_fail(RN_ERROR_MEMORY, "%s: no memory for %zu voxels", name, voxels);
    }
    if (result == RN_OK) {
        const size_t step = rni_stored_bytes(h->type);
        for (size_t n = 0; n < voxels; n++) {
            const double value = rni_stored_load(data + n * step, h->type, h->is_big_endian);
            volume->value[n] = fabs(value) < 1e30 ? (float)value : NAN;
        }
        memcpy(volume->count, h->count, sizeof volume->count);
        turn(h, h->origin, volume->origin);
        for (int k = 0; k < 3; k++) turn(h, h->axis[k], volume->axis[k]);
    }
    free(unpacked);
    return result;
}

/* --- files ------------------------------------------------------------------------------------------------- */

static rn_result accept_opening(const char *name, const unsigned char *bytes, size_t size)
{
    (void)name, (void)bytes, (void)size;
    return RN_OK;
}

/* The data file lies beside the header. */
static rn_result read_beside(const rni_volume_header *h, rni_volume_file *volume)
{
    char path[4096];
    const char *folder = h->input->name, *slash = strrchr(folder, '/');
    const size_t length = (size_t)(h->data_file.end - h->data_file.begin);
    const size_t before = slash ? (size_t)(slash - folder) + 1 : 0;
    if (before + length >= sizeof path || *h->data_file.begin == '/' ||
        memmem(h->data_file.begin, length, "..", 2) || memchr(h->data_file.begin, 0, length))
        return rni_fail(RN_ERROR_FILE,
                        "%s: the data file '%s' should be in the same folder as the header", folder,
                        rni_show(h->data_file).text);
    memcpy(path, folder, before);
    memcpy(path + before, h->data_file.begin, length);
    path[before + length] = 0;
    const char *name;
    unsigned char *bytes;
    size_t size = 0;
    rn_result result = rni_whole_file_read(path, accept_opening, &name, &bytes, &size);
    const size_t skipped = h->data_at < size ? h->data_at : size;
    if (result == RN_OK) result = take_data(h, name, bytes + skipped, size - skipped, volume);
    free(bytes);
    return result;
}

static rn_result parse(const rni_reader *input, rni_volume_file *volume)
{
    rni_volume_header h = {.input = input, .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const bool is_nrrd = input->size >= 4 && memcmp(input->bytes, "NRRD", 4) == 0;
    rn_result result = is_nrrd ? rni_volume_nrrd_read(&h) : rni_volume_meta_read(&h);
    if (result != RN_OK) return result;
    if (!h.has_count || !h.has_type)
        return rni_fail(RN_ERROR_FILE, "%s: the header has no %s", input->name,
                        h.has_count ? "type of the voxels" : "sizes");
    if (h.data_file.begin != h.data_file.end) return read_beside(&h, volume);
    return take_data(&h, input->name, input->bytes + h.data_at, input->size - h.data_at, volume);
}

rn_result rni_volume_file_parse(const void *bytes, size_t size, const char *name,
                                rni_volume_file *volume)
{
    *volume = (rni_volume_file){.value = NULL};
    rni_reader input = {name, bytes, size, newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    if (input.c_locale == (locale_t)0)
        return rni_fail(RN_ERROR_MEMORY, "%s: no memory for a locale", name);
    rn_result result = parse(&input, volume);
    freelocale(input.c_locale);
    if (result != RN_OK) rni_volume_file_release(volume);
    return result;
}

rn_result rni_volume_file_read(const char *path, rni_volume_file *volume)
{
    const char *name;
    unsigned char *bytes;
    size_t size = 0;
    *volume = (rni_volume_file){.value = NULL};
    rn_result result = rni_whole_file_read(path, accept_opening, &name, &bytes, &size);
    if (result == RN_OK) result = rni_volume_file_parse(bytes, size, name, volume);
    free(bytes);
    return result;
}
