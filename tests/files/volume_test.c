/* Volumes: MetaImage and NRRD, raw and packed; broken and hostile ones. */
#include "../fact.h"

#include "files/volume_file.h"

#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define META                                                                                            \
    "ObjectType = Image\nNDims = 3\nDimSize = 2 3 1\nElementType = MET_SHORT\nElementSpacing = 1 2 3\n" \
    "Offset = 10 20 30\nTransformMatrix = 1 0 0 0 1 0 0 0 1\n"
#define NRRD                                                                                              \
    "NRRD0004\n# made by hand\ntype: short\ndimension: 3\nspace: left-posterior-superior\nsizes: 2 3 1\n" \
    "space directions: (1,0,0) (0,2,0) (0,0,3)\nkinds: domain domain domain\nendian: little\n"            \
    "space origin: (10,20,30)\n"

static const unsigned char DATA[12] = {0x18, 0xfc, 0, 0, 40, 0, 0xe8, 3, 1, 0, 0xff, 0xff};
static const float VALUES[6] = {-1000, 0, 40, 1000, 1, -1};
/* The same by gzip. */
static const unsigned char PACKED[] = {
    0x1f, 0x8b, 0x8,  0x0,  0x0,  0x0,  0x0,  0x0, 0x2,  0x3,  0x93, 0xf8, 0xc3, 0xc0, 0xa0, 0xc1,
    0xf0, 0x82, 0x99, 0x91, 0xe1, 0xff, 0x7f, 0x0, 0x80, 0x47, 0xa6, 0x63, 0xc,  0x0,  0x0,  0x0};

/* Parses a text and data after it, from a block of exactly their size. */
static rn_result parse(const char *name, const char *text, const void *data, size_t size,
                       rni_volume_file *volume)
{
    const size_t length = strlen(text);
    unsigned char *block = malloc(length + size + 1);
    unsigned char *exact = NULL;
    memcpy(block, text, length);
    memcpy(block + length, data, size);
    exact = malloc(length + size ? length + size : 1);
    memcpy(exact, block, length + size);
    const rn_result result = rni_volume_file_parse(exact, length + size, name, volume);
    free(exact);
    free(block);
    return result;
}

static void expect_volume(const char *name, const char *text, const void *data, size_t size)
{
    rni_volume_file v;
    if (parse(name, text, data, size, &v) != RN_OK) fail_msg("%s", rn_last_error());
    assert_int_equal(v.count[0], 2);
    assert_int_equal(v.count[1], 3);
    assert_int_equal(v.count[2], 1);
    for (int n = 0; n < 6; n++)
        if (v.value[n] != VALUES[n])
            fail_msg("%s: voxel %d is %g instead of %g", name, n, (double)v.value[n],
                     (double)VALUES[n]);
    /* Millimetres to the left, the back and the head become metres to the left, up and to the front. */
    const float origin[3] = {0.01f, 0.03f, -0.02f};
    for (int k = 0; k < 3; k++) assert_true(fabsf(v.origin[k] - origin[k]) < 1e-7f);
    assert_true(fabsf(v.axis[0][0] - 0.001f) < 1e-9f && fabsf(v.axis[1][2] + 0.002f) < 1e-9f &&
                fabsf(v.axis[2][1] - 0.003f) < 1e-9f);
    rni_volume_file_release(&v);
}

static void both_formats_are_read(void **state)
{
    (void)state;
    expect_volume("a.mha", META "ElementDataFile = LOCAL\n", DATA, sizeof DATA);
    expect_volume("a.mha", META "HeaderSize = -1\nElementDataFile = LOCAL\r\nxyz", DATA, sizeof DATA);
    expect_volume("a.nrrd", NRRD "encoding: raw\n\n", DATA, sizeof DATA);
    expect_volume("a.nrrd", NRRD "encoding: raw\nbyte skip: 2\n\nab", DATA, sizeof DATA);
    unsigned char swapped[sizeof DATA];
    for (size_t n = 0; n < sizeof DATA; n++) swapped[n] = DATA[n ^ 1];
    expect_volume("a.mha", META "ElementByteOrderMSB = True\nElementDataFile = LOCAL\n", swapped,
                  sizeof swapped);
}

static void data_beside_the_header_is_read(void **state)
{
    (void)state;
    char folder[] = "/tmp/runnel-volume-XXXXXX", header[64], data[64];
    assert_non_null(mkdtemp(folder));
    snprintf(header, sizeof header, "%s/a.mhd", folder);
    snprintf(data, sizeof data, "%s/a.raw", folder);
    FILE *file = fopen(data, "wb");
    assert_int_equal(fwrite(DATA, 1, sizeof DATA, file), sizeof DATA);
    fclose(file);
    file = fopen(header, "wb");
    fputs(META "ElementDataFile = a.raw\n", file);
    fclose(file);
    rni_volume_file v;
    if (rni_volume_file_read(header, &v) != RN_OK) fail_msg("%s", rn_last_error());
    assert_true(v.value[3] == 1000);
    rni_volume_file_release(&v);
    unlink(data);
    assert_int_equal(rni_volume_file_read(header, &v), RN_ERROR_FILE);
    unlink(header);
    rmdir(folder);
}

static void packed_data_is_read_or_said_to_be_packed(void **state)
{
    (void)state;
    rni_volume_file v;
    const char *text = NRRD "encoding: gzip\n\n";
    if (parse("a.nrrd", text, PACKED, sizeof PACKED, &v) != RN_OK) {
        if (strstr(rn_last_error(), "without zlib")) skip();
        fail_msg("%s", rn_last_error());
    }
    rni_volume_file_release(&v);
    expect_volume("a.nrrd", text, PACKED, sizeof PACKED);
    expect_volume("a.mha", META "CompressedData = True\nElementDataFile = LOCAL\n", PACKED,
                  sizeof PACKED);
    for (size_t size = 0; size < sizeof PACKED - 9; size++)
        assert_int_equal(parse("a.nrrd", text, PACKED, size, &v), RN_ERROR_FILE);
}

static void refuse(const char *name, const char *text, const char *part)
{
    rni_volume_file v;
    assert_int_equal(parse(name, text, DATA, sizeof DATA, &v), RN_ERROR_FILE);
    assert_null(v.value);
    if (!strstr(rn_last_error(), part)) fail_msg("'%s' is not in '%s'", part, rn_last_error());
    if (strncmp(rn_last_error(), name, strlen(name)) != 0)
        fail_msg("no name: '%s'", rn_last_error());
}

static void broken_files_are_refused_with_their_place(void **state)
{
    (void)state;
    rni_volume_file v;
    assert_int_equal(parse("x.mha", "NDims = 3\n", DATA, 0, &v), RN_ERROR_FILE);
    assert_non_null(strstr(rn_last_error(), "no ElementDataFile"));
    refuse("x.mha", "", "x.mha:1: the line should be");
    refuse("x.mha", "hello\n", "x.mha:1: the line should be 'Key = value'");
    refuse("x.mha", "NDims = 2\n", "x.mha:1: NDims should be 3");
    refuse("x.mha", "DimSize = 2 3\n", "three whole numbers");
    refuse("x.mha", "DimSize = 2 3 0\n", "three whole numbers");
    refuse("x.mha", "DimSize = 2 3 1e300\n", "three whole numbers");
    refuse("x.mha", "ElementType = MET_LONG_LONG\n", "ElementType should be");
    refuse("x.mha", "ElementSpacing = 1 nan 1\n", "positive numbers");
    refuse("x.mha", "ElementDataFile = LIST\n", "x.mha:1: ElementDataFile should be LOCAL");
    refuse("x.mha", "ElementDataFile = LOCAL\n", "no sizes");
    refuse("x.mha", META "ElementDataFile = ../../etc/passwd\n", "the same folder");
    refuse("x.mha", META "ElementDataFile = /etc/passwd\n", "the same folder");
    refuse("x.mha",
           "DimSize = 65536 65536 65536\nElementType = MET_DOUBLE\nElementDataFile = LOCAL\n",
           "65536 x 65536 x 65536 voxels need");
    refuse("x.nrrd", "NRRD0004\nsizes: 2 3 1\ntype: short\n\n", "no encoding");
    refuse("x.nrrd", "NRRD0004\nencoding: bzip2\n\n", "x.nrrd:2: encoding should be raw or gzip");
    refuse("x.nrrd", "NRRD0004\nspace: scanner-xyz\n\n", "x.nrrd:2: space should be");
    refuse("x.nrrd", "NRRD0004\nencoding: raw\nspace directions: none (1,0,0) (0,1,0) (0,0,1)\n\n",
           "three vectors");
    refuse("x.nrrd", NRRD "encoding: raw\n", "the line should be 'field: value'");
    assert_int_equal(parse("x.nrrd", NRRD "encoding: raw\n", DATA, 0, &v), RN_ERROR_FILE);
    assert_non_null(strstr(rn_last_error(), "no empty line"));
    refuse("x.nrrd", NRRD "encoding: raw\nbyte skip: 9\n\n", "need 12 bytes, but there are 3");
}

static void mutated_files_are_read_or_refused(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {META "CompressedData = False\nElementDataFile = LOCAL\n",
                                        NRRD "encoding: raw\n\n", NRRD "encoding: gzip\n\n"};
    rni_random random = rni_random_make(3);
    for (uint32_t n = 0; n < 20000 / FACT_SLOWNESS; n++) {
        char text[600];
        snprintf(text, sizeof text, "%s", TEXTS[n % 3]);
        const uint32_t length = (uint32_t)strlen(text);
        for (uint32_t k = rni_random_below(&random, 4) + 1; k > 0; k--)
            text[rni_random_below(&random, length)] = (char)(rni_random_below(&random, 127) + 1);
        rni_volume_file v;
        const bool is_packed = n % 3 == 2;
        if (parse("m", text, is_packed ? PACKED : DATA, is_packed ? sizeof PACKED : sizeof DATA,
                  &v) == RN_OK)
            for (uint32_t i = 0; i < v.count[0] * v.count[1] * v.count[2]; i++)
                assert_true(isnan(v.value[i]) || isfinite(v.value[i]));
        rni_volume_file_release(&v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_formats_are_read),
        cmocka_unit_test(data_beside_the_header_is_read),
        cmocka_unit_test(packed_data_is_read_or_said_to_be_packed),
        cmocka_unit_test(broken_files_are_refused_with_their_place),
        cmocka_unit_test(mutated_files_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
