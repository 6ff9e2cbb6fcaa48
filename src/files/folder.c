#include "files/folder.h"

#include "base/error.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

rn_result rni_folder_make(const char *path)
{
    char part[4000];
    size_t length = strlen(path);
    if (length >= sizeof part - 32) return rni_fail(RN_ERROR_ARGUMENT, "the path is too long");
    for (size_t k = 1; k <= length; k++) {
        if (path[k] != '/' && path[k] != 0) continue;
        memcpy(part, path, k);
        part[k] = 0;
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return rni_fail(RN_ERROR_FILE, "%s cannot be created: %s", part, strerror(errno));
    }
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return rni_fail(RN_ERROR_FILE, "%s is not a folder; choose another, e.g. --out out", path);
    return RN_OK;
}

static bool find(const char *path, int stream, struct stat *about)
{
    return strcmp(path, "-") == 0 ? fstat(stream, about) == 0 : stat(path, about) == 0;
}

bool rni_is_same_file(const char *input, const char *output)
{
    struct stat in, out;
    return find(input, STDIN_FILENO, &in) && S_ISREG(in.st_mode) &&
           find(output, STDOUT_FILENO, &out) && in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}
