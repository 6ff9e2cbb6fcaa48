/* Binary glTF, written: one node, one mesh, one primitive. glTF has texture coordinates by vertex, so a vertex
 * is repeated for each different pair of texture coordinates at its corners. */
#include "files/mesh_file.h"
#include "files/stored.h"

#include "base/error.h"
#include "mesh/record_table.h"

#include <stdio.h>
#include <string.h>

#define JSON_BYTES_MAX 2048

/* What the buffer holds: indices, positions, and normals and texture coordinates if any. */
typedef struct parts {
    rni_record_table table; /* x, y, z, then the normal if there is one, then u, v */
    bool has_normal, has_texture;
    rni_buffer index; /* uint32_t, one a corner */
    uint64_t corner_count;
    float low[3], high[3];
} parts;

static rn_result collect(const rn_mesh *mesh, rni_memory *memory, parts *p)
{
    p->corner_count = (uint64_t)mesh->triangle_count * 3;
    rn_result result = rni_buffer_need(memory, &p->index, p->corner_count, sizeof(uint32_t));
    for (uint64_t k = 0; mesh->vertex && k < p->corner_count && result == RN_OK; k++) {
        float record[8];
        bool is_new;
        size_t width = 3;
        memcpy(record, mesh->vertex + 3 * (size_t)mesh->triangle[k], 3 * sizeof(float));
        if (mesh->normal) {
            memcpy(record + 3, mesh->normal + 3 * (size_t)mesh->triangle[k], 3 * sizeof(float));
            width = 6;
        }
        if (mesh->texture) memcpy(record + width, mesh->texture + 2 * k, 2 * sizeof(float));
        result = rni_record_table_add(&p->table, record, (uint32_t *)p->index.data + k, &is_new);
        for (int axis = 0; axis < 3; axis++) {
            if (k == 0 || record[axis] < p->low[axis]) p->low[axis] = record[axis];
            if (k == 0 || record[axis] > p->high[axis]) p->high[axis] = record[axis];
        }
    }
    return result;
}

/* View and accessor of one more array of floats, at the given byte. */
static void add_array(char *views, char *accessors, size_t size, uint32_t number, uint64_t at,
                      uint64_t count, uint32_t components)
{
    const size_t used = strlen(views), described = strlen(accessors);
    snprintf(views + used, size - used, ",{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu}",
             (unsigned long long)at, 4ull * components * count);
    snprintf(accessors + described, size - described,
             ",{\"bufferView\":%u,\"componentType\":5126,\"count\":%llu,\"type\":\"VEC%u\"}",
             number, (unsigned long long)count, components);
}

static int make_json(const parts *p, uint64_t bytes, char text[JSON_BYTES_MAX])
{
    const unsigned long long corners = p->corner_count, count = p->table.count;
    char views[256] = "", accessors[256] = "", attributes[64] = "";
    uint32_t number = 2;
    uint64_t at = 4 * corners + 12 * count;
    if (p->has_normal) {
        snprintf(attributes, sizeof attributes, ",\"NORMAL\":%u", number);
        add_array(views, accessors, sizeof views, number++, at, count, 3);
        at += 12 * count;
    }
    if (p->has_texture) {
        const size_t used = strlen(attributes);
        snprintf(attributes + used, sizeof attributes - used, ",\"TEXCOORD_0\":%u", number);
        add_array(views, accessors, sizeof views, number, at, count, 2);
    }
    return snprintf(
        text, JSON_BYTES_MAX,
        "{\"asset\":{\"version\":\"2.0\",\"generator\":\"runnel\"},\"scene\":0,"
        "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":1%s},\"indices\":0}]}],"
        "\"buffers\":[{\"byteLength\":%llu}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":%llu,\"target\":34963},"
        "{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu,\"target\":34962}%s],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5125,\"count\":%llu,\"type\":\"SCALAR\"},"
        "{\"bufferView\":1,\"componentType\":5126,\"count\":%llu,\"type\":\"VEC3\","
        "\"min\":[%.9g,%.9g,%.9g],\"max\":[%.9g,%.9g,%.9g]}%s]}",
        attributes, (unsigned long long)bytes, 4 * corners, 4 * corners, 12 * count, views, corners,
        count, (double)p->low[0], (double)p->low[1], (double)p->low[2], (double)p->high[0],
        (double)p->high[1], (double)p->high[2], accessors);
}

static void put_u32(rni_out_file *out, uint32_t value)
{
    unsigned char bytes[4];
    for (int k = 0; k < 4; k++) bytes[k] = (unsigned char)(value >> 8 * k);
    rni_out_file_put(out, bytes, sizeof bytes);
}

static void put_floats(rni_out_file *out, const rni_record_table *table, uint32_t first,
                       uint32_t count)
{
    const float *record = table->record.data;
    for (uint32_t n = 0; n < table->count; n++)
        for (uint32_t k = first; k < first + count; k++) {
            uint32_t bits;
            memcpy(&bits, record + (size_t)n * table->width + k, sizeof bits);
            put_u32(out, bits);
        }
}

static rn_result put_all(rni_out_file *out, const parts *p)
{
    const uint64_t bytes = 4 * p->corner_count + 4 * (uint64_t)p->table.width * p->table.count;
    char json[JSON_BYTES_MAX];
    const int length = make_json(p, bytes, json);
    const uint32_t padded = ((uint32_t)length + 3) & ~3u;
    const uint64_t total = 12 + 8 + padded + 8 + bytes;
    if (total > UINT32_MAX)
        return rni_fail(RN_ERROR_LIMIT,
                        "%s: a .glb file holds at most 4 GiB; write this mesh as .ply or .stl",
                        out->path);
    rni_out_file_text(out, "glTF");
    put_u32(out, 2);
    put_u32(out, (uint32_t)total);
    put_u32(out, padded);
    rni_out_file_text(out, "JSON");
    rni_out_file_put(out, json, (size_t)length);
    rni_out_file_put(out, "   ", padded - (uint32_t)length);
    put_u32(out, (uint32_t)bytes);
    rni_out_file_put(out, "BIN\0", 4);
    for (uint64_t k = 0; k < p->corner_count; k++)
        put_u32(out, ((const uint32_t *)p->index.data)[k]);
    put_floats(out, &p->table, 0, 3);
    if (p->has_normal) put_floats(out, &p->table, 3, 3);
    if (p->has_texture) put_floats(out, &p->table, p->has_normal ? 6 : 3, 2);
    return RN_OK;
}

rn_result rni_glb_write(rni_out_file *out, const rn_mesh *mesh)
{
    static const rn_allocator standard = {0};
    rni_memory memory;
    parts p = {.has_normal = mesh->normal != NULL, .has_texture = mesh->texture != NULL};
    rn_result result = rni_memory_init(&memory, &standard);
    rni_record_table_init(&p.table, &memory,
                          3u + (p.has_normal ? 3u : 0u) + (p.has_texture ? 2u : 0u));
    if (result == RN_OK) result = collect(mesh, &memory, &p);
    if (result == RN_OK) result = put_all(out, &p);
    rni_record_table_free(&p.table);
    rni_buffer_free(&memory, &p.index);
    return result;
}
