/* Presets: the values of a definition that go together. docs/fluid.md has their measured errors. */
#include <runnel/fluid.h>

/* What presets differ in. */
typedef struct preset {
    rn_fluid_scheme scheme;
    float radius_ratio, sound_ratio, courant, speed_share, force_factor, numerical_viscosity,
        diffusion, shifting;
    bool negative_pressure, initial_pressure;
} preset;

static const preset presets[] = {
    [RN_PRESET_LIVE] = {RN_SCHEME_WCSPH, 2.1f, 2.5f, 1.5f, 0, 0.35f, 0.3f, 1, 1, false, true},
    [RN_PRESET_BALANCED] = {RN_SCHEME_CORRECTED, 2.2f, 6, 1, 0.3f, 0.25f, 0.033f, 1.2f, 1, true, true},
    [RN_PRESET_ACCURATE] = {RN_SCHEME_CORRECTED, 2.3f, 7.5f, 1, 0.5f, 0.25f, 0.02f, 1.7f, 1.1f,
                            true, true},
    [RN_PRESET_CLASSIC] = {RN_SCHEME_WCSPH, 2, 10, 1, 1, 0.25f, 0.1f, 1, 1, false, false},
};

rn_fluid_def rn_fluid_def_of_preset(rn_fluid_preset choice)
{
    const bool is_known = (uint32_t)choice < sizeof presets / sizeof *presets;
    const preset *p = &presets[is_known ? choice : RN_PRESET_BALANCED];
    return (rn_fluid_def){
        .struct_bytes = sizeof(rn_fluid_def),
        .dim = 3,
        .radius_ratio = p->radius_ratio,
        .rest_density = 1000,
        .scheme = p->scheme,
        .initial_pressure = p->initial_pressure,
        .max_particles = 4000000,
        .seed = 1,
        .params = {.pressure = RN_PRESSURE_TAIT,
                   .exponent = 7,
                   .negative_pressure = p->negative_pressure,
                   .viscosity_model = RN_VISCOSITY_LAPLACIAN,
                   .viscosity = 0.001f,
                   .viscosity_tolerance = 1e-3f,
                   .viscosity_iterations = 200,
                   .flow_index = 1,
                   .yield_growth = 100,
                   .viscosity_min = 1e-5f,
                   .viscosity_max = 1000,
                   .numerical_viscosity = p->numerical_viscosity,
                   .sound_ratio = p->sound_ratio,
                   .diffusion = p->diffusion,
                   .relaxation = 1,
                   .shifting = p->shifting,
                   .bulk = 0.6f,
                   .impact = 3,
                   .gradient_correction = true,
                   .surface_tension = 0.0728f,
                   .contact_angle = 90,
                   .gravity = {0, -9.81f, 0},
                   .integrator = RN_INTEGRATOR_SYMPLECTIC_EULER,
                   .courant = p->courant,
                   .speed_share = p->speed_share,
                   .force_factor = p->force_factor},
    };
}

rn_fluid_def rn_fluid_def_default(void)
{
    return rn_fluid_def_of_preset(RN_PRESET_BALANCED);
}
