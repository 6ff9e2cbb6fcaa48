#include "scene/parameter_rows.h"

#include "files/json.h"

#include <stdlib.h>
#include <string.h>

/* The union is as large as the largest item: defaults of any list fit. */
typedef union item {
    rni_scene scene;
    rni_scene_solid solid;
    rni_scene_block block;
    rni_scene_ball ball;
    rni_scene_pipe pipe;
    rni_scene_outlet outlet;
    rni_scene_gauge gauge;
    rni_scene_gravity gravity;
} item;

rni_parameter_row rni_parameter_row_make(const rni_parameter *parameter,
                                         const rni_parameter_list *list)
{
    rni_parameter_row r = {
        .parameter = parameter, .list = list, .needs = rni_parameter_needs(parameter)};
    item defaults;
    memset(&defaults, 0, sizeof defaults);
    if (list) {
        list->fill(&defaults);
        snprintf(r.path, sizeof r.path, "%s.N.%s", list->name, parameter->path);
    } else {
        defaults.scene = rni_scene_default();
        snprintf(r.path, sizeof r.path, "%s", parameter->path);
    }
    if (rni_parameter_must_be_given(parameter)) return r;
    FILE *file = fmemopen(r.standard, sizeof r.standard - 1, "w");
    if (file) {
        rni_parameter_write(file, parameter, &defaults);
        fclose(file);
    }
    return r;
}

void rni_parameter_row_write(FILE *file, const rni_parameter_row *r)
{
    const rni_parameter *p = r->parameter;
    rni_json json = rni_json_begin(file);
    rni_json_text(&json, "path", r->path);
    rni_json_text(&json, "type", rni_parameter_type_name(p->type));
    rni_json_text(&json, "unit", p->unit);
    if (p->high > p->low) {
        rni_json_number(&json, "low", p->low);
        rni_json_number(&json, "high", p->high);
    }
    if (p->choice_at) {
        const char *choice;
        rni_json_key(&json, "choices");
        for (uint32_t place = 0; (choice = p->choice_at(place)) != NULL; place++) {
            fputs(place ? ", " : "[", file);
            rni_json_write_text(file, choice);
        }
        fputs("]", file);
    }
    if (*r->standard) {
        rni_json_key(&json, "default");
        fputs(r->standard, file);
    }
    if (p->zero) rni_json_text(&json, "zero", p->zero);
    rni_json_bool(&json, "live", p->is_live);
    rni_json_bool(&json, "required", rni_parameter_must_be_given(p));
    if (p->is_of_shape) rni_json_text(&json, "shapes", rni_parameter_shapes(p).text);
    rni_json_text(&json, "help", p->help);
    rni_json_end(&json);
}

void rni_parameter_rows_write(FILE *file)
{
    bool is_first = true;
    fputc('[', file);
    for (uint32_t l = 0; l <= rni_parameter_list_count; l++) {
        const rni_parameter_list *list = l ? &rni_parameter_lists[l - 1] : NULL;
        const rni_parameter *table = list ? list->table : rni_parameters;
        uint32_t count = list ? list->parameter_count : rni_parameter_count;
        for (uint32_t k = 0; k < count; k++) {
            rni_parameter_row r = rni_parameter_row_make(&table[k], list);
            if (!is_first) fputs(", ", file);
            rni_parameter_row_write(file, &r);
            is_first = false;
        }
    }
    fputc(']', file);
}
