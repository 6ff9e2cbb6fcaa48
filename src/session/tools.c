/* What the mouse does to the fluid. */
#include "session/session.h"

#include "base/error.h"
#include "fluid/derived.h"

#include <math.h>
#include <string.h>

/* --- force ------------------------------------------------------------------------------------------ */

/* From the centre of the force to the particle; with an axis, from the line through it. */
static float distance_sq(const rni_applied_force *f, const float p[4], float away[3])
{
    float along = 0, sum = 0;
    for (uint32_t a = 0; a < 3; a++) away[a] = p[a] - f->position[a];
    if (f->has_axis) {
        for (uint32_t a = 0; a < 3; a++) along += away[a] * f->axis[a];
        for (uint32_t a = 0; a < 3; a++) away[a] -= along * f->axis[a];
    }
    for (uint32_t a = 0; a < 3; a++) sum += away[a] * away[a];
    return sum;
}

/* Decreases smoothly to 0 at the radius: (1 - d^2 / r^2)^2. */
static rn_result push(void *user, rn_fluid_stage stage, double time, float time_step,
                      const rn_fluid_particles *p)
{
    const rni_session *s = user;
    const rni_applied_force *f = &s->force;
    (void)stage, (void)time, (void)time_step;
    if (!f->is_on) return RN_OK;
    uint32_t dim = s->scene->def.dim;
    float radius_sq = f->radius * f->radius;
    for (uint32_t i = 0; i < p->count; i++) {
        float away[3];
        float d = distance_sq(f, p->position[i], away);
        if (d >= radius_sq) continue;
        float share = 1 - d / radius_sq;
        share *= share;
        float length = sqrtf(d);
        float pull = length > 0 ? -f->pull / length * fminf(1, 4 * length / f->radius) : 0;
        for (uint32_t a = 0; a < 3 && a < dim; a++)
            p->acceleration[i][a] += share * (f->direction[a] + pull * away[a]);
    }
    return RN_OK;
}

/* The strongest force that the fluid can follow: a force that accelerates particles to more than
 * the speed of sound within a radius and a few steps would blow the fluid apart. */
float rni_session_force_max(const rni_session *s)
{
    rn_fluid_derived d = rni_fluid_derived_of(s->fluid);
    return 0.25f * d.sound_speed * d.sound_speed / d.radius;
}

/* Without the operator, steps are as fast as before. */
static void end_force(rni_session *s)
{
    s->force.is_on = false;
    if (s->operator_id.index) rn_fluid_remove_operator(s->fluid, s->operator_id);
    s->operator_id = (rn_fluid_id){0};
}

rn_result rni_session_apply_force(rni_session *s, const rni_view_order *o)
{
    rni_applied_force f = {
        .is_on = !o->is_off, .has_axis = o->has_axis, .radius = o->radius, .pull = o->pull};
    float length = 0, push_sq = 0, most = rni_session_force_max(s);
    if (o->is_off) {
        end_force(s);
        return RN_OK;
    }
    for (uint32_t a = 0; a < 3; a++) push_sq += o->direction[a] * o->direction[a];
    const float strength = fabsf(o->pull) + sqrtf(push_sq);
    if (!(strength <= most))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "a force of %g m/s^2 is too strong; the limit here "
                        "is %g",
                        (double)strength, (double)most);
    for (uint32_t a = 0; a < 3; a++) length += o->axis[a] * o->axis[a];
    length = sqrtf(length);
    f.has_axis = o->has_axis && length > 0;
    for (uint32_t a = 0; a < 3; a++) {
        f.position[a] = o->position[a];
        f.direction[a] = o->direction[a];
        if (f.has_axis) f.axis[a] = o->axis[a] / length;
    }
    if (s->operator_id.index == 0) {
        rn_result result = rn_fluid_add_operator(s->fluid, RN_STAGE_FORCES, push, s, &s->operator_id);
        if (result != RN_OK) return result;
    }
    s->force = f;
    return RN_OK;
}

/* --- stream ------------------------------------------------------------------------------------------- */

rn_result rni_session_pour(rni_session *s, const rni_view_order *o)
{
    rn_result result = RN_OK;
    if (o->is_off) {
        if (s->has_stream) result = rn_fluid_remove_pipe(s->fluid, s->stream_id);
        s->has_stream = false;
        return result;
    }
    rn_fluid_pipe pipe = rn_fluid_pipe_default();
    for (uint32_t a = 0; a < 3; a++) {
        pipe.center[a] = o->position[a];
        pipe.direction[a] = o->direction[a];
    }
    pipe.radius = o->radius;
    pipe.speed = o->speed;
    if (s->has_stream) result = rn_fluid_set_pipe(s->fluid, s->stream_id, &pipe);
    else result = rn_fluid_add_pipe(s->fluid, &pipe, &s->stream_id);
    s->has_stream |= result == RN_OK;
    if (result == RN_OK) s->stream = pipe;
    return result;
}

void rni_session_release_tools(rni_session *s)
{
    end_force(s);
    if (s->has_stream) rn_fluid_remove_pipe(s->fluid, s->stream_id);
    s->has_stream = false;
}

/* --- pick ----------------------------------------------------------------------------------------------- */

/* The first particle along the ray whose sphere the ray meets; UINT32_MAX: none. */
static uint32_t first_hit(const rni_session *s, const float origin[3], const float direction[3])
{
    rn_fluid_particles p = rn_fluid_get_particles(s->fluid);
    float unit[3], length = 0, nearest = HUGE_VALF;
    float radius_sq = 0.5f * (float)s->built.derived.spacing;
    radius_sq *= radius_sq;
    uint32_t found = UINT32_MAX;
    for (uint32_t a = 0; a < 3; a++) length += direction[a] * direction[a];
    length = sqrtf(length);
    for (uint32_t a = 0; a < 3; a++) unit[a] = direction[a] / length;
    for (uint32_t i = 0; i < p.count; i++) {
        float along = 0, sum = 0;
        for (uint32_t a = 0; a < 3; a++) {
            float d = p.position[i][a] - origin[a];
            along += d * unit[a];
            sum += d * d;
        }
        if (along < 0 || along >= nearest || sum - along * along > radius_sq) continue;
        nearest = along;
        found = p.id[i];
    }
    return found;
}

rn_result rni_session_pick(rni_session *s, const rni_view_order *o)
{
    uint32_t id = o->id;
    rni_session_forget(s, o->client);
    if (o->is_off) return RN_OK;
    if (!o->has_id && (id = first_hit(s, o->position, o->direction)) == UINT32_MAX)
        return rni_fail(RN_ERROR_ARGUMENT, "there is no particle there");
    for (uint32_t k = 0; k < RNI_SESSION_MAX_PICKS; k++)
        if (s->pick[k].client == 0) {
            s->pick[k] = (rni_picked){o->client, id};
            return RN_OK;
        }
    return rni_fail(RN_ERROR_ARGUMENT, "too many particles are picked");
}

void rni_session_forget(rni_session *s, uint64_t client)
{
    for (uint32_t k = 0; k < RNI_SESSION_MAX_PICKS; k++)
        if (s->pick[k].client == client) s->pick[k] = (rni_picked){0};
}
