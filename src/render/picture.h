/* Pictures of particles: shaded spheres, walls, shadows, a colour bar, to RGBA and PNG.
 *
 * Job:    draws the water as it is at one moment, by the processor alone.
 * Input:  plain spans of positions and one number a particle, the domain, analytic solids, a camera.
 * Output: RGBA bytes, rows from the top; the same bytes for any number of threads.
 * Order:  frame (camera) -> splat (spheres), walls (ray-cast) -> shadow, occlusion -> shade -> label.
 * Errors: RN_ERROR_ARGUMENT for absurd sizes, cameras and numbers, with the value; RN_ERROR_MEMORY;
 *         RN_ERROR_FILE from writing.
 * Next:   canvas.h (what the stages share), picture.c (the stages in order).
 */
#ifndef RNI_RENDER_PICTURE_H
#define RNI_RENDER_PICTURE_H

#include <runnel/fluid.h>

#define RNI_PICTURE_SIDE_MIN 64u
#define RNI_PICTURE_SIDE_MAX 8192u

typedef enum rni_picture_color {
    RNI_COLOR_BY_DENSITY = 0,  /* kg / m^3: pale to strong blue, as in 001 */
    RNI_COLOR_BY_SPEED = 1,    /* m / s */
    RNI_COLOR_BY_PRESSURE = 2, /* Pa */
    RNI_COLOR_BY_AGE = 3       /* s since it came */
} rni_picture_color;

typedef enum rni_picture_walls {
    RNI_WALLS_SOLID = 0, /* matte; those that stand between camera and water become glass */
    RNI_WALLS_GLASS = 1, /* all of glass */
    RNI_WALLS_NONE = 2   /* neither solids nor the edges of the domain */
} rni_picture_walls;

typedef enum rni_picture_background {
    RNI_BACK_LIGHT = 0,
    RNI_BACK_DARK = 1
} rni_picture_background;

/* Names as the command spells them: "density", "solid", "light", ... NULL past the last. */
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
    uint32_t dim; /* 2 or 3 */

    uint32_t count;         /* particles; 0 is fine */
    const float *position;  /* x, y, z (2D: x, y) */
    size_t position_stride; /* bytes from one to the next; 0: packed, dim floats */
    const float *value;     /* what is coloured, one a particle; NULL: all in one blue, no bar */
    size_t value_stride;    /* bytes; 0: packed */
    float radius;           /* m, of a drawn sphere; half a spacing and a little looks right */

    float domain_low[3], domain_high[3]; /* m; both zero: around the particles */
    /* Sides of the domain that are drawn (x-low, x-high, y-low, ...) where they lie behind the water;
     * 2D: none. Default: the floor. */
    bool sides[6];
    const rn_solid *solids;
    uint32_t solid_count;

    rni_picture_color color;
    bool has_range;
    float range[2]; /* of the colours; has_range false: from the values, without outliers */

    rni_picture_camera camera;
    rni_picture_walls walls;
    rni_picture_background background;
    bool is_bare; /* neither bar nor caption */

    const char *title; /* above; UTF-8, what the font lacks is a small box. NULL: none */
    bool has_time;
    double time; /* s, in the caption */

    uint32_t width, height; /* pixels */
    uint32_t threads;       /* 0: one for each processor */
} rni_picture;

rni_picture rni_picture_default(void); /* 3D, 1280 x 720, density, solid walls, light */

/* rgba holds 4 * width * height bytes. Particles that are not finite are refused with their index. */
rn_result rni_picture_render(const rni_picture *picture, uint8_t *rgba);

/* Fills value[i] for every particle with what `color` says. time (s) is for the age. */
void rni_picture_values(rni_picture_color color, const rn_fluid_particles *particles, double time,
                        float *value);

/* Renders and writes a PNG: beside and renamed; "-" is standard output. */
rn_result rni_picture_write(const rni_picture *picture, const char *path);

/* The same for a fluid's particles as they are: dim, radius, domain, solids, style from picture;
 * positions, values and time from particles. */
rn_result rni_picture_write_particles(const rni_picture *picture, const rn_fluid_particles *particles,
                                      double time, const char *path);

/* 8 bits a channel, opaque pictures without alpha. width and height from 1 to 65535. */
rn_result rni_png_write(const char *path, const uint8_t *rgba, uint32_t width, uint32_t height);

#endif
