#include "session/step_cost.h"

#include "base/clock.h"
#include "fluid/derived.h"

#include <math.h>

/* Enough for a fixed share of memory not to count, and few enough for a step of milliseconds. */
#define BYTES_PARTICLES 20000.0

rn_result rni_step_cost_measure(rn_fluid *fluid, double seconds, rni_step_cost *m)
{
    double least = HUGE_VAL;
    m->report = rn_fluid_report_default();
    double begin = rni_seconds();
    for (uint32_t k = 0; k < 40 && (k < 3 || rni_seconds() - begin < seconds); k++) {
        double before = rni_seconds();
        rn_result result = rn_fluid_step(fluid, &m->report);
        if (result != RN_OK) return result;
        if (k > 0) least = fmin(least, rni_seconds() - before);
    }
    m->step_s = least;
    return RN_OK;
}

/* Still water of the scene's spacing in a box of its own. */
static rn_result make_stand_in(const rni_scene *scene, const rni_scene_how *how,
                               const rn_fluid *fluid, double wanted, rn_fluid **other)
{
    double spacing = (double)(float)rni_scene_derive(scene).spacing;
    uint32_t dim = scene->def.dim;
    float side = (float)(spacing * ceil(pow(wanted, 1.0 / dim)));
    rn_fluid_def def = rni_scene_def(scene);
    def.spacing = (float)spacing;
    def.traversal = how->traversal;
    def.search = how->search;
    def.threads = how->threads;
    def.cpu = how->cpu;
    if (def.speed_expected <= 0) def.speed_expected = rni_fluid_derived_of(fluid).speed_expected;
    rn_fluid_block block = rn_fluid_block_default();
    for (uint32_t a = 0; a < 3; a++) {
        def.periodic[a] = def.open[a][0] = def.open[a][1] = false;
        def.domain_low[a] = 0;
        def.domain_high[a] = a < dim ? side * (a == 1 ? 1.25f : 1) : 0;
        block.high[a] = side;
    }
    rn_result result = rn_fluid_create(&def, other);
    return result == RN_OK ? rn_fluid_add_block(*other, &block, NULL) : result;
}

rn_result rni_step_cost_estimate(const rni_scene *scene, const rni_scene_how *how,
                                 const rn_fluid *fluid, uint64_t particles, uint32_t most,
                                 rni_step_cost *m)
{
    rn_fluid *other = NULL;
    double wanted = fmin((double)particles, (double)most);
    rn_result result = make_stand_in(scene, how, fluid, wanted, &other);
    if (result == RN_OK) result = rni_step_cost_measure(other, 0.5, m);
    if (result == RN_OK) {
        double scale = (double)particles / m->report.particles;
        m->step_s *= scale;
        m->report.bytes = (uint64_t)((double)m->report.bytes * scale);
    }
    rn_fluid_destroy(other);
    return result;
}

uint64_t rni_step_cost_bytes(const rni_scene *scene, const rni_scene_how *how,
                             const rn_fluid *fluid, uint64_t particles)
{
    rn_fluid *other = NULL;
    rn_fluid_report report = rn_fluid_report_default();
    double wanted = fmin((double)particles, BYTES_PARTICLES);
    rn_result result = make_stand_in(scene, how, fluid, wanted, &other);
    if (result == RN_OK) result = rn_fluid_step(other, &report);
    rn_fluid_destroy(other);
    if (result != RN_OK || report.particles == 0) return 0;
    return (uint64_t)((double)report.bytes * (double)particles / report.particles);
}
