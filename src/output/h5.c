#include "output/h5.h"
#include "output/crc64.h"
#include "output/h5_notes.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <hdf5.h>

#define PIECE_ROWS 16384u

/* An HDF5 file while frames are written to it, and the source of their rows: a frame in memory, or the
 * numbers of another file. */
typedef struct writer {
    const char *path; /* for messages */
    hid_t file;
    unsigned char *piece; /* PIECE_ROWS rows of 12 bytes */
    uint64_t sum;         /* of the numbers of the frame so far */
} writer;

typedef struct source {
    const rn_attribute *array;
    const rn_frame *frame; /* NULL: the rows come from a file */
    int file;
    uint64_t offset;
} source;

/* The innermost error of HDF5: the one with the message of the system. */
static herr_t keep_innermost(unsigned place, const H5E_error2_t *error, void *kept)
{
    (void)place;
    if (error->desc) snprintf(kept, 300, "%s", error->desc);
    return 0;
}

static rn_result fail_h5(const char *path, const char *what)
{
    char said[300] = "HDF5 does not say why";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, said);
    char first[300] = "";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_innermost, first);
    return rni_fail(RN_ERROR_FILE, "%s: cannot be %s: HDF5: %s", path, what,
                    strstr(first, "errno") ? first : said);
}

/* --- attributes ---------------------------------------------------------------------------------- */

static bool put_attribute(hid_t at, const char *name, hid_t type, hid_t memory, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool is_good = attribute >= 0 && H5Awrite(attribute, memory, value) >= 0;
    if (attribute >= 0) is_good = H5Aclose(attribute) >= 0 && is_good;
    H5Sclose(space);
    return is_good;
}

static bool put_text(hid_t at, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    bool is_good = type >= 0 && H5Tset_size(type, strlen(text) + 1) >= 0 &&
                   put_attribute(at, name, type, type, text);
    if (type >= 0) H5Tclose(type);
    return is_good;
}

/* --- frames -------------------------------------------------------------------------------------- */

/* Rows first .. first + rows - 1 into the writer's piece. */
static bool take_rows(writer *w, const source *from, uint32_t first, uint32_t rows)
{
    if (from->frame) {
        rn_frame_get_rows(from->frame, from->array, first, rows, w->piece);
        return true;
    }
    size_t row = from->array->components * sizeof(float), left = rows * row;
    unsigned char *to = w->piece;
    uint64_t at = from->offset + (uint64_t)first * row;
    while (left > 0) {
        ssize_t got = pread(from->file, to, left, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        to += got;
        at += (uint64_t)got;
        left -= (size_t)got;
    }
    return true;
}

static rn_result put_rows(writer *w, hid_t set, hid_t space, const source *from, uint32_t count)
{
    const rn_attribute *array = from->array;
    hid_t type = array->type == RN_ATTRIBUTE_UINT32 ? H5T_NATIVE_UINT32 : H5T_NATIVE_FLOAT;
    for (uint32_t first = 0; first < count; first += PIECE_ROWS) {
        uint32_t rows = count - first < PIECE_ROWS ? count - first : PIECE_ROWS;
        hsize_t start[2] = {first, 0}, size[2] = {rows, array->components};
        int rank = array->components > 1 ? 2 : 1;
        if (!take_rows(w, from, first, rows))
            return rni_fail(RN_ERROR_FILE,
                            "%s: was changed by another program: it ends before the numbers "
                            "of %s" RNI_H5_REMEDY,
                            w->path, array->name);
        w->sum = rni_crc64(w->sum, w->piece, (size_t)rows * array->components * 4);
        hid_t memory = H5Screate_simple(rank, size, NULL);
        bool is_good = memory >= 0 &&
                       H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                       H5Dwrite(set, type, memory, space, H5P_DEFAULT, w->piece) >= 0;
        rn_result result = is_good ? RN_OK : fail_h5(w->path, "written");
        if (memory >= 0) H5Sclose(memory);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

/* One array of a frame as a dataset; *offset is where its numbers are in the file. */
static rn_result put_array(writer *w, hid_t group, const source *from, uint32_t count,
                           uint64_t *offset)
{
    const rn_attribute *array = from->array;
    hsize_t size[2] = {count, array->components};
    hid_t space = H5Screate_simple(array->components > 1 ? 2 : 1, size, NULL);
    hid_t type = array->type == RN_ATTRIBUTE_UINT32 ? H5T_STD_U32LE : H5T_IEEE_F32LE;
    hid_t set = space < 0 ? -1
                          : H5Dcreate2(group, array->name, type, space, H5P_DEFAULT, H5P_DEFAULT,
                                       H5P_DEFAULT);
    rn_result result =
        set >= 0 && put_text(set, "units", array->unit) ? RN_OK : fail_h5(w->path, "written");
    if (result == RN_OK) result = put_rows(w, set, space, from, count);
    if (result == RN_OK && count > 0) {
        haddr_t at = H5Dget_offset(set);
        *offset = at;
        if (at == HADDR_UNDEF) result = fail_h5(w->path, "written");
    }
    if (set >= 0 && H5Dclose(set) < 0 && result == RN_OK) result = fail_h5(w->path, "written");
    if (space >= 0) H5Sclose(space);
    return result;
}

/* A frame as a group. The note provides time, step and count, and receives names, offsets and sum. */
static rn_result put_frame(writer *w, uint64_t number, const source *sources, uint32_t source_count,
                           rni_h5_note *note)
{
    char name[40];
    snprintf(name, sizeof name, "frame_%06llu", (unsigned long long)number);
    hid_t group = H5Gcreate2(w->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool is_good = group >= 0 &&
                   put_attribute(group, "time", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &note->time) &&
                   put_text(group, "time_units", "s") &&
                   put_attribute(group, "step", H5T_STD_U64LE, H5T_NATIVE_UINT64, &note->step) &&
                   put_attribute(group, "count", H5T_STD_U32LE, H5T_NATIVE_UINT32, &note->count);
    rn_result result = is_good ? RN_OK : fail_h5(w->path, "written");
    note->array_count = source_count;
    w->sum = 0;
    for (uint32_t k = 0; result == RN_OK && k < source_count; k++) {
        const rn_attribute *array = sources[k].array;
        snprintf(note->array[k].name, sizeof note->array[k].name, "%s", array->name);
        snprintf(note->array[k].unit, sizeof note->array[k].unit, "%s", array->unit);
        note->array[k].components = array->components;
        note->array[k].type = array->type;
        note->array[k].offset = 0;
        result = put_array(w, group, &sources[k], note->count, &note->array[k].offset);
    }
    note->sum = w->sum;
    if (group >= 0 && H5Gclose(group) < 0 && result == RN_OK) result = fail_h5(w->path, "written");
    return result;
}

/* --- files --------------------------------------------------------------------------------------- */

/* Closes the file at path, and on success syncs it. */
static rn_result writer_close(writer *w, const char *path, rn_result result)
{
    if (w->file >= 0 && H5Fclose(w->file) < 0 && result == RN_OK)
        result = fail_h5(w->path, "written");
    free(w->piece);
    *w = (writer){.path = w->path, .file = -1};
    if (result != RN_OK) return result;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool is_good = file >= 0 && (fsync(file) == 0 || errno == EINVAL);
    int error = errno;
    if (file >= 0) close(file);
    if (is_good) return RN_OK;
    return rni_fail(RN_ERROR_FILE, "%s: cannot be written: %s", w->path, strerror(error));
}

static rn_result writer_open(writer *w, const char *shown)
{
    *w = (writer){.path = shown, .file = -1, .piece = malloc((size_t)PIECE_ROWS * 12)};
    if (!w->piece) return rni_fail(RN_ERROR_MEMORY, "%s: no memory for a buffer", shown);
    /* Everything is closed explicitly: the clean-up of HDF5 at exit crashes on files that failed to close. */
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* it would print; our messages report it */
    return RN_OK;
}

/* Reserves disk space for so many more bytes: HDF5 does not recover from a full disk. It cuts off what it
 * has not used when it closes the file. */
static rn_result reserve(const char *path, const char *shown, uint64_t bytes)
{
    int file = open(path, O_RDWR | O_CLOEXEC);
    struct stat about = {0};
    int error = file < 0 || fstat(file, &about) != 0 ? errno : 0;
    if (!error) {
        error = posix_fallocate(file, about.st_size, (off_t)bytes);
        if (error == EINVAL || error == EOPNOTSUPP)
            error = 0; /* the file system does not support it */
        if (error && ftruncate(file, about.st_size) != 0) error = errno;
    }
    if (file >= 0) close(file);
    if (!error) return RN_OK;
    return rni_fail(RN_ERROR_FILE, "%s: cannot be written: %s", shown, strerror(error));
}

/* No less than a frame takes: its numbers, and what HDF5 writes about them. */
static uint64_t frame_bytes(uint32_t count, uint32_t numbers)
{
    return (uint64_t)count * 4 * numbers + 65536;
}

/* Numbers a particle has in a frame on file. */
static uint32_t note_numbers(const rni_h5_note *note)
{
    uint32_t numbers = 0;
    for (uint32_t k = 0; k < note->array_count; k++) numbers += note->array[k].components;
    return numbers;
}

static rn_result writer_reopen(writer *w, const char *path)
{
    w->file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    return w->file >= 0 ? RN_OK : fail_h5(w->path, "opened");
}

/* A file without frames: generator and generation; *offset is where the generation is. */
static rn_result make_empty(writer *w, const char *path, uint64_t generation, uint64_t *offset)
{
    hsize_t one = 1;
    w->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (w->file < 0) return fail_h5(w->path, "written");
    hid_t space = H5Screate_simple(1, &one, NULL);
    hid_t set = H5Dcreate2(w->file, "generation", H5T_NATIVE_UINT64, space, H5P_DEFAULT,
                           H5P_DEFAULT, H5P_DEFAULT);
    bool is_good = set >= 0 &&
                   H5Dwrite(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &generation) >= 0;
    if (is_good) *offset = H5Dget_offset(set);
    if (set >= 0) is_good = H5Dclose(set) >= 0 && is_good;
    if (space >= 0) H5Sclose(space);
    is_good = is_good && put_text(w->file, "generator", "runnel " RN_VERSION_STRING) &&
              put_text(w->file, "units", "SI");
    is_good = H5Fclose(w->file) >= 0 && is_good;
    w->file = -1;
    return is_good ? RN_OK : fail_h5(w->path, "written");
}

/* Bytes that the first frame_count frames take. */
static uint64_t measure_frames(const char *path, uint64_t frame_count)
{
    rni_h5_notes notes;
    rni_h5_note note;
    struct stat about;
    uint64_t bytes = 0;
    if (stat(path, &about) != 0 || rni_h5_notes_open(path, &notes) != RN_OK) return 0;
    notes.frame_count = 0;
    for (uint64_t k = 0; k < frame_count && rni_h5_notes_next(&notes, &note); k++)
        bytes += frame_bytes(note.count, note_numbers(&note));
    rni_h5_notes_close(&notes);
    /* All their numbers are in the file: notes that claim more are wrong, and are detected later. */
    uint64_t most = (uint64_t)about.st_size + 65536 * (frame_count + 1);
    return bytes < most ? bytes : most;
}

/* Copies the first frame_count frames of the file behind notes, and writes the new notes. */
static rn_result copy_frames(writer *w, rni_h5_notes *notes, int data, uint64_t frame_count,
                             FILE *new_notes)
{
    rn_result result = RN_OK;
    rni_h5_note note;
    notes->frame_count = 0;
    for (uint64_t number = 0; result == RN_OK && number < frame_count; number++) {
        rn_attribute array[RN_FRAME_MAX_ATTRIBUTES];
        source sources[RN_FRAME_MAX_ATTRIBUTES];
        if (!rni_h5_notes_next(notes, &note))
            return rni_fail(RN_ERROR_FILE, "%s: has no frame %llu", w->path,
                            (unsigned long long)number);
        const rni_h5_note old =
            note; /* the sources point to its names while the new note is filled in */
        for (uint32_t a = 0; a < old.array_count; a++) {
            array[a] = (rn_attribute){.name = old.array[a].name,
                                      .unit = old.array[a].unit,
                                      .components = old.array[a].components,
                                      .type = old.array[a].type};
            sources[a] = (source){&array[a], NULL, data, old.array[a].offset};
        }
        uint64_t sum = note.sum;
        note.size = note.changed = 0; /* those of the new file are not known yet */
        result = put_frame(w, number, sources, old.array_count, &note);
        if (result == RN_OK && note.sum != sum)
            result = rni_fail(RN_ERROR_FILE,
                              "%s: was changed by another program: the numbers of frame %llu differ "
                              "from those that were written" RNI_H5_REMEDY,
                              w->path, (unsigned long long)number);
        if (result == RN_OK) rni_h5_notes_put(new_notes, number, &note);
    }
    return result;
}

/* A number that the previous file did not have. */
static uint64_t new_generation(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec << 30) ^ (uint64_t)now.tv_nsec ^ ((uint64_t)getpid() << 44);
}

/* A new file at path with the first frame_count frames of the old one; notes NULL: none. */
static rn_result remake(const char *path, rni_h5_notes *notes, uint64_t frame_count)
{
    char beside[4096], next[4096], now[4096];
    bool fits = snprintf(beside, sizeof beside, "%s.tmp-%ld", path, (long)getpid()) < 4096 &&
                snprintf(next, sizeof next, "%s" RNI_H5_NOTES_NEXT, path) < 4096 &&
                snprintf(now, sizeof now, "%s" RNI_H5_NOTES, path) < 4096;
    if (!fits) return rni_fail(RN_ERROR_FILE, "%s: the path is too long", path);
    writer w;
    uint64_t generation = new_generation(), offset = 0;
    uint64_t bytes = notes ? measure_frames(path, frame_count) + 65536 : 0;
    rn_result result = writer_open(&w, path);
    if (result != RN_OK) return result;
    int data = notes ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    FILE *file = fopen(next, "we");
    if (!file) result = rni_fail(RN_ERROR_FILE, "%s: cannot be written: %s", next, strerror(errno));
    if (result == RN_OK) result = make_empty(&w, beside, generation, &offset);
    if (result == RN_OK) rni_h5_notes_put_head(file, generation, offset);
    if (result == RN_OK && notes) {
        result = reserve(beside, path, bytes);
        if (result == RN_OK) result = writer_reopen(&w, beside);
        if (result == RN_OK) result = copy_frames(&w, notes, data, frame_count, file);
    }
    result = writer_close(&w, beside, result);
    if (file) {
        bool is_good = fflush(file) == 0 && fsync(fileno(file)) == 0;
        int error = errno;
        is_good = fclose(file) == 0 && is_good;
        if (!is_good && result == RN_OK)
            result = rni_fail(RN_ERROR_FILE, "%s: cannot be written: %s", next, strerror(error));
    }
    if (data >= 0) close(data);
    if (result == RN_OK && (rename(beside, path) != 0 || rename(next, now) != 0))
        result = rni_fail(RN_ERROR_FILE, "%s: cannot be put in place: %s", path, strerror(errno));
    if (result != RN_OK) {
        unlink(beside);
        unlink(next);
    }
    return result;
}

rn_result rni_h5_create(const char *path)
{
    return remake(path, NULL, 0);
}

rn_result rni_h5_append(const char *path, uint64_t number, const rn_frame *frame)
{
    writer w;
    const rn_attribute *arrays[RN_FRAME_MAX_ATTRIBUTES];
    source sources[RN_FRAME_MAX_ATTRIBUTES];
    rni_h5_note note = {.time = frame->time, .step = frame->step, .count = frame->count};
    uint32_t array_count = rni_file_attributes(frame, arrays), numbers = 0;
    for (uint32_t k = 0; k < array_count; k++) {
        sources[k] = (source){arrays[k], frame, -1, 0};
        numbers += arrays[k]->components;
    }
    rn_result result = reserve(path, path, frame_bytes(frame->count, numbers));
    if (result == RN_OK) result = rni_h5_notes_begin(path, number);
    if (result != RN_OK) return result;
    result = writer_open(&w, path);
    if (result != RN_OK) return result;
    result = writer_reopen(&w, path);
    if (result == RN_OK) result = put_frame(&w, number, sources, array_count, &note);
    result = writer_close(&w, path, result);
    rni_h5_notes_stamp(path, &note);
    return result == RN_OK ? rni_h5_notes_end(path, number, &note) : result;
}

rn_result rni_h5_rewind(const char *path, uint64_t frame_count)
{
    rni_h5_notes notes;
    if (access(path, F_OK) != 0) {
        if (frame_count == 0) return rni_h5_create(path);
        return rni_fail(RN_ERROR_FILE,
                        "%s: is missing, and the run has %llu frames in it" RNI_H5_REMEDY, path,
                        (unsigned long long)frame_count);
    }
    rn_result result = rni_h5_notes_open(path, &notes);
    if (result != RN_OK) return frame_count == 0 ? rni_h5_create(path) : result;
    if (notes.frame_count < frame_count)
        result =
            rni_fail(RN_ERROR_FILE, "%s: holds %llu frames, and the run has %llu" RNI_H5_REMEDY,
                     path, (unsigned long long)notes.frame_count, (unsigned long long)frame_count);
    else if (!notes.is_whole || notes.frame_count > frame_count)
        result = remake(path, &notes, frame_count);
    rni_h5_notes_close(&notes);
    return result;
}

static bool put_column(hid_t group, const rni_h5_table *table, uint32_t k)
{
    char name[128];
    const hsize_t size = table->row_count;
    snprintf(name, sizeof name, "%s", table->name[k]);
    for (char *c = name; *c; c++)
        if (*c == '/') *c = '_';
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t set = space < 0 ? -1
                          : H5Dcreate2(group, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT,
                                       H5P_DEFAULT);
    bool is_good = set >= 0 && put_text(set, "units", table->unit[k]);
    if (is_good && size > 0)
        is_good =
            H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, table->column[k]) >= 0;
    if (set >= 0) is_good = H5Dclose(set) >= 0 && is_good;
    if (space >= 0) H5Sclose(space);
    return is_good;
}

rn_result rni_h5_put_table(const char *path, const rni_h5_table *table)
{
    writer w;
    const uint64_t bytes = (table->row_count * 8 + 4096) * table->column_count + 65536;
    rn_result result = reserve(path, path, bytes);
    if (result == RN_OK) result = writer_open(&w, path);
    if (result != RN_OK) return result;
    result = writer_reopen(&w, path);
    if (result == RN_OK && H5Lexists(w.file, table->group, H5P_DEFAULT) > 0)
        result = H5Ldelete(w.file, table->group, H5P_DEFAULT) >= 0 ? RN_OK : fail_h5(path, "written");
    if (result == RN_OK) {
        hid_t group = H5Gcreate2(w.file, table->group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        bool is_good = group >= 0;
        for (uint32_t k = 0; is_good && k < table->column_count; k++)
            is_good = put_column(group, table, k);
        if (group >= 0) is_good = H5Gclose(group) >= 0 && is_good;
        if (!is_good) result = fail_h5(path, "written");
    }
    return writer_close(&w, path, result);
}

void rni_h5_remove(const char *path)
{
    static const char *const ENDINGS[] = {"", RNI_H5_NOTES, RNI_H5_NOTES_NEXT};
    char name[4096];
    for (unsigned k = 0; k < 3; k++)
        if (snprintf(name, sizeof name, "%s%s", path, ENDINGS[k]) < (int)sizeof name) unlink(name);
}
