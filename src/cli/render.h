/* runnel render: what its files share. */
#ifndef RNI_CLI_RENDER_H
#define RNI_CLI_RENDER_H

#include "cli/command.h"
#include "cli/picture_source.h"
#include "cli/progress.h"
#include "radiograph/radiograph.h"
#include "render/camera_path.h"
#include "render/film.h"
#include "session/shot_scene.h"

typedef struct rni_render {
    const rni_arguments *arguments;
    const char *out;
    const rni_look *look;
    rni_studio *studio;
    rni_shot shot;             /* the style; and what the scene says, once it is known */
    rni_picture_camera camera; /* the user's */
    rni_camera_path path;
    bool is_video, has_at, has_range;
    double at, from, to;          /* s, simulated */
    uint32_t to_width, to_height; /* pixels of a video, which is enlarged */
    double rate;                  /* pictures per second */
    double seconds;               /* of a video of one frame */
    rni_picture_source source;
    rni_shot_scene made;
    rni_film film;
    rni_radiograph_def xray;
    rn_mesh_data *organ; /* NULL: none */
    rn_mesh organ_mesh;
    bool is_organ_only; /* the operand is the organ: there are no particles */
    uint8_t *rgba;
    rni_meter meter;
    uint32_t drawn, skipped;
} rni_render;

/* Keyframes from a JSON file; a sentence names what is wrong. */
rn_result rni_render_read_keys(const char *path, rni_camera_path *keys);

/* The pictures of a folder of frames, of a scene or of a single frame into the film. On failure a
 * sentence is on stderr and the code is not RNI_EXIT_DONE. */
int rni_render_folder(rni_render *render);
int rni_render_single(rni_render *render);

#endif
