/* Passes give what the equations say: the library's own, and four that only this test has, against sums over all
 * pairs in double; in both traversals, at every instruction set, with the same bits for any number of threads. */
#include "fluid/water_test.h"

#include "fluid/iterated_passes.h"
#include "fluid/kernels.h"
#include "fluid/passes.h"
#include "fluid/traversal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- a fluid, ready for passes -------------------------------------------------------------------- */

typedef struct world {
    uint32_t dim, periodic; /* a bit an axis */
    rn_fluid_kernels kernels;
    rn_fluid_tension tension;
} world;

typedef struct loop {
    rn_fluid_traversal traversal;
    rn_cpu_level cpu;
} loop;

/* Arrays of a fluid's particles, with the padding that passes ask for. */
typedef struct arrays {
    float *scalar, *weight, *divergence, *b, *x, *r, *p, *product;
    rni_record *vector, *gradient, *moments[2];
} arrays;

static void *take(uint32_t count, size_t bytes)
{
    void *block = calloc(count + RNI_FLUID_PADDING, bytes);
    assert_non_null(block);
    return block;
}

static rn_fluid *make(const world *w, const loop *l, uint32_t threads)
{
    rn_fluid_def def = water_def_of(RN_PRESET_CLASSIC, w->dim, 0.1f, 0, 0, 0);
    def.kernels = w->kernels, def.traversal = l->traversal, def.cpu = l->cpu, def.threads = threads;
    const float size = w->dim == 3 ? 1.0f : 2.3f;
    rn_fluid_block block = rn_fluid_block_default();
    for (uint32_t a = 0; a < w->dim; a++) {
        def.periodic[a] = w->periodic >> a & 1u;
        def.domain_high[a] = def.periodic[a] ? size : size + 0.5f;
        block.high[a] = size;
    }
    def.params.tension = w->tension;
    def.params.cohesion = def.params.curvature = 1.0f, def.params.viscosity = 10.0f;
    rn_fluid *f = water_create(&def);
    block.jitter = 0.13f;
    assert_ok(rn_fluid_add_block(f, &block, NULL));
    for (uint32_t i = 0; i < f->now.count; i++)
        for (uint32_t a = 0; a < w->dim; a++)
            f->now.velocity[i][a] = sinf(3.0f * f->now.position[i][a] + (float)a);
    assert_ok(rni_fluid_sort(f, 0, NULL));
    assert_ok(f->traversal->search(f));
    assert_ok(f->traversal->density(f));
    for (uint32_t i = 0; i < f->now.count; i++) f->pressure[i] = 100.0f * (f->density[i] - 900.0f);
    assert_null(f->traversal->check(f));
    return f;
}

static arrays make_arrays(const rn_fluid *f)
{
    const uint32_t n = f->now.count;
    arrays a = {take(n, 4),
                take(n, 4),
                take(n, 4),
                take(n, 4),
                take(n, 4),
                take(n, 4),
                take(n, 4),
                take(n, 4),
                take(n, 16),
                take(n, 16),
                {take(n, 16), take(n, 16)}};
    for (uint32_t i = 0; i < n; i++) {
        const float *x = f->now.position[i];
        a.scalar[i] = cosf(2.0f * x[0]) + x[1] * x[2];
        a.weight[i] = 1.0f / f->density[i];
        a.b[i] = sinf(5.0f * x[0]) + (i % 3 == 0 ? 1.0f : -0.5f);
        for (int k = 0; k < 3; k++) a.vector[i][k] = sinf(2.0f * x[k]) + x[(k + 1) % 3];
        a.vector[i][3] = NAN; /* no pass reads the fourth */
    }
    /* What lies behind the last particle must not show. */
    a.scalar[n] = a.weight[n] = a.vector[n][0] = NAN;
    return a;
}

static void free_arrays(arrays *a)
{
    float *const all[] = {a->scalar, a->weight, a->divergence, a->b, a->x, a->r, a->p, a->product};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
    free(a->vector), free(a->gradient), free(a->moments[0]), free(a->moments[1]);
}

static iterated_constants constants_of(const rn_fluid *f)
{
    return (iterated_constants){f->laws.color, 2.0f / powf(f->laws.h, 6)};
}

/* --- pairs in double ------------------------------------------------------------------------------ */

/* x_i - x_j, the shortest; returns the distance. */
static double between(const rn_fluid *f, uint32_t i, uint32_t j, double d[3])
{
    double r_sq = 0;
    for (int a = 0; a < 3; a++) {
        d[a] = (double)f->now.position[i][a] - (double)f->now.position[j][a];
        const double period = (double)f->laws.period[a];
        if (period > 0) d[a] -= period * rint(d[a] / period);
        r_sq += d[a] * d[a];
    }
    return sqrt(r_sq);
}

static void assert_close(const char *what, const loop *l, uint32_t i, double got, double wanted,
                         double tolerance)
{
    if (fabs(got - wanted) <= tolerance) return;
    fail_msg("%s of particle %u: %.9g, should be %.9g, tolerance %g (traversal %d, cpu %d)", what,
             i, got, wanted, tolerance, (int)l->traversal, (int)l->cpu);
}

/* Calls fact for both traversals and every instruction set. */
static void for_each_loop(const world *w, void (*fact)(const world *w, const loop *l))
{
    fact(w, &(loop){RN_TRAVERSAL_LISTS, RN_CPU_PLAIN});
    for (rn_cpu_level cpu = FACT_LEAST_CPU; cpu <= rn_cpu_best(); cpu++)
        fact(w, &(loop){RN_TRAVERSAL_FUSED, cpu});
}

static const world worlds[] = {
    {3, 0, RN_KERNELS_WENDLAND, RN_TENSION_NONE},      {3, 5, RN_KERNELS_SPIKY, RN_TENSION_AKINCI},
    {2, 0, RN_KERNELS_PAPERS, RN_TENSION_AKINCI},      {2, 2, RN_KERNELS_WENDLAND, RN_TENSION_NONE},
    {3, 0, RN_KERNELS_PAPERS, RN_TENSION_COLOR_FIELD},
};
enum { WORLDS = sizeof worlds / sizeof *worlds };

/* --- the library's passes ------------------------------------------------------------------------- */

/* What the equations give to one particle. */
typedef struct exact {
    double density, neighbors, normal[4], force[3];
} exact;

static rni_kernel kernel_of_density(rn_fluid_kernels k)
{
    return k == RN_KERNELS_PAPERS  ? RNI_KERNEL_POLY6
           : k == RN_KERNELS_SPIKY ? RNI_KERNEL_SPIKY
                                   : RNI_KERNEL_WENDLAND;
}

/* The forces of j on i; d = x_i - x_j. */
static void add_forces(const rn_fluid *f, const world *w, uint32_t i, uint32_t j, const double d[3],
                       double r, double force[3])
{
    const double m = (double)f->derived.mass, h = (double)f->derived.radius;
    const double rho_i = (double)f->density[i], rho_j = (double)f->density[j];
    const rni_kernel k = w->kernels == RN_KERNELS_WENDLAND ? RNI_KERNEL_WENDLAND : RNI_KERNEL_SPIKY;
    const double pressure =
        -(double)f->derived.gradient_factor * m * rni_kernel_slope(k, w->dim, h, r) *
        ((double)f->pressure[i] / (rho_i * rho_i) + (double)f->pressure[j] / (rho_j * rho_j));
    const double drag = (double)f->derived.laplacian_factor * (double)f->derived.viscosity * m *
                        rni_kernel_laplacian(RNI_KERNEL_VISCOSITY, w->dim, h, r) / (rho_i * rho_j);
    const bool is_akinci = w->tension == RN_TENSION_AKINCI;
    const double factor = is_akinci ? 2 * (double)f->def.rest_density / (rho_i + rho_j) : 0;
    const double cohesion = factor * (double)f->def.params.cohesion * m *
                            (is_akinci ? rni_cohesion_spline(w->dim, h, r) : 0);
    for (int a = 0; a < 3; a++) {
        force[a] += (pressure - cohesion) * d[a] / r;
        force[a] += drag * ((double)f->now.velocity[j][a] - (double)f->now.velocity[i][a]);
        if (is_akinci)
            force[a] -= factor * (double)f->def.params.curvature *
                        ((double)f->normal[i][a] - (double)f->normal[j][a]);
    }
}

static exact exact_of(const rn_fluid *f, const world *w, uint32_t i)
{
    const double m = (double)f->derived.mass, h = (double)f->derived.radius;
    const rni_kernel k = kernel_of_density(w->kernels);
    exact e = {.density = rni_kernel_value(k, w->dim, h, 0)};
    if (w->tension == RN_TENSION_COLOR_FIELD)
        e.normal[3] =
            m / (double)f->density[i] * rni_kernel_laplacian(RNI_KERNEL_POLY6, w->dim, h, 0);
    for (uint32_t j = 0; j < f->now.count; j++) {
        double d[3];
        const double r = between(f, i, j, d);
        if (j == i || r >= h) continue;
        e.neighbors++;
        e.density += rni_kernel_value(k, w->dim, h, r);
        const double volume = m / (double)f->density[j];
        const double scale = w->tension == RN_TENSION_AKINCI ? h : 1;
        for (int a = 0; a < 3; a++)
            e.normal[a] +=
                scale * volume * rni_kernel_slope(RNI_KERNEL_POLY6, w->dim, h, r) * d[a] / r;
        if (w->tension == RN_TENSION_COLOR_FIELD)
            e.normal[3] += volume * rni_kernel_laplacian(RNI_KERNEL_POLY6, w->dim, h, r);
        add_forces(f, w, i, j, d, r, e.force);
    }
    e.density *= (double)f->derived.density_factor * m;
    return e;
}

static double largest(float (*records)[4], uint32_t count, int k)
{
    double most = 0;
    for (uint32_t i = 0; i < count; i++) most = fmax(most, fabs((double)records[i][k]));
    return most;
}

static void compare_own(const world *w, const loop *l)
{
    rn_fluid *f = make(w, l, 2);
    if (w->tension != RN_TENSION_NONE)
        rni_pass_run(f, &rni_pass_normals, &(rni_pass_arrays){.store = {f->normal[0]}});
    rni_pass_run(f, &rni_pass_forces, &(rni_pass_arrays){.store = {f->now.acceleration[0]}});
    for (uint32_t i = 0; i < f->now.count; i += FACT_SLOWNESS) {
        const exact e = exact_of(f, w, i);
        assert_close("density", l, i, (double)f->density[i], e.density, 2e-6 * e.density);
        assert_close("neighbor_count", l, i, f->neighbor_count[i], e.neighbors, 0);
        for (int a = 0; a < 4 && w->tension != RN_TENSION_NONE; a++)
            assert_close("normal", l, i, (double)f->normal[i][a], e.normal[a],
                         1e-5 * fmax(1e-3, largest(f->normal, f->now.count, a)));
        for (int a = 0; a < 3; a++)
            assert_close("force", l, i, (double)f->now.acceleration[i][a], e.force[a],
                         1e-5 * fmax(1e-3, largest(f->now.acceleration, f->now.count, a)));
    }
    rn_fluid_destroy(f);
}

static void passes_give_what_the_equations_say(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < WORLDS; k++) for_each_loop(&worlds[k], compare_own);
}

/* --- iterated passes ------------------------------------------------------------------------------ */

static void run_iterated(rn_fluid *f, arrays *a)
{
    const iterated_constants c = constants_of(f);
    rni_pass_run(f, &rni_pass_gradient, &(rni_pass_arrays){{a->scalar}, {a->gradient[0]}, &c});
    rni_pass_run(f, &rni_pass_divergence,
                 &(rni_pass_arrays){{a->vector[0], a->weight}, {a->divergence}, &c});
    rni_pass_run(f, &rni_pass_moments,
                 &(rni_pass_arrays){.store = {a->moments[0][0], a->moments[1][0]}});
    rni_pass_run(f, &rni_pass_product, &(rni_pass_arrays){{a->scalar}, {a->product}, &c});
}

typedef struct exact_iterated {
    double gradient[3], divergence, moments[6], product;
} exact_iterated;

static exact_iterated exact_iterated_of(const rn_fluid *f, const world *w, const arrays *a, uint32_t i)
{
    const double m = (double)f->derived.mass, h = (double)f->derived.radius;
    const double coupling = (double)constants_of(f).coupling;
    exact_iterated e = {.product = (double)a->scalar[i]};
    for (uint32_t j = 0; j < f->now.count; j++) {
        double d[3];
        const double r = between(f, i, j, d);
        if (j == i || r >= h) continue;
        const double rho = (double)f->density[j];
        const double slope = m * rni_kernel_slope(RNI_KERNEL_POLY6, w->dim, h, r) / r;
        const double weight = (double)f->derived.density_factor * m / rho *
                              rni_kernel_value(kernel_of_density(w->kernels), w->dim, h, r);
        const double difference = (double)a->scalar[j] - (double)a->scalar[i];
        const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
        for (int k = 0; k < 3; k++) {
            e.gradient[k] += slope / rho * difference * d[k];
            e.divergence += slope * (double)a->weight[j] *
                            ((double)a->vector[j][k] - (double)a->vector[i][k]) * d[k];
        }
        for (int k = 0; k < 6; k++) e.moments[k] += weight * d[rows[k]] * d[columns[k]];
        e.product -= coupling * pow(h * h - r * r, 3) * difference;
    }
    return e;
}

static void compare_iterated(const world *w, const loop *l)
{
    rn_fluid *f = make(w, l, 2);
    arrays a = make_arrays(f);
    run_iterated(f, &a);
    const double h = (double)f->derived.radius;
    for (uint32_t i = 0; i < f->now.count; i += FACT_SLOWNESS) {
        const exact_iterated e = exact_iterated_of(f, w, &a, i);
        for (int k = 0; k < 3; k++)
            assert_close("gradient", l, i, (double)a.gradient[i][k], e.gradient[k], 1e-5 / h);
        assert_true(a.gradient[i][3] == 0);
        assert_close("divergence", l, i, (double)a.divergence[i], e.divergence, 1e-5 / h);
        for (int k = 0; k < 6; k++)
            assert_close("moment", l, i, (double)a.moments[k / 4][i][k % 4], e.moments[k],
                         1e-6 * h * h);
        assert_close("product", l, i, (double)a.product[i], e.product, 1e-4);
    }
    free_arrays(&a);
    rn_fluid_destroy(f);
}

static void passes_of_a_caller_give_what_sums_over_all_pairs_give(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < WORLDS; k++) for_each_loop(&worlds[k], compare_iterated);
}

/* --- an implicit solver --------------------------------------------------------------------------- */

/* Conjugate gradients for product x = b; returns the square of the last residual. */
static double solve(rn_fluid *f, arrays *a, int iterations)
{
    const uint32_t n = f->now.count;
    const iterated_constants c = constants_of(f);
    for (uint32_t i = 0; i < n; i++) a->x[i] = 0, a->r[i] = a->p[i] = a->b[i];
    double rr = rni_pass_dot(f, a->r, a->r, 1, 1);
    for (int k = 0; k < iterations; k++) {
        rni_pass_run(f, &rni_pass_product, &(rni_pass_arrays){{a->p}, {a->product}, &c});
        const float alpha = (float)(rr / rni_pass_dot(f, a->p, a->product, 1, 1));
        for (uint32_t i = 0; i < n; i++) {
            a->x[i] += alpha * a->p[i];
            a->r[i] -= alpha * a->product[i];
        }
        const double next = rni_pass_dot(f, a->r, a->r, 1, 1);
        const float beta = (float)(next / rr);
        for (uint32_t i = 0; i < n; i++) a->p[i] = a->r[i] + beta * a->p[i];
        rr = next;
    }
    return rr;
}

/* The residual of x in double, by sums over all pairs. */
static double exact_residual(const rn_fluid *f, const arrays *a)
{
    const double h = (double)f->derived.radius, coupling = (double)constants_of(f).coupling;
    double sum = 0;
    for (uint32_t i = 0; i < f->now.count; i++) {
        double residual = (double)a->b[i] - (double)a->x[i];
        for (uint32_t j = 0; j < f->now.count; j++) {
            double d[3];
            const double r = between(f, i, j, d);
            if (r < h)
                residual -= coupling * pow(h * h - r * r, 3) * ((double)a->x[i] - (double)a->x[j]);
        }
        sum += residual * residual;
    }
    return sum;
}

static void compare_solver(const world *w, const loop *l)
{
    rn_fluid *f = make(w, l, 2);
    arrays a = make_arrays(f);
    const double rr = solve(f, &a, 0), solved = solve(f, &a, 30);
    assert_true(rr > 1 && solved < 1e-8 * rr);
    const double residual = exact_residual(f, &a);
    if (!(residual < 1e-8 * rr))
        fail_msg("residual %g of %g (traversal %d)", residual, rr, (int)l->traversal);
    free_arrays(&a);
    rn_fluid_destroy(f);
}

static void conjugate_gradients_of_a_pass_converge(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < WORLDS; k += FACT_SLOWNESS) for_each_loop(&worlds[k], compare_solver);
}

static void assert_same(const void *a, const void *b, uint32_t count, size_t bytes)
{
    assert_memory_equal(a, b, count * bytes);
}

static void compare_threads(const world *w, const loop *l)
{
    rn_fluid *f[3];
    arrays a[3];
    for (uint32_t k = 0; k < 3; k++) {
        f[k] = make(w, l, k + 1);
        a[k] = make_arrays(f[k]);
        run_iterated(f[k], &a[k]);
        solve(f[k], &a[k], 5);
        const uint32_t n = f[0]->now.count;
        assert_int_equal(f[k]->now.count, n);
        assert_same(a[0].gradient, a[k].gradient, n, 16);
        assert_same(a[0].divergence, a[k].divergence, n, 4);
        assert_same(a[0].moments[0], a[k].moments[0], n, 16);
        assert_same(a[0].moments[1], a[k].moments[1], n, 16);
        assert_same(a[0].x, a[k].x, n, 4);
    }
    for (uint32_t k = 0; k < 3; k++) {
        free_arrays(&a[k]);
        rn_fluid_destroy(f[k]);
    }
}

static void bits_of_passes_do_not_depend_on_threads(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < WORLDS; k += FACT_SLOWNESS) for_each_loop(&worlds[k], compare_threads);
}

/* --- other facts ---------------------------------------------------------------------------------- */

static void a_dot_product_is_the_sum_in_double(void **state)
{
    (void)state;
    rn_fluid *f = make(&worlds[0], &(loop){RN_TRAVERSAL_FUSED, RN_CPU_PLAIN}, 2);
    arrays a = make_arrays(f);
    double scalars = 0, vectors = 0;
    for (uint32_t i = 0; i < f->now.count; i++) {
        scalars += (double)a.scalar[i] * (double)a.b[i];
        for (int k = 0; k < 3; k++) vectors += (double)a.vector[i][k] * (double)a.vector[i][k];
    }
    const loop l = {RN_TRAVERSAL_FUSED, RN_CPU_PLAIN};
    assert_close("scalar product", &l, 0, rni_pass_dot(f, a.scalar, a.b, 1, 1), scalars,
                 1e-12 * fabs(scalars) + 1e-10);
    assert_close("product of vectors", &l, 0, rni_pass_dot(f, a.vector[0], a.vector[0], 3, 4),
                 vectors, 1e-12 * vectors);
    free_arrays(&a);
    rn_fluid_destroy(f);
}

/* A scheme that changes the pressure between two passes says so, and the second pass sees it. */
static void renewed_records_are_those_of_the_present(void **state)
{
    (void)state;
    for (int traversal = 0; traversal < 2; traversal++) {
        const loop l = {traversal ? RN_TRAVERSAL_LISTS : RN_TRAVERSAL_FUSED, RN_CPU_PLAIN};
        rn_fluid *f = make(&worlds[0], &l, 1);
        const rni_pass_arrays out = {.store = {f->now.acceleration[0]}};
        rni_pass_run(f, &rni_pass_forces, &out);
        const float first = f->now.acceleration[0][0];
        for (uint32_t i = 0; i < f->now.count; i++) f->pressure[i] *= 3;
        rni_pass_run(f, &rni_pass_forces, &out);
        assert_true(f->now.acceleration[0][0] == first);
        rni_records_renew(f);
        rni_pass_run(f, &rni_pass_forces, &out);
        assert_true(f->now.acceleration[0][0] != first);
        rn_fluid_destroy(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_give_what_the_equations_say),
        cmocka_unit_test(passes_of_a_caller_give_what_sums_over_all_pairs_give),
        cmocka_unit_test(conjugate_gradients_of_a_pass_converge),
        cmocka_unit_test(bits_of_passes_do_not_depend_on_threads),
        cmocka_unit_test(a_dot_product_is_the_sum_in_double),
        cmocka_unit_test(renewed_records_are_those_of_the_present),
    };
    return cmocka_run_group_tests_name("fluid.pass", tests, NULL, NULL);
}
