#include "scene/parameters.h"

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
FLUID_CHOICE(choice_integrator, RN_CHOICE_INTEGRATOR)
FLUID_CHOICE(choice_slip, RN_CHOICE_SLIP)
FLUID_CHOICE(choice_shape, RN_CHOICE_SOLID)

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

const rni_parameter rni_parameters[] = {
    {"title", RNI_TYPE_TEXT, "", 0, 0, NULL, S(title), .help = "one line about the scene"},
    {"description", RNI_TYPE_TEXT, "", 0, 0, NULL, S(description),
     .help = "what happens in it and why its numbers are as they are"},

    {"run.time", RNI_TYPE_NUMBER, "s", 0, 1e6, NULL, S(run_time),
     .help = "time to simulate; 0 beside steps: they decide"},
    {"run.steps", RNI_TYPE_INTEGER, "", 0, 4e9, NULL, S(run_steps), .zero = "time decides",
     .help = "end after so many steps, if time does not end it before"},
    {"run.every", RNI_TYPE_NUMBER, "s", 1e-6, 1e6, NULL, S(run_every),
     .help = "time from one output to the next"},

    {"fluid.dim", RNI_TYPE_INTEGER, "", 2, 3, NULL, S(def.dim), .help = "2 for 2D, 3 for 3D"},
    {"fluid.spacing", RNI_TYPE_NUMBER, "m", 0, 1e4, NULL, S(def.spacing), .zero = "from particles",
     .help = "distance of neighbouring particles at rest; give this or particles"},
    {"fluid.particles", RNI_TYPE_INTEGER, "", 0, 1e8, NULL, S(particles), .zero = "from spacing",
     .help = "how many the water of blocks, balls and pipes is made of, at most; spacing follows"},
    {"fluid.radius", RNI_TYPE_NUMBER, "m", 0, 1e5, NULL, S(def.radius), .zero = "2 spacing",
     .help = "h, how far a particle feels others"},
    {"fluid.rest_density", RNI_TYPE_NUMBER, "kg/m^3", 1e-6, 1e6, NULL, S(def.rest_density),
     .help = "density of the water at rest"},
    {"fluid.speed_expected", RNI_TYPE_NUMBER, "m/s", 0, 1e5, NULL, S(def.speed_expected),
     .zero = "from gravity, the height of the domain, and how fast blocks, balls and pipes are",
     .help = "the fastest the water will run; sets the derived stiffness"},
    {"fluid.max_particles", RNI_TYPE_INTEGER, "", 1, 1e8, NULL, S(def.max_particles),
     .help = "more are refused; pipes stop there"},
    {"fluid.seed", RNI_TYPE_INTEGER, "", 0, 9007199254740991.0, NULL, S(def.seed),
     .help = "of the disorder that jitter asks for"},
    {"fluid.pressure", RNI_TYPE_CHOICE, "", 0, 0, choice_pressure, true, S(def.params.pressure),
     .help = "how pressure follows from density"},
    {"fluid.stiffness", RNI_TYPE_NUMBER, "Pa (tait), J/kg (gas)", 0, 1e12, NULL, true,
     S(def.params.stiffness), .zero = "derived: about one per cent of compression",
     .help = "how hard the water resists being compressed"},
    {"fluid.exponent", RNI_TYPE_NUMBER, "", 1, 14, NULL, true, S(def.params.exponent),
     .help = "gamma of the Tait equation"},
    {"fluid.negative_pressure", RNI_TYPE_BOOL, "", 0, 0, NULL, true,
     S(def.params.negative_pressure), .help = "let the water pull where it is thinner than at rest"},
    {"fluid.viscosity_model", RNI_TYPE_CHOICE, "", 0, 0, choice_viscosity, true,
     S(def.params.viscosity_model), .help = "how inner friction is computed"},
    {"fluid.viscosity", RNI_TYPE_NUMBER, "Pa s", 0, 1e6, NULL, true, S(def.params.viscosity),
     .help = "dynamic viscosity; water 0.001, honey 10"},
    {"fluid.numerical_viscosity", RNI_TYPE_NUMBER, "", 0, 10, NULL, true,
     S(def.params.numerical_viscosity),
     .help = "share of sound speed times radius that is added to calm the water"},
    {"fluid.tension", RNI_TYPE_CHOICE, "", 0, 0, choice_tension, true, S(def.params.tension),
     .help = "how surface tension is computed"},
    {"fluid.cohesion", RNI_TYPE_NUMBER, "m^4/(kg s^2)", 0, 1e9, NULL, true, S(def.params.cohesion),
     .help = "akinci: how strongly particles attract each other"},
    {"fluid.curvature", RNI_TYPE_NUMBER, "m/s^2", 0, 1e9, NULL, true, S(def.params.curvature),
     .help = "akinci: how strongly the surface shrinks"},
    {"fluid.smooth_normals", RNI_TYPE_BOOL, "", 0, 0, NULL, true, S(def.params.smooth_normals),
     .help = "akinci: average the normals over the neighbours"},
    {"fluid.surface_tension", RNI_TYPE_NUMBER, "N/m", 0, 1e6, NULL, true,
     S(def.params.surface_tension), .help = "color-field: the coefficient; water 0.0728"},
    {"fluid.color_threshold", RNI_TYPE_NUMBER, "1/m", 0, 1e9, NULL, true,
     S(def.params.color_threshold), .zero = "derived",
     .help = "color-field: normals shorter than this do not count"},

    {"gravity", RNI_TYPE_VECTOR, "m/s^2", -1e6, 1e6, NULL, true, S(def.params.gravity),
     .help = "acceleration of everything; y is up"},
    {"gravity_ramp", RNI_TYPE_NUMBER, "s", 0, 1e6, NULL, true, S(def.params.gravity_ramp),
     .zero = "at once",
     .help = "gravity grows from 0 over the first so many seconds, so that still water stays still"},

    {"time.integrator", RNI_TYPE_CHOICE, "", 0, 0, choice_integrator, true,
     S(def.params.integrator), .help = "how a step goes from forces to places"},
    {"time.step", RNI_TYPE_NUMBER, "s", 0, 1e3, NULL, true, S(def.params.time_step),
     .zero = "the largest safe one, anew at each step", .help = "fixed time step"},
    {"time.step_max", RNI_TYPE_NUMBER, "s", 0, 1e3, NULL, true, S(def.params.time_step_max),
     .zero = "no bound of its own", .help = "bound of the safe time step"},
    {"time.courant", RNI_TYPE_NUMBER, "", 0.05, 1, NULL, true, S(def.params.courant),
     .help = "share of the safe step that is taken"},

    {"domain.low", RNI_TYPE_VECTOR, "m", -ENDLESS, ENDLESS, NULL, S(def.domain_low),
     .help = "lowest corner of the box that holds everything"},
    {"domain.high", RNI_TYPE_VECTOR, "m", -ENDLESS, ENDLESS, NULL, S(def.domain_high),
     .help = "highest corner; above low on every axis"},
    {"domain.periodic", RNI_TYPE_FLAGS, "", 0, 0, choice_axis, S(def.periodic),
     .help = "axes along which what leaves on one side comes in on the other"},
    {"domain.open", RNI_TYPE_FLAGS, "", 0, 0, choice_side, S(def.open),
     .help = "sides without a wall: particles that pass are removed and counted"},
    {"domain.slip", RNI_TYPE_CHOICE, "", 0, 0, choice_slip, S(def.domain_slip),
     .help = "whether water glides along the sides (free) or sticks (none)"},

    {"walls.bounce", RNI_TYPE_NUMBER, "", 0, 1, NULL, true, S(def.params.bounce),
     .help = "share of the speed into a wall or solid that comes back"},
    {"walls.bare", RNI_TYPE_BOOL, "", 0, 0, NULL, S(def.bare_walls),
     .help = "walls only bounce, without the density that is missing behind them (as paper 001)"},

    {"view.eye", RNI_TYPE_VECTOR, "m", -ENDLESS, ENDLESS, NULL, S(view_eye),
     .help = "where pictures are taken from; equal to target: chosen for you"},
    {"view.target", RNI_TYPE_VECTOR, "m", -ENDLESS, ENDLESS, NULL, S(view_target),
     .help = "the point in the middle of the picture"},
    {"view.up", RNI_TYPE_VECTOR, "", -ENDLESS, ENDLESS, NULL, S(view_up),
     .help = "direction that is up in the picture"},
    {"view.fov", RNI_TYPE_NUMBER, "degrees", 1, 120, NULL, S(view_fov),
     .help = "angle from the bottom of the picture to its top"},
    {"view.walls", RNI_TYPE_FLAGS, "", 0, 0, choice_side, S(view_walls),
     .help = "sides of the domain that are drawn"},
};
const uint32_t rni_parameter_count = sizeof rni_parameters / sizeof *rni_parameters;

/* --- what the lists hold ---------------------------------------------------------------------- */
#define NAME(type)                                                                                \
    {                                                                                             \
        "name", RNI_TYPE_TEXT, "", 0, 0, NULL, FIELD(type, name), .help = "what messages call it" \
    }
/* A required place in space. */
#define M(field) RNI_TYPE_VECTOR, "m", -ENDLESS, ENDLESS, NULL, .is_required = true, field
#define VELOCITY(type, text)                                                                     \
    {                                                                                            \
        "velocity", RNI_TYPE_VECTOR, "m/s", -1e5, 1e5, NULL, FIELD(type, velocity), .help = text \
    }
#define JITTER(type)                                                                               \
    {                                                                                              \
        "jitter", RNI_TYPE_NUMBER, "", 0, 0.3, NULL, FIELD(type, jitter),                          \
            .help = "disorder, as a share of the spacing; the water bursts at the start, a tenth " \
                    "drives it as a fall from the top of the domain does"                          \
    }

#define PLANE        (1u << RN_SOLID_PLANE)
#define BOX          (1u << RN_SOLID_BOX)
#define SPHERE       (1u << RN_SOLID_SPHERE)
#define CYLINDER     (1u << RN_SOLID_CYLINDER)
#define SOLID(field) FIELD(rni_scene_solid, field)
static const rni_parameter solid_table[] = {
    NAME(rni_scene_solid),
    {"shape", RNI_TYPE_CHOICE, "", 0, 0, choice_shape, .is_required = true, SOLID(shape),
     .help = "what it is; a sphere is a disc in 2D, where there is no cylinder"},
    {"center", M(SOLID(center)), .help = "its middle; of a plane any point on it"},
    {"size", RNI_TYPE_VECTOR, "m", 0, ENDLESS, NULL, .shapes = BOX, SOLID(size),
     .help = "full length of its sides"},
    {"axis", RNI_TYPE_VECTOR, "", -ENDLESS, ENDLESS, NULL, .shapes = PLANE | CYLINDER, SOLID(axis),
     .help = "plane: from the solid towards the water; cylinder: along it. Any length but 0"},
    {"length", RNI_TYPE_NUMBER, "m", 0, ENDLESS, NULL, .shapes = CYLINDER, SOLID(length),
     .help = "full length along the axis"},
    {"radius", RNI_TYPE_NUMBER, "m", 0, ENDLESS, NULL, .shapes = SPHERE | CYLINDER, SOLID(radius),
     .help = "of sphere and cylinder"},
    {"turn", RNI_TYPE_VECTOR, "degrees", -3600, 3600, NULL, .shapes = BOX, SOLID(turn),
     .help = "turned about x, then y, then z"},
    {"hollow", RNI_TYPE_BOOL, "", 0, 0, NULL, SOLID(is_hollow), .shapes = BOX | SPHERE | CYLINDER,
     .help = "the water is inside (a tank, a tube) instead of outside"},
    {"slip", RNI_TYPE_CHOICE, "", 0, 0, choice_slip, SOLID(slip),
     .help = "whether water glides along it (free) or sticks (none)"},
    VELOCITY(rni_scene_solid, "of its surface, as of a moving belt; the solid stays where it is"),
    {"drawn", RNI_TYPE_BOOL, "", 0, 0, NULL, SOLID(is_drawn), .help = "shown in pictures"},
};

static const rni_parameter block_table[] = {
    NAME(rni_scene_block),
    {"low", M(FIELD(rni_scene_block, low)), .help = "lowest corner"},
    {"high", M(FIELD(rni_scene_block, high)), .help = "highest corner"},
    VELOCITY(rni_scene_block, "at the start"),
    JITTER(rni_scene_block),
};

static const rni_parameter ball_table[] = {
    NAME(rni_scene_ball),
    {"center", M(FIELD(rni_scene_ball, center)), .help = "its middle"},
    {"radius", RNI_TYPE_NUMBER, "m", 0, ENDLESS, NULL, .is_required = true,
     FIELD(rni_scene_ball, radius), .help = "of the ball; in 2D of the disc"},
    VELOCITY(rni_scene_ball, "at the start"),
    JITTER(rni_scene_ball),
};

#define PIPE(field) FIELD(rni_scene_pipe, field)
static const rni_parameter pipe_table[] = {
    NAME(rni_scene_pipe),
    {"center", M(PIPE(center)), .help = "middle of the mouth"},
    {"direction", RNI_TYPE_VECTOR, "", -ENDLESS, ENDLESS, NULL, .is_required = true,
     PIPE(direction), .help = "of the stream; any length but 0"},
    {"radius", RNI_TYPE_NUMBER, "m", 0, ENDLESS, NULL, .is_required = true, PIPE(radius),
     .help = "of the stream; at least half a spacing"},
    {"speed", RNI_TYPE_NUMBER, "m/s", 0, 1e5, NULL, PIPE(speed),
     .help = "of the stream; give this or flow_rate"},
    {"flow_rate", RNI_TYPE_NUMBER, "m^3/s (2D: m^2/s)", 0, 1e9, NULL, PIPE(flow_rate),
     .zero = "speed counts", .help = "water a second; give this or speed"},
    {"times", RNI_TYPE_NUMBERS, "s", 0, 1e6, NULL, PIPE(times),
     .count_offset = offsetof(rni_scene_pipe, time_count),
     .help = "ascending; at each the stream runs at the factor in the same place of factors"},
    {"factors", RNI_TYPE_NUMBERS, "", 0, 1e3, NULL, PIPE(factors),
     .count_offset = offsetof(rni_scene_pipe, factor_count),
     .help = "of speed or flow_rate, linear from time to time, constant outside"},
    {"volume", RNI_TYPE_NUMBER, "m^3 (2D: m^2)", 0, 1e12, NULL, PIPE(volume), .zero = "no end",
     .help = "it stops when this much has come; give this or max_particles"},
    {"max_particles", RNI_TYPE_INTEGER, "", 0, 1e8, NULL, PIPE(max_particles), .zero = "no end",
     .help = "it stops when this many have come"},
};

static const rni_parameter outlet_table[] = {
    NAME(rni_scene_outlet),
    {"low", M(FIELD(rni_scene_outlet, low)), .help = "lowest corner of the box that swallows"},
    {"high", M(FIELD(rni_scene_outlet, high)), .help = "highest corner"},
};

static void fill_solid(void *item)
{
    rn_solid d = rn_solid_default();
    *(rni_scene_solid *)item = (rni_scene_solid){.axis = {0, 1, 0}, .slip = d.slip, .is_drawn = true};
}

static void fill_block(void *item)
{
    *(rni_scene_block *)item = (rni_scene_block){0};
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

#define LIST(name, singular, max, type, help)                                                 \
    {                                                                                         \
#name, #singular, help, singular##_table,                                             \
            sizeof singular##_table / sizeof *singular##_table, max, sizeof(type),            \
            offsetof(rni_scene, name), offsetof(rni_scene, singular##_count), fill_##singular \
    }
const rni_parameter_list rni_parameter_lists[] = {
    LIST(solids, solid, RNI_SCENE_MAX_SOLIDS, rni_scene_solid, "what the water flows around or in"),
    LIST(blocks, block, RNI_SCENE_MAX_BLOCKS, rni_scene_block, "boxes full of water at the start"),
    LIST(balls, ball, RNI_SCENE_MAX_BALLS, rni_scene_ball, "balls of water at the start"),
    LIST(pipes, pipe, RNI_SCENE_MAX_PIPES, rni_scene_pipe, "mouths that pour a stream"),
    LIST(outlets, outlet, RNI_SCENE_MAX_OUTLETS, rni_scene_outlet,
         "boxes that swallow water and count it"),
};
const uint32_t rni_parameter_list_count = sizeof rni_parameter_lists / sizeof *rni_parameter_lists;

rni_scene rni_scene_default(void)
{
    return (rni_scene){.run_time = 2,
                       .run_every = 0.04,
                       .def = rn_fluid_def_default(),
                       .view_up = {0, 1, 0},
                       .view_fov = 40,
                       .view_walls = {true, false, true, false, true, false}};
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

bool rni_parameter_applies(const rni_parameter *parameter, const rni_parameter_list *list,
                           const void *item)
{
    if (!parameter->shapes || list->table != solid_table) return true;
    return (parameter->shapes & (1u << ((const rni_scene_solid *)item)->shape)) != 0;
}
