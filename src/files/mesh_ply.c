/* PLY meshes. ply.c reads the positions and checks that every element is complete; here follow the faces
 * and the texture coordinates: by corner (a list texcoord of a face, as MeshLab writes it), or by vertex
 * (s and t, u and v, texture_u and texture_v). */
#include "files/mesh_file.h"
#include "files/ply_header.h"
#include "files/polygon.h"

#include "base/error.h"
#include "mesh/data.h"
#include "mesh/record_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum role { ROLE_NONE, ROLE_CORNERS, ROLE_TEXCOORD, ROLE_U, ROLE_V } role;

typedef struct ply_scan {
    const rni_reader *reader;
    rn_mesh_data *mesh;
    rni_ply_header header;
    rni_lines lines;       /* text */
    rni_text line;         /* text: what is left of the record */
    size_t offset;         /* binary */
    uint32_t *number;      /* vertex of the mesh for each vertex of the file; NULL: the same */
    float (*vertex_uv)[2]; /* NULL: none by vertex */
    rni_polygon face;
    float *corner_uv; /* of the present face */
    uint64_t uv_count, uv_capacity;
} ply_scan;

static bool is_text(const ply_scan *scan)
{
    return scan->header.encoding == RNI_PLY_ASCII;
}

static bool is_one_of(rni_text name, const char *const *names)
{
    for (; *names; names++)
        if (rni_text_is(name, *names)) return true;
    return false;
}

static role role_of(const rni_ply_property *property, bool is_vertex, bool is_face)
{
    static const char *const U[] = {"s", "u", "texture_u", "texture_s", NULL};
    static const char *const V[] = {"t", "v", "texture_v", "texture_t", NULL};
    static const char *const CORNERS[] = {"vertex_indices", "vertex_index", NULL};
    if (is_face && property->is_list) {
        if (rni_text_is(property->name, "texcoord")) return ROLE_TEXCOORD;
        if (is_one_of(property->name, CORNERS)) return ROLE_CORNERS;
    }
    if (is_vertex && !property->is_list) {
        if (is_one_of(property->name, U)) return ROLE_U;
        if (is_one_of(property->name, V)) return ROLE_V;
    }
    return ROLE_NONE;
}

/* "FILE:12" or "FILE: byte 345": where the present record is. */
typedef struct place_text {
    char text[96];
} place_text;

static place_text place_of(const ply_scan *scan)
{
    place_text place;
    if (is_text(scan)) snprintf(place.text, sizeof place.text, ":%" PRIu64, scan->lines.number);
    else snprintf(place.text, sizeof place.text, ": byte %zu", scan->offset);
    return place;
}

/* --- one record -------------------------------------------------------------------------------- */

static rn_result refuse_record(const ply_scan *scan, const rni_ply_element *element, uint64_t k)
{
    return rni_fail(RN_ERROR_FILE,
                    "%s%s: record %" PRIu64
                    " of element '%s' (the first is 0) has fewer or other values than its "
                    "properties; the file is cut short or the header is wrong",
                    scan->reader->name, place_of(scan).text, k, rni_show(element->name).text);
}

/* The next number of the record; false: there is none. */
static bool next_number(ply_scan *scan, rni_stored type, double *value)
{
    if (is_text(scan)) {
        rni_text word;
        return rni_word_next(&scan->line, &word) && rni_text_number(scan->reader, word, value);
    }
    const size_t bytes = rni_stored_bytes(type);
    if (scan->reader->size - scan->offset < bytes) return false;
    *value = rni_stored_load(scan->reader->bytes + scan->offset, type,
                             scan->header.encoding == RNI_PLY_BIG_ENDIAN);
    scan->offset += bytes;
    return true;
}

static rn_result add_corner(ply_scan *scan, double index, uint64_t face)
{
    const uint64_t count = scan->header.element[scan->header.vertex].count;
    if (!(index >= 0 && index < (double)count) || index != floor(index))
        return rni_fail(RN_ERROR_FILE,
                        "%s%s: face %" PRIu64
                        " (the first is 0) names vertex %.9g; there are %" PRIu64 ", from 0",
                        scan->reader->name, place_of(scan).text, face, index, count);
    const size_t i = (size_t)index;
    const uint32_t vertex = scan->number ? scan->number[i] : (uint32_t)i;
    return rni_polygon_add(&scan->face, vertex, rni_data_vertex(scan->mesh) + 3 * (size_t)vertex,
                           scan->vertex_uv ? scan->vertex_uv[i] : NULL);
}

static rn_result check_uv(const ply_scan *scan, double value)
{
    if (isfinite((float)value)) return RN_OK;
    return rni_fail(RN_ERROR_FILE, "%s%s: a texture coordinate is %g; it must be finite, as a float",
                    scan->reader->name, place_of(scan).text, value);
}

static rn_result add_uv(ply_scan *scan, double value)
{
    rn_result result = check_uv(scan, value);
    if (result != RN_OK) return result;
    if (scan->uv_count == scan->uv_capacity) {
        uint64_t capacity = scan->uv_capacity ? 2 * scan->uv_capacity : 32;
        float *larger = realloc(scan->corner_uv, capacity * sizeof *larger);
        if (!larger)
            return rni_fail(RN_ERROR_MEMORY, "%s: no memory for texture coordinates",
                            scan->reader->name);
        scan->corner_uv = larger;
        scan->uv_capacity = capacity;
    }
    scan->corner_uv[scan->uv_count++] = (float)value;
    return RN_OK;
}

static rn_result take_value(ply_scan *scan, role is, double value, uint64_t k)
{
    switch (is) {
    case ROLE_CORNERS: return add_corner(scan, value, k);
    case ROLE_TEXCOORD: return add_uv(scan, value);
    case ROLE_U:
    case ROLE_V:
        if (scan->vertex_uv) scan->vertex_uv[k][is == ROLE_V] = (float)value;
        return check_uv(scan, value);
    case ROLE_NONE: break;
    }
    return RN_OK;
}

/* Reads one record and hands over the values that have a role. */
static rn_result read_record(ply_scan *scan, const rni_ply_element *element, const role *roles,
                             uint64_t k)
{
    if (is_text(scan) && !rni_lines_next_filled(&scan->lines, false, &scan->line))
        return refuse_record(scan, element, k);
    for (size_t p = 0; p < element->property_count; p++) {
        const rni_ply_property *property = &element->property[p];
        double length = 1, value;
        if (property->is_list && (!next_number(scan, property->count_type, &length) || !(length >= 0)))
            return refuse_record(scan, element, k);
        for (uint64_t n = 0; (double)n < length; n++) {
            if (!next_number(scan, property->type, &value)) return refuse_record(scan, element, k);
            rn_result result = take_value(scan, roles[p], value, k);
            if (result != RN_OK) return result;
        }
    }
    return RN_OK;
}

/* --- faces ------------------------------------------------------------------------------------- */

static rn_result add_face(ply_scan *scan, uint64_t k)
{
    const rni_polygon *face = &scan->face;
    if (face->count < 3)
        return rni_fail(RN_ERROR_FILE, "%s%s: face %" PRIu64 " has %u corners; it needs three",
                        scan->reader->name, place_of(scan).text, k, face->count);
    if (scan->uv_count && scan->uv_count != 2 * (uint64_t)face->count)
        return rni_fail(RN_ERROR_FILE,
                        "%s%s: face %" PRIu64 " has %u corners and %" PRIu64
                        " texture coordinates; it needs two a corner",
                        scan->reader->name, place_of(scan).text, k, face->count, scan->uv_count);
    rni_polygon_cut(&scan->face);
    for (uint32_t t = 0; t + 2 < face->count; t++) {
        uint32_t corner[3];
        float uv[6];
        for (int c = 0; c < 3; c++) {
            const uint32_t at = face->cut[t][c];
            corner[c] = face->vertex[at];
            for (int axis = 0; axis < 2; axis++)
                uv[2 * c + axis] = scan->uv_count ? scan->corner_uv[2 * at + (uint32_t)axis]
                                                  : face->texture[at][axis];
        }
        rn_result result = rn_mesh_data_add_triangles(
            scan->mesh, corner, scan->uv_count || scan->vertex_uv ? uv : NULL, 1);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

/* Reads all records of an element. Corners are the list of that name, or the first list of a face. */
static rn_result read_element(ply_scan *scan, const rni_ply_element *element, bool is_vertex,
                              bool is_face)
{
    if (element->property_count == 0) return RN_OK;
    role *roles = calloc(element->property_count, sizeof *roles);
    if (!roles)
        return rni_fail(RN_ERROR_MEMORY, "%s: no memory for the header", scan->reader->name);
    bool has_corners = false;
    for (size_t p = 0; p < element->property_count; p++) {
        roles[p] = role_of(&element->property[p], is_vertex, is_face);
        if (roles[p] == ROLE_CORNERS && has_corners) roles[p] = ROLE_NONE;
        has_corners |= roles[p] == ROLE_CORNERS;
    }
    for (size_t p = 0; is_face && !has_corners && p < element->property_count; p++)
        if (element->property[p].is_list && roles[p] == ROLE_NONE) {
            roles[p] = ROLE_CORNERS;
            has_corners = true;
        }
    rn_result result = RN_OK;
    for (uint64_t k = 0; k < element->count && result == RN_OK; k++) {
        scan->face.count = 0;
        scan->uv_count = 0;
        result = read_record(scan, element, roles, k);
        if (result == RN_OK && is_face) result = add_face(scan, k);
    }
    free(roles);
    return result;
}

/* Reads the elements up to `last`; only those with a role are looked at. */
static rn_result read_elements(ply_scan *scan, size_t last, bool wants_faces)
{
    scan->lines = scan->header.body;
    scan->offset = (size_t)(scan->header.body.at - (const char *)scan->reader->bytes);
    for (size_t e = 0; e <= last; e++) {
        rn_result result =
            read_element(scan, &scan->header.element[e], !wants_faces && e == scan->header.vertex,
                         wants_faces && e == last);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

/* --- vertices ---------------------------------------------------------------------------------- */

static bool has_vertex_uv(const rni_ply_header *header)
{
    const rni_ply_element *vertex = &header->element[header->vertex];
    bool has_u = false, has_v = false;
    for (size_t p = 0; p < vertex->property_count; p++) {
        const role is = role_of(&vertex->property[p], true, false);
        has_u |= is == ROLE_U;
        has_v |= is == ROLE_V;
    }
    return has_u && has_v;
}

static rn_result add_vertices(ply_scan *scan, const rni_point_file *points)
{
    rni_record_table known;
    rni_record_table_init(&known, &scan->mesh->memory, 3);
    rn_result result = rn_mesh_data_reserve(scan->mesh, points->count, 0);
    for (size_t i = 0; i < points->count && result == RN_OK; i++) {
        float at[3] = {0};
        for (uint32_t axis = 0; axis < points->dim; axis++) {
            size_t place = i * points->dim + axis;
            at[axis] = points->scalar == RN_SCALAR_FLOAT
                           ? ((const float *)points->position)[place]
                           : (float)((const double *)points->position)[place];
            if (!isfinite(at[axis]))
                result = rni_fail(
                    RN_ERROR_FILE,
                    "%s: vertex %zu (the first is 0) is not finite, as a float (up to 3.4e38)",
                    scan->reader->name, i);
        }
        bool is_new = true;
        if (result == RN_OK && scan->number)
            result = rni_record_table_add(&known, at, &scan->number[i], &is_new);
        if (result == RN_OK && is_new) result = rn_mesh_data_add_vertices(scan->mesh, at, 1);
    }
    rni_record_table_free(&known);
    return result;
}

static rn_result read_vertices(ply_scan *scan, const rni_point_file *points)
{
    if (has_vertex_uv(&scan->header) && points->count) {
        scan->number = malloc(points->count * sizeof *scan->number);
        scan->vertex_uv = calloc(points->count, sizeof *scan->vertex_uv);
        if (!scan->number || !scan->vertex_uv)
            return rni_fail(RN_ERROR_MEMORY, "%s: no memory for texture coordinates",
                            scan->reader->name);
    }
    rn_result result = add_vertices(scan, points);
    if (result != RN_OK || !scan->vertex_uv) return result;
    return read_elements(scan, scan->header.vertex, false);
}

rn_result rni_ply_mesh_read(rni_mesh_reader *reader)
{
    ply_scan scan = {.reader = reader->input, .mesh = reader->mesh};
    rni_point_file points = {0};
    rn_result result = rni_ply_parse(reader->input, &points);
    reader->format = points.format;
    if (result == RN_OK) result = rni_ply_header_read(reader->input, &scan.header);
    size_t face = 0;
    while (result == RN_OK && face < scan.header.element_count &&
           !(rni_text_is(scan.header.element[face].name, "face") &&
             scan.header.element[face].has_lists))
        face++;
    if (result == RN_OK && (face == scan.header.element_count || scan.header.element[face].count == 0))
        result =
            rni_fail(RN_ERROR_FILE,
                     "%s: the file has %u vertices and no faces; for points take runnel neighbors",
                     reader->input->name, points.count);
    if (result == RN_OK) result = read_vertices(&scan, &points);
    rni_point_file_release(&points);
    if (result == RN_OK) result = read_elements(&scan, face, true);
    rni_ply_header_release(&scan.header);
    rni_polygon_release(&scan.face);
    free(scan.number);
    free(scan.vertex_uv);
    free(scan.corner_uv);
    return result;
}

/* --- writing ----------------------------------------------------------------------------------- */

rn_result rni_ply_mesh_write(rni_out_file *out, const rn_mesh *mesh)
{
    rni_out_file_print(
        out,
        "ply\nformat %s 1.0\ncomment metres\nelement vertex %u\nproperty float x\n"
        "property float y\nproperty float z\n%selement face %u\n"
        "property list uchar uint vertex_indices\n",
        RNI_NATIVE_IS_BIG_ENDIAN ? "binary_big_endian" : "binary_little_endian", mesh->vertex_count,
        mesh->normal ? "property float nx\nproperty float ny\nproperty float nz\n" : "",
        mesh->triangle_count);
    if (mesh->texture) rni_out_file_text(out, "property list uchar float texcoord\n");
    rni_out_file_text(out, "end_header\n");
    if (!mesh->normal)
        rni_out_file_put(out, mesh->vertex, (size_t)mesh->vertex_count * 3 * sizeof(float));
    for (size_t v = 0; mesh->normal && v < mesh->vertex_count && !out->error; v++) {
        rni_out_file_put(out, mesh->vertex + 3 * v, 3 * sizeof(float));
        rni_out_file_put(out, mesh->normal + 3 * v, 3 * sizeof(float));
    }
    const unsigned char three = 3, six = 6;
    for (size_t t = 0; t < mesh->triangle_count && !out->error; t++) {
        rni_out_file_put(out, &three, 1);
        rni_out_file_put(out, mesh->triangle + 3 * t, 3 * sizeof(uint32_t));
        if (!mesh->texture) continue;
        rni_out_file_put(out, &six, 1);
        rni_out_file_put(out, mesh->texture + 6 * t, 6 * sizeof(float));
    }
    return RN_OK;
}
