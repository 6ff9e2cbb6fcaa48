/* Looks: ways to turn one moment of a simulation into a picture.
 *
 * Job:    the table of looks; what a look is given; what looks share from frame to frame.
 * Input:  rni_shot: a frame with walls, camera, size, samples. Output: RGBA bytes, rows from the top.
 * Rules:  the same bytes for any number of threads. A look is one row in looks.c and one function.
 * Next:   stage.h (what rays meet), path.c (look `water`), look_*.c (the others).
 */
#ifndef RNI_RENDER_LOOKS_H
#define RNI_RENDER_LOOKS_H

#include "render/finish.h"
#include "render/picture.h"

#include <runnel/surface.h>

#define RNI_SAMPLES_MAX 4096u

/* What is to be drawn. Start from rni_shot_default(); everything pointed to is borrowed for the call. */
typedef struct rni_shot {
    /* Particles, solids, camera, title, size, threads; colours and bar of the look `particles`. Meshes and
     * poses of its frame are the walls for looks that trace rays. */
    rni_picture picture;
    uint32_t samples; /* rays through a pixel, 1 to 4096; 0: as the look has it */

    /* By mesh of the frame; NULL, or NULL for one of them: */
    const rni_finish *const *wall_material; /* chosen by its shape */
    const float *const *wall_value; /* none; else one number from 0 to 1 for each vertex: how wet it is */

    /* Where the surface of the water ends (runnel/surface.h). */
    rn_surface_walls_fn walls;
    void *walls_user;
    bool domain_wall[6];
    bool periodic[3]; /* by axis: the fluid goes on at the other side; its surface is cut off flat */

    const rni_water *water;
    bool has_water; /* it was asked for: otherwise the material of a scene decides */
    rni_fresnel fresnel;
    float foam; /* how much: 0 none, 1 as the water has it */
    /* The next shots have the same camera, walls and size: what no water can change is computed once. */
    bool is_film;
    bool is_noisy; /* leave the noise of few samples in the picture */

    /* Of the look xray. */
    const struct rni_radiograph_def *xray; /* tube, detector, substances; NULL: the default */
    const rn_mesh *organ; /* a mesh around the fluid, with triangles that look inwards; NULL: none */
    const char *raw;      /* file for the transmitted energy of a still; NULL: none */
} rni_shot;

rni_shot rni_shot_default(void);

/* What looks keep from frame to frame: threads, buffers, ray tracer. */
typedef struct rni_studio rni_studio;

rn_result rni_studio_create(uint32_t threads, rni_studio **studio); /* on failure NULL */
void rni_studio_destroy(rni_studio *studio);                        /* NULL is fine */

typedef struct rni_look {
    const char *name;
    const char *about; /* one line for help */
    uint32_t samples; /* rays through a pixel, unless the shot says otherwise; 0: has no use for them */
    bool is_3d;       /* refuses 2D frames */
    /* rgba holds 4 * width * height bytes. The shot has been checked. */
    rn_result (*draw)(rni_studio *studio, const rni_shot *shot, uint8_t *rgba);
    /* Writes the still that was drawn last in a form of its own; NULL: as a PNG of rgba. */
    rn_result (*write)(rni_studio *studio, const rni_shot *shot, const char *path);
} rni_look;

/* NULL past the last. */
const rni_look *rni_look_at(uint32_t place);
const char *rni_look_name(uint32_t place);

/* Checks the shot and draws it. On failure the studio stays usable. */
rn_result rni_look_draw(const rni_look *look, rni_studio *studio, const rni_shot *shot,
                        uint8_t *rgba);

/* The rows. */
rn_result rni_look_water(rni_studio *studio, const rni_shot *shot, uint8_t *rgba);
rn_result rni_look_clay(rni_studio *studio, const rni_shot *shot, uint8_t *rgba);
rn_result rni_look_particles(rni_studio *studio, const rni_shot *shot, uint8_t *rgba);
rn_result rni_look_surfels(rni_studio *studio, const rni_shot *shot, uint8_t *rgba);
rn_result rni_look_trails(rni_studio *studio, const rni_shot *shot, uint8_t *rgba);
rn_result rni_look_xray(rni_studio *studio, const rni_shot *shot, uint8_t *rgba);
/* A PNG of 16 bits, notes as JSON beside it, and shot->raw. */
rn_result rni_look_xray_write(rni_studio *studio, const rni_shot *shot, const char *path);

#endif
