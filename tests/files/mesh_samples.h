/* A tetrahedron with texture coordinates as a file of each format, in memory. */
#ifndef RNI_TESTS_FILES_MESH_SAMPLES_H
#define RNI_TESTS_FILES_MESH_SAMPLES_H

#include "files/mesh_file.h"

#define MESH_SAMPLE_COUNT 9u

typedef struct mesh_sample {
    const char *name; /* with the extension of its format */
    unsigned char *bytes;
    size_t size;
    bool has_texture;
} mesh_sample;

/* The samples; made once. Ends the test when one cannot be made. */
const mesh_sample *mesh_sample_at(unsigned k);

/* A tetrahedron: 4 vertices, 4 triangles, different texture coordinates at every corner. */
rn_mesh tetrahedron(void);

/* Bytes of a small glTF file with this JSON and this buffer; the caller frees them. */
unsigned char *make_glb(const char *json, const void *buffer, size_t buffer_bytes, size_t *size);

#endif
