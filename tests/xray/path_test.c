/* Path lengths: balls, slabs, concave and nested meshes, open ones, particles, films, volumes. */
#include "fact.h"

#include "xray/exposing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const rn_xray_part ALONE = {0, RN_XRAY_NOTHING};

static rn_xray_view view_of(uint32_t pixels, float detector_mm)
{
    rn_xray_view view = rn_xray_view_default();
    view.width = view.height = pixels;
    view.detector_mm[0] = view.detector_mm[1] = detector_mm;
    return view;
}

/* x and y of a pixel's ray per unit of depth. */
static void ray_of(const rn_xray_view *view, uint32_t column, uint32_t row, double ray[2])
{
    const double pitch = (double)view->detector_mm[0] / view->width / (double)view->source_image_mm;
    ray[0] = (column + 0.5 - 0.5 * view->width) * pitch;
    ray[1] = (0.5 * view->height - row - 0.5) * pitch;
}

static double chord_of_ball(const rn_xray_view *view, uint32_t column, uint32_t row, double radius)
{
    double ray[2];
    ray_of(view, column, row, ray);
    const double depth = 1e-3 * (double)view->source_object_mm;
    const double slant_sq = 1 + ray[0] * ray[0] + ray[1] * ray[1];
    const double distance_sq = depth * depth * (1 - 1 / slant_sq);
    return distance_sq < radius * radius ? 2 * sqrt(radius * radius - distance_sq) : 0;
}

static void ball_and_slab_let_pass_what_the_integral_says(void **state)
{
    (void)state;
    rn_xray *x = xray_create(2);
    rn_xray_view view = view_of(128, 200);
    float photons[RN_XRAY_ENERGIES], mu[RN_XRAY_ENERGIES];
    photons_of_80_kv(photons);
    for (int shape = 0; shape < 2; shape++) {
        rn_mesh_data *data = shape ? centred_mesh("box", 12, "z=0.05")
                                   : centred_mesh("sphere", 200000, "radius=0.05");
        const rn_mesh mesh = rn_mesh_data_get_mesh(data);
        for (int strong = 0; strong < 2; strong++) {
            rn_xray_beam beam = rn_xray_beam_default();
            rn_xray_picture picture = rn_xray_picture_default();
            attenuation_like(strong ? 300 : 20, mu);
            beam.photons = photons;
            beam.attenuation[0] = mu;
            expect_ok(rn_xray_begin(x, &view));
            expect_ok(rn_xray_add_mesh(x, ALONE, &mesh));
            expect_ok(rn_xray_expose(x, &beam, &picture));
            assert_int_equal(picture.odd_rays, 0);
            for (uint32_t row = 0; row < 128; row++)
                for (uint32_t c = 0; c < 128; c++) {
                    double ray[2];
                    ray_of(&view, c, row, ray);
                    const double slant = sqrt(1 + ray[0] * ray[0] + ray[1] * ray[1]);
                    double length = shape ? 0.05 * slant : chord_of_ball(&view, c, row, 0.05);
                    /* Away from the edges of the slab and the rim of the ball. */
                    if (shape ? fabs(ray[0]) > 0.1 || fabs(ray[1]) > 0.1 : length < 0.03) continue;
                    const double wanted = passed_energy(photons, mu, length);
                    const double got =
                        (double)picture.energy[(size_t)row * 128 + c] / picture.open_energy;
                    if (fabs(got - wanted) > 0.01 * wanted)
                        fail_msg("shape %d, pixel %u, %u: %g passes instead of %g", shape, c, row,
                                 got, wanted);
                }
        }
        rn_mesh_data_destroy(data);
    }
    rn_xray_destroy(x);
}

/* Integral of path length over the picture at the depth of the object, from far away: its volume, m^3. */
static double volume_in(const rn_xray *x, const rn_xray_view *view, uint32_t material)
{
    const float *length = rn_xray_get_length(x, material);
    const double scale = (double)(view->source_object_mm / view->source_image_mm);
    const double side[2] = {1e-3 * (double)view->detector_mm[0] / view->width * scale,
                            1e-3 * (double)view->detector_mm[1] / view->height * scale};
    double sum = 0;
    assert_non_null(length);
    for (size_t n = 0; n < (size_t)view->width * view->height; n++) sum += (double)length[n];
    return sum * side[0] * side[1];
}

static rn_xray_view from_afar(uint32_t pixels, float detector_mm)
{
    rn_xray_view view = view_of(pixels, detector_mm);
    view.source_object_mm = 100000;
    view.source_image_mm = 101000;
    return view;
}

static void expect_near(double got, double wanted, double share, const char *what)
{
    if (!(fabs(got - wanted) <= share * fabs(wanted)))
        fail_msg("%s: %g instead of %g", what, got, wanted);
}

static void concave_mesh_has_its_volume(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"colon", "jug", "pelvis"};
    rn_xray *x = xray_create(2);
    for (int k = 0; k < 3; k++) {
        rn_mesh_data *data = centred_mesh(NAMES[k], 8040, NULL);
        const rn_mesh mesh = rn_mesh_data_get_mesh(data);
        rn_mesh_diagnosis d = rn_mesh_diagnosis_default();
        expect_ok(rn_mesh_diagnose(&mesh, NULL, &d));
        rn_xray_view view = from_afar(k == 1 ? 800 : 400, k == 1 ? 300 : 650);
        expect_ok(rn_xray_begin(x, &view));
        expect_ok(rn_xray_add_mesh(x, ALONE, &mesh));
        expect_near(volume_in(x, &view, 0), d.volume, 0.005, NAMES[k]);
        const float *length = rn_xray_get_length(x, 0);
        for (size_t n = 0; n < (size_t)view.width * view.width; n++)
            assert_true(length[n] > -1e-5f && length[n] < 1);
        rn_mesh_data_destroy(data);
    }
    rn_xray_destroy(x);
}

/* A ball in a ball: the inner one takes the place of the outer material. */
static void nested_ball_replaces_what_it_lies_in(void **state)
{
    (void)state;
    rn_xray *x = xray_create(1);
    rn_xray_view view = view_of(64, 160);
    rn_mesh_data *outer = centred_mesh("sphere", 8000, "radius=0.05");
    rn_mesh_data *inner = centred_mesh("sphere", 8000, "radius=0.02");
    const rn_mesh meshes[2] = {rn_mesh_data_get_mesh(outer), rn_mesh_data_get_mesh(inner)};
    expect_ok(rn_xray_begin(x, &view));
    expect_ok(rn_xray_add_mesh(x, ALONE, &meshes[0]));
    expect_ok(rn_xray_add_mesh(x, (rn_xray_part){1, 0}, &meshes[1]));
    const size_t middle = 32 * 64 + 32;
    expect_near((double)rn_xray_get_length(x, 0)[middle], 0.06, 0.01, "outer");
    expect_near((double)rn_xray_get_length(x, 1)[middle], 0.04, 0.01, "inner");
    assert_null(rn_xray_get_length(x, 2));
    rn_mesh_data_destroy(outer);
    rn_mesh_data_destroy(inner);
    rn_xray_destroy(x);
}

static void open_or_inverted_mesh_does_no_harm(void **state)
{
    (void)state;
    rn_xray *x = xray_create(2);
    rn_xray_view view = view_of(96, 160);
    rn_mesh_data *data = centred_mesh("sphere", 8000, "radius=0.05");
    rn_mesh mesh = rn_mesh_data_get_mesh(data);
    uint32_t *turned = malloc((size_t)mesh.triangle_count * 12);
    memcpy(turned, mesh.triangle, (size_t)mesh.triangle_count * 12);
    float closed[96 * 96];
    expect_ok(rn_xray_begin(x, &view));
    expect_ok(rn_xray_add_mesh(x, ALONE, &mesh));
    memcpy(closed, rn_xray_get_length(x, 0), sizeof closed);
    /* Without some of its triangles, and then inside out. */
    rn_mesh open = mesh;
    open.triangle_count -= 60;
    float photons[RN_XRAY_ENERGIES], mu[RN_XRAY_ENERGIES];
    photons_of_80_kv(photons);
    flat_table(10, mu);
    rn_xray_beam beam = rn_xray_beam_default();
    beam.photons = photons, beam.attenuation[0] = mu;
    rn_xray_picture picture = rn_xray_picture_default();
    expect_ok(rn_xray_begin(x, &view));
    expect_ok(rn_xray_add_mesh(x, ALONE, &open));
    expect_ok(rn_xray_expose(x, &beam, &picture));
    assert_true(picture.odd_rays > 10);
    for (size_t n = 0; n < 96 * 96; n++)
        if (fabsf(rn_xray_get_length(x, 0)[n] - closed[n]) > 0.02f)
            fail_msg("pixel %zu: %g instead of %g", n, (double)rn_xray_get_length(x, 0)[n],
                     (double)closed[n]);
    for (size_t t = 0; t < mesh.triangle_count; t++) {
        turned[3 * t + 1] = mesh.triangle[3 * t + 2];
        turned[3 * t + 2] = mesh.triangle[3 * t + 1];
    }
    mesh.triangle = turned;
    expect_ok(rn_xray_begin(x, &view));
    expect_ok(rn_xray_add_mesh(x, ALONE, &mesh));
    for (size_t n = 0; n < 96 * 96; n++)
        assert_true(fabsf(rn_xray_get_length(x, 0)[n] - closed[n]) < 1e-6f);
    free(turned);
    rn_mesh_data_destroy(data);
    rn_xray_destroy(x);
}

static void particles_have_their_volume_and_thickness(void **state)
{
    (void)state;
    enum { SIDE = 24 };
    const float spacing = 0.004f;
    float *position = malloc(sizeof(float) * 3 * SIDE * SIDE * SIDE);
    uint32_t count = 0;
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        for (int k = 0; k < 3; k++)
            position[3 * count + (uint32_t)k] = spacing * ((float)at[k] - 0.5f * (SIDE - 1));
        count++;
    }
    rn_xray *x = xray_create(2);
    rn_xray_view view = from_afar(300, 160);
    rn_xray_particles particles = rn_xray_particles_default();
    particles.position = position, particles.count = count, particles.spacing = spacing;
    expect_ok(rn_xray_begin(x, &view));
    expect_ok(rn_xray_add_particles(x, ALONE, &particles));
    const double volume = pow((double)spacing * SIDE, 3);
    expect_near(volume_in(x, &view, 0), volume, 0.002, "volume of a block");
    for (uint32_t row = 130; row < 170; row++)
        for (uint32_t c = 130; c < 170; c++)
            expect_near((double)rn_xray_get_length(x, 0)[(size_t)row * 300 + c],
                        (double)spacing * SIDE, 0.01, "thickness of a block");
    /* One particle, smaller than a pixel, anywhere. */
    particles.count = 1, particles.spacing = 1e-4f;
    for (int n = 0; n < 8; n++) {
        position[0] = 0.0017f * (float)n, position[1] = -0.0023f * (float)n, position[2] = 0;
        expect_ok(rn_xray_begin(x, &view));
        expect_ok(rn_xray_add_particles(x, ALONE, &particles));
        expect_near(volume_in(x, &view, 0), 1e-12, 0.03, "volume of a particle");
    }
    free(position);
    rn_xray_destroy(x);
}

static void film_is_thickness_over_cosine_and_has_its_volume(void **state)
{
    (void)state;
    rn_xray *x = xray_create(2);
    rn_xray_view view = view_of(64, 160);
    float *thickness = malloc(sizeof(float) * 20000);
    for (int k = 0; k < 20000; k++) thickness[k] = 5e-4f;
    rn_mesh_data *box = centred_mesh("box", 3000, NULL),
                 *ball = centred_mesh("sphere", 8000, "radius=0.05");
    const rn_mesh mesh[2] = {rn_mesh_data_get_mesh(box), rn_mesh_data_get_mesh(ball)};
    expect_ok(rn_xray_begin(x, &view));
    expect_ok(rn_xray_add_film(x, ALONE, &mesh[0], thickness, false));
    for (uint32_t row = 16; row < 48; row++)
        for (uint32_t c = 16; c < 48; c++) {
            double ray[2];
            ray_of(&view, c, row, ray);
            const double slant = sqrt(1 + ray[0] * ray[0] + ray[1] * ray[1]);
            /* The front and the back of the box. */
            expect_near((double)rn_xray_get_length(x, 0)[(size_t)row * 64 + c], 2 * 5e-4 * slant,
                        0.01, "film on a wall");
        }
    const double r = 0.05, pi = 3.14159265358979;
    for (int outside = 0; outside < 2; outside++) {
        const double shell = outside ? pow(r + 5e-4, 3) - pow(r, 3) : pow(r, 3) - pow(r - 5e-4, 3);
        rn_xray_view far = from_afar(400, 120);
        expect_ok(rn_xray_begin(x, &far));
        expect_ok(rn_xray_add_film(x, ALONE, &mesh[1], thickness, outside));
        expect_near(volume_in(x, &far, 0), 4.0 / 3 * pi * shell, 0.01, "film on a ball");
    }
    free(thickness);
    rn_mesh_data_destroy(box);
    rn_mesh_data_destroy(ball);
    rn_xray_destroy(x);
}

/* As files with texture coordinates have it: each triangle with vertices of its own. */
static void film_of_a_mesh_with_seams_is_that_of_the_welded_mesh(void **state)
{
    (void)state;
    rn_xray *x = xray_create(2);
    rn_xray_view view = view_of(64, 160);
    rn_mesh_data *data = centred_mesh("sphere", 2000, "radius=0.05");
    const rn_mesh welded = rn_mesh_data_get_mesh(data);
    const uint32_t corners = 3 * welded.triangle_count;
    float *vertex = malloc(sizeof(float) * 3 * corners), *thickness = malloc(sizeof(float) * corners);
    uint32_t *triangle = malloc(sizeof *triangle * corners);
    float length[64 * 64];
    rn_mesh open = welded;
    rn_xray_beam beam = rn_xray_beam_default();
    rn_xray_picture picture = rn_xray_picture_default();
    float photons[RN_XRAY_ENERGIES], mu[RN_XRAY_ENERGIES];
    photons_of_80_kv(photons);
    attenuation_like(20, mu);
    beam.photons = photons;
    beam.attenuation[0] = mu;
    for (uint32_t k = 0; k < corners; k++) {
        memcpy(vertex + 3 * (size_t)k, welded.vertex + 3 * (size_t)welded.triangle[k],
               3 * sizeof *vertex);
        triangle[k] = k;
        thickness[k] = 5e-4f;
    }
    open.vertex = vertex;
    open.triangle = triangle;
    open.vertex_count = corners;
    expect_ok(rn_xray_begin(x, &view));
    expect_ok(rn_xray_add_film(x, ALONE, &welded, thickness, false));
    memcpy(length, rn_xray_get_length(x, 0), sizeof length);
    expect_ok(rn_xray_begin(x, &view));
    expect_ok(rn_xray_add_film(x, ALONE, &open, thickness, false));
    for (size_t n = 0; n < 64 * 64; n++)
        if (fabsf(rn_xray_get_length(x, 0)[n] - length[n]) > 2e-6f)
            fail_msg("pixel %zu: %g m with seams, %g m without", n,
                     (double)rn_xray_get_length(x, 0)[n], (double)length[n]);
    expect_ok(rn_xray_expose(x, &beam, &picture));
    assert_int_equal(picture.odd_rays, 0);
    free(vertex), free(thickness), free(triangle);
    rn_mesh_data_destroy(data);
    rn_xray_destroy(x);
}

static void volume_is_a_mixture_by_its_ramp(void **state)
{
    (void)state;
    enum { SIDE = 10 };
    float value[SIDE * SIDE * SIDE];
    rn_xray *x = xray_create(2);
    rn_xray_view view = view_of(64, 200);
    rn_xray_volume volume = rn_xray_volume_default();
    for (int n = 0; n < SIDE * SIDE * SIDE; n++) value[n] = 50;
    volume.value = value;
    for (int k = 0; k < 3; k++) {
        volume.count[k] = SIDE;
        volume.origin[k] = -0.045f;
        volume.axis[k][k] = 0.01f;
    }
    volume.ramp_count = 2;
    volume.ramp_value[0] = 0, volume.ramp_value[1] = 200;
    volume.ramp_density[0] = 1, volume.ramp_density[1] = 2;
    volume.ramp_material[0] = 3, volume.ramp_material[1] = 4;
    expect_ok(rn_xray_begin(x, &view));
    expect_ok(rn_xray_add_volume(x, &volume));
    const size_t middle = 32 * 64 + 32;
    expect_near((double)rn_xray_get_length(x, 3)[middle], 0.075, 0.005, "first material");
    expect_near((double)rn_xray_get_length(x, 4)[middle], 0.05, 0.005, "second material");
    /* A corner of the picture is beside it. */
    assert_true(rn_xray_get_length(x, 3)[0] == 0);
    value[0] = NAN;
    expect_ok(rn_xray_begin(x, &view));
    expect_ok(rn_xray_add_volume(x, &volume));
    rn_xray_destroy(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_and_slab_let_pass_what_the_integral_says),
        cmocka_unit_test(concave_mesh_has_its_volume),
        cmocka_unit_test(nested_ball_replaces_what_it_lies_in),
        cmocka_unit_test(open_or_inverted_mesh_does_no_harm),
        cmocka_unit_test(particles_have_their_volume_and_thickness),
        cmocka_unit_test(film_is_thickness_over_cosine_and_has_its_volume),
        cmocka_unit_test(film_of_a_mesh_with_seams_is_that_of_the_welded_mesh),
        cmocka_unit_test(volume_is_a_mixture_by_its_ramp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
