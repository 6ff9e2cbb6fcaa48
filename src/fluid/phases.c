#define RNI_LANES 4
#include "base/lanes.h"

#include "fluid/phases.h"

#include "base/error.h"
#include "base/output.h"
#include "fluid/attributes.h"
#include "fluid/derive.h"
#include "fluid/rheology.h"
#include "fluid/viscosity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of the sum of two surface tensions: an interface tension from here on leaves no adhesion. */
#define NO_ADHESION 0.9999f

rn_fluid_phase rn_fluid_phase_default(void)
{
    const rn_fluid_def def = rn_fluid_def_default();
    return rni_phase_of(&def);
}

rn_fluid_params rni_phase_params(const rn_fluid_phase *phase, const rn_fluid_params *params)
{
    rn_fluid_params p = *params;
    p.viscosity = phase->viscosity;
    p.viscosity_law = phase->viscosity_law;
    p.flow_index = phase->flow_index;
    p.viscosity_infinite = phase->viscosity_infinite;
    p.shear_time = phase->shear_time;
    p.yield_stress = phase->yield_stress;
    p.yield_growth = phase->yield_growth;
    p.viscosity_min = phase->viscosity_min;
    p.viscosity_max = phase->viscosity_max;
    p.surface_tension = phase->surface_tension;
    return p;
}

rn_fluid_phase rni_phase_of(const rn_fluid_def *def)
{
    const rn_fluid_params *p = &def->params;
    return (rn_fluid_phase){.rest_density = def->rest_density,
                            .viscosity = p->viscosity,
                            .viscosity_law = p->viscosity_law,
                            .flow_index = p->flow_index,
                            .viscosity_infinite = p->viscosity_infinite,
                            .shear_time = p->shear_time,
                            .yield_stress = p->yield_stress,
                            .yield_growth = p->yield_growth,
                            .viscosity_min = p->viscosity_min,
                            .viscosity_max = p->viscosity_max,
                            .surface_tension = p->surface_tension};
}

/* --- what is refused -------------------------------------------------------------------------------- */

static rn_result check_phase(const rn_fluid_def *def, uint32_t k)
{
    const rn_fluid_phase *phase = &def->phases[k];
    if (!phase->name[0] || !memchr(phase->name, 0, sizeof phase->name))
        return rni_fail(RN_ERROR_ARGUMENT, "phases[%u]: name must have 1 to %u characters", k,
                        RN_PHASE_NAME - 1);
    for (uint32_t j = 0; j < k; j++)
        if (strcmp(def->phases[j].name, phase->name) == 0)
            return rni_fail(RN_ERROR_ARGUMENT,
                            "phases[%u] and phases[%u] both have the name %s; give each its own", j,
                            k, phase->name);
    if (!(phase->rest_density >= 1e-6f && phase->rest_density <= 1e9f))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "fluid %s: rest_density is %g; it must be from 1e-06 to 1e+09", phase->name,
                        (double)phase->rest_density);
    for (int a = 0; a < 3; a++)
        if (!(phase->color[a] >= 0 && phase->color[a] <= 1))
            return rni_fail(RN_ERROR_ARGUMENT, "fluid %s: color[%d] is %g; it must be from 0 to 1",
                            phase->name, a, (double)phase->color[a]);
    const rn_fluid_params law = rni_phase_params(phase, &def->params);
    rn_result result = rni_fluid_check_params(&law);
    if (result == RN_OK) return RN_OK;
    char words[512];
    snprintf(words, sizeof words, "%s", rn_last_error());
    return rni_fail(result, "fluid %s: %s", phase->name, words);
}

/* Light fluids far from the densest would need tiny steps, and be moved by the rounding of the dense one. */
static rn_result check_ratio(const rn_fluid_def *def)
{
    uint32_t light = 0, dense = 0;
    for (uint32_t k = 1; k < def->phase_count; k++) {
        if (def->phases[k].rest_density < def->phases[light].rest_density) light = k;
        if (def->phases[k].rest_density > def->phases[dense].rest_density) dense = k;
    }
    const float low = def->phases[light].rest_density, high = def->phases[dense].rest_density;
    if (high <= RN_PHASE_MAX_RATIO * low) return RN_OK;
    return rni_fail(
        RN_ERROR_ARGUMENT,
        "fluid %s has %g times the density of fluid %s (%g and %g kg/m^3); up to %g is stable. Leave a gas "
        "out (particles without neighbours are a free surface), or raise the density of the light fluid",
        def->phases[dense].name, (double)(high / low), def->phases[light].name, (double)high,
        (double)low, (double)RN_PHASE_MAX_RATIO);
}

/* N / m: between two fluids, as either of them says. */
static float interface_of(const rn_fluid_def *def, uint32_t k, uint32_t j)
{
    return fmaxf(def->phases[k].interface_tension[j], def->phases[j].interface_tension[k]);
}

/* Fluids that attract each other less than not at all would fly apart (Dupre). */
static rn_result check_interface(const rn_fluid_def *def, uint32_t k, uint32_t j)
{
    const rn_fluid_phase *a = &def->phases[k], *b = &def->phases[j];
    const float own = a->interface_tension[j], other = b->interface_tension[k];
    if (k == j && own != 0)
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "fluid %s: interface_tension[%u] is %g, but that is the fluid itself; leave it 0",
            a->name, k, (double)own);
    if (!(own >= 0))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "fluid %s: interface_tension with %s is %g N/m; it must not be negative",
                        a->name, b->name, (double)own);
    if (own > 0 && other > 0 && own != other)
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "fluids %s and %s: the interface_tension of one is %g N/m, of the other %g; give it to "
            "one of them, or the same to both",
            a->name, b->name, (double)own, (double)other);
    const float most = a->surface_tension + b->surface_tension;
    if (own <= most || def->params.tension != RN_TENSION_SURFACE_ENERGY) return RN_OK;
    return rni_fail(
        RN_ERROR_ARGUMENT,
        "fluids %s and %s: the interface tension is %g N/m; it must be at most the sum of their "
        "surface tensions, %g N/m",
        a->name, b->name, (double)own, (double)most);
}

rn_result rni_phases_check(const rn_fluid_def *def)
{
    if (def->phase_count > RN_FLUID_MAX_PHASES)
        return rni_fail(RN_ERROR_ARGUMENT, "phase_count is %u; it must be at most %u",
                        def->phase_count, RN_FLUID_MAX_PHASES);
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < def->phase_count && result == RN_OK; k++) result = check_phase(def, k);
    if (result != RN_OK || !rni_has_phases(def)) return result;
    if (def->params.integrator == RN_INTEGRATOR_LEAPFROG)
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "integrator leapfrog does not go with several fluids, whose viscosity acts once a step; take "
            "symplectic-euler or kick-drift");
    if (def->params.pressure != RN_PRESSURE_TAIT)
        return rni_fail(RN_ERROR_ARGUMENT, "pressure gas does not go with several fluids; take tait");
    for (uint32_t k = 0; k < def->phase_count && result == RN_OK; k++)
        for (uint32_t j = 0; j < def->phase_count && result == RN_OK; j++)
            result = check_interface(def, k, j);
    return result == RN_OK ? check_ratio(def) : result;
}

rn_result rni_phases_check_number(const rn_fluid *f, const char *what, uint32_t number, bool is_only)
{
    const uint32_t most = f->def.phase_count > 1 ? f->def.phase_count : 1;
    if (number < most + is_only) return RN_OK;
    return rni_fail(RN_ERROR_ARGUMENT, "%s: there is no fluid number %u; the numbers are 0 to %u",
                    what, number - is_only, most - 1);
}

/* --- what follows from the definition --------------------------------------------------------------- */

void rni_phases_apply(rn_fluid_def *def)
{
    if (def->phase_count == 0) return;
    if (def->phase_count == 1) def->params = rni_phase_params(&def->phases[0], &def->params);
    def->rest_density = def->phases[0].rest_density;
    for (uint32_t k = 1; k < def->phase_count; k++)
        def->rest_density = fmaxf(def->rest_density, def->phases[k].rest_density);
}

void rni_phases_fold(rn_fluid *f)
{
    for (uint32_t k = 0; k < f->def.phase_count; k++) {
        rni_phase *phase = &f->phase[k];
        phase->ratio = f->def.phases[k].rest_density / f->def.rest_density;
        phase->inverse = 1 / phase->ratio;
        phase->law = rni_phase_params(&f->def.phases[k], &f->def.params);
        for (uint32_t j = 0; j < f->def.phase_count; j++) {
            const float tension = k == j ? 0.0f : interface_of(&f->def, k, j);
            const float both = f->def.phases[k].surface_tension + f->def.phases[j].surface_tension;
            phase->is_apart[j] = tension > 0 && tension >= NO_ADHESION * both;
            phase->interface[j] = tension;
        }
    }
}

float rni_phases_lightest(const rn_fluid_def *def)
{
    float least = 1;
    for (uint32_t k = 0; rni_has_phases(def) && k < def->phase_count; k++)
        least = fminf(least, def->phases[k].rest_density / def->rest_density);
    return least;
}

float rni_phases_tension(const rn_fluid_def *def)
{
    if (!rni_has_phases(def)) return def->params.surface_tension;
    float most = 0;
    for (uint32_t k = 0; k < def->phase_count; k++) {
        most = fmaxf(most, def->phases[k].surface_tension);
        for (uint32_t j = 0; j < k; j++) most = fmaxf(most, interface_of(def, k, j));
    }
    return most;
}

float rni_phases_viscosity(const rn_fluid_def *def)
{
    float most = 0;
    for (uint32_t k = 0; k < def->phase_count; k++) {
        const rn_fluid_params law = rni_phase_params(&def->phases[k], &def->params);
        most = fmaxf(most, rni_rheology_most(&law));
    }
    return most;
}

float rni_phases_explicit(const rn_fluid_def *def, float numerical)
{
    float most = 0;
    for (uint32_t k = 0; k < def->phase_count; k++) {
        const rn_fluid_params law = rni_phase_params(&def->phases[k], &def->params);
        const float own = rni_is_implicit(&def->params) ? 0.0f : rni_rheology_most(&law);
        most = fmaxf(most, own * def->rest_density / def->phases[k].rest_density);
    }
    /* Of wcsph, where a light particle is among dense ones (pass.c). */
    const float light = rni_phases_lightest(def);
    return most + numerical / (sqrtf(light) * sqrtf(sqrtf(light)));
}

bool rni_has_laws(const rn_fluid_def *def)
{
    if (!rni_has_phases(def)) return def->params.viscosity_law != RN_LAW_NEWTONIAN;
    bool has = false;
    for (uint32_t k = 0; k < def->phase_count; k++)
        has = has || def->phases[k].viscosity_law != RN_LAW_NEWTONIAN;
    return has;
}

/* --- stages ----------------------------------------------------------------------------------------- */

static void note_ratio(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const rn_fluid *f = data;
    for (uint32_t i = begin; i < end; i++) f->ratio[i] = f->phase[f->fluid_number[i]].ratio;
}

void rni_phases_sorted(rn_fluid *f)
{
    if (f->fluid_number) rni_for_particles(f, note_ratio, f);
}

static void scale(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const rn_fluid *f = data;
    for (uint32_t i = begin; i < end; i++) {
        float *a = f->now.acceleration[i];
        rni_v_store(a, f->phase[f->fluid_number[i]].inverse * rni_v_load(a));
    }
}

void rni_phases_scale(rn_fluid *f)
{
    if (f->fluid_number) rni_for_particles(f, scale, f);
}

static void publish(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const rn_fluid *f = data;
    for (uint32_t i = begin; i < end; i++)
        f->true_density[i] = f->phase[f->fluid_number[i]].ratio * f->density[i];
}

void rni_phases_publish(rn_fluid *f)
{
    if (f->fluid_number) rni_for_particles(f, publish, f);
}

void rni_phases_keep(rn_fluid *f)
{
    for (uint32_t k = 0; k < f->def.phase_count; k++)
        f->phase[k].kept_came = f->phase[k].came, f->phase[k].kept_left = f->phase[k].left;
}

void rni_phases_restore(rn_fluid *f)
{
    for (uint32_t k = 0; k < f->def.phase_count; k++)
        f->phase[k].came = f->phase[k].kept_came, f->phase[k].left = f->phase[k].kept_left;
}

/* --- what users ask --------------------------------------------------------------------------------- */

uint32_t rn_fluid_get_phase_count(const rn_fluid *f)
{
    return f->def.phase_count;
}

static rn_result check_asked(const rn_fluid *f, uint32_t number)
{
    if (number < f->def.phase_count) return RN_OK;
    return rni_fail(RN_ERROR_ARGUMENT, "there is no fluid number %u; this fluid has %u phases",
                    number, f->def.phase_count);
}

rn_result rn_fluid_get_phase(const rn_fluid *f, uint32_t number, rn_fluid_phase *phase)
{
    rn_result result = check_asked(f, number);
    if (result == RN_OK) *phase = f->def.phases[number];
    return result;
}

rn_phase_report rn_phase_report_default(void)
{
    return (rn_phase_report){.struct_bytes = sizeof(rn_phase_report)};
}

/* On one thread, in the order of the particles: asked for a few times a second. */
rn_result rn_fluid_get_phase_report(const rn_fluid *f, uint32_t number, rn_phase_report *out)
{
    rn_result result = check_asked(f, number);
    if (result == RN_OK)
        result = rni_output_check(out, RNI_OUTPUT_BYTES(rn_phase_report, left), "rn_phase_report");
    if (result != RN_OK) return result;
    rn_phase_report r = rn_phase_report_default();
    const float *g = f->def.params.gravity;
    double speed_sq = 0, fastest = 0, place[3] = {0, 0, 0};
    for (uint32_t i = 0; i < f->now.count; i++) {
        if (!rni_is_of_phase(f, i, number + 1)) continue;
        const float *x = f->now.position[i], *v = f->now.velocity[i];
        const double own =
            (double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] + (double)v[2] * (double)v[2];
        speed_sq += own, fastest = fmax(fastest, own);
        for (int a = 0; a < 3; a++) place[a] += (double)x[a];
        r.particles++;
    }
    const double mass = (double)f->phase[number].ratio * (double)f->derived.mass;
    r.volume = r.particles * (double)f->derived.mass / (double)f->def.rest_density;
    r.mass = r.particles * mass;
    r.kinetic = 0.5 * mass * speed_sq;
    for (int a = 0; a < 3; a++) {
        r.potential -= mass * (double)g[a] * place[a];
        r.center[a] = r.particles > 0 ? place[a] / r.particles : 0;
    }
    r.speed_max = (float)sqrt(fastest);
    r.came = f->fluid_number ? f->phase[number].came : f->came_all;
    r.left = f->fluid_number ? f->phase[number].left : f->left_all;
    rni_output_write(out, &r, sizeof r);
    return RN_OK;
}
