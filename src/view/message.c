#include "view/message.h"

#include "base/error.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Largest length, speed and acceleration that a message may hold. */
#define FARTHEST       1e9
#define FRAME_RATE_MAX 60.0

static const char *const VERBS[RNI_VERB_COUNT] = {
    "want", "got",  "control", "pick", "list",  "start", "pause", "step", "restart", "speed",
    "set",  "undo", "redo",    "open", "force", "pour",  "tilt",  "save", "load"};

/* --- single values -------------------------------------------------------------------------------- */

static rn_result read_number(const json_t *root, const char *key, double low, double high,
                             double *value)
{
    const json_t *json = json_object_get(root, key);
    if (!json_is_number(json)) return rni_fail(RN_ERROR_ARGUMENT, "%s is not a number", key);
    *value = json_number_value(json);
    if (!(*value >= low && *value <= high))
        return rni_fail(RN_ERROR_ARGUMENT, "%s is %g; it must be %g to %g", key, *value, low, high);
    return RN_OK;
}

static rn_result read_float(const json_t *root, const char *key, double low, double high, float *value)
{
    double number = 0;
    rn_result result = read_number(root, key, low, high, &number);
    *value = (float)number;
    return result;
}

/* In 2D two numbers are enough. */
static rn_result read_vector(const json_t *root, const char *key, float value[3])
{
    const json_t *json = json_object_get(root, key);
    size_t count = json_array_size(json);
    if (count < 2 || count > 3)
        return rni_fail(RN_ERROR_ARGUMENT, "%s is not a list of three numbers", key);
    value[2] = 0;
    for (size_t a = 0; a < count; a++) {
        const json_t *item = json_array_get(json, a);
        double number = json_number_value(item);
        if (!json_is_number(item) || !(fabs(number) <= FARTHEST))
            return rni_fail(RN_ERROR_ARGUMENT, "%s: item %zu is not a number from -1e9 to 1e9", key,
                            a);
        value[a] = (float)number;
    }
    return RN_OK;
}

static rn_result read_direction(const json_t *root, const char *key, float value[3])
{
    rn_result result = read_vector(root, key, value);
    if (result != RN_OK) return result;
    float length = fabsf(value[0]) + fabsf(value[1]) + fabsf(value[2]);
    return length > 1e-20f ? RN_OK : rni_fail(RN_ERROR_ARGUMENT, "%s has no length", key);
}

static rn_result read_name(const json_t *root, const char *key, char name[RNI_VIEW_NAME_BYTES])
{
    const json_t *json = json_object_get(root, key);
    size_t length = json_string_length(json);
    if (!json_is_string(json) || length == 0)
        return rni_fail(RN_ERROR_ARGUMENT, "%s is missing or not a string", key);
    if (length >= RNI_VIEW_NAME_BYTES || strlen(json_string_value(json)) != length)
        return rni_fail(RN_ERROR_ARGUMENT, "%s is longer than %u bytes or contains a zero byte",
                        key, RNI_VIEW_NAME_BYTES - 1);
    memcpy(name, json_string_value(json), length + 1);
    return RN_OK;
}

static rn_result read_flag(const json_t *root, const char *key, bool *value)
{
    const json_t *json = json_object_get(root, key);
    if (json && !json_is_boolean(json))
        return rni_fail(RN_ERROR_ARGUMENT, "%s must be true or false", key);
    *value = json_is_true(json);
    return RN_OK;
}

rn_result rni_view_name_check(const char *name)
{
    size_t length = strlen(name);
    if (length == 0 || length > 64)
        return rni_fail(RN_ERROR_ARGUMENT, "a name has 1 to 64 bytes; this one has %zu", length);
    if (name[0] == '.' || name[0] == ' ' || name[0] == '-')
        return rni_fail(RN_ERROR_ARGUMENT, "a name must not begin with '%c'", name[0]);
    for (const char *c = name; *c; c++) {
        unsigned char letter = (unsigned char)*c;
        bool is_good = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') || letter >= 0x80 ||
                       strchr(" -_.", (int)letter);
        if (!is_good)
            return rni_fail(RN_ERROR_ARGUMENT,
                            "a name consists of letters, digits, blanks, '-', '_' and '.'; byte %zu "
                            "of this one is none of them",
                            (size_t)(c - name) + 1);
    }
    return RN_OK;
}

/* --- verbs ------------------------------------------------------------------------------------------ */

static rn_result read_attributes(const json_t *root, rni_view_wish *wish)
{
    const json_t *list = json_object_get(root, "attributes"), *name;
    size_t k;
    wish->attribute_count = -1;
    if (!list) return RN_OK;
    if (!json_is_array(list) || json_array_size(list) > RN_FRAME_MAX_ATTRIBUTES)
        return rni_fail(RN_ERROR_ARGUMENT, "attributes is not a list of at most %u names",
                        RN_FRAME_MAX_ATTRIBUTES);
    json_array_foreach(list, k, name)
    {
        size_t length = json_string_length(name);
        if (!json_is_string(name) || length == 0 || length >= RN_ATTRIBUTE_NAME_BYTES ||
            strlen(json_string_value(name)) != length)
            return rni_fail(RN_ERROR_ARGUMENT, "attributes: item %zu is not a name of 1 to %u bytes",
                            k, RN_ATTRIBUTE_NAME_BYTES - 1);
        memcpy(wish->attribute[k], json_string_value(name), length + 1);
    }
    wish->attribute_count = (int32_t)json_array_size(list);
    return RN_OK;
}

static rn_result read_want(const json_t *root, rni_view_wish *wish)
{
    double window = -1;
    *wish = (rni_view_wish){.rate = (double)NAN};
    rn_result result = read_attributes(root, wish);
    if (result == RN_OK && json_object_get(root, "rate"))
        result = read_number(root, "rate", 0, FRAME_RATE_MAX, &wish->rate);
    if (result == RN_OK && json_object_get(root, "window"))
        result = read_number(root, "window", 0, 8, &window);
    wish->window = (int32_t)window;
    return result;
}

static rn_result read_force(const json_t *root, rni_view_order *o)
{
    rn_result result = read_flag(root, "off", &o->is_off);
    if (result != RN_OK || o->is_off) return result;
    result = read_vector(root, "position", o->position);
    if (result == RN_OK) result = read_float(root, "radius", 1e-9, FARTHEST, &o->radius);
    if (result == RN_OK && json_object_get(root, "direction"))
        result = read_vector(root, "direction", o->direction);
    if (result == RN_OK && json_object_get(root, "pull"))
        result = read_float(root, "pull", -FARTHEST, FARTHEST, &o->pull);
    o->has_axis = json_object_get(root, "axis") != NULL;
    if (result == RN_OK && o->has_axis) result = read_direction(root, "axis", o->axis);
    return result;
}

static rn_result read_pour(const json_t *root, rni_view_order *o)
{
    rn_result result = read_flag(root, "off", &o->is_off);
    if (result != RN_OK || o->is_off) return result;
    result = read_vector(root, "position", o->position);
    if (result == RN_OK) result = read_direction(root, "direction", o->direction);
    if (result == RN_OK) result = read_float(root, "radius", 1e-9, FARTHEST, &o->radius);
    if (result == RN_OK) result = read_float(root, "speed", 0, 1e5, &o->speed);
    return result;
}

static rn_result read_pick(const json_t *root, rni_view_order *o)
{
    rn_result result = read_flag(root, "off", &o->is_off);
    if (result != RN_OK || o->is_off) return result;
    double id = 0;
    o->has_id = json_object_get(root, "id") != NULL;
    if (o->has_id) result = read_number(root, "id", 0, UINT32_MAX, &id);
    else result = read_vector(root, "origin", o->position);
    if (result == RN_OK && !o->has_id) result = read_direction(root, "direction", o->direction);
    if (result == RN_OK && id != floor(id))
        result = rni_fail(RN_ERROR_ARGUMENT, "id is %g; it must be a whole number", id);
    if (result == RN_OK) o->id = (uint32_t)id;
    return result;
}

/* "path=value" as the scene's settings have it. */
static rn_result add_setting(rni_view_order *o, const char *path, const json_t *value)
{
    if (strchr(path, '=')) return rni_fail(RN_ERROR_ARGUMENT, "a path must not contain '='");
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    size_t capacity = text ? strlen(path) + strlen(text) + 2 : 0;
    char *setting = text ? malloc(capacity) : NULL;
    if (setting) snprintf(setting, capacity, "%s=%s", path, text);
    free(text);
    if (!setting) return rni_fail(RN_ERROR_MEMORY, "no memory for a setting");
    o->settings[o->setting_count++] = setting;
    return RN_OK;
}

static rn_result read_set(const json_t *root, rni_view_order *o)
{
    const json_t *value = json_object_get(root, "value");
    rn_result result = read_name(root, "path", o->name);
    if (result != RN_OK) return result;
    if (!value || json_is_null(value)) return rni_fail(RN_ERROR_ARGUMENT, "value is missing");
    o->settings = calloc(1, sizeof *o->settings);
    if (!o->settings) return rni_fail(RN_ERROR_MEMORY, "no memory for a setting");
    return add_setting(o, o->name, value);
}

static rn_result read_open(json_t *root, rni_view_order *o)
{
    json_t *scene = json_object_get(root, "scene");
    json_t *settings = json_object_get(root, "set");
    const char *path;
    json_t *value;
    if (scene) {
        if (!json_is_object(scene)) return rni_fail(RN_ERROR_ARGUMENT, "scene is not an object");
        o->scene = json_dumps(scene, JSON_INDENT(2));
        if (!o->scene) return rni_fail(RN_ERROR_MEMORY, "no memory for the scene");
    }
    if (!scene || json_object_get(root, "name")) {
        rn_result result = read_name(root, "name", o->name);
        if (result != RN_OK) return result;
    }
    if (!settings) return RN_OK;
    if (!json_is_object(settings)) return rni_fail(RN_ERROR_ARGUMENT, "set is not an object");
    size_t count = json_object_size(settings);
    if (count > RNI_VIEW_MAX_SETTINGS)
        return rni_fail(RN_ERROR_ARGUMENT, "set has %zu values; at most %u are allowed", count,
                        RNI_VIEW_MAX_SETTINGS);
    o->settings = calloc(count + 1, sizeof *o->settings);
    if (!o->settings) return rni_fail(RN_ERROR_MEMORY, "no memory for the settings");
    json_object_foreach(settings, path, value)
    {
        rn_result result = add_setting(o, path, value);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

static rn_result read_save(const json_t *root, rni_view_order *o)
{
    const char *kind = json_string_value(json_object_get(root, "kind"));
    rn_result result = read_name(root, "name", o->name);
    if (result == RN_OK) result = rni_view_name_check(o->name);
    if (result == RN_OK) result = read_flag(root, "replace", &o->replaces);
    if (result != RN_OK) return result;
    o->is_scene = kind && strcmp(kind, "scene") == 0;
    if (!kind || (!o->is_scene && strcmp(kind, "checkpoint") != 0))
        return rni_fail(RN_ERROR_ARGUMENT, "kind must be \"checkpoint\" or \"scene\"");
    return RN_OK;
}

static rn_result read_load(const json_t *root, rni_view_order *o)
{
    rn_result result = read_name(root, "name", o->name);
    return result == RN_OK ? rni_view_name_check(o->name) : result;
}

static rn_result read_verb(json_t *root, rni_view_order *o)
{
    switch (o->verb) {
    case RNI_VERB_WANT: return read_want(root, &o->wish);
    case RNI_VERB_CONTROL: return read_flag(root, "off", &o->is_off);
    case RNI_VERB_PICK: return read_pick(root, o);
    case RNI_VERB_SPEED: return read_number(root, "speed", 0, 1e6, &o->pace);
    case RNI_VERB_SET: return read_set(root, o);
    case RNI_VERB_OPEN: return read_open(root, o);
    case RNI_VERB_FORCE: return read_force(root, o);
    case RNI_VERB_POUR: return read_pour(root, o);
    case RNI_VERB_TILT: return read_vector(root, "gravity", o->direction);
    case RNI_VERB_SAVE: return read_save(root, o);
    case RNI_VERB_LOAD: return read_load(root, o);
    default: return RN_OK;
    }
}

rn_result rni_view_order_read(const char *text, size_t bytes, rni_view_order *order)
{
    json_error_t error;
    *order = (rni_view_order){.verb = RNI_VERB_COUNT};
    json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        return rni_fail(RN_ERROR_ARGUMENT, "the message is not JSON: %s (line %d, column %d)",
                        error.text, error.line, error.column);
    const char *type = json_string_value(json_object_get(root, "type"));
    for (uint32_t k = 0; type && k < RNI_VERB_COUNT; k++)
        if (strcmp(type, VERBS[k]) == 0) order->verb = (rni_view_verb)k;
    rn_result result = RN_OK;
    if (!type) result = rni_fail(RN_ERROR_ARGUMENT, "the message has no type");
    else if (order->verb == RNI_VERB_COUNT)
        result = rni_fail(RN_ERROR_ARGUMENT, "there is no message type '%.32s'", type);
    else result = read_verb(root, order);
    json_decref(root);
    if (result != RN_OK) rni_view_order_release(order);
    return result;
}

void rni_view_order_release(rni_view_order *order)
{
    for (uint32_t k = 0; k < order->setting_count; k++) free(order->settings[k]);
    free(order->settings);
    free(order->scene);
    *order = (rni_view_order){.verb = RNI_VERB_COUNT};
}
