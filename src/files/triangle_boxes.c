/* The bounding boxes of the triangles of a mesh: OBJ, STL in text or binary, PLY. Faces with more
 * corners are split into a fan of triangles. */
#include "base/error.h"
#include "files/box_file.h"
#include "files/ply_header.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Corners of one face that are stored; a fan needs the first and the last two. */
typedef struct fan {
    float first[3], last[3];
    uint64_t count;
} fan;

static rn_result add_triangle(const rni_reader *reader, rni_box_file *out, const float *a,
                              const float *b, const float *c)
{
    float *low, *high;
    rn_result result = rni_box_append(reader, out, &low, &high);
    if (result != RN_OK) return result;
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = fminf(fminf(a[axis], b[axis]), c[axis]);
        high[axis] = fmaxf(fmaxf(a[axis], b[axis]), c[axis]);
    }
    return RN_OK;
}

/* Adds a corner to a face; from the third on, each corner completes a triangle. */
static rn_result add_corner(const rni_reader *reader, rni_box_file *out, fan *f, const float *at)
{
    rn_result result = RN_OK;
    if (f->count >= 2) result = add_triangle(reader, out, f->first, f->last, at);
    memcpy(f->count == 0 ? f->first : f->last, at, sizeof f->first);
    f->count++;
    return result;
}

/* A growing list of positions. */
typedef struct corners {
    float (*at)[3];
    uint64_t count, capacity;
} corners;

static rn_result keep_corner(const rni_reader *reader, corners *list, const double position[3])
{
    if (list->count == list->capacity) {
        uint64_t larger = 2 * list->capacity + 64;
        float(*at)[3] = realloc(list->at, (size_t)larger * sizeof *at);
        if (!at)
            return rni_fail(RN_ERROR_MEMORY, "%s: no memory for %" PRIu64 " vertices", reader->name,
                            larger);
        list->at = at;
        list->capacity = larger;
    }
    for (int axis = 0; axis < 3; axis++) list->at[list->count][axis] = (float)position[axis];
    list->count++;
    return RN_OK;
}

static bool is_finite(const float at[3])
{
    return isfinite(at[0]) && isfinite(at[1]) && isfinite(at[2]);
}

/* Takes three numbers off the front of rest. */
static rn_result read_position(const rni_reader *reader, uint64_t line, rni_text rest,
                               double position[3])
{
    for (int axis = 0; axis < 3; axis++) {
        rni_text word = rest;
        if (!rni_word_next(&rest, &word))
            return rni_fail(RN_ERROR_FILE,
                            "%s:%" PRIu64 ": the vertex has %d numbers; it needs three",
                            reader->name, line, axis);
        if (!rni_text_number(reader, word, &position[axis]))
            return rni_fail(RN_ERROR_FILE,
                            "%s:%" PRIu64 ": '%s' is not a number; it should be the %c of a vertex",
                            reader->name, line, rni_show(word).text, "xyz"[axis]);
        if (!isfinite((float)position[axis]))
            return rni_fail(RN_ERROR_FILE,
                            "%s:%" PRIu64 ": '%s' is not finite, as a float (up to 3.4e38)",
                            reader->name, line, rni_show(word).text);
    }
    return RN_OK;
}

/* --- OBJ --------------------------------------------------------------------------------------- */

/* "7", "7/1", "7//3", "-1": from 1, or backwards from the last vertex. */
static rn_result read_obj_corner(const rni_reader *reader, uint64_t line, rni_text word,
                                 uint64_t count, uint64_t *index)
{
    rni_text number = word;
    for (const char *at = word.begin; at < word.end; at++)
        if (*at == '/') {
            number.end = at;
            break;
        }
    bool is_back = number.begin < number.end && *number.begin == '-';
    if (is_back) number.begin++;
    uint64_t value;
    if (!rni_text_integer(number, &value) || value == 0)
        return rni_fail(RN_ERROR_FILE,
                        "%s:%" PRIu64
                        ": '%s' is not a corner of a face; it should be a vertex number, from 1",
                        reader->name, line, rni_show(word).text);
    if (value > count)
        return rni_fail(RN_ERROR_FILE,
                        "%s:%" PRIu64 ": the face names vertex %s, but only %" PRIu64
                        " came before it",
                        reader->name, line, rni_show(word).text, count);
    *index = is_back ? count - value : value - 1;
    return RN_OK;
}

static rn_result read_obj_face(const rni_reader *reader, uint64_t line, rni_text rest,
                               const corners *list, rni_box_file *out)
{
    rni_text word;
    fan f = {.count = 0};
    while (rni_word_next(&rest, &word)) {
        uint64_t index;
        rn_result result = read_obj_corner(reader, line, word, list->count, &index);
        if (result == RN_OK && list->at) result = add_corner(reader, out, &f, list->at[index]);
        if (result != RN_OK) return result;
    }
    if (f.count >= 3) return RN_OK;
    return rni_fail(RN_ERROR_FILE, "%s:%" PRIu64 ": the face has %" PRIu64 " corners; it needs three",
                    reader->name, line, f.count);
}

rn_result rni_obj_parse(const rni_reader *reader, rni_box_file *out)
{
    rni_lines lines = rni_lines_begin(reader);
    rni_text line, word;
    corners list = {0};
    rn_result result = RN_OK;
    out->format = "OBJ";
    out->what = "triangles";
    out->dim = 3;
    while (result == RN_OK && rni_lines_next_filled(&lines, true, &line)) {
        if (!rni_word_next(&line, &word)) continue;
        double position[3];
        if (rni_text_is(word, "v")) {
            result = read_position(reader, lines.number, line, position);
            if (result == RN_OK) result = keep_corner(reader, &list, position);
        } else if (rni_text_is(word, "f")) {
            result = read_obj_face(reader, lines.number, line, &list, out);
        }
    }
    if (result == RN_OK && out->count == 0)
        result =
            rni_fail(RN_ERROR_FILE, "%s: the file has no faces (lines 'f'); %" PRIu64 " vertices",
                     reader->name, list.count);
    free(list.at);
    return result;
}

/* --- STL --------------------------------------------------------------------------------------- */

#define STL_HEAD  84u
#define STL_FACET 50u

static uint32_t little_u32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

bool rni_stl_is_binary(const unsigned char *bytes, size_t size)
{
    return size >= STL_HEAD &&
           size == STL_HEAD + (uint64_t)STL_FACET * little_u32(bytes + STL_HEAD - 4);
}

static rn_result parse_binary_stl(const rni_reader *reader, rni_box_file *out)
{
    if (reader->size < STL_HEAD)
        return rni_fail(RN_ERROR_FILE,
                        "%s: byte %zu: the file ends in its head; a binary STL file has %u bytes of it",
                        reader->name, reader->size, STL_HEAD);
    uint64_t count = little_u32(reader->bytes + STL_HEAD - 4);
    uint64_t there = (reader->size - STL_HEAD) / STL_FACET;
    if (there < count)
        return rni_fail(RN_ERROR_FILE,
                        "%s: byte %zu: the head promises %" PRIu64 " triangles, the file has %" PRIu64
                        "; it is cut short or the count is wrong",
                        reader->name, reader->size, count, there);
    uint64_t end = STL_HEAD + count * STL_FACET;
    if (end < reader->size)
        return rni_fail(RN_ERROR_FILE,
                        "%s: byte %" PRIu64 ": the head promises %" PRIu64 " triangles, %" PRIu64
                        " bytes more follow; the count is wrong",
                        reader->name, end, count, reader->size - end);
    out->format = "STL binary";
    for (uint64_t k = 0; k < count; k++) {
        const unsigned char *facet = reader->bytes + STL_HEAD + k * STL_FACET;
        float corner[3][3];
        for (int v = 0; v < 9; v++)
            corner[v / 3][v % 3] = (float)rni_stored_load(facet + 12 + 4 * v, RNI_STORED_F32, false);
        for (int v = 0; v < 3; v++)
            if (!is_finite(corner[v]))
                return rni_fail(RN_ERROR_FILE,
                                "%s: byte %" PRIu64 ": triangle %" PRIu64
                                " has a corner that is not finite",
                                reader->name, STL_HEAD + k * STL_FACET, k);
        rn_result result = add_triangle(reader, out, corner[0], corner[1], corner[2]);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

static rn_result parse_text_stl(const rni_reader *reader, rni_box_file *out)
{
    rni_lines lines = rni_lines_begin(reader);
    rni_text line, word;
    fan f = {.count = 0};
    bool is_open = false;
    rn_result result = RN_OK;
    out->format = "STL ascii";
    while (result == RN_OK && rni_lines_next_filled(&lines, false, &line)) {
        if (!rni_word_next(&line, &word)) continue;
        if (rni_text_is_any_case(word, "facet")) {
            f = (fan){.count = 0};
            is_open = true;
        } else if (rni_text_is_any_case(word, "vertex")) {
            double position[3];
            result = read_position(reader, lines.number, line, position);
            if (result != RN_OK) break;
            const float at[3] = {(float)position[0], (float)position[1], (float)position[2]};
            if (!is_open || f.count == 3)
                return rni_fail(
                    RN_ERROR_FILE,
                    "%s:%" PRIu64 ": a vertex %s; a facet has three between 'facet' and 'endfacet'",
                    reader->name, lines.number, is_open ? "too many" : "outside any facet");
            result = add_corner(reader, out, &f, at);
        } else if (rni_text_is_any_case(word, "endfacet")) {
            if (f.count != 3)
                return rni_fail(RN_ERROR_FILE,
                                "%s:%" PRIu64 ": the facet has %" PRIu64 " vertices; it needs three",
                                reader->name, lines.number, f.count);
            is_open = false;
        }
    }
    if (result == RN_OK && is_open)
        return rni_fail(RN_ERROR_FILE,
                        "%s:%" PRIu64 ": the file ends inside a facet; it is cut short",
                        reader->name, lines.number);
    if (result == RN_OK && out->count == 0)
        return rni_fail(RN_ERROR_FILE, "%s: the file has no facets", reader->name);
    return result;
}

rn_result rni_stl_parse(const rni_reader *reader, rni_box_file *out)
{
    out->what = "triangles";
    out->dim = 3;
    bool is_text = reader->size >= 5 && memcmp(reader->bytes, "solid", 5) == 0 &&
                   !rni_stl_is_binary(reader->bytes, reader->size);
    return is_text ? parse_text_stl(reader, out) : parse_binary_stl(reader, out);
}

/* --- PLY --------------------------------------------------------------------------------------- */

typedef struct face_scan {
    const rni_reader *reader;
    const rni_ply_header *header;
    const rni_point_file *vertices;
    rni_box_file *out;
    rni_lines lines; /* text */
    size_t offset;   /* binary */
} face_scan;

static rn_result face_corner(face_scan *scan, fan *f, double index, uint64_t face)
{
    const rni_point_file *v = scan->vertices;
    if (!(index >= 0 && index < v->count))
        return rni_fail(RN_ERROR_FILE,
                        "%s: face %" PRIu64
                        " (the first is 0) names vertex %.0f; there are %u, from 0",
                        scan->reader->name, face, index, v->count);
    float at[3] = {0};
    for (uint32_t axis = 0; axis < v->dim; axis++) {
        size_t place = (size_t)index * v->dim + axis;
        at[axis] = v->scalar == RN_SCALAR_FLOAT ? ((const float *)v->position)[place]
                                                : (float)((const double *)v->position)[place];
    }
    if (!is_finite(at))
        return rni_fail(RN_ERROR_FILE, "%s: vertex %.0f is not finite, as a float (up to 3.4e38)",
                        scan->reader->name, index);
    return add_corner(scan->reader, scan->out, f, at);
}

static rn_result cut_short(const face_scan *scan, const rni_ply_element *element, uint64_t there)
{
    return rni_fail(RN_ERROR_FILE,
                    "%s: the header promises %" PRIu64 " records of element '%s', the file has %" PRIu64
                    "; it is cut short or the count is wrong",
                    scan->reader->name, element->count, rni_show(element->name).text, there);
}

static rn_result check_face(const face_scan *scan, const fan *f, uint64_t face)
{
    if (f->count >= 3) return RN_OK;
    return rni_fail(RN_ERROR_FILE, "%s: face %" PRIu64 " has %" PRIu64 " corners; it needs three",
                    scan->reader->name, face, f->count);
}

/* Reads one record of text; if is_face, corners are those of the first list. */
static rn_result walk_text(face_scan *scan, const rni_ply_element *element, bool is_face, uint64_t k)
{
    rni_text line, word;
    fan f = {.count = 0};
    bool is_taken = !is_face;
    if (!rni_lines_next_filled(&scan->lines, false, &line)) return cut_short(scan, element, k);
    if (!is_face) return RN_OK;
    for (size_t p = 0; p < element->property_count; p++) {
        uint64_t length = 1;
        double value;
        if (element->property[p].is_list) {
            if (!rni_word_next(&line, &word) || !rni_text_integer(word, &length))
                return rni_fail(RN_ERROR_FILE,
                                "%s:%" PRIu64 ": the face lacks the length of its corner list",
                                scan->reader->name, scan->lines.number);
        }
        bool is_corners = element->property[p].is_list && !is_taken;
        for (uint64_t n = 0; n < length; n++) {
            if (!rni_word_next(&line, &word) || !rni_text_number(scan->reader, word, &value))
                return rni_fail(RN_ERROR_FILE,
                                "%s:%" PRIu64 ": the face has fewer numbers than it should",
                                scan->reader->name, scan->lines.number);
            if (!is_corners) continue;
            rn_result result = face_corner(scan, &f, value, k);
            if (result != RN_OK) return result;
        }
        is_taken |= is_corners;
    }
    return check_face(scan, &f, k);
}

static rn_result walk_binary(face_scan *scan, const rni_ply_element *element, bool is_face, uint64_t k)
{
    const rni_reader *reader = scan->reader;
    bool is_big = scan->header->encoding == RNI_PLY_BIG_ENDIAN, is_taken = !is_face;
    fan f = {.count = 0};
    for (size_t p = 0; p < element->property_count; p++) {
        const rni_ply_property *property = &element->property[p];
        size_t bytes = rni_stored_bytes(property->type);
        uint64_t length = 1;
        if (property->is_list) {
            size_t count_bytes = rni_stored_bytes(property->count_type);
            if (reader->size - scan->offset < count_bytes) return cut_short(scan, element, k);
            double count =
                rni_stored_load(reader->bytes + scan->offset, property->count_type, is_big);
            if (!(count >= 0)) return cut_short(scan, element, k);
            scan->offset += count_bytes;
            length = (uint64_t)count;
        }
        if (length > (reader->size - scan->offset) / bytes) return cut_short(scan, element, k);
        bool is_corners = property->is_list && !is_taken;
        for (uint64_t n = 0; is_corners && n < length; n++) {
            const unsigned char *at = reader->bytes + scan->offset + n * bytes;
            rn_result result = face_corner(scan, &f, rni_stored_load(at, property->type, is_big), k);
            if (result != RN_OK) return result;
        }
        is_taken |= is_corners;
        scan->offset += (size_t)length * bytes;
    }
    return is_face ? check_face(scan, &f, k) : RN_OK;
}

static rn_result walk_elements(face_scan *scan, size_t face)
{
    for (size_t e = 0; e <= face; e++) {
        const rni_ply_element *element = &scan->header->element[e];
        if (element->property_count == 0) continue;
        for (uint64_t k = 0; k < element->count; k++) {
            rn_result result = scan->header->encoding == RNI_PLY_ASCII
                                   ? walk_text(scan, element, e == face, k)
                                   : walk_binary(scan, element, e == face, k);
            if (result != RN_OK) return result;
        }
    }
    return RN_OK;
}

rn_result rni_ply_triangles_parse(const rni_reader *reader, rni_box_file *out)
{
    rni_point_file vertices = {0};
    rni_ply_header header;
    rn_result result = rni_ply_parse(reader, &vertices);
    if (result != RN_OK) {
        rni_point_file_release(&vertices);
        return result;
    }
    out->format = vertices.format;
    out->what = "triangles";
    out->dim = 3;
    result = rni_ply_header_read(reader, &header);
    size_t face = 0;
    while (result == RN_OK && face < header.element_count &&
           !(rni_text_is(header.element[face].name, "face") && header.element[face].has_lists))
        face++;
    if (result == RN_OK && face == header.element_count)
        result =
            rni_fail(RN_ERROR_FILE,
                     "%s: the file has %u vertices and no faces; for points take runnel neighbors",
                     reader->name, vertices.count);
    if (result == RN_OK) {
        face_scan scan = {.reader = reader, .header = &header, .vertices = &vertices, .out = out};
        scan.lines = header.body;
        scan.offset = (size_t)(header.body.at - (const char *)reader->bytes);
        result = walk_elements(&scan, face);
    }
    rni_ply_header_release(&header);
    rni_point_file_release(&vertices);
    return result;
}
