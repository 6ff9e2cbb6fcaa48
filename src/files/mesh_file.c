/* Which format a mesh file has, and the way from path to mesh and back. */
#include "files/mesh_file.h"

#include "files/whole_file.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

typedef rn_result (*read_fn)(rni_mesh_reader *reader);
typedef rn_result (*write_fn)(rni_out_file *out, const rn_mesh *mesh);

typedef struct mesh_format {
    const char *extension;
    read_fn read;
    write_fn write;
} mesh_format;

static const mesh_format FORMATS[] = {{".obj", rni_obj_read, rni_obj_write},
                                      {".ply", rni_ply_mesh_read, rni_ply_mesh_write},
                                      {".stl", rni_stl_read, rni_stl_write},
                                      {".glb", rni_glb_read, rni_glb_write}};
#define FORMAT_COUNT (sizeof FORMATS / sizeof *FORMATS)

static const mesh_format *format_of_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    const rni_text extension = {dot ? dot : name, dot ? dot + strlen(dot) : name};
    for (size_t k = 0; k < FORMAT_COUNT; k++)
        if (rni_text_is_any_case(extension, FORMATS[k].extension)) return &FORMATS[k];
    return NULL;
}

/* Content that opens with a known signature decides, otherwise the file name, otherwise the first word. */
static read_fn choose_format(const rni_reader *reader)
{
    static const char *const OBJ[] = {"v", "vn", "vt", "f", "o", "g", "mtllib", NULL};
    rni_lines lines = rni_lines_begin(reader);
    rni_text line = {lines.at, lines.at}, word;
    const bool has_line = rni_lines_next_filled(&lines, true, &line);
    if (rni_glb_is(reader->bytes, reader->size)) return rni_glb_read;
    if (has_line && rni_text_is(line, "ply")) return rni_ply_mesh_read;
    const mesh_format *named = format_of_name(reader->name);
    if (named) return named->read;
    if (rni_stl_is_binary(reader->bytes, reader->size)) return rni_stl_read;
    if (!has_line || !rni_word_next(&line, &word)) return NULL;
    if (rni_text_is(word, "solid")) return rni_stl_read;
    for (int k = 0; OBJ[k]; k++)
        if (rni_text_is(word, OBJ[k])) return rni_obj_read;
    return NULL;
}

static rn_result check_opening(const char *name, const unsigned char *bytes, size_t size)
{
    const char *stranger = rni_known_stranger(bytes, size);
    return stranger ? rni_fail(RN_ERROR_FILE, "%s: the file %s", name, stranger) : RN_OK;
}

static rn_result parse(const rni_reader *input, rn_mesh_data *mesh, const char **format)
{
    if (input->size == 0)
        return rni_fail(RN_ERROR_FILE, "%s: the file is empty; OBJ, PLY, STL and .glb are read",
                        input->name);
    rn_result result = check_opening(input->name, input->bytes, input->size);
    if (result != RN_OK) return result;
    read_fn read = choose_format(input);
    if (!read)
        return rni_fail(RN_ERROR_FILE,
                        "%s: the file is none of the known meshes; OBJ, PLY, STL and .glb are read",
                        input->name);
    rni_mesh_reader reader = {.input = input, .mesh = mesh};
    result = read(&reader);
    if (format) *format = reader.format;
    return result;
}

rn_result rni_mesh_file_parse(const void *bytes, size_t size, const char *name, rn_mesh_data *mesh,
                              const char **format)
{
    rn_mesh_data_clear(mesh);
    rni_reader input = {name ? name : "mesh", bytes, size, newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    if (input.c_locale == (locale_t)0)
        return rni_fail(RN_ERROR_MEMORY, "%s: no memory for a locale", input.name);
    rn_result result = parse(&input, mesh, format);
    freelocale(input.c_locale);
    if (result != RN_OK) rn_mesh_data_clear(mesh);
    return result;
}

rn_result rni_mesh_file_read(const char *path, rn_mesh_data *mesh, const char **format)
{
    const char *name;
    unsigned char *bytes;
    size_t size = 0;
    rn_mesh_data_clear(mesh);
    rn_result result = rni_whole_file_read(path, check_opening, &name, &bytes, &size);
    if (result == RN_OK) result = rni_mesh_file_parse(bytes, size, name, mesh, format);
    free(bytes);
    return result;
}

rn_result rni_mesh_file_check_name(const char *path)
{
    if (format_of_name(path)) return RN_OK;
    return rni_fail(RN_ERROR_ARGUMENT,
                    "%s: the extension names no known format; meshes are written as .obj, .ply, "
                    ".stl or .glb",
                    path);
}

rn_result rni_mesh_file_write(const char *path, const rn_mesh *mesh)
{
    rni_out_file out;
    rn_result result = rni_mesh_file_check_name(path);
    if (result == RN_OK) result = rn_mesh_check(mesh);
    if (result == RN_OK && mesh->triangle_count == 0)
        result =
            rni_fail(RN_ERROR_ARGUMENT, "%s: the mesh has no triangles; nothing is written", path);
    if (result == RN_OK) result = rni_out_file_open(path, &out);
    if (result != RN_OK) return result;
    result = format_of_name(path)->write(&out, mesh);
    if (result == RN_OK) return rni_out_file_close(&out);
    rni_out_file_abandon(&out);
    return result;
}
