/* Integrators: velocity and position from acceleration. */
#include "fluid/stages.h"

#include <string.h>

typedef struct stride {
    float kick, drift;   /* s: of the velocity, of the position */
    bool is_drift_first; /* explicit Euler: with the old velocity */
} stride;

static void move(rn_fluid *f, uint32_t begin, uint32_t end, stride s)
{
    for (uint32_t i = begin; i < end; i++) {
        float *x = f->now.position[i], *v = f->now.velocity[i];
        const float *a = f->now.acceleration[i];
        memcpy(f->other.position[i], x, sizeof(rni_record));
        for (int k = 0; k < 3; k++) {
            float old = v[k];
            v[k] = old + s.kick * a[k];
            x[k] += s.drift * (s.is_drift_first ? old : v[k]);
        }
    }
}

static void move_whole(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    float dt = f->stride;
    stride s = {dt, dt, false};
    if (f->def.params.integrator == RN_INTEGRATOR_EULER) s.is_drift_first = true;
    /* 004 eq. 7.1: from the middle of the last step to the middle of this one. */
    if (f->def.params.integrator == RN_INTEGRATOR_KICK_DRIFT) s.kick = 0.5f * (f->last_stride + dt);
    move(f, begin, end, s);
}

void rni_integrate_whole(rn_fluid *f, float dt)
{
    f->stride = dt;
    rni_fluid_for_each(f, move_whole);
    f->last_stride = dt;
}

static void move_half(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    move(f, begin, end, (stride){0.5f * f->stride, 0.5f * f->stride, true});
}

void rni_integrate_half(rn_fluid *f, float dt)
{
    f->stride = dt;
    rni_fluid_for_each(f, move_half);
}

/* v_1 = v_0 + dt a_half with v_0 = v_half - dt / 2 a_0; x_1 = x_half + dt / 2 v_1. a_0 is
 * in other.acceleration, sorted with the rest (forces.c). */
static void move_rest(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    float dt = f->stride;
    for (uint32_t i = begin; i < end; i++) {
        float *x = f->now.position[i], *v = f->now.velocity[i];
        const float *a = f->now.acceleration[i], *a0 = f->other.acceleration[i];
        memcpy(f->other.position[i], x, sizeof(rni_record));
        for (int k = 0; k < 3; k++) {
            v[k] += dt * (a[k] - 0.5f * a0[k]);
            x[k] += 0.5f * dt * v[k];
        }
    }
}

void rni_integrate_rest(rn_fluid *f, float dt)
{
    f->stride = dt;
    rni_fluid_for_each(f, move_rest);
    f->last_stride = dt;
}
