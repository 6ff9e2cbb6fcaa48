#include "scene/parameter_rows.h"

#include "files/json.h"

#include <stdlib.h>
#include <string.h>

rni_parameter_row rni_parameter_row_make(const rni_parameter *parameter,
                                         const rni_parameter_list *list)
{
    rni_parameter_row r = {
        .parameter = parameter, .list = list, .needs = rni_parameter_needs(parameter)};
    rni_parameter_item defaults;
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

static rni_scene of_preset(rn_fluid_preset preset)
{
    rni_scene scene = rni_scene_default();
    rni_scene_set_preset(&scene, preset);
    scene.preset = RN_PRESET_BALANCED; /* no preset sets fluid.preset */
    return scene;
}

static bool differs(const rni_parameter *p, const rni_scene *standard, rn_fluid_preset preset)
{
    const rni_scene scene = of_preset(preset);
    return memcmp((const char *)&scene + p->offset, (const char *)standard + p->offset, p->bytes) !=
           0;
}

/* The value that each preset sets, when they differ: {"live": 0.4, ...}. */
static void write_presets(rni_json *json, const rni_parameter_row *r)
{
    const rni_scene standard = rni_scene_default();
    bool is_set_by_presets = false;
    const char *name;
    for (uint32_t k = 0; !r->list && rn_fluid_choice_name(RN_CHOICE_PRESET, k); k++)
        is_set_by_presets |= differs(r->parameter, &standard, (rn_fluid_preset)k);
    if (!is_set_by_presets) return;
    rni_json_key(json, "presets");
    rni_json presets = rni_json_begin(json->file);
    for (uint32_t k = 0; (name = rn_fluid_choice_name(RN_CHOICE_PRESET, k)) != NULL; k++) {
        const rni_scene scene = of_preset((rn_fluid_preset)k);
        rni_json_key(&presets, name);
        rni_parameter_write(json->file, r->parameter, &scene);
    }
    rni_json_end(&presets);
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
    write_presets(&json, r);
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
