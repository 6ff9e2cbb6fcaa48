/* A run that is shown in the viewer's page. Clients cannot change it: the results are the same bits with
 * and without clients. */
#include "session/run.h"
#include "session/session.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>

#define REPORT_S 0.1

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
    rni_tell_all(s);
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
    rni_session_meshes_free(&s->meshes);
    free(s);
    run->watch = NULL;
}
