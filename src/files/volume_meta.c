/* Headers of MetaImage: lines "Key = value", of which ElementDataFile is the last. */
#include "files/volume_file.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

typedef struct meta {
    rni_volume_header *header;
    rni_text value;
    uint64_t line;
    double spacing[3], matrix[9];
    bool is_data; /* ElementDataFile was found */
    rni_text after;
} meta;

typedef rn_result (*key_fn)(meta *m);

static rn_result take_kind(meta *m)
{
    if (rni_text_is_any_case(m->value, "Image")) return RN_OK;
    return rni_volume_fail(m->header, m->line, "ObjectType should be Image");
}

static rn_result take_dimensions(meta *m)
{
    if (rni_text_is(m->value, "3")) return RN_OK;
    return rni_volume_fail(m->header, m->line, "NDims should be 3: only volumes are read");
}

static rn_result take_sizes(meta *m)
{
    m->header->has_count = rni_volume_counts(m->header, m->value, m->header->count);
    if (m->header->has_count) return RN_OK;
    return rni_volume_fail(m->header, m->line,
                           "DimSize should be three whole numbers from 1 to 65536");
}

static rn_result take_type(meta *m)
{
    static const struct {
        const char *name;
        rni_stored type;
    } TYPES[] = {{"MET_CHAR", RNI_STORED_I8},   {"MET_UCHAR", RNI_STORED_U8},
                 {"MET_SHORT", RNI_STORED_I16}, {"MET_USHORT", RNI_STORED_U16},
                 {"MET_INT", RNI_STORED_I32},   {"MET_UINT", RNI_STORED_U32},
                 {"MET_FLOAT", RNI_STORED_F32}, {"MET_DOUBLE", RNI_STORED_F64}};
    for (size_t k = 0; k < sizeof TYPES / sizeof *TYPES; k++)
        if (rni_text_is_any_case(m->value, TYPES[k].name)) {
            m->header->type = TYPES[k].type;
            m->header->has_type = true;
            return RN_OK;
        }
    return rni_volume_fail(m->header, m->line,
                           "ElementType should be MET_CHAR, UCHAR, SHORT, USHORT, INT, UINT, FLOAT or "
                           "DOUBLE");
}

static rn_result take_spacing(meta *m)
{
    bool is_read = rni_volume_numbers(m->header, m->value, "", m->spacing, 3);
    for (int k = 0; k < 3 && is_read; k++) is_read = m->spacing[k] > 0;
    if (is_read) return RN_OK;
    return rni_volume_fail(m->header, m->line, "ElementSpacing should be three positive numbers, mm");
}

static rn_result take_origin(meta *m)
{
    if (rni_volume_numbers(m->header, m->value, "", m->header->origin, 3)) return RN_OK;
    return rni_volume_fail(m->header, m->line, "Offset should be three numbers, mm");
}

static rn_result take_matrix(meta *m)
{
    if (rni_volume_numbers(m->header, m->value, "", m->matrix, 9)) return RN_OK;
    return rni_volume_fail(m->header, m->line, "TransformMatrix should be nine numbers");
}

static bool is_true(rni_text text)
{
    return rni_text_is_any_case(text, "true") || rni_text_is(text, "1");
}

static rn_result take_order(meta *m)
{
    m->header->is_big_endian = is_true(m->value);
    return RN_OK;
}

static rn_result take_packed(meta *m)
{
    m->header->is_packed = is_true(m->value);
    return RN_OK;
}

static rn_result take_binary(meta *m)
{
    if (is_true(m->value)) return RN_OK;
    return rni_volume_fail(m->header, m->line, "BinaryData should be True: text is not read");
}

static rn_result take_channels(meta *m)
{
    if (rni_text_is(m->value, "1")) return RN_OK;
    return rni_volume_fail(m->header, m->line, "a voxel should have one number");
}

static rn_result take_header_size(meta *m)
{
    uint64_t bytes;
    if (rni_text_is(m->value, "-1")) m->header->ends_at_end = true;
    else if (rni_text_integer(m->value, &bytes) && bytes <= SIZE_MAX)
        m->header->data_at = (size_t)bytes;
    else
        return rni_volume_fail(m->header, m->line, "HeaderSize should be a number of bytes, or -1");
    return RN_OK;
}

static rn_result take_data(meta *m)
{
    m->is_data = true;
    if (rni_text_is_any_case(m->value, "LOCAL")) {
        m->header->data_at = (size_t)(m->after.begin - (const char *)m->header->input->bytes);
        return RN_OK;
    }
    if (rni_text_is_any_case(m->value, "LIST") || rni_text_has(m->value, '%') ||
        rni_text_is_empty(m->value))
        return rni_volume_fail(m->header, m->line,
                               "ElementDataFile should be LOCAL or the name of one file");
    m->header->data_file = m->value;
    return RN_OK;
}

static const struct {
    const char *name;
    key_fn take;
} KEYS[] = {{"ObjectType", take_kind},
            {"NDims", take_dimensions},
            {"DimSize", take_sizes},
            {"ElementType", take_type},
            {"ElementSpacing", take_spacing},
            {"Offset", take_origin},
            {"Origin", take_origin},
            {"Position", take_origin},
            {"TransformMatrix", take_matrix},
            {"Rotation", take_matrix},
            {"Orientation", take_matrix},
            {"ElementByteOrderMSB", take_order},
            {"BinaryDataByteOrderMSB", take_order},
            {"CompressedData", take_packed},
            {"BinaryData", take_binary},
            {"ElementNumberOfChannels", take_channels},
            {"HeaderSize", take_header_size},
            {"ElementDataFile", take_data}};

static rn_result take_line(meta *m, rni_text line)
{
    const char *equals = memchr(line.begin, '=', (size_t)(line.end - line.begin));
    if (!equals)
        return rni_volume_fail(m->header, m->line,
                               "the line should be 'Key = value' of a MetaImage; NRRD files begin with "
                               "NRRD");
    const rni_text key = rni_text_trim((rni_text){line.begin, equals});
    m->value = rni_text_trim((rni_text){equals + 1, line.end});
    for (size_t k = 0; k < sizeof KEYS / sizeof *KEYS; k++)
        if (rni_text_is_any_case(key, KEYS[k].name)) return KEYS[k].take(m);
    return RN_OK; /* patient, comments and others */
}

rn_result rni_volume_meta_read(rni_volume_header *header)
{
    meta m = {.header = header, .spacing = {1, 1, 1}, .matrix = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    rni_lines lines = rni_lines_begin(header->input);
    rni_text line;
    rn_result result = RN_OK;
    while (result == RN_OK && !m.is_data && rni_lines_next_filled(&lines, false, &line)) {
        m.line = lines.number;
        m.after = (rni_text){lines.at, lines.end};
        /* A CR LF is one line end, also before the data. */
        if (lines.ends_with_cr && m.after.begin < m.after.end && *m.after.begin == '\n')
            m.after.begin++;
        result = take_line(&m, line);
    }
    if (result == RN_OK && !m.is_data)
        return rni_fail(RN_ERROR_FILE, "%s: the header has no ElementDataFile", header->input->name);
    for (int k = 0; k < 9; k++) header->axis[k / 3][k % 3] = m.spacing[k / 3] * m.matrix[k];
    return result;
}
