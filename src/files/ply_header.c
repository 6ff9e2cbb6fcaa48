#include "files/ply_header.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const TYPE_NAMES[] = {"char",  "uchar",  "short",   "ushort",  "int",   "uint",
                                         "float", "double", "int8",    "uint8",   "int16", "uint16",
                                         "int32", "uint32", "float32", "float64", NULL};
static const rni_stored TYPES[] = {RNI_STORED_I8,  RNI_STORED_U8,  RNI_STORED_I16, RNI_STORED_U16,
                                   RNI_STORED_I32, RNI_STORED_U32, RNI_STORED_F32, RNI_STORED_F64,
                                   RNI_STORED_I8,  RNI_STORED_U8,  RNI_STORED_I16, RNI_STORED_U16,
                                   RNI_STORED_I32, RNI_STORED_U32, RNI_STORED_F32, RNI_STORED_F64};

static const char *const ENCODINGS[] = {"ascii", "binary_little_endian", "binary_big_endian", NULL};
static const char *const KEYWORDS[] = {"format",   "comment",    "obj_info", "element",
                                       "property", "end_header", NULL};
enum keyword { FORMAT, COMMENT, OBJ_INFO, ELEMENT, PROPERTY, END_HEADER };

/* Parser state of the header. */
typedef struct header_scan {
    const rni_reader *reader;
    rni_ply_header *header;
    rni_lines lines;
    bool has_format, has_vertex;
} header_scan;

/* Index of word in a NULL-terminated table, or an error that suggests the nearest entry. */
static rn_result look_up(const header_scan *scan, const char *what, rni_text word,
                         const char *const *table, size_t *place)
{
    for (*place = 0; table[*place]; ++*place) {
        if (rni_text_is(word, table[*place])) return RN_OK;
    }
    const char *nearest = rni_nearest_word(word, table);
    return rni_fail(RN_ERROR_FILE, "%s:%" PRIu64 ": %s '%s' is unknown; %s%s%s", scan->reader->name,
                    scan->lines.number, what, rni_show(word).text,
                    nearest ? "did you mean " : "known are ", nearest ? nearest : table[0],
                    nearest              ? "?"
                    : table == ENCODINGS ? ", binary_little_endian, binary_big_endian"
                    : table == KEYWORDS  ? ", comment, element, property, end_header"
                                         : ", uchar, short, int, float, double ...");
}

static rn_result bad_line(const header_scan *scan, const char *right)
{
    return rni_fail(RN_ERROR_FILE,
                    "%s:%" PRIu64 ": the line has too few or too many words; it should read '%s'",
                    scan->reader->name, scan->lines.number, right);
}

/* True if exactly `wanted` words are left in rest. */
static bool take_words(rni_text *rest, rni_text *words, size_t wanted)
{
    for (size_t k = 0; k < wanted; k++) {
        if (!rni_word_next(rest, &words[k])) return false;
    }
    rni_text more;
    return !rni_word_next(rest, &more);
}

static rn_result read_format(header_scan *scan, rni_text rest)
{
    rni_text words[2];
    if (scan->has_format) {
        return rni_fail(RN_ERROR_FILE, "%s:%" PRIu64 ": a second format line; one is allowed",
                        scan->reader->name, scan->lines.number);
    }
    if (!take_words(&rest, words, 2)) return bad_line(scan, "format ascii 1.0");
    size_t place;
    rn_result result = look_up(scan, "encoding", words[0], ENCODINGS, &place);
    if (result != RN_OK) return result;
    if (!rni_text_is(words[1], "1.0")) {
        return rni_fail(RN_ERROR_FILE, "%s:%" PRIu64 ": PLY version '%s' is unknown; 1.0 is read",
                        scan->reader->name, scan->lines.number, rni_show(words[1]).text);
    }
    scan->header->encoding = (rni_ply_encoding)place;
    scan->has_format = true;
    return RN_OK;
}

/* Reserves one more element: arrays grow when their count is a power of two. */
static void *grow(void *array, size_t count, size_t size)
{
    if (count & (count - 1)) return array;
    return realloc(array, (count ? 2 * count : 1) * size);
}

static rn_result read_element(header_scan *scan, rni_text rest)
{
    rni_ply_header *header = scan->header;
    rni_text words[2];
    if (!take_words(&rest, words, 2)) return bad_line(scan, "element vertex 8");
    uint64_t count;
    if (!rni_text_integer(words[1], &count)) {
        return rni_fail(RN_ERROR_FILE, "%s:%" PRIu64 ": '%s' is not a count; it should be 0 or more",
                        scan->reader->name, scan->lines.number, rni_show(words[1]).text);
    }
    rni_ply_element *element = grow(header->element, header->element_count, sizeof *element);
    if (!element)
        return rni_fail(RN_ERROR_MEMORY, "%s: no memory for the header", scan->reader->name);
    header->element = element;
    if (rni_text_is(words[0], "vertex")) {
        if (scan->has_vertex) {
            return rni_fail(RN_ERROR_FILE, "%s:%" PRIu64 ": a second element vertex; one is read",
                            scan->reader->name, scan->lines.number);
        }
        rn_result result = rni_points_check_count(scan->reader, count);
        if (result != RN_OK) return result;
        scan->has_vertex = true;
        header->vertex = header->element_count;
    }
    header->element[header->element_count++] =
        (rni_ply_element){.name = words[0], .count = count, .property_begin = header->property_count};
    return RN_OK;
}

/* The axis of a vertex property. */
static rn_result find_axis(const header_scan *scan, rni_text name, rni_ply_property *property)
{
    const rni_ply_header *header = scan->header;
    property->axis = -1;
    if (!scan->has_vertex || header->vertex + 1 != header->element_count) return RN_OK;
    if (rni_text_is(name, "x")) property->axis = 0;
    if (rni_text_is(name, "y")) property->axis = 1;
    if (rni_text_is(name, "z")) property->axis = 2;
    if (property->axis < 0) return RN_OK;
    if (property->is_list) {
        return rni_fail(RN_ERROR_FILE, "%s:%" PRIu64 ": %c is a list; it should be one number",
                        scan->reader->name, scan->lines.number, *name.begin);
    }
    const rni_ply_element *vertex = &header->element[header->vertex];
    for (size_t p = 0; p < vertex->property_count; p++) {
        if (header->property[vertex->property_begin + p].axis == property->axis) {
            return rni_fail(RN_ERROR_FILE, "%s:%" PRIu64 ": a second property %c; one is allowed",
                            scan->reader->name, scan->lines.number, *name.begin);
        }
    }
    return RN_OK;
}

static rn_result read_property(header_scan *scan, rni_text rest)
{
    rni_ply_header *header = scan->header;
    rni_ply_property property = {0};
    rni_text after = rest, words[3];
    size_t place;
    if (header->element_count == 0) {
        return rni_fail(
            RN_ERROR_FILE,
            "%s:%" PRIu64
            ": a property before any element; a line 'element vertex COUNT' must come first",
            scan->reader->name, scan->lines.number);
    }
    if (rni_word_next(&after, &words[0]) && rni_text_is(words[0], "list")) {
        if (!take_words(&after, words, 3)) {
            return bad_line(scan, "property list uchar int vertex_indices");
        }
        rn_result result = look_up(scan, "property type", words[0], TYPE_NAMES, &place);
        if (result != RN_OK) return result;
        property.count_type = TYPES[place];
        property.is_list = true;
        if (property.count_type == RNI_STORED_F32 || property.count_type == RNI_STORED_F64) {
            return rni_fail(
                RN_ERROR_FILE,
                "%s:%" PRIu64
                ": the length of a list is of type %s; it should be an integer type such as uchar",
                scan->reader->name, scan->lines.number, TYPE_NAMES[place]);
        }
        words[0] = words[1];
        words[1] = words[2];
    } else if (!take_words(&rest, words, 2)) {
        return bad_line(scan, "property float x");
    }
    rn_result result = look_up(scan, "property type", words[0], TYPE_NAMES, &place);
    if (result != RN_OK) return result;
    property.type = TYPES[place];
    property.name = words[1];
    result = find_axis(scan, words[1], &property);
    if (result != RN_OK) return result;

    rni_ply_property *larger = grow(header->property, header->property_count, sizeof *larger);
    if (!larger)
        return rni_fail(RN_ERROR_MEMORY, "%s: no memory for the header", scan->reader->name);
    header->property = larger;
    header->property[header->property_count++] = property;
    rni_ply_element *element = &header->element[header->element_count - 1];
    element->property_count++;
    element->record_bytes += rni_stored_bytes(property.is_list ? property.count_type : property.type);
    element->has_lists |= property.is_list;
    return RN_OK;
}

/* After end_header: checks that the header locates the points. */
static rn_result conclude(header_scan *scan)
{
    rni_ply_header *header = scan->header;
    if (!scan->has_format) {
        return rni_fail(RN_ERROR_FILE,
                        "%s:%" PRIu64 ": the header has no format line, such as 'format ascii 1.0'",
                        scan->reader->name, scan->lines.number);
    }
    if (!scan->has_vertex) {
        return rni_fail(RN_ERROR_FILE,
                        "%s:%" PRIu64
                        ": the header has no 'element vertex COUNT': there are no points",
                        scan->reader->name, scan->lines.number);
    }
    for (size_t e = 0; e < header->element_count; e++) {
        rni_ply_element *element = &header->element[e];
        if (element->property_count) element->property = header->property + element->property_begin;
    }
    bool has_axis[3] = {false, false, false};
    const rni_ply_element *vertex = &header->element[header->vertex];
    header->scalar = header->encoding == RNI_PLY_ASCII ? RN_SCALAR_DOUBLE : RN_SCALAR_FLOAT;
    for (size_t p = 0; p < vertex->property_count; p++) {
        if (vertex->property[p].axis < 0) continue;
        has_axis[vertex->property[p].axis] = true;
        if (vertex->property[p].type != RNI_STORED_F32) header->scalar = RN_SCALAR_DOUBLE;
    }
    if (!has_axis[0] || !has_axis[1]) {
        return rni_fail(RN_ERROR_FILE,
                        "%s:%" PRIu64
                        ": element vertex has no property %c; it needs x, y and, in 3D, z",
                        scan->reader->name, scan->lines.number, has_axis[0] ? 'y' : 'x');
    }
    header->dim = has_axis[2] ? 3 : 2;
    header->body = scan->lines;
    return RN_OK;
}

rn_result rni_ply_header_read(const rni_reader *reader, rni_ply_header *header)
{
    *header = (rni_ply_header){0};
    header_scan scan = {.reader = reader, .header = header, .lines = rni_lines_begin(reader)};
    rni_text line = {scan.lines.at, scan.lines.at}, keyword;
    if (!rni_lines_next(&scan.lines, &line) || !rni_text_is(rni_text_trim(line), "ply")) {
        return rni_fail(RN_ERROR_FILE,
                        "%s:1: the file opens with '%s'; a PLY file opens with a line 'ply'",
                        reader->name, rni_show(line).text);
    }
    /* In a file with CR line ends an LF after end_header is the first byte of data. */
    scan.lines.ends_with_cr = scan.lines.at[-1] == '\r';
    while (rni_lines_next_filled(&scan.lines, false, &line)) {
        size_t place;
        rni_word_next(&line, &keyword);
        rn_result result = look_up(&scan, "header line", keyword, KEYWORDS, &place);
        if (result != RN_OK) return result;
        switch ((enum keyword)place) {
        case FORMAT: result = read_format(&scan, line); break;
        case ELEMENT: result = read_element(&scan, line); break;
        case PROPERTY: result = read_property(&scan, line); break;
        case END_HEADER: return conclude(&scan);
        case COMMENT:
        case OBJ_INFO: break;
        }
        if (result != RN_OK) return result;
    }
    return rni_fail(RN_ERROR_FILE,
                    "%s:%" PRIu64 ": the header does not end; a line 'end_header' is missing",
                    reader->name, scan.lines.number);
}

void rni_ply_header_release(rni_ply_header *header)
{
    free(header->element);
    free(header->property);
    *header = (rni_ply_header){0};
}
