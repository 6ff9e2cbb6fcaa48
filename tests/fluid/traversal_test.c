/* The two traversals are twins: the fused one, at every instruction set, gives what the plain one gives, to
 * rounding; and the same bits for any number of threads. */
#include "fact.h"

#include "fluid/derived.h"
#include "fluid/fused.h"
#include "fluid/lists.h"
#include "fluid/passes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct world {
    uint32_t dim;
    uint32_t periodic; /* a bit an axis */
    rn_fluid_kernels kernels;
    rn_fluid_tension tension;
    bool smooth, bare;
    rn_fluid_scheme scheme;
} world;

static rn_fluid_def def_of(rn_fluid_scheme scheme)
{
    return rn_fluid_def_of_preset(scheme == RN_SCHEME_WCSPH ? RN_PRESET_CLASSIC : RN_PRESET_BALANCED);
}

/* A block of disordered water, moving, in a box that it does not fill. */
static rn_fluid *make(const world *w, rn_fluid_traversal traversal, rn_cpu_level cpu,
                      uint32_t threads, float size)
{
    rn_fluid_def def = def_of(w->scheme);
    def.dim = w->dim;
    def.spacing = 0.1f;
    def.kernels = w->kernels;
    def.bare_walls = w->bare;
    def.traversal = traversal;
    def.cpu = cpu;
    def.threads = threads;
    for (uint32_t a = 0; a < w->dim; a++) {
        def.periodic[a] = w->periodic >> a & 1u;
        def.domain_low[a] = -0.3f;
        def.domain_high[a] = def.periodic[a] ? size - 0.3f : size + 0.5f;
    }
    def.params.tension = w->tension;
    def.params.smooth_normals = w->smooth;
    def.params.cohesion = 1.0f;
    def.params.curvature = 1.0f;
    def.params.viscosity = 10.0f;
    rn_fluid *fluid = NULL;
    assert_int_equal(rn_fluid_create(&def, &fluid), RN_OK);
    rn_fluid_block block = rn_fluid_block_default();
    for (uint32_t a = 0; a < w->dim; a++) {
        block.low[a] = -0.3f;
        block.high[a] = size - 0.3f;
        block.velocity[a] = 0.3f * (float)(a + 1);
    }
    block.jitter = 0.13f;
    assert_int_equal(rn_fluid_add_block(fluid, &block, NULL), RN_OK);
    return fluid;
}

static float largest(float (*records)[4], uint32_t count)
{
    float most = 0;
    for (uint32_t i = 0; i < count; i++)
        for (int a = 0; a < 3; a++) most = fmaxf(most, fabsf(records[i][a]));
    return most;
}

static void assert_near(const char *what, const world *w, uint32_t i, float plain, float fused,
                        float tolerance)
{
    if (fabsf(plain - fused) <= tolerance) return;
    fail_msg("%s of particle %u: plain %.9g, fused %.9g, tolerance %g (dim %u, periodic %u, kernels "
             "%d, tension %d, scheme %d)",
             what, i, (double)plain, (double)fused, (double)tolerance, w->dim, w->periodic,
             (int)w->kernels, (int)w->tension, (int)w->scheme);
}

static bool has_level(rn_cpu_level cpu)
{
    return cpu >= FACT_LEAST_CPU && cpu <= rn_cpu_best();
}

static void compare_step(const world *w, rn_fluid *plain, rn_fluid *fused, bool is_first)
{
    rn_fluid_particles p = rn_fluid_get_particles(plain), q = rn_fluid_get_particles(fused);
    assert_int_equal(p.count, q.count);
    const float most = largest(p.acceleration, p.count);
    for (uint32_t i = 0; i < p.count; i++) {
        assert_int_equal(p.id[i], q.id[i]); /* both sort alike */
        if (is_first) assert_int_equal(p.neighbor_count[i], q.neighbor_count[i]);
        assert_near("density", w, i, p.density[i], q.density[i], 5e-6f * p.density[i]);
        for (int a = 0; a < 3; a++)
            assert_near("acceleration", w, i, p.acceleration[i][a], q.acceleration[i][a],
                        1e-4f * most);
    }
}

/* Two steps of the same water in both traversals, at every instruction set. */
static void compare(const world *w)
{
    const float size = w->dim == 3 ? 1.0f : 2.3f;
    rn_fluid *plain = make(w, RN_TRAVERSAL_LISTS, RN_CPU_PLAIN, 1, size), *fused[4] = {0};
    for (rn_cpu_level cpu = RN_CPU_PLAIN; cpu <= RN_CPU_AVX512; cpu++)
        if (has_level(cpu)) fused[cpu] = make(w, RN_TRAVERSAL_FUSED, cpu, 2, size);
    for (int step = 0; step < 2; step++) {
        assert_int_equal(rn_fluid_step(plain, NULL), RN_OK);
        for (int cpu = 0; cpu < 4; cpu++) {
            if (!fused[cpu]) continue;
            assert_int_equal(rn_fluid_step(fused[cpu], NULL), RN_OK);
            compare_step(w, plain, fused[cpu], step == 0);
        }
    }
    rn_fluid_destroy(plain);
    for (int cpu = 0; cpu < 4; cpu++) rn_fluid_destroy(fused[cpu]);
}

static void fused_gives_what_plain_gives(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++) {
        compare(&(world){dim, 0, RN_KERNELS_WENDLAND, RN_TENSION_NONE, false, false, RN_SCHEME_WCSPH});
        compare(
            &(world){dim, 0, RN_KERNELS_WENDLAND, RN_TENSION_AKINCI, true, false, RN_SCHEME_WCSPH});
        compare(&(world){dim, 0, RN_KERNELS_SPIKY, RN_TENSION_COLOR_FIELD, false, false,
                         RN_SCHEME_WCSPH});
        compare(&(world){dim, 0, RN_KERNELS_SPIKY, RN_TENSION_AKINCI, false, true, RN_SCHEME_WCSPH});
        compare(&(world){dim, 0, RN_KERNELS_PAPERS, RN_TENSION_AKINCI, true, true, RN_SCHEME_WCSPH});
        compare(&(world){dim, 0, RN_KERNELS_PAPERS, RN_TENSION_NONE, false, true, RN_SCHEME_WCSPH});
        for (int kernels = 0; kernels < 2; kernels++)
            for (int tension = 0; tension < 3; tension++)
                compare(&(world){dim, 0, (rn_fluid_kernels)kernels, (rn_fluid_tension)tension,
                                 kernels == 0, false, RN_SCHEME_CORRECTED});
    }
}

static void fused_gives_what_plain_gives_along_any_period(void **state)
{
    (void)state;
    for (uint32_t periodic = 1; periodic <= 7; periodic++)
        compare(&(world){3, periodic, RN_KERNELS_PAPERS, RN_TENSION_AKINCI, periodic == 7, true,
                         RN_SCHEME_WCSPH});
    for (uint32_t periodic = 1; periodic <= 7; periodic++)
        compare(&(world){3, periodic, RN_KERNELS_WENDLAND, RN_TENSION_AKINCI, false, false,
                         RN_SCHEME_CORRECTED});
    for (uint32_t periodic = 1; periodic <= 3; periodic++)
        compare(&(world){2, periodic, RN_KERNELS_WENDLAND, RN_TENSION_NONE, false, false,
                         RN_SCHEME_CORRECTED});
    compare(
        &(world){2, 1, RN_KERNELS_WENDLAND, RN_TENSION_COLOR_FIELD, false, false, RN_SCHEME_WCSPH});
    compare(&(world){2, 2, RN_KERNELS_SPIKY, RN_TENSION_NONE, false, false, RN_SCHEME_WCSPH});
    compare(&(world){2, 3, RN_KERNELS_PAPERS, RN_TENSION_AKINCI, true, true, RN_SCHEME_WCSPH});
}

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    const world worlds[] = {
        {3, 2, RN_KERNELS_PAPERS, RN_TENSION_AKINCI, false, true, RN_SCHEME_WCSPH},
        {3, 2, RN_KERNELS_WENDLAND, RN_TENSION_AKINCI, false, false, RN_SCHEME_CORRECTED}};
    const uint32_t threads[] = {1, 2, 3, 7};
    for (uint32_t n = 0; n < 2 * (RN_CPU_AVX512 + 1); n++) {
        const rn_cpu_level cpu = (rn_cpu_level)(n / 2);
        if (cpu < RN_CPU_PLAIN || !has_level(cpu)) continue;
        uint64_t first = 0;
        for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
            rn_fluid *fluid = make(&worlds[n % 2], RN_TRAVERSAL_FUSED, cpu, threads[k], 1.9f);
            for (int step = 0; step < 6; step++)
                assert_int_equal(rn_fluid_step(fluid, NULL), RN_OK);
            uint64_t hash = rn_fluid_get_state_hash(fluid);
            if (k == 0) first = hash;
            assert_true(hash == first);
            rn_fluid_destroy(fluid);
        }
    }
}

/* --- the middle of a step -------------------------------------------------------------------------- */

/* Who is where, by id: the two traversals need not stand in the same order. */
static uint32_t *places_by_id(const rn_fluid_particles *p)
{
    uint32_t *place = malloc(p->count * sizeof *place);
    assert_non_null(place);
    for (uint32_t i = 0; i < p->count; i++) place[p->id[i]] = i;
    return place;
}

/* Moves some by as much as a search cannot expect. */
static rn_result push_some(void *user, rn_fluid_stage stage, double time, float time_step,
                           const rn_fluid_particles *particles)
{
    (void)stage, (void)time, (void)time_step;
    int *calls = user;
    for (uint32_t i = 0; *calls == 0 && i < particles->count; i++)
        if (particles->id[i] % 7 == 0) particles->position[i][0] += 0.07f;
    *calls += 1;
    return RN_OK;
}

/* One step of the leapfrog in which the fastest moves by `way` radii until its middle. */
static void compare_middle(const world *w, rn_cpu_level cpu, float way, bool is_pushed, bool stays)
{
    rn_fluid *fluid[2];
    uint32_t *place[2];
    rn_fluid_particles p[2];
    for (int k = 0; k < 2; k++) {
        fluid[k] = make(w, k == 0 ? RN_TRAVERSAL_LISTS : RN_TRAVERSAL_FUSED, cpu, 2, 1.0f);
        rn_fluid_params params = rn_fluid_get_params(fluid[k]);
        float speed = 0.3f * sqrtf(w->dim == 3 ? 14.0f : 5.0f);
        params.integrator = RN_INTEGRATOR_LEAPFROG;
        params.time_step = 2 * way * rni_fluid_derived_of(fluid[k]).radius / speed;
        params.stiffness = 1; /* soft: however long the step is, it is not taken back */
        assert_int_equal(rn_fluid_set_params(fluid[k], &params), RN_OK);
        int calls = 0;
        if (is_pushed)
            assert_int_equal(
                rn_fluid_add_operator(fluid[k], RN_STAGE_FORCES, push_some, &calls, NULL), RN_OK);
        assert_int_equal(rn_fluid_step(fluid[k], NULL), RN_OK);
        if (is_pushed) assert_int_equal(calls, 2);
        p[k] = rn_fluid_get_particles(fluid[k]);
        place[k] = places_by_id(&p[k]);
    }
    assert_int_equal(((fused_state *)fluid[1]->traversal_state)->is_reused, stays);
    assert_int_equal(p[0].count, p[1].count);
    const float most = largest(p[0].acceleration, p[0].count);
    for (uint32_t id = 0; id < p[0].count; id++) {
        const uint32_t i = place[0][id], j = place[1][id];
        assert_int_equal(p[0].neighbor_count[i], p[1].neighbor_count[j]);
        assert_near("density", w, i, p[0].density[i], p[1].density[j], 5e-6f * p[0].density[i]);
        for (int a = 0; a < 3; a++)
            assert_near("acceleration", w, i, p[0].acceleration[i][a], p[1].acceleration[j][a],
                        1e-4f * most);
    }
    for (int k = 0; k < 2; k++) {
        free(place[k]);
        rn_fluid_destroy(fluid[k]);
    }
}

static void the_middle_of_a_step_has_its_own_neighbors(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++) {
        const world w = {dim,   0,    RN_KERNELS_WENDLAND, RN_TENSION_NONE,
                         false, true, RN_SCHEME_WCSPH};
        const world tense = {dim,  0,    RN_KERNELS_PAPERS, RN_TENSION_AKINCI,
                             true, true, RN_SCHEME_WCSPH};
        const world folded = {dim,   1,    RN_KERNELS_WENDLAND, RN_TENSION_NONE,
                              false, true, RN_SCHEME_WCSPH};
        for (rn_cpu_level cpu = RN_CPU_PLAIN; cpu <= RN_CPU_AVX512; cpu++) {
            if (!has_level(cpu)) continue;
            compare_middle(&w, cpu, 0.0001f, false, true);
            compare_middle(&tense, cpu, 0.004f, false, true);
            compare_middle(&tense, cpu, 0.02f, false, true);
            compare_middle(&w, cpu, 0.02f, false, true);
            compare_middle(&w, cpu, 0.045f, false, true);
            compare_middle(&w, cpu, 0.2f, false, false);
            compare_middle(&w, cpu, 0.02f, true, false);
            compare_middle(&folded, cpu, 0.02f, false, false);
        }
    }
}

/* --- crowds and hermits, by hand ------------------------------------------------------------------ */

/* Puts `count` particles where place() says and evaluates once; the fluid's own block is left out. */
static void put(rn_fluid *f, uint32_t count, void (*place)(uint32_t i, float x[3]))
{
    assert_true(count <= f->now.count);
    f->now.count = count;
    for (uint32_t i = 0; i < count; i++) {
        float x[3] = {0, 0, 0};
        place(i, x);
        memcpy(f->now.position[i], x, sizeof x);
    }
    assert_int_equal(rni_fluid_sort(f, 0, NULL), RN_OK);
    assert_int_equal(f->traversal->search(f), RN_OK);
    assert_int_equal(f->traversal->density(f), RN_OK);
    for (uint32_t i = 0; i < count; i++) f->pressure[i] = f->density[i];
    if (f->normal) rni_pass_run(f, &rni_pass_normals, &(rni_pass_arrays){.store = {f->normal[0]}});
    rni_pass_run(f, &rni_pass_forces, &(rni_pass_arrays){.store = {f->now.acceleration[0]}});
}

static void at_one_place(uint32_t i, float x[3])
{
    (void)i;
    x[0] = x[1] = x[2] = 0.5f;
}

static void in_one_cell(uint32_t i, float x[3])
{
    for (uint32_t a = 0; a < 3; a++) x[a] = 0.5f + 0.0004f * (float)((i * (7 + 4 * a)) % 101);
}

static void far_apart(uint32_t i, float x[3])
{
    for (uint32_t a = 0; a < 3; a++) x[a] = 100.0f * (float)((i * (7 + 4 * a)) % 101);
}

static void in_a_line(uint32_t i, float x[3])
{
    x[0] = 0.1f * (float)i;
}

/* What viscosity may leave between particles of one speed, as sums that cancel: some roundings of the
 * largest force it could make of that speed, in both traversals; the list traversal adds up all neighbours one
 * after the other, with half a unit in the last place for each. */
static float own_drag_rounding(const rn_fluid *f, uint32_t i)
{
    const float *v = f->now.velocity[i], inverse = 1 / f->density[i];
    const float speed = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const float many = (float)(f->neighbor_count[i] + 1);
    const float force = many * f->laws.viscosity * 2 * f->laws.h * inverse * inverse * speed;
    return (2e-6f + 0.5f * FLT_EPSILON * many) * force;
}

static void crowds_and_hermits_agree(void **state)
{
    (void)state;
    void (*const places[])(uint32_t, float *) = {at_one_place, in_one_cell, far_apart, in_a_line};
    const uint32_t counts[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 255, 257, 1000};
    const world w = {3, 0, RN_KERNELS_PAPERS, RN_TENSION_AKINCI, false, true, RN_SCHEME_WCSPH};
    rn_fluid *plain = make(&w, RN_TRAVERSAL_LISTS, RN_CPU_PLAIN, 1, 1.3f);
    for (rn_cpu_level cpu = RN_CPU_PLAIN; cpu <= RN_CPU_AVX512; cpu++) {
        if (!has_level(cpu)) continue;
        rn_fluid *fused = make(&w, RN_TRAVERSAL_FUSED, cpu, 2, 1.3f);
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
            for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
                plain->now.count = fused->now.count = 1000;
                put(plain, counts[k], places[p]);
                put(fused, counts[k], places[p]);
                const float most = largest(plain->now.acceleration, counts[k]);
                for (uint32_t i = 0; i < counts[k]; i++) {
                    assert_near("density", &w, i, plain->density[i], fused->density[i],
                                1e-5f * plain->density[i]);
                    assert_int_equal(plain->neighbor_count[i], fused->neighbor_count[i]);
                    for (int a = 0; a < 3; a++)
                        assert_near("acceleration", &w, i, plain->now.acceleration[i][a],
                                    fused->now.acceleration[i][a],
                                    1e-4f * most + own_drag_rounding(plain, i));
                }
            }
        rn_fluid_destroy(fused);
    }
    rn_fluid_destroy(plain);
}

/* --- the checkers of lists ------------------------------------------------------------------------- */

/* Sets a number of the lists, which the checker has to see, and puts the old one back. */
static void damage(const rn_fluid *f, uint32_t *number, uint32_t value)
{
    const uint32_t old = *number;
    *number = value;
    const char *wrong = f->traversal->check(f);
    if (!wrong) fail_msg("%u instead of %u in a list is not seen", value, old);
    *number = old;
    assert_null(f->traversal->check(f));
}

static void a_damaged_list_of_quads_is_seen(void **state)
{
    (void)state;
    for (uint32_t periodic = 0; periodic < 2; periodic++) {
        const world w = {3,     periodic, RN_KERNELS_WENDLAND, RN_TENSION_NONE,
                         false, false,    RN_SCHEME_WCSPH};
        rn_fluid *f = make(&w, RN_TRAVERSAL_FUSED, RN_CPU_PLAIN, 1, 1.0f);
        assert_int_equal(rn_fluid_step(f, NULL), RN_OK);
        assert_null(f->traversal->check(f));
        const fused_state *s = f->traversal_state;
        uint32_t *head = (uint32_t *)s->lists.numbers.data + s->lists.begin[0];
        uint32_t *entries = head + FUSED_HEAD;
        damage(f, &head[0], 1);
        damage(f, &head[1], (head[1] & ~3u) | ((head[1] + 1) & 3u));
        damage(f, &head[2], head[2] + 1);
        damage(f, &head[3], head[3] - 2);
        damage(f, &head[3], head[2] + 4);
        damage(f, &entries[1], entry_of(f->now.count + 1, FUSED_NO_IMAGE, periodic));
        damage(f, &entries[1], s->filler);
        damage(f, &s->lists.length[0], 0);
        if (periodic) damage(f, &entries[1], entries[1] | 31u << FUSED_IMAGE_SHIFT);
        else damage(f, &entries[1], entries[1] + 1);
        for (uint32_t k = 0; k < head[2]; k++) /* the first particle without itself */
            if (entries[k] == entry_of(head[0], FUSED_NO_IMAGE, periodic))
                damage(f, &entries[k], entries[k + 1]);
        rn_fluid_destroy(f);
    }
}

static void a_damaged_neighbor_list_is_seen(void **state)
{
    (void)state;
    const world w = {3, 0, RN_KERNELS_WENDLAND, RN_TENSION_NONE, false, false, RN_SCHEME_WCSPH};
    rn_fluid *f = make(&w, RN_TRAVERSAL_LISTS, RN_CPU_PLAIN, 1, 1.0f);
    assert_int_equal(rn_fluid_step(f, NULL), RN_OK);
    assert_null(f->traversal->check(f));
    uint32_t *index = (uint32_t *)(uintptr_t)rni_list_of(f, 7).index;
    damage(f, &index[1], f->now.count);
    damage(f, &index[1], 7);
    damage(f, &index[1], index[0]);
    rn_fluid_destroy(f);
}

/* --- memory --------------------------------------------------------------------------------------- */

typedef struct budget {
    int64_t left; /* allocations that succeed; negative: all */
    uint64_t count;
} budget;

static void *budget_allocate(void *user, size_t bytes, size_t alignment)
{
    budget *b = user;
    b->count++;
    if (b->left == 0) return NULL;
    if (b->left > 0) b->left--;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void budget_release(void *user, void *block, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(block);
}

typedef struct stepping {
    rn_fluid_scheme scheme;
    rn_fluid_integrator integrator;
} stepping;

static const stepping steppings[] = {
    {RN_SCHEME_WCSPH, RN_INTEGRATOR_SYMPLECTIC_EULER},
    {RN_SCHEME_WCSPH, RN_INTEGRATOR_LEAPFROG},
    {RN_SCHEME_CORRECTED, RN_INTEGRATOR_SYMPLECTIC_EULER},
    {RN_SCHEME_CORRECTED, RN_INTEGRATOR_KICK_DRIFT},
};

static rn_fluid *make_counted(budget *b, stepping how)
{
    rn_fluid_def def = def_of(how.scheme);
    def.spacing = 0.05f;
    def.threads = 2;
    def.params.integrator = how.integrator;
    def.allocator = (rn_allocator){b, budget_allocate, budget_release};
    for (int a = 0; a < 3; a++) def.domain_high[a] = 1;
    rn_fluid *fluid = NULL;
    assert_int_equal(rn_fluid_create(&def, &fluid), RN_OK);
    rn_fluid_block block = rn_fluid_block_default();
    for (int a = 0; a < 3; a++) block.high[a] = 0.7f;
    block.jitter = 0.1f;
    assert_int_equal(rn_fluid_add_block(fluid, &block, NULL), RN_OK);
    return fluid;
}

static void after_warm_up_nothing_is_allocated(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof steppings / sizeof *steppings; n++) {
        budget b = {-1, 0};
        rn_fluid *fluid = make_counted(&b, steppings[n]);
        for (int k = 0; k < 10; k++) assert_int_equal(rn_fluid_step(fluid, NULL), RN_OK);
        const uint64_t before = b.count;
        for (int k = 0; k < 30; k++) assert_int_equal(rn_fluid_step(fluid, NULL), RN_OK);
        assert_int_equal(b.count, before);
        rn_fluid_destroy(fluid);
    }
}

static void fail_at_every_allocation(stepping how)
{
    budget all = {-1, 0};
    rn_fluid *unbroken = make_counted(&all, how);
    assert_int_equal(rn_fluid_step(unbroken, NULL), RN_OK);
    const uint64_t hash = rn_fluid_get_state_hash(unbroken);
    rn_fluid_destroy(unbroken);
    for (int64_t n = 0;; n++) {
        budget b = {-1, 0};
        rn_fluid *fluid = make_counted(&b, how);
        b.left = n;
        rn_result result = rn_fluid_step(fluid, NULL);
        if (result != RN_OK) {
            assert_int_equal(result, RN_ERROR_MEMORY);
            b.left = -1;
            assert_int_equal(rn_fluid_step(fluid, NULL), RN_OK);
        }
        b.left = -1;
        assert_true(rn_fluid_get_state_hash(fluid) == hash);
        rn_fluid_destroy(fluid);
        if (result == RN_OK) break;
        assert_true(n < 100);
    }
}

static void without_memory_a_step_fails_and_the_next_goes_on(void **state)
{
    (void)state;
    fail_at_every_allocation((stepping){RN_SCHEME_WCSPH, RN_INTEGRATOR_LEAPFROG});
    fail_at_every_allocation((stepping){RN_SCHEME_CORRECTED, RN_INTEGRATOR_SYMPLECTIC_EULER});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fused_gives_what_plain_gives),
        cmocka_unit_test(fused_gives_what_plain_gives_along_any_period),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(the_middle_of_a_step_has_its_own_neighbors),
        cmocka_unit_test(crowds_and_hermits_agree),
        cmocka_unit_test(a_damaged_list_of_quads_is_seen),
        cmocka_unit_test(a_damaged_neighbor_list_is_seen),
        cmocka_unit_test(after_warm_up_nothing_is_allocated),
        cmocka_unit_test(without_memory_a_step_fails_and_the_next_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
