/* Points as rows of text: XYZ, where blanks separate columns, and CSV, where commas, semicolons or
 * tabs do.
 *
 * XYZ may open with a count line and a comment line and have the element's symbol before the
 * numbers, as in chemistry. CSV may open with column names; x, y, z are then read from the columns
 * with these names. Extra columns, empty lines and lines that open with # are skipped. */
#include "base/error.h"
#include "files/reader.h"

#include <inttypes.h>

/* Which columns of a row are x, y, z. */
typedef struct row_layout {
    char delimiter; /* ' ': any number of blanks */
    uint32_t dim;
    uint32_t column[3]; /* from 0 */
    char twice;         /* the name that two columns share, or 0 */
} row_layout;

/* The points so far, in an array that doubles. */
typedef struct row_sink {
    const rni_reader *reader;
    rni_point_file *out;
    uint64_t capacity;
} row_sink;

static rn_result append(row_sink *sink, uint32_t dim, const double position[3])
{
    if (sink->out->count == sink->capacity) {
        rn_result result = rni_points_check_count(sink->reader, (uint64_t)sink->out->count + 1);
        if (result != RN_OK) return result;
        uint64_t larger = sink->capacity ? 2 * sink->capacity : 64;
        if (larger > RNI_POINT_COUNT_MAX) larger = RNI_POINT_COUNT_MAX;
        result = rni_points_reserve(sink->reader, dim, RN_SCALAR_DOUBLE, larger, sink->out);
        if (result != RN_OK) return result;
        sink->capacity = larger;
    }
    rni_points_append(sink->out, position);
    return RN_OK;
}

/* --- fields of a row -------------------------------------------------------------------------- */

typedef enum field_state { FIELD_FOUND, FIELD_NONE, FIELD_OPEN_QUOTE } field_state;

/* Takes the next field off the front of rest, without its blanks and quotes. A delimiter at the
 * very end opens no field. */
static field_state field_next(rni_text *rest, char delimiter, rni_text *field)
{
    if (delimiter == ' ') return rni_word_next(rest, field) ? FIELD_FOUND : FIELD_NONE;
    const char *at = rest->begin, *end = rest->end;
    if (at == end) return FIELD_NONE;
    while (at < end && *at == ' ') at++;
    if (at < end && *at == '"') {
        field->begin = ++at;
        while (at < end && (*at != '"' || (at + 1 < end && at[1] == '"'))) at += *at == '"' ? 2 : 1;
        if (at == end) return FIELD_OPEN_QUOTE;
        field->end = at;
        while (at < end && *at != delimiter) at++;
    } else {
        field->begin = at;
        while (at < end && *at != delimiter) at++;
        field->end = at;
    }
    *field = rni_text_trim(*field);
    rest->begin = at < end ? at + 1 : end;
    return FIELD_FOUND;
}

static rn_result fail_open_quote(const rni_reader *reader, uint64_t line_number)
{
    return rni_fail(RN_ERROR_FILE,
                    "%s:%" PRIu64 ": a quote is not closed; a row with its quotes is one line",
                    reader->name, line_number);
}

static rn_result fail_number(const rni_reader *reader, uint64_t line_number, rni_text field,
                             uint32_t axis)
{
    if (rni_text_is_empty(field)) {
        return rni_fail(RN_ERROR_FILE,
                        "%s:%" PRIu64 ": the column of %c is empty; every point needs a number there",
                        reader->name, line_number, "xyz"[axis]);
    }
    return rni_fail(RN_ERROR_FILE,
                    "%s:%" PRIu64 ": '%s' is not a number; the column of %c should hold one%s",
                    reader->name, line_number, rni_show(field).text, "xyz"[axis],
                    rni_text_has(field, ',') ? ", with a point for its decimals" : "");
}

/* Whether a quoted field after the coordinates continues on the next line, which is then not a row
 * of its own. */
static bool has_open_quote(rni_text rest, char delimiter)
{
    rni_text field;
    field_state state = FIELD_NONE;
    if (delimiter == ' ' || !rni_text_has(rest, '"')) return false;
    while ((state = field_next(&rest, delimiter, &field)) == FIELD_FOUND) {
    }
    return state == FIELD_OPEN_QUOTE;
}

static rn_result read_row(const rni_reader *reader, const row_layout *layout, rni_text line,
                          uint64_t line_number, double position[3])
{
    uint32_t found = 0;
    rni_text rest = line, field = line;
    for (uint32_t column = 0; found < layout->dim; column++) {
        field_state state = field_next(&rest, layout->delimiter, &field);
        if (state == FIELD_OPEN_QUOTE) return fail_open_quote(reader, line_number);
        if (state == FIELD_NONE) {
            return rni_fail(RN_ERROR_FILE,
                            "%s:%" PRIu64 ": the row has %" PRIu32
                            " columns, too few for the %" PRIu32 "D points that the file opens with",
                            reader->name, line_number, column, layout->dim);
        }
        for (uint32_t axis = 0; axis < layout->dim; axis++) {
            if (layout->column[axis] != column) continue;
            if (!rni_text_number(reader, field, &position[axis]))
                return fail_number(reader, line_number, field, axis);
            found++;
        }
    }
    if (has_open_quote(rest, layout->delimiter)) return fail_open_quote(reader, line_number);
    return RN_OK;
}

/* Parses a row of names: true, with *layout set, if x and y are among them. */
static bool find_names(rni_text line, char delimiter, row_layout *layout)
{
    static const char *const NAMES[] = {"x", "y", "z"};
    row_layout named = {.delimiter = delimiter};
    bool has_axis[3] = {false, false, false};
    rni_text field;
    for (uint32_t column = 0; field_next(&line, delimiter, &field) == FIELD_FOUND; column++) {
        for (size_t axis = 0; axis < 3; axis++) {
            if (!rni_text_is_any_case(field, NAMES[axis])) continue;
            if (has_axis[axis]) named.twice = *NAMES[axis];
            has_axis[axis] = true;
            named.column[axis] = column;
        }
    }
    if (!has_axis[0] || !has_axis[1]) return false;
    named.dim = has_axis[2] ? 3 : 2;
    *layout = named;
    return true;
}

/* The file does not say which of the two columns is meant. */
static rn_result check_names(const rni_reader *reader, uint64_t line_number, const row_layout *layout)
{
    if (!layout->twice) return RN_OK;
    return rni_fail(RN_ERROR_FILE, "%s:%" PRIu64 ": two columns are named %c; one is read",
                    reader->name, line_number, layout->twice);
}

/* --- XYZ -------------------------------------------------------------------------------------- */

/* Infers the layout of all rows from one row: with a symbol or without, two numbers or three. False
 * if the row is not a point. */
static bool find_xyz_layout(const rni_reader *reader, rni_text line, row_layout *layout)
{
    rni_text word;
    double value;
    layout->delimiter = ' ';
    layout->dim = 0;
    for (uint32_t column = 0; layout->dim < 3 && rni_word_next(&line, &word); column++) {
        if (rni_text_number(reader, word, &value)) {
            layout->column[layout->dim++] = column;
        } else if (column > 0) {
            break; /* after the numbers; in column 0 it is the symbol */
        }
    }
    return layout->dim >= 2;
}

static uint64_t count_rows(rni_lines lines)
{
    rni_text line;
    uint64_t count = 0;
    while (rni_lines_next_filled(&lines, true, &line)) count++;
    return count;
}

/* In chemistry a comment line follows the count line; scanners omit the comment. A line that cannot
 * be a point is the comment. A line that can be a point is the comment if as many rows as promised
 * follow it. */
static void skip_comment_line(const rni_reader *reader, rni_lines *lines, uint64_t promised)
{
    rni_lines after = *lines;
    rni_text line;
    row_layout layout;
    if (!rni_lines_next_filled(&after, true, &line)) return;
    if (!find_xyz_layout(reader, line, &layout) || count_rows(*lines) > promised) *lines = after;
}

static bool is_count_line(rni_text line, uint64_t *count)
{
    rni_text word, more;
    return rni_word_next(&line, &word) && !rni_word_next(&line, &more) &&
           rni_text_integer(word, count);
}

/* The first row has two columns and this row three numbers: one of the two rows is wrong. */
static bool has_surplus_number(const rni_reader *reader, const row_layout *layout, rni_text line)
{
    row_layout here;
    return layout->dim == 2 && layout->column[1] <= 2 && find_xyz_layout(reader, line, &here) &&
           here.dim == 3;
}

/* The rows of a Wavefront OBJ look like points with a symbol: v is a vertex, but f is a face. */
static bool is_mesh_row(rni_text line)
{
    static const char *const KINDS[] = {"f", "l", "vn", "vt", "vp"};
    rni_text word;
    bool is_one = false;
    if (!rni_word_next(&line, &word)) return false;
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) is_one |= rni_text_is(word, KINDS[k]);
    return is_one;
}

static rn_result fail_no_points(const rni_reader *reader)
{
    return rni_fail(
        RN_ERROR_FILE,
        "%s: the file has no points, only comments or empty lines; a row is two or three numbers",
        reader->name);
}

rn_result rni_xyz_parse(const rni_reader *reader, rni_point_file *out)
{
    rni_lines lines = rni_lines_begin(reader);
    rni_text line;
    row_sink sink = {reader, out, 0};
    row_layout layout = {.dim = 0};
    uint64_t promised = UINT64_MAX;
    bool is_named = false;

    out->format = "XYZ";
    if (!rni_lines_next_filled(&lines, true, &line)) return fail_no_points(reader);
    bool has_line = true, has_count = is_count_line(line, &promised);
    if (has_count) {
        rn_result result = rni_points_check_count(reader, promised);
        if (result != RN_OK) return result;
        skip_comment_line(reader, &lines, promised);
        has_line = rni_lines_next_filled(&lines, true, &line);
    } else {
        is_named = find_names(line, ' ', &layout);
        rn_result result = check_names(reader, lines.number, &layout);
        if (result != RN_OK) return result;
        if (is_named) has_line = rni_lines_next_filled(&lines, true, &line);
    }
    for (; has_line; has_line = rni_lines_next_filled(&lines, true, &line)) {
        if (out->count == promised) {
            return rni_fail(RN_ERROR_FILE,
                            "%s:%" PRIu64 ": the count line promises %" PRIu64
                            " points, more follow; several frames should be several files",
                            reader->name, lines.number, promised);
        }
        if (layout.dim == 0 && !find_xyz_layout(reader, line, &layout)) {
            return rni_fail(
                RN_ERROR_FILE,
                "%s:%" PRIu64
                ": '%s' is not a point; a row is two or three numbers, a symbol may come first",
                reader->name, lines.number, rni_show(line).text);
        }
        if (!is_named && has_surplus_number(reader, &layout, line)) {
            return rni_fail(
                RN_ERROR_FILE,
                "%s:%" PRIu64
                ": the row has three numbers, the first point has two; all should have the same",
                reader->name, lines.number);
        }
        if (!is_named && layout.column[0] == 1 && is_mesh_row(line)) {
            return rni_fail(
                RN_ERROR_FILE,
                "%s:%" PRIu64
                ": '%s' is a row of an OBJ mesh, not a point; export the points as PLY or CSV",
                reader->name, lines.number, rni_show(line).text);
        }
        double position[3] = {0, 0, 0};
        rn_result result = read_row(reader, &layout, line, lines.number, position);
        if (result == RN_OK) result = append(&sink, layout.dim, position);
        if (result != RN_OK) return result;
    }
    if (has_count && out->count < promised) {
        return rni_fail(RN_ERROR_FILE,
                        "%s:%" PRIu64 ": the count line promises %" PRIu64
                        " points, the file has %" PRIu32 "; it is cut short or the count is wrong",
                        reader->name, lines.number, promised, out->count);
    }
    if (sink.capacity) return RN_OK;
    return rni_points_reserve(reader, layout.dim ? layout.dim : 3, RN_SCALAR_DOUBLE, 0, out);
}

/* --- CSV -------------------------------------------------------------------------------------- */

static char find_delimiter(rni_text line)
{
    if (rni_text_has(line, ';'))
        return ';'; /* tested first: the comma may then be a decimal comma */
    if (rni_text_has(line, ',')) return ',';
    return rni_text_has(line, '\t') ? '\t' : ' ';
}

/* Counts the fields of a row; *are_words if no field contains a blank, as prose would. */
static uint32_t count_fields(rni_text line, char delimiter, bool *are_words)
{
    rni_text field, word;
    uint32_t count = 0;
    *are_words = true;
    while (field_next(&line, delimiter, &field) == FIELD_FOUND) {
        count++;
        *are_words &= !rni_word_next(&field, &word) || rni_text_is_empty(field);
    }
    return count;
}

/* numpy.savetxt writes names after a #. They count if the comment has the shape of the row: as many
 * fields, one word each. */
static void find_names_in_comment(rni_text comment, rni_text row, row_layout *layout)
{
    bool are_words, unused;
    uint32_t count = count_fields(comment, layout->delimiter, &are_words);
    if (!are_words || count != count_fields(row, layout->delimiter, &unused)) return;
    find_names(comment, layout->delimiter, layout);
}

/* Infers the layout from the first row that is not a comment; *is_header if that row holds names,
 * not a point. */
static rn_result find_csv_layout(const rni_reader *reader, rni_text line, uint64_t line_number,
                                 row_layout *layout, bool *is_header)
{
    char delimiter = find_delimiter(line);
    *is_header = find_names(line, delimiter, layout);
    if (*is_header) return check_names(reader, line_number, layout);
    *layout = (row_layout){.delimiter = delimiter, .column = {0, 1, 2}};
    rni_text rest = line, field;
    field_state state = FIELD_NONE;
    double value;
    while (layout->dim < 3 && (state = field_next(&rest, delimiter, &field)) == FIELD_FOUND) {
        if (!rni_text_number(reader, field, &value)) {
            return rni_fail(RN_ERROR_FILE,
                            "%s:%" PRIu64
                            ": '%s' is not a number, and the row does not name columns x and y; "
                            "rows are two or three numbers, under names x, y, z or none%s",
                            reader->name, line_number, rni_show(field).text,
                            rni_text_has(field, ',') ? "; decimals have a point" : "");
        }
        layout->dim++;
    }
    if (state == FIELD_OPEN_QUOTE) return fail_open_quote(reader, line_number);
    if (layout->dim >= 2) return RN_OK;
    return rni_fail(
        RN_ERROR_FILE,
        "%s:%" PRIu64
        ": the row has one column; a point has two or three, separated by comma, semicolon or tab",
        reader->name, line_number);
}

rn_result rni_csv_parse(const rni_reader *reader, rni_point_file *out)
{
    rni_lines lines = rni_lines_begin(reader);
    rni_text line, comment = {lines.at, lines.at};
    row_sink sink = {reader, out, 0};
    row_layout layout = {.dim = 0};
    uint64_t comment_number = 0;
    bool is_header = false;

    out->format = "CSV";
    while (rni_lines_next_filled(&lines, false, &line)) {
        if (*line.begin == '#') {
            comment = (rni_text){line.begin + 1, line.end};
            comment_number = lines.number;
            continue;
        }
        rn_result result = RN_OK;
        if (layout.dim == 0) {
            result = find_csv_layout(reader, line, lines.number, &layout, &is_header);
            if (result != RN_OK) return result;
            if (is_header) continue;
            find_names_in_comment(comment, line, &layout);
            result = check_names(reader, comment_number, &layout);
            if (result != RN_OK) return result;
        }
        double position[3] = {0, 0, 0};
        result = read_row(reader, &layout, line, lines.number, position);
        if (result == RN_OK) result = append(&sink, layout.dim, position);
        if (result != RN_OK) return result;
    }
    if (layout.dim == 0) return fail_no_points(reader);
    if (sink.capacity) return RN_OK;
    return rni_points_reserve(reader, layout.dim, RN_SCALAR_DOUBLE, 0, out);
}
