#include "plot/axis.h"
#include "plot/chart.h"
#include "plot/palette.h"
#include "render/chart_png.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void every_axis_holds_its_data_with_some_ticks(void **state)
{
    (void)state;
    static const double ends[][2] = {{0, 1},          {1, 1},          {0, 0},       {-5, 5},
                                     {1e-9, 1e9},     {3, 4},          {32768, 1e6}, {20, 20.1},
                                     {1e-300, 1e300}, {0.001, 0.0011}, {-1e6, -1e3}, {1, 1e5},
                                     {99.99, 100.01}};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        for (int is_log = 0; is_log < 2; is_log++) {
            if (is_log && ends[k][0] <= 0) continue;
            rni_axis axis = rni_axis_fit(ends[k][0], ends[k][1], is_log, 7);
            double slack = 1e-9 * (is_log ? ends[k][0] : fmax(fabs(ends[k][0]), fabs(ends[k][1])));
            if (!(axis.low <= ends[k][0] + slack && axis.high >= ends[k][1] - slack))
                fail_msg("%g to %g: axis from %g to %g", ends[k][0], ends[k][1], axis.low, axis.high);
            if (axis.tick_count < 2 || axis.tick_count > 16)
                fail_msg("%g to %g%s: %u ticks", ends[k][0], ends[k][1], is_log ? " (log)" : "",
                         axis.tick_count);
            for (uint32_t t = 0; t < axis.tick_count; t++) {
                double place = rni_axis_place(&axis, axis.tick[t]);
                assert_true(place > -1e-6 && place < 1 + 1e-6);
            }
        }
}

static void what_an_axis_cannot_hold_has_no_place(void **state)
{
    (void)state;
    rni_axis axis = rni_axis_fit(1, 100, true, 5);
    assert_true(isnan(rni_axis_place(&axis, 0)));
    assert_true(isnan(rni_axis_place(&axis, -1)));
    assert_true(isnan(rni_axis_place(&axis, (double)NAN)));
    axis = rni_axis_fit((double)NAN, (double)INFINITY, false, 5);
    assert_true(axis.low < axis.high);
}

static void labels_are_short_but_tell_ticks_apart(void **state)
{
    (void)state;
    static const struct {
        double value, step;
        const char *text;
    } cases[] = {{0, 0, "0"},
                 {0.05, 0.01, "0.05"},
                 {20, 5, "20"},
                 {1500, 500, "1.5k"},
                 {2e6, 0, "2M"},
                 {3e9, 1e9, "3G"},
                 {-1000, 200, "-1k"},
                 {1e-17, 0.1, "0"},
                 {99.992, 0.002, "99.992"},
                 {100.002, 0.002, "100.002"},
                 {123456, 0, "123k"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[24];
        rni_axis_label(cases[k].value, cases[k].step, text);
        assert_string_equal(text, cases[k].text);
    }
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    size_t length = fread(text, 1, (1 << 20) - 1, file);
    assert_true(length > 0);
    fclose(file);
    return text;
}

static void charts_escape_text_and_skip_bad_numbers(void **state)
{
    (void)state;
    char path[] = "/tmp/runnel-chart-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    double x[] = {1, 10, 100, 1000};
    double y[] = {5, (double)NAN, -1, 7};
    rni_chart_series series[] = {
        {"a < b & c", x, y, 4}, {"second", x, x, 4}, {"empty", NULL, NULL, 0}, {"dots", x, x, 4}};
    rni_chart chart = {.title = "\"T\"",
                       .x_log = true,
                       .y_log = true,
                       .hide_marks = true,
                       .series = series,
                       .series_count = 4,
                       .has_dots = (const bool[]){false, false, false, true}};
    assert_int_equal(rni_chart_write_lines(&chart, path), RN_OK);
    char *text = read_file(path);
    assert_non_null(strstr(text, "a &lt; b &amp; c"));
    assert_null(strstr(text, "nan"));
    assert_non_null(strstr(text, "</svg>"));
    /* Dots, of the last series only, and one in the legend. */
    int dots = 0;
    for (const char *at = text; (at = strstr(at, "<circle")) != NULL; at++) dots++;
    assert_int_equal(dots, 5);
    free(text);

    rni_bar bars[] = {
        {"one", 1, NULL, true}, {"zero", 0, "x", false}, {"nan", (double)NAN, NULL, false}};
    rni_bar_chart bar_chart = {.title = "bars", .is_log = true, .bars = bars, .bar_count = 3};
    assert_int_equal(rni_chart_write_bars(&bar_chart, path), RN_OK);
    text = read_file(path);
    assert_null(strstr(text, "\"nan\""));
    free(text);
    unlink(path);
}

/* Whether a pixel of this colour is within two pixels. */
static bool has_color(const rni_chart_png *png, uint32_t x, uint32_t y, const float color[3])
{
    for (uint32_t v = y - 2; v <= y + 2; v++)
        for (uint32_t u = x - 2; u <= x + 2; u++) {
            const rni_vec at = png->image[(size_t)v * png->width + u];
            if (fabsf(at.x - color[0]) + fabsf(at.y - color[1]) + fabsf(at.z - color[2]) < 0.02f)
                return true;
        }
    return false;
}

static void a_chart_as_png_has_its_shapes_where_they_belong(void **state)
{
    (void)state;
    char path[] = "/tmp/runnel-chart-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    rni_chart_png png = {.path = path};
    rni_painter painter = rni_chart_png_painter(&png);
    rni_svg svg;
    assert_int_equal(rni_svg_begin_painted(&svg, &painter, 100, 80, "#ffffff"), RN_OK);
    rni_svg_rect(&svg, 10, 10, 20, 10, "#ff0000");
    rni_svg_curve_begin(&svg, "#0000ff", 2, "6 4");
    rni_svg_curve_to(&svg, 10, 40, false);
    rni_svg_curve_to(&svg, 60, 40, true);
    rni_svg_curve_end(&svg);
    rni_svg_text_up(&svg, 90, 70, (rni_svg_font){20, "#000000", RNI_SVG_START, false, false}, "l");
    assert_int_equal(rni_svg_end(&svg), RN_OK);
    assert_int_equal(png.width, 200);
    const float red[3] = {1, 0, 0}, blue[3] = {0, 0, 1}, white[3] = {1, 1, 1};
    assert_true(has_color(&png, 40, 30, red) && !has_color(&png, 70, 30, red));
    /* A dash, the gap behind it (round ends reach 1 into it), the next dash. */
    assert_true(has_color(&png, 24, 80, blue) && has_color(&png, 46, 80, blue));
    assert_true(has_color(&png, 36, 80, white));
    /* The letter lies: ink above the place of the text, to the left of its base line. */
    uint32_t dark = 0;
    for (uint32_t y = 40; y < 150; y++)
        for (uint32_t x = 150; x < 182; x++) dark += png.image[(size_t)y * 200 + x].x < 0.5f;
    if (dark < 20) fail_msg("only %u dark pixels of the text", dark);
    rni_chart_png_release(&png);
    unlink(path);
}

static void tiles_are_as_wide_as_their_longest_text(void **state)
{
    (void)state;
    char path[] = "/tmp/runnel-chart-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    static const char *const columns[] = {"5", "30"};
    static const char *const rows[] = {"1000"};
    static const char *const tables[] = {"a & b"};
    rni_tile tiles[] = {{"a-method-with-a-long-name", "12 ns, 3x", 5}, {NULL, NULL, 0}};
    rni_tile_chart chart = {.title = "T",
                            .columns = columns,
                            .column_count = 2,
                            .rows = rows,
                            .row_count = 1,
                            .tables = tables,
                            .table_count = 1,
                            .tiles = tiles};
    assert_int_equal(rni_chart_write_tiles(&chart, path), RN_OK);
    char *text = read_file(path);
    const char *tile = strstr(text, "rx=\"3\"");
    assert_non_null(tile);
    assert_non_null(strstr(text, "a &amp; b"));
    assert_non_null(strstr(text, "12 ns, 3x"));
    while (strncmp(tile, " width=\"", 8) != 0) tile--;
    assert_true(strtod(tile + 8, NULL) > 25 * 7.5);
    free(text);
    unlink(path);
}

static void a_chart_that_cannot_be_written_is_an_error_and_leaves_nothing(void **state)
{
    (void)state;
    rni_chart chart = {.title = "T"};
    assert_int_equal(rni_chart_write_lines(&chart, "/no/such/folder/chart.svg"), RN_ERROR_FILE);
    assert_non_null(strstr(rn_last_error(), "/no/such/folder/chart.svg"));
    char folder[] = "/tmp/runnel-chart-XXXXXX";
    assert_non_null(mkdtemp(folder)); /* renaming over a folder fails after everything has been written */
    char part[64];
    snprintf(part, sizeof part, "%s.part", folder);
    assert_int_equal(rni_chart_write_lines(&chart, folder), RN_ERROR_FILE);
    assert_int_not_equal(access(part, F_OK), 0);
    rmdir(folder);
}

static void blue_gets_darker_and_takes_any_number(void **state)
{
    (void)state;
    int last = 1000;
    for (int k = 0; k <= 20; k++) {
        rni_rgb color = rni_palette_blue(k / 20.0);
        int sum = color.r + color.g + color.b;
        assert_true(sum < last);
        last = sum;
    }
    rni_palette_blue((double)NAN);
    assert_int_equal(rni_palette_blue(7).b, rni_palette_blue(1).b);
    assert_int_equal(rni_palette_blue(-7).b, rni_palette_blue(0).b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_axis_holds_its_data_with_some_ticks),
        cmocka_unit_test(what_an_axis_cannot_hold_has_no_place),
        cmocka_unit_test(labels_are_short_but_tell_ticks_apart),
        cmocka_unit_test(charts_escape_text_and_skip_bad_numbers),
        cmocka_unit_test(a_chart_as_png_has_its_shapes_where_they_belong),
        cmocka_unit_test(tiles_are_as_wide_as_their_longest_text),
        cmocka_unit_test(a_chart_that_cannot_be_written_is_an_error_and_leaves_nothing),
        cmocka_unit_test(blue_gets_darker_and_takes_any_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
