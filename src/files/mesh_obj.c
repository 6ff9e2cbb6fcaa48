/* OBJ: lines v, vt and f; everything else (normals, groups, materials) is skipped. */
#include "files/mesh_file.h"
#include "files/polygon.h"

#include "base/error.h"
#include "mesh/data.h"
#include "mesh/record_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

typedef struct obj_scan {
    const rni_reader *reader;
    rn_mesh_data *mesh;
    rni_lines lines;
    float (*texture)[2]; /* lines vt */
    uint64_t texture_count;
    rni_polygon face;
} obj_scan;

rn_result rni_position_read(const rni_reader *reader, uint64_t line, rni_text rest, float position[3])
{
    rni_text word;
    for (uint32_t axis = 0; axis < 3; axis++) {
        double value;
        if (!rni_word_next(&rest, &word))
            return rni_fail(RN_ERROR_FILE,
                            "%s:%" PRIu64 ": the vertex has %u numbers; it needs three",
                            reader->name, line, axis);
        if (!rni_text_number(reader, word, &value))
            return rni_fail(RN_ERROR_FILE,
                            "%s:%" PRIu64 ": '%s' is not a number; it should be the %c of a vertex",
                            reader->name, line, rni_show(word).text, "xyz"[axis]);
        position[axis] = (float)value;
        if (!isfinite(position[axis]))
            return rni_fail(RN_ERROR_FILE,
                            "%s:%" PRIu64 ": '%s' is not finite, as a float (up to 3.4e38)",
                            reader->name, line, rni_show(word).text);
    }
    return RN_OK;
}

static rn_result read_texture(obj_scan *scan, rni_text rest)
{
    rni_text word;
    float uv[2] = {0, 0};
    for (uint32_t axis = 0; axis < 2; axis++) {
        double value;
        if (!rni_word_next(&rest, &word)) {
            if (axis == 1) break; /* one-dimensional textures have u only */
            return rni_fail(RN_ERROR_FILE,
                            "%s:%" PRIu64 ": the line 'vt' has no numbers; it needs two",
                            scan->reader->name, scan->lines.number);
        }
        if (!rni_text_number(scan->reader, word, &value) || !isfinite((float)value))
            return rni_fail(RN_ERROR_FILE,
                            "%s:%" PRIu64
                            ": '%s' is not a finite number; it should be a texture coordinate",
                            scan->reader->name, scan->lines.number, rni_show(word).text);
        uv[axis] = (float)value;
    }
    uint64_t n = scan->texture_count;
    if ((n & (n - 1)) == 0) {
        void *larger = realloc(scan->texture, (n ? 2 * n : 1) * sizeof *scan->texture);
        if (!larger)
            return rni_fail(RN_ERROR_MEMORY, "%s: no memory for %" PRIu64 " texture coordinates",
                            scan->reader->name, n + 1);
        scan->texture = larger;
    }
    scan->texture[n][0] = uv[0];
    scan->texture[n][1] = uv[1];
    scan->texture_count++;
    return RN_OK;
}

/* A number from 1, or backwards from the last: "-1". */
static rn_result read_index(const obj_scan *scan, rni_text corner, rni_text number,
                            const char *what, uint64_t count, uint64_t *index)
{
    bool is_back = number.begin < number.end && *number.begin == '-';
    if (is_back) number.begin++;
    uint64_t value;
    if (!rni_text_integer(number, &value) || value == 0)
        return rni_fail(RN_ERROR_FILE,
                        "%s:%" PRIu64
                        ": '%s' is not a corner of a face; it should be a %s number, from 1",
                        scan->reader->name, scan->lines.number, rni_show(corner).text, what);
    if (value > count)
        return rni_fail(RN_ERROR_FILE,
                        "%s:%" PRIu64 ": the face names %s %s, but only %" PRIu64 " came before it",
                        scan->reader->name, scan->lines.number, what, rni_show(corner).text, count);
    *index = is_back ? count - value : value - 1;
    return RN_OK;
}

/* "7", "7/1", "7//3", "7/1/3". */
static rn_result read_corner(obj_scan *scan, rni_text word)
{
    rni_text vertex = word, texture = {word.end, word.end};
    for (const char *at = word.begin; at < word.end; at++) {
        if (*at != '/') continue;
        if (vertex.end == word.end) {
            vertex.end = at;
            texture.begin = at + 1;
        } else {
            texture.end = at;
            break;
        }
    }
    uint64_t v, t = 0;
    bool has_texture = !rni_text_is_empty(texture);
    rn_result result = read_index(scan, word, vertex, "vertex", scan->mesh->vertex_count, &v);
    if (result == RN_OK && has_texture)
        result = read_index(scan, word, texture, "texture coordinate", scan->texture_count, &t);
    if (result != RN_OK) return result;
    return rni_polygon_add(&scan->face, (uint32_t)v, rni_data_vertex(scan->mesh) + 3 * v,
                           has_texture ? scan->texture[t] : NULL);
}

static rn_result read_face(obj_scan *scan, rni_text rest)
{
    rni_polygon *face = &scan->face;
    rni_text word;
    face->count = 0;
    bool has_texture = false;
    while (rni_word_next(&rest, &word)) {
        rn_result result = read_corner(scan, word);
        if (result != RN_OK) return result;
        has_texture |= scan->texture_count > 0;
    }
    if (face->count < 3)
        return rni_fail(RN_ERROR_FILE, "%s:%" PRIu64 ": the face has %u corners; it needs three",
                        scan->reader->name, scan->lines.number, face->count);
    rni_polygon_cut(face);
    for (uint32_t t = 0; t + 2 < face->count; t++) {
        uint32_t corner[3];
        float uv[6];
        for (int k = 0; k < 3; k++) {
            const uint32_t at = face->cut[t][k];
            corner[k] = face->vertex[at];
            uv[2 * k] = face->texture[at][0];
            uv[2 * k + 1] = face->texture[at][1];
        }
        rn_result result = rn_mesh_data_add_triangles(scan->mesh, corner, has_texture ? uv : NULL, 1);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

rn_result rni_obj_read(rni_mesh_reader *reader)
{
    obj_scan scan = {reader->input, reader->mesh, rni_lines_begin(reader->input), NULL, 0, {0}};
    rni_text line, word;
    rn_result result = RN_OK;
    reader->format = "OBJ";
    while (result == RN_OK && rni_lines_next_filled(&scan.lines, true, &line)) {
        if (!rni_word_next(&line, &word)) continue;
        if (rni_text_is(word, "v")) {
            float position[3];
            result = rni_position_read(scan.reader, scan.lines.number, line, position);
            if (result == RN_OK) result = rn_mesh_data_add_vertices(scan.mesh, position, 1);
        } else if (rni_text_is(word, "vt")) {
            result = read_texture(&scan, line);
        } else if (rni_text_is(word, "f")) {
            result = read_face(&scan, line);
        }
    }
    if (result == RN_OK && scan.mesh->triangle_count == 0)
        result = rni_fail(RN_ERROR_FILE, "%s: the file has no faces (lines 'f'); %u vertices",
                          scan.reader->name, scan.mesh->vertex_count);
    free(scan.texture);
    rni_polygon_release(&scan.face);
    return result;
}

/* --- writing ----------------------------------------------------------------------------------- */

/* Lines vt, each different pair once; number[corner] names the pair of a corner. */
static rn_result write_textures(rni_out_file *out, const rn_mesh *mesh, rni_memory *memory,
                                uint32_t *number)
{
    rni_record_table table;
    rni_record_table_init(&table, memory, 2);
    rn_result result = RN_OK;
    for (size_t k = 0; k < (size_t)mesh->triangle_count * 3 && result == RN_OK; k++) {
        bool is_new;
        const float *uv = mesh->texture + 2 * k;
        result = rni_record_table_add(&table, uv, &number[k], &is_new);
        if (result == RN_OK && is_new)
            rni_out_file_print(out, "vt %.9g %.9g\n", (double)uv[0], (double)uv[1]);
    }
    rni_record_table_free(&table);
    return result;
}

static void write_faces(rni_out_file *out, const rn_mesh *mesh, const uint32_t *number)
{
    for (size_t k = 0; k < (size_t)mesh->triangle_count * 3 && !out->error; k++) {
        rni_out_file_text(out, k % 3 == 0 ? "f " : " ");
        rni_out_file_integer(out, (uint64_t)mesh->triangle[k] + 1);
        if (number) {
            rni_out_file_text(out, "/");
            rni_out_file_integer(out, (uint64_t)number[k] + 1);
        }
        if (k % 3 == 2) rni_out_file_text(out, "\n");
    }
}

rn_result rni_obj_write(rni_out_file *out, const rn_mesh *mesh)
{
    static const rn_allocator standard = {0};
    rni_memory memory;
    rni_buffer number = {0};
    rn_result result = rni_memory_init(&memory, &standard);
    rni_out_file_print(out, "# %u vertices, %u triangles; metres\n", mesh->vertex_count,
                       mesh->triangle_count);
    for (size_t v = 0; v < mesh->vertex_count && !out->error; v++)
        rni_out_file_print(out, "v %.9g %.9g %.9g\n", (double)mesh->vertex[3 * v],
                           (double)mesh->vertex[3 * v + 1], (double)mesh->vertex[3 * v + 2]);
    if (mesh->texture && mesh->triangle_count) {
        result =
            rni_buffer_need(&memory, &number, (uint64_t)mesh->triangle_count * 3, sizeof(uint32_t));
        if (result == RN_OK) result = write_textures(out, mesh, &memory, number.data);
    }
    if (result == RN_OK) write_faces(out, mesh, number.data);
    rni_buffer_free(&memory, &number);
    return result;
}
