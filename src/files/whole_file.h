/* Reads all bytes of a file. */
#ifndef RNI_FILES_WHOLE_FILE_H
#define RNI_FILES_WHOLE_FILE_H

#include <runnel/base.h>

/* This many bytes identify the type of a file; a device may be endless. */
#define RNI_OPENING_BYTES (1u << 16)

/* Checks from the first bytes whether the file is worth reading. */
typedef rn_result (*rni_opening_fn)(const char *name, const unsigned char *bytes, size_t size);

/* "-" is standard input; name is the file name in messages. The caller frees *bytes, also on
 * failure. */
rn_result rni_whole_file_read(const char *path, rni_opening_fn check, const char **name,
                              unsigned char **bytes, size_t *size);

/* Recognises common unsupported files and says what the user can do; NULL: not recognised. */
const char *rni_known_stranger(const unsigned char *bytes, size_t size);

#endif
