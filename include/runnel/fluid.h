/* runnel/fluid.h - fluids made of particles: smoothed particle hydrodynamics in 2D and 3D, SI
 * units.
 *
 * Does:     takes a few numbers (spacing, domain, gravity), solids, pipes and outlets, derives the
 *           other parameters, and advances the fluid step by step; reports energies, extremes and
 *           the time of each stage. Results are the same bits for any number of threads, and stay
 *           finite.
 * Does not: read or write files, read scenes, print or draw.
 * Smallest use:
 *     rn_fluid_def def = rn_fluid_def_default();
 *     def.spacing = 0.02f;                                      // metres between particles
 *     def.domain_high[0] = 1, def.domain_high[1] = 1, def.domain_high[2] = 1;
 *     rn_fluid *fluid = NULL;
 *     if (rn_fluid_create(&def, &fluid) != RN_OK) return fail(rn_last_error());
 *     rn_fluid_block block = rn_fluid_block_default();
 *     block.high[0] = 0.4f, block.high[1] = 0.6f, block.high[2] = 1;
 *     if (rn_fluid_add_block(fluid, &block, NULL) != RN_OK) return fail(rn_last_error());
 *     rn_fluid_report report = rn_fluid_report_default();
 *     while (rn_fluid_get_time(fluid) < 2.0)
 *         if (rn_fluid_step(fluid, &report) != RN_OK) return fail(rn_last_error());
 *     rn_fluid_particles p = rn_fluid_get_particles(fluid);      // p.position[i][0 .. 2]
 *     rn_fluid_destroy(fluid);
 *
 * The index of a particle is valid until the next step, which sorts the particles; its id never
 * changes. Do not call functions on the same fluid from two threads at once.
 * Papers: Wichert et al. 2021 (water channel), Grahn 2008 (SPH in surgical simulation);
 *         docs/references.md.
 */
#ifndef RUNNEL_FLUID_H
#define RUNNEL_FLUID_H

#include <runnel/base.h>
#include <runnel/frame.h>
#include <runnel/search.h>
#include <runnel/solid.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rn_fluid rn_fluid;

/* Structs that a call fills (rn_fluid_report, rn_fluid_derived, rn_fluid_added) open with their
 * size: take them from their default function. A later version of the library may append fields,
 * and writes only the bytes that the caller's struct has.
 *
 * The numbers of all enums here never change. Each has its names as text: rn_fluid_choice_name().
 * */
typedef enum rn_fluid_pressure {
    /* p = stiffness ((rho / rest_density)^exponent - 1), Wichert et al. 2021 eq. 7. Best for
     * liquids. */
    RN_PRESSURE_TAIT = 0,
    /* p = stiffness (rho - rest_density), Wichert et al. 2021 eq. 6, Grahn 2008 eq. 3.13. Softer:
     * easier on the time step, more compression. */
    RN_PRESSURE_GAS = 1
} rn_fluid_pressure;

typedef enum rn_fluid_viscosity {
    RN_VISCOSITY_NONE = 0,
    RN_VISCOSITY_LAPLACIAN = 1 /* Wichert et al. 2021 eq. 10 */
} rn_fluid_viscosity;

/* How the viscous force of the fluid itself is advanced in time. */
typedef enum rn_fluid_solver {
    RN_SOLVER_EXPLICIT = 0, /* with the velocities at the start of the step: the time step is bounded */
    /* With those at its end (after Weiler et al. 2018): any viscosity, no bound; conserves linear and
     * angular momentum. Costs a few passes over the pairs per step. */
    RN_SOLVER_IMPLICIT = 1
} rn_fluid_solver;

/* How viscosity follows from the rate of shear g (1 / s). */
typedef enum rn_fluid_law {
    RN_LAW_NEWTONIAN = 0, /* viscosity */
    RN_LAW_POWER = 1,     /* viscosity g^(flow_index - 1) */
    /* viscosity_infinite + (viscosity - viscosity_infinite) (1 + (shear_time g)^2)^((flow_index - 1) / 2) */
    RN_LAW_CARREAU = 2,
    /* viscosity g^(flow_index - 1) + yield_stress (1 - exp(-yield_growth g)) / g: Bingham's fluid
     * (flow_index 1) and that of Herschel and Bulkley, regularised by Papanastasiou 1987 */
    RN_LAW_BINGHAM = 3
} rn_fluid_law;

typedef enum rn_fluid_tension {
    RN_TENSION_NONE = 0,
    RN_TENSION_AKINCI = 1, /* cohesion, curvature, correction factor: Wichert et al. 2021 eq. 13 to 17 */
    RN_TENSION_COLOR_FIELD = 2, /* Grahn 2008 eq. 3.16 to 3.19 */
    /* An energy of the surface, with its coefficient in N / m and contact angles at walls; conserves linear
     * and angular momentum. Take RN_SCHEME_CORRECTED with it. */
    RN_TENSION_SURFACE_ENERGY = 3
} rn_fluid_tension;

typedef enum rn_fluid_integrator {
    RN_INTEGRATOR_EULER = 0,            /* explicit: x += dt v, v += dt a; one evaluation */
    RN_INTEGRATOR_SYMPLECTIC_EULER = 1, /* v += dt a, x += dt v; one evaluation */
    RN_INTEGRATOR_LEAPFROG = 2,         /* Wichert et al. 2021 eq. 18 to 21; two evaluations */
    RN_INTEGRATOR_KICK_DRIFT = 3 /* Grahn 2008 eq. 7.1, 7.2: velocities are those of half steps */
} rn_fluid_integrator;

/* The smoothing kernels of density and pressure. Viscosity, normals and cohesion always use those
 * of Wichert et al. 2021. */
typedef enum rn_fluid_kernels {
    RN_KERNELS_WENDLAND = 0, /* Wendland C2 for both: forces come from an energy */
    RN_KERNELS_SPIKY = 1,    /* the spiky kernel for both */
    RN_KERNELS_PAPERS = 2 /* poly6 and the gradient of spiky, as published: they slowly heat the fluid */
} rn_fluid_kernels;

/* What walls do to the fluid near them, beyond stopping it. */
typedef enum rn_wall_law {
    /* A wall stands for mirrored layers of fluid: it completes density, pressure and drag. */
    RN_WALL_LAW_LAYERS = 0,
    /* Virtual boundary particles (Mueller et al. 2004; Grahn 2008, section 4.4.4): points of a Gauss rule on the
     * triangles of all walls, which repel and attract by a traction function. They add no density: 3D, scheme wcsph. */
    RN_WALL_LAW_VIRTUAL_PARTICLES = 1
} rn_wall_law;

/* What a step computes between the neighbour search and the integration. */
typedef enum rn_fluid_scheme {
    RN_SCHEME_WCSPH = 0, /* weakly compressible SPH: pressure by an equation of state (Monaghan 1994) */
    /* The same with density by continuity, corrected gradients, density diffusion, relaxation and
     * shifting: right periods and pressures, little dissipation, twice the cost per particle. */
    RN_SCHEME_CORRECTED = 1
} rn_fluid_scheme;

/* Values of a definition that go together: speed against accuracy. docs/fluid.md has their measured
 * errors and costs. */
typedef enum rn_fluid_preset {
    RN_PRESET_LIVE = 0,     /* soft sound and the longest calm step: for play */
    RN_PRESET_BALANCED = 1, /* the default */
    RN_PRESET_ACCURATE = 2, /* for engineering: low dissipation, smooth pressure */
    RN_PRESET_CLASSIC = 3   /* weakly compressible SPH by summation, as in Wichert et al. 2021 */
} rn_fluid_preset;

/* How a step visits the pairs of particles; results agree to rounding. */
typedef enum rn_fluid_traversal {
    RN_TRAVERSAL_FUSED = 0, /* neighbours are used while they are found: the fastest */
    RN_TRAVERSAL_LISTS = 1 /* neighbour lists in index order, from any search method: the reference */
} rn_fluid_traversal;

/* Parameters that may change between steps (rn_fluid_set_params()). rn_fluid_def_default() has the
 * defaults. */
typedef struct rn_fluid_params {
    rn_fluid_pressure pressure; /* equation of state; default RN_PRESSURE_TAIT */
    /* Tait: Pa. Gas: J/kg. 0 (default): derived, so that sound is sound_ratio times faster than
     * speed_expected. Larger values compress less and need smaller time steps. */
    float stiffness;
    float exponent; /* of Tait, 1 to 14; default 7 (water) */
    /* Allow pressure below zero (tension). By preset: true with RN_SCHEME_CORRECTED; false with
     * RN_SCHEME_WCSPH: cut to zero, as is usual there at a free surface. */
    bool negative_pressure;

    rn_fluid_viscosity viscosity_model; /* default RN_VISCOSITY_LAPLACIAN */
    float viscosity;                    /* dynamic, Pa s, 0 or more; default 0.001 (water) */
    /* Take the implicit solver from about 1 Pa s on, or where reports name the bound viscosity. */
    rn_fluid_solver viscosity_solver; /* default RN_SOLVER_EXPLICIT */
    /* Implicit: iterations end when the forces that are not balanced are this share of the viscous
     * ones, 1e-6 to 0.1; default 0.001. Momentum is conserved whatever it is. */
    float viscosity_tolerance;
    uint32_t viscosity_iterations; /* implicit: at most so many a step, 1 to 10,000; default 200 */
    rn_fluid_law viscosity_law;    /* default RN_LAW_NEWTONIAN */
    float flow_index;              /* of the laws, 0.05 to 3; below 1 the fluid thins; default 1 */
    float viscosity_infinite;      /* Carreau: Pa s at high rates; default 0 */
    float shear_time;              /* Carreau: s; default 0 */
    float yield_stress;            /* Bingham: Pa; default 0 */
    /* Bingham: s; below the rate of its inverse the yield stress is not reached, and the fluid creeps with
     * the viscosity yield_stress yield_growth. Default 100. */
    float yield_growth;
    /* Bounds of what a law gives, Pa s; defaults 1e-5 and 1000. */
    float viscosity_min, viscosity_max;
    /* Damps the sound of weakly compressible fluids: Monaghan's alpha, as a share of sound speed
     * times radius, added to viscosity. 0 to 10; by preset 0.02 to 0.3 (balanced: 0.033); 0 reproduces
     * the published form. Raise it if a fluid at rest keeps moving. */
    float numerical_viscosity;
    /* m / s of sound for each m / s of speed_expected, 1 to 1000; the derived stiffness follows. By
     * preset 2.5 to 10 (balanced: 6). Water at speed_expected is compressed by about 1 / ratio^2. */
    float sound_ratio;
    /* Of RN_SCHEME_CORRECTED, each 0 (off) to 10: */
    float diffusion;  /* of density: removes noise from the pressure; default 1 */
    float relaxation; /* of density to the sum over the kernel: keeps the volume; default 1 */
    float shifting;   /* of particles that are strained: prevents strings; by preset 1 or 1.1 */
    float bulk;       /* viscosity against compression alone: absorbs sound; default 0.6 */
    float impact;     /* resistance of particles that approach each other; default 3 */
    bool gradient_correction; /* default true: gradients are exact for linear fields */

    rn_fluid_tension tension; /* surface tension; default RN_TENSION_NONE */
    float cohesion;           /* Akinci, m^4 / (kg s^2), 0 or more */
    float curvature;          /* Akinci, m / s^2, 0 or more */
    bool smooth_normals;      /* Akinci: average the normals over the neighbours once more */
    float surface_tension;    /* colour field, surface energy: N / m; default 0.0728 (water) */
    /* Surface energy: degrees between wall and surface, inside of the fluid, 0 (it spreads) to 180 (it does
     * not wet); default 90. Solids may have their own. */
    float contact_angle;
    float color_threshold; /* colour field, 1 / m: shorter normals are ignored; 0 (default): derived */

    float gravity[3]; /* m / s^2; default 0, -9.81, 0: y is up */
    /* s: gravity grows smoothly from 0 to its value over this time, so that fluid at rest does not
     * start to oscillate; 0 (default): full from the start. */
    float gravity_ramp;
    /* Shaken tanks: gravity_amplitude sin(2 pi frequency t + phase) is added to gravity. */
    float gravity_amplitude[3]; /* m / s^2; default 0 */
    float gravity_frequency;    /* Hz; 0 (default): none */
    float gravity_phase;        /* degrees; default 0 */

    rn_fluid_integrator integrator; /* default RN_INTEGRATOR_SYMPLECTIC_EULER */
    /* s. 0 (default): the largest safe step, chosen again for each step. A fixed step beyond
     * longest_step of rn_fluid_derived is taken in safe substeps; more than 1024 times the safe
     * step is refused. */
    float time_step;
    float time_step_max; /* s: upper bound of the adaptive step; 0 (default): none */
    float courant; /* multiple of the safe step that is taken, 0.05 to 4; by preset 1 or 1.5 */
    /* Share of the speed of the fastest particle that is added to the sound speed where the safe step is
     * derived, 0 to 1; by preset 0 to 1 (balanced: 0.3). Neighbours move along with a particle, so little
     * of its speed matters. Raise it if impacts of fast water eject drops. */
    float speed_share;
    /* Factor of the bound on the safe step by the largest acceleration, 0.05 to 1; by preset 0.25 or 0.35 (live). */
    float force_factor;

    /* At walls: the share of the speed towards the wall that a particle keeps after the impact (the
     * damping of Wichert et al. 2021). 0 (default) to 1. */
    float bounce;
} rn_fluid_params;

/* One of several fluids in the same simulation (docs/several-fluids.md). All particles have the same volume;
 * their mass is that of their own fluid. The fields of the viscosity law mean what those of rn_fluid_params
 * mean. */
#define RN_FLUID_MAX_PHASES 8u
#define RN_PHASE_NAME       32u
#define RN_PHASE_MAX_RATIO  15.0f /* of the densities of two fluids */
typedef struct rn_fluid_phase {
    char name[RN_PHASE_NAME]; /* 1 to 31 characters, other than those of the other fluids */
    float rest_density;       /* kg / m^3; default 1000 */
    float viscosity;          /* Pa s; default 0.001 */
    rn_fluid_law viscosity_law;
    float flow_index, viscosity_infinite, shear_time, yield_stress, yield_growth;
    float viscosity_min, viscosity_max;
    float surface_tension; /* N / m, against air, with RN_TENSION_SURFACE_ENERGY; default 0.0728 */
    /* N / m, with RN_TENSION_SURFACE_ENERGY: against each of the other fluids, by its number; at most the sum of both
     * surface tensions. Default 0: the fluids mix. It is enough to give it to one of two. */
    float interface_tension[RN_FLUID_MAX_PHASES];
    float color[3]; /* red, green, blue, 0 to 1: of pictures and the viewer; default 0: chosen */
} rn_fluid_phase;
RN_API rn_fluid_phase rn_fluid_phase_default(void);

/* The definition of a fluid. Take rn_fluid_def_default() and change what you need; spacing and
 * domain_high have no default. */
typedef struct rn_fluid_def {
    uint32_t struct_bytes; /* set by rn_fluid_def_default(); any other size is refused */
    uint32_t dim;          /* 2 or 3; default 3. In 2D z is 0, and a mass is a mass per metre */
    float spacing; /* m between neighbouring particles at rest: the resolution; 1e-6 to 1e6 */
    float radius;  /* m: h, the kernel support radius, 1.2 to 4 spacings; 0 (default): derived */
    float radius_ratio; /* radius over spacing where radius is 0, 1.2 to 4; by preset 2 to 2.3 */
    float rest_density; /* kg / m^3; default 1000 (water) */
    rn_fluid_scheme scheme;   /* by preset; default RN_SCHEME_CORRECTED */
    rn_fluid_kernels kernels; /* default RN_KERNELS_WENDLAND */
    /* m / s: the largest speed to expect; 0 (default): the speed that the water can reach, from the
     * heights and speeds of blocks, balls, particles and pipes above the lowest place that is not
     * solid. The derived stiffness follows from it. Water that is added later may raise it. */
    float speed_expected;

    float domain_low[3]; /* m; default 0. In 2D the third is ignored */
    float domain_high[3]; /* m; particles stay between low and high, at most 100,000 spacings from 0 */
    bool periodic[3];     /* per axis; default false: walls. A period is at least three radii */
    rn_slip domain_slip; /* default RN_SLIP_FREE */
    /* Open sides: particles that pass them are removed and counted. [axis][0 low, 1 high]; default
     * false: a wall. */
    bool open[3][2];
    /* Walls as in Wichert et al. 2021, solids included: particles bounce, and nothing replaces
     * their missing neighbours. Default false: walls add the missing density, so that fluid at rest
     * has a flat surface. */
    bool bare_walls;
    rn_wall_law wall_law; /* default RN_WALL_LAW_LAYERS */
    /* Of virtual boundary particles: the traction at distance 0, Pa; 0 (default): rest density times the
     * square of the expected speed. And the distance at which it changes its sign, m, below the radius; 0 (default): a flat
     * wall is in balance half a spacing away. */
    float wall_traction, wall_distance;
    /* Sum the force and torque of the fluid on each solid at each step (rn_fluid_get_solid_load()). A
     * step takes about a sixth longer, and its results are the same bits. Default false. */
    bool measure_loads;
    /* At the first step fluid has the pressure of its weight and flow, that of an incompressible fluid released then; fluid of
     * blocks and balls is compressed by it. False: it starts without pressure, falls into itself and rings.
     * Default true; RN_PRESET_CLASSIC: false. */
    bool initial_pressure;

    uint32_t max_particles; /* particles beyond it are refused, and pipes stop; default 4,000,000 */
    uint64_t seed;          /* of the jitter of blocks and balls; default 1 */

    rn_fluid_traversal traversal; /* default RN_TRAVERSAL_FUSED */
    rn_search_method search;      /* of RN_TRAVERSAL_LISTS; default RN_SEARCH_DEFAULT */
    uint32_t threads;             /* 0 (default): one per processor */
    rn_cpu_level cpu;             /* instruction set; default RN_CPU_AUTO: the widest there is */
    rn_allocator allocator;       /* default: the C library's */
    rn_tasks tasks;               /* your task system; default: threads of the library */
    /* Called now and then while something that may take seconds is prepared (the boundary field of a mesh), with what
     * it is and how much of it is done, 0 to 1, on the calling thread. False: stop; the call fails with
     * RN_ERROR_LIMIT. Default NULL. */
    bool (*progress)(void *user, const char *what, double part);
    void *progress_user;

    rn_fluid_params params;

    /* Several fluids: 2 to RN_FLUID_MAX_PHASES of them, which blocks, balls, particles and pipes name by their
     * number, counted from 0. rest_density, viscosity and its law are then those of each. 0 (default): one
     * fluid. 1: the same, with the values of phases[0]. */
    uint32_t phase_count;
    rn_fluid_phase phases[RN_FLUID_MAX_PHASES];
} rn_fluid_def;

/* The balanced preset. */
RN_API rn_fluid_def rn_fluid_def_default(void);
/* A definition with the values of a preset; change any of them afterwards. */
RN_API rn_fluid_def rn_fluid_def_of_preset(rn_fluid_preset preset);
RN_API rn_result rn_fluid_create(const rn_fluid_def *def, rn_fluid **fluid);
RN_API void rn_fluid_destroy(rn_fluid *fluid); /* NULL is fine */

RN_API rn_fluid_params rn_fluid_get_params(const rn_fluid *fluid);
RN_API rn_result rn_fluid_set_params(rn_fluid *fluid, const rn_fluid_params *params);

/* Several fluids. How many there are: 0 for a fluid that was created without phases. */
RN_API uint32_t rn_fluid_get_phase_count(const rn_fluid *fluid);
RN_API rn_result rn_fluid_get_phase(const rn_fluid *fluid, uint32_t number, rn_fluid_phase *phase);
/* Changes one between two steps: density, viscosity and its law, name and colour. */
RN_API rn_result rn_fluid_set_phase(rn_fluid *fluid, uint32_t number, const rn_fluid_phase *phase);
/* What there is of one at the end of the last step. */
typedef struct rn_phase_report {
    uint32_t struct_bytes; /* set by rn_phase_report_default() */
    uint32_t particles;
    double volume;             /* m^3 (2D: m^2) at rest density */
    double mass;               /* kg (2D: kg / m) */
    double kinetic, potential; /* J (2D: J / m), as in rn_fluid_report */
    double center[3];          /* m: of mass; 0 without particles */
    float speed_max;           /* m / s */
    uint64_t came, left;       /* particles since the start: by pipes; by outlets and open sides */
} rn_phase_report;
RN_API rn_phase_report rn_phase_report_default(void);
RN_API rn_result rn_fluid_get_phase_report(const rn_fluid *fluid, uint32_t number,
                                           rn_phase_report *report);

/* Gravity over time: what a table says is added to params.gravity, linear between its stops, constant
 * before the first and after the last. Times ascend. The table is copied; count 0 removes it. It is
 * no part of the state: set it again before rn_fluid_read_state(). The ramp applies to it, too. */
#define RN_GRAVITY_MAX_STOPS 100000u
typedef struct rn_fluid_gravity_stop {
    double time;      /* s */
    float gravity[3]; /* m / s^2 */
} rn_fluid_gravity_stop;
RN_API rn_result rn_fluid_set_gravity_table(rn_fluid *fluid, const rn_fluid_gravity_stop *stops,
                                            uint32_t count);
/* m / s^2 at the present time: constant part, table and sine, with the ramp. */
RN_API void rn_fluid_get_gravity(const rn_fluid *fluid, float gravity[3]);

/* What follows from the definition and the parameters (the automatic parameters of Wichert et al.
 * 2021). */
typedef struct rn_fluid_derived {
    uint32_t struct_bytes;   /* set by rn_fluid_derived_default() */
    float radius;            /* m: the kernel support radius */
    float mass;              /* kg per particle (2D: kg / m) */
    float stiffness;         /* as in rn_fluid_params */
    float sound_speed;       /* m / s at rest density */
    float speed_expected;    /* m / s */
    float viscosity;         /* Pa s, with the numerical part */
    float time_step;         /* s: the safe step at rest, or the fixed one */
    float safe_step;         /* s: the safe step at rest */
    float longest_step;      /* s: longer fixed steps are taken in safe substeps */
    uint32_t neighbor_count; /* of a particle inside the fluid, on the lattice */
    /* Factors that make the sums over the lattice exact: density, pressure gradient, Laplacian.
     * All 1 with bare_walls, as published. */
    float density_factor, gradient_factor, laplacian_factor;
    float numerical_viscosity; /* Pa s: the part of viscosity that only damps sound */
} rn_fluid_derived;
RN_API rn_fluid_derived rn_fluid_derived_default(void);
RN_API rn_result rn_fluid_get_derived(const rn_fluid *fluid, rn_fluid_derived *derived);

/* Names a solid, pipe, outlet or operator. The generation distinguishes members that have used the
 * same index one after the other. All zero: none. */
typedef struct rn_fluid_id {
    uint32_t index;      /* 1 .. */
    uint32_t generation; /* 1 .. */
} rn_fluid_id;

/* Refused when particles are already inside it. id may be NULL. */
RN_API rn_result rn_fluid_add_solid(rn_fluid *fluid, const rn_solid *solid, rn_fluid_id *id);
/* Replaces a solid, pose and motion included. Refused when particles are inside the new one. */
RN_API rn_result rn_fluid_set_solid(rn_fluid *fluid, rn_fluid_id id, const rn_solid *solid);
/* Moves a solid through the fluid: call it before each step with the pose at the end of that step,
 * and the motion that leads there (NULL: none). Particles that the solid overtakes are pushed out
 * and take at least the speed of its surface. Refused, and nothing moves, when it would go more
 * than half a radius deep into the fluid at once (RN_ERROR_ARGUMENT), or leave no place for a
 * particle between it and another wall (RN_ERROR_LIMIT). */
RN_API rn_result rn_fluid_set_solid_pose(rn_fluid *fluid, rn_fluid_id id, const rn_solid_pose *pose,
                                         const rn_solid_motion *motion);
RN_API rn_result rn_fluid_remove_solid(rn_fluid *fluid, rn_fluid_id id);

/* Force and torque of the fluid on a solid, from fluids made with measure_loads: pressure and drag
 * of the last evaluation, and the impulses of the collisions in the last step over its time.
 * Buoyancy is part of the force. */
typedef struct rn_solid_load {
    uint32_t struct_bytes; /* set by rn_solid_load_default() */
    double force[3];       /* N (2D: N / m) */
    double torque[3];      /* N m (2D: N) about the center of the solid */
} rn_solid_load;
RN_API rn_solid_load rn_solid_load_default(void);
RN_API rn_result rn_fluid_get_solid_load(const rn_fluid *fluid, rn_fluid_id id, rn_solid_load *load);
/* The same on all sides of the domain together, the torque about its center. */
RN_API rn_result rn_fluid_get_domain_load(const rn_fluid *fluid, rn_solid_load *load);
/* Signed distance (m; positive in the fluid) from the nearest wall, sides of the domain included:
 * in double, and independent of the code that the step uses. */
RN_API double rn_fluid_get_wall_distance(const rn_fluid *fluid, const float position[3]);

/* A particle at a triangle of a mesh. */
typedef struct rn_fluid_contact {
    uint32_t particle; /* place in rn_fluid_get_arrays(), until the next step */
    uint32_t id;       /* of the particle */
    rn_fluid_id solid;
    uint32_t triangle; /* of its mesh: the nearest to the particle */
    float weight[3]; /* barycentric coordinates of the nearest point, one for each corner; their sum is 1 */
    float point[3]; /* m: the nearest point, in the world */
    float distance; /* m: of the particle from it */
    /* N s: what the walls gave to the particle in the last step, by pressure, drag, friction and collision;
     * of a particle at several solids: all of them together. */
    float impulse[3];
} rn_fluid_contact;
/* From the next step on contacts are known, up to this distance (m): half a spacing is where fluid that rests
 * touches a wall; at most the support radius. 0 (as at first): none. */
RN_API rn_result rn_fluid_watch_contacts(rn_fluid *fluid, float distance);
/* All contacts now, by particle, then by solid; one for each particle and mesh. The array is the fluid's, until the next
 * call that changes the fluid. The same for any number of threads. */
RN_API rn_result rn_fluid_get_contacts(rn_fluid *fluid, const rn_fluid_contact **contacts,
                                       uint32_t *count);

/* The film on a mesh whose solid has a trail: thickness by texel of its texture (of its own one if the mesh has no
 * texture coordinates, or if they use places twice). It is part of the state of the fluid. */
typedef struct rn_fluid_film {
    uint32_t struct_bytes;  /* set by rn_fluid_film_default() */
    uint32_t width, height; /* texels; a power of two */
    const float *thickness; /* m, row after row from v = 0; the fluid's, until the next call about this film */
    double area;            /* m^2 of the mesh */
    double wetted_area; /* m^2 with more than a hundredth of the trail */
    double volume;      /* m^3 */
} rn_fluid_film;
RN_API rn_fluid_film rn_fluid_film_default(void);
RN_API rn_result rn_fluid_get_film(rn_fluid *fluid, rn_fluid_id solid, rn_fluid_film *film);
/* m: one for each vertex of the mesh. */
RN_API rn_result rn_fluid_get_film_at_vertices(const rn_fluid *fluid, rn_fluid_id solid,
                                               float *thickness);

/* How many of the particles that a call asked for were added, and why the others were left out. */
typedef struct rn_fluid_added {
    uint32_t struct_bytes; /* set by rn_fluid_added_default() */
    uint32_t added;
    uint32_t outside_domain; /* left out: outside the domain */
    uint32_t in_walls;       /* left out: in a solid, or too close to a solid or a side */
    uint32_t overlapping;    /* left out: closer than 0.7 spacing to an older particle */
    uint32_t replaced; /* of several fluids: older particles of another fluid that became this one */
} rn_fluid_added;
RN_API rn_fluid_added rn_fluid_added_default(void);

/* A box filled with fluid at rest density, on a lattice that starts half a layer from its faces, so
 * that walls, periods and neighbouring blocks fit. Sides of whole spacings give a cubic lattice;
 * others stretch it by up to a tenth. The last layer, at the face against gravity (or another face
 * without wall, period or fluid behind it), is the one nearest to the face. Near solids particles
 * are moved until they are evenly spaced. */
/* Called for each place of a block: may change the velocity (m / s), and returns false to leave the
 * particle out. */
typedef bool (*rn_fluid_place_fn)(void *user, const float position[3], float velocity[3]);
typedef struct rn_fluid_block {
    uint32_t struct_bytes; /* set by rn_fluid_block_default() */
    float low[3], high[3]; /* m */
    float velocity[3];     /* m / s; default 0 */
    float jitter;          /* random displacement as a share of the spacing, 0 (default) to 0.3 */
    /* Of several fluids: the number of its fluid; default 0. Particles of other fluids that are there already
     * take the fluid and the velocity. */
    uint32_t phase;
    rn_fluid_place_fn place; /* default NULL: every place, with velocity */
    void *user;              /* of place */
} rn_fluid_block;
RN_API rn_fluid_block rn_fluid_block_default(void);
RN_API rn_result rn_fluid_add_block(rn_fluid *fluid, const rn_fluid_block *block,
                                    rn_fluid_added *added);

/* The same in a ball; in 2D a disc. */
typedef struct rn_fluid_ball {
    uint32_t struct_bytes;   /* set by rn_fluid_ball_default() */
    float center[3];         /* m */
    float radius;            /* m */
    float velocity[3];       /* m / s; default 0 */
    float jitter;            /* as of a block */
    rn_fluid_place_fn place; /* as of a block */
    void *user;              /* of place */
    uint32_t phase;          /* as of a block */
} rn_fluid_ball;
RN_API rn_fluid_ball rn_fluid_ball_default(void);
RN_API rn_result rn_fluid_add_ball(rn_fluid *fluid, const rn_fluid_ball *ball, rn_fluid_added *added);

/* Particles of your own: x, y, z of each (m), and their velocities (m / s; NULL: 0). Values that
 * are not finite are refused with their index. */
RN_API rn_result rn_fluid_add_particles(rn_fluid *fluid, const float *position,
                                        const float *velocity, uint32_t count, rn_fluid_added *added);

/* The same of one of several fluids. */
RN_API rn_result rn_fluid_add_phase_particles(rn_fluid *fluid, uint32_t phase,
                                              const float *position, const float *velocity,
                                              uint32_t count, rn_fluid_added *added);

/* A pipe adds a round (2D: flat) stream of particles at its mouth: speed times the area of the
 * mouth per second, also for thin pipes. The mouth may be on a wall that the stream leaves, or
 * under the surface, where it pushes fluid away; in a solid it is refused. */
#define RN_PIPE_MAX_STOPS 256u
typedef struct rn_fluid_pipe {
    uint32_t struct_bytes; /* set by rn_fluid_pipe_default() */
    float center[3];       /* m: of the mouth */
    float direction[3];    /* of the stream; any length but 0; default 1, 0, 0 */
    float radius;          /* m: of the stream; at least half a spacing */
    float speed;           /* m / s; used when flow_rate is 0; default 1 */
    float flow_rate;       /* m^3 / s (2D: m^2 / s); 0 (default): speed is used */
    /* m: the pipe comes from a large tank whose surface is this high above the mouth's center, and
     * pours at sqrt(2 g (head - pressure at the mouth / (rho g))); nothing, and nothing flows back,
     * where the pressure is higher. 0 (default): speed or flow_rate is used. */
    float head;
    /* Speed or flow rate is multiplied by a factor: linear between the stops, constant before the
     * first and after the last. Times (s) ascend. No stops (default): 1. */
    uint32_t stop_count; /* at most RN_PIPE_MAX_STOPS */
    float stop_time[RN_PIPE_MAX_STOPS];
    float stop_factor[RN_PIPE_MAX_STOPS];
    /* Also multiplied by 1 + amplitude sin(2 pi frequency t + phase), but not below 0. */
    float sine_amplitude;   /* default 0 */
    float sine_frequency;   /* Hz */
    float sine_phase;       /* degrees */
    uint32_t max_particles; /* the pipe stops after so many; 0 (default): no limit of its own */
    uint32_t phase;         /* of several fluids: the number of the one that it pours; default 0 */
} rn_fluid_pipe;
RN_API rn_fluid_pipe rn_fluid_pipe_default(void);
RN_API rn_result rn_fluid_add_pipe(rn_fluid *fluid, const rn_fluid_pipe *pipe, rn_fluid_id *id);
RN_API rn_result rn_fluid_set_pipe(rn_fluid *fluid, rn_fluid_id id, const rn_fluid_pipe *pipe);
RN_API rn_result rn_fluid_remove_pipe(rn_fluid *fluid, rn_fluid_id id);
/* Particles poured so far; 0 for an id that does not exist. */
RN_API uint64_t rn_fluid_get_pipe_count(const rn_fluid *fluid, rn_fluid_id id);

/* A box, or the inside of a shape, in which particles are removed and counted. */
typedef struct rn_fluid_outlet {
    uint32_t struct_bytes; /* set by rn_fluid_outlet_default() */
    float low[3], high[3]; /* m */
    uint32_t phase; /* of several fluids: 1 + the number of the only one that leaves; 0 (default): all */
    /* Default NULL: the box. Else the inside of this shape, and low and high do not count; copied. Its
     * fields slip, velocity, motion and is_hollow do not matter. */
    const rn_solid *shape;
} rn_fluid_outlet;
RN_API rn_fluid_outlet rn_fluid_outlet_default(void);
RN_API rn_result rn_fluid_add_outlet(rn_fluid *fluid, const rn_fluid_outlet *outlet, rn_fluid_id *id);
RN_API rn_result rn_fluid_remove_outlet(rn_fluid *fluid, rn_fluid_id id);
/* Particles removed so far; 0 for an unknown id. */
RN_API uint64_t rn_fluid_get_outlet_count(const rn_fluid *fluid, rn_fluid_id id);

/* The arrays of all particles: borrowed, valid until the next call that changes the fluid. */
typedef struct rn_fluid_particles {
    uint32_t count;
    float (*position)[4];     /* m: x, y, z; the fourth number belongs to the fluid */
    float (*velocity)[4];     /* m / s; the fourth number belongs to the fluid */
    float (*acceleration)[4]; /* m / s^2, of the last evaluation */
    float *density;           /* kg / m^3, of the last evaluation */
    float *pressure;          /* Pa, of the last evaluation */
    uint32_t *id;             /* unique, and the same for as long as the particle exists */
    float *birth;             /* s: the time at which the particle was added */
    uint32_t *neighbor_count; /* within the radius, at the last evaluation */
} rn_fluid_particles;
RN_API rn_fluid_particles rn_fluid_get_particles(const rn_fluid *fluid);
/* The same without copying: id and birth, which the call above gathers each time, are NULL. */
RN_API rn_fluid_particles rn_fluid_get_arrays(const rn_fluid *fluid);

/* Attributes: everything that a particle has, by name. One table that output files, pictures and
 * the viewer read: "position", "velocity", "acceleration", "density", "pressure", "id", "birth",
 * "neighbor_count". */
typedef struct rn_fluid_attribute_info {
    const char *name;    /* lower case, as in files and scenes */
    const char *unit;    /* SI: "m/s"; "" for counts and ids */
    uint32_t components; /* 1, or 3: x, y, z */
    rn_attribute_type type;
} rn_fluid_attribute_info;
/* Attribute number index, counted from 0; NULL past the last. fluid may be NULL: those that every
 * fluid has, which come first. */
RN_API const rn_fluid_attribute_info *rn_fluid_get_attribute_info(const rn_fluid *fluid,
                                                                  uint32_t index);
/* The values of one attribute: those of particle i begin at (char *)data + i * stride_bytes. */
typedef struct rn_fluid_span {
    void *data;            /* borrowed; valid until the next call that changes the fluid */
    uint32_t stride_bytes; /* from one particle to the next */
    uint32_t count;        /* particles */
    rn_fluid_attribute_info info;
} rn_fluid_span;
/* Costs nothing: no copy is made. An unknown name is refused. Write only to attributes that you
 * added, and in an operator to what its stage allows. */
RN_API rn_result rn_fluid_get_attribute(const rn_fluid *fluid, const char *name, rn_fluid_span *span);
/* Adds an attribute of your own, 0 for every particle that there is and for those that come later.
 * The fluid carries it along: sorted with the particles, saved in the state (rn_fluid_read_state()
 * needs the same attributes), undone with a step that fails. name: 1 to 23 characters of a-z, 0-9
 * and _; unit: up to 23 characters. */
#define RN_FLUID_MAX_ATTRIBUTES 8u
RN_API rn_result rn_fluid_add_attribute(rn_fluid *fluid, const rn_fluid_attribute_info *info);

/* Computes density, pressure and neighbour counts at the present positions, as the next step will.
 * Without this call they are those of the last step; before the first step and after
 * rn_fluid_read_state() pressures and neighbour counts are 0. Before the first step it gives the fluid its
 * initial pressure (rn_fluid_def.initial_pressure), as that step would; else it changes nothing that later
 * steps depend on, and no index. */
RN_API rn_result rn_fluid_update_density(rn_fluid *fluid);
/* The particles as a frame, at no cost: every attribute above, and those that are derived from them
 * ("speed", "age"). *frame comes from rn_frame_default(); what was in it is replaced. Valid until
 * the next call that changes the fluid. The frame has no triangles. */
RN_API rn_result rn_fluid_get_frame(const rn_fluid *fluid, rn_frame *frame);
/* The same without particles: which attributes frames of fluids have. */
RN_API rn_frame rn_fluid_frame_default(void);
RN_API double rn_fluid_get_time(const rn_fluid *fluid); /* s since the start */
RN_API uint64_t rn_fluid_get_step_count(const rn_fluid *fluid);

/* Operators: functions of yours that the step calls (Grahn 2008, section 7.1). An operator may read
 * everything and write what its stage allows, and attributes that you added
 * (rn_fluid_add_attribute()) at any stage. It runs on the thread that called rn_fluid_step(), with
 * the particles in their present order. Any result but RN_OK ends the step as a failure, and the
 * state before the step comes back. In a step that is repeated, it is called again. */
typedef enum rn_fluid_stage {
    RN_STAGE_FORCES = 0, /* after all forces: may add to acceleration */
    RN_STAGE_INTEGRATE = 1, /* after integration, before collisions: may change velocity and position */
    RN_STAGE_END = 2 /* after collisions, pipes and outlets: position and velocity are read only */
} rn_fluid_stage;
typedef rn_result (*rn_fluid_operator_fn)(void *user, rn_fluid_stage stage, double time,
                                          float time_step, const rn_fluid_particles *particles);
RN_API rn_result rn_fluid_add_operator(rn_fluid *fluid, rn_fluid_stage stage,
                                       rn_fluid_operator_fn function, void *user, rn_fluid_id *id);
RN_API rn_result rn_fluid_remove_operator(rn_fluid *fluid, rn_fluid_id id);
/* The neighbours of all particles within the kernel radius, at their present positions: for forces
 * and diffusion of your own, inside an operator or between two steps. *neighbors is borrowed until
 * the next call that changes the fluid; rn_neighbors_get_list(neighbors, i) has those of particle
 * i: ascending, without i, and i is in the list of each of them. The first call in an operator runs
 * a search (about a tenth of a step); further ones in the same operator cost nothing. */
RN_API rn_result rn_fluid_get_neighbors(rn_fluid *fluid, rn_neighbors *neighbors);

/* What has bounded the time step. */
typedef enum rn_fluid_bound {
    RN_BOUND_FIXED = 0,     /* the caller's time step */
    RN_BOUND_SOUND = 1,     /* sound and flow cross a share of the radius (Courant) */
    RN_BOUND_FORCE = 2,     /* the largest acceleration */
    RN_BOUND_VISCOSITY = 3, /* diffusion of momentum */
    RN_BOUND_TENSION = 4,   /* oscillations by surface tension */
    RN_BOUND_MAX = 5,       /* params.time_step_max */
    RN_BOUND_RETRY = 6      /* substeps, because a longer step failed */
} rn_fluid_bound;

/* Stages of a step, for the times in the report. */
typedef enum rn_fluid_clock {
    RN_CLOCK_SORT = 0,
    RN_CLOCK_SEARCH = 1, /* the fused traversal searches in the density stage */
    RN_CLOCK_DENSITY = 2,
    RN_CLOCK_PRESSURE = 3,
    RN_CLOCK_NORMALS = 4,
    RN_CLOCK_FORCES = 5,
    RN_CLOCK_INTEGRATE = 6,
    RN_CLOCK_COLLIDE = 7,
    RN_CLOCK_SOURCES = 8,
    RN_CLOCK_REPORT = 9,
    RN_CLOCK_BOUNDARIES = 10, /* walls, between search and density */
    RN_CLOCK_COUNT = 11
} rn_fluid_clock;

enum {
    RN_FLAG_RETRIED = 1,      /* the step was split into substeps, or repeated with them */
    RN_FLAG_COMPRESSED = 2,   /* a density is more than 10 % above rest_density */
    RN_FLAG_FULL = 4,         /* max_particles is reached, and a pipe waits */
    RN_FLAG_BLOCKED = 8,      /* the mouth of a pipe is occupied, and it waits */
    RN_FLAG_UNSAFE_STEP = 16, /* the fixed time step is longer than the safe one */
    RN_FLAG_UNSOLVED = 32     /* viscosity_iterations did not reach viscosity_tolerance */
};

typedef struct rn_fluid_report {
    uint32_t struct_bytes; /* set by rn_fluid_report_default() */
    uint32_t particles;
    double time;              /* s, after the step */
    uint64_t step;            /* counted from 1 */
    float time_step;          /* s: taken */
    float safe_step;          /* s: that an adaptive step would have taken */
    rn_fluid_bound bound;     /* what bounded the step */
    uint32_t retries;         /* attempts that failed */
    uint32_t flags;           /* RN_FLAG_... */
    float ms[RN_CLOCK_COUNT]; /* milliseconds per stage */
    float ms_total;           /* milliseconds of the whole step */
    double neighbors_mean;    /* per particle */
    uint32_t neighbors_max;
    float density_mean, density_max; /* divided by rest_density: 1 is at rest */
    double kinetic, potential,
        elastic;     /* J (2D: J / m); potential by params.gravity alone, zero at the origin */
    float speed_max; /* m / s */
    uint32_t speed_max_id;         /* the id of the fastest particle */
    uint64_t came, left;           /* particles of this step: by pipes; by outlets and open sides */
    uint64_t came_all, left_all;   /* the same since the start */
    uint64_t bytes;                /* memory that the fluid holds */
    uint32_t viscosity_iterations; /* of the implicit solver, all substeps together; 0: not used */
    float viscosity_residual;      /* the largest share of viscous forces that was not balanced */
    float viscosity_ms;            /* milliseconds of viscosity, also part of those of the forces */
} rn_fluid_report;
RN_API rn_fluid_report rn_fluid_report_default(void);

/* One step. When it fails, the fluid is as it was before the step, and may be inspected, saved, and
 * stepped again with other parameters. report may be NULL. */
RN_API rn_result rn_fluid_step(rn_fluid *fluid, rn_fluid_report *report);

/* A hash of the bits of position and velocity by id: independent of the order in memory. */
RN_API uint64_t rn_fluid_get_state_hash(const rn_fluid *fluid);
/* Particles that are behind a wall by more than a hundredth of a spacing
 * (rn_fluid_get_wall_distance()), or not finite. Always 0, unless something is wrong. */
RN_API uint32_t rn_fluid_get_escaped_count(const rn_fluid *fluid);

/* The whole state that moves as bytes (little endian; docs/checkpoint.md). A fluid with the same
 * definition, solids, pipes, outlets and attributes continues from it bit for bit. Reading refuses
 * what does not fit or is not finite, and then leaves the fluid unchanged. It cannot detect a wrong
 * but possible number: keep a checksum with the bytes, as checkpoints do. */
RN_API uint64_t rn_fluid_get_state_bytes(const rn_fluid *fluid);
RN_API void rn_fluid_write_state(const rn_fluid *fluid, void *bytes);
RN_API rn_result rn_fluid_read_state(rn_fluid *fluid, const void *bytes, uint64_t byte_count);

/* Names as text, for all enums above: "tait", "akinci", "kick-drift", ... NULL past the last. */
typedef enum rn_fluid_choice {
    RN_CHOICE_PRESSURE = 0,
    RN_CHOICE_VISCOSITY = 1,
    RN_CHOICE_TENSION = 2,
    RN_CHOICE_INTEGRATOR = 3,
    RN_CHOICE_TRAVERSAL = 4,
    RN_CHOICE_SLIP = 5,
    RN_CHOICE_SOLID = 6,
    RN_CHOICE_BOUND = 7,
    RN_CHOICE_CLOCK = 8,
    RN_CHOICE_KERNELS = 9,
    RN_CHOICE_SCHEME = 10,
    RN_CHOICE_PRESET = 11,
    RN_CHOICE_GAUGE = 12, /* rn_gauge_kind, runnel/gauge.h */
    RN_CHOICE_SOLVER = 13,
    RN_CHOICE_LAW = 14,
    RN_CHOICE_WALL_LAW = 15
} rn_fluid_choice;
RN_API const char *rn_fluid_choice_name(rn_fluid_choice choice, uint32_t value);

#ifdef __cplusplus
}
#endif
#endif
