/* Cameras that move: around the scene, or through keyframes. */
#ifndef RNI_RENDER_CAMERA_PATH_H
#define RNI_RENDER_CAMERA_PATH_H

#include "render/picture.h"

#define RNI_CAMERA_KEYS 256u

typedef struct rni_camera_key {
    double time; /* s of the video */
    float eye[3], target[3];
    float fov; /* degrees; 0: that of the picture */
} rni_camera_key;

/* Zero: the camera stays where it is. */
typedef struct rni_camera_path {
    float orbit; /* degrees around the target from the first to the last picture; 0: none */
    uint32_t key_count;
    rni_camera_key key[RNI_CAMERA_KEYS]; /* by ascending time */
} rni_camera_path;

/* The camera of a picture: time in the video, and how much of it has passed, 0 to 1. Keys are joined
 * smoothly (Catmull and Rom). */
rn_result rni_camera_path_place(const rni_camera_path *path, double time, double share,
                                rni_picture *picture);

/* Fixes what the pictures of a film show: the scene as it is found for this one. Without it, a camera that finds its
 * own place would move with the water. Does nothing to a picture that has a scene. */
rn_result rni_camera_hold(rni_picture *picture);

#endif
