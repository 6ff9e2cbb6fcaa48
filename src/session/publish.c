#include "session/session.h"

#include <stdlib.h>

rn_result rni_session_serve(rni_session *s, const rni_session_server *server)
{
    char *hello = rni_tell_hello(s->only_watch ? NULL : s->folder, s->own_name, s->own_text);
    if (!hello) return RN_ERROR_MEMORY;
    rni_view_def def = {.listen = server->listen,
                        .port = server->port,
                        .all_steer = server->all_steer,
                        .only_watch = s->only_watch,
                        .threads = s->how.threads,
                        .hello = hello};
    rn_result result = rni_view_create(&def, &s->view);
    free(hello);
    return result;
}

void rni_session_publish(rni_session *s)
{
    uint32_t asked = rni_view_asked(s->view);
    if (!asked) return;
    if (!s->is_new && (asked & ~s->shown_parts) == 0) {
        rni_view_nudge(s->view);
        return;
    }
    bool is_gathered = (asked >> RNI_PART_ID & 1) || (asked >> RNI_PART_AGE & 1);
    rn_fluid_particles p =
        is_gathered ? rn_fluid_get_particles(s->fluid) : rn_fluid_get_arrays(s->fluid);
    rni_view_frame frame = {.time = rn_fluid_get_time(s->fluid),
                            .step = rn_fluid_get_step_count(s->fluid),
                            .scene = s->number,
                            .count = p.count,
                            .stride = sizeof p.position[0],
                            .position = p.count ? p.position[0] : NULL,
                            .velocity = p.count ? p.velocity[0] : NULL,
                            .acceleration = p.count ? p.acceleration[0] : NULL,
                            .density = p.density,
                            .pressure = p.pressure,
                            .birth = p.birth,
                            .id = p.id,
                            .radius = 0.5f * (float)s->built.derived.spacing};
    rni_scene_bounds(s->scene, frame.low, frame.high);
    if (rni_view_publish(s->view, &frame) != RN_OK) return; /* the next one may find memory */
    s->is_new = false;
    s->shown_parts = asked;
    s->frame_count++;
}
