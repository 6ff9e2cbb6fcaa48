/* The invariants of a scene in memory, for asserts in debug builds. Whether its values make sense is the
 * job of check.c. */
#include "scene/parameters.h"

#include <math.h>
#include <string.h>

static bool is_finite(const float *values, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (!isfinite(values[k])) return false;
    return true;
}

static bool is_choice(const rni_parameter *p, const void *field)
{
    uint32_t place;
    memcpy(&place, field, sizeof place);
    for (uint32_t k = 0; k <= place; k++)
        if (!p->choice_at(k)) return false;
    return true;
}

/* What is wrong with one value, or NULL. */
static const char *value_flaw(const rni_parameter *p, const void *base)
{
    const char *field = (const char *)base + p->offset;
    uint32_t count;
    double number;
    switch (p->type) {
    case RNI_TYPE_NUMBER:
        if (p->bytes == sizeof(float))
            return is_finite((const float *)(const void *)field, 1) ? NULL : "a number is not finite";
        memcpy(&number, field, sizeof number);
        return isfinite(number) ? NULL : "a number is not finite";
    case RNI_TYPE_VECTOR:
        return is_finite((const float *)(const void *)field, 3) ? NULL : "a vector is not finite";
    case RNI_TYPE_CHOICE: return is_choice(p, field) ? NULL : "a choice has no name";
    case RNI_TYPE_TEXT: return memchr(field, 0, p->bytes) ? NULL : "a text has no end";
    case RNI_TYPE_NUMBERS:
        memcpy(&count, (const char *)base + p->count_offset, sizeof count);
        if (count * sizeof(float) > p->bytes) return "a list of numbers is longer than its array";
        return is_finite((const float *)(const void *)field, count) ? NULL : "a list is not finite";
    case RNI_TYPE_INTEGER:
    case RNI_TYPE_BOOL:
    case RNI_TYPE_FLAGS: return NULL;
    }
    return "a parameter has no type";
}

static const char *list_flaw(const rni_scene *scene, const rni_parameter_list *list)
{
    const char *items = rni_items_of(scene, list);
    const uint32_t count = rni_item_count_of(scene, list);
    if (count > list->max) return "a list has more items than allowed";
    if (count > 0 && !items) return "a list has items and no array";
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t p = 0; p < list->parameter_count; p++) {
            const char *flaw = value_flaw(&list->table[p], items + k * list->item_bytes);
            if (flaw) return flaw;
        }
    return NULL;
}

static const char *events_flaw(const rni_scene *scene)
{
    if (scene->event_count > RNI_SCENE_MAX_EVENTS) return "there are more events than allowed";
    if (scene->event_count > 0 && !scene->events) return "there are events and no array";
    for (uint32_t k = 0; k < scene->event_count; k++) {
        const rni_scene_event *event = &scene->events[k];
        if (!isfinite(event->time)) return "the time of an event is not finite";
        if (event->change_count > RNI_SCENE_MAX_CHANGES) return "an event has too many changes";
        for (uint32_t c = 0; c < event->change_count; c++) {
            const uint32_t parameter = event->change[c].parameter;
            if (parameter >= rni_parameter_count || !rni_parameters[parameter].is_live)
                return "an event changes a parameter that is not live";
        }
    }
    return NULL;
}

const char *rni_scene_flaw(const rni_scene *scene)
{
    const char *flaw = NULL;
    for (uint32_t k = 0; k < rni_parameter_count && !flaw; k++)
        flaw = value_flaw(&rni_parameters[k], scene);
    for (uint32_t k = 0; k < rni_parameter_list_count && !flaw; k++)
        flaw = list_flaw(scene, &rni_parameter_lists[k]);
    return flaw ? flaw : events_flaw(scene);
}
