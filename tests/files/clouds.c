#include "clouds.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const double POINTS[9] = {1, 2, 3, -4, 5.5, 6, 7, 8, -9.25};

static void put(bytes *b, const void *data, size_t size)
{
    assert_true(b->size + size <= sizeof b->data);
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

void bytes_text(bytes *b, const char *text)
{
    put(b, text, strlen(text));
}

static void put_bits(bytes *b, uint64_t bits, unsigned size, bool is_big_endian)
{
    for (unsigned k = 0; k < size; k++) {
        unsigned shift = 8 * (is_big_endian ? size - 1 - k : k);
        unsigned char byte = (unsigned char)(bits >> shift & 0xff);
        put(b, &byte, 1);
    }
}

void bytes_u8(bytes *b, unsigned value)
{
    put_bits(b, value, 1, false);
}

void bytes_u16(bytes *b, unsigned value, bool is_big_endian)
{
    put_bits(b, value, 2, is_big_endian);
}

void bytes_u32(bytes *b, uint32_t value, bool is_big_endian)
{
    put_bits(b, value, 4, is_big_endian);
}

void bytes_u64(bytes *b, uint64_t value, bool is_big_endian)
{
    put_bits(b, value, 8, is_big_endian);
}

void bytes_f32(bytes *b, float value, bool is_big_endian)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_bits(b, bits, 4, is_big_endian);
}

void bytes_f64(bytes *b, double value, bool is_big_endian)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_bits(b, bits, 8, is_big_endian);
}

void bytes_npy_header(bytes *b, unsigned major, const char *dictionary)
{
    put(b, "\x93NUMPY", 6);
    bytes_u8(b, major);
    bytes_u8(b, 0);
    put_bits(b, strlen(dictionary), major == 1 ? 2 : 4, false);
    bytes_text(b, dictionary);
}

static void put_points(bytes *b, bool is_double, bool is_big_endian)
{
    for (unsigned k = 0; k < 9; k++) {
        if (is_double) {
            bytes_f64(b, POINTS[k], is_big_endian);
        } else {
            bytes_f32(b, (float)POINTS[k], is_big_endian);
        }
    }
}

static void make_text(sample *made, const char *name, const char *format, bool tells, const char *text)
{
    *made = (sample){
        .name = name, .format = format, .scalar = RN_SCALAR_DOUBLE, .tells_its_count = tells};
    bytes_text(&made->content, text);
}

static void make_binary_ply(sample *made, const char *name, bool is_double, bool is_big_endian)
{
    *made = (sample){.name = name, .tells_its_count = true};
    made->format = is_big_endian ? "PLY binary big endian" : "PLY binary little endian";
    made->scalar = is_double ? RN_SCALAR_DOUBLE : RN_SCALAR_FLOAT;
    bytes *b = &made->content;
    bytes_text(b, is_big_endian ? "ply\nformat binary_big_endian 1.0\n"
                                : "ply\nformat binary_little_endian 1.0\n");
    bytes_text(b, "element vertex 3\n");
    bytes_text(b, is_double ? "property double x\nproperty double y\nproperty double z\nend_header\n"
                            : "property float x\nproperty float y\nproperty float z\nend_header\n");
    put_points(b, is_double, is_big_endian);
}

static void make_npy(sample *made, const char *name, unsigned major, bool is_double,
                     const char *dictionary)
{
    *made = (sample){.name = name, .format = "NPY", .tells_its_count = true};
    made->scalar = is_double ? RN_SCALAR_DOUBLE : RN_SCALAR_FLOAT;
    bytes_npy_header(&made->content, major, dictionary);
    put_points(&made->content, is_double, strchr(dictionary, '>') != NULL);
}

const sample *sample_at(unsigned place)
{
    static sample samples[SAMPLE_COUNT];
    static bool is_made;
    if (!is_made) {
        is_made = true;
        make_text(
            &samples[0], "text.ply", "PLY ascii", true,
            "ply\nformat ascii 1.0\ncomment a cloud\nelement edge 1\nproperty list uchar int v\n"
            "element vertex 3\nproperty uchar red\nproperty float x\nproperty double y\nproperty int z\n"
            "property list uchar int around\nend_header\n2 0 1\n255 1 2 3 0\n0 -4 5.5 6 2 8 9\n"
            "9 7 8 -9.25 1 4\n");
        make_binary_ply(&samples[1], "little.ply", false, false);
        make_binary_ply(&samples[2], "big.ply", true, true);
        make_text(&samples[3], "plain.xyz", "XYZ", false, "# x y z\n1 2 3\n-4 5.5 6\n7 8 -9.25\n");
        make_text(&samples[4], "molecule.xyz", "XYZ", true,
                  "3\na comment\nO 1 2 3\nH -4 5.5 6 0.1\nH 7 8 -9.25\n");
        make_text(&samples[5], "plain.csv", "CSV", false, "1,2,3\n-4,5.5,6\n7,8,-9.25\n");
        make_text(&samples[6], "names.csv", "CSV", false,
                  "\"name\";Z;\"x\";y\na;3;1;2\n\"b;c\";6;-4;5.5\nd;-9.25;\"7\";8\n");
        make_npy(&samples[7], "float.npy", 1, false,
                 "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 3), }\n");
        make_npy(&samples[8], "double.npy", 2, true,
                 "{'descr': '>f8', 'fortran_order': False, 'shape': (3, 3), }\n");
        make_text(&samples[9], "tab.tsv", "CSV", false,
                  "x\ty\tz\n1\t2\t3\n-4\t5.5\t6\n7\t8\t-9.25\n");
    }
    return &samples[place];
}

double coordinate(const rni_point_file *cloud, uint32_t i, uint32_t k)
{
    size_t at = (size_t)i * cloud->dim + k;
    return cloud->scalar == RN_SCALAR_FLOAT ? (double)((const float *)cloud->position)[at]
                                            : ((const double *)cloud->position)[at];
}

rn_result parse_exactly(const void *data, size_t size, const char *name, rni_point_file *out)
{
    void *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    rn_result result = rni_point_file_parse(copy, size, name, out);
    free(copy);
    return result;
}

rni_point_file parse_good(const char *name, const void *data, size_t size)
{
    rni_point_file cloud;
    rn_result result = parse_exactly(data, size, name, &cloud);
    if (result != RN_OK) fail_msg("%s", rn_last_error());
    return cloud;
}

rni_point_file parse_good_text(const char *name, const char *text)
{
    return parse_good(name, text, strlen(text));
}

void expect_points(const rni_point_file *cloud, uint32_t dim, uint32_t count, const double *values)
{
    assert_int_equal(cloud->dim, dim);
    assert_int_equal(cloud->count, count);
    assert_non_null(cloud->position);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < dim; k++) {
            double wanted = values[i * dim + k], got = coordinate(cloud, i, k);
            if (wanted != got)
                fail_msg("point %u axis %u is %.17g; it should be %.17g", i, k, got, wanted);
        }
    }
}

void expect_sample_points(const rni_point_file *cloud)
{
    expect_points(cloud, 3, 3, POINTS);
}

void expect_failure(const char *name, const void *data, size_t size, rn_result result,
                    const char *sentence)
{
    rni_point_file cloud;
    rn_result got = parse_exactly(data, size, name, &cloud);
    if (got == RN_OK) fail_msg("read %u points; it should fail: %s", cloud.count, sentence);
    assert_string_equal(rn_last_error(), sentence);
    assert_int_equal(got, result);
    assert_null(cloud.position);
    assert_int_equal(cloud.count, 0);
}

void expect_text_failure(const char *name, const char *text, const char *sentence)
{
    expect_failure(name, text, strlen(text), RN_ERROR_FILE, sentence);
}
