#include "scene/warnings.h"

#include "fluid/derived.h"
#include "fluid/sources.h"
#include "scene/materials.h"
#include "scene/parameters.h"
#include "scene/regions.h"
#include "solid/solid.h"
#include "solid/wall_mesh.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 0))) static void add(rni_scene_warnings *warnings,
                                                      const char *format, va_list values)
{
    if (warnings->count < RNI_MAX_WARNINGS)
        vsnprintf(warnings->text[warnings->count], sizeof warnings->text[0], format, values);
    warnings->count++;
}

void rni_scene_warnings_add(rni_scene_warnings *warnings, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    add(warnings, format, values);
    va_end(values);
}

__attribute__((format(printf, 2, 3))) static void warn(rni_scene_warnings *warnings,
                                                       const char *format, ...)
{
    va_list values;
    va_start(values, format);
    add(warnings, format, values);
    va_end(values);
}

/* "solids.3 (weir)" */
typedef struct place {
    char text[80];
} place;

static place place_of(const char *list, uint32_t at, const char *name)
{
    place p;
    if (*name) snprintf(p.text, sizeof p.text, "%s.%u (%s)", list, at, name);
    else snprintf(p.text, sizeof p.text, "%s.%u", list, at);
    return p;
}

static void warn_thickness(const rni_scene *scene, uint32_t k, const rni_solid *solid, float radius,
                           rni_scene_warnings *warnings)
{
    const char *what;
    if (solid->kind->is_thin) return; /* the water on its two sides does not interact */
    const float thickness = solid->is_hollow ? INFINITY : solid->kind->thickness(solid, &what);
    if (thickness < radius * 0.999f)
        warn(warnings,
             "%s: is %.3g m thick, less than the support radius %.3g m; the water on its two sides interacts through it",
             place_of("solids", k, scene->solids[k].name).text, (double)thickness, (double)radius);
}

/* A solid that is too far from the domain to meet any water. */
static void warn_far(const rni_scene *scene, uint32_t k, const rni_solid *solid, float radius,
                     rni_scene_warnings *warnings)
{
    const rn_fluid_def *def = &scene->def;
    float away_sq = 0, reach = rni_solid_reach(solid) + radius;
    for (uint32_t a = 0; a < def->dim; a++) {
        float x = solid->center[a];
        float away = fmaxf(fmaxf(def->domain_low[a] - x, x - def->domain_high[a]), 0);
        if (!def->periodic[a]) away_sq += away * away;
    }
    if (away_sq > reach * reach)
        warn(warnings, "%s: is outside the domain and has no effect on the water",
             place_of("solids", k, scene->solids[k].name).text);
}

/* Overlaps that are hardly meant: half of one solid is inside the other, or a part of both. The foot of a post in
 * the floor is not of them. */
static bool is_unlikely(const rni_solid *a, const rni_solid *b, double *share)
{
    const double of_a = rni_solid_share_inside(a, b), of_b = rni_solid_share_inside(b, a);
    *share = fmax(of_a, of_b);
    return *share > 0.5 || fmin(of_a, of_b) > 0.03;
}

/* Solids that overlap by more than a tenth of a spacing: warned of, or only counted in the note. */
static void warn_overlaps(const rni_scene *scene, rni_scene_warnings *warnings)
{
    const float tolerance = 0.1f * (float)rni_scene_derive(scene).spacing;
    uint32_t noted = 0;
    rni_solid a, b;
    for (uint32_t i = 0; i < scene->solid_count; i++) {
        if (!rni_scene_solid_place(scene, i, &a)) continue;
        for (uint32_t j = i + 1; j < scene->solid_count; j++) {
            double share;
            if (!rni_scene_solid_place(scene, j, &b) || !(rni_solid_overlap(&a, &b, tolerance) > 0))
                continue;
            const place first = place_of("solids", i, scene->solids[i].name),
                        second = place_of("solids", j, scene->solids[j].name);
            if (is_unlikely(&a, &b, &share))
                warn(warnings,
                     "%s: overlaps %s by %.0f %% of the smaller one; move one of them, or make it "
                     "smaller, until they only touch",
                     first.text, second.text, 100 * share);
            else if (noted++ == 0)
                snprintf(warnings->note, sizeof warnings->note, "%s overlaps %s", first.text,
                         second.text);
        }
    }
    const size_t length = strlen(warnings->note);
    if (noted > 1)
        snprintf(warnings->note + length, sizeof warnings->note - length,
                 ", and %u more pairs of solids overlap", noted - 1);
}

/* A mesh with holes still keeps out what does not come through them. */
static void warn_open(const rni_scene *scene, uint32_t k, const rni_solid *solid,
                      rni_scene_warnings *warnings)
{
    const rn_wall_mesh *mesh = solid->def.mesh;
    if (!mesh || mesh->is_closed || mesh->is_sheet) return;
    warn(warnings,
         "%s: the mesh is not closed: it has edges with one triangle, or parts that do not agree; no water passes its "
         "triangles, but what is inside is a guess near its holes. `runnel mesh info` lists them; a sheet with "
         "water on one side needs \"sheet\": true",
         place_of("solids", k, scene->solids[k].name).text);
}

static void warn_solids(const rni_scene *scene, const rn_fluid *fluid, rni_scene_warnings *warnings)
{
    const float radius = rni_fluid_derived_of(fluid).radius;
    rni_solid solid;
    for (uint32_t k = 0; k < scene->solid_count; k++) {
        if (!rni_scene_solid_place(scene, k, &solid)) continue;
        warn_thickness(scene, k, &solid, radius, warnings);
        warn_far(scene, k, &solid, radius, warnings);
        warn_open(scene, k, &solid, warnings);
    }
    warn_overlaps(scene, warnings);
}

static void warn_pipes(const rni_scene *scene, const rni_scene_built *built, const rn_fluid *fluid,
                       rni_scene_warnings *warnings)
{
    for (uint32_t k = 0; k < scene->pipe_count; k++) {
        rni_pipe_places places = rni_pipe_places_of(fluid, built->pipe[k]);
        if (places.open == places.all) continue;
        warn(warnings,
             "%s: the rim of its mouth is in a wall or past a side: %u of %u particles of a layer have "
             "room, it pours %.3g %% of its flow",
             place_of("pipes", k, scene->pipes[k].name).text, places.open, places.all,
             100.0 * places.open / places.all);
    }
}

/* Water that starts faster than its sound allows for is not weakly compressed. */
static void warn_speed(const rn_fluid *fluid, place where, const char *does, double speed,
                       rni_scene_warnings *warnings)
{
    const double sound = (double)rni_fluid_derived_of(fluid).sound_speed;
    const double wanted = (double)rn_fluid_get_params(fluid).sound_ratio * speed;
    if (speed > 0.2 * sound && sound < 0.95 * wanted) /* softer than the preset means it to be */
        warn(warnings,
             "%s: %s at %.3g m/s where the speed of sound is %.3g m/s; the water will be compressed by "
             "%.0f %% and more. Leave fluid.speed_expected and fluid.stiffness out, or raise them",
             where.text, does, speed, sound, 100 * speed * speed / (sound * sound));
}

static void warn_speeds(const rni_scene *scene, const rn_fluid *fluid, rni_scene_warnings *warnings)
{
    for (uint32_t k = 0; k < scene->block_count; k++) {
        const float *v = scene->blocks[k].velocity;
        warn_speed(fluid, place_of("blocks", k, scene->blocks[k].name), "starts",
                   (double)sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), warnings);
    }
    for (uint32_t k = 0; k < scene->ball_count; k++) {
        const float *v = scene->balls[k].velocity;
        warn_speed(fluid, place_of("balls", k, scene->balls[k].name), "starts",
                   (double)sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), warnings);
    }
    for (uint32_t k = 0; k < scene->pipe_count; k++)
        warn_speed(fluid, place_of("pipes", k, scene->pipes[k].name), "pours",
                   rni_scene_pipe_speed(scene, &scene->pipes[k]), warnings);
}

static uint32_t count_in(const rni_scene *scene, const rn_fluid *fluid,
                         const rni_scene_outlet *outlet, const float low[3], const float high[3])
{
    rni_region *region = NULL;
    if (*outlet->solid && rni_region_get(scene, outlet->solid, &region) != RN_OK) return 0;
    rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    uint32_t count = 0;
    for (uint32_t i = 0; i < p.count; i++) {
        bool is_in = true;
        for (uint32_t a = 0; a < scene->def.dim; a++)
            is_in &= p.position[i][a] >= low[a] && p.position[i][a] <= high[a];
        count += is_in && (!region || rni_region_has(region, RNI_NO_LEVEL, p.position[i]));
    }
    rni_region_give(region);
    return count;
}

static void warn_outlets(const rni_scene *scene, const rn_fluid *fluid, rni_scene_warnings *warnings)
{
    for (uint32_t k = 0; k < scene->outlet_count; k++) {
        const rni_scene_outlet *o = &scene->outlets[k];
        place where = place_of("outlets", k, o->name);
        float from[3], to[3];
        rni_scene_outlet_bounds(scene, o, from, to);
        bool is_outside = false;
        for (uint32_t a = 0; a < scene->def.dim; a++)
            is_outside |= to[a] <= scene->def.domain_low[a] || from[a] >= scene->def.domain_high[a];
        bool is_reachable = false;
        for (uint32_t c = 0; c < 27; c++) { /* a lattice of 3 x 3 x 3 over what of it is inside */
            const uint32_t at[3] = {c % 3, c / 3 % 3, c / 9};
            float x[3] = {0};
            for (uint32_t a = 0; a < scene->def.dim; a++) {
                float low = fmaxf(from[a], scene->def.domain_low[a]);
                float high = fminf(to[a], scene->def.domain_high[a]);
                x[a] = low + (high - low) * ((float)at[a] + 0.5f) / 3;
            }
            is_reachable |= rn_fluid_get_wall_distance(fluid, x) > 0;
        }
        if (is_outside) warn(warnings, "%s: is outside the domain", where.text);
        else if (!is_reachable)
            warn(warnings, "%s: is inside a solid; nothing reaches it", where.text);
        uint32_t there = count_in(scene, fluid, o, from, to);
        if (there > 0)
            warn(warnings, "%s: removes %u particles that start inside it", where.text, there);
    }
}

/* Gauges whose point or foot is in a wall. On a face is right: that is where sensors are. */
static void warn_gauges(const rni_scene *scene, const rn_fluid *fluid, rni_scene_warnings *warnings)
{
    for (uint32_t k = 0; k < scene->gauge_count; k++) {
        const rni_scene_gauge *g = &scene->gauges[k];
        const bool has_point = g->kind == RN_GAUGE_PRESSURE || g->kind == RN_GAUGE_VELOCITY ||
                               g->kind == RN_GAUGE_LEVEL;
        if (!has_point) continue;
        const double depth = -rn_fluid_get_wall_distance(fluid, g->center);
        if (depth > 0.1 * rni_scene_derive(scene).spacing)
            warn(warnings,
                 "%s: its center is %.3g m inside a solid; place it on the face, or in the water",
                 place_of("gauges", k, g->name).text, depth);
    }
}

/* Blocks and balls without a particle. */
static void warn_dry(const rni_scene *scene, const rni_scene_built *built,
                     rni_scene_warnings *warnings)
{
    static const char FORMAT[] = "%s: adds no particle: all of its particles %s";
    for (uint32_t k = 0; k < scene->block_count; k++)
        if (built->dry_block[k])
            warn(warnings, FORMAT, place_of("blocks", k, scene->blocks[k].name).text,
                 rni_dry_text(built->dry_block[k]));
    for (uint32_t k = 0; k < scene->ball_count; k++)
        if (built->dry_ball[k])
            warn(warnings, FORMAT, place_of("balls", k, scene->balls[k].name).text,
                 rni_dry_text(built->dry_ball[k]));
}

/* Without a bottom, and nothing that sticks or stands in the way. */
static void warn_falls(const rni_scene *scene, rni_scene_warnings *warnings)
{
    const rn_fluid_def *def = &scene->def;
    for (uint32_t a = 0; a < def->dim; a++)
        if (def->periodic[a] && def->params.gravity[a] != 0 && scene->solid_count == 0 &&
            def->domain_slip == RN_SLIP_FREE)
            warn(warnings,
                 "gravity: pulls along %c, which is periodic, and nothing holds the water: it falls "
                 "faster and faster",
                 "xyz"[a]);
}

/* What is over before it begins, or never comes. */
static void warn_run(const rni_scene *scene, rni_scene_warnings *warnings)
{
    bool has_time = scene->run_time > 0 || scene->run_steps == 0;
    if (!(scene->run_time > 0) && scene->run_steps == 0)
        warn(warnings, "run.time: is 0, and so is run.steps: only the initial state is computed");
    else if (has_time && scene->run_every > scene->run_time)
        warn(warnings, "run.every, %g s, is longer than run.time, %g s", scene->run_every,
             scene->run_time);
    for (uint32_t k = 0; k < scene->event_count; k++) {
        if (scene->events[k].change_count == 0) warn(warnings, "events.%u: set is empty", k);
        if (has_time && scene->events[k].time >= scene->run_time)
            warn(warnings, "events.%u: at %g s comes after the end, %g s", k, scene->events[k].time,
                 scene->run_time);
    }
}

/* Whether the scene chooses a way of computing, at its start or later. */
static bool is_ever(const rni_scene *scene, const char *path, uint32_t now, uint32_t choice)
{
    if (now == choice) return true;
    for (uint32_t k = 0; k < scene->event_count; k++)
        for (uint32_t c = 0; c < scene->events[k].change_count; c++) {
            const rni_scene_change *change = &scene->events[k].change[c];
            if (strcmp(rni_parameters[change->parameter].path, path) == 0) return true;
        }
    return false;
}

static bool has_own_angle(const rni_scene *scene)
{
    for (uint32_t k = 0; k < scene->solid_count; k++)
        if (scene->solids[k].contact_angle > 0) return true;
    return false;
}

/* Numbers that were given and are not looked at. */
static void warn_unused(const rni_scene *scene, rni_scene_warnings *warnings)
{
    const rn_fluid_params *p = &scene->def.params;
    const rn_fluid_def standard = rn_fluid_def_of_preset(scene->preset);
    const rn_fluid_params *usual = &standard.params;
    bool is_akinci = is_ever(scene, "fluid.tension", p->tension, RN_TENSION_AKINCI);
    bool is_color = is_ever(scene, "fluid.tension", p->tension, RN_TENSION_COLOR_FIELD);
    bool is_energy = is_ever(scene, "fluid.tension", p->tension, RN_TENSION_SURFACE_ENERGY);
    bool is_viscous =
        is_ever(scene, "fluid.viscosity_model", p->viscosity_model, RN_VISCOSITY_LAPLACIAN);
    bool is_fixed = p->time_step > 0 && scene->event_count == 0;
    bool is_plain = scene->def.scheme == RN_SCHEME_WCSPH;
    const struct {
        bool is_unused;
        const char *path, *why;
    } all[] = {
        {!is_akinci && p->cohesion > 0, "fluid.cohesion", "fluid.tension is not akinci"},
        {!is_akinci && p->curvature > 0, "fluid.curvature", "fluid.tension is not akinci"},
        {!is_akinci && p->smooth_normals, "fluid.smooth_normals", "fluid.tension is not akinci"},
        {!is_color && !is_energy && p->surface_tension != usual->surface_tension &&
             !rni_material_has_tension(scene->material, p->surface_tension),
         "fluid.surface_tension", "fluid.tension is neither surface-energy nor color-field"},
        {!is_energy && p->contact_angle != usual->contact_angle, "walls.contact_angle",
         "fluid.tension is not surface-energy"},
        {!is_energy && has_own_angle(scene), "solids: contact_angle",
         "fluid.tension is not surface-energy"},
        {!is_energy && scene->interface_count > 0, "interfaces",
         "fluid.tension is not surface-energy"},
        {!is_color && p->color_threshold > 0, "fluid.color_threshold",
         "fluid.tension is not color-field"},
        {!is_viscous && p->viscosity != usual->viscosity, "fluid.viscosity",
         "fluid.viscosity_model is none"},
        {!is_viscous && p->numerical_viscosity != usual->numerical_viscosity,
         "fluid.numerical_viscosity", "fluid.viscosity_model is none"},
        {p->yield_stress > 0 && p->viscosity_law != RN_LAW_BINGHAM && !scene->event_count,
         "fluid.yield_stress", "fluid.viscosity_law is not bingham"},
        {p->flow_index != usual->flow_index && p->viscosity_law == RN_LAW_NEWTONIAN &&
             !scene->event_count,
         "fluid.flow_index", "fluid.viscosity_law is newtonian"},
        {p->shear_time > 0 && p->viscosity_law != RN_LAW_CARREAU && !scene->event_count,
         "fluid.shear_time", "fluid.viscosity_law is not carreau"},
        {p->pressure == RN_PRESSURE_GAS && p->exponent != usual->exponent && !scene->event_count,
         "fluid.exponent", "fluid.pressure is gas"},
        {p->stiffness > 0 && scene->def.speed_expected > 0, "fluid.speed_expected",
         "fluid.stiffness is given"},
        {p->stiffness > 0 && p->sound_ratio != usual->sound_ratio, "fluid.sound_ratio",
         "fluid.stiffness is given"},
        {scene->def.radius > 0 && scene->def.radius_ratio != standard.radius_ratio,
         "fluid.radius_ratio", "fluid.radius is given"},
        {is_plain && p->diffusion != usual->diffusion, "fluid.diffusion", "fluid.scheme is wcsph"},
        {is_plain && p->relaxation != usual->relaxation, "fluid.relaxation", "fluid.scheme is wcsph"},
        {is_plain && p->shifting != usual->shifting, "fluid.shifting", "fluid.scheme is wcsph"},
        {is_plain && p->bulk != usual->bulk, "fluid.bulk", "fluid.scheme is wcsph"},
        {is_plain && p->impact != usual->impact, "fluid.impact", "fluid.scheme is wcsph"},
        {is_plain && p->gradient_correction != usual->gradient_correction,
         "fluid.gradient_correction", "fluid.scheme is wcsph"},
        {is_fixed && p->time_step_max > 0, "time.step_max", "time.step is fixed"},
        {is_fixed && p->courant != usual->courant, "time.courant", "time.step is fixed"},
        {is_fixed && p->speed_share != usual->speed_share, "time.speed_share", "time.step is fixed"},
        {is_fixed && p->force_factor != usual->force_factor, "time.force_factor",
         "time.step is fixed"},
        {p->tension == RN_TENSION_AKINCI && !(p->cohesion > 0) && !(p->curvature > 0) &&
             !scene->event_count,
         "fluid.tension", "fluid.cohesion and fluid.curvature are 0; the scene `drop` has some"}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].is_unused) warn(warnings, "%s: has no effect: %s", all[k].path, all[k].why);
}

/* The time step without the fixed one, or without viscosity and tension. */
static double step_without(const rni_scene *scene, const rn_fluid *fluid, bool is_only_sound)
{
    rn_fluid_derived d = rni_fluid_derived_of(fluid);
    rn_fluid_def def = rni_scene_def(scene);
    def.spacing = scene->def.spacing > 0 ? scene->def.spacing : d.radius / 2;
    def.radius = d.radius;
    def.speed_expected = d.speed_expected;
    def.params.time_step = def.params.time_step_max = 0;
    if (is_only_sound) {
        def.params.viscosity_model = RN_VISCOSITY_NONE;
        def.params.tension = RN_TENSION_NONE;
    }
    rn_fluid *other = NULL;
    if (rn_fluid_create(&def, &other) != RN_OK) return 0;
    double step = (double)rni_fluid_derived_of(other).time_step;
    rn_fluid_destroy(other);
    return step;
}

/* Water whose sound is slower than itself is no water: it is pressed to a multiple of its density. */
static void warn_soft(const rni_scene *scene, const rn_fluid *fluid, rni_scene_warnings *warnings)
{
    const rn_fluid_derived d = rni_fluid_derived_of(fluid);
    if (scene->def.params.stiffness > 0 && d.sound_speed < d.speed_expected)
        warn(warnings,
             "fluid.stiffness: with %g sound runs at %.3g m/s, slower than the %.3g m/s that are expected of the water; "
             "the water will be compressed strongly. Leave it out, or use %.0f times the value",
             (double)scene->def.params.stiffness, (double)d.sound_speed, (double)d.speed_expected,
             ceil(100.0 * pow((double)d.speed_expected / (double)d.sound_speed, 2)));
}

/* What surface tension in N/m is measured with: `runnel lab laplace`, `drop-oscillation`, `contact-angle`. */
static void warn_tension(const rni_scene *scene, rni_scene_warnings *warnings)
{
    if (scene->def.params.tension != RN_TENSION_SURFACE_ENERGY) return;
    if (scene->def.scheme == RN_SCHEME_WCSPH)
        warn(warnings,
             "fluid.tension: surface-energy holds drops together with fluid.scheme wcsph (presets live and classic), but "
             "pressures, periods and contact angles are wrong; for figures take fluid.preset balanced or accurate");
}

/* Numbers of a law that one of several fluids does not have. */
static void warn_phase(uint32_t k, const rn_fluid_phase *phase, rni_scene_warnings *warnings)
{
    const rn_fluid_phase usual = rn_fluid_phase_default();
    const rn_fluid_law law = phase->viscosity_law;
    const struct {
        bool is_unused;
        const char *name, *why;
    } all[] = {{phase->yield_stress > 0 && law != RN_LAW_BINGHAM, "yield_stress", "is not bingham"},
               {phase->shear_time > 0 && law != RN_LAW_CARREAU, "shear_time", "is not carreau"},
               {phase->flow_index != usual.flow_index && law == RN_LAW_NEWTONIAN, "flow_index",
                "is newtonian"}};
    for (size_t n = 0; n < sizeof all / sizeof *all; n++)
        if (all[n].is_unused)
            warn(warnings, "fluids.%u.%s: has no effect: fluids.%u.viscosity_law %s", k,
                 all[n].name, k, all[n].why);
}

/* N / m: no liquid at room temperature has more; molten metals have up to 2.5. */
#define TENSION_MUCH 3.0f
/* Pa s: implicit viscosity is measured up to here. */
#define VISCOSITY_MUCH 1000.0f

static void warn_tension_of(const char *path, float tension, rni_scene_warnings *warnings)
{
    if (tension > TENSION_MUCH)
        warn(warnings,
             "%s: %g N/m is more than that of any liquid (water 0.0728, mercury 0.484); tables often have mN/m, a "
             "thousandth",
             path, (double)tension);
}

static void warn_viscosity_of(const char *path, float viscosity, rni_scene_warnings *warnings)
{
    if (viscosity > VISCOSITY_MUCH)
        warn(warnings,
             "%s: %g Pa s is beyond the %g Pa s up to which implicit viscosity is measured; steps may take hundreds of "
             "iterations. Tables often have mPa s or cP, a thousandth",
             path, (double)viscosity, (double)VISCOSITY_MUCH);
}

/* Coefficients that are allowed but probably in another unit. */
static void warn_coefficients(const rni_scene *scene, rni_scene_warnings *warnings)
{
    const rn_fluid_params *p = &scene->def.params;
    const bool has_tension = p->tension == RN_TENSION_SURFACE_ENERGY;
    const bool is_implicit = p->viscosity_solver == RN_SOLVER_IMPLICIT;
    char path[64];
    if (scene->fluid_count == 0) {
        if (has_tension) warn_tension_of("fluid.surface_tension", p->surface_tension, warnings);
        if (is_implicit) warn_viscosity_of("fluid.viscosity", p->viscosity, warnings);
    }
    for (uint32_t k = 0; k < scene->fluid_count; k++) {
        const rn_fluid_phase *phase = &scene->fluids[k].phase;
        warn_phase(k, phase, warnings);
        snprintf(path, sizeof path, "fluids.%u.surface_tension", k);
        if (has_tension) warn_tension_of(path, phase->surface_tension, warnings);
        snprintf(path, sizeof path, "fluids.%u.viscosity", k);
        if (is_implicit) warn_viscosity_of(path, phase->viscosity, warnings);
    }
}

/* Less than this many times the viscosity of the fluid, the numerical part is not worth a warning. */
#define NUMERICAL_MUCH 1000.0

/* The numerical part of the viscosity is by far the larger one. */
static void warn_numerical(const rni_scene *scene, const rn_fluid *fluid, rni_scene_warnings *warnings)
{
    const rn_fluid_derived d = rni_fluid_derived_of(fluid);
    const double own = rni_scene_viscosity(scene);
    const double numerical = (double)d.numerical_viscosity;
    if (own > 0 && numerical > NUMERICAL_MUCH * own)
        warn(warnings,
             "fluid.viscosity: the numerical part, %.2g Pa s, is %.0f times the %.2g Pa s of the fluid: vortices and "
             "thin layers decay as in a thicker fluid. Smaller spacing, preset accurate or a smaller "
             "fluid.numerical_viscosity lower it",
             numerical, numerical / own, own);
}

/* More steps than this for one run are worth a warning. */
#define MANY_STEPS 2e6

static void warn_time_step(const rni_scene *scene, const rn_fluid *fluid, rni_scene_warnings *warnings)
{
    const rn_fluid_params *p = &scene->def.params;
    double safe = step_without(scene, fluid, false), sound = step_without(scene, fluid, true);
    const bool is_split = p->time_step > rni_fluid_derived_of(fluid).longest_step;
    if (is_split && safe > 0)
        warn(warnings,
             "time.step: %g s is longer than the safe %.3g s, and than the largest stable step; every step is taken in "
             "%.0f parts or more",
             (double)p->time_step, safe, ceil((double)p->time_step / safe));
    else if (p->time_step > 0 && safe > 0 && (double)p->time_step > 1.0001 * safe)
        warn(warnings,
             "time.step: %g s is longer than the safe %.3g s; failed steps are repeated with substeps",
             (double)p->time_step, safe);
    const double steps = safe > 0 ? scene->run_time / safe : 0;
    if (p->tension == RN_TENSION_SURFACE_ENERGY && steps > MANY_STEPS)
        warn(warnings,
             "fluid.surface_tension: with this spacing, waves of surface tension need steps of %.2g s, %.0f million "
             "for the %g s of the run; the step grows with spacing^1.5: take a larger fluid.spacing or a shorter "
             "run.time",
             safe, steps * 1e-6, scene->run_time);
    if (safe > 0 && sound > 10 * safe)
        warn(warnings,
             "viscosity or tension make the time step %.0f times shorter than the speed of sound requires; a larger "
             "spacing, or less of them, makes it faster",
             sound / safe);
}

void rni_scene_warn(const rni_scene *scene, const rni_scene_built *built, const rn_fluid *fluid,
                    rni_scene_warnings *warnings)
{
    *warnings = (rni_scene_warnings){0};
    warn_solids(scene, fluid, warnings);
    warn_pipes(scene, built, fluid, warnings);
    warn_speeds(scene, fluid, warnings);
    warn_outlets(scene, fluid, warnings);
    warn_gauges(scene, fluid, warnings);
    warn_unused(scene, warnings);
    if (scene->def.params.negative_pressure && scene->def.scheme == RN_SCHEME_WCSPH)
        warn(warnings, "fluid.negative_pressure: water below rest density forms clumps; for "
                       "water with a surface leave it out");
    warn_soft(scene, fluid, warnings);
    warn_tension(scene, warnings);
    warn_coefficients(scene, warnings);
    warn_numerical(scene, fluid, warnings);
    warn_time_step(scene, fluid, warnings);
    warn_dry(scene, built, warnings);
    if (built->water.outside_domain)
        warn(warnings, "%u particles of blocks and balls are left out: outside the domain",
             built->water.outside_domain);
    if (built->water.in_walls)
        warn(warnings,
             "%u particles of blocks and balls are left out: in solids or too close to walls",
             built->water.in_walls);
    if (built->water.overlapping)
        warn(warnings, "%u particles are left out: blocks and balls overlap",
             built->water.overlapping);
    warn_falls(scene, warnings);
    warn_run(scene, warnings);
}
