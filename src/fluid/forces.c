#define RNI_LANES 4
#include "base/lanes.h"

#include "fluid/grip.h"
#include "fluid/loads.h"
#include "fluid/passes.h"
#include "fluid/phases.h"
#include "fluid/stages.h"
#include "fluid/surface_tension.h"
#include "fluid/validate.h"
#include "fluid/virtual_walls.h"
#include "fluid/viscosity.h"
#include "fluid/walls.h"

#include <math.h>
#include <string.h>

/* How much fluid surrounds a particle at a wall: 1 as much as at rest there, 0 none. */
float rni_walls_fullness(const rn_fluid *f, uint32_t i)
{
    const rni_wall_tables *tables = &f->walls->tables;
    const float sum = f->summation ? f->summation[i] : f->density[i];
    const float fluid = sum / f->def.rest_density - f->walls->share[i];
    return rni_higher(0.0f, (fluid - tables->alone) / (tables->beside - tables->alone));
}

/* A wall stops what comes, and throws nothing back that has no water behind it: drops would
 * otherwise spring off a wall that has no bounce, and off its steep push faster than they came.
 * Where there is bounce, what comes fast is let through to it. Returns the part of the push that is
 * given. */
static float given_part(const rn_fluid *f, uint32_t i, const float push[3], const float a[4],
                        const float g[3])
{
    const float full = rni_walls_fullness(f, i);
    const float size_sq = push[0] * push[0] + push[1] * push[1] + push[2] * push[2];
    if (full >= 1 || !(size_sq > 0) || !(f->last_dt > 0)) return 1;
    const float size = sqrtf(size_sq);
    const float *v = f->now.velocity[i];
    float speed = 0, others = 0;
    for (int k = 0; k < 3; k++)
        speed += v[k] * push[k] / size, others += (a[k] + g[k]) * push[k] / size;
    const float slow = 0.002f * f->derived.sound_speed; /* out of the steep part it may creep */
    const float enough = rni_higher(0.0f, (slow - speed) / f->last_dt - others);
    const bool is_let_through = f->def.params.bounce > 0 && speed < -slow;
    const float held =
        is_let_through ? rni_lower(1.0f, 4 * full) : 1.0f; /* an edge is a quarter full */
    const float stopping = held * rni_lower(1.0f, enough / size);
    return stopping >= 1 ? 1.0f : full + (1 - full) * stopping;
}

rni_wall_force rni_wall_force_of(const rn_fluid *f)
{
    rni_wall_force w = {.fluid = f};
    float *g = w.gravity;
    rni_fluid_gravity(f, g);
    const float pull = sqrtf(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    w.pressure_deep = f->def.rest_density * pull * f->derived.radius;
    return w;
}

/* The wall pushes with the particle's own pressure (the slope of the density it stands for). What
 * the layers carry of the water's weight, p_wall = p_i + rho_0 g . (x_wall - x_i), is added where
 * the pressure is that of standing water, at least a radius deep: a film or a drop on the wall is
 * not held. */
void rni_wall_push_add(const rni_wall_force *w, uint32_t i, float scale, float a[4])
{
    const rn_fluid *f = w->fluid;
    const rni_touch *touch = &f->walls->touch[i];
    float *given = f->walls->loads.given ? f->walls->loads.given[i] : NULL; /* for loads.c */
    rni_grip *grip = f->walls->grip ? &f->walls->grip[i] : NULL;
    if (f->walls->impulse) memcpy(f->walls->impulse[i].force, a, sizeof f->walls->impulse[i].force);
    if (given) memset(given, 0, sizeof *f->walls->loads.given);
    if (scale != 0) {
        const float deep = w->pressure_deep * rni_ratio(f, i), pressure = f->pressure[i];
        const float held = pressure <= 0 ? 0.0f : pressure < deep ? pressure / deep : 1.0f;
        float push[3];
        for (int k = 0; k < 3; k++) push[k] = scale * touch->push[k] + held * touch->lift[k];
        const float part = scale > 0 ? given_part(f, i, push, a, w->gravity) : 1.0f;
        for (int k = 0; k < 3; k++) a[k] += part * push[k];
        if (given) given[0] = part * scale, given[1] = part * held;
        if (grip)
            grip->pressing = part * sqrtf(push[0] * push[0] + push[1] * push[1] + push[2] * push[2]);
    }
}

static void add_drag(const rn_fluid *f, uint32_t i, float a[4])
{
    const rni_touch *touch = &f->walls->touch[i];
    if (!(touch->drag > 0) || rni_is_paste(&f->def)) return;
    const float *v = f->now.velocity[i], drag = f->derived.viscosity / f->density[i];
    for (int k = 0; k < 3; k++) a[k] -= drag * (touch->drag * v[k] - touch->drag_velocity[k]);
}

void rni_wall_drag_add(const rni_wall_force *w, uint32_t i, float a[4])
{
    const rn_fluid *f = w->fluid;
    if (f->walls->grip) rni_grip_add(f, i, a);
    add_drag(f, i, a);
    rni_impulse *impulse = f->walls->impulse ? &f->walls->impulse[i] : NULL;
    for (int k = 0; impulse && k < 3; k++) impulse->force[k] = a[k] - impulse->force[k];
}

float rni_wall_carry(const rn_fluid *f, uint32_t i, float a[3])
{
    const float full = rni_lower(3 * rni_walls_fullness(f, i), 1.0f);
    const float *t = f->walls->moments[i].along;
    const float trace = full * (t[0] + t[1] + t[2]);
    const float scale = trace > 1.0f ? full * 1.0f / trace : full;
    const float xx = 1 - scale * t[0], yy = 1 - scale * t[1], zz = 1 - scale * t[2];
    const float xy = -scale * t[3], xz = -scale * t[4], yz = -scale * t[5];
    const float cxx = yy * zz - yz * yz, cyy = xx * zz - xz * xz, czz = xx * yy - xy * xy;
    const float cxy = xz * yz - xy * zz, cxz = xy * yz - xz * yy, cyz = xy * xz - yz * xx;
    const float inverse = 1 / (xx * cxx + xy * cxy + xz * cxz), x = a[0], y = a[1], z = a[2];
    a[0] = inverse * (cxx * x + cxy * y + cxz * z);
    a[1] = inverse * (cxy * x + cyy * y + cyz * z);
    a[2] = inverse * (cxz * x + cyz * y + czz * z);
    return scale;
}

/* Grahn 2008 eq. 3.19 as an acceleration: only where the normal is long enough to have a direction. */
static void add_color_tension(const rn_fluid *f, uint32_t i, float a[4])
{
    const float *n = f->normal[i];
    float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    float threshold = f->def.params.color_threshold;
    if (!(threshold > 0)) threshold = 0.5f / f->derived.radius;
    if (length <= threshold) return;
    float scale = -f->def.params.surface_tension * n[3] / (length * f->density[i]);
    scale *= rni_inverse_ratio(f, i);
    for (int k = 0; k < 3; k++) a[k] += scale * n[k];
}

void rni_tension_add(const rn_fluid *f, uint32_t i, float a[4])
{
    if (f->def.params.tension == RN_TENSION_COLOR_FIELD) add_color_tension(f, i, a);
}

static void add_fields(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const rn_fluid *f = data;
    const rn_fluid_params *p = &f->def.params;
    const bool is_color = p->tension == RN_TENSION_COLOR_FIELD, is_flat = f->def.dim == 2;
    const bool has_energy = rni_has_surface_energy(p);
    const rni_wall_force wall = rni_wall_force_of(f);
    const float *g = wall.gravity, rest = f->def.rest_density;
    const float *share = rni_has_bare_walls(&f->def) ? NULL : f->walls->share;
    const rni_v everywhere = {g[0], g[1], g[2], 0};
    const bool is_plain = !is_flat && !is_color && !has_energy;
    rni_record *acceleration = f->now.acceleration;
    for (uint32_t i = begin; i < end; i++) {
        float *a = acceleration[i];
        const bool has_walls = share && share[i] > 0;
        if (is_plain && !has_walls) { /* nearly all */
            rni_v_store(a, rni_v_load(a) + everywhere);
            continue;
        }
        if (has_energy)
            rni_v_store(a, rni_v_load(a) + rni_inverse_ratio(f, i) * rni_v_load(f->cohesion[i]));
        if (has_walls) {
            const float inverse = 1 / f->density[i], pressure = rni_higher(f->pressure[i], 0.0f);
            const float push = rest * inverse * inverse * pressure;
            rni_wall_push_add(&wall, i, push * rni_inverse_ratio(f, i), a);
            rni_wall_drag_add(&wall, i, a);
        }
        if (is_color) add_color_tension(f, i, a);
        for (uint32_t k = 0; k < f->def.dim; k++) a[k] += g[k];
        if (is_flat) a[2] = 0;
    }
    if (rni_has_virtual_walls(f))
        for (uint32_t i = begin; i < end; i++)
            rni_virtual_walls_add(f, i, f->now.acceleration[i], NULL);
    if (f->previous_density)
        memcpy(f->previous_density + begin, f->density + begin, (end - begin) * sizeof(float));
}

void rni_forces_begin(rn_fluid *f)
{
    rni_record *before = f->now.acceleration;
    f->now.acceleration = f->spare[RNI_ROW_ACCELERATION];
    f->spare[RNI_ROW_ACCELERATION] = before; /* previous_acceleration */
}

void rni_stage_forces(rn_fluid *f)
{
    rni_forces_begin(f);
    rni_pass_run(f, &rni_pass_forces, &(rni_pass_arrays){.store = {f->now.acceleration[0]}});
    RNI_VALIDATE(rni_validate_pair_forces(f));
    rni_phases_scale(f);
    rni_stage_surface_tension(f);
    rni_for_particles(f, add_fields, f);
    rni_stage_loads(f);
    f->has_previous_density = f->previous_density != NULL;
}
