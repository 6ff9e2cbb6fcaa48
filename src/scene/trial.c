/* Adds the solids, pipes and gauges of a scene to a fluid without water: a refusal becomes a problem at the
 * path of the solid, pipe or gauge. */
#include "base/error.h"
#include "scene/check.h"

#include <stdio.h>
#include <string.h>

/* The sentence of the fluid, without its first word: the path already names the part. */
static void report(rni_reading *r, const char *word)
{
    const char *sentence = rn_last_error();
    size_t length = strlen(word);
    if (strncmp(sentence, word, length) == 0) sentence += length;
    rni_problem(r, "%s", sentence);
}

static void try_solids(rni_reading *r, const rni_scene *scene, rn_fluid *fluid)
{
    rni_reading_enter(r, "solids");
    for (uint32_t k = 0; k < scene->solid_count; k++) {
        rn_solid solid = rni_scene_solid_of(&scene->solids[k]);
        solid.trail = 0; /* its film takes time, and nothing can be wrong with it */
        rni_reading_enter_item(r, k);
        if (scene->solids[k].is_wall && rni_reading_is_clean(r, NULL) &&
            rn_fluid_add_solid(fluid, &solid, NULL) != RN_OK)
            report(r, "solid: ");
        rni_reading_leave(r);
    }
    rni_reading_leave(r);
}

static void try_pipes(rni_reading *r, const rni_scene *scene, rn_fluid *fluid)
{
    rni_reading_enter(r, "pipes");
    for (uint32_t k = 0; k < scene->pipe_count; k++) {
        rn_fluid_pipe pipe = rni_scene_pipe_of(scene, &scene->pipes[k]);
        if (rn_fluid_get_phase_count(fluid) == 0) pipe.phase = 0;
        rni_reading_enter_item(r, k);
        if (rni_reading_is_clean(r, NULL) && rn_fluid_add_pipe(fluid, &pipe, NULL) != RN_OK)
            report(r, "pipe: ");
        rni_reading_leave(r);
    }
    rni_reading_leave(r);
}

static void try_gauges(rni_reading *r, const rni_scene *scene, rn_fluid *fluid)
{
    char word[64];
    rni_reading_enter(r, "gauges");
    for (uint32_t k = 0; k < scene->gauge_count; k++) {
        rn_fluid_gauge gauge = rni_scene_gauge_of(scene, &scene->gauges[k]);
        if (rn_fluid_get_phase_count(fluid) == 0) gauge.phase = 0;
        snprintf(word, sizeof word,
                 "%s gauge: ", rn_fluid_choice_name(RN_CHOICE_GAUGE, (uint32_t)gauge.kind));
        if (gauge.kind == RN_GAUGE_FILM) continue; /* there are no films here; gauges.c checks it */
        rni_reading_enter_item(r, k);
        if (rni_reading_is_clean(r, NULL) && rn_fluid_add_gauge(fluid, &gauge, NULL) != RN_OK)
            report(r, word);
        rni_reading_leave(r);
    }
    rni_reading_leave(r);
}

void rni_scene_try_at(rni_reading *r, const rni_scene *scene)
{
    static const char *const GROUNDS[] = {"fluid.dim",    "fluid.spacing", "fluid.particles",
                                          "fluid.radius", "domain.low",    "domain.high"};
    double spacing = rni_scene_derive(scene).spacing;
    for (size_t k = 0; k < sizeof GROUNDS / sizeof *GROUNDS; k++)
        if (!rni_reading_is_sound(r, GROUNDS[k])) return;
    if (!(spacing > 0) || scene->solid_count + scene->pipe_count + scene->gauge_count == 0) return;
    /* Solids, pipes and gauges are checked whatever else is wrong with the water. */
    rn_fluid *fluid = NULL;
    rn_fluid_def def = rn_fluid_def_default();
    def.dim = scene->def.dim;
    def.spacing = (float)spacing;
    def.radius = scene->def.radius;
    def.threads = 1;
    if (r->problems->count == 0 && scene->fluid_count > 0) {
        const rn_fluid_def wanted = rni_scene_def(scene);
        def.phase_count = wanted.phase_count;
        memcpy(def.phases, wanted.phases, sizeof def.phases);
    }
    def.measure_loads = true;
    memcpy(def.params.gravity, scene->def.params.gravity, sizeof def.params.gravity);
    for (uint32_t a = 0; a < 3; a++) {
        def.domain_low[a] = scene->def.domain_low[a];
        def.domain_high[a] = scene->def.domain_high[a];
        def.periodic[a] = scene->def.periodic[a];
        memcpy(def.open[a], scene->def.open[a], sizeof def.open[a]);
    }
    if (rn_fluid_create(&def, &fluid) == RN_OK) {
        try_solids(r, scene, fluid);
        try_pipes(r, scene, fluid);
        try_gauges(r, scene, fluid);
    } else if (r->problems->count == 0) {
        rni_problem(r, "%s", rn_last_error());
    }
    rn_fluid_destroy(fluid);
}
