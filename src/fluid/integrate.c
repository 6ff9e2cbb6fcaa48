/* Integrators: velocity and position from acceleration. A record is worked on as a whole; its fourth
 * number, which is something else, stays what it is. */
#define RNI_LANES 4
#include "base/lanes.h"

#include "fluid/stages.h"

/* Adds along the axes. The bits of an id are no number to multiply: as one they are so small that it
 * takes a hundred times as long. (Compilers that see that the product is not used forget about that.) */
static inline rni_v add_axes(rni_v to, float factor, rni_v what)
{
    const rni_vm is_axis = {-1, -1, -1, 0};
    what = rni_v_where(is_axis, what);
    rni_v_hold(what);
    return rni_v_select(is_axis, to + factor * what, to);
}

/* The velocity after a kick. What is slower than this share of sound stands still: viscosity hands on ever less
 * to water at rest, and squares of that are so small that they, too, take a hundred times as long. */
#define STILL 1e-18f

static inline rni_v kick(rni_v v, float seconds, rni_v acceleration, rni_v still)
{
    const rni_vm is_axis = {-1, -1, -1, 0};
    const rni_v kicked = add_axes(v, seconds, acceleration), zero = rni_v_set(0.0f);
    const rni_vm is_still = rni_v_less(rni_v_max(kicked, zero - kicked), still);
    return rni_v_select(is_axis & is_still, zero, kicked);
}

typedef struct stride {
    float kick, drift;   /* s: of the velocity, of the position */
    bool is_drift_first; /* explicit Euler: with the old velocity */
} stride;

static void move(rn_fluid *f, uint32_t begin, uint32_t end, const stride s)
{
    rni_record *position = f->now.position, *velocity = f->now.velocity, *from = f->other.position;
    rni_record *acceleration = f->now.acceleration;
    const rni_v still = rni_v_set(STILL * f->derived.sound_speed);
    for (uint32_t i = begin; i < end; i++) {
        const rni_v x = rni_v_load(position[i]), v = rni_v_load(velocity[i]);
        const rni_v kicked = kick(v, s.kick, rni_v_load(acceleration[i]), still);
        rni_v_store(from[i], x);
        rni_v_store(velocity[i], kicked);
        rni_v_store(position[i], add_axes(x, s.drift, s.is_drift_first ? v : kicked));
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
    f->middle_way = 0.50001f * dt * f->fastest;
    rni_fluid_for_each(f, move_half);
}

/* v_1 = v_0 + dt a_half with v_0 = v_half - dt / 2 a_0; x_1 = x_half + dt / 2 v_1. a_0 is
 * in other.acceleration, sorted with the rest (forces.c). */
static void move_rest(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    float dt = f->stride;
    rni_record *position = f->now.position, *velocity = f->now.velocity, *from = f->other.position;
    rni_record *acceleration = f->now.acceleration, *first = f->other.acceleration;
    const rni_v still = rni_v_set(STILL * f->derived.sound_speed);
    for (uint32_t i = begin; i < end; i++) {
        const rni_v x = rni_v_load(position[i]), v = rni_v_load(velocity[i]);
        const rni_v a = rni_v_load(acceleration[i]), a0 = rni_v_load(first[i]);
        const rni_v kicked = kick(v, dt, a - 0.5f * a0, still);
        rni_v_store(from[i], x);
        rni_v_store(velocity[i], kicked);
        rni_v_store(position[i], add_axes(x, 0.5f * dt, kicked));
    }
}

void rni_integrate_rest(rn_fluid *f, float dt)
{
    f->stride = dt;
    rni_fluid_for_each(f, move_rest);
    f->last_stride = dt;
}
