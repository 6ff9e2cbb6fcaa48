#include "cli/outputs.h"

#include "files/folder.h"
#include "files/out_file.h"
#include "output/series.h"

#include <runnel/base.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_dash(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* Status of path, or of stream when path is a dash; false when there is no such file. */
static bool find(const char *path, int stream, struct stat *about)
{
    return is_dash(path) ? fstat(stream, about) == 0 : stat(path, about) == 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static const char *name_in(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool find_folder(const char *path, struct stat *about)
{
    char *folder = strdup(path);
    if (!folder) return false;
    folder[name_in(path) - path] = 0;
    bool is_found = stat(*folder ? folder : ".", about) == 0;
    free(folder);
    return is_found;
}

/* Whether two outputs are the same file. Files that do not exist yet are compared by folder and name. */
static bool collide(const char *a, const char *b)
{
    if (strcmp(a, b) == 0) return true;
    struct stat about_a, about_b;
    bool has_a = find(a, STDOUT_FILENO, &about_a), has_b = find(b, STDOUT_FILENO, &about_b);
    if (has_a != has_b) return false;
    if (has_a) return is_same(&about_a, &about_b) && !S_ISCHR(about_a.st_mode);
    return strcmp(name_in(a), name_in(b)) == 0 && find_folder(a, &about_a) &&
           find_folder(b, &about_b) && is_same(&about_a, &about_b);
}

static const char *shown(const char *path)
{
    return is_dash(path) ? "standard output" : path;
}

/* Whether path, links followed, is an existing file of a run by its name, or a checkpoint. */
static bool is_of_run(const char *path)
{
    struct stat about;
    if (is_dash(path) || stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return false;
    char *real = realpath(path, NULL);
    const char *name = name_in(real ? real : path);
    bool is_it = rni_series_is_of_run(name) || rni_checkpoint_is_named(name);
    free(real);
    return is_it;
}

int rni_outputs_check(const rni_command *command, const char *input, const rni_output *outputs,
                      uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        const char *path = outputs[k].path;
        if (input && rni_is_same_file(input, path))
            return rni_misuse(command,
                              "%s: writing %s would overwrite the input; choose another name",
                              outputs[k].option, shown(path));
        if (is_of_run(path))
            return rni_misuse(
                command, "%s: %s is a file of a run and would be overwritten; choose another name",
                outputs[k].option, path);
        for (uint32_t other = 0; other < k; other++)
            if (collide(outputs[other].path, path))
                return rni_misuse(command,
                                  "%s and %s would both write %s; choose another name for one",
                                  outputs[other].option, outputs[k].option, shown(path));
    }
    return RNI_EXIT_DONE;
}

int rni_outputs_check_plot(const rni_arguments *arguments)
{
    const char *path = rni_arguments_text(arguments, "plot");
    if (!path) return RNI_EXIT_DONE;
    const char *dot = strrchr(path, '.');
    if (!dot || strcasecmp(dot, ".svg") != 0)
        return rni_misuse(arguments->command,
                          "--plot: '%s' is not .svg, the only kind of chart; e.g. --plot bench.svg",
                          path);
    rni_output output = {"--plot", path};
    int code = rni_outputs_check(arguments->command, NULL, &output, 1);
    if (code != RNI_EXIT_DONE) return code;
    struct stat old;
    if (lstat(path, &old) == 0 && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode))
        return RNI_EXIT_DONE; /* a device, a pipe, a link: opening it could have an effect */
    rni_out_file probe;
    if (rni_out_file_open(path, &probe) != RN_OK)
        return rni_give_up(arguments->command, "--plot: %s", rn_last_error());
    rni_out_file_abandon(&probe);
    return RNI_EXIT_DONE;
}

int rni_outputs_make_folder(const rni_command *command, const char *path)
{
    rn_result result = rni_folder_make(path);
    if (result == RN_OK) return RNI_EXIT_DONE;
    return (result == RN_ERROR_ARGUMENT ? rni_misuse : rni_give_up)(command, "--out: %s",
                                                                    rn_last_error());
}
