/* A stranger's program: a built-in scene runs for a moment and is written; a wrong one is refused with its place.
 * Takes the file to write. */
#include <runnel/scene.h>

#include <stdio.h>
#include <string.h>

static int fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, rn_last_error());
    return 1;
}

int main(int argc, char **argv)
{
    if (argc < 2) return 2;
    rn_scene_def def = rn_scene_def_default();
    def.text = "{\"fluid\": {\"spacing\": -1}}";
    rn_scene *scene = NULL;
    if (rn_scene_create(&def, &scene) != RN_ERROR_FILE) return fail("a wrong scene was taken");
    /* One last error for both libraries. */
    if (!strstr(rn_last_error(), "scene:1:12: fluid.spacing: is -1"))
        return fail("the wrong sentence");

    const char *settings[] = {"fluid.spacing=0.01"};
    def = rn_scene_def_default();
    def.source = "dam-break";
    def.settings = settings;
    def.setting_count = 1;
    if (rn_scene_create(&def, &scene) != RN_OK) return fail("create");
    rn_fluid_report report = rn_fluid_report_default();
    if (rn_scene_advance(scene, 0.02, &report) != RN_OK) return fail("advance");
    if (rn_scene_write_vtp(scene, argv[1]) != RN_OK) return fail("write");
    printf("%u particles at %g s\n", report.particles, report.time);
    rn_scene_destroy(scene);
    return report.particles > 0 ? 0 : 1;
}
