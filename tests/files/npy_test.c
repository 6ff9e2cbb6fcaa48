#include "clouds.h"

static bytes npy(unsigned major, const char *dictionary)
{
    bytes b = {.size = 0};
    bytes_npy_header(&b, major, dictionary);
    return b;
}

static void every_version_of_npy_is_read(void **state)
{
    (void)state;
    for (unsigned major = 1; major <= 3; major++) {
        bytes b = npy(major, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }     \n");
        for (int k = 1; k <= 4; k++) bytes_f32(&b, (float)k, false);
        rni_point_file cloud = parse_good("a.npy", b.data, b.size);
        assert_int_equal(cloud.scalar, RN_SCALAR_FLOAT);
        assert_string_equal(cloud.format, "NPY");
        expect_points(&cloud, 2, 2, (const double[]){1, 2, 3, 4});
        rni_point_file_release(&cloud);
    }
}

static void fortran_order_is_turned(void **state)
{
    (void)state;
    bytes b = npy(1, "{\"shape\": (2L,3L), \"descr\":\">f8\",\"fortran_order\":True}");
    for (int k = 1; k <= 6; k++) bytes_f64(&b, k + 0.5, true);
    rni_point_file cloud = parse_good("a.npy", b.data, b.size);
    assert_int_equal(cloud.scalar, RN_SCALAR_DOUBLE);
    expect_points(&cloud, 3, 2, (const double[]){1.5, 3.5, 5.5, 2.5, 4.5, 6.5});
    rni_point_file_release(&cloud);
}

static void integers_become_double(void **state)
{
    (void)state;
    static const struct {
        const char *dictionary;
        unsigned size;
        bool is_big_endian;
        double value;
    } CASES[] = {
        {"{'descr': '|i1', 'fortran_order': False, 'shape': (1, 2)}", 1, false, -2},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2)}", 1, false, 254},
        {"{'descr': '<i2', 'fortran_order': False, 'shape': (1, 2)}", 2, false, -2},
        {"{'descr': '>u2', 'fortran_order': False, 'shape': (1, 2)}", 2, true, 65534},
        {"{'descr': '>i4', 'fortran_order': False, 'shape': (1, 2)}", 4, true, -2},
        {"{'descr': '<u4', 'fortran_order': False, 'shape': (1, 2)}", 4, false, 4294967294.0},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (1, 2)}", 8, false, -2},
        {"{'descr': '>u8', 'fortran_order': False, 'shape': (1, 2)}", 8, true, 18446744073709551614.0},
    };
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        bytes b = npy(1, CASES[c].dictionary);
        for (int k = 0; k < 2; k++) {
            if (CASES[c].size == 1) bytes_u8(&b, 0xfe);
            if (CASES[c].size == 2) bytes_u16(&b, 0xfffe, CASES[c].is_big_endian);
            if (CASES[c].size == 4) bytes_u32(&b, 0xfffffffe, CASES[c].is_big_endian);
            if (CASES[c].size == 8) bytes_u64(&b, UINT64_MAX - 1, CASES[c].is_big_endian);
        }
        rni_point_file cloud = parse_good("a.npy", b.data, b.size);
        assert_int_equal(cloud.scalar, RN_SCALAR_DOUBLE);
        expect_points(&cloud, 2, 1, (const double[]){CASES[c].value, CASES[c].value});
        rni_point_file_release(&cloud);
    }
}

static void npy_of_zero_points_is_fine(void **state)
{
    (void)state;
    bytes b = npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }\n");
    rni_point_file cloud = parse_good("a.npy", b.data, b.size);
    expect_points(&cloud, 3, 0, NULL);
    rni_point_file_release(&cloud);
}

static void wrong_npy_headers_are_explained(void **state)
{
    (void)state;
#define RIGHT "; the header should read {'descr': '<f4', 'fortran_order': False, 'shape': (N, 3), }"
    static const struct {
        const char *dictionary;
        rn_result result;
        const char *sentence;
    } CASES[] = {
        {"", RN_ERROR_FILE, "c.npy: byte 10: the header does not open with {" RIGHT},
        {"{}", RN_ERROR_FILE, "c.npy: byte 12: descr is missing" RIGHT},
        {"{descr", RN_ERROR_FILE, "c.npy: byte 11: a key is missing" RIGHT},
        {"{'descr", RN_ERROR_FILE, "c.npy: byte 17: a key is missing" RIGHT},
        {"{'descr' '<f4'}", RN_ERROR_FILE, "c.npy: byte 19: a key is missing" RIGHT},
        {"{'colour': 'red'}", RN_ERROR_FILE, "c.npy: byte 20: a key is unknown" RIGHT},
        {"{'descr': '<f4'", RN_ERROR_FILE, "c.npy: byte 25: the header does not end with }" RIGHT},
        {"{'descr': '<f4'}", RN_ERROR_FILE, "c.npy: byte 26: the shape is missing" RIGHT},
        {"{'descr': '<f4', 'shape': (1, 2)}", RN_ERROR_FILE,
         "c.npy: byte 43: fortran_order is missing" RIGHT},
        {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1, 2)}", RN_ERROR_FILE,
         "c.npy: byte 67: fortran_order is neither True nor False" RIGHT},
        {"{'shape': 1}", RN_ERROR_FILE, "c.npy: byte 20: the shape does not open with (" RIGHT},
        {"{'shape': (1, -2)}", RN_ERROR_FILE,
         "c.npy: byte 24: the shape is not made of integers" RIGHT},
        {"{'shape': (1 2)}", RN_ERROR_FILE, "c.npy: byte 23: the shape does not end with )" RIGHT},
        {"{'shape': (1, 2), 'shape': (1, 2)}", RN_ERROR_FILE, "c.npy: byte 36: a second shape" RIGHT},
        {"{'descr': [('x', '<f4'), ('y', '<f4')], }", RN_ERROR_FILE,
         "c.npy: the array is structured; save the coordinates as one plain array of shape (N, 3)"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (1, 2)}", RN_ERROR_FILE,
         "c.npy: numbers of type '<c8' are not read; f4, f8 and the integers i1 to u8 are, as in "
         "array.astype('<f4')"},
        {"{'descr': '', 'fortran_order': False, 'shape': (1, 2)}", RN_ERROR_FILE,
         "c.npy: numbers of type '' are not read; f4, f8 and the integers i1 to u8 are, as in "
         "array.astype('<f4')"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (6,)}", RN_ERROR_FILE,
         "c.npy: the array has 1 axis; it should have two: shape (N, 2) or (N, 3)"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': ()}", RN_ERROR_FILE,
         "c.npy: the array has 0 axes; it should have two: shape (N, 2) or (N, 3)"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3, 1)}", RN_ERROR_FILE,
         "c.npy: the array has 3 axes; it should have two: shape (N, 2) or (N, 3)"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (5, 4)}", RN_ERROR_FILE,
         "c.npy: the shape is (5, 4); it should be (N, 2) or (N, 3)"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 50)}", RN_ERROR_FILE,
         "c.npy: the shape is (3, 50); it should be (N, 2) or (N, 3): save array.T"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967295, 3)}", RN_ERROR_LIMIT,
         "c.npy: 4294967295 points are too many; at most 4294967294 are read"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 3)}",
         RN_ERROR_LIMIT,
         "c.npy: 18446744073709551615 points are too many; at most 4294967294 are read"},
        {"{'descr': '<f8', 'fortran_order': True, 'shape': (4294967294, 3)}", RN_ERROR_FILE,
         "c.npy: byte 75: the header promises 4294967294 points of 3 numbers, 8 bytes each, the file has 0; it is "
         "cut short"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        bytes b = npy(1, CASES[k].dictionary);
        expect_failure("c.npy", b.data, b.size, CASES[k].result, CASES[k].sentence);
    }
}

static void wrong_npy_openings_are_explained(void **state)
{
    (void)state;
    expect_text_failure(
        "c.npy", "1 2 3\n4 5 6\n",
        "c.npy: byte 0: this is not an NPY file, or only its first bytes; numpy.save writes one");
    bytes b = npy(4, "{}");
    expect_failure("c.npy", b.data, b.size, RN_ERROR_FILE,
                   "c.npy: byte 6: NPY version 4.0 is unknown; 1.0, 2.0 and 3.0 are read");
    b = npy(1, "{'descr': '<f4'}");
    expect_failure("c.npy", b.data, 20, RN_ERROR_FILE,
                   "c.npy: byte 20: the file ends inside its header; it is cut short");
    expect_failure("c.npy", b.data, 9, RN_ERROR_FILE,
                   "c.npy: byte 9: the file ends inside its header; it is cut short");
}

static void cut_npy_says_how_many_points_are_there(void **state)
{
    (void)state;
    bytes b = npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }\n");
    for (int k = 0; k < 5; k++) bytes_f32(&b, 1, false);
    expect_failure(
        "c.npy", b.data, b.size, RN_ERROR_FILE,
        "c.npy: byte 70: the header promises 3 points of 2 numbers, 4 bytes each, the file has 2; it is "
        "cut short");
}

static void bytes_behind_the_array_are_explained(void **state)
{
    (void)state;
    bytes b = npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }\n");
    for (int k = 0; k < 6; k++) bytes_f32(&b, 1, false);
    bytes_u8(&b, 0);
    expect_failure("c.npy", b.data, b.size, RN_ERROR_FILE,
                   "c.npy: byte 94: the header promises 3 points of 2 numbers, 4 bytes each, 1 bytes "
                   "more follow; one array is read, from a file of its own");
    rni_point_file cloud = parse_good("c.npy", b.data, b.size - 1);
    expect_points(&cloud, 2, 3, (const double[]){1, 1, 1, 1, 1, 1});
    rni_point_file_release(&cloud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_of_npy_is_read),
        cmocka_unit_test(fortran_order_is_turned),
        cmocka_unit_test(integers_become_double),
        cmocka_unit_test(npy_of_zero_points_is_fine),
        cmocka_unit_test(wrong_npy_headers_are_explained),
        cmocka_unit_test(wrong_npy_openings_are_explained),
        cmocka_unit_test(cut_npy_says_how_many_points_are_there),
        cmocka_unit_test(bytes_behind_the_array_are_explained),
    };
    return cmocka_run_group_tests_name("files.npy", tests, NULL, NULL);
}
