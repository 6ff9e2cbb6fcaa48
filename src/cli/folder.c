#include "cli/folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int rni_folder_make(const rni_command *command, const char *path)
{
    char part[4000];
    size_t length = strlen(path);
    if (length >= sizeof part - 32) return rni_misuse(command, "--out: the path is too long");
    for (size_t k = 1; k <= length; k++) {
        if (path[k] != '/' && path[k] != 0) continue;
        memcpy(part, path, k);
        part[k] = 0;
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return rni_give_up(command, "--out: %s cannot be made: %s", part, strerror(errno));
    }
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return rni_give_up(command, "--out: %s is not a folder; choose another, e.g. --out out",
                           path);
    return RNI_EXIT_DONE;
}
