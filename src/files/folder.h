/* Output folders. */
#ifndef RNI_FILES_FOLDER_H
#define RNI_FILES_FOLDER_H

#include <runnel/base.h>

#include <stdbool.h>

/* Creates the folder and its parents. RN_ERROR_ARGUMENT: the path is too long; path and a file name
 * of 64 characters must fit into 4096 bytes. */
rn_result rni_folder_make(const char *path);

/* Whether both paths name the same regular file; - is standard input for the first and standard
 * output for the second. */
bool rni_is_same_file(const char *input, const char *output);

#endif
