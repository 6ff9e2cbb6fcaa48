#include "cli/info.h"

#include "base/error.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

/* Far more than a report with as many outlets as a scene can have. */
#define REPORT_BYTES_MAX (4u << 20)
/* Members of reports are no deeper; a hostile file may be. */
#define REPORT_DEPTH_MAX 5u

static void show_array(rni_info *info, const char *path, const json_t *array, unsigned depth);

/* One member of a report; nested members are shown with their path. */
static void show_member(rni_info *info, const char *before, const char *key, const json_t *value,
                        unsigned depth)
{
    char path[128];
    snprintf(path, sizeof path, "%s%s%s", before, before[0] ? "." : "", key);
    for (char *c = path; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?';
    if (json_is_string(value)) {
        rni_info_text(info, path, json_string_value(value));
    } else if (json_is_integer(value) && json_integer_value(value) >= 0) {
        rni_info_whole(info, path, (uint64_t)json_integer_value(value));
    } else if (json_is_number(value)) {
        rni_info_number(info, path, json_number_value(value), "");
    } else if (json_is_boolean(value)) {
        rni_info_text(info, path, json_is_true(value) ? "yes" : "no");
    } else if (json_is_object(value) && depth < REPORT_DEPTH_MAX) {
        const char *inner;
        json_t *member;
        json_object_foreach((json_t *)(uintptr_t)value, inner, member)
            show_member(info, path, inner, member, depth + 1);
    } else if (json_is_array(value) && depth < REPORT_DEPTH_MAX) {
        show_array(info, path, value, depth + 1);
    }
}

/* Texts on one line; anything else by number: outlets.0.removed. */
static void show_array(rni_info *info, const char *path, const json_t *array, unsigned depth)
{
    char text[256] = "";
    size_t count = json_array_size(array), texts = 0;
    for (size_t k = 0; k < count; k++) {
        const json_t *item = json_array_get(array, k);
        char number[24];
        snprintf(number, sizeof number, "%zu", k);
        if (!json_is_string(item)) {
            show_member(info, path, number, item, depth);
            continue;
        }
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", texts++ ? "," : "",
                 json_string_value(item));
    }
    if (texts == count) rni_info_text(info, path, count ? text : "none");
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* A line for each value of each gauge. */
static void show_gauges(rni_info *info, const json_t *gauges)
{
    size_t k, c;
    json_t *gauge, *value;
    json_array_foreach((json_t *)(uintptr_t)gauges, k, gauge)
    {
        json_array_foreach(json_object_get(gauge, "values"), c, value)
        {
            char key[128], text[200];
            const char *column = text_of(value, "name"), *unit = text_of(value, "unit");
            snprintf(key, sizeof key, "gauges.%.48s%s%.16s", text_of(gauge, "name"),
                     *column ? "." : "", column);
            for (char *at = key; *at; at++)
                if (*at < ' ' || *at > '~') *at = '?';
            snprintf(text, sizeof text,
                     "min %.6g, mean %.6g, max %.6g, last %.6g %.16s, %.0f samples",
                     number_of(value, "min"), number_of(value, "mean"), number_of(value, "max"),
                     number_of(value, "last"), unit, number_of(gauge, "samples"));
            rni_info_text(info, key, text);
        }
    }
}

static rn_result show_scene(rni_info *info)
{
    rni_scene *scene = NULL;
    rn_result result = rni_scene_load(info->path, NULL, 0, &scene, NULL);
    if (result != RN_OK) return result;
    rni_scene_derived derived = rni_scene_derive(scene);
    rni_info_text(info, "kind", "scene");
    rni_info_text(info, "title", scene->title);
    rni_info_text(info, "preset", rn_fluid_choice_name(RN_CHOICE_PRESET, scene->preset));
    rni_info_text(info, "scheme", rn_fluid_choice_name(RN_CHOICE_SCHEME, scene->def.scheme));
    rni_info_number(info, "viscosity", rni_scene_viscosity(scene), "Pa s");
    rni_info_whole(info, "number of dimensions", scene->def.dim);
    rni_info_number(info, "run.time", scene->run_time, "s");
    if (scene->run_steps) rni_info_number(info, "run.steps", scene->run_steps, "");
    rni_info_number(info, "spacing", derived.spacing, "m");
    rni_info_whole(info, "particles", derived.particles);
    rni_info_whole(info, "solids", scene->solid_count);
    rni_info_whole(info, "blocks", scene->block_count);
    rni_info_whole(info, "balls", scene->ball_count);
    rni_info_whole(info, "pipes", scene->pipe_count);
    rni_info_whole(info, "outlets", scene->outlet_count);
    rni_info_whole(info, "gauges", scene->gauge_count);
    rni_info_whole(info, "events", scene->event_count);
    rni_info_text(info, "see", "runnel check FILE explains it");
    rni_scene_free(scene);
    return RN_OK;
}

/* The sentence of jansson, which quotes the file. */
static rn_result fail_json(const rni_info *info, json_error_t *error)
{
    for (char *c = error->text; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?';
    return rni_fail(RN_ERROR_FILE, "%s:%d:%d: %s", info->path, error->line, error->column,
                    error->text);
}

rn_result rni_info_json(rni_info *info)
{
    /* A report begins with the program that wrote it; everything else is read as a scene. */
    if (!strstr((const char *)info->start, "\"program\": \"runnel\"")) return show_scene(info);
    if (info->bytes > REPORT_BYTES_MAX)
        return rni_fail(RN_ERROR_FILE, "%s: is %llu bytes long; a report has at most %u",
                        info->path, (unsigned long long)info->bytes, REPORT_BYTES_MAX);
    json_error_t error;
    json_t *report = json_load_file(info->path, JSON_REJECT_DUPLICATES, &error);
    if (!report) return fail_json(info, &error);
    const char *key;
    json_t *value;
    rni_info_text(info, "kind", "report of a run");
    json_object_foreach(report, key, value)
    {
        if (!info->is_json && strcmp(key, "gauges") == 0 && json_array_size(value) > 0)
            show_gauges(info, value);
        else show_member(info, "", key, value, 0);
    }
    json_decref(report);
    return RN_OK;
}
