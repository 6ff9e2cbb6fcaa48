/* Folders that commands write into. */
#ifndef RNI_CLI_FOLDER_H
#define RNI_CLI_FOLDER_H

#include "cli/command.h"

/* Makes the folder given as --out and those above it; when it cannot, says so and returns the exit
 * code. Room for a file name of 64 letters behind the path in 4096 bytes is sure. */
int rni_folder_make(const rni_command *command, const char *path);

#endif
