/* Headers of NRRD: the magic, lines "field: value", an empty line; then the data, if it is not in a file of its own. */
#include "files/volume_file.h"

#include "base/error.h"

#include <string.h>

typedef struct nrrd {
    rni_volume_header *header;
    rni_text value;
    uint64_t line;
    bool has_encoding;
} nrrd;

typedef rn_result (*field_fn)(nrrd *n);

static rn_result take_dimension(nrrd *n)
{
    if (rni_text_is(n->value, "3")) return RN_OK;
    return rni_volume_fail(n->header, n->line, "dimension should be 3: only volumes are read");
}

static rn_result take_sizes(nrrd *n)
{
    n->header->has_count = rni_volume_counts(n->header, n->value, n->header->count);
    if (n->header->has_count) return RN_OK;
    return rni_volume_fail(n->header, n->line, "sizes should be three whole numbers from 1 to 65536");
}

static rn_result take_type(nrrd *n)
{
    static const struct {
        const char *names; /* separated by commas */
        rni_stored type;
    } TYPES[] = {{"signed char,int8,int8_t", RNI_STORED_I8},
                 {"uchar,unsigned char,uint8,uint8_t", RNI_STORED_U8},
                 {"short,short int,signed short,signed short int,int16,int16_t", RNI_STORED_I16},
                 {"ushort,unsigned short,unsigned short int,uint16,uint16_t", RNI_STORED_U16},
                 {"int,signed int,int32,int32_t", RNI_STORED_I32},
                 {"uint,unsigned int,uint32,uint32_t", RNI_STORED_U32},
                 {"float", RNI_STORED_F32},
                 {"double", RNI_STORED_F64}};
    for (size_t k = 0; k < sizeof TYPES / sizeof *TYPES; k++)
        for (const char *at = TYPES[k].names; *at;) {
            const size_t length = strcspn(at, ",");
            if ((size_t)(n->value.end - n->value.begin) == length &&
                memcmp(n->value.begin, at, length) == 0) {
                n->header->type = TYPES[k].type;
                n->header->has_type = true;
                return RN_OK;
            }
            at += length + (at[length] == ',');
        }
    return rni_volume_fail(n->header, n->line, "type should be a number, such as short or float");
}

static rn_result take_encoding(nrrd *n)
{
    n->has_encoding = true;
    n->header->is_packed =
        rni_text_is_any_case(n->value, "gzip") || rni_text_is_any_case(n->value, "gz");
    if (n->header->is_packed || rni_text_is_any_case(n->value, "raw")) return RN_OK;
    return rni_volume_fail(n->header, n->line, "encoding should be raw or gzip");
}

static rn_result take_endian(nrrd *n)
{
    n->header->is_big_endian = rni_text_is_any_case(n->value, "big");
    if (n->header->is_big_endian || rni_text_is_any_case(n->value, "little")) return RN_OK;
    return rni_volume_fail(n->header, n->line, "endian should be little or big");
}

static rn_result take_spacings(nrrd *n)
{
    double side[3];
    if (!rni_volume_numbers(n->header, n->value, "", side, 3) ||
        !(side[0] > 0 && side[1] > 0 && side[2] > 0))
        return rni_volume_fail(n->header, n->line, "spacings should be three positive numbers, mm");
    for (int k = 0; k < 9; k++) n->header->axis[k / 3][k % 3] = k / 3 == k % 3 ? side[k / 3] : 0;
    return RN_OK;
}

static rn_result take_directions(nrrd *n)
{
    double values[9];
    if (!rni_volume_numbers(n->header, n->value, "(),", values, 9))
        return rni_volume_fail(n->header, n->line,
                               "space directions should be three vectors such as (1,0,0), mm");
    memcpy(n->header->axis, values, sizeof values);
    return RN_OK;
}

static rn_result take_origin(nrrd *n)
{
    if (rni_volume_numbers(n->header, n->value, "(),", n->header->origin, 3)) return RN_OK;
    return rni_volume_fail(n->header, n->line, "space origin should be a vector such as (0,0,0), mm");
}

static rn_result take_space(nrrd *n)
{
    n->header->is_ras = rni_text_is_any_case(n->value, "RAS") ||
                        rni_text_is_any_case(n->value, "right-anterior-superior");
    if (n->header->is_ras || rni_text_is_any_case(n->value, "LPS") ||
        rni_text_is_any_case(n->value, "left-posterior-superior"))
        return RN_OK;
    return rni_volume_fail(n->header, n->line,
                           "space should be left-posterior-superior or right-anterior-superior");
}

static rn_result take_skip(nrrd *n)
{
    uint64_t bytes;
    if (rni_text_is(n->value, "-1")) n->header->ends_at_end = true;
    else if (rni_text_integer(n->value, &bytes) && bytes <= SIZE_MAX / 2)
        n->header->data_at = (size_t)bytes;
    else return rni_volume_fail(n->header, n->line, "byte skip should be a number of bytes, or -1");
    return RN_OK;
}

static rn_result take_file(nrrd *n)
{
    if (rni_text_is_empty(n->value) || rni_text_has(n->value, '%') || rni_text_is(n->value, "LIST"))
        return rni_volume_fail(n->header, n->line, "data file should be the name of one file");
    n->header->data_file = n->value;
    return RN_OK;
}

static const struct {
    const char *name;
    field_fn take;
} FIELDS[] = {{"dimension", take_dimension},
              {"sizes", take_sizes},
              {"type", take_type},
              {"encoding", take_encoding},
              {"endian", take_endian},
              {"spacings", take_spacings},
              {"space directions", take_directions},
              {"space origin", take_origin},
              {"space", take_space},
              {"byte skip", take_skip},
              {"byteskip", take_skip},
              {"data file", take_file},
              {"datafile", take_file}};

static rn_result take_line(nrrd *n, rni_text line)
{
    if (line.begin < line.end && *line.begin == '#') return RN_OK;
    const char *colon = memchr(line.begin, ':', (size_t)(line.end - line.begin));
    if (!colon) return rni_volume_fail(n->header, n->line, "the line should be 'field: value'");
    if (colon + 1 < line.end && colon[1] == '=') return RN_OK; /* key:=value, for others */
    const rni_text field = rni_text_trim((rni_text){line.begin, colon});
    n->value = rni_text_trim((rni_text){colon + 1, line.end});
    for (size_t k = 0; k < sizeof FIELDS / sizeof *FIELDS; k++)
        if (rni_text_is_any_case(field, FIELDS[k].name)) return FIELDS[k].take(n);
    return RN_OK;
}

rn_result rni_volume_nrrd_read(rni_volume_header *header)
{
    nrrd n = {.header = header};
    rni_lines lines = rni_lines_begin(header->input);
    rni_text line;
    bool is_ended = false;
    rn_result result = RN_OK;
    (void)rni_lines_next(&lines, &line); /* NRRD000x */
    while (result == RN_OK && !is_ended && rni_lines_next(&lines, &line)) {
        n.line = lines.number;
        is_ended = rni_text_is_empty(rni_text_trim(line));
        if (!is_ended) result = take_line(&n, line);
    }
    if (result != RN_OK) return result;
    if (!n.has_encoding)
        return rni_fail(RN_ERROR_FILE, "%s: the header has no encoding", header->input->name);
    if (header->data_file.begin != header->data_file.end) return RN_OK;
    if (!is_ended)
        return rni_fail(RN_ERROR_FILE, "%s: no empty line ends the header", header->input->name);
    const char *at = lines.at;
    if (lines.ends_with_cr && at < lines.end && *at == '\n') at++;
    const size_t begin = (size_t)(at - (const char *)header->input->bytes);
    const size_t left = header->input->size - begin;
    header->data_at = begin + (header->data_at < left ? header->data_at : left);
    return RN_OK;
}
