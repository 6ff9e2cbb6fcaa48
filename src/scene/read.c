/* From JSON to a scene: every key is in the table or a problem. */
#include "base/error.h"
#include "files/reader.h"
#include "scene/materials.h"
#include "scene/reading.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WORDS 96u

/* --- keys that are unknown -------------------------------------------------------------------- */
static void refuse_key(rni_reading *reading, const rni_parameter_list *list, const char *group,
                       const char *key)
{
    const char *meant = rni_meant(list, group, key);
    if (meant) rni_problem_meant(reading, meant);
    else if (list)
        rni_problem(reading, "unknown; `runnel params %s` lists the parameters", list->name);
    else if (*group)
        rni_problem(reading, "unknown; `runnel params %s` lists the parameters", group);
    else rni_problem(reading, "unknown; `runnel params` lists the parameters");
}

/* --- objects ---------------------------------------------------------------------------------- */
static bool is_object(rni_reading *reading, const json_t *json)
{
    if (json_is_object(json)) return true;
    rni_problem(reading, "it must be an object {...}");
    return false;
}

static void fill_group(rni_reading *reading, const char *group, const json_t *json, rni_scene *scene)
{
    if (!is_object(reading, json)) return;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)json, key, value)
    {
        char path[64];
        int length = snprintf(path, sizeof path, "%s.%s", group, key);
        const rni_parameter *p =
            length < (int)sizeof path ? rni_parameter_find(path, (size_t)length) : NULL;
        rni_reading_enter(reading, key);
        if (p) rni_value_read(reading, p, value, scene);
        else refuse_key(reading, NULL, group, key);
        rni_reading_leave(reading);
    }
}

static void check_shape(rni_reading *reading, const rni_parameter_list *list, const json_t *json,
                        const void *item)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)json, key, value)
    {
        const rni_parameter *p = rni_parameter_find_in(list, key, strlen(key));
        if (!p || rni_parameter_applies(p, list, item)) continue;
        rni_reading_enter(reading, key);
        rni_problem(reading, "%s has none; leave it out", rni_parameter_kind(list, item).text);
        rni_reading_leave(reading);
    }
    for (uint32_t k = 0; k < list->parameter_count; k++) {
        const rni_parameter *p = &list->table[k];
        if (p->is_required || p->is_needed || json_object_get(json, p->path)) continue;
        if (rni_parameter_is_needed(p, list, item) && rni_reading_is_clean(reading, p->path))
            rni_problem(reading, "%s is missing: %s", p->path, rni_parameter_needs(p).text);
    }
}

/* What other values follow from, without problems: those are told where the value is read. */
static void take_first(const rni_parameter_list *list, const json_t *json, void *item)
{
    rni_problems none = {0};
    rni_reading quiet = {.name = "", .problems = &none};
    rni_parameter_item before;
    memcpy(&before, item, list->item_bytes);
    for (uint32_t k = 0; k < list->parameter_count; k++) {
        const json_t *value = json_object_get(json, list->table[k].path);
        if (list->table[k].is_first && value) rni_value_read(&quiet, &list->table[k], value, item);
    }
    list->follow(item, &before);
}

void rni_item_fill(rni_reading *reading, const rni_parameter_list *list, const json_t *json,
                   void *item)
{
    list->fill(item);
    if (!is_object(reading, json)) return;
    if (list->follow) take_first(list, json, item);
    bool is_good = true;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)json, key, value)
    {
        const rni_parameter *p = rni_parameter_find_in(list, key, strlen(key));
        rni_reading_enter(reading, key);
        if (p) is_good = rni_value_read(reading, p, value, item) && is_good;
        else refuse_key(reading, list, "", key);
        rni_reading_leave(reading);
    }
    for (uint32_t k = 0; k < list->parameter_count; k++) {
        const rni_parameter *p = &list->table[k];
        const bool is_needed = p->is_required || (p->is_needed && !json_object_get(json, "solid") &&
                                                  rni_parameter_is_needed(p, list, item));
        if (!is_needed || json_object_get(json, p->path)) continue;
        if (rni_parameter_can_be_left_out(p, list, item)) continue;
        is_good = false;
        if (!rni_reading_is_clean(reading, p->path)) continue; /* it is there, misspelt */
        rni_problem(reading, "%s is missing: %s", p->path, rni_parameter_needs(p).text);
    }
    if (is_good) check_shape(reading, list, json, item);
}

void rni_list_fill(rni_reading *reading, const rni_parameter_list *list, const json_t *json,
                   rni_scene *scene)
{
    if (!json_is_array(json)) {
        rni_problem(reading, "it must be a list [...] of objects: %s", list->help);
        return;
    }
    size_t count = json_array_size(json);
    if (count > list->max) {
        rni_problem(reading, "has %zu items; at most %u are allowed", count, list->max);
        return;
    }
    char *items = calloc(count + 1, list->item_bytes);
    if (!items) {
        rni_problem(reading, "out of memory");
        return;
    }
    for (size_t k = 0; k < count; k++) {
        rni_reading_enter_item(reading, k);
        rni_item_fill(reading, list, json_array_get(json, k), items + k * list->item_bytes);
        rni_reading_leave(reading);
    }
    free(rni_items_of(scene, list));
    *(void **)(void *)((char *)scene + list->items_offset) = items;
    *(uint32_t *)(void *)((char *)scene + list->count_offset) = (uint32_t)count;
}

/* --- events ----------------------------------------------------------------------------------- */
static void fill_change(rni_reading *reading, const char *path, const json_t *json,
                        rni_scene_event *event)
{
    const rni_parameter *p = rni_parameter_find(path, strlen(path));
    if (!p) {
        const char *words[MAX_WORDS + 1] = {NULL};
        uint32_t count = 0;
        for (uint32_t k = 0; k < rni_parameter_count && count < MAX_WORDS; k++)
            if (rni_parameters[k].is_live) words[count++] = rni_parameters[k].path;
        const char *near = rni_nearest_word((rni_text){path, path + strlen(path)}, words);
        if (!near) near = rni_meant_elsewhere(path);
        rni_problem(reading, "unknown; %s%s%s", near ? "did you mean " : "the paths are those of ",
                    near ? near : "`runnel params`", near ? "?" : "");
        return;
    }
    if (!p->is_live) {
        rni_problem(reading, "cannot change during a run; `runnel params` marks the live parameters");
        return;
    }
    rni_parameter target = rni_parameter_of_change(p);
    rni_scene_change *change = &event->change[event->change_count];
    change->parameter = (uint32_t)(p - rni_parameters);
    if (rni_value_read(reading, &target, json, &change->value)) event->change_count++;
}

/* False when its time could not be read. */
static bool fill_event(rni_reading *reading, const json_t *json, rni_scene_event *event)
{
    static const rni_parameter time = {.path = "time",
                                       .type = RNI_TYPE_NUMBER,
                                       .unit = "s",
                                       .high = 1e6,
                                       .bytes = sizeof(double),
                                       .offset = offsetof(rni_scene_event, time)};
    if (!is_object(reading, json)) return false;
    bool has_time = false;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)json, key, value)
    {
        rni_reading_enter(reading, key);
        if (strcmp(key, "time") == 0) {
            has_time = rni_value_read(reading, &time, value, event);
        } else if (strcmp(key, "set") != 0) {
            const char *meant = json_is_object(value) ? "set" : "time";
            if (!json_object_get(json, meant)) rni_problem_meant(reading, meant);
            else rni_problem(reading, "unknown; an event has time and set");
        } else if (is_object(reading, value)) {
            const char *path;
            json_t *change;
            if (json_object_size(value) > RNI_SCENE_MAX_CHANGES)
                rni_problem(reading, "has %zu items; at most %d are allowed: add another event",
                            json_object_size(value), RNI_SCENE_MAX_CHANGES);
            else json_object_foreach(value, path, change)
                {
                    rni_reading_enter(reading, path);
                    fill_change(reading, path, change, event);
                    rni_reading_leave(reading);
                }
        }
        rni_reading_leave(reading);
    }
    if (!json_object_get(json, "time") && rni_reading_is_clean(reading, "time"))
        rni_problem(reading, "time is missing: the time of the event, in s");
    if (!json_object_get(json, "set") && rni_reading_is_clean(reading, "set"))
        rni_problem(reading,
                    "set is missing: the parameters that change, e.g. {\"gravity\": [0, -1, 0]}");
    return has_time;
}

void rni_events_fill(rni_reading *reading, const json_t *json, rni_scene *scene)
{
    size_t count = json_array_size(json);
    if (!json_is_array(json)) {
        rni_problem(reading, "it must be a list [...] of objects with time and set");
        return;
    }
    if (count > RNI_SCENE_MAX_EVENTS) {
        rni_problem(reading, "has %zu items; at most %d are allowed", count, RNI_SCENE_MAX_EVENTS);
        return;
    }
    rni_scene_event *events = calloc(count + 1, sizeof *events);
    if (!events) {
        rni_problem(reading, "out of memory");
        return;
    }
    bool had_time = false;
    for (size_t k = 0; k < count; k++) {
        rni_reading_enter_item(reading, k);
        bool has_time = fill_event(reading, json_array_get(json, k), &events[k]);
        if (had_time && has_time && events[k].time < events[k - 1].time)
            rni_problem(reading, "is at %g s, before the previous event; sort the events by time",
                        events[k].time);
        had_time = has_time;
        rni_reading_leave(reading);
    }
    free(scene->events);
    scene->events = events;
    scene->event_count = (uint32_t)count;
}

/* --- the whole -------------------------------------------------------------------------------- */
static bool is_group(const char *key)
{
    size_t length = strlen(key);
    for (uint32_t k = 0; k < rni_parameter_count; k++)
        if (rni_parameter_group_length(&rni_parameters[k]) == length &&
            memcmp(rni_parameters[k].path, key, length) == 0)
            return true;
    return false;
}

/* A preset comes before all values, wherever it is written; what is no preset is told where it is read. */
static void take_preset(const json_t *value, rni_scene *scene)
{
    const char *text = json_string_value(value), *name;
    for (uint32_t k = 0; text && (name = rn_fluid_choice_name(RN_CHOICE_PRESET, k)) != NULL; k++)
        if (strcmp(text, name) == 0) rni_scene_set_preset(scene, (rn_fluid_preset)k);
}

/* The same for a material and its concentration. */
static void take_material(const json_t *value, const json_t *concentration, rni_scene *scene)
{
    const char *text = json_string_value(value);
    const rni_material *material;
    const double share = json_number_value(concentration);
    const bool is_share = share > 0 && share <= (double)RNI_MATERIAL_MOST;
    for (uint32_t k = 0; text && (material = rni_material_at(k)) != NULL; k++)
        if (strcmp(text, material->name) == 0)
            rni_scene_set_material(scene, k, is_share ? (float)share : 0.0f);
}

/* The member of that name, or one that was meant to be it; NULL: none. */
static const json_t *member_meant(const json_t *object, const char *group, const char *name)
{
    const json_t *found = json_object_get(object, name);
    const char *key;
    json_t *value;
    if (!found) json_object_foreach((json_t *)(uintptr_t)object, key, value)
        {
            const char *meant = rni_meant(NULL, group, key);
            if (meant && strcmp(meant, name) == 0) found = value;
        }
    return found;
}

void rni_scene_fill(rni_reading *reading, const json_t *root, rni_scene *scene)
{
    if (!is_object(reading, root)) return;
    if (json_object_get(root, "program") && json_object_get(root, "state_hash")) {
        rni_problem(reading,
                    "is the report of a run; the scene of that run is scene.json in the same folder");
        return;
    }
    /* Where dim itself is wrong, vectors of two numbers are no further problem. */
    const json_t *dim = member_meant(member_meant(root, "", "fluid"), "fluid", "dim");
    reading->is_flat = dim && json_number_value(dim) != 3;
    take_preset(member_meant(member_meant(root, "", "fluid"), "fluid", "preset"), scene);
    take_material(member_meant(member_meant(root, "", "fluid"), "fluid", "material"),
                  json_object_get(member_meant(root, "", "fluid"), "concentration"), scene);
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)root, key, value)
    {
        const rni_parameter *p = strchr(key, '.') ? NULL : rni_parameter_find(key, strlen(key));
        const rni_parameter_list *list = rni_parameter_list_find(key, strlen(key));
        rni_reading_enter(reading, key);
        if (p) rni_value_read(reading, p, value, scene);
        else if (list) rni_list_fill(reading, list, value, scene);
        else if (strcmp(key, "events") == 0) rni_events_fill(reading, value, scene);
        else if (*key && is_group(key)) fill_group(reading, key, value, scene);
        else if (strcmp(key, "$schema") != 0) refuse_key(reading, NULL, "", key);
        else if (!json_is_string(value))
            rni_problem(reading, "it must be the address of the schema");
        rni_reading_leave(reading);
    }
}

/* What is usually meant where a text stops being JSON, by the token's first letter. */
static const char *syntax_hint(const char *error)
{
    static const char BEFORE[] = " near ";
    const char *near = NULL;
    for (const char *at = error; (at = strstr(at, BEFORE)) != NULL;) near = at += strlen(BEFORE);
    if (!near || strstr(error, "overflow")) return "";
    if (strncmp(error, "duplicate", strlen("duplicate")) == 0) return "; keep one of the two";
    if (strcmp(near, "end of file") == 0) return "; is a closing bracket or quote missing?";
    if (near[0] != '\'') return "";
    char letter = near[1];
    if (letter == '}' || letter == ']') return "; is the comma before it superfluous?";
    if (letter == '"' || letter == '{' || letter == '[')
        return "; is a comma or a colon missing before it?";
    if (letter == '/' || letter == '#') return "; JSON has no comments";
    if (letter == '.' || letter == '+' || (letter >= '0' && letter <= '9'))
        return "; numbers are written 0.5 or 1e-3";
    return "; texts and names need double quotes, and numbers must be finite";
}

rni_scene *rni_scene_take(rni_reading *reading)
{
    static const char MARK[] = "\xef\xbb\xbf"; /* of UTF-8, which some editors begin with */
    const size_t mark_bytes = sizeof MARK - 1;
    if (reading->bytes >= mark_bytes && memcmp(reading->text, MARK, mark_bytes) == 0)
        reading->text += mark_bytes, reading->bytes -= mark_bytes;
    rni_problems *problems = reading->problems;
    const char *text = reading->text;
    size_t bytes = reading->bytes, blank = 0;
    json_error_t error;
    reading->text = NULL; /* there are no places before it is known to be JSON */
    while (blank < bytes && strchr(" \t\r\n", text[blank]) && text[blank]) blank++;
    if (blank == bytes) {
        rni_problem(reading,
                    "is empty; the smallest scene has fluid.spacing, domain.high and a block");
        return NULL;
    }
    if (bytes > RNI_SCENE_MAX_BYTES) {
        rni_problem(reading, "is %zu bytes long; a scene has at most %d", bytes, RNI_SCENE_MAX_BYTES);
        return NULL;
    }
    if (text[blank] != '{' && text[blank] != '[') {
        rni_problem(reading, "is not a scene: a scene is JSON and starts with {; `runnel info FILE` "
                             "says what a file is");
        return NULL;
    }
    json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        rni_problem_add(problems, "%s:%d:%d: %s%s", reading->name, error.line > 0 ? error.line : 1,
                        error.column > 0 ? error.column : 1,
                        rni_say_text(error.text, strlen(error.text)).text, syntax_hint(error.text));
        return NULL;
    }
    rni_scene *made = malloc(sizeof *made);
    if (made) {
        *made = rni_scene_default();
        rni_scene_set_preset(made, reading->preset);
        reading->text = text;
        rni_scene_fill(reading, root, made);
    } else {
        rni_fail(RN_ERROR_MEMORY, "%s: no memory for the scene", reading->name);
    }
    json_decref(root);
    return made;
}

rn_result rni_scene_read(const char *text, size_t bytes, const char *name, rni_scene **scene,
                         rni_problems *problems)
{
    return rni_scene_read_as(RN_PRESET_BALANCED, text, bytes, name, scene, problems);
}

rn_result rni_scene_read_as(rn_fluid_preset preset, const char *text, size_t bytes,
                            const char *name, rni_scene **scene, rni_problems *problems)
{
    rni_problems own;
    if (!problems) problems = &own;
    problems->count = 0;
    *scene = NULL;
    rni_reading reading = {
        .name = name, .text = text, .bytes = bytes, .problems = problems, .preset = preset};
    rni_scene *made = rni_scene_take(&reading);
    if (!made && problems->count == 0) return RN_ERROR_MEMORY;
    if (problems->count) {
        rni_scene_free(made);
        return rni_problems_result(problems, RN_ERROR_FILE);
    }
    *scene = made;
    return RN_OK;
}

void rni_scene_free(rni_scene *scene)
{
    if (!scene) return;
    for (uint32_t k = 0; k < rni_parameter_list_count; k++)
        free(rni_items_of(scene, &rni_parameter_lists[k]));
    free(scene->events);
    free(scene);
}
