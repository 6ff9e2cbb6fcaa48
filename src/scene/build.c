/* From a scene to a fluid, and its events in time. */
#include "base/error.h"
#include "base/pi.h"
#include "fluid/derived.h"
#include "scene/fluids.h"
#include "scene/initial.h"
#include "scene/parameters.h"
#include "scene/start_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The message of the library, after the part of the scene that caused it. */
static rn_result blame(rn_result result, const char *list, uint32_t place, const char *name)
{
    char sentence[400];
    snprintf(sentence, sizeof sentence, "%s", rn_last_error());
    return *name ? rni_fail(result, "%s.%u (%s): %s", list, place, name, sentence)
                 : rni_fail(result, "%s.%u: %s", list, place, sentence);
}

/* The gauges that measure the force on solid k take its ids. */
static rn_result give_solid(const rni_scene *scene, uint32_t k, const rni_scene_solid_ids *ids,
                            rn_fluid_gauge *gauges)
{
    for (uint32_t g = 0; g < scene->gauge_count; g++) {
        const bool has_solid = gauges[g].kind == RN_GAUGE_FORCE || gauges[g].kind == RN_GAUGE_FILM;
        if (!has_solid || gauges[g].solid_count > 0) continue;
        if (!*scene->gauges[g].solid || strcmp(scene->gauges[g].solid, scene->solids[k].name) != 0)
            continue;
        if (ids->count > RN_GAUGE_MAX_SOLIDS)
            return rni_fail(RN_ERROR_LIMIT,
                            "repeats %u times across periodic sides; a force gauge adds up %u at most",
                            ids->count, RN_GAUGE_MAX_SOLIDS);
        gauges[g].solid_count = ids->count;
        memcpy(gauges[g].solid, ids->id, ids->count * sizeof *ids->id);
    }
    return RN_OK;
}

static rn_result blame_path(rn_result result, const char *path)
{
    char sentence[400];
    snprintf(sentence, sizeof sentence, "%s", rn_last_error());
    return rni_fail(result, "%s: %s", path, sentence);
}

static rn_result add_solids(const rni_scene *scene, rn_fluid *fluid, rn_fluid_gauge *gauges,
                            rni_scene_built *built)
{
    const float h = rni_fluid_derived_of(fluid).radius;
    for (uint32_t k = 0; k < scene->solid_count; k++) {
        rni_scene_solid_ids ids = {0};
        if (!scene->solids[k].is_wall) continue;
        rn_result result = rni_scene_add_solid(scene, k, h, fluid, &ids);
        if (result == RN_OK) result = give_solid(scene, k, &ids, gauges);
        built->solid[k] = ids.id[0];
        if (result != RN_OK) return blame(result, "solids", k, scene->solids[k].name);
    }
    return RN_OK;
}

static rn_result add_gauges(const rni_scene *scene, rn_fluid *fluid, const rn_fluid_gauge *gauges,
                            rni_scene_built *built)
{
    for (uint32_t k = 0; k < scene->gauge_count; k++) {
        rn_result result = rn_fluid_add_gauge(fluid, &gauges[k], &built->gauge[k]);
        if (result != RN_OK) return blame(result, "gauges", k, scene->gauges[k].name);
    }
    return RN_OK;
}

/* Solids and the gauges that watch them. */
static rn_result add_things(const rni_scene *scene, rn_fluid *fluid, rni_scene_built *built)
{
    rn_fluid_gauge *gauges = calloc(scene->gauge_count + (size_t)1, sizeof *gauges);
    if (!gauges) return rni_fail(RN_ERROR_MEMORY, "no memory for %u gauges", scene->gauge_count);
    for (uint32_t k = 0; k < scene->gauge_count; k++)
        gauges[k] = rni_scene_gauge_of(scene, &scene->gauges[k]);
    rn_result result = add_solids(scene, fluid, gauges, built);
    if (result == RN_OK) result = add_gauges(scene, fluid, gauges, built);
    free(gauges);
    return result;
}

rn_fluid_pipe rni_scene_pipe_of(const rni_scene *scene, const rni_scene_pipe *p)
{
    rn_fluid_pipe pipe = rn_fluid_pipe_default();
    rni_scene_pipe_mouth(scene, p, pipe.center, &pipe.radius);
    memcpy(pipe.direction, p->direction, sizeof pipe.direction);
    pipe.speed = p->speed;
    pipe.flow_rate = p->flow_rate;
    pipe.head = p->head;
    pipe.sine_amplitude = p->sine_amplitude;
    pipe.sine_frequency = p->sine_frequency;
    pipe.sine_phase = p->sine_phase;
    pipe.stop_count = p->time_count;
    memcpy(pipe.stop_time, p->times, sizeof pipe.stop_time);
    memcpy(pipe.stop_factor, p->factors, sizeof pipe.stop_factor);
    pipe.max_particles = p->max_particles;
    pipe.phase = (uint32_t)rni_scene_fluid_number(scene, p->fluid);
    return pipe;
}

static rn_result add_pipes(const rni_scene *scene, rn_fluid *fluid, rni_scene_built *built)
{
    for (uint32_t k = 0; k < scene->pipe_count; k++) {
        const rni_scene_pipe *p = &scene->pipes[k];
        rn_fluid_pipe pipe = rni_scene_pipe_of(scene, p);
        pipe.max_particles = built->derived.pipe_max[k];
        rn_result result = rn_fluid_add_pipe(fluid, &pipe, &built->pipe[k]);
        if (result != RN_OK) return blame(result, "pipes", k, p->name);
    }
    return RN_OK;
}

static rn_result add_outlets(const rni_scene *scene, rn_fluid *fluid, rni_scene_built *built)
{
    for (uint32_t k = 0; k < scene->outlet_count; k++) {
        const rni_scene_outlet *o = &scene->outlets[k];
        rn_fluid_outlet outlet = rn_fluid_outlet_default();
        memcpy(outlet.low, o->low, sizeof outlet.low);
        memcpy(outlet.high, o->high, sizeof outlet.high);
        outlet.phase = rni_scene_only_fluid(scene, o->fluid);
        rn_solid shape;
        if (*o->solid) shape = rni_scene_solid_of(rni_scene_solid_named(scene, o->solid));
        if (*o->solid) outlet.shape = &shape;
        rn_result result = rn_fluid_add_outlet(fluid, &outlet, &built->outlet[k]);
        if (result != RN_OK) return blame(result, "outlets", k, o->name);
    }
    return RN_OK;
}

static rn_result set_gravity(const rni_scene *scene, rn_fluid *fluid)
{
    const uint32_t count = scene->gravity_stop_count;
    if (count == 0) return RN_OK;
    rn_fluid_gravity_stop *stops = malloc(count * sizeof *stops);
    if (!stops) return rni_fail(RN_ERROR_MEMORY, "no memory for the table of gravity");
    for (uint32_t k = 0; k < count; k++) {
        stops[k].time = scene->gravity_table[k].time;
        memcpy(stops[k].gravity, scene->gravity_table[k].gravity, sizeof stops[k].gravity);
    }
    rn_result result = rn_fluid_set_gravity_table(fluid, stops, count);
    free(stops);
    return result;
}

static void sum_up(rn_fluid_added *all, const rn_fluid_added *one)
{
    all->added += one->added;
    all->outside_domain += one->outside_domain;
    all->in_walls += one->in_walls;
    all->overlapping += one->overlapping;
    all->replaced += one->replaced;
}

static rni_dry dry_of(const rn_fluid_added *added)
{
    if (added->added + added->replaced > 0) return RNI_DRY_NOT;
    const uint32_t all = added->outside_domain + added->in_walls + added->overlapping;
    if (added->outside_domain == all) return RNI_DRY_OUTSIDE;
    if (added->in_walls == all) return RNI_DRY_IN_WALLS;
    return added->overlapping == all ? RNI_DRY_OVERLAPPING : RNI_DRY_MIXED;
}

const char *rni_dry_text(rni_dry dry)
{
    static const char *const TEXT[] = {"are in the water", "lie outside the domain",
                                       "lie in solids or too close to walls", "overlap other water",
                                       "lie outside the domain, in solids or in other water"};
    return TEXT[dry];
}

/* A scene in which nothing would ever move. */
static rn_result check_any_water(const rni_scene *scene, const rni_scene_built *built)
{
    if (built->water.added > 0 || scene->pipe_count > 0) return RN_OK;
    if (*scene->particles_file)
        return rni_fail(RN_ERROR_FILE,
                        "particles.file: %s has no particle in the water's space: %u lie outside the "
                        "domain, %u in walls",
                        scene->particles_file, built->water.outside_domain, built->water.in_walls);
    if (scene->block_count + scene->ball_count == 0)
        return rni_fail(RN_ERROR_FILE, "the scene has no water: no blocks, balls or pipes");
    bool is_block = scene->block_count > 0;
    const char *name = is_block ? scene->blocks[0].name : scene->balls[0].name;
    rni_fail(RN_ERROR_FILE,
             "the scene has no water: all particles %s; move the %s, or change the domain or the "
             "solids",
             rni_dry_text(is_block ? built->dry_block[0] : built->dry_ball[0]),
             is_block ? "block" : "ball");
    return blame(RN_ERROR_FILE, is_block ? "blocks" : "balls", 0, name);
}

/* The top layer of what fills a solid is half a spacing below its level: sides of whole spacings, from there. Where
 * they end below does not matter, because walls do. */
static void align_layers(float spacing, const rni_initial *initial, bool has_level,
                         rn_fluid_block *block)
{
    const uint32_t up = initial->up;
    const float size = spacing * ceilf((block->high[up] - block->low[up]) / spacing - 1e-3f);
    if (!has_level) return;
    if (initial->is_up_low) block->high[up] = block->low[up] + size;
    else block->low[up] = block->high[up] - size;
}

static rn_result add_block(const rni_scene *scene, const rni_scene_block *b, rn_fluid *fluid,
                           rn_fluid_added *added)
{
    rn_fluid_block block = rn_fluid_block_default();
    rni_scene_block_bounds(scene, b, block.low, block.high);
    memcpy(block.velocity, b->velocity, sizeof block.velocity);
    block.jitter = b->jitter;
    block.phase = (uint32_t)rni_scene_fluid_number(scene, b->fluid);
    const uint32_t before = rn_fluid_get_particles(fluid).count;
    rni_initial initial;
    rni_formula_error error;
    const char *key;
    if (!rni_initial_read(scene, b, &initial, &key, &error))
        return rni_fail(RN_ERROR_FILE, "%s: character %zu: %s", key, error.place + 1, error.text);
    if (*b->solid)
        align_layers((float)rni_scene_derive(scene).spacing, &initial, b->level < RNI_NO_LEVEL,
                     &block);
    rn_result result = *b->solid ? rni_region_get(scene, b->solid, &initial.region) : RN_OK;
    if (initial.has_surface || initial.has_velocity || initial.region)
        block.place = rni_initial_place, block.user = &initial;
    if (result == RN_OK) result = rn_fluid_add_block(fluid, &block, added);
    rni_region_give(initial.region);
    if (result == RN_OK && initial.is_bad)
        return rni_fail(RN_ERROR_FILE, "a formula has no finite value at (%g, %g, %g)",
                        (double)initial.bad_place[0], (double)initial.bad_place[1],
                        (double)initial.bad_place[2]);
    const bool is_empty =
        added->added + added->outside_domain + added->in_walls + added->overlapping == 0;
    if (result == RN_OK && (initial.has_surface || *b->solid) && is_empty)
        return rni_fail(RN_ERROR_FILE, initial.has_surface
                                           ? "the surface leaves no particle of the block"
                                           : "the solid has no room for a particle; take a smaller "
                                             "fluid.spacing, or a larger solid");
    if (result == RN_OK && *b->solid) {
        /* As many as fit were asked for: what packing takes out beside walls is not missing. */
        added->in_walls = 0;
        if (before == 0) added->overlapping = 0;
    }
    return result;
}

static bool is_in_ball(void *user, const float position[3], float velocity[3])
{
    (void)velocity;
    return rni_region_has(user, RNI_NO_LEVEL, position);
}

static rn_result add_ball(const rni_scene *scene, const rni_scene_ball *b, rn_fluid *fluid,
                          rn_fluid_added *added)
{
    rn_fluid_ball ball = rn_fluid_ball_default();
    rni_region *region = NULL;
    rn_result result = RN_OK;
    float low[3], high[3], sq = 0;
    memcpy(ball.center, b->center, sizeof ball.center);
    ball.radius = b->radius;
    memcpy(ball.velocity, b->velocity, sizeof ball.velocity);
    ball.jitter = b->jitter;
    ball.phase = (uint32_t)rni_scene_fluid_number(scene, b->fluid);
    if (*b->solid) {
        result = rni_region_get(scene, b->solid, &region);
        rni_scene_ball_bounds(scene, b, low, high);
        for (uint32_t a = 0; a < scene->def.dim; a++) {
            ball.center[a] = 0.5f * (low[a] + high[a]);
            sq += 0.25f * (high[a] - low[a]) * (high[a] - low[a]);
        }
        ball.radius = sqrtf(sq);
        ball.place = is_in_ball, ball.user = region;
    }
    if (result == RN_OK) result = rn_fluid_add_ball(fluid, &ball, added);
    rni_region_give(region);
    return result;
}

static rn_result add_water(const rni_scene *scene, rn_fluid *fluid, rni_scene_built *built)
{
    rn_fluid_added added = rn_fluid_added_default();
    if (*scene->particles_file) {
        rn_result result = rni_start_file_add(scene, fluid, &added);
        if (result != RN_OK) return blame_path(result, "particles.file");
        sum_up(&built->water, &added);
    }
    for (uint32_t k = 0; k < scene->block_count; k++) {
        const rni_scene_block *b = &scene->blocks[k];
        rn_result result = add_block(scene, b, fluid, &added);
        if (result != RN_OK) return blame(result, "blocks", k, b->name);
        built->dry_block[k] = (uint8_t)dry_of(&added);
        sum_up(&built->water, &added);
    }
    for (uint32_t k = 0; k < scene->ball_count; k++) {
        const rni_scene_ball *b = &scene->balls[k];
        rn_result result = add_ball(scene, b, fluid, &added);
        if (result != RN_OK) return blame(result, "balls", k, b->name);
        built->dry_ball[k] = (uint8_t)dry_of(&added);
        sum_up(&built->water, &added);
    }
    return check_any_water(scene, built);
}

/* m/s: Torricelli's law over the height of the domain along gravity; periodic axes have no height. */
static double fall_speed(const rn_fluid_def *def, const float gravity[3])
{
    double sum = 0;
    for (uint32_t a = 0; a < (def->dim == 2 ? 2u : 3u); a++)
        if (!def->periodic[a])
            sum += fabs((double)gravity[a]) *
                   ((double)def->domain_high[a] - (double)def->domain_low[a]);
    return sqrt(2 * sum);
}

static double length_of(const float v[3])
{
    return sqrt((double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] +
                (double)v[2] * (double)v[2]);
}

double rni_scene_pipe_speed(const rni_scene *scene, const rni_scene_pipe *pipe)
{
    float center[3], radius;
    rni_scene_pipe_mouth(scene, pipe, center, &radius);
    double r = (double)radius, most = pipe->factor_count ? 0 : 1;
    double mouth = scene->def.dim == 2 ? 2 * r : RNI_PI * r * r;
    for (uint32_t k = 0; k < pipe->factor_count; k++) most = fmax(most, (double)pipe->factors[k]);
    most *= 1 + (double)pipe->sine_amplitude;
    if (pipe->head > 0)
        return most * sqrt(2 * length_of(scene->def.params.gravity) * (double)pipe->head);
    return most * (pipe->flow_rate > 0 ? (double)pipe->flow_rate / mouth : (double)pipe->speed);
}

static float square_of(const float v[3])
{
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

/* m/s: the speed to expect beyond that of the water at the start, which the fluid knows (`own`):
 * surfaces drag, and the table and the sine add to gravity. */
static double speed_of_scene(const rni_scene *scene, double own)
{
    const rn_fluid_params *p = &scene->def.params;
    double speed = 0;
    for (uint32_t k = 0; k < scene->solid_count; k++)
        if (scene->solids[k].slip == RN_SLIP_NONE)
            speed = fmax(speed, length_of(scene->solids[k].velocity));
    float strongest[3] = {p->gravity[0], p->gravity[1], p->gravity[2]};
    for (uint32_t k = 0; k < scene->gravity_stop_count; k++) {
        float sum[3];
        for (int a = 0; a < 3; a++) sum[a] = p->gravity[a] + scene->gravity_table[k].gravity[a];
        if (square_of(sum) > square_of(strongest)) memcpy(strongest, sum, sizeof sum);
    }
    for (int a = 0; a < 3 && p->gravity_frequency > 0; a++)
        strongest[a] = fabsf(strongest[a]) + fabsf(p->gravity_amplitude[a]);
    const double now = length_of(p->gravity), later = length_of(strongest);
    if (!(later > now)) return speed;
    return fmax(speed, now > 0 ? own * sqrt(later / now) : fall_speed(&scene->def, strongest));
}

/* The fluid of a definition with everything in it; on failure *fluid is NULL. */
static rn_result make(const rni_scene *scene, const rn_fluid_def *def, bool is_dry,
                      rn_fluid **fluid, rni_scene_built *built)
{
    rn_fluid *made = NULL;
    const rni_scene_derived derived = built->derived;
    *built = (rni_scene_built){.derived = derived};
    rn_result result = rn_fluid_create(def, &made);
    if (result == RN_OK) result = set_gravity(scene, made);
    if (result == RN_OK) result = add_things(scene, made, built);
    if (result == RN_OK) result = add_pipes(scene, made, built);
    if (result == RN_OK) result = add_outlets(scene, made, built);
    if (result == RN_OK && !is_dry) result = add_water(scene, made, built);
    *fluid = result == RN_OK ? made : NULL;
    if (result != RN_OK) rn_fluid_destroy(made);
    return result;
}

/* The strongest gravity that an event sets; false: none is stronger than that at the start. */
static bool strongest_event(const rni_scene *scene, float gravity[3])
{
    memcpy(gravity, scene->def.params.gravity, sizeof(float[3]));
    for (uint32_t k = 0; k < scene->event_count; k++)
        for (uint32_t c = 0; c < scene->events[k].change_count; c++) {
            const rni_scene_change *change = &scene->events[k].change[c];
            if (strcmp(rni_parameters[change->parameter].path, "gravity") == 0 &&
                square_of(change->value.vector) > square_of(gravity))
                memcpy(gravity, change->value.vector, sizeof(float[3]));
        }
    return square_of(gravity) > square_of(scene->def.params.gravity);
}

/* *speed: at least that of the same water under the strongest gravity of the events, m/s. */
static rn_result add_speed_of_events(const rni_scene *scene, rn_fluid_def def,
                                     rni_scene_built *built, double *speed)
{
    rn_fluid *fluid = NULL;
    if (!strongest_event(scene, def.params.gravity)) return RN_OK;
    rn_result result = make(scene, &def, false, &fluid, built);
    if (result == RN_OK) *speed = fmax(*speed, (double)rni_fluid_derived_of(fluid).speed_expected);
    rn_fluid_destroy(fluid);
    return result;
}

rn_result rni_scene_build(const rni_scene *scene, const rni_scene_how *how, rn_fluid **fluid,
                          rni_scene_built *built)
{
    rni_scene_built own;
    rni_scene_how plain = {0};
    if (!built) built = &own;
    if (!how) how = &plain;
    *built = (rni_scene_built){0};
    *fluid = NULL;
    rn_result result = rni_scene_check(scene, "scene", NULL);
    if (result != RN_OK) return result;
    built->derived = rni_scene_derive(scene);

    rn_fluid_def def = rni_scene_def(scene);
    def.spacing = (float)built->derived.spacing;
    def.traversal = how->traversal;
    def.search = how->search;
    def.threads = how->threads;
    def.cpu = how->cpu;
    def.allocator = how->allocator;
    def.tasks = how->tasks;
    def.progress = how->progress, def.progress_user = how->progress_user;
    for (uint32_t k = 0; k < scene->gauge_count; k++)
        def.measure_loads = def.measure_loads || scene->gauges[k].kind == RN_GAUGE_FORCE;
    result = make(scene, &def, how->is_dry, fluid, built);
    if (result != RN_OK || how->is_dry || def.speed_expected > 0) return result;
    const double at_start = (double)rni_fluid_derived_of(*fluid).speed_expected;
    double speed = speed_of_scene(scene, at_start);
    result = add_speed_of_events(scene, def, built, &speed);
    if (result == RN_OK && !(speed > 1.01 * at_start)) return RN_OK;
    rn_fluid_destroy(*fluid);
    *fluid = NULL;
    if (result != RN_OK) return result;
    def.speed_expected = (float)fmin(speed, 1e6);
    return make(scene, &def, false, fluid, built);
}

rn_result rni_scene_advance(const rni_scene *scene, rn_fluid *fluid, uint32_t *event_next)
{
    double now = rn_fluid_get_time(fluid);
    uint32_t next = *event_next;
    while (next < scene->event_count && scene->events[next].time <= now) next++;
    if (next == *event_next) return RN_OK;
    rni_scene changed = *scene; /* its lists are only borrowed */
    if (*event_next > 0) changed.def.params = rn_fluid_get_params(fluid);
    for (uint32_t k = *event_next; k < next; k++)
        for (uint32_t c = 0; c < scene->events[k].change_count; c++)
            rni_change_apply(&scene->events[k].change[c], &changed);
    rn_result result = rn_fluid_set_params(fluid, &changed.def.params);
    if (result != RN_OK) return blame(result, "events", next - 1, "");
    *event_next = next;
    return RN_OK;
}

double rni_scene_viscosity(const rni_scene *scene)
{
    const rn_fluid_params *p = &scene->def.params;
    double most = scene->fluid_count > 0 ? 0 : (double)p->viscosity;
    for (uint32_t k = 0; k < scene->fluid_count; k++)
        most = fmax(most, (double)scene->fluids[k].phase.viscosity);
    return p->viscosity_model == RN_VISCOSITY_NONE ? 0 : most;
}

void rni_scene_bounds(const rni_scene *scene, float low[3], float high[3])
{
    for (uint32_t a = 0; a < 3; a++) {
        bool is_there = a < scene->def.dim;
        low[a] = is_there ? scene->def.domain_low[a] : 0;
        high[a] = is_there ? scene->def.domain_high[a] : 0;
    }
}
