#include "output/vtp_read.h"
#include "output/xml.h"

#include "base/error.h"
#include "files/stored.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_BYTES 65536u
#define PIECE_BYTES  49152u /* a multiple of every row: 3 * 8 bytes and less */

/* A file that is being read. */
typedef struct reading {
    const char *path;
    int file;
    uint64_t size;
    uint64_t data_at; /* of the appended data, behind the underscore */
    bool is_big_endian;
    uint64_t offset[RNI_VTP_MAX_ARRAYS];
    rni_stored stored[RNI_VTP_MAX_ARRAYS];
    size_t header_bytes;
    char header[HEADER_BYTES];
} reading;

static rn_result fail_format(const reading *r, const char *what)
{
    return rni_fail(RN_ERROR_FILE, "%s: %s", r->path, what);
}

static bool read_at(const reading *r, void *bytes, size_t size, uint64_t at)
{
    unsigned char *to = bytes;
    while (size > 0) {
        ssize_t got = pread(r->file, to, size, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        to += got;
        at += (uint64_t)got;
        size -= (size_t)got;
    }
    return true;
}

static bool stored_of(const char *type, rni_stored *stored)
{
    static const struct {
        const char *name;
        rni_stored stored;
    } TYPES[] = {{"Float32", RNI_STORED_F32}, {"Float64", RNI_STORED_F64},
                 {"Int8", RNI_STORED_I8},     {"UInt8", RNI_STORED_U8},
                 {"Int16", RNI_STORED_I16},   {"UInt16", RNI_STORED_U16},
                 {"Int32", RNI_STORED_I32},   {"UInt32", RNI_STORED_U32},
                 {"Int64", RNI_STORED_I64},   {"UInt64", RNI_STORED_U64}};
    for (size_t k = 0; k < sizeof TYPES / sizeof *TYPES; k++)
        if (strcmp(type, TYPES[k].name) == 0) {
            *stored = TYPES[k].stored;
            return true;
        }
    return false;
}

/* The number between a tag and the next, of a field written as text. */
static bool number_behind(const rni_xml_tag *tag, const char *end, double *value)
{
    char text[40];
    size_t length = 0;
    while (length + 1 < sizeof text && tag->end + length < end && tag->end[length] != '<') {
        text[length] = tag->end[length];
        length++;
    }
    text[length] = 0;
    char *rest;
    *value = strtod(text, &rest);
    return rest != text && isfinite(*value);
}

static rn_result take_array(reading *r, const rni_xml_tag *tag, const char *end, rni_vtp_info *info)
{
    char name[32], type[16], format[16];
    uint64_t components = 1, offset;
    double number;
    if (!rni_xml_attribute(tag, "Name", name, sizeof name) ||
        !rni_xml_attribute(tag, "type", type, sizeof type) ||
        !rni_xml_attribute(tag, "format", format, sizeof format))
        return fail_format(r, "a DataArray in its header lacks Name, type or format");
    for (char *c = name; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?';
    if (strcmp(format, "ascii") == 0) {
        bool is_time = strcmp(name, "TimeValue") == 0, is_step = strcmp(name, "Step") == 0;
        if ((is_time || is_step) && !number_behind(tag, end, &number))
            return fail_format(r, "its time or step is not a number");
        if (is_time) info->time = number, info->has_time = true;
        if (is_step && number >= 0 && number < 1e18) info->step = (uint64_t)number;
        return is_time || is_step
                   ? RN_OK
                   : fail_format(r, "holds numbers as text; only raw appended data is read");
    }
    uint32_t k = info->array_count;
    if (k == RNI_VTP_MAX_ARRAYS) return fail_format(r, "has more arrays than Runnel writes");
    rni_vtp_array *array = &info->array[k];
    if (strcmp(format, "appended") != 0 || !rni_xml_whole(tag, "offset", &offset) ||
        !stored_of(type, &r->stored[k]))
        return fail_format(r, "only arrays of plain numbers in raw appended data are read");
    if (!rni_xml_whole(tag, "NumberOfComponents", &components)) components = 1;
    if (components < 1 || components > 3)
        return fail_format(r, "an array has other than 1 to 3 components");
    memcpy(array->name, name, sizeof name);
    memcpy(array->type, type, sizeof type);
    array->components = (uint32_t)components;
    r->offset[k] = offset;
    info->array_count++;
    return RN_OK;
}

static rn_result take_header(reading *r, rni_vtp_info *info)
{
    const char *at = r->header, *end = r->header + r->header_bytes;
    char text[32];
    bool is_vtk = false, has_piece = false;
    rni_xml_tag tag;
    while (rni_xml_next(&at, end, &tag)) {
        rn_result result = RN_OK;
        if (rni_xml_is(&tag, "VTKFile")) {
            is_vtk = rni_xml_attribute(&tag, "type", text, sizeof text) &&
                     strcmp(text, "PolyData") == 0 &&
                     rni_xml_attribute(&tag, "header_type", text, sizeof text) &&
                     strcmp(text, "UInt64") == 0;
            r->is_big_endian = rni_xml_attribute(&tag, "byte_order", text, sizeof text) &&
                               strcmp(text, "BigEndian") == 0;
            if (rni_xml_attribute(&tag, "compressor", text, sizeof text))
                return fail_format(r, "is compressed; only what Runnel writes is read");
        } else if (!is_vtk) {
            break;
        } else if (rni_xml_is(&tag, "Piece")) {
            if (has_piece) return fail_format(r, "has several pieces; Runnel writes one");
            has_piece = rni_xml_whole(&tag, "NumberOfPoints", &info->points) &&
                        rni_xml_whole(&tag, "NumberOfVerts", &info->verts);
            if (!rni_xml_whole(&tag, "NumberOfPolys", &info->polys)) info->polys = 0;
            if (!has_piece)
                return fail_format(r, "its Piece does not say how many points there are");
        } else if (rni_xml_is(&tag, "DataArray")) {
            result = take_array(r, &tag, end, info);
        } else if (rni_xml_is(&tag, "AppendedData")) {
            const char *data = memchr(tag.end, '_', (size_t)(end - tag.end));
            if (!has_piece || !data) break;
            r->data_at = (uint64_t)(data + 1 - r->header);
            return RN_OK;
        }
        if (result != RN_OK) return result;
    }
    return fail_format(r, is_vtk ? "its header has no end; only what Runnel writes is read"
                                 : "is not a VTK PolyData file with 64-bit lengths");
}

/* Rows that an array has to have. */
static uint64_t rows_of(const rni_vtp_info *info, const char *name)
{
    const bool is_corners = strcmp(name, "connectivity") == 0;
    const bool is_cells = is_corners || strcmp(name, "offsets") == 0;
    if (info->polys == 0) return is_cells ? info->verts : info->points;
    if (info->polys > UINT64_MAX / 3) return UINT64_MAX;
    if (is_corners) return 3 * info->polys;
    return is_cells || strcmp(name, "solid") == 0 ? info->polys : info->points;
}

/* Checks the length before an array against the header and the file. */
static rn_result check_array(const reading *r, uint32_t k, rni_vtp_info *info)
{
    rni_vtp_array *array = &info->array[k];
    uint64_t row = (uint64_t)array->components * rni_stored_bytes(r->stored[k]);
    uint64_t available = r->size - r->data_at;
    uint64_t rows = rows_of(info, array->name);
    unsigned char bytes[8];
    if (available < 8 || r->offset[k] > available - 8 ||
        !read_at(r, bytes, 8, r->data_at + r->offset[k]))
        return rni_fail(RN_ERROR_FILE, "%s: is cut off before the array %s", r->path, array->name);
    uint64_t length = 0;
    for (unsigned b = 0; b < 8; b++)
        length |= (uint64_t)bytes[b] << (r->is_big_endian ? 56 - 8 * b : 8 * b);
    if (length > available - 8 - r->offset[k])
        return rni_fail(RN_ERROR_FILE, "%s: is cut off in the array %s: %llu bytes are announced",
                        r->path, array->name, (unsigned long long)length);
    if (length % row != 0 || length / row != rows)
        return rni_fail(RN_ERROR_FILE,
                        "%s: is damaged: the array %s has %llu bytes, which is not %llu rows",
                        r->path, array->name, (unsigned long long)length, (unsigned long long)rows);
    array->rows = rows;
    return RN_OK;
}

static rn_result take_range(const reading *r, uint32_t k, rni_vtp_array *array)
{
    static const double NONE = 1;
    size_t each = rni_stored_bytes(r->stored[k]), row = array->components * each;
    uint64_t at = r->data_at + r->offset[k] + 8, left = array->rows * row;
    unsigned char *piece = malloc(PIECE_BYTES);
    if (!piece) return rni_fail(RN_ERROR_MEMORY, "%s: no memory for a buffer", r->path);
    bool has_any[3] = {false, false, false};
    while (left > 0) {
        size_t take = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
        if (!read_at(r, piece, take, at)) break;
        for (size_t b = 0; b < take; b += each) {
            uint32_t axis = (uint32_t)((b % row) / each);
            double value = rni_stored_load(piece + b, r->stored[k], r->is_big_endian);
            if (!isfinite(value)) {
                array->not_finite++;
                continue;
            }
            if (!has_any[axis] || value < array->low[axis]) array->low[axis] = value;
            if (!has_any[axis] || value > array->high[axis]) array->high[axis] = value;
            has_any[axis] = true;
        }
        at += take;
        left -= take;
    }
    free(piece);
    for (uint32_t axis = 0; axis < 3; axis++)
        if (!has_any[axis]) array->low[axis] = NONE, array->high[axis] = -NONE;
    return left ? rni_fail(RN_ERROR_FILE, "%s: cannot be read to its end", r->path) : RN_OK;
}

static rn_result read_open(reading *r, bool with_ranges, rni_vtp_info *info)
{
    struct stat about;
    if (fstat(r->file, &about) != 0 || !S_ISREG(about.st_mode))
        return fail_format(r, "is not a plain file");
    r->size = info->bytes = (uint64_t)about.st_size;
    r->header_bytes = r->size < HEADER_BYTES ? (size_t)r->size : HEADER_BYTES;
    if (!read_at(r, r->header, r->header_bytes, 0)) return fail_format(r, "cannot be read");
    rn_result result = take_header(r, info);
    for (uint32_t k = 0; result == RN_OK && k < info->array_count; k++) {
        result = check_array(r, k, info);
        if (result == RN_OK && with_ranges) result = take_range(r, k, &info->array[k]);
    }
    return result;
}

static rn_result open_file(reading *r, const char *path)
{
    r->path = path;
    r->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    r->is_big_endian = false;
    if (r->file >= 0) return RN_OK;
    return rni_fail(RN_ERROR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
}

rn_result rni_vtp_read(const char *path, bool with_ranges, rni_vtp_info *info)
{
    reading r;
    *info = (rni_vtp_info){0};
    rn_result result = open_file(&r, path);
    if (result != RN_OK) return result;
    result = read_open(&r, with_ranges, info);
    close(r.file);
    return result;
}

/* The whole of an array that check_array() has seen. */
static rn_result take_rows(const reading *r, uint32_t k, const rni_vtp_array *array, float **rows)
{
    size_t each = rni_stored_bytes(r->stored[k]);
    uint64_t count = array->rows * array->components;
    uint64_t at = r->data_at + r->offset[k] + 8;
    float *list = malloc((size_t)(count + 1) * sizeof *list);
    unsigned char *piece = malloc(PIECE_BYTES);
    rn_result result = RN_OK;
    if (!list || !piece)
        result = rni_fail(RN_ERROR_MEMORY, "%s: no memory for its particles", r->path);
    for (uint64_t done = 0; result == RN_OK && done < count;) {
        uint64_t left = count - done;
        size_t numbers = left < PIECE_BYTES / each ? (size_t)left : PIECE_BYTES / each;
        if (!read_at(r, piece, numbers * each, at + done * each))
            result = rni_fail(RN_ERROR_FILE, "%s: cannot be read to its end", r->path);
        for (size_t n = 0; result == RN_OK && n < numbers; n++)
            list[done + n] = (float)rni_stored_load(piece + n * each, r->stored[k], r->is_big_endian);
        done += numbers;
    }
    free(piece);
    if (result == RN_OK) *rows = list;
    else free(list);
    return result;
}

/* flaw: of the file, once its header is known; NULL: none. */
static rn_result load(const char *path, const char *name, uint32_t components,
                      const char *(*flaw)(const rni_vtp_info *info), rni_vtp_info *info, float **rows)
{
    reading r;
    *info = (rni_vtp_info){0};
    *rows = NULL;
    rn_result result = open_file(&r, path);
    if (result != RN_OK) return result;
    result = read_open(&r, false, info);
    if (result == RN_OK && flaw(info)) result = fail_format(&r, flaw(info));
    for (uint32_t k = 0; result == RN_OK && !*rows && k < info->array_count; k++) {
        const rni_vtp_array *array = &info->array[k];
        if (strcmp(array->name, name) == 0 && array->components == components)
            result = take_rows(&r, k, array, rows);
    }
    close(r.file);
    return result;
}

static const char *flaw_of_frame(const rni_vtp_info *info)
{
    return info->polys > 0 ? "holds the triangles of solids and no particles" : NULL;
}

static const char *flaw_of_mesh(const rni_vtp_info *info)
{
    return info->polys > 0 ? NULL : "holds no triangles";
}

rn_result rni_vtp_load(const char *path, const char *name, uint32_t components, rni_vtp_info *info,
                       float **rows)
{
    return load(path, name, components, flaw_of_frame, info, rows);
}

rn_result rni_vtp_load_vertices(const char *path, const char *name, uint32_t components,
                                rni_vtp_info *info, float **rows)
{
    return load(path, name, components, flaw_of_mesh, info, rows);
}

/* --- the list of frames --------------------------------------------------------------------------- */

static void take_entry(const char *path, const rni_xml_tag *tag, rni_pvd_info *info)
{
    char text[64], name[256], full[4096];
    const char *slash = strrchr(path, '/');
    double time = 0;
    if (rni_xml_attribute(tag, "timestep", text, sizeof text)) time = strtod(text, NULL);
    if (!isfinite(time)) time = 0;
    /* Other parts of a frame, such as its solids, are no further frames. */
    const bool is_part = rni_xml_attribute(tag, "part", text, sizeof text) && strcmp(text, "0") != 0;
    if (!is_part) {
        if (info->frames == 0) info->first = time, info->is_ascending = true;
        if (info->frames > 0 && !(time > info->last)) info->is_ascending = false;
        info->last = time;
        info->frames++;
    }
    if (!rni_xml_attribute(tag, "file", name, sizeof name))
        snprintf(name, sizeof name, "(no name)");
    int length = snprintf(full, sizeof full, "%.*s%s",
                          slash && name[0] != '/' ? (int)(slash + 1 - path) : 0, path, name);
    if (length > 0 && length < (int)sizeof full && access(full, F_OK) == 0) return;
    if (info->missing++ == 0) snprintf(info->missing_name, sizeof info->missing_name, "%s", name);
}

rn_result rni_pvd_read(const char *path, rni_pvd_info *info)
{
    char line[8192];
    bool is_pvd = false;
    *info = (rni_pvd_info){.is_ascending = true};
    FILE *file = fopen(path, "re");
    if (!file) return rni_fail(RN_ERROR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
    while (fgets(line, sizeof line, file)) {
        const char *at = line, *end = line + strlen(line);
        rni_xml_tag tag;
        while (rni_xml_next(&at, end, &tag)) {
            if (rni_xml_is(&tag, "Collection")) is_pvd = true;
            if (is_pvd && rni_xml_is(&tag, "DataSet")) take_entry(path, &tag, info);
        }
    }
    bool is_bad = ferror(file) != 0;
    fclose(file);
    if (is_bad) return rni_fail(RN_ERROR_FILE, "%s: cannot be read", path);
    return is_pvd ? RN_OK : rni_fail(RN_ERROR_FILE, "%s: is not a list of VTK files (.pvd)", path);
}
