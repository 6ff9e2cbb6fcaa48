/* Folders that are written into. */
#ifndef RNI_FILES_FOLDER_H
#define RNI_FILES_FOLDER_H

#include <runnel/base.h>

#include <stdbool.h>

/* Makes the folder and those above it. RN_ERROR_ARGUMENT: the path is so long that a file name of 64
 * characters behind it would not fit into 4096 bytes. */
rn_result rni_folder_make(const char *path);

/* Whether both paths lead to the same plain file; - is standard input for the first and standard output
 * for the second. */
bool rni_is_same_file(const char *input, const char *output);

#endif
