/* What a scene tells a look: walls as meshes with materials, where the water ends, camera and title. */
#ifndef RNI_SESSION_SHOT_SCENE_H
#define RNI_SESSION_SHOT_SCENE_H

#include "render/looks.h"
#include "session/scene_walls.h"
#include "session/session.h"

/* What a shot points into. Zero is empty. */
typedef struct rni_shot_scene {
    rni_session_meshes meshes;
    rni_scene_walls walls;
    const rni_finish **materials;
    const rni_scene *scene; /* NULL: it is not 3D */
    float **films;          /* by mesh, a number a vertex from 0 to 1; NULL: none has been taken */
} rni_shot_scene;

/* Makes what the shots of a scene share; the scene must stay. On failure release, too. */
rn_result rni_shot_scene_make(rni_shot_scene *made, const rni_scene *scene);
/* What a solid is made of in pictures; NULL: chosen by its shape. */
const rni_finish *rni_shot_scene_finish(const rni_scene_solid *solid);
/* Meshes, materials and walls of a shot, whose picture has taken the scene already. */
void rni_shot_scene_lend(rni_shot_scene *made, rni_shot *shot);
void rni_shot_scene_release(rni_shot_scene *made);

/* Whether a mesh of the scene that is drawn has a trail. */
bool rni_shot_scene_has_films(const rni_scene *scene);
/* The films that the next shots show: of the fluid (solid: its ids by solid of the scene), or from films_*.vtp of a
 * run. Nothing happens if the scene has none. */
rn_result rni_shot_scene_take_films(rni_shot_scene *made, const rn_fluid *fluid,
                                    const rn_fluid_id *solid);
rn_result rni_shot_scene_read_films(rni_shot_scene *made, const char *path);
void rni_shot_films_release(rni_shot_scene *made); /* rni_shot_scene_release() does so, too */

#endif
