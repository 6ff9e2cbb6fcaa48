#include "fluid/sound.h"

#include "fluid/derive.h"
#include "fluid/scheme.h"
#include "fluid/sources.h"
#include "fluid/walls.h"

#include <math.h>

/* Water less deep than this many spacings has the sound of that depth. */
#define LEAST_DEPTH 4.0
/* While a simulation runs, sound becomes faster only where the expected speed rises by this factor. */
#define RISE 1.1f
/* Samples along each axis, where the lowest place that is not solid is looked for. */
#define SAMPLES 24u
/* Steps from one look at water that pipes have poured to the next. */
#define WATCH_STEPS 64u

static double potential_at(const float g[3], const double x[3])
{
    return -((double)g[0] * x[0] + (double)g[1] * x[1] + (double)g[2] * x[2]);
}

/* J / kg: the least potential in the domain, and by how much it may be too high where it is found by samples. */
static double least_potential(const rn_fluid *f, const float g[3])
{
    const rn_fluid_def *def = &f->def;
    double least = 0, cell = 0;
    for (uint32_t a = 0; a < def->dim; a++) {
        const double low = (double)def->domain_low[a], high = (double)def->domain_high[a];
        least -= (double)g[a] * (g[a] > 0 ? high : low);
        cell += fabs((double)g[a]) * (high - low) / SAMPLES;
    }
    if (f->walls->solid_count < 2 || f->walls->is_stale) return least;
    double found = HUGE_VAL;
    const uint32_t depth = def->dim == 3 ? SAMPLES : 1;
    for (uint32_t k = 0; k < SAMPLES * SAMPLES * depth; k++) {
        const uint32_t index[3] = {k % SAMPLES, k / SAMPLES % SAMPLES, k / SAMPLES / SAMPLES};
        double x[3] = {0, 0, 0};
        for (uint32_t a = 0; a < def->dim; a++)
            x[a] = (double)def->domain_low[a] +
                   (index[a] + 0.5) / SAMPLES *
                       ((double)def->domain_high[a] - (double)def->domain_low[a]);
        const double potential = potential_at(g, x);
        const float at[3] = {(float)x[0], (float)x[1], (float)x[2]};
        if (potential < found && rni_walls_distance(f, at) > 0) found = potential;
    }
    return fmax(least, found - cell);
}

/* The same pressure at another stiffness, for schemes whose density is state. */
static void keep_pressure(rn_fluid *f, float stiffness_before)
{
    const rn_fluid_params *p = &f->def.params;
    const double rest = (double)f->def.rest_density, e = (double)p->exponent;
    const double part = (double)stiffness_before / (double)f->derived.stiffness;
    for (uint32_t i = 0; i < f->now.count; i++) {
        const double s = (double)f->previous_density[i] / rest;
        const double rho = rest * pow(1 + part * (pow(s, e) - 1), 1 / e);
        f->density[i] = f->previous_density[i] = (float)rho;
    }
}

static void derive_for(rn_fluid *f, float speed)
{
    rn_fluid_def def = f->def;
    def.speed_expected = speed;
    f->derived = rni_fluid_derive(&def);
    f->laws = rni_fluid_fold(&def, &f->derived);
}

static void apply(rn_fluid *f, float speed)
{
    const float before = f->derived.stiffness;
    derive_for(f, speed);
    if (f->scheme->keeps_density && f->step_count > 0) keep_pressure(f, before);
}

/* The expected speed from the greatest energy that any water has. */
static void update(rn_fluid *f)
{
    rni_sound *s = &f->sound;
    if (f->def.speed_expected > 0) return;
    const float *g = f->def.params.gravity;
    const double pull =
        sqrt((double)g[0] * (double)g[0] + (double)g[1] * (double)g[1] + (double)g[2] * (double)g[2]);
    if (!s->has_floor) s->floor = least_potential(f, g), s->has_floor = true;
    double energy = fmax(s->energy - s->floor, LEAST_DEPTH * (double)f->def.spacing * pull);
    for (uint32_t a = 0; a < f->def.dim; a++) /* falls without end */
        if (f->def.periodic[a])
            energy +=
                fabs((double)g[a]) * ((double)f->def.domain_high[a] - (double)f->def.domain_low[a]);
    double speed = fmax(sqrt(2 * energy), rni_fluid_tension_speed(&f->def));
    speed = fmax(speed, (double)s->least);
    if (!(speed > 0)) return; /* water at rest without gravity: as derived from the domain */
    const float now = f->derived.speed_expected, wanted = (float)fmin(speed, 1e6);
    if (f->step_count == 0 ? wanted != now : wanted > RISE * now) apply(f, wanted);
}

static void note_energy(rni_sound *s, double energy)
{
    s->energy = s->has_water ? fmax(s->energy, energy) : energy;
    s->has_water = true;
}

/* J / kg of particle i. */
static double energy_of(const rn_fluid *f, const float g[3], uint32_t i)
{
    const float *at = f->now.position[i], *v = f->now.velocity[i];
    const double x[3] = {(double)at[0], (double)at[1], (double)at[2]};
    const double v_sq =
        (double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] + (double)v[2] * (double)v[2];
    return 0.5 * v_sq + potential_at(g, x);
}

void rni_sound_note_particles(rn_fluid *f, uint32_t first)
{
    const float *g = f->def.params.gravity;
    double most = -HUGE_VAL;
    for (uint32_t i = first; i < f->now.count; i++) most = fmax(most, energy_of(f, g, i));
    if (first >= f->now.count) return;
    /* the surface is half a spacing above the highest particles */
    const double pull = sqrt((double)(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]));
    note_energy(&f->sound, most + 0.5 * (double)f->def.spacing * pull);
    update(f);
}

/* Single drops may fly high. */
void rni_sound_watch(rn_fluid *f)
{
    if (f->step_count % WATCH_STEPS != 0 || f->sources->pipe_count == 0) return;
    const float *g = f->def.params.gravity;
    const uint32_t least = f->derived.neighbor_count / 2;
    double most = -HUGE_VAL;
    for (uint32_t i = 0; i < f->now.count; i++)
        if (f->neighbor_count[i] >= least) most = fmax(most, energy_of(f, g, i));
    if (!(most > f->sound.energy)) return;
    note_energy(&f->sound, most);
    update(f);
}

void rni_sound_note_stream(rn_fluid *f, const float center[3], double speed)
{
    const double x[3] = {(double)center[0], (double)center[1], (double)center[2]};
    note_energy(&f->sound, 0.5 * speed * speed + potential_at(f->def.params.gravity, x));
    update(f);
}

void rni_sound_expect(rn_fluid *f, float speed)
{
    f->sound.least = fmaxf(f->sound.least, speed);
    if (speed > f->derived.speed_expected) update(f);
}

void rni_sound_restore(rn_fluid *f, float speed)
{
    if (speed != f->derived.speed_expected)
        derive_for(f, speed); /* its densities are those of that sound */
}
