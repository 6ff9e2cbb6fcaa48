/* Triangle meshes on disk.
 *
 * Job:    OBJ, PLY (text, binary of either byte order), STL (text, binary) and binary glTF (.glb) ->
 *         rn_mesh_data, and back. Texture coordinates are kept by OBJ, PLY and glTF.
 * Input:  a path or bytes in memory; malicious input is safe: counts are checked against the bytes that
 *         follow before memory is reserved.
 * Rules:  polygons of OBJ and PLY are cut into triangles. Vertices of STL and glTF, and of PLY with
 *         texture coordinates by vertex, are welded where all coordinates are equal: these formats repeat
 *         a vertex at each triangle or at seams. Degenerate triangles are kept; rn_mesh_repair drops them.
 * Errors: RN_ERROR_FILE with file, line (text), byte (binary) or path (glTF), what is wrong, what would be
 *         right.
 * Next:   mesh_file.c (which format), mesh_obj.c, mesh_ply.c, mesh_stl.c, mesh_glb.c, polygon.h. */
#ifndef RNI_FILES_MESH_FILE_H
#define RNI_FILES_MESH_FILE_H

#include "files/out_file.h"
#include "files/reader.h"

#include <runnel/mesh.h>

/* One file while it is read. */
typedef struct rni_mesh_reader {
    const rni_reader *input;
    rn_mesh_data *mesh; /* what was read so far */
    const char *format; /* "STL binary": static, for messages */
} rni_mesh_reader;

/* Replaces the contents of mesh; "-" is standard input. On failure mesh is empty. format may be NULL. */
rn_result rni_mesh_file_read(const char *path, rn_mesh_data *mesh, const char **format);
rn_result rni_mesh_file_parse(const void *bytes, size_t size, const char *name, rn_mesh_data *mesh,
                              const char **format);

/* .obj, .ply (binary), .stl (binary), .glb. The file appears complete or not at all. */
rn_result rni_mesh_file_write(const char *path, const rn_mesh *mesh);
/* Whether the extension names a format that is written; otherwise a sentence. */
rn_result rni_mesh_file_check_name(const char *path);

/* One function per format. */
rn_result rni_obj_read(rni_mesh_reader *reader);
rn_result rni_ply_mesh_read(rni_mesh_reader *reader);
rn_result rni_stl_read(rni_mesh_reader *reader);
rn_result rni_glb_read(rni_mesh_reader *reader);
rn_result rni_obj_write(rni_out_file *out, const rn_mesh *mesh);
rn_result rni_ply_mesh_write(rni_out_file *out, const rn_mesh *mesh);
rn_result rni_stl_write(rni_out_file *out, const rn_mesh *mesh);
rn_result rni_glb_write(rni_out_file *out, const rn_mesh *mesh);

/* Whether this is a binary STL file, judged by its length. */
bool rni_stl_is_binary(const unsigned char *bytes, size_t size);
bool rni_glb_is(const unsigned char *bytes, size_t size);

/* Reads x, y, z from the words of a line; fails unless there are three finite ones. */
rn_result rni_position_read(const rni_reader *reader, uint64_t line, rni_text rest,
                            float position[3]);

#endif
