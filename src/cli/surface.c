/* runnel surface: particles to a closed mesh, one frame or a whole run. */
#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/surface_frames.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/parallel.h"
#include "files/mesh_file.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *choice_format(uint32_t place)
{
    static const char *const names[] = {"glb", "ply", "obj", "stl"};
    return place < 4 ? names[place] : NULL;
}

static const rni_option options[] = {
    {"out", RNI_OPTION_FILE, "FILE|DIR",
     "output: a .glb, .ply, .obj or .stl file for a frame (default: surface.glb), a folder for a "
     "folder (default: surface in it)",
     NULL, "a file, e.g. --out water.glb", 0, 0, NULL},
    {"format", RNI_OPTION_CHOICE, "NAME", "of the files of a folder", "glb",
     "a format, e.g. --format ply", 0, 0, choice_format},
    {"kernel", RNI_OPTION_CHOICE, "NAME",
     "isotropic: spheres; anisotropic: ellipsoids along the water (flatter, slower)", "isotropic",
     "a kernel, e.g. --kernel anisotropic", 0, 0, rn_surface_kernel_name},
    {"voxel", RNI_OPTION_NUMBER, "V", "edge of a cube, in spacings", "0.5",
     "0.1 to 1, e.g. --voxel 0.25", 0.1, 1, NULL},
    {"radius", RNI_OPTION_NUMBER, "R", "radius of the kernel, in spacings", "2",
     "1.5 to 4, e.g. --radius 2.5", 1.5, 4, NULL},
    {"smoothing", RNI_OPTION_COUNT, "N", "rounds of smoothing", "10",
     "a whole number, e.g. --smoothing 20", 0, 1000, NULL},
    {"level", RNI_OPTION_NUMBER, "L",
     "level of the field (default: chosen so that the mesh has the volume of the particles)", NULL,
     "0.05 to 0.95, e.g. --level 0.6", 0.05, 0.95, NULL},
    {"keep", RNI_OPTION_NUMBER, "SHARE", "share of the triangles that is kept", "1",
     "above 0, at most 1, e.g. --keep 0.3", 0.001, 1, NULL},
    {"spacing", RNI_OPTION_NUMBER, "S",
     "of the particles, in m (default: of the scene.json beside the frame)", NULL,
     "a positive length, e.g. --spacing 0.01", 1e-9, 1e9, NULL},
    {"no-walls", RNI_OPTION_FLAG, NULL, "do not cut the surface at the walls of the scene", NULL,
     NULL, 0, 0, NULL},
    {"threads", RNI_OPTION_COUNT, "N",
     "number of threads; 0: one per processor; does not change the surface", "0",
     "a whole number, e.g. --threads 2", 0, RNI_MAX_WORKERS, NULL},
    {"progress", RNI_OPTION_CHOICE, "HOW", "progress on stderr", "auto",
     "a way, e.g. --progress none", 0, 0, rni_choice_progress},
    {0}};

/* What happened to a frame. */
typedef struct outcome {
    bool is_done;
    uint32_t particles, vertices, triangles;
    double volume, share; /* m^3; of the volume of the particles */
    char problem[512];    /* empty: none */
} outcome;

typedef struct job {
    rni_surface_frames frames;
    rn_surface_def def;
    char folder[4096]; /* of the output; empty: one file */
    const char *file;
    const char *format;
    rn_surface *surface[RNI_MAX_WORKERS]; /* one a worker, made when it is needed */
    outcome *outcomes;
    _Atomic uint32_t done_count;
    rni_meter meter;
} job;

static void path_of(const job *j, uint32_t n, char path[4400])
{
    if (j->file) {
        snprintf(path, 4400, "%s", j->file);
        return;
    }
    const char *name = j->frames.name[n];
    const char *number = strchr(name, '_');
    const char *dot = strrchr(name, '.');
    snprintf(path, 4400, "%s/surface%.*s.%s", j->folder, number ? (int)(dot - number) : 0,
             number ? number : "", j->format);
}

static rn_result make_surface(job *j, uint32_t n, rn_surface *surface, rni_frame_file *file)
{
    outcome *o = &j->outcomes[n];
    char path[4400];
    rn_surface_points points;
    rn_surface_mesh found = rn_surface_mesh_default();
    rn_result result = rni_surface_frames_read(&j->frames, n, file, &points);
    if (result == RN_OK) result = rn_surface_build(surface, &points, &found);
    if (result != RN_OK) return result;
    path_of(j, n, path);
    rn_mesh mesh = found.mesh;
    mesh.normal = found.normal;
    double spacing = (double)points.spacing;
    o->particles = points.count;
    o->vertices = mesh.vertex_count;
    o->triangles = mesh.triangle_count;
    o->volume = found.volume;
    o->share = found.volume / (spacing * spacing * spacing * points.count);
    return rni_mesh_file_write(path, &mesh);
}

static void do_frame(void *data, uint32_t n, uint32_t worker)
{
    job *j = data;
    outcome *o = &j->outcomes[n];
    if (rni_signals_caught()) return;
    rni_frame_file file = {0};
    rn_result result = RN_OK;
    if (!j->surface[worker]) result = rn_surface_create(&j->def, &j->surface[worker]);
    if (result == RN_OK) result = make_surface(j, n, j->surface[worker], &file);
    rni_frame_file_release(&file);
    o->is_done = result == RN_OK;
    if (result != RN_OK) snprintf(o->problem, sizeof o->problem, "%s", rn_last_error());
    uint32_t done = atomic_fetch_add(&j->done_count, 1) + 1;
    /* The first worker is the calling thread: only this one prints. */
    rni_meter_place place = {
        .share = (double)done / j->frames.count, .step = done, .particles = o->particles};
    if (worker == 0) rni_meter_move(&j->meter, &place);
}

/* --- one frame, or all ------------------------------------------------------------------------------- */

static int report_frame(const rni_command *command, const job *j)
{
    const outcome *o = &j->outcomes[0];
    if (!o->is_done) return rni_give_up(command, "%s", o->problem);
    printf("%s: %u vertices, %u triangles, %.4g m^3, %.1f %% of the volume of %u particles\n",
           j->file, o->vertices, o->triangles, o->volume, 100 * o->share, o->particles);
    return RNI_EXIT_DONE;
}

static int report_folder(const rni_command *command, const job *j, double seconds)
{
    uint32_t done = 0, failed = 0;
    char text[32];
    for (uint32_t n = 0; n < j->frames.count; n++) {
        const outcome *o = &j->outcomes[n];
        done += o->is_done;
        failed += o->problem[0] != 0;
        if (o->problem[0]) fprintf(stderr, "%s: %s; skipped\n", command->path, o->problem);
    }
    if (rni_signals_caught())
        return rni_give_up(command, "ended by %s after %u of %u frames",
                           rni_signals_name(rni_signals_caught()), done, j->frames.count);
    if (done == 0)
        return rni_give_up(command, "none of the %u frames has a surface", j->frames.count);
    printf("%s: %u surfaces in %s", j->folder, done, rni_duration(seconds, text));
    if (failed > 0) printf("; %u frames skipped", failed);
    putchar('\n');
    return RNI_EXIT_DONE;
}

static int choose_output(const rni_arguments *arguments, job *j)
{
    const char *out = rni_arguments_text(arguments, "out");
    j->format = choice_format(rni_arguments_choice(arguments, "format"));
    if (j->frames.is_folder) {
        if (out) snprintf(j->folder, sizeof j->folder, "%s", out);
        else snprintf(j->folder, sizeof j->folder, "%.4000s/surface", j->frames.folder);
        return rni_outputs_make_folder(arguments->command, j->folder);
    }
    if (rni_arguments_has(arguments, "format"))
        return rni_misuse(arguments->command,
                          "--format is for folders; a file has it in its name: --out water.%s",
                          j->format);
    j->file = out ? out : "surface.glb";
    const rni_output output = {"--out", j->file};
    if (rni_mesh_file_check_name(j->file) != RN_OK)
        return rni_misuse(arguments->command, "--out: %s", rn_last_error());
    return rni_outputs_check(arguments->command, arguments->operand[0], &output, 1);
}

static rn_surface_def def_of(const rni_arguments *arguments)
{
    rn_surface_def def = rn_surface_def_default();
    def.kernel = (rn_surface_kernel)rni_arguments_choice(arguments, "kernel");
    def.voxel = (float)rni_arguments_number(arguments, "voxel");
    def.radius = (float)rni_arguments_number(arguments, "radius");
    def.smoothing = rni_arguments_count(arguments, "smoothing");
    def.keep_triangles = (float)rni_arguments_number(arguments, "keep");
    def.threads = rni_arguments_count(arguments, "threads");
    if (rni_arguments_has(arguments, "level")) {
        def.keep_volume = false;
        def.level = (float)rni_arguments_number(arguments, "level");
    }
    return def;
}

/* Frames of a folder are shared out over threads, one thread each; a single frame uses them all. */
static rn_result do_all(job *j, uint32_t threads, rni_meter_kind progress)
{
    static const rn_allocator standard = {0};
    static const rn_tasks none = {0};
    rni_memory memory;
    rni_crew *crew = NULL;
    rn_result result = rni_memory_init(&memory, &standard);
    j->outcomes = calloc(j->frames.count, sizeof *j->outcomes);
    if (!j->outcomes) return rni_fail(RN_ERROR_MEMORY, "no memory for %u frames", j->frames.count);
    if (result == RN_OK) result = rni_crew_create(&memory, j->file ? 1 : threads, &none, &crew);
    if (result != RN_OK) return result;
    if (!j->file) j->def.threads = 1;
    j->meter = rni_meter_begin(j->file ? RNI_METER_NONE : progress, 0);
    rni_signals_watch();
    rni_crew_pieces(crew, j->frames.count, do_frame, j);
    rni_meter_place place = {.share = 1, .step = j->done_count};
    rni_meter_end(&j->meter, &place);
    rni_crew_destroy(crew);
    return RN_OK;
}

static int run(const rni_arguments *arguments)
{
    const rni_command *command = arguments->command;
    job *j = calloc(1, sizeof *j);
    if (!j) return rni_give_up(command, "no memory");
    double begin = rni_seconds();
    int code = RNI_EXIT_DONE;
    j->def = def_of(arguments);
    if (rni_surface_frames_open(arguments->operand[0], !rni_arguments_has(arguments, "no-walls"),
                                &j->frames) != RN_OK)
        code = rni_give_up(command, "%s", rn_last_error());
    if (rni_arguments_has(arguments, "spacing"))
        j->frames.spacing = (float)rni_arguments_number(arguments, "spacing");
    if (code == RNI_EXIT_DONE) code = choose_output(arguments, j);
    if (code == RNI_EXIT_DONE &&
        do_all(j, j->def.threads, (rni_meter_kind)rni_arguments_choice(arguments, "progress")) !=
            RN_OK)
        code = rni_give_up(command, "%s", rn_last_error());
    else if (code == RNI_EXIT_DONE)
        code = j->file ? report_frame(command, j) : report_folder(command, j, rni_seconds() - begin);
    for (uint32_t w = 0; w < RNI_MAX_WORKERS; w++) rn_surface_destroy(j->surface[w]);
    rni_surface_frames_release(&j->frames);
    free(j->outcomes);
    free(j);
    return code;
}

const rni_command rni_command_surface = {
    .name = "surface",
    .path = "runnel surface",
    .summary =
        "turns particles into the closed surface of the water, as a mesh for Blender and others",
    .usage = "FRAME|DIR [options]",
    .about =
        "FRAME is a .vtp or .ply file of a run, or a .h5 file, of which the last frame is taken; or the "
        "points of\n"
        "another program as .ply, .xyz, .csv or .npy. DIR is the\n"
        "folder of a run: every frame becomes a file. The spacing of the particles and the walls at which "
        "the\n"
        "surface ends are those of the scene.json in the same folder. Frames that cannot be read are named "
        "and\n"
        "skipped. 2D frames have no surface.",
    .examples = "runnel surface dam/particles_000050.vtp --out water.glb\n"
                "runnel surface dam --format ply --threads 2",
    .operand_min = 1,
    .operand_max = 1,
    .operand_name = "FRAME",
    .options = options,
    .run = run,
};
