/* A file that appears complete or not at all. Writes are buffered, the first error is kept, and
 * rni_out_file_close reports it: callers need not check individual writes. */
#ifndef RNI_FILES_OUT_FILE_H
#define RNI_FILES_OUT_FILE_H

#include <runnel/base.h>

typedef struct rni_out_file {
    const char *path; /* borrowed */
    char *beside;     /* PATH.tmp-PID until it is published; NULL if path is written in place */
    int file;         /* -1 when closed */
    int error;        /* errno of the first failed write; 0: none */
    unsigned char *buffer;
    size_t used;
} rni_out_file;

/* Output formats, by case-insensitive extension; "-" is CSV. */
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

/* Flushes the buffer, syncs the file to disk and closes it; the file keeps its temporary name. On
 * failure the file is removed. */
rn_result rni_out_file_finish(rni_out_file *out);
/* Renames a finished file to its path. */
rn_result rni_out_file_publish(rni_out_file *out);
/* Both of the above. */
rn_result rni_out_file_close(rni_out_file *out);
/* Closes and removes the file silently, without changing the last error; a closed file is
 * allowed. */
void rni_out_file_abandon(rni_out_file *out);

#endif
