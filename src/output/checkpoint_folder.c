#include "output/checkpoint.h"

#include "base/error.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "checkpoint_"
#define SUFFIX ".rnck"
#define DIGITS 12u
#define KEPT   2u

bool rni_checkpoint_is_named(const char *name)
{
    size_t length = strlen(name), suffix = sizeof SUFFIX - 1;
    return length > suffix && strcmp(name + length - suffix, SUFFIX) == 0;
}

/* checkpoint_000000001234.rnck; more digits where a step needs them. */
static bool step_of(const char *name, uint64_t *step)
{
    size_t prefix = sizeof PREFIX - 1;
    if (strncmp(name, PREFIX, prefix) != 0) return false;
    const char *digits = name + prefix;
    size_t length = strspn(digits, "0123456789");
    if (length < DIGITS || length > 20 || strcmp(digits + length, SUFFIX) != 0) return false;
    *step = strtoull(digits, NULL, 10);
    return true;
}

bool rni_checkpoint_is_of_run(const char *name)
{
    uint64_t step;
    return step_of(name, &step);
}

typedef struct steps {
    uint64_t *step;
    size_t count, capacity;
} steps;

static bool add_step(steps *list, uint64_t step)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        uint64_t *larger = realloc(list->step, capacity * sizeof *larger);
        if (!larger) return false;
        list->step = larger;
        list->capacity = capacity;
    }
    list->step[list->count++] = step;
    return true;
}

static int newer_first(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? 1 : left > right ? -1 : 0;
}

/* Steps of all checkpoints in folder, newest first; the caller frees. */
static steps find_steps(const char *folder)
{
    steps list = {0};
    DIR *open = opendir(folder);
    if (!open) return list;
    struct dirent *entry;
    uint64_t step;
    while ((entry = readdir(open)) != NULL)
        if (step_of(entry->d_name, &step) && !add_step(&list, step)) break;
    closedir(open);
    if (list.count) qsort(list.step, list.count, sizeof *list.step, newer_first);
    return list;
}

static bool path_of(char path[RNI_PATH_BYTES], const char *folder, uint64_t step)
{
    int length = snprintf(path, RNI_PATH_BYTES, "%s/" PREFIX "%0*llu" SUFFIX, folder, (int)DIGITS,
                          (unsigned long long)step);
    return length > 0 && length < (int)RNI_PATH_BYTES;
}

uint32_t rni_checkpoint_list(const char *folder, char (*paths)[RNI_PATH_BYTES], uint32_t capacity)
{
    uint32_t count = 0;
    steps list = find_steps(folder);
    for (size_t k = 0; k < list.count && count < capacity; k++)
        if (path_of(paths[count], folder, list.step[k])) count++;
    free(list.step);
    return count;
}

void rni_checkpoint_prune(const char *folder, uint64_t newest)
{
    char path[RNI_PATH_BYTES];
    steps list = find_steps(folder);
    uint32_t kept = 0;
    /* Checkpoints of later steps belong to a run that was continued from an earlier one. */
    for (size_t k = 0; k < list.count; k++) {
        bool is_later = list.step[k] > newest;
        if (!is_later && ++kept <= KEPT) continue;
        if (path_of(path, folder, list.step[k])) unlink(path);
    }
    free(list.step);
}

rn_result rni_checkpoint_keep(const char *folder, const rni_run_state *run, const char *scene,
                              const void *fluid, uint64_t fluid_bytes)
{
    char path[RNI_PATH_BYTES];
    if (!path_of(path, folder, run->step))
        return rni_fail(RN_ERROR_FILE, "%s: the path is too long", folder);
    rn_result result = rni_checkpoint_write(path, run, scene, fluid, fluid_bytes);
    if (result == RN_OK) rni_checkpoint_prune(folder, run->step);
    return result;
}
