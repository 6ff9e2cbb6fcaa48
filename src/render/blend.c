/* Several fluids in one picture: the surface of the water is around all of them; each fluid but the one with the most
 * particles is a translucent body of its own colour within it. */
#include "render/stage.h"

#include "base/error.h"

#define PIECE 1024u
/* Share of light that the skin of such a body takes, and its index of refraction in water. */
#define OPACITY 0.5f
#define INDEX   1.2f
/* In spacings: of the kernel. */
#define RADIUS 2.8f

static uint32_t number_of(float value)
{
    return value >= 0 && value < (float)RN_FLUID_MAX_PHASES ? (uint32_t)value : 0;
}

/* How many particles each fluid has. */
static void count_fluids(const rn_frame *frame, const rn_attribute *fluid,
                         uint32_t count[RN_FLUID_MAX_PHASES])
{
    float value[PIECE];
    for (uint32_t first = 0; first < frame->count; first += PIECE) {
        uint32_t rows = frame->count - first < PIECE ? frame->count - first : PIECE;
        rn_frame_get_scalars(frame, fluid, first, rows, value);
        for (uint32_t i = 0; i < rows; i++) count[number_of(value[i])]++;
    }
}

/* Positions of the particles of a fluid, in their order. */
static void gather(const rni_stage *stage, const rn_attribute *fluid, uint32_t wanted, rni_vec *to)
{
    const rn_frame *frame = &stage->shot->picture.frame;
    float value[PIECE];
    for (uint32_t first = 0; first < frame->count; first += PIECE) {
        uint32_t rows = frame->count - first < PIECE ? frame->count - first : PIECE;
        rn_frame_get_scalars(frame, fluid, first, rows, value);
        for (uint32_t i = 0; i < rows; i++)
            if (number_of(value[i]) == wanted)
                *to++ = rni_canvas_position(&stage->canvas, first + i);
    }
}

static rn_result build(rni_stage *stage, uint32_t k, uint32_t count, rn_surface_mesh *found)
{
    rni_studio *studio = stage->studio;
    rn_surface_points points = rni_stage_points(stage);
    rn_result result = RN_OK;
    if (!studio->body[k]) {
        rn_surface_def def = rn_surface_def_default();
        def.threads = studio->threads;
        def.radius = RADIUS;
        def.smoothing = 80;
        result = rn_surface_create(&def, &studio->body[k]);
    }
    points.position = studio->bodies.data;
    points.stride_bytes = sizeof(rni_vec);
    points.count = count;
    *found = rn_surface_mesh_default();
    return result == RN_OK ? rn_surface_build(studio->body[k], &points, found) : result;
}

static rn_result add_body(rni_stage *stage, const rn_attribute *fluid, uint32_t k, uint32_t count)
{
    rni_studio *studio = stage->studio;
    rn_surface_mesh found;
    rn_result result = rni_buffer_need(&studio->memory, &studio->bodies, count, sizeof(rni_vec));
    if (result != RN_OK) return result;
    gather(stage, fluid, k, studio->bodies.data);
    result = build(stage, k, count, &found);
    if (result != RN_OK || found.mesh.triangle_count == 0) return result;
    result = rni_stage_even_normals(studio, &found, &studio->body_even[k]);
    if (result != RN_OK) return result;
    rni_object body = {.material = {.name = "fluid",
                                    .about = "another fluid in the water",
                                    .kind = RNI_FINISH_SHEET,
                                    .color = rni_fluid_color(&stage->shot->picture, k),
                                    .index = INDEX,
                                    .opacity = OPACITY},
                       .mesh = {.name = "fluid",
                                .vertex_count = found.mesh.vertex_count,
                                .index_count = 3 * found.mesh.triangle_count,
                                .vertex = found.mesh.vertex,
                                .normal = studio->body_even[k].data,
                                .index = found.mesh.triangle}};
    return rni_stage_put(stage, &body);
}

rn_result rni_stage_add_fluids(rni_stage *stage)
{
    const rni_picture *p = &stage->shot->picture;
    const rn_attribute *fluid = rn_frame_get_attribute(&p->frame, "fluid");
    uint32_t count[RN_FLUID_MAX_PHASES] = {0}, most = 0;
    if (p->fluid_count < 2 || !fluid) return RN_OK;
    count_fluids(&p->frame, fluid, count);
    for (uint32_t k = 1; k < RN_FLUID_MAX_PHASES; k++)
        if (count[k] > count[most]) most = k;
    for (uint32_t k = 0; k < RN_FLUID_MAX_PHASES; k++) {
        if (k == most || count[k] == 0) continue;
        rn_result result = add_body(stage, fluid, k, count[k]);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}
