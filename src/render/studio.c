#include "radiograph/radiograph.h"
#include "render/stage.h"

#include "base/error.h"

#include <runnel/search.h>

#include <stdlib.h>

rn_result rni_studio_create(uint32_t threads, rni_studio **studio)
{
    void *object = NULL;
    *studio = NULL;
    rn_result result = rni_memory_begin(&(rn_allocator){0}, sizeof **studio, &object);
    if (result != RN_OK) return result;
    rni_studio *s = object;
    s->threads = threads;
    result = rni_crew_create(&s->memory, threads, &(rn_tasks){0}, &s->crew);
    if (result == RN_OK) result = rni_tracer_create(&s->tracer);
    if (result == RN_OK) *studio = s;
    else rni_studio_destroy(s);
    return result;
}

void rni_studio_destroy(rni_studio *studio)
{
    if (!studio) return;
    rni_buffer *const buffers[] = {
        &studio->objects,       &studio->vertices, &studio->normals, &studio->marks,
        &studio->spheres,       &studio->specks,   &studio->light,   &studio->light_two,
        &studio->albedo,        &studio->guide,    &studio->splats,  &studio->planes,
        &studio->bodies,        &studio->even,     &studio->photons, &studio->photons_sorted,
        &studio->photon_starts, &studio->joined};
    for (uint32_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        rni_buffer_free(&studio->memory, buffers[k]);
    rni_plate_destroy(studio);
    rn_surface_destroy(studio->surface);
    for (uint32_t k = 0; k < RN_FLUID_MAX_PHASES; k++) {
        rn_surface_destroy(studio->body[k]);
        rni_buffer_free(&studio->memory, &studio->body_even[k]);
    }
    rn_surfels_destroy(studio->surfels);
    rn_search_destroy(studio->search);
    rn_search_destroy(studio->foam_search);
    rni_radiograph_destroy(studio->radiograph);
    rni_tracer_destroy(studio->tracer);
    if (studio->crew) rni_crew_destroy(studio->crew);
    rni_memory_end(&studio->memory, sizeof *studio);
}
