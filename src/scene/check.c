/* Checks values against each other, and derives the numbers that follow from them. */
#include "scene/check.h"

#include "base/pi.h"
#include "fluid/derive.h"
#include "fluid/lattice.h"
#include "fluid/rheology.h"
#include "scene/fluids.h"
#include "scene/initial.h"
#include "scene/regions.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* --- how much water --------------------------------------------------------------------------- */
static double cell_of(const rni_scene *scene, double spacing)
{
    return scene->def.dim == 2 ? spacing * spacing : spacing * spacing * spacing;
}

static double block_count(const rni_scene *scene, const rni_scene_block *block, double spacing)
{
    if (*block->solid) return rni_scene_block_volume(scene, block) / cell_of(scene, spacing);
    for (uint32_t a = 0; a < scene->def.dim; a++)
        if (!(block->high[a] > block->low[a])) return 0;
    rni_extent extent = rni_extent_make(&scene->def, spacing, block->low, block->high);
    rni_lattice lattice = rni_lattice_fit(&scene->def, spacing, &extent);
    return rni_lattice_count(&lattice);
}

static double pipe_count(const rni_scene *scene, const rni_scene_pipe *pipe, double spacing)
{
    if (pipe->volume > 0) return fmax(1, round((double)pipe->volume / cell_of(scene, spacing)));
    return pipe->max_particles;
}

static double particles_at(const rni_scene *scene, double spacing)
{
    double count = 0;
    for (uint32_t k = 0; k < scene->block_count; k++)
        count += block_count(scene, &scene->blocks[k], spacing);
    for (uint32_t k = 0; k < scene->ball_count; k++)
        count += rni_scene_ball_volume(scene, &scene->balls[k]) / cell_of(scene, spacing);
    for (uint32_t k = 0; k < scene->pipe_count; k++)
        count += pipe_count(scene, &scene->pipes[k], spacing);
    return count;
}

static double volume_of(const rni_scene *scene)
{
    double volume = 0;
    for (uint32_t k = 0; k < scene->block_count; k++)
        volume += rni_scene_block_volume(scene, &scene->blocks[k]);
    for (uint32_t k = 0; k < scene->ball_count; k++)
        volume += rni_scene_ball_volume(scene, &scene->balls[k]);
    for (uint32_t k = 0; k < scene->pipe_count; k++) volume += (double)scene->pipes[k].volume;
    return volume;
}

/* One particle short of too many, blocks end up to half a layer off what was asked for; at the spacing
 * by which the particles are the whole volume, they end on it. Other counts may come with it. */
static double even_spacing(const rni_scene *scene, double volume, double spacing)
{
    for (uint32_t k = 0; k < 8; k++) {
        double even = pow(volume / particles_at(scene, spacing), 1.0 / scene->def.dim);
        if (!(particles_at(scene, even) <= scene->particles)) break;
        spacing = even;
    }
    return spacing;
}

/* A spacing with no more particles than wanted, and hardly less; 0 when no spacing gives that. One with
 * more of them would let blocks end off their faces, one with a few too many would not be what was asked
 * for (max_particles may be the same number): a test looks at all spacings around. */
static double spacing_of(const rni_scene *scene, double volume)
{
    double wanted = scene->particles;
    for (uint32_t k = 0; k < scene->pipe_count; k++)
        if (scene->pipes[k].volume <= 0) wanted -= scene->pipes[k].max_particles;
    if (wanted < 1 || volume <= 0) return 0;
    double middle = pow(volume / wanted, 1.0 / scene->def.dim);
    double low = middle / 4;
    double high = middle * 4;
    for (uint32_t k = 0; k < 80; k++) {
        middle = (low + high) / 2;
        if (particles_at(scene, middle) > scene->particles) low = middle;
        else high = middle;
    }
    if (scene->pipe_count == 0) high = even_spacing(scene, volume, high);
    /* The fluid keeps it as a float: one that still holds. */
    float spacing = (float)high;
    for (uint32_t k = 0; k < 8 && particles_at(scene, (double)spacing) > scene->particles; k++)
        spacing = nextafterf(spacing, INFINITY);
    return (double)spacing;
}

rni_scene_derived rni_scene_derive(const rni_scene *scene)
{
    rni_scene_derived derived = {.volume = volume_of(scene)};
    derived.spacing =
        scene->particles ? spacing_of(scene, derived.volume) : (double)scene->def.spacing;
    if (derived.spacing <= 0) return derived;
    derived.particles = (uint64_t)fmin(particles_at(scene, derived.spacing), 1e18);
    for (uint32_t k = 0; k < scene->pipe_count; k++)
        derived.pipe_max[k] =
            (uint32_t)fmin(pipe_count(scene, &scene->pipes[k], derived.spacing), 4e9);
    return derived;
}

/* --- problems --------------------------------------------------------------------------------- */
static const char AXES[] = "xyz";

/* " (and y, z)": the wrong axes after the first; "" when only the first is wrong. */
typedef struct others {
    char text[16];
} others;

static others others_of(const bool is_wrong[3], uint32_t first)
{
    others o = {""};
    for (uint32_t a = first + 1; a < 3; a++) {
        size_t used = strlen(o.text);
        if (is_wrong[a])
            snprintf(o.text + used, sizeof o.text - used, "%s%c", used ? ", " : " (and ", AXES[a]);
    }
    if (*o.text) strcat(o.text, ")");
    return o;
}

/* high above low on every axis there is. */
static void check_box(rni_reading *r, const rni_scene *scene, const float *low, const float *high)
{
    bool is_wrong[3] = {false, false, false};
    if (!rni_reading_is_sound(r, "low") || !rni_reading_is_sound(r, "high")) return;
    for (uint32_t a = 0; a < scene->def.dim; a++) is_wrong[a] = !(high[a] > low[a]);
    for (uint32_t a = 0; a < scene->def.dim; a++) {
        if (!is_wrong[a]) continue;
        rni_reading_enter(r, "high");
        rni_problem(r, "%c is %.7g; it must be greater than in low, %.7g%s", AXES[a],
                    (double)high[a], (double)low[a], others_of(is_wrong, a).text);
        rni_reading_leave(r);
        return;
    }
}

/* A vector that was not given is 0: one problem instead of one per axis. */
static bool is_given(rni_reading *r, const rni_scene *scene, const char *name, const float *vector,
                     const char *what)
{
    for (uint32_t a = 0; a < scene->def.dim; a++)
        if (vector[a] != 0) return true;
    if (rni_reading_is_sound(r, name)) rni_problem(r, "%s is missing or 0: %s", name, what);
    return false;
}

static void check_positive(rni_reading *r, const char *name, float value, const char *why)
{
    if (value > 0 || !rni_reading_is_sound(r, name)) return;
    rni_reading_enter(r, name);
    rni_problem(r, "is %.7g; %s", (double)value, why);
    rni_reading_leave(r);
}

void rni_check_direction(rni_reading *r, const rni_scene *scene, const char *name,
                         const float *direction)
{
    float sum = 0;
    for (uint32_t a = 0; a < scene->def.dim; a++) sum += fabsf(direction[a]);
    check_positive(r, name, sum, "a direction must not be zero; e.g. [0, 1, 0]");
}

static double length_of(const rn_fluid_def *def, uint32_t a)
{
    double low = (double)def->domain_low[a], high = (double)def->domain_high[a];
    return high - low + rni_rounding_of(low, high);
}

static void check_domain_length(rni_reading *r, const rn_fluid_def *def, const bool is_short[3],
                                double spacing)
{
    for (uint32_t a = 0; a < def->dim; a++) {
        if (!is_short[a]) continue;
        double low = (double)def->domain_low[a], high = (double)def->domain_high[a];
        rni_reading_enter(r, "high");
        rni_problem(r,
                    "%c is %.7g, %.3g m above low; the domain must be at least two spacings "
                    "long, %.3g m%s",
                    AXES[a], high, high - low, 2 * spacing, others_of(is_short, a).text);
        rni_reading_leave(r);
        return;
    }
}

/* Sizes of the domain against the spacing, as rn_fluid_create() has them. */
static void check_domain_size(rni_reading *r, const rni_scene *scene, double spacing, double radius)
{
    const rn_fluid_def *def = &scene->def;
    bool is_short[3] = {false, false, false};
    if (!rni_reading_is_sound(r, "low") || !rni_reading_is_sound(r, "high")) return;
    for (uint32_t a = 0; a < def->dim; a++)
        is_short[a] = def->domain_high[a] > def->domain_low[a] && length_of(def, a) < 2 * spacing;
    check_domain_length(r, def, is_short, spacing);
    for (uint32_t a = 0; a < def->dim; a++) {
        double low = (double)def->domain_low[a], high = (double)def->domain_high[a];
        if (high <= low) continue;
        double length = length_of(def, a);
        if (!is_short[a] && def->periodic[a] && length < 3 * radius) {
            rni_reading_enter(r, "periodic");
            rni_problem(r, "the period along %c is %.3g m; it must be at least three radii, %.3g m",
                        AXES[a], high - low, 3 * radius);
            rni_reading_leave(r);
        }
        if (fmax(fabs(low), fabs(high)) > 1e5 * spacing) {
            rni_reading_enter(r, fabs(high) > fabs(low) ? "high" : "low");
            rni_problem(r,
                        "%c is %.7g, more than 100,000 spacings of %.3g m from the origin, where "
                        "positions would be too coarse; move the domain, or take a larger spacing",
                        AXES[a], fabs(high) > fabs(low) ? high : low, spacing);
            rni_reading_leave(r);
        }
    }
}

static void check_spacing(rni_reading *r, const rni_scene *scene, double spacing)
{
    const rn_fluid_def *def = &scene->def;
    bool can_check = rni_reading_is_sound(r, "spacing") && rni_reading_is_sound(r, "particles");
    if (can_check && def->spacing <= 0 && scene->particles == 0)
        rni_problem(r, "spacing is missing: metres between particles; or give particles");
    if (can_check && def->spacing > 0 && scene->particles > 0)
        rni_problem(r, "has both spacing and particles; give only one");
    if (!can_check || !(spacing > 0)) return;
    if (spacing < 0.99999e-6) { /* it is a float */
        rni_reading_enter(r, scene->particles ? "particles" : "spacing");
        rni_problem(r, "gives a spacing of %.3g m; it must be at least 1e-6", spacing);
        rni_reading_leave(r);
    }
    float s = (float)spacing;
    if (def->radius == 0 || (def->radius >= 1.199999f * s && def->radius <= 4.000001f * s)) return;
    if (!rni_reading_is_sound(r, "radius")) return;
    rni_reading_enter(r, "radius");
    rni_problem(r,
                "is %.7g; it must be 0 (derived) or from 1.2 to 4 spacings of %.3g m: %.3g to %.3g",
                (double)def->radius, spacing, 1.2 * spacing, 4 * spacing);
    rni_reading_leave(r);
}

/* Solver and law of the viscosity, as the fluid checks them: its sentence begins with the name of the value. */
static void check_viscosity(rni_reading *r, const rni_scene *scene)
{
    if (r->problems->count > 0 || rni_rheology_check(&scene->def.params) == RN_OK) return;
    char sentence[512], *space;
    snprintf(sentence, sizeof sentence, "%s", rn_last_error());
    if ((space = strchr(sentence, ' ')) == NULL) return;
    *space = 0;
    rni_reading_enter(r, strcmp(sentence, "integrator") == 0 ? "time" : "fluid");
    rni_reading_enter(r, sentence);
    rni_problem(r, "%s", space + 1);
    rni_reading_leave(r);
    rni_reading_leave(r);
}

static void check_fluid(rni_reading *r, const rni_scene *scene, double spacing)
{
    const rn_fluid_def *def = &scene->def;
    rni_reading_enter(r, "fluid");
    uint32_t before = r->problems->count;
    check_spacing(r, scene, spacing);
    bool has_spacing = spacing > 0 && r->problems->count == before &&
                       rni_reading_is_sound(r, "spacing") && rni_reading_is_sound(r, "radius");
    rni_reading_leave(r);
    check_viscosity(r, scene);

    rni_reading_enter(r, "domain");
    static const float CORNER[3] = {0, 0, 0};
    if (memcmp(def->domain_low, CORNER, sizeof CORNER) != 0 ||
        is_given(r, scene, "high", def->domain_high,
                 "metres, the highest corner of the box that holds everything; low is [0, 0, 0]"))
        check_box(r, scene, def->domain_low, def->domain_high);
    if (has_spacing)
        check_domain_size(r, scene, spacing, def->radius > 0 ? (double)def->radius : 2 * spacing);
    for (uint32_t a = 0; a < def->dim; a++) {
        if (!def->periodic[a] || !(def->open[a][0] || def->open[a][1])) continue;
        rni_reading_enter(r, "open");
        rni_problem(r, "%c is both periodic and open; choose one", AXES[a]);
        rni_reading_leave(r);
    }
    if (def->dim == 2 && (def->periodic[2] || def->open[2][0] || def->open[2][1]))
        rni_problem(r, "there is no axis z in 2D; remove it from periodic and open");
    rni_reading_leave(r);
}

/* Whether the solid that a block, ball, pipe or outlet names is there and can be filled. */
static bool check_region(rni_reading *r, const rni_scene *scene, const char *solid)
{
    rni_region *region = NULL;
    if (!*solid) return true;
    if (r->problems->count > 0 && rni_scene_solid_named(scene, solid))
        return false; /* perhaps it is the solid that is wrong */
    if (rni_region_get(scene, solid, &region) != RN_OK) {
        rni_reading_enter(r, "solid");
        rni_problem(r, "%s", rn_last_error());
        rni_reading_leave(r);
    }
    rni_region_give(region);
    return region != NULL;
}

static void check_pipe(rni_reading *r, const rni_scene *scene, const rni_scene_pipe *pipe,
                       double spacing)
{
    float center[3], radius;
    rni_check_direction(r, scene, "direction", pipe->direction);
    if (!check_region(r, scene, pipe->solid)) return;
    rni_scene_pipe_mouth(scene, pipe, center, &radius);
    if (2 * (double)radius < spacing * (1 - 1e-6) && rni_reading_is_sound(r, "radius")) {
        rni_reading_enter(r, *pipe->solid ? "solid" : "radius");
        rni_problem(r,
                    *pipe->solid
                        ? "gives a radius of %.7g; it must be at least half the spacing of %.6g"
                        : "is %.7g; it must be at least half the spacing of %.6g",
                    (double)radius, spacing);
        rni_reading_leave(r);
    }
    bool can_check = rni_reading_is_sound(r, "speed") && rni_reading_is_sound(r, "flow_rate") &&
                     rni_reading_is_sound(r, "head");
    if (can_check && pipe->speed <= 0 && pipe->flow_rate <= 0 && pipe->head <= 0)
        rni_problem(r, "speed is missing: m/s of the stream; or give flow_rate or head");
    if (pipe->speed > 0 && pipe->flow_rate > 0)
        rni_problem(r, "has both speed and flow_rate; give only one");
    else if (pipe->head > 0 && (pipe->speed > 0 || pipe->flow_rate > 0))
        rni_problem(r, "has both head and %s; give only one",
                    pipe->speed > 0 ? "speed" : "flow_rate");
    if (pipe->sine_amplitude > 0 && !(pipe->sine_frequency > 0) &&
        rni_reading_is_sound(r, "sine_frequency"))
        rni_problem(r, "has a sine_amplitude without a sine_frequency; give one, in Hz");
    if (pipe->volume > 0 && pipe->max_particles > 0)
        rni_problem(r, "has both volume and max_particles; give only one");
    if (!rni_reading_is_sound(r, "times") || !rni_reading_is_sound(r, "factors")) return;
    if (pipe->time_count != pipe->factor_count)
        rni_problem(r, "has %u times and %u factors; each time needs its factor", pipe->time_count,
                    pipe->factor_count);
    for (uint32_t k = 1; k < pipe->time_count; k++) {
        if (pipe->times[k] > pipe->times[k - 1]) continue;
        rni_reading_enter(r, "times");
        rni_problem(r, "%.7g follows %.7g; times must ascend", (double)pipe->times[k],
                    (double)pipe->times[k - 1]);
        rni_reading_leave(r);
        break;
    }
}

/* A block that fills a solid. */
static void check_filled(rni_reading *r, const rni_scene *scene, const rni_scene_block *block)
{
    rni_region *region = NULL;
    float brim, low[3], high[3];
    if (!check_region(r, scene, block->solid)) return;
    if (rni_region_get(scene, block->solid, &region) != RN_OK) return;
    rni_scene_block_bounds(scene, block, low, high);
    if (!rni_region_holds(region, block->level, &brim)) {
        rni_reading_enter(r, "level");
        rni_problem(
            r,
            "is %.7g; '%s' holds water up to %.4g, what is above runs off: lower the level, or leave it "
            "out to fill it to the brim",
            (double)block->level, rni_say_text(block->solid, strlen(block->solid)).text,
            (double)brim);
        rni_reading_leave(r);
    } else if (!(rni_region_volume(region, block->level, low, high) > 0)) {
        rni_reading_enter(r, "solid");
        rni_problem(
            r,
            "'%s' holds no water%s; a solid has to be hollow, no wall, or a vessel with its opening up "
            "against gravity",
            rni_say_text(block->solid, strlen(block->solid)).text,
            block->level < RNI_NO_LEVEL ? " below the level" : "");
        rni_reading_leave(r);
    }
    rni_region_give(region);
}

static void check_ball(rni_reading *r, const rni_scene *scene, const rni_scene_ball *ball)
{
    if (*ball->solid) check_region(r, scene, ball->solid);
    else check_positive(r, "radius", ball->radius, "a ball has a positive radius");
}

static void check_outlet(rni_reading *r, const rni_scene *scene, const rni_scene_outlet *outlet)
{
    if (*outlet->solid) check_region(r, scene, outlet->solid);
    else check_box(r, scene, outlet->low, outlet->high);
}

static void check_block(rni_reading *r, const rni_scene *scene, const rni_scene_block *block)
{
    rni_initial initial;
    rni_formula_error error;
    const char *key;
    if (*block->solid) check_filled(r, scene, block);
    else check_box(r, scene, block->low, block->high);
    if (!*block->solid && block->level < RNI_NO_LEVEL) {
        rni_reading_enter(r, "level");
        rni_problem(r, "is %.7g, but the block fills no solid; it ends at high: leave level out",
                    (double)block->level);
        rni_reading_leave(r);
    }
    if (rni_initial_read(scene, block, &initial, &key, &error)) return;
    rni_reading_enter(r, key);
    rni_problem(r, "character %zu: %s", error.place + 1, error.text);
    rni_reading_leave(r);
}

static void check_gravity_table(rni_reading *r, const rni_scene *scene)
{
    rni_reading_enter(r, "gravity_table");
    for (uint32_t k = 1; k < scene->gravity_stop_count; k++) {
        const rni_scene_gravity *stop = &scene->gravity_table[k];
        if (stop->time > stop[-1].time) continue;
        rni_reading_enter_item(r, k);
        rni_problem(r, "is at %g s, not after the entry before (%g s); times must ascend",
                    stop->time, stop[-1].time);
        rni_reading_leave(r);
        break;
    }
    rni_reading_leave(r);
}

/* "a spacing above 0.01 m" */
typedef struct spacing_text {
    char text[48];
} spacing_text;

static spacing_text larger_spacing(double spacing)
{
    spacing_text s = {"a larger fluid.spacing"};
    if (spacing > 0) snprintf(s.text, sizeof s.text, "a fluid.spacing above %.3g m", spacing);
    return s;
}

static void check_water(rni_reading *r, const rni_scene *scene, const rni_scene_derived *derived)
{
    if (scene->particles && derived->spacing <= 0) {
        rni_reading_enter(r, "fluid");
        rni_reading_enter(r, "particles");
        if (derived->volume <= 0)
            rni_problem(r, "there is no volume to divide: no block, no ball, no pipe with a volume; "
                           "give spacing instead");
        else
            rni_problem(
                r,
                "is %u, but the pipes alone may pour that many (max_particles): none are left for blocks and balls",
                scene->particles);
        rni_reading_leave(r);
        rni_reading_leave(r);
    } else if (derived->particles > scene->def.max_particles) {
        double fit = derived->volume > 0
                         ? pow(derived->volume / scene->def.max_particles, 1.0 / scene->def.dim)
                         : 0;
        rni_reading_enter(r, "fluid");
        rni_reading_enter(r, "max_particles");
        rni_problem(r,
                    "is %u, but blocks, balls and pipes hold %llu particles; raise "
                    "fluid.max_particles, or use %s",
                    scene->def.max_particles, (unsigned long long)derived->particles,
                    scene->particles ? "fewer fluid.particles" : larger_spacing(fit).text);
        rni_reading_leave(r);
        rni_reading_leave(r);
    }
}

/* --- any water at all --------------------------------------------------------------------------- */
static bool is_outside(const rni_scene *scene, const float low[3], const float high[3])
{
    for (uint32_t a = 0; a < scene->def.dim; a++)
        if (high[a] <= scene->def.domain_low[a] || low[a] >= scene->def.domain_high[a]) return true;
    return false;
}

/* "(0, 0, 1) to (1, 1, 2)", in 2D with two numbers. */
typedef struct span_text {
    char text[128];
} span_text;

static span_text span_of(const rni_scene *scene, const float low[3], const float high[3])
{
    span_text s;
    if (scene->def.dim == 2)
        snprintf(s.text, sizeof s.text, "(%.5g, %.5g) to (%.5g, %.5g)", (double)low[0],
                 (double)low[1], (double)high[0], (double)high[1]);
    else
        snprintf(s.text, sizeof s.text, "(%.5g, %.5g, %.5g) to (%.5g, %.5g, %.5g)", (double)low[0],
                 (double)low[1], (double)low[2], (double)high[0], (double)high[1], (double)high[2]);
    return s;
}

static void refuse_outside(rni_reading *r, const rni_scene *scene, const char *what,
                           const float low[3], const float high[3])
{
    rni_problem(r,
                "the %s, from %s m, lies outside the domain, from %s m, so the scene has no water; "
                "move the %s into the domain, or enlarge the domain",
                what, span_of(scene, low, high).text,
                span_of(scene, scene->def.domain_low, scene->def.domain_high).text, what);
}

/* A scene without a pipe needs a block or a ball that reaches into the domain. What solids leave of
 * them is known when the fluid is built. */
static void check_any_water(rni_reading *r, const rni_scene *scene)
{
    float low[3], high[3];
    if (scene->pipe_count > 0 || *scene->particles_file) return;
    if (scene->block_count + scene->ball_count == 0) {
        rni_problem(r, "the scene has no water: add a block, a ball or a pipe, for example "
                       "\"blocks\": [{\"low\": [0, 0, 0], \"high\": [0.5, 0.5, 0.5]}]");
        return;
    }
    for (uint32_t k = 0; k < scene->block_count; k++) {
        rni_scene_block_bounds(scene, &scene->blocks[k], low, high);
        if (!is_outside(scene, low, high)) return;
    }
    for (uint32_t k = 0; k < scene->ball_count; k++) {
        rni_scene_ball_bounds(scene, &scene->balls[k], low, high);
        if (!is_outside(scene, low, high)) return;
    }
    rni_reading_enter(r, scene->block_count ? "blocks" : "balls");
    for (uint32_t k = 0; k < scene->block_count; k++) {
        rni_reading_enter_item(r, k);
        rni_scene_block_bounds(scene, &scene->blocks[k], low, high);
        refuse_outside(r, scene, "block", low, high);
        rni_reading_leave(r);
    }
    for (uint32_t k = 0; k < scene->ball_count && scene->block_count == 0; k++) {
        rni_scene_ball_bounds(scene, &scene->balls[k], low, high);
        rni_reading_enter_item(r, k);
        refuse_outside(r, scene, "ball", low, high);
        rni_reading_leave(r);
    }
    rni_reading_leave(r);
}

/* --- no third axis ------------------------------------------------------------------------------ */
static void check_flat_value(rni_reading *r, const char *name, const float *vector)
{
    if (vector[2] == 0) return;
    rni_reading_enter(r, name);
    rni_problem(r, "z is %.7g; there is no axis z in 2D: leave the third number out, or make it 0",
                (double)vector[2]);
    rni_reading_leave(r);
}

/* A box may have a depth, and turns about z; a picture is taken from somewhere in space. */
static bool may_have_z(const rni_parameter *p)
{
    return p->type != RNI_TYPE_VECTOR || p->has_z_in_2d || strcmp(p->path, "size") == 0;
}

static void check_flat_parameter(rni_reading *r, const rni_parameter *p, const float *vector)
{
    char group[32];
    size_t length = rni_parameter_group_length(p);
    if (may_have_z(p)) return;
    snprintf(group, sizeof group, "%.*s", (int)length, p->path);
    if (length) rni_reading_enter(r, group);
    check_flat_value(r, length ? p->path + length + 1 : p->path, vector);
    if (length) rni_reading_leave(r);
}

static void check_flat_list(rni_reading *r, const rni_scene *scene, const rni_parameter_list *list)
{
    uint32_t count;
    const char *items;
    memcpy(&count, (const char *)scene + list->count_offset, sizeof count);
    memcpy(&items, (const char *)scene + list->items_offset, sizeof items);
    rni_reading_enter(r, list->name);
    for (uint32_t k = 0; k < count; k++) {
        const char *item = items + k * list->item_bytes;
        rni_reading_enter_item(r, k);
        for (uint32_t p = 0; p < list->parameter_count; p++)
            check_flat_parameter(r, &list->table[p], (const float *)(item + list->table[p].offset));
        rni_reading_leave(r);
    }
    rni_reading_leave(r);
}

/* Third numbers of a 2D scene would be ignored silently. */
static void check_flat(rni_reading *r, const rni_scene *scene)
{
    for (uint32_t k = 0; k < rni_parameter_count; k++)
        check_flat_parameter(r, &rni_parameters[k],
                             (const float *)((const char *)scene + rni_parameters[k].offset));
    for (uint32_t k = 0; k < rni_parameter_list_count; k++)
        check_flat_list(r, scene, &rni_parameter_lists[k]);
    rni_reading_enter(r, "events");
    for (uint32_t k = 0; k < scene->event_count; k++) {
        rni_reading_enter_item(r, k);
        rni_reading_enter(r, "set");
        for (uint32_t c = 0; c < scene->events[k].change_count; c++) {
            const rni_scene_change *change = &scene->events[k].change[c];
            check_flat_parameter(r, &rni_parameters[change->parameter], change->value.vector);
        }
        rni_reading_leave(r);
        rni_reading_leave(r);
    }
    rni_reading_leave(r);
}

#define EACH(list, items, item_count, statement)       \
    rni_reading_enter(r, list);                        \
    for (uint32_t k = 0; k < scene->item_count; k++) { \
        rni_reading_enter_item(r, k);                  \
        statement;                                     \
        rni_reading_leave(r);                          \
    }                                                  \
    rni_reading_leave(r)

/* Names of fluids that are not in their list. */
static void check_fluid_names(rni_reading *r, const rni_scene *scene)
{
    EACH("interfaces", interfaces, interface_count, rni_scene_check_interface(r, scene, k));
    EACH("blocks", blocks, block_count, rni_scene_check_fluid_name(r, scene, scene->blocks[k].fluid));
    EACH("balls", balls, ball_count, rni_scene_check_fluid_name(r, scene, scene->balls[k].fluid));
    EACH("pipes", pipes, pipe_count, rni_scene_check_fluid_name(r, scene, scene->pipes[k].fluid));
    EACH("outlets", outlets, outlet_count,
         rni_scene_check_fluid_name(r, scene, scene->outlets[k].fluid));
    EACH("gauges", gauges, gauge_count, rni_scene_check_fluid_name(r, scene, scene->gauges[k].fluid));
}

void rni_scene_check_at(rni_reading *r, const rni_scene *scene)
{
    assert(!rni_scene_flaw(scene));
    if (!rni_reading_is_sound(r, "fluid.dim")) return; /* everything depends on it */
    rni_scene_derived derived = rni_scene_derive(scene);
    check_fluid(r, scene, derived.spacing);
    rni_scene_check_fluids(r, scene);
    if (scene->def.dim == 2) check_flat(r, scene);
    EACH("solids", solids, solid_count, rni_scene_check_solid(r, scene, &scene->solids[k]));
    EACH("blocks", blocks, block_count, check_block(r, scene, &scene->blocks[k]));
    EACH("balls", balls, ball_count, check_ball(r, scene, &scene->balls[k]));
    EACH("pipes", pipes, pipe_count, check_pipe(r, scene, &scene->pipes[k], derived.spacing));
    EACH("outlets", outlets, outlet_count, check_outlet(r, scene, &scene->outlets[k]));
    EACH("gauges", gauges, gauge_count, rni_scene_check_gauge(r, scene, k));
#undef EACH
    check_gravity_table(r, scene);
    check_fluid_names(r, scene);
    if (*scene->particles_file && scene->particles > 0 && rni_reading_is_sound(r, "fluid.particles")) {
        rni_reading_enter(r, "particles");
        rni_problem(r, "file needs fluid.spacing, that of the run it is from, instead of "
                       "fluid.particles");
        rni_reading_leave(r);
    }
    if (r->problems->count == 0) check_water(r, scene, &derived);
    if (r->problems->count == 0) check_any_water(r, scene);
    if (scene->run_time / scene->run_every > 1e7) {
        rni_reading_enter(r, "run");
        rni_problem(
            r, "time is %g times as long as every; at most 1e7 outputs are allowed: increase every",
            scene->run_time / scene->run_every);
        rni_reading_leave(r);
    }
    float up = fabsf(scene->view_up[0]) + fabsf(scene->view_up[1]) + fabsf(scene->view_up[2]);
    rni_reading_enter(r, "view");
    check_positive(r, "up", up, "a direction must not be zero; e.g. [0, 1, 0]");
    rni_reading_leave(r);
}

rn_result rni_scene_check(const rni_scene *scene, const char *name, rni_problems *problems)
{
    rni_problems own;
    if (!problems) problems = &own;
    problems->count = 0;
    rni_reading reading = {.name = name, .problems = problems};
    rni_scene_check_at(&reading, scene);
    return rni_problems_result(problems, RN_ERROR_FILE);
}
