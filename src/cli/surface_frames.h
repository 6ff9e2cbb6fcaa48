/* The frames of which runnel surface makes surfaces: which they are, their walls and spacing. */
#ifndef RNI_CLI_SURFACE_FRAMES_H
#define RNI_CLI_SURFACE_FRAMES_H

#include "output/frame_read.h"
#include "session/scene_walls.h"

/* Zero is empty. */
typedef struct rni_surface_frames {
    bool is_folder;
    char folder[4096]; /* of the frames, without a slash at the end */
    char **name;       /* of each frame, in this folder; in order */
    uint32_t count;
    float spacing;         /* m; 0: find it from the particles */
    rni_scene_walls walls; /* of the scene.json beside the frames; empty: there is none */
} rni_surface_frames;

/* A frame, or all frames of a folder: the .vtp, or without those the .ply. has_walls: use those of the scene. On
 * failure release, too. */
rn_result rni_surface_frames_open(const char *path, bool has_walls, rni_surface_frames *frames);
void rni_surface_frames_release(rni_surface_frames *frames);

/* Reads frame n. points has its particles, spacing and walls; file holds them. RN_ERROR_FILE also for 2D frames and
 * frames without particles. Any thread. */
rn_result rni_surface_frames_read(rni_surface_frames *frames, uint32_t n, rni_frame_file *file,
                                  rn_surface_points *points);

#endif
