/* Meshes of a frame as one binary message of the protocol. */
#include "view/parts.h"

#include <string.h>

#define HEADER_BYTES 16u
#define ROW_BYTES    48u
#define NAME_BYTES   24u

static size_t vertices_bytes(const rn_triangles *mesh)
{
    return (size_t)mesh->vertex_count * 3 * sizeof(float);
}

static size_t mesh_bytes(const rn_triangles *mesh)
{
    return vertices_bytes(mesh) * (mesh->normal ? 2 : 1) + mesh->index_count * sizeof(uint32_t) +
           (size_t)mesh->line_count * 6 * sizeof(float);
}

/* Where the arrays of a message go. */
typedef struct writing {
    unsigned char *message;
    uint32_t at;
} writing;

/* Returns the offset of what was written. */
static uint32_t put(writing *w, const void *bytes, size_t count)
{
    uint32_t at = w->at;
    if (count) memcpy(w->message + at, bytes, count);
    w->at += (uint32_t)count;
    return at;
}

static uint32_t put_vectors(writing *w, const rn_triangles *mesh, const float *first)
{
    uint32_t at = w->at;
    size_t stride = mesh->stride ? mesh->stride : 3 * sizeof(float);
    for (uint32_t k = 0; k < mesh->vertex_count; k++)
        put(w, (const char *)(const void *)first + k * stride, 3 * sizeof(float));
    return at;
}

static void put_mesh(writing *w, const rn_triangles *mesh, unsigned char *row)
{
    size_t length = strlen(mesh->name);
    uint32_t words[6] = {mesh->vertex_count, mesh->index_count, mesh->line_count};
    uint32_t vertices = put_vectors(w, mesh, mesh->vertex);
    words[3] = vertices;
    words[4] = mesh->normal ? put_vectors(w, mesh, mesh->normal) : 0;
    words[5] = put(w, mesh->index, mesh->index_count * sizeof(uint32_t));
    put(w, mesh->line, (size_t)mesh->line_count * 6 * sizeof(float));
    memset(row, 0, ROW_BYTES);
    memcpy(row, mesh->name, length < NAME_BYTES ? length : NAME_BYTES - 1);
    memcpy(row + NAME_BYTES, words, sizeof words);
}

rni_message *rni_meshes_pack(const rn_frame *frame, uint32_t scene)
{
    size_t bytes = HEADER_BYTES + (size_t)frame->triangles_count * ROW_BYTES;
    writing w = {.at = (uint32_t)bytes};
    for (uint32_t k = 0; k < frame->triangles_count; k++) bytes += mesh_bytes(&frame->triangles[k]);
    rni_message *message = bytes <= UINT32_MAX ? rni_message_make(NULL, bytes, true) : NULL;
    if (!message) return NULL;
    const uint32_t head[3] = {scene, frame->triangles_count, 0};
    w.message = message->buffer + LWS_PRE;
    memcpy(w.message, "RNM2", 4);
    memcpy(w.message + 4, head, sizeof head);
    for (uint32_t k = 0; k < frame->triangles_count; k++)
        put_mesh(&w, &frame->triangles[k], w.message + HEADER_BYTES + (size_t)k * ROW_BYTES);
    return message;
}
