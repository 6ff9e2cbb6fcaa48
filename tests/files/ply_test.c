#include "clouds.h"

#include <string.h>

#define HEADER "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"

static void text_ply_is_read_as_double(void **state)
{
    (void)state;
    rni_point_file cloud =
        parse_good_text("a.ply", HEADER "property float z\nend_header\n0.1 2 3\n4 5 nan\n");
    assert_int_equal(cloud.scalar, RN_SCALAR_DOUBLE);
    assert_string_equal(cloud.format, "PLY ascii");
    assert_true(coordinate(&cloud, 0, 0) == 0.1);
    assert_true(coordinate(&cloud, 1, 2) != coordinate(&cloud, 1, 2));
    rni_point_file_release(&cloud);
}

static void ply_without_z_is_two_dimensional(void **state)
{
    (void)state;
    rni_point_file cloud = parse_good_text("a.ply", HEADER "end_header\n1 2\n3 4\n");
    expect_points(&cloud, 2, 2, (const double[]){1, 2, 3, 4});
    rni_point_file_release(&cloud);
}

static void ply_with_lists_before_vertices_is_read(void **state)
{
    (void)state;
    rni_point_file cloud = parse_good_text(
        "a.ply",
        "ply\nformat ascii 1.0\nelement face 2\nproperty list uchar int v\nelement nothing 5\n"
        "element vertex 1\nproperty int z\nproperty int x\nproperty list uchar int w\nproperty int y\n"
        "end_header\n3 0 1 2\n\n1 7\n3 1 4 9 9 9 9 2\n");
    expect_points(&cloud, 3, 1, (const double[]){1, 2, 3});
    rni_point_file_release(&cloud);
    for (int big = 0; big < 2; big++) {
        bytes b = {.size = 0};
        bytes_text(&b, big ? "ply\nformat binary_big_endian 1.0\n"
                           : "ply\nformat binary_little_endian 1.0\n");
        bytes_text(
            &b,
            "element fixed 2\nproperty short s\nproperty double d\nelement nothing 1000000000000\n"
            "element face 2\nproperty uchar flag\nproperty list ushort int v\n"
            "element vertex 2\nproperty list int8 double w\nproperty float32 y\nproperty uint16 x\n"
            "property int8 z\nelement face2 77\nproperty list uchar int v\nend_header\n");
        for (int k = 0; k < 2; k++) {
            bytes_u16(&b, 0xffff, big);
            bytes_f64(&b, 0.25, big);
        }
        bytes_u8(&b, 1);
        bytes_u16(&b, 3, big);
        for (uint32_t k = 0; k < 3; k++) bytes_u32(&b, k, big);
        bytes_u8(&b, 0);
        bytes_u16(&b, 0, big);
        for (unsigned i = 0; i < 2; i++) {
            bytes_u8(&b, i);
            if (i) bytes_f64(&b, 99, big);
            bytes_f32(&b, 2.5f, big);
            bytes_u16(&b, 65535, big);
            bytes_u8(&b, 0xff);
        }
        for (int k = 0; k < 77; k++) bytes_u8(&b, 0); /* faces without corners */
        cloud = parse_good("a.ply", b.data, b.size);
        assert_int_equal(cloud.scalar, RN_SCALAR_DOUBLE);
        expect_points(&cloud, 3, 2, (const double[]){65535, 2.5, -1, 65535, 2.5, -1});
        rni_point_file_release(&cloud);
    }
}

static void every_scalar_type_of_ply_is_read_in_both_byte_orders(void **state)
{
    (void)state;
    static const struct {
        const char *names[2];
        unsigned size;
        double value;
    } TYPES[] = {{{"char", "int8"}, 1, -2},       {{"uchar", "uint8"}, 1, 254},
                 {{"short", "int16"}, 2, -2},     {{"ushort", "uint16"}, 2, 65534},
                 {{"int", "int32"}, 4, -2},       {{"uint", "uint32"}, 4, 4294967294.0},
                 {{"float", "float32"}, 0, -2.5}, {{"double", "float64"}, 0, -2.5}};
    for (unsigned t = 0; t < 16; t++) {
        for (int big = 0; big < 2; big++) {
            bytes b = {.size = 0};
            const char *type = TYPES[t / 2].names[t % 2];
            bytes_text(&b, big ? "ply\nformat binary_big_endian 1.0\n"
                               : "ply\nformat binary_little_endian 1.0\n");
            bytes_text(&b, "element vertex 1\nproperty ");
            bytes_text(&b, type);
            bytes_text(&b, " x\nproperty uchar y\nend_header\n");
            if (TYPES[t / 2].size == 1) bytes_u8(&b, 0xfe);
            if (TYPES[t / 2].size == 2) bytes_u16(&b, 0xfffe, big);
            if (TYPES[t / 2].size == 4) bytes_u32(&b, 0xfffffffe, big);
            if (t / 2 == 6) bytes_f32(&b, -2.5f, big);
            if (t / 2 == 7) bytes_f64(&b, -2.5, big);
            bytes_u8(&b, 7);
            rni_point_file cloud = parse_good("a.ply", b.data, b.size);
            expect_points(&cloud, 2, 1, (const double[]){TYPES[t / 2].value, 7});
            rni_point_file_release(&cloud);
        }
    }
}

static void ply_lines_may_end_in_any_way(void **state)
{
    (void)state;
    rni_point_file cloud = parse_good_text(
        "a", "\xef\xbb\xbfply\r\nformat ascii 1.0\r\n\r\nobj_info x\r\ncomment\r\nelement vertex 1\r\n"
             "property float x\r\n  property\tfloat y \r\nend_header\r\n1 2\r\n");
    expect_points(&cloud, 2, 1, (const double[]){1, 2});
    rni_point_file_release(&cloud);

    /* The first byte of data is an LF: after a CR it belongs to the line end only if the other
     * lines end with CR LF. */
    for (int style = 0; style < 3; style++) {
        static const char *const ENDS[] = {"\n", "\r\n", "\r"};
        static const char *const LINES[] = {"ply",
                                            "format binary_little_endian 1.0",
                                            "element vertex 1",
                                            "property uchar x",
                                            "property uchar y",
                                            "end_header"};
        bytes b = {.size = 0};
        for (int k = 0; k < 6; k++) {
            bytes_text(&b, LINES[k]);
            bytes_text(&b, ENDS[style]);
        }
        bytes_text(&b, "\n\r");
        cloud = parse_good("a.ply", b.data, b.size);
        expect_points(&cloud, 2, 1, (const double[]){10, 13});
        rni_point_file_release(&cloud);
    }
}

static void ply_of_zero_points_is_fine(void **state)
{
    (void)state;
    rni_point_file cloud = parse_good_text(
        "a.ply",
        "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nend_header\n");
    expect_points(&cloud, 2, 0, NULL);
    rni_point_file_release(&cloud);
    cloud = parse_good_text("a.ply",
                            "ply\nformat binary_big_endian 1.0\nelement vertex 0\nproperty float x\n"
                            "property float y\nproperty float z\nend_header");
    expect_points(&cloud, 3, 0, NULL);
    rni_point_file_release(&cloud);
}

static void wrong_ply_headers_are_explained(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sentence;
    } CASES[] = {
        {"plx\n", "c.ply:1: the file opens with 'plx'; a PLY file opens with a line 'ply'"},
        {"\xef\xbb\xbf", "c.ply:1: the file opens with ''; a PLY file opens with a line 'ply'"},
        {"ply\n", "c.ply:1: the header does not end; a line 'end_header' is missing"},
        {"ply\nformat asci 1.0\n", "c.ply:2: encoding 'asci' is unknown; did you mean ascii?"},
        {"ply\nformat utf8 1.0\n",
         "c.ply:2: encoding 'utf8' is unknown; known are ascii, binary_little_endian, binary_big_endian"},
        {"ply\nformat ascii 2.0\n", "c.ply:2: PLY version '2.0' is unknown; 1.0 is read"},
        {"ply\nformat ascii\n",
         "c.ply:2: the line has too few or too many words; it should read 'format ascii 1.0'"},
        {"ply\nformat ascii 1.0\nformat ascii 1.0\n", "c.ply:3: a second format line; one is allowed"},
        {"ply\nelemnet vertex 3\n",
         "c.ply:2: header line 'elemnet' is unknown; did you mean element?"},
        {"ply\nsomething else\n",
         "c.ply:2: header line 'something' is unknown; known are format, comment, "
         "element, property, end_header"},
        {"ply\nelement vertex\n",
         "c.ply:2: the line has too few or too many words; it should read 'element vertex 8'"},
        {"ply\nelement vertex -3\n", "c.ply:2: '-3' is not a count; it should be 0 or more"},
        {"ply\nelement vertex 1\nelement vertex 1\n", "c.ply:3: a second element vertex; one is read"},
        {"ply\nproperty float x\n",
         "c.ply:2: a property before any element; a line 'element vertex COUNT' must come first"},
        {HEADER "property float x y\n",
         "c.ply:6: the line has too few or too many words; it should read 'property float x'"},
        {HEADER "property flot z\n", "c.ply:6: property type 'flot' is unknown; did you mean float?"},
        {HEADER "property complex z\n",
         "c.ply:6: property type 'complex' is unknown; known are char, uchar, "
         "short, int, float, double ..."},
        {HEADER "property float x\n", "c.ply:6: a second property x; one is allowed"},
        {HEADER "property list uchar float z\n", "c.ply:6: z is a list; it should be one number"},
        {HEADER "property list uchar float\n",
         "c.ply:6: the line has too few or too many words; it should "
         "read 'property list uchar int vertex_indices'"},
        {HEADER "property list uchr float w\n",
         "c.ply:6: property type 'uchr' is unknown; did you mean uchar?"},
        {HEADER "property list float int w\n",
         "c.ply:6: the length of a list is of type float; it should be "
         "an integer type such as uchar"},
        {"ply\nelement vertex 1\nproperty int x\nproperty int y\nend_header\n1 2\n",
         "c.ply:5: the header has no format line, such as 'format ascii 1.0'"},
        {"ply\nformat ascii 1.0\nelement face 1\nproperty int x\nend_header\n1\n",
         "c.ply:5: the header has no 'element vertex COUNT': there are no points"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nproperty int z\nend_header\n1 2\n",
         "c.ply:6: element vertex has no property y; it needs x, y and, in 3D, z"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nend_header\n1 2\n",
         "c.ply:4: element vertex has no property x; it needs x, y and, in 3D, z"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        expect_text_failure("c.ply", CASES[k].text, CASES[k].sentence);
    }
}

/* "float" and a zero begin as the word "float" does, with the zero behind it. */
static void zeros_in_a_word_of_the_header_are_refused(void **state)
{
    (void)state;
    static const char text[] = HEADER "property float\0\0 z\nend_header\n1 2 3\n3 4 5\n";
    expect_failure("c.ply", text, sizeof text - 1, RN_ERROR_FILE,
                   "c.ply:6: property type 'float?"
                   "?' is unknown; did you mean float?");
}

static void wrong_text_records_are_explained(void **state)
{
    (void)state;
    expect_text_failure(
        "c.ply", HEADER "end_header\n1 2\n3\n",
        "c.ply:8: the vertex has too few values; its element has 2 properties, one record a line");
    expect_text_failure(
        "c.ply", HEADER "end_header\n1 2 3\n3 4\n",
        "c.ply:7: the vertex has too many values; its element has 2 properties, one record a line");
    expect_text_failure(
        "c.ply", HEADER "end_header\n1 2\n3 4\n\n5 6\n",
        "c.ply:10: the header promises 2 vertices and nothing else, more follows; the count is wrong");
    expect_text_failure("c.ply", HEADER "end_header\n1 two\n3 4\n",
                        "c.ply:7: 'two' is not a number; it should be the y of a vertex");
    expect_text_failure("c.ply", HEADER "property list uchar int w\nend_header\n1 2 -1\n3 4 0\n",
                        "c.ply:8: '-1' is not the length of a list; it should be 0 or more");
    expect_text_failure(
        "c.ply", HEADER "property list uchar int w\nend_header\n1 2 4000000000 1 2\n3 4 0\n",
        "c.ply:8: the vertex has too few values; its element has 3 properties, one record a line");
    expect_text_failure(
        "c.ply", HEADER "end_header\n1 2\n",
        "c.ply:7: the header promises 2 records of element 'vertex', the file ends after 1; it is "
        "cut short or the count is wrong");
    expect_text_failure(
        "c.ply",
        "ply\nformat ascii 1.0\nelement face 3\nproperty int a\nelement vertex 1\n"
        "property int x\nproperty int y\nend_header\n1\n1\n",
        "c.ply:10: the header promises 3 records of element 'face', the file ends after 2; it is "
        "cut short or the count is wrong");
}

/* A count that is too small loses points: this is noticed at the end of the file, whatever is in
 * between. */
static void what_follows_the_last_element_is_explained(void **state)
{
    (void)state;
    bytes b = {.size = 0};
    bytes_text(&b, "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\n"
                   "property float y\nend_header\n");
    for (int k = 0; k < 2; k++) bytes_f32(&b, 1, false);
    bytes_u8(&b, 0);
    expect_failure("c.ply", b.data, b.size, RN_ERROR_FILE,
                   "c.ply: byte 106: the header promises 1 vertices and nothing else, 1 bytes more "
                   "follow; a count or a type is wrong");
    rni_point_file cloud = parse_good("c.ply", b.data, b.size - 1);
    expect_points(&cloud, 2, 1, (const double[]){1, 1});
    rni_point_file_release(&cloud);

    b.size = 0;
    bytes_text(&b, "ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty list uchar int v\n"
                   "property uchar x\nproperty uchar y\nelement face 2\n"
                   "property list uchar uchar v\nend_header\n");
    size_t body = b.size;
    static const unsigned char DATA[] = {0, 1, 2, 3, 0, 0, 0, 0, 9};
    for (size_t k = 0; k < sizeof DATA; k++) bytes_u8(&b, DATA[k]);
    cloud = parse_good("c.ply", b.data, body + 8);
    expect_points(&cloud, 2, 1, (const double[]){1, 2});
    rni_point_file_release(&cloud);
    expect_failure("c.ply", b.data, body + 9, RN_ERROR_FILE,
                   "c.ply: byte 172: the header promises 1 vertices and other elements, 1 bytes more "
                   "follow; a count or a type is wrong");
    expect_failure("c.ply", b.data, body + 7, RN_ERROR_FILE,
                   "c.ply: byte 171: the header promises 2 records of element 'face', the file has 1; "
                   "it is cut short or the count is wrong");

#define FACES HEADER "element face 1\nproperty list uchar int v\nend_header\n1 2\n3 4\n"
    cloud = parse_good_text("c.ply", FACES "3 0 0 1\n\n");
    expect_points(&cloud, 2, 2, (const double[]){1, 2, 3, 4});
    rni_point_file_release(&cloud);
    expect_text_failure("c.ply", FACES "5 6\n3 0 0 1\n",
                        "c.ply:12: the header promises 2 vertices and other elements, more follows; "
                        "a count is wrong, or a record is not one line");
    expect_text_failure("c.ply", FACES,
                        "c.ply:10: the header promises 1 records of element 'face', the file ends "
                        "after 0; it is cut short or the count is wrong");
#undef FACES
}

static void promises_beyond_the_file_cost_no_memory(void **state)
{
    (void)state;
    const char *tail = "property double x\nproperty double y\nend_header\n12345678901234567";
    static const char *const ENCODINGS[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    static const char *const SENTENCES[] = {
        "c.ply:7: the vertex has too few values; its element has 2 properties, one record a line",
        "c.ply: byte 109: the header promises 4294967294 records of element 'vertex', the file has 1; it is cut "
        "short or the count is wrong",
        "c.ply: byte 106: the header promises 4294967294 records of element 'vertex', the file has 1; it is cut "
        "short or the count is wrong"};
    for (int k = 0; k < 3; k++) {
        bytes b = {.size = 0};
        bytes_text(&b, "ply\nformat ");
        bytes_text(&b, ENCODINGS[k]);
        bytes_text(&b, " 1.0\nelement vertex 4294967294\n");
        bytes_text(&b, tail);
        expect_failure("c.ply", b.data, b.size, RN_ERROR_FILE, SENTENCES[k]);
    }
    const char *many = "ply\nformat ascii 1.0\nelement vertex 4294967295\n";
    expect_failure("c.ply", many, strlen(many), RN_ERROR_LIMIT,
                   "c.ply: 4294967295 points are too many; at most 4294967294 are read");
    many = "ply\nformat ascii 1.0\nelement vertex 99999999999999999999999\n";
    expect_failure("c.ply", many, strlen(many), RN_ERROR_LIMIT,
                   "c.ply: 18446744073709551615 points are too many; at most 4294967294 are read");
}

static void wrong_binary_lists_are_explained(void **state)
{
    (void)state;
    const char *header =
        "ply\nformat binary_little_endian 1.0\nelement face 2\nproperty list char int v\n"
        "element vertex 1\nproperty uchar x\nproperty uchar y\nend_header\n";
    bytes b = {.size = 0};
    bytes_text(&b, header);
    size_t body = b.size;
    bytes_u8(&b, 0);
    bytes_u8(&b, 0xff); /* a length of -1 */
    bytes_text(&b, "0123456789");
    expect_failure(
        "c.ply", b.data, b.size, RN_ERROR_FILE,
        "c.ply: byte 139: the header promises 2 records of element 'face', the file has 1; it is cut "
        "short or the count is wrong");
    b.data[body + 1] = 3; /* a length past the end */
    expect_failure(
        "c.ply", b.data, b.size, RN_ERROR_FILE,
        "c.ply: byte 139: the header promises 2 records of element 'face', the file has 1; it is cut "
        "short or the count is wrong");
    b.data[body + 1] = 2;
    rni_point_file cloud = parse_good("c.ply", b.data, b.size);
    expect_points(&cloud, 2, 1, (const double[]){'8', '9'});
    rni_point_file_release(&cloud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_ply_is_read_as_double),
        cmocka_unit_test(ply_without_z_is_two_dimensional),
        cmocka_unit_test(ply_with_lists_before_vertices_is_read),
        cmocka_unit_test(every_scalar_type_of_ply_is_read_in_both_byte_orders),
        cmocka_unit_test(ply_lines_may_end_in_any_way),
        cmocka_unit_test(ply_of_zero_points_is_fine),
        cmocka_unit_test(wrong_ply_headers_are_explained),
        cmocka_unit_test(zeros_in_a_word_of_the_header_are_refused),
        cmocka_unit_test(wrong_text_records_are_explained),
        cmocka_unit_test(what_follows_the_last_element_is_explained),
        cmocka_unit_test(promises_beyond_the_file_cost_no_memory),
        cmocka_unit_test(wrong_binary_lists_are_explained),
    };
    return cmocka_run_group_tests_name("files.ply", tests, NULL, NULL);
}
