/* From a scene to a fluid, and its events in time. */
#include "base/error.h"
#include "base/pi.h"
#include "fluid/derived.h"
#include "scene/parameters.h"

#include <math.h>
#include <string.h>

/* The message of the library, after the part of the scene that caused it. */
static rn_result blame(rn_result result, const char *list, uint32_t place, const char *name)
{
    char sentence[400];
    snprintf(sentence, sizeof sentence, "%s", rn_last_error());
    return *name ? rni_fail(result, "%s.%u (%s): %s", list, place, name, sentence)
                 : rni_fail(result, "%s.%u: %s", list, place, sentence);
}

static rn_result add_solids(const rni_scene *scene, rn_fluid *fluid)
{
    const float h = rni_fluid_derived_of(fluid).radius;
    for (uint32_t k = 0; k < scene->solid_count; k++) {
        rn_result result = rni_scene_add_solid(scene, k, h, fluid);
        if (result != RN_OK) return blame(result, "solids", k, scene->solids[k].name);
    }
    return RN_OK;
}

rn_fluid_pipe rni_scene_pipe_of(const rni_scene_pipe *p)
{
    rn_fluid_pipe pipe = rn_fluid_pipe_default();
    memcpy(pipe.center, p->center, sizeof pipe.center);
    memcpy(pipe.direction, p->direction, sizeof pipe.direction);
    pipe.radius = p->radius;
    pipe.speed = p->speed;
    pipe.flow_rate = p->flow_rate;
    pipe.stop_count = p->time_count;
    memcpy(pipe.stop_time, p->times, sizeof pipe.stop_time);
    memcpy(pipe.stop_factor, p->factors, sizeof pipe.stop_factor);
    pipe.max_particles = p->max_particles;
    return pipe;
}

static rn_result add_pipes(const rni_scene *scene, rn_fluid *fluid, rni_scene_built *built)
{
    for (uint32_t k = 0; k < scene->pipe_count; k++) {
        const rni_scene_pipe *p = &scene->pipes[k];
        rn_fluid_pipe pipe = rni_scene_pipe_of(p);
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
        rn_result result = rn_fluid_add_outlet(fluid, &outlet, &built->outlet[k]);
        if (result != RN_OK) return blame(result, "outlets", k, o->name);
    }
    return RN_OK;
}

static void sum_up(rn_fluid_added *all, const rn_fluid_added *one)
{
    all->added += one->added;
    all->outside_domain += one->outside_domain;
    all->in_walls += one->in_walls;
    all->overlapping += one->overlapping;
}

static rni_dry dry_of(const rn_fluid_added *added)
{
    if (added->added > 0) return RNI_DRY_NOT;
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

static rn_result add_water(const rni_scene *scene, rn_fluid *fluid, rni_scene_built *built)
{
    rn_fluid_added added = rn_fluid_added_default();
    for (uint32_t k = 0; k < scene->block_count; k++) {
        const rni_scene_block *b = &scene->blocks[k];
        rn_fluid_block block = rn_fluid_block_default();
        memcpy(block.low, b->low, sizeof block.low);
        memcpy(block.high, b->high, sizeof block.high);
        memcpy(block.velocity, b->velocity, sizeof block.velocity);
        block.jitter = b->jitter;
        rn_result result = rn_fluid_add_block(fluid, &block, &added);
        if (result != RN_OK) return blame(result, "blocks", k, b->name);
        built->dry_block[k] = (uint8_t)dry_of(&added);
        sum_up(&built->water, &added);
    }
    for (uint32_t k = 0; k < scene->ball_count; k++) {
        const rni_scene_ball *b = &scene->balls[k];
        rn_fluid_ball ball = rn_fluid_ball_default();
        memcpy(ball.center, b->center, sizeof ball.center);
        ball.radius = b->radius;
        memcpy(ball.velocity, b->velocity, sizeof ball.velocity);
        ball.jitter = b->jitter;
        rn_result result = rn_fluid_add_ball(fluid, &ball, &added);
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
    for (uint32_t a = 0; a < def->dim; a++)
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
    double r = (double)pipe->radius, most = pipe->factor_count ? 0 : 1;
    double mouth = scene->def.dim == 2 ? 2 * r : RNI_PI * r * r;
    for (uint32_t k = 0; k < pipe->factor_count; k++) most = fmax(most, (double)pipe->factors[k]);
    return most * (pipe->flow_rate > 0 ? (double)pipe->flow_rate / mouth : (double)pipe->speed);
}

/* m/s: the stiffness follows from it. Events may raise gravity, blocks and balls may be thrown, pipes
 * pour, moving surfaces drag. */
static double speed_of_scene(const rni_scene *scene)
{
    double speed = 0;
    for (uint32_t k = 0; k < scene->block_count; k++)
        speed = fmax(speed, length_of(scene->blocks[k].velocity));
    for (uint32_t k = 0; k < scene->ball_count; k++)
        speed = fmax(speed, length_of(scene->balls[k].velocity));
    for (uint32_t k = 0; k < scene->pipe_count; k++)
        speed = fmax(speed, rni_scene_pipe_speed(scene, &scene->pipes[k]));
    for (uint32_t k = 0; k < scene->solid_count; k++)
        if (scene->solids[k].slip == RN_SLIP_NONE)
            speed = fmax(speed, length_of(scene->solids[k].velocity));
    for (uint32_t k = 0; k < scene->event_count; k++)
        for (uint32_t c = 0; c < scene->events[k].change_count; c++) {
            const rni_scene_change *change = &scene->events[k].change[c];
            if (strcmp(rni_parameters[change->parameter].path, "gravity") == 0)
                speed = fmax(speed, fall_speed(&scene->def, change->value.vector));
        }
    return speed;
}

/* The fluid without anything in it. Its expected speed is that of the scene where that is higher. */
static rn_result create(const rni_scene *scene, rn_fluid_def *def, rn_fluid **fluid)
{
    float speed = (float)fmin(speed_of_scene(scene), 1e6);
    rn_result result = rn_fluid_create(def, fluid);
    if (result != RN_OK || def->speed_expected > 0 ||
        speed <= rni_fluid_derived_of(*fluid).speed_expected)
        return result;
    rn_fluid_destroy(*fluid);
    def->speed_expected = speed;
    return rn_fluid_create(def, fluid);
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

    rn_fluid *made = NULL;
    rn_fluid_def def = scene->def;
    def.spacing = (float)built->derived.spacing;
    def.traversal = how->traversal;
    def.search = how->search;
    def.threads = how->threads;
    def.cpu = how->cpu;
    def.allocator = how->allocator;
    def.tasks = how->tasks;
    result = create(scene, &def, &made);
    if (result == RN_OK) result = add_solids(scene, made);
    if (result == RN_OK) result = add_pipes(scene, made, built);
    if (result == RN_OK) result = add_outlets(scene, made, built);
    if (result == RN_OK && !how->is_dry) result = add_water(scene, made, built);
    if (result != RN_OK) {
        rn_fluid_destroy(made);
        return result;
    }
    *fluid = made;
    return RN_OK;
}

rn_result rni_scene_advance(const rni_scene *scene, rn_fluid *fluid, uint32_t *event_next)
{
    double now = rn_fluid_get_time(fluid);
    uint32_t next = *event_next;
    while (next < scene->event_count && scene->events[next].time <= now) next++;
    if (next == *event_next) return RN_OK;
    rni_scene changed = *scene; /* its lists are only borrowed */
    for (uint32_t k = 0; k < next; k++)
        for (uint32_t c = 0; c < scene->events[k].change_count; c++)
            rni_change_apply(&scene->events[k].change[c], &changed);
    rn_result result = rn_fluid_set_params(fluid, &changed.def.params);
    if (result != RN_OK) return blame(result, "events", next - 1, "");
    *event_next = next;
    return RN_OK;
}

void rni_scene_bounds(const rni_scene *scene, float low[3], float high[3])
{
    for (uint32_t a = 0; a < 3; a++) {
        bool is_there = a < scene->def.dim;
        low[a] = is_there ? scene->def.domain_low[a] : 0;
        high[a] = is_there ? scene->def.domain_high[a] : 0;
    }
}
