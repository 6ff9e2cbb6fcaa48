/* A scene as JSON: every value of the table, in the order of the table. */
#include "scene/parameters.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* "key": on a line of its own, after a comma unless it is the first. */
static void write_key(FILE *file, bool *is_first, int indent, const char *key, size_t length)
{
    fprintf(file, "%s\n%*s\"%.*s\": ", *is_first ? "" : ",", indent, "", (int)length, key);
    *is_first = false;
}

static void write_parameters(FILE *file, const rni_scene *scene)
{
    bool is_first = true;
    bool is_first_in_group = true;
    size_t group = 0;
    for (uint32_t k = 0; k < rni_parameter_count; k++) {
        const rni_parameter *p = &rni_parameters[k];
        size_t length = rni_parameter_group_length(p);
        bool is_same = k && group && length == group &&
                       memcmp(p->path, rni_parameters[k - 1].path, length) == 0;
        if (group && !is_same) fputs("\n  }", file);
        if (!is_same && length) {
            write_key(file, &is_first, 2, p->path, length);
            fputc('{', file);
            is_first_in_group = true;
        }
        group = length;
        const char *name = length ? p->path + length + 1 : p->path;
        write_key(file, length ? &is_first_in_group : &is_first, length ? 4 : 2, name, strlen(name));
        rni_parameter_write(file, p, scene);
    }
    if (group) fputs("\n  }", file);
}

static void write_list(FILE *file, const rni_scene *scene, const rni_parameter_list *list)
{
    uint32_t count = rni_item_count_of(scene, list);
    fprintf(file, ",\n  \"%s\": [", list->name);
    for (uint32_t k = 0; k < count; k++) {
        const char *item = (const char *)rni_items_of(scene, list) + k * list->item_bytes;
        bool is_first = true;
        fprintf(file, "%s\n    {", k ? "," : "");
        for (uint32_t c = 0; c < list->parameter_count; c++) {
            const rni_parameter *p = &list->table[c];
            if (!rni_parameter_applies(p, list, item)) continue;
            write_key(file, &is_first, 6, p->path, strlen(p->path));
            rni_parameter_write(file, p, item);
        }
        fputs("\n    }", file);
    }
    fputs(count ? "\n  ]" : "]", file);
}

static void write_events(FILE *file, const rni_scene *scene)
{
    fputs(",\n  \"events\": [", file);
    for (uint32_t k = 0; k < scene->event_count; k++) {
        const rni_scene_event *event = &scene->events[k];
        fprintf(file, "%s\n    {\"time\": ", k ? "," : "");
        rni_number_write(file, event->time, false);
        fputs(", \"set\": {", file);
        for (uint32_t c = 0; c < event->change_count; c++) {
            const rni_parameter *p = &rni_parameters[event->change[c].parameter];
            rni_parameter source = rni_parameter_of_change(p);
            fprintf(file, "%s\"%s\": ", c ? ", " : "", p->path);
            rni_parameter_write(file, &source, &event->change[c].value);
        }
        fputs("}}", file);
    }
    fputs(scene->event_count ? "\n  ]" : "]", file);
}

char *rni_scene_write(const rni_scene *scene)
{
    char *text = NULL;
    size_t bytes = 0;
    assert(!rni_scene_flaw(scene));
    FILE *file = open_memstream(&text, &bytes);
    if (!file) return NULL;
    fputc('{', file);
    write_parameters(file, scene);
    for (uint32_t k = 0; k < rni_parameter_list_count; k++)
        write_list(file, scene, &rni_parameter_lists[k]);
    write_events(file, scene);
    fputs("\n}\n", file);
    bool is_bad = ferror(file) != 0;
    if (fclose(file) != 0 || is_bad) {
        free(text);
        return NULL;
    }
    return text;
}
