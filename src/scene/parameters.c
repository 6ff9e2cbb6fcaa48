#include "scene/parameters.h"
#include "fluid/gauges.h"
#include "scene/materials.h"
#include "scene/regions.h"
#include "solid/solid.h"

#include <string.h>

/* --- choices ---------------------------------------------------------------------------------- */
#define FLUID_CHOICE(function, choice)              \
    static const char *function(uint32_t place)     \
    {                                               \
        return rn_fluid_choice_name(choice, place); \
    }
FLUID_CHOICE(choice_pressure, RN_CHOICE_PRESSURE)
FLUID_CHOICE(choice_viscosity, RN_CHOICE_VISCOSITY)
FLUID_CHOICE(choice_tension, RN_CHOICE_TENSION)
FLUID_CHOICE(choice_solver, RN_CHOICE_SOLVER)
FLUID_CHOICE(choice_law, RN_CHOICE_LAW)
FLUID_CHOICE(choice_scheme, RN_CHOICE_SCHEME)
FLUID_CHOICE(choice_preset, RN_CHOICE_PRESET)
FLUID_CHOICE(choice_kernels, RN_CHOICE_KERNELS)
FLUID_CHOICE(choice_integrator, RN_CHOICE_INTEGRATOR)
FLUID_CHOICE(choice_slip, RN_CHOICE_SLIP)
FLUID_CHOICE(choice_wall_law, RN_CHOICE_WALL_LAW)
FLUID_CHOICE(choice_shape, RN_CHOICE_SOLID)
FLUID_CHOICE(choice_gauge, RN_CHOICE_GAUGE)

static const char *choice_material(uint32_t place)
{
    const rni_material *material = rni_material_at(place);
    return material ? material->name : NULL;
}

static const char *choice_axis(uint32_t place)
{
    static const char *const names[] = {"x", "y", "z"};
    return place < 3 ? names[place] : NULL;
}

static const char *choice_side(uint32_t place)
{
    static const char *const names[] = {"x-low", "x-high", "y-low", "y-high", "z-low", "z-high"};
    return place < 6 ? names[place] : NULL;
}

/* --- the scene itself ------------------------------------------------------------------------- */
/* Where a field lies. */
#define FIELD(type, field) .offset = offsetof(type, field), .bytes = sizeof(((type *)0)->field)
#define S(field)           FIELD(rni_scene, field)

#define ENDLESS 1e9 /* m: more than any scene; floats are coarse long before */

/* The numbers of a viscosity law, which the single fluid and each of several has. */
#define LAW_NUMBERS(X)                                                                                                       \
    X(flow_index, "", 0.05, 3,                                                                                               \
      "exponent of the viscosity law: below 1 the fluid thins when it is sheared, above 1 it thickens"),                     \
        X(viscosity_infinite, "Pa s", 0, 1e6, "carreau: viscosity at high rates of shear"),                                  \
        X(shear_time, "s", 0, 1e6,                                                                                           \
          "carreau: inverse of the rate of shear at which the fluid begins to thin"),                                        \
        X(yield_stress, "Pa", 0, 1e6, "bingham: stress below which the fluid does not flow"),                                \
        X(yield_growth, "s", 1e-3, 1e6,                                                                                      \
          "bingham: the yield stress is reached at rates of shear above the inverse of this time; below, the fluid creeps"), \
        X(viscosity_min, "Pa s", 0, 1e6, "lower bound of what a viscosity law gives"),                                       \
        X(viscosity_max, "Pa s", 0, 1e6, "upper bound of what a viscosity law gives")
#define OF_SINGLE(field, unit, low, high, text)                                             \
    {                                                                                       \
        "fluid." #field, RNI_TYPE_NUMBER, unit, low, high, NULL, true, S(def.params.field), \
            .help = text                                                                    \
    }
#define OF_PHASE(field, unit, low, high, text)                                           \
    {                                                                                    \
#field, RNI_TYPE_NUMBER, unit, low, high, NULL, FLUID(phase.field), .help = text \
    }

const rni_parameter rni_parameters[] = {
    {"title", RNI_TYPE_TEXT, "", 0, 0, NULL, S(title), .help = "one line that names the scene"},
    {"description", RNI_TYPE_TEXT, "", 0, 0, NULL, S(description),
     .help = "what happens in the scene, and why its numbers were chosen"},

    {"run.time", RNI_TYPE_NUMBER, "s", 0, 1e6, NULL, S(run_time),
     .help = "simulated time at which the run ends; 0 together with run.steps: only the number "
             "of steps ends it"},
    {"run.steps", RNI_TYPE_INTEGER, "", 0, 4e9, NULL, S(run_steps),
     .zero = "only run.time ends the run",
     .help = "number of time steps after which the run ends, unless run.time ends it earlier"},
    {"run.every", RNI_TYPE_NUMBER, "s", 1e-6, 1e6, NULL, S(run_every),
     .help = "simulated time between two output frames"},

    {"particles.file", RNI_TYPE_TEXT, "", 0, 0, NULL, S(particles_file),
     .help = "a .vtp, .ply or .h5 (its last frame) of another run whose particles and velocities this one starts with, "
             "beside blocks and balls; a path from the folder of the scene"},

    {"fluid.dim", RNI_TYPE_INTEGER, "", 2, 3, NULL, S(def.dim), .help = "number of dimensions"},
    {"fluid.spacing", RNI_TYPE_NUMBER, "m", 0, 1e4, NULL, S(def.spacing),
     .zero = "derived from particles",
     .help = "distance between neighbouring particles at rest; half the spacing makes 8 times "
             "the particles (4 times in 2D). Give spacing or particles"},
    {"fluid.particles", RNI_TYPE_INTEGER, "", 0, 1e8, NULL, S(particles), .zero = "spacing is given",
     .help = "largest number of particles for all blocks, balls and pipes, from which the "
             "spacing is derived. Give particles or spacing"},
    {"fluid.preset", RNI_TYPE_CHOICE, "", 0, 0, choice_preset, S(preset),
     .help = "values that go together: live (soft sound, long steps, for play), balanced, accurate "
             "(for engineering), classic (as in Wichert et al. 2021); every value behind a preset "
             "can also be set by itself"},
    {"fluid.material", RNI_TYPE_CHOICE, "", 0, 0, choice_material, S(material),
     .help =
         "a fluid with published numbers, which sets rest_density, viscosity and its law, surface_tension and, for "
         "pastes, the implicit solver; every value can also be set by itself. `runnel materials` lists them"},
    {"fluid.concentration", RNI_TYPE_NUMBER, "% w/v", 0, (double)RNI_MATERIAL_MOST, NULL,
     S(concentration), .zero = "60 of a suspension",
     .help = "of material barium-suspension: grams of barium sulfate in 100 ml, from which its density and viscosity "
             "follow"},
    {"fluid.radius", RNI_TYPE_NUMBER, "m", 0, 1e5, NULL, S(def.radius),
     .zero = "radius_ratio times the spacing",
     .help = "kernel support radius h, the distance up to which particles interact; 1.2 to 4 "
             "spacings"},
    {"fluid.radius_ratio", RNI_TYPE_NUMBER, "", 1.2, 4, NULL, S(def.radius_ratio),
     .help = "kernel support radius over spacing, where fluid.radius is 0; set by the preset"},
    {"fluid.scheme", RNI_TYPE_CHOICE, "", 0, 0, choice_scheme, S(def.scheme),
     .help = "what a step computes between the neighbour search and the integration; wcsph: "
             "weakly compressible SPH; corrected: the same with density by continuity, corrected "
             "gradients, diffusion, relaxation and shifting; set by the preset"},
    {"fluid.kernels", RNI_TYPE_CHOICE, "", 0, 0, choice_kernels, S(def.kernels),
     .help = "smoothing kernels of density and pressure: wendland (Wendland C2) or spiky for "
             "both, or papers: poly6 and the gradient of spiky, as in Wichert et al. 2021 and "
             "Grahn 2008, which slowly heats the water"},
    {"fluid.rest_density", RNI_TYPE_NUMBER, "kg/m^3", 1e-6, 1e6, NULL, S(def.rest_density),
     .help = "density of the fluid at rest; water: 1000"},
    {"fluid.speed_expected", RNI_TYPE_NUMBER, "m/s", 0, 1e5, NULL, S(def.speed_expected),
     .zero = "derived from gravity, the heights and speeds of blocks, balls and pipes above the "
             "lowest place that is not solid",
     .help = "highest speed expected in the flow; sound is sound_ratio times faster"},
    {"fluid.max_particles", RNI_TYPE_INTEGER, "", 1, 1e8, NULL, S(def.max_particles),
     .help = "largest number of particles allowed: more at the start are refused, and pipes stop "
             "when the limit is reached"},
    {"fluid.initial_pressure", RNI_TYPE_BOOL, "", 0, 0, NULL, S(def.initial_pressure),
     .help = "at the start the water has the pressure of its weight; false: none, so that it falls into itself "
             "and rings; set by the preset"},
    {"fluid.seed", RNI_TYPE_INTEGER, "", 0, 9007199254740991.0, NULL, S(def.seed),
     .help = "seed of the random displacements that jitter adds"},
    {"fluid.pressure", RNI_TYPE_CHOICE, "", 0, 0, choice_pressure, true, S(def.params.pressure),
     .help = "equation of state: tait for water, or gas (pressure proportional to the excess "
             "density)"},
    {"fluid.stiffness", RNI_TYPE_NUMBER, "Pa (tait), J/kg (gas)", 0, 1e12, NULL, true,
     S(def.params.stiffness), .zero = "derived from the speed of sound",
     .help = "resistance to compression; larger values compress the water less and need smaller "
             "time steps"},
    {"fluid.exponent", RNI_TYPE_NUMBER, "", 1, 14, NULL, true, S(def.params.exponent),
     .help = "exponent of the Tait equation; 7 is usual for water"},
    {"fluid.negative_pressure", RNI_TYPE_BOOL, "", 0, 0, NULL, true, S(def.params.negative_pressure),
     .help = "allow pressure below zero where the density is below rest density; set by the preset; "
             "with scheme wcsph, leave it off for water with a free surface"},
    {"fluid.viscosity_model", RNI_TYPE_CHOICE, "", 0, 0, choice_viscosity, true,
     S(def.params.viscosity_model), .help = "model of the viscous force"},
    {"fluid.viscosity", RNI_TYPE_NUMBER, "Pa s", 0, 1e6, NULL, true, S(def.params.viscosity),
     .help = "dynamic viscosity; water 0.001, honey 10; of a viscosity law: its factor, for power-law and bingham "
             "at a rate of 1 per second, for carreau at rest"},
    {"fluid.viscosity_solver", RNI_TYPE_CHOICE, "", 0, 0, choice_solver, true,
     S(def.params.viscosity_solver),
     .help = "explicit: viscosity bounds the time step; implicit: any viscosity, a few iterations per step; for "
             "pastes"},
    {"fluid.viscosity_tolerance", RNI_TYPE_NUMBER, "", 1e-6, 0.1, NULL, true,
     S(def.params.viscosity_tolerance),
     .help = "implicit: share of the viscous forces that may be left unbalanced in a step"},
    {"fluid.viscosity_iterations", RNI_TYPE_INTEGER, "", 1, 10000, NULL, true,
     S(def.params.viscosity_iterations), .help = "implicit: largest number of iterations in a step"},
    {"fluid.viscosity_law", RNI_TYPE_CHOICE, "", 0, 0, choice_law, true, S(def.params.viscosity_law),
     .help = "how viscosity follows from the rate of shear: newtonian (constant), power-law, carreau, or bingham (with a "
             "yield stress)"},
    LAW_NUMBERS(OF_SINGLE),
    {"fluid.numerical_viscosity", RNI_TYPE_NUMBER, "", 0, 10, NULL, true,
     S(def.params.numerical_viscosity),
     .help = "artificial viscosity that damps pressure noise, as a fraction of sound speed times "
             "radius (Monaghan's alpha); set by the preset"},
    {"fluid.sound_ratio", RNI_TYPE_NUMBER, "", 1, 1000, NULL, true, S(def.params.sound_ratio),
     .help = "speed of sound over speed_expected; larger values compress the water less and need "
             "smaller time steps; set by the preset"},
    {"fluid.diffusion", RNI_TYPE_NUMBER, "", 0, 10, NULL, true, S(def.params.diffusion),
     .help = "corrected: diffusion of density, which removes noise from the pressure; above 2 it "
             "needs a smaller time.courant; set by the preset"},
    {"fluid.relaxation", RNI_TYPE_NUMBER, "", 0, 10, NULL, true, S(def.params.relaxation),
     .help = "corrected: relaxation of density towards the sum over the kernel, which keeps the "
             "volume"},
    {"fluid.shifting", RNI_TYPE_NUMBER, "", 0, 10, NULL, true, S(def.params.shifting),
     .help = "corrected: shifting of strained particles towards even spacing, which prevents strings"},
    {"fluid.bulk", RNI_TYPE_NUMBER, "", 0, 1, NULL, true, S(def.params.bulk),
     .help = "corrected: viscosity against compression, times density, sound speed and spacing; absorbs sound, and "
             "does not act on flow that keeps its volume"},
    {"fluid.impact", RNI_TYPE_NUMBER, "", 0, 10, NULL, true, S(def.params.impact),
     .help = "corrected: resistance of particles that approach each other, which damps impacts"},
    {"fluid.gradient_correction", RNI_TYPE_BOOL, "", 0, 0, NULL, true,
     S(def.params.gradient_correction),
     .help = "corrected: gradients are exact for linear fields; without it water at rest is stiff "
             "against shear"},
    {"fluid.tension", RNI_TYPE_CHOICE, "", 0, 0, choice_tension, true, S(def.params.tension),
     .help = "surface tension model: surface-energy (in N/m, with contact angles), akinci (Akinci et "
             "al. 2013) or color-field (Mueller et al. 2003)"},
    {"fluid.cohesion", RNI_TYPE_NUMBER, "m^4/(kg s^2)", 0, 1e9, NULL, true, S(def.params.cohesion),
     .help = "akinci: strength of the attraction between particles"},
    {"fluid.curvature", RNI_TYPE_NUMBER, "m/s^2", 0, 1e9, NULL, true, S(def.params.curvature),
     .help = "akinci: strength of the force that minimises the surface area"},
    {"fluid.smooth_normals", RNI_TYPE_BOOL, "", 0, 0, NULL, true, S(def.params.smooth_normals),
     .help = "akinci: average the surface normals over the neighbours"},
    {"fluid.surface_tension", RNI_TYPE_NUMBER, "N/m", 0, 1e6, NULL, true,
     S(def.params.surface_tension),
     .help = "surface-energy and color-field: surface tension coefficient; water 0.0728"},
    {"fluid.color_threshold", RNI_TYPE_NUMBER, "1/m", 0, 1e9, NULL, true,
     S(def.params.color_threshold), .zero = "derived",
     .help = "color-field: surface normals shorter than this are ignored"},

    {"gravity", RNI_TYPE_VECTOR, "m/s^2", -1e6, 1e6, NULL, true, S(def.params.gravity),
     .help = "acceleration of gravity; y points up"},
    {"gravity_ramp", RNI_TYPE_NUMBER, "s", 0, 1e6, NULL, true, S(def.params.gravity_ramp),
     .zero = "full gravity from the start",
     .help = "time over which gravity grows from zero to its full value, so that water at rest "
             "does not start to oscillate"},
    {"gravity_sine.amplitude", RNI_TYPE_VECTOR, "m/s^2", -1e6, 1e6, NULL, true,
     S(def.params.gravity_amplitude),
     .help = "amplitude of a sine that is added to gravity, as in a tank that is shaken"},
    {"gravity_sine.frequency", RNI_TYPE_NUMBER, "Hz", 0, 1e6, NULL, true,
     S(def.params.gravity_frequency), .zero = "no sine", .help = "frequency of the sine"},
    {"gravity_sine.phase", RNI_TYPE_NUMBER, "degrees", -3600, 3600, NULL, true,
     S(def.params.gravity_phase), .help = "phase of the sine at time 0"},

    {"time.integrator", RNI_TYPE_CHOICE, "", 0, 0, choice_integrator, true, S(def.params.integrator),
     .help = "time integration scheme; leapfrog evaluates the forces twice per step, the others "
             "once"},
    {"time.step", RNI_TYPE_NUMBER, "s", 0, 1e3, NULL, true, S(def.params.time_step),
     .zero = "adaptive, the largest stable step", .help = "fixed time step"},
    {"time.step_max", RNI_TYPE_NUMBER, "s", 0, 1e3, NULL, true, S(def.params.time_step_max),
     .zero = "no additional limit", .help = "upper limit for the adaptive time step"},
    {"time.courant", RNI_TYPE_NUMBER, "", 0.05, 4, NULL, true, S(def.params.courant),
     .help =
         "safety factor: the fraction of the largest stable step that is taken; set by the preset"},
    {"time.speed_share", RNI_TYPE_NUMBER, "", 0, 1, NULL, true, S(def.params.speed_share),
     .help = "share of the speed of the fastest particle that is added to the sound speed where the "
             "stable step is derived; set by the preset"},
    {"time.force_factor", RNI_TYPE_NUMBER, "", 0.05, 1, NULL, true, S(def.params.force_factor),
     .help = "factor of the bound on the time step by the largest acceleration; set by the preset"},

    {"domain.low", RNI_TYPE_VECTOR, "m", -ENDLESS, ENDLESS, NULL, S(def.domain_low),
     .help = "lowest corner of the box that contains the simulation"},
    {"domain.high", RNI_TYPE_VECTOR, "m", -ENDLESS, ENDLESS, NULL, S(def.domain_high),
     .help = "highest corner; must be greater than low along every axis"},
    {"domain.periodic", RNI_TYPE_FLAGS, "", 0, 0, choice_axis, S(def.periodic),
     .help = "periodic axes: particles that leave through one side enter through the opposite "
             "side"},
    {"domain.open", RNI_TYPE_FLAGS, "", 0, 0, choice_side, S(def.open),
     .help = "sides without a wall: particles that cross them are removed and counted"},
    {"domain.slip", RNI_TYPE_CHOICE, "", 0, 0, choice_slip, S(def.domain_slip),
     .help = "boundary condition at the sides of the domain: free slip (free) or no slip (none)"},

    {"walls.bounce", RNI_TYPE_NUMBER, "", 0, 1, NULL, true, S(def.params.bounce),
     .help = "coefficient of restitution: the fraction of the normal speed that a particle keeps "
             "when it hits a wall or a solid"},
    {"walls.contact_angle", RNI_TYPE_NUMBER, "degrees", 0, 180, NULL, true,
     S(def.params.contact_angle),
     .help = "surface-energy: angle between wall and surface, measured in the water: 0 (it spreads) to 180 "
             "(it does not wet)"},
    {"walls.bare", RNI_TYPE_BOOL, "", 0, 0, NULL, S(def.bare_walls),
     .help = "walls only reflect particles and add no density for the missing neighbours behind "
             "them, as in Wichert et al. 2021"},
    {"walls.law", RNI_TYPE_CHOICE, "", 0, 0, choice_wall_law, S(def.wall_law),
     .help = "what walls do to the water near them: mirrored layers, or virtual boundary particles on "
             "triangles (Grahn 2008), which push and add no density: 3D, scheme wcsph"},
    {"walls.traction", RNI_TYPE_NUMBER, "Pa", 0, 1e12, NULL, S(def.wall_traction),
     .help = "virtual-particles: the push at a wall; 0: density times expected speed squared"},
    {"walls.distance", RNI_TYPE_NUMBER, "m", 0, ENDLESS, NULL, S(def.wall_distance),
     .help = "virtual-particles: distance at which a point of a wall neither pushes nor pulls; 0: a flat wall "
             "is in balance half a spacing away"},

    {"view.eye", RNI_TYPE_VECTOR, "m", -ENDLESS, ENDLESS, NULL, S(view_eye), .has_z_in_2d = true,
     .help = "camera position for pictures; equal to view.target: chosen automatically"},
    {"view.target", RNI_TYPE_VECTOR, "m", -ENDLESS, ENDLESS, NULL, S(view_target),
     .has_z_in_2d = true, .help = "point that the camera looks at"},
    {"view.up", RNI_TYPE_VECTOR, "", -ENDLESS, ENDLESS, NULL, S(view_up), .has_z_in_2d = true,
     .help = "direction that points up in the picture"},
    {"view.fov", RNI_TYPE_NUMBER, "degrees", 1, 120, NULL, S(view_fov),
     .help = "vertical field of view"},
    {"view.walls", RNI_TYPE_FLAGS, "", 0, 0, choice_side, S(view_walls),
     .help = "sides of the domain that pictures show"},
};
const uint32_t rni_parameter_count = sizeof rni_parameters / sizeof *rni_parameters;

/* --- what the lists hold ---------------------------------------------------------------------- */
#define NAME(type)                                                                                 \
    {                                                                                              \
        "name", RNI_TYPE_TEXT, "", 0, 0, NULL, FIELD(type, name), .help = "name that messages use" \
    }
/* A required place in space. */
#define M(field) RNI_TYPE_VECTOR, "m", -ENDLESS, ENDLESS, NULL, .is_required = true, field
/* The same where no solid is named. */
#define N(field) RNI_TYPE_VECTOR, "m", -ENDLESS, ENDLESS, NULL, .is_needed = true, field
#define VELOCITY(type, text)                                                                     \
    {                                                                                            \
        "velocity", RNI_TYPE_VECTOR, "m/s", -1e5, 1e5, NULL, FIELD(type, velocity), .help = text \
    }
#define JITTER(type)                                                                             \
    {                                                                                            \
        "jitter", RNI_TYPE_NUMBER, "", 0, 0.3, NULL, FIELD(type, jitter),                        \
            .help = "random initial displacement, as a fraction of the spacing; disorder adds "  \
                    "energy: 0.1 accelerates the water about as much as a fall from the top of " \
                    "the domain"                                                                 \
    }

#define OF_FLUID(type, text)                                                     \
    {                                                                            \
        "fluid", RNI_TYPE_TEXT, "", 0, 0, NULL, FIELD(type, fluid), .help = text \
    }
#define FLUID(field) FIELD(rni_scene_fluid, field)
static const rni_parameter fluid_table[] = {
    {"name", RNI_TYPE_TEXT, "", 0, 0, NULL, .is_required = true, FLUID(phase.name),
     .help = "name by which blocks, balls, pipes, outlets and gauges choose the fluid"},
    {"material", RNI_TYPE_CHOICE, "", 0, 0, choice_material, .is_first = true, FLUID(material),
     .help =
         "a fluid with published numbers, which sets the values below; every value can also be set by itself"},
    {"concentration", RNI_TYPE_NUMBER, "% w/v", 0, (double)RNI_MATERIAL_MOST, NULL,
     .is_first = true, FLUID(concentration), .zero = "60 of a suspension",
     .help = "of material barium-suspension: grams of barium sulfate in 100 ml"},
    {"rest_density", RNI_TYPE_NUMBER, "kg/m^3", 1e-6, 1e6, NULL, FLUID(phase.rest_density),
     .help = "density at rest; the densest fluid has at most 15 times that of the lightest"},
    {"viscosity", RNI_TYPE_NUMBER, "Pa s", 0, 1e6, NULL, FLUID(phase.viscosity),
     .help = "dynamic viscosity, as fluid.viscosity"},
    {"viscosity_law", RNI_TYPE_CHOICE, "", 0, 0, choice_law, FLUID(phase.viscosity_law),
     .help = "how viscosity follows from the rate of shear, as fluid.viscosity_law"},
    LAW_NUMBERS(OF_PHASE),
    {"surface_tension", RNI_TYPE_NUMBER, "N/m", 0, 1e6, NULL, FLUID(phase.surface_tension),
     .help = "against air, with fluid.tension surface-energy; water 0.0728"},
    {"color", RNI_TYPE_VECTOR, "", 0, 1, NULL, FLUID(phase.color), .has_z_in_2d = true,
     .help = "red, green and blue of the fluid in pictures and in the viewer; 0, 0, 0: chosen"},
};

#define SOLID(field) FIELD(rni_scene_solid, field)
static const rni_parameter solid_table[] = {
    NAME(rni_scene_solid),
    {"shape", RNI_TYPE_CHOICE, "", 0, 0, choice_shape, .is_required = true, SOLID(shape),
     .help = "shape of the solid; in 2D a sphere is a disc, and there are no cylinders and meshes"},
    {"center", M(SOLID(center)),
     .help = "centre; for a plane, any point on it; for a mesh, where its own origin is (may be left "
             "out: 0, 0, 0)"},
    {"size", RNI_TYPE_VECTOR, "m", 0, ENDLESS, NULL, .is_of_shape = true, SOLID(size),
     .help = "full edge lengths"},
    {"axis", RNI_TYPE_VECTOR, "", -ENDLESS, ENDLESS, NULL, .is_of_shape = true, SOLID(axis),
     .help = "plane: normal, from the solid into the water; else: direction along the solid. Any "
             "length except 0"},
    {"length", RNI_TYPE_NUMBER, "m", 0, ENDLESS, NULL, .is_of_shape = true, SOLID(length),
     .help = "full length along the axis"},
    {"radius", RNI_TYPE_NUMBER, "m", 0, ENDLESS, NULL, .is_of_shape = true, SOLID(radius),
     .help = "radius of a sphere, or around the axis"},
    {"turn", RNI_TYPE_VECTOR, "degrees", -3600, 3600, NULL, .is_of_shape = true, SOLID(turn),
     .has_z_in_2d = true, .help = "rotation about x, then y, then z; in 2D about z only"},
    {"file", RNI_TYPE_TEXT, "", 0, 0, NULL, SOLID(file), .is_of_shape = true,
     .help =
         "triangles as OBJ, PLY, STL or binary glTF; a relative path starts at the scene's folder"},
    {"make", RNI_TYPE_TEXT, "", 0, 0, NULL, SOLID(make), .is_of_shape = true,
     .help = "instead of file: a shape that `runnel mesh make` knows, then its settings, as in "
             "\"box width=1\""},
    {"hash", RNI_TYPE_TEXT, "", 0, 0, NULL, SOLID(hash), .is_of_shape = true,
     .help = "what the triangles have to be, as checkpoints note it; empty: any"},
    {"scale", RNI_TYPE_NUMBER, "", 0, ENDLESS, NULL, SOLID(scale), .is_of_shape = true,
     .help = "factor of its lengths"},
    {"sheet", RNI_TYPE_BOOL, "", 0, 0, NULL, SOLID(is_sheet), .is_of_shape = true,
     .help = "an open surface, such as a landscape: the water is on the side of its normals"},
    {"two_sided", RNI_TYPE_BOOL, "", 0, 0, NULL, SOLID(is_two_sided), .is_of_shape = true,
     .help = "an open surface with water on both sides"},
    {"hollow", RNI_TYPE_BOOL, "", 0, 0, NULL, SOLID(is_hollow), .is_of_shape = true,
     .help = "the water is inside the solid (a tank, a tube) instead of outside"},
    {"slip", RNI_TYPE_CHOICE, "", 0, 0, choice_slip, SOLID(slip),
     .help = "boundary condition at the surface: free slip (free) or no slip (none)"},
    {"friction", RNI_TYPE_NUMBER, "", 0, 100, NULL, SOLID(friction),
     .help =
         "Coulomb's coefficient: the water is slowed along the surface by this share of what presses it there"},
    {"adhesion", RNI_TYPE_NUMBER, "m/s^2", 0, 1e6, NULL, SOLID(adhesion),
     .help =
         "pull towards the surface on water near it; more than gravity holds a film under a ceiling"},
    {"bounce", RNI_TYPE_NUMBER, "", -1, 1, NULL, SOLID(bounce),
     .help =
         "fraction of the normal speed that a particle keeps when it hits the solid; -1: walls.bounce"},
    {"trail", RNI_TYPE_NUMBER, "m", 0, 1, NULL, SOLID(trail), .is_of_shape = true,
     .zero = "no film is kept",
     .help = "thickness of the film that the water leaves where it has been"},
    {"trail_dry", RNI_TYPE_NUMBER, "s", 0, 1e9, NULL, SOLID(trail_dry), .is_of_shape = true,
     .zero = "it does not dry", .help = "time in which a film as thick as the trail dries"},
    {"trail_drain", RNI_TYPE_NUMBER, "s", 0, 1e9, NULL, SOLID(trail_drain), .is_of_shape = true,
     .zero = "it does not drain",
     .help =
         "time in which a film on a vertical wall loses 63 % by running off; none drains from level ground"},
    {"contact_angle", RNI_TYPE_NUMBER, "degrees", 0, 180, NULL, SOLID(contact_angle),
     .zero = "that of the walls", .help = "contact angle of its surface, as walls.contact_angle"},
    VELOCITY(rni_scene_solid,
             "velocity of the surface, as of a conveyor belt; the solid keeps its place"),
    {"drawn", RNI_TYPE_BOOL, "", 0, 0, NULL, SOLID(is_drawn), .help = "show the solid in pictures"},
    {"wall", RNI_TYPE_BOOL, "", 0, 0, NULL, SOLID(is_wall),
     .help = "false: no wall and not drawn, only a shape that blocks, balls, pipes and outlets name"},
};

static const rni_parameter block_table[] = {
    NAME(rni_scene_block),
    OF_FLUID(rni_scene_block, "name of its fluid, one of the list fluids; none: the first of them"),
    {"low", N(FIELD(rni_scene_block, low)),
     .help =
         "lowest corner; with a solid: the block is what of it is inside the box, if there is one"},
    {"high", N(FIELD(rni_scene_block, high)),
     .help = "highest corner; must be greater than low along every axis"},
    {"solid", RNI_TYPE_TEXT, "", 0, 0, NULL, FIELD(rni_scene_block, solid),
     .help = "instead of low and high: the name of a solid that the water fills: a hollow one or one that is no wall "
             "inside, any other, such as a bowl, as far as it holds water"},
    {"level", RNI_TYPE_NUMBER, "m", -ENDLESS, ENDLESS, NULL, FIELD(rni_scene_block, level),
     .help =
         "height up to which the block is filled, along the axis of gravity; 1e9: up to its top, or the brim"},
    VELOCITY(rni_scene_block, "initial velocity"),
    JITTER(rni_scene_block),
    {"surface", RNI_TYPE_TEXT, "m", 0, 0, NULL, FIELD(rni_scene_block, surface),
     .help = "height of the free surface as a formula of x, y and z, e.g. 0.5 + 0.02*cos(pi*x): "
             "particles of the block above it are left out"},
    {"velocity_field", RNI_TYPE_TEXT, "m/s", 0, 0, NULL, FIELD(rni_scene_block, velocity_field),
     .help = "formulas of the velocity along x, y and z (two in 2D) with commas between them, "
             "added to velocity"},
};

static const rni_parameter ball_table[] = {
    NAME(rni_scene_ball),
    OF_FLUID(rni_scene_ball, "name of its fluid, one of the list fluids; none: the first of them"),
    {"center", N(FIELD(rni_scene_ball, center)), .help = "centre"},
    {"radius", RNI_TYPE_NUMBER, "m", 0, ENDLESS, NULL, .is_needed = true,
     FIELD(rni_scene_ball, radius), .help = "radius of the ball (in 2D, of the disc)"},
    {"solid", RNI_TYPE_TEXT, "", 0, 0, NULL, FIELD(rni_scene_ball, solid),
     .help =
         "instead of center and radius: the name of a solid whose shape the water has, as a solid with wall false"},
    VELOCITY(rni_scene_ball, "initial velocity"),
    JITTER(rni_scene_ball),
};

#define PIPE(field) FIELD(rni_scene_pipe, field)
static const rni_parameter pipe_table[] = {
    NAME(rni_scene_pipe),
    OF_FLUID(rni_scene_pipe,
             "name of the fluid that it pours, one of the list fluids; none: the first"),
    {"center", N(PIPE(center)), .help = "centre of the mouth"},
    {"direction", RNI_TYPE_VECTOR, "", -ENDLESS, ENDLESS, NULL, .is_required = true,
     PIPE(direction), .help = "direction of the stream; any length except 0"},
    {"radius", RNI_TYPE_NUMBER, "m", 0, ENDLESS, NULL, .is_needed = true, PIPE(radius),
     .help = "radius of the mouth; at least half a spacing"},
    {"solid", RNI_TYPE_TEXT, "", 0, 0, NULL, PIPE(solid),
     .help = "instead of center and radius: the name of a solid; the mouth is in its middle, and as large as what is "
             "seen of it along direction"},
    {"speed", RNI_TYPE_NUMBER, "m/s", 0, 1e5, NULL, PIPE(speed),
     .help = "speed of the stream; give speed, flow_rate or head"},
    {"flow_rate", RNI_TYPE_NUMBER, "m^3/s (2D: m^2/s)", 0, 1e9, NULL, PIPE(flow_rate),
     .zero = "speed or head is given", .help = "volume per second; give flow_rate, speed or head"},
    {"head", RNI_TYPE_NUMBER, "m", 0, 1e6, NULL, PIPE(head), .zero = "speed or flow_rate is given",
     .help = "height of the surface of a large tank above the mouth: the stream is as fast as "
             "the difference to the pressure at the mouth drives it, and does not flow back"},
    {"times", RNI_TYPE_NUMBERS, "s", 0, 1e6, NULL, PIPE(times),
     .count_offset = offsetof(rni_scene_pipe, time_count),
     .help = "ascending times, one for each of the factors"},
    {"factors", RNI_TYPE_NUMBERS, "", 0, 1e3, NULL, PIPE(factors),
     .count_offset = offsetof(rni_scene_pipe, factor_count),
     .help = "multipliers of speed or flow_rate at the times; linear in between, constant before "
             "the first and after the last"},
    {"sine_amplitude", RNI_TYPE_NUMBER, "", 0, 1e3, NULL, PIPE(sine_amplitude), .zero = "no sine",
     .help = "the flow is also multiplied by 1 + sine_amplitude sin(2 pi sine_frequency t + "
             "sine_phase), but not below 0"},
    {"sine_frequency", RNI_TYPE_NUMBER, "Hz", 0, 1e6, NULL, PIPE(sine_frequency),
     .help = "frequency of the sine"},
    {"sine_phase", RNI_TYPE_NUMBER, "degrees", -3600, 3600, NULL, PIPE(sine_phase),
     .help = "phase of the sine at time 0"},
    {"volume", RNI_TYPE_NUMBER, "m^3 (2D: m^2)", 0, 1e12, NULL, PIPE(volume), .zero = "no limit",
     .help = "volume after which the pipe stops; give volume or max_particles"},
    {"max_particles", RNI_TYPE_INTEGER, "", 0, 1e8, NULL, PIPE(max_particles), .zero = "no limit",
     .help = "number of particles after which the pipe stops"},
};

static const rni_parameter outlet_table[] = {
    NAME(rni_scene_outlet),
    OF_FLUID(rni_scene_outlet, "name of the only fluid that leaves; none: all of them"),
    {"low", N(FIELD(rni_scene_outlet, low)),
     .help = "lowest corner of the box in which particles are removed and counted"},
    {"high", N(FIELD(rni_scene_outlet, high)),
     .help = "highest corner; must be greater than low along every axis"},
    {"solid", RNI_TYPE_TEXT, "", 0, 0, NULL, FIELD(rni_scene_outlet, solid),
     .help = "instead of low and high: the name of a solid; particles inside its shape are removed"},
};

#define GAUGE(field) FIELD(rni_scene_gauge, field)
/* A place in space that some kinds need. */
#define PLACE(field) \
    RNI_TYPE_VECTOR, "m", -ENDLESS, ENDLESS, NULL, .is_of_shape = true, GAUGE(field)
static const rni_parameter gauge_table[] = {
    {"name", RNI_TYPE_TEXT, "", 0, 0, NULL, GAUGE(name),
     .help = "title of its columns; without a name: its kind and number, as in level_0"},
    {"kind", RNI_TYPE_CHOICE, "", 0, 0, choice_gauge, .is_required = true, GAUGE(kind),
     .help = "what it measures"},
    OF_FLUID(rni_scene_gauge, "name of the only fluid that counts (every kind but force); none: all"),
    {"rate", RNI_TYPE_NUMBER, "1/s", 0, 1e9, NULL, GAUGE(rate), .zero = "every step",
     .help = "samples per second of simulated time"},
    {"center", PLACE(center), .help = "the point; level: foot of the column; disc: its centre"},
    {"direction", RNI_TYPE_VECTOR, "", -ENDLESS, ENDLESS, NULL, .is_of_shape = true, GAUGE(direction),
     .help = "pressure: normal of the sensor, from the wall into the water; level: from the foot "
             "up, by default against gravity; discharge: what counts as positive"},
    {"radius", RNI_TYPE_NUMBER, "m", 0, ENDLESS, NULL, .is_of_shape = true, GAUGE(radius),
     .zero = "pressure at a point, a column of 2 spacings, or a rectangle",
     .help = "of the disc of a sensor or section; level: half width of the column"},
    {"height", RNI_TYPE_NUMBER, "m", 0, ENDLESS, NULL, .is_of_shape = true, GAUGE(height),
     .zero = "up to the side of the domain", .help = "of the column"},
    {"surfaces", RNI_TYPE_INTEGER, "", 1, RN_GAUGE_MAX_VALUES, NULL, .is_of_shape = true,
     GAUGE(surfaces), .help = "number of surfaces that are reported, from the top"},
    {"low", PLACE(low), .help = "lowest corner of the box, or of the rectangle of a section"},
    {"high", PLACE(high),
     .help = "highest corner; that of a rectangle is equal to low along one axis, its normal"},
    {"solid", RNI_TYPE_TEXT, "", 0, 0, NULL, .is_of_shape = true, GAUGE(solid),
     .help = "name of the solid; none: the sides of the domain"},
};

static void fill_gauge(void *item)
{
    *(rni_scene_gauge *)item = (rni_scene_gauge){.surfaces = 1};
}

static const rni_parameter gravity_stop_table[] = {
    {"time", RNI_TYPE_NUMBER, "s", 0, 1e6, NULL, .is_required = true,
     FIELD(rni_scene_gravity, time), .help = "ascending from entry to entry"},
    {"gravity", RNI_TYPE_VECTOR, "m/s^2", -1e6, 1e6, NULL, .is_required = true,
     FIELD(rni_scene_gravity, gravity),
     .help = "acceleration that is added to gravity; linear between the times, constant before "
             "the first and after the last"},
};

#define INTERFACE(field) FIELD(rni_scene_interface, field)
static const rni_parameter interface_table[] = {
    {"fluid", RNI_TYPE_TEXT, "", 0, 0, NULL, .is_required = true, INTERFACE(fluid),
     .help = "name of one fluid"},
    {"other", RNI_TYPE_TEXT, "", 0, 0, NULL, .is_required = true, INTERFACE(other),
     .help = "name of the other fluid"},
    {"tension", RNI_TYPE_NUMBER, "N/m", 0, 1e6, NULL, .is_required = true, INTERFACE(tension),
     .help = "tension of the interface between the two, with fluid.tension surface-energy; at most the sum of their "
             "surface tensions"},
};

static void fill_interface(void *item)
{
    *(rni_scene_interface *)item = (rni_scene_interface){0};
}

static void fill_gravity_stop(void *item)
{
    *(rni_scene_gravity *)item = (rni_scene_gravity){0};
}

static void fill_solid(void *item)
{
    rn_solid d = rn_solid_default();
    *(rni_scene_solid *)item = (rni_scene_solid){.axis = {0, 1, 0},
                                                 .scale = d.scale,
                                                 .slip = d.slip,
                                                 .bounce = d.bounce,
                                                 .is_drawn = true,
                                                 .is_wall = true};
}

static void fill_block(void *item)
{
    *(rni_scene_block *)item = (rni_scene_block){.level = RNI_NO_LEVEL};
}

static void fill_ball(void *item)
{
    *(rni_scene_ball *)item = (rni_scene_ball){0};
}

static void fill_pipe(void *item)
{
    *(rni_scene_pipe *)item = (rni_scene_pipe){.direction = {0, -1, 0}};
}

static void fill_outlet(void *item)
{
    *(rni_scene_outlet *)item = (rni_scene_outlet){0};
}

static void fill_fluid(void *item)
{
    *(rni_scene_fluid *)item = (rni_scene_fluid){.phase = rn_fluid_phase_default()};
}

#define LIST(name, singular, max, type, help)                                                       \
    {                                                                                               \
#name, #singular, help, singular##_table,                                                   \
            sizeof singular##_table / sizeof *singular##_table, max, sizeof(type),                  \
            offsetof(rni_scene, name), offsetof(rni_scene, singular##_count), fill_##singular, NULL \
    }
const rni_parameter_list rni_parameter_lists[] = {
    {"fluids", "fluid",
     "several fluids at once, which blocks, balls and pipes name; none: one fluid", fluid_table,
     sizeof fluid_table / sizeof *fluid_table, RNI_SCENE_MAX_FLUIDS, sizeof(rni_scene_fluid),
     offsetof(rni_scene, fluids), offsetof(rni_scene, fluid_count), fill_fluid, rni_fluid_follow},
    LIST(interfaces, interface, RNI_SCENE_MAX_INTERFACES, rni_scene_interface,
         "tension between two of several fluids; none: they mix"),
    LIST(solids, solid, RNI_SCENE_MAX_SOLIDS, rni_scene_solid, "obstacles, walls and containers"),
    LIST(blocks, block, RNI_SCENE_MAX_BLOCKS, rni_scene_block, "boxes filled with water at the start"),
    LIST(balls, ball, RNI_SCENE_MAX_BALLS, rni_scene_ball, "balls of water at the start"),
    LIST(pipes, pipe, RNI_SCENE_MAX_PIPES, rni_scene_pipe,
         "sources: openings that pour a stream of water"),
    LIST(outlets, outlet, RNI_SCENE_MAX_OUTLETS, rni_scene_outlet,
         "sinks: boxes that remove particles and count them"),
    LIST(gauges, gauge, RNI_SCENE_MAX_GAUGES, rni_scene_gauge,
         "measurements: pressure, velocity, level, discharge, force, volume, energy"),
    LIST(gravity_table, gravity_stop, RNI_SCENE_MAX_GRAVITY, rni_scene_gravity,
         "gravity over time, added to gravity"),
};
const uint32_t rni_parameter_list_count = sizeof rni_parameter_lists / sizeof *rni_parameter_lists;

rni_scene rni_scene_default(void)
{
    return (rni_scene){.run_time = 2,
                       .run_every = 0.04,
                       .def = rn_fluid_def_default(),
                       .preset = RN_PRESET_BALANCED,
                       .view_up = {0, 1, 0},
                       .view_fov = 40,
                       .view_walls = {true, false, true, false, true, false}};
}

void rni_scene_set_preset(rni_scene *scene, rn_fluid_preset preset)
{
    rni_scene from = rni_scene_default(), to = rni_scene_default();
    from.def = rn_fluid_def_of_preset(scene->preset);
    to.def = rn_fluid_def_of_preset(preset);
    for (uint32_t k = 0; k < rni_parameter_count; k++) {
        const rni_parameter *p = &rni_parameters[k];
        char *value = (char *)scene + p->offset;
        if (memcmp(value, (const char *)&from + p->offset, p->bytes) == 0)
            memcpy(value, (const char *)&to + p->offset, p->bytes);
    }
    scene->preset = preset;
}

/* --- looking things up ------------------------------------------------------------------------ */
static bool is_word(const char *word, const char *text, size_t length)
{
    return strlen(word) == length && memcmp(word, text, length) == 0;
}

const rni_parameter *rni_parameter_find(const char *path, size_t length)
{
    for (uint32_t k = 0; k < rni_parameter_count; k++)
        if (is_word(rni_parameters[k].path, path, length)) return &rni_parameters[k];
    return NULL;
}

const rni_parameter_list *rni_parameter_list_find(const char *name, size_t length)
{
    for (uint32_t k = 0; k < rni_parameter_list_count; k++)
        if (is_word(rni_parameter_lists[k].name, name, length)) return &rni_parameter_lists[k];
    return NULL;
}

const rni_parameter *rni_parameter_find_in(const rni_parameter_list *list, const char *name,
                                           size_t length)
{
    for (uint32_t k = 0; k < list->parameter_count; k++)
        if (is_word(list->table[k].path, name, length)) return &list->table[k];
    return NULL;
}

size_t rni_parameter_group_length(const rni_parameter *parameter)
{
    const char *point = strchr(parameter->path, '.');
    return point ? (size_t)(point - parameter->path) : 0;
}

/* What is not a number of rn_solid. */
static bool is_of_mesh(const rni_parameter *parameter)
{
    static const char *const WORDS[] = {"file",      "make",  "hash",      "sheet",
                                        "two_sided", "trail", "trail_dry", "trail_drain"};
    for (size_t k = 0; k < sizeof WORDS / sizeof *WORDS; k++)
        if (strcmp(parameter->path, WORDS[k]) == 0) return true;
    return false;
}

static bool has_parameter(const rni_solid_kind *kind, const rni_parameter *parameter)
{
    if (!parameter->is_of_shape) return true;
    if (parameter->offset == offsetof(rni_scene_solid, is_hollow)) return kind->can_be_hollow;
    if (is_of_mesh(parameter)) return kind->has_mesh;
    return rni_solid_parameter_find(kind, parameter->path) != NULL;
}

/* --- which shapes and kinds have a parameter -------------------------------------------------- */
static bool is_of_gauge(const rni_parameter *parameter)
{
    const size_t count = sizeof gauge_table / sizeof *gauge_table;
    return parameter >= gauge_table && parameter < gauge_table + count;
}

/* Name of shape or kind number k of the parameter's list, NULL past the last; *has: it has the
 * parameter; *needs: it has to be given. */
static const char *kind_at(const rni_parameter *parameter, uint32_t k, bool *has, bool *needs)
{
    if (is_of_gauge(parameter)) {
        const rni_gauge_kind *kind = rni_gauge_kind_at(k);
        if (!kind) return NULL;
        *has = !parameter->is_of_shape || rni_gauge_has_word(kind->parameters, parameter->path);
        *needs = parameter->is_required || rni_gauge_has_word(kind->required, parameter->path);
        return kind->name;
    }
    const rni_solid_kind *kind = rni_solid_kind_at(k);
    if (!kind) return NULL;
    const rni_solid_parameter *p = rni_solid_parameter_find(kind, parameter->path);
    *has = has_parameter(kind, parameter);
    *needs = p && p->is_required;
    return kind->name;
}

static uint32_t kind_of(const rni_parameter_list *list, const void *item)
{
    return list->table == gauge_table ? (uint32_t)((const rni_scene_gauge *)item)->kind
                                      : (uint32_t)((const rni_scene_solid *)item)->shape;
}

rni_shapes_text rni_parameter_kind(const rni_parameter_list *list, const void *item)
{
    rni_shapes_text text = {"this"};
    const bool is_gauge = list->table == gauge_table;
    const char *name = is_gauge                     ? rni_gauge_kind_name(kind_of(list, item))
                       : list->table == solid_table ? rni_solid_shape_name(kind_of(list, item))
                                                    : NULL;
    if (name)
        snprintf(text.text, sizeof text.text, "%s %s%s", strchr("aeiou", *name) ? "an" : "a", name,
                 is_gauge ? " gauge" : "");
    return text;
}

bool rni_parameter_applies(const rni_parameter *parameter, const rni_parameter_list *list,
                           const void *item)
{
    bool has = true, needs;
    if (list->table != solid_table && list->table != gauge_table) return true;
    return !kind_at(parameter, kind_of(list, item), &has, &needs) || has;
}

bool rni_parameter_can_be_left_out(const rni_parameter *parameter, const rni_parameter_list *list,
                                   const void *item)
{
    if (list->table != solid_table || parameter->offset != offsetof(rni_scene_solid, center))
        return false;
    const rni_solid_kind *kind = rni_solid_kind_at(kind_of(list, item));
    return kind && kind->has_mesh;
}

bool rni_parameter_is_needed(const rni_parameter *parameter, const rni_parameter_list *list,
                             const void *item)
{
    bool has, needs = false;
    if (parameter->is_needed) {
        const rni_parameter *solid = rni_parameter_find_in(list, "solid", strlen("solid"));
        return !*((const char *)item + solid->offset);
    }
    if (list->table != gauge_table) return false; /* check.c knows the solids */
    return kind_at(parameter, kind_of(list, item), &has, &needs) && needs;
}

rni_shapes_text rni_parameter_shapes(const rni_parameter *parameter)
{
    rni_shapes_text shapes = {""};
    const char *name;
    bool has, needs;
    size_t length = 0;
    for (uint32_t k = 0; parameter->is_of_shape && (name = kind_at(parameter, k, &has, &needs)); k++)
        if (has && length + 32 < sizeof shapes.text)
            length += (size_t)snprintf(shapes.text + length, sizeof shapes.text - length, "%s%s",
                                       length ? ", " : "", name);
    return shapes;
}

bool rni_parameter_must_be_given(const rni_parameter *parameter)
{
    bool has, needs;
    if (!parameter->is_of_shape) return parameter->is_required;
    for (uint32_t k = 0; kind_at(parameter, k, &has, &needs); k++)
        if (has && !needs) return false;
    return true;
}
