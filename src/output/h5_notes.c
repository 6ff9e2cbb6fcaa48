#include "output/h5_notes.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_BYTES 4096

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

/* Opens the notes with that ending; *is_it: they name the generation that is in the HDF5 file. */
static FILE *open_notes(const char *path, const char *ending, bool *is_it)
{
    char name[4096], line[LINE_BYTES];
    uint64_t generation, offset, there = 0;
    *is_it = false;
    if (!path_beside(name, path, ending)) return NULL;
    FILE *file = fopen(name, "re");
    if (!file) return NULL;
    if (!fgets(line, sizeof line, file) ||
        sscanf(line, "runnel-h5-frames 3 %" SCNu64 " %" SCNu64, &generation, &offset) != 2) {
        fclose(file);
        return NULL;
    }
    int data = open(path, O_RDONLY | O_CLOEXEC);
    *is_it = data >= 0 && offset <= INT64_MAX - 8 &&
             pread(data, &there, sizeof there, (off_t)offset) == (ssize_t)sizeof there &&
             there == generation;
    if (data >= 0) close(data);
    return file;
}

/* Puts the notes of the file in place; NULL with a message when there are none. */
static FILE *find_notes(const char *path, const char *now, const char *next, bool *is_it)
{
    FILE *file = open_notes(path, RNI_H5_NOTES_NEXT, is_it);
    if (file && *is_it) {
        if (rename(next, now) == 0) return file;
        fail_errno(path, "put in place");
        fclose(file);
        return NULL;
    }
    if (file) fclose(file);
    file = open_notes(path, RNI_H5_NOTES, is_it);
    if (file && *is_it) unlink(next);
    if (!file)
        rni_fail(RN_ERROR_FILE,
                 "%s: cannot be read: %s, which lists where its frames are, is missing, "
                 "damaged or of another version" RNI_H5_REMEDY,
                 path, now);
    return file;
}

/* One line, if it is a complete note about frame number. */
static bool read_note(const char *line, uint64_t number, rni_h5_note *note)
{
    uint64_t k;
    int used = 0;
    size_t length = strlen(line);
    if (length == 0 || line[length - 1] != '\n') return false;
    *note = (rni_h5_note){0};
    if (sscanf(line,
               "frame %" SCNu64 " %la %" SCNu64 " %" SCNu32 " %" SCNx64 " %" SCNu64 " %" SCNu64 "%n",
               &k, &note->time, &note->step, &note->count, &note->sum, &note->size, &note->changed,
               &used) != 7 ||
        k != number)
        return false;
    line += used;
    while (note->array_count < RN_FRAME_MAX_ATTRIBUTES) {
        uint32_t a = note->array_count, components;
        char type;
        if (sscanf(line, " %23s %" SCNu32 " %c %15s %" SCNu64 "%n", note->array[a].name,
                   &components, &type, note->array[a].unit, &note->array[a].offset, &used) != 5)
            break;
        if (strspn(note->array[a].name, "abcdefghijklmnopqrstuvwxyz0123456789_") !=
            strlen(note->array[a].name))
            return false;
        if ((components != 1 && components != 3) || (type != 'f' && type != 'u')) return false;
        note->array[a].components = components;
        note->array[a].type = type == 'u' ? RN_ATTRIBUTE_UINT32 : RN_ATTRIBUTE_FLOAT;
        line += used;
        note->array_count++;
    }
    return strcmp(line, "\n") == 0 && note->array_count > 0;
}

/* Back to the line after the first. */
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
    bool is_it;
    notes->file = find_notes(path, now, next, &is_it);
    if (!notes->file) return RN_ERROR_FILE;
    rni_h5_note note = {0}, last = {0};
    while (rni_h5_notes_next(notes, &note)) last = note;
    note = last;
    rni_h5_notes_stamp(path, &note);
    uint64_t count = notes->frame_count;
    bool is_whole = notes->is_whole && is_it && note.size > 0 && note.size == last.size &&
                    note.changed == last.changed;
    rewind_notes(notes);
    notes->frame_count = count;
    notes->is_whole = is_whole;
    return RN_OK;
}

void rni_h5_notes_stamp(const char *path, rni_h5_note *note)
{
    struct stat about;
    bool is_there = stat(path, &about) == 0;
    note->size = is_there ? (uint64_t)about.st_size : 0;
    note->changed =
        is_there ? (uint64_t)about.st_ctim.tv_sec * 1000000000u + (uint64_t)about.st_ctim.tv_nsec : 0;
}

void rni_h5_notes_close(rni_h5_notes *notes)
{
    if (notes->file) fclose(notes->file);
    notes->file = NULL;
}

void rni_h5_notes_put_head(FILE *file, uint64_t generation, uint64_t offset)
{
    fprintf(file, "runnel-h5-frames 3 %" PRIu64 " %" PRIu64 "\n", generation, offset);
}

void rni_h5_notes_put(FILE *file, uint64_t number, const rni_h5_note *note)
{
    fprintf(file, "frame %" PRIu64 " %a %" PRIu64 " %" PRIu32 " %" PRIx64 " %" PRIu64 " %" PRIu64,
            number, note->time, note->step, note->count, note->sum, note->size, note->changed);
    for (uint32_t a = 0; a < note->array_count; a++)
        fprintf(file, " %s %" PRIu32 " %c %s %" PRIu64, note->array[a].name,
                note->array[a].components, note->array[a].type == RN_ATTRIBUTE_UINT32 ? 'u' : 'f',
                note->array[a].unit, note->array[a].offset);
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
