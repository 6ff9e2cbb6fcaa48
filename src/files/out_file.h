/* A file that appears whole or not at all. Writes are gathered, the first error is kept, and
 * rni_out_file_close tells: callers write on without looking in between. */
#ifndef RNI_FILES_OUT_FILE_H
#define RNI_FILES_OUT_FILE_H

#include <runnel/base.h>

typedef struct rni_out_file {
    const char *path; /* borrowed */
    char *beside;     /* PATH.tmp-PID until it is published; NULL where path is written in place */
    int file;         /* -1 when closed */
    int error;        /* errno of the first write that failed; 0: none */
    unsigned char *buffer;
    size_t used;
} rni_out_file;

/* The kinds of file that are written, by extension in any case; "-" is CSV. */
typedef enum rni_out_kind {
    RNI_OUT_CSV,
    RNI_OUT_NPY,
    RNI_OUT_PLY,
    RNI_OUT_XYZ,
    RNI_OUT_UNKNOWN
} rni_out_kind;
rni_out_kind rni_out_kind_of(const char *path);

/* "-" is standard output. On failure *out is closed. */
rn_result rni_out_file_open(const char *path, rni_out_file *out);

void rni_out_file_put(rni_out_file *out, const void *bytes, size_t size);
void rni_out_file_text(rni_out_file *out, const char *text);
void rni_out_file_integer(rni_out_file *out, uint64_t value);
__attribute__((format(printf, 2, 3))) void rni_out_file_print(rni_out_file *out, const char *format,
                                                              ...);

/* Writes what is left, gives it to the disk and closes; the file is still beside. On failure it is
 * removed. */
rn_result rni_out_file_finish(rni_out_file *out);
/* Puts a finished file in its place. */
rn_result rni_out_file_publish(rni_out_file *out);
/* Both. */
rn_result rni_out_file_close(rni_out_file *out);
/* Closes and removes without a word, leaving the last error as it is; fine on a closed file. */
void rni_out_file_abandon(rni_out_file *out);

#endif
