#include "files/box_file.h"
#include "files/mesh_file.h"

#include "base/error.h"
#include "files/npy_write.h"
#include "files/out_file.h"
#include "files/whole_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void rni_box_file_release(rni_box_file *boxes)
{
    if (!boxes) return;
    free(boxes->low);
    free(boxes->high);
    free(boxes->velocity);
    free(boxes->category);
    free(boxes->mask);
    *boxes = (rni_box_file){0};
}

/* Grows an array to capacity * each bytes. Returns false if out of memory and leaves the array
 * unchanged. */
static bool widen(void *array, uint64_t capacity, size_t each)
{
    void *old, *larger;
    memcpy(&old, array, sizeof old);
    size_t bytes = (size_t)capacity * each;
    larger = bytes > 0 ? realloc(old, bytes) : NULL;
    if (!larger) return false;
    memcpy(array, &larger, sizeof larger);
    return true;
}

static rn_result reserve(const rni_reader *reader, rni_box_file *out, uint64_t capacity)
{
    size_t corner = out->dim * sizeof(float);
    if (capacity > RNI_POINT_COUNT_MAX) capacity = RNI_POINT_COUNT_MAX;
    if (!widen(&out->low, capacity, corner) || !widen(&out->high, capacity, corner) ||
        (out->velocity && !widen(&out->velocity, capacity, corner)) ||
        (out->category && !widen(&out->category, capacity, sizeof(uint32_t))) ||
        (out->mask && !widen(&out->mask, capacity, sizeof(uint32_t))))
        return rni_fail(RN_ERROR_MEMORY, "%s: no memory for %" PRIu64 " boxes", reader->name,
                        capacity);
    out->capacity = (uint32_t)capacity;
    return RN_OK;
}

rn_result rni_box_append(const rni_reader *reader, rni_box_file *out, float **low, float **high)
{
    if (out->count == out->capacity) {
        rn_result result = rni_points_check_count(reader, (uint64_t)out->count + 1);
        if (result == RN_OK) result = reserve(reader, out, 2 * (uint64_t)out->capacity + 64);
        if (result != RN_OK) return result;
    }
    *low = out->low + (size_t)out->count * out->dim;
    *high = out->high + (size_t)out->count * out->dim;
    out->count++;
    return RN_OK;
}

/* --- CSV --------------------------------------------------------------------------------------- */

/* Meaning of the columns of a row: corners first, axis by axis. */
enum {
    LOW = 0,
    HIGH = 3,
    VELOCITY = 6,
    CATEGORY = 9,
    MASK = 10,
    FIELD_COUNT = 11,
    COLUMN_NONE = 0xffff
};

typedef struct row_plan {
    char delimiter; /* ' ': any number of blanks */
    uint32_t dim;
    uint32_t column[FIELD_COUNT];
    uint32_t last; /* the last column that is read */
} row_plan;

static const char *const field_names[FIELD_COUNT][8] = {
    {"min_x", "low_x", "x_min", "xmin", "minx", "x_low", "x0"},
    {"min_y", "low_y", "y_min", "ymin", "miny", "y_low", "y0"},
    {"min_z", "low_z", "z_min", "zmin", "minz", "z_low", "z0"},
    {"max_x", "high_x", "x_max", "xmax", "maxx", "x_high", "x1"},
    {"max_y", "high_y", "y_max", "ymax", "maxy", "y_high", "y1"},
    {"max_z", "high_z", "z_max", "zmax", "maxz", "z_high", "z1"},
    {"vx", "velocity_x"},
    {"vy", "velocity_y"},
    {"vz", "velocity_z"},
    {"category"},
    {"mask"},
};

/* Takes the next field off the front of rest, without blanks and quotes. */
static bool field_next(rni_text *rest, char delimiter, rni_text *field)
{
    if (delimiter == ' ') return rni_word_next(rest, field);
    if (rest->begin == rest->end) return false;
    const char *at = rest->begin;
    while (at < rest->end && *at != delimiter) at++;
    *field = rni_text_trim((rni_text){rest->begin, at});
    if (field->end - field->begin >= 2 && *field->begin == '"' && field->end[-1] == '"')
        *field = rni_text_trim((rni_text){field->begin + 1, field->end - 1});
    rest->begin = at < rest->end ? at + 1 : rest->end;
    return true;
}

static char find_delimiter(rni_text line)
{
    if (rni_text_has(line, ';')) return ';';
    if (rni_text_has(line, ',')) return ',';
    return rni_text_has(line, '\t') ? '\t' : ' ';
}

static rn_result no_layout(const rni_reader *reader, uint64_t line, rni_text text)
{
    return rni_fail(RN_ERROR_FILE,
                    "%s:%" PRIu64
                    ": '%s' is not a row of boxes; a row is four numbers (2D: min x, min y, max x, max y) "
                    "or six, or the first row names columns min_x, min_y, max_x, max_y and so on",
                    reader->name, line, rni_show(text).text);
}

static rn_result plan_by_names(const rni_reader *reader, rni_text line, uint64_t number,
                               row_plan *plan)
{
    rni_text rest = line, field;
    for (uint32_t column = 0; column < COLUMN_NONE && field_next(&rest, plan->delimiter, &field);
         column++) {
        for (int f = 0; f < FIELD_COUNT; f++)
            for (int n = 0; n < 8 && field_names[f][n]; n++)
                if (plan->column[f] == COLUMN_NONE && rni_text_is_any_case(field, field_names[f][n]))
                    plan->column[f] = column;
    }
    plan->dim = plan->column[LOW + 2] != COLUMN_NONE || plan->column[HIGH + 2] != COLUMN_NONE ? 3 : 2;
    for (uint32_t axis = 0; axis < plan->dim; axis++) {
        bool has_low = plan->column[LOW + axis] != COLUMN_NONE;
        bool has_high = plan->column[HIGH + axis] != COLUMN_NONE;
        if (has_low && has_high) continue;
        if (axis == 0 && !has_low && !has_high) return no_layout(reader, number, line);
        return rni_fail(RN_ERROR_FILE, "%s:%" PRIu64 ": column %s_%c is missing", reader->name,
                        number, has_low ? "max" : "min", "xyz"[axis]);
    }
    return RN_OK;
}

/* The first row defines the layout of all rows; *is_header if the first row holds names. */
static rn_result make_plan(const rni_reader *reader, rni_text line, uint64_t number, row_plan *plan,
                           bool *is_header)
{
    *plan = (row_plan){.delimiter = find_delimiter(line)};
    for (int f = 0; f < FIELD_COUNT; f++) plan->column[f] = COLUMN_NONE;
    rni_text rest = line, field;
    double value;
    uint32_t count = 0;
    bool are_numbers = true;
    while (field_next(&rest, plan->delimiter, &field)) {
        are_numbers = are_numbers && rni_text_number(reader, field, &value);
        count++;
    }
    *is_header = !are_numbers;
    if (are_numbers) {
        if (count != 4 && count != 6) return no_layout(reader, number, line);
        plan->dim = count / 2;
        for (uint32_t axis = 0; axis < plan->dim; axis++) {
            plan->column[LOW + axis] = axis;
            plan->column[HIGH + axis] = plan->dim + axis;
        }
    } else {
        rn_result result = plan_by_names(reader, line, number, plan);
        if (result != RN_OK) return result;
    }
    for (int f = 0; f < FIELD_COUNT; f++)
        if (plan->column[f] != COLUMN_NONE && plan->column[f] > plan->last)
            plan->last = plan->column[f];
    return RN_OK;
}

static rn_result refuse_field(const rni_reader *reader, uint64_t line, int f, rni_text field)
{
    if (rni_text_is_empty(field))
        return rni_fail(RN_ERROR_FILE,
                        "%s:%" PRIu64 ": the column of %s is empty; it should be a number",
                        reader->name, line, field_names[f][0]);
    return rni_fail(RN_ERROR_FILE, "%s:%" PRIu64 ": '%s' is not %s; the column of %s should hold one",
                    reader->name, line, rni_show(field).text,
                    f >= CATEGORY ? "a whole number below 2^32" : "a number", field_names[f][0]);
}

/* Reads one row into values[]; whole numbers too, since a double holds them exactly. */
static rn_result read_row(const rni_reader *reader, const row_plan *plan, rni_text line,
                          uint64_t number, double values[FIELD_COUNT])
{
    rni_text rest = line, field;
    for (uint32_t column = 0; column <= plan->last; column++) {
        if (!field_next(&rest, plan->delimiter, &field))
            return rni_fail(RN_ERROR_FILE,
                            "%s:%" PRIu64 ": the row has %u columns; the first one has at least %u",
                            reader->name, number, column, plan->last + 1);
        for (int f = 0; f < FIELD_COUNT; f++) {
            if (plan->column[f] != column) continue;
            uint64_t whole = 0;
            bool is_good = f >= CATEGORY ? rni_text_integer(field, &whole) && whole <= UINT32_MAX
                                         : rni_text_number(reader, field, &values[f]);
            if (!is_good) return refuse_field(reader, number, f, field);
            if (f >= CATEGORY) values[f] = (double)whole;
        }
    }
    return RN_OK;
}

static rn_result check_box(const rni_reader *reader, uint64_t line, const float *low,
                           const float *high, uint32_t dim)
{
    for (uint32_t axis = 0; axis < dim; axis++) {
        if (!isfinite(low[axis]) || !isfinite(high[axis]))
            return rni_fail(RN_ERROR_FILE,
                            "%s:%" PRIu64
                            ": %s_%c is %g; it must be finite, as a float (up to 3.4e38)",
                            reader->name, line, isfinite(low[axis]) ? "max" : "min", "xyz"[axis],
                            (double)(isfinite(low[axis]) ? high[axis] : low[axis]));
        if (low[axis] > high[axis])
            return rni_fail(
                RN_ERROR_FILE,
                "%s:%" PRIu64 ": the box is inverted: min_%c is %.9g, above max_%c, which is %.9g",
                reader->name, line, "xyz"[axis], (double)low[axis], "xyz"[axis], (double)high[axis]);
    }
    return RN_OK;
}

static rn_result append_row(const rni_reader *reader, uint64_t line, const double *values,
                            rni_box_file *out)
{
    float *low, *high;
    rn_result result = rni_box_append(reader, out, &low, &high);
    if (result != RN_OK) return result;
    uint32_t i = out->count - 1;
    for (uint32_t axis = 0; axis < out->dim; axis++) {
        low[axis] = (float)values[LOW + axis];
        high[axis] = (float)values[HIGH + axis];
        if (out->velocity)
            out->velocity[(size_t)i * out->dim + axis] = (float)values[VELOCITY + axis];
    }
    if (out->category) out->category[i] = (uint32_t)values[CATEGORY];
    if (out->mask) out->mask[i] = (uint32_t)values[MASK];
    return check_box(reader, line, low, high, out->dim);
}

/* Allocates the arrays for the columns present. */
static rn_result open_arrays(const rni_reader *reader, const row_plan *plan, rni_box_file *out)
{
    out->dim = plan->dim;
    bool has_velocity = false;
    for (uint32_t axis = 0; axis < plan->dim; axis++)
        has_velocity |= plan->column[VELOCITY + axis] != COLUMN_NONE;
    if (has_velocity) out->velocity = malloc(64);
    if (plan->column[CATEGORY] != COLUMN_NONE) out->category = malloc(64);
    if (plan->column[MASK] != COLUMN_NONE) out->mask = malloc(64);
    if ((has_velocity && !out->velocity) ||
        (plan->column[CATEGORY] != COLUMN_NONE && !out->category) ||
        (plan->column[MASK] != COLUMN_NONE && !out->mask))
        return rni_fail(RN_ERROR_MEMORY, "%s: no memory for boxes", reader->name);
    return reserve(reader, out, 64);
}

rn_result rni_box_csv_parse(const rni_reader *reader, rni_box_file *out)
{
    rni_lines lines = rni_lines_begin(reader);
    rni_text line;
    row_plan plan = {.dim = 0};
    out->format = "CSV";
    out->what = "boxes";
    while (rni_lines_next_filled(&lines, true, &line)) {
        if (plan.dim == 0) {
            bool is_header;
            rn_result result = make_plan(reader, line, lines.number, &plan, &is_header);
            if (result == RN_OK) result = open_arrays(reader, &plan, out);
            if (result != RN_OK) return result;
            if (is_header) continue;
        }
        double values[FIELD_COUNT] = {0};
        rn_result result = read_row(reader, &plan, line, lines.number, values);
        if (result == RN_OK) result = append_row(reader, lines.number, values, out);
        if (result != RN_OK) return result;
    }
    if (plan.dim != 0) return RN_OK;
    return rni_fail(
        RN_ERROR_FILE,
        "%s: the file has no boxes, only comments or empty lines; a row is four or six numbers",
        reader->name);
}

/* --- any file ---------------------------------------------------------------------------------- */

typedef rn_result (*parse_fn)(const rni_reader *reader, rni_box_file *out);

static rni_text extension_of(const char *name)
{
    const char *end = name + strlen(name), *dot = strrchr(name, '.');
    return (rni_text){dot ? dot : end, end};
}

/* Content that opens with a known signature decides the format; otherwise the file name does. */
static parse_fn choose_format(const rni_reader *reader)
{
    static const char *const mesh[] = {".ply", ".stl", ".obj", ".glb", NULL};
    static const char *const words[] = {"ply", "solid", "v", "vn", "vt", "o", "g", "mtllib", NULL};
    rni_text extension = extension_of(reader->name);
    rni_lines lines = rni_lines_begin(reader);
    rni_text line = {lines.at, lines.at}, word;
    bool has_line = rni_lines_next_filled(&lines, true, &line);
    if (has_line && rni_text_is(line, "ply")) return rni_box_mesh_parse;
    for (int k = 0; mesh[k]; k++)
        if (rni_text_is_any_case(extension, mesh[k])) return rni_box_mesh_parse;
    if (rni_text_is_any_case(extension, ".csv") || rni_text_is_any_case(extension, ".tsv"))
        return rni_box_csv_parse;
    if (rni_glb_is(reader->bytes, reader->size) || rni_stl_is_binary(reader->bytes, reader->size))
        return rni_box_mesh_parse;
    if (has_line && rni_word_next(&line, &word))
        for (int k = 0; words[k]; k++)
            if (rni_text_is(word, words[k])) return rni_box_mesh_parse;
    return rni_box_csv_parse;
}

static bool has_zeros(const unsigned char *bytes, size_t size)
{
    return memchr(bytes, 0, size < RNI_OPENING_BYTES ? size : RNI_OPENING_BYTES) != NULL;
}

static rn_result check_opening(const char *name, const unsigned char *bytes, size_t size)
{
    const char *stranger = rni_known_stranger(bytes, size);
    return stranger ? rni_fail(RN_ERROR_FILE, "%s: the file %s", name, stranger) : RN_OK;
}

rn_result rni_box_file_parse(const void *bytes, size_t size, const char *name, rni_box_file *out)
{
    *out = (rni_box_file){0};
    rni_reader reader = {name ? name : "boxes", bytes, size, (locale_t)0};
    if (size == 0)
        return rni_fail(
            RN_ERROR_FILE,
            "%s: the file is empty; boxes in CSV and triangles in OBJ, STL and PLY are read",
            reader.name);
    rn_result result = check_opening(reader.name, bytes, size);
    if (result != RN_OK) return result;
    parse_fn parse = choose_format(&reader);
    if (parse == rni_box_csv_parse && has_zeros(bytes, size))
        return rni_fail(
            RN_ERROR_FILE,
            "%s: the file is binary, but neither PLY, STL nor glTF; boxes in CSV and triangles in OBJ, "
            "STL and PLY are read",
            reader.name);
    reader.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (reader.c_locale == (locale_t)0)
        return rni_fail(RN_ERROR_MEMORY, "%s: no memory for a locale", reader.name);
    result = parse(&reader, out);
    freelocale(reader.c_locale);
    if (result == RN_OK && !out->low) {
        if (out->dim == 0) out->dim = 3;
        result = reserve(&reader, out, 1);
    }
    if (result != RN_OK) rni_box_file_release(out);
    return result;
}

rn_result rni_box_file_read(const char *path, rni_box_file *out)
{
    *out = (rni_box_file){0};
    const char *name;
    unsigned char *bytes;
    size_t size = 0;
    rn_result result = rni_whole_file_read(path, check_opening, &name, &bytes, &size);
    if (result == RN_OK) result = rni_box_file_parse(bytes, size, name, out);
    free(bytes);
    return result;
}

rn_result rni_box_pairs_write(const char *path, const rn_pair *pair, uint64_t count)
{
    rni_out_kind kind = rni_out_kind_of(path);
    rni_out_file out;
    if (kind != RNI_OUT_CSV && kind != RNI_OUT_NPY)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "%s: the extension names no known format; pairs are written as .csv or .npy",
                        path);
    rn_result result = rni_out_file_open(path, &out);
    if (result != RN_OK) return result;
    if (kind == RNI_OUT_NPY) {
        rni_npy_header_write(&out, "u4", count, 2);
        rni_out_file_put(&out, pair, (size_t)count * sizeof *pair);
        return rni_out_file_close(&out);
    }
    rni_out_file_text(&out, "a,b\n");
    for (uint64_t k = 0; k < count && !out.error; k++) {
        rni_out_file_integer(&out, pair[k].a);
        rni_out_file_text(&out, ",");
        rni_out_file_integer(&out, pair[k].b);
        rni_out_file_text(&out, "\n");
    }
    return rni_out_file_close(&out);
}
