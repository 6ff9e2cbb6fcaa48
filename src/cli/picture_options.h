/* Options that pictures of all kinds share: size, colours, camera, walls. */
#ifndef RNI_CLI_PICTURE_OPTIONS_H
#define RNI_CLI_PICTURE_OPTIONS_H

#include "cli/command.h"
#include "render/picture.h"

/* Rows of an option table. */
// clang-format off
#define RNI_OPTIONS_OF_A_PICTURE \
    {"size", RNI_OPTION_TEXT, "WxH", "width and height of the picture in pixels", "1280x720", \
     "two numbers, e.g. --size 1920x1080", 0, 0, NULL}, \
    {"color", RNI_OPTION_CHOICE, "WHAT", "attribute that sets the colour of the particles", \
     "density", "a quantity, e.g. --color speed", 0, 0, rni_picture_color_name}, \
    {"range", RNI_OPTION_TEXT, "A:B", \
     "values that get the first and the last colour of the colour bar; values beyond get the " \
     "same colours (default: from the particles, without the highest 2 %)", \
     NULL, "two numbers, e.g. --range 990:1010", 0, 0, NULL}, \
    {"eye", RNI_OPTION_TEXT, "X,Y,Z", \
     "position of the camera in metres (default: the whole domain is visible)", NULL, \
     "a place, e.g. --eye 2,1.5,4", 0, 0, NULL}, \
    {"target", RNI_OPTION_TEXT, "X,Y,Z", "point that the camera looks at", NULL, \
     "a place, e.g. --target 0.5,0.2,0.5", 0, 0, NULL}, \
    {"fov", RNI_OPTION_NUMBER, "DEGREES", "vertical field of view", NULL, \
     "1 to 150 degrees, e.g. --fov 30", 1, 150, NULL}, \
    {"walls", RNI_OPTION_CHOICE, "HOW", \
     "how walls and solids are drawn; solid: opaque, but like glass where they hide the fluid", \
     "solid", "a way, e.g. --walls glass", 0, 0, rni_picture_walls_name}
// clang-format on

/* For videos. */
// clang-format off
#define RNI_OPTION_SCALE \
    {"scale", RNI_OPTION_NUMBER, "S", \
     "share of width and height at which the pictures of a video are drawn, before they are enlarged", "1", \
     "0.25 to 1, e.g. --scale 0.5", 0.25, 1, NULL}
// clang-format on

/* Exactly count numbers with a separator between them. */
bool rni_read_numbers(const char *text, char separator, uint32_t count, double *number);

/* Each takes an option; on misuse a sentence is on stderr and the code is not RNI_EXIT_DONE. */
int rni_take_size(const rni_arguments *arguments, rni_picture *picture);
int rni_take_range(const rni_arguments *arguments, rni_picture *picture);
int rni_take_camera(const rni_arguments *arguments, rni_picture_camera *camera);
/* The user's camera over that of the scene. */
int rni_use_camera(const rni_arguments *arguments, rni_picture *picture,
                   const rni_picture_camera *camera);

#endif
