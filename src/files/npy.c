/* NPY, NumPy's single-array file: versions 1.0, 2.0 and 3.0, shape (N, 2) or (N, 3), in either
 * memory order. The header is a Python dictionary as text; the parser accepts only the subset of
 * Python that NumPy writes. */
#include "base/error.h"
#include "files/reader.h"
#include "files/stored.h"

#include <inttypes.h>
#include <string.h>

#define MAGIC_BYTES 6

typedef struct npy_header {
    rni_text descr; /* without its quotes; empty until found */
    rni_text order; /* True or False */
    bool has_shape;
    uint64_t shape[2];
    size_t axis_count;
} npy_header;

/* Parser state: the unread part of the dictionary. */
typedef struct npy_scan {
    const rni_reader *reader;
    rni_text rest;
} npy_scan;

static rn_result header_fail(const npy_scan *scan, const char *wrong)
{
    return rni_fail(RN_ERROR_FILE,
                    "%s: byte %zu: %s; the header should "
                    "read {'descr': '<f4', 'fortran_order': False, 'shape': (N, 3), }",
                    scan->reader->name,
                    (size_t)(scan->rest.begin - (const char *)scan->reader->bytes), wrong);
}

static bool take(npy_scan *scan, char letter)
{
    scan->rest = rni_text_trim(scan->rest);
    if (rni_text_is_empty(scan->rest) || *scan->rest.begin != letter) return false;
    scan->rest.begin++;
    return true;
}

static bool take_string(npy_scan *scan, rni_text *string)
{
    char quote = take(scan, '\'') ? '\'' : take(scan, '"') ? '"' : '\0';
    if (quote == '\0') return false;
    string->begin = scan->rest.begin;
    while (scan->rest.begin < scan->rest.end && *scan->rest.begin != quote) scan->rest.begin++;
    string->end = scan->rest.begin;
    return take(scan, quote);
}

/* A run of letters and digits: True, False, 12, and 12L as Python 2 wrote it. */
static rni_text take_name(npy_scan *scan)
{
    scan->rest = rni_text_trim(scan->rest);
    rni_text name = {scan->rest.begin, scan->rest.begin};
    while (name.end < scan->rest.end) {
        char letter = *name.end;
        bool is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
        if (!is_letter && !(letter >= '0' && letter <= '9')) break;
        name.end++;
    }
    scan->rest.begin = name.end;
    return name;
}

static rn_result read_shape(npy_scan *scan, npy_header *header)
{
    if (header->has_shape) return header_fail(scan, "a second shape");
    if (!take(scan, '(')) return header_fail(scan, "the shape does not open with (");
    while (!take(scan, ')')) {
        rni_text length = take_name(scan);
        if (length.end > length.begin && length.end[-1] == 'L') length.end--;
        uint64_t value;
        if (!rni_text_integer(length, &value))
            return header_fail(scan, "the shape is not made of integers");
        if (header->axis_count < 2) header->shape[header->axis_count] = value;
        header->axis_count++;
        if (!take(scan, ',')) {
            if (!take(scan, ')')) return header_fail(scan, "the shape does not end with )");
            break;
        }
    }
    header->has_shape = true;
    return RN_OK;
}

static rn_result read_header(npy_scan *scan, npy_header *header)
{
    if (!take(scan, '{')) return header_fail(scan, "the header does not open with {");
    while (!take(scan, '}')) {
        rni_text key;
        if (!take_string(scan, &key) || !take(scan, ':'))
            return header_fail(scan, "a key is missing");
        if (rni_text_is(key, "descr")) {
            if (!take_string(scan, &header->descr)) {
                return rni_fail(RN_ERROR_FILE,
                                "%s: the array is structured; save the coordinates as one "
                                "plain array of shape (N, 3)",
                                scan->reader->name);
            }
        } else if (rni_text_is(key, "fortran_order")) {
            header->order = take_name(scan);
        } else if (rni_text_is(key, "shape")) {
            rn_result result = read_shape(scan, header);
            if (result != RN_OK) return result;
        } else {
            return header_fail(scan, "a key is unknown");
        }
        if (!take(scan, ',')) {
            if (!take(scan, '}')) return header_fail(scan, "the header does not end with }");
            break;
        }
    }
    if (!header->descr.begin) return header_fail(scan, "descr is missing");
    if (!header->has_shape) return header_fail(scan, "the shape is missing");
    if (!header->order.begin) return header_fail(scan, "fortran_order is missing");
    if (!rni_text_is(header->order, "True") && !rni_text_is(header->order, "False")) {
        return header_fail(scan, "fortran_order is neither True nor False");
    }
    return RN_OK;
}

static rn_result read_type(const rni_reader *reader, rni_text descr, rni_stored *type,
                           bool *is_big_endian)
{
    static const char *const NAMES[] = {"i1", "u1", "i2", "u2", "i4", "u4",
                                        "i8", "u8", "f4", "f8", NULL};
    rni_text name = descr;
    *is_big_endian = RNI_NATIVE_IS_BIG_ENDIAN;
    if (name.begin < name.end && strchr("<>=|", *name.begin)) {
        if (*name.begin == '<') *is_big_endian = false;
        if (*name.begin == '>') *is_big_endian = true;
        name.begin++;
    }
    for (size_t k = 0; NAMES[k]; k++) {
        *type = (rni_stored)k;
        if (rni_text_is(name, NAMES[k])) return RN_OK;
    }
    return rni_fail(RN_ERROR_FILE,
                    "%s: numbers of type '%s' are not read; f4, f8 and the integers "
                    "i1 to u8 are, as in array.astype('<f4')",
                    reader->name, rni_show(descr).text);
}

static rn_result check_shape(const rni_reader *reader, const npy_header *header)
{
    const uint64_t *shape = header->shape;
    if (header->axis_count != 2) {
        return rni_fail(RN_ERROR_FILE,
                        "%s: the array has %zu ax%s; it should have two: shape (N, 2) or (N, 3)",
                        reader->name, header->axis_count, header->axis_count == 1 ? "is" : "es");
    }
    if (shape[1] != 2 && shape[1] != 3) {
        bool is_turned = shape[0] == 2 || shape[0] == 3;
        return rni_fail(RN_ERROR_FILE,
                        "%s: the shape is (%" PRIu64 ", %" PRIu64
                        "); it should be (N, 2) or (N, 3)%s",
                        reader->name, shape[0], shape[1], is_turned ? ": save array.T" : "");
    }
    return rni_points_check_count(reader, shape[0]);
}

/* The text of the dictionary, after the magic, the version and the length. */
static rn_result find_header(const rni_reader *reader, rni_text *dictionary)
{
    const unsigned char *bytes = reader->bytes;
    if (reader->size < MAGIC_BYTES + 2 || memcmp(bytes, "\x93NUMPY", MAGIC_BYTES) != 0) {
        return rni_fail(
            RN_ERROR_FILE,
            "%s: byte 0: this is not an NPY file, or only its first bytes; numpy.save writes one",
            reader->name);
    }
    unsigned major = bytes[MAGIC_BYTES], minor = bytes[MAGIC_BYTES + 1];
    if (major < 1 || major > 3 || minor != 0) {
        return rni_fail(RN_ERROR_FILE,
                        "%s: byte %d: NPY version %u.%u is unknown; 1.0, 2.0 and 3.0 are read",
                        reader->name, MAGIC_BYTES, major, minor);
    }
    rni_stored length_type = major == 1 ? RNI_STORED_U16 : RNI_STORED_U32;
    size_t at = MAGIC_BYTES + 2, length_bytes = rni_stored_bytes(length_type);
    size_t length = 0;
    bool is_whole = reader->size - at >= length_bytes;
    if (is_whole) {
        length = (size_t)rni_stored_load(bytes + at, length_type, false);
        at += length_bytes;
        is_whole = reader->size - at >= length;
    }
    if (!is_whole) {
        return rni_fail(RN_ERROR_FILE,
                        "%s: byte %zu: the file ends inside its header; it is cut short",
                        reader->name, reader->size);
    }
    dictionary->begin = (const char *)bytes + at;
    dictionary->end = dictionary->begin + length;
    return RN_OK;
}

rn_result rni_npy_parse(const rni_reader *reader, rni_point_file *out)
{
    npy_scan scan = {.reader = reader};
    rn_result result = find_header(reader, &scan.rest);
    if (result != RN_OK) return result;
    const unsigned char *data = (const unsigned char *)scan.rest.end;
    npy_header header = {0};
    rni_stored type = RNI_STORED_F32;
    bool is_big_endian = false;
    result = read_header(&scan, &header);
    if (result == RN_OK) result = read_type(reader, header.descr, &type, &is_big_endian);
    if (result == RN_OK) result = check_shape(reader, &header);
    if (result != RN_OK) return result;

    uint32_t dim = header.shape[1] == 3 ? 3 : 2;
    size_t count = (size_t)header.shape[0], bytes = rni_stored_bytes(type);
    size_t offset = (size_t)(data - reader->bytes), there = (reader->size - offset) / (dim * bytes);
    if (there < count) {
        return rni_fail(RN_ERROR_FILE,
                        "%s: byte %zu: the header promises %zu points of %u numbers, %zu bytes each, "
                        "the file has %zu; it is cut short",
                        reader->name, offset, count, dim, bytes, there);
    }
    size_t end = offset + count * dim * bytes;
    if (end < reader->size) {
        return rni_fail(RN_ERROR_FILE,
                        "%s: byte %zu: the header promises %zu points of %u numbers, %zu bytes each, "
                        "%zu bytes more follow; one array is read, from a file of its own",
                        reader->name, end, count, dim, bytes, reader->size - end);
    }
    result = rni_points_reserve(
        reader, dim, type == RNI_STORED_F32 ? RN_SCALAR_FLOAT : RN_SCALAR_DOUBLE, count, out);
    if (result != RN_OK) return result;
    out->format = "NPY";
    bool is_fortran = rni_text_is(header.order, "True");
    size_t point_step = is_fortran ? bytes : dim * bytes,
           axis_step = is_fortran ? count * bytes : bytes;
    for (size_t i = 0; i < count; i++) {
        double position[3] = {0, 0, 0};
        for (uint32_t k = 0; k < dim; k++) {
            position[k] = rni_stored_load(data + i * point_step + k * axis_step, type, is_big_endian);
        }
        rni_points_append(out, position);
    }
    return RN_OK;
}
