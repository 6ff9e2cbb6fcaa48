#include "render/picture.h"

#include "base/error.h"
#include "files/out_file.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>

/* libpng must not return from an error; this goes back to setjmp with the sentence kept. */
static void on_error(png_structp png, png_const_charp message)
{
    const char *path = png_get_error_ptr(png);
    rni_fail(RN_ERROR_FILE, "%s: the picture could not be coded: %s", path, message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void on_bytes(png_structp png, png_bytep bytes, size_t count)
{
    rni_out_file_put(png_get_io_ptr(png), bytes, count);
}

static void on_flush(png_structp png)
{
    (void)png;
}

/* One of the two kinds of pictures. */
typedef struct pixels {
    const uint8_t *rgba;
    const uint16_t *gray;
    uint32_t width, height;
} pixels;

/* A row as PNG has it: RGB, or 16 bits with the high byte first. */
static void fill_row(const pixels *p, uint32_t y, uint8_t *row)
{
    for (uint32_t x = 0; x < p->width; x++) {
        const size_t at = (size_t)y * p->width + x;
        if (p->gray) {
            row[2 * (size_t)x] = (uint8_t)(p->gray[at] >> 8);
            row[2 * (size_t)x + 1] = (uint8_t)p->gray[at];
        } else if (p->rgba) {
            for (uint32_t c = 0; c < 3; c++) row[(size_t)x * 3 + c] = p->rgba[4 * at + c];
        }
    }
}

/* All the calls that may jump, in a function without variables of its own that matter afterwards. */
static bool encode(png_structp png, png_infop info, const pixels *p, uint8_t *row)
{
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_IHDR(png, info, p->width, p->height, p->gray ? 16 : 8,
                 p->gray ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    /* Noise is not worth more work. */
    png_set_compression_level(png, p->gray ? 1 : 6);
    png_write_info(png, info);
    for (uint32_t y = 0; y < p->height; y++) {
        fill_row(p, y, row);
        png_write_row(png, row);
    }
    png_write_end(png, info);
    return true;
}

static rn_result write_pixels(const char *path, const pixels *p)
{
    if (p->width < 1 || p->height < 1 || p->width > 65535 || p->height > 65535)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "%s: a picture of %u x %u cannot be written; 1 x 1 to 65535 x 65535 can",
                        path, p->width, p->height);
    rni_out_file out;
    rn_result result = rni_out_file_open(path, &out);
    if (result != RN_OK) return result;
    uint8_t *row = malloc((size_t)p->width * 3);
    char *name = (char *)(uintptr_t)path;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, name, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!row || !info) {
        result = rni_fail(RN_ERROR_MEMORY, "%s: no memory for coding the picture", path);
    } else {
        png_set_write_fn(png, &out, on_bytes, on_flush);
        if (!encode(png, info, p, row)) result = RN_ERROR_FILE;
    }
    if (png) png_destroy_write_struct(&png, info ? &info : NULL);
    free(row);
    if (result == RN_OK) return rni_out_file_close(&out);
    rni_out_file_abandon(&out);
    return result;
}

rn_result rni_png_write(const char *path, const uint8_t *rgba, uint32_t width, uint32_t height)
{
    return write_pixels(path, &(pixels){.rgba = rgba, .width = width, .height = height});
}

rn_result rni_png_write_gray(const char *path, const uint16_t *gray, uint32_t width, uint32_t height)
{
    return write_pixels(path, &(pixels){.gray = gray, .width = width, .height = height});
}
