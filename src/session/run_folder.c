#include "session/run.h"

#include "files/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

void rni_run_path(const rni_run *run, const char *name, char path[RNI_PATH_BYTES])
{
    snprintf(path, RNI_PATH_BYTES, "%s/%s", run->folder, name);
}

/* Process that holds the lock; 0: not known. */
static long holder_of(int file)
{
    char text[24] = "";
    ssize_t got = pread(file, text, sizeof text - 1, 0);
    return got > 0 ? strtol(text, NULL, 10) : 0;
}

rn_result rni_run_folder_open(rni_run *run)
{
    char path[RNI_PATH_BYTES], mine[24];
    const char *folder = run->options->folder;
    if (strlen(folder) >= sizeof run->folder)
        return rni_run_misuse(run, "--out: the path is too long");
    memcpy(run->folder, folder, strlen(folder) + 1);
    rn_result code = rni_folder_make(folder);
    if (code == RN_ERROR_ARGUMENT) return rni_run_misuse(run, "--out: %s", rn_last_error());
    if (code != RN_OK) return rni_run_fail(run, "--out: %s", rn_last_error());
    rni_run_path(run, RNI_RUN_LOCK, path);
    run->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (run->lock < 0)
        return rni_run_fail(run, "--out: %s is not writable: %s", folder, strerror(errno));
    bool is_locked = flock(run->lock, LOCK_EX | LOCK_NB) == 0;
    if (!is_locked && errno != EWOULDBLOCK)
        rni_run_say(run, "%s cannot be locked (%s); make sure that no other run writes there",
                    folder, strerror(errno));
    else if (!is_locked)
        return rni_run_fail(run,
                            "--out: another run (process %ld) is writing into %s; wait for it, or "
                            "choose another folder",
                            holder_of(run->lock), folder);
    int length = snprintf(mine, sizeof mine, "%ld\n", (long)getpid());
    if (ftruncate(run->lock, 0) != 0 || pwrite(run->lock, mine, (size_t)length, 0) != length)
        return rni_run_fail(run, "--out: %s is not writable: %s", folder, strerror(errno));
    return RN_OK;
}

void rni_run_folder_close(rni_run *run)
{
    if (run->lock >= 0) close(run->lock);
    run->lock = -1;
}

/* The first bytes of FOLDER/NAME, terminated; false when there is no such file. */
static bool read_start(const rni_run *run, const char *name, char *text, size_t capacity)
{
    char path[RNI_PATH_BYTES];
    rni_run_path(run, name, path);
    FILE *file = fopen(path, "re");
    if (!file) return false;
    size_t got = fread(text, 1, capacity - 1, file);
    text[got] = 0;
    fclose(file);
    return true;
}

/* Whether FOLDER/scene.json is this run's scene, apart from its end and the interval of frames. */
static bool is_same_scene(const rni_run *run)
{
    char path[RNI_PATH_BYTES];
    rni_scene *theirs = NULL;
    rni_run_path(run, "scene.json", path);
    if (rni_scene_load(path, NULL, 0, &theirs, NULL) != RN_OK) return false;
    theirs->run_time = run->scene->run_time;
    theirs->run_steps = run->scene->run_steps;
    theirs->run_every = run->scene->run_every;
    char *text = rni_scene_write(theirs);
    bool is_same = text && strcmp(text, run->scene_text) == 0;
    free(text);
    rni_scene_free(theirs);
    return is_same;
}

/* Whether FOLDER/scene.json is, to the byte, what this run would write there. */
static bool has_same_text(const rni_run *run)
{
    size_t size = strlen(run->scene_text);
    char *text = malloc(size + 2);
    bool is_same =
        text && read_start(run, "scene.json", text, size + 2) && strcmp(text, run->scene_text) == 0;
    free(text);
    return is_same;
}

/* Fails when the scene or checkpoint that was named is in the folder and would be replaced. */
static rn_result check_input(rni_run *run)
{
    char path[RNI_PATH_BYTES];
    const char *name = run->scene_name, *slash = strrchr(name, '/');
    if (!run->options->scene) return RN_OK;
    rni_run_path(run, "scene.json", path);
    bool is_lost = rni_is_same_file(name, path) && !has_same_text(run);
    if (rni_checkpoint_is_of_run(slash ? slash + 1 : name)) {
        rni_run_path(run, slash ? slash + 1 : name, path);
        is_lost = rni_is_same_file(name, path);
    }
    if (!is_lost) return RN_OK;
    return rni_run_fail(run,
                        "--out: %s would be overwritten, and is the input; choose another "
                        "folder, or "
                        "--force",
                        path);
}

rn_result rni_run_folder_check(rni_run *run)
{
    char text[4096], path[1][RNI_PATH_BYTES];
    if (run->options->is_forced) return RN_OK;
    rn_result code = check_input(run);
    if (code != RN_OK) return code;
    if (!read_start(run, "scene.json", text, sizeof text)) {
        /* No run, but files of the same names may belong to the user. */
        static const char *const NAMES[] = {"particles.pvd", "particles.h5", "report.json",
                                            "picture.png", RNI_GAUGE_FILE};
        for (unsigned k = 0; k < sizeof NAMES / sizeof *NAMES; k++)
            if (read_start(run, NAMES[k], text, sizeof text))
                return rni_run_fail(run,
                                    "--out: %s/%s exists already; --force replaces it, or "
                                    "choose another "
                                    "folder",
                                    run->folder, NAMES[k]);
        return RN_OK;
    }
    bool is_finished =
        read_start(run, "report.json", text, sizeof text) && strstr(text, "\"finished\": true");
    bool is_same = is_same_scene(run);
    bool has_checkpoint = rni_checkpoint_list(run->folder, path, 1) > 0;
    if (!is_same)
        return rni_run_fail(run,
                            "--out: %s holds a run of another scene; --force replaces it, or "
                            "choose "
                            "another folder",
                            run->folder);
    if (!is_finished && has_checkpoint)
        return rni_run_fail(
            run,
            "--out: %s holds an unfinished run of this scene; --resume continues it, --force "
            "starts over",
            run->folder);
    if (is_finished)
        rni_run_say(run, "the finished run of this scene in %s is replaced", run->folder);
    return RN_OK;
}

void rni_run_folder_unfinish(const rni_run *run)
{
    char path[RNI_PATH_BYTES];
    rni_run_path(run, "report.json", path);
    unlink(path);
}

void rni_run_folder_clear(const rni_run *run)
{
    char path[RNI_PATH_BYTES], checkpoints[16][RNI_PATH_BYTES];
    uint32_t count;
    rni_run_folder_unfinish(run);
    rni_run_path(run, "picture.png", path);
    unlink(path);
    rni_run_path(run, RNI_GAUGE_FILE, path);
    unlink(path);
    rni_run_path(run, "scene.json", path);
    unlink(path);
    rni_series_remove(run->folder, 0);
    while ((count = rni_checkpoint_list(run->folder, checkpoints, 16)) > 0) {
        uint32_t gone = 0;
        for (uint32_t k = 0; k < count; k++) gone += unlink(checkpoints[k]) == 0;
        if (gone == 0) break;
    }
}
