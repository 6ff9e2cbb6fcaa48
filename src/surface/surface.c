/* Life of an rn_surface, and the stages of rn_surface_build() in order. */
#include "surface/surface.h"

#include "base/clock.h"
#include "base/cpu.h"
#include "base/output.h"

#include <math.h>
#include <string.h>

const char *rn_surface_kernel_name(uint32_t kernel)
{
    static const char *const names[] = {"isotropic", "anisotropic"};
    return kernel < 2 ? names[kernel] : NULL;
}

rn_surface_def rn_surface_def_default(void)
{
    return (rn_surface_def){.struct_bytes = sizeof(rn_surface_def),
                            .voxel = 0.5f,
                            .radius = 2,
                            .keep_volume = true,
                            .level = 0.6f,
                            .smoothing = 10,
                            .keep_triangles = 1};
}

rn_surface_mesh rn_surface_mesh_default(void)
{
    return (rn_surface_mesh){.struct_bytes = sizeof(rn_surface_mesh), .mesh = rn_mesh_default()};
}

static rn_result check_range(const char *name, float value, float low, float high)
{
    if (value >= low && value <= high) return RN_OK;
    return rni_fail(RN_ERROR_ARGUMENT, "%s is %g; it must be from %g to %g", name, (double)value,
                    (double)low, (double)high);
}

static rn_result check_def(const rn_surface_def *def)
{
    if (def->struct_bytes != sizeof *def)
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "def.struct_bytes is %u instead of %zu; begin with rn_surface_def_default(), and with the "
            "header of the library that is loaded",
            def->struct_bytes, sizeof *def);
    if (!rn_surface_kernel_name((uint32_t)def->kernel))
        return rni_fail(RN_ERROR_ARGUMENT, "kernel is %d; it must be one of rn_surface_kernel",
                        (int)def->kernel);
    if (def->smoothing > 1000)
        return rni_fail(RN_ERROR_ARGUMENT, "smoothing is %u rounds; at most 1000", def->smoothing);
    rn_result result = check_range("voxel", def->voxel, 0.1f, 1);
    if (result == RN_OK) result = check_range("radius", def->radius, 1.5f, 4);
    if (result == RN_OK) result = check_range("level", def->level, 0.05f, 0.95f);
    if (result == RN_OK) result = check_range("keep_triangles", def->keep_triangles, 0.001f, 1);
    return result;
}

static rn_result open_surface(rn_surface *s)
{
    rni_arena_init(&s->arena, &s->memory);
    rn_cpu_level cpu;
    rn_result result = rni_crew_create(&s->memory, s->def.threads, &s->def.tasks, &s->crew);
    if (result == RN_OK) result = rni_cpu_choose(s->def.cpu, &cpu);
    if (result != RN_OK) return result;
    s->kernel = &rni_field_kernel_plain;
#ifdef RNI_X86
    if (cpu == RN_CPU_AVX2) s->kernel = &rni_field_kernel_avx2;
    if (cpu == RN_CPU_AVX512) s->kernel = &rni_field_kernel_avx512;
#endif
    uint32_t workers = rni_crew_size(s->crew);
    s->scratch = rni_memory_take(&s->memory, workers * sizeof *s->scratch);
    if (!s->scratch) return RN_ERROR_MEMORY;
    memset(s->scratch, 0, workers * sizeof *s->scratch);
    s->worker_count = workers;
    return RN_OK;
}

_Static_assert(offsetof(rn_surface, memory) == 0, "rni_memory_begin");

rn_result rn_surface_create(const rn_surface_def *def, rn_surface **out)
{
    if (!out) return rni_fail(RN_ERROR_ARGUMENT, "surface must not be NULL");
    *out = NULL;
    if (!def) return rni_fail(RN_ERROR_ARGUMENT, "def must not be NULL");
    rn_result result = check_def(def);
    if (result != RN_OK) return result;
    void *object;
    result = rni_memory_begin(&def->allocator, sizeof(rn_surface), &object);
    if (result != RN_OK) return result;
    rn_surface *s = object;
    s->def = *def;
    result = open_surface(s);
    if (result != RN_OK) {
        rn_surface_destroy(s);
        return result;
    }
    *out = s;
    return RN_OK;
}

void rn_surface_destroy(rn_surface *s)
{
    if (!s) return;
    rni_memory *memory = &s->memory;
    rni_crew_destroy(s->crew);
    for (uint32_t w = 0; w < s->worker_count; w++) rni_buffer_free(memory, &s->scratch[w]);
    rni_memory_give(memory, s->scratch, s->worker_count * sizeof *s->scratch);
    rni_buffer *const buffers[] = {&s->key,           &s->key_scratch, &s->order,
                                   &s->order_scratch, &s->position,    &s->splat,
                                   &s->block,         &s->table,       &s->bin,
                                   &s->fields,        &s->walls,       &s->evaluated,
                                   &s->inside,        &s->borders,     &s->vertex,
                                   &s->normal,        &s->triangle,    &s->on_wall,
                                   &s->ring_start,    &s->ring,        &s->vertex_scratch,
                                   &s->partial,       &s->kind,        &s->twin,
                                   &s->out,           &s->touched,     &s->quadrics,
                                   &s->around};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        rni_buffer_free(memory, buffers[k]);
    rni_arena_free(&s->arena);
    rni_memory_end(memory, sizeof *s);
}

/* Milliseconds since *since, which becomes now. */
static float lap(double *since)
{
    double now = rni_seconds();
    float ms = (float)(1e3 * (now - *since));
    *since = now;
    return ms;
}

rn_result rni_surface_level_scratch(rn_surface *s)
{
    size_t most = 0;
    for (uint32_t w = 0; w < s->worker_count; w++)
        if (s->scratch[w].bytes > most) most = s->scratch[w].bytes;
    for (uint32_t w = 0; w < s->worker_count; w++) {
        if (s->scratch[w].bytes == most) continue;
        rni_buffer_free(&s->memory, &s->scratch[w]); /* an empty buffer gets exactly what is asked for */
        if (rni_buffer_need(&s->memory, &s->scratch[w], most, 1)) return RN_ERROR_MEMORY;
    }
    return RN_OK;
}

static rn_result run_stages(rn_surface *s, rn_surface_mesh *full)
{
    double since = rni_seconds();
    rn_result result = rni_surface_ingest(s);
    if (result == RN_OK) result = rni_surface_find_blocks(s);
    full->sort_ms = lap(&since);
    if (result == RN_OK) result = rni_surface_weigh(s);
    if (result == RN_OK) result = rni_surface_fill_field(s);
    if (result == RN_OK) result = rni_surface_level_scratch(s);
    if (result == RN_OK) result = rni_surface_choose_level(s);
    full->field_ms = lap(&since);
    if (result == RN_OK) result = rni_surface_extract(s);
    if (result == RN_OK) result = rni_surface_refine_level(s);
    full->extract_ms = lap(&since);
    if (result == RN_OK) result = rni_surface_smooth(s);
    full->smooth_ms = lap(&since);
    return result;
}

rn_result rn_surface_build(rn_surface *s, const rn_surface_points *points, rn_surface_mesh *found)
{
    if (!s || !points || !found)
        return rni_fail(RN_ERROR_ARGUMENT, "surface, points and found must not be NULL");
    rn_result result =
        rni_output_check(found, RNI_OUTPUT_BYTES(rn_surface_mesh, smooth_ms), "rn_surface_mesh");
    if (result == RN_OK) result = rni_surface_check_points(points);
    if (result != RN_OK) return result;
    rn_surface_mesh full = rn_surface_mesh_default();
    rni_arena_reset(&s->arena);
    s->points = *points;
    s->vertex_count = s->triangle_count = s->block_count = s->field_count = 0;
    s->volume = s->area = 0;
    if (points->count > 0) result = run_stages(s, &full);
    if (result != RN_OK) return result;
    full.mesh.vertex_count = s->vertex_count;
    full.mesh.triangle_count = s->triangle_count;
    full.mesh.vertex = s->vertex.data;
    full.mesh.triangle = s->triangle.data;
    full.normal = s->normal.data;
    full.volume = s->volume;
    full.area = s->area;
    full.level = s->level;
    full.block_count = s->field_count;
    full.memory_bytes = s->memory.held_bytes;
    rni_output_write(found, &full, sizeof full);
    return RN_OK;
}
