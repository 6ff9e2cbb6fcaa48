#include "place.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char folder[256];

int place_make(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/runnel-output.XXXXXX", base ? base : "/tmp");
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

int place_remove(void **state)
{
    (void)state;
    DIR *open = opendir(folder);
    struct dirent *entry;
    while (open && (entry = readdir(open)) != NULL)
        if (entry->d_name[0] != '.') unlink(entry->d_name);
    if (open) closedir(open);
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

#define MOST 100000u
static float position[MOST][4], velocity[MOST][4], density[MOST], pressure[MOST], birth[MOST];
static uint32_t id[MOST];

rn_frame frame_make(uint32_t count, double time, uint64_t step)
{
    assert_true(count <= MOST);
    for (uint32_t i = 0; i < count; i++) {
        for (int axis = 0; axis < 4; axis++) {
            position[i][axis] = (float)i + 0.25f * (float)axis;
            velocity[i][axis] = -(float)i - 0.125f * (float)axis;
        }
        density[i] = 1000.0f + (float)(i % 7);
        pressure[i] = 2.5f * (float)i;
        birth[i] = (float)(i % 4) * 0.5f;
        id[i] = count - 1 - i;
    }
    const rn_attribute all[] = {
        {"position", "m", 3, 0, 0, RN_ATTRIBUTE_IN_FILES, sizeof position[0], position},
        {"velocity", "m/s", 3, 0, 0, RN_ATTRIBUTE_IN_FILES, sizeof velocity[0], velocity},
        {"density", "kg/m^3", 1, 0, 0, RN_ATTRIBUTE_IN_FILES, 0, density},
        {"pressure", "Pa", 1, 0, 0, RN_ATTRIBUTE_IN_FILES, 0, pressure},
        {"id", "1", 1, RN_ATTRIBUTE_UINT32, 0, RN_ATTRIBUTE_IN_FILES, 0, id},
        {"birth", "s", 1, 0, 0, 0, 0, birth}};
    rn_frame frame = rn_frame_default();
    frame.time = time;
    frame.step = step;
    frame.count = count;
    for (uint32_t k = 0; k < sizeof all / sizeof *all; k++)
        assert_int_equal(rn_frame_add_attribute(&frame, &all[k]), RN_OK);
    assert_int_equal(rn_frame_add_derived(&frame), RN_OK);
    return frame;
}

void frame_leave_out(rn_frame *frame, const char *name)
{
    rn_attribute *a = (rn_attribute *)(uintptr_t)rn_frame_get_attribute(frame, name);
    assert_non_null(a);
    a->flags = 0;
}

unsigned char *file_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s is not there", path);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = 0;
    fclose(file);
    return bytes;
}

void file_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

void disk_limit(long bytes)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = (rlim_t)bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

void disk_lift(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
}
