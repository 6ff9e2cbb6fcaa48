/* Spectrum, noise, scatter, display; the same bits for any number of threads; what is refused. */
#include "fact.h"

#include "allocators.h"
#include "xray/exposing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 128, PIXELS = SIDE * SIDE };
static const rn_xray_part ALONE = {0, RN_XRAY_NOTHING};

static rn_xray_view small_view(void)
{
    rn_xray_view view = rn_xray_view_default();
    view.width = view.height = SIDE;
    view.detector_mm[0] = view.detector_mm[1] = 100;
    return view;
}

/* Without absorption in the anode: Kramers 1923. Below the K edge of tungsten there are no lines. */
static void spectrum_without_absorption_is_that_of_kramers(void **state)
{
    (void)state;
    static float table[RN_XRAY_ENERGIES];
    float open[RN_XRAY_ENERGIES], behind[RN_XRAY_ENERGIES];
    rn_xray_tube tube = rn_xray_tube_default();
    tube.kvp = 60;
    expect_ok(rn_xray_make_spectrum(&tube, open));
    const double unit = (double)open[29] / (60 / 29.5 - 1);
    for (uint32_t e = 1; e < RN_XRAY_ENERGIES; e++) {
        const double wanted = e < 60 ? unit * (60 / (e + 0.5) - 1) : 0;
        if (fabs((double)open[e] - wanted) > 1e-5 * unit * 40)
            fail_msg("%u keV: %g photons instead of %g", e, (double)open[e], wanted);
    }
    /* A filter whose attenuation rises by energy: Beer and Lambert in each bin, up to the common factor. */
    for (uint32_t e = 0; e < RN_XRAY_ENERGIES; e++) table[e] = 5 + 2 * (float)e;
    tube.filter_count = 1;
    tube.filter[0] = (rn_xray_filter){table, 0.01f};
    expect_ok(rn_xray_make_spectrum(&tube, behind));
    const double factor = (double)behind[20] / (double)open[20] * exp(0.01 * 45);
    for (uint32_t e = 1; e < 60; e++) {
        const double wanted = factor * (double)open[e] * exp(-0.01 * (5 + 2 * (double)e));
        if (fabs((double)behind[e] / wanted - 1) > 1e-4)
            fail_msg("%u keV: %g behind the filter instead of %g", e, (double)behind[e], wanted);
    }
}

static void spectrum_ends_at_the_voltage_and_hardens_with_filters(void **state)
{
    (void)state;
    float filter[RN_XRAY_ENERGIES], photons[2][RN_XRAY_ENERGIES];
    double mean[2] = {0, 0};
    attenuation_like(75, filter);
    for (int thick = 0; thick < 2; thick++) {
        rn_xray_tube tube = rn_xray_tube_default();
        tube.kvp = 100;
        tube.filter_count = 1;
        tube.filter[0] = (rn_xray_filter){filter, thick ? 0.01f : 0.002f};
        expect_ok(rn_xray_make_spectrum(&tube, photons[thick]));
        double sum = 0;
        for (uint32_t e = 0; e < RN_XRAY_ENERGIES; e++) {
            assert_true(photons[thick][e] >= 0 && (e < 100 || photons[thick][e] == 0));
            sum += (double)photons[thick][e];
            mean[thick] += (double)photons[thick][e] * (e + 0.5);
        }
        assert_true(fabs(sum - 1) < 1e-5);
        /* The lines of tungsten stand out. */
        assert_true(photons[thick][59] > 1.5f * photons[thick][61]);
    }
    assert_true(mean[1] > mean[0] + 3 && mean[0] > 35 && mean[1] < 75);
    rn_xray_tube low = rn_xray_tube_default();
    low.kvp = 60;
    expect_ok(rn_xray_make_spectrum(&low, photons[0]));
    assert_true(photons[0][59] < photons[0][55]);
}

/* An exposure without an object: everything is known. */
static void expose_open(rn_xray *x, float dose, float scatter, uint64_t seed, rn_xray_picture *picture)
{
    float photons[RN_XRAY_ENERGIES] = {0}, kerma[RN_XRAY_ENERGIES];
    photons[50] = 1; /* all of 50.5 keV */
    flat_table(0.003f, kerma);
    rn_xray_view view = small_view();
    rn_xray_beam beam = rn_xray_beam_default();
    beam.photons = photons;
    beam.kerma = kerma;
    beam.dose = dose;
    beam.scatter_offset = scatter;
    beam.seed = seed;
    expect_ok(rn_xray_begin(x, &view));
    expect_ok(rn_xray_expose(x, &beam, picture));
}

static void noise_has_the_variance_of_counted_photons(void **state)
{
    (void)state;
    rn_xray *x = xray_create(2);
    static const float DOSES[] = {0.0003f, 0.001f, 0.01f, 1, 100};
    for (int k = 0; k < 5; k++) {
        rn_xray_picture picture = rn_xray_picture_default();
        expose_open(x, DOSES[k], 0, 7, &picture);
        const double quantum = 50.5 * 1.602176634e-16, area = 1e-6 * (100.0 / SIDE) * (100.0 / SIDE);
        const double photons = 1e-9 * (double)DOSES[k] / 0.003 * area / quantum;
        assert_true(fabs(picture.quanta / photons - 1) < 1e-3);
        assert_true(fabs(picture.kerma / (double)DOSES[k] - 1) < 1e-4);
        double sum = 0, sum_sq = 0, product = 0;
        for (size_t n = 0; n < PIXELS; n++) {
            const double value = (double)picture.signal[n] / picture.open_signal * photons;
            sum += value;
            sum_sq += value * value;
            if (n % SIDE)
                product += value * (double)picture.signal[n - 1] / picture.open_signal * photons;
        }
        const double mean = sum / PIXELS, variance = sum_sq / PIXELS - mean * mean;
        const double together = product / (PIXELS - SIDE) - mean * mean;
        if (fabs(mean - photons) > 5 * sqrt(photons / PIXELS))
            fail_msg("mean of %g photons instead of %g", mean, photons);
        if (fabs(variance / photons - 1) > 0.06 + 0.05 / sqrt(photons))
            fail_msg("variance %g of %g photons", variance, photons);
        if (fabs(together) > 0.04 * variance)
            fail_msg("neighbours have the covariance %g", together);
    }
    /* Another seed, other noise; none without a dose. */
    rn_xray_picture picture = rn_xray_picture_default();
    expose_open(x, 1, 0, 1, &picture);
    const uint64_t first = hash_bytes(picture.signal, PIXELS * 4);
    expose_open(x, 1, 0, 2, &picture);
    assert_true(hash_bytes(picture.signal, PIXELS * 4) != first);
    expose_open(x, 0, 0.5f, 1, &picture);
    for (size_t n = 0; n < PIXELS; n++)
        assert_true(fabsf(picture.signal[n] - 1.5f * (float)picture.open_signal) < 1e-5f);
    rn_xray_destroy(x);
}

/* A picture with everything in it. */
static uint64_t hash_of_all(rn_xray *x, const rn_mesh *mesh, float *thickness)
{
    float photons[RN_XRAY_ENERGIES], mu[RN_XRAY_ENERGIES], strong[RN_XRAY_ENERGIES];
    float kerma[RN_XRAY_ENERGIES], position[300];
    static uint16_t gray[PIXELS];
    photons_of_80_kv(photons);
    attenuation_like(20, mu);
    attenuation_like(200, strong);
    flat_table(0.003f, kerma);
    for (int n = 0; n < 300; n++) position[n] = 0.03f * sinf((float)(7 * n + n * n));
    rn_xray_particles particles = rn_xray_particles_default();
    particles.position = position, particles.count = 100, particles.spacing = 0.004f;
    rn_xray_view view = small_view();
    rn_xray_beam beam = rn_xray_beam_default();
    beam.photons = photons, beam.kerma = kerma;
    beam.attenuation[0] = mu, beam.attenuation[1] = strong;
    beam.dose = 30, beam.scatter = 0.5f, beam.scatter_offset = 0.02f, beam.scatter_mm = 20;
    beam.focus_mm = 0.5f, beam.detector_mm = 0.8f;
    rn_xray_display display = rn_xray_display_default(), used;
    display.equalize = 0.4f, display.sharpen = 1, display.shoulder = 0.3f;
    rn_xray_picture picture = rn_xray_picture_default();
    expect_ok(rn_xray_begin(x, &view));
    expect_ok(rn_xray_add_mesh(x, ALONE, mesh));
    expect_ok(rn_xray_add_film(x, (rn_xray_part){1, 0}, mesh, thickness, false));
    expect_ok(rn_xray_add_particles(x, (rn_xray_part){1, 0}, &particles));
    expect_ok(rn_xray_expose(x, &beam, &picture));
    expect_ok(rn_xray_show(x, &display, gray, &used));
    assert_true(used.window > 0.1f);
    return hash_bytes(gray, sizeof gray) ^ hash_bytes(picture.energy, PIXELS * 4) ^
           (3 * hash_bytes(picture.signal, PIXELS * 4));
}

static void bits_depend_on_neither_threads_nor_instructions_and_nothing_is_allocated_again(void **state)
{
    (void)state;
    rn_mesh_data *data = centred_mesh("sphere", 2000, "radius=0.035");
    const rn_mesh mesh = rn_mesh_data_get_mesh(data);
    float *thickness = malloc((size_t)mesh.vertex_count * 4);
    for (uint32_t v = 0; v < mesh.vertex_count; v++) thickness[v] = 1e-3f * (float)(v % 3);
    uint64_t first = 0;
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        counting calls = {0};
        rn_xray_def def = rn_xray_def_default();
        rn_xray *x = NULL;
        def.threads = threads;
        def.cpu = threads == 3 ? RN_CPU_PLAIN : RN_CPU_AUTO;
        def.allocator = counting_allocator(&calls);
        expect_ok(rn_xray_create(&def, &x));
        const uint64_t hash = hash_of_all(x, &mesh, thickness);
        if (threads == 1) first = hash;
        assert_true(hash == first);
        const uint64_t before = calls.calls;
        for (int n = 0; n < 2; n++) assert_true(hash_of_all(x, &mesh, thickness) == first);
        assert_int_equal(calls.calls, before);
        rn_xray_destroy(x);
    }
    free(thickness);
    rn_mesh_data_destroy(data);
}

static void window_and_level_choose_black_and_white(void **state)
{
    (void)state;
    rn_xray *x = xray_create(1);
    rn_mesh_data *data = centred_mesh("sphere", 8000, "radius=0.03");
    const rn_mesh mesh = rn_mesh_data_get_mesh(data);
    float photons[RN_XRAY_ENERGIES], mu[RN_XRAY_ENERGIES];
    uint16_t gray[PIXELS];
    photons_of_80_kv(photons);
    flat_table(20, mu);
    rn_xray_view view = small_view();
    rn_xray_beam beam = rn_xray_beam_default();
    beam.photons = photons, beam.attenuation[0] = mu;
    rn_xray_picture picture = rn_xray_picture_default();
    expect_ok(rn_xray_begin(x, &view));
    expect_ok(rn_xray_add_mesh(x, ALONE, &mesh));
    expect_ok(rn_xray_expose(x, &beam, &picture));
    rn_xray_display display = rn_xray_display_default();
    display.window = 2.4f, display.level = 1.2f; /* 0 to 2.4; the middle of the ball has 1.2 */
    expect_ok(rn_xray_show(x, &display, gray, NULL));
    const size_t middle = SIDE / 2 * SIDE + SIDE / 2;
    assert_true(gray[0] == 0 && abs((int)gray[middle] - 32768) < 400);
    display.is_dark_dense = true;
    expect_ok(rn_xray_show(x, &display, gray, NULL));
    assert_true(gray[0] == 65535 && abs((int)gray[middle] - 32768) < 400);
    display.is_round = true;
    display.field[0] = 0.5f;
    expect_ok(rn_xray_show(x, &display, gray, NULL));
    assert_true(gray[0] == 0 && gray[SIDE / 2 * SIDE + 4] == 0 && gray[middle] > 30000);
    rn_mesh_data_destroy(data);
    rn_xray_destroy(x);
}

static void expect_refused(rn_result result, const char *word)
{
    assert_int_equal(result, RN_ERROR_ARGUMENT);
    if (!strstr(rn_last_error(), word)) fail_msg("\"%s\" lacks \"%s\"", rn_last_error(), word);
}

static void wrong_views_and_objects_are_refused(void **state)
{
    (void)state;
    rn_xray *x = xray_create(1);
    rn_xray_def def = rn_xray_def_default();
    rn_xray *none = NULL;
    def.samples = 9;
    expect_refused(rn_xray_create(&def, &none), "samples");
    rn_xray_particles particles = rn_xray_particles_default();
    expect_refused(rn_xray_add_particles(x, ALONE, &particles), "spacing");
    particles.spacing = 0.01f;
    expect_refused(rn_xray_add_particles(x, ALONE, &particles), "rn_xray_begin");
    for (int n = 0; n < 6; n++) {
        static const char *const WORDS[] = {"struct_bytes",     "pixels",    "detector",
                                            "source_object_mm", "up vector", "finite"};
        rn_xray_view view = small_view();
        if (n == 0) view.struct_bytes = 3;
        if (n == 1) view.width = 0;
        if (n == 2) view.detector_mm[1] = NAN;
        if (n == 3) view.source_object_mm = 5000;
        if (n == 4) view.up[1] = 0, view.up[2] = 1;
        if (n == 5) view.center[0] = INFINITY;
        expect_refused(rn_xray_begin(x, &view), WORDS[n]);
    }
    rn_xray_view view = small_view();
    expect_ok(rn_xray_begin(x, &view));
    float position[3] = {0, 0, 2};
    particles.position = position, particles.count = 1;
    expect_refused(rn_xray_add_particles(x, ALONE, &particles), "between source and detector");
    position[0] = NAN;
    expect_refused(rn_xray_add_particles(x, ALONE, &particles), "not finite");
    expect_refused(rn_xray_add_particles(x, (rn_xray_part){99, 0}, &particles), "material");
    rn_mesh_data *ball = centred_mesh("sphere", 80, "radius=2");
    const rn_mesh mesh = rn_mesh_data_get_mesh(ball);
    expect_refused(rn_xray_add_mesh(x, ALONE, &mesh), "move the source");
    float thickness[100];
    for (int k = 0; k < 100; k++) thickness[k] = -1;
    expect_refused(rn_xray_add_film(x, ALONE, &mesh, thickness, false), "thickness[0]");
    rn_xray_volume volume = rn_xray_volume_default();
    expect_refused(rn_xray_add_volume(x, &volume), "voxels");
    volume.count[0] = volume.count[1] = volume.count[2] = 1, volume.value = position;
    volume.ramp_count = 1;
    expect_refused(rn_xray_add_volume(x, &volume), "axes");
    rn_mesh_data_destroy(ball);
    rn_xray_destroy(x);
}

static void wrong_beams_and_displays_are_refused(void **state)
{
    (void)state;
    rn_xray *x = xray_create(1);
    float photons[RN_XRAY_ENERGIES], position[3] = {0, 0, 0};
    uint16_t gray[PIXELS];
    photons_of_80_kv(photons);
    rn_xray_tube tube = rn_xray_tube_default();
    tube.kvp = 500;
    expect_refused(rn_xray_make_spectrum(&tube, photons), "kvp");
    rn_xray_view view = small_view();
    rn_xray_particles particles = rn_xray_particles_default();
    particles.position = position, particles.count = 1, particles.spacing = 0.01f;
    expect_ok(rn_xray_begin(x, &view));
    expect_ok(rn_xray_add_particles(x, (rn_xray_part){5, RN_XRAY_NOTHING}, &particles));
    rn_xray_beam beam = rn_xray_beam_default();
    rn_xray_picture picture = rn_xray_picture_default();
    expect_refused(rn_xray_expose(x, &beam, &picture), "no photons");
    beam.photons = photons;
    expect_refused(rn_xray_expose(x, &beam, &picture), "material 5");
    float mu[RN_XRAY_ENERGIES];
    flat_table(-1, mu);
    beam.attenuation[5] = mu;
    expect_refused(rn_xray_expose(x, &beam, &picture), "attenuation");
    flat_table(1e9f, mu);
    beam.dose = 1;
    expect_refused(rn_xray_expose(x, &beam, &picture), "kerma");
    beam.dose = 0, beam.scatter_mm = 0;
    expect_refused(rn_xray_expose(x, &beam, &picture), "scatter_mm");
    rn_xray_display display = rn_xray_display_default();
    expect_refused(rn_xray_show(x, &display, gray, NULL), "rn_xray_expose");
    beam.scatter_mm = 40;
    expect_ok(rn_xray_expose(x, &beam, &picture));
    display.sharpen = -1;
    expect_refused(rn_xray_show(x, &display, gray, NULL), "sharpen");
    display.sharpen = 0;
    expect_ok(rn_xray_show(x, &display, gray, NULL));
    rn_xray_destroy(x);
}

static void each_failing_allocation_leaves_a_usable_object(void **state)
{
    (void)state;
    rn_mesh_data *data = centred_mesh("sphere", 320, "radius=0.035");
    const rn_mesh mesh = rn_mesh_data_get_mesh(data);
    float thickness[400] = {0}, photons[RN_XRAY_ENERGIES], mu[RN_XRAY_ENERGIES];
    photons_of_80_kv(photons);
    flat_table(10, mu);
    rn_xray_view view = small_view();
    rn_xray_beam beam = rn_xray_beam_default();
    beam.photons = photons, beam.attenuation[0] = mu, beam.scatter = 1;
    bool is_done = false;
    for (int64_t n = 0; !is_done; n++) {
        budget b = {.left = n};
        rn_xray_def def = rn_xray_def_default();
        rn_xray *x = NULL;
        def.threads = 1;
        def.allocator = budget_allocator(&b);
        if (rn_xray_create(&def, &x) == RN_OK)
            for (int again = 0; again < 2; again++) {
                rn_xray_picture picture = rn_xray_picture_default();
                is_done = rn_xray_begin(x, &view) == RN_OK &&
                          rn_xray_add_mesh(x, ALONE, &mesh) == RN_OK &&
                          rn_xray_add_film(x, ALONE, &mesh, thickness, false) == RN_OK &&
                          rn_xray_expose(x, &beam, &picture) == RN_OK;
                if (again) assert_true(is_done);
                else if (is_done) break;
                b.left = -1;
            }
        if (is_done && b.left < 0) is_done = false;
        rn_xray_destroy(x);
        assert_int_equal(b.live, 0);
        assert_true(n < 200);
    }
    rn_mesh_data_destroy(data);
}

int main(void)
{
    FACT_ONLY_THREADS();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spectrum_without_absorption_is_that_of_kramers),
        cmocka_unit_test(spectrum_ends_at_the_voltage_and_hardens_with_filters),
        cmocka_unit_test(noise_has_the_variance_of_counted_photons),
        cmocka_unit_test(
            bits_depend_on_neither_threads_nor_instructions_and_nothing_is_allocated_again),
        cmocka_unit_test(window_and_level_choose_black_and_white),
        cmocka_unit_test(wrong_views_and_objects_are_refused),
        cmocka_unit_test(wrong_beams_and_displays_are_refused),
        cmocka_unit_test(each_failing_allocation_leaves_a_usable_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
