/* runnel mesh info and runnel mesh repair; mesh_make.c has runnel mesh make. */
#include "cli/command.h"
#include "cli/mesh_report.h"
#include "cli/outputs.h"

#include "base/parallel.h"
#include "files/mesh_file.h"

#include <math.h>

/* --- info -------------------------------------------------------------------------------------- */

static const rni_option info_options[] = {
    {"spacing", RNI_OPTION_NUMBER, "S",
     "of the particles, in m: also look for thinner walls and narrower gaps", NULL,
     "a positive length, e.g. --spacing 0.005", 1e-30, 1e30, NULL},
    {"threads", RNI_OPTION_COUNT, "N", "number of threads; 0: one per processor", "0",
     "a whole number, e.g. --threads 2", 0, RNI_MAX_WORKERS, NULL},
    {"json", RNI_OPTION_FLAG, NULL, "print one JSON object", NULL, NULL, 0, 0, NULL},
    {0}};

static int run_info(const rni_arguments *arguments)
{
    const char *path = arguments->operand[0], *format = "";
    const double spacing = rni_arguments_number(arguments, "spacing");
    rn_mesh_data *data;
    rn_mesh_diagnosis d;
    if (!rni_mesh_open(path, &data, &format) ||
        !rni_mesh_diagnose_all(data, spacing, rni_arguments_count(arguments, "threads"), &d)) {
        rn_mesh_data_destroy(data);
        return rni_give_up(arguments->command, "%s", rn_last_error());
    }
    const bool has_texture = rn_mesh_data_get_mesh(data).texture != NULL;
    if (rni_arguments_has(arguments, "json")) {
        rni_json json = rni_json_begin(stdout);
        rni_json_text(&json, "file", path);
        rni_json_text(&json, "format", format);
        rni_mesh_report_json(&json, &d, spacing, has_texture);
        rni_json_end(&json);
        fputc('\n', stdout);
    } else {
        printf("file      %s (%s)\n", path, format);
        rni_mesh_report_print(stdout, &d, spacing, has_texture);
    }
    rn_mesh_data_destroy(data);
    return RNI_EXIT_DONE;
}

static const rni_command command_info = {
    .name = "info",
    .path = "runnel mesh info",
    .summary =
        "diagnoses a mesh: holes, flipped and useless triangles, self-intersections, thin walls",
    .usage = "FILE [--spacing S] [--json]",
    .about =
        "FILE is OBJ, PLY, STL or binary glTF (.glb); - is standard input. Every kind of fault is counted,\n"
        "with the triangles (the first is 0) and places of the first eight. The exit status is 0 also for a\n"
        "mesh with faults.",
    .examples = "runnel mesh info colon.glb --spacing 0.005\n"
                "runnel mesh info bowl.stl --json",
    .operand_min = 1,
    .operand_max = 1,
    .operand_name = "FILE",
    .options = info_options,
    .run = run_info,
};

/* --- repair ------------------------------------------------------------------------------------ */

static const rni_option repair_options[] = {
    {"out", RNI_OPTION_FILE, "FILE", "output file (.obj, .ply, .stl or .glb); -o is the same", NULL,
     "a file, e.g. -o clean.glb", 0, 0, NULL},
    {"weld", RNI_OPTION_NUMBER, "D",
     "vertices this close become one, in m (default: 1e-6 of the diagonal)", NULL,
     "a length, e.g. --weld 1e-5; 0 welds equal vertices only", 0, 1e30, NULL},
    {"keep-orientation", RNI_OPTION_FLAG, NULL, "do not turn triangles", NULL, NULL, 0, 0, NULL},
    {"json", RNI_OPTION_FLAG, NULL, "print one JSON object", NULL, NULL, 0, 0, NULL},
    {0}};

static void print_done(const rn_mesh_repair_report *r)
{
    printf("welded    %u vertices, within %.3g m\n", r->welded_vertex_count, r->weld_tolerance);
    printf("dropped   %u degenerate and %u duplicate triangles, %u unused vertices\n",
           r->degenerate_triangle_count, r->duplicate_triangle_count, r->unused_vertex_count);
    if (r->split_triangle_count)
        printf("cut       %u triangles at a corner on their edge\n", r->split_triangle_count);
    printf("turned    %u triangles", r->turned_triangle_count);
    if (r->turned_shell_count) printf("; %u closed parts were inside out", r->turned_shell_count);
    fputc('\n', stdout);
}

static void json_done(rni_json *json, const rn_mesh_repair_report *r)
{
    rni_json_number(json, "weld_tolerance", r->weld_tolerance);
    rni_json_whole(json, "welded_vertices", r->welded_vertex_count);
    rni_json_whole(json, "removed_vertices", r->unused_vertex_count);
    rni_json_whole(json, "degenerate_triangles", r->degenerate_triangle_count);
    rni_json_whole(json, "duplicate_triangles", r->duplicate_triangle_count);
    rni_json_whole(json, "cut_triangles", r->split_triangle_count);
    rni_json_whole(json, "turned_triangles", r->turned_triangle_count);
    rni_json_whole(json, "turned_parts", r->turned_shell_count);
}

static bool repair_and_write(const rni_arguments *arguments, rn_mesh_data *data,
                             rn_mesh_repair_report *report, rn_mesh_diagnosis *d)
{
    rn_mesh_repair_def def = rn_mesh_repair_def_default();
    if (rni_arguments_has(arguments, "weld"))
        def.weld_tolerance = rni_arguments_number(arguments, "weld");
    def.keeps_orientation = rni_arguments_has(arguments, "keep-orientation");
    *report = rn_mesh_repair_report_default();
    if (rn_mesh_repair(data, &def, report) != RN_OK || !rni_mesh_diagnose_all(data, 0, 0, d))
        return false;
    const rn_mesh mesh = rn_mesh_data_get_mesh(data);
    return rni_mesh_file_write(rni_arguments_text(arguments, "out"), &mesh) == RN_OK;
}

static int run_repair(const rni_arguments *arguments)
{
    const char *path = arguments->operand[0], *format = "";
    const rni_output out = {"-o", rni_arguments_text(arguments, "out")};
    if (!out.path)
        return rni_misuse(arguments->command, "-o is missing: the file to write, e.g. -o clean.glb");
    if (rni_mesh_file_check_name(out.path) != RN_OK)
        return rni_misuse(arguments->command, "%s", rn_last_error());
    const int code = rni_outputs_check(arguments->command, path, &out, 1);
    if (code != RNI_EXIT_DONE) return code;
    rn_mesh_data *data;
    rn_mesh_repair_report report;
    rn_mesh_diagnosis d;
    if (!rni_mesh_open(path, &data, &format) || !repair_and_write(arguments, data, &report, &d)) {
        rn_mesh_data_destroy(data);
        return rni_give_up(arguments->command, "%s", rn_last_error());
    }
    const bool has_texture = rn_mesh_data_get_mesh(data).texture != NULL;
    if (rni_arguments_has(arguments, "json")) {
        rni_json json = rni_json_begin(stdout);
        rni_json_text(&json, "file", out.path);
        json_done(&json, &report);
        rni_mesh_report_json(&json, &d, 0, has_texture);
        rni_json_end(&json);
        fputc('\n', stdout);
    } else {
        print_done(&report);
        printf("file      %s\n", out.path);
        rni_mesh_report_print(stdout, &d, 0, has_texture);
    }
    rn_mesh_data_destroy(data);
    return RNI_EXIT_DONE;
}

static const rni_command command_repair = {
    .name = "repair",
    .path = "runnel mesh repair",
    .summary = "welds vertices, drops useless triangles, orients a mesh, and says what it did",
    .usage = "FILE -o FILE [options]",
    .about =
        "Holes are not filled and self-intersections are not cut: the report names those that remain.",
    .examples = "runnel mesh repair scan.stl -o clean.glb\n"
                "runnel mesh repair scan.stl -o clean.stl --weld 1e-5",
    .operand_min = 1,
    .operand_max = 1,
    .operand_name = "FILE",
    .options = repair_options,
    .run = run_repair,
};

/* --- the group --------------------------------------------------------------------------------- */

static const rni_command *const children[] = {&command_info, &command_repair,
                                              &rni_command_mesh_make, NULL};

const rni_command rni_command_mesh = {
    .name = "mesh",
    .path = "runnel mesh",
    .summary = "diagnoses, repairs and makes triangle meshes",
    .usage = "WHAT [options]",
    .examples = "runnel mesh make colon -o colon.glb --seed 2\n"
                "runnel mesh info colon.glb --spacing 0.005\n"
                "runnel mesh repair scan.stl -o clean.glb",
    .children = children,
};
