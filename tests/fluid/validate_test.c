/* Each validator passes on a fluid as a step leaves it, and notices a structure that was broken on
 * purpose. */
#include "water_test.h"

#include "fluid/passes.h"
#include "fluid/stages.h"
#include "fluid/validate.h"
#include "fluid/walls.h"

#include <math.h>
#include <string.h>

static rn_fluid *make_fluid(rn_fluid_preset preset, rn_fluid_traversal traversal)
{
    rn_fluid_def def = water_def_of(preset, 3, 0.05f, 0.6f, 0.5f, 0.4f);
    def.traversal = traversal;
    def.threads = 1;
    rn_fluid *fluid = water_create(&def);
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.3f, 0.3f, 0.4f}, 0.1f);
    water_steps(fluid, 3);
    const rni_evaluation start = {.since = 0};
    assert_ok(rni_evaluate(fluid, &start));
    return fluid;
}

static const char *(*const all[])(const rn_fluid *fluid) = {
    rni_validate_sort,     rni_validate_neighbors, rni_validate_boundaries, rni_validate_density,
    rni_validate_pressure, rni_validate_forces,    rni_validate_collide,    rni_validate_state};

static void expect(const char *problem, const char *word)
{
    if (!problem) fail_msg("nothing was noticed where '%s' was expected", word);
    if (!strstr(problem, word)) fail_msg("'%s' does not say '%s'", problem, word);
}

static void validators_pass_after_an_evaluation(void **state)
{
    (void)state;
    for (int traversal = 0; traversal < 2; traversal++) {
        rn_fluid *corrected = make_fluid(RN_PRESET_BALANCED, (rn_fluid_traversal)traversal);
        rn_fluid *f = make_fluid(RN_PRESET_CLASSIC, (rn_fluid_traversal)traversal);
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            if (all[k](corrected)) fail_msg("corrected, validator %zu: %s", k, all[k](corrected));
            if (all[k](f)) fail_msg("validator %zu: %s", k, all[k](f));
        }
        rni_integrate_full(corrected, 1e-4f);
        assert_null(rni_validate_integrate(corrected));
        rn_fluid_destroy(corrected);
        rni_pass_run(f, &rni_pass_forces, &(rni_pass_arrays){.store = {f->now.acceleration[0]}});
        assert_null(rni_validate_pair_forces(f));
        rni_integrate_full(f, 1e-4f);
        assert_null(rni_validate_integrate(f));
        rn_fluid_destroy(f);
    }
}

static void broken_sorts_and_neighbours_are_noticed(void **state)
{
    (void)state;
    rn_fluid *f = make_fluid(RN_PRESET_BALANCED, RN_TRAVERSAL_FUSED);
    const uint32_t last = f->cells.start[f->cells.cell_count];
    f->cells.start[f->cells.cell_count]--;
    expect(rni_validate_sort(f), "last cell");
    f->cells.start[f->cells.cell_count] = last;
    rni_record first;
    memcpy(first, f->now.position[0], sizeof first);
    memcpy(f->now.position[0], f->now.position[f->now.count - 1], sizeof first);
    expect(rni_validate_sort(f), "wrong cell");
    memcpy(f->now.position[0], first, sizeof first);
    assert_null(rni_validate_sort(f));
    for (uint32_t i = 0; i < f->now.count; i++) f->neighbor_count[i]++;
    expect(rni_validate_neighbors(f), "more neighbours");
    expect(rni_validate_density(f), "more neighbours");
    for (uint32_t i = 0; i < f->now.count; i++) f->neighbor_count[i] -= 2;
    expect(rni_validate_neighbors(f), "fewer neighbours");
    rn_fluid_destroy(f);
}

static void broken_evaluations_are_noticed(void **state)
{
    (void)state;
    rn_fluid *f = make_fluid(RN_PRESET_CLASSIC, RN_TRAVERSAL_LISTS);
    f->walls->share[5] = NAN;
    expect(rni_validate_boundaries(f), "not finite");
    f->walls->share[5] = 1;
    expect(rni_validate_boundaries(f), "1 or more");
    f->walls->share[5] = 0.5f;
    f->walls->touch[5].push[1] = INFINITY;
    expect(rni_validate_boundaries(f), "not finite");
    const float density = f->density[7];
    f->density[7] = 0;
    expect(rni_validate_density(f), "density");
    f->density[7] = density;
    f->pressure[7] = -1;
    expect(rni_validate_pressure(f), "negative");
    f->pressure[7] = NAN;
    expect(rni_validate_pressure(f), "not finite");
    f->pressure[7] = 0;
    rni_pass_run(f, &rni_pass_forces, &(rni_pass_arrays){.store = {f->now.acceleration[0]}});
    assert_null(rni_validate_pair_forces(f));
    for (uint32_t i = 0; i < f->now.count; i++) f->now.acceleration[i][1] += 1e3f;
    expect(rni_validate_pair_forces(f), "sum to zero");
    rn_fluid_destroy(f);
}

/* Suction is a pressure there; what walls give is all checked. */
static void broken_evaluations_of_the_corrected_scheme_are_noticed(void **state)
{
    (void)state;
    rn_fluid *f = make_fluid(RN_PRESET_BALANCED, RN_TRAVERSAL_FUSED);
    f->pressure[7] = -1;
    assert_null(rni_validate_pressure(f));
    f->def.params.negative_pressure = false;
    expect(rni_validate_pressure(f), "negative");
    for (uint32_t i = 0; i < f->now.count; i++) f->pressure[i] = NAN;
    expect(rni_validate_pressure(f), "not finite");
    f->walls->share[5] = 0.5f;
    memset(&f->walls->touch[5], 0, sizeof f->walls->touch[5]);
    memset(&f->walls->moments[5], 0, sizeof f->walls->moments[5]);
    float *const fields[] = {&f->walls->moments[5].moment[5], &f->walls->moments[5].along[0],
                             &f->walls->moments[5].crowd[1], &f->walls->moments[5].closing[2],
                             &f->walls->moments[5].closing_velocity};
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        assert_null(rni_validate_boundaries(f));
        *fields[k] = NAN;
        expect(rni_validate_boundaries(f), "not finite");
        *fields[k] = 0;
    }
    rn_fluid_destroy(f);
}

static void broken_motions_are_noticed(void **state)
{
    (void)state;
    rn_fluid *f = make_fluid(RN_PRESET_BALANCED, RN_TRAVERSAL_FUSED);
    rni_integrate_full(f, 1e-4f);
    f->now.position[3][0] += 0.1f;
    expect(rni_validate_integrate(f), "further than its speed");
    for (uint32_t i = 0; i < f->now.count; i++) f->now.position[i][1] = -0.1f;
    expect(rni_validate_collide(f), "behind a wall");
    f->now.velocity[3][2] = NAN;
    expect(rni_validate_state(f), "not finite");
    f->now.velocity[3][2] = 0;
    f->next_id = 0;
    expect(rni_validate_state(f), "id");
    rn_fluid_destroy(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(validators_pass_after_an_evaluation),
        cmocka_unit_test(broken_sorts_and_neighbours_are_noticed),
        cmocka_unit_test(broken_evaluations_are_noticed),
        cmocka_unit_test(broken_evaluations_of_the_corrected_scheme_are_noticed),
        cmocka_unit_test(broken_motions_are_noticed),
    };
    return cmocka_run_group_tests_name("fluid.validate", tests, NULL, NULL);
}
