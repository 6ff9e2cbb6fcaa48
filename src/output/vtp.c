/* VTK XML PolyData. The header is text; all numbers follow as raw data after an underscore, each array
 * preceded by its length as uint64. */
#include "output/frame_files.h"

#include "base/error.h"
#include "files/out_file.h"
#include "files/stored.h"

/* Rows of the cells: particle k is vertex k. 32-bit numbers where they suffice. */
static size_t index_bytes(uint32_t count)
{
    return count < 0x7fffffffu ? 4 : 8;
}

static const char *index_type(uint32_t count)
{
    return index_bytes(count) == 4 ? "Int32" : "Int64";
}

static void put_header_array(rni_out_file *out, const rn_attribute *array, uint64_t *offset,
                             uint32_t count)
{
    rni_out_file_print(out, "        <DataArray type=\"%s\" Name=\"%s\"",
                       array->type == RN_ATTRIBUTE_UINT32 ? "UInt32" : "Float32", array->name);
    if (array->components > 1)
        rni_out_file_print(out, " NumberOfComponents=\"%u\"", array->components);
    rni_out_file_print(out, " format=\"appended\" offset=\"%llu\"/>\n", (unsigned long long)*offset);
    *offset += 8 + (uint64_t)count * array->components * 4;
}

static void put_header(rni_out_file *out, const rn_frame *frame, const rn_attribute *const *arrays,
                       uint32_t array_count)
{
    uint64_t offset = 0;
    rni_out_file_text(out, "<?xml version=\"1.0\"?>\n");
    rni_out_file_print(out,
                       "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"%s\" "
                       "header_type=\"UInt64\">\n  <PolyData>\n",
                       RNI_NATIVE_IS_BIG_ENDIAN ? "BigEndian" : "LittleEndian");
    rni_out_file_print(out,
                       "    <FieldData>\n      <DataArray type=\"Float64\" Name=\"TimeValue\" "
                       "NumberOfTuples=\"1\" format=\"ascii\">%.17g</DataArray>\n",
                       frame->time);
    rni_out_file_print(out,
                       "      <DataArray type=\"Int64\" Name=\"Step\" NumberOfTuples=\"1\" "
                       "format=\"ascii\">%llu</DataArray>\n    </FieldData>\n",
                       (unsigned long long)frame->step);
    rni_out_file_print(out,
                       "    <Piece NumberOfPoints=\"%u\" NumberOfVerts=\"%u\" NumberOfLines=\"0\" "
                       "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n",
                       frame->count, frame->count);
    rni_out_file_text(out, "      <Points>\n");
    put_header_array(out, arrays[0], &offset, frame->count);
    rni_out_file_text(out, "      </Points>\n      <PointData>\n");
    for (uint32_t k = 1; k < array_count; k++)
        put_header_array(out, arrays[k], &offset, frame->count);
    rni_out_file_text(out, "      </PointData>\n      <Verts>\n");
    static const char *const CELLS[] = {"connectivity", "offsets"};
    for (uint32_t k = 0; k < 2; k++) {
        rni_out_file_print(out,
                           "        <DataArray type=\"%s\" Name=\"%s\" format=\"appended\" "
                           "offset=\"%llu\"/>\n",
                           index_type(frame->count), CELLS[k], (unsigned long long)offset);
        offset += 8 + (uint64_t)frame->count * index_bytes(frame->count);
    }
    rni_out_file_text(out, "      </Verts>\n    </Piece>\n  </PolyData>\n"
                           "  <AppendedData encoding=\"raw\">\n_");
}

static void put_rows(rni_out_file *out, const rn_frame *frame, const rn_attribute *array)
{
    uint32_t count = frame->count;
    unsigned char piece[RNI_FRAME_PIECE * 3 * sizeof(float)];
    uint64_t bytes = (uint64_t)count * array->components * 4;
    rni_out_file_put(out, &bytes, sizeof bytes);
    for (uint32_t first = 0; first < count; first += RNI_FRAME_PIECE) {
        uint32_t rows = count - first < RNI_FRAME_PIECE ? count - first : RNI_FRAME_PIECE;
        rn_frame_get_rows(frame, array, first, rows, piece);
        rni_out_file_put(out, piece, (size_t)rows * array->components * 4);
    }
}

/* first, first + 1, ...: count of them. */
static void put_ascending(rni_out_file *out, uint32_t first, uint32_t count)
{
    size_t each = index_bytes(count);
    uint64_t bytes = (uint64_t)count * each;
    rni_out_file_put(out, &bytes, sizeof bytes);
    for (uint32_t k = 0; k < count; k++) {
        uint64_t wide = (uint64_t)first + k;
        uint32_t narrow = (uint32_t)wide;
        rni_out_file_put(out, each == 4 ? (const void *)&narrow : (const void *)&wide, each);
    }
}

rn_result rni_vtp_write(const char *path, const rn_frame *frame)
{
    rni_out_file out;
    const rn_attribute *arrays[RN_FRAME_MAX_ATTRIBUTES];
    uint32_t array_count = rni_file_attributes(frame, arrays);
    rn_result result = rni_out_file_open(path, &out);
    if (result != RN_OK) return result;
    put_header(&out, frame, arrays, array_count);
    for (uint32_t k = 0; k < array_count; k++) put_rows(&out, frame, arrays[k]);
    put_ascending(&out, 0, frame->count);
    put_ascending(&out, 1, frame->count);
    rni_out_file_text(&out, "\n  </AppendedData>\n</VTKFile>\n");
    return rni_out_file_close(&out);
}
