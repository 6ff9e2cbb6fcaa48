/* runnel scenes: the built-in scenes. */
#include "cli/scene_open.h"
#include "files/json.h"

#include <runnel/base.h>

#include <stdlib.h>
#include <string.h>

static int list(const rni_arguments *arguments)
{
    bool is_json = rni_arguments_has(arguments, "json");
    const rni_scene_builtin *builtin;
    if (is_json) fputs("[", stdout);
    for (uint32_t place = 0; (builtin = rni_scene_builtin_at(place)) != NULL; place++) {
        rni_scene *scene = NULL;
        if (rni_scene_read(builtin->text, builtin->bytes, builtin->name, &scene, NULL) != RN_OK)
            return rni_give_up(arguments->command, "%s", rn_last_error());
        if (is_json) {
            fputs(place ? ",\n " : "", stdout);
            rni_json json = rni_json_begin(stdout);
            rni_json_text(&json, "name", builtin->name);
            rni_json_text(&json, "title", scene->title);
            rni_json_text(&json, "description", scene->description);
            rni_json_whole(&json, "dim", scene->def.dim);
            rni_json_whole(&json, "particles", rni_scene_derive(scene).particles);
            rni_json_number(&json, "time", scene->run_time);
            rni_json_end(&json);
        } else {
            printf("%-27s%s\n", builtin->name, scene->title);
        }
        rni_scene_free(scene);
    }
    if (is_json) fputs("]\n", stdout);
    return RNI_EXIT_DONE;
}

static int run(const rni_arguments *arguments)
{
    if (arguments->operand_count == 0 && arguments->setting_count == 0 &&
        !rni_arguments_has(arguments, "full"))
        return list(arguments);
    if (arguments->operand_count == 0)
        return rni_misuse(arguments->command, "--set and --full need a SCENE");
    if (rni_arguments_has(arguments, "json"))
        return rni_misuse(arguments->command,
                          "--json is for the list of scenes; a single scene is always JSON");
    rni_scene *scene = NULL;
    const char *name = arguments->operand[0];
    int code = rni_scene_open(arguments, name, &scene);
    if (code != RNI_EXIT_DONE) return code;
    const rni_scene_builtin *builtin = NULL;
    for (uint32_t place = 0; (builtin = rni_scene_builtin_at(place)) != NULL; place++)
        if (strcmp(builtin->name, name) == 0) break;
    if (builtin && arguments->setting_count == 0 && !rni_arguments_has(arguments, "full")) {
        fwrite(builtin->text, 1, builtin->bytes, stdout);
    } else {
        char *text = rni_scene_write(scene);
        if (text) fputs(text, stdout);
        else code = rni_give_up(arguments->command, "no memory for the text of the scene");
        free(text);
    }
    rni_scene_free(scene);
    return code;
}

static const rni_option options[] = {
    {"full", RNI_OPTION_FLAG, NULL, "print all parameters, including those with default values",
     NULL, NULL, 0, 0, NULL},
    RNI_OPTION_SET,
    RNI_OPTION_PRESET,
    {"json", RNI_OPTION_FLAG, NULL, "print the list as one JSON array of objects", NULL, NULL, 0, 0,
     NULL},
    {0}};

const rni_command rni_command_scenes = {
    .name = "scenes",
    .path = "runnel scenes",
    .summary = "lists the built-in scenes, or prints one as JSON",
    .usage = "[SCENE [--full] [--set PATH=VALUE]] [--json]",
    .about = "Without SCENE, prints one line per built-in scene. With SCENE, a built-in name or a "
             "file,\n"
             "prints its JSON, as a starting point for your own scene. With --full or --set, all "
             "parameters are\n"
             "printed.",
    .examples = "runnel scenes\n"
                "runnel scenes dam-break > mine.json\n"
                "runnel scenes dam-break --full --set fluid.viscosity=0.1",
    .operand_max = 1,
    .operand_name = "SCENE",
    .operand_at = rni_choice_scene,
    .options = options,
    .run = run,
};
