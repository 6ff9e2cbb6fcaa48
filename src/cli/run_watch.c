/* A run that people look at through the viewer's page. They cannot change it: whoever watches, the
 * bits are the same. */
#include "cli/run.h"

#include "cli/view.h"

#include "base/clock.h"

#include <stdlib.h>

#define REPORT_S 0.1

int rni_run_watch_check(const rni_run *run)
{
    const rni_arguments *a = run->arguments;
    if (!rni_arguments_has(a, "watch") &&
        (rni_arguments_has(a, "port") || rni_arguments_has(a, "listen")))
        return rni_misuse(run->command, "--port and --listen are for --watch");
    return RNI_EXIT_DONE;
}

int rni_run_watch_open(rni_run *run)
{
    const rni_arguments *a = run->arguments;
    if (!rni_arguments_has(a, "watch")) return RNI_EXIT_DONE;
    rni_world *w = calloc(1, sizeof *w);
    if (!w) return rni_give_up(run->command, "no memory");
    w->only_watch = true;
    w->how.threads = rni_arguments_count(a, "threads");
    int code = rni_view_open(a, w, false);
    if (code == RNI_EXIT_DONE) run->watch = w;
    else free(w);
    return code;
}

void rni_run_watch_begin(rni_run *run)
{
    rni_world *w = run->watch;
    if (!w) return;
    /* Scene and fluid are the run's. */
    w->is_running = w->is_new = true;
    w->how = run->how;
    w->scene = run->scene;
    w->now = *run->scene;
    w->now.def.params = rn_fluid_get_params(run->fluid);
    w->fluid = run->fluid;
    w->built = run->built;
    w->number = 1;
    snprintf(w->name, sizeof w->name, "%s", run->scene_name);
    rni_tell_scene(w);
    rni_tell_values(w);
    rni_tell_state(w, NULL);
    rni_tell_report(w);
}

void rni_run_watch_step(rni_run *run, const rn_fluid_report *report)
{
    rni_world *w = run->watch;
    if (!w) return;
    w->report = *report;
    w->is_new = true;
    rni_world_obey(w);
    rni_view_show(w);
    if (rni_seconds() - w->told_wall < REPORT_S) return;
    if (w->event_next != run->event_next) {
        w->event_next = run->event_next;
        w->now.def.params = rn_fluid_get_params(run->fluid);
        rni_tell_values(w);
    }
    rni_tell_report(w);
    rni_tell_picked(w);
}

void rni_run_watch_end(rni_run *run)
{
    rni_world *w = run->watch;
    if (!w) return;
    bool is_failed = run->error[0] != 0;
    snprintf(w->sentence, sizeof w->sentence, "%s", run->error);
    if (w->fluid) rni_tell_report(w);
    rni_tell_state(w, is_failed ? "failed" : "ended");
    rni_view_destroy(w->view);
    free(w);
    run->watch = NULL;
}
