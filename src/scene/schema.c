/* The JSON Schema of scene files, for editors: made from the table. */
#include "scene/parameters.h"
#include "solid/solid.h"

#include <string.h>

static void write_choices(FILE *file, const rni_parameter *p)
{
    const char *choice;
    fputs("\"enum\": [", file);
    for (uint32_t place = 0; (choice = p->choice_at(place)) != NULL; place++)
        fprintf(file, "%s\"%s\"", place ? ", " : "", choice);
    fputs("]", file);
}

static void write_range(FILE *file, const rni_parameter *p, const char *type)
{
    fprintf(file, "\"type\": \"%s\", \"minimum\": ", type);
    rni_number_write(file, p->low, false);
    fputs(", \"maximum\": ", file);
    rni_number_write(file, p->high, false);
}

static void write_type(FILE *file, const rni_parameter *p)
{
    switch (p->type) {
    case RNI_TYPE_NUMBER: write_range(file, p, "number"); break;
    case RNI_TYPE_INTEGER: write_range(file, p, "integer"); break;
    case RNI_TYPE_BOOL: fputs("\"type\": \"boolean\"", file); break;
    case RNI_TYPE_CHOICE: write_choices(file, p); break;
    case RNI_TYPE_VECTOR:
        fputs("\"type\": \"array\", \"minItems\": 2, \"maxItems\": 3, \"items\": {", file);
        write_range(file, p, "number");
        fputs("}", file);
        break;
    case RNI_TYPE_TEXT:
        fprintf(file, "\"type\": \"string\", \"maxLength\": %zu", p->bytes - 1);
        break;
    case RNI_TYPE_FLAGS:
        fputs("\"type\": \"array\", \"uniqueItems\": true, \"items\": {", file);
        write_choices(file, p);
        fputs("}", file);
        break;
    case RNI_TYPE_NUMBERS:
        fprintf(file, "\"type\": \"array\", \"maxItems\": %zu, \"items\": {",
                p->bytes / sizeof(float));
        write_range(file, p, "number");
        fputs("}", file);
        break;
    }
}

/* base: where the default is; NULL: none is written. */
static void write_parameter(FILE *file, const rni_parameter *p, const void *base)
{
    char about[400];
    snprintf(about, sizeof about, "%s%s%s%s%s", p->help, *p->unit ? "; in " : "", p->unit,
             p->zero ? "; 0: " : "", p->zero ? p->zero : "");
    fputs("{\"description\": ", file);
    rni_text_write(file, about);
    fputs(", ", file);
    write_type(file, p);
    if (base && !p->is_required && !p->is_needed) {
        fputs(", \"default\": ", file);
        rni_parameter_write(file, p, base);
    }
    fputs("}", file);
}

static void write_scene(FILE *file)
{
    rni_scene defaults = rni_scene_default();
    size_t group = 0;
    for (uint32_t k = 0; k < rni_parameter_count; k++) {
        const rni_parameter *p = &rni_parameters[k];
        size_t length = rni_parameter_group_length(p);
        bool is_same = k && group && length == group &&
                       memcmp(p->path, rni_parameters[k - 1].path, length) == 0;
        if (group && !is_same) fputs("\n      }\n    }", file);
        fputs(",\n", file);
        if (!is_same && length) {
            /* The comma above belongs to the group. */
            fprintf(file,
                    "    \"%.*s\": {\n      \"type\": \"object\",\n"
                    "      \"additionalProperties\": false,\n      \"properties\": {\n",
                    (int)length, p->path);
        }
        group = length;
        fprintf(file, "%*s\"%s\": ", length ? 8 : 4, "", length ? p->path + length + 1 : p->path);
        write_parameter(file, p, &defaults);
    }
    if (group) fputs("\n      }\n    }", file);
}

/* Whether a required parameter of a list is not required of all of its items. */
static bool can_be_left_out(const rni_parameter_list *list, uint32_t k)
{
    const rni_scene_solid mesh = {.shape = RN_SOLID_MESH};
    return strcmp(list->name, "solids") == 0 &&
           rni_parameter_can_be_left_out(&list->table[k], list, &mesh);
}

/* Which parameters a shape needs, and which it has not. */
static void write_shape(FILE *file, const rni_parameter_list *list, uint32_t shape)
{
    const rni_solid_kind *kind = rni_solid_kind_at(shape);
    rni_scene_solid solid = {.shape = (rn_solid_shape)shape};
    const char *comma = "";
    fprintf(file,
            "%s\n          {\"if\": {\"properties\": {\"shape\": {\"const\": \"%s\"}}},\n"
            "           \"then\": {\"required\": [",
            shape ? "," : "", kind->name);
    for (uint32_t k = 0; k < list->parameter_count; k++) { /* of all shapes but meshes */
        if (!can_be_left_out(list, k) || rni_parameter_can_be_left_out(&list->table[k], list, &solid))
            continue;
        fprintf(file, "%s\"%s\"", comma, list->table[k].path);
        comma = ", ";
    }
    for (uint32_t k = 0; k < kind->parameter_count; k++) {
        if (!kind->parameters[k].is_required) continue;
        fprintf(file, "%s\"%s\"", comma, kind->parameters[k].name);
        comma = ", ";
    }
    fputs("], \"properties\": {", file);
    comma = "";
    for (uint32_t k = 0; k < list->parameter_count; k++) {
        if (rni_parameter_applies(&list->table[k], list, &solid)) continue;
        fprintf(file, "%s\"%s\": false", comma, list->table[k].path);
        comma = ", ";
    }
    fputs("}}}", file);
}

static void write_shapes(FILE *file, const rni_parameter_list *list)
{
    fputs(",\n        \"allOf\": [", file);
    for (uint32_t shape = 0; rni_solid_kind_at(shape); shape++) write_shape(file, list, shape);
    fputs("\n        ]", file);
}

static void write_gauge_kinds(FILE *file, const rni_parameter_list *list)
{
    const char *name;
    fputs(",\n        \"allOf\": [", file);
    for (uint32_t k = 0; (name = rn_fluid_choice_name(RN_CHOICE_GAUGE, k)) != NULL; k++) {
        const rni_scene_gauge gauge = {.kind = (rn_gauge_kind)k};
        const char *comma = "";
        fprintf(file,
                "%s\n          {\"if\": {\"properties\": {\"kind\": {\"const\": \"%s\"}}},\n"
                "           \"then\": {\"required\": [",
                k ? "," : "", name);
        for (uint32_t p = 0; p < list->parameter_count; p++) {
            if (!rni_parameter_is_needed(&list->table[p], list, &gauge)) continue;
            fprintf(file, "%s\"%s\"", comma, list->table[p].path);
            comma = ", ";
        }
        fputs("], \"properties\": {", file);
        comma = "";
        for (uint32_t p = 0; p < list->parameter_count; p++) {
            if (rni_parameter_applies(&list->table[p], list, &gauge)) continue;
            fprintf(file, "%s\"%s\": false", comma, list->table[p].path);
            comma = ", ";
        }
        fputs("}}}", file);
    }
    fputs("\n        ]", file);
}

/* What items need that name no solid. */
static void write_needed(FILE *file, const rni_parameter_list *list)
{
    const char *comma = "";
    for (uint32_t k = 0; k < list->parameter_count; k++) {
        if (!list->table[k].is_needed) continue;
        if (!*comma)
            fputs(",\n        \"anyOf\": [{\"required\": [\"solid\"]}, {\"required\": [", file);
        fprintf(file, "%s\"%s\"", comma, list->table[k].path);
        comma = ", ";
    }
    if (*comma) fputs("]}]", file);
}

static void write_list(FILE *file, const rni_parameter_list *list)
{
    rni_parameter_item item;
    list->fill(&item);
    fprintf(file,
            ",\n    \"%s\": {\n      \"description\": \"%s\",\n      \"type\": \"array\",\n"
            "      \"maxItems\": %u,\n      \"items\": {\n        \"type\": \"object\",\n"
            "        \"additionalProperties\": false,\n        \"required\": [",
            list->name, list->help, list->max);
    bool is_first = true;
    for (uint32_t k = 0; k < list->parameter_count; k++) {
        if (!list->table[k].is_required || can_be_left_out(list, k)) continue;
        fprintf(file, "%s\"%s\"", is_first ? "" : ", ", list->table[k].path);
        is_first = false;
    }
    fputs("],\n        \"properties\": {", file);
    for (uint32_t k = 0; k < list->parameter_count; k++) {
        fprintf(file, "%s\n          \"%s\": ", k ? "," : "", list->table[k].path);
        write_parameter(file, &list->table[k], &item);
    }
    fputs("\n        }", file);
    if (strcmp(list->name, "solids") == 0) write_shapes(file, list);
    if (strcmp(list->name, "gauges") == 0) write_gauge_kinds(file, list);
    write_needed(file, list);
    fputs("\n      }\n    }", file);
}

static void write_events(FILE *file)
{
    bool is_first = true;
    fprintf(file,
            ",\n    \"events\": {\n      \"description\": \"live parameters that change at a time\",\n"
            "      \"type\": \"array\",\n      \"maxItems\": %d,\n      \"items\": {\n"
            "        \"type\": \"object\",\n        \"additionalProperties\": false,\n"
            "        \"required\": [\"time\", \"set\"],\n        \"properties\": {\n"
            "          \"time\": {\"description\": \"when; in s\", \"type\": \"number\", "
            "\"minimum\": 0, \"maximum\": 1e6},\n"
            "          \"set\": {\n            \"type\": \"object\",\n"
            "            \"additionalProperties\": false,\n            \"properties\": {",
            RNI_SCENE_MAX_EVENTS);
    for (uint32_t k = 0; k < rni_parameter_count; k++) {
        if (!rni_parameters[k].is_live) continue;
        fprintf(file, "%s\n              \"%s\": ", is_first ? "" : ",", rni_parameters[k].path);
        write_parameter(file, &rni_parameters[k], NULL);
        is_first = false;
    }
    fputs("\n            }\n          }\n        }\n      }\n    }", file);
}

void rni_schema_write(FILE *file)
{
    fputs("{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
          "  \"title\": \"Runnel scene\",\n  \"type\": \"object\",\n"
          "  \"additionalProperties\": false,\n  \"properties\": {\n"
          "    \"$schema\": {\"type\": \"string\"}",
          file);
    write_scene(file);
    for (uint32_t k = 0; k < rni_parameter_list_count; k++)
        write_list(file, &rni_parameter_lists[k]);
    write_events(file);
    fputs("\n  }\n}\n", file);
}
