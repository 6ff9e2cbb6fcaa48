#include "cli/view.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define USUAL_PORT 7878u

/* --- the browser ---------------------------------------------------------------------------------------- */

/* Twice removed, so that nobody waits for it and it is nobody's zombie. */
void rni_view_open_browser(const rni_world *w)
{
    char copy[256];
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) return;
    snprintf(copy, sizeof copy, "%s", rni_view_address(w->view));
    char name[] = "xdg-open";
    char *const words[] = {name, copy, NULL};
    pid_t child = fork();
    if (child == 0) {
        if (fork() != 0) _exit(0);
        int nothing = open("/dev/null", O_RDWR);
        for (int k = 0; k < 3 && nothing >= 0; k++) dup2(nothing, k);
        setsid();
        execvp(name, words);
        _exit(127);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
}

/* --- the server -------------------------------------------------------------------------------------------- */

int rni_view_open(const rni_arguments *a, rni_world *w, bool all_steer)
{
    char *hello = rni_tell_hello(w->only_watch ? NULL : w->folder, w->own_name, w->own_text);
    if (!hello) return rni_give_up(a->command, "no memory");
    rni_view_def def = {.listen =
                            rni_arguments_has(a, "listen") ? rni_arguments_text(a, "listen") : NULL,
                        .port = rni_arguments_count(a, "port"),
                        .all_steer = all_steer,
                        .only_watch = w->only_watch,
                        .threads = w->how.threads,
                        .hello = hello};
    rn_result result = rni_view_create(&def, &w->view);
    /* Two viewers at a time are fine as long as nobody asked for the one port. */
    if (result == RN_ERROR_FILE && !rni_arguments_has(a, "port")) {
        def.port = 0;
        result = rni_view_create(&def, &w->view);
        if (result == RN_OK)
            fprintf(stderr, "%s: port %u is taken; another one is used\n", a->command->path,
                    USUAL_PORT);
    }
    free(hello);
    if (result != RN_OK) return rni_give_up(a->command, "%s", rn_last_error());
    fprintf(stderr, "%s: %s", a->command->path, rni_view_address(w->view));
    if (def.listen)
        fputs("\n  whoever has this address may look, and steer if that is allowed; nothing is encrypted",
              stderr);
    fputc('\n', stderr);
    return RNI_EXIT_DONE;
}

void rni_view_show(rni_world *w)
{
    uint32_t asked = rni_view_asked(w->view);
    if (!asked) return;
    if (!w->is_new && (asked & ~w->shown_parts) == 0) {
        rni_view_nudge(w->view);
        return;
    }
    bool is_gathered = (asked >> RNI_PART_ID & 1) || (asked >> RNI_PART_AGE & 1);
    rn_fluid_particles p =
        is_gathered ? rn_fluid_get_particles(w->fluid) : rn_fluid_get_arrays(w->fluid);
    rni_view_frame frame = {.time = rn_fluid_get_time(w->fluid),
                            .step = rn_fluid_get_step_count(w->fluid),
                            .scene = w->number,
                            .count = p.count,
                            .stride = sizeof p.position[0],
                            .position = p.count ? p.position[0] : NULL,
                            .velocity = p.count ? p.velocity[0] : NULL,
                            .acceleration = p.count ? p.acceleration[0] : NULL,
                            .density = p.density,
                            .pressure = p.pressure,
                            .birth = p.birth,
                            .id = p.id,
                            .radius = 0.5f * (float)w->built.derived.spacing};
    rni_scene_bounds(w->scene, frame.low, frame.high);
    if (rni_view_publish(w->view, &frame) != RN_OK) return; /* the next one may find memory */
    w->is_new = false;
    w->shown_parts = asked;
    w->frame_count++;
}
