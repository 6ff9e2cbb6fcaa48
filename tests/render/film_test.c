/* Films: one picture, numbered ones, videos, and what happens where none can be made; cameras that move. */
#include "fact.h"

#include "render/camera_path.h"
#include "render/film.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WIDTH  64u
#define HEIGHT 48u

static uint8_t picture[WIDTH * HEIGHT * 4];
static char folder[64];

static const char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static bool exists(const char *name)
{
    struct stat about;
    return stat(in_folder(name), &about) == 0 && about.st_size > 100;
}

static rn_result make(const char *name, uint32_t count, rni_film *film)
{
    char path[128];
    snprintf(path, sizeof path, "%s", in_folder(name));
    rni_film_def def = {
        .path = path, .width = WIDTH, .height = HEIGHT, .rate = 30, .is_single = count == 1};
    rn_result result = rni_film_open(film, &def);
    for (uint32_t k = 0; k < count && result == RN_OK; k++) {
        memset(picture, (int)(k * 20), sizeof picture);
        result = rni_film_add(film, picture);
    }
    return result == RN_OK ? rni_film_close(film) : result;
}

static void pictures_are_written_alone_or_numbered(void **state)
{
    (void)state;
    rni_film film;
    assert_int_equal(make("one.png", 1, &film), RN_OK);
    assert_true(exists("one.png"));
    assert_int_equal(make("many.png", 3, &film), RN_OK);
    assert_true(exists("many_000000.png") && exists("many_000002.png") && !exists("many.png"));
    assert_int_equal(make("film.gif", 1, &film), RN_ERROR_ARGUMENT);
}

static void without_ffmpeg_a_video_becomes_numbered_pictures(void **state)
{
    (void)state;
    rni_film film;
    char *path = strdup(getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    assert_int_equal(make("dry.mp4", 2, &film), RN_OK);
    setenv("PATH", path, 1);
    free(path);
    assert_non_null(strstr(film.note, "ffmpeg"));
    assert_true(exists("dry_000001.png") && !exists("dry.mp4"));
}

static void videos_appear_complete_or_not_at_all(void **state)
{
    (void)state;
    rni_film film;
    assert_int_equal(make("no/such.mp4", 2, &film), RN_ERROR_FILE);
    assert_non_null(strstr(rn_last_error(), "no/such.mp4"));
    if (system("ffmpeg -version >/dev/null 2>&1") != 0) skip();
    assert_int_equal(make("film.mp4", 5, &film), RN_OK);
    assert_true(exists("film.mp4"));
    assert_int_equal(film.count, 5);
    assert_int_equal(make("film.webm", 5, &film), RN_OK);
    assert_true(exists("film.webm"));
    /* Given up half way: nothing is left. */
    rni_film_def def = {.path = in_folder("half.mp4"), .width = WIDTH, .height = HEIGHT, .rate = 30};
    assert_int_equal(rni_film_open(&film, &def), RN_OK);
    assert_int_equal(rni_film_add(&film, picture), RN_OK);
    char beside[sizeof film.beside];
    snprintf(beside, sizeof beside, "%s", film.beside);
    rni_film_abandon(&film);
    struct stat about;
    assert_true(stat(beside, &about) != 0 && !exists("half.mp4"));
}

/* An ffmpeg that fails as on a full disk. */
static void the_reason_of_ffmpeg_is_given(void **state)
{
    (void)state;
    rni_film film;
    char bin[96], program[128];
    snprintf(bin, sizeof bin, "%s/bin", folder);
    assert_int_equal(mkdir(bin, 0700), 0);
    snprintf(program, sizeof program, "%s/ffmpeg", bin);
    FILE *file = fopen(program, "w");
    assert_non_null(file);
    fputs("#!/bin/sh\necho 'no space left on device' >&2\nexit 1\n", file);
    fclose(file);
    assert_int_equal(chmod(program, 0700), 0);
    char *path = strdup(getenv("PATH"));
    setenv("PATH", bin, 1);
    rn_result result = make("full.mp4", 40, &film);
    setenv("PATH", path, 1);
    free(path);
    assert_int_equal(result, RN_ERROR_FILE);
    if (!strstr(rn_last_error(), "no space left on device")) fail_msg("%s", rn_last_error());
    assert_false(exists("full.mp4"));
    unlink(program);
    rmdir(bin);
}

static rni_picture sample(void)
{
    static const float origin[3] = {0.5f, 0.5f, 0.5f};
    rni_picture p = rni_picture_default();
    for (uint32_t k = 0; k < 3; k++) p.frame.domain_high[k] = 1;
    p.frame.count = 1;
    p.frame.spacing = 0.1f;
    p.frame.attribute_count = 1;
    p.frame.attribute[0] =
        (rn_attribute){.name = "position", .unit = "m", .components = 3, .data = origin};
    return p;
}

static void cameras_pass_their_keys(void **state)
{
    (void)state;
    rni_camera_path path = {.key_count = 3,
                            .key = {{0, {1, 2, 3}, {0, 0, 0}, 20},
                                    {1, {2, 2, 3}, {0, 1, 0}, 30},
                                    {3, {5, 1, 0}, {0, 1, 1}, 40}}};
    for (uint32_t k = 0; k < 3; k++) {
        rni_picture p = sample();
        assert_int_equal(rni_camera_path_place(&path, path.key[k].time, 0, &p), RN_OK);
        for (uint32_t a = 0; a < 3; a++) {
            assert_true(fabsf(p.camera.eye[a] - path.key[k].eye[a]) < 1e-5f);
            assert_true(fabsf(p.camera.target[a] - path.key[k].target[a]) < 1e-5f);
        }
        assert_true(fabsf(p.camera.fov - path.key[k].fov) < 1e-3f);
    }
}

static void an_orbit_keeps_height_and_distance(void **state)
{
    (void)state;
    rni_camera_path path = {.orbit = 360};
    rni_picture first = sample(), half = sample(), whole = sample();
    assert_int_equal(rni_camera_path_place(&path, 0, 1e-6, &first), RN_OK);
    assert_int_equal(rni_camera_path_place(&path, 1, 0.5, &half), RN_OK);
    assert_int_equal(rni_camera_path_place(&path, 2, 1, &whole), RN_OK);
    const float *a = first.camera.eye, *b = half.camera.eye, *c = whole.camera.eye;
    const float *middle = first.camera.target;
    assert_true(fabsf(a[1] - b[1]) < 1e-4f);
    assert_true(fabsf(a[0] + b[0] - 2 * middle[0]) < 1e-3f &&
                fabsf(a[2] + b[2] - 2 * middle[2]) < 1e-3f);
    assert_true(fabsf(a[0] - c[0]) < 1e-3f && fabsf(a[2] - c[2]) < 1e-3f);
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/runnel-film-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char line[128];
    snprintf(line, sizeof line, "rm -rf %s", folder);
    return system(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_are_written_alone_or_numbered),
        cmocka_unit_test(without_ffmpeg_a_video_becomes_numbered_pictures),
        cmocka_unit_test(videos_appear_complete_or_not_at_all),
        cmocka_unit_test(the_reason_of_ffmpeg_is_given),
        cmocka_unit_test(cameras_pass_their_keys),
        cmocka_unit_test(an_orbit_keeps_height_and_distance),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
