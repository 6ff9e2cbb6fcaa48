/* Keyframes of a camera:
 *     {"keys": [{"time": 0, "eye": [1, 1, 2], "target": [0, 0, 0], "fov": 30}, ...]}
 * time: s of the video; fov may be left out. */
#include "cli/render.h"

#include "base/error.h"

#include <jansson.h>
#include <math.h>

static bool read_place(const json_t *key, const char *name, float place[3])
{
    const json_t *list = json_object_get(key, name);
    if (!json_is_array(list) || json_array_size(list) != 3) return false;
    for (uint32_t k = 0; k < 3; k++) {
        double value = json_number_value(json_array_get(list, k));
        if (!json_is_number(json_array_get(list, k)) || !(fabs(value) < 1e6)) return false;
        place[k] = (float)value;
    }
    return true;
}

static rn_result read_key(const char *path, const json_t *from, uint32_t place, rni_camera_path *keys)
{
    rni_camera_key *key = &keys->key[place];
    const json_t *time = json_object_get(from, "time"), *fov = json_object_get(from, "fov");
    *key = (rni_camera_key){.time = json_number_value(time), .fov = (float)json_number_value(fov)};
    if (!json_is_number(time) || key->time < 0 ||
        (place > 0 && !(key->time > keys->key[place - 1].time)))
        return rni_fail(
            RN_ERROR_FILE,
            "%s: keys.%u.time: should be a number of seconds, later than that of the key before",
            path, place);
    if (fov && !(json_is_number(fov) && key->fov >= 1 && key->fov <= 150))
        return rni_fail(RN_ERROR_FILE, "%s: keys.%u.fov: should be 1 to 150 degrees", path, place);
    if (!read_place(from, "eye", key->eye) || !read_place(from, "target", key->target))
        return rni_fail(RN_ERROR_FILE,
                        "%s: keys.%u: eye and target should be three numbers each, e.g. [1, 0.5, 2]",
                        path, place);
    return RN_OK;
}

rn_result rni_render_read_keys(const char *path, rni_camera_path *keys)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (!root)
        return error.line > 0 ? rni_fail(RN_ERROR_FILE, "%s:%d:%d: %s", path, error.line,
                                         error.column, error.text)
                              : rni_fail(RN_ERROR_FILE, "%s: %s", path, error.text);
    const json_t *list = json_object_get(root, "keys");
    size_t count = json_array_size(list);
    rn_result result = RN_OK;
    if (count < 1 || count > RNI_CAMERA_KEYS)
        result = rni_fail(RN_ERROR_FILE, "%s: keys: should be a list of 1 to %u keyframes", path,
                          RNI_CAMERA_KEYS);
    for (uint32_t k = 0; k < count && result == RN_OK; k++)
        result = read_key(path, json_array_get(list, k), k, keys);
    if (result == RN_OK) keys->key_count = (uint32_t)count;
    json_decref(root);
    return result;
}
