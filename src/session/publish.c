#include "session/session.h"

#include <stdlib.h>

rn_result rni_session_serve(rni_session *s, const rni_session_server *server)
{
    char *hello = rni_tell_hello(s->only_watch ? NULL : s->folder, s->own_name, s->own_text);
    if (!hello) return RN_ERROR_MEMORY;
    rn_frame layout = rn_fluid_frame_default();
    const rn_attribute fluid = {
        .name = "fluid", .unit = "1", .components = 1, .type = RN_ATTRIBUTE_UINT32};
    rn_result result = rn_frame_add_attribute(&layout, &fluid); /* of scenes with several */
    rni_view_def def = {.listen = server->listen,
                        .port = server->port,
                        .all_control = server->all_control,
                        .only_watch = s->only_watch,
                        .threads = s->how.threads,
                        .hello = hello,
                        .layout = layout};
    if (result == RN_OK) result = rni_view_create(&def, &s->view);
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
    rn_frame frame = rn_frame_default();
    rn_result result = rn_fluid_get_frame(s->fluid, &frame);
    rni_session_meshes_lend(&s->meshes, &frame);
    if (result == RN_OK) result = rni_view_publish(s->view, &frame, s->number);
    if (result != RN_OK) return; /* the next one may find memory */
    s->is_new = false;
    s->shown_parts = asked;
    s->frame_count++;
}
