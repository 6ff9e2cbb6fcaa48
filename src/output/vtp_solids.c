/* The meshes of a frame as VTK XML PolyData: triangles in the world, with the number of their solid. */
#include "output/frame_files.h"

#include "base/error.h"
#include "files/out_file.h"
#include "files/stored.h"

#include <string.h>

typedef struct totals {
    uint64_t vertices, triangles;
} totals;

static const rn_triangles *mesh_of(const rn_frame *frame, uint32_t pose)
{
    return &frame->triangles[frame->pose[pose].triangles];
}

static totals count_all(const rn_frame *frame)
{
    totals t = {0, 0};
    for (uint32_t k = 0; k < frame->pose_count; k++) {
        t.vertices += mesh_of(frame, k)->vertex_count;
        t.triangles += mesh_of(frame, k)->index_count / 3;
    }
    return t;
}

/* p rotated by the unit quaternion of the pose, then moved. */
static void place(const rn_pose *pose, const float p[3], float out[3])
{
    const float *q = pose->rotation;
    float t[3];
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        t[a] = 2 * (q[b] * p[c] - q[c] * p[b]);
    }
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        out[a] = p[a] + q[3] * t[a] + (q[b] * t[c] - q[c] * t[b]) + pose->position[a];
    }
}

static void put_vertices(rni_out_file *out, const rn_frame *frame, const totals *t)
{
    const uint64_t bytes = t->vertices * 3 * sizeof(float);
    rni_out_file_put(out, &bytes, sizeof bytes);
    for (uint32_t k = 0; k < frame->pose_count; k++) {
        const rn_triangles *mesh = mesh_of(frame, k);
        const size_t stride = mesh->stride ? mesh->stride : 3 * sizeof(float);
        for (uint32_t v = 0; v < mesh->vertex_count; v++) {
            float p[3], x[3];
            memcpy(p, (const char *)mesh->vertex + v * stride, sizeof p);
            place(&frame->pose[k], p, x);
            rni_out_file_put(out, x, sizeof x);
        }
    }
}

static bool has_film(const rn_frame *frame)
{
    for (uint32_t k = 0; k < frame->pose_count; k++)
        if (!mesh_of(frame, k)->film) return false;
    return frame->pose_count > 0;
}

static void put_film(rni_out_file *out, const rn_frame *frame, const totals *t)
{
    const uint64_t bytes = t->vertices * sizeof(float);
    rni_out_file_put(out, &bytes, sizeof bytes);
    for (uint32_t k = 0; k < frame->pose_count; k++)
        rni_out_file_put(out, mesh_of(frame, k)->film,
                         mesh_of(frame, k)->vertex_count * sizeof(float));
}

static void put_solids(rni_out_file *out, const rn_frame *frame, const totals *t)
{
    const uint64_t bytes = t->triangles * sizeof(uint32_t);
    rni_out_file_put(out, &bytes, sizeof bytes);
    for (uint32_t k = 0; k < frame->pose_count; k++)
        for (uint32_t i = 0; i < mesh_of(frame, k)->index_count / 3; i++)
            rni_out_file_put(out, &k, sizeof k);
}

static void put_triangles(rni_out_file *out, const rn_frame *frame, const totals *t)
{
    uint64_t bytes = 3 * t->triangles * sizeof(int32_t);
    uint32_t first = 0;
    rni_out_file_put(out, &bytes, sizeof bytes);
    for (uint32_t k = 0; k < frame->pose_count; k++) {
        const rn_triangles *mesh = mesh_of(frame, k);
        for (uint32_t i = 0; i < mesh->index_count / 3 * 3; i++) {
            const int32_t vertex = (int32_t)(first + mesh->index[i]);
            rni_out_file_put(out, &vertex, sizeof vertex);
        }
        first += mesh->vertex_count;
    }
    bytes = t->triangles * sizeof(int32_t);
    rni_out_file_put(out, &bytes, sizeof bytes);
    for (uint64_t i = 1; i <= t->triangles; i++) {
        const int32_t end = (int32_t)(3 * i);
        rni_out_file_put(out, &end, sizeof end);
    }
}

static void put_array(rni_out_file *out, const char *type, const char *name, uint64_t *offset,
                      uint64_t bytes)
{
    rni_out_file_print(
        out, "        <DataArray type=\"%s\" Name=\"%s\"%s format=\"appended\" offset=\"%llu\"/>\n",
        type, name, strcmp(name, "position") == 0 ? " NumberOfComponents=\"3\"" : "",
        (unsigned long long)*offset);
    *offset += 8 + bytes;
}

rn_result rni_vtp_write_solids(const char *path, const rn_frame *frame)
{
    const totals t = count_all(frame);
    uint64_t offset = 0;
    rni_out_file out;
    if (t.vertices > 0x7fffffffu / 3 || t.triangles > 0x7fffffffu / 3)
        return rni_fail(RN_ERROR_LIMIT, "%s: the solids have %llu triangles, too many for the file",
                        path, (unsigned long long)t.triangles);
    rn_result result = rni_out_file_open(path, &out);
    if (result != RN_OK) return result;
    rni_out_file_print(&out,
                       "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                       "byte_order=\"%s\" header_type=\"UInt64\">\n  <PolyData>\n"
                       "    <Piece NumberOfPoints=\"%llu\" NumberOfVerts=\"0\" NumberOfLines=\"0\" "
                       "NumberOfStrips=\"0\" NumberOfPolys=\"%llu\">\n      <Points>\n",
                       RNI_NATIVE_IS_BIG_ENDIAN ? "BigEndian" : "LittleEndian",
                       (unsigned long long)t.vertices, (unsigned long long)t.triangles);
    put_array(&out, "Float32", "position", &offset, t.vertices * 3 * sizeof(float));
    rni_out_file_text(&out, "      </Points>\n");
    if (has_film(frame)) {
        rni_out_file_text(&out, "      <PointData>\n");
        put_array(&out, "Float32", "film", &offset, t.vertices * sizeof(float));
        rni_out_file_text(&out, "      </PointData>\n");
    }
    rni_out_file_text(&out, "      <CellData>\n");
    put_array(&out, "UInt32", "solid", &offset, t.triangles * sizeof(uint32_t));
    rni_out_file_text(&out, "      </CellData>\n      <Polys>\n");
    put_array(&out, "Int32", "connectivity", &offset, 3 * t.triangles * sizeof(int32_t));
    put_array(&out, "Int32", "offsets", &offset, t.triangles * sizeof(int32_t));
    rni_out_file_text(&out, "      </Polys>\n    </Piece>\n  </PolyData>\n"
                            "  <AppendedData encoding=\"raw\">\n_");
    put_vertices(&out, frame, &t);
    if (has_film(frame)) put_film(&out, frame, &t);
    put_solids(&out, frame, &t);
    put_triangles(&out, frame, &t);
    rni_out_file_text(&out, "\n  </AppendedData>\n</VTKFile>\n");
    return rni_out_file_close(&out);
}
