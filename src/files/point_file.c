#include "files/point_file.h"

#include "base/error.h"
#include "files/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* So much is enough to tell what a file is; a device may go on for ever. */
#define FIRST_READ_BYTES (1u << 16)

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

/* What people do hand to a reader of points, and what they can do about it. */
static const char *known_stranger(const rni_reader *reader)
{
    if (opens_with(reader, "\x1f\x8b", 2)) return "is packed with gzip; unpack it first";
    if (opens_with(reader, "PK\x03\x04", 4)) return "is a ZIP or NPZ archive; unpack it first";
    if (opens_with(reader, "\x89HDF", 4)) return "is an HDF5 file; export the points as NPY or CSV";
    if (opens_with(reader, "\xff\xfe", 2) || opens_with(reader, "\xfe\xff", 2)) {
        return "is UTF-16 text; save it as UTF-8";
    }
    return NULL;
}

/* The format that the first bytes name, or NULL. */
static parse_fn signed_format(const rni_reader *reader)
{
    if (opens_with(reader, "\x93NUMPY", 6)) return rni_npy_parse;
    rni_lines lines = rni_lines_begin(reader);
    rni_text line = {lines.at, lines.at};
    bool is_ply = rni_lines_next(&lines, &line) && rni_text_is(rni_text_trim(line), "ply");
    return is_ply ? rni_ply_parse : NULL;
}

/* The content decides; a file that says nothing about itself is what its name says. */
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
    size_t size = reader->size < FIRST_READ_BYTES ? reader->size : FIRST_READ_BYTES;
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

/* From the first bytes of a file: whether the rest is worth reading. */
static rn_result check_opening(const rni_reader *reader)
{
    const char *stranger = known_stranger(reader);
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
    const char *stranger = known_stranger(&reader);
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

/* All bytes that file gives until its end, unless the first of them are of no use; the caller frees
 * *bytes, also on failure. */
static rn_result read_all(int file, const char *name, unsigned char **bytes, size_t *size)
{
    struct stat about;
    size_t capacity = FIRST_READ_BYTES;
    /* One byte more than the file has: the read that finds the end needs no growth. */
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
        capacity = (size_t)about.st_size + 1;
    }
    *size = 0;
    for (;;) {
        if (*bytes == NULL || *size == capacity) {
            if (*bytes) capacity *= 2;
            unsigned char *larger = realloc(*bytes, capacity);
            if (!larger) {
                return rni_fail(RN_ERROR_MEMORY, "%s: no memory for a file of %zu bytes", name,
                                capacity);
            }
            *bytes = larger;
        }
        bool is_opening = *size < FIRST_READ_BYTES && capacity > FIRST_READ_BYTES;
        size_t wanted = is_opening ? FIRST_READ_BYTES - *size : capacity - *size;
        ssize_t got = read(file, *bytes + *size, wanted);
        if (got == 0) return RN_OK;
        if (got > 0) {
            *size += (size_t)got;
            if (*size != FIRST_READ_BYTES) continue;
            rn_result result =
                check_opening(&(rni_reader){.name = name, .bytes = *bytes, .size = *size});
            if (result != RN_OK) return result;
        } else if (errno != EINTR) {
            return rni_fail(RN_ERROR_FILE, "%s: cannot be read: %s", name, strerror(errno));
        }
    }
}

rn_result rni_point_file_read(const char *path, rni_point_file *out)
{
    *out = (rni_point_file){0};
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    int file = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return rni_fail(RN_ERROR_FILE, "%s: cannot be opened: %s", name, strerror(errno));
    }
    unsigned char *bytes = NULL;
    size_t size = 0;
    rn_result result = read_all(file, name, &bytes, &size);
    if (!is_stdin) close(file);
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
