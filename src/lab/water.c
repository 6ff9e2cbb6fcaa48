#include "lab/water.h"

#include "base/error.h"
#include "fluid/derived.h"

#include <runnel/mesh.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

rn_fluid_def rni_lab_water_def(const rni_lab *lab, uint32_t dim, double spacing, const double size[3])
{
    rn_fluid_def def = rn_fluid_def_of_preset(lab->preset);
    def.dim = dim;
    def.spacing = (float)spacing;
    def.threads = lab->threads;
    def.params.viscosity_solver = lab->solver;
    for (uint32_t a = 0; a < dim; a++) def.domain_high[a] = (float)size[a];
    return def;
}

void rni_lab_two_fluids(rn_fluid_def *def, double ratio)
{
    def->phase_count = 2;
    for (uint32_t k = 0; k < 2; k++) {
        def->phases[k] = rn_fluid_phase_default();
        snprintf(def->phases[k].name, RN_PHASE_NAME, "%s", k == 0 ? "water" : "oil");
    }
    def->phases[1].rest_density = (float)(1000 / ratio);
}

rn_fluid_def rni_lab_two_def(const rni_lab *lab, double spacing, const double size[3], double ratio)
{
    rn_fluid_def def = rni_lab_water_def(lab, 2, spacing, size);
    rni_lab_two_fluids(&def, ratio);
    return def;
}

rn_result rni_lab_water_make(const rn_fluid_def *def, const double low[3], const double high[3],
                             double jitter, rn_fluid **fluid)
{
    rn_fluid_block block = rn_fluid_block_default();
    block.jitter = (float)jitter;
    for (int a = 0; a < 3; a++) {
        block.low[a] = (float)low[a];
        block.high[a] = (float)high[a];
    }
    *fluid = NULL;
    rn_result result = rn_fluid_create(def, fluid);
    if (result == RN_OK) result = rn_fluid_add_block(*fluid, &block, NULL);
    if (result == RN_OK) return RN_OK;
    rn_fluid_destroy(*fluid);
    *fluid = NULL;
    return result;
}

rn_result rni_lab_wall_mesh(const char *name, uint32_t triangles, const char *const *settings,
                            uint32_t setting_count, rn_wall_mesh **mesh)
{
    rn_mesh_make_def def = rn_mesh_make_def_default();
    rn_mesh_data *data = NULL;
    def.name = name;
    def.triangles = triangles;
    def.setting = settings;
    def.setting_count = setting_count;
    rn_result result = rn_mesh_make(&def, &data);
    if (result != RN_OK) return result;
    const rn_mesh made = rn_mesh_data_get_mesh(data);
    result = rn_wall_mesh_create(NULL, &made, mesh);
    rn_mesh_data_destroy(data);
    return result;
}

/* The place of lattice point i, counted along x first. */
static void lattice_point(uint32_t i, const uint32_t side[3], double spacing, double position[3])
{
    const uint32_t at[3] = {i % side[0], i / side[0] % side[1], i / (side[0] * side[1])};
    for (int a = 0; a < 3; a++) position[a] = (at[a] + 0.5) * spacing;
}

rn_result rni_lab_water_place(rn_fluid *fluid, uint32_t dim, double spacing, const double size[3],
                              rni_lab_place place, void *user)
{
    uint32_t side[3] = {1, 1, 1};
    for (uint32_t a = 0; a < dim; a++) side[a] = (uint32_t)lround(size[a] / spacing);
    const uint32_t count = side[0] * side[1] * side[2];
    float *position = malloc((size_t)count * 6 * sizeof *position);
    if (!position) return rni_fail(RN_ERROR_MEMORY, "no memory for %u particles", count);
    float *velocity = position + 3 * (size_t)count;
    for (uint32_t i = 0; i < count; i++) {
        double x[3], v[3] = {0, 0, 0};
        lattice_point(i, side, spacing, x);
        place(user, x, v);
        for (uint32_t a = 0; a < 3; a++) {
            position[3 * (size_t)i + a] = (float)(a < dim ? x[a] : 0);
            velocity[3 * (size_t)i + a] = (float)(a < dim ? v[a] : 0);
        }
    }
    rn_fluid_added added = rn_fluid_added_default();
    rn_result result = rn_fluid_add_particles(fluid, position, velocity, count, &added);
    free(position);
    if (result == RN_OK && added.added != count)
        return rni_fail(RN_ERROR_ARGUMENT, "%u of %u particles have no place in the tank",
                        count - added.added, count);
    return result;
}

double rni_lab_water_pressed(const rn_fluid *fluid, double depth, double y)
{
    const double exponent = (double)rn_fluid_get_params(fluid).exponent;
    const double share = (exponent - 1) / exponent, weight = 1000 * RNI_LAB_GRAVITY;
    const double length = (double)rni_fluid_derived_of(fluid).stiffness / weight;
    if (!(share > 0)) return y;
    return length / share * (pow(1 + depth / length, share) - pow(1 + (depth - y) / length, share));
}

double rni_lab_water_center(const rn_fluid *fluid, int axis)
{
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    double sum = 0;
    for (uint32_t i = 0; i < p.count; i++) sum += (double)p.position[i][axis];
    return p.count ? sum / p.count : 0;
}

double rni_lab_water_rms(const rn_fluid *fluid, const rn_fluid_report *report)
{
    double mass = report->particles * (double)rni_fluid_derived_of(fluid).mass;
    return mass > 0 ? sqrt(2 * report->kinetic / mass) : 0;
}

rni_lab_sensor rni_lab_sensor_make(const rn_fluid *fluid, uint32_t dim, double spacing,
                                   const double at[3], double radius)
{
    enum { PARTS = 16 };
    rni_lab_sensor sensor = {{at[0], at[1], at[2]}, fmax(radius, 2 * spacing), 0};
    const double step = 2 * sensor.radius / PARTS;
    for (uint32_t k = 0; k < (dim == 3 ? PARTS * PARTS * PARTS : PARTS * PARTS); k++) {
        const uint32_t cell[3] = {k % PARTS, k / PARTS % PARTS, k / (PARTS * PARTS)};
        double distance_sq = 0;
        float x[3] = {0, 0, 0};
        for (uint32_t a = 0; a < (dim == 3 ? 3 : 2); a++) {
            const double d = (cell[a] + 0.5) * step - sensor.radius;
            x[a] = (float)(at[a] + d);
            distance_sq += d * d;
        }
        if (distance_sq <= sensor.radius * sensor.radius && rn_fluid_get_wall_distance(fluid, x) > 0)
            sensor.full += pow(step / spacing, dim);
    }
    return sensor;
}

/* Below this share of particles a sensor is not wet everywhere; above, their number varies too. */
#define MOSTLY 0.75

double rni_lab_sensor_read(const rni_lab_sensor *sensor, const rn_fluid *fluid)
{
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    double sum = 0, count = 0;
    for (uint32_t i = 0; i < p.count; i++) {
        double distance_sq = 0;
        for (int a = 0; a < 3; a++) {
            const double d = (double)p.position[i][a] - sensor->at[a];
            distance_sq += d * d;
        }
        if (distance_sq > sensor->radius * sensor->radius) continue;
        sum += (double)p.pressure[i];
        count++;
    }
    return sum / fmax(count, MOSTLY * sensor->full);
}
