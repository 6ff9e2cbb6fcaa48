/* What the stages of a picture share: views, sample buffers, prepared walls.
 *
 * A pixel has 2 x 2 samples. The camera's buffers hold for each sample the depth of the nearest surface
 * and its id; position, normal and colour follow from the ray and are computed again for shading.
 * The light's buffer holds depths only: the shadow map.
 */
#ifndef RNI_RENDER_CANVAS_H
#define RNI_RENDER_CANVAS_H

#include "render/picture.h"
#include "render/vector.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "solid/span.h"

#define RNI_SAMPLES_PER_SIDE 2u
#define RNI_TILE_SIDE        64u /* samples */

/* Ids of surfaces in the buffer. */
#define RNI_SURFACE_NONE     0u
#define RNI_SURFACE_FLOOR    1u
#define RNI_SURFACE_FLAT     2u          /* 2D: the domain or a solid behind the water */
#define RNI_SURFACE_SIDE     4u          /* + 0 .. 5, of the domain, as in rni_picture.sides */
#define RNI_SURFACE_WALL     16u         /* + number of the wall */
#define RNI_SURFACE_PARTICLE 0x80000000u /* + number of the particle */

#define RNI_DEPTH_FAR 3.0e38f

#define RNI_TURNS     64u
#define RNI_SKY_TAPS  11u
#define RNI_LAMP_TAPS 9u

/* Rays: place = origin + depth * direction, direction having the length 1 along forward; so depth
 * is measured along forward, in metres, for both kinds of view. */
typedef struct rni_view {
    rni_vec origin, right, up, forward;
    bool is_flat;             /* parallel rays */
    float scale;              /* samples a metre (flat), or samples a unit of tangent */
    float step;               /* 1 / scale */
    float middle_x, middle_y; /* where the axis meets the picture, in samples */
    float near_depth;
    uint32_t width, height; /* samples */
} rni_view;

typedef struct rni_ray {
    rni_vec origin, direction;
} rni_ray;

static inline rni_ray rni_view_ray(const rni_view *view, float x, float y)
{
    float u = (x - view->middle_x) * view->step;
    float v = (view->middle_y - y) * view->step;
    rni_vec across = rni_along(rni_scale(view->right, u), view->up, v);
    if (view->is_flat) return (rni_ray){rni_add(view->origin, across), view->forward};
    return (rni_ray){view->origin, rni_add(view->forward, across)};
}

/* Along right, up and forward. */
static inline rni_vec rni_view_place(const rni_view *view, rni_vec place)
{
    rni_vec from = rni_sub(place, view->origin);
    return (rni_vec){rni_dot(from, view->right), rni_dot(from, view->up),
                     rni_dot(from, view->forward)};
}

/* A rectangle of samples [x0, x1) x [y0, y1); empty when x0 >= x1. */
typedef struct rni_rect {
    uint32_t x0, y0, x1, y1;
} rni_rect;

/* A solid placed for drawing. */
typedef struct rni_wall {
    rni_solid solid;
    bool is_glass;
} rni_wall;

typedef struct rni_box {
    rni_vec low, high;
} rni_box;

/* Lightness 0 to 1, chroma, hue in degrees (OKLab). */
typedef struct rni_tone {
    float lightness, chroma, hue;
} rni_tone;

#define RNI_TONE_COUNT 5

/* How an attribute becomes colours. */
typedef struct rni_colors {
    const char *attribute;
    rni_tone tone[RNI_TONE_COUNT];
    double low_outliers;    /* share of the particles below the range that is found */
    float narrowest;        /* the range is no narrower than this share of its middle */
    bool may_begin_at_zero; /* a low end that is near zero becomes zero */
    bool begins_at_zero;    /* always */
} rni_colors;

typedef struct rni_canvas {
    const rni_picture *picture;
    rni_memory memory;
    rni_crew *crew;

    size_t position_stride;    /* bytes */
    const rn_attribute *shown; /* attribute that colours show; NULL: all particles in one blue */
    float *value;              /* its values, one per particle; NULL without it */
    const rni_colors *colors;
    bool has_domain;
    rni_box domain; /* that of the picture, or around the particles */
    rni_box water;  /* around the particles; the domain when there are none */
    rni_box scene;  /* what the camera shows */
    float size;     /* m: diagonal of scene */
    float floor;    /* m: height of the floor */
    float range[2]; /* of the colours */
    float strip;    /* pixels at the bottom of the picture for bar and caption */
    float head;     /* pixels for the title */

    rni_view camera, light;
    rni_vec to_light;
    rni_wall *walls;
    uint32_t wall_count;
    rni_rect *wall_seen; /* by wall: what the camera, then what the light can see of it */

    float *depth; /* camera: by sample */
    uint32_t *surface;
    float *shadow;                              /* light: depth by texel */
    rni_vec *image;                             /* linear light by pixel */
    rni_vec color_table[256];                   /* linear */
    rni_vec sky_tap[RNI_TURNS][RNI_SKY_TAPS];   /* direction, and radius as a share */
    rni_vec lamp_tap[RNI_TURNS][RNI_LAMP_TAPS]; /* in a disc of radius 1 */
} rni_canvas;

/* Whether colours show which of several fluids a particle is of. */
static inline bool rni_canvas_has_fluids(const rni_canvas *canvas)
{
    return canvas->value && canvas->picture->fluid_count > 0 &&
           __builtin_strcmp(canvas->shown->name, "fluid") == 0;
}

static inline rni_vec rni_canvas_position(const rni_canvas *canvas, uint32_t i)
{
    const rn_frame *frame = &canvas->picture->frame;
    const char *first = frame->attribute[0].data;
    const float *at = (const float *)(const void *)(first + i * canvas->position_stride);
    return (rni_vec){at[0], at[1], frame->dim == 3 ? at[2] : 0};
}

/* Refuses what is wrong with the picture, with a sentence; finds the attribute that is shown. */
rn_result rni_canvas_check(rni_canvas *canvas);

/* The stages, in the order of picture.c. */
void rni_camera_find_scene(rni_canvas *canvas); /* domain, water, scene, floor */
rn_result rni_camera_place(rni_canvas *canvas);
void rni_camera_place_light(rni_canvas *canvas, uint32_t side);

/* Nearest spheres of view into depth (and surface, unless NULL), which are cleared first. */
rn_result rni_splat(rni_canvas *canvas, const rni_view *view, float *depth, uint32_t *surface);

/* Refuses solids that cannot be drawn. */
rn_result rni_walls_check(const rni_picture *picture);
void rni_walls_prepare(rni_canvas *canvas);      /* after the check */
void rni_walls_choose_glass(rni_canvas *canvas); /* after the splat of the camera */
void rni_walls_draw(rni_canvas *canvas);         /* into depth and surface; the floor too */
void rni_walls_shadow(rni_canvas *canvas);       /* into the shadow map */
/* The part of the ray that is in the wall's shape and in the domain. */
bool rni_wall_span(const rni_canvas *canvas, const rni_wall *wall, rni_ray ray, rni_span *span);
/* The side of the domain that the ray leaves by: where, and which as in rni_picture.sides. */
bool rni_side_hit(const rni_canvas *canvas, rni_ray ray, float *depth, rni_vec *normal,
                  uint32_t *side);
/* The opaque surface that the ray meets first, and its normal towards the ray. */
bool rni_wall_hit(const rni_canvas *canvas, const rni_wall *wall, rni_ray ray, float *depth,
                  rni_vec *normal, bool *is_cut);
/* 2D: signed distance, negative in the wall. */
float rni_wall_distance_flat(const rni_wall *wall, float x, float y);

void rni_shade(rni_canvas *canvas); /* all buffers -> image */
void rni_light_prepare(rni_canvas *canvas);
/* Share of light from sky (x) and lamp (y) that reaches the surface at a sample. */
rni_vec rni_light_at(const rni_canvas *canvas, uint32_t x, uint32_t y, rni_vec place, rni_vec normal);

void rni_edges_draw(rni_canvas *canvas); /* lines of domain and glass onto image */
void rni_label_draw(rni_canvas *canvas); /* bar and caption onto image */
void rni_range_find(rni_canvas *canvas); /* range, from the values when it is not given */

/* Colours are computed in linear light. */
rni_vec rni_color_from_srgb(float r, float g, float b); /* 0 to 1 each */
/* Bytes for the square roots of linear light, 0 to 4095 for 0 to 1. */
void rni_color_srgb_table(uint8_t table[4096]);
/* Those of an attribute; attributes without a row of their own share one. */
const rni_colors *rni_colors_of(const char *attribute);
rni_vec rni_fluid_color(const rni_picture *picture, uint32_t number); /* linear */
rni_vec rni_color_map(const rni_colors *colors, float part);          /* linear; part 0 to 1 */

/* Colours of background, text, walls and so on, for the two backgrounds. */
typedef struct rni_tones {
    rni_vec top, bottom; /* of the background */
    rni_vec ink, quiet;
    rni_vec wall, cut, glass, edge, water, floor_shadow;
    float floor_tint; /* of the domain's floor against the background */
} rni_tones;
rni_tones rni_tones_of(rni_picture_background background);
/* The background at a height of the picture, 0 top to 1 bottom. */
rni_vec rni_tones_paper(const rni_tones *tones, float part);

#endif
