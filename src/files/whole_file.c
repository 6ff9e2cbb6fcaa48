#include "files/whole_file.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool opens_with(const unsigned char *bytes, size_t size, const char *letters, size_t count)
{
    return size >= count && memcmp(bytes, letters, count) == 0;
}

const char *rni_known_stranger(const unsigned char *bytes, size_t size)
{
    if (opens_with(bytes, size, "\x1f\x8b", 2)) return "is packed with gzip; unpack it first";
    if (opens_with(bytes, size, "PK\x03\x04", 4)) return "is a ZIP or NPZ archive; unpack it first";
    if (opens_with(bytes, size, "\x89HDF", 4))
        return "is an HDF5 file; export the points as NPY or CSV";
    if (opens_with(bytes, size, "\xff\xfe", 2) || opens_with(bytes, size, "\xfe\xff", 2))
        return "is UTF-16 text; save it as UTF-8";
    return NULL;
}

static rn_result read_all(int file, const char *name, rni_opening_fn check, unsigned char **bytes,
                          size_t *size)
{
    struct stat about;
    size_t capacity = RNI_OPENING_BYTES;
    /* One byte more than the file size: the read that finds the end needs no growth. */
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
        capacity = (size_t)about.st_size + 1;
    }
    *size = 0;
    for (;;) {
        if (*bytes == NULL || *size == capacity) {
            if (*bytes) capacity *= 2;
            unsigned char *larger = realloc(*bytes, capacity);
            if (!larger) {
                return rni_fail(RN_ERROR_MEMORY, "%s: no memory for a file of %zu bytes", name,
                                capacity);
            }
            *bytes = larger;
        }
        bool is_opening = *size < RNI_OPENING_BYTES && capacity > RNI_OPENING_BYTES;
        size_t wanted = is_opening ? RNI_OPENING_BYTES - *size : capacity - *size;
        ssize_t got = read(file, *bytes + *size, wanted);
        if (got == 0) return RN_OK;
        if (got > 0) {
            *size += (size_t)got;
            if (*size != RNI_OPENING_BYTES) continue;
            rn_result result = check(name, *bytes, *size);
            if (result != RN_OK) return result;
        } else if (errno != EINTR) {
            return rni_fail(RN_ERROR_FILE, "%s: cannot be read: %s", name, strerror(errno));
        }
    }
}

rn_result rni_whole_file_read(const char *path, rni_opening_fn check, const char **name,
                              unsigned char **bytes, size_t *size)
{
    bool is_stdin = strcmp(path, "-") == 0;
    *name = is_stdin ? "standard input" : path;
    *bytes = NULL;
    int file = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return rni_fail(RN_ERROR_FILE, "%s: cannot be opened: %s", *name, strerror(errno));
    }
    rn_result result = read_all(file, *name, check, bytes, size);
    if (!is_stdin) close(file);
    return result;
}
