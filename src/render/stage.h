/* The stage: everything that rays of a picture can meet, and the light.
 *
 * Job:    shot -> camera, walls, tank, ground, water surface, drops, each with a material.
 * Order:  rni_stage_begin (camera, walls, ground), then what a look adds (rni_stage_add_water, ...), then
 *         rni_stage_commit, then rays from all threads.
 * Rules:  y is up. Lengths in metres. Radiance is relative: white paper in the sun is about 1.
 */
#ifndef RNI_RENDER_STAGE_H
#define RNI_RENDER_STAGE_H

#include "render/canvas.h"
#include "render/looks.h"
#include "render/tracer.h"

struct rni_studio {
    rni_memory memory;
    rni_crew *crew;
    uint32_t threads;
    rni_tracer *tracer;
    rn_surface *surface; /* made by the first look that needs it, as the rest */
    rn_surfels *surfels;
    rn_surface *body[RN_FLUID_MAX_PHASES]; /* of fluids within the water (blend.c) */
    struct rn_search *search, *foam_search;
    rni_buffer objects, vertices, normals, even, marks, spheres, specks; /* of the stage */
    rni_buffer light, light_two, albedo, guide;                          /* by pixel */
    rni_buffer splats, planes;
    rni_buffer body_even[RN_FLUID_MAX_PHASES]; /* their normals */
    rni_buffer bodies, joined;                 /* particles of one fluid; those that are no drops */
    rni_buffer photons, photons_sorted, photon_starts; /* of caustics */
    struct rni_plate *plate; /* of a film whose camera stands still (plate.c); NULL: none */
    struct rni_radiograph *radiograph;
    const uint16_t *gray; /* of the last radiograph */
};

/* Sides of the domain that a vertex of the water lies on, as bits. */
typedef uint8_t rni_marks;

typedef struct rni_object {
    rni_finish material;
    rn_triangles mesh; /* no triangles: spheres */
    const rn_pose *pose;
    const rni_marks *marks; /* by vertex; NULL: none */
    const float *value;     /* by vertex; NULL: none */
} rni_object;

/* Light of the sun that came through water (caustics.c): photons by cell. */
typedef struct rni_photon rni_photon;

typedef struct rni_caustics {
    bool is_on;
    float radius; /* m */
    uint32_t mask, count;
    const rni_photon *photon;
    const uint32_t *start; /* by cell */
} rni_caustics;

typedef struct rni_stage {
    const rni_shot *shot;
    rni_studio *studio;
    rni_canvas canvas; /* camera, domain, box of the water */
    uint32_t object_count;
    rni_object *object;
    float epsilon;        /* m: a ray starts so far from a surface */
    float size;           /* m: diagonal of the scene */
    float floor;          /* m: height of the ground */
    float tile;           /* m: side of its tiles */
    rni_vec sun;          /* towards it */
    rni_vec absorption;   /* of the water, per m */
    uint64_t drawn_water; /* triangles and drops */
    bool shows_films;     /* walls with values are coloured by them */
    rni_caustics caustics;
    float tank[8 * 24][3];
    uint32_t tank_index[8 * 36];
    float glass[16][3];
    uint32_t glass_index[24];
} rni_stage;

rn_result rni_stage_begin(rni_stage *stage, rni_studio *studio, const rni_shot *shot);
/* The closed surface of the particles, and drops where a particle is alone. */
rn_result rni_stage_add_water(rni_stage *stage, const rni_finish *material);
/* Even normals of a surface; its vertices stay where they are: outlines are those of the surface. Uses
 * studio->normals. */
rn_result rni_stage_even_normals(rni_studio *studio, const rn_surface_mesh *found, rni_buffer *even);
/* foam.c: white specks where air is drawn in. */
rn_result rni_stage_add_foam(rni_stage *stage);
/* The names of materials that are the fluid, though not clear. */
extern const char rni_foam_name[], rni_cloudy_name[];
/* Fluids within the water, if the picture has several. */
rn_result rni_stage_add_fluids(rni_stage *stage);
/* All particles as spheres. */
rn_result rni_stage_add_particles(rni_stage *stage, const rni_finish *material);
rn_result rni_stage_commit(rni_stage *stage);
/* Sheets and rims of a tank, where the sides of the domain are walls that no solid covers. */
rn_result rni_stage_add_tank(rni_stage *stage);
/* Takes an object over; its place is its number for the tracer. */
rn_result rni_stage_put(rni_stage *stage, const rni_object *object);
/* Particles, spacing and walls of the shot. */
rn_surface_points rni_stage_points(const rni_stage *stage);

/* The surface that a ray meets. */
typedef struct rni_surface_at {
    float distance;
    rni_vec place;
    rni_vec normal; /* smooth, on the side the ray comes from */
    rni_vec face;   /* of the triangle, the same side */
    bool is_inside; /* the ray comes from within the object */
    rni_vec color;
    const rni_finish *material;
    float value; /* of the wall's vertices; negative: none */
} rni_surface_at;

/* The first surface, ground included; false: the ray ends in the sky. */
bool rni_stage_meet(const rni_stage *stage, rni_ray ray, float far, rni_surface_at *at);

/* The ray that leaves a surface, just off it on the side of its direction. */
rni_ray rni_stage_leave(const rni_stage *stage, const rni_surface_at *at, rni_vec direction);

/* --- path.c: what surfaces reflect --- */

/* Share of light that a surface of water reflects. */
float rni_water_share(const rni_stage *stage, rni_vec direction, const rni_surface_at *at);
/* The same of a thin sheet, at both of its faces. */
float rni_sheet_share(rni_vec direction, const rni_surface_at *at);

/* --- caustics.c --- */

/* Photons through the water; the stage has been committed. */
rn_result rni_caustics_prepare(rni_stage *stage);
/* Whether a surface keeps photons. On others, rays to the sun must find all of its light. */
bool rni_caustics_reach(const rni_surface_at *at);
/* Irradiance by photons. */
rni_vec rni_caustics_at(const rni_stage *stage, const rni_surface_at *at);

/* --- sky.c --- */

/* Radiance from a direction. has_sun: with the disc of the sun. */
rni_vec rni_sky(const rni_stage *stage, rni_vec direction, bool has_sun);
/* The same without clouds, for diffuse light. */
rni_vec rni_sky_soft(const rni_stage *stage, rni_vec direction);
/* Irradiance of the sun on a surface that faces it, without its surroundings. */
#define RNI_SUN_POWER ((rni_vec){4.6f, 4.05f, 3.3f})
/* rad: radius of the disc that softens shadows; larger than the real one, as through a thin haze. */
#define RNI_SUN_RADIUS 0.03f
/* Radiance of the sky where nothing is computed: its mean over the upper half. */
#define RNI_SKY_MEAN ((rni_vec){0.28f, 0.36f, 0.49f})
/* Colour of the ground. */
rni_vec rni_ground_color(const rni_stage *stage, rni_vec place);
/* The name of its material. */
extern const char rni_ground_name[];
/* Light of a surface at a distance: the ground fades into the horizon. */
rni_vec rni_stage_fade(const rni_stage *stage, rni_vec direction, const rni_surface_at *at,
                       rni_vec light);

/* --- random numbers: counted, so that a pixel's do not depend on who computes it --- */

typedef struct rni_dice {
    uint32_t pixel, sample, count;
} rni_dice;

/* In [0, 1). Over the samples of a pixel, values of the same count are spread evenly. */
float rni_dice_roll(rni_dice *dice);

/* A direction within the radius (rad) around an axis; one around a normal, by cosine. */
rni_vec rni_dice_around(rni_dice *dice, rni_vec axis, float radius);
rni_vec rni_dice_cosine(rni_dice *dice, rni_vec normal);

/* --- pixels.c: rays of the camera, and what becomes of their light --- */

/* What guides the filter: the first surface. */
typedef struct rni_guide {
    rni_vec normal; /* zero: sky */
    float distance;
} rni_guide;

typedef struct rni_sample {
    rni_vec light;
    rni_vec albedo; /* colour of the first diffuse surface; white: none */
    rni_guide guide;
    bool met_water; /* a ray of it did */
} rni_sample;

/* Light along a ray whose direction has length 1. */
typedef void (*rni_sample_fn)(const rni_stage *stage, rni_ray ray, rni_dice dice, rni_sample *sample);

/* All pixels: samples, filter (unless the shot is noisy), bytes. */
rn_result rni_pixels_draw(rni_stage *stage, rni_sample_fn take, uint8_t *rgba);
/* Only the samples, into the buffers of the studio. */
rn_result rni_pixels_sample(rni_stage *stage, rni_sample_fn take);
/* The mean of the samples of a pixel. */
void rni_pixel_sample(const rni_stage *stage, rni_sample_fn take, uint32_t x, uint32_t y,
                      rni_sample *mean);
/* Writes it into the buffers of the studio. */
void rni_pixel_put(const rni_stage *stage, uint32_t x, uint32_t y, const rni_sample *mean);
/* Buffers of the pixels. */
rn_result rni_pixels_need(rni_stage *stage);

/* --- plate.c: films whose camera stands still --- */

/* Whether the studio has a plate of this stage, which is without water. */
bool rni_plate_is_of(const rni_stage *stage);
/* Whether one should be made. Not for walls that have moved since: they may move in every picture. */
bool rni_plate_is_due(const rni_stage *stage);
/* Makes it: the stage has been committed without water. */
rn_result rni_plate_make(rni_stage *stage, rni_sample_fn take);
/* Samples of a stage with water: only where there may be water; the rest is the plate. */
rn_result rni_plate_sample(rni_stage *stage, rni_sample_fn take);
void rni_plate_destroy(rni_studio *studio);
/* The path tracer (path.c). */
void rni_path_sample(const rni_stage *stage, rni_ray ray, rni_dice dice, rni_sample *sample);
/* Diffuse and specular light (look_clay.c). */
void rni_clay_sample(const rni_stage *stage, rni_ray ray, rni_dice dice, rni_sample *sample);
/* Takes the noise out of studio->light: an edge-avoiding wavelet filter (denoise.c). */
rn_result rni_denoise(rni_stage *stage);
/* studio->light to bytes (tone.c). */
void rni_tone_map(rni_stage *stage, uint8_t *rgba);

#endif
