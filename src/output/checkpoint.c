/* The format of checkpoints; docs/checkpoint.md has the same as tables. */
#include "output/checkpoint.h"
#include "output/crc64.h"
#include "output/series.h"

#include "base/error.h"
#include "files/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const unsigned char MAGIC[8] = {0x89, 'R', 'N', 'C', 'K', '\r', '\n', 0x1a};

#define HEADER_BYTES  RNI_CHECKPOINT_HEADER_BYTES
#define TABLE_AT      32u
#define ENTRY_BYTES   32u
#define TABLE_CRC_AT  (TABLE_AT + SECTION_COUNT * ENTRY_BYTES)
#define TRAILER_BYTES 8u

enum { SECTION_RUN, SECTION_SCENE, SECTION_FLUID, SECTION_COUNT };
static const char SECTION_NAMES[SECTION_COUNT][9] = {"run     ", "scene   ", "fluid   "};
_Static_assert(TABLE_CRC_AT + 8 == HEADER_BYTES, "the header is what the documentation says");

/* The fields of the run section, in order; all are 8 bytes. */
typedef struct field {
    size_t offset;
    uint32_t count;
    bool is_number; /* a double, finite; otherwise a uint64 */
    const char *name;
    double low, high; /* what is outside was not written by a run */
} field;
#define WHOLE(member, n, high)                                      \
    {                                                               \
        offsetof(rni_run_state, member), n, false, #member, 0, high \
    }
#define NUMBER(member, n, low, high)                                 \
    {                                                                \
        offsetof(rni_run_state, member), n, true, #member, low, high \
    }
#define COUNT_MAX 1e15
#define TIME_MAX  1e12
#define FLOAT_MAX 3.5e38
static const field FIELDS[] = {
    WHOLE(step, 1, COUNT_MAX),
    NUMBER(time, 1, 0, TIME_MAX),
    WHOLE(state_hash, 1, HUGE_VAL),
    WHOLE(frame_count, 1, COUNT_MAX),
    WHOLE(frame_step, 1, COUNT_MAX),
    WHOLE(output_next, 1, 2e18),
    WHOLE(checkpoint_next, 1, 2e18),
    NUMBER(output_every, 1, 0, 1e6),
    NUMBER(checkpoint_every, 1, 0, 1e6),
    WHOLE(formats, 1, (1 << RNI_FORMAT_COUNT) - 1),
    WHOLE(traversal, 1, UINT32_MAX),
    WHOLE(search, 1, UINT32_MAX),
    WHOLE(cpu, 1, UINT32_MAX),
    NUMBER(wall_s, 1, 0, TIME_MAX),
    WHOLE(retried_steps, 1, COUNT_MAX),
    WHOLE(flags, 1, UINT32_MAX),
    WHOLE(bound_steps, RNI_CHECKPOINT_BOUNDS, COUNT_MAX),
    NUMBER(step_min, 1, 0, TIME_MAX),
    NUMBER(step_max, 1, 0, TIME_MAX),
    NUMBER(density_max, 1, 0, FLOAT_MAX),
    NUMBER(speed_max, 1, 0, FLOAT_MAX),
    NUMBER(clock_ms, RNI_CHECKPOINT_CLOCKS, 0, 1e3 * TIME_MAX),
    NUMBER(step_ms, 1, 0, 1e3 * TIME_MAX),
    NUMBER(step_last, 1, 0, TIME_MAX),
    NUMBER(density_mean, 1, 0, FLOAT_MAX),
    NUMBER(kinetic, 1, 0, HUGE_VAL),
    NUMBER(potential, 1, -HUGE_VAL, HUGE_VAL),
    NUMBER(elastic, 1, -HUGE_VAL, HUGE_VAL),
    NUMBER(neighbors_mean, 1, 0, FLOAT_MAX),
    WHOLE(came, 1, COUNT_MAX),
    WHOLE(left, 1, COUNT_MAX),
    WHOLE(bytes, 1, COUNT_MAX),
};
#define FIELD_COUNT (sizeof FIELDS / sizeof *FIELDS)
/* 16 bytes of version, then the fields. */
#define RUN_BYTES (16u + 8u * (30u + RNI_CHECKPOINT_BOUNDS + RNI_CHECKPOINT_CLOCKS))
_Static_assert(sizeof(rni_run_state) == RUN_BYTES - 16u, "every member is a field");

static void store(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned k = 0; k < bytes; k++) at[k] = (unsigned char)(value >> (8 * k));
}

static uint64_t load(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned k = 0; k < bytes; k++) value |= (uint64_t)at[k] << (8 * k);
    return value;
}

static void run_store(const rni_run_state *run, unsigned char bytes[RUN_BYTES])
{
    memset(bytes, 0, 16);
    memcpy(bytes, RN_VERSION_STRING,
           sizeof RN_VERSION_STRING - 1 < 15 ? sizeof RN_VERSION_STRING - 1 : 15);
    unsigned char *at = bytes + 16;
    for (size_t f = 0; f < FIELD_COUNT; f++)
        for (uint32_t k = 0; k < FIELDS[f].count; k++, at += 8) {
            uint64_t value; /* a double by its bits */
            memcpy(&value, (const unsigned char *)run + FIELDS[f].offset + 8 * (size_t)k, 8);
            store(at, value, 8);
        }
}

/* Consistency of the fields with each other. */
static rn_result run_check(const rni_run_state *run, const char *name)
{
    const double every[2] = {run->output_every, run->checkpoint_every};
    for (unsigned k = 0; k < 2; k++)
        if (every[k] != 0 && every[k] < RNI_EVERY_MIN)
            return rni_fail(RN_ERROR_FILE,
                            "%s: is damaged: run.%s is %g s; it must be 0 or at least %g", name,
                            k ? "checkpoint_every" : "output_every", every[k], RNI_EVERY_MIN);
    if (run->frame_count > run->step + 1 || run->frame_step > run->step)
        return rni_fail(RN_ERROR_FILE,
                        "%s: is damaged: %llu frames, the last of step %llu, are more than %llu "
                        "steps can produce",
                        name, (unsigned long long)run->frame_count,
                        (unsigned long long)run->frame_step, (unsigned long long)run->step);
    uint64_t most = run->retried_steps;
    for (unsigned k = 0; k < RNI_CHECKPOINT_BOUNDS; k++)
        if (run->bound_steps[k] > most) most = run->bound_steps[k];
    if (most > run->step)
        return rni_fail(RN_ERROR_FILE, "%s: is damaged: it counts %llu of %llu steps", name,
                        (unsigned long long)most, (unsigned long long)run->step);
    return RN_OK;
}

static rn_result run_load(const unsigned char *bytes, const char *name, rni_checkpoint *out)
{
    memcpy(out->version, bytes, 15);
    for (char *c = out->version; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?';
    const unsigned char *at = bytes + 16;
    for (size_t f = 0; f < FIELD_COUNT; f++)
        for (uint32_t k = 0; k < FIELDS[f].count; k++, at += 8) {
            uint64_t value = load(at, 8);
            double number;
            memcpy(&number, &value, 8);
            if (FIELDS[f].is_number && !isfinite(number))
                return rni_fail(RN_ERROR_FILE, "%s: is damaged: run.%s is not a finite number",
                                name, FIELDS[f].name);
            if (!FIELDS[f].is_number) number = (double)value;
            if (number < FIELDS[f].low || number > FIELDS[f].high)
                return rni_fail(RN_ERROR_FILE, "%s: is damaged: run.%s is %.9g; it must be %g to %g",
                                name, FIELDS[f].name, number, FIELDS[f].low, FIELDS[f].high);
            memcpy((unsigned char *)&out->run + FIELDS[f].offset + 8 * (size_t)k, &value, 8);
        }
    return run_check(&out->run, name);
}

/* --- writing ------------------------------------------------------------------------------------ */

static void sync_folder(const char *path)
{
    char folder[RNI_PATH_BYTES];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (length >= sizeof folder) return;
    memcpy(folder, path, length);
    folder[length] = 0;
    int file = open(length ? folder : slash ? "/" : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return;
    fsync(file); /* some file systems cannot; the name then appears when they choose */
    close(file);
}

rn_result rni_checkpoint_write(const char *path, const rni_run_state *run, const char *scene,
                               const void *fluid, uint64_t fluid_bytes)
{
    unsigned char header[HEADER_BYTES] = {0}, run_bytes[RUN_BYTES], trailer[TRAILER_BYTES];
    run_store(run, run_bytes);
    const void *data[SECTION_COUNT] = {run_bytes, scene, fluid};
    uint64_t sizes[SECTION_COUNT] = {RUN_BYTES, strlen(scene), fluid_bytes};
    if (sizes[SECTION_SCENE] > RNI_CHECKPOINT_SCENE_BYTES)
        return rni_fail(RN_ERROR_LIMIT, "%s: the scene has %llu bytes; a checkpoint holds %u", path,
                        (unsigned long long)sizes[SECTION_SCENE], RNI_CHECKPOINT_SCENE_BYTES);
    uint64_t offset = HEADER_BYTES;
    memcpy(header, MAGIC, sizeof MAGIC);
    store(header + 8, RNI_CHECKPOINT_VERSION, 4);
    store(header + 12, SECTION_COUNT, 4);
    for (unsigned s = 0; s < SECTION_COUNT; s++) {
        unsigned char *entry = header + TABLE_AT + s * ENTRY_BYTES;
        memcpy(entry, SECTION_NAMES[s], 8);
        store(entry + 8, offset, 8);
        store(entry + 16, sizes[s], 8);
        store(entry + 24, rni_crc64(0, data[s], sizes[s]), 8);
        offset += sizes[s];
    }
    store(header + 16, offset + TRAILER_BYTES, 8);
    store(header + TABLE_CRC_AT, rni_crc64(0, header, TABLE_CRC_AT), 8);

    rni_out_file out;
    rn_result result = rni_out_file_open(path, &out);
    if (result != RN_OK) return result;
    uint64_t crc = rni_crc64(0, header, HEADER_BYTES);
    rni_out_file_put(&out, header, HEADER_BYTES);
    for (unsigned s = 0; s < SECTION_COUNT; s++) {
        crc = rni_crc64(crc, data[s], sizes[s]);
        rni_out_file_put(&out, data[s], sizes[s]);
    }
    store(trailer, crc, 8);
    rni_out_file_put(&out, trailer, TRAILER_BYTES);
    result = rni_out_file_close(&out);
    if (result == RN_OK) sync_folder(path);
    return result;
}

/* --- reading ------------------------------------------------------------------------------------ */

bool rni_checkpoint_is(const void *bytes, size_t size)
{
    return size >= sizeof MAGIC && memcmp(bytes, MAGIC, sizeof MAGIC) == 0;
}

/* The header alone, against the size that the file has. */
static rn_result check_header(const unsigned char *bytes, uint64_t size, const char *name)
{
    if (!rni_checkpoint_is(bytes, size < HEADER_BYTES ? (size_t)size : HEADER_BYTES))
        return rni_fail(RN_ERROR_FILE, "%s: is not a checkpoint of Runnel: its first bytes differ",
                        name);
    if (size < HEADER_BYTES + TRAILER_BYTES)
        return rni_fail(RN_ERROR_FILE,
                        "%s: is cut off: a checkpoint has at least %u bytes, this %llu", name,
                        HEADER_BYTES + TRAILER_BYTES, (unsigned long long)size);
    uint64_t version = load(bytes + 8, 4);
    if (version != RNI_CHECKPOINT_VERSION)
        return rni_fail(
            RN_ERROR_FILE,
            "%s: is a checkpoint of format %llu; this Runnel (%s) reads format %u. Run the scene "
            "again from its start, or with the version that wrote the checkpoint",
            name, (unsigned long long)version, rn_version(), RNI_CHECKPOINT_VERSION);
    if (load(bytes + TABLE_CRC_AT, 8) != rni_crc64(0, bytes, TABLE_CRC_AT))
        return rni_fail(RN_ERROR_FILE, "%s: is damaged: the checksum of its header does not match",
                        name);
    uint64_t said = load(bytes + 16, 8);
    if (said != size)
        return rni_fail(RN_ERROR_FILE, "%s: is %s: its header says %llu bytes, the file has %llu",
                        name, said > size ? "cut off" : "damaged", (unsigned long long)said,
                        (unsigned long long)size);
    uint64_t offset = HEADER_BYTES, end = size - TRAILER_BYTES;
    for (unsigned s = 0; s < SECTION_COUNT; s++) {
        const unsigned char *entry = bytes + TABLE_AT + s * ENTRY_BYTES;
        uint64_t length = load(entry + 16, 8);
        bool is_right = memcmp(entry, SECTION_NAMES[s], 8) == 0 && load(entry + 8, 8) == offset &&
                        length <= end - offset;
        if (s == SECTION_RUN) is_right = is_right && length == RUN_BYTES;
        if (s == SECTION_SCENE) is_right = is_right && length <= RNI_CHECKPOINT_SCENE_BYTES;
        if (!is_right)
            return rni_fail(RN_ERROR_FILE,
                            "%s: is damaged: section %.5s has %llu bytes, or is not where it should be",
                            name, SECTION_NAMES[s], (unsigned long long)length);
        offset += length;
    }
    if (offset != end || load(bytes + 12, 4) != SECTION_COUNT || load(bytes + 24, 8) != 0)
        return rni_fail(RN_ERROR_FILE, "%s: is damaged: its sections do not fill the file", name);
    return RN_OK;
}

/* Takes ownership of bytes, also on failure. */
static rn_result parse_held(unsigned char *bytes, uint64_t size, const char *name, rni_checkpoint *out)
{
    out->held = bytes;
    rn_result result = check_header(bytes, size, name);
    uint64_t offset = HEADER_BYTES, lengths[SECTION_COUNT];
    unsigned char *starts[SECTION_COUNT];
    for (unsigned s = 0; result == RN_OK && s < SECTION_COUNT; s++) {
        const unsigned char *entry = bytes + TABLE_AT + s * ENTRY_BYTES;
        lengths[s] = load(entry + 16, 8);
        starts[s] = bytes + offset;
        if (rni_crc64(0, starts[s], lengths[s]) != load(entry + 24, 8))
            result = rni_fail(RN_ERROR_FILE,
                              "%s: is damaged: the checksum of section %.5s does not match", name,
                              SECTION_NAMES[s]);
        offset += lengths[s];
    }
    if (result == RN_OK && rni_crc64(0, bytes, size - TRAILER_BYTES) != load(bytes + offset, 8))
        result = rni_fail(RN_ERROR_FILE,
                          "%s: is damaged: the checksum of the whole file does not match", name);
    if (result == RN_OK && memchr(starts[SECTION_SCENE], 0, lengths[SECTION_SCENE]))
        result = rni_fail(RN_ERROR_FILE, "%s: is damaged: the scene holds a zero byte", name);
    if (result == RN_OK) result = run_load(starts[SECTION_RUN], name, out);
    if (result != RN_OK) {
        rni_checkpoint_release(out);
        return result;
    }
    /* The scene moves to the front, over the header, so that a zero fits behind it. */
    out->scene_bytes = lengths[SECTION_SCENE];
    memmove(bytes, starts[SECTION_SCENE], out->scene_bytes);
    bytes[out->scene_bytes] = 0;
    out->scene = (char *)bytes;
    out->fluid = starts[SECTION_FLUID];
    out->fluid_bytes = lengths[SECTION_FLUID];
    return RN_OK;
}

rn_result rni_checkpoint_parse(const void *bytes, size_t size, const char *name, rni_checkpoint *out)
{
    *out = (rni_checkpoint){0};
    unsigned char *copy = malloc(size ? size : 1);
    if (!copy) return rni_fail(RN_ERROR_MEMORY, "%s: no memory for %zu bytes", name, size);
    if (size) memcpy(copy, bytes, size);
    return parse_held(copy, size, name, out);
}

/* Reads size bytes, unless the file is shorter. */
static rn_result read_fully(int file, const char *name, unsigned char *bytes, uint64_t size)
{
    uint64_t at = 0;
    while (at < size) {
        uint64_t wanted = size - at < (1u << 30) ? size - at : 1u << 30;
        ssize_t got = pread(file, bytes + at, (size_t)wanted, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return rni_fail(RN_ERROR_FILE, "%s: cannot be read: %s", name, strerror(errno));
        if (got == 0)
            return rni_fail(RN_ERROR_FILE, "%s: is cut off: it became shorter while it was read",
                            name);
        at += (uint64_t)got;
    }
    return RN_OK;
}

static rn_result read_open(int file, const char *path, rni_checkpoint *out)
{
    struct stat about;
    unsigned char opening[HEADER_BYTES] = {0};
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
        return rni_fail(RN_ERROR_FILE, "%s: is not a plain file", path);
    uint64_t size = (uint64_t)about.st_size;
    rn_result result = read_fully(file, path, opening, size < HEADER_BYTES ? size : HEADER_BYTES);
    /* Before memory is allocated for sizes that a hostile file states. */
    if (result == RN_OK) result = check_header(opening, size, path);
    if (result != RN_OK) return result;
    unsigned char *bytes = malloc((size_t)size);
    if (!bytes)
        return rni_fail(RN_ERROR_MEMORY, "%s: no memory for its %llu bytes", path,
                        (unsigned long long)size);
    result = read_fully(file, path, bytes, size);
    if (result == RN_OK) return parse_held(bytes, size, path, out);
    free(bytes);
    return result;
}

rn_result rni_checkpoint_read(const char *path, rni_checkpoint *out)
{
    *out = (rni_checkpoint){0};
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return rni_fail(RN_ERROR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
    rn_result result = read_open(file, path, out);
    close(file);
    return result;
}

void rni_checkpoint_release(rni_checkpoint *checkpoint)
{
    free(checkpoint->held);
    *checkpoint = (rni_checkpoint){0};
}
