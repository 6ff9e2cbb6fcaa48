/* Looks that trace rays: laws of light, what is refused, the same bytes for any number of threads. */
#include "sample.h"
#include "slowness.h"

#include "render/camera_path.h"
#include "render/looks.h"
#include "render/stage.h"

#include <math.h>
#include <string.h>

/* --- light at a surface --- */

static void fresnel_shares_are_those_of_water(void **state)
{
    (void)state;
    float ratio = 1 / RNI_WATER_INDEX;
    float straight = rni_fresnel_share(RNI_FRESNEL_EXACT, 1, ratio);
    /* ((1.333 - 1) / (1.333 + 1))^2 */
    assert_true(fabsf(straight - 0.020373f) < 1e-5f);
    assert_true(fabsf(rni_fresnel_share(RNI_FRESNEL_SCHLICK, 1, ratio) - straight) < 1e-5f);
    for (uint32_t law = 0; rni_fresnel_name(law); law++) {
        float before = -1;
        for (int k = 100; k >= 0; k--) {
            float share = rni_fresnel_share((rni_fresnel)law, (float)k / 100, ratio);
            if (!(share >= before && share <= 1))
                fail_msg("%s: %g follows %g", rni_fresnel_name(law), (double)share, (double)before);
            before = share;
        }
        assert_true(before > 0.999f);
        /* From within, light is reflected completely beyond 48.6 degrees. */
        assert_true(rni_fresnel_share((rni_fresnel)law, cosf(0.86f), RNI_WATER_INDEX) >= 1);
    }
}

static void refracted_light_obeys_snell(void **state)
{
    (void)state;
    rni_vec normal = {0, 1, 0}, out;
    for (int k = 0; k < 90; k++) {
        float angle = (float)k * 0.01745f;
        rni_vec in = {sinf(angle), -cosf(angle), 0};
        assert_true(rni_refract(in, normal, 1 / RNI_WATER_INDEX, &out));
        if (fabsf(out.x * RNI_WATER_INDEX - in.x) > 1e-5f || out.y >= 0)
            fail_msg("at %d degrees: sine %g, wanted %g", k, (double)out.x,
                     (double)(in.x / RNI_WATER_INDEX));
    }
    assert_false(rni_refract((rni_vec){0.9f, -0.43589f, 0}, normal, RNI_WATER_INDEX, &out));
}

static void light_is_absorbed_by_distance(void **state)
{
    (void)state;
    rni_vec left = rni_absorb((rni_vec){0.34f, 0, 2}, 2);
    assert_true(fabsf(left.x - expf(-0.68f)) < 1e-6f);
    assert_true(fabsf(left.y - 1) < 1e-6f);
    assert_true(fabsf(left.z - expf(-4.0f)) < 1e-6f);
}

/* --- rays --- */

static void rays_meet_spheres_and_triangles_where_they_are(void **state)
{
    (void)state;
    rni_tracer *tracer = NULL;
    rni_tracer_hit hit;
    const float sphere[1][4] = {{0, 0, 0, 0.5f}};
    const float vertex[9] = {-1, -1, 0, 1, -1, 0, 0, 1, 0};
    const uint32_t index[3] = {0, 1, 2};
    rn_triangles mesh = {.vertex_count = 3, .index_count = 3, .vertex = vertex, .index = index};
    rn_pose pose = {.position = {0, 0, -3}, .rotation = {0, 0, 0, 1}};
    assert_int_equal(rni_tracer_create(&tracer), RN_OK);
    assert_int_equal(rni_tracer_add_spheres(tracer, sphere, 1, 7), RN_OK);
    assert_int_equal(rni_tracer_add_mesh(tracer, &mesh, &pose, 9), RN_OK);
    assert_int_equal(rni_tracer_commit(tracer), RN_OK);
    rni_ray ray = {{0.3f, 0, 2}, {0, 0, -1}};
    assert_true(rni_tracer_hit_at(tracer, ray, 0, INFINITY, &hit));
    assert_int_equal(hit.object, 7);
    assert_true(fabsf(hit.distance - 1.6f) < 1e-4f && fabsf(hit.normal.x - 0.6f) < 1e-3f);
    ray.origin.x = 0.6f, ray.origin.y = -0.9f;
    assert_true(rni_tracer_hit_at(tracer, ray, 0, INFINITY, &hit));
    assert_int_equal(hit.object, 9);
    assert_true(fabsf(hit.distance - 5) < 1e-4f);
    assert_false(rni_tracer_hit_at(tracer, ray, 0, 4.9f, &hit));
    rni_tracer_clear(tracer);
    assert_int_equal(rni_tracer_commit(tracer), RN_OK);
    assert_false(rni_tracer_hit_at(tracer, ray, 0, INFINITY, &hit));
    rni_tracer_destroy(tracer);
}

/* --- pictures --- */

#define SIDE  8u
#define WATER (SIDE * SIDE * SIDE)

static float position[WATER][3];

/* A cube of water in the corner of a tank. */
static rni_shot sample_shot(void)
{
    rni_shot shot = rni_shot_default();
    float spacing = 0.05f;
    for (uint32_t i = 0; i < WATER; i++) {
        position[i][0] = ((float)(i % SIDE) + 0.5f) * spacing;
        position[i][1] = ((float)(i / SIDE % SIDE) + 0.5f) * spacing;
        position[i][2] = ((float)(i / SIDE / SIDE) + 0.5f) * spacing;
    }
    rni_picture *p = &shot.picture;
    p->width = 96;
    p->height = 64;
    p->is_bare = true;
    p->frame.spacing = spacing;
    p->frame.count = WATER;
    memcpy(p->frame.domain_high, (float[3]){1, 0.6f, 0.4f}, sizeof p->frame.domain_high);
    sample_put(p, "position", 3, position[0]);
    for (uint32_t k = 0; k < 6; k++) shot.domain_wall[k] = k != 3;
    shot.samples = 2;
    return shot;
}

static uint8_t *draw(const rni_look *look, const rni_shot *shot, uint32_t threads, uint32_t times)
{
    rni_studio *studio = NULL;
    rni_shot mine = *shot;
    mine.picture.threads = threads;
    uint8_t *rgba = malloc((size_t)shot->picture.width * shot->picture.height * 4);
    assert_non_null(rgba);
    if (rni_studio_create(threads, &studio) != RN_OK) fail_msg("%s", rn_last_error());
    for (uint32_t k = 0; k < times; k++)
        if (rni_look_draw(look, studio, &mine, rgba) != RN_OK) fail_msg("%s", rn_last_error());
    rni_studio_destroy(studio);
    return rgba;
}

/* Through level water comes what Fresnel and Beer leave of the sun's light, spread over the floor by its slope. */
static void photons_bring_the_light_of_the_sun_through_level_water(void **state)
{
    (void)state;
    static const rni_finish water = {.name = "water",
                                     .about = "",
                                     .kind = RNI_FINISH_WATER,
                                     .color = {1, 1, 1},
                                     .index = RNI_WATER_INDEX};
    rni_shot shot = rni_shot_default();
    rni_picture *p = &shot.picture;
    const float level = 0.2f;
    float corner[8][3], normal[8][3];
    static const uint32_t index[36] = {0, 6, 2, 0, 4, 6, 1, 7, 5, 1, 3, 7, 0, 5, 4, 0, 1, 5,
                                       2, 7, 3, 2, 6, 7, 0, 3, 1, 0, 2, 3, 4, 7, 6, 4, 5, 7};
    for (uint32_t k = 0; k < 8; k++) {
        const float at[3] = {k & 1 ? 2.0f : -1.0f, k & 2 ? level : -0.01f, k & 4 ? 2.0f : -1.0f};
        memcpy(corner[k], at, sizeof at);
        memcpy(normal[k], (float[3]){0, k & 2 ? 1.0f : -1.0f, 0}, sizeof normal[k]);
    }
    const float places[2][3] = {{-1, 0, -1}, {2, level, 2}};
    p->width = 320;
    p->height = 240;
    p->is_bare = true;
    p->radius = p->frame.spacing = 0.001f;
    p->frame.count = 2;
    memcpy(p->frame.domain_high, (float[3]){1, 0.6f, 1}, sizeof p->frame.domain_high);
    sample_put(p, "position", 3, places[0]);
    shot.samples = 12;
    rni_studio *studio = NULL;
    rni_stage stage;
    assert_int_equal(rni_studio_create(2, &studio), RN_OK);
    if (rni_stage_begin(&stage, studio, &shot) != RN_OK) fail_msg("%s", rn_last_error());
    const rni_object object = {.material = water,
                               .mesh = {.vertex_count = 8,
                                        .index_count = 36,
                                        .vertex = corner[0],
                                        .normal = normal[0],
                                        .index = index}};
    assert_int_equal(rni_stage_put(&stage, &object), RN_OK);
    stage.drawn_water = 12;
    assert_int_equal(rni_stage_commit(&stage), RN_OK);
    assert_int_equal(rni_caustics_prepare(&stage), RN_OK);
    assert_true(stage.caustics.is_on);
    rni_vec down;
    assert_true(rni_refract(rni_scale(stage.sun, -1), (rni_vec){0, 1, 0}, 1 / RNI_WATER_INDEX, &down));
    const rni_vec left = rni_absorb(stage.absorption, level / -down.y);
    const float passed = 1 - rni_fresnel_share(RNI_FRESNEL_EXACT, stage.sun.y, 1 / RNI_WATER_INDEX);
    const float wanted = RNI_SUN_POWER.y * stage.sun.y * passed * left.y;
    double sum = 0;
    for (uint32_t k = 0; k < 100; k++) {
        rni_surface_at at;
        const rni_ray ray = {{0.3f + 0.04f * (float)(k % 10), 0.01f, 0.3f + 0.04f * (float)(k / 10)},
                             {0, -1, 0}};
        assert_true(rni_stage_meet(&stage, ray, INFINITY, &at));
        const float light = rni_caustics_at(&stage, &at).y;
        if (fabsf(light / wanted - 1) > 0.3f)
            fail_msg("irradiance %g at place %u, wanted %g", (double)light, k, (double)wanted);
        sum += (double)light;
    }
    if (fabs(sum / 100 / (double)wanted - 1) > 0.02)
        fail_msg("mean irradiance %g, wanted %g", sum / 100, (double)wanted);
    rni_studio_destroy(studio);
}

static void every_look_has_the_same_bytes_for_any_number_of_threads(void **state)
{
    (void)state;
    rni_shot shot = sample_shot();
    size_t bytes = (size_t)shot.picture.width * shot.picture.height * 4;
    for (uint32_t k = 0; rni_look_at(k); k++) {
        uint8_t *one = draw(rni_look_at(k), &shot, 1, 1), *three = draw(rni_look_at(k), &shot, 3, 1);
        if (memcmp(one, three, bytes) != 0) fail_msg("look %s differs", rni_look_name(k));
        /* Drawn again by the same studio: nothing of the first picture is left. */
        uint8_t *again = draw(rni_look_at(k), &shot, 2, 2);
        if (memcmp(one, again, bytes) != 0)
            fail_msg("look %s differs the second time", rni_look_name(k));
        free(one), free(three), free(again);
    }
}

static void every_look_shows_the_water(void **state)
{
    (void)state;
    rni_shot shot = sample_shot(), dry = shot;
    dry.picture.frame.count = 1;
    for (uint32_t k = 0; rni_look_at(k); k++) {
        uint8_t *with = draw(rni_look_at(k), &shot, 2, 1),
                *without = draw(rni_look_at(k), &dry, 2, 1);
        uint32_t changed = sample_differing(&shot.picture, with, without, 12);
        if (changed < 200)
            fail_msg("look %s: water changes only %u pixels", rni_look_name(k), changed);
        free(with), free(without);
    }
}

static void films_have_the_same_bytes_for_any_number_of_threads(void **state)
{
    (void)state;
    rni_shot shot = sample_shot();
    shot.is_film = true;
    size_t bytes = (size_t)shot.picture.width * shot.picture.height * 4;
    uint8_t *one = draw(rni_look_at(0), &shot, 1, 3), *three = draw(rni_look_at(0), &shot, 3, 3);
    assert_memory_equal(one, three, bytes);
    /* It is the picture that a still has, but for noise. */
    rni_shot still = sample_shot();
    still.samples = 12;
    uint8_t *clean = draw(rni_look_at(0), &still, 2, 1);
    uint32_t changed = sample_differing(&shot.picture, one, clean, 60);
    if (changed > 300) fail_msg("%u pixels of the film are unlike the still", changed);
    free(one), free(three), free(clean);
}

static void fluids_look_like_their_material(void **state)
{
    (void)state;
    static const char *const looks[][2] = {{"barium-60", "barium"}, {"barium-suspension", "barium"},
                                           {"honey", "honey"},      {"olive-oil", "oil"},
                                           {"ketchup", "ketchup"},  {"blood", "blood"}};
    for (uint32_t k = 0; k < sizeof looks / sizeof *looks; k++) {
        const rni_water *water = rni_water_of_material(looks[k][0]);
        if (!water || strcmp(water->name, looks[k][1]) != 0)
            fail_msg("%s looks like %s", looks[k][0], water ? water->name : "any water");
    }
    assert_true(rni_water_of_material("water") == NULL);
    /* Through a cloudy fluid one does not see: it has its own colour. */
    rni_shot shot = sample_shot();
    shot.water = rni_water_of_material("ketchup");
    uint8_t *rgba = draw(rni_look_at(0), &shot, 2, 1);
    uint32_t red = 0;
    for (size_t i = 0; i < (size_t)shot.picture.width * shot.picture.height; i++)
        red += rgba[4 * i] > 2 * rgba[4 * i + 1] && rgba[4 * i] > 60;
    if (red < 150) fail_msg("only %u pixels are as red as ketchup", red);
    free(rgba);
}

/* What is drawn of the water: triangles and drops. */
static uint64_t drawn_water(const rni_shot *shot)
{
    static const rni_finish water = {.name = "water", .about = "", .kind = RNI_FINISH_WATER};
    rni_studio *studio = NULL;
    rni_stage stage;
    assert_int_equal(rni_studio_create(2, &studio), RN_OK);
    if (rni_stage_begin(&stage, studio, shot) != RN_OK || rni_stage_add_water(&stage, &water) != RN_OK)
        fail_msg("%s", rn_last_error());
    rni_studio_destroy(studio);
    return stage.drawn_water;
}

static void single_particles_are_drops_and_no_part_of_the_surface(void **state)
{
    (void)state;
    rni_shot shot = sample_shot();
    shot.picture.radius = 0.02f;
    static const float away[3][3] = {{0.8f, 0.5f, 0.2f}, {0.84f, 0.5f, 0.2f}, {0.5f, 0.2f, 0.3f}};
    memcpy(position[WATER - 3], away, sizeof away);
    shot.picture.frame.count = WATER - 3;
    const uint64_t without = drawn_water(&shot);
    shot.picture.frame.count = WATER;
    const uint64_t with = drawn_water(&shot);
    assert_true(without > 100);
    assert_int_equal(with, without + 3);
}

static void waters_and_fresnel_laws_change_the_picture(void **state)
{
    (void)state;
    rni_shot shot = sample_shot();
    uint8_t *tinted = draw(rni_look_at(0), &shot, 2, 1);
    for (uint32_t k = 1; rni_water_at(k); k++) {
        rni_shot other = shot;
        other.water = rni_water_at(k);
        uint8_t *rgba = draw(rni_look_at(0), &other, 2, 1);
        assert_true(sample_differing(&shot.picture, tinted, rgba, 4) > 50);
        free(rgba);
    }
    shot.fresnel = RNI_FRESNEL_GRAHN;
    uint8_t *rgba = draw(rni_look_at(0), &shot, 2, 1);
    assert_true(sample_differing(&shot.picture, tinted, rgba, 4) > 20);
    free(rgba), free(tinted);
}

static const rni_look *look_named(const char *name)
{
    for (uint32_t k = 0; rni_look_at(k); k++)
        if (strcmp(rni_look_name(k), name) == 0) return rni_look_at(k);
    fail_msg("there is no look %s", name);
    return NULL;
}

/* Pixels that two shots do not share, by a look. */
static uint32_t changed_by(const char *look, const rni_shot *a, const rni_shot *b)
{
    uint8_t *one = draw(look_named(look), a, 2, 1), *other = draw(look_named(look), b, 2, 1);
    uint32_t changed = sample_differing(&a->picture, one, other, 12);
    free(one), free(other);
    return changed;
}

static void a_second_fluid_is_seen_within_the_water(void **state)
{
    (void)state;
    static float fluid[WATER];
    rni_shot shot = sample_shot(), alone = shot;
    for (uint32_t i = 0; i < WATER; i++) {
        uint32_t x = i % SIDE, y = i / SIDE % SIDE;
        fluid[i] = x >= 2 && x < 6 && y >= 2 && y < 6 ? 1.0f : 0.0f;
    }
    shot.picture.fluid_count = 2;
    shot.picture.fluid_name[0] = "water", shot.picture.fluid_name[1] = "oil";
    memcpy(shot.picture.fluid_color[1], (float[3]){0.93f, 0.69f, 0.13f}, 3 * sizeof(float));
    sample_put(&shot.picture, "fluid", 1, fluid);
    uint32_t changed = changed_by("water", &shot, &alone);
    if (changed < 100) fail_msg("the second fluid changes only %u pixels", changed);
}

static void water_ends_flat_at_a_periodic_side(void **state)
{
    (void)state;
    rni_shot shot = sample_shot();
    for (uint32_t k = 0; k < 6; k++) shot.domain_wall[k] = false;
    shot.picture.radius = 0.02f;
    rni_studio *studio = NULL;
    rni_stage stage;
    assert_int_equal(rni_studio_create(1, &studio), RN_OK);
    for (uint32_t is_periodic = 0; is_periodic < 2; is_periodic++) {
        shot.periodic[2] = is_periodic;
        assert_int_equal(rni_stage_begin(&stage, studio, &shot), RN_OK);
        assert_int_equal(rni_stage_add_water(&stage, rni_finish_find("clay")), RN_OK);
        assert_int_equal(rni_stage_commit(&stage), RN_OK);
        /* The block fills z = 0 .. 0.4, the domain, whose high end the ray comes from. */
        rni_tracer_hit hit;
        rni_ray ray = {{0.2f, 0.2f, 1}, {0, 0, -1}};
        assert_true(rni_tracer_hit_at(studio->tracer, ray, 0, INFINITY, &hit));
        float off = fabsf(0.6f - hit.distance);
        if (is_periodic && off > 1e-4f) fail_msg("the side is off by %g m", (double)off);
    }
    rni_studio_destroy(studio);
}

/* A floor of two triangles; its film is thick at the left, and there is none at the right. */
static void films_are_seen_where_they_are(void **state)
{
    (void)state;
    static const float vertex[12] = {0, 0.01f, 0, 1, 0.01f, 0, 1, 0.01f, 0.4f, 0, 0.01f, 0.4f};
    static const uint32_t index[6] = {0, 2, 1, 0, 3, 2};
    static const float wet[4] = {1, 0, 0, 1}, dry[4] = {0};
    const float *const values[1] = {wet}, *const none[1] = {dry};
    rn_triangles floor = {
        .name = "mesh", .vertex_count = 4, .index_count = 6, .vertex = vertex, .index = index};
    rn_pose pose = {.rotation = {0, 0, 0, 1}};
    rni_shot shot = sample_shot(), other;
    shot.picture.frame.triangles = &floor, shot.picture.frame.triangles_count = 1;
    shot.picture.frame.pose = &pose, shot.picture.frame.pose_count = 1;
    shot.picture.frame.count = 1;
    other = shot;
    shot.wall_value = values, other.wall_value = none;
    if (changed_by("trails", &shot, &other) < 200) fail_msg("the film cannot be seen");
    rni_vec gray = {0.7f, 0.7f, 0.7f};
    rni_vec bare = rni_film_color(gray, 0), thick = rni_film_color(gray, 1);
    assert_memory_equal(&bare, &gray, sizeof gray);
    assert_true(thick.z > 2 * thick.x);
}

/* A gate that is pulled up between two pictures of a film. */
static void walls_that_move_are_drawn_where_they_are(void **state)
{
    (void)state;
    static const float vertex[12] = {0.5f, 0, 0, 0.5f, 0, 0.4f, 0.5f, 0.5f, 0.4f, 0.5f, 0.5f, 0};
    static const uint32_t index[6] = {0, 1, 2, 0, 2, 3};
    rn_triangles gate = {
        .name = "mesh", .vertex_count = 4, .index_count = 6, .vertex = vertex, .index = index};
    rn_pose pose = {.rotation = {0, 0, 0, 1}};
    rni_shot shot = sample_shot();
    shot.picture.frame.triangles = &gate, shot.picture.frame.triangles_count = 1;
    shot.picture.frame.pose = &pose, shot.picture.frame.pose_count = 1;
    static uint8_t film[2][96 * 64 * 4], still[96 * 64 * 4];
    rni_studio *studio = NULL;
    assert_int_equal(rni_studio_create(2, &studio), RN_OK);
    shot.is_film = true;
    assert_int_equal(rni_look_draw(rni_look_at(0), studio, &shot, film[0]), RN_OK);
    pose.position[1] = 0.3f;
    assert_int_equal(rni_look_draw(rni_look_at(0), studio, &shot, film[1]), RN_OK);
    shot.is_film = false;
    assert_int_equal(rni_look_draw(rni_look_at(0), studio, &shot, still), RN_OK);
    rni_studio_destroy(studio);
    assert_memory_equal(film[1], still, sizeof still);
    assert_true(sample_differing(&shot.picture, film[0], film[1], 12) > 100);
}

static void a_film_shows_the_same_part_of_the_world_throughout(void **state)
{
    (void)state;
    rni_shot shot = sample_shot();
    rni_canvas canvas = {.picture = &shot.picture};
    shot.picture.radius = 0.02f;
    memcpy(shot.picture.frame.domain_high, (float[3]){1, 3, 0.4f}, 3 * sizeof(float));
    assert_int_equal(rni_camera_hold(&shot.picture), RN_OK);
    assert_true(shot.picture.has_scene);
    const float was = position[0][1];
    for (uint32_t is_high = 0; is_high < 2; is_high++) {
        position[0][1] = is_high ? 2.5f : was;
        assert_int_equal(rni_canvas_check(&canvas), RN_OK);
        rni_camera_find_scene(&canvas);
        assert_memory_equal(&canvas.scene.low, shot.picture.scene_low, sizeof canvas.scene.low);
        assert_memory_equal(&canvas.scene.high, shot.picture.scene_high, sizeof canvas.scene.high);
    }
    /* Without that, the splash moves the camera. */
    shot.picture.has_scene = false;
    rni_camera_find_scene(&canvas);
    assert_true(canvas.scene.high.y > shot.picture.scene_high[1]);
    position[0][1] = was;
}

/* --- what is refused --- */

static void refuse(const rni_shot *shot, const char *word)
{
    rni_studio *studio = NULL;
    static uint8_t rgba[96 * 64 * 4];
    assert_int_equal(rni_studio_create(1, &studio), RN_OK);
    rn_result result = rni_look_draw(rni_look_at(0), studio, shot, rgba);
    if (result == RN_OK || !strstr(rn_last_error(), word))
        fail_msg("wanted '%s', got %d: %s", word, (int)result, rn_last_error());
    /* The studio is still good. */
    rni_shot good = sample_shot();
    assert_int_equal(rni_look_draw(rni_look_at(0), studio, &good, rgba), RN_OK);
    rni_studio_destroy(studio);
}

static void bad_shots_are_refused_with_a_sentence(void **state)
{
    (void)state;
    rni_shot shot = sample_shot();
    rn_solid post = rn_solid_default();
    post.shape = RN_SOLID_SPHERE;
    post.radius = 0.3f;
    memcpy(post.center, (float[3]){2, 0.5f, 2}, sizeof post.center);
    shot.picture.solids = &post;
    shot.picture.solid_count = 1;
    shot.picture.camera.has_eye = true;
    memcpy(shot.picture.camera.eye, (float[3]){2, 0.5f, 2.1f}, sizeof post.center);
    refuse(&shot, "inside solid 0");
    memcpy(shot.picture.camera.eye, (float[3]){2, -0.5f, 4}, sizeof post.center);
    refuse(&shot, "below the ground");
    shot = sample_shot();
    shot.picture.width = 0;
    refuse(&shot, "0 x 64");
    shot = sample_shot();
    shot.picture.frame.dim = 2;
    refuse(&shot, "3D");
    shot = sample_shot();
    shot.samples = 5000;
    refuse(&shot, "samples");
    shot = sample_shot();
    float was = position[3][1];
    position[3][1] = NAN;
    rni_studio *studio = NULL;
    static uint8_t rgba[96 * 64 * 4];
    assert_int_equal(rni_studio_create(1, &studio), RN_OK);
    assert_int_not_equal(rni_look_draw(rni_look_at(0), studio, &shot, rgba), RN_OK);
    assert_non_null(strstr(rn_last_error(), "particle 3"));
    rni_studio_destroy(studio);
    position[3][1] = was;
}

int main(void)
{
    FACT_ONLY_THREADS();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fresnel_shares_are_those_of_water),
        cmocka_unit_test(refracted_light_obeys_snell),
        cmocka_unit_test(light_is_absorbed_by_distance),
        cmocka_unit_test(rays_meet_spheres_and_triangles_where_they_are),
        cmocka_unit_test(photons_bring_the_light_of_the_sun_through_level_water),
        cmocka_unit_test(every_look_has_the_same_bytes_for_any_number_of_threads),
        cmocka_unit_test(every_look_shows_the_water),
        cmocka_unit_test(films_have_the_same_bytes_for_any_number_of_threads),
        cmocka_unit_test(fluids_look_like_their_material),
        cmocka_unit_test(single_particles_are_drops_and_no_part_of_the_surface),
        cmocka_unit_test(waters_and_fresnel_laws_change_the_picture),
        cmocka_unit_test(a_second_fluid_is_seen_within_the_water),
        cmocka_unit_test(water_ends_flat_at_a_periodic_side),
        cmocka_unit_test(films_are_seen_where_they_are),
        cmocka_unit_test(walls_that_move_are_drawn_where_they_are),
        cmocka_unit_test(a_film_shows_the_same_part_of_the_world_throughout),
        cmocka_unit_test(bad_shots_are_refused_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
