/* Films on the walls of a shot: from the fluid, or from the files of a run, to the vertices that are drawn. */
#include "session/shot_scene.h"

#include "base/error.h"
#include "output/vtp_read.h"
#include "solid/solid.h"
#include "solid/wall_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool has_film(const rni_scene_solid *s)
{
    return s->is_wall && rni_solid_shape_has_mesh(s->shape) && s->trail > 0;
}

static const rn_mesh *mesh_of(const rni_scene_solid *s)
{
    return &rni_scene_solid_of(s).mesh->mesh;
}

/* Where the solid is among the meshes that are drawn; false: it is not. */
static bool place_of(const rni_scene *scene, uint32_t solid, uint32_t *place)
{
    *place = 0;
    for (uint32_t k = 0; k < solid; k++)
        *place += scene->solids[k].is_drawn && scene->solids[k].is_wall;
    return scene->solids[solid].is_drawn && scene->solids[solid].is_wall;
}

bool rni_shot_scene_has_films(const rni_scene *scene)
{
    for (uint32_t k = 0; k < scene->solid_count; k++)
        if (has_film(&scene->solids[k]) && scene->solids[k].is_drawn && scene->def.dim == 3)
            return true;
    return false;
}

/* Arrays for all films, the first time. */
static rn_result make(rni_shot_scene *made)
{
    const rni_scene *scene = made->scene;
    if (made->films) return RN_OK;
    made->films = calloc(scene->solid_count + (size_t)1, sizeof *made->films);
    if (!made->films) return rni_fail(RN_ERROR_MEMORY, "no memory for the films of a picture");
    for (uint32_t k = 0, place; k < scene->solid_count; k++) {
        if (!has_film(&scene->solids[k]) || !place_of(scene, k, &place)) continue;
        made->films[place] = calloc(3 * (size_t)mesh_of(&scene->solids[k])->triangle_count + 1,
                                    sizeof *made->films[place]);
        if (!made->films[place])
            return rni_fail(RN_ERROR_MEMORY, "no memory for the film of a solid");
    }
    return RN_OK;
}

/* From the vertices of the mesh to those that are drawn, three a triangle; in trails. */
static void spread(const rni_scene_solid *s, const float *film, float *to)
{
    const rn_mesh *mesh = mesh_of(s);
    for (size_t c = 0; c < 3 * (size_t)mesh->triangle_count; c++)
        to[c] = fminf(fmaxf(film[mesh->triangle[c]] / s->trail, 0), 1);
}

rn_result rni_shot_scene_take_films(rni_shot_scene *made, const rn_fluid *fluid,
                                    const rn_fluid_id *solid)
{
    const rni_scene *scene = made->scene;
    if (!scene || !rni_shot_scene_has_films(scene)) return RN_OK;
    rn_result result = make(made);
    for (uint32_t k = 0, place; k < scene->solid_count && result == RN_OK; k++) {
        const rni_scene_solid *s = &scene->solids[k];
        if (!has_film(s) || !place_of(scene, k, &place)) continue;
        float *film = malloc(sizeof *film * ((size_t)mesh_of(s)->vertex_count + 1));
        if (!film) return rni_fail(RN_ERROR_MEMORY, "no memory for the film of a solid");
        result = rn_fluid_get_film_at_vertices(fluid, solid[k], film);
        if (result == RN_OK) spread(s, film, made->films[place]);
        free(film);
    }
    return result;
}

/* The films of the file are those of all meshes with one, in the order of the scene. */
static rn_result use_rows(rni_shot_scene *made, const char *path, uint64_t points, const float *row)
{
    const rni_scene *scene = made->scene;
    uint64_t wanted = 0;
    for (uint32_t k = 0; k < scene->solid_count; k++)
        if (has_film(&scene->solids[k])) wanted += mesh_of(&scene->solids[k])->vertex_count;
    if (!row || points != wanted)
        return rni_fail(RN_ERROR_FILE,
                        "%s: has %llu vertices with a film, but the meshes of scene.json have %llu",
                        path, row ? (unsigned long long)points : 0, (unsigned long long)wanted);
    for (uint32_t k = 0, place; k < scene->solid_count; k++) {
        const rni_scene_solid *s = &scene->solids[k];
        if (!has_film(s)) continue;
        if (place_of(scene, k, &place)) spread(s, row, made->films[place]);
        row += mesh_of(s)->vertex_count;
    }
    return RN_OK;
}

rn_result rni_shot_scene_read_films(rni_shot_scene *made, const char *path)
{
    rni_vtp_info info;
    float *row = NULL;
    if (!made->scene || !rni_shot_scene_has_films(made->scene)) return RN_OK;
    rn_result result = make(made);
    if (result == RN_OK) result = rni_vtp_load_vertices(path, "film", 1, &info, &row);
    if (result == RN_OK) result = use_rows(made, path, info.points, row);
    free(row);
    return result;
}

void rni_shot_films_release(rni_shot_scene *made)
{
    for (uint32_t k = 0; made->films && k < made->scene->solid_count; k++) free(made->films[k]);
    free(made->films);
    made->films = NULL;
}
