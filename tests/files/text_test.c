#include "clouds.h"

#include <locale.h>
#include <math.h>
#include <string.h>

static void expect_text(const char *name, const char *text, const char *format, uint32_t dim,
                        uint32_t count, const double *values)
{
    rni_point_file cloud = parse_good_text(name, text);
    assert_string_equal(cloud.format, format);
    assert_int_equal(cloud.scalar, RN_SCALAR_DOUBLE);
    expect_points(&cloud, dim, count, values);
    rni_point_file_release(&cloud);
}

static const double ONE_TO_SIX[] = {1, 2, 3, 4, 5, 6};

static void xyz_takes_blanks_comments_and_extra_columns(void **state)
{
    (void)state;
    expect_text("a.xyz", "1 2 3\n4 5 6\n", "XYZ", 3, 2, ONE_TO_SIX);
    expect_text("a.xyz", "1 2 3\n4 5 6", "XYZ", 3, 2, ONE_TO_SIX);
    expect_text("a.xyz", "\xef\xbb\xbf# c, d\r\n\r\n  1\t2  3 255 red\r\n#\r\n4 5 6 x\r\n", "XYZ",
                3, 2, ONE_TO_SIX);
    expect_text("a.xyz", "1 2 3\r4 5 6\r", "XYZ", 3, 2, ONE_TO_SIX);
    expect_text("a.txt", "1 2\n3 4\n5 6\n", "XYZ", 2, 3, ONE_TO_SIX);
    expect_text("a.txt", "1 2 red\n3 4 5red\n5 6\n", "XYZ", 2, 3, ONE_TO_SIX);
    expect_text("a.txt", "R X Y Z\n0 1 2 3\n0 4 5 6\n", "XYZ", 3, 2, ONE_TO_SIX);
    expect_text("a.txt", "y x\n2 1 7\n4 3 7\n", "XYZ", 2, 2, ONE_TO_SIX);
    expect_text(NULL, "1e0 0x2 +3.0\n4. 5 .6e1\n", "XYZ", 3, 2, ONE_TO_SIX);
}

static void xyz_of_chemistry_is_read(void **state)
{
    (void)state;
    expect_text("a.xyz", "2\nwater\nO 1 2 3\nH 4 5 6 0.5\n", "XYZ", 3, 2, ONE_TO_SIX);
    expect_text("a.xyz", "2\n\nO 1 2 3\nH 4 5 6\n\n", "XYZ", 3, 2, ONE_TO_SIX);
    expect_text("a.xyz", "2\n0.5 0.5 0.5 is the energy\nO 1 2 3\nH 4 5 6\n", "XYZ", 3, 2, ONE_TO_SIX);
    expect_text("a.xyz", " 2 \n1 2 3\n4 5 6\n", "XYZ", 3, 2, ONE_TO_SIX);
    expect_text("a.xyz", "2\n# made by hand\nIn 1 2 3\nNa 4 5 6\n", "XYZ", 3, 2, ONE_TO_SIX);
    expect_text("a.xyz", "C 1 2 3\nC 4 5 6\n", "XYZ", 3, 2, ONE_TO_SIX);
    expect_text("a.xyz", "0\nnothing\n", "XYZ", 3, 0, NULL);
    expect_text("a.xyz", "0", "XYZ", 3, 0, NULL);
    expect_text("a.txt", "x y\n", "XYZ", 2, 0, NULL);
}

static void wrong_xyz_is_explained(void **state)
{
    (void)state;
    expect_text_failure(
        "c.xyz", "# nothing\n\n",
        "c.xyz: the file has no points, only comments or empty lines; a row is two or three numbers");
    expect_text_failure(
        "c.xyz", "hello world\n",
        "c.xyz:1: 'hello world' is not a point; a row is two or three numbers, a symbol may come first");
    expect_text_failure(
        "c.xyz", "3.5\n",
        "c.xyz:1: '3.5' is not a point; a row is two or three numbers, a symbol may come first");
    expect_text_failure(
        "c.xyz", "1 2 3\n\n4 5\n",
        "c.xyz:3: the row has 2 columns, too few for the 3D points that the file opens with");
    expect_text_failure("c.xyz", "1 2 3\n4 5 6e\n",
                        "c.xyz:2: '6e' is not a number; the column of z should hold one");
    expect_text_failure(
        "c.xyz", "1 2\n4 5 6\n",
        "c.xyz:2: the row has three numbers, the first point has two; all should have the same");
    expect_text_failure(
        "c.xyz", "1 2 3\n4 5 6,5\n",
        "c.xyz:2: '6,5' is not a number; the column of z should hold one, with a point for its "
        "decimals");
    expect_text_failure(
        "c.xyz", "3\nwater\nO 1 2 3\nH 4 5 6\n",
        "c.xyz:4: the count line promises 3 points, the file has 2; it is cut short or the count is "
        "wrong");
    expect_text_failure(
        "c.xyz", "4000000000",
        "c.xyz:1: the count line promises 4000000000 points, the file has 0; it is cut short or the "
        "count is wrong");
    expect_text_failure(
        "c.xyz", "1\nframe\nO 1 2 3\n1\nframe\nO 1 2 3\n",
        "c.xyz:4: the count line promises 1 points, more follow; several frames should be several "
        "files");
    const char *many = "4294967295\n\n";
    expect_failure("c.xyz", many, strlen(many), RN_ERROR_LIMIT,
                   "c.xyz: 4294967295 points are too many; at most 4294967294 are read");
    expect_text_failure("c.xyz", "1 2 3\n4 5 \x1b[31m a long word that goes on and on\n",
                        "c.xyz:2: '?[31m' is not a number; the column of z should hold one");
    expect_text_failure(
        "c.xyz", "what-is-this-what-is-this-what-is-this\n",
        "c.xyz:1: 'what-is-this-what-is-this-wh...' is not a point; a row is two or three numbers, a "
        "symbol may come first");
}

static void a_mesh_is_not_read_as_points_with_symbols(void **state)
{
    (void)state;
    expect_text("a.xyz", "v 1 2 3\nv 4 5 6\n", "XYZ", 3, 2, ONE_TO_SIX);
    expect_text("a.xyz", "F 1 2 3\nV 4 5 6\n", "XYZ", 3, 2, ONE_TO_SIX);
    expect_text_failure(
        "c.obj", "v 1 2 3\nv 4 5 6\nf 1 2 1\n",
        "c.obj:3: 'f 1 2 1' is a row of an OBJ mesh, not a point; export the points as PLY or CSV");
    expect_text_failure(
        "c.obj", "v 1 2 3\nvn 0 0 1\n",
        "c.obj:2: 'vn 0 0 1' is a row of an OBJ mesh, not a point; export the points as PLY or CSV");
}

static void a_name_that_two_columns_have_is_refused(void **state)
{
    (void)state;
    expect_text_failure("c.csv", "x,y,X,Y,Z\n1,2,3,4,5\n",
                        "c.csv:1: two columns are named y; one is read");
    expect_text_failure("c.csv", "# x,x,y\n1,2,3\n", "c.csv:1: two columns are named x; one is read");
    expect_text_failure("c.xyz", "x y z z\n1 2 3 4\n",
                        "c.xyz:1: two columns are named z; one is read");
}

static void csv_takes_any_delimiter_names_and_quotes(void **state)
{
    (void)state;
    expect_text("a.csv", "1,2,3\n4,5,6\n", "CSV", 3, 2, ONE_TO_SIX);
    expect_text("a", "1;2;3\n4;5;6\n", "CSV", 3, 2, ONE_TO_SIX);
    expect_text("a.tsv", "1\t2\t3\n4\t5\t6\n", "CSV", 3, 2, ONE_TO_SIX);
    expect_text("a.csv", "1 2 3\n4 5 6\n", "CSV", 3, 2, ONE_TO_SIX);
    expect_text("a.csv", "1,2\n3,4\n5,6\n", "CSV", 2, 3, ONE_TO_SIX);
    expect_text("a.csv", "1,2,\r\n3,4,\r\n5,6,\r\n", "CSV", 2, 3, ONE_TO_SIX);
    expect_text("a.csv", " 1 , 2 , 3 , red\n4,5,6\n", "CSV", 3, 2, ONE_TO_SIX);
    expect_text("a.csv", "X,Y,Z\n1,2,3\n4,5,6\n", "CSV", 3, 2, ONE_TO_SIX);
    expect_text("a.csv", "\xef\xbb\xbf\"id\",\"z\", \"Y\" ,x\r\na,3,2,1\r\nb,6,5,4\r\n", "CSV", 3,
                2, ONE_TO_SIX);
    expect_text("a.csv", "text,x,y,z\n\"a,\"\"b\"\",c\",1,2,3\n\"\",4,5,6\n", "CSV", 3, 2,
                ONE_TO_SIX);
    expect_text("a.csv", "y,x,label\n2,1,a\n4,3,b\n", "CSV", 2, 2, ONE_TO_SIX);
    expect_text("a.csv", "x,y,z\n", "CSV", 3, 0, NULL);
    expect_text("a.csv", "x,y", "CSV", 2, 0, NULL);
}

static void names_behind_a_hash_count_when_they_fit_the_rows(void **state)
{
    (void)state;
    expect_text("a.csv", "# z,y,x\n3,2,1\n6,5,4\n", "CSV", 3, 2, ONE_TO_SIX);
    expect_text("a.csv", "# id,x,y\n9,1,2\n9,3,4\n", "CSV", 2, 2, ONE_TO_SIX);
    expect_text("a.csv", "# y, x, and z in metres\n1,2,3\n4,5,6\n", "CSV", 3, 2, ONE_TO_SIX);
    expect_text("a.csv", "# y,x\n1,2,3\n# more\n4,5,6\n", "CSV", 3, 2, ONE_TO_SIX);
}

static void wrong_csv_is_explained(void **state)
{
    (void)state;
    expect_text_failure(
        "c.csv", "# nothing\n",
        "c.csv: the file has no points, only comments or empty lines; a row is two or three numbers");
    expect_text_failure(
        "c.csv", "a,b,c\n1,2,3\n",
        "c.csv:1: 'a' is not a number, and the row does not name columns x and y; rows are two or "
        "three numbers, under names x, y, z or none");
    expect_text_failure(
        "c.csv", "1,5;2,5\n",
        "c.csv:1: '1,5' is not a number, and the row does not name columns x and y; rows are two or "
        "three numbers, under names x, y, z or none; decimals have a point");
    expect_text_failure(
        "c.csv", "1\n2\n",
        "c.csv:1: the row has one column; a point has two or three, separated by comma, semicolon or "
        "tab");
    expect_text_failure(
        "c.csv", "x,y,z\n1,2\n",
        "c.csv:2: the row has 2 columns, too few for the 3D points that the file opens with");
    expect_text_failure("c.csv", "x,y,z\n1,,3\n",
                        "c.csv:2: the column of y is empty; every point needs a number there");
    expect_text_failure("c.csv", "1,2,3\n4,five,6\n",
                        "c.csv:2: 'five' is not a number; the column of y should hold one");
    expect_text_failure("c.csv", "\"1,2,3\n",
                        "c.csv:1: a quote is not closed; a row with its quotes is one line");
    expect_text_failure("c.csv", "x,y\n1,\"2\n",
                        "c.csv:2: a quote is not closed; a row with its quotes is one line");
    expect_text_failure("c.csv", "x,y,name\n1,2,\"a\n3,4,b\"\n",
                        "c.csv:2: a quote is not closed; a row with its quotes is one line");
}

static void numbers_pass_through_without_loss(void **state)
{
    (void)state;
    rni_point_file cloud =
        parse_good_text("a.xyz", "0.1 1e-320 1.7976931348623157e308\nnan inf -Infinity\n1e999 -0.0 "
                                 "0.1000000000000000055511151231257827021181583404541015625\n");
    assert_true(coordinate(&cloud, 0, 0) == 0.1);
    assert_true(coordinate(&cloud, 0, 1) == 1e-320);
    assert_true(coordinate(&cloud, 0, 2) == 1.7976931348623157e308);
    assert_true(isnan(coordinate(&cloud, 1, 0)));
    assert_true(coordinate(&cloud, 1, 1) > 0 && isinf(coordinate(&cloud, 1, 1)));
    assert_true(coordinate(&cloud, 1, 2) < 0 && isinf(coordinate(&cloud, 1, 2)));
    assert_true(isinf(coordinate(&cloud, 2, 0)));
    assert_true(signbit(coordinate(&cloud, 2, 1)));
    assert_true(coordinate(&cloud, 2, 2) == 0.1);
    rni_point_file_release(&cloud);
}

static void decimals_have_a_point_in_every_language(void **state)
{
    (void)state;
    static const char *const LANGUAGES[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR",
                                            "nl_NL.UTF-8"};
    const char *set = NULL;
    for (size_t k = 0; k < sizeof LANGUAGES / sizeof *LANGUAGES && !set; k++) {
        set = setlocale(LC_ALL, LANGUAGES[k]);
    }
    if (!set) skip();
    rni_point_file cloud = parse_good_text("a.csv", "1.5,2.5\n");
    setlocale(LC_ALL, "C");
    expect_points(&cloud, 2, 1, (const double[]){1.5, 2.5});
    rni_point_file_release(&cloud);
}

static void thousands_of_rows_are_read(void **state)
{
    (void)state;
    static char text[64 * 1024];
    size_t size = 0;
    for (int k = 0; k < 5000; k++) {
        memcpy(text + size, "1 2 3\n", 6);
        size += 6;
    }
    rni_point_file cloud = parse_good("a.xyz", text, size);
    assert_int_equal(cloud.count, 5000);
    assert_true(coordinate(&cloud, 4999, 2) == 3);
    rni_point_file_release(&cloud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xyz_takes_blanks_comments_and_extra_columns),
        cmocka_unit_test(xyz_of_chemistry_is_read),
        cmocka_unit_test(wrong_xyz_is_explained),
        cmocka_unit_test(a_mesh_is_not_read_as_points_with_symbols),
        cmocka_unit_test(a_name_that_two_columns_have_is_refused),
        cmocka_unit_test(csv_takes_any_delimiter_names_and_quotes),
        cmocka_unit_test(names_behind_a_hash_count_when_they_fit_the_rows),
        cmocka_unit_test(wrong_csv_is_explained),
        cmocka_unit_test(numbers_pass_through_without_loss),
        cmocka_unit_test(decimals_have_a_point_in_every_language),
        cmocka_unit_test(thousands_of_rows_are_read),
    };
    return cmocka_run_group_tests_name("files.text", tests, NULL, NULL);
}
