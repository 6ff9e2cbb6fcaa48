/* From a frame to a file. */
#include "render/picture.h"

#include "base/error.h"

#include <stdlib.h>

rn_result rni_picture_write(const rni_picture *picture, const char *path)
{
    size_t bytes = (size_t)picture->width * picture->height * 4;
    uint8_t *rgba = malloc(bytes ? bytes : 1);
    if (!rgba)
        return rni_fail(RN_ERROR_MEMORY, "%s: no memory for %u x %u pixels", path, picture->width,
                        picture->height);
    rn_result result = rni_picture_render(picture, rgba);
    if (result == RN_OK) result = rni_png_write(path, rgba, picture->width, picture->height);
    free(rgba);
    return result;
}
