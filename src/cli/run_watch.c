/* A run that people look at through the viewer's page. They cannot change it: whoever watches, the
 * bits are the same. */
#include "cli/run.h"

#include "cli/view_serve.h"

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
    rni_session *s = calloc(1, sizeof *s);
    if (!s) return rni_give_up(run->command, "no memory");
    s->only_watch = true;
    s->how.threads = rni_arguments_count(a, "threads");
    int code = rni_view_open(a, s, false);
    if (code == RNI_EXIT_DONE) run->watch = s;
    else free(s);
    return code;
}

void rni_run_watch_begin(rni_run *run)
{
    rni_session *s = run->watch;
    if (!s) return;
    /* Scene and fluid are the run's. */
    s->is_running = s->is_new = true;
    s->how = run->how;
    s->scene = run->scene;
    s->now = *run->scene;
    s->now.def.params = rn_fluid_get_params(run->fluid);
    s->fluid = run->fluid;
    s->built = run->built;
    s->number = 1;
    snprintf(s->name, sizeof s->name, "%s", run->scene_name);
    rni_tell_scene(s);
    rni_tell_values(s);
    rni_tell_state(s, NULL);
    rni_tell_report(s);
}

void rni_run_watch_step(rni_run *run, const rn_fluid_report *report)
{
    rni_session *s = run->watch;
    if (!s) return;
    s->report = *report;
    s->is_new = true;
    rni_session_obey(s);
    rni_session_publish(s);
    if (rni_seconds() - s->told_wall < REPORT_S) return;
    if (s->event_next != run->event_next) {
        s->event_next = run->event_next;
        s->now.def.params = rn_fluid_get_params(run->fluid);
        rni_tell_values(s);
    }
    rni_tell_report(s);
    rni_tell_picked(s);
}

void rni_run_watch_end(rni_run *run)
{
    rni_session *s = run->watch;
    if (!s) return;
    bool is_failed = run->error[0] != 0;
    snprintf(s->sentence, sizeof s->sentence, "%s", run->error);
    if (s->fluid) rni_tell_report(s);
    rni_tell_state(s, is_failed ? "failed" : "ended");
    rni_view_destroy(s->view);
    free(s);
    run->watch = NULL;
}
