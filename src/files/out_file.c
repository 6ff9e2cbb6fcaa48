#include "files/out_file.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES      (1u << 18)
#define PRINT_LETTERS_MAX 255

rni_out_kind rni_out_kind_of(const char *path)
{
    static const char *const EXTENSIONS[] = {".csv", ".npy", ".ply", ".xyz"};
    if (strcmp(path, "-") == 0) return RNI_OUT_CSV;
    const char *dot = strrchr(path, '.');
    for (unsigned k = 0; dot && k < RNI_OUT_UNKNOWN; k++) {
        if (strcasecmp(dot, EXTENSIONS[k]) == 0) return (rni_out_kind)k;
    }
    return RNI_OUT_UNKNOWN;
}

static bool is_stdout(const rni_out_file *out)
{
    return strcmp(out->path, "-") == 0;
}

static rn_result fail_path(const rni_out_file *out, const char *what, int error)
{
    return rni_fail(RN_ERROR_FILE, "%s: cannot be %s: %s",
                    is_stdout(out) ? "standard output" : out->path, what, strerror(error));
}

/* Opens path or its temporary file. A new or regular file is written to a temporary file and
 * renamed. Everything else (devices, pipes, links) is written in place: a rename would replace it
 * by a regular file. */
static rn_result open_path(rni_out_file *out)
{
    struct stat old;
    bool is_old = lstat(out->path, &old) == 0;
    if (is_old && !S_ISREG(old.st_mode)) {
        out->file = open(out->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        return out->file >= 0 ? RN_OK : fail_path(out, "written", errno);
    }
    /* A rename would succeed even on a file that the user has write-protected. */
    if (is_old && access(out->path, W_OK) != 0) return fail_path(out, "written", errno);
    size_t bytes = strlen(out->path) + 32;
    char *beside = malloc(bytes);
    if (!beside) return rni_fail(RN_ERROR_MEMORY, "%s: no memory for a name", out->path);
    snprintf(beside, bytes, "%s.tmp-%ld", out->path, (long)getpid());
    out->file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (out->file < 0) {
        rn_result result = fail_path(out, "written", errno);
        free(beside);
        return result;
    }
    out->beside = beside;
    if (is_old && fchmod(out->file, old.st_mode & 0777) != 0) out->error = errno;
    return RN_OK;
}

rn_result rni_out_file_open(const char *path, rni_out_file *out)
{
    *out = (rni_out_file){.path = path, .file = -1};
    out->buffer = malloc(BUFFER_BYTES);
    if (!out->buffer) return rni_fail(RN_ERROR_MEMORY, "%s: no memory for a buffer", path);
    if (is_stdout(out)) {
        fflush(stdout);
        out->file = STDOUT_FILENO;
        return RN_OK;
    }
    rn_result result = open_path(out);
    if (result != RN_OK) rni_out_file_abandon(out);
    return result;
}

static void flush(rni_out_file *out)
{
    const unsigned char *at = out->buffer;
    size_t left = out->used;
    out->used = 0;
    while (left > 0 && !out->error) {
        ssize_t written = write(out->file, at, left);
        if (written >= 0) {
            at += written;
            left -= (size_t)written;
        } else if (errno != EINTR) {
            out->error = errno;
        }
    }
}

void rni_out_file_put(rni_out_file *out, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    while (size > 0 && !out->error) {
        if (out->used == BUFFER_BYTES) flush(out);
        size_t piece = BUFFER_BYTES - out->used < size ? BUFFER_BYTES - out->used : size;
        memcpy(out->buffer + out->used, at, piece);
        out->used += piece;
        at += piece;
        size -= piece;
    }
}

void rni_out_file_text(rni_out_file *out, const char *text)
{
    rni_out_file_put(out, text, strlen(text));
}

void rni_out_file_integer(rni_out_file *out, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    rni_out_file_put(out, digits + at, sizeof digits - at);
}

void rni_out_file_print(rni_out_file *out, const char *format, ...)
{
    char text[PRINT_LETTERS_MAX + 1];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || length > PRINT_LETTERS_MAX) {
        if (!out->error) out->error = EOVERFLOW;
        return;
    }
    rni_out_file_put(out, text, (size_t)length);
}

rn_result rni_out_file_finish(rni_out_file *out)
{
    flush(out);
    /* Some disks report only here that they are full. Files that cannot be synced (pipes) return
     * EINVAL. */
    if (!out->error && out->beside && fsync(out->file) != 0 && errno != EINVAL) out->error = errno;
    if (!is_stdout(out) && close(out->file) != 0 && !out->error) out->error = errno;
    out->file = -1;
    if (!out->error) return RN_OK;
    rn_result result = fail_path(out, "written", out->error);
    rni_out_file_abandon(out);
    return result;
}

rn_result rni_out_file_publish(rni_out_file *out)
{
    rn_result result = RN_OK;
    if (out->beside && rename(out->beside, out->path) != 0) {
        result = fail_path(out, "put in place", errno);
    } else {
        free(out->beside);
        out->beside = NULL;
    }
    rni_out_file_abandon(out);
    return result;
}

rn_result rni_out_file_close(rni_out_file *out)
{
    rn_result result = rni_out_file_finish(out);
    return result == RN_OK ? rni_out_file_publish(out) : result;
}

void rni_out_file_abandon(rni_out_file *out)
{
    if (out->file >= 0 && !is_stdout(out)) close(out->file);
    if (out->beside) unlink(out->beside);
    free(out->beside);
    free(out->buffer);
    out->beside = NULL;
    out->buffer = NULL;
    out->used = 0;
    out->error = 0;
    out->file = -1;
}
