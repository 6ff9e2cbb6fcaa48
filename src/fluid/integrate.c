/* Integrators: velocity and position from acceleration. Loops work on whole records; the fourth
 * lane, which is another attribute, keeps its value. */
#define RNI_LANES 4
#include "base/lanes.h"

#include "fluid/stages.h"

/* Adds factor times `what` along the axes. The bits of an id are a subnormal float, which takes a
 * hundred times as long to multiply: rni_v_hold() keeps compilers from multiplying all four lanes
 * after all. */
static inline rni_v add_axes(rni_v to, float factor, rni_v what)
{
    const rni_vm is_axis = {-1, -1, -1, 0};
    what = rni_v_where(is_axis, what);
    rni_v_hold(what);
    return rni_v_select(is_axis, to + factor * what, to);
}

/* The velocity after a kick. Components slower than this share of the sound speed become 0: in
 * fluid at rest viscosity passes on ever smaller velocities, whose squares are subnormal and slow,
 * too. */
#define STILL 1e-18f

static inline rni_v kick(rni_v v, float seconds, rni_v acceleration, rni_v still)
{
    const rni_vm is_axis = {-1, -1, -1, 0};
    const rni_v kicked = add_axes(v, seconds, acceleration), zero = rni_v_set(0.0f);
    const rni_vm is_still = rni_v_less(rni_v_max(kicked, zero - kicked), still);
    return rni_v_select(is_axis & is_still, zero, kicked);
}

/* One move of all particles. */
typedef struct motion {
    rn_fluid *fluid;
    float kick, drift;   /* s: of the velocity, of the position */
    bool is_drift_first; /* explicit Euler: with the old velocity */
    bool has_shift;      /* particles move by velocity and shift */
} motion;

static void move_piece(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const motion m = *(const motion *)data;
    const rn_fluid *f = m.fluid;
    rni_record *position = f->now.position, *velocity = f->now.velocity;
    rni_record *acceleration = f->now.acceleration, *from = rni_previous_position(f);
    rni_record *shift = m.has_shift ? f->shift : NULL;
    const rni_v still = rni_v_set(STILL * f->derived.sound_speed);
    for (uint32_t i = begin; i < end; i++) {
        const rni_v x = rni_v_load(position[i]), v = rni_v_load(velocity[i]);
        const rni_v kicked = kick(v, m.kick, rni_v_load(acceleration[i]), still);
        rni_v_store(from[i], x);
        rni_v_store(velocity[i], kicked);
        rni_v moved = add_axes(x, m.drift, m.is_drift_first ? v : kicked);
        if (shift) moved = add_axes(moved, m.drift, rni_v_load(shift[i]));
        rni_v_store(position[i], moved);
    }
}

void rni_integrate_full(rn_fluid *f, float dt)
{
    motion m = {f, dt, dt, f->def.params.integrator == RN_INTEGRATOR_EULER, f->shift != NULL};
    /* Grahn 2008, eq. 7.1: from the middle of the last step to the middle of this one. */
    if (f->def.params.integrator == RN_INTEGRATOR_KICK_DRIFT) m.kick = 0.5f * (f->last_dt + dt);
    rni_for_particles(f, move_piece, &m);
    f->dt = f->last_dt = dt;
}

void rni_integrate_first_half(rn_fluid *f, float dt)
{
    motion m = {f, 0.5f * dt, 0.5f * dt, true, false};
    f->dt = dt;
    f->max_displacement = 0.50001f * dt * f->fastest;
    rni_for_particles(f, move_piece, &m);
}

/* v_1 = v_0 + dt a_half with v_0 = v_half - dt / 2 a_0; x_1 = x_half + dt / 2 v_1. a_0 is the
 * acceleration of the evaluation before, which was sorted with the particles. */
static void move_second_half(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const motion m = *(const motion *)data;
    const rn_fluid *f = m.fluid;
    rni_record *position = f->now.position, *velocity = f->now.velocity;
    rni_record *from = rni_previous_position(f);
    rni_record *acceleration = f->now.acceleration, *first = rni_previous_acceleration(f);
    const rni_v still = rni_v_set(STILL * f->derived.sound_speed);
    for (uint32_t i = begin; i < end; i++) {
        const rni_v x = rni_v_load(position[i]), v = rni_v_load(velocity[i]);
        const rni_v a = rni_v_load(acceleration[i]), a0 = rni_v_load(first[i]);
        const rni_v kicked = kick(v, m.kick, a - 0.5f * a0, still);
        rni_v_store(from[i], x);
        rni_v_store(velocity[i], kicked);
        rni_v_store(position[i], add_axes(x, m.drift, kicked));
    }
}

void rni_integrate_second_half(rn_fluid *f, float dt)
{
    motion m = {f, dt, 0.5f * dt, false, false};
    rni_for_particles(f, move_second_half, &m);
    f->last_dt = dt;
}
