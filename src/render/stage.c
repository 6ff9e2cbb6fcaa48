#include "render/stage.h"

#include "base/error.h"

#include <string.h>

/* Materials of solids without one of their own: colours for what stands in the water. */
static const char *const accents[] = {"red", "yellow", "teal"};

rn_result rni_stage_put(rni_stage *stage, const rni_object *object)
{
    rni_studio *studio = stage->studio;
    uint64_t need = (uint64_t)stage->object_count + 1;
    rn_result result =
        rni_buffer_grow(&studio->memory, &studio->objects, need, sizeof *stage->object);
    if (result != RN_OK) return result;
    stage->object = studio->objects.data;
    stage->object[stage->object_count++] = *object;
    if (object->mesh.index_count == 0) return RN_OK;
    return rni_tracer_add_mesh(studio->tracer, &object->mesh, object->pose, stage->object_count - 1);
}

static const rni_finish *material_of(const rni_shot *shot, uint32_t mesh, uint32_t *accent)
{
    const rni_finish *given = shot->wall_material ? shot->wall_material[mesh] : NULL;
    if (given) return given;
    const char *shape = shot->picture.frame.triangles[mesh].name;
    bool is_round = shape && (strcmp(shape, "sphere") == 0 || strcmp(shape, "cylinder") == 0 ||
                              strcmp(shape, "capsule") == 0);
    return rni_finish_find(is_round ? accents[(*accent)++ % 3] : "plastic");
}

static rn_result add_walls(rni_stage *stage)
{
    const rni_shot *shot = stage->shot;
    const rn_frame *frame = &shot->picture.frame;
    uint32_t accent = 0;
    if (shot->picture.walls == RNI_WALLS_NONE) return RN_OK;
    for (uint32_t k = 0; k < frame->pose_count; k++) {
        uint32_t mesh = frame->pose[k].triangles;
        const rni_finish *material = material_of(shot, mesh, &accent);
        if (shot->picture.walls == RNI_WALLS_GLASS) material = rni_finish_find("glass");
        rni_object object = {.material = *material,
                             .mesh = frame->triangles[mesh],
                             .pose = &frame->pose[k],
                             .value = shot->wall_value ? shot->wall_value[mesh] : NULL};
        rn_result result = rni_stage_put(stage, &object);
        if (result != RN_OK) return result;
    }
    return rni_stage_add_tank(stage);
}

/* The camera of the picture without title and caption. */
static rn_result place_camera(rni_stage *stage)
{
    rni_canvas *canvas = &stage->canvas;
    canvas->picture = &stage->shot->picture;
    canvas->wall_count = stage->shot->picture.solid_count;
    rn_result result = rni_canvas_check(canvas);
    if (result != RN_OK) return result;
    rni_camera_find_scene(canvas);
    result = rni_camera_place(canvas);
    stage->size = canvas->size;
    stage->floor = canvas->floor;
    stage->epsilon = 2e-5f * canvas->size;
    return result;
}

/* To the left, beyond the scene, so that water glitters and is lit through; some way up. */
static void place_sun(rni_stage *stage)
{
    const rni_view *view = &stage->canvas.camera;
    rni_vec ahead = rni_unit((rni_vec){view->forward.x, 0, view->forward.z});
    if (!(rni_length(ahead) > 0.5f)) ahead = (rni_vec){0, 0, -1};
    rni_vec right = {-ahead.z, 0, ahead.x};
    rni_vec sun = rni_along(rni_scale(right, -0.75f), ahead, 0.34f);
    sun.y += 1.05f;
    stage->sun = rni_unit(sun);
}

/* A side of about a quarter of the scene: 1, 2 or 5 times a power of ten. */
static float tile_side(float size)
{
    float about = 0.3f * size;
    float power = powf(10, floorf(log10f(about)));
    float part = about / power;
    return power * (part < 1.5f ? 1 : part < 3.5f ? 2 : 5);
}

/* Refuses a camera inside a solid, from where there is nothing to see. */
static rn_result check_eye(const rni_stage *stage)
{
    const rni_picture *p = &stage->shot->picture;
    rni_vec eye = stage->canvas.camera.origin;
    float at[3] = {eye.x, eye.y, eye.z};
    for (uint32_t s = 0; s < p->solid_count && p->walls == RNI_WALLS_SOLID; s++) {
        if (rni_solid_may_hold_water(&p->solids[s])) continue;
        if (rni_solid_exact_distance(&p->solids[s], 3, at) < 0)
            return rni_fail(RN_ERROR_ARGUMENT,
                            "the camera at (%g, %g, %g) is inside solid %u (%s); move it out, or use "
                            "--walls none",
                            (double)eye.x, (double)eye.y, (double)eye.z, s,
                            rni_solid_shape_name(p->solids[s].shape));
    }
    if (eye.y > stage->floor) return RN_OK;
    return rni_fail(RN_ERROR_ARGUMENT,
                    "the camera at (%g, %g, %g) is below the ground, which is at y = %g; move it up",
                    (double)eye.x, (double)eye.y, (double)eye.z, (double)stage->floor);
}

rn_result rni_stage_begin(rni_stage *stage, rni_studio *studio, const rni_shot *shot)
{
    *stage = (rni_stage){.shot = shot, .studio = studio};
    rn_result result = place_camera(stage);
    if (result == RN_OK) result = check_eye(stage);
    if (result != RN_OK) return result;
    place_sun(stage);
    stage->tile = tile_side(stage->size);
    stage->absorption = shot->water->absorption;
    if (shot->water->is_relative) stage->absorption = rni_scale(stage->absorption, 1 / stage->size);
    rni_tracer_clear(studio->tracer);
    return add_walls(stage);
}

rn_result rni_stage_commit(rni_stage *stage)
{
    return rni_tracer_commit(stage->studio->tracer);
}

rni_ray rni_stage_leave(const rni_stage *stage, const rni_surface_at *at, rni_vec direction)
{
    float side = rni_dot(at->face, direction) >= 0 ? stage->epsilon : -stage->epsilon;
    return (rni_ray){rni_along(at->place, at->face, side), direction};
}

/* --- what a ray meets ---------------------------------------------------------------------------------- */

static const float *row_of(const rn_triangles *mesh, const float *first, uint32_t vertex)
{
    size_t stride = mesh->stride ? mesh->stride : 3 * sizeof(float);
    return (const float *)(const void *)((const char *)first + vertex * stride);
}

/* The smooth normal of a vertex of the water that lies on a side of the domain points along the side, so
 * that the water line is level there; unless the whole triangle lies on the side. */
static rni_vec along_sides(rni_vec normal, uint32_t marks, uint32_t common)
{
    if (marks & ~common & 3u) normal.x = 0;
    if (marks & ~common & 12u) normal.y = 0;
    if (marks & ~common & 48u) normal.z = 0;
    return rni_unit(normal);
}

static rni_vec smooth_normal(const rni_object *object, const rni_tracer_hit *hit)
{
    const rn_triangles *mesh = &object->mesh;
    const uint32_t *corner = mesh->index + 3 * (size_t)hit->triangle;
    float weight[3] = {1 - hit->u - hit->v, hit->u, hit->v};
    const rni_marks *marks = object->marks;
    uint32_t common = marks ? (uint32_t)marks[corner[0]] & marks[corner[1]] & marks[corner[2]] : 0;
    if (common) return hit->normal;
    rni_vec sum = {0, 0, 0};
    for (uint32_t k = 0; k < 3; k++) {
        rni_vec n = rni_vec_of(row_of(mesh, mesh->normal, corner[k]));
        if (marks && marks[corner[k]]) n = along_sides(n, marks[corner[k]], common);
        sum = rni_along(sum, n, weight[k]);
    }
    if (object->pose) sum = rni_pose_turn(object->pose, sum);
    return rni_length(sum) > 0.05f ? rni_unit(sum) : hit->normal;
}

static float value_at(const rni_object *object, const rni_tracer_hit *hit)
{
    if (!object->value) return -1;
    const uint32_t *corner = object->mesh.index + 3 * (size_t)hit->triangle;
    return (1 - hit->u - hit->v) * object->value[corner[0]] + hit->u * object->value[corner[1]] +
           hit->v * object->value[corner[2]];
}

static void describe(const rni_stage *stage, rni_ray ray, const rni_tracer_hit *hit,
                     rni_surface_at *at)
{
    const rni_object *object = &stage->object[hit->object];
    rni_vec face = hit->normal;
    rni_vec normal = object->mesh.normal ? smooth_normal(object, hit) : face;
    at->is_inside = rni_dot(face, ray.direction) > 0;
    if (at->is_inside) face = rni_scale(face, -1);
    if (rni_dot(normal, face) < 0) normal = rni_scale(normal, -1);
    /* A smooth normal that looks away from the ray: turned until it does not. */
    float toward = rni_dot(normal, ray.direction);
    if (toward > -0.02f) normal = rni_unit(rni_along(normal, ray.direction, -(toward + 0.02f)));
    at->face = face;
    at->normal = normal;
    at->material = &object->material;
    at->color = object->material.color;
    at->value = value_at(object, hit);
    if (stage->shows_films && at->value >= 0) at->color = rni_film_color(at->color, at->value);
}

bool rni_stage_meet(const rni_stage *stage, rni_ray ray, float far, rni_surface_at *at)
{
    static const rni_finish ground = {
        .name = rni_ground_name, .about = "tiles", .kind = RNI_FINISH_DIFFUSE};
    rni_tracer_hit hit;
    float plane = ray.direction.y < 0 ? (stage->floor - ray.origin.y) / ray.direction.y : -1;
    bool has_ground = plane > stage->epsilon && plane < far;
    if (has_ground) far = plane;
    if (rni_tracer_hit_at(stage->studio->tracer, ray, 0, far, &hit)) {
        at->distance = hit.distance;
        at->place = rni_along(ray.origin, ray.direction, hit.distance);
        describe(stage, ray, &hit, at);
        return true;
    }
    if (!has_ground) return false;
    at->distance = plane;
    at->place = rni_along(ray.origin, ray.direction, plane);
    at->place.y = stage->floor;
    at->normal = at->face = (rni_vec){0, 1, 0};
    at->is_inside = false;
    at->material = &ground;
    at->color = rni_ground_color(stage, at->place);
    at->value = -1;
    return true;
}
