#include "bench/live.h"

#include "base/clock.h"
#include "base/error.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>

#define POURED      0.9  /* of the particles: the channel is full enough */
#define POUR_MOST   20.0 /* simulated s: longer the warm-up does not wait for it */
#define SAMPLE_STEP 10   /* steps from one mean compression to the next */

const char *rni_live_scene_name(uint32_t place)
{
    static const char *const names[] = {"water-channel", "dam-break"};
    return place < 2 ? names[place] : NULL;
}

static rn_result load(const rni_live_case *c, rni_scene **scene)
{
    char size[64], preset[64];
    snprintf(preset, sizeof preset, "fluid.preset=%s",
             rn_fluid_choice_name(RN_CHOICE_PRESET, c->preset));
    if (c->scene == RNI_LIVE_WATER_CHANNEL) {
        snprintf(size, sizeof size, "fluid.particles=%u", c->particles);
        const char *const settings[] = {preset, size};
        return rni_scene_load("water-channel", settings, 2, scene, NULL);
    }
    snprintf(size, sizeof size, "fluid.spacing=%.9g", 1 / fmax(round(cbrt(c->particles)), 4));
    const char *const settings[] = {preset, size, "domain.high=3,1.5,1",
                                    "blocks=[{\"low\":[0,0,0],\"high\":[1,1,1]}]"};
    return rni_scene_load("dam-break", settings, 4, scene, NULL);
}

/* One step after the events of the scene, and what it shows of the compression. */
typedef struct watch {
    double sum, samples, most;
    uint32_t event_next;
} watch;

static double mean_compression(const rn_fluid *fluid, double rest_density)
{
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    double sum = 0;
    for (uint32_t i = 0; i < p.count; i++) sum += fmax((double)p.density[i] / rest_density - 1, 0);
    return p.count ? sum / p.count : 0;
}

static rn_result step(const rni_scene *scene, rn_fluid *fluid, rn_fluid_report *report, watch *w)
{
    rn_result result = rni_scene_advance(scene, fluid, &w->event_next);
    if (result == RN_OK) result = rn_fluid_step(fluid, report);
    if (result == RN_OK) w->most = fmax(w->most, (double)report->density_max - 1);
    return result;
}

static rn_result measure(const rni_live_case *c, const rni_scene *scene, rn_fluid *fluid,
                         rni_live_row *row)
{
    rn_fluid_report report = rn_fluid_report_default();
    watch w = {.most = -1};
    rn_result result = RN_OK;
    while (result == RN_OK && c->scene == RNI_LIVE_WATER_CHANNEL &&
           (double)report.came_all < POURED * c->particles && report.time < POUR_MOST)
        result = step(scene, fluid, &report, &w);
    const double from = rn_fluid_get_time(fluid);
    while (result == RN_OK && row->wall_s < c->seconds) {
        const double began = rni_seconds();
        result = step(scene, fluid, &report, &w);
        row->wall_s += rni_seconds() - began;
        if (row->steps++ % SAMPLE_STEP != 0) continue;
        w.sum += mean_compression(fluid, (double)scene->def.rest_density);
        w.samples++;
    }
    row->simulated_s = rn_fluid_get_time(fluid) - from;
    row->particles = rn_fluid_get_arrays(fluid).count;
    row->compression_mean = w.sum / w.samples;
    row->compression_max = w.most;
    row->escaped = rn_fluid_get_escaped_count(fluid);
    return result;
}

rn_result rni_bench_live(const rni_live_case *c, rni_live_row *row)
{
    rni_scene *scene = NULL;
    rn_fluid *fluid = NULL;
    *row = (rni_live_row){0};
    rn_result result = load(c, &scene);
    if (result == RN_OK) {
        const rni_scene_how how = {.threads = c->threads};
        result = rni_scene_build(scene, &how, &fluid, NULL);
    }
    if (result == RN_OK) result = measure(c, scene, fluid, row);
    rn_fluid_destroy(fluid);
    rni_scene_free(scene);
    return result;
}
