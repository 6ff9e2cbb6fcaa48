/* What commands that take a SCENE share: loading it, printing all problems, and --set. */
#ifndef RNI_CLI_SCENE_OPEN_H
#define RNI_CLI_SCENE_OPEN_H

#include "cli/command.h"
#include "scene/scene.h"

/* A row of an option table. */
#define RNI_OPTION_SET                                                        \
    {                                                                         \
        "set", RNI_OPTION_SETTING, "PATH=VALUE",                              \
            "set a parameter of the scene; may be given several times", NULL, \
            "a path and a value, e.g. --set fluid.viscosity=0.1", 0, 0, NULL  \
    }

/* The same as --set fluid.preset=NAME. */
#define RNI_OPTION_PRESET                                                                                       \
    {                                                                                                           \
        "preset", RNI_OPTION_PRESET_NAME, "NAME",                                                               \
            "preset of the fluid, a trade-off between speed and accuracy; the same as --set fluid.preset=NAME", \
            NULL, "a preset, e.g. --preset accurate", 0, 0, rni_choice_preset                                   \
    }

/* The scene named by the operand (or the default one), with every --set. On failure the problems
 * are on stderr and the exit code is not RNI_EXIT_DONE: 1 for the scene, 2 for a setting. */
int rni_scene_open(const rni_arguments *arguments, const char *name, rni_scene **scene);

/* One line each on stderr. */
void rni_problems_print(const rni_command *command, const rni_problems *problems);

/* Names of the built-in scenes, for completion. */
const char *rni_choice_scene(uint32_t place);

/* 1234567 as 1,234,567. */
typedef struct rni_grouped {
    char text[32];
} rni_grouped;
rni_grouped rni_group(uint64_t value);

#endif
