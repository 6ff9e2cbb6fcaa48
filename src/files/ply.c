/* PLY after its header: elements in file order, as text or binary. For elements before and after
 * the vertices (mostly faces) the reader only checks that they are present and end with the file:
 * if they do not, the vertex count may be wrong too. Text holds one record per line, as the format
 * was published (Turk 1994). */
#include "base/error.h"
#include "files/ply_header.h"

#include <inttypes.h>

/* One input with its parsed header. */
typedef struct ply_scan {
    const rni_reader *reader;
    const rni_ply_header *header;
    const rni_ply_element *vertex;
    rni_lines lines; /* text */
    size_t offset;   /* binary */
    bool is_big_endian;
} ply_scan;

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool is_alone(const ply_scan *scan)
{
    return scan->header->element_count == 1;
}

static const char *beside(const ply_scan *scan)
{
    return is_alone(scan) ? "nothing else" : "other elements";
}

/* --- text ------------------------------------------------------------------------------------- */

static rn_result cut_short_text(const ply_scan *scan, const rni_ply_element *element, uint64_t there)
{
    return rni_fail(RN_ERROR_FILE,
                    "%s:%" PRIu64 ": the header promises %" PRIu64
                    " records of element '%s', the file ends after %" PRIu64
                    "; it is cut short or the count is wrong",
                    scan->reader->name, scan->lines.number, element->count,
                    rni_show(element->name).text, there);
}

static rn_result skip_text(ply_scan *scan, const rni_ply_element *element)
{
    rni_text line;
    if (element->property_count == 0) return RN_OK;
    for (uint64_t k = 0; k < element->count; k++) {
        if (!rni_lines_next_filled(&scan->lines, false, &line))
            return cut_short_text(scan, element, k);
    }
    return RN_OK;
}

static rn_result wrong_width(const ply_scan *scan, const char *what)
{
    return rni_fail(RN_ERROR_FILE,
                    "%s:%" PRIu64 ": the vertex has too %s values; its element has %zu properties, "
                    "one record a line",
                    scan->reader->name, scan->lines.number, what, scan->vertex->property_count);
}

static rn_result read_text_record(const ply_scan *scan, rni_text line, double position[3])
{
    rni_text word;
    for (size_t p = 0; p < scan->vertex->property_count; p++) {
        const rni_ply_property *property = &scan->vertex->property[p];
        if (!rni_word_next(&line, &word)) return wrong_width(scan, "few");
        if (property->is_list) {
            uint64_t length;
            if (!rni_text_integer(word, &length)) {
                return rni_fail(RN_ERROR_FILE,
                                "%s:%" PRIu64
                                ": '%s' is not the length of a list; it should be 0 or more",
                                scan->reader->name, scan->lines.number, rni_show(word).text);
            }
            for (uint64_t k = 0; k < length; k++) {
                if (!rni_word_next(&line, &word)) return wrong_width(scan, "few");
            }
        } else if (property->axis >= 0 &&
                   !rni_text_number(scan->reader, word, &position[property->axis])) {
            return rni_fail(RN_ERROR_FILE,
                            "%s:%" PRIu64 ": '%s' is not a number; it should be the %c of a vertex",
                            scan->reader->name, scan->lines.number, rni_show(word).text,
                            "xyz"[property->axis]);
        }
    }
    if (rni_word_next(&line, &word)) return wrong_width(scan, "many");
    return RN_OK;
}

static rn_result read_text(ply_scan *scan, rni_point_file *out)
{
    for (size_t e = 0; e < scan->header->vertex; e++) {
        rn_result result = skip_text(scan, &scan->header->element[e]);
        if (result != RN_OK) return result;
    }
    /* A value takes at least a digit and a blank, which limits the number of points in the
     * remaining input. */
    uint64_t left = (uint64_t)(scan->lines.end - scan->lines.at);
    uint64_t fitting = (left + 1) / (2 * scan->vertex->property_count);
    rn_result result = rni_points_reserve(scan->reader, scan->header->dim, scan->header->scalar,
                                          least(fitting, scan->vertex->count), out);
    if (result != RN_OK) return result;
    for (uint64_t i = 0; i < scan->vertex->count; i++) {
        rni_text line;
        double position[3] = {0, 0, 0};
        if (!rni_lines_next_filled(&scan->lines, false, &line))
            return cut_short_text(scan, scan->vertex, i);
        result = read_text_record(scan, line, position);
        if (result != RN_OK) return result;
        rni_points_append(out, position);
    }
    for (size_t e = scan->header->vertex + 1; e < scan->header->element_count; e++) {
        result = skip_text(scan, &scan->header->element[e]);
        if (result != RN_OK) return result;
    }
    rni_text more;
    if (!rni_lines_next_filled(&scan->lines, false, &more)) return RN_OK;
    return rni_fail(
        RN_ERROR_FILE,
        "%s:%" PRIu64 ": the header promises %" PRIu64 " vertices and %s, more follows; %s",
        scan->reader->name, scan->lines.number, scan->vertex->count, beside(scan),
        is_alone(scan) ? "the count is wrong" : "a count is wrong, or a record is not one line");
}

/* --- binary ----------------------------------------------------------------------------------- */

static rn_result cut_short_binary(const ply_scan *scan, const rni_ply_element *element, uint64_t there)
{
    return rni_fail(
        RN_ERROR_FILE,
        "%s: byte %zu: the header promises %" PRIu64
        " records of element '%s', the file has %" PRIu64 "; it is cut short or the count is wrong",
        scan->reader->name, scan->offset, element->count, rni_show(element->name).text, there);
}

/* Skips one record and reads its x, y, z. Returns false, without moving, if the input ends inside
 * the record. */
static bool walk_record(ply_scan *scan, const rni_ply_element *element, double position[3])
{
    const rni_reader *reader = scan->reader;
    size_t offset = scan->offset;
    for (size_t p = 0; p < element->property_count; p++) {
        const rni_ply_property *property = &element->property[p];
        size_t bytes = rni_stored_bytes(property->type);
        uint64_t length = 1;
        if (property->is_list) {
            size_t count_bytes = rni_stored_bytes(property->count_type);
            if (reader->size - offset < count_bytes) return false;
            double count =
                rni_stored_load(reader->bytes + offset, property->count_type, scan->is_big_endian);
            if (count < 0) return false; /* a negative list length: no record can follow */
            offset += count_bytes;
            length = (uint64_t)count;
        }
        if (length > (reader->size - offset) / bytes) return false;
        if (property->axis >= 0) {
            position[property->axis] =
                rni_stored_load(reader->bytes + offset, property->type, scan->is_big_endian);
        }
        offset += (size_t)length * bytes;
    }
    scan->offset = offset;
    return true;
}

static rn_result skip_binary(ply_scan *scan, const rni_ply_element *element)
{
    double unused[3];
    if (element->property_count == 0) return RN_OK;
    if (element->has_lists) {
        for (uint64_t k = 0; k < element->count; k++) {
            if (!walk_record(scan, element, unused)) return cut_short_binary(scan, element, k);
        }
        return RN_OK;
    }
    uint64_t there = (scan->reader->size - scan->offset) / element->record_bytes;
    if (there < element->count) return cut_short_binary(scan, element, there);
    scan->offset += (size_t)element->count * element->record_bytes;
    return RN_OK;
}

/* Vertices without lists have a fixed stride. */
static void read_fixed_records(ply_scan *scan, uint64_t count, rni_point_file *out)
{
    size_t place[3] = {0, 0, 0}, bytes = 0;
    rni_stored type[3] = {RNI_STORED_F32, RNI_STORED_F32, RNI_STORED_F32};
    for (size_t p = 0; p < scan->vertex->property_count; p++) {
        const rni_ply_property *property = &scan->vertex->property[p];
        if (property->axis >= 0) {
            place[property->axis] = bytes;
            type[property->axis] = property->type;
        }
        bytes += rni_stored_bytes(property->type);
    }
    for (uint64_t i = 0; i < count; i++) {
        const unsigned char *record = scan->reader->bytes + scan->offset;
        double position[3] = {0, 0, 0};
        for (uint32_t k = 0; k < 3 && k < out->dim; k++) {
            position[k] = rni_stored_load(record + place[k], type[k], scan->is_big_endian);
        }
        rni_points_append(out, position);
        scan->offset += bytes;
    }
}

static rn_result read_binary(ply_scan *scan, rni_point_file *out)
{
    for (size_t e = 0; e < scan->header->vertex; e++) {
        rn_result result = skip_binary(scan, &scan->header->element[e]);
        if (result != RN_OK) return result;
    }
    const rni_ply_element *vertex = scan->vertex;
    uint64_t fitting = (scan->reader->size - scan->offset) / vertex->record_bytes;
    if (fitting < vertex->count && !vertex->has_lists)
        return cut_short_binary(scan, vertex, fitting);
    rn_result result = rni_points_reserve(scan->reader, scan->header->dim, scan->header->scalar,
                                          least(fitting, vertex->count), out);
    if (result != RN_OK) return result;
    if (!vertex->has_lists) read_fixed_records(scan, vertex->count, out);
    for (uint64_t i = 0; vertex->has_lists && i < vertex->count; i++) {
        double position[3] = {0, 0, 0};
        if (!walk_record(scan, vertex, position)) return cut_short_binary(scan, vertex, i);
        rni_points_append(out, position);
    }
    for (size_t e = scan->header->vertex + 1; e < scan->header->element_count; e++) {
        result = skip_binary(scan, &scan->header->element[e]);
        if (result != RN_OK) return result;
    }
    size_t more = scan->reader->size - scan->offset;
    if (more == 0) return RN_OK;
    return rni_fail(RN_ERROR_FILE,
                    "%s: byte %zu: the header promises %" PRIu64
                    " vertices and %s, %zu bytes more follow; a count or a type is wrong",
                    scan->reader->name, scan->offset, vertex->count, beside(scan), more);
}

rn_result rni_ply_parse(const rni_reader *reader, rni_point_file *out)
{
    static const char *const NAMES[] = {"PLY ascii", "PLY binary little endian",
                                        "PLY binary big endian"};
    rni_ply_header header;
    rn_result result = rni_ply_header_read(reader, &header);
    if (result == RN_OK) {
        ply_scan scan = {
            .reader = reader,
            .header = &header,
            .vertex = &header.element[header.vertex],
            .lines = header.body,
            .offset = (size_t)(header.body.at - (const char *)reader->bytes),
            .is_big_endian = header.encoding == RNI_PLY_BIG_ENDIAN,
        };
        out->format = NAMES[header.encoding];
        result = header.encoding == RNI_PLY_ASCII ? read_text(&scan, out) : read_binary(&scan, out);
    }
    rni_ply_header_release(&header);
    return result;
}
