/* Where the particles of a picture come from: a checkpoint, a frame, a point cloud or a scene. */
#ifndef RNI_CLI_PICTURE_SOURCE_H
#define RNI_CLI_PICTURE_SOURCE_H

#include "cli/command.h"
#include "files/point_file.h"
#include "output/frame_read.h"
#include "render/picture.h"
#include "scene/scene.h"

/* What a picture points into. Zero is empty. */
typedef struct rni_picture_source {
    rni_scene *scene;
    rn_fluid *fluid;
    rni_scene_built built; /* of the fluid */
    rni_frame_file frame;
    rni_point_file cloud;
    rn_solid *solids;
    float *position;
    char text[4096]; /* title where a file has none */
} rni_picture_source;

/* Opens what the operand names and fills in the picture: the frame, walls, view, title. picture->color
 * becomes NULL where there is nothing to colour by. On failure a sentence is on stderr and the code is not RNI_EXIT_DONE; release in
 * either case. */
int rni_picture_source_open(const rni_arguments *arguments, rni_picture_source *source,
                            rni_picture *picture);
void rni_picture_source_release(rni_picture_source *source);

/* m: of particles whose file does not say it, by a sample of them (spacing.c). */
float rni_picture_find_spacing(const float *position, uint32_t count);

#endif
