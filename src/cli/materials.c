/* runnel materials: fluids with published numbers. */
#include "scene/materials.h"
#include "cli/command.h"
#include "cli/spelling.h"
#include "files/json.h"

#include <string.h>

/* The first row of the table is none. */
static const char *choice_material(uint32_t place)
{
    const rni_material *material = rni_material_at(place + 1);
    return material ? material->name : NULL;
}

static const char *law_of(const rni_material *m)
{
    return rn_fluid_choice_name(RN_CHOICE_LAW, m->law);
}

static void put_json(const rni_material *m)
{
    rni_json json = rni_json_begin(stdout);
    rni_json_text(&json, "name", m->name);
    rni_json_text(&json, "title", m->title);
    rni_json_number(&json, "rest_density", (double)m->density);
    rni_json_text(&json, "viscosity_law", law_of(m));
    rni_json_number(&json, "viscosity", (double)m->viscosity);
    rni_json_number(&json, "flow_index", (double)m->flow_index);
    rni_json_number(&json, "viscosity_infinite", (double)m->infinite);
    rni_json_number(&json, "shear_time", (double)m->shear_time);
    rni_json_number(&json, "yield_stress", (double)m->yield_stress);
    if (m->tension > 0) rni_json_number(&json, "surface_tension", (double)m->tension);
    rni_json_text(&json, "viscosity_solver",
                  rn_fluid_choice_name(RN_CHOICE_SOLVER, rni_material_is_paste(m)));
    rni_json_text(&json, "density_source", m->sources[0]);
    rni_json_text(&json, "viscosity_source", m->sources[1]);
    if (m->tension > 0) rni_json_text(&json, "tension_source", m->sources[2]);
    rni_json_end(&json);
}

static void print_one(const rni_material *m)
{
    printf("%s: %s\n", m->name, m->title);
    printf("  rest_density        %.6g kg/m^3 (%s)\n", (double)m->density, m->sources[0]);
    printf("  viscosity_law       %s (%s)\n", law_of(m), m->sources[1]);
    printf("  viscosity           %.4g Pa s%s\n", (double)m->viscosity,
           m->law == RN_LAW_POWER || m->law == RN_LAW_BINGHAM ? "^n" : "");
    if (m->law != RN_LAW_NEWTONIAN) printf("  flow_index          %.4g\n", (double)m->flow_index);
    if (m->infinite > 0) printf("  viscosity_infinite  %.4g Pa s\n", (double)m->infinite);
    if (m->shear_time > 0) printf("  shear_time          %.4g s\n", (double)m->shear_time);
    if (m->yield_stress > 0) printf("  yield_stress        %.4g Pa\n", (double)m->yield_stress);
    if (m->tension > 0)
        printf("  surface_tension     %.4g N/m (%s)\n", (double)m->tension, m->sources[2]);
    if (rni_material_is_paste(m)) printf("  viscosity_solver    implicit\n");
}

static void print_list(bool is_json)
{
    const rni_material *m;
    if (is_json) fputs("[", stdout);
    else printf("%-19s%-36s%10s  %-10s%12s%10s\n", "name", "fluid", "kg/m^3", "law", "Pa s", "N/m");
    for (uint32_t place = 1; (m = rni_material_at(place)) != NULL; place++) {
        if (is_json) {
            fputs(place > 1 ? ",\n " : "", stdout);
            put_json(m);
            continue;
        }
        char tension[16] = "-";
        if (m->tension > 0) snprintf(tension, sizeof tension, "%.4g", (double)m->tension);
        printf("%-19s%-36s%10.6g  %-10s%12.4g%10s\n", m->name, m->title, (double)m->density,
               law_of(m), (double)m->viscosity, tension);
    }
    if (is_json) fputs("]\n", stdout);
}

static int refuse(const rni_command *command, const char *name)
{
    const char *near = NULL, *known;
    for (uint32_t k = 0; !near && (known = choice_material(k)) != NULL; k++)
        if (rni_spelling_is_near(name, known) || (strlen(name) >= 3 && strstr(known, name)))
            near = known;
    if (near) return rni_misuse(command, "there is no material '%s'; did you mean %s?", name, near);
    return rni_misuse(command, "there is no material '%s'; `runnel materials` lists them", name);
}

static int run(const rni_arguments *arguments)
{
    const bool is_json = rni_arguments_has(arguments, "json");
    if (arguments->operand_count == 0) {
        print_list(is_json);
        return RNI_EXIT_DONE;
    }
    const rni_material *m;
    for (uint32_t place = 1; (m = rni_material_at(place)) != NULL; place++) {
        if (strcmp(m->name, arguments->operand[0]) != 0) continue;
        if (is_json) put_json(m), putchar('\n');
        else print_one(m);
        return RNI_EXIT_DONE;
    }
    return refuse(arguments->command, arguments->operand[0]);
}

static const rni_option options[] = {
    {"json", RNI_OPTION_FLAG, NULL,
     "print the list as one JSON array of objects, NAME as one object", NULL, NULL, 0, 0, NULL},
    {0}};

const rni_command rni_command_materials = {
    .name = "materials",
    .path = "runnel materials",
    .summary = "lists fluids with published numbers, from water to ketchup",
    .usage = "[NAME] [--json]",
    .about =
        "A scene takes a material by its name: \"fluid\": {\"material\": \"honey\"}. It sets the rest\n"
        "density, the viscosity and its law, the surface tension and, for pastes, the implicit\n"
        "solver. Values that the scene gives itself are kept. NAME prints one material with the\n"
        "source of each number.",
    .examples = "runnel materials\n"
                "runnel materials blood\n"
                "runnel materials --json",
    .operand_max = 1,
    .operand_name = "NAME",
    .operand_at = choice_material,
    .options = options,
    .run = run,
};
