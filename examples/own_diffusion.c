/* Physics of your own: heat diffuses through the water. A new attribute holds the temperature; an operator
 * exchanges heat between neighbours (Cleary and Monaghan 1999). The fluid sorts, saves and restores the
 * attribute with the particles.
 *
 *     cc own_diffusion.c -o own_diffusion $(pkg-config --cflags --libs runnel) -lm
 *     ./own_diffusion
 */
#include <runnel/fluid.h>

#include <math.h>
#include <stdio.h>

typedef struct heat {
    rn_fluid *fluid;
    float diffusivity; /* m^2/s */
    float spacing;     /* m */
    float radius;      /* m: kernel support */
} heat;

static float *temperatures(const rn_fluid *fluid)
{
    rn_fluid_span span;
    return rn_fluid_get_attribute(fluid, "temperature", &span) == RN_OK ? span.data : NULL;
}

/* Every pair exchanges as much as one gives to the other: the sum of all temperatures stays the same. */
static rn_result diffuse(void *user, rn_fluid_stage stage, double time, float time_step,
                         const rn_fluid_particles *p)
{
    const heat *h = user;
    rn_neighbors neighbors;
    rn_result result = rn_fluid_get_neighbors(h->fluid, &neighbors);
    float *temperature = temperatures(h->fluid);
    (void)stage, (void)time;
    if (result != RN_OK) return result;
    /* -W'(r) / r of the kernel W = 15 / (2 pi radius^3) (1 - r / radius)^2. */
    const float radius = h->radius, scale = 15 / (3.14159265f * powf(radius, 4));
    const float volume = powf(h->spacing, 3);
    for (uint32_t i = 0; i < p->count; i++) {
        rn_list list = rn_neighbors_get_list(&neighbors, i);
        for (uint32_t k = 0; k < list.count && list.index[k] < i; k++) { /* each pair once */
            uint32_t j = list.index[k];
            float dx = p->position[i][0] - p->position[j][0];
            float dy = p->position[i][1] - p->position[j][1];
            float dz = p->position[i][2] - p->position[j][2];
            float r = sqrtf(dx * dx + dy * dy + dz * dz) + 1e-6f * radius;
            float slope = scale * (1 - r / radius) / r;
            float flow = 2 * h->diffusivity * volume * slope * (temperature[j] - temperature[i]);
            temperature[i] += time_step * flow;
            temperature[j] -= time_step * flow;
        }
    }
    return RN_OK;
}

int main(void)
{
    rn_fluid_def def = rn_fluid_def_default();
    def.spacing = 0.05f;
    def.threads = 1;
    def.domain_high[0] = 1, def.domain_high[1] = def.domain_high[2] = 0.4f;
    rn_fluid_block water = rn_fluid_block_default();
    water.high[0] = 1, water.high[1] = 0.3f, water.high[2] = 0.4f;
    heat h = {.diffusivity = 0.02f, .spacing = def.spacing};
    rn_fluid_derived derived = rn_fluid_derived_default();
    const rn_fluid_attribute_info info = {"temperature", "K", 1, RN_ATTRIBUTE_FLOAT};
    rn_result result = rn_fluid_create(&def, &h.fluid);
    if (result == RN_OK) result = rn_fluid_get_derived(h.fluid, &derived);
    h.radius = derived.radius;
    if (result == RN_OK) result = rn_fluid_add_attribute(h.fluid, &info);
    if (result == RN_OK) result = rn_fluid_add_block(h.fluid, &water, NULL);
    if (result == RN_OK) result = rn_fluid_add_operator(h.fluid, RN_STAGE_END, diffuse, &h, NULL);
    double before = 0, after = 0, cold_end = 0;
    if (result == RN_OK) { /* the left half is warm */
        rn_fluid_particles p = rn_fluid_get_particles(h.fluid);
        for (uint32_t i = 0; i < p.count; i++)
            before += temperatures(h.fluid)[i] = p.position[i][0] < 0.5f ? 80.0f : 20.0f;
    }
    while (result == RN_OK && rn_fluid_get_time(h.fluid) < 1) result = rn_fluid_step(h.fluid, NULL);
    if (result != RN_OK) {
        fprintf(stderr, "%s\n", rn_last_error());
        rn_fluid_destroy(h.fluid);
        return 1;
    }
    rn_fluid_particles p = rn_fluid_get_particles(h.fluid);
    for (uint32_t i = 0; i < p.count; i++) {
        after += (double)temperatures(h.fluid)[i];
        if (p.position[i][0] > 0.8f) cold_end = fmax(cold_end, (double)temperatures(h.fluid)[i]);
    }
    printf("mean %.3f degrees before, %.3f after; the cold end has reached %.1f\n",
           before / p.count, after / p.count, cold_end);
    rn_fluid_destroy(h.fluid);
    return fabs(after / before - 1) < 1e-4 && cold_end > 20.5 ? 0 : 1;
}
