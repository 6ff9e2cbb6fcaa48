/* runnel mesh make: procedural shapes. */
#include "cli/command.h"
#include "cli/mesh_report.h"
#include "cli/outputs.h"

#include "files/json.h"
#include "files/mesh_file.h"

#include <string.h>

static const char *maker_name(uint32_t place)
{
    const rn_mesh_maker_info *info = rn_mesh_get_maker_info(place);
    return info ? info->name : NULL;
}

static const rni_option options[] = {
    {"out", RNI_OPTION_FILE, "FILE", "output file (.obj, .ply, .stl or .glb); -o is the same", NULL,
     "a file, e.g. -o colon.glb", 0, 0, NULL},
    {"triangles", RNI_OPTION_COUNT, "N",
     "number of triangles; closed shapes have an even number (default: the shape's own)", NULL,
     "a whole number, e.g. --triangles 40000", 1, 1e9, NULL},
    {"seed", RNI_OPTION_COUNT, "S", "another shape of the same kind", "1",
     "a whole number, e.g. --seed 2", 0, 4294967295.0, NULL},
    {"set", RNI_OPTION_SETTING, "NAME=VALUE", "a parameter of the shape; may be repeated", NULL,
     "a parameter, e.g. --set length=0.5", 0, 0, NULL},
    {"list", RNI_OPTION_FLAG, NULL, "print all shapes with their parameters", NULL, NULL, 0, 0, NULL},
    {"json", RNI_OPTION_FLAG, NULL, "print JSON", NULL, NULL, 0, 0, NULL},
    {0}};

/* --- the list ---------------------------------------------------------------------------------- */

static void print_shape(const rn_mesh_maker_info *info)
{
    printf("%-10s %s\n", info->name, info->summary);
    printf("%-10s   %u triangles (at least %u)%s\n", "", info->standard_triangles,
           info->least_triangles, info->has_seed ? "; every seed gives another one" : "");
    for (uint32_t k = 0; k < info->parameter_count; k++) {
        const rn_mesh_parameter *p = &info->parameter[k];
        printf("%-10s   %s=%g  %s; %g to %g\n", "", p->name, p->standard, p->help, p->low, p->high);
    }
}

static void json_shape(const rn_mesh_maker_info *info)
{
    rni_json json = rni_json_begin(stdout);
    rni_json_text(&json, "name", info->name);
    rni_json_text(&json, "summary", info->summary);
    rni_json_whole(&json, "triangles", info->standard_triangles);
    rni_json_whole(&json, "least_triangles", info->least_triangles);
    rni_json_bool(&json, "has_seed", info->has_seed);
    rni_json_key(&json, "parameters");
    fputc('[', stdout);
    for (uint32_t k = 0; k < info->parameter_count; k++) {
        const rn_mesh_parameter *p = &info->parameter[k];
        if (k) fputs(", ", stdout);
        rni_json one = rni_json_begin(stdout);
        rni_json_text(&one, "name", p->name);
        rni_json_number(&one, "default", p->standard);
        rni_json_number(&one, "low", p->low);
        rni_json_number(&one, "high", p->high);
        rni_json_text(&one, "help", p->help);
        rni_json_end(&one);
    }
    fputc(']', stdout);
    rni_json_end(&json);
    fputc('\n', stdout);
}

static int list_shapes(const rni_arguments *arguments)
{
    for (uint32_t k = 0; rn_mesh_get_maker_info(k); k++) {
        if (rni_arguments_has(arguments, "json")) json_shape(rn_mesh_get_maker_info(k));
        else print_shape(rn_mesh_get_maker_info(k));
    }
    return RNI_EXIT_DONE;
}

/* --- one shape --------------------------------------------------------------------------------- */

static void report(const rni_arguments *arguments, const char *path, const rn_mesh_data *data,
                   const rn_mesh_diagnosis *d)
{
    const bool has_texture = rn_mesh_data_get_mesh(data).texture != NULL;
    if (!rni_arguments_has(arguments, "json")) {
        if (path) printf("file      %s\n", path);
        rni_mesh_report_print(stdout, d, 0, has_texture);
        return;
    }
    rni_json json = rni_json_begin(stdout);
    rni_json_text(&json, "shape", arguments->operand[0]);
    if (path) rni_json_text(&json, "file", path);
    rni_mesh_report_json(&json, d, 0, has_texture);
    rni_json_end(&json);
    fputc('\n', stdout);
}

static int make_shape(const rni_arguments *arguments, const char *path)
{
    rn_mesh_make_def def = rn_mesh_make_def_default();
    rn_mesh_data *data;
    rn_mesh_diagnosis d;
    def.name = arguments->operand[0];
    if (rni_arguments_has(arguments, "triangles"))
        def.triangles = rni_arguments_count(arguments, "triangles");
    def.seed = rni_arguments_count(arguments, "seed");
    def.setting = arguments->setting;
    def.setting_count = arguments->setting_count;
    const rn_result result = rn_mesh_make(&def, &data);
    if (result == RN_ERROR_ARGUMENT) return rni_misuse(arguments->command, "%s", rn_last_error());
    bool is_good = result == RN_OK;
    if (is_good && path) {
        const rn_mesh mesh = rn_mesh_data_get_mesh(data);
        is_good = rni_mesh_file_write(path, &mesh) == RN_OK;
    }
    is_good = is_good && rni_mesh_diagnose_all(data, 0, 0, &d);
    if (is_good) report(arguments, path, data, &d);
    rn_mesh_data_destroy(data);
    return is_good ? RNI_EXIT_DONE : rni_give_up(arguments->command, "%s", rn_last_error());
}

static int run(const rni_arguments *arguments)
{
    const rni_output out = {"-o", rni_arguments_text(arguments, "out")};
    if (rni_arguments_has(arguments, "list")) return list_shapes(arguments);
    if (arguments->operand_count == 0)
        return rni_misuse(arguments->command,
                          "the name of a shape is missing; --list prints all, e.g. colon");
    if (out.path && rni_mesh_file_check_name(out.path) != RN_OK)
        return rni_misuse(arguments->command, "%s", rn_last_error());
    if (out.path) {
        const int code = rni_outputs_check(arguments->command, NULL, &out, 1);
        if (code != RNI_EXIT_DONE) return code;
    }
    return make_shape(arguments, out.path);
}

const rni_command rni_command_mesh_make = {
    .name = "make",
    .path = "runnel mesh make",
    .summary = "makes a procedural shape: colon, landscape, channel, pipe, bowl, ...",
    .usage = "NAME [-o FILE] [--triangles N] [--seed S] [--set NAME=VALUE] | --list",
    .about = "Without -o the shape is only diagnosed. The same command makes the same file.",
    .examples = "runnel mesh make --list\n"
                "runnel mesh make colon -o colon.glb --triangles 8040 --seed 2\n"
                "runnel mesh make bowl -o bowl.stl --set radius=0.2",
    .operand_min = 0,
    .operand_max = 1,
    .operand_name = "NAME",
    .operand_at = maker_name,
    .options = options,
    .run = run,
};
