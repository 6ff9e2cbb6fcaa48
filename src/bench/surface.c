#include "bench/surface.h"
#include "bench/layouts.h"

#include "base/clock.h"
#include "base/error.h"
#include "surface/surface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *rni_surface_method_name(uint32_t place)
{
    static const char *const names[] = {"marching-cubes", "anisotropic", "screen-mesh", "surfels"};
    return place < 4 ? names[place] : NULL;
}

/* The object of the case; one of them. */
typedef struct bench {
    const rni_surface_case *c;
    rn_surface_points points;
    rn_camera camera;
    rn_surface *surface;
    rn_screen *screen;
    rn_surfels *surfels;
} bench;

static rn_result open_bench(bench *b)
{
    rn_surface_def surface = rn_surface_def_default();
    rn_screen_def screen = rn_screen_def_default();
    rn_surfels_def surfels = rn_surfels_def_default();
    surface.threads = screen.threads = surfels.threads = b->c->threads;
    surface.voxel = b->c->voxel;
    surface.kernel =
        b->c->method == RNI_SURFACE_ANISOTROPIC ? RN_SURFACE_ANISOTROPIC : RN_SURFACE_ISOTROPIC;
    screen.cell = b->c->cell;
    switch (b->c->method) {
    case RNI_SURFACE_SCREEN_MESH: return rn_screen_create(&screen, &b->screen);
    case RNI_SURFACE_SURFELS: return rn_surfels_create(&surfels, &b->surfels);
    default: return rn_surface_create(&surface, &b->surface);
    }
}

static rn_result build_surface(bench *b, rni_surface_row *row)
{
    rn_surface_mesh found = rn_surface_mesh_default();
    rn_result result = rn_surface_build(b->surface, &b->points, &found);
    row->vertices = found.mesh.vertex_count;
    row->triangles = found.mesh.triangle_count;
    row->volume = found.volume / b->points.count;
    row->bytes = found.memory_bytes;
    const float ms[4] = {found.sort_ms, found.field_ms, found.extract_ms, found.smooth_ms};
    memcpy(row->stage_ms, ms, sizeof ms);
    return result;
}

static rn_result build_screen(bench *b, rni_surface_row *row)
{
    rn_screen_mesh found = rn_screen_mesh_default();
    rn_result result = rn_screen_build(b->screen, &b->camera, &b->points, &found);
    row->vertices = found.mesh.vertex_count;
    row->triangles = found.mesh.triangle_count;
    const float ms[4] = {found.project_ms, found.depth_ms, found.mesh_ms, 0};
    memcpy(row->stage_ms, ms, sizeof ms);
    return result;
}

static rn_result build_surfels(bench *b, rni_surface_row *row)
{
    rn_surfel_set found = rn_surfel_set_default();
    rn_result result = rn_surfels_build(b->surfels, &b->points, &found);
    row->vertices = found.count;
    return result;
}

static rn_result build(bench *b, rni_surface_row *row)
{
    if (b->screen) return build_screen(b, row);
    return b->surfels ? build_surfels(b, row) : build_surface(b, row);
}

static rn_result measure(bench *b, rni_surface_row *row)
{
    rn_result result = build(b, row);
    double begin = rni_seconds();
    float least[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    *row = (rni_surface_row){.best_s = (double)INFINITY, .cpu_s = (double)INFINITY};
    while (result == RN_OK && (row->reps < b->c->reps || rni_seconds() - begin < b->c->seconds)) {
        double start = rni_seconds();
        double cpu = rni_process_seconds();
        result = build(b, row);
        double passed = rni_seconds() - start;
        if (passed < row->best_s) row->best_s = passed;
        row->cpu_s = fmin(row->cpu_s, rni_process_seconds() - cpu);
        for (uint32_t k = 0; k < 4; k++) least[k] = fminf(least[k], row->stage_ms[k]);
        row->reps++;
    }
    memcpy(row->stage_ms, least, sizeof least);
    row->mean_s = (rni_seconds() - begin) / row->reps;
    return result;
}

/* From the side and above; spacing is 1. */
static void place_camera(bench *b)
{
    float side = cbrtf((float)b->c->particles);
    b->camera = rn_camera_default();
    for (uint32_t k = 0; k < 3; k++) b->camera.target[k] = 0.5f * side;
    b->camera.eye[0] = 1.5f * side;
    b->camera.eye[1] = 1.6f * side;
    b->camera.eye[2] = 2.2f * side;
}

/* Freed by the caller; NULL: no memory. */
static float *make_particles(const rni_surface_case *c)
{
    float *position = malloc((c->particles + (size_t)1) * 3 * sizeof *position);
    if (position) rni_layout_fill(RNI_LAYOUT_SORTED, 3, c->particles, 1, position);
    return position;
}

rn_result rni_bench_surface(const rni_surface_case *c, rni_surface_row *row)
{
    bench b = {.c = c, .points = rn_surface_points_default()};
    float *position = make_particles(c);
    if (!position) return rni_fail(RN_ERROR_MEMORY, "no memory for %u particles", c->particles);
    b.points.position = position;
    b.points.count = c->particles;
    b.points.spacing = 1;
    place_camera(&b);
    rn_result result = open_bench(&b);
    if (result == RN_OK) result = measure(&b, row);
    rn_surface_destroy(b.surface);
    rn_screen_destroy(b.screen);
    rn_surfels_destroy(b.surfels);
    free(position);
    return result;
}

/* --- peers ------------------------------------------------------------------------------------------- */

/* What a peer reads first; bench/peers/surface_peer.h has the same struct. Positions follow, then the values of the
 * grid. */
typedef struct surface_peer_header {
    char magic[8]; /* "runnelp" */
    uint64_t count, threads, reps;
    double seconds, spacing, voxel, radius, level;
    uint64_t grid[3]; /* points; 0: no field */
    double low[3], step[3];
} surface_peer_header;

/* Our field of the particles, for peers that begin with a field. *value: freed by the caller. */
static rn_result make_field(const rni_surface_case *c, const float *position,
                            surface_peer_header *header, float **value)
{
    bench b = {.c = c, .points = rn_surface_points_default()};
    rni_surface_row row;
    b.points.position = position;
    b.points.count = c->particles;
    b.points.spacing = 1;
    rn_result result = open_bench(&b);
    if (result == RN_OK) result = build_surface(&b, &row);
    if (result == RN_OK) {
        const rni_dense_field dense = rni_surface_dense_size(b.surface);
        size_t count = 1;
        for (uint32_t k = 0; k < 3; k++) {
            header->grid[k] = dense.count[k];
            header->low[k] = (double)dense.low[k];
            header->step[k] = (double)dense.step[k];
            count *= dense.count[k];
        }
        header->level = (double)dense.level;
        *value = malloc((count + 1) * sizeof **value);
        if (*value) rni_surface_dense_fill(b.surface, &dense, *value);
        else result = rni_fail(RN_ERROR_MEMORY, "no memory for a field of %zu points", count);
    }
    rn_surface_destroy(b.surface);
    return result;
}

bool rni_surface_peer_reads_field(const char *name)
{
    return strcmp(name, "vtk") == 0;
}

bool rni_bench_surface_peer(const rni_surface_case *c, const char *name, rni_surface_row *row,
                            char reason[RNI_REASON_BYTES])
{
    char answer[1024];
    const rn_surface_def def = rn_surface_def_default();
    float *value = NULL, *position = make_particles(c);
    if (!position) {
        snprintf(reason, RNI_REASON_BYTES, "no memory for %u particles", c->particles);
        return false;
    }
    surface_peer_header header = {
        "runnelp",        c->particles,       c->threads,        c->reps, c->seconds, 1,
        (double)c->voxel, (double)def.radius, (double)def.level, {0},     {0},        {0}};
    bool is_done =
        !rni_surface_peer_reads_field(name) || make_field(c, position, &header, &value) == RN_OK;
    if (!is_done) snprintf(reason, RNI_REASON_BYTES, "%s", rn_last_error());
    const rni_peer_span spans[] = {
        {&header, sizeof header},
        {position, (size_t)c->particles * 3 * sizeof *position},
        {value, header.grid[0] * header.grid[1] * header.grid[2] * sizeof *value}};
    if (is_done) is_done = rni_peer_ask(name, spans, value ? 3 : 2, answer, sizeof answer, reason);
    free(position);
    free(value);
    if (!is_done) return false;
    *row = (rni_surface_row){.best_s = 1e-3 * rni_peer_member(answer, "ms")};
    row->mean_s = (double)NAN;
    row->cpu_s = 1e-3 * rni_peer_member(answer, "cpu_ms");
    row->reps = (uint32_t)rni_peer_member(answer, "reps");
    row->vertices = (uint32_t)rni_peer_member(answer, "vertices");
    row->triangles = (uint32_t)rni_peer_member(answer, "triangles");
    row->stage_ms[1] = (float)rni_peer_member(answer, "field_ms");
    return true;
}
