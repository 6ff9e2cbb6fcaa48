/* What the picture shows, the position of the camera, and the direction of the light. */
#include "render/canvas.h"

#include "base/error.h"

#define FOV_STANDARD 28.0f  /* degrees: a mild telephoto, upright edges stay nearly upright */
#define AZIMUTH      0.52f  /* rad, from the front towards the right */
#define ELEVATION    0.36f  /* rad above the horizon */
#define MARGIN       0.045f /* share of the picture's shorter side left free around the scene */
#define DEGREE       0.017453293f

static rni_box box_of_water(const rni_canvas *canvas)
{
    rni_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t i = 0; i < canvas->picture->frame.count; i++) {
        rni_vec p = rni_canvas_position(canvas, i);
        box.low = rni_vec_low(box.low, p);
        box.high = rni_vec_high(box.high, p);
    }
    float r = canvas->picture->radius;
    rni_vec margin = {r, r, canvas->picture->frame.dim == 3 ? r : 0};
    return (rni_box){rni_sub(box.low, margin), rni_add(box.high, margin)};
}

static float diagonal(rni_box box)
{
    return rni_length(rni_sub(box.high, box.low));
}

/* The highest that a solid can reach; those without an end do not count. */
static float top_of(const rn_solid *solid, uint32_t dim)
{
    rni_solid placed;
    if (rni_solid_place(solid, dim, &placed) != RN_OK || !placed.kind->reach) return -INFINITY;
    return placed.center[1] + placed.kind->reach(&placed);
}

/* Leaves out most of the empty space above water and solids. */
static float find_top(const rni_canvas *canvas)
{
    const rni_picture *p = canvas->picture;
    float low = canvas->domain.low.y;
    float height = canvas->domain.high.y - low;
    float top = p->frame.count > 0 ? canvas->water.high.y : low;
    for (uint32_t s = 0; s < canvas->wall_count; s++)
        top = fmaxf(top, top_of(&p->solids[s], p->frame.dim));
    return fminf(low + fmaxf(0.5f * height, 1.35f * (top - low)), canvas->domain.high.y);
}

/* Meshes and hollow solids hold the water: what they fill of the domain is what there is to see. */
static bool find_vessel(const rni_canvas *canvas, rni_box *box)
{
    const rni_picture *p = canvas->picture;
    bool is_vessel = false;
    *box = (rni_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t s = 0; s < canvas->wall_count; s++) {
        rni_solid placed;
        float low[3], high[3];
        if (rni_solid_place(&p->solids[s], p->frame.dim, &placed) != RN_OK || !placed.kind->bounds)
            return false;
        placed.kind->bounds(&placed, low, high);
        is_vessel = is_vessel || rni_solid_may_hold_water(&p->solids[s]);
        box->low = rni_vec_low(box->low, rni_vec_of(low));
        box->high = rni_vec_high(box->high, rni_vec_of(high));
    }
    if (!is_vessel || !canvas->has_domain) return false;
    box->low = rni_vec_high(box->low, canvas->domain.low);
    box->high = rni_vec_low(box->high, canvas->domain.high);
    return box->low.x < box->high.x && box->low.y < box->high.y && box->low.z < box->high.z;
}

void rni_camera_find_scene(rni_canvas *canvas)
{
    const rni_picture *p = canvas->picture;
    canvas->domain = (rni_box){rni_vec_of(p->frame.domain_low), rni_vec_of(p->frame.domain_high)};
    if (p->frame.dim == 2) canvas->domain.low.z = canvas->domain.high.z = 0;
    canvas->has_domain = diagonal(canvas->domain) > 0;
    canvas->water = canvas->domain;
    if (p->frame.count > 0) canvas->water = box_of_water(canvas);
    if (!canvas->has_domain) canvas->domain = canvas->water;
    /* Little water in a large domain: the camera shows the water. */
    bool is_puddle = p->frame.count > 0 && diagonal(canvas->water) < 0.15f * diagonal(canvas->domain);
    canvas->scene = is_puddle && canvas->wall_count == 0 ? canvas->water : canvas->domain;
    if (!is_puddle && p->frame.dim == 3 && p->frame.count + canvas->wall_count > 0)
        canvas->scene.high.y = find_top(canvas);
    rni_box vessel;
    if (p->frame.dim == 3 && find_vessel(canvas, &vessel)) {
        vessel.high.y = fmaxf(vessel.high.y, fminf(canvas->scene.high.y, canvas->water.high.y));
        canvas->scene = vessel;
    }
    if (p->has_scene)
        canvas->scene = (rni_box){rni_vec_of(p->scene_low), rni_vec_of(p->scene_high)};
    canvas->size = diagonal(canvas->scene);
    canvas->floor = canvas->domain.low.y;
}

/* Corner k of 8. */
static rni_vec corner(rni_box box, uint32_t k)
{
    return (rni_vec){k & 1 ? box.high.x : box.low.x, k & 2 ? box.high.y : box.low.y,
                     k & 4 ? box.high.z : box.low.z};
}

static rni_vec middle(rni_box box)
{
    return rni_scale(rni_add(box.low, box.high), 0.5f);
}

static void look_along(rni_view *view, rni_vec forward, rni_vec up)
{
    rni_vec sky = rni_length(up) > 0 ? rni_unit(up) : (rni_vec){0, 1, 0};
    if (fabsf(rni_dot(forward, sky)) > 0.9995f * rni_length(forward)) {
        rni_vec other = {0, 0, -1};
        sky = fabsf(sky.z) < 0.9f ? other : (rni_vec){0, 1, 0};
    }
    view->forward = rni_unit(forward);
    view->right = rni_unit(rni_cross(view->forward, sky));
    view->up = rni_cross(view->right, view->forward);
}

/* The free part of the picture in tangents (or, flat, in shares of the height) from its middle. */
typedef struct opening {
    float left, right, top, bottom;
} opening;

static opening opening_of(const rni_canvas *canvas, float samples_per_unit)
{
    const rni_view *view = &canvas->camera;
    float width = (float)view->width;
    float height = (float)view->height;
    float margin = MARGIN * fminf(width, height);
    float foot = fmaxf(canvas->strip * (float)RNI_SAMPLES_PER_SIDE, margin);
    float head = fmaxf(canvas->head * (float)RNI_SAMPLES_PER_SIDE, margin);
    return (opening){.left = (view->middle_x - margin) / samples_per_unit,
                     .right = (width - margin - view->middle_x) / samples_per_unit,
                     .top = (view->middle_y - head) / samples_per_unit,
                     .bottom = (height - foot - view->middle_y) / samples_per_unit};
}

/* Moves the eye along the view's axes until every corner of the scene is just inside the opening.
 * With e the eye and x, z a corner in view axes: x - ex <= right (z - ez), and so for the others;
 * of the greatest left sides two opposite ones give ez, the middle between them ex. */
static void fit_deep(rni_canvas *canvas)
{
    rni_view *view = &canvas->camera;
    opening o = opening_of(canvas, view->scale);
    float right = -INFINITY;
    float left = -INFINITY;
    float top = -INFINITY;
    float bottom = -INFINITY;
    view->origin = middle(canvas->scene);
    for (uint32_t k = 0; k < 8; k++) {
        rni_vec c = rni_view_place(view, corner(canvas->scene, k));
        right = fmaxf(right, c.x - o.right * c.z);
        left = fmaxf(left, -c.x - o.left * c.z);
        top = fmaxf(top, c.y - o.top * c.z);
        bottom = fmaxf(bottom, -c.y - o.bottom * c.z);
    }
    float back = fminf(-(right + left) / (o.right + o.left), -(top + bottom) / (o.top + o.bottom));
    float across = 0.5f * (right + o.right * back - left - o.left * back);
    float up = 0.5f * (top + o.top * back - bottom - o.bottom * back);
    view->origin = rni_along(view->origin, view->forward, back);
    view->origin = rni_along(view->origin, view->right, across);
    view->origin = rni_along(view->origin, view->up, up);
}

static void fit_flat(rni_canvas *canvas)
{
    rni_view *view = &canvas->camera;
    opening o = opening_of(canvas, 1);
    rni_vec side = rni_sub(canvas->scene.high, canvas->scene.low);
    rni_vec center = middle(canvas->scene);
    view->scale = fminf((o.left + o.right) / fmaxf(side.x, 1e-6f * canvas->size),
                        (o.top + o.bottom) / fmaxf(side.y, 1e-6f * canvas->size));
    view->step = 1 / view->scale;
    view->origin = (rni_vec){center.x + 0.5f * (o.left - o.right) / view->scale,
                             center.y + 0.5f * (o.bottom - o.top) / view->scale, canvas->size};
}

static rni_vec standard_direction(rni_box scene)
{
    rni_vec side = rni_sub(scene.high, scene.low);
    rni_vec from = {sinf(AZIMUTH) * cosf(ELEVATION), sinf(ELEVATION),
                    cosf(AZIMUTH) * cosf(ELEVATION)};
    if (side.z > 1.25f * side.x)
        from = (rni_vec){from.z, from.y, -from.x}; /* look at its long side */
    return rni_scale(from, -1);
}

static void frame_flat(rni_canvas *canvas)
{
    rni_view *view = &canvas->camera;
    view->is_flat = true;
    look_along(view, (rni_vec){0, 0, -1}, (rni_vec){0, 1, 0});
    fit_flat(canvas);
}

rn_result rni_camera_place(rni_canvas *canvas)
{
    const rni_picture *p = canvas->picture;
    const rni_picture_camera *wish = &p->camera;
    rni_view *view = &canvas->camera;
    *view = (rni_view){.width = p->width * RNI_SAMPLES_PER_SIDE,
                       .height = p->height * RNI_SAMPLES_PER_SIDE,
                       .near_depth = 1e-3f * canvas->size};
    view->middle_x = 0.5f * (float)view->width;
    view->middle_y = 0.5f * (float)view->height;
    if (p->frame.dim == 2) {
        frame_flat(canvas);
        return RN_OK;
    }
    float fov = wish->fov > 0 ? wish->fov : FOV_STANDARD;
    view->scale = 0.5f * (float)view->height / tanf(0.5f * fov * DEGREE);
    view->step = 1 / view->scale;
    rni_vec target = wish->has_target ? rni_vec_of(wish->target) : middle(canvas->scene);
    if (!wish->has_eye) {
        look_along(view, standard_direction(canvas->scene), rni_vec_of(wish->up));
        fit_deep(canvas);
        if (wish->has_target)
            view->origin = rni_add(view->origin, rni_sub(target, middle(canvas->scene)));
        return RN_OK;
    }
    /* The angle is that of the part between title and caption, with the target in its middle. */
    float head = canvas->head * (float)RNI_SAMPLES_PER_SIDE;
    float foot = canvas->strip * (float)RNI_SAMPLES_PER_SIDE;
    view->middle_y += 0.5f * (head - foot);
    view->scale *= ((float)view->height - head - foot) / (float)view->height;
    view->step = 1 / view->scale;
    view->origin = rni_vec_of(wish->eye);
    rni_vec forward = rni_sub(target, view->origin);
    if (!(rni_length(forward) > 1e-6f * canvas->size))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "the camera at (%g, %g, %g) is at its target; move one of them",
                        (double)wish->eye[0], (double)wish->eye[1], (double)wish->eye[2]);
    look_along(view, forward, rni_vec_of(wish->up));
    return RN_OK;
}

void rni_camera_place_light(rni_canvas *canvas, uint32_t side)
{
    const rni_view *camera = &canvas->camera;
    rni_view *light = &canvas->light;
    rni_vec back = {-camera->forward.x, 0, -camera->forward.z};
    rni_vec lamp = rni_scale(camera->right, -0.62f);
    lamp = rni_along(lamp, rni_unit(back), 0.42f);
    lamp.y += 1;
    if (camera->is_flat) lamp = (rni_vec){-0.5f, 0.8f, 1.1f};
    canvas->to_light = rni_unit(lamp);
    *light = (rni_view){.is_flat = true, .width = side, .height = side, .near_depth = -INFINITY};
    light->middle_x = light->middle_y = 0.5f * (float)side;
    look_along(light, rni_scale(canvas->to_light, -1), (rni_vec){0, 1, 0});
    rni_box lit = canvas->scene;
    lit.low = rni_vec_low(lit.low, canvas->water.low);
    lit.high = rni_vec_high(lit.high, canvas->water.high);
    light->origin = middle(lit);
    float reach = 0;
    for (uint32_t k = 0; k < 8; k++) {
        rni_vec c = rni_view_place(light, corner(lit, k));
        reach = fmaxf(reach, fmaxf(fabsf(c.x), fabsf(c.y)));
    }
    light->scale = 0.49f * (float)side / reach;
    light->step = 1 / light->scale;
}
