#include "sample.h"
#include "slowness.h"

#include "base/pi.h"

#include <math.h>
#include <string.h>

/* A pool with a wave and a few solids: enough of everything. */
static rni_picture pool(uint32_t threads, float (*position)[4], float *value, rn_solid solids[3])
{
    uint32_t count = 0;
    for (int x = 0; x < 30; x++)
        for (int z = 0; z < 14; z++)
            for (int y = 0; y < 5 + (int)(3 * sinf(0.3f * (float)x)); y++) {
                position[count][0] = 0.1f * (float)x + 0.05f;
                position[count][1] = 0.1f * (float)y + 0.05f;
                position[count][2] = 0.1f * (float)z + 0.05f;
                value[count++] = (float)(x + y);
            }
    memset(solids, 0, 3 * sizeof *solids);
    solids[0] =
        (rn_solid){.shape = RN_SOLID_BOX, .center = {1.5f, 0.5f, 1.4f}, .half = {1.5f, 0.5f, 0.03f}};
    solids[1] = (rn_solid){.shape = RN_SOLID_SPHERE, .center = {2, 0.8f, 0.7f}, .radius = 0.3f};
    solids[2] = (rn_solid){.shape = RN_SOLID_CYLINDER,
                           .center = {1, 1, 0.7f},
                           .axis = {1, 0, 1},
                           .half = {0.4f},
                           .radius = 0.2f,
                           .is_hollow = true};
    rni_picture p = rni_picture_default();
    p.width = 320;
    p.height = 200;
    sample_put(&p, "position", 3, position[0]);
    p.frame.attribute[0].stride = sizeof position[0];
    sample_put(&p, "speed", 1, value);
    p.frame.count = count;
    p.radius = 0.055f;
    p.frame.domain_high[0] = 3;
    p.frame.domain_high[1] = 1.5f;
    p.frame.domain_high[2] = 1.43f;
    p.sides[0] = true;
    p.solids = solids;
    p.solid_count = 3;
    p.color = "speed";
    p.title = "a pool \xe2\x80\xa6 \xff of tests";
    p.threads = threads;
    return p;
}

static void picture_is_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    static float position[30 * 14 * 8][4];
    static float value[30 * 14 * 8];
    rn_solid solids[3];
    rni_picture p = pool(1, position, value, solids);
    for (uint32_t dim = 2; dim <= 3; dim++) {
        p.frame.dim = dim;
        solids[2].shape = dim == 2 ? RN_SOLID_SPHERE : RN_SOLID_CYLINDER; /* 2D has no cylinders */
        p.threads = 1;
        uint8_t *one = sample_render(&p);
        for (uint32_t threads = 2; threads <= 5; threads++) {
            p.threads = threads;
            uint8_t *more = sample_render(&p);
            assert_memory_equal(one, more, (size_t)p.width * p.height * 4);
            free(more);
        }
        free(one);
    }
}

static void sphere_covers_the_pixels_that_it_should(void **state)
{
    (void)state;
    const float place[3] = {0, 0, 0};
    const float away[3] = {50, 50, 0};
    rni_picture p = sample_front(place, 1, 1);
    p.walls = RNI_WALLS_NONE;
    /* The floor would take its shadow: out of sight. */
    p.frame.domain_low[1] = -100;
    p.frame.domain_high[1] = 100;
    p.frame.domain_low[0] = p.frame.domain_low[2] = -100;
    p.frame.domain_high[0] = p.frame.domain_high[2] = 100;
    uint8_t *ball = sample_render(&p);
    sample_put(&p, "position", 3, away);
    uint8_t *empty = sample_render(&p);
    /* Seen from 10 m a ball of 1 m has the outline of a disc of radius 1 / sqrt(0.99) there. */
    double expected = RNI_PI * 400 / 0.99;
    double covered = sample_differing(&p, ball, empty, 8);
    if (fabs(covered - expected) > 0.06 * expected)
        fail_msg("%g pixels are covered, %g expected", covered, expected);
    free(ball);
    free(empty);
}

static void nearer_sphere_hides_the_farther_in_either_order(void **state)
{
    (void)state;
    const float places[2][6] = {{0, 0, 1, 0, 0, -1}, {0, 0, -1, 0, 0, 1}};
    const float values[2][2] = {{1, 0}, {0, 1}}; /* the near one is strong blue */
    uint8_t *seen[2];
    for (int k = 0; k < 2; k++) {
        rni_picture p = sample_front(places[k], 2, 1);
        sample_put(&p, "density", 1, values[k]);
        p.color = "density";
        p.has_range = true;
        p.range[1] = 1;
        seen[k] = sample_render(&p);
        assert_true(sample_blue(&p, seen[k], 100, 80) > 60);
    }
    assert_memory_equal(seen[0], seen[1], 200 * 160 * 4);
    free(seen[0]);
    free(seen[1]);
}

static void values_beyond_the_range_have_its_last_colours(void **state)
{
    (void)state;
    const float place[3] = {0, 0, 0};
    uint8_t *seen[2];
    for (int k = 0; k < 2; k++) {
        rni_picture p = sample_front(place, 1, 1);
        float value = k ? 1e30f : 1010;
        sample_put(&p, "density", 1, &value);
        p.color = "density";
        p.has_range = true;
        p.range[0] = 990;
        p.range[1] = 1010;
        seen[k] = sample_render(&p);
    }
    assert_memory_equal(seen[0], seen[1], 200 * 160 * 4);
    free(seen[0]);
    free(seen[1]);
}

static void flat_fluid_is_seen_from_the_front(void **state)
{
    (void)state;
    const float place[3] = {1.5f, 0.5f, 0};
    rni_picture p = rni_picture_default();
    p.frame.dim = 2;
    p.width = 240;
    p.height = 120;
    p.is_bare = true;
    sample_put(&p, "position", 3, place);
    p.frame.count = 1;
    p.radius = 0.2f;
    p.frame.domain_high[0] = 2;
    p.frame.domain_high[1] = 1;
    uint8_t *rgba = sample_render(&p);
    /* The domain fills the height but for the margins: 2 m are about 218 pixels. */
    assert_true(sample_blue(&p, rgba, 120 + 54, 60) > 60);
    assert_true(sample_blue(&p, rgba, 120 - 54, 60) < 30);
    free(rgba);
}

static void empty_fluid_is_drawn_too(void **state)
{
    (void)state;
    rni_picture p = rni_picture_default();
    p.width = p.height = RNI_PICTURE_SIDE_MIN;
    p.frame.domain_high[0] = p.frame.domain_high[1] = p.frame.domain_high[2] = 1;
    p.title = "nothing yet";
    free(sample_render(&p));
    p.frame.dim = 2;
    free(sample_render(&p));
}

static void expect_refusal(const rni_picture *p, const char *word)
{
    static uint8_t rgba[200 * 160 * 4];
    assert_int_not_equal(rni_picture_render(p, rgba), RN_OK);
    if (!strstr(rn_last_error(), word)) fail_msg("'%s' is not in: %s", word, rn_last_error());
}

static void absurd_wishes_are_refused_with_a_sentence(void **state)
{
    (void)state;
    const float place[3] = {0, 0, 0};
    const float nowhere[6] = {0, 0, 0, 0, NAN, 0};
    const float value[2] = {1, INFINITY};
    const rn_solid bent = {.shape = RN_SOLID_SPHERE, .radius = NAN};
    const rni_picture good = sample_front(place, 1, 1);
    rni_picture p = good;
    p.width = 3;
    expect_refusal(&p, "3 x 160");
    p = good, p.width = p.height = 60000;
    expect_refusal(&p, "60000");
    p = good, p.width = p.height = 8000;
    expect_refusal(&p, "too large");
    p = good, p.frame.dim = 4;
    expect_refusal(&p, "dim is 4");
    p = good, p.radius = 0;
    expect_refusal(&p, "radius");
    p = good, sample_put(&p, "position", 3, nowhere), p.frame.count = 2;
    expect_refusal(&p, "particle 1");
    p = good, sample_put(&p, "position", 3, nowhere), sample_put(&p, "density", 1, value + 1);
    p.color = "density";
    expect_refusal(&p, "density of particle 0");
    p = good, p.has_range = true, p.range[0] = 2, p.range[1] = 1;
    expect_refusal(&p, "range 2 to 1");
    p = good, p.camera.fov = 179;
    expect_refusal(&p, "179");
    p = good, p.camera.eye[2] = 0;
    expect_refusal(&p, "target");
    p = good, p.frame.domain_low[0] = 1;
    expect_refusal(&p, "inside out");
    p = good, p.solids = &bent, p.solid_count = 1;
    expect_refusal(&p, "solid 0");
    p = good, p.color = "heat";
    expect_refusal(&p, "no attribute \"heat\"");
    p = good, p.frame.attribute_count = 0;
    expect_refusal(&p, "position");
    p = good, p.frame.count = 0;
    expect_refusal(&p, "nothing to draw");
}

/* Every name that the command offers is drawn, vectors by their length. */
static void any_attribute_of_a_fluid_can_be_shown(void **state)
{
    (void)state;
    rn_fluid_def def = rn_fluid_def_default();
    rn_fluid_block block = rn_fluid_block_default();
    rn_fluid *fluid = NULL;
    def.spacing = 0.25f;
    for (int a = 0; a < 3; a++) def.domain_high[a] = 1, block.high[a] = 0.5f;
    assert_int_equal(rn_fluid_create(&def, &fluid), RN_OK);
    assert_int_equal(rn_fluid_add_block(fluid, &block, NULL), RN_OK);
    assert_int_equal(rn_fluid_step(fluid, NULL), RN_OK);
    rni_picture p = rni_picture_default();
    p.width = p.height = RNI_PICTURE_SIDE_MIN;
    assert_int_equal(rn_fluid_get_frame(fluid, &p.frame), RN_OK);
    uint32_t count = 0;
    for (; rni_picture_color_name(count); count++) {
        p.color = rni_picture_color_name(count);
        free(sample_render(&p));
    }
    assert_true(count >= 9);
    rn_fluid_destroy(fluid);
}

int main(void)
{
    FACT_ONLY_THREADS();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(picture_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(sphere_covers_the_pixels_that_it_should),
        cmocka_unit_test(nearer_sphere_hides_the_farther_in_either_order),
        cmocka_unit_test(values_beyond_the_range_have_its_last_colours),
        cmocka_unit_test(flat_fluid_is_seen_from_the_front),
        cmocka_unit_test(empty_fluid_is_drawn_too),
        cmocka_unit_test(absurd_wishes_are_refused_with_a_sentence),
        cmocka_unit_test(any_attribute_of_a_fluid_can_be_shown)};
    return cmocka_run_group_tests_name("render.picture", tests, NULL, NULL);
}
