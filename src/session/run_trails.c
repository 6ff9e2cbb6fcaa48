/* The films of a run: on the triangles with every frame, as a picture of the texture at the end. */
#include "session/run.h"

#include "base/error.h"
#include "render/picture.h"
#include "solid/solid.h"
#include "solid/wall_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool has_film(const rni_run *run, uint32_t k)
{
    const rni_scene_solid *s = &run->scene->solids[k];
    return s->is_wall && rni_solid_shape_has_mesh(s->shape) && s->trail > 0;
}

/* The triangles of a solid in the world, with the film at their vertices; the arrays are from malloc, vertex first. */
static rn_result take_film(rni_run *run, uint32_t k, rn_triangles *out)
{
    rni_solid solid;
    const rn_solid def = rni_scene_solid_of(&run->scene->solids[k]);
    rn_result result = rni_solid_place(&def, run->scene->def.dim, &solid);
    if (result != RN_OK) return result;
    const rn_mesh *mesh = &def.mesh->mesh;
    float *block = malloc(4 * sizeof(float) * ((size_t)mesh->vertex_count + 1));
    if (!block) return rni_fail(RN_ERROR_MEMORY, "no memory for the film of a solid");
    float *film = block + 3 * (size_t)mesh->vertex_count;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        double own[3], x[3];
        for (size_t a = 0; a < 3; a++) own[a] = (double)mesh->vertex[3 * v + a];
        rni_wall_mesh_leave(&solid, own, x);
        for (size_t a = 0; a < 3; a++) block[3 * v + a] = (float)x[a];
    }
    *out = (rn_triangles){.name = "mesh",
                          .vertex_count = mesh->vertex_count,
                          .index_count = 3 * mesh->triangle_count,
                          .vertex = block,
                          .index = mesh->triangle,
                          .film = film};
    return rn_fluid_get_film_at_vertices(run->fluid, run->built.solid[k], film);
}

rn_result rni_run_save_films(rni_run *run, uint64_t frame_number)
{
    const uint32_t count = run->scene->solid_count;
    rn_frame frame = rn_frame_default();
    char name[64], path[RNI_PATH_BYTES];
    uint32_t films = 0;
    for (uint32_t k = 0; k < count; k++) films += has_film(run, k);
    if (films == 0 || !(run->series.formats >> RNI_FORMAT_VTP & 1)) return RN_OK;
    rn_triangles *triangles = calloc(films, sizeof *triangles);
    rn_pose *pose = calloc(films, sizeof *pose);
    rn_result result =
        triangles && pose ? RN_OK : rni_fail(RN_ERROR_MEMORY, "no memory for %u films", films);
    for (uint32_t k = 0, n = 0; k < count && result == RN_OK; k++) {
        if (!has_film(run, k)) continue;
        pose[n] = (rn_pose){.triangles = n, .rotation = {0, 0, 0, 1}};
        result = take_film(run, k, &triangles[n++]);
    }
    if (result == RN_OK) {
        frame.triangles = triangles, frame.triangles_count = films;
        frame.pose = pose, frame.pose_count = films;
        snprintf(name, sizeof name, "films_%06llu.vtp", (unsigned long long)frame_number);
        rni_run_path(run, name, path);
        result = rni_vtp_write_solids(path, &frame);
    }
    for (uint32_t n = 0; triangles && n < films; n++) free((void *)(uintptr_t)triangles[n].vertex);
    free(triangles);
    free(pose);
    return result;
}

/* White where the film is as thick as the trail, black where there is none. */
static rn_result save_picture(rni_run *run, uint32_t k)
{
    const rni_scene_solid *s = &run->scene->solids[k];
    rn_fluid_film film = rn_fluid_film_default();
    char name[96], path[RNI_PATH_BYTES];
    rn_result result = rn_fluid_get_film(run->fluid, run->built.solid[k], &film);
    if (result != RN_OK) return result;
    const size_t texels = (size_t)film.width * film.height;
    uint8_t *rgba = malloc(4 * texels);
    if (!rgba) return rni_fail(RN_ERROR_MEMORY, "no memory for the picture of a film");
    for (size_t t = 0; t < texels; t++) {
        const size_t row = film.height - 1 - t / film.width; /* v = 0 is at the bottom */
        const float part = film.thickness[row * film.width + t % film.width] / s->trail;
        const uint8_t gray = (uint8_t)lrintf(255 * fminf(fmaxf(part, 0), 1));
        memset(rgba + 4 * t, gray, 3);
        rgba[4 * t + 3] = 255;
    }
    snprintf(name, sizeof name, "film_%u.png", k);
    rni_run_path(run, name, path);
    result = rni_png_write(path, rgba, film.width, film.height);
    free(rgba);
    return result;
}

rn_result rni_run_save_film_pictures(rni_run *run)
{
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < run->scene->solid_count && result == RN_OK; k++)
        if (has_film(run, k)) result = save_picture(run, k);
    return result;
}
