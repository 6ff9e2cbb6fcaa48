/* Pictures of particles: shaded spheres, walls, shadows, a colour bar, to RGBA and PNG.
 *
 * Job:    draws one moment of the water, without a graphics card.
 * Input:  a frame, the name of the attribute that colours show, analytic solids, a camera.
 * Output: RGBA bytes, rows from the top; the same bytes for any number of threads.
 * Order:  camera -> splat (spheres), walls (ray-cast) -> shadow, occlusion -> shade -> label.
 * Errors: RN_ERROR_ARGUMENT for absurd sizes, cameras and numbers, with the value; RN_ERROR_MEMORY;
 *         RN_ERROR_FILE from writing.
 * Next:   canvas.h (what the stages share), picture.c (the stages in order).
 */
#ifndef RNI_RENDER_PICTURE_H
#define RNI_RENDER_PICTURE_H

#include <runnel/fluid.h>
#include <runnel/frame.h>

#define RNI_PICTURE_SIDE_MIN 64u
#define RNI_PICTURE_SIDE_MAX 8192u
/* Radius of a drawn sphere in spacings: neighbours touch, and a little more. */
#define RNI_PICTURE_RADIUS 0.55f

typedef enum rni_picture_walls {
    RNI_WALLS_SOLID = 0, /* matte; solids between camera and water become glass */
    RNI_WALLS_GLASS = 1, /* all of glass */
    RNI_WALLS_NONE = 2   /* neither solids nor the edges of the domain */
} rni_picture_walls;

typedef enum rni_picture_background {
    RNI_BACK_LIGHT = 0,
    RNI_BACK_DARK = 1
} rni_picture_background;

/* Names as the command spells them: "density", "solid", "light", ... NULL past the last. Colours: every
 * attribute of a fluid but the position, and "fluid" of several; vectors are shown by their length. */
const char *rni_picture_color_name(uint32_t place);
const char *rni_picture_walls_name(uint32_t place);
const char *rni_picture_background_name(uint32_t place);

/* In 2D nothing of it is used: the fluid is seen from the front. */
typedef struct rni_picture_camera {
    bool has_eye; /* otherwise: a three-quarter view that shows the whole domain (2D: the front) */
    bool has_target; /* otherwise the middle of the domain */
    float eye[3];    /* m */
    float target[3]; /* m */
    float up[3];     /* any length; zero: y */
    float fov;       /* degrees, vertical, 1 to 150; 0: 28 */
} rni_picture_camera;

/* What is to be drawn. Take rni_picture_default() and change what you need; everything pointed to is
 * borrowed for the call. */
typedef struct rni_picture {
    rn_frame frame; /* particles, domain (unknown: around the particles), time in the caption */
    float radius;   /* m, of a drawn sphere; 0: 0.55 of the frame's spacing */

    /* Sides of the domain that are drawn (x-low, x-high, y-low, ...) where they are behind the water;
     * 2D: none. Default: the floor. */
    bool sides[6];
    const rn_solid *solids;
    uint32_t solid_count;

    const char *color; /* attribute that colours show; NULL: all in one blue, no bar */
    /* Several fluids: names and colours (sRGB, 0 to 1) of the values 0, 1, ... of the attribute "fluid". 0: none. */
    uint32_t fluid_count;
    const char *fluid_name[RN_FLUID_MAX_PHASES];
    float fluid_color[RN_FLUID_MAX_PHASES][3];
    bool has_range;
    float range[2]; /* of the colours; has_range false: from the values, without outliers */

    rni_picture_camera camera;
    bool has_scene; /* otherwise what the camera shows is found from domain, solids and particles */
    float scene_low[3], scene_high[3]; /* m */
    rni_picture_walls walls;
    rni_picture_background background;
    bool is_bare; /* neither bar nor caption */

    const char *title; /* at the top; UTF-8, characters that the font lacks become a small box. NULL: none */

    uint32_t width, height; /* pixels */
    uint32_t threads;       /* 0: one for each processor */
} rni_picture;

rni_picture rni_picture_default(void); /* 1280 x 720, one blue, solid walls, light */

/* rgba holds 4 * width * height bytes. Particles that are not finite are refused with their index. */
rn_result rni_picture_render(const rni_picture *picture, uint8_t *rgba);

/* Renders and writes a PNG: beside and renamed; "-" is standard output. */
rn_result rni_picture_write(const rni_picture *picture, const char *path);

/* 8 bits a channel, opaque pictures without alpha. width and height from 1 to 65535. */
rn_result rni_png_write(const char *path, const uint8_t *rgba, uint32_t width, uint32_t height);
/* 16 bits of grey. */
rn_result rni_png_write_gray(const char *path, const uint16_t *gray, uint32_t width, uint32_t height);

#endif
