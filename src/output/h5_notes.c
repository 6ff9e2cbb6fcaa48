#include "output/h5_notes.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 512

static bool path_beside(char out[4096], const char *path, const char *ending)
{
    int length = snprintf(out, 4096, "%s%s", path, ending);
    return length > 0 && length < 4096;
}

static rn_result fail_errno(const char *path, const char *what)
{
    return rni_fail(RN_ERROR_FILE, "%s%s: cannot be %s: %s", path, RNI_H5_NOTES, what,
                    strerror(errno));
}

/* Opens the notes with that ending, if they name the generation that is in the HDF5 file. */
static FILE *open_matching(const char *path, const char *ending)
{
    char name[4096], line[LINE_BYTES];
    uint64_t generation, offset, there = 0;
    if (!path_beside(name, path, ending)) return NULL;
    FILE *file = fopen(name, "re");
    if (!file) return NULL;
    int data = open(path, O_RDONLY | O_CLOEXEC);
    bool is_it = data >= 0 && fgets(line, sizeof line, file) &&
                 sscanf(line, "runnel-h5-frames 1 %" SCNu64 " %" SCNu64, &generation, &offset) == 2 &&
                 offset <= INT64_MAX - 8 &&
                 pread(data, &there, sizeof there, (off_t)offset) == (ssize_t)sizeof there &&
                 there == generation;
    if (data >= 0) close(data);
    if (is_it) return file;
    fclose(file);
    return NULL;
}

/* One line, if it is a complete note about frame number. */
static bool read_note(const char *line, uint64_t number, rni_h5_note *note)
{
    uint64_t k;
    int used = 0;
    size_t length = strlen(line);
    if (length == 0 || line[length - 1] != '\n') return false;
    *note = (rni_h5_note){0};
    if (sscanf(line, "frame %" SCNu64 " %la %" SCNu64 " %" SCNu32 "%n", &k, &note->time,
               &note->step, &note->count, &used) != 4 ||
        k != number)
        return false;
    line += used;
    while (note->array_count < RNI_FRAME_MAX_ARRAYS) {
        uint32_t a = note->array_count;
        if (sscanf(line, " %15s %" SCNu64 "%n", note->array[a].name, &note->array[a].offset,
                   &used) != 2)
            break;
        line += used;
        note->array_count++;
    }
    return strcmp(line, "\n") == 0 && note->array_count > 0;
}

/* Back behind the first line. */
static void rewind_notes(rni_h5_notes *notes)
{
    char line[LINE_BYTES];
    rewind(notes->file);
    if (!fgets(line, sizeof line, notes->file)) return;
}

bool rni_h5_notes_next(rni_h5_notes *notes, rni_h5_note *note)
{
    char line[LINE_BYTES];
    while (fgets(line, sizeof line, notes->file)) {
        if (strncmp(line, "begin ", 6) == 0) {
            notes->is_whole = false;
        } else if (read_note(line, notes->frame_count, note)) {
            notes->is_whole = true;
            notes->frame_count++;
            return true;
        } else {
            notes->is_whole = false;
            return false;
        }
    }
    return false;
}

rn_result rni_h5_notes_open(const char *path, rni_h5_notes *notes)
{
    char now[4096], next[4096];
    *notes = (rni_h5_notes){.path = path, .is_whole = true};
    if (!path_beside(now, path, RNI_H5_NOTES) || !path_beside(next, path, RNI_H5_NOTES_NEXT))
        return rni_fail(RN_ERROR_FILE, "%s: the path is too long", path);
    notes->file = open_matching(path, RNI_H5_NOTES_NEXT);
    if (notes->file) {
        if (rename(next, now) != 0) {
            rni_h5_notes_close(notes);
            return fail_errno(path, "put in place");
        }
    } else {
        unlink(next);
        notes->file = open_matching(path, RNI_H5_NOTES);
    }
    if (!notes->file)
        return rni_fail(RN_ERROR_FILE,
                        "%s: cannot be gone on with: %s%s, which tells where its frames lie, is "
                        "missing or belongs to another file; move %s away, or start over",
                        path, path, RNI_H5_NOTES, path);
    rni_h5_note note;
    while (rni_h5_notes_next(notes, &note)) {
    }
    uint64_t count = notes->frame_count;
    bool is_whole = notes->is_whole;
    rewind_notes(notes);
    notes->frame_count = count;
    notes->is_whole = is_whole;
    return RN_OK;
}

void rni_h5_notes_close(rni_h5_notes *notes)
{
    if (notes->file) fclose(notes->file);
    notes->file = NULL;
}

void rni_h5_notes_put_head(FILE *file, uint64_t generation, uint64_t offset)
{
    fprintf(file, "runnel-h5-frames 1 %" PRIu64 " %" PRIu64 "\n", generation, offset);
}

void rni_h5_notes_put(FILE *file, uint64_t number, const rni_h5_note *note)
{
    fprintf(file, "frame %" PRIu64 " %a %" PRIu64 " %" PRIu32, number, note->time, note->step,
            note->count);
    for (uint32_t a = 0; a < note->array_count; a++)
        fprintf(file, " %s %" PRIu64, note->array[a].name, note->array[a].offset);
    fputc('\n', file);
}

static rn_result append(const char *path, uint64_t number, const rni_h5_note *note)
{
    char name[4096];
    if (!path_beside(name, path, RNI_H5_NOTES))
        return rni_fail(RN_ERROR_FILE, "%s: the path is too long", path);
    FILE *file = fopen(name, "ae");
    if (!file) return fail_errno(path, "written");
    if (note) rni_h5_notes_put(file, number, note);
    else fprintf(file, "begin %" PRIu64 "\n", number);
    bool is_good = fflush(file) == 0 && fsync(fileno(file)) == 0;
    int error = errno;
    is_good = fclose(file) == 0 && is_good;
    errno = error;
    return is_good ? RN_OK : fail_errno(path, "written");
}

rn_result rni_h5_notes_begin(const char *path, uint64_t number)
{
    return append(path, number, NULL);
}

rn_result rni_h5_notes_end(const char *path, uint64_t number, const rni_h5_note *note)
{
    return append(path, number, note);
}
