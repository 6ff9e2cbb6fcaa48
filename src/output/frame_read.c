#include "output/frame_read.h"
#include "output/vtp_read.h"

#include "base/error.h"
#include "files/stored.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES     256u
#define HEADER_LINES   64u
#define PROPERTY_COUNT 16u
#define RECORD_BYTES   (PROPERTY_COUNT * 4u)
#define COUNT_MAX      0x7fffffffu

bool rni_frame_file_is(const void *bytes, size_t size)
{
    return (size >= 5 && memcmp(bytes, "<?xml", 5) == 0) ||
           (size >= 4 && (memcmp(bytes, "ply\n", 4) == 0 || memcmp(bytes, "ply\r", 4) == 0));
}

void rni_frame_file_release(rni_frame_file *file)
{
    free(file->position);
    free(file->velocity);
    free(file->density);
    free(file->pressure);
    free(file->age);
    *file = (rni_frame_file){0};
}

static void find_dim(rni_frame_file *file)
{
    file->dim = 2;
    for (uint32_t i = 0; i < file->count && file->dim == 2; i++)
        if (file->position[3 * (size_t)i + 2] != 0) file->dim = 3;
    if (file->count == 0) file->dim = 3;
}

/* --- VTK ------------------------------------------------------------------------------------------ */

static rn_result read_vtp(const char *path, rni_frame_file *out)
{
    rni_vtp_info info;
    const struct {
        const char *name;
        uint32_t components;
        float **rows;
    } wanted[] = {{"position", 3, &out->position},
                  {"velocity", 3, &out->velocity},
                  {"density", 1, &out->density},
                  {"pressure", 1, &out->pressure},
                  {"age", 1, &out->age}};
    for (uint32_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        rn_result result =
            rni_vtp_load(path, wanted[k].name, wanted[k].components, &info, wanted[k].rows);
        if (result != RN_OK) return result;
    }
    if (!out->position || info.points > COUNT_MAX)
        return rni_fail(RN_ERROR_FILE,
                        "%s: has no array \"position\" of 3 components; only what Runnel "
                        "writes is read",
                        path);
    out->count = (uint32_t)info.points;
    out->has_time = info.has_time;
    out->time = info.time;
    return RN_OK;
}

/* --- PLY ------------------------------------------------------------------------------------------ */

/* Where a property goes: to which array, at which place of how many. */
typedef struct property {
    float **rows;
    uint32_t place, components;
    rni_stored stored;
} property;

typedef struct ply {
    const char *path;
    FILE *file;
    rni_frame_file *out;
    bool is_big_endian, has_format, has_end;
    uint64_t count;
    property property[PROPERTY_COUNT];
    uint32_t property_count;
} ply;

static rn_result fail_ply(const ply *p, const char *what)
{
    return rni_fail(RN_ERROR_FILE, "%s: %s", p->path, what);
}

static rn_result take_property(ply *p, const char *type, const char *name)
{
    rni_frame_file *out = p->out;
    const struct {
        const char *name;
        property to;
    } known[] = {{"x", {&out->position, 0, 3, 0}},      {"y", {&out->position, 1, 3, 0}},
                 {"z", {&out->position, 2, 3, 0}},      {"vx", {&out->velocity, 0, 3, 0}},
                 {"vy", {&out->velocity, 1, 3, 0}},     {"vz", {&out->velocity, 2, 3, 0}},
                 {"density", {&out->density, 0, 1, 0}}, {"pressure", {&out->pressure, 0, 1, 0}},
                 {"age", {&out->age, 0, 1, 0}}};
    property to = {.rows = NULL};
    if (p->property_count == PROPERTY_COUNT)
        return fail_ply(p, "has more properties than Runnel writes");
    for (uint32_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(known[k].name, name) == 0) to = known[k].to;
    if (strcmp(type, "float") == 0) to.stored = RNI_STORED_F32;
    else if (strcmp(type, "uint") == 0 && !to.rows) to.stored = RNI_STORED_U32;
    else
        return fail_ply(
            p, "has properties that are neither float nor uint; only what Runnel writes is read");
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
    if (sscanf(line, "comment time %lf", &p->out->time) == 1) {
        p->out->has_time = isfinite(p->out->time);
        return RN_OK;
    }
    if (strncmp(line, "comment", 7) == 0) return RN_OK;
    p->has_end = strcmp(line, "end_header") == 0;
    if (p->has_end) return RN_OK;
    if (sscanf(line, "format %31s 1.0", second) == 1) {
        p->is_big_endian = strcmp(second, "binary_big_endian") == 0;
        p->has_format = p->is_big_endian || strcmp(second, "binary_little_endian") == 0;
        return p->has_format ? RN_OK
                             : fail_ply(p, "holds numbers as text; only what Runnel writes is read");
    }
    if (sscanf(line, "element vertex %llu", &count) == 1 && p->count == 0 && p->property_count == 0) {
        p->count = count;
        return count <= COUNT_MAX ? RN_OK : fail_ply(p, "has more particles than can be drawn");
    }
    if (sscanf(line, "%15s %31s %31s", first, second, third) == 3 && strcmp(first, "property") == 0)
        return take_property(p, second, third);
    return fail_ply(p, "its header is none that Runnel writes");
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
        if (p->property[k].rows == &p->out->position) has_place[p->property[k].place] = true;
    if (!p->has_end || !p->has_format || !has_place[0] || !has_place[1] || !has_place[2])
        return fail_ply(p, "its header does not tell of x, y and z; only what Runnel writes is read");
    return RN_OK;
}

/* The bytes behind the header, against what it announces. */
static rn_result check_size(const ply *p)
{
    long at = ftell(p->file);
    if (at < 0 || fseek(p->file, 0, SEEK_END) != 0) return fail_ply(p, "is not a plain file");
    long end = ftell(p->file);
    if (end < at || fseek(p->file, at, SEEK_SET) != 0) return fail_ply(p, "cannot be read");
    uint64_t announced = p->count * p->property_count * 4;
    if (announced > (uint64_t)(end - at))
        return rni_fail(RN_ERROR_FILE, "%s: is cut off: %llu particles are announced, %llu are there",
                        p->path, (unsigned long long)p->count,
                        (unsigned long long)((uint64_t)(end - at) / (p->property_count * 4)));
    return RN_OK;
}

static rn_result take_rows(ply *p)
{
    unsigned char record[RECORD_BYTES];
    for (uint32_t k = 0; k < p->property_count; k++) {
        const property *to = &p->property[k];
        if (!to->rows || *to->rows) continue;
        *to->rows = calloc((size_t)p->count * to->components + 1, sizeof(float));
        if (!*to->rows)
            return rni_fail(RN_ERROR_MEMORY, "%s: no memory for its particles", p->path);
    }
    for (uint64_t i = 0; i < p->count; i++) {
        if (fread(record, 4, p->property_count, p->file) != p->property_count)
            return fail_ply(p, "cannot be read to its end");
        for (uint32_t k = 0; k < p->property_count; k++) {
            const property *to = &p->property[k];
            if (to->rows)
                (*to->rows)[i * to->components + to->place] =
                    (float)rni_stored_load(record + 4 * (size_t)k, to->stored, p->is_big_endian);
        }
    }
    p->out->count = (uint32_t)p->count;
    return RN_OK;
}

static rn_result read_ply(const char *path, FILE *file, rni_frame_file *out)
{
    ply p = {.path = path, .file = file, .out = out};
    rn_result result = take_header(&p);
    if (result == RN_OK) result = check_size(&p);
    if (result == RN_OK) result = take_rows(&p);
    return result;
}

rn_result rni_frame_read(const char *path, rni_frame_file *out)
{
    char start[8] = {0};
    *out = (rni_frame_file){0};
    FILE *file = fopen(path, "rbe");
    if (!file) return rni_fail(RN_ERROR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
    size_t got = fread(start, 1, sizeof start, file);
    rewind(file);
    rn_result result = RN_OK;
    if (!rni_frame_file_is(start, got))
        result = rni_fail(RN_ERROR_FILE, "%s: is neither a .vtp nor a .ply of Runnel's", path);
    else if (start[0] == 'p') result = read_ply(path, file, out);
    else result = read_vtp(path, out);
    fclose(file);
    if (result == RN_OK) find_dim(out);
    else rni_frame_file_release(out);
    return result;
}
