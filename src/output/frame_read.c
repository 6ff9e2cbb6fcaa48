#include "output/frame_read.h"
#include "output/crc64.h"
#include "output/h5_notes.h"
#include "output/vtp_read.h"

#include "base/error.h"
#include "files/point_file.h"
#include "files/stored.h"
#include "frame/frame.h"

#include <runnel/fluid.h>

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES     256u
#define HEADER_LINES   128u
#define PROPERTY_COUNT (3u * RN_FRAME_MAX_ATTRIBUTES)
#define RECORD_BYTES   (PROPERTY_COUNT * 4u)
#define COUNT_MAX      0x7fffffffu
#define NO_ATTRIBUTE   UINT32_MAX

static bool is_h5(const void *bytes, size_t size)
{
    return size >= 8 && memcmp(bytes, "\211HDF\r\n\032\n", 8) == 0;
}

bool rni_frame_file_is(const void *bytes, size_t size)
{
    return is_h5(bytes, size) || (size >= 5 && memcmp(bytes, "<?xml", 5) == 0) ||
           (size >= 4 && (memcmp(bytes, "ply\n", 4) == 0 || memcmp(bytes, "ply\r", 4) == 0));
}

void rni_frame_file_release(rni_frame_file *file)
{
    for (uint32_t k = 0; k < RN_FRAME_MAX_ATTRIBUTES; k++) free(file->rows[k]);
    memset(file, 0, sizeof *file);
}

/* --- attributes ----------------------------------------------------------------------------------- */

/* Files have no units; those of a fluid's attributes are known. */
static const char *unit_of(const char *name)
{
    const rn_frame known = rn_fluid_frame_default();
    const rn_attribute *attribute = rn_frame_get_attribute(&known, name);
    return attribute ? attribute->unit : "1";
}

/* The place of an attribute, which is added when the file has not named it before; NO_ATTRIBUTE: it is
 * not one that Runnel writes, and is left out. */
static uint32_t place_of(rni_frame_file *file, const char *name, uint32_t components)
{
    rn_frame *frame = &file->frame;
    const rn_attribute *there = rn_frame_get_attribute(frame, name);
    if (there)
        return there->components == components ? (uint32_t)(there - frame->attribute) : NO_ATTRIBUTE;
    uint32_t k = frame->attribute_count;
    if (k == RN_FRAME_MAX_ATTRIBUTES || strlen(name) >= RN_ATTRIBUTE_NAME_BYTES)
        return NO_ATTRIBUTE;
    snprintf(file->name[k], sizeof file->name[k], "%s", name);
    rn_attribute attribute = {.name = file->name[k],
                              .unit = unit_of(name),
                              .components = components,
                              .flags = RN_ATTRIBUTE_IN_FILES};
    return rn_frame_add_attribute(frame, &attribute) == RN_OK ? k : NO_ATTRIBUTE;
}

static void begin(rni_frame_file *file)
{
    memset(file, 0, sizeof *file);
    file->frame = rn_frame_default();
    file->frame.time = (double)NAN;
    place_of(file, "position", 3);
}

static rn_result end(rni_frame_file *file)
{
    rn_frame *frame = &file->frame;
    const float *position = file->rows[0];
    frame->dim = frame->count > 0 ? 2 : 3;
    for (uint32_t i = 0; i < frame->count && frame->dim == 2; i++)
        if (position[3 * (size_t)i + 2] != 0) frame->dim = 3;
    for (uint32_t k = 0; k < frame->attribute_count; k++) frame->attribute[k].data = file->rows[k];
    rn_result result = rn_frame_add_derived(frame);
    assert(result != RN_OK || !rni_frame_flaw(frame));
    return result;
}

/* --- VTK ------------------------------------------------------------------------------------------ */

static rn_result read_vtp(const char *path, rni_frame_file *out)
{
    rni_vtp_info info, again;
    rn_result result = rni_vtp_read(path, false, &info);
    for (uint32_t k = 0; result == RN_OK && k < info.array_count; k++) {
        const rni_vtp_array *array = &info.array[k];
        bool is_cells =
            strcmp(array->name, "connectivity") == 0 || strcmp(array->name, "offsets") == 0;
        if (is_cells || (array->components != 1 && array->components != 3)) continue;
        uint32_t place = place_of(out, array->name, array->components);
        if (place == NO_ATTRIBUTE || out->rows[place]) continue;
        result = rni_vtp_load(path, array->name, array->components, &again, &out->rows[place]);
        if (result == RN_OK && (again.points != info.points || !out->rows[place]))
            result = rni_fail(RN_ERROR_FILE, "%s: changed while it was read", path);
    }
    if (result != RN_OK) return result;
    if (!out->rows[0] || info.points > COUNT_MAX)
        return rni_fail(RN_ERROR_FILE,
                        "%s: has no array \"position\" of 3 components; only what Runnel "
                        "writes is read",
                        path);
    out->frame.count = (uint32_t)info.points;
    out->frame.step = info.step;
    if (info.has_time) out->frame.time = info.time;
    return RN_OK;
}

/* --- PLY ------------------------------------------------------------------------------------------ */

/* Where a property goes: to which attribute (or NO_ATTRIBUTE) and component. */
typedef struct property {
    uint32_t attribute, component;
    rni_stored stored;
} property;

typedef struct ply {
    const char *path;
    FILE *file;
    rni_frame_file *out;
    bool is_big_endian, has_format, has_end;
    bool is_foreign; /* well formed, but of types that Runnel does not write */
    uint64_t count;
    property property[PROPERTY_COUNT];
    uint32_t property_count;
} ply;

static rn_result fail_ply(const ply *p, const char *what)
{
    return rni_fail(RN_ERROR_FILE, "%s: %s", p->path, what);
}

/* x y z, vx vy vz, NAME_x NAME_y NAME_z, or NAME: as ply_frame.c writes them. */
static property property_of(rni_frame_file *out, const char *name)
{
    static const char AXES[] = "xyz";
    size_t length = strlen(name);
    const char *axis = length ? strchr(AXES, name[length - 1]) : NULL;
    char vector[32] = "";
    if (axis && length == 1) snprintf(vector, sizeof vector, "position");
    else if (axis && length == 2 && name[0] == 'v') snprintf(vector, sizeof vector, "velocity");
    else if (axis && length > 2 && length < sizeof vector && name[length - 2] == '_')
        snprintf(vector, sizeof vector, "%.*s", (int)(length - 2), name);
    if (!vector[0]) return (property){.attribute = place_of(out, name, 1)};
    return (property){.attribute = place_of(out, vector, 3), .component = (uint32_t)(axis - AXES)};
}

static rn_result take_property(ply *p, const char *type, const char *name)
{
    if (p->property_count == PROPERTY_COUNT)
        return fail_ply(p, "has more properties than Runnel writes");
    property to = property_of(p->out, name);
    bool is_place = to.attribute == 0;
    if (strcmp(type, "float") == 0) to.stored = RNI_STORED_F32;
    else if (strcmp(type, "uint") == 0 && !is_place) to.stored = RNI_STORED_U32;
    else {
        p->is_foreign = true;
        return fail_ply(p, "has properties that are neither float nor uint");
    }
    p->property[p->property_count++] = to;
    return RN_OK;
}

static rn_result take_line(ply *p, char *line)
{
    char first[16];
    char second[32];
    char third[32];
    unsigned long long count;
    line[strcspn(line, "\r\n")] = '\0';
    if (strcmp(line, "ply") == 0) return RN_OK;
    if (sscanf(line, "comment time %lf", &p->out->frame.time) == 1) return RN_OK;
    if (sscanf(line, "comment step %llu", &count) == 1) {
        p->out->frame.step = count;
        return RN_OK;
    }
    if (strncmp(line, "comment", 7) == 0) return RN_OK;
    p->has_end = strcmp(line, "end_header") == 0;
    if (p->has_end) return RN_OK;
    if (sscanf(line, "format %31s 1.0", second) == 1) {
        p->is_big_endian = strcmp(second, "binary_big_endian") == 0;
        p->has_format = p->is_big_endian || strcmp(second, "binary_little_endian") == 0;
        p->is_foreign = !p->has_format;
        return p->has_format ? RN_OK : fail_ply(p, "holds numbers as text");
    }
    if (sscanf(line, "element vertex %llu", &count) == 1 && p->count == 0 && p->property_count == 0) {
        p->count = count;
        return count <= COUNT_MAX ? RN_OK : fail_ply(p, "has more particles than can be drawn");
    }
    if (sscanf(line, "%15s %31s %31s", first, second, third) == 3 && strcmp(first, "property") == 0)
        return take_property(p, second, third);
    return fail_ply(p, "its header is not one that Runnel writes");
}

static rn_result take_header(ply *p)
{
    char line[LINE_BYTES];
    for (uint32_t k = 0; k < HEADER_LINES && !p->has_end; k++) {
        if (!fgets(line, sizeof line, p->file)) break;
        rn_result result = take_line(p, line);
        if (result != RN_OK) return result;
    }
    bool has_place[3] = {false, false, false};
    for (uint32_t k = 0; k < p->property_count; k++)
        if (p->property[k].attribute == 0) has_place[p->property[k].component] = true;
    if (!p->has_end || !p->has_format || !has_place[0] || !has_place[1] || !has_place[2])
        return fail_ply(p, "its header lacks x, y or z; only what Runnel writes is read");
    return RN_OK;
}

/* Checks the size of the file against its header. */
static rn_result check_size(const ply *p)
{
    long at = ftell(p->file);
    if (at < 0 || fseek(p->file, 0, SEEK_END) != 0) return fail_ply(p, "is not a plain file");
    long end = ftell(p->file);
    if (end < at || fseek(p->file, at, SEEK_SET) != 0) return fail_ply(p, "cannot be read");
    uint64_t announced = p->count * p->property_count * 4;
    if (announced > (uint64_t)(end - at))
        return rni_fail(RN_ERROR_FILE,
                        "%s: is cut off: its header announces %llu particles, the file has %llu",
                        p->path, (unsigned long long)p->count,
                        (unsigned long long)((uint64_t)(end - at) / (p->property_count * 4)));
    return RN_OK;
}

static rn_result take_rows(ply *p)
{
    unsigned char record[RECORD_BYTES];
    rni_frame_file *out = p->out;
    const rn_frame *frame = &out->frame;
    for (uint32_t k = 0; k < frame->attribute_count; k++) {
        out->rows[k] = calloc((size_t)p->count * frame->attribute[k].components + 1, sizeof(float));
        if (!out->rows[k])
            return rni_fail(RN_ERROR_MEMORY, "%s: no memory for its particles", p->path);
    }
    for (uint64_t i = 0; i < p->count; i++) {
        if (fread(record, 4, p->property_count, p->file) != p->property_count)
            return fail_ply(p, "cannot be read to its end");
        for (uint32_t k = 0; k < p->property_count; k++) {
            const property *to = &p->property[k];
            if (to->attribute == NO_ATTRIBUTE) continue;
            size_t at = i * frame->attribute[to->attribute].components + to->component;
            out->rows[to->attribute][at] =
                (float)rni_stored_load(record + 4 * (size_t)k, to->stored, p->is_big_endian);
        }
    }
    out->frame.count = (uint32_t)p->count;
    return RN_OK;
}

/* --- points of other programs --------------------------------------------------------------------- */

static bool has_points(const char *path)
{
    static const char *const ENDS[] = {".csv", ".xyz", ".npy"};
    const char *dot = strrchr(path, '.');
    for (uint32_t k = 0; dot && k < 3; k++)
        if (strcmp(dot, ENDS[k]) == 0) return true;
    return false;
}

static double coordinate(const rni_point_file *points, size_t k)
{
    return points->scalar == RN_SCALAR_FLOAT ? (double)((const float *)points->position)[k]
                                             : ((const double *)points->position)[k];
}

static rn_result take_points(const char *path, const rni_point_file *points, rni_frame_file *out)
{
    static const char AXES[] = "xyz";
    if (points->count > COUNT_MAX)
        return rni_fail(RN_ERROR_FILE, "%s: has more particles than can be drawn", path);
    out->rows[0] = calloc(3 * (size_t)points->count + 1, sizeof(float));
    if (!out->rows[0]) return rni_fail(RN_ERROR_MEMORY, "%s: no memory for its particles", path);
    for (size_t i = 0; i < points->count; i++)
        for (size_t axis = 0; axis < points->dim; axis++) {
            const double x = coordinate(points, i * points->dim + axis);
            if (!(fabs(x) <= 3e38))
                return rni_fail(RN_ERROR_FILE, "%s: %c of particle %zu is %g; it must be a number",
                                path, AXES[axis], i, x);
            out->rows[0][3 * i + axis] = (float)x;
        }
    out->frame.count = points->count;
    return RN_OK;
}

/* Positions only. */
static rn_result read_points(const char *path, rni_frame_file *out)
{
    rni_point_file points;
    begin(out);
    rn_result result = rni_point_file_read(path, &points);
    if (result != RN_OK) return result;
    result = take_points(path, &points, out);
    if (result == RN_OK) result = end(out);
    if (result == RN_OK) out->frame.dim = points.dim; /* a flat layer in 3D stays 3D */
    rni_point_file_release(&points);
    return result;
}

static rn_result read_ply(const char *path, FILE *file, rni_frame_file *out, bool *is_foreign)
{
    ply p = {.path = path, .file = file, .out = out};
    rn_result result = take_header(&p);
    *is_foreign = p.is_foreign;
    if (result == RN_OK) result = check_size(&p);
    if (result == RN_OK) result = take_rows(&p);
    return result;
}

/* --- HDF5 -----------------------------------------------------------------------------------------
 * By the notes beside the file, which say where the numbers are (h5_notes.h): HDF5 itself may crash on a
 * damaged file. */

static rn_result read_h5_array(const char *path, FILE *file, const rni_h5_note *note, uint32_t a,
                               uint64_t *sum, float **row)
{
    const size_t numbers = (size_t)note->count * note->array[a].components;
    const uint64_t offset = note->array[a].offset;
    *row = calloc(numbers + 1, sizeof(float));
    if (!*row) return rni_fail(RN_ERROR_MEMORY, "%s: no memory for its particles", path);
    if (numbers == 0) return RN_OK;
    if (offset > INT64_MAX || fseeko(file, (off_t)offset, SEEK_SET) != 0 ||
        fread(*row, sizeof(float), numbers, file) != numbers)
        return rni_fail(RN_ERROR_FILE, "%s: is shorter than its .frames says", path);
    *sum = rni_crc64(*sum, *row, numbers * sizeof(float));
    for (size_t k = 0; k < numbers && note->array[a].type == RN_ATTRIBUTE_UINT32; k++) {
        uint32_t whole;
        memcpy(&whole, *row + k, sizeof whole);
        (*row)[k] = (float)whole;
    }
    return RN_OK;
}

/* Before anything is allocated: a count is trusted only as far as the file has bytes for it. */
static rn_result check_h5_count(const char *path, FILE *file, const rni_h5_note *note)
{
    const off_t end = fseeko(file, 0, SEEK_END) == 0 ? ftello(file) : -1;
    if (end < 0) return rni_fail(RN_ERROR_FILE, "%s: cannot be read", path);
    if (note->count <= COUNT_MAX && (uint64_t)note->count * sizeof(float) <= (uint64_t)end)
        return RN_OK;
    return rni_fail(RN_ERROR_FILE, "%s: is shorter than its .frames says", path);
}

/* The last complete frame. */
static rn_result read_h5(const char *path, FILE *file, rni_frame_file *out)
{
    rni_h5_notes notes;
    rni_h5_note note, last = {0};
    rn_result result = rni_h5_notes_open(path, &notes);
    if (result != RN_OK) return result;
    const uint64_t frame_count = notes.frame_count;
    notes.frame_count = 0;
    while (notes.frame_count < frame_count && rni_h5_notes_next(&notes, &note)) last = note;
    rni_h5_notes_close(&notes);
    if (frame_count == 0) return rni_fail(RN_ERROR_FILE, "%s: has no complete frame", path);
    result = check_h5_count(path, file, &last);
    uint64_t sum = 0;
    for (uint32_t a = 0; result == RN_OK && a < last.array_count; a++) {
        float *row = NULL;
        result = read_h5_array(path, file, &last, a, &sum, &row);
        const uint32_t place = place_of(out, last.array[a].name, last.array[a].components);
        if (place == NO_ATTRIBUTE || out->rows[place]) free(row);
        else out->rows[place] = row;
    }
    if (result != RN_OK) return result;
    if (sum != last.sum || !out->rows[0])
        return rni_fail(RN_ERROR_FILE, "%s: was changed by another program since it was written",
                        path);
    out->frame.count = last.count;
    out->frame.step = last.step;
    out->frame.time = last.time;
    return RN_OK;
}

rn_result rni_frame_read(const char *path, rni_frame_file *out)
{
    char start[8] = {0};
    begin(out);
    FILE *file = fopen(path, "rbe");
    if (!file) {
        rni_frame_file_release(out);
        return rni_fail(RN_ERROR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
    }
    size_t got = fread(start, 1, sizeof start, file);
    rewind(file);
    rn_result result = RN_OK;
    bool is_foreign = false;
    if (!rni_frame_file_is(start, got)) {
        is_foreign = has_points(path);
        result = rni_fail(
            RN_ERROR_FILE,
            "%s: is neither a .vtp nor a .ply nor a .h5 that Runnel wrote, nor points as .ply, "
            ".xyz, .csv or .npy",
            path);
    } else if (is_h5(start, got)) result = read_h5(path, file, out);
    else if (start[0] == 'p') result = read_ply(path, file, out, &is_foreign);
    else result = read_vtp(path, out);
    fclose(file);
    if (result == RN_OK) result = end(out);
    if (is_foreign) {
        rni_frame_file_release(out);
        result = read_points(path, out);
    }
    if (result != RN_OK) rni_frame_file_release(out);
    return result;
}
