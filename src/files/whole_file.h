/* All bytes of a file. */
#ifndef RNI_FILES_WHOLE_FILE_H
#define RNI_FILES_WHOLE_FILE_H

#include <runnel/base.h>

/* So much is enough to tell what a file is; a device may go on for ever. */
#define RNI_OPENING_BYTES (1u << 16)

/* From the first bytes of a file: whether the rest is worth reading. */
typedef rn_result (*rni_opening_fn)(const char *name, const unsigned char *bytes, size_t size);

/* "-" is standard input; name is what it is called in messages. The caller frees *bytes, also on
 * failure. */
rn_result rni_whole_file_read(const char *path, rni_opening_fn check, const char **name,
                              unsigned char **bytes, size_t *size);

/* What people do hand to a reader, and what they can do about it; NULL: nothing known. */
const char *rni_known_stranger(const unsigned char *bytes, size_t size);

#endif
