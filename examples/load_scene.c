/* Scenes from C, with librunnel-scene: loads a scene file or a built-in scene, runs it, and writes frames
 * that ParaView opens. Events of the scene are applied on the way.
 *
 *     cc load_scene.c -o load_scene $(pkg-config --cflags --libs runnel-scene)
 *     ./load_scene [SCENE [PATH=VALUE ...]]
 *     ./load_scene dam-break fluid.spacing=0.005 run.time=0.3
 */
#include <runnel/scene.h>

#include <stdio.h>

/* Every mistake with its file, line, column and path. */
static void print_problem(void *user, const rn_scene_problem *problem)
{
    (void)user;
    fprintf(stderr, "%s\n", problem->text);
}

static int fail(rn_scene *scene)
{
    fprintf(stderr, "%s\n", rn_last_error());
    rn_scene_destroy(scene);
    return 1;
}

int main(int argc, char **argv)
{
    static const char *const SMALL[] = {"fluid.spacing=0.01", "run.time=0.1", "run.every=0.05"};
    rn_scene_def def = rn_scene_def_default();
    def.source = argc > 1 ? argv[1] : "dam-break";
    def.settings = argc > 1 ? (const char *const *)argv + 2 : SMALL;
    def.setting_count = argc > 1 ? (uint32_t)argc - 2 : 3;
    def.on_problem = print_problem;
    rn_scene *scene = NULL;
    if (rn_scene_create(&def, &scene) != RN_OK) return 1;

    rn_scene_info info = rn_scene_info_default();
    if (rn_scene_get_info(scene, &info) != RN_OK) return fail(scene);
    printf("%s: %u particles\n", info.title, info.water.added);
    for (uint32_t frame = 0; frame * info.run_every <= info.run_time * 1.000001; frame++) {
        char path[64];
        snprintf(path, sizeof path, "frame_%04u.vtp", frame);
        if (rn_scene_advance(scene, frame * info.run_every, NULL) != RN_OK) return fail(scene);
        if (rn_scene_write_vtp(scene, path) != RN_OK) return fail(scene);
        printf("%s: %.4f s\n", path, rn_fluid_get_time(rn_scene_get_fluid(scene)));
    }
    rn_scene_destroy(scene);
    return 0;
}
