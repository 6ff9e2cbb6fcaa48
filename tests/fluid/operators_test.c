/* What a user's own function in the step can do with the neighbours of the particles. */
#include "water_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static rn_fluid *make_tank(rn_fluid_traversal traversal, bool is_periodic)
{
    rn_fluid_def def = water_def(3, 0.05f, 0.6f, 0.5f, 0.4f);
    def.traversal = traversal;
    def.threads = 2;
    def.periodic[2] = is_periodic;
    rn_fluid *fluid = water_create(&def);
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.4f, 0.4f, 0.4f}, 0.1f);
    return fluid;
}

static bool has(rn_list list, uint32_t i)
{
    for (uint32_t k = 0; k < list.count; k++)
        if (list.index[k] == i) return true;
    return false;
}

typedef struct watcher {
    rn_fluid *fluid;
    uint32_t calls;
} watcher;

/* Lists are those of the positions that the operator sees: by brute force, symmetric, without the
 * particle itself. */
static rn_result watch(void *user, rn_fluid_stage stage, double time, float dt,
                       const rn_fluid_particles *p)
{
    (void)time, (void)dt, (void)stage;
    watcher *w = user;
    rn_neighbors n, again;
    assert_ok(rn_fluid_get_neighbors(w->fluid, &n));
    assert_ok(rn_fluid_get_neighbors(w->fluid, &again));
    assert_memory_equal(&n, &again, sizeof n);
    assert_int_equal(n.count, p->count);
    const float h = rni_fluid_derived_of(w->fluid).radius;
    for (uint32_t i = w->calls % 7; i < p->count; i += 7) {
        const rn_list list = rn_neighbors_get_list(&n, i);
        uint32_t inside = 0;
        for (uint32_t j = 0; j < p->count; j++) {
            float r_sq = 0;
            for (int a = 0; a < 3; a++) {
                float d = p->position[i][a] - p->position[j][a];
                if (a == 2) d = remainderf(d, 0.4f); /* the period */
                r_sq += d * d;
            }
            inside += j != i && r_sq <= h * h * 0.9999f;
            if (j != i && r_sq <= h * h * 0.9999f) assert_true(has(list, j));
        }
        assert_true(list.count >= inside);
        assert_false(has(list, i));
        for (uint32_t k = 0; k < list.count; k++)
            assert_true(has(rn_neighbors_get_list(&n, list.index[k]), i));
    }
    w->calls++;
    return RN_OK;
}

static void operators_see_the_neighbours_of_every_stage(void **state)
{
    (void)state;
    for (int traversal = 0; traversal < 2; traversal++) {
        rn_fluid *fluid = make_tank((rn_fluid_traversal)traversal, true);
        watcher w = {.fluid = fluid};
        for (int stage = 0; stage < 3; stage++)
            assert_ok(rn_fluid_add_operator(fluid, (rn_fluid_stage)stage, watch, &w, NULL));
        water_steps(fluid, 3);
        assert_int_equal(w.calls, 9);
        rn_fluid_particles p = rn_fluid_get_particles(fluid);
        assert_ok(watch(&w, RN_STAGE_END, 0, 0, &p)); /* and between two steps */
        rn_fluid_destroy(fluid);
    }
}

/* Dye in whole units: what one particle of a pair gives the other receives, so nothing is lost. */
static rn_result diffuse(void *user, rn_fluid_stage stage, double time, float dt,
                         const rn_fluid_particles *p)
{
    (void)stage, (void)time, (void)p;
    rn_fluid *fluid = user;
    rn_neighbors n;
    rn_fluid_span dye;
    rn_result result = rn_fluid_get_neighbors(fluid, &n);
    if (result == RN_OK) result = rn_fluid_get_attribute(fluid, "dye", &dye);
    if (result != RN_OK) return result;
    uint32_t *amount = dye.data;
    int64_t *change = calloc(n.count + (size_t)1, sizeof *change);
    if (!change) return RN_ERROR_MEMORY;
    const double rate = 20.0 * (double)dt;
    for (uint32_t i = 0; i < n.count; i++) {
        const rn_list list = rn_neighbors_get_list(&n, i);
        for (uint32_t k = 0; k < list.count; k++) {
            const uint32_t j = list.index[k];
            if (j < i) continue; /* each pair once */
            const double difference = (double)amount[i] - (double)amount[j];
            const int64_t flux = (int64_t)llround(rate * difference);
            change[i] -= flux, change[j] += flux;
        }
    }
    for (uint32_t i = 0; i < n.count; i++) amount[i] = (uint32_t)((int64_t)amount[i] + change[i]);
    free(change);
    return RN_OK;
}

#define DYE 1000000000u

/* Of particles by id; the total is returned. */
static uint64_t dye_of(rn_fluid *fluid, uint32_t *by_id)
{
    const rn_fluid_particles p = rn_fluid_get_particles(fluid);
    rn_fluid_span dye;
    assert_ok(rn_fluid_get_attribute(fluid, "dye", &dye));
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p.count; i++) {
        by_id[p.id[i]] = ((const uint32_t *)dye.data)[i];
        sum += by_id[p.id[i]];
    }
    return sum;
}

static void a_diffusion_of_the_user_conserves_what_it_spreads(void **state)
{
    (void)state;
    uint32_t *by_id[2], count = 0;
    for (int traversal = 0; traversal < 2; traversal++) {
        rn_fluid *fluid = make_tank((rn_fluid_traversal)traversal, false);
        const rn_fluid_attribute_info info = {"dye", "", 1, RN_ATTRIBUTE_UINT32};
        assert_ok(rn_fluid_add_attribute(fluid, &info));
        const rn_fluid_particles p = rn_fluid_get_particles(fluid);
        count = p.count;
        by_id[traversal] = calloc(count, sizeof(uint32_t));
        rn_fluid_span dye;
        assert_ok(rn_fluid_get_attribute(fluid, "dye", &dye));
        uint64_t all = 0;
        for (uint32_t i = 0; i < count; i++)
            if (p.position[i][0] < 0.2f) ((uint32_t *)dye.data)[i] = DYE, all += DYE;
        assert_ok(rn_fluid_add_operator(fluid, RN_STAGE_END, diffuse, fluid, NULL));
        water_steps(fluid, 20);
        assert_true(dye_of(fluid, by_id[traversal]) == all);
        uint32_t spread = 0;
        for (uint32_t k = 0; k < count; k++)
            spread += by_id[traversal][k] > DYE / 100 && by_id[traversal][k] < DYE - DYE / 100;
        assert_in_range(spread, count / 10, count);
        rn_fluid_destroy(fluid);
    }
    for (uint32_t k = 0; k < count; k++) {
        const double left = (double)by_id[0][k], right = (double)by_id[1][k];
        if (fabs(left - right) > 1e-3 * DYE) fail_msg("id %u: %g and %g", k, left, right);
    }
    free(by_id[0]);
    free(by_id[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_see_the_neighbours_of_every_stage),
        cmocka_unit_test(a_diffusion_of_the_user_conserves_what_it_spreads),
    };
    return cmocka_run_group_tests_name("fluid.operators", tests, NULL, NULL);
}
