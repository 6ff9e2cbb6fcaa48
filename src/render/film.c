#include "render/film.h"

#include "base/error.h"
#include "render/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool rni_film_kind_of(const char *path, rni_film_kind *kind)
{
    static const char *const ends[] = {".png", ".mp4", ".webm"};
    size_t length = strlen(path);
    *kind = RNI_FILM_PNG;
    if (strcmp(path, "-") == 0) return true;
    for (uint32_t k = 0; k < 3; k++) {
        size_t end = strlen(ends[k]);
        if (length <= end || strcasecmp(path + length - end, ends[k]) != 0) continue;
        *kind = (rni_film_kind)k;
        return true;
    }
    return false;
}

void rni_film_shrink(double scale, uint32_t *width, uint32_t *height)
{
    uint32_t least = RNI_PICTURE_SIDE_MIN;
    *width = (uint32_t)(*width * scale + 0.5);
    *height = (uint32_t)(*height * scale + 0.5);
    if (*width < least) *width = least;
    if (*height < least) *height = least;
}

/* --- ffmpeg --------------------------------------------------------------------------------------------- */

/* A file without a name for what ffmpeg says. */
static int open_errors(void)
{
    FILE *file = tmpfile();
    int copy = file ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 3) : -1;
    if (file) fclose(file);
    return copy;
}

static int spawn(rni_film *film, int from, const char *size, const char *rate, const char *filter)
{
    const char *mp4[] = {"libx264",   "-preset",    "veryfast", "-crf", "19",
                         "-movflags", "+faststart", "-f",       "mp4"};
    const char *webm[] = {"libvpx-vp9", "-deadline", "realtime", "-cpu-used", "6",
                          "-crf",       "30",        "-b:v",     "0"};
    const char *words[40] = {
        "ffmpeg",   "-hide_banner", "-loglevel", "error", "-nostdin", "-xerror", "-y",  "-f",
        "rawvideo", "-pix_fmt",     "rgb24",     "-s",    size,       "-r",      rate,  "-i",
        "pipe:0",   "-an",          "-vf",       filter,  "-pix_fmt", "yuv420p", "-c:v"};
    uint32_t count = 23;
    for (uint32_t k = 0; k < 9; k++) words[count++] = film->kind == RNI_FILM_MP4 ? mp4[k] : webm[k];
    if (film->kind == RNI_FILM_WEBM) {
        words[count++] = "-f";
        words[count++] = "webm";
    }
    words[count++] = film->beside;
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    posix_spawn_file_actions_adddup2(&actions, from, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (film->errors >= 0) posix_spawn_file_actions_adddup2(&actions, film->errors, 2);
    error = posix_spawnp(&film->program, "ffmpeg", &actions, NULL, (char *const *)(uintptr_t)words,
                         environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) film->program = 0;
    return error;
}

static rn_result start_program(rni_film *film)
{
    int ends[2];
    char size[32], rate[32], filter[128];
    /* Players want even sides. */
    snprintf(filter, sizeof filter, "scale=%u:%u:flags=lanczos,pad=ceil(iw/2)*2:ceil(ih/2)*2",
             film->to_width, film->to_height);
    snprintf(size, sizeof size, "%ux%u", film->width, film->height);
    snprintf(rate, sizeof rate, "%.6g", film->rate);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return rni_fail(RN_ERROR_FILE, "%s: no pipe to ffmpeg: %s", film->path, strerror(errno));
    film->errors = open_errors();
    int error = spawn(film, ends[0], size, rate, filter);
    close(ends[0]);
    film->pipe = ends[1];
    if (error == 0) return RN_OK;
    rni_film_abandon(film);
    if (error != ENOENT)
        return rni_fail(RN_ERROR_FILE, "%s: ffmpeg does not start: %s", film->path, strerror(error));
    film->is_numbered = true;
    snprintf(film->note, sizeof film->note,
             "there is no ffmpeg program, so the pictures are written as numbered PNG files; "
             "install ffmpeg for video");
    return RN_OK;
}

/* The last line that ffmpeg has said. */
static void read_errors(const rni_film *film, char text[400])
{
    char all[4096];
    snprintf(text, 400, "it gave no reason");
    ssize_t got = film->errors >= 0 ? pread(film->errors, all, sizeof all - 1, 0) : 0;
    if (got <= 0) return;
    all[got] = 0;
    for (ssize_t k = got; k > 0 && (all[k - 1] == '\n' || all[k - 1] == '\r'); k--) all[k - 1] = 0;
    const char *line = strrchr(all, '\n');
    snprintf(text, 400, "%.399s", line ? line + 1 : all);
}

/* Waits for ffmpeg; false: it failed. */
static bool end_program(rni_film *film)
{
    int status = 0;
    if (film->pipe >= 0) close(film->pipe);
    film->pipe = -1;
    if (film->program <= 0) return false;
    while (waitpid(film->program, &status, 0) < 0 && errno == EINTR) {
    }
    film->program = 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static rn_result fail_program(rni_film *film)
{
    char text[400];
    (void)end_program(film);
    read_errors(film, text);
    rni_film_abandon(film);
    return rni_fail(RN_ERROR_FILE, "%s: ffmpeg could not write the video: %s", film->path, text);
}

static rn_result send_picture(rni_film *film, const uint8_t *rgba)
{
    size_t pixels = (size_t)film->width * film->height;
    for (size_t k = 0; k < pixels; k++) memcpy(film->rgb + 3 * k, rgba + 4 * k, 3);
    for (size_t sent = 0; sent < 3 * pixels;) {
        ssize_t got = write(film->pipe, film->rgb + sent, 3 * pixels - sent);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return fail_program(film);
        sent += (size_t)got;
    }
    return RN_OK;
}

/* --- all of them ---------------------------------------------------------------------------------------- */

rn_result rni_film_open(rni_film *film, const rni_film_def *def)
{
    const char *path = def->path;
    *film = (rni_film){.width = def->width,
                       .height = def->height,
                       .to_width = def->to_width ? def->to_width : def->width,
                       .to_height = def->to_height ? def->to_height : def->height,
                       .rate = def->rate,
                       .pipe = -1,
                       .errors = -1};
    if (strlen(path) + 64 > sizeof film->path)
        return rni_fail(RN_ERROR_ARGUMENT, "the path is longer than %zu bytes",
                        sizeof film->path - 64);
    if (!rni_film_kind_of(path, &film->kind))
        return rni_fail(RN_ERROR_ARGUMENT, "%s: the name should end with .png, .mp4 or .webm", path);
    snprintf(film->path, sizeof film->path, "%s", path);
    film->is_numbered = film->kind == RNI_FILM_PNG && !def->is_single;
    if (film->kind == RNI_FILM_PNG) return RN_OK;
    snprintf(film->beside, sizeof film->beside, "%s.tmp-%ld", path, (long)getpid());
    /* A folder that is missing or full is found before any work is done. */
    int file = open(film->beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return rni_fail(RN_ERROR_FILE, "%s: %s", path, strerror(errno));
    close(file);
    film->rgb = malloc((size_t)def->width * def->height * 3);
    if (!film->rgb) {
        rni_film_abandon(film);
        return rni_fail(RN_ERROR_MEMORY, "%s: no memory for a picture", path);
    }
    return start_program(film);
}

rn_result rni_film_add(rni_film *film, const uint8_t *rgba)
{
    char path[4200];
    if (film->program > 0) {
        rn_result result = send_picture(film, rgba);
        film->count += result == RN_OK;
        return result;
    }
    if (film->is_numbered) {
        size_t stem = (size_t)(strrchr(film->path, '.') - film->path);
        snprintf(path, sizeof path, "%.*s_%06u.png", (int)stem, film->path, film->count);
    } else {
        snprintf(path, sizeof path, "%s", film->path);
    }
    rn_result result = rni_png_write(path, rgba, film->width, film->height);
    film->count += result == RN_OK;
    return result;
}

rn_result rni_film_close(rni_film *film)
{
    if (film->program <= 0) return RN_OK;
    if (!end_program(film)) return fail_program(film);
    int error = rename(film->beside, film->path) == 0 ? 0 : errno;
    if (error == 0) film->beside[0] = 0;
    rni_film_abandon(film);
    return error ? rni_fail(RN_ERROR_FILE, "%s: %s", film->path, strerror(error)) : RN_OK;
}

void rni_film_abandon(rni_film *film)
{
    if (film->program > 0) (void)end_program(film);
    if (film->pipe > 0) close(film->pipe);
    if (film->errors > 0) close(film->errors);
    film->pipe = film->errors = -1;
    if (film->beside[0]) unlink(film->beside);
    film->beside[0] = 0;
    free(film->rgb);
    film->rgb = NULL;
}
