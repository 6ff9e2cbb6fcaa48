#include "files/point_file.h"

#include "base/error.h"
#include "files/reader.h"
#include "files/whole_file.h"

#include <stdlib.h>
#include <string.h>

typedef rn_result (*parse_fn)(const rni_reader *reader, rni_point_file *out);

static rni_text extension_of(const char *name)
{
    const char *end = name + strlen(name), *dot = strrchr(name, '.');
    return (rni_text){dot ? dot : end, end};
}

static bool opens_with(const rni_reader *reader, const char *letters, size_t count)
{
    return reader->size >= count && memcmp(reader->bytes, letters, count) == 0;
}

/* The format that the first bytes identify, or NULL. */
static parse_fn signed_format(const rni_reader *reader)
{
    if (opens_with(reader, "\x93NUMPY", 6)) return rni_npy_parse;
    rni_lines lines = rni_lines_begin(reader);
    rni_text line = {lines.at, lines.at};
    bool is_ply = rni_lines_next(&lines, &line) && rni_text_is(rni_text_trim(line), "ply");
    return is_ply ? rni_ply_parse : NULL;
}

/* The content decides the format; if it leaves the format open, the file name decides. */
static parse_fn choose_format(const rni_reader *reader)
{
    parse_fn by_content = signed_format(reader);
    if (by_content) return by_content;
    rni_text extension = extension_of(reader->name);
    if (rni_text_is_any_case(extension, ".ply")) return rni_ply_parse;
    if (rni_text_is_any_case(extension, ".npy")) return rni_npy_parse;
    if (rni_text_is_any_case(extension, ".csv") || rni_text_is_any_case(extension, ".tsv")) {
        return rni_csv_parse;
    }
    rni_lines lines = rni_lines_begin(reader);
    rni_text line;
    bool has_data = rni_lines_next_filled(&lines, true, &line);
    if (has_data && (rni_text_has(line, ',') || rni_text_has(line, ';'))) return rni_csv_parse;
    return rni_xyz_parse;
}

static bool looks_binary(const rni_reader *reader)
{
    size_t size = reader->size < RNI_OPENING_BYTES ? reader->size : RNI_OPENING_BYTES;
    return memchr(reader->bytes, 0, size) != NULL;
}

static rn_result fail_stranger(const rni_reader *reader, const char *stranger)
{
    return rni_fail(RN_ERROR_FILE, "%s: the file %s", reader->name, stranger);
}

static rn_result fail_binary(const rni_reader *reader)
{
    return rni_fail(RN_ERROR_FILE,
                    "%s: the file is binary, but opens like neither PLY nor NPY; PLY, XYZ, "
                    "CSV and NPY point files are read",
                    reader->name);
}

/* Checks from the first bytes whether the file is worth reading. */
static rn_result check_opening(const char *name, const unsigned char *bytes, size_t size)
{
    const rni_reader opening = {.name = name, .bytes = bytes, .size = size}, *reader = &opening;
    const char *stranger = rni_known_stranger(reader->bytes, reader->size);
    if (stranger) return fail_stranger(reader, stranger);
    return looks_binary(reader) && !signed_format(reader) ? fail_binary(reader) : RN_OK;
}

rn_result rni_point_file_parse(const void *bytes, size_t size, const char *name, rni_point_file *out)
{
    *out = (rni_point_file){0};
    rni_reader reader = {name ? name : "points", bytes, size, (locale_t)0};
    if (size == 0) {
        return rni_fail(RN_ERROR_FILE,
                        "%s: the file is empty; PLY, XYZ, CSV and NPY point files are read",
                        reader.name);
    }
    const char *stranger = rni_known_stranger(reader.bytes, reader.size);
    if (stranger) return fail_stranger(&reader, stranger);
    parse_fn parse = choose_format(&reader);
    bool is_text = parse == rni_xyz_parse || parse == rni_csv_parse;
    if (is_text && looks_binary(&reader)) return fail_binary(&reader);
    reader.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (reader.c_locale == (locale_t)0) {
        return rni_fail(RN_ERROR_MEMORY, "%s: no memory for a locale", reader.name);
    }
    rn_result result = parse(&reader, out);
    freelocale(reader.c_locale);
    if (result != RN_OK) rni_point_file_release(out);
    return result;
}

rn_result rni_point_file_read(const char *path, rni_point_file *out)
{
    *out = (rni_point_file){0};
    const char *name;
    unsigned char *bytes;
    size_t size = 0;
    rn_result result = rni_whole_file_read(path, check_opening, &name, &bytes, &size);
    if (result == RN_OK) result = rni_point_file_parse(bytes, size, name, out);
    free(bytes);
    return result;
}

void rni_point_file_release(rni_point_file *cloud)
{
    if (!cloud) return;
    free(cloud->position);
    *cloud = (rni_point_file){0};
}
