#include "render/camera_path.h"
#include "render/canvas.h"

#include <string.h>

/* Between b and c at part 0 to 1, with the slopes of their neighbours in time. */
static float between(const double time[4], const float v[4], float part)
{
    double span = time[2] - time[1];
    double before = (double)(v[2] - v[0]) * span / (time[2] - time[0]);
    double after = (double)(v[3] - v[1]) * span / (time[3] - time[1]);
    double t = (double)part;
    double t2 = t * t, t3 = t2 * t;
    return (float)((2 * t3 - 3 * t2 + 1) * (double)v[1] + (t3 - 2 * t2 + t) * before +
                   (3 * t2 - 2 * t3) * (double)v[2] + (t3 - t2) * after);
}

static void place_by_keys(const rni_camera_path *path, double time, rni_picture_camera *camera)
{
    uint32_t last = path->key_count - 1, k = 0;
    while (k + 1 < last && path->key[k + 1].time <= time) k++;
    const rni_camera_key *key[4];
    double at[4];
    for (uint32_t n = 0; n < 4; n++) {
        uint32_t place = k + n > 0 ? k + n - 1 : 0;
        key[n] = &path->key[place < last ? place : last];
        at[n] = key[n]->time;
    }
    if (!(at[2] > at[1])) at[2] = at[1] + 1;
    if (!(at[0] < at[2])) at[0] = at[1] - 1;
    if (!(at[3] > at[1])) at[3] = at[2] + 1;
    float part = rni_clamp((float)((time - at[1]) / (at[2] - at[1])), 0, 1);
    for (uint32_t a = 0; a < 3; a++) {
        float eye[4], target[4];
        for (uint32_t n = 0; n < 4; n++) eye[n] = key[n]->eye[a], target[n] = key[n]->target[a];
        camera->eye[a] = between(at, eye, part);
        camera->target[a] = between(at, target, part);
    }
    camera->has_eye = camera->has_target = true;
    if (key[1]->fov > 0 && key[2]->fov > 0)
        camera->fov = rni_mix(key[1]->fov, key[2]->fov, rni_smooth(0, 1, part));
}

/* Where the picture's own camera is, found as the picture finds it. */
static rn_result find_camera(const rni_picture *picture, rni_canvas *canvas)
{
    rni_picture full = *picture;
    if (!(full.radius > 0)) full.radius = RNI_PICTURE_RADIUS * full.frame.spacing;
    *canvas = (rni_canvas){.picture = &full, .wall_count = picture->solid_count};
    rn_result result = rni_canvas_check(canvas);
    if (result != RN_OK) return result;
    rni_camera_find_scene(canvas);
    result = rni_camera_place(canvas);
    canvas->picture = picture;
    return result;
}

rn_result rni_camera_hold(rni_picture *picture)
{
    rni_canvas canvas;
    if (picture->has_scene) return RN_OK;
    rn_result result = find_camera(picture, &canvas);
    if (result != RN_OK) return result;
    memcpy(picture->scene_low, &canvas.scene.low, sizeof picture->scene_low);
    memcpy(picture->scene_high, &canvas.scene.high, sizeof picture->scene_high);
    picture->has_scene = true;
    return RN_OK;
}

static rn_result place_by_orbit(float degrees, rni_picture *picture)
{
    rni_canvas canvas;
    rn_result result = find_camera(picture, &canvas);
    if (result != RN_OK) return result;
    rni_vec middle = rni_scale(rni_add(canvas.scene.low, canvas.scene.high), 0.5f);
    rni_vec eye = canvas.camera.origin;
    rni_picture_camera *camera = &picture->camera;
    if (camera->has_target) {
        middle = rni_vec_of(camera->target);
    } else {
        /* The point of the view axis that is nearest to the middle of the scene. */
        float along = rni_dot(rni_sub(middle, eye), canvas.camera.forward);
        middle = rni_along(eye, canvas.camera.forward, along);
    }
    float angle = degrees * 0.017453293f;
    rni_vec from = rni_sub(eye, middle);
    rni_vec turned = {from.x * cosf(angle) + from.z * sinf(angle), from.y,
                      from.z * cosf(angle) - from.x * sinf(angle)};
    eye = rni_add(middle, turned);
    camera->has_eye = camera->has_target = true;
    memcpy(camera->eye, &eye, sizeof eye);
    memcpy(camera->target, &middle, sizeof middle);
    return RN_OK;
}

rn_result rni_camera_path_place(const rni_camera_path *path, double time, double share,
                                rni_picture *picture)
{
    if (picture->frame.dim != 3) return RN_OK;
    if (path->key_count > 0) place_by_keys(path, time, &picture->camera);
    float degrees = path->orbit * (float)share;
    return degrees != 0 ? place_by_orbit(degrees, picture) : RN_OK;
}
