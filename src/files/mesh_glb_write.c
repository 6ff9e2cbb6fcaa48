/* Binary glTF, written: one node, one mesh, one primitive. glTF has texture coordinates by vertex, so a vertex
 * is repeated for each different pair of texture coordinates at its corners. */
#include "files/mesh_file.h"
#include "files/stored.h"

#include "base/error.h"
#include "mesh/record_table.h"

#include <stdio.h>
#include <string.h>

#define JSON_BYTES_MAX 2048

/* What the buffer holds: indices, positions, and texture coordinates if any. */
typedef struct parts {
    rni_record_table table; /* x, y, z and, with texture, u, v */
    rni_buffer index;       /* uint32_t, one a corner */
    uint64_t corner_count;
    float low[3], high[3];
} parts;

static rn_result collect(const rn_mesh *mesh, rni_memory *memory, parts *p)
{
    p->corner_count = (uint64_t)mesh->triangle_count * 3;
    rn_result result = rni_buffer_need(memory, &p->index, p->corner_count, sizeof(uint32_t));
    for (uint64_t k = 0; k < p->corner_count && result == RN_OK; k++) {
        float record[5];
        bool is_new;
        memcpy(record, mesh->vertex + 3 * (size_t)mesh->triangle[k], 3 * sizeof(float));
        if (mesh->texture) memcpy(record + 3, mesh->texture + 2 * k, 2 * sizeof(float));
        result = rni_record_table_add(&p->table, record, (uint32_t *)p->index.data + k, &is_new);
        for (int axis = 0; axis < 3; axis++) {
            if (k == 0 || record[axis] < p->low[axis]) p->low[axis] = record[axis];
            if (k == 0 || record[axis] > p->high[axis]) p->high[axis] = record[axis];
        }
    }
    return result;
}

static int make_json(const parts *p, bool has_texture, uint64_t bytes, char text[JSON_BYTES_MAX])
{
    const unsigned long long corners = p->corner_count, count = p->table.count;
    char texture_view[96] = "", texture_accessor[128] = "";
    if (has_texture) {
        snprintf(texture_view, sizeof texture_view,
                 ",{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu}",
                 4 * corners + 12 * count, 8 * count);
        snprintf(texture_accessor, sizeof texture_accessor,
                 ",{\"bufferView\":2,\"componentType\":5126,\"count\":%llu,\"type\":\"VEC2\"}",
                 count);
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
        has_texture ? ",\"TEXCOORD_0\":2" : "", (unsigned long long)bytes, 4 * corners, 4 * corners,
        12 * count, texture_view, corners, count, (double)p->low[0], (double)p->low[1],
        (double)p->low[2], (double)p->high[0], (double)p->high[1], (double)p->high[2],
        texture_accessor);
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

static rn_result put_all(rni_out_file *out, const parts *p, bool has_texture)
{
    const uint64_t bytes = 4 * p->corner_count + (has_texture ? 20 : 12) * (uint64_t)p->table.count;
    char json[JSON_BYTES_MAX];
    const int length = make_json(p, has_texture, bytes, json);
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
    if (has_texture) put_floats(out, &p->table, 3, 2);
    return RN_OK;
}

rn_result rni_glb_write(rni_out_file *out, const rn_mesh *mesh)
{
    static const rn_allocator standard = {0};
    rni_memory memory;
    parts p = {.corner_count = 0};
    rn_result result = rni_memory_init(&memory, &standard);
    rni_record_table_init(&p.table, &memory, mesh->texture ? 5 : 3);
    if (result == RN_OK) result = collect(mesh, &memory, &p);
    if (result == RN_OK) result = put_all(out, &p, mesh->texture != NULL);
    rni_record_table_free(&p.table);
    rni_buffer_free(&memory, &p.index);
    return result;
}
