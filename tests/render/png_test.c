/* PNG: libpng reads back what was written; what cannot be written is told and leaves nothing. */
#include "fact.h"

#include "render/picture.h"

#include <png.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static uint8_t *noise(uint32_t width, uint32_t height)
{
    size_t bytes = (size_t)width * height * 4;
    uint8_t *rgba = malloc(bytes);
    assert_non_null(rgba);
    for (size_t k = 0; k < bytes; k++)
        rgba[k] = k % 4 == 3 ? 255 : (uint8_t)(k * 2654435761u >> 13);
    return rgba;
}

static void png_reads_back_to_the_same_pixels(void **state)
{
    (void)state;
    const uint32_t sizes[][2] = {{1, 1}, {7, 3}, {300, 200}};
    for (int k = 0; k < 3; k++) {
        uint32_t width = sizes[k][0];
        uint32_t height = sizes[k][1];
        uint8_t *rgba = noise(width, height);
        assert_int_equal(rni_png_write("render_back.png", rgba, width, height), RN_OK);
        png_image image = {.version = PNG_IMAGE_VERSION};
        assert_true(png_image_begin_read_from_file(&image, "render_back.png"));
        assert_int_equal(image.width, width);
        assert_int_equal(image.height, height);
        image.format = PNG_FORMAT_RGBA;
        uint8_t *back = malloc(PNG_IMAGE_SIZE(image));
        assert_non_null(back);
        assert_true(png_image_finish_read(&image, NULL, back, 0, NULL));
        assert_memory_equal(rgba, back, (size_t)width * height * 4);
        free(back);
        free(rgba);
    }
    unlink("render_back.png");
}

static void folder_that_is_not_there_is_told(void **state)
{
    (void)state;
    uint8_t *rgba = noise(4, 4);
    assert_int_equal(rni_png_write("render_no_such_folder/a.png", rgba, 4, 4), RN_ERROR_FILE);
    assert_non_null(strstr(rn_last_error(), "render_no_such_folder/a.png"));
    free(rgba);
}

static void full_disk_leaves_the_old_picture(void **state)
{
    (void)state;
    uint8_t *rgba = noise(256, 256);
    assert_int_equal(rni_png_write("render_old.png", rgba, 2, 2), RN_OK);
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    struct rlimit small = {1000, limit.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    rn_result result = rni_png_write("render_old.png", rgba, 256, 256);
    setrlimit(RLIMIT_FSIZE, &limit);
    assert_int_equal(result, RN_ERROR_FILE);
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, "render_old.png"));
    assert_int_equal(image.width, 2);
    png_image_free(&image);
    unlink("render_old.png");
    free(rgba);
}

static void picture_of_no_size_is_refused(void **state)
{
    (void)state;
    uint8_t pixel[4] = {0};
    assert_int_equal(rni_png_write("render_none.png", pixel, 0, 1), RN_ERROR_ARGUMENT);
    assert_int_equal(rni_png_write("render_none.png", pixel, 1, 65536), RN_ERROR_ARGUMENT);
    assert_int_not_equal(access("render_none.png", F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(png_reads_back_to_the_same_pixels),
                                       cmocka_unit_test(folder_that_is_not_there_is_told),
                                       cmocka_unit_test(full_disk_leaves_the_old_picture),
                                       cmocka_unit_test(picture_of_no_size_is_refused)};
    return cmocka_run_group_tests_name("render.png", tests, NULL, NULL);
}
