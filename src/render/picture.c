#include "render/canvas.h"
#include "render/label.h"

#include "base/error.h"
#include "frame/frame.h"

#include <string.h>

#define PIXELS_MAX    (36u << 20)
#define SOLIDS_MAX    10000u
#define PARTICLES_MAX 0x7fffffffu

static const char *const wall_names[] = {"solid", "glass", "none"};
static const char *const background_names[] = {"light", "dark"};

#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

const char *rni_picture_color_name(uint32_t place)
{
    const rn_frame known = rn_fluid_frame_default();
    if (place + 1 == known.attribute_count) return "fluid";
    return place + 1 < known.attribute_count ? known.attribute[place + 1].name : NULL;
}

const char *rni_picture_walls_name(uint32_t place)
{
    return place < COUNT_OF(wall_names) ? wall_names[place] : NULL;
}

const char *rni_picture_background_name(uint32_t place)
{
    return place < COUNT_OF(background_names) ? background_names[place] : NULL;
}

rni_picture rni_picture_default(void)
{
    return (rni_picture){
        .frame = rn_frame_default(), .sides = {[2] = true}, .width = 1280, .height = 720};
}

static bool all_finite(const float *value, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (!isfinite(value[k]) || fabsf(value[k]) > 1e15f) return false;
    return true;
}

static rn_result check_size(const rni_picture *p)
{
    uint32_t low = RNI_PICTURE_SIDE_MIN;
    uint32_t high = RNI_PICTURE_SIDE_MAX;
    if (p->width < low || p->height < low || p->width > high || p->height > high)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "a picture of %u x %u pixels cannot be drawn; sides go from %u to %u",
                        p->width, p->height, low, high);
    if ((uint64_t)p->width * p->height > PIXELS_MAX)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "a picture of %u x %u pixels is too large; %u million pixels are the most",
                        p->width, p->height, PIXELS_MAX / 1000000);
    return RN_OK;
}

static rn_result check_style(const rni_picture *p)
{
    if (p->frame.dim != 2 && p->frame.dim != 3)
        return rni_fail(RN_ERROR_ARGUMENT, "dim is %u; a picture is of 2 or 3", p->frame.dim);
    if (!rni_picture_walls_name(p->walls) || !rni_picture_background_name(p->background))
        return rni_fail(RN_ERROR_ARGUMENT, "there is no walls %d or no background %d",
                        (int)p->walls, (int)p->background);
    if (p->has_range && !(all_finite(p->range, 2) && p->range[0] < p->range[1]))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "the range %g to %g has no colours; its first end must be lower",
                        (double)p->range[0], (double)p->range[1]);
    const rni_picture_camera *c = &p->camera;
    if ((c->has_eye && !all_finite(c->eye, 3)) || (c->has_target && !all_finite(c->target, 3)) ||
        !all_finite(c->up, 3))
        return rni_fail(RN_ERROR_ARGUMENT, "eye, target and up must be finite");
    if (c->fov != 0 && !(c->fov >= 1 && c->fov <= 150))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "a field of view of %g degrees cannot be drawn; 1 to 150 can",
                        (double)c->fov);
    return RN_OK;
}

static rn_result check_domain(const rni_picture *p)
{
    const float *low = p->frame.domain_low, *high = p->frame.domain_high;
    if (!all_finite(low, p->frame.dim) || !all_finite(high, p->frame.dim))
        return rni_fail(RN_ERROR_ARGUMENT, "the domain is not finite");
    for (uint32_t k = 0; k < p->frame.dim; k++)
        if (low[k] > high[k])
            return rni_fail(RN_ERROR_ARGUMENT, "the domain is turned inside out: %c from %g to %g",
                            "xyz"[k], (double)low[k], (double)high[k]);
    bool has_none = memcmp(low, high, p->frame.dim * sizeof(float)) == 0;
    if (has_none && p->frame.count == 0)
        return rni_fail(RN_ERROR_ARGUMENT, "there is nothing to draw: no domain and no particles");
    if (p->solid_count > SOLIDS_MAX)
        return rni_fail(RN_ERROR_LIMIT, "%u solids are too many for a picture; %u are the most",
                        p->solid_count, SOLIDS_MAX);
    return rni_walls_check(p);
}

static rn_result check_particles(const rni_canvas *canvas)
{
    const rni_picture *p = canvas->picture;
    if (p->frame.count == 0) return RN_OK;
    if (p->frame.count > PARTICLES_MAX)
        return rni_fail(RN_ERROR_LIMIT, "%u particles are too many for a picture; %u are the most",
                        p->frame.count, PARTICLES_MAX);
    if (!(p->radius > 0) || !(p->radius < 1e15f))
        return rni_fail(RN_ERROR_ARGUMENT, "the radius of a particle is %g; it must be positive",
                        (double)p->radius);
    for (uint32_t i = 0; i < p->frame.count; i++) {
        rni_vec at = rni_canvas_position(canvas, i);
        float place[3] = {at.x, at.y, at.z};
        if (!all_finite(place, 3))
            return rni_fail(RN_ERROR_ARGUMENT, "particle %u is at (%g, %g, %g), which is not finite",
                            i, (double)at.x, (double)at.y, (double)at.z);
        float value = 0;
        if (canvas->shown) rn_frame_get_scalars(&p->frame, canvas->shown, i, 1, &value);
        if (!isfinite(value))
            return rni_fail(RN_ERROR_ARGUMENT, "the %s of particle %u is %g, which has no colour",
                            canvas->shown->name, i, (double)value);
    }
    return RN_OK;
}

static rn_result find_shown(rni_canvas *canvas)
{
    const rni_picture *p = canvas->picture;
    canvas->colors = rni_colors_of(p->color ? p->color : "");
    if (!p->color || p->frame.count == 0) return RN_OK;
    canvas->shown = rn_frame_get_attribute(&p->frame, p->color);
    if (canvas->shown) return RN_OK;
    if (strcmp(p->color, "fluid") == 0) return RN_OK; /* there is one: all in one blue */
    return rni_fail(RN_ERROR_ARGUMENT, "the particles have no attribute \"%s\"", p->color);
}

/* Mistakes of the caller, described by rni_frame_flaw(). */
static rn_result check_frame(rni_canvas *canvas)
{
    const rn_frame *frame = &canvas->picture->frame;
    const char *flaw = rni_frame_flaw(frame);
    if (flaw) return rni_fail(RN_ERROR_ARGUMENT, "the frame cannot be drawn: %s", flaw);
    if (frame->count > 0) {
        size_t stride = frame->attribute[0].stride;
        canvas->position_stride = stride ? stride : 3 * sizeof(float);
    }
    return find_shown(canvas);
}

rn_result rni_canvas_check(rni_canvas *canvas)
{
    rn_result result = check_size(canvas->picture);
    if (result == RN_OK) result = check_style(canvas->picture);
    if (result == RN_OK) result = check_domain(canvas->picture);
    if (result == RN_OK) result = check_frame(canvas);
    if (result == RN_OK) result = check_particles(canvas);
    return result;
}

/* Texels of the shadow map: about as many as the picture has samples across. */
static uint32_t shadow_side(const rni_picture *p)
{
    uint32_t longer = p->width > p->height ? p->width : p->height;
    return longer <= 400 ? 512 : longer <= 800 ? 1024 : longer <= 2048 ? 2048 : 4096;
}

/* Sizes of the blocks of a canvas, for allocating and releasing them. */
typedef struct blocks {
    size_t depth, surface, shadow, image, walls, wall_seen, value;
} blocks;

static blocks blocks_of(const rni_canvas *canvas)
{
    const rni_picture *p = canvas->picture;
    size_t pixels = (size_t)p->width * p->height;
    size_t samples = pixels * RNI_SAMPLES_PER_SIDE * RNI_SAMPLES_PER_SIDE;
    return (blocks){.depth = samples * sizeof(float),
                    .surface = samples * sizeof(uint32_t),
                    .shadow = (size_t)shadow_side(p) * shadow_side(p) * sizeof(float),
                    .image = pixels * sizeof(rni_vec),
                    .walls = (canvas->wall_count + (size_t)1) * sizeof(rni_wall),
                    .wall_seen = (canvas->wall_count + (size_t)1) * 2 * sizeof(rni_rect),
                    .value = canvas->shown ? p->frame.count * sizeof(float) : 0};
}

static bool take_blocks(rni_canvas *canvas)
{
    blocks b = blocks_of(canvas);
    canvas->depth = rni_memory_take(&canvas->memory, b.depth);
    canvas->surface = rni_memory_take(&canvas->memory, b.surface);
    canvas->shadow = rni_memory_take(&canvas->memory, b.shadow);
    canvas->image = rni_memory_take(&canvas->memory, b.image);
    canvas->walls = rni_memory_take(&canvas->memory, b.walls);
    canvas->wall_seen = rni_memory_take(&canvas->memory, b.wall_seen);
    if (canvas->shown) canvas->value = rni_memory_take(&canvas->memory, b.value);
    return canvas->depth && canvas->surface && canvas->shadow && canvas->image && canvas->walls &&
           canvas->wall_seen && (canvas->value || !canvas->shown);
}

static void give_blocks(rni_canvas *canvas)
{
    blocks b = blocks_of(canvas);
    rni_memory_give(&canvas->memory, canvas->depth, b.depth);
    rni_memory_give(&canvas->memory, canvas->surface, b.surface);
    rni_memory_give(&canvas->memory, canvas->shadow, b.shadow);
    rni_memory_give(&canvas->memory, canvas->image, b.image);
    rni_memory_give(&canvas->memory, canvas->walls, b.walls);
    rni_memory_give(&canvas->memory, canvas->wall_seen, b.wall_seen);
    rni_memory_give(&canvas->memory, canvas->value, b.value);
}

typedef struct encode {
    const rni_canvas *canvas;
    uint8_t *rgba;
    uint8_t table[4096];
} encode;

static uint8_t byte_of(const encode *e, float linear)
{
    return e->table[(uint32_t)(sqrtf(rni_clamp(linear, 0, 1)) * 4095 + 0.5f)];
}

static void encode_row(void *data, uint32_t y, uint32_t worker)
{
    (void)worker;
    const encode *e = data;
    uint32_t width = e->canvas->picture->width;
    for (uint32_t x = 0; x < width; x++) {
        rni_vec c = e->canvas->image[(size_t)y * width + x];
        uint8_t *to = e->rgba + ((size_t)y * width + x) * 4;
        to[0] = byte_of(e, c.x);
        to[1] = byte_of(e, c.y);
        to[2] = byte_of(e, c.z);
        to[3] = 255;
    }
}

/* The picture, stage by stage. */
static rn_result draw(rni_canvas *canvas, uint8_t *rgba)
{
    const rn_frame *frame = &canvas->picture->frame;
    if (canvas->shown) rn_frame_get_scalars(frame, canvas->shown, 0, frame->count, canvas->value);
    canvas->strip = rni_label_height(canvas->picture);
    canvas->head = rni_title_height(canvas->picture);
    rni_camera_find_scene(canvas);
    rn_result result = rni_camera_place(canvas);
    if (result != RN_OK) return result;
    rni_camera_place_light(canvas, shadow_side(canvas->picture));
    rni_range_find(canvas);
    for (uint32_t k = 0; k < 256; k++)
        canvas->color_table[k] =
            rni_canvas_has_fluids(canvas)
                ? rni_fluid_color(canvas->picture, k * canvas->picture->fluid_count / 256)
                : rni_color_map(canvas->colors, (float)k / 255);
    rni_walls_prepare(canvas);
    rni_light_prepare(canvas);
    result = rni_splat(canvas, &canvas->camera, canvas->depth, canvas->surface);
    if (result == RN_OK) result = rni_splat(canvas, &canvas->light, canvas->shadow, NULL);
    if (result != RN_OK) return result;
    rni_walls_choose_glass(canvas);
    rni_walls_draw(canvas);
    rni_walls_shadow(canvas);
    rni_shade(canvas);
    rni_edges_draw(canvas);
    rni_label_draw(canvas);
    encode e = {.canvas = canvas, .rgba = rgba};
    rni_color_srgb_table(e.table);
    rni_crew_pieces(canvas->crew, canvas->picture->height, encode_row, &e);
    return RN_OK;
}

rn_result rni_picture_render(const rni_picture *picture, uint8_t *rgba)
{
    rni_picture full = *picture;
    if (!(full.radius > 0)) full.radius = RNI_PICTURE_RADIUS * full.frame.spacing;
    rni_canvas canvas = {.picture = &full};
    rn_result result = rni_canvas_check(&canvas);
    if (result != RN_OK) return result;
    canvas.wall_count = picture->walls == RNI_WALLS_NONE ? 0 : picture->solid_count;
    result = rni_memory_init(&canvas.memory, &(rn_allocator){0});
    if (result == RN_OK)
        result = rni_crew_create(&canvas.memory, picture->threads, &(rn_tasks){0}, &canvas.crew);
    if (result != RN_OK) return result;
    result = take_blocks(&canvas) ? draw(&canvas, rgba) : RN_ERROR_MEMORY;
    give_blocks(&canvas);
    rni_crew_destroy(canvas.crew);
    return result;
}
