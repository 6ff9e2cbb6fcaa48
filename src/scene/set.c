/* Settings: path=value, the same table and the same checks as in a file. */
#include "base/error.h"
#include "scene/materials.h"
#include "scene/reading.h"

#include <stdlib.h>
#include <string.h>

/* Pairs of which only one may be given: setting one clears the other. */
static const char *const RIVALS[][2] = {{"fluid.spacing", "fluid.particles"},
                                        {"speed", "flow_rate"},
                                        {"speed", "head"},
                                        {"flow_rate", "head"},
                                        {"volume", "max_particles"}};

static void clear_rivals(const char *path, const rni_parameter_list *list, void *base)
{
    for (size_t k = 0; k < sizeof RIVALS / sizeof *RIVALS; k++)
        for (size_t side = 0; side < 2; side++) {
            const char *rival = RIVALS[k][1 - side];
            if (strcmp(RIVALS[k][side], path) != 0) continue;
            const rni_parameter *other = list ? rni_parameter_find_in(list, rival, strlen(rival))
                                              : rni_parameter_find(rival, strlen(rival));
            if (other) memset((char *)base + other->offset, 0, other->bytes);
        }
}

/* a,b,c as a JSON list of texts. */
static json_t *list_of_words(const char *value)
{
    json_t *list = json_array();
    while (list && *value) {
        size_t length = strcspn(value, ",");
        json_array_append_new(list, json_stringn(value, length));
        value += length + (value[length] == ',');
    }
    return list;
}

static json_t *list_of_numbers(const char *value)
{
    size_t length = strlen(value);
    char *text = malloc(length + 3);
    if (!text) return NULL;
    snprintf(text, length + 3, "[%s]", value);
    json_t *list = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    free(text);
    return list;
}

/* A single value stays what it is, so that messages do not call it a list. */
static json_t *vector_of(const char *value)
{
    json_t *list = list_of_numbers(value);
    if (json_array_size(list) != 1) return list;
    json_t *only = json_incref(json_array_get(list, 0));
    json_decref(list);
    return only;
}

/* The value as JSON; what is no JSON is text, which a number then refuses with its range. */
static json_t *value_of(const rni_parameter *p, const char *value)
{
    json_t *json = NULL;
    bool is_list = p && (p->type == RNI_TYPE_VECTOR || p->type == RNI_TYPE_NUMBERS);
    bool is_text = p && (p->type == RNI_TYPE_TEXT || p->type == RNI_TYPE_CHOICE);
    if (p && p->type == RNI_TYPE_FLAGS && *value != '[') return list_of_words(value);
    if (is_list && *value != '[')
        json = p->type == RNI_TYPE_VECTOR ? vector_of(value) : list_of_numbers(value);
    else if (!is_text || *value == '"')
        json = json_loads(value, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    return json ? json : json_string(value);
}

static void set_parameter(rni_reading *reading, const rni_parameter *p,
                          const rni_parameter_list *list, const char *value, void *base)
{
    json_t *json = value_of(p, value);
    if (!json) {
        rni_problem(reading, "'%s' is not UTF-8", rni_say_text(value, strlen(value)).text);
        return;
    }
    if (list && !rni_parameter_applies(p, list, base)) {
        rni_problem(reading, "%s has none", rni_parameter_kind(list, base).text);
    } else if (rni_value_read(reading, p, json, base) && json_number_value(json) != 0) {
        clear_rivals(p->path, list, base);
    }
    json_decref(json);
}

static void refuse_name(rni_reading *reading, const char *meant)
{
    if (meant) rni_problem_meant(reading, meant);
    else rni_problem(reading, "unknown; `runnel params` lists the parameters");
}

/* rest is what follows the name of the list: nothing, ".0" or ".0.speed". */
static void set_in_list(rni_reading *reading, const rni_parameter_list *list, const char *rest,
                        const char *value, rni_scene *scene)
{
    json_t *json = NULL;
    uint32_t count = rni_item_count_of(scene, list);
    char *end = NULL;
    unsigned long place = *rest ? strtoul(rest + 1, &end, 10) : 0;
    if (!*rest) {
        if ((json = value_of(NULL, value)) != NULL) rni_list_fill(reading, list, json, scene);
    } else if (end == rest + 1 || rest[1] == '-' || rest[1] == '+' || (*end && *end != '.')) {
        rni_problem(reading, "after %s comes an index from 0, e.g. %s.0.%s", list->name, list->name,
                    list->table[1].path);
    } else if (place >= count) {
        rni_problem(reading, "there %s %u %s; indices start at 0", count == 1 ? "is" : "are", count,
                    count == 1 ? list->singular : list->name);
    } else {
        char *item = (char *)rni_items_of(scene, list) + place * list->item_bytes;
        const char *name = *end ? end + 1 : "";
        const rni_parameter *p = rni_parameter_find_in(list, name, strlen(name));
        rni_parameter_item before;
        memcpy(&before, item, list->item_bytes);
        if (p) {
            set_parameter(reading, p, list, value, item);
            if (p->is_first && list->follow) list->follow(item, &before);
        } else if (!*end && (json = value_of(NULL, value)) != NULL)
            rni_item_fill(reading, list, json, item);
        else refuse_name(reading, rni_meant(list, "", name));
    }
    json_decref(json);
}

static void refuse_path(rni_reading *reading, const char *path)
{
    for (uint32_t k = 0; k < rni_parameter_count; k++) {
        const rni_parameter *p = &rni_parameters[k];
        if (strlen(path) != rni_parameter_group_length(p) || strncmp(path, p->path, strlen(path)) != 0)
            continue;
        rni_problem(reading, "is a group; set one of its values, e.g. %s", p->path);
        return;
    }
    char group[64] = "";
    const char *point = strchr(path, '.');
    size_t length = point ? (size_t)(point - path) : 0;
    if (length && length < sizeof group) memcpy(group, path, length);
    refuse_name(reading, rni_meant(NULL, group, length ? point + 1 : path));
}

rn_result rni_scene_set(rni_scene *scene, const char *setting, rni_problems *problems)
{
    rni_problems own = {0};
    if (!problems) problems = &own;
    uint32_t before = problems->count;
    rni_reading reading = {.name = "--set", .problems = problems, .is_flat = scene->def.dim == 2};
    char path[128];
    size_t length = strcspn(setting, "=");
    if (!setting[length] || length == 0 || length >= sizeof path) {
        rni_problem(&reading, "'%s' is not of the form path=value, e.g. fluid.viscosity=0.1",
                    rni_say_text(setting, strlen(setting)).text);
        return rni_problems_result(problems, RN_ERROR_ARGUMENT);
    }
    memcpy(path, setting, length);
    path[length] = 0;
    const char *value = setting + length + 1;
    const rni_parameter *p = rni_parameter_find(path, length);
    size_t first = strcspn(path, ".");
    const rni_parameter_list *list = rni_parameter_list_find(path, first);
    rni_reading_enter(&reading, path);
    if (p) {
        const rn_fluid_preset preset = scene->preset;
        const uint32_t material = scene->material;
        const float concentration = scene->concentration;
        set_parameter(&reading, p, NULL, value, scene);
        const rn_fluid_preset wanted = scene->preset;
        const uint32_t wanted_material = scene->material;
        const float wanted_concentration = scene->concentration;
        scene->preset = preset;
        scene->material = material, scene->concentration = concentration;
        rni_scene_set_preset(scene, wanted);
        rni_scene_set_material(scene, wanted_material, wanted_concentration);
    } else if (list) {
        set_in_list(&reading, list, path + first, value, scene);
    } else if (strcmp(path, "events") == 0) {
        json_t *json = value_of(NULL, value);
        if (json) rni_events_fill(&reading, json, scene);
        json_decref(json);
    } else {
        refuse_path(&reading, path);
    }
    return problems->count > before ? rni_problems_result(problems, RN_ERROR_ARGUMENT) : RN_OK;
}

/* What is set first: presets, then materials. */
static uint32_t turn_of(const char *setting)
{
    static const char PRESET[] = "fluid.preset=", MATERIAL[] = "fluid.material=",
                      SHARE[] = "fluid.concentration=";
    if (strncmp(setting, PRESET, sizeof PRESET - 1) == 0) return 0;
    if (strncmp(setting, SHARE, sizeof SHARE - 1) == 0) return 1;
    return strncmp(setting, MATERIAL, sizeof MATERIAL - 1) == 0 ? 1 : 2;
}

rn_result rni_scene_set_all(rni_scene *scene, const char *const *settings, uint32_t count,
                            rni_problems *problems)
{
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < 3 * count; k++) {
        const char *setting = settings[k % count];
        if (turn_of(setting) != k / count) continue;
        if (rni_scene_set(scene, setting, problems) != RN_OK) result = RN_ERROR_ARGUMENT;
    }
    return result;
}
