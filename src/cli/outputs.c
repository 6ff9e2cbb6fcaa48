#include "cli/outputs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_dash(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* What path is, or stream when it is a dash; false when there is nothing yet. */
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

/* Two outputs. Files that are not there yet are the same by name in the same folder. */
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

int rni_outputs_check(const rni_command *command, const char *input, const rni_output *outputs,
                      uint32_t count)
{
    struct stat in, out;
    bool has_input = find(input, STDIN_FILENO, &in) && S_ISREG(in.st_mode);
    for (uint32_t k = 0; k < count; k++) {
        if (has_input && find(outputs[k].path, STDOUT_FILENO, &out) && is_same(&in, &out))
            return rni_misuse(command,
                              "%s: writing %s would overwrite the input; choose another name",
                              outputs[k].option, shown(outputs[k].path));
        for (uint32_t other = 0; other < k; other++)
            if (collide(outputs[other].path, outputs[k].path))
                return rni_misuse(command,
                                  "%s and %s would both write %s; choose another name for one",
                                  outputs[other].option, outputs[k].option, shown(outputs[k].path));
    }
    return RNI_EXIT_DONE;
}
