#include "mesh_samples.h"

#include "../fact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

rn_mesh tetrahedron(void)
{
    static const float vertex[] = {0, 0, 0, 1, 0, 0, 0, 1.5f, 0, 0.125f, 0.25f, 2};
    static const uint32_t triangle[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    static float texture[24];
    for (int k = 0; k < 24; k++) texture[k] = (float)k / 32.0f;
    rn_mesh mesh = rn_mesh_default();
    mesh.vertex_count = mesh.triangle_count = 4;
    mesh.vertex = vertex;
    mesh.triangle = triangle;
    mesh.texture = texture;
    return mesh;
}

static mesh_sample written(const char *name, bool has_texture)
{
    rn_mesh mesh = tetrahedron();
    if (!has_texture) mesh.texture = NULL;
    char path[64];
    snprintf(path, sizeof path, "mesh_sample_%ld_%s", (long)getpid(), name);
    if (rni_mesh_file_write(path, &mesh) != RN_OK) fail_msg("%s", rn_last_error());
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    mesh_sample sample = {name, malloc(1 << 16), 0, has_texture};
    assert_non_null(sample.bytes);
    sample.size = fread(sample.bytes, 1, 1 << 16, file);
    fclose(file);
    unlink(path);
    return sample;
}

static mesh_sample of_text(const char *name, const char *text, bool has_texture)
{
    mesh_sample sample = {name, malloc(strlen(text)), strlen(text), has_texture};
    assert_non_null(sample.bytes);
    memcpy(sample.bytes, text, sample.size);
    return sample;
}

/* The same numbers as the binary sample, as text. */
static const char PLY_TEXT[] =
    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
    "element face 4\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\n"
    "end_header\n0 0 0\n1 0 0\n0 1.5 0\n0.125 0.25 2\n"
    "3 0 2 1 6 0 0.03125 0.0625 0.09375 0.125 0.15625\n"
    "3 0 1 3 6 0.1875 0.21875 0.25 0.28125 0.3125 0.34375\n"
    "3 1 2 3 6 0.375 0.40625 0.4375 0.46875 0.5 0.53125\n"
    "3 2 0 3 6 0.5625 0.59375 0.625 0.65625 0.6875 0.71875\n";

static const char STL_TEXT[] =
    "solid t\nfacet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 1.5 0\nvertex 1 0 0\nendloop\nendfacet\n"
    "facet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0.125 0.25 2\nendloop\nendfacet\n"
    "facet normal 1 1 1\nouter loop\nvertex 1 0 0\nvertex 0 1.5 0\nvertex 0.125 0.25 2\nendloop\nendfacet\n"
    "facet normal -1 0 0\nouter loop\nvertex 0 1.5 0\nvertex 0 0 0\nvertex 0.125 0.25 2\nendloop\nendfacet\n"
    "endsolid t\n";

static mesh_sample big_endian_ply(void)
{
    static const char head[] =
        "ply\nformat binary_big_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
        "property float z\nelement face 4\nproperty list uchar ushort vertex_index\nend_header\n";
    const rn_mesh mesh = tetrahedron();
    mesh_sample sample = {"big.ply", malloc(1024), sizeof head - 1, false};
    assert_non_null(sample.bytes);
    memcpy(sample.bytes, head, sample.size);
    for (int k = 0; k < 12; k++) {
        uint32_t bits;
        memcpy(&bits, &mesh.vertex[k], sizeof bits);
        for (int b = 3; b >= 0; b--) sample.bytes[sample.size++] = (unsigned char)(bits >> 8 * b);
    }
    for (int k = 0; k < 12; k++) {
        if (k % 3 == 0) sample.bytes[sample.size++] = 3;
        sample.bytes[sample.size++] = 0;
        sample.bytes[sample.size++] = (unsigned char)mesh.triangle[k];
    }
    return sample;
}

const mesh_sample *mesh_sample_at(unsigned k)
{
    static mesh_sample samples[MESH_SAMPLE_COUNT];
    if (!samples[0].bytes) {
        samples[0] = written("a.obj", true);
        samples[1] = written("a.ply", true);
        samples[2] = written("a.stl", false);
        samples[3] = written("a.glb", true);
        samples[4] = of_text("text.ply", PLY_TEXT, true);
        samples[5] = of_text("text.stl", STL_TEXT, false);
        samples[6] = big_endian_ply();
        samples[7] = written("plain.obj", false);
        samples[8] = written("plain.glb", false);
    }
    return &samples[k];
}

static void put_u32(unsigned char *to, size_t value)
{
    for (int k = 0; k < 4; k++) to[k] = (unsigned char)(value >> 8 * k);
}

unsigned char *make_glb(const char *json, const void *buffer, size_t buffer_bytes, size_t *size)
{
    const size_t length = strlen(json), padded = (length + 3) & ~(size_t)3;
    *size = 12 + 8 + padded + 8 + buffer_bytes;
    unsigned char *bytes = malloc(*size);
    assert_non_null(bytes);
    memcpy(bytes, "glTF\2\0\0\0", 8);
    put_u32(bytes + 8, *size);
    put_u32(bytes + 12, padded);
    memcpy(bytes + 16, "JSON", 4);
    memset(bytes + 20, ' ', padded);
    memcpy(bytes + 20, json, length);
    put_u32(bytes + 20 + padded, buffer_bytes);
    memcpy(bytes + 24 + padded, "BIN\0", 4);
    memcpy(bytes + 28 + padded, buffer, buffer_bytes);
    return bytes;
}
