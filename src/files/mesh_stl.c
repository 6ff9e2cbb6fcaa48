/* STL, text and binary. STL repeats the coordinates of a vertex in each of its triangles: vertices with
 * equal coordinates become one. Normals are skipped; the order of the corners says the same. */
#include "files/mesh_file.h"
#include "files/stored.h"

#include "base/error.h"
#include "mesh/data.h"
#include "mesh/record_table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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

static rn_result add_corner(rn_mesh_data *mesh, rni_record_table *known, const float at[3],
                            uint32_t *vertex)
{
    bool is_new;
    rn_result result = rni_record_table_add(known, at, vertex, &is_new);
    return result == RN_OK && is_new ? rn_mesh_data_add_vertices(mesh, at, 1) : result;
}

/* --- binary ------------------------------------------------------------------------------------ */

static rn_result check_length(const rni_reader *reader, uint64_t *count)
{
    if (reader->size < STL_HEAD)
        return rni_fail(RN_ERROR_FILE,
                        "%s: byte %zu: the file ends in its head; a binary STL file has %u bytes of it",
                        reader->name, reader->size, STL_HEAD);
    *count = little_u32(reader->bytes + STL_HEAD - 4);
    uint64_t there = (reader->size - STL_HEAD) / STL_FACET;
    if (there < *count)
        return rni_fail(RN_ERROR_FILE,
                        "%s: byte %zu: the head promises %" PRIu64 " triangles, the file has %" PRIu64
                        "; it is cut short or the count is wrong",
                        reader->name, reader->size, *count, there);
    uint64_t end = STL_HEAD + *count * STL_FACET;
    if (end < reader->size)
        return rni_fail(RN_ERROR_FILE,
                        "%s: byte %" PRIu64 ": the head promises %" PRIu64 " triangles, %" PRIu64
                        " bytes more follow; the count is wrong",
                        reader->name, end, *count, reader->size - end);
    if (*count == 0) return rni_fail(RN_ERROR_FILE, "%s: the file has no facets", reader->name);
    return RN_OK;
}

static rn_result read_facet(const rni_reader *reader, uint64_t k, rni_record_table *known,
                            rn_mesh_data *mesh)
{
    const uint64_t offset = STL_HEAD + k * STL_FACET;
    const unsigned char *facet = reader->bytes + offset;
    uint32_t corner[3];
    for (int v = 0; v < 3; v++) {
        float at[3];
        for (int axis = 0; axis < 3; axis++) {
            const uint32_t bits = little_u32(facet + 12 + 12 * v + 4 * axis);
            memcpy(&at[axis], &bits, sizeof bits);
            if (!isfinite(at[axis]))
                return rni_fail(RN_ERROR_FILE,
                                "%s: byte %" PRIu64 ": triangle %" PRIu64
                                " has a corner that is not finite",
                                reader->name, offset, k);
        }
        rn_result result = add_corner(mesh, known, at, &corner[v]);
        if (result != RN_OK) return result;
    }
    return rn_mesh_data_add_triangles(mesh, corner, NULL, 1);
}

static rn_result read_binary(rni_mesh_reader *reader, rni_record_table *known)
{
    uint64_t count = 0;
    reader->format = "STL binary";
    rn_result result = check_length(reader->input, &count);
    if (result == RN_OK)
        result = rn_mesh_data_reserve(reader->mesh, (uint32_t)(count / 2 + 2), (uint32_t)count);
    for (uint64_t k = 0; k < count && result == RN_OK; k++)
        result = read_facet(reader->input, k, known, reader->mesh);
    return result;
}

/* --- text -------------------------------------------------------------------------------------- */

typedef struct facet_scan {
    rni_lines lines;
    uint32_t corner[3];
    uint32_t corner_count;
    bool is_open;
} facet_scan;

static rn_result read_vertex(rni_mesh_reader *reader, rni_record_table *known, facet_scan *scan,
                             rni_text rest)
{
    float at[3];
    rn_result result = rni_position_read(reader->input, scan->lines.number, rest, at);
    if (result != RN_OK) return result;
    if (!scan->is_open || scan->corner_count == 3)
        return rni_fail(RN_ERROR_FILE,
                        "%s:%" PRIu64
                        ": a vertex %s; a facet has three between 'facet' and 'endfacet'",
                        reader->input->name, scan->lines.number,
                        scan->is_open ? "too many" : "outside any facet");
    return add_corner(reader->mesh, known, at, &scan->corner[scan->corner_count++]);
}

static rn_result end_facet(rni_mesh_reader *reader, facet_scan *scan)
{
    if (scan->corner_count != 3)
        return rni_fail(RN_ERROR_FILE, "%s:%" PRIu64 ": the facet has %u vertices; it needs three",
                        reader->input->name, scan->lines.number, scan->corner_count);
    scan->is_open = false;
    scan->corner_count = 0;
    return rn_mesh_data_add_triangles(reader->mesh, scan->corner, NULL, 1);
}

static rn_result read_text(rni_mesh_reader *reader, rni_record_table *known)
{
    facet_scan scan = {.lines = rni_lines_begin(reader->input)};
    rni_text line, word;
    rn_result result = RN_OK;
    reader->format = "STL ascii";
    while (result == RN_OK && rni_lines_next_filled(&scan.lines, false, &line)) {
        if (!rni_word_next(&line, &word)) continue;
        if (rni_text_is_any_case(word, "facet")) {
            scan.corner_count = 0;
            scan.is_open = true;
        } else if (rni_text_is_any_case(word, "vertex")) {
            result = read_vertex(reader, known, &scan, line);
        } else if (rni_text_is_any_case(word, "endfacet")) {
            result = end_facet(reader, &scan);
        }
    }
    if (result == RN_OK && scan.is_open)
        return rni_fail(RN_ERROR_FILE,
                        "%s:%" PRIu64 ": the file ends inside a facet; it is cut short",
                        reader->input->name, scan.lines.number);
    if (result == RN_OK && reader->mesh->triangle_count == 0)
        return rni_fail(RN_ERROR_FILE, "%s: the file has no facets", reader->input->name);
    return result;
}

rn_result rni_stl_read(rni_mesh_reader *reader)
{
    const rni_reader *input = reader->input;
    bool is_text = input->size >= 5 && memcmp(input->bytes, "solid", 5) == 0 &&
                   !rni_stl_is_binary(input->bytes, input->size);
    rni_record_table known;
    rni_record_table_init(&known, &reader->mesh->memory, 3);
    rn_result result = is_text ? read_text(reader, &known) : read_binary(reader, &known);
    rni_record_table_free(&known);
    return result;
}

/* --- writing ----------------------------------------------------------------------------------- */

static void put_u32(unsigned char *to, uint32_t value)
{
    for (int k = 0; k < 4; k++) to[k] = (unsigned char)(value >> 8 * k);
}

static void put_float(unsigned char *to, double value)
{
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    put_u32(to, bits);
}

rn_result rni_stl_write(rni_out_file *out, const rn_mesh *mesh)
{
    unsigned char head[STL_HEAD] = "binary STL, metres";
    put_u32(head + STL_HEAD - 4, mesh->triangle_count);
    rni_out_file_put(out, head, sizeof head);
    for (size_t t = 0; t < mesh->triangle_count && !out->error; t++) {
        unsigned char facet[STL_FACET] = {0};
        const float *at[3];
        double u[3], v[3], normal[3], length = 0;
        for (size_t k = 0; k < 3; k++) at[k] = mesh->vertex + 3 * (size_t)mesh->triangle[3 * t + k];
        for (int axis = 0; axis < 3; axis++) {
            u[axis] = (double)at[1][axis] - (double)at[0][axis];
            v[axis] = (double)at[2][axis] - (double)at[0][axis];
        }
        for (int axis = 0; axis < 3; axis++) {
            const int s = (axis + 1) % 3, e = (axis + 2) % 3;
            normal[axis] = u[s] * v[e] - u[e] * v[s];
            length += normal[axis] * normal[axis];
        }
        length = length > 0 ? sqrt(length) : 1;
        for (int axis = 0; axis < 3; axis++) put_float(facet + 4 * axis, normal[axis] / length);
        for (int k = 0; k < 9; k++) put_float(facet + 12 + 4 * k, (double)at[k / 3][k % 3]);
        rni_out_file_put(out, facet, sizeof facet);
    }
    return RN_OK;
}
