#include "cli/block_bench.h"

#include "bench/surface.h"

#include <math.h>
#include <string.h>

static const rni_option options[] = {
    {"method", RNI_OPTION_CHOICES, "NAME,..",
     "marching-cubes, the same with anisotropic kernels, screen-mesh at 1280 x 720, surfels",
     "marching-cubes,screen-mesh", "a method, e.g. --method surfels", 0, 0, rni_surface_method_name},
    {"particles", RNI_OPTION_COUNTS, "N,..", "number of particles", "32768,262144,1000000",
     "whole numbers, e.g. --particles 32768,1000000", 1, 1 << 28, NULL},
    {"voxel", RNI_OPTION_NUMBER, "V", "marching cubes: edge of a cube, in spacings", "0.5",
     "0.1 to 1, e.g. --voxel 0.25", 0.1, 1, NULL},
    {"cell", RNI_OPTION_COUNT, "PIXELS", "screen-mesh: pixels between nodes", "4",
     "1 to 64, e.g. --cell 2", 1, 64, NULL},
    {"reps", RNI_OPTION_COUNT, "N", "minimum number of surfaces", "3",
     "a whole number, e.g. --reps 5", 1, 1e6, NULL},
    {"peers", RNI_OPTION_FLAG, NULL,
     "also run OpenVDB and VTK on the same particles, in turns with marching cubes", NULL, NULL, 0,
     0, NULL},
    RNI_OPTIONS_OF_BLOCK_BENCH,
    {0}};

static void print_json(const rni_surface_case *c, const rni_surface_row *row)
{
    rni_json json = rni_json_begin(stdout);
    rni_json_text(&json, "method", rni_surface_method_name(c->method));
    rni_json_whole(&json, "particles", c->particles);
    rni_json_whole(&json, "threads", c->threads);
    rni_block_times(&json, row->best_s, row->mean_s, row->cpu_s, row->reps);
    rni_json_whole(&json, "vertices", row->vertices);
    rni_json_whole(&json, "triangles", row->triangles);
    if (c->method <= RNI_SURFACE_ANISOTROPIC) {
        rni_json_rounded(&json, "voxel", (double)c->voxel);
        rni_json_rounded(&json, "volume_ratio", row->volume);
        rni_json_whole(&json, "bytes", row->bytes);
    }
    if (c->method == RNI_SURFACE_SCREEN_MESH) rni_json_whole(&json, "cell", c->cell);
    static const char *const stages[2][4] = {{"sort_ms", "field_ms", "extract_ms", "smooth_ms"},
                                             {"project_ms", "depth_ms", "mesh_ms", NULL}};
    for (uint32_t k = 0; k < 4 && c->method != RNI_SURFACE_SURFELS; k++) {
        const char *name = stages[c->method == RNI_SURFACE_SCREEN_MESH][k];
        if (name) rni_json_rounded(&json, name, (double)row->stage_ms[k]);
    }
    rni_json_end(&json);
    putchar('\n');
}

/* --- peers ------------------------------------------------------------------------------------------- */

#define ROUNDS 3 /* of taking turns */

static const char *const PEERS[] = {"openvdb", "vtk"};
#define PEER_COUNT (sizeof PEERS / sizeof *PEERS)

/* How many times as fast ours is. A peer that begins with the field is compared with our extraction: positions, normals
 * and triangles from the same values. */
typedef struct speedup {
    const char *what;
    double times, cpu_times; /* of wall-clock time; of CPU time, not finite: not known */
} speedup;

static speedup compare(const char *name, const rni_surface_row *peer, const rni_surface_row *ours)
{
    if (rni_surface_peer_reads_field(name))
        return (speedup){"field_to_mesh", 1e3 * peer->best_s / (double)ours->stage_ms[2],
                         (double)NAN};
    return (speedup){"particles_to_mesh", peer->best_s / ours->best_s, peer->cpu_s / ours->cpu_s};
}

static void print_peer(const rni_arguments *arguments, const rni_surface_case *c, const char *name,
                       const rni_surface_row *peer, const rni_surface_row *ours)
{
    const speedup found = compare(name, peer, ours);
    if (!rni_arguments_has(arguments, "json")) {
        printf("peer:%-10s %10u %8u %10.1f %10s %10.1f %10.2f %10u %10u\n", name, c->particles,
               c->threads, 1e3 * peer->best_s, "", 1e3 * peer->cpu_s, 1 / peer->best_s,
               peer->vertices, peer->triangles);
        printf("  %s: ours is %.1f times as fast as %s\n", found.what, found.times, name);
        return;
    }
    rni_json json = rni_json_begin(stdout);
    char method[32], key[64];
    snprintf(method, sizeof method, "peer:%s", name);
    rni_json_text(&json, "method", method);
    rni_json_whole(&json, "particles", c->particles);
    rni_json_whole(&json, "threads", c->threads);
    rni_json_rounded(&json, "ms", 1e3 * peer->best_s);
    rni_json_rounded(&json, "cpu_ms", 1e3 * peer->cpu_s);
    if (isfinite(peer->stage_ms[1])) rni_json_rounded(&json, "field_ms", (double)peer->stage_ms[1]);
    else rni_json_rounded(&json, "ours_extract_ms", (double)ours->stage_ms[2]);
    rni_json_whole(&json, "vertices", peer->vertices);
    rni_json_whole(&json, "triangles", peer->triangles);
    snprintf(key, sizeof key, "speedup_%s", found.what);
    rni_json_rounded(&json, key, found.times);
    snprintf(key, sizeof key, "cpu_speedup_%s", found.what);
    if (isfinite(found.cpu_times)) rni_json_rounded(&json, key, found.cpu_times);
    rni_json_end(&json);
    putchar('\n');
}

/* Marching cubes and peers in turns, so that a busy moment of the machine meets all of them; the best of each. */
static int run_peers(const rni_arguments *arguments, const rni_surface_case *c, rni_surface_row *ours)
{
    rni_surface_row best[PEER_COUNT], row;
    char reason[RNI_REASON_BYTES];
    bool is_there[PEER_COUNT];
    for (size_t k = 0; k < PEER_COUNT; k++) is_there[k] = true;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t k = 0; k < PEER_COUNT; k++) {
            if (!is_there[k]) continue;
            is_there[k] = rni_bench_surface_peer(c, PEERS[k], &row, reason);
            if (!is_there[k]) fprintf(stderr, "%s\n", reason);
            else if (round == 0 || row.best_s < best[k].best_s) best[k] = row;
        }
        if (rni_bench_surface(c, &row) != RN_OK)
            return rni_give_up(arguments->command, "%s", rn_last_error());
        ours->best_s = fmin(ours->best_s, row.best_s);
        ours->cpu_s = fmin(ours->cpu_s, row.cpu_s);
        ours->stage_ms[2] = fminf(ours->stage_ms[2], row.stage_ms[2]);
    }
    for (size_t k = 0; k < PEER_COUNT; k++)
        if (is_there[k]) print_peer(arguments, c, PEERS[k], &best[k], ours);
    return RNI_EXIT_DONE;
}

static int run_case(const rni_arguments *arguments, const rni_surface_case *c)
{
    rni_surface_row row;
    if (rni_bench_surface(c, &row) != RN_OK)
        return rni_give_up(arguments->command, "%s, %u particles: %s",
                           rni_surface_method_name(c->method), c->particles, rn_last_error());
    if (rni_arguments_has(arguments, "json")) print_json(c, &row);
    else
        printf("%-15s %10u %8u %10.1f %10.1f %10.1f %10.2f %10u %10u %8.1f\n",
               rni_surface_method_name(c->method), c->particles, c->threads, 1e3 * row.best_s,
               1e3 * row.mean_s, 1e3 * row.cpu_s, 1 / row.best_s, row.vertices, row.triangles,
               1e-6 * (double)row.bytes);
    int code = RNI_EXIT_DONE;
    if (rni_arguments_has(arguments, "peers") && c->method == RNI_SURFACE_MARCHING_CUBES)
        code = run_peers(arguments, c, &row);
    return rni_block_row_end(code);
}

static int run(const rni_arguments *arguments)
{
    const rni_block_rows rows = rni_block_rows_of(arguments, "method");
    if (!rni_arguments_has(arguments, "json"))
        printf("%-15s %10s %8s %10s %10s %10s %10s %10s %10s %8s\n", "method", "particles",
               "threads", "best ms", "mean ms", "CPU ms", "per s", "vertices", "triangles", "MB");
    int code = RNI_EXIT_DONE;
    for (uint32_t k = 0; k < rows.count && code == RNI_EXIT_DONE; k++) {
        const rni_block_row at = rni_block_row_at(&rows, k);
        rni_surface_case c = {.voxel = (float)rni_arguments_number(arguments, "voxel"),
                              .cell = rni_arguments_count(arguments, "cell"),
                              .reps = rni_arguments_count(arguments, "reps"),
                              .seconds = rni_arguments_number(arguments, "seconds")};
        c.threads = at.threads;
        c.particles = at.particles;
        c.method = (rni_surface_method)at.kind;
        code = run_case(arguments, &c);
    }
    return code;
}

const rni_command rni_command_bench_surface = {
    .name = "surface",
    .path = "runnel bench surface",
    .summary = "measures surfaces of a block of particles",
    .usage = "[options]",
    .about =
        "The particles are a cube on a lattice, each moved by up to a tenth of a spacing. Every row is "
        "the\n"
        "fastest of several surfaces of the same object after a warm-up. Peers take turns with marching\n"
        "cubes: OpenVDB from particles to the mesh of spheres, VTK from the same field to the mesh.",
    .examples =
        "runnel bench surface --json\n"
        "runnel bench surface --method screen-mesh --particles 32768 --seconds 0\n"
        "runnel bench surface --method marching-cubes --particles 32768 --seconds 0 --reps 1 --peers",
    .options = options,
    .run = run,
};
