/* Boxes from files: what is read, and what is refused, with a sentence that says where. */
#include "../fact.h"

#include "files/box_file.h"

#include <string.h>

static rni_box_file read_text(const char *text, const char *name)
{
    rni_box_file boxes;
    if (rni_box_file_parse(text, strlen(text), name, &boxes) != RN_OK)
        fail_msg("%s: %s", name, rn_last_error());
    return boxes;
}

static void refuse(const char *text, const char *name, const char *part)
{
    rni_box_file boxes;
    rn_result result = rni_box_file_parse(text, strlen(text), name, &boxes);
    assert_true(result != RN_OK);
    assert_null(boxes.low);
    if (!strstr(rn_last_error(), part)) fail_msg("'%s' is not in '%s'", part, rn_last_error());
}

static void rows_of_four_and_six_numbers_are_boxes(void **state)
{
    (void)state;
    rni_box_file b = read_text("0,1,2,3\n4,5,6,7.5\n", "x.csv");
    assert_int_equal(b.dim, 2);
    assert_int_equal(b.count, 2);
    assert_true(b.low[3] == 5.0f && b.high[3] == 7.5f);
    rni_box_file_release(&b);
    b = read_text("# a comment\n0 1 2 3 4 5\n\n-1 -1 -1 0 0 0\n", "boxes");
    assert_int_equal(b.dim, 3);
    assert_int_equal(b.count, 2);
    assert_true(b.low[3] == -1.0f && b.high[2] == 5.0f);
    rni_box_file_release(&b);
}

static void columns_are_found_by_their_names(void **state)
{
    (void)state;
    rni_box_file b =
        read_text("id;xmax;xmin;ymin;ymax;vx;vy;category;mask\n7;1;0;2;3;0.5;-1;4;12\n", "x.csv");
    assert_int_equal(b.dim, 2);
    assert_true(b.low[0] == 0.0f && b.high[0] == 1.0f && b.low[1] == 2.0f && b.high[1] == 3.0f);
    assert_true(b.velocity[0] == 0.5f && b.velocity[1] == -1.0f);
    assert_int_equal(b.category[0], 4);
    assert_int_equal(b.mask[0], 12);
    rni_box_file_release(&b);
    b = read_text("min_x,min_y,min_z,max_x,max_y,max_z\n", "x.csv");
    assert_int_equal(b.count, 0);
    assert_non_null(b.low);
    rni_box_file_release(&b);
}

static void wrong_rows_are_refused_with_their_line(void **state)
{
    (void)state;
    refuse("", "x.csv", "empty");
    refuse("# nothing\n", "x.csv", "no boxes");
    refuse("1,2,3\n", "x.csv", "x.csv:1:");
    refuse("a,b,c,d\n", "x.csv", "min_x");
    refuse("min_x,min_y,max_x\n", "x.csv", "column max_y is missing");
    refuse("0,0,1,1\n0,0,1\n", "x.csv", "x.csv:2: the row has 3 columns");
    refuse("0,0,1,1\n0,0,one,1\n", "x.csv", "x.csv:2: 'one' is not a number");
    refuse("0,0,1,1\n0,,1,1\n", "x.csv", "x.csv:2: the column of min_y is empty");
    refuse("0,0,1,1\n0,2,1,1\n", "x.csv", "x.csv:2: the box is inverted: min_y is 2");
    refuse("0,0,nan,1\n", "x.csv", "max_x is nan");
    refuse("0,0,1e39,1\n", "x.csv", "max_x is inf");
    refuse("min_x,min_y,max_x,max_y,mask\n0,0,1,1,-3\n", "x.csv", "'-3' is not a whole number");
    refuse("\x1f\x8b...", "x.csv.gz", "gzip");
}

static void faces_of_obj_become_boxes_of_triangles(void **state)
{
    (void)state;
    const char *text = "v 0 0 0\nv 1 0 0\nv 1 1 2\nv 0 1 0\nvt 0 1\nf 1 2 3 4\nf -1/1/6 -2//7 -3\n";
    rni_box_file b = read_text(text, "x.obj");
    assert_int_equal(b.count, 3); /* a fan of two, and one */
    assert_string_equal(b.what, "triangles");
    assert_true(b.high[2] == 2.0f && b.low[0] == 0.0f && b.high[3 + 0] == 1.0f);
    rni_box_file_release(&b);
    refuse("v 0 0 0\nf 1 2 3\n", "x.obj", "x.obj:2: the face names vertex 2");
    refuse("v 0 0 0\nv 0 0 1\nf 1 2\n", "x.obj", "it needs three");
    refuse("v 0 0\n", "x.obj", "the vertex has 2 numbers");
    refuse("v 0 0 inf\n", "x.obj", "not finite");
    refuse("v 0 0 1\n", "x.obj", "no faces");
    refuse("v 0 0 1\nf x y z\n", "x.obj", "is not a corner of a face");
}

static void stl_is_read_as_text_and_binary(void **state)
{
    (void)state;
    const char *text =
        "solid s\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 2 0 0\n"
        "   vertex 0 3 1\n  endloop\n endfacet\nendsolid s\n";
    rni_box_file b = read_text(text, "x.stl");
    assert_int_equal(b.count, 1);
    assert_string_equal(b.format, "STL ascii");
    assert_true(b.high[0] == 2.0f && b.high[1] == 3.0f && b.high[2] == 1.0f);
    rni_box_file_release(&b);
    refuse("solid s\nfacet normal 0 0 1\nvertex 0 0 0\n", "x.stl", "ends inside a facet");
    refuse("solid s\nvertex 0 0 0\n", "x.stl", "outside any facet");
    unsigned char bytes[84 + 50] = "a binary head";
    bytes[80] = 1;
    const float corner[9] = {0, 0, 0, 2, 0, 0, 0, 3, 1};
    memcpy(bytes + 84 + 12, corner, sizeof corner);
    assert_int_equal(rni_box_file_parse(bytes, sizeof bytes, "anything", &b), RN_OK);
    assert_string_equal(b.format, "STL binary");
    assert_true(b.count == 1 && b.high[1] == 3.0f);
    rni_box_file_release(&b);
    assert_true(rni_box_file_parse(bytes, sizeof bytes - 1, "x.stl", &b) != RN_OK);
    assert_non_null(strstr(rn_last_error(), "promises 1 triangles"));
    unsigned char more[sizeof bytes + 3] = {0};
    memcpy(more, bytes, sizeof bytes);
    assert_true(rni_box_file_parse(more, sizeof more, "x.stl", &b) != RN_OK);
    assert_string_equal(
        rn_last_error(),
        "x.stl: byte 134: the head promises 1 triangles, 3 bytes more follow; the count is wrong");
}

static void ply_faces_become_boxes_of_triangles(void **state)
{
    (void)state;
    const char *text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
                       "property float z\nelement face 2\nproperty list uchar int vertex_indices\n"
                       "end_header\n0 0 0\n1 0 0\n1 1 0\n0 1 5\n3 0 1 2\n4 0 1 2 3\n";
    rni_box_file b = read_text(text, "x.ply");
    assert_int_equal(b.count, 3);
    assert_true(b.high[2] == 0.0f && b.high[8] == 5.0f);
    rni_box_file_release(&b);
    refuse("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
           "end_header\n0 0 0\n",
           "x.ply", "no faces");
    refuse("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
           "element face 1\nproperty list uchar int vertex_index\nend_header\n0 0 0\n3 0 0 1\n",
           "x.ply", "names vertex 1; there are 1");
}

/* Bytes changed and the file cut anywhere: a sentence or boxes, nothing else. */
static void broken_bytes_never_break_the_reader(void **state)
{
    (void)state;
    static const char ply[] =
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
        "element face 1\nproperty list uchar int v\nend_header\n0 0 0\n1 0 0\n1 1 0\n3 0 1 2\n";
    static const char stl[] = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 2 0 0\n"
                              "vertex 0 3 1\nendloop\nendfacet\n";
    static const char *const texts[] = {
        "min_x,min_y,max_x,max_y,vx,mask\n0,0,1,1,2,3\n1,1,2,2,0.5,7\n",
        "v 0 0 0\nv 1 0 0\nv 1 1 2\nf 1 2 3\nf -1 -2 -3\n",
        stl,
        ply,
    };
    static const char *const names[] = {"x.csv", "x.obj", "x.stl", "x.ply"};
    for (size_t t = 0; t < 4; t++) {
        size_t size = strlen(texts[t]);
        for (size_t k = 0; k < size * 8; k++) {
            char copy[512];
            memcpy(copy, texts[t], size);
            copy[k % size] = (char)(copy[k % size] ^ (1 << (k / size)));
            size_t length = k % 3 == 0 ? size - k % size : size;
            rni_box_file b;
            rn_result result = rni_box_file_parse(copy, length, names[t], &b);
            assert_true((result == RN_OK) == (b.low != NULL));
            rni_box_file_release(&b);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_four_and_six_numbers_are_boxes),
        cmocka_unit_test(columns_are_found_by_their_names),
        cmocka_unit_test(wrong_rows_are_refused_with_their_line),
        cmocka_unit_test(faces_of_obj_become_boxes_of_triangles),
        cmocka_unit_test(stl_is_read_as_text_and_binary),
        cmocka_unit_test(ply_faces_become_boxes_of_triangles),
        cmocka_unit_test(broken_bytes_never_break_the_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
