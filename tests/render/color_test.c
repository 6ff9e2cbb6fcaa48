/* Colours, letters, ticks. */
#include "fact.h"

#include "render/canvas.h"
#include "render/font.h"
#include "render/label.h"

/* Lightness as the eye has it (CIE L*, 0 to 100), by another formula than the maps are made with. */
static double lightness(rni_vec c)
{
    double y = 0.2126 * (double)c.x + 0.7152 * (double)c.y + 0.0722 * (double)c.z;
    return 116 * cbrt(y) - 16;
}

static void maps_get_evenly_lighter_or_darker(void **state)
{
    (void)state;
    for (uint32_t map = 0; rni_picture_color_name(map); map++) {
        const rni_colors *colors = rni_colors_of(rni_picture_color_name(map));
        double first = lightness(rni_color_map(colors, 0));
        double last = lightness(rni_color_map(colors, 1));
        assert_true(fabs(last - first) > 40);
        for (int k = 0; k < 32; k++) {
            double from = lightness(rni_color_map(colors, (float)k / 32));
            double to = lightness(rni_color_map(colors, (float)(k + 1) / 32));
            double share = (to - from) / (last - first) * 32;
            if (share < 0.5 || share > 1.7)
                fail_msg("map %u, step %d: %g times the mean", map, k, share);
        }
    }
}

static void density_goes_from_pale_to_strong_blue(void **state)
{
    (void)state;
    rni_vec pale = rni_color_map(rni_colors_of("density"), 0);
    rni_vec strong = rni_color_map(rni_colors_of("density"), 1);
    assert_true(pale.x > 0.5f && pale.y > 0.7f && pale.z > 0.8f);
    assert_true(strong.x < 0.05f && strong.z > 0.3f && strong.z > 3 * strong.y);
}

static void map_takes_any_number(void **state)
{
    (void)state;
    const float odd[] = {-INFINITY, -1, 2, INFINITY, NAN};
    for (int k = 0; k < 5; k++) {
        rni_vec c = rni_color_map(rni_colors_of("age"), odd[k]);
        assert_true(c.x >= 0 && c.x <= 1 && c.y >= 0 && c.y <= 1 && c.z >= 0 && c.z <= 1);
    }
}

static void srgb_comes_back_for_every_byte(void **state)
{
    (void)state;
    uint8_t table[4096];
    rni_color_srgb_table(table);
    for (int byte = 0; byte < 256; byte++) {
        float linear = rni_color_from_srgb((float)byte / 255, 0, 0).x;
        assert_int_equal(table[(int)(sqrtf(linear) * 4095 + 0.5f)], byte);
    }
}

static void steps_are_one_two_or_five(void **state)
{
    (void)state;
    assert_float_equal(rni_nice_step(0.9), 1, 1e-12);
    assert_float_equal(rni_nice_step(23), 20, 1e-12);
    assert_float_equal(rni_nice_step(0.0047), 0.005, 1e-12);
    assert_float_equal(rni_nice_step(80), 100, 1e-12);
}

static void letters_are_read_from_any_bytes(void **state)
{
    (void)state;
    const char *text = "a\xc2\xb3\xe2\x80\xa6\xff\xe2\x80";
    assert_int_equal(rni_font_next(&text), 'a');
    assert_int_equal(rni_font_next(&text), 0xb3);
    assert_int_equal(rni_font_next(&text), 0x2026);
    assert_int_equal(rni_font_next(&text), 0xfffd);
    assert_int_equal(rni_font_next(&text), 0xfffd);
    assert_int_equal(rni_font_next(&text), 0xfffd);
    assert_int_equal(rni_font_next(&text), 0);
    assert_int_equal(rni_font_next(&text), 0);
}

static void every_printable_letter_is_in_the_font(void **state)
{
    (void)state;
    float box = rni_text_width("\x01", 60);
    uint32_t boxes = 0;
    for (char c = ' '; c <= '~'; c++) {
        char text[2] = {c, 0};
        boxes += rni_text_width(text, 60) == box;
        assert_true(rni_text_width(text, 60) > 0);
    }
    assert_true(boxes <= 2); /* s and x-like ones may be as wide as the box */
    assert_float_equal(rni_text_width("", 60), 0, 0);
    assert_float_equal(rni_text_width("00", 60), 36 + 13 + 36, 1e-4f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(maps_get_evenly_lighter_or_darker),
                                       cmocka_unit_test(density_goes_from_pale_to_strong_blue),
                                       cmocka_unit_test(map_takes_any_number),
                                       cmocka_unit_test(srgb_comes_back_for_every_byte),
                                       cmocka_unit_test(steps_are_one_two_or_five),
                                       cmocka_unit_test(letters_are_read_from_any_bytes),
                                       cmocka_unit_test(every_printable_letter_is_in_the_font)};
    return cmocka_run_group_tests_name("render.color", tests, NULL, NULL);
}
